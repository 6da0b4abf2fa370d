"""Bad plans, and bad requests to ``benchbook run`` and ``benchbook compare``, refused before anything is run."""

import pytest

from benchbook import studies

TASK = "kin-8nm-sim/dist/std.64"
PLAN = f"""\
name = "trial"
seed = 1
methods = ["base-1"]
tasks = ["{TASK}"]
instances = 1
"""
RUN = "run --plan p.toml --workers 1 --out runs --no-compare"
ONE = f"run -m base-1 -t {TASK} --instances 1 --workers 1 --out runs"


def plan(old: str, new: str) -> dict[str, object]:
    assert old in PLAN
    return {"p.toml": PLAN.replace(old, new, 1)}


def besides(line: str) -> dict[str, object]:
    return {"p.toml": PLAN + line}


PLANS = [
    (
        "lists within lists",
        {"p.toml": "a = " + "[" * 20_000},
        RUN,
        "plan p.toml cannot be read as TOML",
    ),
    (
        "tables within tables",
        {"p.toml": "a = " + "{b = " * 20_000},
        RUN,
        "lists or tables more than 50 deep",
    ),
    (
        "a key of 100,000 parts",
        {"p.toml": ".".join("a" * 100_000) + " = 1"},
        RUN,
        "a key of more than 50 parts",
    ),
    (
        "an empty plan",
        {"p.toml": ""},
        RUN,
        ("4 faults", "a plan must have 'name'", "for plans that work"),
    ),
    ("no UTF-8", {"p.toml": b"\xff"}, RUN, "the byte 0xff at place 0 is no UTF-8"),
    ("a byte order mark", {"p.toml": "\ufeff" + PLAN}, RUN, "save it as UTF-8 without one"),
    ("no plan", {}, RUN, "no plan p.toml (looked from"),
    ("a folder", {"p.toml": None}, RUN, "directory"),
    ("a name that is too long", {}, RUN.replace("p.toml", "p" * 300), "a name that is too long"),
    ("a key twice", {"p.toml": PLAN + PLAN}, RUN, "Cannot overwrite a value"),
    ("an unknown key", besides("colour = 3"), RUN, "colour: found a key that means nothing here"),
    (
        "a seed of 400 digits",
        plan("seed = 1", f"seed = {10**400}"),
        RUN,
        "seed is a whole number beyond 64 bits",
    ),
    (
        "a seed of 5000 digits",
        plan("seed = 1", "seed = 1" + "0" * 5000),
        RUN,
        "a whole number beyond 64 bits",
    ),
    (
        "a negative seed",
        plan("seed = 1", "seed = -1"),
        RUN,
        "seed: found -1; must be a whole number from 0 on",
    ),
    (
        "a seed of one and a half",
        plan("seed = 1", "seed = 1.5"),
        RUN,
        "seed: found 1.5; must be a whole number",
    ),
    (
        "a seed that is a truth",
        plan("seed = 1", "seed = true"),
        RUN,
        "seed: found True; must be a whole number",
    ),
    (
        "a name that is a list",
        plan('"trial"', '["trial"]'),
        RUN,
        "name: found ['trial']; must be a printable text",
    ),
    (
        "an empty name",
        plan('"trial"', '""'),
        RUN,
        "name: found ''; must be a printable text, not empty",
    ),
    (
        "a zero byte in a name",
        plan('"trial"', '"tri\\u0000al"'),
        RUN,
        "name: found 'tri\\x00al'; must be a printable",
    ),
    (
        "methods that are a text",
        plan('["base-1"]', '"base-1"'),
        RUN,
        "methods: found 'base-1'; must be a list",
    ),
    (
        "no methods",
        plan('["base-1"]', "[]"),
        RUN,
        "methods: found []; must be a list of names in quotes, not empty",
    ),
    (
        "methods within methods",
        plan('["base-1"]', '[["base-1"]]'),
        RUN,
        "methods[0]: found ['base-1']; must be a name",
    ),
    (
        "a method that is a date",
        plan('"base-1"', "2020-01-01"),
        RUN,
        "methods[0]: found datetime.date(2020, 1, 1)",
    ),
    (
        "an unknown method",
        plan("base-1", "base-2"),
        RUN,
        "unknown method 'base-2'. Nearest: base-1",
    ),
    (
        "a method of 200,000 letters",
        plan("base-1", "q" * 200_000),
        RUN,
        ("methods[0]", "characters)"),
    ),
    (
        "3000 unknown methods",
        plan('"base-1"', ", ".join(f'"q{k}"' for k in range(3000))),
        RUN,
        "and 2980 more",
    ),
    (
        "a method in a file with a zero byte",
        plan("base-1", "a\\u0000.py:mine"),
        RUN,
        "no such file: a",
    ),
    (
        "a method in a file that is not there",
        plan("base-1", "no.py:mine"),
        RUN,
        "no such file: no.py",
    ),
    (
        "a command without places",
        plan("base-1", "command: ls"),
        RUN,
        "lacks {train} and {test} and {guess}",
    ),
    (
        "an unknown task",
        plan("std.64", "std.65"),
        RUN,
        "unknown task 'kin-8nm-sim/dist/std.65'. Nearest",
    ),
    ("a task of 200,000 letters", plan(TASK, "q" * 200_000), RUN, ("tasks[0]", "characters)")),
    (
        "no instances",
        plan("instances = 1", "instances = 0"),
        RUN,
        "instances: found 0; a whole number" and "found 0",
    ),
    (
        "a negative number of instances",
        plan("instances = 1", "instances = -1"),
        RUN,
        "instances: found -1",
    ),
    (
        "instances of 400 digits",
        plan("instances = 1", f"instances = {10**400}"),
        RUN,
        "beyond 64 bits",
    ),
    (
        "an instance twice",
        plan("instances = 1", "instances = [0, 0]"),
        RUN,
        "a list of different whole numbers",
    ),
    (
        "an instance there is not",
        plan("instances = 1", "instances = [99]"),
        RUN,
        "they have at most 8",
    ),
    (
        "instances that are a table",
        plan("instances = 1", "instances = {a = 1}"),
        RUN,
        "instances: found {'a': 1}",
    ),
    (
        "an instance that is a table",
        plan("instances = 1", "instances = [1, {a = 1}]"),
        RUN,
        "found [1, {'a': 1}]",
    ),
    (
        "an unknown loss",
        besides('losses = ["QQ"]'),
        RUN,
        "losses[0]: found 'QQ'; unknown loss 'QQ'. Nearest: Q",
    ),
    (
        "a loss of other targets",
        besides('losses = ["Z"]'),
        RUN,
        "losses: found Z; one at least for the real target",
    ),
    ("no losses", besides("losses = []"), RUN, "losses: found []; must be a list"),
    ("a loss of a whole set", besides('losses = ["LIFT"]'), RUN, "one number for a whole test set"),
    (
        "tasks without a loss",
        plan(f'"{TASK}"', f'"{TASK}", "titanic/survived/std.20"')
        | {
            "p.toml": PLAN.replace(f'"{TASK}"', f'"{TASK}", "titanic/survived/std.20"')
            + 'losses = ["Z"]'
        },
        RUN,
        f"losses: found Z; one at least for the real target of {TASK}",
    ),
    (
        "a negative budget",
        besides("[budget]\nseconds = -1"),
        RUN,
        "budget.seconds: found -1; must be a number above 0",
    ),
    (
        "a budget that is no number",
        besides("[budget]\nseconds = nan"),
        RUN,
        "budget.seconds: found nan",
    ),
    (
        "a budget of 400 digits",
        besides(f"[budget]\nseconds = {10**400}"),
        RUN,
        "budget.seconds is a whole number",
    ),
    (
        "a budget of hours",
        besides("[budget]\nhours = 1"),
        RUN,
        "budget.hours: found a key that means nothing here",
    ),
    ("a budget without a table", besides("budget = 3"), RUN, "budget: found 3; must be a table"),
    ("a title that is a number", besides("title = 3"), RUN, "title: found 3; must be a text"),
    ("a method besides", {"p.toml": PLAN}, f"{RUN} -m lin-1", "--plan says which methods"),
    (
        "instances besides",
        {"p.toml": PLAN},
        f"{RUN} --instances 2",
        "leave --method, --command, --tasks, --instances",
    ),
    (
        "a seed besides",
        {"p.toml": PLAN},
        f"{RUN} --seed 2",
        "leave --method, --command, --tasks, --instances and --seed",
    ),
    (
        "a loss the plan does not compute",
        besides('losses = ["S"]'),
        f"{RUN.replace(' --no-compare', '')} --loss A",
        "plan p.toml does not compute loss A: it has S; put losses",
    ),
]

REQUESTS = [
    ("run nothing", {}, "run", "say what to run: --method NAME"),
    ("run no task", {}, "run -m lin-1", "say what to run"),
    (
        "run an unknown method",
        {},
        ONE.replace("base-1", "base-2"),
        "unknown method 'base-2'. Nearest: base-1",
    ),
    ("run no method", {}, ["run", "-m", "", "-t", TASK], "unknown method ''"),
    (
        "run a method of 100,000 letters",
        {},
        ["run", "-m", "q" * 100_000, "-t", TASK],
        "characters)",
    ),
    (
        "run a method that is no text",
        {},
        ["run", "-m", "q\udcff", "-t", TASK],
        "unknown method 'q\\udcff'",
    ),
    ("run an unknown task", {}, ONE.replace("std.64", "std.65"), "unknown task"),
    ("run a known and an unknown task", {}, f"{ONE} -t nowhere", "tasks[1]: found 'nowhere'"),
    (
        "run a task of 100,000 letters",
        {},
        ["run", "-m", "base-1", "-t", "q" * 100_000],
        "characters)",
    ),
    (
        "run a pattern of 3000 stars",
        {},
        ["run", "-m", "base-1", "-t", "*a" * 3000 + "b"],
        "unknown task",
    ),
    (
        "run an open bracket",
        {},
        f"run -m base-1 -t '[z-a]' {ONE.partition(TASK)[2]}",
        "unknown task '[z-a]'",
    ),
    ("run no instances", {}, ONE.replace("--instances 1", "--instances 0"), "--instances"),
    ("run with no processes", {}, ONE.replace("--workers 1", "--workers 0"), "--workers"),
    ("run with a negative seed", {}, f"{ONE} --seed -1", "-1 is not in the range"),
    ("run with a seed beyond 64 bits", {}, f"{ONE} --seed {2**63}", "is not in the range"),
    ("run with an unknown loss", {}, f"{ONE} --loss QQ", "unknown loss 'QQ'. Nearest: Q"),
    (
        "run with a loss of other targets",
        {},
        f"{ONE} --loss Z",
        f"loss Z is for class targets, and {TASK} has a real",
    ),
    (
        "run with a loss of a whole set",
        {},
        f"{ONE} --loss LIFT",
        "loss LIFT is one number for a whole test set",
    ),
    ("run with an empty loss", {}, f"{ONE} --loss ''", "unknown loss ''"),
    ("run into a file", {"runs": ""}, ONE, "is a file"),
    ("run into nothing", {}, ONE.replace("--out runs", "--out ''"), "an empty path"),
    (
        "run into a place that cannot be made",
        {},
        ONE.replace("--out runs", "--out /proc/runs"),
        "cannot be made there",
    ),
    (
        "run below a file",
        {"f": ""},
        ONE.replace("--out runs", "--out f/runs"),
        "a part of that path is a file",
    ),
    (
        "run into a name that is too long",
        {},
        ONE.replace("--out runs", "--out " + "r" * 300),
        "is too long",
    ),
    ("compare nothing", {}, "compare", "or --tasks PATTERN"),
    ("compare on an unknown task", {}, "compare -t nowhere", "unknown task 'nowhere'"),
    (
        "compare where nothing was run",
        {},
        f"compare -t {TASK}",
        "there are no runs of these tasks yet",
    ),
    ("compare by an unknown loss", {}, f"compare -t {TASK} --loss QQ", "unknown loss 'QQ'"),
    (
        "compare by a loss of other targets",
        {},
        f"compare -t {TASK} --loss Z",
        "loss Z is for class targets",
    ),
    (
        "compare by a loss of a whole set",
        {},
        f"compare -t {TASK} --loss LIFT",
        "one number for a whole test set",
    ),
    (
        "compare partitions by a loss",
        {},
        "compare -t sklearn-wine1/partition/a --loss S",
        "partitions are compared by their error percentages",
    ),
    (
        "compare tasks with what is of tables",
        {},
        f"compare -t {TASK} --seed 1",
        "--seed: of tables, and not with --tasks",
    ),
    (
        "compare a folder that is not there",
        {},
        f"compare -t {TASK} --out nowhere",
        "does not exist",
    ),
    ("list an archive that is not there", {}, "archive list --archive nowhere", "does not exist"),
    ("list an archive that is a file", {"a": ""}, "archive list --archive a", "is a file"),
    ("list an archive of nothing", {"a": None}, "archive list --archive a", "a holds no runs"),
    ("verify an archive of nothing", {"a": None}, "archive verify --archive a", "a holds no runs"),
    ("verify less than nothing", {}, "archive verify --sample -1", "-1 is not in the range"),
    ("verify with a negative seed", {}, "archive verify --seed -1", "-1 is not in the range"),
    (
        "verify with a manifest cut short",
        {"a/manifest.json": "{"},
        "archive verify --archive a",
        "manifest.json",
    ),
    ("publish what is not there", {}, "archive publish --from nowhere", "does not exist"),
    (
        "publish nothing",
        {"a": None, "b": None},
        "archive publish --from a --archive b",
        "a holds no runs",
    ),
]

BAD = [*PLANS, *REQUESTS]


def test_bad_input_is_refused(bad, refused):
    refused(bad)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store with runs of two methods on one task."""
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "archive"))
    studies.run(
        studies.Plan("trial", 1, ["base-1", "lin-1"], [TASK], 2),
        tmp_path / "runs",
        workers=1,
        progress=False,
    )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            f"compare -t {TASK} --common-instances -m base-1 -m base-2",
            "no runs of base-2 on these tasks; there are runs of",
        ),
        (
            f"compare -t {TASK} --common-instances --against nobody",
            "'nobody' has no runs here; there are runs of base-1, lin-1",
        ),
    ],
)
def test_methods_that_were_not_run_are_not_left_out_in_silence(command, says, kept, refused):
    refused(("", {}, command, says))


def test_a_loss_that_is_not_computed_by_default_is_computed_when_the_comparison_is_by_it(
    tmp_path, monkeypatch
):
    from click.testing import CliRunner

    from benchbook.cli import app

    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*ONE.split(), "--loss", "CRPS"])
    assert result.exit_code == 0, result.output
    assert "continuous ranked probability loss" in result.output.replace("\n", " ")
