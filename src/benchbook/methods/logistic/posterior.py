"""Logistic regression with Gaussian priors whose scales are unknown: its posterior density, many states at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.errors import BenchbookError
from benchbook.methods.settings import setting


@dataclass(frozen=True)
class LogisticPrior:
    """The prior for inputs of mean 0 and standard deviation 1; all numbers are ours.

    A weight of input i in group g is w_i ~ N(0, s^2 t_g^2 / d), so that the linear part of a case with unit inputs has
    the standard deviation s; log s ~ N(0, scale_sd^2); log t_g ~ N(0, relevance_sd^2), or t_g = 1 when that is 0; the
    intercept is N(0, intercept_sd^2).
    """

    scale_sd: float = setting(1.5, "of the logarithm of the scale of all weights", above=0)
    relevance_sd: float = setting(
        0.0, "of the logarithm of an attribute's relevance; 0 for one scale alone", least=0
    )
    intercept_sd: float = setting(5.0, "standard deviation of the intercept", above=0)


class LogisticPosterior:
    """The posterior of q = (v [d], v_0, log s, log t [G]), v the weights in units of their prior's standard deviation.

        log p(q | y) = sum_n log sigma(y_n f_n) - 1/2 |v|^2 - 1/2 (log s / scale_sd)^2
                       - 1/2 sum_g (log t_g / relevance_sd)^2 + constant,    f_n = b + sum_i x_ni w_i,    y_n = -1 or 1

    In these coordinates the prior does not depend on the scales (a non-centred parametrisation), so that where the data
    say little about a weight, its scale is free to move. States are columns, [d + 2 + G, K].
    """

    def __init__(
        self, inputs: np.ndarray, positive: np.ndarray, groups: np.ndarray, prior: LogisticPrior
    ) -> None:
        """Take inputs [N, d], the truth of the positive class [N], or [N, K] for each state its own, and the group of
        each input, 0 ... G - 1."""
        self.prior, self.inputs_count = prior, inputs.shape[1]
        self.design = np.asfortranarray(np.column_stack([inputs, np.ones(len(inputs))]))
        self.positive = np.asarray(positive, dtype=float).reshape(len(inputs), -1)
        self.groups = groups if prior.relevance_sd > 0 else np.zeros(0, dtype=np.intp)
        self.group_sizes = np.bincount(self.groups)
        self.weights_count = self.inputs_count + 1
        self.size = self.weights_count + 1 + len(self.group_sizes)

    def scales(self, state: np.ndarray) -> np.ndarray:
        """The prior standard deviations of the weights [d + 1, K] at states."""
        logs = np.repeat(state[self.weights_count][None], self.inputs_count, axis=0)
        if len(self.group_sizes):
            logs = logs + state[self.weights_count + 1 :][self.groups]
        own = np.exp(logs) / np.sqrt(max(self.inputs_count, 1))
        return np.vstack([own, np.full((1, state.shape[1]), self.prior.intercept_sd)])

    def weights(self, state: np.ndarray) -> np.ndarray:
        """The weights and, last, the intercept [d + 1, K]."""
        return self.scales(state) * state[: self.weights_count]

    def height(self, state: np.ndarray) -> np.ndarray:
        """log p(q | y) up to a constant, [K]."""
        count, prior = self.weights_count, self.prior
        value = scipy.special.log_expit(
            (2.0 * self.positive - 1.0) * (self.design @ self.weights(state))
        ).sum(axis=0)
        value -= (
            0.5 * np.sum(state[:count] ** 2, axis=0) + 0.5 * (state[count] / prior.scale_sd) ** 2
        )
        if len(self.group_sizes):
            value -= 0.5 * np.sum((state[count + 1 :] / prior.relevance_sd) ** 2, axis=0)
        return value

    def slope(self, state: np.ndarray) -> np.ndarray:
        """The gradient of ``height``, [d + 2 + G, K]."""
        count, prior = self.weights_count, self.prior
        scales = self.scales(state)
        weights = scales * state[:count]
        by_weight = self.design.T @ (self.positive - _logistic(self.design @ weights))
        by_log = (weights * by_weight)[:-1]
        parts = [
            scales * by_weight - state[:count],
            (by_log.sum(axis=0) - state[count] / prior.scale_sd**2)[None],
        ]
        if len(self.group_sizes):
            parts.append(self.by_group(by_log) - state[count + 1 :] / prior.relevance_sd**2)
        return np.vstack(parts)

    def by_group(self, each: np.ndarray) -> np.ndarray:
        """Sums [G, K] over the inputs of each group."""
        total = np.zeros((len(self.group_sizes), each.shape[1]))
        np.add.at(total, self.groups, each)
        return total

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """States [d + 2 + G, count] from the prior."""
        sd = np.ones(self.size)
        sd[self.weights_count] = self.prior.scale_sd
        sd[self.weights_count + 1 :] = self.prior.relevance_sd
        return sd[:, None] * rng.normal(size=(self.size, count))


def _logistic(linear: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-f)); numpy's exp is several times faster than scipy's function of this name."""
    return 1.0 / (1.0 + np.exp(-np.clip(linear, -700.0, 700.0)))


@dataclass(frozen=True)
class LogisticMode:
    """The most probable v [d + 1] for a scale, all t = 1, with log p(y | s) p(s) by Laplace's approximation and the
    curvature, the matrix of second derivatives of -log p in (v, log s), as far as it is positive (Gauss and Newton's),
    [d + 2, d + 2], lower triangle."""

    standard: np.ndarray
    log_scale: float
    evidence: float
    curvature: np.ndarray


def mode(
    posterior: LogisticPosterior, log_scale: float, start: np.ndarray, steps: int = 50
) -> LogisticMode:
    """Newton's method with halved steps from ``start`` [d + 1]; -log p is convex in v.

    log p(y | s) = log p(y, v | s) - 1/2 log |H| + constant,    H the curvature in v alone
    (MacKay, The evidence framework applied to classification networks, 1992)
    """
    state = np.zeros((posterior.size, 1))
    state[posterior.weights_count] = log_scale
    scaled = posterior.design * posterior.scales(state)[:, 0]
    standard = start
    for _ in range(steps):
        linear = scaled @ standard
        known = scipy.special.expit(linear)
        factor, failed = scipy.linalg.lapack.dpotrf(
            _curvature(scaled, known), lower=1, clean=0, overwrite_a=1
        )
        if failed:
            raise BenchbookError(
                "the curvature of the posterior of the weights has no Cholesky factor; look for "
                "inputs that are many orders of magnitude apart"
            )
        slope = scaled.T @ (posterior.positive[:, 0] - known) - standard
        step = scipy.linalg.lapack.dpotrs(factor, slope, lower=1)[0]
        standard, gain = (
            _uphill(scaled, posterior.positive[:, 0], standard, step),
            float(slope @ step),
        )
        if gain < 1e-3:
            break
    evidence = _height(scaled, posterior.positive[:, 0], standard) - float(
        np.log(factor.diagonal()).sum()
    )
    evidence -= 0.5 * (log_scale / posterior.prior.scale_sd) ** 2
    sloped = (scaled[:, :-1] @ standard[:-1])[:, None]
    whole = _curvature(np.hstack([scaled, sloped]), scipy.special.expit(scaled @ standard))
    whole[-1, -1] += 1.0 / posterior.prior.scale_sd**2 - 1.0
    return LogisticMode(standard, log_scale, evidence, whole)


def _curvature(scaled: np.ndarray, known: np.ndarray) -> np.ndarray:
    spread = np.sqrt(known * (1.0 - known))
    curvature = scipy.linalg.blas.dsyrk(1.0, (scaled * spread[:, None]).T, lower=1)
    curvature[np.diag_indices(len(curvature))] += 1.0
    return curvature


def _height(scaled: np.ndarray, positive: np.ndarray, standard: np.ndarray) -> float:
    likelihood = scipy.special.log_expit((2.0 * positive - 1.0) * (scaled @ standard)).sum()
    return float(likelihood - 0.5 * standard @ standard)


def _uphill(
    scaled: np.ndarray, positive: np.ndarray, standard: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """The end of the longest of the step, its half, its quarter and so on that does not lead down."""
    now = _height(scaled, positive, standard)
    for halvings in range(30):
        end = standard + 0.5**halvings * step
        if _height(scaled, positive, end) >= now:
            return end
    return standard


def best_scale(
    posterior: LogisticPosterior, step: float = 0.5, farthest: float = 6.0
) -> LogisticMode:
    """The mode at the scale of greatest evidence, found by steps in log s from 0 for as long as they lead upward."""
    best = mode(posterior, 0.0, np.zeros(posterior.weights_count))
    for direction in (step, -step):
        moved = False
        while abs(best.log_scale + direction) <= farthest:
            next_one = mode(posterior, best.log_scale + direction, best.standard)
            if next_one.evidence <= best.evidence:
                break
            best, moved = next_one, True
        if moved:
            break
    return best
