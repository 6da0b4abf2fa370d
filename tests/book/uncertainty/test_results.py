"""The chapters on the challenge's results: the members of a committee, and the charts of entries."""

import numpy as np
import polars as pl
import pytest

from benchbook import methods
from benchbook.predictive import Mixture

LOSSES = pl.DataFrame(
    {
        "task": ["gaze"] * 5,
        "size": [1, 1, 1, 2, 3],
        "first": [0, 1, 2, 0, 0],
        "value": [5.0, 5.2, 5.4, 4.95, 4.9],
    }
)
SHARES = pl.DataFrame(
    {
        "task": ["gaze"] * 3 + ["gatineau"] * 2,
        "entry": ["mdn-1", "lin-1", "exploit-x", "svm-platt-1", "< forest-1"],
        "method": ["mdn-1", "lin-1", "exploit-x", "svm-platt-1", "forest-1"],
        "averaged": ["networks", "", "", "", "bags"],
        "kind": ["entry", "entry", "exploit", "entry", "before"],
        "share": [0.93, 0.35, 5.7, 0.13, -0.9],
        "point_share": [0.97, 0.4, 0.9, 0.0, 0.0],
    }
)


def test_drawn(page):
    page.loss_panels(SHARES)
    page.knowable(SHARES)
    page.growing_committee(LOSSES)


def test_parts_of_a_committee(page):
    rng = np.random.default_rng(2)
    weight = np.array([[0.25, 0.05, 0.15, 0.15, 0.05, 0.25, 0.1]]).repeat(5, axis=0)
    whole = Mixture(weight, rng.normal(size=(5, 7)), rng.uniform(0.1, 1, (5, 7)))
    y = rng.normal(size=5)
    together = page._part(whole, 0, 3, 3)
    assert np.allclose(together.log_density(y), whole.log_density(y))
    alone = [page._part(whole, k, 1, 3) for k in range(3)]
    assert all(item.weight[:, -1] == pytest.approx(0.1) for item in alone)
    mean_density = np.mean([np.exp(item.log_density(y)) for item in alone], axis=0)
    assert np.allclose(mean_density, np.exp(whole.log_density(y)))


def test_a_committee_is_never_worse_than_its_mean_member(page):
    result = page.members("gaze-sim/gaze/test-before", "mdn-1", 1)
    for code in ("NLPD", "CRPS"):
        item = result.filter(loss=code)
        assert (
            item.filter(pl.col("size") == pl.col("size").max())["value"][0]
            < item.filter(size=1)["value"].mean()
        )


def test_the_methods_in_view_are_there_and_their_texts_say_so(page):
    assert set(page.IN_VIEW) <= set(methods.available())
    for name in (
        "can2-1",
        "gated-experts-1",
        "mdn-1",
        "gp-sparse-1",
        "kernel-variance-1",
        "loohkrr-1",
    ):
        assert "in view of test losses" in " ".join(methods.get(name).function.__doc__.split())
