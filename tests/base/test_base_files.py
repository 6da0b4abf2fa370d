"""Files are whole or absent, errors say what to do, seeds depend on names alone."""

import pickle
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.files import atomic
from benchbook.parquet import DamagedFile
from benchbook.seeds import generator
from benchbook.toml_files import NotToml


def test_a_file_appears_whole(tmp_path):
    with atomic(tmp_path / "deep" / "a.txt") as scratch:
        scratch.write_text("whole")
        assert not (tmp_path / "deep" / "a.txt").exists()
    assert (tmp_path / "deep" / "a.txt").read_text() == "whole"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["a.txt"]


def test_what_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError), atomic(path) as scratch:
        scratch.write_text("new \N{SNOWMAN}", encoding="ascii")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_folders_made_for_a_file_that_fails_go_with_it(tmp_path):
    (tmp_path / "old").mkdir()
    with (
        pytest.raises(UnicodeEncodeError),
        atomic(tmp_path / "old" / "new" / "deep" / "a.txt") as scratch,
    ):
        scratch.write_text("\N{SNOWMAN}", encoding="ascii")
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]


def test_a_path_below_a_file_or_onto_a_folder_is_told_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(BenchbookError, match="is a file"),
        atomic(tmp_path / "file" / "a.txt") as scratch,
    ):
        scratch.write_text("x")
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(BenchbookError, match="folder of that name"),
        atomic(tmp_path / "folder") as scratch,
    ):
        scratch.write_text("x")


def test_all_faults_are_kept_and_the_message_stays_short():
    faults = [Fault(f"case {i}", "nan", "must be finite") for i in range(50)]
    error = FaultyInput("a prediction", faults, "Mend them.")
    assert len(error.faults) == 50
    assert str(error).count("must be finite") == 20
    assert "30 more" in str(error)
    assert pickle.loads(pickle.dumps(error)).faults == error.faults
    others = (
        UnknownName("loss", "x", ["S"]),
        NotToml("w", "r", "a"),
        DamagedFile(Path("p"), "r", "m"),
    )
    for other in (error, *others):
        again = pickle.loads(pickle.dumps(other))
        assert (str(again), vars(again)) == (str(other), vars(other))


def test_streams_depend_on_the_seed_and_every_name():
    streams = [(1, "a", "b"), (1, "a", "c"), (1, "ab"), (2, "a", "b"), (1, "a", 0)]
    first = [float(generator(*names).random()) for names in streams]
    assert len(set(first)) == len(first)
    assert generator(1, "a", "b").random() == first[0]


def test_the_stream_of_a_name_is_the_same_for_ever():
    assert generator(1, "lin-1", "kin-8nm-sim/dist/std.64", 0).integers(0, 10**9) == 78545085
