"""Spikes on discrete targets: NLPD falls without bound, CRPS and the NLPD of cells do not, and the check sees them."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from scipy import integrate

from benchbook import losses
from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.losses import gaming
from benchbook.predictive import (
    Categorical,
    Draws,
    Gaussian,
    Mixture,
    Point,
    Predictive,
    Quantiles,
    StudentT,
    StudentTMixture,
)

VALUES = np.arange(0.0, 40.0)  # pixels
WIDTHS = 2.0 ** -np.arange(1, 31, 2)
KINDS: dict[str, Predictive] = {
    "gaussian": Gaussian([1.3], [4.0]),
    "student-t": StudentT([1.3], [2.0], 3.0),
    "mixture": Mixture([0.3, 0.7], [[0.0, 3.0]], [1.0, 0.5]),
    "quantiles": Quantiles([0.2, 0.3, 0.8, 0.9], [[-2.0, -1.0, 1.0, 3.0]]),
    "student-t-mixture": StudentTMixture([0.3, 0.7], [[0.0, 3.0]], [1.0, 0.7], [3.0, 8.0]),
}


def world(rng: np.random.Generator, cases: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pixels: a mean that a method may know, a wide guess that all may have, and the rounded targets."""
    mean = rng.uniform(8, 32, cases)
    y = np.rint(mean + rng.normal(size=cases))
    return mean, mean + rng.normal(0.0, 3.0, cases), y


def needles(guess: np.ndarray, sd: float, width: float) -> Quantiles:
    weight = np.exp(-0.5 * ((VALUES - guess[:, None]) / sd) ** 2)
    return gaming.spikes(VALUES, weight, width)


def cell_mass(pred: Predictive, y: list[float], h: float, origin: float = 0.0) -> np.ndarray:
    return np.exp(gaming.log_cell_mass(pred, y, h, origin))


def mean_loss(code: str, pred: Predictive, y: np.ndarray) -> float:
    return float(losses.get(code).per_case(pred, y).mean())


def test_nlpd_falls_without_bound_and_crps_does_not(rng: np.random.Generator) -> None:
    """log 2 a halving for NLPD; CRPS tends to the one of the needles' limit, and so does the NLPD of cells."""
    _, guess, y = world(rng)
    preds = [needles(guess, 3.2, width) for width in WIDTHS]
    nlpd, crps = (
        np.array([mean_loss(code, pred, y) for pred in preds]) for code in ("NLPD", "CRPS")
    )
    assert np.allclose(np.diff(nlpd), -2 * np.log(2), rtol=1e-6)
    assert nlpd[-1] < -15
    weight = np.diff(preds[-1].level, prepend=0.0)[:, 1::2]
    cdf = np.cumsum(weight, axis=1)
    discrete = ((cdf - (y[:, None] <= VALUES)) ** 2)[:, :-1].sum(axis=1).mean()
    assert np.abs(crps - discrete).max() < 0.2
    assert np.abs(np.diff(crps))[3:].max() < 0.01
    assert crps[-1] == pytest.approx(discrete, rel=5e-3)
    assert crps[-1] > 0.5 * crps[0] > 0
    cells = gaming.DiscretisedLogDensity(1.0)
    assert np.ptp([cells.per_case(pred, y).mean() for pred in preds]) < 1e-3


def test_the_exploit_wins_by_nlpd_and_loses_by_the_rest(rng: np.random.Generator) -> None:
    """A method that knows the mean against needles around a poor guess."""
    mean, guess, y = world(rng)
    honest, exploit = Gaussian(mean, np.full(y.size, 1 + 1 / 12)), needles(guess, 3.2, 1e-6)
    assert mean_loss("NLPD", exploit, y) < mean_loss("NLPD", honest, y) - 8
    assert mean_loss("CRPS", exploit, y) > 1.5 * mean_loss("CRPS", honest, y)
    for loss in (gaming.DiscretisedLogDensity(1.0), gaming.BoundedLogDensity(1.0)):
        cost = [loss.per_case(pred, y).mean() for pred in (exploit, honest)]
        assert min(cost) >= 0
    assert gaming.DiscretisedLogDensity(1.0).per_case(exploit, y).mean() > 0.5 + (
        gaming.DiscretisedLogDensity(1.0).per_case(honest, y).mean()
    )


def test_a_bound_alone_leaves_an_advantage_that_cells_do_not(rng: np.random.Generator) -> None:
    """Needles of width h/4 reach the bound on every value, however poor; cells see through them."""
    mean, guess, y = world(rng)
    honest, exploit = Gaussian(mean, np.full(y.size, 1 + 1 / 12)), needles(guess, 3.2, 1e-6)
    bounded = gaming.BoundedLogDensity(1.0)
    assert bounded.per_case(exploit, y).mean() == pytest.approx(0.0, abs=1e-3)
    assert bounded.per_case(exploit, y).mean() < bounded.per_case(honest, y).mean()


def test_inspection_tells_spikes_from_honest_predictions(rng: np.random.Generator) -> None:
    mean, guess, y = world(rng)
    honest = gaming.inspect(Gaussian(mean, np.full(y.size, 1 + 1 / 12)), y, 1.0)
    assert not honest.suspicious
    assert honest.earned == pytest.approx(0.0, abs=0.02)
    assert honest.core == pytest.approx(gaming.CORE, abs=0.01)
    assert honest.above_bound == 0.0
    wide = gaming.inspect(needles(guess, 3.2, 0.4), y, 1.0)
    assert wide.suspicious or wide.earned > 0.5
    sharp = gaming.inspect(needles(guess, 3.2, 1e-6), y, 1.0, VALUES)
    assert sharp.suspicious
    assert sharp.earned == pytest.approx(np.log(1e6), abs=0.02)
    assert sharp.above_bound == 1.0
    assert sharp.core > 0.99


def test_needles_of_gaussians_are_seen_too(rng: np.random.Generator) -> None:
    _, _, y = world(rng, 60)
    weight = np.full(VALUES.size, 1 / VALUES.size)
    pred = Mixture(weight, np.tile(VALUES, (60, 1)), np.full(VALUES.size, 1e-12))
    result = gaming.inspect(pred, y, 1.0, VALUES)
    assert result.suspicious
    assert result.nlpd == pytest.approx(np.log(40 * 1e-6 * np.sqrt(2 * np.pi)), rel=1e-9)
    assert result.discretised == pytest.approx(np.log(40), rel=1e-9)
    assert np.allclose(gaming.peak_density(pred), 1 / (40 * 1e-6 * np.sqrt(2 * np.pi)), rtol=1e-9)


@pytest.mark.parametrize("narrower", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize(
    "make",
    [
        lambda mean, sd: Gaussian(mean, sd**2),
        lambda mean, sd: StudentT(mean, sd, 1e6),
        lambda mean, sd: Mixture([1.0], mean[:, None], sd[:, None] ** 2),
        lambda mean, sd: StudentTMixture([1.0], mean[:, None], sd[:, None], [1e6]),
        lambda mean, sd: Quantiles([0.3, 0.6], mean[:, None] + sd[:, None] * [-0.5, 0.3]),
    ],
)
def test_who_is_too_sure_is_no_cheat(
    make: Callable[..., Predictive], narrower: float, rng: np.random.Generator
) -> None:
    """Far too narrow, and in the wrong places: cells cost it less than densities, and it earned nothing."""
    mean, _, y = world(rng)
    seen = gaming.inspect(make(mean, np.full(y.size, narrower * np.sqrt(1 + 1 / 12))), y, 1.0)
    assert not seen.suspicious
    assert np.isfinite(seen.discretised)
    assert seen.earned < 0.05


def test_needles_that_miss_earn_nothing(rng: np.random.Generator) -> None:
    """All of its probability in the middle of the cells, and of the wrong ones."""
    _, _, y = world(rng)
    seen = gaming.inspect(Gaussian(y + 3, np.full(y.size, 1e-8)), y, 1.0, np.arange(60.0))
    assert seen.core > 0.99
    assert seen.earned < 0
    assert not seen.suspicious


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("y", [-6.0, 0.4, 1.0, 9.0])
def test_mass_of_a_cell_is_the_integral(kind: str, y: float) -> None:
    pred, h = KINDS[kind], 0.5
    centre = h * np.rint(y / h)
    inner = [q for q in (-2.0, -1.0, 1.0, 3.0) if abs(q - centre) < h / 2]
    edges = np.array([centre - h / 2, *inner, centre + h / 2])
    expected = sum(
        integrate.quad(lambda x: np.exp(pred.log_density([x])[0]), a, b)[0]
        for a, b in itertools.pairwise(edges)
    )
    assert cell_mass(pred, [y], h)[0] == pytest.approx(expected, rel=1e-9)
    result = gaming.DiscretisedLogDensity(h).per_case(pred, [y])[0]
    assert result == pytest.approx(-np.log(expected / h), abs=1e-8)


def test_cells_of_steps_and_grids() -> None:
    """Draws at 1, 1.5, 1.5 and 7: the cell (0.5, 1.5] holds three of four, and one with another origin none."""
    pred = Draws([[1.0, 1.5, 1.5, 7.0]])
    assert cell_mass(pred, [1.0], 1.0)[0] == pytest.approx(0.75, rel=1e-15)
    assert cell_mass(pred, [7.0], 1.0)[0] == 0.25
    assert cell_mass(pred, [2.5], 1.0, origin=0.5)[0] == 0.0
    assert cell_mass(Point([1.5]), [1.0], 1.0)[0] == 1.0
    assert gaming.DiscretisedLogDensity(1.0).per_case(pred, [3.0])[0] == np.inf
    assert gaming.DiscretisedLogDensity(1.0).per_case(pred, [1.0])[0] == pytest.approx(
        -np.log(0.75)
    )


def test_both_tails_keep_their_digits() -> None:
    pred = Gaussian([0.0, 0.0], [1.0, 1.0])
    low, high = cell_mass(pred, [-20.0, 20.0], 1.0)
    assert low == high > 0
    t = StudentT([0.0, 0.0], [1.0, 1.0], 5.0)
    assert np.ptp(cell_mass(t, [-1e4, 1e4], 1.0)) == 0


def test_tiny_levels_are_no_hindrance() -> None:
    pred = Quantiles([1e-18, 0.5, 0.9], [[0.0, 1.0, 2.0]])
    assert cell_mass(pred, [1.0], 1.0)[0] == pytest.approx(0.25 + 0.2, rel=1e-12)


def test_cells_agree_with_densities_when_smooth(rng: np.random.Generator) -> None:
    mean, y = rng.normal(size=50), rng.normal(size=50).round(3)
    pred = Gaussian(mean, np.full(50, 1.0))
    assert np.allclose(
        gaming.DiscretisedLogDensity(1e-3).per_case(pred, y),
        losses.get("NLPD").per_case(pred, y),
        atol=1e-6,
    )


def test_lower_bounds(rng: np.random.Generator) -> None:
    _, guess, y = world(rng, 50)
    for width in (0.3, 1e-3, 1e-9):
        pred = needles(guess, 0.5, width)
        for loss in (gaming.DiscretisedLogDensity(0.5), gaming.BoundedLogDensity(0.5)):
            assert loss.per_case(pred, y).min() >= np.log(0.5)
    assert gaming.BoundedLogDensity(0.5).code == "NLPD<0.5"


def test_the_cells_loss_is_proper(rng: np.random.Generator) -> None:
    """Rounded Gaussian targets: no shifted, wider or narrower Gaussian costs less than the true one."""
    n, loss = 20_000, gaming.DiscretisedLogDensity(1.0)
    y = np.rint(rng.normal(0.3, 1.2, n))
    true = loss.per_case(Gaussian(np.full(n, 0.3), np.full(n, 1.44)), y)
    for mean, variance in ((0.5, 1.44), (0.3, 2.0), (0.3, 1.0)):
        more = loss.per_case(Gaussian(np.full(n, mean), np.full(n, variance)), y) - true
        assert more.mean() > 3 * more.std() / np.sqrt(n)


def test_the_bound_is_not_proper(rng: np.random.Generator) -> None:
    """Negative control: targets that truly vary less than h; a wider Gaussian costs less than the true one."""
    n, loss = 20_000, gaming.BoundedLogDensity(1.0)
    y = 0.2 * rng.normal(size=n)
    wider = Gaussian(np.zeros(n), np.full(n, 0.09))
    more = loss.per_case(wider, y) - loss.per_case(Gaussian(np.zeros(n), np.full(n, 0.04)), y)
    assert more.mean() < -3 * more.std() / np.sqrt(n)


@pytest.mark.parametrize("kind", KINDS)
def test_peaks_are_not_exceeded(kind: str) -> None:
    grid = np.linspace(-8, 8, 4001)
    pred = KINDS[kind]
    density = np.exp(pred.take(np.zeros(grid.size, int)).log_density(grid)).max()
    assert gaming.peak_density(pred)[0] == pytest.approx(density, rel=1e-3)
    assert gaming.peak_density(Draws([[1.0]]))[0] == np.inf


def test_spikes_are_what_was_asked_for(rng: np.random.Generator) -> None:
    weight = rng.dirichlet(np.ones(4), 3)
    pred = gaming.spikes([0.0, 1.0, 2.0, 5.0], weight, 0.01, spread=0.09)
    for v, value in enumerate((0.0, 1.0, 2.0, 5.0)):
        held_out = pred.cdf(np.full(3, value + 0.005)) - pred.cdf(np.full(3, value - 0.005))
        assert np.allclose(held_out, 0.91 * weight[:, v] + 0.01, rtol=1e-9)
    with pytest.raises(FaultyInput, match="must be increasing numbers"):
        gaming.spikes([1.0, 1.0], weight, 0.1)
    with pytest.raises(FaultyInput, match="below the distance between any two"):
        gaming.spikes([1.0, 2.0], weight, 1.0)
    with pytest.raises(FaultyInput) as caught:
        gaming.spikes([1.0, 2.0], [[-1.0, 2.0]], 0.1, spread=0.0)
    assert [fault.where for fault in caught.value.faults] == ["weight", "spread"]


def test_what_does_not_apply_is_said() -> None:
    for resolution in (0.0, -1.0, np.nan):
        with pytest.raises(BenchbookError, match="resolution must be a finite number above 0"):
            gaming.DiscretisedLogDensity(resolution)
    with pytest.raises(Undefined, match="has no density"):
        gaming.peak_density(Categorical([[0.5, 0.5]]))
    with pytest.raises(Undefined, match="not one of a single number"):
        gaming.core_share(Categorical([[0.5, 0.5]]), [0.0], 1.0)
    with pytest.raises(BenchbookError, match="core must be strictly between"):
        gaming.core_share(Gaussian([0.0], [1.0]), [0.0], 1.0, core=1.0)


@pytest.mark.parametrize("core", [0.0, 1.0, -0.5])
def test_the_core_is_a_part_of_a_cell(core: float) -> None:
    with pytest.raises(BenchbookError, match="strictly between 0 and 1"):
        gaming.core_share(Gaussian([0.0], [1.0]), [0.0], 1.0, core)
