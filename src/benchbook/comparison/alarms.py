"""What may make the numbers of a comparison better than they will be, or the comparison useless: BB01 to BB13.

An *alarm* takes the sentence away, because no honest sentence can be made of the numbers; a *warning* stands beside it.
Those that concern the table are looked for before anything is fitted, the others among the losses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import sklearn.model_selection
import sklearn.tree

from benchbook.comparison.candidates import CONSTANT, is_baseline
from benchbook.comparison.clumps import clumped_share
from benchbook.comparison.data import (
    ComparisonData,
    as_numbers,
    as_series,
    input_values,
    row_hashes,
)
from benchbook.comparison.fits import Fits
from benchbook.comparison.own_turn import own_turn
from benchbook.comparison.screening import promising
from benchbook.comparison.splits import SplitPlan
from benchbook.comparison.tables import Values, column_names, plain_numbers
from benchbook.datasets.user import roles
from benchbook.datasets.user.structure import (
    COUNTS,
    DATE,
    FORWARD,
    Structure,
    go_with_order,
    structure,
)
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

CODES = {
    "BB01": "a column of dates, and cases assigned at random",
    "BB02": "a column that may name persons or groups, whose cases are not kept together",
    "BB03": "an input that gives the target away, or losses near zero",
    "BB04": "few cases of the rarer class",
    "BB05": "copies of cases in training and test sets",
    "BB06": "more repeats than the intervals were tested with",
    "BB07": "no method has a smaller mean loss than a constant guess",
    "BB08": "warnings of the methods while they were fitted",
    "BB09": "training sets of another size than was asked for",
    "BB10": "infinite losses",
    "BB11": "what the chains, weights or data of a posterior leave open",
    "BB12": "columns left out, and values that may be one: how the table was read",
    "BB13": "what was left undone after Ctrl-C",
}
SMALL_SHARE = 0.01
"""A loss below this share of the constant guess's is too good to be true without a reason."""
_LEAK = {"number": 0.1, "class": 0.25}
_BESIDE_OTHERS = {"number": 1 / 3, "class": 1 / 2}
_OF_A_NAME = 0.8
"""Share of the constant guess's loss that an input alone leaves for a mild warning, its ratio to the share that all
others leave together, and the share that a column of names may leave. Our choice, from public tables and flags that
were planted in them (``benchmarks/battery/README.md``).
"""
_RARE_IN_FOLD = 10
_MOST_REPEATS = 5
_GIVEN_TIME, _MOST_NAMED = "the time", 100
_FEW_COPIES = 0.005
"""Share of the test cases that may be copies by accident, or one case."""
_MOST_NEAR, _CLUMPED = 20_000, 0.1
_MOST_ROWS = 2000
_LEAVES = 64
_MOST_PARTS = 8


@dataclass(frozen=True)
class Alarm:
    """Something to know before the numbers are believed.

    Attributes:
        code: BB01 to BB13. text: what was seen, and what to do; ``code`` and names between backticks.
        severe: whether it takes the sentence away. columns: the inputs it speaks of. methods: those whose losses are
            too small to be true.
    """

    code: str
    text: str
    severe: bool = False
    columns: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


def of_data(data: ComparisonData, plan: SplitPlan) -> list[Alarm]:
    """What the table says, of cases whose weight is not 0: time, groups, leaks, rare classes, copies, repeats."""
    some = data.without_weightless()
    seen = _structure(some, plan)
    return [
        *_time(some, plan, seen),
        *_groups(some, plan, seen),
        *_leaks(some),
        *_rare(some, plan),
        *_copies(data, plan),
        *_repeats(plan),
        *_as_read(some),
        *_censored(some),
    ]


def of_fits(data: ComparisonData, fits: Fits, sizes: int | Sequence[int] | None) -> list[Alarm]:
    """What the losses say: too small, none better than a constant, infinite; and warnings of the fits."""
    return [
        *_too_good(data, fits),
        *_constant(fits),
        *_warned(fits),
        *_other_size(fits.plan, sizes),
        *_infinite(data, fits),
    ]


def _structure(data: ComparisonData, plan: SplitPlan) -> Structure:
    """Columns of moments and groups; of arrays and of very wide tables, of columns without a name or a role, dates
    alone."""
    known = _is_grouped(data, plan)
    if known and (data.time is not None or plan.design.kind == "time"):
        return Structure({}, {})
    if not column_names(data.X) or len(data.columns) > _MOST_NAMED:
        named = bool(column_names(data.X))
        dates = {
            name: DATE
            for name, number in zip(data.columns, plain_numbers(data.X), strict=True)
            if (not number or (named and roles.is_named_as_time(name)))
            and roles.time_of(_series(data, name)) is not None
        }
        groups = {
            name: f"{series.n_unique():,} values, by its name"
            for name in data.columns
            if named
            and roles.is_named_as_group(name)
            and roles.is_group(series := _series(data, name))
        }
        return Structure(dates, groups)
    lags = data.lags.columns if data.lags else ()
    columns = {name: _series(data, name) for name in data.columns if name not in lags}
    if data.time is not None:  # so that it is seen where it starts again
        columns[_GIVEN_TIME] = pl.Series(
            data.time.astype(np.int64 if data.time.dtype.kind == "M" else float)
        )
    return structure(columns, data.y.astype(float))


def _is_grouped(data: ComparisonData, plan: SplitPlan) -> bool:
    return (
        data.groups is not None
        or plan.design.groups is not None
        or (data.lags is not None and data.lags.series > 1)
    )


_TIMES = {
    DATE: ("is a date", "are dates"),
    FORWARD: ("goes forward with the rows", "go forward with the rows"),
    COUNTS: (
        "counts up from row to row and starts again, as in a table of several persons or series,",
        "count up from row to row and start again, as in a table of several persons or series,",
    ),
}
"""What is seen of one column of times, and of several."""


def _time(data: ComparisonData, plan: SplitPlan, seen: Structure) -> Iterator[Alarm]:
    if data.time is not None or plan.design.kind == "time":
        return
    for why in dict.fromkeys(seen.times.values()):
        names = [name for name, text in seen.times.items() if text == why]
        shown = listed([f"`{name}`" for name in names[:3]])
        yield Alarm(
            "BB01",
            f"{shown} {_TIMES[why][len(names) > 1]} and cases are assigned to folds at random. If you will predict the "
            f"future, say `time={names[0]!r}`.",
            columns=tuple(names),
        )


def _groups(data: ComparisonData, plan: SplitPlan, seen: Structure) -> Iterator[Alarm]:
    if _is_grouped(data, plan):
        return
    for name, why in list(seen.groups.items())[:3]:
        if why == COUNTS:
            given = name == _GIVEN_TIME
            yield Alarm(
                "BB02",
                f"{'The time' if given else f'`{name}`'} {_TIMES[COUNTS][0].rstrip(',')}: rows between two starts may "
                "belong together. If they do, say `groups=`, a column or an array that says to whom each row belongs.",
                columns=() if given else (name,),
            )
            continue
        yield Alarm(
            "BB02",
            f"`{name}` ({why}, in {len(data.y):,} rows) may say which rows belong together, as those of one person or "
            f"firm do. If so, say `groups={name!r}`.",
            columns=(name,),
        )


def _as_read(data: ComparisonData) -> Iterator[Alarm]:
    """Columns that were left out as the numbers of rows, and classes that differ in case or blanks alone."""
    if data.left_out:
        names = listed([f"`{name}`" for name in data.left_out])
        yield Alarm(
            "BB12",
            f"{names} has another value in each row, as the numbers or names of rows do: left out.",
        )
    for alike in roles.alike(name for name in data.classes if isinstance(name, str)):
        counts = np.bincount(data.y.astype(int), minlength=len(data.classes))
        shown = [f"{name!r} ({counts[data.classes.index(name)]:,})" for name in alike]
        yield Alarm(
            "BB12",
            f"The classes {listed(shown)} differ in capitals or blanks alone, and are counted as several. If they are "
            "one, write them alike.",
        )


def _censored(data: ComparisonData) -> Iterator[Alarm]:
    """A time until something, and a column beside it that says whether it has happened."""
    if data.kind != "number" or data.y.min() < 0 or not roles.is_named_as_duration(data.target):
        return
    for name in data.columns:
        if roles.is_named_as_event(name) and 2 <= _series(data, name).drop_nulls().n_unique() <= 3:
            yield Alarm(
                "BB12",
                f"`{data.target}` may be a time until something, and `{name}` say whether it had happened: then the "
                "time of the others is only a lower limit. Losses take it as it is; methods for survival times do not.",
                columns=(name,),
            )
            return


def _series(data: ComparisonData, name: str) -> pl.Series:
    return as_series(input_values(data, name), name)


def _leaks(data: ComparisonData) -> Iterator[Alarm]:
    """Inputs of which a small tree predicts the target nearly without error, on cases it was not fitted on."""
    rows = np.arange(len(data.y))
    if len(rows) > _MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_ROWS, replace=False))
    y = data.y[rows]
    numbers, shares = {}, {}
    lags = data.lags.columns if data.lags else ()
    for name, (column, close) in promising(data, rows, y).items():
        if name in lags:
            continue
        numbers[name] = column
        if not (close or roles.is_named_as_group(name)):
            continue
        values = input_values(data, name)
        share = _share_of_constant(column, y, data.kind)
        if share is not None:
            shares[name] = share
        if share is not None and share < _too_small(data.kind == "number"):
            yield Alarm("BB03", _leak_text(data, name, values), True, (name,))
        elif roles.follows_order(as_series(values, name), pl.Series(np.asarray(data.y))):
            yield Alarm(
                "BB03",
                f"`{name}` counts the rows of a table that is sorted by the target: leave it out, "
                f"`compare(..., drop=[{name!r}])`.",
                True,
                (name,),
            )
        elif share is not None and share < _OF_A_NAME and _is_name(as_series(values, name)):
            yield Alarm(
                "BB03",
                f"`{name}` names the cases, and alone it leaves {100.0 * share:.0f} % of the constant guess's loss. "
                f"A new case has a new name: leave it out, `compare(..., drop=[{name!r}])`.",
                columns=(name,),
            )
    leak = _LEAK[data.kind]
    yield from _sums(data, numbers, y)
    best = min(shares, key=lambda name: shares[name], default="")
    if best and _too_small(data.kind == "number") <= shares[best] < leak:
        others = np.column_stack(
            [column for name, column in numbers.items() if name != best] or [np.zeros(len(y))]
        )
        rest = min(1.0, _share_of_constant(others, y, data.kind) or 1.0)
        if shares[best] < _BESIDE_OTHERS[data.kind] * rest:
            yield Alarm(
                "BB03",
                f"`{best}` alone leaves {100.0 * shares[best]:.1f} % of the constant guess's loss, all other inputs "
                f"{100.0 * rest:.0f} %. Is it known when you predict? If not, leave it out: "
                f"`compare(..., drop=[{best!r}])`.",
                columns=(best,),
            )


def _too_small(squared: bool) -> float:
    """The share of the constant guess's loss that is too good to be true: of squares that of their root, squared."""
    return SMALL_SHARE**2 if squared else SMALL_SHARE


def _sums(data: ComparisonData, numbers: dict[str, np.ndarray], y: np.ndarray) -> Iterator[Alarm]:
    """Inputs of which the target is a sum, a mean or a difference, by least squares: few of them, without an error."""
    columns = {
        name: part for name, part in numbers.items() if np.isfinite(part).all() and part.std()
    }
    if data.kind != "number" or len(columns) < 2 or len(y) < len(columns) + 10:
        return
    inputs = np.column_stack([(part - part.mean()) / part.std() for part in columns.values()])
    target = (y - y.mean()) / y.std()

    def left(chosen: Sequence[int] | NDArray[np.int64]) -> float:
        fit = np.linalg.lstsq(inputs[:, chosen], target, rcond=None)[0]
        freedom = len(y) - 1 - np.size(chosen)
        return float(((target - inputs[:, chosen] @ fit) ** 2).sum() / freedom)

    every = list(range(len(columns)))
    if left(every) > _too_small(squared=True):
        return
    for index in np.argsort(
        np.abs(inputs.T @ target)
    ):  # without those that go least with the target first
        fewer = [other for other in every if other != index]
        if fewer and left(fewer) <= _too_small(squared=True):
            every = fewer
    names = [list(columns)[index] for index in every]
    if 2 <= len(names) <= _MOST_PARTS:
        shown = listed([f"`{name}`" for name in names])
        yield Alarm(
            "BB03",
            f"{shown} together give the target nearly exactly, as parts give a sum or a mean. Are they known when you "
            f"predict? If not, leave one out: `compare(..., drop=[{names[0]!r}])`.",
            True,
            tuple(names),
        )


def _is_name(column: pl.Series) -> bool:
    """Whether a column is named as one of persons or the like, and has a value of its own in nearly every row."""
    return roles.is_named_as_group(column.name) and column.n_unique() > 0.9 * len(column)


def _share_of_constant(numbers: np.ndarray, y: np.ndarray, kind: str) -> float | None:
    """The loss of a tree with at most 64 leaves on one column (or several), out of fold, over the constant guess's."""
    missing = np.isnan(numbers)
    if len(np.unique(numbers[~missing])) + bool(missing.any()) < 2:
        return None
    inputs = np.c_[np.where(missing, 0.0, numbers), missing]
    folds = sklearn.model_selection.KFold(3, shuffle=True, random_state=0)
    tree = sklearn.tree
    classes = kind == "class"
    maker: Any = tree.DecisionTreeClassifier if classes else tree.DecisionTreeRegressor
    model = maker(max_leaf_nodes=_LEAVES, random_state=0)
    with own_turn():  # scikit-learn keeps warnings to itself
        predicted = sklearn.model_selection.cross_val_predict(
            model, inputs, y.astype(int) if classes else y, cv=folds
        )
    if classes:
        return float((predicted != y).mean()) / float(
            1.0 - np.bincount(y.astype(int)).max() / len(y)
        )
    return float(((predicted - y) ** 2).mean()) / float(y.var()) if y.var() else None


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
    if in_fold >= _RARE_IN_FOLD or counts[rarest] > 0.4 * len(data.y) / len(counts):
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
    ordered = np.sort(hashes[split.train])
    found = np.searchsorted(ordered, hashes[split.test]).clip(max=len(ordered) - 1)
    shared = int((ordered[found] == hashes[split.test]).sum())
    rows = len(np.unique(hashes)) if shared else 0
    # an input with many values beside the different rows: then equal rows are no accident
    if shared > max(1, _FEW_COPIES * len(split.test)) and any(
        _series(data, name).drop_nulls().n_unique() > rows / 2 for name in data.columns[:200]
    ):
        yield Alarm(
            "BB05",
            f"{shared:,} of the {len(split.test):,} test cases of the first split are in its training set, value for "
            "value. If they were not measured again, remove the copies or keep them together with `groups=`.",
        )
    elif data.groups is None and plan.design.kind in ("folds", "splits", "holdout"):
        yield from _near_copies(data)


def _near_copies(data: ComparisonData) -> Iterator[Alarm]:
    """Rows that come in clumps: copies with small changes, or several rows of one person, in whatever order."""
    rows = np.arange(len(data.y))
    if len(rows) > _MOST_NEAR:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_NEAR, replace=False))
    values = (input_values(data, name) for name in data.columns[:200])
    columns = [as_numbers(each, rows) for each in values if each.kind == "number"]
    columns = [
        (each - each.mean()) / each.std()
        for each in columns
        if np.isfinite(each).all() and len(np.unique(each)) > len(rows) / 2
    ]
    share = clumped_share(np.column_stack(columns)) if len(columns) > 1 else 0.0
    if share > _CLUMPED:
        yield Alarm(
            "BB05",
            f"{100.0 * share:.0f} % of the rows have others much nearer than chance allows: nearly copies, or several "
            "rows of one person or thing. Remove copies, and keep together what belongs together with `groups=`.",
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
        info, baseline = fits.orientation[code], _baseline(means)
        constant = means.get(baseline)
        if (
            not info.case_wise
            or info.higher
            or min(means.values()) < 0.0
            or not constant
            or not np.isfinite(constant)
        ):
            continue
        share = _too_small("squared" in info.title)
        names = [name for name, mean in means.items() if mean < share * constant]
        if names:
            have = "has" if len(names) == 1 else "have"
            yield Alarm(
                "BB03",
                f"{listed(names)} {have} less than {100 * share:g} % of the {baseline}'s {info.title}. That is "
                "too good to be true unless the target follows from the inputs: does an input hold the target?",
                True,
                methods=tuple(names),
            )
            return


def _baseline(means: dict[str, float]) -> str:
    """The constant guess, or of a series the best of it and naive forecasts."""
    return min(filter(is_baseline, means), key=means.__getitem__, default=CONSTANT)


def _constant(fits: Fits) -> Iterator[Alarm]:
    code, means = next(_means(fits), ("", {}))
    others = {name: mean for name, mean in means.items() if not is_baseline(name)}
    baseline = _baseline(means)
    if baseline in means and others and min(others.values()) >= means[baseline]:
        guess = "a constant guess, which looks at no input"
        if baseline != CONSTANT:
            guess = f"the {baseline}, which repeats an earlier value"
        yield Alarm("BB07", f"No method has a smaller {fits.orientation[code].title} than {guess}.")


def _warned(fits: Fits) -> Iterator[Alarm]:
    for name, texts in fits.warnings.items():
        text, count = max(texts.items(), key=lambda one: one[1])
        yield Alarm(
            "BB08", f"{name} warned in {counted(count, 'fit')}: {text.splitlines()[0][:160]}"
        )


def _other_size(plan: SplitPlan, sizes: int | Sequence[int] | None) -> Iterator[Alarm]:
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


def suspects(data: ComparisonData, alarms: Iterable[Alarm]) -> list[str]:
    """The inputs that the order of rows may stand for: those that were warned of as groups or times, and those whose
    values stand together in the table or rise through it."""
    if not column_names(data.X) or len(data.columns) > _MOST_NAMED:
        return []
    seen = [name for alarm in alarms if alarm.code in ("BB01", "BB02") for name in alarm.columns]
    others = go_with_order({name: _series(data, name) for name in data.columns})
    return list(dict.fromkeys([*seen, *others]))


def of_stop(undone: Sequence[str]) -> list[Alarm]:
    """What was left undone, in words, because Ctrl-C came after the fits."""
    text = f"Ctrl-C came after the fits: {listed(undone)}. The same call again does the rest."
    return [Alarm("BB13", text)] if undone else []


def without(alarms: Iterable[Alarm], ignored: Iterable[str]) -> tuple[Alarm, ...]:
    """The alarms that were not switched off, each text once."""
    chosen = {(alarm.code, alarm.text): alarm for alarm in alarms if alarm.code not in set(ignored)}
    return tuple(chosen.values())


def check_codes(ignored: Iterable[str]) -> None:
    """Check the codes to be ignored.

    Raises:
        FaultyInput: one is none of BB01 to BB13.
    """
    codes = (ignored,) if isinstance(ignored, str) else tuple(ignored)
    if wrong := [code for code in codes if code not in CODES]:
        rule = f"codes of warnings: {', '.join(CODES)}"
        raise FaultyInput("compare", [Fault("ignore_warnings", repr(code), rule) for code in wrong])
