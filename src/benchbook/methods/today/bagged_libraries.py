"""LightGBM, XGBoost and CatBoost for squared error, bagged over folds that stop them: the same way for all three."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.folds import random_folds
from benchbook.methods.base import method, need_cases
from benchbook.methods.estimators import _held
from benchbook.methods.extras import library, version_of
from benchbook.methods.settings import setting
from benchbook.methods.shared.bagging import Fitted, mean_prediction, predicted_left_out
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

LIGHTGBM, XGBOOST, CATBOOST = "lightgbm-bagged-1", "xgboost-bagged-1", "catboost-bagged-1"
_LEAF = 20  # LightGBM's fewest cases of a leaf
_CALLS = ["benchbook.methods.today.bagged_libraries:_bagged"]

Cases = tuple[np.ndarray, np.ndarray]
"""Inputs [n, d] and targets [n]."""


@dataclass(frozen=True)
class BaggedLibrary:
    """The constants of the three, ours; learning rate, depth and all others are the defaults of the library."""

    folds: int = setting(8, "folds, each left out by one of as many models", least=2)
    rounds: int = setting(1000, "boosting rounds of a model, at most", least=1)
    patience: int = setting(
        50, "rounds without less error on the fold left out, after which it stops", least=1
    )


@method(
    name=LIGHTGBM,
    description="average of eight of LightGBM's boosted ensembles (an optional extra), each stopped on the eighth of "
    "the cases it leaves out; Gaussian with the error of the cases left out as variance",
    kinds={"real"},
    extra="today",
    settings=BaggedLibrary(),
    source="G. Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree, 2017; folds ours",
    calls=_CALLS,
)
def lightgbm_bagged_1(
    instance: TaskInstance, rng: np.random.Generator, settings: BaggedLibrary
) -> tuple[Predictive, dict[str, Any]]:
    """LightGBM for squared error, as ``boosting-bagged-1``: rate 0.1, 31 leaves, leaves of 20 cases or of a tenth of
    the training cases where that is fewer, in eight models that each stop on the eighth they leave out.

    Raises:
        MissingExtra: LightGBM is not installed.
    """
    module = library("lightgbm", LIGHTGBM)
    leaf = fewest_cases(_LEAF, len(instance.train_targets))

    def grow(kept: Cases, held: Cases, seed: int) -> Fitted:
        return module.train(
            {
                "objective": "regression",
                "min_data_in_leaf": leaf,
                "num_threads": 1,
                "seed": seed,
                "deterministic": True,
                "force_row_wise": True,
                "verbosity": -1,
            },
            module.Dataset(*kept),
            num_boost_round=settings.rounds,
            valid_sets=[module.Dataset(*held)],
            callbacks=[module.early_stopping(settings.patience, verbose=False)],
        )

    return _bagged(LIGHTGBM, grow, module, instance, rng, settings)


@method(
    name=XGBOOST,
    description="average of eight of XGBoost's boosted ensembles (an optional extra), each stopped on the eighth of "
    "the cases it leaves out; Gaussian with the error of the cases left out as variance",
    kinds={"real"},
    extra="today",
    settings=BaggedLibrary(),
    source="T. Chen and C. Guestrin, XGBoost: A Scalable Tree Boosting System, 2016; folds ours",
    calls=_CALLS,
)
def xgboost_bagged_1(
    instance: TaskInstance, rng: np.random.Generator, settings: BaggedLibrary
) -> tuple[Predictive, dict[str, Any]]:
    """XGBoost for squared error, as ``boosting-bagged-1``: rate 0.3, depth 6, in eight models that each stop on the
    eighth they leave out.

    Raises:
        MissingExtra: XGBoost is not installed.
    """
    module = library("xgboost", XGBOOST)

    def grow(kept: Cases, held: Cases, seed: int) -> Fitted:
        return module.XGBRegressor(
            n_estimators=settings.rounds,
            early_stopping_rounds=settings.patience,
            n_jobs=1,
            random_state=seed,
        ).fit(*kept, eval_set=[held], verbose=False)

    return _bagged(XGBOOST, grow, module, instance, rng, settings)


@method(
    name=CATBOOST,
    description="average of eight of CatBoost's boosted ensembles (an optional extra), each stopped on the eighth of "
    "the cases it leaves out; Gaussian with the error of the cases left out as variance",
    kinds={"real"},
    extra="today",
    settings=BaggedLibrary(),
    source="L. Prokhorenkova et al., CatBoost: unbiased boosting with categorical features, 2018; folds ours",
    calls=_CALLS,
)
def catboost_bagged_1(
    instance: TaskInstance, rng: np.random.Generator, settings: BaggedLibrary
) -> tuple[Predictive, dict[str, Any]]:
    """CatBoost for squared error, as ``boosting-bagged-1``: symmetric trees of depth 6, at the rate that the library
    chooses, in eight models that each stop on the eighth they leave out.

    Raises:
        MissingExtra: CatBoost is not installed.
    """
    module = library("catboost", CATBOOST)

    def grow(kept: Cases, held: Cases, seed: int) -> Fitted:
        return module.CatBoostRegressor(
            iterations=settings.rounds,
            thread_count=1,
            random_seed=seed,
            verbose=False,
            allow_writing_files=False,
        ).fit(*kept, eval_set=held, early_stopping_rounds=settings.patience)

    return _bagged(CATBOOST, grow, module, instance, rng, settings)


class _Constant:
    """What is learnt of targets that are all equal, which CatBoost refuses."""

    def __init__(self, value: float) -> None:
        self.value = value

    def predict(self, inputs: np.ndarray) -> np.ndarray:
        return np.full(len(inputs), self.value)


def _bagged(
    name: str,
    grow: Callable[[Cases, Cases, int], Fitted],
    module: ModuleType,
    instance: TaskInstance,
    rng: np.random.Generator,
    settings: BaggedLibrary,
) -> tuple[Predictive, dict[str, Any]]:
    """The mean of models grown on all folds but one and stopped by that one; variance as ``boosting-bagged-1``."""
    need_cases(instance, 2, name)
    inputs, targets = _held(instance.train_inputs), instance.train_targets
    folds = random_folds(len(targets), min(settings.folds, len(targets)), rng)
    models: list[Fitted] = []
    for fold in folds:
        kept = inputs[fold.train], targets[fold.train]
        held = inputs[fold.test], targets[fold.test]
        seed = int(rng.integers(2**31))
        alike = np.ptp(kept[1]) == 0
        models.append(_Constant(float(kept[1][0])) if alike else grow(kept, held, seed))
    mean = mean_prediction(models, _held(instance.test_inputs))
    errors = predicted_left_out(models, inputs, folds) - targets
    variance = stated_variance(float(np.mean(errors**2)), targets)
    return Gaussian(mean, np.full(len(mean), variance)), version_of(module)
