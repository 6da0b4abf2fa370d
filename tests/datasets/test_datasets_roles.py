"""What a column is for besides being an input: a time, a person, the index of a frame."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from benchbook.datasets.user.roles import (
    counts_cases,
    follows_order,
    is_group,
    is_identifier,
    is_index,
    is_named_as_group,
    is_unread_time,
    name_words,
    other_targets,
    time_of,
)

RNG = np.random.default_rng(1)
GAPS = pl.Series(np.delete(np.arange(100), [3, 50, 51]))
SHUFFLED = pl.Series(RNG.permutation(GAPS.to_numpy()))


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Unnamed: 0",
        "Unnamed: 0.1",
        "__index_level_0__",
        "index",
        "Index",
        "level_0",
        "row_id",
        "rownames",
    ],
)
@pytest.mark.parametrize("column", [GAPS, SHUFFLED, GAPS.cast(pl.Float64), GAPS.cast(pl.String)])
def test_an_index_of_a_frame_is_seen_by_its_name(name, column):
    assert is_index(column.alias(name or "x"), name or "Unnamed: 0")


def test_a_column_that_the_file_calls_its_index_is_one():
    assert is_index(SHUFFLED, "nr", index_names=("nr",))
    assert not is_index(SHUFFLED, "nr")


def test_numbers_that_come_twice_or_have_fractions_are_no_index():
    assert not is_index(pl.Series([0, 1, 1, 2]), "index")
    assert not is_index(pl.Series([0.5, 1.5, 2.5]), "index")
    assert not is_index(pl.Series([0, None, 2]), "index")


def test_every_number_once_counts_the_cases():
    assert counts_cases(pl.Series([3, 1, 2]))
    assert not counts_cases(GAPS)
    assert is_index(pl.Series([3, 1, 2]), "size")


def test_a_named_number_that_is_different_in_every_case_is_an_identifier():
    assert is_identifier(SHUFFLED * 7, "customerID")
    assert is_identifier(pl.Series([f"k{i}" for i in range(9)]), "patient")
    assert not is_identifier(SHUFFLED * 7, "area")
    assert not is_identifier(pl.Series([1, 1, 2]), "id")
    assert not is_identifier(pl.Series([0.5, 1.5]), "id")


def test_row_numbers_of_a_sorted_table_follow_the_target():
    target = pl.Series(np.sort(RNG.normal(size=97)))
    assert follows_order(GAPS, target)
    assert follows_order(GAPS, -target)
    assert follows_order(GAPS, pl.Series(["a"] * 50 + ["b"] * 47))
    assert not follows_order(SHUFFLED, target)
    assert not follows_order(GAPS, pl.Series([1.0] * 97))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customerID", {"customer", "id"}),
        ("PatientId", {"patient", "id"}),
        ("site_2", {"site", "2"}),
        ("ID", {"id"}),
    ],
)
def test_names_are_taken_apart(name, words):
    assert name_words(name) == words


def test_persons_are_seen_by_names_or_by_words_that_come_again():
    persons = pl.Series(RNG.integers(0, 30, 200))
    assert is_group(persons, "patientID")
    assert not is_group(persons, "rooms")
    assert is_group(persons.cast(pl.String), "town")
    assert not is_group(pl.Series(np.arange(200)), "patient")
    assert not is_group(pl.Series([f"2024-01-{1 + i % 28:02d}" for i in range(200)]), "when")
    assert is_named_as_group("subject_nr")
    assert not is_named_as_group("width")


def test_a_time_is_known_from_dates_and_from_numbers_whose_name_says_so():
    days = pl.Series([dt.date(2024, 1, 1), dt.date(2024, 1, 3)])
    assert time_of(days, "x").to_list() == [19_723, 19_725]
    assert time_of(pl.Series(["2024-01", "2024-03"]), "x").to_list() == [19_723, 19_783]
    seconds = pl.Series([1.7e9, 1.7e9 + 86_400])
    assert time_of(seconds, "timestamp") is not None
    assert time_of(seconds, "price") is None
    assert time_of(pl.Series([20240105, 20240106]), "saleDate").to_list() == [19_727, 19_728]


def test_birthdays_and_constants_are_no_time_of_measurement():
    days = pl.Series([dt.date(1980, 1, 1), dt.date(1990, 1, 3)])
    assert time_of(days, "date_of_birth") is None
    assert time_of(days, "DOB") is None
    assert time_of(pl.Series(["2024-01-01"] * 3), "date") is None
    assert time_of(pl.Series([None, None], dtype=pl.String), "date") is None


def test_dates_that_are_not_read_are_remarked():
    assert is_unread_time(pl.Series(["3. Mai 2024", "4. Mai 2024"]))
    assert not is_unread_time(pl.Series(["2024-01-01"]))


@pytest.mark.parametrize(
    ("target", "names", "others"),
    [
        ("y1", ["x0", "x1", "x2", "x3", "y1", "y2", "y3"], ["y2", "y3"]),
        ("target_a", ["width", "target_a", "target_b", "size"], ["target_b"]),
        ("price", ["size", "price", "label"], ["label"]),
        ("x3", ["x1", "x2", "x3", "x4"], []),
        ("rent", ["area", "rooms", "rent"], []),
        ("y", ["x", "y"], []),
    ],
)
def test_other_targets_are_known_by_their_names(target, names, others):
    assert other_targets(target, names) == others
