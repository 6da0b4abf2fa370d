"""What holds for every kind of distribution."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from refusals import refused

from benchbook import predictive
from benchbook.errors import FaultyInput, Undefined
from benchbook.predictive import Gaussian, Mixture, Point, Predictive, StudentT

LEVELS = np.array([0.02, 0.25, 0.5, 0.6, 0.99])
SHIFT, SCALE = -7.5, 3.25


def test_every_kind_is_public_and_named() -> None:
    kinds = {
        getattr(predictive, name).kind
        for name in predictive.__all__
        if name[0].isupper() and name != "Predictive"
    }
    assert kinds == {
        "point",
        "gaussian",
        "student-t",
        "mixture",
        "student-t-mixture",
        "quantiles",
        "draws",
        "categorical",
        "outputs",
    }


def test_shapes(real: Predictive, rng: np.random.Generator) -> None:
    cases = len(real)
    assert [
        a.shape for a in (real.mean(), real.median(), real.variance(), real.cdf(real.mean()))
    ] == [(cases,)] * 4
    assert real.quantile(LEVELS).shape == (cases, LEVELS.size)
    assert real.sample(rng, 3).shape == (cases, 3)
    assert real.sample(rng, 0).shape == (cases, 0)


def test_parameters_cannot_be_changed_nor_follow_what_they_were_made_from(pred: Predictive) -> None:
    given = {name: array.copy() for name, array in pred.parameters.items()}
    again = type(pred)(**given)
    for array in given.values():
        array += 1000.0
    assert again == pred
    for array in pred.parameters.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0
    with pytest.raises(TypeError):
        pred.parameters["other"] = np.zeros(1)  # type: ignore[index]
    with pytest.raises(AttributeError):
        pred.other = 1  # type: ignore[attr-defined]


def test_what_it_returns_is_the_callers_to_change(real: Predictive) -> None:
    before = real.mean()
    result = real.mean()
    result += 1.0
    assert np.array_equal(real.mean(), before)


def test_pickle_and_equality(pred: Predictive) -> None:
    again = pickle.loads(pickle.dumps(pred))
    assert again == pred
    assert not any(array.flags.writeable for array in again.parameters.values())
    assert pred != pred.take([1, 0, 2, 3])
    assert pred != "something else"
    assert type(pred).__name__ in repr(pred)


def test_take_chooses_and_reorders(pred: Predictive) -> None:
    index = [3, 0, 3]
    taken = pred.take(index)
    assert type(taken) is type(pred)
    assert len(taken) == 3
    for name, array in pred.parameters.items():
        assert np.array_equal(taken.parameters[name], array[index])
    mask = np.array([True, False, False, True])
    assert pred.take(mask) == pred.take([0, 3]) == pred.take([-4, -1])


def test_take_keeps_what_all_cases_share_small() -> None:
    mixture = Mixture([0.2, 0.8], np.arange(2000.0).reshape(1000, 2), [1.0, 2.0])
    taken = mixture.affine(1.0, 2.0).take(np.arange(500))
    assert taken.weight.strides[0] == taken.component_variance.strides[0] == 0
    assert taken == Mixture([0.2, 0.8], 1.0 + 2.0 * np.arange(1000.0).reshape(500, 2), [4.0, 8.0])
    single = StudentT([1.0], [1.0], 4.0)
    assert single.take([0, 0]) == StudentT([1.0, 1.0], [1.0, 1.0], [4.0, 4.0])


@pytest.mark.parametrize("index", [[4], [-5], [], [0.0], [[0]], [True, False]])
def test_take_says_what_is_no_case(index: list[float], zoo: dict[str, Predictive]) -> None:
    refused(FaultyInput, "index", zoo["gaussian"].take, index)


def test_affine_equivariance(real: Predictive) -> None:
    moved = real.affine(SHIFT, SCALE)
    assert type(moved) is type(real)
    y = real.quantile([0.3])[:, 0] + 0.01
    assert np.allclose(moved.mean(), SHIFT + SCALE * real.mean(), rtol=1e-12)
    assert np.allclose(moved.median(), SHIFT + SCALE * real.median(), rtol=1e-11)
    assert np.allclose(moved.variance(), SCALE**2 * real.variance(), rtol=1e-12)
    assert np.allclose(moved.quantile(LEVELS), SHIFT + SCALE * real.quantile(LEVELS), rtol=1e-11)
    assert np.allclose(moved.cdf(SHIFT + SCALE * y), real.cdf(y), rtol=1e-12)


def test_affine_density_has_the_jacobian(continuous: Predictive) -> None:
    y = continuous.quantile([0.3])[:, 0] + 0.01
    moved = continuous.affine(SHIFT, SCALE)
    assert np.allclose(
        moved.log_density(SHIFT + SCALE * y), continuous.log_density(y) - np.log(SCALE), atol=1e-11
    )


@pytest.mark.parametrize(
    ("shift", "scale"), [(np.nan, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, np.inf), ([0.0], 1.0)]
)
def test_affine_refuses_what_is_no_increasing_map(
    shift: float, scale: float, zoo: dict[str, Predictive]
) -> None:
    refused(FaultyInput, "affine map of Gaussian: 1 fault", zoo["gaussian"].affine, shift, scale)


def test_affine_beyond_floating_point_is_a_fault() -> None:
    refused(FaultyInput, "case 0, variance: found inf", Gaussian([0.0], [1.0]).affine, 0.0, 1e200)


def test_median_is_the_half_quantile_and_the_interval_is_central(real: Predictive) -> None:
    assert np.array_equal(real.median(), real.quantile([0.5])[:, 0])
    lower, upper = real.interval(0.8)
    assert np.allclose(np.stack([lower, upper], axis=1), real.quantile([0.1, 0.9]))
    wider = real.interval(0.95)
    assert (wider[0] <= lower).all()
    assert (upper <= wider[1]).all()


def test_quantiles_do_not_depend_on_the_company_of_levels_or_cases(real: Predictive) -> None:
    together = real.quantile(LEVELS)
    alone = np.stack(
        [real.take([j]).quantile([level])[0, 0] for j in range(len(real)) for level in LEVELS]
    )
    assert np.array_equal(together.ravel(), alone)
    assert (np.diff(together, axis=1) >= 0).all()


def test_draws_depend_on_the_generator_only(pred: Predictive) -> None:
    first, again, other = (pred.sample(np.random.default_rng(seed), 50) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    if pred.kind not in ("point", "outputs"):
        assert not np.array_equal(first, other)


def test_draws_have_the_moments(real: Predictive) -> None:
    n = 40_000
    drawn = real.sample(np.random.default_rng(8), n)
    assert np.abs(drawn.mean(axis=1) - real.mean()).max() <= 1e-12 + 5 * np.sqrt(
        real.variance().max() / n
    )
    assert np.allclose(drawn.var(axis=1), real.variance(), rtol=0.1, atol=1e-12)


def test_draws_follow_the_cdf(continuous: Predictive) -> None:
    """The probability integral transform of the draws is uniform (Kolmogorov's distance, 4 cases, n = 2000)."""
    n = 2000
    drawn = np.sort(continuous.sample(np.random.default_rng(9), n), axis=1)
    for j in range(len(continuous)):
        transformed = continuous.take(np.full(n, j)).cdf(drawn[j])
        assert np.abs(transformed - (np.arange(n) + 0.5) / n).max() < 1.95 / np.sqrt(n)


def test_infinite_y_is_outside_everything(real: Predictive) -> None:
    far = np.full(len(real), np.inf)
    assert np.allclose(real.cdf(far), 1.0, atol=1e-15)
    assert np.array_equal(real.cdf(-far), np.zeros(len(real)))


def test_density_is_zero_at_infinity(continuous: Predictive) -> None:
    assert np.array_equal(
        continuous.log_density(np.full(len(continuous), -np.inf)), np.full(len(continuous), -np.inf)
    )


@pytest.mark.parametrize("ask", [Predictive.cdf, Predictive.log_density])
def test_wrong_y_is_named(ask: Callable[[Predictive, object], object], real: Predictive) -> None:
    with pytest.raises(
        FaultyInput, match=r"y: found shape \(2,\); must be one number a case, shape \(4,\)"
    ):
        ask(real, [1.0, 2.0])
    with pytest.raises(FaultyInput, match="case 1, y: found nan") as caught:
        ask(real, [1.0, np.nan, 2.0, np.nan])
    assert [fault.where for fault in caught.value.faults] == ["case 1, y", "case 3, y"]
    refused(FaultyInput, "values of type <U1", ask, real, ["a", "b", "c", "d"])


@pytest.mark.parametrize("levels", [[0.0], [1.0], [np.nan], [-0.5, 0.5], 0.5, [[0.5]], ["a"]])
def test_wrong_levels_are_named(levels: object, real: Predictive) -> None:
    with pytest.raises(FaultyInput, match="strictly between 0 and 1"):
        real.quantile(levels)  # type: ignore[arg-type]


@pytest.mark.parametrize("coverage", [0.0, 1.0, 1.5, np.nan])
def test_wrong_coverage_is_named(coverage: float, real: Predictive) -> None:
    refused(FaultyInput, "coverage", real.interval, coverage)


@pytest.mark.parametrize("n", [-1, 1.5, True, "3"])
def test_wrong_number_of_draws_is_named(n: int, pred: Predictive, rng: np.random.Generator) -> None:
    refused(FaultyInput, "whole number of at least 0", pred.sample, rng, n)


def test_what_a_step_distribution_lacks_has_a_reason(zoo: dict[str, Predictive]) -> None:
    for kind in ("point", "draws"):
        with pytest.raises(
            Undefined, match=f"a {kind} distribution has no density: .*quantiles instead"
        ):
            zoo[kind].log_density(np.zeros(4))


def test_a_point_is_a_degenerate_distribution() -> None:
    point = Point([1.0, 2.0])
    assert np.array_equal(point.cdf([1.0, 1.9]), [1.0, 0.0])
    assert np.array_equal(point.variance(), [0.0, 0.0])
    assert np.array_equal(point.quantile([0.1, 0.9]), [[1.0, 1.0], [2.0, 2.0]])
    assert np.array_equal(point.interval(0.9)[0], point.value)
