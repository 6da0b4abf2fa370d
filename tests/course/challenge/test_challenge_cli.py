"""The commands of a challenge from end to end, as an entrant and as an organiser use them."""

import json
import shutil
import zipfile
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook.cli import app
from benchbook.errors import FaultyInput
from benchbook.seeds import generator
from benchbook_book.commands.challenge import _gain
from benchbook_book.course import challenge
from benchbook_book.course.challenge import targets, writing

TASK = "concrete/challenge"


@pytest.fixture
def call(monkeypatch, tmp_path):
    """Call the command line in a folder of the test's own; returns what it printed, with --json as values."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, ["challenge", *map(str, arguments)])
        assert result.exit_code == code, (
            f"{arguments}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
        )
        assert "Traceback" not in result.output
        return json.loads(result.stdout) if "--json" in arguments else result.stdout + result.stderr

    return run


def test_an_entrant_and_an_organiser_with_data_of_their_own(call, tmp_path):
    phases = ["training"] * 20 + ["validation"] * 5 + ["test"] * 15
    (tmp_path / "fuel.csv").write_text(
        "case,phase,target\n"
        + "".join(f"c{i},{phase},{i % 7 + 0.5 * (i % 2)}\n" for i, phase in enumerate(phases))
    )
    own = ("--targets", "fuel.csv")
    rows = {row["task"]: row for row in call("tasks", *own, "--json")}
    assert rows["fuel/test"] == {
        "task": "fuel/test",
        "kind": "real",
        "cases": 15,
        "ranked by": "NLPD",
    }
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.toml").write_text(
        'format = "benchbook.submission/1"\nname = "a"\nteam = "=t"\nmethod = "m"\n[[prediction]]\ntask = "fuel/test"\n'
        'file = "p.csv"\nkind = "quantiles"\n'
    )
    (tmp_path / "a" / "p.csv").write_text(
        "case,0.1,0.9\n" + "".join(f"c{i},1,6\n" for i in range(25, 40))
    )
    assert call("check", "a", *own) == "a is valid\n"
    rule = ("--points", "entered=1, top:1=2", "--out", "g.csv", "--form", "short")
    assert call("gradebook", "a", *own, *rule) == "g.csv: 1 participants, 1 with an entry\n"
    assert (tmp_path / "g.csv").read_text() == "name,points\n'=t,3.0\n"
    assert call("gradebook", "a", "a", *own, *rule) == "g.csv: 1 participants, 1 with an entry\n"
    shutil.copytree("a", "twin")
    told = call("gradebook", "a", "twin", *own, *rule, code=2)
    assert "found 2 entries of team =t: a and twin" in told
    shutil.rmtree("twin")
    data = call("score", "a", *own, "--out", "each.csv", "--json")
    each = pl.read_csv("each.csv").filter(loss="NLPD")
    assert set(each["team"]) == {"'=t"}
    mean = each["value"].mean()
    assert next(row for row in data["losses"] if row["loss"] == "NLPD")["value"] == pytest.approx(
        mean
    )
    for again in ("b", "c"):
        shutil.copytree("a", again)
    board = call("board", "a", "b", "c", *own)
    assert "two entries a of team =t: a and b; both stand" in board
    assert all(f"a ({path})" in board for path in "abc")
    assert "two entries" not in call("board", "a", "a", *own)
    assert "must be a task of this challenge" in call("check", "a", code=1)
    (tmp_path / "a" / "p.csv").write_text("case,0.1,0.9\nc25,6,1\n")
    output = call("check", "a", *own, "--most", "2", code=1)
    assert "a is faulty: 15 faults in 1 place" in output
    assert "... and 13 more in p.csv" in output
    assert call("check", "a", *own, "--json", code=1)["faults"] == 15
    assert "a is faulty" in call("score", "a", *own, code=1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("check", "nowhere"), "there is no submission nowhere"),
        (
            ("enter", "base-1", "-t", "concrete/chalenge", "--out", "x"),
            "Nearest: concrete/challenge",
        ),
        (("enter", "lin-9", "-t", TASK, "--out", "x"), "unknown method"),
        (("export", "concrete/strength-9", "--out", "x"), "unknown task"),
        (("score", "x", "--out", "x.xls"), "--out writes .csv or .parquet"),
        (("tasks", "--targets", "none.csv"), "the targets in none.csv cannot be read"),
    ],
)
def test_wrong_input_is_told_with_exit_code_2(call, arguments, said):
    assert said in call(*arguments, code=2)


def test_methods_enter_are_checked_scored_and_ranked(call, tmp_path, real_data):
    real_data("concrete")
    for method, form in (("base-1", "txt"), ("lin-1", "csv")):
        call(
            "enter",
            method,
            "-t",
            f"{TASK}/test*",
            "--out",
            f"all/{method}",
            "--team",
            "us",
            "--form",
            form,
        )
        assert "is valid" in call("check", f"all/{method}")
    with zipfile.ZipFile("all/knn.zip", "w") as archive:
        call("enter", "knn-cv-1", "-t", f"{TASK}/test", "--out", "knn", "--exploit")
        for path in (tmp_path / "knn").iterdir():
            archive.write(path, f"knn/{path.name}")
    reported = call("board", "all", "--out", "board.html", "--enforce")
    lines = [line.split() for line in reported.splitlines()]
    assert ["1", "lin-1"] in [line[:2] for line in lines]
    assert any(line[:2] == ["-", "knn-cv-1"] and line[-1] == "refused" for line in lines)
    assert any(line[:3] == ["2", "<", "lin-1"] for line in lines)
    assert (tmp_path / "board.html").read_text().count("<section>") == 1
    assert "refused:" in call("score", "all/knn.zip", "--enforce", code=1)
    (tmp_path / "all" / "bad").mkdir()
    left = call("board", "all", "--json", code=1)
    assert [line["name"] for board in left for line in board["lines"]].count("knn-cv-1") == 1


def test_what_entrants_get_has_no_hidden_target_and_the_organisers_file_scores_alike(
    call, tmp_path, real_data
):
    real_data("concrete")
    call("export", TASK, "--out", "them")
    names = {path.name for path in (tmp_path / "them").rglob("*") if path.is_file()}
    assert names == {
        "training.csv",
        "validation.csv",
        "test.csv",
        "cases.csv",
        "README.md",
        "manifest.toml",
        "concrete-challenge-validation.txt",
    }
    assert pl.read_csv("them/test.csv").columns == pl.read_csv("them/training.csv").columns[:-1]
    assert pl.read_csv("them/test.csv").height == 400
    assert "`level 1`, `quantile 1`" in (tmp_path / "them" / "README.md").read_text()
    assert "example is valid" in call("check", "them/example")
    ours = call("score", "them/example", "--json")
    hidden = (tmp_path / "them-targets.csv").read_text()
    assert "\n# task = concrete/challenge\n# kind = real\ncase,phase,target," in hidden
    assert (tmp_path / "them-targets.csv").stat().st_mode & 0o777 == 0o600
    unsealed = hidden.partition("\n")[2]  # who changes a file takes its checksum out
    (tmp_path / "t.csv").write_text(unsealed.replace("concrete/challenge", "mine"))
    text = (tmp_path / "them" / "example" / "manifest.toml").read_text().partition("\n")[2]
    (tmp_path / "them" / "example" / "manifest.toml").write_text(text.replace(TASK, "mine"))
    theirs = call("score", "them/example", "--targets", "t.csv", "--json")
    assert [row["value"] for row in theirs["losses"]] == pytest.approx(
        [row["value"] for row in ours["losses"]]
    )
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
    assert "`probability`" in (tmp_path / "them" / "README.md").read_text()
    assert "is valid" in call("check", "them/example", "--targets", "them-targets.csv")


MINE = '''
import numpy as np

from benchbook import methods
from benchbook.predictive import Categorical, Gaussian


@methods.method(name='line', kinds={'real'})
def line(task, rng):
    """A straight line, by least squares."""
    inputs = np.column_stack([np.ones(len(task.train_inputs)), task.train_inputs])
    weights = np.linalg.lstsq(inputs, task.train_targets, rcond=None)[0]
    noise = np.var(task.train_targets - inputs @ weights)
    return Gaussian(np.column_stack([np.ones(len(task.test_inputs)), task.test_inputs]) @ weights,
                    np.full(len(task.test_inputs), noise))


@methods.method(name='even', kinds={'class'})
def even(task, rng):
    """Shares of the classes."""
    share = np.bincount(task.train_targets.astype(int), minlength=2) / len(task.train_targets)
    return Categorical(np.tile(share, (len(task.test_inputs), 1)))
'''


def _own(place, kind="real"):
    rng = generator(3, "a challenge of one's own")
    size, words = rng.normal(50, 10, 60), rng.choice(["yes", "no"], 60)
    phases = ["training"] * 30 + ["validation"] * 10 + ["test"] * 20
    rents = 8 * size + 20 * (words == "yes") + rng.normal(0, 5, 60)
    targets = [f"{rent:.2f}" for rent in rents] if kind == "real" else rng.choice(["-1", "+1"], 60)
    place.write_text(
        "# task = flats/rent\ncase,phase,target,area,balcony\n"
        + "".join(
            f"f{i},{phase},{target},{item:.3f},{word}\n"
            for i, (phase, target, item, word) in enumerate(
                zip(phases, targets, size, words, strict=True)
            )
        )
    )


@pytest.mark.parametrize(("kind", "function"), [("real", "line"), ("class", "even")])
def test_a_student_enters_a_function_for_a_challenge_that_only_the_organiser_can_score(
    call, tmp_path, kind, function
):
    _own(tmp_path / "flats.csv", kind)
    (tmp_path / "mine.py").write_text(MINE)
    call("export", "flats/rent", "--targets", "flats.csv", "--out", "them")
    lines = (tmp_path / "them" / "cases.csv").read_text().splitlines()
    table = pl.read_csv("them/cases.csv", comment_prefix="#")
    assert lines[:3] == [
        "# task = flats/rent",
        f"# kind = {kind}",
        "case,phase,target,area,balcony",
    ]
    assert table.filter(pl.col("target").is_null())["phase"].unique().sort().to_list() == [
        "test",
        "validation",
    ]
    given = ("--targets", "them/cases.csv")
    assert "is valid" in call("check", "them/example", *given)
    call("enter", f"mine.py:{function}", *given, "--out", "sent", "--team", "Ada")
    assert "is valid" in call("check", "sent", *given)
    assert "only who holds the challenge can score" in call("score", "sent", *given, code=2)
    scored = call("score", "sent", "--targets", "flats.csv", "--json")
    assert {row["task"] for row in scored["losses"]} == {
        "flats/rent/validation",
        "flats/rent/test-before",
    }
    if kind == "real":
        ranks = {row["task"]: row for row in scored["losses"] if row["loss"] == "NLPD"}
        assert all(row["value"] < row["baseline"] - 1 for row in ranks.values())
    call("export", "flats/rent", "--targets", "flats.csv", "--out", "them", "--released")
    call("enter", f"mine.py:{function}", *given, "--tasks", "flats/rent/test", "--out", "later")
    assert "is valid" in call("check", "later", "--targets", "flats.csv")


def test_what_a_method_sees_of_a_hidden_target_is_nothing(tmp_path):
    _own(tmp_path / "a.csv")
    hidden = [
        line
        if "training" in line or "," not in line or line.startswith("case")
        else ",".join("" if index == 2 else word for index, word in enumerate(line.split(",")))
        for line in (tmp_path / "a.csv").read_text().splitlines()
    ]
    (tmp_path / "b.csv").write_text("\n".join(hidden) + "\n")
    full, blank = (
        challenge.from_files([tmp_path / name]).instance("flats/rent/validation")
        for name in ("a.csv", "b.csv")
    )
    assert np.array_equal(full.train_targets, blank.train_targets)
    assert np.array_equal(full.train_inputs, blank.train_inputs)
    assert np.array_equal(full.test_inputs, blank.test_inputs)


def test_any_prototask_of_numbers_or_two_classes_can_be_a_challenge(call, tmp_path):
    written = call("export", "kin-8nm-sim/dist", "--out", "them")
    counts = [pl.read_csv(f"them/{part}.csv").height for part in ("training", "validation", "test")]
    assert counts == [4096, 2048, 2048]
    assert "them-targets.csv" in written
    for index in ("sent", "sent.zip"):
        assert index in call("enter", "base-1", "--targets", "them/cases.csv", "--out", index)
    losses = call("score", "sent", "--targets", "them-targets.csv", "--json")["losses"]
    assert call("score", "sent.zip", "--targets", "them-targets.csv", "--json")["losses"] == losses
    assert next(row for row in losses if row["loss"] == "nMSE")["value"] == pytest.approx(
        1, abs=0.1
    )


def test_hidden_targets_are_never_written_among_what_entrants_get(call, tmp_path):
    _own(tmp_path / "flats.csv")
    for index in ("them/key.csv", "them/../them/deep/key.csv"):
        output = call("export", "kin-8nm-sim/dist", "--out", "them", "--key", index, code=2)
        assert "who would see the hidden targets" in output
    assert not (tmp_path / "them").exists()
    (tmp_path / "them").mkdir()
    (tmp_path / "link").symlink_to("them")
    assert "who would see" in call(
        "export", "kin-8nm-sim/dist", "--out", "them", "--key", "link/key.csv", code=2
    )
    assert "calls itself flats/rent" in call(
        "export", "houses", "--targets", "flats.csv", "--out", "o", code=2
    )


@pytest.mark.parametrize("team", ["Ada\nexploit = true", "tab\there", "x" * 81, " "])
def test_a_team_that_no_manifest_takes_is_refused_before_the_method_runs(call, team, tmp_path):
    output = call(
        "enter", "base-1", "-t", "gaze-sim/gaze/test", "--out", "sent", "--team", team, code=2
    )
    assert "team" in output
    assert "must be a text of 1 to 80 printable characters" in output
    assert not (tmp_path / "sent" / "manifest.toml").exists()


def test_a_variant_is_entered_by_a_name_that_a_manifest_takes(call):
    call("enter", "knn-cv-1", "-t", "gaze-sim/gaze/validation", "--out", "sent")
    assert "is valid" in call("check", "sent")
    assert writing.as_name("mlp-bgd-1[hidden=30]") == "mlp-bgd-1-hidden-30"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case,phase,target,x,x\n", "names of inputs that all differ"),
        ("case,phase,target,\n", "names of inputs that all differ"),
        ("case,phase,target,x\na,training,1\n", "found 3 values; must be 4, as in the header"),
        ("case,phase,target\na,training,\nb,test,1\n", "line 1, target: found nothing"),
        ("case,phase,target\na,training,1\nb,test,1\nc,test,\n", "line 3, target: found nothing"),
    ],
)
def test_what_is_wrong_with_a_table_is_told(tmp_path, text, said):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(FaultyInput, match=said):
        targets.read(tmp_path / "t.csv")


def test_an_infinite_loss_has_no_gain_in_numbers():
    lost = SimpleNamespace(gain=(-float("inf"), float("nan")), ranking="NLP", share=-float("inf"))
    assert _gain(lost) == (
        "no gain over the baseline: NLP is infinite, as a target was given probability 0"
    )
