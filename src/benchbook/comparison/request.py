"""A comparison that was asked for, checked as a whole: every fault of data, methods, design and losses at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from benchbook.comparison.candidates import Contender, contenders, form_faults, kind_of
from benchbook.comparison.data import ComparisonData, ask
from benchbook.comparison.fits import setting_faults
from benchbook.comparison.losses import Measure, measures, name_faults
from benchbook.comparison.splits import SplitPlan, lay_out, plan_faults
from benchbook.errors import Fault, FaultyInput

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class CheckedRequest:
    """What is fitted, on what, in which splits, and judged by which losses."""

    data: ComparisonData
    plan: SplitPlan
    contenders: tuple[Contender, ...]
    measures: tuple[Measure, ...]


def prepare(
    methods: Any,
    X: Any,
    y: Any = None,
    *,
    target: Any = None,
    drop: Sequence[Any] = (),
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    kind: str | None = None,
    positive: Any = None,
    unit: str = "",
    design: Any = "auto",
    effort: str = "default",
    sizes: Any = None,
    losses: Any = None,
    predictive: str = "stated",
    smooth: bool = True,
    seed: int = 1,
    **settings: Any,
) -> CheckedRequest:
    """Check all that was asked for.

    Args: see ``ask``, ``contenders``, ``lay_out`` and ``measures``; ``settings`` are those of ``fits.run``.

    Raises:
        FaultyInput: everything that is wrong, together; what can only be seen in the data is left out while these have
            faults of their own.
    """
    faults = setting_faults(**settings)
    kind = kind or _tried(faults, lambda: kind_of(methods))
    data = _tried(
        faults,
        lambda: ask(
            X,
            y,
            target=target,
            drop=drop,
            groups=groups,
            time=time,
            weights=weights,
            kind=kind,
            positive=positive,
            unit=unit,
        ),
    )
    if data is None:
        faults += [*form_faults(methods), *plan_faults(effort, sizes, seed), *name_faults(losses)]
    else:
        plan = _tried(faults, lambda: lay_out(data, design, effort, sizes, seed))
        chosen = _tried(faults, lambda: contenders(methods, data))
        judged = _tried(
            faults, lambda: measures(losses, data, predictive=predictive, smooth=smooth)
        )
        if plan is not None and chosen is not None and judged is not None and not faults:
            return CheckedRequest(data, plan, chosen, judged)
    raise FaultyInput("the comparison", list(dict.fromkeys(faults)), "Nothing was fitted.")


def _tried(faults: list[Fault], make: Callable[[], Made]) -> Made | None:
    """What a function makes; or None, its faults added to those that there are."""
    try:
        return make()
    except FaultyInput as error:
        faults.extend(error.faults)
        return None
