"""What every other part stands on: random numbers by counter, and compiled code with its cache.

Public are the words for people, and what an add-on such as a command of your own needs.
"""

from highseason.core.extras import require as require
from highseason.core.names import public_names as _public_names
from highseason.core.specs import parse_arm as parse_arm
from highseason.core.specs import parse_arms as parse_arms
from highseason.core.text import aligned as aligned
from highseason.core.text import counted as counted
from highseason.core.text import exact as exact
from highseason.core.text import format_number as format_number
from highseason.core.text import percent as percent
from highseason.core.text import reworded as reworded
from highseason.core.text import wrapped as wrapped
from highseason.core.validation import raised_as as raised_as
from highseason.core.warnings import collected as collected
from highseason.core.warnings import quiet as quiet

__dir__ = _public_names(__name__)
