"""Routes that answer with pages: who asks, forms only our pages can send, signing in."""

import hashlib
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from highseason.core import counted, format_number, percent
from highseason_service.errors import ServiceError, in_words
from highseason_service.experiments import Service
from highseason_service.model import money
from highseason_service.security import Tokens, includes

#: The token of a browser that has signed in.  It ends with the browser, or when it is revoked.
SESSION = "highseason_session"
#: A random text that every form repeats: pages of other sites cannot read it.
FORM = "highseason_form"

#: The experiment that a browser has started, and what was noticed in its file.
STARTED = "highseason_started"

#: The greatest field of a form, in bytes: the forecast of an experiment that is not started yet.
LARGEST_FIELD = 6 * 2**20


@dataclass(frozen=True)
class Visitor:
    """Whoever sent a request."""

    request: Request
    scope: str | None  # what they may do; None before they have signed in
    token: bool  # whether they have signed in with a token; not needed on an open service
    form_token: str  # what their forms repeat
    is_new: bool  # whether their browser does not know the form's token yet

    @classmethod
    def of(cls, request: Request) -> Self:
        """Who sent a request."""
        tokens: Tokens = request.app.state.tokens
        token, form = request.cookies.get(SESSION), request.cookies.get(FORM)
        fresh = form is None or len(form) < 40
        mine = secrets.token_urlsafe(32) if form is None or fresh else form
        signed_in = tokens.needed and token is not None
        return cls(request, tokens.scope(token), signed_in, mine, fresh)

    @property
    def service(self) -> Service:
        """The service of this app."""
        service: Service = self.request.app.state.service
        return service

    def may(self, wanted: str) -> bool:
        """Whether they may do this."""
        return self.scope is not None and includes(self.scope, wanted)

    def check(self, wanted: str) -> None:
        """Refuse what they may not do."""
        if self.scope is None:
            raise HTTPException(401, "sign in first")
        if not self.may(wanted):
            raise HTTPException(
                403, f"this needs a token with the scope {wanted!r}; yours has {self.scope!r}"
            )

    def show(self, template: str, status: int = 200, **context: Any) -> Response:
        """A page for them."""
        known = {"who": self, "form_token": self.form_token, "path": self.request.url.path}
        page = pages.get_template(template).render(known | context)
        response = HTMLResponse(page, status)
        if self.is_new:
            set_cookie(response, self.request, FORM, self.form_token)
        return response


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


#: What is raised where a request is not carried out.
REFUSALS = (ServiceError, HTTPException, RequestValidationError)


def problem(reason: Exception) -> tuple[int, str]:
    """The status of a request that is not carried out, and why."""
    match reason:
        case ServiceError():
            return reason.status, str(reason)
        case RequestValidationError():
            return 422, in_words(reason.errors())
        case HTTPException():
            return reason.status_code, str(reason.detail)
    raise reason


class PageRoute(APIRoute):
    """A route whose refusals are pages, too, and of which monitors may ask for the head alone."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.methods == {"GET"}:
            self.methods = {"GET", "HEAD"}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler."""
        handler = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await handler(request)
            except REFUSALS as reason:
                return await run_in_threadpool(_refusal, request, *problem(reason))

        return guarded


#: The pages, which are not part of the API's description.
router = APIRouter(route_class=PageRoute, include_in_schema=False)

Form = Annotated[FormData, Depends(read_form)]
Anyone = Annotated[Visitor, Depends(Visitor.of)]


def _needs(scope: str) -> Any:
    def check(who: Anyone) -> Visitor:
        who.check(scope)
        return who

    return Depends(check)


Reader = Annotated[Visitor, _needs("read")]
Admin = Annotated[Visitor, _needs("admin")]


def set_cookie(response: Response, request: Request, name: str, value: str) -> None:
    """Let a browser keep a text until it ends; scripts cannot read it, other sites not send it."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, httponly=True, samesite="strict", secure=secure)


def _refusal(request: Request, status: int, detail: str) -> Response:
    """The page of a request that was not carried out; those who have not signed in may do so."""
    if status == 401 and request.method == "GET":
        return RedirectResponse(f"/sign-in?next={quote(request.url.path)}", 303)
    response = Visitor.of(request).show("problem.html.j2", status, detail=detail, code=status)
    if status == 503:
        response.headers["retry-after"] = "1"
    return response


def back_to(experiment: str, done: str, tab: str = "", arm: str = "") -> Response:
    """A page of an experiment, which says what was done, and to which arm."""
    about = f"{tab and f'/{tab}'}?done={done}{arm and f'&arm={quote(arm)}'}"
    return RedirectResponse(f"/experiments/{quote(experiment)}{about}", 303)


@router.get("/sign-in")
def sign_in_page(who: Anyone, following: Annotated[str, Query(alias="next")] = "/") -> Response:
    """The form to sign in."""
    if who.scope is not None:
        return RedirectResponse(_local(following), 303)
    return who.show("sign_in.html.j2", following=_local(following), error="")


@router.post("/sign-in")
def sign_in(who: Anyone, form: Form) -> Response:
    """Sign in with a token."""
    token, following = str(form.get("token", "")).strip(), _local(str(form.get("next", "/")))
    if who.request.app.state.tokens.scope(token) is None:
        error = "This token is not known, or was revoked."
        return who.show("sign_in.html.j2", 401, following=following, error=error)
    response = RedirectResponse(following, 303)
    set_cookie(response, who.request, SESSION, token)
    return response


@router.post("/sign-out")
def sign_out(form: Form) -> Response:
    """Forget the token."""
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(SESSION, httponly=True, samesite="strict")
    return response


def _local(address: str) -> str:
    """An address within this service."""
    path = json.dumps(address)[1:-1]
    safe = path == address and address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if safe else "/"


FOLDER = Path(__file__).with_name("static")


@cache
def asset(name: str) -> str:
    """The address of a file; it changes with its content, so browsers may keep it forever."""
    content = (FOLDER / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


class Assets(StaticFiles):
    """The files; browsers keep them."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, and how long it may be kept."""
        response = await super().get_response(path, scope)
        named = scope["query_string"].startswith(b"v=")
        kept = "31536000, immutable" if named else "3600"  # a year, or an hour
        response.headers["cache-control"] = f"public, max-age={kept}"
        return response


pages = Environment(
    loader=PackageLoader("highseason_service"),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)
pages.filters |= {"number": format_number, "percent": percent, "counted": counted, "money": money}
pages.globals["asset"] = asset
