"""Wherever no policy is named it is the same one: the option index, of prices the price curve."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.service.conftest import MOMENT, settings
from tests.service.test_new_experiments import traffic

import highseason as hs
from highseason.bandit import PRICE_POLICY
from highseason.policies import DEFAULT_POLICY, parse
from highseason_service import Service, demo, model
from highseason_service.commands.experiment import create
from highseason_service.errors import ClashError
from highseason_service.forms import BLANK, new_experiment
from highseason_service.model import Noise
from highseason_service.tables import events


def test_it_is_the_option_index_counting_visitors() -> None:
    assert DEFAULT_POLICY == "option-index"
    policy = settings(policy=DEFAULT_POLICY).playing()
    assert policy == hs.OptionIndex(count="visitors")
    assert policy.precision(120.0) == 120.0


def test_a_policy_is_the_same_by_what_it_plays(opened: Callable[[], Service]) -> None:
    """Another version may call it by another text, or mean another by the same text."""
    service = opened()
    service.create(settings(policy="option-index:count=visitors"))
    assert service.create(settings(policy=DEFAULT_POLICY)).events == 1
    with pytest.raises(ClashError, match="with other settings"):
        service.create(settings(policy="option-index:count=turns"))
    with pytest.raises(ClashError, match="with other settings"):
        service.create(settings(policy="greedy"))
    old = settings("old", policy="option-index:count=turns")
    service.create(old)
    with service.database.write() as connection:  # as it was called when turns were the default
        body = json.dumps(old.to_dict() | {"policy": DEFAULT_POLICY})
        rows = update(events).where(events.c.experiment == "old")
        connection.execute(rows.values(body=body))
    with pytest.raises(ClashError, match="with other settings"):
        service.create(settings("old", policy=DEFAULT_POLICY))


def test_of_a_bandit() -> None:
    bandit = hs.Bandit(["a"], multiplier=[5], reward_range=(0, 1))
    assert bandit.policy == hs.OptionIndex(count="visitors")
    shelf = hs.Bandit(prices=[8.99, 9.99], multiplier=[5])
    assert shelf.policy == hs.PriceCurve(count="visitors")


def test_of_a_request_and_its_example() -> None:
    body = {"id": "x", "arms": [{"id": "a"}], "forecast": {"values": [5, 9]}}
    assert model.ExperimentBody.model_validate(body).settings().policy == DEFAULT_POLICY
    (example,) = model.ExperimentBody.model_json_schema()["examples"]
    assert model.ExperimentBody.model_validate(example).settings().policy == PRICE_POLICY


@pytest.mark.parametrize(
    ("typed", "policy"),
    [({"arms": "a\nb", "greatest": "1"}, DEFAULT_POLICY), ({"prices": "9\n10"}, PRICE_POLICY)],
)
def test_of_the_form(typed: dict[str, str], policy: str) -> None:
    body, _ = new_experiment(BLANK | {"name": "tea"} | typed, "traffic.csv", traffic())
    assert body.settings().policy == policy


@pytest.mark.parametrize("name", [DEFAULT_POLICY, PRICE_POLICY])
def test_of_the_command(name: str) -> None:
    (option,) = [one for one in create.params if one.name == "policy"]
    assert name in option.help


def test_of_the_demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "PLAYED", 3)
    with Service(f"{tmp_path}/demo.db") as service:
        demo.fill(service, MOMENT)
        assert service.state(demo.NAME).policy == f"{PRICE_POLICY}:count=visitors"


@pytest.mark.parametrize("within", ["", "limit-switching+", "soft+"])
@pytest.mark.parametrize("name", [DEFAULT_POLICY, "option-index:count=turns"])
def test_it_takes_what_is_counted_but_learns_rho_itself(within: str, name: str) -> None:
    policy = within + name
    counting = settings(policy=policy, noise=Noise("visitors")).playing()
    assert counting.precision(120.0) == 120.0
    assert settings(policy=policy, noise=Noise("turns")).playing().precision(120.0) == 1.0
    with pytest.raises(ValueError, match="leave `rho` out"):
        settings(policy=policy, noise=Noise("visitors", rho=0.01)).playing()


def test_a_policy_within_a_wrapper_takes_the_noise() -> None:
    playing = settings(policy="soft+thompson", noise=Noise("visitors", rho=0.01)).playing()
    assert str(playing) == "soft+thompson:count=visitors,rho=0.01"


@pytest.mark.parametrize(
    "text", ["thompson", "greedy:rho=0.01", "soft+ucb", "limit-switching+kl-ucb"]
)
def test_what_an_experiment_counts_is_written_out_and_stays(
    text: str, opened: Callable[[], Service]
) -> None:
    """By its log and not by its text, which may have meant another policy when it was written."""
    policy, service = parse(text), opened()
    for id_, given in (("new", policy), ("told", policy.counting("turns"))):
        service.create(settings(id_, policy=str(given)))
    old = settings("old", policy=str(policy.counting("turns")))
    service.create(old)
    with service.database.write() as connection:  # as it was called when turns were the default
        body = json.dumps(old.to_dict() | {"policy": text})
        rows = update(events).where(events.c.experiment == "old")
        connection.execute(rows.values(body=body))
    again = opened()
    for id_, what in (("new", "visitors"), ("told", "turns"), ("old", "turns")):
        wanted = str(policy.counting(what))
        assert f"count={what}" in wanted
        assert again.state(id_).policy == again.experiment(id_).policy == wanted
    assert '"count": "visitors"' in json.dumps(again.events("new"))
