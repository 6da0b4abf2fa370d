"""CRPS in closed form: both twins against integration, golden numbers, identities, and scoringrules when it is there.

The golden numbers come from scoringrules 0.10.0: ``crps_normal``, ``crps_t``, ``crps_mixnorm`` (with sds),
``crps_ensemble`` with the estimators "nrg" (plain) and "fair", and ``es_ensemble``, for the arguments below.
"""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate

from benchbook import losses
from benchbook.errors import FaultyInput, Undefined
from benchbook.kernels import crps as kernels
from benchbook.losses import crps_plain
from benchbook.losses.ranked_probability import energy
from benchbook.predictive import (
    Draws,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
    StudentTMixture,
)

LEVEL, VALUE = np.array([0.2, 0.3, 0.8, 0.9]), np.array([[-2.0, -1.0, 1.0, 3.0]])
Twin = Callable[..., np.ndarray]
GOLD = {
    "normal": [0.8962885043931006, 1.2182873625431698, 38.30743124935673],
    "t": [0.9327509375311716, 1.1775751289977403, 36.11915391714365],
    "mixture": [0.6762296791741642, 2.2932743899388477],
    "energy": [0.7438261163678055],
    "energy fair": [0.2851656158036011],
}


def by_kernel(name: str) -> Twin:
    def call(y: np.ndarray, *arrays: np.ndarray) -> np.ndarray:
        out = np.empty(len(y))
        getattr(kernels, name)(y, *arrays, out)
        return out

    return call


def draws_by_kernel(
    y: np.ndarray, value: np.ndarray, fair: bool = False, most: int = 256
) -> np.ndarray:
    out = np.empty(len(y))
    kernels.draws(
        y, value, kernels.network(value.shape[1] if value.shape[1] <= most else 0), fair, out
    )
    return out


def energy_by_kernel(
    y: np.ndarray, value: np.ndarray, beta: float = 1.0, fair: bool = False
) -> np.ndarray:
    return energy(value, y, beta, fair)


def quantiles_by_kernel(y: np.ndarray, level: np.ndarray, value: np.ndarray) -> np.ndarray:
    return by_kernel("quantiles")(y, np.atleast_2d(level), value)


gaussians = pytest.mark.parametrize("gaussian", [crps_plain.gaussian, by_kernel("gaussian")])
mixtures = pytest.mark.parametrize("mixture", [crps_plain.mixture, by_kernel("mixture")])
quantile_twins = pytest.mark.parametrize("quantiles", [crps_plain.quantiles, quantiles_by_kernel])
draw_twins = pytest.mark.parametrize("draws", [crps_plain.draws, draws_by_kernel])
energies = pytest.mark.parametrize("energy", [crps_plain.energy, energy_by_kernel])


def integrated(pred: Predictive, y: float) -> float:
    """The definition, by quadrature between the corners of the cdf."""
    parts = (
        np.concatenate([VALUE[0], [y, -60.0, 60.0]])
        if isinstance(pred, Quantiles)
        else np.array([y])
    )
    edges = [-np.inf, *np.sort(parts), np.inf]

    def height(x: float) -> float:
        return float((pred.cdf([x])[0] - (x >= y)) ** 2)

    return sum(integrate.quad(height, a, b, limit=200)[0] for a, b in itertools.pairwise(edges))


@pytest.mark.parametrize("y", [-7.0, -1.5, 0.3, 3.0, 9.0])
@pytest.mark.parametrize(
    "pred",
    [
        Gaussian([1.0], [4.0]),
        StudentT([1.0], [2.0], 3.5),
        Mixture([0.3, 0.7], [[0.0, 3.0]], [1.0, 0.5]),
        Quantiles(LEVEL, VALUE),
    ],
    ids=lambda pred: pred.kind,
)
def test_closed_forms_are_the_integral(pred: Predictive, y: float) -> None:
    assert losses.get("CRPS").per_case(pred, [y])[0] == pytest.approx(integrated(pred, y), abs=2e-8)


@gaussians
def test_golden_gaussian(gaussian: Twin) -> None:
    """Last: 38.307... far in the tail, |z| - 1/sqrt(pi) times the standard deviation to all digits."""
    result = gaussian(
        np.array([2.5, -1.0, 40.0]), np.array([1.0, 0.5, 0.0]), np.array([4.0, 0.25, 9.0])
    )
    assert np.allclose(result, GOLD["normal"], rtol=1e-13)
    assert result[2] == pytest.approx(40 - 3 / np.sqrt(np.pi), rel=1e-15)


def test_golden_student_t() -> None:
    result = crps_plain.student_t(
        np.array([2.5, -1.0, 40.0]),
        np.array([1.0, 0.5, 0.0]),
        np.array([2.0, 0.5, 3.0]),
        np.array([3.5, 6.0, 1.5]),
    )
    assert np.allclose(result, GOLD["t"], rtol=1e-13)


@mixtures
def test_golden_mixture(mixture: Twin) -> None:
    result = mixture(
        np.array([0.7, 5.0]),
        np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]),
        np.array([[-3.0, 0.5, 6.0], [0.0, 1.0, 2.0]]),
        np.array([[1.0, 0.3, 2.0], [1.0, 1.0, 4.0]]),
    )
    assert np.allclose(result, GOLD["mixture"], rtol=1e-13)


@draw_twins
def test_golden_draws(draws: Twin) -> None:
    """By hand for the first case: distances sum to 8.2, pairs to 25.2: 8.2/5 - 25.2/25 and 8.2/5 - 25.2/20."""
    y, value = (
        np.array([1.7, -4.0]),
        np.array([[0.3, -1.2, 2.5, 0.9, 4.0], [1.0, 1.0, -3.0, 0.5, 7.5]]),
    )
    assert np.allclose(draws(y, value), [8.2 / 5 - 25.2 / 25, 3.68], rtol=1e-13)
    assert np.allclose(draws(y, value, True), [8.2 / 5 - 25.2 / 20, 3.25], rtol=1e-13)


@energies
def test_golden_energy(energy: Twin) -> None:
    value, y = np.array([[[0.3, 1.0], [-1.2, 0.4], [2.5, -0.7]]]), np.array([[1.0, 0.5]])
    assert np.allclose(energy(y, value), GOLD["energy"], rtol=1e-12)
    assert np.allclose(energy(y, value, 1.0, True), GOLD["energy fair"], rtol=1e-12)


@quantile_twins
def test_golden_quantiles(quantiles: Twin) -> None:
    """The worked example at y = 3, where both tails have b = 2 and give 0.2^2 and 0.1^2.

    Inside: (0.04 + 0.06 + 0.09)/3 + 2 (0.09 + 0.24 + 0.64)/3 + 2 (0.64 + 0.72 + 0.81)/3.
    """
    expected = 0.04 + 0.01 + (0.19 + 2 * 0.97 + 2 * 2.17) / 3
    assert quantiles(np.array([3.0]), LEVEL, VALUE)[0] == pytest.approx(expected, rel=1e-14)


@quantile_twins
def test_levels_of_each_case(quantiles: Twin, rng: np.random.Generator) -> None:
    level, value = (
        np.sort(rng.random((30, 5)), axis=1),
        np.cumsum(rng.gamma(1.0, 1.0, (30, 5)), axis=1),
    )
    y = rng.normal(2.0, 4.0, 30)
    alone = [quantiles(y[j : j + 1], level[j], value[j : j + 1])[0] for j in range(30)]
    assert np.allclose(quantiles(y, level, value), alone, rtol=1e-13)


def test_twins_agree_on_random_input(rng: np.random.Generator) -> None:
    """Scales over twelve decades, every remainder of the 32 lanes, sorted by network and by sort."""
    y, mean = rng.normal(size=70), rng.normal(size=(70, 7))
    variance, weight = 10.0 ** rng.uniform(-12, 12, (70, 7)), rng.dirichlet(np.ones(7), 70)
    assert np.allclose(
        by_kernel("gaussian")(y, mean[:, 0], variance[:, 0]),
        crps_plain.gaussian(y, mean[:, 0], variance[:, 0]),
        rtol=1e-13,
    )
    assert np.allclose(
        by_kernel("mixture")(y, weight, mean, variance),
        crps_plain.mixture(y, weight, mean, variance),
        rtol=1e-9,
    )
    level, value = np.sort(rng.random(6)), np.cumsum(10.0 ** rng.uniform(-6, 6, (70, 6)), axis=1)
    target = value[:, 2] + rng.normal(size=70) * 10.0 ** rng.uniform(-6, 7, 70)
    plain = crps_plain.quantiles(target, level, value)
    assert np.allclose(quantiles_by_kernel(target, level, value), plain, rtol=1e-12)
    for count in (1, 2, 3, 8, 50, 127):
        value = rng.normal(size=(70, count)).round(1)
        for fair in (False, True):
            plain = crps_plain.draws(y, value, fair)
            assert np.allclose(draws_by_kernel(y, value, fair), plain, rtol=1e-12, atol=1e-14)
            assert np.allclose(
                draws_by_kernel(y, value, fair, most=0), plain, rtol=1e-12, atol=1e-14
            )


@pytest.mark.parametrize("count", [1, 2, 5, 13, 50, 100])
def test_the_network_sorts(count: int, rng: np.random.Generator) -> None:
    """A network sorts everything when it sorts zeros and ones (Knuth); here random ones, and numbers."""
    value = np.vstack(
        [rng.random((40, count)), rng.random((400, count)) < rng.random((400, 1))]
    ).astype(float)
    for i, j in kernels.network(count):
        low, high = np.minimum(value[:, i], value[:, j]), np.maximum(value[:, i], value[:, j])
        value[:, i], value[:, j] = low, high
    assert (np.diff(value, axis=1) >= 0).all()


def test_the_kernel_of_the_gaussian_density(rng: np.random.Generator) -> None:
    y, mean, variance = rng.normal(size=90), rng.normal(size=90), 10.0 ** rng.uniform(-12, 12, 90)
    result = by_kernel("gaussian_nlpd")(y, mean, variance)
    assert np.allclose(
        result, losses.get("NLPD").per_case(Gaussian(mean, variance), y), rtol=1e-13, atol=1e-14
    )


def test_limits_and_special_cases() -> None:
    """A mixture of one component, a t with many degrees of freedom, and a narrow Gaussian are what they tend to."""
    crps_of = losses.get("CRPS").per_case
    gaussian = crps_of(Gaussian([1.0], [4.0]), [2.5])
    assert np.allclose(crps_of(Mixture([1.0], [[1.0]], [4.0]), [2.5]), gaussian, rtol=1e-14)
    assert np.allclose(crps_of(StudentT([1.0], [2.0], 1e9), [2.5]), gaussian, rtol=1e-7)
    assert np.allclose(
        crps_of(Gaussian([1.0], [1e-24]), [2.5]), crps_of(Point([1.0]), [2.5]), rtol=1e-11
    )
    assert np.allclose(crps_of(Draws([[1.0] * 4]), [2.5]), 1.5, rtol=1e-14)


DEGREES = [1.02, 1.05, 1.2, 1.5, 2.0, 3.0]


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("y", [1.0, 4.0, 40.0])
def test_one_t_many_times_is_one_t(df: float, y: float) -> None:
    """The closed form is the oracle, down to where the mean hardly exists."""
    expected = losses.get("CRPS").per_case(StudentT([1.0], [2.0], df), [y])
    for weight in ([1.0], [0.3, 0.7], [0.2, 0.0, 0.8]):
        ones = np.ones(len(weight))
        same = StudentTMixture(weight, ones[None], 2.0 * ones, df * ones)
        assert np.allclose(losses.get("CRPS").per_case(same, [y]), expected, rtol=1e-12)


def integrated_far(pred: StudentTMixture, y: float) -> float:
    """The definition, with the two ends by the logarithm of the distance: tails of df near 1 reach far."""
    reflected = StudentTMixture(pred.weight, -pred.location, pred.scale, pred.df)
    low, high = min(pred.location.min(), y) - 1, max(pred.location.max(), y) + 1

    def height(x: float) -> float:
        return float((pred.cdf([x]) if x < y else reflected.cdf([-x]))[0] ** 2)

    knots = np.unique([low, *pred.location[0], y, high])
    inner = sum(integrate.quad(height, a, b, limit=200)[0] for a, b in itertools.pairwise(knots))
    ends = [
        lambda e: height(low + 1 - np.exp(e)) * np.exp(e),
        lambda e: height(high - 1 + np.exp(e)) * np.exp(e),
    ]
    return inner + sum(integrate.quad(end, 0, 60, limit=400)[0] for end in ends)


@pytest.mark.parametrize("df", [*DEGREES, None])
@pytest.mark.parametrize(("narrower", "tolerance"), [(1.0, 2e-4), (5.0, 1e-2)])
def test_mixture_of_t_is_the_integral_to_what_it_promises(
    df: float | None, narrower: float, tolerance: float, rng: np.random.Generator
) -> None:
    degrees = 1.02 + rng.gamma(1.0, 5.0, (1, 20)) if df is None else np.full((1, 20), df)
    many = StudentTMixture(
        rng.dirichlet(np.ones(20), 1),
        rng.normal(size=(1, 20)),
        rng.gamma(4.0, 0.25 / narrower, (1, 20)),
        degrees,
    )
    result = losses.get("CRPS").per_case(many, [0.7])[0]
    assert result == pytest.approx(integrated_far(many, 0.7), rel=tolerance)


@pytest.mark.parametrize("df", DEGREES)
def test_a_rare_wide_t_is_not_lost(df: float) -> None:
    """One case in a hundred a thousand times wider: most of its part of the integral lies far out."""
    pred = StudentTMixture([0.99, 0.01], [[0.0, 0.0]], [1.0, 1000.0], [df, df])
    assert losses.get("CRPS").per_case(pred, [0.7])[0] == pytest.approx(
        integrated_far(pred, 0.7), rel=5e-4
    )


def test_a_mixture_of_t_without_a_mean_has_no_crps() -> None:
    with pytest.raises(Undefined, match="has no mean"):
        losses.get("CRPS").per_case(StudentTMixture([1.0], [[1.0]], [2.0], [1.0]), [0.0])


def test_draws_are_the_crps_of_their_steps(rng: np.random.Generator) -> None:
    value, y = rng.normal(size=(1, 9)), rng.normal(size=1)
    grid = np.sort(np.concatenate([value[0], y]))
    steps = [
        (b - a) * (np.mean(value[0] <= a) - (a >= y[0])) ** 2 for a, b in itertools.pairwise(grid)
    ]
    assert losses.get("CRPS").per_case(Draws(value), y)[0] == pytest.approx(sum(steps), rel=1e-12)


def test_the_fair_form_is_right_on_average(rng: np.random.Generator) -> None:
    """Draws of N(0, 1), only four: the fair mean is the CRPS of the Gaussian, the plain one 1/(4 sqrt(pi)) above it."""
    n = 40_000
    y, value = rng.normal(size=n), rng.normal(size=(n, 4))
    exact = crps_plain.gaussian(y, np.zeros(n), np.ones(n))
    for code, bias in (("CRPSfair", 0.0), ("CRPS", 1 / (4 * np.sqrt(np.pi)))):
        difference = losses.get(code).per_case(Draws(value), y) - exact
        assert difference.mean() == pytest.approx(bias, abs=4 * difference.std() / np.sqrt(n))


def test_the_integral_of_pinball_losses_is_half_the_crps() -> None:
    levels = (np.arange(4000) + 0.5) / 4000
    for pred in (Gaussian([1.0], [4.0]), Quantiles(LEVEL, VALUE)):
        q = pred.quantile(levels)[0]
        mean = np.mean(((q > -0.5) - levels) * (q + 0.5))
        assert 2 * mean == pytest.approx(losses.get("CRPS").per_case(pred, [-0.5])[0], rel=1e-3)


def test_energy_of_single_numbers_is_the_crps(rng: np.random.Generator) -> None:
    value, y = rng.normal(size=(20, 6)), rng.normal(size=20)
    assert np.allclose(
        energy(value[:, :, None], y[:, None]), losses.get("CRPS").per_case(Draws(value), y)
    )
    fair = losses.get("CRPSfair").per_case(Draws(value), y)
    assert np.allclose(energy(value[:, :, None], y[:, None], fair=True), fair)


def test_the_energy_loss_is_least_for_the_truth(rng: np.random.Generator) -> None:
    """Two correlated numbers: draws of the truth beat those shifted, spread or without their correlation."""
    n, root = 3000, np.array([[1.0, 0.0], [0.8, 0.6]])
    y, value = rng.normal(size=(n, 2)) @ root.T, rng.normal(size=(n, 20, 2))
    true = energy(value @ root.T, y, fair=True)
    for other in (value @ root.T + 0.4, 1.6 * value @ root.T, value):
        difference = energy(other, y, fair=True) - true
        assert difference.mean() > 3 * difference.std() / np.sqrt(n)


def test_far_from_the_origin_no_digits_are_lost(rng: np.random.Generator) -> None:
    value, y = rng.normal(size=(8, 20)), rng.normal(size=8)
    near = losses.get("CRPS").per_case(Draws(value), y)
    far = losses.get("CRPS").per_case(Draws(value + 2.0**30), y + 2.0**30)
    assert np.allclose(far, near, rtol=1e-6)


def test_what_has_no_crps_says_why() -> None:
    with pytest.raises(Undefined, match=r"case 1 has df 1\.0"):
        losses.get("CRPS").per_case(StudentT([0.0, 0.0], [1.0, 1.0], [2.0, 1.0]), [0.0, 0.0])
    with pytest.raises(Undefined, match="needs at least two draws"):
        losses.get("CRPSfair").per_case(Draws([[1.0]]), [0.0])
    with pytest.raises(FaultyInput) as caught:
        energy([[1.0]], [[np.nan]], beta=2.0)
    assert [fault.where for fault in caught.value.faults] == ["draws", "y", "beta"]
    with pytest.raises(FaultyInput, match="at least 2 draws"):
        energy([[[1.0]]], [[1.0]], fair=True)


def test_scoringrules_agrees(rng: np.random.Generator) -> None:
    sr = pytest.importorskip("scoringrules")
    y, mean, sd = rng.normal(size=50), rng.normal(size=(50, 4)), rng.gamma(2.0, 1.0, (50, 4))
    weight = rng.dirichlet(np.ones(4), 50)
    of = losses.get("CRPS").per_case
    assert np.allclose(
        of(Gaussian(mean[:, 0], sd[:, 0] ** 2), y),
        sr.crps_normal(y, mean[:, 0], sd[:, 0]),
        rtol=1e-10,
    )
    assert np.allclose(
        of(Mixture(weight, mean, sd**2), y), sr.crps_mixnorm(y, mean, sd, weight), rtol=1e-10
    )
    assert np.allclose(of(Draws(mean), y), sr.crps_ensemble(y, mean, estimator="nrg"), rtol=1e-10)
    fair = losses.get("CRPSfair").per_case(Draws(mean), y)
    assert np.allclose(fair, sr.crps_ensemble(y, mean, estimator="fair"), rtol=1e-10)
    df = rng.uniform(2, 9, 50)
    assert np.allclose(
        of(StudentT(mean[:, 0], sd[:, 0], df), y), sr.crps_t(y, df, mean[:, 0], sd[:, 0]), rtol=1e-9
    )
