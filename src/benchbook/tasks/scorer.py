"""The scorer: the only holder of test targets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook import losses
from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined
from benchbook.losses import Loss
from benchbook.predictive import Categorical, Point, Predictive
from benchbook.tasks.registry import get

BINS = 20
BANDS = (0.5, 0.9)


def challenge_summary(prediction: Predictive, targets: NDArray[Any]) -> dict[str, Any]:
    """Numbers and short lists for the record of a run, on the original scale.

    Of a real target: ``nMSE``; ``pit``, how many of the J cases have their probability integral transform in each of
    twenty equal bins; ``coverage_50`` and ``coverage_90``, the share of targets in the central intervals, and
    ``width_50`` and ``width_90``, their mean widths; of points, which say nothing of their uncertainty, nMSE alone. Of
    two classes: ``LIFT``; ``stated``, ``seen`` and ``cases``, by twenty equal bins of the stated probability of the
    second class: its mean, the share of that class, and how many cases there are (0 and 0 in an empty bin).
    """
    if isinstance(prediction, Categorical):
        return _of_classes(prediction, targets)
    return _of_numbers(prediction, targets)


def _of_numbers(prediction: Predictive, targets: NDArray[Any]) -> dict[str, Any]:
    summary: dict[str, Any] = {"nMSE": losses.get("nMSE").per_set(prediction, targets)}
    if isinstance(prediction, Point):
        return summary
    summary["pit"] = np.histogram(prediction.cdf(targets), BINS, (0.0, 1.0))[0].tolist()
    for band in BANDS:
        low, high = prediction.interval(band)
        summary[f"coverage_{band:.0%}".rstrip("%")] = float(
            np.mean((low <= targets) & (targets <= high))
        )
        summary[f"width_{band:.0%}".rstrip("%")] = float(np.mean(high - low))
    return summary


def _of_classes(prediction: Categorical, targets: NDArray[Any]) -> dict[str, Any]:
    if prediction.classes != 2:
        return {}
    stated, positive = prediction.probability[:, 1], np.asarray(targets) == 1
    index = np.minimum((stated * BINS).astype(np.int64), BINS - 1)
    cases = np.bincount(index, minlength=BINS)
    shown = np.maximum(cases, 1)
    return {
        "LIFT": losses.get("LIFT").per_set(prediction, targets),
        "cases": cases.tolist(),
        "stated": (np.bincount(index, stated, BINS) / shown).tolist(),
        "seen": (np.bincount(index, positive, BINS) / shown).tolist(),
    }


_DEFAULT = {"real": ("S", "A", "L"), "class": ("Z", "Q", "L"), "outputs": ("E", "W")}
_CHALLENGE = {
    "real": ("S", "A", "NLPD", "CRPS", "IS90", "PB05", "PB50", "PB95"),
    "class": ("01L", "NLP10", "BRIER"),
}
_FOLDS = {"real": ("S", "A", "NLPD"), "class": ("01L", "NLP", "BRIER")}
_SUMMARY = {"E": "test_error", "W": "test_wrong"}


class Scorer:
    """Losses of predictions for one task instance, on the original scale of the target.

    ``targets`` holds numbers [J] for a real target, class indices (integers) [J] for a class, and numbers [J, O] for O
    outputs.

    Example:
        >>> from benchbook import predictive, tasks
        >>> scorer = tasks.Scorer("kin-8nm-sim/dist/std.128", 0)
        >>> guess = predictive.Gaussian(0.7 + 0 * scorer.targets, 0.07 + 0 * scorer.targets)
        >>> sorted(scorer.losses(guess))
        ['A', 'L', 'S']
    """

    def __init__(self, task_name: str, number: int) -> None:
        task = get(task_name)
        self.targets: NDArray = task.test_targets(number)
        self.task, self.number, self.kind = task_name, number, task.prototask.kind
        self.case_ids: NDArray[np.int64] = task.split().test[number]
        self.of_challenge = bool(task.prototask.phases)

    @property
    def default_codes(self) -> tuple[str, ...]:
        """The losses computed when none are named; see ``default_losses``."""
        return default_losses(self.task)

    def summary(
        self, by_code: Mapping[str, NDArray[np.float64]], prediction: Predictive | None = None
    ) -> dict[str, Any]:
        """What is kept of a run besides its losses.

        Of outputs what PROBEN1 prints of the test cases, the means of E and W as ``test_error`` and ``test_wrong``; of
        an entry to a challenge ``challenge_summary``, when its prediction is given; nothing else.
        """
        if self.of_challenge:
            return challenge_summary(prediction, self.targets) if prediction is not None else {}
        return {
            name: float(np.mean(by_code[code]))
            for code, name in _SUMMARY.items()
            if code in by_code
        }

    def losses(
        self, prediction: Predictive, codes: Iterable[str] | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """Per-case losses [J] by code; smaller is better.

        A loss that does not exist for this kind of prediction (L of a point guess, which has no density) is left out.

        Args:
            prediction: for the J test cases, already decoded to the original scale (``TaskInstance.decode``).
            codes: losses to compute; by default ``default_codes``.

        Raises:
            FaultyInput: the prediction is not for J cases, or not for this kind of target.
            BenchbookError: a loss that does not apply to this kind of target, or has no value for a single case.
        """
        faults = []
        if len(prediction) != len(self.targets):
            rule = f"one prediction for each of the {len(self.targets)} test cases"
            faults.append(Fault("cases", str(len(prediction)), rule))
        if prediction.targets != self.kind:
            faults.append(Fault("kind", prediction.kind, f"a prediction of a {self.kind} target"))
        if faults:
            raise FaultyInput(f"prediction for {self.task}#{self.number}", faults)
        by_code: dict[str, NDArray[np.float64]] = {}
        for code in self.default_codes if codes is None else codes:
            loss = self._loss(code)
            try:
                by_code[code] = loss.per_case(prediction, self.targets)
            except Undefined:
                continue
        return by_code

    def _loss(self, code: str) -> Loss:
        loss = losses.get(code)
        if not loss.suits(self.kind):
            raise BenchbookError(
                f"loss {code} is for {loss.suited} targets, and {self.task} has a {self.kind} "
                f"target; use {', '.join(self.default_codes)}."
            )
        if loss.is_set:
            raise BenchbookError(
                f"loss {code} is one number for a whole test set and has no value for a single case."
            )
        return loss


def default_losses(task_name: str) -> tuple[str, ...]:
    """The codes of the losses that are computed on a task when none are named.

    S, A, L for a real target, Z, Q, L for a class, E and, where they are classes, W for outputs. A challenge asks for
    distributions, and has the losses of these: NLPD and CRPS, the loss of the 90 % interval and of the quantiles 0.05,
    0.5 and 0.95 beside S and A; for a class 01L, in which a tie says the positive class, NLP to base 10 and BRIER.
    Folds and splits have S, A and NLPD, or 01L, NLP (nats) and BRIER.
    """
    prototask = get(task_name).prototask
    kinds = _CHALLENGE if prototask.phases else _DEFAULT if prototask.disjoint else _FOLDS
    return kinds[prototask.kind]


def loss_codes(task_name: str, codes: Collection[str] | None = None) -> tuple[str, ...]:
    """The losses to compute on a task, in alphabetical order: of those that are asked for, the ones that suit its
    target; ``default_losses`` when none are named."""
    if codes is None:
        return tuple(sorted(default_losses(task_name)))
    kind = get(task_name).prototask.kind
    return tuple(sorted({code for code in codes if losses.get(code).suits(kind)}))


def ranking_loss(task_name: str) -> str:
    """The code of the loss by which methods are compared on a task when none is named: S for a real target, Z for
    another; in a challenge NLPD and NLP10, as its tables were ranked."""
    prototask = get(task_name).prototask
    if prototask.folds:
        return {"real": "NLPD", "class": "NLP"}[prototask.kind]
    if prototask.phases:
        return {"real": "NLPD", "class": "NLP10"}[prototask.kind]
    return "S" if prototask.kind == "real" else "Z"


def all_test_targets(task_name: str) -> NDArray:
    """The test targets of a task: the common test set once, or all hierarchical blocks joined."""
    task = get(task_name)
    if task.prototask.test_set_selection != "hierarchical":
        return task.test_targets(0)
    return np.concatenate([task.test_targets(number) for number in range(task.split().instances)])


@lru_cache(maxsize=1024)
def standard(task_name: str, code: str) -> float:
    """The constant that standardises a loss on a task: its value for the best constant guess on all test targets.

    Divide losses by it (``loss.standard_rule == "divide"``), or subtract it from means ("subtract", for L). Source:
    DELVE 1.1, ``taskGen.tcl``: the common test set, or all hierarchical blocks joined.
    """
    return losses.get(code).standard(all_test_targets(task_name))
