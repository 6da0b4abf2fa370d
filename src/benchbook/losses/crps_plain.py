r"""The CRPS of every kind of distribution, written as its formula is: the twin of ``benchbook.kernels.crps``.

.. math:: \mathrm{CRPS}(F, y) = \int (F(x) - 1\{x \ge y\})^2 dx = E|X - y| - \tfrac12 E|X - X'|

with independent X, X' of distribution F; in units of the target. Source of the second form: Gneiting and Raftery,
Strictly proper scoring rules, prediction, and estimation (2007), section 4.2. Cases j = 0..J-1; results have shape [J].
"""

from __future__ import annotations

import numpy as np
import scipy

from benchbook.predictive.checks import FloatArray

_SQRT_2PI, _SQRT_PI = float(np.sqrt(2 * np.pi)), float(np.sqrt(np.pi))
_REACH, _STEPS = 15.0, 240


def gaussian(y: FloatArray, mean: FloatArray, variance: FloatArray) -> FloatArray:
    r"""The CRPS of a Gaussian with the variance sigma^2 (Gneiting et al. 2005, equation 5).

    .. math:: \sigma [z (2 \Phi(z) - 1) + 2 \varphi(z) - 1/\sqrt\pi], \quad z = (y - \mu)/\sigma
    """
    sd = np.sqrt(variance)
    return sd * (_distance((y - mean) / sd) - 1 / _SQRT_PI)


def student_t(y: FloatArray, location: FloatArray, scale: FloatArray, df: FloatArray) -> FloatArray:
    r"""The CRPS of Student's t with df = v > 1 degrees of freedom.

    .. math:: s \left[ z (2 F(z) - 1) + 2 f(z) \frac{v + z^2}{v - 1}
              - \frac{2 \sqrt v}{v - 1} \frac{B(1/2, v - 1/2)}{B(1/2, v/2)^2} \right]

    with z = (y - location)/s, and F and f the standard cdf and density (Jordan, Krüger and Lerch, Evaluating
    probabilistic forecasts with scoringRules, 2019, appendix A). With |z| split off, large z lose no digits.
    """
    ratio = np.exp(scipy.special.betaln(0.5, df - 0.5) - 2 * scipy.special.betaln(0.5, df / 2))
    pairs = ratio * 2 * np.sqrt(df) / (df - 1)
    return scale * (_t_distance((y - location) / scale, df) - pairs)


def _t_distance(z: FloatArray, df: FloatArray) -> FloatArray:
    """E|T - z|."""
    z = np.abs(z)
    log_constant = -scipy.special.betaln(0.5, df / 2) - 0.5 * np.log(df)
    with np.errstate(over="ignore"):
        density = np.exp(log_constant + np.log1p(z * z / df) * (1 - df) / 2) * df
    near = 2 * density / (df - 1) - 2 * z * scipy.special.stdtr(df, -z)
    return z + near


def mixture(
    y: FloatArray, weight: FloatArray, mean: FloatArray, variance: FloatArray
) -> FloatArray:
    r"""The CRPS of a mixture of Gaussians; weight, mean and variance have shape [J, M].

    .. math:: \sum_m w_m A(y - \mu_m, v_m) - \tfrac12 \sum_{mk} w_m w_k A(\mu_m - \mu_k, v_m + v_k), \quad
              A(\mu, v) = E|N(\mu, v)|

    (Grimit et al., The continuous ranked probability score for circular variables, 2006, eqs. 5 and 6).
    """
    weight = weight / weight.sum(axis=1, keepdims=True)
    near = np.einsum("jm,jm->j", weight, _absolute(y[:, None] - mean, variance))
    away = mean[:, :, None] - mean[:, None, :]
    between = _absolute(away, variance[:, :, None] + variance[:, None, :])
    return near - 0.5 * np.einsum("jm,jk,jmk->j", weight, weight, between)


def t_mixture(
    y: FloatArray, weight: FloatArray, location: FloatArray, scale: FloatArray, degrees: FloatArray
) -> FloatArray:
    r"""The CRPS of a mixture of Student's t, all arrays [J, M], every one of more than 1 degree of freedom.

    .. math:: \sum_m w_m \mathrm{CRPS}(F_m, y) - \int \sum_m w_m (F_m(x) - F(x))^2 dx

    The first term is that of :func:`student_t`, so that one component alone is exact. The integrand of the second, how
    far the components' cdfs lie from their mean, falls as :math:`x^{-2 v}` and not as the :math:`x^{-v}` of F (1 - F),
    whose integral up to any fixed end lacks much when v is near 1. It is by the trapezoidal rule in u, x = c + s
    sinh(u), for 241 values of u from -15 to 15, c the mean of the case and s half its width: the relative error is
    below 2e-4 where the components overlap, and below 1e-2 where they are five times narrower than they lie apart
    (80 random mixtures of 20). Our own derivation, from the second form of the module's formula.
    """
    weight = weight / weight.sum(axis=1, keepdims=True)
    alone = np.sum(weight * student_t(y[:, None], location, scale, degrees), axis=1)
    centre = np.sum(weight * location, axis=1)
    width = 0.5 * np.sum(weight * (scale + np.abs(location - centre[:, None])), axis=1)
    total = np.zeros(len(y))
    for u in np.linspace(-_REACH, _REACH, _STEPS + 1):
        cdf = scipy.special.stdtr(
            degrees, ((centre + width * np.sinh(u))[:, None] - location) / scale
        )
        away = cdf - np.sum(weight * cdf, axis=1, keepdims=True)
        total += np.sum(weight * away**2, axis=1) * np.cosh(u)
    return alone - width * (2 * _REACH / _STEPS) * total


def quantiles(y: FloatArray, level: FloatArray, value: FloatArray) -> FloatArray:
    r"""The CRPS of the challenge's density from quantiles: pieces of constant density and exponential tails.

    An inner piece from q_i to q_(i+1) on which F rises from a to c, and to f where the target (or the nearer end) lies,

    .. math:: \tfrac13 (y - q_i)(a^2 + a f + f^2) + \tfrac13 (q_{i+1} - y)(\bar f^2 + \bar f \bar c + \bar c^2),

    with bars for 1 minus. A tail of mass p and scale b gives b p^2/2, and when the target lies d beyond its start,
    d - 2 b p (1 - exp(-d/b)) more. Our own derivation: integrals of squares of a straight line and of an exponential.

    Args:
        y: [J]. level: [K], or [J, K] for levels of each case. value: [J, K].
    """
    a = np.broadcast_to(level, value.shape)
    width = np.diff(value, axis=1)
    share = np.clip((y[:, None] - value[:, :-1]) / width, 0, 1)
    low, high = a[:, :-1], a[:, 1:]
    middle = low + share * (high - low)
    below = share * (low**2 + low * middle + middle**2)
    beyond = (1 - share) * ((1 - middle) ** 2 + (1 - middle) * (1 - high) + (1 - high) ** 2)
    inner = (width * (below + beyond)).sum(axis=1) / 3
    thickness = width / (high - low)
    lower = _tail(np.maximum(value[:, 0] - y, 0), a[:, 0], thickness[:, 0])
    return inner + lower + _tail(np.maximum(y - value[:, -1], 0), 1 - a[:, -1], thickness[:, -1])


def draws(y: FloatArray, value: FloatArray, fair: bool = False) -> FloatArray:
    r"""The CRPS of draws x_1..x_M, shape [J, M].

    .. math:: \frac1M \sum_m |x_m - y| - \frac{1}{2 M M'} \sum_{mk} |x_m - x_k|

    M' = M for the plain form, which is the CRPS of the draws' empirical distribution. M' = M - 1 for the fair one,
    whose expectation over draws is the CRPS of what they were drawn from (Ferro, Fair scores for ensemble forecasts,
    2014); for a single draw it leaves the second term out.
    """
    count = value.shape[1]
    away = np.sort(value - y[:, None], axis=1)
    divisor = count - 1 if fair else count
    slope = (2 * np.arange(count) + 1 - count) / divisor if divisor else np.zeros(count)
    return (np.abs(away) - slope * away).mean(axis=1)


def energy(y: FloatArray, value: FloatArray, beta: float = 1.0, fair: bool = False) -> FloatArray:
    r"""The energy loss of draws of D numbers together, value [J, M, D] and y [J, D]; CRPS of draws for D = beta = 1.

    .. math:: \frac1M \sum_m \|x_m - y\|^\beta - \frac{1}{2 M M'} \sum_{mk} \|x_m - x_k\|^\beta, \quad 0 < \beta < 2

    with M' as in :func:`draws` (Gneiting and Raftery 2007, section 4.3).
    """
    count = value.shape[1]
    near = (np.linalg.norm(value - y[:, None], axis=2) ** beta).mean(axis=1)
    between = (np.linalg.norm(value[:, :, None] - value[:, None], axis=3) ** beta).sum(axis=(1, 2))
    pairs = count * (count - 1) if fair else count * count
    return near - (0.5 * between / pairs if pairs else 0.0)


def _distance(z: FloatArray) -> FloatArray:
    """E|Z - z| of a standard Gaussian Z: |z| + 2 (phi(z) - |z| Q(|z|))."""
    z = np.abs(z)
    return z + 2 * (np.exp(-0.5 * z * z) / _SQRT_2PI - z * scipy.special.ndtr(-z))


def _absolute(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """E|X| of a Gaussian X with that mean and variance."""
    sd = np.sqrt(variance)
    return sd * _distance(mean / sd)


def _tail(away: FloatArray, mass: FloatArray, thickness: FloatArray) -> FloatArray:
    """What a tail gives; its scale b is mass times thickness, and the target lies ``away`` beyond its start."""
    scale = mass * thickness
    return 0.5 * scale * mass**2 + away + 2 * scale * mass * np.expm1(-away / scale)
