"""mdn-1: a committee of mixture density networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.density_networks import Design

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

DESIGN = Design(members=5, components=4)


@method(name="mdn-1", description="five mixture density networks of four Gaussians, each stopped by and calibrated on "
        "a fifth of the cases, after the challenge's mixture density network ensembles", kinds={"real"})
def mdn_1(instance: TaskInstance, rng: np.random.Generator) -> tuple[Predictive, dict[str, Any]]:
    from benchbook.methods.network_mixtures import predict

    need_cases(instance, 2, "mdn-1")
    return predict(instance, DESIGN, rng)
