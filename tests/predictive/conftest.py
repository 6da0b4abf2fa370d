"""Distributions of every kind, with parameters that differ in every case."""

import numpy as np
import pytest

from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Outputs,
    Point,
    Predictive,
    Quantiles,
    StudentT,
    StudentTMixture,
)
from benchbook.seeds import generator

CASES = 4


def _zoo() -> dict[str, Predictive]:
    rng = generator(1, "a distribution of every kind")
    location = rng.normal(3.0, 2.0, CASES)
    weight = rng.dirichlet(np.ones(5), CASES)
    return {
        "point": Point(location),
        "gaussian": Gaussian(location, rng.gamma(2.0, 1.0, CASES)),
        "student-t": StudentT(
            location, rng.gamma(2.0, 1.0, CASES), 8.0 + rng.gamma(2.0, 4.0, CASES)
        ),
        "mixture": Mixture(
            weight, 3 * rng.normal(size=(CASES, 5)), rng.gamma(1.0, 1.0, (CASES, 5))
        ),
        "student-t-mixture": StudentTMixture(
            weight,
            3 * rng.normal(size=(CASES, 5)),
            rng.gamma(2.0, 0.5, (CASES, 5)),
            8.0 + rng.gamma(2.0, 4.0, (CASES, 5)),
        ),
        "quantiles": Quantiles(
            [0.1, 0.3, 0.5, 0.95], np.cumsum(rng.gamma(2.0, 1.0, (CASES, 4)), axis=1) - 4.0
        ),
        "quantiles at levels of each case": Quantiles(
            np.sort(rng.random((CASES, 4)), axis=1),
            np.cumsum(rng.gamma(2.0, 1.0, (CASES, 4)), axis=1) - 4.0,
        ),
        "draws": Draws(rng.normal(size=(CASES, 7))),
        "categorical": Categorical(rng.dirichlet(np.ones(3), CASES)),
        "outputs": Outputs(rng.normal(size=(CASES, 3))),
    }


KINDS = tuple(_zoo())
REAL = tuple(kind for kind in KINDS if kind not in ("categorical", "outputs"))
CONTINUOUS = (
    "gaussian",
    "student-t",
    "mixture",
    "student-t-mixture",
    "quantiles",
    "quantiles at levels of each case",
)


@pytest.fixture
def zoo() -> dict[str, Predictive]:
    """One distribution of every kind, by kind."""
    return _zoo()


@pytest.fixture(params=KINDS)
def pred(request: pytest.FixtureRequest) -> Predictive:
    """A distribution of each kind in turn."""
    return _zoo()[request.param]


@pytest.fixture(params=REAL)
def real(request: pytest.FixtureRequest) -> Predictive:
    """A distribution of each kind of real targets in turn."""
    return _zoo()[request.param]


@pytest.fixture(params=CONTINUOUS)
def continuous(request: pytest.FixtureRequest) -> Predictive:
    """A distribution of each kind with a density in turn."""
    return _zoo()[request.param]
