"""Dates in the forms that people and programs write: days since 1970, or no dates."""

import datetime as dt

import polars as pl
import pytest

from benchbook.datasets.user.dates import (
    find_dates,
    look_like_dates,
    numbers_as_days,
    parse_dates,
)

DAY = dt.datetime(2024, 2, 13)
FORMS = {
    "2024-02-13": DAY,
    "2024/2/13": DAY,
    "2024.02.13": DAY,
    "13.02.2024": DAY,
    "13.2.24": DAY,
    "13/02/2024": DAY,
    "02/13/2024": DAY,
    "2-13-24": DAY,
    "13-Feb-24": DAY,
    "13-feb-2024": DAY,
    "13 February 2024": DAY,
    "13 Feb. 2024": DAY,
    "February 13th, 2024": DAY,
    "Feb 13, 2024": DAY,
    "13FEB2024": DAY,
    "2024-Feb-13": DAY,
    "Tuesday, 13 February 2024": DAY,
    "2024-02": DAY.replace(day=1),
    "02/2024": DAY.replace(day=1),
    "Feb 2024": DAY.replace(day=1),
    "Feb-24": DAY.replace(day=1),
    "2024M02": DAY.replace(day=1),
    "2024-Q1": DAY.replace(month=1, day=1),
    "2024q3": DAY.replace(month=7, day=1),
    "Q4 2024": DAY.replace(month=10, day=1),
    "2024-W07": dt.datetime(2024, 2, 12),
    "2024-02-13 10:05": DAY.replace(hour=10, minute=5),
    "2024-02-13T10:05:06": DAY.replace(hour=10, minute=5, second=6),
    "2024-02-13 10:05:06.250": DAY.replace(hour=10, minute=5, second=6, microsecond=250_000),
    "2024-02-13 10:05:06,250": DAY.replace(hour=10, minute=5, second=6, microsecond=250_000),
    "2024-02-13T10:05:06.123456789": DAY.replace(hour=10, minute=5, second=6, microsecond=123_456),
    "2024-02-13T10:00:00Z": DAY.replace(hour=10),
    "2024-02-13 10:00:00 UTC": DAY.replace(hour=10),
    "2024-02-13T10:00:00+01:00": DAY.replace(hour=9),
    "2024-02-13 10:00:00+01": DAY.replace(hour=9),
    "2024-02-13 10:00:00 -0530": DAY.replace(hour=15, minute=30),
    "2024-02-13T10:00:00.000+0000": DAY.replace(hour=10),
    "2024-02-13T10:00+01:00[Europe/Zurich]": DAY.replace(hour=9),
    "20240213T101112Z": DAY.replace(hour=10, minute=11, second=12),
    "20240213 10:11": DAY.replace(hour=10, minute=11),
    "13.02.2024 07:00": DAY.replace(hour=7),
    "02/13/2024 02:00:00 PM": DAY.replace(hour=14),
    "2/13/2024 2:05 p.m.": DAY.replace(hour=14, minute=5),
    "2/13/2024 12:00am": DAY,
    "12/31/2023, 11:59:59 PM": dt.datetime(2023, 12, 31, 23, 59, 59),
    "Tue, 13 Feb 2024 10:00:00 GMT": DAY.replace(hour=10),
    "Tue Feb 13 10:00:00 2024": DAY.replace(hour=10),
    "13/Feb/2024:10:00:00 +0000": DAY.replace(hour=10),
}


@pytest.mark.parametrize("word", FORMS)
def test_a_form_of_dates_is_read(word):
    days = parse_dates(pl.Series(["", word, None]).replace("", None))
    assert days is not None
    wanted = (FORMS[word] - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    assert days.to_list() == [None, pytest.approx(wanted, abs=1e-9), None]


@pytest.mark.parametrize(
    "word",
    ["red", "a1", "1.2", "1.2.3.4", "12-34", "n7", "10 kg", "5 m/s", "2021-13-45", "May", "1/2"],
)
def test_other_words_are_no_dates(word):
    assert parse_dates(pl.Series([word])) is None


def test_offsets_and_fractions_may_differ_from_case_to_case():
    words = ["2024-03-31T01:30:00+01:00", "2024-03-31T03:30:00.5+02:00", "2024-03-31T01:30:01Z"]
    days = parse_dates(pl.Series(words))
    assert days is not None
    assert (days * 86_400 % 86_400).round(3).to_list() == [1800.0, 5400.5, 5401.0]


def test_day_and_month_that_may_be_turned_are_not_guessed():
    dates = find_dates(pl.Series(["05/06/2024", "07/08/2024"]))
    assert dates is not None
    assert dates.ambiguous
    assert parse_dates(pl.Series(["05/06/2024", "07/08/2024"])) is None
    assert parse_dates(pl.Series(["05/05/2024", "07/07/2024"])) is not None


def test_the_word_that_is_no_date_is_known():
    words = pl.Series(["2024-01-01 10:00", None, "soon", "2024-01-03 10:00"])
    dates = find_dates(words)
    assert dates is not None
    assert dates.strange.to_list() == [False, False, True, False]


def test_dates_in_another_language_look_like_dates_and_names_do_not():
    assert look_like_dates(pl.Series(["1. März 2024", "12. Mai 2024"]))
    assert look_like_dates(pl.Series(["2024-03-01 10:00:00 CET"]))
    assert not look_like_dates(pl.Series(["room 12", "house 7"]))
    assert not look_like_dates(pl.Series(["1. März 2024", "unknown"]))


@pytest.mark.parametrize("parts", [1, 1e3, 1e6, 1e9])
def test_seconds_since_1970_in_any_part_are_days(parts):
    days = numbers_as_days(pl.Series([1_700_006_400 * parts, None]))
    assert days is not None
    assert days[0] == pytest.approx(19_676)


def test_numbers_that_spell_dates_are_days_and_others_are_none():
    days = numbers_as_days(pl.Series([20240101, 20241231]))
    assert days is not None
    assert days.to_list() == [19_723, 20_088]
    assert numbers_as_days(pl.Series([20241301, 20241231])) is None
    assert numbers_as_days(pl.Series([1.0, 2.0])) is None
    assert numbers_as_days(pl.Series([float("inf")])) is None
