"""Samples of runs with known laws, for the tests of PROBEN1's statistics."""

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def runs(rng):
    """Two methods on three permutations of two problems: b is 20 % worse on card, equal on wine; card's permutations
    differ by a factor, wine's do not."""
    lines = []
    for problem, worse, apart in (("card", 0.2, 0.5), ("wine", 0.0, 0.0)):
        for k in (1, 2, 3):
            for method, shift in (("a", 0.0), ("b", worse)):
                errors = np.exp(2.0 + apart * k + shift + 0.1 * rng.standard_normal(40))
                lines.append(
                    pl.DataFrame(
                        {
                            "dataset": f"{problem}{k}",
                            "method": method,
                            "run": range(40),
                            "test_error": errors,
                        }
                    )
                )
    return pl.concat(lines)
