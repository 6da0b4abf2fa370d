"""Two methods compared dataset by dataset: in the report's form, and as one would today."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.multiplicity import benjamini_hochberg, holm
from benchbook.assess.proben1.lognormal import (
    LEVEL,
    MOST,
    Cleaned,
    each_without_outliers,
    positive,
    without_outliers,
)
from benchbook.assess.proben1.two_samples import (
    EstimatedInterval,
    bootstrap_interval,
    cochran_cox,
    mann_whitney,
    welch,
)
from benchbook.assess.two_means import TestResult
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.seeds import generator

SIGNIFICANT = 0.1


@dataclass(frozen=True, eq=False)
class ReportComparison:
    """The report's comparison of two samples of test errors: log errors, outliers out, t test of Cochran and Cox.

    ``ratio`` is the geometric mean of the first over that of the second, after removal. ``reliable`` says that both
    samples passed the test of log-normality.
    """

    first: Cleaned
    second: Cleaned
    test: TestResult
    level: float

    @property
    def ratio(self) -> float:
        """Geometric mean of the first sample over that of the second, outliers out."""
        return float(np.exp(self.test.difference))

    @property
    def reliable(self) -> bool:
        """Whether both samples passed for log-normal."""
        return self.first.normal and self.second.normal

    @property
    def significant(self) -> bool:
        """Whether p is below the level; the report's is 10 %."""
        return self.test.p is not None and self.test.p < self.level

    def entry(self, first: str, second: str) -> str:
        """The cell of the report's Table 12: the letter of the better one and p in per cent, a dash where the
        difference is not significant, in parentheses where a sample is not log-normal."""
        text = "–"
        if self.significant and self.test.p is not None:
            text = f"{first if self.test.difference < 0 else second} {100.0 * self.test.p:.1f}"
        return text if self.reliable else f"({text})"


def compare_as_report(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = SIGNIFICANT,
    normality: float = LEVEL,
    most: float = MOST,
) -> ReportComparison:
    """The report's comparison of the test errors of two methods on one dataset.

    Outliers are removed from each sample (``without_outliers``), logarithms taken, and their means compared by
    ``cochran_cox``.

    Args:
        first, second: [n_1] and [n_2] test errors above zero.
        level: a p below it is significant; the report's confidence of 90 %.
        normality: level of the test of log-normality (ours).
        most: the largest share of a sample that may be removed; 0 keeps everything.
    """
    x, y = (without_outliers(errors, normality, most) for errors in (first, second))
    return _compared(x, y, level)


def _compared(first: Cleaned, second: Cleaned, level: float) -> ReportComparison:
    return ReportComparison(
        first, second, cochran_cox(np.log(first.kept), np.log(second.kept)), level
    )


@dataclass(frozen=True)
class TodaysComparison:
    """What a statistician would print today for the same two samples, all runs in.

    ``means`` is Welch's test of the errors, ``logs`` of their logs, ``ranks`` Mann and Whitney's; ``difference`` and
    ``ratio`` are bootstrap intervals for the difference of the means and the ratio of the geometric means.
    """

    means: TestResult
    logs: TestResult
    ranks: TestResult
    difference: EstimatedInterval
    ratio: EstimatedInterval


def compare_today(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator,
    *,
    coverage: float = 0.9,
    draws: int = 2000,
) -> TodaysComparison:
    """Today's tests and intervals for the test errors of two methods on one dataset; all errors above zero."""
    x, y = positive(first, "first sample"), positive(second, "second sample")
    return TodaysComparison(
        welch(x, y),
        welch(np.log(x), np.log(y)),
        mann_whitney(x, y),
        bootstrap_interval(x, y, rng, coverage=coverage, draws=draws),
        bootstrap_interval(x, y, rng, coverage=coverage, draws=draws, ratio=True),
    )


def comparisons(
    runs: pl.DataFrame,
    first: str,
    second: str,
    *,
    letters: tuple[str, str] = ("P", "N"),
    level: float = SIGNIFICANT,
    draws: int = 1000,
    seed: int = 1,
) -> pl.DataFrame:
    """Two methods on every dataset that both have runs of.

    Args:
        runs: a line a run: dataset, method, test_error.
        first, second: the methods; the report's are the pivot networks with and without shortcuts.
        letters: how they are called in ``entry``.
        level: below it a p is significant.
        draws: bootstrap samples.
        seed: of the bootstrap.

    Returns:
        A line a dataset: dataset, first_runs, second_runs, first_removed, second_removed, first_low, second_low,
        first_normal, second_normal, reliable, entry, better; ``ratio`` (of geometric means, outliers out), ``t``, ``p``
        as the report; ``p_all`` the same with all runs in; ``p_means``, ``p_logs``, ``p_ranks``; ``difference``,
        ``difference_low``, ``difference_high`` (of means), ``ratio_all``, ``ratio_low``, ``ratio_high``; ``holm`` and
        ``benjamini_hochberg`` of p, and the same with the suffix ``_ranks`` of p_ranks.

    Raises:
        BenchbookError: no dataset has runs of both.
    """
    need(runs, ("dataset", "method", "test_error"))
    lines = []
    for dataset in runs["dataset"].unique(maintain_order=True).sort():
        samples = [
            runs.filter(pl.col("dataset") == dataset, pl.col("method") == name)[
                "test_error"
            ].to_numpy()
            for name in (first, second)
        ]
        if min(len(sample) for sample in samples) >= 2:
            rng = generator(seed, "bootstrap", dataset, first, second)
            lines.append({"dataset": dataset, **_line(samples, letters, level, draws, rng)})
    if not lines:
        raise BenchbookError(
            f"no dataset has runs of both {first} and {second}; `benchbook run` makes them"
        )
    frame = pl.DataFrame(lines, infer_schema_length=None)
    return frame.with_columns(
        _adjusted(frame, column, name + suffix, adjust)
        for column, suffix in (("p", ""), ("p_ranks", "_ranks"))
        for name, adjust in (("holm", holm), ("benjamini_hochberg", benjamini_hochberg))
    )


def repeated(
    runs: pl.DataFrame,
    first: str,
    second: str,
    *,
    letters: tuple[str, str] = ("P", "N"),
    level: float = SIGNIFICANT,
    draws: int = 20,
    seed: int = 1,
) -> pl.DataFrame:
    """The report's verdicts of experiments that differ by chance alone: how often would they agree?

    Each draw makes two experiments on every dataset, with as many runs of each method as there are, drawn with
    replacement from these runs, and compares each as ``compare_as_report`` does.

    Args:
        runs, first, second, letters, level: as for ``comparisons``.
        draws: pairs of experiments.
        seed: of the draws.

    Returns:
        A line for each dataset and draw: dataset, draw, once, again (the letter of the better method; null where the
        difference is not significant).
    """
    need(runs, ("dataset", "method", "test_error"))
    lines = []
    for dataset in runs["dataset"].unique().sort():
        samples = [
            runs.filter(dataset=dataset, method=name)["test_error"].to_numpy()
            for name in (first, second)
        ]
        rng = generator(seed, "repeated", dataset, first, second)
        if min(map(len, samples)) < 2:
            continue
        drawn = [[rng.choice(sample, len(sample)) for sample in samples] for _ in range(2 * draws)]
        cleaned = (each_without_outliers(np.array(errors)) for errors in zip(*drawn, strict=True))
        verdicts = [_better(_compared(x, y, level), letters) for x, y in zip(*cleaned, strict=True)]
        lines += [
            {"dataset": dataset, "draw": draw, "once": once, "again": again}
            for draw, (once, again) in enumerate(zip(verdicts[::2], verdicts[1::2], strict=True))
        ]
    return pl.DataFrame(
        lines,
        schema={"dataset": pl.String, "draw": pl.Int64, "once": pl.String, "again": pl.String},
    )


def _better(report: ReportComparison, letters: tuple[str, str]) -> str | None:
    return letters[0 if report.test.difference < 0 else 1] if report.significant else None


def need(frame: pl.DataFrame, columns: Sequence[str]) -> None:
    """Refuse a table of runs that lacks columns.

    Raises:
        FaultyInput: naming all of them.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise FaultyInput(
            "table of runs",
            [Fault("columns", ", ".join(frame.columns), f"it has {name!r}") for name in missing],
        )


def _line(
    samples: list[Any], letters: tuple[str, str], level: float, draws: int, rng: np.random.Generator
) -> dict[str, Any]:
    first, second = samples
    report = compare_as_report(first, second, level=level)
    everything = compare_as_report(first, second, level=level, most=0.0)
    today = compare_today(first, second, rng, coverage=1.0 - level, draws=draws)
    return {
        "first_runs": len(first),
        "second_runs": len(second),
        "first_removed": report.first.removed,
        "second_removed": report.second.removed,
        "first_low": report.first.low,
        "second_low": report.second.low,
        "first_normal": report.first.normal,
        "second_normal": report.second.normal,
        "reliable": report.reliable,
        "entry": report.entry(*letters),
        "better": _better(report, letters),
        "ratio": report.ratio,
        "t": report.test.statistic,
        "p": report.test.p,
        "p_all": everything.test.p,
        "p_means": today.means.p,
        "p_logs": today.logs.p,
        "p_ranks": today.ranks.p,
        "difference": today.difference.estimate,
        "difference_low": today.difference.low,
        "difference_high": today.difference.high,
        "ratio_all": today.ratio.estimate,
        "ratio_low": today.ratio.low,
        "ratio_high": today.ratio.high,
    }


def _adjusted(
    frame: pl.DataFrame, column: str, name: str, adjust: Callable[[ArrayLike], NDArray[np.float64]]
) -> pl.Series:
    """Adjusted p values; a test without a p counts as one that found nothing."""
    return pl.Series(name, adjust(frame[column].fill_null(1.0).to_numpy()))
