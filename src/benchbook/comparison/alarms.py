"""What may make the numbers of a comparison better than they will be, or the comparison useless: BB01 to BB10.

An *alarm* takes the sentence away, because no honest sentence can be made of the numbers; a *warning* stands beside it.
Those that concern the table are looked for before anything is fitted, the others among the losses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import sklearn.model_selection
import sklearn.tree

from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.data import (
    ComparisonData,
    as_numbers,
    as_series,
    input_values,
    row_hashes,
)
from benchbook.comparison.fits import Fits
from benchbook.comparison.splits import SplitPlan
from benchbook.comparison.tables import Values
from benchbook.datasets.user import roles
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, listed

CODES = {
    "BB01": "a column of dates, and cases assigned at random",
    "BB02": "a column that may name persons or groups, whose cases are not kept together",
    "BB03": "an input that gives the target away, or losses near zero",
    "BB04": "few cases of the rarer class",
    "BB05": "copies of cases in training and test sets",
    "BB06": "more repeats than the intervals were tested with",
    "BB07": "no method is better than a constant guess",
    "BB08": "warnings of the methods while they were fitted",
    "BB09": "training sets of another size than was asked for",
    "BB10": "infinite losses",
}
SMALL_SHARE = 0.01
"""A loss below this share of the constant guess's is too good to be true without a reason."""
_RARE_IN_FOLD = 10
_MOST_REPEATS = 5
_MOST_COLUMNS = 60
_MOST_ROWS = 2000
_LEAVES = 64


@dataclass(frozen=True)
class Alarm:
    """Something to know before the numbers are believed.

    Attributes:
        code: BB01 to BB10. text: what was seen, and what to do; ``code`` and names between backticks.
        severe: whether it takes the sentence away. columns: the inputs it speaks of. methods: those whose losses are
            too small to be true.
    """

    code: str
    text: str
    severe: bool = False
    columns: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


def of_data(data: ComparisonData, plan: SplitPlan) -> list[Alarm]:
    """What the table itself says: time, groups, leaks, rare classes, copies, repeats."""
    return [
        *_time(data, plan),
        *_groups(data, plan),
        *_leaks(data),
        *_rare(data, plan),
        *_copies(data, plan),
        *_repeats(plan),
    ]


def of_fits(data: ComparisonData, fits: Fits, sizes: Any) -> list[Alarm]:
    """What the losses say: too small, none better than a constant, infinite; and warnings of the fits."""
    return [
        *_too_good(data, fits),
        *_constant(fits),
        *_warned(fits),
        *_other_size(fits.plan, sizes),
        *_infinite(data, fits),
    ]


def _time(data: ComparisonData, plan: SplitPlan) -> Iterator[Alarm]:
    if data.time is not None or plan.design.kind == "time":
        return
    names = [name for name in data.columns if roles.time_of(_series(data, name)) is not None]
    if names:
        shown = listed([f"`{name}`" for name in names[:3]])
        are = "are dates" if len(names) > 1 else "is a date"
        yield Alarm(
            "BB01",
            f"{shown} {are} and cases are assigned to folds at random. If you will predict the future, say "
            f"`time={names[0]!r}`.",
            columns=tuple(names),
        )


def _groups(data: ComparisonData, plan: SplitPlan) -> Iterator[Alarm]:
    if data.groups is not None or plan.design.groups is not None:
        return
    results = [
        (name, series.n_unique())
        for name in data.columns
        if roles.is_named_as_group(name) and roles.is_group(series := _series(data, name))
    ]
    for name, count in results[:3]:
        yield Alarm(
            "BB02",
            f"`{name}` has {count:,} different values in {len(data.y):,} rows. If rows with the same value belong "
            f"together (one person, one firm), say `groups={name!r}`.",
            columns=(name,),
        )


def _series(data: ComparisonData, name: str) -> pl.Series:
    return as_series(input_values(data, name), name)


def _leaks(data: ComparisonData) -> Iterator[Alarm]:
    """Inputs of which a small tree predicts the target nearly without error, on cases it was not fitted on."""
    rows = np.arange(len(data.y))
    if len(rows) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_ROWS, replace=False))
    y = data.y[rows]
    for name in _promising(data, rows, y):
        values = input_values(data, name)
        share = _share_of_constant(as_numbers(values, rows), y, data.kind)
        if share is not None and share < SMALL_SHARE:
            yield Alarm("BB03", _leak_text(data, name, values), True, (name,))
        elif roles.follows_order(as_series(values, name), pl.Series(np.asarray(data.y))):
            yield Alarm(
                "BB03",
                f"`{name}` counts the rows of a table that is sorted by the target: leave it out, "
                f"`compare(..., drop=[{name!r}])`.",
                True,
                (name,),
            )


def _promising(data: ComparisonData, rows: np.ndarray, y: np.ndarray) -> list[str]:
    """All columns, or of very many those whose ranks or missing values go most with the target."""
    names = list(data.columns)
    if len(names) <= _MOST_COLUMNS:
        return names
    target = (y - y.mean()) / (y.std() or 1.0)
    linked = []
    for name in names:
        values = as_numbers(input_values(data, name), rows)
        ranks = np.argsort(np.argsort(values, axis=0), axis=0).astype(float)
        ranks = np.where(np.isnan(values), -1.0, ranks)
        spread = ranks.std()
        linked.append(
            abs(float(((ranks - ranks.mean()) * target).mean())) / spread if spread else 0.0
        )
    return [names[index] for index in np.argsort(linked)[::-1][:_MOST_COLUMNS]]


def _share_of_constant(numbers: np.ndarray, y: np.ndarray, kind: str) -> float | None:
    """The loss of a tree with at most 64 leaves on one column, out of fold, over the constant guess's loss."""
    missing = np.isnan(numbers)
    if len(np.unique(numbers[~missing])) + bool(missing.any()) < 2:
        return None
    inputs = np.c_[np.where(missing, 0.0, numbers), missing]
    folds = sklearn.model_selection.KFold(3, shuffle=True, random_state=0)
    if kind == "class":
        model: Any = sklearn.tree.DecisionTreeClassifier(max_leaf_nodes=_LEAVES, random_state=0)
        wrong = float(
            (
                sklearn.model_selection.cross_val_predict(model, inputs, y.astype(int), cv=folds)
                != y
            ).mean()
        )
        return wrong / float(1.0 - np.bincount(y.astype(int)).max() / len(y))
    model = sklearn.tree.DecisionTreeRegressor(max_leaf_nodes=_LEAVES, random_state=0)
    error = float(
        ((sklearn.model_selection.cross_val_predict(model, inputs, y, cv=folds) - y) ** 2).mean()
    )
    return error / float(y.var()) if y.var() else None


def _leak_text(data: ComparisonData, name: str, values: Values) -> str:
    what = "separates the classes" if data.kind == "class" else "gives the target nearly exactly"
    why, missing = "", values.missing
    if data.kind == "class" and missing.any() and not missing.all():
        absent = [data.classes[code] for code in np.unique(data.y[missing])]
        if not np.isin(data.y[~missing], data.y[missing]).any():
            why = f": it is empty for every case of class {listed([repr(item) for item in absent])}"
    return (
        f"`{name}` alone {what}{why}. Is it known when you predict? If not, leave it out: "
        f"`compare(..., drop=[{name!r}])`."
    )


def _rare(data: ComparisonData, plan: SplitPlan) -> Iterator[Alarm]:
    if data.kind != "class":
        return
    counts = np.bincount(data.y.astype(int), minlength=len(data.classes))
    rarest = int(counts.argmin())
    in_fold = counts[rarest] * len(plan.splits[0].test) / len(data.y)
    if in_fold >= _RARE_IN_FOLD or counts[rarest] > len(data.y) * 0.2:
        return
    low = int(in_fold)
    each = f"{low} or {low + 1}" if low else "at most one"
    two = " The error rate says little; see `auc`." if len(data.classes) == 2 else ""
    yield Alarm(
        "BB04",
        f"{counts[rarest]:,} of {len(data.y):,} cases are {data.classes[rarest]!r}, {each} in a test "
        f"fold.{two}",
    )


def _copies(data: ComparisonData, plan: SplitPlan) -> Iterator[Alarm]:
    """Rows that are the same in all inputs and the target, in a training set and its test set."""
    hashes = row_hashes(data)
    if hashes is None:
        return
    split = plan.splits[0]
    shared = int(np.isin(hashes[split.test], hashes[split.train]).sum())
    rows = len(np.unique(hashes))
    # an input with many values beside the different rows: then equal rows are no accident
    if shared and any(
        _series(data, name).drop_nulls().n_unique() > rows / 2 for name in data.columns[:200]
    ):
        yield Alarm(
            "BB05",
            f"{shared:,} of the {len(split.test):,} test cases of the first split are in its training set, value for "
            "value. If they were not measured again, remove the copies or keep them together with `groups=`.",
        )


def _repeats(plan: SplitPlan) -> Iterator[Alarm]:
    if plan.design.repeats > _MOST_REPEATS:
        yield Alarm(
            "BB06",
            f"{plan.design.repeats} repeats: repeating the folds adds no data. The intervals were tested with up to "
            f"{_MOST_REPEATS}; with more they become too narrow for unstable methods.",
        )


def _means(fits: Fits) -> Iterator[tuple[str, dict[str, float]]]:
    """The mean loss of each method, for one loss after another."""
    means = fits.fold_losses.group_by("loss", "method", maintain_order=True).agg(
        pl.col("value").mean()
    )
    for code in fits.orientation:
        rows = means.filter(loss=code)
        if rows.height:
            yield code, dict(rows.select("method", "value").iter_rows())


def _too_good(data: ComparisonData, fits: Fits) -> Iterator[Alarm]:
    """Methods whose losses are zero or nearly, by any loss that cannot be negative."""
    for code, means in _means(fits):
        info, constant = fits.orientation[code], means.get(CONSTANT)
        if (
            not info.case_wise
            or info.sign < 0
            or min(means.values()) < 0.0
            or not constant
            or not np.isfinite(constant)
        ):
            continue
        names = [name for name, mean in means.items() if mean < SMALL_SHARE * constant]
        if names:
            have = "has" if len(names) == 1 else "have"
            yield Alarm(
                "BB03",
                f"{listed(names)} {have} less than 1 % of the constant guess's {info.title}. That is too good to "
                "be true unless the target follows from the inputs: does an input hold the target?",
                True,
                methods=tuple(names),
            )
            return


def _constant(fits: Fits) -> Iterator[Alarm]:
    code, means = next(_means(fits), ("", {}))
    others = {name: mean for name, mean in means.items() if name != CONSTANT}
    if CONSTANT in means and others and min(others.values()) >= means[CONSTANT]:
        yield Alarm(
            "BB07",
            f"No method has a smaller {fits.orientation[code].title} than a constant guess, which looks at no input.",
        )


def _warned(fits: Fits) -> Iterator[Alarm]:
    for name, texts in fits.warnings.items():
        text, count = max(texts.items(), key=lambda one: one[1])
        yield Alarm(
            "BB08", f"{name} warned in {counted(count, 'fit')}: {text.splitlines()[0][:160]}"
        )


def _other_size(plan: SplitPlan, sizes: Any) -> Iterator[Alarm]:
    if sizes is None:
        return
    trained, wanted = (
        int(np.median([len(split.train) for split in plan.splits])),
        int(np.ravel(sizes)[0]),
    )
    if wanted != trained:
        yield Alarm(
            "BB09",
            f"{wanted:,} training cases were asked for; each method was trained on {trained:,}.",
        )


def _infinite(data: ComparisonData, fits: Fits) -> Iterator[Alarm]:
    if fits.losses.is_empty():
        return
    bad = fits.losses.filter(pl.col("value").is_infinite())
    for (name, code), part in bad.group_by("method", "loss", maintain_order=True):
        rows = sorted(set(part["row"].to_list()))
        yield Alarm(
            "BB10",
            f"{name} has an infinite {fits.orientation[str(code)].title} in {counted(len(rows), 'case')} (rows "
            f"{data.row_words(np.array(rows))}): it said that what happened was impossible.",
        )


def without(alarms: Iterable[Alarm], ignored: Iterable[str]) -> tuple[Alarm, ...]:
    """The alarms that were not switched off, each text once."""
    chosen = {(alarm.code, alarm.text): alarm for alarm in alarms if alarm.code not in set(ignored)}
    return tuple(chosen.values())


def check_codes(ignored: Iterable[str]) -> None:
    """Check the codes to be ignored.

    Raises:
        FaultyInput: one is none of BB01 to BB10.
    """
    codes = (ignored,) if isinstance(ignored, str) else tuple(ignored)
    if wrong := [code for code in codes if code not in CODES]:
        rule = f"codes of warnings: {', '.join(CODES)}"
        raise FaultyInput("compare", [Fault("ignore_warnings", repr(code), rule) for code in wrong])
