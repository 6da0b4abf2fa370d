"""Natural gradient boosting: ngboost-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.later import sklearn
from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "ngboost-1"
_DEPTH = 3


@dataclass(frozen=True)
class NGBoost:
    """The constants of ngboost-1, the defaults of the library."""

    rounds: int = setting(500, "boosting rounds", least=1)
    rate: float = setting(0.01, "learning rate", above=0)


@method(name=NAME, description="natural gradient boosting of the mean and variance of a Gaussian by trees of depth 3 "
        "(NGBoost, an optional extra), the library's defaults", kinds={"real"}, extra="today", settings=NGBoost(),
        source="T. Duan et al., NGBoost: Natural Gradient Boosting for Probabilistic Prediction, 2020",
        calls=["benchbook.methods.extras:library"])
def ngboost_1(
    instance: TaskInstance, rng: np.random.Generator, settings: NGBoost
) -> tuple[Predictive, dict[str, Any]]:
    """NGBoost with a Gaussian and the log score: 500 rounds at the rate 0.01, regression trees of depth 3.

    Nothing is chosen on the cases, and nothing stops early: these are the defaults of the library.

    Raises:
        MissingExtra: NGBoost is not installed.
    """
    need_cases(instance, 2, NAME)
    found = library("ngboost", NAME)
    # The library's own tree, which takes its random numbers from numpy's global generator unless it is given a seed.
    tree = sklearn.tree.DecisionTreeRegressor(max_depth=_DEPTH, random_state=int(rng.integers(2**31)))
    learner = found.NGBRegressor(Base=tree, n_estimators=settings.rounds, learning_rate=settings.rate, verbose=False,
                                 random_state=int(rng.integers(2**31)))
    with one_thread():
        learner.fit(instance.train_inputs, instance.train_targets)
        said = learner.pred_dist(instance.test_inputs)
    return Gaussian(np.asarray(said.loc), np.asarray(said.scale) ** 2), version_of(found)
