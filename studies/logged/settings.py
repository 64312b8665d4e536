"""The paper's experiments on the Yahoo! log: policies, published numbers, sizes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import highseason as hs
from highseason.advice import Axis, Budget, Space
from highseason.policies import Wrapper
from studies.authors_code import AuthorsVariablePool, StaleIndex

#: The slice of R6B in the authors' notebook, first and last second, and how many articles are there
#: throughout; the paper's text has neither.
PUBLISHED_SLICE = (1_317_783_600, 1_317_830_699)
FIXED_ARMS = 24

#: The k of the authors' notebook; the paper's text states none.
NOTEBOOK_K = 250.0
#: The threshold of the paper (Table 13): the 75th quantile of G (Appendix H.2).
PUBLISHED_Z, Z_RULE = 31.0, "q0.75"

#: The pool rule that the published number belongs to, in spite of the text.
POOL_OF_THE_CODE = "variable-pool, the code's rule"
UCBL_BY_AGE = "ucb-l, by age"
#: UCB policies as the notebook plays them, whose output Table 5 is; not tuned.
STALE: dict[str, hs.Policy] = {
    f"{policy.name}, stale index": StaleIndex(base=policy)
    for policy in (hs.UCB(), hs.UCBZ(), hs.SoftUCB(unit=1.0))
}
#: Not in the paper's tables, and with nothing to tune; ours goes by lifetimes and plays there.
OURS = "option-index (ours)"
BESIDE: dict[str, hs.Policy] = {"greedy": hs.Greedy(), "uniform": hs.UniformRandom()}


@dataclass(frozen=True)
class PaperTable:
    """One of the paper's tables: the policies, the length of a game, and what was printed."""

    id: str  # A name for files
    title: str  # What is compared
    players: Mapping[str, hs.Policy]  # With the paper's parameters; `z` is set by the log
    published: Mapping[str, float]  # Mean reward per turn, as printed, by label
    base: str  # The label that the others are compared with
    turns: int  # The turns of a game
    mortal: bool = False  # Whether all articles take part, which come and go; else those of a slice
    number: str = ""  # The number of the table and of the figure in the paper

    @property
    def regulated(self) -> list[str]:
        """The labels of policies whose exploration depends on G."""
        others = (self.base, UCBL_BY_AGE, OURS, *STALE, *BESIDE)
        return [p for p in self.players if p not in others]

    def playing(self, profile: str) -> dict[str, hs.Policy]:
        """The policies of a profile: readings of the notebook are not tuned."""
        return {k: p for k, p in self.players.items() if profile == "paper" or k not in STALE}


EPSILON = PaperTable(
    "epsilon",
    "Policies with ε, and the variable pool, fixed pool of articles",
    {
        "epsilon-greedy": hs.EpsilonGreedy(k=NOTEBOOK_K),
        "epsilon-z": hs.EpsilonZGreedy(k=NOTEBOOK_K),
        "soft-epsilon": hs.SoftEpsilonGreedy(k=NOTEBOOK_K, unit=1.0),
        POOL_OF_THE_CODE: AuthorsVariablePool(c=10.0, unit=1.0),
        "variable-pool": hs.VariablePool(c=10.0, unit=1.0),
        **BESIDE,
    },
    {"epsilon-greedy": 0.0406, "epsilon-z": 0.0493, "soft-epsilon": 0.0588,
     POOL_OF_THE_CODE: 0.0688},
    "epsilon-greedy",
    turns=10_000,
    number="Table 4 and Figure 13",
)  # fmt: skip
UCBS = PaperTable(
    "ucb",
    "UCB policies, fixed pool of articles",
    {
        "ucb": hs.UCB(),
        "ucb-z": hs.UCBZ(),
        "soft-ucb": hs.SoftUCB(unit=1.0),
        **STALE,
        **BESIDE,
    },
    {"ucb": 0.0365, "ucb-z": 0.0441, "soft-ucb": 0.0396},
    "ucb",
    turns=2_000,
    number="Table 5 and Figure 14",
)
MORTAL = PaperTable(
    "mortal",
    "UCB policies, articles that come and go",
    {
        "ucb": hs.UCB(),
        "ucb-l": hs.UCBL(c=0.011, unit=1.0),
        UCBL_BY_AGE: hs.UCBL(c=0.011, xi="age", unit=1.0),
        "soft-ucb-mortal": hs.SoftUCBMortal(c=2.0, unit=1.0),
        OURS: hs.OptionIndex(),
        **BESIDE,
    },
    {"ucb": 0.0523, "ucb-l": 0.0787, "soft-ucb-mortal": 0.0840},
    "ucb",
    turns=10_000,
    mortal=True,
    number="Table 6 and Figure 15",
)
TABLES = (EPSILON, UCBS, MORTAL)
#: A table of ours; its policies are built around the UCB of the one above.
_HEURISTICS = "The contest's heuristics around UCB, articles that come and go"
CONTEST = PaperTable("contest", _HEURISTICS, {}, {}, "ucb", turns=10_000, mortal=True)


def with_threshold(policy: hs.Policy, z: float | str) -> hs.Policy:
    """The policy with this z, if it has one."""
    return policy if policy.threshold is None else policy.with_values({"z": z})


def contest(base: hs.Policy, quick: bool = False) -> dict[str, hs.Policy]:
    """The contest's heuristics and estimates that forget, each around the same UCB."""
    kinds: tuple[type[Wrapper], ...] = (hs.policies.CapIndex, hs.policies.SpareOldArms)
    if not quick:
        peaks = (hs.policies.PeakGrabber, hs.policies.DynamicPeakGrabber)
        kinds = (*peaks, hs.policies.SpareOldArms, hs.policies.CapIndex, hs.Discounted, hs.Windowed)
    return {"ucb": base} | {f"{kind.name} around ucb": kind(base=base) for kind in kinds}


@dataclass(frozen=True)
class ReplayEffort:
    """How much is played."""

    days: float = 5.0  # The length of the generated log
    each_second: float = 21.0  # Its events per second
    runs: int = 100  # Of each policy, as in the paper
    window: int = 100_000  # Events of a window of the deterministic policies, as in the notebook
    step: int = 4_000  # From one window to the next, as in the notebook
    turns: Mapping[str, int] = field(default_factory=dict)  # Of a game, if not those of the paper
    own_windows: int = 40  # How many windows we add for the ε policies and for the tuned ones
    contest_windows: int = 20  # The same for the contest's heuristics, some of which are slow
    budget: Budget = field(default=Budget(((16, 10),)))  # Candidates of a policy, and windows
    logs: int = 60  # How many independent generated logs

    def turns_of(self, table: PaperTable) -> int:
        """Of a game."""
        return self.turns.get("mortal" if table is CONTEST else table.id, table.turns)


FULL = ReplayEffort()
QUICK = ReplayEffort(
    days=0.5, each_second=3.0, runs=6, window=20_000, step=800,
    turns={"epsilon": 400, "ucb": 200, "mortal": 400}, own_windows=4, contest_windows=3,
    budget=Budget(((3, 2),)), logs=3,
)  # fmt: skip

#: Clicks are rare: with means near 0.04 the radius of UCB1 is far too wide.  Every constant of
#: exploration ranges from next to nothing to the value that is played untuned.
_CONSTANTS: dict[str, dict[type[hs.Policy], Axis]] = {
    "k": {hs.Policy: Axis("k", 0.01, 250.0, "log")},
    "P": {hs.Policy: Axis("P", 1e-4, 2.0, "log")},
    "c": {
        hs.VariablePool: Axis("c", 1.01, 1000.0, "log"),
        hs.UCBL: Axis("c", 1e-4, 0.3, "log"),
        hs.Policy: Axis("c", 0.01, 2.0, "log"),
    },
}


def space(policy: hs.Policy, G: NDArray[np.float64]) -> Space:
    """What a policy may be tuned to: its constant of exploration, and its measure of G."""
    name = next(name for name in _CONSTANTS if hasattr(policy, name))
    axes = [next(axis for kind, axis in _CONSTANTS[name].items() if isinstance(policy, kind))]
    least, most = float(G.min()), float(G.max())
    if policy.threshold is not None:
        axes.append(Axis("z", least, 1.02 * most, "linear"))
    elif hasattr(policy, "unit") and getattr(policy, "xi", "soft") == "soft":
        axes.append(Axis("unit", 1e-3 * most, 10 * most, "log"))
    return Space(policy.resolve_thresholds(G), tuple(axes))
