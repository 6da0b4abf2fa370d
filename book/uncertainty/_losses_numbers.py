"""What stating another standard deviation costs by each loss, and the chart of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from benchbook import losses
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.predictive import Gaussian, Point, Predictive
from benchbook.predictive.checks import FloatArray
from benchbook.statistics import standard_error
from benchbook.words import number
from benchbook_book.pages.charts import live_legend

ALL = "many, with standard deviation 1"
ONE = "one, at the distance below"
_RANKS = 4000


def spread_costs(
    codes: Mapping[str, str], sds: ArrayLike, distances: Sequence[float]
) -> pl.DataFrame:
    """What stating a standard deviation costs above stating the true one, 1, with a Gaussian whose mean is right.

    Every loss is divided by what stating 2 costs on average, except those to which the spread is nothing. Averages are
    over targets at 4000 evenly spread ranks of the true distribution.

    Args:
        codes: code of a loss by the name to show. sds: stated standard deviations.
        distances: of a single target from the mean, in true standard deviations.

    Returns:
        loss, sd, target (``ALL`` or ``ONE``), distance (0 for ``ALL``), extra.
    """
    from scipy import special

    grid, every = (
        np.asarray(sds, dtype=np.float64),
        special.ndtri((np.arange(_RANKS) + 0.5) / _RANKS),
    )
    tables = []
    for name, code in codes.items():
        unit = (
            float(
                _mean_losses(code, np.array([2.0]), every)[0]
                - _mean_losses(code, np.ones(1), every)[0]
            )
            or 1.0
        )
        targets = [
            (ALL, 0.0, every),
            *((ONE, float(away), np.array([float(away)])) for away in distances),
        ]
        for target, away, y in targets:
            extra = (_mean_losses(code, grid, y) - _mean_losses(code, np.ones(1), y)) / unit
            tables.append(
                pl.DataFrame(
                    {"loss": name, "sd": grid, "target": target, "distance": away, "extra": extra}
                )
            )
    return pl.concat(tables)


def _mean_losses(code: str, sds: FloatArray, y: FloatArray) -> FloatArray:
    """The mean loss over targets of Gaussians of mean 0 with each of some standard deviations."""
    pred = Gaussian(np.zeros(sds.size * y.size), np.repeat(sds**2, y.size))
    return (
        losses.get(code).per_case(pred, np.tile(y, sds.size)).reshape(sds.size, y.size).mean(axis=1)
    )


def extra_costs(
    truth: Predictive,
    others: Mapping[str, Predictive],
    codes: Sequence[str],
    draws: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """What other distributions cost above the true one on targets drawn from it, paired, with standard errors.

    Args:
        truth, others: of one case each. codes: of losses of cases.

    Returns:
        A line for each other distribution: ``stated``, and for each loss its code and ``error_`` with its code.
    """
    y, every = np.asarray(truth.sample(rng, draws))[0], np.zeros(draws, dtype=np.int64)
    right, lines = truth.take(every), []
    for name, other in others.items():
        line: dict[str, str | float] = {"stated": name}
        for code in codes:
            more = losses.get(code).per_case(other.take(every), y) - losses.get(code).per_case(
                right, y
            )
            mean, error = float(more.mean()), float(standard_error(more))
            # Rounding errors are no costs: a loss that does not see the difference shall say 0.
            line |= {code: round(mean, 12), f"error_{code}": round(error, 12)}
        lines.append(line)
    return pl.DataFrame(lines)


def nmse_of_guesses(
    truth: Predictive,
    shifts: Sequence[float],
    cases: Sequence[int],
    sets: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """How nMSE judges guesses beside the true mean, on sets of few cases that all come from one distribution.

    Returns:
        For each number of cases and shift: ``cases``, ``shift``, the mean ``extra`` nMSE above guessing the mean, and
        its ``error`` over the sets.
    """
    loss, mean, lines = losses.get("nMSE"), float(truth.mean()[0]), []
    for n in cases:
        y = np.asarray(truth.sample(rng, n * sets))[0].reshape(sets, n)
        base = np.array([loss.per_set(Point(np.full(n, mean)), few) for few in y])
        for shift in shifts:
            more = (
                np.array([loss.per_set(Point(np.full(n, mean + shift)), few) for few in y]) - base
            )
            lines.append(
                {
                    "cases": n,
                    "shift": float(shift),
                    "extra": float(more.mean()),
                    "error": float(standard_error(more)),
                }
            )
    return pl.DataFrame(lines)


def unit_changes(
    pred: Predictive, y: ArrayLike, codes: Sequence[str], ratio: float
) -> pl.DataFrame:
    """What becomes of a mean loss when predictions and targets are told in another unit, and from another origin.

    Args:
        pred, y: predictions of numbers and their targets. codes: of losses. ratio: old unit in new ones.

    Returns:
        loss, before, after (in the new unit), moved (origin shifted by 100 of the old unit).
    """
    targets, lines = np.asarray(y, dtype=np.float64), []
    for code in codes:
        loss = losses.get(code)

        def mean(p: Predictive, t: FloatArray, loss: losses.Loss = loss) -> float:
            return loss.per_set(p, t) if loss.is_set else float(loss.per_case(p, t).mean())

        lines.append(
            {
                "loss": code,
                "before": mean(pred, targets),
                "after": mean(pred.affine(0.0, ratio), ratio * targets),
                "moved": mean(pred.affine(100.0, 1.0), targets + 100.0),
            }
        )
    return pl.DataFrame(lines)


_LIMITS = (-3.0, 8.0)
_PICKS = (0.25, 4.0)
_FRACTIONS = "datum.value >= 1 ? format(datum.value, 'd') : '1/' + format(1 / datum.value, 'd')"


def stated_spreads(
    costs: pl.DataFrame, *, targets: Sequence[str], distance: float, unit: str
) -> Any:
    """Extra loss against the stated standard deviation, a line for each loss; buttons choose many targets or one.

    Args:
        costs: loss (at most 6), sd (with 1/4 and 4 among them), target, distance, extra.
        targets: the texts of the two buttons: many targets, and one at the distance that a slider sets.
        distance: where the slider stands first. unit: what the extra loss is measured in.

    Raises:
        FaultyInput: a distance that is not in it.
    """
    names = parts.names(costs, "loss")
    away = costs.filter(target=targets[1])["distance"].unique().sort().to_list()
    sds = costs["sd"].unique().sort().to_list()
    now = f"datum.target === target && (target === '{targets[0]}' || abs(datum.distance - distance) < 1e-6)"
    table = costs.with_columns(pl.col("extra").clip(_LIMITS[0] - 3, _LIMITS[1] + 3))
    base = alt.Chart(parts.data(parts.rows(table))).transform_filter(now)
    zero = alt.Chart().mark_rule(color=INK, opacity=0.4).encode(y=alt.datum(0))
    line = base.mark_line(clip=True, strokeWidth=2.4).encode(
        x=alt.X(
            "sd:Q",
            title="stated standard deviation / true one (log scale)",
            scale=alt.Scale(type="log", base=2, domain=[sds[0], sds[-1]], nice=False),
            axis=alt.Axis(
                values=[one for one in (1 / 16, 1 / 4, 1, 4, 16) if sds[0] <= one <= sds[-1]],
                labelExpr=_FRACTIONS,
            ),
        ),
        y=alt.Y(
            "extra:Q",
            title=f"extra loss ({unit})",
            scale=alt.Scale(domain=list(_LIMITS), nice=False),
            axis=alt.Axis(tickCount=6, grid=False),
        ),
        tooltip=[
            alt.Tooltip("loss:N"),
            alt.Tooltip("sd:Q", format=".3g"),
            alt.Tooltip("extra:Q", format=".2f"),
        ],
        **live_legend.looks(names, "loss"),
    )
    said = alt.Chart(parts.data(parts.rows(_picked(costs)))).transform_filter(now)
    text = "datum.loss + ': ' + format(datum.small, '.1f') + ' at 1/4, ' + format(datum.large, '.1f') + ' at 4'"
    return parts.finish(
        alt.layer(alt.layer(zero, line), *live_legend.legend(said, names, "loss", text))
        .resolve_scale(y="independent")
        .add_params(
            parts.buttons("target", targets, "targets"),
            parts.slider("distance", distance, away, "distance of the one"),
        ),
        _words(costs, names, targets, distance),
        "loss against stated spread",
        height=300,
    )


def _picked(costs: pl.DataFrame) -> pl.DataFrame:
    """A line a loss and target: what a quarter of the true standard deviation costs, and four times it."""
    small, large = (costs.filter((pl.col("sd") - pick).abs() < 1e-9) for pick in _PICKS)
    key = ["loss", "target", "distance"]
    return small.select(*key, small="extra").join(
        large.select(*key, large="extra"), on=key, maintain_order="left"
    )


def _words(
    costs: pl.DataFrame, names: Sequence[str], targets: Sequence[str], distance: float
) -> str:
    said = []
    for target in targets:
        rows = _picked(costs).filter(target=target)
        rows = (
            rows
            if target == targets[0]
            else rows.filter((pl.col("distance") - distance).abs() < 1e-9)
        )
        each = [
            f"{row['loss']} {number(row['small'])} and {number(row['large'])}"
            for row in rows.iter_rows(named=True)
        ]
        said.append(
            f"{target}{'' if target == targets[0] else f' ({distance:g})'}: {', '.join(each)}"
        )
    return (
        f"Extra loss of stating another standard deviation than the true one, for {', '.join(names)}; buttons "
        "choose the targets, a slider the distance of a single one. At a quarter of the true one and at four "
        f"times it: {'; '.join(said)}."
    )
