"""From a finished run to the predictive distribution and the diagnostics of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.assess.densities.chains import effective_size, split_rhat
from benchbook.methods.networks.bayesian.model import Model
from benchbook.methods.networks.bayesian.runs import NetworkRun, Schedule, run
from benchbook.methods.shared.diagnostics import listed, rounded
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.tasks import TaskInstance

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
        figures[f"rhat_{name}"] = rounded(
            max((split_rhat(trace) for trace in traces), default=np.nan)
        )
        figures[f"ess_{name}"] = rounded(
            min((effective_size(trace) for trace in traces), default=np.nan)
        )
    medians = listed(np.median(chain.sigma[chain.kept :], axis=0))
    return figures | ({"sigma": medians} if medians else {})
