"""A sweep of a chain: a list of updates, one after the other, in one compiled call."""

import numpy as np
from numba import njit

from benchbook.kernels.hyperparameters import update_lower, update_noise, update_upper
from benchbook.kernels.sampling import refresh, reverse, trajectory

NOISE, LOWER, UPPER, REFRESH, TRAJECTORY, REVERSE = range(6)


@njit(cache=True, error_model="numpy")
def sweep(updates, times, chain, prior, cases, hidden, direct, factor, rng, tally):
    """Perform a list of updates ``times`` times.

    Args:
        updates: [U, 4], each a code and up to three numbers: NOISE, LOWER and UPPER need none, REFRESH the decay of the
            momentum, TRAJECTORY the steps, the window and the step-size factor, REVERSE none.
        times: how often.
        chain: Chain, changed in place.
        prior: Prior.
        cases: Cases.
        hidden: h.
        direct: whether there are direct input-output weights.
        factor: multiplies the step-size factors.
        rng: numpy generator.
        tally: Tally, added to.
    """
    precisions = np.empty(chain.weights.size)
    for _ in range(times):
        for row in range(updates.shape[0]):
            code = int(updates[row, 0])
            if code == NOISE:
                update_noise(chain, prior, cases, rng)
            elif code == LOWER:
                update_lower(chain, prior, rng)
            elif code == UPPER:
                update_upper(chain, prior, rng)
            elif code == REFRESH:
                refresh(chain, updates[row, 1], rng)
            elif code == TRAJECTORY:
                for p in range(precisions.size):
                    precisions[p] = chain.lower[prior.set_of[p]]
                trajectory(
                    chain,
                    cases,
                    precisions,
                    hidden,
                    direct,
                    int(updates[row, 1]),
                    int(updates[row, 2]),
                    factor * updates[row, 3],
                    rng,
                    tally,
                )
            elif code == REVERSE:
                reverse(chain)
