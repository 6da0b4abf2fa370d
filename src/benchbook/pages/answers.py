"""Questions between two methods, answered in words from their comparisons on many tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchbook.charts.words import listed, training_cases
from benchbook.pages.neal import PROTOTASKS, Study, of, short
from benchbook.pages.numbers import p_value
from benchbook.pages.tallies import LEVEL, many

_LINES = {"task": pl.String, "dataset": pl.String, "training_cases": pl.Int64, "ratio": pl.Float64, "low": pl.Float64,
          "high": pl.Float64, "p": pl.Float64}
_MOST = 3


@dataclass(frozen=True)
class Answer:
    """Two methods side by side on a set of tasks.

    Attributes:
        method, other: the two; ratios are of the first one's expected loss to the second one's.
        lines: a line a task: task, dataset, training_cases, ratio, low and high (95 % interval), p.
    """

    method: str
    other: str
    lines: pl.DataFrame

    @property
    def better(self) -> pl.DataFrame:
        """Tasks on which ``method`` is significantly better, the largest gain first."""
        return self.lines.filter((pl.col("p") <= LEVEL) & (pl.col("ratio") < 1.0)).sort("ratio")

    @property
    def worse(self) -> pl.DataFrame:
        """Tasks on which it is significantly worse, the largest loss first."""
        return self.lines.filter((pl.col("p") <= LEVEL) & (pl.col("ratio") > 1.0)).sort("ratio", descending=True)

    @property
    def mean_ratio(self) -> float:
        """The geometric mean of the ratios over the tasks."""
        return float(np.exp(np.log(self.lines["ratio"].to_numpy()).mean()))

    def by_dataset(self) -> pl.DataFrame:
        """For each dataset: tasks, on how many ``method`` is lower, better and worse, geometric mean of the ratios.

        Better and worse are meant significantly, at the 5 % level.
        """
        ratio, clear = pl.col("ratio"), pl.col("p") <= LEVEL
        return self.lines.group_by("dataset", maintain_order=True).agg(
            tasks=pl.len(), lower=(ratio < 1.0).sum(), better=(clear & (ratio < 1.0)).sum(),
            worse=(clear & (ratio > 1.0)).sum(), ratio=ratio.log().mean().exp())

    def verdict(self) -> str:
        """One word for the table: which of the two, or neither."""
        good, bad = self.better.height, self.worse.height
        if not good and not bad:
            return "no difference shown"
        if good and bad:
            return f"mixed, more often {self.method}" if good > bad else (
                f"mixed, more often {self.other}" if bad > good else "mixed")
        return self.method if good else self.other

    def words(self) -> str:
        """What the comparisons say, in a few sentences."""
        count, lower = self.lines.height, self.lines.filter(pl.col("ratio") < 1.0).height
        if not count:
            return f"The archive cannot compare `{self.method}` with `{self.other}`."
        good, bad = self.better, self.worse
        said = [f"`{self.method}` has the smaller expected loss on {lower} of {count} tasks.",
                _significant(good.height, bad.height, self.method, self.other, count)]
        if good.height:
            median = float(str(good["ratio"].median()))
            said.append(f"It gains most on {_place(good.row(0, named=True))}"
                        + (f"; the median of the {good.height} is {_percent(median)}." if good.height > 2 else "."))
        if bad.height:
            shown = [_place(line) for line in bad.head(_MOST).iter_rows(named=True)]
            shown += [f"{bad.height - _MOST} more"] if bad.height > _MOST else []
            said.append(f"Against it {'speaks' if len(shown) == 1 else 'speak'} {listed(shown)}.")
        said.append(f"Over all {count} tasks (geometric mean of the ratios) its loss is {_percent(self.mean_ratio)}.")
        return " ".join(said)


def answer(compared: pl.DataFrame, method: str, other: str, prototasks: Sequence[str] = PROTOTASKS) -> Answer:
    r"""Set two methods side by side on all tasks of some prototasks.

    The ratio is ȳ_A/ȳ_B, and its interval (ȳ_B + x̄ ± c |x̄/t|)/ȳ_B, where c is the upper 2.5 % point of the t
    distribution: ȳ_B is taken as known, so that the interval excludes 1 exactly when p ≤ 0.05.

    Args:
        compared: what ``assess.comparisons`` gives, hierarchical scheme, one loss.
        method, other: A and B.
        prototasks: of whose tasks; those without losses of both are left out.
    """
    from scipy import special

    chosen = pl.concat([of(compared, name) for name in prototasks]).filter(method=method, other=other)
    lines = []
    for line in chosen.iter_rows(named=True):
        if not line["other_mean"]:
            continue
        half = math.nan
        if line["statistic"]:
            error = abs(line["difference"] / line["statistic"])
            half = float(special.stdtrit(line["df_1"], 1.0 - LEVEL / 2.0)) * error / line["other_mean"]
        ratio = line["mean"] / line["other_mean"]
        lines.append({"task": line["task"], "dataset": short(line["task"]),
                      "training_cases": training_cases(line["task"]), "ratio": ratio, "low": ratio - half,
                      "high": ratio + half, "p": line["p"]})
    return Answer(method, other, pl.DataFrame(lines, schema=_LINES, nan_to_null=True))


def _significant(good: int, bad: int, method: str, other: str, count: int) -> str:
    by_chance = f"chance alone would make it so on about {LEVEL * count:.1f}"
    if not good + bad:
        return f"On none is the difference significant at the 5 % level ({by_chance})."
    split = f"{_times(good)} in favour of `{method}`, {_times(bad)} of `{other}`"
    return f"The difference is significant at the 5 % level on {good + bad} of them ({by_chance}): {split}."


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _place(line: dict[str, object]) -> str:
    size, p = line["training_cases"], p_value(float(str(line["p"])))
    shown = p if p.startswith("<") else f"= {p}"
    return f"{line['dataset']} with {size} training cases ({_percent(float(str(line['ratio'])))}, p {shown})"


def _percent(ratio: float) -> str:
    """How far a ratio is from one: "12 % lower", "2.3 times as large"."""
    if ratio >= 2.0:
        return f"{ratio:.1f} times as large" if ratio < 10.0 else f"{ratio:.0f} times as large"
    change = 100.0 * abs(ratio - 1.0)
    if change < 0.05:
        return "the same"
    return f"{change:.1f} % {'lower' if ratio < 1.0 else 'higher'}" if change < 10.0 else (
        f"{change:.0f} % {'lower' if ratio < 1.0 else 'higher'}")


def reading(study: Study, prototasks: Sequence[str], methods: Sequence[str]) -> str:
    """What figures show at first sight: the best method of each size, and how many comparisons are significant."""
    said = []
    for name in prototasks:
        chosen = of(study.expected, name).filter(pl.col("method").is_in(list(methods)) & pl.col("mean").is_not_null())
        best = chosen.sort("mean").group_by("task", maintain_order=True).first()
        if best.is_empty():
            continue
        by_size = {training_cases(task) or 0: method for task, method in best.select("task", "method").iter_rows()}
        counted = many(of(study.compared, name).filter(
            pl.col("method").is_in(list(methods)) & pl.col("other").is_in(list(methods))))
        winners = [f"`{by_size[size]}` ({size})" for size in sorted(by_size)]
        said.append(f"On {short(name)} the least expected loss is that of {listed(winners)}, training cases in "
                    f"brackets; {counted.found} of {counted.comparisons} comparisons are significant at the 5 % level.")
    return " ".join(said)


def standing(compared: pl.DataFrame, methods: Sequence[str], against: str,
             prototasks: Sequence[str] = PROTOTASKS) -> pl.DataFrame:
    """Each method beside one other, by dataset: "0.93 (3–1)" is the geometric mean of the ratios of expected losses.

    In brackets, on how many tasks it is significantly better and worse. A dash where there is nothing to compare.
    """
    rows = []
    for method in methods:
        if method == against:
            continue
        row: dict[str, str] = {"method": method}
        for name in prototasks:
            one = answer(compared, method, against, (name,))
            row[short(name)] = (f"{one.mean_ratio:.2f} ({one.better.height}–{one.worse.height})" if one.lines.height
                                else "–")
        if any(text != "–" for key, text in row.items() if key != "method"):
            rows.append(row)
    return pl.DataFrame(rows, schema=dict.fromkeys(("method", *(short(name) for name in prototasks)), pl.String))
