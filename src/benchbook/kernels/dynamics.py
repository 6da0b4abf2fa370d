"""Forward dynamics of a chain of revolute joints, case by case.

The equation of motion is ``M(q) q'' + b(q, q') = tau`` with the motors' inertia on the diagonal of M. The recursive
Newton-Euler algorithm (Luh, Walker and Paul, 1980) turns accelerations into torques; called with unit accelerations
it gives the columns of M, called without acceleration it gives the bias b (Walker and Orin, 1982, method 1).
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def accelerations(theta, speed, torque, alpha, a, d, mass, centre, inertia, motor, gravity, joint):
    """Acceleration of one joint of every arm.

    Args:
        theta, speed, torque: of the joints [n, L], radians, rad/s and N m.
        alpha, d: twists and offsets of the links [L], radians and metres (standard Denavit-Hartenberg).
        a: lengths of the links [n, L] or [1, L] when all cases share them, metres.
        mass: of the links [n, L] or [1, L], kg.
        centre: centres of mass in the frames of the links [L, 3].
        inertia: diagonals of the inertia tensors about the centres of mass [L, 3].
        motor: inertia of each motor as its joint feels it, G^2 J [L].
        gravity: m/s^2, along minus z of the base.
        joint: which joint, from 0.

    Returns:
        accelerations [n], rad/s^2.
    """
    cases, links = theta.shape
    out = np.empty(cases)
    rotation, reach = np.empty((links, 3, 3)), np.empty((links, 3))
    force, moment = np.empty((links, 3)), np.empty((links, 3))
    matrix, right = np.empty((links, links)), np.empty(links)
    for case in range(cases):
        lengths = a[case if a.shape[0] > 1 else 0]
        masses = mass[case if mass.shape[0] > 1 else 0]
        for i in range(links):
            _frame(theta[case, i], alpha[i], lengths[i], d[i], rotation[i], reach[i])
        _at_constant_speed(
            rotation, reach, speed[case], gravity, masses, centre, inertia, force, moment
        )
        _add_up(rotation, reach, centre, force, moment, 0, links - 1, right)
        for i in range(links):
            right[i] = torque[case, i] - right[i]
        for i in range(links):
            _from_rest(rotation, reach, i, masses, centre, inertia, force, moment)
            _add_up(rotation, reach, centre, force, moment, i, i, matrix[i])
            matrix[i, i] += motor[i]
        _solve(matrix, right)
        out[case] = right[joint]
    return out


@njit(cache=True, error_model="numpy")
def _at_constant_speed(rotation, reach, speed, gravity, mass, centre, inertia, force, moment):
    """The force and the moment on each link of one arm whose joints keep their speeds, from the base to the hand.

    Args:
        rotation: ``Rot_z(theta) Rot_x(alpha)`` of each link [L, 3, 3].
        reach: from the origin of frame i-1 to that of frame i, in frame i [L, 3].
        speed: of the joints [L].
        gravity, centre, inertia: as in ``accelerations``.
        mass: of the links [L].
        force, moment: in the frames of the links [L, 3], filled.
    """
    wx = wy = wz = ax = ay = az = vx = vy = 0.0
    vz = gravity
    for i in range(mass.size):
        r, s = rotation[i], speed[i]
        ux, uy = ax + wy * s, ay - wx * s
        wx, wy, wz = _back(r, wx, wy, wz + s)
        ax, ay, az = _back(r, ux, uy, az)
        vx, vy, vz = _back(r, vx, vy, vz)
        dx, dy, dz = _swing(wx, wy, wz, ax, ay, az, reach[i, 0], reach[i, 1], reach[i, 2])
        vx, vy, vz = vx + dx, vy + dy, vz + dz
        dx, dy, dz = _swing(wx, wy, wz, ax, ay, az, centre[i, 0], centre[i, 1], centre[i, 2])
        force[i, 0], force[i, 1], force[i, 2] = (
            mass[i] * (vx + dx),
            mass[i] * (vy + dy),
            mass[i] * (vz + dz),
        )
        px, py, pz = inertia[i, 0] * wx, inertia[i, 1] * wy, inertia[i, 2] * wz
        moment[i, 0] = inertia[i, 0] * ax + wy * pz - wz * py
        moment[i, 1] = inertia[i, 1] * ay + wz * px - wx * pz
        moment[i, 2] = inertia[i, 2] * az + wx * py - wy * px


@njit(cache=True, error_model="numpy")
def _from_rest(rotation, reach, joint, mass, centre, inertia, force, moment):
    """The same for a unit acceleration of one joint of an arm at rest and without weight; links before it stay."""
    ax = ay = vx = vy = vz = 0.0
    az = 1.0
    for i in range(joint, mass.size):
        r = rotation[i]
        ax, ay, az = _back(r, ax, ay, az)
        vx, vy, vz = _back(r, vx, vy, vz)
        dx, dy, dz = _cross(ax, ay, az, reach[i, 0], reach[i, 1], reach[i, 2])
        vx, vy, vz = vx + dx, vy + dy, vz + dz
        dx, dy, dz = _cross(ax, ay, az, centre[i, 0], centre[i, 1], centre[i, 2])
        force[i, 0], force[i, 1], force[i, 2] = (
            mass[i] * (vx + dx),
            mass[i] * (vy + dy),
            mass[i] * (vz + dz),
        )
        moment[i, 0], moment[i, 1], moment[i, 2] = (
            inertia[i, 0] * ax,
            inertia[i, 1] * ay,
            inertia[i, 2] * az,
        )


@njit(cache=True, error_model="numpy")
def _add_up(rotation, reach, centre, force, moment, first, last, out):
    """Torques [L] of the joints up to ``last``, from hand to base; nothing acts on the links before ``first``."""
    links = len(force)
    fx = fy = fz = nx = ny = nz = 0.0
    for i in range(links - 1, -1, -1):
        if i + 1 < links:
            r = rotation[i + 1]
            fx, fy, fz = _forth(r, fx, fy, fz)
            nx, ny, nz = _forth(r, nx, ny, nz)
        px, py, pz = reach[i, 0], reach[i, 1], reach[i, 2]
        gx, gy, gz = _cross(px, py, pz, fx, fy, fz)
        if i >= first:
            cx, cy, cz = px + centre[i, 0], py + centre[i, 1], pz + centre[i, 2]
            hx, hy, hz = force[i, 0], force[i, 1], force[i, 2]
            gx = gx + cy * hz - cz * hy + moment[i, 0]
            gy = gy + cz * hx - cx * hz + moment[i, 1]
            gz = gz + cx * hy - cy * hx + moment[i, 2]
            fx, fy, fz = fx + hx, fy + hy, fz + hz
        nx, ny, nz = nx + gx, ny + gy, nz + gz
        if i <= last:
            r = rotation[i]
            out[i] = r[2, 0] * nx + r[2, 1] * ny + r[2, 2] * nz


@njit(cache=True, error_model="numpy")
def _cross(ax, ay, az, bx, by, bz):
    """The vector product a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@njit(cache=True, error_model="numpy")
def _back(r, x, y, z):
    """The transposed rotation applied to a vector."""
    return (
        r[0, 0] * x + r[1, 0] * y + r[2, 0] * z,
        r[0, 1] * x + r[1, 1] * y + r[2, 1] * z,
        r[0, 2] * x + r[1, 2] * y + r[2, 2] * z,
    )


@njit(cache=True, error_model="numpy")
def _forth(r, x, y, z):
    """The rotation applied to a vector."""
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@njit(cache=True, error_model="numpy")
def _swing(wx, wy, wz, ax, ay, az, px, py, pz):
    """Acceleration of a point p of a body that turns: a x p + w x (w x p)."""
    dot, square = wx * px + wy * py + wz * pz, wx * wx + wy * wy + wz * wz
    return (
        ay * pz - az * py + wx * dot - square * px,
        az * px - ax * pz + wy * dot - square * py,
        ax * py - ay * px + wz * dot - square * pz,
    )


@njit(cache=True, error_model="numpy")
def _frame(theta, alpha, a, d, rotation, reach):
    ct, st, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = ct, -st * ca, st * sa
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = st, ct * ca, -ct * sa
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = 0.0, sa, ca
    reach[0], reach[1], reach[2] = a, d * sa, d * ca


@njit(cache=True, error_model="numpy")
def _solve(matrix, right):
    """Solve ``matrix x = right`` in place by Cholesky's factors; the matrix is symmetric and positive definite."""
    n = right.size
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(total) if i == j else total / matrix[j, j]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            right[i] -= matrix[k, i] * right[k]
        right[i] /= matrix[i, i]
