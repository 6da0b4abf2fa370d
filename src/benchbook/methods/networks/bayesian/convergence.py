"""How far to trust chains: split R-hat, effective size and stationarity of their traces, one chain or several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchbook.later import assess, scipy

_FEWEST = 4  # draws of a chain


def split_rhat(trace: np.ndarray) -> float:
    """``assess.densities.chains.split_rhat``."""
    return float(assess.densities.chains.split_rhat(trace))


def effective_size(trace: np.ndarray) -> float:
    """``assess.densities.chains.effective_size``."""
    return float(assess.densities.chains.effective_size(trace))


def stationary_pvalue(trace: np.ndarray) -> float:
    """p value of the Kolmogorov-Smirnov test that both halves of a chain have one distribution.

    The chain is thinned first: one draw is kept of every as many as the draws of a half are per effective one, so that
    those kept are nearly independent. Then sup |F1 - F2| of the empirical distribution functions of the two halves is
    compared with what it is for independent draws of one distribution. A small p value says that the chain was still on
    its way; a large one does not say that it has been everywhere. 1 for a constant trace, NaN when a number is not
    finite or fewer than 4 draws are left in a half.
    Source: C. P. Robert and G. Casella, Monte Carlo Statistical Methods, 1999, the chapter on diagnosing convergence.

    Args:
        trace: [n] draws of one chain in its order, or [chains, n], whose first halves are taken together.
    """
    chains = np.atleast_2d(np.asarray(trace, dtype=float))
    if chains.shape[1] < 2 * _FEWEST or not np.isfinite(chains).all():
        return float("nan")
    if np.ptp(chains) == 0.0:
        return 1.0
    half = chains.shape[1] // 2
    parts = [*chains[:, :half], *chains[:, chains.shape[1] - half :]]
    effective = sum(effective_size(part) for part in parts)
    gap = max(1, int(np.ceil(len(parts) * half / effective)))
    first, second = chains[:, :half:gap], chains[:, chains.shape[1] - half :: gap]
    if first.size < _FEWEST:
        return float("nan")
    return float(scipy.stats.ks_2samp(first.ravel(), second.ravel(), method="asymp").pvalue)


def least_pvalue(traces: Sequence[np.ndarray]) -> float:
    """The least ``stationary_pvalue`` of several traces times their number (Bonferroni), at most 1.

    1 for no trace; 0 where one leaves too few draws to be tested, as a chain that drifts all the way does.
    """
    least = float(np.min([stationary_pvalue(trace) for trace in traces], initial=1.0))
    return 0.0 if np.isnan(least) else min(1.0, max(1, len(traces)) * least)
