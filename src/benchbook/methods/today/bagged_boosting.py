"""Boosted trees as practitioners run them, bagged over folds that stop them: boosting-bagged-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.folds import Fold, random_folds
from benchbook.methods.base import method, need_cases
from benchbook.methods.estimators import _LARGEST_SEED, _held
from benchbook.methods.settings import setting
from benchbook.methods.shared.bagging import mean_prediction, predicted_left_out
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "boosting-bagged-1"


@dataclass(frozen=True)
class Bagged:
    """The constants of boosting-bagged-1: rate and leaves the library's, ``leaf`` by ``shared.leaves``; others ours."""

    folds: int = setting(8, "folds, each left out by one of as many models", least=2)
    rounds: int = setting(1000, "boosting rounds of a model, at most", least=1)
    patience: int = setting(
        10, "rounds without less error on the fold left out, after which it stops", least=1
    )
    rate: float = setting(0.1, "learning rate", above=0)
    leaves: int = setting(31, "the most leaves of a tree", least=2)
    leaf: int = setting(20, "the fewest cases of a leaf; fewer where there are few cases", least=1)


@method(
    name=NAME,
    description="average of eight boosted ensembles (scikit-learn), each stopped on the eighth of the cases it "
    "leaves out; Gaussian with the error of the cases left out as variance",
    kinds={"real"},
    settings=Bagged(),
    source="L. Breiman, Bagging Predictors, 1996; scikit-learn's HistGradientBoostingRegressor; folds ours",
    calls=["benchbook.methods.today.bagged_boosting:grown"],
)
def boosting_bagged_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Bagged
) -> tuple[Predictive, dict[str, Any]]:
    """Boosted trees with squared error, bagged over folds, with the library's early stopping.

    1. Divide the cases into eight folds at random, or into as many as there are cases.
    2. For each fold boost on the others with the library's defaults (rate 0.1, 31 leaves, leaves of 20 cases, or of a
       tenth of the training cases where that is fewer) until the error of the fold has not fallen for ten rounds.
    3. Predict the mean of the eight; the variance is the mean squared error of each case by the model that left it out.

    The folds stop the rounds and state the variance, so that it is a little too small.
    """
    need_cases(instance, 2, NAME)
    inputs, targets = _held(instance.train_inputs), instance.train_targets
    constants = {
        "max_iter": settings.rounds,
        "n_iter_no_change": settings.patience,
        "learning_rate": settings.rate,
        "max_leaf_nodes": settings.leaves,
        "min_samples_leaf": fewest_cases(settings.leaf, len(targets)),
    }
    folds = random_folds(len(targets), min(settings.folds, len(targets)), rng)
    with one_thread():
        models = grown(constants, inputs, targets, folds, rng)
        left_out = predicted_left_out(models, inputs, folds)
        mean = mean_prediction(models, _held(instance.test_inputs))
    variance = stated_variance(float(np.mean((left_out - targets) ** 2)), targets)
    return Gaussian(mean, np.full(len(mean), variance)), {
        "rounds": float(np.median([model.n_iter_ for model in models])),
        "leaf": constants["min_samples_leaf"],
    }


def grown(
    constants: dict[str, Any],
    inputs: np.ndarray,
    targets: np.ndarray,
    folds: list[Fold],
    rng: np.random.Generator,
) -> list[Any]:
    """A boosted ensemble for each fold, grown on the cases outside of it and stopped by those inside."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return [
        HistGradientBoostingRegressor(
            **constants, early_stopping=True, random_state=int(rng.integers(_LARGEST_SEED))
        ).fit(
            inputs[fold.train],
            targets[fold.train],
            X_val=inputs[fold.test],
            y_val=targets[fold.test],
        )
        for fold in folds
    ]
