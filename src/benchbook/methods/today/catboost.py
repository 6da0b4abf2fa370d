"""CatBoost with its own doubt: catboost-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "catboost-1"


@dataclass(frozen=True)
class CatBoost:
    """The constants of catboost-1, the defaults of the library."""

    rounds: int = setting(1000, "boosting rounds", least=1)
    depth: int = setting(6, "depth of a tree", least=1)


@method(name=NAME, description="boosted symmetric trees for the mean and variance of a Gaussian (CatBoost's "
        "RMSEWithUncertainty, an optional extra), the library's defaults", kinds={"real"}, extra="today",
        settings=CatBoost(),
        source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018",
        calls=["benchbook.methods.extras:library"])
def catboost_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CatBoost
) -> tuple[Predictive, dict[str, Any]]:
    """CatBoost with the loss RMSEWithUncertainty: 1000 rounds of symmetric trees of depth 6 at the rate 0.03.

    The library's answer is the mean and the variance of a Gaussian. Nothing stops early, so that with few cases the
    variance falls to almost nothing. The library chooses its rate by the cases for other losses, not for this one.
    Targets that are all equal are refused by the library; they are said with a variance of a millionth of their size.

    Raises:
        MissingExtra: CatBoost is not installed.
    """
    need_cases(instance, 2, NAME)
    found = library("catboost", NAME)
    targets = instance.train_targets
    if np.ptp(targets) == 0:
        mean = np.full(len(instance.test_inputs), targets[0])
        return Gaussian(mean, np.full(len(mean), 1e-6 * max(1.0, float(targets[0]) ** 2))), version_of(found)
    learner = found.CatBoostRegressor(
        loss_function="RMSEWithUncertainty", iterations=settings.rounds, depth=settings.depth, thread_count=1,
        random_seed=int(rng.integers(2**31)), verbose=False, allow_writing_files=False)
    said = learner.fit(instance.train_inputs, targets).predict(instance.test_inputs)
    return Gaussian(said[:, 0], said[:, 1]), version_of(found)
