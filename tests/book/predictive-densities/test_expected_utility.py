"""Two quick models of a client's material, and the chart of their expected utilities."""

import numpy as np
import pytest

from benchbook.errors import FaultyInput


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


def test_histograms_say_where_the_mass_is(page):
    rng = np.random.default_rng(1)
    chart = page.utility_distributions(
        {"a": rng.normal(size=500), "b": np.full(500, 2.0)}, "error (m)"
    ).to_dict()
    assert "b: mean 2, 90% between 2 and 2" in chart["description"]
    with pytest.raises(FaultyInput, match="one or a few"):
        page.utility_distributions({}, "error")


def test_the_numbers_drawn_are_shares_of_the_replicates_and_their_quantiles(page):
    values = np.arange(1.0, 101.0)
    chart = page.utility_distributions({"a": values}, "error (m)", 0.8).to_dict()
    rows = [row for rows in chart["datasets"].values() for row in rows]
    bars = [row for row in rows if "value" in row]
    assert len(bars) == page._BINS + 1
    assert sum(row["share"] for row in bars) == pytest.approx(1.0)
    assert (bars[0]["value"], bars[-1]["value"]) == (1.0, 100.0)
    (end,) = [row for row in rows if "low" in row]
    assert [end["low"], end["high"]] == pytest.approx(np.quantile(values, [0.1, 0.9]))
    assert end["middle"] == 50.5
