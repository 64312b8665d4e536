"""What the replays show, in words and figures; all numbers are computed from the frames."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from highseason.core.text import counted, formatted, listed
from highseason.engine import Estimate
from highseason.report import Drawings, interval_plot, replays
from studies.frames import columns, estimate, where
from studies.logged import plots
from studies.logged.data import Dataset
from studies.logged.lifespans import lifespans
from studies.logged.run import LoggedResults, as_estimate
from studies.logged.settings import OURS
from studies.study import Findings

#: Runs that scatter less than this are one and the same.
_SAME = 1e-6

Frames = Mapping[str, pd.DataFrame]


@dataclass(frozen=True, eq=False)
class LoggedFindings(Findings):
    """`printed` is the paper's tables with a column of ours beside each of its own."""

    printed: pd.DataFrame | None = None  # Rows by block and policy, as text
    pool_is_greedy: bool = False  # Whether the printed rule of the pool played exactly as greedy


def findings(results: LoggedResults) -> LoggedFindings:
    """What was replayed, the answer, and the numbers behind it."""
    frames = {name: f[f.dataset != "published-slice"] for name, f in results.frames.items()}
    profiles = list(dict.fromkeys(results.frames["blocks"].profile))
    summary = [_log(results), *(_verdict(frames, profile) for profile in profiles)]
    details = [  # the page shows the first two
        *_greedy(frames),
        *_truth(frames),
        f"How the log was shown: {_fixed(results).facts.uniformity}",
        *_published(results.frames),
        *_ours(results),
        *(_timing(frames["timing"], profile) for profile in profiles),
        *_tuned(frames),
        *_contest(frames),
        *(_logs(frames["logs"], profile) for profile in profiles if "logs" in frames),
    ]
    return LoggedFindings(
        summary, details, printed=_printed(results.frames), pool_is_greedy=_same_play(results)
    )


def _log(results: LoggedResults) -> str:
    studied = results.studied
    fixed = _fixed(results).slice
    assert fixed is not None
    what = "Log" if studied.generated is None else "GENERATED log, not the Yahoo! data"
    return (
        f"{what} ({studied.source}): {len(studied.reported):,} events reported, "
        f"{len(studied.tuning):,} later ones kept for tuning; fixed pool of "
        f"{len(fixed.arms)} articles for {fixed.hours:.1f} hours."
    )


def _fixed(results: LoggedResults) -> Dataset:
    return next(block.dataset for block in results.blocks if block.dataset.slice is not None)


def _verdict(frames: Frames, profile: str) -> str:
    """How many regulated policies are clearly better than the unregulated one of their table."""
    gains, every = _regulated_gains(frames, profile)
    times = where(frames["timing"], profile=profile).dropna(subset="timing_difference_low")
    some = "" if every else " (of those whose windows allow an interval)"
    alike = "With the paper's parameters" if profile == "paper" else "All tuned alike"
    return (
        f"{alike}, {sum(gains.low > 0)} of {len(gains)} regulated policies are clearly better than "
        f"the unregulated one of their table{some} and {sum(gains.high < 0)} clearly worse; "
        f"exploring in quiet times clearly pays in {sum(times.timing_difference_low > 0)} of "
        f"{len(times)} cases."
    )


def _regulated_gains(frames: Frames, profile: str) -> tuple[pd.DataFrame, bool]:
    """Over independent logs where there are some, else over windows; and whether all have ends."""
    numbers = where(frames["numbers"], regulated=True, profile=profile)
    numbers = numbers[numbers.table != "contest"]
    logs = frames.get("logs", numbers.iloc[:0])
    parts = [(numbers[~numbers.block.isin(logs.block)], "windows_difference")]
    if len(logs):
        parts.append((where(logs, regulated=True, profile=profile), "gain"))
    gains = pd.concat([
        rows[[f"{name}_low", f"{name}_high"]].set_axis(["low", "high"], axis=1)
        for rows, name in parts
    ])  # fmt: skip
    return gains.dropna(), not gains.low.isna().any()


def _published(frames: Frames) -> Iterator[str]:
    for block in frames["blocks"].itertuples():
        rows = where(frames["numbers"], block=block.block).dropna(subset="published")
        if rows.empty:
            continue
        means = [f"{r.policy} {r.mean:.4f} ({r.published:.4f})" for r in rows.itertuples()]
        ours, theirs = (
            rows.sort_values(by, ascending=False).policy.tolist() for by in ("mean", "published")
        )
        order = "the published order" if ours == theirs else f"order: {' > '.join(ours)}"
        p = [_p(value) for value in rows.p_student.dropna()]
        yield (
            f"{block.title}: mean reward per turn, ours (published): {', '.join(means)}; {order}; "
            f"p-values of the published test against {block.base}: {listed(p)}."
        )


def _greedy(frames: Frames) -> Iterator[str]:
    """The paper's best policy beside greedy and uniform, which the paper leaves out."""
    parts = []
    for block in _main(frames, "paper"):
        rows = where(frames["numbers"], block=block.block).set_index("policy")
        best = str(rows.dropna(subset="published").sort_values("windows_mean").index[-1])
        each = ", ".join(
            f"{label} {rows.windows_mean[label]:.4f}" for label in (best, "greedy", "uniform")
        )
        of = f" of {block.best:.4f} for the best article" if math.isfinite(block.best) else ""
        parts.append(f"{block.table}: {each}{of}{_at_random(block)}")
    if parts:
        yield (
            "With the paper's parameters and on the same windows, the best of its policies beside "
            f"greedy and uniform, which its tables leave out: {'; '.join(parts)}."
        )


def _ours(results: LoggedResults) -> Iterator[str]:
    """The option index against each policy that is made for articles that come and go."""
    for block in results.blocks:
        if OURS not in block.players:
            continue
        others = [label for label in block.players if label not in (OURS, "uniform")]
        rows = [
            {"policy": label} | columns("gain", as_estimate(block.windows.compare(OURS, label)))
            for label in others
        ]
        mean = block.windows[OURS].mean.value
        yield (
            "Articles that come and go: the option index, which is ours and has nothing to tune, "
            f"earns {mean:.4f} per turn; against each of the others with {block.profile} "
            f"parameters: {_ranges(pd.DataFrame(rows), 'gain')}."
        )


def _at_random(block: Any) -> str:
    """How long the k that is played, a reading of the constant, leaves estimates no choice."""
    if math.isnan(block.random_until):
        return ""
    until = f"up to turn {block.random_until:,.0f} of {block.turns:,}"
    if block.random_until >= block.turns:
        until = f"in all {block.turns:,} turns"
    return f" (epsilon-greedy with k = {block.k:g} plays at random {until})"


def _timing(timing: pd.DataFrame, profile: str) -> str:
    rows = where(timing, profile=profile)
    each = _ranges(rows, "timing_difference")
    known = rows.dropna(subset="timing_difference_low")
    clear = (known.timing_difference_low > 0) | (known.timing_difference_high < 0)
    return (
        "Is it the timing? With G shuffled over the events, policies explore as much, but not "
        f"when it is quiet. What the right times add per turn ({profile} parameters): {each}; "
        f"clear in {clear.sum()} of {len(known)}."
    )


def _tuned(frames: Frames) -> Iterator[str]:
    parts = []
    for block in _main(frames, "tuned"):
        rows = where(frames["numbers"], block=block.block)
        shown = rows[rows.regulated | (rows.policy == "greedy")]
        base = rows.set_index("policy").windows_mean[block.base]
        each = _ranges(shown, "windows_difference")
        parts.append(f"against {block.base} {base:.4f}: {each}")
    if parts:
        yield (
            "All tuned alike on another part of the log and replayed on the same windows, change "
            f"of the mean reward per turn (intervals where windows allow): {'; '.join(parts)}."
        )


def _contest(frames: Frames) -> Iterator[str]:
    for profile, rows in frames["numbers"].groupby("profile", sort=False):
        contest = where(rows, table="contest")
        base = where(contest, policy="ucb").windows_mean.iloc[0]
        each = _ranges(contest[contest.policy != "ucb"], "windows_difference")
        yield (
            f"The contest's heuristics around ucb with {profile} parameters ({base:.4f} per turn) "
            f"change that by: {each.replace(' around ucb', '')}."
        )


def _truth(frames: Frames) -> Iterator[str]:
    """How far replay is from the truth, and what the error over runs says of it."""
    rows = where(frames["numbers"], profile="paper").dropna(subset="true_mean")
    rows = rows[(rows.table != "contest") & (rows.se_over_runs > _SAME)]
    if rows.empty:
        return
    off = rows.replay_less_truth
    ratios = off.abs() / rows.se_over_runs
    yield (
        "The truth is known here: replay's means are off the true rates of what was matched by "
        f"{off.min():+.4f} to {off.max():+.4f}, {(ratios > 1.96).sum()} of {len(ratios)} of them "
        f"by more than 1.96 standard errors over runs (5% would be right), the worst by "
        f"{ratios.max():.1f}. Runs share one log, so their scatter and the published p-values make "
        "errors look too small."
    )


def _logs(logs: pd.DataFrame, profile: str) -> str:
    parts, rows = [], where(logs, profile=profile)
    for base, group in rows.groupby("base", sort=False):
        shown = group[group.regulated | (group.policy == "greedy")]
        parts.append(f"against {base}: {_ranges(shown, 'gain')}")
    biased = (rows.replay_less_truth_low > 0) | (rows.replay_less_truth_high < 0)
    return (
        f"Over {counted(int(rows.logs.iloc[0]), 'independent generated log')} with a fixed pool "
        f"({profile} parameters), change of the mean reward per turn {'; '.join(parts)}. Replay is "
        f"clearly off the truth for {biased.sum()} of {len(rows)} policies."
    )


def _main(frames: Frames, profile: str) -> list[Any]:
    return list(where(frames["blocks"], profile=profile, in_paper=True).itertuples())


def _printed(frames: Frames) -> pd.DataFrame:
    """The paper's tables, with a column of ours beside each of its own."""
    numbers = frames["numbers"]
    in_paper = numbers.published.notna()
    compared = in_paper & (numbers.policy != numbers.base)
    return pd.DataFrame({
        "block": numbers.block,
        "policy": numbers.policy,
        "published": [f"{v:.4f}" if v == v else "–" for v in numbers.published],
        "here": [f"{v:.4f}" for v in numbers["mean"]],
        "p_published": ["< 0.0001" if c else "–" for c in compared],
        "p_here": [_p(v, "< 0.0001") if v == v else "–" for v in numbers.p_student],
        "how": numbers.how,
    })  # fmt: skip


def _same_play(results: LoggedResults) -> bool:
    windows = next(b.windows for b in results.blocks if "variable-pool" in b.players)
    return bool((windows["variable-pool"].rewards == windows["greedy"].rewards).all())


def _ranges(rows: pd.DataFrame, name: str) -> str:
    """A change per turn for each policy, with its interval where there is one."""
    parts = []
    for row in rows.itertuples():
        ends = [getattr(row, f"{name}{end}") for end in ("", "_low", "_high")]
        value, low, high = (formatted(end, "+.4f") for end in ends)
        interval = "" if math.isnan(ends[1]) else f" ({low} to {high})"
        change = "nothing" if ends[1] == ends[2] == 0 else f"{value}{interval}"
        parts.append(f"{row.policy} {change}")
    return ", ".join(parts)


def _p(value: float, small: str = "below 0.0001") -> str:
    return small if value < 0.0001 else f"{value:.2g}"


#: The paper's names of its figures, by table.
_TITLES = {
    "epsilon": "ε-greedy policies, fixed pool",
    "ucb": "UCB policies, fixed pool",
    "mortal": "UCB policies, mortal articles",
    "contest": "The contest's heuristics",
}
_AGAINST = "clicks per turn against the unregulated policy of the table"


def figures(results: LoggedResults) -> Drawings:
    """How to draw each figure, by file name."""
    kind, frames = results.studied.kind, results.frames
    numbers = frames["numbers"]
    drawings: Drawings = {
        "gains": partial(
            interval_plot,
            _shares(numbers[numbers.dataset != "published-slice"], "windows_difference"),
            _AGAINST,
            f"All on the same windows ({kind})",
        ),
        "lifespans": partial(
            plots.lifespans,
            lifespans(results.studied.reported),
            _fixed(results).slice,
            f"When each article was on offer ({kind})",
        ),
        "timing": partial(
            interval_plot,
            _times(frames["timing"]),
            "clicks per turn: G as it is against G shuffled",
            f"What the right times are worth ({kind})",
        ),
    }
    if "logs" in frames:
        logs = frames["logs"].assign(windows_mean=frames["logs"]["mean"])
        drawings["logs"] = partial(
            interval_plot,
            _shares(logs, "gain"),
            _AGAINST,
            f"Over {logs.logs.iloc[0]} independent logs ({kind}s)",
        )
    for block in results.blocks:
        title = f"{_TITLES[block.table.id]}: {block.profile} parameters"
        published = block.table.published if block.profile == "paper" else None
        drawings[block.id] = partial(replays, block.runs, title, published, kind)
    return drawings


def _shares(frame: pd.DataFrame, name: str) -> dict[str, dict[str, Estimate]]:
    """Differences from the unregulated policy, as shares of its mean."""
    bases = frame[frame.policy == frame.base].set_index("block").windows_mean
    rows: dict[str, dict[str, Estimate]] = {}
    for row in frame[(frame.policy != frame.base) & (frame.policy != "uniform")].to_dict("records"):
        share = _share(estimate(row, name), float(bases[row["block"]]))
        rows.setdefault(f"{_short(row['policy'])} ({row['table']})", {})[row["profile"]] = share
    return rows


def _times(timing: pd.DataFrame) -> dict[str, dict[str, Estimate]]:
    rows: dict[str, dict[str, Estimate]] = {}
    for row in where(timing, dataset="slice").to_dict("records"):
        share = _share(estimate(row, "timing_difference"), row["mean_with_G_shuffled"])
        rows.setdefault(_short(row["policy"]), {})[row["profile"]] = share
    return rows


def _share(difference: Estimate, of: float) -> Estimate:
    """As a share; an unknown interval is drawn as none."""
    value = difference.value
    low, high = (value if end != end else end for end in (difference.low, difference.high))
    return Estimate(value / of, difference.error / of, low / of, high / of)


def _short(label: str) -> str:
    return label.replace(", the code's rule", " (code)").replace(" around ucb", "+ucb")
