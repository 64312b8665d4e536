"""Several files of a log at a time, put together as if they had been read one after the other."""

import functools
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from highseason.core.executors import Pool
from highseason.core.parallel import map_blocks
from highseason.logs.conversion_log import ConversionLog
from highseason.logs.events import EventBatch, Pools
from highseason.logs.id_index import IdIndex


class FilesDisagreeError(Exception):
    """What a file means depends on the files before it: they must be read one after the other."""


class FilePart(NamedTuple):
    """What one file holds, its arms and pools numbered by themselves."""

    batches: list[EventBatch]
    arms: tuple[str, ...]
    pools: Pools
    log: ConversionLog


def has_files(source: Any) -> bool:
    """Whether a log consists of several files."""
    return len(source.paths) > 1 and "paths" in (field.name for field in fields(source))


def read_files(source: Any, ids: IdIndex, log: ConversionLog, pool: Pool) -> Iterator[EventBatch]:
    """The batches of all files in their order, with the numbers that `ids` gives.

    Raises:
        FilesDisagreeError: Before the batches of a file that has to be read after the others.
    """
    parts = map_blocks(functools.partial(_try_file, source), source.paths, pool)
    for part in parts:
        if part is None or not log.can_append(part.log, part.batches):
            raise FilesDisagreeError
        log.append(part.log)
        arms = np.array([ids.arm(name) for name in part.arms], np.int32)
        every = range(len(part.pools))
        pools = np.array([ids.pool(arms[part.pools[i]]) for i in every], np.int32)
        for batch in part.batches:
            yield batch._replace(arm=arms[batch.arm], pool=pools[batch.pool])


def _try_file(source: Any, path: Path) -> FilePart | None:
    """A file; None where it cannot be read by itself."""
    ids, log = IdIndex(), ConversionLog()
    try:
        batches = list(replace(source, paths=(path,)).batches(ids, log))
    except ValueError:  # perhaps not an error after the files before it
        return None
    return FilePart(batches, ids.arms, ids.pools, log)
