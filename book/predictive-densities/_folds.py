"""The bias of k folds, its correction and whom folds leave out, with their charts, for the chapter on folds."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.assess import densities
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.folds import Fold, labels_of, random_folds
from benchbook.predictive.checks import FloatArray
from benchbook.statistics import standard_error


def least_squares_error(cases: int, inputs: int) -> float:
    """Expected squared error of least squares with a constant, when inputs and noise are standard normal.

    (n + 1)(n - 2) / (n (n - p - 2)) for n training cases and p inputs.
    """
    return (cases + 1) * (cases - 2) / (cases * (cases - inputs - 2))


def learning_curve(sizes: Sequence[int], inputs: int) -> pl.DataFrame:
    """``training_cases`` and ``error``, the expected squared error."""
    return pl.DataFrame(
        {"training_cases": list(sizes), "error": [least_squares_error(n, inputs) for n in sizes]}
    )


def corrections(
    ks: Sequence[int], worlds: int, cases: int, inputs: int, rng: np.random.Generator
) -> pl.DataFrame:
    """Cross-validated, corrected and training error of least squares, over many data sets.

    Args:
        ks: numbers of folds.
        worlds: data sets.
        cases, inputs: of each; a constant besides.
        rng: of data and folds.

    Returns:
        A line for each k: ``k``, ``training_cases`` of a fold's model, ``truth``, and the mean over data sets of
        ``cross_validated``, ``corrected``, ``training``, with ``cross_validated_error`` and ``corrected_error``, the
        standard errors of the first two.
    """
    x = np.concatenate(
        [np.ones((worlds, cases, 1)), rng.normal(size=(worlds, cases, inputs))], axis=2
    )
    y = rng.normal(size=(worlds, cases))
    full = _squared_errors(x, y, x, y)
    lines = []
    for k in ks:
        folds = random_folds(cases, k, rng)
        label = labels_of(folds, cases)
        by_fold = np.stack(
            [_squared_errors(x[:, fold.train], y[:, fold.train], x, y) for fold in folds], axis=1
        )
        each = [
            densities.bias_corrected(by_fold[world], full[world], label) for world in range(worlds)
        ]
        found = {
            name: np.array([getattr(one, name) for one in each])
            for name in ("cross_validated", "corrected", "training")
        }
        lines.append(
            {
                "k": k,
                "training_cases": cases - cases // k,
                "truth": least_squares_error(cases, inputs),
                **{name: float(values.mean()) for name, values in found.items()},
                **{
                    f"{name}_error": float(standard_error(found[name]))
                    for name in ("cross_validated", "corrected")
                },
            }
        )
    return pl.DataFrame(lines)


def _squared_errors(
    train_x: FloatArray, train_y: FloatArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    """Of least squares, batched: [R, n, p] and [R, n] to [R, m]."""
    turned = np.swapaxes(train_x, 1, 2)
    weights = np.linalg.solve(turned @ train_x, turned @ train_y[..., None])
    return ((x @ weights)[..., 0] - y) ** 2


def parts_of(schemes: Mapping[str, Sequence[Fold]], cases: int, shown: int = 4) -> pl.DataFrame:
    """What the first folds of several schemes do with each case.

    Returns:
        ``scheme``, ``fold`` from 1, ``case``, and ``part``: "predicted", "fitted to" or "left out" of both.
    """
    lines = []
    for scheme, folds in schemes.items():
        for number, fold in enumerate(folds[:shown], 1):
            part = np.full(cases, "left out", dtype=object)
            part[fold.train], part[fold.test] = "fitted to", "predicted"
            lines += [
                {"scheme": scheme, "fold": number, "case": case, "part": part[case]}
                for case in range(cases)
            ]
    return pl.DataFrame(lines)


def wandering(cases: int, memory: float, rng: np.random.Generator) -> FloatArray:
    """A series [n] of variance 1 in which each value is ``memory`` times the last one and something new."""
    values = rng.normal(size=cases)
    for place in range(1, cases):
        values[place] = memory * values[place - 1] + np.sqrt(1.0 - memory**2) * values[place]
    return values


def nearest_in_time(series: FloatArray, folds: Sequence[Fold], neighbours: int = 3) -> FloatArray:
    """Squared errors [n] of predicting each case by the mean of the cases next to it in time among those fitted to."""
    found = np.empty(series.size)
    for fold in folds:
        distance = np.abs(fold.test[:, None] - fold.train[None, :])
        near = fold.train[np.argsort(distance, axis=1, kind="stable")[:, :neighbours]]
        found[fold.test] = (series[near].mean(axis=1) - series[fold.test]) ** 2
    return found


def fold_bias(curve: pl.DataFrame, corrections: pl.DataFrame, cases: int) -> Any:
    """The learning curve, what k folds estimate, at the number of cases of their models, and the corrected, at all.

    Args:
        curve: ``training_cases``, ``error``.
        corrections: ``k``, ``training_cases``, ``truth``, ``cross_validated``, ``corrected``.
        cases: n.
    """
    kinds = ["cross-validated", "corrected"]
    points = pl.concat(
        [
            corrections.select(
                "k", place="training_cases", error="cross_validated", kind=pl.lit(kinds[0])
            ),
            corrections.select(
                "k", place=pl.lit(cases).cast(pl.Int64), error="corrected", kind=pl.lit(kinds[1])
            ),
        ]
    )
    points = points.with_columns(label=pl.format("k = {}", "k"))
    lowest, highest = parts.ends(curve["training_cases"])
    x = alt.X(
        "place:Q", title="training cases", scale=alt.Scale(domain=[lowest, highest], nice=False)
    )
    y = alt.Y("error:Q", title="mean squared error", scale=alt.Scale(zero=False))
    line = (
        alt.Chart(parts.data(parts.rows(curve.rename({"training_cases": "place"}))))
        .mark_line(color=INK, opacity=0.7)
        .encode(x=x, y=y)
    )
    steps = (
        alt.Chart(
            parts.data(
                parts.rows(
                    corrections.select(
                        "k",
                        place="training_cases",
                        error="cross_validated",
                        end=pl.lit(float(cases)),
                        corrected="corrected",
                    )
                )
            )
        )
        .mark_rule(strokeDash=[3, 3], color=INK, opacity=0.5)
        .encode(x=x, y=y, x2="end:Q", y2="corrected:Q")
    )
    base = alt.Chart(parts.data(parts.rows(points)))
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("label:N", title="folds"),
            alt.Tooltip("kind:N"),
            alt.Tooltip("error:Q", format=".3f"),
        ],
        **parts.looks("kind", kinds, title=None),
    )
    names = (
        base.transform_filter(f"datum.kind === '{kinds[0]}'")
        .mark_text(align="left", dx=9, dy=-7, fontSize=11)
        .encode(x=x, y=y, text="label:N")
    )
    said = "; ".join(
        f"{row['k']} folds {row['cross_validated']:.3f}, corrected {row['corrected']:.3f}"
        for row in corrections.iter_rows(named=True)
    )
    return parts.finish(
        alt.layer(line, steps, dots, names),
        f"Learning curve of the squared error, and estimates beside it: {said}; the truth with "
        f"all {cases} cases is {corrections['truth'][0]:.3f}.",
        "bias of k folds",
        height=320,
    )


def fold_parts(table: pl.DataFrame) -> Any:
    """A panel for each scheme, a line for each fold, a cell for each case: predicted, fitted to, or left out of both.

    Args:
        table: ``scheme``, ``fold``, ``case``, ``part``.
    """
    schemes = parts.names(table, "scheme")
    kinds, colours = ["predicted", "left out", "fitted to"], [COLOURS[1], COLOURS[5], COLOURS[0]]
    cells = (
        alt.Chart()
        .mark_rect(stroke="currentColor", strokeOpacity=0.15, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "case:O",
                title="case, in the order of time",
                axis=alt.Axis(labels=False, ticks=False, domain=False),
            ),
            y=alt.Y("fold:O", title="fold", axis=alt.Axis(ticks=False, domain=False)),
            color=alt.Color("part:N", title=None, scale=alt.Scale(domain=kinds, range=colours)),
            opacity=alt.condition("datum.part === 'left out'", alt.value(0.3), alt.value(0.9)),
            tooltip=[alt.Tooltip("fold:O"), alt.Tooltip("case:O"), alt.Tooltip("part:N")],
        )
        .properties(width=260, height=72)
    )
    chart = cells.facet(
        alt.Facet(
            "scheme:N",
            title=None,
            sort=schemes,
            header=alt.Header(labelAnchor="start", labelLimit=280),
        ),
        columns=2,
        data=parts.data(parts.rows(table)),
        spacing={"column": 20, "row": 14},
    )
    counts = table.group_by("scheme", "part", maintain_order=True).len()
    said = []
    for scheme in schemes:
        each = {
            row["part"]: row["len"] for row in counts.filter(scheme=scheme).iter_rows(named=True)
        }
        said.append(f"{scheme}: {', '.join(f'{each.get(kind, 0)} {kind}' for kind in kinds)}")
    layout = {"count": len(schemes), "least": 200, "most": 320, "gap": 20, "margin": 60}
    return parts.finish(
        chart,
        f"What folds do with cases, counted over the folds shown. {'; '.join(said)}.",
        "cases of folds",
        layout=layout,
    )
