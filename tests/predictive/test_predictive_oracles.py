"""Densities, cdfs, moments and quantiles against scipy and numerical integration."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from benchbook.errors import Undefined
from benchbook.predictive import Gaussian, Mixture, Predictive, Quantiles, StudentT
from benchbook.predictive.gaussian import _log_gamma_step

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
MANY = settings(max_examples=40, deadline=None, derandomize=True)
LOCATIONS = st.floats(-1e3, 1e3)
SPREADS = st.floats(1e-3, 1e3)


def integral(
    pred: Predictive,
    case: int,
    what: Callable[[np.ndarray], np.ndarray],
    upper: float | None = None,
) -> float:
    """The integral of what(y) times the density of a case between its outermost 1e-14, or up to ``upper``.

    Gauss-Legendre with 16 nodes on panels between close quantiles; the values of Quantiles are ends too, since the
    density jumps there.
    """
    tails = 10.0 ** np.arange(-14.0, -1.0, 0.25)
    item = pred.take([case])
    ends = item.quantile(np.sort(np.concatenate([tails, 1 - tails, np.linspace(0.11, 0.89, 150)])))[
        0
    ]
    if isinstance(item, Quantiles):
        ends = np.concatenate([ends, item.value[0]])
    if upper is not None:
        ends = np.append(ends[ends < upper], upper)
    ends = np.unique(ends)
    half = 0.5 * np.diff(ends)[:, None]
    y = (0.5 * (ends[1:] + ends[:-1])[:, None] + half * NODES).ravel()
    density = np.exp(pred.take(np.full(y.size, case)).log_density(y))
    return float(((half * WEIGHTS).ravel() * density * what(y)).sum())


def test_density_integrates_to_one_and_to_the_cdf(continuous: Predictive) -> None:
    y = continuous.quantile([0.83])[:, 0] + 0.05
    cdf = continuous.cdf(y)
    for j in range(len(continuous)):
        assert integral(continuous, j, np.ones_like) == pytest.approx(1.0, abs=1e-9)
        assert integral(continuous, j, np.ones_like, y[j]) == pytest.approx(cdf[j], abs=1e-9)


def test_moments_are_the_integrals(continuous: Predictive) -> None:
    mean, variance = continuous.mean(), continuous.variance()
    for j in range(len(continuous)):
        assert integral(continuous, j, lambda y: y) == pytest.approx(mean[j], abs=1e-8)
        away = integral(continuous, j, lambda y, c=mean[j]: (y - c) ** 2)
        assert away == pytest.approx(variance[j], rel=1e-7)


@pytest.mark.parametrize("level", [1e-9, 0.01, 0.1, 0.30001, 0.5, 0.949, 0.96, 0.9999, 1 - 1e-9])
def test_quantile_inverts_the_cdf(level: float, continuous: Predictive) -> None:
    assert np.allclose(
        continuous.cdf(continuous.quantile([level])[:, 0]), level, rtol=1e-10, atol=0
    )


@MANY
@given(LOCATIONS, SPREADS, st.floats(-30, 30), st.floats(1e-12, 1 - 1e-12))
def test_gaussian_is_scipys(mean: float, sd: float, z: float, level: float) -> None:
    ours, theirs = Gaussian([mean], [sd**2]), stats.norm(mean, sd)
    y = mean + z * sd
    assert ours.log_density([y])[0] == pytest.approx(theirs.logpdf(y), rel=1e-10, abs=1e-10)
    assert ours.cdf([y])[0] == pytest.approx(theirs.cdf(y), rel=1e-8)
    assert ours.quantile([level])[0, 0] == pytest.approx(theirs.ppf(level), rel=1e-10, abs=1e-10)


@MANY
@given(LOCATIONS, SPREADS, st.floats(0.3, 1e3), st.floats(-1e3, 1e3), st.floats(1e-6, 1 - 1e-6))
def test_student_t_is_scipys(
    location: float, scale: float, df: float, z: float, level: float
) -> None:
    ours, theirs = StudentT([location], [scale], df), stats.t(df, location, scale)
    y = location + z * scale
    assert ours.log_density([y])[0] == pytest.approx(theirs.logpdf(y), rel=1e-9, abs=1e-9)
    assert ours.cdf([y])[0] == pytest.approx(theirs.cdf(y), rel=1e-8)
    assert ours.quantile([level])[0, 0] == pytest.approx(theirs.ppf(level), rel=1e-9, abs=1e-9)
    if df > 2:
        assert ours.variance()[0] == pytest.approx(theirs.var(), rel=1e-9)


def test_student_t_golden_cauchy() -> None:
    """df = 1 is Cauchy's distribution: density 1/(pi (1 + z^2)), cdf 1/2 + arctan(z)/pi, quantile tan(pi (p - 1/2))."""
    cauchy = StudentT([2.0], [3.0], 1)
    assert np.exp(cauchy.log_density([8.0]))[0] == pytest.approx(1 / (3 * np.pi * 5), rel=1e-13)
    assert cauchy.cdf([8.0])[0] == pytest.approx(0.5 + np.arctan(2.0) / np.pi, rel=1e-13)
    assert cauchy.quantile([0.9])[0, 0] == pytest.approx(2 + 3 * np.tan(0.4 * np.pi), rel=1e-12)
    assert cauchy.log_density([1e250])[0] == pytest.approx(
        np.log(3 / np.pi) - 500 * np.log(10.0), rel=1e-13
    )


def test_student_t_moments_that_do_not_exist_name_the_case() -> None:
    t = StudentT([0.0, 1.0, 2.0, 3.0], np.ones(4), [3.0, 2.0, 1.5, 1.0])
    with pytest.raises(
        Undefined, match=r"no mean unless its df is greater than 1: case 3 has df 1\.0; the median"
    ):
        t.mean()
    with pytest.raises(
        Undefined,
        match=r"no variance unless its df is greater than 2: case 1 has df 2\.0, and 2 more",
    ):
        t.variance()
    assert np.array_equal(t.take([0, 1, 2]).mean(), [0.0, 1.0, 2.0])
    assert t.take([0]).variance()[0] == pytest.approx(3.0)
    assert np.allclose(t.median(), [0.0, 1.0, 2.0, 3.0])


def test_student_t_tends_to_the_gaussian() -> None:
    """The log densities differ by (z^4 - 2 z^2 - 1)/(4 df), which a plain difference of log Gammas would miss."""
    z = np.array([0.0, 1.0, 2.5])
    for df in (1e5, 1e9, 1e15):
        difference = StudentT(np.zeros(3), np.ones(3), df).log_density(z) - stats.norm.logpdf(z)
        assert np.allclose(difference, (z**4 - 2 * z**2 - 1) / (4 * df), atol=1e-14 + 100 / df**2)


def test_log_gamma_step_obeys_its_recursion() -> None:
    """Gamma(x + 1) = x Gamma(x) makes step(x + 1) - step(x) = log(1 + 1/(2x)), across the change of formula too."""
    x = np.concatenate([np.linspace(0.05, 60, 400), [1e3, 1e6]])
    assert np.allclose(
        _log_gamma_step(x + 1) - _log_gamma_step(x), np.log1p(0.5 / x), rtol=1e-12, atol=2e-13
    )
    assert _log_gamma_step(np.array([0.5]))[0] == pytest.approx(-0.5 * np.log(np.pi), rel=1e-14)


@st.composite
def mixtures(draw: st.DrawFn) -> Mixture:
    size = draw(st.integers(1, 6))
    weight = np.array(draw(st.lists(st.floats(0.01, 1.0), min_size=size, max_size=size)))
    mean = draw(st.lists(st.floats(-50, 50), min_size=size, max_size=size))
    sd = np.array(draw(st.lists(st.floats(1e-3, 20), min_size=size, max_size=size)))
    return Mixture(weight / weight.sum(), [mean], sd**2)


@MANY
@given(mixtures(), st.floats(-200, 200), st.floats(1e-9, 1 - 1e-9))
def test_mixture_is_the_weighted_sum_of_scipys(mixture: Mixture, y: float, level: float) -> None:
    weight, mean, variance = (
        mixture.weight[0],
        mixture.component_mean[0],
        mixture.component_variance[0],
    )
    parts = stats.norm(mean, np.sqrt(variance))
    assert mixture.cdf([y])[0] == pytest.approx((weight * parts.cdf(y)).sum(), rel=1e-9, abs=1e-300)
    with np.errstate(divide="ignore"):
        expected = np.logaddexp.reduce(np.log(weight) + parts.logpdf(y))
    assert mixture.log_density([y])[0] == pytest.approx(expected, rel=1e-10, abs=1e-10)
    second = (weight * (variance + mean**2)).sum()
    assert mixture.variance()[0] == pytest.approx(
        second - mixture.mean()[0] ** 2, rel=1e-8, abs=1e-8
    )
    x = mixture.quantile([level])[0, 0]
    step = 1e-11 * max(1.0, abs(x))
    below, above = mixture.cdf([x - step])[0], mixture.cdf([x + step])[0]
    assert below - 1e-15 <= level <= above + 1e-15


@st.composite
def quantile_predictions(draw: st.DrawFn) -> Quantiles:
    size = draw(st.integers(2, 7))
    gaps = np.array(draw(st.lists(st.floats(0.01, 1.0), min_size=size + 1, max_size=size + 1)))
    level = np.cumsum(gaps / gaps.sum())[:-1]
    widths = draw(st.lists(st.floats(1e-3, 100), min_size=size, max_size=size))
    return Quantiles(level, [draw(st.floats(-100, 100)) + np.cumsum(widths)])


@MANY
@given(quantile_predictions(), st.floats(1e-9, 1 - 1e-9))
def test_quantile_predictions_hold_together(pred: Quantiles, level: float) -> None:
    """The stated quantiles are the quantiles, density is the slope of the cdf, and the inverse inverts."""
    assert np.allclose(pred.quantile(pred.level), pred.value, rtol=1e-12, atol=1e-12)
    assert np.allclose([pred.cdf([q])[0] for q in pred.value[0]], pred.level, rtol=1e-12)
    x = pred.quantile([level])[0, 0]
    assert pred.cdf([x])[0] == pytest.approx(level, rel=1e-8)
    step = 1e-3 * np.diff(pred.value).min() * min(pred.level[0], 1 - pred.level[-1])
    if np.abs(pred.value - x).min() > step:
        slope = (pred.cdf([x + step])[0] - pred.cdf([x - step])[0]) / (2 * step)
        assert slope == pytest.approx(np.exp(pred.log_density([x])[0]), rel=1e-3, abs=1e-9)


def test_a_wrong_density_fails_the_integral() -> None:
    """Negative control: without the Jacobian of the scale the density does not integrate to one."""

    class Wrong(Gaussian):
        __slots__ = ()

        def _log_density(self, y: np.ndarray) -> np.ndarray:
            return super()._log_density(y) + 0.5 * np.log(self.variance())

    assert integral(Gaussian([0.0], [4.0]), 0, np.ones_like) == pytest.approx(1.0, abs=1e-9)
    assert integral(Wrong([0.0], [4.0]), 0, np.ones_like) == pytest.approx(2.0, abs=1e-9)
