"""The dashboard: pages for people, on the same service as the API."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import Response

from highseason.core import counted, format_number
from highseason_service import drafts, forms, routes, web
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

#: The pages of an experiment; the first is looked at every day.
TABS = ("today", "season", "arms", "manage")


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
        decided = service.decision(state.id, turn or 0) if is_decided else None
        context |= {"turn": turn, "now": decided}
    elif tab == "season":
        context["drawn"] = {name: chart.data() for name, chart in view.charts.items()}
    elif tab == "arms":
        number, arm = more.get("page", 1), more.get("removed")
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


@router.get("/experiments/{experiment}")
@router.get("/experiments/{experiment}/{tab}")
def experiment_page(
    request: Request,
    service: One,
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
    removed, said = arm if done == "removed" else "", DONE.get(done, "")
    more: dict[str, Any] = {"page": number, "removed": removed, "done": said}
    return _experiment(request, service, who, experiment, tab, seen, **more)


Fields: TypeAlias = Mapping[str, Any]


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
}


def _done(service: Service, experiment: str, action: str, form: Fields) -> str:
    """Do what a form asks; gives what was done."""
    match action:
        case "decide":
            service.decide(experiment, forms.whole("turn", str(form.get("turn", ""))))
            return "decided"
        case "update":
            new = service.update_many(experiment, [forms.outcome_from(form)])["new"]
            return "rewarded" if new else "known"
        case "correct":
            service.correct(experiment, forms.outcome_from(form))
            return "corrected"
        case "add-arm":
            service.add_arm(experiment, forms.arm_from(form))
            return "added"
        case "remove-arm":
            service.remove_arm(experiment, str(form.get("arm", "")))
            return "removed"
        case "reforecast":
            draft = forms.drafted(NewForecastBody, form)
            service.reforecast(experiment, draft.first, draft.values)
            return "reforecast"
        case "stay":
            service.stay_with_leader(experiment, form.get("stay") == "yes")
            return "stay"
    change = str(form.get("change", ""))
    if change not in ("pause", "resume", "archive"):
        raise InvalidError(f"expected pause, resume or archive, got {change[:40]!r}")
    if change == "archive" and form.get("sure") != "yes":
        raise InvalidError("archiving cannot be undone: tick the box to confirm it")
    service.change_status(experiment, change)  # type: ignore[arg-type]  # one of the three
    return change


@router.post("/experiments/{experiment}/{action}")
def act(request: Request, service: One, experiment: Id, action: str, form: Form) -> Response:
    """Do what a form asks; the page says how it went, with what was typed still there."""
    if action not in ACTIONS:
        raise NotFoundError(f"there is no form {action!r}")
    scope, tab = ACTIONS[action]
    who = web.require(request, scope)
    try:
        done = _done(service, experiment, action, form)
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
        new, notes = forms.new_forecast(view.turns, view.state, forms.texts(form), *file)
        forecast = view.turns.replaced(new.first, new.values)
        plan = planned(view.policy, forecast, view.plan.arms)
    except (ServiceError, ValueError) as reason:
        wrong = reason if isinstance(reason, ServiceError) else InvalidError(str(reason))
        again = drafts.again(wrong, file)
        return _not_done(request, service, who, experiment, "manage", form, wrong, **again)
    address = f"/experiments/{quote(experiment)}"
    first, last = forecast.name(new.first), forecast.name(len(forecast.values))
    return draft_page(
        request,
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
