"""Cases of one input whose law is known and whose noise grows, and what the challenge's methods answer on them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl

from benchbook import methods
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance
from benchbook.words import number

_LAYOUT = {"least": 150, "most": 300, "gap": 18, "margin": 60}
BANDS = (0.5, 0.9)
_GAUSS = {0.5: 0.6744897501960817, 0.9: 1.6448536269514722}


class Toy(NamedTuple):
    """Cases of one input: x [N] and y [N] to learn from, and a grid [G] to predict on."""

    x: FloatArray
    y: FloatArray
    grid: FloatArray

    @property
    def instance(self) -> TaskInstance:
        """What a method is given: the cases as they are, and the grid as test inputs."""
        encoding = Encoding((_plain("x"),), _plain("y"))
        return TaskInstance(
            "toy/growing-noise/std.0",
            0,
            "real",
            (),
            self.x[:, None],
            self.y,
            self.grid[:, None],
            np.arange(len(self.grid)),
            encoding.groups(),
            encoding,
            "",
        )


def law(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean and the standard deviation of the target at inputs [N] from 0 to 1."""
    return np.sin(2 * np.pi * x) + x, 0.05 + 0.7 * x**2


def toy(cases: int, rng: np.random.Generator, points: int = 81) -> Toy:
    """Cases drawn from ``law`` at uniform inputs, none of them between 0.45 and 0.6, and a grid over all inputs."""
    x = rng.random(cases)
    x = np.where((x > 0.45) & (x < 0.6), x / 2, x)
    mean, sd = law(x)
    return Toy(x, mean + sd * rng.normal(size=cases), np.linspace(0.0, 1.0, points))


def bands(one: Toy, names: Sequence[str], seed: int) -> pl.DataFrame:
    """What methods answer on the grid: method, x, middle (the median), low and high of each band, true_low, true_high.

    The columns are ``low_50``, ``high_50``, ``low_90`` and ``high_90``; ``true_`` is the law's own 90 % interval.
    """
    mean, sd = law(one.grid)
    lines = []
    for name in names:
        said, _ = methods.answer(methods.get(name), one.instance, generator(seed, name, "toy"))
        line = {
            "x": one.grid,
            "middle": said.median(),
            "true_low": mean - _GAUSS[0.9] * sd,
            "true_high": mean + _GAUSS[0.9] * sd,
        }
        for band in BANDS:
            line[f"low_{100 * band:.0f}"], line[f"high_{100 * band:.0f}"] = said.interval(band)
        lines.append(pl.DataFrame(line).with_columns(method=pl.lit(name)))
    return pl.concat(lines)


def _plain(name: str) -> Fitted:
    return Fitted(Coding(name, "real", "copy", {}, ()), (name,))


def band_panels(bands: pl.DataFrame, cases: pl.DataFrame) -> Any:
    """A panel for each method: the cases, the median, the bands of 50 and 90 %, and the law's own 90 % interval dashed.

    Args:
        bands: method, x, middle, low_50, high_50, low_90, high_90, true_low, true_high.
        cases: x and y.
    """
    names = parts.names(bands, "method")
    reach = [float(str(cases["y"].min())) - 0.6, float(str(cases["y"].max())) + 0.6]
    every = pl.concat([cases.select("x", "y").with_columns(method=pl.lit(name)) for name in names])
    both = pl.concat(
        [bands.with_columns(_row=pl.lit("band")), every.with_columns(_row=pl.lit("case"))],
        how="diagonal",
    )
    x = alt.X(
        "x:Q",
        title="input",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(grid=False, values=[0, 0.5, 1]),
    )
    scale = alt.Scale(domain=reach, nice=False)
    band = alt.Chart().transform_filter("datum._row === 'band'")
    areas = [
        band.mark_area(color=COLOURS[0], opacity=shade, clip=True).encode(
            x=x,
            y=alt.Y(
                f"low_{part}:Q", title="target", scale=scale, axis=alt.Axis(grid=False, tickCount=4)
            ),
            y2=f"high_{part}",
        )
        for part, shade in ((90, 0.3), (50, 0.4))
    ]
    edges = [
        band.mark_line(color=COLOURS[1], strokeDash=[5, 3], strokeWidth=1.4, clip=True).encode(
            x=x, y=alt.Y(f"{name}:Q", scale=scale)
        )
        for name in ("true_low", "true_high")
    ]
    middle = band.mark_line(color=INK, strokeWidth=1.6, clip=True).encode(
        x=x, y=alt.Y("middle:Q", scale=scale)
    )
    dots = (
        alt.Chart()
        .transform_filter("datum._row === 'case'")
        .mark_point(filled=True, size=9, color=INK, opacity=0.45, clip=True)
        .encode(x=x, y=alt.Y("y:Q", scale=scale))
    )
    layers = alt.layer(*areas, dots, *edges, middle, data=parts.data(parts.rows(both))).properties(
        width=200, height=150
    )
    chart = parts.panels(layers, "method", names, 3, {"row": 18, "column": 16})
    return parts.finish(
        chart,
        _band_words(bands, names),
        "bands of six methods",
        layout={"count": len(names)} | _LAYOUT,
    )


def _band_words(bands: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        one = bands.filter(method=name).sort("x")
        ratio = (one["high_90"] - one["low_90"]) / (one["true_high"] - one["true_low"])
        said.append(f"{name} {number(ratio[0])} at the left and {number(ratio[-1])} at the right")
    return (
        "Predictive bands of methods on cases whose noise grows with the input. Widths of the 90 % bands, as "
        f"multiples of the law's own: {', '.join(said)}."
    )
