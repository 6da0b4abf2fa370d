"""Two quick models of a client's material, and the chart of their expected utilities."""

import numpy as np
import pytest

from benchbook.charts.utility_distribution import utility_distributions
from benchbook.errors import FaultyInput
from benchbook.pages import densities_utility
from benchbook.pages.densities_utility import Material, curved, left_out, material, straight


@pytest.fixture
def parabola():
    x = np.linspace(-1.0, 1.0, 40)[:, None]
    return Material(x, 3.0 + 2.0 * x[:, 0] ** 2 + 0.05 * np.sin(37.0 * x[:, 0]), "height", "m", "nowhere")


def test_every_case_is_predicted_unseen_and_curves_need_squares(parabola):
    bent, _ = left_out(curved, parabola)
    flat, _ = left_out(straight, parabola)
    assert np.abs(bent.mean() - parabola.targets).max() < 0.2 < np.abs(flat.mean() - parabola.targets).max()
    moved = Material(parabola.inputs, np.where(np.arange(40) == 7, 9.0, parabola.targets), "height", "m", "nowhere")
    again, also_seen = left_out(curved, moved)
    assert abs(again.mean()[7] - bent.mean()[7]) < 0.6  # what is left is the scale, which the whole data sets
    assert also_seen.mean()[7] > again.mean()[7] + 0.2


def test_without_concrete_there_is_a_simulated_arm(monkeypatch):
    monkeypatch.setattr(densities_utility.datasets, "at_hand", lambda name: False)
    found = material()
    assert (found.source, found.unit, len(found.targets)) == ("kin-8nm-sim", "m", 500)


def test_histograms_say_where_the_mass_is():
    rng = np.random.default_rng(1)
    chart = utility_distributions({"a": rng.normal(size=500), "b": np.full(500, 2.0)}, "error (m)").to_dict()
    assert "b: mean 2, 90% between 2 and 2" in chart["description"]
    with pytest.raises(FaultyInput, match="one or a few"):
        utility_distributions({}, "error")
