"""Learners of today's libraries by stand-ins for these: what they are asked for, and what becomes of their answers.

The libraries are an extra and are not installed for the tests; with them, `benchbook method check` passes for each.
"""

import sys
import types
from typing import ClassVar

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.extras import MissingExtra
from benchbook.methods.quantile_trees import LEVELS
from benchbook.predictive import Gaussian, Quantiles

TODAY = {"catboost-1": "catboost", "lightgbm-quantiles-1": "lightgbm", "ngboost-1": "ngboost"}


class Learner:
    """Remembers what it was given, and answers with what the library's learner would: by the targets alone."""

    asked: ClassVar[list[dict]] = []

    def __init__(self, **settings):
        self.settings = settings
        Learner.asked.append(settings)

    def fit(self, inputs, targets):
        self.mean, self.sd = float(targets.mean()), float(targets.std())
        return self

    def predict(self, inputs):
        if "alpha" in self.settings:  # quantiles that cross: the higher the level, the lower the answer
            return np.full(len(inputs), self.mean - self.sd * self.settings["alpha"])
        return np.tile([self.mean, self.sd**2], (len(inputs), 1))

    def pred_dist(self, inputs):
        return types.SimpleNamespace(loc=np.full(len(inputs), self.mean), scale=np.full(len(inputs), self.sd))


@pytest.fixture
def libraries(monkeypatch):
    monkeypatch.setattr(Learner, "asked", [])
    for library, learner in (("catboost", "CatBoostRegressor"), ("lightgbm", "LGBMRegressor"),
                             ("ngboost", "NGBRegressor")):
        monkeypatch.setitem(sys.modules, library,
                            types.SimpleNamespace(**{"__name__": library, "__version__": "9.9", learner: Learner}))


def test_the_list_is_whole():
    assert {name for name in methods.available() if methods.get(name).extra == "today"} == set(TODAY)


@pytest.mark.parametrize(("name", "library"), TODAY.items())
def test_without_the_library_the_extra_is_named(name, library, smooth, rng, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=rf"{name} needs {library}.*pip install '\.\[today\]'"):
        methods.get(name).predict(smooth, rng)


@pytest.mark.parametrize("name", ["catboost-1", "ngboost-1"])
def test_mean_and_variance_come_through_and_the_version_is_kept(name, smooth, rng, libraries):
    found, noted = methods.get(name).predict(smooth, rng)
    assert isinstance(found, Gaussian)
    np.testing.assert_allclose(found.mean(), smooth.train_targets.mean())
    np.testing.assert_allclose(found.variance(), smooth.train_targets.var())
    assert noted == {f"{TODAY[name]}_version": "9.9"}


def test_every_level_has_a_learner_and_crossings_are_sorted_away(smooth, rng, libraries):
    found, noted = methods.get("lightgbm-quantiles-1").predict(smooth, rng)
    assert [asked["alpha"] for asked in Learner.asked] == LEVELS.tolist()
    assert isinstance(found, Quantiles)
    assert (np.diff(found.quantile(LEVELS), axis=1) > 0).all()
    assert noted == {"crossed": 1.0, "lightgbm_version": "9.9"}


@pytest.mark.parametrize("name", TODAY)
def test_all_chance_comes_from_the_seed(name, smooth, libraries):
    seeds = []
    for seed in (1, 1, 2):
        methods.get(name).predict(smooth, np.random.default_rng(seed))
        seeds.append([asked.get("random_state", asked.get("random_seed")) for asked in Learner.asked])
        Learner.asked.clear()
    assert seeds[0] == seeds[1] != seeds[2]


def test_the_tree_of_ngboost_has_a_seed_of_its_own(smooth, rng, libraries):
    """The library's own default draws from numpy's global generator, which `benchbook method check` finds."""
    methods.get("ngboost-1").predict(smooth, rng)
    assert Learner.asked[0]["Base"].random_state is not None
    assert Learner.asked[0]["Base"].max_depth == 3


def test_settings_reach_the_library(smooth, rng, libraries):
    methods.variant("catboost-1", depth=2, rounds=7).predict(smooth, rng)
    methods.variant("ngboost-1", rounds=3, rate=0.5).predict(smooth, rng)
    assert (Learner.asked[0]["depth"], Learner.asked[0]["iterations"]) == (2, 7)
    assert (Learner.asked[1]["n_estimators"], Learner.asked[1]["learning_rate"]) == (3, 0.5)


def test_targets_that_are_all_equal_need_no_library_to_fit(make_instance, libraries, rng):
    one = make_instance(np.arange(6.0)[:, None], np.full(6, 4.0), np.zeros((2, 1)))
    found, _ = methods.get("catboost-1").predict(one, rng)
    assert found.mean().tolist() == [4.0, 4.0]
    assert Learner.asked == []
