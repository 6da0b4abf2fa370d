"""A user's table as columns, whatever its file is: CSV, TSV, Parquet, ARFF, PROBEN1's .dt, or a folder of DELVE's."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import polars as pl

from benchbook.datasets.delve import read_delve
from benchbook.datasets.entries import MOST_ATTRIBUTES
from benchbook.datasets.readers.arff import parse_arff
from benchbook.datasets.readers.proben1 import read_dt_file
from benchbook.datasets.readers.text import content
from benchbook.datasets.types import Attribute
from benchbook.datasets.user.texts import Table, read_text
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import refuse_endless

_TEXTS = (".csv", ".tsv", ".txt", ".tab", ".data")
_PARQUET = (".parquet", ".pq")
_MOST_VALUES = 60_000_000
"""Cases times columns of a Parquet file, which may be a thousand times smaller than what it holds."""


def read_table(path: Path, separator: str = "", header: bool = True) -> Table:
    """Read a file or folder by its ending.

    Raises:
        FaultyInput: it does not hold a table; every fault with its line.
        BenchbookError: it is not there, cannot be read, or has another ending.
    """
    if path.is_dir():
        data = read_delve(path)
        known = {attribute.name: attribute for attribute in data.attributes}
        return Table(str(path), data.cases, known=known, group=data.card.layout.get("group", ""))
    try:
        refuse_endless(path, f"table {path}")
    except OSError as error:
        raise BenchbookError(f"no table {path} (looked from {Path.cwd()})") from error
    ending = (path.with_suffix("") if path.suffix in (".gz", ".zip") else path).suffix.lower()
    if ending in _PARQUET:
        return _parquet(path)
    if ending == ".arff":
        return _arff(path)
    if ending == ".dt":
        return _dt(path)
    if ending in _TEXTS:
        return read_text(path, separator, header)
    raise BenchbookError(
        f"{path} ends in {ending or 'nothing'}; tables end in {', '.join(_TEXTS)}, "
        f"{', '.join(_PARQUET)}, "
        ".arff or .dt, and a folder of DELVE's has Dataset.spec. Save it as CSV"
    )


def _parquet(path: Path) -> Table:
    try:
        scanned = pl.scan_parquet(path)
        names = scanned.collect_schema().names()
        if len(names) > MOST_ATTRIBUTES:
            raise FaultyInput(
                f"{path} cannot be read",
                [Fault("file", f"{len(names)} columns", f"{MOST_ATTRIBUTES} at most")],
            )
        cases = int(scanned.select(pl.len()).collect().item())
        if cases * len(names) > _MOST_VALUES:
            raise FaultyInput(
                f"{path} cannot be read",
                [
                    Fault(
                        "file",
                        f"{cases} cases of {len(names)} columns",
                        f"{_MOST_VALUES:,} values at most",
                    )
                ],
                "Write a table with the columns and cases that you need.",
            )
        frame = scanned.collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise BenchbookError(
            f"{path} is not a Parquet file that can be read: {str(error).partition(chr(10))[0]}"
        ) from error
    if frame.is_empty():
        raise FaultyInput(f"{path} cannot be read", [Fault("file", "no cases", "50 at least")])
    index, ordered = _pandas_metadata(path)
    notes = tuple(
        f"{name} is an ordered category, whose order is not read from a Parquet file of pandas: say --ordinal "
        f"{name}=A,B,C with {', '.join(frame[name].cast(pl.String).drop_nulls().unique().sort())}, least first"
        for name in ordered
        if name in frame.columns
    )
    return Table(str(path), frame, notes=notes, index=index)


def _pandas_metadata(path: Path) -> tuple[tuple[str, ...], list[str]]:
    """What pandas notes in a Parquet file: the columns that are the index, and those that are ordered categories."""
    try:
        noted = json.loads(pl.read_parquet_metadata(path).get("pandas", "{}"))
        index = tuple(item for item in noted.get("index_columns", ()) if isinstance(item, str))
        ordered = [
            item["field_name"]
            for item in noted.get("columns", ())
            if item.get("pandas_type") == "categorical"
            and (item.get("metadata") or {}).get("ordered")
        ]
    except (ValueError, AttributeError, TypeError, KeyError, pl.exceptions.PolarsError):
        return (), []  # notes of another form say nothing
    return index, ordered


def _arff(path: Path) -> Table:
    read = parse_arff(content(path), str(path))
    words, names = read.words, read.names
    faults = [
        Fault("@attribute", f"the name {name!r} {count} times", "every attribute has its own")
        for name, count in Counter(names).items()
        if count > 1
    ]
    if not words.cases:
        faults.append(Fault("file", "no cases below @data", "a line for each case"))
    if faults:
        raise FaultyInput(f"{path} cannot be read", faults)
    columns = zip(*words.cases, strict=True)
    frame = pl.DataFrame(
        {name: list(column) for name, column in zip(names, columns, strict=True)},
        schema=dict.fromkeys(names, pl.String),
    )
    known = {
        name: Attribute(index, name, "binary" if len(values) == 2 else "nominal", values)
        for index, (name, values) in enumerate(zip(names, read.types, strict=True), start=1)
        if isinstance(values, tuple) and len(values) > 1
    }
    line = words.numbers[0] if _in_a_row(words.numbers) else 0
    notes = ("the weights of the cases are left out",) if read.weighted else ()
    return Table(str(path), frame, line, notes, known)


def _in_a_row(numbers: list[int]) -> bool:
    return bool(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1


def _dt(path: Path) -> Table:
    read = read_dt_file(path)
    inputs, outputs = read.values()
    names, targets = _dt_names(path, read.inputs, read.outputs)
    frame = pl.concat(
        [pl.DataFrame(inputs, schema=list(names)), pl.DataFrame(outputs, schema=list(targets))],
        how="horizontal",
    )
    return Table(
        str(path),
        frame,
        read.words.numbers[0] if _in_a_row(read.words.numbers) else 0,
        partition=read.partition,
        targets=targets,
    )


def _dt_names(path: Path, inputs: int, outputs: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns, from the file of names that `benchbook proben1 encode` writes, or in1, in2, ..."""
    file = path.with_name(path.name.removesuffix(".gz").removesuffix(".dt") + ".names")
    if file.is_file():
        pairs = [
            line.partition(" ")[::2] for line in file.read_text("utf-8", "replace").splitlines()
        ]
        names = [(side, re.sub(r"[\s*]+", "-", name.strip())) for side, name in pairs]
        named = tuple(tuple(name for side, name in names if side == part) for part in ("in", "out"))
        every = [name for _, name in names]
        if [*map(len, named)] == [inputs, outputs] and len(set(every)) == len(every) and all(every):
            return named[0], named[1]
    return tuple(f"in{index + 1}" for index in range(inputs)), tuple(
        f"out{index + 1}" for index in range(outputs)
    )
