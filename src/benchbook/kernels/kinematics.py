"""Forward kinematics of a chain of revolute joints, case by case."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def distances(theta, alpha, a, d, target):
    """Distance from the end of each arm to a fixed point.

    The end of the arm is ``A_1 A_2 ... A_L 0`` with ``A_i = Rot_z(theta_i) Trans_z(d_i) Trans_x(a_i) Rot_x(alpha_i)``
    (Denavit and Hartenberg, 1955). Only the end point is wanted, so the product is applied to the origin from the
    last link to the first and no matrix is formed.

    Args:
        theta: joint angles [n, L], radians.
        alpha: link twists [n, L] or [1, L] when all cases share one arm, radians.
        a: link lengths [n, L] or [1, L], metres.
        d: link offsets [n, L] or [1, L], metres.
        target: the point [3], metres.

    Returns:
        distances [n], metres.
    """
    cases, links = theta.shape
    out = np.empty(cases)
    for case in range(cases):
        i = case if alpha.shape[0] > 1 else 0
        j = case if a.shape[0] > 1 else 0
        k = case if d.shape[0] > 1 else 0
        x = y = z = 0.0
        for link in range(links - 1, -1, -1):
            c, s = math.cos(alpha[i, link]), math.sin(alpha[i, link])
            y, z = c * y - s * z, s * y + c * z
            x += a[j, link]
            z += d[k, link]
            c, s = math.cos(theta[case, link]), math.sin(theta[case, link])
            x, y = c * x - s * y, s * x + c * y
        out[case] = math.sqrt((x - target[0]) ** 2 + (y - target[1]) ** 2 + (z - target[2]) ** 2)
    return out
