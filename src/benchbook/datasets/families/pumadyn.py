"""The pumadyn family: the angular acceleration of a joint of a Puma 560 arm, given angles, speeds and torques.

The arm is that of Armstrong, Khatib and Burdick (1986) as Corke's Robotics Toolbox tabulates it, with the motors'
inertia and without friction. What was found by fitting DELVE's own data: that arm and gravity, the joint that is
recorded, the ranges of pumadyn-8n (0.6 pi and 0.6 N m) and of its angles' noise, and the ranges and the meaning of the
32 inputs (Torgo's copy, and a rescaled copy of pumadyn-32nm). What is ours is said at ``LAWS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchbook import kernels
from benchbook.datasets.families.base import Array, Family
from benchbook.errors import BenchbookError

JOINTS = 6
TWIST = np.array([1.0, 0.0, -1.0, 1.0, -1.0, 0.0]) * (math.pi / 2)
LENGTH = np.array([0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0])
OFFSET = np.array([0.0, 0.0, 0.15005, 0.4318, 0.0, 0.0])
MASS = np.array([0.0, 17.4, 4.8, 0.82, 0.34, 0.09])
CENTRE = np.array(
    [
        [0.0, 0.0, 0.0],
        [-0.3638, 0.006, 0.2275],
        [-0.0203, -0.0141, 0.070],
        [0.0, 0.019, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.032],
    ]
)
INERTIA = np.array(
    [
        [0.0, 0.35, 0.0],
        [0.13, 0.524, 0.539],
        [0.066, 0.086, 0.0125],
        [1.8e-3, 1.3e-3, 1.8e-3],
        [0.3e-3, 0.4e-3, 0.3e-3],
        [0.15e-3, 0.15e-3, 0.04e-3],
    ]
)
ROTOR = np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
GEAR = np.array([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
GRAVITY = 9.81


@dataclass(frozen=True)
class PumadynLaw:
    """The constants of one member.

    Angles and angular velocities are uniform within ``angle`` of zero (rad, rad/s), torques within ``torque`` (N m).
    With 8 inputs ``noise`` is the half-width, in radians, of a uniform offset on the three angles; with 32 it is the
    standard deviation of a normal error of the recorded acceleration, in rad/s^2.
    """

    inputs: int
    angle: float
    torque: float
    noise: float


LAWS = {
    "pumadyn-8nm-sim": PumadynLaw(8, 0.6 * math.pi, 0.6, 0.207),
    "pumadyn-8nh-sim": PumadynLaw(8, 0.6 * math.pi, 0.6, 0.71),
    "pumadyn-8fm-sim": PumadynLaw(8, 0.3 * math.pi, 0.3, 0.207),
    "pumadyn-8fh-sim": PumadynLaw(8, 0.3 * math.pi, 0.3, 0.68),
    "pumadyn-32nm-sim": PumadynLaw(32, 0.95 * math.pi, 75.0, 0.0066),
    "pumadyn-32nh-sim": PumadynLaw(32, 0.95 * math.pi, 75.0, 0.0212),
    "pumadyn-32fm-sim": PumadynLaw(32, 0.3 * math.pi, 75.0, 0.0078),
    "pumadyn-32fh-sim": PumadynLaw(32, 0.3 * math.pi, 75.0, 0.0265),
}
"""Fitted to DELVE's cases: all of 8nm and 8nh; the angles of 8fm and 8fh; the torques of 32, the angles of 32nm.

Fitted to one published number, the share that least squares leaves of the recorded target: the noise of 8fh (40.0 %)
and of 32fm (5.9 %); that of 8fm (7.7 %) agrees with the noise of 8nm, which it has. Ours: halving the speeds and
torques of 8f with the angles; the angles of 32f (those of 8f) and of 32nh (those of 32nm); the noise of 32nm set to
4 % of the variance, that of 32nh and 32fh to 30 %. ``tests/datasets/families`` finds each constant again by bisection.
"""

VARIED = 5
"""How many links of the 32-input arms have a mass and a length of their own."""


def law(name: str) -> PumadynLaw:
    """The constants of a member of the family.

    Raises:
        BenchbookError: the family has no such member.
    """
    if name not in LAWS:
        raise BenchbookError(f"the pumadyn family has no member {name!r}; it has {', '.join(LAWS)}")
    return LAWS[name]


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Inputs [n, 8] (three angles, three velocities, two torques) or [n, 32].

    The 32 are six angles, six velocities, five torques, then factors on masses, lengths and friction of links 1 to 5,
    uniform in 0.25 to 2.5. Friction has no effect, as none was found in DELVE's data.
    """
    member = law(name)
    moving, driven = (3, 2) if member.inputs == 8 else (JOINTS, VARIED)
    states = rng.uniform(-member.angle, member.angle, (cases, 2 * moving))
    driving = rng.uniform(-member.torque, member.torque, (cases, driven))
    if member.inputs == 8:
        return np.column_stack([states, driving])
    return np.column_stack([states, driving, rng.uniform(0.25, 2.5, (cases, 3 * VARIED))])


def clean(name: str, inputs: Array) -> Array:
    """The acceleration [n], rad/s^2, of joint 3 (8 inputs) or joint 6 (32 inputs) without noise.

    Raises:
        BenchbookError: no such member, or inputs of another shape.
    """
    return _accelerate(law(name), inputs)


def noisy(name: str, inputs: Array, rng: np.random.Generator) -> Array:
    """The recorded acceleration [n], rad/s^2: noise enters at the angles (8 inputs) or at the target (32 inputs)."""
    return recorded(law(name), inputs, rng)


def recorded(member: PumadynLaw, inputs: Array, rng: np.random.Generator) -> Array:
    """What ``noisy`` returns, for constants that are no member's."""
    if member.inputs == 8:
        moved = np.array(inputs, dtype=np.float64)
        moved[:, :3] += rng.uniform(-member.noise, member.noise, (len(moved), 3))
        return _accelerate(member, moved)
    return _accelerate(member, inputs) + rng.normal(0.0, member.noise, len(inputs))


def arms(inputs: Array) -> tuple[tuple[Array, ...], int]:
    """The arguments of ``kernels.dynamics.accelerations`` for inputs [n, 8] or [n, 32], and the recorded joint."""
    inputs = np.asarray(inputs, dtype=np.float64)
    cases, few = len(inputs), inputs.shape[1] == 8
    moving, driven = (3, 2) if few else (JOINTS, VARIED)
    theta, speed, torque = (np.zeros((cases, JOINTS)) for _ in range(3))
    theta[:, :moving] = inputs[:, :moving]
    speed[:, :moving] = inputs[:, moving : 2 * moving]
    torque[:, :driven] = inputs[:, 2 * moving : 2 * moving + driven]
    mass, length = MASS[None], LENGTH[None]
    if not few:
        last = np.ones((cases, 1))
        mass = MASS * np.column_stack([inputs[:, 17:22], last])
        length = LENGTH * np.column_stack([inputs[:, 22:27], last])
    return (
        theta,
        speed,
        torque,
        TWIST,
        length,
        OFFSET,
        mass,
        CENTRE,
        INERTIA,
        GEAR**2 * ROTOR,
    ), 2 if few else 5


def plain_accelerations(
    theta: Array,
    speed: Array,
    torque: Array,
    alpha: Array,
    a: Array,
    d: Array,
    mass: Array,
    centre: Array,
    inertia: Array,
    motor: Array,
    gravity: float,
    joint: int,
) -> Array:
    """What ``kernels.dynamics.accelerations`` computes, with arrays over the cases and numpy's solver."""
    links = theta.shape[1]
    ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    zero = np.zeros_like(theta)
    rotation = np.stack(
        [
            np.stack([ct, -st * ca, st * sa], -1),
            np.stack([st, ct * ca, -ct * sa], -1),
            np.stack([zero, zero + sa, zero + ca], -1),
        ],
        -2,
    )
    reach = np.stack([zero + a, zero + d * sa, zero + d * ca], -1)
    masses = np.broadcast_to(mass, theta.shape)
    bias = _plain_torques(rotation, reach, speed, zero, gravity, masses, centre, inertia, motor)
    columns = [
        _plain_torques(
            rotation, reach, zero, zero + np.eye(links)[i], 0.0, masses, centre, inertia, motor
        )
        for i in range(links)
    ]
    solved = np.linalg.solve(np.stack(columns, axis=-1), (torque - bias)[:, :, None])
    return np.asarray(solved[:, joint, 0], dtype=np.float64)


def _plain_torques(
    rotation: Array,
    reach: Array,
    speed: Array,
    acceleration: Array,
    gravity: float,
    mass: Array,
    centre: Array,
    inertia: Array,
    motor: Array,
) -> Array:
    cases, links = speed.shape
    spin, turning, moving = (
        np.zeros((cases, 3)),
        np.zeros((cases, 3)),
        np.tile([0.0, 0.0, gravity], (cases, 1)),
    )
    axis = np.array([0.0, 0.0, 1.0])
    forces, moments = [], []
    for i in range(links):
        back = np.swapaxes(rotation[:, i], 1, 2)
        joint = axis * speed[:, i, None]
        turning = _apply(back, turning + axis * acceleration[:, i, None] + np.cross(spin, joint))
        spin = _apply(back, spin + joint)
        moving = (
            _apply(back, moving)
            + np.cross(turning, reach[:, i])
            + np.cross(spin, np.cross(spin, reach[:, i]))
        )
        middle = moving + np.cross(turning, centre[i]) + np.cross(spin, np.cross(spin, centre[i]))
        forces.append(mass[:, i, None] * middle)
        moments.append(inertia[i] * turning + np.cross(spin, inertia[i] * spin))
    force, moment, torques = np.zeros((cases, 3)), np.zeros((cases, 3)), np.empty((cases, links))
    for i in range(links - 1, -1, -1):
        if i + 1 < links:
            force, moment = _apply(rotation[:, i + 1], force), _apply(rotation[:, i + 1], moment)
        moment = (
            moment
            + np.cross(reach[:, i], force)
            + np.cross(reach[:, i] + centre[i], forces[i])
            + moments[i]
        )
        force = force + forces[i]
        torques[:, i] = (
            np.einsum("nj,nj->n", rotation[:, i, 2], moment) + motor[i] * acceleration[:, i]
        )
    return torques


def _apply(matrices: Array, vectors: Array) -> Array:
    return np.einsum("nij,nj->ni", matrices, np.broadcast_to(vectors, (len(matrices), 3)))


def _accelerate(member: PumadynLaw, inputs: Array) -> Array:
    inputs = np.asarray(inputs, dtype=np.float64)
    if inputs.ndim != 2 or inputs.shape[1] != member.inputs:
        raise BenchbookError(
            f"the inputs have shape {inputs.shape}; this member of pumadyn needs [n, {member.inputs}]"
        )
    chain, joint = arms(inputs)
    accelerate: Callable[..., Array] = kernels.dynamics.accelerations
    return accelerate(*chain, GRAVITY, joint)


FAMILY = Family("pumadyn", tuple(LAWS), seed=1996, draw=draw, clean=clean, noisy=noisy, laws=LAWS)
