"""Today’s learners by their libraries' own functions: what *Calibration of today’s methods* is held against.

    python tests/methods/plain_learners.py data/simulated/plain-learners.parquet

Of the package are the cases, the scale of the targets, and nothing else. Needs the extra ``today``.
Four minutes of a core.
"""

import sys

import catboost
import lightgbm
import ngboost
import numpy as np
import polars as pl
import xgboost
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor
from sklearn.isotonic import isotonic_regression
from sklearn.model_selection import train_test_split

from benchbook import tasks
from benchbook.predictive import Gaussian

TASKS = ("kin-8nm-sim/dist/std.64", "pumadyn-8fm-sim/accel/std.64")
RUN = {
    "catboost-stopped-1": ("kin-8nm-sim/dist/std.64", "pumadyn-8nm-sim/accel/std.64")
}  # where it is in the archive
INSTANCES = (0, 1)
SEEDS = {
    "lightgbm-quantiles-1": 1,
    "forest-quantiles-1": 4,
    "ngboost-1": 2,
    "catboost-1": 12,
    "xgboost-quantiles-1": 1,
    "catboost-stopped-1": 8,
}
LEVELS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])


def lightgbm_interval(inputs, targets, queries, seed):
    ends = [
        lightgbm.LGBMRegressor(
            objective="quantile",
            alpha=level,
            min_child_samples=min(20, max(5, len(targets) // 10)),
            verbose=-1,
            n_jobs=1,
            random_state=seed,
        )
        .fit(inputs, targets)
        .predict(queries)
        for level in (0.1, 0.9)
    ]
    return None, np.minimum(*ends), np.maximum(*ends)


def forest_interval(inputs, targets, queries, seed):
    forest = RandomForestRegressor(
        100, max_features=0.5, min_samples_leaf=3, random_state=seed
    ).fit(inputs, targets)
    shared = forest.apply(queries)[:, None] == forest.apply(inputs)[None]  # query, case, tree
    weights = (shared / shared.sum(axis=1, keepdims=True)).mean(axis=2)
    order = np.argsort(targets)
    below = np.cumsum(weights[:, order], axis=1)
    return None, *(
        targets[order][np.argmax(below >= level - 1e-12, axis=1)] for level in (0.1, 0.9)
    )


def ngboost_interval(inputs, targets, queries, seed):
    predicted = (
        ngboost.NGBRegressor(random_state=seed, verbose=False)
        .fit(inputs, targets)
        .pred_dist(queries)
    )
    return gaussian(predicted.loc, predicted.scale)


def catboost_interval(inputs, targets, queries, seed):
    learner = catboost.CatBoostRegressor(
        loss_function="RMSEWithUncertainty",
        verbose=0,
        thread_count=1,
        random_seed=seed,
        allow_writing_files=False,
    )
    mean, variance = learner.fit(inputs, targets).predict(queries).T
    return gaussian(mean, np.sqrt(variance))


def xgboost_interval(inputs, targets, queries, seed):
    """The library's other door: its matrices and ``train``, and for crossings the rule as it is described."""
    query_inputs = {
        "objective": "reg:quantileerror",
        "quantile_alpha": LEVELS,
        "seed": seed,
        "nthread": 1,
    }
    learner = xgboost.train(query_inputs, xgboost.DMatrix(inputs, targets), 100)
    seen, message = (
        np.sort(learner.predict(xgboost.DMatrix(part)).astype(float)) for part in (inputs, queries)
    )
    gaps = np.maximum(np.diff(LEVELS) * 0.001 * targets.std(), np.median(np.diff(seen), axis=0) / 2)
    steps = np.append(0, np.cumsum(gaps))
    apart = np.array([isotonic_regression(row) for row in message - steps]) + steps
    return None, apart[:, 2], apart[:, -3]


def stopped_interval(inputs, targets, queries, seed):
    """Rounds by the library's own early stopping, on a fifth of the cases that scikit-learn holds out."""
    query_inputs = {
        "loss_function": "RMSEWithUncertainty",
        "iterations": 2000,
        "learning_rate": 0.03,
        "thread_count": 1,
        "random_seed": seed,
        "allow_writing_files": False,
        "verbose": False,
    }
    cases = catboost.Pool(inputs, targets)
    selected, validation, known, hidden = train_test_split(
        inputs, targets, test_size=0.2, random_state=seed
    )
    watched = catboost.CatBoostRegressor(**query_inputs)
    watched.fit(selected, known, eval_set=(validation, hidden), early_stopping_rounds=50)
    rounds = watched.get_best_iteration() + 1
    mean, variance = (
        catboost.CatBoostRegressor(**query_inputs | {"iterations": rounds})
        .fit(cases)
        .predict(queries)
        .T
    )
    return gaussian(mean, np.sqrt(variance))


def gaussian(mean, sd):
    return mean, mean + sd * norm.ppf(0.1), mean + sd * norm.ppf(0.9)


LEARNERS = {
    "lightgbm-quantiles-1": lightgbm_interval,
    "forest-quantiles-1": forest_interval,
    "ngboost-1": ngboost_interval,
    "catboost-1": catboost_interval,
    "xgboost-quantiles-1": xgboost_interval,
    "catboost-stopped-1": stopped_interval,
}


def losses(task, number, method, seed):
    """Mean squared error, share of targets outside the 80 % interval, and its mean width, in units of the target."""
    instance, targets = tasks.get(task).instance(number), tasks.get(task).test_targets(number)
    item = instance.decode(Gaussian(np.zeros(len(targets)), np.ones(len(targets))))
    centre, scale = float(item.mean()[0]), float(np.sqrt(item.variance()[0]))
    mean, low, high = LEARNERS[method](
        instance.train_inputs, instance.train_targets, instance.test_inputs, seed
    )
    results = {} if mean is None else {"S": np.mean((centre + scale * mean - targets) ** 2)}
    outside = (targets < centre + scale * low) | (targets > centre + scale * high)
    return results | {"MI80": np.mean(outside), "WI80": np.mean(scale * (high - low))}


if __name__ == "__main__":
    rows = [
        {
            "task": task,
            "instance": number,
            "method": method,
            "seed": seed,
            "loss": code,
            "value": float(value),
        }
        for method, count in SEEDS.items()
        for task in RUN.get(method, TASKS)
        for number in INSTANCES
        for seed in range(1, count + 1)
        for code, value in losses(task, number, method, seed).items()
    ]
    pl.DataFrame(rows).write_parquet(sys.argv[1])
