"""CatBoost with its own doubt: catboost-1, and catboost-stopped-1, which chooses its rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.today.rounds import best_rounds
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME, STOPPED = "catboost-1", "catboost-stopped-1"
_LOSS = "RMSEWithUncertainty"


@dataclass(frozen=True)
class CatBoost:
    """The constants of catboost-1, the defaults of the library."""

    rounds: int = setting(1000, "boosting rounds", least=1)
    depth: int = setting(6, "depth of a tree", least=1)


@method(
    name=NAME,
    description="boosted symmetric trees for the mean and variance of a Gaussian (CatBoost's "
    "RMSEWithUncertainty, an optional extra), the library's defaults",
    kinds={"real"},
    extra="today",
    settings=CatBoost(),
    source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018",
    calls=["benchbook.methods.extras:library"],
)
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
    module = library("catboost", NAME)
    if np.ptp(instance.train_targets) == 0:
        return _constant(instance), version_of(module)
    learner = _learner(module, settings, rng).fit(instance.train_inputs, instance.train_targets)
    return _gaussian(learner, instance.test_inputs), version_of(module)


@method(
    name=STOPPED,
    description="catboost-1 with the number of its rounds chosen by five folds of the training cases",
    kinds={"real"},
    extra="today",
    settings=CatBoost(),
    source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018; folds ours",
    calls=["benchbook.methods.today.rounds:best_rounds"],
)
def catboost_stopped_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CatBoost
) -> tuple[Predictive, dict[str, Any]]:
    """CatBoost as in catboost-1, but for the number of rounds, which the training cases choose.

    1. Leave out each of five folds once, boost for 1,000 rounds, and add up the log density of the cases left out
       after each round, which the library keeps.
    2. Boost once more on all cases, for the number of rounds with the greatest sum.

    All rounds that were boosted are among the diagnostics. With fewer than ten cases there are all 1,000 rounds.

    Raises:
        MissingExtra: CatBoost is not installed.
    """
    need_cases(instance, 2, STOPPED)
    module = library("catboost", STOPPED)
    inputs, targets = instance.train_inputs, instance.train_targets
    if np.ptp(targets) == 0:
        return _constant(instance), version_of(module)

    def scores(kept: np.ndarray, held: np.ndarray) -> np.ndarray:
        if np.ptp(targets[kept]) == 0:
            return np.zeros(settings.rounds)
        learner = _learner(module, settings, rng).fit(
            inputs[kept],
            targets[kept],
            eval_set=(inputs[held], targets[held]),
            use_best_model=False,
        )
        return -len(held) * np.array(learner.get_evals_result()["validation"][_LOSS])

    rounds, boosted = best_rounds(len(targets), settings.rounds, scores, rng)
    learner = _learner(module, replace(settings, rounds=rounds), rng).fit(inputs, targets)
    return _gaussian(learner, instance.test_inputs), {
        "rounds": rounds,
        "rounds_boosted": boosted + rounds,
        **version_of(module),
    }


def _learner(found: ModuleType, settings: CatBoost, rng: np.random.Generator) -> Any:
    return found.CatBoostRegressor(
        loss_function=_LOSS,
        iterations=settings.rounds,
        depth=settings.depth,
        thread_count=1,
        random_seed=int(rng.integers(2**31)),
        verbose=False,
        allow_writing_files=False,
    )


def _gaussian(learner: Any, inputs: np.ndarray) -> Gaussian:
    predicted = learner.predict(inputs)
    return Gaussian(predicted[:, 0], predicted[:, 1])


def _constant(instance: TaskInstance) -> Gaussian:
    """Targets that are all equal, which the library refuses."""
    mean = np.full(len(instance.test_inputs), instance.train_targets[0])
    return Gaussian(
        mean, np.full(len(mean), 1e-6 * max(1.0, float(instance.train_targets[0]) ** 2))
    )
