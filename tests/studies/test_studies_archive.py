"""The archive: two layers read as one, manifests, damage, and what a user's own runs hide."""

import errno
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from archives import consolidate
from refusals import refused

from benchbook.archive.compact_files import cases_path, packed_path
from benchbook.archive.frames import takes_code
from benchbook.archive.lock import locked
from benchbook.archive.records import RunKey
from benchbook.archive.store import (
    file_state,
    run_path,
    set_aside,
    write_parquet,
)
from benchbook.errors import BenchbookError
from benchbook.studies import (
    LONG_SCHEMA,
    RECORD_SCHEMA,
    Archive,
    Overlay,
    gather,
    imported,
    runs_path,
)
from benchbook.studies.runs import failed

PROTOTASK, SMALL, LARGE = "kin-8nm-sim/dist", "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"


@pytest.fixture
def filled(tmp_path, made):
    """An archive with two methods on two tasks of two instances, in the run store."""
    archive = Archive(tmp_path / "filled")
    for method in ("one", "two"):
        for task in (SMALL, LARGE):
            for instance in (0, 1):
                archive.write(made(method, task, instance))
    return archive


def files_of(archive):
    return sorted(path for path in archive.path.rglob("*") if path.is_file())


def keys(frame):
    return set(frame.select("method", "task", "instance").iter_rows())


def test_an_archive_that_is_not_there_holds_nothing(tmp_path):
    empty = Archive(tmp_path / "none")
    assert empty.records().schema == RECORD_SCHEMA | {"archive": pl.String()}
    assert empty.losses().schema == LONG_SCHEMA
    assert len(empty.records()) == len(empty.losses()) == 0
    assert (empty.manifest()["format"], empty.manifest()["files"]) == (1, {})
    assert not empty.path.exists()


def test_a_run_comes_back_as_it_was_written(tmp_path, made):
    result = made("one", SMALL, 3)
    archive = Archive(tmp_path)
    archive.write(result)
    record = archive.records().drop("archive").row(0, named=True)
    assert record == {name: result.record[name] for name in RECORD_SCHEMA}
    for code, values in result.losses.items():
        part = archive.losses(code=code)
        assert part["value"].to_list() == values.tolist()
        assert part["case"].to_list() == result.case_ids.tolist()
        assert set(part["digest"]) == {"d0"}


def test_writing_a_run_again_replaces_it(tmp_path, made):
    archive = Archive(tmp_path)
    archive.write(made(seed=1))
    archive.write(made(seed=2))
    assert archive.records()["seed"].to_list() == [2]


def test_a_failed_run_is_a_record_without_losses_in_both_layers(tmp_path, made):
    archive = Archive(tmp_path)
    archive.write(failed(made("one").record, "it broke"))
    archive.write(made("one", instance=1))
    for _ in range(2):
        assert archive.records()["error"].to_list() == ["it broke", ""]
        assert set(archive.losses()["instance"]) == {1}
        consolidate(archive)


@pytest.mark.parametrize(
    ("choice", "count"),
    [
        ({}, 8),
        ({"prototask": PROTOTASK}, 8),
        ({"prototask": "kin-8nm/*"}, 0),
        ({"tasks": SMALL}, 4),
        ({"tasks": "*/std.128"}, 4),
        ({"tasks": [SMALL, LARGE], "methods": "one"}, 4),
        ({"tasks": PROTOTASK}, 8),
        ({"tasks": "kin-8nm-sim"}, 8),
        ({"methods": ["t*"], "tasks": (LARGE,)}, 2),
        ({"methods": []}, 0),
    ],
)
def test_patterns_choose_runs_alike_in_both_layers(filled, choice, count):
    before = filled.records(**choice)
    consolidate(filled)
    assert len(before) == count
    assert keys(filled.records(**choice)) == keys(before)
    assert keys(filled.losses(**choice)) == keys(before)


def test_losses_can_be_had_one_code_at_a_time(filled):
    assert set(filled.losses(code="L")["loss"]) == {"L"}
    assert set(filled.losses(code=["A", "S"])["loss"]) == {"A", "S"}
    assert len(filled.losses()) == 8 * 64 * 3


def test_small_training_sets_come_before_large_ones(filled):
    assert list(dict.fromkeys(filled.records()["task"])) == [SMALL, LARGE]


def test_consolidating_keeps_every_run_and_rounds_its_losses(filled):
    before, records = filled.losses(), filled.records()
    manifest = consolidate(filled)
    assert list(filled.path.glob("runs/**/*.parquet")) == []
    assert filled.records().equals(records)
    joined = filled.losses().join(
        before, on=["method", "task", "instance", "case", "loss", "digest"], suffix="_before"
    )
    assert len(joined) == len(before)
    off = (joined["value"] - joined["value_before"]).abs()
    assert off.max() < 0.01
    assert off.max() > 0
    assert set(manifest["files"]) == {
        f"{PROTOTASK}{tail}.parquet" for tail in ("/one", "/two", "+cases")
    }


def test_publishing_adds_to_what_is_there_and_replaces_the_same_runs(filled, tmp_path, made):
    public = Archive(tmp_path / "public")
    public.publish(filled, methods="one")
    assert set(public.records()["method"]) == {"one"}
    public.publish(filled.path, tasks=LARGE)
    assert len(public.records()) == 6
    newer = Archive(tmp_path / "newer")
    newer.write(made("one", SMALL, 0, seed=9, digest="d9"))
    public.publish(newer)
    records = public.records(methods="one", tasks=SMALL)
    assert records["seed"].to_list() == [9, 1]
    assert records["digest"].to_list() == ["d9", "d0"]


def test_publishing_twice_gives_the_same_bytes(filled, tmp_path):
    first, two = Archive(tmp_path / "a"), Archive(tmp_path / "b")
    first.publish(filled)
    two.publish(first)
    assert first.manifest() == two.manifest()
    assert first.publish(filled) == two.manifest()


def test_a_run_in_the_store_goes_before_its_compact_counterpart(filled, made):
    consolidate(filled)
    filled.write(made("one", SMALL, 0, seed=5))
    assert len(filled.records()) == 8
    assert filled.records(methods="one", tasks=SMALL)["seed"].to_list() == [5, 1]
    consolidate(filled)
    assert filled.records(methods="one", tasks=SMALL)["seed"].to_list() == [5, 1]


def test_names_that_no_file_could_bear_are_kept_apart(tmp_path, made):
    archive, names = Archive(tmp_path), [".hidden", "a/b", "a%2Fb", "sum+cases", "x.cases", "é"]
    for name in names:
        archive.write(made(name))
    assert sorted(archive.records()["method"]) == sorted(names)
    consolidate(archive)
    assert sorted(archive.records()["method"]) == sorted(names)


# -- what is damaged, missing, or cannot be written --------------------------------------------------------------------


def test_a_damaged_file_is_named(filled):
    path = run_path(filled.path, RunKey("one", SMALL, 0))
    path.write_bytes(path.read_bytes()[:200])
    refused(BenchbookError, r"std\.64\.0\.parquet is damaged", filled.losses)


def test_missing_test_cases_are_told(filled):
    consolidate(filled)
    cases_path(filled.path, PROTOTASK).unlink()
    assert len(filled.records()) == 8
    refused(BenchbookError, "does not hold the test cases", filled.losses)


def test_an_archive_of_a_newer_format_is_not_written_into(filled):
    consolidate(filled)
    path = filled.path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
    refused(BenchbookError, "update benchbook", filled.publish, filled)
    path.write_text("{")
    refused(BenchbookError, "damaged", filled.manifest)


@pytest.mark.parametrize(
    ("number", "said"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "read-only")]
)
def test_a_full_disk_or_a_read_only_archive_is_told_and_leaves_nothing_half_written(
    filled, made, monkeypatch, number, said
):
    before, files = filled.records(), files_of(filled)

    def refuse(self, data):
        with open(self, "wb") as half:
            half.write(data[: len(data) // 2])
        raise OSError(number, "no")

    monkeypatch.setattr(Path, "write_bytes", refuse)
    for attempt in (lambda: filled.write(made("new")), lambda: consolidate(filled)):
        refused(BenchbookError, said, attempt)
    monkeypatch.undo()
    assert files_of(filled) == files
    assert filled.records().equals(before)


# -- overlay ---------------------------------------------------------------------------------------------------------


def test_a_users_own_run_hides_the_archived_one_and_it_is_said(filled, tmp_path, made):
    consolidate(filled)
    own = Archive(tmp_path / "own")
    for instance in (0, 1):
        own.write(made("one", SMALL, instance, seed=7))
    own.write(made("mine", SMALL, 1))
    both = Overlay(own, filled)
    assert len(both.records()) == 9
    row = both.records(methods="one", tasks=SMALL).filter(instance=1).row(0, named=True)
    assert (row["seed"], row["archive"]) == (7, str(own.path))
    assert keys(both.losses()) == keys(both.records())
    shown = both.losses(methods="one", tasks=SMALL, code="S").filter(instance=1)["value"]
    assert shown.to_list() == made("one", SMALL, 1, seed=7).losses["S"].tolist()
    assert both.hidden().select("method", "instance").rows() == [("one", 0), ("one", 1)]
    assert both.notes() == [f"one: your own runs are shown instead of 2 in {filled.path} (1 tasks)"]
    assert both.notes(methods="two") == []


def test_an_own_run_that_failed_is_not_replaced_by_the_archived_one(filled, tmp_path, made):
    """In silence, a reader would take the book's losses for those of the method that failed here."""
    own = Archive(tmp_path / "own")
    failed = made("one", SMALL, 1, seed=7)
    own.write(
        replace(failed, record={**failed.record, "status": "failed", "error": "no"}, losses={})
    )
    both = Overlay(own, filled)
    record = both.records(methods="one", tasks=SMALL).filter(instance=1).row(0, named=True)
    assert (record["status"], record["archive"]) == ("failed", str(own.path))
    losses = both.losses(methods="one", tasks=SMALL)
    assert 1 not in losses["instance"].to_list()
    assert set(losses["instance"]) == set(filled.losses(methods="one", tasks=SMALL)["instance"]) - {
        1
    }
    assert both.hidden().select("method", "instance").rows() == [("one", 1)]


@pytest.mark.parametrize("again", [False, True])
def test_a_run_that_failed_later_hides_the_compact_one_of_the_same_archive(filled, made, again):
    consolidate(filled)
    filled.write(failed(made("one", SMALL, 1).record, "it broke"))
    if again:
        consolidate(filled)
    records = filled.records(methods="one", tasks=SMALL)
    assert records["status"].to_list() == ["ok", "failed"]
    assert set(filled.losses(methods="one", tasks=SMALL)["instance"]) == {0}


def test_the_order_of_the_test_cases_is_part_of_what_they_are(tmp_path, made):
    archive = Archive(tmp_path)
    for method, step in (("one", 1), ("two", -1)):
        result = made(method)
        archive.write(replace(result, case_ids=result.case_ids[::step]))
    before = archive.losses().select("method", "case")
    consolidate(archive)
    assert archive.losses().select("method", "case").equals(before)
    cases = pl.read_parquet(cases_path(tmp_path, PROTOTASK))
    assert archive.manifest()["files"][f"{PROTOTASK}+cases.parquet"]["rows"] == len(cases) == 2


def test_what_was_written_anew_in_the_meantime_is_not_set_aside(tmp_path):
    path = tmp_path / "run.parquet"
    path.write_text("old")
    state = file_state(path)
    path.write_text("newer")
    assert set_aside(path, state) == []
    assert path.read_text() == "newer"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_gathered_while_another_writes(filled, tmp_path):
    public = Archive(tmp_path / "public")
    with locked(public.path, "holding"):
        refused(BenchbookError, "written by another process", public.publish, filled)


@pytest.mark.parametrize(
    ("codes", "taken"),
    [(None, True), ("L", True), ("NLPD", False), (("A", "L"), True), ((), False)],
)
def test_a_loss_is_asked_for_by_its_whole_code(codes, taken):
    assert takes_code(codes, "L") is taken


def test_gather_reads_the_users_runs_beside_the_archive(filled, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(filled.path))
    assert runs_path() == filled.path
    frame = gather(PROTOTASK, methods=["one", "two"])
    assert frame.schema == LONG_SCHEMA
    assert set(frame["loss"]) == {"S"}
    assert len(frame) == 8 * 64


# -- losses from elsewhere ---------------------------------------------------------------------------------------------


def _foreign(values=None):
    from benchbook import tasks

    cases = tasks.instance(SMALL, 2).case_ids
    values = [0.5] * len(cases) if values is None else values
    return pl.DataFrame(
        {"instance": [2] * len(cases), "case": cases, "loss": ["S"] * len(cases), "value": values}
    )


def test_losses_from_elsewhere_become_runs(tmp_path):
    archive, frame = Archive(tmp_path), _foreign()
    for result in imported(frame, SMALL, "theirs", "a folder"):
        archive.write(result)
    back = archive.losses()
    assert back["value"].to_list() == frame["value"].to_list()
    assert archive.records().select("method", "study", "status").row(0) == (
        "theirs",
        "imported from a folder",
        "ok",
    )


def test_losses_of_other_cases_or_without_a_number_are_refused():
    frame = _foreign()
    with pytest.raises(BenchbookError, match=r"instance 2, loss S: found .* cases"):
        list(imported(frame.reverse(), SMALL, "theirs", "a folder"))
    for value in (float("nan"), None):
        absent = frame.with_columns(value=pl.lit(value, pl.Float64))
        with pytest.raises(BenchbookError, match="no number for case"):
            list(imported(absent, SMALL, "theirs", "a folder"))


def test_a_packed_file_can_be_written_with_another_compression_and_reads_the_same(filled):
    consolidate(filled)
    before = filled.losses()
    path = packed_path(filled.path, PROTOTASK, "one")
    write_parquet(pl.read_parquet(path), path, level=1)
    assert filled.losses().equals(before)


def test_the_archive_can_be_read_without_the_package_as_its_readme_says(
    tmp_path, made, monkeypatch
):
    readme = (Path(__file__).parents[2] / "data" / "archive" / "README.md").read_text()
    recipe = readme.split("```python\n")[1].split("```")[0]
    archive = Archive(tmp_path)
    archive.write(made("lin-1", SMALL, 0, cases=300))
    consolidate(archive)
    monkeypatch.chdir(tmp_path)
    read: dict = {}
    exec(recipe, read)
    expected = archive.losses(code="S")
    assert read["losses"].tolist() == expected["value"].to_list()
    assert read["cases"].tolist() == expected["case"].to_list()


def test_an_archive_where_no_folder_can_be_is_empty(tmp_path):
    (tmp_path / "home").write_text("a file, as /dev/null is")
    archive = Archive(tmp_path / "home" / "runs")
    assert archive.records().is_empty()
    assert archive.losses().is_empty()
