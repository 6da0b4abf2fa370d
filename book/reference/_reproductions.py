"""What of each work was re-derived: the table of ``data/reproduction.toml``."""

import tomllib
from collections.abc import Sequence

import polars as pl

from benchbook import datasets
from benchbook.errors import BenchbookError, Fault, FaultyInput

STATUS = {
    "again": "on the work's own data",
    "re-created": "on data made anew",
    "other data": "on other real data",
    "derived": "by proof or by number",
    "not": "not reproduced",
}
_KEYS = ("work", "what", "status", "why", "page")


def rows() -> pl.DataFrame:
    """The lines of the table: ``work``, ``what``, ``status``, ``why`` and ``page`` (under ``book/``, without suffix).

    Raises:
        BenchbookError: the file is missing. FaultyInput: a line lacks a key, or has a status that is none.
    """
    path = datasets.registry_path().with_name("reproduction.toml")
    if not path.is_file():
        raise BenchbookError(f"{path} is missing; it comes with the project")
    return checked(tomllib.loads(path.read_text(encoding="utf-8")).get("row", []))


def checked(lines: Sequence[dict[str, str]]) -> pl.DataFrame:
    """The lines as a frame, refused together where they are faulty."""
    faults = [
        Fault(f"row {number}", f"no {key}", "every row has " + ", ".join(_KEYS))
        for number, line in enumerate(lines, 1)
        for key in _KEYS
        if not line.get(key)
    ]
    faults += [
        Fault(f"row {number}", repr(line["status"]), f"the status is one of {', '.join(STATUS)}")
        for number, line in enumerate(lines, 1)
        if line.get("status") and line["status"] not in STATUS
    ]
    if faults:
        raise FaultyInput("table of reproductions", faults)
    return pl.DataFrame(list(lines)).select(_KEYS)


def linked() -> pl.DataFrame:
    """The rows for a page in ``book/reference/``: the status in words, and ``address``, where ``what`` leads to."""
    return rows().select(
        "work",
        "what",
        status=pl.col("status").replace_strict(STATUS),
        how="why",
        address=pl.format("../{}.html", "page"),
    )


def counted() -> dict[str, int]:
    """How many rows of each status."""
    found = rows()["status"].to_list()
    return {status: found.count(status) for status in STATUS}
