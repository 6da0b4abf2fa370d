"""Bayesian neural networks by Markov chain Monte Carlo: Neal's methods of the mlp-mc family."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchbook.methods.base import FunctionMethod, method, need_cases
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.predict import answer
from benchbook.methods.works import NEAL

if TYPE_CHECKING:
    import numpy as np

    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


_BASIC = f"{NEAL}, Bayesian learning using Markov chain Monte Carlo"
_ARD = f"{NEAL}, Bayesian Automatic Relevance Determination (ARD)"
_MORE = f"{NEAL}, More on the Bayesian Monte Carlo methods"


def posterior_mixture(
    instance: TaskInstance, rng: np.random.Generator, settings: constants.NetworkChain, *, name: str
) -> tuple[Predictive, dict[str, Any]]:
    """Sample the posterior of a network and predict with the mixture over the draws.

    Its form is that of R. M. Neal, Assessing Relevance Determination Methods Using DELVE, 1998; the constants are in
    ``bayesian.constants``. The prediction is a mixture of at most 100 Gaussians, one for each network drawn, with the
    noise variance drawn with it. The diagnostics are those of ``bayesian.predict.diagnose``.
    """
    need_cases(instance, 2, name)
    return answer(settings.model, settings.schedule, instance, rng)


def bayesian(
    name: str, description: str, source: str, settings: constants.NetworkChain
) -> FunctionMethod:
    """A method of that procedure."""
    step = "double_sweep" if settings.schedule.parts > 1 else "full_step"
    return method(
        name=name,
        description=description,
        kinds={"real"},
        settings=settings,
        source=source,
        calls=[
            "benchbook.methods.networks.bayesian.predict:answer",
            "benchbook.methods.networks.bayesian.runs:run",
            "benchbook.kernels.sweeps:sweep",
            "benchbook.kernels.sampling:trajectory",
            f"benchbook.kernels.sampling:{step}",
            "benchbook.kernels.trajectories:kick_and_drift",
        ],
    )(partial(posterior_mixture, name=name))


_LINEAR_TOO = constants.model(relevance=True, direct=True)
_RELEVANCE = constants.model(relevance=True, direct=False)
_PLAIN = constants.model(relevance=False, direct=False)
_USUAL, _LONG, _THREEFOLD = (
    constants.schedule(),
    constants.schedule(long=True),
    constants.schedule_b(),
)

mlp_mc_1 = bayesian(
    "mlp-mc-1",
    "Bayesian neural network, relevance hyperparameters, direct connections, long run",
    _MORE,
    constants.NetworkChain(_LINEAR_TOO, _LONG),
)
mlp_mc_2 = bayesian(
    "mlp-mc-2",
    "Bayesian neural network, relevance hyperparameters, direct connections",
    _ARD,
    constants.NetworkChain(_LINEAR_TOO, _USUAL),
)
mlp_mc_3 = bayesian(
    "mlp-mc-3",
    "Bayesian neural network, relevance hyperparameters",
    _ARD,
    constants.NetworkChain(_RELEVANCE, _USUAL),
)
mlp_mc_4 = bayesian(
    "mlp-mc-4",
    "Bayesian neural network, no relevance hyperparameters",
    _BASIC,
    constants.NetworkChain(_PLAIN, _USUAL),
)
mlp_mc_2b = bayesian(
    "mlp-mc-2b",
    "mlp-mc-2 with three times the passes",
    _MORE,
    constants.NetworkChain(_LINEAR_TOO, _THREEFOLD),
)
mlp_mc_3b = bayesian(
    "mlp-mc-3b",
    "mlp-mc-3 with three times the passes",
    _MORE,
    constants.NetworkChain(_RELEVANCE, _THREEFOLD),
)
mlp_mc_4b = bayesian(
    "mlp-mc-4b",
    "mlp-mc-4 with three times the passes",
    _MORE,
    constants.NetworkChain(_PLAIN, _THREEFOLD),
)
