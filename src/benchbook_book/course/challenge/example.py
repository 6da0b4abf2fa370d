"""A small challenge to try things on: hidden targets, some submissions, and one that is wrong in every line.

How many minutes late is the bus? The delay is a whole number, and its spread grows during the day: with x the hour
after six, it is 4 + 3 sin(x/3) + (1 + x/8) e rounded, e standard Gaussian. All that is made up.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchbook import seeds
from benchbook.files import atomic
from benchbook.losses.gaming import spikes
from benchbook.predictive import Gaussian, Predictive, Quantiles
from benchbook.predictive.checks import FloatArray
from benchbook_book.course.challenge import targets
from benchbook_book.course.challenge.asked import Organiser
from benchbook_book.course.challenge.targets import from_files
from benchbook_book.course.challenge.writing import write

NAME = "bus/delay"
SIZES = {"training": 120, "validation": 80, "test": 200}

_BROKEN = """\
bus-200 4.1 2.2
bus-201 nan 2.0
bus-202 3.5 0
bus-203 3,5 1
bus-204 2.5 -1
bus-204 2.5 1
bus-1200 4 1
"""


class Delays(NamedTuple):
    """The true mean and standard deviation of the cases' delays, and what was seen, shape [400] each."""

    mean: FloatArray
    sd: FloatArray
    seen: FloatArray


def world() -> Delays:
    """All cases, training cases first."""
    rng = seeds.generator(1, "challenge", "bus")
    hour = rng.uniform(0, 16, sum(SIZES.values()))
    mean, sd = 4 + 3 * np.sin(hour / 3), 1 + hour / 8
    return Delays(mean, sd, np.rint(mean + sd * rng.standard_normal(hour.size)))


def entries(mean: FloatArray, sd: FloatArray) -> dict[str, tuple[str, Predictive]]:
    """Submissions by name, each with what its sender says of it, for cases whose mean and deviation are known."""
    minutes = np.arange(-15.0, 26.0)
    chance = np.exp(-0.5 * ((minutes - mean[:, None]) / sd[:, None]) ** 2) / sd[:, None]
    halves = np.column_stack([mean - 0.6745 * sd, mean, mean + 0.6745 * sd])
    return {
        "honest": (
            "Says what it knows: the mean and the spread of this hour.",
            Gaussian(mean, sd**2),
        ),
        "bold": ("The same mean, with a third of the spread.", Gaussian(mean, (sd / 3) ** 2)),
        "shy": ("The same mean, with twice the spread.", Gaussian(mean, (2 * sd) ** 2)),
        "quartiles": ("Three quantiles, nothing else.", Quantiles([0.25, 0.5, 0.75], halves)),
        "needles": ("All probability on whole minutes.", spikes(minutes, chance, 1e-6)),
    }


def make(folder: str | Path) -> Organiser:
    """Write the hidden targets and the submissions into a folder.

    Args:
        folder: gets ``targets.csv``, ``sent/`` with a folder for each entry, and ``broken/``.

    Returns:
        The organiser of the tasks, as read from ``targets.csv``.
    """
    folder, cases = Path(folder), world()
    phases = [phase for phase, size in SIZES.items() for _ in range(size)]
    lines = [
        (f"bus-{number}", phase, int(seen))
        for number, (phase, seen) in enumerate(zip(phases, cases.seen, strict=True))
    ]
    targets.write(folder / "targets.csv", {"task": NAME, "kind": "real"}, lines)
    organiser = from_files([folder / "targets.csv"])
    test = organiser.asked(f"{NAME}/test")
    for name, (text, pred) in entries(
        cases.mean[-SIZES["test"] :], cases.sd[-SIZES["test"] :]
    ).items():
        write(folder / "sent" / name, name, "the house", text, [(test, pred)])
    before, first = organiser.asked(f"{NAME}/test-before"), cases.seen[: SIZES["training"]]
    early = Gaussian(np.full(SIZES["test"], first.mean()), np.full(SIZES["test"], first.var()))
    write(
        folder / "sent" / "early",
        "early",
        "the house",
        "One Gaussian for all hours.",
        [(before, early)],
    )
    manifest = write(folder / "broken", "broken", "the house", "Typed by hand.", [(test, early)])
    with atomic(manifest.with_name(f"{NAME.replace('/', '-')}-test.txt")) as scratch:
        scratch.write_text(_BROKEN, encoding="utf-8")
    typed = [
        line
        for line in manifest.read_text(encoding="utf-8").splitlines(keepends=True)
        if not line.startswith(("#", "sha256"))
    ]
    with atomic(manifest) as scratch:
        scratch.write_text("".join(typed), encoding="utf-8")
    return organiser
