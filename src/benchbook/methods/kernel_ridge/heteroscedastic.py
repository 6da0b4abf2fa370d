"""Leave-one-out heteroscedastic kernel ridge regression: mean and log variance, each by kernels, in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.methods.kernel_ridge.features import Features, outside
from benchbook.methods.kernel_ridge.spectrum import best_width
from benchbook.methods.kernel_ridge.weighted import (
    LogVariance,
    MeanFit,
    designed,
    log_variance,
    weighted_ridge,
)
from benchbook.methods.settings import setting

_LOWEST = 1e-12  # a squared residual counts at least this share of their mean
_FAILED = 1e10
_STEEP = 100.0  # a log variance is no farther from 0
_BLOCK = 4096
SHARES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
_REACH = 30.0  # of the logarithms of widths and penalties


@dataclass(frozen=True)
class Hyper:
    """Widths of the kernels of mean and log variance, and the penalties of their weights."""

    mean_width: float
    mean_penalty: float
    spread_width: float
    spread_penalty: float

    @property
    def logs(self) -> np.ndarray:
        return np.log([self.mean_width, self.mean_penalty, self.spread_width, self.spread_penalty])

    @classmethod
    def of_logs(cls, logs: np.ndarray) -> Hyper:
        return cls(*(float(value) for value in np.exp(logs)))


@dataclass(frozen=True)
class Heteroscedastic:
    """A fitted model: y ~ N(f(x), exp(c(x)) + u(x)), u how unsure f is.

    unreached: the share of u that the centres do not reach, 1 when all cases are centres. loss: the mean negative log
    density of each training case under the models fitted without it, in nats on the scale of the targets.
    """

    hyper: Hyper
    mean_features: Features
    spread_features: Features
    mean: MeanFit
    spread: LogVariance
    unreached: float
    loss: float

    @classmethod
    def fit(
        cls, hyper: Hyper, inputs: np.ndarray, targets: np.ndarray, centres: np.ndarray, turns: int
    ) -> Heteroscedastic:
        """Fit mean and log variance in turn, from a constant variance.

        The mean has the weights exp(-c_n), c_n the log variance that is said of case n when it is left out. The log
        variance is fitted to e_n^2 (1 - h_n), e_n the residuals that leaving out gives and h_n the leverages: under the
        model e_n has the variance exp(c_n) / (1 - h_n), while the residuals of the fit are too small. The original
        fits it to e_n^2, has weights of the fit, and leaves u out; these are ours.

        Args:
            inputs, targets: [N, d] and [N]. centres: [M, d] of the kernels. turns: how often each is fitted.
        """
        parts = Features.of(centres, hyper.mean_width), Features.of(centres, hyper.spread_width)
        seen, around = parts[0].at(inputs), designed(parts[1].at(inputs))
        middle, noise = designed(seen), np.full(len(targets), max(float(np.var(targets)), 1e-300))
        for _ in range(turns):
            mean = weighted_ridge(middle, targets, 1.0 / noise, hyper.mean_penalty)
            known = noise * mean.leverage / (1.0 - mean.leverage)
            powers = mean.residuals**2 * (1.0 - mean.leverage)
            spread = log_variance(
                around, np.maximum(powers, _LOWEST * powers.mean() + 1e-300), hyper.spread_penalty
            )
            noise = np.exp(spread.left_out)
        beyond = outside(seen) / hyper.mean_penalty
        shares = SHARES if beyond.any() else (1.0,)
        losses = [_loss(mean.residuals, noise + known + share * beyond) for share in shares]
        best = int(np.argmin(losses))
        return cls(hyper, *parts, mean, spread, shares[best], losses[best])

    def at(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """MeanFit and variance [A] at inputs [A, d]."""
        blocks = [
            self._block(inputs[start : start + _BLOCK]) for start in range(0, len(inputs), _BLOCK)
        ]
        mean, variance = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return mean, variance

    def _block(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        seen = self.mean_features.at(inputs)
        middle = designed(seen)
        log_variance = designed(self.spread_features.at(inputs)) @ self.spread.weights
        doubt = self.mean.doubt(middle) + self.unreached * outside(seen) / self.hyper.mean_penalty
        return middle @ self.mean.weights, np.exp(np.clip(log_variance, -_STEEP, _STEEP)) + doubt


def _loss(residuals: np.ndarray, variance: np.ndarray) -> float:
    return 0.5 * float(np.mean(np.log(2.0 * np.pi * variance) + residuals**2 / variance))


@dataclass(frozen=True)
class NoiseSearch:
    """The constants of the search, all ours.

    With a smaller penalty than ``least`` the log variance bends to single cases, which the leave-one-out loss does not
    see, as the weights know them all; the number comes from a look at gaze-sim, boston and concrete.
    """

    widths: tuple[float, ...] = setting(
        (0.35, 0.7, 1.4, 2.8, 5.6), "of both kernels, tried first, in units of sqrt(d)", above=0
    )
    penalties: tuple[float, ...] = setting(
        (2.0, 8.0, 32.0), "of the log variance, tried first", above=0
    )
    evaluations: int = setting(80, "of the leave-one-out loss after that", least=1)
    turns: int = setting(2, "alternations in an evaluation", least=1)
    least: float = setting(
        2.0,
        "the smallest penalty of the log variance; as a prior a standard deviation of 0.7 at "
        "every place",
        above=0,
    )
    widest: float = setting(8.0, "the greatest width, in units of sqrt(d)", above=0)


def search(inputs: np.ndarray, targets: np.ndarray, settings: NoiseSearch | None = None) -> Hyper:
    """The hyperparameters of least leave-one-out loss, by Nelder and Mead's simplex from the best of a few.

    All cases, inputs [N, d] and targets [N], are centres. The first mean is that of ``spectrum.best_width``; the first
    variance is the best of the widths and penalties tried on its residuals.
    """
    settings = settings or NoiseSearch()
    widths = np.sqrt(inputs.shape[1]) * np.array(settings.widths)
    first = best_width(inputs, targets, inputs, widths)
    powers = np.maximum(first.residuals**2 * (1.0 - first.leverage), _LOWEST * first.error + 1e-300)
    tried = []
    for width in widths:
        around = designed(Features.of(inputs, float(width)).at(inputs))
        for penalty in settings.penalties:
            left_out = log_variance(around, powers, penalty).left_out
            tried.append((_loss(np.sqrt(powers), np.exp(left_out)), float(width), penalty))
    start = Hyper(first.features.width, first.penalty / max(first.noise, 1e-300), *min(tried)[1:])

    def loss(logs: np.ndarray) -> float:
        try:
            value = Heteroscedastic.fit(
                Hyper.of_logs(logs), inputs, targets, inputs, settings.turns
            ).loss
        except np.linalg.LinAlgError:
            return _FAILED
        return value if np.isfinite(value) else _FAILED

    begin = np.clip(start.logs, 1.0 - _REACH, _REACH - 1.0)
    simplex = np.vstack([begin, begin + np.diag([0.5, 1.0, 0.5, 1.0])])
    width = (-_REACH, float(np.log(settings.widest * np.sqrt(inputs.shape[1]))))
    bounds = [width, (-_REACH, _REACH), width, (np.log(settings.least), _REACH)]
    optimum = scipy.optimize.minimize(
        loss,
        begin,
        method="Nelder-Mead",
        bounds=bounds,
        options={
            "maxfev": settings.evaluations,
            "initial_simplex": simplex,
            "xatol": 0.05,
            "fatol": 1e-4,
        },
    )
    return Hyper.of_logs(optimum.x)
