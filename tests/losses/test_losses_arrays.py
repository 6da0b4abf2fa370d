"""Losses from bare arrays equal those of the registry, and write where they are told."""

import numpy as np

from benchbook import losses
from benchbook.losses import arrays
from benchbook.predictive import Categorical, Draws, Gaussian, Mixture, Quantiles

CODES = ("NLPD", "CRPS", "S", "PB95", "IS90")


def test_arrays_write_where_they_are_told(rng: np.random.Generator) -> None:
    """Every fast function against its loss, into memory that is given."""
    y, mean, spread = rng.normal(size=40), rng.normal(size=(40, 3)), rng.gamma(2.0, 1.0, (40, 3))
    weight, value = rng.dirichlet(np.ones(3), 40), np.cumsum(spread, axis=1)
    p, positive = rng.random(40), rng.integers(2, size=40)
    out = np.empty(40)
    for result, code, pred, targets in (
        (
            arrays.gaussian_nlpd(y, mean[:, 0].copy(), spread[:, 0].copy(), out=out),
            "NLPD",
            Gaussian(mean[:, 0], spread[:, 0]),
            y,
        ),
        (
            arrays.gaussian_crps(y, mean[:, 0].copy(), spread[:, 0].copy()),
            "CRPS",
            Gaussian(mean[:, 0], spread[:, 0]),
            y,
        ),
        (arrays.mixture_crps(y, weight, mean, spread), "CRPS", Mixture(weight, mean, spread), y),
        (
            arrays.quantile_crps(y, np.array([0.2, 0.5, 0.7]), value),
            "CRPS",
            Quantiles([0.2, 0.5, 0.7], value),
            y,
        ),
        (arrays.draws_crps(y, mean, True), "CRPSfair", Draws(mean), y),
        (
            arrays.two_class_nlp(p, positive),
            "NLP",
            Categorical(np.column_stack([1 - p, p])),
            positive,
        ),
    ):
        assert np.allclose(result, losses.get(code).per_case(pred, targets), rtol=1e-12, atol=1e-14)
    assert out[0] == losses.get("NLPD").per_case(Gaussian(mean[:1, 0], spread[:1, 0]), y[:1])[0]


def test_probabilities_of_0_and_tiny_ones() -> None:
    result = arrays.two_class_nlp(
        np.array([0.0, 1.0, 1e-310, 5e-324, 1.0]), np.array([1, 0, 1, 1, 1])
    )
    assert result[:2].tolist() == [np.inf, np.inf]
    assert np.allclose(result[2:], -np.log([1e-310, 5e-324, 1.0]), rtol=1e-13, atol=1e-300)


def test_extreme_variances_go_the_slow_way() -> None:
    pred = Gaussian([0.0, 0.0], [1e-300, 1e300])
    assert np.allclose(
        losses.get("NLPD").per_case(pred, [0.0, 1e150]), -pred.log_density([0.0, 1e150]), rtol=1e-14
    )
