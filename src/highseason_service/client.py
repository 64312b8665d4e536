"""A small client: the API as functions that give the same objects as the service itself."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal
from urllib.parse import quote

from highseason.core import require
from highseason_service.model import (
    Arm,
    DecisionRecord,
    Outcome,
    PlannedTurn,
    Settings,
    State,
    Summary,
)


class RequestError(Exception):
    """The service refused a request; what `questions` ask about is taken in with `confirm`."""

    def __init__(self, status: int, detail: str, questions: Sequence[str] = (), **_: Any) -> None:
        super().__init__(f"{detail} (HTTP {status})")
        self.status, self.detail, self.questions = status, detail, questions


class Client(AbstractContextManager["Client"]):
    """Talks to one service.

    Args:
        url: Its address.
        token: A token of `highseason token create`, if it asks for one.
        timeout: How long to wait for an answer, in seconds.

    All requests may be sent again after a failure: a turn is decided once, and a reward that was
    reported with a `key`, or with the same values, counts once.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8000", token: str | None = None, timeout: float = 10.0
    ) -> None:
        httpx = require("httpx", "service", "the client")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.url = url.rstrip("/")
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def create(self, settings: Settings) -> Summary:
        """Create an experiment; the same settings again change nothing."""
        return Summary(**self._ask("POST", "/v1/experiments", settings.to_body()))

    def experiments(self) -> list[Summary]:
        """All experiments."""
        return [Summary(**entry) for entry in self._ask("GET", "/v1/experiments")]

    def state(self, experiment: str) -> State:
        """Where an experiment stands."""
        return _state(self._ask("GET", _path(experiment)))

    def decide(
        self,
        experiment: str,
        turn: int | None = None,
        at: datetime | None = None,
        force: bool = False,
    ) -> DecisionRecord:
        """The arm of a turn, or of the turn that is now; `force` if a clock may be wrong."""
        body = {"turn": turn, "at": None if at is None else at.isoformat(), "force": force}
        return DecisionRecord(**self._ask("POST", _path(experiment, "decide"), body))

    def decisions(self, experiment: str, limit: int = 100) -> list[DecisionRecord]:
        """The latest decisions, newest turn first."""
        rows = self._ask("GET", _path(experiment, f"decisions?limit={limit:d}"))
        return [DecisionRecord(**row) for row in rows]

    def update_many(
        self,
        experiment: str,
        outcomes: Sequence[Outcome],
        key: str | None = None,
        confirm: bool = False,
    ) -> dict[str, int]:
        """Report what turns brought, all or none."""
        body = {"rewards": [asdict(outcome) for outcome in outcomes], "confirm": confirm}
        return dict(self._ask("POST", _path(experiment, "update"), body, key))

    def correct(
        self, experiment: str, outcome: Outcome, key: str | None = None, confirm: bool = False
    ) -> dict[str, Any]:
        """Correct a reward."""
        path = _path(experiment, f"decisions/{outcome.turn:d}/correct")
        body = asdict(outcome) | {"confirm": confirm}
        del body["turn"]  # it is in the path
        return dict(self._ask("POST", path, body, key))

    def change_worth(
        self,
        experiment: str,
        cost: float | Mapping[str, float] | None = None,
        tax: float | None = None,
        reward_range: Sequence[float] | None = None,
        key: str | None = None,
    ) -> State:
        """Change what a purchase is worth, or the range of rewards."""
        body = {"cost": cost, "tax": tax, "reward_range": reward_range}
        return _state(self._ask("POST", _path(experiment, "worth"), body, key))

    def add_arm(self, experiment: str, arm: Arm, key: str | None = None) -> Arm:
        """Add an arm, or bring a removed one back."""
        return Arm(**self._ask("POST", _path(experiment, "arms"), asdict(arm), key))

    def remove_arm(self, experiment: str, arm: str, key: str | None = None) -> Arm:
        """Remove an arm."""
        path = _path(experiment, f"arms/{quote(arm, safe='')}/remove")
        return Arm(**self._ask("POST", path, None, key))

    def reforecast(
        self, experiment: str, first: int, values: Sequence[float], key: str | None = None
    ) -> dict[str, int]:
        """Replace the forecast from a turn on."""
        body = {"first": first, "values": list(values)}
        return dict(self._ask("POST", _path(experiment, "reforecast"), body, key))

    def change_status(self, experiment: str, change: str, key: str | None = None) -> Summary:
        """Pause, resume or archive an experiment."""
        return Summary(**self._ask("POST", _path(experiment, change), None, key))

    def plan(self, experiment: str, turns: int = 30) -> list[PlannedTurn]:
        """The coming turns as things stand."""
        rows = self._ask("GET", _path(experiment, f"plan?turns={turns:d}"))
        return [PlannedTurn(**row) for row in rows]

    def events(self, experiment: str, after: int = 0, limit: int = 1000) -> dict[str, Any]:
        """A page of the event log; `next` is what to pass as `after` for more."""
        return dict(self._ask("GET", _path(experiment, f"events?after={after:d}&limit={limit:d}")))

    def export(self, experiment: str, kind: Literal["csv", "parquet"] = "parquet") -> bytes:
        """The turns with their rewards, as a file."""
        return bytes(self._send("GET", _path(experiment, f"export.{kind}")).content)

    def _ask(self, *request: Any) -> Any:
        return self._send(*request).json()

    def _send(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, key: str | None = None
    ) -> Any:
        headers = {} if key is None else {"Idempotency-Key": key}
        answer = self._http.request(method, path, json=body, headers=headers)
        if answer.is_success:
            return answer
        kind = answer.headers.get("content-type", "")
        said = answer.json() if kind.startswith("application/json") else {"detail": answer.text}
        raise RequestError(answer.status_code, **said)


def _state(answer: Any) -> State:
    reader = require("pydantic", "service", "the client").TypeAdapter(State)
    state: State = reader.validate_python(answer)
    return state


def _path(experiment: str, rest: str = "") -> str:
    return f"/v1/experiments/{quote(experiment, safe='')}" + (f"/{rest}" if rest else "")
