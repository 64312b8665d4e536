"""Work in bytes: what travels, and what a worker makes of it."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from highseason.core import pools
from highseason.core.extras import MissingExtraError, require

WORKER = """
import pickle, sys
from highseason.core.pools import run_block
for block in pickle.load(open(sys.argv[1], "rb")):
    print(run_block(*block))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that only this process can import."""
    folder = tmp_path / "clone" / "travels"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setattr(pools, "_travelling", {})
    monkeypatch.setattr(pools, "_arrived", {})
    yield folder
    for name in ("travels", "travels.work"):
        sys.modules.pop(name, None)


def test_a_package_travels_with_its_work_in_its_latest_version(
    package: Path, tmp_path: Path
) -> None:
    blocks = []
    for factor in ("2", "30"):
        (package / "work.py").write_text(f"def times(n):\n    return {factor} * n\n")
        module = importlib.import_module("travels.work")
        pools.take_along(sys.modules["travels"])
        shipment = pools.pack(module.times)
        blocks += [(shipment, pools.pack_block(n)) for n in (1, 2)]
        assert pools.run_block(*blocks[-1]) == module.times(2)  # here it is not unpacked
        assert sys.modules["travels.work"] is module
    sent = tmp_path / "sent"
    sent.write_bytes(pickle.dumps(blocks))
    words = [sys.executable, "-c", WORKER, str(sent)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "4", "30", "60"]


def test_an_extra_that_is_installed_but_broken_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("import its_own_dependency")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="its_own_dependency") as raised:
        require("half_installed", extra="logs", purpose="reading logs")
    assert not isinstance(raised.value, MissingExtraError)
