from __future__ import annotations

from highseason.results import Table

TABLE = Table(
    ("policy", "reward", "gain"),
    (("a <b>", 1234.56, 0.5), ("long name", 7.0, -0.25)),
    ("", ".1f", "+.0%"),
)


def test_text_is_aligned() -> None:
    assert str(TABLE).splitlines() == [
        "policy     reward  gain",
        "a <b>      1234.6  +50%",
        "long name     7.0  -25%",
    ]
    assert repr(TABLE) == str(TABLE)


def test_html_is_escaped() -> None:
    assert "<td>a &lt;b&gt;</td>" in TABLE._repr_html_()
    assert TABLE._repr_html_().count("<tr>") == 3


def test_an_empty_table_has_its_head() -> None:
    assert str(Table(("x",), (), ("",))) == "x"


def test_a_number_that_is_not_there_is_a_dash() -> None:
    table = Table(("a", "b"), (("x", float("nan")), ("y", 0.5)), ("", ".1%"))
    assert table.cells() == [("x", "–"), ("y", "50.0%")]
