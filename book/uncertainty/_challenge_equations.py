"""Equations 3 to 10 of the Evaluating Predictive Uncertainty Challenge, one function each, for one case at a time.

They are the atomic form of what :class:`~benchbook.predictive.Gaussian`, :class:`~benchbook.predictive.Categorical` and
:class:`~benchbook.predictive.Quantiles` do for many cases, and the tests hold the two against each other. Levels
``alpha`` and quantiles ``q`` have shape [N], both increasing. Where the printed equation cannot be right, the docstring
says what is printed, and :func:`printed_mean` computes with the printed forms.

Source: J. Quiñonero-Candela and others, Evaluating Predictive Uncertainty Challenge, MLCW 2005, LNAI 3944 (2006),
section 3.
"""

from typing import NamedTuple

import numpy as np

from benchbook.predictive.checks import FloatArray


class Tail(NamedTuple):
    """An exponential tail: the density ``height`` (z) at the outermost quantile, and the ``scale`` (b) of its fall."""

    height: float
    scale: float


class MeanParts(NamedTuple):
    """The three parts of the mean of equations 7 to 9."""

    inner: float
    lower: float
    upper: float


def level_of_quantile(alpha: FloatArray, q: FloatArray, i: int) -> float:
    """Equation 3: p(y < q_i), which is alpha_i, from the densities of equations 4 to 6 and their masses."""
    lower = lower_tail(alpha, q)
    pieces = [
        inner_density(alpha, q, 0.5 * (q[k] + q[k + 1])) * (q[k + 1] - q[k]) for k in range(i)
    ]
    return float(lower.height * lower.scale + sum(pieces))


def inner_density(alpha: FloatArray, q: FloatArray, y: float) -> float:
    """Equation 4: (alpha_(i+1) - alpha_i)/(q_(i+1) - q_i) for q_i <= y < q_(i+1).

    Printed with q_i >= y > q_(i+1), which no y satisfies when the quantiles increase.

    Raises:
        ValueError: y is not between the outermost quantiles.
    """
    if not q[0] <= y < q[-1]:
        raise ValueError(
            "equation 4 is for y between the outermost quantiles; the tails have equations 5 and 6"
        )
    i = int(np.searchsorted(q, y, side="right")) - 1
    return float((alpha[i + 1] - alpha[i]) / (q[i + 1] - q[i]))


def lower_tail(alpha: FloatArray, q: FloatArray) -> Tail:
    """Equation 5: z_1, the first inner density, and b_1 = alpha_1/z_1, so that the tail holds the mass alpha_1.

    The integral of that mass is printed over p(q_1), a constant, which would diverge; it is over p(y) dy.
    """
    height = float((alpha[1] - alpha[0]) / (q[1] - q[0]))
    return Tail(height, float(alpha[0] / height))


def upper_tail(alpha: FloatArray, q: FloatArray) -> Tail:
    """Equation 6: z_N, the last inner density, and b_N = (1 - alpha_N)/z_N, so that the tail holds 1 - alpha_N.

    Its condition is printed q_N >= y and is y >= q_N; the integral is printed over p(q_1) and is over p(y) dy.
    """
    height = float((alpha[-1] - alpha[-2]) / (q[-1] - q[-2]))
    return Tail(height, float((1 - alpha[-1]) / height))


def density(alpha: FloatArray, q: FloatArray, y: float) -> float:
    """Equations 4 to 6 together: the density at any y, per unit of the target."""
    if y < q[0]:
        tail = lower_tail(alpha, q)
        return tail.height * float(np.exp(-abs(y - q[0]) / tail.scale))
    if y >= q[-1]:
        tail = upper_tail(alpha, q)
        return tail.height * float(np.exp(-abs(y - q[-1]) / tail.scale))
    return inner_density(alpha, q, y)


def mean_parts(alpha: FloatArray, q: FloatArray) -> MeanParts:
    r"""Equations 7, 8 and 9: what the quantiles and the two tails give to the mean, in units of the target.

    .. math:: m_q = \sum_i \tfrac12 (q_i + q_{i+1}) (\alpha_{i+1} - \alpha_i), \quad
              m_{lt} = \alpha_1 (q_1 - \alpha_1 / z_1), \quad m_{ut} = (1 - \alpha_N)(q_N + (1 - \alpha_N) / z_N).

    Equation 7 is printed as a sum over i of terms in j. The last forms of 8 and 9 are printed with the squares of
    alpha_1 and 1 - alpha_N; the forms before them, z_1 (q_1 b_1 - b_1^2) and z_N (q_N b_N + b_N^2), are right and give
    what stands here.
    """
    lower, upper, above = lower_tail(alpha, q), upper_tail(alpha, q), 1 - alpha[-1]
    inner = np.sum(0.5 * (q[:-1] + q[1:]) * np.diff(alpha))
    return MeanParts(
        float(inner),
        float(alpha[0] * (q[0] - alpha[0] / lower.height)),
        float(above * (q[-1] + above / upper.height)),
    )


def mean(alpha: FloatArray, q: FloatArray) -> float:
    """Equation 10: the sum of the three parts."""
    return float(sum(mean_parts(alpha, q)))


def printed_mean(alpha: FloatArray, q: FloatArray) -> float:
    """Equation 10 with the last forms of equations 8 and 9 as printed: a wrong mean, kept to show the error."""
    lower, upper, above = lower_tail(alpha, q), upper_tail(alpha, q), 1 - alpha[-1]
    wrong_lower = alpha[0] * (q[0] - alpha[0] ** 2 / lower.height)
    wrong_upper = above * (q[-1] + above**2 / upper.height)
    return float(mean_parts(alpha, q).inner + wrong_lower + wrong_upper)
