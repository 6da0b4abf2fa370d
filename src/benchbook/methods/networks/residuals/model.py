"""The network of the report: its prior as arrays, draws from it, and the plain twins of its energies.

Vehtari and Lampinen, 2001, section 3.1: equations 30 to 32, Gaussian priors on weights, automatic relevance
determination for the inputs.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchbook import kernels
from benchbook.methods.networks.bayesian.priors import Prior

if TYPE_CHECKING:
    from benchbook.kernels.hyperparameters import PriorArrays
    from benchbook.kernels.residual_network import Observed
    from benchbook.kernels.residual_sampling import Walk

_RELEVANCE = Prior(0.05, 0.5, 1.0, True)
_BIAS = Prior(0.05, 0.5)
_OUTWARD = Prior(0.05, 0.5, scaled=True)
_FIXED = Prior(1.0)


@dataclass(frozen=True)
class ResidualNetwork:
    """A network of one hidden layer of tanh units with T outputs, and the prior of each group of its weights.

    ``spread``: one more output, the logarithm of the factor by which the inputs multiply the residual variance.

    The report's prior values are not known. These are of the authors' MCMCstuff demonstrations of the same years (the
    variant with 0.5 and 1 degrees of freedom): 0.05:0.5:1 scaled by the number of inputs, 0.05:0.5, and scaled
    0.05:0.5, and a fixed 1 for the output bias. The two of the spread are ours.

    Attributes:
        hidden: units of the hidden layer.
        outputs: T, targets that are predicted together.
        spread: whether the residual variance depends on the inputs.
        classes: whether the output is the logit of class 1.
        input_hidden: prior of the weights from the inputs, with relevance, as in MCMCstuff's demonstrations.
        hidden_bias: prior of the biases of the hidden units, as in MCMCstuff's demonstrations.
        hidden_output: prior of the weights to the outputs, as in MCMCstuff's demonstrations.
        hidden_spread: prior of the weights from the hidden units to the logarithm of the spread.
        output_bias: standard deviation of the biases of the outputs, fixed, as in MCMCstuff's demonstrations.
        input_spread: prior of the weights from the inputs to the logarithm of the spread, with relevance.
    """

    hidden: int = 8
    outputs: int = 1
    spread: bool = False
    classes: bool = False
    input_hidden: Prior = _RELEVANCE
    hidden_bias: Prior = _BIAS
    hidden_output: Prior = _OUTWARD
    hidden_spread: Prior = _OUTWARD
    output_bias: Prior = _FIXED
    input_spread: Prior = _RELEVANCE

    @property
    def form(self) -> int:
        """The likelihood as the kernels call it."""
        return 1 if self.spread else 2 if self.classes else 0

    def size(self, inputs: int) -> int:
        """Number of weights P for d inputs."""
        own = self.hidden * (inputs + 1 + self.outputs) + self.outputs
        return own + (self.hidden + inputs if self.spread else 0)

    def groups(self, inputs: int) -> list[tuple[str, Prior, np.ndarray, int]]:
        """Of each group in the order of the weights: name, prior, the source unit of each weight, number of sources."""
        d, h = inputs, self.hidden
        units, several = np.arange(h), self.outputs
        made = [
            ("input-hidden", self.input_hidden, np.tile(np.arange(d), h), d),
            ("hidden bias", self.hidden_bias, np.zeros(h, int), 1),
            ("hidden-output", self.hidden_output, np.tile(units, several), h),
            ("hidden-spread", self.hidden_spread, units, h),
            ("output bias", self.output_bias, np.zeros(several, int), 1),
            ("input-spread", self.input_spread, np.arange(d), d),
        ]
        return made if self.spread else [group for group in made if "spread" not in group[0]]

    @functools.cache  # noqa: B019 (a network is a small constant; a process has a handful)
    def arrays(self, inputs: int) -> PriorArrays:
        """The prior of the weights for d inputs, as the kernels take it; its noise is not looked at."""
        set_of: list[np.ndarray] = []
        group_of: list[int] = []
        groups = self.groups(inputs)
        for index, (_, prior, sources, count) in enumerate(groups):
            own = np.isfinite(prior.source)
            set_of.append(len(group_of) + (sources if own else np.zeros_like(sources)))
            group_of += [index] * (count if own else 1)
        means = np.array([prior.mean_precision(count) for _, prior, _, count in groups])
        uppers, lowers = (
            np.array([getattr(prior, level) for _, prior, _, _ in groups])
            for level in ("group", "source")
        )
        return kernels.hyperparameters.PriorArrays(
            np.concatenate(set_of), np.array(group_of), means, uppers, lowers, np.ones(2)
        )

    def observed(self, inputs: np.ndarray, targets: np.ndarray) -> Observed:
        """Training cases [N, d] and [N] or [N, T] as the kernels take them."""
        own = np.array(inputs, dtype=float, order="C")
        wanted = np.array(targets, dtype=float, order="C").reshape(len(own), self.outputs)
        return kernels.residual_network.Observed(
            own, kernels.residual_network.in_blocks(own), wanted, np.array([self.form, self.hidden])
        )


def first_walk(network: ResidualNetwork, inputs: int, sd: float) -> Walk:
    """All weights and momenta 0, all standard deviations that may vary ``sd``."""
    prior = network.arrays(inputs)
    upper = np.where(np.isfinite(prior.upper_shape), sd**-2, prior.upper_mean)
    lower = np.where(np.isfinite(prior.lower_shape[prior.group_of]), sd**-2, upper[prior.group_of])
    size = network.size(inputs)
    return kernels.residual_sampling.Walk(np.zeros(size), np.zeros(size), lower, upper)


def outputs(
    network: ResidualNetwork, weights: np.ndarray, inputs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs f [J, T] and g [J], the logarithm of the factor of the variance (0 without a spread), inputs [J, d]."""
    d, h, several = inputs.shape[1], network.hidden, network.outputs
    sizes = [h * d, h, several * h] + ([h] if network.spread else []) + [several]
    parts = np.split(weights, np.cumsum(sizes))
    units = np.tanh(inputs @ parts[0].reshape(h, d).T + parts[1])
    f = units @ parts[2].reshape(several, h).T + parts[4 if network.spread else 3]
    return f, (units @ parts[3] + inputs @ parts[5] if network.spread else np.zeros(len(inputs)))


def minus_log_likelihood(
    network: ResidualNetwork,
    weights: np.ndarray,
    inputs: np.ndarray,
    targets: np.ndarray,
    precisions: np.ndarray,
) -> float:
    """E for inputs [N, d], targets [N, T] and case precisions [N]: the plain twin of ``kernels.residual_network``."""
    f, g = outputs(network, weights, inputs)
    if network.classes:
        return float(np.sum(np.logaddexp(0.0, f) - targets * f))
    residuals = np.sum((f - targets) ** 2, axis=1)
    return 0.5 * float(np.sum(precisions * np.exp(-g) * residuals + g))


def energy(
    network: ResidualNetwork, walk: Walk, observed: Observed, precisions: np.ndarray
) -> float:
    """E(w) + sum_p t_p w_p^2 / 2, the potential energy, plainly."""
    each = walk.lower[network.arrays(observed.inputs.shape[1]).set_of]
    own = minus_log_likelihood(network, walk.weights, observed.inputs, observed.targets, precisions)
    return own + 0.5 * float(each @ walk.weights**2)
