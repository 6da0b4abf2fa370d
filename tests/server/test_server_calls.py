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
from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.server import (
    app,
    guard,
    holding,
    interface,
    moderation,
    organising,
    pages,
    phases,
    site,
    supervisor,
    tokens,
    views,
    worker,
)
from benchbook.server.intake import Refused
from benchbook.server.models import LogLine, Participant, Standing, Submission
from benchbook.server.rules import Meter, Rules
from benchbook.server.store import Store, private

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


def call(session, asker="Ada", slug="flats", path=(), query=(), **form):
    """A request with a form, whose page is what is handed to it."""
    me = moderation.find(session, asker)
    where = SimpleNamespace(rules=Rules(), uploads=Meter(1), logins=Meter(1), cookie="benchbook")
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
            query_params=dict(query), base_url="http://a/", state=SimpleNamespace(body=b"PK 1")
        ),
        text=lambda name: form.get(name, ""),
        file=lambda name: form.get(name, b""),
        page=lambda template, status=200, **values: SimpleNamespace(
            template=template, status=status, headers={}, **values
        ),
    )


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
    assert [item["task"] for item in page.tasks] == [f"flats/rent/{task}" for task in tasks]
    assert page.closed == ("closes" in dates)
    if released is None:
        with pytest.raises(Refused, match="it opens 2040-01-01 00:00 UTC") as refused:
            views.data_zip(challenge)
        assert refused.value.status == 409
        return
    with zipfile.ZipFile(io.BytesIO(views.data_zip(challenge))) as archive:
        assert ("flats/validation-targets.csv" in archive.namelist()) == released
    assert views.cases_csv(challenge).startswith(b"# task = flats/rent\n")
    part = pages.board(call(session)).part
    assert part == ("test" if "closes" in dates else "validation")
    assert pages.board(call(session, query={"part": "test"})).part == "test"


def test_a_picture_is_that_of_a_board_whose_losses_are_told(session):
    flats, other = (holding.named(session, slug) for slug in ("flats", "other"))
    for challenge, part, picture in (
        (flats, "validation", "<svg>"),
        (flats, "test", "<g>"),
        (other, "validation", ""),
    ):
        session.add(
            Standing(challenge_id=challenge.id, portion=part, board={}, picture=picture, made=0.0)
        )
    asked = {"path": {"part": "validation"}}
    assert pages.picture(call(session, **asked)).body == b"<svg>"
    for wrong in ({"slug": "other", **asked}, {"path": {"part": "test"}}):
        with pytest.raises(HTTPException, match="there is no such picture yet"):
            pages.picture(call(session, **wrong))


def test_an_entry_is_looked_at_again_until_it_is_scored(session):
    rows = [sent(session, status=status) for status in ("queued", "running", "scored", "failed")]
    answers = [pages.submission(call(session, path={"number": str(row.id)})) for row in rows]
    assert [answer.headers for answer in answers] == [{"refresh": "2"}] * 2 + [{}] * 2
    for number, team in ((rows[0].id, "Ben"), (99, "Ada"), (1 << 31, "Ada")):
        with pytest.raises(HTTPException, match="you have no submission of that number"):
            pages.numbered(call(session, team, path={"number": str(number)}))


def test_who_signs_in_has_a_cookie_for_a_month_and_goes_to_choose_a_name(session, held):
    ((_, token),) = holding.invite(session, count=1)
    for given, to in ((held.tokens["Ada"], "/"), (f" {token} ", "/name")):
        answer = pages.login(call(session, token=given))
        assert answer.headers["location"] == to
        assert "; Max-Age=2592000; Path=/; SameSite=lax" in answer.headers["set-cookie"]
    wrong = call(session, token="x")
    assert (pages.login(wrong).status, pages.login(call(session, token="x")).fault[:20]) == (
        403,
        "That is no token of ",
    )
    with pytest.raises(HTTPException, match="too many wrong tokens came"):
        pages.login(wrong)
    assert pages.logout(call(session)).headers["location"] == "/"


@pytest.mark.parametrize("send", [pages.submit, interface.send])
def test_so_many_entries_are_taken_a_minute(session, send):
    holding.change(holding.named(session, "flats"), {"per_day": "1"})
    asked = call(session, zip=b"PK 1")
    assert send(asked).status_code in (202, 303)
    with pytest.raises(Refused, match="too many submissions in a minute; wait a little") as refused:
        send(asked)
    assert refused.value.status == 429
    again = call(session, zip=b"")
    again.request.state.body = b""
    if send is pages.submit:
        assert (send(again).status, send(call(session, zip=b"2")).left) == (400, 0)
    told = json.loads(interface.challenge(call(session)).body)
    assert (told["left"], told["name"], len(told["tasks"])) == (0, "flats", 2)


def test_programs_are_told_of_challenges_and_entries_the_newest_first(session, monkeypatch):
    rows = [sent(session), sent(session), sent(session, slug="other")]
    assert [item["name"] for item in json.loads(interface.challenges(call(session)).body)] == [
        "other",
        "flats",
    ]
    assert [each["name"] for each in pages.index(call(session)).challenges] == ["other", "flats"]
    assert [item["number"] for item in json.loads(interface.sent(call(session)).body)] == [2, 1]
    told = json.loads(interface.submission(call(session, path={"number": str(rows[0].id)})).body)
    assert (told["number"], told["tasks"]) == (1, [])
    with pytest.raises(
        HTTPException, match="there is no such board, or its losses are not told yet"
    ):
        interface.board(call(session, path={"part": "test"}))
    monkeypatch.setattr(views, "board_view", lambda session, challenge, part, by: (part, by))
    asked = call(session, path={"part": "validation"}, query={"by": "CRPS"})
    assert json.loads(interface.board(asked).body) == ["validation", "CRPS"]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"who": "2", "do": "remove", "sure": "no"}, "to remove somebody, mark that you mean to"),
        ({"who": "2", "do": "remove"}, "to remove somebody, mark that you mean to"),
        ({"who": "2"}, "say what is to be done to the participant"),
        ({"who": "2", "do": "rename", "name": "Ada"}, "Ada is taken; choose another name"),
        ({"who": "99", "do": "shut"}, "there is no participant '#99'"),
        ({"who": "3", "do": "remove", "sure": "yes"}, "nobody else organises"),
        ({"who": " 2 ", "do": "rename", "name": "Eve"}, "Ben is called Eve now."),
        ({"who": "2", "do": "shut"}, "The token of Ben was shut out."),
        ({"who": "2", "do": "remove", "sure": "yes"}, "Ben was removed, with 2 submissions."),
    ],
)
def test_what_an_organiser_does_to_somebody_is_said(session, form, said):
    """And is in the log of a challenge that was entered, once."""
    for _ in range(2):
        sent(session, "Ben")
    secret = tokens.begin(session, moderation.find(session, "Ben"))
    page = organising.participant(call(session, "organiser", **form))
    good = said.endswith(".")
    assert (page.status, page.said) == ((200, said) if good else (400, ""))
    assert [line[: len(said)] for line in page.faults] == [said] * (not good)
    assert [line.text for line in session.scalars(select(LogLine))] == [said] * good
    assert (tokens.visitor(session, secret) is None) == ("shut out" in said or "removed" in said)
    names = ["Ada", *(["Eve"] if "Eve" in said else ["Ben"] * ("removed" not in said)), "organiser"]
    assert sorted(person["name"] for person in page.people) == sorted(names)


def test_tokens_are_made_or_renewed_and_told_once(session, monkeypatch):
    page = organising.invited(call(session, "organiser", names=" Zoe  B \n\nEve", count=" 2 "))
    assert [name for name, _ in page.made] == ["Zoe B", "Eve", "", ""]
    again = organising.invited(call(session, "organiser", names="Eve\nEve\nZoe  B", renew="yes"))
    assert [name for name, _ in again.made] == ["Eve", "Zoe B"]
    assert not {token for _, token in page.made} & {token for _, token in again.made}
    for count in ("501", "x", "-1", "٣"):
        page = organising.invited(call(session, "organiser", count=count))
        assert (page.status, page.made) == (400, [])
        assert page.faults == ["say how many there are to be, at most 500 at a time"]
    monkeypatch.setattr(
        holding, "invite", lambda session, names, count: [(str(len(names)), str(count))]
    )
    many = "\n".join(f"p{number}" for number in range(501))
    assert organising.invited(call(session, names=many, count="500")).made == [("500", "500")]


def test_a_challenge_is_opened_changed_and_shown_to_its_organiser(session, held):
    opened = {
        "name": " new ",
        "table": held.table.encode(),
        "opens": "now",
        "per_day": "",
        "title": "N",
    }
    assert organising.opened(call(session, **opened)).headers["location"] == "/organise/new"
    new = holding.named(session, "new")
    assert (new.title, new.per_day, new.in_test, new.enforce) == ("N", 20, 3, False)
    page = organising.opened(call(session, **opened))
    assert (page.status, page.faults[0]) == (
        400,
        "name: found 'new'; must be a new one; there is a challenge of that name",
    )
    assert [item["name"] for item in page.challenges] == ["new", "other", "flats"]
    form = {
        "title": "M",
        "about": "",
        "message": "",
        "opens": "",
        "switches": "",
        "closes": "",
        "per_day": "7",
        "in_test": "8",
    }
    for enforce in ("yes", "no"):
        answer = organising.changed(call(session, slug="new", enforce=enforce, **form))
        assert answer.headers["location"] == "/organise/new"
        assert (new.title, new.per_day, new.in_test, new.enforce) == ("M", 7, 8, enforce == "yes")
    assert new.opens is None
    for status in ("scored", "scored", "failed"):
        sent(session, slug="new", status=status)
    elsewhere = sent(session)
    page = organising.challenge(call(session, slug="new"))
    assert page.counts == {"scored": 2, "failed": 1}
    assert [(item["number"], item["team"]) for item in page.entries] == [
        (3, "Ada"),
        (2, "Ada"),
        (1, "Ada"),
    ]
    for number, said in (
        ("x", "give the number of a submission"),
        (str(elsewhere.id), "there is no submission 4"),
    ):
        page = organising.withdrawn(call(session, slug="new", number=number))
        assert (page.status, page.faults[0][: len(said)]) == (400, said)
    assert (
        organising.withdrawn(call(session, slug="new", number="2")).headers["location"]
        == "/organise/new"
    )
    head = organising.exported(call(session, slug="new")).headers["content-disposition"]
    assert head == 'attachment; filename="new-all.zip"'


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


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2030-05-17T12:00", 1905249600.0),
        (" 2030-05-17 12:00:30 ", 1905249630.0),
        ("2030-05-17 13:00Z", 1905253200.0),
    ],
)
def test_dates_are_typed_in_several_forms(text, moment):
    assert phases.when(text, "opens") == moment
    assert phases.readable(moment)[11:13] == text.strip()[11:13]
    assert phases.readable(float("inf")) == "not set"


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


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("x://y", "x is no database the server knows"),
        (
            "mysql://a/b",
            "mysql is no database the server knows; give an SQLite file or postgresql:",
        ),
        ("://", "that is no URL of a database; write postgresql://user:password@host/name"),
    ],
)
def test_what_is_no_database_is_told(where, said, tmp_path, monkeypatch):
    with pytest.raises(BenchbookError, match=said):
        Store(where)
    private(tmp_path / "a")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    (tmp_path / "a").write_text("kept")
    private(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "kept"

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr("benchbook.server.store.os.open", refused)
    with pytest.raises(BenchbookError, match="no permission to write b; give another place with"):
        private("b")
