"""The wheel, as a user meets it: installed from the lock, used outside this tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parents[2]
#: What the wheel installs: the library, and the service beside it.
BUILDINGS = {"highseason", "highseason_service"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MINUTES = 60

GAMES = (
    "simulate --policy greedy --policy epsilon-greedy --multiplier christmas "  # quick to compile
    "--rewards bernoulli --arms 5 --turns 60 --games 20 --seed 7 --json"
).split()

BOUND = "bound -p epsilon-z:k=50,z=30 --means 0.5,0.9 --json".split()  # a quick kernel

RESULT = """
import highseason as hs
G = hs.traffic.wave(turns=40)
players = [hs.Greedy(), hs.EpsilonGreedy()]
result = hs.simulate(players, hs.rewards.bernoulli(arms=4), G, games=5, seed=7)
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the wheel in it, and a place to run it from."""

    folder: Path
    outside: Path  # a working folder that is not in the repository

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def variables(self) -> dict[str, str]:
        """A bare environment: nothing of the developer's leaks in."""
        return {
            "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.outside),
            "HIGHSEASON_CACHE_DIR": str(self.outside / "cache"),
            "COLUMNS": "200",
        }

    def run(
        self, *words: str | Path, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.outside,
            env=self.variables() if env is None else env,
            capture_output=True,
            text=True,
            timeout=10 * MINUTES,
            check=False,
        )

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.folder / "bin" / "highseason", *words)

    def script(self, code: str) -> subprocess.CompletedProcess[str]:
        return self.run(self.python, "-c", code)


def succeed(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, f"{done.args}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def pip(python: Path, *words: str | Path) -> None:
    """The developer's pip at work in another environment: its cache and settings are used."""
    succeed(
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", python, *words],
            capture_output=True,
            text=True,
            timeout=10 * MINUTES,
            check=False,
        )
    )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    succeed(
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
            capture_output=True,
            text=True,
            timeout=2 * MINUTES,
            check=False,
        )
    )
    (built,) = out.glob("*.whl")
    return built


def test_the_studies_are_in_the_source_distribution(tmp_path: Path) -> None:
    words = ["-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT]
    succeed(
        subprocess.run(
            [sys.executable, *words], capture_output=True, text=True, timeout=2 * MINUTES,
            check=False,
        )
    )  # fmt: skip
    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as content:
        names = {name.partition("/")[2] for name in content.getnames()}
    assert {"studies/__main__.py", "studies/simulated/page.html.j2"} <= names


def test_it_holds_the_package_and_no_study(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        folders = {name.partition("/")[0] for name in content.namelist()}
    assert {name for name in folders if not name.endswith(".dist-info")} == BUILDINGS


def environment(folder: Path) -> Environment:
    made = Environment(folder / "venv", folder / "elsewhere")
    made.outside.mkdir()
    venv.create(made.folder, symlinks=True)
    return made


@pytest.fixture(scope="session")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel without extras, with what the lock of the core brings."""
    bare = environment(tmp_path_factory.mktemp("core"))
    locked = ("--require-hashes", "--only-binary", ":all:", "-r", ROOT / "requirements/core.txt")
    pip(bare.python, "install", "--no-compile", *locked)
    # Without an index: whatever the wheel asks for must be what the lock has brought.
    pip(bare.python, "install", "--no-compile", "--no-index", wheel)
    return bare


@pytest.fixture(scope="session")
def everything(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel with all extras; they come from this environment, which the lock made."""
    full = environment(tmp_path_factory.mktemp("all"))
    (site,) = full.folder.glob("lib/python*/site-packages")
    (site / "locked.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    alone = ("--no-compile", "--no-index", "--ignore-installed", "--no-deps")
    pip(full.python, "install", *alone, wheel)
    pip(full.python, "install", "--no-index", f"{wheel}[all]")
    return full


def test_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    info = f"highseason-{PROJECT['version']}.dist-info"
    assert {name.split("/")[0] for name in names} == {*BUILDINGS, info}
    assert "highseason/py.typed" in names
    assert f"{info}/licenses/LICENSE" in names
    sources = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == sources


def test_core_needs_no_extra(core: Environment) -> None:
    found = core.script(
        "from importlib.util import find_spec\n"
        "print([m for m in ('pyarrow', 'polars', 'matplotlib', 'pytest') if find_spec(m)])"
    )
    assert succeed(found).strip() == "[]"
    assert "simulate" in succeed(core.command("--help"))


def test_core_plays_games_from_the_command_line(core: Environment) -> None:
    played = json.loads(succeed(core.command(*GAMES)))
    names = [policy["name"].partition(":")[0] for policy in played["policies"]]
    assert names == ["greedy", "epsilon-greedy"]
    for policy in played["policies"]:
        assert 0 < policy["reward_mean"] <= played["max_reward"]


def test_without_an_extra_the_error_names_it_and_the_core_saves_and_loads(
    core: Environment,
) -> None:
    for name in ("traffic.parquet", "events.parquet"):
        (core.outside / name).touch()
    code = f"{RESULT}\nresult.save('result.npz')\nprint(type(result).load('result.npz').policies)"
    for use in (
        "hs.traffic.read('traffic.parquet')",
        "hs.report.rewards(result).save('rewards.png')",
        "hs.logs.read_events('events.parquet')",
    ):
        code += f"\ntry:\n    {use}\nexcept ImportError as error:\n    print(repr(str(error)))"
    loaded, *errors = succeed(core.script(code)).splitlines()
    assert "epsilon-greedy" in loaded
    for error, extra in zip(errors, ("files", "plots", "logs"), strict=True):
        assert f"highseason[{extra}]" in error


def test_with_all_extras_frames_and_figures_work(everything: Environment) -> None:
    code = (
        f"{RESULT}\nhs.report.rewards(result).save('rewards.png')\n"
        "print(type(result.to_pandas()).__module__.split('.')[0])"
    )
    assert succeed(everything.script(code)).strip() == "pandas"
    assert (everything.outside / "rewards.png").read_bytes().startswith(b"\x89PNG")


def test_core_and_all_play_the_same_games(core: Environment, everything: Environment) -> None:
    first, second = (json.loads(succeed(e.command(*GAMES))) for e in (core, everything))
    assert comparable(first) == comparable(second)


def comparable(played: dict[str, Any]) -> Any:
    """What a game is, without how long it took."""
    return played["policies"], played["max_reward"]


@pytest.fixture(scope="session")
def read_only(wheel: Path, core: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package where no user can write beside it, not even root.

    Permissions do not bind root: each `__pycache__` is a plain file, where no folder can be made.
    """
    target = tmp_path_factory.mktemp("site")
    pip(core.python, "install", "--no-deps", "--no-compile", "--target", target, wheel)
    package = target / "highseason"
    for folder in {path.parent for path in package.rglob("*.py")}:
        (folder / "__pycache__").write_text("in the way")
        folder.chmod(0o555)
    return target


@pytest.mark.parametrize("home", ["/proc/nonexistent", None], ids=["no-such-home", "no-home"])
def test_read_only_without_a_home_warns_and_works(
    core: Environment, read_only: Path, home: str | None
) -> None:
    expected = succeed(core.command(*BOUND))
    env = {"PATH": os.defpath, "PYTHONPATH": str(read_only)}
    if home:
        env["HOME"] = home
    else:
        # Without HOME the password file may still name a real one: a path below a plain file
        # cannot be made by anybody.
        env["XDG_CACHE_HOME"] = str(read_only / "highseason" / "py.typed" / "cache")
    code = "import highseason.cli as c; assert c.__file__.startswith({!r}); c.main()"
    done = core.run(core.python, "-c", code.format(str(read_only)), *BOUND, env=env)
    assert succeed(done) == expected
    assert "HIGHSEASON_CACHE_DIR" in done.stderr
    assert "Traceback" not in done.stderr
