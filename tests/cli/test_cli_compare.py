"""``benchbook compare`` as a paper needs it: formats that hold the same numbers, rank tests, figures."""

import io
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from printed import held
from scipy import stats

from benchbook import datasets, studies
from benchbook.archive.records import RunKey, RunResult, blank_record
from benchbook.cli import app
from benchbook.cli.output import grid, sentence

TASK = "kin-8nm-sim/dist/std.64"
NAMES = ("base-1", "knn-cv-1", "lin-1")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Runs of three fast methods on two tasks of one prototask and on one of another."""
    folder = tmp_path_factory.mktemp("runs")
    plan = studies.Plan(
        name="x",
        seed=1,
        methods=NAMES,
        tasks=[TASK, TASK.replace("64", "128"), TASK.replace("nm", "fh")],
        losses=["S"],
    )
    studies.run(plan, folder, workers=1, progress=False)
    return folder


@pytest.fixture
def call(store, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(store))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "archive"))

    def run(*words, code=0):
        result = CliRunner().invoke(app, ["compare", *words])
        assert result.exit_code == code, result.output
        return result

    return run


def test_csv_and_json_hold_the_numbers_that_scipy_has(call, store):
    table = pl.read_csv(
        io.StringIO(call("-t", TASK, "--format", "csv", "--against", "lin-1").stdout)
    )
    frame = (
        studies.Archive(store)
        .losses(tasks=TASK)
        .group_by("method", "instance")
        .agg(pl.col("value").mean())
        .sort("instance")
    )
    means = {name: frame.filter(method=name)["value"].to_numpy() for name in NAMES}
    assert table["method"].to_list() == sorted(NAMES, key=lambda name: means[name].mean())
    for row in table.to_dicts():
        assert row["mean"] == pytest.approx(means[row["method"]].mean())
        parts = row["from_training_sets"] ** 2 + row["from_test_cases"] ** 2
        assert parts == pytest.approx(row["se"] ** 2)
        if row["method"] != "lin-1":
            test = stats.ttest_rel(means[row["method"]], means["lin-1"])
            assert row["p"] == pytest.approx(test.pvalue)
            assert row["p"] <= row["p_holm"]
    found = json.loads(call("-t", TASK, "--format", "json").stdout)
    assert {row["method"]: row["mean"] for row in found["table"]} == pytest.approx(
        dict(table.select("method", "mean").rows())
    )


@pytest.mark.parametrize(
    "words",
    [
        f"-t {TASK}",
        f"-t {TASK} --against lin-1 -m lin-1 -m base-1",
        f"-t {TASK} --format latex",
        f"-t {TASK} --format csv --ranks",
        "-t kin-8*-sim/dist/std.64 --ranks",
        "-t kin-8*-sim/dist/* --ranks --format markdown",
    ],
)
def test_what_is_printed_of_tasks_is_held(call, words):
    """Two sizes of one data set are one block of a rank test over data sets."""
    text = re.sub(
        r"-?\d+[.]\d{5,}(e-?\d+)?",
        lambda match: f"{float(match[0]):.5g}",
        call(*words.split()).stdout,
    )
    held(Path(__file__).with_name("printed_tasks.txt"), words, text)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_figures_are_files_of_their_kind(call, tmp_path, ending):
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}
    for name, tasks in (("curve", "kin-8nm-sim/dist/*"), ("pair", TASK)):
        path = tmp_path / f"{name}.{ending}"
        call("-t", tasks, "--figure", str(path))
        assert path.read_bytes().startswith(starts[ending])
    if ending == "svg":
        assert "128" in (tmp_path / "curve.svg").read_text()


def test_what_cannot_be_drawn_is_said(call, tmp_path):
    assert "another ending" in call("-t", TASK, "--figure", "x.gif", code=2).stderr
    assert (
        "one prototask" in call("-t", "kin-8*", "--figure", str(tmp_path / "x.svg"), code=2).stderr
    )
    assert list(tmp_path.glob("*.svg")) == []


def test_partitions_of_a_problem_are_compared_by_the_corrected_test(call, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "own"))
    errors = {"a": np.array([1.2, 3.4, 2.2]), "b": np.array([1.9, 3.8, 3.1])}
    archive = studies.Archive(tmp_path / "own")
    for name, values in errors.items():
        for number, value in enumerate(values):
            for run, shift in enumerate((-0.1, 0.1)):
                key = RunKey(name, f"sklearn-cancer{number + 1}/partition/a", run)
                cost = json.dumps({"test_error": value + shift, "test_wrong": 1.0})
                archive.write(
                    RunResult(
                        blank_record(key, 1, "made up")
                        | {"status": "ok", "cost": cost, "digest": "d"},
                        {"E": np.ones(3)},
                        np.arange(3),
                    )
                )
    tasks = "sklearn-cancer*/partition/a"
    found = json.loads(call("-t", tasks, "--json").stdout)
    assert len(found["runs_on_partitions"]) == 6
    gaps = errors["b"] - errors["a"]
    line = next(row for row in found["table"] if row["verdict"] != "best")
    training, _, test = datasets.card("sklearn-cancer1").partition
    statistic = gaps.mean() / np.sqrt((1 / 3 + test / training) * gaps.var(ddof=1))
    assert line["method"] == "b"
    assert line["p"] == pytest.approx(2 * stats.t.sf(abs(statistic), 2))
    assert "3 partitions" in call("-t", tasks).stdout
    other = json.loads(call("-t", tasks, "--json", "--against", "b").stdout)["table"]
    assert [row["verdict"] for row in other] == ["open", "reference"]
    alone = json.loads(call("-t", "sklearn-cancer1/partition/a", "--json").stdout)
    assert list(alone) == ["runs_on_partitions"]


def test_a_sentence_is_as_wide_as_the_terminal(monkeypatch):
    text = "a word " * 30
    for width in (40, 90, 1000):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = sentence(text, "% ").splitlines()
        assert all(line.startswith("% ") for line in lines)
        assert min(width, len(text) + 1) - 8 < max(map(len, lines)) <= width


def test_numbers_of_five_or_six_digits_stand_as_whole_numbers():
    values = {"a": 9999.4, "b": 18987.6, "c": -999_999.4, "d": 1_000_000.0, "e": 0.12345}
    assert grid([values], {key: key for key in values}, "markdown").splitlines()[-1].replace(
        " ", ""
    ) == ("|9999|18988|-999999|1e+06|0.1235|")


OWN = """
import numpy as np
from benchbook.losses.own import loss

@loss()
def endless(prediction, targets):
    return np.where(targets > targets.min() - 1.0, np.inf, 1.0)

@loss()
def negative(prediction, targets):
    return -abs(prediction.mean() - targets)
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [("endless", "have no finite endless@"), ("negative", "Loss negative is below zero here")],
)
def test_a_strange_loss_of_ones_own_is_compared_in_words(name, words, tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    (tmp_path / "mine.py").write_text(OWN)
    result = CliRunner().invoke(
        app,
        [
            "run",
            "-m",
            "base-1",
            "-m",
            "lin-1",
            "-t",
            TASK,
            "--instances",
            "2",
            "--workers",
            "1",
            "--loss",
            f"{tmp_path / 'mine.py'}:{name}",
        ],
    )
    assert result.exit_code == 0, result.output
    assert words in " ".join(result.output.split())
