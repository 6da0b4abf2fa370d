"""Ten of the network of which other methods have one: laplace-ensemble-1 and swag-ensemble-1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from benchbook.methods.base import FunctionMethod, method
from benchbook.methods.settings import setting
from benchbook.methods.today import laplace, swag
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_OWN = "networks, each with a start and a held-out fifth of its own"


@dataclass(frozen=True)
class LastLayers:
    """The constants of laplace-ensemble-1: those of laplace-last-1, and how many, which is ours."""

    members: int = setting(10, _OWN, least=1)
    member: laplace.LastLayer = setting(laplace.LastLayer(), "of each")


@dataclass(frozen=True)
class SlowSWAGs:
    """The constants of swag-ensemble-1: those of swag-slow-1, and how many, which is ours."""

    members: int = setting(10, _OWN, least=1)
    member: swag.SlowSWAG = setting(swag.SlowSWAG(), "of each")


def _mixture(
    instance: TaskInstance,
    rng: np.random.Generator,
    settings: LastLayers | SlowSWAGs,
    single: FunctionMethod,
) -> tuple[Predictive, dict[str, Any]]:
    """The mixture, in equal parts, of what the networks predict by themselves; ``single`` raises for too few cases."""
    answers = []
    for _ in range(settings.members):
        answered = single.function(instance, rng, settings.member)
        answer, noted = cast("tuple[Predictive, dict[str, Any]]", answered)
        answers.append(answer.parameters)
    mean = np.column_stack([answer["mean"] for answer in answers])
    variance = np.column_stack([answer["variance"] for answer in answers])
    weight = np.full(mean.shape[1], 1 / mean.shape[1])
    passes = settings.members * noted["gradient_passes"]
    return Mixture(weight, mean, variance), {"gradient_passes": passes}


laplace_ensemble_1 = method(
    name="laplace-ensemble-1",
    description="mixture of ten of laplace-last-1's networks, each stopped on a fifth of its own",
    kinds={"real"},
    settings=LastLayers(),
    source="R. Eschenhagen et al., Mixtures of Laplace Approximations for Improved Post-Hoc Uncertainty in Deep "
    "Learning, 2021; the networks ours",
    calls=["benchbook.methods.today.laplace:evidence"],
)(partial(_mixture, single=laplace.laplace_last_1))

swag_ensemble_1 = method(
    name="swag-ensemble-1",
    description="mixture of ten of swag-slow-1's networks, each stopped on a fifth of its own",
    kinds={"real"},
    settings=SlowSWAGs(),
    source="A. Wilson and P. Izmailov, Bayesian Deep Learning and a Probabilistic Perspective of Generalization, "
    "2020 (MultiSWAG); the networks ours",
    calls=["benchbook.methods.today.swag:descend"],
)(partial(_mixture, single=swag.swag_slow_1))
