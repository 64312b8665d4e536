"""JSON and back."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import BanditError, DocumentError
from highseason.policies import Policy, parameter

#: Ours, for arms that are mere names; a policy that some other test defines is not.
OURS = [
    name
    for name, cls in hs.policies.registry().items()
    if "highseason." in cls.__module__ and not cls().rule.constants
]
G = [5.0, 50.0, 5.0, 50.0, 5.0, 5.0, 50.0, 5.0]


def shop(policy: hs.Policy | None = None, G: Any = G, **options: Any) -> hs.Bandit:
    policy = hs.EpsilonGreedy(k=1) if policy is None else policy
    bandit = hs.Bandit(["a", "b", "c"], policy, G, **{"seed": 7, **options})
    first, second, *_ = (bandit.pull(t) for t in (1, 2, 3, 5))
    bandit.update(first, 1.1, t=1, visitors=3.3)
    bandit.update(second, 0.7, t=2)
    bandit.add_arm("d")
    bandit.remove_arm("c")
    return bandit


def same(one: hs.Bandit, other: hs.Bandit) -> bool:
    return json.loads(one.to_json()) == json.loads(other.to_json())


# ids

simple = (
    st.text(max_size=5) | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none()
)
ids = st.recursive(simple, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6)


def typed(arm: Any) -> Any:
    """1, 1.0 and True are equal; what came back must be of the same type, too."""
    return (tuple, [typed(part) for part in arm]) if type(arm) is tuple else (type(arm), repr(arm))


@given(st.lists(ids, min_size=1, max_size=6, unique=True))
def test_ids_come_back_as_they_were(arms: list[Any]) -> None:
    bandit = hs.Bandit(arms, hs.Greedy(), G)
    twin = hs.Bandit.from_json(bandit.to_json())
    assert [typed(arm) for arm in twin.arms] == [typed(arm) for arm in arms]


@pytest.mark.parametrize("arm", [frozenset("x"), math.nan, ("x", math.nan), b"x", 1j, object()])
def test_other_ids_play_but_cannot_be_written(arm: Any) -> None:
    bandit = hs.Bandit([arm], hs.Greedy(), G)
    assert bandit.pull() is arm
    with pytest.raises(BanditError, match="cannot be written as JSON"):
        bandit.to_json()


# everything else


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
@pytest.mark.parametrize("name", OURS)
def test_every_policy_goes_on_identically(name: str) -> None:
    kind = hs.policies.registry()[name]
    # The shop's first turns play the arms in order, which a cap leaves to chance.
    policy = kind(ties="random" if kind().rule.traits.tries_each_arm else "lowest")
    bandit = shop(policy, hs.traffic.wave(turns=40), reward_range=(0, 1))
    for t in range(6, 40):
        twin = hs.Bandit.from_json(bandit.to_json())
        assert same(bandit, twin)
        assert twin.decide(t) == bandit.decide(t)
        bandit.update(bandit.pull(t), 0.1 * (t % 9), t, visitors=1.0 if t % 2 else None)
    assert twin.policy == bandit.policy


@pytest.mark.filterwarnings("ignore::highseason.policies.PlanWarning")
def test_all_there_is_comes_back() -> None:
    days = np.arange("2024-12-24T00", "2024-12-24T08", dtype="datetime64[h]")
    bandit = shop(
        hs.UCBZ(z=math.inf),
        hs.traffic.from_values(G, days, "visitors"),
        reward_range=(-1, 12),
        known=True,
    )
    twin = hs.Bandit.from_json(bandit.to_json())
    assert same(bandit, twin)
    assert (twin.multiplier, twin.multiplier.name) == (bandit.multiplier, "visitors")
    assert twin.decisions() == bandit.decisions()
    assert twin.ranking() == bandit.ranking()
    assert (twin.policy, twin.seed, twin.known) == (bandit.policy, 7, True)
    assert (twin.reward_range, twin.arms) == ((-1.0, 12.0), ("a", "b", "d"))
    assert [d.turn for d in twin.unrewarded] == [d.turn for d in bandit.unrewarded] == [3, 5]
    assert twin.pull("2024-12-24 06") == bandit.pull("2024-12-24 06")
    assert "Infinity" not in bandit.to_json()


def test_a_waiting_reward_waits_on() -> None:
    twin = hs.Bandit.from_json(shop().to_json())
    assert [d.turn for d in twin.pending] == [2]
    twin.count_visitors(2, 7.0)
    assert twin.ranking()[0].pulls == 1


def test_huge_seeds_and_numbers() -> None:
    @dataclass(frozen=True)
    class Always(Policy):
        rule = hs.policies.UCB_RULE
        suppress_plan_warning = True

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return sys.float_info.max, carry

    bandit = hs.Bandit(["a"], Always(), [1.0, 2.0], reward_range=(0, 1), seed=10**60)
    bandit.pull()
    twin = hs.Bandit.from_json(bandit.to_json(), policy=Always())
    assert (twin.seed, twin.decision(1).level) == (10**60, sys.float_info.max)


def test_a_policy_without_a_name_is_handed_over() -> None:
    @dataclass(frozen=True)
    class Mine(Policy):
        rule = hs.policies.EPSILON
        share: float = parameter(0.5, "how often")

        def step(self, carry: Any, view: Any) -> tuple[float, Any]:
            return self.share, carry

    text = hs.Bandit(["a", "b"], Mine(share=0.25), G).to_json()
    with pytest.raises(DocumentError, match="policy="):
        hs.Bandit.from_json(text)
    with pytest.raises(DocumentError, match="another policy"):
        hs.Bandit.from_json(text, policy=Mine(share=0.75))
    assert hs.Bandit.from_json(text, policy=Mine(share=0.25)).pull() == "a"


def test_a_subclass_comes_back_as_one() -> None:
    class Shelf(hs.Bandit):
        pass

    assert type(Shelf.from_json(shop().to_json())) is Shelf


def test_a_store_that_rewrites_json_does_no_harm() -> None:
    """PostgreSQL's jsonb sorts keys, and writes 1e+20 as 100000000000000000000."""
    bandit = shop(G=[1e20, 3.0, 3.0, 4.0, 5.0, 3.0])
    text = json.dumps(json.loads(bandit.to_json()), sort_keys=True, indent=1)
    text = text.replace("1e+20", "100000000000000000000").replace(" 3.0", " 3")
    assert same(hs.Bandit.from_json(text.encode()), bandit)


# what is refused


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '{"format": "other"}', None])
def test_what_is_no_document(text: Any) -> None:
    with pytest.raises(DocumentError, match="not a"):
        hs.Bandit.from_json(text)


@pytest.mark.parametrize(
    ("version", "named"), [(4, "version 4 .* reads version 5"), (6, r"by highseason 9\.9")]
)
def test_another_version_is_refused_in_one_sentence(version: int, named: str) -> None:
    document = json.loads(shop().to_json())
    document |= {"version": version, "written_by": "highseason 9.9"}
    with pytest.raises(DocumentError, match=named):
        hs.Bandit.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], "1"),
        (["version"], None),
        (["events"], []),
        (["events"], {}),
        (["events", 0, "policy"], {"name": "no-such-policy"}),
        (["events", 0, "policy"], {"name": "ucb", "P": -1}),
        (["events", 0, "policy"], {"name": "ucb", "Q": 1}),
        (["events", 0, "seed"], -1),
        (["events", 0, "reward_range"], [1]),
        (["events", 0, "multiplier", "values"], [1.0, -1.0]),
        (["events", 0, "multiplier", "calendar"], ["yesterday"] * 8),
        (["events", 0, "arms"], ["a", "a", "c"]),
        (["events", 0, "arms"], ["a", {"set": []}, "c"]),
        (["events", 1, "seq"], 7),
        (["events", 1, "arm"], "x"),
        (["events", 1, "turn"], 10**12),
        (["events", 1, "level"], None),
        (["events", 1, "event"], "TurnForgotten"),
    ],
)
def test_damage_is_refused(path: list[str], value: Any) -> None:
    text = shop().to_json()
    with pytest.raises(DocumentError):
        hs.Bandit.from_json(replaced(text, tuple(path), value))


def test_damage_is_named() -> None:
    text = replaced(shop().to_json(), ("events", 1, "arm"), "x")
    with pytest.raises(DocumentError, match="corrupt event 2: there is no arm 'x'"):
        hs.Bandit.from_json(text)


def test_a_document_fills_an_empty_store_and_goes_on_there() -> None:
    store = hs.bandit.MemoryStore()
    twin = hs.Bandit.from_json(shop().to_json(), store=store)
    twin.pull(6)
    assert same(hs.Bandit.from_events(store), twin)
    with pytest.raises(BanditError, match="already holds the events of a bandit"):
        hs.Bandit.from_json(shop().to_json(), store=store)


def leaves(entry: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values of a document, and to the lists and objects around them."""
    items: Any = ()
    if isinstance(entry, dict):
        items = entry.items()
    elif isinstance(entry, list):
        items = enumerate(entry)
    return [path, *(place for key, value in items for place in leaves(value, (*path, key)))]


def replaced(text: str, path: tuple[Any, ...], value: Any) -> str:
    document = entry = {"whole": json.loads(text)}
    *parents, last = ("whole", *path)
    for key in parents:
        entry = entry[key]
    entry[last] = value
    return json.dumps(document["whole"])


def played_online() -> hs.Bandit:
    bandit = hs.Bandit(["a", "b"], hs.EpsilonZGreedy(k=1), seed=7)
    for t in range(1, 6):
        bandit.update(bandit.pull(expected=5.0 + t), 1.0, visitors=4.0 + t)
    return bandit


@pytest.mark.parametrize("value", [None, "x", -1, 1e300, [], {}, True, "inf"])
@pytest.mark.parametrize("online", [False, True])
def test_damage_is_refused_when_it_is_read_and_not_when_it_is_used(
    value: Any, online: bool
) -> None:
    """Whatever one value is replaced by: refused, or a bandit that plays and can be saved."""
    text = (played_online() if online else shop()).to_json()
    for path in leaves(json.loads(text)):
        broken = replaced(text, path, value)
        try:
            bandit = hs.Bandit.from_json(broken)
        except DocumentError:
            continue
        with contextlib.suppress(BanditError):  # all arms may be gone
            bandit.pull(6, expected=7.0 if online else None)
        hs.Bandit.from_json(bandit.to_json())


@pytest.mark.parametrize("constant", ["NaN", "Infinity"])
def test_numbers_that_json_does_not_have_are_refused(constant: str) -> None:
    text = shop().to_json().replace("3.3", constant)
    with pytest.raises(DocumentError, match="not a JSON document"):
        hs.Bandit.from_json(text)


@given(st.data())
def test_no_cut_or_changed_letter_gives_anything_but_a_clear_error(data: st.DataObject) -> None:
    text = shop().to_json()
    at = data.draw(st.integers(0, len(text) - 1))
    if data.draw(st.booleans()):
        broken = text[:at]
    else:
        broken = text[:at] + data.draw(st.sampled_from('0"[}x-.,')) + text[at + 1 :]
    with contextlib.suppress(ValueError):  # a letter in a name or a last digit does no harm
        hs.Bandit.from_json(broken).pull(6)
