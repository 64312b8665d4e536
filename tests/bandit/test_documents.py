"""JSON and back."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import highseason as hs
from highseason.bandit import BanditError, DocumentError
from highseason.policies import Policy, parameter

#: Ours; a policy that some other test defines is not.
OURS = [name for name, cls in hs.policies.registry().items() if "highseason." in cls.__module__]
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
    return one.to_json() == other.to_json()


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


def test_the_plan_travels_along() -> None:
    """Another machine's logarithm may differ in the last bit: they are not computed again."""
    document = json.loads(shop(hs.SoftUCB(), reward_range=(0, 1)).to_json())
    document["multiplier"]["plan"]["levels"][5] = 0.125
    assert hs.Bandit.from_json(json.dumps(document)).decide(6).level == 0.125


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


@pytest.mark.parametrize("version", [1, 3])
def test_an_earlier_version_is_refused(version: int) -> None:
    document = json.loads(shop().to_json()) | {"version": version}
    with pytest.raises(DocumentError, match=f"has version {version} .* reads version 4"):
        hs.Bandit.from_json(json.dumps(document))


def test_a_later_version_is_named() -> None:
    document = json.loads(shop().to_json())
    document |= {"version": 5, "written_by": "highseason 9.9"}
    with pytest.raises(DocumentError, match=r"version 5 \(written by highseason 9\.9\).*upgrade"):
        hs.Bandit.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], "1"),
        (["version"], None),
        (["policy"], {"name": "no-such-policy"}),
        (["policy"], {"name": "ucb", "P": -1}),
        (["policy"], {"name": "ucb", "Q": 1}),
        (["policy"], 7),
        (["seed"], -1),
        (["seed"], 1.5),
        (["reward_range"], [1]),
        (["multiplier", "values"], [1.0, -1.0]),
        (["multiplier", "values"], [1.0] * 4),
        (["multiplier", "values"], ["x"] * 8),
        (["multiplier", "calendar"], ["yesterday"] * 8),
        (["multiplier", "known"], "yes"),
        (["multiplier", "plan", "levels"], [1.0]),
        (["arms", "ids"], ["a", "a", "c", "d"]),
        (["arms", "ids"], ["a", {"set": []}, "c", "d"]),
        (["arms", "active"], [True]),
        (["arms", "active"], [1, 1, 0, 1]),
        (["arms", "selections"], [9, 1, 1, 0]),
        (["arms", "start"], [0, 0, 0, -1]),
        (["arms", "end"], [-3, 5, 5, 5]),
        (["arms", "dates"], [[7, "2024-12-24"]]),
        (["arms", "pulls"], [0, 0, 0, 0]),
        (["arms", "sums"], [1.0]),
        (["arms", "memory"], []),
        (["decisions", "turns"], [1, 2, 3, 3]),
        (["decisions", "turns"], [1, 2, 3, 10**12]),
        (["decisions", "turns"], [1, 2, 3, 0]),
        (["decisions", "turns"], 3),
        (["decisions", "arms"], [0, 1, 2, 7]),
        (["decisions", "rewards"], [1.0]),
        (["decisions", "traffic"], [3.3, 1.0, None, None]),
        (["decisions", "propensities"], [[99, [4], [0.25]]]),
        (["decisions", "propensities"], [[0, [1], []]]),
        (["decisions", "propensities"], [[0, [4], [None]]]),
        (["decisions", "propensities"], [[0, [4], [0.25]], [0, [4], [0.25]]]),
        (["decisions", "propensities"], 7),
        (["decisions", "propensities", "values"], [None]),
        (["decisions", "levels"], [0.5, 0.5, None, 0.5]),
        (["decisions", "levels"], [0.5, 0.5, 7.0, 0.5]),
        (["decisions", "exploited"], [0, 0, 2, 0]),
        (["decisions", "rewards"], [1.1, "inf", None, None]),
    ],
)
def test_damage_is_refused(path: list[str], value: Any) -> None:
    document = json.loads(shop().to_json())
    *parents, last = path
    entry = document
    for key in parents:
        entry = entry[key]
    entry[last] = value
    with pytest.raises(DocumentError):
        hs.Bandit.from_json(json.dumps(document))
    del entry[last]
    with pytest.raises(DocumentError):
        hs.Bandit.from_json(json.dumps(document))


def test_damage_is_named() -> None:
    document = json.loads(shop().to_json())
    document["arms"]["dates"] = [[7, "2024-12-24"]]
    with pytest.raises(
        DocumentError, match="corrupt document: `dates` refers to unknown arm index 7"
    ):
        hs.Bandit.from_json(json.dumps(document))


def test_damage_without_a_multiplier_is_refused() -> None:
    bandit = hs.Bandit(["a", "b"], hs.Greedy())
    for _ in range(3):
        bandit.update(bandit.pull(expected=5.0), 1.0, visitors=4.0)
    document = json.loads(bandit.to_json())
    assert same(hs.Bandit.from_json(bandit.to_json()), bandit)
    for beliefs in ([5.0], [5.0] * 4):
        document["multiplier"]["beliefs"] = beliefs
        with pytest.raises(DocumentError, match="corrupt"):
            hs.Bandit.from_json(json.dumps(document))


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


#: Documents and events of another day, and what followed.
WRITTEN_BEFORE = json.loads(
    (Path(__file__).with_name("documents") / "version-4.json").read_text("utf-8")
)


def goes_on(bandit: hs.Bandit) -> list[list[Any]]:
    followed = []
    for t in range(31, 46):
        if t == 38:
            mortal = bandit.policy.label == "soft-ucb-mortal"
            bandit.add_arm("e", "now", expires=45 if mortal else None)
        made = bandit.decide(t, expected=10 + (7 * t) % 11 if bandit.multiplier is None else None)
        arm = list(made.arm) if isinstance(made.arm, tuple) else made.arm
        followed.append([arm, made.probability, made.level])
    return followed


@pytest.mark.parametrize("case", WRITTEN_BEFORE)
def test_a_document_written_before_goes_on_as_it_did(case: dict[str, Any]) -> None:
    assert goes_on(hs.Bandit.from_json(json.dumps(case["document"]))) == case["then"]


@pytest.mark.parametrize("case", WRITTEN_BEFORE)
def test_events_written_before_go_on_as_they_did(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text("".join(f"{line}\n" for line in case["events"]), encoding="utf-8")
    bandit = hs.Bandit.from_events(hs.bandit.JsonLinesStore(path))
    assert goes_on(bandit) == case["then"]


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
