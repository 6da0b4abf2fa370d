"""Factors of the steps that the weights of each input take, by the gradient out of it.

    g_i = sum_j (dE/du_ji)^2,      r_i = (g_i / max_k g_k)^2

E is the error over all training cases, u_ji the weight from input i to hidden unit j (``kernels.mlp.descend``).
"""

from numba import njit

_LEAST = 1e-10  # stands for the maximum when it is zero


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def input_factors(slope, hidden, factors):
    """The factors r.

    Args:
        slope: [P], dE/dw; the first h d numbers are the input-hidden weights' by hidden unit.
        hidden: h.
        factors: [d], filled with r; all 0 when no input has a gradient.
    """
    d = factors.size
    for i in range(d):
        factors[i] = 0.0
    for j in range(hidden):
        for i in range(d):
            factors[i] += slope[j * d + i] * slope[j * d + i]
    largest = 0.0
    for i in range(d):
        largest = max(largest, factors[i])
    if largest == 0.0:
        largest = _LEAST
    for i in range(d):
        ratio = factors[i] / largest
        factors[i] = ratio * ratio
