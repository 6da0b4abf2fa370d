"""Participants renamed, shut out and removed, and entries withdrawn, by pages and by commands; boards say so."""

import re

import pytest
from click.testing import CliRunner
from sqlalchemy import func, select

from benchbook.cli import app
from benchbook_book.course.server import holding, worker
from benchbook_book.course.server.models import Participant, Score, Submission

DATABASES = ["sqlite"]


@pytest.fixture
def played(held, monkeypatch):
    """Two have entered, Ada with the better entry."""
    monkeypatch.setenv("BENCHBOOK_DATABASE", held.store.address.removeprefix("sqlite:///"))
    held.browser("Ben").submit(held.zipped("validation", name="far", shift=90))
    held.browser("Ada").submit(held.zipped("validation", name="near"))
    held.settle()
    return held


def call(words, code=0):
    result = CliRunner().invoke(app, ["challenge", "server", *words])
    assert result.exit_code == code, result.output
    return result.output


def board(held, who="Ben"):
    held.settle()
    view = held.program(who).get("/api/challenges/flats/board/validation").json()
    entries = [(line["team"], line["name"]) for line in view["lines"] if not line["baseline"]]
    return entries, [line["text"] for line in view["log"]]


def test_commands_rename_withdraw_shut_out_and_remove(played):
    assert "Ada" in call(["participants"])
    assert call(["rename", "Ada", "Eve"]) == "Ada is called Eve now.\n"
    assert board(played) == ([("Eve", "near"), ("Ben", "far")], ["Ada is called Eve now."])
    assert call(["withdraw", "2"]) == "Entry 2 of Eve was withdrawn.\n"
    assert board(played)[0] == [("Ben", "far")]
    ada = played.browser("Ada")
    assert call(["shut-out", "Eve"]) == "The token of Eve was shut out.\n"
    assert ada.get("/c/flats").url.path == "/login"
    assert played.program("Ada").get("/api/challenges").status_code == 401
    assert call(["remove", "Eve", "--yes"]) == "Eve was removed, with 1 submission.\n"
    entries, log = board(played)
    assert entries == [("Ben", "far")]
    assert log[0] == "Eve was removed, with 1 submission."
    assert len(log) == 4
    assert "Eve was removed" in played.browser("Ben").get("/c/flats/board").text
    with played.store.reading() as session:
        assert session.scalar(select(func.count(Submission.id))) == 1


def test_what_is_done_to_somebody_who_has_entered_nothing_is_on_no_board(played):
    with played.store.writing() as session:
        holding.invite(session, ["Cleo"], 1)
    assert call(["rename", "Cleo", "Zoe"]) == "Cleo is called Zoe now.\n"
    assert board(played)[1] == []


def test_a_command_does_all_or_nothing_and_says_what_is_wrong(played):
    for words, message in (
        (["remove", "Ada", "Nobody", "--yes"], "there is no participant 'Nobody'"),
        (["shut-out", "organiser"], "nobody else organises"),
        (["rename", "Ada", "Ben"], "Ben is taken"),
        (["rename", "#99", "Eve"], "there is no participant '#99'"),
        (["withdraw", "1", "7"], "there is no submission 7 to withdraw"),
    ):
        assert message in call(words, code=2)
    assert board(played) == ([("Ada", "near"), ("Ben", "far")], [])
    call(["withdraw", "1"])
    assert "there is no submission 1 to withdraw" in call(["withdraw", "1"], code=2)


def test_challenges_are_listed_and_an_unknown_one_leads_there(played):
    assert "flats" in call(["list"])
    output = call(["message", "flat", "hello"], code=2)
    assert "See them all with `benchbook challenge server list`." in output


def test_a_backup_writes_over_nothing(played, tmp_path):
    path = tmp_path / "class.zip"
    path.write_bytes(b"marks")
    assert "exists already" in call(["backup", str(path)], code=2)
    assert path.read_bytes() == b"marks"


def test_who_has_no_name_yet_goes_by_number(played):
    token = re.search(r"\S{32}", call(["invite", "--count", "1"]))[0]
    with played.store.reading() as session:
        last = session.scalar(select(func.max(Participant.id)))
    assert call(["shut-out", f"#{last}"]) == f"The token of participant #{last} was shut out.\n"
    assert played.browser().post("/login", data={"token": token}).status_code == 403


def test_a_withdrawn_entry_is_told_to_its_sender_does_not_count_and_does_not_come_back(played):
    played.dates(per_day="1")
    call(["withdraw", "2"])
    ada = played.browser("Ada")
    assert "the organiser has withdrawn it" in ada.get("/c/flats/mine/2").text
    program = played.program("Ada")
    again = played.zipped("validation", name="other")
    assert program.post("/api/challenges/flats/submissions", content=again).status_code == 202
    with played.store.reading() as session:
        assert session.scalars(select(Score.submission_id)).all() == [1]


def test_an_entry_that_is_withdrawn_while_it_is_scored_stays_withdrawn(played):
    played.browser("Ben").submit(played.zipped("validation", name="third"))
    job = worker.claim(played.store)
    call(["withdraw", "3"])
    assert not worker.record(played.store, job, *worker.work(job, played.rules))
    with played.store.reading() as session:
        assert session.get_one(Submission, 3).status == "withdrawn"


def test_late_entries_have_their_standard_errors(played):
    played.dates(switches="now", closes="now")
    played.program().post("/api/challenges/flats/submissions", content=played.zipped("test"))
    played.settle()
    (late,) = played.program().get("/api/challenges/flats/board/test").json()["late"]
    assert "±" in late["losses"]["NLPD"]
