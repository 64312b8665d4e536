"""Libraries that are not installed, or not whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from highseason.core.extras import MissingExtraError, require


def test_an_extra_that_is_installed_but_broken_says_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("import its_own_dependency")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="its_own_dependency") as raised:
        require("half_installed", extra="logs", purpose="reading logs")
    assert not isinstance(raised.value, MissingExtraError)
