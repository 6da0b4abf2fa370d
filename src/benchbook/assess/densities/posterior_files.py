"""Log likelihoods of a posterior, as PyMC, NumPyro and Stan users have them: read from files, and written.

A netCDF file is one that ArviZ writes (``InferenceData.to_netcdf``, or the ``DataTree`` of its newer releases): a group
``log_likelihood`` whose variables have the dimensions chain and draw, and those of the cases.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.densities.checks import target_digest
from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.files import atomic
from benchbook.numerals import number

GROUP = "log_likelihood"
_OBSERVED = "observed_data"
_AXES = ("chain", "draw")
_NO_NAMES = ("nan", "inf", "-inf", "+inf")
_SINGLE = (".npy", ".parquet", ".csv")
_ENDINGS = (".nc", ".nc4", ".npy", ".npz", ".parquet", ".csv")


@dataclass(frozen=True, eq=False)
class LogLikelihood:
    """log p(y_i | x_i, θ_j) of N cases at the draws of C chains.

    Attributes:
        values: [C, draws of a chain, N], in nats.
        cases: [N], a name for each case: its coordinates in the file, or its number from 0.
        name: of the variable, or of the file.
        targets: ``target_digest`` of the targets, where the file has them as observed data; else empty.
    """

    values: NDArray[Any]
    cases: tuple[str, ...]
    name: str
    targets: str = ""


def read_log_likelihood(path: str | Path, variable: str = "") -> LogLikelihood:
    """Read the log likelihoods in a file.

    Args:
        path: netCDF of ArviZ (.nc); .npy or .npz with one array [draws, N] or [chains, draws, N]; .parquet or .csv
            with a line for each draw, a column for each case, and if there are several chains a column ``chain``. A
            .npy file is not loaded but mapped, and may be larger than memory.
        variable: which, where the file has several.

    Raises:
        BenchbookError: there is no such file, or it is not of its kind.
        FaultyInput: no log likelihoods in it, several and none chosen, or not of such a shape.
    """
    file = Path(path)
    if file.suffix.lower() not in _ENDINGS:
        raise BenchbookError(
            f"{file} ends in {file.suffix or 'nothing'}; log likelihoods are read from "
            f'{", ".join(_ENDINGS)}. ArviZ writes .nc: idata.to_netcdf("posterior.nc").'
        )
    if not file.is_file():
        raise BenchbookError(f"there is no file {file}.")
    if variable and file.suffix.lower() in _SINGLE:
        raise BenchbookError(
            f"{file} has one variable, and {variable!r} was asked for; leave it out"
        )
    reader = {".npy": _npy, ".npz": _npz, ".parquet": _table, ".csv": _table}.get(
        file.suffix.lower(), _netcdf
    )
    try:
        return reader(file, variable)
    except BenchbookError:
        raise
    except (
        Exception
    ) as error:  # each of the libraries has errors of its own for a file that is not what it says
        raise BenchbookError(f"{file} cannot be read as {file.suffix}: {error}") from error


def from_inference_data(data: Any, variable: str = "") -> LogLikelihood:
    """The log likelihoods of an ArviZ ``InferenceData``, an xarray ``DataTree``, or a mapping of arrays, in memory.

    Args:
        data: with a group ``log_likelihood`` whose variables have ``dims``, ``coords`` and ``values``; or a mapping
            from names to arrays [chains, draws, N].
        variable: which, where there are several.

    Raises:
        FaultyInput: no log likelihoods, several and none chosen, or not of such a shape.
    """
    group = getattr(data, GROUP, None)
    if group is None and isinstance(data, Mapping):
        group = data.get(GROUP, data)
    if group is None:
        raise _absent("the object", [])
    group = getattr(group, "data_vars", group)
    name = _chosen("the object", list(group), variable)
    array = group[name]
    if not hasattr(array, "dims"):
        return _shaped(np.asarray(array), name)
    coordinates = {
        axis: np.asarray(array.coords[axis]) for axis in array.dims if axis in array.coords
    }
    return _arranged(np.asarray(array.values), tuple(array.dims), coordinates, name)


def write_log_likelihood(path: str | Path, likelihood: LogLikelihood) -> None:
    """Write log likelihoods as a netCDF file that ArviZ reads, whole or not at all.

    The group ``log_likelihood`` has one variable with dimensions chain, draw and case.
    """
    import h5netcdf
    import h5py

    values = np.asarray(likelihood.values, dtype=np.float64)
    names = likelihood.cases
    numbered = names == tuple(str(number) for number in range(len(names)))
    with atomic(Path(path)) as scratch, h5netcdf.File(scratch, "w") as file:
        group = file.create_group(GROUP)
        group.attrs["inference_library"] = "benchbook"
        group.dimensions = dict(zip((*_AXES, "case"), values.shape, strict=True))
        for axis, size in zip(_AXES, values.shape, strict=False):
            group.create_variable(axis, (axis,), data=np.arange(size))
        labels = np.arange(len(names)) if numbered else np.array(names, dtype=object)
        kind = labels.dtype if numbered else h5py.string_dtype()
        group.create_variable("case", ("case",), dtype=kind, data=labels)
        group.create_variable(likelihood.name, (*_AXES, "case"), data=values)


def _netcdf(file: Path, variable: str) -> LogLikelihood:
    import h5netcdf

    with h5netcdf.File(file, "r") as content:
        if GROUP not in content.groups:
            raise _absent(str(file), list(content.groups))
        group = content.groups[GROUP]
        names = [name for name in group.variables if name not in group.dimensions]
        array = group.variables[_chosen(str(file), names, variable)]
        coordinates = {
            axis: np.asarray(group.variables[axis][...])
            for axis in array.dimensions
            if axis in group.variables
        }
        name = array.name.rpartition("/")[2]
        values = _arranged(np.asarray(array[...]), tuple(array.dimensions), coordinates, name)
        observed = (
            content.groups[_OBSERVED].variables.get(name) if _OBSERVED in content.groups else None
        )
        if observed is None or tuple(observed.dimensions) != tuple(
            a for a in array.dimensions if a not in _AXES
        ):
            return values
        return replace(values, targets=target_digest(np.ravel(observed[...]), len(values.cases)))


def _npy(file: Path, variable: str) -> LogLikelihood:
    return _shaped(np.load(file, mmap_mode="r", allow_pickle=False), file.stem)


def _npz(file: Path, variable: str) -> LogLikelihood:
    with np.load(file, allow_pickle=False) as content:
        name = _chosen(str(file), list(content.files), variable)
        return _shaped(content[name], name)


def _table(file: Path, variable: str) -> LogLikelihood:
    if file.suffix.lower() == ".csv":
        _check_heading(file)
    frame = pl.read_parquet(file) if file.suffix.lower() == ".parquet" else pl.read_csv(file)
    names = [name for name in frame.columns if name not in (*_AXES, "iteration")]
    wrong = [name for name in names if not frame[name].dtype.is_numeric()]
    if wrong or not names:
        raise FaultyInput(
            f"log likelihoods in {file}",
            [
                Fault(f"column {name}", str(frame[name].dtype), "numbers: a column for each case")
                for name in wrong
            ]
            or [Fault("columns", "none for a case", "a column for each case")],
        )
    if "chain" not in frame.columns:
        return LogLikelihood(frame.select(names).to_numpy()[None], tuple(names), file.stem)
    parts = [
        part.select(names).to_numpy() for part in frame.partition_by("chain", maintain_order=True)
    ]
    lengths = sorted({len(part) for part in parts})
    if len(lengths) > 1:
        raise FaultyInput(
            f"log likelihoods in {file}",
            [
                Fault(
                    "chain", f"{lengths[0]} to {lengths[-1]} draws", "as many draws in every chain"
                )
            ],
        )
    return LogLikelihood(np.stack(parts), tuple(names), file.stem)


def _check_heading(file: Path) -> None:
    """Refuse a table whose first line is a draw, which would be lost, or that gives two columns one name.

    Cases may be numbered: then the numbers are whole, from 0 on, and different.
    """
    heading = pl.read_csv(
        file, has_header=False, n_rows=1, infer_schema=False, truncate_ragged_lines=True
    )
    names = [(name or "").strip() for name in heading.row(0)]
    numbers = [
        name
        for name in names
        if name.lower() in _NO_NAMES or not (name.isdecimal() or math.isnan(number(name)))
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if numbers or twice:
        raise FaultyInput(
            f"log likelihoods in {file}",
            [
                Fault(
                    "line 1",
                    shortened(", ".join(numbers or map(repr, twice))),
                    "the names of the columns, each once, "
                    "a column for each case: put a line of names above the first draw",
                )
            ],
        )


def _shaped(array: NDArray[Any], name: str) -> LogLikelihood:
    if array.ndim not in (2, 3):
        raise FaultyInput(
            f"log likelihoods {name!r}",
            [
                Fault(
                    "array",
                    f"shape {array.shape}",
                    "must be [draws, N cases] or [chains, draws, N cases]",
                )
            ],
        )
    values = array[None] if array.ndim == 2 else array
    return LogLikelihood(values, tuple(str(case) for case in range(values.shape[2])), name)


def _arranged(
    values: NDArray[Any], axes: tuple[str, ...], coordinates: Mapping[str, NDArray[Any]], name: str
) -> LogLikelihood:
    """Chains first, then draws, then all other axes as cases."""
    missing = [axis for axis in _AXES if axis not in axes]
    if missing:
        raise FaultyInput(
            f"log likelihoods {name!r}",
            [Fault("dimensions", ", ".join(axes), f"{' and '.join(missing)} must be among them")],
        )
    others = [axis for axis in axes if axis not in _AXES]
    ordered = np.transpose(values, [axes.index(axis) for axis in (*_AXES, *others)])
    sizes = ordered.shape[2:]
    labels = [
        _labels(coordinates.get(axis), size) for axis, size in zip(others, sizes, strict=True)
    ]
    cases = tuple(
        ", ".join(labels[k][place[k]] for k in range(len(sizes))) or "0"
        for place in np.ndindex(*sizes)
    )
    return LogLikelihood(ordered.reshape(*ordered.shape[:2], -1), cases, name)


def _labels(coordinate: NDArray[Any] | None, size: int) -> list[str]:
    if coordinate is None or coordinate.shape != (size,):
        return [str(number) for number in range(size)]
    return [
        value.decode() if isinstance(value, bytes) else str(value) for value in coordinate.tolist()
    ]


def _chosen(where: str, names: Sequence[Any], variable: str) -> str:
    chosen = [str(name) for name in names]
    if variable in chosen:
        return variable
    if variable or len(chosen) != 1:
        raise FaultyInput(
            f"log likelihoods in {where}",
            [
                Fault(
                    "variable",
                    variable or f"{len(chosen)} of them",
                    f"name one of {', '.join(chosen)}" if chosen else "there must be one",
                )
            ],
        )
    return chosen[0]


def _absent(where: str, groups: Sequence[str]) -> FaultyInput:
    return FaultyInput(
        f"posterior in {where}",
        [Fault("groups", ", ".join(groups) or "none", "there must be a group log_likelihood")],
        "PyMC: pm.compute_log_likelihood(idata). NumPyro: az.from_numpyro(mcmc). Stan: a generated quantity log_lik, "
        'and az.from_cmdstanpy(fit, log_likelihood="log_lik").',
    )
