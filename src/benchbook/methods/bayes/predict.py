"""From a finished run to the predictive distribution and the diagnostics of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.bayes.convergence import effective_size, split_rhat
from benchbook.methods.bayes.model import Model
from benchbook.methods.bayes.runs import Run, Schedule, run
from benchbook.methods.threads import one_thread

if TYPE_CHECKING:
    from benchbook.predictive import Mixture
    from benchbook.tasks import TaskInstance

_WATCHED = 5  # test cases whose predictions are watched for convergence
_LONGEST = 100  # numbers that a diagnostic may hold


def answer(
    model: Model, schedule: Schedule, instance: TaskInstance, rng: np.random.Generator
) -> tuple[Mixture, dict[str, Any]]:
    """Run a chain on an instance and predict: an equal mixture over the draws of N(f(x; w), 1 / tau)."""
    from benchbook.predictive import Mixture

    chain = run(model, schedule, instance.train_inputs, instance.train_targets, rng)
    with one_thread():
        centres = chain.outputs(instance.test_inputs, model.hidden)
    cases, draws = centres.shape
    spread = np.tile(chain.noise_sd**2, (cases, 1))
    return Mixture(np.full(draws, 1.0 / draws), centres, spread), diagnose(model, chain, centres)


def diagnose(model: Model, chain: Run, centres: np.ndarray) -> dict[str, Any]:
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
    watched = centres[:_WATCHED]
    figures: dict[str, Any] = {
        "gradient_passes": round(float(chain.passes[-1])),
        "draws": len(chain.drawn),
        "acceptance": round(chain.acceptance, 4),
        "diverged": chain.diverged,
        "step_halvings": chain.halvings,
        "noise_sd": float(np.median(chain.noise[chain.kept :])),
    }
    for name, traces in (("noise", noise[None]), ("sigma", sets), ("prediction", watched)):
        figures[f"rhat_{name}"] = _plain(max((split_rhat(trace) for trace in traces), default=1.0))
        figures[f"ess_{name}"] = _plain(min((effective_size(trace) for trace in traces), default=1.0))
    if chain.sigma.shape[1] <= _LONGEST:
        figures["sigma"] = [float(value) for value in np.median(chain.sigma[chain.kept :], axis=0)]
    return figures


def _plain(value: float) -> float:
    """Rounded; 0 stands for a figure that too few draws leave undefined."""
    return round(value, 3) if np.isfinite(value) else 0.0
