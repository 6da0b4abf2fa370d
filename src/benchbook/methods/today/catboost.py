"""CatBoost: catboost-1 and catboost-stopped-1 with a variance of their own, catboost-squared-1 for squared error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.today.rounds import Stopping, held_out
from benchbook.predictive import Gaussian, Point

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME, STOPPED, SQUARED = "catboost-1", "catboost-stopped-1", "catboost-squared-1"
_LOSS = "RMSEWithUncertainty"


@dataclass(frozen=True)
class CatBoost:
    """The constants of catboost-1, the defaults of the library."""

    rounds: int = setting(1000, "boosting rounds", least=1)
    depth: int = setting(6, "depth of a tree", least=1)


@dataclass(frozen=True)
class StoppedCatBoost(CatBoost):
    """The constants of catboost-stopped-1: the defaults of the library, more rounds, and what stops them."""

    rounds: int = setting(2000, "boosting rounds, at most; ours", least=1)
    stopping: Stopping = Stopping()


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
    description="catboost-1 with the library's early stopping on a fifth of the training cases",
    kinds={"real"},
    extra="today",
    settings=StoppedCatBoost(),
    source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018",
    calls=["benchbook.methods.today.rounds:held_out"],
)
def catboost_stopped_1(
    instance: TaskInstance, rng: np.random.Generator, settings: StoppedCatBoost
) -> tuple[Predictive, dict[str, Any]]:
    """CatBoost as in catboost-1, but for the number of rounds, which the training cases choose.

    1. Hold out a fifth of the cases and boost on the others, 2,000 rounds at most, until the log density of the fifth
       has not risen for 50 rounds: the library's own early stopping.
    2. Boost once more on all cases, for the number of rounds with the greatest log density.

    The rounds, and whether they are all that were allowed, are among the diagnostics. With fewer than ten cases there
    are catboost-1's 1,000 rounds.

    Raises:
        MissingExtra: CatBoost is not installed.
    """
    need_cases(instance, 2, STOPPED)
    module = library("catboost", STOPPED)
    inputs, targets = instance.train_inputs, instance.train_targets
    if np.ptp(targets) == 0:
        return _constant(instance), version_of(module)

    rounds, boosted = CatBoost().rounds, 0
    parts = held_out(len(targets), settings.stopping, rng)
    if parts is not None and np.ptp(targets[parts[0]]) > 0:
        kept, held = parts
        learner = _learner(module, settings, rng).fit(
            inputs[kept],
            targets[kept],
            eval_set=(inputs[held], targets[held]),
            use_best_model=False,
            early_stopping_rounds=settings.stopping.patience,
        )
        losses = learner.get_evals_result()["validation"][_LOSS]
        rounds, boosted = 1 + int(np.argmin(losses)), len(losses)
    learner = _learner(module, replace(settings, rounds=rounds), rng).fit(inputs, targets)
    return _gaussian(learner, instance.test_inputs), {
        "rounds": rounds,
        "rounds_boosted": boosted + rounds,
        **version_of(module),
    }


@method(
    name=SQUARED,
    description="boosted symmetric trees for the mean (CatBoost's own default loss, RMSE; an optional extra), the "
    "library's defaults; states no variance",
    kinds={"real"},
    extra="today",
    settings=CatBoost(),
    source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018",
    calls=["benchbook.methods.extras:library"],
)
def catboost_squared_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CatBoost
) -> tuple[Predictive, dict[str, Any]]:
    """CatBoost as it comes: squared error, 1000 rounds of symmetric trees of depth 6, at the rate that the library
    chooses by the number of cases. Nothing stops early.

    It answers with a number a case, which has no log density. Targets that are all equal are refused by the library,
    and repeated here.

    Raises:
        MissingExtra: CatBoost is not installed.
    """
    need_cases(instance, 2, SQUARED)
    module = library("catboost", SQUARED)
    if np.ptp(instance.train_targets) == 0:
        return Point(np.full(len(instance.test_inputs), instance.train_targets[0])), version_of(
            module
        )
    learner = _learner(module, settings, rng, "RMSE").fit(
        instance.train_inputs, instance.train_targets
    )
    return Point(learner.predict(instance.test_inputs)), {
        "rate": float(learner.learning_rate_),
        **version_of(module),
    }


def _learner(
    found: ModuleType, settings: CatBoost, rng: np.random.Generator, loss: str = _LOSS
) -> Any:
    return found.CatBoostRegressor(
        loss_function=loss,
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
