"""What must not happen on a server that strangers talk to, one test for each."""

import asyncio
import csv
import io
import re
import struct
import time
import zipfile
from dataclasses import replace

import polars as pl
import pytest
from sqlalchemy import select, text

from benchbook_book.course.server import tokens
from benchbook_book.course.server.app import application
from benchbook_book.course.server.backup import export
from benchbook_book.course.server.guard import HEADERS
from benchbook_book.course.server.holding import invite, named
from benchbook_book.course.server.models import Visit

DATABASES = ["sqlite"]


def test_only_hashes_of_tokens_are_kept(held):
    held.browser("Ada")
    with held.store.reading() as session:
        everything = str(
            [
                list(row)
                for table in ("participant", "visit")
                for row in session.execute(text(f"SELECT * FROM {table}"))
            ]
        )
    assert not [token for token in (*held.tokens.values(), held.boss) if token in everything]
    assert tokens.hashed(held.tokens["Ada"]) in everything


def test_a_lost_token_is_replaced_and_shuts_out_who_has_it(held):
    ada, ben, lost = held.browser("Ada"), held.browser("Ben"), held.tokens["Ada"]
    shown = held.browser("organiser").fill("/organise/invite", names="Ada", renew="yes").text
    assert ada.get("/c/flats").url.path == "/login"
    assert ben.get("/c/flats").url.path == "/c/flats"
    assert held.browser().post("/login", data={"token": lost}).status_code == 403
    assert held.program().get("/api/challenges").status_code == 401
    held.tokens["Ada"] = re.search(r"<td>Ada</td><td><code>(\S{32})</code>", shown)[1]
    assert held.browser("Ada").get("/c/flats").url.path == "/c/flats"


def test_tokens_are_looked_up_by_hash_and_compared_in_constant_time(held, monkeypatch):
    compared = []
    monkeypatch.setattr(
        tokens.hmac, "compare_digest", lambda *pair: compared.append(pair) or pair[0] == pair[1]
    )
    with held.store.reading() as session:
        assert tokens.bearer(session, held.tokens["Ada"]).name == "Ada"
        assert [tokens.bearer(session, wrong) for wrong in ("", "x", "\udcff", "a" * 10_000)] == [
            None
        ] * 4
    assert compared == [(tokens.hashed(held.tokens["Ada"]).encode(),) * 2]


def test_a_form_without_its_key_or_with_that_of_another_is_refused(held):
    ada, ben = held.browser("Ada"), held.browser("Ben")
    for key in ("", ben.key, ada.key[:-1]):
        answer = ada.post("/c/flats/submit", data={"key": key}, files={"zip": ("a.zip", b"PK")})
        assert answer.status_code == 403
    assert ada.post("/logout", data={}).status_code == 403


@pytest.mark.parametrize(
    "head",
    [{"origin": "https://elsewhere.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}],
)
def test_a_form_of_another_site_is_refused_even_to_sign_in(held, head):
    assert (
        held.browser().post("/login", data={"token": held.tokens["Ada"]}, headers=head).status_code
        == 403
    )
    assert held.browser("Ada").post("/logout", headers=head).status_code == 403


def test_the_api_takes_no_cookie_for_a_token(held):
    ada = held.browser("Ada")
    assert ada.post("/api/challenges/flats/submissions", content=b"PK").status_code == 401
    assert ada.get("/api/challenges").headers["www-authenticate"] == "Bearer"


def test_cookies_cannot_be_read_by_scripts_nor_sent_by_other_sites(held, rules):
    output = (
        held.browser()
        .post("/login", data={"token": held.boss}, follow_redirects=False)
        .headers["set-cookie"]
    )
    assert "HttpOnly" in output
    assert "SameSite=lax" in output
    held.app = application(held.store, replace(rules, secure=True), scoring=False)
    answer = held.browser().post("/login", data={"token": held.boss}, follow_redirects=False)
    assert answer.headers["set-cookie"].startswith("__Host-benchbook=")
    assert "Secure" in answer.headers["set-cookie"]
    assert answer.headers["strict-transport-security"] == "max-age=31536000"


def test_a_cookie_ends_when_one_signs_out_and_after_a_month(held):
    ada = held.browser("Ada")
    secret = ada.cookies["benchbook"]
    ada.fill("/logout")
    ada.cookies.set("benchbook", secret)
    assert ada.get("/c/flats").url.path == "/login"
    again = held.browser("Ada")
    with held.store.writing() as session:
        session.scalar(select(Visit)).expires = time.time() - 1
    assert again.get("/c/flats").url.path == "/login"


@pytest.mark.parametrize(
    "path", ["/", "/login", "/style.css", "/nowhere", "/api/challenges", "/c/flats", "/health"]
)
def test_every_answer_has_the_headers_that_keep_browsers_safe(held, path):
    headers = held.browser("Ada").get(path).headers
    missing = (
        set(HEADERS)
        - {"cache-control"}
        - {name for name in headers if headers[name] == HEADERS.get(name)}
    )
    assert missing == set()


def test_pages_have_neither_scripts_nor_styles_of_their_own(held):
    boss = held.browser("organiser")
    for path in (
        "/",
        "/login",
        "/c/flats",
        "/c/flats/submit",
        "/c/flats/mine",
        "/c/flats/board",
        "/organise",
        "/organise/flats",
    ):
        page = boss.get(path).text.replace(
            "http://testserver/", "/"
        )  # its own address may be shown
        assert re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:|https?://", page) is None, (
            path
        )


EVIL = "<script>alert(1)</script>"


def test_what_strangers_write_is_shown_as_text(held):
    with held.store.writing() as session:
        held.tokens |= dict(invite(session, [EVIL, '"><img src=x onerror=alert(1)>']))
    stranger = held.browser(EVIL)
    payload = held.zipped("validation")
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(payload)) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(b"9 times", f"{EVIL} 9 times".encode()))
        after.writestr(f"{EVIL}.txt".replace("/", "-"), "x")
    stranger.submit(changed.getvalue())
    stranger.submit(b"PK\x03\x04" + EVIL.encode())
    with zipfile.ZipFile(bad := io.BytesIO(), "w") as archive:
        archive.writestr("manifest.toml", f'format = "{EVIL}"\n"{EVIL}" = 1\n')
    stranger.submit(bad.getvalue())
    assert held.settle() == 3
    boss = held.browser("organiser")
    seen = "".join(
        stranger.get(path).text
        for path in (
            "/c/flats/mine/1",
            "/c/flats/mine/2",
            "/c/flats/mine/3",
            "/c/flats/mine",
            "/c/flats/board",
            "/c/flats/methods",
        )
    )
    seen += boss.get("/organise").text + boss.fill("/organise", name=EVIL, title=EVIL).text
    seen += boss.get("/c/flats/board-validation.svg").text
    assert EVIL not in seen
    assert "<img src=x" not in seen
    assert seen.count("&lt;script&gt;alert(1)") > 5
    with held.store.reading() as session:
        assert EVIL.encode() not in export(session, named(session, "flats"))["board.html"]


@pytest.mark.parametrize(
    "word", ["' OR '1'='1", "x'; DROP TABLE participant; --", "flats' --", "%", "_lats", "\\"]
)
def test_words_of_sql_are_only_words(held, word):
    assert held.browser().post("/login", data={"token": word}).status_code == 403
    ada, program = held.browser("Ada"), held.program()
    from urllib.parse import quote

    assert ada.get(f"/c/{quote(word, safe='')}").status_code == 404
    assert program.get(f"/api/challenges/{quote(word, safe='')}").status_code == 404
    assert ada.get(f"/c/flats/board?by={quote(word)}&part={quote(word)}").status_code == 200
    assert held.browser("Ben").get("/c/flats").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/c/../../etc/passwd",
        "/c/%2e%2e/%2e%2e/etc/passwd",
        "/style.css/../models.py",
        "/c/flats/board-..%2f..%2fx.svg",
        "/c/flats%0d%0aset-cookie:%20a=b/data.zip",
        "/c/flats/mine/-1",
        "/c/flats/mine/9223372036854775808",
        "//elsewhere.example/c",
    ],
)
def test_no_path_leads_out_and_none_writes_a_header(held, path):
    answer = held.browser("Ada").get(path, follow_redirects=False)
    assert answer.status_code == 404
    assert "set-cookie" not in answer.headers


def test_redirections_lead_to_pages_of_ours_only(held):
    for path in ("/c/flats", "//elsewhere.example", "/login?next=https://elsewhere.example"):
        answer = held.browser().get(path, follow_redirects=False)
        assert answer.headers.get("location", "/login") == "/login"


def test_wrong_tokens_are_taken_a_few_times_a_minute_only_and_good_ones_always(held, rules):
    held.app = application(held.store, replace(rules, logins=3), scoring=False)
    guest, program = held.browser(), held.program()
    assert [guest.post("/login", data={"token": "x"}).status_code for _ in range(5)] == [
        403,
        403,
        403,
        429,
        429,
    ]
    program.headers["authorization"] = "Bearer x"
    assert [program.get("/api/challenges").status_code for _ in range(5)] == [
        401,
        401,
        401,
        429,
        429,
    ]
    # Who sits behind the same router as a program with an old token is let in all the same.
    assert held.browser("Ada").get("/c/flats").url.path == "/c/flats"
    assert held.program().get("/api/challenges").status_code == 200


def test_requests_and_submissions_are_taken_so_often_a_minute(held, rules):
    held.app = application(held.store, replace(rules, requests=30, uploads=2), scoring=False)
    ada = held.browser("Ada")
    assert [ada.submit(bytes([80, 75, i])).status_code for i in range(3)] == [200, 200, 429]
    codes = [ada.get("/style.css").status_code for _ in range(40)]
    assert codes[-1] == 429
    assert ada.get("/").headers["retry-after"] == "60"


def test_who_asks_too_often_sees_a_page_as_of_other_errors_and_a_program_gets_json(held, rules):
    held.app = application(held.store, replace(rules, requests=1, upload=0), scoring=False)
    large = held.browser().post("/login", content=b"x" * (2 << 20))
    page, answer = held.browser().get("/c/flats"), held.browser().get("/api/challenges")
    held.app = application(held.store, rules, scoring=False)
    usual = held.browser().get("/nowhere")
    for item, status, message in (
        (large, 413, "At most 0 bytes are taken"),
        (page, 429, "Too many requests; wait a minute"),
    ):
        assert item.status_code == status
        assert item.text == usual.text.replace("Not Found", message)
        assert set(usual.headers) <= set(item.headers)
    assert answer.json() == {"status": 429, "error": "too many requests; wait a minute"}
    assert page.headers["retry-after"] == answer.headers["retry-after"] == "60"


def test_a_request_that_is_too_large_is_refused_whatever_it_declares(held, rules):
    held.app = application(held.store, replace(rules, upload=1000), scoring=False)
    ada, program = held.browser("Ada"), held.program()
    assert ada.submit(b"PK" + b"x" * 3_000_000).status_code == 413
    assert ada.submit(b"PK" + b"x" * 2000).status_code == 413

    def stream():
        for _ in range(40):
            yield b"x" * 100_000

    assert program.post("/api/challenges/flats/submissions", content=stream()).status_code == 413
    assert program.post(
        "/api/challenges/flats/submissions", content=b"", headers={"content-length": "-1"}
    ).status_code in (400, 413)


def answered(app, path, *sent, headers=()):
    """The status of an answer to a POST of which these messages come, and how many of them were taken."""
    taken, statuses = [], []

    async def receive():
        taken.append(1)
        return sent[len(taken) - 1]

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [(b"host", b"testserver"), *headers],
        "query_string": b"",
        "client": ("10.0.0.9", 1),
    }
    asyncio.run(app(scope, receive, send))
    return statuses[0], len(taken)


PART = {"type": "http.request", "body": b"x" * 100_000, "more_body": True}
GONE = {"type": "http.disconnect"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/challenges/flats/submissions", 401),
        ("/c/flats/submit", 303),
        ("/organise", 303),
        ("/name", 303),
    ],
)
def test_nothing_that_a_stranger_sends_is_read(held, path, status):
    wrong = [(b"authorization", b"Bearer wrong"), (b"cookie", b"benchbook=wrong")]
    for headers in ([], wrong):
        assert answered(held.app, path, PART, GONE, headers=headers) == (status, 0)


def test_of_a_form_without_a_file_little_is_read(held, rules):
    held.app = application(held.store, replace(rules, upload=16 << 20), scoring=False)
    head = [(b"content-type", b"multipart/form-data; boundary=b")]
    file = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    begin = {"type": "http.request", "body": file, "more_body": True}
    assert answered(held.app, "/login", begin, *[PART] * 40, headers=head) == (413, 12)


def test_an_upload_that_is_broken_off_is_one_line(held, caplog):
    head = [(b"authorization", f"Bearer {held.tokens['Ada']}".encode())]
    path = "/api/challenges/flats/submissions"
    assert answered(held.app, path, PART, GONE, headers=head) == (400, 2)
    (line,) = [record for record in caplog.records if record.name == "benchbook.server"]
    assert line.getMessage() == f"{path}: who sent it went away before all had come"
    assert line.exc_info is None


def bomb() -> bytes:
    """A zip of a few kilobytes that is 80 MB unpacked."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "manifest.toml",
            'format = "benchbook.submission/1"\nname = "a"\nteam = "t"\nmethod = "m"\n'
            '[[prediction]]\ntask = "flats/rent/validation"\nfile = "a.txt"\nkind = "gaussian"\n',
        )
        archive.writestr("a.txt", b"0 " * 20_000_000)
    return packed.getvalue()


def slip(name: str) -> bytes:
    with zipfile.ZipFile(packed := io.BytesIO(), "w") as archive:
        archive.writestr("manifest.toml", 'format = "benchbook.submission/1"\n')
        archive.writestr(name, "owned")
    return packed.getvalue()


def test_a_bomb_and_names_that_climb_out_are_faults_and_nothing_is_unpacked(held, tmp_path):
    ada = held.browser("Ada")
    sent = [
        ada.submit(payload).url
        for payload in (bomb(), slip("../../owned.txt"), slip("/tmp/owned.txt"))
    ]
    before = {path for path in tmp_path.rglob("*") if "owned" in path.name}
    held.settle()
    lines = [ada.get(url).text for url in sent]
    assert "must be at most" in lines[0]
    assert "must not climb out" in lines[1]
    assert "not an absolute one" in lines[2]
    assert {path for path in tmp_path.rglob("*") if "owned" in path.name} == before == set()


def test_the_disk_is_shared_out(held, rules):
    small = held.zipped("validation")
    held.app = application(held.store, replace(rules, each=len(small) + 10), scoring=False)
    ada = held.browser("Ada")
    ada.submit(small)
    assert ada.submit(held.zipped("validation", spread=41)).status_code == 507
    held.app = application(held.store, replace(rules, disk=len(small) + 10), scoring=False)
    assert held.browser("Ben").submit(held.zipped("validation", spread=42)).status_code == 507
    held.app = application(held.store, replace(rules, waiting=1), scoring=False)
    assert held.browser("Ada").submit(held.zipped("validation", spread=43)).status_code == 429


def test_the_team_on_the_board_is_who_sent_it_whatever_the_manifest_says(held):
    held.browser("Ada").submit(held.zipped("validation"))
    held.settle()
    (line,) = (
        line
        for line in held.program().get("/api/challenges/flats/board/validation").json()["lines"]
        if not line["baseline"]
    )
    assert line["team"] == "Ada"


def test_exports_hold_no_target_and_no_loss_of_a_single_case(held):
    held.browser("Ada").submit(held.zipped("validation"))
    held.browser("Ben").submit(held.zipped("validation", shift=30))
    held.settle()
    with held.store.reading() as session:
        files = export(session, named(session, "flats"))
    secret = held.hidden["validation"] + held.hidden["test"]
    for name, content in files.items():
        assert not [value for value in secret if value.encode() in content], name
        assert not [value for value in secret if struct.pack("<d", float(value)) in content], name
    assert files["losses.csv"].count(b"\n") == 1 + 2 * 5


FORMULAS = ["=HYPERLINK(1)", "+1+1", "-1+cmd", "@SUM(1)"]


def test_nothing_in_an_exported_csv_is_run_by_a_spreadsheet(held):
    with held.store.writing() as session:
        held.tokens |= dict(invite(session, FORMULAS))
    for index, team in enumerate(FORMULAS):
        held.browser(team).submit(held.zipped("validation", shift=index))
    held.settle()
    with held.store.reading() as session:
        files = export(session, named(session, "flats"))
    for name in ("submissions", "losses"):
        rows = list(csv.DictReader(io.StringIO(files[f"{name}.csv"].decode())))
        assert {row["team"] for row in rows} == {f"'{team}" for team in FORMULAS}
        assert set(pl.read_parquet(files[f"{name}.parquet"])["team"]) == set(FORMULAS)
    losses = [float(row["value"]) for row in rows]
    assert losses == pl.read_parquet(files["losses.parquet"])["value"].to_list()


def test_the_file_of_the_database_is_its_owners(ready):
    assert ready.stat().st_mode & 0o777 == 0o600


def test_an_error_of_ours_is_told_without_its_reason(held, monkeypatch):
    monkeypatch.setattr("benchbook_book.course.server.views.challenge_view", lambda *_: 1 / 0)
    app = application(held.store, held.rules, scoring=False)
    from starlette.testclient import TestClient

    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "ZeroDivisionError" not in answer.text
    assert "The server failed" in answer.text
