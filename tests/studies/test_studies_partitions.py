"""Runs on partitions through the engine: resumed, published, verified, failed, and with a method of one's own."""

import json
import textwrap

import pytest

from benchbook import studies
from benchbook.assess.proben1 import mean_test_errors

TASKS = ["sklearn-iris1/partition/a", "sklearn-diabetes1/partition/a"]
OWN = textwrap.dedent('''
    import numpy as np

    from benchbook import methods
    from benchbook.predictive import Outputs


    @methods.method(kinds={"outputs"})
    def shares(instance, rng):
        """The mean of the training and validation targets, for every case."""
        if instance.number == 1:
            raise ValueError("not today")
        mean = np.vstack([instance.train_targets, instance.validation_targets]).mean(axis=0)
        return Outputs(np.tile(mean, (len(instance.test_inputs), 1))), {"note": "a short text"}
''')


@pytest.fixture
def plan():
    return studies.Plan(
        "small", seed=3, methods=["proben1-linear", "proben1-pivot"], tasks=TASKS, instances=3
    )


@pytest.fixture
def done(plan, tmp_path):
    archive = studies.Archive(tmp_path / "runs")
    summary = studies.run(plan, archive, workers=1, progress=False)
    assert len(summary.done) == 12
    return archive


def test_costs_hold_what_the_report_prints(done):
    result = studies.partition_runs(source=done)
    assert result.columns == list(studies.RUN_COLUMNS)
    assert result["dataset"].unique().sort().to_list() == ["sklearn-diabetes1", "sklearn-iris1"]
    assert result.filter(dataset="sklearn-diabetes1")["test_wrong"].null_count() == 6
    assert result.drop("test_wrong", "validation_wrong").null_count().sum_horizontal().item() == 0
    losses = (
        done.losses(tasks=TASKS[0], methods="proben1-pivot", code="E")
        .group_by("instance")
        .agg(mean=losses_mean())
        .sort("instance")
    )
    runs = result.filter(dataset="sklearn-iris1", method="proben1-pivot")
    assert runs["test_error"].to_list() == pytest.approx(losses["mean"].to_list(), rel=1e-12)
    assert runs["test_error"].n_unique() == 3
    table = mean_test_errors(result)
    assert table["runs"].to_list() == [3, 3, 3, 3]


def test_a_folder_is_an_archive_and_one_without_runs_gives_none(tmp_path):
    table = studies.partition_runs(source=str(tmp_path / "none"))
    assert (table.height, table.columns) == (0, list(studies.RUN_COLUMNS))


def test_runs_made_now_have_names_and_costs_and_are_kept_nowhere():
    methods = ["proben1-linear", "proben1-least-squares"]
    made = studies.run_partitions(methods, ["sklearn-iris1", "sklearn-diabetes1c"], 2)
    assert made.columns == list(studies.RUN_COLUMNS)
    assert dict(made.group_by("dataset").len().iter_rows()) == {
        "sklearn-iris1": 4,
        "sklearn-diabetes1c": 4,
    }
    assert made.filter(method="proben1-linear")["shortcuts"].all()
    assert made["cpu"].n_unique() == 1
    assert made.equals(
        studies.run_partitions(methods, ["sklearn-iris1", "sklearn-diabetes1c"], 2).with_columns(
            made["cpu_seconds"]
        )
    )


def losses_mean():
    import polars as pl

    return pl.col("value").mean()


def test_it_goes_on_where_it_was(plan, done):
    again = studies.run(plan, done, workers=1, progress=False)
    assert (len(again.done), len(again.kept)) == (0, 12)
    longer = studies.Plan("small", seed=3, methods=["proben1-linear"], tasks=TASKS, instances=4)
    assert len(studies.run(longer, done, workers=1, progress=False).done) == 2


def test_published_runs_come_out_the_same(done, tmp_path):
    archive = studies.Archive(tmp_path / "archive")
    archive.publish(done)
    report = archive.verify(studies.run_one, sample=4, progress=False)
    assert report["ok"].all()
    assert set(report.filter(kind="run")["verdict"]) == {"the same"}
    assert studies.partition_runs(source=archive).equals(studies.partition_runs(source=done))


def test_workers_find_the_same(plan, done, tmp_path):
    other = studies.Archive(tmp_path / "others")
    studies.run(
        studies.Plan("small", seed=3, methods=["proben1-pivot"], tasks=TASKS[:1], instances=3),
        other,
        workers=2,
        progress=False,
    )
    assert other.losses().equals(done.losses(tasks=TASKS[0], methods="proben1-pivot"))


def test_a_method_of_ones_own_and_a_failure_row(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    plan = studies.Plan(
        "own", seed=1, methods=[f"{tmp_path / 'mine.py'}:shares"], tasks=TASKS, instances=2
    )
    archive = studies.Archive(tmp_path / "runs")
    summary = studies.run(plan, archive, workers=1, progress=False)
    assert (len(summary.done), len(summary.failed)) == (2, 2)
    assert all("not today" in reason for _, reason in summary.failed)
    records = archive.records()
    assert records.filter(instance=1)["status"].to_list() == ["failed", "failed"]
    cost = json.loads(records.filter(instance=0, task=TASKS[0])["cost"].item())
    assert cost["note"] == "a short text"
    assert cost["test_error"] == pytest.approx(22.2, abs=1.0)
    assert studies.partition_runs(source=archive)["run"].to_list() == [0, 0]
    selected = studies.run(plan, archive, workers=1, progress=False)
    assert len(selected.kept_failed) == 2


@pytest.mark.parametrize(
    "name",
    ["linear", "linear-mushroom", "search", "pivot", "variants", "modern", "modern-once", "quick"],
)
def test_the_plans_are_sound_and_mean_what_the_report_did(name, repository):
    plan = studies.Plan.read(repository / "data" / "studies" / f"proben1-{name}.toml")
    counts = {
        "linear": 420,
        "linear-mushroom": 1,
        "search": 2 * 42 * 36,
        "pivot": 2 * 42 * 60,
        "variants": 42 * 60,
        "modern": 2 * 420,
        "modern-once": 3 * 42,
        "quick": 13 * 5 * 10,
    }
    assert len(plan.runs()) == counts[name]
    assert not plan.not_applicable()
