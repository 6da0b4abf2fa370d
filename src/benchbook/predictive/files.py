"""One Parquet format for every predictive distribution.

A file has one line a case and these columns:

* ``format``: ``benchbook.predictive/1`` in every line;
* ``kind``: the kind of distribution, the same in every line;
* ``case``: the id of the case, whole numbers or text, all different;
* one column a parameter, by its name: a number, or a list of numbers where a case has several. What all cases
  share, such as the levels of quantiles, is repeated in every line.

Any program that writes Parquet can make such a file. Files written here carry a checksum too: see
``benchbook.parquet``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from benchbook import parquet
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.predictive.base import Predictive
from benchbook.predictive.categorical import Categorical
from benchbook.predictive.checks import FloatArray, without_rounding
from benchbook.predictive.draws import Draws
from benchbook.predictive.gaussian import Gaussian, StudentT
from benchbook.predictive.mixture import Mixture
from benchbook.predictive.outputs import Outputs
from benchbook.predictive.point import Point
from benchbook.predictive.quantiles import Quantiles
from benchbook.predictive.t_mixture import StudentTMixture

FORMAT = "benchbook.predictive/1"
KINDS: dict[str, type[Predictive]] = {
    each.kind: each
    for each in (
        Point,
        Gaussian,
        StudentT,
        Mixture,
        StudentTMixture,
        Quantiles,
        Draws,
        Categorical,
        Outputs,
    )
}
_FORMER = {
    StudentTMixture.kind: {"degrees": "df"}
}  # what parameters were called in files of older versions
_HOW = "Write such files with benchbook.predictive.save, or lay them out as described in benchbook.predictive.files."


def save(pred: Predictive, path: str | Path, cases: ArrayLike | None = None) -> None:
    """Write predictions to a Parquet file, whole or not at all.

    Example:
        >>> import tempfile
        >>> from benchbook import predictive
        >>> forecast = predictive.Gaussian(mean=[20.0, 22.0], variance=[4.0, 1.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     predictive.save(forecast, f"{folder}/forecast.parquet", cases=["mon", "tue"])
        ...     again, cases = predictive.load_with_cases(f"{folder}/forecast.parquet")
        ...
        >>> cases, again.mean()
        (array(['mon', 'tue'], dtype=object), array([20., 22.]))

    Args:
        pred: the predictions.
        path: the file; its folder is made when missing.
        cases: the ids of the cases, shape [J], whole numbers or text, all different; 0..J-1 when left out.

    Raises:
        FaultyInput: ids of another number than the cases, of another type, or not all different.
        BenchbookError: the file cannot be written.
    """
    given: Sequence[object] | NDArray[Any] = (
        range(len(pred)) if cases is None else np.asarray(cases)
    )
    ids = _checked_ids(f"case ids for {path}", pl.Series("case", given), len(pred))
    arrays = {name: np.ascontiguousarray(array) for name, array in pred.parameters.items()}
    frame = pl.DataFrame(
        {
            "format": pl.repeat(FORMAT, len(pred), eager=True),
            "kind": pl.repeat(pred.kind, len(pred), eager=True),
            "case": ids,
            **arrays,
        }
    )
    parquet.write(frame, Path(path))


def plain_parameters(prediction: Predictive) -> dict[str, NDArray[np.float64]]:
    """The parameters of a prediction; what all cases share is held once."""
    return {
        name: np.array(
            array[0] if array.ndim and array.strides[0] == 0 and len(array) > 1 else array
        )
        for name, array in prediction.parameters.items()
    }


def rebuilt(kind: str, arrays: Mapping[str, ArrayLike]) -> Predictive:
    """The predictions of a kind from their parameters, by the names of today or of older versions.

    Raises:
        KeyError: no kind of that name. TypeError: other parameters than the kind has. FaultyInput: parameters with
        faults.
    """
    names = _FORMER.get(kind, {})
    made: Callable[..., Predictive] = KINDS[kind]
    return made(**{names.get(name, name): array for name, array in arrays.items()})


def load(path: str | Path) -> Predictive:
    """Read the predictions in a file; see :func:`load_with_cases`."""
    return load_with_cases(path)[0]


def load_with_cases(path: str | Path) -> tuple[Predictive, NDArray[Any]]:
    """Read and check a file of predictions.

    Returns:
        The predictions, and the ids of their cases, shape [J].

    Raises:
        BenchbookError: no such file, one that is not Parquet or is cut short, or one that was altered after it was
        written. FaultyInput: a file that is not laid out as the format says, or predictions with faults; all of them
        together.
    """
    frame = _read(Path(path))
    for name, today in _FORMER.get(_first_kind(frame), {}).items():
        frame = frame if today in frame.columns else frame.rename({name: today}, strict=False)
    kind = _checked_layout(path, frame)
    names = tuple(kind.shapes)
    ids = _checked_ids(str(path), frame["case"], frame.height)
    arrays = _arrays(path, kind, frame.select(names))
    if kind is Categorical:
        arrays = {name: without_rounding(array) for name, array in arrays.items()}
    try:
        pred = kind(**arrays)
    except FaultyInput as error:
        raise FaultyInput(f"{path}: {error.what}", error.faults, error.advice) from None
    return pred, ids.to_numpy()


def _first_kind(frame: pl.DataFrame) -> str:
    return str(frame["kind"][0]) if "kind" in frame.columns and frame.height else ""


def _checked_ids(what: str, ids: pl.Series, cases: int) -> pl.Series:
    if ids.len() != cases:
        raise FaultyInput(
            what,
            [Fault("case", f"{ids.len()} ids", f"must have one id for each of the {cases} cases")],
        )
    if not (ids.dtype.is_integer() or ids.dtype == pl.String):
        raise FaultyInput(
            what, [Fault("case", f"values of type {ids.dtype}", "must be whole numbers or text")]
        )
    if ids.dtype.is_integer():
        ids = ids.cast(pl.Int64, strict=False)
    faults = [
        Fault(f"line {line}, case", "null", "must have an id") for line in ids.is_null().arg_true()
    ]
    twice = ids.is_duplicated() & ids.is_not_null()
    faults += [
        Fault(f"line {line}, case", repr(ids[line]), "must be the id of one case only")
        for line in twice.arg_true()
    ]
    if faults:
        raise FaultyInput(what, faults, "Lines are counted from 0.")
    return ids


def _read(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise BenchbookError(
            f"there is no file {path}; give the path of a file of predictions. {_HOW}"
        )
    try:
        raw = path.read_bytes()
        if parquet.intact(raw) is False:
            raise BenchbookError(
                f"{path} was damaged after it was written (wrong checksum). Write or copy it again."
            )
        return pl.read_parquet(raw)
    except PermissionError as error:
        raise BenchbookError(
            f"cannot read {path}: no permission; change its permissions"
        ) from error
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise BenchbookError(
            f"{path} is not a Parquet file, or it is damaged or cut short ({reason}). Write or copy it again. {_HOW}"
        ) from error


def _checked_layout(path: str | Path, frame: pl.DataFrame) -> type[Predictive]:
    faults: list[Fault] = []
    form = _only_value(frame, "format", faults)
    if form is not None and form != FORMAT:
        rule = f"must be {FORMAT!r}, the only format this version of benchbook reads"
        faults.append(Fault("column format", repr(form), rule))
    name = _only_value(frame, "kind", faults)
    kind = KINDS.get(name) if isinstance(name, str) else None
    if name is not None and kind is None:
        faults.append(Fault("column kind", repr(name), f"must be one of {_listed(KINDS)}"))
    if kind is not None:
        needed = ("format", "kind", "case", *kind.shapes)
        missing = [column for column in needed[2:] if column not in frame.columns]
        faults += [
            Fault("columns", _listed(frame.columns), f"must have the column {column}")
            for column in missing
        ]
        foreign = [column for column in frame.columns if column not in needed]
        rule = f"is no part of kind {kind.kind}; leave it out"
        faults += [
            Fault(f"column {column}", f"values of type {frame[column].dtype}", rule)
            for column in foreign
        ]
    if faults or kind is None:
        raise FaultyInput(str(path), faults, _HOW)
    return kind


def _only_value(frame: pl.DataFrame, column: str, faults: list[Fault]) -> Any:
    """The one value a column holds in all lines; None, and a fault more, when there is no such value."""
    if column not in frame.columns:
        faults.append(Fault("columns", _listed(frame.columns), f"must have the column {column}"))
        return None
    values = frame[column].unique(maintain_order=True).to_list()
    if len(values) == 1 and values[0] is not None:
        return values[0]
    faults.append(
        Fault(f"column {column}", _listed(values), "must hold one value, the same in every line")
    )
    return None


def _arrays(path: str | Path, kind: type[Predictive], frame: pl.DataFrame) -> dict[str, FloatArray]:
    faults: list[Fault] = []
    arrays = {}
    for name, shapes in kind.shapes.items():
        array = _matrix(frame[name]) if shapes[0] not in ("J", "") else _column(frame[name])
        if isinstance(array, Fault):
            faults.append(array)
            continue
        # What may be shared and is the same in every line is held once.
        arrays[name] = array[0] if len(shapes) > 1 and (array == array[0]).all() else array
    if faults:
        raise FaultyInput(str(path), faults, f"Lines are counted from 0. {_HOW}")
    return arrays


def _column(series: pl.Series) -> FloatArray | Fault:
    if not series.dtype.is_numeric():
        return Fault(
            f"column {series.name}", f"values of type {series.dtype}", "must hold one number a case"
        )
    return series.cast(pl.Float64).to_numpy()


def _matrix(series: pl.Series) -> FloatArray | Fault:
    """The lists of a column as the lines of a matrix; null becomes NaN, which the distribution will name."""
    rule = "must hold a list of numbers for every case, all of one length"
    inner = getattr(series.dtype, "inner", None)
    if inner is None or not inner.is_numeric():
        return Fault(f"column {series.name}", f"values of type {series.dtype}", rule)
    lists = series.cast(pl.List(pl.Float64))
    lengths = lists.list.len().unique().to_list()
    if len(lengths) != 1 or not lengths[0]:
        return Fault(f"column {series.name}", f"lists of lengths {_listed(lengths)}", rule)
    return lists.explode().to_numpy().reshape(series.len(), lengths[0])


def _listed(shapes: Sequence[Any] | dict[str, Any]) -> str:
    shown = [str(item) for item in shapes]
    return (
        ", ".join(shown[:10]) + (f" and {len(shown) - 10} more" if len(shown) > 10 else "")
        if shown
        else "none"
    )
