"""Time what this package does against what others do: ``python benchmarks/run.py``, see README.md beside this file."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

_HERE = Path(__file__).resolve().parent
_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
_LIBRARIES = (
    "numpy",
    "scipy",
    "numba",
    "llvmlite",
    "polars",
    "scikit-learn",
    "torch",
    "jax",
    "blackjax",
    "arviz",
    "scoringrules",
)
_SHORTEST = 0.05
_MEMORY = " memory"

Contender = Callable[[], object]


@dataclass(frozen=True)
class Line:
    """One contender of one benchmark: CPU seconds a call, their spread, its ratio to ours, and its memory.

    ``megabytes`` is the peak of a process that makes the data and calls the contender, ``extra`` what the call added to
    what the process held before it, with libraries loaded and data made.
    """

    benchmark: str
    contender: str
    seconds: float | None
    spread: float | None
    ratio: float | None
    megabytes: float | None = None
    extra: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """One goal: what is to reach which number, what was reached, and whether that is enough (None: not measured).

    ``contender`` is another one whose time ("ratio") or extra memory ("memory"), as a multiple of ours, is to be at
    least ``wanted``; without one, ``what`` ("seconds" or "megabytes") of ours is to be at most that.
    """

    benchmark: str
    what: str
    contender: str
    wanted: float
    reached: float | None
    met: bool | None

    def __str__(self) -> str:
        whose = f"{self.contender}'s extra memory" if self.what == "memory" else self.contender
        wish = (
            f"{whose} at least {self.wanted:g} times ours"
            if self.contender
            else f"{self.what} at most {self.wanted:g}"
        )
        state = (
            "not measured"
            if self.reached is None
            else f"{self.reached:.3g}, {'met' if self.met else 'MISSED'}"
        )
        return f"{self.benchmark}: goal {wish}: {state}"


def one_thread() -> None:
    """Hold every library to one thread. Must come before any of them is imported."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    sys.path.insert(0, str(_HERE.parent / "src"))


def find(patterns: Iterable[str]) -> list[str]:
    """Names of the benchmarks that match any of the patterns: the other modules of this folder."""
    names = sorted(path.stem for path in _HERE.glob("*.py") if path.name != "run.py")
    chosen = [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not chosen:
        raise SystemExit(
            f"no benchmark matches {', '.join(patterns)}; there are {', '.join(names)}"
        )
    return chosen


def load(name: str) -> ModuleType:
    """Import the benchmark of that name from this folder."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", _HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def measure(name: str, rounds: int, memory: bool, smallest: bool = False) -> list[Line]:
    """Warm every contender up, check that all did the same work, then time them in turn, round after round.

    With ``smallest``, at the benchmark's smallest sizes and with as few calls as it takes to see that all works.
    """
    module = load(name)
    absent = [
        peer for peer in getattr(module, "PEERS", ()) if importlib.util.find_spec(peer) is None
    ]
    contenders, results, missing = _warm(module.build(**(module.SMALLEST if smallest else {})))
    if hasattr(module, "check"):
        module.check(results)
    repeats = {label: 1 if smallest else _repeats(call) for label, call in contenders.items()}
    times: dict[str, list[float]] = {label: [] for label in contenders}
    for _ in range(rounds):
        for label, call in contenders.items():
            times[label].append(_cpu(call, repeats[label]))
    ours = statistics.median(next(iter(times.values())))
    lines = [
        _line(name, label, taken, ours, *(_memory(name, label) if memory else ()))
        for label, taken in times.items()
    ]
    lines += [
        Line(name, label, None, None, None, note=f"not run: {why}")
        for label, why in missing.items()
    ]
    return lines + [
        Line(name, peer, None, None, None, note="not installed")
        for peer in absent
        if peer not in missing
    ]


def _warm(
    contenders: dict[str, Contender],
) -> tuple[dict[str, Contender], dict[str, object], dict[str, str]]:
    ready, results, missing = {}, {}, {}
    for label, call in contenders.items():
        try:
            results[label] = call()
            ready[label] = call
        except ImportError as error:
            if not ready:
                raise
            missing[label] = str(error)
    return ready, results, missing


def _cpu(call: Contender, repeats: int) -> float:
    begin = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - begin) / repeats


def _repeats(call: Contender) -> int:
    """How many calls make a measurement long enough to be believed."""
    repeats = 1
    while (taken := _cpu(call, repeats) * repeats) < _SHORTEST:
        repeats = max(2 * repeats, int(repeats * _SHORTEST / max(taken, 1e-6)))
    return repeats


def _line(
    name: str,
    label: str,
    taken: list[float],
    ours: float,
    megabytes: float | None = None,
    extra: float | None = None,
) -> Line:
    median = statistics.median(taken)
    spread = statistics.median(abs(seconds - median) for seconds in taken) / median
    return Line(name, label, median, spread, median / ours, megabytes, extra)


def _memory(name: str, label: str) -> tuple[float | None, float | None]:
    """Of a process of its own that makes the data and calls the contender once: its peak, and what the call added."""
    command = [sys.executable, __file__, "--child", name, label]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    peak, extra = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else (None, None)
    return peak, extra


def _child(name: str, label: str) -> None:
    module = load(name)
    wants_extra = any(goal.endswith(_MEMORY) for goal in getattr(module, "GOALS", {}))
    if (
        wants_extra
    ):  # so that the peak counted below holds no library, and nothing that is compiled once
        module.build(**module.SMALLEST)[label]()
    call = module.build()[label]
    first = _own_peak()
    before = _restart_peak() if wants_extra else None
    call()
    peak = _own_peak()
    print(json.dumps([max(first, peak), None if before is None else peak - before]))


def _restart_peak() -> float | None:
    """Count this process's peak anew; what it holds now, in megabytes, or None where there is no such counter."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return None
    return _own_peak()


def _own_peak() -> float:
    """Peak memory of this process in megabytes."""
    status = Path("/proc/self/status")
    if (
        status.exists()
    ):  # there, ru_maxrss of a new process begins with that of the one that started it
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )


def verdicts(name: str, lines: list[Line]) -> list[Goal]:
    """What became of the benchmark's goals: most seconds and megabytes of ours, least ratios of others to ours."""
    found = {line.contender: line for line in lines if line.benchmark == name}
    ours = next(iter(found.values()))
    said = []
    for goal, wanted in getattr(load(name), "GOALS", {}).items():
        if goal in ("seconds", "megabytes"):
            reached = ours.seconds if goal == "seconds" else ours.megabytes
            said.append(
                Goal(
                    name, goal, "", wanted, reached, None if reached is None else reached <= wanted
                )
            )
        else:
            contender, memory = goal.removesuffix(_MEMORY), goal.endswith(_MEMORY)
            line = found.get(contender, Line(name, contender, None, None, None))
            reached = _extra_ratio(line, ours) if memory else line.ratio
            said.append(
                Goal(
                    name,
                    "memory" if memory else "ratio",
                    contender,
                    wanted,
                    reached,
                    None if reached is None else reached >= wanted,
                )
            )
    return said


def _extra_ratio(line: Line, ours: Line) -> float | None:
    return None if line.extra is None or not ours.extra else line.extra / ours.extra


def published(files: Iterable[str]) -> dict[tuple[str, str], float]:
    """The ratios that files of ``--json`` hold, by benchmark and contender; ours, which are 1, are left out."""
    lines = [
        line
        for file in files
        for line in json.loads(Path(file).read_text(encoding="utf8"))["lines"]
    ]
    return {
        (line["benchmark"], line["contender"]): line["ratio"]
        for line in lines
        if line["ratio"] not in (None, 1.0)
    }


def halved(lines: list[Line], known: dict[tuple[str, str], float]) -> dict[tuple[str, str], str]:
    """Whose ratio to ours is below half of what is published, with both: ours takes twice as long as it did."""
    return {
        (
            line.benchmark,
            line.contender,
        ): f"{line.benchmark}: {line.contender} takes {line.ratio:.3g} times as long as "
        f"ours, and {known[line.benchmark, line.contender]:.3g} times is published"
        for line in lines
        if line.ratio is not None
        and line.ratio < 0.5 * known.get((line.benchmark, line.contender), 0.0)
    }


def _compare(lines: list[Line], known: dict[tuple[str, str], float], rounds: int) -> bool:
    """Say which ratios are halved, measured once more before they are believed, and whether there are none."""
    suspects = halved(lines, known)
    names = dict.fromkeys(name for name, _ in suspects)
    again = [line for name in names for line in measure(name, rounds, False)]
    slower = halved(again, {pair: known[pair] for pair in suspects})
    measured = {(line.benchmark, line.contender) for line in lines if line.ratio is not None}
    absent = [f"{name}: {label}" for name, label in known if (name, label) not in measured]
    if absent:
        print(f"published, and not measured here: {'; '.join(absent)}")
    print("\n".join(slower.values()) or f"no ratio of {len(known)} published is halved")
    return not slower


def origin() -> dict[str, object]:
    """Where and when: machine, processor, versions of all libraries that took part, commit, UTC time."""
    from benchbook.studies import provenance

    made = provenance()
    libraries = {name: version(name) for name in _LIBRARIES if _installed(name)}
    return {
        "machine": platform.machine(),
        "system": platform.platform(),
        "cpu": made["cpu"],
        "python": platform.python_version(),
        "libraries": libraries,
        "benchbook": made["benchbook"],
        "commit": made["commit"],
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def _installed(name: str) -> bool:
    return importlib.util.find_spec({"scikit-learn": "sklearn"}.get(name, name)) is not None


def show(lines: list[Line], titles: dict[str, str]) -> None:
    """Print all lines as one table."""
    rows = []
    for line in lines:
        rows.append(
            (
                titles[line.benchmark] if line.contender == _first(lines, line.benchmark) else "",
                line.contender,
                _time(line.seconds),
                "" if line.spread is None else f"±{100 * line.spread:.1f}%",
                "" if line.ratio is None else f"{line.ratio:.2f}",
                *("" if size is None else f"{size:.0f}" for size in (line.megabytes, line.extra)),
                line.note,
            )
        )
    head = (
        "benchmark",
        "contender",
        "CPU time a call",
        "spread",
        "ratio to ours",
        "peak MB",
        "extra MB",
        "",
    )
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    for row in [head, tuple("-" * width for width in widths), *rows]:
        cells = [
            cell.ljust(width) if k in (0, 1, 7) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def _first(lines: list[Line], benchmark: str) -> str:
    return next(line.contender for line in lines if line.benchmark == benchmark)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def tell(lines: list[Line]) -> None:
    """Print for each benchmark who took part and who did not."""
    for name in dict.fromkeys(line.benchmark for line in lines):
        own = [line for line in lines if line.benchmark == name]
        left_out = [f"{line.contender} ({line.note})" for line in own if line.seconds is None]
        print(
            f"{name}: {'; '.join(line.contender for line in own if line.seconds is not None)}"
            + (f". Left out: {'; '.join(left_out)}" if left_out else "")
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        default=["*"],
        metavar="PATTERN",
        help="which benchmarks, e.g. 'assess*'",
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="timed rounds over all contenders (default 7)"
    )
    parser.add_argument(
        "--memory", action="store_true", help="also memory, in a process for each contender"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="also write the numbers there; - prints them, without a table",
    )
    parser.add_argument(
        "--strict", action="store_true", help="end with exit code 1 when a goal is missed"
    )
    parser.add_argument(
        "--against",
        nargs="+",
        metavar="FILE",
        help="measure what these files of --json hold, and end with exit code 1 when a ratio is below half of theirs",
    )
    parser.add_argument(
        "--smallest",
        action="store_true",
        help="measure nothing: call all contenders at the smallest sizes and see that they agree",
    )
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.smallest and (options.memory or options.json or options.strict or options.against):
        parser.error(
            "--smallest measures nothing: leave --memory, --json, --strict and --against out"
        )
    return options


def main() -> None:
    """The command line."""
    options = _options()
    one_thread()
    if options.child:
        _child(*options.child)
        return
    names = find(options.only)
    if options.smallest:
        tell([line for name in names for line in measure(name, 1, False, smallest=True)])
        return
    known = published(options.against or [])
    if options.against:
        names = [name for name in names if any(name == benchmark for benchmark, _ in known)]
        known = {pair: ratio for pair, ratio in known.items() if pair[0] in names}
    lines = [line for name in names for line in measure(name, options.rounds, options.memory)]
    said = [goal for name in names for goal in verdicts(name, lines)]
    _report(options, lines, said, {name: getattr(load(name), "NAME", name) for name in names})
    sound = not options.against or _compare(lines, known, options.rounds)
    if not sound or (options.strict and any(goal.met is False for goal in said)):
        raise SystemExit(1)


def _report(
    options: argparse.Namespace, lines: list[Line], said: list[Goal], titles: dict[str, str]
) -> None:
    if options.json:
        data = {
            **origin(),
            "rounds": options.rounds,
            "titles": titles,
            "lines": [asdict(line) for line in lines],
            "goals": [asdict(goal) for goal in said],
        }
        text = json.dumps(data, indent=2, ensure_ascii=False)
        print(text) if options.json == "-" else Path(options.json).write_text(
            text + "\n", encoding="utf8"
        )
    if options.json != "-":
        show(lines, titles)
        print("\n".join(["", *map(str, said)]) if said else "", end="\n" if said else "")


if __name__ == "__main__":
    main()
