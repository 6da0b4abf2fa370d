"""Saved comparisons: read as they were written or refused, and never lost by saving again."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import Ridge

import benchbook
from benchbook import files, parquet
from benchbook.comparison import stored
from benchbook.errors import BenchbookError
from benchbook.seeds import generator

ROWS = np.arange(40)
X = generator(1, "saved").normal(size=(40, 2))


@pytest.fixture(scope="module")
def of():
    return benchbook.compare(
        {"ridge": Ridge()}, X, X[:, 0], design=3, effort="quick", cache=False, groups=ROWS // 2
    )


@pytest.fixture
def folder(of, tmp_path):
    return of.save(tmp_path / "one")


def load(folder):
    return benchbook.Comparison.load(folder)


def same(one, other):
    return repr(one) == repr(other) and one.losses.equals(other.losses)


def test_every_flipped_cut_or_lost_file_is_named(of, folder):
    rng = generator(1, "damage")
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        flipped = bytearray(content)
        flipped[int(rng.integers(len(content)))] ^= 1 << int(rng.integers(8))
        for damaged in (bytes(flipped), content[: int(rng.integers(len(content)))], b""):
            path.write_bytes(damaged)
            with pytest.raises(BenchbookError, match=f"{path.name} is damaged.*compare again"):
                load(folder)
        path.unlink()
        with pytest.raises(BenchbookError, match=f"parts of it are missing: .*{path.name}"):
            load(folder)
        path.write_bytes(content)
    assert same(load(folder), of)


def test_a_file_of_another_comparison_or_program_or_a_huge_one_is_refused(of, folder, monkeypatch):
    losses, path = of.losses, folder / "losses.parquet"
    for frame in (losses.with_columns(value=pl.col("value") + 1), losses.head(3)):
        parquet.write(frame, path)
        with pytest.raises(BenchbookError, match=r"losses\.parquet is damaged"):
            load(folder)
    losses.write_parquet(path)
    with pytest.raises(BenchbookError, match=r"losses\.parquet is damaged"):
        load(folder)
    huge = {"a": np.zeros(1 << 20)}
    parquet.write_arrays(huge, {"format": 2}, folder / stored._MAIN)
    assert (folder / stored._MAIN).stat().st_size < 1 << 16
    monkeypatch.setattr(stored, "_MOST", 1 << 20)
    with pytest.raises(BenchbookError, match="more than 1 MB unpacked"):
        load(folder)
    (folder / stored._MAIN).write_bytes(bytes(2 << 20))
    with pytest.raises(BenchbookError, match=r"more than 1 MB\)"):
        load(folder)


def test_facts_that_are_deep_or_of_another_kind_are_refused(folder):
    for facts in ([], 3, {}, {"format": 2}, {"format": 2, "files": []}):
        parquet.write_arrays({}, facts, folder / stored._MAIN)
        with pytest.raises(BenchbookError, match="no saved comparison"):
            load(folder)
    rows = [("", "json", [], b"[" * 200_000)]
    parquet.write(pl.DataFrame(rows, schema=parquet._ARRAYS, orient="row"), folder / stored._MAIN)
    with pytest.raises(BenchbookError, match="recursion"):
        load(folder)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
@pytest.mark.parametrize("at", ["mkdtemp", "write_bytes", "rename"])
def test_a_save_that_fails_says_why_and_leaves_what_was_there(of, folder, monkeypatch, number, at):
    def fails(*_, **__):
        raise OSError(number, os.strerror(number))

    holder = files.tempfile if at == "mkdtemp" else Path
    with monkeypatch.context() as patch:
        patch.setattr(holder, at, fails)
        with pytest.raises(BenchbookError, match=f"cannot write {folder}: ") as caught:
            of.save(folder)
    assert ".part" not in str(caught.value)
    assert [path.name for path in folder.parent.iterdir()] == ["one"]
    assert same(load(folder), of)


def test_a_process_that_ends_between_two_renames_loses_nothing(of, folder, monkeypatch):
    really, count = Path.rename, iter(range(9))

    def ends(self, to):
        if next(count) == 1:
            raise KeyboardInterrupt
        return really(self, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", ends)
        patch.setattr(files, "put_back", lambda path: path.with_name(f".{path.name}.before"))
        with pytest.raises(KeyboardInterrupt):
            of.save(folder)
    assert [path.name for path in folder.parent.iterdir()] == [".one.before"]
    assert same(load(folder), of)
    assert [path.name for path in folder.parent.iterdir()] == ["one"]
    shutil.copytree(folder, folder.parent / ".one.before")  # ended before it was removed
    of.save(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["one"]
