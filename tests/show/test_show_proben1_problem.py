"""The run page of one problem: archived runs first, made now where there are none, and a passed form."""

import dataclasses

import pytest

from benchbook import datasets, studies, tasks
from benchbook.bookmaking import manifest
from benchbook.charts.run_strips import run_strips
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.show import proben1_problem
from benchbook.tasks import partition_names
from benchbook.tasks.partition import Portion


@pytest.fixture(scope="module")
def page():
    return proben1_problem.problem("sklearn-iris", ["proben1-linear", "proben1-pivot"], runs=3, source="fresh")


def test_runs_are_made_for_each_permutation(page):
    assert page.names == ("sklearn-iris1", "sklearn-iris2", "sklearn-iris3")
    assert page.made == page.runs.height == 18
    assert page.runs["method"].to_list()[:6] == ["proben1-linear"] * 3 + ["proben1-pivot"] * 3
    assert "18 runs made while this page was executed" in page.about().text


def test_the_tables_and_the_figure_say_what_the_runs_are(page):
    mean = page.runs.filter(dataset="sklearn-iris2", method="proben1-pivot")["test_error"].mean()
    assert f"{mean:.2f}" in page.statistics().text
    assert "printed" not in page.statistics().text
    assert "75" in page.partitions().text
    assert "Test errors of 18 runs" in page.figure().description
    assert f"proben1-pivot on sklearn-iris2 {mean:.3g}" in page.figure().description
    assert set(page.losses["digest"]) - {""}


def test_a_class_that_nobody_trains_on_is_said(page, monkeypatch):
    assert "never to answer" not in page.partitions().text
    whole = tasks.partition("sklearn-iris2")
    kept = whole.training.targets[:, 1] == 0
    small = Portion(whole.training.inputs[kept], whole.training.targets[kept])
    monkeypatch.setattr(tasks, "partition", lambda name: dataclasses.replace(whole, training=small))
    card = datasets.card("sklearn-iris2")
    assert f"No training case of sklearn-iris2 is of {card.targets[1]}" in page.partitions().text


def test_printed_means_stand_beside_ours(page):
    published = proben1_problem.ProblemPage(("cancer1", "cancer2", "cancer3"), ("proben1-linear", "proben1-pivot"),
                                            page.runs.clear(), 0)
    found = published.printed()
    assert found.filter(dataset="cancer1", method="proben1-pivot")["mean"].to_list() == [1.60]
    assert found.height == 6
    drawn = run_strips(page.runs, found.with_columns(dataset=page.runs["dataset"][:6]))
    assert ", printed 4.11" in drawn.description


def test_the_form_passes_or_says_why_not(page):
    text = page.forms().text
    assert "proben1-linear" in text
    assert "sklearn-iris1" in text


def test_kept_runs_go_first(tmp_path, monkeypatch):
    archive = studies.Archive(tmp_path)
    plan = studies.Plan("kept", seed=5, methods=["proben1-linear"], tasks=["sklearn-iris*/partition/a"], instances=2)
    studies.run(plan, archive, workers=1, progress=False)
    monkeypatch.setattr("benchbook.studies.on_partitions.overlay", lambda: archive)
    found = proben1_problem.problem("sklearn-iris", ["proben1-linear"], runs=5)
    assert (found.made, found.runs.height) == (0, 6)


def test_what_is_not_there_is_said(page):
    with pytest.raises(UnknownName, match="sklearn-iris"):
        proben1_problem.problem("sklearn-irid", ["proben1-linear"])
    with pytest.raises(BenchbookError, match="archive or fresh"):
        proben1_problem.problem("sklearn-iris", ["proben1-linear"], source="cache")
    empty = proben1_problem.ProblemPage(page.names, page.methods, page.runs.clear(), 0)
    assert "no figure" in empty.figure().text
    assert "no statistics" in empty.statistics().text
    with pytest.raises(FaultyInput, match="no lines"):
        run_strips(page.runs.clear())


def test_every_problem_has_a_run_page():
    asked = {run.parameters["problem"] for run in manifest.read() if run.template == "problem"}
    assert asked == {name[:-1] for name in partition_names()}
