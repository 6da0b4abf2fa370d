"""Writing PROBEN1's ``.dt`` files, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.datasets.readers.proben1 import HEADER
from benchbook.errors import Fault, FaultyInput
from benchbook.files import atomic

Counts = tuple[int, int, int]


def number(value: float) -> str:
    """A number with six significant digits and no more than it needs, as in the files of 1994: 0.0153846, 1, -1."""
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def shortest(value: float) -> str:
    """The shortest text from which the same number is read again."""
    return f"{value:.6g}" if float(f"{value:.6g}") == value else repr(float(value))


def dt_text(
    inputs: ArrayLike,
    targets: ArrayLike,
    counts: Counts,
    *,
    boolean_inputs: bool = False,
    boolean_outputs: bool = False,
    exact: bool = False,
) -> str:
    """The text of a ``.dt`` file: seven header lines, then a line for each example.

    Args:
        inputs, targets: [N, I] and [N, O].
        counts: training, validation and test examples, N together; the first ones are for training.
        boolean_inputs, boolean_outputs: what the header calls them. A file declares all of its inputs boolean or all of
            them real, and its outputs likewise. Most files of PROBEN1 call inputs real that are only 0 and 1.
        exact: as many digits as it takes to read the same numbers again, instead of six.

    Raises:
        FaultyInput: shapes or counts that do not fit, values that are not finite, values other than 0 and 1 that are
            declared boolean; all of them together.
    """
    left, right = np.asarray(inputs, dtype=float), np.asarray(targets, dtype=float)
    if faults := [
        *_shape_faults(left, right, counts),
        *(_value_faults("input", left, boolean_inputs) if left.ndim == 2 else ()),
        *(_value_faults("output", right, boolean_outputs) if right.ndim == 2 else ()),
    ]:
        raise FaultyInput("examples for a .dt file", faults)
    width = (
        left.shape[1] * boolean_inputs,
        left.shape[1] * (not boolean_inputs),
        right.shape[1] * boolean_outputs,
        right.shape[1] * (not boolean_outputs),
    )
    head = [f"{key}={value}" for key, value in zip(HEADER, (*width, *counts), strict=True)]
    write = shortest if exact else number
    body = (" ".join(map(write, line)) for line in np.hstack([left, right]).tolist())
    return "\n".join([*head, *body]) + "\n"


def names_text(inputs: Iterable[str], outputs: Iterable[str]) -> str:
    """The text of a file of names beside a ``.dt`` file, which has no place for them: a line for each column."""
    lines = [f"in {name}" for name in inputs] + [f"out {name}" for name in outputs]
    return "\n".join(lines) + "\n"


def write_dt(
    path: str | Path,
    inputs: ArrayLike,
    targets: ArrayLike,
    counts: Counts,
    *,
    boolean_inputs: bool = False,
    boolean_outputs: bool = False,
    exact: bool = False,
) -> Path:
    """Write a ``.dt`` file; ``dt_text`` explains the arguments. Nothing is left when it fails."""
    text = dt_text(
        inputs,
        targets,
        counts,
        boolean_inputs=boolean_inputs,
        boolean_outputs=boolean_outputs,
        exact=exact,
    )
    with atomic(path) as scratch:
        scratch.write_text(text, encoding="ascii", newline="\n")
    return Path(path)


def standard_counts(cases: int) -> Counts:
    """Half of the cases for training, a quarter for validation, the rest for the test, halves rounded up.

    These are the counts of all files of PROBEN1: 699 gives 350, 175 and 174.

    Raises:
        FaultyInput: fewer than four cases.
    """
    if cases < 4:
        raise FaultyInput("partition", [Fault("cases", str(cases), "it takes at least 4")])
    training, validation = (cases + 1) // 2, (cases + 2) // 4
    return training, validation, cases - training - validation


def _shape_faults(
    inputs: NDArray[np.float64], targets: NDArray[np.float64], counts: Iterable[int]
) -> list[Fault]:
    faults, counts = [], tuple(counts)
    for name, values in (("inputs", inputs), ("outputs", targets)):
        if values.ndim != 2 or not values.shape[-1]:
            faults.append(Fault(name, f"shape {values.shape}", "a table with at least one column"))
    if len(inputs) != len(targets):
        faults.append(
            Fault(
                "examples",
                f"{len(inputs)} inputs and {len(targets)} outputs",
                "every example has both",
            )
        )
    if len(counts) != 3 or min(counts) < 0 or sum(counts) != len(inputs) or not sum(counts):
        faults.append(
            Fault(
                "counts",
                " + ".join(map(str, counts)),
                f"three numbers of at least 0 that add up to the {len(inputs)} examples",
            )
        )
    return faults


def _value_faults(name: str, values: NDArray[np.float64], boolean: bool) -> list[Fault]:
    wrong = ~np.isin(values, (0.0, 1.0)) if boolean else ~np.isfinite(values)
    rule = "a boolean is 0 or 1" if boolean else "every value is a finite number"
    return [
        Fault(f"example {case + 1}, {name} {column + 1}", f"{values[case, column]:g}", rule)
        for case, column in np.argwhere(wrong).tolist()
    ]
