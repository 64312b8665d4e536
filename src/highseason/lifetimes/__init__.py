"""Lifetimes: when each arm is there.  Fixed, or drawn anew in every game."""

from highseason.lifetimes.birth_and_death import articles, birth_and_death
from highseason.lifetimes.model import Lifetimes, fixed
from highseason.lifetimes.worth import running_worth

__all__ = ["Lifetimes", "articles", "birth_and_death", "fixed", "running_worth"]
