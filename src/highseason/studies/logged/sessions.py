"""All that is played, in order: the paper's tables, our additions, independent logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from highseason.policies import Policy
from highseason.replay import RepeatedReplay
from highseason.studies.logged.data import Data
from highseason.studies.logged.grounds import (
    Ground,
    best_rate,
    fixed_grounds,
    longest,
    sliced,
    whole,
    with_shuffled_G,
)
from highseason.studies.logged.playing import (
    Protocol,
    Stage,
    published_windows,
    spread_windows,
)
from highseason.studies.logged.results import Block
from highseason.studies.logged.settings import (
    CONTEST,
    EPSILON,
    MORTAL,
    PUBLISHED_Z,
    TABLES,
    Z_RULE,
    Effort,
    Table,
    contest,
    with_threshold,
)
from highseason.studies.logged.tuning import tuned
from highseason.studies.logged.worlds import Entry, Worlds, play_worlds


@dataclass
class Session:
    """Plays everything; what is found is in `blocks` and `worlds`."""

    data: Data
    effort: Effort
    stage: Stage
    quick: bool
    blocks: list[Block] = field(default_factory=list, init=False)
    worlds: Worlds | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Cut the log into grounds; a log that is too short is told here, before any work."""
        self.fixed = fixed_grounds(self.data)
        self.whole = whole(self.data, self.data.reported)

    def steps(self, profiles: Sequence[str]) -> int:
        """How many pieces there are to play, and one for each figure and file."""
        given = self.data.made is None
        fixed = sum(len(t.players) + given * len(t.regulated) for t in TABLES if not t.mortal)
        twice = sum(len(table.players) for table in TABLES if not table.mortal)
        others = 2 * len(MORTAL.players) + len(contest(MORTAL.players["ucb"], self.quick))
        paper = (fixed + twice) * len(self.fixed) + others + 2 * len(self.fixed) + 2
        tuned = fixed + others + len(TABLES) + len(TABLES) + 1
        worlds = 0 if given else self.effort.worlds + 1
        return 6 + ("paper" in profiles) * paper + ("tuned" in profiles) * tuned + worlds

    def play(self, profiles: Sequence[str]) -> None:
        """Every profile, then the independent logs."""
        for profile in profiles:
            for table in TABLES:
                players = self._players(table, profile)
                for ground in self._grounds(table, profile):
                    self.blocks.append(self._block(table, profile, ground, players))
                if table is MORTAL:
                    self.blocks.append(self._contest(profile, players["ucb"]))
        if self.data.made is not None:
            self._play_worlds()

    def _grounds(self, table: Table, profile: str) -> list[Ground]:
        if table.mortal:
            return [self.whole]
        return self.fixed if profile == "paper" else self.fixed[:1]

    def _players(self, table: Table, profile: str) -> dict[str, Policy]:
        z: float | str = Z_RULE if self.data.made is not None else PUBLISHED_Z
        players = {label: with_threshold(policy, z) for label, policy in table.players.items()}
        if profile == "paper":
            return players
        part = self.data.tuning
        if table.mortal:
            ground = whole(self.data, part, "tuning-whole")
        else:
            where = longest(part)
            ground = sliced(self.data, part, "tuning-slice", "the tuning slice", where)
        effort = self.effort
        protocol = spread_windows(ground, "windows", effort.tuning_windows, self._turns(table))
        with self.stage.work.step("tuning"):
            return tuned(self.stage, ground, table, players, effort.candidates, protocol)

    def _turns(self, table: Table) -> int:
        return self.effort.turns.get(table.id, table.turns)

    def _protocols(self, table: Table, profile: str, ground: Ground) -> tuple[Protocol, Protocol]:
        """As published, and on windows that all players share; often the same."""
        turns, effort = self._turns(table), self.effort
        if table.mortal:
            same = spread_windows(ground, "windows", effort.runs, turns)
            return same, same
        own = spread_windows(ground, "windows", effort.own_windows, turns)
        if profile != "paper":
            return own, own
        if table is EPSILON:
            return replace(own, how="auto", runs=effort.runs), own
        slide = (effort.runs, turns, effort.window, effort.step)
        return published_windows(ground, "windows", *slide), own

    def _block(
        self, table: Table, profile: str, ground: Ground, players: Mapping[str, Policy]
    ) -> Block:
        theirs, own = self._protocols(table, profile, ground)
        name = f"{profile}/{ground.id}/{table.id}"
        windows = self.stage.table(f"{name}-windows", ground, players, own)
        runs = windows
        if theirs != own:
            runs = self.stage.table(f"{name}-repeated", ground, players, theirs)
        return Block(
            table, ground, profile, players, theirs, runs, own, windows,
            self._shuffled(table, name, ground, players, own),
            self._in_one_run(name, ground, players) if table.mortal else None,
            best_rate(self.data, ground),
        )  # fmt: skip

    def _shuffled(
        self, table: Table, name: str, ground: Ground, players: Mapping[str, Policy], own: Protocol
    ) -> RepeatedReplay | None:
        """On a log that was given; of generated ones there are many, which say more.

        Mortal articles have scores that are sums of G: shuffled, they would mean nothing.
        """
        if table.mortal or self.data.made is not None:
            return None
        course = with_shuffled_G(ground.course, self.stage.seed)
        other = replace(ground, id=f"{ground.id}-shuffled", course=course)
        chosen = {label: players[label] for label in table.regulated}
        return self.stage.table(f"{name}-shuffled", other, chosen, own)

    def _in_one_run(
        self, name: str, ground: Ground, players: Mapping[str, Policy]
    ) -> RepeatedReplay:
        records = len(ground.course.events)
        once = Protocol("windows", 1, records, records, 1)
        return self.stage.table(f"{name}-in-one-run", ground, players, once)

    def _contest(self, profile: str, base: Policy) -> Block:
        ground, effort = self.whole, self.effort
        players = contest(base, self.quick)
        once = spread_windows(ground, "windows", effort.contest_windows, self._turns(MORTAL))
        runs = self.stage.table(f"{profile}/{ground.id}/contest", ground, players, once)
        best = best_rate(self.data, ground)
        return Block(CONTEST, ground, profile, players, once, runs, once, runs, best=best)

    def _play_worlds(self) -> None:
        entries = [
            Entry(block.name, block.players, self._turns(block.table), block.table.regulated)
            for block in self.blocks
            if block.ground is self.fixed[0]
        ]
        playing = play_worlds(self.stage, entries, self.effort)
        for _ in range(self.effort.worlds):
            with self.stage.work.step("independent logs"):
                next(playing)
        self.worlds = next(playing)
