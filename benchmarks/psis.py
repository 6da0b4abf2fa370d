"""Leave-one-out predictive densities by Pareto smoothed importance sampling, with R-hat and effective sizes.

Every contender returns the log predictive density and k-hat of each case, and the largest R-hat and the least effective
size of all, so that ``check`` can see that all did the same work. Ours also gives raw weights' results and effective
numbers. ArviZ is told the relative efficiency, as ours is, and does not estimate it. Install ``arviz`` below version 1
for it to take part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

NAME = "Pareto smoothed leave-one-out with R-hat and effective sizes, 4000 draws x 5000 cases"
GOALS = {"arviz": 10.0}
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


def build(
    draws: int = 4000, cases: int = 5000, chains: bool = True
) -> dict[str, Callable[[], object]]:
    """The contenders, ours first; each call returns [2, cases] and [2]."""
    from benchbook.assess import densities
    from benchbook.assess.densities.chains import effective_size, split_rhat

    data = matrix(draws, cases)

    def ours() -> tuple[np.ndarray, np.ndarray]:
        found = densities.loo(data, check_chains=chains)
        worst = found.chains
        figures = [*worst.rhat.values(), *worst.size.values()] if worst else []
        return np.stack([found.log_density, found.k_hat]), np.array(figures)

    def plain() -> tuple[np.ndarray, np.ndarray]:
        flat = data.reshape(-1, data.shape[-1])
        found = densities.plain.leave_one_out(flat, densities.tail_length(len(flat)))
        traces = np.moveaxis(data, 2, 0) if chains else ()
        figures = [max(map(split_rhat, traces)), min(map(effective_size, traces))] if chains else []
        return np.stack([found[0], found[2]]), np.array(figures)

    def theirs() -> tuple[np.ndarray, np.ndarray]:
        import arviz

        kept = arviz.from_dict(
            posterior={"m": np.zeros((*data.shape[:2], 1))}, log_likelihood={"y": data}
        )  # no copy
        found = arviz.loo(kept, pointwise=True, reff=1.0)
        figures = []
        if chains:
            traces = kept.log_likelihood
            figures = [arviz.rhat(traces).y.values.max(), arviz.ess(traces).y.values.min()]
        return np.stack([found.loo_i.values, found.pareto_k.values]), np.array(figures)

    return {"benchbook": ours, "numpy": plain, "arviz": theirs}


def check(results: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """All contenders find the same numbers."""
    for name, found in results.items():
        for item, other in zip(found, results["benchbook"], strict=True):
            np.testing.assert_allclose(item, other, rtol=1e-9, atol=1e-11, err_msg=name)
