"""What stands behind other interfaces plays turn for turn as our own game does."""

from __future__ import annotations

import pytest

import highseason as hs
from highseason.adapters.online import OnlineGame

G = hs.traffic.christmas(turns=60)
ARMS = hs.rewards.bernoulli(arms=4)


@pytest.mark.parametrize(
    "name", ["soft+ucb", "thompson", "soft+constant-epsilon:epsilon=0.3", "threshold:z=1.2+ucb"]
)
def test_it_chooses_as_in_a_game(name: str) -> None:
    game = hs.play(hs.policies.parse(name), ARMS, G, seed=5)
    online = OnlineGame(name, seed=5, multiplier=G)
    chosen = []
    for arm, reward in zip(game.arms, game.paid, strict=True):
        chosen.append(online.choose(range(4)))
        online.learn(arm, reward)
    assert chosen == list(game.arms)
