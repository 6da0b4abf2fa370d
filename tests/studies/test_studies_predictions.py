"""Kept predictions: a loss that is asked for later is computed, and is the one a run would have had."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from polars.testing import assert_frame_equal

from benchbook import files, studies, tasks
from benchbook.archive import store
from benchbook.parquet import DamagedFile

TASK = "kin-8nm-sim/dist/std.64"
METHODS = ("lin-1", "knn-cv-1")


def ran(folder, losses, names=METHODS, **options):
    plan = studies.Plan("trial", 1, list(names), [TASK], instances=2, losses=losses)
    return studies.run(plan, folder, workers=1, progress=False, **options)


def values(folder, code):
    return studies.Archive(folder).losses(code=code).sort("method", "instance", "case")


@pytest.mark.parametrize("code", ["CRPS", "NLPD", "IS90", "PB05"])
def test_a_loss_asked_for_later_is_the_one_a_run_would_have_had(tmp_path, code):
    assert len(ran(tmp_path / "a", ["S"], keep_predictions=True).done) == 4
    later = ran(tmp_path / "a", [code])
    assert (len(later.done), len(later.kept)) == (0, 4)
    ran(tmp_path / "b", [code])
    assert_frame_equal(values(tmp_path / "a", code), values(tmp_path / "b", code), check_exact=True)
    assert set(values(tmp_path / "a", ["S", code])["loss"]) == {"S", code}


@pytest.mark.parametrize("instance", range(2))
def test_a_prediction_for_a_task_that_has_changed_is_not_scored(tmp_path, monkeypatch, instance):
    """Its run keeps the losses it has, which say of which task they are; none is computed from today's targets."""
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    today = tasks.instance

    def changed(task, number):
        made = today(task, number)
        return SimpleNamespace(digest="another") if number == instance else made

    monkeypatch.setattr(tasks, "instance", changed)
    assert values(tmp_path, "CRPS")["instance"].unique().to_list() == [1 - instance]
    assert values(tmp_path, "S")["instance"].unique().to_list() == [0, 1]


def test_a_run_that_failed_has_no_prediction_and_one_asked_for_two_losses_gets_the_lacking_one(
    tmp_path,
):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    record = studies.Archive(tmp_path).records().row(0, named=True)
    assert store.read_prediction(tmp_path, record) is not None
    assert store.read_prediction(tmp_path, record | {"status": "failed"}) is None
    both = values(tmp_path, ["S", "CRPS"])
    assert both.group_by("instance", "case", "loss").len()["len"].unique().to_list() == [1]
    assert set(both["loss"]) == {"S", "CRPS"}


def test_without_a_prediction_it_is_run_again(tmp_path):
    ran(tmp_path, ["S"])
    assert values(tmp_path, "CRPS").is_empty()
    assert len(ran(tmp_path, ["CRPS"]).done) == 4


def test_a_prediction_of_another_run_or_of_an_earlier_one_is_not_taken(tmp_path):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    first, second = (
        store.prediction_path(tmp_path, studies.RunKey("lin-1", TASK, number)) for number in (0, 1)
    )
    shutil.copy(second, first)
    assert values(tmp_path, "CRPS")["instance"].unique().to_list() == [1]
    assert len(ran(tmp_path, ["CRPS"], ["lin-1"]).done) == 1


def test_a_damaged_prediction_says_what_to_do(tmp_path):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    path = store.prediction_path(tmp_path, studies.RunKey("lin-1", TASK, 0))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match="delete it"):
        values(tmp_path, "CRPS")


def test_what_is_kept_is_what_was_scored_with_what_cases_share_held_once(tmp_path):
    result = studies.run_one(studies.RunKey("base-1", TASK, 0), 1, "trial")
    archive = studies.Archive(tmp_path)
    archive.write(result, keep_prediction=True)
    again = archive.prediction(result.record)
    assert again == result.prediction
    assert all(
        np.array_equal(again.parameters[name], array)
        for name, array in result.prediction.parameters.items()
    )


@pytest.mark.parametrize("at", [0, 1], ids=["before the prediction", "between the two"])
def test_a_process_that_ends_while_a_run_is_kept_loses_no_prediction(tmp_path, monkeypatch, at):
    really, count = store.write_parquet, iter(range(9))

    def ends(*arguments):
        if next(count) == at:
            raise SystemError
        return really(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(store, "write_parquet", ends)
        with pytest.raises(SystemError):
            ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    assert len(ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True).done) == 2
    assert ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True).done == []
    assert len(values(tmp_path, "CRPS")["instance"].unique()) == 2


@pytest.mark.parametrize("damage", ["gone", "damaged"])
def test_a_run_without_its_prediction_is_incomplete_where_predictions_are_to_be_kept(
    tmp_path, damage
):
    ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    path = store.prediction_path(tmp_path, studies.RunKey("lin-1", TASK, 0))
    path.unlink() if damage == "gone" else path.write_bytes(path.read_bytes()[:-3])
    assert ran(tmp_path, ["S"], ["lin-1"]).done == []
    plan = studies.Plan("trial", 1, ["lin-1"], [TASK], instances=2, losses=["S"])
    assert studies.outlook(plan, tmp_path).summary.left == 0
    assert studies.outlook(plan, tmp_path, keep_predictions=True).summary.left == 1
    again = ran(tmp_path, ["S"], ["lin-1"], keep_predictions=True)
    assert (len(again.done), len(again.kept)) == (1, 1)
    assert "1 run there before, to be done again: their predictions are not there" in str(again)
    assert len(values(tmp_path, "CRPS")["instance"].unique()) == 2


def test_why_runs_are_done_again_is_said(tmp_path, monkeypatch):
    def reasons(losses=("S",), seed=1):
        plan = studies.Plan("trial", seed, ["lin-1"], [TASK], instances=2, losses=list(losses))
        return studies.run(plan, tmp_path, workers=1, progress=False).as_dict()["again"]

    assert reasons() == reasons() == {}
    assert reasons(["S", "CRPS"]) == {"losses are asked for that they lack": 2}
    assert reasons(seed=2) == {"the seed is another one": 2}
    monkeypatch.setattr("benchbook.methods.identity", lambda name: "another")
    monkeypatch.setattr("benchbook.studies.plan.methods.identity", lambda name: "another")
    (why,) = reasons(seed=2)
    assert why.startswith("the text of the method has changed since benchbook ")


def test_what_a_killed_process_had_begun_to_write_is_removed(tmp_path):
    ran(tmp_path, ["S"], ["lin-1"])
    begun = subprocess.run(
        [sys.executable, "-c", "from benchbook import files; from pathlib import Path; import tempfile; "
         "print(tempfile.mkstemp(prefix=files._part_prefix(Path('a.parquet')), suffix='.part', dir='.')[1])"],
        cwd=tmp_path / "runs", capture_output=True, text=True, check=True,
    )  # fmt: skip
    ours = tmp_path / "runs" / f"{files._part_prefix(tmp_path / 'b.parquet')}x.part"
    elsewhere = ours.with_name(".c.parquet.00000000-1.x.part")
    for path in (ours, elsewhere):
        path.write_bytes(b"")
    ran(tmp_path, ["S"], ["lin-1"])
    assert begun.stdout.strip().endswith(".part")
    assert {path.name for path in tmp_path.rglob("*.part")} == {ours.name, elsewhere.name}
