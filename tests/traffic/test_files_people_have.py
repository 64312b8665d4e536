"""Small files as people have them: each is read as meant, or asks; none is silently wrong."""

from __future__ import annotations

import gzip
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from highseason.traffic import FileNote, MultiplierError, read


@dataclass(frozen=True)
class Case:
    """A file, and what it means; or the question or complaint that it leads to."""

    name: str  # what is odd about it; several quirks are joined by " + "
    text: str | bytes
    values: list[float] = field(default_factory=list)
    times: list[str] | None = None  # the first of them; [] for no calendar
    note: str = ""  # a part of the note; "" for none
    error: str = ""  # a part of the message
    file: str = "shop.csv"
    encoding: str = "utf-8"
    options: dict[str, Any] = field(default_factory=dict)


DE = "Datum;Besucher\n"
ISO2 = ["2025-01-30", "2025-01-31"]
GA4 = """# ----------------------------------------
# Reports snapshot
# Account: Shop, Inc
# ----------------------------------------
#
# Start date: 20250130
# End date: 20250131
Nth day,Active users
0000,405
0001,433

# Start date: 20250130
# End date: 20250131
First user source,New users,Share
google,300,40
"""
HOURS = "time,visitors\n" + "".join(
    f"2025-10-{day} {hour:02}:00,{hour % 12 * 4 if 8 <= hour < 20 else 0}\n"
    for day in (25, 26, 27)
    for hour in range(24)
)
GOOD = [
    Case("GA4 snapshot", GA4, [405, 433], ISO2, "counted from the start date, 2025-01-30"),
    Case("GA4 with two tables", GA4, [405, 433], ISO2, "line 12 ('# Start date: 20250130')"),
    Case(
        "GA4 free form",
        "# Free form 1\nDate,Sessions\n,838,Grand total\n20250130,405\n20250131,433\n",
        [405, 433],
        ISO2,
        "('838') is left out",
    ),
    Case(
        "monthly subtotals",
        "Tag;Besucher\n30.01.2025;405\n31.01.2025;433\nSumme Januar;838\n01.02.2025;300\n",
        [405, 433, 300],
        ISO2,
        "line 4 ('Summe Januar') is left out",
    ),
    Case(
        "Shopify with the year before",
        "Day,Sessions,Sessions (previous_year)\n2025-01-30,405,390\n2025-01-31,433,400\n",
        [405, 433],
        ISO2,
        "the visitors are column 'Sessions', not 'Sessions (previous_year)'",
    ),
    Case(
        "Shopify with the days of the year before",
        "Day,Online store visitors,Day (previous_year),Online store visitors (previous_year)\n"
        "2025-01-30,405,2024-01-30,390\n2025-01-31,433,2024-01-31,400\n",
        [405, 433],
        ISO2,
        "the visitors are column 'Online store visitors', not",
    ),
    Case(
        "Shopify with a conversion rate + quotes",
        '"Day","Sessions","Conversion rate"\n"2025-01-30",405,"0.021"\n"2025-01-31",433,"0.019"\n',
        [405, 433],
        ISO2,
        "not 'Conversion rate'",
    ),
    Case(
        "Shopify with sales and averages",
        "Day,Orders,Gross sales,Average order value\n"
        "2025-01-30,12,405.5,33.8\n2025-01-31,9,300,33.3\n",
        [12, 9],
        ISO2,
        "the visitors are column 'Orders', not 'Gross sales', 'Average order value'",
    ),
    Case(
        "GA4 with engaged sessions + dates as eight digits",
        "Date,Sessions,Engaged sessions\n20250130,405,300\n20250131,433,310\n",
        [405, 433],
        ISO2,
        "'20250130' is read as 2025-01-30",
    ),
    Case(
        "GA4 with two kinds of users",
        "Date,Active users,New users\n20250130,405,300\n20250131,433,310\n",
        error="choose one, such as value='Active users'",
    ),
    Case(
        "a day twice",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\n2025-01-31,20\n2025-02-01,30\n",
        [10, 20, 30],
        ISO2,
        "1 row of a time that is there twice is left out, with the same value, the first at line 4",
    ),
    Case(
        "a day twice + newest first",
        "day,visitors\n2025-01-31,20\n2025-01-31,20\n2025-01-30,10\n",
        [10, 20],
        ISO2,
        "there twice",
    ),
    Case(
        "a day twice with two numbers",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\n2025-01-31,21\n",
        error="pass every='1D' to add up the rows of a day",
    ),
    Case(
        "a day twice with two numbers to add",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\n2025-01-31,21\n",
        [10, 41],
        ISO2,
        "1 row of a time that is there twice is added up, the first at line 4 (2025-01-31)",
        options={"every": "1D"},
    ),
    Case(
        "hours with nights at 0",
        HOURS,
        [264, 264, 264],
        ["2025-10-25", "2025-10-26"],
        options={"every": "1D"},
    ),
    Case(
        "the hour that comes twice + nights at 0",
        HOURS.replace("2025-10-26 02:00,0\n", "2025-10-26 02:00,3\n2025-10-26 02:00,4\n"),
        [264, 271, 264],
        ["2025-10-25", "2025-10-26"],
        "(2025-10-26 02:00)",
        options={"every": "1D"},
    ),
    Case(
        "the hour that comes twice + a zone",
        HOURS.replace("2025-10-26 02:00,0\n", "2025-10-26 02:00,3\n2025-10-26 02:00,4\n"),
        [264, 271, 264],
        ["2025-10-25", "2025-10-26"],
        "added up",
        options={"every": "1D", "zone": "Europe/Berlin"},
    ),
    Case(
        "the hour that comes twice without a way out",
        "time,visitors\n2025-10-26 02:00,3\n2025-10-26 02:00,4\n2025-10-26 03:00,5\n",
        error="pass its zone=, such as 'Europe/Rome'",
    ),
    Case(
        "a day of hours without anybody",
        re.sub(r"(2025-10-26 ..:00),[0-9]+", r"\1,0", HOURS),
        error="2025-10-26 adds up to 0",
        options={"every": "1D"},
    ),
    Case(
        "subtotals without a date, and the sum of all",
        "Tag;Besucher;Umsatz\n30.01.2025;405;7,5\n31.01.2025;433;8\n;838;15,5\n01.02.2025;300;9\n"
        "02.02.2025;301;9\n;601;18\n03.02.2025;302;9,5\n;302;9,5\n;1741;43\n",
        [405, 433, 300, 301, 302],
        ISO2,
        "4 rows without 'Tag' left out, which add up those above, the first at line 4",
    ),
    Case(
        "a row without a date that is no sum",
        "Tag;Besucher\n30.01.2025;405\n;433\n01.02.2025;300\n;299\n02.02.2025;301\n",
        error="line 3, 5, column 'Tag': the time is missing: fill it in or drop the row",
    ),
    Case(
        "a row without a date that equals the first",
        "Tag;Besucher\n30.01.2025;405\n;405\n01.02.2025;300\n",
        error="line 3, column 'Tag': the time is missing",
    ),
    Case(
        "many subtotals",
        "Tag;Besucher\n" + "".join(f"{n}.01.2025;400\nSumme KW {n};400\n" for n in range(10, 20)),
        [400.0] * 10,
        ["2025-01-10"],
        "10 lines ('Summe KW 10', …) are left out: they are not data",
    ),
    Case("semicolons", "day;visitors\n2025-01-30;10\n2025-01-31;20\n", [10, 20], ISO2),
    Case("tabs", "day\tvisitors\n2025-01-30\t10\n2025-01-31\t20\n", [10, 20], ISO2, file="a.tsv"),
    Case("pipes", "day|visitors\n2025-01-30|10\n2025-01-31|20\n", [10, 20], ISO2, file="a.txt"),
    Case(
        "a semicolon in every cell of text",
        "2025-01-30,a;b,10\n2025-01-31,a;b,20\n2025-02-01,a;b,30\n",
        [10, 20, 30],
        ["2025-01-30", "2025-01-31"],
    ),
    Case(
        "sep= line + semicolons",
        "sep=;\nday;visitors\n2025-01-30;10\n2025-01-31;20\n",
        [10, 20],
        ISO2,
    ),
    Case(
        "decimal commas + semicolons",
        "day;visitors\n2025-01-30;103,5\n2025-01-31;98\n",
        [103.5, 98],
        ISO2,
        "'103,5' is read as 103.5",
    ),
    Case(
        "decimal commas + one column",
        "visitors\n103,5\n98,1\n",
        [103.5, 98.1],
        [],
        "'103,5' is read as 103.5",
        options={"decimal": ","},
    ),
    Case(
        "thousands points proved by a cell",
        "day;visitors\n2025-01-30;1.030.500\n2025-01-31;1.030\n",
        [1030500, 1030],
        ISO2,
        "'1.030.500' is read as 1030500",
    ),
    Case(
        "thousands points proved by another column + day.month.year + semicolons",
        "Datum;Besucher;Umsatz\n30.01.2025;1.030;2.345,50 €\n31.01.2025;980;1.900,00 €\n",
        [1030, 980],
        ISO2,
        "'1.030' is read as 1030 (column 'Umsatz' has decimal commas)",
    ),
    Case(
        "thousands points by option",
        "day;visitors\n2025-01-30;1.030\n2025-01-31;980\n",
        [1030, 980],
        ISO2,
        "'1.030' is read as 1030",
        options={"decimal": ","},
    ),
    Case(
        "three decimals by option",
        "day,visitors\n2025-01-30,1.030\n2025-01-31,2.125\n",
        [1.03, 2.125],
        ISO2,
        options={"decimal": "."},
    ),
    Case(
        "three decimals proved by a zero in front",
        "day,visitors\n2025-01-30,0.125\n2025-01-31,2.125\n",
        [0.125, 2.125],
        ISO2,
    ),
    Case(
        "thousands commas + quotes",
        'day,visitors\n2025-01-30,"1,030.5"\n2025-01-31,"980"\n',
        [1030.5, 980],
        ISO2,
        "'1,030.5' is read as 1030.5",
    ),
    Case(
        "thousands commas in millions",
        'day,visitors\n2025-01-30,"1,030,500"\n2025-01-31,"1,030"\n',
        [1030500, 1030],
        ISO2,
        "'1,030,500' is read as 1030500",
    ),
    Case(
        "Indian groups",
        'day,visitors\n2025-01-30,"1,03,050"\n2025-01-31,"98,000"\n',
        [103050, 98000],
        ISO2,
        "'1,03,050' is read as 103050",
    ),
    Case(
        "apostrophes",
        "day;visitors\n2025-01-30;1'030.50\n2025-01-31;980\n",
        [1030.5, 980],
        ISO2,
        "is read as 1030.5",
    ),
    Case(
        "curly apostrophes + day.month.year",
        "Datum;Besucher\n30.01.2025;1’030\n31.01.2025;980\n",
        [1030, 980],
        ISO2,
        "is read as 1030",
    ),
    Case(
        "spaces in numbers",
        "day;visitors\n2025-01-30;1 030\n2025-01-31;980\n",
        [1030, 980],
        ISO2,
        "'1 030' is read as 1030",
    ),
    Case(
        "no-break spaces + decimal commas",
        "jour;visiteurs\n2025-01-30;1\u00a0030,5\n2025-01-31;980\n",
        [1030.5, 980],
        ISO2,
        "is read as 1030.5",
    ),
    Case(
        "narrow no-break spaces + day/month/year",
        "jour;visiteurs\n30/01/2025;1\u202f030\n31/01/2025;980\n",
        [1030, 980],
        ISO2,
        "'30/01/2025' is read as 2025-01-30",
    ),
    Case(
        "euro signs + decimal commas",
        "day;revenue\n2025-01-30;103,50 €\n2025-01-31;98,00 €\n",
        [103.5, 98],
        ISO2,
        "'103,50 €' is read as 103.5",
    ),
    Case(
        "dollar signs",
        'day,revenue\n2025-01-30,"$1,030.50"\n2025-01-31,$98.00\n',
        [1030.5, 98],
        ISO2,
        "'$1,030.50' is read as 1030.5",
    ),
    Case(
        "currency codes",
        "day,revenue\n2025-01-30,CHF 103.50\n2025-01-31,CHF 98\n",
        [103.5, 98],
        ISO2,
        "'CHF 103.50' is read as 103.5",
    ),
    Case(
        "percent signs",
        "day,share\n2025-01-30,10.5%\n2025-01-31,20%\n",
        [0.105, 0.2],
        ISO2,
        "'10.5%' is read as 0.105",
    ),
    Case(
        "percent signs + decimal commas",
        "day;share\n2025-01-30;10,5 %\n2025-01-31;20 %\n",
        [0.105, 0.2],
        ISO2,
        "'10,5 %' is read as 0.105",
    ),
    Case(
        "day.month.year",
        f"{DE}30.01.2025;10\n31.01.2025;20\n",
        [10, 20],
        ISO2,
        "'30.01.2025' is read as 2025-01-30",
    ),
    Case(
        "day.month.year without proof",
        f"{DE}01.02.2025;10\n02.02.2025;20\n",
        [10, 20],
        ["2025-02-01", "2025-02-02"],
        "'01.02.2025' is read as 2025-02-01",
    ),
    Case(
        "month/day/year",
        "Date,Visitors\n1/30/2025,10\n1/31/2025,20\n",
        [10, 20],
        ISO2,
        "'1/30/2025' is read as 2025-01-30",
    ),
    Case(
        "month/day/year with two digits",
        "Date,Visitors\n1/30/25,10\n1/31/25,20\n",
        [10, 20],
        ISO2,
        "'1/30/25' is read as 2025-01-30",
    ),
    Case(
        "day/month/year by option",
        "Date,Visitors\n01/02/2025,10\n02/02/2025,20\n",
        [10, 20],
        ["2025-02-01"],
        options={"dates": "dmy"},
    ),
    Case(
        "month/day/year by option",
        "Date,Visitors\n01/02/2025,10\n02/02/2025,20\n",
        [10, 20],
        ["2025-01-02", "2025-02-02"],
        options={"dates": "mdy"},
    ),
    Case(
        "year/month/day",
        "day,visitors\n2025/1/30,10\n2025/1/31,20\n",
        [10, 20],
        ISO2,
        "'2025/1/30' is read as 2025-01-30",
    ),
    Case(
        "dates as eight digits",
        "Date,Users\n20250130,10\n20250131,20\n",
        [10, 20],
        ISO2,
        "'20250130' is read as 2025-01-30",
    ),
    Case(
        "dates as eight digits under another name",
        "Nth day,Users\n20250130,10\n20250131,20\n",
        [10, 20],
        ISO2,
        "'20250130' is read as 2025-01-30",
    ),
    Case(
        "hours as ten digits",
        "timestamp,Users\n2025013022,10\n2025013023,20\n",
        [10, 20],
        ["2025-01-30T22"],
        "'2025013022' is read as 2025-01-30 22:00",
    ),
    Case(
        "unix milliseconds",
        "timestamp,visitors\n1738195200000,10\n1738281600000,20\n",
        [10, 20],
        ISO2,
        "unix milliseconds",
    ),
    Case(
        "ISO weeks",
        "week,visitors\n2025-W01,10\n2025-W02,20\n",
        [10, 20],
        ["2024-12-30", "2025-01-06"],
        "'2025-W01' is read as 2024-12-30",
    ),
    Case(
        "weeks in German + semicolons",
        "Woche;Besucher\nKW 1/2025;10\nKW 2/2025;20\n",
        [10, 20],
        ["2024-12-30", "2025-01-06"],
        "'KW 1/2025' is read as 2024-12-30",
    ),
    Case(
        "weeks written like months",
        "Woche;Besucher\n202501;10\n202502;20\n",
        [10, 20],
        ["2024-12-30", "2025-01-06"],
        "'2025-W01' is read as 2024-12-30",
    ),
    Case(
        "weeks and years in columns of their own + semicolons",
        "Jahr;KW;Besucher\n2025;1;10\n2025;2;20\n",
        [10, 20],
        ["2024-12-30", "2025-01-06"],
        "columns 'Jahr', 'KW' together",
    ),
    Case(
        "years, months and days in columns of their own + decimal commas",
        "year;month;day;visitors\n2025;1;30;10,5\n2025;1;31;20\n",
        [10.5, 20],
        ISO2,
        "columns 'year', 'month', 'day' together",
    ),
    Case(
        "weeks as ranges + semicolons",
        "Zeitraum;Besucher\n06.01.2025 - 12.01.2025;10\n13.01.2025 - 19.01.2025;20\n",
        [10, 20],
        ["2025-01-06", "2025-01-13"],
        "'06.01.2025 - 12.01.2025' is read as 2025-01-06",
    ),
    Case("months", "month,visitors\n2025-01,10\n2025-02,20\n", [10, 20], ["2025-01-01"]),
    Case(
        "month/year",
        "month,visitors\n01/2025,10\n02/2025,20\n",
        [10, 20],
        ["2025-01-01", "2025-02-01"],
        "'01/2025' is read as 2025-01-01",
    ),
    Case(
        "names of months",
        "month,visitors\nJan 2025,10\nFeb 2025,20\n",
        [10, 20],
        ["2025-01-01", "2025-02-01"],
        "'Jan 2025' is read as 2025-01-01",
    ),
    Case(
        "months as Excel shows them",
        "Month,Visitors\nDec-24,10\nJan-25,20\nFeb-25,30\n",
        [10, 20, 30],
        ["2024-12-01", "2025-01-01", "2025-02-01"],
        "'Dec-24' is read as 2024-12-01",
    ),
    Case(
        "Chinese and Japanese dates",
        "Date,Visitors\n2025年1月2日,10\n2025年1月3日,20\n",
        [10, 20],
        ["2025-01-02", "2025-01-03"],
        "'2025年1月2日' is read as 2025-01-02",
    ),
    Case(
        "names of months in German + weekdays + semicolons",
        "Tag;Besucher\nFr, 28. März 2025;10\nSa, 29. März 2025;20\n",
        [10, 20],
        ["2025-03-28", "2025-03-29"],
        "is read as 2025-03-28",
    ),
    Case(
        "English long dates + quotes",
        'day,visitors\n"January 30, 2025",10\n"January 31, 2025",20\n',
        [10, 20],
        ISO2,
        "'January 30, 2025' is read as 2025-01-30",
    ),
    Case(
        "quarters",
        "quarter,visitors\nQ1 2025,10\nQ2 2025,20\n",
        [10, 20],
        ["2025-01-01", "2025-04-01"],
        "'Q1 2025' is read as 2025-01-01",
    ),
    Case(
        "clock times of twelve hours + month/day/year",
        "Time,Visitors\n1/30/2025 11:00 PM,10\n1/31/2025 12:00 AM,20\n",
        [10, 20],
        ["2025-01-30T23", "2025-01-31T00"],
        "is read as 2025-01-30 23:00",
    ),
    Case(
        "midnight as 24:00 + an unusual name",
        "moment,visitors\n2025-01-30 23:00,10\n2025-01-30 24:00,20\n2025-01-31 01:00,30\n",
        [10, 20, 30],
        ["2025-01-30T23", "2025-01-31T00", "2025-01-31T01"],
    ),
    Case(
        "newest first + day.month.year",
        f"{DE}31.01.2025;20\n30.01.2025;10\n",
        [10, 20],
        ISO2,
        "from the newest to the oldest and are turned round",
    ),
    Case(
        "newest first + hours in a column of their own",
        "date,hour,visitors\n2025-01-31,0,30\n2025-01-30,23,20\n2025-01-30,22,10\n",
        [10, 20, 30],
        ["2025-01-30T22", "2025-01-30T23", "2025-01-31T00"],
        "turned round",
    ),
    Case(
        "clock times + day.month.year",
        "Zeitpunkt;Besucher\n30.01.2025 22:30;10\n30.01.2025 23:30;20\n",
        [10, 20],
        ["2025-01-30T22"],
        "is read as 2025-01-30 22:30",
    ),
    Case(
        "hours in a column of their own",
        "instant,dteday,season,yr,hr,temp,casual,registered,cnt\n"
        "1,2011-01-01,1,0,0,0.24,3,13,16\n2,2011-01-01,1,0,1,0.22,8,32,40\n",
        [16, 40],
        ["2011-01-01T00", "2011-01-01T01"],
        "columns 'dteday' and 'hr' together",
    ),
    Case(
        "clock times in a column of their own + day.month.year",
        "Datum;Uhrzeit;Besucher\n30.01.2025;22:00;10\n30.01.2025;23:00;20\n",
        [10, 20],
        ["2025-01-30T22", "2025-01-30T23"],
        "columns 'Datum' and 'Uhrzeit' together",
    ),
    Case(
        "gzip under another name",
        gzip.compress(b"day,visitors\n2025-01-30,10\n2025-01-31,20\n"),
        [10, 20],
        ISO2,
    ),
    Case(
        "texts that Excel leaves alone",
        '"day","visitors"\n"=""2025-01-30""","=""10"""\n"=""2025-01-31""","=""20"""\n',
        [10, 20],
        ISO2,
    ),
    Case(
        "byte order mark",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\n",
        [10, 20],
        ISO2,
        encoding="utf-8-sig",
    ),
    Case(
        "Latin-1",
        "tag;größe\n2025-01-30;10\n2025-01-31;20\n",
        [10, 20],
        ISO2,
        "Windows-1252",
        encoding="latin-1",
    ),
    Case(
        "Windows-1252 + euro signs + decimal commas",
        "tag;erlös\n2025-01-30;103,50 €\n2025-01-31;98,00 €\n",
        [103.5, 98],
        ISO2,
        "Windows-1252",
        encoding="cp1252",
    ),
    Case(
        "UTF-16 + tabs",
        "Tag\tGröße\n2025-01-30\t10\n2025-01-31\t20\n",
        [10, 20],
        ISO2,
        file="shop.txt",
        encoding="utf-16",
    ),
    Case(
        "UTF-16 without a mark + day.month.year",
        f"{DE}30.01.2025;10\n31.01.2025;20\n",
        [10, 20],
        ISO2,
        "'30.01.2025' is read as",
        encoding="utf-16-le",
    ),
    Case(
        "gzip + semicolons",
        "day;visitors\n2025-01-30;10\n2025-01-31;20\n",
        [10, 20],
        ISO2,
        file="shop.csv.gz",
    ),
    Case(
        "title lines",
        "Visitors of shop 12\nExported by Eva\n\nday,visitors\n2025-01-30,10\n2025-01-31,20\n",
        [10, 20],
        ISO2,
        "above the table are left out ('Visitors of shop 12' and 1 more)",
    ),
    Case(
        "title lines with empty cells + semicolons + day.month.year",
        "Besucher Filiale 12;;\n;;\nDatum;Besucher;Kasse\n30.01.2025;10;x\n31.01.2025;20;y\n",
        [10, 20],
        ISO2,
        "('Besucher Filiale 12')",
    ),
    Case(
        "comments above",
        "# ----------\n# All Users\n# 20250101-20250131\n\nDate,Users\n20250130,10\n20250131,20\n",
        [10, 20],
        ISO2,
        "('# ----------' and 2 more)",
    ),
    Case(
        "total line",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\nTotal,30\n",
        [10, 20],
        ISO2,
        "line 4 ('Total') is left out",
    ),
    Case(
        "total line + day.month.year + decimal commas",
        "Datum;Umsatz\n30.01.2025;10,5\n31.01.2025;20\n;\nGesamtergebnis;30,5\n",
        error="line 4, column 'Datum': the time is missing",
    ),
    Case(
        "total line in German + day.month.year",
        "Datum;Umsatz\n30.01.2025;10\n31.01.2025;20\nSumme:;30\n",
        [10, 20],
        ISO2,
        "line 4 ('Summe:') is left out",
    ),
    Case(
        "total and average + semicolons",
        "Datum;Umsatz\n2025-01-30;10\n2025-01-31;20\nSumme;30\nDurchschnitt;15\n",
        [10, 20],
        ISO2,
        "2 lines ('Summe', …) are left out: they are not data",
    ),
    Case(
        "total without a name",
        "visitors\n10\n20\n30\n60\n",
        [10, 20, 30, 60],
        [],
        "its last value is the sum of the others",
    ),
    Case(
        "files joined with their headings",
        "day,visitors\n2025-01-30,10\nday,visitors\n2025-01-31,20\n",
        [10, 20],
        ISO2,
        "the heading comes again and is left out (line 3)",
    ),
    Case(
        "remark below",
        "day,visitors\n2025-01-30,10\n2025-01-31,20\nSource: till receipts\n",
        [10, 20],
        ISO2,
        "line 4 ('Source: till receipts') is left out",
    ),
    Case(
        "a delimiter too many in every row",
        "day,visitors\n2025-01-30,10,\n2025-01-31,20,\n",
        [10, 20],
        ISO2,
    ),
    Case(
        "no heading + day.month.year",
        "30.01.2025;10\n31.01.2025;20\n",
        [10, 20],
        ISO2,
        "'30.01.2025' is read as",
    ),
    Case(
        "dates in a form of their own + an unusual name",
        "moment;visitors\nthe 30th;10\nthe 31st;20\n",
        [10, 20],
        [],
        "it has no dates: column 'moment' ('the 30th') holds no times",
    ),
    Case("no heading, one column", "10\n20\n", [10, 20], []),
    Case(
        "a heading that may be data",
        "Leeds,10\nLeeds,20\nLeeds,30\n",
        [20, 30],
        [],
        "its first line is taken for the names of the columns",
    ),
]
QUESTIONS = [
    Case("1.030 throughout", "Datum;Besucher\n2025-01-30;1.030\n", error="decimal=',' or decimal"),
    Case(
        "1.030 throughout + 01.02.2025",
        "Datum;Besucher\n01.01.2025;1.030\n02.01.2025;980\n",
        error="column 'Besucher': '1.030' could be 1030 or 1.03: pass decimal=','",
    ),
    Case(
        "1,030 throughout + quotes",
        'day,visitors\n2025-01-30,"1,030"\n2025-01-31,"980"\n',
        error="'1,030' could be 1030 or 1.03: pass decimal='.' or decimal=','",
    ),
    Case(
        "one column with commas", "visitors\n103,5\n98,1\n", error="one column with decimal comma"
    ),
    Case(
        "01/02/2025 throughout",
        "day,visitors\n01/02/2025,10\n02/02/2025,20\n",
        error="could be 2025-02-01 or 2025-01-02: pass dates='dmy' or dates='mdy'",
    ),
    Case(
        "01-02-2025 throughout",
        "day,visitors\n01-02-2025,10\n02-02-2025,20\n",
        error="pass dates='dmy' or dates='mdy'",
    ),
    Case(
        "years of two digits + points",
        f"{DE}01.02.25;10\n02.02.25;20\n",
        error="'01.02.25' could be 2025-02-01 or 2001-02-25: pass dates='dmy' or dates='ymd'",
    ),
    Case(
        "unquoted thousands",
        "day,visitors\n2025-01-30,1,030\n2025-01-31,980\n",
        error="line 2: 3 cells where the first row has 2",
    ),
    Case(
        "points and commas mixed",
        "day;visitors\n2025-01-30;1.5\n2025-01-31;2.5\n2025-02-01;1,5\n",
        error="line 4, column 'visitors': '1,5' is not a number",
    ),
    Case(
        "two currencies",
        "day;revenue\n2025-01-30;$1.5\n2025-01-31;2.5 €\n",
        error="several currencies ($, €)",
    ),
    Case(
        "percent in some cells",
        "day;share\n2025-01-30;10%\n2025-01-31;0.2\n",
        error="some cells have a percent sign",
    ),
    Case(
        "points in one date of many",
        "day,visitors\n01/02/2025,10\n02/02/2025,20\n03.02.2025,30\n",
        error="pass dates='dmy' or dates='mdy'",
    ),
    Case(
        "version numbers",
        "day;visitors\n2025-01-30;1.03.050\n2025-01-31;900\n",
        error="'1.03.050' is not a number",
    ),
    Case(
        "two orders of dates",
        "day,visitors\n01/30/2025,10\n01/31/2025,20\n30/02/2025,30\n",
        error="line 4, column 'day': '30/02/2025' is not a time",
    ),
    Case(
        "day numbers of a spreadsheet",
        "Date,Visitors\n45687,10\n45688,20\n",
        error="a spreadsheet's day number? 45687 would be 2025-01-30",
    ),
    Case(
        "a total in the middle",
        "day,visitors\n2025-01-30,10\nTotal,10\n2025-01-31,20\n",
        [10, 20],
        ISO2,
        "line 3 ('Total') is left out",
    ),
    Case(
        "old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1", error="save it as .xlsx or as CSV", file="a.xls"
    ),
    Case(
        "a page under the name of Excel",
        "<html><table><tr><td>day</td><td>visitors</td></tr></table></html>",
        error="holds HTML or XML, not a table: save it as .xlsx",
        file="a.xls",
    ),
    Case(
        "hours from 1 to 24",
        "date,hour,visitors\n2025-01-30,23,10\n2025-01-30,24,20\n",
        error="line 3, column 'hour': '24' is not a time of day",
    ),
    Case(
        "a slip in a column of an unusual name",
        "moment,visitors\n2025-01-30,10\n2025-01-31,20\n2025-02-30,30\n",
        error="line 4, column 'moment': '2025-02-30' is not a time",
    ),
    Case(
        "names of months alone in German",
        "Monat;Besucher\nJanuar;10\nFebruar;20\n",
        error="line 2, column 'Monat': 'Januar' is not a time",
    ),
    Case(
        "Jan-25 for days",
        "Day,Visitors\nJan-25,10\nJan-26,20\n",
        error="line 2, column 'Day': 'Jan-25' is not a time",
    ),
    Case(
        "units",
        "day,visitors\n2025-01-30,1.2k\n2025-01-31,900\n",
        error="line 2, column 'visitors': '1.2k' is not a number",
    ),
    Case(
        "the file of issue reports: semicolons, thousands points and day.month.year",
        "Datum;Besucher\n01.01.2025;1.030\n02.01.2025;1.105\n",
        error="decimal=','",
    ),
]


#: Two columns of numbers: what may be orders is asked about, everything else is noted.
PAIRS = {
    "clicks,orders": "asks",
    "orders,clicks": "asks",
    "unique_visitors,orders": "asks",
    "Unique Visitors,Bestellungen": "asks",
    "Klicks,Bestellungen": "asks",
    "Impressionen,Bestellungen": "asks",
    "Klicks,Kunden": "asks",
    "hits,customers": "asks",
    "Frequenz,Anzahl": "asks",
    "visitors,orders": "asks",
    "besucher,klicks": "asks",
    "clicks,buyers": "clicks",
    "passanten,clics": "clics",
    "page-views,temperature": "page-views",
    "Orders,Net sales": "Orders",
    "Umsatz,Bestellungen": "Bestellungen",
    "orders,average order value": "orders",
}


@pytest.mark.parametrize("pair", PAIRS)
def test_of_two_columns_the_one_taken_is_named(pair: str, tmp_path: Path) -> None:
    path, names = tmp_path / "shop.csv", pair.split(",")
    path.write_text(f"Tag,{pair}\n2025-01-30,800,24\n2025-01-31,790,31\n")
    if PAIRS[pair] == "asks":
        with pytest.raises(MultiplierError) as caught:
            read(path)
        likely = names[1] if names[0] == "orders" else names[0]
        assert f"the value column: {', '.join(names)}; choose one" in str(caught.value)
        assert f"value={likely!r}" in str(caught.value) or "Anzahl" in pair
        assert read(path, value=names[1]).values.tolist() == [24, 31]
        return
    other = next(name for name in names if name != PAIRS[pair])
    with pytest.warns(FileNote, match=f"the visitors are column '{PAIRS[pair]}', not '{other}'$"):
        G = read(path)
    assert G.at(1) == (800 if names[0] == PAIRS[pair] else 24)


def test_notes_point_at_the_line_that_reads(tmp_path: Path) -> None:
    path = tmp_path / "shop.csv"
    path.write_text("Tag,clicks,buyers\n30.01.2025,800,24\n31.01.2025,790,31\n")
    with pytest.warns(FileNote) as notes:
        read(path)
    assert {Path(note.filename) for note in notes} == {Path(__file__)}
    assert len(notes) == 2  # one for each thing that was noticed


def written(case: Case, folder: Path) -> Path:
    path = folder / case.file
    raw = case.text.encode(case.encoding) if isinstance(case.text, str) else case.text
    path.write_bytes(gzip.compress(raw) if case.file.endswith(".gz") else raw)
    return path


@pytest.mark.parametrize("case", GOOD + QUESTIONS, ids=lambda case: case.name)
def test_a_file_is_read_as_meant_or_asks(case: Case, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    if case.error:
        with pytest.raises(MultiplierError) as caught:
            read(path, **case.options)
        assert case.error in str(caught.value)
        return
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        G = read(path, **case.options)
    assert G.values.tolist() == case.values
    if case.times == []:
        assert G.calendar is None
    else:
        assert G.calendar is not None
        for time, expected in zip(G.calendar, case.times or ["?"], strict=False):
            assert str(time).startswith(expected)
    notes = [str(note.message) for note in noted]
    assert all(issubclass(note.category, FileNote) for note in noted)
    assert bool(notes) == bool(case.note), notes
    assert all(note.startswith(f"{path}: ") for note in notes)
    assert any(case.note in note for note in notes) or not case.note


def test_the_collection_is_varied() -> None:
    cases = GOOD + QUESTIONS
    assert len(cases) >= 60
    assert len({case.name for case in cases}) == len(cases)
    assert sum(" + " in case.name for case in cases) >= len(cases) / 4
