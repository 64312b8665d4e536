"""`highseason plan`: when a policy will explore, before the first turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import highseason as hs
from highseason.advice.days import Day, as_calendar, coming_days, in_words
from highseason.advice.demand import unknown_demand
from highseason.cli import options
from highseason.cli.group import with_examples
from highseason.cli.output import (
    check_figure,
    note_if_too_short,
    print_json,
    print_wrapped,
    save,
    say,
    usage_error,
)
from highseason.policies import timing
from highseason.traffic.dates import iso_times


@with_examples(
    "plan",
    "highseason plan traffic.csv --price 9.99 --price 10.99 --out plan.ics",
    "highseason plan --policy soft-ucb --multiplier christmas --arms 25",
    "highseason plan --policy ucb-z -m traffic.csv --arms 25 --out plan.png",
    "highseason plan -p ucb-z -m traffic.csv --arms 4 --calendar --out calendar.png",
    "highseason plan --policy ucb-z --multiplier traffic.csv --ahead 90 --arms 25",
    "highseason plan -p ucb -p ucb-z -p soft-ucb -m wave --out plans.csv",
)
@options.players
@options.stakes
@options.choice_of_arms
@options.path(
    "--out",
    "Draw the plan (.png, .svg, .pdf), or write it: turns (.csv, .xlsx), a calendar (.ics).",
)
@options.flag("--calendar", "Draw a calendar, a square per day, instead of lines.")
@options.size
@options.ignored_seed
def command(
    players: dict[str, hs.Policy],
    G: hs.traffic.Multiplier,
    arms: options.Arms,
    out: Path | None,
    calendar: bool,
    as_json: bool,
) -> None:
    """Show when a policy explores, and what to do each day.

    FILE holds the visitors of the past, a date and a number a row; the next two months are planned.
    """
    tables, count = (".csv", ".xlsx", ".ics"), len(arms.labels)
    check_figure(out, or_else=", or in .csv, .xlsx or .ics for the numbers", tables=tables)
    if calendar and (out is None or out.suffix.lower() in tables):
        raise usage_error("--calendar draws a figure: name its file, such as --out plan.png")
    note_if_too_short(G.turns, count)
    plans = {label: policy.plan(G, count) for label, policy in players.items()}
    first, days = next(iter(plans.values())), []
    if (last := hs.traffic.ended(G)) is not None:
        if click.get_current_context().params["ahead"] or (out and out.suffix.lower() == ".ics"):
            raise usage_error(f"the season is over since {last}: give newer traffic, or --ahead")
        say(f"note: the season ended on {last}; for the coming days, give FILE without -m")
    elif len(plans) == 1 and not G.is_shape and first.policy.rule.traits.compilable:
        world = unknown_demand(arms.offers) if arms.offers else hs.rewards.visitors(count)
        days = coming_days(first, world, arms.labels)
    if out is not None and out.suffix.lower() == ".ics":
        out.write_bytes(as_calendar(days).encode())
    elif out is not None:
        draw = hs.report.calendar if calendar else hs.report.plan
        save(out, lambda: _rows(plans, days), lambda: draw(plans))
    if as_json:
        documents = [_describe(label, plan) for label, plan in plans.items()]
        print_json(documents[0] if len(documents) == 1 else {"plans": documents})
        return
    print_wrapped(f"{timing.plan_heading(first)}\n")
    click.echo(f"{timing.plan_table(plans)}\n")
    print_wrapped(timing.LEGEND)
    if days:
        click.echo(f"\n{in_words(days)}")
    if out is not None:
        click.echo(f"wrote {out}")


def _rows(plans: dict[str, hs.Plan], days: Sequence[Day]) -> list[dict[str, Any]]:
    rows, what = [], {day.turn: day.what for day in days}
    for label, plan in plans.items():
        columns = (_times(plan), plan.multiplier.values, plan.levels, plan.exploration)
        for i, (time, *numbers) in enumerate(zip(*columns, strict=True)):
            when = {} if time is None else {"time": time}
            named = dict(zip(("G", "level", "exploration"), map(float, numbers), strict=True))
            do = {"what to do": what.get(i + 1, "")} if what else {}
            rows.append({"policy": label, "turn": i + 1, **when, **named, **do})
    return rows


def _times(plan: hs.Plan) -> Sequence[str | None]:
    calendar = plan.multiplier.calendar
    return [None] * len(plan) if calendar is None else iso_times(calendar)


def _describe(label: str, plan: hs.Plan) -> dict[str, Any]:
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
        "when": timing.timing(plan).to_dict(),
        "plan_digest": plan.digest,
    } | ({} if G.calendar is None else {"times": _times(plan)})
