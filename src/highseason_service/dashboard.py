"""The dashboard: pages for people, on the same service as the API."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote

from fastapi import Query, Request
from pydantic import ValidationError
from starlette.responses import Response

from highseason.core import counted, format_number
from highseason_service import drafts, forms, routes, web
from highseason_service.calendars import TurnNames
from highseason_service.drafts import Upload, draft_page
from highseason_service.errors import InvalidError, NotFoundError, ServiceError
from highseason_service.experiments import Service
from highseason_service.routes import FileKind, Id, One
from highseason_service.schemas import NewForecastBody
from highseason_service.views import ARMS, ExperimentView, Views, planned
from highseason_service.web import Admin, Form, Reader, Visitor, back_to, page_router, reads, show

#: How many experiments are on one page of the list.
PER_PAGE = 100

#: What was done, as the page says it after a form.
DONE = {
    "created": "The experiment is running.",
    "decided": "The turn is decided.",
    "rewarded": "The reward is recorded.",
    "known": "That reward was recorded before; nothing has changed.",
    "corrected": "The reward is corrected.",
    "reforecast": "The forecast is replaced.",
    "added": "The arm is added.",
    "removed": "The arm is removed.",
    "stay": "What happens without rewards is changed.",
    "pause": "The experiment is paused.",
    "resume": "The experiment is running again.",
    "archive": "The experiment is archived.",
}

router = page_router()
router.include_router(drafts.router)
router.include_router(web.router)

PageNumber = Annotated[int, Query(ge=1, le=10_000, alias="page")]


def _view(request: Request, experiment: str) -> ExperimentView:
    views: Views = request.app.state.views
    return views.get(experiment)


@router.get("/")
def home(request: Request, service: One, who: Reader, number: PageNumber = 1) -> Response:
    """The list of experiments."""
    everything = service.experiments()
    shown = everything[PER_PAGE * (number - 1) : PER_PAGE * number]
    latest = {one.id: next(iter(service.decisions(one.id, limit=1)), None) for one in shown}
    pages = max(1, -(-len(everything) // PER_PAGE))
    context: dict[str, Any] = {"experiments": shown, "latest": latest}
    return show(request, who, "experiments.html.j2", page=number, pages=pages, **context)


@router.get("/experiments/{experiment}")
def today_page(
    request: Request, service: One, who: Reader, experiment: Id, done: str = "", seen: str = ""
) -> Response:
    """What to play now, what to enter, what was decided last and what comes."""
    return _experiment(request, service, who, experiment, "today", seen, done=DONE.get(done, ""))


@router.get("/experiments/{experiment}/season")
def season_page(
    request: Request, service: One, who: Reader, experiment: Id, seen: str = ""
) -> Response:
    """The charts."""
    return _experiment(request, service, who, experiment, "season", seen)


@router.get("/experiments/{experiment}/arms")
def arms_page(
    request: Request,
    service: One,
    who: Reader,
    experiment: Id,
    number: PageNumber = 1,
    done: str = "",
    arm: str = "",
) -> Response:
    """All arms."""
    removed = arm if done == "removed" else ""
    said = DONE.get(done, "")
    return _experiment(
        request, service, who, experiment, "arms", done=said, arm=removed, page=number
    )


@router.get("/experiments/{experiment}/manage")
def manage_page(
    request: Request, service: One, who: Reader, experiment: Id, done: str = ""
) -> Response:
    """What is seldom changed."""
    return _experiment(request, service, who, experiment, "manage", done=DONE.get(done, ""))


#: The pages of an experiment; the first is looked at every day.
TABS = ("today", "season", "arms", "manage")


def _experiment(
    request: Request,
    service: Service,
    who: Visitor,
    experiment: str,
    tab: str,
    seen: str = "",
    status: int = 200,
    **more: Any,
) -> Response:
    """A page of an experiment; nothing if it was seen as it is."""
    view = _view(request, experiment)
    turn, state = view.now, view.state
    now = f"{state.events}.{turn or 0}"
    if seen == now:
        return Response(status_code=204)
    context: dict[str, Any] = {"tab": tab, "tabs": TABS, "seen": now, "view": view, "state": state}
    context |= {"done": "", "error": "", "typed": {}, "form": "", "columns": (), "kept": None}
    if tab == "today":
        is_decided = turn is not None and view.history.is_decided(turn)
        decided = view.explain(service.decision(state.id, turn or 0)) if is_decided else None
        context |= {"turn": turn, "now": decided}
    elif tab == "season":
        context["drawn"] = {name: chart.data() for name, chart in view.charts.items()}
    elif tab == "arms":
        number, arm = more.pop("page", 1), more.pop("arm", "")
        context |= {"page": number, "pages": max(1, -(-len(state.arms) // ARMS))}
        context["rows"] = view.arm_rows(ARMS * (number - 1))
        removed = (one for one in state.arms if one.id == arm and one.status == "removed")
        context["undo"] = next(removed, None)
    return show(request, who, "experiment.html.j2", status, **context | more)


@router.get("/experiments/{experiment}/tables/{chart}")
def table(request: Request, who: Reader, experiment: Id, chart: str) -> Response:
    """The numbers of a chart."""
    view = _view(request, experiment)
    shown = view.charts.get(chart)
    if shown is None:
        raise NotFoundError(f"there is no chart {chart!r}")
    part = "table_rows.html.j2" if request.headers.get("hx-request") else "table.html.j2"
    return show(request, who, part, view=view, state=view.state, chart=shown)


@router.get("/experiments/{experiment}/export.{kind}", dependencies=[reads])
def export_turns(service: One, experiment: Id, kind: FileKind) -> Response:
    """Turns with rewards as a file: the API's export, for a browser that has signed in."""
    return routes.export_turns(service, experiment, kind)


Fields: TypeAlias = Mapping[str, Any]


def _decide(service: Service, experiment: str, form: Fields) -> str:
    service.decide(experiment, forms.whole("turn", str(form.get("turn", ""))))
    return "decided"


def _update(service: Service, experiment: str, form: Fields) -> str:
    new = service.update_many(experiment, [forms.outcome_from(form)])["new"]
    return "rewarded" if new else "known"


def _correct(service: Service, experiment: str, form: Fields) -> str:
    service.correct(experiment, forms.outcome_from(form))
    return "corrected"


def _add_arm(service: Service, experiment: str, form: Fields) -> str:
    service.add_arm(experiment, forms.arm_from(form))
    return "added"


def _remove_arm(service: Service, experiment: str, form: Fields) -> str:
    service.remove_arm(experiment, str(form.get("arm", "")))
    return "removed"


def _reforecast(service: Service, experiment: str, form: Fields) -> str:
    try:
        body = NewForecastBody.model_validate_json(str(form.get("draft", "")))
    except ValidationError as reason:
        raise InvalidError("the plan is not complete: upload the file again") from reason
    service.reforecast(experiment, body.first, body.values)
    return "reforecast"


def _change_status(service: Service, experiment: str, form: Fields) -> str:
    change = str(form.get("change", ""))
    if change not in ("pause", "resume", "archive"):
        raise InvalidError(f"expected pause, resume or archive, got {change[:40]!r}")
    if change == "archive" and form.get("sure") != "yes":
        raise InvalidError("archiving cannot be undone: tick the box to confirm it")
    service.change_status(experiment, change)  # type: ignore[arg-type]  # one of the three
    return change


def _stay(service: Service, experiment: str, form: Fields) -> str:
    service.stay_with_leader(experiment, form.get("stay") == "yes")
    return "stay"


#: What each form needs, what it does (that gives what was done), and the page that it is on.
ACTIONS: dict[str, tuple[str, Callable[[Service, str, Fields], str], str]] = {
    "decide": ("decide", _decide, "today"),
    "update": ("decide", _update, "today"),
    "correct": ("decide", _correct, "manage"),
    "add-arm": ("admin", _add_arm, "arms"),
    "remove-arm": ("admin", _remove_arm, "arms"),
    "reforecast": ("admin", _reforecast, "manage"),
    "status": ("admin", _change_status, "manage"),
    "stay": ("admin", _stay, "manage"),
}


@router.post("/experiments/{experiment}/{action}")
def act(request: Request, service: One, experiment: Id, action: str, form: Form) -> Response:
    """Do what a form asks; the page says how it went, with what was typed still there."""
    if action not in ACTIONS:
        raise NotFoundError(f"there is no form {action!r}")
    scope, work, tab = ACTIONS[action]
    who = web.require(request, scope)
    try:
        done = work(service, experiment, form)
    except NotFoundError:
        raise
    except ServiceError as reason:
        return _not_done(request, service, who, experiment, tab, form, reason)
    arm = str(form.get("arm", ""))
    return back_to(experiment, done, "" if tab == "today" else tab, arm)


def _not_done(
    request: Request,
    service: Service,
    who: Visitor,
    experiment: str,
    tab: str,
    form: Fields,
    reason: ServiceError,
    **more: Any,
) -> Response:
    typed = {name: value for name, value in form.items() if isinstance(value, str)}
    more |= {"error": str(reason), "typed": typed, "form": request.url.path.rpartition("/")[2]}
    return _experiment(request, service, who, experiment, tab, status=reason.status, **more)


@router.post("/experiments/{experiment}/reforecast/plan")
def forecast_plan(
    request: Request, service: One, who: Admin, experiment: Id, form: Form, file: Upload
) -> Response:
    """The plan with a new forecast, before it holds."""
    view = _view(request, experiment)
    try:
        new = forms.new_forecast(view.turns.forecast, view.state, forms.texts(form), *file)
        forecast = view.turns.forecast.replaced(new.first, new.values)
        plan = planned(view.facts.policy, forecast, view.plan.arms)
    except (ServiceError, ValueError) as reason:
        wrong = reason if isinstance(reason, ServiceError) else InvalidError(str(reason))
        again = drafts.again(wrong, file)
        return _not_done(request, service, who, experiment, "manage", form, wrong, **again)
    turns, address = TurnNames(forecast), f"/experiments/{quote(experiment)}"
    first, last = turns.name(new.first), turns.name(len(forecast.values))
    return draft_page(
        request,
        who,
        plan,
        turns,
        view.history,
        view.planned_from,
        title=f"The new plan of {view.state.name}",
        lead="Look at it. Nothing has changed yet.",
        facts={"From": first, "To": last, "Forecast version": view.state.forecast_version + 1},
        words=(_comparison(view, new.first, new.values), "Decided turns keep their arms."),
        draft=new.model_dump_json(),
        send=(f"{address}/reforecast", "Replace the forecast"),
        back=(address, "Keep the old one"),
    )


def _comparison(view: ExperimentView, first: int, values: Sequence[float]) -> str:
    """How many visitors a new forecast expects, beside the old one, in the turns of both."""
    old = view.turns.forecast.values[first - 1 :]
    both = min(len(old), len(values))
    days = counted(len(values), view.turns.unit)
    if not both:
        return f"The forecast grows by {days}."
    expected, before = (format_number(sum(part[:both])) for part in (values, old))
    shared = "" if both == len(values) else f", for the first {both:,} of them"
    return f"New forecast for {days}{shared}: {expected} visitors in total, instead of {before}."
