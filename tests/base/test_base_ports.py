"""A port that cannot be had is told before anything is made."""

import os
import re
import socket
from unittest.mock import MagicMock, call

import pytest
from click.testing import CliRunner

from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.ports import ensure_free


@pytest.fixture
def taken():
    """A port on which another program listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_a_taken_port_is_told_with_a_free_one(taken):
    with pytest.raises(BenchbookError, match=rf"port {taken} of 127.0.0.1 is taken") as caught:
        ensure_free("127.0.0.1", taken)
    free = int(re.search(r"--port (\d+) for example", str(caught.value))[1])
    assert free > taken
    ensure_free("127.0.0.1", free)


def test_a_host_that_is_not_here_is_told():
    with pytest.raises(BenchbookError, match="an address of this machine"):
        ensure_free("192.0.2.1", 8000)


@pytest.mark.skipif(os.name != "posix", reason="as servers of this system take ports")
def test_a_port_is_tried_as_servers_take_it(monkeypatch):
    tried = MagicMock()
    monkeypatch.setattr(socket, "socket", tried)
    ensure_free("127.0.0.1", 8000)
    taken = tried.return_value.__enter__.return_value
    assert taken.method_calls == [
        call.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1),
        call.bind(("127.0.0.1", 8000)),
    ]


@pytest.mark.parametrize(
    "command", [("challenge", "serve", "--database", "new.sqlite"), ("book", "slides", "--serve")]
)
def test_a_command_that_serves_makes_nothing_where_the_port_is_taken(
    taken, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*command, "--port", str(taken)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"port {taken} of 127.0.0.1 is taken" in result.stderr
    assert list(tmp_path.iterdir()) == []
