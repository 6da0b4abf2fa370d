"""What a left-out case costs: its loss under the weighted draws of a posterior, and how far it could be off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from benchbook.assess.densities import likelihoods
from benchbook.assess.densities.checks import Array
from benchbook.assess.densities.groups import GroupLoo
from benchbook.assess.densities.importance import Loo
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.utilities import UtilityQuestion
from benchbook.assess.densities.weights import (
    smoothed_log_weights,
    tail_length,
    tail_lengths,
    weights_of,
)
from benchbook.errors import Fault, FaultyInput
from benchbook.predictive import Categorical, Draws

_MOST_CLASSES = 1000


class Unit(NamedTuple):
    """A case or a group that was left out, and the draws that predict it without itself.

    Attributes:
        number: of the case or the group.
        cases: [n], its cases.
        weights: [M], of the draws; they sum to 1.
        log_likelihood: [M, n]. drawn: [M, n], from the posterior predictive, None where there is none.
        refitted: whether the draws are of a fit without the unit, and not of the posterior.
    """

    number: int
    cases: NDArray[np.intp]
    weights: Array
    log_likelihood: Array
    drawn: NDArray[Any] | None
    refitted: bool


def units(posterior: LogLikelihood, left_out: Loo | GroupLoo) -> Iterator[Unit]:
    """Each case or group that is left out, in order."""
    drawn = posterior.predictions
    flat = None if drawn is None else drawn.reshape(-1, drawn.shape[2])
    for unit in _by_weights(posterior, left_out):
        if unit.number in left_out.refits:
            yield _refitted(unit.number, unit.cases, left_out.refits[unit.number])
        else:
            yield unit if flat is None else unit._replace(drawn=flat[:, unit.cases])


def _by_weights(posterior: LogLikelihood, left_out: Loo | GroupLoo) -> Iterator[Unit]:
    if isinstance(left_out, GroupLoo):
        return _groups(posterior, left_out)
    return _cases(posterior, left_out)


def _cases(posterior: LogLikelihood, left_out: Loo) -> Iterator[Unit]:
    array = likelihoods.shaped(posterior.values)
    longest = tail_lengths(len(array), array.shape[1], left_out.r_eff)
    for begin, ratios in likelihoods.blocks(array):
        weights, _ = weights_of(ratios, longest[begin : begin + len(ratios)])
        for place in range(len(ratios)):
            cases, ll = np.array([begin + place]), -ratios[place][:, None]
            yield Unit(begin + place, cases, weights[:, place], ll, None, False)


def _groups(posterior: LogLikelihood, left_out: GroupLoo) -> Iterator[Unit]:
    array = likelihoods.shaped(posterior.values)
    longest = int(tail_lengths(len(array), 1, left_out.r_eff)[0])
    for number in range(len(left_out.groups)):
        cases = np.flatnonzero(left_out.member == number)
        ll = -likelihoods.chosen(array, cases).T
        # In logarithms: weights of whole groups span more than a floating-point number can.
        weights = np.exp(smoothed_log_weights(-ll.sum(axis=1), longest)[0])
        yield Unit(number, cases, weights, ll, None, False)


def _refitted(number: int, cases: NDArray[np.intp], refit: LogLikelihood) -> Unit:
    ll = np.asarray(likelihoods.shaped(refit.values), dtype=np.float64)
    drawn = refit.predictions
    flat = None if drawn is None else drawn.reshape(-1, drawn.shape[2])
    return Unit(number, cases, np.full(len(ll), 1.0 / len(ll)), ll, flat, True)


@dataclass(frozen=True, eq=False)
class Judge:
    """The loss of cases by weighted draws of their targets.

    Errors are those of the mean; the class predicted is the most probable one. Any other loss of numbers is that of as
    many draws of equal weights, at evenly spread levels of the weighted ones; of classes, of their shares.

    Attributes:
        asked: the question.
        targets: [N].
        labels: of classes, all that are drawn or observed, in order; None of numbers.
    """

    asked: UtilityQuestion
    targets: NDArray[Any]
    labels: NDArray[Any] | None

    def of(self, drawn: NDArray[Any], weights: Array, case: int) -> Array:
        """[R], the loss of a case under each of R weightings of its draws.

        Args:
            drawn: [M]. weights: [R, M], each summing to 1. case: which of the targets.
        """
        target, code = self.targets[case], self.asked.code
        if self.labels is not None:
            return self._of_classes(_shares(self.labels, drawn, weights), target)
        if self.asked.loss is None:
            error = weights @ drawn.astype(np.float64) - float(target)
            return np.square(error) if code == "S" else np.abs(error)
        spread = evenly(drawn, weights)
        return np.asarray(self.asked.loss.per_case(Draws(spread), np.full(len(spread), target)))

    def _of_classes(self, shares: Array, target: ArrayLike) -> Array:
        assert self.labels is not None
        index = np.searchsorted(self.labels, target)
        if self.asked.loss is None:
            return (shares.argmax(axis=1) != index).astype(np.float64)
        wide = shares if shares.shape[1] > 1 else np.column_stack([shares, 0.0 * shares])
        return self.asked.loss.per_case(Categorical(wide), np.full(len(wide), index))

    def ends(self, unit: Unit, seen: NDArray[Any], place: int) -> list[float]:
        """The loss of a case that is not trusted at the best and at the worst that it can be; see ``extreme_losses``.

        Args:
            unit: that the case is left out with. seen: [M], draws of the case by the posterior. place: of the case.
        """
        case, equal = int(unit.cases[place]), np.full((1, len(seen)), 1.0 / len(seen))
        if self.labels is not None:
            shares = _shares(self.labels, seen, equal)
            return [
                float(self._of_classes(each, self.targets[case])[0])
                for each in self._worst(shares, case)
            ]
        values, order = seen.astype(np.float64), np.argsort(unit.log_likelihood.sum(axis=1))
        mean, target = values.mean(), float(self.targets[case])
        tail = values[order[: tail_length(values.size)]].mean()
        away = 3.0 * abs(tail - mean) + 2.0 * values.std()
        moved = values + (away if mean >= target else -away)
        return [float(self.of(each, equal, case)[0]) for each in (values, moved)]

    def _worst(self, shares: Array, case: int) -> tuple[Array, Array]:
        """Shares as the posterior has them, or all but certain of a wrong class; of an error, right or wrong."""
        assert self.labels is not None
        index = int(np.searchsorted(self.labels, self.targets[case]))
        right, wrong = np.zeros_like(shares), shares.copy()
        right[0, index] = 1.0
        wrong[0, index] = -1.0
        worst = np.zeros_like(shares)
        worst[0, int(wrong.argmax())] = 1.0
        if self.asked.loss is None:
            return right, worst
        least = min(float(shares[0, index]), 1e-3)
        return shares, (1.0 - least) * worst + least * right


def _shares(labels: NDArray[Any], drawn: NDArray[Any], weights: Array) -> Array:
    """[R, C], the share of each class among draws [M] under weights [R, M]."""
    return np.stack([weights @ (drawn == label) for label in labels], axis=1)


def evenly(drawn: NDArray[Any], weights: Array) -> Array:
    """[R, M] values of equal weight: the quantiles of weighted draws [M] at the levels (k - 1/2) / M.

    Args:
        drawn: [M]. weights: [R, M].
    """
    order = np.argsort(drawn, kind="stable")
    ordered, size = np.asarray(drawn, dtype=np.float64)[order], drawn.size
    rows = []
    for row in weights:
        used = int(np.count_nonzero(row))
        mass = np.cumsum(row[order])
        levels = (np.arange(used) + 0.5) / used * mass[-1]
        rows.append(ordered[np.minimum(np.searchsorted(mass, levels), size - 1)])
    return np.stack(rows)


def judge(asked: UtilityQuestion, posterior: LogLikelihood) -> Judge:
    """What takes the losses that are asked for.

    Raises:
        FaultyInput: no predictions or targets where the question needs them; targets of another kind.
    """
    drawn, targets = predictions_of(asked, posterior)
    if not _of_classes(asked, drawn, targets):
        return Judge(asked, targets, None)
    _refuse_numbers(asked, {"posterior_predictive": drawn, "observed_data": targets})
    try:
        return Judge(asked, targets, np.union1d(drawn, targets))
    except TypeError:
        rule = "must be of one kind, numbers or names"
        actual = f"{targets.dtype} and {drawn.dtype}"
        raise FaultyInput(asked.words, [Fault("targets and predictions", actual, rule)]) from None


def _refuse_numbers(asked: UtilityQuestion, groups: dict[str, NDArray[Any]]) -> None:
    """Refuse numbers in the place of classes: with fractions, or of more than a thousand values.

    Raises:
        FaultyInput: such numbers.
    """
    faults = [
        Fault(f"group {name}", "numbers with fractions", "classes are needed")
        for name, values in groups.items()
        if values.dtype.kind == "f" and (values != np.rint(values)).any()
    ]
    most = 0 if faults else max(len(np.unique(values)) for values in groups.values())
    if most > _MOST_CLASSES:
        faults = [Fault("classes", f"{most:,}", f"at most {_MOST_CLASSES:,}: are these numbers?")]
    if faults:
        raise FaultyInput(asked.words, faults)


def _of_classes(asked: UtilityQuestion, drawn: NDArray[Any], targets: NDArray[Any]) -> bool:
    if asked.loss is None:
        return asked.code == "01L"
    if asked.loss.applies_to != "both":
        return asked.loss.applies_to == "class"
    return drawn.dtype.kind not in "f" and targets.dtype.kind not in "f"


def left_out_losses(
    asked: UtilityQuestion, posterior: LogLikelihood, left_out: Loo | GroupLoo
) -> Array:
    """[N], the loss of each case by the distribution that predicts it without itself."""
    if asked.of_densities:
        return -left_out.log_density
    judging, result = judge(asked, posterior), np.empty(posterior.values.shape[-1])
    for unit in units(posterior, left_out):
        for place, case in enumerate(unit.cases):
            if unit.drawn is None:
                raise _without_predictions(posterior, int(case))
            result[case] = judging.of(unit.drawn[:, place], unit.weights[None], int(case))[0]
    return result


def _without_predictions(posterior: LogLikelihood, case: int) -> FaultyInput:
    name = posterior.cases[case] if posterior.cases else str(case)
    rule = "a refit needs draws from the posterior predictive of the cases that it left out"
    return FaultyInput("refits", [Fault(f"case {name}", "no posterior_predictive", rule)])


def posterior_losses(asked: UtilityQuestion, posterior: LogLikelihood) -> Array:
    """[N], the loss of each case by the posterior as it is: of cases it has not seen, as in the files of folds.

    Raises:
        FaultyInput: no predictions or targets where the question needs them.
    """
    if asked.of_densities:
        flat = likelihoods.shaped(posterior.values)
        density = np.empty(flat.shape[1])
        for begin, ratios in likelihoods.blocks(flat):
            density[begin : begin + len(ratios)] = scipy.special.logsumexp(-ratios, axis=1)
        return np.log(len(flat)) - density
    judging, (drawn, targets) = judge(asked, posterior), predictions_of(asked, posterior)
    weights = np.full((1, len(drawn)), 1.0 / len(drawn))
    return np.array([judging.of(drawn[:, case], weights, case)[0] for case in range(len(targets))])


def extreme_losses(
    asked: UtilityQuestion, posterior: LogLikelihood, left_out: Loo | GroupLoo
) -> Iterator[tuple[int, list[float]]]:
    """Each case that is not trusted, and its loss at the best and at the worst that it can be.

    At its best a case is predicted as by the posterior, which has seen it. At its worst its log density is twice as far
    from that as the least log likelihood of a draw; its draws lie farther from the target by three times the distance
    of the predictive mean under the draws that like it least and two standard deviations; a class is wrong. Of a refit
    with too few draws the log density is three standard errors off, and all else as it is.
    """
    judging = None if asked.of_densities else judge(asked, posterior)
    for unit in units(posterior, left_out):
        if left_out.reliable[unit.number]:
            continue
        for place, case in enumerate(unit.cases):
            if unit.refitted:
                yield int(case), _of_refit(asked, judging, unit, place)
                continue
            if judging is not None:
                assert unit.drawn is not None
                yield int(case), judging.ends(unit, unit.drawn[:, place], place)
                continue
            column = unit.log_likelihood[:, place]
            seen = float(scipy.special.logsumexp(column)) - math.log(column.size)
            yield int(case), [-seen, seen - 2.0 * float(column.min())]


def _of_refit(asked: UtilityQuestion, judging: Judge | None, unit: Unit, place: int) -> list[float]:
    if judging is not None:
        assert unit.drawn is not None
        case = int(unit.cases[place])
        return [float(judging.of(unit.drawn[:, place], unit.weights[None], case)[0])] * 2
    ll = unit.log_likelihood[:, place]
    shares = scipy.special.softmax(ll)
    error = 3.0 * math.sqrt(max(float(shares @ shares) - 1.0 / ll.size, 0.0))
    seen = float(scipy.special.logsumexp(ll)) - math.log(ll.size)
    return [-seen - error, -seen + error]


def predictions_of(
    asked: UtilityQuestion, posterior: LogLikelihood
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draws from the posterior predictive [M, N], and the targets [N].

    Raises:
        FaultyInput: there are none, or they are not numbers where numbers are needed.
    """
    drawn, targets, faults = posterior.predictions, posterior.targets, []
    if drawn is None:
        rule = "draws of every case are needed: pm.sample_posterior_predictive, or a generated quantity y_rep"
        faults.append(Fault("group posterior_predictive", "none", rule))
    if targets is None:
        faults.append(Fault("group observed_data", "none", "the target of every case is needed"))
    numbers = asked.loss.applies_to == "real" if asked.loss else asked.code != "01L"
    for name, values in (("posterior_predictive", drawn), ("observed_data", targets)):
        if values is None or not numbers:
            continue
        if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
            faults.append(
                Fault(f"group {name}", "values that are not finite numbers", "errors need numbers")
            )
    if faults or drawn is None or targets is None:
        raise FaultyInput(f"{asked.words} of {posterior.name or 'the array'}", faults)
    return drawn.reshape(-1, drawn.shape[2]), targets
