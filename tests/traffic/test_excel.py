"""Excel files: values as stored, titles and totals, and files made to do harm."""

from __future__ import annotations

import re
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from highseason.traffic import FileNote, MultiplierError, files, read

DAYS = [date(2025, 1, 30), date(2025, 1, 31), date(2025, 2, 1)]


def book(path: Path, *rows: list[Any], title: str = "Daten") -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    workbook.save(path)
    return path


def test_numbers_and_dates_are_typed(tmp_path: Path) -> None:
    rows = [[day, 1.125 * i] for i, day in enumerate(DAYS, 1)]
    G = read(book(tmp_path / "shop.xlsx", ["Datum", "Besucher"], *rows))
    assert G.values.tolist() == [1.125, 2.25, 3.375]  # no question, unlike 1.125 in a CSV
    assert str(G.calendar[0]) == "2025-01-30"  # type: ignore[index]  # it has one


def test_hours_come_out_even(tmp_path: Path) -> None:
    start = datetime(2025, 1, 30)
    rows = [[start + timedelta(hours=i), 10 + i] for i in range(30)]
    G = read(book(tmp_path / "shop.xlsx", ["time", "visitors"], *rows))
    assert G.turn_of("2025-01-31 05:00") == 30


def test_a_german_export_with_title_total_and_texts(tmp_path: Path) -> None:
    path = book(
        tmp_path / "export.xlsx",
        ["Besucher Filiale 12"],
        [],
        [None, "Datum", "Uhrzeit", "Besucher"],
        [None, "30.01.2025", time(22), "1.030,5"],
        [None, "30.01.2025", time(23), 98],
        [None, "Gesamt", None, 1128.5],
    )
    with pytest.warns(FileNote) as notes:
        G = read(path)
    said = "\n".join(str(note.message) for note in notes)
    assert re.search(r"(?s)'Besucher Filiale 12'.*row 6 \('Gesamt'\).*1\.030,5", said)
    assert G.values.tolist() == [1030.5, 98]
    assert str(G.calendar[1]) == "2025-01-30T23:00:00"  # type: ignore[index]  # it has one


def test_texts_alone_decide_about_texts(tmp_path: Path) -> None:
    rows = [["2025-01-30", 2.5], ["2025-01-31", "1.105"]]
    with pytest.raises(MultiplierError, match=r"'1\.105' could be 1105 or 1\.105"):
        read(book(tmp_path / "shop.xlsx", ["day", "visitors"], *rows))


def test_the_first_sheet_with_content_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shop.xlsx"
    workbook = openpyxl.Workbook()
    for name in ("A", "B"):
        workbook.create_sheet(name).append([10 if name == "A" else 99])
    workbook.save(path)
    with pytest.warns(FileNote, match="only its first sheet 'A' is read, not 'B'"):
        assert read(path).values.tolist() == [10]


def test_a_formula_without_a_value_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "shop.xlsx", ["day", "visitors"], [DAYS[0], 10], [DAYS[1], "=2*B2"])
    with pytest.raises(MultiplierError, match=r"row 3, column 2 holds the formula =2\*B2 and no"):
        read(path)


def test_a_formula_gives_its_stored_value(tmp_path: Path) -> None:
    path = book(tmp_path / "shop.xlsx", ["day", "visitors"], [DAYS[0], 10], [DAYS[1], "=2*B2"])
    edit(path, "xl/worksheets/sheet1.xml", "<v></v>", "<v>20</v>")
    assert read(path).values.tolist() == [10, 20]


def edit(path: Path, part: str, old: str, new: str) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    text = parts[part].decode().replace("<v />", "<v></v>")
    assert old in text
    parts[part] = text.replace(old, new).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files.MOST_UNPACKED == 2**29
    monkeypatch.setattr(files, "MOST_UNPACKED", 2**25)  # a smaller bomb takes less time to build
    path = book(tmp_path / "bomb.xlsx", [1])
    archive = zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED)
    with archive, archive.open("xl/media/big", "w", force_zip64=True) as part:
        for _ in range(60):
            part.write(bytes(1 << 20))
    assert path.stat().st_size < 100_000
    with pytest.raises(MultiplierError, match=r"would unpack to 63 MB .* save it as CSV"):
        read(path)


def test_too_many_cells_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "wide.xlsx", [1, 2, 3], [4, 5, 6])
    edit(path, "xl/worksheets/sheet1.xml", 'ref="A1:C2"', 'ref="A1:XFD1048576"')
    with pytest.raises(MultiplierError, match="choose one"):
        read(path)  # a claimed size costs nothing
    monkeypatch.setattr(files, "MOST_CELLS", 5)
    with pytest.raises(MultiplierError, match="more than 5 cells"):
        read(path)


def test_a_compressed_text_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gzip

    path = tmp_path / "shop.csv.gz"
    path.write_bytes(gzip.compress(b"1\n" * 1000))
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    with pytest.raises(MultiplierError, match="unpacks to more than"):
        read(path)


BOMB = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{}]>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
<row><c t="inlineStr"><is><t>&l9;</t></is></c></row></sheetData></worksheet>"""


def test_entities_that_grow_are_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "laughs.xlsx", [1])
    names = ["a", *(f"l{i}" for i in range(1, 10))]
    steps = zip(names[1:], names, strict=False)
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for new, old in steps)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = BOMB.format(entities).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(MultiplierError, match="cannot be read as an Excel file"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"day,visitors\n"])
def test_other_files_under_the_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "shop.xlsx"
    path.write_bytes(content)
    with pytest.raises(MultiplierError, match=r"shop\.xlsx is not an Excel file"):
        read(path)


def test_an_excel_file_under_another_name(tmp_path: Path) -> None:
    path = book(tmp_path / "shop.xlsx", ["visitors"], [10], [20])
    assert read(path.rename(tmp_path / "shop.csv")).values.tolist() == [10, 20]


def test_text_under_the_name_of_old_excel_files(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_text("day\tvisitors\n2025-01-30\t10\n")
    assert read(path).values.tolist() == [10]
