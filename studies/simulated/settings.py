"""What is simulated: settings, policies and profiles, as data."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import highseason as hs
from highseason import rewards, traffic
from highseason.advice import Budget
from highseason.rewards import Rewards
from highseason.traffic import Multiplier
from studies import authors_code
from studies.authors_code import published
from studies.paper import REGULATED

#: Games per setting, as in the paper; and for the one gain that its text gives as a number.
GAMES, HEADLINE_GAMES = 50, 4000

#: Games, and what each policy may spend on tuning, per setting.
FULL, QUICK = (GAMES, Budget.halving(12, games=180)), (10, Budget.halving(6, games=40))

#: In the order of the paper's bars.
BASELINES: tuple[type[hs.Policy], ...] = (hs.EpsilonGreedy, hs.UCB)
SEVEN: tuple[type[hs.Policy], ...] = (*BASELINES, *REGULATED)
BESIDE: tuple[type[hs.Policy], ...] = (hs.Greedy, hs.UniformRandom)
#: The label of our own policy, which has nothing to tune; it stands beside the paper's.
OURS = f"{hs.OptionIndex.name} (ours)"

PROFILES = {
    "paper": "the paper's formulas, with z = 30, c = 10 and, where it states none, k = 14",
    "authors_code": "the formulas, shapes and values of the authors' simulation code",
    "tuned": "the paper's formulas, every policy tuned to every setting with the same budget",
}

SHAPES = ("wave", "step", "christmas")
ARMS, TURNS = (25, 50, 100, 200), (500, 1000, 1500)

#: The threshold that the paper's figure shows for all three shapes.
Z = 30.0


@dataclass(frozen=True)
class Law:
    """A reward model: its name in ids, in figures, and whether the paper has it."""

    id: str
    title: str
    sigma: float | None
    published: bool


LAWS = (
    Law("bernoulli", "Bernoulli rewards", None, True),
    Law("normal-1", "clipped normal rewards, sigma 1", 1.0, True),
    Law("normal-0.1", "clipped normal rewards, sigma 0.1", 0.1, False),
)


@dataclass(frozen=True)
class SimulatedSetting:
    """One cell of the grid.

    >>> SimulatedSetting(LAWS[0], "wave", 25, 500).id
    'bernoulli-wave-25-arms-500-turns'
    """

    law: Law
    shape: str
    arms: int
    turns: int

    @property
    def id(self) -> str:
        """A readable name."""
        return f"{self.law.id}-{self.shape}-{self.arms}-arms-{self.turns}-turns"

    def rewards(self) -> Rewards:
        """Arms whose means are drawn from [0, 1] in every game."""
        if self.law.sigma is None:
            return rewards.bernoulli(arms=self.arms)
        return rewards.truncated_normal(arms=self.arms, sigma=self.law.sigma)

    def multiplier(self, profile: str) -> Multiplier:
        """G; the authors' code has other shapes than the paper's text."""
        shapes = authors_code.SHAPES if profile == "authors_code" else traffic.SHAPES
        return shapes[self.shape](self.turns)


HEADLINE = SimulatedSetting(LAWS[0], "wave", 25, 500)


def grid(quick: bool = False) -> list[SimulatedSetting]:
    """Every setting, those with the same plans side by side.

    >>> len(grid()), sum(setting.law.published for setting in grid())
    (108, 72)
    """
    arms, turns = ((10, 25), (100, 200)) if quick else (ARMS, TURNS)
    return [
        SimulatedSetting(law, shape, m, n)
        for shape, m, n, law in itertools.product(SHAPES, arms, turns, LAWS)
    ]


def players(
    profile: str, tuned: Mapping[str, hs.Policy], own: Mapping[str, hs.Policy] = {},
    k: float | None = None,
) -> dict[str, hs.Policy]:  # fmt: skip
    """The policies of a profile by label, in the order of the figures; the reader's own come last.

    `k` takes the place of that of the profile `paper`.
    """
    if profile == "tuned":
        chosen = {policy.name: tuned[policy.name] for policy in SEVEN}
    else:
        chosen = {policy.name: published(policy, profile, k) for policy in SEVEN}
        chosen |= {tuned_label(name): tuned[name] for name in names(BASELINES)}
    chosen |= {policy.name: policy() for policy in BESIDE} | {OURS: hs.OptionIndex()}
    order = [*names(SEVEN), *names(BESIDE), OURS, *map(tuned_label, names(BASELINES))]
    return {label: chosen[label] for label in order if label in chosen} | own_labels(own)


def own_labels(own: Mapping[str, hs.Policy]) -> dict[str, hs.Policy]:
    """The reader's own policies; one that is also ours is called theirs."""
    taken = {*names(SEVEN), *names(BESIDE), OURS}
    return {f"{name} (yours)" if name in taken else name: own[name] for name in own}


def tuned_label(baseline: str) -> str:
    """The label of a tuned baseline, played beside the published one."""
    return f"{baseline} (tuned)"


def names(policies: Sequence[type[hs.Policy]]) -> list[str]:
    """Their names."""
    return [policy.name for policy in policies]
