"""The assessment of a whole archive: expected losses and comparisons with standard errors, as polars frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.anova import undefined
from benchbook.assess.anova.atomic import Squares, all_squares, standard_scale
from benchbook.assess.anova.cubes import Cube, Schemes, cubes
from benchbook.assess.anova.squares import (
    Array,
    Components,
    Tested,
    components,
    mean_squares,
    safe_unit,
    significance,
)
from benchbook.errors import Fault, FaultyInput
from benchbook.losses import get as loss_of

Standard = Callable[[str, str], float] | Mapping[tuple[str, str], float] | None

_ESTIMATE = {
    "task": pl.String,
    "method": pl.String,
    "loss": pl.String,
    "scheme": pl.String,
    "mean": pl.Float64,
    "standard_error": pl.Float64,
    "sd_instances": pl.Float64,
    "sd_cases": pl.Float64,
    "sd_residual": pl.Float64,
    "instances": pl.Int64,
    "cases": pl.Int64,
    "left_out": pl.String,
    "standard": pl.Float64,
    "standardised_mean": pl.Float64,
    "standardised_standard_error": pl.Float64,
    "reason": pl.String,
}
_COMPARISON = {
    "task": pl.String,
    "loss": pl.String,
    "method": pl.String,
    "other": pl.String,
    "scheme": pl.String,
    "mean": pl.Float64,
    "other_mean": pl.Float64,
    "difference": pl.Float64,
    "standard_error": pl.Float64,
    "statistic": pl.Float64,
    "df_1": pl.Float64,
    "df_2": pl.Float64,
    "p": pl.Float64,
    "sd_instances": pl.Float64,
    "sd_cases": pl.Float64,
    "sd_residual": pl.Float64,
    "instances": pl.Int64,
    "cases": pl.Int64,
    "left_out": pl.String,
    "standard": pl.Float64,
    "standardised_difference": pl.Float64,
    "standardised_standard_error": pl.Float64,
    "reason": pl.String,
}


def expected_losses(
    frame: pl.DataFrame,
    schemes: Schemes = None,
    standard: Standard = None,
    *,
    on_common_instances: bool = False,
    instances: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Expected loss of every method on every task, by every loss. Smaller is better.

    Args:
        frame: losses as an archive gives them: method, task, instance, case, loss, value, digest; on the original
            target scale.
        schemes: "hierarchical" or "common", for all tasks or by task name; None takes it from the case ids.
        standard: the standardising constant by (task, loss code), as a function or a mapping; whether it divides or is
            subtracted is the loss's own rule. Without it the three standard columns are null.
        on_common_instances: use the instances that every method has, instead of refusing when some are missing; the
            column ``left_out`` then names the others.
        instances: how many instances each task has, to notice those that every method lacks.

    Returns:
        A line for every (task, loss, method): mean, standard_error, sd_instances (due to training sets), sd_cases (due
        to test cases, common scheme only), sd_residual, instances, cases (of one instance), left_out, standard,
        standardised_mean, standardised_standard_error, and the reason for any null.

    Raises:
        FaultyInput: losses that do not belong together; see ``cubes``.
    """
    aligned = cubes(frame, schemes, on_common_instances=on_common_instances, instances=instances)
    return _stack((_estimates(cube, standard) for cube in aligned), _ESTIMATE)


def comparisons(
    frame: pl.DataFrame,
    schemes: Schemes = None,
    standard: Standard = None,
    *,
    on_common_instances: bool = False,
    instances: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """All ordered pairs of methods on every task, by every loss, with the test that suits the task's scheme.

    The arguments are those of ``expected_losses``.

    Returns:
        A line for every (task, loss, method, other): mean and other_mean, difference (method minus other: negative when
        ``method`` is better), standard_error of the difference, statistic (signed t, or F), df_1, df_2 (null for t), p
        (two-sided), variance components of the differences, standardised difference, and the reason for any null.

    Raises:
        FaultyInput: losses that do not belong together; see ``cubes``.
    """
    aligned = cubes(frame, schemes, on_common_instances=on_common_instances, instances=instances)
    return _stack((_comparisons(cube, standard) for cube in aligned), _COMPARISON)


def assessment(
    frame: pl.DataFrame,
    schemes: Schemes = None,
    standard: Standard = None,
    *,
    on_common_instances: bool = False,
    instances: Mapping[str, int] | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """``expected_losses`` and ``comparisons`` in one walk over the losses."""
    aligned = cubes(frame, schemes, on_common_instances=on_common_instances, instances=instances)
    parts = [(_estimates(cube, standard), _comparisons(cube, standard)) for cube in aligned]
    return _stack((part[0] for part in parts), _ESTIMATE), _stack(
        (part[1] for part in parts), _COMPARISON
    )


def instance_means(
    frame: pl.DataFrame,
    schemes: Schemes = None,
    *,
    on_common_instances: bool = False,
    instances: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Mean loss of every method on every instance: what the paired t test looks at.

    Returns:
        A line for every (task, loss, method, instance): mean, cases. The arguments are those of ``expected_losses``.
    """
    aligned = cubes(frame, schemes, on_common_instances=on_common_instances, instances=instances)
    schema = {
        "task": pl.String,
        "loss": pl.String,
        "method": pl.String,
        "instance": pl.Int64,
        "mean": pl.Float64,
        "cases": pl.Int64,
    }
    return _stack((_instance_means(cube) for cube in aligned), schema)


def _stack(parts: Iterable[Mapping[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    frames = [
        pl.DataFrame({name: part[name] for name in schema}, schema=dict(schema), nan_to_null=True)
        for part in parts
    ]
    return pl.concat(frames) if frames else pl.DataFrame(schema=dict(schema))


def _shared_columns(cube: Cube, lines: int, constant: float) -> dict[str, Any]:
    """The columns that are the same for every line of a cube."""
    shared: dict[str, Any] = {
        "task": cube.task,
        "loss": cube.loss,
        "scheme": cube.scheme,
        "instances": len(cube.instances),
        "cases": cube.case_ids.shape[1],
        "left_out": ", ".join(map(str, cube.left_out)),
        "standard": undefined.number(constant),
    }
    return {name: [value] * lines for name, value in shared.items()}


def _finite(cube: Cube) -> tuple[np.ndarray, dict[int, str]]:
    """Which methods' losses are all finite, and for each of the others where they are not."""
    flat = cube.losses.reshape(len(cube.methods), int(np.prod(cube.losses.shape[1:])))
    finite = np.isfinite(flat.max(axis=1)) & np.isfinite(flat.min(axis=1))
    reasons = {
        int(m): undefined.of_infinite(
            cube.losses[m], cube.instances, cube.case_ids, f"the loss of {cube.methods[m]}"
        )
        for m in np.flatnonzero(~finite)
    }
    return finite, reasons


def _unit(losses: Array) -> float:
    return safe_unit(float(max(losses.max(), -losses.min()))) if losses.size else 1.0


def _scaled(losses: Array, unit: float) -> Array:
    return losses if unit == 1.0 else losses / unit


def _placed(values: Array, chosen: np.ndarray, unit: float = 1.0) -> Array:
    """Numbers of the chosen entries at their places, nan elsewhere."""
    result = np.full(chosen.shape, np.nan)
    result[chosen] = values * unit
    return result


def _scale_of(cube: Cube, standard: Standard) -> tuple[float, float, float]:
    """The standardising constant with its shift and scale; nan when none was asked for or the loss has no such scale.

    A constant that was given for a loss without a scale is kept, and standardises nothing.
    """
    if standard is None or (callable(standard) and loss_of(cube.loss).standard_rule == "none"):
        return np.nan, np.nan, np.nan
    what = f"standardising constant of {cube.task}, loss {cube.loss}"
    if not callable(standard) and (cube.task, cube.loss) not in standard:
        raise FaultyInput(
            what,
            [Fault("standard", "nothing", "every task and loss of the table needs its constant")],
        )
    constant = (
        standard(cube.task, cube.loss) if callable(standard) else standard[cube.task, cube.loss]
    )
    return constant, *standard_scale(constant, loss_of(cube.loss).standard_rule, what)


def _estimates(cube: Cube, standard: Standard) -> dict[str, Any]:
    finite, reasons = _finite(cube)
    chosen = cube.losses if finite.all() else cube.losses[finite]
    unit = _unit(chosen)
    squares = mean_squares(_scaled(chosen, unit), cube.scheme)
    parts = components(squares)
    means = _means(cube)
    error = _placed(parts.standard_error, finite, unit)
    constant, shift, scale = _scale_of(cube, standard)
    rest = undefined.of_estimate(cube.scheme, len(cube.instances), cube.case_ids.shape[1])
    count = len(cube.methods)
    return {
        **_shared_columns(cube, count, constant),
        "method": list(cube.methods),
        "mean": means,
        "standard_error": error,
        "sd_instances": _placed(parts.instances, finite, unit),
        "sd_cases": _placed(parts.cases, finite, unit),
        "sd_residual": _placed(parts.residual, finite, unit),
        "standardised_mean": (means - shift) / scale,
        "standardised_standard_error": error / scale,
        "reason": [reasons.get(m, rest) for m in range(count)],
    }


def _means(cube: Cube) -> Array:
    with np.errstate(invalid="ignore"):
        return cube.losses.mean(axis=-1).mean(axis=-1)


def _comparisons(cube: Cube, standard: Standard) -> dict[str, Any]:
    count = len(cube.methods)
    finite, reasons = _finite(cube)
    numbers, why = _pair_numbers(cube, finite, reasons)
    first, second = (axis.ravel() for axis in np.indices((count, count)))
    ordered = first != second
    first, second = first[ordered], second[ordered]
    means = _means(cube)
    with np.errstate(invalid="ignore"):
        difference = means[first] - means[second]
    constant, _, scale = _scale_of(cube, standard)
    columns = {name: values[first, second] for name, values in numbers.items()}
    if cube.scheme == "hierarchical":
        columns["statistic"] = np.where(first < second, 1.0, -1.0) * columns["statistic"]
    names = np.array(cube.methods, dtype=object)
    pairs = zip(np.minimum(first, second).tolist(), np.maximum(first, second).tolist(), strict=True)
    return {
        **_shared_columns(cube, len(first), constant),
        "method": names[first].tolist(),
        "other": names[second].tolist(),
        "mean": means[first],
        "other_mean": means[second],
        "difference": difference,
        **columns,
        "standardised_difference": difference / scale,
        "standardised_standard_error": columns["standard_error"] / scale,
        "reason": [why.get(pair, "") for pair in pairs],
    }


def _pair_numbers(
    cube: Cube, finite: np.ndarray, reasons: dict[int, str]
) -> tuple[dict[str, Array], dict[tuple[int, int], str]]:
    """Symmetric [M, M] tables of what the test of a pair gives, and the reasons of those that are undefined."""
    places = np.flatnonzero(finite)
    chosen = cube.losses if finite.all() else cube.losses[finite]
    unit = _unit(chosen)
    squares = all_squares(_scaled(chosen, unit), cube.scheme)
    parts, test = components(squares.paired), significance(squares.paired, squares.scale)
    first, second = places[squares.first], places[squares.second]
    numbers = {}
    for name, values in _columns(parts, test, unit).items():
        square = np.full((len(finite), len(finite)), np.nan)
        square[first, second] = square[second, first] = values
        numbers[name] = square
    return numbers, _reasons(cube, squares, test, places) | _infinite_reasons(len(finite), reasons)


def _columns(parts: Components, test: Tested, unit: float) -> dict[str, Array]:
    return {
        "standard_error": parts.standard_error * unit,
        "statistic": test.statistic,
        "df_1": test.df_1,
        "df_2": test.df_2,
        "p": test.p,
        "sd_instances": parts.instances * unit,
        "sd_cases": parts.cases * unit,
        "sd_residual": parts.residual * unit,
    }


def _reasons(
    cube: Cube, squares: Squares, test: Tested, places: np.ndarray
) -> dict[tuple[int, int], str]:
    shape = len(cube.instances), cube.case_ids.shape[1]
    numerator = np.abs(squares.paired.mean) + squares.paired.residual
    return {
        (int(places[squares.first[pair]]), int(places[squares.second[pair]])): undefined.of_test(
            cube.scheme, *shape, bool(squares.alike[pair]), float(numerator[pair])
        )
        for pair in np.flatnonzero(np.isnan(test.p))
    }


def _infinite_reasons(count: int, reasons: dict[int, str]) -> dict[tuple[int, int], str]:
    return {
        (a, b): "; ".join(reasons[m] for m in (a, b) if m in reasons)
        for a in range(count)
        for b in range(a + 1, count)
        if a in reasons or b in reasons
    }


def _instance_means(cube: Cube) -> dict[str, Any]:
    count, instances, cases = cube.losses.shape
    return {
        "task": [cube.task] * (count * instances),
        "loss": [cube.loss] * (count * instances),
        "method": [name for name in cube.methods for _ in range(instances)],
        "instance": list(cube.instances) * count,
        "mean": cube.losses.mean(axis=2).ravel(),
        "cases": [cases] * (count * instances),
    }
