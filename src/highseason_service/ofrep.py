"""OpenFeature's remote evaluation protocol (OFREP 0.3): an experiment is a flag, an arm a variant.

An evaluation decides the turn that is now, if it is not decided yet.  An experiment that decides
nothing, because it is paused or its forecast does not hold now, answers with its leader.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from starlette.responses import JSONResponse, Response

from highseason.traffic import Calendar
from highseason_service.errors import ClashError, NotFoundError, ServiceError
from highseason_service.experiments import Service
from highseason_service.model import ArmReport, State
from highseason_service.routes import ANSWERS, Id, ToDecide

router = APIRouter(
    prefix="/ofrep/v1/evaluate",
    tags=["OpenFeature"],
    responses=ANSWERS | {code: {"description": "An error of OFREP."} for code in (400, 404)},
)


async def _context(request: Request) -> dict[str, str] | None:
    """What is wrong with a request; everyone gets the same arm, so its context is not used."""
    try:
        context = (json.loads(await request.body() or b"{}")).get("context", {})
    except (ValueError, AttributeError, RecursionError):
        return _failure("PARSE_ERROR", "the body is not a JSON object")
    if not isinstance(context, dict):
        return _failure("INVALID_CONTEXT", "context: expected an object")
    return None


Known = Annotated[str, Header(alias="If-None-Match", description="The ETag of an earlier answer.")]
Wrong = Annotated[dict[str, str] | None, Depends(_context)]


@router.post("/flags/{experiment}")
def evaluate(service: ToDecide, experiment: Id, wrong: Wrong) -> Response:
    """Evaluate one flag: the arm of the turn that is now."""
    if wrong is not None:
        return JSONResponse({"key": experiment} | wrong, 400)
    flag = _flag(service, experiment)
    status = {"FLAG_NOT_FOUND": 404, None: 200}.get(flag.get("errorCode"), 400)
    return JSONResponse(flag, status)


@router.post("/flags", responses={304: {"description": "Nothing has changed."}})
def evaluate_all(service: ToDecide, wrong: Wrong, known: Known = "") -> Response:
    """Evaluate all flags: every experiment that is not archived."""
    if wrong is not None:
        return JSONResponse(wrong, 400)
    names = [one.id for one in service.experiments() if one.status != "archived"]
    flags = [_flag(service, name) for name in names]
    tag = f'"{hashlib.sha256(json.dumps(flags).encode()).hexdigest()[:32]}"'
    if tag in (one.strip().removeprefix("W/") for one in known.split(",")):
        return Response(status_code=304, headers={"etag": tag})
    return JSONResponse({"flags": flags}, headers={"etag": tag})


def _flag(service: Service, experiment: str) -> dict[str, Any]:
    """The evaluation of a flag, or why there is none."""
    metadata: dict[str, Any]
    try:
        try:
            decided = service.decide(experiment)
            state = service.state(experiment)
            if state.status != "running":  # since the turn was decided
                raise ClashError(f"experiment {experiment!r} is {state.status}")
            arm = next(one for one in state.arms if one.id == decided.arm)
            metadata = {"turn": decided.turn, "explored": not decided.exploited}
            metadata["until"] = _until(state, decided.turn)
        except ClashError as reason:
            state = service.state(experiment)
            arm, metadata = _leader(state), {"explored": False, "note": str(reason)}
    except NotFoundError as reason:
        return {"key": experiment} | _failure("FLAG_NOT_FOUND", str(reason))
    except ServiceError as reason:
        if reason.status == 503:
            raise
        return {"key": experiment} | _failure("GENERAL", str(reason))
    value = arm.label or arm.id if arm.value is None else arm.value
    evaluated = {"key": experiment, "reason": "STATIC", "variant": arm.id, "value": value}
    return evaluated | {"metadata": metadata}


def _leader(state: State) -> ArmReport:
    """The arm that leads; before the first reward, the first that is in the game."""
    playing = [arm for arm in state.arms if arm.status == "playing"]
    if not playing:
        raise ClashError(f"the experiment {state.id!r} has no arm: add one")
    return next((arm for arm in playing if arm.id == state.best), playing[0])


def _until(state: State, turn: int) -> str:
    """When the turn after a turn starts, in UTC."""
    assert state.calendar is not None, "only a turn of a calendar is now"
    end = Calendar.starting(**state.calendar).instants(turn + 1)[turn]
    moment: datetime = end.astype("datetime64[s]").item()
    return moment.replace(tzinfo=UTC).isoformat()


def _failure(code: str, details: str) -> dict[str, str]:
    return {"errorCode": code, "errorDetails": details}
