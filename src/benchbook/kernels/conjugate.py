"""Conjugate gradient training of a network with early stopping: Polak and Ribiere's directions, a strong line search.

    d_0 = -g_0,      d_k = -g_k + b_k d_(k-1),      b_k = max(0, g_k (g_k - g_(k-1)) / |g_(k-1)|^2)

Along d the error E is followed to a step a with E(a) <= E(0) + c1 a E'(0) and |E'(a)| <= c2 |E'(0)| (Nocedal and
Wright, Numerical Optimization, 2nd ed., equations 3.7 and 5.44, algorithms 3.5 and 3.6). The network and the order of
its weights are those of ``kernels.mlp``.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from benchbook.kernels.mlp import gradient, outputs

_SUFFICIENT = 1e-3  # c1
_FLAT = 0.1  # c2: conjugate directions want nearly the minimum along each line
_WIDEN = 4.0
_SHRINK = 0.1
_MOST_TRIALS = 20


class GradientCases(NamedTuple):
    """The cases that the gradient is of (inputs [n, d] and [d, n], targets [n]) and room for the activations [h, n] and
    residuals [n]."""

    inputs: np.ndarray
    inputs_t: np.ndarray
    targets: np.ndarray
    activations: np.ndarray
    residuals: np.ndarray


@njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _dot(a, b):
    total = 0.0
    for k in range(a.size):
        total += a[k] * b[k]
    return total


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def _add(a, factor, b, total):
    """total <- a + factor b."""
    for k in range(a.size):
        total[k] = a[k] + factor * b[k]


@njit(cache=True, error_model="numpy")
def cubic_minimum(a, value_a, slope_a, b, value_b, slope_b):
    """The minimum of the cubic with these values and slopes at a and b (Nocedal and Wright, equation 3.59), but a tenth
    of their distance or more inside of both; their middle when the cubic has no minimum."""
    middle = 0.5 * (a + b)
    item = slope_a + slope_b - 3.0 * (value_a - value_b) / (a - b)
    square = item * item - slope_a * slope_b
    if not square >= 0.0:
        return middle
    two = math.copysign(math.sqrt(square), b - a)
    point = b - (b - a) * (slope_b + two - item) / (slope_b - slope_a + 2.0 * two)
    if not np.isfinite(point):
        return middle
    reach = 0.4 * abs(b - a)
    return min(max(point, middle - reach), middle + reach)


@njit(cache=True, error_model="numpy")
def search(weights, direction, error, descent, step, cases, hidden, direct, trial, slope):
    """Search along a line for a step that meets both conditions.

    Args:
        weights, direction: [P], where the line begins and where it goes.
        error, descent: E and its slope along the line at the beginning; ``descent`` is below 0.
        step: the first step tried.
        cases: GradientCases.
        hidden, direct: h, and whether there are direct input-output weights.
        trial, slope: [P], filled with the weights after the step returned, and dE/dw there.

    Returns:
        the step, E after it, and how many gradients it took. When 20 did not do, it is the best step that meets the
        first condition, or 0.
    """
    low, low_error, low_slope = 0.0, error, descent
    high, high_error, high_slope = np.inf, 0.0, 0.0
    for trials in range(1, _MOST_TRIALS + 1):
        _add(weights, step, direction, trial)
        value = gradient(
            trial,
            cases.inputs,
            cases.inputs_t,
            cases.targets,
            hidden,
            direct,
            slope,
            cases.activations,
            cases.residuals,
        )
        along = _dot(slope, direction)
        if not (
            value <= error + _SUFFICIENT * step * descent
            and value < low_error
            and np.isfinite(along)
        ):
            high, high_error, high_slope = step, value, along
        elif abs(along) <= -_FLAT * descent:
            return step, value, trials
        else:
            if along * (high - low) >= 0.0:
                high, high_error, high_slope = low, low_error, low_slope
            low, low_error, low_slope = step, value, along
        if high == np.inf:
            step = _WIDEN * low
        elif np.isfinite(high_error) and np.isfinite(high_slope):
            step = cubic_minimum(low, low_error, low_slope, high, high_error, high_slope)
        else:
            step = low + _SHRINK * (high - low)
    _add(weights, low, direction, trial)
    value = gradient(
        trial,
        cases.inputs,
        cases.inputs_t,
        cases.targets,
        hidden,
        direct,
        slope,
        cases.activations,
        cases.residuals,
    )
    return low, value, _MOST_TRIALS + 1


@njit(cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _turn(slope, old_slope, direction):
    """direction <- the next conjugate direction; returns the slope of E along it, below 0 unless the gradient is 0."""
    change, length = 0.0, 0.0
    for k in range(slope.size):
        change += slope[k] * (slope[k] - old_slope[k])
        length += old_slope[k] * old_slope[k]
    keep = max(0.0, change / length) if length > 0.0 else 0.0
    _add(slope, -keep, direction, direction)
    _add(direction, -2.0, direction, direction)
    descent = _dot(slope, direction)
    if descent < 0.0:
        return descent
    _add(slope, -2.0, slope, direction)
    return _dot(slope, direction)


@njit(cache=True, error_model="numpy", fastmath={"contract"})
def _held_error(weights, held_t, held_targets, hidden, direct, activations, values):
    """The mean squared error over held-out cases."""
    outputs(weights, held_t, hidden, direct, activations, values)
    total = 0.0
    for c in range(held_targets.size):
        total += (values[c] - held_targets[c]) ** 2
    return total / held_targets.size


@njit(cache=True, error_model="numpy")
def train(
    weights, inputs, inputs_t, targets, held_t, held_targets, hidden, direct, most, patience, best
):
    """Train until the held-out error has long been past its minimum.

    After each line search the error over the held-out cases is taken. Training ends when its least value is as many
    line searches old as came before it, and at least ``patience``; after ``most``; or when E falls no more.

    Args:
        weights: [P], the start, changed in place.
        inputs, inputs_t, targets: [n, d], [d, n], [n], the cases that the gradient is of.
        held_t, held_targets: [d, V], [V], the cases held out for validation.
        hidden, direct: h, and whether there are direct input-output weights.
        most, patience: numbers of line searches.
        best: [P], filled with the weights of the least held-out error.

    Returns:
        the line search after which the held-out error was least (0 for the start), that error (infinite when none was
        finite), how many line searches there were, and how many gradients they took.
    """
    cases = GradientCases(
        inputs, inputs_t, targets, np.empty((hidden, targets.size)), np.empty(targets.size)
    )
    held_activations, held_outputs = (
        np.empty((hidden, held_targets.size)),
        np.empty(held_targets.size),
    )
    slope, trial, trial_slope = (
        np.empty_like(weights),
        np.empty_like(weights),
        np.empty_like(weights),
    )
    direction, zero = np.zeros_like(weights), np.zeros_like(weights)
    chosen, least, finished, gradients = 0, np.inf, 0, 1
    error = gradient(
        weights,
        inputs,
        inputs_t,
        targets,
        hidden,
        direct,
        slope,
        cases.activations,
        cases.residuals,
    )
    descent = _turn(slope, zero, direction)
    total = 0.0
    for k in range(slope.size):
        total += abs(slope[k])
    step = 1.0 / total
    while True:
        held_out = _held_error(
            weights, held_t, held_targets, hidden, direct, held_activations, held_outputs
        )
        if held_out < least:
            chosen, least = finished, held_out
            _add(weights, 0.0, weights, best)
        if (
            finished == most
            or finished - chosen >= max(patience, chosen)
            or not (descent < 0.0 and np.isfinite(error))
        ):
            return chosen, least, finished, gradients
        taken, value, trials = search(
            weights, direction, error, descent, step, cases, hidden, direct, trial, trial_slope
        )
        gradients += trials
        if not value < error:
            return chosen, least, finished, gradients
        finished += 1
        step, error, old_descent = taken, value, descent
        _add(trial, 0.0, trial, weights)
        descent = _turn(trial_slope, slope, direction)
        _add(trial_slope, 0.0, trial_slope, slope)
        step = min(_WIDEN * step, step * old_descent / descent)
