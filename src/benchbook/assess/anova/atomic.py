"""Expected loss of one method, and the comparison of two, from their losses on the instances of one task.

Mean squares of the loss differences of every pair of methods, without forming the differences.

With effects and residuals centred first, a pair's sum of squares is that of a difference of two vectors, and all of
them together come from one matrix of inner products. Where two methods are so alike that this would cancel digits
away, the difference is formed after all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.assess.anova import undefined
from benchbook.assess.anova.squares import (
    Array,
    MeanSquares,
    Scheme,
    centred,
    check_scheme,
    components,
    from_sums,
    mean_squares,
    safe_unit,
    significance,
)
from benchbook.errors import Fault, FaultyInput
from benchbook.statistics import TOLERANCE

_CANCELS = 1e-3


@dataclass(frozen=True)
class Squares:
    """Mean squares of M methods' losses, and of the differences of their pairs.

    Attributes:
        single: mean squares of each method's losses, arrays [M].
        paired: mean squares of first minus second, arrays [P].
        first, second: the pairs' positions among the methods, [P], first < second.
        scale: size of the losses a pair's differences come from, [P].
        alike: whether the two methods have the same loss in every case, but for rounding, [P].
    """

    single: MeanSquares
    paired: MeanSquares
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    scale: Array
    alike: NDArray[np.bool_]


def pair_squares(rows: Array, first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Σ_k (rows[first, k] - rows[second, k])² for every pair, [P], from rows [M, K] whose mean is zero."""
    inner = rows @ rows.T
    own = np.diagonal(inner)
    size = own[first] + own[second]
    result = size - 2.0 * inner[first, second]
    for pair in np.flatnonzero(result < _CANCELS * size):
        difference = rows[first[pair]] - rows[second[pair]]
        result[pair] = difference @ difference
    return result


def all_squares(losses: Array, scheme: Scheme) -> Squares:
    """Mean squares of M methods' finite losses [M, I, J] and of the differences of their M(M-1)/2 pairs."""
    methods, shape = losses.shape[0], losses.shape[1:]
    mean, by_instance, by_case, residual = centred(losses, scheme)
    rows = residual.reshape(methods, shape[0] * shape[1])
    single = from_sums(
        scheme,
        shape,
        mean,
        np.vecdot(by_instance, by_instance),
        np.vecdot(by_case, by_case),
        np.vecdot(rows, rows),
    )
    first, second = np.triu_indices(methods, k=1)
    residual_squares = pair_squares(rows, first, second)
    gap = by_instance[first] - by_instance[second]
    paired = from_sums(
        scheme,
        shape,
        mean[first] - mean[second],
        np.vecdot(gap, gap),
        pair_squares(by_case, first, second),
        residual_squares,
    )
    size = np.abs(mean) + np.abs(by_instance).max(axis=1)
    alike = np.zeros(len(first), dtype=bool)
    rounding = TOLERANCE * np.maximum(size[first], size[second])
    for pair in np.flatnonzero(np.abs(paired.mean) <= rounding):
        gaps = losses[first[pair]] - losses[second[pair]]
        alike[pair] = float(np.abs(gaps).max()) <= rounding[pair]
    return Squares(single, paired, first, second, np.maximum(size[first], size[second]), alike)


Losses = Array | Sequence[Sequence[float]] | Sequence[Array]


@dataclass(frozen=True)
class Estimate:
    """The expected loss of a method on a task, with its standard error, in the unit of the loss.

    A number that does not exist is None, and ``reason`` says why; ``reason`` is empty when nothing is missing.
    ``sd_cases`` belongs to the common scheme alone: under the hierarchical one it is part of ``sd_residual``.
    """

    mean: float | None
    standard_error: float | None
    sd_instances: float | None
    sd_cases: float | None
    sd_residual: float | None
    instances: int
    cases: int
    scheme: Scheme = "hierarchical"
    reason: str = ""

    def standardised(self, constant: float, rule: str = "divide") -> Estimate:
        """The estimate on the standard scale of its task: everything divided, or the mean alone shifted.

        Args:
            constant: the loss's standardising constant for the task.
            rule: "divide" (A, S, Z, Q), "subtract" (L, whose reference is additive) or "none".
        """
        shift, scale = standard_scale(constant, rule)
        return replace(self, mean=_times(self.mean, scale, shift), **_scaled(self, scale))


@dataclass(frozen=True)
class Comparison:
    """Two methods on the same cases. ``difference`` is x minus y: negative when x is the better one.

    ``statistic`` is t with its sign and ``df`` = (I - 1,), or F and ``df`` = (ν_1, ν_2). ``p`` is two-sided. The
    standard deviations and the standard error are DELVE's for the differences; under the hierarchical scheme the
    standard error is never below ``difference/statistic``. When ``p`` is None, ``reason`` says why.
    """

    mean_x: float | None
    mean_y: float | None
    difference: float | None
    standard_error: float | None
    statistic: float | None
    df: tuple[float, ...]
    p: float | None
    reason: str
    sd_instances: float | None
    sd_cases: float | None
    sd_residual: float | None
    instances: int
    cases: int
    scheme: Scheme = "hierarchical"

    def standardised(self, constant: float, rule: str = "divide") -> Comparison:
        """The comparison on the standard scale of its task; see ``Estimate.standardised``. p does not change."""
        shift, scale = standard_scale(constant, rule)
        return replace(
            self,
            mean_x=_times(self.mean_x, scale, shift),
            mean_y=_times(self.mean_y, scale, shift),
            difference=_times(self.difference, scale),
            **_scaled(self, scale),
        )


def standard_scale(constant: float, rule: str, what: str = "standardising") -> tuple[float, float]:
    """What to subtract from a mean, and what to divide everything by, to reach the standard scale."""
    if rule not in ("divide", "subtract", "none"):
        raise FaultyInput(what, [Fault("rule", repr(rule), "it is 'divide', 'subtract' or 'none'")])
    if not np.isfinite(constant) or (rule == "divide" and constant <= 0.0):
        needed = (
            "a positive finite number: are all test targets the same?"
            if rule == "divide"
            else "a finite number"
        )
        raise FaultyInput(what, [Fault("constant", repr(constant), f"it must be {needed}")])
    return (constant if rule == "subtract" else 0.0), (constant if rule == "divide" else 1.0)


def _times(value: float | None, scale: float, shift: float = 0.0) -> float | None:
    return None if value is None else (value - shift) / scale


def _scaled(result: Estimate | Comparison, scale: float) -> dict[str, Any]:
    names = ("standard_error", "sd_instances", "sd_cases", "sd_residual")
    return {name: _times(getattr(result, name), scale) for name in names}


def expected_loss(losses: Losses, scheme: str = "hierarchical") -> Estimate:
    r"""Expected loss over training sets and test cases, DELVE's estimate.

    mean = ȳ,  standard error = sqrt(σ_a²/I + σ_b²/J + σ_ε²/(IJ)), with σ_b only under the common scheme; σ_a is the
    spread due to training sets, σ_b that due to test cases, σ_ε what is left.

    Example:
        >>> from benchbook import assess
        >>> rng = np.random.default_rng(1)
        >>> losses = 1 + rng.normal(0, 0.2, (8, 1)) + rng.normal(0, 1, (8, 64))
        >>> found = assess.expected_loss(losses)  # eight training sets, 64 cases each
        >>> round(found.mean, 2), round(found.standard_error, 2)
        (1.0, 0.08)

    Args:
        losses: [I, J], or I arrays of J losses: instance i, test case j. Infinite losses are allowed.
        scheme: "hierarchical" when every instance has its own test cases, "common" when all share the same ones.

    Raises:
        FaultyInput: not two-dimensional, blocks of unequal size, nan, or an unknown scheme.

    Source: DELVE 1.1, delveAnova.c; Neal (1998), section 2.3.
    """
    kind, values = check_scheme(scheme), _matrix(losses, "losses")
    instances, cases = values.shape
    if np.isinf(values).any():
        reason = undefined.of_infinite(values, range(instances), _positions(values))
        return Estimate(_mean(values), None, None, None, None, instances, cases, kind, reason)
    unit = safe_unit(float(np.abs(values).max()))
    squares = mean_squares(values / unit, kind)
    parts = components(squares)
    mean, error, sd_instances, sd_cases, sd_residual = (
        undefined.number(float(part) * unit)
        for part in (
            squares.mean,
            parts.standard_error,
            parts.instances,
            parts.cases,
            parts.residual,
        )
    )
    return Estimate(
        mean,
        error,
        sd_instances,
        sd_cases,
        sd_residual,
        instances,
        cases,
        kind,
        undefined.of_estimate(kind, instances, cases),
    )


def compare(x: Losses, y: Losses, scheme: str = "hierarchical") -> Comparison:
    r"""Compare two methods by their losses on the same instances and cases.

    Hierarchical: paired t test on the I instance means of x - y, t = d̄ sqrt(IJ/MS_A), I - 1 degrees of freedom.
    Common: quasi-F, F = (IJd̄² + MS_E)/(MS_A + MS_B), with degrees of freedom by Satterthwaite's rule; it allows for the
    test cases being a draw as well. It is an approximation: conservative where the residual outweighs the spread of
    instances and cases, a little liberal with four instances that differ much (``size_of_test`` tells for any design).

    Example:
        >>> from benchbook import assess
        >>> rng = np.random.default_rng(1)
        >>> common = rng.normal(0, 1, (8, 64))
        >>> x, y = 1.3 + common, 1.0 + common + rng.normal(0, 0.5, (8, 64))
        >>> found = assess.compare(x, y)
        >>> round(found.difference, 2), found.p < 0.001
        (0.34, True)

    Args:
        x, y: [I, J] each, the same instance and case at the same place.
        scheme: "hierarchical" or "common".

    Raises:
        FaultyInput: shapes that are wrong or differ, nan, or an unknown scheme.

    Source: DELVE 1.1, delveAnova.c; Neal (1998), section 2.3.
    """
    kind, first, second = check_scheme(scheme), _matrix(x, "losses x"), _matrix(y, "losses y")
    if first.shape != second.shape:
        rule = f"y must have the {first.shape[0]} instances and {first.shape[1]} cases of x"
        raise FaultyInput("losses of two methods", [Fault("y", f"shape {second.shape}", rule)])
    pair = np.stack([first, second])
    infinite = [
        undefined.of_infinite(
            losses, range(first.shape[0]), _positions(losses), f"the loss of {name}"
        )
        for name, losses in zip("xy", pair, strict=True)
        if np.isinf(losses).any()
    ]
    return _undefined(pair, kind, "; ".join(infinite)) if infinite else _compare_finite(pair, kind)


def _compare_finite(pair: Array, kind: Scheme) -> Comparison:
    unit = safe_unit(float(np.abs(pair).max()))
    squares = all_squares(pair / unit, kind)
    parts, test = components(squares.paired), significance(squares.paired, squares.scale)
    instances, cases = pair.shape[1:]
    p = undefined.number(test.p[0])
    reason = ""
    if p is None:
        numerator = abs(squares.paired.mean[0]) + squares.paired.residual[0]
        reason = undefined.of_test(kind, instances, cases, bool(squares.alike[0]), float(numerator))
    df = (
        ()
        if p is None
        else tuple(float(df[0]) for df in (test.df_1, test.df_2) if not np.isnan(df[0]))
    )
    sd_instances, sd_cases, sd_residual, error = (
        undefined.number(float(part[0]) * unit)
        for part in (parts.instances, parts.cases, parts.residual, parts.standard_error)
    )
    mean_x, mean_y = (float(mean) * unit for mean in squares.single.mean)
    return Comparison(
        mean_x,
        mean_y,
        float(squares.paired.mean[0]) * unit,
        error,
        undefined.number(float(test.statistic[0])),
        df,
        p,
        reason,
        sd_instances,
        sd_cases,
        sd_residual,
        instances,
        cases,
        kind,
    )


def _undefined(pair: Array, kind: Scheme, reason: str) -> Comparison:
    mean_x, mean_y = _mean(pair[0]), _mean(pair[1])
    instances, cases = pair.shape[1:]
    difference = None
    if mean_x is not None and mean_y is not None and mean_x != mean_y:
        difference = mean_x - mean_y
    return Comparison(
        mean_x,
        mean_y,
        difference,
        None,
        None,
        (),
        None,
        reason,
        None,
        None,
        None,
        instances,
        cases,
        kind,
    )


def _mean(losses: Array) -> float | None:
    with np.errstate(invalid="ignore"):
        return undefined.number(float(losses.mean()))


def _positions(losses: Array) -> np.ndarray:
    return np.broadcast_to(np.arange(losses.shape[1]), losses.shape)


def _matrix(losses: Losses, what: str) -> Array:
    blocks = [np.asarray(block, dtype=float) for block in losses]
    faults = []
    if not blocks:
        faults.append(Fault("instances", "none", "there must be at least one"))
    for number, block in enumerate(blocks):
        if block.ndim != 1 or block.size == 0:
            rule = "one loss a test case, at least one case"
            faults.append(Fault(f"instance {number}", f"shape {block.shape}", rule))
        elif block.size != blocks[0].size:
            rule = f"every instance needs the {blocks[0].size} test cases that instance 0 has"
            faults.append(Fault(f"instance {number}", f"{block.size} losses", rule))
        elif np.isnan(block).any():
            bad = np.flatnonzero(np.isnan(block))
            actual = f"nan in {len(bad)} cases, first case {bad[0]}"
            faults.append(Fault(f"instance {number}", actual, "losses are numbers"))
    if faults:
        raise FaultyInput(what, faults)
    return np.stack(blocks)
