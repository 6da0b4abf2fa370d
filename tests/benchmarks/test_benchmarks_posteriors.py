"""The bench of posteriors: exact values are right, and importance sampling comes near where it is trusted."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

PATH = Path(__file__).parents[2] / "benchmarks" / "posteriors" / "__main__.py"
SPEC = importlib.util.spec_from_file_location("benchmarks_posteriors", PATH)
BENCH = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BENCH)


@pytest.mark.parametrize("name", BENCH.WORLDS)
def test_weights_come_near_the_exact_values(name):
    row = BENCH.measure(BENCH.WORLDS[name], 2, 2000)
    assert row["trusted"] > 0.9
    assert row["false"] < 0.05
    assert name == "outliers" or row["error"] < 1.0


def test_an_exact_value_by_quadrature():
    """Of a Poisson rate with prior Gamma(1, 0.1), and of the eight schools by a level and a spread."""
    _, exact = BENCH.count(np.random.default_rng(3), 400)
    y = np.random.default_rng(3)
    y = y.poisson(y.gamma(1.0, 5.0, size=25))
    rest = np.delete(y, 4)
    value, _ = integrate.quad(
        lambda rate: (
            stats.poisson.pmf(y[4], rate)
            * stats.gamma.pdf(rate, 1.0 + rest.sum(), scale=1.0 / (0.1 + rest.size))
        ),
        0.0,
        60.0,
        points=[rest.mean()],
    )
    assert exact[4] == pytest.approx(np.log(value), rel=1e-6)
