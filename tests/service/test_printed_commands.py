"""Every command that pages, README and `--help` print runs; here are those that need a service.

What else they print runs in tests/docs and tests/cli.  Addresses of databases that are not here are
replaced by those of a real PostgreSQL, and all services listen on loopback.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.test_help import SERVED
from tests.docs.test_examples import PAGES, SHELL, blocks, commands
from tests.service.conftest import MOMENT, Server, settings
from tests.service.postgresql import PostgreSQL
from tests.service.test_prices import priced

from highseason.cli import main
from highseason.logs import write_events
from highseason_service import Service
from highseason_service.model import Arm, Outcome, prices_of
from studies.logged.generate import generate_events

INLINE = re.compile(r"`(highseason [^`]+ --[^`]+)`")
#: What stands for other commands, what is made to run for an hour, and what test_commands.py runs.
LEFT_OUT = ("highseason COMMAND --help", "--games 10000000", "serve --demo")


def printed() -> Iterator[str]:
    """What is marked as not to run, what stands in README's sentences, and the help's examples."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in blocks(text):
            if block.no_run is not None and block.language in SHELL:
                yield from commands(block.code)
        if page.name == "README.md":
            yield from INLINE.findall(text)
    yield from SERVED


COMMANDS = sorted(
    {
        shlex.join(shlex.split(line.replace("\\\n", " "), comments=True))
        for line in printed()
        if line.startswith("highseason ") and not any(part in line for part in LEFT_OUT)
    }
)


def of(*names: str) -> list[str]:
    return [line for line in COMMANDS if line.split()[1] in names]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the commands name."""
    monkeypatch.chdir(tmp_path)
    for name in ("traffic.csv", "visitors.csv"):
        run("highseason sample --last 2026-11-02 --out " + name)
    rows = "".join(f"2026-11-{day:02},{300 + day}\n" for day in range(1, 31))
    Path("season.csv").write_text("day,visitors\n" + rows, encoding="utf-8")
    return tmp_path


@pytest.fixture
def databases(folder: Path) -> None:
    """A shop and its copy by the default name, each with a shelf and a token."""
    with Service("shop.db", clock=lambda: MOMENT) as service:
        service.create(settings("shelf-7"))
        service.decide("shelf-7", 1)
    for name in ("reader", "till"):
        run(f"highseason token create --name {name} --scope read --database shop.db")
    shutil.copy("shop.db", "highseason.db")


def run(line: str) -> str:
    done = CliRunner().invoke(main, shlex.split(line)[1:])
    assert done.exit_code == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_every_kind_is_there() -> None:
    """And no other: a command that no test below runs fails here."""
    here = {*of("experiment"), *of("serve"), *of("audit", "backup", "token"), *of(*OTHERS)}
    assert here == set(COMMANDS)
    assert len(of("experiment")) > 25
    assert (
        "highseason serve --experiment visitors.csv --price 9.99 --price 10.99 --cost 4.20"
        in COMMANDS
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", of("experiment"))
def test_an_experiment(line: str, live: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIGHSEASON_URL", live.url)
    service = live.service
    if line.split()[2] != "create":
        service.create(priced("tea", arms=prices_of([8.99, 9.99, 10.99, 11.99], 4.2)))
        service.create(settings("banner", policy="option-index", reward_range=(0, 12)))
        for name, brought in (("tea", {"purchases": 12.0}), ("banner", {"reward": 900.0})):
            service.decide(name, 1)
            service.update_many(name, [Outcome(1, visitors=200.0, **brought)])
        if line.split()[2] == "update":
            for price in ("8.99", "10.99", "11.99"):  # takings are a number of sales at 9.99
                service.remove_arm("tea", price)
            for name in ("tea", "banner"):
                service.decide(name, 17)  # the only one that waits: over or not
    if line.split()[2] == "resume":
        service.change_status("tea", "pause")
    assert run(line)


@pytest.fixture
def known(postgresql: PostgreSQL) -> Iterator[Callable[[str], str]]:
    """Put an empty database of PostgreSQL in place of one that is not here."""
    made: list[str] = []

    def replaced(line: str) -> str:
        def fresh(_: re.Match[str]) -> str:
            made.append(f"printed{len(made)}")
            return postgresql.create(made[-1])

        line = re.sub(r"postgresql://\S+", fresh, line)
        return line.replace("--host 0.0.0.0", "--host 127.0.0.1")

    yield replaced
    for name in made:
        postgresql.drop(name)


@pytest.mark.usefixtures("databases")
@pytest.mark.parametrize("line", of("audit", "backup", "token"))
def test_a_database(line: str, known: Callable[[str], str]) -> None:
    line = known(line)
    if line.startswith("highseason token create --name till"):
        run("highseason token revoke --name till")
    if url := re.search(r"audit.*(postgresql://\S+)", line):
        run(f"highseason backup --database shop.db --out {url[1]}")
    run(line)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", of("serve"))
def test_a_service(line: str, known: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the endless part, which test_commands.py starts as a process of its own."""
    names: list[str] = []

    def look(service: Service, *_: object, **__: object) -> None:
        names.extend(one.id for one in service.experiments())

    monkeypatch.setattr("highseason_service.server.serve", look)
    words = known(line).split()
    run(shlex.join(words))
    assert names == ([Path(words[3]).stem] if words[2:3] == ["--experiment"] else [])


OTHERS = ("advise", "noise", "replay", "simulate")


@pytest.mark.usefixtures("few_games")
@pytest.mark.parametrize("line", of(*OTHERS))
def test_what_else_no_page_runs(line: str, folder: Path) -> None:
    for name in ("north", "south", "east"):
        write_events(generate_events(1 / 96, seed=3, articles=5).events, folder / f"{name}.parquet")
    rows = "".join(f"2026-01-{d:02},{a},{d + a},{300 + d}\n" for d in range(1, 31) for a in (8, 9))
    Path("history.csv").write_text("date,price,orders,sessions\n" + rows, encoding="utf-8")
    Path("my_policy.py").write_text(own_policy(), encoding="utf-8")
    assert run(line)


def own_policy() -> str:
    """The class that the guide to policies shows, with the imports above it."""
    (page,) = (page for page in PAGES if page.name == "your-own-policy.md")
    return next(b.code for b in blocks(page.read_text("utf-8")) if b.language == "python")


@pytest.mark.usefixtures("quick_advice")
def test_what_advice_prints_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the arms are called."""
    run("highseason sample --out traffic.csv")
    arms = ["9,99", "blue banner", "10.99=cheap", "50 % off"]
    words = shlex.join(word for arm in arms for word in ("--arm", arm))
    advice = json.loads(run(f"highseason advise traffic.csv {words} --games 5 --json"))
    made: list[Arm] = []

    def look(service: Service, *_: object, **__: object) -> None:
        made.extend(service.look("traffic", lambda live: live.settings.arms))

    monkeypatch.setattr("highseason_service.server.serve", look)
    plan, serve, python = (one.replace("\\\n", " ") for one in advice["next"])
    assert (plan.split()[1], serve.split()[1]) == ("plan", "serve")
    assert "try " in run(plan)
    run(serve)
    assert [arm.label or arm.id for arm in made] == ["9,99", "blue banner", "cheap", "50 % off"]
    assert [arm.id for arm in made] == ["9.99", "blue banner", "10.99", "50 off"]
    names = '["9,99", "blue banner", "cheap", "50 % off"]'
    assert names in python
    exec(python.replace("print(", "str("), {})  # the commands' files are here
