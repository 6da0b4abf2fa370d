"""Streams of blocks: the same means and errors however the cases are cut, in the memory of one block."""

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from benchbook import losses
from benchbook.errors import BenchbookError, Undefined
from benchbook.losses import arrays, streams
from benchbook.predictive import Categorical, Draws, Gaussian, Mixture, Predictive, Quantiles
from benchbook.seeds import generator

CODES = ("NLPD", "CRPS", "S", "PB95", "IS90")


def made(cases: int, size: int) -> Iterator[tuple[Predictive, np.ndarray]]:
    """Cases that are made block by block and never held together."""
    for number in range(cases // size):
        rng = generator(1, "stream", str(number))
        yield Gaussian(rng.normal(size=size), rng.gamma(2.0, 1.0, size)), rng.normal(size=size)


@pytest.mark.parametrize("size", [1, 7, 64, 5000])
def test_cutting_does_not_matter(size: int, rng: np.random.Generator) -> None:
    pred, y = Gaussian(rng.normal(size=900), rng.gamma(2.0, 1.0, 900)), 1e6 + rng.normal(size=900)
    for mean_loss in streams.mean_losses(streams.blocks(pred, y, size), CODES):
        whole = losses.get(mean_loss.code).per_case(pred, y)
        assert mean_loss.mean == pytest.approx(whole.mean(), rel=1e-12)
        assert mean_loss.standard_error == pytest.approx(whole.std(ddof=1) / 30, rel=1e-9)
        assert (mean_loss.cases, mean_loss.infinite) == (900, 0)


def test_losses_case_by_case(rng: np.random.Generator) -> None:
    pred, y = Gaussian(rng.normal(size=50), rng.gamma(2.0, 1.0, 50)), rng.normal(size=50)
    values = np.concatenate(list(streams.per_case(streams.blocks(pred, y, 16), "CRPS")))
    assert np.allclose(values, losses.get("CRPS").per_case(pred, y), rtol=1e-14)


def test_memory_is_that_of_a_block() -> None:
    """Ten times as many cases, the same peak within a tenth: less than 20 numbers a case of one block."""
    size, peaks = 20_000, []
    streams.mean_losses(made(size, size), ("NLPD", "CRPS"))
    for cases in (3 * size, 30 * size):
        tracemalloc.start()
        streams.mean_losses(made(cases, size), ("NLPD", "CRPS"))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]
    assert peaks[1] < 20 * 8 * size


def test_infinite_losses_are_counted(rng: np.random.Generator) -> None:
    pred, y = Categorical(np.tile([0.0, 1.0], (10, 1))), [1] * 7 + [0] * 3
    (result,) = streams.mean_losses(streams.blocks(pred, y, 4), ["NLP"])
    assert result.mean == np.inf
    assert np.isnan(result.standard_error)
    assert (result.cases, result.infinite) == (10, 3)


def test_one_case_has_no_standard_error() -> None:
    (result,) = streams.mean_losses([(Gaussian([0.0], [1.0]), [1.0])], ["S"])
    assert result.mean == 1.0
    assert np.isnan(result.standard_error)


def test_what_cannot_be_streamed() -> None:
    with pytest.raises(Undefined, match="LIFT needs all cases at once"):
        streams.mean_losses([], ["LIFT"])
    with pytest.raises(BenchbookError, match="has no cases"):
        streams.mean_losses([], ["S"])


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
