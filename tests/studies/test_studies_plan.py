"""Plans: what they expand to, and that every fault of one is told at once."""

from pathlib import Path

import pytest
from refusals import refused

from benchbook import methods, tasks
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.studies import Plan, RunKey
from benchbook.studies.plan import _from_folder, _located

SMALL = "kin-8nm-sim/dist/std.64"
ROOT = Path(__file__).parents[2]


def plan(**changes):
    given = {"name": "trial", "seed": 1, "methods": ["lin-1", "base-1"], "tasks": [SMALL]} | changes
    return Plan(**given)


def test_runs_come_task_by_task_in_the_order_of_the_plan():
    runs = plan(tasks=["kin-8nm-sim/dist/std.128", SMALL], instances=2).runs()
    expected = [
        RunKey(method, task, number)
        for task in ("kin-8nm-sim/dist/std.128", SMALL)
        for number in (0, 1)
        for method in ("lin-1", "base-1")
    ]
    assert runs == expected


def test_a_pattern_a_prototask_and_a_dataset_stand_for_their_tasks_and_each_is_run_once():
    names = plan(
        tasks=["kin-8nm-sim/dist", SMALL, "kin-8nm-sim", "kin-8nm-sim/dist/std.*"]
    ).task_names()
    assert names == tasks.available("kin-8nm-sim/dist")


def test_all_instances_the_first_ones_or_those_listed():
    count = tasks.get(SMALL).instances
    assert len(plan(methods=["lin-1"]).runs()) == count
    assert [run.instance for run in plan(methods=["lin-1"], instances=3).runs()] == [0, 1, 2]
    assert [run.instance for run in plan(methods=["lin-1"], instances=1000).runs()] == list(
        range(count)
    )
    assert [run.instance for run in plan(methods=["lin-1"], instances=[5, 2]).runs()] == [5, 2]


def test_a_number_that_only_some_tasks_have_is_left_out_where_there_is_none():
    few, many = (tasks.get(f"kin-8nm-sim/dist/std.{size}").instances for size in (1024, 64))
    assert few < many
    runs = plan(
        methods=["lin-1"],
        tasks=["kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.1024"],
        instances=[many - 1, few],
    ).runs()
    assert [(run.task, run.instance) for run in runs] == [
        ("kin-8nm-sim/dist/std.64", number) for number in (many - 1, few)
    ]


def test_a_method_that_does_not_predict_such_targets_is_not_applicable_and_not_a_run():
    classes = next(name for name in tasks.available() if tasks.get(name).prototask.kind == "class")
    only_real = next(name for name in methods.available() if methods.get(name).kinds == {"real"})
    both = plan(methods=[only_real, "base-1"], tasks=[SMALL, classes], instances=1)
    assert both.not_applicable() == [(only_real, classes)]
    assert [(run.method, run.task) for run in both.runs()] == [
        (only_real, SMALL),
        ("base-1", SMALL),
        ("base-1", classes),
    ]


def test_all_faults_are_told_together_with_the_nearest_names():
    with pytest.raises(FaultyInput) as caught:
        plan(
            seed=-1,
            methods=["lin1", 7, "no/such/file.py:it"],
            tasks=["kin-8nm-sym/dist/std.64"],
            losses=["X"],
            instances=0,
            budget_seconds=-5,
        )
    places = [fault.where for fault in caught.value.faults]
    assert places == [
        "seed",
        "methods[0]",
        "methods[1]",
        "methods[2]",
        "tasks[0]",
        "losses[0]",
        "instances",
        "budget.seconds",
    ]
    assert "lin-1" in str(caught.value)
    assert "kin-8nm-sim" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("name", ""),
        ("seed", True),
        ("seed", 2**63),
        ("seed", "1"),
        ("methods", []),
        ("methods", "lin-1"),
        ("tasks", {}),
        ("instances", [0, 0]),
        ("instances", [-1]),
        ("instances", []),
        ("instances", 1.5),
        ("instances", [10_000]),
        ("losses", []),
        ("instances", [tasks.get(SMALL).instances]),
        ("title", 3),
        ("budget_seconds", 0),
        ("budget_seconds", True),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(name, value):
    refused(FaultyInput, name.replace("_", "."), plan, **{name: value})


@pytest.mark.parametrize("name", ["lin-1", "LIN-1"])
def test_two_methods_of_one_name_are_refused(mine, name):
    mine.write_text(mine.read_text().replace('name="noisy"', f'name="{name}"'))
    with pytest.raises(FaultyInput, match=f"called '{name}', and so is a method of this book"):
        plan(methods=["lin-1", f"{mine}:noisy"])


def test_a_file_has_its_faults_told_with_its_name(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(
        'name = "x"\nmethods = ["lin-2"]\ntask = ["a"]\nseed = 1\n[budget]\nhours = 3\n'
    )
    with pytest.raises(FaultyInput) as caught:
        Plan.read(path)
    places = [fault.where for fault in caught.value.faults]
    assert places == ["task", "budget.hours", "tasks", "methods[0]"]
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_or_is_not_toml_is_told(tmp_path):
    refused(BenchbookError, "no plan", Plan.read, tmp_path / "none.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("name = \n")
    refused(BenchbookError, r"cannot be read as TOML.*line 1", Plan.read, broken)


def test_methods_in_a_file_are_found_from_its_folder_and_from_any_other(mine, monkeypatch):
    path = mine.with_name("plan.toml")
    path.write_text(
        f'name = "own"\nseed = 3\nmethods = ["mine.py:noisy"]\ntasks = ["{SMALL}"]\ninstances = 1\n'
    )
    run = Plan.read(path).runs()[0]
    monkeypatch.chdir("/")
    assert (run.method, run.source) == ("noisy", f"{mine}:noisy")
    assert methods.get(run.source).name == "noisy"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "data" / "studies").glob("*.toml")), ids=lambda path: path.stem
)
def test_the_plans_that_come_with_the_source_can_be_run(path):
    read = Plan.read(path)
    assert read.runs()
    assert read.title
    assert read.question


def test_the_plans_of_the_book_are_named_without_their_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Plan.read("quick") == Plan.read(ROOT / "data" / "studies" / "quick.toml")
    refused(BenchbookError, r"no plan 'qiuck'.*looked from .*bank.*, quick, ", Plan.read, "qiuck")
    (tmp_path / "quick").write_text(
        f'name = "mine"\nseed = 2\nmethods = ["base-1"]\ntasks = ["{SMALL}"]\n'
    )
    assert Plan.read("quick").name == "mine"
    for path in ("quick.toml", "studies/quick"):
        refused(BenchbookError, f"no plan {path}", Plan.read, path)


def test_there_are_plans_that_come_with_the_source():
    assert (ROOT / "data" / "studies" / "quick.toml").is_file()


@pytest.mark.parametrize(
    ("spec", "located"),
    [
        ("lin-1", "lin-1"),
        ("mine.py:m", "{here}/mine.py:m"),
        ("./a/../mine.py", "{here}/mine.py"),
        ("/at/mine.py:m", "/at/mine.py:m"),
        ("~/mine.py:m", "{home}/mine.py:m"),
        ("command: python mine.py {{train}}", "command: python mine.py {{train}}"),
    ],
)
def test_a_file_is_found_from_any_folder(tmp_path, monkeypatch, spec, located):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/of/the/user")
    assert _located(spec.format()) == located.format(here=Path.cwd(), home="/of/the/user")


@pytest.mark.parametrize(
    ("spec", "seen"),
    [
        ("lin-1", "lin-1"),
        ("a/mine.py:m", "plans/a/mine.py:m"),
        ("/at/mine.py:m", "/at/mine.py:m"),
        ("~/mine.py:m", "~/mine.py:m"),
        ("command: python mine.py {train}", "command: python mine.py {train}"),
        (3, 3),
    ],
)
def test_a_file_in_a_plan_is_seen_from_the_folder_of_the_plan(spec, seen):
    assert _from_folder(spec, Path("plans")) == seen
