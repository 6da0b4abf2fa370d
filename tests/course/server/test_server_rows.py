"""What is read from rows of the database and written to them: orders, limits and marks, without scoring anything."""

import asyncio
import io
import time
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import select, text
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.testclient import TestClient

from benchbook.errors import BenchbookError, FaultyInput
from benchbook_book.course.challenge.board_page import with_error
from benchbook_book.course.server import (
    backup,
    holding,
    intake,
    moderation,
    standings,
    supervisor,
    tokens,
    views,
    worker,
)
from benchbook_book.course.server.guard import HEADERS, ROOM, Guard, counted, same_site
from benchbook_book.course.server.models import (
    Challenge,
    Participant,
    Score,
    Stale,
    Submission,
    Visit,
)
from benchbook_book.course.server.rules import Rules

DATABASES = ["sqlite"]
VALIDATION = "flats/rent/validation"


@pytest.fixture
def session(held):
    """The database with a second challenge, to write in."""
    with held.store.writing() as session:
        holding.open_challenge(session, "other", held.table.encode(), {"opens": "now"})
        yield session


def one(session, model, **said):
    return session.scalars(select(model).filter_by(**said)).one()


def sent(session, team="Ada", slug="flats", phase="validation", status="scored", **more):
    """A submission that is there."""
    row = Submission(
        challenge_id=one(session, Challenge, slug=slug).id,
        participant_id=one(session, Participant, name=team).id,
        phase=phase,
        status=status,
        **({"size": 10, "digest": "d", "payload": b"x", "name": "mine"} | more),
    )
    session.add(row)
    session.flush()
    return row


def scored(session, row, loss, task=VALIDATION, refused=False):
    losses = {
        "values": {"NLPD": repr(loss), "CRPS": "2.5"},
        "units": {"NLPD": "nats", "CRPS": "euro"},
        "errors": {"NLPD": "0.25", "CRPS": None},
        "gain": ["0.5", "0.125"],
        "share": None,
        "remarks": [["spikes", "spikes were seen", True]] * refused,
    }
    session.add(Score(submission_id=row.id, task=task, ranking="NLPD", losses=losses, cases=b""))
    session.flush()


@pytest.mark.parametrize(("size", "status"), [(100 + ROOM, 200), (101 + ROOM, 413)])
def test_so_many_bytes_may_be_declared_and_sent(size, status):
    async def app(scope, receive, send):
        await Response("ok", headers={"cache-control": "max-age=9"})(scope, receive, send)

    def refuse(path, status, said, head):
        return Response(said, status, head)

    answer = TestClient(Guard(app, Rules(upload=100), refuse)).post("/", content=bytes(size))
    assert answer.status_code == status
    assert answer.headers.get_list("cache-control") == (
        ["max-age=9"] if status == 200 else [HEADERS["cache-control"]]
    )

    for declared in ("-1", "1e3"):
        client, head = (
            TestClient(Guard(app, Rules(upload=100), refuse)),
            {"content-length": declared},
        )
        assert client.post("/", content=b"", headers=head).status_code == 413

    async def message():
        return {"body": bytes(size - 1), "more_body": True} if not seen else {"body": b"x"}

    async def both():
        receive = counted(message, 100)
        await receive()
        seen.append(1)
        await receive()

    seen = []
    if status == 200:
        asyncio.run(both())
    else:
        with pytest.raises(HTTPException, match="at most 100 bytes are taken") as refused:
            asyncio.run(both())
        assert refused.value.status_code == 413


def test_requests_are_counted_by_address():
    guard = Guard(Response("ok"), Rules(requests=1), lambda path, status, *_: Response("", status))
    statuses = [
        TestClient(guard, client=(address, 1)).get("/").status_code for address in ("a", "b", "a")
    ]
    assert statuses == [200, 200, 429]


def test_of_a_form_without_a_file_so_much_is_read_as_a_form_may_have():
    async def message():
        return {"body": bytes(ROOM + 1)}

    with pytest.raises(HTTPException, match="at most 1 MiB are taken"):
        asyncio.run(counted(message)())


@pytest.mark.parametrize(
    ("head", "ours"),
    [
        ({"host": "a"}, True),
        ({"host": "a", "origin": "https://a"}, True),
        ({"host": "a", "origin": "https://b"}, False),
        ({"host": "a", "origin": "null"}, False),
        ({"host": "a", "sec-fetch-site": "none"}, True),
        ({"host": "a", "sec-fetch-site": "same-site"}, False),
        ({"host": "a", "sec-fetch-site": "cross-site", "origin": "https://a"}, False),
    ],
)
def test_forms_come_from_pages_of_ours(head, ours):
    assert same_site(head) == ours


@pytest.mark.parametrize(
    ("most", "beyond"),
    [
        ({"title": "x" * 200}, {"title": "x" * 201}),
        ({"title": " x "}, {"title": "  "}),
        ({"about": "x\r\n" + "y" * 19_998}, {"about": "x" * 20_001}),
        ({"message": "x" * 2000}, {"message": "x" * 2001}),
        ({"message": "two\nlines"}, {"message": "a\x00b"}),
        ({"per_day": "999999"}, {"per_day": "1000000"}),
        ({"in_test": " 0 "}, {"in_test": "٣"}),
        (
            {"opens": "2030-01-01", "closes": "2030-01-01"},
            {"opens": "2030-01-02", "closes": "2030-01-01"},
        ),
    ],
)
def test_texts_numbers_and_dates_of_a_challenge_have_limits(most, beyond):
    challenge = Challenge(title="t", per_day=7)
    holding.change(challenge, most)
    for key in set(most) - {"opens", "closes"}:
        assert str(getattr(challenge, key)) == most[key].replace("\r\n", "\n").strip()
    before = dict(vars(challenge))
    with pytest.raises(BenchbookError):
        holding.change(challenge, {**beyond, "enforce": True})
    assert {key: vars(challenge)[key] for key in before} == before
    late = Challenge(title="t", opens=2e9)
    with pytest.raises(
        BenchbookError, match="found opens 2033-05-18 03:33 UTC, switches not set, closes 2030"
    ):
        holding.change(late, {"closes": "2030-01-01"})


def test_names_of_challenges_and_participants(session, held):
    table = "\ufeff" + held.table.replace("\n", "\r\n")
    for slug in ("participants", "invite", "a" * 65, "-a", "A", "flats"):
        with pytest.raises(FaultyInput, match="name: found"):
            holding.open_challenge(session, slug, table.encode(), {})
    made = holding.open_challenge(session, "a" * 64, table.encode(), {})
    assert made.targets == held.table
    assert holding.name_rule("x" * 80) == ""
    assert all(map(holding.name_rule, ("x" * 81, "", " x", "a\tb")))
    with pytest.raises(FaultyInput, match="must be new"):
        holding.invite(session, ["Zoe", "Zoe"])
    holding.invite(session, ["second"], organiser=True)
    assert holding.first_organiser(session) == ""
    assert holding.renew_organiser(session)[0] == "organiser"
    one(session, Participant, name="organiser").name = None
    assert holding.renew_organiser(session)[0] == "second"
    one(session, Participant, name="second").name = None
    with pytest.raises(
        BenchbookError, match="there is no organiser yet; `benchbook challenge serve`"
    ):
        holding.renew_organiser(session)


def test_a_change_and_a_score_make_the_boards_stale(session):
    flats = one(session, Challenge, slug="flats")
    holding.changed(session, flats, {"message": "x"})
    assert one(session, Stale).challenge_id == flats.id
    assert one(session, Stale).since == pytest.approx(time.time(), abs=60)


def receive(session, payload, slug="flats", team="Ada", **limits):
    people, challenge = one(session, Participant, name=team), one(session, Challenge, slug=slug)
    return intake.receive(session, people, challenge, payload, Rules(**limits))


def test_the_same_bytes_are_one_of_a_challenge_unless_we_failed(session):
    first = receive(session, b"PK 1")
    assert receive(session, b"PK 1", slug="other").id != first.id
    assert receive(session, b"PK 1", team="Ben").id != first.id
    for status, again in (("faulty", False), ("failed", True)):
        first.status = status
        assert (receive(session, b"PK 1").id != first.id) == again


def test_what_counts_against_the_limits(session, held):
    ada, flats = one(session, Participant, name="Ada"), one(session, Challenge, slug="flats")
    holding.change(flats, {"per_day": "3"})
    sent(session)
    for other in (
        {"slug": "other"},
        {"team": "Ben"},
        {"phase": "test"},
        {"status": "faulty"},
        {"status": "failed"},
        {"status": "withdrawn"},
    ):
        sent(session, **other)
        assert intake.left(session, ada, flats) == 2
    for status in ("queued", "running"):
        sent(session, status=status)
    assert intake.left(session, ada, flats) == 0
    holding.change(flats, {"per_day": "1"})
    assert intake.left(session, ada, flats) == 0
    with pytest.raises(intake.Refused, match="the 1 submissions of this day"):
        receive(session, b"PK 2")
    holding.change(flats, {"per_day": "0"})
    assert intake.left(session, ada, flats) is None
    with pytest.raises(intake.Refused, match="2 submissions of yours are waiting") as refused:
        receive(session, b"PK 2", waiting=2)
    assert refused.value.status == 429
    sent(session, team="Ben", size=90)
    receive(session, b"PK 2", each=100)  # of which Ada's own take 60


def test_a_browser_stays_signed_in_for_thirty_days(session):
    ada = one(session, Participant, name="Ada")
    session.add(Visit(token_hash="old", participant_id=ada.id, expires=time.time() - 1))
    secret = tokens.begin(session, ada)
    session.flush()
    (visit,) = session.scalars(select(Visit))
    assert visit.expires == pytest.approx(time.time() + 30 * 86_400, abs=60)
    assert tokens.visitor(session, secret) is ada
    assert tokens.visitor(session, "x" * 201) is tokens.visitor(session, "") is None


def test_a_token_may_have_spaces_around_it(session, held):
    assert tokens.bearer(session, f" {held.tokens['Ada']}\n").name == "Ada"
    assert tokens.bearer(session, "") is None


def test_submissions_are_told_newest_first_and_methods_by_the_last(session):
    ada, flats = one(session, Participant, name="Ada"), one(session, Challenge, slug="flats")
    rows = [
        sent(session, method="old"),
        sent(session, method="new", exploit=True),
        sent(session, status="faulty", method="faulty"),
        sent(session, team="Ben", name="far", method="Ben's"),
        sent(session, team="Ben", name="near", method="again"),
    ]
    sent(session, slug="other", method="elsewhere")
    ids = [row.id for row in rows]
    own = views.submissions_view(session, ada, flats)
    assert [item["number"] for item in own] == ids[2::-1]
    every = views.entries_view(session, flats)
    assert [(item["team"], item["number"]) for item in every] == [
        ("Ben", ids[4]),
        ("Ben", ids[3]),
        *(("Ada", number) for number in ids[2::-1]),
    ]
    assert views.methods_view(session, flats) == [
        {"team": "Ada", "name": "mine", "method": "new", "exploit": True},
        {"team": "Ben", "name": "far", "method": "Ben's", "exploit": False},
        {"team": "Ben", "name": "near", "method": "again", "exploit": False},
    ]
    assert {person["name"]: person["submissions"] for person in moderation.people(session)} == {
        "Ada": 4,
        "Ben": 2,
        "organiser": 0,
    }


def test_losses_of_a_task_are_told_with_their_errors_and_only_in_their_phase(session):
    row = sent(session)
    scored(session, row, 1.5)
    scored(session, row, 3.0, task="flats/rent/test-before")
    tasks = views.submission_view(session, row, "validation")["tasks"]
    assert tasks == [
        {"task": "flats/rent/test-before", "told": False},
        {
            "task": VALIDATION,
            "told": True,
            "ranking": "NLPD",
            "units": {"NLPD": "nats", "CRPS": "euro"},
            "losses": {"NLPD": with_error(1.5, 0.25), "CRPS": with_error(2.5, None)},
            "gain": with_error(0.5, 0.125),
            "remarks": [],
        },
    ]
    row.status = "failed"
    assert views.submission_view(session, row, "validation")["tasks"] == []
    assert views.number(None) is None
    assert views.number("0.5") == 0.5


def test_scores_come_back_as_they_were(session):
    errors = {"NLPD": 0.25, "CRPS": None}
    scored = standings.Scored(
        "n", "we", "m", True, VALIDATION, None, {"NLPD": np.array([1.0, np.inf])}, {"NLPD": np.inf, "CRPS": 2.0},
        {"NLPD": "nats"}, (0.5, 0.25), None, (standings.Remark("k", "t", True),),
    )  # fmt: skip
    key = SimpleNamespace(asked=SimpleNamespace(kind="real"))
    for share in (None, 0.125):
        made = replace(scored, key=key, share=share)
        made.__dict__["error"] = errors.get
        kept = standings.as_score(made)
        assert kept.losses["errors"] == {"NLPD": "0.25", "CRPS": None}
        row = SimpleNamespace(name="n", method="m", exploit=True)
        back = standings.as_scored(kept, row, "Ada", SimpleNamespace(key={VALIDATION: key}.get))
        assert back.per_case["NLPD"].tolist() == [1.0, np.inf]
        for name in (
            "name",
            "method",
            "exploit",
            "task",
            "key",
            "values",
            "units",
            "gain",
            "share",
            "remarks",
        ):
            assert getattr(back, name) == getattr(made, name), name
        assert (back.team, kept.ranking) == ("Ada", "NLPD")


def test_of_each_the_best_entry_stands_among_validation_and_the_last_among_test_cases(
    session, monkeypatch
):
    flats = one(session, Challenge, slug="flats")
    for number, (loss, task, more) in enumerate(
        [
            (3.0, "validation", {}),
            (2.0, "validation", {}),
            (2.0, "validation", {}),
            (4.0, "validation", {"received": 0.0}),
            (5.0, "validation", {"team": "Ben"}),
            (1.0, "validation", {"phase": "late"}),
            (1.0, "validation", {"slug": "other"}),
            (1.0, "test-before", {}),
            (1.0, "test", {}),
            (9.0, "test", {}),
            (6.0, "test", {"team": "Ben", "counts": True}),
            (5.0, "test", {"team": "Ben", "counts": True}),
            (5.5, "test", {"team": "Ben", "counts": True}),
            (1.0, "test", {"team": "Ben"}),
        ]
    ):
        scored(session, sent(session, name=f"e{number}", **more), loss, f"flats/rent/{task}")
    monkeypatch.setattr(standings, "as_scored", lambda score, row, team, offers: (row.name, team))
    monkeypatch.setattr(standings, "boards", lambda *given: given)
    assert standings.ranked(session, flats) == (
        [("e1", "Ada"), ("e4", "Ben"), ("e7", "Ada"), ("e9", "Ada"), ("e11", "Ben")],
        False,
    )
    flats.enforce = True
    assert standings.ranked(session, flats)[1] is True


LINE = {
    "rank": 1,
    "name": "n",
    "team": "t",
    "before": False,
    "baseline": False,
    "exploit": False,
    "refused": "",
    "gain": 0.5,
    "gain_standard_error": 0.25,
    "losses": {"NLPD": 1.5, "CRPS": 3.0},
    "standard_errors": {"NLPD": 0.125, "CRPS": 0.5},
    "ranges": {"NLPD": "1"},
    "remarks": ["r"],
}


def test_a_line_of_a_board_has_the_error_of_each_loss_and_of_the_gain():
    told = views._line(LINE)
    assert told["losses"] == {"NLPD": with_error(1.5, 0.125), "CRPS": with_error(3.0, 0.5)}
    assert (told["gain"], told["marks"], told["remarks"]) == (with_error(0.5, 0.25), [], ["r"])
    base = views._line({**LINE, "baseline": True, "refused": "why", "exploit": True})
    assert (base["gain"], base["remarks"], base["refused"]) == ("", [], True)
    assert base["marks"] == ["exploit", "refused"]


def board(**losses):
    lines = [
        {
            **LINE,
            "name": name,
            "losses": {"NLPD": value},
            "baseline": name == "base",
            "refused": name == "out",
        }
        for name, value in losses.items()
    ]
    return {"lines": lines, "ranking_loss": "NLPD", "kind": "real"}


def test_lines_by_a_loss_have_its_ranks_equal_ones_the_same_and_refused_ones_come_last():
    made = board(out=0.0, a=2.0, base=1.5, b=1.0, c=2.0, ten=10.0, far="inf")
    lines = standings.sorted_lines(made, "NLPD")
    assert [(line["name"], line["rank"]) for line in lines] == [
        ("b", 1),
        ("base", None),
        ("a", 2),
        ("c", 2),
        ("ten", 4),
        ("far", 5),
        ("out", 1),
    ]
    made["lines"][0]["losses"]["Mine"] = 1.0
    made["lines"][1]["losses"]["nMSE"] = 1.0
    assert standings.codes(made) == ["NLPD", "nMSE", "Mine"]
    assert standings.plain({1: (float("inf"), 2.0)}) == {"1": ["inf", 2.0]}


def test_who_led_is_who_was_better_than_all_before(session):
    flats = one(session, Challenge, slug="flats")
    flats.enforce = True
    entries = [
        (5.0, 99.5, {}),
        (5.0, 99.0, {}),
        (1.0, 99.7, {"phase": "late"}),
        (4.0, 100.0, {}),
        (4.5, 101.0, {}),
        (0.5, 98.0, {"slug": "other"}),
    ]
    for number, (loss, received, more) in enumerate(entries):
        scored(session, sent(session, name=f"e{number}", received=received, **more), loss)
    scored(session, sent(session, name="out", received=300.0), 0.1, refused=True)
    scored(session, sent(session, name="test", received=300.0), 0.2, task="flats/rent/test")
    led = standings.leaders(session, flats, "validation")
    assert [(item["name"], item["loss"], item["when"]) for item in led] == [
        ("e1", 5.0, 99.0),
        ("e3", 4.0, 100.0),
    ]
    late = standings.late(session, flats)
    assert [
        (item["team"], item["name"], item["losses"]["NLPD"], item["errors"]["NLPD"])
        for item in late
    ] == [("Ada", "e2", "1.0", "0.25")]
    assert views.board_view(session, flats, "validation")["late"] == []
    assert views.board_view(session, flats, "test") is None
    assert views.board_view(session, flats, "other") is None
    flats.closes = 1.0
    (late,) = views.board_view(session, flats, "test")["late"]
    assert late == {
        "team": "Ada",
        "name": "e2",
        "task": VALIDATION,
        "received": "1970-01-01 00:01 UTC",
        "losses": {"NLPD": with_error(1.0, 0.25), "CRPS": with_error(2.5, None)},
    }


def test_an_unknown_loss_gives_the_board_by_the_one_that_ranks(session, held):
    flats = one(session, Challenge, slug="flats")
    session.add(
        standings.Standing(
            challenge_id=flats.id,
            portion="validation",
            board={**board(a=2.0), "units": {}, "cases": 8},
            made=0.0,
        )
    )
    for by, shown in (("", "NLPD"), ("nonsense", "NLPD")):
        view = views.board_view(session, flats, "validation", by)
        assert (view["by"], view["cases"]) == (shown, 8)


def test_what_comes_while_boards_are_made_makes_them_stale_once_more(held, monkeypatch):
    held.dates(message="x")
    with held.store.writing() as session:
        (first,) = session.scalars(select(Stale))
        number = first.challenge_id
        other = holding.open_challenge(session, "other", held.table.encode(), {})
        for challenge in (number, other.id):
            session.add(
                standings.Standing(challenge_id=challenge, portion="test", board={}, made=0.0)
            )

    def ranked(session, challenge):
        with held.store.writing() as other:
            other.merge(Stale(challenge_id=number, since=first.since + 1))
        return ()

    monkeypatch.setattr(standings, "ranked", ranked)
    standings.refresh(held.store, number)
    with held.store.reading() as session:
        assert [row.since for row in session.scalars(select(Stale))] == [first.since + 1]
    monkeypatch.setattr(standings, "ranked", lambda session, challenge: ())
    standings.refresh(held.store, number)
    assert not worker.one_board(held.store)
    with held.store.reading() as session:
        assert one(session, standings.Standing).challenge_id == number + 1, (
            "and no other's are gone"
        )


def test_only_what_is_claimed_and_running_is_recorded_and_faulty_bytes_are_dropped(held):
    with held.store.writing() as session:
        number = sent(session, status="queued").id
    job, report = (
        worker.claim(held.store),
        SimpleNamespace(
            as_data=lambda: {"faults": 1, "counts": 2, "shown": 3, "remarks": 4, "x": 5}
        ),
    )
    with held.store.writing() as session:
        one(session, Submission, id=number).status = "failed"
    assert not worker.record(held.store, job, None, report, ())
    with held.store.writing() as session:
        one(session, Submission, id=number).status = "running"
    assert worker.record(held.store, job, None, report, ())
    with held.store.reading() as session:
        row = one(session, Submission, id=number)
        assert (row.status, row.payload, row.claim) == ("faulty", None, None)
        assert row.faults == {"faults": 1, "counts": 2, "shown": 3, "remarks": 4}
        assert row.finished == pytest.approx(time.time(), abs=60)


def test_what_is_restored_is_scored_again_without_its_old_faults(held, ready, tmp_path):
    with held.store.writing() as session:
        for status in ("scored", "running", "queued", "failed", "withdrawn"):
            sent(
                session,
                status=status,
                faults={"faults": 3},
                payload=None if status == "withdrawn" else b"x",
            )
    assert backup.backup(held.store, tmp_path / "b.zip") == 4
    assert (tmp_path / "b.zip").stat().st_mode & 0o777 == 0o600
    (tmp_path / "t.csv").write_text(held.table)
    (tmp_path / "new.sqlite").write_bytes(ready.read_bytes())
    fresh = type(held.store)(str(tmp_path / "new.sqlite"))
    assert backup.restore(fresh, tmp_path / "b.zip", [tmp_path / "t.csv"]) == 3
    with fresh.reading() as session:
        rows = session.scalars(select(Submission).order_by(Submission.id)).all()
        assert [row.status for row in rows] == ["queued"] * 3 + ["failed", "withdrawn"]
        assert [row.faults for row in rows] == [{}] * 3 + [{"faults": 3}] * 2
    fresh.close()


@pytest.mark.parametrize(
    ("number", "since", "killed"),
    [(7, 0.0, False), (7, 1.5, True), (0, 5.0, False), (0, 11.0, True), (None, 99.0, False)],
)
def test_a_submission_has_its_seconds_and_a_board_ten_times_as_many(number, since, killed):
    kills = []
    process = SimpleNamespace(poll=lambda: None, kill=lambda: kills.append(1), wait=lambda: None)
    watching = supervisor.Supervisor(None, Rules(seconds=1))
    watching._stopping = SimpleNamespace(
        is_set=lambda: bool(looked), wait=lambda _: looked.append(1)
    )
    looked, state = [], supervisor._State()
    state.job = None if number is None else (number, "claim", time.monotonic() - since)
    assert watching._wait(process, state) == killed == bool(kills)


def test_a_submission_is_scored_again_once_when_its_process_died_and_not_when_it_took_too_long(
    held,
):
    keeper = supervisor.Supervisor(held.store, Rules())
    with held.store.writing() as session:
        died, long = (sent(session, status="running", claim="c").id for _ in range(2))

    def settled(number, claim="c", killed=False):
        with held.store.writing() as session:
            row = one(session, Submission, id=number)
            row.status, row.claim = "running", "c"
        keeper._settle((number, claim, 0.0), killed)
        with held.store.reading() as session:
            row = one(session, Submission, id=number)
            return row.status, row.claim, row.tries, row.note

    assert settled(died, "of another") == ("running", "c", 0, "")
    assert settled(died) == ("queued", None, 1, "")
    assert settled(died) == ("failed", None, 2, supervisor.DIED)
    assert settled(long, killed=True) == ("failed", None, 0, supervisor.TOO_LONG)
    keeper._settle((99, "c", 0.0), False)


@pytest.mark.parametrize(
    ("lines", "job"),
    [
        ("begin 7 abc\n", (7, "abc")),
        ("begin 7 abc\nnoise\nbegin x y\n", (7, "abc")),
        ("begin 7 abc\nend 7 abc\n", None),
        ("begin 7 abc\nend 7 abc\nbegin 0 board\n", (0, "board")),
    ],
)
def test_a_worker_says_what_it_is_at(lines, job):
    state = supervisor._State()
    supervisor._listen(SimpleNamespace(stdout=io.StringIO(lines)), state)
    assert (state.job and state.job[:2]) == job


def test_participants_and_entries_are_found_by_their_numbers(session):
    for number in range(12):
        holding.invite(session, [f"p{number}"])
    session.flush()
    assert moderation.find(session, "#10").id == 10
    row = sent(session)
    with pytest.raises(BenchbookError, match="there is no submission"):
        moderation.withdraw(session, row.id, one(session, Challenge, slug="other"))
    moderation.withdraw(session, row.id, one(session, Challenge, slug="flats"))
    assert (row.status, row.payload, row.claim) == ("withdrawn", None, None)


def test_an_export_has_the_faults_and_errors_of_its_challenge_alone(session, monkeypatch, tmp_path):
    flats = one(session, Challenge, slug="flats")
    sent(session, status="faulty", faults={"faults": 3}, name="bad")
    for slug, team in (("other", "Ada"), ("flats", "Ben")):
        scored(session, sent(session, slug=slug, team=team), 1.5)
    rows = backup._sent(session, flats).select("team", "name", "status", "faults").rows()
    assert rows == [("Ada", "bad", "faulty", 3), ("Ben", "mine", "scored", 0)]
    losses = backup._losses(session, flats)
    assert losses.select("team", "loss", "value", "standard_error", "unit").rows() == [
        ("Ben", "NLPD", 1.5, 0.25, "nats"),
        ("Ben", "CRPS", 2.5, None, "euro"),
    ]
    monkeypatch.setattr(standings, "ranked", lambda session, challenge: ())
    assert b"<title>Flats &amp; rents</title>" in backup.export(session, flats)["board.html"]
    names = ["board.html", "losses.csv", "losses.parquet", "submissions.csv", "submissions.parquet"]
    assert sorted(path.name for path in backup.export_folder(session, flats, tmp_path)) == names
    assert (
        (tmp_path / "losses.csv").read_text().startswith("number,team,name,phase,task,loss,value,")
    )
    with zipfile.ZipFile(io.BytesIO(backup.export_zip(session, flats))) as archive:
        assert sorted(archive.namelist()) == [f"flats/{name}" for name in names]


def test_so_many_tokens_are_made_at_once(held):
    boss = held.browser("organiser")
    names = "\n\n".join(f"p{number}" for number in range(400))
    assert boss.fill("/organise/invite", count="501").status_code == 400
    page = boss.fill("/organise/invite", count="100", names=names)
    assert page.status_code == 200
    assert page.text.count("<code>") >= 500
    assert boss.fill("/organise/invite", count="500").status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "text"), [("/favicon.ico", 204, ""), ("/health", 200, "ok\n")]
)
def test_what_browsers_and_monitors_ask_for_is_answered_shortly(held, path, status, text):
    answer = held.browser().get(path)
    assert (answer.status_code, answer.text) == (status, text)


def test_a_program_needs_a_name(held):
    with held.store.writing() as session:
        ((_, held.tokens["nobody"]),) = holding.invite(session, count=1)
    answer = held.program("nobody").get("/api/challenges")
    assert (answer.status_code, "choose the name" in answer.json()["error"]) == (403, True)


def test_sqlite_writes_what_it_says_it_has_written(held):
    with held.store.reading() as session:
        found = [
            session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert found == ["wal", 2, 1]
