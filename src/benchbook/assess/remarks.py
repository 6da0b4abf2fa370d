"""Why there is no number, and what a reader has to know of those there are, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import Entries
from benchbook.assess.spread import FEW, RATIO, TOP_SHARE, Spread


class Note(NamedTuple):
    """What a reader has to know of one loss.

    Attributes:
        code: approximate, few_differences, rare_class, models_only, cautious, dependent_rows, few_positives, infinite,
            zero_losses, no_disagreement, rough, by_fold, folds_without.
        loss: its name. text: one or two sentences.
    """

    code: str
    loss: str
    text: str


NO_INTERVAL = "no interval"
ALL_ZERO = f"{NO_INTERVAL}: the loss was 0 in every case; the bound is that of the rule of three"
ALIKE = (
    "both methods have the same loss in every case: no test; the bound is that of the rule of three"
)
DEPENDENT = (
    "neighbouring rows have similar losses: no test until groups or time are given "
    "(shuffle the rows if their order means nothing)"
)
DEPENDENT_MEAN = f"{NO_INTERVAL}: neighbouring rows have similar losses; give groups or time"
UNSTABLE = (
    "training sets differ too much for this test: the interval is for these fitted models only; "
    "folds with effort='cautious' have a test that allows for it"
)
NO_VARIATION = "the difference does not vary: the statistic would divide by zero"
SERIES = (
    f"{NO_INTERVAL}: losses of neighbouring times are correlated, and no interval covers as it says"
)
ONE_SET = "a loss of the whole test set: no standard error from one test set"
APPROXIMATE = "approximate"
_FEW_CASES, _FEW_GROUPS, RARE = 50, 30, 0.1
_ADVICE = {"squared": "use absolute loss", "S": "use absolute loss", "log": "use the Brier score"}


def unstable(spread: Spread, design: Design) -> bool:
    """Whether training sets differ so much that the corrected t is too narrow for the methods.

    In blocks of time the case-wise standard error, with which it is compared, is the one that is too small.
    """
    return design.kind != "time" and spread.statistic == "corrected t" and spread.ratio > RATIO


def of_mean(spread: Spread, where: Entries, design: Design, rarest: float = 1.0) -> str:
    """What to know of the interval of a mean; "" when it can be taken as it is.

    Args:
        spread: of the mean. where: the entries. design: how they came about.
        rarest: the share of the rarest class of the target; 1 for a number.
    """
    if design.kind == "time":
        return SERIES
    if spread.dependent:
        return DEPENDENT_MEAN
    if not spread.error > 0.0:
        return f"{NO_INTERVAL}: the losses do not vary, or there is one case"
    if where.grouped and where.units < _FEW_GROUPS:
        return f"{APPROXIMATE}: {where.units} groups"
    if where.units < _FEW_CASES:
        return f"{APPROXIMATE}: {where.units} cases"
    return of_difference(spread, where, design, rarest)


def of_difference(spread: Spread, where: Entries, design: Design, rarest: float = 1.0) -> str:
    """What to know of the interval of a difference that has one; "" when it can be taken as it is.

    The arguments are those of ``of_mean``.
    """
    if unstable(spread, design):
        return "for these fitted models only: training sets differ too much"
    if rarest < RARE and spread.statistic == "corrected t":
        return f"for these fitted models only: the rarest class has {100.0 * rarest:.1f} % of the cases"
    if spread.top > TOP_SHARE:
        return f"{APPROXIMATE}: 2 % of the cases make {100.0 * spread.top:.0f} % of the variance"
    if spread.few:
        return f"{APPROXIMATE}: fewer than {FEW} cases differ"
    return "rough: a few blocks of time" if design.kind == "time" else ""


def of_cases(
    loss: str,
    means: Sequence[MethodMean],
    pairs: Sequence[PairTest],
    where: Entries,
    design: Design,
    rarest: float = 1.0,
) -> list[Note]:
    """The notes of one loss."""
    notes = [
        _of_share(loss, means, pairs),
        _of_few(loss, pairs, where),
        _of_ratio(loss, pairs, design),
        _of_rare(loss, design, rarest),
        _listed(
            "dependent_rows", loss, [pair for pair in pairs if pair.reason == DEPENDENT], DEPENDENT
        ),
        _listed("no_disagreement", loss, [pair for pair in pairs if pair.reason == ALIKE], ALIKE),
    ]
    if design.kind == "time":
        text = "Tests on a few blocks of time are rough: blocks differ, and what holds for them may not hold later."
        notes.append(Note("rough", loss, text))
    for mean in means:
        if mean.note == ALL_ZERO:
            text = (
                f"{mean.method} had no loss in any of {where.units} {_units(where)}; "
                f"up to {mean.bound:.2g} is possible."
            )
            notes.append(Note("zero_losses", loss, text))
        elif "infinite" in mean.note:
            notes.append(Note("infinite", loss, f"{mean.method}: {mean.note}."))
    return [note for note in notes if note is not None]


def _units(where: Entries) -> str:
    return "groups" if where.grouped else "cases"


def _of_share(loss: str, means: Sequence[MethodMean], pairs: Sequence[PairTest]) -> Note | None:
    quantities = [*(mean.spread for mean in means), *(pair.spread for pair in pairs)]
    largest = max(
        (quantity.top for quantity in quantities if quantity.top == quantity.top), default=0.0
    )
    if largest <= TOP_SHARE:
        return None
    advice = _ADVICE.get(loss, "a loss that is bounded depends less on them")
    text = f"2 % of the cases make up to {100.0 * largest:.0f} % of the variance: intervals are approximate; {advice}."
    return Note("approximate", loss, text)


def _of_few(loss: str, pairs: Sequence[PairTest], where: Entries) -> Note | None:
    few = [pair for pair in pairs if pair.spread.few]
    if not few:
        return None
    text = (
        f"Fewer than {FEW} of {where.units} cases differ between some methods "
        f"({_names(few)}): their tests are approximate."
    )
    return Note("few_differences", loss, text)


def _of_ratio(loss: str, pairs: Sequence[PairTest], design: Design) -> Note | None:
    wide = [pair for pair in pairs if pair.spread.ratio > RATIO and design.kind != "time"]
    if not wide:
        return None
    largest = max(item.spread.ratio for item in wide)
    if design.statistic == "jackknife":
        text = (
            f"Training sets make the standard error up to {largest:.1f} times the case-wise one "
            f"({_names(wide)}): take intervals as those for these fitted models only."
        )
        return Note("models_only", loss, text)
    text = (
        f"Training sets make the standard error up to {largest:.1f} times the case-wise one "
        f"({_names(wide)}): interval for these fitted models only, and no p-value. "
        "Folds with effort='cautious' have a test that allows for it."
    )
    return Note("cautious", loss, text)


def _of_rare(loss: str, design: Design, rarest: float) -> Note | None:
    if rarest >= RARE or design.statistic != "corrected t":
        return None
    text = (
        f"The rarest class has {100.0 * rarest:.1f} % of the cases: training sets with few of them differ much, and "
        "intervals are for these fitted models only. Folds with effort='cautious' have a test that allows for it."
    )
    return Note("rare_class", loss, text)


def _listed(code: str, loss: str, pairs: Sequence[PairTest], text: str) -> Note | None:
    return Note(code, loss, f"{_names(pairs)}: {text}.") if pairs else None


def _names(pairs: Sequence[PairTest]) -> str:
    shown = ", ".join(f"{pair.method} and {pair.other}" for pair in pairs[:3])
    return shown + (f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else "")
