"""Lifetimes: when each arm is there.  Fixed, or drawn for every game."""

from highseason.engine.lifetimes.model import (
    Lifetimes,
    articles,
    birth_and_death,
    fixed,
    running_worth,
)

__all__ = ["Lifetimes", "articles", "birth_and_death", "fixed", "running_worth"]
