"""LightGBM and XGBoost as they come, for squared error: lightgbm-squared-1 and xgboost-squared-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.estimators import _held
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.predictive import Point

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

LIGHTGBM, XGBOOST = "lightgbm-squared-1", "xgboost-squared-1"


@dataclass(frozen=True)
class SquaredLightGBM:
    """The constants of lightgbm-squared-1, the defaults of the library; ``leaf`` by ``shared.leaves``."""

    rounds: int = setting(100, "boosting rounds", least=1)
    rate: float = setting(0.1, "learning rate", above=0)
    leaves: int = setting(31, "the most leaves of a tree", least=2)
    leaf: int = setting(20, "the fewest cases of a leaf; fewer where there are few cases", least=1)


@dataclass(frozen=True)
class SquaredXGBoost:
    """The constants of xgboost-squared-1, the defaults of the library."""

    rounds: int = setting(100, "boosting rounds", least=1)
    rate: float = setting(0.3, "learning rate", above=0)
    depth: int = setting(6, "the most depth of a tree", least=1)


@method(
    name=LIGHTGBM,
    description="boosted trees for the mean (LightGBM, an optional extra), the library's defaults but for leaves of "
    "few cases; states no variance",
    kinds={"real"},
    extra="today",
    settings=SquaredLightGBM(),
    source="G. Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree, 2017",
    calls=["benchbook.methods.extras:library"],
)
def lightgbm_squared_1(
    instance: TaskInstance, rng: np.random.Generator, settings: SquaredLightGBM
) -> tuple[Predictive, dict[str, Any]]:
    """LightGBM as it comes: squared error, 100 rounds at the rate 0.1, 31 leaves of 20 cases, or of a tenth of the
    training cases where that is fewer. Nothing stops early.

    Raises:
        MissingExtra: LightGBM is not installed.
    """
    need_cases(instance, 2, LIGHTGBM)
    module = library("lightgbm", LIGHTGBM)
    learner = module.LGBMRegressor(
        n_estimators=settings.rounds,
        learning_rate=settings.rate,
        num_leaves=settings.leaves,
        min_child_samples=fewest_cases(settings.leaf, len(instance.train_targets)),
        n_jobs=1,
        random_state=int(rng.integers(2**31)),
        deterministic=True,
        force_row_wise=True,
        verbose=-1,
    ).fit(_held(instance.train_inputs), instance.train_targets)
    return Point(learner.predict(_held(instance.test_inputs))), version_of(module)


@method(
    name=XGBOOST,
    description="boosted trees for the mean (XGBoost, an optional extra), the library's defaults; states no variance",
    kinds={"real"},
    extra="today",
    settings=SquaredXGBoost(),
    source="T. Chen and C. Guestrin, XGBoost: A Scalable Tree Boosting System, 2016",
    calls=["benchbook.methods.extras:library"],
)
def xgboost_squared_1(
    instance: TaskInstance, rng: np.random.Generator, settings: SquaredXGBoost
) -> tuple[Predictive, dict[str, Any]]:
    """XGBoost as it comes: squared error, 100 rounds at the rate 0.3, trees of depth 6. Nothing stops early.

    Raises:
        MissingExtra: XGBoost is not installed.
    """
    need_cases(instance, 2, XGBOOST)
    module = library("xgboost", XGBOOST)
    learner = module.XGBRegressor(
        n_estimators=settings.rounds,
        learning_rate=settings.rate,
        max_depth=settings.depth,
        n_jobs=1,
        random_state=int(rng.integers(2**31)),
    ).fit(_held(instance.train_inputs), instance.train_targets)
    predicted = learner.predict(_held(instance.test_inputs))
    return Point(predicted.astype(np.float64)), version_of(module)
