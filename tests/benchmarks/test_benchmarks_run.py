"""The benchmark runner: contenders in turn, ratios to the first, and peers that are not installed are only said."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / "benchmarks" / "run.py"

TOY = """
NAME = "sums"
PEERS = ("no_such_library",)
GOALS = {"seconds": 60.0, "slow": 1.5, "gone": 2.0}
SEEN = []


def build():
    def missing():
        raise ImportError("gone is not installed")
    def count(label, size):
        def call():
            SEEN.append(label)
            return sum(range(size)) * 0
        return call
    return {"ours": count("ours", 50_000), "slow": count("slow", 400_000), "gone": missing}


def check(results):
    assert set(results) == {"ours", "slow"}
    assert results["ours"] == results["slow"], "they disagree"
"""


@pytest.fixture
def runner(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("benchmarks_run", RUN)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec.loader.exec_module(module)
    for name in module._THREADS:
        monkeypatch.setenv(name, "1")
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(module, "_HERE", tmp_path)
    monkeypatch.setattr(module, "_SHORTEST", 0.002)
    return module


def test_table_has_ratios_and_says_what_is_missing(runner, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "--rounds", "3"])
    runner.main()
    out = capsys.readouterr().out
    ours, slow, gone, absent = (
        next(line for line in out.splitlines() if word in line)
        for word in ("sums ", "slow ", "gone ", "no_such_library")
    )
    assert ours.split()[-1] == "1.00"
    assert float(slow.split()[-1]) > 0.0
    assert "not run: gone is not installed" in gone
    assert "not installed" in absent
    assert "slow at least 1.5 times ours" in out
    assert "gone at least 2 times ours: not measured" in out


def test_contenders_take_turns(runner):
    lines = runner.measure("toy", 2, False)
    seen = sys.modules["benchmarks_toy"].SEEN
    assert [line.contender for line in lines] == ["ours", "slow", "gone", "no_such_library"]
    turns = [label for k, label in enumerate(seen) if k == 0 or seen[k - 1] != label]
    assert turns[-4:] == ["ours", "slow", "ours", "slow"]


def test_numbers_as_json(runner, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(
        sys, "argv", ["run.py", "--rounds", "1", "--json", str(tmp_path / "out.json")]
    )
    runner.main()
    assert "ratio to ours" in capsys.readouterr().out
    data = json.loads((tmp_path / "out.json").read_text())
    assert [line["contender"] for line in data["lines"]] == [
        "ours",
        "slow",
        "gone",
        "no_such_library",
    ]
    assert data["lines"][0]["ratio"] == 1.0
    assert data["titles"] == {"toy": "sums"}
    assert {"cpu", "python", "libraries", "commit", "made"} <= set(data)
    assert data["libraries"]["numpy"]
    seconds, slow, gone = data["goals"]
    assert (seconds["what"], seconds["contender"], seconds["met"]) == ("seconds", "", True)
    assert (slow["what"], slow["contender"], slow["wanted"]) == ("ratio", "slow", 1.5)
    assert slow["met"] == (slow["reached"] >= 1.5)
    assert (gone["reached"], gone["met"]) == (None, None)


def test_contenders_that_disagree_are_not_timed(runner, tmp_path):
    (tmp_path / "toy.py").write_text(TOY.replace("* 0", ""))
    with pytest.raises(AssertionError, match="they disagree"):
        runner.measure("toy", 1, False)


def test_a_missed_goal_can_end_in_failure(runner, monkeypatch, tmp_path, capsys):
    (tmp_path / "toy.py").write_text(TOY.replace('"seconds": 60.0', '"seconds": 1e-9'))
    monkeypatch.setattr(sys, "argv", ["run.py", "--rounds", "1", "--strict"])
    with pytest.raises(SystemExit) as caught:
        runner.main()
    assert caught.value.code == 1
    assert "MISSED" in capsys.readouterr().out


def test_peak_memory_is_that_of_the_contender_alone(runner):
    """Not that of the process that asks, which holds a hundred megabytes more."""
    held_out = bytearray(100_000_000)
    held_out[::4096] = b"x" * len(held_out[::4096])
    process = subprocess.run(
        [sys.executable, "-c", f"import runpy; print(runpy.run_path({str(RUN)!r})['_own_peak']())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 1.0 < float(process.stdout) < runner._own_peak() - 90.0


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(),
    reason="no counter of the peak that can be restarted",
)
def test_extra_memory_is_what_the_call_added(runner, monkeypatch, tmp_path):
    """Neither the data made before it nor the peak of the smallest call; 80 and 8 megabytes, ten times ours."""
    (tmp_path / "hungry.py").write_text("""
GOALS = {"hungry memory": 5.0, "gone memory": 2.0}
SMALLEST = {"size": 100}


def build(size=1_000_000):
    data = b"x" * (100 * size)
    return {"ours": lambda: b"x" * (8 * size) and None, "hungry": lambda: b"x" * (80 * size) and len(data) * 0 or None}

""")
    (tmp_path / "run.py").write_text(RUN.read_text())
    monkeypatch.setattr(runner, "__file__", str(tmp_path / "run.py"))
    lines = runner.measure("hungry", 1, True)
    assert [line.extra for line in lines] == [
        pytest.approx(8.0, abs=1.0),
        pytest.approx(80.0, abs=1.0),
    ]
    assert all(line.megabytes > 100.0 + line.extra for line in lines)
    hungry, gone = runner.verdicts("hungry", lines)
    assert (hungry.what, hungry.met) == ("memory", True)
    assert hungry.reached == pytest.approx(10.0, rel=0.2)
    assert str(hungry).startswith("hungry: goal hungry's extra memory at least 5 times ours")
    assert (gone.reached, gone.met) == (None, None)


def test_at_the_smallest_sizes_it_says_who_took_part_and_who_did_not(
    runner, monkeypatch, tmp_path, capsys
):
    (tmp_path / "toy.py").write_text(
        TOY.replace("def build():", "SMALLEST = {'times': 1}\n\n\ndef build(times=1000):").replace(
            "range(size)", "range(times * size)"
        )
    )
    monkeypatch.setattr(sys, "argv", ["run.py", "--smallest", "--rounds", "9"])
    runner.main()
    assert capsys.readouterr().out == (
        "toy: ours; slow. Left out: gone (not run: gone is not installed); "
        "no_such_library (not installed)\n"
    )
    assert sys.modules["benchmarks_toy"].SEEN == ["ours", "slow"] * 2  # the warm-up and one round


@pytest.mark.parametrize(
    "option", [["--memory"], ["--strict"], ["--json", "out.json"], ["--against", "out.json"]]
)
def test_the_smallest_sizes_are_not_kept_or_judged(runner, monkeypatch, capsys, option):
    monkeypatch.setattr(sys, "argv", ["run.py", "--smallest", *option])
    with pytest.raises(SystemExit):
        runner.main()
    assert "--smallest measures nothing" in capsys.readouterr().err


def test_unknown_benchmark_names_those_there_are(runner):
    with pytest.raises(SystemExit, match="no benchmark matches nothing; there are toy"):
        runner.find(["nothing"])


@pytest.mark.parametrize(
    ("ratio", "code", "text"),
    [
        (1e-3, None, "no ratio of 2 published is halved"),
        (1e9, 1, "toy: slow takes"),
    ],
)
def test_a_published_ratio_that_is_halved_is_a_failure(
    runner, monkeypatch, tmp_path, capsys, ratio, code, text
):
    (tmp_path / "other.py").write_text("def build():\n    raise AssertionError('not published')\n")
    lines = [
        {"benchmark": "toy", "contender": name, "ratio": value}
        for name, value in {"ours": 1.0, "slow": ratio, "gone": 3.0, "never": None}.items()
    ]
    (tmp_path / "known.json").write_text(json.dumps({"lines": lines}))
    monkeypatch.setattr(
        sys, "argv", ["run.py", "--rounds", "1", "--against", str(tmp_path / "known.json")]
    )
    if code is None:
        runner.main()
    else:
        with pytest.raises(SystemExit) as caught:
            runner.main()
        assert caught.value.code == code
        turns = "".join(label[0] for label in sys.modules["benchmarks_toy"].SEEN)
        assert turns.count("os") >= 2, "it is measured once more"
    out = capsys.readouterr().out
    assert text in out
    assert "published, and not measured here: toy: gone" in out


def test_half_of_a_published_ratio_is_the_limit(runner):
    known = {("toy", "a"): 10.0, ("toy", "b"): 0.4}
    lines = [runner.Line("toy", name, 1.0, 0.0, ratio) for name, ratio in (("a", 4.9), ("b", 0.21))]
    assert set(runner.halved(lines, known)) == {("toy", "a")}
    assert runner.halved([runner.Line("toy", "c", 1.0, 0.0, 0.1)], known) == {}
