"""How the challenge server bears a class: every participant signs in, looks around and submits, all within a minute.

    python3 src/bootstrap.py run python benchmarks/server/load.py [--participants 200] [--seconds 60]

It starts a server of its own on a scratch database, and prints the times of pages while entries are scored, how many
submissions were lost, and how long it took until the last one was scored and stood on the board. ``--json FILE`` writes
them with the machine and the date, as the book shows them.
"""

import argparse
import contextlib
import http.client
import io
import json
import os
import platform
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchbook.studies import provenance
from benchbook_book.course.server import holding
from benchbook_book.course.server.store import Store

CASES = {"training": 500, "validation": 400, "test": 400}
WORDS = (
    'format = "benchbook.submission/1"\nname = "entry-{0}"\nteam = "t"\nmethod = "A guess, number {0}."\n'
    '[[prediction]]\ntask = "load/test/validation"\nfile = "a.txt"\nkind = "gaussian"\n'
)


def table(rng: np.random.Generator) -> tuple[bytes, np.ndarray]:
    """A challenge of numbers with one input, and that input in the validation phase."""
    lines, inputs = ["# task = load/test", "# kind = real", "case,phase,target,x"], []
    for phase, count in CASES.items():
        for place in range(count):
            x = rng.normal()
            lines.append(f"{phase}-{place},{phase},{x + rng.normal():.6f},{x:.6f}")
            inputs += [x] if phase == "validation" else []
    return "\n".join(lines).encode(), np.array(inputs)


def entry(number: int, inputs: np.ndarray, rng: np.random.Generator) -> bytes:
    """A submission that is a little worse than the best possible."""
    packed, mean = io.BytesIO(), (1 + 0.2 * rng.normal()) * inputs + 0.2 * rng.normal()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.toml", WORDS.format(number))
        archive.writestr("a.txt", "".join(f"{value:.6f} 1.1\n" for value in mean))
    return packed.getvalue()


class Participant:
    """One who signs in, looks around, submits, and looks at what came of it."""

    def __init__(self, port: int, token: str) -> None:
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.token, self.cookie, self.times = token, "", list[tuple[str, float]]()

    def ask(self, path: str, body: bytes | None = None, kind: str = "") -> tuple[str, str]:
        """A page, and where a redirection leads."""
        began = time.perf_counter()
        head = {"Cookie": self.cookie} | ({"Content-Type": kind} if body else {})
        self.line.request("POST" if body else "GET", path, body, head)
        answer = self.line.getresponse()
        text = answer.read().decode("utf-8", "replace")
        self.times.append((re.sub(r"\d+", "N", path), time.perf_counter() - began))
        if answer.status >= 400:
            raise RuntimeError(f"{path}: {answer.status} {text[:200]}")
        if cookie := answer.getheader("set-cookie"):
            self.cookie = cookie.partition(";")[0]
        return text, answer.getheader("location", "")

    def play(self, payload: bytes) -> None:
        """All of it."""
        self.ask(
            "/login",
            urllib.parse.urlencode({"token": self.token}).encode(),
            "application/x-www-form-urlencoded",
        )
        self.ask("/c/load")
        self.ask("/c/load/data.zip")
        form, _ = self.ask("/c/load/submit")
        key = re.search(r'name="key" value="(\w+)"', form)
        assert key is not None
        edge = "edge-of-a-part"
        body = (
            f'--{edge}\r\nContent-Disposition: form-data; name="key"\r\n\r\n{key[1]}\r\n--{edge}\r\n'
            f'Content-Disposition: form-data; name="zip"; filename="a.zip"\r\n\r\n'
        ).encode()
        _, place = self.ask(
            "/c/load/submit",
            body + payload + f"\r\n--{edge}--\r\n".encode(),
            f"multipart/form-data; boundary={edge}",
        )
        for path in (place, "/c/load/board", "/c/load/mine", place):
            self.ask(path)
            time.sleep(1)


def serve(folder: Path) -> tuple[subprocess.Popen[bytes], int, str]:
    """A server of its own: its process, port and database."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = int(taken.getsockname()[1])
    database = str(folder / "challenge.sqlite")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "benchbook",
            "challenge",
            "serve",
            "--database",
            database,
            "--port",
            str(port),
        ],
        stdout=subprocess.DEVNULL,
    )
    while True:
        with (
            contextlib.suppress(OSError),
            contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as line,
        ):
            line.request("GET", "/health")
            if line.getresponse().status == 200:
                return process, port, database
        time.sleep(0.1)


def main() -> None:
    """Serve, send, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    wanted = parser.parse_args()
    rng, idle = np.random.default_rng(1), os.getloadavg()[0]
    targets, inputs = table(rng)
    with tempfile.TemporaryDirectory() as scratch:
        process, port, database = serve(Path(scratch))
        try:
            store = Store(database)
            with store.writing() as session:
                holding.open_challenge(session, "load", targets, {"opens": "now"})
                made = holding.invite(
                    session, [f"team {number}" for number in range(wanted.participants)]
                )
            players = [Participant(port, token) for _, token in made]
            payloads = [entry(number, inputs, rng) for number in range(wanted.participants)]
            starts, faults = (
                np.sort(rng.uniform(0, wanted.seconds, wanted.participants)),
                list[str](),
            )
            began = time.perf_counter()

            def play(place: int) -> None:
                time.sleep(max(0.0, starts[place] - (time.perf_counter() - began)))
                try:
                    players[place].play(payloads[place])
                except (OSError, RuntimeError, http.client.HTTPException) as error:
                    faults.append(str(error))

            threads = [
                threading.Thread(target=play, args=(place,)) for place in range(wanted.participants)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            sent = time.perf_counter() - began
            lines = _until_scored(store, wanted.participants - len(faults))
            figures = {
                "load before": round(idle, 1),
                **_figures(players, faults, sent, time.perf_counter() - began, lines),
            }
            print(json.dumps(figures, indent=1))
            if wanted.json:
                made = {
                    **provenance(),
                    "machine": platform.machine(),
                    "system": platform.platform(),
                    "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
                    "figures": figures,
                }
                Path(wanted.json).write_text(json.dumps(made, indent=2) + "\n", "utf8")
        finally:
            process.terminate()
            process.wait()


def _until_scored(store: Store, count: int) -> int:
    """Wait until all stand on the board; how many do."""
    from benchbook_book.course.server.models import Challenge, Standing

    end, lines = time.perf_counter() + 300, 0
    while lines < count and time.perf_counter() < end:
        with store.reading() as session:
            one = session.query(Challenge).one()
            standing = session.get(Standing, (one.id, "validation"))
            lines = (
                0
                if standing is None
                else sum(not line["baseline"] for line in standing.board["lines"])
            )
        time.sleep(0.2)
    return lines


def _figures(
    players: list[Participant], faults: list[str], sent: float, done: float, lines: int
) -> dict[str, object]:
    every = [moment for player in players for _, moment in player.times]
    pages = sorted({path for player in players for path, _ in player.times})
    quantile = {
        path: float(
            np.quantile(
                [moment for player in players for name, moment in player.times if name == path],
                0.95,
            )
        )
        for path in pages
    }
    return {
        "load at the end": round(os.getloadavg()[0], 1),
        "processors": os.cpu_count(),
        "participants": len(players),
        "requests": len(every),
        "faults": faults[:5],
        "entries on the board": lines,
        "seconds until all had sent": round(sent, 1),
        "seconds until all were on the board": round(done, 1),
        "seconds of a page, median": round(float(np.median(every)), 3),
        "seconds of a page, 95 %": round(float(np.quantile(every, 0.95)), 3),
        "seconds of a page, longest": round(max(every), 3),
        "95 % by page": {path: round(value, 3) for path, value in quantile.items()},
    }


if __name__ == "__main__":
    main()
