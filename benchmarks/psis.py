"""Leave-one-out predictive densities by Pareto smoothed importance sampling: ours, plain numpy, ArviZ.

Every contender returns the log predictive density and k-hat of each case, so that ``check`` can see that all did the
same work. Ours also gives raw weights' results and effective numbers. ArviZ is told the relative efficiency, as ours
is, and does not estimate it. Install ``arviz`` below version 1 for it to take part.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

NAME = "Pareto smoothed leave-one-out, 4000 draws x 5000 cases"
GOALS = {"arviz": 10.0}
PEERS = ("arviz",)


@lru_cache(1)
def matrix(draws: int = 4000, cases: int = 5000) -> np.ndarray:
    """Log likelihoods [4, draws / 4, cases] of Gaussian residuals."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal(cases)
    return -0.5 * (0.3 * rng.standard_normal((4, draws // 4, cases)) + centres) ** 2 - 1.0


def build() -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns [2, cases]."""
    from benchbook.assess import densities

    def ours() -> np.ndarray:
        found = densities.loo(matrix())
        return np.stack([found.log_density, found.k_hat])

    def plain() -> np.ndarray:
        flat = matrix().reshape(-1, matrix().shape[-1])
        found = densities.plain.leave_one_out(flat, densities.tail_length(len(flat)))
        return np.stack([found[0], found[2]])

    matrix()
    return {"benchbook": ours, "numpy": plain, "arviz": _arviz}


def check(results: dict[str, np.ndarray]) -> None:
    """All contenders find the same numbers."""
    for name, found in results.items():
        np.testing.assert_allclose(found, results["benchbook"], rtol=1e-10, atol=1e-11, err_msg=name)


@lru_cache(1)
def _data() -> object:
    import arviz

    return arviz.from_dict(posterior={"m": np.zeros((4, matrix().shape[1]))}, log_likelihood={"y": matrix()})


def _arviz() -> np.ndarray:
    import arviz

    found = arviz.loo(_data(), pointwise=True, reff=1.0)
    return np.stack([found.loo_i.values, found.pareto_k.values])
