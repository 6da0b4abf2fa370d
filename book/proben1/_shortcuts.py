"""Two kinds of networks on every dataset: the ratio of their errors, with its interval and what tests say of it."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, listed, number

VERDICTS = ("first better", "second better", "not significant")


def error_ratios(table: pl.DataFrame, names: tuple[str, str]) -> Any:
    """A line for each problem, a mark for each permutation: the ratio of two geometric mean errors and its interval.

    Buttons choose what makes a difference significant. Left of 1 the first kind is better. Permutations of a problem
    stand below one another; hollow marks are ratios whose test is unreliable.

    Args:
        table: rule (the buttons), problem, permutation, ratio, low, high, verdict (of ``VERDICTS``), reliable.
        names: the two kinds of networks.
    """
    rules, problems = (parts.names(table, name) for name in ("rule", "problem"))
    words = [f"{names[0]} better", f"{names[1]} better", "not significant"]
    shown = table.with_columns(
        says=pl.col("verdict").replace_strict(dict(zip(VERDICTS, words, strict=True))),
        _first=pl.int_range(pl.len()) == 0,
    )
    ends = [
        min(0.8, 0.98 * float(str(table["low"].min()))),
        max(1.25, 1.02 * float(str(table["high"].max()))),
    ]
    x = alt.X(
        "ratio:Q",
        title=f"error of {names[0]} ÷ error of {names[1]} (log)",
        scale=alt.Scale(type="log", domain=ends, nice=False),
        axis=alt.Axis(values=[0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4], format="~g"),
    )
    y = alt.Y(
        "problem:N", title=None, sort=problems, axis=alt.Axis(grid=True, domain=False, ticks=False)
    )
    shift = alt.YOffset("permutation:O", scale=alt.Scale(paddingOuter=0.6))
    base = alt.Chart().transform_filter("datum.rule == rule")
    looks = [
        alt.Scale(domain=words, range=list(look))
        for look in ((COLOURS[0], COLOURS[1], COLOURS[5]), ("circle", "square", "diamond"))
    ]
    legend = alt.Legend(columns=2, labelLimit=260)
    colour = alt.Color("says:N", title=None, scale=looks[0], legend=legend)
    tips = [
        alt.Tooltip("dataset:N"),
        alt.Tooltip("ratio:Q", format=".3f"),
        alt.Tooltip("low:Q", format=".3f"),
        alt.Tooltip("high:Q", format=".3f"),
        alt.Tooltip("says:N", title="verdict"),
        alt.Tooltip("reliable:N", title="log-normal"),
    ]
    bars = base.mark_rule(strokeWidth=1.5, clip=True).encode(
        x=alt.X("low:Q"), x2="high:Q", y=y, yOffset=shift, color=colour
    )
    dots = [
        base.transform_filter(chosen)
        .mark_point(size=46, strokeWidth=2, filled=filled, opacity=1)
        .encode(
            x=x,
            y=y,
            yOffset=shift,
            color=colour,
            tooltip=tips,
            shape=alt.Shape("says:N", title=None, scale=looks[1], legend=legend),
        )
        for chosen, filled in (("datum.reliable", True), ("!datum.reliable", False))
    ]
    line = (
        alt.Chart()
        .transform_filter("datum._first")
        .mark_rule(color=INK, opacity=0.7)
        .encode(x=alt.datum(1.0))
    )
    return parts.finish(
        alt.layer(line, bars, *dots, data=parts.data(parts.rows(shown))).add_params(
            parts.buttons("rule", rules, "significant")
        ),
        _words(table, rules, names),
        "ratios of errors",
        height=42 * len(problems),
    )


def _words(table: pl.DataFrame, rules: Sequence[str], names: tuple[str, str]) -> str:
    said = []
    for rule in rules:
        here = table.filter(rule=rule)
        counts = [here.filter(verdict=verdict).height for verdict in VERDICTS]
        said.append(
            f"{rule}: {names[0]} better on {counts[0]}, {names[1]} on {counts[1]}, neither on {counts[2]}"
        )
    ends = table.sort("ratio")
    extremes = [
        f"{number(line['ratio'])} on {line['problem']}{line['permutation']}"
        for line in (ends.row(0, named=True), ends.row(-1, named=True))
    ]
    count = table.filter(rule=rules[0]).height
    return (
        f"Ratio of the geometric mean test errors of networks {names[0]} and {names[1]} on "
        f"{counted(count, 'dataset')}, from {listed(extremes)}. Significant differences: {'; '.join(said)}."
    )


def by_rule(table: pl.DataFrame, level: float = 0.1) -> pl.DataFrame:
    """The verdict on every dataset by four rules: the report's, with all runs in, after Holm, after Benjamini-Hochberg.

    Returns:
        rule, dataset, problem, permutation, ratio, low, high, verdict (``VERDICTS``), reliable; the
        ratio is that of the geometric means with all runs in, with its bootstrap interval, whatever the rule.
    """
    rules = {
        "as in the report": "p",
        "all runs in": "p_all",
        "after Holm": "holm",
        "after Benjamini-Hochberg": "benjamini_hochberg",
    }
    base = table.select(
        "dataset", "ratio_all", "ratio_low", "ratio_high", "ratio", "reliable", *set(rules.values())
    )
    parts = []
    for rule, column in rules.items():
        value = pl.col("ratio_all") if column == "p_all" else pl.col("ratio")
        better = pl.when(value < 1.0).then(pl.lit(VERDICTS[0])).otherwise(pl.lit(VERDICTS[1]))
        verdict = pl.when(pl.col(column) < level).then(better).otherwise(pl.lit(VERDICTS[2]))
        parts.append(
            base.select(
                pl.lit(rule).alias("rule"),
                "dataset",
                problem=pl.col("dataset").str.head(-1),
                permutation=pl.col("dataset").str.tail(1).cast(pl.Int64),
                ratio=pl.col("ratio_all"),
                low=pl.col("ratio_low"),
                high=pl.col("ratio_high"),
                verdict=verdict,
                reliable=pl.col("reliable"),
            ).sort("problem", "permutation")
        )
    return pl.concat(parts)
