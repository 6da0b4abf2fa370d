"""The kin family: its kinematics, its statistics against the published ones, and DELVE's own targets."""

import numpy as np
import pytest
from refusals import refused

from benchbook import datasets
from benchbook.datasets import families
from benchbook.datasets.families import kin
from benchbook.errors import BenchbookError, UnknownName
from benchbook.kernels.kinematics import distances
from benchbook.seeds import generator

MEMBERS = tuple(kin.LAWS)
both = pytest.mark.parametrize("reach", [distances, kin.plain_distances], ids=["compiled", "plain"])
ZERO = np.zeros(3)


@both
def test_two_planar_links_follow_the_textbook(reach, rng):
    x = rng.uniform(-np.pi, np.pi, (50, 2))
    flat = np.zeros((1, 2))
    result = reach(x, flat, np.array([[2.0, 1.3]]), flat, np.array([0.3, -0.2, 0.5]))
    across = 2.0 * np.cos(x[:, 0]) + 1.3 * np.cos(x.sum(axis=1)) - 0.3
    along = 2.0 * np.sin(x[:, 0]) + 1.3 * np.sin(x.sum(axis=1)) + 0.2
    np.testing.assert_allclose(result, np.sqrt(across**2 + along**2 + 0.25), rtol=1e-13)


@both
def test_a_twist_tips_the_next_offset_over(reach):
    """One joint at angle 0 with a quarter twist turns the second link's offset from z to -y."""
    result = reach(
        np.zeros((1, 2)),
        np.array([[np.pi / 2, 0.0]]),
        np.zeros((1, 2)),
        np.array([[0.0, 0.7]]),
        np.array([0.0, -0.7, 0.0]),
    )
    np.testing.assert_allclose(result, [0.0], atol=1e-15)


@both
def test_turning_the_base_does_not_change_the_distance_to_the_axis(reach, rng):
    inputs = kin.draw("kin-32nm-sim", 40, rng)
    theta, alpha, a, d = np.split(inputs, 4, axis=1)
    turned = theta + np.eye(8)[0] * rng.uniform(-3, 3, (40, 1))
    np.testing.assert_allclose(
        reach(turned, alpha, a, d, np.array([0, 0, 0.4])),
        reach(theta, alpha, a, d, np.array([0, 0, 0.4])),
        rtol=1e-12,
    )


@both
def test_mirroring_the_arm_and_the_target_changes_nothing(reach, rng):
    theta = kin.draw("kin-8nm-sim", 60, rng)
    arm = (kin.TWIST[None], kin.LENGTH[None], kin.OFFSET[None], kin.TARGET)
    mirrored = (kin.TWIST[None], -kin.LENGTH[None], -kin.OFFSET[None], -kin.TARGET)
    np.testing.assert_allclose(reach(theta, *arm), reach(theta, *mirrored), rtol=1e-12)


@pytest.mark.parametrize("name", MEMBERS)
def test_compiled_and_plain_kinematics_agree(name, rng):
    arm = kin._arm(kin.law(name), kin.draw(name, 300, rng))
    np.testing.assert_allclose(distances(*arm), kin.plain_distances(*arm), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "share", "residual", "mean", "sd"),
    [
        # Noise share, linear residual of the clean function, mean and sd as the published copies and fits have them.
        # The copy of kin-32fm is rescaled, so its mean and sd are golden values of this simulation.
        ("kin-8nm-sim", (0.0435, 0.002), (0.578, 0.015), (0.714, 0.006), (0.264, 0.003)),
        ("kin-8fm-sim", (0.024, 0.0035), (0.050, 0.006), (0.902, 0.002), (0.077, 0.0035)),
        ("kin-8nh-sim", (0.31, 0.01), (0.54, 0.04), (0.712, 0.006), (0.270, 0.005)),
        ("kin-8fh-sim", (0.255, 0.006), (0.053, 0.004), (0.896, 0.002), (0.084, 0.002)),
        ("kin-32fm-sim", (0.051, 0.006), (0.0504, 0.004), (1.80, 0.02), (0.395, 0.01)),
    ],
)
def test_the_simulation_is_like_the_published_data(name, share, residual, mean, sd):
    result = datasets.simulation_report(name, 60_000, generator(7, name))
    assert result.noise_share == pytest.approx(share[0], abs=share[1])
    assert result.linear_residual == pytest.approx(residual[0], abs=residual[1])
    assert result.mean == pytest.approx(mean[0], abs=mean[1])
    assert result.sd == pytest.approx(sd[0], abs=sd[1])
    assert result.unexplained >= result.noise_share - 0.005


def test_the_guess_at_kin_32nm_is_within_what_delve_defines():
    result = datasets.simulation_report("kin-32nm-sim", 60_000, generator(7, "kin-32nm-sim"))
    assert 0.01 < result.noise_share < 0.05
    assert result.linear_residual > 0.40


def test_the_noise_of_kin_32nm_is_what_its_search_gives():
    inputs = kin.draw("kin-32nm-sim", 60_000, generator(3, "inputs"))
    width = kin.noise_for_share("kin-32nm-sim", 0.03, inputs, lambda: generator(3, "noise"))
    assert width == pytest.approx(kin.LAWS["kin-32nm-sim"].noise, abs=0.002)


def test_the_search_for_the_noise_finds_a_known_one():
    inputs = kin.draw("kin-8nm-sim", 30_000, generator(3, "inputs"))
    share = datasets.simulation_report("kin-8nm-sim", 60_000, generator(4, "report")).noise_share
    width = kin.noise_for_share("kin-8nm-sim", share, inputs, lambda: generator(3, "noise"))
    assert width == pytest.approx(kin.LAWS["kin-8nm-sim"].noise, abs=0.005)


def _published(name):
    values = datasets.load(name).cases.to_numpy()
    return values[:, :8], values[:, 8]


@pytest.mark.parametrize(
    ("name", "correlation", "slope", "within"),
    [
        # The correlation found when the constants were fitted; the slope of a straight line of y on the clean distance,
        # which noise in the angles draws below one.
        ("kin-8nm", 0.978, 0.979, 0.001),
        ("kin-8fm", 0.988, 0.999, 0.0015),
        ("kin-8nh", 0.824, 0.833, 0.003),
        # Found afterwards, and not by fitting, except for the size of the noise.
        ("kin-8fh", 0.871, 0.9985, 0.0005),
    ],
)
def test_our_generator_explains_delves_own_targets(real_data, name, correlation, slope, within):
    real_data(name)
    inputs, targets = _published(name)
    clean = kin.clean(f"{name}-sim", inputs)
    assert np.corrcoef(clean, targets)[0, 1] == pytest.approx(correlation, abs=within)
    assert np.polyfit(clean, targets, 1)[0] == pytest.approx(slope, abs=0.006)


@pytest.mark.parametrize(
    ("constant", "link", "change"),
    [
        ("OFFSET", 2, 0.3),
        ("OFFSET", 5, -0.1),
        ("LENGTH", 7, 0.1),
        ("LENGTH", 1, 0.8),
        ("TWIST", 6, -np.pi),
    ],
)
def test_other_constants_do_not_explain_them(real_data, monkeypatch, constant, link, change):
    real_data("kin-8nm")
    wrong = getattr(kin, constant).copy()
    wrong[link] += change
    monkeypatch.setattr(kin, constant, wrong)
    inputs, targets = _published("kin-8nm")
    assert np.corrcoef(kin.clean("kin-8nm-sim", inputs), targets)[0, 1] < 0.970


def test_twice_the_noise_is_told_apart(monkeypatch):
    monkeypatch.setitem(kin.LAWS, "kin-8nm-sim", kin.KinLaw(8, np.pi / 2, 0.4))
    assert datasets.simulation_report("kin-8nm-sim", 20_000, generator(7, "x")).noise_share > 0.10


@pytest.mark.parametrize("name", MEMBERS)
def test_the_canonical_cases_are_as_the_card_says(name):
    data = datasets.load(name)
    assert (len(data), data.cases.width) == (8192, data.card.shape.attributes)
    assert data.cases.columns[-1] == "dist"
    for attribute in data.attributes:
        column = data.cases[attribute.name]
        assert column.min() in attribute.range
        assert column.max() in attribute.range
    assert datasets.at_hand(name)


def test_golden_digest_of_kin_8nm_sim():
    """Made by ``datasets.load("kin-8nm-sim").digest``; values have nine decimals, so other libraries give the same."""
    data = datasets.load("kin-8nm-sim")
    assert data.digest == "d6a55e9d4cc4d60112bec347ceb85277899f5f5b5c1a8d2bbceda206dc203c30"
    assert data.digest == datasets.load("kin-8nm-sim").digest


def test_simulated_values_have_nine_decimals(rng):
    values = datasets.simulate("kin-32fm-sim", 50, rng).cases.to_numpy()
    np.testing.assert_array_equal(values, np.round(values, 9))


def test_a_generator_gives_any_number_of_cases_and_decides_them():
    item = datasets.simulate("kin-8fh-sim", 37, generator(1, "a"))
    same = datasets.simulate("kin-8fh-sim", 37, generator(1, "a"))
    other = datasets.simulate("kin-8fh-sim", 37, generator(1, "b"))
    assert len(item) == 37
    assert item.digest == same.digest != other.digest


def test_what_cannot_be_simulated_is_refused(rng):
    refused(UnknownName, "kin-8nm-sim", datasets.simulate, "kin-8nm", 10, rng)
    refused(BenchbookError, "at least one", datasets.simulate, "kin-8nm-sim", 0, rng)
    refused(BenchbookError, r"needs \[n, 8\]", kin.clean, "kin-8nm-sim", np.zeros((4, 32)))
    refused(BenchbookError, "no member", kin.clean, "kin-9nm-sim", np.zeros((4, 8)))


def test_every_member_of_a_family_has_a_card_and_the_other_way_round():
    simulated = {name for name in datasets.available() if datasets.card(name).simulated_here}
    assert set(families.available()) == simulated
    assert families.kin.FAMILY is families.find("kin-8nm-sim")
    with pytest.raises(AttributeError, match="no family"):
        _ = families.kiln
