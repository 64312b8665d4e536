"""Compiling kernels with numba: at first use, cached on disk, never at import.

numba's own cache goes stale silently when an imported helper changes, because it looks only at the
file of the function itself.  Ours lifetimes in a folder named after a hash of *all* kernel sources, so
an edit anywhere starts a fresh one.  The folder is `$HIGHSEASON_CACHE_DIR`, or `highseason` in the
user's cache folder.  Where it cannot be written, kernels are compiled in memory and a warning says
so once.  A function without a source file (typed in a REPL) is compiled uncached.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import logging
import os
import secrets
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from highseason.core.jitable import take_marked

if TYPE_CHECKING:
    from numba.core.types import Type

log = logging.getLogger("highseason")

_PACKAGE = Path(__file__).resolve().parents[1]
_KERNEL_FOLDERS = (
    "core",
    "engine",
    "policies",
    "rules",
    "rewards",
    "forecasters/kernels",
    "games/kernels",
    "bounds/kernels",
    "logs/kernels",
    "replay/kernels",
    "studies/upworthy",
)


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on this machine; every process compiles again."""


@functools.cache
def compiled(function: Callable[..., Any], signature: Any) -> Callable[..., Any]:
    """`function` as machine code for `signature`, from the cache if it was compiled before.

    With `NUMBA_DISABLE_JIT=1` the function itself runs, which is how coverage sees kernels.
    """
    import numba

    if numba.config.DISABLE_JIT:
        return _wrapping_around(function)
    _use_symbols_of_our_own()
    _register_marked()
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    _attach_cache(dispatcher, function)
    with _side_by_side():
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher  # type: ignore[no-any-return]  # numba is untyped


def _wrapping_around(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as it is; its words may overflow without a warning, as a machine's do."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


@functools.cache
def _use_symbols_of_our_own() -> None:
    """Number machine symbols from a place that no other process begins at.

    numba tells functions of one name apart by a number that begins at 1 in every process.  Two
    closures of one source, kept by two processes, would then have the same symbol; a third that
    loads both would run the one for the other, and nobody would notice.
    """
    from numba.core.bytecode import FunctionIdentity

    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


@contextlib.contextmanager
def _side_by_side() -> Iterator[None]:
    """Let the compiler join like operations on neighbouring lanes; numba leaves that off.

    It joins them without reordering any sum, so results keep their bits.  The switch is global to
    numba, so it is put back, and nobody else compiles meanwhile.
    """
    from numba import config
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        before = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            yield
        finally:
            config.SLP_VECTORIZE = before


def function_type(signature: Any) -> Type:
    """The type of a compiled function passed as an argument (a first-class function)."""
    from numba.core import types

    return types.FunctionType(signature)


def _register_marked() -> None:
    from numba.extending import overload, register_jitable

    for function, native in take_marked():
        if native is None:
            register_jitable(function)
        else:
            overload(function, strict=False)(native)  # strict would compare annotations too


def _attach_cache(dispatcher: Any, function: Callable[..., Any]) -> None:
    source = Path(function.__code__.co_filename)
    folder = _cache_folder()
    if folder is not None and source.is_file():
        dispatcher._cache = _cache_class()(function, folder, _stamp(function))


@functools.cache
def _cache_folder() -> Path | None:
    folder = _cache_root() / _kernel_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as reason:
        warnings.warn(
            f"compiled code cannot be kept in {folder} ({reason.strerror}): this process compiles "
            "in memory. Set HIGHSEASON_CACHE_DIR to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )
        return None
    return folder


def _cache_root() -> Path:
    chosen = os.environ.get("HIGHSEASON_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.path.expanduser(base)) / "highseason"


@functools.cache
def _kernel_hash() -> str:
    digest = hashlib.sha256()
    for folder in _KERNEL_FOLDERS:
        for source in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(source.relative_to(_PACKAGE).as_posix().encode() + b"\0")
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _stamp(function: Callable[..., Any]) -> str:
    """What a user's function was compiled from: its file, and what it names in other files."""
    codes: set[CodeType] = set()
    constants: set[str] = set()
    _gather(function, codes, constants)
    digest = hashlib.sha256()
    for name in sorted({code.co_filename for code in codes}):
        digest.update(Path(name).read_bytes())
    for constant in sorted(constants):
        digest.update(constant.encode() + b"\0")
    return digest.hexdigest()


def _gather(function: Any, codes: set[CodeType], constants: set[str]) -> None:
    """The code of a function and of all it calls, and the numbers it reads by name."""
    function = getattr(function, "py_func", function)  # a function somebody compiled with numba
    code = getattr(function, "__code__", None)
    if code is None or code in codes or not Path(code.co_filename).is_file():
        return
    codes.add(code)
    for label, thing in _around(function, code).items():
        if isinstance(thing, int | float | complex | str | bytes | tuple):
            constants.add(f"{label}={thing!r}")
        elif isinstance(thing, np.ndarray):
            content = hashlib.sha256(thing.tobytes()).hexdigest()
            constants.add(f"{label}={thing.dtype}{thing.shape}{content}")
        else:
            _gather(thing, codes, constants)


def _around(function: Any, code: CodeType) -> dict[str, Any]:
    """What a function reads by name: from its module, from modules it names, from its closure."""
    found: dict[str, Any] = {}
    for name in _names(code):
        value = function.__globals__.get(name)
        found[name] = value
        if isinstance(value, ModuleType):
            found |= {f"{name}.{member}": getattr(value, member, None) for member in _names(code)}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a cell that is still empty
            found[name] = cell.cell_contents
    return found


def _names(code: CodeType) -> set[str]:
    """All names a piece of code uses, those of functions inside it too."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(_names(constant) for constant in inner))


@functools.cache
def _announce() -> None:
    log.warning("compiling for this machine (once; later runs start at once) …")


@functools.cache
def _cache_class() -> Any:
    """numba's file cache, in our folder; built here because numba is imported late."""
    from numba.core import caching

    class Locator(caching._CacheLocator):  # type: ignore[misc]  # numba is untyped
        def __init__(self, function: Callable[..., Any], folder: Path, stamp: str) -> None:
            self._py_file = function.__code__.co_filename
            self._line = function.__code__.co_firstlineno
            self._folder, self._stamp = folder, stamp
            self._is_closure = function.__closure__ is not None

        def get_cache_path(self) -> str:
            return str(self._folder)

        def get_source_stamp(self) -> str:
            return self._stamp

        def get_disambiguator(self) -> str:
            # Two files of one name may hold functions of one name: the path keeps them apart.
            path = hashlib.sha256(self._py_file.encode()).hexdigest()[:8]
            # So may closures be made from one source around several functions.
            around = f"-{self._stamp[:8]}" if self._is_closure else ""
            return f"{self._line}-{path}{around}"

    class Cache(caching.FunctionCache):  # type: ignore[misc]  # numba is untyped
        def __init__(self, function: Callable[..., Any], folder: Path, stamp: str) -> None:
            class Implementation(caching.CompileResultCacheImpl):  # type: ignore[misc]  # untyped
                def __init__(self, py_func: Callable[..., Any]) -> None:
                    self._lineno = py_func.__code__.co_firstlineno
                    self._locator = Locator(py_func, folder, stamp)
                    name = f"{Path(py_func.__code__.co_filename).stem}.{py_func.__qualname__}"
                    self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

            self._impl_class = Implementation
            super().__init__(function)

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # a damaged file must not stop the work: it is compiled and replaced
                found = None
                self._forget()
            if found is None:
                _announce()
            return found

        def _forget(self) -> None:
            """Empty the index, which saving would otherwise stumble over as loading did."""
            with contextlib.suppress(OSError):
                self.flush()

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError as reason:
                log.warning("compiled code was not kept: %s", reason)

    return Cache
