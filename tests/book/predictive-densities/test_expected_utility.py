"""Two quick models of a client's material, and the chart of their expected utilities."""

import numpy as np
import pytest


@pytest.fixture
def parabola(page):
    x = np.linspace(-1.0, 1.0, 40)[:, None]
    return page.Material(
        x, 3.0 + 2.0 * x[:, 0] ** 2 + 0.05 * np.sin(37.0 * x[:, 0]), "height", "m", "nowhere"
    )


def test_every_case_is_predicted_unseen_and_curves_need_squares(parabola, page):
    bent, _ = page.left_out(page.curved, parabola)
    flat, _ = page.left_out(page.straight, parabola)
    assert (
        np.abs(bent.mean() - parabola.targets).max()
        < 0.2
        < np.abs(flat.mean() - parabola.targets).max()
    )
    targets = np.where(np.arange(40) == 7, 9.0, parabola.targets)
    moved = page.Material(parabola.inputs, targets, "height", "m", "nowhere")
    again, also_seen = page.left_out(page.curved, moved)
    assert (
        abs(again.mean()[7] - bent.mean()[7]) < 0.6
    )  # what is left is the scale, which the whole data sets
    assert also_seen.mean()[7] > again.mean()[7] + 0.2


def test_curves_have_all_squares_and_products_of_standardised_inputs(page):
    x = np.array([[1.0, 5.0, 7.0], [3.0, 5.0, 9.0], [5.0, 5.0, 7.0]])
    one, a, b, c = page.straight(x).T
    assert a == pytest.approx(np.array([-1.0, 0.0, 1.0]) * 1.5**0.5)
    assert (one.tolist(), b.tolist()) == ([1.0] * 3, [0.0] * 3)
    wanted = [one, a, b, c, a * a, a * b, a * c, b * b, b * c, c * c]
    np.testing.assert_allclose(page.curved(x).T, wanted)


def test_without_concrete_there_is_a_simulated_arm(monkeypatch, page):
    monkeypatch.setattr(page.datasets, "at_hand", lambda name: False)
    result = page.material()
    assert (result.source, result.unit, len(result.targets)) == ("kin-8nm-sim", "m", 500)


def test_drawn(page):
    page.utility_distributions({"a": np.arange(1.0, 101.0)}, "error (m)", 0.8)
    page.utility_distributions({"a": np.arange(50.0), "b": np.full(5, 2.0)}, "error (m)")
