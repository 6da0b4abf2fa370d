"""Draws and classes: distributions that jump."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import Categorical, Draws
from benchbook.predictive.choice import choose

VALUES = arrays(
    np.float64, st.tuples(st.just(2), st.integers(1, 12)), elements=st.floats(-1e6, 1e6)
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(VALUES, st.floats(0.001, 0.999))
def test_quantile_rule_of_draws_is_numpys_averaged_inverse(value: np.ndarray, level: float) -> None:
    draws = Draws(value)
    for p in (level, 0.5, 0.25):
        expected = np.quantile(value, p, axis=1, method="averaged_inverted_cdf")
        assert np.allclose(draws.quantile([p])[:, 0], expected, rtol=1e-12, atol=1e-300)
    assert np.allclose(draws.median(), np.median(value, axis=1), rtol=1e-12, atol=1e-300)


def test_whole_numbers_of_draws_are_recognised_in_spite_of_rounding() -> None:
    """0.29 * 100 is 28.999999999999996 in floating point; the quantile is the middle of the 29th and 30th draw."""
    draws = Draws(np.arange(1.0, 101.0)[None])
    assert np.allclose(draws.quantile([0.29, 0.57, 0.58, 0.995]), [[29.5, 57.5, 58.5, 100.0]])


def test_draws_step_and_moments() -> None:
    draws = Draws([[3.0, 1.0, 1.0, 5.0]])
    assert [float(draws.cdf([y])[0]) for y in (0.9, 1.0, 2.9, 3.0, 5.0)] == [
        0.0,
        0.5,
        0.5,
        0.75,
        1.0,
    ]
    assert draws.mean()[0] == 2.5
    assert draws.variance()[0] == pytest.approx(np.var([3.0, 1.0, 1.0, 5.0]))
    drawn = draws.sample(np.random.default_rng(1), 2000)
    assert set(np.unique(drawn)) == {1.0, 3.0, 5.0}
    assert (drawn == 1.0).mean() == pytest.approx(0.5, abs=0.05)


def test_most_probable_takes_the_first_of_equals() -> None:
    pred = Categorical([[0.4, 0.4, 0.2], [0.1, 0.45, 0.45], [1 / 3, 1 / 3, 1 / 3]])
    assert pred.most_probable().tolist() == [0, 1, 0]
    assert pred.classes == 3


def test_log_probability_of_classes() -> None:
    pred = Categorical([[0.25, 0.75], [1.0, 0.0]])
    assert np.array_equal(pred.log_density([1, 1]), [np.log(0.75), -np.inf])
    assert np.array_equal(pred.log_density([0.0, 0.0]), [np.log(0.25), 0.0])


def test_what_is_no_class_is_named() -> None:
    pred = Categorical(np.full((4, 2), 0.5))
    with pytest.raises(FaultyInput) as caught:
        pred.log_density([2, 0, -1, 0.5])
    assert [fault.where for fault in caught.value.faults] == ["case 0, y", "case 2, y", "case 3, y"]
    assert "whole number in 0..1" in str(caught.value)


def test_classes_have_no_order() -> None:
    pred = Categorical([[0.25, 0.75]])
    requested = {
        "mean": pred.mean,
        "variance": pred.variance,
        "median": pred.median,
        "quantile": lambda: pred.quantile([0.5]),
        "interval": lambda: pred.interval(0.9),
        "cdf": lambda: pred.cdf([0]),
        "affine": lambda: pred.affine(0.0, 1.0),
    }
    for ask in requested.values():
        with pytest.raises(Undefined, match="names without an order"):
            ask()


def test_classes_are_drawn_with_their_probabilities(rng: np.random.Generator) -> None:
    pred = Categorical([[0.2, 0.0, 0.5, 0.3], [0.0, 1.0, 0.0, 0.0]])
    drawn = pred.sample(rng, 40_000)
    assert drawn.dtype.kind == "i"
    shares = np.stack([(drawn == c).mean(axis=1) for c in range(4)], axis=1)
    assert np.allclose(shares, pred.probability, atol=0.012)
    assert (shares[pred.probability == 0] == 0).all()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 100])
def test_choosing_inverts_the_cumulated_shares(size: int, rng: np.random.Generator) -> None:
    share = rng.dirichlet(np.ones(size), 5)
    share[rng.random(share.shape) < 0.3] = 0.0
    share[:, rng.integers(size)] += 0.1
    uniform = np.concatenate(
        [rng.random((5, 200)), np.full((5, 1), 0.0), np.full((5, 1), np.nextafter(1, 0))], axis=1
    )
    result = choose(share, uniform)
    cumulative = np.cumsum(share, axis=1)
    for j in range(5):
        expected = np.searchsorted(cumulative[j], uniform[j, :-1] * cumulative[j, -1], side="right")
        assert np.array_equal(result[j, :-1], expected)
        assert np.array_equal(choose(share[[j]], uniform[[j]])[0], result[j])
    assert (np.take_along_axis(share, result, axis=1) > 0).all()
