"""A sparse Gaussian process: what is far apart is tied by few inducing inputs, what is near together exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from benchbook.methods.gaussian_processes.exact import needed, where_finite
from benchbook.methods.gaussian_processes.model import BIAS, JITTERS, NOISE_FLOOR, HyperPrior

_LOOSENESS = 1e-8  # added to the diagonal of the inducing inputs' covariances, in shares of v + 1
OFFSET_SD = 0.5


@dataclass(frozen=True)
class _Covariance:
    """The noiseless covariance of ``model.HyperparameterPosterior`` at hyperparameters t [d + 3 ...]."""

    root: np.ndarray
    signal: float
    slope: float

    @classmethod
    def at(cls, t: np.ndarray, inputs: int) -> _Covariance:
        signal, slope = np.exp(t[inputs : inputs + 2])
        return cls(np.exp(0.5 * t[:inputs]), float(signal), float(slope))

    def between(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The smooth part and the whole, [A, B] each, for inputs [A, d] and [B, d]."""
        item, two = left * self.root, right * self.root
        smooth = item @ two.T
        smooth -= 0.5 * np.einsum("ak,ak->a", item, item)[:, None]
        smooth -= 0.5 * np.einsum("bk,bk->b", two, two)
        np.exp(np.minimum(smooth, 0.0, out=smooth), out=smooth)
        smooth *= self.signal
        return smooth, smooth + self.slope * (left @ right.T) + BIAS

    def variances(self, inputs: np.ndarray) -> np.ndarray:
        """The variances [A]."""
        return self.signal + self.slope * np.einsum("ak,ak->a", inputs, inputs) + BIAS

    def stretch(self, weight: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """sum_ij W_ij w_k (a_ik - b_jk)^2 for each input k, [d]."""
        item, two = left * self.root, right * self.root
        return (
            weight.sum(axis=1) @ item**2
            + weight.sum(axis=0) @ two**2
            - 2.0 * np.sum(item * (weight @ two), axis=0)
        )


@dataclass(frozen=True)
class _Solved:
    """What one factorisation leaves, for M inducing inputs Z and blocks b of cases.

    smooth [M, N], inner [M, M] and within (one [n_b, n_b] a block): smooth parts of covariances; noise [blocks].
    factor: L [M, M], K_ZZ = L L'. reduced: V = L^-1 K_ZX [M, N]. inverses: of S_b, one a block. weighed: A = V S^-1,
    S the block-diagonal matrix of the S_b. gram: B = I + V S^-1 V' and its factor R. solved: r [N], (V'V + S)^-1 y.
    pulled: B^-1 V S^-1 y [M]. value: the log marginal likelihood.
    """

    covariance: _Covariance
    smooth: np.ndarray
    inner: np.ndarray
    within: list[np.ndarray]
    noise: np.ndarray
    factor: np.ndarray
    reduced: np.ndarray
    inverses: list[np.ndarray]
    weighed: np.ndarray
    gram_factor: np.ndarray
    solved: np.ndarray
    pulled: np.ndarray
    value: float


class SparsePosterior:
    """The posterior density of the hyperparameters of a sparse Gaussian process, given training cases in blocks.

    Covariance and prior are those of ``model.HyperparameterPosterior``; the covariances of cases in different blocks
    go by way of the inducing inputs Z, those within a block are exact, and each block has noise of its own:

        y ~ N(0, Q + S),    Q = K_XZ K_ZZ^-1 K_ZX,    S_b = K_b - Q_b + (s + 1e-6) exp(h_b) I.

    This is the partially independent conditional approximation of Snelson and Ghahramani (Local and global sparse
    Gaussian process approximations, 2007): with blocks of one case it is FITC, with one block, or with Z all cases, it
    is the whole Gaussian process. The h_b ~ N(0, 0.5^2) are ours; they are left out when there is one block. The
    unknowns are t = (log w [d], log v, log a, log s, h [blocks]).
    """

    def __init__(
        self,
        inputs: np.ndarray,
        targets: np.ndarray,
        inducing: np.ndarray,
        blocks: Sequence[np.ndarray],
        prior: HyperPrior | None = None,
    ) -> None:
        """Take inputs [N, d] and targets [N], of mean 0 and standard deviation 1, and inducing inputs [M, d]."""
        prior, self.count = prior or HyperPrior(), inputs.shape[1]
        offsets = len(blocks) if len(blocks) > 1 else 0
        self.inputs, self.targets, self.inducing, self.blocks = inputs, targets, inducing, blocks
        self.mean = np.append(prior.mean(self.count), np.zeros(offsets))
        self.sd = np.append(prior.sd(self.count), np.full(offsets, OFFSET_SD))
        self.evaluations = 0

    def energy(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """-log p(y | t) - log p(t), up to a constant, and its gradient; infinity and zeros where it is not finite."""
        value, slope = self.evidence(t)
        z = (t - self.mean) / self.sd
        return -value + 0.5 * float(z @ z), z / self.sd - slope

    def evidence(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """The log marginal likelihood and its gradient; minus infinity and zeros where it is not finite.

        With D = C^-1 - C^-1 y y'C^-1, C = Q + S, P = K_ZZ^-1 K_ZX and G = D - E, E the blocks of D,

            d log p = -1/2 [2 sum (P G) o dK_ZX - sum (P G P') o dK_ZZ + sum_b sum D_b o dK_b + sum_b tr(D_b) dnoise_b].
        """
        self.evaluations += 1
        with np.errstate(over="ignore", invalid="ignore"):
            at = self._solve(t)
            if at is None:
                return -np.inf, np.zeros(len(t))
            gradient = self._gradient(t, at)
        return where_finite(at.value, gradient, -np.inf)

    def _noise(self, t: np.ndarray) -> np.ndarray:
        """The noise variance of each block."""
        offsets = t[self.count + 3 :] if len(self.blocks) > 1 else np.zeros(1)
        return (np.exp(t[self.count + 2]) + NOISE_FLOOR) * np.exp(offsets)

    def _solve(self, t: np.ndarray, jitter: float = 0.0) -> _Solved | None:
        """The factorisations, with ``jitter`` added to the noise; None when there are none."""
        try:
            return self._factorise(t, jitter)
        except (np.linalg.LinAlgError, ValueError):
            return None

    def _factorise(self, t: np.ndarray, jitter: float) -> _Solved:
        covariance, y, noise = _Covariance.at(t, self.count), self.targets, self._noise(t)
        inner, whole = covariance.between(self.inducing, self.inducing)
        whole[np.diag_indices(len(whole))] += _LOOSENESS * (covariance.signal + 1.0)
        factor = scipy.linalg.cholesky(whole, lower=True)
        smooth, cross = covariance.between(self.inducing, self.inputs)
        reduced = scipy.linalg.solve_triangular(factor, cross, lower=True)
        weighed, alone = np.empty_like(reduced), np.empty(len(y))
        within, inverses, log_size = [], [], 0.0
        for block, own in zip(self.blocks, noise, strict=True):
            part, left = covariance.between(self.inputs[block], self.inputs[block])
            inverse, logs = _inverse(left - reduced[:, block].T @ reduced[:, block], own + jitter)
            weighed[:, block], alone[block] = reduced[:, block] @ inverse, inverse @ y[block]
            within.append(part)
            inverses.append(inverse)
            log_size += logs
        gram_factor = scipy.linalg.cholesky(np.eye(len(factor)) + weighed @ reduced.T, lower=True)
        pulled = scipy.linalg.cho_solve((gram_factor, True), reduced @ alone)
        log_size += 2.0 * float(np.log(gram_factor.diagonal()).sum())
        value = -0.5 * (
            log_size
            + float(y @ alone - pulled @ (reduced @ alone))
            + len(y) * math.log(2.0 * math.pi)
        )
        return _Solved(
            covariance,
            smooth,
            inner,
            within,
            noise,
            factor,
            reduced,
            inverses,
            weighed,
            gram_factor,
            alone - weighed.T @ pulled,
            pulled,
            value,
        )

    def _gradient(self, t: np.ndarray, at: _Solved) -> np.ndarray:
        covariance = at.covariance
        inverse = scipy.linalg.solve_triangular(at.factor, np.eye(len(at.factor)), lower=True)
        pull = scipy.linalg.cho_solve((at.gram_factor, True), at.weighed) - np.outer(
            at.pulled, at.solved
        )
        relevance, signal, slope, by_noise = self._within_blocks(at, pull)
        outer = inverse.T @ pull
        between = (outer @ at.reduced.T) @ inverse
        slope += float(
            np.sum(self.inducing * (2.0 * outer @ self.inputs - between @ self.inducing))
        )
        signal -= _LOOSENESS * covariance.signal * float(np.trace(between))
        outer *= at.smooth
        between *= at.inner
        relevance += 2.0 * covariance.stretch(outer, self.inducing, self.inputs)
        relevance -= covariance.stretch(between, self.inducing, self.inducing)
        signal += 2.0 * float(outer.sum()) - float(between.sum())
        noise = math.exp(t[self.count + 2])
        common = float(by_noise.sum()) * noise / (noise + NOISE_FLOOR)
        offsets = by_noise if len(self.blocks) > 1 else np.zeros(0)
        return -0.5 * np.concatenate(
            [-0.5 * relevance, [signal, covariance.slope * slope, common], offsets]
        )

    def _within_blocks(
        self, at: _Solved, pull: np.ndarray
    ) -> tuple[np.ndarray, float, float, np.ndarray]:
        """What the D_b give: sums for log w [d], log v and log a, and tr(D_b) noise_b; ``pull``, L'P D on entry, is
        made L'P G in place."""
        spread = scipy.linalg.solve_triangular(at.gram_factor, at.weighed, lower=True)
        relevance, signal, slope, traces = (
            np.zeros(self.count),
            0.0,
            0.0,
            np.zeros(len(self.blocks)),
        )
        for index, block in enumerate(self.blocks):
            part = at.inverses[index] - spread[:, block].T @ spread[:, block]
            part -= np.outer(at.solved[block], at.solved[block])
            pull[:, block] -= at.reduced[:, block] @ part
            own = self.inputs[block]
            traces[index], slope = np.trace(part), slope + float(np.sum(own * (part @ own)))
            part *= at.within[index]
            relevance += at.covariance.stretch(part, own, own)
            signal += float(part.sum())
        return relevance, signal, slope, traces * at.noise

    def predict(
        self, t: np.ndarray, inputs: np.ndarray, block_of: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances [J] of the targets of test cases, inputs [J, d], each taken to be in a block [J].

        With V = L^-1 K_ZX, k = L^-1 K_Zx, c = K_bx - V_b'k, B = I + V S^-1 V', and r = C^-1 y,

            m = k'V r + c'r_b,    v = k(x, x) - k'k - c'S_b^-1 c + |B^-1/2 (k - V_b S_b^-1 c)|^2 + noise_b;

        the variance is never below that of the noise.

        Raises:
            BenchbookError: the covariances of the training cases have no Cholesky factor at t.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            solutions = (self._solve(t, jitter) for jitter in JITTERS)
            at = needed(
                next(
                    (each for each in solutions if each is not None and np.isfinite(each.value)),
                    None,
                ),
                JITTERS[-1],
            )
        mean, variance = np.empty(len(inputs)), np.empty(len(inputs))
        for index in np.unique(block_of):
            queries = np.flatnonzero(block_of == index)
            mean[queries], variance[queries] = self._predict_in(at, int(index), inputs[queries])
        return mean, variance

    def _predict_in(
        self, at: _Solved, index: int, inputs: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        block = self.blocks[index]
        seen = scipy.linalg.solve_triangular(
            at.factor, at.covariance.between(self.inducing, inputs)[1], lower=True
        )
        near = at.covariance.between(self.inputs[block], inputs)[1] - at.reduced[:, block].T @ seen
        turned = at.inverses[index] @ near
        back = scipy.linalg.solve_triangular(
            at.gram_factor, seen - at.reduced[:, block] @ turned, lower=True
        )
        latent = at.covariance.variances(inputs) - np.einsum("mj,mj->j", seen, seen)
        latent -= np.einsum("nj,nj->j", near, turned)
        latent += np.einsum("mj,mj->j", back, back)
        return seen.T @ at.pulled + near.T @ at.solved[block], np.maximum(latent, 0.0) + at.noise[
            index
        ]


def _inverse(matrix: np.ndarray, noise: float) -> tuple[np.ndarray, float]:
    """The inverse of a symmetric matrix with ``noise`` added to its diagonal, and the logarithm of the determinant."""
    matrix[np.diag_indices(len(matrix))] += noise
    factor = scipy.linalg.cholesky(matrix, lower=True)
    inverse = np.tril(scipy.linalg.lapack.dpotri(factor, lower=1)[0])
    return inverse + np.tril(inverse, -1).T, 2.0 * float(np.log(factor.diagonal()).sum())
