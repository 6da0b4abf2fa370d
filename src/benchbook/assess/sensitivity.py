"""What each input of a known function is worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def total_effects(
    draw: Callable[[int, np.random.Generator], np.ndarray],
    clean: Callable[[np.ndarray], np.ndarray],
    rng: np.random.Generator,
    cases: int = 8000,
) -> np.ndarray:
    r"""The share [d] of a function's variance that cannot be explained without each of its inputs.

    .. math:: T_i = \frac{E\,\mathrm{Var}(f \mid x_{-i})}{\mathrm{Var} f} = 1 - \mathrm{corr}(f(x), f(x^{(i)})),

    with x^(i) the same cases with new values of input i; kept between 0 and 1. The shares sum to more than one where
    inputs act together. Source: T. Homma and A. Saltelli, Importance measures in global sensitivity analysis, 1996.

    Args:
        draw: inputs [n, d] for a number of cases; inputs must be independent of each other.
        clean: the function, [n] values for inputs [n, d].
        rng: for the cases drawn.
        cases: how many.
    """
    first, second = draw(cases, rng), draw(cases, rng)
    values = clean(first)
    shares = []
    for column in range(first.shape[1]):
        moved = first.copy()
        moved[:, column] = second[:, column]
        shares.append(1.0 - np.corrcoef(values, clean(moved))[0, 1])
    return np.clip(shares, 0.0, 1.0)
