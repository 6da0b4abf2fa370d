"""The kin family: the distance of a robot arm's end from a point, given its joint angles.

The eight-input members are a Puma 560 arm with two further links. Its geometry and the law of the noise were found by
fitting DELVE's own kin-8nm, kin-8fm and kin-8nh (the fitted lengths agree with these constants within 0.002 m); the
half-widths of the noise are rounded fits. The 32-input members have arms drawn at random: kin-32fm follows a fit of a
rescaled public copy, the other three are extrapolated from it (``noise_for_share`` tells how their noise was set).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchbook import kernels
from benchbook.datasets.families.base import Array, Family, noise_share, tuned
from benchbook.errors import BenchbookError

LENGTH = np.array([0.0, -0.4318, -0.0203, 0.0, 0.0, 0.0, -0.2, -0.3])
TWIST = np.array([1.0, 0.0, -1.0, 1.0, -1.0, 0.0, 2.0, 0.0]) * (math.pi / 2)
OFFSET = np.array([0.0, 0.0, -0.15005, -0.4318, 0.0, 0.1, 0.0, 0.0])
TARGET = np.full(3, -0.1)
TARGET_32 = np.full(3, 0.2)
LINKS = 8


@dataclass(frozen=True)
class KinLaw:
    """The constants of one member.

    Joint angles are uniform within ``angle`` of zero, radians. With 8 inputs ``noise`` is the half-width, in radians,
    of a uniform offset on every angle; with 32 it is the half-width of a uniform relative error of the distance.
    ``twist`` is the size of the link twists -twist, 0, twist of the 32-input arms.
    """

    inputs: int
    angle: float
    noise: float
    twist: float = 0.0


LAWS = {
    "kin-8nm-sim": KinLaw(8, math.pi / 2, 0.2),
    "kin-8nh-sim": KinLaw(8, math.pi / 2, 0.6),
    "kin-8fm-sim": KinLaw(8, math.pi / 10, 0.05),
    "kin-8fh-sim": KinLaw(8, math.pi / 10, 0.175),
    "kin-32fm-sim": KinLaw(32, math.pi / 10, 0.08, math.pi / 8),
    "kin-32fh-sim": KinLaw(32, math.pi / 10, 0.237, math.pi / 8),
    "kin-32nm-sim": KinLaw(32, math.pi / 2, 0.1, math.pi / 2),
    "kin-32nh-sim": KinLaw(32, math.pi / 2, 0.372, math.pi / 2),
}


def law(name: str) -> KinLaw:
    """The constants of a member of the family.

    Raises:
        BenchbookError: the family has no such member.
    """
    if name not in LAWS:
        raise BenchbookError(f"the kin family has no member {name!r}; it has {', '.join(LAWS)}")
    return LAWS[name]


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Inputs [n, 8] or [n, 32]: joint angles, then for 32 inputs link twists, lengths and offsets.

    A length is zero with probability 0.3 and an offset with probability 0.5; otherwise both are normal with mean 0.3
    and standard deviation 0.01414 metres.
    """
    member = law(name)
    theta = rng.uniform(-member.angle, member.angle, (cases, LINKS))
    if member.inputs == LINKS:
        return theta
    alpha = member.twist * rng.integers(-1, 2, (cases, LINKS))
    a = np.where(rng.random((cases, LINKS)) < 0.3, 0.0, rng.normal(0.3, 0.01414, (cases, LINKS)))
    d = np.where(rng.random((cases, LINKS)) < 0.5, 0.0, rng.normal(0.3, 0.01414, (cases, LINKS)))
    return np.column_stack([theta, alpha, a, d])


def clean(name: str, inputs: Array) -> Array:
    """The distance [n] in metres that an arm without noise has, for inputs [n, 8] or [n, 32].

    Raises:
        BenchbookError: no such member, or inputs of another shape.
    """
    return _reach(*_arm(law(name), inputs))


def noisy(name: str, inputs: Array, rng: np.random.Generator) -> Array:
    """The recorded distance [n] in metres: noise enters at the joints (8 inputs) or in proportion (32 inputs)."""
    return _noisy(law(name), inputs, rng)


def noise_for_share(
    name: str, share: float, inputs: Array, make_rng: Callable[[], np.random.Generator]
) -> float:
    """The half-width of the noise at which E Var(y|x) is the given share of Var(y), by bisection to 1e-4.

    Every step draws from a fresh ``make_rng()``, so that steps differ by the half-width alone. With 400,000 cases
    and a share of 3 %, the middle of DELVE's moderate band (1 to 5 %), it gives 0.0999 for kin-32nm-sim, whose constant
    is 0.1 for that reason. With a share of 30 %, that of kin-8nh, it gives 0.372 for kin-32nh-sim and 0.237 for
    kin-32fh-sim; the band is above 25 %.

    Args:
        name: the member whose law is taken, noise aside.
        share: the wanted share, between 0 and 1.
        inputs: the cases to measure on [n, 8] or [n, 32].
        make_rng: returns the same new generator each time it is called.
    """

    def share_at(noise: float) -> float:
        member, rng = replace(law(name), noise=noise), make_rng()
        return noise_share(_noisy(member, inputs, rng), _noisy(member, inputs, rng))

    return tuned(share_at, share, 0.0, 1.0)


def plain_distances(theta: Array, alpha: Array, a: Array, d: Array, target: Array) -> Array:
    """What ``kernels.kinematics.distances`` computes, by multiplying 4 x 4 homogeneous transforms."""
    total = np.eye(4)
    for link in range(theta.shape[1]):
        ct, st = np.cos(theta[:, link]), np.sin(theta[:, link])
        ca, sa = np.cos(alpha[:, link]), np.sin(alpha[:, link])
        ca, sa, length, offset, zero, item = np.broadcast_arrays(
            ca, sa, a[:, link], d[:, link], 0 * ct, 0 * ct + 1
        )[:6]
        step = np.stack(
            [
                np.stack([ct, -st * ca, st * sa, length * ct], axis=-1),
                np.stack([st, ct * ca, -ct * sa, length * st], axis=-1),
                np.stack([zero, sa, ca, offset], axis=-1),
                np.stack([zero, zero, zero, item], axis=-1),
            ],
            axis=-2,
        )
        total = total @ step
    return np.linalg.norm(total[:, :3, 3] - target, axis=-1)


def _arm(member: KinLaw, inputs: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Angles, twists, lengths and offsets of every case (or one line for all of them), and the target point."""
    inputs = np.ascontiguousarray(inputs, dtype=np.float64)
    if inputs.ndim != 2 or inputs.shape[1] != member.inputs:
        raise BenchbookError(
            f"the inputs have shape {inputs.shape}; this member of kin needs [n, {member.inputs}]"
        )
    if member.inputs == LINKS:
        return inputs, TWIST[None], LENGTH[None], OFFSET[None], TARGET
    theta, alpha, a, d = (np.ascontiguousarray(part) for part in np.split(inputs, 4, axis=1))
    return theta, alpha, a, d, TARGET_32


def _noisy(member: KinLaw, inputs: Array, rng: np.random.Generator) -> Array:
    theta, alpha, a, d, target = _arm(member, inputs)
    if member.inputs == LINKS:
        return _reach(
            theta + rng.uniform(-member.noise, member.noise, theta.shape), alpha, a, d, target
        )
    distance = _reach(theta, alpha, a, d, target)
    return distance * (1 + rng.uniform(-member.noise, member.noise, len(distance)))


def _reach(theta: Array, alpha: Array, a: Array, d: Array, target: Array) -> Array:
    return kernels.kinematics.distances(theta, alpha, a, d, target)


FAMILY = Family("kin", tuple(LAWS), seed=1996, draw=draw, clean=clean, noisy=noisy, laws=LAWS)
