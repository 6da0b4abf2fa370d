"""Priors: the notation, the scaling by number of sources, the Gamma and its levels, and the order of the arrays."""

import math

import numpy as np
import pytest
from scipy import stats

from benchbook.errors import FaultyInput
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.model import Model, draw_chain
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.seeds import generator


@pytest.mark.parametrize(
    ("text", "prior"),
    [
        ("100", Prior(100.0)),
        ("0.05:0.5", Prior(0.05, 0.5)),
        ("x0.05:0.5", Prior(0.05, 0.5, math.inf, True)),
        ("x0.2:0.5:1", Prior(0.2, 0.5, 1.0, True)),
        ("0.3::2", Prior(0.3, math.inf, 2.0)),
    ],
)
def test_notation(text, prior):
    assert Prior.parse(text) == prior
    assert str(prior) == text
    assert Prior.parse(f" {text} ") == prior


@pytest.mark.parametrize(
    "text", ["", "x", "wide", "1:2:3:4", "0", "-1", "1:-2", "inf", "nan", "1:0", "y0.1"]
)
def test_faulty_notation(text):
    with pytest.raises(FaultyInput):
        Prior.parse(text)


def test_all_faults_are_told_at_once():
    with pytest.raises(FaultyInput) as error:
        Prior(-1.0, 0.0, math.nan)
    assert [fault.where for fault in error.value.faults] == ["width", "group", "source"]


@pytest.mark.parametrize(
    ("source", "sources", "factor"),
    [
        ("inf", 8, 8),
        ("3", 8, 24),
        ("2", 8, 8 * math.log(8)),
        ("2", 2, 2),
        ("2", 1, 1),
        ("1", 8, 64),
        ("0.5", 2, 16),
    ],
)
def test_scaling_by_the_number_of_sources(source, sources, factor):
    """The four rules of the software's documentation, width 0.5."""
    assert Prior.parse(f"x0.5:1:{source}").mean_precision(sources) == pytest.approx(
        4 * factor, rel=1e-14
    )
    assert Prior.parse(f"0.5:1:{source}").mean_precision(sources) == 4


def test_scaling_keeps_the_sum_of_many_sources_of_order_one(rng):
    """Weights from N sources, each with its own precision: the spread of their sum hardly depends on N."""

    def spread(shape, sources):
        prior = Prior.parse(f"x1::{shape}")
        precision = rng.gamma(
            shape / 2, 2 * prior.mean_precision(sources) / shape, size=(20_000, sources)
        )
        return np.median(
            np.abs(np.sum(rng.normal(size=precision.shape) / np.sqrt(precision), axis=1))
        )

    for shape in (1.0, 5.0):
        assert 0.8 < spread(shape, 32) / spread(shape, 4) < 1.25
    unscaled = np.median(np.abs(np.sum(rng.normal(size=(20_000, 32)), axis=1)))
    assert unscaled > 3 * np.median(np.abs(rng.normal(size=20_000)))


def test_precisions_are_gamma_with_the_mean_and_shape_of_the_text():
    """Density proportional to t^(a/2 - 1) exp(-t a / (2 w)), at every level."""
    model = Model(
        2,
        Prior.parse("x0.5:3:1"),
        Prior.parse("0.2:1"),
        Prior.parse("x1"),
        Prior.parse("2"),
        Prior.parse("0.5:4"),
    )
    rng = generator(3, "priors")
    chains = [draw_chain(model, 3, rng) for _ in range(4000)]
    upper, lower = np.array([c.upper for c in chains]), np.array([c.lower for c in chains])
    noise = np.array([c.noise[0] for c in chains])
    weights = np.array([c.weights for c in chains])

    def agrees(values, mean, shape):
        return (
            stats.kstest(values, stats.gamma(shape / 2, scale=2 * mean / shape).cdf).pvalue > 1e-3
        )

    assert agrees(upper[:, 0], 9 / 0.25, 3.0)
    assert all(agrees(lower[:, i] / upper[:, 0], 1.0, 1.0) for i in range(3))
    assert agrees(upper[:, 1], 25.0, 1.0)
    np.testing.assert_array_equal(lower[:, 3], upper[:, 1])
    np.testing.assert_array_equal(upper[:, 2], 2.0)
    np.testing.assert_array_equal(upper[:, 3], 0.25)
    assert agrees(noise, 4.0, 4.0)
    own = lower[:, [0, 1, 2, 0, 1, 2, 3, 3, 4, 4, 5]]
    assert stats.kstest((weights * np.sqrt(own)).ravel(), "norm").pvalue > 1e-3
    assert not agrees(upper[:, 1], 25.0, 2.0)


def test_sets_follow_the_order_of_the_weights():
    model = constants.model(relevance=True, direct=True)
    prior = model.arrays(4)
    assert model.size(4) == len(prior.set_of) == 15 * 6 + 1 + 4
    assert model.set_names(4) == [
        "input-hidden 1",
        "input-hidden 2",
        "input-hidden 3",
        "input-hidden 4",
        "hidden bias",
        "hidden-output",
        "output bias",
        "direct 1",
        "direct 2",
        "direct 3",
        "direct 4",
    ]
    assert prior.set_of[:8].tolist() == [0, 1, 2, 3] * 2
    assert prior.set_of[60:].tolist() == [4] * 15 + [5] * 15 + [6] + [7, 8, 9, 10]
    assert constants.model(relevance=False, direct=False).set_names(4) == [
        "input-hidden",
        "hidden bias",
        "hidden-output",
        "output bias",
    ]


def test_what_the_paper_says_of_the_plain_method():
    """mlp-mc-4: three groups with a hyperparameter each, output bias of standard deviation one, variable noise."""
    prior = constants.model(relevance=False, direct=False).arrays(8)
    assert np.isfinite(prior.upper_shape).tolist() == [True, True, True, False]
    assert not np.isfinite(prior.lower_shape).any()
    assert prior.upper_mean[3] == 1.0
    assert np.isfinite(prior.noise[1])


def test_the_table_is_complete_and_says_whose_each_constant_is():
    assert {constant.origin for constant in constants.TABLE} == {"ours", "the paper"}
    assert all(constant.follows for constant in constants.TABLE)
    assert len({constant.name for constant in constants.TABLE}) == len(constants.TABLE)
    assert constants.schedule().passes == 60_000
    assert constants.schedule_b().passes == 180_000
    assert constants.schedule().discard == pytest.approx(1 / 3)
    assert constants.schedule(long=True).parts == 1
