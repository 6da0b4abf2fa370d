"""A network with one hidden layer of tanh units and one linear output: outputs, error, gradient, batch training.

    h_j = tanh(a_j + sum_i u_ji x_i),      f = b + sum_j v_j h_j  (+ sum_i s_i x_i),      E = 1/2 sum_c (f_c - t_c)^2

The weights are one vector [P] of the groups, in this order: input-hidden u [h, d] by hidden unit, hidden biases a [h],
hidden-output v [h], output bias b, and the direct input-output weights s [d] when the network has them.
P = h (d + 2) + 1, and d more with direct connections. ``forward`` and ``backward`` know several outputs too, for
``kernels.residual_network``; what a case costs is all that those networks have of their own.

Inputs come in both layouts, [N, d] and [d, N]: going forward the cases are the lanes of the vector instructions, going
back the inputs are, so no sums across lanes arise. The cases are taken in blocks, small enough that the activations
[h, BLOCK] made on the way forward are still in the nearest cache on the way back. The sums are those of
``kernels.products``, so the results are the same to the bit wherever they are computed.

Factors of the steps that the weights of each input take, by the gradient out of it.

    g_i = sum_j (dE/du_ji)^2,      r_i = (g_i / max_k g_k)^2

E is the error over all training cases, u_ji the weight from input i to hidden unit j (``kernels.mlp.descend``).

The hyperbolic tangent, fast enough not to matter: numba's own is a call of the C library for each element.

With k = round(2x / ln 2) and r = x - k ln(2) / 2, |r| <= ln(2) / 4,

    exp(2x) - 1 = 2^k (exp(2r) - 1) + (2^k - 1),      tanh(x) = (exp(2x) - 1) / (exp(2x) + 1).

exp(2r) - 1 = 2r + r^2 q(r), where q is the polynomial of degree 9 that is right at the Chebyshev points of r's
interval, which leaves an error below 5e-17 of it; 2^k is made by shifting k into the exponent bits. k ln(2) / 2 is off
by at most k 1.2e-17, which tanh hardly feels, being flat where k is large (compare Cody and Waite, Software Manual for
the Elementary Functions, 1980, chapter 6). Nothing branches, so a loop over it becomes vector instructions; every
operation is written out and none may be reordered, so the result is the same to the bit whatever the loop becomes.
"""

import math

import numpy as np
from numba import njit

from benchbook.kernels.products import add_product, back_through_tanh, inner, multiply_add

_PER_LN2 = 2.0 / math.log(2.0)
_HALF_LN2 = 0.5 * math.log(2.0)
_EXPONENT_BITS = 52
_ROUND = (
    1.5 * 2.0**52 + 1023.0
)  # adding it leaves the nearest integer in the low bits, and the exponent's bias
_LIMIT = 20.0  # tanh(20) is 1 to the last bit
_Q = (
    2.0000000000000004,
    1.3333333333333335,
    0.6666666666659866,
    0.2666666666665621,
    0.088888889070059,
    0.025396825424691898,
    0.006349189458526385,
    0.0014109321461918732,
    0.0002828295770110297,
    5.140556970508541e-05,
)


@njit(cache=True, error_model="numpy")
def tanh(x):
    """tanh of one number, float64, relative error below 1e-15; NaN stays NaN."""
    x = min(max(x, -_LIMIT), _LIMIT)
    z = multiply_add(x, _PER_LN2, _ROUND)
    r = multiply_add(_ROUND - z, _HALF_LN2, x)
    power = np.int64(np.float64(z).view(np.int64) << np.int64(_EXPONENT_BITS)).view(np.float64)
    r2 = r * r
    even = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, _Q[8], _Q[6]), _Q[4]), _Q[2]), _Q[0]
    )
    odd = multiply_add(
        r2, multiply_add(r2, multiply_add(r2, multiply_add(r2, _Q[9], _Q[7]), _Q[5]), _Q[3]), _Q[1]
    )
    q = multiply_add(r, odd, even)
    expm1 = multiply_add(power, multiply_add(r2, q, r + r), power - 1.0)
    return expm1 / (expm1 + 2.0)


@njit(cache=True, error_model="numpy")
def tanh_all(x):
    """x <- tanh(x), every element of x [n]."""
    for i in range(x.size):
        x[i] = tanh(x[i])


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


BLOCK = 64
RISE = 1e-9  # the share of the error by which it must exceed the one before to have risen


@njit(cache=True, error_model="numpy")
def forward(weights, inputs_t, at, step, n, d, form, activations, out, out_at, out_step):
    """Outputs of a block of n cases, and their hidden values.

    Args:
        weights: [P].
        inputs_t: where the inputs of the block are, [d, n] from ``at`` on, rows ``step`` apart.
        n, d: cases of the block, and inputs.
        form: (h, number of outputs O, how many of them have a bias, whether the last has direct weights); of O > 1
            outputs the weights are u [h, d], a [h], v [O, h], b of those with a bias, and s [d] of the last.
        activations: filled with the hidden values [h, n].
        out: filled with the outputs [O, n] from ``out_at`` on, rows ``out_step`` apart.
    """
    hidden, outputs, biases, direct = form
    bias = hidden * d
    outer = bias + hidden
    last = outer + outputs * hidden
    add_product(weights, 0, inputs_t, at, step, activations, 0, n, hidden, d, n, weights, bias, 1)
    plain = outputs
    if direct:
        plain = outputs - 1
        out_last = out_at + plain * out_step
        if biases < outputs:
            for c in range(out_last, out_last + n):
                out[c] = 0.0
        fresh = 0 if biases < outputs else 1
        add_product(
            weights,
            last + biases,
            inputs_t,
            at,
            step,
            out,
            out_last,
            n,
            1,
            d,
            n,
            weights,
            last + plain,
            fresh,
        )
    tanh_all(activations[: hidden * n])
    if plain > 0:
        add_product(
            weights,
            outer,
            activations,
            0,
            n,
            out,
            out_at,
            out_step,
            plain,
            hidden,
            n,
            weights,
            last,
            1,
        )
    if direct:
        own = outer + plain * hidden
        add_product(weights, own, activations, 0, n, out, out_last, n, 1, hidden, n, weights, 0, 0)


@njit(cache=True, error_model="numpy")
def backward(weights, inputs, at, n, d, form, activations, slopes, step, slope, mixed):
    """Add to slope [P] what a block of n cases gives, but for the biases of the outputs.

    Args:
        weights: [P].
        inputs: where the inputs of the block are, [n, d] from ``at`` on.
        n, d: cases of the block, and inputs.
        form: as for ``forward``.
        activations: the hidden values [h, n]; lost.
        slopes: dE/df [O, n], rows ``step`` apart.
        slope: [P].
        mixed: [n], scratch where there are several outputs.
    """
    hidden, outputs, biases, direct = form
    bias = hidden * d
    outer = bias + hidden
    for j in range(hidden):
        if outputs == 1:
            to_bias, to_output = back_through_tanh(
                activations, j * n, slopes, 0, weights[outer + j], n
            )
            slope[outer + j] += to_output
        else:
            for c in range(n):
                mixed[c] = 0.0
            for o in range(outputs):
                weight = weights[outer + o * hidden + j]
                slope[outer + o * hidden + j] += inner(activations, j * n, slopes, o * step, n)
                for c in range(n):
                    mixed[c] += weight * slopes[o * step + c]
            to_bias, to_output = back_through_tanh(activations, j * n, mixed, 0, 1.0, n)
        slope[bias + j] += to_bias
    add_product(activations, 0, inputs, at, d, slope, 0, d, hidden, n, d, slope, 0, 0)
    if direct:
        first = outer + outputs * hidden + biases
        add_product(
            slopes, (outputs - 1) * step, inputs, at, d, slope, first, d, 1, n, d, slope, 0, 0
        )


@njit(cache=True, error_model="numpy")
def outputs(weights, inputs_t, hidden, direct, activations, out):
    """Outputs of the network.

    Args:
        weights: [P].
        inputs_t: [d, N].
        hidden: h.
        direct: whether there are direct input-output weights.
        activations: [h, N], scratch.
        out: [N], filled with the outputs.
    """
    d, n = inputs_t.shape
    room = activations.reshape(hidden * n)
    form = (hidden, 1, 1, direct)
    for first in range(0, n, BLOCK):
        forward(weights, inputs_t, first, n, min(BLOCK, n - first), d, form, room, out, first, 0)


@njit(cache=True, error_model="numpy")
def gradient(weights, inputs, inputs_t, targets, hidden, direct, slope, activations, residuals):
    """Error E and its gradient.

    Args:
        weights: [P].
        inputs, inputs_t: [N, d] and [d, N], the same numbers.
        targets: [N].
        hidden: h.
        direct: whether there are direct input-output weights.
        slope: [P], filled with dE/dw.
        activations, residuals: [h, N] and [N], scratch.

    Returns:
        E.
    """
    size, d = inputs.shape
    room = activations.reshape(hidden * size)
    form = (hidden, 1, 1, direct)
    last = hidden * (d + 2)
    for p in range(slope.size):
        slope[p] = 0.0
    error = 0.0
    for first in range(0, size, BLOCK):
        n = min(BLOCK, size - first)
        forward(weights, inputs_t, first, size, n, d, form, room, residuals, 0, 0)
        total = 0.0
        for c in range(n):
            residuals[c] -= targets[first + c]
            total += residuals[c]
        slope[last] += total
        error += inner(residuals, 0, residuals, 0, n)
        backward(weights, inputs, first * d, n, d, form, room, residuals, 0, slope, residuals)
    return 0.5 * error


@njit(cache=True, error_model="numpy")
def descend(
    weights,
    inputs,
    inputs_t,
    targets,
    held_t,
    held_targets,
    hidden,
    direct,
    step,
    saves,
    saved,
    errors,
    trace,
    until_rise,
):
    """Batch gradient descent w <- w - step dE/dw, saving the network on the way.

    A small enough step never raises E. E has risen when it exceeds its value before the last step by more than the
    share RISE of it, which is far above what rounding does to a sum of squares and far below any bounce that matters,
    or when it is not finite. The step after the last save is not taken, so that what the last step did is not seen.

    With a trace u_ji <- u_ji - step r_i dE/du_ji for the weights of input i, r its factor (``kernels.relevance``).

    Args:
        weights: [P], changed in place.
        inputs, inputs_t, targets: [N, d], [d, N], [N], the cases that the gradient is of.
        held_t, held_targets: [d, V], [V], the cases held out for validation.
        hidden: h.
        direct: whether there are direct input-output weights.
        step: the factor of the gradient.
        saves: [S] increasing iteration numbers from 1; training ends with the last.
        saved: [S, P], filled with the weights after those iterations.
        errors: [S], filled with the mean squared error over the held-out cases after those iterations, infinity where
            it is not finite or training had ended because E was no longer finite.
        trace: [S, d], filled with the factors of those iterations; [S, 0] when all weights take the same step.
        until_rise: whether training ends when E rises; otherwise it ends early only when E is not finite.

    Returns:
        the number of iterations completed, and how many of them were seen to raise E.
    """
    n, factors = targets.size, np.empty(trace.shape[1])
    of_inputs = hidden * factors.size
    activations = np.empty((hidden, n))
    residuals = np.empty(n)
    held_activations = np.empty((hidden, held_targets.size))
    held_outputs = np.empty(held_targets.size)
    slope = np.empty_like(weights)
    others, other_slope = weights[of_inputs:], slope[of_inputs:]
    for row in range(saves.size):
        errors[row] = np.inf
    row, rises, before = 0, 0, np.inf
    for iteration in range(1, saves[-1] + 1):
        now = gradient(
            weights, inputs, inputs_t, targets, hidden, direct, slope, activations, residuals
        )
        finite = np.isfinite(now)
        if not finite or now > before + RISE * before:
            rises += 1
            if until_rise or not finite:
                return iteration - 1, rises
        before = now
        if of_inputs:
            input_factors(slope, hidden, factors)
            for k in range(0, of_inputs, factors.size):
                for i in range(factors.size):
                    weights[k + i] = multiply_add(-step * factors[i], slope[k + i], weights[k + i])
        for k in range(others.size):
            others[k] = multiply_add(-step, other_slope[k], others[k])
        if iteration == saves[row]:
            outputs(weights, held_t, hidden, direct, held_activations, held_outputs)
            error = 0.0
            for c in range(held_targets.size):
                error += (held_outputs[c] - held_targets[c]) ** 2
            for k in range(weights.size):
                saved[row, k] = weights[k]
            for i in range(factors.size):
                trace[row, i] = factors[i]
            if np.isfinite(error):
                errors[row] = error / held_targets.size
            row += 1
    return saves[-1], rises
