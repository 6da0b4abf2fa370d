"""The chapter on the challenge's methods: its made-up cases, how bands are judged, and the parts of a committee."""

import numpy as np
import polars as pl
import pytest

from benchbook.pages import challenge_methods as shown
from benchbook.predictive import Mixture
from benchbook.seeds import generator


def test_the_toy_has_a_gap_and_known_noise():
    one = shown.toy(4000, generator(1, "toy"))
    assert not ((one.x > 0.45) & (one.x < 0.6)).any()
    mean, sd = shown.law(one.x)
    z = (one.y - mean) / sd
    assert abs(z.mean()) < 0.06
    assert z.std() == pytest.approx(1, abs=0.04)
    assert one.instance.train_inputs.shape == (4000, 1)


def test_bands_of_methods_are_judged_by_the_law():
    one = shown.toy(80, generator(1, "toy"), points=21)
    table = shown.bands(one, ["lin-1", "base-1"], 1)
    assert table.height == 42
    assert (table["low_90"] < table["low_50"]).all()
    own = table.with_columns(low_90="true_low", high_90="true_high")
    found = shown.held(own)
    assert found["coverage"].to_list() == pytest.approx([0.9] * 2)
    assert found["width_where_quiet"].to_list() == pytest.approx([1.0] * 2)
    assert shown.held(table)["width_where_quiet"].min() > 5  # one noise for all is too much where it is quiet


def test_parts_of_a_committee():
    rng = np.random.default_rng(2)
    weight = np.array([[0.25, 0.05, 0.15, 0.15, 0.05, 0.25, 0.1]]).repeat(5, axis=0)
    whole = Mixture(weight, rng.normal(size=(5, 7)), rng.uniform(0.1, 1, (5, 7)))
    y = rng.normal(size=5)
    together = shown._part(whole, 0, 3, 3)
    assert np.allclose(together.log_density(y), whole.log_density(y))
    alone = [shown._part(whole, k, 1, 3) for k in range(3)]
    assert all(one.weight[:, -1] == pytest.approx(0.1) for one in alone)
    mean_density = np.mean([np.exp(one.log_density(y)) for one in alone], axis=0)
    assert np.allclose(mean_density, np.exp(whole.log_density(y)))


def test_a_committee_is_never_worse_than_its_mean_member():
    found = shown.members("gaze-sim/gaze/test-before", "mdn-1", 1)
    for code in ("NLPD", "CRPS"):
        one = found.filter(loss=code)
        assert one.filter(pl.col("size") == pl.col("size").max())["value"][0] < one.filter(size=1)["value"].mean()
