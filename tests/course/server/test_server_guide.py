"""The guide is followed word by word: a class of three plays, and the server is put behind a proxy."""

import contextlib
import http.client
import io
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
import uvicorn
from click.testing import CliRunner

from benchbook.cli import app

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def commands(repository, *sections):
    """The lines of the guide's blocks of commands, by section."""
    text = (repository / "book" / "guide" / "class-server.md").read_text(encoding="utf8")
    parts = SECTION.split(text)
    result = dict(zip(parts[1::2], parts[2::2], strict=True))
    return [
        line
        for section in sections
        for block in re.findall(r"```bash\n(.*?)```", result[section], re.DOTALL)
        for line in block.splitlines()
    ]


@pytest.fixture
def call(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(line):
        words = shlex.split(line)
        assert words[0] == "benchbook", line
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception!r}"
        return result.stdout

    return run


@pytest.fixture
def port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", "/health")
        return line.getresponse().status == 200
    except OSError:
        return False
    finally:
        line.close()


def wait(condition, goes_on):
    """Wait for what comes sooner or later, however busy the machine is, unless what is to bring it has ended."""
    while not condition():
        assert goes_on() or condition(), "the server has ended"
        time.sleep(0.05)


@pytest.mark.timeout(1800)
def test_a_class_of_three_plays_by_the_guide_alone(repository, call, port, monkeypatch, tmp_path):
    before = commands(repository, "Before the lesson", "Serve it")
    assert before[0] == "pip install 'benchbook[server]'"
    call(before[1])
    assert before[2] == "benchbook challenge serve"
    log = (tmp_path / "log").open("w+")
    patient = f"{before[2]} --port {port} --seconds 86400"
    server = subprocess.Popen(
        [sys.executable, "-m", *shlex.split(patient)], stdout=log, stderr=subprocess.STDOUT
    )

    def runs():
        return server.poll() is None

    try:
        wait(lambda: answers(port), runs)
        assert "Organiser's token: " in (tmp_path / "log").read_text()
        assert "/c/depth, validation" in call(before[3])
        invited = call(before[4])
        tokens = dict(re.findall(r"^(Ada|Ben|Cleo) +(\S{32})$", invited, re.MULTILINE))
        assert len(tokens) == 3
        lost = tokens["Cleo"]
        tokens |= dict(re.findall(r"^(Cleo) +(\S{32})$", call(before[5]), re.MULTILINE))
        assert sign_in(port, lost)[0] == 403
        cases(port, tokens["Ada"], tmp_path)
        enter, token, submit, curl = commands(repository, "What a student does")
        assert token.startswith("export BENCHBOOK_TOKEN=")
        submit = submit.replace(":8000", f":{port}")
        call(enter.replace("lin-1", "knn-cv-1"))
        assert program(curl, port, tokens["Cleo"])["status"] == "queued"
        call(enter.replace("lin-1", "base-1"))
        by_form(port, tokens["Ben"], "ada.zip", runs)
        monkeypatch.setenv("BENCHBOOK_TOKEN", tokens["Ada"])
        call(enter)
        assert "gain over the baseline" in call(f"{submit} --wait 86400")
        message, switch, close = commands(repository, "The phases")
        call(message)
        assert ", test:" in call(switch)
        cases(port, tokens["Ada"], tmp_path)
        assert (tmp_path / "depth" / "validation-targets.csv").exists()
        for name, method in (("Ada", "lin-1"), ("Ben", "base-1")):
            monkeypatch.setenv("BENCHBOOK_TOKEN", tokens[name])
            call(enter.replace("lin-1", method).replace("validation", "test"))
            assert "the losses are told when the challenge is closed" in call(submit)
        assert ", closed:" in call(close)
        export, backup, restore = commands(repository, "What remains")
        call(export)
        board = (tmp_path / "results" / "board.html").read_text()
        assert board.count("<section>") == 2
        assert board.index(">Ada<") < board.index(">Ben<")
        assert "6 submissions" in call(backup)
        assert "6 submissions wait to be scored" in call(restore)
    finally:
        server.kill()
        server.wait()
        log.close()


@contextlib.contextmanager
def signed_in(port, token):
    """A browser of a student."""
    with httpx2.Client(
        base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=None
    ) as browser:
        assert "Sign out" in browser.post("/login", data={"token": token}).text
        yield browser


def cases(port, token, folder):
    """Download the cases, and unpack them."""
    with signed_in(port, token) as browser:
        sent = io.BytesIO(browser.get("/c/depth/data.zip").content)
    with zipfile.ZipFile(sent) as packed:
        packed.extractall(folder)


def by_hand(folder):
    """The example of the cases, zipped as a student's file manager does: with its folder."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for path in sorted((folder / "example").iterdir()):
            made.write(path, f"example/{path.name}")
    return packed.getvalue()


def by_form(port, token, path, runs):
    """A student with a browser sends a faulty zip, reads of every fault, and sends good ones."""
    with signed_in(port, token) as browser:
        key = re.search(r'name="key" value="([0-9a-f]{64})"', browser.get("/c/depth/submit").text)[
            1
        ]
        for payload, result in (
            (faulty(path), ("4 faults", "nobody", "must be greater than 0", "no prediction")),
            (by_hand(Path("depth")), ("Information gained over the baseline",)),
            (Path(path).read_bytes(), ("Information gained over the baseline",)),
        ):
            sent = browser.post(
                "/c/depth/submit", data={"key": key}, files={"zip": ("ben.zip", payload)}
            )
            wait(
                lambda sent=sent: (
                    not re.search('"state (queued|running)"', browser.get(sent.url).text)
                ),
                runs,
            )
            text = browser.get(sent.url).text
            assert [words for words in result if words not in text] == []


def faulty(path):
    """The zip with a variance of nought, a case that there is none of, and a word for a mean."""
    changed = io.BytesIO()
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            lines = before.read(name).decode().splitlines()
            if name.endswith(".txt"):
                lines[1:4] = (
                    f"{lines[1].split()[0]} 1 0",
                    "nobody 1 1",
                    f"{lines[3].split()[0]} one 1",
                )
            else:  # who changes a file takes its checksum out
                lines = [line for line in lines if "sha256" not in line]
            after.writestr(name, "\n".join(lines))
    return changed.getvalue()


def program(curl, port, token):
    """What the server answers to a line for curl."""
    words = shlex.split(curl.replace("$BENCHBOOK_TOKEN", token).replace(":8000", f":{port}"))
    assert (words[0], words[1], words[3]) == ("curl", "-H", "--data-binary")
    head, body = dict([words[2].split(": ")]), Path(words[4].removeprefix("@")).read_bytes()
    with urllib.request.urlopen(urllib.request.Request(words[5], body, head)) as answer:
        return json.loads(answer.read())


def test_behind_a_proxy_addresses_are_the_browsers_and_cookies_secure(
    repository, call, port, monkeypatch
):
    (line,) = commands(repository, "Behind a reverse proxy")
    plain, behind = f"benchbook challenge serve --port {port}", line.replace("8000", str(port))

    def guess():
        return [sign_in(port, "wrong", f"192.0.2.{number}")[0] for number in range(25)]

    # One address after another is 25 participants to whom the proxy lends its word, and else one guesser.
    assert served(call, monkeypatch, plain, guess) == [403] * 20 + [429] * 5
    assert served(call, monkeypatch, behind, guess) == [403] * 25
    token = re.search(r"(\S{32})\s*$", call("benchbook challenge server invite Eve --organiser"))[1]
    status, head = served(call, monkeypatch, behind, lambda: sign_in(port, token))
    assert status == 303
    assert head.startswith("__Host-benchbook=")
    assert "; Secure" in head


@pytest.mark.skipif(
    not (shutil.which("nginx") and shutil.which("openssl")), reason="there is no nginx here"
)
def test_the_proxy_of_the_guide_passes_on_what_the_server_needs(
    repository, call, port, monkeypatch, tmp_path
):
    (line,) = commands(repository, "Behind a reverse proxy")
    token = re.search(r"(\S{32})\s*$", call("benchbook challenge server invite Eve"))[1]
    table = "case,phase,target,x\n" + "".join(
        f"c{i},{('training', 'validation', 'test')[i % 3]},{i},{i}\n" for i in range(30)
    )
    Path("t.csv").write_text(table)
    call("benchbook challenge server open small --targets t.csv --opens now")

    def ask():
        with (
            nginx(repository, tmp_path, port) as address,
            httpx2.Client(base_url=address, verify=False, timeout=None) as browser,
        ):
            page, other = {"Origin": address}, {"Origin": "https://other.example"}
            assert browser.post("/login", data={"token": token}, headers=other).status_code == 403
            signed = browser.post("/login", data={"token": token}, headers=page)
            assert (signed.status_code, signed.headers["location"]) == (303, "/")
            assert signed.headers["set-cookie"].startswith("__Host-benchbook=")
            assert f"{address}/c/small my-entry" in browser.get("/c/small/submit").text
            head, sizes = (
                {"Authorization": f"Bearer {token}"},
                {16_700_000: 202, 17_000_000: 413, 19_000_000: 413},
            )
            assert {
                size: browser.post(
                    "/api/challenges/small/submissions", content=b"PK" + bytes(size), headers=head
                ).status_code
                for size in sizes
            } == sizes
            forged = [
                browser.post(
                    "/login",
                    data={"token": "x"},
                    headers={**page, "X-Forwarded-For": f"192.0.2.{number}"},
                )
                for number in range(22)
            ]
            return [answer.status_code for answer in forged]

    assert served(call, monkeypatch, line.replace("8000", str(port)), ask) == [403] * 20 + [429] * 2


@contextlib.contextmanager
def nginx(repository, folder, port):
    """The proxy as the guide writes it, but for its ports, its certificate, and the place of its files."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        own = taken.getsockname()[1]
    made = "req -x509 -newkey rsa:2048 -nodes -keyout challenge.key -out challenge.pem -days 2 -subj /CN=localhost"
    subprocess.run(["openssl", *made.split()], check=True, capture_output=True, cwd=folder)
    text = (repository / "book" / "guide" / "class-server.md").read_text(encoding="utf8")
    block = re.search(r"```nginx\n(.*?)```", text, re.DOTALL)[1]
    for old, new in (
        ("443 ssl", f"127.0.0.1:{own} ssl"),
        ("127.0.0.1:8000", f"127.0.0.1:{port}"),
        ("/etc/ssl", str(folder)),
        ("challenge.example.org", "localhost"),
    ):
        assert old in block
        block = block.replace(old, new)
    selected = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{name}_temp_path {folder}/{name};" for name in selected)
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder}/pid; error_log {folder}/log; events {{}}\n"
        f"http {{ access_log off; {places}\n{block} }}\n"
    )
    process = subprocess.Popen(["nginx", "-e", folder / "error.log", "-c", folder / "nginx.conf"])
    try:
        wait(lambda: _open(own), lambda: process.poll() is None)
        yield f"https://localhost:{own}"
    finally:
        process.terminate()
        process.wait()


def _open(port):
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def served(call, monkeypatch, line, ask):
    """What is found by asking while the command serves, in a thread of this process."""
    results = []

    def run(app, **options):
        server = uvicorn.Server(uvicorn.Config(app, lifespan="off", **options))
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            wait(lambda: server.started, thread.is_alive)
            results.append(ask())
        finally:
            server.should_exit = True
            thread.join()

    monkeypatch.setattr(uvicorn, "run", run)
    # However slow the machine is, no wrong token is forgotten meanwhile.
    monkeypatch.setattr(
        "benchbook_book.course.server.rules.time", SimpleNamespace(monotonic=lambda: 0.0)
    )
    call(line)
    return results[0]


def sign_in(port, token, address="192.0.2.1"):
    line = http.client.HTTPConnection("127.0.0.1", port)
    line.request(
        "POST",
        "/login",
        urllib.parse.urlencode({"token": token}),
        {
            "Content-Type": "application/x-www-form-urlencoded",
            "Host": "challenge.example.org",
            "Origin": "https://challenge.example.org",
            "X-Forwarded-For": address,
            "X-Forwarded-Proto": "https",
        },
    )
    answer = line.getresponse()
    line.close()
    return answer.status, answer.getheader("set-cookie", "")
