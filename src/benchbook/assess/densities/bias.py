"""The bias of k-fold cross-validation, whose models have seen fewer cases, and Burman's first-order correction.

Source: Vehtari and Lampinen (2001), section 2.4, equations 18 to 22, after Burman (1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities.bootstrap import REPLICATES, bootstrap_columns
from benchbook.assess.densities.checks import Array, matrix
from benchbook.assess.densities.distribution import Distribution
from benchbook.assess.densities.summaries import MEAN, Mean, UtilitySummary
from benchbook.errors import Fault, FaultyInput
from benchbook.folds import group_labels
from benchbook.seeds import generator
from benchbook.statistics import standard_error


@dataclass(frozen=True)
class Correction:
    """Expected utilities of k-fold cross-validation, each a summary over cases.

    Attributes:
        cross_validated: ū_cv, equation 19.
        training: ū_tr, of the model fitted to all data on that data, equation 20.
        cross_training: ū_cvtr, of the k models on all data, equation 21.
        corrected: ū_ccv = ū_cv + ū_tr - ū_cvtr, equation 22.
        by_fold: [k], ū_tr less each fold's part of ū_cvtr.
    """

    cross_validated: float
    training: float
    cross_training: float
    corrected: float
    by_fold: Array

    @property
    def correction(self) -> float:
        """What the correction adds to ū_cv."""
        return self.corrected - self.cross_validated

    @property
    def training_set_sd(self) -> float:
        """Standard error of ū_cvtr due to the k training sets that chance made: sd over folds / sqrt(k).

        The report suggests the terms of the correction for this (section 3.2), and expects it to be optimistic: the
        training sets overlap.
        """
        return float(standard_error(self.by_fold))


@dataclass(frozen=True)
class CorrectedDistribution:
    """Distributions under common weights: ū_ccv, ū_cv, ū_tr, and what the correction adds, ū_ccv - ū_cv."""

    corrected: Distribution
    cross_validated: Distribution
    training: Distribution
    correction: Distribution


def bias_corrected(
    by_fold: NDArray[np.float64],
    full: NDArray[np.float64],
    fold: NDArray[np.generic],
    summary: UtilitySummary = MEAN,
    *,
    by_size: bool = True,
) -> Correction:
    r"""Burman's correction of any summary of any utility:

        ū_cv = S_i[u(y_i, x_i, D without s(i))]                                                      (19)
        ū_tr = S_i[u(y_i, x_i, D)]                                                                   (20)
        ū_cvtr = Σ_j (n_j / n) S_i[u(y_i, x_i, D without s_j)]                                       (21)
        ū_ccv = ū_cv + ū_tr - ū_cvtr                                                                 (22)

    with S the summary over cases. Equation 21 is printed with weights 1 / k; they are the same where folds are equally
    large. The correction is of the first order: at small k it leaves a part of the bias. Of a Mean with a transform,
    the means are corrected and then transformed, which is our choice; a corrected mean of squares may come out below
    0, and its root is nan then.

    Args:
        by_fold: [k, n], utilities of all n cases under the model fitted without fold j.
        full: [n], under the model fitted to all.
        fold: [n] labels; the rows of ``by_fold`` are in their order. Those of ū_cv are taken from ``by_fold``.
        summary: S.
        by_size: weights n_j / n; False for 1 / k.

    Raises:
        FaultyInput: not as many rows as folds, or as many columns as cases, or utilities that are not finite.
    """
    every, whole_model, member, share = _arranged(by_fold, full, fold, by_size)
    if every.shape[1] > 1:
        every, whole_model = (
            every.mean(axis=1, keepdims=True),
            whole_model.mean(axis=0, keepdims=True),
        )
    rows, cases = every[:, 0], np.arange(member.size)
    columns = [rows[member, cases], whole_model[0], *rows]
    values = np.array(
        [
            [
                float(column.mean()) if isinstance(summary, Mean) else summary.of(column)
                for column in columns
            ]
        ]
    )
    cross_training = values[:, 2:] @ share
    corrected = values[0, 0] + values[0, 1] - cross_training
    if isinstance(summary, Mean):
        values, cross_training, corrected = map(summary.finish, (values, cross_training, corrected))
    return Correction(
        float(values[0, 0]),
        float(values[0, 1]),
        float(cross_training[0]),
        float(corrected[0]),
        values[0, 1] - values[0, 2:],
    )


def bias_corrected_distribution(
    by_fold: ArrayLike,
    full: ArrayLike,
    fold: NDArray[Any],
    summary: UtilitySummary = MEAN,
    *,
    by_size: bool = True,
    replicates: int = REPLICATES,
    seed: int = 1,
    name: str = "",
    case_weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> CorrectedDistribution:
    """Bayesian bootstrap of equations 19 to 22, all terms under the same weights of the cases.

    The correction so carries its own variability over future data. With several draws of the utilities, each
    replicate takes one draw of each of the k + 1 chains, the same wherever that chain's predictions occur.

    Args:
        by_fold: [k, n] as for ``bias_corrected``, or [k, D, n] with D draws of the utilities.
        full: [n] or [D, n].
        fold, summary, by_size: as for ``bias_corrected``.
        replicates, seed, name, case_weights, groups: as for ``bayesian_bootstrap``.
    """
    every, whole_model, member, share = _arranged(by_fold, full, fold, by_size)
    folds, draws, cases = every.shape
    own = every[member, :, np.arange(cases)].T

    def finish(values: Array) -> Array:
        return np.column_stack(
            [values[:, 0] + values[:, 1] - values[:, 2:] @ share, values[:, 0], values[:, 1]]
        )

    carried = draws > 1 or len(whole_model) > 1
    result = bootstrap_columns(
        [own, whole_model, *every],
        summary,
        [(name,)] * (folds + 2),
        replicates=replicates,
        seed=seed,
        case_weights=case_weights,
        groups=groups,
        sources=member if carried else None,
        finish=finish,
        choice=_choice(replicates, folds, draws, len(whole_model), seed, name) if carried else None,
    )
    corrected, plain, training = result
    added = Distribution(
        corrected.replicates - plain.replicates, corrected.estimate - plain.estimate, plain.weights
    )
    return CorrectedDistribution(corrected, plain, training, added)


def _choice(
    replicates: int, folds: int, draws: int, full_draws: int, seed: int, name: str
) -> NDArray[np.int64]:
    """[B, 2 + k, k]: the draw for the cases of each fold, of cross-validation, the full model and the k models."""
    stream = generator(seed, "Monte Carlo draw of folds", name)
    chosen = stream.integers(draws, size=(replicates, folds))
    full = stream.integers(full_draws, size=(replicates, 1))
    choice = np.empty((replicates, folds + 2, folds), dtype=np.int64)
    choice[:, 0], choice[:, 1] = chosen, full
    choice[:, 2:] = chosen[:, :, None]
    return choice


def _arranged(
    by_fold: ArrayLike, full: ArrayLike, fold: NDArray[np.generic], by_size: bool
) -> tuple[Array, Array, NDArray[np.intp], Array]:
    """Utilities [k, D, n] and [D', n], the fold of each case, and the folds' weights."""
    what = "utilities by fold"
    member = group_labels(fold, len(fold))[1]
    sizes = np.bincount(member)
    if len(sizes) < 2:
        raise FaultyInput("folds", [Fault("folds", str(len(sizes)), "there must be two at least")])
    every = np.asarray(by_fold, dtype=np.float64)
    every = every[:, None] if every.ndim == 2 else every
    if every.ndim != 3 or every.shape[0] != len(sizes) or every.shape[2] != member.size:
        rule = f"must be [{len(sizes)} folds, {member.size} cases], with draws between them if there are several"
        raise FaultyInput(what, [Fault("array", f"shape {np.shape(by_fold)}", rule)])
    bad = np.argwhere(~np.isfinite(every))
    if len(bad):
        raise FaultyInput(
            what,
            [
                Fault(f"fold {j}, case {i}", str(every[j, d, i]), "must be a finite number")
                for j, d, i in bad
            ],
        )
    whole_model = matrix(
        np.atleast_2d(np.asarray(full, dtype=np.float64)),
        "utilities of the full model",
        width=member.size,
    )
    share = sizes / member.size if by_size else np.full(len(sizes), 1.0 / len(sizes))
    return every, whole_model, member, share
