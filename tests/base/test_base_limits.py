"""Limits of messages, numbers, files and words, from both sides of each."""

import gzip
import io
import math
import os
import signal
import stat
import sys
import zipfile

import polars as pl
import pytest
from refusals import refused

from benchbook import (
    apart,
    files,
    numerals,
    parquet,
    progress,
    rules,
    user_code,
    words,
)
from benchbook.errors import (
    BenchbookError,
    Fault,
    FaultyInput,
    MissingData,
    UnknownName,
    shortened,
    whole_number,
)
from benchbook.folds import random_folds
from benchbook.seeds import generator
from benchbook.stopping import Stopped, stoppable, undivided


def test_a_text_is_cut_where_it_is_longer_than_said():
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "abc... (4 characters)"
    assert shortened("a" * 200) == "a" * 200
    assert shortened("a" * 201) == "a" * 200 + "... (201 characters)"


@pytest.mark.parametrize(
    ("count", "first", "lines"),
    [(1, "x: 1 fault", 2), (20, "x: 20 faults", 21), (21, "x: 21 faults", 22)],
)
def test_twenty_faults_are_shown_and_the_rest_are_counted(count, first, lines):
    text = str(FaultyInput("x", [Fault(f"w{n}", "f", "r") for n in range(count)]))
    said = text.splitlines()
    assert (said[0], len(said)) == (first, lines)
    assert ("  ... and 1 more" in said) == (count > 20)


def test_what_an_error_ends_with():
    assert (BenchbookError.exit_code, MissingData.exit_code) == (2, 3)


def test_nearest_names_or_how_many_there_are():
    assert "Nearest: lin-1." in str(UnknownName("method", "LIN-1", ["knn", "lin-1"]))
    assert "There are 2 known ones" in str(UnknownName("method", "zzz", ["knn", "lin-1"]))
    assert "`benchbook losses list`" in str(UnknownName("loss", "zzz", []))
    assert "`benchbook methods list`" in str(UnknownName("method", "zzz", []))


@pytest.mark.parametrize("value", [1, 5])
def test_bounds_of_a_whole_number_belong_to_it(value):
    assert whole_number(value, "x", "n", 1, 5) == value


@pytest.mark.parametrize("value", [0, 6, True, 2.0, "2", None])
def test_what_is_no_whole_number_within_its_bounds(value):
    refused(FaultyInput, "a whole number, from 1 to 5", whole_number, value, "x", "n", 1, 5)


def test_as_many_bytes_as_allowed_are_unpacked_and_none_more(tmp_path):
    packed = gzip.compress(b"abcde")
    assert files.gunzip(packed + packed + b"\0\0", "x", 10) == b"abcdeabcde"
    refused(BenchbookError, "x", files.gunzip, packed, "x", 4)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"abc")
        archive.writestr("b", b"de")
    files.refuse_large_archive(path, 5)
    refused(BenchbookError, "a.zip", files.refuse_large_archive, path, 4)
    with zipfile.ZipFile(path) as archive:
        assert files.unzip(archive, "a", "x", 3) == b"abc"
        refused(BenchbookError, "x", files.unzip, archive, "a", "x", 2)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize(("given", "mode"), [({}, 0o644), ({"mode": 0o600}, 0o600)])
def test_who_may_read_a_file_that_is_written(tmp_path, given, mode):
    with files.atomic(tmp_path / "a", **given) as scratch:
        scratch.write_text("a")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_the_same_files_are_the_same_bytes_at_any_time():
    with zipfile.ZipFile(io.BytesIO(files.zipped({"a": b"x"}))) as archive:
        (only,) = archive.infolist()
        assert (only.filename, only.date_time, archive.read(only)) == (
            "a",
            (1980, 1, 1, 0, 0, 0),
            b"x",
        )


def test_a_column_that_came_later_is_completed_only_where_it_is_missing(tmp_path):
    pl.DataFrame({"a": [1], "later": ["b"]}).write_parquet(tmp_path / "new")
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "old")
    schema = {"a": pl.Int64(), "later": pl.String()}
    for name, value in (("new", "b"), ("old", "")):
        for columns in (None, ["a", "later"]):
            frame = parquet.read(
                tmp_path / name, columns, remedy="mend it", schema=schema, later=("later",)
            )
            assert frame.rows() == [(1, value)]


@pytest.mark.parametrize(("count", "good"), [(0, False), (1, True), (2, True), (3, False)])
def test_a_list_has_as_many_elements_as_its_rule_says(count, good):
    assert rules.list_of(rules.is_positive, "words", 1, 2).right([1] * count) == good
    assert rules.list_of(rules.is_positive, "words").right([1] * count)
    assert not rules.list_of(rules.is_positive, "words").right([1] * count + [0])


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (words.p_value(0.001), "p = 0.001"),
        (words.p_value(0.00099), "p < 0.001"),
        (words.p_value(None), "p undefined"),
        (words.size(1023), "1023 bytes"),
        (words.size(1 << 10), "1 KiB"),
        (words.size(1 << 20), "1 MiB"),
        (words.size(3 << 29), "1.5 GiB"),
        (words.size(1_234_567), "1.177 MiB"),
        (words.number(math.inf), "infinite"),
        (words.number(-math.inf), "minus infinite"),
        (words.number(math.nan), "undefined"),
        (words.counted(1, "method"), "1 method"),
        (words.counted(0, "method"), "0 methods"),
        (words.listed([]), "nothing"),
        (words.listed(["a"]), "a"),
        (words.slug("A b, c!"), "a-b-c"),
        (words.slug("!"), "chart"),
        (words.loss_label("S"), "squared error (target unit squared)"),
        (words.loss_label("S", standardised=True), "standardised squared error"),
        (words.loss_label("own"), "loss own"),
        (words.loss_label("own", standardised=True), "standardised loss own"),
        (words.listed(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_numbers_in_words(said, text):
    assert said == text


@pytest.mark.parametrize(
    ("word", "value"), [(" 1.5e3 ", 1500.0), ("-.5", -0.5), ("1.", 1.0), ("1e999", math.inf)]
)
def test_numerals(word, value):
    assert numerals.number(word) == value


@pytest.mark.parametrize("word", ["1_000", "\u0663", "nan", "inf", "", ".", "1e", "1 2", "0x1"])
def test_what_is_no_numeral(word):
    assert math.isnan(numerals.number(word))


def test_the_first_of_two_signals_is_the_one_that_stops():
    def asked_twice():
        with stoppable(), undivided():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped) as caught:
        asked_twice()
    assert caught.value.number == signal.SIGTERM


def test_a_process_starts_with_one_thread_and_leaves_this_one_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    main = sys.modules["__main__"]
    with apart._clean_start({"MINE": "a"}):
        assert sys.modules["__main__"] is not main
        assert {os.environ[name] for name in apart.THREADS} == {"1"}
        assert os.environ["MINE"] == "a"
    assert sys.modules["__main__"] is main
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert not {"MKL_NUM_THREADS", "MINE"} & os.environ.keys()


@pytest.mark.parametrize("shown", [True, False])
def test_a_bar_is_shown_or_not_as_said(shown):
    made = progress.bar(total=3, label="runs", unit="B", shown=shown)
    assert made.disable is not shown
    if shown:
        said = (made.total, made.desc, made.unit, made.delay, made.leave)
        assert said == (3, "runs", "B", 2, False)
        assert made.fp is sys.stderr or made.fp._wrapped is sys.stderr


def test_a_file_of_another_size_is_another_file_though_it_has_the_same_time(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("value = 1\n")
    when = path.stat().st_mtime_ns
    assert user_code.from_file(path).value == 1
    path.write_text("value = 12\n")
    os.utime(path, ns=(when, when))
    assert user_code.from_file(path).value == 12


def test_the_folder_of_a_file_is_on_the_path_once_it_is_imported(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    path, known = tmp_path / "mine.py", dict(sys.modules)
    path.write_text("1 / 0\n")
    refused(BenchbookError, "division", user_code.from_file, path)
    assert str(tmp_path) not in sys.path
    assert not [name for name in sys.modules.keys() - known if name.startswith("benchbook_user")]
    path.write_text("a = 1\n")
    user_code.from_file(path)
    assert sys.path.count(str(tmp_path)) == 1
    assert sys.path[-1] == str(tmp_path)


def test_what_code_of_a_users_replaced_is_named_and_taken_back():
    before = {name: getattr(words, name) for name in ("counted", "listed", "number", "size")}

    @user_code.untouched("mine.py")
    def replace():
        for name in before:
            setattr(words, name, str)

    with pytest.raises(user_code.Tampering) as caught:
        replace()
    assert {name: getattr(words, name) for name in before} == before
    assert str(caught.value).startswith(
        "mine.py replaces benchbook.words.number, benchbook.words.counted, benchbook.words.size and 1 more;"
    )


@pytest.mark.parametrize(("cases", "k", "good"), [(2, 2, True), (1, 1, False), (3, 4, False)])
def test_two_cases_are_two_folds_and_there_are_no_more_folds_than_cases(cases, k, good):
    if good:
        assert sorted(fold.test.tolist() for fold in random_folds(cases, k, generator(1))) == [
            [0],
            [1],
        ]
    else:
        refused(FaultyInput, "random folds", random_folds, cases, k, generator(1))
