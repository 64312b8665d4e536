"""Creating an experiment: describe it, see its plan, start it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from highseason.policies import parse, registry
from highseason.policies.timing import timing
from highseason.service import charts, forms
from highseason.service.calendars import Turns
from highseason.service.errors import InvalidError, ServiceError
from highseason.service.experiments import Service
from highseason.service.routes import One
from highseason.service.schemas import ExperimentBody
from highseason.service.sessions import Visitor
from highseason.service.views import planned
from highseason.service.web import Admin, Form, back_to, page_router, show

router = page_router()


@router.get("/new")
def new(request: Request, who: Admin) -> Response:
    """The form for a new experiment."""
    return _new(request, who, forms.BLANK)


def _new(
    request: Request, who: Visitor, typed: Mapping[str, str], error: str = "", status: int = 200
) -> Response:
    context: dict[str, Any] = {"typed": typed, "error": error, "policies": sorted(registry())}
    return show(request, who, "new.html.j2", status, **context)


@router.post("/new/plan")
async def new_plan(request: Request, service: One, who: Admin, form: Form) -> Response:
    """The plan of a new experiment, before it starts."""
    file = form.get("traffic")
    upload = file if isinstance(file, UploadFile) else None
    content = b"" if upload is None else await upload.read()
    name = "" if upload is None else upload.filename or ""
    return await run_in_threadpool(
        _planned, request, service, who, forms.texts(form), name, content
    )


def _planned(
    request: Request,
    service: Service,
    who: Visitor,
    typed: dict[str, str],
    file: str,
    content: bytes,
) -> Response:
    try:
        body = forms.new_experiment(typed, file, content)
        forms.check(service, body.settings())
    except (ServiceError, ValueError) as reason:
        status = reason.status if isinstance(reason, ServiceError) else 422
        return _new(request, who, typed, str(reason), status)
    settings = body.settings()
    plan = planned(parse(settings.policy), settings.forecast, len(settings.arms))
    chart = charts.traffic(Turns(settings.forecast), plan, None)
    context: dict[str, Any] = {
        "settings": settings,
        "draft": body.model_dump_json(),
        "chart": chart,
        "turns": Turns(settings.forecast),
        "drawn": {"traffic": chart.data()},
        "sentence": timing(plan).sentence(),
        "plan": plan,
    }
    return show(request, who, "plan.html.j2", **context)


@router.post("/new")
def create(request: Request, service: One, who: Admin, form: Form) -> Response:
    """Start a new experiment."""
    try:
        body = ExperimentBody.model_validate_json(str(form.get("draft", "")))
    except ValidationError as reason:
        raise InvalidError("the plan is not complete: fill in the form again") from reason
    service.create(body.settings())
    return back_to(body.id, "created")
