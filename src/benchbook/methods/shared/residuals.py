"""The residual models of the report: Normal, Student's t, and either with a spread that depends on the inputs.

Vehtari and Lampinen, 2001, section 3.3. Their t has an unknown number of degrees of freedom; their input-dependent
models give the residual parameters a dependence on three inputs that say whether an additive is used, with a common
hyperprior. We read that as a precision (and degrees of freedom) for each combination of the indicators, the precisions
about a common one: ``Groups``. Where no such inputs are named, the logarithm of the variance is a function of all
inputs; that is ours. The values of the priors are not in the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from benchbook import kernels
from benchbook.errors import Fault, FaultyInput
from benchbook.methods.networks.bayesian.priors import Prior

if TYPE_CHECKING:
    from benchbook.kernels.residuals import ResidualPrior, Residuals

GRID = 2.25 * 2.0 ** (np.arange(21) / 4)
"""Degrees of freedom a t residual may have, 2.25 to 72, each as likely as any other: above 2, so that predictions have
a variance, and up to where t is all but Normal; in equal steps of the logarithm. Ours."""

NOISE = Prior(0.05, 0.5, 2.0)
"""Prior of the residual precision: standard deviation about 0.05 of the unit of the encoded target, very vague; 2 is
the shape of groups about their common precision. 0.05:0.5 is that of the authors' MCMCstuff demonstrations, the 2
ours."""


@dataclass(frozen=True)
class Groups:
    """Which residual group a case belongs to: the combination of the chosen inputs that are above a threshold.

    columns: the inputs, C of them; thresholds: [C]. An indicator is on where its input is above its threshold; the
    group is the number with these binary digits, the first the lowest. 2^C groups, those without cases too.
    """

    columns: tuple[int, ...]
    thresholds: tuple[float, ...]

    @classmethod
    def used_or_not(cls, inputs: np.ndarray, columns: tuple[int, ...]) -> Groups:
        """Indicators of "more than the least that any training case has", for inputs [N, d].

        Of a zero/one input it is the input itself, of an amount that is 0 in some cases whether any is there.

        Raises:
            FaultyInput: a column that there is not, or is named twice, or more than 8 of them.
        """
        d = inputs.shape[1]
        faults = [
            Fault("spread", repr(c), f"must be a column of the inputs, 0..{d - 1}, named once")
            for c in columns
            if not 0 <= c < d or columns.count(c) > 1
        ]
        if len(columns) > 8:
            faults.append(
                Fault(
                    "spread", f"{len(columns)} columns", "must be at most 8, which make 256 groups"
                )
            )
        if faults:
            raise FaultyInput("residual model", faults)
        return cls(columns, tuple(float(inputs[:, c].min()) for c in columns))

    @property
    def count(self) -> int:
        """K, the number of groups."""
        return 2 ** len(self.columns)

    def of(self, inputs: np.ndarray) -> np.ndarray:
        """The group [J] of each case of inputs [J, d]."""
        on = inputs[:, list(self.columns)] > np.array(self.thresholds)
        return (on @ (1 << np.arange(len(self.columns)))).astype(np.int64)


ONE_GROUP = Groups((), ())


def prior_arrays(
    groups: Groups, inputs: np.ndarray, tails: bool, noise: Prior = NOISE
) -> ResidualPrior:
    """The residual model of N cases, inputs [N, d], as the kernels take it; ``tails`` for Student's t."""
    grid = GRID if tails else GRID[:0]
    precision = np.array([noise.mean_precision(1), noise.group, noise.source])
    return kernels.residuals.ResidualPrior(precision, groups.of(inputs), grid, t_constants(grid))


def t_constants(degrees: np.ndarray) -> np.ndarray:
    """log Gamma((n + 1)/2) - log Gamma(n/2) - log(n)/2 of each number of degrees of freedom."""
    return (
        scipy.special.gammaln(0.5 * (degrees + 1))
        - scipy.special.gammaln(0.5 * degrees)
        - 0.5 * np.log(degrees)
    )


def start(groups: Groups, cases: int, tails: bool, sd: float) -> Residuals:
    """A state with all residual standard deviations ``sd``, all scales 1, and degrees in the middle of the grid."""
    middle = len(GRID) // 2 if tails else 0
    item = np.ones(1)
    return kernels.residuals.Residuals(
        np.full(groups.count, sd**-2.0),
        sd**-2.0 * item,
        np.full(groups.count, middle),
        np.ones(cases),
    )


def draw(prior: ResidualPrior, groups: int, rng: np.random.Generator) -> Residuals:
    """A state from the prior, the scales of the N cases too."""
    mean, above, below = prior.precision
    common = _gamma(mean, above, rng) if groups > 1 else mean
    shape = below if groups > 1 else above
    precisions = np.array([_gamma(common, shape, rng) for _ in range(groups)])
    degrees = rng.integers(0, max(len(prior.grid), 1), groups)
    scales = np.ones(len(prior.group_of))
    if len(prior.grid):
        half = 0.5 * prior.grid[degrees][prior.group_of]
        scales = rng.standard_gamma(half) / half
    return kernels.residuals.Residuals(precisions, np.array([common]), degrees, scales)


def _gamma(mean: float, shape: float, rng: np.random.Generator) -> float:
    return float(mean) if np.isinf(shape) else float(rng.gamma(shape / 2, 2 * mean / shape))


def log_joint(squares: np.ndarray, outputs: int, model: Residuals, prior: ResidualPrior) -> float:
    """Log density of residuals, scales and precisions together, up to a constant that depends on no unknown.

    The plain statement that the kernels are tested against. ``squares`` [N] as there; each case adds
    O log(scale precision) / 2 - scale precision square / 2, and the Gamma log density of its scale.
    """
    mean, above, below = prior.precision
    several = len(model.precisions) > 1
    common, shape = (float(model.common[0]), below) if several else (mean, above)
    total = float(
        np.sum(scipy.stats.gamma.logpdf(model.precisions, shape / 2, scale=2 * common / shape))
    )
    if several:
        total += float(scipy.stats.gamma.logpdf(common, above / 2, scale=2 * mean / above))
    each = model.scales * model.precisions[prior.group_of]
    total += 0.5 * float(outputs * np.sum(np.log(each)) - each @ squares)
    if len(prior.grid):
        half = 0.5 * prior.grid[model.degrees][prior.group_of]
        total += float(np.sum(scipy.stats.gamma.logpdf(model.scales, half, scale=1 / half)))
    return total
