"""Posteriors as ArviZ has them: groups of arrays with named dimensions, in memory or in a netCDF file.

An ``InferenceData`` of ArviZ 0.x and a ``DataTree`` of ArviZ 1.x both have a group ``log_likelihood`` whose variables
have the dimensions chain and draw, and those of the cases. xarray reads the files, and with them what their attributes
say: units of times, scales of packed numbers, marks of what is missing.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities import matching
from benchbook.assess.densities.chains import Traces
from benchbook.assess.densities.checks import numbered
from benchbook.assess.densities.posterior import LogLikelihood, shaped, together
from benchbook.assess.densities.sampler import NAMES
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic

GROUP = "log_likelihood"
_PREDICTIVE, _OBSERVED, _CONSTANT, _POSTERIOR, _STATISTICS = (
    "posterior_predictive",
    "observed_data",
    "constant_data",
    "posterior",
    "sample_stats",
)
LOG_LIKELIHOOD = re.compile(r"(?i)log_?lik.*|ll")
REPLICATED = re.compile(r"(?i).*_(rep|ppc)")
"""What programs of Stan call draws of new data."""

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
    data: object, variables: Sequence[str], where: str, predictions: bool = True
) -> LogLikelihood:
    """The log likelihoods of an ``InferenceData``, a ``DataTree`` or a mapping of mappings of arrays.

    Args:
        data: the groups. Without a group log_likelihood, variables of the posterior whose names say that they are log
            likelihoods (log_lik) are taken, as Stan's programs are read where nothing else was said.
        variables: which log likelihoods, their cases taken together; may be empty where there is one.
        where: what the data are, in messages.
        predictions: whether the draws of the posterior predictive are taken too.

    Raises:
        FaultyInput: no log likelihoods, several and none chosen, or not of such a shape.
    """
    group, posterior, notes = _group(data, GROUP), _group(data, _POSTERIOR), []
    if group is None and isinstance(data, Mapping) and not hasattr(data, "groups"):
        group = None if posterior is not None else data
    if group is None:
        group = _named_in(posterior, LOG_LIKELIHOOD)
        notes = [f"log likelihoods are taken from the group {_POSTERIOR}: {', '.join(group)}"]
    if not group:
        raise _absent(where, _group_names(data))
    names = chosen(where, [str(name) for name in group], variables)
    parts = [_variable(data, group, name, predictions) for name in names]
    return replace(
        together(parts),
        parameters=_parameters(posterior, set(group)),
        statistics=_statistics(_group(data, _STATISTICS)),
        notes=tuple(dict.fromkeys([*notes, *(note for part in parts for note in part.notes)])),
    )


def _named_in(posterior: Any, names: re.Pattern[str]) -> dict[str, Any]:
    """The variables of the posterior, drawn along chains, of such names."""
    return {str(name): posterior[name] for name in _drawn(posterior) if names.fullmatch(str(name))}


def _drawn(group: Any) -> list[Any]:
    """The names of a group's variables that have chains and draws."""
    return [
        name
        for name in group or ()
        if set(_AXES) <= set(map(str, getattr(group[name], "dims", ())))
    ]


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


def _group(data: object, name: str) -> Any:
    """A group's mapping of variables, or None."""
    result = getattr(data, name, None)
    if result is None and isinstance(data, Mapping):
        result = data.get(name)
    return getattr(result, "data_vars", result)


def _group_names(data: object) -> list[str]:
    names = getattr(data, "children", None) or getattr(data, "groups", None) or ()
    return [str(name) for name in (names() if callable(names) else names)]


def _variable(data: object, group: Any, name: str, predictions: bool) -> LogLikelihood:
    array = group[name]
    if not hasattr(array, "dims"):
        return shaped(np.asarray(array), name)
    axes = tuple(str(axis) for axis in array.dims)
    missing = [axis for axis in _AXES if axis not in axes]
    if missing:
        rule = f"{' and '.join(missing)} must be among them"
        raise FaultyInput(f"log likelihoods {name!r}", [Fault("dimensions", ", ".join(axes), rule)])
    axes = (*_AXES, *(axis for axis in axes if axis not in _AXES))
    names = [str(other) for other in group]
    observed = matching.companion(array, name, axes[2:], names, _OBSERVED, _group(data, _OBSERVED))
    drawn = matching.Companion()
    if predictions:
        content, source = _group(data, _PREDICTIVE), _PREDICTIVE
        if not content:
            content, source = _named_in(_group(data, _POSTERIOR), REPLICATED), _POSTERIOR
        drawn = matching.companion(array, name, axes, names, source, content)
    return LogLikelihood(
        _flat(array, axes),
        _names(array, axes[2:], observed),
        name,
        targets=None if observed.values is None else observed.values.ravel(),
        predictions=None
        if drawn.values is None
        else drawn.values.reshape(*drawn.values.shape[:2], -1),
        coordinates=tuple(_coordinates(data, array, axes[2:])),
        notes=(*observed.notes, *drawn.notes),
    )


def _flat(array: object, axes: tuple[str, ...]) -> NDArray[Any]:
    """[chains, draws, N] of an array with any order of axes."""
    values = _transposed(array, axes)
    return values.reshape(*values.shape[:2], -1)


def _transposed(array: Any, axes: tuple[str, ...]) -> NDArray[Any]:
    order = [list(map(str, array.dims)).index(axis) for axis in axes]
    return np.transpose(np.asarray(array.values), order)


def _shape(array: Any) -> dict[str, int]:
    return dict(zip(map(str, array.dims), np.shape(array.values), strict=True))


def _names(
    array: ArrayLike, axes: tuple[str, ...], observed: matching.Companion
) -> tuple[str, ...]:
    """A name for each case: the coordinates of its place, of the observed data where only these have some, or its
    number."""
    sizes = [matching.size_of(array, axis) for axis in axes]
    labels = [
        matching.labels_of(array, axis) or list(map(str, range(size)))
        for axis, size in zip(axes, sizes, strict=True)
    ]
    labels = [
        other if other and numbered(own) else own
        for own, other in zip(labels, observed.labels or labels, strict=True)
    ]
    return tuple(
        ", ".join(each[at] for each, at in zip(labels, index, strict=True)) or "0"
        for index in np.ndindex(*sizes)
    )


def _coordinates(
    data: object, array: Any, axes: tuple[str, ...]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """Labels of the cases: coordinates and constant data along some of the axes, spread over all cases."""
    shape = _shape(array)
    sizes = tuple(shape[axis] for axis in axes)
    constant = _group(data, _CONSTANT) or {}
    for name, values in [*dict(array.coords).items(), *((key, constant[key]) for key in constant)]:
        along = tuple(str(axis) for axis in getattr(values, "dims", ()))
        if len(axes) == 1 and along == (f"{name}_dim_0",):  # named by default
            along = axes
        if not along or not set(along) <= set(axes):
            continue
        content = matching.along_labels(values, array, along)
        if content.shape != tuple(shape[axis] for axis in along):
            continue
        order = [axis for axis in axes if axis in along]
        content = np.transpose(content, [along.index(axis) for axis in order])
        wide = content.reshape([shape[axis] if axis in along else 1 for axis in axes])
        yield str(name), np.broadcast_to(wide, sizes).ravel()


def _parameters(group: Any, others: Set[str]) -> tuple[Traces, ...] | None:
    """The draws of the posterior's parameters, others left out; None where it has no chains and draws."""
    if group is None:
        return None
    return tuple(
        Traces(str(name), _draws(group[name]))
        for name in _drawn(group)
        if name not in others and np.asarray(group[name].values).dtype.kind in "biuf"
    )


def _statistics(group: Any) -> dict[str, NDArray[Any]]:
    """[chains, draws] of each statistic that the sampler kept."""
    arrays = {NAMES[str(name)]: _draws(group[name]) for name in _drawn(group) if str(name) in NAMES}
    return {name: values for name, values in arrays.items() if values.ndim == 2}


def _draws(array: Any) -> NDArray[Any]:
    """[chains, draws, ...] of an array with any order of axes."""
    others = tuple(str(axis) for axis in array.dims if str(axis) not in _AXES)
    return _transposed(array, (*_AXES, *others))


def _absent(where: str, groups: Sequence[str]) -> FaultyInput:
    return FaultyInput(
        f"posterior in {where}",
        [Fault("groups", ", ".join(groups) or "none", "there must be a group log_likelihood")],
        "PyMC: pm.compute_log_likelihood(idata). NumPyro: az.from_numpyro(mcmc). Stan: a generated quantity log_lik, "
        'and az.from_cmdstanpy(fit, log_likelihood="log_lik").',
    )
