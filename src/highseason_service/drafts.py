"""Plans to look at before they hold: that of a new experiment, or of a new forecast."""

import base64
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from highseason.core import counted
from highseason.policies import Plan, prices
from highseason.report import timing
from highseason.traffic import Forecast
from highseason_service import charts, forms
from highseason_service.demo import TURNS, expected_traffic
from highseason_service.errors import ServiceError
from highseason_service.forecast import TrafficForecast
from highseason_service.history import PlayHistory
from highseason_service.routes import One
from highseason_service.schemas import ExperimentBody
from highseason_service.views import planned
from highseason_service.web import Admin, Form, Visitor, back_to, page_router, show

router = page_router()


#: Files up to this size are kept in a form that is sent again.
KEPT = 2**20


async def _upload(form: Form) -> tuple[str, bytes]:
    file = form.get("traffic")
    if isinstance(file, UploadFile) and (content := await file.read()):
        return file.filename or "", content
    with suppress(ValueError):
        kept = base64.b64decode(str(form.get("kept", "")), validate=True)
        return str(form.get("kept_name", "")), kept
    return "", b""


def again(reason: Exception, file: tuple[str, bytes]) -> dict[str, Any]:
    """What a form shows that is to be sent again: its file, and the columns to choose from."""
    name, content = file
    small = 0 < len(content) <= KEPT
    kept = (name, base64.b64encode(content).decode()) if small else None
    return {"columns": getattr(reason, "columns", ()) if small else (), "kept": kept}


#: The name and the content of the file that came with a form.
Upload = Annotated[tuple[str, bytes], Depends(_upload)]


def draft_page(
    request: Request,
    who: Visitor,
    plan: Plan,
    turns: TrafficForecast,
    history: PlayHistory | None = None,
    past: int = 0,
    **texts: Any,
) -> Response:
    """A plan with its chart, and a button that makes it hold.

    `texts` are the title, a lead, facts by their names, sentences (`words`), the `draft` that the
    button sends, where it goes and what it says (`send`), and the same of the way `back`.
    """
    chart = charts.traffic(turns, plan, history, past)
    banner = "".join(charts.busy_warning(plan, turns.unit, past))
    shown: dict[str, Any] = {"chart": chart, "drawn": {"traffic": chart.data()}, "banner": banner}
    return show(request, who, "plan.html.j2", **shown, **texts)


@router.get("/new")
def new(request: Request, who: Admin) -> Response:
    """The form for a new experiment."""
    return _new(request, who, forms.BLANK)


def _new(
    request: Request, who: Visitor, typed: Mapping[str, str], status: int = 200, **more: Any
) -> Response:
    context = {"typed": typed, "error": "", "policies": forms.POLICIES, "columns": (), "kept": None}
    return show(request, who, "new.html.j2", status, **context | more)


@router.get("/new/sample.csv")
def sample(service: One, who: Admin) -> Response:
    """The visitors of a made-up shop, up to yesterday."""
    days = 2 * TURNS
    start = service.clock().date() - timedelta(days)
    counts = expected_traffic(start, days)
    rows = (f"{start + timedelta(n)},{count:.0f}\n" for n, count in enumerate(counts))
    headers = {"content-disposition": 'attachment; filename="visitors.csv"'}
    return Response("day,visitors\n" + "".join(rows), media_type="text/csv", headers=headers)


@router.post("/new/plan")
def new_plan(request: Request, service: One, who: Admin, form: Form, file: Upload) -> Response:
    """The plan of a new experiment, before it starts."""
    typed = forms.texts(form)
    try:
        body, notes = forms.new_experiment(typed, *file)
        forms.check(service, body.settings())
    except (ServiceError, ValueError) as reason:
        status = reason.status if isinstance(reason, ServiceError) else 422
        return _new(request, who, typed, status, error=str(reason), **again(reason, file))
    settings = body.settings()
    plan = planned(settings.playing(), settings.forecast, len(settings.arms))
    turns, last = settings.forecast, len(settings.forecast.values)
    facts = {"Arms": str(len(settings.arms)), f"{turns.unit.capitalize()}s": f"{last:,}"}
    if settings.forecast.calendar is not None:
        facts |= {"First": turns.name(1), "Last": turns.name(last)}
        facts["Time zone"] = settings.forecast.calendar.zone or "UTC"
    G, today = settings.forecast.multiplier, service.clock().date()
    past = Forecast(G.values, calendar=G.calendar).past(today)
    arms = [arm.label or arm.id for arm in settings.arms]
    more = f" and {len(arms) - 20} more" if len(arms) > 20 else ""
    return draft_page(
        request,
        who,
        plan,
        turns,
        title=f"The plan of {settings.name}",
        lead="Step 2 of 2: look at it. Nothing has started yet.",
        facts=facts,
        words=(
            _when(plan, turns),
            f"Arms: {', '.join(arms[:20])}{more}.",
            f"Policy: {settings.policy}.",
            *(f"{note}." for note in notes),
            *([f"The forecast {past}."] if past else ()),
        ),
        draft=body.model_dump_json(),
        send=("/new", "Start the experiment"),
        back=("/new", "Start over"),
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
def create(service: One, who: Admin, form: Form) -> Response:
    """Start a new experiment."""
    body = forms.drafted(ExperimentBody, form)
    service.create(body.settings())
    return back_to(body.id, "created")
