"""The one way from losses to a verdict: by the design of a comparison, which intervals and tests are valid.

Training sets that overlap make losses of different fits dependent. ``by_design`` takes the losses of held-out cases and
the design they come from, and uses what our simulations found valid for it (``designs``, ``overlapping``): the
corrected t test over folds with a standard error never below the case-wise one, the jackknife, a paired t over the
cases of one test set, or the analysis of variance of disjoint training sets. Where nothing is valid there is a reason
in place of a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from benchbook.assess import decisions
from benchbook.assess.anova.tables import Standard
from benchbook.assess.case_losses import CaseLosses, compare_cases
from benchbook.assess.checked_losses import checked, checked_folds, checked_instances
from benchbook.assess.decisions import Decided, decide
from benchbook.assess.designs import Design
from benchbook.assess.independent import SCHEMES, Analysis, analysis_of, compare_independent
from benchbook.assess.remarks import Note
from benchbook.assess.split_losses import compare_splits
from benchbook.errors import UnknownName

__all__ = ["Note", "Verdicts", "by_design"]


@dataclass(frozen=True)
class Verdicts:
    """What a comparison found.

    Attributes:
        table: a row for each loss and method, by loss (in the order of the input) and mean, the best first:

            * loss, method; mean, se, low, high: the mean loss, its standard error and interval, null where nothing
              valid exists, and then ``mean_note`` says why (it also says where the interval is approximate);
            * difference, se_difference, diff_low, diff_high: to the best (or ``reference``) method, null for that one;
              diff_note: where the interval is approximate or for the fitted models only;
            * p (two-sided), p_holm (Holm's, over all pairs of the loss), p_missing_reason;
            * prob_worse, prob_same, prob_better: P(d > rope), P(|d| <= rope), P(d < -rope), d the difference;
            * verdict: best, as good, worse, likely worse, open, no test; against a ``reference`` that is not the best
              also better, likely better, reference. See ``decisions.verdict``;
            * method_test, df; se_ratio: the standard error that training sets ask for over the case-wise one;
              top_share: of the variance, due to the top 2 % of cases;
            * bound: the rule of three. Where a 0-1 loss was 0 in all cases, the upper bound of its expectation; where
              two methods had the same loss in all cases, that of the share of cases in which they differ.

        pairs: loss, method, other, and the same columns for every pair; ``method`` has the larger mean.
        notes: what a reader has to know, once for each loss.
        level: of the intervals. design: of the comparison.
        analysis: of disjoint training sets the two tables of ``assess.assessment``, with variance components and
            standardised losses; None for other designs.
    """

    table: pl.DataFrame
    pairs: pl.DataFrame
    notes: list[Note]
    level: float = 0.95
    design: Design | None = field(default=None, repr=False)
    analysis: Analysis | None = field(default=None, repr=False)

    def pair(self, loss: str, method: str, other: str) -> dict[str, Any]:
        """The row of two methods, as ``method`` minus ``other``.

        Raises:
            UnknownName: there is no such pair.
        """
        rows = self.pairs.filter(loss=loss).to_dicts()
        for row in rows:
            if (row["method"], row["other"]) == (method, other):
                return row
            if (row["method"], row["other"]) == (other, method):
                return decisions.opposite(row)
        known = [f"{row['method']} and {row['other']}" for row in rows]
        raise UnknownName("pair of methods", f"{method} and {other}", known)


def by_design(
    losses: pl.DataFrame | None,
    design: Design,
    *,
    fold_losses: pl.DataFrame | None = None,
    second: pl.DataFrame | None = None,
    scores: Mapping[str, Sequence[tuple[Any, Any]]] | None = None,
    rope: float | Mapping[str, float] | None = None,
    reference: str | None = None,
    level: float = 0.95,
    groups: Any = None,
    labels: Any = None,
    targets: Any = None,
    baseline: str = "constant guess",
    standard: Standard = None,
    common_instances: bool = False,
) -> Verdicts:
    """Compare methods by their losses, as their design allows.

    Args:
        losses: of held-out cases, a line for each method, split, case and loss: method, split (whole number), row (of
            the case in its table, from 0), role ("held_out" in all of them), loss, value; smaller is better. Further,
            if any, weight. None when there are only losses of whole test sets.
        design: how training and test cases were chosen.
        fold_losses: a line for each method, split and loss: method, split, loss, value; null where a loss does not
            exist on a split. Used for those losses that ``losses`` does not have, such as scorers and 1 - AUC.
        second: effort "cautious": method, repeat, left, tested, loss, value: the mean loss on fold ``tested`` of the
            fit without folds ``left`` and ``tested``.
        scores: of two classes, by method: for each split (in increasing order) the targets (1 for the positive class,
            0 for the other) and scores of its test cases. With it the loss "auc" (1 - AUC) has DeLong's standard error.
        rope: the smallest difference that matters, in the unit of the loss; one for all or by loss; 0 when left out.
        reference: the method that the others are compared with; the best by each loss when left out.
        level: of the intervals.
        groups: [N] group of each case, for designs whose groups stay together.
        labels: [N] names of the cases for messages; their numbers when left out.
        targets: [N] targets, of whole numbers or text for classes: losses in the order of a table that is sorted by
            them are no sign of dependence, and a class with less than a tenth of the cases has a note.
        baseline: the method whose mean loss is the scale of rounding errors, when there is one.
        standard: of disjoint training sets, the standardising constants; see ``assess.assessment``.
        common_instances: of disjoint training sets, use those that all methods have, instead of refusing others.

    Raises:
        FaultyInput: frames without roles or with cases that were not held out, methods without the same cases, losses
            that are NaN or minus infinity, groups that are missing, a standard error that the design does not allow;
            all faults at once.
        UnknownName: no method ``reference``.

    Source: Nadeau and Bengio (2003); the floor, the degrees of freedom and the jackknife are from our simulations.
    """
    independent = design.kind in SCHEMES
    analysis = None
    if losses is None:
        cases = None
    elif independent:
        cases = checked_instances(losses, design, groups)
        analysis = analysis_of(cases, design, standard, common_instances)
    else:
        cases = checked(losses, design, groups)
    whole = None if fold_losses is None else checked_folds(fold_losses, design, cases)
    context = CaseLosses(design, second, level, groups, labels, targets, baseline)
    _known_reference(reference, cases, whole)
    parts: list[Decided] = []
    notes: list[Note] = []
    for loss, means, pairs, remarks in _compared(cases, analysis, whole, scores, context):
        own = rope.get(loss, 0.0) if isinstance(rope, Mapping) else (rope or 0.0)
        parts.append(decide(loss, means, pairs, float(own), level, reference))
        notes += remarks
    table = [row for part in parts for row in part.table]
    rows = [row for part in parts for row in part.pairs]
    return Verdicts(
        pl.DataFrame(table, schema=decisions.TABLE),
        pl.DataFrame(rows, schema=decisions.PAIRS),
        notes,
        level,
        design,
        analysis,
    )


def _compared(
    cases: pl.DataFrame | None,
    analysis: Analysis | None,
    whole: pl.DataFrame | None,
    scores: Mapping[str, Sequence[tuple[Any, Any]]] | None,
    context: CaseLosses,
) -> Iterator[Any]:
    """For each loss its name, the means, the pairs and the notes."""
    if analysis is not None:
        for loss in analysis[0]["loss"].unique(maintain_order=True):
            yield str(loss), *compare_independent(str(loss), analysis, context)
    elif cases is not None:
        for (loss,), part in cases.group_by("loss", maintain_order=True):
            yield str(loss), *compare_cases(str(loss), part, context)
    for (loss,), part in () if whole is None else whole.group_by("loss", maintain_order=True):
        yield str(loss), *compare_splits(str(loss), part, scores, context)


def _known_reference(
    reference: str | None, cases: pl.DataFrame | None, whole: pl.DataFrame | None
) -> None:
    if reference is None:
        return
    frames = [frame for frame in (cases, whole) if frame is not None]
    names = {name for frame in frames for name in frame["method"].unique()}
    if reference not in names:
        raise UnknownName("method", reference, names)
