"""Teams of several people, entries chosen to count at the end, and the gradebook that follows from a teacher's rule."""

import polars as pl
import pytest
from click.testing import CliRunner
from sqlalchemy import select

from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook_book.course.server import holding, moderation, standings, tokens
from benchbook_book.course.server.models import Participant, Submission
from benchbook_book.course.server.store import Store

DATABASES = ["sqlite"]
RULE = "entered=1, below:baseline=1, beats:baseline=5, top:25%=3, near:1=2, late=-2"


def call(words, code=0):
    result = CliRunner().invoke(app, ["challenge", "server", *words])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def team(held, monkeypatch):
    """A team of two beside Ada and Ben, in the test phase; the tokens by name."""
    monkeypatch.setenv("BENCHBOOK_DATABASE", held.store.address.removeprefix("sqlite:///"))
    with held.store.writing() as session:
        made = dict(holding.invite_team(session, "Reds", ["Rosa", "Rudi"]))
    held.dates(opens="now", switches="now", closes="+1h")
    return made


def test_the_members_of_a_team_act_for_all_until_they_are_shut_out(held, team):
    with held.store.writing() as session:
        reds = {tokens.bearer(session, token).name for token in team.values()}
        assert reds == {"Reds"}
        for name in ("Rosa", "Reds"):
            with pytest.raises(BenchbookError, match="must be new"):
                holding.invite(session, [name])
        with pytest.raises(BenchbookError, match="Rudi is taken"):
            holding.set_name(session, moderation.find(session, "Ada"), "Rudi")
        (renewed,) = holding.renew(session, ["Rosa"])
        assert tokens.bearer(session, team["Rosa"]) is None
        assert tokens.bearer(session, renewed[1]).name == "Reds"
        assert tokens.bearer(session, team["Rudi"]).name == "Reds"
        moderation.shut_out(session, moderation.find(session, "Reds"))
        assert not any(tokens.bearer(session, token) for token in (renewed[1], team["Rudi"]))
        moderation.remove(session, moderation.find(session, "Reds"))
    with held.store.writing() as session:
        assert "Reds" not in holding.people(session).values()
        holding.invite(session, ["Rosa"])


def test_a_participant_chooses_two_entries_and_the_better_of_them_counts(held, team):
    held.dates(in_test=0)
    ada = held.browser("Ada")
    for name, shift in (("good", 0.0), ("middle", 60.0), ("bad", 150.0), ("last", 100.0)):
        ada.submit(held.zipped("test", name=name, shift=shift))
    held.settle()

    def counting():
        with held.store.reading() as session:
            challenge = holding.named(session, "flats")
            return [
                line.scored.name
                for line in standings.ranked(session, challenge)[0].lines
                if line.rank
            ]

    assert counting() == ["last"]
    for chosen, result in (([1], "good"), ([2, 3], "middle"), ([3], "bad"), ([], "last")):
        ada.fill("/c/flats/mine", counts=chosen)
        page = ada.get("/c/flats/mine").text
        assert page.count(" checked") == len(chosen)
        assert counting() == [result]
    for wrong, told in (
        ([1, 2, 3], "at most 2"),
        ([99], "no entry 99"),
        (["x"], "numbers of submissions"),
    ):
        assert told in ada.fill("/c/flats/mine", counts=wrong).text
    held.browser("Ben").submit(held.zipped("test", name="b"))
    assert "no entry 5" in ada.fill("/c/flats/mine", counts=[5]).text
    ada.fill("/c/flats/mine", counts=[2])
    held.dates(closes="now")
    assert "while the challenge is open" in ada.fill("/c/flats/mine", counts=[1]).text
    with held.store.reading() as session:
        assert session.scalars(select(Submission.id).where(Submission.counts)).all() == [2]


def test_a_gradebook_has_everybody_with_what_the_rule_gives(held, team, tmp_path):
    red = held.browser()
    red.sign_in(team["Rudi"])
    red.submit(held.zipped("test", name="near"))
    held.browser("Ada").submit(held.zipped("test", name="far", shift=9000))
    held.settle()
    held.dates(closes="now")
    held.browser("Ben").submit(held.zipped("test", name="tardy", shift=1))
    with held.store.writing() as session:
        holding.invite(session, ["Zoe", "=1+1"])
    held.settle()
    out = tmp_path / "grades.csv"
    call(["gradebook", "flats", "--out", str(out), "--points", RULE])
    book = pl.read_csv(out)
    rows = {row["participant"]: row for row in book.iter_rows(named=True)}
    assert {name: row["points"] for name, row in rows.items()} == {
        "'=1+1": 0.0,
        "Ada": 1.0,
        "Ben": -1.0,
        "Rosa": 12.0,
        "Rudi": 12.0,
        "Zoe": 0.0,
    }
    assert rows["Rosa"]["team"] == "Reds"
    assert (rows["Rudi"]["rank"], rows["Rudi"]["baseline"], rows["Rudi"]["late"]) == (
        1,
        "beaten",
        False,
    )
    assert (rows["Ada"]["rank"], rows["Ada"]["baseline"]) == (2, "not beaten")
    assert (rows["Ben"]["rank"], rows["Ben"]["late"], rows["Ben"]["entry"]) == (None, True, "tardy")
    assert rows["Zoe"]["entry"] is None
    assert rows["Rosa"]["NLPD"] < rows["Ada"]["NLPD"]
    assert rows["Rosa"]["NLPD standard error"] > 0
    assert set(book["points at most"]) == {12.0}
    for form, columns in (
        ("short", "name,points"),
        ("canvas", "Student,ID,SIS User ID,SIS Login ID,Section,Flats & rents"),
        (
            "nbgrader",
            "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
            "late_submission_penalty,score,max_score",
        ),
    ):
        call(["gradebook", "flats", "--out", str(out), "--points", RULE, "--form", form])
        head, *body = out.read_text().splitlines()
        assert head == columns
        assert len(body) == 6 + (form == "canvas")
        assert any("Rosa" in line and "12.0" in line for line in body)
    told = call(
        ["gradebook", "flats", "--out", str(out), "--points", "top:0=1, beats=2, late=1, late=2"], 2
    )
    assert "found 'top:0=1'" in told
    assert "found 'beats=2'" in told
    assert "must be there once" in told


def test_the_command_shows_the_tokens_of_a_team_and_a_backup_keeps_them(held, team, tmp_path):
    assert "Blues" in call(["team", "Blues", "Bea", "Bob", "--json"])
    call(["backup", str(tmp_path / "b.zip")])
    (tmp_path / "t.csv").write_text(held.table)
    other = ["--database", str(tmp_path / "other.sqlite")]
    call(["restore", str(tmp_path / "b.zip"), "--targets", str(tmp_path / "t.csv"), *other])
    again = Store(other[1])
    with held.store.reading() as session, again.reading() as restored:
        assert holding.people(session) == holding.people(restored)
        assert tokens.bearer(restored, team["Rosa"]).name == "Reds"
        assert holding.people(session)["Bea"] == "Blues"
        assert session.scalar(select(Participant.name).where(Participant.name == "Bea")) is None
    assert "must be new" in call(["team", "Greens", "Bea"], 2)
    again.close()
