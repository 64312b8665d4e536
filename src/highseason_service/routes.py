"""The HTTP API, version 1."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import BaseModel

from highseason_service import export
from highseason_service.experiments import Service, StatusChange
from highseason_service.model import (
    MOST_PLANNED,
    MOST_TURNS,
    Arm,
    DecideBody,
    DecisionRecord,
    ExperimentBody,
    Key,
    NewArm,
    NewForecastBody,
    OutcomeBody,
    PlannedTurn,
    RewardsBody,
    State,
    StayBody,
    Summary,
    WorthBody,
)
from highseason_service.security import SCOPES, Tokens


class Problem(BaseModel):
    """Why a request was refused; what looks wrong ("unconfirmed") needs "confirm": true."""

    detail: str
    code: Literal["unconfirmed"] | None = None
    questions: list[str] = []


#: What every request may be answered with.
ANSWERS: dict[int | str, dict[str, Any]] = {
    401: {"model": Problem, "description": "No valid token."},
    403: {"model": Problem, "description": "The token lacks the scope."},
    404: {"model": Problem, "description": "Not found."},
    409: {"model": Problem, "description": "In conflict with what is recorded."},
    413: {"model": Problem, "description": "The body is too large."},
    422: {"model": Problem, "description": "The request is invalid."},
    503: {"model": Problem, "description": "The database is unavailable; try again."},
}


class Needs(HTTPBearer):
    """Gives the service, where tokens are needed only to those with a token of a scope."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            scheme_name=scope,
            auto_error=False,
            description=f"A token of `highseason token create` with the scope {scope} or more.",
        )
        self.scope = scope

    async def __call__(self, request: Request) -> Service:  # type: ignore[override]  # no header
        """Check one request."""
        tokens: Tokens = request.app.state.tokens
        if tokens.is_stale:
            await run_in_threadpool(tokens.scopes)
        key = request.headers.get("x-api-key")  # as OpenFeature's clients may send it
        bearer = request.headers.get("authorization") or (None if key is None else f"Bearer {key}")
        tokens.check(bearer, self.scope)
        return request.app.state.service  # type: ignore[no-any-return]  # as `create_app` sets it


class CheckedRoute(APIRoute):
    """Checks the token before the body is read: FastAPI does it afterwards."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers requests."""
        handle = super().get_route_handler()
        needs = [d.call for d in self.dependant.dependencies if isinstance(d.call, Needs)]

        async def checked(request: Request) -> Response:
            for check in needs:
                await check(request)
            return await handle(request)

        return checked


READ, DECIDE, ADMIN = (Depends(Needs(scope)) for scope in SCOPES)

ToRead = Annotated[Service, READ]
ToDecide = Annotated[Service, DECIDE]
ToRun = Annotated[Service, ADMIN]
Id = Annotated[str, Path(min_length=1, max_length=100, description="The experiment's id.")]
TurnPath = Annotated[int, Path(ge=1, le=MOST_TURNS, description="The turn, from 1.")]
ArmPath = Annotated[str, Path(min_length=1, max_length=100, description="The arm's id.")]
FileKind = Annotated[Literal["csv", "parquet"], Path(description="The kind of file.")]
KeyHeader = Annotated[
    Key | None,
    Header(
        alias="Idempotency-Key",
        description="Sent again with the same body, the answer is the same; with another, 409.",
    ),
]

#: How many turns after the one that is now, or after the last decided one, may be decided.
AHEAD = 31

# What is asked most comes first: FastAPI tries one route after the other.
router = APIRouter(prefix="/v1/experiments", responses=ANSWERS, route_class=CheckedRoute)


@router.post("/{experiment}/decide", tags=["turns"])
async def decide(
    service: ToDecide, experiment: Id, body: DecideBody | None = None, key: KeyHeader = None
) -> DecisionRecord:
    """Decide a turn, or the current one; asked again, the answer is the same."""
    asked = body or DecideBody.model_validate({})
    ahead = None if asked.force else AHEAD
    return await run_in_threadpool(service.decide, experiment, asked.turn, asked.at, ahead, key)


@router.post("/{experiment}/decisions/{turn}/update", tags=["rewards"])
async def update(
    service: ToDecide, experiment: Id, turn: TurnPath, body: OutcomeBody, key: KeyHeader = None
) -> dict[str, int]:
    """Report the total of one turn, once it is over: the same again is known already."""
    outcomes = [body.of(turn)]
    return await run_in_threadpool(service.update_many, experiment, outcomes, key, body.confirm)


@router.post("", status_code=201, tags=["experiments"])
def create_experiment(service: ToRun, body: ExperimentBody) -> Summary:
    """Create an experiment; the same request again changes nothing."""
    return service.create(body.settings())


@router.get("", tags=["experiments"])
def list_experiments(service: ToRead) -> list[Summary]:
    """List all experiments."""
    return service.experiments()


@router.get("/{experiment}", tags=["experiments"])
def read_experiment(service: ToRead, experiment: Id) -> State:
    """Read where an experiment stands: its arms, their estimates, how far it is."""
    return service.state(experiment)


def _status(change: StatusChange, text: str) -> None:
    path, name = f"/{{experiment}}/{change}", f"{change}_experiment"

    @router.post(path, name=name, description=text, tags=["experiments"])
    def changed(service: ToRun, experiment: Id, key: KeyHeader = None) -> Summary:
        return service.change_status(experiment, change, key)


_status(
    "pause", "Pause: no new turn is decided; locked turns are answered, and rewards still count."
)
_status("resume", "Resume a paused experiment.")
_status("archive", "Archive: nothing changes any more, and everything can be read.")


@router.post("/{experiment}/stay", tags=["experiments"])
def stay_with_leader(
    service: ToRun, experiment: Id, body: StayBody, key: KeyHeader = None
) -> State:
    """Stay with the best arm so far while three earlier turns have no reward, or stop that."""
    return service.stay_with_leader(experiment, body.stay_with_leader, key)


@router.get("/{experiment}/decisions", tags=["turns"])
def list_decisions(
    service: ToRead,
    experiment: Id,
    before: Annotated[
        int | None, Query(ge=1, le=MOST_TURNS + 1, description="Only turns before this one.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
) -> list[DecisionRecord]:
    """List locked turns, the latest first."""
    return service.decisions(experiment, before, limit)


@router.get("/{experiment}/decisions/{turn}", tags=["turns"])
def read_decision(service: ToRead, experiment: Id, turn: TurnPath) -> DecisionRecord:
    """Read a locked turn."""
    return service.decision(experiment, turn)


@router.post("/{experiment}/update", tags=["rewards"])
def update_many(
    service: ToDecide, experiment: Id, body: RewardsBody, key: KeyHeader = None
) -> dict[str, int]:
    """Report the totals of turns that are over, all or none, late and in any order."""
    return service.update_many(experiment, body.rewards, key, body.confirm)


@router.post("/{experiment}/decisions/{turn}/correct", tags=["rewards"])
def correct(
    service: ToDecide, experiment: Id, turn: TurnPath, body: OutcomeBody, key: KeyHeader = None
) -> dict[str, Any]:
    """Correct a reward: a new event; the old values stay in the log."""
    return service.correct(experiment, body.of(turn), key, body.confirm)


@router.post("/{experiment}/worth", tags=["rewards"])
def change_worth(service: ToRun, experiment: Id, body: WorthBody, key: KeyHeader = None) -> State:
    """Change what a purchase is worth, or the range of rewards; the past is learned again."""
    return service.change_worth(experiment, body.cost, body.tax, body.reward_range, key)


@router.post("/{experiment}/arms", tags=["arms"])
def add_arm(service: ToRun, experiment: Id, body: NewArm, key: KeyHeader = None) -> Arm:
    """Add an arm, or bring a removed one back."""
    return Arm(**service.add_arm(experiment, body, key))


@router.post("/{experiment}/arms/{arm}/remove", tags=["arms"])
def remove_arm(service: ToRun, experiment: Id, arm: ArmPath, key: KeyHeader = None) -> Arm:
    """Remove an arm; locked turns stay, and their rewards still count."""
    return Arm(**service.remove_arm(experiment, arm, key))


@router.post("/{experiment}/reforecast", tags=["forecast"])
def reforecast(
    service: ToRun, experiment: Id, body: NewForecastBody, key: KeyHeader = None
) -> dict[str, int]:
    """Replace the forecast from a turn on; this makes a new version of it."""
    return service.reforecast(experiment, body.first, body.values, key)


@router.get("/{experiment}/plan", tags=["forecast"])
def plan(
    service: ToRead,
    experiment: Id,
    turns: Annotated[int, Query(ge=1, le=MOST_PLANNED, description="How many at most.")] = 30,
) -> list[PlannedTurn]:
    """See the coming turns as things stand: where it explores, and what that may cost."""
    return service.plan(experiment, turns)


@router.get("/{experiment}/events", tags=["events"])
def list_events(
    service: ToRead,
    experiment: Id,
    after: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="Only events after this number.")
    ] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000, description="How many at most.")] = 1000,
) -> dict[str, Any]:
    """Page through the event log; `next` is what to pass as `after` for more."""
    page = service.events(experiment, after, limit)
    return {"events": page, "next": page[-1]["seq"] if len(page) == limit else None}


@router.get(
    "/{experiment}/export.{kind}",
    tags=["events"],
    response_class=Response,
    responses={200: {"content": {kind: {} for kind in export.KINDS.values()}}},
)
def export_turns(service: ToRead, experiment: Id, kind: FileKind) -> Response:
    """Export turns with rewards: CSV for `convert table`, or Parquet for `highseason replay`."""
    content = (export.as_csv if kind == "csv" else export.as_parquet)(service, experiment)
    headers = {"content-disposition": f'attachment; filename="events.{kind}"'}
    return Response(content, media_type=export.KINDS[kind], headers=headers)
