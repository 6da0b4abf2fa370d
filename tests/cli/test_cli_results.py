"""``benchbook results``: files in, the comparison out; what is asked names the options that answer it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import compare_results
from benchbook.cli import app

RNG = np.random.default_rng(0)
SCORES = pl.DataFrame({
    "document": [f"d{k // 6}" for k in range(60)], "item": range(60),
    "new": RNG.random(60).round(3), "old": RNG.random(60).round(3),
})  # fmt: skip


def run(*words, code=0):
    result = CliRunner().invoke(app, ["results", *map(str, words)])
    assert result.exit_code == code, result.output
    return result.output if code == 0 else result.stderr


@pytest.fixture
def file(tmp_path):
    SCORES.write_csv(tmp_path / "scores.csv")
    return tmp_path / "scores.csv"


def test_a_file_is_compared_as_the_call_compares_it(file):
    options = {"metric": "rouge", "reference": "old", "rope": 0.01}
    result = compare_results(SCORES, **options)
    printed = run(file, "--metric", "rouge", "--against", "old", "--rope", 0.01)
    assert printed == f"{result!r}\n\nFor a paper: {result.sentence}\n"
    assert run(file, "--metric", "rouge", "--against", "old", "--format", "latex") == (
        compare_results(SCORES, metric="rouge", reference="old").to_latex() + "\n"
    )
    table = run(file, "--metric", "rouge", "--format", "csv")
    assert (
        pl.read_csv(table.encode())["mean"].to_list()
        == compare_results(SCORES, metric="rouge").table["mean"].to_list()
    )


def test_json_and_a_page_have_the_same_answer(file, tmp_path):
    page = tmp_path / "page.html"
    data = json.loads(
        run(
            file,
            "--metric",
            "mae",
            "--by",
            "document",
            "--drop",
            "nothing",
            "--page",
            page,
            "--json",
        )
    )
    assert data["read"] == "60 items, 2 methods, 10 segments; mae, lower is better"
    assert [row["method"] for row in data["table"]] == [
        data["headline"].split()[0],
        data["table"][1]["method"],
    ]
    assert "read as: 60 items" in page.read_text(encoding="utf8")


def test_every_option_reaches_the_call(file, monkeypatch):
    seen = {}

    def spy(results, y, **options):
        seen.update(options, results=results, y=y)
        return compare_results(SCORES, metric="mae")

    monkeypatch.setattr("benchbook.cli.results.compare_results", spy)
    words = """-m new -m old --metric m --higher --item i --cluster c --dataset d --fold f --repeat r --seed s
    --sample a --time t --weight w --se e --n n --by x --by y --drop z --each item --seeds own --samples first
    --datasets these --average micro --scale ratio --missing worst --folds 3 --test-to-train .5 --independent
    --loss auc --positive p --against new --rope .1 --unit EUR"""
    run(file, *words.split())
    told = "item i cluster c dataset d fold f repeat r seed s sample a time t weight w se e n n each item seeds own "
    told += "samples first datasets these average micro scale ratio missing worst metric m positive p reference new "
    words = f"{told}unit EUR".split()
    assert seen == dict(zip(words[::2], words[1::2], strict=True)) | {
        "results": [str(file)],
        "y": None,
        "method": ["new", "old"],
        "higher_is_better": True,
        "by": ["x", "y"],
        "drop": ["z"],
        "folds": 3,
        "test_to_train": 0.5,
        "independent": True,
        "losses": ["auc"],
        "rope": 0.1,
    }


def test_columns_are_predictions_of_a_target(tmp_path):
    y = RNG.normal(size=40)
    frame = pl.DataFrame({"price": y, "a": y + 1.0, "b": y + RNG.normal(size=40)})
    frame.write_csv(tmp_path / "p.csv")
    printed = run(tmp_path / "p.csv", "--target", "price", "--loss", "squared")
    assert printed.startswith("read as: 40 cases, 2 methods; squared error, lower is better")


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("--drop", "item", "--drop", "document"), "--each item"),
        (("--drop", "item", "--drop", "document", "--each", "fold", "--metric", "acc"), "--folds 10"),
        (("--metric", "gain",), "--higher or --lower"),
        (("--drop", "item", "--drop", "document", "--each", "dataset", "--metric", "rmse"), "--scale raw"),
    ],
)  # fmt: skip
def test_what_is_asked_names_the_option(file, words, option):
    assert option in run(file, *words, code=2)


def test_runs_of_tasks_are_compared():
    task = "kin-8nm-sim/dist/std.64"
    printed = run(
        "--tasks", task, "-m", "lin-1", "-m", "knn-cv-1", "--loss", "A", "--against", "lin-1"
    )
    result = compare_results(
        tasks=task, method=["lin-1", "knn-cv-1"], losses="A", reference="lin-1"
    )
    assert printed == f"{result!r}\n\nFor a paper: {result.sentence}\n"
    again = CliRunner().invoke(
        app,
        [
            "compare",
            "--tasks",
            task,
            "-m",
            "lin-1",
            "-m",
            "knn-cv-1",
            "--loss",
            "a",
            "--against",
            "lin-1",
        ],
    )
    assert again.output == printed
    for words, said in (
        (("x.csv", "--tasks", task), "FILE: found x.csv"),
        (("--tasks", task, "--cluster", "x"), "cluster: found 'x'; not with --tasks"),
        (("--tasks", task, "--loss", "S", "--loss", "A"), "with --tasks one loss"),
    ):
        assert said in run(*words, code=2)


def test_nothing_is_a_fault(tmp_path):
    assert "FILE: found none" in run(code=2)
    (tmp_path / "mine.html").write_text("<p>mine")
    run(Path("nowhere.csv"), "--page", tmp_path / "mine.html", code=2)
    assert (tmp_path / "mine.html").read_text() == "<p>mine"
