"""From a public table to a page by two commands, and what the page says computed by other means."""

import json
import re
import tomllib
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn import datasets as public

from benchbook import assess, methods, studies, tasks
from benchbook.cli import app
from benchbook.show import assessment
from benchbook.show.assessment import form as form_of
from benchbook.show.assessment.calibration import calibration
from benchbook.show.assessment.worth import worth
from benchbook.studies import predictions

MINE = """\
from benchbook.methods import method
from benchbook.predictive import Categorical, Gaussian
import numpy as np


@method(name="the-middle", source="made up", kinds=("real", "class"))
def middle(instance, rng):
    cases = len(instance.test_inputs)
    if instance.kind == "class":
        return Categorical(np.full((cases, len(instance.classes)), 1 / len(instance.classes)))
    targets = instance.train_targets
    return Gaussian(np.full(cases, np.median(targets)), np.full(cases, targets.var() + 1e-3))
"""


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def table(name: str) -> None:
    bunch = getattr(public, f"load_{name}")(**({"scaled": False} if name == "diabetes" else {}))
    frame = pl.DataFrame(bunch.data, schema=[str(one) for one in bunch.feature_names])
    classes = getattr(bunch, "target_names", ())
    answer = [str(classes[one]) for one in bunch.target] if len(classes) else bunch.target
    frame.with_columns(answer=pl.Series(answer)).write_csv(f"{name}.csv")


@pytest.fixture
def mine(home):
    Path("mine.py").write_text(MINE)
    return "mine.py:middle"


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("diabetes", ("lin-1", "knn-cv-1")),
        ("breast_cancer", ("knn-cv-1", "svm-platt-1")),
        pytest.param("wine", ("knn-cv-1", "svm-platt-1"), marks=pytest.mark.slow),
    ],
)
def test_a_public_table_goes_from_file_to_page_by_two_commands(mine, name, others):
    table(name)
    run("datasets", "add", f"{name}.csv", "--target", "answer")
    against = [word for other in others for word in ("--against", other)]
    output = run("assess", name, "--method", mine, *against, "--workers", "1", "--yes")
    text = Path(f"{name}.html").read_text(encoding="utf8")
    assert len(text.encode()) < 1_500_000
    assert not re.findall(
        r"<script|<link|(?:src|href)=\"https?://(?!www\.w3)", text.partition("</head>")[0]
    )
    assert "<script" not in text
    assert text.count("<svg") >= 2
    assert "the-middle" in text
    said = re.search(r"<blockquote>(.*?)</blockquote>", text, re.S)[1]
    assert said.split("(")[0] in output
    assert "published cases" not in text
    for part in (
        "Is the doubt as stated?",
        "What was held, and what varied",
        "What it is worth",
        "The report form, passed: 0 faults",
    ):
        assert part in text
    again = run("assess", name, "--method", mine, *against, "--workers", "1", "--yes")
    assert " 0 done" in again or "there already" in again
    assert "done," not in again


def test_numbers_of_the_page_are_those_of_another_computation(mine):
    table("diabetes")
    run("datasets", "add", "diabetes.csv", "--target", "answer", "--nature", "sex=real")
    found = json.loads(
        run(
            "assess",
            "diabetes",
            "--method",
            mine,
            "--against",
            "lin-1",
            "--against",
            "knn-cv-1",
            "--against",
            "base-1",
            "--workers",
            "1",
            "--json",
        )
    )
    largest = max(row["size"] for row in found["ranking"])
    task = tasks.get(f"diabetes/answer/std.{largest}")
    frame = pl.read_csv("diabetes.csv").to_numpy()
    inputs, targets = np.column_stack([np.ones(len(frame)), frame[:, :-1]]), frame[:, -1]
    losses = {"lin-1": [], "base-1": []}
    for train, test in zip(task.split().train, task.split().test, strict=True):
        fitted = np.linalg.lstsq(inputs[train], targets[train])[0]
        losses["lin-1"].append((inputs[test] @ fitted - targets[test]) ** 2)
        losses["base-1"].append((targets[train].mean() - targets[test]) ** 2)
    ranking = {row["method"]: row for row in found["ranking"] if row["size"] == largest}
    for name, values in losses.items():
        assert ranking[name]["mean"] == pytest.approx(np.mean(values), rel=1e-6)
    tested = {
        tuple(sorted(pair)): quasi_f(_losses(task.name, pair[0]) - _losses(task.name, pair[1]))
        for pair in combinations(ranking, 2)
    }
    assert tested["base-1", "lin-1"] == pytest.approx(
        quasi_f(np.array(losses["base-1"]) - np.array(losses["lin-1"])), rel=1e-4
    )
    steps = np.maximum.accumulate(
        [min(1.0, p * (len(tested) - place)) for place, p in enumerate(sorted(tested.values()))]
    )
    holm = dict(zip(sorted(tested, key=tested.get), steps, strict=True))
    for row in ranking.values():
        if row["method"] != row["against"]:
            assert row["holm"] == pytest.approx(
                holm[tuple(sorted((row["method"], row["against"])))], rel=1e-6
            )
    names = [row["method"] for row in sorted(ranking.values(), key=lambda row: row["mean"])]
    for first, second in combinations(names, 2):
        shared = set(ranking[first]["ties"]) & set(ranking[second]["ties"])
        assert bool(shared) == (holm[tuple(sorted((first, second)))] > 0.05)
    assert f"{names[0]} had the smallest expected loss among 4 methods" in found["sentence"]
    sets = {one["size"]: (one["sets"], one["cases"]) for one in found["allowed"]}
    assert sets[largest] == (len(task.split().train), len(task.split().test[0]))


def test_numbers_of_a_page_of_classes_are_those_of_another_computation(mine):
    table("breast_cancer")
    run("datasets", "add", "breast_cancer.csv", "--target", "answer")
    found = json.loads(
        run(
            "assess",
            "breast_cancer",
            "--against",
            "base-1",
            "--against",
            "knn-cv-1",
            "--workers",
            "1",
            "--json",
        )
    )
    largest = max(row["size"] for row in found["ranking"])
    name, names = f"breast_cancer/answer/std.{largest}", ("base-1", "knn-cv-1")
    split, answers = tasks.get(name).split(), pl.read_csv("breast_cancer.csv")["answer"].to_numpy()
    assert [len(set(part)) for part in split.train] == [largest] * split.instances
    assert len(
        set(np.concatenate([*split.train, split.test[0]]))
    ) == largest * split.instances + len(split.test[0])
    classes = np.array(sorted(set(answers)))
    wrong = {"base-1": [], "knn-cv-1": []}
    store = studies.Archive(studies.runs_path())
    for train, test in zip(split.train, split.test, strict=True):
        seen, counts = np.unique(answers[train], return_counts=True)
        wrong["base-1"].append(answers[test] != seen[counts.argmax()])
    for record in (
        store.records(tasks=[name], methods=["knn-cv-1"]).sort("instance").iter_rows(named=True)
    ):
        said = predictions.read(store.path, record).probability.argmax(axis=1)
        wrong["knn-cv-1"].append(classes[said] != answers[split.test[record["instance"]]])
    wrong = {method: np.array(parts, dtype=float) for method, parts in wrong.items()}
    ranking = {row["method"]: row for row in found["ranking"] if row["size"] == largest}
    assert {one: ranking[one]["mean"] for one in names} == pytest.approx(
        {one: wrong[one].mean() for one in names}
    )
    assert ranking["base-1"]["p"] == pytest.approx(
        quasi_f(wrong["base-1"] - wrong["knn-cv-1"]), rel=1e-6
    )
    assert ranking["base-1"]["holm"] == ranking["base-1"]["p"] < 0.05
    assert "knn-cv-1 had the smallest expected loss among 2 methods" in found["sentence"]
    text = Path("breast_cancer.html").read_text(encoding="utf8")
    shown = next(
        part
        for part in re.findall(r"<table.*?</table>", text, re.S)
        if "held most probable" in part
    )
    for one in names:
        line = next(row for row in re.findall(r"<tr.*?</tr>", shown, re.S) if one in row)
        cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line, re.S)
        assert float(cells[-1].split()[0]) == pytest.approx(1 - wrong[one].mean(), abs=6e-3)


def quasi_f(differences):
    """p of the two-way random model whose cells [I, J] are differences, by numpy and scipy alone."""
    sets, cases = differences.shape
    mean, rows, columns = differences.mean(), differences.mean(axis=1), differences.mean(axis=0)
    square = sets * cases * mean**2
    between_sets = cases * np.square(rows - mean).sum() / (sets - 1)
    between_cases = sets * np.square(columns - mean).sum() / (cases - 1)
    rest_df = (sets - 1) * (cases - 1)
    rest = np.square(differences - rows[:, None] - columns + mean).sum() / rest_df
    above, below = square + rest, between_sets + between_cases
    df = (
        above**2 / (square**2 + rest**2 / rest_df),
        below**2 / (between_sets**2 / (sets - 1) + between_cases**2 / (cases - 1)),
    )
    return stats.f.sf(above / below, *df)


def _losses(task: str, method: str) -> np.ndarray:
    frame = studies.gather(task, method, "S").sort("instance", "case")
    return frame["value"].to_numpy().reshape(frame["instance"].n_unique(), -1)


def test_the_detectable_difference_is_found_about_as_often_as_promised(mine):
    table("diabetes")
    run("datasets", "add", "diabetes.csv", "--target", "answer")
    asked = assessment.ask("diabetes", [], ["lin-1", "knn-cv-1"])
    assert all(one.difference is None for one in assessment.allowed(asked))
    studies.run(asked.plan, studies.runs_path(), workers=1, progress=False)
    for one in assessment.allowed(asked):
        pair = assess.compare(
            *(_losses(f"diabetes/answer/std.{one.size}", name) for name in ("lin-1", "knn-cv-1")),
            "common",
        )
        variance = (
            pair.sd_instances**2 / one.sets
            + pair.sd_cases**2 / one.cases
            + pair.sd_residual**2 / one.sets / one.cases
        )
        assert one.difference > 2.8 * variance**0.5  # z for 0.975 and 0.8, and more for few sets
        assert one.difference < 5.0 * variance**0.5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing-here",), "neither a dataset nor a command"),
        (("lo",), "Nearest: loo"),
        (("wine.csv",), "benchbook datasets add wine.csv"),
        (("wine", "--loss", "QQ"), "unknown loss 'QQ'"),
        (("wine", "--loss", "S"), "loss S is for real"),
        (("wine", "--method", "lin-1"), "lin-1 does not predict a class target"),
        (("wine", "--method", "lin-1"), "kinds=('class',)"),
        (("wine", "--method", "none.py:f"), "none.py"),
        (("wine", "--against", "base-1"), "needs two methods"),
        (("wine", "--out", "page.txt"), "must end in .html"),
        (("wine", "--out", "mine.html"), "give another --out"),
        (("wine/cv",), "no disjoint training sets"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_anything_is_run(mine, words, said):
    table("wine")
    run("datasets", "add", "wine.csv", "--target", "answer")
    Path("mine.html").write_text("my own page")
    assert said in run("assess", *words, "--yes", code=2)
    assert not list(studies.runs_path().glob("**/*.parquet"))
    assert Path("mine.html").read_text() == "my own page"


def test_a_method_that_fails_is_named_and_the_others_are_compared(mine):
    table("wine")
    run("datasets", "add", "wine.csv", "--target", "answer")
    Path("mine.py").write_text(
        MINE.replace("cases = len", "raise ValueError('no luck')\n    cases = len")
    )
    output = run(
        "assess",
        "wine",
        "--method",
        "mine.py:middle",
        "--against",
        "knn-cv-1",
        "--against",
        "base-1",
        "--workers",
        "1",
        "--yes",
        code=1,
    )
    assert "no luck" in output
    assert "no luck" in Path("wine.html").read_text()
    assert "report form refused" in output
    assert (
        "among 2 methods" not in output
    )  # no sentence for a paper while the reader's own method has failed
    assert "knn-cv-1" in output


def test_the_standard_sets_predict_their_targets_and_name_ten_methods_at_most():
    from benchbook import methods

    for kind, names in assessment.STANDARD.items():
        assert 6 <= len(set(names)) == len(names) <= 10
        assert all(kind in methods.get(name).kinds for name in names)


@pytest.fixture
def sugar(mine):
    table("diabetes")
    run("datasets", "add", "diabetes.csv", "--target", "answer")
    asked = assessment.ask("diabetes", [mine], ["lin-1", "base-1"])
    studies.run(asked.plan, studies.runs_path(), workers=1, progress=False, keep_predictions=True)
    return asked


def test_calibration_is_counted_on_every_training_set_without_asking_a_method_again(
    sugar, monkeypatch
):
    monkeypatch.setattr(methods, "answer", lambda *_: pytest.fail("a method was asked again"))
    page = assessment.gathered(sugar)
    found = {row["method"]: row for row in calibration(page).to_dicts()}
    task = tasks.get(next(reversed(page.sizes)))
    frame = pl.read_csv("diabetes.csv")["answer"].to_numpy()
    held = []
    for train, test in zip(task.split().train, task.split().test, strict=True):
        away = np.abs(frame[test] - np.median(frame[train]))
        spread = np.sqrt(frame[train].var() + 1e-3 * frame[train].var(ddof=1))
        held.append(away <= stats.norm.ppf(0.95) * spread)
    assert found["the-middle"]["within_90%"] == pytest.approx(np.mean(held), abs=2 / np.size(held))


def test_the_form_passes_and_its_rules_refuse_what_they_should(sugar):
    page = assessment.gathered(sugar)
    ranking = assessment.ranked(page, "S", "the-middle")
    form = assessment.report_form(sugar, page, ranking)
    assert form.passed
    assert {one.key for one in form.warnings} == {"problem.source", "methods.yours"}
    assert tomllib.loads(form.toml())["results"]["lin-1"]["mean"] == pytest.approx(
        ranking.filter(method="lin-1", size=ranking["size"].max())["mean"].item(), rel=1e-5
    )
    mine = pl.col("method") == "the-middle"
    for column, value, key in (
        ("status", "failed", "runs.failed"),
        ("identity", "another", "methods.the-middle"),
    ):
        first = mine & (pl.int_range(pl.len()) == page.records["method"].index_of("the-middle"))
        records = page.records.with_columns(
            pl.when(first).then(pl.lit(value)).otherwise(column).alias(column)
        )
        refused = assessment.report_form(sugar, replace(page, records=records), ranking)
        assert {one.key for one in refused.faults} == {key}
    fewer = page.values.filter(~(mine & (pl.col("instance") == 0)))
    assert (
        assessment.report_form(sugar, replace(page, values=fewer), ranking).faults[0].key
        == "runs.total"
    )


def test_groups_are_looked_up_in_the_splits_and_a_refused_form_has_no_sentence(sugar, monkeypatch):
    frame = pl.read_csv("diabetes.csv").head(200).with_columns(person=pl.int_range(200) // 5)
    frame.write_csv("grouped.csv")
    run("datasets", "add", "grouped.csv", "--target", "answer", "--group", "person")
    task = tasks.get("grouped/answer/std.8")
    assert list(form_of._dealt_out("grouped/answer")) == []
    split = task.split()
    with monkeypatch.context() as patch:
        patch.setattr(type(task), "split", lambda _: replace(split, test=split.train))
        assert {one.key for one in form_of._dealt_out("grouped/answer") if not one.warning} == {
            "partition.test"
        }
        as_before = tasks.split(replace(task.prototask, group=()), 8, task.cases.order)
        patch.setattr(type(task), "split", lambda _: as_before)
        found = {(one.key, one.warning) for one in form_of._dealt_out("grouped/answer")}
        assert found == {("partition.training", True)}
    page = assessment.gathered(sugar)
    records = page.records.with_columns(status=pl.lit("failed"))
    assessment.save(
        sugar, replace(page, records=records), assessment.allowed(sugar), Path("refused.html")
    )
    text = Path("refused.html").read_text(encoding="utf8")
    assert "<blockquote>" not in text
    assert "runs of the-middle that failed" in text


def test_what_it_is_worth_is_in_the_unit_of_the_target(sugar):
    page = assessment.gathered(sugar)
    name = next(reversed(page.sizes))
    found = {row["method"]: row for row in worth(page, "base-1").to_dicts()}
    frame, split = pl.read_csv("diabetes.csv")["answer"].to_numpy(), tasks.get(name).split()
    away = np.array(
        [
            frame[test] - frame[train].mean()
            for train, test in zip(split.train, split.test, strict=True)
        ]
    )
    assert found["base-1"]["absolute"] == pytest.approx(np.abs(away).mean(), rel=1e-6)
    assert found["base-1"]["root"] == pytest.approx(np.sqrt(np.square(away).mean()), rel=1e-6)
    assert found["lin-1"]["difference"] == pytest.approx(
        found["lin-1"]["absolute"] - found["base-1"]["absolute"], rel=1e-6
    )
