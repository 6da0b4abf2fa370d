"""Dates and moments in a column of words or numbers, in the forms that people and programs write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

_TIDY = (
    (r"\s+", " "),
    (r"\[[^\]]*\]$", ""),  # 2024-03-01T10:00+01:00[Europe/Zurich]
    (r"^(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? ", ""),
    (r"([A-Za-z])\. ?", "$1 "),
    (r"(\d)(?:st|nd|rd|th)\b", "$1"),
    (r"\b([Ss][Ee][Pp])[Tt]\b", "$1"),
    (r"(\d)T(\d)", "$1 $2"),
    (r"^(\d{8}) (\d\d)(\d\d)(\d\d)?", "$1 $2:$3:$4"),
    (r"(\d\d:\d\d):($|[^\d])", "$1$2"),
    (r"(:\d\d),(\d)", "$1.$2"),
    (r"([A-Za-z]/\d{4}):(\d\d:\d\d)", "$1 $2"),  # 01/Mar/2024:10:00:00
    (r"^([A-Za-z]{3,9} \d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$", "$1 $3 $2"),  # as ctime writes it
    (r"(:\d\d[\d.]*) ?([AaPp]) ?[Mm] ?", "$1 ${2}M"),
    (r"(:\d\d[\d.]*(?: [AaPp]M)?) ?(?:Z|z|UTC|GMT)$", "$1+00:00"),
    (r"(:\d\d[\d.]*(?: [AaPp]M)?) ?([+-]\d\d)$", "$1$2:00"),
    (r"(:\d\d[\d.]*(?: [AaPp]M)?) ([+-]\d\d:?\d\d)$", "$1$2"),
    (r", ?", " "),
    (r"^(\d{4})[-/.](\d{1,2})$", "$1-$2-01"),
    (r"^(\d{1,2})[-/](\d{4})$", "$2-$1-01"),
    (r"^([A-Za-z]{3,9})([- ])(\d{4}|\d\d)$", "01$2$1$2$3"),
    (r"^(\d{4})[- ]?(?:M|m)(\d\d)$", "$1-$2-01"),
    (r"^(\d{4})[- ]?[Ww](\d\d)$", "$1-W$2-1"),
    (r"^[Qq]([1-4])[- /](\d{4})$", "$2-Q$1"),
    *(
        (rf"^(\d{{4}})[- ]?[Qq]{quarter}$", f"$1-{3 * quarter - 2:02d}-01")
        for quarter in range(1, 5)
    ),
)
"""What is written in several ways, written in one: parts between single blanks, offsets with their minutes, a month or
quarter as its first day."""
_FORMS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d-%B-%Y",
    "%d-%B-%y",
    "%d %B %Y",
    "%d %B %y",
    "%d/%B/%Y",
    "%d%B%Y",
    "%B %d %Y",
    "%B-%d-%Y",
    "%Y-%B-%d",
    "%Y %B %d",
    "%G-W%V-%u",
)
_COMPACT = "%Y%m%d"
"""Read as a date only before a time of day; alone it is a number."""
_TURNED = (
    ("%d/%m/%Y", "%m/%d/%Y"),
    ("%d-%m-%Y", "%m-%d-%Y"),
    ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%m-%y", "%m-%d-%y"),
)
"""Forms that look alike: one of a pair counts when the other does not fit."""
_ALMOST = re.compile(r"\d{1,2}:\d\d|\b(?:1[5-9]|20)\d\d\b|'\d\d\b")
"""A time of day or a year: where all words have one and polars reads none, they are dates in a form of their own."""
_MOSTLY = 0.5
_SAMPLE = 100
_SHORTEST, _LONGEST = 6, 48
_NUMBER = r"^[-+]?\d*[.,]?\d*(?:[eE][-+]?\d+)?$"
_YEAR_AND_MONTH = r"^\d{4}\.\d{1,2}$"
_DAY = 86_400e6
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_EPOCHS = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
_EARLIEST, _LATEST = 1e8, 4.2e9
"""Seconds since 1970 from 1973 to 2103."""


@dataclass(frozen=True)
class Dates:
    """A column that is one of dates for the most part.

    ``days`` [n] has days since 1970-01-01 (UTC where an offset stands), null where there is none; ``strange`` [n] is
    true for words that are no dates; ``ambiguous`` says that day and month may be the other way round.
    """

    days: pl.Series
    strange: pl.Series
    ambiguous: bool


def find_dates(words: pl.Series) -> Dates | None:
    """The dates of a String column, null for a missing value; None where they are fewer than half of its words.

    Read are ISO 8601 with fractions, offsets and without the day, quarters and weeks, dates with dots, dashes and
    slashes, English names of months, AM and PM, and what RFC 2822, ctime and Apache write. One form a column.
    """
    sample = words.drop_nulls().head(_SAMPLE)
    if sample.is_empty() or not _may_be_dates(sample):
        return None
    tidy, rules = sample.str.strip_chars(), []
    for rule in _TIDY:
        if tidy.str.contains(rule[0]).any():
            rules.append(rule)
            tidy = tidy.str.replace_all(*rule)
    tidy = tidy.str.strip_chars()
    time = _time_form(tidy)
    forms = (*_FORMS, *([_COMPACT] if time else []))
    best = max((*forms, *sum(_TURNED, ())), key=lambda form: _moments(tidy, form + time).count())
    if _moments(tidy, best + time).count() < _MOSTLY * len(tidy):
        return None
    whole = _tidied(words, rules)
    moments, ambiguous = _moments(whole, best + time), False
    for pair in _TURNED:
        if best in pair:
            readings = [_moments(whole, form + time) for form in pair]
            complete = [
                reading for reading in readings if reading.null_count() == words.null_count()
            ]
            ambiguous = len(complete) == 2 and not (complete[0] == complete[1]).all()
            moments = complete[0] if complete else moments
    return Dates(days_of(moments), words.is_not_null() & moments.is_null(), ambiguous)


def parse_dates(words: pl.Series) -> pl.Series | None:
    """Days since 1970-01-01 of a String column whose words are all dates of one form; None when they are not."""
    dates = find_dates(words)
    if dates is None or dates.ambiguous or dates.strange.any():
        return None
    return dates.days


def look_like_dates(words: pl.Series) -> bool:
    """Whether all words have a year or a time of day beside another number, as dates that are not read have."""
    sample = words.drop_nulls().head(_SAMPLE)
    return (
        len(sample) > 0
        and _may_be_dates(sample)
        and all(_ALMOST.search(word) for word in sample)
        and bool(sample.str.contains(r"\d\D+\d").all())
    )


def days_of(moments: pl.Series) -> pl.Series:
    """Days since 1970-01-01 of a Date or Datetime column, Float64."""
    return moments.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / _DAY


def numbers_as_days(numbers: pl.Series) -> pl.Series | None:
    """Days since 1970-01-01 of whole numbers such as 20261122 or the seconds, or parts of them, since 1970.

    None where they are none. Small numbers may mean anything: ask the name of the column too (``roles.time_of``).
    """
    known = numbers.cast(pl.Float64, strict=False).drop_nulls().drop_nans()
    if known.is_empty() or not known.is_finite().all():
        return None
    low, high = float(known.min()), float(known.max())  # type: ignore[arg-type]
    for parts in _EPOCHS.values():
        if _EARLIEST * parts <= low and high <= _LATEST * parts:
            return numbers.cast(pl.Float64) / parts / 86_400
    if low >= 1900_01_01 and high <= 2100_12_31 and (known == known.round()).all():
        words = numbers.cast(pl.Int64).cast(pl.String)
        moments = _moments(words, _COMPACT)
        return days_of(moments) if moments.null_count() == words.null_count() else None
    return None


def _may_be_dates(sample: pl.Series) -> bool:
    """A cheap look: most words have the length of a date and a digit, and are no plain numbers."""
    fit = sample.str.contains(r"\d") & sample.str.len_chars().is_between(_SHORTEST, _LONGEST)
    fit &= ~sample.str.contains(_NUMBER) | sample.str.contains(_YEAR_AND_MONTH)
    return int(fit.sum()) >= _MOSTLY * len(sample)


def _tidied(words: pl.Series, rules: Sequence[tuple[str, str]]) -> pl.Series:
    """Words in one way of writing; rules that change none of the sample need not be tried."""
    tidy = words.str.strip_chars()
    for pattern, written in rules:
        tidy = tidy.str.replace_all(pattern, written)
    return tidy.str.strip_chars()


def _time_form(tidy: pl.Series) -> str:
    """The form of the time of day, with its offset, of words in the commonest shape; empty when they have none."""
    shapes = tidy.str.replace_all(r"\d+", "0")
    word = str(tidy[int((shapes == shapes.mode().sort()[0]).arg_true()[0])])
    match = re.search(r" \d{1,2}:\d\d(:\d\d(\.\d+)?)?( [AaPp]M)?([+-]\d\d:?\d\d)?$", word)
    if not match:
        return ""
    seconds, _, half, offset = match.groups()
    hour = "%I" if half else "%H"
    return (
        f" {hour}:%M"
        + (":%S%.f" if seconds else "")
        + (" %p" if half else "")
        + ("%z" if offset else "")
    )


def _moments(tidy: pl.Series, form: str) -> pl.Series:
    """Datetime of words in a form, null where they are none."""
    read = tidy.str.to_datetime(form, strict=False, time_unit="us")
    read = read.dt.replace_time_zone(None) if read.dtype.time_zone else read  # type: ignore[attr-defined]
    year = read.dt.year()
    return read.set((year < _FIRST_YEAR) | (year > _LAST_YEAR), None)
