"""Handlers called one by one, without a browser: who may ask, what they hand to their pages, and what they refuse."""

import io
import json
import re
import zipfile
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from printed import held as same
from printed import shown
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook_book.course.server import (
    app,
    guard,
    holding,
    interface,
    moderation,
    organising,
    pages,
    site,
    supervisor,
    tokens,
    views,
    worker,
)
from benchbook_book.course.server.intake import Refused
from benchbook_book.course.server.models import Participant, Standing, Submission
from benchbook_book.course.server.rules import Meter, Rules

DATABASES = ["sqlite"]
FILE = Path(__file__).with_name("held.txt")


@pytest.fixture
def session(held):
    """The database with a second challenge."""
    with held.store.writing() as session:
        holding.open_challenge(session, "other", held.table.encode(), {"opens": "now"})
        yield session


def sent(session, team="Ada", slug="flats", **more):
    """A submission that is there."""
    row = Submission(
        challenge_id=holding.named(session, slug).id,
        participant_id=moderation.find(session, team).id,
        **(
            {"phase": "validation", "status": "scored", "size": 10, "digest": "d", "name": "mine"}
            | more
        ),
    )
    session.add(row)
    session.flush()
    return row


def call(session, slug="flats", asker="Ada", path=(), query=(), where=None, **form):
    """A request with a form, whose page is what is handed to it."""
    me = moderation.find(session, asker)
    return SimpleNamespace(
        session=session,
        participant=me,
        me=me,
        secret="s",
        site=where,
        address="10.0.0.1",
        challenge=holding.named(session, slug),
        path=dict(path).get,
        request=SimpleNamespace(
            query_params=dict(query), base_url="http://a/", state=SimpleNamespace(body=b"PK 3")
        ),
        text=lambda name: form.get(name, ""),
        file=lambda name: form.get(name, b""),
        page=lambda template, status=200, **values: SimpleNamespace(
            status_code=status, headers={}, body=values, template=template
        ),
    )


VALIDATION, TEST = {"path": {"part": "validation"}}, {"path": {"part": "test"}}
NEW = {"name": " new ", "opens": "2040-01-01", "per_day": "", "title": "N"}
FIELDS = ("title", "about", "message", "opens", "switches", "closes", "per_day", "in_test")
CHANGED = dict(zip(FIELDS, ("M", "a", "m", "2040-01-02", "2040-01-03", "", "7", "8"), strict=True))
ROOMS = {"pages": pages, "interface": interface, "organising": organising}
STEPS = [
    ("pages.index", {}),
    ("pages.challenge", {}),
    *(
        ("pages.submission", {"path": {"number": str(number)}})
        for number in (1, 2, 3, 4, 5, 1 << 31)
    ),
    ("pages.submission", {"slug": "other", "path": {"number": "1"}}),
    ("pages.picture", VALIDATION),
    ("pages.picture", TEST),
    ("pages.picture", {"slug": "other", **VALIDATION}),
    ("pages.mine", {}),
    ("pages.methods", {}),
    *(("pages.login", {"token": token}) for token in ("Ada", " nameless ", "x", "x")),
    ("pages.logout", {}),
    ("pages.submit", {"zip": b""}),
    ("pages.submit", {"zip": b"PK 1"}),
    ("interface.send", {}),
    ("interface.send", {}),
    ("pages.submit", {"zip": b"PK 2"}),
    ("interface.challenges", {}),
    ("interface.challenge", {}),
    ("interface.sent", {}),
    ("interface.submission", {"path": {"number": "3"}}),
    ("interface.board", TEST),
    ("interface.board", {**VALIDATION, "query": {"by": "CRPS"}}),
    *(
        ("organising.participant", {"who": who, "do": what, "name": name, "sure": sure})
        for who, what, name, sure in (
            ("2", "remove", "", "no"),
            ("2", "", "", ""),
            ("2", "rename", "Ada", ""),
            ("99", "shut", "", ""),
            ("3", "remove", "", "yes"),
            (" 2 ", "rename", "Eve", ""),
            ("2", "shut", "", ""),
            ("2", "remove", "", "yes"),
        )
    ),
    ("organising.invited", {"names": " Zoe  B \n\nFay", "count": " 2 "}),
    ("organising.invited", {"names": "Fay\nFay\nZoe  B", "renew": "yes"}),
    *(("organising.invited", {"count": count}) for count in ("501", "x", "٣")),
    ("organising.opened", NEW),
    ("organising.opened", NEW),
    ("organising.changed", {"slug": "new", **CHANGED, "enforce": "yes"}),
    ("organising.challenge", {"slug": "new"}),
    (
        "organising.changed",
        {"slug": "new", **CHANGED, "enforce": "no", "opens": "", "per_day": "-"},
    ),
    ("organising.changed", {"slug": "new", **CHANGED, "enforce": "no", "opens": ""}),
    ("organising.challenge", {"slug": "new"}),
    *(("organising.withdrawn", {"number": number}) for number in ("x", "6", "3")),
    ("organising.challenge", {}),
    ("organising.exported", {}),
]


def test_what_is_answered_to_one_request_after_the_other_is_held(session, held):
    """Queued, running, scored and failed entries are there, one of Ben's and one to another challenge."""
    for status in ("queued", "running", "scored", "failed"):
        sent(session, status=status)
    sent(session, "Ben", method="Ben's")
    sent(session, slug="other")
    line = dict.fromkeys(("rank", "name", "before", "baseline", "exploit", "refused", "gain"), 0)
    line |= {"team": "t", "gain_standard_error": 0.5, "losses": {"NLPD": 1.5, "CRPS": "inf"}}
    line |= {"standard_errors": {"NLPD": 0.25}, "ranges": {"NLPD": "1"}, "remarks": ["r"]}
    board = {"lines": [line], "ranking_loss": "NLPD", "kind": "real", "units": {"NLPD": "nats"}}
    for number, part, picture in (
        (1, "validation", "<svg>"),
        (1, "test", "<g>"),
        (2, "validation", ""),
    ):
        session.add(
            Standing(challenge_id=number, portion=part, board=board, picture=picture, made=0.0)
        )
    known = {"Ada": held.tokens["Ada"], " nameless ": f" {holding.invite(session, count=1)[0][1]} "}
    where = SimpleNamespace(rules=Rules(), uploads=Meter(3), logins=Meter(1), cookie="benchbook")
    for at, (name, more) in enumerate(STEPS):
        room, _, handler = name.partition(".")
        given = {"token": known.get(more.get("token"), "x"), "table": held.table.encode()} | {
            key: value for key, value in more.items() if key != "token"
        }
        try:
            answer = getattr(ROOMS[room], handler)(call(session, where=where, **given))
            body = answer.body if room != "organising" or isinstance(answer.body, dict) else ""
            text = f"{answer.status_code} {dict(answer.headers)}\n{shown(body)}\n"
        except (HTTPException, Refused) as error:
            text = f"refused: {error} {site.http_error(error)}\n"
        for found, plain in (
            (r"20[2][0-9]-\d\d-\d\d \d\d:\d\d", "WHEN"),
            (r"[\w-]{32}", "TOKEN"),
            (r"expires=[^;]*; ", ""),
            (r"(?i)'(date|content-length)': '[^']*',? ?", ""),
            (r"[}],", "},\n"),
        ):
            text = re.sub(found, plain, text)
        same(FILE, f"{at} {name} {more}"[:150].replace("\n", " "), text)


def test_who_may_ask_for_what_is_held(monkeypatch):
    monkeypatch.setattr(app, "html", lambda site, handler, *given: (handler.__name__, *given))
    monkeypatch.setattr(app, "api", lambda site, handler, writes: (handler.__name__, writes))
    monkeypatch.setattr(app, "Route", lambda path, end, methods: f"{methods} {path} {end}\n")
    lines = [line for line in app._routes(None) if "function" not in line]
    same(FILE, "routes", "".join(lines).replace("'", ""))


@pytest.mark.parametrize(
    ("dates", "tasks", "released"),
    [
        ({"opens": "2040-01-01"}, [], None),
        ({}, ["validation", "test-before"], False),
        ({"switches": "now"}, ["test"], True),
        ({"closes": "now"}, ["test", "test-before"], True),
    ],
)
def test_tasks_and_data_by_phase(session, dates, tasks, released):
    challenge = holding.named(session, "flats")
    holding.change(challenge, dates)
    page = pages.challenge(call(session))
    assert [item["task"] for item in page.body["tasks"]] == [f"flats/rent/{task}" for task in tasks]
    assert page.body["closed"] == ("closes" in dates)
    if released is None:
        with pytest.raises(Refused, match="it opens 2040-01-01 00:00 UTC") as refused:
            views.data_zip(challenge)
        assert refused.value.status == 409
        return
    with zipfile.ZipFile(io.BytesIO(views.data_zip(challenge))) as archive:
        assert ("flats/validation-targets.csv" in archive.namelist()) == released
    assert views.cases_csv(challenge).startswith(b"# task = flats/rent\n")
    part = pages.board(call(session)).body["part"]
    assert part == ("test" if "closes" in dates else "validation")
    assert pages.board(call(session, query={"part": "test"})).body["part"] == "test"


def test_names_and_numbers_of_participants_are_told_apart(session):
    assert holding.invite(session, [" 2  3 ", "7"])[0][0] == "2 3"
    session.flush()
    assert moderation.find(session, "7").name == "7"
    assert moderation.find(session, " #1 ").name == "Ada"
    asked, looked = [], []
    unasked = SimpleNamespace(get=lambda *given: asked.append(given), scalar=looked.append)
    for who in ("#999999999", "#1234567890", "#x", "#", "a\0b"):
        with pytest.raises(BenchbookError, match=re.escape(f"there is no participant {who!r}")):
            moderation.find(unasked, who)
    assert asked == [(Participant, 999_999_999)]
    assert len(looked) == 3, "what can be no name is not looked up"
    asked.clear()
    for number in (1 << 31, (1 << 31) - 1):
        with pytest.raises(BenchbookError, match=f"there is no submission {number} to withdraw"):
            moderation.withdraw(
                SimpleNamespace(get=lambda *given, **_: asked.append(given)), number
            )
    assert asked == [(Submission, (1 << 31) - 1)]


LINE = str(Fault("f", "1", "must"))


@pytest.mark.parametrize(
    ("error", "status", "lines"),
    [
        (HTTPException(418, "tea"), 418, ["tea"]),
        (Refused("no", 507), 507, ["no"]),
        (UnknownName("loss", "x", ["y"]), 404, ["there is no loss of that name"]),
        (FaultyInput("w", [Fault("f", "1", "must")] * 201, "Do."), 400, [*[LINE] * 200, "Do."]),
        (FaultyInput("w", [Fault("f", "1", "must")]), 400, [LINE]),
        (BenchbookError("b"), 400, ["b"]),
    ],
)
def test_an_error_has_a_status_and_its_lines(error, status, lines):
    assert site.http_error(error) == (status, lines)


@pytest.mark.parametrize(
    ("who", "me", "method", "key", "answer"),
    [
        (site.NOBODY, None, "POST", "", None),
        (site.NOBODY, "Ada", "POST", "", None),
        (site.NAMELESS, None, "GET", "", "/login"),
        (site.ORGANISER, None, "POST", "", "/login"),
        (site.NAMELESS, "", "GET", "", None),
        (site.NAMELESS, "", "POST", "x", 403),
        (site.NAMELESS, "", "POST", "good", None),
        (site.PARTICIPANT, "", "GET", "", "/name"),
        (site.PARTICIPANT, "Ada", "POST", "", 403),
        (site.PARTICIPANT, "Ada", "POST", "good", None),
        (site.ORGANISER, "Ada", "GET", "", 404),
        (site.ORGANISER, "organiser", "GET", "", None),
        (site.ORGANISER, "organiser", "POST", "good", None),
    ],
)
def test_who_is_refused_and_led_where(who, me, method, key, answer):
    asked = SimpleNamespace(
        me=None if me is None else SimpleNamespace(name=me or None, organiser=me == "organiser"),
        request=SimpleNamespace(method=method),
        secret="s",
        text=lambda name: tokens.form_key("s") if key == "good" else key,
    )
    if isinstance(answer, int):
        with pytest.raises(HTTPException) as refused:
            site._refusal(asked, who)
        assert refused.value.status_code == answer
        return
    given = site._stranger(asked, who) or site._refusal(asked, who)
    assert (given and given.headers["location"]) == answer


def test_bearers_are_named_in_any_case_and_wrong_ones_are_counted_by_address(session, held):
    def status(token, address="10.0.0.1"):
        asked = held.browser(address=address)
        return asked.get("/api/challenges", headers={"authorization": token}).status_code

    session.commit()
    good = held.tokens["Ada"]
    assert [status(f"{kind} {good}") for kind in ("Bearer", "bearer", "Basic")] == [200, 200, 401]
    held.app = held.application(Rules(logins=1))
    assert [status("Bearer x", f"10.0.0.{last}") for last in (1, 1, 2)] == [401, 429, 401]


def test_the_processes_that_score_begin_and_end_with_the_server(held, monkeypatch):
    done = []
    keeper = SimpleNamespace(start=lambda: done.append("start"), stop=lambda: done.append("stop"))
    monkeypatch.setattr(app, "Supervisor", lambda store, rules: keeper)
    monkeypatch.setattr(views, "warm", lambda: done.append("warm"))
    for scoring in (False, True):
        with TestClient(app.application(held.store, held.rules, scoring=scoring)) as client:
            assert client.get("/health").text == "ok\n"
    assert done == ["start", "warm", "stop"]


def test_who_keeps_processes_goes_on_after_trouble_until_it_is_to_stop(caplog):
    keeper, waits = supervisor.Supervisor(None, Rules(workers=0)), []
    keeper._stopping = SimpleNamespace(is_set=lambda: len(waits) > 1, wait=waits.append)
    keeper._watch = lambda: 1 / 0
    keeper._keep()
    assert waits == [1.0, 1.0]
    assert [line.message for line in caplog.records] == [
        "the processes that score are in trouble"
    ] * 2


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (b"\xff", "the table must be a CSV file in UTF-8; save it in that encoding"),
        (b"case,phase\n", "header: found 'case,phase'; must be case,phase,target, and may go on"),
        (
            b"case,phase,target\na,training,1\nb,test,2\n",
            "targets: found no inputs; must have columns",
        ),
        (
            b"case,phase,target,x\na,training,1,1\nb,test,,2\n",
            "targets: found hidden ones; must all be",
        ),
    ],
)
def test_a_table_of_which_no_challenge_can_be_opened_is_told(session, table, said):
    with pytest.raises(BenchbookError, match=said):
        holding.open_challenge(session, "new", table, {})
    ada = moderation.find(session, "Ada")
    with pytest.raises(BenchbookError, match="you are Ada; ask the organiser for another name"):
        holding.choose_name(session, ada, "Eve")


def test_the_limits_of_a_server_are_held():
    text = "".join(f"{name}: {value}\n" for name, value in asdict(Rules()).items())
    same(FILE, "rules", f"{text}{Rules(upload=1000).limits}\n")
    same(FILE, "headers", "".join(f"{name}: {value}\n" for name, value in guard.HEADERS.items()))


class Ends(Exception):
    """Ends the loop of a worker."""


@pytest.mark.parametrize(
    ("jobs", "stale", "trace"),
    [
        ([True, True], False, "j j . | . z"),
        ([], True, ". B . B"),
        ([True] * 9, True, "j j j B j j j B"),
    ],
)
def test_a_worker_scores_first_and_makes_boards_when_nothing_waits_or_for_ten_seconds(
    monkeypatch, jobs, stale, trace
):
    """A job takes four seconds of this clock."""
    done, clock, said = [], [0.0], {"database": "d", "rules": {"memory": 5}}

    def step(mark, result):
        done.append(mark)
        if len(done) > 8:
            raise Ends
        return result

    def job(store, rules):
        assert (store, rules) == ("store d", Rules(memory=5))
        clock[0] += 4.0 * bool(jobs)
        return step("j", True) and jobs.pop() if jobs else step(".", False)

    monkeypatch.setattr(worker.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(worker.time, "sleep", lambda pause: step("z", None))
    monkeypatch.setattr(worker, "one_job", job)
    monkeypatch.setattr(worker, "one_board", lambda store: step("B" if stale else "|", stale))
    monkeypatch.setattr(worker, "Store", lambda where: f"store {where}")
    monkeypatch.setattr(worker, "_limit", lambda memory: done.append(f"limit {memory}"))
    monkeypatch.setattr(worker, "SPEAKS", False)
    monkeypatch.setattr(worker.os, "_exit", lambda code: None)
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(said)))
    with pytest.raises(Ends):
        worker.main()
    assert worker.SPEAKS
    assert done[0] == "limit 5"
    assert " ".join(done[1:]).startswith(trace)


def test_what_a_worker_does_is_said_when_it_speaks(held, monkeypatch, capsys):
    monkeypatch.setattr(worker, "SPEAKS", True)
    with held.store.writing() as session:
        sent(session, status="queued", payload=b"PK")
        holding.touch(session, 1)
    assert worker.one_job(held.store, held.rules)
    assert worker.one_board(held.store)
    lines = [line.split(" ") for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [
        ["begin", "1"],
        ["end", "1"],
        ["begin", "0"],
        ["end", "0"],
    ]
    assert lines[0][2] == lines[1][2] != "board" == lines[2][2]
    assert len(lines[0][2]) == 32
