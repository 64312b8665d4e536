"""Lives: when each arm is there.  Fixed, or drawn anew in every game."""

from highseason.lives.birth_and_death import articles, birth_and_death
from highseason.lives.model import Lives, fixed
from highseason.lives.worth import running_worth

__all__ = ["Lives", "articles", "birth_and_death", "fixed", "running_worth"]
