"""Networks trained on tables before they see yours: tabicl-1. They run where their weights are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.extras import LACKING, MissingExtra, library, version_of
from benchbook.methods.quantile_trees import LEVELS
from benchbook.methods.settings import setting
from benchbook.methods.shared.quantile_gaps import finest, set_apart
from benchbook.predictive import Quantiles

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

NAME = "tabicl-1"


@dataclass(frozen=True)
class TabICL:
    """The constants of tabicl-1, the defaults of the library."""

    estimators: int = setting(
        8, "orders of inputs and scales of targets that are averaged", least=1
    )


@method(
    name=NAME,
    description=f"{len(LEVELS)} quantiles by a network pretrained on tables (TabICL, an optional extra "
    "with weights of its own), the library's defaults",
    kinds={"real"},
    extra="tables",
    settings=TabICL(),
    source="J. Qu et al., TabICLv2, 2026; the library of that name",
    calls=["benchbook.methods.shared.quantile_gaps:set_apart"],
)
def tabicl_1(
    instance: TaskInstance, rng: np.random.Generator, settings: TabICL
) -> tuple[Predictive, dict[str, Any]]:
    """TabICL's regressor as the library has it: nothing is trained here, the training cases are read with the others.

    Its quantiles at 13 levels from 0.02 to 0.98 are sorted and set apart (``quantile_gaps``), with the challenge's
    tails beyond. Weights are taken from where the library keeps them. Nothing is downloaded: a study that fetches
    weights in each of its processes is none. No run of it is in the book's archives.

    Raises:
        MissingExtra: TabICL is not installed, or its weights are not there.
    """
    need_cases(instance, 2, NAME)
    module = library("tabicl", NAME, "tables")
    learner = module.TabICLRegressor(
        n_estimators=settings.estimators,
        allow_auto_download=False,
        device="cpu",
        n_jobs=1,
        random_state=int(rng.integers(2**31)),
    )
    try:
        learner.fit(instance.train_inputs, instance.train_targets)
    except ValueError as error:
        if "not cached" not in str(error):
            raise
        raise MissingExtra(
            f"{NAME} needs the weights of tabicl's network, {LACKING}; fetch them once with "
            "`TabICLRegressor().fit([[0.0], [1.0]], [0.0, 1.0])` where there is a network"
        ) from error
    value = learner.predict(instance.test_inputs, output_type="quantiles", alphas=LEVELS.tolist())
    least = np.diff(LEVELS) * finest(instance.train_targets)
    return Quantiles(LEVELS, set_apart(np.asarray(value, dtype=np.float64), least)), version_of(
        module
    )
