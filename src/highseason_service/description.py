"""The API's page for people: what there is to ask, as curl, and what is answered."""

import json
from pathlib import Path
from typing import Any

from fastapi import Request
from starlette.responses import Response

from highseason_service.routes import ANSWERS
from highseason_service.web import page_router, show, visitor

router = page_router()

#: What is asked in the examples, and what is answered; by the method and the path.
EXAMPLES = Path(__file__).with_name("templates") / "examples.json"


@router.get("/docs")
def description(request: Request) -> Response:
    """What there is to ask."""
    schema, said = request.app.openapi(), json.loads(EXAMPLES.read_text("utf-8"))
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            scope = next(iter(operation.get("security", [{}])[0]), "")
            about = {"name": name, "scope": scope, "example": said.get(name, {})}
            groups.setdefault(operation["tags"][0], []).append(operation | about)
    answers = {code: one["description"] for code, one in ANSWERS.items()}
    base = str(request.base_url).rstrip("/")
    shown = {"schema": schema, "groups": groups, "answers": answers, "base": base}
    return show(request, visitor(request), "docs.html.j2", **shown)
