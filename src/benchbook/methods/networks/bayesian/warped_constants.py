"""Every constant of the Bayesian neural networks with a learned warp that is not one of ``bayesian.constants``."""

from __future__ import annotations

import numpy as np

from benchbook.methods.networks.bayesian.constants import Constant
from benchbook.methods.networks.bayesian.warps import Warps, fit

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
