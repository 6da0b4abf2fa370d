"""Two sets of runs side by side: what is the same, what differs and by how much, what is missing."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import studies
from benchbook.archive.difference import Side, _lines, counts, differences
from benchbook.archive.verify import Stored, stored_run
from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.studies import RunKey, RunResult

TASK = "kin-8nm-sim/dist/std.64"


@pytest.fixture
def two(tmp_path):
    """The same four runs in two folders."""
    plan = studies.Plan("x", seed=1, methods=["base-1", "lin-1"], tasks=[TASK], instances=2)
    for name in ("a", "b"):
        studies.run(plan, tmp_path / name, workers=1, progress=False)
    return tmp_path / "a", tmp_path / "b"


def changed(folder, key, record=None, shift=0.0):
    """Write a run again with another record or other losses of its first case."""
    archive = studies.Archive(folder)
    run = stored_run(archive, key)
    losses = {
        code: values + shift * (np.arange(len(values)) == 0) for code, values in run.losses.items()
    }
    selected = {name: run.record[name] for name in studies.RECORD_SCHEMA}
    archive.write(RunResult(selected | (record or {}), losses, run.case_ids))


def compared(first, second):
    return differences(Side.read(str(first)), Side.read(str(second)))


def test_runs_made_twice_are_the_same_also_when_one_side_is_packed(two, tmp_path):
    a, b = two
    assert counts(compared(a, b)) == {"the same": 4}
    studies.Archive(tmp_path / "packed").publish(studies.Archive(b))
    assert counts(compared(a, tmp_path / "packed")) == {"the same": 4}


def test_what_differs_is_told_with_its_size_and_its_provenance(two):
    a, b = two
    changed(
        b,
        RunKey("lin-1", TASK, 1),
        {"seed": 2, "cpu": "another", "libraries": json.dumps({"numpy": "0.1"})},
        0.5,
    )
    result = compared(a, b)
    assert counts(result) == {"the same": 3, "differs": 1}
    rows = result.filter(state="differs").to_dicts()
    assert {row["loss"] for row in rows} == set(
        stored_run(studies.Archive(a), RunKey("lin-1", TASK, 1)).losses
    )
    for row in rows:
        assert (row["method"], row["instance"], row["cases_apart"]) == ("lin-1", 1, 1)
        assert row["largest"] == pytest.approx(0.5)
        assert row["other_mean"] - row["mean"] == pytest.approx(0.5 / row["cases"])
        assert "seed 1 and 2" in row["provenance"]
        assert "cpu" in row["provenance"]
        assert "and 0.1" in row["provenance"]


def test_runs_of_one_side_other_tasks_and_failures_are_told_apart(two):
    a, b = two
    studies.run(
        studies.Plan("x", seed=1, methods=["knn-cv-1"], tasks=[TASK], instances=1),
        a,
        workers=1,
        progress=False,
    )
    studies.run(
        studies.Plan("x", seed=1, methods=["lin-1"], tasks=[TASK], instances=3),
        b,
        workers=1,
        progress=False,
    )
    changed(b, RunKey("base-1", TASK, 0), {"digest": "another"})
    changed(b, RunKey("base-1", TASK, 1), {"status": "failed", "error": "no luck"})
    result = compared(a, b)
    assert counts(result) == {
        "the same": 2,
        "of another task": 1,
        "fails in one": 1,
        "only in the first": 1,
        "only in the second": 1,
    }
    assert result.filter(state="fails in one")["detail"].to_list() == ["no luck"]
    assert result.filter(state="only in the first")["method"].to_list() == ["knn-cv-1"]


def test_one_run_and_two_methods_can_be_named(two):
    a, b = two
    assert compared(f"{a}:lin-1@{TASK}#1", f"{b}:lin-1@{TASK}#1").height == 1
    rows = compared(f"{a}:lin-1@{TASK}", f"{b}:base-1@{TASK}").to_dicts()
    assert {(row["method"], row["other_method"], row["state"]) for row in rows} == {
        ("lin-1", "base-1", "differs")
    }
    (b_of_one := a.with_name("one")).mkdir()
    alone = studies.Plan("x", seed=1, methods=["base-1"], tasks=[TASK], instances=2)
    studies.run(alone, b_of_one, workers=1, progress=False)
    assert counts(compared(f"{a}:lin-1", b_of_one)) == {
        "only in the first": 2,
        "only in the second": 2,
    }
    item = stored_run(studies.Archive(a), RunKey("lin-1", TASK, 0)).losses["S"].mean()
    assert next(row["mean"] for row in rows if row["loss"] == "S") == pytest.approx(item)


def test_the_command_says_it_and_ends_with_1_when_anything_differs(two):
    a, b = two
    same = CliRunner().invoke(app, ["runs", "diff", str(a), str(b)])
    assert same.exit_code == 0, same.output
    assert same.output.strip() == "4 runs: the same"
    changed(b, RunKey("lin-1", TASK, 1), shift=0.5)
    other = CliRunner().invoke(app, ["runs", "diff", str(a), str(b)])
    assert other.exit_code == 1
    assert f"lin-1 on {TASK}#1" in other.output
    data = json.loads(CliRunner().invoke(app, ["runs", "diff", str(a), str(b), "--json"]).output)
    assert data["counts"] == {"the same": 3, "differs": 1}


@pytest.mark.parametrize(
    ("second", "said"),
    [("nowhere", "names no runs"), ("{a}:none-1", "no such runs"), ("own@", "names no runs")],
)
def test_what_names_no_runs_is_refused(two, second, said):
    with pytest.raises(BenchbookError, match=said):
        compared(two[0], second.format(a=two[0]))


RECORD = {
    "method": "m",
    "task": "t/s",
    "instance": 0,
    "status": "ok",
    "error": "",
    "digest": "d",
} | {
    "seed": 1,
    "benchbook": "1",
    "python": "3.11",
    "libraries": '{"numpy": "2", "scipy": "1"}',
}


def stored(values=(1.0, 2.0), rounded=0.0, codes="S", cases=(3, 4), **record):
    losses = {code: np.array(values) for code in codes}
    allowed = dict.fromkeys(losses, np.full(2, rounded))
    return Stored(RECORD | record, np.array(cases), losses, allowed)


@pytest.mark.parametrize(
    ("other", "state", "told"),
    [
        (stored(), "the same", {"provenance": "", "detail": ""}),
        (stored((1.5, 2.0), 0.5), "the same", {}),
        (stored((1.0, 2.0 + 1e-7)), "the same", {}),
        (
            stored((1.25, 2.5)),
            "differs",
            {"cases": 2, "cases_apart": 2, "largest": 0.5, "mean": 1.5, "other_mean": 1.875},
        ),
        (stored((1.5, 2.25), 0.25), "differs", {"cases_apart": 1, "largest": 0.5, "loss": "S"}),
        (stored(digest="e"), "of another task", {}),
        (stored(cases=(4, 3)), "of another task", {}),
        (stored(status="failed", error="no"), "fails in one", {"detail": "no"}),
        (stored(codes="SA"), "the same", {"detail": "losses of one side only: A"}),
        (stored(codes="A"), "the same", {"detail": "losses of one side only: A, S"}),
        (None, "only in the first", {}),
        (
            stored(seed=2, python="3.12", benchbook="2", cpu="x", identity="y", asked="S"),
            "the same",
            {
                "provenance": "seed 1 and 2, text of the method, losses asked for, benchbook 1 and 2, "
                "python 3.11 and 3.12, cpu"
            },
        ),
        (
            stored(libraries='{"numpy": "3", "numba": "0"}', settings="{}", commit="c"),
            "the same",
            {"provenance": "settings, commit, numba none and 0, numpy 2 and 3, scipy 1 and none"},
        ),
    ],
)
def test_what_is_said_of_a_run_and_another(other, state, told):
    (line,) = _lines(stored(), other, {})
    assert line["state"] == state
    assert {name: line.get(name) for name in told} == told


def test_two_failures_and_a_run_of_the_second_side_alone():
    both = [stored(status="failed", error=error) for error in ("no", "never", "no")]
    assert [_lines(both[0], other, {})[0] for other in both[1:]] == [
        {"provenance": "", "state": "the same", "detail": detail} for detail in ("no; never", "no")
    ]
    assert _lines(None, both[0], {"method": "m"}) == [
        {"method": "m", "state": "only in the second"}
    ]


def test_runs_are_counted_once_whatever_losses_they_differ_by():
    rows = [("m", "m", 0, "differs"), ("m", "m", 0, "differs"), ("m", "n", 0, "differs")]
    rows += [("m", "m", 1, "the same")]
    names = ["method", "other_method", "instance", "state"]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(task=pl.lit("t"))
    assert counts(table) == {"the same": 1, "differs": 2}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("own", ("runs", "", "", None)),
        ("archive:m", ("archive", "m", "", None)),
        ("own@t/s", ("runs", "", "t/s", None)),
        ("own:m@t/s#0", ("runs", "m", "t/s", 0)),
    ],
)
def test_a_side_is_a_place_and_perhaps_a_method_a_task_and_an_instance(monkeypatch, text, named):
    monkeypatch.setenv("BENCHBOOK_RUNS", "runs")
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", "archive")
    side = Side.read(text)
    assert (str(side.archive.path), side.method, side.task, side.instance) == named
