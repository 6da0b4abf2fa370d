"""The commands of a challenge from end to end, as an entrant and as an organiser use them."""

import json
import zipfile

import polars as pl
import pytest
from click.testing import CliRunner

from benchbook.cli import app

TASK = "concrete/challenge"


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Call the command line in a folder of the test's own; returns what it printed, with --json as values."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, ["challenge", *map(str, arguments)])
        assert result.exit_code == code, f"{arguments}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
        assert "Traceback" not in result.output
        return json.loads(result.stdout) if "--json" in arguments else result.stdout + result.stderr

    return run


def test_an_entrant_and_an_organiser_with_data_of_their_own(call, tmp_path):
    phases = ["training"] * 20 + ["validation"] * 5 + ["test"] * 15
    (tmp_path / "fuel.csv").write_text("case,phase,target\n" + "".join(
        f"c{i},{phase},{i % 7 + 0.5 * (i % 2)}\n" for i, phase in enumerate(phases)))
    own = ("--targets", "fuel.csv")
    rows = {row["task"]: row for row in call("tasks", *own, "--json")}
    assert rows["fuel/test"] == {"task": "fuel/test", "kind": "real", "cases": 15, "ranked by": "NLPD"}
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.toml").write_text(
        'format = "benchbook.submission/1"\nname = "a"\nteam = "t"\nmethod = "m"\n[[prediction]]\ntask = "fuel/test"\n'
        'file = "p.csv"\nkind = "quantiles"\n')
    (tmp_path / "a" / "p.csv").write_text("case,0.1,0.9\n" + "".join(f"c{i},1,6\n" for i in range(25, 40)))
    assert call("check", "a", *own) == "a is valid\n"
    data = call("score", "a", *own, "--out", "each.csv", "--json")
    mean = pl.read_csv("each.csv").filter(loss="NLPD")["value"].mean()
    assert next(row for row in data["losses"] if row["loss"] == "NLPD")["value"] == pytest.approx(mean)
    assert "must be a task of this challenge" in call("check", "a", code=1)
    (tmp_path / "a" / "p.csv").write_text("case,0.1,0.9\nc25,6,1\n")
    said = call("check", "a", *own, "--most", "2", code=1)
    assert "a is faulty: 15 faults in 1 place" in said
    assert "... and 13 more in p.csv" in said
    assert call("check", "a", *own, "--json", code=1)["faults"] == 15
    assert "a is faulty" in call("score", "a", *own, code=1)


@pytest.mark.parametrize(("arguments", "said"), [
    (("check", "nowhere"), "there is no submission nowhere"),
    (("enter", "base-1", "-t", "concrete/chalenge", "--out", "x"), "Nearest: concrete/challenge"),
    (("enter", "lin-9", "-t", TASK, "--out", "x"), "unknown method"),
    (("export", "concrete/strength-9", "--out", "x"), "unknown task"),
    (("score", "x", "--out", "x.xls"), "--out writes .csv or .parquet"),
    (("tasks", "--targets", "none.csv"), "the targets in none.csv cannot be read"),
])
def test_wrong_input_is_told_with_exit_code_2(call, arguments, said):
    assert said in call(*arguments, code=2)


def test_methods_enter_are_checked_scored_and_ranked(call, tmp_path, real_data):
    real_data("concrete")
    for method, form in (("base-1", "txt"), ("lin-1", "csv")):
        call("enter", method, "-t", f"{TASK}/test*", "--out", f"all/{method}", "--team", "us", "--form", form)
        assert "is valid" in call("check", f"all/{method}")
    with zipfile.ZipFile("all/knn.zip", "w") as archive:
        call("enter", "knn-cv-1", "-t", f"{TASK}/test", "--out", "knn", "--exploit")
        for place in (tmp_path / "knn").iterdir():
            archive.write(place, f"knn/{place.name}")
    told = call("board", "all", "--out", "board.html", "--enforce")
    lines = [line.split() for line in told.splitlines()]
    assert ["1", "lin-1"] in [line[:2] for line in lines]
    assert any(line[:2] == ["-", "knn-cv-1"] and line[-1] == "refused" for line in lines)
    assert any(line[:3] == ["2", "<", "lin-1"] for line in lines)
    assert (tmp_path / "board.html").read_text().count("<section>") == 1
    assert "refused:" in call("score", "all/knn.zip", "--enforce", code=1)
    (tmp_path / "all" / "bad").mkdir()
    left = call("board", "all", "--json", code=1)
    assert [line["name"] for board in left for line in board["lines"]].count("knn-cv-1") == 1


def test_what_entrants_get_has_no_hidden_target_and_the_organisers_file_scores_alike(call, tmp_path, real_data):
    real_data("concrete")
    call("export", TASK, "--out", "them")
    names = {place.name for place in (tmp_path / "them").rglob("*") if place.is_file()}
    assert names == {"training.csv", "validation.csv", "test.csv", "README.md", "manifest.toml",
                     "concrete-challenge-validation.txt"}
    assert pl.read_csv("them/test.csv").columns == pl.read_csv("them/training.csv").columns[:-1]
    assert pl.read_csv("them/test.csv").height == 400
    assert "example is valid" in call("check", "them/example")
    ours = call("score", "them/example", "--json")
    hidden = (tmp_path / "them-targets.csv").read_text()
    assert hidden.startswith("# task = concrete/challenge\n# kind = real\ncase,phase,target\n")
    (tmp_path / "t.csv").write_text(hidden.replace("concrete/challenge", "mine"))
    text = (tmp_path / "them" / "example" / "manifest.toml").read_text()
    (tmp_path / "them" / "example" / "manifest.toml").write_text(text.replace(TASK, "mine"))
    theirs = call("score", "them/example", "--targets", "t.csv", "--json")
    assert [row["value"] for row in theirs["losses"]] == pytest.approx([row["value"] for row in ours["losses"]])
    call("export", TASK, "--out", "then", "--released", "--key", "kept.csv")
    released = pl.read_csv("then/validation-targets.csv")
    assert released.columns == ["case", "target"]
    assert released.height == 230
    assert (tmp_path / "kept.csv").exists()


def test_classes_are_minus_and_plus_one_for_entrants(call, tmp_path, real_data):
    real_data("uci-diabetes")
    call("export", "uci-diabetes/challenge", "--out", "them")
    assert set(pl.read_csv("them/training.csv")["target"]) == {-1, 1}
    assert "+1 stands for" in (tmp_path / "them" / "README.md").read_text()
    assert "is valid" in call("check", "them/example", "--targets", "them-targets.csv")
