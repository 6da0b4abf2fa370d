"""From a finished run to the predictive distribution and the diagnostics of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import largest_rhat, least_size, split_rhat
from benchbook.methods.networks.bayesian.constants import Constant
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.runs import NetworkRun, Schedule, run
from benchbook.methods.networks.bayesian.warps import Warps, fit
from benchbook.methods.shared.diagnostics import listed, rounded
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance

_UNIT = "in mean absolute deviations of the training targets"

TABLE: tuple[Constant, ...] = (
    Constant(
        "warp offset",
        0.01,
        "ours",
        f"added to a target's height above the lowest, {_UNIT}; no map is steeper "
        "there than it should be for a share counted in whole customers",
    ),
    Constant("warp powers", 11, "ours", "evenly spaced from 0, a logarithm, to 1, a straight line"),
    Constant("warp knots, highest", 4.0, "ours", f"{_UNIT}; beyond it every map is straight"),
    Constant("warp knots, ratio", 2**-0.5, "ours", "of a knot to the one above it"),
    Constant("warp knots", 11, "ours", "down to an eighth"),
    Constant("warp slices", 12, "ours", "Gaussians that stand for one warped Gaussian"),
    Constant(
        "warp slice width",
        0.45,
        "ours",
        "standard deviation of a slice, as a share of the noise's; wide "
        "enough for twelve of them to leave no ripples",
    ),
)

_VALUES = {constant.name: float(constant.value) for constant in TABLE}


def warps(targets: np.ndarray) -> Warps:
    """The maps that a chain chooses from, fitted to training targets [N]."""
    powers = np.linspace(0.0, 1.0, int(_VALUES["warp powers"]))
    knots = _VALUES["warp knots, highest"] * _VALUES["warp knots, ratio"] ** np.arange(
        _VALUES["warp knots"]
    )
    return fit(targets, _VALUES["warp offset"], powers.tolist(), knots.tolist())


def slices() -> tuple[int, float]:
    """How many Gaussians stand for one on the warped scale, and the standard deviation of each as a share of its."""
    return int(_VALUES["warp slices"]), _VALUES["warp slice width"]


_NODES = 7  # of the rule that integrates a slice


def warped_answer(
    model: Model, schedule: Schedule, instance: TaskInstance, rng: np.random.Generator
) -> tuple[Mixture, dict[str, Any]]:
    """Run a chain on an instance with warped targets, and predict the targets.

    The prediction is the equal mixture over the draws of h^-1(N(f(x; w), 1 / tau)), h the warp of the draw, each in
    slices: see ``unwarped``. It falls back to one Gaussian as ``answer`` does. The diagnostics are those of
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


_WATCHED = 5  # test cases whose predictions are watched for convergence


def answer(
    model: Model, schedule: Schedule, instance: TaskInstance, rng: np.random.Generator
) -> tuple[Mixture, dict[str, Any]]:
    """Run a chain on an instance and predict: an equal mixture over the draws of N(f(x; w), 1 / tau).

    When no trajectory of the part kept was accepted, or an output is not finite, the draws say nothing: the prediction
    is then N(m, v) with the mean and variance of the training targets, and the record has "fallback_to_mean".
    """
    targets = instance.train_targets
    chain = run(model, schedule, instance.train_inputs, targets, rng)
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        centres = chain.outputs(instance.test_inputs, model.hidden)
    diagnostics = diagnose(model, chain, centres)
    spread = np.tile(chain.noise_sd**2, (len(centres), 1))
    if chain.acceptance == 0.0 or not (np.isfinite(centres).all() and np.isfinite(spread).all()):
        centres = np.full((len(centres), 1), targets.mean())
        spread = np.full_like(centres, stated_variance(float(targets.var()), targets))
        diagnostics["fallback_to_mean"] = 1
    return Mixture(np.full(centres.shape[1], 1.0 / centres.shape[1]), centres, spread), diagnostics


def diagnose(model: Model, chain: NetworkRun, centres: np.ndarray) -> dict[str, Any]:
    """Numbers that say what a run cost and how far to trust it.

    R-hat and effective sizes (``convergence``) are those of the noise standard deviation and, the largest R-hat and the
    least size, of the weight sets', over all states kept, and of the outputs for the first five test cases, over the
    draws. ``sigma`` holds the median standard deviation of each weight set, the relevance of inputs where the model
    has it, in the order of ``Model.set_names``; it is left out when there are more than 100.

    Args:
        centres: [J, M] outputs for the test cases.
    """
    varying = np.ptp(chain.sigma, axis=0) > 0
    sets = np.log(chain.sigma[chain.kept :, varying]).T
    noise = np.log(chain.noise[chain.kept :])
    watched = [trace for trace in centres[:_WATCHED] if np.isfinite(trace).all()]
    figures: dict[str, Any] = {
        "gradient_passes": round(float(chain.passes[-1])),
        "draws": len(chain.drawn),
        "acceptance": rounded(chain.acceptance),
        "diverged": chain.diverged,
        "step_halvings": chain.halvings,
        "noise_sd": rounded(np.median(chain.noise[chain.kept :])),
    }
    for name, traces in (("noise", noise[None]), ("sigma", sets), ("prediction", watched)):
        figures[f"rhat_{name}"] = rounded(largest_rhat(traces))
        figures[f"ess_{name}"] = rounded(least_size(traces))
    medians = listed(np.median(chain.sigma[chain.kept :], axis=0))
    return figures | ({"sigma": medians} if medians else {})
