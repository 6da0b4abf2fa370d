"""Leaving a whole group of cases out by importance sampling, which asks more of the weights than they can give.

Source: Vehtari and Lampinen (2001), section 3.4 and figure 12 (leave-one-image-out).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.convergence import Chains
from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.importance import as_posterior, reliable, verdict_on, well_refitted
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.weights import smoothed_log_weights, tail_lengths
from benchbook.folds import group_labels


@dataclass(frozen=True)
class GroupLoo:
    """Predictive densities of N cases from G groups, each group left out as one; in nats, larger is better.

    Attributes:
        groups: [G], their labels in order.
        log_density: [N], log p(y_i | x_i, D without i's group).
        joint_log_density: [G], log p(all y of the group | D without the group).
        k_hat: [G].
        effective: [G], the effective number of draws, equation 17, times the relative efficiency.
        draws: M.
        member: [N], the number of each case's group.
        r_eff: relative efficiency of the draws.
        cases, targets, chains, refits: as for ``Loo``, of groups.
    """

    groups: NDArray[Any]
    log_density: Array
    joint_log_density: Array
    k_hat: Array
    effective: Array
    draws: int
    member: NDArray[np.intp]
    r_eff: float = 1.0
    cases: tuple[str, ...] = ()
    targets: NDArray[Any] | None = None
    chains: Chains | None = None
    refits: Mapping[int, LogLikelihood] = field(default_factory=dict)

    @property
    def reliable(self) -> NDArray[np.bool_]:
        """[G], whether k-hat is below ``k_threshold(M)``, or all of more than ten weights are equal."""
        by_weights = reliable(self.k_hat, self.effective / self.r_eff, self.draws)
        return well_refitted(self.refits, self.effective, by_weights)

    @property
    def exact(self) -> NDArray[np.bool_]:
        """[G], whether the group has been refitted."""
        return np.isin(np.arange(self.k_hat.size), list(self.refits))

    @property
    def shortfall(self) -> str:
        """Why the chains allow no verdict; empty where they pass the rule or are not known."""
        return self.chains.shortfall() if self.chains else ""

    @property
    def trusted(self) -> bool:
        """Whether the chains have met and the weights are good for all groups."""
        return not self.shortfall and bool(self.reliable.all())

    def frame(self) -> pl.DataFrame:
        """A line for each group: ``group``, ``cases``, ``log_density_nats`` (of all its cases together), ``k_hat``,
        ``effective_draws``, ``reliable``."""
        return pl.DataFrame(
            {
                "group": [str(label) for label in self.groups],
                "cases": np.bincount(self.member),
                "log_density_nats": self.joint_log_density,
                "k_hat": self.k_hat,
                "effective_draws": self.effective,
                "reliable": self.reliable,
            }
        )

    def verdict(self) -> str:
        """Whether to trust the estimate, in a sentence or two."""
        names = [str(label) for label in self.groups]
        return verdict_on(self, names, "group")


def leave_group_out(
    log_likelihood: object,
    groups: ArrayLike,
    r_eff: float | None = None,
    *,
    smooth: bool = True,
    variable: str | Sequence[str] = "",
) -> GroupLoo:
    r"""Predictive densities with i's whole group s(i) left out: equation 16, w_j = 1 / Π_(l in s(i)) p(y_l | x_l, θ_j).

    A group of one member gives what ``loo`` gives. When all cases are one group, the weights lead from the posterior to
    the prior.

    Args:
        log_likelihood: as for ``loo``; the cases are independent given θ.
        groups: [N] labels, or the name of a coordinate of the cases where ``log_likelihood`` has coordinates.
        r_eff: relative efficiency of the draws; when left out, 1 for arrays, and for other objects the least of the
            cases.
        smooth: whether the tails of the weights are smoothed.
        variable: as for ``loo``.

    Raises:
        FaultyInput: log likelihoods that are not finite, fewer or more labels than cases, or missing labels.
    """
    posterior, efficiency, chains = as_posterior(log_likelihood, r_eff, variable)
    array = likelihoods.shaped(posterior.values)
    if isinstance(groups, str):
        groups = posterior.labels(groups)
    labels, member = group_labels(groups, array.shape[1])
    least = float(np.min(efficiency))
    length = int(tail_lengths(len(array), 1, least)[0]) if smooth else 0
    density, joint = np.empty(member.size), np.empty(len(labels))
    k_hat, effective = np.empty(len(labels)), np.empty(len(labels))
    for group in range(len(labels)):
        cases = np.flatnonzero(member == group)
        ll = -likelihoods.chosen(array, cases)
        # In logarithms: weights of whole groups span more than a floating-point number can.
        log_weights, k_hat[group] = smoothed_log_weights(-ll.sum(axis=0), length)
        effective[group] = np.exp(-scipy.special.logsumexp(2.0 * log_weights))
        density[cases] = scipy.special.logsumexp(ll + log_weights, axis=1)
        joint[group] = scipy.special.logsumexp(ll.sum(axis=0) + log_weights)
    return GroupLoo(
        labels,
        density,
        joint,
        k_hat,
        effective * least,
        len(array),
        member,
        least,
        posterior.cases,
        posterior.targets,
        chains,
    )
