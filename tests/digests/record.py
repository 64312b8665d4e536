"""Write what the cases give today: `python -m tests.digests.record`, in the repository's root."""

from __future__ import annotations

import json
import os

from tests.digests.cases import CASES, compute
from tests.digests.digest import RECORDED


def main() -> None:
    """Compute every case and rewrite the file."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise SystemExit("digests are of compiled results: unset NUMBA_DISABLE_JIT")
    found = {name: compute(name) for name in CASES}
    RECORDED.write_text("{\n" + ",\n".join(map(_written, found, found.values())) + "\n}\n", "utf-8")
    entries = sum(len(case) for case in found.values())
    print(f"{len(found)} cases, {entries} entries")  # noqa: T201  # a script


def _written(name: str, entries: dict[str, object]) -> str:
    """A case with an entry a line, so that a difference is easy to read."""
    lines = [f" {json.dumps(entry)}: {json.dumps(value)}" for entry, value in entries.items()]
    return f"{json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n}"


if __name__ == "__main__":
    main()
