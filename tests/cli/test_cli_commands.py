"""The command line as a newcomer and as a program meet it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from benchbook import datasets, studies, tasks
from benchbook.cli import _COMMANDS, app, plugins
from benchbook_book.commands import COMMANDS

TASK = "kin-8nm-sim/dist/std.64"


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Call the command line with a store of runs and an archive of the test's own; returns the result."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "archive"))

    def run(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == code, (
            f"{arguments}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
        )
        return result

    return run


def walk(command, path=()):
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from walk(child, (*path, name))


@pytest.mark.parametrize("path", [path for path, _ in walk(app)], ids=" ".join)
def test_every_command_explains_itself(call, path):
    said = call(*path, "--help").output
    assert "Usage:" in said
    assert len(said.split("Options:")[0].splitlines()) >= 3, "a command has a sentence of help"


def test_no_command_option_is_left_unexplained():
    mute = [
        (" ".join(path), option.name)
        for path, command in walk(app)
        for option in command.params
        if option.param_type_name == "option" and not option.help
    ]
    assert mute == []


@pytest.mark.parametrize("kind", ["datasets", "tasks", "methods", "losses"])
def test_list_is_json_and_every_name_in_it_can_be_shown(call, kind):
    rows = json.loads(call(kind, "list", "--json").output)
    key = {"tasks": "task", "losses": "code"}.get(kind, "name")
    assert len(rows) >= 5
    for row in rows[:: max(1, len(rows) // 6)]:
        shown = json.loads(call(kind, "show", row[key], "--json").output)
        assert shown[key] == row[key]
        assert row[key] in call(kind, "show", row[key]).output


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("book", "where", "no-such-number"), "no page glues a value of the name"),
        (("datasets", "show", "kin-8nmsim"), "kin-8nm-sim"),
        (("tasks", "show", "kin-8nm-sim/dist/std.65"), "std.64"),
        (("methods", "show", "lin-2"), "lin-1"),
        (("losses", "show", "brierr"), "BRIER"),
        (("run", "-m", "lin1", "-t", TASK), "lin-1"),
        (("run", "-m", "lin-1", "-t", "kin-9*"), "benchbook tasks list"),
        (("run", "-m", "lin-1"), "--tasks PATTERN"),
        (("run", "-m", "nosuch.py:mine", "-t", TASK), "nosuch.py"),
        (("run", "--plan", "nosuch.toml"), "nosuch.toml"),
        (("compare",), "--tasks PATTERN"),
        (("compare", "-t", TASK), "benchbook run"),
    ],
)
def test_wrong_input_is_told_in_words_with_exit_code_2(call, arguments, hint):
    result = call(*arguments, code=2)
    assert hint in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_missing_data_has_its_own_exit_code_and_says_how_to_get_it(call, monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHBOOK_DATA", str(tmp_path))
    monkeypatch.setenv("BENCHBOOK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "1")
    said = call("datasets", "fetch", "census-house", code=3).stderr
    assert "BENCHBOOK_DATA" in said
    assert "https://" in said
    said = call("datasets", "fetch", "proben1-gl*", "kin-8nm-sim", code=3)
    assert said.stderr.count("https://") == 1
    assert "Not at hand either: proben1-glass2, proben1-glass3." in said.stderr
    assert "kin-8nm-sim: 8192 cases" in said.stdout


def test_a_newcomers_file_stands_beside_the_archived_methods_in_one_command(call, repository):
    call("run", "-m", "lin-1", "-m", "base-1", "-t", TASK, "--workers", "1", "--no-compare")
    report = call(
        "run", "-m", f"{repository}/book/guide/mine.py:my_method", "-t", TASK, "--workers", "1"
    ).output
    lines = [
        line.split()
        for line in report.splitlines()
        if re.match(r"(lin-1|base-1|random-features) +0\.", line)
    ]
    assert {line[0] for line in lines} == {"lin-1", "base-1", "random-features"}
    assert all(
        line[-1] in ("better", "worse", "open") for line in lines if line[0] != "random-features"
    )

    again = json.loads(call("run", "-m", "lin-1", "-t", TASK, "--json").output)
    assert (again["summary"]["done"], again["summary"]["kept"]) == (0, 8)
    compared = json.loads(call("compare", "-t", TASK, "--json").output)
    assert len(compared["table"]) == 3
    assert len(compared["pairs"]) == 3
    assert all(0 <= row["p"] <= 1 for row in compared["pairs"])


def test_own_runs_that_stand_for_archived_ones_are_told(call):
    call("run", "-m", "lin-1", "-t", TASK, "--instances", "2", "--workers", "1", "--no-compare")
    call("archive", "publish")
    note = call("compare", "-t", TASK, "--common-instances").output
    assert "your own runs are shown instead of 2" in note


def test_an_archived_method_with_runs_of_some_instances_does_not_stop_a_comparison(
    call, monkeypatch, tmp_path
):
    call("run", "-m", "base-1", "-t", TASK, "--workers", "1", "--no-compare")
    call("run", "-m", "lin-1", "-t", TASK, "--instances", "2", "--workers", "1", "--no-compare")
    assert "found nothing for instances" in call("compare", "-t", TASK, code=2).stderr, (
        "one's own gap is refused"
    )
    call("archive", "publish")
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "empty"))
    result = call("compare", "-t", TASK)
    assert f"lin-1 was run on some instances only and is left out: {TASK}" in result.output
    assert "base-1" in result.stdout
    assert not any(line.startswith("lin-1") for line in result.stdout.splitlines())
    assert (
        "found nothing" in call("compare", "-t", TASK, "-m", "base-1", "-m", "lin-1", code=2).stderr
    )


def test_a_failing_method_is_reported_and_ends_with_exit_code_1(call, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from benchbook.methods import method\n\n\n@method(name='broken', kinds={'real'})\n"
        "def broken(instance, rng):\n    raise ArithmeticError('seven of nine')\n"
    )
    result = call(
        "run", "-m", f"{mine}:broken", "-t", TASK, "--instances", "2", "--workers", "1", code=1
    )
    assert result.output.count("seven of nine") == 2
    assert "Traceback" not in result.output
    kept = call(
        "run", "-m", f"{mine}:broken", "-t", TASK, "--instances", "2", "--workers", "1", code=1
    )
    assert "failed before" in kept.output


def test_some_failed_runs_leave_no_comparison_and_end_with_exit_code_1(call, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from benchbook.methods import method\nfrom benchbook.predictive import Point\n\n\n"
        "@method(name='fickle', kinds={'real'})\ndef fickle(instance, rng):\n"
        "    return Point(instance.test_inputs[:, 0] / (instance.number != 1))\n"
    )
    result = call("run", "-m", f"{mine}:fickle", "-t", TASK, "--workers", "1", code=1)
    assert "7 done, 1 failed" in result.stdout
    assert "No comparison: " in result.stderr
    assert "--common-instances" in result.stderr


def test_any_program_is_a_method(call, tmp_path):
    program = tmp_path / "mean.py"
    program.write_text(
        "import sys\ntrain, test, guess = sys.argv[1:]\n"
        "targets = [float(line.split()[-1]) for line in open(train)]\n"
        "mean = sum(targets) / len(targets)\n"
        "open(guess, 'w').writelines(f'{mean!r}\\n' for _ in open(test))\n"
    )
    command = (
        f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} {{train}} {{test}} {{guess}}"
    )
    call("run", "-m", "base-1", "-t", TASK, "--workers", "1", "--no-compare")
    call("run", "--command", command, "-t", TASK, "--workers", "1")
    rows = json.loads(call("compare", "-t", TASK, "--json").output)["table"]
    assert len(rows) == 2
    assert rows[0]["mean"] == pytest.approx(rows[1]["mean"], rel=1e-9), (
        "both guess the mean of the training targets"
    )


@pytest.mark.skipif(shutil.which("awk") is None, reason="needs awk")
def test_an_awk_program_under_two_names_sees_raw_values_and_is_paired_with_the_archive(
    call, tmp_path
):
    only = ("-t", TASK, "--instances", "2", "--workers", "1", "--no-compare")
    call("run", "-m", "base-1", *only)
    (tmp_path / "archive").mkdir()
    call("archive", "publish")
    shutil.rmtree(tmp_path / "runs")
    program = tmp_path / "mine.awk"
    program.write_text(
        "FILENAME == ARGV[1] {print > seen; sum += $NF; n++; next} {print sum / n + shift > out}"
    )

    def run(name, shift, *more, code=0):
        command = (
            f"awk -v out={{guess}} -v shift={shift} -v seen={tmp_path / name} -f {program} "
            "{train} {test}"
        )
        return call("run", "--command", command, "--as", name, *more, *only, code=code)

    run("plain", 0, "--encoding", "copy")
    run("shifted", 0.3, "--encoding", "copy")
    cases = tasks.get(TASK).split().train[1]
    raw = datasets.load("kin-8nm-sim").cases.to_numpy()[cases]
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "plain"), raw)
    assert "--as NAME" in run("plain", 0.5, "--encoding", "copy", code=2).stderr
    assert "--as NAME" in run("plain", 0, code=2).stderr, "the same command in another encoding"

    paired = studies.gather(TASK, code="S").pivot(
        on="method", index=["instance", "digest", "case"], values="value"
    )
    assert paired.null_count().sum_horizontal().item() == 0, "each case has all three losses"
    np.testing.assert_allclose(paired["plain"].mean(), paired["base-1"].mean(), rtol=1e-3)
    assert paired["shifted"].mean() > 1.5 * paired["plain"].mean()
    said = call("compare", "-t", TASK, "--common-instances").output
    assert all(name in said for name in ("base-1", "plain", "shifted"))


def test_a_folder_in_delves_layout_is_shown_with_its_priors(call, tmp_path, real_data):
    real_data("titanic")
    call("delve", "export", "titanic/survived", str(tmp_path), "--size", "20", "--instances", "1")
    folder = str(tmp_path / "delve-benchbook" / "data" / "titanic")
    said = call("delve", "show", folder).stdout
    assert "survived" in said
    assert "relevance level" in said
    told = json.loads(call("delve", "show", folder, "--json").stdout)
    assert told["groups by commonality (@)"] == "none"
    assert {line["relevance level"] for line in told["priors"]} == {0}
    assert len(told["priors"]) == told["prototasks"][0]["inputs"] + 1


def test_delve_files_go_out_and_come_back(call, tmp_path):
    folder = str(tmp_path / "out")
    place = Path(
        call(
            "delve", "export", "kin-8nm-sim/dist", folder, "--size", "64", "--instances", "2"
        ).output.strip()
    )
    for number in range(2):
        guesses = ["0.0\n"] * len((place / f"test.{number}").read_text().splitlines())
        (place / f"cguess.S.{number}").write_text("".join(guesses))
    call("delve", "import", str(place), "--task", TASK, "--as", "medians", "--instances", "2")
    call("run", "-m", "base-1", "-t", TASK, "--workers", "1", "--no-compare")
    rows = json.loads(call("compare", "-t", TASK, "--common-instances", "--json").output)["table"]
    means = {row["method"]: row["mean"] for row in rows}
    assert means["medians"] == pytest.approx(means["base-1"], rel=0.1), (
        "0 on the encoded scale is the training median"
    )
    assert (
        "another name"
        in call("delve", "import", str(place), "--task", TASK, "--as", "lin-1", code=2).stderr
    )


def test_guesses_and_losses_of_a_method_go_out_and_come_back_under_a_pattern(call, tmp_path):
    out, first = str(tmp_path / "delve-out"), ("--instances", "1")
    sizes = ("--size", "64", "--size", "128")
    for encoding in ((), ("--encoding", "copy")):
        call("delve", "export", "kin-8nm-sim/dist", out, *sizes, *first, "-m", "lin-1", *encoding)
        back = (
            "delve",
            "import",
            f"{out}/methods/lin-1",
            "--task",
            "kin-8nm-sim",
            *encoding,
            *first,
        )
        call(*back, "--as", "guesses")
        call(*back, "--as", "losses", "--kind", "losses", "--scale", "coded")
        assert "--scale" in call(*back, "--as", "losses", "--kind", "losses", code=2).stderr
        means = studies.gather("kin-8nm-sim", code="S").pivot(
            on="method", index=["task", "case"], values="value"
        )
        assert means["task"].n_unique() == 2
        for name in ("guesses", "losses"):
            np.testing.assert_allclose(means[name], means["lin-1"], rtol=1e-6)


def test_a_task_is_placed_in_the_bands_by_the_runs_on_it(call):
    assert "benchbook run -m lin-1" in call("assess", "bands", TASK, code=2).stderr
    call("run", "-m", "lin-1", "-m", "knn-cv-1", "-t", TASK, "--workers", "1", "--no-compare")
    told = json.loads(call("assess", "bands", TASK, "--added-noise", "0.01", "--json").output)
    noise, shares = told["bounds"]["noise"], told["left_by"]
    variance = tasks.standard(TASK, "S")
    assert noise["lower"] == pytest.approx(0.0001 / variance)
    assert noise["upper"] > min(one["mean"] for one in shares.values())
    assert "highly non-linear" in call("assess", "bands", TASK).output


def test_archive_is_published_and_verified(call, tmp_path):
    call("run", "-m", "lin-1", "-t", TASK, "--workers", "1", "--no-compare")
    (tmp_path / "archive").mkdir()
    assert "lin-1" in call("archive", "publish").output
    assert json.loads(call("archive", "list", "--json").output)[0]["runs"] == 8
    assert "0 are not" in call("archive", "verify", "--sample", "3").output

    packed = next((tmp_path / "archive").rglob("lin-1*.parquet"))
    packed.write_bytes(packed.read_bytes()[:-7])
    assert "Traceback" not in call("archive", "verify", "--sample", "3", code=1).output


def modules_after(program: str, *heavy: str) -> set[str]:
    """Which of the modules named are loaded after a program."""
    program = f"import sys; {program}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    return set(heavy) & set(loaded)


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numpy", "numba", "polars", "altair", "sklearn")
    assert modules_after("import benchbook", *heavy) == set()
    assert modules_after("import numpy", *heavy) == {"numpy"}, "the test sees what is loaded"


def test_help_of_the_whole_needs_no_heavy_import():
    program = (
        "from click.testing import CliRunner; from benchbook.cli import app; "
        "assert '--help' in CliRunner().invoke(app, {}).output"
    )
    heavy = ("numba", "numpy", "polars", "altair", "sklearn")
    assert modules_after(program.format(["--help"]), *heavy) == set()
    assert modules_after(program.format(["run", "--help"]), *heavy) == {"numpy", "polars"}


def test_comparing_needs_no_compiler():
    words = ["compare", "-t", "kin-8nm-sim/dist/std.64", "-m", "lin-1", "-m", "base-1"]
    program = (
        "from click.testing import CliRunner; from benchbook.cli import app; "
        f"done = CliRunner().invoke(app, {words}); "
        "assert 'lin-1' in done.output, done.output"
    )
    assert modules_after(program, "polars", "numba") == {"polars"}


def test_the_list_of_commands_says_of_each_what_it_says_itself():
    context = click.Context(app)
    for words, (_, said) in (_COMMANDS | COMMANDS).items():
        first, *rest = words.split()
        command, name = app.get_command(context, first), [first, *rest][-1]
        for word in rest:
            assert isinstance(command, click.Group)
            command = command.get_command(context, word)
        assert command is not None
        assert command.name == name
        assert said == " ".join((command.help or "").split("\n\n")[0].split())


def test_the_commands_of_the_book_are_found_by_an_entry_point(repository, monkeypatch):
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf8"))["project"]
    ((name, value),) = project["entry-points"]["benchbook.commands"].items()
    point = EntryPoint(name, value, "benchbook.commands")
    assert point.load() is COMMANDS
    other = SimpleNamespace(
        load=lambda: {"extra": ("m:extra", "More."), "tasks sub": ("m:s", "S.")}
    )
    plugins._tables.cache_clear()
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point, other])
    assert plugins.further("") == {
        "extra": ("m:extra", "More."),
        **{words: entry for words, entry in COMMANDS.items() if " " not in words},
    }
    assert plugins.further("tasks") == {"sub": ("m:s", "S.")}
    plugins._tables.cache_clear()


def test_a_command_brings_in_its_own_file_only():
    every = [
        f"benchbook.cli.{name}"
        for name in ("catalogue", "data", "running", "compared", "methods", "archive")
    ]
    program = "from click.testing import CliRunner; from benchbook.cli import app; CliRunner().invoke(app, {})"
    words = ["tasks", "list", "kin-8nm-sim/*"]
    assert modules_after(program.format(words), *every, "benchbook.studies", "numba") == set(
        every[:2]
    )


def test_what_stands_beside_delves_commands_are_commands(call, repository):
    """Each command of the table on the page of the guide exists, and DELVE's six are all there."""
    text = (repository / "book" / "guide" / "run-it.md").read_text(encoding="utf8")
    lines = text.partition("## DELVE's commands")[2].partition("\n## ")[0].splitlines()
    rows = [line.split("|") for line in lines if line.startswith("| `")]
    assert [row[1].strip(" `") for row in rows] == [
        "dls",
        "dinfo",
        "minfo",
        "mgendata",
        "mloss",
        "mstats",
    ]
    for row in rows:
        for words in re.findall(r"`benchbook ([^`]+)`", row[3]):
            names = [word for word in words.split() if not word.startswith("-")]
            assert words.split()[-1] in call(*names, "--help").stdout
