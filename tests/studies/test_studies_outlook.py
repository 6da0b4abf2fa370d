"""A dry run: what would be run, what is there, how long it takes, and nothing done."""

import json
import sys
from types import SimpleNamespace

import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import studies
from benchbook.archive.records import blank_record
from benchbook.cli import app
from benchbook.studies import Plan, RunKey, outlook
from benchbook.studies.runs import failed

TASK = "kin-8nm-sim/dist/std.64"
outlooks = sys.modules["benchbook.studies.outlook"]  # a function has its name in the package


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "archive"))
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))


def test_an_outlook_is_what_the_run_then_does(tmp_path):
    """In a folder of its own; a run that failed, which this plan does not have, says nothing of the time."""
    own = tmp_path / "own"
    studies.run(Plan("x", 1, ["lin-1"], [TASK], 3), own, workers=1, progress=False)
    took = studies.Archive(own).records()["seconds"].median()
    late = failed(blank_record(RunKey("lin-1", TASK, 7), 1, "x") | {"seconds": 1e6}, "too late")
    studies.Archive(own).write(late)
    plan = Plan("y", 1, ["lin-1", "base-1"], [TASK, TASK.replace("64", "128")], 5)
    result = outlook(plan, own, workers=1)
    assert {
        row["method"]: (row["to_run"], row["there"])
        for row in result.table.filter(task=TASK).to_dicts()
    } == {"lin-1": (2, 3), "base-1": (5, 0)}
    assert result.seconds == pytest.approx(2 * took)
    assert result.unknown == 15
    reply = result.as_dict()
    assert (reply["seconds"], reply["of_unknown_length"]) == (result.seconds, 15)
    assert (reply["to_run"], reply["there"], reply["failed_before"]) == (17, 3, 0)
    assert {run["seconds_each"] for run in reply["runs"]} == {took, None}
    summary = studies.run(plan, own, workers=1, progress=False)
    assert len(summary.done) == result.summary.left == result.table["to_run"].sum() == 17
    assert len(summary.kept) == len(result.summary.kept) == 3
    assert outlook(plan, own).summary.left == 0


def test_failures_are_run_again_only_when_asked(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from benchbook.methods import method\n\n\n@method(name='broken', kinds={'real'})\n"
        "def broken(instance, rng):\n    raise ArithmeticError('no luck')\n"
    )
    plan = Plan("x", 1, [f"{mine}:broken"], [TASK], 2)
    studies.run(plan, tmp_path / "runs", workers=1, progress=False)
    assert outlook(plan, tmp_path / "runs").table["failed_before"].to_list() == [2]
    again = outlook(plan, tmp_path / "runs", retry_failed=True)
    assert (again.summary.left, again.unknown) == (2, 2)


def test_the_commands_run_nothing_and_write_nothing(tmp_path):
    words = ["run", "-m", "lin-1", "-t", TASK, "--dry-run"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "8 to run, 0 there already" in result.output
    assert "; how long it takes is not known\n" in result.output
    assert "about 0 s" not in result.output
    assert json.loads(CliRunner().invoke(app, [*words, "--json"]).output)["to_run"] == 8
    assert not (tmp_path / "runs").exists()
    assert not list(tmp_path.iterdir())


def test_what_is_to_be_run_takes_as_long_as_it_took_and_the_rest_is_not_known(monkeypatch):
    keys = [RunKey(name, TASK, number) for name in ("a", "b") for number in range(3)]

    def to_do(plan, store, retry, summary, keep):
        summary.kept, summary.kept_failed = keys[1:2], [(keys[2], "no")]
        assert (plan.name, retry, keep) == ("x", "retry", False)
        return [SimpleNamespace(key=key) for key in (keys[0], *keys[3:])]

    records = pl.DataFrame(
        [("a", "ok", 1.0), ("a", "ok", 2.0), ("a", "ok", 9.0), ("a", "failed", 99.0)],
        schema=["method", "status", "seconds"],
        orient="row",
    ).with_columns(task=pl.lit(TASK))

    def archives(*folders):
        assert folders[0].path.name == "own"
        assert [folder.name for folder in folders[1:]] == ["archive", "today"]
        return SimpleNamespace(records=lambda tasks, methods: records)

    monkeypatch.setattr(outlooks, "to_do", to_do)
    monkeypatch.setattr(outlooks, "Overlay", archives)
    monkeypatch.setattr(outlooks, "processes", lambda jobs, workers: (len(jobs), workers))
    found = outlook(SimpleNamespace(name="x"), "own", 7, "retry")
    assert found.table.rows() == [("a", TASK, 1, 1, 1, 2.0), ("b", TASK, 3, 0, 0, None)]
    assert (found.seconds, found.unknown, found.workers) == (2.0, 3, (4, 7))
