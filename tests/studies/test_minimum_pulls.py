"""The picture of the lemma about minimum pulls says where its printed form fails."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np

import highseason as hs
from studies.minimum_pulls import minimum_pulls


def test_minimum_pulls_count_where_the_printed_lemma_fails() -> None:
    rewards = hs.rewards.custom(
        lambda u, p, s: p, lambda p: p, parameters=[0.5, 0.0], bounds=(0.0, 1.0)
    )
    game = hs.play(hs.UCB(), rewards, hs.traffic.constant(1000), seed=1)
    pulls = (game.arms == 1).cumsum()
    figure = minimum_pulls(pulls, arms=2, r=0.5)
    t = np.arange(1, 1001)
    printed = 1 + np.searchsorted(hs.bounds.pull_steps(1000, 2, 0.5, form="paper"), t, "right")
    failures = int((printed > pulls)[2:].sum())
    assert failures > 0
    assert (
        f"overstates the pulls after {failures} turns, the corrected one after 0 turns"
        in figure.alt
    )
    figure.encode("png")
    words = [text.get_text() for text in figure.canvas.findobj(mpl.text.Text)]
    assert "guaranteed, corrected" in words
