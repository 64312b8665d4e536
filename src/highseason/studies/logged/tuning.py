"""Parameters for every policy: equally many candidates, on another part of the log."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from highseason.policies import UCBL, Policy, VariablePool, from_json
from highseason.replay import replay_many
from highseason.studies.legacy_store import fingerprint
from highseason.studies.logged.grounds import Ground
from highseason.studies.logged.playing import Protocol, Stage
from highseason.studies.logged.settings import BESIDE, Table
from highseason.tuning import Axis, Space

#: Clicks are rare: with means near 0.04 the radius of UCB1 is far too wide.  Every constant of
#: exploration ranges from next to nothing to the paper's value.
_EXPLORE, _RADIUS = Axis("k", 0.01, 250.0, "log"), Axis("P", 1e-4, 2.0, "log")
_POOL = Axis("c", 1.01, 1000.0, "log")
_LIFE, _SCORE = Axis("c", 1e-4, 0.3, "log"), Axis("c", 0.01, 2.0, "log")


def space(policy: Policy, ground: Ground) -> Space:
    """The axes of a policy: its constant of exploration, and what it measures G by."""
    least, most = float(ground.course.G.min()), float(ground.course.G.max())
    axes = []
    if hasattr(policy, "k"):
        axes.append(_EXPLORE)
    elif hasattr(policy, "P"):
        axes.append(_RADIUS)
    elif isinstance(policy, VariablePool):
        axes.append(_POOL)
    else:
        axes.append(_LIFE if isinstance(policy, UCBL) else _SCORE)
    if policy.threshold is not None:
        axes.append(Axis("z", least, 1.02 * most, "linear"))
    elif hasattr(policy, "unit") and getattr(policy, "xi", "soft") == "soft":
        axes.append(Axis("unit", 1e-3 * most, 10 * most, "log"))
    return Space(policy.resolve_thresholds(ground.course.G), tuple(axes))


def candidates(policy: Policy, ground: Ground, count: int) -> list[Policy]:
    """As it is, where it explores least, and the rest spread evenly: `count` in all."""
    where = space(policy, ground)
    found = where.anchors()[:count]
    return found + [where.candidate(point) for point in where.spread(count - len(found))]


def tuned(
    stage: Stage, ground: Ground, table: Table, players: dict[str, Policy], count: int,
    protocol: Protocol,
) -> dict[str, Policy]:  # fmt: skip
    """The best candidate of each policy; those without parameters stay as they are."""
    stamp = fingerprint(
        stage.digest, ground.id, table.id, {label: str(p) for label, p in players.items()}, count,
        asdict(protocol), stage.seed,
    )  # fmt: skip

    def find() -> dict[str, str]:
        return {
            label: _best(stage, ground, candidates(policy, ground, count), protocol).to_json()
            for label, policy in players.items()
            if label not in BESIDE
        }

    told = stage.store.document(f"tuning/{table.id}", stamp, find)
    return {label: from_json(told[label]) if label in told else p for label, p in players.items()}


def _best(stage: Stage, ground: Ground, tried: list[Policy], protocol: Protocol) -> Policy:
    """The one with most clicks a turn; of equals, the first."""
    found = replay_many(
        {str(place): policy for place, policy in enumerate(tried)},
        ground.course,
        runs=protocol.runs,
        how="windows",
        turns=protocol.turns,
        window=protocol.window,
        step=protocol.step,
        seed=stage.seed,
        threads=stage.threads,
    )
    return tried[int(np.argmax([runs.mean.value for runs in found.policies]))]
