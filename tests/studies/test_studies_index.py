"""The index of an archive: the same answers as without it, few files opened, and never one that is out of date."""

import itertools
import json
import shutil

import polars as pl
import pytest

from benchbook import parquet
from benchbook.archive import compact_files as compact
from benchbook.archive import index, store
from benchbook.errors import BenchbookError
from benchbook.studies import Archive, Choice, archive_path

PROTOTASKS = "kin-8nm-sim/dist", "kin-8nm-sim/other", "boston/price"
CHOICES = [
    {},
    {"tasks": "boston"},
    {"tasks": "kin-8nm-sim/dist/std.64"},
    {"tasks": "*/std.128"},
    {"tasks": "kin-8nm*"},
    {"tasks": "kin-8nm-sim/o*"},
    {"prototask": "boston/price", "methods": ["one"]},
    {"tasks": []},
    {"tasks": ["boston/price", "kin-8nm-sim/dist/std.*"], "methods": "t*"},
    {"methods": "three[deep=1]"},
    {"tasks": "kin-8nm-sim/dist"},
    {"tasks": "[bk]o*/price/std.64"},
    {"tasks": "nothing/of/this"},
]


@pytest.fixture
def public(tmp_path, made):
    """A compact archive of three methods on two tasks of each of three prototasks."""
    source = Archive(tmp_path / "source")
    for prototask, size, method in itertools.product(
        PROTOTASKS, (64, 128), ("one", "two", "three[deep=1]")
    ):
        source.write(made(method, f"{prototask}/std.{size}", 0))
    archive = Archive(tmp_path / "public")
    archive.publish(source)
    return archive


def without_index(archive, folder):
    """A copy as an older benchbook left it."""
    shutil.copytree(archive.path, folder)
    (folder / index.FILE).unlink()
    path = folder / "manifest.json"
    path.write_text(
        json.dumps(
            {key: value for key, value in json.loads(path.read_text()).items() if key != "index"}
        )
    )
    return Archive(folder)


def opened(monkeypatch):
    """The names of the Parquet files that are opened from now on."""
    names, read = [], parquet.read

    def note(path, *rest, **more):
        names.append(path.name)
        return read(path, *rest, **more)

    monkeypatch.setattr(parquet, "read", note)
    return names


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_an_archive_without_an_index_gives_the_same(public, tmp_path, choice):
    older = without_index(public, tmp_path / "older")
    assert index.read(older.path) is None
    assert index.read(public.path) is not None
    assert older.records(**choice).drop("archive").equals(public.records(**choice).drop("archive"))
    assert older.losses(**choice).equals(public.losses(**choice))


def test_what_is_left_out_unopened_holds_nothing_that_is_meant():
    tasks = [f"{prototask}/std.{size}" for prototask in PROTOTASKS for size in (64, 128)]
    for wanted, task in itertools.product(CHOICES, tasks):
        choice = Choice(**wanted)
        for method in ("one", "three[deep=1]"):
            assert choice.may_take(task.rsplit("/", 1)[0], method) or not choice.takes(method, task)
    assert not Choice(tasks="kin-8nm-sim/dist/std.64").may_take("boston/price", "one")
    assert not Choice(tasks="kin-8nm-sim/dist/*").may_take("kin-8nm-sim/other", "one")
    assert not Choice(tasks="kin").may_take("kin-8nm-sim/dist", "one")
    assert not Choice("kin-8nm-sim/dist", methods="two").may_take("kin-8nm-sim/dist", "one")
    assert not Choice("boston/*").may_take("kin-8nm-sim/dist", "one")


def test_records_open_no_file_of_runs_and_losses_those_that_are_needed(public, monkeypatch):
    names = opened(monkeypatch)
    assert len(public.records(tasks="*/std.64")) == 9
    assert names == []
    assert len(public.losses(tasks="boston/price/std.64", methods="t*", code="S")) == 2 * 64
    assert sorted(names) == ["price+cases.parquet", "three%5Bdeep%3D1%5D.parquet", "two.parquet"]


def test_an_older_archive_opens_the_files_of_the_prototask_that_is_asked_for(
    public, tmp_path, monkeypatch
):
    older = without_index(public, tmp_path / "older")
    names = opened(monkeypatch)
    older.records(tasks="boston/price/std.64", methods="one")
    assert names == ["one.parquet"]


def changed(archive):
    """Other records of a method, in a file that is written as publishing does."""
    path = compact.packed_path(archive.path, "boston/price", "one")
    frame = pl.read_parquet(path).with_columns(
        seed=pl.lit(77, pl.Int64), error=pl.lit("a longer text")
    )
    return path, frame


def test_an_index_is_not_used_once_the_files_are_others(public):
    path, frame = changed(public)
    store.write_parquet(
        frame, path
    )  # as by a writer that knows of no index and is killed before the manifest
    (public.path / index.FILE).touch()
    assert set(public.records(tasks="boston", methods="one")["seed"]) == {77}


def test_an_index_is_not_used_with_a_manifest_that_lists_other_files(public):
    assert index.read(public.path) is not None
    assert index.read(public.path) is not None
    path, frame = changed(public)
    store.write_parquet(frame.with_columns(error=pl.lit("")), path)
    manifest = public.manifest()
    manifest["files"]["boston/price/one.parquet"] = compact.file_entry(path)
    (public.path / "manifest.json").write_text(
        json.dumps(manifest)
    )  # as an older benchbook publishes
    assert index.read(public.path) is None
    assert index.read(public.path) is None
    assert set(public.records(tasks="boston", methods="one")["seed"]) == {77}


@pytest.mark.parametrize("name", ["boston/price/one.parquet", "boston/price/new.parquet"])
def test_an_index_is_not_used_when_a_file_has_gone_or_come(public, name):
    path = public.path / name
    if path.exists():
        path.unlink()
    else:
        shutil.copy(path.with_name("one.parquet"), path)
    (public.path / index.FILE).touch()
    assert index.read(public.path) is None


def test_a_damaged_index_is_not_used(public):
    path = public.path / index.FILE
    assert index.read(public.path) is not None
    before, content = public.records(), bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert index.read(public.path) is None
    assert index.read(public.path) is None
    assert public.records().equals(before)
    path.unlink()
    assert public.records().equals(before)


def test_a_writer_that_is_stopped_leaves_no_index_and_the_next_one_makes_it_again(
    public, tmp_path, made, monkeypatch
):
    newer = Archive(tmp_path / "newer")
    for method in ("one", "two"):
        newer.write(made(method, "boston/price/std.64", 0, seed=9))
    write, written = compact.write_packed, []

    def stop_at_the_second(*arguments):
        if written:
            raise KeyboardInterrupt
        written.append(write(*arguments))
        return written[0]

    monkeypatch.setattr(compact, "write_packed", stop_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        public.publish(newer)
    assert index.read(public.path) is None
    assert public.records(tasks="boston/price/std.64")["seed"].to_list() == [9, 1, 1]
    monkeypatch.undo()
    public.publish(newer)
    assert index.read(public.path) is not None
    assert public.records(tasks="boston/price/std.64")["seed"].to_list() == [9, 1, 9]


def test_the_index_does_not_depend_on_the_way_to_the_archive(public, tmp_path):
    other = Archive(tmp_path / "other")
    for method in ("three*", "two", "one"):
        other.publish(public, methods=method)
    other.publish(public, tasks="boston")
    assert other.manifest() == public.manifest()
    assert (other.path / index.FILE).read_bytes() == (public.path / index.FILE).read_bytes()


def test_a_run_of_ones_own_goes_before_the_one_in_the_index(public, made):
    public.write(made("one", "boston/price/std.64", 0, seed=5))
    assert public.records(tasks="boston/price/std.64", methods="one")["seed"].to_list() == [5]
    assert len(public.records()) == 18


def test_the_index_of_the_book_is_up_to_date():
    assert index.read(archive_path()) is not None, (
        "run `benchbook archive publish` to make the index again"
    )


def test_a_manifest_without_digests_is_damaged(public):
    path = public.path / "manifest.json"
    for wrong in (
        [],
        {"format": 1},
        {"format": 1, "files": {"a": {}}},
        {"format": 1, "files": {"a": {"sha256": 1}}},
    ):
        path.write_text(json.dumps(wrong))
        with pytest.raises(BenchbookError, match="is damaged"):
            public.manifest()


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("a/b/m.parquet", True),
        ("a/b/m%2Bcases.parquet", True),
        ("a/b+cases.parquet", False),
        ("a/b/.m.parquet", False),
        ("a/b/m.parquet.damaged", False),
        ("records.parquet", False),
    ],
)
def test_what_holds_packed_runs_is_told_by_its_name(name, runs):
    assert compact.is_runs(name) == runs
