"""Forms of the dashboard, turned into what the service takes; what is wrong is said in words."""

import io
import re
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import TypeAdapter, ValidationError

import highseason as hs
from highseason.core import collected, quiet
from highseason.traffic import (
    AmbiguousError,
    Blend,
    Multiplier,
    read,
    read_number,
    read_share,
    unusual_days,
)
from highseason_service.errors import ClashError, InvalidError, in_words
from highseason_service.experiments import Service, settings_body
from highseason_service.forecast import TrafficForecast, replacement
from highseason_service.live import LiveExperiment
from highseason_service.model import (
    MOST_TURNS,
    Arm,
    Entry,
    ExperimentBody,
    NewForecastBody,
    Outcome,
    Settings,
    State,
    WorthBody,
    arms_of,
    prices_of,
)

T = TypeVar("T")

#: Files that hold rows of text, and tables.
ENDINGS = (".csv", ".tsv", ".txt", ".xlsx")
#: How packed files begin, whatever they are called: zip and Excel, gzip, bzip2, xz, zstandard.
PACKED = (b"PK", b"\x1f\x8b", b"BZh", b"\xfd7z", b"\x28\xb5\x2f\xfd")
#: The most columns of a file, and the most bytes of an Excel file once it is unpacked.
MOST_COLUMNS, MOST_UNPACKED = 1_000, 64 * 2**20

#: The policies to choose from, in a sentence each; the first plays prices as price-curve.
POLICIES = {
    "": "Look ahead: try an arm while what may be learned is worth its price.",
    "thompson": "Try arms by chance, each as often as it may be the best.",
    "greedy": "Try each arm once, then always play the best so far.",
}

#: What the form for a new experiment begins with.
BLANK: dict[str, str] = dict.fromkeys(
    "name id arms prices cost tax unit policy greatest zone dates decimal floor value every "
    "events".split(),
    "",
) | {"least": "0", "seed": "0", "meaning": "past", "turns": "90"}

#: What fields are called in forms.
_LABELS = {
    "floor": "Raise small values to",
    "least": "Least reward per visitor",
    "greatest": "Greatest reward per visitor",
    "reward_range": "Least and greatest reward per visitor",
    "values": "traffic",
    "purchases": "Purchases",
    "cost": "Cost of a sold piece",
    "tax": "Tax in the prices",
    "unit": "Money",
}
#: Words of the library, and what they are called in forms.
_WORDS = {
    "dates='dmy'": '"Dates are written: day, month, year"',
    "dates='mdy'": '"Dates are written: month, day, year"',
    "dates='ymd'": '"Dates are written: year, month, day"',
    "decimal='.'": '"Decimal mark: point"',
    "decimal=','": '"Decimal mark: comma"',
    "every='1D'": '"Join rows to: days"',
    "every='1W'": '"Join rows to: weeks"',
    "floor=": '"Raise small values to"',
    "floor must": '"Raise small values to" must',
    "zone=": '"Time zone"',
    " (reward_range)": "",
    "..": " to ",
    "a multiplier must": "visitors must",
    "pass ": "use ",
    "give --arm twice, such as --arm 9.99 --arm 10.99": "write each on a line of its own",
}


class ColumnsError(InvalidError):
    """Several columns of a file could hold the visitors."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        super().__init__("traffic: several columns could hold the visitors: choose one below")
        self.columns = columns


def texts(form: Mapping[str, Any]) -> dict[str, str]:
    """The fields of the form for a new experiment, as they were typed."""
    typed = {name: str(form.get(name, start)).strip() for name, start in BLANK.items()}
    return typed | {"policy": str(form.get("another", "")).strip() or typed["policy"]}


def new_experiment(
    fields: Mapping[str, str], file: str, content: bytes
) -> tuple[ExperimentBody, list[str]]:
    """The experiment that a form describes, with the traffic of an uploaded file, and notes."""
    lines = {name: [*filter(str.strip, fields[name].splitlines())] for name in ("arms", "prices")}
    if bool(lines["arms"]) == bool(lines["prices"]):
        raise InvalidError("say what is decided: prices, or other arms in their place")
    tax = share(fields, "tax")
    if lines["prices"]:
        found = [number({"prices": line}, "prices") for line in lines["prices"]]
        with collected() as near:
            arms = prices_of(found, number(fields, "cost", "0"), tax)
    else:
        arms, near = arms_of(lines["arms"]), []
    G, notes = uploaded_forecast(fields, file, content)
    notes += near
    forecast = TrafficForecast.of(G)
    body = {
        "id": fields["id"] or address(fields["name"]),
        "name": fields["name"],
        "arms": [*map(asdict, arms)],
        "policy": fields["policy"] or None,
        "forecast": forecast.to_dict(),
        "reward_range": None if lines["prices"] else _ends(fields),
        "tax": tax,
        "unit": fields["unit"],
        "seed": whole(fields, "seed", "0"),
    }
    return checked(ExperimentBody, body), notes


def _ends(fields: Mapping[str, str]) -> list[float] | None:
    """The range of rewards that was typed, if one was."""
    ends = [number(fields, name, "0") for name in ("least", "greatest")]
    if (fields.get("greatest") or ends[0]) and not ends[0] < ends[1]:
        raise _refused("greatest", f"more than the least, {ends[0]:g}", fields["greatest"])
    return ends if fields.get("greatest") else None


def check(service: Service, settings: Settings) -> None:
    """Refuse settings with which no experiment can be created."""
    if any(known.id == settings.id for known in service.experiments()):
        found = f"there is an experiment {settings.id!r} already"
        raise ClashError(f"name: {found}: choose another name or id")
    settings.check_new(service.clock())
    LiveExperiment([Entry(1, "", "created", None, settings_body(settings))])


def in_form(reason: Exception | str) -> str:
    """What is wrong, in the words of the forms."""
    return re.sub("|".join(map(re.escape, _WORDS)), lambda word: _WORDS[word[0]], str(reason))


def new_forecast(
    known: TrafficForecast, state: State, fields: Mapping[str, str], file: str, content: bytes
) -> tuple[NewForecastBody, list[str]]:
    """The forecast that replaces what is known, from the traffic of an uploaded file, and notes."""
    traffic, notes = uploaded_forecast(fields, file, content)
    first, values = replacement(known.calendar, state.turns, state.first_open, traffic)
    return checked(NewForecastBody, {"first": first, "values": values}), notes


def uploaded_forecast(
    fields: Mapping[str, str], file: str, content: bytes
) -> tuple[Multiplier, list[str]]:
    """The traffic to come, from a file of past or coming traffic, and what was noticed in it."""
    options: dict[str, Any] = {
        key: fields[key] for key in ("zone", "dates", "decimal", "value", "every") if fields[key]
    }
    if fields["floor"]:
        options["floor"] = number(fields, "floor")
    traffic, seen = _traffic(file, content, options)
    if fields["meaning"] != "past":
        return traffic, seen
    turns, most = whole(fields, "turns"), min(MOST_TURNS, 10 * traffic.turns)
    if not 1 <= turns <= most:
        rows = f"{traffic.turns:,} rows"
        raise InvalidError(f"turns: from 1 to {most:,} can be forecast from {rows}, got {turns:,}")
    with quiet():
        own = _own_days(fields["events"], options.get("dates"))
        if own and traffic.calendar is None:
            raise InvalidError("your own days: the rows of the file have no dates")
        past = set() if traffic.calendar is None else set(traffic.calendar.tolist())
        closed = {day for day, kind in own.items() if kind == "closed" and day not in past}
        events = {day: kind for day, kind in own.items() if day not in closed} or None
        known: Any = Blend(events=events).fit(traffic)
        forecast = known.predict(turns)
        notes = [*forecast.notes, *unusual_days(known.history, turns)[:5]]
    coming = forecast.multiplier()
    if closed:  # an experiment has a turn on every day: nearly nobody is expected on these
        days = coming.calendar.astype("datetime64[D]").tolist()
        shut = np.array([day in closed for day in days])
        few = min(1.0, float(coming.values.min()))
        coming = Multiplier(np.where(shut, few, coming.values), coming.timeline, zone=coming.zone)
        notes += [f"{day:%a} {day.day} {day:%b}: closed, nobody is expected" for day in closed]
    kinds = sorted({kind for kind in own.values() if kind != "closed"})
    return coming, [*seen, *notes, *([f"Your own days: {', '.join(kinds)}"] if kinds else [])]


def _own_days(text: str, dates: Any) -> dict[date, str]:
    """The days that a shop names, one per line: a date, and what kind of day it is."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    pairs = [re.split(r"[\s,;=]+", line, maxsplit=1) for line in lines]
    if wrong := next((line for line, pair in zip(lines, pairs, strict=True) if len(pair) < 2), ""):
        raise InvalidError(f"your own days: expected a date and a kind, got {wrong[:40]!r}")
    try:
        return hs.traffic.own_days(dict(pairs), dates) if pairs else {}
    except ValueError as reason:
        raise InvalidError(f"your own days: {reason}") from reason


def _traffic(file: str, content: bytes, options: Mapping[str, Any]) -> tuple[Multiplier, list[str]]:
    """What is read from an uploaded file, and what was noticed in it."""
    name = re.sub(r"[^\w.-]", "_", Path(file).name)[-100:]
    if not content:
        raise InvalidError("traffic: choose a file with a row per turn, its time and visitors")
    if not name.lower().endswith(ENDINGS):
        raise InvalidError(f"traffic: expected a file ending in {', '.join(ENDINGS)}, got {name!r}")
    _check_size(name, content)
    with tempfile.TemporaryDirectory() as folder, collected() as notes:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            traffic = read(path, **options)
        except ValueError as reason:
            if columns := getattr(reason.__cause__, "columns", ()):
                raise ColumnsError(columns) from reason
            raise InvalidError(f"traffic: {reason}".replace(f"{folder}/", "")) from reason
    return traffic, [in_form(note.replace(f"{folder}/", "")) for note in notes]


def _check_size(name: str, content: bytes) -> None:
    """Refuse what would grow when it is read, judged by its content, whatever it is called."""
    if name.lower().endswith(".xlsx"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as file:
                size = sum(part.file_size for part in file.infolist())
        except zipfile.BadZipFile as reason:
            raise InvalidError(f"traffic: {name} is not an Excel file") from reason
        if size > MOST_UNPACKED:
            raise InvalidError(f"traffic: {name} is too large: save its table as CSV")
        return
    if content.startswith(PACKED):
        raise InvalidError("traffic: expected text, but the file is packed: unpack it first")
    marks = (b",", b";", b"\t", b"|")
    if max(line.count(mark) for line in content.splitlines() for mark in marks) >= MOST_COLUMNS:
        raise InvalidError(f"traffic: expected at most {MOST_COLUMNS:,} columns, got more")


def checked(kind: type[T], body: Mapping[str, Any]) -> T:
    """A body as the API takes it; what is wrong with it in one sentence."""
    try:
        return TypeAdapter(kind).validate_python(body)
    except ValidationError as reason:
        raise InvalidError(in_words(reason.errors(), _LABELS)) from reason


def drafted(kind: type[T], form: Mapping[str, Any]) -> T:
    """The body that a form was shown with, and sends again to make it hold."""
    try:
        return TypeAdapter(kind).validate_json(str(form.get("draft", "")))
    except ValidationError as reason:
        raise InvalidError("the plan is not complete: fill in the form again") from reason


def arm_from(form: Mapping[str, Any]) -> Arm:
    """The arm that a form describes."""
    label = str(form.get("label", "")).strip()
    if "price" in form:
        own = number(form, "cost") if str(form.get("cost", "")).strip() else None
        arm = Arm.priced(number(form, "price"), own)
    else:
        arm = Arm.typed(str(form.get("id", "")))
    body = {"id": arm.id, "label": label or arm.label, "price": arm.price, "cost": arm.cost}
    body["when"] = str(form.get("when", "low"))
    for name in ("start", "end"):
        body[name] = whole(form, name) if str(form.get(name, "")).strip() else None
    return checked(Arm, body)


def outcome_from(form: Mapping[str, Any]) -> Outcome:
    """The reward, or the purchases, that a form reports."""
    brought = "purchases" if "purchases" in form else "reward"
    amounts = {brought: number(form, brought, counts=brought == "purchases")}
    amounts["visitors"] = number(form, "visitors", counts=True)
    return checked(Outcome, {"turn": whole(form, "turn")} | amounts)


def worth_from(form: Mapping[str, Any]) -> WorthBody:
    """What a purchase is worth, or the range of rewards, as a form has it."""
    if "greatest" in form:
        return checked(WorthBody, {"reward_range": _ends(form)})
    costs = {
        key.removeprefix("cost "): number(form, key) for key in form if key.startswith("cost ")
    }
    cost = costs or number(form, "cost")
    return checked(WorthBody, {"cost": cost, "tax": share(form, "tax")})


def share(form: Mapping[str, Any], name: str) -> float:
    """A share that was typed, such as 0.19 or 19%; without one, none."""
    try:
        return read_share(str(form.get(name) or "0"))
    except ValueError:
        raise _refused(name, "a share such as 19%", str(form.get(name))) from None


def whole(form: Mapping[str, Any], name: str, default: str = "") -> int:
    """A whole number that was typed."""
    text = str(form.get(name) or default)
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,15}\s*", text):
        raise _refused(name, "a whole number", text)
    return int(text)


def number(form: Mapping[str, Any], name: str, default: str = "", counts: bool = False) -> float:
    """A number that was typed; one that `counts` something is whole if it may be."""
    text = str(form.get(name) or default)
    try:
        return read_number(text if len(text) <= 40 else "", counts)
    except AmbiguousError as question:
        raise InvalidError(f"{_LABELS.get(name, name)}: {question}") from question
    except ValueError:
        raise _refused(name, "a number such as 1234.5", text) from None


def _refused(name: str, expected: str, text: str) -> InvalidError:
    return InvalidError(f"{_LABELS.get(name, name)}: expected {expected}, got {text[:40]!r}")


def address(name: str) -> str:
    """An id made from a name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:100] or "experiment"
