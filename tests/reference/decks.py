"""A game with decks as one would play it at a table: real lists of cards, dealt from the top."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from tests.reference.game import DECISION, REWARD, RULES
from tests.reference.splitmix import Luck, nth, scramble


def hash_at(key: int, position: int) -> int:
    return scramble(key) if position == 0 else nth(key, position)


def stream(key: int, cards: int, ones: int) -> Iterator[int]:
    """The deck card by card, shuffled again whenever it is used up (Knuth's selection sampling)."""
    shuffle = 0
    while True:
        shuffle += 1
        hits = ones
        for left in range(cards, 0, -1):
            u = nth(hash_at(key, shuffle), left) // 2**11 / 2**53
            card = int(u * left < hits)
            hits -= card
            yield card


def play(
    rule: str,
    numbers: Sequence[float],
    G: Sequence[float],
    cards: Sequence[int],
    ones: Sequence[int],
    total: int,
    seed: int,
    game: int,
) -> dict[str, float]:
    luck = Luck(seed, game, len(G))
    decks = [
        stream(hash_at(luck.words[REWARD], arm), *both)
        for arm, both in enumerate(zip(cards, ones, strict=True))
    ]
    means = [one / card for one, card in zip(ones, cards, strict=True)]
    seen: list[list[float]] = [[] for _ in cards]
    dealt = [0] * len(cards)
    clicks, regret, before = 0, 0.0, 0
    for t in range(1, len(G) + 1):
        if t <= len(cards):
            arm = t - 1
        else:
            arm, _ = RULES[rule](seen, numbers[t - 1], luck.uniform(t, DECISION))
        after = math.floor(total * math.fsum(G[:t]) / math.fsum(G) + 0.5)
        count, before = after - before, after
        hits = sum(islice(decks[arm], count))
        seen[arm].append(hits / count)
        dealt[arm] += count
        clicks += hits
        regret += count * (max(means) - means[arm])
    return {
        "reward": clicks,
        "regret": regret,
        "overdrawn": sum(max(0, d - c) for d, c in zip(dealt, cards, strict=True)),
        "best_cards": dealt[means.index(max(means))],
    }
