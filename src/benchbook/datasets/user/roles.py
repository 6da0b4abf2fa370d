"""What a column is for besides being an input: the time of a case, whom it belongs to, or the number of its row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np
import polars as pl

from benchbook.datasets.user.dates import days_of, look_like_dates, numbers_as_days, parse_dates

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TIME = re.compile(
    "time|timestamp|datetime|date|day|ts|epoch|when|moment|created|updated|recorded|measured"
)
_BIRTH = re.compile("birth|born|dob|birthday")
_PERIOD = re.compile(
    "year|month|week|quarter|hour|minute|second|season|period|wave|trend|occasion|visit"
)
_GROUP = re.compile(
    "id|uid|uuid|guid|key|subject|person|patient|individual|group|firm|company|household|family|school|hospital"
    "|clinic|centre|center|site|user|customer|client|member|participant|respondent|student|pupil|donor|animal|mouse"
    "|plot|station|store|shop|machine|device|sensor|vehicle|driver|account|player|team|batch|litter|village|town"
    "|county|state|country|district|stratum|cluster"
)
_DURATION = re.compile("[a-z]{0,3}time|survival|duration|tenure|stop|months|days|years")
_EVENT = re.compile(
    "status|event|[a-z]{0,2}stat|cens|censor|censored|censors|death|dead|died|delta|churn"
)
_NAMING = re.compile("id|no|nr|num|number|code|key|name|[0-9]+")
"""What stands behind the word for a thing in the name of a column that names it: ``driver_no``, not ``driver_age``."""
_ROW = re.compile("(row|rownum|rowid|rowname|index|idx|nr|no|number|case|obs|observation)s?")
_TARGET = re.compile("(target|label|outcome|response|dependent)s?")
_NUMBERED = re.compile(r"[_. -]?([0-9]+|(?<=[_. -])[A-Za-z])$")
_INDEX_NAME = re.compile(
    r"|unnamed: \d+(_level_\d+)?(\.\d+)*|__index_level_\d+__|index|level_\d+|_index|row_?names?|row_?(id|nr|no|num)",
    re.IGNORECASE,
)
"""What pandas and R call the names of the rows when they write them as a column; the empty name is one."""
FEWEST_GROUPS = 20


def _in_order(name: str) -> list[str]:
    """The words of a column's name in lower case, in their order."""
    return [word.lower() for word in _WORDS.findall(name)]


def name_words(name: str) -> frozenset[str]:
    """The words of a column's name in lower case: ``customerID`` has customer and id."""
    return frozenset(word.lower() for word in _WORDS.findall(name))


def time_of(column: pl.Series, name: str = "") -> pl.Series | None:
    """When each case was measured, in days since 1970-01-01, or None when the column is none of moments.

    A column is one of moments when the file has it as dates, when all its words are dates of one form, or when its
    numbers are seconds since 1970 or dates such as 20261122 *and* its name says that it is a time. Dates of birth are
    no time of measurement.

    Args:
        column: words, numbers or dates, null for a missing value. name: of the column; its own when left out.
    """
    words = name_words(name or column.name)
    if _any(_BIRTH, words) or column.null_count() == len(column):
        return None
    days: pl.Series | None
    if column.dtype in (pl.Date, pl.Datetime):
        days = days_of(column)
    elif column.dtype == pl.String:
        days = parse_dates(column)
    elif column.dtype.is_numeric() and _any(_TIME, words):
        days = numbers_as_days(column)
    else:
        return None
    return days if days is not None and days.n_unique() > 1 else None


def is_named_as_time(name: str) -> bool:
    """Whether a name ends with a word for a moment or a period: ``year``, ``visit_month``, not ``years_married``."""
    words = _in_order(name)
    return bool(words) and bool(_TIME.fullmatch(words[-1]) or _PERIOD.fullmatch(words[-1]))


def is_named_as_duration(name: str) -> bool:
    """Whether a name may be that of the time until something."""
    return bool(_DURATION.fullmatch((_in_order(name) or [""])[-1]))


def is_named_as_event(name: str) -> bool:
    """Whether a name may be that of what had happened by then, or had not."""
    return bool(_EVENT.fullmatch((_in_order(name) or [""])[-1]))


def is_unread_time(column: pl.Series) -> bool:
    """Whether a String column looks like dates that ``dates.parse_dates`` cannot read."""
    return column.dtype == pl.String and parse_dates(column) is None and look_like_dates(column)


def is_index(column: pl.Series, name: str = "", index_names: Collection[str] = ()) -> bool:
    """Whether a column is the index of a frame that was written with it: another value in each row.

    Its name says so (none, ``Unnamed: 0``, ``__index_level_0__``, ``rownames``) or the file does; or whole numbers
    count the rows without a gap, and are no years and not named as times. Gaps and another order do not matter where it
    is named: ``dropna`` and sorting make them.

    Args:
        column: numbers or words. name: of the column; its own when left out.
        index_names: the columns that the file does not name, or calls its index, as pandas' metadata do.
    """
    name = name if name else column.name
    if name in index_names or _INDEX_NAME.fullmatch(name.strip()):
        different = column.null_count() == 0 and column.n_unique() == len(column)
        return different and not _has_fractions(column, 0 if "index" in name.lower() else 1)
    return counts_cases(column) and not (is_named_as_time(name) or are_years(column))


def _has_fractions(column: pl.Series, decimals: int) -> bool:
    """Whether numbers have more decimals than so many: row names such as 1.1 and 1.2 have one."""
    numbers = column.cast(pl.Float64, strict=False) * 10**decimals
    return not numbers.null_count() and bool((numbers != numbers.round()).any())


def are_years(column: pl.Series) -> bool:
    """Whether all numbers are from 1500 to 2200."""
    numbers = column.cast(pl.Float64, strict=False)
    low, high = numbers.min(), numbers.max()
    return low is not None and float(low) >= 1500 and float(high) <= 2200  # type: ignore[arg-type]


def is_index_name(name: str) -> bool:
    """Whether a name is what pandas and R call the names of rows."""
    return bool(_INDEX_NAME.fullmatch(name.strip()))


def counts_cases(column: pl.Series) -> bool:
    """Whether a column has every whole number from its least to its largest once."""
    numbers = _whole(column)
    if numbers is None or numbers.n_unique() < len(numbers):
        return False
    edges = numbers.to_numpy()
    return int(edges.max() - edges.min()) == len(edges) - 1


def is_identifier(column: pl.Series, name: str = "") -> bool:
    """Whether a column of whole numbers or words is different in every case and named as an id or a row's number."""
    words = name_words(name or column.name)
    if not (_any(_GROUP, words) or _any(_ROW, words)) or column.null_count():
        return False
    if column.dtype.is_numeric() and _whole(column) is None:
        return False
    return len(column) > 1 and column.n_unique() == len(column)


def follows_order(column: pl.Series, target: pl.Series) -> bool:
    """Whether whole numbers, each different, rise or fall with the target without an exception, as the row numbers of a
    file do that was sorted by it."""
    numbers = _whole(column)
    if numbers is None or numbers.n_unique() < len(numbers) or target.null_count():
        return False
    if not target.dtype.is_numeric():
        target = target.cast(pl.String).rank("dense")
    sorted_targets = target.to_numpy()[np.argsort(numbers.to_numpy(), kind="stable")]
    steps = np.diff(sorted_targets.astype(np.float64))
    return bool(steps.any()) and bool((steps >= 0).all() or (steps <= 0).all())


def other_targets(target: str, names: Collection[str]) -> list[str]:
    """The columns whose names say that they are targets too: ``y2`` and ``y3`` beside ``y1``, ``outcome``, ``label_b``.

    Columns that share the target's stem count only when they are fewer than half of all, as ``x1`` to ``x9`` are not.
    """
    stem = _NUMBERED.sub("", target)
    alike = [
        name
        for name in names
        if name != target and stem and stem != target and _NUMBERED.sub("", name) == stem
    ]
    alike = alike if 2 * len(alike) < len(names) else []
    return [
        name
        for name in names
        if name != target and (name in alike or _any(_TARGET, name_words(name)))
    ]


def alike(names: Iterable[str]) -> list[list[str]]:
    """The names that differ from one another in capitals or blanks alone, together."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault("".join(name.split()).casefold(), []).append(name)
    return [several for several in found.values() if len(several) > 1]


def is_group(column: pl.Series, name: str = "") -> bool:
    """Whether a column may say which cases belong together: many values, most of them in several cases.

    A column of words may; of numbers, only one whose name says so: ``patient_id``, ``customerID``, ``school``.
    """
    words = column.dtype in (pl.String, pl.Categorical, pl.Enum)
    if not words and not (column.dtype.is_numeric() and is_named_as_group(name or column.name)):
        return False
    if not FEWEST_GROUPS <= column.drop_nulls().n_unique() <= len(column) / 2:
        return False
    return not words or parse_dates(column.cast(pl.String)) is None


def is_named_as_group(name: str) -> bool:
    """Whether a name is that of a person, a place or a batch, whose cases belong together when there are several.

    The word is the last, or what follows says that it is named: ``site_2``, ``driver_no``, but neither ``driver_age``
    nor ``stations``, which are measured and counted.
    """
    words = _in_order(name)
    while len(words) > 1 and _NAMING.fullmatch(words[-1]) and not _GROUP.fullmatch(words[-1]):
        words = words[:-1]
    return bool(words) and bool(_GROUP.fullmatch(words[-1]))


def _any(pattern: re.Pattern[str], words: Collection[str]) -> bool:
    return any(pattern.fullmatch(word) for word in words)


def _whole(column: pl.Series) -> pl.Series | None:
    """A column of whole numbers without a missing one as Int64, or None."""
    if not (column.dtype.is_numeric() or column.dtype == pl.String) or column.null_count():
        return None
    numbers = column.cast(pl.Float64, strict=False)
    if not len(numbers) or numbers.null_count() or not bool((numbers == numbers.round()).all()):
        return None
    return numbers.cast(pl.Int64) if float(numbers.abs().max()) < 1e15 else None  # type: ignore[arg-type]
