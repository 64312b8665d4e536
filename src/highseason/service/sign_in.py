"""Signing in to the dashboard with a token."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from highseason.service import sessions
from highseason.service.web import Form, page_router, show

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
