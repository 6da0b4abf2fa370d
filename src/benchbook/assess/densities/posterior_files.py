"""Log likelihoods of a posterior, as PyMC, NumPyro and Stan users have them: read from files, and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchbook.assess.densities import draw_tables, posterior_groups
from benchbook.assess.densities.posterior import LogLikelihood, refuse_likelihoods, shaped
from benchbook.errors import BenchbookError
from benchbook.files import refuse_large_archive

_ENDINGS = (".nc", ".nc4", ".npy", ".npz", ".parquet", ".csv")

_MOST_UNPACKED = 400 << 20
"""Bytes of the arrays of a .npz file; larger ones are read from a .npy file, part by part."""


def read_log_likelihood(
    path: str | Path,
    variable: str | Sequence[str] = "",
    *,
    predictions: bool = True,
    logarithms: bool = False,
) -> LogLikelihood:
    """Read the log likelihoods in a file.

    Args:
        path: netCDF of ArviZ (.nc), which needs the extra ``posterior``; .npy or .npz with one array [draws, N] or
            [chains, draws, N]; .parquet or .csv with a line for each draw and a column for each case
            (``draw_tables.read_table``), CmdStan's output among them. A .npy file is not loaded but mapped, and may be
            larger than memory.
        variable: which, where the file has several; of several names the cases are taken together.
        predictions: whether draws from the posterior predictive are read too.
        logarithms: that the values are logarithms, although none of them is below 0.

    Raises:
        BenchbookError: there is no such file, it is not of its kind, or the extra is not installed.
        FaultyInput: no log likelihoods in it, several and none chosen, not of such a shape, or likelihoods.
    """
    file, variables = Path(path), _listed(variable)
    if file.suffix.lower() not in _ENDINGS:
        raise BenchbookError(
            f"{file} ends in {file.suffix or 'nothing'}; log likelihoods are read from "
            f'{", ".join(_ENDINGS)}. ArviZ writes .nc: idata.to_netcdf("posterior.nc").'
        )
    if not file.is_file():
        raise BenchbookError(f"there is no file {file}.")
    if variables and file.suffix.lower() == ".npy":
        raise BenchbookError(
            f"{file} has one variable, and {variables[0]!r} was asked for; leave it out"
        )
    try:
        result = _read(file, variables, predictions)
    except BenchbookError:
        raise
    except (
        Exception
    ) as error:  # each of the libraries has errors of its own for a file that is not what it says
        raise BenchbookError(f"{file} cannot be read as {file.suffix}: {error}") from error
    if not logarithms:
        refuse_likelihoods(result.values, f"log likelihoods in {file}")
    return result


def from_inference_data(
    data: object, variable: str | Sequence[str] = "", *, logarithms: bool = False
) -> LogLikelihood:
    """The log likelihoods of an ArviZ ``InferenceData``, an xarray ``DataTree``, or a mapping of arrays, in memory.

    Args:
        data: with a group ``log_likelihood`` whose variables have ``dims``, ``coords`` and ``values``; or a mapping
            from names to arrays [chains, draws, N].
        variable: which, where there are several; of several names the cases are taken together.
        logarithms: as for ``read_log_likelihood``.

    Raises:
        FaultyInput: no log likelihoods, several and none chosen, not of such a shape, or likelihoods.
    """
    result = posterior_groups.from_groups(data, _listed(variable), "the object")
    if not logarithms:
        refuse_likelihoods(result.values, f"log likelihoods {result.name!r}")
    return result


def write_log_likelihood(path: str | Path, likelihood: LogLikelihood) -> None:
    """Write log likelihoods as a netCDF file that ArviZ reads, whole or not at all.

    The group ``log_likelihood`` has one variable with dimensions chain, draw and case; targets and predictions, where
    there are some, go into ``observed_data`` and ``posterior_predictive``.
    """
    posterior_groups.write_netcdf(Path(path), likelihood)


def _listed(variable: str | Sequence[str]) -> tuple[str, ...]:
    names = (variable,) if isinstance(variable, str) else tuple(variable)
    return tuple(name for name in names if name)


def _read(file: Path, variables: tuple[str, ...], predictions: bool) -> LogLikelihood:
    ending = file.suffix.lower()
    if ending == ".npy":
        return shaped(np.load(file, mmap_mode="r", allow_pickle=False), file.stem)
    if ending == ".npz":
        refuse_large_archive(file, _MOST_UNPACKED)
        with np.load(file, allow_pickle=False) as content:
            [name] = posterior_groups.chosen(str(file), list(content.files), variables)[:1]
            return shaped(content[name], name)
    if ending in (".parquet", ".csv"):
        return draw_tables.read_table(file, variables)
    return posterior_groups.read_netcdf(file, variables, predictions)
