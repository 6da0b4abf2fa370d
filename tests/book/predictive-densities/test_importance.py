"""One observation dragged away from a line, and its charts."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def walk(page):
    return page.drag(np.array([0.0, 3.0, 6.0]), draws=400, repeats=3)


def test_weights_concentrate_and_flatter_as_it_goes(walk):
    measures = walk.measures
    assert measures["effective"].is_sorted(descending=True)
    assert (
        abs(measures["raw"][0] - measures["exact"][0])
        < 0.1
        < measures["raw_mean"][2] - measures["exact"][2]
    )
    assert (measures["posterior"] > measures["exact"]).all()
    assert measures["k_hat"][0] < 0.6 < measures["k_hat"][2]


def test_curves_begin_at_nothing_and_end_at_all(walk):
    for _, curve in walk.curves.group_by("shift"):
        assert (curve["mass"][0], curve["share"][0]) == (0.0, 0.0)
        assert curve["mass"][-1] == pytest.approx(1.0)
        assert (curve["mass"] >= curve["share"] - 1e-12).all()


def test_means_are_over_repeats_and_not_over_the_two_ways(page):
    item = page.drag(np.array([0.0, 6.0]), draws=100, repeats=1).measures
    assert item["raw_mean"].to_list() == item["raw"].to_list()
    assert item["raw"].to_list() != item["smoothed"].to_list()
    assert item["smoothed_mean"].to_list() == item["smoothed"].to_list()


def test_the_line_has_its_slope_and_noise_and_the_last_case_farthest_out(page):
    inputs, targets = page.line_data(4000)
    assert (inputs[:, 0] == 1.0).all()
    assert (inputs[-1, 1], np.abs(inputs[:-1, 1]).max() <= 2.0) == (2.5, True)
    weights, squares, *_ = np.linalg.lstsq(inputs, targets, rcond=None)
    assert weights == pytest.approx([1.0, 0.8], abs=0.06)
    assert np.sqrt(squares[0] / 4000) == pytest.approx(1.0, abs=0.05)


def test_drawn(walk, page):
    page.dragged_weights(walk.curves, walk.measures, walk.draws, 0.6, 3.0)
    page.left_out_densities(walk.measures)
