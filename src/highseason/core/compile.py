"""Compiling kernels with numba: at first use, cached on disk, never at import.

numba's own cache goes stale silently when an imported helper changes, because it looks only at the
file of the function itself.  This cache lives in a folder named after a hash of *all* sources with
compiled code, so an edit anywhere starts a fresh one.  The folder is `$HIGHSEASON_CACHE_DIR`, or
`highseason` in the user's cache folder.  Where it is not writable, kernels are compiled in memory
and one warning says so.  A function without a source file (typed in a REPL) is not cached.
Processes that need the same kernel at the same time compile it once: the others wait and load it.

What the package uses of numba beyond its public names is in this file alone.
"""

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
from typing import Any

import numpy as np

from highseason.core.atomic import atomic_write
from highseason.core.jitable import jitable_as, registered

log = logging.getLogger("highseason")

_PACKAGE = Path(__file__).resolve().parents[1]


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on this machine; every process compiles again."""


@functools.cache
def compiled(function: Callable[..., Any], signature: Any) -> Callable[..., Any]:
    """`function` as machine code for `signature`, from the cache if it was compiled before.

    With `NUMBA_DISABLE_JIT=1` the function itself runs; coverage sees kernels that way.
    """
    import numba

    if numba.config.DISABLE_JIT:
        return _allowing_overflow(function)
    _number_symbols_randomly()
    _register_jitables()
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    with _vectorizing(), _cached(dispatcher, function):
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher  # type: ignore[no-any-return]  # numba is untyped


def _allowing_overflow(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as it is, except that integers wrap around without a warning, as in a kernel."""

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


@functools.cache
def _number_symbols_randomly() -> None:
    """Number machine symbols from a random start, different in every process.

    numba starts at 1 in each.  Two closures of one source, cached by two processes, would then have
    the same symbol, and a process that loads both would silently run one in place of the other.
    """
    from numba.core.bytecode import FunctionIdentity

    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


@contextlib.contextmanager
def _vectorizing() -> Iterator[None]:
    """Let the compiler combine equal operations on neighbouring lanes, which numba leaves off.

    It does not reorder sums, so results keep their bits.  The switch is global to numba: it is
    restored afterwards, and the compiler lock keeps other threads from compiling meanwhile.
    """
    from numba import config
    from numba.core.compiler_lock import global_compiler_lock

    with global_compiler_lock:
        before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
        try:
            yield
        finally:
            config.SLP_VECTORIZE = before


_known_to_numba = 0

#: Options of functions that only kernels call: they have no entries for callers in Python and in C.
_CALLED_BY_KERNELS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _register_jitables() -> None:
    from numba.extending import overload, register_jitable

    global _known_to_numba
    for function, native, inline in registered(_known_to_numba):
        _known_to_numba += 1
        if native is None:
            register_jitable(forceinline=inline, **_CALLED_BY_KERNELS)(function)
        else:  # strict would compare annotations too
            overload(function, jit_options=_CALLED_BY_KERNELS, strict=False)(native)


def _without_owner(array: Any) -> Any:
    """`uncounted` as a kernel computes it: an array at the same address, which owns no memory."""
    from numba import carray, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
    def at(context: Any, address: Any) -> Any:
        return types.CPointer(array.dtype)(address), as_pointer

    def as_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return lambda array: carray(at(array.ctypes.data), array.shape)


@jitable_as(_without_owner)
def uncounted(array: Any) -> Any:
    """The same array, for as long as somebody else holds it: a kernel counts no references to it.

    Each function that gets the nine arrays of a state would count them up and down, one thread at a
    time: turns of the option index, which is made of many, would take 1.6 times as long.
    """
    return array


def cached_text(name: str, make: Callable[[], str]) -> str:
    """The text that `make` generates from sources with compiled code, kept in their cache."""
    folder = _cache_folder()
    if folder is None:
        return make()
    path = folder / name
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8")
    with _locked(folder / f"{name}.lock"):
        with contextlib.suppress(OSError):
            return path.read_text(encoding="utf-8")
        _announce()
        text = make()
        try:
            with atomic_write(path) as unfinished:
                unfinished.write_text(text, encoding="utf-8")
        except OSError as reason:
            log.warning("compiled code was not kept: %s", reason)
    return text


@contextlib.contextmanager
def _cached(dispatcher: Any, function: Callable[..., Any]) -> Iterator[None]:
    """Compile within: from the cache or into it, where there is a folder and a source file."""
    folder = _cache_folder()
    if folder is None or not Path(function.__code__.co_filename).is_file():
        yield
        return
    cache = dispatcher._cache = _cache_class()(function, folder, source_stamp(function))
    try:
        yield
    finally:
        cache.lock.close()


@functools.cache
def _cache_folder() -> Path | None:
    folder = _cache_root() / sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as reason:
        warnings.warn(
            f"compiled code cannot be kept in {folder} ({reason.strerror}): this process compiles "
            "in memory. Set HIGHSEASON_CACHE_DIR to a writable folder.",
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
    folder = Path(os.path.expanduser(base))
    if folder.parts[0] == "~":  # the user has no home folder
        folder = Path(tempfile.gettempdir()) / f"cache-{getattr(os, 'getuid', int)()}"
    return folder / "highseason"


@functools.cache
def sources_hash() -> str:
    """A hash of the sources of the package that hold compiled code."""
    digest = hashlib.sha256()
    for name, content in _compiled_sources().items():
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:16]


def _compiled_sources() -> dict[str, bytes]:
    sources = {path: path.read_bytes() for path in sorted(_PACKAGE.rglob("*.py"))}
    return {
        path.relative_to(_PACKAGE).as_posix(): text
        for path, text in sources.items()
        if b"jitable" in text or b"compiled(" in text
    }


def source_stamp(function: Callable[..., Any]) -> str:
    """What a function was compiled from: its file, and what it names in other files."""
    functions: set[Any] = set()
    constants: set[str] = set()
    _gather(function, functions, constants)
    digest = hashlib.sha256()
    for name in sorted({each.__code__.co_filename for each in functions}):
        digest.update(Path(name).read_bytes())
    for constant in sorted(constants):
        digest.update(constant.encode() + b"\0")
    return digest.hexdigest()


def _gather(function: Any, functions: set[Any], constants: set[str]) -> None:
    """Collect a function and all it calls, and the constants they read by name.

    By function and not by code: closures of one source share their code but not what they read.
    """
    function = getattr(function, "py_func", function)  # a function compiled with numba directly
    code = getattr(function, "__code__", None)
    if code is None or function in functions or not Path(code.co_filename).is_file():
        return
    functions.add(function)
    for label, value in _names_read(function, code).items():
        if isinstance(value, int | float | complex | str | bytes | tuple):
            constants.add(f"{label}={value!r}")
        elif isinstance(value, np.ndarray):
            content = hashlib.sha256(value.tobytes()).hexdigest()
            constants.add(f"{label}={value.dtype}{value.shape}{content}")
        else:
            _gather(value, functions, constants)


def _names_read(function: Any, code: CodeType) -> dict[str, Any]:
    """What a function reads by name: from its module, from modules it names, from its closure."""
    values: dict[str, Any] = {}
    for name in _names(code):
        value = function.__globals__.get(name)
        values[name] = value
        if isinstance(value, ModuleType):
            values |= {f"{name}.{member}": getattr(value, member, None) for member in _names(code)}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a cell that is still empty
            values[name] = cell.cell_contents
    return values


def _names(code: CodeType) -> set[str]:
    """All names a piece of code uses, including those of functions inside it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*(_names(constant) for constant in inner))


@functools.cache
def _announce() -> None:
    log.warning("compiling for this machine (the first time only) …")


@functools.cache
def _cache_class() -> Any:
    """numba's file cache, in our folder; defined here because numba is imported late.

    numba's public hook (`NUMBA_CACHE_LOCATOR_CLASSES`) is global: it would move the caches of
    everything else in the process, and numba before 0.62 does not have it.
    """
    from numba.core import caching

    class Locator(caching._CacheLocator):  # type: ignore[misc]  # numba is untyped
        def __init__(self, function: Callable[..., Any], folder: Path, stamp: str) -> None:
            self._code, self._folder, self._stamp = function.__code__, folder, stamp
            self._is_closure = function.__closure__ is not None

        def get_cache_path(self) -> str:
            return str(self._folder)

        def get_source_stamp(self) -> str:
            return self._stamp

        def get_disambiguator(self) -> str:
            # Two files of one name may hold functions of one name: the path distinguishes them.
            path = hashlib.sha256(self._code.co_filename.encode()).hexdigest()[:8]
            # One source may give several closures: what they close over distinguishes them.
            closure = f"-{self._stamp[:8]}" if self._is_closure else ""
            return f"{self._code.co_firstlineno}-{path}{closure}"

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
            self._lock_file = folder / f"{self._impl.filename_base}.lock"
            self.lock = contextlib.ExitStack()  # held while this process compiles the function

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            cached = self._load_or_reset(sig, target_context)
            if cached is None:
                _announce()
                self.lock.enter_context(_locked(self._lock_file))
                cached = self._load_or_reset(sig, target_context)
            return cached

        def _load_or_reset(self, sig: Any, target_context: Any) -> Any:
            """What the cache holds; a damaged index is emptied, so that saving works again."""
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # a damaged file must not stop the work: compile and replace it
                with contextlib.suppress(OSError):
                    self.flush()
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            except OSError as reason:
                log.warning("compiled code was not kept: %s", reason)

    return Cache


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keep other processes waiting until this one is done.

    Where files cannot be locked (Windows, some network drives) two processes may compile the same
    function, which costs time and nothing else.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            file = stack.enter_context(path.open("wb"))
            fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed
        yield
