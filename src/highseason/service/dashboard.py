"""The dashboard: pages for people, on the same service as the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from highseason.service import forms, new_experiments, routes, sign_in
from highseason.service.errors import InvalidError, NotFoundError, ServiceError
from highseason.service.experiments import Service
from highseason.service.routes import Id, One
from highseason.service.sessions import Visitor
from highseason.service.views import ARMS, ExperimentView, Views
from highseason.service.web import Admin, Decider, Form, Reader, back_to, page_router, reads, show

#: How many experiments, and how many arms, are on one page of a list.
PER_PAGE = 100

#: What was done, as the page says it after a form.
DONE = {
    "created": "The experiment is running.",
    "decided": "The turn is decided.",
    "rewarded": "The reward is recorded.",
    "known": "That reward was recorded before; nothing has changed.",
    "added": "The arm is added.",
    "retired": "The arm is retired.",
    "pause": "The experiment is paused.",
    "resume": "The experiment is running again.",
    "archive": "The experiment is archived.",
}

router = page_router()
router.include_router(new_experiments.router)
router.include_router(sign_in.router)

PageNumber = Annotated[int, Query(ge=1, le=10_000, alias="page")]


def _view(request: Request, experiment: str) -> ExperimentView:
    views: Views = request.app.state.views
    return views.get(experiment)


# -- looking --------------------------------------------------------------------------------------


@router.get("/")
def home(request: Request, service: One, who: Reader, number: PageNumber = 1) -> Response:
    """The list of experiments."""
    everything = service.experiments()
    shown = everything[PER_PAGE * (number - 1) : PER_PAGE * number]
    latest = {one.id: next(iter(service.decisions(one.id, limit=1)), None) for one in shown}
    pages = max(1, -(-len(everything) // PER_PAGE))
    context: dict[str, Any] = {
        "experiments": shown,
        "latest": latest,
        "page": number,
        "pages": pages,
    }
    return show(request, who, "experiments.html.j2", **context)


@router.get("/experiments/{experiment}")
def experiment_page(
    request: Request, service: One, who: Reader, experiment: Id, done: str = ""
) -> Response:
    """An experiment."""
    return _experiment(request, service, who, experiment, done=DONE.get(done, ""))


def _experiment(
    request: Request,
    service: Service,
    who: Visitor,
    experiment: str,
    status: int = 200,
    **more: Any,
) -> Response:
    view = _view(request, experiment)
    context = {"done": "", "error": "", "typed": {}} | _live(service, view) | more
    return show(request, who, "experiment.html.j2", status, **context)


def _live(service: Service, view: ExperimentView) -> dict[str, Any]:
    """What changes while the experiment goes on."""
    turn = view.now(service.clock())
    decided = None
    if turn is not None and turn <= view.history.turns and view.history.arm[turn - 1] >= 0:
        decided = view.explain(service.decision(view.state.id, turn))
    drawn = {name: chart.data() for name, chart in view.charts.items()}
    return {
        "view": view,
        "state": view.state,
        "turn": turn,
        "now": decided,
        "drawn": drawn,
        "most_arms": ARMS,
    }


@router.get("/experiments/{experiment}/live")
def live(
    request: Request,
    service: One,
    who: Reader,
    experiment: Id,
    seq: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """The part of an experiment's page that changes; nothing if it has not."""
    view = _view(request, experiment)
    if view.state.events == seq:
        return Response(status_code=204)
    return show(request, who, "live.html.j2", **_live(service, view))


@router.get("/experiments/{experiment}/tables/{chart}")
def table(request: Request, who: Reader, experiment: Id, chart: str) -> Response:
    """The numbers of a chart."""
    view = _view(request, experiment)
    shown = view.charts.get(chart)
    if shown is None:
        raise NotFoundError(f"there is no chart {chart!r}")
    part = "table_rows.html.j2" if request.headers.get("hx-request") else "table.html.j2"
    return show(request, who, part, view=view, state=view.state, chart=shown)


@router.get("/experiments/{experiment}/arms")
def arms(request: Request, who: Reader, experiment: Id, number: PageNumber = 1) -> Response:
    """All arms."""
    view = _view(request, experiment)
    rows = view.arm_rows(PER_PAGE * (number - 1), PER_PAGE)
    pages = max(1, -(-len(view.state.arms) // PER_PAGE))
    context: dict[str, Any] = {
        "state": view.state,
        "rows": rows,
        "page": number,
        "pages": pages,
        "view": view,
    }
    return show(request, who, "arms.html.j2", **context)


@router.get("/experiments/{experiment}/export.csv", dependencies=[reads])
def export_csv(service: One, experiment: Id) -> Response:
    """Turns with rewards as CSV: the API's export, for a browser that has signed in."""
    return routes.export_csv(service, experiment)


@router.get("/experiments/{experiment}/export.parquet", dependencies=[reads])
def export_parquet(service: One, experiment: Id) -> Response:
    """Turns with rewards as an event table."""
    return routes.export_parquet(service, experiment)


# -- forms of a running experiment ----------------------------------------------------------------


def _attempt(
    request: Request,
    service: Service,
    who: Visitor,
    experiment: str,
    form: Mapping[str, Any],
    work: Callable[[], str],
) -> Response:
    """Do what a form asks; the page says how it went, with what was typed still there."""
    try:
        return back_to(experiment, work())
    except NotFoundError:
        raise
    except ServiceError as reason:
        typed = {name: value for name, value in form.items() if isinstance(value, str)}
        said = {"error": str(reason), "typed": typed}
        return _experiment(request, service, who, experiment, reason.status, **said)


@router.post("/experiments/{experiment}/decide")
def decide(request: Request, service: One, who: Decider, experiment: Id, form: Form) -> Response:
    """Decide a turn."""

    def work() -> str:
        service.decide(experiment, forms.whole("turn", str(form.get("turn", ""))))
        return "decided"

    return _attempt(request, service, who, experiment, form, work)


@router.post("/experiments/{experiment}/rewards")
def reward(request: Request, service: One, who: Decider, experiment: Id, form: Form) -> Response:
    """Record a reward."""

    def work() -> str:
        body = forms.outcome_from(form)
        return (
            "rewarded" if service.report(experiment, [body.outcome(body.turn)])["new"] else "known"
        )

    return _attempt(request, service, who, experiment, form, work)


@router.post("/experiments/{experiment}/arms")
def add_arm(request: Request, service: One, who: Admin, experiment: Id, form: Form) -> Response:
    """Add an arm."""

    def work() -> str:
        service.add_arm(experiment, forms.arm_from(form).arm())
        return "added"

    return _attempt(request, service, who, experiment, form, work)


@router.post("/experiments/{experiment}/retire")
def retire_arm(request: Request, service: One, who: Admin, experiment: Id, form: Form) -> Response:
    """Retire an arm."""

    def work() -> str:
        service.retire_arm(experiment, str(form.get("arm", "")))
        return "retired"

    return _attempt(request, service, who, experiment, form, work)


@router.post("/experiments/{experiment}/status")
def change_status(
    request: Request, service: One, who: Admin, experiment: Id, form: Form
) -> Response:
    """Pause, resume or archive."""

    def work() -> str:
        change = str(form.get("change", ""))
        if change not in ("pause", "resume", "archive"):
            raise InvalidError(f"pause, resume or archive is expected, got {change[:40]!r}")
        if change == "archive" and form.get("sure") != "yes":
            raise InvalidError("archiving is for good: tick the box to confirm it")
        service.change_status(experiment, change)  # type: ignore[arg-type]  # one of the three
        return change

    return _attempt(request, service, who, experiment, form, work)
