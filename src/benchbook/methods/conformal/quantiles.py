"""Boosted quantiles with their intervals made honest on cases set aside: boosting-conformal-1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method
from benchbook.methods.conformal.methods import LEAST, _marginal, _set_aside
from benchbook.methods.conformal.methods import SplitConformal as Aside
from benchbook.methods.estimators import _held
from benchbook.methods.quantile_trees import LEVELS, Boosting, _boosted
from benchbook.methods.settings import setting
from benchbook.methods.shared.quantile_gaps import dithered, finest, least_gaps, set_apart
from benchbook.methods.shared.threads import one_thread
from benchbook.predictive import Quantiles

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class Conformalised:
    """The constants of boosting-conformal-1: those of boosting-quantiles-1, and how many cases are set aside."""

    aside: int = setting(2000, "the most cases set aside; of few cases a third", least=10)
    boosting: Boosting = Boosting()


@method(
    name="boosting-conformal-1",
    description="boosting-quantiles-1, its intervals widened or narrowed on cases set "
    "aside (conformalised quantile regression)",
    kinds={"real"},
    settings=Conformalised(),
    source="Y. Romano et al., Conformalized Quantile Regression, 2019",
    calls=["benchbook.methods.conformal.quantiles:shifts"],
)
def boosting_conformal_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Conformalised
) -> tuple[Predictive, dict[str, Any]]:
    """SplitConformal conformalised quantile regression for each of six central intervals.

    1. Set a third of the training cases aside, 2,000 at most; boost the 13 quantiles of ``boosting-quantiles-1`` on the
       others.
    2. Move both ends of each central interval outwards, or inwards, by what ``shifts`` finds on the cases set aside.
    3. Sort, and set apart where values are nearer than the target resolves, with the challenge's tails beyond.

    Coverage is promised for each interval if a case asked for is exchangeable with those set aside, and is a little
    more than stated where these are few. With fewer than 30 cases the answer is base-1's.
    """
    targets, queries = instance.train_targets, len(instance.test_inputs)
    if len(targets) < LEAST:
        return _marginal(targets, queries), {"fallback_to_marginal": 1}
    aside = _set_aside(len(targets), Aside(settings.aside), rng)
    spread = dithered(targets, rng)
    inputs = _held(instance.train_inputs[~aside])
    query_inputs = _held(np.vstack([instance.test_inputs, instance.train_inputs[aside]]))
    with one_thread():
        value = np.sort(
            np.column_stack(
                [
                    _boosted(inputs, spread[~aside], query_inputs, level, settings.boosting, rng)
                    for level in LEVELS
                ]
            ),
            axis=1,
        )
    moved = np.sort(value + shifts(value[queries:], targets[aside]), axis=1)
    least = least_gaps(LEVELS, finest(targets), moved[queries:])
    return Quantiles(LEVELS, set_apart(moved[:queries], least)), {"aside": int(aside.sum())}


def shifts(value: np.ndarray, targets: np.ndarray, level: np.ndarray = LEVELS) -> np.ndarray:
    """How far each quantile is moved so that central intervals hold their share of the cases, [K].

    The score of a case is how far it lies outside the interval [l, u], max(l - y, y - u), negative inside. For an
    interval that promises the share c, both ends go outwards by the ceil((n + 1) c)-th smallest of the n scores; by the
    largest where n is too small for that, which promises n/(n + 1) only. A median stays.

    Args:
        value: quantiles of the n cases set aside, in order, [n, K]. targets: theirs, [n].
        level: of the quantiles, symmetric about 1/2, [K].

    Source: Romano, Patterson and Candes (2019), section 4.
    """
    shift = np.zeros(len(level))
    for low in range(len(level) // 2):
        high = len(level) - 1 - low
        score = np.sort(np.maximum(value[:, low] - targets, targets - value[:, high]))
        rank = min(int(np.ceil((len(score) + 1) * (level[high] - level[low]) - 1e-9)), len(score))
        shift[low], shift[high] = -score[rank - 1], score[rank - 1]
    return shift
