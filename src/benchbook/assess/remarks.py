"""Why there is no number, and what a reader has to know of those there are, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import Entries, top_count
from benchbook.assess.series import LEAST_TIMES
from benchbook.assess.spread import FEW, RATIO, SKEWNESS, Spread
from benchbook.words import listed


class Note(NamedTuple):
    """What a reader has to know of one loss.

    Attributes:
        code: approximate, few_differences, rare_class, models_only, cautious, dependent_rows, few_positives, infinite,
            zero_losses, no_disagreement, rough, by_fold, folds_without, picked.
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
DEPENDENT_ROWS = "dependent_rows"
DEPENDENT = (
    "neighbouring rows have similar losses. What does their order stand for? "
    "For persons, firms or places give groups, for time give time"
)
DEPENDENT_MEAN = f"{NO_INTERVAL}: neighbouring rows have similar losses; give groups or time"
FACTS = ("zero_losses", "infinite", "no_disagreement", "folds_without")
"""Notes that stay when nothing is tested."""
UNSTABLE = (
    "training sets differ too much for this test: the interval is for these fitted models only; "
    "folds with effort='cautious' have a test that allows for it"
)
NO_VARIATION = "the difference does not vary: the statistic would divide by zero"
SERIES = (
    f"{NO_INTERVAL}: losses of neighbouring times are correlated, and no interval covers as it says"
)
LEAST_CASES, LEAST_DATASETS = 10, 5
"""Cases of one test set, and datasets as a sample, from which there is a test; our choice."""
UNEQUAL_SAMPLES = (
    "Cases have unequal numbers of samples; each case counts once, by the mean of its samples."
)
PAIRING_LOST = (
    "means and standard errors alone: the pairing of cases is lost, and no p-value is valid"
)
ONE_SET = "a loss of the whole test set: no standard error from one test set"
APPROXIMATE = "approximate"
_FEW_CASES, _FEW_GROUPS, _FEW_DATASETS, RARE = 50, 30, 30, 0.1
_LEAST_GAIN = 0.005
_ADVICE = {"log": "use the Brier score"}


def refusal(where: Entries, design: Design) -> str:
    """Why the independent units are too few for a test; "" where they are not, and for folds."""
    if design.kind == "series":
        few = where.units < LEAST_TIMES
        return f"{where.units} times: no valid standard error below {LEAST_TIMES}" if few else ""
    if design.kind == "datasets" and where.units < LEAST_DATASETS:
        name = "families of datasets" if where.grouped else "datasets"
        return f"{where.units} {name} are no sample of {name}: no test below {LEAST_DATASETS}"
    if design.kind not in ("holdout", "crossed", "datasets", "groups"):
        return ""
    if where.grouped:
        return where.clusters.refusal
    few = where.units < LEAST_CASES and design.kind != "datasets"
    return f"{where.units} cases: no test below {LEAST_CASES}" if few else ""


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
    if (design.kind == "series" or where.grouped) and (why := refusal(where, design)):
        return f"{NO_INTERVAL}: {why}"
    if not spread.error > 0.0:
        return f"{NO_INTERVAL}: the losses do not vary, or there is one case"
    if design.kind == "datasets":
        return of_difference(spread, where, design, rarest)
    if where.units < (_FEW_GROUPS if where.grouped else _FEW_CASES):
        return f"{APPROXIMATE}: {where.units} {_units(where)}"
    return of_difference(spread, where, design, rarest)


def of_difference(spread: Spread, where: Entries, design: Design, rarest: float = 1.0) -> str:
    """What to know of the interval of a difference that has one; "" when it can be taken as it is.

    The arguments are those of ``of_mean``.
    """
    if spread.warning:
        return f"{APPROXIMATE}: {spread.warning}"
    if design.kind == "datasets":
        few = where.units < _FEW_DATASETS
        return (
            f"{APPROXIMATE}: {where.units} datasets, whose differences may be skewed" if few else ""
        )
    if unstable(spread, design):
        return "for these fitted models only: training sets differ too much"
    if rarest < RARE and spread.statistic == "corrected t":
        return f"for these fitted models only: the rarest class has {100.0 * rarest:.1f} % of the cases"
    if spread.skew > SKEWNESS:
        return f"{APPROXIMATE}: {_top(where)} {100.0 * spread.top:.0f} % of the variance"
    if spread.few:
        return f"{APPROXIMATE}: fewer than {FEW} {_units(where)} differ"
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
        _of_share(loss, means, pairs, where),
        _of_few(loss, pairs, where),
        _of_ratio(loss, pairs, design),
        _of_rare(loss, design, rarest),
        _of_alike(loss, [pair for pair in pairs if pair.reason == ALIKE]),
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


def of_picking(loss: str, means: Sequence[MethodMean], gain: float) -> list[Note]:
    """The note on the mean loss of the best method, which was picked from the same cases, from its optimism."""
    best = min((mean.spread.mean for mean in means), default=0.0)
    if not best > 0.0 or gain < _LEAST_GAIN * best:
        return []
    text = f"The best was picked from these same cases: its own loss may be too small by {100.0 * gain / best:.1f} %."
    return [Note("picked", loss, text)]


def of_seeds(loss: str, counts: Mapping[str, int], design: Design) -> list[Note]:
    """The notes on seeds of one loss, from their number by method."""
    single = [name for name, count in counts.items() if count == 1]
    if not single:
        return []
    if len(single) == len(counts):
        text = "One seed each: what is said is about these fitted models only."
        return [Note("models_only", loss, text)]
    text = (
        f"{listed(single)} {'has' if len(single) == 1 else 'have'} one seed: the variance between seeds is taken "
        "from the other method of a pair."
    )
    return [Note("borrowed_seeds", loss, text)]


def _units(where: Entries) -> str:
    return "groups" if where.grouped else "cases"


def _of_share(
    loss: str, means: Sequence[MethodMean], pairs: Sequence[PairTest], where: Entries
) -> Note | None:
    quantities = [*(mean.spread for mean in means), *(pair.spread for pair in pairs)]
    skewed = [quantity.top for quantity in quantities if quantity.skew > SKEWNESS]
    if not skewed:
        return None
    advice = _ADVICE.get(loss, "a loss that is bounded depends less on them")
    share = f"{100.0 * max(skewed):.0f} % of the variance"
    return Note(
        "approximate", loss, f"{_top(where)} up to {share}: intervals are approximate; {advice}."
    )


def _top(where: Entries) -> str:
    count = top_count(where.units)
    return f"{count:,} of {where.units:,} {_units(where)} {'makes' if count == 1 else 'make'}"


def _of_few(loss: str, pairs: Sequence[PairTest], where: Entries) -> Note | None:
    few = [pair for pair in pairs if pair.spread.few]
    if not few:
        return None
    text = (
        f"Fewer than {FEW} of {where.units} {_units(where)} differ between some methods "
        f"({_names(few)}): their tests are approximate."
    )
    return Note("few_differences", loss, text)


def _of_ratio(loss: str, pairs: Sequence[PairTest], design: Design) -> Note | None:
    wide = [
        pair
        for pair in pairs
        if pair.spread.ratio > RATIO
        and design.kind != "time"
        and design.statistic in ("corrected t", "jackknife")
    ]
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


def _of_alike(loss: str, pairs: Sequence[PairTest]) -> Note | None:
    return Note("no_disagreement", loss, f"{_names(pairs)}: {ALIKE}.") if pairs else None


def dependent_rows(loss: str) -> Note:
    """Of a comparison whose neighbouring rows are alike: no method has an interval, and no pair a test."""
    return Note(DEPENDENT_ROWS, loss, f"No test: {DEPENDENT}.")


def _names(pairs: Sequence[PairTest]) -> str:
    shown = ", ".join(f"{pair.method} and {pair.other}" for pair in pairs[:3])
    return shown + (f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else "")
