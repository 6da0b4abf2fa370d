"""The chart of the chapter on who is calibrated."""

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import tasks
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.methods.conformal import ranks
from benchbook.methods.conformal.quantiles import shifts
from benchbook.methods.gaussian_processes.model import NOISE_FLOOR, HyperparameterPosterior
from benchbook.methods.shared.scaling import Scale

_ROW = 22


def coverages(found: pl.DataFrame) -> Any:
    """Coverage of central intervals: a row for each method, promises upright.

    Args:
        found: method, promised, coverage, standard_error; rows are in the order of the
            methods' first lines.
    """
    order = found["method"].unique(maintain_order=True).to_list()
    promised = found["promised"].unique().sort().to_list()
    names = [f"{share:.0%}" for share in promised]
    error = 2 * pl.col("standard_error")
    table = found.with_columns(
        interval=pl.col("promised").replace_strict(promised, names, return_dtype=pl.String),
        low=pl.col("coverage") - error,
        high=pl.col("coverage") + error,
    )
    looks = parts.looks("interval", names, title="interval", sort=names)
    y = alt.Y("method:N", title=None, sort=order, axis=alt.Axis(labelLimit=180))
    base = alt.Chart(parts.data(parts.rows(table)))
    lines = alt.Chart(parts.data([{"promise": share} for share in promised]))
    said = "; ".join(
        f"{name} "
        + ", ".join(
            f"{row['coverage']:.0%} for {row['promised']:.0%}"
            for row in found.filter(method=name).sort("promised").iter_rows(named=True)
        )
        for name in order
    )
    return parts.finish(
        alt.layer(
            lines.mark_rule(color=INK, strokeDash=[4, 3], opacity=0.7).encode(
                x=alt.X("promise:Q", title="share of targets within the interval")
            ),
            base.mark_rule(strokeWidth=2).encode(
                x=alt.X("low:Q"), x2="high:Q", y=y, color=looks["color"]
            ),
            base.mark_point(size=60, filled=True, opacity=1).encode(
                x=alt.X(
                    "coverage:Q",
                    title="share of targets within the interval",
                    scale=alt.Scale(domain=[0, 1]),
                    axis=alt.Axis(format="%", grid=False),
                ),
                y=y,
                tooltip=[
                    alt.Tooltip("method:N"),
                    alt.Tooltip("interval:N"),
                    alt.Tooltip("coverage:Q", format=".1%"),
                    alt.Tooltip("standard_error:Q", title="standard error", format=".1%"),
                ],
                **looks,
            ),
        ),
        f"Coverage of central intervals. {said}.",
        "coverage",
        height=_ROW * len(order),
    )


_SLOPES = np.array([1.0, 0.9, 1.1, 1.05])  # of the script's learners without each fold


def conformal_apart(libraries: pl.DataFrame) -> pl.DataFrame:
    """How far our conformal intervals are from those of other libraries, at most.

    Args:
        libraries: what ``tests/methods/plain_conformal.py`` writes.

    Returns:
        check, coverage, apart: the greatest distance of two ends, and width: the mean
        width of theirs.
    """
    known, asked = (libraries.filter(check=name) for name in ("calibration", "asked"))
    x, y, query = (
        part[end].to_numpy() for part, end in ((known, "low"), (known, "high"), (asked, "low"))
    )
    scale, of_query, fold = 0.5 + x, 0.5 + query, np.arange(len(x)) % len(_SLOPES)
    rows = []
    for coverage in (0.5, 0.8, 0.9):
        tails = ((1 - coverage) / 2, (1 + coverage) / 2)
        top = ranks.rank(len(x), tails[1])
        both = np.array([len(x) + 1 - top, top])
        _, ends = ranks.distribution(query, of_query, (y - x) / scale, both)
        ones = np.ones((len(query), len(_SLOPES)))
        lines = query[:, None] * _SLOPES
        around = np.abs(y - _SLOPES[fold] * x)
        half, half_query = 0.3 * (1 + 0.2 * x), 0.3 * (1 + 0.2 * query)
        guess = np.column_stack([x - half, x + half])
        moved = shifts(guess, y, np.array(tails))
        ours = {
            "crepes split": ranks.split_interval(query, of_query, np.abs(y - x) / scale, coverage),
            "crepes system": (ends[:, 0], ends[:, 1]),
            "MAPIE plus": ranks.cross_interval(lines, ones, around, fold, coverage),
            "MAPIE quantiles": (query - half_query + moved[0], query + half_query + moved[1]),
        }
        for check, (low, high) in ours.items():
            theirs = libraries.filter(check=check, coverage=coverage)
            first, last = theirs["low"].to_numpy(), theirs["high"].to_numpy()
            apart = max(np.abs(low - first).max(), np.abs(high - last).max())
            width = float((last - first).mean())
            rows.append(
                {"check": check, "coverage": coverage, "apart": float(apart), "width": width}
            )
    return pl.DataFrame(rows)


def processes_apart(kept: pl.DataFrame) -> pl.DataFrame:
    """How far our exact Gaussian process is from GPyTorch's with its hyperparameters.

    Args:
        kept: what ``tests/methods/plain_processes.py`` writes.

    Returns:
        task, instance, and the greatest distances of a mean and of a standard
        deviation, on the scale on which the training targets have deviation 1.
    """
    rows = []
    same = kept.filter(model="ours")
    for (task, number), part in same.group_by("task", "instance", maintain_order=True):
        instance = tasks.get(task).instance(number)
        scale = Scale.of(instance.train_inputs, instance.train_targets)
        process = HyperparameterPosterior(
            scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
        )
        t, theirs, sd = (
            part.filter(kind=kind)["value"].to_numpy().copy()
            for kind in ("hyperparameter", "mean", "sd")
        )
        t[-1] = np.log(np.exp(t[-1]) - NOISE_FLOOR)  # which ours adds
        queries = scale.inputs(instance.test_inputs[: len(sd)])
        mean, variance = process.predict(t, queries)
        far = np.abs(mean - theirs).max(), np.abs(np.sqrt(variance) - sd).max()
        rows.append((task, number, *map(float, far)))
    return pl.DataFrame(rows, ["task", "instance", "mean", "sd"], orient="row")
