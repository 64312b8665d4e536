"""Change single operators and constants of `src`, and see whether the tests notice.

    python tests/mutants.py --rooms traffic logs --sample 20 --seed 1 --jobs 2 --minutes 30

Each change is made in a copy of the tree.  The tests of the room that execute the changed line run
against it, fastest first: a failing one kills the mutant.  What survives is listed, and so is what
ran into its time limit, which is no evidence.  A change that makes an equal program is listed in
`equal_changes.toml` with its reason.  The exit status is 1 below 85% killed, or 70% in a room.

Which test executes which line is measured once per test file, and kept in `.mutants_cache` until
the test file or a source of the room changes.  It runs with `NUMBA_DISABLE_JIT=1`: kernels are then
plain Python that coverage sees, and a mutant needs no compiling.  Tests that fail that way, or take
too long, run compiled, on mutants outside of compiled code.  What takes too long even then takes no
part, and neither do tests marked `slow`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import compileall
import contextlib
import hashlib
import json
import math
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

#: Another tree than this one is for the test of this program.
ROOT = Path(os.environ.get("MUTANTS_ROOT", Path(__file__).parents[1])).resolve()
HERE = str(Path(__file__).resolve().parent)
EQUAL = ROOT / "tests/equal_changes.toml"
CACHE = ROOT / ".mutants_cache"

LEAST = 85  # percent killed over all
LEAST_IN_A_ROOM = 70

LONGEST = 6.0, 20.0  # seconds of the processor for one test, plain and compiled
MEASURING = 45.0, 90.0  # the same for measuring a file of tests
MOST_TESTS = 25.0  # seconds of tests for one mutant, as they were measured
LIMIT = 180.0  # seconds of one mutant by the clock
PATIENCE = 6  # times as long by the clock as on the processor, and a test waits for nothing

#: Folders of the tree that `make` writes.
WRITTEN = ("dist", "htmlcov", "report", "site")

#: Of every process that runs tests; plugins of pytest would take half of a start.
SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",
    "COVERAGE_CORE": "ctrace",  # the only one with contexts
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}

#: Imported once, before processes fork: all the time of a start except for our own modules.
HEAVY = "pytest coverage numpy numba pandas scipy.stats scipy.optimize hypothesis".split()

SWAPS: dict[type, tuple[str, ...]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}


@dataclass(frozen=True)
class Mutant:
    """One change of one source: `before` at `start` (in bytes) becomes `after`."""

    file: str
    line: int
    text: str
    start: int
    before: str
    after: str

    @property
    def change(self) -> str:
        return f"{self.before} → {self.after}" if self.after else f"no {self.before}"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file, self.text, self.change

    def applied(self, source: bytes) -> bytes:
        end = self.start + len(self.before.encode())
        return source[: self.start] + self.after.encode() + source[end:]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}    {self.text}"


# ---- what may be changed ----------------------------------------------------------------------


def _left_out(node: ast.AST) -> Iterator[ast.AST | None]:
    """Parts of a node that are no program: types, messages, names exported, decorators, guards.

    `strict=True` of `zip` is an assertion: only another mistake would show that it is missing.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.returns
        yield from node.decorator_list
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.keywords)
    elif isinstance(node, ast.keyword) and node.arg in ("strict", "stacklevel"):
        yield node.value
    elif isinstance(node, ast.arg | ast.AnnAssign):
        yield node.annotation
    elif isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert):
        yield from ast.iter_child_nodes(node)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _TALK:
        yield from (*node.args, *node.keywords)
    elif isinstance(node, ast.If) and ast.unparse(node.test) in _NEVER:
        yield from (node.test, *node.body)
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        yield node.value


_TALK = ("warn", "cast", "TypeVar", "add_argument", "overload")
_NEVER = ("TYPE_CHECKING", "__name__ == '__main__'")


def mutants_of(file: str, source: bytes) -> list[list[Mutant]]:
    """The changes of each place in a source that may be changed, place by place."""
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    tree = ast.parse(source)
    without = {id(part) for node in ast.walk(tree) for part in _left_out(node) if part}

    def begin(node: Any) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: Any) -> int:
        return starts[node.end_lineno - 1] + node.end_col_offset

    def between(first: ast.AST, second: ast.AST, operator: Any) -> list[tuple[int, str, str]]:
        symbol, *others = SWAPS.get(type(operator), ("",))
        gap = source[end(first) : begin(second)].decode()
        found = re.search(rf"(?<![*/<>=!]){re.escape(symbol)}(?![*/<>=])", gap)
        if not others or not found or "#" in gap:
            return []
        at = end(first) + len(gap[: found.start()].encode())
        return [(at, symbol, other) for other in others]

    def changes(node: ast.AST) -> Iterator[list[tuple[int, str, str]]]:
        if isinstance(node, ast.BinOp):
            yield between(node.left, node.right, node.op)
        elif isinstance(node, ast.AugAssign):
            gap = source[end(node.target) : begin(node.value)].decode()
            symbol, *others = SWAPS.get(type(node.op), ("",))
            if others and f" {symbol}= " in gap:
                at = end(node.target) + gap.index(f"{symbol}=")
                yield [(at, f"{symbol}=", f"{other}=") for other in others]
        elif isinstance(node, ast.Compare):
            for left, operator, right in zip(
                [node.left, *node.comparators], node.ops, node.comparators, strict=False
            ):
                yield between(left, right, operator)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield between(left, right, node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield [(begin(node), "not ", "")]
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield [(begin(node), str(node.value), str(not node.value))]
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            text = source[begin(node) : end(node)].decode()
            near = [node.value + by for by in (1, -1)]
            yield [(begin(node), text, repr(value)) for value in near if value != node.value]

    def walk(node: ast.AST) -> Iterator[list[tuple[int, str, str]]]:
        if id(node) not in without:
            yield from changes(node)
            for child in ast.iter_child_nodes(node):
                yield from walk(child)

    places = []
    for place in walk(tree):
        made = []
        for start, before, after in place:
            line = source[:start].count(b"\n") + 1
            text = source[starts[line - 1] : starts[line]].decode().strip()
            made.append(Mutant(file, line, text, start, before, after))
        if made:
            places.append(made)
    return places


def sources_of(room: str) -> list[Path]:
    """The service is a building beside the library, and counts as one room here."""
    folder = "highseason_service" if room == "service" else f"highseason/{room}"
    return sorted((ROOT / "src" / folder).rglob("*.py"))


def sample(room: str, size: int, seed: int) -> list[Mutant]:
    """Random places of a room, and one random change of each."""
    places = []
    for path in sources_of(room):
        places += mutants_of(path.relative_to(ROOT).as_posix(), path.read_bytes())
    chance = random.Random(f"{room} {seed}")
    return [chance.choice(place) for place in chance.sample(places, min(size, len(places)))]


def equal_changes() -> dict[tuple[str, str, str], str]:
    """Changes that make an equal program, with the reason why."""
    listed = tomllib.loads(EQUAL.read_text(encoding="utf-8"))["change"]
    return {(one["file"], one["line"], one["change"]): one["reason"] for one in listed}


# ---- in a process of its own: run some tests --------------------------------------------------


class Overtime(BaseException):
    """A test takes too long."""


class Watch:
    """A plugin of pytest: runs the tests that are asked for, in that order, each with a limit."""

    def __init__(self, wanted: list[str] | None, coverage: Any, stop: bool, compiled: bool) -> None:
        self.wanted = wanted and {name: place for place, name in enumerate(wanted)}
        self.coverage = coverage
        self.stop = stop
        self.longest = LONGEST[compiled]
        self.end = time.process_time() + MEASURING[compiled]
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.slow: list[str] = []
        self.chosen: list[str] = []
        self.last = self.late = math.inf

    def give_up(self, finish: Callable[[], None]) -> None:
        """End it all where a test waits for threads, which neither signal nor exception reaches."""
        while time.process_time() < self.last and time.monotonic() < self.late:
            time.sleep(0.5)
        self.slow += [test for test in self.chosen if test not in self.seconds]
        finish()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        long = ("soak", "slow", "wheel")
        items[:] = [item for item in items if not any(map(item.get_closest_marker, long))]
        if self.wanted is not None:
            items[:] = [item for item in items if item.nodeid in self.wanted]
            items.sort(key=lambda item: self.wanted[item.nodeid])
        self.chosen = [item.nodeid for item in items]

    def pytest_runtest_protocol(self, item: Any) -> None:
        def ring(*_: Any) -> None:
            self.slow.append(item.nodeid)
            raise Overtime

        signal.signal(signal.SIGPROF, ring)
        signal.setitimer(signal.ITIMER_PROF, self.longest)
        self.last = time.process_time() + 2 * self.longest
        self.late = time.monotonic() + PATIENCE * self.longest
        if self.coverage:
            self.coverage.switch_context(item.nodeid)

    def pytest_runtest_setup(self, item: Any) -> None:
        if self.coverage and time.process_time() > self.end:
            self.slow.append(item.nodeid)
            raise Overtime

    def pytest_runtest_logfinish(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.last = self.late = math.inf

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = report.duration
        if report.failed and report.nodeid not in self.slow:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logstart(self) -> None:
        if self.stop and self.failed:
            raise KeyboardInterrupt


def child(
    root: str,
    paths: list[str],
    wanted: list[str] | None,
    out: str,
    measure: bool,
    mutated: bool,
    compiled: bool,
) -> None:
    """Run tests of the tree at `root`, and write to `out` what failed, or which lines they ran."""
    with contextlib.suppress(OSError):
        os.setsid()
    os.chdir(root)
    quiet = os.open(out + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    if not compiled:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        if numba := sys.modules.get("numba"):
            numba.config.DISABLE_JIT = 1
    inherited = os.environ.get("PYTHONPATH", "")  # packages may be there, not in an environment
    os.environ["PYTHONPATH"] = os.pathsep.join([f"{root}/src", root, inherited])
    sys.path[:] = [f"{root}/src", root, *(path for path in sys.path if path != HERE)]
    sys.dont_write_bytecode = not measure
    coverage = None
    if measure:
        from coverage import Coverage

        coverage = Coverage(data_file=None, source=[f"{root}/src"], branch=False, config_file=False)
        coverage.start()
    import pytest

    arguments = "-q -p no:cacheprovider -W ignore::pytest.PytestAssertRewriteWarning"
    watch = Watch(wanted, coverage, stop=mutated, compiled=compiled)

    def finish() -> None:
        lines: dict[str, dict[int, list[int]]] = {}
        number = {test: place for place, test in enumerate(watch.seconds)}
        if coverage:
            coverage.stop()
            data = coverage.get_data()
            for file in data.measured_files():
                ran = lines[Path(file).relative_to(root).as_posix()] = {}
                for line, tests in data.contexts_by_lineno(file).items():
                    ran[line] = sorted(number[test] for test in tests if test in number)
        slow = list(dict.fromkeys(watch.slow))
        result = {"seconds": watch.seconds, "failed": watch.failed, "slow": slow, "lines": lines}
        Path(out).write_text(json.dumps(result), encoding="utf-8")
        os._exit(0)

    threading.Thread(target=watch.give_up, args=[finish], daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        code = pytest.main([*arguments.split(), f"--rootdir={root}", *paths], plugins=[watch])
        if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
            watch.failed.append(paths[0])  # not even what all tests import could be imported
    finish()


# ---- which tests run which lines --------------------------------------------------------------


class Trees:
    """Copies of the tree, one for each job, and processes that run tests in them."""

    def __init__(self, folder: Path, jobs: int) -> None:
        os.environ.update(SETTINGS)
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload(HEAVY[:2] if "MUTANTS_ROOT" in os.environ else HEAVY)
        self.free: SimpleQueue[Path] = SimpleQueue()
        first = folder / "tree0"
        first.mkdir()
        for path in ROOT.iterdir():
            if path.is_dir() and not path.name.startswith((".", *WRITTEN)):
                unneeded = shutil.ignore_patterns("__pycache__")
                shutil.copytree(path, first / path.name, ignore=unneeded)
            elif path.is_file() and not path.name.startswith("."):
                shutil.copy2(path, first)
        compileall.compile_dir(first / "src", quiet=2)
        for job in range(1, jobs):
            shutil.copytree(first, folder / f"tree{job}")
        for job in range(jobs):
            self.free.put(folder / f"tree{job}")

    def run(
        self,
        paths: list[str],
        wanted: list[str] | None = None,
        mutant: Mutant | None = None,
        limit: float = LIMIT,
        measure: bool = False,
        compiled: bool = False,
    ) -> dict[str, Any] | None:
        """What `child` writes, in a tree with the mutant; None if it ran into the limit."""
        tree = self.free.get()
        out = tree.parent / f"{tree.name}.json"
        out.unlink(missing_ok=True)
        changed = tree / mutant.file if mutant else tree
        source = changed.read_bytes() if mutant else b""
        try:
            if mutant:
                changed.write_bytes(mutant.applied(source))
                for stale in (changed.parent / "__pycache__").glob(f"{changed.stem}.*"):
                    stale.unlink()
            arguments = (str(tree), paths, wanted, str(out), measure, mutant is not None, compiled)
            process = self.context.Process(target=child, args=arguments)
            process.start()
            process.join(limit)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid or 0, signal.SIGKILL)
            over = process.exitcode is None
            process.join()
            if out.exists():
                return dict(json.loads(out.read_text(encoding="utf-8")))
            return None if over else {"failed": ["the process itself"], "slow": []}
        finally:
            if mutant:
                changed.write_bytes(source)
            self.free.put(tree)


def _digest(*paths: Path) -> str:
    there = [path.read_bytes() for path in paths if path.exists()]
    return hashlib.sha256(b"\0".join(there)).hexdigest()[:16]


@dataclass
class Survey:
    """Which tests of a room ran which lines, and how long they took."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, set[str]]]
    compiled: set[str]
    left_out: list[str]

    @classmethod
    def of(cls, measured: list[Future[dict[str, Any]]]) -> Survey:
        survey = cls({}, {}, set(), [])
        for found in (job.result() for job in measured):
            names = list(found["seconds"])
            survey.seconds |= found["seconds"]
            survey.compiled.update(found.get("compiled", ()))
            survey.left_out += found["failed"] + found["slow"]
            fresh = [
                file for file, stamp in found["stamps"].items() if _digest(ROOT / file) == stamp
            ]
            for file in fresh:
                lines = found["lines"].get(file, {})
                known = survey.lines.setdefault(file, {})
                for line, tests in lines.items():
                    known.setdefault(int(line), set()).update(names[test] for test in tests)
        return survey

    def of_lines(self, file: str, lines: Collection[int]) -> set[str]:
        known = self.lines.get(file, {})
        return set().union(*(known.get(line, ()) for line in lines))


def measure(
    room: str, trees: Trees, pool: ThreadPoolExecutor, named: Collection[str] = ()
) -> list[Future[dict[str, Any]]]:
    """Start to measure every file of tests, or those that are named, and examples of a room."""
    sources = sources_of(room)
    stamps = {path.relative_to(ROOT).as_posix(): _digest(path) for path in sources}
    tests = sorted((ROOT / "tests" / room).rglob("test_*.py"))
    tests = [path for path in tests if not named or path.stem.removeprefix("test_") in named]
    examples = [path for path in sources if b">>> " in path.read_bytes()]
    return [pool.submit(_measured, path, stamps, trees) for path in [*tests, *examples]]


def _measured(path: Path, stamps: dict[str, str], trees: Trees) -> dict[str, Any]:
    """What one file of tests or examples runs, from the cache if its sources are the same."""
    name = path.relative_to(ROOT).as_posix()
    settings = [ROOT / "tests/conftest.py", path.parent / "conftest.py"]
    stamp = _digest(path, *settings)
    kept = CACHE / f"{name.replace('/', '-')}-{stamp}.json"
    if kept.exists():
        found = dict(json.loads(kept.read_text(encoding="utf-8")))
        if all(found["stamps"].get(file) == stamp for file, stamp in stamps.items()):
            return found
    found = _empty(name) | (trees.run([name], limit=3 * LIMIT, measure=True) or {})
    again = found["failed"] + found["slow"]
    if again:
        wanted = None if name in again else again
        options = {"limit": 3 * LIMIT, "measure": True, "compiled": True}
        more = _empty(name) | (trees.run([name], wanted, **options) or {})
        compiled = list(more["seconds"])
        found["seconds"] |= more["seconds"]  # one may be there already: what failed came after it
        number = {test: place for place, test in enumerate(found["seconds"])}
        for file, lines in more["lines"].items():
            for line, tests in lines.items():
                known = found["lines"].setdefault(file, {}).setdefault(line, [])
                known += [number[compiled[test]] for test in tests]
        found["compiled"] = compiled
        found |= {"failed": more["failed"], "slow": more["slow"]}
    sources = {file for file in found["lines"] if (ROOT / file).exists()} | set(stamps)
    found["stamps"] = {file: _digest(ROOT / file) for file in sources}
    CACHE.mkdir(exist_ok=True)
    kept.write_text(json.dumps(found), encoding="utf-8")
    return found


def _empty(name: str) -> dict[str, Any]:
    return {"seconds": {}, "failed": [], "slow": [name], "lines": {}, "compiled": []}


def killers(mutant: Mutant, survey: Survey) -> list[str]:
    """The tests that may kill a mutant, in the order in which to run them.

    First those that run its line.  What is run when the module is imported (a constant, a default)
    counts as run where its name is used, or where the function is whose default it is; such
    declarations are also seen by what is recorded of a room, so that comes before.  Then the other
    tests of the same files, since a fixture or a cache may have run the line for them.
    """
    tree = ast.parse((ROOT / mutant.file).read_bytes())
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= mutant.line <= (node.end_lineno or 0)
    ]
    first = (
        survey.of_lines(mutant.file, [mutant.line]) if _in_a_body(around, mutant.line) else set()
    )
    inner = around[-1]
    if not first and isinstance(inner, ast.FunctionDef):  # a default
        first = survey.of_lines(mutant.file, range(inner.body[0].lineno, inner.end_lineno or 0))
    if not first and _in_a_body(around, mutant.line):
        first = survey.of_lines(mutant.file, [inner.lineno])
    if not first and _in_a_body(around, mutant.line):
        first = _in_processes(mutant, survey)
    if not first:
        names = {node.id for node in ast.walk(inner) if isinstance(node, ast.Name)}
        for file in survey.lines:
            first |= survey.of_lines(file, _uses(ROOT / file, names))
    if not first:
        first = survey.of_lines(mutant.file, survey.lines.get(mutant.file, {}))
    declared = not _in_a_body(around, mutant.line)
    seen = {test for test in survey.seconds if declared and "/test_recorded.py::" in test}
    files = {test.split("::")[0] for test in first}
    others = {test for test in survey.seconds if test.split("::")[0] in files} - first - seen
    first |= seen
    chosen: list[str] = []
    spent = 0.0
    for group in (seen, first - seen, others):
        for test in sorted(group, key=lambda test: (survey.seconds[test], test)):
            spent += survey.seconds[test] + 0.01
            if spent < MOST_TESTS:
                chosen.append(test)
    cost: collections.Counter[str] = collections.Counter()
    for test in chosen:  # tests of one file share their fixtures: so they run together
        cost[test.split("::")[0]] += survey.seconds[test]  # type: ignore[assignment]  # a float
    rank = {test: place for place, test in enumerate(chosen)}
    return sorted(
        chosen,
        key=lambda test: (
            test not in first,
            cost[test.split("::")[0]],
            test.split("::")[0],
            rank[test],
        ),
    )


def _in_processes(mutant: Mutant, survey: Survey) -> set[str]:
    """The tests beside a source that run none of its folder here: a process of theirs may."""
    folder = str(Path(mutant.file).parent)
    beside = folder.replace("src/highseason_", "tests/").replace("src/highseason", "tests")
    here = set().union(
        *(survey.of_lines(file, survey.lines[file]) for file in survey.lines if folder in file)
    )
    return {test for test in survey.seconds if test.startswith(f"{beside}/")} - here


def _in_a_body(around: list[ast.stmt], line: int) -> bool:
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.body[0].lineno <= line
        for node in around
    )


def _uses(path: Path, names: set[str]) -> list[int]:
    text = path.read_text(encoding="utf-8").splitlines()
    word = re.compile(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b")
    return [place for place, row in enumerate(text, start=1) if word.search(row)] if names else []


# ---- the verdict ------------------------------------------------------------------------------

VERDICTS = ("killed", "survived", "timeout", "equal")


def judged(mutant: Mutant, survey: Survey, trees: Trees) -> tuple[str, str]:
    """Whether the tests find a change, and which one did."""
    tests = killers(mutant, survey)
    if not tests:
        return "survived", "no test runs it"
    source = (ROOT / mutant.file).read_bytes()
    is_kernel = b"jitable" in source or b"compiled(" in source  # then all must be compiled again
    slow = []
    for compiled in (False, True):
        these = [test for test in tests if (test in survey.compiled) == compiled]
        if not these or (compiled and is_kernel):
            continue
        files = sorted({test.split("::")[0] for test in these})
        found = trees.run(files, these, mutant, compiled=compiled)
        if found is None:
            slow.append(f"{LIMIT:.0f} s")
        elif found["failed"]:
            return "killed", found["failed"][0]
        else:
            slow += found["slow"]
    return ("timeout", slow[0]) if slow else ("survived", f"{len(tests)} tests")


def table(verdicts: dict[str, collections.Counter[str]]) -> str:
    """Killed, survived … by room, and over all."""
    rows = [f"{'room':10}" + "".join(f"{name:>10}" for name in VERDICTS) + f"{'killed %':>10}"]
    total: collections.Counter[str] = collections.Counter()
    for room, counts in (*verdicts.items(), ("all", total)):
        numbers = "".join(f"{counts[name]:10}" for name in VERDICTS)
        rows.append(f"{room:10}{numbers}{share(counts):10.0f}")
        total += counts
    return "\n".join(rows)


def share(counts: collections.Counter[str]) -> float:
    """Percent killed of those that make another program."""
    judged = counts["killed"] + counts["survived"] + counts["timeout"]
    return 100 * counts["killed"] / judged if judged else 100.0


def main(arguments: list[str] | None = None) -> int:
    """Judge a sample of mutants, and print what survived."""
    rooms = sorted(path.parent.name for path in (ROOT / "src/highseason").glob("*/__init__.py"))
    rooms += ["service"] * (ROOT / "src/highseason_service").exists()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rooms", "--room", nargs="+", choices=rooms, default=rooms)
    parser.add_argument("--sample", type=int, default=20, help="mutants of each room")
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--tests", nargs="+", default=(), help="files of tests; all by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=30, help="start no mutant after these")
    options = parser.parse_args(arguments)
    over = time.monotonic() + 60 * options.minutes
    equal = equal_changes()
    verdicts = {room: collections.Counter[str]() for room in options.rooms}
    kills: list[tuple[str, Mutant, str]] = []
    late: set[str] = set()  # tests that run compiled
    printing = threading.Lock()

    def judge(room: str, mutant: Mutant, survey: Survey, end: float) -> None:
        if mutant.key in equal:
            verdict, why = "equal", equal[mutant.key]
        elif time.monotonic() > end:
            verdict, why = "not run", ""
        else:
            verdict, why = judged(mutant, survey, trees)
        with printing:
            verdicts[room][verdict] += 1
            if verdict == "killed":
                kills.append((room, mutant, why))
            if verdict != "not run":
                print(f"{verdict:9}{mutant}    [{why}]", flush=True)

    def confirm() -> None:
        """Take back what a test killed that fails without the change too."""
        failing: set[str] = set()
        for compiled in (False, True):
            tests = {test for *_, test in kills if "::" in test and (test in late) == compiled}
            files = sorted({test.split("::")[0] for test in tests})
            if tests:
                clean = trees.run(files, sorted(tests), limit=20 * LIMIT, compiled=compiled)
                failing |= set(clean["failed"]) if clean else tests
        for room, mutant, test in kills:
            if test in failing:
                verdicts[room].subtract(killed=1, survived=-1)
                print(f"survived {mutant}    [{test} fails without it]")

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        trees = Trees(Path(folder), options.jobs)
        measured = {room: measure(room, trees, pool, options.tests) for room in options.rooms}
        for place, room in enumerate(options.rooms):  # each has its share of the time that is left
            survey = Survey.of(measured[room])
            late |= survey.compiled
            kept, left = len(survey.seconds), len(survey.left_out)
            print(f"{room}: {kept} tests measured, {left} left out", flush=True)
            now = time.monotonic()
            end = now + (over - now) / (len(options.rooms) - place)
            seeds = [sample(room, options.sample, seed) for seed in options.seed]
            chosen = dict.fromkeys(mutant for drawn in seeds for mutant in drawn)
            jobs = [pool.submit(judge, room, mutant, survey, end) for mutant in chosen]
            for job in jobs:
                job.result()
        confirm()
    print(table(verdicts))
    waiting = sum(counts.pop("not run", 0) for counts in verdicts.values())
    if waiting:
        print(f"{waiting} mutants were not run: the time was over")
    total = sum(verdicts.values(), collections.Counter[str]())
    weak = [room for room, counts in verdicts.items() if share(counts) < LEAST_IN_A_ROOM]
    return int(share(total) < LEAST or bool(weak))


if __name__ == "__main__":
    sys.exit(main())
