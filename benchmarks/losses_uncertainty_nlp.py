"""Negative log probability of two classes, 10 million cases: ours case by case, numpy, scikit-learn's mean."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

CASES = 10_000_000

NAME = f"negative log probability of two classes, {CASES:,} cases"
GOALS = {"scikit-learn": 40.0, "limit": 0.5}


@lru_cache(1)
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, classes, and room for the losses."""
    rng = np.random.default_rng(1)
    return 0.01 + 0.98 * rng.random(CASES), rng.integers(0, 2, CASES).astype(np.int8), np.empty(CASES)


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each returns the mean."""
    return {"benchbook": _ours, "numpy": _numpy, "scikit-learn": _sklearn, "limit": _limit}


def check(results: dict[str, object]) -> None:
    """All agree but the limit, which computes something else."""
    for name, found in results.items():
        if name != "limit":
            np.testing.assert_allclose(np.asarray(found), np.asarray(results["numpy"]), rtol=1e-10, err_msg=name)


def _ours() -> object:
    from benchbook.losses import arrays

    return arrays.two_class_nlp(*data()).mean()


def _numpy() -> object:
    probability, positive, _ = data()
    return -np.log(np.where(positive, probability, 1 - probability)).mean()


def _sklearn() -> object:
    from sklearn.metrics import log_loss

    probability, positive, _ = data()
    return log_loss(positive, probability)


def _limit() -> object:
    """The memory alone: read both, write the losses, and sum them."""
    probability, positive, out = data()
    return np.multiply(probability, positive, out=out).mean()
