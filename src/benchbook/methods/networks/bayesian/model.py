"""The Bayesian neural network: its prior as arrays, draws from it, and the plain twins of its energies."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchbook import kernels
from benchbook.methods.networks.bayesian.priors import Prior
from benchbook.methods.networks.early_stopping import gradient, outputs
from benchbook.methods.settings import setting

if TYPE_CHECKING:
    from benchbook.kernels.hyperparameters import PriorArrays
    from benchbook.kernels.network_force import PartedCases
    from benchbook.kernels.sampling import Chain

GROUPS = ("input-hidden", "hidden bias", "hidden-output", "output bias", "direct")


@dataclass(frozen=True)
class Model:
    """A network of one hidden layer of tanh units with Gaussian noise, and the prior of each group of its weights.

    ``direct`` None means no direct input-output connections. The noise precision has the prior of ``noise``.
    """

    hidden: int = setting(meaning="hidden units", least=1)
    input_hidden: Prior = setting(meaning="prior of the input-hidden weights")
    hidden_bias: Prior = setting(meaning="prior of the hidden units' biases")
    hidden_output: Prior = setting(meaning="prior of the hidden-output weights")
    output_bias: Prior = setting(meaning="prior of the output's bias")
    noise: Prior = setting(meaning="prior of the noise")
    direct: Prior | None = setting(
        None, "prior of the direct input-output weights, None for no such weights"
    )

    def size(self, inputs: int) -> int:
        """Number of weights P for d inputs."""
        return self.hidden * (inputs + 2) + 1 + (inputs if self.direct else 0)

    def groups(self) -> list[Prior]:
        """The priors of the groups, in the order of ``GROUPS``."""
        always = [self.input_hidden, self.hidden_bias, self.hidden_output, self.output_bias]
        return [*always, self.direct] if self.direct else always

    @functools.cache  # noqa: B019 (a model is a small constant; a process has a handful)
    def arrays(self, inputs: int) -> PriorArrays:
        """The prior for d inputs, as the kernels take it.

        The weights of a group that come from one source unit are a set when the group has a source level, and
        all its weights are one set otherwise. The source units of biases are one, always on.
        """
        d, h, groups = inputs, self.hidden, self.groups()
        sources = [d, 1, h, 1, d][: len(groups)]
        source_of = [
            np.tile(np.arange(d), h),
            np.zeros(h, int),
            np.arange(h),
            np.zeros(1, int),
            np.arange(d),
        ]
        set_of: list[np.ndarray] = []
        group_of: list[int] = []
        for index, prior in enumerate(groups):
            own = np.isfinite(prior.source)
            set_of.append(
                len(group_of) + (source_of[index] if own else np.zeros_like(source_of[index]))
            )
            group_of += [index] * (sources[index] if own else 1)
        means = [prior.mean_precision(n) for prior, n in zip(groups, sources, strict=True)]
        return kernels.hyperparameters.PriorArrays(
            np.concatenate(set_of),
            np.array(group_of),
            np.array(means),
            np.array([p.group for p in groups]),
            np.array([p.source for p in groups]),
            np.array([self.noise.mean_precision(1), self.noise.group]),
        )

    def set_names(self, inputs: int) -> list[str]:
        """What each set of weights is: its group, with the number of its source unit where there are several."""
        prior = self.arrays(inputs)
        names: list[str] = []
        several = np.isfinite(prior.lower_shape)
        for index in prior.group_of:
            count = sum(name.startswith(GROUPS[index]) for name in names)
            names.append(f"{GROUPS[index]} {count + 1}" if several[index] else GROUPS[index])
        return names


def draw_chain(model: Model, inputs: int, rng: np.random.Generator) -> Chain:
    """A state from the prior: upper precisions, lower ones about them, weights, noise precision, and momentum."""
    prior = model.arrays(inputs)
    upper = np.array(
        [_precision(w, a, rng) for w, a in zip(prior.upper_mean, prior.upper_shape, strict=True)]
    )
    lower = np.array([_precision(upper[g], prior.lower_shape[g], rng) for g in prior.group_of])
    weights = rng.normal(size=model.size(inputs)) / np.sqrt(lower[prior.set_of])
    noise = np.array([_precision(prior.noise[0], prior.noise[1], rng)])
    return kernels.sampling.Chain(
        weights, rng.normal(size=len(weights)), lower, upper, noise, np.zeros(1)
    )


def _precision(mean: float, shape: float, rng: np.random.Generator) -> float:
    return float(mean) if np.isinf(shape) else rng.gamma(shape / 2, 2 * mean / shape)


def log_joint(model: Model, chain: Chain, cases: PartedCases) -> float:
    """Log density of targets, weights and precisions together, up to a constant that depends on no unknown.

    sum over groups and sets of [log Gamma(t)] + sum_p [log t_p - t_p w_p^2] / 2 + [N log tau - 2 tau E] / 2, with
    log Gamma(t | w, a) = (a/2 - 1) log t + (a/2) log(a / (2 w)) - t a / (2 w). The plain statement that the updates
    of the kernels are tested against.
    """
    prior = model.arrays(cases.inputs.shape[1])
    total = sum(map(_log_gamma, chain.upper, prior.upper_mean, prior.upper_shape))
    total += sum(
        _log_gamma(t, chain.upper[g], prior.lower_shape[g])
        for t, g in zip(chain.lower, prior.group_of, strict=True)
    )
    each = chain.lower[prior.set_of]
    total += 0.5 * float(np.sum(np.log(each) - each * chain.weights**2))
    noise = float(chain.noise[0])
    error = 0.5 * float(
        np.sum((outputs(chain.weights, cases.inputs, model.hidden) - cases.targets) ** 2)
    )
    total += _log_gamma(noise, prior.noise[0], prior.noise[1])
    return total + 0.5 * len(cases.targets) * float(np.log(noise)) - noise * error


def _log_gamma(value: float, mean: float, shape: float) -> float:
    if np.isinf(shape):
        return 0.0
    return float(
        (shape / 2 - 1) * np.log(value)
        + shape / 2 * np.log(shape / (2 * mean))
        - value * shape / (2 * mean)
    )


def potential(model: Model, chain: Chain, cases: PartedCases) -> tuple[float, np.ndarray]:
    """U(w) = tau E(w) + sum_p t_p w_p^2 / 2 and its gradient [P]; the plain twin of ``kernels.network_force``."""
    each = chain.lower[model.arrays(cases.inputs.shape[1]).set_of]
    error, slope = gradient(chain.weights, cases.inputs, cases.targets, model.hidden)
    noise = float(chain.noise[0])
    return noise * error + 0.5 * float(
        np.sum(each * chain.weights**2)
    ), noise * slope + each * chain.weights
