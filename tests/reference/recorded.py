"""Results that were recorded: texts must be the same, numbers but for how machines round."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

#: A result by its name, each made when it is asked for.
Cases = Mapping[str, Callable[[], Any]]


def plain(value: Any) -> Any:
    """As JSON holds it, numbers with seven digits."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(one) for one in value]
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return str(value) if value != value or abs(value) == np.inf else float(f"{value:.7g}")
    return value


def assert_recorded(file: Path, cases: Cases, name: str) -> None:
    """What a case gives is what stands in the file."""
    expected = json.loads(file.read_text(encoding="utf-8"))[name]
    _assert_alike(plain(cases[name]()), expected, name)


def _assert_alike(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key, value in expected.items():
            _assert_alike(found[key], value, f"{where}, {key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            _assert_alike(one, other, f"{where}, {place}")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-9), where
    else:
        assert found == expected, where


def record(file: Path, cases: Cases) -> None:
    """Write all cases anew, a line each."""
    rows = [
        f"{json.dumps(name)}: {json.dumps(plain(make()), ensure_ascii=False)}"
        for name, make in cases.items()
    ]
    file.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def defaults_of(room: str) -> dict[str, Any]:
    """What the arguments of a room's public functions and classes are if they are not given."""
    module, known = import_module(f"highseason.{room}"), {}
    for name in dir(module):
        with suppress(TypeError, ValueError, AttributeError):  # no function, or one without names
            found = inspect.signature(getattr(module, name)).parameters.values()
            given = {one.name: one.default for one in found if one.default is not one.empty}
            known[name] = {key: value for key, value in given.items() if is_plain(value)}
    return {name: given for name, given in known.items() if given}


def is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)
