"""Things by name: registries, `name:key=value` text, arms, suggestions for misspelt names."""

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")

#: How many names a suggestion lists at most.
_LISTED = 40


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion to append to an error: the nearest name, or all names if none is near.

    >>> did_you_mean("UCB-Z", ["ucb", "ucb-z"]), did_you_mean("x", ["wave", "step"])
    ("Did you mean 'ucb-z'?", 'Choose from: wave, step.')
    """
    names = list(known)
    spelled = {entry.lower(): entry for entry in names}
    near = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {spelled[near[0]]!r}?"
    more = ", …" if len(names) > _LISTED else ""
    return f"Choose from: {', '.join(names[:_LISTED])}{more}." if names else "There are none."


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:key=value,key=value` into the name and its options, all as text.

    >>> split_spec("ucb-z:z=31, P=2")
    ('ucb-z', {'z': '31', 'P': '2'})
    >>> split_spec("ucb-z:31")
    Traceback (most recent call last):
    ...
    ValueError: 'ucb-z:31': expected key=value after the colon, got '31'
    """
    name, _, rest = text.partition(":")
    options: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals):
            raise ValueError(f"{text!r}: expected key=value after the colon, got {part!r}")
        if key in options:
            raise ValueError(f"{text!r}: {key!r} is given twice")
        options[key] = value
    return name.strip(), options


#: A price with a decimal comma: one or two digits follow it.
_PRICE = re.compile(r"([0-9]+|[1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]{1,2})(?![0-9])")
_ID = "the part before = needs a letter (a to z) or a digit"
_EACH = "give --arm twice, such as --arm 9.99 --arm 10.99"


def parse_arm(text: str) -> tuple[str, str]:
    """The id and the label of an arm, from what someone typed: `ID`, `ID=LABEL`, or its name.

    Addresses hold the id: what a name has beyond that stays in the label.  `9,99` is a price.

    >>> parse_arm("9,99"), parse_arm("10.99=cheap"), parse_arm("11.99, premium")
    (('9.99', '9,99'), ('10.99', 'cheap'), ('11.99', 'premium'))
    >>> parse_arm("blue banner"), parse_arm("Grün"), parse_arm("Buy now, pay later")
    (('blue banner', ''), ('Grun', 'Grün'), ('Buy now pay later', 'Buy now, pay later'))
    >>> parse_arm("9.99,10.99")
    Traceback (most recent call last):
    ...
    ValueError: '9.99,10.99' looks like more than one arm: give --arm twice, such as ...
    """
    name, label = (part.strip() for part in text.partition("=")[::2])
    if named := re.fullmatch(r"([0-9.]+(?:,[0-9]{1,2})?)\s*,\s*([^0-9\s,].*)", name):
        name, label = named[1], label or named[2]
    if re.fullmatch(r"[0-9.,;\s]*[,;][0-9.,;\s]*", name) and not _PRICE.fullmatch(name):
        raise ValueError(f"{text!r} looks like more than one arm: {_EACH}")
    priced = _PRICE.sub(lambda price: f"{price[1].replace('.', '')}.{price[2]}", name)
    plain = unicodedata.normalize("NFKD", priced).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9._:+-]", " ", plain).split()
    arm = re.sub(r"^[^A-Za-z0-9]+", "", " ".join(words))[:100].strip()
    if not arm:
        raise ValueError(f"expected an arm such as 9.99 or b=Blue, got {text!r}: {_ID}")
    return arm, label or (name if name != arm else "")


def parse_arms(texts: Iterable[str]) -> list[tuple[str, str]]:
    """The ids and labels of arms to choose from: two at least, which people can tell apart."""
    arms = [parse_arm(text) for text in texts]
    for names in ([arm for arm, _ in arms], [label or arm for arm, label in arms]):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"the arm {twice!r} is there twice: give each a name of its own")
    if len(arms) < 2:
        got = ", ".join(label or arm for arm, label in arms) or "none"
        raise ValueError(f"a choice needs at least two arms, got {got}: {_EACH}")
    return arms


def arm_names(texts: Iterable[str]) -> list[str]:
    """Arms as people read them."""
    return [label or arm for arm, label in parse_arms(texts)]


class Registry(dict[str, T]):
    """Classes or functions by name; `kind` is a noun for messages.  Case does not matter.

    >>> shapes: Registry[int] = Registry("shape")
    >>> shapes.register("wave", 1)
    >>> shapes["wavy"]
    Traceback (most recent call last):
    ...
    ValueError: unknown shape 'wavy'. Did you mean 'wave'?
    """

    def __init__(self, kind: str, error: type[ValueError] = ValueError) -> None:
        super().__init__()
        self._kind, self._error = kind, error

    def register(self, name: str, entry: T) -> None:
        """Add an entry.  The same definition may come again (notebooks), another may not."""
        held = self.get(name, entry)
        if _identity(held) != _identity(entry):
            raise self._error(f"the name {name!r} is taken by {_identity(held)[1]}: choose another")
        self[name] = entry

    def __missing__(self, name: str) -> T:
        if name.lower() in self:
            return self[name.lower()]
        raise self._error(f"unknown {self._kind} {name!r}. {did_you_mean(name, self)}")


def _identity(entry: object) -> tuple[str, str]:
    module = getattr(entry, "__module__", type(entry).__module__)
    return module, getattr(entry, "__qualname__", repr(entry))


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """The same labels, numbered where one occurs twice."""
    seen: Counter[str] = Counter()
    unique = []
    for label in labels:
        seen[label] += 1
        unique.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return tuple(unique)
