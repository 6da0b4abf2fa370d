"""Learners of today by their libraries' own functions: what the chapter *Calibrated by whom* is held against.

    python tests/methods/plain_learners.py data/simulated/plain-learners.parquet

Of the package are the cases, the scale of the targets, and nothing else. Needs the extra ``today``; a minute of a core.
"""

import sys

import catboost
import lightgbm
import ngboost
import numpy as np
import polars as pl
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor

from benchbook import tasks
from benchbook.predictive import Gaussian

TASKS = ("kin-8nm-sim/dist/std.64", "pumadyn-8fm-sim/accel/std.64")
INSTANCES = (0, 1)
SEEDS = {"lightgbm-quantiles-1": 1, "forest-quantiles-1": 4, "ngboost-1": 2, "catboost-1": 12}


def lightgbm_interval(inputs, targets, queries, seed):
    ends = [lightgbm.LGBMRegressor(objective="quantile", alpha=level, verbose=-1, n_jobs=1, random_state=seed).fit(
        inputs, targets).predict(queries) for level in (0.1, 0.9)]
    return None, np.minimum(*ends), np.maximum(*ends)


def forest_interval(inputs, targets, queries, seed):
    forest = RandomForestRegressor(100, max_features=0.5, min_samples_leaf=3, random_state=seed).fit(inputs, targets)
    shared = forest.apply(queries)[:, None] == forest.apply(inputs)[None]  # query, case, tree
    weights = (shared / shared.sum(axis=1, keepdims=True)).mean(axis=2)
    order = np.argsort(targets)
    below = np.cumsum(weights[:, order], axis=1)
    return None, *(targets[order][np.argmax(below >= level - 1e-12, axis=1)] for level in (0.1, 0.9))


def ngboost_interval(inputs, targets, queries, seed):
    said = ngboost.NGBRegressor(random_state=seed, verbose=False).fit(inputs, targets).pred_dist(queries)
    return gaussian(said.loc, said.scale)


def catboost_interval(inputs, targets, queries, seed):
    learner = catboost.CatBoostRegressor(loss_function="RMSEWithUncertainty", verbose=0, thread_count=1,
                                         random_seed=seed, allow_writing_files=False)
    mean, variance = learner.fit(inputs, targets).predict(queries).T
    return gaussian(mean, np.sqrt(variance))


def gaussian(mean, sd):
    return mean, mean + sd * norm.ppf(0.1), mean + sd * norm.ppf(0.9)


LEARNERS = {"lightgbm-quantiles-1": lightgbm_interval, "forest-quantiles-1": forest_interval,
            "ngboost-1": ngboost_interval, "catboost-1": catboost_interval}


def losses(task, number, method, seed):
    """Mean squared error, share of targets outside the 80 % interval, and its mean width, in units of the target."""
    instance, targets = tasks.get(task).instance(number), tasks.get(task).test_targets(number)
    one = instance.decode(Gaussian(np.zeros(len(targets)), np.ones(len(targets))))
    centre, scale = float(one.mean()[0]), float(np.sqrt(one.variance()[0]))
    mean, low, high = LEARNERS[method](instance.train_inputs, instance.train_targets, instance.test_inputs, seed)
    found = {} if mean is None else {"S": np.mean((centre + scale * mean - targets) ** 2)}
    outside = (targets < centre + scale * low) | (targets > centre + scale * high)
    return found | {"MI80": np.mean(outside), "WI80": np.mean(scale * (high - low))}


if __name__ == "__main__":
    rows = [{"task": task, "instance": number, "method": method, "seed": seed, "loss": code, "value": float(value)}
            for task in TASKS for number in INSTANCES for method, count in SEEDS.items()
            for seed in range(1, count + 1) for code, value in losses(task, number, method, seed).items()]
    pl.DataFrame(rows).write_parquet(sys.argv[1])
