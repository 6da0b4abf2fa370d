"""Mutation testing: small faults are planted one at a time, and the tests that call the spoilt function run.

``python3 src/bootstrap.py run python tests/planted/plant.py --count 300`` samples faults by a seed from the modules of
``NUMERICS``, ``--part plumbing`` from those of ``PLUMBING``. In a copy of the checkout the default tests run once, and
which functions each calls is kept beside the outcomes; then for each fault those that call its function, cheapest first
in the files that name most of its module, and where these find nothing the full ones of these files. Outcomes are
written to a CSV file as they come, and faults in it are not tried again. ``survivors.toml`` names faults that change
nothing that matters, with the reason; they do not count. Exit code 1 when fewer than 90 % of the others were found.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import forks
from mutants import Mutant, mutants, spoilt
from traced import Tracer

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS = Path(__file__).with_name("survivors.toml")
FIELDS = ("file", "function", "line", "before", "after", "outcome", "seconds", "by")
LEAST = 0.9
DEFAULT = "not full and not slow and not crawl"
ENOUGH = 25.0
"""CPU seconds of the tests that are tried on a fault."""

Areas = dict[str, tuple[int, str, tuple[str, ...]]]
"""Areas of the code: the weight in the sample, the modules, and where their tests lie."""
NUMERICS: Areas = {
    "assess": (30, "src/benchbook/assess/**/*.py", ("tests/assess",)),
    "losses": (12, "src/benchbook/losses/*.py", ("tests/losses",)),
    "predictive": (14, "src/benchbook/predictive/*.py", ("tests/predictive",)),
    "tasks": (12, "src/benchbook/tasks/**/*.py", ("tests/tasks",)),
    "folds": (2, "src/benchbook/folds.py", ("tests/assess/densities",)),
    "kernels": (
        8,
        "src/benchbook/kernels/*.py",
        ("tests/kernels", "tests/methods", "tests/losses", "tests/assess", "tests/datasets"),
    ),
    "chapters": (22, "book/*/_*.py", ("tests/book",)),
}
PLUMBING: Areas = {
    "studies": (2, "src/benchbook/studies/**/*.py", ("tests/studies", "tests/cli", "tests/assess")),
    "archive": (1, "src/benchbook/archive/*.py", ("tests/studies", "tests/cli")),
    "cli": (3, "src/benchbook/cli/*.py", ("tests/cli", "tests/badinput", "tests/assess")),
    "show": (
        2,
        "src/benchbook/show/*.py",
        ("tests/show", "tests/cli", "tests/pages", "tests/course"),
    ),
    "charts": (2, "src/benchbook/charts/**/*.py", ("tests/charts", "tests/show", "tests/assess")),
    "making": (2, "src/benchbook_book/making/**/*.py", ("tests/making",)),
    "challenge": (2, "src/benchbook_book/course/challenge/*.py", ("tests/course", "tests/cli")),
    "server": (2, "src/benchbook_book/course/server/*.py", ("tests/course",)),
    "form": (2, "src/benchbook_book/form/*.py", ("tests/form",)),
    "pages": (2, "src/benchbook_book/pages/**/*.py", ("tests/pages", "tests/book")),
    "commands": (1, "src/benchbook_book/commands/*.py", ("tests/cli", "tests/badinput")),
    "extensions": (1, "book/_ext/*.py", ("tests/book",)),
    "comparison": (3, "src/benchbook/comparison/*.py", ("tests/comparison", "tests/cli")),
    "datasets": (3, "src/benchbook/datasets/**/*.py", ("tests/datasets", "tests/badinput")),
    "tasks": (2, "src/benchbook/tasks/**/*.py", ("tests/tasks", "tests/badinput", "tests/cli")),
    "methods": (2, "src/benchbook/methods/*.py", ("tests/methods", "tests/badinput")),
    "root": (1, "src/benchbook/*.py", ("tests/base", "tests/bootstrap", "tests/badinput")),
}
PARTS = {"numerics": NUMERICS, "plumbing": PLUMBING}


def sample(areas: Areas, count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Area and mutant, so many from each area as its weight says, in an order by chance.

    Chance is a digest of the fault and the seed, so that a change of other lines leaves most of the sample as it was.
    """
    chosen = []
    whole = sum(weight for weight, *_ in areas.values())
    for area, (weight, pattern, _) in areas.items():
        every = {
            mutant.key[1:]: mutant
            for path in sorted(ROOT.glob(pattern))
            for mutant in mutants(
                path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf8")
            )
        }
        ranked = sorted(every.values(), key=lambda one: _rank(one, seed))
        chosen += [(area, mutant) for mutant in ranked[: round(count * weight / whole)]]
    return sorted(chosen, key=lambda one: _rank(one[1], seed))


def _rank(one: Mutant, seed: int) -> bytes:
    return hashlib.sha256("\n".join((str(seed), *one.key[1:])).encode()).digest()


def naming(areas: Areas, area: str, file: str) -> list[str]:
    """The test files that name the module or a public function of it: those with its name first, then by how often."""
    path = ROOT / file
    stem = path.stem.removeprefix("_")
    names = set(re.findall(r"^(?:def|class) ([A-Za-z]\w+)", path.read_text(encoding="utf8"), re.M))
    files = [file for folder in areas[area][2] for file in (ROOT / folder).rglob("test_*.py")]
    if area == "chapters":
        wanted = re.compile(rf"{path.parent.name}/{stem}\b")
    else:
        wanted = re.compile(rf"\b({'|'.join(sorted({stem, *names}, key=len))})\b")
    counts = {path: len(wanted.findall(path.read_text(encoding="utf8"))) for path in files}
    best = sorted(
        (path for path in files if counts[path]),
        key=lambda path: (stem not in path.stem, -counts[path], path),
    )
    return [path.relative_to(ROOT).as_posix() for path in best[:8]] or list(areas[area][2])


def users(kernel: str) -> list[str]:
    """The modules of the package that use compiled functions of a module, or of one that uses them."""
    reached, ahead = {kernel}, [kernel]
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf8")
        for path in ROOT.glob("src/benchbook*/**/*.py")
    }
    while ahead:
        module = Path(ahead.pop())
        if "njit" not in texts.get(module.as_posix(), ""):
            continue  # who calls this is seen
        wanted = re.compile(
            rf"\b{module.parent.name}[.]{module.stem}\b"
            rf"|[.]{module.parent.name} import (?:\([^)]*?|[^(\n]*?)\b{module.stem}\b"
        )
        new = [file for file, text in texts.items() if file not in reached and wanted.search(text)]
        reached.update(new)
        ahead += new
    return sorted(reached - {kernel})


class Calls:
    """Which default tests call a function, and what they cost."""

    def __init__(self, path: Path) -> None:
        self.costs: dict[str, float] = {}
        self.tests: dict[tuple[str, str], list[str]] = defaultdict(list)
        for test, (cost, functions) in json.loads(path.read_text(encoding="utf8")).items():
            self.costs[test] = cost
            for file, function in functions:
                self.tests[file, function].append(test)
                self.tests[file, ""].append(test)  # a constant of the module may matter to any

    def of(self, mutant: Mutant, named: list[str]) -> list[str]:
        """The tests that call the function of a fault, the cheapest of the files that name it first."""
        some = self.tests[mutant.file, mutant.function] or self.tests[mutant.file, ""]
        if not some:  # compiled functions are not seen
            some = [test for user in users(mutant.file) for test in self.tests[user, ""]]
        rank = {file: number for number, file in enumerate(named)}
        some = sorted(
            dict.fromkeys(some),
            key=lambda one: (
                rank.get(one.partition("::")[0], len(rank)) // 3,
                self.costs[one] > 0.1,
                self.costs[one],
            ),
        )
        taken, spent = [], 0.0
        for test in some:
            spent += self.costs[test] + 0.005
            if spent > ENOUGH:
                break
            taken.append(test)
        return taken


class Tests:
    """The tests in a copy of the checkout. A fault counts as found only by what passes without it."""

    def __init__(self, copy: Path, calls: Path, areas: Areas) -> None:
        self.copy, self.areas = copy, areas
        self.kernels = copy / "_kernels"
        if not calls.exists():
            tracer = Tracer(copy, calls)
            forks.failed(copy, ["--maxfail=200"], DEFAULT, self.kernels, (tracer,), limited=False)
        self.calls = Calls(calls)
        self.sound = dict.fromkeys(self.calls.costs, True)
        self.times = 0

    def tried(self, area: str, mutant: Mutant) -> tuple[str, str]:
        """What became of a fault, ``killed``, ``survived`` or ``endless``, and what found it."""
        file = self.copy / mutant.file
        sound, when = file.read_text(encoding="utf8"), file.stat().st_mtime
        named = naming(self.areas, area, mutant.file)
        calling = self.calls.of(mutant, named)
        uncalled = [file for file in named if not any(test.startswith(file) for test in calling)]
        for kind, some in ((DEFAULT, calling), (DEFAULT, uncalled), ("full and not slow", named)):
            if not some:
                continue
            self._plant(file, spoilt(sound, mutant), when)
            try:
                failed = forks.failed(self.copy, some, kind, self._compiled("njit" in sound))
            finally:
                file.write_text(sound, encoding="utf8")
                os.utime(file, (when, when))
            if failed and (failed == "endless" or self._passes(failed)):
                return "endless" if failed == "endless" else "killed", failed
        return "survived", ""

    def _plant(self, file: Path, text: str, when: float) -> None:
        """Write a file with a time of its own, for what is kept of its byte code is known by time and length."""
        self.times += 2
        file.write_text(text, encoding="utf8")
        os.utime(file, (when - self.times,) * 2)

    def _compiled(self, spoilt: bool) -> Path:
        """The folder of compiled kernels. An empty one for a spoilt kernel, for its callers keep what it was."""
        if not spoilt:
            return self.kernels
        shutil.rmtree(self.copy / "_spoilt", ignore_errors=True)
        return self.copy / "_spoilt"

    def _passes(self, test: str) -> bool:
        if test not in self.sound:
            marks = "not slow and not crawl"
            self.sound[test] = not forks.failed(self.copy, [test], marks, self.kernels)
        return self.sound[test]


Excused = list[tuple[str, tuple[str, str, str]]]
"""Faults that need not be found: the file, and function, line and what it becomes."""


def excused(listed: list[dict[str, Any]]) -> Excused:
    """The faults of the list."""
    return [(item["file"], (item["function"], item["before"], item["after"])) for item in listed]


def counts(mutant: Mutant, without: Excused) -> bool:
    """Whether a fault is none of those excused; one in a file that is no longer there is known by the rest."""
    return not any(
        mutant.key[1:] == rest and (mutant.file == file or not (ROOT / file).exists())
        for file, rest in without
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=PARTS, default="numerics")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="try again those that survived")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "mutants.csv")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[str, str, str], str] = {}
    if options.out.exists():
        with options.out.open(encoding="utf8", newline="") as file:
            known = {
                (row["function"], row["before"], row["after"]): row["outcome"]
                for row in csv.DictReader(file)
            }
    areas = PARTS[options.part]
    chosen = sample(areas, options.count, options.seed)
    forks.load()
    with tempfile.TemporaryDirectory() as folder, options.out.open("a", newline="") as file:
        writer = csv.writer(file)
        if not known:
            writer.writerow(FIELDS)
        tests = Tests(
            forks.copied(ROOT, Path(folder)), options.out.with_suffix(".calls.json"), areas
        )
        for area, mutant in chosen:
            if known.get(mutant.key[1:], "survived") != "survived" or (
                mutant.key[1:] in known and not options.again
            ):
                continue
            began = time.monotonic()
            outcome, by = tests.tried(area, mutant)
            known[mutant.key[1:]] = outcome
            seconds = round(time.monotonic() - began, 1)
            writer.writerow(
                (
                    mutant.file,
                    mutant.function,
                    mutant.line,
                    mutant.before,
                    mutant.after,
                    outcome,
                    seconds,
                    by,
                )
            )
            file.flush()
            print(
                f"{outcome:9} {mutant.file}:{mutant.line} {mutant.before} -> {mutant.after}",
                flush=True,
            )
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf8"))["survivor"]
    without = excused([entry for entry in listed if entry["equivalent"]])
    counted = [known[mutant.key[1:]] for _, mutant in chosen if counts(mutant, without)]
    caught = sum(outcome != "survived" for outcome in counted)
    print(f"{caught} of {len(counted)} faults were found ({caught / max(1, len(counted)):.1%})")
    return int(caught < LEAST * len(counted))


if __name__ == "__main__":
    sys.exit(main())
