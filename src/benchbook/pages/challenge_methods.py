"""What the chapter on the challenge's methods shows: six of them on cases whose noise grows, and a committee's members.

The cases have one input, so that a prediction can be drawn, and a law that is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from benchbook import methods, tasks
from benchbook.predictive import Mixture
from benchbook.predictive.checks import FloatArray
from benchbook.seeds import generator
from benchbook.tasks import Coding, Encoding, Fitted, Scorer, TaskInstance

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
        return TaskInstance("toy/growing-noise/std.0", 0, "real", (), self.x[:, None], self.y, self.grid[:, None],
                            np.arange(len(self.grid)), encoding.groups(), encoding, "")


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
        line = {"x": one.grid, "middle": said.median(), "true_low": mean - _GAUSS[0.9] * sd,
                "true_high": mean + _GAUSS[0.9] * sd}
        for band in BANDS:
            line[f"low_{100 * band:.0f}"], line[f"high_{100 * band:.0f}"] = said.interval(band)
        lines.append(pl.DataFrame(line).with_columns(method=pl.lit(name)))
    return pl.concat(lines)


def held(table: pl.DataFrame) -> pl.DataFrame:
    """How well the bands fit: method, coverage (expected share of targets in the 90 % band, over the grid), its least
    value at any input, and the width of the band as a multiple of the law's, in the first and the last tenth."""
    from scipy import special

    lines = []
    for name in dict.fromkeys(table["method"]):
        one = table.filter(method=name)
        mean, sd = law(one["x"].to_numpy())
        inside = (special.ndtr((one["high_90"].to_numpy() - mean) / sd)
                  - special.ndtr((one["low_90"].to_numpy() - mean) / sd))
        ratio = ((one["high_90"] - one["low_90"]) / (one["true_high"] - one["true_low"])).to_numpy()
        tenth = max(1, len(ratio) // 10)
        lines.append({"method": name, "coverage": float(inside.mean()), "least": float(inside.min()),
                      "width_where_quiet": float(ratio[:tenth].mean()),
                      "width_where_noisy": float(ratio[-tenth:].mean())})
    return pl.DataFrame(lines)


def members(task: str, name: str, seed: int, codes: Sequence[str] = ("NLPD", "CRPS")) -> pl.DataFrame:
    """Mean losses of a committee that answers with a mixture, of each of its members alone, and of growing committees.

    The members of ``mlp-committee-1`` and ``mdn-1`` are the equal parts of its mixture before the last Gaussian, which
    is that of all targets; each member alone gets that Gaussian with the same weight, as the committee does.

    Args:
        task: a challenge task. name: of the method. codes: losses, on the original scale.

    Returns:
        Columns size (members together), first (of them, from 0), loss, value. The committee of size k is that of the
        first k members; of size 1 there is a line for each member.
    """
    instance, scorer = tasks.instance(task, 0), Scorer(task, 0)
    said, told = methods.answer(methods.get(name), instance, generator(seed, name, task, 0))
    whole = instance.decode(said)
    assert isinstance(whole, Mixture)
    count = int(told["networks"])
    groups = [(size, first) for size in range(1, count + 1) for first in (range(count) if size == 1 else (0,))]
    lines = []
    for size, first in groups:
        found = scorer.losses(_part(whole, first, size, count), codes)
        lines += [{"size": size, "first": first, "loss": code, "value": float(found[code].mean())} for code in codes]
    return pl.DataFrame(lines)


def _part(whole: Mixture, first: int, size: int, count: int) -> Mixture:
    """The mixture of ``size`` members from ``first`` on, with the weight of the last Gaussian left as it is."""
    weight = np.broadcast_to(whole.weight, whole.component_mean.shape).copy()
    each = (weight.shape[1] - 1) // count
    chosen = np.zeros(weight.shape[1], dtype=np.bool_)
    chosen[first * each:(first + size) * each] = True
    weight[:, :-1] = np.where(chosen[:-1], weight[:, :-1] * (count / size), 0.0)
    chosen[-1] = True
    weight = weight[:, chosen]
    weight /= weight.sum(axis=1, keepdims=True)
    variance = np.broadcast_to(whole.component_variance, whole.component_mean.shape)
    return Mixture(weight, whole.component_mean[:, chosen], variance[:, chosen])


def _plain(name: str) -> Fitted:
    return Fitted(Coding(name, "real", "copy", {}, ()), (name,))
