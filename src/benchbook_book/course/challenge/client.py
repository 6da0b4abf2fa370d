"""Sending a submission to a challenge server: checked here first, sent, and waited for."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import zipped
from benchbook_book.course.challenge import names
from benchbook_book.course.challenge.checking import read
from benchbook_book.course.challenge.container import MANIFEST
from benchbook_book.course.challenge.findings import quote, show
from benchbook_book.course.challenge.targets import read as read_targets

_ADDRESS = re.compile(r"(https?://[^\s/?#@]+(?:/[^\s?#]*)?)/c/([a-z0-9-]{1,64})(?:/.*)?")
_PAUSES = (0.3, 0.5, 1.0, 2.0)
_WAIT = 30


class Server:
    """A challenge on a server.

    Args:
        address: that of its page, for example ``https://host/c/fuel``.
        token: the participant's.

    Raises:
        BenchbookError: that is no address of a challenge, or the token has other than letters, digits, - and _.
    """

    def __init__(self, address: str, token: str) -> None:
        match = _ADDRESS.fullmatch(address.strip())
        if not match:
            raise BenchbookError(
                f"{address} is no address of a challenge; copy that of its page, as https://host/c/fuel"
            )
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", token):
            raise BenchbookError("that is no token; copy it as the organiser gave it")
        self._base, self._slug, self._token = match[1], match[2], token

    def cases(self) -> bytes:
        """The table of the challenge, the hidden targets empty."""
        return self._ask(f"/api/challenges/{self._slug}/cases.csv")

    def now(self) -> dict[str, Any]:
        """The challenge as it stands: its phase, and the tasks that may be entered now."""
        return dict(json.loads(self._ask(f"/api/challenges/{self._slug}")))

    def send(self, packed: bytes) -> dict[str, Any]:
        """Send a zip; what the server says of it.

        An answer that is lost on the way does no harm: the same zip, sent again, is not taken twice.
        """
        return dict(json.loads(self._ask(f"/api/challenges/{self._slug}/submissions", packed)))

    def state(self, number: int) -> dict[str, Any]:
        """What became of a submission so far."""
        return dict(json.loads(self._ask(f"/api/submissions/{number}")))

    def _ask(self, path: str, body: bytes | None = None) -> bytes:
        head = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/zip"}
        request = urllib.request.Request(self._base + path, body, head)
        opener = urllib.request.build_opener(_Stay)
        try:
            with opener.open(request, timeout=_WAIT) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            raise BenchbookError(f"the server refused: {_reason(error)}") from error
        except (OSError, ValueError) as error:
            raise BenchbookError(
                f"{self._base} cannot be reached: {getattr(error, 'reason', error)}. Check the "
                "address, and whether the server runs."
            ) from error


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follow no redirection: the token is for this server only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.loads(error.read(10_000))["error"])[:2000]
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"


def submit(
    server: Server, path: str | Path, say: Callable[[str], None], wait: float = 300
) -> dict[str, Any]:
    """Check a submission here, send it, and wait until it is scored.

    Args:
        server: where. path: a folder or a zip. say: is told what happens. wait: seconds, at most.

    Returns:
        What the server says of it.

    Raises:
        FaultyInput: its faults, and tasks that the phase does not take; then nothing was sent.
        BenchbookError: the server refuses it, or cannot be reached.
    """
    phase = _check(server, path)
    say(f"checked here: no fault, and for the phase that is now, {phase}")
    packed = pack(Path(path))
    say(f"sending {len(packed)} bytes")
    state = server.send(packed)
    say(f"received as number {state['number']}")
    began, pauses = time.monotonic(), iter(_PAUSES)
    while state["status"] in ("queued", "running") and time.monotonic() - began < wait:
        time.sleep(next(pauses, _PAUSES[-1]))
        state = server.state(state["number"])
    return state


def _check(server: Server, path: str | Path) -> str:
    """Refuse a submission with faults, or for tasks that may not be entered now; the phase that is now."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cases.csv"
        table.write_bytes(server.cases())
        organiser = read_targets(table)
    now = server.now()
    name, phase, taken = (
        show(str(now["name"])),
        show(str(now["phase"])),
        [str(item["task"]) for item in now["tasks"]],
    )
    listed = show(", ".join(taken)) or "nothing"
    try:
        entries = read(path, organiser).entries
        faults = [
            Fault(
                f"{MANIFEST}, task",
                quote(entry.task),
                f"must be one that {name} takes now: {listed}",
            )
            for entry in entries
            if entry.task not in taken
        ]
        if faults:
            raise FaultyInput(f"submission {show(str(path))}", faults)
    except FaultyInput as error:
        raise FaultyInput(
            error.what,
            error.faults,
            f"Nothing was sent. The phase of {name} is {phase}: it takes "
            f"predictions for {listed}. `benchbook challenge enter` takes these after --tasks; download "
            "the cases again if yours are from another phase.",
        ) from error
    return phase


def pack(path: Path) -> bytes:
    """A folder as a zip, the same bytes for the same files; a zip as it is."""
    if path.is_file():
        return path.read_bytes()
    files = {
        file.relative_to(path).as_posix(): file
        for file in sorted(path.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }
    return zipped({name: file.read_bytes() for name, file in files.items() if not names.dust(name)})


def token(file: str | None) -> str:
    """The token of a participant: from a file, or from BENCHBOOK_TOKEN.

    Raises:
        BenchbookError: there is none.
    """
    if file is not None:
        try:
            return Path(file).read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BenchbookError(f"the token in {file} cannot be read: {error}") from error
    if not (value := os.environ.get("BENCHBOOK_TOKEN", "").strip()):
        raise BenchbookError(
            "say who you are: put your token into BENCHBOOK_TOKEN, or into a file for --token-file"
        )
    return value
