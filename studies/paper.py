"""The paper: its citation, its constants, and where its figures and tables are reproduced."""

import csv
import functools
from pathlib import Path
from typing import NamedTuple

import highseason as hs
from highseason.engine import Table

CITATION = (
    "Stefano Tracà, Cynthia Rudin and Weiyu Yan, “Regulating Greed Over Time in Multi-Armed "
    "Bandits”, Journal of Machine Learning Research 22(3), 2021 (dated 2020 in its heading)."
)
URL = "https://jmlr.org/papers/v22/17-720.html"

#: The constant of the ε policies.  The text states none: it asks for k > 10 and k > 4 / min Δ²
#: (Algorithms 1, 2 and 6).  14 is our choice, found by looking: with one free constant of that size
#: both gains that the text gives as numbers come out.  `simulated` plays others beside it.
K = 14.0
#: The gains that the text gives as numbers (Appendix G): of most policies, and of soft ε-greedy.
RANGE, SOFT = (0.10, 0.80), 0.68
#: The naive policies, and the "smarter" ones that the paper compares with (Section 4).
NAIVE = {"naive-ucb": "ucb", "naive-epsilon": "epsilon-greedy"}

#: Its regulated policies, in the order of its bars.
REGULATED: tuple[type[hs.Policy], ...] = (
    hs.EpsilonZGreedy, hs.SoftEpsilonGreedy, hs.UCBZ, hs.SoftUCB, hs.VariablePool,
)  # fmt: skip
#: The same rule without regulation, where there is one.
SAME_RULE = {
    "epsilon-z": "epsilon-greedy",
    "soft-epsilon": "epsilon-greedy",
    "ucb-z": "ucb",
    "soft-ucb": "ucb",
}
#: The pool has no unregulated twin: it is compared with greedy, which has nothing to tune.
PAIRS = SAME_RULE | {"variable-pool": "greedy"}


class Constant(NamedTuple):
    """A number of the paper or of a study, where it comes from, and which studies play it."""

    name: str
    value: str
    source: str  # The text with its place, the authors' code or notebook, or our choice
    played_in: str = ""


@functools.cache
def all_constants() -> tuple[Constant, ...]:
    """Every number of the paper, by algorithm, theorem and table; and those left to the player."""
    with (Path(__file__).parent / "constants.csv").open(encoding="utf-8") as file:
        return tuple(Constant(*row) for row in list(csv.reader(file))[1:])


class Item(NamedTuple):
    """A figure or table of the paper: its number, its content, where it is reproduced and how."""

    number: str
    content: str
    section: str
    command: str


_NONE = "not reproduced"
_SIMULATED, _LOGGED, _UNKNOWN = map(
    "python -m studies {}".format, ("simulated", "logged", "unknown_traffic")
)

ITEMS = (
    Item("Figures 1, 2", "Boxing Day traffic, search trends", _NONE, "– (outside data)"),
    Item("Figure 3", "G with the threshold z = 30", "The multipliers", _SIMULATED),
    Item("Figure 4", "probabilities of exploration", "When the policies explore", _SIMULATED),
    Item("Figure 5", "the variable arm pool", "When the policies explore", _SIMULATED),
    Item("Figures 6, 16", "shapes of G", "The multipliers", _SIMULATED),
    Item("Figures 7–9", "rewards, 200 arms, 1,500 turns", "Rewards in every setting", _SIMULATED),
    Item("Figures 10, 11", "increase over the baselines, wave", "Increase over the baselines",
         _SIMULATED),
    Item("Figure 12", "lifespans of the articles", "Lifespans and the slice", _LOGGED),
    Item("Figures 13–15", "distributions over 100 runs", "one section per table", _LOGGED),
    Item("Figures 17–28, 33–44, 49–60", "rewards in 36 settings, 2 distributions",
         "Rewards in every setting", _SIMULATED),
    Item("Figures 29–32, 45–48, 61–64", "increase over the baselines",
         "Increase over the baselines", _SIMULATED),
    Item("Figures 65–70", "G predicted step by step", "Figures", _UNKNOWN),
    Item("Table 2", "decay rates of the bound", "When the policies explore", _SIMULATED),
    Item("Tables 4–6", "mean rewards on the Yahoo! log, p-values", "one section per table",
         _LOGGED),
    Item("Table 13", "parameters on the Yahoo! log", "How it was played",
         f"{_LOGGED} --profile paper"),
    Item("Tables 1, 3, 7–12", "contents, layout of the data, lists of figures", _NONE,
         "– (nothing to compute)"),
)  # fmt: skip


def constants(study: str) -> Table:
    """Where each value of a study comes from."""
    rows = tuple(tuple(each[:3]) for each in all_constants() if study in each.played_in.split())
    return Table(("what", "value", "comes from"), rows, ("",) * 3)


def table_13() -> Table:
    """The parameters on the Yahoo! log, as the paper prints them."""
    rows = ("ε-z Greedy", "z=31"), ("Variable Pool", "c=10, z=31"), ("UCB-L", "c=0.011")
    return Table(("algorithm", "hyperparameters"), (*rows, ("UCB-z", "z=31")), ("", ""))


def table(study: str) -> Table:
    """What one study's page reproduces; it has no rows if that is nothing."""
    rows = tuple(tuple(item) for item in ITEMS if f"studies {study}" in item.command)
    return Table(("in the paper", "content", "here", "command"), rows, ("",) * 4)


_SHAPES = {"wave": 17, "step": 33, "christmas": 49}
_LAWS = {"bernoulli": 0, "normal-1": 2}


def rewards_figures(law: str, shape: str) -> str:
    """The numbers of the paper's reward bars; empty for a distribution it does not have.

    >>> rewards_figures("bernoulli", "step"), rewards_figures("normal-0.1", "step")
    ('Figures 8 and 33–44', '')
    """
    if law not in _LAWS:
        return ""
    first = _SHAPES[shape]
    return f"Figures {7 + list(_SHAPES).index(shape)} and {first}–{first + 11}"


def increase_figure(law: str, shape: str, base: str) -> str:
    """The number of the paper's plot of the increase over a baseline.

    >>> increase_figure("bernoulli", "wave", "ucb"), increase_figure("normal-1", "step", "ucb")
    ('Figures 11 and 30', 'Figure 48')
    """
    if law not in _LAWS:
        return ""
    number = _SHAPES[shape] + 12 + _LAWS[law] + (base == "ucb")
    if shape == "wave":
        return f"Figures {11 if base == 'ucb' else 10} and {number}"
    return f"Figure {number}"


def unknown_figure(law: str, shape: str) -> str:
    """The number of the paper's plot of an estimated G; its normal has one of our two sigmas.

    >>> unknown_figure("bernoulli", "step"), unknown_figure("normal-1", "wave")
    ('Figure 67', 'Figure 68')
    """
    order = ("wave", "christmas", "step")
    return f"Figure {65 + order.index(shape) + (0 if law == 'bernoulli' else 3)}"
