"""Conformal methods: conformal-1, intervals of given coverage, and conformal-cpd-1, whole predictive distributions.

The challenge's chapter ends with the wish to see conformal prediction in such a contest (section 8). The ranks are in
``conformal_ranks``, with functions for intervals of any learner, and the learner is in ``conformal_learner``. That the
intervals are reported as central ones, and the ranks chosen, are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method
from benchbook.methods.conformal.learner import Learning, learn
from benchbook.methods.conformal.ranks import cross_ends, distribution, spaced_ranks
from benchbook.methods.settings import setting
from benchbook.methods.shared.quantile_gaps import finest, set_apart
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Gaussian, Quantiles

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

LEAST = 30  # training cases
_SOURCE = f"{CHALLENGE}, section 8, wishes for it; ranks and learner ours"
_LEARN = "benchbook.methods.conformal.learner:learn"


@dataclass(frozen=True)
class SplitConformal:
    """The constants of conformal-cpd-1, all ours."""

    calibration: int = setting(2000, "the most cases set aside; of few cases a third", least=10)
    learning: Learning = Learning()


@dataclass(frozen=True)
class Cross:
    """The constants of conformal-1, all ours."""

    folds: int = setting(10, "folds, between `few` and `many` training cases", least=2)
    other_folds: int = setting(5, "folds with fewer or more cases", least=2)
    few: int = setting(100, "see `folds`", least=0)
    many: int = setting(1000, "see `folds`", least=0)
    most_for_cross: int = setting(
        5000, "training cases above which one split takes the place of the folds", least=30
    )
    intervals: int = setting(19, "the most intervals", least=1)
    split: SplitConformal = SplitConformal()


@method(
    name="conformal-1",
    description="conformal intervals of 19 coverages about kernel ridge regression or a "
    "forest: CV+ up to 5,000 cases, a split beyond",
    kinds={"real"},
    settings=Cross(),
    source=_SOURCE,
    calls=[_LEARN],
)
def conformal_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Cross
) -> tuple[Predictive, dict[str, Any]]:
    """Nested conformal intervals, of the absolute residuals over a predicted scale.

    1. Deal the N training cases into 10 folds (5 when N is below 100 or above 1,000); fit the learner without each, and
       score each case, |y - mu|/sigma, by the learner that has not seen it. With more than 5,000 cases there is one
       fit, without 2,000 of them, or a third if that is less, and these are scored.
    2. For up to 19 coverages j/(n + 1), n the number of scores, the CV+ interval (``conformal_ranks.cross_ends``), of
       which a split is the case of one fold.
    3. Report both ends as quantiles, at the levels (1 - j/(n + 1))/2 and (1 + j/(n + 1))/2; in order, and set apart
       where they are nearer than the target resolves.

    What is guaranteed is the coverage of intervals, not that half of the misses fall on each side. With fewer than 30
    cases the answer is base-1's.
    """
    inputs, targets, queries = instance.train_inputs, instance.train_targets, instance.test_inputs
    if len(targets) < LEAST:
        return _marginal(targets, len(queries)), {"fallback_to_marginal": 1}
    with one_thread():
        fold = _folds(len(targets), settings, rng)
        used = int(fold.max()) + 1
        scores = np.empty(len(targets))
        centre, scale, names = np.empty((len(queries), used)), np.empty((len(queries), used)), []
        for k in range(used):
            out = fold == k
            learner = learn(inputs[~out], targets[~out], rng, settings.split.learning)
            scores[out] = np.abs(targets[out] - learner.centre(inputs[out])) / learner.scale(
                inputs[out]
            )
            centre[:, k], scale[:, k] = learner.centre(queries), learner.scale(queries)
            names.append(learner.name)
    scored = fold >= 0
    ranks = spaced_ranks(int(scored.sum()), settings.intervals)
    ends = cross_ends(centre, scale, scores[scored], fold[scored], ranks)
    share = ranks / (scored.sum() + 1.0)
    level = np.concatenate([(1 - share[::-1]) / 2, (1 + share) / 2])
    value = np.column_stack([ends.low[:, ::-1], ends.high])
    diagnostics = {
        "scores": int(scored.sum()),
        "folds": used,
        "ridges": names.count("kernel ridge"),
    }
    return _quantiles(level, value, targets), diagnostics


@method(
    name="conformal-cpd-1",
    description="split conformal predictive distribution about kernel ridge regression or a forest",
    kinds={"real"},
    settings=SplitConformal(),
    source=_SOURCE,
    calls=[_LEARN],
)
def conformal_cpd_1(
    instance: TaskInstance, rng: np.random.Generator, settings: SplitConformal
) -> tuple[Predictive, dict[str, Any]]:
    """A split conformal predictive distribution, of the residuals, with their signs, over a predicted scale.

    1. Set a third of the training cases aside at random, 2,000 at most; fit the learner to the others.
    2. The quantile at the level j/(n + 1) is mu(x) + sigma(x) r_(j), r_(j) the j-th smallest residual of the n cases
       set aside; for up to 39 levels, evenly spaced, with 8 cases or more from one to the next. In order, and set apart
       where they are nearer than the target resolves, with the challenge's tails beyond.

    With fewer than 30 cases the answer is base-1's.
    """
    inputs, targets, queries = instance.train_inputs, instance.train_targets, instance.test_inputs
    if len(targets) < LEAST:
        return _marginal(targets, len(queries)), {"fallback_to_marginal": 1}
    with one_thread():
        aside = _set_aside(len(targets), settings, rng)
        learner = learn(inputs[~aside], targets[~aside], rng, settings.learning)
        residuals = (targets[aside] - learner.centre(inputs[aside])) / learner.scale(inputs[aside])
        centre, scale = learner.centre(queries), learner.scale(queries)
    level, value = distribution(centre, scale, residuals, spaced_ranks(len(residuals)))
    return _quantiles(level, value, targets), {
        "scores": len(residuals),
        "ridges": int(learner.name == "kernel ridge"),
    }


def _set_aside(cases: int, settings: SplitConformal, rng: np.random.Generator) -> np.ndarray:
    """True for the calibration cases of a split, [N]."""
    return rng.permutation(cases) < min(cases // 3, settings.calibration)


def _folds(cases: int, settings: Cross, rng: np.random.Generator) -> np.ndarray:
    """The fold of each case, [N]; -1 for one that is in none, as when there is only one."""
    if cases > settings.most_for_cross:
        return np.where(_set_aside(cases, settings.split, rng), 0, -1)
    usual = settings.few <= cases <= settings.many
    return rng.permutation(cases) % (settings.folds if usual else settings.other_folds)


def _quantiles(level: np.ndarray, value: np.ndarray, targets: np.ndarray) -> Predictive:
    return Quantiles(level, set_apart(value, np.diff(level) * finest(targets)))


def _marginal(targets: np.ndarray, cases: int) -> Predictive:
    variance = stated_variance(np.var(targets, ddof=1) if len(targets) > 1 else 0.0, targets)
    return Gaussian(np.full(cases, np.mean(targets)), np.full(cases, variance))
