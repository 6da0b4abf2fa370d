"""Today's learners on PROBEN1's partitions.

All may use the validation cases, as the networks of 1994 do. Where a learner has no use for them by
themselves they join the training cases; its description says so. Classes are predicted as probabilities, so that the
squared error percentage is of the same kind as the networks'. The settings are scikit-learn's or ours, and nothing was
tuned on test cases.
"""

from __future__ import annotations

import copy
import functools
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import FunctionMethod, Returned, method
from benchbook.methods.estimators import _LARGEST_SEED
from benchbook.methods.proben1.networks import partition_of
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Outputs

if TYPE_CHECKING:
    from benchbook.tasks import PartitionInstance, TaskInstance


@dataclass(frozen=True)
class ClassifierForest:
    """The settings of proben1-forest."""

    trees: int = setting(100, "trees", least=1)
    share: float = setting(
        1 / 3, "share of the inputs tried at a split, for numbers", above=0, most=1
    )
    leaf: int = setting(3, "the fewest cases of a leaf, for numbers", least=1)


@dataclass(frozen=True)
class ClassifierBoosting:
    """The settings of proben1-boosting."""

    rounds: int = setting(100, "rounds", least=1)
    rate: float = setting(0.1, "learning rate", above=0)
    leaf: int = setting(5, "the fewest cases of a leaf", least=1)


@dataclass(frozen=True)
class Penalties:
    """The settings of proben1-logistic."""

    penalties: tuple[float, ...] = setting(
        (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0), "of the weights, tried", above=0
    )


@dataclass(frozen=True)
class Adam:
    """The settings of proben1-sklearn-mlp."""

    units: int = setting(32, "hidden ReLU units", least=1)
    epochs: int = setting(500, "the most epochs", least=1)
    patience: int = setting(
        40, "epochs without a smaller validation error that end the training", least=1
    )
    rate: float = setting(0.01, "Adam's first step size", above=0)


Fit = Callable[
    ["PartitionInstance", np.random.Generator, Any], "Callable[[np.ndarray], np.ndarray]"
]
"""From the cases of a partition to a function from inputs [n, I] to outputs [n, O]."""


def _learner(name: str, description: str, settings: object) -> Callable[[Fit], FunctionMethod]:
    """Decorate a function of the cases and a generator to make it a method."""

    def decorate(fit: Fit) -> FunctionMethod:
        @functools.wraps(fit)
        def predict(instance: TaskInstance, rng: np.random.Generator, settings: object) -> Returned:
            with one_thread(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", category=UserWarning, module="sklearn")
                begin = time.process_time()
                value = fit(partition_of(instance), rng, settings)(instance.test_inputs)
                return Outputs(value), {"cpu_seconds": time.process_time() - begin}

        return method(
            name=name,
            description=description,
            kinds={"outputs"},
            settings=settings,
            source="scikit-learn's learner; constants, and what it does with the validation cases, ours",
            calls=["benchbook.methods.proben1.networks:partition_of"],
        )(predict)

    return decorate


@_learner(
    "proben1-forest",
    "random forest of 100 trees (scikit-learn), training and validation cases together",
    ClassifierForest(),
)
def forest(
    instance: PartitionInstance, rng: np.random.Generator, settings: ClassifierForest
) -> Callable[[np.ndarray], np.ndarray]:
    """A forest of classification trees for classes, of regression trees on a third of the inputs for numbers."""
    import sklearn.ensemble

    inputs, targets, seed = *_joined(instance), int(rng.integers(_LARGEST_SEED))
    if instance.classes:
        return _classified(
            sklearn.ensemble.RandomForestClassifier(settings.trees, random_state=seed),
            inputs,
            targets,
        )
    learner = sklearn.ensemble.RandomForestRegressor(
        settings.trees,
        max_features=settings.share,
        min_samples_leaf=settings.leaf,
        random_state=seed,
    )
    return _numbers(learner, inputs, targets)


@_learner(
    "proben1-boosting",
    "100 rounds of boosted trees on histograms (scikit-learn), training and validation "
    "cases together",
    ClassifierBoosting(),
)
def boosting(
    instance: PartitionInstance, rng: np.random.Generator, settings: ClassifierBoosting
) -> Callable[[np.ndarray], np.ndarray]:
    """Boosted trees on histograms; for several numbers, an ensemble for each of them."""
    import sklearn.ensemble
    import sklearn.multioutput

    inputs, targets = _joined(instance)
    given: dict[str, Any] = {
        "max_iter": settings.rounds,
        "learning_rate": settings.rate,
        "min_samples_leaf": settings.leaf,
        "early_stopping": False,
    }
    if instance.classes:
        return _classified(
            sklearn.ensemble.HistGradientBoostingClassifier(**given), inputs, targets
        )
    return _numbers(
        sklearn.multioutput.MultiOutputRegressor(
            sklearn.ensemble.HistGradientBoostingRegressor(**given)
        ),
        inputs,
        targets,
    )


@_learner(
    "proben1-logistic",
    "logistic regression, ridge regression for numbers (scikit-learn), the penalty chosen on "
    "the validation cases and then fitted to all",
    Penalties(),
)
def logistic(
    instance: PartitionInstance, rng: np.random.Generator, settings: Penalties
) -> Callable[[np.ndarray], np.ndarray]:
    """Of six penalties the one of least squared error on the validation cases; then training and validation cases."""

    import sklearn.linear_model

    def fitted(
        penalty: float, inputs: np.ndarray, targets: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        if instance.classes:
            return _classified(
                sklearn.linear_model.LogisticRegression(C=1.0 / penalty, max_iter=2000),
                inputs,
                targets,
            )
        return _numbers(sklearn.linear_model.Ridge(alpha=penalty), inputs, targets)

    def error(penalty: float) -> float:
        probabilities = fitted(penalty, instance.train_inputs, instance.train_targets)(
            instance.validation_inputs
        )
        return float(np.sum((probabilities - instance.validation_targets) ** 2))

    return fitted(min(settings.penalties, key=error), *_joined(instance))


@_learner(
    "proben1-sklearn-mlp",
    "a network of 32 hidden ReLU units trained by Adam (scikit-learn), at the "
    "epoch of least squared error on the validation cases",
    Adam(),
)
def sklearn_mlp(
    instance: PartitionInstance, rng: np.random.Generator, settings: Adam
) -> Callable[[np.ndarray], np.ndarray]:
    """Trained on the training cases until 40 epochs have brought no smaller validation error, 500 at most."""
    import sklearn.neural_network

    maker = (
        sklearn.neural_network.MLPClassifier
        if instance.classes
        else sklearn.neural_network.MLPRegressor
    )
    network = maker(
        hidden_layer_sizes=(settings.units,),
        learning_rate_init=settings.rate,
        random_state=int(rng.integers(_LARGEST_SEED)),
    )
    inputs, targets = instance.train_inputs, instance.train_targets
    classes = {"classes": np.arange(targets.shape[1])} if instance.classes else {}
    wanted = (
        np.argmax(targets, axis=1)
        if instance.classes
        else targets[:, 0]
        if targets.shape[1] == 1
        else targets
    )
    best, chosen, waited = np.inf, network, 0
    for _ in range(settings.epochs):
        network.partial_fit(inputs, wanted, **classes)
        predicted = _answers(network, instance.validation_inputs, targets.shape[1])
        error = float(np.sum((predicted - instance.validation_targets) ** 2))
        waited = 0 if error < best else waited + 1
        if error < best:
            best, chosen = error, copy.deepcopy(network)
        if waited >= settings.patience:
            break
    return lambda queries: _answers(chosen, queries, targets.shape[1])


def _joined(instance: PartitionInstance) -> tuple[np.ndarray, np.ndarray]:
    """Training and validation cases, one after the other."""
    return (
        np.vstack([instance.train_inputs, instance.validation_inputs]),
        np.vstack([instance.train_targets, instance.validation_targets]),
    )


def _classified(
    estimator: Any, inputs: np.ndarray, targets: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """Probabilities from a classifier; 0 for a class that it has not seen, and 1 when it has seen no other."""
    labels, outputs = np.argmax(targets, axis=1), targets.shape[1]
    if len(np.unique(labels)) == 1:
        return lambda queries: np.tile(np.eye(outputs)[labels[0]], (len(queries), 1))
    estimator.fit(inputs, labels)
    return lambda queries: _answers(estimator, queries, outputs)


def _numbers(
    estimator: Any, inputs: np.ndarray, targets: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    estimator.fit(
        inputs,
        targets[:, 0] if targets.shape[1] == 1 and not hasattr(estimator, "estimator") else targets,
    )
    return lambda queries: _answers(estimator, queries, targets.shape[1])


def _answers(estimator: Any, queries: np.ndarray, outputs: int) -> np.ndarray:
    """Outputs [n, O]: probabilities by class, or predicted numbers."""
    if not hasattr(estimator, "classes_"):
        return np.asarray(estimator.predict(queries), dtype=float).reshape(len(queries), outputs)
    predicted = np.zeros((len(queries), outputs))
    predicted[:, estimator.classes_] = estimator.predict_proba(queries)
    return predicted
