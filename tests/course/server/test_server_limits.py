"""Phases, limits and failures at their edges: the moment itself, the last one that is let in, the second in a row."""

import errno
import time
from types import SimpleNamespace

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from benchbook.errors import BenchbookError
from benchbook_book.course.server import holding, intake, phases, worker
from benchbook_book.course.server.intake import Refused
from benchbook_book.course.server.models import FAILED, SCORED, Participant, Submission
from benchbook_book.course.server.rules import Meter, Rules
from benchbook_book.course.server.store import is_full

DATABASES = ["sqlite"]
DATES = SimpleNamespace(opens=100.0, switches=200.0, closes=300.0)


@pytest.mark.parametrize(
    ("now", "phase"),
    [
        (99.9, phases.BEFORE),
        (100.0, phases.VALIDATION),
        (199.9, phases.VALIDATION),
        (200.0, phases.TEST),
        (299.9, phases.TEST),
        (300.0, phases.CLOSED),
        (1e9, phases.CLOSED),
    ],
)
def test_a_phase_begins_with_its_date(now, phase):
    assert phases.phase(DATES, now) == phase


def test_a_date_that_is_not_set_is_never_reached():
    assert phases.phase(SimpleNamespace(opens=None, switches=None, closes=None), 1e9) == "before"
    assert phases.phase(SimpleNamespace(opens=1.0, switches=None, closes=None), 1e9) == "validation"


def test_what_may_be_entered_and_what_is_told_by_phase():
    tasks = ("a/b/validation", "a/b/test-before", "a/b/test")
    table = {
        phase: (
            [task for task in tasks if task.rpartition("/")[2] in phases.TAKEN.get(phase, ())],
            [task for task in tasks if phases.losses_shown(phase, task)],
        )
        for phase in (phases.BEFORE, phases.VALIDATION, phases.TEST, phases.CLOSED)
    }
    assert table == {
        "before": ([], []),
        "validation": (["a/b/validation", "a/b/test-before"], ["a/b/validation"]),
        "test": (["a/b/test"], ["a/b/validation"]),
        "closed": (["a/b/test-before", "a/b/test"], list(tasks)),
    }


@pytest.mark.parametrize(
    ("text", "seconds"), [("+30m", 1800), ("+2h", 7200), ("+7d", 604_800), ("now", 0)]
)
def test_dates_from_now(text, seconds):
    before = time.time()
    result = phases.when(text, "opens")
    assert before + seconds <= result <= time.time() + seconds


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2030-05-17 12:00", 1905249600.0),
        ("2030-05-17T12:00:30Z", 1905249630.0),
        ("2030-05-17", 1905206400.0),
        ("2030-05-17T12:00", 1905249600.0),
        (" 2030-05-17 12:00:30 ", 1905249630.0),
        ("2030-05-17 13:00Z", 1905253200.0),
        ("2000-01-01", 946684800.0),
        ("", None),
    ],
)
def test_dates_are_in_utc(text, moment):
    assert phases.when(text, "opens") == moment
    if moment is not None:
        assert phases.readable(moment) == phases.readable(phases.when(text, "opens"))
    assert phases.readable(1905253230.0) == "2030-05-17 13:00 UTC"
    assert phases.readable(float("inf")) == "not set"


@pytest.mark.parametrize(
    "text", ["+5x", "30m", "+m", "+-1d", "+1.5h", "+٣d", "+1234567d", "+123456d", "1999-12-31"]
)
def test_what_is_no_date_is_refused(text):
    with pytest.raises(BenchbookError, match="must be a date in UTC"):
        phases.when(text, "opens")


def test_equal_dates_are_in_order_and_earlier_ones_are_not():
    phases.check_dates(1.0, 1.0, 1.0)
    phases.check_dates(None, 2.0, 2.0)
    for dates in ((2.0, 1.0, 3.0), (1.0, 3.0, 2.0), (2.0, None, 1.0)):
        with pytest.raises(BenchbookError):
            phases.check_dates(*dates)


def test_a_meter_lets_so_many_a_minute_through_each_key(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("benchbook_book.course.server.rules.time.monotonic", lambda: now[0])
    meter = Meter(3, keys=2)
    assert [meter.count("a") for _ in range(4)] == [True, True, True, False]
    assert meter.count("b")
    now[0] += 19.0
    assert not meter.count("a")
    now[0] += 1.5  # a third of a minute for each
    assert meter.count("a")
    assert not meter.count("a")
    now[0] += 600.0
    assert [meter.count("a") for _ in range(4)] == [True, True, True, False]
    meter.count("b")
    meter.count("c")  # the third key: the one that was seen least lately is forgotten
    assert [meter.count("a") for _ in range(3)] == [True, True, True]
    meter.count("c")  # so that a is the one that goes
    meter.count("b")
    assert meter.count("a")


def send(held, payload, rules):
    with held.store.writing() as session:
        ada = session.scalar(select(Participant).where(Participant.name == "Ada"))
        return intake.receive(session, ada, holding.named(session, "flats"), payload, rules).id


def refused(held, payload, **limits):
    with pytest.raises(Refused) as caught:
        send(held, payload, Rules(**limits))
    return caught.value.status


def test_a_submission_of_exactly_the_limit_is_taken_and_one_byte_more_is_not(held):
    held.dates(per_day="0")
    assert refused(held, b"x" * 101, upload=100) == 413
    send(held, b"x" * 100, Rules(upload=100, each=160, disk=260))
    assert refused(held, b"y" * 61, upload=100, each=160, disk=260) == 507
    send(held, b"y" * 60, Rules(upload=100, each=160, disk=160))
    assert refused(held, b"z", upload=100, each=1000, disk=160) == 507
    assert refused(held, b"", upload=100) == 400


def test_a_participant_reads_that_the_disk_is_full_and_what_to_do(held):
    held.dates(per_day="0")
    ada, program = held.browser("Ada"), held.program("Ada")
    with held.store._writer.connect() as connection:  # the pool has one, which keeps its limit
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    payload = held.zipped("validation", spread=20) + bytes(100_000)
    page = ada.submit(payload)
    assert page.status_code == 507
    for words in ("disk of the server is full", "Tell the organiser", "send it again later"):
        assert words in page.text
    answer = program.post("/api/challenges/flats/submissions", content=payload)
    assert (answer.status_code, "disk of the server is full" in answer.json()["error"]) == (
        507,
        True,
    )
    with held.store.reading() as session:
        assert not list(session.scalars(select(Submission)))


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OperationalError("INSERT", {}, Exception("database or disk is full")), True),
        (OperationalError("INSERT", {}, Exception("No space left on device")), True),
        (OperationalError("SELECT", {}, Exception("no such table: a")), False),
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (OSError(errno.ENOENT, "No such file"), False),
    ],
)
def test_a_full_disk_is_told_from_other_failures(error, full):
    assert is_full(error) is full


def test_so_many_may_wait_and_the_same_bytes_are_one(held):
    held.dates(per_day="0")
    rules = Rules(waiting=2)
    first = send(held, b"1", rules)
    assert send(held, b"1", rules) == first
    send(held, b"2", rules)
    assert refused(held, b"3", waiting=2) == 429
    assert send(held, b"1", rules) == first


def test_one_failure_after_the_other_leaves_the_queue_working(held, monkeypatch):
    held.dates(per_day="0")
    ada, sound = held.browser("Ada"), worker.work
    for spread in (40, 41, 42, 43):
        ada.submit(held.zipped("validation", spread=spread))
    raised = iter([BenchbookError("no"), MemoryError(), BenchbookError("again")])

    def work(job, rules):
        if (error := next(raised, None)) is not None:
            raise error
        return sound(job, rules)

    monkeypatch.setattr(worker, "work", work)
    assert held.settle() == 4
    with held.store.reading() as session:
        selected = list(session.scalars(select(Submission).order_by(Submission.id)))
        assert [item.status for item in selected] == [FAILED, FAILED, FAILED, SCORED]
        assert [item.claim for item in selected] == [None] * 4
        assert selected[0].note == "it could not be scored: no"
        assert selected[1].note == worker.TOO_LARGE
        assert selected[2].note == "it could not be scored: again"


def test_who_has_lost_a_claim_writes_nothing(held):
    held.dates(per_day="0")
    held.browser("Ada").submit(held.zipped("validation"))
    job = worker.claim(held.store)
    assert worker.claim(held.store) is None
    result = worker.work(job, held.rules)
    with held.store.writing() as session:
        session.get_one(Submission, job.number).claim = "another"
    assert not worker.record(held.store, job, *result)
    assert not worker.fail(held.store, job.number, job.claim, "no")
    assert worker.fail(held.store, job.number, "another", "yes")
