"""Each option of a command reaches what it is meant for, and each outcome has its exit code."""

import io
import json
import runpy
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import studies
from benchbook.cli import (
    app,
    bands,
    compare_data,
    comparing,
    data,
    delve,
    output,
    posterior_folds,
    posterior_printing,
    posteriors,
    running,
    told_results,
)
from benchbook.cli import archive as runs_commands
from benchbook.cli.compare_data import TableOptions
from benchbook.cli.data import _wanted
from benchbook.cli.told_results import Output
from benchbook.comparison.given.runs import NothingToCompare
from benchbook.errors import BenchbookError, MissingData
from benchbook.methods.conformance import CheckResult
from benchbook.stopping import Stopped
from benchbook.studies import RunKey, Summary
from benchbook.studies.task_verdicts import check_loss
from benchbook.studies.workers import Limits
from benchbook_book.commands import challenge, checklist
from benchbook_book.course.challenge import example

TASK, OTHER = "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"


def call(*words, code=0):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


class Spy:
    """Notes how it was called, and returns or raises what it was made with."""

    def __init__(self, answer=None):
        self.answer, self.args, self.options = answer, (), {}

    def __call__(self, *args, **options):
        self.args, self.options = args, options
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


# -- run --------------------------------------------------------------------------------------------------------------


RESULT = SimpleNamespace(as_data=dict, tell=lambda output: None)


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """``benchbook run`` with a study and a comparison that are not carried out."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    summary = Summary("x", tmp_path)
    spies = SimpleNamespace(summary=summary, run=Spy(summary), compared=Spy(), outlook=Spy())
    monkeypatch.setattr(studies, "run", spies.run)
    monkeypatch.setattr(studies, "outlook", spies.outlook)
    monkeypatch.setattr(running, "compared_runs", spies.compared)
    return spies


def test_options_of_run_reach_the_study(ran, tmp_path):
    words = ("run", "-m", "lin-1", "-m", "mlp-bgd-1[hidden=3]", "-t", TASK, "--seed", 0)
    call(
        *words,
        *("--encoding", "copy", "--instances", 2, "--workers", 3, "--scheduler", "tcp://a:1"),
        *("--retry-failed", "--no-keep-predictions", "--time-limit", 7, "--memory-limit", "2K"),
        *("--out", tmp_path / "out", "--loss", "CRPS"),
    )
    plan, store = ran.run.args
    assert (plan.seed, plan.instances, plan.tasks) == (0, 2, (TASK,))
    assert plan.methods == ("lin-1[encoding=copy]", "mlp-bgd-1[hidden=3, encoding=copy]")
    assert plan.losses == ("A", "L", "S", "CRPS")
    assert store.path == tmp_path / "out"
    assert ran.run.options == {
        "workers": 3,
        "scheduler": "tcp://a:1",
        "retry_failed": True,
        "keep_predictions": False,
        "limits": Limits(7.0, 2048),
    }
    call(*words)
    plan, store = ran.run.args
    assert (plan.instances, plan.losses, store.path) == (None, None, tmp_path / "runs")
    assert ran.run.options == {
        "workers": None,
        "scheduler": None,
        "retry_failed": False,
        "keep_predictions": True,
        "limits": Limits(),
    }
    call("run", "-m", "lin-1", "-t", TASK)
    assert ran.run.args[0].seed == 1


def test_a_dry_run_foretells_what_the_same_command_would_do(ran):
    ran.outlook.answer = SimpleNamespace(as_dict=lambda: {"to_run": 1})
    words = ("run", "-m", "lin-1", "-t", TASK, "--workers", 3, "--retry-failed", "--dry-run")
    assert json.loads(call(*words, "--json").output) == {"to_run": 1}
    assert ran.outlook.args[2:] == (3, True, True)
    assert ran.run.args == ()


@pytest.mark.parametrize(
    ("failed", "kept_failed", "compares", "code"),
    [
        ([], [], True, 0),
        ([("k", "no")], [], True, 1),
        ([], [("k", "no")], True, 1),
        ([], [("k", "no")], False, 1),
        ([("k", "no")], [], False, 1),
        ([], [], False, 2),
    ],
)
def test_runs_that_failed_now_or_before_end_with_one(ran, failed, kept_failed, compares, code):
    ran.summary.kept = [RunKey("lin-1", TASK, 0)]
    ran.summary.failed, ran.summary.kept_failed = (
        [(RunKey("lin-1", TASK, 1), reason) for _, reason in some] for some in (failed, kept_failed)
    )
    ran.compared.answer = RESULT if compares else BenchbookError("not comparable")
    result = call("run", "-m", "lin-1", "-t", TASK, code=code)
    assert ("No comparison: not comparable" in result.stderr) is (code == 1 and not compares)


@pytest.mark.parametrize(
    ("more", "common"), [((), False), (("--instances", 2), True), (("--common-instances",), True)]
)
def test_what_is_compared_after_a_run_is_all_that_has_data(ran, more, common, tmp_path):
    ran.summary.done = [RunKey("base-1", TASK, 0)]
    ran.summary.missing = {OTHER: "no data"}
    ran.compared.answer = RESULT
    call("run", "-m", "base-1", "-m", "lin-1", "-t", TASK, "-t", OTHER, "--loss", "S", *more)
    assert ran.compared.args == ((TASK,), ())
    assert ran.compared.options == {
        "folder": tmp_path / "runs",
        "losses": "S",
        "reference": "base-1",
        "missing": "drop" if common else "refuse",
    }
    ran.compared.args = ()
    call("run", "-m", "base-1", "-t", TASK, "--no-compare")
    assert ran.compared.args == ()


@pytest.mark.parametrize(
    "given", [("-m", "lin-1"), ("-t", TASK), ("--instances", 1), ("--seed", 3), ("--command", "x")]
)
def test_a_plan_says_all_itself(given):
    assert "--plan says which" in call("run", "--plan", "quick", *given, code=2).stderr


# -- compare ----------------------------------------------------------------------------------------------------------


def test_options_of_a_table_reach_the_comparison(monkeypatch):
    spy = Spy()
    monkeypatch.setattr(compare_data, "compare_table", spy)
    words = """compare rent.csv --target a --target b --drop c --group d --time e --random --separator ;
    --no-header --kind class --design 4 --effort cautious --rope 0.5 --unit EUR --seed 6 --workers 7 --budget 8
    --limit 9 --no-curve --page x.html -m lin-1 -m base-1 --against base-1 --loss brier --json"""
    call(*words.split())
    options = TableOptions(("a", "b"), ("c",), "d", "e", True, ";", False)
    assert spy.args == ("rent.csv", ("lin-1", "base-1"), options)
    assert spy.options == {
        "out": "x.html",
        "curve": False,
        "as_json": True,
        "losses": "brier",
        "reference": "base-1",
        "kind": "class",
        "design": 4,
        "effort": "cautious",
        "rope": 0.5,
        "unit": "EUR",
        "seed": 6,
        "n_jobs": 7,
        "budget": 8.0,
        "limit": 9.0,
    }
    monkeypatch.setattr(comparing, "cpu_count", lambda: 5)
    call("compare", "rent.csv", "--target", "a")
    assert spy.args == ("rent.csv", (), TableOptions(("a",)))
    usual = {"rope": "1%", "seed": 1, "n_jobs": 5, "curve": True, "effort": None, "design": "auto"}
    assert {name: spy.options[name] for name in usual} == usual
    assert {spy.options[name] for name in ("budget", "limit", "out", "losses", "kind")} == {None}


def test_a_table_is_compared_by_its_roles_and_the_exit_code_remembers_every_target(
    monkeypatch, tmp_path
):
    made = [SimpleNamespace(errors={"net": [(0, "no", "")]}), SimpleNamespace(errors={})]
    made[0].severe = made[1].severe = False
    sources, options = [], TableOptions(("a", "b"), ("c",), "d", "e", True, ";", False)
    path = tmp_path / "t.csv"
    path.write_text("x")

    def of_file(file, target, **given):
        sources.append((file, target, given))
        frame = pl.DataFrame({"x": [1.0], target: [2.0]})
        return compare_data.files.FrameForComparison(frame, target, "", "d", "e", ())

    asked = []
    monkeypatch.setattr(compare_data.files, "of_file", of_file)
    monkeypatch.setattr(
        compare_data, "compare", lambda *a, **o: asked.append(o) or made[len(asked) - 1]
    )
    monkeypatch.setattr(compare_data.stored, "report", Spy())
    monkeypatch.setattr(compare_data, "_as_data", Spy())
    monkeypatch.setattr(compare_data, "_print", Spy())
    with pytest.raises(click.exceptions.Exit) as ended:
        compare_data.compare_table(
            str(path),
            ["lin-1"],
            options,
            out=str(tmp_path / "p.html"),
            curve=False,
            as_json=False,
            effort=None,
        )
    assert ended.value.exit_code == 1
    assert sources[0] == (
        path,
        "a",
        {
            "drop": ("c", "b"),
            "groups": "d",
            "time": "e",
            "random": True,
            "separator": ";",
            "header": False,
            "kind": "",
            "wishes": options.wishes,
            "lags": False,
        },
    )
    assert [(one["target"], one["groups"], one["time"], one["effort"]) for one in asked] == [
        ("a", "d", "e", "default"),
        ("b", "d", "e", "default"),
    ]
    assert compare_data.stored.report.args[1] == tmp_path / "p-b.html"


def test_a_curve_is_of_folds_and_of_honest_tables_and_time_is_tested_once_anyway():
    for kind, severe, curve in (
        ("folds", False, True),
        ("groups", False, True),
        ("time", False, False),
        ("folds", True, False),
    ):
        made = SimpleNamespace(
            severe=severe, plan=SimpleNamespace(design=SimpleNamespace(kind=kind))
        )
        assert compare_data._has_curve(made) is curve
    frame = pl.DataFrame({"x": [1.0]})
    timed = compare_data.files.FrameForComparison(frame, "x", "", "", "day", ())
    assert compare_data._notes_of_large(timed, {"effort": None}) == []
    spy = Spy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare_data.files, "of_dataset", spy)
        compare_data._source("kin-8nm-sim/dist", "", TableOptions((), ("theta1",)), "")
    assert spy.args == ("kin-8nm-sim/dist", "", ("theta1",))


def test_options_of_tasks_reach_the_comparison(monkeypatch, tmp_path):
    told = SimpleNamespace(tell=Spy())
    spy = Spy(told)
    monkeypatch.setattr(comparing, "compared_runs", spy)
    words = ("compare", "-t", TASK, "-t", "kin-8nm-sim/dist", "-m", "lin-*", "--against", "base-1")
    more = ("--loss", "a", "--common-instances", "--out", tmp_path, "--ranks", "--rope", "0.1")
    call(*words, *more, "--figure", tmp_path / "x.svg", "--page", tmp_path / "x.html")
    assert spy.args == ((TASK, "kin-8nm-sim/dist"), ("lin-*",))
    assert spy.options == {
        "folder": str(tmp_path), "losses": "a", "reference": "base-1", "rope": 0.1, "missing": "drop",
    }  # fmt: skip
    files = (str(tmp_path / "x.html"), str(tmp_path / "x.svg"))
    assert told.tell.args == (Output("table", True, *files),)
    call(*words, "--json")
    assert spy.options["rope"] is None
    assert told.tell.args == (Output("json"),)
    stderr = call(*words, "--seed", 1, "--no-curve", code=2).stderr
    assert "--seed, --no-curve: of tables, and not with --tasks" in stderr


def test_of_partitions_alone_there_are_the_statistics_of_runs(monkeypatch):
    rows = [
        dict.fromkeys((*told_results._RUNS, "method"), number) | {"wrong": wrong}
        for number, wrong in ((1, 1.5), (2, None))
    ]
    monkeypatch.setattr(told_results.studies, "partition_runs", Spy())
    monkeypatch.setattr(told_results.proben1, "mean_test_errors", Spy(pl.DataFrame(rows)))
    monkeypatch.setattr("benchbook.comparison.compare_results", Spy(NothingToCompare("no runs")))
    words = ("compare", "-t", "proben1-cancer1/partition/a")
    assert "wrong" not in call(*words).output
    assert json.loads(call(*words, "--json", "--ranks").output) == {"runs_on_partitions": rows}
    assert call(*words, "--format", "csv").output.startswith("dataset,method,runs,mean,sd,least")
    assert "no runs" in call("compare", "-t", TASK, code=2).stderr


def test_a_loss_must_suit_some_of_the_tasks():
    check_loss("S", [TASK, "proben1-cancer1/partition/a"])
    check_loss("Z", [TASK, "abalone/challenge/test", "titanic/survived/std.20"][::2])
    with pytest.raises(BenchbookError, match="is for class targets"):
        check_loss("Z", [TASK])


# -- other commands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcomes", "code", "said"),
    [
        ([True, True], 0, "2 of 2 are right, 0 are not, 0 cannot"),
        ([True, None], 0, "1 of 2 are right, 0 are not, 1 cannot"),
        ([True, None, False], 1, "1 of 3 are right, 1 are not, 1 cannot"),
    ],
)
def test_verifying_fails_by_what_is_wrong_and_not_by_what_cannot_be_told(
    monkeypatch, tmp_path, outcomes, code, said
):
    rows = [{"kind": "run", "name": "x", "verdict": "v", "ok": ok, "detail": ""} for ok in outcomes]
    seen = []

    def verify(self, run, sample, rng):
        seen.append((sample, rng.random()))
        return pl.DataFrame(rows)

    monkeypatch.setattr(studies.Archive, "verify", verify)
    for seed in (1, 2, 1):
        words = ("archive", "verify", "--archive", tmp_path, "--sample", 4, "--seed", seed)
        assert said in call(*words, code=code).output
    assert seen[0] == seen[2] != seen[1]
    assert seen[0][0] == 4


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ({"the same": 2}, 0),
        ({"the same": 2, "only in the first": 1}, 1),
        ({"of another task": 1}, 1),
    ],
)
def test_runs_are_the_same_only_when_all_are(monkeypatch, tmp_path, states, code):
    monkeypatch.setattr(runs_commands.difference, "differences", Spy(pl.DataFrame()))
    monkeypatch.setattr(runs_commands.difference, "counts", Spy(states))
    call("runs", "diff", tmp_path, tmp_path, "--json", code=code)


@pytest.mark.parametrize(("failed", "code"), [(0, 0), (1, 1), (2, 1)])
def test_a_single_failed_check_is_a_failure(monkeypatch, failed, code):
    results = [CheckResult("a", number >= failed, "") for number in range(3)]
    monkeypatch.setattr("benchbook.methods.checked", Spy(results))
    told = json.loads(call("method", "check", "lin-1", "--json", code=code).output)
    assert told["passed"] is (code == 0)
    assert f"{3 - failed} of 3 checks passed" in call("method", "check", "lin-1", code=code).output


GIVEN = {
    "targets": (),
    "name": "",
    "kind": None,
    "natures": {},
    "orders": {},
    "drop": (),
    "group": "",
    "time": "",
    "missing": (),
    "decimal": ".",
    "thousands": "",
    "separator": "",
    "no_header": False,
}


def test_the_wishes_of_a_table_are_what_was_said():
    said = {
        "name": "n",
        "kind": "class",
        "natures": {"a": "real"},
        "orders": {"b": "x,y"},
        "drop": ("c",),
        "group": "g",
        "time": "t",
        "missing": ("-",),
        "decimal": ",",
        "thousands": ".",
    }
    wanted = _wanted(GIVEN | said)
    assert (wanted.name, wanted.kind, wanted.drop, wanted.group, wanted.time) == (
        "n",
        "class",
        ("c",),
        "g",
        "t",
    )
    wishes = wanted.wishes
    assert (wishes.natures, wishes.orders) == ({"a": "real"}, {"b": ("x", "y")})
    assert (wishes.missing, wishes.decimal, wishes.thousands) == (("-",), ",", ".")


@pytest.mark.parametrize(
    "wrong",
    [
        {"decimal": ""},
        {"decimal": "", "thousands": "."},
        {"decimal": ",", "thousands": ","},
        {"decimal": ",,"},
        {"thousands": ".."},
        {"orders": {"a": "x"}},
        {"orders": {"a": "x,y,x"}},
        {"orders": {"a": "x,,y"}},
    ],
    ids=str,
)
def test_wishes_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(BenchbookError, match="--"):
        _wanted(GIVEN | wrong)


def test_a_column_may_have_the_sign_of_an_option_in_its_name(home):
    Path("t.csv").write_text("a=b,y\n" + "".join(f"{row % 3},{row * 1.5}\n" for row in range(60)))
    words = ("datasets", "add", "t.csv", "--target", "y", "--dry-run", "--json")
    shown = json.loads(call(*words, "--nature", "a=b=nominal").output)
    assert {row["attribute"]: row["nature"] for row in shown["attributes"]}["a=b"] == "nominal"
    assert "write COLUMN=VALUE" in call(*words, "--nature", "a=", code=2).output
    wide = ",".join(f"x{number}" for number in range(41))
    Path("w.csv").write_text(
        f"{wide},y\n"
        + "".join(f"{','.join([f'{row * 1.5}'] * 41)},{row * 2.5}\n" for row in range(60))
    )
    told = call("datasets", "add", "w.csv", "--target", "y", "--dry-run").output
    assert "\ny  " in told, "the target stands below the first attributes"
    assert "... of 42 attributes" in told
    assert ("\nx39  " in told, "\nx40  " in told) == (True, False)
    Path("n.csv").write_text("".join(f"{row % 7},{row * 1.5}\n" for row in range(60)))
    told = call("datasets", "add", "n.csv", "--target", "x2", "--no-header", "--dry-run").output
    assert "n.csv: 60 cases" in told


def test_own_data_are_faulty_when_one_of_them_is(monkeypatch):
    monkeypatch.setattr("benchbook.tasks.user.check", Spy({"a": "", "b": "wrong"}))
    assert "FAULTY  b: wrong" in call("datasets", "check", code=1).output
    monkeypatch.setattr("benchbook.tasks.user.check", Spy({"a": "", "b": ""}))
    call("datasets", "check")


@pytest.mark.parametrize(
    ("exact", "shares", "words", "differing"),
    [
        (True, (100.0, 100.0), "every value is rebuilt", []),
        (False, (99.5, 100.0), "1 columns differ", [{"column": "a", "equal": 99.5}]),
    ],
)
def test_a_problem_that_is_rebuilt_is_told_by_its_files_and_columns(
    monkeypatch, exact, shares, words, differing
):
    from benchbook_book.commands import proben1
    from benchbook_book.pages.proben1.rebuild import File, RebuiltProblem

    files = (
        File("one", 2, 2, np.array([0, 1]), 0),
        File("two", 2, 1, np.array([1, -1]), 1),
    )
    columns = pl.DataFrame({"column": ["a", "b"], "equal": shares})
    compare = Spy(RebuiltProblem("p", 3, files, columns, ("one word",)))
    monkeypatch.setattr(proben1, "compare", compare)
    monkeypatch.setattr(RebuiltProblem, "exact", exact)
    assert json.loads(call("proben1", "rebuild", "p", "--json").output) == {
        "problem": "p",
        "exact": exact,
        "cases": 3,
        "files": [
            {
                "file": "one",
                "examples": 2,
                "rebuilt": 2,
                "order": "original",
                "cannot be told apart": 0,
            },
            {
                "file": "two",
                "examples": 2,
                "rebuilt": 1,
                "order": "permuted",
                "cannot be told apart": 1,
            },
        ],
        "columns_that_differ": differing,
        "deviations_from_the_readme": ["one word"],
    }
    text = call("proben1", "rebuild", "p").output
    assert f"\np: {words}, from 3 cases of the originals\n" in text
    assert text.endswith("- one word\n")
    assert ("equal values (%)" in text) == bool(differing)


def test_an_export_is_of_the_instances_and_runs_that_were_wanted(monkeypatch, tmp_path):
    """Earlier failures of the method end it; other instances that the store has are not written."""
    where = tmp_path / "data" / "kin-8nm-sim" / "dist" / "std.64"
    export, wrote = Spy([where]), []
    records = pl.DataFrame({"task": TASK, "instance": [0, 1, 2, 3]})
    store = SimpleNamespace(records=Spy(records), losses=Spy(records))
    monkeypatch.setattr(delve.tasks.delve, "export", export)
    monkeypatch.setattr(delve.studies, "Archive", lambda path: store)
    monkeypatch.setattr(delve, "_write_results", lambda *given: wrote.append(given))
    words = ("delve", "export", "kin-8nm-sim/dist", tmp_path, "-m", "lin-1", "--encoding", "copy")
    for more, chosen, count in ((("--size", 64, "--instances", 3), range(3), 3), ((), None, 4)):
        run = Spy(Summary("x", tmp_path))
        monkeypatch.setattr(delve.studies, "run", run)
        folder = tmp_path / "methods" / "lin-1" / TASK
        assert call(*words, *more).output.splitlines() == [str(where), str(folder)]
        assert export.args == (
            "kin-8nm-sim/dist", str(tmp_path), (64,) if more else None, chosen, "copy",
        )  # fmt: skip
        plan = run.args[0]
        assert (plan.seed, plan.methods, plan.tasks) == (1, ("lin-1",), (TASK,))
        assert plan.instances == (3 if more else None)
        assert run.options == {"workers": 1, "keep_predictions": True}
        assert [given[2]["instance"] for given in wrote[-count:]] == list(range(count))
        assert (wrote[-1][0], wrote[-1][4]) == (folder, "copy")
        assert (
            store.records.options == store.losses.options == {"methods": ["lin-1"], "tasks": [TASK]}
        )
    for failed in (
        {"failed": [(RunKey("m", TASK, 0), "no")]},
        {"kept_failed": [(RunKey("m", TASK, 0), "no")]},
    ):
        monkeypatch.setattr(delve.studies, "run", Spy(Summary("x", tmp_path, **failed)))
        call(*words, code=2)
    assert len(wrote) == 7


@pytest.mark.parametrize(("name", "begins"), [("__main__", 1), ("benchbook.__main__", 0)])
def test_the_package_is_a_program_and_importing_it_starts_none(monkeypatch, name, begins):
    started = []
    monkeypatch.setattr("benchbook.cli.main", lambda: started.append(name))
    runpy.run_module("benchbook.__main__", run_name=name)
    assert len(started) == begins


@pytest.mark.parametrize(
    ("name", "own"), [("altair.vegalite", False), ("benchbook.nothing", True), (None, True)]
)
def test_a_library_that_a_command_lacks_is_named_and_a_fault_of_ours_is_raised(
    monkeypatch, name, own
):
    monkeypatch.setattr("importlib.import_module", Spy(ModuleNotFoundError("no", name=name)))
    needs = f"`benchbook methods` needs {name}, which is not installed here ({sys.prefix}); install it there."
    for command, says in (
        ("methods", needs),
        ("book", "`benchbook book` works in a checkout of the repository, where `make book`"),
    ):
        result = CliRunner().invoke(app, [command])
        assert isinstance(result.exception, ModuleNotFoundError) == own
        assert result.exit_code == (1 if own else 2)
        assert own or f"Error: {says}" in result.output


def test_options_of_an_import_reach_the_reader(monkeypatch, tmp_path):
    guesses, losses = Spy(BenchbookError("stop")), Spy(BenchbookError("stop"))
    monkeypatch.setattr(delve.tasks.delve, "guess_losses", guesses)
    monkeypatch.setattr(delve.tasks.delve, "import_losses", losses)
    words = (
        "delve",
        "import",
        tmp_path,
        "--task",
        TASK,
        "--as",
        "x",
        "--encoding",
        "copy",
        "--instances",
        2,
    )
    call(*words, code=2)
    assert guesses.args == (str(tmp_path), TASK, None, range(2), "copy")
    archive = Spy()
    monkeypatch.setattr(delve.studies, "Archive", archive)
    for more, folder in ((("--out", tmp_path / "o"), tmp_path / "o"), ((), studies.runs_path())):
        call(*words, *more, code=2)
        assert archive.args[0] in (folder, str(folder))
    call(*words, "--kind", "losses", "--scale", "original", code=2)
    assert losses.args == (str(tmp_path), TASK, None, range(2))
    assert losses.options == {"scale": "original", "encoding": "copy"}


def test_names_of_data_to_fetch_are_patterns_of_what_has_files():
    from benchbook.cli import catalogue

    assert catalogue._published("kin-8nm-sim") == ["kin-8nm-sim"]
    assert catalogue._published("proben1-glass[12]") == ["proben1-glass1", "proben1-glass2"]
    for pattern in ("kin-8nm-si[m]", "kin-8nm-si?"):
        with pytest.raises(BenchbookError, match="no dataset matches"):
            catalogue._published(pattern)
    rows = json.loads(call("datasets", "list", "kin-8nm*", "--json").output)
    assert {row["name"] for row in rows} > {"kin-8nm-sim"}
    assert not any(row["yours"] for row in rows)
    with pytest.raises(BenchbookError, match="no dataset matches"):
        catalogue._matching(("kin-8nm-sim",), "kin-8nm", "dataset")


# -- what is printed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3.14, "3.1 s"),
        (9.96, "10 s"),
        (10.4, "10 s"),
        (60.0, "60 s"),
        (89.4, "89 s"),
        (90.0, "2 min"),
        (3600.0, "60 min"),
        (5399.0, "90 min"),
        (5400.0, "1.5 h"),
    ],
)
def test_a_time_in_words(seconds, words):
    assert output.duration(seconds) == words


def test_json_has_no_infinities_keeps_letters_and_knows_numbers_of_numpy(capsys):
    data = {
        "a": float("inf"),
        "b": [float("nan"), -0.5],
        3: "Köln",
        "d": np.int64(4),
        "e": Path("x"),
        "f": True,
    }
    output.show(True, data, lambda: None)
    text = capsys.readouterr().out
    assert "Köln" in text
    assert json.loads(text) == {
        "a": None,
        "b": [None, -0.5],
        "3": "Köln",
        "d": 4,
        "e": "x",
        "f": True,
    }
    output.table([{"yes": True, "no": False, "none": None, "low": -123456.4}])
    assert capsys.readouterr().out.split()[-4:] == ["yes", "no", "-", "-123456"]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (BenchbookError("bad"), 2, "bad"),
        (MissingData("nowhere"), 3, "nowhere"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (Stopped(signal.SIGTERM), 143, "stopped by SIGTERM"),
        (BenchbookError("x" * 20_000), 2, f": {'x' * 10_000}... (20000 characters)"),
    ],
)
def test_every_end_has_its_code_and_its_words(error, code, said):
    @click.group(cls=output.FriendlyGroup)
    @click.option("--traceback", is_flag=True)
    def group(traceback):
        pass

    @group.command()
    def fail():
        raise error

    result = CliRunner().invoke(group, ["fail"])
    assert result.exit_code == code
    assert said in result.stderr
    if isinstance(error, BenchbookError):
        assert CliRunner().invoke(group, ["--traceback", "fail"]).exception is error


def test_an_example_of_a_challenge_is_made_anew(tmp_path):
    assert set(example.make(tmp_path)) == {
        f"{example.NAME}/{stage}" for stage in ("validation", "test", "test-before")
    }


@pytest.mark.parametrize(("files", "enough"), [(0, False), (1, False), (2, True)])
def test_folds_of_a_posterior_are_two_files_at_least(tmp_path, files, enough):
    for number in reversed(range(files)):
        (tmp_path / f"{number}.csv").touch()
    if enough:
        found = posterior_folds._matching(f"{tmp_path}/*.csv")
        assert [Path(name).name for name in found] == ["0.csv", "1.csv"]
    else:
        with pytest.raises(BenchbookError, match=f"matches {files} files"):
            posterior_folds._matching(f"{tmp_path}/*.csv")


def test_runs_that_are_the_same_are_counted_and_only_others_are_listed(capsys):
    line = dict.fromkeys(
        ("provenance", "detail", "loss", "cases_apart", "largest", "mean", "other_mean")
    )
    line |= {"method": "lin-1", "other_method": "lin-1", "task": "t", "cases": 8}
    lines = [line | {"instance": at, "state": "the same"} for at in range(3)]
    runs_commands._tell({"the same": 3}, lines)
    assert capsys.readouterr().out == "3 runs: the same\n"
    other = {"instance": 7, "state": "differs", "cases_apart": 2, "other_method": "knn-1"}
    runs_commands._tell({"the same": 3, "differs": 1}, [*lines, line | other])
    said = capsys.readouterr().out
    assert "1 run: differs" in said
    assert "lin-1 and knn-1 on t#7" in said
    assert "2 of 8" in said
    assert "#0" not in said
    shown = runs_commands._SHOWN
    for count in (shown, shown + 2):
        runs_commands._tell({"differs": count}, [line | other] * count)
        said = capsys.readouterr().out
        assert ("... and 2 lines more" in said, "lines more" in said) == (count > shown,) * 2


def test_no_fault_needs_to_be_shown(tmp_path):
    (tmp_path / "a").mkdir()
    result = CliRunner().invoke(app, ["challenge", "check", str(tmp_path / "a"), "--most", "0"])
    assert result.exit_code == 1
    assert "0<=x" not in result.output
    result = CliRunner().invoke(app, ["challenge", "check", str(tmp_path / "a"), "--most", "-1"])
    assert result.exit_code == 2


def test_an_error_has_a_degree_of_freedom_less_than_there_are_instances(monkeypatch):
    rows = [
        {"method": "a", "instances": 8, "error": 0.1},
        {"method": "b", "instances": 1, "error": None},
    ]
    names = {"error": "standardised_standard_error"}
    expected = Spy(pl.DataFrame(rows).rename(names).with_columns(standardised_mean=0.5))
    gather = Spy("losses")
    monkeypatch.setattr(bands.studies, "gather", gather)
    monkeypatch.setattr(bands.assess, "expected_losses", expected)
    assert bands._residuals(TASK) == {"a": bands.Residual(0.5, 0.1, 7)}
    assert (gather.args, gather.options, expected.args) == ((TASK,), {"code": "S"}, ("losses",))
    assert expected.options == {"standard": bands.tasks.standard, "on_common_instances": True}


def test_losses_of_an_instance_are_written_where_no_prediction_was_kept(monkeypatch, capsys):
    spies = {name: Spy() for name in ("write_guesses", "write_losses")}
    for name, spy in spies.items():
        monkeypatch.setattr(delve.tasks.delve, name, spy)
    one = SimpleNamespace(name="t#1")
    instance = Spy(one)
    monkeypatch.setattr(delve.tasks, "instance", instance)
    frame = pl.DataFrame({"instance": [0, 1, 1], "loss": "S", "value": [1.0, 2.0, 3.0]})
    for kept in (None, "prediction"):
        store = SimpleNamespace(prediction=Spy(kept))
        delve._write_results(Path("f"), store, {"task": "t", "instance": 1}, frame, "copy")
        assert instance.args == ("t", 1, "copy")
        *where, values = spies["write_losses"].args
        assert where == [Path("f"), one]
        assert {code: list(part) for code, part in values.items()} == {"S": [2.0, 3.0]}
        assert spies["write_guesses"].args == (() if kept is None else (Path("f"), one, kept))
    said = "No guesses of t#1: the run did not keep its prediction\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("count", "shown", "more"), [(2, 2, ""), (3, 2, "... and 1 faults more\n")]
)
def test_so_many_faults_of_a_report_are_printed(monkeypatch, capsys, count, shown, more):
    monkeypatch.setattr(checklist, "_MOST", 2)
    broken = SimpleNamespace(words="w", source="s")
    one = SimpleNamespace(line=None, key="k", found="f", write="x", broken=broken)
    checklist._print("r.toml", [one] * count, [], "")
    said = capsys.readouterr().out
    assert (said.count("r.toml: fault: k"), more in said) == (shown, True)
    assert said.endswith(f"r.toml is faulty: {count} faults, 0 remarks\n")


def test_nothing_is_added_where_the_question_is_answered_by_no(home, monkeypatch):
    Path("t.csv").write_text("a,y\n" + "".join(f"{row * 1.5},{row % 7}\n" for row in range(60)))
    monkeypatch.setattr(data, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    keep = Spy(Path("kept"))
    monkeypatch.setattr(data.user, "keep", keep)
    monkeypatch.setattr(data, "_tell_kept", Spy())
    words = ["datasets", "add", "t.csv", "--target", "y"]
    for more, answer, code in (
        ((), "n", 1),
        ((), "", 0),
        (("--yes",), "", 0),
        (("--json",), "", 0),
        (("--dry-run",), "", 0),
    ):
        result = CliRunner().invoke(app, [*words, *more], input=f"{answer}\n")
        assert (
            result.exit_code,
            f"Keep this as t in {home / 'datasets'}? [Y/n]" in result.output,
        ) == (code, not more)
        assert (keep.args == ()) is (code == 1 or more == ("--dry-run",))
        keep.args = ()


def test_a_loss_of_cases_is_called_by_its_name():
    for code, name in (
        ("S", "squared_error"),
        ("A", "absolute_error"),
        ("01L", "classification_error"),
        ("Q", "utility"),
    ):
        frame = pl.DataFrame({"case": ["a"]})
        found = SimpleNamespace(
            left_out=SimpleNamespace(frame=lambda frame=frame: frame, refits={}), utilities=[2.0], pit=None,
            question=SimpleNamespace(code=code, of_densities=False),
        )  # fmt: skip
        assert posterior_printing._frame(found).to_dicts() == [{"case": "a", name: 2.0}]


def test_a_sign_that_a_terminal_lacks_is_shown_as_its_code(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="iso8859-2")
    group = output.FriendlyGroup("group", [click.Command("say", callback=lambda: click.echo("±"))])
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    group.main(["say"], standalone_mode=False)
    assert stream.buffer.getvalue() == b"\\xb1\n"


@pytest.mark.parametrize(("refused", "code"), [((True, False), 1), ((False, False), 0)])
def test_one_task_that_is_refused_is_enough(monkeypatch, tmp_path, refused, code):
    given = SimpleNamespace(name="n", team="t")
    monkeypatch.setattr(challenge, "_passed", lambda path, organiser: given)
    scored = [SimpleNamespace(refused=one, remarks=()) for one in refused]
    monkeypatch.setattr(challenge, "score_entries", lambda submission, organiser: scored)
    monkeypatch.setattr(challenge, "as_table", lambda entries: pl.DataFrame({"loss": [1.0]}))
    call("challenge", "score", tmp_path, "--enforce", "--json", code=code)
    call("challenge", "score", tmp_path, "--json")


@pytest.mark.parametrize(("ask", "needed"), [(None, False), ("likelihood", False), ("mae", True)])
def test_predictions_are_read_where_the_question_needs_them(monkeypatch, ask, needed):
    spy = Spy()
    monkeypatch.setattr(posteriors.densities, "read_log_likelihood", spy)
    posteriors.read("p.nc", ("y",), ask, logarithms=True)
    assert (spy.args, spy.options) == (
        ("p.nc", ("y",)),
        {"predictions": needed, "logarithms": True},
    )
