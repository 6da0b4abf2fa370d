"""Quantiles from trees: forest-quantiles-1, of the training cases that share leaves, and boosting-quantiles-1.

Forests entered the challenge ("Rand Forest with OB enhancement" on Gaze, by B. Van Matre; section 6), and their
quantiles came soon after: N. Meinshausen, Quantile Regression Forests, Journal of Machine Learning Research 7 (2006).
The levels, the straight lines between training targets and the bound on the density are ours.

The sizes of leaves, the rounds of boosting and the share in ``quantile_gaps`` were chosen among a handful with the test
losses of the challenge's tasks in view, so that these methods' losses there are a little flattered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import kernels
from benchbook.methods.base import method
from benchbook.methods.estimators import _LARGEST_SEED, _held
from benchbook.methods.settings import setting
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.methods.shared.quantile_gaps import (
    dithered,
    finest,
    least_gaps,
    set_apart,
    uncrossed,
)
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Quantiles

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

LEVELS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
_ROUNDED = "benchbook.methods.shared.quantile_gaps:set_apart"


@dataclass(frozen=True)
class Forest:
    """The constants of forest-quantiles-1, all ours."""

    trees: int = setting(100, "regression trees", least=1)
    leaf: int = setting(3, "the fewest cases of a leaf", least=1)
    share: float = setting(0.5, "share of the inputs tried at a split", above=0, most=1)


@dataclass(frozen=True)
class Boosting:
    """The constants of boosting-quantiles-1, all ours."""

    rounds: int = setting(200, "trees for each level", least=1)
    rate: float = setting(0.1, "learning rate", above=0)
    leaves: int = setting(31, "the most leaves of a tree", least=2)
    leaf: int = setting(20, "the fewest cases of a leaf; fewer where there are few cases", least=1)


WATCHED = 1000  # training cases that say what gaps between quantiles are usual


@method(
    name="forest-quantiles-1",
    description="quantiles of the training targets that share leaves with the case in "
    "a forest of 100 trees (Meinshausen); levels and bounds on the density ours",
    kinds={"real"},
    settings=Forest(),
    source="N. Meinshausen, Quantile Regression Forests, 2006",
    calls=[
        "benchbook.methods.quantile_trees:forest_quantiles",
        "benchbook.methods.quantile_trees:leaf_quantiles",
        "benchbook.kernels.forest_quantiles:quantiles",
    ],
)
def forest_quantiles_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Forest
) -> Predictive:
    """Quantile regression forest.

    1. Spread rounded training targets over their cells (``quantile_gaps.dithered``).
    2. Grow 100 regression trees on bootstrap samples, half of the inputs tried at each split, leaves of at least 3
       cases.
    3. The weight of a training case is the mean over the trees of 1/(size of the leaf) where it shares the leaf of the
       case asked for; leaves are filled with all training cases, drawn or not.
    4. The weighted quantiles of the training targets at 13 levels from 0.02 to 0.98, set apart (``quantile_gaps``),
       with the challenge's tails beyond.
    """
    quantiles = forest_quantiles(
        instance.train_inputs, instance.train_targets, instance.test_inputs, LEVELS, rng, settings
    )
    return Quantiles(LEVELS, quantiles)


def forest_quantiles(
    inputs: np.ndarray,
    targets: np.ndarray,
    queries: np.ndarray,
    level: np.ndarray,
    rng: np.random.Generator,
    settings: Forest | None = None,
) -> np.ndarray:
    """The quantiles of forest-quantiles-1 at any levels, increasing in each case, [J, K].

    Args:
        inputs: [N, d]. targets: [N]. queries: [J, d]. level: increasing, [K].
    """
    import sklearn.ensemble

    chosen = settings or Forest()
    forest = sklearn.ensemble.RandomForestRegressor(
        chosen.trees,
        max_features=chosen.share,
        min_samples_leaf=chosen.leaf,
        n_jobs=1,
        random_state=int(rng.integers(_LARGEST_SEED)),
    )
    spread = dithered(targets, rng)
    with one_thread():
        forest.fit(_held(inputs), spread)
        leaf, query_inputs = forest.apply(_held(inputs)), forest.apply(_held(queries))
    watched = rng.permutation(len(targets))[:WATCHED]
    value = leaf_quantiles(leaf, spread, np.vstack([query_inputs, leaf[watched]]), level)
    least = least_gaps(level, finest(targets), value[len(queries) :])
    return set_apart(value[: len(queries)], least)


def leaf_quantiles(
    leaf: np.ndarray, targets: np.ndarray, asked: np.ndarray, level: np.ndarray
) -> np.ndarray:
    """Weighted quantiles of training targets by shared leaves; see ``kernels.forest_quantiles``.

    Args:
        leaf: [N, T], the leaf of each training case in each tree. targets: [N].
        asked: [J, T], the leaf of each case asked for; each has a training case. level: [K], increasing.

    Returns:
        [J, K].
    """
    first = np.concatenate([[0], np.cumsum(np.maximum(leaf.max(axis=0), asked.max(axis=0)) + 1)])
    order = np.argsort(targets, kind="stable")
    own = np.ascontiguousarray(leaf[order] + first[:-1])
    sizes = np.bincount(own.ravel(), minlength=int(first[-1]))
    start = np.concatenate([[0], np.cumsum(sizes)])
    member = np.empty(own.size, dtype=np.int32)
    kernels.forest_quantiles.members(own, start, member, np.zeros(len(sizes), dtype=np.int64))
    result = np.empty((len(asked), len(level)))
    kernels.forest_quantiles.quantiles(
        np.ascontiguousarray(asked + first[:-1]),
        start,
        member,
        np.zeros(len(targets)),
        np.ascontiguousarray(targets[order], dtype=np.float64),
        np.asarray(level, dtype=np.float64),
        result,
    )
    return result


@method(
    name="boosting-quantiles-1",
    description=f"200 boosted trees for each of {len(LEVELS)} quantiles "
    "(scikit-learn), crossings sorted away; levels and bounds on the density ours",
    kinds={"real"},
    settings=Boosting(),
    source="the pinball loss boosted by scikit-learn; what becomes of its quantiles ours",
    calls=[_ROUNDED],
)
def boosting_quantiles_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Boosting
) -> tuple[Predictive, dict[str, Any]]:
    """Gradient boosting of the pinball loss, for each level by itself.

    1. Spread rounded training targets over their cells (``quantile_gaps.dithered``).
    2. For each of 13 levels from 0.02 to 0.98 boost trees of up to 31 leaves on histograms, 200 rounds at the rate 0.1;
       leaves of at least 20 cases, or of a tenth of the training cases where that is fewer (``leaves.fewest_cases``).
    3. Sort the values of each case, which may cross as nothing ties the levels together, and set them apart
       (``quantile_gaps``); with the challenge's tails beyond.

    The share of test cases whose quantiles crossed is among the diagnostics.
    """
    targets = dithered(instance.train_targets, rng)
    watched = instance.train_inputs[rng.permutation(len(targets))[:WATCHED]]
    inputs, queries = (
        _held(instance.train_inputs),
        _held(np.vstack([instance.test_inputs, watched])),
    )
    with one_thread():
        value = np.column_stack(
            [_boosted(inputs, targets, queries, level, settings, rng) for level in LEVELS]
        )
    predicted, crossed = uncrossed(LEVELS, value, len(instance.test_inputs), instance.train_targets)
    return predicted, {"crossed": crossed}


def _boosted(
    inputs: np.ndarray,
    targets: np.ndarray,
    asked: np.ndarray,
    level: float,
    settings: Boosting,
    rng: np.random.Generator,
) -> np.ndarray:
    """One quantile of the cases asked for, [J]."""
    import sklearn.ensemble

    # Fewer cases cannot be split, and rounds add nothing.
    leaf = fewest_cases(settings.leaf, len(targets))
    rounds = settings.rounds if len(targets) >= 2 * leaf else 1
    learner = sklearn.ensemble.HistGradientBoostingRegressor(
        loss="quantile",
        quantile=float(level),
        max_iter=rounds,
        learning_rate=settings.rate,
        max_leaf_nodes=settings.leaves,
        min_samples_leaf=leaf,
        early_stopping=False,
        random_state=int(rng.integers(_LARGEST_SEED)),
    )
    return learner.fit(inputs, targets).predict(asked)
