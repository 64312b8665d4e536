"""Replays of a dataset: the paper's repetitions and windows, stored policy by policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from highseason.policies import Greedy, Policy
from highseason.replay import RepeatedReplay, Runs, replay_many
from highseason.studies.logged.data import Dataset
from highseason.studies.logged.settings import BESIDE, PaperTable, space
from highseason.studies.session import StudySession
from highseason.tuning import Budget, Score

#: How much longer than the turns need, on average, a window of our own is.
_SPARE = 1.25


@dataclass(frozen=True)
class Protocol:
    """How runs are made.

    Attributes:
        how: "auto" repeats the slice for randomised policies and slides windows for others;
            "windows" slides windows for all.
        runs: How many.
        turns: Of each.
        window: Records of a window.
        step: From one window to the next.
        shrunk: Whether windows are smaller than the paper's, because the log is short.
    """

    how: str
    runs: int
    turns: int
    window: int
    step: int
    shrunk: bool = False

    def __str__(self) -> str:
        """In a phrase."""
        windows = f"windows of {self.window:,} records, step {self.step:,}"
        if self.how == "auto":
            windows = f"randomised policies repeat the slice, greedy slides {windows}"
        if self.shrunk:
            windows += " (smaller than the paper's: the log is short)"
        return f"{self.runs} runs of {self.turns:,} turns; {windows}"


def published_windows(
    dataset: Dataset, how: str, runs: int, turns: int, window: int, step: int
) -> Protocol:
    """The paper's windows if the log has room for them, else smaller ones."""
    records = len(dataset.log.events)
    shrunk = window + (runs - 1) * step > records
    if shrunk:
        window = min(window, max(1, records // 2))
        step = max(1, (records - window) // max(1, runs - 1))
    return Protocol(how, runs, turns, window, step, shrunk)


def spread_windows(dataset: Dataset, how: str, runs: int, turns: int) -> Protocol:
    """Windows long enough for the turns, from one end of the log to the other."""
    records = len(dataset.log.events)
    window = min(int(_SPARE * turns * dataset.records_per_turn), max(1, 2 * records // 3))
    return Protocol(how, runs, turns, window, max(1, (records - window) // max(1, runs - 1)))


def replay_all(
    session: StudySession,
    name: str,
    dataset: Dataset,
    players: Mapping[str, Policy],
    protocol: Protocol,
    digest: str,
) -> RepeatedReplay:
    """The runs of all policies; those of each are stored."""
    runs = []
    for label, policy in players.items():
        with session.step("replaying"):
            runs.append(_replay(session, name, dataset, label, policy, protocol, digest))
    return RepeatedReplay(tuple(runs), dataset.facts, session.seed)


def _replay(
    session: StudySession,
    name: str,
    dataset: Dataset,
    label: str,
    policy: Policy,
    protocol: Protocol,
    digest: str,
) -> Runs:
    if isinstance(policy, Greedy):  # deterministic: repetitions would all be the same run
        protocol = replace(protocol, how="windows")

    def compute() -> Runs:
        return _many({label: policy}, dataset, protocol, session)[label]

    file = "".join(c if c.isalnum() or c == "-" else "_" for c in label)
    inputs = [digest, dataset.id, str(policy), asdict(protocol), session.seed]
    return session.store.record(f"{name}/{file}", inputs, Runs, compute)


def _many(
    players: Mapping[str, Policy], dataset: Dataset, protocol: Protocol, session: StudySession
) -> RepeatedReplay:
    return replay_many(
        players,
        dataset.log,
        runs=protocol.runs,
        how=protocol.how,  # type: ignore[arg-type]  # a literal, as text
        turns=protocol.turns,
        window=protocol.window,
        step=protocol.step,
        ground_truth=dataset.truth,
        seed=session.seed,
        threads=session.threads,
    )


def tuned(
    session: StudySession,
    dataset: Dataset,
    table: PaperTable,
    players: Mapping[str, Policy],
    budget: Budget,
    turns: int,
    digest: str,
) -> dict[str, Policy]:
    """The candidate of each policy with most clicks per turn; baselines stay as they are."""

    def evaluate(policies: Sequence[Policy], windows: int) -> list[Score]:
        tried = {str(i): policy for i, policy in enumerate(policies)}
        protocol = spread_windows(dataset, "windows", windows, turns)
        runs = _many(tried, dataset, protocol, session).policies
        return [Score(-each.mean.value, each.mean.error) for each in runs]

    G = dataset.log.G
    spaces = {label: space(p, G) for label, p in players.items() if label not in BESIDE}
    inputs = [digest, dataset.id, turns, session.seed]
    return {**players, **session.tune(f"tuning/{table.id}", spaces, evaluate, budget, inputs)}
