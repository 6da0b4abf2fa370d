"""Damage: a flipped bit in any file of an archive gives a message or changes nothing, and a study goes on."""

import io
import json

import numpy as np
import polars as pl
import pytest
from archives import consolidate

from benchbook import parquet
from benchbook.archive import compact_files as compact
from benchbook.archive.store import file_state, run_path, set_aside
from benchbook.errors import BenchbookError
from benchbook.seeds import generator
from benchbook.studies import Archive, Overlay, Plan, RunKey, run, run_one

TASK, LARGER = "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"
FLIPS = 100


@pytest.fixture
def mixed(tmp_path, made):
    """Compact runs, single runs beside them, the index and the manifest."""
    archive = Archive(tmp_path / "archive")
    for method in ("one", "two"):
        for instance in range(2):
            archive.write(made(method, TASK, instance))
    consolidate(archive)
    for instance in range(2):
        archive.write(made("three", LARGER, instance))
    archive.write(made("one", TASK, 1, seed=8))
    return archive


def without_seals(archive):
    """The compact files as an older benchbook wrote them: their digests are in the manifest alone."""
    manifest = archive.manifest()
    for name in manifest["files"]:
        path, buffer = archive.path / name, io.BytesIO()
        pl.read_parquet(path).write_parquet(buffer)
        path.write_bytes(buffer.getvalue())
        assert parquet.intact(path.read_bytes()) is None
        manifest["files"][name] = compact.file_entry(path)
    (archive.path / "manifest.json").write_text(json.dumps(manifest))


def answer(archive):
    """All numbers of an archive, or the message."""
    try:
        return archive.records(), archive.losses()
    except BenchbookError as error:
        return str(error)


def flipped(path, rng):
    """A file with one random bit flipped; its former content is given back."""
    content = path.read_bytes()
    damaged, index = bytearray(content), int(rng.integers(len(content)))
    damaged[index] ^= 1 << int(rng.integers(8))
    path.write_bytes(damaged)
    return content


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "as of old"])
def test_a_flipped_bit_gives_a_message_or_changes_nothing(mixed, sealed):
    if not sealed:
        without_seals(mixed)
    rng = generator(1, "flips")
    files = sorted(path for path in mixed.path.rglob("*") if path.is_file())
    assert {"manifest.json", "records.parquet", "dist+cases.parquet", "one.parquet"} <= {
        path.name for path in files
    }
    records, losses = answer(mixed)
    messages = 0
    for _ in range(FLIPS):
        path = files[int(rng.integers(len(files)))]
        content = flipped(path, rng)
        given = answer(mixed)
        if isinstance(given, str):
            messages += 1
            assert str(mixed.path) in given
        else:
            assert given[0].equals(records), path
            assert given[1].equals(losses), path
            mixed.verify(run_one, 0, progress=False)
        path.write_bytes(content)
    assert messages > FLIPS // 3
    assert isinstance(answer(mixed), tuple)


@pytest.mark.parametrize("name", ["kin-8nm-sim/dist/one.parquet", "kin-8nm-sim/dist+cases.parquet"])
def test_verify_names_every_flipped_file_without_a_traceback(mixed, name):
    without_seals(mixed)
    rng = generator(2, "flips")
    for _ in range(20):
        content = flipped(mixed.path / name, rng)
        report = mixed.verify(run_one, 0, progress=False)
        assert report.filter(name=name)["verdict"].to_list() == ["altered"]
        (mixed.path / name).write_bytes(content)


def test_a_damaged_compact_file_says_which_and_what_to_do(mixed):
    path = compact.packed_path(mixed.path, "kin-8nm-sim/dist", "two")
    flipped(path, np.random.default_rng(5))
    assert len(mixed.records()) == 6
    with pytest.raises(
        BenchbookError, match=r"two\.parquet is damaged .*wrong checksum.*take it from its source"
    ):
        mixed.losses()
    with pytest.raises(BenchbookError, match="is damaged"):
        Overlay(mixed).losses(methods="two")
    assert len(mixed.losses(methods="three")) == 2 * 64 * 3


def test_a_file_with_other_columns_is_named(mixed):
    path = compact.packed_path(mixed.path, "kin-8nm-sim/dist", "two")
    parquet.write(pl.read_parquet(path).rename({"slope": "incline"}), path)
    with pytest.raises(BenchbookError, match="other columns"):
        mixed.losses()


def test_a_writer_that_is_killed_before_the_manifest_leaves_files_that_are_read(
    mixed, made, tmp_path, monkeypatch
):
    newer = Archive(tmp_path / "newer")
    newer.write(made("two", TASK, 0, seed=5))
    monkeypatch.setattr("benchbook.archive.compact_files.write_manifest", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mixed.publish(newer)
    assert mixed.records(methods="two")["seed"].to_list() == [5, 1]
    assert len(mixed.losses(methods="two")) == 2 * 64 * 3


# -- single runs ------------------------------------------------------------------------------------------------------


@pytest.fixture
def study(tmp_path, mine):
    archive = Archive(tmp_path / "runs")
    plan = Plan("trial", 1, [f"{mine}:noisy"], [TASK], 3)
    assert len(run(plan, archive, workers=1, progress=False).done) == 3
    return plan, archive


def test_a_damaged_run_is_set_aside_named_and_run_again(study):
    plan, archive = study
    before = archive.losses()
    path = run_path(archive.path, RunKey("noisy", TASK, 1))
    flipped(path, np.random.default_rng(3))
    damaged = path.read_bytes()
    with pytest.raises(
        BenchbookError,
        match=r"std\.64\.1\.parquet is damaged .*`benchbook run` with the same study",
    ):
        archive.records()
    summary = run(plan, archive, workers=1, progress=False)
    aside = path.with_name("std.64.1.parquet.damaged")
    assert [str(key) for key in summary.done] == [f"noisy on {TASK}#1"]
    assert (len(summary.kept), summary.set_aside) == (2, [aside])
    assert str(aside) in str(summary)
    assert summary.as_dict()["set_aside"] == [str(aside)]
    assert aside.read_bytes() == damaged
    assert archive.losses().equals(before)
    again = run(plan, archive, workers=1, progress=False)
    assert (len(again.kept), again.set_aside) == (3, [])


def test_a_run_of_another_method_stays_where_it_is(study, made):
    plan, archive = study
    path = archive.write(made("other", TASK, 0))
    flipped(path, np.random.default_rng(3))
    assert run(plan, archive, workers=1, progress=False).set_aside == []
    assert path.exists()


def test_a_run_without_a_checksum_of_an_older_benchbook_is_read(study):
    plan, archive = study
    before = archive.losses()
    path = run_path(archive.path, RunKey("noisy", TASK, 1))
    pl.read_parquet(path).write_parquet(path)
    assert parquet.intact(path.read_bytes()) is None
    assert archive.losses().equals(before)
    assert len(run(plan, archive, workers=1, progress=False).kept) == 3


def test_a_file_that_another_process_has_replaced_is_not_set_aside(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"damaged")
    state = file_state(path)
    path.unlink()
    assert set_aside(path, state) == []
    path.write_bytes(b"a new run")
    assert set_aside(path, state) == []
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [
        ("a.parquet", b"a new run")
    ]
    assert set_aside(path, file_state(path)) == [tmp_path / "a.parquet.damaged"]
