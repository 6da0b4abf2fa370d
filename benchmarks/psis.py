"""Leave-one-out predictive densities by Pareto smoothed importance sampling: ours, plain numpy, ArviZ.

Every contender returns the log predictive density and k-hat of each case, so that ``check`` can see that all did the
same work. Ours also gives raw weights' results and effective numbers. ArviZ is told the relative efficiency, as ours
is, and does not estimate it. Install ``arviz`` below version 1 for it to take part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NAME = "Pareto smoothed leave-one-out, 4000 draws x 5000 cases"
GOALS = {"arviz": 10.0, "arviz memory": 10.0}
PEERS = ("arviz",)
SMALLEST = {"draws": 400, "cases": 3}


def matrix(draws: int, cases: int) -> np.ndarray:
    """Log likelihoods [4, draws / 4, cases] of Gaussian residuals."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal(cases)
    found = 0.3 * rng.standard_normal((4, draws // 4, cases))
    found += centres
    np.square(found, out=found)
    found *= -0.5
    found -= 1.0
    return found


def build(draws: int = 4000, cases: int = 5000) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns [2, cases]."""
    from benchbook.assess import densities

    data = matrix(draws, cases)

    def ours() -> np.ndarray:
        found = densities.loo(data)
        return np.stack([found.log_density, found.k_hat])

    def plain() -> np.ndarray:
        flat = data.reshape(-1, data.shape[-1])
        found = densities.plain.leave_one_out(flat, densities.tail_length(len(flat)))
        return np.stack([found[0], found[2]])

    def theirs() -> np.ndarray:
        import arviz

        kept = arviz.from_dict(
            posterior={"m": np.zeros((*data.shape[:2], 1))}, log_likelihood={"y": data}
        )  # no copy
        found = arviz.loo(kept, pointwise=True, reff=1.0)
        return np.stack([found.loo_i.values, found.pareto_k.values])

    return {"benchbook": ours, "numpy": plain, "arviz": theirs}


def check(results: dict[str, np.ndarray]) -> None:
    """All contenders find the same numbers."""
    for name, found in results.items():
        np.testing.assert_allclose(
            found, results["benchbook"], rtol=1e-10, atol=1e-11, err_msg=name
        )
