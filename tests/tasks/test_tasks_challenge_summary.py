"""What is kept of a challenge entry besides its losses."""

import numpy as np
import pytest

from benchbook import losses
from benchbook.predictive import Categorical, Gaussian, Point
from benchbook.tasks.scorer import challenge_summary


def test_honest_numbers_are_calibrated_and_sharp_ones_are_not():
    rng = np.random.default_rng(1)
    mean = rng.normal(size=4000)
    targets = mean + 2.0 * rng.normal(size=4000)
    honest, sharp = (
        challenge_summary(Gaussian(mean, np.full(4000, v)), targets) for v in (4.0, 0.25)
    )
    assert sum(honest["pit"]) == sum(sharp["pit"]) == 4000
    assert max(abs(np.array(honest["pit"]) - 200)) < 60
    assert sharp["pit"][0] > 1000 < sharp["pit"][-1]
    assert honest["coverage_90"] == pytest.approx(0.9, abs=0.02)
    assert honest["coverage_50"] == pytest.approx(0.5, abs=0.03)
    assert sharp["coverage_90"] < 0.4
    assert honest["width_90"] == pytest.approx(2 * 1.6449 * 2.0, rel=1e-3)
    assert honest["nMSE"] == pytest.approx(4.0 / 5.0, rel=0.1)


def test_a_point_has_no_interval():
    assert set(challenge_summary(Point(np.zeros(3)), np.arange(3.0))) == {"nMSE"}


def test_classes_are_counted_by_what_was_stated():
    stated = np.array([0.0, 0.02, 0.52, 0.53, 1.0])
    targets = np.array([0, 1, 1, 0, 1])
    prediction = Categorical(np.column_stack([1 - stated, stated]))
    result = challenge_summary(prediction, targets)
    assert [result["cases"][k] for k in (0, 10, 19)] == [2, 2, 1]
    assert result["stated"][10] == pytest.approx(0.525)
    assert (result["seen"][0], result["seen"][10], result["seen"][19]) == (0.5, 0.5, 1.0)
    assert result["LIFT"] == losses.get("LIFT").per_set(prediction, targets)
    assert sum(result["cases"]) == 5
