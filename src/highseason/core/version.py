"""The version, in one place that costs nothing to import (a test holds pyproject.toml to it)."""

__version__ = "0.1.0rc1"
