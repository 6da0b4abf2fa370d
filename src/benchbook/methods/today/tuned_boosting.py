"""Boosted trees tuned in a stated budget, and averaged over the settings tried: boosting-tuned-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.folds import random_folds
from benchbook.methods.base import method, need_cases
from benchbook.methods.estimators import _held
from benchbook.methods.settings import setting
from benchbook.methods.shared.bagging import mean_prediction, predicted_left_out
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.today.bagged_boosting import grown
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "boosting-tuned-1"


@dataclass(frozen=True)
class Tuned:
    """The constants of boosting-tuned-1, all ours: the budget of the search, and between what it draws.

    Each pair is the least and the most. Shares are drawn uniformly, the others uniformly in their logarithm.
    """

    searched: int = setting(20, "settings drawn at random", least=1)
    folds: int = setting(5, "folds, each left out by one of as many models of a setting", least=2)
    picked: int = setting(20, "times that a setting is added to the average", least=1)
    rounds: int = setting(500, "boosting rounds of a model, at most", least=1)
    patience: int = setting(
        10, "rounds without less error on the fold left out, after which it stops", least=1
    )
    rate: tuple[float, float] = setting((0.03, 0.3), "learning rates", above=0)
    leaves: tuple[int, int] = setting((3, 31), "the most leaves of a tree", least=2)
    leaf: tuple[int, int] = setting((2, 20), "the fewest cases of a leaf", least=1)
    shrunk: tuple[float, float] = setting((0.001, 10.0), "penalty of squared values", above=0)
    share: tuple[float, float] = setting((0.3, 1.0), "shares of the inputs a split tries", above=0)


@method(
    name=NAME,
    description="boosted trees (scikit-learn) of 20 random settings, stopped and compared on five folds, and "
    "averaged by greedy selection; Gaussian with the error of the cases left out as variance",
    kinds={"real"},
    settings=Tuned(),
    source="R. Caruana et al., Ensemble Selection from Libraries of Models, 2004; scikit-learn's "
    "HistGradientBoostingRegressor; the search ours",
    calls=["benchbook.methods.today.bagged_boosting:grown"],
)
def boosting_tuned_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Tuned
) -> tuple[Predictive, dict[str, Any]]:
    """Boosted trees with squared error, tuned in a stated budget and averaged over settings.

    1. Divide the cases into five folds at random, or into as many as there are cases.
    2. Draw 20 settings: learning rate, leaves, cases of a leaf, penalty, share of the inputs that a split tries.
    3. For each setting and fold boost on the other folds until the error of the fold has not fallen for ten rounds.
    4. Twenty times add the setting (again, if need be) with which the average of all added has the least squared error
       on the cases left out.
    5. Predict that average, each setting by the mean of its five models, with that squared error as variance.

    One set of folds stops, selects and states the variance, so that it is too small.
    """
    need_cases(instance, 2, NAME)
    inputs, targets = _held(instance.train_inputs), instance.train_targets
    folds = random_folds(len(targets), min(settings.folds, len(targets)), rng)
    with one_thread():
        models = [
            grown(_drawn(settings, rng), inputs, targets, folds, rng)
            for _ in range(settings.searched)
        ]
        left_out = np.column_stack([predicted_left_out(part, inputs, folds) for part in models])
        weights = greedy_weights(left_out, targets, settings.picked)
        queries = _held(instance.test_inputs)
        mean = np.zeros(len(queries))
        for weight, part in zip(weights, models, strict=True):
            if weight > 0:
                mean += weight * mean_prediction(part, queries)
    variance = stated_variance(float(np.mean((left_out @ weights - targets) ** 2)), targets)
    return Gaussian(mean, np.full(len(queries), variance)), {
        "settings_averaged": int(np.count_nonzero(weights)),
        "rounds": float(np.median([model.n_iter_ for part in models for model in part])),
    }


def greedy_weights(predicted: np.ndarray, targets: np.ndarray, picked: int) -> np.ndarray:
    """Weights of averages that are added one at a time, each the one that leaves the least squared error.

    Args:
        predicted: [N, M] of N cases by M models. targets: [N]. picked: how many are added, the same one often perhaps.

    Returns:
        [M], the shares of the picks; their sum is 1.
    """
    counts = np.zeros(predicted.shape[1])
    total = np.zeros(len(targets))
    for number in range(1, picked + 1):
        averages = (total[:, None] + predicted) / number
        best = int(np.argmin(np.mean((averages - targets[:, None]) ** 2, axis=0)))
        counts[best] += 1
        total += predicted[:, best]
    return counts / picked


def _drawn(settings: Tuned, rng: np.random.Generator) -> dict[str, Any]:
    """One setting at random."""

    def scaled(pair: tuple[float, float]) -> float:
        return float(np.exp(rng.uniform(*np.log(pair))))

    return {
        "max_iter": settings.rounds,
        "n_iter_no_change": settings.patience,
        "learning_rate": scaled(settings.rate),
        "max_leaf_nodes": round(scaled(settings.leaves)),
        "min_samples_leaf": round(scaled(settings.leaf)),
        "l2_regularization": scaled(settings.shrunk),
        "max_features": float(rng.uniform(*settings.share)),
    }
