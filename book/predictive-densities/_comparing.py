"""Four quick models of one material, pair by pair, and the charts of the comparison."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from _expected_utility import Material, curved, left_out, straight

from benchbook.assess.densities import Pairwise
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS
from benchbook.predictive import StudentT
from benchbook.predictive.checks import FloatArray


def _squares(inputs: FloatArray) -> FloatArray:
    first = straight(inputs)
    return np.column_stack([first, first[:, 1:] ** 2])


def _cubes(inputs: FloatArray) -> FloatArray:
    first = straight(inputs)
    return np.column_stack([curved(inputs), first[:, 1:] ** 3])


MODELS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "straight": straight,
    "squares": _squares,
    "squares, products": curved,
    "and cubes": _cubes,
}


def predictions(data: Material) -> dict[str, StudentT]:
    """Each case predicted without itself, by four conjugate models."""
    return {name: left_out(of, data)[0] for name, of in MODELS.items()}


def equivalence(pairs: Pairwise, widths: Sequence[float]) -> pl.DataFrame:
    """What can be said of every pair for every width of a difference that does not matter.

    Returns:
        ``pair`` ("first and second"), ``width``, ``verdict`` ("first better", "no matter", "second better") and its
        ``probability``; the three add to 1.
    """
    lines = []
    for place, first in enumerate(pairs.names):
        for second in pairs.names[place + 1 :]:
            replicates = pairs.difference(first, second).difference.replicates
            worse = replicates if pairs.orientation == "smaller is better" else -replicates
            for width in widths:
                shares = {
                    "first better": np.mean(worse < -width),
                    "no matter": np.mean(np.abs(worse) <= width),
                    "second better": np.mean(worse > width),
                }
                lines += [
                    {
                        "pair": f"{first} / {second}",
                        "width": float(width),
                        "verdict": verdict,
                        "probability": float(share),
                    }
                    for verdict, share in shares.items()
                ]
    return pl.DataFrame(lines)


VERDICTS = ("first better", "no matter", "second better")


def pairwise_matrix(table: pl.DataFrame) -> Any:
    """A cell for each pair: the probability that the model of the line is better than that of the column.

    Args:
        table: ``model``, and a column for each model, as ``Pairwise.table`` gives it; null on the diagonal.
    """
    names = table["model"].to_list()
    long = table.unpivot(
        names, index="model", variable_name="other", value_name="probability"
    ).drop_nulls()
    base = alt.Chart(parts.data(parts.rows(long))).encode(
        x=alt.X(
            "other:N",
            title="than",
            sort=names,
            axis=alt.Axis(
                orient="top", labelAngle=25, grid=False, domain=False, ticks=False, labelLimit=150
            ),
        ),
        y=alt.Y(
            "model:N",
            title=None,
            sort=names,
            axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=170),
        ),
    )
    cells = (
        base.mark_rect()
        .encode(
            color=alt.condition(
                "datum.probability >= 0.5", alt.value(COLOURS[0]), alt.value(COLOURS[1])
            ),
            opacity=alt.Opacity(
                "strength:Q", legend=None, scale=alt.Scale(domain=[0, 0.5], range=[0.04, 0.55])
            ),
            tooltip=[
                alt.Tooltip("model:N"),
                alt.Tooltip("other:N", title="than"),
                alt.Tooltip("probability:Q", format=".3f"),
            ],
        )
        .transform_calculate(strength="abs(datum.probability - 0.5)")
    )
    text = base.mark_text(fontSize=12).encode(text=alt.Text("probability:Q", format=".2f"))
    said = "; ".join(
        f"{row['model']} than {row['other']} {row['probability']:.2f}"
        for row in long.iter_rows(named=True)
    )
    return parts.finish(
        alt.layer(cells, text),
        f"Probability that the model of the line is better than that of the column. {said}.",
        "pairwise comparison",
        height=46 * len(names),
    )


def practical_equivalence(shares: pl.DataFrame, unit: str, width: float) -> Any:
    """A bar for each pair, parted by what can be said of it; a slider sets the difference that does not matter.

    Args:
        shares: ``pair``, ``width`` (equally spaced), ``verdict``, ``probability``.
        unit: of the width.
        width: where the slider stands at first.

    Raises:
        FaultyInput: a width that is not in it.
    """
    widths = shares["width"].unique().sort().to_list()
    pairs = parts.names(shares, "pair")
    table = shares.with_columns(
        order=pl.col("verdict").replace_strict(dict(zip(VERDICTS, range(3), strict=True)))
    )
    colours = [COLOURS[0], COLOURS[5], COLOURS[1]]
    bars = (
        alt.Chart(parts.data(parts.rows(table)))
        .transform_filter("abs(datum.width - negligible) < 1e-9")
        .mark_bar(opacity=0.85)
        .encode(
            x=alt.X(
                "probability:Q",
                title="probability",
                scale=alt.Scale(domain=[0, 1], nice=False),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=alt.Y(
                "pair:N",
                title=None,
                sort=pairs,
                axis=alt.Axis(grid=False, domain=False, ticks=False, labelLimit=230),
            ),
            color=alt.Color(
                "verdict:N", title=None, scale=alt.Scale(domain=list(VERDICTS), range=colours)
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                alt.Tooltip("pair:N"),
                alt.Tooltip("verdict:N"),
                alt.Tooltip("probability:Q", format=".3f"),
            ],
        )
    )
    said = parts.told(
        shares.filter(pl.col("width") == width),
        "pair",
        pairs,
        lambda row: f"{row['verdict']} {row['probability']:.2f}",
    )
    return parts.finish(
        bars.add_params(parts.slider("negligible", width, widths, f"does not matter ({unit})")),
        f"When differences up to {width:g} {unit} do not matter. {said}.",
        "practical equivalence",
        height=30 * len(pairs),
    )
