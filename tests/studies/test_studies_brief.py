"""Which work is done in the process that was asked for it, without starting others."""

import pytest
from archives import consolidate

from benchbook.methods.asking import answered
from benchbook.studies import Archive, Limits, Plan, RunKey, engine, run
from benchbook.studies.engine import BRIEF, processes
from benchbook.studies.runs import Job

TASK = "kin-8nm-sim/dist/std.64"


@pytest.fixture
def archived(tmp_path, made, monkeypatch):
    """The book's archive, with runs of two methods: lin-1 took no time, one of mlp-ese-1 most of it;
    on a machine with three processors."""
    archive = Archive(tmp_path / "archive")
    for name, seconds in (("lin-1", 0.01), ("mlp-ese-1", 0.8 * BRIEF)):
        for instance in range(2):
            result = made(name, TASK, instance)
            result.record["seconds"] = seconds * (instance or name == "lin-1")
            archive.write(result)
    consolidate(archive)
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(archive.path))
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2}, raising=False)
    return archive


def is_brief(*names, spec="", instances=2):
    jobs = [
        Job(RunKey(name, TASK, instance, spec), 1, "trial", ("S",), "")
        for name in names
        for instance in range(instances)
    ]
    return processes(jobs, None) == 1


def test_runs_that_took_no_time_when_they_were_archived_are_brief(archived):
    assert is_brief("lin-1")
    assert not is_brief("mlp-ese-1")
    assert not is_brief("lin-1", "mlp-ese-1")
    assert not is_brief("lin-1", instances=400)


def test_runs_that_nobody_has_archived_are_not_brief(archived):
    assert not is_brief("base-1")


def test_a_single_run_is_brief_unless_the_method_is_a_newcomers(archived):
    assert is_brief("mlp-ese-1", instances=1)
    assert not is_brief("mine", spec="mine.py:mine", instances=1)
    assert is_brief()


def test_an_archive_that_cannot_be_read_starts_processes(archived):
    (archived.path / "manifest.json").write_text("{")
    assert not is_brief("lin-1")


@pytest.mark.parametrize(
    ("workers", "limits", "processes"), [(None, None, 0), (3, None, 3), (1, Limits(60.0), 1)]
)
def test_no_process_is_started_for_brief_work_unless_that_is_asked_for(
    archived, tmp_path, monkeypatch, workers, limits, processes
):
    """Limits can be held in a process of its own only."""
    started = [0]

    def in_processes(ready, count, specs, held):
        started[0] = count
        assert held == (limits or Limits())
        return ((work, answered(*work.asked)) for work in ready)

    monkeypatch.setattr("benchbook.studies.runs.in_processes", in_processes)
    summary = run(
        Plan("trial", 1, ["lin-1"], [TASK], 2),
        tmp_path / "own",
        workers=workers,
        progress=False,
        limits=limits,
    )
    assert len(summary.done) == 2
    assert started == [processes]


@pytest.mark.parametrize(
    ("spec", "limits", "asked", "count"),
    [
        ("", None, 1, 0),
        ("", Limits(9.0), 1, 1),
        ("", None, 2, 2),
        ("mine.py:m", None, 1, 1),
        ("", None, None, 0),
    ],
)
def test_a_newcomers_method_and_limits_ask_for_a_process(
    monkeypatch, tmp_path, spec, limits, asked, count
):
    jobs, given = [Job(RunKey("lin-1", TASK, 0, spec), 1, "trial", ("S",), "")], []
    monkeypatch.setattr(engine, "to_do", lambda *arguments: jobs)
    monkeypatch.setattr(engine, "results", lambda *all_: given.append(all_) or (_ for _ in ()))
    plan = Plan("trial", 1, ["lin-1"], [TASK], budget_seconds=5.0)
    run(plan, tmp_path, asked, "tcp://x", progress=False, limits=limits)
    assert given == [(jobs, 5.0, count, "tcp://x", limits)]


@pytest.mark.parametrize(("count", "more"), [(1, ""), (3, ""), (4, ", and 1 more pairs")])
def test_up_to_three_pairs_that_do_not_suit_are_named(count, more):
    pairs = [(f"m-{number}", TASK) for number in range(count)]
    named = "; ".join(
        f"m-{number} does not predict the real target of {TASK}" for number in range(min(count, 3))
    )
    message = engine._nothing_applies(pairs)
    assert message.startswith(f"there is nothing to run: {named}{more}. `benchbook methods list`")
