"""The dashboard: pages for people, on the same service as the API."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import Depends, Query
from starlette.datastructures import UploadFile
from starlette.responses import Response

from highseason.bandit import takings_at
from highseason.core import counted, format_number, percent, raised_as
from highseason.policies import Plan, prices
from highseason.report import timing
from highseason.traffic import Forecast
from highseason_service import charts, demo, forms, routes, web
from highseason_service.errors import InvalidError, NotFoundError, ServiceError
from highseason_service.experiments import Service
from highseason_service.forecast import TrafficForecast
from highseason_service.model import Arm, ExperimentBody, NewForecastBody, Settings, money
from highseason_service.routes import ANSWERS, FileKind, Id
from highseason_service.views import ARMS, ExperimentView, Views
from highseason_service.web import Admin, Anyone, Form, Reader, Visitor, back_to

#: How many experiments are on one page of the list.
PER_PAGE = 100

#: What was done, as the page says it after a form.
DONE = {
    "created": "The experiment is running.",
    "decide": "The turn is decided.",
    "update": "The reward is recorded.",
    "known": "That reward was known already; nothing has changed.",
    "correct": "The reward is corrected.",
    "reforecast": "The forecast is replaced.",
    "add-arm": "The arm is added.",
    "remove-arm": "The arm is removed.",
    "stay": "What happens without rewards is changed.",
    "worth": "What a purchase is worth is changed, and the past learned again.",
    "pause": "The experiment is paused.",
    "resume": "The experiment is running again.",
    "archive": "The experiment is archived.",
}

router = web.router

PageNumber = Annotated[int, Query(ge=1, le=10_000, alias="page")]

#: The pages of an experiment; the first is looked at every day.
TABS = ("today", "season", "arms", "manage")


def _view(who: Visitor, experiment: str) -> ExperimentView:
    views: Views = who.request.app.state.views
    return views.get(experiment)


@router.get("/")
def home(who: Reader, number: PageNumber = 1) -> Response:
    """The list of experiments."""
    service, everything = who.service, who.service.experiments()
    shown = everything[PER_PAGE * (number - 1) : PER_PAGE * number]
    latest = {one.id: next(iter(service.decisions(one.id, limit=1)), None) for one in shown}
    pages = max(1, -(-len(everything) // PER_PAGE))
    context: dict[str, Any] = {"experiments": shown, "latest": latest}
    return who.show("experiments.html.j2", page=number, pages=pages, **context)


def _experiment(
    who: Visitor, experiment: str, tab: str, seen: str = "", status: int = 200, **more: Any
) -> Response:
    """A page of an experiment; nothing if it was seen as it is."""
    view = _view(who, experiment)
    turn, state = view.now, view.state
    now = f"{state.events}.{turn or 0}"
    if seen == now:
        return Response(status_code=204)
    context: dict[str, Any] = {"tab": tab, "tabs": TABS, "seen": now, "view": view, "state": state}
    context |= {"done": "", "error": "", "typed": {}, "form": "", "columns": (), "kept": None}
    if tab == "today":
        two = who.service.decisions(state.id, before=(turn or 0) + 2, limit=2)
        known = {one.turn: one for one in two if one.turn <= view.history.turns}
        context |= {"turn": turn, "now": known.get(turn or 0), "ahead": known.get((turn or 0) + 1)}
    elif tab == "season":
        context["drawn"] = {name: chart.data() for name, chart in view.charts.items()}
    elif tab == "arms":
        number, arm = more.get("page", 1), more.get("removed")
        context |= {"page": number, "pages": max(1, -(-len(state.arms) // ARMS))}
        context["rows"] = view.arm_rows(ARMS * (number - 1))
        removed = (one for one in state.arms if one.id == arm and one.status == "removed")
        context["undo"] = next(removed, None)
    return who.show("experiment.html.j2", status, **context | more)


@router.get("/experiments/{experiment}/tables/{chart}")
def table(who: Reader, experiment: Id, chart: str) -> Response:
    """The numbers of a chart."""
    view = _view(who, experiment)
    shown = view.charts.get(chart)
    if shown is None:
        raise NotFoundError(f"there is no chart {chart!r}")
    part = "table_rows.html.j2" if who.request.headers.get("hx-request") else "table.html.j2"
    return who.show(part, view=view, state=view.state, chart=shown)


@router.get("/experiments/{experiment}/export.{kind}")
def export_turns(who: Reader, experiment: Id, kind: FileKind) -> Response:
    """Turns with rewards as a file: the API's export, for a browser that has signed in."""
    return routes.export_turns(who.service, experiment, kind)


@router.get("/experiments/{experiment}")
@router.get("/experiments/{experiment}/{tab}")
def experiment_page(
    who: Reader,
    experiment: Id,
    tab: str = TABS[0],
    number: PageNumber = 1,
    done: str = "",
    arm: str = "",
    seen: str = "",
) -> Response:
    """A page of an experiment, which says what was `done`, and to which arm."""
    if tab not in TABS:
        raise NotFoundError(f"an experiment has no page {tab!r}")
    removed, said = arm if done == "remove-arm" else "", DONE.get(done, "")
    started, *known = unquote(who.request.cookies.get(web.STARTED, "")).split("\n")
    more: dict[str, Any] = {"removed": removed, "done": said}
    more["notes"] = known if (started, done) == (experiment, "created") else []
    return _experiment(who, experiment, tab, seen, page=number, **more)


#: The scope that each form needs, and the page that it is on.
ACTIONS = {
    "decide": ("decide", "today"),
    "update": ("decide", "today"),
    "correct": ("decide", "manage"),
    "add-arm": ("admin", "arms"),
    "remove-arm": ("admin", "arms"),
    "reforecast": ("admin", "manage"),
    "status": ("admin", "manage"),
    "stay": ("admin", "manage"),
    "worth": ("admin", "manage"),
}


def _done(service: Service, experiment: str, action: str, form: Mapping[str, Any]) -> str:
    """Do what a form asks; gives what was done."""
    match action:
        case "decide":
            service.decide(experiment, forms.whole(form, "turn"))
        case "update":
            outcomes = [forms.outcome_from(form)]
            if not service.update_many(experiment, outcomes, confirm="confirm" in form)["new"]:
                return "known"
        case "correct":
            service.correct(experiment, forms.outcome_from(form), confirm="confirm" in form)
        case "add-arm":
            service.add_arm(experiment, forms.arm_from(form))
        case "remove-arm":
            service.remove_arm(experiment, str(form.get("arm", "")))
        case "reforecast":
            draft = forms.drafted(NewForecastBody, form)
            service.reforecast(experiment, draft.first, draft.values)
        case "worth":
            new = forms.worth_from(form)
            service.change_worth(experiment, new.cost, new.tax, new.reward_range)
        case "stay":
            service.stay_with_leader(experiment, form.get("stay") == "yes")
        case "status":
            action = str(form.get("change", ""))
            if action not in ("pause", "resume", "archive"):
                raise InvalidError(f"expected pause, resume or archive, got {action[:40]!r}")
            if action == "archive" and form.get("sure") != "yes":
                raise InvalidError("archiving cannot be undone: tick the box to confirm it")
            service.change_status(experiment, action)  # type: ignore[arg-type]  # one of the three
    return action


@router.post("/experiments/{experiment}/{action}")
def act(who: Reader, experiment: Id, action: str, form: Form) -> Response:
    """Do what a form asks; the page says how it went, with what was typed still there."""
    if action not in ACTIONS:
        raise NotFoundError(f"there is no form {action!r}")
    scope, tab = ACTIONS[action]
    who.check(scope)
    try:
        done = _done(who.service, experiment, action, form)
    except NotFoundError:
        raise
    except ServiceError as reason:
        return _not_done(who, experiment, tab, form, reason)
    arm = str(form.get("arm", ""))
    return back_to(experiment, done, "" if tab == "today" else tab, arm)


def _not_done(
    who: Visitor, experiment: str, tab: str, form: Form, reason: ServiceError, **more: Any
) -> Response:
    typed = {name: value for name, value in form.items() if isinstance(value, str)}
    more |= {"typed": typed, "form": who.request.url.path.rpartition("/")[2]}
    more["questions"] = getattr(reason, "questions", ())
    error = forms.in_form(reason)
    return _experiment(who, experiment, tab, status=reason.status, error=error, **more)


# -- plans to look at before they hold: of a new experiment, or of a new forecast ----------------

#: Files up to this size are kept in a form that is sent again; notes of this length in a cookie.
KEPT, MOST_NOTED = 2**20, 1_000


async def _upload(form: Form) -> tuple[str, bytes]:
    file = form.get("traffic")
    if isinstance(file, UploadFile) and (content := await file.read()):
        return file.filename or "", content
    with suppress(ValueError):
        kept = base64.b64decode(str(form.get("kept", "")), validate=True)
        return str(form.get("kept_name", "")), kept
    return "", b""


def _again(reason: Exception, file: tuple[str, bytes]) -> dict[str, Any]:
    """What a form shows that is to be sent again: its file, and the columns to choose from."""
    name, content = file
    small = 0 < len(content) <= KEPT
    kept = (name, base64.b64encode(content).decode()) if small else None
    return {"columns": getattr(reason, "columns", ()) if small else (), "kept": kept}


#: The name and the content of the file that came with a form.
Upload = Annotated[tuple[str, bytes], Depends(_upload)]


def _draft_page(
    who: Visitor,
    plan: Plan,
    turns: TrafficForecast,
    history: charts.PlayHistory | None = None,
    past: int = 0,
    **texts: Any,
) -> Response:
    """A plan with its chart, a button that makes it hold, and the other `texts` of its template."""
    chart = charts.traffic(turns, plan, history, past)
    banner = "".join(charts.busy_warning(plan, turns.unit, past))
    shown: dict[str, Any] = {"chart": chart, "drawn": {"traffic": chart.data()}, "banner": banner}
    return who.show("plan.html.j2", **shown, **texts)


@router.get("/new")
def new(who: Admin) -> Response:
    """The form for a new experiment."""
    return _new(who, forms.BLANK)


def _new(who: Visitor, typed: Mapping[str, str], status: int = 200, **more: Any) -> Response:
    context = {"typed": typed, "error": "", "policies": forms.POLICIES, "columns": (), "kept": None}
    return who.show("new.html.j2", status, **context | more)


@router.get("/new/sample.csv")
def sample(who: Admin) -> Response:
    """The visitors of a made-up shop, up to yesterday."""
    days = 2 * demo.TURNS
    start = who.service.clock().date() - timedelta(days)
    counts = demo.expected_traffic(start, days)
    rows = (f"{start + timedelta(n)},{count:.0f}\n" for n, count in enumerate(counts))
    headers = {"content-disposition": 'attachment; filename="visitors.csv"'}
    return Response("day,visitors\n" + "".join(rows), media_type="text/csv", headers=headers)


@router.post("/new/plan")
def new_plan(who: Admin, form: Form, file: Upload) -> Response:
    """The plan of a new experiment, before it starts."""
    typed = forms.texts(form)
    try:
        with raised_as(InvalidError):
            body, notes = forms.new_experiment(typed, *file)
            forms.check(who.service, body.settings())
    except ServiceError as reason:
        return _new(who, typed, reason.status, error=forms.in_form(reason), **_again(reason, file))
    settings = body.settings()
    turns, arms = settings.forecast, [_name(arm, settings.unit) for arm in settings.arms]
    plan, last = turns.plan(settings.playing(), len(arms)), len(turns.values)
    facts = {
        "Prices" if settings.priced else "Arms": str(len(arms)),
        f"{turns.unit.capitalize()}s": f"{last:,}",
    }
    if turns.calendar is not None:
        facts |= {"First": turns.name(1), "Last": turns.name(last)}
        facts["Time zone"] = turns.calendar.zone or "UTC"
    G, today = turns.multiplier, who.service.clock().astimezone(turns.zone).date()
    past = Forecast(G.values, calendar=G.calendar).past(today)
    more = f" and {len(arms) - 20} more" if len(arms) > 20 else ""
    return _draft_page(
        who,
        plan,
        turns,
        title=f"The plan of {settings.name}",
        lead="Step 2 of 2: look at it. Nothing has started yet.",
        facts=facts,
        words=(
            _when(plan, turns),
            f"{'Prices' if settings.priced else 'Arms'}: {', '.join(arms[:20])}{more}.",
            *_worth(settings),
            f"Policy: {settings.policy}.",
            *(f"{note}." for note in notes),
            *([f"The forecast {past}."] if past else ()),
        ),
        draft=body.model_dump_json(),
        notes=notes,
        send=("/new", "Start the experiment"),
        back=("/new", "Start over"),
    )


def _name(arm: Arm, unit: str) -> str:
    """An arm as people read it."""
    return arm.label or arm.id if arm.price is None else money(arm.price, unit, exactly=True)


def _worth(settings: Settings) -> Iterator[str]:
    """What a purchase is worth, in words; of arms that look like prices, that they do."""
    if settings.priced:
        cost = ", ".join(sorted({money(a.cost or 0.0, settings.unit, True) for a in settings.arms}))
        tax = f", and the prices hold {percent(settings.tax)} tax" if settings.tax else ""
        yield f"A sold piece costs {cost}{tax}: profit counts."
    elif takings_at(arm.id for arm in settings.arms) is not None:
        yield (
            "These arms look like prices. Entered as prices, profit counts instead of rewards, and "
            "one price tells of the others: start over to do so."
        )


def _when(plan: Plan, turns: TrafficForecast) -> str:
    """When a plan explores, in the words of someone with a shop."""
    if prices(plan) is not None:
        return f"It {timing(plan).sentence()}"
    busy = plan.multiplier.values >= plan.busy_from
    parts = []
    for kind, chosen in (("quiet", ~busy), ("busy", busy)):
        tries = int((plan.exploration[chosen] > 0.5).sum())
        parts.append(f"on {tries:,} of {counted(int(chosen.sum()), f'{kind} {turns.unit}')}")
    return f"It mostly tries arms {parts[0]}, and {parts[1]}."


@router.post("/new")
def create(who: Admin, form: Form) -> Response:
    """Start a new experiment."""
    body = forms.drafted(ExperimentBody, form)
    who.service.create(body.settings())
    response = back_to(body.id, "created")
    notes = [body.id, *str(form.get("notes", ""))[:MOST_NOTED].splitlines()]
    web.set_cookie(response, who.request, web.STARTED, quote("\n".join(notes)))
    return response


@router.post("/experiments/{experiment}/reforecast/plan")
def forecast_plan(who: Admin, experiment: Id, form: Form, file: Upload) -> Response:
    """The plan with a new forecast, before it holds."""
    view = _view(who, experiment)
    try:
        with raised_as(InvalidError):
            new, notes = forms.new_forecast(view.turns, view.state, forms.texts(form), *file)
            forecast = view.turns.replaced(new.first, new.values, view.history.turns)
            plan = forecast.plan(view.policy, view.plan.arms)
    except ServiceError as reason:
        return _not_done(who, experiment, "manage", form, reason, **_again(reason, file))
    address = f"/experiments/{quote(experiment)}"
    first, last = forecast.name(new.first), forecast.name(len(forecast.values))
    return _draft_page(
        who,
        plan,
        forecast,
        view.history,
        view.planned_from,
        title=f"The new plan of {view.state.name}",
        lead="Look at it. Nothing has changed yet.",
        facts={"From": first, "To": last, "Forecast version": view.state.forecast_version + 1},
        words=(
            _comparison(view, new.first, new.values),
            "Decided turns keep their arms.",
            *(f"{note}." for note in notes),
        ),
        draft=new.model_dump_json(),
        send=(f"{address}/reforecast", "Replace the forecast"),
        back=(address, "Keep the old one"),
    )


def _comparison(view: ExperimentView, first: int, values: Sequence[float]) -> str:
    """How many visitors a new forecast expects, beside the old one, in the turns of both."""
    old = view.turns.values[first - 1 :]
    both = min(len(old), len(values))
    days = counted(len(values), view.turns.unit)
    if not both:
        return f"The forecast grows by {days}."
    expected, before = (format_number(sum(part[:both])) for part in (values, old))
    shared = "" if both == len(values) else f", for the first {both:,} of them"
    return f"New forecast for {days}{shared}: {expected} visitors in total, instead of {before}."


# -- the page of the API --------------------------------------------------------------------------

#: What is asked in the examples, and what is answered; by the method and the path.
EXAMPLES = Path(__file__).with_name("templates") / "examples.json"


@router.get("/docs")
def description(who: Anyone) -> Response:
    """What there is to ask."""
    schema, said = who.request.app.openapi(), json.loads(EXAMPLES.read_text("utf-8"))
    groups: dict[str, list[dict[str, Any]]] = {"experiments": []}  # what comes first
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            scope = next(iter(operation.get("security", [{}])[0]), "")
            about = {"name": name, "scope": scope, "example": said.get(name, {})}
            groups.setdefault(operation["tags"][0], []).append(operation | about)
    answers = {code: one["description"] for code, one in ANSWERS.items()}
    base = str(who.request.base_url).rstrip("/")
    return who.show("docs.html.j2", schema=schema, groups=groups, answers=answers, base=base)
