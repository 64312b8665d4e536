"""Work that travels to other processes once, however many of its blocks they are given.

Ray hands arrays over as read-only views, and Dask warns of large tasks.  So the work travels as
bytes, apart from the blocks, and a worker unpacks it when it first sees it.  Packages that a worker
need not have travel with it, as source.
"""

import hashlib
import io
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

#: The source of packages that travel with all work, each a zip file.
_travelling: dict[str, bytes] = {}
#: Packages that came with work, and where they are.
_arrived: dict[bytes, tempfile.TemporaryDirectory[str] | None] = {}
#: The work that this worker unpacked last.
_unpacked: dict[str, Callable[[Any], Any]] = {}


class Shipment(NamedTuple):
    """The work in bytes, what to know it by, and the packages it needs."""

    key: str
    content: bytes
    packages: dict[str, bytes]


def take_along(package: ModuleType) -> None:
    """Let the source of a package travel with all work from now on."""
    folder, content = Path(package.__path__[0]), io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in sorted(folder.rglob("*.py")):
            name = file.relative_to(folder.parent).as_posix()
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
    _travelling[package.__name__] = content.getvalue()
    _arrived[content.getvalue()] = None  # this process has it


def pack(work: Callable[[Any], Any]) -> Shipment:
    """Pack the work, functions of a notebook or a script included."""
    content = pack_block(work)
    key = hashlib.sha256(b"".join([content, *_travelling.values()])).hexdigest()
    return Shipment(key, content, dict(_travelling))


def pack_block(block: Any) -> bytes:
    """Pack a block: what it holds may be of a package that travels, so it is unpacked later."""
    import cloudpickle  # type: ignore[import-untyped]  # comes with Ray and with Dask

    return bytes(cloudpickle.dumps(block))


def run_block(shipment: Shipment, block: bytes) -> Any:
    """Work on one block: what a worker calls."""
    import pickle

    work = _unpacked.get(shipment.key)
    if work is None:
        for name, source in shipment.packages.items():
            _install(name, source)
        work = pickle.loads(shipment.content)
        _unpacked.clear()
        _unpacked[shipment.key] = work
    return work(pickle.loads(block))


def _install(name: str, source: bytes) -> None:
    """Make a package importable, in place of another version of it."""
    if source in _arrived:
        return
    folder = tempfile.TemporaryDirectory(prefix="highseason-")  # removed when the process ends
    zipfile.ZipFile(io.BytesIO(source)).extractall(folder.name)
    sys.path.insert(0, folder.name)
    for module in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[module]
    _arrived[source] = folder
