"""Plans of refits: which cases to leave out of a fit, and the files in which the refits are expected."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchbook.assess.densities import GroupLoo, LogLikelihood, PosteriorAssessment, to_refit
from benchbook.assess.densities.refits import HELD_OUT
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic
from benchbook.words import counted, some

PLAN = "plan.csv"
_ENDINGS = (".nc", ".nc4", ".npy", ".npz", ".parquet")
_HEADING = ["file", "case"]


def write_plan(found: PosteriorAssessment, folder: Path) -> str:
    """Write which cases to refit without; returns what is expected where, in words."""
    wanted = to_refit(found.left_out)
    if not wanted:
        return "nothing to refit: all cases are trusted, and no plan was written"
    names = found.cases or tuple(map(str, range(found.utilities.size)))
    rows = [
        (f"without-{number}.nc", names[case])
        for number, cases in enumerate(wanted, 1)
        for case in cases
    ]
    with atomic(folder / PLAN) as scratch, scratch.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([_HEADING, *rows])
    unit = "group" if isinstance(found.left_out, GroupLoo) else "case"
    return (
        f"wrote {folder / PLAN}: {counted(len(wanted), 'fit')}, each without one {unit}. Fit the model without the "
        "cases of each file, write the log likelihoods of these cases there (of all cases will do), and predictions "
        f"where a question needs them; then: benchbook assess loo FILE --refits {folder}"
    )


def read_refits(
    folder: Path, read: Callable[[str], LogLikelihood]
) -> tuple[list[LogLikelihood], list[str]]:
    """The refits in a folder, and which of its plan are not there yet.

    Args:
        folder: with the files, and perhaps a plan that says which cases each of them left out.
        read: reads one.

    Raises:
        BenchbookError: no such folder, or no refit in it. FaultyInput: a plan that is none.
    """
    if not folder.is_dir():
        raise BenchbookError(
            f"there is no folder {folder}; --write-plan {folder} makes a plan of refits in it"
        )
    plan = _plan(folder / PLAN)
    paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _ENDINGS)
    if not paths:
        raise BenchbookError(f"there is no refit in {folder}: {', '.join(_ENDINGS)} are read")
    refits = [_planned(read(str(path)), plan.get(path.name, ()), path) for path in paths]
    present = {path.name for path in paths}
    return refits, [name for name in plan if name not in present]


def _plan(path: Path) -> dict[str, list[str]]:
    """The cases that each file is to leave out; none where there is no plan."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        heading, *rows = [row for row in csv.reader(file) if row] or [[]]
    bad = [number for number, row in enumerate(rows, 2) if len(row) != len(_HEADING)]
    if heading != _HEADING or bad:
        where = "line 1" if heading != _HEADING else f"line {bad[0]}"
        rule = "must have the columns file and case"
        raise FaultyInput(f"plan {path}", [Fault(where, "another form", rule)])
    plan: dict[str, list[str]] = {}
    for name, case in rows:
        plan.setdefault(name, []).append(case)
    return plan


def _planned(refit: LogLikelihood, cases: list[str] | tuple[str, ...], path: Path) -> LogLikelihood:
    """A refit with the cases marked that the plan says it left out, or named where they have only numbers.

    Raises:
        FaultyInput: the file has none of these cases.
    """
    if not cases or HELD_OUT in dict(refit.coordinates):
        return refit
    bare = path.suffix.lower() in (".npy", ".npz") or not set(refit.cases) & set(cases)
    if len(refit.cases) == len(cases) and bare:
        left_out = (HELD_OUT, np.ones(len(cases), dtype=bool))
        return replace(refit, cases=tuple(cases), coordinates=(left_out,))
    missing = [case for case in cases if case not in refit.cases]
    if missing:
        rule = f"{PLAN} says that it left out {some(list(cases))}"
        raise FaultyInput(f"refit {path}", [Fault("cases", f"no case {missing[0]}", rule)])
    mask = np.isin(np.array(refit.cases), list(cases))
    return replace(refit, coordinates=(*refit.coordinates, (HELD_OUT, mask)))
