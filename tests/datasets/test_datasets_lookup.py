"""Where data is looked for, downloads that go right and wrong, and what is said about each."""

import dataclasses
import gzip
import hashlib
import http.server
import os
import queue
import threading
import time
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from refusals import refused

from benchbook import datasets
from benchbook.datasets import download, lookup, registry, roots
from benchbook.datasets.types import SourceFile
from benchbook.errors import BenchbookError, FaultyInput, MissingData

CONTENT = b"1.5 a\n2 b\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
REGISTRY = """
[datasets.small]
title = "t"
origin = "natural"
usage = "development"
family = "small"
description = "d"
citation = "c"
licence = "none"
shape = [2, 2]
targets = ["class"]
reader = "delve"
files = [["here/small.data", "{digest}", 10, "{address}"]]
attributes = [["x", "real", "[0,9]", "input"], ["class", "binary", ["a", "b"], "class"]]
"""


class Server(http.server.ThreadingHTTPServer):
    """Serves CONTENT, something else, half of it, no end of it or nothing, and counts the requests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.closed = [], threading.Event()

    def handle_error(self, request, client_address):
        """A client may leave before it has everything."""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        if self.path in ("/404", "/429", "/500"):
            self.send_error(int(self.path[1:]))
            return
        if self.path == "/silent":
            self.server.closed.wait(30)
            return
        body = b"not the data\n" if self.path == "/other" else CONTENT
        self.send_response(200)
        if self.path == "/endless":
            self.end_headers()
            while not self.server.closed.is_set():
                self.wfile.write(CONTENT * 1000)
        self.send_header("Content-Length", str(1_000_000 if self.path == "/drips" else len(body)))
        self.end_headers()
        if self.path == "/drips":
            while not self.server.closed.wait(0.05):
                self.wfile.write(body[:1])
        self.wfile.write(body[:4] if self.path == "/short" else body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.05,))
        thread.start()
        yield running
        running.closed.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty data folder and an empty cache; gives a function that registers the dataset ``small`` at an address."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("BENCHBOOK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("BENCHBOOK_CACHE", str(tmp_path / "cache"))
    for variable in (
        "BENCHBOOK_OFFLINE",
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(variable, raising=False)
    download._failed.clear()

    def register(address, digest=SHA256):
        path = tmp_path / "registry.toml"
        path.write_text(REGISTRY.format(digest=digest, address=address))
        monkeypatch.setattr(registry, "registry_path", lambda: path)
        registry.cards.cache_clear()
        registry.of_registry.cache_clear()
        return tmp_path

    yield register
    download._failed.clear()
    registry.cards.cache_clear()
    registry.of_registry.cache_clear()


def address(server, path):
    return f"http://127.0.0.1:{server.server_port}{path}"


def leftovers(folder):
    return [
        path
        for path in folder.rglob("*")
        if path.is_file() and folder in path.parents and "cache" in path.parts
    ]


def test_a_missing_file_is_downloaded_once(server, place):
    folder = place(address(server, "/good"))
    assert not datasets.at_hand("small")
    assert datasets.load("small").cases["x"].to_list() == [1.5, 2.0]
    assert (folder / "cache" / "here" / "small.data").read_bytes() == CONTENT
    assert datasets.at_hand("small")
    datasets.load("small")
    assert server.requests == ["/good"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/404", "the server answered 404"),
        ("/other", f"expected sha256 {SHA256}"),
        ("/endless", f"expected sha256 {SHA256}"),
        ("/short", "cut short"),
    ],
)
def test_a_bad_download_is_told_kept_away_and_not_tried_again(server, place, path, said):
    folder = place(address(server, path))
    for _ in range(2):
        with pytest.raises(MissingData, match=said) as caught:
            datasets.load("small")
    message = str(caught.value)
    assert "not tried again in this process" in message
    for part in (
        "here/small.data",
        str(folder / "data"),
        str(folder / "cache"),
        address(server, path),
        "$BENCHBOOK_DATA",
    ):
        assert part in message
    assert leftovers(folder) == []
    assert server.requests == [path]
    assert caught.value.exit_code == 3


def test_after_a_failure_is_forgotten_the_address_is_tried_again(server, place):
    place(address(server, "/404"))
    for _ in range(2):
        with pytest.raises(MissingData):
            datasets.load("small")
        download._failed.clear()
    assert server.requests == ["/404", "/404"]


@pytest.mark.parametrize("host", ["http://no-such-host.invalid", "http://127.0.0.1:9"])
def test_a_host_that_cannot_be_reached_costs_its_wait_once(place, host):
    folder = place(f"{host}/one")
    refused(MissingData, "cannot be reached; is there a network", datasets.load, "small")
    place(f"{host}/another")
    start = time.perf_counter()
    refused(MissingData, "not tried again", datasets.load, "small")
    assert time.perf_counter() - start < 1
    assert leftovers(folder) == []


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/500", "the server answered 500"),
        ("/429", "the server answered 429"),
        ("/silent", "did not answer in time"),
        ("/drips", "did not answer in time"),
    ],
)
def test_a_host_in_trouble_is_given_up_in_time_and_not_asked_for_another_file(
    server, place, monkeypatch, path, said
):
    monkeypatch.setattr(download, "TIMEOUT", (0.5, 0.5))
    monkeypatch.setattr(download, "PATIENCE", 1.0)
    for each in (path, "/good"):
        folder = place(address(server, each))
        refused(MissingData, said, datasets.load, "small")
    assert server.requests == [path]
    assert leftovers(folder) == []


def test_a_build_brings_all_there_is_to_be_had_and_asks_a_host_in_trouble_once(
    server, place, monkeypatch
):
    folder = place(address(server, "/good"))
    small = datasets.card("small")

    def card(path, at):
        return dataclasses.replace(
            small, files=(SourceFile(path, address(server, at), SHA256, len(CONTENT)),)
        )

    cards = [
        small,
        small,
        *map(card, ("there/gone", "there/late", "x/never"), ("/404", "/500", "/good")),
    ]
    assert lookup.bring(cards) == ("the server answered 404", "the server answered 500")
    assert server.requests == ["/good", "/404", "/500"]
    assert datasets.at_hand("small")
    assert leftovers(folder / "cache") == [folder / "cache" / "here" / "small.data"]
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "1")
    assert lookup.bring(cards) == ()
    assert len(server.requests) == 3


def test_a_cache_that_cannot_be_written_does_not_end_a_build(server, place, monkeypatch):
    folder = place(address(server, "/good"))
    (folder / "cache").write_text("not a folder")
    reasons = lookup.bring([datasets.card("small")])
    assert len(reasons) == 1
    assert "Set $BENCHBOOK_CACHE to a folder" in reasons[0]


@pytest.mark.parametrize("word", ["1", "true", "yes"])
def test_offline_means_no_request(server, place, monkeypatch, word):
    place(address(server, "/good"))
    monkeypatch.setenv("BENCHBOOK_OFFLINE", word)
    refused(MissingData, "BENCHBOOK_OFFLINE is set", datasets.load, "small")
    assert server.requests == []
    monkeypatch.setenv("BENCHBOOK_OFFLINE", "0")
    assert len(datasets.load("small")) == 2


def test_a_cache_that_cannot_be_written_is_told(server, place, monkeypatch):
    folder = place(address(server, "/good"))
    (folder / "cache").write_text("a file where the folder should be")
    with pytest.raises(BenchbookError, match="BENCHBOOK_CACHE") as caught:
        datasets.load("small")
    assert "small.data" in str(caught.value)
    assert not isinstance(caught.value, MissingData)


def test_a_read_only_cache_is_told(server, place, monkeypatch):
    import errno

    def refuse(*arguments, **options):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    place(address(server, "/good"))
    monkeypatch.setattr("tempfile.mkstemp", refuse)
    refused(BenchbookError, r"read-only[\s\S]*BENCHBOOK_CACHE", datasets.load, "small")


@pytest.mark.parametrize("packed", [False, True])
def test_a_data_folder_comes_before_the_network(server, place, packed):
    folder = place(address(server, "/good"))
    (folder / "data" / "here").mkdir()
    name = "small.data.gz" if packed else "small.data"
    (folder / "data" / "here" / name).write_bytes(gzip.compress(CONTENT) if packed else CONTENT)
    assert datasets.at_hand("small")
    assert datasets.load("small").cases["class"].to_list() == ["a", "b"]
    assert server.requests == []


@pytest.mark.parametrize(("where", "advice"), [("data", "BENCHBOOK_DATA"), ("cache", "delete it")])
def test_a_local_file_that_is_another_is_named_with_both_sums(server, place, where, advice):
    folder = place(address(server, "/good"))
    path = folder / where / "here" / "small.data"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"3 a\n4 b\n")
    with pytest.raises(FaultyInput) as caught:
        datasets.load("small")
    message = str(caught.value)
    result = hashlib.sha256(b"3 a\n4 b\n").hexdigest()
    for part in (
        str(path),
        f"sha256 {result}",
        f"expected sha256 {SHA256}",
        advice,
        address(server, "/good"),
    ):
        assert part in message
    assert path.read_bytes() == b"3 a\n4 b\n"
    assert server.requests == []


def test_a_damaged_packed_copy_is_told(place):
    folder = place("http://127.0.0.1:9/one")
    path = folder / "data" / "here" / "small.data.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(CONTENT * 100)[:30])
    refused(FaultyInput, "cut short or damaged", datasets.load, "small")


def test_a_published_file_with_other_cases_than_its_card_is_refused(server, place, monkeypatch):
    folder = place(address(server, "/good"))
    path = folder / "registry.toml"
    path.write_text(path.read_text().replace("shape = [2, 2]", "shape = [3, 2]"))
    refused(FaultyInput, "2 cases; its card says 3", datasets.load, "small")


def test_the_search_path(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near").mkdir()
    folders = ["~/mine", "near", "src", "", "/somewhere"]
    monkeypatch.setenv("BENCHBOOK_DATA", os.pathsep.join(folders))
    monkeypatch.setenv("BENCHBOOK_CACHE", "~/kept")
    root = roots.repository_root()
    assert datasets.search_path() == (
        tmp_path / "mine",
        tmp_path / "near",
        root / "src",
        Path("/somewhere"),
        tmp_path / "kept",
    )


def test_the_cache_of_the_system_is_the_default(monkeypatch):
    monkeypatch.delenv("BENCHBOOK_CACHE", raising=False)
    monkeypatch.delenv("BENCHBOOK_DATA", raising=False)
    (cache,) = datasets.search_path()
    assert cache.is_absolute()
    assert "benchbook" in cache.parts


def test_an_installation_without_its_registry_says_so(tmp_path, monkeypatch):
    lone = tmp_path / "a" / "b" / "benchbook" / "datasets" / "roots.py"
    monkeypatch.setattr(roots, "__file__", str(lone))
    refused(BenchbookError, "install benchbook again", roots.registry_path)
    (lone.parents[1] / "data").mkdir(parents=True)
    (lone.parents[1] / "data" / "registry.toml").touch()
    assert roots.registry_path() == lone.parents[1] / "data" / "registry.toml"


def test_at_hand_asks_for_all_files_of_a_dataset(place, monkeypatch, tmp_path):
    place("http://127.0.0.1:9/one")
    files = [
        SourceFile(name, "http://127.0.0.1:9/x", SHA256, 10) for name in ("one.data", "two.data")
    ]
    from dataclasses import replace

    from benchbook.datasets import lookup

    entry = replace(datasets.card("small"), files=tuple(files))
    (tmp_path / "data" / "one.data").write_bytes(CONTENT)
    assert [file.path for file in lookup.missing(entry)] == ["two.data"]


def test_a_download_takes_a_minute_and_a_second_for_every_10_kilobytes(monkeypatch):
    """The thread that reads is left behind, and hears that nobody waits any more."""
    answer, thread, get = MagicMock(), MagicMock(), MagicMock(side_effect=OSError)
    answer.return_value.get.side_effect = queue.Empty
    monkeypatch.setattr(download.queue, "SimpleQueue", answer)
    monkeypatch.setattr(download.threading, "Thread", thread)
    monkeypatch.setattr("requests.get", get)
    file = SourceFile("a", "http://h/a", SHA256, 20_000)
    with pytest.raises(TimeoutError):
        download._in_time(file)
    answer.return_value.get.assert_called_once_with(timeout=62.0)
    assert thread.call_args.kwargs["daemon"] is True
    assert thread.call_args.kwargs["args"][2].is_set()
    download._read(*thread.call_args.kwargs["args"])
    get.assert_called_once_with("http://h/a", stream=True, timeout=(5, 30))
