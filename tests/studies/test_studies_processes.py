"""Studies in several processes: same results, deaths that cost one run, Ctrl-C, and two writers of one archive."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchbook import apart, methods
from benchbook.archive import lock
from benchbook.archive.lock import locked
from benchbook.errors import BenchbookError
from benchbook.stopping import Stopped, stoppable
from benchbook.studies import Archive, Interrupted, Plan, run, run_one, workers

TASK = "kin-8nm-sim/dist/std.64"

# As a newcomer writes it: no `if __name__ == "__main__"`.
SCRIPT = """
import sys
from benchbook import studies
from benchbook.errors import BenchbookError

mine, folder, instances, workers = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
plan = studies.Plan("trial", 1, [mine + ":slow"], ["kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"], instances)
print("begins", flush=True)
try:
    print(studies.run(plan, folder, workers=workers), flush=True)
except BenchbookError as error:
    print(error, flush=True)
    sys.exit(error.exit_code)
"""


@pytest.fixture
def start(environment, tmp_path):
    """Start a script in a process that has a group of its own, as in a terminal."""

    def begin(script, *arguments):
        path = tmp_path / "script.py"
        path.write_text(script)
        return subprocess.Popen(
            [sys.executable, str(path), *map(str, arguments)],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    return begin


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


def runs_in(folder):
    return len(list(Path(folder).glob("runs/**/[!.]*.parquet")))


def test_worker_processes_give_the_same_bits_and_a_dying_one_costs_its_own_run_only(mine, tmp_path):
    plan = Plan("trial", 1, [f"{mine}:{name}" for name in ("noisy", "dies")] + ["lin-1"], [TASK], 4)
    pooled = Archive(tmp_path / "pooled")
    summary = run(plan, pooled, workers=2, progress=False)
    records = pooled.records()
    assert len(records) == 12
    dead = {row["instance"]: row["error"] for row in records.filter(status="failed").to_dicts()}
    assert {str(key) for key, _ in summary.failed} == {f"dies on {TASK}#1", f"dies on {TASK}#2"}
    assert "exit code 3" in dead[1]
    assert "SIGKILL" in dead[2]
    again = run(plan, pooled, workers=2, progress=False)
    assert (len(again.kept), len(again.kept_failed)) == (10, 2)

    serial = Archive(tmp_path / "serial")
    run(Plan("trial", 1, [f"{mine}:noisy", "lin-1"], [TASK], 4), serial, workers=1, progress=False)
    assert pooled.losses(methods=["noisy", "lin-1"]).equals(serial.losses())


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_loses_only_what_is_under_way_and_the_same_command_goes_on(
    mine, tmp_path, start, workers
):
    folder = tmp_path / "runs"
    process = start(SCRIPT, mine, folder, 6, workers)
    until(lambda: runs_in(folder) >= 2)
    os.killpg(process.pid, signal.SIGINT)  # to all of the group, as a terminal does
    message, complained = process.communicate(timeout=30)
    finished = runs_in(folder)
    assert process.returncode == 130
    assert message.count("begins") == 1
    assert f"interrupted: {finished} runs" in message
    assert f"{12 - finished} are left" in message
    assert complained == ""
    assert 2 <= finished < 12
    assert not list(folder.rglob("*.part"))
    plan = Plan("trial", 1, [f"{mine}:slow"], [TASK, "kin-8nm-sim/dist/std.128"], 6)
    summary = run(plan, folder, workers=1, progress=False)
    assert (len(summary.kept), len(summary.done)) == (finished, 12 - finished)
    assert len(Archive(folder).records().unique(["method", "task", "instance"])) == 12


@pytest.mark.parametrize("gap", [0.005, 0.02])
def test_a_second_ctrl_c_hangs_nothing(mine, tmp_path, start, gap):
    folder = tmp_path / "runs"
    process = start(SCRIPT, mine, folder, 6, 2)
    until(lambda: runs_in(folder) >= 1)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(gap)
    os.killpg(process.pid, signal.SIGINT)
    message, _ = process.communicate(timeout=30)
    assert f"interrupted: {runs_in(folder)} runs" in message


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_kept_is_counted_whenever_the_signal_comes(
    mine, tmp_path, monkeypatch, number
):
    write = Archive.write

    def signalled(self, result, *how):
        path = write(self, result)
        signal.raise_signal(number)
        return path

    monkeypatch.setattr(Archive, "write", signalled)
    with pytest.raises(Interrupted, match=r": 1 runs .*, 2 are left") as caught:
        run(Plan("trial", 1, ["lin-1"], [TASK], 3), tmp_path / "runs", workers=1, progress=False)
    assert runs_in(tmp_path / "runs") == 1 == len(caught.value.summary.done)
    assert caught.value.exit_code == 128 + number
    assert caught.value.summary.interrupted
    assert caught.value.summary.seconds > 0


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to look for processes")
def test_no_worker_is_left_when_the_study_is_killed(mine, tmp_path, start):
    process = start(SCRIPT, mine, tmp_path / "runs", 8, 2)
    until(lambda: runs_in(tmp_path / "runs") >= 1)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) >= 2
    process.kill()
    process.communicate(timeout=30)
    until(lambda: not any(_lives(pid) for pid in children), seconds=10)


def _lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_a_method_that_only_this_process_knows_is_told_before_anything_is_run(
    tmp_path, monkeypatch
):
    @methods.method(name="typed-in")
    def typed_in(instance, rng):
        raise AssertionError

    monkeypatch.setattr("benchbook.methods.registry._by_hand", {"typed-in": typed_in})
    with pytest.raises(
        BenchbookError, match=r"cannot find what this process can:\n  typed-in.*\n.*workers=1"
    ):
        run(Plan("trial", 1, ["typed-in"], [TASK], 2), tmp_path, workers=2, progress=False)
    assert len(Archive(tmp_path).records()) == 0


# -- several writers --------------------------------------------------------------------------------------------------

WRITER = """
import sys
import numpy as np
from benchbook.errors import BenchbookError
from benchbook.studies import Archive, RunKey
from benchbook.archive.records import RunResult, blank_record

folder, method, turned_away = sys.argv[1], sys.argv[2], 0
archive = Archive(folder)
for instance in range(30):
    for name in (method, "shared"):
        record = blank_record(RunKey(name, "kin-8nm-sim/dist/std.64", instance), 1, "trial") | {"status": "ok"}
        archive.write(RunResult(record, {"A": np.arange(64.0) + instance}, np.arange(64)))
    if instance % 5 == 4:
        try:
            archive.publish(archive)
        except BenchbookError as error:
            assert "is being written by another process" in str(error), error
            turned_away += 1
print(turned_away)
"""


def test_two_processes_that_write_and_publish_one_archive_lose_nothing(tmp_path, start):
    writers = [start(WRITER, tmp_path / "runs", name) for name in ("first", "second")]
    for writer in writers:
        message, complained = writer.communicate(timeout=60)
        assert writer.returncode == 0, complained
        assert int(message) <= 6
    archive = Archive(tmp_path / "runs")
    archive.publish(archive)
    expected = {
        (name, instance) for name in ("first", "second", "shared") for instance in range(30)
    }
    records = archive.records()
    assert len(records) == 90
    assert set(records.select("method", "instance").iter_rows()) == expected
    losses = archive.losses()
    assert len(losses) == 90 * 64
    assert (losses["value"] - losses["case"] - losses["instance"]).abs().max() <= 1.0, (
        "half a step of the archive"
    )
    assert archive.verify(run_one, 0, progress=False)["ok"].all()


HOLDER = """
import sys, time
from pathlib import Path
from benchbook.archive.lock import locked

with locked(Path(sys.argv[1]), "holding"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_who_holds_an_archive_is_named_and_a_dead_holder_stops_nobody(tmp_path, start):
    holder = start(HOLDER, tmp_path)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(BenchbookError, match=f"process {holder.pid} on .*, holding"):
        Archive(tmp_path).publish(tmp_path)
    holder.kill()
    holder.communicate(timeout=10)
    assert (tmp_path / ".lock").exists()
    Archive(tmp_path).publish(tmp_path)
    assert not (tmp_path / ".lock").exists()


def test_a_lock_on_a_file_that_its_holder_has_taken_away_is_none(tmp_path, monkeypatch):
    """The second opens the file while the first holds it; the first ends and removes it; a third makes a new one.

    The second then has a lock that nobody else sees, and would write at the same time as the third.
    """
    path, really = tmp_path / ".lock", lock._lock
    removed = []

    def slowly(handle):
        if not removed:
            removed.append(path.unlink())  # between the opening of the file and its lock
        really(handle)

    monkeypatch.setattr(lock, "_lock", slowly)
    assert lock._taken(path) is None
    assert removed
    with locked(tmp_path, "third"):
        inner = lock._taken(path)
        assert inner is None
    handle = lock._taken(path)
    assert handle is not None
    handle.close()


def test_a_lock_is_waited_for_when_asked(tmp_path):
    with locked(tmp_path, "holding"):
        begun = time.monotonic()
        with (
            pytest.raises(BenchbookError, match=f"process {os.getpid()}"),
            locked(tmp_path, "waiting", wait=0.2),
        ):
            pytest.fail("two held it")
        assert 0.2 <= time.monotonic() - begun < 1.2
    with locked(tmp_path, "again"):
        assert (tmp_path / ".lock").exists()


def test_sigterm_is_said_loses_only_what_is_under_way_and_the_same_command_goes_on(
    mine, tmp_path, start
):
    folder = tmp_path / "runs"
    process = start(SCRIPT, mine, folder, 3, 2)
    until(lambda: runs_in(folder) >= 1)
    process.terminate()  # to this process alone, as a scheduler of jobs does
    message, complained = process.communicate(timeout=30)
    finished = runs_in(folder)
    assert process.returncode == 143
    assert f"stopped by SIGTERM: {finished} runs" in message
    assert f"{6 - finished} are left" in message
    assert complained == ""
    assert not list(folder.rglob("*.part"))
    summary = run(
        Plan("trial", 1, [f"{mine}:slow"], [TASK, "kin-8nm-sim/dist/std.128"], 3),
        folder,
        workers=1,
        progress=False,
    )
    assert (len(summary.kept), len(summary.done)) == (finished, 6 - finished)


def test_a_stop_waits_until_an_answer_is_read_whole():
    class Pipe:
        whole = False

        def recv_bytes(self):
            signal.raise_signal(signal.SIGTERM)
            self.whole = True
            return b"{}"

    worker = workers._Worker.__new__(workers._Worker)
    worker.conn, worker.begun = Pipe(), False
    with pytest.raises(Stopped), stoppable():
        worker.hear()
    assert worker.conn.whole


def test_a_command_that_is_terminated_says_so_and_leaves_nothing(environment, tmp_path, mine):
    command = [
        sys.executable,
        "-m",
        "benchbook",
        "run",
        "-m",
        f"{mine}:slow",
        "-t",
        TASK,
        "--workers",
        "1",
        "--out",
        str(tmp_path / "runs"),
    ]
    process = subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until(lambda: runs_in(tmp_path / "runs") >= 1)
    process.terminate()
    message, complained = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "Error: stopped by SIGTERM" in complained
    assert "the same command goes on from there" in complained
    assert "Traceback" not in message + complained
    assert not list(tmp_path.rglob("*.part"))


def test_what_a_method_raises_in_a_worker_is_a_failed_run_whatever_it_is(tmp_path, mine):
    mine.write_text(
        mine.read_text()
        + """

class Odd(BaseException):
    pass


@method(name="odd")
def odd(instance, rng):
    raise [KeyboardInterrupt("mine"), GeneratorExit("mine"), Odd("a\\udc80b"), SystemExit(0)][instance.number]
"""
    )
    summary = run(
        Plan("trial", 1, [f"{mine}:odd", f"{mine}:noisy"], [TASK], 4),
        tmp_path / "runs",
        workers=2,
        progress=False,
    )
    reasons = [reason for _, reason in sorted(summary.failed)]
    assert len(summary.done) == 4
    says = ["KeyboardInterrupt: mine", "GeneratorExit: mine", "Odd: a\\udc80b", "SystemExit: 0"]
    assert [words for words, reason in zip(says, reasons, strict=True) if words not in reason] == []
    assert Archive(tmp_path / "runs").records(methods="odd")["status"].to_list() == ["failed"] * 4


def test_a_process_may_have_variables_of_the_environment_of_its_own():
    name = "BENCHBOOK_OF_THE_CHILD"
    environment = {name: "there"}
    assert apart.returned("asking for a variable", os.getenv, name, environment=environment) == (
        "there"
    )
    assert name not in os.environ
