"""The runs of one problem for its page: archived runs first, made now where there are none, and a passed form."""

import dataclasses

import polars as pl
import pytest

from benchbook import datasets, studies, tasks
from benchbook.datasets.printed import mean_test_errors
from benchbook.errors import BenchbookError, FaultyInput, UnknownName
from benchbook.tasks.partition import Portion
from benchbook_book.pages.charts.run_strips import run_strips
from benchbook_book.pages.proben1 import PROBLEMS
from benchbook_book.pages.show import proben1_form, proben1_problem

METHODS = ["proben1-linear", "proben1-pivot"]
NAMES = ("sklearn-iris1", "sklearn-iris2", "sklearn-iris3")


@pytest.fixture(scope="module")
def found():
    return proben1_problem.runs("sklearn-iris", METHODS, count=3, source="fresh")


def test_runs_are_made_for_each_permutation(found):
    assert (
        proben1_problem.names_of("sklearn-iris")
        == NAMES
        == tuple(found["dataset"].unique(maintain_order=True))
    )
    assert found.filter("made").height == found.height == 18
    assert found["method"].to_list()[:6] == ["proben1-linear"] * 3 + ["proben1-pivot"] * 3
    assert (
        "18 runs made while this page was executed"
        in proben1_problem.about("sklearn-iris", found).text
    )


def test_means_of_runs_by_hand_and_their_table():
    records = pl.DataFrame(
        {
            "dataset": ["cancer1", "cancer1", "cancer2"],
            "method": "proben1-pivot",
            "training_error": [1.0, 3.0, 5.0],
            "validation_error": [2.5, 4.5, 6.5],
            "test_error": [1.0, 4.0, 7.0],
            "test_wrong": [0.5, 1.5, None],
            "total_epochs": [10, 21, 30],
        }
    )
    means = proben1_problem.means_over_runs(records)
    first, second = means.rows()
    assert first[:6] == ("cancer1", "proben1-pivot", 2, 2.0, 3.5, 2.5)
    assert first[6:] == (pytest.approx(4.5**0.5), 1.0, 4.0, 1.0, 15.5, 1.60)
    assert second[2:11] == (1, 5.0, 6.5, 7.0, None, 7.0, 7.0, None, 30.0)
    shown = proben1_problem.means_table(means)
    headings, _, *lines = [" ".join(line.split()) for line in shown.text.splitlines()[1:]]
    assert (
        headings
        == "partition method runs training validation test from, to wrong (%) epochs test, printed"
    )
    assert (
        lines[0]
        == "cancer1 pivot network `proben1-pivot` 2 2.00 3.50 2.50 ± 2.12 1.00 to 4.00 1.00 16 1.60"
    )
    assert lines[1].startswith("cancer2 pivot network 1 5.00 6.50 7.00 ± – 7.00 to 7.00 – 30 ")
    assert '<th scope="row">cancer1</th>' in shown.html
    assert proben1_problem.best_in_words(means) == (
        "Least mean test error on cancer1 and cancer2: proben1-pivot (2.50 and 7.00 %)."
    )
    other = means.with_columns(
        method=pl.lit("proben1-linear"), test_error=pl.Series([2.0, 7.5]), training_error=9.0
    )
    assert proben1_problem.best_in_words(pl.concat([means, other])) == (
        "Least mean test error: proben1-linear on cancer1 (2.00 %) and proben1-pivot on cancer2 (7.00 %)."
    )
    assert (
        proben1_problem.title("cancer", pl.concat([means, other]))
        == "cancer: proben1-linear first on 1 of 2 permutations"
    )
    assert proben1_problem.title("cancer", means.clear()) == "cancer: no runs"
    about = proben1_problem.about(
        "sklearn-iris", records.with_columns(made=pl.Series([True, False, False]))
    )
    assert about.text == (
        "This page shows 2 runs from the archive or your own store and 1 run made while this page was executed."
    )


def test_the_table_the_sentence_and_the_figure_say_what_the_runs_are(found):
    means = proben1_problem.means_over_runs(found)
    mean = found.filter(dataset="sklearn-iris2", method="proben1-pivot")["test_error"].mean()
    text = proben1_problem.means_table(means).text
    assert "printed" not in text
    assert "75" in proben1_problem.partitions(NAMES).text
    description = run_strips(found).description
    assert "Test errors of 18 runs" in description
    assert f"proben1-pivot on sklearn-iris2 {mean:.3g}" in description
    best = means.filter(dataset="sklearn-iris1").sort("test_error").row(0, named=True)
    assert best["method"] in proben1_problem.best_in_words(means)
    assert proben1_problem.best_in_words(means.clear()) == ""
    assert set(proben1_problem.digests(found)["digest"]) - {""}


def test_a_class_that_nobody_trains_on_is_said(monkeypatch):
    assert "never to answer" not in proben1_problem.partitions(NAMES).text
    whole = tasks.partition("sklearn-iris2")
    mask = whole.training.targets[:, 1] == 0
    small = Portion(whole.training.inputs[mask], whole.training.targets[mask])
    monkeypatch.setattr(tasks, "partition", lambda name: dataclasses.replace(whole, training=small))
    card = datasets.card("sklearn-iris2")
    assert (
        f"No training case of sklearn-iris2 is of {card.targets[1]}"
        in proben1_problem.partitions(NAMES).text
    )


def test_printed_means_stand_beside_ours(found):
    printed = mean_test_errors(("cancer1", "cancer2", "cancer3"), METHODS)
    assert printed.filter(dataset="cancer1", method="proben1-pivot")["printed"].to_list() == [1.60]
    assert printed.height == 6
    drawn = run_strips(found, printed.with_columns(dataset=found["dataset"][:6]))
    assert ", printed 4.11" in drawn.description


def test_the_form_passes_or_says_why_not(found):
    text = proben1_form.from_runs(found, "proben1-linear", "sklearn-iris1").text
    assert "proben1-linear" in text
    assert "sklearn-iris1" in text
    assert "no form" in proben1_form.from_runs(found, "proben1-none", "sklearn-iris1").text


def test_kept_runs_go_first(tmp_path, monkeypatch):
    archive = studies.Archive(tmp_path)
    plan = studies.Plan(
        "kept", seed=5, methods=["proben1-linear"], tasks=["sklearn-iris*/partition/a"], instances=2
    )
    studies.run(plan, archive, workers=1, progress=False)
    monkeypatch.setattr("benchbook.studies.on_partitions.overlay", lambda: archive)
    result = proben1_problem.runs("sklearn-iris", ["proben1-linear"], count=5)
    assert (result.filter("made").height, result.height) == (0, 6)


def test_what_is_not_there_is_said(found):
    with pytest.raises(UnknownName, match="sklearn-iris"):
        proben1_problem.runs("sklearn-irid", ["proben1-linear"])
    with pytest.raises(BenchbookError, match="archive or fresh"):
        proben1_problem.runs("sklearn-iris", ["proben1-linear"], source="cache")
    assert "no runs to show" in proben1_problem.about("sklearn-iris", found.clear()).text
    with pytest.raises(FaultyInput, match="no lines"):
        run_strips(found.clear())


def test_every_problem_is_described_in_the_book(repository):
    page = (repository / "book/proben1/problems.md").read_text(encoding="utf8")
    for problem in PROBLEMS:
        assert f"(sec-problem-{problem})=" in page
        assert f'problem_tables("{problem}")' in page


def test_the_page_names_whom_the_donors_of_the_data_ask_to_be_named():
    for name, who in (("cancer1", "Wolberg"), ("heartc2", "Detrano"), ("hearta3", "Janosi")):
        assert who in proben1_problem.partitions([name]).text
    assert "publishes" not in proben1_problem.partitions(["glass1"]).text


@pytest.mark.parametrize(
    ("source", "count", "kept", "made"),
    [("archive", 2, 2, ["b"]), ("archive", 0, 4, ["b"]), ("fresh", 2, 0, ["a", "b"])],
)
def test_the_first_runs_are_taken_and_methods_without_any_are_made(
    monkeypatch, source, count, kept, made
):
    """Of method a four runs are archived for each permutation, of which one is beyond the sixty."""
    begun = []

    def made_now(methods, names, count, seed):
        begun.append((methods[0], names[0], count, seed))
        return pl.DataFrame({"dataset": names, "method": methods, "run": [0]})

    rows = [(name, "a", number) for name in NAMES for number in (0, 1, 2, 59, 60)]
    archived = pl.DataFrame(rows, schema=["dataset", "method", "run"], orient="row")
    asked = []
    monkeypatch.setattr(studies, "partition_runs", lambda *given: asked.append(given) or archived)
    monkeypatch.setattr(studies, "run_partitions", made_now)
    found = proben1_problem.runs("sklearn-iris", ["b", "a"], count, 7, source)
    assert begun == [
        (name, item, count or 60, 7) for item in NAMES for name in ("b", "a") if name in made
    ]
    assert found.filter(~pl.col("made")).height == 3 * kept
    assert found.filter(dataset=NAMES[0])["method"].to_list() == ["b"] + ["a"] * (kept or 1)
    assert asked == [(["b", "a"], [f"{name}/partition/a" for name in NAMES])]
