"""Forecasters of known calibration: who is in the band, what widening does, and what stands on the page."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess import calibration
from benchbook.predictive import Categorical
from benchbook.seeds import generator


@pytest.fixture(scope="module")
def found(page):
    """Two thousand cases and their four forecasters."""
    return page.world(2000, generator(1, "test world"))


def test_the_oracle_is_uniform_and_a_biased_forecaster_is_not(found):
    u = {name: calibration.pit(pred, found.y) for name, pred in found.forecasters.items()}
    for name in ("oracle", "no inputs"):
        assert abs(u[name].mean() - 0.5) < 0.03
        assert abs((np.abs(2 * u[name] - 1) < 0.9).mean() - 0.9) < 0.03
    assert u["biased"].mean() < 0.4


def test_widening_keeps_medians_and_multiplies_widths(page, found):
    for pred in found.forecasters.values():
        wide = page.widened(pred, 2.0)
        assert wide.median() == pytest.approx(pred.median())
        ends = [np.subtract(*item.interval(0.8)) for item in (wide, pred)]
        assert ends[0] == pytest.approx(2 * ends[1])
    with pytest.raises(TypeError):
        page.widened(Categorical([[0.5, 0.5]]), 2.0)


def test_frames_have_every_bar_and_the_coverage_counted_by_hand(page, found):
    frames = page.frames(found, [0.5], 10, 1)
    assert frames.bars.height == 4 * 10
    assert (
        frames.bars.group_by("forecaster").agg(pl.col("cases").sum())["cases"].to_list()
        == [2000] * 4
    )
    pred = found.forecasters["constant variance"]
    low, high = page.widened(pred, 0.5).interval(0.9)
    selected = frames.facts.filter(forecaster="constant variance", factor=0.5)
    assert selected["coverage"][0] == pytest.approx(((found.y >= low) & (found.y <= high)).mean())


def test_groups_uncover_a_constant_variance(page, found):
    noisy = np.where(found.x > 0.5, "noisy", "quiet")
    table = page.coverage_by(found.forecasters["constant variance"], found.y, noisy, 0.9)
    share = dict(zip(table["group"], table["share"], strict=True))
    assert share["quiet"] > 0.95 > 0.88 > share["noisy"]


def test_methods_are_scored_on_the_hidden_targets(page):
    curves, facts = page.methods_coverage("kin-8nm-sim/dist/std.64", ["lin-1", "base-1"], 1)
    assert facts["method"].to_list() == ["lin-1", "base-1"]
    assert facts["CRPS"][0] < facts["CRPS"][1]
    near = curves.filter(method="lin-1", level=0.9)["share"][0]
    assert near == pytest.approx(facts["coverage"][0], abs=2e-3)


def test_a_reliability_diagram_has_a_hundred_and_fifty_points_with_the_ends_among_them(page, rng):
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    selected = page.reliabilities({"true": p}, y, 1)
    assert selected.height <= 150
    assert selected["probability"][[0, -1]].to_list() == [p.min(), p.max()]
