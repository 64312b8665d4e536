"""The paper's experiments on the Yahoo! log: players, published numbers, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from highseason.policies import (
    UCB,
    UCBL,
    UCBZ,
    CapIndex,
    Discounted,
    DynamicPeakGrabber,
    EpsilonGreedy,
    EpsilonZGreedy,
    Greedy,
    PeakGrabber,
    Policy,
    SoftEpsilonGreedy,
    SoftUCB,
    SoftUCBMortal,
    SpareOldArms,
    UniformRandom,
    VariablePool,
    Windowed,
    Wrapper,
)

PROFILES = ("paper", "tuned")

#: The paper's slice of R6B, first and last second, and how many articles are there throughout.
PUBLISHED_SLICE = (1_317_783_600, 1_317_830_699)
FIXED_ARMS = 24

#: The threshold of the paper: the 75th percentile of G over its slice.
PUBLISHED_Z, Z_RULE = 31.0, "q0.75"

#: The pool rule that the published number belongs to, whatever the text says.
POOL_OF_THE_CODE = "variable-pool, the code's rule"
UCBL_BY_AGE = "ucb-l, by age"
BESIDE = ("greedy", "uniform")


@dataclass(frozen=True)
class Table:
    """One of the paper's tables: who plays, on what, for how long, and what was printed.

    Attributes:
        id: A name for files.
        title: What is compared.
        players: By label, with the paper's parameters; `z` is set when the log is known.
        published: Mean reward per turn, as printed, by label.
        base: Who the others are compared with.
        turns: The turns of a game.
        mortal: All articles of the log, which come and go; else those of a slice.
    """

    id: str
    title: str
    players: Mapping[str, Policy]
    published: Mapping[str, float]
    base: str
    turns: int
    mortal: bool = False

    @property
    def regulated(self) -> list[str]:
        """Those whose exploring depends on G, and which are no baseline."""
        return [p for p in self.players if p not in (self.base, UCBL_BY_AGE, *BESIDE)]


EPSILON = Table(
    "epsilon",
    "ε-greedy policies and the variable pool, fixed pool of articles",
    {
        "epsilon-greedy": EpsilonGreedy(k=250.0),
        "epsilon-z": EpsilonZGreedy(k=250.0),
        "soft-epsilon": SoftEpsilonGreedy(k=250.0, unit=1.0),
        POOL_OF_THE_CODE: VariablePool(c=10.0, unit=1.0, variant="authors_code"),
        "variable-pool": VariablePool(c=10.0, unit=1.0),
        "greedy": Greedy(),
        "uniform": UniformRandom(),
    },
    {
        "epsilon-greedy": 0.0406,
        "epsilon-z": 0.0493,
        "soft-epsilon": 0.0588,
        POOL_OF_THE_CODE: 0.0688,
    },
    "epsilon-greedy",
    turns=10_000,
)
UCBS = Table(
    "ucb",
    "UCB policies, fixed pool of articles",
    {
        "ucb": UCB(),
        "ucb-z": UCBZ(),
        "soft-ucb": SoftUCB(unit=1.0),
        "greedy": Greedy(),
        "uniform": UniformRandom(),
    },
    {"ucb": 0.0365, "ucb-z": 0.0441, "soft-ucb": 0.0396},
    "ucb",
    turns=2_000,
)
MORTAL = Table(
    "mortal",
    "UCB policies, articles that come and go",
    {
        "ucb": UCB(),
        "ucb-l": UCBL(c=0.011, unit=1.0),
        UCBL_BY_AGE: UCBL(c=0.011, xi="age", unit=1.0),
        "soft-ucb-mortal": SoftUCBMortal(c=2.0, unit=1.0),
        "greedy": Greedy(),
        "uniform": UniformRandom(),
    },
    {"ucb": 0.0523, "ucb-l": 0.0787, "soft-ucb-mortal": 0.0840},
    "ucb",
    turns=10_000,
    mortal=True,
)
TABLES = (EPSILON, UCBS, MORTAL)
#: A table of ours; its players are made from the UCB of the one above.
CONTEST = Table(
    "contest",
    "the contest's heuristics around UCB, articles that come and go",
    {},
    {},
    "ucb",
    turns=10_000,
    mortal=True,
)


def with_threshold(policy: Policy, z: float | str) -> Policy:
    """The policy with this z, if it has one."""
    return replace(policy, z=z) if isinstance(policy, EpsilonZGreedy | UCBZ) else policy


def contest(base: Policy, quick: bool = False) -> dict[str, Policy]:
    """The contest's heuristics and estimates that forget, each around the same UCB."""
    kinds: tuple[type[Wrapper], ...] = (CapIndex, SpareOldArms)
    if not quick:
        kinds = (PeakGrabber, DynamicPeakGrabber, *reversed(kinds), Discounted, Windowed)
    return {"ucb": base} | {f"{kind.name} around ucb": kind(base=base) for kind in kinds}


@dataclass(frozen=True)
class Effort:
    """How much is played.

    Attributes:
        days: The length of the generated log.
        each_second: Its events a second.
        runs: Of each policy, as in the paper.
        window: Records of a window of the deterministic policies, as in the paper.
        step: From one window to the next.
        turns: Of a game in each table; those of the paper where it is not here.
        own_windows: How many windows we add for the ε policies and for the tuned ones.
        contest_windows: How many windows for the contest's heuristics, some of which are slow.
        candidates: How many parameter values every policy may try.
        tuning_windows: On how many windows.
        worlds: How many independent generated logs.
    """

    days: float = 5.0
    each_second: float = 21.0
    runs: int = 100
    window: int = 100_000
    step: int = 4_000
    turns: Mapping[str, int] = field(default_factory=dict)
    own_windows: int = 40
    contest_windows: int = 20
    candidates: int = 16
    tuning_windows: int = 10
    worlds: int = 60


FULL = Effort()
QUICK = Effort(
    days=0.5, each_second=3.0, runs=6, window=20_000, step=800,
    turns={"epsilon": 400, "ucb": 200, "mortal": 400}, own_windows=4, contest_windows=3,
    candidates=3, tuning_windows=2, worlds=3,
)  # fmt: skip
