"""Reads one Parquet file from standard input, within limits, and writes its numbers to standard output.

It runs in a process of its own: a Parquet file of a hundred bytes may stand for billions of numbers, and one that is
damaged may end the process that decodes it. What comes out is one line of JSON, then the numbers as little-endian
float64, a row after the other. Arguments: the most rows, the most columns, seconds, bytes of memory.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any

import polars as pl

_ID = 200  # letters of a case id that are looked at


def main() -> None:
    """Read, and say what was read or why not."""
    rows, columns, seconds, memory = (int(word) for word in sys.argv[1:5])
    _limit(seconds, memory)
    raw = sys.stdin.buffer.read()
    try:
        head, body = _read(raw, rows, columns)
    except MemoryError:
        head, body = {"fault": ["a file that needs too much memory", "must be smaller"]}, b""
    except BaseException as error:  # a panic of the decoder is no Exception
        reason = (str(error).strip() or type(error).__name__).partition("\n")[0][:120]
        head, body = (
            {
                "fault": [
                    f"a file that is no Parquet file or a damaged one ({reason})",
                    "must be whole",
                ]
            },
            b"",
        )
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
    sys.stdout.buffer.write(body)


def _limit(seconds: int, memory: int) -> None:
    """Ask the system to end this process rather than give it more; where it cannot, the caller's clock remains."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _read(raw: bytes, most_rows: int, most_columns: int) -> tuple[dict[str, Any], bytes]:
    schema = pl.read_parquet_schema(io.BytesIO(raw))
    if len(schema) > most_columns:
        return {"fault": [f"{len(schema)} columns", f"must be at most {most_columns}"]}, b""
    rows = pl.scan_parquet(io.BytesIO(raw)).select(pl.len()).collect().item()
    if rows > most_rows:
        return {
            "fault": [f"{rows} predictions", f"must be one for each of the {most_rows} cases"]
        }, b""
    return _numbers(pl.read_parquet(io.BytesIO(raw), use_pyarrow=False), most_columns)


def _numbers(frame: pl.DataFrame, most_columns: int) -> tuple[dict[str, Any], bytes]:
    """The columns by name: the ids as text, the format and the kind as they are, all else as numbers."""
    import numpy as np

    head: dict[str, Any] = {"rows": frame.height, "columns": [], "case": None, "said": {}}
    arrays: list[Any] = []
    for name in frame.columns:
        column = frame[name]
        if name == "case" and (column.dtype.is_integer() or column.dtype == pl.String):
            head["case"] = column.cast(pl.String).str.slice(0, _ID).to_list()
        elif name in ("format", "kind") and column.dtype == pl.String:
            head["said"][name] = column.unique().to_list()[:2]
        else:
            array = _array(column)
            if array is None or array.shape[1] > most_columns:
                actual = f"column {name} of type {column.dtype}"
                return {
                    "fault": [
                        actual,
                        "must be a number, or a list of numbers of one length, in every row",
                    ]
                }, b""
            head["columns"].append([name, array.shape[1]])
            arrays.append(array)
    if sum(width for _, width in head["columns"]) > most_columns:
        return {"fault": [f"more than {most_columns} numbers in a row", "must be fewer"]}, b""
    body = np.column_stack(arrays).astype("<f8") if arrays else np.empty((frame.height, 0))
    return head, body.tobytes()


def _array(column: pl.Series) -> Any:
    """The numbers of a column, shape [rows, k]; None for one that has others, or lists of unequal or no length."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).to_numpy()[:, None]
    inner = getattr(column.dtype, "inner", None)
    if inner is None or not inner.is_numeric():
        return None
    lists = column.cast(pl.List(pl.Float64))  # of lists, and of arrays of a fixed length
    lengths = lists.list.len().unique().to_list()
    if len(lengths) != 1 or not lengths[0]:
        return None
    return lists.explode().to_numpy().reshape(len(column), lengths[0])


if __name__ == "__main__":
    main()
