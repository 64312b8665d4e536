"""The report of the study on logged clicks; of a generated log it says so wherever one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from highseason.core.formatting import counted
from highseason.report.figure import Picture
from highseason.report.page import (
    Page,
    Section,
    bullets,
    command,
    contents,
    files,
    folded,
    heading,
    paragraph,
    pictures,
    wide_picture,
)
from highseason.studies.logged.data import WHERE, Data
from highseason.studies.logged.drawings import figure_name
from highseason.studies.logged.findings import LIMITS
from highseason.studies.logged.results import Block
from highseason.studies.logged.settings import (
    POOL_OF_THE_CODE,
    PUBLISHED_SLICE,
    PUBLISHED_Z,
    Effort,
)
from highseason.studies.logged.tables import (
    all_numbers,
    as_printed,
    timing_table,
    worlds_table,
)
from highseason.studies.logged.worlds import Worlds
from highseason.studies.making import made_with


@dataclass(frozen=True)
class Made:
    """All that the report is made of."""

    data: Data
    blocks: Sequence[Block]
    worlds: Worlds | None
    found: Sequence[str]
    pictures: Mapping[str, Picture]
    effort: Effort
    profiles: Sequence[str]
    seed: int
    quick: bool
    files: Sequence[Path]

    @property
    def note(self) -> str:
        """At the end of every caption."""
        return "" if self.data.made is None else " GENERATED log, not the Yahoo! data."


def report_page(made: Made) -> Page:
    """The whole report."""
    sections = [
        _found(made),
        *(_block(made, block) for block in made.blocks if block.profile == "paper"),
        _lives(made),
        _timing(made),
        *([_tuned(made)] if "tuned" in made.profiles else []),
        *([_worlds(made, made.worlds)] if made.worlds is not None else []),
        _how_it_was_played(made),
        _how(made),
    ]
    sections[0] = Section(sections[0].title, [contents(sections[1:]), *sections[0].blocks])
    real = "the files given" if made.data.made is None else "a GENERATED log"
    return Page(
        "The paper's study on logged clicks",
        f"Three tables and four figures of the paper, replayed on {real} ({made.data.source}), "
        f"published numbers beside ours; seed {made.seed}."
        + (" A quick sweep: too small to conclude from." if made.quick else ""),
        sections,
        made.data.banner,
    )


def _found(made: Made) -> Section:
    shown = wide_picture(
        made.pictures["gains"],
        "Change against the unregulated policy of each table, all on the same windows, with 95% "
        "intervals that reckon with the overlap of windows where these are worth at least four "
        "that share no record; where not, there is a mark without an interval." + made.note,
    )
    return Section("What was found", [bullets(made.found), shown])


def _block(made: Made, block: Block) -> Section:
    where = "" if block.ground.slice is None else f", {block.ground.title}"
    blocks = [
        as_printed(block, made.data.kind),
        pictures(
            (
                made.pictures[figure_name(block)],
                f"A mark for each run; {block.protocol}." + made.note,
            )
        ),
        folded(
            "tests, shared windows" + (" and the truth" if made.data.made else ""),
            all_numbers(block, made.data),
        ),
    ]
    if POOL_OF_THE_CODE in block.players:
        blocks.insert(1, paragraph(_ABOUT_THE_POOL + _pool_and_greedy(block)))
    if not block.table.published:
        blocks.insert(0, paragraph("Not in the paper, which describes these in prose alone."))
    return Section(f"{_capital(block.table.title)}{where}", blocks)


_ABOUT_THE_POOL = (
    "The published number of the variable pool belongs to the authors' code, whose pool grows with "
    "G; the rule that the paper prints divides by G. Both are played. The figure's caption in the "
    "paper ranks soft ε-greedy first, its table the pool."
)


def _pool_and_greedy(block: Block) -> str:
    pool, greedy = block.windows["variable-pool"], block.windows["greedy"]
    if (pool.rewards != greedy.rewards).any():
        return ""
    return " With c = 10 the printed rule played exactly as greedy in every window."


def _lives(made: Made) -> Section:
    shown = [(made.pictures["lifespans"], _LIVES + made.note)]
    return Section("Lifespans and the slice", [pictures(*shown)])


_LIVES = (
    "Each bar is an article's time on offer. Between the two lines lies the slice with a fixed "
    "pool: the longest stretch in which 24 articles (or as many as there are) are always there, "
    "found by an exact search; theirs are the coloured bars."
)


def _timing(made: Made) -> Section:
    return Section(
        "Is it the timing?",
        [
            paragraph(LIMITS),
            paragraph(
                "The test: every record is given the G of another, drawn by lot. The policies then "
                "explore as much as before, at times that have nothing to do with traffic. What "
                "they lose by that is what the right times were worth."
            ),
            wide_picture(
                made.pictures["timing"],
                f"With 95% intervals over {_over(made)}." + made.note,
            ),
            folded("the table", timing_table(made.blocks, made.worlds, made.data)),
        ],
    )


def _over(made: Made) -> str:
    if made.worlds is not None:
        return f"{made.worlds.count} independent logs, in pairs"
    return "windows of the slice, in pairs"


def _tuned(made: Made) -> Section:
    blocks = [
        paragraph(
            f"Every policy tried {counted(made.effort.candidates, 'candidate')} on the same "
            f"{counted(made.effort.tuning_windows, 'window')} of the part of the log kept for "
            "tuning, the paper's own values among them; the best of each is played here, on "
            "windows that all players share. Intervals do not hold the luck of tuning."
        ),
    ]
    for block in made.blocks:
        if block.profile == "tuned":
            blocks += [
                heading(block.table.title),
                pictures(
                    (
                        made.pictures[figure_name(block)],
                        f"{_capital(str(block.protocol))}." + made.note,
                    )
                ),
                folded("the numbers", all_numbers(block, made.data)),
            ]
    return Section("All tuned alike", blocks)


def _worlds(made: Made, worlds: Worlds) -> Section:
    return Section(
        "Independent logs",
        [
            paragraph(
                "Runs over one log share its luck. Here every run has a generated log of its own: "
                "24 other articles, other clicks, another hour of the day; all players meet the "
                "same logs. These intervals are what a test is entitled to."
            ),
            wide_picture(
                made.pictures["worlds"],
                f"Over {worlds.count} logs, in pairs, with 95% intervals." + made.note,
            ),
            folded("the table", worlds_table(made.blocks, worlds, made.data)),
        ],
    )


def _how_it_was_played(made: Made) -> Section:
    first, last = PUBLISHED_SLICE
    z = (
        f"z = {PUBLISHED_Z:g}, as published"
        if made.data.made is None
        else f"z is the 75th percentile of the slice's G, which is how the paper came to its "
        f"{PUBLISHED_Z:g}"
    )
    theirs = any(block.ground.id == "published-slice" for block in made.blocks)
    return Section(
        "How it was played",
        [
            bullets(
                [
                    "A record is kept when it shows the article that the policy would have shown; "
                    "all others are passed over. Mean reward per turn: clicks over records kept. "
                    "G is the number of records in the record's second, of all articles, counted "
                    "once on the slice as it is. It steers the policies; clicks are not multiplied "
                    "by it.",
                    f"Parameters of the paper: k = 250, {z}, pool c = 10, UCB-L c = 0.011, soft "
                    "UCB mortal c = 2, no unit for G.",
                    "Randomised policies play the slice, four times over, with luck of their own "
                    "in each run; deterministic ones slide windows of 100,000 records in steps of "
                    "4,000, or smaller ones where the log is too short (each caption says which). "
                    "Greedy draws no lots and slides windows. With 10,000 turns a run is over "
                    "before the slice ends: all runs of a randomised policy meet the same first "
                    "records.",
                    "Runs are dependent: they share records. Student's test is that of the paper; "
                    "Welch's and the bootstrap over runs take runs for independent as well. "
                    "The intervals of paired windows reckon with the overlap, and the number of "
                    "windows that share nothing stands beside them.",
                    "Mortal articles: the paper does not say which windows it used. Ours are "
                    "spread evenly over the whole reported part and long enough for the turns. "
                    "Policies know when articles will leave. Age and life are counted in seconds.",
                    "The captions in the paper speak of 10,000 turns; the printed means of the UCB "
                    "policies on the fixed pool are those of 2,000, and that is what they play "
                    "here.",
                    "The last third of the log, two days at most, is kept for tuning. Articles "
                    "that live across the border are in both parts.",
                    f"The paper's own slice ({first} to {last}) "
                    + (
                        "is played too."
                        if theirs
                        else "is not in this log."
                        if made.data.made is None
                        else "makes sense on the real log alone."
                    ),
                    *made.data.notes,
                ]
            )
        ],
    )


def _how(made: Made) -> Section:
    quick = " --quick" if made.quick else ""
    yahoo = "" if made.data.made is not None else " --yahoo PATH"
    more = {
        "log": made.data.source,
        "kind": made.data.kind,
        "digest of the log": made.data.digest,
        "seed": str(made.seed),
        "profiles": ", ".join(made.profiles),
    }
    return Section(
        "How this was made",
        [
            command(
                f"highseason reproduce --only logged{yahoo}{quick} --games {made.effort.runs} "
                f"--seed {made.seed} --out report/"
            ),
            made_with(more),
            paragraph(f"The real log: {WHERE}."),
            paragraph("All numbers, beside this page:"),
            files([path.name for path in made.files]),
        ],
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
