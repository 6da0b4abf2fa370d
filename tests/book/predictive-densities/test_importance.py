"""One observation dragged away from a line, and its charts."""

import numpy as np
import pytest

from benchbook.errors import FaultyInput


@pytest.fixture(scope="module")
def helper(chapter):
    return chapter("predictive-densities/importance")


@pytest.fixture(scope="module")
def walk(helper):
    return helper.drag(np.array([0.0, 3.0, 6.0]), draws=400, repeats=3)


def test_weights_concentrate_and_flatter_as_it_goes(walk):
    found = walk.measures
    assert found["effective"].is_sorted(descending=True)
    assert abs(found["raw"][0] - found["exact"][0]) < 0.1 < found["raw_mean"][2] - found["exact"][2]
    assert (found["posterior"] > found["exact"]).all()
    assert found["k_hat"][0] < 0.6 < found["k_hat"][2]


def test_curves_begin_at_nothing_and_end_at_all(walk):
    for _, curve in walk.curves.group_by("shift"):
        assert (curve["mass"][0], curve["share"][0]) == (0.0, 0.0)
        assert curve["mass"][-1] == pytest.approx(1.0)
        assert (curve["mass"] >= curve["share"] - 1e-12).all()


def test_charts_say_what_they_show(walk, helper):
    told = helper.dragged_weights(walk.curves, walk.measures, walk.draws, 0.6, 3.0).to_dict()
    assert "at 3 standard deviations" in told["description"]
    assert {param["name"] for param in told["params"]} == {"shift"}
    assert "seen by the model" in helper.left_out_densities(walk.measures).to_dict()["description"]
    with pytest.raises(FaultyInput, match="shift"):
        helper.dragged_weights(walk.curves, walk.measures, walk.draws, 0.6, 2.9)


def test_means_are_over_repeats_and_not_over_the_two_ways(helper):
    one = helper.drag(np.array([0.0, 6.0]), draws=100, repeats=1).measures
    assert one["raw_mean"].to_list() == one["raw"].to_list()
    assert one["raw"].to_list() != one["smoothed"].to_list()
    assert one["smoothed_mean"].to_list() == one["smoothed"].to_list()
