"""Designs of a comparison: what overlaps between training sets, and which intervals and tests are valid then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchbook.errors import Fault, FaultyInput

Kind = Literal[
    "folds",
    "splits",
    "holdout",
    "disjoint",
    "common",
    "groups",
    "time",
    "partitions",
    "crossed",
    "seeds",
    "datasets",
    "these",
    "series",
    "published",
]
Runs = Literal["", "own", "shared"]
Effort = Literal["quick", "default", "cautious"]

_MOST_OF_SPLITS = 9
METHODS, MODELS = "the methods at this training size", "these fitted models only"
_ANSWERS = {
    "holdout": MODELS,
    "crossed": "training on these cases with any seed, and any test case",
    "seeds": "training on these cases with any seed, and this test set",
    "datasets": "such datasets",
    "these": "these datasets only",
    "series": "these forecasts, at times like these",
    "published": MODELS,
}
EFFORTS = ("quick", "default", "cautious")
_OVERLAP = {
    "folds": "Any two training sets share most of their cases; test sets of one repeat share none.",
    "groups": "Any two training sets share most of their groups; no group is in a training set and in its test set.",
    "time": "Each training set contains the earlier ones; test sets share no case.",
    "splits": "Training sets share most of their cases, and test sets overlap.",
    "holdout": "There is one training set and one test set.",
    "disjoint": "No case is in two training sets, and no case in two test sets.",
    "common": "No case is in two training sets; all of them share one test set.",
    "partitions": "The partitions take all cases of one dataset in different orders: their training sets overlap.",
    "crossed": "All fits share the training set and the test set; they differ by their seeds.",
    "seeds": "All fits share the training set and the test set, and one loss of each fit is known.",
    "datasets": "Datasets, or families of them, are a sample of such; each counts once.",
    "these": "Datasets share no case; each counts once.",
    "series": "Losses are in the order of time, and each depends on those before it.",
    "published": "Only means and their standard errors are known.",
}
KINDS = tuple(_OVERLAP)
_SETS = {
    "disjoint": "{} disjoint training sets",
    "common": "{} disjoint training sets and one test set",
    "splits": "{} random splits",
    "folds": "{} folds",
    "groups": "{} folds of whole groups",
    "time": "{} blocks of time",
    "partitions": "{} partitions",
    "holdout": "one test set",
}
_RESAMPLED = ("folds", "groups", "time", "splits", "partitions")
_VALID = {
    "corrected t": _RESAMPLED,
    "jackknife": ("folds", "groups"),
    "paired t over cases": ("holdout",),
    "cases by seeds": ("crossed",),
    "t over seeds": ("seeds",),
    "t over datasets": ("datasets",),
    "mean over these datasets": ("these",),
    "series t": ("series",),
    "unpaired z": ("published",),
    "DeLong": ("folds", "holdout"),
    "analysis of variance": ("disjoint", "common"),
}
"""The designs for which a statistic is valid; the first of a design is the one for losses of single cases."""
_WITH_RUNS = ("crossed", "seeds", "published")
_WHY_NOT = {
    "corrected t": "it allows for training sets that overlap, and there is one training set, or none overlap",
    "jackknife": "it needs fits without each pair of folds, which only folds have",
    "paired t over cases": "it leaves out the variability due to training sets",
    "DeLong": "within folds it takes cases for independent, and fits for alike",
    "analysis of variance": "it takes training sets for independent, and here they share cases or there is one",
    "cases by seeds": "it needs the losses of each case by each seed",
    "t over seeds": "it needs fits that differ by their seeds alone",
    "t over datasets": "it takes datasets for a sample of such datasets",
    "mean over these datasets": "it needs datasets that share no case, with a standard error for each",
    "series t": "it needs losses in the order of time",
    "unpaired z": "it leaves out that methods share their test cases",
}
_NEVER = {
    "paired t over folds": "training sets overlap; with repeated folds it finds a difference between equal methods "
    "in a third to two thirds of all datasets",
    "Wilcoxon over folds": "training sets overlap; with repeated folds it is as wrong as the t test",
    "5x2 F": "it finds too many differences between methods that ignore their inputs, the more the larger the dataset",
    "pooled AUC": "scores of different fits are not on one scale; pooling them biases the AUC downwards",
}
"""Statistics that no design here makes valid."""


@dataclass(frozen=True)
class Design:
    """How training and test cases were chosen.

    Attributes:
        kind: one of ``KINDS``. "folds" and "groups" (folds of whole groups) may be repeated; "time" are expanding
            blocks; "splits" random partitions that overlap; "partitions" a few fixed ones of one dataset. Of results
            that were brought along: "crossed" seeds and test cases, "seeds" with one loss each, "datasets" as a sample,
            "these" datasets alone, a "series" in time, "published" means.
        k: folds of a repeat, blocks, splits, partitions, task instances, seeds, datasets, or times.
        repeats: of the k folds; 1 for all other kinds.
        train_size: training cases of a fit, on average.
        test_to_train: n_test / n_train of a fit, on average.
        groups: number of groups, when the cases of a group stay together.
        stratified: whether each fold has its share of every class.
        overlap: what overlaps, in a sentence; filled in when left out.
        answers: what results are about: "the methods at this training size" or "these fitted models only".
        effort: "quick" (one round of folds), "default" (three), "cautious" (one round, and a fit without each pair
            of folds).
        runs: of seeds "own", when each method has its own, or "shared", when run s of all methods has the same seed. Of
            published means "shared", when they are of the same test cases, or "own", of separate ones.
        within: of "these" datasets, the design of each, or one for all.

    Raises:
        FaultyInput: with every field that breaks a rule.
    """

    kind: Kind
    k: int
    repeats: int = 1
    train_size: float = 0.0
    test_to_train: float = 0.0
    groups: int | None = None
    stratified: bool = False
    overlap: str = ""
    answers: str = ""
    effort: Effort = "default"
    runs: Runs = field(default="", repr=False)
    within: Design | Mapping[str, Design] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if faults := self._faults():
            raise FaultyInput("design", faults)
        if not self.overlap:
            object.__setattr__(self, "overlap", _OVERLAP[self.kind])
        if not self.answers:
            object.__setattr__(self, "answers", _ANSWERS.get(self.kind, METHODS))

    def _faults(self) -> list[Fault]:
        resampled = self.kind in _RESAMPLED
        checks = [
            ("kind", self.kind, self.kind in KINDS, f"one of {', '.join(KINDS)}"),
            ("effort", self.effort, self.effort in EFFORTS, f"one of {', '.join(EFFORTS)}"),
            ("k", self.k, self.k >= (2 if resampled else 1), "two or more folds or splits"),
            (
                "repeats",
                self.repeats,
                self.repeats == 1 or (self.repeats > 1 and self.kind in ("folds", "groups")),
                "1; only folds are repeated",
            ),
            (
                "test_to_train",
                self.test_to_train,
                self.test_to_train > 0.0 or not resampled,
                "a positive number: test cases over training cases of a fit",
            ),
            ("groups", self.groups, self.groups is None or self.groups >= 2, "two or more groups"),
            (
                "groups",
                self.groups,
                self.groups is not None or self.kind != "groups",
                "the number of groups",
            ),
            (
                "runs",
                self.runs,
                (self.runs in ("own", "shared")) == (self.kind in _WITH_RUNS),
                "'own' or 'shared' of seeds and of published means, nothing else",
            ),
            (
                "within",
                self.within,
                (self.within is not None) == (self.kind == "these"),
                "the design of each of these datasets, nothing else",
            ),
        ]
        return [Fault(name, repr(value), rule) for name, value, right, rule in checks if not right]

    def in_words(self, count: int) -> str:
        """So many sets of this kind: "8 disjoint training sets"; empty for results that were brought along."""
        words = _SETS.get(self.kind, "").format(count)
        return words.replace("1 disjoint training sets", "1 training set") if count == 1 else words

    @property
    def statistics(self) -> dict[str, str]:
        """Every statistic, and why it is not valid for this design; "" for those that are."""
        reasons = {
            name: "" if self.kind in kinds else _WHY_NOT[name] for name, kinds in _VALID.items()
        }
        return reasons | _NEVER

    @property
    def statistic(self) -> str:
        """The statistic for losses of single cases."""
        if self.kind in _RESAMPLED:
            cautious = self.effort == "cautious" and self.kind != "time"
            return "jackknife" if cautious else "corrected t"
        return next(name for name, kinds in _VALID.items() if self.kind in kinds)

    @property
    def df(self) -> float:
        """Degrees of freedom of the corrected t: k - 1, with groups at most their number less one.

        Of random splits at most nine, as of ten folds: more splits do not make the cases more. With 19 for twenty
        splits of a tenth the test of equal nearest neighbours rejects in 7 % of datasets, with 9 in 5 %.
        """
        most = _MOST_OF_SPLITS if self.kind == "splits" else self.k - 1
        return float(min(self.k - 1, most, (self.groups or self.k) - 1))

    def require(self, statistic: str) -> None:
        """Refuse a statistic that is not valid for this design.

        Raises:
            FaultyInput: it is not valid, with the reason and those that are; or there is none of this name.
        """
        reasons = self.statistics
        reason = reasons.get(statistic, f"there is none of this name; known: {', '.join(reasons)}")
        if reason:
            valid = ", ".join(name for name, why in reasons.items() if not why)
            raise FaultyInput(
                f"statistic for a comparison by {self.kind}",
                [Fault("statistic", repr(statistic), reason)],
                f"{self.overlap} Valid: {valid}.",
            )


def folds_design(
    cases: int,
    k: int,
    repeats: int = 1,
    *,
    groups: int | None = None,
    stratified: bool = False,
    effort: Effort = "default",
) -> Design:
    """The design of k folds of the cases, or of their groups."""
    return Design(
        "folds" if groups is None else "groups",
        k,
        repeats,
        cases * (k - 1) / k,
        1.0 / (k - 1),
        groups,
        stratified,
        effort=effort,
    )
