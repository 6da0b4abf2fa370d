"""Quantiles by LightGBM: lightgbm-quantiles-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import library, version_of
from benchbook.methods.quantile_trees import LEVELS, WATCHED
from benchbook.methods.settings import setting
from benchbook.methods.shared.leaves import fewest_cases
from benchbook.methods.shared.quantile_gaps import dithered, uncrossed

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "lightgbm-quantiles-1"


@dataclass(frozen=True)
class LightGBM:
    """The constants of lightgbm-quantiles-1, the defaults of the library; ``leaf`` by ``shared.leaves``."""

    rounds: int = setting(100, "trees for each level", least=1)
    rate: float = setting(0.1, "learning rate", above=0)
    leaves: int = setting(31, "the most leaves of a tree", least=2)
    leaf: int = setting(20, "the fewest cases of a leaf; fewer where there are few cases", least=1)


@method(
    name=NAME,
    description=f"boosted trees for each of {len(LEVELS)} quantiles (LightGBM, an optional extra), the "
    "library's defaults; what becomes of crossings ours",
    kinds={"real"},
    extra="today",
    settings=LightGBM(),
    source="G. Ke et al., LightGBM: A Highly Efficient Gradient Boosting Decision Tree, 2017",
    calls=["benchbook.methods.shared.quantile_gaps:uncrossed"],
)
def lightgbm_quantiles_1(
    instance: TaskInstance, rng: np.random.Generator, settings: LightGBM
) -> tuple[Predictive, dict[str, Any]]:
    """LightGBM's quantile objective, for each of 13 levels from 0.02 to 0.98 by itself: 100 rounds at the rate 0.1,
    leaves of 20 cases, or of a tenth of the training cases where that is fewer (``leaves.fewest_cases``).

    Values that cross are sorted and set apart as those of ``boosting-quantiles-1`` (``quantile_gaps``), with the
    challenge's tails beyond. The share of test cases whose quantiles crossed is among the diagnostics.

    Raises:
        MissingExtra: LightGBM is not installed.
    """
    need_cases(instance, 2, NAME)
    module = library("lightgbm", NAME)
    targets = dithered(instance.train_targets, rng)
    watched = instance.train_inputs[rng.permutation(len(targets))[:WATCHED]]
    queries = np.vstack([instance.test_inputs, watched])
    leaf = fewest_cases(settings.leaf, len(targets))
    value = np.column_stack(
        [
            module.LGBMRegressor(
                objective="quantile",
                alpha=float(level),
                n_estimators=settings.rounds,
                learning_rate=settings.rate,
                num_leaves=settings.leaves,
                min_child_samples=leaf,
                n_jobs=1,
                random_state=int(rng.integers(2**31)),
                deterministic=True,
                force_row_wise=True,
                verbose=-1,
            )
            .fit(instance.train_inputs, targets)
            .predict(queries)
            for level in LEVELS
        ]
    )
    predicted, crossed = uncrossed(LEVELS, value, len(instance.test_inputs), instance.train_targets)
    return predicted, {"crossed": crossed, "leaf": leaf, **version_of(module)}
