"""Routes that answer with pages: who asks, how refusals look, signing in with a token."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response

from highseason.service import sessions
from highseason.service.errors import ServiceError
from highseason.service.pages import page
from highseason.service.sessions import Visitor


class PageRoute(APIRoute):
    """A route whose refusals are pages, too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler."""
        handler = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except HTTPException as reason:
                return refusal(request, reason.status_code, str(reason.detail))
            except ServiceError as reason:
                return await run_in_threadpool(refusal, request, reason.status, str(reason))
            except RequestValidationError:
                return refusal(request, 422, "the address of this page makes no sense")

        return guarded


def page_router() -> APIRouter:
    """A router of pages, which are not part of the API's description."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


Form = Annotated[FormData, Depends(sessions.read_form)]


def _needs(scope: str) -> Any:
    def check(request: Request) -> Visitor:
        return sessions.require(request, scope)

    return Depends(check)


reads = _needs("read")
Reader = Annotated[Visitor, reads]
Admin = Annotated[Visitor, _needs("admin")]


def show(
    request: Request, who: Visitor, template: str, status: int = 200, **context: Any
) -> Response:
    """A page for a visitor."""
    path = request.url.path
    known = {"who": who, "form_token": who.form_token, "path": path}
    response = page(template, status, **known, **context)
    sessions.remember(response, request, who)
    return response


def refusal(request: Request, status: int, detail: str) -> Response:
    """The page of a request that was not carried out; those who have not signed in may do so."""
    if status == 401 and request.method == "GET":
        return RedirectResponse(f"/sign-in?next={quote(request.url.path)}", 303)
    who = sessions.visitor(request)
    response = show(request, who, "problem.html.j2", status, detail=detail, code=status)
    if status == 503:
        response.headers["retry-after"] = "1"
    return response


def back_to(experiment: str, done: str) -> Response:
    """The page of an experiment, which says what was done."""
    return RedirectResponse(f"/experiments/{quote(experiment)}?done={done}", 303)


# -- signing in -----------------------------------------------------------------------------------

router = page_router()


@router.get("/sign-in")
def sign_in_page(
    request: Request, following: Annotated[str, Query(alias="next")] = "/"
) -> Response:
    """The form to sign in."""
    who = sessions.visitor(request)
    if who.scope is not None:
        return RedirectResponse(_local(following), 303)
    return show(request, who, "sign_in.html.j2", following=_local(following), error="")


@router.post("/sign-in")
def sign_in(request: Request, form: Form) -> Response:
    """Sign in with a token."""
    token, following = str(form.get("token", "")).strip(), _local(str(form.get("next", "/")))
    if request.app.state.tokens.scope(token) is None:
        who = sessions.visitor(request)
        error = "This token is not known, or was revoked."
        return show(request, who, "sign_in.html.j2", 401, following=following, error=error)
    response = RedirectResponse(following, 303)
    sessions.sign_in(response, request, token)
    return response


@router.post("/sign-out")
def sign_out(form: Form) -> Response:
    """Forget the token."""
    response = RedirectResponse("/sign-in", 303)
    sessions.sign_out(response)
    return response


def _local(address: str) -> str:
    """An address within this service."""
    path = json.dumps(address)[1:-1]
    safe = path == address and address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if safe else "/"
