"""What draws from the posterior of a Gaussian process say of new cases and, left out one at a time, of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchbook import kernels
from benchbook.assess.densities.gaussian_process import GaussianTerms, gp_leave_one_out
from benchbook.methods.gaussian_processes.residuals.covariance import Marginal
from benchbook.methods.gaussian_processes.residuals.density import log_residual, logistic_chance
from benchbook.methods.gaussian_processes.residuals.moves import Mover
from benchbook.methods.gaussian_processes.residuals.priors import LOGISTIC, CovariancePrior
from benchbook.methods.gaussian_processes.residuals.regression import Regression
from benchbook.methods.shared.posterior import DrawnComponents

OFFSET = 4.0
"""Prior variance of the constant of the latent function: classes of unequal frequency. Ours."""


class Classes:
    """The unknowns of a classification and the updates that leave their posterior as it is.

    Of two classes y = 0, 1 with p(y = 1 | h) = 1 / (1 + exp(-h)) (Vehtari and Lampinen, 2001, equation 32) each case
    has a scale w_i, Polya-Gamma given h_i; given the scales, (y_i - 1/2) / w_i is a target with Normal residuals of
    variance 1 / w_i (Polson, Scott and Windle, 2013). So covariance parameters are drawn by HMC with the
    latent values integrated out, and scales by Gibbs, as for t residuals; that is ours. t [d + 2] as in ``Marginal``.
    """

    def __init__(
        self, inputs: np.ndarray, targets: np.ndarray, prior: CovariancePrior = LOGISTIC
    ) -> None:
        """Take inputs [N, d] of mean 0 and standard deviation 1 and targets 0 or 1, [N]; begin at h = 0."""
        n, d = inputs.shape
        self.marginal = Marginal(inputs, np.zeros((n, 1)), prior, offset=OFFSET)
        self.halves = np.asarray(targets, dtype=np.float64) - 0.5
        self.t = np.log(np.append(np.full(d + 1, 0.5 / max(d, 1)), 4.0))
        self.values, self.weights = np.zeros(n), np.full(n, 0.25)
        self.refresh()

    def refresh(self) -> None:
        """Bring targets and residual variances of ``marginal`` up to date with the scales."""
        self.marginal.targets[:, 0] = self.halves / self.weights
        self.marginal.scales[:, 0] = 1.0 / self.weights

    def move_covariances(self, mover: Mover, rng: np.random.Generator) -> None:
        """Covariance parameters given the scales, latent values integrated out."""
        self.t = mover(self.marginal.energy, self.t, rng)

    def draw_values(self, rng: np.random.Generator) -> None:
        """Latent values given covariance parameters and scales."""
        self.values = self.marginal.draw_values(self.t, rng)[:, 0]

    def draw_weights(self, rng: np.random.Generator) -> None:
        """Gibbs: scales given latent values."""
        kernels.polya_gamma.polya_gamma(self.values, self.weights, rng)
        self.refresh()

    def sweep(self, mover: Mover, times: int, rng: np.random.Generator) -> None:
        """Covariance parameters once, values and scales in turn ``times``."""
        self.move_covariances(mover, rng)
        for _ in range(times):
            self.draw_values(rng)
            self.draw_weights(rng)


_LEAST_CHANCE = 1e-12


@dataclass(frozen=True)
class Scaling:
    """Inputs and targets to mean 0 and standard deviation 1 and back: x -> (x - centre) / unit, targets alike.

    A constant input has the unit infinity, which takes it out, a constant target the unit 1. Outputs that share
    covariance parameters share the unit too, the root of the mean of their variances.
    """

    centre: np.ndarray
    unit: np.ndarray
    target_centre: np.ndarray
    target_unit: float

    @classmethod
    def of(cls, inputs: np.ndarray, targets: np.ndarray) -> Scaling:
        """For inputs [N, d] and targets [N, O]."""
        varies = np.ptp(inputs, axis=0) > 0
        spread = np.where(varies, inputs.std(axis=0), 0.0)
        size = float(
            np.sqrt(np.mean(np.where(np.ptp(targets, axis=0) > 0, targets.var(axis=0), 0.0)))
        )
        return cls(
            inputs.mean(axis=0),
            np.where(spread > 0, spread, np.inf),
            targets.mean(axis=0),
            size or 1.0,
        )

    def inputs(self, inputs: np.ndarray) -> np.ndarray:
        """Of any cases, [J, d]."""
        return (inputs - self.centre) / self.unit

    def targets(self, targets: np.ndarray) -> np.ndarray:
        """Of any cases, [J, O]."""
        return (targets - self.target_centre) / self.target_unit


@dataclass(frozen=True)
class Latent:
    """What M draws say of J cases: latent value N(mean, variance) and the residual about it, on the scale of targets.

    mean, variance: [M, J, O]. noise, [M, J]: the residual variance, or the squared scale of a t residual; its logarithm
    is uncertain with the variance ``spread`` [M, J] where that is not None. degrees, [M, J]: infinity where Normal.
    """

    mean: np.ndarray
    variance: np.ndarray
    noise: np.ndarray
    spread: np.ndarray | None
    degrees: np.ndarray

    def log_density(self, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | draw), [M, J], of targets [J, O], all uncertainty of the draw's own integrated out."""
        return np.sum(
            [
                log_residual(
                    targets[:, o],
                    self.mean[:, :, o],
                    self.variance[:, :, o],
                    self.noise,
                    self.degrees,
                    self.spread,
                )
                for o in range(targets.shape[1])
            ],
            axis=0,
        )

    @property
    def exact(self) -> bool:
        """Whether a target is Normal given a draw."""
        return self.spread is None and not np.isfinite(self.degrees).any()

    def components(self, nodes: np.ndarray) -> DrawnComponents:
        """Normal or t components: one for each draw where that is exact, else two, equally likely.

        A t residual about a Normal latent value is no t, and neither is a residual of uncertain variance. So a draw has
        its latent value and the logarithm of its residual variance at ``nodes`` [M, 2] standard deviations from their
        means, and at as many on the other side; nodes of all draws together are spread like a standard Normal.
        """
        if self.exact:
            return DrawnComponents(self.mean, np.sqrt(self.variance + self.noise[:, :, None]))
        signs = np.concatenate([nodes, -nodes])[:, :, None, None]
        mean, variance, noise, degrees = (
            np.concatenate([each, each])
            for each in (self.mean, self.variance, self.noise, self.degrees)
        )
        if self.spread is not None:
            noise = noise * np.exp(
                signs[:, 1, :, 0] * np.sqrt(np.concatenate([self.spread, self.spread]))
            )
        if np.isfinite(degrees).any():
            return DrawnComponents(
                mean + signs[:, 0] * np.sqrt(variance),
                np.sqrt(noise)[:, :, None],
                degrees[:, :, None],
            )
        return DrawnComponents(mean, np.sqrt(variance + noise[:, :, None]))


@dataclass(frozen=True)
class ProcessDraw:
    """One draw of a regression: all that its predictions depend on, on the scale of the chain."""

    t: np.ndarray
    scales: np.ndarray
    precisions: np.ndarray
    degrees: np.ndarray
    t_spread: np.ndarray
    z: np.ndarray
    residuals: np.ndarray

    @classmethod
    def of(cls, chain: Regression) -> ProcessDraw:
        """As the chain is now."""
        return cls(
            chain.t.copy(),
            chain.marginal.scales.copy(),
            chain.found.precisions.copy(),
            chain.degrees(),
            chain.t_spread.copy(),
            chain.z.copy(),
            chain.residuals.copy(),
        )


class RegressionDraws:
    """Draws of a regression; inputs and targets are those that the user has, on the encoded scale."""

    def __init__(
        self, chain: Regression, states: Sequence[ProcessDraw], scaling: Scaling, nodes: np.ndarray
    ) -> None:
        self.chain, self.states, self.scaling, self.nodes = chain, states, scaling, nodes

    def latent(self, inputs: np.ndarray) -> Latent:
        """Of cases with inputs [J, d]."""
        standard, groups = self.scaling.inputs(inputs), self.chain.model.groups.of(inputs)
        each = [self._one(state, standard, groups) for state in self.states]
        mean, variance, noise, spread, degrees = (
            np.array(column) for column in zip(*each, strict=True)
        )
        unit = self.scaling.target_unit
        return Latent(
            self.scaling.target_centre + unit * mean,
            unit**2 * variance,
            unit**2 * noise,
            spread if self.chain.field is not None else None,
            degrees,
        )

    def _one(
        self, state: ProcessDraw, inputs: np.ndarray, groups: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        marginal, field = self.chain.marginal, self.chain.field
        marginal.scales[:] = state.scales
        pairs = [marginal.conditional(state.t, inputs, o) for o in range(marginal.targets.shape[1])]
        mean, variance = (np.column_stack(column) for column in zip(*pairs, strict=True))
        noise, spread = 1.0 / state.precisions[groups], np.zeros(len(inputs))
        if field is not None:
            logs, spread = field.conditional(state.t_spread, state.z, inputs)
            noise = noise * np.exp(logs)
        return mean, variance, noise, spread, state.degrees[groups]

    def components(self, inputs: np.ndarray) -> DrawnComponents:
        """See ``Latent.components``; the axis of outputs is left out where there is one."""
        return _squeezed(self.latent(np.asarray(inputs, dtype=float)).components(self.nodes))

    def log_density(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, draw), [M, J]."""
        return self.latent(np.asarray(inputs, dtype=float)).log_density(
            targets.reshape(len(inputs), -1)
        )

    def leave_one_out(self) -> tuple[tuple[GaussianTerms, ...], np.ndarray]:
        """Equations 37 to 39 for each output, [M, N], given the scales of all cases; and the log density that remains
        when the scale of the case's own t residual is integrated out, summed over outputs, [M, N]."""
        marginal, unit = self.chain.marginal, self.scaling.target_unit
        terms, own = [], np.zeros((len(self.states), len(marginal.targets)))
        for output in range(marginal.targets.shape[1]):
            each = [self._left_out(state, output) for state in self.states]
            mean, variance, log_density, noise, scale, degrees = (
                np.array(c) for c in zip(*each, strict=True)
            )
            centre, shift = self.scaling.target_centre[output], np.log(unit)
            terms.append(
                GaussianTerms(centre + unit * mean, unit**2 * variance, log_density - shift)
            )
            left = np.maximum(variance - noise, marginal.jitter)
            own += log_residual(marginal.targets[:, output], mean, left, scale, degrees) - shift
        return tuple(terms), own

    def _left_out(self, state: ProcessDraw, output: int) -> tuple[np.ndarray, ...]:
        """Mean, variance and log density; the case's residual variance, that without its own scale, and degrees."""
        marginal, field = self.chain.marginal, self.chain.field
        marginal.scales[:] = state.scales
        terms = gp_leave_one_out(marginal.covariance(state.t, output), marginal.targets[:, output])
        group_of = self.chain.prior.group_of
        scale = 1.0 / state.precisions[group_of]
        if field is not None:
            scale = scale * np.exp(field.values(state.t_spread, state.z))
        return (
            terms.mean,
            terms.variance,
            terms.log_density,
            marginal.noise(state.t, output),
            scale,
            state.degrees[group_of],
        )

    def given_values(self) -> np.ndarray:
        """log p(y_i | h_i, draw), [M, N], given the latent values drawn, scales of t residuals integrated out."""
        group_of, unit, field = (
            self.chain.prior.group_of,
            self.scaling.target_unit,
            self.chain.field,
        )
        rows = []
        for state in self.states:
            scale = 1.0 / state.precisions[group_of]
            if field is not None:
                scale = scale * np.exp(field.values(state.t_spread, state.z))
            degrees = state.degrees[group_of][None, :, None]
            known = DrawnComponents(
                np.zeros((1, *state.residuals.shape)),
                np.sqrt(scale)[None, :, None],
                degrees if np.isfinite(degrees).all() else None,
            )
            rows.append(
                known.log_density(state.residuals)[0] - state.residuals.shape[1] * np.log(unit)
            )
        return np.array(rows)


class ClassDraws:
    """Draws of a classification: of each t [d + 2], the scales of cases [N] and their latent values [N]."""

    def __init__(
        self,
        chain: Classes,
        states: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
        scaling: Scaling,
    ) -> None:
        self.chain, self.states, self.scaling = chain, states, scaling

    def chances(self, inputs: np.ndarray) -> np.ndarray:
        """p(y = 1 | x_j, draw), [M, J], latent values integrated out."""
        standard = self.scaling.inputs(np.asarray(inputs, dtype=float))
        pairs = []
        for t, weights, _ in self.states:
            self._restore(weights)
            pairs.append(self.chain.marginal.conditional(t, standard))
        mean, variance = (np.array(column) for column in zip(*pairs, strict=True))
        return np.clip(logistic_chance(mean, variance), _LEAST_CHANCE, 1.0 - _LEAST_CHANCE)

    def components(self, inputs: np.ndarray) -> DrawnComponents:
        """The logit of the chance of each draw, [M, J]."""
        chance = self.chances(inputs)
        return DrawnComponents(np.log(chance) - np.log1p(-chance))

    def log_density(self, inputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """log p(y_j | x_j, draw), [M, J], of targets 0 or 1."""
        return self.components(inputs).log_density(targets)

    def leave_one_out(self) -> np.ndarray:
        """log p(y_i | x_i, draw, the other cases and their scales), [M, N]: the latent value, Normal given those, and
        the case's own scale integrated out."""
        rows, signs = [], np.sign(self.chain.halves)
        for t, weights, _ in self.states:
            self._restore(weights)
            marginal = self.chain.marginal
            terms = gp_leave_one_out(marginal.covariance(t), marginal.targets[:, 0])
            left = np.maximum(terms.variance - marginal.noise(t), marginal.jitter)
            rows.append(
                np.log(np.maximum(logistic_chance(signs * terms.mean, left), _LEAST_CHANCE))
            )
        return np.array(rows)

    def given_values(self) -> np.ndarray:
        """log p(y_i | h_i), [M, N], given the latent values drawn."""
        return np.array(
            [
                -np.logaddexp(0.0, -np.sign(self.chain.halves) * values)
                for _, _, values in self.states
            ]
        )

    def _restore(self, weights: np.ndarray) -> None:
        self.chain.weights = weights
        self.chain.refresh()


def _squeezed(drawn: DrawnComponents) -> DrawnComponents:
    """Without the axis of outputs where there is one output."""
    if drawn.location.shape[2] > 1:
        return drawn
    parts = (
        None if part is None else part[:, :, 0]
        for part in (drawn.location, drawn.scale, drawn.degrees)
    )
    location, scale, degrees = parts
    assert location is not None
    return DrawnComponents(location, scale, degrees)
