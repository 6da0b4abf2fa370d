"""Bayesian neural networks for targets whose noise is not the same everywhere: a warp learned with the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchbook.methods.base import FunctionMethod, method, need_cases
from benchbook.methods.networks.bayesian import constants
from benchbook.methods.networks.bayesian.predict import warped_answer
from benchbook.methods.works import NEAL

if TYPE_CHECKING:
    import numpy as np

    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


def warped_mixture(
    instance: TaskInstance, rng: np.random.Generator, settings: constants.NetworkChain, *, name: str
) -> tuple[Predictive, dict[str, Any]]:
    """As the methods of ``sampled``, but for the scale on which the noise is Gaussian and constant.

    The repair is ours; that a transformation of the target might be one is suggested in the conclusion of R. M. Neal,
    Assessing Relevance Determination Methods Using DELVE, 1998. The warp is one of those of ``bayesian.warps``, drawn
    anew through the run from its distribution given the network. The prediction is for the target itself, a mixture of
    Gaussians, twelve for each network drawn.
    """
    need_cases(instance, 2, name)
    return warped_answer(settings.model, settings.schedule, instance, rng)


def warped(name: str, description: str, settings: constants.NetworkChain) -> FunctionMethod:
    """A method of that procedure."""
    return method(
        name=name,
        description=description,
        kinds={"real"},
        settings=settings,
        source=f"ours; the network of {NEAL}",
        calls=[
            "benchbook.methods.networks.bayesian.predict:warped_answer",
            "benchbook.methods.networks.bayesian.runs:run",
            "benchbook.kernels.sweeps:sweep",
            "benchbook.kernels.sampling:trajectory",
            "benchbook.kernels.sampling:double_sweep",
            "benchbook.kernels.trajectories:kick_and_drift",
        ],
    )(partial(warped_mixture, name=name))


_LINEAR_TOO = constants.model(relevance=True, direct=True)

mlp_mc_2w = warped(
    "mlp-mc-2w",
    "mlp-mc-2 with a learned warp of the target (ours)",
    constants.NetworkChain(_LINEAR_TOO, constants.schedule()),
)
mlp_mc_2wb = warped(
    "mlp-mc-2wb",
    "mlp-mc-2w with three times the passes (ours)",
    constants.NetworkChain(_LINEAR_TOO, constants.schedule_b()),
)
