"""Tuned players for studies: the same budget for every policy, on games that nobody reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from highseason.multipliers import Multiplier
from highseason.policies import Policy, from_json
from highseason.rewards import Rewards
from highseason.studies.legacy_store import Store, fingerprint
from highseason.tuning import Budget as Rounds
from highseason.tuning import Space, derive_seed, on_games, search


@dataclass(frozen=True)
class Budget:
    """What every policy may spend on tuning: candidates, and the games of the finalists."""

    trials: int
    games: int


def tuned_players(
    policies: Sequence[type[Policy]],
    rewards: Rewards,
    G: Multiplier,
    budget: Budget,
    seed: int,
    store: Store,
    name: str,
    threads: int | None,
) -> dict[str, Policy]:
    """The best of each class by name; candidates spread evenly, so the same on every machine."""
    played = derive_seed(seed, "search")
    stamp = fingerprint(
        [policy.name for policy in policies], rewards.name, rewards.scale, rewards.arms,
        list(rewards.between), G.digest(), vars(budget), played,
    )  # fmt: skip

    def find() -> dict[str, str]:
        evaluate = on_games(rewards, G, played, threads)
        rounds = Rounds.halving(budget.trials, budget.games)
        return {
            policy.name: search(Space.of(policy, G), evaluate, rounds)[0].policy.to_json()
            for policy in policies
        }

    found = store.document(name, stamp, find)
    return {policy: from_json(text) for policy, text in found.items()}
