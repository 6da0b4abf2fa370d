"""From losses to a verdict: the smallest difference that matters, and the statistics of the design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.assess.by_design import Verdicts, by_design
from benchbook.assess.remarks import DEPENDENT_ROWS
from benchbook.comparison.candidates import CONSTANT, is_baseline
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.fits import Fits
from benchbook.errors import Fault
from benchbook.words import some

if TYPE_CHECKING:
    from benchbook.comparison.arguments import Rope

DEFAULT_ROPE = "1%"
MEDIAN_IS_NEARER = "models predict means, and the median guess has the smallest absolute error"


def verdicts_of(
    data: ComparisonData,
    fits: Fits,
    rope: Mapping[str, float] | None = None,
    reference: str | None = None,
    left_out: pl.DataFrame | None = None,
    *,
    quick: bool = False,
) -> Verdicts:
    """Means, differences, intervals and verdicts of fits, by what their design allows.

    Args:
        data, fits: the cases, and what was predicted for them. rope: by loss. reference: a method.
        left_out: losses of one test set without groups of its cases; see ``by_design``.
        quick: whether the means of test sets alone are used, and not the losses of cases.
    """
    if quick:
        return by_design(
            None, fits.plan.design, fold_losses=fits.fold_losses, rope=rope, reference=reference
        )
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
        segments=data.segments,
        left_out=left_out,
    )


def with_suspects(verdicts: Verdicts, names: Sequence[str]) -> Verdicts:
    """The verdicts with the columns that the order of rows may stand for, named where neighbouring rows are alike."""
    if not names:
        return verdicts
    text = (
        f" Columns that go with the order of the rows: {some([f'`{name}`' for name in names], 3)}."
    )
    notes = [
        note._replace(text=note.text + text) if note.code == DEPENDENT_ROWS else note
        for note in verdicts.notes
    ]
    return replace(verdicts, notes=notes)


def by_what_models_predict(fits: Fits) -> tuple[Fits, str]:
    """The fits with squared error before absolute error, and why, where by absolute error alone no model is better than
    the constant guess; else as they are, and "".

    Regressors give means. Absolute error asks for the median, and of skewed targets, such as counts, one median for all
    cases can be nearer than the true means are. The rule is ours.
    """
    first = {
        code: part.group_by("method")
        .agg(pl.col("value").mean())
        .sort("value", "method")["method"][0]
        for (code,), part in fits.fold_losses.group_by("loss")
    }
    if first.get("absolute") != CONSTANT or first.get("squared", CONSTANT) == CONSTANT:
        return fits, ""
    ranking = f"ranked by squared error: {MEDIAN_IS_NEARER}"
    return replace(fits, measures=fits.measures[::-1]), ranking


def rope_faults(rope: object) -> list[Fault]:
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


def rope_sizes(rope: Rope, fits: Fits) -> tuple[dict[str, float], str]:
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
    """What a share is a share of, and its name: the loss of the constant guess (of a series the best naive one's), or
    where losses may be negative its lead."""
    rows = [split.test for split in fits.plan.splits]
    means = {
        name: float(
            np.mean([fits.mean_loss(value, test) for value, test in zip(values, rows, strict=True)])
        )
        for name, values in fits.losses_of_folds.get(code, {}).items()
    }
    finite = [mean for mean in means.values() if np.isfinite(mean)]
    known = {name: means[name] for name in means if is_baseline(name) and np.isfinite(means[name])}
    name = min(known, key=lambda each: known[each], default=CONSTANT)
    if known and not fits.orientation[code].higher and min(finite) >= 0.0:
        return known[name], f"the {name}'s loss"
    lead = abs(known[name] - min(finite)) if known else 0.0
    return lead, f"the difference between the {name} and the best"
