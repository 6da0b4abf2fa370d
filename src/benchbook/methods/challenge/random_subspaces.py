"""Decision trees averaged over random subspaces of the inputs, or over bootstrap samples, after selecting inputs.

The two first places on Gatineau, and the sixth on Catalysis, were such trees (N. Chawla; Evaluating Predictive
Uncertainty Challenge, sections 6 and 7). The chapter gives the ideas: a tree's leaves are poor probabilities, smoothing
them helps a little, averaging many trees helps much, and selecting inputs beforehand is decisive. The constants, the
score by which inputs are selected and the choice of the leaves' size are ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from benchbook.methods.base import FunctionMethod, method
from benchbook.methods.baseline import class_frequencies
from benchbook.methods.estimators import _LARGEST_SEED, _held
from benchbook.methods.settings import setting
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Categorical

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

PIECES = 5  # into which an input is cut for its score
SIGNIFICANCE = 0.05
PRIOR_CASES = 2.0  # the m of the m-estimate


@dataclass(frozen=True)
class Trees:
    """The constants of the averaged trees, all ours."""

    trees: int = setting(100, "trees", least=1)
    trial_trees: int = setting(20, "trees that choose the size of the leaves", least=1)
    leaves: tuple[int, ...] = setting(
        (2, 8, 32, 128), "the fewest cases of a leaf, to choose from", least=1
    )
    least_to_choose: int = setting(
        100, "training cases, below which the first of them is taken", least=3
    )
    selection: bool = setting(True, "whether inputs are selected")


Grow = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]
"""From inputs [N, d] and classes [N] to the weights of the cases [N] and the inputs used, for one tree."""


class Scores(NamedTuple):
    """How much each input says of the class by itself: ``g`` [d], in nats times 2 N, and its p value ``p`` [d]."""

    g: np.ndarray
    p: np.ndarray


def scores(inputs: np.ndarray, targets: np.ndarray, classes: int) -> Scores:
    r"""The G statistic of each input with the class, and the chance of a greater one if they had nothing in common.

    .. math:: G = 2 \sum_{bc} n_{bc} \log \frac{n_{bc} N}{n_b n_c},

    2 N times the information gain of cutting the input at its quintiles into B pieces b (fewer when values are equal),
    against the chi squared distribution of (B - 1)(C' - 1) degrees of freedom, C' the number of classes present. An
    input that is constant has G = 0 and p = 1.

    Args:
        inputs: [N, d]. targets: class indices, [N]. classes: C.
    """
    cases, width = inputs.shape
    per_class = np.bincount(targets, minlength=classes)
    present = max(int(np.count_nonzero(per_class)) - 1, 0)
    g, freedom = np.zeros(width), np.zeros(width)
    for i, cuts in enumerate(
        np.quantile(inputs, np.arange(1, PIECES) / PIECES, axis=0, method="lower").T
    ):
        index = np.searchsorted(np.unique(cuts), inputs[:, i], side="left")
        table = np.bincount(index * classes + targets, minlength=(PIECES * classes)).reshape(
            PIECES, classes
        )
        rows = table.sum(axis=1)
        g[i] = 2 * (
            scipy.special.xlogy(table, table).sum()
            - scipy.special.xlogy(rows, rows).sum()
            - scipy.special.xlogy(per_class, per_class).sum()
            + scipy.special.xlogy(cases, cases)
        )
        freedom[i] = (np.count_nonzero(rows) - 1) * present
    informative = freedom > 0
    p = np.ones(width)
    p[informative] = scipy.special.chdtrc(freedom[informative], np.maximum(g[informative], 0.0))
    return Scores(np.where(informative, np.maximum(g, 0.0), 0.0), p)


def selected(inputs: np.ndarray, targets: np.ndarray, classes: int) -> np.ndarray:
    """The inputs of p below 0.05, in their order; at least the best max(3, sqrt(d)), or all when there are fewer."""
    p = scores(inputs, targets, classes).p
    least = min(len(p), max(3, int(np.ceil(np.sqrt(len(p))))))
    count = max(least, int(np.count_nonzero(p < SIGNIFICANCE)))
    return np.sort(np.argsort(p, kind="stable")[:count])


def smoothed(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """The m-estimate of the probabilities of a leaf, (n_c + m prior_c) / (n + m) with m = 2.

    For two classes and an even prior it is Laplace's (n_c + 1) / (n + 2).

    Args:
        counts: [L, C]. prior: [C].
    """
    return (counts + PRIOR_CASES * prior) / (counts.sum(axis=1, keepdims=True) + PRIOR_CASES)


def bootstrap(
    inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Bagging: as many cases drawn as there are, with replacement, and all inputs."""
    cases, width = inputs.shape
    return np.bincount(rng.integers(cases, size=cases), minlength=cases).astype(
        np.float64
    ), np.arange(width)


def subspace(
    inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Random subspaces: all cases, and half of the inputs, drawn without replacement."""
    cases, width = inputs.shape
    return np.ones(cases), np.sort(rng.permutation(width)[: (width + 1) // 2])


def averaged(
    inputs: np.ndarray,
    targets: np.ndarray,
    queries: np.ndarray,
    classes: int,
    grow: Grow,
    leaf: int,
    trees: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """The mean over trees of the smoothed probabilities of the leaves that the queries fall into.

    Args:
        inputs: [N, d]. targets: class indices, [N]. queries: [J, d]. classes: C.
        grow: what each tree is grown from. leaf: least cases of a leaf. trees: how many.

    Returns:
        Probabilities, [J, C].
    """
    import sklearn.tree

    prior, total = class_frequencies(targets, classes), np.zeros((len(queries), classes))
    single, query_inputs = (np.asarray(_held(part), dtype=np.float32) for part in (inputs, queries))
    for _ in range(trees):
        weight, used = grow(inputs, targets, rng)
        drawn = weight > 0
        tree = sklearn.tree.DecisionTreeClassifier(
            criterion="entropy",
            min_samples_leaf=leaf,
            random_state=int(rng.integers(_LARGEST_SEED)),
        )
        tree.fit(
            np.ascontiguousarray(single[drawn][:, used]),
            targets[drawn],
            weight[drawn],
            check_input=False,
        )
        grown = tree.tree_
        counts = np.zeros((grown.node_count, classes))
        counts[:, tree.classes_] = grown.value[:, 0, :] * grown.weighted_n_node_samples[:, None]
        total += smoothed(counts, prior)[grown.apply(np.ascontiguousarray(query_inputs[:, used]))]
    return total / trees


def averaged_trees(
    instance: TaskInstance, rng: np.random.Generator, settings: Trees, *, grow: Grow
) -> tuple[Predictive, dict[str, Any]]:
    """Averaged trees.

    1. Keep the inputs that say something of the class by themselves (:func:`selected`).
    2. Choose the least size of a leaf, 2, 8, 32 or 128 cases, by the log probability of every third case under 20 trees
       grown on the others, chosen inputs included; 2 when there are fewer than 100 training cases.
    3. Grow 100 trees by information gain, smooth their leaves (:func:`smoothed`), and average.
    """
    targets, classes = np.asarray(instance.train_targets), len(instance.classes)
    with one_thread():
        leaf = _chosen_leaf(instance.train_inputs, targets, classes, grow, settings, rng)
        retained = _kept(instance.train_inputs, targets, classes, settings.selection)
        shares = averaged(
            instance.train_inputs[:, retained],
            targets,
            instance.test_inputs[:, retained],
            classes,
            grow,
            leaf,
            settings.trees,
            rng,
        )
    return Categorical(shares / shares.sum(axis=1, keepdims=True)), {
        "inputs_kept": len(retained),
        "leaf": leaf,
    }


def ensemble(
    name: str, description: str, grow: Grow, settings: Trees | None = None
) -> FunctionMethod:
    """A method of that procedure; ``grow`` is ``bootstrap`` or ``subspace``."""
    return method(
        name=name,
        description=description,
        kinds={"class"},
        settings=settings or Trees(),
        source=f"{CHALLENGE}, section 7, Decision Trees with Feature Selection and Random Subspaces; constants ours",
        calls=["benchbook.methods.challenge.random_subspaces:averaged"],
    )(partial(averaged_trees, grow=grow))


def _kept(inputs: np.ndarray, targets: np.ndarray, classes: int, selection: bool) -> np.ndarray:
    return selected(inputs, targets, classes) if selection else np.arange(inputs.shape[1])


def _chosen_leaf(
    inputs: np.ndarray,
    targets: np.ndarray,
    classes: int,
    grow: Grow,
    settings: Trees,
    rng: np.random.Generator,
) -> int:
    """The size of leaves under which the cases held out have the greatest log probability."""
    cases = len(targets)
    if cases < settings.least_to_choose:
        return settings.leaves[0]
    validation = rng.permutation(cases) % 3 == 0
    retained = _kept(inputs[~validation], targets[~validation], classes, settings.selection)
    losses = []
    for leaf in settings.leaves:
        shares = averaged(
            inputs[~validation][:, retained],
            targets[~validation],
            inputs[validation][:, retained],
            classes,
            grow,
            leaf,
            settings.trial_trees,
            rng,
        )
        losses.append(-np.log(shares[np.arange(len(shares)), targets[validation]]).mean())
    return settings.leaves[int(np.argmin(losses))]


bagged_trees_1 = ensemble(
    "bagged-trees-1",
    "100 trees on bootstrap samples, inputs selected one by one, leaves smoothed; the idea of Gatineau's second "
    "place, the constants ours",
    bootstrap,
)
subspace_trees_1 = ensemble(
    "subspace-trees-1",
    "100 trees on random halves of the inputs, inputs selected one by one, leaves smoothed; the idea of "
    "Gatineau's winner, the constants ours",
    subspace,
)
