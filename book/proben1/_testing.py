"""Two samples of log errors with outliers in or out, the p value that moves with them, and rates of false alarms."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.assess.proben1 import cochran_cox, removal_order, shapiro
from benchbook.assess.proben1.lognormal import FEWEST, LEVEL
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.words import counted, p_value
from benchbook_book.pages.charts.worlds import world_panels


def outliers_out(points: pl.DataFrame, path: pl.DataFrame, *, level: float = 0.1) -> Any:
    """The runs of two methods on a log scale, the furthest of each crossed out one by one, and the p that is left.

    A menu chooses the dataset, a slider how many runs of each method are out.

    Args:
        points: dataset, method (two), error, place (1 for the run that would go first, then 2, ...).
        path: dataset, removed (from each method, from 0), p, normal (whether both samples pass for log-normal).
        level: a p below it is significant.
    """
    datasets, methods = parts.names(path, "dataset"), parts.names(points, "method")
    most = int(str(path["removed"].max()))
    upper = points.with_columns(
        _jitter=(pl.int_range(pl.len()).over("dataset", "method") * 0.618) % 1.0
    )
    said = path.with_columns(
        _says=pl.struct("removed", "p", "normal").map_elements(
            lambda line: _sentence(line, level), return_dtype=pl.String
        )
    )
    title = "test error (log scale)"
    x = alt.X(
        "error:Q",
        title=title,
        scale=alt.Scale(type="log", nice=False, padding=10),
        axis=alt.Axis(grid=False, format="~g", tickCount=5),
    )
    y = alt.Y(
        "method:N", title=None, sort=methods, axis=alt.Axis(grid=False, domain=False, ticks=False)
    )
    here = alt.Chart(parts.data(parts.rows(upper))).transform_filter("datum.dataset == shown")
    shift = alt.YOffset("_jitter:Q", scale=alt.Scale(domain=[-0.3, 1.3]))
    tips = [alt.Tooltip("method:N"), alt.Tooltip("error:Q", format=".3f")]
    kept = (
        here.transform_filter("datum.place > out")
        .mark_point(filled=True, size=42, opacity=0.7)
        .encode(
            x=x, y=y, yOffset=shift, tooltip=tips, **parts.looks("method", methods, legend=None)
        )
    )
    gone = (
        here.transform_filter("datum.place <= out")
        .mark_text(text="×", fontSize=17)
        .encode(x=x, y=y, yOffset=shift, tooltip=tips)
    )
    middle = (
        here.transform_filter("datum.place > out")
        .transform_calculate(log="log(datum.error)")
        .transform_aggregate(mean="mean(log)", groupby=["method"])
        .transform_calculate(middle="exp(datum.mean)")
        .mark_tick(color=INK, thickness=3, size=70)
        .encode(x=alt.X("middle:Q", title=title), y=y)
    )
    words = (
        alt.Chart(parts.data(parts.rows(said)))
        .transform_filter("datum.dataset == shown && datum.removed == out")
        .mark_text(align="left", fontSize=13, fontWeight=600, baseline="bottom", lineBreak="\n")
        .encode(x=alt.value(0), y=alt.value(-24), text="_says:N")
    )
    chart = (
        alt.layer(kept, gone, middle, words)
        .add_params(
            alt.param(
                name="shown",
                value=datasets[0],
                bind=alt.binding_select(options=datasets, name="dataset "),
            ),
            alt.param(
                name="out",
                value=0,
                bind=alt.binding_range(min=0, max=most, step=1, name="runs taken out "),
            ),
        )
        .properties(
            width="container",
            height=210,
            autosize=parts.FIT,
            padding={"top": 44, "left": 4, "right": 8, "bottom": 4},
        )
    )
    return parts.finish(chart, _words(path, level), "outliers in and out")


def _sentence(line: Any, level: float) -> str:
    verdict = "significant" if line["p"] < level else "not significant"
    law = "" if line["normal"] else "\n(unreliable: not log-normal)"
    return f"{p_value(line['p'])}, {verdict}{law}"


def p_paths(path: pl.DataFrame, *, level: float = 0.1) -> Any:
    """How p moves while the furthest runs are taken out: a line for each dataset; point at one to see its name.

    Lines whose verdict changes on the way are drawn strongly.

    Args:
        path: dataset, removed (from each method), p.
        level: the level of the test, a line across.
    """
    below = pl.col("p") < level
    table = path.sort("dataset", "removed").with_columns(
        _p=pl.col("p").clip(1e-6),
        changes=(below.any() & ~below.all()).over("dataset"),
        _last=pl.col("removed") == pl.col("removed").max().over("dataset"),
    )
    most = int(str(path["removed"].max()))
    near = alt.selection_point(fields=["dataset"], on="pointerover", nearest=True, empty=False)
    told = ["verdict changes", "stays"]
    base = alt.Chart(
        parts.data(
            parts.rows(
                table.with_columns(
                    verdict=pl.when("changes").then(pl.lit(told[0])).otherwise(pl.lit(told[1]))
                )
            )
        )
    ).encode(
        x=alt.X(
            "removed:Q",
            title="runs taken out of each method",
            axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
            scale=alt.Scale(domain=[0, most], nice=False),
        ),
        y=alt.Y(
            "_p:Q",
            title="p of the t test of log errors (log scale)",
            scale=alt.Scale(type="log", domain=[1e-6, 1], nice=False),
            axis=alt.Axis(
                values=[1e-6, 1e-4, 1e-2, 0.1, 1],
                labelExpr="datum.value <= 1e-6 ? '≤ 1e-6' : datum.label",
                format="~g",
            ),
        ),
    )
    colour = alt.Color(
        "verdict:N", title=None, scale=alt.Scale(domain=told, range=[COLOURS[1], COLOURS[5]])
    )
    lines = base.mark_line().encode(
        detail="dataset:N",
        color=colour,
        strokeWidth=alt.condition(near, alt.value(4), alt.value(1.6)),
        strokeDash=alt.StrokeDash(
            "verdict:N", title=None, scale=alt.Scale(domain=told, range=[[1, 0], [4, 2]])
        ),
    )
    marks = (
        base.mark_point(filled=True, size=24)
        .encode(
            color=colour,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("removed:Q"),
                alt.Tooltip("p:Q", format=".2g"),
            ],
            opacity=alt.condition(near, alt.value(1), alt.value(0.5)),
        )
        .add_params(near)
    )
    limit = alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(y=alt.datum(level))
    return parts.finish(
        alt.layer(lines, marks, limit),
        _words(path, level),
        "p value against outliers taken out",
        height=300,
    )


def _words(path: pl.DataFrame, level: float) -> str:
    said: list[str] = []
    crossed = 0
    for (dataset,), part in path.group_by("dataset", maintain_order=True):
        ends = part.sort("removed")
        first, last = ends.row(0, named=True), ends.row(-1, named=True)
        crossed += (first["p"] < level) != (last["p"] < level)
        if len(said) < 8:
            said.append(
                f"{dataset}: {p_value(first['p'])} with all runs, {p_value(last['p'])} with "
                f"{last['removed']} out of each"
            )
    return (
        f"Test errors of the runs of two methods on {counted(path['dataset'].n_unique(), 'dataset')}, and the p "
        f"value of their difference as the furthest runs are taken out. On {crossed} the verdict at "
        f"{level:.0%} changes between none out and the most. {'; '.join(said)}."
    )


def taken_out(
    runs: pl.DataFrame, methods: tuple[str, str], most: int = 6
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every run's place in the order of removal, and p for each number of runs taken out of both methods.

    Args:
        runs: a line a run: dataset, method, test_error.
        methods: the two to compare; datasets without six runs more than ``most`` of each are left out.
        most: up to how many runs are taken out of each.

    Returns:
        (dataset, method, error, place) and (dataset, removed, p, normal), as ``outliers_out`` draws them.
    """
    points, path = [], []
    for dataset in sorted(set(runs["dataset"])):
        samples = [
            runs.filter(pl.col("dataset") == dataset, pl.col("method") == name)[
                "test_error"
            ].to_numpy()
            for name in methods
        ]
        if min(len(sample) for sample in samples) < most + FEWEST:
            continue
        places = [removal_order(sample) for sample in samples]
        for name, sample, place in zip(methods, samples, places, strict=True):
            points.append(
                pl.DataFrame({"dataset": dataset, "method": name, "error": sample, "place": place})
            )
        for removed in range(most + 1):
            logs = [
                np.log(sample[place > removed])
                for sample, place in zip(samples, places, strict=True)
            ]
            normal = all(float(shapiro(values).p) >= LEVEL for values in logs)
            path.append(
                {
                    "dataset": dataset,
                    "removed": removed,
                    "p": cochran_cox(*logs).p,
                    "normal": normal,
                }
            )
    frame = (
        pl.concat(points)
        if points
        else pl.DataFrame(
            schema={
                "dataset": pl.String,
                "method": pl.String,
                "error": pl.Float64,
                "place": pl.Int64,
            }
        )
    )
    return frame, pl.DataFrame(
        path,
        schema={"dataset": pl.String, "removed": pl.Int64, "p": pl.Float64, "normal": pl.Boolean},
    )


def most_moved(path: pl.DataFrame, count: int = 10) -> list[str]:
    """The datasets whose p moves most while runs are taken out, on a log scale; the most moved first."""
    moved = (
        path.with_columns(log=pl.col("p").clip(1e-6).log())
        .group_by("dataset")
        .agg(span=pl.col("log").max() - pl.col("log").min())
        .sort("span", "dataset", descending=[True, False])
    )
    return moved["dataset"].head(count).to_list()


def parted(
    table: pl.DataFrame,
    level: float = 0.1,
    columns: Sequence[str] = ("p", "p_all", "p_means", "p_ranks"),
) -> pl.DataFrame:
    """The datasets on which the tests named do not give the same verdict, with their p values and the ratio."""
    below = [pl.col(name) < level for name in columns]
    return table.filter(pl.any_horizontal(below) & ~pl.all_horizontal(below)).select(
        "dataset", "ratio", "ratio_all", "first_removed", "second_removed", "reliable", *columns
    )


def alarm_rates(rates: pl.DataFrame, level: float, what: str = "share of false alarms") -> Any:
    """A panel for each world, a line for each test: how often it finds a difference, with few runs and with many.

    Args:
        rates: world, test, runs, rate, standard_error.
        level: the nominal rate, a rule; 0 for none.
        what: the title of the horizontal axis.
    """
    sizes = [f"{size} runs" for size in sorted(set(rates["runs"]))]
    highest = (rates["rate"] + 2 * rates["standard_error"]).max()
    return world_panels(
        rates.with_columns(size=pl.format("{} runs", "runs")),
        ("rate", "test", "size"),
        sizes,
        what,
        max(0.25, 1.05 * float(str(highest))),
        level,
        30,
        what,
        what.capitalize(),
        "{test} {rate:.0%} with {size}",
    )
