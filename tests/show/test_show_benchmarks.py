"""The page of benchmarks says what the file says: goals met, missed and not measured."""

import json

import pytest

from benchbook.errors import BenchbookError
from benchbook.show import benchmarks

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


def test_goals_stand_beside_their_ratios(tmp_path):
    text = repr(read(tmp_path).tables())
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "5.00" in rows["numpy"]
    assert "≥ 4" in rows["numpy"]
    assert rows["numpy"].split()[-2:] == ["met", "–"]
    assert rows["slow"].split()[-2:] == ["missed", "–"]
    assert "not measured: not installed" in rows["gone"]
    assert "2.00 ms" in rows["ours"]
    assert "at most 1 seconds a call. Reached: 0.00200, met." in text


def test_memory_beyond_the_data_has_its_column_and_goal(tmp_path):
    lines = [{**MADE["lines"][0], "extra": 2.0}, {**MADE["lines"][1], "extra": 320.0}]
    goal = {
        "benchmark": "sums",
        "what": "memory",
        "contender": "numpy",
        "wanted": 10.0,
        "reached": 160.0,
        "met": True,
    }
    text = repr(read(tmp_path, lines=lines, goals=[goal]).tables())
    assert "extra MB" in text
    assert "extra MB" not in repr(read(tmp_path).tables())
    assert "beyond the data's: numpy at least 10 times ours. Reached: 160, met." in text


def test_the_verdict_counts(tmp_path):
    assert read(tmp_path).verdict() == "4 goals: 2 met, 1 missed and 1 not measured"
    assert read(tmp_path, goals=[]).verdict() == "no goals"


def test_columns_that_say_nothing_are_left_out(tmp_path):
    lines = [{**line, "megabytes": None, "note": ""} for line in MADE["lines"][:2]]
    text = repr(read(tmp_path, lines=lines, goals=[]).tables())
    assert "peak MB" not in text
    assert "goal" not in text
    assert "numpy" in text


def test_origin_names_machine_versions_and_command(tmp_path):
    text = repr(read(tmp_path).origin())
    assert "processor: m" in text
    assert "Python 3.11.0, numpy 2.0" in text
    assert "commit abcdef012345" in text
    assert benchmarks.COMMAND in text


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


def test_spreads_are_per_cents_and_goals_of_ratios_stand_in_the_table_alone(tmp_path):
    text = repr(read(tmp_path).tables())
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "±1.0 %" in rows["ours"]
    assert text.count("Goal for") == 1
    origin = repr(read(tmp_path).origin("make it")).splitlines()
    assert origin == [
        "measured: 2030-01-02 03:04 UTC",
        "processor: m",
        "system: s",
        "package: benchbook 0, commit abcdef012345",
        "libraries: Python 3.11.0, numpy 2.0",
        "rounds: 7",
        "measure it again: `make it`",
    ]
