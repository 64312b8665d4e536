"""Pages: templates that escape what they show, and the files they load."""

import hashlib
from collections.abc import MutableMapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.responses import Response

from highseason.core.text import format_number, percent

FOLDER = Path(__file__).with_name("static")

_FOREVER = "public, max-age=31536000, immutable"
_AN_HOUR = "public, max-age=3600"


@cache
def asset(name: str) -> str:
    """The address of a file; it changes with its content, so browsers may keep it forever."""
    content = (FOLDER / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


class Assets(StaticFiles):
    """The files; browsers keep them."""

    async def get_response(self, path: str, scope: MutableMapping[str, Any]) -> Response:
        """A file, and how long it may be kept."""
        response = await super().get_response(path, scope)
        named = scope["query_string"].startswith(b"v=")
        response.headers["cache-control"] = _FOREVER if named else _AN_HOUR
        return response


pages = Environment(
    loader=PackageLoader("highseason.service"),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)
pages.filters |= {"number": format_number, "percent": percent}
pages.globals["asset"] = asset


def page(template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A template as an answer."""
    return HTMLResponse(pages.get_template(template).render(context), status)
