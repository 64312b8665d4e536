"""Write what the cases give today: `python -m tests.digests.record`, in the repository's root.

`python -m tests.digests.record --entries CASE…` prints the entries of some cases instead: run it
before and after a change to see which of them differ.
"""

from __future__ import annotations

import json
import os
import sys

from tests.digests.cases import CASES, compute
from tests.digests.digest import RECORDED, summary


def main(words: list[str]) -> None:
    """Compute every case and rewrite the file, a case a line."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise SystemExit("digests are of compiled results: unset NUMBA_DISABLE_JIT")
    if words[:1] == ["--entries"]:
        for name in words[1:]:
            for entry, value in compute(name).items():
                print(f"{name} {entry}: {json.dumps(value)}")  # noqa: T201  # a script
        return
    lines = [f"{json.dumps(name)}: {json.dumps(summary(compute(name)))}" for name in CASES]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    print(f"{len(lines)} cases")  # noqa: T201  # a script


if __name__ == "__main__":
    main(sys.argv[1:])
