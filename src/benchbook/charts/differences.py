"""What a paired test sees: the differences of two methods, instance by instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, family, loss_label, number, p_value, training_cases

if TYPE_CHECKING:
    from altair.typing import ChartType

_ROW = 44


def paired_differences(
    means: pl.DataFrame,
    comparisons: pl.DataFrame,
    method: str,
    other: str,
    *,
    loss: str | None = None,
) -> ChartType:
    """Differences of the mean loss of two methods, one dot an instance, with their mean, its standard error and p.

    A row for every task. Dots left of the line at zero are instances on which ``method`` did better. The thick tick is
    the mean difference, the bar plus and minus one standard error. Losses are on their original scale.

    Args:
        means: what ``assess.instance_means`` gives.
        comparisons: what ``assess.comparisons`` gives for the same losses.
        method, other: the two methods; what is drawn is ``method`` minus ``other``.
        loss: the loss's code; may be left out when there is only one.

    Raises:
        FaultyInput: a method is not in the tables, or a table lacks what is needed.
    """
    parts.need(means, ("task", "loss", "method", "instance", "mean"), "instance means")
    parts.need(
        comparisons,
        ("task", "loss", "method", "other", "difference", "standard_error", "p"),
        "comparisons",
    )
    code = parts.only_loss(means, loss, "instance means")
    dots = _paired(means.filter(pl.col("loss") == code), method, other)
    chosen = (pl.col("loss") == code) & (pl.col("method") == method) & (pl.col("other") == other)
    tests = comparisons.filter(chosen & pl.col("task").is_in(dots["task"].unique().to_list()))
    tasks = sorted(set(dots["task"]), key=lambda task: (family(task), training_cases(task) or 0))
    lines = _lines(dots, tests, tasks)
    label = f"difference of {loss_label(code)}"
    chart = _strips(lines, [_row(task, tasks) for task in tasks], label, method, other)
    where = f" on {family(tasks[0])}" if len({family(task) for task in tasks}) == 1 else ""
    words = [
        f"Differences of {loss_label(code)}, {method} minus {other}{where}, one dot an instance."
    ]
    words += [_strip_words(line, method, other) for line in lines if line["kind"] == "mean"]
    title = alt.TitleParams(f"{method} minus {other}", subtitle=f"left of zero: {method} is better")
    return parts.finish(
        chart.properties(title=title), " ".join(words), f"{method} minus {other} {code}"
    )


def paired_instances(
    means: pl.DataFrame, method: str, other: str, *, loss: str | None = None
) -> ChartType:
    """Mean losses of two methods on every instance of one task, joined by a line: why comparisons are paired.

    Args:
        means: what ``assess.instance_means`` gives, for one task.
        method, other: the two methods.
        loss: the loss's code; may be left out when there is only one.

    Raises:
        FaultyInput: several tasks, a method that is not in the table, or a table without what is needed.
    """
    parts.need(means, ("task", "loss", "method", "instance", "mean"), "instance means")
    code = parts.only_loss(means, loss, "instance means")
    pairs = _paired(means.filter(pl.col("loss") == code), method, other)
    if pairs["task"].n_unique() > 1:
        rule = "this chart shows one task: filter the table first"
        raise FaultyInput(
            "chart data", [Fault("instance means", f"{pairs['task'].n_unique()} tasks", rule)]
        )
    lines = [
        {
            "instance": line["instance"],
            "method": name,
            "mean": line[column],
            "_low": min(line["first"], line["second"]),
            "_high": max(line["first"], line["second"]),
        }
        for line in pairs.iter_rows(named=True)
        for name, column in ((method, "first"), (other, "second"))
    ]
    won, by = (
        int((pairs["difference"] < 0).sum()),
        float(pairs.select(-pl.col("difference").mean()).item()),
    )
    each = f"{counted(pairs.height, 'instance')} of {pairs['task'][0]}"
    lower = f"{method} is lower on {won} of them, by {number(by)} on average"
    words = f"Mean {loss_label(code)} of {method} and {other} on each of {each}. {lower}."
    chart = _dumbbells(lines, method, other, loss_label(code)).properties(title=pairs["task"][0])
    return parts.finish(chart, words, f"{pairs['task'][0]} {method} and {other} {code}")


def _paired(means: pl.DataFrame, method: str, other: str) -> pl.DataFrame:
    parts.pick_methods(means, [method, other], "instance means")
    first, second = (means.filter(pl.col("method") == name) for name in (method, other))
    pairs = first.join(second, on=["task", "instance"], suffix="_other").sort("task", "instance")
    if pairs.is_empty():
        raise FaultyInput(
            "chart data",
            [Fault("instance means", f"{method} and {other}", "they share no instance")],
        )
    return pairs.select(
        "task",
        "instance",
        first="mean",
        second="mean_other",
        difference=pl.col("mean") - pl.col("mean_other"),
    )


def _row(task: str, tasks: list[str]) -> str:
    alone = len({family(each) for each in tasks}) == 1
    return str(training_cases(task)) if alone and training_cases(task) is not None else task


def _lines(dots: pl.DataFrame, tests: pl.DataFrame, tasks: list[str]) -> list[dict[str, Any]]:
    lines = []
    for task in tasks:
        here = dots.filter(pl.col("task") == task)
        for line in here.filter(pl.col("difference").is_finite()).iter_rows(named=True):
            lines.append(
                {
                    "task": task,
                    "kind": "instance",
                    "instance": line["instance"],
                    "difference": line["difference"],
                    "standard_error": None,
                    "p": None,
                    "_row": _row(task, tasks),
                }
            )
        for test in tests.filter(pl.col("task") == task).iter_rows(named=True):
            error = test["standard_error"]
            lines.append(
                {
                    "task": task,
                    "kind": "mean",
                    "instance": None,
                    "difference": test["difference"],
                    "standard_error": error,
                    "p": test["p"],
                    "_row": _row(task, tasks),
                    "_count": here.height,
                    "_low": None if error is None else test["difference"] - error,
                    "_high": None if error is None else test["difference"] + error,
                    "_says": p_value(test["p"]),
                }
            )
    return lines


def _strips(
    lines: list[dict[str, Any]], order: list[str], label: str, method: str, other: str
) -> ChartType:
    title = "training cases" if all(name.isdigit() for name in order) else None
    data = parts.data(parts.rows(pl.DataFrame(lines, infer_schema_length=None)))
    base = alt.Chart(data).encode(
        y=alt.Y("_row:N", sort=order, title=title, axis=alt.Axis(grid=False, domain=False))
    )
    dots, mean = (base.transform_filter(alt.datum.kind == kind) for kind in ("instance", "mean"))
    x = alt.X("difference:Q", title=label, scale=alt.Scale(zero=True, padding=12))
    about = [alt.Tooltip("task:N"), alt.Tooltip("difference:Q", format=".4g")]
    layers = [
        alt.Chart(parts.data([{"_zero": 0}]))
        .mark_rule(opacity=0.6)
        .encode(x=alt.X("_zero:Q", title=label)),
        mean.mark_bar(height=14, opacity=0.25, color=INK).encode(
            x=alt.X("_low:Q", title=label), x2="_high:Q"
        ),
        dots.mark_point(size=55, filled=False, strokeWidth=1.8, color=COLOURS[0]).encode(
            x=x, tooltip=[*about, "instance:O"]
        ),
        mean.mark_tick(thickness=3, size=22).encode(
            x=x,
            tooltip=[
                *about,
                alt.Tooltip("standard_error:Q", title="standard error", format=".2g"),
                alt.Tooltip("_says:N", title="test"),
            ],
        ),
        mean.mark_text(align="right", baseline="bottom", dy=-7, dx=-2, opacity=0.9).encode(
            x=alt.value("width"), text="_says:N"
        ),
    ]
    return alt.layer(*layers).properties(
        width="container", height=_ROW * len(order), autosize=parts.FIT
    )


def _dumbbells(lines: list[dict[str, Any]], method: str, other: str, label: str) -> ChartType:
    data = parts.data(parts.rows(pl.DataFrame(lines)))
    names = [method, other]
    base = alt.Chart(data).encode(
        y=alt.Y("instance:O", title="instance", axis=alt.Axis(grid=False, domain=False))
    )
    joins = base.mark_rule(opacity=0.35, strokeWidth=2).encode(
        x=alt.X("_low:Q", title=label), x2="_high:Q"
    )
    dots = base.mark_point(size=90, filled=True, opacity=1).encode(
        x=alt.X("mean:Q", title=label, scale=alt.Scale(zero=False, padding=12)),
        tooltip=["method:N", "instance:O", alt.Tooltip("mean:Q", title=label, format=".4g")],
        **parts.looks("method", names, legend=alt.Legend(title=None)),
    )
    return alt.layer(joins, dots).properties(
        width="container", height=24 * len(lines) // 2, autosize=parts.FIT
    )


def _strip_words(line: Mapping[str, Any], method: str, other: str) -> str:
    difference = line["difference"]
    text = f"{line['_row']}: mean of {counted(line['_count'], 'instance')} {number(difference)}"
    if line["standard_error"] is not None:
        text += f" ± {number(line['standard_error'])}"
    better = (
        f", {method} better"
        if difference is not None and difference < 0
        else (f", {other} better" if difference else "")
    )
    return f"{text}, {line['_says']}{better}."
