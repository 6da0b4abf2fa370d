r"""When a statement of a paper counts as reproduced: a rule, and the evidence it is applied to.

A statement is made of parts, and a part of paired comparisons: "the expected loss of A is below φ times that of B on
this task". With y the mean loss on an instance, x_i = y_{A,i} - φ y_{B,i} goes through the paired t test. A comparison
is *for* the statement when x̄ < 0 and p ≤ 0.05, *against* it when x̄ > 0 and p ≤ 0.05, otherwise *open*. φ = 1 is the
comparison of the figures; φ = 0.8 asks for a fifth less, φ = 1.25 only that it be not much more.

Of n comparisons let f be for, a against, and l open with x̄ < 0. With the shares ``least`` and ``most`` of the part:

* not reproduced, when a/n > most and a is more than chance gives;
* not contradicted beyond chance, else when least = 0 ("never") and a > 0;
* reproduced, else when f/n ≥ least and f is more than chance gives (or least = 0);
* not reproduced, else when even all that are not against are too few, (n - a)/n < least, or when those that lean that
  way are, P(Bin(n, least) ≤ f + l) ≤ 0.05;
* undecided otherwise, and not tested when n = 0.

More than chance: P(Bin(n, 0.025) ≥ f) ≤ 0.05. The rule and the shares are ours; the paper argues case by case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import scipy

from benchbook.assess.power import detectable_difference
from benchbook.assess.two_means import two_sided
from benchbook.statistics import column_error

LEVEL = 0.05
REPRODUCED, NOT, UNDECIDED, UNTESTED = "reproduced", "not reproduced", "undecided", "not tested"
WITHIN_CHANCE = "not contradicted beyond chance"
_WORST = (NOT, UNTESTED, UNDECIDED, WITHIN_CHANCE, REPRODUCED)
_EVIDENCE = {
    "method": pl.String,
    "other": pl.String,
    "task": pl.String,
    "factor": pl.Float64,
    "ratio": pl.Float64,
    "p": pl.Float64,
    "detectable": pl.Float64,
    "leans": pl.Boolean,
    "mark": pl.String,
}


@dataclass(frozen=True)
class Claim:
    """The expected loss of each method of ``better`` is below ``factor`` times that of each of ``worse``.

    On the tasks of these prototasks with these numbers of training cases.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    prototasks: tuple[str, ...]
    sizes: tuple[int, ...] = (64, 128, 256, 512, 1024)
    factor: float = 1.0

    def evidence(self, means: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
        """A line for each comparison that the archive allows; see ``compared``."""
        tasks = [f"{prototask}/std.{size}" for prototask in self.prototasks for size in self.sizes]
        pairs = [
            (first, second) for first in self.better for second in self.worse if first != second
        ]
        return compared(means, pairs, tasks, self.factor)


@dataclass(frozen=True)
class Counted:
    """Something that is seen in the records of runs, not in losses.

    Attributes:
        what: what counts as for the statement, in words.
        look: from the records to a frame with columns task, method and mark ("for", "against" or "open").
    """

    what: str
    look: Callable[[pl.DataFrame], pl.DataFrame]

    def evidence(self, means: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
        """A line for each observation."""
        seen = self.look(records)
        return seen.select(
            *(
                pl.col(name) if name in seen.columns else pl.lit(None, kind).alias(name)
                for name, kind in _EVIDENCE.items()
            )
        )


@dataclass(frozen=True)
class Part:
    """What must be seen, and how often: at least ``least`` of it for, at most ``most`` against.

    ``below``, when given, turns it round: reproduced when the share that is for lies below it.
    """

    sources: tuple[Claim | Counted, ...]
    least: float
    most: float = 0.05
    below: float | None = None

    @property
    def counted(self) -> bool:
        """Whether it is about records: then there is no test, and chance plays no part."""
        return any(isinstance(source, Counted) for source in self.sources)


@dataclass(frozen=True)
class Statement:
    """A statement of a paper, in our words, and what would bear it out.

    Attributes:
        key: its name.
        label: a few words, for a line of a chart.
        words: what is stated.
        parts: all of them must hold.
        chapter: the page that looks into it, without suffix.
        doubts: what in our re-run may be at fault should it not hold.
        emended: what is lost in the text and how we read it, when nothing else in the text settles the reading; such a
            statement is judged, but stays out of the tally.
        widened: by how much ours says more than his, when it does.
    """

    key: str
    label: str
    words: str
    parts: tuple[Part, ...]
    chapter: str
    doubts: str = ""
    emended: str = ""
    widened: str = ""


@dataclass(frozen=True)
class Outcome:
    """A statement with its verdict and the evidence of each of its parts."""

    statement: Statement
    verdict: str
    verdicts: tuple[str, ...]
    evidence: tuple[pl.DataFrame, ...] = field(repr=False)

    def counts(self, place: int | None = None) -> tuple[int, int, int]:
        """How many comparisons are for, against and open, in one part or in all."""
        frames = self.evidence if place is None else (self.evidence[place],)
        marks = [mark for frame in frames for mark in frame["mark"]]
        return marks.count("for"), marks.count("against"), marks.count("open")

    def of_tested(self) -> str:
        """The worst verdict of the parts that could be tested at all."""
        return min(
            (item for item in self.verdicts if item != UNTESTED), key=_WORST.index, default=UNTESTED
        )


def compared(
    means: pl.DataFrame, pairs: Sequence[tuple[str, str]], tasks: Sequence[str], factor: float = 1.0
) -> pl.DataFrame:
    """Paired t tests of "the first method's loss is below factor times the second's", a line for each pair and task.

    Args:
        means: what ``assess.instance_means`` gives.
        pairs: names of methods; pairs and tasks that the table lacks are left out, and so is a single instance.
        tasks: which tasks.
        factor: φ.

    Returns:
        method, other, task, factor, ratio (of the expected losses), p (null when the differences do not vary),
        detectable (the least departure of the ratio from φ that the test finds four times of five), leans (x̄ < 0),
        mark.
    """
    wanted = pl.DataFrame(
        [{"method": first, "other": second} for first, second in pairs],
        schema={"method": pl.String, "other": pl.String},
    )
    chosen = means.filter(pl.col("task").is_in(tasks)).select("task", "method", "instance", "mean")
    second = chosen.rename({"method": "other", "mean": "mean_other"})
    joined = wanted.join(chosen, on="method", maintain_order="left").join(
        second, on=["other", "task", "instance"], maintain_order="left"
    )
    gap = pl.col("mean") - factor * pl.col("mean_other")
    frame = (
        joined.group_by("method", "other", "task", maintain_order=True)
        .agg(
            x=gap.mean(),
            error=column_error(gap),
            count=pl.len(),
            loss=pl.col("mean").mean(),
            base=pl.col("mean_other").mean(),
        )
        .filter(pl.col("count") > 1)
    )
    lines = [_tested(line, factor) for line in frame.iter_rows(named=True)]
    return pl.DataFrame(lines, schema=_EVIDENCE)


def _tested(line: dict[str, Any], factor: float) -> dict[str, Any]:
    p, detectable, mark = None, None, "open"
    if line["error"] > 0.0:
        p = float(two_sided(line["x"] / line["error"], line["count"] - 1))
        spread = line["error"] * float(line["count"]) ** 0.5
        detectable = detectable_difference(spread, 0.0, line["count"], 1) / line["base"]
        if p <= LEVEL:
            mark = "for" if line["x"] < 0.0 else "against"
    return {
        "method": line["method"],
        "other": line["other"],
        "task": line["task"],
        "factor": factor,
        "ratio": line["loss"] / line["base"],
        "p": p,
        "detectable": detectable,
        "leans": line["x"] < 0.0,
        "mark": mark,
    }


def verdict(
    evidence: pl.DataFrame,
    least: float,
    most: float = LEVEL,
    below: float | None = None,
    *,
    counted: bool = False,
) -> str:
    """The verdict on one part; see the head of this module for the rule."""
    marks, count = evidence["mark"].to_list(), evidence.height
    good, bad = marks.count("for"), marks.count("against")
    open_ones = evidence.filter(mark="open")
    leaning = good + int(open_ones["leans"].fill_null(False).sum())
    if not count:
        return UNTESTED
    if below is not None:
        return REPRODUCED if good / count < below else NOT
    sure_good, sure_bad = (counted or more_than_chance(hits, count) for hits in (good, bad))
    if bad / count > most and sure_bad:
        return NOT
    if least == 0.0 and bad:
        return WITHIN_CHANCE
    if good / count >= least and (sure_good or least == 0.0):
        return REPRODUCED
    if (count - bad) / count < least or _too_few(leaning, count, least):
        return NOT
    return UNDECIDED


def more_than_chance(hits: int, count: int) -> bool:
    """Whether so many of the comparisons being significant in one direction is more than chance gives."""
    return hits > 0 and float(scipy.special.bdtrc(hits - 1, count, LEVEL / 2.0)) <= LEVEL


def _too_few(hits: int, count: int, least: float) -> bool:
    return hits / count < least and float(scipy.special.bdtr(hits, count, least)) <= LEVEL


def judge(statement: Statement, means: pl.DataFrame, records: pl.DataFrame) -> Outcome:
    """Apply the rule to every part; the statement has the worst of their verdicts."""
    evidence, verdicts = [], []
    for part in statement.parts:
        frame = pl.concat([source.evidence(means, records) for source in part.sources])
        evidence.append(frame)
        verdicts.append(verdict(frame, part.least, part.most, part.below, counted=part.counted))
    worst = min(verdicts, key=_WORST.index)
    return Outcome(statement, worst, tuple(verdicts), tuple(evidence))
