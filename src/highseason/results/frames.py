"""pandas, imported when it is used, with an error that names the extra."""

from __future__ import annotations

from typing import Any


def pandas() -> Any:
    """The pandas module."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(
            "this needs pandas, which is not installed: pip install 'highseason[files]'"
        ) from None
    return pd
