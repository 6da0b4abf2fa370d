"""The bank family: distributions of the inputs, what the shares are like, its constants, and DELVE's own cases."""

from dataclasses import replace

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets.families import bank
from benchbook.datasets.families.base import linear_residual
from benchbook.seeds import generator

SEEN = ("bank-8fm", "bank-8fh", "bank-8nm", "bank-8nh", "bank-32nh")


@pytest.fixture(scope="module")
def canonical():
    """The canonical cases of the sets that are asked for here, each loaded once."""
    return {f"{name}-sim": datasets.load(f"{name}-sim") for name in (*SEEN, "bank-32nm")}


def _values(data):
    values = data.cases.to_numpy().astype(np.float64)
    return values[:, :-1], values[:, -1]


def _moments(values):
    """Linear residual, share of zeros, mean, spread, skew and largest of recorded targets."""
    inputs, y = values
    skew = np.mean((y - y.mean()) ** 3) / y.std() ** 3
    return np.array([linear_residual(inputs, y), np.mean(y == 0), y.mean(), y.std(), skew, y.max()])


def _quantiles(values):
    return np.quantile(values, np.linspace(0.01, 0.99, 50), axis=0)


@pytest.mark.parametrize(
    ("name", "residual", "zeros", "largest"),
    [
        # Least squares' residual, the share of exact zeros and the maximum of the published copies.
        ("bank-8fm-sim", (0.065, 0.01), (0.014, 0.012), (0.80, 0.08)),
        ("bank-32nh-sim", (0.466, 0.04), (0.203, 0.04), (0.82, 0.05)),
    ],
)
def test_shares_are_like_those_of_the_two_published_copies(
    canonical, name, residual, zeros, largest
):
    result = _moments(_values(canonical[name]))
    assert result[0] == pytest.approx(residual[0], abs=residual[1])
    assert result[1] == pytest.approx(zeros[0], abs=zeros[1])
    assert result[5] == pytest.approx(largest[0], abs=largest[1])


def test_bank_32nm_has_many_zeros_and_a_long_tail(canonical):
    """What is asked of a set of which no copy exists: many zeros, skew, shares up to near 0.8."""
    _, zeros, _, _, skew, largest = _moments(_values(canonical["bank-32nm-sim"]))
    assert 0.12 < zeros < 0.25
    assert skew > 2
    assert 0.68 < largest < 0.85


def _exponential(values, mean):
    """Largest gap between the values' distribution and the exponential one (Kolmogorov and Smirnov)."""
    x = np.sort(values)
    return np.abs(1 - np.exp(-x / mean) - (np.arange(x.size) + 0.5) / x.size).max()


def test_inputs_of_8_follow_the_published_laws(canonical):
    for name, reach, people in (("bank-8fm-sim", 0.5, 3.1), ("bank-8nm-sim", 1.0, 1.1)):
        x, _ = _values(canonical[name])
        np.testing.assert_allclose(x[:, :4].std(axis=0), reach / 3**0.5, rtol=0.03)
        assert np.abs(x[:, :4]).max() < reach
        assert max(_exponential(x[:, 4], people), _exponential(x[:, 5], people)) < 0.02
        assert x[:, 6].mean() == pytest.approx(0.60, abs=0.012)
        assert 0.02 < x[:, 6].min() < x[:, 6].max() < 0.995
        assert set(x[:, 7]) == {5, 6, 7, 8}
    assert _values(canonical["bank-8fm-sim"])[0][:, 4:6].max() == pytest.approx(30, rel=0.3)


def test_inputs_of_32_follow_the_published_laws(canonical):
    x, _ = _values(canonical["bank-32nh-sim"])
    areas, banks = x[:, :18].reshape(-1, 6), x[:, 19:31].reshape(-1, 4)
    for flat, width in (
        (areas[:, 0], 1),
        (areas[:, 1], 1),
        (banks[:, 0], 1),
        (banks[:, 1], 1),
        (areas[:, 4], 0.5),
    ):
        assert flat.std() == pytest.approx(width / 3**0.5, rel=0.02)
        assert np.abs(flat).max() < width
    assert (
        max(
            _exponential(areas[:, 2], 1),
            _exponential(areas[:, 3], 1),
            _exponential(areas[:, 5], 3.1),
        )
        < 0.015
    )
    assert (x[:, 18].mean(), x[:, 18].std()) == pytest.approx((0.5, 0.21), abs=0.012)
    assert (banks[:, 2].mean(), banks[:, 2].std()) == pytest.approx((4, 1.6), abs=0.06)
    assert set(banks[:, 2]) == set(range(2, 9))
    assert 0.5 <= banks[:, 3].min() < banks[:, 3].max() <= 2
    assert set(x[:, 31]) == {5, 6, 7, 8, 9}
    assert np.all(banks[:, 2] < np.repeat(x[:, 31], 3))


@pytest.mark.parametrize("name", SEEN)
def test_inputs_are_spread_like_delves(real_data, canonical, name):
    real_data(name)
    theirs, _ = _values(datasets.load(name))
    ours, _ = _values(canonical[f"{name}-sim"])
    gap = np.abs(_quantiles(theirs) - _quantiles(ours)).mean(axis=0)
    assert (gap / theirs.std(axis=0)).max() < 0.06


@pytest.mark.parametrize("name", SEEN)
def test_shares_are_spread_like_delves(real_data, canonical, name):
    """Residual, zeros, mean, spread, skew and maximum, and the quantiles in units of the spread."""
    real_data(name)
    theirs, ours = _values(datasets.load(name)), _values(canonical[f"{name}-sim"])
    gap = _moments(ours) - _moments(theirs)
    assert np.all(np.abs(gap) < [0.05, 0.04, 0.012, 0.008, 0.35, 0.15])
    assert np.abs(_quantiles(theirs[1]) - _quantiles(ours[1])).mean() < 0.11 * theirs[1].std()


def _agreement(name, member=None):
    """Correlation of DELVE's targets with our expected share on DELVE's own inputs."""
    inputs, targets = _values(datasets.load(name))
    inputs, targets = inputs[:2000], targets[:2000]
    rng = generator(9, "days")
    results = [bank.recorded(member or bank.law(f"{name}-sim"), inputs, rng) for _ in range(3)]
    return np.corrcoef(np.mean(results, axis=0), targets)[0, 1]


@pytest.mark.parametrize(
    ("name", "correlation"),
    [
        ("bank-8fm", 0.972),
        ("bank-8nm", 0.948),
        ("bank-8fh", 0.81),
        ("bank-8nh", 0.57),
        ("bank-32nh", 0.65),
    ],
)
def test_our_expected_share_goes_with_delves_targets(real_data, name, correlation):
    """Golden values: the queueing rules are ours, so these say how far they lead, not that they are DELVE's."""
    real_data(name)
    assert _agreement(name) == pytest.approx(
        correlation, abs=0.025 if name.endswith("h") else 0.008
    )


@pytest.mark.parametrize(
    "change",
    [
        {"softness": 8.0},
        {"residents": 0.0},
        {"town": replace(bank.WIDE, banks=bank.WIDE.banks[::-1])},
        {"town": replace(bank.WIDE, service=bank.WIDE.service[::-1])},
    ],
)
def test_other_towns_do_not_explain_them(real_data, change):
    real_data("bank-8nm")
    assert _agreement("bank-8nm", replace(bank.law("bank-8nm-sim"), **change)) < 0.93


def test_a_share_is_a_fraction_of_whole_customers(real_data):
    """In DELVE's bank-8fm the smallest shares are 1, 2 and 3 of 800 + 415 (a2pop + a3pop) customers."""
    real_data("bank-8fm")

    def whole(inputs, targets, head):
        counts = targets * (800 + head * inputs[:, 4:6].sum(axis=1))
        counts = counts[(counts > 0.5) & (counts < 3.5)]
        return np.mean(np.abs(counts - counts.round()) < 0.15)

    inputs, targets = _values(datasets.load("bank-8fm"))
    assert whole(inputs, targets, bank.HEAD) > 0.75
    assert whole(inputs, targets, 0.7 * bank.HEAD) < 0.5


@pytest.mark.parametrize(
    ("name", "share", "cases", "within"),
    [
        ("bank-8nm-sim", 0.035, 800, 0.03),
        ("bank-32nm-sim", 0.03, 800, 0.03),
        ("bank-32fh-sim", 0.30, 250, 0.06),
    ],
)
def test_attendance_is_what_the_wanted_noise_asks_for(name, share, cases, within):
    low, high = bank.law(name).attendance[2]
    width = bank.attendance_for_share(name, share, cases, lambda: generator(3, "noise"))
    assert width == pytest.approx((high - low) / (high + low), abs=within)


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("bank-8fm-sim", "69081fb02910"),
        ("bank-8nm-sim", "1316dfb54972"),
        ("bank-32nh-sim", "00efc6b28bc4"),
        ("bank-32nm-sim", "180648d66fb4"),
    ],
)
def test_golden_digests(canonical, name, digest):
    """Made by ``datasets.load(name).digest``; values have nine decimals, so other libraries give the same."""
    assert canonical[name].digest.startswith(digest)
