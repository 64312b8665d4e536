"""Programs that may take little memory more than they start with."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

#: What a program begins with: `answer` says what a call gives, or why not, and how much it took.
_BEGIN = """
import json, resource, sys, warnings
from pathlib import Path
import numpy as np
import pandas as pd
import highseason as hs

def limit(megabytes):
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 10**6,) * 2)

def answer(call):
    try:
        return str(call())
    except MemoryError:
        return "MEMORY"
    except ValueError as reason:
        return f"{type(reason).__name__}: {reason}"

warnings.simplefilter("ignore")
"""


def run_within(megabytes: int, program: str, *arguments: str) -> Any:
    """What a program prints as JSON, which may use so much memory more once it has begun.

    It sets the limit itself, after its imports: `LIMIT` stands for that.
    """
    text = _BEGIN + program.replace("LIMIT", f"limit({megabytes})")
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
