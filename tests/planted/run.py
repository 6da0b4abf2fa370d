"""Mutation testing of the numerics: small faults are planted one at a time, and the tests of the spoilt module run.

``python3 src/bootstrap.py run python tests/planted/run.py --count 300`` samples faults by a seed from the modules of
``AREAS`` and runs, in a copy of the checkout, the tests that name what the module defines: the default ones, and where
these find nothing the full ones. Outcomes are written to a CSV file as they come, and faults in it are not tried again.
``survivors.toml`` names faults that change nothing that matters, with the reason; they do not count. Exit code 1 when
fewer than 90 % of the others were found.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from mutants import Mutant, mutants, spoilt

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS = Path(__file__).with_name("survivors.toml")
FIELDS = ("file", "function", "line", "before", "after", "outcome", "seconds", "by")
LEAST = 0.9
PATIENCE = 240
"""Seconds after which a run of tests is taken for endless, which finds the fault."""
AREAS: dict[str, tuple[int, str, tuple[str, ...]]] = {
    "assess": (30, "src/benchbook/assess/**/*.py", ("tests/assess",)),
    "losses": (12, "src/benchbook/losses/*.py", ("tests/losses",)),
    "predictive": (14, "src/benchbook/predictive/*.py", ("tests/predictive",)),
    "tasks": (12, "src/benchbook/tasks/**/*.py", ("tests/tasks",)),
    "folds": (2, "src/benchbook/folds.py", ("tests/assess/densities",)),
    "kernels": (
        8,
        "src/benchbook/kernels/*.py",
        ("tests/kernels", "tests/methods", "tests/losses"),
    ),
    "chapters": (22, "book/*/_*.py", ("tests/book",)),
}
"""Areas of the code: the weight in the sample, the modules, and where their tests lie."""
_COPIED = ("src", "tests", "book", "benchmarks", ".ci", ".github")


def sample(count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Area and mutant, so many from each area as its weight says; the order is by chance."""
    rng, chosen = random.Random(seed), []
    whole = sum(weight for weight, *_ in AREAS.values())
    for area, (weight, pattern, _) in AREAS.items():
        every = [
            one
            for path in sorted(ROOT.glob(pattern))
            for one in mutants(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf8"))
        ]
        some = rng.sample(every, min(len(every), round(count * weight / whole)))
        chosen += [(area, one) for one in some]
    rng.shuffle(chosen)
    return sorted(chosen, key=lambda one: one[0] == "kernels")  # compiled anew, they take longest


def tests_of(area: str, file: str) -> list[str]:
    """The test files that name the module or a public function of it, those that name most first."""
    path = ROOT / file
    stem = path.stem.removeprefix("_")
    names = set(re.findall(r"^(?:def|class) ([A-Za-z]\w+)", path.read_text(encoding="utf8"), re.M))
    places = [one for folder in AREAS[area][2] for one in (ROOT / folder).rglob("test_*.py")]
    if area == "chapters":
        wanted = re.compile(rf"{path.parent.name}/{stem}\b")
    else:
        wanted = re.compile(rf"\b({'|'.join(sorted({stem, *names}, key=len))})\b")
    counts = {one: len(wanted.findall(one.read_text(encoding="utf8"))) for one in places}
    best = sorted((one for one in places if counts[one]), key=lambda one: (-counts[one], one))
    return [one.relative_to(ROOT).as_posix() for one in best[:12]] or list(AREAS[area][2])


def copied(place: Path) -> Path:
    """A copy of the checkout in which files may be spoilt; its data is not copied."""
    for name in _COPIED:
        shutil.copytree(
            ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "_build")
        )
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy2(path, place)
    (place / "data").symlink_to(ROOT / "data")
    return place


class Tests:
    """The tests in a copy of the checkout. A fault counts as found only by what passes without it."""

    def __init__(self, copy: Path) -> None:
        self.copy, self.sound = copy, dict[str, bool]()

    def tried(self, area: str, mutant: Mutant) -> tuple[str, str]:
        """What became of a fault, ``killed``, ``survived`` or ``endless``, and what found it."""
        file = self.copy / mutant.file
        sound = file.read_text(encoding="utf8")
        compiled = "njit" in sound
        named = tests_of(area, mutant.file)
        steps = ("not full", named[:2]), ("not full", named[2:]), ("full", named)
        for kind, some in steps:
            file.write_text(spoilt(sound, mutant), encoding="utf8")
            try:
                failed = self._failed(some, f"{kind} and not slow and not crawl", compiled)
            finally:
                file.write_text(sound, encoding="utf8")
            if failed and (failed == "endless" or self._passes(failed)):
                return "endless" if failed == "endless" else "killed", failed
        return "survived", ""

    def _passes(self, test: str) -> bool:
        if test not in self.sound:
            self.sound[test] = not self._failed([test], "not slow and not crawl")
        return self.sound[test]

    def _failed(self, tests: list[str], marks: str, compiled: bool = False) -> str:
        """The first test that fails, or its file; nothing when all pass.

        Where a spoilt function is compiled, nothing compiled is taken over, for its callers keep what it was.
        """
        if not tests:
            return ""
        shutil.rmtree(self.copy / "_spoilt", ignore_errors=True)
        variables = {
            **os.environ,
            "PYTHONPATH": str(self.copy / "src"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "NUMBA_CACHE_DIR": str(self.copy / ("_spoilt" if compiled else "_kernels")),
        }
        command = [
            "-m",
            "pytest",
            "-x",
            "-p",
            "no:cacheprovider",
            "-p",
            "pytest_timeout",
            "-m",
            marks,
            *tests,
        ]
        try:
            done = subprocess.run(
                [sys.executable, *command],
                cwd=self.copy,
                env=variables,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return "endless"
        if done.returncode in (0, 5):
            return ""
        named = re.findall(r"^(?:FAILED|ERROR) (\S+?[.]py(?:::.*?)?)(?: - .*)?$", done.stdout, re.M)
        return named[-1] if named else tests[0]


def excused() -> set[tuple[str, str, str, str]]:
    """The keys of the faults that need not be found."""
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf8")).get("survivor", [])
    return {
        (one["file"], one["function"], one["before"], one["after"])
        for one in listed
        if one.get("equivalent")
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "mutants.csv")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[str, str, str, str], str] = {}
    if options.out.exists():
        with options.out.open(encoding="utf8", newline="") as file:
            known = {
                (row["file"], row["function"], row["before"], row["after"]): row["outcome"]
                for row in csv.DictReader(file)
            }
    chosen = sample(options.count, options.seed)
    with tempfile.TemporaryDirectory() as folder, options.out.open("a", newline="") as file:
        writer = csv.writer(file)
        if not known:
            writer.writerow(FIELDS)
        tests = Tests(copied(Path(folder)))
        for area, one in chosen:
            if one.key in known:
                continue
            began = time.monotonic()
            known[one.key], by = tests.tried(area, one)
            seconds = round(time.monotonic() - began, 1)
            line = (one.file, one.function, one.line, one.before, one.after, known[one.key])
            writer.writerow((*line, seconds, by))
            file.flush()
            print(
                f"{known[one.key]:9} {one.file}:{one.line} {one.before} -> {one.after}", flush=True
            )
    counted = [known[one.key] for _, one in chosen if one.key not in excused()]
    found = sum(outcome != "survived" for outcome in counted)
    print(f"{found} of {len(counted)} faults were found ({found / max(1, len(counted)):.1%})")
    return int(found < LEAST * len(counted))


if __name__ == "__main__":
    sys.exit(main())
