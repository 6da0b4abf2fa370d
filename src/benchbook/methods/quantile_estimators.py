"""Estimators fitted one for each quantile as a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.errors import Fault, FaultyInput
from benchbook.methods.base import refuse_faulty
from benchbook.methods.estimators import _fitted, _held
from benchbook.methods.shared.quantile_gaps import finest, set_apart
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.stated import guess
from benchbook.predictive import Quantiles

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True, eq=False)
class QuantileMethod:
    """A method made by ``from_quantiles``: every estimator is fitted to the same cases and says one quantile."""

    name: str
    description: str
    levels: tuple[float, ...]
    makers: tuple[Callable[[], Any], ...] = field(repr=False)
    source: str = (
        "the estimators' own; crossings are undone by sorting, and equal quantiles set apart (ours)"
    )
    calls: tuple[str, ...] = ("benchbook.methods.shared.quantile_gaps:set_apart",)

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset({"real"})

    def predict(
        self, instance: TaskInstance, rng: np.random.Generator
    ) -> tuple[Predictive, dict[str, Any]]:
        targets, queries = instance.train_targets, _held(instance.test_inputs)
        with one_thread():
            predicted = [
                guess(_fitted(make, instance.train_inputs, targets, rng), queries)
                for make in self.makers
            ]
        value, level = np.column_stack(predicted), np.array(self.levels)
        crossed = int(np.count_nonzero((np.diff(value, axis=1) < 0).any(axis=1)))
        return Quantiles(level, set_apart(value, np.diff(level) * finest(targets))), {
            "crossed_cases": crossed
        }


def from_quantiles(
    name: str, estimators: Mapping[float, Any], description: str = ""
) -> QuantileMethod:
    """A method from regressors of quantiles, such as ``{q: QuantileRegressor(quantile=q) for q in (0.1, 0.5, 0.9)}``.

    Each is cloned, seeded and fitted as in ``from_estimator``, and its prediction is the quantile at its level. They
    are fitted apart and may cross: the quantiles of a case are sorted, and those that coincide are set apart by what
    the targets resolve (``methods.shared.quantile_gaps``). The number of cases in which some crossed is a diagnostic,
    ``crossed_cases``. What comes back is ``Quantiles``, with its exponential tails.

    Args:
        name: the method's name.
        estimators: by level, at least two; levels are strictly between 0 and 1.
        description: one sentence; the levels when left out.

    Raises:
        FaultyInput: too few levels, levels outside, what is no estimator; all of them.
    """
    import sklearn.base

    faults = [Fault("levels", str(len(estimators)), "at least two")] if len(estimators) < 2 else []
    for level, est in estimators.items():
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
            faults.append(
                Fault(f"level {level!r}", "a key", "must be a number strictly between 0 and 1")
            )
        if isinstance(est, type) or not hasattr(est, "fit") or not hasattr(est, "get_params"):
            faults.append(
                Fault(f"level {level!r}", repr(est), "must be a scikit-learn estimator object")
            )
    if faults:
        raise FaultyInput(f"method {name}", faults)
    levels = tuple(sorted(map(float, estimators)))
    predicted = (
        description
        or f"one estimator for each of the quantiles {', '.join(f'{level:g}' for level in levels)}"
    )
    made = QuantileMethod(
        name,
        predicted,
        levels,
        tuple(
            partial(sklearn.base.clone, sklearn.base.clone(estimators[level])) for level in levels
        ),
    )
    refuse_faulty(made)
    return made
