"""Quantiles by XGBoost: xgboost-quantiles-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.quantile_trees import LEVELS, WATCHED
from benchbook.methods.settings import setting
from benchbook.methods.shared.quantile_gaps import dithered, uncrossed

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "xgboost-quantiles-1"


@dataclass(frozen=True)
class XGBoost:
    """The constants of xgboost-quantiles-1, the defaults of the library."""

    rounds: int = setting(100, "boosting rounds, a tree for each level in each", least=1)
    rate: float = setting(0.3, "learning rate", above=0)
    depth: int = setting(6, "the most depth of a tree", least=1)


@method(
    name=NAME,
    description=f"boosted trees for {len(LEVELS)} quantiles (XGBoost, an optional extra), the library's "
    "defaults; what becomes of crossings ours",
    kinds={"real"},
    extra="today",
    settings=XGBoost(),
    source="T. Chen and C. Guestrin, XGBoost: A Scalable Tree Boosting System, 2016; its quantiles, of version 2.0",
    calls=["benchbook.methods.shared.quantile_gaps:uncrossed"],
)
def xgboost_quantiles_1(
    instance: TaskInstance, rng: np.random.Generator, settings: XGBoost
) -> tuple[Predictive, dict[str, Any]]:
    """XGBoost's objective reg:quantileerror for 13 levels from 0.02 to 0.98: 100 rounds at the rate 0.3, depth 6.

    Values that cross are sorted and set apart as those of ``boosting-quantiles-1`` (``quantile_gaps``), with the
    challenge's tails beyond. The share of test cases whose quantiles crossed is among the diagnostics.

    Raises:
        MissingExtra: XGBoost is not installed.
    """
    need_cases(instance, 2, NAME)
    module = library("xgboost", NAME)
    targets = dithered(instance.train_targets, rng)
    watched = instance.train_inputs[rng.permutation(len(targets))[:WATCHED]]
    learner = module.XGBRegressor(
        objective="reg:quantileerror",
        quantile_alpha=LEVELS,
        n_estimators=settings.rounds,
        learning_rate=settings.rate,
        max_depth=settings.depth,
        n_jobs=1,
        random_state=int(rng.integers(2**31)),
    )
    value = learner.fit(instance.train_inputs, targets).predict(
        np.vstack([instance.test_inputs, watched])
    )
    predicted, crossed = uncrossed(
        LEVELS, value.astype(np.float64), len(instance.test_inputs), instance.train_targets
    )
    return predicted, {"crossed": crossed, **version_of(module)}
