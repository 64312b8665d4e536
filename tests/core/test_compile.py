"""The traps of a compile cache, each with a cache folder of its own.

Those that only another process shows run in one (`machine`); the others run here (`user`), which
is much quicker.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import io
import os
import pkgutil
import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from tests.reference.parts import require_part

import highseason
from highseason.core import compile as room
from highseason.core.jitable import jitable, registered

SOURCES = Path(highseason.__file__).parent
COMPILING = "compiling for this machine"
CACHE_FOLDER = room._cache_folder.__wrapped__

# A kernel of the user's own, small enough to compile in no time.
KERNEL = """\
import logging
from numba import types
from highseason.core.compile import compiled

def triple(x):
    return 3.0 * x

run = compiled(triple, types.float64(types.float64))
print(run(2.0), "hits", sum(run.stats.cache_hits.values()))
"""

# The package's cheapest kernel with a helper in another file.
MEANS = """\
import numpy as np
import highseason as hs
centres = np.linspace(0.0, 1.0, 2000)
print(hs.rewards.truncated_normal(arms=2, sigma=0.5).means(centres).sum())
"""

SIMULATE = """\
import highseason as hs
result = hs.simulate(
    hs.UCB(),
    hs.rewards.bernoulli(means=[0.9, 0.1, 0.5]),
    hs.traffic.wave(40),
    games=5,
)
print(result.games["reward"].tolist(), result.games["best_pulls"].tolist())
"""


class Machine:
    """A place where Python runs: its own cache folder, its own copy of the sources if need be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache: Path | None = folder / "cache"
        self.sources = SOURCES.parent

    def run(self, code: str, *, script: str = "user.py", **environment: str) -> tuple[str, str]:
        """Run `code` as a file; what it printed, and what it said on stderr."""
        file = self.folder / script
        file.write_text(code)
        return self.python(str(file), **environment)

    def python(self, *arguments: str, stdin: str = "", **environment: str) -> tuple[str, str]:
        settings = {"PYTHONPATH": str(self.sources)}
        if self.cache is not None:  # else where everything else is kept
            settings["HIGHSEASON_CACHE_DIR"] = str(self.cache)
        done = subprocess.run(
            [sys.executable, *arguments],
            env={k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
            | settings
            | environment,
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.folder,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    def copy_sources(self) -> Path:
        """Sources that a test may edit; the package's folder."""
        copied = self.folder / "site"
        shutil.copytree(
            SOURCES, copied / "highseason", ignore=shutil.ignore_patterns("__pycache__")
        )
        self.sources = copied
        return copied / "highseason"

    def files(self, pattern: str) -> list[Path]:
        assert self.cache is not None
        return sorted(self.cache.rglob(pattern))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


class User:
    """Somebody whose files run in this process, each time as if for the first time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, code: str, *, script: str = "user.py") -> list[str]:
        """Run `code` as a file, with modules as they are on disk now; the words it printed."""
        file = self.folder / script
        file.write_text(code)
        for module in self.folder.glob("*.py"):
            sys.modules.pop(module.stem, None)
        importlib.invalidate_caches()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            runpy.run_path(str(file))
        return printed.getvalue().split()

    def type(self, code: str) -> list[str]:
        """Run `code` as a REPL does: without a file; the words it printed."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "<stdin>", "exec"), {"__name__": "__main__"})
        return printed.getvalue().split()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder for this process."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(room, "_cache_folder", lambda: folder)
    return folder


@pytest.fixture
def user(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.syspath_prepend(tmp_path)
    # Bytecode is judged by the second: an edit within one would not be seen.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return User(tmp_path)


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text, (
        f"{file.name} no longer says {before!r}; let the test edit something else"
    )
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_a_second_process_compiles_nothing(machine: Machine) -> None:
    first, said = machine.run(MEANS)
    assert said.count(COMPILING) == 1  # said once, however much is compiled
    kept = {file: file.stat().st_mtime_ns for file in machine.files("*.nb?")}
    assert kept
    second, silent = machine.run(MEANS)
    assert second == first
    assert COMPILING not in silent
    assert {file: file.stat().st_mtime_ns for file in machine.files("*.nb?")} == kept


AROUND = """\
from numba import types
from highseason.core.compile import compiled
from highseason.core.jitable import jitable
import one, two

def twice(function):
    def run(x):
        return 2.0 * function(x)
    return compiled(run, types.float64(types.float64))

kept = [twice(jitable(one.f)), twice(jitable(two.f))]
print(*(run(1.0) for run in kept), "hits", sum(sum(run.stats.cache_hits.values()) for run in kept))
"""


def test_closures_around_several_functions_are_kept_side_by_side(user: User) -> None:
    for name, factor in (("one", 3.0), ("two", 5.0)):
        (user.folder / f"{name}.py").write_text(f"def f(x):\n    return {factor} * x\n")
    assert user.run(AROUND) == ["6.0", "10.0", "hits", "0"]
    assert user.run(AROUND) == ["6.0", "10.0", "hits", "2"]
    edit(user.folder / "two.py", "5.0", "7.0")
    assert user.run(AROUND) == ["6.0", "14.0", "hits", "1"]


# As above, but called through pointers, as kernels call the functions of a rule.
APART = """\
import sys
from numba import types
from highseason.core.compile import compiled

def times(factor):
    def run(x):
        return factor * x
    return run

def both(f, g, x):
    return 100.0 * f(x) + g(x)

one = types.float64(types.float64)
kept = [compiled(times(float(factor)), one) for factor in sys.argv[1:]]
if len(kept) == 2:
    pointer = types.FunctionType(one)
    print(compiled(both, types.float64(pointer, pointer, types.float64))(*kept, 1.0))
"""


def test_closures_kept_by_different_processes_stay_apart(machine: Machine) -> None:
    file = machine.folder / "apart.py"
    file.write_text(APART)
    for factor in "23":
        machine.python(str(file), factor)
    assert machine.python(str(file), "2", "3")[0] == "203.0\n"


def test_an_edited_helper_is_noticed(machine: Machine) -> None:
    package = machine.copy_sources()
    first, _ = machine.run(MEANS)
    edit(package / "core/special.py", "inside + normal_cdf(-b)", "inside - normal_cdf(-b)")
    edited, said = machine.run(MEANS)
    assert edited != first
    assert COMPILING in said
    assert len(machine.files("*/")) == 2  # a cache for each state of the sources


def test_every_compilable_function_is_in_a_file_that_the_cache_watches() -> None:
    for module in pkgutil.walk_packages(highseason.__path__, "highseason."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    # A policy's step is compiled with the replay that needs it, and stamped with its own file.
    marked = (e.function for e in registered() if not e.function.__qualname__.endswith(".step"))
    files = {Path(inspect.getfile(function)) for function in marked}
    ours = {file.relative_to(SOURCES).as_posix() for file in files if SOURCES in file.parents}
    assert ours
    assert ours <= set(room._compiled_sources())


def test_processes_that_start_together_compile_once(machine: Machine) -> None:
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: machine.run(KERNEL)[0].split(), range(2)))
    assert sorted(hits for *_, hits in done) == ["0", "1"]


def test_an_edit_of_the_users_own_file_is_noticed(user: User) -> None:
    assert user.run(KERNEL) == ["6.0", "hits", "0"]
    assert user.run(KERNEL) == ["6.0", "hits", "1"]
    assert user.run(KERNEL.replace("3.0 * x", "5.0 * x")) == ["10.0", "hits", "0"]


def test_an_edit_of_the_users_helper_file_is_noticed(user: User) -> None:
    helper = "from highseason.core.jitable import jitable\n@jitable\ndef bonus(x): return {} * x\n"
    code = "from helper import bonus\n" + KERNEL.replace("3.0 * x", "bonus(x)")
    (user.folder / "helper.py").write_text(helper.format(3.0))
    assert user.run(code)[0] == "6.0"
    (user.folder / "helper.py").write_text(helper.format(5.0))
    assert user.run(code)[0] == "10.0"


def test_an_edit_two_files_away_is_noticed(user: User) -> None:
    mark = "from highseason.core.jitable import jitable\n@jitable\n"
    (user.folder / "far.py").write_text(f"FACTOR = 3.0\n{mark}def far(x): return FACTOR * x\n")
    near = f"import far\n{mark}def twice(x): return near(x)\n"
    near += "@jitable\ndef near(x): return far.far(x)\n"
    (user.folder / "near.py").write_text(near)
    code = "from near import twice\n" + KERNEL.replace("3.0 * x", "twice(x)")
    assert user.run(code) == ["6.0", "hits", "0"]
    assert user.run(code) == ["6.0", "hits", "1"]
    (user.folder / "far.py").write_text(f"FACTOR = 5.0\n{mark}def far(x): return FACTOR * x\n")
    assert user.run(code) == ["10.0", "hits", "0"]


@pytest.mark.parametrize("how", ["numbers.K", "numbers.ARRAY[0]"])
def test_an_edit_of_numbers_in_another_file_is_noticed(user: User, how: str) -> None:
    code = "import numbers_of_mine as numbers\n" + KERNEL.replace("3.0 * x", f"{how} * x")
    content = "import numpy as np\nK = {0}\nARRAY = np.array([{0}])\n"
    (user.folder / "numbers_of_mine.py").write_text(content.format(3.0))
    assert user.run(code) == ["6.0", "hits", "0"]
    assert user.run(code) == ["6.0", "hits", "1"]
    (user.folder / "numbers_of_mine.py").write_text(content.format(5.0))
    assert user.run(code) == ["10.0", "hits", "0"]


def test_files_of_one_name_do_not_share_a_cache(user: User) -> None:
    (user.folder / "a").mkdir()
    (user.folder / "b").mkdir()
    assert user.run(KERNEL, script="a/user.py")[0] == "6.0"
    other = KERNEL.replace("3.0 * x", "5.0 * x")
    assert user.run(other, script="b/user.py") == ["10.0", "hits", "0"]
    assert user.run(KERNEL, script="a/user.py") == ["6.0", "hits", "1"]
    assert user.run(other, script="b/user.py") == ["10.0", "hits", "1"]


def test_closures_over_other_values_do_not_share_a_cache(user: User) -> None:
    code = """\
from numba import types
from highseason.core.compile import compiled

def times(factor):
    def run(x):
        return factor * x
    return run

print(*(compiled(times(f), types.float64(types.float64))(2.0) for f in (3.0, 5.0)))
"""
    assert user.run(code) == ["6.0", "10.0"]
    assert user.run(code) == ["6.0", "10.0"]


def test_where_nothing_can_be_written_it_compiles_in_memory_and_warns(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user.folder / "a file").write_text("")  # no folder can be made in a file, even by root
    monkeypatch.setenv("HIGHSEASON_CACHE_DIR", str(user.folder / "a file" / "cache"))
    monkeypatch.setattr(room, "_cache_folder", functools.cache(CACHE_FOLDER))
    with pytest.warns(room.CacheWarning, match="HIGHSEASON_CACHE_DIR"):
        assert user.run(KERNEL) == ["6.0", "hits", "0"]
    assert user.run(KERNEL) == ["6.0", "hits", "0"]  # which warns no more


def test_where_nothing_can_be_written_the_import_says_nothing(machine: Machine) -> None:
    machine.cache = machine.folder / "user.py" / "cache"
    assert machine.run("import highseason") == ("", "")


def test_without_a_home_it_works(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    for name in ("HOME", "XDG_CACHE_HOME", "HIGHSEASON_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)  # which knows no user
    monkeypatch.setattr(room, "_cache_folder", functools.cache(CACHE_FOLDER))
    monkeypatch.chdir(user.folder)
    assert user.run(KERNEL)[0] == "6.0"


def test_a_function_typed_in_a_repl_is_compiled_uncached(user: User, cache: Path) -> None:
    for _ in range(2):
        assert user.type(KERNEL) == ["6.0", "hits", "0"]
    assert list(cache.iterdir()) == []


TYPED = """\
import highseason as hs
from highseason.policies import Policy
def choose(state, turn):
    first = hs.policies.untried(state)
    if first >= 0:
        return first, False
    return hs.policies.leader(state, turn), True
class Mine(Policy):
    rule = hs.policies.Rule("mine", choose, lambda number, t, arms: number)
    suppress_plan_warning = True
    def step(self, carry, view):
        return 0.0, carry
G, rewards = hs.traffic.wave(60), hs.rewards.bernoulli(arms=4)
both = hs.simulate({"mine": Mine(), "greedy": hs.Greedy()}, rewards, G, games=20)
print((both.games["reward"][0] == both.games["reward"][1]).all())
"""


def test_a_rule_typed_in_a_repl_plays(tmp_path: Path) -> None:
    assert User(tmp_path).type(TYPED) == ["True"]


def compiled_again() -> tuple[float, int]:
    """What the kernel below computes, and how often it was found in the cache."""
    from numba import types

    run = room.compiled.__wrapped__(quadruple, types.float64(types.float64))
    return run(2.0), sum(run.stats.cache_hits.values())


def quadruple(x: float) -> float:
    return 4.0 * x


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc", "*.nb?"])
@pytest.mark.parametrize("damage", [b"", b"garbage\n", b"\x80\x04", None])
def test_a_damaged_cache_file_is_survived(cache: Path, kind: str, damage: bytes | None) -> None:
    assert compiled_again() == (8.0, 0)
    assert compiled_again() == (8.0, 1)
    files = list(cache.glob(kind))
    assert files
    for file in files:
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert compiled_again() == (8.0, 0)
    assert compiled_again() == (8.0, 1)  # and it was replaced


def test_a_disk_that_fails_later_is_survived(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from numba.core import caching

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_save_data", full)
    assert compiled_again() == (8.0, 0)
    assert "No space left on device" in caplog.text


def test_with_the_jit_off_the_function_itself_runs(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, said = machine.run(SIMULATE, NUMBA_DISABLE_JIT="1")
    assert said == ""
    assert machine.files("*.nb?") == []
    exec(SIMULATE, {})  # compiled, in this process
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"HIGHSEASON_CACHE_DIR": "/x/y"}, "/x/y"),
        ("linux", {"XDG_CACHE_HOME": "/caches"}, "/caches/highseason"),
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache/highseason"),
        ("darwin", {"HOME": "/home/a"}, "/home/a/Library/Caches/highseason"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/highseason"),
    ],
)
def test_where_compiled_code_is_kept(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], folder: str
) -> None:
    for name in ("HIGHSEASON_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert room._cache_root() == Path(folder)


def test_a_kernel_has_the_same_stamp_in_every_process() -> None:
    code = (
        "from highseason.core.compile import source_stamp\n"
        "from highseason.engine.kernels.any_rule import any_rule_kernel, oracle_kernel\n"
        "print(source_stamp(any_rule_kernel), source_stamp(oracle_kernel))"
    )
    stamps = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(stamps) == 1


#: Parts of numba that are no public API, by what `core.compile` does with them.
PRIVATE = {
    "numba.core.bytecode:FunctionIdentity._unique_ids": "numbers the symbols of compiled functions",
    "numba.core.caching:_CacheLocator": "says where compiled code is kept",
    "numba.core.caching:FunctionCache.load_overload": "loads compiled code",
    "numba.core.caching:FunctionCache.save_overload": "keeps compiled code",
    "numba.core.caching:FunctionCache.flush": "empties a damaged index",
    "numba.core.caching:CompileResultCacheImpl.get_filename_base": "names the files of the cache",
    "numba.core.compiler_lock:global_compiler_lock": "is held while a switch is changed",
    "numba.core.dispatcher:Dispatcher.enable_caching": "sets `_cache`, as we do",
    "numba.core.options:DefaultOptions.no_cfunc_wrapper": "spares functions that only kernels call",
    "numba:config.SLP_VECTORIZE": "lets the compiler combine operations",
}


def test_one_file_uses_parts_of_numba_that_are_no_public_api() -> None:
    using = [file for file in SOURCES.rglob("*.py") if "numba.core" in file.read_text()]
    assert using == [SOURCES / "core/compile.py"]


@pytest.mark.parametrize("name", PRIVATE)
def test_numba_has_the_parts_that_are_used(name: str) -> None:
    require_part("numba", name, PRIVATE[name], "core/compile.py")


@pytest.mark.parametrize(("hold", "counts"), [(lambda array: array, True), (room.uncounted, False)])
@pytest.mark.usefixtures("cache")  # code that is read from a cache shows nothing
def test_no_references_to_an_uncounted_array_are_counted(hold: Any, counts: bool) -> None:
    hold = jitable(hold)

    def same(array: Any) -> Any:
        return hold(array)

    rows = numba.types.float64[:, ::1]
    run: Any = room.compiled(same, rows(rows))
    assert run(np.arange(6.0).reshape(2, 3)).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert ("call void @NRT_incref" in str(run.inspect_llvm())) is counts, (
        "numba counts references to arrays from `carray`: adapt `uncounted` in core/compile.py"
    )


def test_a_part_that_moved_is_named() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"numba \S+ has no numba.core:gone, which .*"):
        require_part("numba", "numba.core:gone", "is needed", "core/compile.py")
