"""The doubt that a fitted estimator states of itself, read as a predictive distribution.

Libraries say it in different ways; these are understood, the first that there is:

1. ``predict_dist(X)`` or ``pred_dist(X)`` (NGBoost): a distribution, or a tuple of mean and variance.
2. ``predict(X, return_std=True)`` (scikit-learn): mean and standard deviation, as a Gaussian; zeros
   for all cases, as of a ``DummyRegressor``, state nothing.
3. ``sample(X, n)``: n draws a case, ``random_state``, ``seed`` or ``rng`` from the run where it has such a parameter.
4. ``predict(X)``, or a call of a torch module, that returns mean and variance, [J, M] draws, or a distribution.

A pipeline is asked through its last step, a search through its best estimator. What is stated is taken at its word: the
deviation of scikit-learn's Gaussian process, for example, is of the function, and of the targets only with a
``WhiteKernel``. Variances are held away from zero as in ``methods.shared.variance_floor``, and quantiles apart as in
``methods.shared.quantile_gaps``.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.methods.shared.quantile_gaps import finest, set_apart
from benchbook.methods.shared.variance_floor import least_variance
from benchbook.predictive import Draws, Gaussian, Predictive, Quantiles

DRAWS = 200
LEVELS = np.arange(1, 40) / 40
_SEEDS = ("random_state", "seed", "rng")
_LARGEST_SEED = 2**31


def stated(
    fitted: object, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator
) -> Predictive | None:
    """What a fitted estimator says of J cases, with its doubt; None when it gives one number a case and no more.

    Args:
        fitted: the estimator.
        inputs: [J, d].
        targets: its training targets, [N], on the encoded scale.
        rng: seeds what is sampled.

    Raises:
        BenchbookError: it says something of another shape.
        FaultyInput: it says what is no distribution, such as NaN or a negative variance.
    """
    last, seen = _last(fitted, inputs)
    for name in ("predict_dist", "pred_dist"):
        if callable(getattr(last, name, None)):
            return _read(getattr(last, name)(seen), len(inputs), targets, f"{_kind(last)}.{name}")
    if "return_std" in _parameters(getattr(last, "predict", None)):
        mean, deviation = last.predict(seen, return_std=True)
        if np.any(as_numbers(deviation)):
            return _gaussian(mean, as_numbers(deviation) ** 2, targets)
    if (draws := _sampled(last, seen, rng)) is not None:
        return draws
    return _read(_answered(fitted, inputs), len(inputs), targets, f"{_kind(fitted)}.predict")


def guess(fitted: object, inputs: np.ndarray) -> np.ndarray:
    """One number a case, [J], of a fitted estimator: what it predicts, or the mean of it."""
    predicted = _answered(fitted, inputs)
    if isinstance(predicted, tuple):
        return as_numbers(predicted[0]).reshape(-1)
    if isinstance(predicted, Predictive) or hasattr(predicted, "ppf"):
        return as_numbers(predicted.mean()).reshape(-1)
    value = as_numbers(predicted)
    return value.reshape(len(inputs), -1).mean(axis=1)


def _last(fitted: Any, inputs: np.ndarray) -> tuple[Any, np.ndarray]:
    """The estimator within a search or a pipeline that predicts, and the inputs as it sees them."""
    if hasattr(fitted, "best_estimator_"):
        return _last(fitted.best_estimator_, inputs)
    if hasattr(fitted, "steps") and hasattr(fitted, "named_steps"):
        return _last(
            fitted.steps[-1][1], fitted[:-1].transform(inputs) if len(fitted.steps) > 1 else inputs
        )
    return fitted, inputs


def _answered(fitted: Any, inputs: np.ndarray) -> Any:
    """What ``predict`` returns, or, of a module without it, the module itself."""
    if callable(getattr(fitted, "eval", None)):
        fitted.eval()
    if callable(getattr(fitted, "predict", None)):
        return fitted.predict(inputs)
    if not callable(fitted):
        raise BenchbookError(f"{_kind(fitted)} has no predict(inputs), and cannot be called")
    torch = sys.modules.get("torch")
    return fitted(inputs if torch is None else torch.as_tensor(inputs, dtype=torch.float32))


def _sampled(last: Any, inputs: np.ndarray, rng: np.random.Generator) -> Predictive | None:
    """Draws by ``sample(X, n)``; None when there is no such method of cases."""
    sample = getattr(last, "sample", None)
    names = _parameters(sample)
    if len(names) < 2 or names[0].startswith("n"):
        return None
    seeds = {
        name: rng if name == "rng" else int(rng.integers(_LARGEST_SEED))
        for name in names
        if name in _SEEDS
    }
    assert sample is not None
    return _drawn(as_numbers(sample(inputs, DRAWS, **seeds)), len(inputs), f"{_kind(last)}.sample")


def _read(said: object, cases: int, targets: np.ndarray, where: str) -> Predictive | None:
    """A predictive distribution of whatever was returned; None for one number a case."""
    if isinstance(said, Predictive):
        return said
    if isinstance(said, tuple):
        if len(said) != 2:
            raise BenchbookError(
                f"{where} returned {len(said)} things; return (mean, variance), each a number a case"
            )
        return _gaussian(*said, targets)
    if hasattr(said, "ppf"):
        return _by_quantiles(said, targets)
    if (
        hasattr(said, "variance") and hasattr(said, "mean") and hasattr(said, "sample")
    ):  # as torch's distributions
        if type(said).__name__ == "Normal":
            return _gaussian(said.mean, said.variance, targets)
        return _drawn(as_numbers(said.sample((DRAWS,))).reshape(DRAWS, -1).T, cases, where)
    value = as_numbers(said)
    if value.shape in ((cases,), (cases, 1)):
        return None
    return _drawn(value, cases, where)


def _gaussian(mean: ArrayLike, variance: ArrayLike, targets: np.ndarray) -> Predictive:
    spread = as_numbers(variance).reshape(-1)
    least = least_variance(targets) if np.ptp(targets) > 0 else np.finfo(float).tiny
    return Gaussian(
        as_numbers(mean).reshape(-1), np.where(spread >= 0, np.maximum(spread, least), spread)
    )


def _by_quantiles(said: Any, targets: np.ndarray) -> Predictive:
    """A distribution with a quantile function: a Gaussian when its quantiles are a Gaussian's, else quantiles."""
    value = np.column_stack([as_numbers(said.ppf(level)).reshape(-1) for level in LEVELS])
    middle = value[:, len(LEVELS) // 2]
    normal_levels = scipy.special.ndtri(LEVELS)
    deviation = (value[:, -1] - middle) / normal_levels[-1]
    normal = middle[:, None] + deviation[:, None] * normal_levels
    if np.allclose(
        value, normal, rtol=0, atol=1e-6 * float(np.max(np.abs(deviation), initial=0.0))
    ):
        return _gaussian(middle, deviation**2, targets)
    return Quantiles(LEVELS, set_apart(value, np.diff(LEVELS) * finest(targets)))


def _drawn(value: np.ndarray, cases: int, where: str) -> Predictive:
    if value.ndim == 2 and value.shape[0] != cases and value.shape[1] == cases:
        value = value.T
    if value.ndim != 2 or len(value) != cases:
        raise BenchbookError(
            f"{where} returned numbers of shape {value.shape} for {cases} cases; return a number a "
            f"case, (mean, variance), or draws of shape ({cases}, M)"
        )
    return Draws(value)


def as_numbers(value: object) -> np.ndarray:
    """An array of floats, also of a tensor that has gradients or is on another device; NaN where a mask is."""
    if isinstance(value, np.ma.MaskedArray):
        return np.ma.filled(value.astype(np.float64), np.nan)
    if callable(value):
        value = value()
    for step in ("detach", "cpu", "numpy"):
        if hasattr(value, step):
            value = getattr(value, step)()
    return np.asarray(value, dtype=np.float64)


def _parameters(function: object) -> list[str]:
    try:
        return list(inspect.signature(function).parameters) if callable(function) else []
    except (TypeError, ValueError):
        return []


def _kind(thing: object) -> str:
    return type(thing).__name__
