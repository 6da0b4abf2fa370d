"""The one way from losses to a verdict: by the design of a comparison, which intervals and tests are valid.

Training sets that overlap make losses of different fits dependent. ``by_design`` takes the losses of held-out cases and
the design they come from, and uses what our simulations found valid for it (``designs``, ``overlapping``): the
corrected t test over folds with a standard error never below the case-wise one, the jackknife, a paired t over the
cases of one test set, or the analysis of variance of disjoint training sets. Where nothing is valid there is a reason
in place of a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from benchbook.assess import decisions
from benchbook.assess.anova.tables import Standard
from benchbook.assess.case_losses import (
    Aligned,
    CaseLosses,
    Compared,
    aligned,
    compare_cases,
    without_tests,
)
from benchbook.assess.checked_losses import (
    averaged_samples,
    by_name,
    checked,
    checked_folds,
    checked_instances,
    split_by_dataset,
)
from benchbook.assess.decisions import Decided, decide
from benchbook.assess.designs import Design
from benchbook.assess.independent import SCHEMES, Analysis, analysis_of, compare_independent
from benchbook.assess.neighbours import rows_depend
from benchbook.assess.published import checked_means, compare_published
from benchbook.assess.remarks import UNEQUAL_SAMPLES, Note
from benchbook.assess.segments import SEGMENTS, TESTS, checked_segments, compare_segments
from benchbook.assess.split_losses import compare_splits
from benchbook.assess.these_datasets import compare_these
from benchbook.errors import UnknownName

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

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
            * p (two-sided), p_holm (Holm's, over all pairs of the loss; over those with a ``reference`` where it is
              given), p_missing_reason;
            * prob_worse, prob_same, prob_better: P(d > rope), P(|d| <= rope), P(d < -rope), d the difference;
            * verdict: best, as good, worse, open, no test; against a ``reference`` that is not the best also better,
              reference, and against any ``reference`` not worse. See ``decisions.verdict``;
            * method_test, df; se_ratio: the standard error that training sets ask for over the case-wise one;
              top_share: of the variance, due to the top 2 % of cases;
            * bound: the rule of three. Where a 0-1 loss was 0 in all cases, the upper bound of its expectation; where
              two methods had the same loss in all cases, that of the share of cases in which they differ.

        pairs: loss, method, other, and the same columns for every pair; ``method`` has the larger mean.
        notes: what a reader has to know, once for each loss.
        level: of the intervals. design: of the comparison.
        analysis: of disjoint training sets the two tables of ``assess.assessment``, with variance components and
            standardised losses; None for other designs.
        segments: where they were given, a row for each loss, method, other (the reference, else the best of all) and
            segment: cases, difference, se_difference, low, high, df, p, p_holm (over all rows of the loss), note,
            p_missing_reason.
        segment_tests: loss, method, other, segments (with a standard error), f, df_1, df_2, p, p_holm (over the methods
            of the loss), p_missing_reason: Welch's F that the difference is the same in all segments.
    """

    table: pl.DataFrame
    pairs: pl.DataFrame
    notes: list[Note]
    level: float = 0.95
    design: Design | None = field(default=None, repr=False)
    analysis: Analysis | None = field(default=None, repr=False)
    segments: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema=SEGMENTS), repr=False
    )
    segment_tests: pl.DataFrame = field(
        default_factory=lambda: pl.DataFrame(schema=TESTS), repr=False
    )

    @cached_property
    def _by_names(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        against = {
            row["loss"]: row["method"]
            for row in self.table.iter_rows(named=True)
            if row["verdict"] in ("best", "reference")
        }
        verdicts = {
            (row["loss"], row["method"]): row["verdict"] for row in self.table.iter_rows(named=True)
        }
        rows = list(self.pairs.iter_rows(named=True))
        found = {}
        for row in (*rows, *map(decisions.opposite, rows)):
            loss, method, other = row["loss"], row["method"], row["other"]
            claim, verdict = None, ""
            if other == against.get(loss):
                verdict = verdicts[loss, method]
            elif method == against.get(loss):  # what the table claims holds either way
                claim = "as good" if verdicts[loss, other] == "as good" else ""
            verdict = verdict or decisions.verdict(row, claim=claim)
            found[loss, method, other] = row | {"verdict": verdict}
        return found

    def pair(self, loss: str, method: str, other: str) -> dict[str, Any]:
        """The row of two methods, as ``method`` minus ``other``, with the verdict on ``method``.

        Raises:
            UnknownName: there is no such pair.
        """
        if (found := self._by_names.get((loss, method, other))) is not None:
            return found
        known = [f"{one} and {two}" for code, one, two in self._by_names if code == loss]
        raise UnknownName("pair of methods", f"{method} and {other}", known)


def by_design(
    losses: pl.DataFrame | None,
    design: Design,
    *,
    fold_losses: pl.DataFrame | None = None,
    left_out: pl.DataFrame | None = None,
    second: pl.DataFrame | None = None,
    scores: Mapping[str, Sequence[tuple[Any, Any]]] | None = None,
    rope: float | Mapping[str, float] | None = None,
    reference: str | None = None,
    level: float = 0.95,
    groups: ArrayLike | None = None,
    segments: NDArray[Any] | None = None,
    labels: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    baseline: str = "constant guess",
    standard: Standard = None,
    common_instances: bool = False,
) -> Verdicts:
    """Compare methods by their losses, as their design allows.

    Args:
        losses: of held-out cases, a line for each method, split, case and loss: method, split (whole number), row (of
            the case in its table, from 0), role ("held_out" in all of them), loss, value; smaller is better. Further,
            if any, weight; sample (several of one case: their mean is taken); dataset (of "these" datasets, among
            which rows are numbered on). A seed is a split, a time or a dataset of a sample a row. Of published means
            method, loss, value, se, and df if known. None when there are only losses of whole test sets.
        design: how training and test cases were chosen.
        fold_losses: a line for each method, split and loss: method, split, loss, value; null where a loss does not
            exist on a split. Used for those losses that ``losses`` does not have, such as scorers and 1 - AUC.
        left_out: of one test set, for those losses: method, loss, left (group of cases, from 0), cases (of it), value:
            the loss of all test cases but those; see ``delete_groups``.
        second: effort "cautious": method, repeat, left, tested, loss, value: the mean loss on fold ``tested`` of the
            fit without folds ``left`` and ``tested``.
        scores: of two classes, by method: for each split (in increasing order) the targets (1 for the positive class,
            0 for the other) and scores of its test cases. With it the loss "auc" (1 - AUC) has DeLong's standard error.
        rope: the smallest difference that matters, in the unit of the loss; one for all or by loss; 0 when left out.
        reference: the method that the others are compared with; the best by each loss when left out.
        level: of the intervals.
        groups: [N] group of each case, for designs whose groups stay together.
        segments: [N] segment of each case, for the tables by segment.
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
    unequal = False
    if losses is not None:
        losses, unequal = averaged_samples(losses)
    context = CaseLosses(design, second, level, groups, labels, targets, baseline, left_out)
    _known_reference(reference, losses, fold_losses)
    given = _Given.checked(losses, fold_losses, scores, context, standard, common_instances)
    names = None if segments is None else checked_segments(segments, given.rows, design)
    decided: list[Decided] = []
    notes: list[Note] = []
    by_segment: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []
    for loss, means, pairs, own_notes in given.compared():
        own = rope.get(loss, 0.0) if isinstance(rope, Mapping) else (rope or 0.0)
        part = decide(loss, means, pairs, float(own), level, reference)
        decided.append(part)
        notes += own_notes
        if unequal:
            notes.append(Note("unequal_samples", loss, UNEQUAL_SAMPLES))
        if names is not None and (cases := given.of_loss(loss)) is not None:
            against = reference or part.table[0]["method"]
            by_segment.append(compare_segments(loss, cases, context, names, against))
    return Verdicts(
        _frame([part.table for part in decided], decisions.TABLE),
        _frame([part.pairs for part in decided], decisions.PAIRS),
        notes,
        level,
        design,
        given.analysis,
        _frame([rows for rows, _ in by_segment], SEGMENTS),
        _frame([tests for _, tests in by_segment], TESTS),
    )


def _frame(parts: Sequence[list[dict[str, Any]]], schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([row for part in parts for row in part], schema=schema)


@dataclass(frozen=True)
class _Given:
    """Losses that were checked: of cases, of whole test sets, or both.

    Attributes:
        context: the design, and what else is known.
        cases, whole: the frames. analysis: of disjoint training sets. scores: of two classes.
        datasets: of "these" datasets, the losses of each.
    """

    context: CaseLosses
    cases: pl.DataFrame | None = None
    whole: pl.DataFrame | None = None
    analysis: Analysis | None = None
    scores: Mapping[str, Sequence[tuple[Any, Any]]] | None = None
    datasets: Mapping[str, _Given] = field(default_factory=dict)

    @classmethod
    def checked(
        cls,
        losses: pl.DataFrame | None,
        fold_losses: pl.DataFrame | None,
        scores: Mapping[str, Sequence[tuple[Any, Any]]] | None,
        context: CaseLosses,
        standard: Standard = None,
        common_instances: bool = False,
    ) -> _Given:
        design, groups = context.design, context.groups
        if design.kind == "these":
            parts = split_by_dataset(losses, fold_losses, design)
            given = {
                name: cls.checked(own, folds, None, replace(context, design=inner))
                for name, (inner, own, folds) in parts.items()
            }
            return cls(context, datasets=given)
        cases = analysis = None
        if losses is not None and design.kind == "published":
            cases = checked_means(losses)
        elif losses is not None and design.kind in SCHEMES:
            cases = checked_instances(losses, design, groups)
            analysis = analysis_of(cases, design, standard, common_instances)
        elif losses is not None:
            cases = checked(losses, design, groups)
        whole = None if fold_losses is None else checked_folds(fold_losses, design, cases)
        return cls(context, cases, whole, analysis, scores)

    @property
    def rows(self) -> int:
        """Rows of the table that the cases are of."""
        cases = self.cases
        if cases is None or "row" not in cases.columns:
            return 0
        return 1 + int(cases["row"].cast(pl.Int64).to_numpy().max())

    def of_loss(self, loss: str) -> pl.DataFrame | None:
        """The losses of cases that segments can be taken from, when there are some."""
        if self.cases is None or self.analysis is not None or "row" not in self.cases.columns:
            return None
        part = self.cases.filter(pl.col("loss") == loss)
        return part if part.height else None

    def compared(self) -> Iterator[Any]:
        """For each loss its name, the means, the pairs and the notes."""
        context, kind = self.context, self.context.design.kind
        if kind == "these":
            yield from self._over_datasets()
        elif self.analysis is not None:
            for loss in self.analysis[0]["loss"].unique(maintain_order=True):
                yield str(loss), *compare_independent(str(loss), self.analysis, context)
        elif self.cases is not None:
            yield from self._of_cases()
        parts = () if self.whole is None else self.whole.group_by("loss", maintain_order=True)
        for (loss,), part in parts:
            found = compare_splits(str(loss), part, self.scores, context)
            yield str(loss), *(without_tests(found, str(loss)) if self._dependent else found)

    def _of_cases(self) -> Iterator[Any]:
        assert self.cases is not None
        if self.context.design.kind == "published":
            for (loss,), part in self.cases.group_by("loss", maintain_order=True):
                yield str(loss), *compare_published(str(loss), part, self.context)
            return
        for name, losses in self._aligned.items():
            found = compare_cases(name, losses, self.context)
            yield name, *(without_tests(found, name) if self._dependent else found)

    @cached_property
    def _aligned(self) -> dict[str, Aligned]:
        if self.cases is None or self.analysis is not None or "row" not in self.cases.columns:
            return {}
        parts = by_name(self.cases, "loss")
        return {loss: aligned(part, self.context) for loss, part in parts.items()}

    @cached_property
    def _dependent(self) -> bool:
        """Whether neighbouring rows are alike, where rows are taken for independent."""
        context = self.context
        losses = [(each.values, each.where) for each in self._aligned.values()]
        kinds = ("folds", "splits", "holdout", "crossed")
        return context.design.kind in kinds and rows_depend(losses, context.targets)

    def _over_datasets(self) -> Iterator[Any]:
        found: dict[str, dict[str, Compared]] = {}
        for name, given in self.datasets.items():
            for loss, *compared in given.compared():
                found.setdefault(loss, {})[name] = tuple(compared)
        statistic = self.context.design.statistic
        for loss, parts in found.items():
            yield loss, *compare_these(loss, parts, statistic, self.context.level)


def _known_reference(
    reference: str | None, cases: pl.DataFrame | None, whole: pl.DataFrame | None
) -> None:
    if reference is None:
        return
    frames = [frame for frame in (cases, whole) if frame is not None and "method" in frame.columns]
    names = {name for frame in frames for name in frame["method"].unique()}
    if reference not in names:
        raise UnknownName("method", reference, names)
