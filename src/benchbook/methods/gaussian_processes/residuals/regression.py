"""One chain for Gaussian process regression with any of the four residual models, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchbook import kernels
from benchbook.errors import Fault, FaultyInput
from benchbook.methods.gaussian_processes.residuals.covariance import Marginal
from benchbook.methods.gaussian_processes.residuals.field import Field
from benchbook.methods.gaussian_processes.residuals.moves import Mover, slice_from_zero
from benchbook.methods.gaussian_processes.residuals.priors import (
    REGRESSION,
    SPREAD,
    CovariancePrior,
    InverseGamma,
)
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.settings import setting
from benchbook.methods.shared.posterior import REAL_KINDS
from benchbook.methods.shared.residuals import ONE_GROUP, Groups, prior_arrays, start

_ALONE = 2  # slices of the spread with latent values integrated out, a sweep: each takes several factorisations


@dataclass(frozen=True)
class Priors:
    """Priors of a regression: ``process`` of the covariance, its ``noise`` the residual variance (with several groups
    their common one, each about it with the shape ``groups``); ``spread`` of the process that the logarithm of the
    residual variance is, where it depends on all inputs."""

    process: CovariancePrior = REGRESSION
    spread: CovariancePrior = SPREAD
    groups: float = setting(
        2.0, "shape of the groups' residual variances about their common one", above=0
    )

    @property
    def noise(self) -> InverseGamma:
        """Of the residual variance.

        Raises:
            FaultyInput: there is none.
        """
        if self.process.noise is None:
            raise FaultyInput(
                "priors",
                [Fault("process", "no prior of the residual variance", "a regression has one")],
            )
        return self.process.noise


@dataclass(frozen=True)
class ProcessModel:
    """A residual model of one of the ``REAL_KINDS``, and its priors.

    ``groups``: of cases, by indicators among the inputs, for the report's input-dependent models. Without any, "in" and
    "it" have a residual variance whose logarithm is a Gaussian process of all inputs.
    """

    kind: str
    groups: Groups = ONE_GROUP
    priors: Priors = field(default_factory=Priors)

    def __post_init__(self) -> None:
        if self.kind not in REAL_KINDS:
            raise FaultyInput(
                "residual model", [Fault("kind", repr(self.kind), f"must be one of {REAL_KINDS}")]
            )
        if self.groups.columns and self.kind in ("n", "t"):
            rule = "residuals that do not depend on inputs take no columns; use kind 'in' or 'it'"
            raise FaultyInput("residual model", [Fault("spread", repr(self.groups.columns), rule)])

    @property
    def tails(self) -> bool:
        """Whether residuals are Student's t."""
        return self.kind in ("t", "it")

    @property
    def smooth(self) -> bool:
        """Whether the logarithm of the residual variance is a process of the inputs."""
        return self.kind in ("in", "it") and not self.groups.columns


class Regression:
    """The unknowns of a regression and the updates that leave their posterior as it is.

    t [d + 3] as in ``Marginal``; ``found``: precisions, degrees and scales (``kernels.residuals``), the common
    precision exp(-t_last); t_spread [d + 2] and z [N + 1] of the logarithms of residual variances, ``logs`` [N];
    residuals [N, O], the targets less the latent values, of the last ``draw_residuals``.
    """

    def __init__(
        self,
        model: ProcessModel,
        inputs: np.ndarray,
        targets: np.ndarray,
        jitter: float | None = None,
    ) -> None:
        """Take inputs [N, d] and targets [N, O], of mean 0 and standard deviation 1; begin at the medians.

        Raises:
            FaultyInput: several outputs and residuals other than Normal ones with one variance.
        """
        if targets.shape[1] > 1 and model.kind != "n":
            fault = Fault(
                "targets",
                f"{targets.shape[1]} outputs",
                "kind 'n' alone takes outputs of shared parameters",
            )
            raise FaultyInput("residual model", [fault])
        self.model, priors = model, model.priors
        more = {} if jitter is None else {"jitter": jitter}
        self.marginal = Marginal(inputs, targets, priors.process, **more)
        noise = Prior(priors.noise.scale, priors.noise.shape, priors.groups)
        # Group numbers come from inputs before they are standardised: ``group`` sets them.
        self.prior = prior_arrays(ONE_GROUP, inputs, model.tails, noise)
        n, d = inputs.shape
        self.t = np.log(np.append(np.full(d + 1, 0.5 / max(d, 1)), [1.0, 0.1]))
        self.found = start(model.groups, n, model.tails, float(np.exp(-0.5 * self.t[-1])))
        self.field = Field(inputs, priors.spread) if model.smooth else None
        self.t_spread, self.z, self.logs = priors.spread.mean(d), np.zeros(n + 1), np.zeros(n)
        self.residuals = np.zeros_like(targets)
        self.refresh()

    def group(self, group_of: np.ndarray) -> None:
        """Say which residual group [N] each case belongs to."""
        self.prior = self.prior._replace(group_of=group_of)
        self.refresh()

    def begin(self, t: np.ndarray) -> None:
        """Go to parameters t [d + 3], all precisions at that of t."""
        self.t = t.copy()
        self.found.precisions[:] = self.found.common[:] = np.exp(-t[-1])
        self.refresh()

    def refresh(self) -> None:
        """Bring the relative residual variances of ``marginal`` up to date: those of the cases over sigma^2."""
        group_of = self.prior.group_of
        ratio = self._common() / (self.found.scales * self.found.precisions[group_of])
        self.marginal.scales[:] = (np.exp(self.logs) * ratio)[:, None]

    def _common(self) -> float:
        """The precision that is 1 / sigma^2: of the one group, or the common one of several."""
        return float(
            (self.found.common if len(self.found.precisions) > 1 else self.found.precisions)[0]
        )

    def move_covariances(self, mover: Mover, rng: np.random.Generator) -> None:
        """Covariance parameters and sigma^2 given the relative residual variances, latent values integrated out."""
        before = self._common()
        self.t = mover(self.marginal.energy, self.t, rng)
        after = float(np.exp(-self.t[-1]))
        self.found.precisions[:] *= after / before
        self.found.common[0] = after if len(self.found.precisions) > 1 else self.found.common[0]

    def draw_residuals(self, rng: np.random.Generator) -> None:
        """Latent values, and so residuals, given all else."""
        self.residuals = self.marginal.targets - self.marginal.draw_values(self.t, rng)

    def slice_spread_alone(self, times: int, rng: np.random.Generator) -> None:
        """The logarithms of residual variances given scales and parameters, latent values integrated out."""
        if self.field is not None:
            evidence, level = (
                self.marginal.evidence_of_noise(self.t),
                np.exp(self.t[-1]) / self.found.scales,
            )
            self.z = self.field.slice(
                self.t_spread,
                self.z,
                lambda logs: (evidence(level * np.exp(logs)), logs),
                times,
                rng,
            )
            self.logs = self.field.values(self.t_spread, self.z)
            self.refresh()

    def slice_spread(self, times: int, rng: np.random.Generator) -> None:
        """The logarithms of residual variances given residuals and their parameters, scales of t integrated out.

        The scales must be drawn anew before anything that depends on them: ``redraw_scales``.
        """
        if self.field is not None:
            others = rng.normal(size=(times, len(self.z)))
            across = np.ascontiguousarray(self.field.values(self.t_spread, others))
            z, squares = self.z.copy(), self.found.precisions[0] * np.sum(self.residuals**2, axis=1)
            kernels.elliptical.slices(
                self.logs,
                z,
                across,
                others,
                squares,
                self.residuals.shape[1],
                self.degrees()[0],
                rng,
            )
            self.z, self.logs = z, self.field.values(self.t_spread, z)

    def move_spread(self, mover: Mover, rng: np.random.Generator) -> None:
        """The parameters of those logarithms given the whitened ones, scales of t integrated out, as above."""
        if self.field is not None:
            process, z = self.field, self.z
            self.t_spread = mover(
                lambda t: process.energy(t, z, self.spread_likelihood), self.t_spread, rng
            )
            self.logs = self.field.values(self.t_spread, self.z)

    def shift_spread(self, rng: np.random.Generator) -> None:
        """A constant taken from log sigma^2 and given to those logarithms, which leaves residual variances alone."""
        if self.field is not None:
            z, noise, level = self.z, self.model.priors.noise, self.t[-1]
            item = self.field.whitened(self.t_spread, np.ones(len(self.logs)))
            along, length = float(item @ z), float(item @ item)
            shift = slice_from_zero(
                lambda c: noise.log_density(level - c) - c * (along + 0.5 * c * length), 1.0, rng
            )
            self.z = z + shift * item
            self.logs = self.field.values(self.t_spread, self.z)
            self.t[-1] = level - shift
            self.found.precisions[:] *= np.exp(shift)

    def spread_likelihood(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        """log p(residuals | logarithms of their variances [N]) up to a constant, and its gradient [N]."""
        outputs = self.residuals.shape[1]
        with np.errstate(over="ignore", invalid="ignore"):
            squares = self.found.precisions[0] * np.sum(self.residuals**2, axis=1) * np.exp(-logs)
            if self.model.tails:
                degrees = self.degrees()[0]
                value = -0.5 * float(
                    np.sum(outputs * logs + (degrees + outputs) * np.log1p(squares / degrees))
                )
                return value, 0.5 * ((degrees + outputs) * squares / (degrees + squares) - outputs)
            return -0.5 * float(np.sum(outputs * logs + squares)), 0.5 * (squares - outputs)

    def redraw_scales(self, rng: np.random.Generator) -> None:
        """Scales of the cases given residuals and all else, where the spread has moved without them."""
        if self.model.tails and self.field is not None:
            kernels.residuals.update_scales(self.squares(), self.found, self.prior, rng)

    def update_residuals(self, rng: np.random.Generator) -> None:
        """Gibbs: residual variances given scales and residuals; degrees of freedom, and then scales, given those."""
        kernels.residuals.update_residuals(
            self.squares(), self.residuals.shape[1], self.found, self.prior, rng
        )
        self.t[-1] = -np.log(self._common())
        self.refresh()

    def squares(self) -> np.ndarray:
        """Squared residuals over exp(logs), summed over outputs, [N]."""
        return np.exp(-self.logs) * np.sum(self.residuals**2, axis=1)

    def degrees(self) -> np.ndarray:
        """Degrees of freedom of each group, infinity for Normal residuals, [K]."""
        if not self.model.tails:
            return np.full(len(self.found.precisions), np.inf)
        return self.prior.grid[self.found.degrees]

    def sweep(self, mover: Mover, spread: Mover, slices: int, rng: np.random.Generator) -> None:
        """Each of the updates once, slices of the spread ``slices`` times."""
        self.move_covariances(mover, rng)
        self.slice_spread_alone(_ALONE, rng)
        self.draw_residuals(rng)
        self.slice_spread(slices, rng)
        self.move_spread(spread, rng)
        self.shift_spread(rng)
        self.redraw_scales(rng)
        self.update_residuals(rng)

    def draw_targets(self, rng: np.random.Generator) -> None:
        """Targets given covariance parameters and residual variances, latent values integrated out."""
        for output in range(self.marginal.targets.shape[1]):
            factor = np.linalg.cholesky(self.marginal.covariance(self.t, output))
            self.marginal.targets[:, output] = factor @ rng.normal(size=len(factor))
