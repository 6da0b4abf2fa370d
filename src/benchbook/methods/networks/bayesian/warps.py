"""Warps of a target: monotone maps after which noise may be taken as constant, chosen from by a chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Warps:
    """K maps t = h_k(y) of a target: a power up to a knot, and straight above it.

    With u = (y - lowest) / unit + offset, power a and knot q of map k,

        dg/du = (min(max(u, offset), q) / q)^(a - 1),     g = 0 at u = q,     h_k(y) = (g - centre_k) / scale_k.

    So noise of constant spread in t has in y a standard deviation proportional to u^(1 - a) from the offset to the knot
    and is constant outside. a = 1 is a straight line, a = 0 a logarithm with a straight end. Both ends being straight,
    a map takes the whole line onto itself, and outputs beyond all targets seen are not magnified on the way back.
    A power transformation is that of G. E. P. Box and D. R. Cox, An analysis of transformations, 1964; one learned with
    the model's other unknowns is that of E. Snelson, C. E. Rasmussen and Z. Ghahramani, Warped Gaussian processes,
    2004; the form with a knot and its constants are ours.

    powers, knots, centres, scales: [K].
    """

    lowest: float
    unit: float
    offset: float
    powers: np.ndarray
    knots: np.ndarray
    centres: np.ndarray
    scales: np.ndarray

    def __len__(self) -> int:
        return len(self.powers)

    def forward(self, targets: np.ndarray, k: int) -> np.ndarray:
        """h_k(y), of any shape."""
        return (self._bent(targets, k) - self.centres[k]) / self.scales[k]

    def log_slope(self, targets: np.ndarray, k: int) -> np.ndarray:
        """log dh_k/dy, in nats, of any shape."""
        power, knot = self.powers[k], self.knots[k]
        within = np.clip(self._units(targets), self.offset, knot) / knot
        scale = np.log(self.scales[k] * self.unit)
        return (power - 1.0) * np.log(within) - scale

    def back(self, values: np.ndarray, k: int) -> np.ndarray:
        """The y with h_k(y) = t, of any shape."""
        power, knot = self.powers[k], self.knots[k]
        bent = np.asarray(values, dtype=float) * self.scales[k] + self.centres[k]
        lowest = knot * _power(self.offset / knot, power)
        inside = knot * _unpower(np.clip(bent, lowest, 0.0) / knot, power)
        below = np.minimum(bent - lowest, 0.0) * (self.offset / knot) ** (1.0 - power)
        return self.lowest + self.unit * (inside + below + np.maximum(bent, 0.0) - self.offset)

    def _units(self, targets: np.ndarray) -> np.ndarray:
        return (np.asarray(targets, dtype=float) - self.lowest) / self.unit + self.offset

    def _bent(self, targets: np.ndarray, k: int) -> np.ndarray:
        power, knot, u = self.powers[k], self.knots[k], self._units(targets)
        inside = knot * _power(np.clip(u, self.offset, knot) / knot, power)
        below = np.minimum(u - self.offset, 0.0) * (self.offset / knot) ** (power - 1.0)
        return inside + below + np.maximum(u - knot, 0.0)


def _power(share: np.ndarray | float, power: float) -> np.ndarray:
    """(r^a - 1) / a, or log r when a is 0: Box and Cox's power, 0 with slope 1 at r = 1."""
    return np.log(share) if power == 0.0 else (np.power(share, power) - 1.0) / power


def _unpower(value: np.ndarray, power: float) -> np.ndarray:
    return np.exp(value) if power == 0.0 else np.power(1.0 + power * value, 1.0 / power)


def fit(
    targets: np.ndarray, offset: float, powers: Sequence[float], knots: Sequence[float]
) -> Warps:
    """The maps of every power with every knot, for training targets [N]; a power of 1 is one map.

    The lowest value is that of the training targets and the unit their mean absolute deviation from the median, so
    that the maps follow a shift or a scale of the target. Centre and scale make median 0 and mean absolute deviation 1
    of the training targets under each map, as DELVE's encoding does under none.
    """
    pairs = [(power, knot) for power in powers for knot in (knots if power != 1.0 else knots[:1])]
    unit = _deviation(targets, float(np.median(targets)))
    item = np.ones(len(pairs))
    plain = Warps(
        float(np.min(targets)),
        unit,
        offset,
        np.array([p for p, _ in pairs], dtype=float),
        np.array([max(q, offset) for _, q in pairs], dtype=float),
        0.0 * item,
        item,
    )
    bent = [plain.forward(targets, k) for k in range(len(pairs))]
    centres = np.array([np.median(values) for values in bent])
    scales = np.array(
        [_deviation(values, centre) for values, centre in zip(bent, centres, strict=True)]
    )
    return Warps(plain.lowest, unit, offset, plain.powers, plain.knots, centres, scales)


def log_prior(warps: Warps) -> np.ndarray:
    """log p(k) [K]: every power is as likely as every other, and so are the knots of one power."""
    powers, which, counts = np.unique(warps.powers, return_inverse=True, return_counts=True)
    return -np.log(len(powers) * counts[which])


def _deviation(values: np.ndarray, centre: float) -> float:
    """Mean absolute deviation, 1 where there is none."""
    deviation = float(np.sum(np.abs(values - centre))) / max(len(values) - 1, 1)
    return deviation if deviation > 0.0 else 1.0
