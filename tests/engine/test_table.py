from __future__ import annotations

import pytest

from highseason.core.text import Table, wrapped

TABLE = Table(
    ("policy", "reward", "gain"),
    (("a <b>", 1234.56, 0.5), ("long name", 7.0, -0.25)),
    ("", ".1f", "+.0%"),
)


def test_text_is_aligned() -> None:
    assert str(TABLE).splitlines() == [
        "policy     reward  gain",
        "───────────────────────",
        "a <b>      1234.6  +50%",
        "long name     7.0  -25%",
    ]
    assert repr(TABLE) == str(TABLE)


def test_html_is_escaped() -> None:
    assert "<td>a &lt;b&gt;</td>" in TABLE._repr_html_()
    assert TABLE._repr_html_().count("<tr>") == 3


def test_an_empty_table_has_its_head() -> None:
    assert str(Table(("x",), (), ("",))) == "x\n─"


def test_a_number_that_is_not_there_is_a_dash() -> None:
    table = Table(("a", "b"), (("x", float("nan")), ("y", 0.5)), ("", ".1%"))
    assert table.cells() == [("x", "–"), ("y", "50.0%")]


LONG = Table(
    ("policy", "reward per game", "when"),
    (("dynamic-peak-grabber:window=100,lift=1.15", 1_234_567.8, "on quiet days " * 9),),
    ("", ",.1f", ""),
    "<><",
)


@pytest.mark.parametrize("width", [80, 60, 40])
def test_long_cells_are_folded(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = str(LONG).splitlines()
    assert max(map(len, lines)) <= width
    words = "".join("".join(lines).split())
    assert "1,234,567.8" in words  # numbers are folded last


def test_where_there_is_room_nothing_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert len(str(LONG).splitlines()) == 3


def test_paragraphs_are_wrapped() -> None:
    text = wrapped("word " * 40 + "\nnext", indent="  ", width=30)
    assert max(map(len, text.splitlines())) <= 30
    assert text.endswith("\nnext")
    assert text.splitlines()[1].startswith("  word")
