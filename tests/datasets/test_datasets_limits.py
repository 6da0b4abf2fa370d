"""Where the rules of reading data begin and end: each limit from both sides, and what comes first."""

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import platformdirs
import polars as pl
import pytest
from registries import read_registry

from benchbook import datasets
from benchbook.datasets import IntegerRange, Interval, lookup, registry, roots
from benchbook.datasets.user import dates, places, roles, stored, tables, texts
from benchbook.datasets.user.guess import Wishes, guess
from benchbook.datasets.user.tables import Table, read_table
from benchbook.errors import FaultyInput


def guessed(values, known=None, **wishes):
    column = pl.Series("x", values)
    table = Table("t", pl.DataFrame({"x": column}), known=known or {})
    return guess(table, "x", 1, "x", Wishes(**wishes))


@pytest.mark.parametrize(
    ("values", "nature", "words"),
    [
        ([f"w{i}" for i in range(100)] * 2, "nominal", ""),
        ([f"w{i}" for i in range(101)] * 2, "", "101 different words"),
        ([0.5, 1.5] * 20, "real", ""),
        ([1.0, 2.0] * 20, "binary", ""),
        ([1.0, float("nan"), 3.0, 4.0], "integer", ""),
        ([float("nan")] * 4, "", "it has no value"),
        ([1e150, 1.0, 2.5], "real", ""),
        ([1e151, 1.0, 2.5], "", "whose square is finite"),
        (["a"] * 4, "", "it is 'a' in every case"),
        ([f"{i} kg" for i in range(10)], "nominal", ""),
        ([f"{i} kg" for i in range(11)], "", "take the sign or unit away"),
        (["x", "y", *map(str, range(2))], "nominal", ""),
        (["x", *map(str, range(2))], "nominal", ""),
    ],
)
def test_what_a_column_is_at_the_limits(values, nature, words):
    made = guessed(values)
    assert (made.attribute.nature if made.attribute else "") == nature
    assert words in made.why + " ".join(map(str, made.faults))


def written(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    ("limit", "most", "said"), [("MOST_VALUES", 4, "values"), ("MOST_ATTRIBUTES", 2, "columns; 1")]
)
def test_tables_may_be_as_large_as_is_said(tmp_path, monkeypatch, limit, most, said):
    pl.DataFrame({"a": [1, 2], "b": [3, 4]}).write_parquet(tmp_path / "p.parquet")
    paths = tmp_path / "p.parquet", written(tmp_path, "x.csv", "a,b\n1,2\n3,4\n")
    assert (texts.MOST_VALUES, tables._MOST_VALUES) == (30_000_000, 60_000_000)
    for less in (0, 1):
        monkeypatch.setattr(texts, limit, most + 2 * (limit == "MOST_VALUES") - less)
        monkeypatch.setattr(tables, limit.replace("MOST_V", "_MOST_V"), most - less)
        for path in paths:
            with pytest.raises(FaultyInput, match=said) if less else nullcontext():
                assert read_table(path).frame.shape == (2, 2)


def test_names_of_a_dt_file_must_differ(tmp_path):
    path = tmp_path / "x.dt"
    for names, found in (
        ("in a\nin b\nout c\n", ("a", "b")),
        ("in a\nin a\nout c\n", ("in1", "in2")),
    ):
        path.with_name("x.names").write_text(names)
        assert tables._dt_names(path, 2, 1)[0] == found


@pytest.mark.parametrize(
    ("data", "names", "rows"),
    [
        ("a,b;c,d\n1,2;3,4\n", ["a", "b;c", "d"], [("1", "2;3", "4")]),
        ("a;b,c\n1;2,5\n", ["a", "b,c"], [("1", "2,5")]),
        ("2019,region\n5,n\n6,s\n", ["2019", "region"], [("5", "n"), ("6", "s")]),
        ("a,b\n1,2\n3,4,\n"[:-2] + "\n", ["a", "b"], [("1", "2"), ("3", "4")]),
        ("a,b\n\u20ac,2\n".encode("cp1252"), ["a", "b"], [("\u20ac", "2")]),
        ('a,b\n"1,5",2\n3,4\n', ["a", "b"], [("1,5", "2"), ("3", "4")]),
        (",b,\n1,2,3\n", ["column1", "b", "column3"], [("1", "2", "3")]),
    ],
)
def test_separators_names_and_encodings(tmp_path, data, names, rows):
    read = texts.read_text(written(tmp_path, "x.csv", data))
    assert (read.frame.columns, read.frame.rows()) == (names, rows)


# -- roles and dates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "cases", "found"), [(20, 40, True), (19, 60, False), (30, 60, True), (31, 60, False)]
)
def test_groups_are_twenty_at_least_and_half_as_many_as_cases_at_most(groups, cases, found):
    assert roles.is_group(pl.Series(np.arange(cases) % groups), "patient") is found


def test_dates_have_years_of_four_digits_that_may_be_meant():
    for word, read in (
        ("1000-01-01", True),
        ("0999-01-01", False),
        ("2999-12-31", True),
        ("3000-01-01", False),
    ):
        assert (dates.parse_dates(pl.Series([word])) is not None) is read
    for number, read in (
        (1.01e8, True),
        (0.99e8, False),
        (4.1e9, True),
        (19000101, True),
        (18991231, False),
        (21001231, True),
        (21010101, False),
    ):
        assert (dates.numbers_as_days(pl.Series([number])) is not None) is read, number
    assert dates.numbers_as_days(pl.Series([1.0, 1.5e9])) is None


# -- where things are -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "forbidden"),
    [("off", False), (" NO ", False), ("False", False), ("", False), ("on", True)],
)
def test_downloads_are_forbidden_by_any_other_word(monkeypatch, word, forbidden):
    monkeypatch.setenv("BENCHBOOK_OFFLINE", word)
    assert roots.offline() is forbidden


def test_the_first_folder_that_has_a_file_counts_plain_or_packed(tmp_path, monkeypatch):
    first, second = tmp_path / "1", tmp_path / "2"
    for folder in (first, second):
        folder.mkdir()
    monkeypatch.setenv("BENCHBOOK_DATA", os.pathsep.join(map(str, (first, second))))
    monkeypatch.setenv("BENCHBOOK_DATA", os.pathsep.join(map(str, ("", " ", first, second))))
    assert roots.data_folders() == (first, second)
    (second / "x").touch()
    assert lookup.place("x") == second / "x"
    (first / "x.gz").touch()
    assert lookup.place("x") == first / "x.gz"
    (first / "x").touch()
    assert lookup.place("x") == first / "x"


def test_data_beside_the_work_go_before_those_at_home_and_hidden_folders_are_none(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path / "home"))
    (tmp_path / "work" / "below").mkdir(parents=True)
    near, far, kept = (
        tmp_path / "work" / "below" / places.BESIDE,
        tmp_path / "work" / places.BESIDE,
        tmp_path / "home" / "datasets",
    )
    monkeypatch.chdir(tmp_path / "work" / "below")
    for shelf, names in ((kept, "abc"), (far, "ab"), (near, "a")):
        for name in (*names, ".hidden"):
            (shelf / name).mkdir(parents=True)
            (shelf / name / places.CARD).touch()
    assert places.shelves() == (near, far, kept)
    assert places.folders() == {"a": near / "a", "b": far / "b", "c": kept / "c"}


def test_cases_that_are_kept_have_as_many_rows_as_their_card_says(tmp_path):
    frame = pl.DataFrame({"x": [1.0, 2.0]})
    frame.write_parquet(tmp_path / "cases.parquet")
    file = stored.source_file(tmp_path / "cases.parquet", "here")
    attribute = datasets.Attribute(1, "x", "real", Interval(0, 9))
    card = replace(
        datasets.card("boston"), attributes=(attribute,), files=(file,), shape=datasets.Shape(2, 1)
    )
    assert stored.cases(card, tmp_path).equals(frame)
    for wrong in ({"shape": datasets.Shape(3, 1)}, {"attributes": (replace(attribute, name="y"),)}):
        with pytest.raises(FaultyInput, match="the card says"):
            stored.cases(replace(card, **wrong), tmp_path)


def test_words_that_run_together_are_other_values():
    attribute = datasets.Attribute(1, "w", "nominal", ("a", "ab", "b", "bb"))
    card = replace(datasets.card("boston"), attributes=(attribute,))
    digests = {
        datasets.Dataset("x", card, pl.DataFrame({"w": words})).digest
        for words in (["a", "bb"], ["ab", "b"])
    }
    assert len(digests) == 2
    summary = datasets.Dataset("x", card, pl.DataFrame({"w": ["a", "b", None]})).summary()
    assert summary["distinct"].to_list() == [2]


def test_ranges_at_their_limits():
    assert len(IntegerRange(1, 10_000).values()) == 10_000
    assert IntegerRange(1, 10_001).values() == ()
    assert datasets.parse_range("[1,1]") == Interval(1, 1)
    assert datasets.format_range(Interval(-1e15, -1e14)) == "[-1000000000000000.0,-100000000000000]"


CARD = """
title = "t"
origin = "natural"
usage = "development"
family = "small"
description = "d"
citation = "c"
licence = "none"
shape = [4, 2]
targets = ["y"]
reader = "table"
attributes = [["x", "real", "[0,1]", "input"], ["y", "integer", "0..9", "output"]]
"""


def test_cards_are_like_one_another_over_several_steps_and_say_who_chose_their_usage(tmp_path):
    chain = "".join(f'[groups.g{number}]\nlike = "g{number + 1}"\n' for number in range(4))
    path = tmp_path / "registry.toml"
    path.write_text(f'{chain}[groups.g4]\nnotes = ["far"]\n[datasets.d]\nlike = "g0"\n{CARD}')
    card = read_registry(path)["d"]
    assert (card.notes, card.usage_from) == (("far",), "benchbook")
    for partition, fine in (([2, 1, 1], True), ([1, 1, 1], False), ([2, 2, 1], False)):
        path.write_text(f"[datasets.d]\npartition = {partition}\n{CARD}")
        if fine:
            assert read_registry(path)["d"].partition == (2, 1, 1)
        else:
            with pytest.raises(FaultyInput, match="its shape says 4"):
                read_registry(path)


def test_a_faulty_card_of_the_book_takes_its_name_all_the_same(tmp_path, monkeypatch):
    folder = tmp_path / "d"
    folder.mkdir()
    (folder / places.CARD).write_text(f"[datasets.d]\n{CARD}")
    monkeypatch.setattr(registry.places, "folders", lambda: {"d": folder})
    monkeypatch.setattr(registry, "of_registry", lambda: ({}, {"d": FaultyInput("d", [])}))
    known, faulty = registry.cards.__wrapped__()
    assert (known, list(faulty)) == ({}, ["d"])
    monkeypatch.setattr(registry, "of_registry", lambda: ({}, {}))
    known, faulty = registry.cards.__wrapped__()
    assert (known["d"].folder, faulty) == (folder, {})
    (folder / places.CARD).write_text(f"[datasets.d]\n{CARD}[datasets.e]\n{CARD}")
    assert "the card of d and no other" in str(registry.cards.__wrapped__()[1]["d"])


def test_stand_ins_have_six_decimals():
    values = datasets.load("sklearn-diabetes1").cases.to_numpy()
    assert np.array_equal(values, values.round(6))
    assert not np.array_equal(values, values.round(5))


def test_a_host_may_take_longer_for_a_large_file(monkeypatch):
    from benchbook.datasets import download

    waited = []

    class Queue:
        def get(self, timeout):
            waited.append(timeout)
            return b"x"

    monkeypatch.setattr(download.queue, "SimpleQueue", Queue)
    monkeypatch.setattr(download, "_read", lambda *args: None)
    for size in (0, 600_000):
        assert download._in_time(SimpleNamespace(bytes=size)) == b"x"
    assert waited == [60.0, 120.0]


def test_settings_and_data_are_where_the_system_has_them_unless_it_is_said(tmp_path, monkeypatch):
    for name in ("BENCHBOOK_HOME", "BENCHBOOK_CACHE"):
        monkeypatch.setenv(name, " ")
    assert places.home() == Path(platformdirs.user_config_path("benchbook"))
    assert roots.cache_folder() == Path(platformdirs.user_cache_dir("benchbook"))
    monkeypatch.setattr(roots, "__file__", str(tmp_path / "a" / "b" / "c" / "roots.py"))
    monkeypatch.chdir(tmp_path)
    assert roots.repository_root() is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "registry.toml").touch()
    assert roots.repository_root() is None
    (tmp_path / "src" / "benchbook").mkdir(parents=True)
    assert roots.repository_root() == tmp_path
