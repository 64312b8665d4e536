"""`highseason plan`: when a policy will explore, before the first turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import highseason as hs
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import (
    check_figure,
    note_if_too_short,
    print_json,
    print_wrapped,
    save,
    usage_error,
)
from highseason.traffic.dates import iso_times

if TYPE_CHECKING:
    from highseason.policies import Plan, Policy
    from highseason.traffic import Multiplier


@with_examples(
    "plan",
    "highseason plan --policy soft-ucb --multiplier christmas --arms 25",
    "highseason plan --policy ucb-z -m traffic.csv --arms 25 --out plan.png",
    "highseason plan -p ucb-z -m traffic.csv --arms 4 --calendar --out calendar.png",
    "highseason plan --policy ucb-z --multiplier traffic.csv --ahead 90 --arms 25",
    "highseason plan -p ucb -p ucb-z -p soft-ucb -m wave --out plans.csv",
)
@options.players
@options.stakes
@options.count("--arms", "Number of arms.", default=options.DEFAULT_ARMS)
@options.path("--out", "Draw the plan (.png, .svg, .pdf) or write it per turn (.csv).")
@options.flag("--calendar", "Draw a calendar, a square per day, instead of lines.")
@options.size
@options.ignored_seed
def command(
    players: dict[str, Policy],
    G: Multiplier,
    arms: int,
    out: Path | None,
    calendar: bool,
    as_json: bool,
) -> None:
    """Show when a policy will explore.

    A file may have a column of times and must have one of values; see --time, --value and --floor.
    """
    check_figure(out, or_else=", or in .csv for the numbers", tables=[".csv"])
    if calendar and (out is None or out.suffix.lower() == ".csv"):
        raise usage_error("--calendar draws a figure: name its file, such as --out plan.png")
    note_if_too_short(G.turns, arms)
    plans = {label: policy.plan(G, arms) for label, policy in players.items()}
    if out is not None:
        draw = hs.report.calendar if calendar else hs.report.plan
        save(out, lambda: _rows(plans), lambda: draw(plans))
    if as_json:
        documents = [_describe(label, plan) for label, plan in plans.items()]
        print_json(documents[0] if len(documents) == 1 else {"plans": documents})
        return
    from highseason.policies import timing

    first = next(iter(plans.values()))
    print_wrapped(f"{timing.plan_heading(first)}\n")
    click.echo(f"{timing.plan_table(plans)}\n")
    print_wrapped(timing.LEGEND)
    if out is not None:
        click.echo(f"wrote {out}")


def _rows(plans: dict[str, Plan]) -> list[dict[str, Any]]:
    rows = []
    for label, plan in plans.items():
        columns = (_times(plan), plan.multiplier.values, plan.levels, plan.exploration)
        for i, (time, *numbers) in enumerate(zip(*columns, strict=True)):
            when = {} if time is None else {"time": time}
            named = dict(zip(("G", "level", "exploration"), map(float, numbers), strict=True))
            rows.append({"policy": label, "turn": i + 1, **when, **named})
    return rows


def _times(plan: Plan) -> Sequence[str | None]:
    calendar = plan.multiplier.calendar
    return [None] * len(plan) if calendar is None else iso_times(calendar)


def _describe(label: str, plan: Plan) -> dict[str, Any]:
    from highseason.policies.timing import timing

    G = plan.multiplier
    return {
        "policy": label,
        "parameters": plan.policy.to_dict(),
        "resolved": plan.policy.resolve_thresholds(G.values).to_dict(),
        "multiplier": G.name,
        "arms": plan.arms,
        "turns": len(plan),
        "G": G.values,
        "levels": plan.levels,
        "exploration": plan.exploration,
        "when": timing(plan).to_dict(),
        "plan_digest": plan.digest,
    } | ({} if G.calendar is None else {"times": _times(plan)})
