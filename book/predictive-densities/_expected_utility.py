"""Two quick models of a client's material, each case predicted unseen, and the chart of expected utilities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import datasets
from benchbook.assess.densities import LinearModel
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, DASHES
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import folds_of
from benchbook.predictive import StudentT
from benchbook.predictive.checks import FloatArray
from benchbook.words import number


@dataclass(frozen=True)
class Material:
    """Cases to predict: ``inputs`` [n, d], ``targets`` [n], what the target is, its unit, and where they are from."""

    inputs: FloatArray
    targets: FloatArray
    target: str
    unit: str
    source: str


def material() -> Material:
    """The strength of concrete when its data is at hand, else the simulated arm's distance; 500 cases at most."""
    if datasets.at_hand("concrete"):
        cases = datasets.load("concrete").cases
        inputs = cases.drop("strength").to_numpy().astype(np.float64)
        inputs[:, -1] = np.log(inputs[:, -1])
        return Material(
            inputs[::2], cases["strength"].to_numpy()[::2], "strength", "MPa", "concrete"
        )
    cases = datasets.load("kin-8nm-sim").cases.head(500)
    return Material(
        cases.drop("dist").to_numpy(), cases["dist"].to_numpy(), "distance", "m", "kin-8nm-sim"
    )


def straight(inputs: FloatArray) -> FloatArray:
    """A constant and the inputs, standardised: [n, d + 1]."""
    spread = inputs.std(axis=0)
    return np.column_stack(
        [np.ones(len(inputs)), (inputs - inputs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)]
    )


def curved(inputs: FloatArray) -> FloatArray:
    """The same with all squares and products."""
    first = straight(inputs)
    rows, columns = np.triu_indices(first.shape[1] - 1)
    return np.column_stack([first, first[:, 1 + rows] * first[:, 1 + columns]])


def left_out(of: Callable[[FloatArray], FloatArray], data: Material) -> tuple[StudentT, StudentT]:
    """Predictive distributions of the n cases by a conjugate linear model, on the scale of the target.

    Args:
        of: inputs to the columns of the model.
        data: the cases.

    Returns:
        each case without itself (equations 9 and 11), and each by the model that has seen it.
    """
    x, middle, spread = of(data.inputs), data.targets.mean(), data.targets.std()
    y = (data.targets - middle) / spread
    prior = LinearModel(np.zeros(x.shape[1]), np.eye(x.shape[1]), 1.0, 0.5)
    seen = prior.given(x, y).predictive(x)
    location, scale = np.empty(y.size), np.empty(y.size)
    for fold in folds_of(np.arange(y.size)):
        one = prior.given(x[fold.train], y[fold.train]).predictive(x[fold.test])
        location[fold.test], scale[fold.test] = one.location, one.scale
    alone = StudentT(location, scale, seen.df[0] - 1.0)
    return alone.affine(middle, spread), seen.affine(middle, spread)


_BINS = 60


def utility_distributions(replicates: Mapping[str, Any], title: str, coverage: float = 0.9) -> Any:
    """Histograms of the replicates of several models, each with its estimate and its interval below.

    Args:
        replicates: for each model [B] replicates of its expected utility.
        title: of the horizontal axis, with the unit.
        coverage: of the intervals.

    Raises:
        FaultyInput: no models, or more than can be distinguished.
    """
    names = list(replicates)
    if not 1 <= len(names) <= len(DASHES) * len(COLOURS):
        raise FaultyInput("chart data", [Fault("models", str(len(names)), "one or a few")])
    values = {name: np.asarray(found, dtype=np.float64) for name, found in replicates.items()}
    low, high = min(v.min() for v in values.values()), max(v.max() for v in values.values())
    edges = np.linspace(low, high, _BINS + 1) if high > low else np.array([low - 0.5, low + 0.5])
    rows, ends, said = [], [], []
    for place, (name, found) in enumerate(values.items()):
        counts = np.histogram(found, edges)[0] / found.size
        rows += [
            {"model": name, "value": float(edge), "share": float(count)}
            for edge, count in zip(edges, [*counts, 0.0], strict=True)
        ]
        bounds = np.quantile(found, [0.5 - coverage / 2, 0.5 + coverage / 2])
        ends.append(
            {
                "model": name,
                "low": float(bounds[0]),
                "high": float(bounds[1]),
                "middle": float(found.mean()),
                "share": -0.02 * (place + 1),
            }
        )
        said.append(
            f"{name}: mean {number(found.mean())}, {coverage:.0%} between {number(bounds[0])} and "
            f"{number(bounds[1])}"
        )
    ends_of_x = [float(edges[0]), float(edges[-1])]
    y = alt.Y("share:Q", title="share of replicates", axis=alt.Axis(format="%", tickCount=4))
    colour = alt.Color(
        "model:N", title=None, scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    )
    steps = (
        alt.Chart(parts.data(parts.rows(pl.DataFrame(rows))))
        .mark_area(interpolate="step-after", opacity=0.35, line=True)
        .encode(
            x=alt.X(
                "value:Q", title=title, scale=alt.Scale(zero=False, nice=False, domain=ends_of_x)
            ),
            y=y.stack(None),
            color=colour,
        )
    )
    bars = (
        alt.Chart(parts.data(ends))
        .mark_rule(strokeWidth=4)
        .encode(
            x=alt.X("low:Q"),
            x2="high:Q",
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("model:N"),
                alt.Tooltip("low:Q", format=".3~g"),
                alt.Tooltip("high:Q", format=".3~g"),
            ],
        )
    )
    return parts.finish(
        alt.layer(steps, bars),
        f"Distribution of {title}. {'; '.join(said)}.",
        "expected utility",
        height=260,
    )
