"""OpenFeature's remote evaluation protocol (OFREP 0.3): an experiment is a flag, an arm a variant.

An evaluation decides the turn that is now, if it is not decided yet.  An experiment that decides
nothing, because it is paused or its forecast does not hold now, answers with its leader.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Header, Request
from starlette.responses import JSONResponse, Response

from highseason_service.errors import ClashError, NotFoundError, ServiceError
from highseason_service.experiments import Service
from highseason_service.live import flag_value
from highseason_service.model import DecisionRecord, State, Summary
from highseason_service.routes import AHEAD, ANSWERS, Id, ToDecide

router = APIRouter(
    prefix="/ofrep/v1/evaluate",
    tags=["OpenFeature"],
    responses=ANSWERS | {code: {"description": "An error of OFREP."} for code in (400, 404)},
)


#: The events of each experiment, its turn and why none is, and what it was evaluated to.
Flags: TypeAlias = dict[str, tuple[tuple[Any, ...], dict[str, Any]]]


async def _context(request: Request) -> dict[str, str] | None:
    """What is wrong with a request; everyone gets the same arm, so its context is not used."""
    try:
        context = (json.loads(await request.body() or b"{}")).get("context", {})
    except (ValueError, AttributeError, RecursionError):
        return _failure("PARSE_ERROR", "the body is not a JSON object")
    if not isinstance(context, dict | None):  # none of them says so as null
        return _failure("INVALID_CONTEXT", "context: expected an object")
    return None


Known = Annotated[str, Header(alias="If-None-Match", description="The ETag of an earlier answer.")]
Wrong = Annotated[dict[str, str] | None, Depends(_context)]


@router.post("/flags/{experiment}")
def evaluate(service: ToDecide, experiment: Id, wrong: Wrong, request: Request) -> Response:
    """Evaluate one flag: the arm of the turn that is now."""
    if wrong is not None:
        return JSONResponse({"key": experiment} | wrong, 400)
    try:
        [flag] = evaluated(service, [service.experiment(experiment)], request.app.state.flags)
    except NotFoundError as reason:
        return JSONResponse({"key": experiment} | _failure("FLAG_NOT_FOUND", str(reason)), 404)
    return JSONResponse(flag, 400 if "errorCode" in flag else 200)


@router.post("/flags", responses={304: {"description": "Nothing has changed."}})
def evaluate_all(service: ToDecide, wrong: Wrong, request: Request, known: Known = "") -> Response:
    """Evaluate all flags: every experiment that is not archived."""
    if wrong is not None:
        return JSONResponse(wrong, 400)
    flags = evaluated(service, service.present(), request.app.state.flags)
    tag = f'"{hashlib.sha256(json.dumps(flags).encode()).hexdigest()[:32]}"'
    if tag in (one.strip().removeprefix("W/") for one in known.split(",")):
        return Response(status_code=304, headers={"etag": tag})
    return JSONResponse({"flags": flags}, headers={"etag": tag})


def evaluated(service: Service, present: Sequence[Summary], last: Flags) -> list[dict[str, Any]]:
    """The evaluations of flags, or why there is none; the last ones, where nothing has changed.

    Turns that are decided are read in one statement, and no bandit is built for them.
    """
    flags, changed = dict[str, dict[str, Any]](), dict[str, tuple[int, int | None, str]]()
    for one in present:
        try:
            forecast = service.outline(one).forecast
            turn, past = forecast.progress(service.clock())
        except ServiceError as reason:
            flags[one.id] = _general(one.id, reason)
            continue
        why = "" if turn else f"{forecast.idle(past)}: nothing is decided"
        if one.status != "running":
            turn, why = None, f"the experiment is {one.status}: nothing is decided"
        known, flags[one.id] = last.get(one.id, ((), {}))
        if known != (one.events, turn, why):
            changed[one.id] = one.events, turn, why
    decided = service.decided({name: turn for name, (_, turn, _) in changed.items() if turn})
    for one in present:
        if (now := changed.get(one.id)) is not None:
            _, turn, why = now
            try:
                flags[one.id] = _evaluated(service, one, turn, why, decided.get(one.id))
                last[one.id] = now, flags[one.id]
            except ServiceError as reason:
                flags[one.id] = _general(one.id, reason)
    return list(flags.values())


def _general(key: str, reason: ServiceError) -> dict[str, Any]:
    """Why a flag has no evaluation; while the database cannot be used, none has."""
    if reason.status == 503:
        raise reason
    return {"key": key} | _failure("GENERAL", str(reason))


def _evaluated(
    service: Service, one: Summary, turn: int | None, why: str, decided: DecisionRecord | None
) -> dict[str, Any]:
    """The arm of the turn that is now, or the leader, and why it is that."""
    key, outline = one.id, service.outline(one)
    shared, metadata = "everybody gets this arm", dict[str, Any]()
    try:
        if turn is None:
            raise ClashError(why)
        decided = decided or service.decide(key, turn, ahead=AHEAD)
        arm, metadata = decided.arm, {"turn": turn, "explored": not decided.exploited}
        metadata["until"] = outline.forecast.ends(turn)
        shared += f" until {metadata['until']}"
    except ClashError as reason:
        arm, metadata = _leader(service.state(key)), {"explored": False, "note": str(reason)}
    if arm not in outline.arms:  # it has come since
        outline = service.outline(service.experiment(key))
    value, values = flag_value(outline.arms[arm]), [one.value for one in outline.arms.values()]
    if type(value) is int and float in map(type, values):
        value = float(value)  # clients tell them apart, and ask for one type
    evaluated = {"key": key, "reason": "STATIC", "variant": arm, "value": value}
    return evaluated | {"metadata": metadata | {"shared": shared}}


def _leader(state: State) -> str:
    """The arm that leads; before the first reward, the first that is in the game."""
    playing = [arm.id for arm in state.arms if arm.status == "playing"]
    if not playing:
        raise ClashError(f"the experiment {state.id!r} has no arm: add one")
    return state.best if state.best in playing else playing[0]


def _failure(code: str, details: str) -> dict[str, str]:
    return {"errorCode": code, "errorDetails": details}
