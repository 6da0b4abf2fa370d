"""The engine in this process: resume, retry, failures as rows, budgets, missing data, full disks."""

import json

import numpy as np
import pytest
from refusals import refused

from benchbook import seeds, studies, tasks
from benchbook.errors import BenchbookError, MissingData
from benchbook.studies import Archive, Plan, RunKey, run, run_one

pytestmark = pytest.mark.usefixtures("forked")
TASK, LARGER = "kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"


@pytest.fixture
def study(mine, tmp_path):
    """Carry out a plan over methods of a newcomer's file; the fixture gives that function and the archive."""
    archive = Archive(tmp_path / "runs")

    def carry_out(*names, instances=2, tasks=(TASK,), seed=1, losses=None, **options):
        plan = Plan(
            "trial", seed, [f"{mine}:{name}" for name in names], list(tasks), instances, losses
        )
        return run(plan, archive, workers=1, progress=False, **options)

    return carry_out, archive


def test_a_run_is_recorded_with_all_that_made_it(study):
    carry_out, archive = study
    carry_out("noisy", instances=1)
    record = archive.records().row(0, named=True)
    assert (
        record["study"],
        record["method"],
        record["task"],
        record["instance"],
        record["seed"],
    ) == ("trial", "noisy", TASK, 0, 1)
    assert (record["status"], record["error"], record["asked"]) == ("ok", "", "A L S")
    assert json.loads(record["cost"]) == {"gradient_passes": 7}
    assert record["digest"] == tasks.instance(TASK, 0).digest
    assert record["identity"].startswith("mine.py ")
    assert record["seconds"] > 0
    assert all(record[name] for name in ("benchbook", "commit", "python", "cpu", "time"))
    assert "numpy" in json.loads(record["libraries"])


def test_the_random_numbers_of_a_run_depend_on_its_names_alone(mine):
    key = RunKey("noisy", TASK, 1, f"{mine}:noisy")
    result = run_one(key, 5, "trial")
    instance = tasks.instance(TASK, 1)
    guess = seeds.generator(5, "noisy", TASK, 1).standard_normal(len(instance.test_inputs))
    encoding = instance.encoding.target
    expected = (encoding.centre + encoding.scale * guess - tasks.Scorer(TASK, 1).targets) ** 2
    assert np.allclose(result.losses["S"], expected, rtol=1e-12)


def test_the_second_time_nothing_is_run_and_nothing_changes(study):
    carry_out, archive = study
    assert len(carry_out("noisy").done) == 2
    before = archive.records()
    summary = carry_out("noisy")
    assert (len(summary.done), len(summary.kept), summary.left) == (0, 2, 0)
    assert archive.records().equals(before)


def test_more_instances_and_methods_add_only_what_is_not_there(study):
    carry_out, archive = study
    carry_out("noisy")
    summary = carry_out("noisy", "guesser", instances=3)
    assert sorted(map(str, summary.done)) == [
        f"guesser on {TASK}#0",
        f"guesser on {TASK}#1",
        f"guesser on {TASK}#2",
        f"noisy on {TASK}#2",
    ]
    assert len(archive.records()) == 6


@pytest.mark.parametrize("change", [{"seed": 2}, {"losses": ["Q", "S", "L", "A"]}])
def test_a_run_is_done_again_when_it_would_not_come_out_the_same(study, change):
    carry_out, archive = study
    carry_out("noisy", losses=["S"])
    again = carry_out("noisy", **({"losses": ["S"]} | change))
    assert len(again.done) == 2
    assert len(archive.records()) == 2


def test_fewer_losses_than_are_there_need_no_run_and_a_point_guess_has_no_density(study):
    carry_out, archive = study
    carry_out("guesser")
    assert set(archive.losses()["loss"]) == {"A", "S"}
    assert len(carry_out("guesser").kept) == 2
    assert len(carry_out("guesser", losses=["A"]).kept) == 2


def test_an_edited_method_is_run_again(study, mine):
    carry_out, archive = study
    carry_out("noisy")
    before = archive.losses()
    mine.write_text(mine.read_text().replace("np.full(count, 2.0)", "np.full(count, 3.0)"))
    assert len(carry_out("noisy").done) == 2
    assert not archive.losses().equals(before)


def test_many_failures_with_one_reason_are_one_line_and_few_are_named():
    keys = [studies.RunKey(name, TASK, number) for name in ("b-1", "a-1") for number in range(4)]
    lines = [(key, f"method {key}: no library") for key in keys[:4]] + [
        (key, "too slow") for key in keys[4:7]
    ]
    assert studies.failures([*lines, (keys[7], "no luck")]) == [
        f"b-1, 4 runs, such as {TASK}#0: no library",
        *(f"a-1 on {TASK}#{number}: too slow" for number in range(3)),
        f"a-1 on {TASK}#3: no luck",
    ]


def test_a_failure_is_a_record_with_its_reason_and_is_kept_until_it_is_retried(study, mine):
    carry_out, archive = study
    summary = carry_out("raises", instances=4)
    assert [key.instance for key, _ in summary.failed] == [1, 3]
    assert [key.instance for key in summary.done] == [0, 2]
    record = archive.records().filter(instance=1).row(0, named=True)
    assert record["status"] == "failed"
    assert "ValueError: no luck with odd instances" in record["error"]
    assert "mine.py, line" in record["error"]
    assert "\n" not in record["error"]
    assert set(archive.losses()["instance"]) == {0, 2}
    selected = carry_out("raises", instances=4)
    assert (
        len(selected.done),
        len(selected.failed),
        len(selected.kept),
        len(selected.kept_failed),
    ) == (0, 0, 2, 2)
    assert "no luck" in str(selected)
    retried = carry_out("raises", instances=4, retry_failed=True)
    assert (len(retried.failed), len(retried.kept)) == (2, 2)
    mine.write_text(mine.read_text().replace("instance.number % 2", "False"))
    assert len(carry_out("raises", instances=4).done) == 4


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise SystemExit(4)", "SystemExit"),
        ("return 3", "returned int"),
        ("return Point(np.zeros(7))", "predicted 7 cases"),
        ("return Point(np.full(len(instance.test_inputs), np.nan))", "fault"),
        ("instance.train_inputs[:] = 0", "read-only"),
    ],
)
def test_whatever_a_method_does_wrong_is_told_in_one_line(study, mine, body, said):
    carry_out, archive = study
    mine.write_text(
        mine.read_text().replace("return Point(np.zeros(len(instance.test_inputs)))", body)
    )
    summary = carry_out("guesser", instances=1)
    assert len(summary.failed) == 1
    assert said in archive.records()["error"][0]


def test_large_training_sets_come_first(study, monkeypatch):
    carry_out, _ = study
    order = []
    write = Archive.write
    monkeypatch.setattr(
        Archive,
        "write",
        lambda self, result, *how: (order.append(result.key.task), write(self, result))[1],
    )
    carry_out("noisy", tasks=[TASK, LARGER], instances=1)
    assert order == [LARGER, TASK]


def test_no_run_is_begun_after_the_budget_and_the_rest_is_for_the_next_time(mine, tmp_path):
    def plan(seconds):
        return Plan("trial", 1, [f"{mine}:slow"], [TASK], 4, budget_seconds=seconds)

    archive = Archive(tmp_path / "runs")
    first = run(plan(0.2), archive, workers=1, progress=False)
    assert 1 <= len(first.done) < 4
    assert first.left == 4 - len(first.done)
    assert "left to do" in str(first)
    assert len(run(plan(None), archive, workers=1, progress=False).done) == first.left


def test_tasks_without_data_are_told_and_the_others_are_run(study, monkeypatch):
    from benchbook import datasets

    def nowhere(name):
        raise MissingData(f"{name} is not at hand; do this and that")

    carry_out, archive = study
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.endswith("-sim"))
    monkeypatch.setattr(datasets, "load", nowhere)
    summary = carry_out("noisy", tasks=[TASK, "kin-8nm/dist/std.64"], instances=1)
    assert list(summary.missing) == ["kin-8nm/dist/std.64"]
    assert "do this and that" in str(summary)
    assert len(summary.done) == len(archive.records()) == 1
    refused(MissingData, "kin-8nm is not at hand", carry_out, "noisy", tasks=["kin-8nm/dist"])


def test_a_full_disk_stops_the_study_and_keeps_what_was_finished(study, monkeypatch):
    carry_out, archive = study
    write, written = Archive.write, []

    def fill_up(self, result, *how):
        if len(written) == 2:
            raise BenchbookError("the disk is full")
        written.append(result.key)
        return write(self, result)

    monkeypatch.setattr(Archive, "write", fill_up)
    refused(BenchbookError, "disk is full", carry_out, "noisy", instances=4)
    monkeypatch.undo()
    assert len(archive.records()) == 2
    assert len(carry_out("noisy", instances=4).done) == 2


def test_an_archive_that_cannot_be_written_is_told_before_anything_is_run(
    study, tmp_path, monkeypatch
):
    carry_out, _ = study
    monkeypatch.setattr(
        "benchbook.studies.engine.results", lambda *given: pytest.fail("something was run")
    )
    monkeypatch.setattr("tempfile.mkstemp", _refused)
    refused(BenchbookError, "read-only", carry_out, "noisy")


def _refused(**_):
    raise OSError(30, "Read-only file system")


def test_the_summary_is_plain_for_programs(study):
    carry_out, _ = study
    summary = carry_out("raises")
    reply = json.loads(json.dumps(summary.as_dict()))
    assert (reply["done"], reply["left"], reply["interrupted"]) == (1, 0, False)
    assert reply["failed"][0]["instance"] == 1
