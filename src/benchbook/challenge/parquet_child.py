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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        head, body = {"fault": [f"a file that is no Parquet file or a damaged one ({reason})", "must be whole"]}, b""
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
    import polars as pl

    schema = pl.read_parquet_schema(io.BytesIO(raw))
    if len(schema) > most_columns:
        return {"fault": [f"{len(schema)} columns", f"must be at most {most_columns}"]}, b""
    rows = pl.scan_parquet(io.BytesIO(raw)).select(pl.len()).collect().item()
    if rows > most_rows:
        return {"fault": [f"{rows} predictions", f"must be one for each of the {most_rows} cases"]}, b""
    return _numbers(pl.read_parquet(io.BytesIO(raw), use_pyarrow=False), most_columns)


def _numbers(frame: pl.DataFrame, most_columns: int) -> tuple[dict[str, Any], bytes]:
    """The columns by name: the ids as text, the format and the kind as they are, all else as numbers."""
    import numpy as np
    import polars as pl

    head: dict[str, Any] = {"rows": frame.height, "columns": [], "case": None, "said": {}}
    arrays: list[Any] = []
    for name in frame.columns:
        column = frame[name]
        inner = getattr(column.dtype, "inner", None)
        if name == "case" and (column.dtype.is_integer() or column.dtype == pl.String):
            head["case"] = column.cast(pl.String).str.slice(0, _ID).to_list()
        elif name in ("format", "kind") and column.dtype == pl.String:
            head["said"][name] = column.unique().to_list()[:2]
        elif column.dtype.is_numeric():
            head["columns"].append([name, 1])
            arrays.append(column.cast(pl.Float64).to_numpy())
        elif inner is not None and inner.is_numeric():
            column = column.cast(pl.List(pl.Float64))  # of lists and of arrays of a fixed length
            lengths = column.list.len().unique().to_list()
            width = lengths[0] if len(lengths) == 1 else None
            if not width or width > most_columns:
                return {"fault": [f"column {name} with lists of {len(lengths)} lengths",
                                  "must be lists of one length, of 1 or more numbers"]}, b""
            head["columns"].append([name, width])
            arrays.append(column.explode().to_numpy().reshape(frame.height, width))
        else:
            return {"fault": [f"column {name} of type {column.dtype}", "must be numbers"]}, b""
    if sum(width for _, width in head["columns"]) > most_columns:
        return {"fault": [f"more than {most_columns} numbers in a row", "must be fewer"]}, b""
    body = np.column_stack(arrays).astype("<f8") if arrays else np.empty((frame.height, 0))
    return head, body.tobytes()


if __name__ == "__main__":
    main()
