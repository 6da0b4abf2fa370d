"""Negative log probability of two classes, 10 million cases: ours case by case, numpy, scikit-learn's mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

NAME = "negative log probability of two classes, 10,000,000 cases"
GOALS = {"scikit-learn": 40.0, "limit": 0.5}
SMALLEST = {"cases": 50}


def build(cases: int = 10_000_000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the mean, and is given probabilities, classes, and room for losses."""
    rng = np.random.default_rng(1)
    arrays = (
        0.01 + 0.98 * rng.random(cases),
        rng.integers(0, 2, cases).astype(np.int8),
        np.empty(cases),
    )
    contenders = {"benchbook": _ours, "numpy": _numpy, "scikit-learn": _sklearn, "limit": _limit}
    return {name: partial(call, *arrays) for name, call in contenders.items()}


def check(results: dict[str, object]) -> None:
    """All agree but the limit, which computes something else."""
    for name, found in results.items():
        if name != "limit":
            np.testing.assert_allclose(
                np.asarray(found), np.asarray(results["numpy"]), rtol=1e-10, err_msg=name
            )


def _ours(probability: np.ndarray, positive: np.ndarray, out: np.ndarray) -> object:
    from benchbook.losses import arrays

    return arrays.two_class_nlp(probability, positive, out).mean()


def _numpy(probability: np.ndarray, positive: np.ndarray, _: np.ndarray) -> object:
    return -np.log(np.where(positive, probability, 1 - probability)).mean()


def _sklearn(probability: np.ndarray, positive: np.ndarray, _: np.ndarray) -> object:
    from sklearn.metrics import log_loss

    return log_loss(positive, probability)


def _limit(probability: np.ndarray, positive: np.ndarray, out: np.ndarray) -> object:
    """The memory alone: read both, write the losses, and sum them."""
    return np.multiply(probability, positive, out=out).mean()
