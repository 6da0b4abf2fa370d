"""Posteriors as ArviZ has them: groups of arrays with named dimensions, in memory or in a netCDF file.

An ``InferenceData`` of ArviZ 0.x and a ``DataTree`` of ArviZ 1.x both have a group ``log_likelihood`` whose variables
have the dimensions chain and draw, and those of the cases. xarray reads the files, and with them what their attributes
say: units of times, scales of packed numbers, marks of what is missing.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.convergence import Chains
from benchbook.assess.densities.chains import worst_of
from benchbook.assess.densities.checks import numbered
from benchbook.assess.densities.posterior import LogLikelihood, shaped, together
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic

GROUP = "log_likelihood"
_PREDICTIVE, _OBSERVED, _CONSTANT, _POSTERIOR = (
    "posterior_predictive",
    "observed_data",
    "constant_data",
    "posterior",
)
_AXES = ("chain", "draw")


def xarray() -> Any:
    """The library xarray, with h5netcdf and h5py, which read the files of netCDF 4.

    Raises:
        BenchbookError: one of them is not installed.
    """
    needed = ("xarray", "h5netcdf", "h5py")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise BenchbookError(
            f"netCDF files of posteriors are read by xarray and h5netcdf, and {' and '.join(missing)} cannot be found: "
            "pip install 'benchbook[posterior]'"
        )
    return importlib.import_module("xarray")


def read_netcdf(file: Path, variables: Sequence[str], predictions: bool) -> LogLikelihood:
    """Log likelihoods of a netCDF file; arguments and errors as for ``from_groups``."""
    with xarray().open_datatree(file, engine="h5netcdf") as tree:
        return from_groups(tree, variables, str(file), predictions)


def write_netcdf(path: Path, likelihood: LogLikelihood) -> None:
    """Write log likelihoods, and targets and predictions where there are some, as ArviZ does."""
    library = xarray()
    coords: dict[str, Any] = {
        axis: np.arange(size) for axis, size in zip(_AXES, likelihood.values.shape, strict=False)
    }
    names = likelihood.cases
    coords["case"] = np.arange(len(names)) if numbered(names) else np.array(names, dtype=object)
    groups = {
        GROUP: ((*_AXES, "case"), np.asarray(likelihood.values, dtype=np.float64)),
        _PREDICTIVE: ((*_AXES, "case"), likelihood.predictions),
        _OBSERVED: (("case",), likelihood.targets),
    }
    tree = library.DataTree.from_dict(
        {
            name: library.Dataset(
                {likelihood.name: (axes, values)},
                coords={axis: coords[axis] for axis in axes},
                attrs={"inference_library": "benchbook"},
            )
            for name, (axes, values) in groups.items()
            if values is not None
        }
    )
    with atomic(path) as scratch:
        tree.to_netcdf(scratch, engine="h5netcdf")


def from_groups(
    data: Any, variables: Sequence[str], where: str, predictions: bool = True
) -> LogLikelihood:
    """The log likelihoods of an ``InferenceData``, a ``DataTree`` or a mapping of mappings of arrays.

    Args:
        data: the groups.
        variables: which log likelihoods, their cases taken together; may be empty where there is one.
        where: what the data are, in messages.
        predictions: whether the draws of the posterior predictive are taken too.

    Raises:
        FaultyInput: no log likelihoods, several and none chosen, or not of such a shape.
    """
    group = _group(data, GROUP)
    if group is None and isinstance(data, Mapping) and not hasattr(data, "groups"):
        group = data
    if group is None:
        raise _absent(where, _group_names(data))
    names = chosen(where, [str(name) for name in group], variables)
    parameters = _parameters(_group(data, _POSTERIOR))
    return together([_variable(data, group, name, parameters, predictions) for name in names])


def chosen(where: str, names: Sequence[str], variables: Sequence[str]) -> list[str]:
    """The variables that were asked for, or the only one.

    Raises:
        FaultyInput: with each that is not there; or none was asked for, and there is not exactly one.
    """
    wrong = [name for name in variables if name not in names]
    if variables and not wrong:
        return list(dict.fromkeys(variables))
    if not variables and len(names) == 1:
        return list(names)
    rule = f"name one of {', '.join(names)}" if names else "there must be one"
    more = ", or several, whose cases are taken together" if len(names) > 1 else ""
    raise FaultyInput(
        f"log likelihoods in {where}",
        [Fault("variable", name, rule + more) for name in wrong or [f"{len(names)} of them"]],
    )


def _group(data: Any, name: str) -> Any:
    """A group's mapping of variables, or None."""
    result = getattr(data, name, None)
    if result is None and isinstance(data, Mapping):
        result = data.get(name)
    return getattr(result, "data_vars", result)


def _group_names(data: Any) -> list[str]:
    names = getattr(data, "children", None) or getattr(data, "groups", None) or ()
    return [str(name) for name in (names() if callable(names) else names)]


def _variable(
    data: Any, group: Any, name: str, parameters: Chains | None, predictions: bool
) -> LogLikelihood:
    array = group[name]
    if not hasattr(array, "dims"):
        return shaped(np.asarray(array), name)
    axes = tuple(str(axis) for axis in array.dims)
    missing = [axis for axis in _AXES if axis not in axes]
    if missing:
        rule = f"{' and '.join(missing)} must be among them"
        raise FaultyInput(f"log likelihoods {name!r}", [Fault("dimensions", ", ".join(axes), rule)])
    cases = tuple(axis for axis in axes if axis not in _AXES)
    values = _flat(array, (*_AXES, *cases))
    drawn = _matching(_group(data, _PREDICTIVE), name, (*_AXES, *cases), len(group))
    observed = _matching(_group(data, _OBSERVED), name, cases, len(group))
    same = drawn is not None and np.size(drawn.values) == values.size
    return LogLikelihood(
        values,
        _names(array, cases),
        name,
        targets=None if observed is None else np.ravel(_transposed(observed, cases)),
        predictions=_flat(drawn, (*_AXES, *cases)) if predictions and same else None,
        parameters=parameters,
        coordinates=tuple(_coordinates(data, array, cases)),
    )


def _flat(array: Any, axes: tuple[str, ...]) -> NDArray[Any]:
    """[chains, draws, N] of an array with any order of axes."""
    values = _transposed(array, axes)
    return values.reshape(*values.shape[:2], -1)


def _transposed(array: Any, axes: tuple[str, ...]) -> NDArray[Any]:
    order = [list(map(str, array.dims)).index(axis) for axis in axes]
    return np.transpose(np.asarray(array.values), order)


def _shape(array: Any) -> dict[str, int]:
    return dict(zip(map(str, array.dims), np.shape(array.values), strict=True))


def _matching(group: Any, name: str, axes: tuple[str, ...], variables: int) -> Any:
    """The variable of a group that goes with a log likelihood, by its name, or as there is one of each; else None."""
    if group is None:
        return None
    names = [str(item) for item in group]
    other = names[0] if len(names) == 1 and variables == 1 else ""
    result = group[name] if name in names else group[other] if other else None
    if result is None or not hasattr(result, "dims"):
        return None
    return result if set(map(str, result.dims)) == set(axes) else None


def _names(array: Any, axes: tuple[str, ...]) -> tuple[str, ...]:
    """A name for each case: the coordinates of its place, or its number where an axis has none."""
    shape = _shape(array)
    labels = [_labels(array.coords.get(axis, None), shape[axis]) for axis in axes]
    sizes = [len(each) for each in labels]
    return tuple(
        ", ".join(each[at] for each, at in zip(labels, index, strict=True)) or "0"
        for index in np.ndindex(*sizes)
    )


def _labels(coordinate: Any, size: int) -> list[str]:
    values = None if coordinate is None else np.asarray(getattr(coordinate, "values", coordinate))
    if values is None or values.shape != (size,):
        return [str(number) for number in range(size)]
    if values.dtype.kind == "M":
        return [_moment(value) for value in values]
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values.tolist()]


def _moment(value: np.datetime64) -> str:
    """A date, or a moment to the second, or finer where it has to be: the same for every unit it is stored in."""
    for unit in ("D", "s", "us"):
        if value.astype(f"datetime64[{unit}]") == value:
            return str(value.astype(f"datetime64[{unit}]"))
    return str(value)


def _coordinates(
    data: Any, array: Any, axes: tuple[str, ...]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Labels of the cases: coordinates and constant data along some of the axes, spread over all cases."""
    shape = _shape(array)
    sizes = tuple(shape[axis] for axis in axes)
    constant = _group(data, _CONSTANT) or {}
    for name, values in [*dict(array.coords).items(), *((key, constant[key]) for key in constant)]:
        along = tuple(str(axis) for axis in getattr(values, "dims", ()))
        if not along or not set(along) <= set(axes):
            continue
        content = np.asarray(values.values)
        if content.shape != tuple(shape[axis] for axis in along):
            continue
        order = [axis for axis in axes if axis in along]
        content = np.transpose(content, [along.index(axis) for axis in order])
        wide = content.reshape([shape[axis] if axis in along else 1 for axis in axes])
        yield str(name), np.broadcast_to(wide, sizes).ravel()


def _parameters(group: Any) -> Chains | None:
    """The worst diagnostics of every scalar of the posterior; None where it has no chains and draws."""
    if group is None:
        return None
    names = [
        str(name) for name in group if set(_AXES) <= set(map(str, getattr(group[name], "dims", ())))
    ]
    return worst_of(_traces(group, names)) if names else None


def _traces(group: Any, names: Sequence[str]) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in names:
        array = group[name]
        others = tuple(str(axis) for axis in array.dims if str(axis) not in _AXES)
        values = _transposed(array, (*_AXES, *others))
        if values.dtype.kind not in "biuf":
            continue
        for where in np.ndindex(*values.shape[2:]):
            label = f"[{', '.join(map(str, where))}]" if where else ""
            yield name + label, values[(slice(None), slice(None), *where)].astype(np.float64)


def _absent(where: str, groups: Sequence[str]) -> FaultyInput:
    return FaultyInput(
        f"posterior in {where}",
        [Fault("groups", ", ".join(groups) or "none", "there must be a group log_likelihood")],
        "PyMC: pm.compute_log_likelihood(idata). NumPyro: az.from_numpyro(mcmc). Stan: a generated quantity log_lik, "
        'and az.from_cmdstanpy(fit, log_likelihood="log_lik").',
    )
