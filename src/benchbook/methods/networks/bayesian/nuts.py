"""The posterior of a Bayesian neural network for a sampler of others: NUTS, the No-U-Turn sampler of NumPyro.

NUTS wants one vector of unknowns without bounds. The hierarchy is written non-centred, as scale times standard normal:

    w_p = z_p exp(-l_s / 2),   l_s = u_g + v_s,   tau = exp(n),

with l_s the logarithm of the precision of the set s of the weight p, u_g that of its group g, and v_s that of a lower
precision relative to the upper one. A level that the prior fixes has no unknown. The vector is (z, v, u, n). Given the
prior, z is standard normal whatever the scales are, so that the funnel of small scales and small weights is gone. What
is left as it is: the posterior does not change when hidden units change place, or all weights of one change sign. Such
copies of one mode predict alike, a chain stays near one of them, and no weight by itself is compared between chains.

This states the density anew, in JAX and from ``model.Model`` alone; the tests hold it against ``model.log_joint``.
Sources: M. D. Hoffman and A. Gelman, The No-U-Turn sampler, 2014; D. Phan, N. Pradhan and M. Jankowiak, Composable
effects for flexible and accelerated probabilistic programming in NumPyro, 2019.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.infer.hmc import hmc

from benchbook.methods.networks.bayesian.constants import NutsSettings
from benchbook.methods.networks.bayesian.model import Model

_LEAST = 64  # cases are filled up to a power of two from here on, so that few shapes are compiled


@dataclass(frozen=True)
class States:
    """What the chains kept: weights [C, n, P], sigma [C, n, S] standard deviations of sets, noise [C, n] that of the
    noise; gradients, number of gradients over all cases, tuning included; diverged, trajectories of states kept that
    diverged; acceptance, the mean over states kept."""

    weights: np.ndarray
    sigma: np.ndarray
    noise: np.ndarray
    gradients: int
    diverged: int
    acceptance: float


@dataclass(frozen=True)
class Coordinates:
    """The vector of unknowns of a model with d inputs: how long it is and what it means."""

    model: Model
    inputs: int

    @property
    def varying(self) -> tuple[np.ndarray, np.ndarray, bool]:
        """Which sets have a v, which groups a u, and whether the noise has an n."""
        prior = self.model.arrays(self.inputs)
        lower = np.isfinite(prior.lower_shape)[prior.group_of]
        return (
            np.flatnonzero(lower),
            np.flatnonzero(np.isfinite(prior.upper_shape)),
            bool(np.isfinite(prior.noise[1])),
        )

    @property
    def size(self) -> int:
        """Length of the vector."""
        lower, upper, noise = self.varying
        return self.model.size(self.inputs) + len(lower) + len(upper) + noise

    def read(self, vector: Any) -> tuple[Any, Any, Any, Any, Any, Any]:
        """z [P], v, u as they stand in the vector; l [S], n, and w [P]."""
        prior, (lower, upper, noise) = self.model.arrays(self.inputs), self.varying
        ends = np.cumsum([self.model.size(self.inputs), len(lower), len(upper)])
        z, v, u = vector[: ends[0]], vector[ends[0] : ends[1]], vector[ends[1] : ends[2]]
        above = jnp.log(prior.upper_mean).at[upper].set(u)
        level = above[prior.group_of].at[lower].add(v)
        n = vector[-1] if noise else jnp.log(prior.noise[0])
        return z, v, u, level, n, z * jnp.exp(-0.5 * level[prior.set_of])


def log_density(at: Coordinates, vector: Any, inputs: Any, targets: Any, there: Any) -> Any:
    """Log posterior density of the vector, up to a constant.

    -z^2 / 2 summed; for each logarithm x of a precision of mean w and shape a / 2, its Gamma density with the Jacobian:
    a x / 2 - a e^x / (2 w), w = 1 for v; and N n / 2 - e^n E(w).

    Args:
        at: Coordinates.
        vector: unknowns [U].
        inputs, targets, there: [M, d], [M] and [M], cases and 1 for each that is there, 0 for one that fills up.
    """
    prior, (lower, upper, noise) = at.model.arrays(at.inputs), at.varying
    z, v, u, _, n, weights = at.read(vector)
    total = -0.5 * jnp.sum(z**2) + _log_gamma(v, 1.0, prior.lower_shape[prior.group_of[lower]])
    total += _log_gamma(u, prior.upper_mean[upper], prior.upper_shape[upper])
    if noise:
        total += _log_gamma(n, prior.noise[0], prior.noise[1])
    residuals = there * (
        network(weights, inputs, at.model.hidden, at.model.direct is not None) - targets
    )
    return total + 0.5 * n * jnp.sum(there) - 0.5 * jnp.exp(n) * jnp.sum(residuals**2)


def _log_gamma(x: Any, mean: Any, shape: Any) -> Any:
    return jnp.sum(0.5 * shape * (x - jnp.exp(x) / mean))


def network(weights: Any, inputs: Any, hidden: int, direct: bool) -> Any:
    """b + sum_j v_j tanh(a_j + sum_i u_ji x_i) (+ sum_i s_i x_i) for the order of weights of ``kernels.mlp``."""
    d = inputs.shape[1]
    first, biases, outer, rest = jnp.split(
        weights, [hidden * d, hidden * (d + 1), hidden * (d + 2)]
    )
    units = jnp.tanh(inputs @ first.reshape(hidden, d).T + biases)
    return units @ outer + rest[0] + (inputs @ rest[1:] if direct else 0.0)


@functools.cache
def _chain(at: Coordinates, settings: NutsSettings) -> Any:
    """A compiled function: start [U], key and cases to states [n, U], steps [w + n], diverged and acceptance [n]."""

    def potential(*cases: Any) -> Any:
        return lambda vector: -log_density(at, vector, *cases)

    begin, move = hmc(potential_fn_gen=potential, algo="NUTS")

    def chain(start: Any, key: Any, cases: Any) -> Any:
        state = begin(
            start,
            settings.warmup,
            target_accept_prob=settings.acceptance,
            max_tree_depth=settings.depth,
            model_args=cases,
            rng_key=key,
        )

        def step(state: Any, _: Any) -> Any:
            state = move(state, cases)
            return state, (state.z, state.num_steps, state.diverging, state.accept_prob)

        return jax.lax.scan(step, state, length=settings.warmup + settings.kept)[1]

    return jax.jit(chain)


def sample(
    model: Model,
    settings: NutsSettings,
    inputs: np.ndarray,
    targets: np.ndarray,
    rng: np.random.Generator,
) -> States:
    """Run the chains, one after the other, on training inputs [N, d] and targets [N], in double precision."""
    at = Coordinates(model, inputs.shape[1])
    count = max(_LEAST, 2 ** int(np.ceil(np.log2(len(targets)))))
    fill = count - len(targets)
    cases = (
        np.pad(inputs, ((0, fill), (0, 0))),
        np.pad(targets, (0, fill)),
        np.arange(count) < len(targets),
    )
    states = []
    with jax.enable_x64(True):
        for _ in range(settings.chains):
            start = rng.normal(size=at.size)
            start[model.size(inputs.shape[1]) + len(at.varying[0]) :] -= 2 * np.log(
                settings.start_sd
            )
            key = jax.random.key(int(rng.integers(2**63)))
            states.append(
                jax.device_get(_chain(at, settings)(start, key, tuple(map(jnp.asarray, cases))))
            )
        vectors = np.array([chain[0][settings.warmup :] for chain in states])
        read = jax.vmap(jax.vmap(lambda vector: at.read(vector)[3:]))
        level, noise, weights = map(np.asarray, read(vectors))
    steps, diverged, accepted = (np.array([chain[k] for chain in states]) for k in (1, 2, 3))
    return States(
        weights,
        np.exp(-0.5 * level),
        np.exp(-0.5 * noise),
        int(steps.sum()),
        int(diverged[:, settings.warmup :].sum()),
        float(accepted[:, settings.warmup :].mean()),
    )
