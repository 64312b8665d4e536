"""All numbers of the study, as records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from highseason.results import Estimate
from highseason.studies.upworthy.analysis import (
    doses,
    expected_share,
    overdrawn,
    regret_saved,
    reward_gain,
    share_of_best,
    won_and_lost,
)
from highseason.studies.upworthy.playing import Played
from highseason.studies.upworthy.settings import PAIRS, default, untuned


def records(results: Sequence[Played]) -> list[dict[str, Any]]:
    """A record for each player in each setting."""
    rows = []
    for played in results:
        for label, both in played.players.items():
            share = share_of_best(played, label)
            row: dict[str, Any] = {
                "setting": played.setting.id,
                "days": played.setting.days,
                "games": len(played.games),
                "policy": label,
                "parameters": " / ".join(dict.fromkeys(map(str, both))),
                "share_of_best": share.value,
                "share_low": share.low,
                "share_high": share.high,
                "expected_share": expected_share(played, label),
                "overdrawn": overdrawn(played, label),
            }
            rows.append(row | _against(played, label))
    return rows


def _against(played: Played, label: str) -> dict[str, Any]:
    """A regulated player beside the same rule unregulated, tuned or not as it is."""
    name = label.removesuffix(default(""))
    base = PAIRS.get(name, "")
    if base and name != label:
        base = untuned(base)
    row: dict[str, Any] = {"against": base}
    for key, of in (("reward_gain", reward_gain), ("regret_saved", regret_saved)):
        found = of(played, label, base) if base else Estimate(*(math.nan,) * 4)
        row |= {key: found.value, f"{key}_low": found.low, f"{key}_high": found.high}
    won, lost = won_and_lost(played, label, base) if base else (math.nan, math.nan)
    return row | {"tests_won": won, "tests_lost": lost}


def dose_records(results: Sequence[Played]) -> list[dict[str, Any]]:
    """A record for each group of windows, for each regulated policy in each setting."""
    return [
        {
            "setting": played.setting.id,
            "policy": policy,
            "against": base,
            "spread_mean": dose.spread,
            "spread_least": dose.least,
            "spread_most": dose.most,
            "games": dose.games,
            "reward_gain": dose.gain.value,
            "reward_gain_low": dose.gain.low,
            "reward_gain_high": dose.gain.high,
        }
        for played in results
        for policy, base in PAIRS.items()
        for dose in doses(played, policy, base)
    ]
