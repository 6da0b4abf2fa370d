"""Prediction files in Parquet: the columns of CSV, or what ``benchbook.predictive.save`` writes.

``save`` writes lists in one column: ``level`` and ``value`` for quantiles, ``probability`` of both classes; both forms
are read. Decoding happens in another process with limits of its own, see ``parquet_child``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchbook.predictive.checks import FloatArray
from benchbook_book.course.challenge.asked import Asked
from benchbook_book.course.challenge.findings import (
    Findings,
    SubmissionLimits,
    Unreadable,
    quote,
)
from benchbook_book.course.challenge.manifest import Promise
from benchbook_book.course.challenge.sheet import Layout, Sheet, layout
from benchbook_book.course.challenge.text import header

_SAVED = {"gaussian": "gaussian", "quantiles": "quantiles", "categorical": "probability"}


def read_parquet(
    raw: bytes, promise: Promise, asked: Asked, findings: Findings, limits: SubmissionLimits
) -> Sheet | None:
    """Read a Parquet file; None, and faults, when its columns do not fit.

    Raises:
        Unreadable: it is damaged, or too large for its limits.
    """
    head, numbers = _decoded(raw, len(asked.cases), 2 * limits.levels + 4, limits)
    if head["case"] is None:
        findings.add(
            promise.file,
            "columns",
            quote(", ".join(name for name, _ in head["columns"])),
            "must have the column case, whole numbers or text",
        )
        return None
    for kind in head["said"].get("kind", ()):
        if _SAVED.get(str(kind)) != promise.kind:
            findings.add(
                promise.file,
                "column kind",
                quote(kind),
                f"must be predictions of the kind {promise.kind}",
            )
    form, numbers = _laid_out(head["columns"], numbers, promise, findings, limits)
    if form is None:
        return None
    sheet = Sheet(promise.file, asked, form, findings, True, "row")
    for row, case in enumerate(head["case"], 1):
        sheet.row(row, numbers[row - 1], "" if case is None else case)
    return sheet


def _laid_out(
    columns: list[tuple[str, int]],
    numbers: FloatArray,
    promise: Promise,
    findings: Findings,
    limits: SubmissionLimits,
) -> tuple[Layout | None, FloatArray]:
    """The layout, and the numbers in the order of its columns."""
    widths, starts = (
        dict(columns),
        dict(
            zip(
                (name for name, _ in columns),
                np.cumsum([0, *(width for _, width in columns)]),
                strict=False,
            )
        ),
    )
    if (
        promise.kind == "quantiles"
        and set(widths) == {"level", "value"}
        and widths["level"] == widths["value"] >= 2
    ):
        width = widths["level"]
        order = [starts[name] + k for name in ("level", "value") for k in range(width)]
        return layout("quantiles", own=width), numbers[:, order]
    if promise.kind == "probability" and widths == {"probability": 2}:
        return layout("probability"), numbers[:, 1:]
    if any(width > 1 for width in widths.values()):
        findings.add(
            promise.file,
            "columns",
            quote(", ".join(widths)),
            "must be lists level and value of one length "
            "for quantiles, a list probability of two for a class, or columns of single numbers",
        )
        return None, numbers
    form, places = header(["case", *widths], promise, findings, limits)
    return form, numbers[:, [position - 1 for position in places[1:]]]


def _decoded(
    raw: bytes, rows: int, columns: int, limits: SubmissionLimits
) -> tuple[dict[str, Any], FloatArray]:
    """What the other process read."""
    # Run as a file and without its folder or the current one on the path: a submission must not lend it modules.
    command = [
        sys.executable,
        "-P",
        str(Path(__file__).with_name("parquet_child.py")),
        str(rows),
        str(columns),
        str(limits.seconds),
        str(limits.memory),
    ]
    alone = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    too_much = Unreadable(
        "a file whose reading took too much time or memory, or broke the reader",
        "must be a whole Parquet file of the numbers asked for",
    )
    try:
        process = subprocess.run(
            command,
            input=raw,
            capture_output=True,
            check=False,
            timeout=2 * limits.seconds,
            env={**os.environ, **alone},
        )
    except subprocess.TimeoutExpired:
        raise too_much from None
    line, _, body = process.stdout.partition(b"\n")
    if process.returncode != 0 or not line:
        raise too_much
    head = json.loads(line)
    if "fault" in head:
        raise Unreadable(*head["fault"])
    width = sum(width for _, width in head["columns"])
    return head, np.frombuffer(body, dtype="<f8").reshape(head["rows"], width)
