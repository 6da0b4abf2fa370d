"""One's own table made into three permuted ``.dt`` files, as PROBEN1 did with the originals."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbook.datasets.proben1.representation import Columns, Encoded
from benchbook.datasets.proben1.spec import Spec
from benchbook.datasets.proben1.tables import WordTable
from benchbook.datasets.proben1.writer import Counts, dt_text, names_text, standard_counts
from benchbook.errors import Fault, FaultyInput
from benchbook.files import atomic
from benchbook.seeds import generator


@dataclass(frozen=True, eq=False)
class Written:
    """Files that were written, what is in them, and the order of the cases in each.

    ``encoded`` has the cases in the order of the table, as each file encodes them; ``rows`` says which rows of the
    table they are, and ``left_out`` how many rows have no target.
    """

    paths: tuple[Path, ...]
    encoded: tuple[Encoded, ...]
    counts: Counts
    orders: tuple[np.ndarray, ...]
    rows: np.ndarray
    left_out: int

    def absent(self) -> dict[str, list[str]]:
        """File -> outputs that are 0 in every training example, so that a network can only learn not to name them."""
        return {
            path.name: [
                name
                for name, column in zip(encoded.target_names, training.T, strict=True)
                if not column.any()
            ]
            for path, encoded, order in zip(self.paths, self.encoded, self.orders, strict=True)
            if (training := encoded.targets[order[: self.counts[0]]]).size
        }


def parse_shares(text: str) -> tuple[float, float, float]:
    """Shares of training, validation and test cases from "50/25/25".

    Raises:
        FaultyInput: other than three numbers above 0 that add up to 100.
    """
    parts = text.split("/")
    shares = [float(part) for part in parts if re.fullmatch(r"\d+(\.\d+)?", part.strip(), re.ASCII)]
    if len(parts) != 3 or len(shares) != 3 or min(shares) <= 0 or abs(sum(shares) - 100) > 1e-9:
        raise FaultyInput(
            "partition",
            [
                Fault(
                    "shares", repr(text), "three numbers above 0 such as 50/25/25, adding up to 100"
                )
            ],
        )
    return shares[0], shares[1], shares[2]


def counts_of(cases: int, shares: tuple[float, float, float] = (50.0, 25.0, 25.0)) -> Counts:
    """How many cases are for training, validation and test; halves are rounded up, the test gets the rest.

    Raises:
        FaultyInput: so few cases that one of the three would be empty.
    """
    if shares == (50.0, 25.0, 25.0):
        return standard_counts(cases)
    training, validation = (int(cases * share / 100 + 0.5) for share in shares[:2])
    counts = (training, validation, cases - training - validation)
    if min(counts) < 1:
        raise FaultyInput(
            "partition",
            [
                Fault(
                    "cases",
                    str(cases),
                    f"{'/'.join(f'{s:g}' for s in shares)} leaves one "
                    f"of the three without any: {counts}",
                )
            ],
        )
    return counts


def destinations(out: str | Path, permutations: int) -> tuple[Path, ...]:
    """``mine1.dt``, ``mine2.dt``, ... from ``mine1.dt``, ``mine.dt`` or ``mine``."""
    path = Path(out)
    stem = path.name.removesuffix(".dt")
    stem = stem.removesuffix("1") or stem
    return tuple(path.with_name(f"{stem}{number}.dt") for number in range(1, permutations + 1))


def orders_of(
    cases: int, permutations: int, seed: int, keep_first: bool = False
) -> tuple[np.ndarray, ...]:
    """Random permutations of the cases; the first one is the original order when ``keep_first``.

    Every order is equally likely. The script of 1994 was not quite fair: it rounded its random numbers so that the ends
    of a range came up half as often as the rest.
    """
    made = [
        generator(seed, "proben1", "permutation", str(number)).permutation(cases)
        for number in range(1, permutations + 1)
    ]
    return (np.arange(cases), *made[1:]) if keep_first and made else tuple(made)


def encode_table(
    table: WordTable,
    spec: Spec,
    out: str | Path,
    *,
    shares: tuple[float, float, float] = (50.0, 25.0, 25.0),
    permutations: int = 3,
    seed: int = 1,
    keep_first: bool = False,
    read: Sequence[str | Path] = (),
) -> Written:
    """Encode a table by its specification and write one ``.dt`` file for each permutation, all of them or none.

    Rows without a target are left out. Ranges and values that the specification takes from the training cases are
    computed anew for each file. Inputs, and outputs, are declared boolean when all of them are 0 or 1. Beside each file
    stand the names of its columns, ``mine1.names``. ``read`` are files besides the table that must not be written over,
    such as the specification.

    Raises:
        FaultyInput: the table does not hold what the specification says, or is too small for the partition; a file
            would be written over one that is read, or in the place of a folder.
    """
    rows = _with_targets(table, spec)
    columns: Columns = {
        name: [values[row] for row in rows] for name, values in table.columns.items()
    }
    location = table.place
    counts = counts_of(len(rows), shares)
    orders = orders_of(len(rows), permutations, seed, keep_first)
    paths = destinations(out, permutations)
    _refuse_places(paths, (table.where, *read))
    encoded: list[Encoded] = []
    for order in orders:
        training: Columns = {
            name: [values[row] for row in order[: counts[0]]] for name, values in columns.items()
        }
        representation = spec.representation(training)
        encoded.append(
            representation.encode(columns, table.where, lambda case: location(int(rows[case])))
            if spec.is_fitted or not encoded
            else encoded[0]
        )
    texts = [
        dt_text(
            item.inputs[order],
            item.targets[order],
            counts,
            boolean_inputs=_only_bits(item.inputs),
            boolean_outputs=_only_bits(item.targets),
        )
        for item, order in zip(encoded, orders, strict=True)
    ]
    texts += [names_text(item.input_names, item.target_names) for item in encoded]
    names = [path.with_suffix(".names") for path in paths]
    with contextlib.ExitStack() as stack:
        scratch = [stack.enter_context(atomic(path)) for path in (*paths, *names)]
        for file, text in zip(scratch, texts, strict=True):
            file.write_text(text, encoding="utf-8", newline="\n")
    return Written(paths, tuple(encoded), counts, orders, rows, len(table) - len(rows))


def _with_targets(table: WordTable, spec: Spec) -> np.ndarray:
    """The rows in which no output is missing.

    Raises:
        FaultyInput: there are none.
    """
    outputs = [
        table.columns[output["attribute"]]
        for output in spec.outputs
        if output["attribute"] in table.columns
    ]
    rows = [row for row in range(len(table)) if all(values[row] is not None for values in outputs)]
    if not rows:
        raise FaultyInput(
            table.where, [Fault("outputs", "missing in every row", "known in four at least")]
        )
    return np.array(rows)


def _refuse_places(paths: Sequence[Path], read: Sequence[str | Path]) -> None:
    """Refuse before the first file what would leave some written and others not, or write over what is read."""
    faults = [
        Fault(str(path), "a folder", "give another name with --out")
        for path in paths
        if path.is_dir()
    ]
    faults += [
        Fault(str(path), f"the file {given}, which is read", "give another name with --out")
        for path in paths
        for given in read
        if path.exists() and Path(given).exists() and path.samefile(given)
    ]
    if faults:
        raise FaultyInput("the .dt files cannot be written", faults)


def _only_bits(values: np.ndarray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())
