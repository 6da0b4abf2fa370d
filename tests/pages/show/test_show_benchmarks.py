"""The page of benchmarks says what the file says: goals met, missed and not measured."""

import json
from pathlib import Path

import pytest
from printed import held

from benchbook.errors import BenchbookError
from benchbook_book.pages.show import benchmarks

MADE = {
    "machine": "m",
    "system": "s",
    "cpu": "",
    "python": "3.11.0",
    "libraries": {"numpy": "2.0"},
    "benchbook": "0",
    "commit": "abcdef0123456789",
    "made": "2030-01-02 03:04 UTC",
    "rounds": 7,
    "titles": {"sums": "sums of things"},
    "lines": [
        {
            "benchmark": "sums",
            "contender": "ours",
            "seconds": 0.002,
            "spread": 0.01,
            "ratio": 1.0,
            "megabytes": 50.0,
            "note": "",
        },
        {
            "benchmark": "sums",
            "contender": "numpy",
            "seconds": 0.01,
            "spread": 0.02,
            "ratio": 5.0,
            "megabytes": None,
            "note": "",
        },
        {
            "benchmark": "sums",
            "contender": "slow",
            "seconds": 0.003,
            "spread": 0.02,
            "ratio": 1.5,
            "megabytes": None,
            "note": "",
        },
        {
            "benchmark": "sums",
            "contender": "gone",
            "seconds": None,
            "spread": None,
            "ratio": None,
            "megabytes": None,
            "note": "not installed",
        },
    ],
    "goals": [
        {
            "benchmark": "sums",
            "what": "ratio",
            "contender": "numpy",
            "wanted": 4.0,
            "reached": 5.0,
            "met": True,
        },
        {
            "benchmark": "sums",
            "what": "ratio",
            "contender": "slow",
            "wanted": 2.0,
            "reached": 1.5,
            "met": False,
        },
        {
            "benchmark": "sums",
            "what": "ratio",
            "contender": "Gone",
            "wanted": 2.0,
            "reached": None,
            "met": None,
        },
        {
            "benchmark": "sums",
            "what": "seconds",
            "contender": "",
            "wanted": 1.0,
            "reached": 0.002,
            "met": True,
        },
    ],
}


def read(tmp_path, **changes):
    path = tmp_path / "made.json"
    path.write_text(json.dumps({**MADE, **changes}), encoding="utf8")
    return benchmarks.read(path)


LINES = MADE["lines"][:2]
GOAL = {
    "benchmark": "sums",
    "what": "memory",
    "contender": "numpy",
    "wanted": 10.0,
    "reached": 160.0,
    "met": True,
}
SHOWN = {
    "goals": {},
    "memory": {
        "lines": [{**LINES[0], "extra": 2.0}, {**LINES[1], "extra": 320.0}],
        "goals": [GOAL],
    },
    "no goals": {"lines": [{**line, "megabytes": None} for line in LINES], "goals": []},
}


@pytest.mark.parametrize("key", SHOWN)
def test_what_is_shown_is_held(tmp_path, key):
    measured = read(tmp_path, **SHOWN[key])
    text = f"{measured.tables()!r}\n{measured.verdict()}\n{measured.origin('make it')!r}\n"
    held(Path(__file__).with_name("benchmarks.txt"), key, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.5, "1.50 s"), (0.0391, "39.1 ms"), (2.5e-5, "25.0 µs"), (3e-9, "3.00 ns"), (None, "–")],
)
def test_durations(value, text):
    assert benchmarks.duration(value) == text


@pytest.mark.parametrize(
    "content", ["", "{}", '{"lines": 3, "titles": {}, "goals": [], "made": ""}']
)
def test_a_file_of_another_kind_is_refused_with_the_way_to_make_it(tmp_path, content):
    path = tmp_path / "made.json"
    path.write_text(content, encoding="utf8")
    with pytest.raises(
        BenchbookError, match=r"cannot read benchmarks from .*made\.json(.|\n)*make bench"
    ):
        benchmarks.read(path)
    with pytest.raises(BenchbookError, match="cannot read"):
        benchmarks.read(tmp_path / "absent.json")


def test_the_numbers_of_the_book_can_be_read():
    measured = benchmarks.read()
    assert "benchbook" in measured.lines["contender"].to_list()
    assert "goals" in measured.verdict()


def test_the_load_of_the_server_is_told_with_the_machine_and_what_else_ran(monkeypatch, tmp_path):
    monkeypatch.setattr(benchmarks, "registry_path", lambda: tmp_path / "data" / "registry.toml")
    with pytest.raises(BenchbookError, match=r"--json data/benchmarks-server\.json"):
        benchmarks.read_server()
    figures = {
        "95 % by page": {"/login": 0.25},
        "processors": 2,
        "load before": 1.5,
        "load at the end": 4.0,
    }
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "benchmarks-server.json").write_text(
        json.dumps({**MADE, "figures": figures})
    )
    load = benchmarks.read_server()
    assert "250 ms" in repr(load.table())
    assert "1.5 before, 4 at the end" in repr(load.origin())
    assert "2 cores" in repr(load.origin())
