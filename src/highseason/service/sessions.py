"""Who looks at the dashboard: signing in with a token, and forms that only our pages can send."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from highseason.service.security import Tokens, includes

#: The token of a browser that has signed in.  It ends with the browser, or when it is revoked.
SESSION = "highseason_session"
#: A random text that every form repeats: pages of other sites cannot read it.
FORM = "highseason_form"

#: The greatest field of a form, in bytes: the forecast of an experiment that is not started yet.
LARGEST_FIELD = 6 * 2**20


@dataclass(frozen=True)
class Visitor:
    """Whoever sent a request.

    Attributes:
        scope: What they may do; None before they have signed in.
        token: Whether they have signed in with a token; not needed on an open service.
        form_token: What their forms repeat.
        is_new: Whether their browser does not know the form's token yet.
    """

    scope: str | None
    token: bool
    form_token: str
    is_new: bool

    def may(self, wanted: str) -> bool:
        """Whether they may do this."""
        return self.scope is not None and includes(self.scope, wanted)


def visitor(request: Request) -> Visitor:
    """Who sent a request."""
    tokens: Tokens = request.app.state.tokens
    token, form = request.cookies.get(SESSION), request.cookies.get(FORM)
    fresh = form is None or len(form) < 40
    mine = secrets.token_urlsafe(32) if form is None or fresh else form
    return Visitor(tokens.scope(token), tokens.needed and token is not None, mine, fresh)


def require(request: Request, wanted: str) -> Visitor:
    """Whoever sent a request, if they may do this."""
    one = visitor(request)
    if one.scope is None:
        raise HTTPException(401, "sign in first")
    if not one.may(wanted):
        raise HTTPException(
            403, f"this needs a token with the scope {wanted!r}, yours has {one.scope!r}"
        )
    return one


async def read_form(request: Request) -> AsyncIterator[FormData]:
    """The fields of a form that one of our pages has sent."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "forms of another site's pages are refused")
    limits = {"max_fields": 50, "max_files": 1, "max_part_size": LARGEST_FIELD}
    async with request.form(**limits) as form:
        sent, known = str(form.get("form_token", "")), request.cookies.get(FORM, "")
        if not known or not hmac.compare_digest(sent.encode(), known.encode()):
            raise HTTPException(403, "this form is out of date: reload its page and send it again")
        yield form


def remember(response: Response, request: Request, one: Visitor) -> None:
    """Let a browser know the text that its forms repeat."""
    if one.is_new:
        _set(response, request, FORM, one.form_token)


def sign_in(response: Response, request: Request, token: str) -> None:
    """Let a browser keep a token until it ends; scripts cannot read it, other sites not send it."""
    _set(response, request, SESSION, token)


def sign_out(response: Response) -> None:
    """Let a browser forget its token."""
    response.delete_cookie(SESSION, httponly=True, samesite="strict")


def _set(response: Response, request: Request, name: str, value: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, httponly=True, samesite="strict", secure=secure)
