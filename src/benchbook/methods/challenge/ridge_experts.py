"""An expert for one cluster of cases: ridge regression on the inputs or their products too, robust to misreadings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchbook.methods.settings import setting
from benchbook.statistics import left_out


@dataclass(frozen=True)
class RidgeExpert:
    """The constants of an expert, all ours."""

    penalties: tuple[float, ...] = setting(
        (1e-6, 1e-4, 1e-2, 1.0, 10.0, 100.0), "of the weights, tried", least=0
    )
    products: float = setting(
        2.0,
        "squares and products of the inputs are tried too when the columns are so many "
        "times fewer than the cases",
        above=0,
    )
    most: int = setting(
        8000,
        "the most cases that an expert learns from; of more, so many at equally spaced places",
        least=2,
    )
    far: float = setting(
        5.0,
        "a case further off than so many standard deviations, as the median error gives them, "
        "counts as misread",
        above=0,
    )
    least: float = setting(
        1e-4, "the least of these standard deviations, the targets' being 1", above=0
    )
    share: float = setting(
        0.1, "when more of the cases than this would be misread, none is", least=0, most=1
    )
    rounds: int = setting(
        3, "fits, each without the cases that the one before found misread", least=1
    )


class Fit(NamedTuple):
    """A ridge regression of the targets on columns, both less their means, in the axes of the columns.

    error: mean squared error left out. columns, target: the means. axes [p, p], shrunk [p]: (X'X + penalty)^-1 is
    axes diag(shrunk) axes'. weights: [p]. residuals: of all cases, left out for those that it was fitted to.
    cases: how many those were.
    """

    error: float
    columns: np.ndarray
    target: float
    axes: np.ndarray
    shrunk: np.ndarray
    weights: np.ndarray
    residuals: np.ndarray
    cases: int

    def predict(self, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances [J] for columns [J, p]: error (1 + 1/n + x'(X'X + penalty)^-1 x)."""
        away = design - self.columns
        return self.target + away @ self.weights, self.error * (
            1.0 + 1.0 / self.cases + (away @ self.axes) ** 2 @ self.shrunk
        )


def ridge(
    design: np.ndarray, targets: np.ndarray, kept: np.ndarray, penalties: tuple[float, ...]
) -> Fit:
    """The ridge regression with the least mean squared error left out, of the penalties tried.

    The leverages of ``statistics.left_out`` are h_i = 1/n + x_i'(X'X + penalty)^-1 x_i.

    Args:
        design, targets: [N, p], [N].
        kept: [N] booleans, the cases fitted to.
    """
    columns, target = design[kept].mean(axis=0), float(targets[kept].mean())
    own, wanted, cases = design[kept] - columns, targets[kept] - target, int(kept.sum())
    sizes, axes = np.linalg.eigh(own.T @ own)
    turned = own @ axes
    projected, squares = turned.T @ wanted, turned**2
    best: Fit | None = None
    for penalty in penalties:
        shrunk = 1.0 / (np.maximum(sizes, 0.0) + penalty)
        out = left_out(
            wanted - turned @ (shrunk * projected), 1.0 - 1.0 / cases - squares @ shrunk, 1e-6
        )
        error = float(np.mean(out**2))
        if best is None or error < best.error:
            weights = axes @ (shrunk * projected)
            residuals = targets - target - (design - columns) @ weights
            residuals[kept] = out
            best = Fit(error, columns, target, axes, shrunk, weights, residuals, cases)
    assert best is not None
    return best


def expanded(inputs: np.ndarray, products: bool = True) -> np.ndarray:
    """The inputs [N, d] and, if wanted, their squares and products, [N, d (d + 3) / 2]."""
    if not products:
        return inputs
    first, second = np.triu_indices(inputs.shape[1])
    return np.hstack([inputs, inputs[:, first] * inputs[:, second]])


class Parts(NamedTuple):
    """Two Gaussians for each case, [J, 2] each: what the regression says, and the cluster as a whole."""

    weight: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


@dataclass(frozen=True)
class Expert:
    """A regression fitted to a cluster, its centre and unit of the inputs, mean and variance of the targets, how many
    cases there were, and how many counted as misread."""

    fit: Fit
    products: bool
    centre: np.ndarray
    unit: np.ndarray
    whole: tuple[float, float]
    cases: int
    misread: int

    def parts(self, queries: np.ndarray) -> Parts:
        """What the expert answers for inputs [J, d].

        The share of the cluster as a whole is (misread + 1) / (cases + 2).
        """
        mean, variance = self.fit.predict(
            expanded((queries - self.centre) / self.unit, self.products)
        )
        share = (self.misread + 1.0) / (self.cases + 2.0)
        both = [
            np.column_stack([first, np.full(len(mean), second)])
            for first, second in (
                (np.full(len(mean), 1.0 - share), share),
                (mean, self.whole[0]),
                (variance, self.whole[1]),
            )
        ]
        return Parts(*both)


def train(inputs: np.ndarray, targets: np.ndarray, settings: RidgeExpert) -> Expert:
    """An expert for a cluster of inputs [n, d] and targets [n].

    1. Fit the ridge regression with the least error left out, among linear and quadratic ones.
    2. Leave out the cases that are misread, and fit again.
    """
    if len(targets) > settings.most:
        places = np.linspace(0, len(targets) - 1, settings.most).round().astype(int)
        inputs, targets = inputs[places], targets[places]
    centre, spread = inputs.mean(axis=0), inputs.std(axis=0)
    unit = np.where(spread > 1e-12, spread, np.inf)
    standard = (inputs - centre) / unit
    retained = np.ones(len(targets), dtype=bool)
    d = inputs.shape[1]
    kinds = (False, True) if settings.products * d * (d + 3) / 2 <= len(targets) else (False,)
    designs = [expanded(standard, products) for products in kinds]
    for _ in range(settings.rounds):
        fits = [ridge(design, targets, retained, settings.penalties) for design in designs]
        chosen = int(np.argmin([fit.error for fit in fits]))
        typical = max(
            1.4826 * float(np.median(np.abs(fits[chosen].residuals[retained]))), settings.least
        )
        good = np.abs(fits[chosen].residuals) <= settings.far * typical
        if np.mean(~good) > settings.share or np.array_equal(good, retained):
            break
        retained = good
    left = len(targets) - fits[chosen].cases
    whole = (float(targets.mean()), max(float(targets.var()), settings.least**2))
    return Expert(fits[chosen], kinds[chosen], centre, unit, whole, len(targets), left)
