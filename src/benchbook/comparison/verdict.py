"""From losses to a verdict: the smallest difference that matters, and the statistics of the design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchbook.assess.by_design import Verdicts, by_design
from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.fits import Fits
from benchbook.errors import Fault

DEFAULT_ROPE = "1%"


def verdicts_of(
    data: ComparisonData,
    fits: Fits,
    rope: Mapping[str, float] | None = None,
    reference: str | None = None,
) -> Verdicts:
    """Means, differences, intervals and verdicts of fits, by what their design allows."""
    return by_design(
        fits.losses if fits.losses.height else None,
        fits.plan.design,
        fold_losses=fits.fold_losses,
        second=fits.second if fits.second.height else None,
        scores=fits.scores or None,
        rope=rope,
        reference=reference,
        groups=data.groups,
        labels=data.index,
        targets=data.y,
        baseline=CONSTANT,
    )


def rope_faults(rope: Any) -> list[Fault]:
    values = rope.values() if isinstance(rope, Mapping) else [rope]
    rule = "a number of at least 0 in the unit of the loss, or a share of the constant guess's loss such as '1%'"
    return [Fault("rope", repr(value), rule) for value in values if _rope_size(value) is None]


def _rope_size(value: Any) -> tuple[float, bool] | None:
    """A size and whether it is a share; None when it is none."""
    share = isinstance(value, str) and value.strip().endswith("%")
    try:
        size = float(value.strip()[:-1]) / 100.0 if share else float(value)
    except (TypeError, ValueError):
        return None
    valid = (
        np.isfinite(size)
        and size >= 0.0
        and not isinstance(value, bool | str if not share else bool)
    )
    return (size, share) if valid else None


def rope_sizes(rope: Any, fits: Fits) -> tuple[dict[str, float], str]:
    """The smallest difference that matters by loss, and where it comes from when nobody stated it."""
    sizes, words = {}, ""
    for index, code in enumerate(fits.orientation):
        stated = rope.get(code, DEFAULT_ROPE) if isinstance(rope, Mapping) else rope
        size = _rope_size(stated)
        if size is None or not (size[1] or isinstance(rope, Mapping) or index == 0):
            size = _rope_size(DEFAULT_ROPE)  # a number is in the unit of the first loss
            assert size is not None
        sizes[code], is_share = size
        if is_share:
            scale, what = _scale(code, fits)
            sizes[code] *= scale
            if index == 0:
                words = f"{100.0 * size[0]:.6g} % of {what}"
    return sizes, words


def _scale(code: str, fits: Fits) -> tuple[float, str]:
    """What a share is a share of, and its name: the constant guess's loss, or of losses that may be negative its
    lead."""
    rows = [split.test for split in fits.plan.splits]
    means = {
        name: float(
            np.mean([fits.mean_loss(value, test) for value, test in zip(values, rows, strict=True)])
        )
        for name, values in fits.losses_of_folds.get(code, {}).items()
    }
    finite = [mean for mean in means.values() if np.isfinite(mean)]
    constant = means.get(CONSTANT, np.nan)
    known = bool(np.isfinite(constant))
    if known and fits.orientation[code].sign > 0 and min(finite) >= 0.0:
        return constant, "the constant guess's loss"
    lead = abs(constant - min(finite)) if known else 0.0
    return lead, "the difference between the constant guess and the best"
