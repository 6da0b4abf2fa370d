"""Natural gradient boosting: ngboost-1, and ngboost-stopped-1, which chooses its rounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.today.rounds import Stopping, held_out
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME, STOPPED = "ngboost-1", "ngboost-stopped-1"
_DEPTH = 3


@dataclass(frozen=True)
class NGBoost:
    """The constants of ngboost-1, the defaults of the library."""

    rounds: int = setting(500, "boosting rounds", least=1)
    rate: float = setting(0.01, "learning rate", above=0)


@dataclass(frozen=True)
class StoppedNGBoost(NGBoost):
    """The constants of ngboost-stopped-1: the defaults of the library, more rounds, and what stops them."""

    rounds: int = setting(2000, "boosting rounds, at most; ours", least=1)
    stopping: Stopping = Stopping()


@method(
    name=NAME,
    description="natural gradient boosting of the mean and variance of a Gaussian by trees of depth 3 "
    "(NGBoost, an optional extra), the library's defaults",
    kinds={"real"},
    extra="today",
    settings=NGBoost(),
    source="T. Duan et al., NGBoost: Natural Gradient Boosting for Probabilistic Prediction, 2020",
    calls=["benchbook.methods.extras:library"],
)
def ngboost_1(
    instance: TaskInstance, rng: np.random.Generator, settings: NGBoost
) -> tuple[Predictive, dict[str, Any]]:
    """NGBoost with a Gaussian and the log score: 500 rounds at the rate 0.01, regression trees of depth 3.

    Nothing is chosen on the cases, and nothing stops early: these are the defaults of the library.

    Raises:
        MissingExtra: NGBoost is not installed.
    """
    need_cases(instance, 2, NAME)
    module = library("ngboost", NAME)
    with one_thread():
        learner = _learner(module, settings, rng).fit(instance.train_inputs, instance.train_targets)
        predicted = _gaussian(learner, instance.test_inputs)
    return predicted, version_of(module)


@method(
    name=STOPPED,
    description="ngboost-1 with the library's early stopping on a fifth of the training cases",
    kinds={"real"},
    extra="today",
    settings=StoppedNGBoost(),
    source="T. Duan et al., NGBoost: Natural Gradient Boosting for Probabilistic Prediction, 2020",
    calls=["benchbook.methods.today.rounds:held_out"],
)
def ngboost_stopped_1(
    instance: TaskInstance, rng: np.random.Generator, settings: StoppedNGBoost
) -> tuple[Predictive, dict[str, Any]]:
    """NGBoost as in ngboost-1, but for the number of rounds, which the training cases choose.

    1. Hold out a fifth of the cases and boost on the others, 2,000 rounds at most, until the log density of the fifth
       has not risen for 50 rounds: the library's own early stopping.
    2. Boost once more on all cases, for the number of rounds with the greatest log density.

    The rounds are among the diagnostics. With fewer than ten cases there are ngboost-1's 500 rounds.

    Raises:
        MissingExtra: NGBoost is not installed.
    """
    need_cases(instance, 2, STOPPED)
    module = library("ngboost", STOPPED)
    inputs, targets = instance.train_inputs, instance.train_targets

    rounds, boosted = NGBoost().rounds, 0
    with one_thread():
        if (parts := held_out(len(targets), settings.stopping, rng)) is not None:
            kept, held = parts
            learner = _learner(module, settings, rng).fit(
                inputs[kept],
                targets[kept],
                X_val=inputs[held],
                Y_val=targets[held],
                early_stopping_rounds=settings.stopping.patience,
            )
            rounds, boosted = 1 + learner.best_val_loss_itr, len(learner.base_models)
        learner = _learner(module, replace(settings, rounds=rounds), rng).fit(inputs, targets)
        predictions = _gaussian(learner, instance.test_inputs)
    return predictions, {"rounds": rounds, "rounds_boosted": boosted + rounds, **version_of(module)}


def _learner(found: ModuleType, settings: NGBoost, rng: np.random.Generator) -> Any:
    import sklearn.tree

    # The library's own tree, which takes its random numbers from numpy's global generator unless it is given a seed.
    tree = sklearn.tree.DecisionTreeRegressor(
        max_depth=_DEPTH, random_state=int(rng.integers(2**31))
    )
    return found.NGBRegressor(
        Base=tree,
        n_estimators=settings.rounds,
        learning_rate=settings.rate,
        verbose=False,
        random_state=int(rng.integers(2**31)),
    )


def _gaussian(learner: Any, inputs: np.ndarray) -> Gaussian:
    predicted = learner.pred_dist(inputs)
    return Gaussian(np.asarray(predicted.loc), np.asarray(predicted.scale) ** 2)
