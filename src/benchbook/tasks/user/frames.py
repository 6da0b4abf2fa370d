"""Tasks from arrays and frames of a Python session, without a file of the user's."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from benchbook.datasets.user.guess import Wishes
from benchbook.datasets.user.pandas_frames import from_pandas, is_pandas
from benchbook.datasets.user.places import SESSION_VARIABLE
from benchbook.datasets.user.tables import Table
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.tasks.registry import available, get
from benchbook.tasks.user.proposal import Wanted, propose
from benchbook.tasks.user.writing import keep

if TYPE_CHECKING:
    from benchbook.tasks.task import Task


def from_frame(
    frame: Any,
    target: str,
    name: str = "frame",
    *,
    kind: str = "",
    group: str = "",
    time: str = "",
    drop: Sequence[str] = (),
    natures: dict[str, str] | None = None,
) -> tuple[Task, ...]:
    """The tasks of a frame of polars or pandas, smallest training sets first, for as long as this Python runs.

    They have names like all tasks, ``frame/<target>/std.64``, so that ``studies.run`` and its worker processes find
    them.
    A frame given under the same name takes the place of the one before.

    Args:
        frame: the cases. target: the column to predict. name: of the dataset.
        kind, group, time, drop: see ``Wanted``. natures: nature by column, where the guess is wrong.

    Raises:
        FaultyInput: see ``propose``.
        BenchbookError: it is no frame, or the name is taken by a dataset of the book's.
    """
    orders: dict[str, tuple[str, ...]] = {}
    notes: tuple[str, ...] = ()
    if is_pandas(frame):
        converted = from_pandas(frame)
        frame, orders, notes = converted.frame, converted.orders, converted.notes
    if not isinstance(frame, pl.DataFrame):
        raise BenchbookError(f"{type(frame).__name__} is no frame of polars or pandas")
    natures = {str(column): nature for column, nature in (natures or {}).items()}
    wishes = Wishes(natures, {name: order for name, order in orders.items() if name not in natures})
    wanted = Wanted(str(target), name, kind, tuple(map(str, drop)), str(group), str(time), wishes)
    proposal = propose(Table(name, frame, notes=notes), wanted)
    keep(proposal, _session(), replace=True)
    path = f"{proposal.name}/{proposal.prototasks[0]['name']}"
    return tuple(get(one) for one in available(path))


def from_arrays(
    inputs: Any,
    targets: Any,
    name: str = "arrays",
    *,
    names: Sequence[str] = (),
    classes: Sequence[str] = (),
    target: str = "y",
    kind: str = "",
) -> tuple[Task, ...]:
    """The tasks of inputs [N, d] and targets [N]; see ``from_frame``.

    Args:
        inputs: numbers. targets: numbers, or words, or indices of ``classes``.
        name: of the dataset. names: of the inputs, x1 to xd when left out. classes: names of the classes.
        target: what to call the target. kind: "real" or "class" when the guess is wrong.

    Raises:
        FaultyInput: shapes that do not belong together; or see ``propose``.
    """
    values, wanted = _unmasked(inputs), _unmasked(targets)
    if values.ndim != 2 or wanted.ndim != 1 or len(values) != len(wanted):
        raise FaultyInput(
            "arrays",
            [Fault("shapes", f"{values.shape} and {wanted.shape}", "[N, d] inputs, [N] targets")],
        )
    titles = list(names) or [f"x{place}" for place in range(1, values.shape[1] + 1)]
    if len(titles) != values.shape[1] or len({*titles, target}) != len(titles) + 1:
        raise FaultyInput(
            "arrays",
            [
                Fault(
                    "names",
                    ", ".join(titles),
                    f"{values.shape[1]} names, each once and none {target!r}",
                )
            ],
        )
    if len(classes):
        wanted = _named(wanted, classes)
    columns = {**dict(zip(titles, values.T, strict=True)), target: wanted}
    frame = pl.DataFrame(
        [
            pl.Series(title, list(one) if one.dtype == object else one, strict=False)
            for title, one in columns.items()
        ]
    )
    return from_frame(frame, target, name, kind=kind)


def _named(targets: np.ndarray, classes: Sequence[str]) -> np.ndarray:
    """Class indices [N] as the names of the classes, None where one is missing."""
    missing = np.array([one is None or one != one for one in targets.tolist()])
    known = targets[~missing]
    if not np.isin(known, np.arange(len(classes))).all():
        raise FaultyInput(
            "arrays",
            [
                Fault(
                    "targets",
                    f"{known.min()} to {known.max()}",
                    f"indices of the {len(classes)} classes",
                )
            ],
        )
    named = np.full(len(targets), None, dtype=object)
    named[~missing] = np.asarray(classes, dtype=object)[known.astype(int)]
    return named


def from_bunch(bunch: Any, name: str) -> tuple[Task, ...]:
    """The tasks of what scikit-learn's ``load_...`` and ``fetch_...`` return; see ``from_arrays``.

    Raises:
        BenchbookError: it has no ``data`` and ``target``.
    """
    if not hasattr(bunch, "data") or not hasattr(bunch, "target"):
        raise BenchbookError(
            f"{type(bunch).__name__} has no data and target, as scikit-learn's bunches have"
        )
    classes = getattr(bunch, "target_names", ())
    return from_arrays(
        bunch.data,
        bunch.target,
        name,
        names=[str(one) for one in getattr(bunch, "feature_names", ())],
        classes=[str(one) for one in classes] if len(classes) > 1 else (),
        target="target",
    )


def _unmasked(values: Any) -> np.ndarray:
    """An array in which what a mask hides is missing."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values.data)
    if values.dtype.kind in "iuf":
        return np.ma.filled(values.astype(np.float64), np.nan)
    return np.ma.filled(values.astype(object), None)


def _session() -> Path:
    """A folder that this process and those it starts look into, and that goes when it ends."""
    if folder := os.environ.get(SESSION_VARIABLE):
        return Path(folder)
    folder = tempfile.mkdtemp(prefix="benchbook-")
    os.environ[SESSION_VARIABLE] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
