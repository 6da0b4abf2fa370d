"""Leave-one-out heteroscedastic kernel ridge regression: mean and log variance, each by kernels, in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.methods.kernel_ridge.features import Features, outside
from benchbook.methods.kernel_ridge.spectrum import best_width
from benchbook.methods.settings import setting
from benchbook.statistics import left_out

_TINY = 1e-12
_FARTHEST = 40.0  # a log variance is no farther from that of all cases together
_ROOM = 1e-10  # added to the diagonal of what is factorised, in shares of its largest element


@dataclass(frozen=True)
class MeanFit:
    """weights [r + 1], the intercept first; residuals [N], of each case under the fit without it; leverage [N]; factor
    [r + 1, r + 1], the Cholesky factor of what was solved with."""

    weights: np.ndarray
    residuals: np.ndarray
    leverage: np.ndarray
    factor: np.ndarray

    def doubt(self, design: np.ndarray) -> np.ndarray:
        """x'(L L')^-1 x for each row of a design, the variance of f there when 1 / weight is that of the noise."""
        return _lengths(self.factor, design)


@dataclass(frozen=True)
class LogVariance:
    """weights [r + 1], the intercept first; left_out [N], what the fit to all cases but n says of case n."""

    weights: np.ndarray
    left_out: np.ndarray


def designed(features: np.ndarray) -> np.ndarray:
    """Features [N, r] with a column of ones before them, [N, r + 1]."""
    return np.hstack([np.ones((len(features), 1)), features])


def _factor(design: np.ndarray, weight: np.ndarray, penalty: float) -> np.ndarray:
    """The Cholesky factor L [r + 1, r + 1] of X'diag(weight)X + penalty, the intercept not penalised."""
    root = np.sqrt(weight)
    matrix = scipy.linalg.blas.dsyrk(1.0, (design * root[:, None]).T, lower=1)
    added = np.full(len(matrix), penalty + _ROOM * matrix.diagonal().max() + 1e-300)
    added[0] -= penalty
    matrix[np.diag_indices(len(matrix))] += added
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("the weighted products of the features have no Cholesky factor")
    return factor


def _lengths(factor: np.ndarray, design: np.ndarray) -> np.ndarray:
    """x_n'(L L')^-1 x_n for every case, [N]."""
    solved = scipy.linalg.blas.dtrsm(1.0, factor, design.T, lower=1)
    return np.einsum("rn,rn->n", solved, solved)


def weighted_ridge(
    design: np.ndarray, targets: np.ndarray, weight: np.ndarray, penalty: float
) -> MeanFit:
    """The f = X w with the least 1/2 sum_n weight_n (y_n - f_n)^2 + penalty/2 |w|^2, the intercept not penalised.

    The leverage of ``statistics.left_out`` is h_n = weight_n x_n'(X'diag(weight)X + penalty)^-1 x_n (Cawley, Talbot and
    Chapelle, Heteroscedastic kernel regression methods, 2006).

    Args:
        design: X [N, r + 1], of ``designed``. targets, weight: [N].
    """
    factor = _factor(design, weight, penalty)
    weights = scipy.linalg.lapack.dpotrs(factor, design.T @ (weight * targets), lower=1)[0]
    leverage = np.minimum(weight * _lengths(factor, design), 1.0 - _TINY)
    return MeanFit(weights, left_out(targets - design @ weights, 1.0 - leverage), leverage, factor)


def log_variance(design: np.ndarray, squares: np.ndarray, penalty: float) -> LogVariance:
    """The c = X v with the least 1/2 sum_n (c_n + e_n^2 exp(-c_n)) + penalty/2 |v|^2: Gaussian likelihood of the e_n.

    It is convex; minimised by L-BFGS in coordinates in which its expected curvature is the identity. What is said of a
    case left out is one Newton step away,

        c_n + g_n h_n / (1 - u_n h_n),    g_n = 1/2 (1 - e_n^2 exp(-c_n)),    u_n = 1/2 e_n^2 exp(-c_n),

    h_n = x_n'H^-1 x_n, H = X'diag(u)X + penalty: near, not exact, as this is no sum of squares.

    Args:
        design: X [N, r + 1], of ``designed``. squares: e_n^2 [N], positive.
    """
    cases = len(squares)
    factor = _factor(design, np.full(cases, 0.5), penalty)
    start = np.zeros(design.shape[1])
    start[0] = np.log(squares.mean())
    low, high = start[0] - _FARTHEST, start[0] + _FARTHEST

    def height(u: np.ndarray) -> tuple[float, np.ndarray]:
        v = start + scipy.linalg.solve_triangular(factor, u, lower=True, trans=1)
        c = design @ v
        ratio = squares * np.exp(-np.clip(c, low, high))
        slope = 0.5 * (design.T @ (1.0 - ratio))
        slope[1:] += penalty * v[1:]
        value = 0.5 * float(np.sum(c + ratio)) + 0.5 * penalty * float(v[1:] @ v[1:])
        return value / cases, scipy.linalg.solve_triangular(factor, slope, lower=True) / cases

    optimum = scipy.optimize.minimize(
        height,
        np.zeros(len(start)),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 100, "gtol": 1e-6, "ftol": 1e-10},
    )
    weights = start + scipy.linalg.solve_triangular(factor, optimum.x, lower=True, trans=1)
    fitted = np.clip(design @ weights, low, high)
    share = 0.5 * squares * np.exp(-fitted)
    reach = _lengths(_factor(design, share, penalty), design)
    step = (0.5 - share) * reach / np.maximum(1.0 - share * reach, _TINY)
    return LogVariance(weights, np.clip(fitted + step, low, high))


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
