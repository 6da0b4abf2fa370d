"""From a run on warped targets to a predictive distribution of the targets themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import split_rhat
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.predict import diagnose
from benchbook.methods.networks.bayesian.runs import NetworkRun, Schedule, run
from benchbook.methods.networks.bayesian.warped_constants import slices, warps
from benchbook.methods.networks.bayesian.warps import Warps
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance

_NODES = 7  # of the rule that integrates a slice


def answer(
    model: Model, schedule: Schedule, instance: TaskInstance, rng: np.random.Generator
) -> tuple[Mixture, dict[str, Any]]:
    """Run a chain on an instance with warped targets, and predict the targets.

    The prediction is the equal mixture over the draws of h^-1(N(f(x; w), 1 / tau)), h the warp of the draw, each in
    slices: see ``unwarped``. It falls back to one Gaussian as ``predict.answer`` does. The diagnostics are those of
    ``predict.diagnose``, on the warped scale, with the mean power and the median knot of the draws and the power's
    R-hat.
    """
    targets = instance.train_targets
    maps = warps(targets)
    result = run(model, schedule, instance.train_inputs, targets, rng, maps)
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        centres = result.outputs(instance.test_inputs, model.hidden)
        weight, mean, variance = unwarped(
            maps, result.choice[result.drawn], centres, result.noise_sd
        )
    diagnostics = diagnose(model, result, centres) | _warp_diagnostics(result, maps)
    if result.acceptance == 0.0 or not (np.isfinite(mean).all() and np.isfinite(variance).all()):
        weight, mean = np.ones(1), np.full((len(centres), 1), targets.mean())
        variance = np.full_like(mean, stated_variance(float(targets.var()), targets))
        diagnostics["fallback_to_mean"] = 1
    return Mixture(weight, mean, variance), diagnostics


def _warp_diagnostics(result: NetworkRun, maps: Warps) -> dict[str, float]:
    powers, drawn = maps.powers[result.choice], result.choice[result.drawn]
    return {
        "power": rounded(maps.powers[drawn].mean()),
        "knot": rounded(np.median(maps.knots[drawn])),
        "rhat_power": rounded(split_rhat(powers[result.kept :])),
    }


def unwarped(
    maps: Warps, choice: np.ndarray, centres: np.ndarray, noise_sd: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights [M K], means and variances [J, M K] of Gaussians that stand for h^-1(N(centre, noise_sd^2)) of M draws.

    A Gaussian of standard deviation s is nearly a mixture of K narrower ones, of standard deviation r s, whose centres
    are the nodes of Gauss and Hermite's rule for the standard deviation s sqrt(1 - r^2). Each of them is taken back
    through its warp and replaced by the Gaussian with its mean and variance. So the mean of the whole is right but for
    the error of the rules; the density is approximate where a warp bends within the width of a slice.

    Args:
        maps: the warps.
        choice: [M], the warp of each draw.
        centres: [J, M] outputs, on the warped scale.
        noise_sd: [M], on the warped scale.
    """
    count, width = slices()
    places, shares = _rule(count)
    nodes, weights = _rule(_NODES)
    mean, variance = np.empty((*centres.shape, count)), np.empty((*centres.shape, count))
    for m, k in enumerate(choice):
        middle = centres[:, m, None] + noise_sd[m] * np.sqrt(1.0 - width**2) * places
        back = maps.back(middle[:, :, None] + noise_sd[m] * width * nodes, k)
        mean[:, m] = back @ weights
        variance[:, m] = (back - mean[:, m, :, None]) ** 2 @ weights
    cases, draws = centres.shape
    smallest = np.finfo(float).tiny
    return (
        np.tile(shares, draws) / draws,
        mean.reshape(cases, -1),
        np.maximum(variance.reshape(cases, -1), smallest),
    )


def _rule(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Hermite's rule for a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return nodes, weights / weights.sum()
