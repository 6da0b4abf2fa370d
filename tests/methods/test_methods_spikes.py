"""The exploits do what they say: an NLPD without bound, from nothing; and they can be told by name."""

import numpy as np
import pytest

from benchbook import losses, methods
from benchbook.errors import BenchbookError
from benchbook.losses import gaming
from benchbook.methods.base import is_exploit
from benchbook.methods.challenge.spikes import grid, local_linear, spikes
from benchbook.seeds import generator


@pytest.fixture
def pixels(make_instance, rng):
    """Whole numbers with a spread of about ten around a plane, on a scale where a step is 1/7."""
    inputs = rng.normal(size=(400, 2))
    targets = np.rint(60 * inputs[:, 0] - 20 * inputs[:, 1] + 10 * rng.normal(size=400)) / 7 + 0.3
    return make_instance(inputs[:200], targets[:200], inputs[200:]), targets[200:]


def test_halving_the_width_gains_log_2_of_nlpd_and_nothing_of_crps(pixels):
    instance, targets = pixels
    nlpd, crps = [], []
    for width in (0.02, 0.01, 0.005, 1e-6):
        prediction, diagnostics = methods.answer(spikes(width), instance, generator(1))
        nlpd.append(losses.get("NLPD").per_case(prediction, targets).mean())
        crps.append(losses.get("CRPS").per_case(prediction, targets).mean())
        assert diagnostics["spikes"] > 200
    np.testing.assert_allclose(np.diff(nlpd[:3]), -np.log(2), atol=1e-3)
    assert nlpd[3] - nlpd[2] == pytest.approx(-np.log(5000), abs=1e-2)
    np.testing.assert_allclose(crps, crps[0], rtol=1e-3)


def test_the_detection_sees_the_exploit_and_not_the_method_it_abuses(pixels):
    instance, targets = pixels
    abused = methods.answer(methods.get("exploit-spikes-1"), instance, generator(1))[0]
    honest = methods.answer(methods.get("conformal-cpd-1"), instance, generator(1))[0]
    assert gaming.inspect(abused, targets, 1 / 7).suspicious
    assert not gaming.inspect(honest, targets, 1 / 7).suspicious
    selected = [gaming.inspect(each, targets, 1 / 7).discretised for each in (honest, abused)]
    assert selected[1] == pytest.approx(selected[0], abs=0.05)


def test_targets_on_no_grid_leave_the_honest_answer(make_instance, rng):
    inputs, targets = rng.normal(size=(80, 2)), rng.normal(size=80)
    instance = make_instance(inputs, targets, inputs[:5])
    prediction, diagnostics = methods.answer(
        methods.get("exploit-spikes-1"), instance, generator(1)
    )
    assert diagnostics == {"spikes": 0}
    assert prediction == methods.answer(methods.get("conformal-cpd-1"), instance, generator(1))[0]
    fine = make_instance(inputs, 1e6 + np.arange(80) * 1e-4, inputs[:5])
    assert methods.answer(spikes(1e-4), fine, generator(1))[1] == {"spikes": 0}


def test_the_grid_by_hand():
    result = grid(np.array([0.5, 2.0, 1.25, 8.0]))
    assert result.step == pytest.approx(0.75)
    np.testing.assert_allclose(result.values, 0.5 + 0.75 * np.arange(-1, 12))
    assert grid(np.array([0.0, 1.0, 2.5])) is None
    assert grid(np.array([0.0, 1.0, 5000.0])) is None
    assert grid(np.ones(4)) is None


def test_planes_are_found_exactly_and_noise_by_its_size(make_instance, rng):
    inputs = rng.normal(size=(300, 3))
    plane = 1 + inputs @ [2.0, -1.0, 0.5]
    exact = local_linear(make_instance(inputs[:200], plane[:200], inputs[200:]), rng)
    assert np.abs(exact.mean() - plane[200:]).max() < 0.05
    noisy = local_linear(
        make_instance(inputs[:200], plane[:200] + 0.5 * rng.normal(size=200), inputs[200:]), rng
    )
    assert 0.5 < np.sqrt(noisy.variance().mean()) < 0.9
    assert np.sqrt(np.mean((noisy.mean() - plane[200:]) ** 2)) < 0.5


def test_exploits_are_flagged_and_no_other_method_is():
    flagged = {name for name in methods.available() if getattr(methods.get(name), "exploit", False)}
    assert flagged == {name for name in methods.available() if is_exploit(name)}
    assert {"exploit-spikes-1", "exploit-llr-1"} <= flagged
    assert "base-1" not in flagged
    assert methods.get("exploit-spikes-1").exploit
    assert spikes(0.25).name == "exploit-spikes-0.25"


@pytest.mark.parametrize(("width", "name"), [(0.0, ""), (1.0, ""), (0.5, "honest-1")])
def test_what_is_refused(width, name):
    with pytest.raises(BenchbookError, match=r"between 0 and 1|begins with exploit-"):
        spikes(width, name)
