import functools
from pathlib import Path
from typing import Any

import pytest

griffe = pytest.importorskip("griffe")
ROOT = Path(__file__).parents[2]


@functools.cache
def package() -> Any:
    hooks = griffe.load_extensions(str(ROOT / "docs/_hooks/doctests.py"))
    return griffe.load("highseason", search_paths=[str(ROOT / "src")], extensions=hooks)


@pytest.mark.parametrize("room", ["bandit", "engine", "logs", "report", "traffic"])
def test_the_reference_shows_what_a_room_exports(room: str) -> None:
    shown = {name for name, one in package()[room].members.items() if one.is_public}
    imported: dict[str, Any] = {}
    exec(f"from highseason.{room} import *", imported)
    own = {n for n, one in imported.items() if getattr(one, "__module__", "").startswith("highs")}
    assert own
    assert own <= shown
