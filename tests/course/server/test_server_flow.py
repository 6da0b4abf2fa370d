"""A challenge from the first visit to the closing board, on both databases."""

import io
import time
import zipfile

import pytest
from sqlalchemy import select, update

from benchbook.errors import FaultyInput
from benchbook_book.course.challenge.client import Server, submit
from benchbook_book.course.server import holding, standings
from benchbook_book.course.server.models import Score, Submission


def faulty(payload: bytes) -> bytes:
    """The same submission with a variance of nought, a case that is none, and a line of words."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(payload)) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name.endswith(".txt"):
                lines = content.decode().splitlines()
                lines[1], lines[2], lines[3] = "f24 1 0", "f999 1 1", "f26 one two"
                content = "\n".join(lines).encode()
            else:  # who changes a file takes its checksum out
                lines = content.decode().splitlines(keepends=True)
                content = "".join(line for line in lines if "sha256" not in line).encode()
            after.writestr(name, content)
    return changed.getvalue()


def test_a_challenge_is_played_from_the_first_visit_to_the_closing_board(held):
    ada, ben = held.browser("Ada"), held.browser("Ben")
    assert "Flats &amp; rents" in ada.get("/").text
    page = ada.get("/c/flats").text
    assert "flats/rent/validation" in page
    assert "20 more submissions today" in page
    data = ada.get("/c/flats/data.zip")
    with zipfile.ZipFile(io.BytesIO(data.content)) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == {
            "training.csv",
            "validation.csv",
            "test.csv",
            "cases.csv",
            "README.md",
            "example/manifest.toml",
            "example/flats-rent-validation.txt",
        }
    good = held.zipped("validation")
    waiting = ada.submit(faulty(good))
    assert "queued" in waiting.text
    assert waiting.headers["refresh"] == "2"
    assert held.settle() == 1
    text = ada.get(waiting.url).text
    assert "5 faults" in text
    for fault in ("must be greater than 0", "f999", "one", "two", "f25"):
        assert fault in text
    ada.submit(good)
    ben.submit(held.zipped("validation", shift=500, name="far"))
    assert held.settle() == 2
    board = ada.get("/c/flats/board").text
    assert [name for name in ("mine", "baseline", "far") if name in board] == [
        "mine",
        "baseline",
        "far",
    ]
    assert board.index(">mine<") < board.index(">baseline<") < board.index(">far<")
    assert '<img src="/c/flats/board-validation.svg"' in board
    assert ada.get("/c/flats/board-validation.svg").text.startswith("<svg")
    assert "sha256" not in board
    assert "9 times the area, and 500 more." in ada.get("/c/flats/methods").text
    again = ada.get("/c/flats/board?by=CRPS").text
    assert 'aria-sort="ascending"><a href="?part=validation&amp;by=CRPS"' in again
    assert "told when the challenge is closed" in ada.get("/c/flats/board?part=test").text
    _test_phase(held, ada, ben)


def _test_phase(held, ada, ben):
    held.dates(switches="now", in_test="2")
    ada.released = ben.released = True
    data = ben.get("/c/flats/data.zip").content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert held.hidden["validation"][0] in archive.read("flats/validation-targets.csv").decode()
    refused = ada.submit(held.zipped("validation", spread=41))
    held.settle()
    assert "must be a task of this challenge" in ada.get(refused.url).text
    sent = ada.submit(held.zipped("test"))
    ben.submit(held.zipped("test", shift=20, name="late-bloomer"))
    held.settle()
    assert "told when the challenge is closed" in ada.get(sent.url).text
    assert ada.get("/c/flats/board-test.svg").status_code == 404
    ada.submit(held.zipped("test", spread=50))
    assert (
        "you have sent the 2 submissions of the test phase"
        in ada.submit(held.zipped("test", spread=60)).text
    )
    held.dates(closes="now")
    late = ben.submit(held.zipped("test", spread=30, name="too-late"))
    held.settle()
    board = ada.get("/c/flats/board").text
    assert board.index("late-bloomer") < board.index("Late entries") < board.index("too-late")
    assert "gain over the baseline" not in board
    assert "Information gained" in ada.get(sent.url).text
    assert "late" in ben.get(late.url).text


@pytest.mark.parametrize(
    ("dates", "said", "takes"),
    [
        ({"opens": "+7d"}, "Nothing is taken yet. The challenge opens 20", False),
        ({"opens": ""}, "Nothing is taken yet. There is no date for the opening yet.", False),
        ({"per_day": "3"}, "3 left today.", True),
        ({"switches": "now", "in_test": "2"}, "2 left.", True),
        (
            {"closes": "now"},
            "still taken and scored on the test cases, but it is marked late and not ranked",
            True,
        ),
    ],
)
def test_the_form_says_whether_and_as_what_an_entry_is_taken(held, dates, said, takes):
    held.dates(**dates)
    ada = held.browser("Ada")
    ada.released = "switches" in dates or "closes" in dates
    page = ada.get("/c/flats/submit").text
    assert said in page
    assert ('type="file"' in page) == takes
    assert ("marked late" in page) == ("closes" in dates)
    assert ada.submit(held.zipped("test")).status_code == (200 if takes else 409)


class Near(Server):
    """What `submit` talks to, and it reaches the server without a network."""

    def __init__(self, held):
        super().__init__("http://testserver/c/flats", held.tokens["Ada"])
        self.program = held.program()

    def _ask(self, path, body=None):
        answer = self.program.get(path) if body is None else self.program.post(path, content=body)
        assert answer.status_code < 400, answer.text
        return answer.content


def test_what_the_phase_does_not_take_is_refused_before_it_is_sent(held, tmp_path):
    near, message = Near(held), []
    for task in ("validation", "test"):
        (tmp_path / f"{task}.zip").write_bytes(held.zipped(task))
    assert submit(near, tmp_path / "validation.zip", message.append, wait=0)["status"] == "queued"
    assert message[0] == "checked here: no fault, and for the phase that is now, validation"
    with pytest.raises(
        FaultyInput, match=r"phase of flats is validation: .* flats/rent/validation, flats/"
    ):
        submit(near, tmp_path / "test.zip", message.append, wait=0)
    held.dates(switches="now")
    near.program.released = True
    with pytest.raises(FaultyInput) as refused:
        submit(near, tmp_path / "validation.zip", message.append, wait=0)
    (fault,) = refused.value.faults
    assert (fault.where, fault.found) == ("manifest.toml, task", "'flats/rent/validation'")
    assert fault.rule == "must be one that flats takes now: flats/rent/test"
    assert "Nothing was sent. The phase of flats is test" in str(refused.value)
    assert submit(near, tmp_path / "test.zip", message.append, wait=0)["phase"] == "test"
    assert len(near.program.get("/api/challenges/flats/submissions").json()) == 2


def test_a_participant_who_was_invited_without_a_name_chooses_one(held):
    with held.store.writing() as session:
        ((_, token),) = holding.invite(session, count=1)
    guest = held.browser()
    assert "Your name" in guest.sign_in(token).get("/c/flats").text
    assert "Ada is taken" in guest.fill("/name", name="Ada").text
    assert guest.fill("/name", name="  Cleo   and Dan ").status_code == 200
    assert "Cleo and Dan" in guest.get("/").text
    assert "ask the organiser for another name" in guest.fill("/name", name="Eve").text


def test_an_organiser_opens_a_challenge_invites_and_exports(held):
    boss = held.browser("organiser")
    output = boss.fill(
        "/organise", name="Bad Name", files={"table": ("t.csv", b"case,phase\n", "text/csv")}
    ).text
    assert "must be 1 to 64 small letters" in output
    output = boss.fill(
        "/organise", name="new", files={"table": ("t.csv", b"case,phase\n", "text/csv")}
    ).text
    assert "must be case,phase,target" in output
    table = "case,phase,target,x\n" + "".join(
        f"c{i},{'test' if i > 12 else 'training'},{i % 5},{i}\n" for i in range(20)
    )
    page = boss.fill(
        "/organise",
        name="new",
        title="<b>New</b>",
        opens="now",
        per_day="3",
        files={"table": ("t.csv", table.encode(), "text/csv")},
    )
    assert page.url.path == "/organise/new"
    assert "&lt;b&gt;New&lt;/b&gt;" in page.text
    output = boss.fill(
        "/organise/new",
        title="",
        about="x",
        message="Hello\nyou",
        opens="soon",
        switches="",
        closes="",
        per_day="-1",
        in_test="3",
    ).text
    assert all(word in output for word in ("title: found", "opens: found", "per_day: found"))
    assert (
        boss.fill(
            "/organise/new",
            title="N",
            about="x",
            message="Hello\nyou",
            opens="2030-01-01",
            switches="",
            closes="",
            per_day="1",
            in_test="3",
            enforce="yes",
        ).status_code
        == 200
    )
    assert "2030-01-01 00:00 UTC" in held.browser("Ada").get("/c/new").text
    shown = boss.fill("/organise/invite", names="Eve\nFay", count="2").text
    assert shown.count("<code>") - shown.count("<code>case") >= 4
    assert "must be new" in boss.fill("/organise/invite", names="Eve").text
    assert (
        "must be that of a participant"
        in boss.fill("/organise/invite", names="Nobody", renew="yes").text
    )
    held.browser("Ada").submit(held.zipped("validation"))
    held.settle()
    with zipfile.ZipFile(io.BytesIO(boss.get("/organise/flats/all.zip").content)) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == {
            "submissions.csv",
            "submissions.parquet",
            "losses.csv",
            "losses.parquet",
            "board.html",
        }
        assert b",mine," in archive.read("flats/losses.csv")
    assert held.browser("Ada").get("/organise").status_code == 404
    assert held.browser("Ada").get("/organise/flats/all.zip").status_code == 404


@pytest.mark.parametrize(
    "path", ["/c/flats", "/c/flats/data.zip", "/c/flats/mine", "/c/flats/board", "/organise"]
)
def test_who_has_no_token_is_sent_to_sign_in(held, path):
    assert held.browser().get(path).url.path == "/login"


def test_before_it_opens_there_is_nothing_to_get_and_nothing_is_taken(held):
    held.dates(opens="2040-01-01 08:00")
    ada = held.browser("Ada")
    for path in ("data.zip", "board-validation.svg"):
        assert ada.get(f"/c/flats/{path}").status_code in (404, 409)
    assert (
        "is not open yet; it opens 2040-01-01 08:00 UTC"
        in ada.submit(held.zipped("validation")).text
    )
    assert "told when the challenge opens" in ada.get("/c/flats/board").text


def test_the_limit_of_a_day_counts_good_submissions_only(held):
    held.dates(per_day="2")
    ada = held.browser("Ada")
    ada.submit(b"PK no zip")
    held.settle()
    for spread in (40, 41):
        ada.submit(held.zipped("validation", spread=spread))
        held.settle()
    assert "the 2 submissions of this day" in ada.submit(held.zipped("validation", spread=42)).text
    assert "0 left today" in ada.get("/c/flats/submit").text
    held.dates(per_day="0")
    assert "There is no limit" in ada.get("/c/flats/submit").text


@pytest.mark.parametrize(("after", "left"), [(-1.0, 1), (0.5, 0)])
def test_the_day_of_a_limit_begins_at_midnight_of_utc(held, after, left):
    """What was sent a second before is yesterday's, and what was sent half a second after is today's."""
    held.dates(per_day="1")
    ada = held.browser("Ada")
    ada.submit(held.zipped("validation"))
    held.settle()
    midnight = time.time() // 86_400 * 86_400
    with held.store.writing() as session:
        session.execute(update(Submission).values(received=midnight + after))
    assert f"{left} left today" in ada.get("/c/flats/submit").text
    text = ada.submit(held.zipped("validation", spread=50)).text
    assert ("the 1 submissions of this day; days end at midnight UTC" in text) == (not left)


@pytest.mark.parametrize(("enforce", "names"), [(True, ["first"]), (False, ["first", "spiky"])])
def test_an_entry_that_is_refused_never_led(held, enforce, names):
    held.browser("Ada").submit(held.zipped("validation", name="first", shift=30))
    held.browser("Ben").submit(held.zipped("validation", name="spiky"))
    held.settle()
    with held.store.writing() as session:
        challenge = holding.named(session, "flats")
        challenge.enforce = enforce
        for score in session.scalars(
            select(Score).join(Submission).where(Submission.name == "spiky")
        ):
            score.losses = {**score.losses, "remarks": [["spikes", "spikes were seen", True]]}
    with held.store.reading() as session:
        challenge = holding.named(session, "flats")
        result = standings.leaders(session, challenge, "validation")
        (board,) = standings.ranked(session, challenge)
    assert [item["name"] for item in result] == names
    held_lines = [line for line in board.lines if not line.baseline]
    assert [line.scored.name for line in held_lines] == ["first", "spiky"][:: 1 if enforce else -1]
    assert [line.rank for line in held_lines] == ([1, None] if enforce else [1, 2])
    assert [bool(line.refused) for line in held_lines] == (
        [False, True] if enforce else [False] * 2
    )


@pytest.mark.parametrize("word", ["%00", "%F0%9F%A6%8A", "a%0ab", "%ED%A0%80", "a" * 5000])
def test_names_that_a_database_would_not_take_are_unknown(held, word):
    assert held.browser("Ada").get(f"/c/{word}").status_code == 404
    assert held.program().get(f"/api/challenges/{word}").status_code == 404


@pytest.mark.parametrize("name", ["a\0b", "a\x1bb", "\u202egnp", ""])
def test_names_that_cannot_be_printed_are_refused(held, name):
    boss = held.browser("organiser")
    if name:
        assert (
            "must be a name of 1 to 80 printable characters"
            in boss.fill("/organise/invite", names=name).text
        )
    with held.store.writing() as session:
        ((_, token),) = holding.invite(session, count=1)
    guest = held.browser().sign_in(token)
    assert "must be a name of 1 to 80 printable characters" in guest.fill("/name", name=name).text
    assert guest.post("/login", data={"token": name}).status_code == 403


def test_faults_of_strange_files_are_kept(held):
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        archive.writestr("manifest.toml", "name = '\\u0001'\n\u007f = 1\x01")
        archive.writestr("a\x01\x7f\u202e\U0001f98a.txt", "\0\x01")
        archive.writestr("..\\b", "x")
    url = held.browser("Ada").submit(packed.getvalue()).url
    held.settle()
    assert "faults</h2>" in held.browser("Ada").get(url).text
