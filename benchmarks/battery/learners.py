"""Learners as compiled loops: fitted to many training sets of one dataset at once.

Each takes ``x`` [N, d], ``y`` [N], ``masks`` [F, N] (which cases a fit is trained on), ``x_test`` [T, d] and how many
of the fits answer for test cases, and returns predictions [F, N] and [f, T]: a number, or the probability of class 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_GRID = 10.0 ** np.arange(-2.0, 4.0)
"""Penalties that tuned ridge regression chooses from."""


@njit(cache=True)
def _with_constant(x):
    extended = np.ones((x.shape[0], x.shape[1] + 1))
    extended[:, 1:] = x
    return extended


@njit(cache=True)
def _solved(gram, moment, penalty):
    matrix = gram.copy()
    for j in range(1, len(matrix)):
        matrix[j, j] += penalty
    for j in range(len(matrix)):
        matrix[j, j] += 1e-9 * (1.0 + gram[0, 0])
    return np.linalg.inv(matrix), np.linalg.solve(matrix, moment)


@njit(cache=True)
def ridge(x, y, masks, x_test, tested, penalty):
    """Least squares with a penalty on all coefficients but the constant; below 0, the penalty with the least
    leave-one-out error on the training cases."""
    z, z_test = _with_constant(x), _with_constant(x_test)
    inside = np.empty((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    for f in range(len(masks)):
        rows = np.flatnonzero(masks[f])
        own, target = z[rows], y[rows]
        gram, moment = own.T @ own, own.T @ target
        best, coefficients = np.inf, np.zeros(z.shape[1])
        for candidate in _GRID if penalty < 0.0 else np.array([penalty]):
            inverse, solution = _solved(gram, moment, candidate)
            error = 0.0
            if penalty < 0.0:
                residual = target - own @ solution
                for i in range(len(rows)):
                    leverage = own[i] @ inverse @ own[i]
                    error += (residual[i] / max(1.0 - leverage, 1e-6)) ** 2
            if error < best:
                best, coefficients = error, solution
        inside[f] = z @ coefficients
        if f < tested:
            outside[f] = z_test @ coefficients
    return inside, outside


@njit(cache=True)
def logistic(x, y, masks, x_test, tested, penalty):
    """Logistic regression with a penalty on all coefficients but the constant, by Newton's method."""
    z, z_test = _with_constant(x), _with_constant(x_test)
    inside = np.empty((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    width = z.shape[1]
    for f in range(len(masks)):
        rows = np.flatnonzero(masks[f])
        own, target = z[rows], y[rows]
        mean = (target.sum() + 0.5) / (len(rows) + 1.0)
        beta = np.zeros(width)
        beta[0] = np.log(mean / (1.0 - mean))
        for _ in range(12):
            p = 1.0 / (1.0 + np.exp(-(own @ beta)))
            gradient = own.T @ (target - p)
            hessian = own.T @ (own * np.maximum(p * (1.0 - p), 1e-9).reshape(-1, 1))
            for j in range(1, width):
                gradient[j] -= penalty * beta[j]
                hessian[j, j] += penalty
            hessian[0, 0] += 1e-6
            step = np.linalg.solve(hessian, gradient)
            largest = np.abs(step).max()
            beta += step * min(1.0, 4.0 / max(largest, 1e-12))
            if largest < 1e-5:
                break
        inside[f] = 1.0 / (1.0 + np.exp(-(z @ beta)))
        if f < tested:
            outside[f] = 1.0 / (1.0 + np.exp(-(z_test @ beta)))
    return inside, outside


@njit(cache=True)
def _nearest_mean(distance, y, mask, count):
    near = np.full(count, np.inf)
    values = np.zeros(count)
    for i in range(len(y)):
        if mask[i] and distance[i] < near[count - 1]:
            at = count - 1
            while at > 0 and near[at - 1] > distance[i]:
                near[at], values[at] = near[at - 1], values[at - 1]
                at -= 1
            near[at], values[at] = distance[i], y[i]
    return values.mean()


@njit(cache=True)
def neighbours(x, y, masks, x_test, tested, count):
    """The mean of the ``count`` nearest training cases; only for cases that a fit was not trained on."""
    inside = np.zeros((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    distance = np.empty((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            distance[i, j] = ((x[i] - x[j]) ** 2).sum()
    for f in range(len(masks)):
        for i in range(len(x)):
            if not masks[f, i]:
                inside[f, i] = _nearest_mean(distance[i], y, masks[f], int(count))
    row = np.empty(len(x))
    for t in range(len(x_test)):
        for i in range(len(x)):
            row[i] = ((x_test[t] - x[i]) ** 2).sum()
        for f in range(tested):
            outside[f, t] = _nearest_mean(row, y, masks[f], int(count))
    return inside, outside


@njit(cache=True)
def _grown(x, y, order, mask, depth, least):
    """A regression tree, level by level: feature (-1: a leaf), threshold, first child and mean of each node."""
    most = 2 * mask.sum() + 1
    feature = np.full(most, -1)
    threshold, mean, total, size = np.zeros(most), np.zeros(most), np.zeros(most), np.zeros(most)
    child = np.zeros(most, dtype=np.int64)
    node = np.where(mask, 0, -1)
    first, last = 0, 1
    left_total, left_size, before = np.zeros(most), np.zeros(most), np.zeros(most)
    for level in range(depth + 1):
        total[first:last], size[first:last] = 0.0, 0.0
        for i in range(len(y)):
            if node[i] >= first:
                total[node[i]] += y[i]
                size[node[i]] += 1
        for a in range(first, last):
            mean[a] = total[a] / size[a]
        if level == depth:
            break
        gain = np.full(most, 1e-10)
        for j in range(x.shape[1]):
            left_total[first:last], left_size[first:last] = 0.0, 0.0
            for i in order[j]:
                a = node[i]
                if a < first:
                    continue
                n = left_size[a]
                if n >= least and size[a] - n >= least and x[i, j] > before[a] + 1e-12:
                    rest = total[a] - left_total[a]
                    found = (
                        left_total[a] ** 2 / n + rest**2 / (size[a] - n) - total[a] ** 2 / size[a]
                    )
                    if found > gain[a] * (1.0 + 1e-9):
                        gain[a], feature[a] = found, j
                        threshold[a] = 0.5 * (x[i, j] + before[a])
                left_total[a] += y[i]
                left_size[a] += 1
                before[a] = x[i, j]
        following = last
        for a in range(first, last):
            if feature[a] >= 0:
                child[a] = following
                following += 2
        if following == last:
            break
        for i in range(len(y)):
            a = node[i]
            if a >= first:
                right = x[i, feature[a]] > threshold[a]
                node[i] = child[a] + right if feature[a] >= 0 else -1
        first, last = last, following
    return feature, threshold, child, mean


@njit(cache=True)
def _answer(row, feature, threshold, child, mean):
    a = 0
    while feature[a] >= 0:
        a = child[a] + (row[feature[a]] > threshold[a])
    return mean[a]


@njit(cache=True)
def _order(x):
    order = np.empty((x.shape[1], x.shape[0]), dtype=np.int64)
    for j in range(x.shape[1]):
        order[j] = np.argsort(x[:, j])
    return order


@njit(cache=True)
def tree(x, y, masks, x_test, tested, depth):
    """A regression tree of some depth, leaves of at least three cases; a deep one (above 9) of one."""
    inside = np.empty((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    order, least = _order(x), 1 if depth > 9 else 3
    for f in range(len(masks)):
        grown = _grown(x, y, order, masks[f], int(depth), least)
        for i in range(len(x)):
            inside[f, i] = _answer(x[i], *grown)
        if f < tested:
            for t in range(len(x_test)):
                outside[f, t] = _answer(x_test[t], *grown)
    return inside, outside


@njit(cache=True)
def boosting(x, y, masks, x_test, tested, rounds):
    """Boosted trees of depth 2: each fits the residuals of those before it, and counts a fifth."""
    inside = np.empty((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    order = _order(x)
    for f in range(len(masks)):
        mean = y[masks[f]].mean()
        inside[f] = mean
        if f < tested:
            outside[f] = mean
        for _ in range(int(rounds)):
            grown = _grown(x, y - inside[f], order, masks[f], 2, 3)
            for i in range(len(x)):
                inside[f, i] += 0.2 * _answer(x[i], *grown)
            if f < tested:
                for t in range(len(x_test)):
                    outside[f, t] += 0.2 * _answer(x_test[t], *grown)
    return inside, outside


@njit(cache=True)
def naive_bayes(x, y, masks, x_test, tested, least):
    """Gaussian naive Bayes with variances of at least ``least``: it collapses where a class has few cases."""
    inside = np.empty((len(masks), len(x)))
    outside = np.empty((tested, len(x_test)))
    for f in range(len(masks)):
        slope, constant = np.zeros((2, 2, x.shape[1])), np.zeros(2)
        for c in range(2):
            rows = np.flatnonzero(masks[f] & (y == c))
            constant[c] = np.log((len(rows) + 0.5) / (masks[f].sum() + 1.0))
            for j in range(x.shape[1]):
                own = x[rows, j]
                slope[c, 0, j] = own.mean() if len(own) else 0.0
                slope[c, 1, j] = max(own.var() if len(own) > 1 else 1.0, least)
                constant[c] -= 0.5 * np.log(slope[c, 1, j])
        for i in range(len(x)):
            inside[f, i] = _posterior(x[i], slope, constant)
        if f < tested:
            for t in range(len(x_test)):
                outside[f, t] = _posterior(x_test[t], slope, constant)
    return inside, outside


@njit(cache=True)
def _posterior(row, slope, constant):
    score = constant.copy()
    for c in range(2):
        score[c] -= 0.5 * ((row - slope[c, 0]) ** 2 / slope[c, 1]).sum()
    return 1.0 / (1.0 + np.exp(min(max(score[0] - score[1], -700.0), 700.0)))


LEARNERS = {
    "ridge": ridge,
    "logistic": logistic,
    "neighbours": neighbours,
    "tree": tree,
    "boosting": boosting,
    "naive bayes": naive_bayes,
}
