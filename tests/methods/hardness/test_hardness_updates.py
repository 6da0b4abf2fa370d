"""The updates of precisions at the ends of what a number can be: positive and finite, whatever came before."""

import numpy as np
import pytest

from benchbook.kernels.hyperparameters import (
    inverse_precision,
    update_lower,
    update_noise,
    update_upper,
)
from benchbook.kernels.network_force import in_parts
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.model import draw_chain
from benchbook.seeds import generator

SIZES = (0.0, 1e-150, 1e-8, 1.0, 1e8, 1e150)


@pytest.mark.parametrize("weight", SIZES)
@pytest.mark.parametrize("error", SIZES)
def test_precisions_stay_positive_and_finite(weight, error):
    model, rng = constants.model(relevance=True, direct=True), generator(9, "extremes")
    prior, cases = model.arrays(3), in_parts(rng.normal(size=(20, 3)), np.zeros(20), 1)
    chain = draw_chain(model, 3, rng)
    chain.weights[:] = weight
    chain.error[0] = error
    for _ in range(20):
        update_upper(chain, prior, rng)
        update_lower(chain, prior, rng)
        update_noise(chain, prior, cases, rng)
        for precisions in (chain.upper, chain.lower, chain.noise):
            assert np.isfinite(precisions).all()
            assert (precisions > 0).all()


@pytest.mark.parametrize("power", [-10.0, 1e-3, 5.0, 1e4])
@pytest.mark.parametrize("rate", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("barrier", [1e-200, 1.0, 1e200])
def test_an_upper_precision_is_drawn_or_kept(power, rate, barrier):
    rng = generator(9, "inverse")
    for current in (1e-100, 1.0, 1e100):
        drawn = inverse_precision(current, power, rate, barrier, 100, rng)
        assert np.isfinite(drawn)
        assert drawn > 0
