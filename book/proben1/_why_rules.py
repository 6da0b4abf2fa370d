"""One method on several permutations, and what becomes of its error when a choice is left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from benchbook.methods.proben1 import (
    GeneralisationLoss,
    ProgressQuotient,
    Recipe,
    Topology,
    Traces,
    TrainingRun,
    Up,
    first_met,
    result_rule,
    train_many,
)
from benchbook.seeds import generator
from benchbook.tasks.partition import Partition, Portion
from benchbook.tasks.partitions import partition

# Trained so long, the report's rule has stopped every run; the stopping rules are looked at afterwards.
EPOCHS = 3000
CRITERIA = (
    GeneralisationLoss(1.0),
    GeneralisationLoss(2.0),
    GeneralisationLoss(5.0),
    Up(3),
    ProgressQuotient(1.0),
)
CHOICES = {
    "validation": "best of ten runs by validation error",
    "criterion": "best of five stopping criteria by test error",
    "state": "state of least test error in every run",
    "half": "better half of the runs by test error",
    "best": "best of ten runs by test error",
    "permutation": "best of three permutations",
    "everything": "best permutation, run and state together",
}


def _train(
    part: Partition, topology: str, recipe: Recipe, runs: int, seed: int
) -> list[TrainingRun]:
    network = Topology.parse(topology, part.inputs, part.outputs)
    return train_many(
        part, network, recipe, [generator(seed, part.name, topology, run) for run in range(runs)]
    )


@dataclass(frozen=True, eq=False)
class Halves:
    """Runs of one method on one partition, with the errors on two halves of the test cases apart.

    Attributes:
        validation: [R, S] after each strip of each run.
        test: [2, R, S] on either half.
        rules: [R] the strip of the state that the report's rule takes.
        criteria: [C, R] the same for each of ``CRITERIA``.
    """

    validation: np.ndarray
    test: np.ndarray
    rules: np.ndarray
    criteria: np.ndarray


def halves(name: str, topology: str, recipe: Recipe, runs: int, seed: int) -> Halves:
    """Train on one partition and look at every second test case, and at the others.

    Test cases have no part in training, so that the same seeds make the same networks whatever the test cases are.
    """
    part, long = partition(name), replace(recipe, rule=GeneralisationLoss(1e9), most_epochs=EPOCHS)
    sides = [
        _train(
            replace(part, test=Portion(part.test.inputs[half::2], part.test.targets[half::2])),
            topology,
            long,
            runs,
            seed,
        )
        for half in (0, 1)
    ]
    traces = [run.traces for run in sides[0]]
    rules = np.array([_taken(result_rule(), trace) for trace in traces])
    criteria = np.array([[_taken(one, trace) for trace in traces] for one in CRITERIA])
    test = np.array([[run.traces.test for run in side] for side in sides])
    return Halves(np.array([trace.validation for trace in traces]), test, rules, criteria)


Way = Callable[[Halves, np.ndarray], np.ndarray]


def _taken(criterion: object, trace: Traces) -> int:
    """The strip of least validation error before a criterion stops the run."""
    epoch = first_met(criterion, trace)  # type: ignore[arg-type]  # the unions of criteria are criteria
    end = len(trace.validation) if epoch is None else epoch // trace.strip
    return int(np.argmin(trace.validation[:end]))


def gains(runs: Sequence[Halves]) -> pl.DataFrame:
    """What each choice makes of the mean test error, as a share of what the rules give on the same cases.

    A choice is made by one half of the test cases. ``printed`` is its error on that half, ``true`` its error on the
    other, both means over the two directions and the partitions. Where a partition was chosen, ``true`` is of the other
    partitions, on which others may try it. ``by_test`` says whether the test cases chose.

    Returns:
        choice, by_test, printed, true; in the order of ``CHOICES``.
    """
    ways: dict[str, Way] = {
        "validation": _best_by_validation,
        "criterion": _best_criterion,
        "state": _least,
        "half": _better_half,
        "best": _best_by_test,
    }
    found = {
        name: np.mean([_shares(each, way) for each in runs], axis=0) for name, way in ways.items()
    }
    honest = np.array(
        [each.test[:, np.arange(len(each.rules)), each.rules].mean() for each in runs]
    )
    best = int(np.argmin(honest))
    found["permutation"] = np.array([honest[best], np.delete(honest, best).mean()]) / honest.mean()
    tops = np.array([_values(each, _best_of_all) for each in runs])
    top = int(np.argmin(tops[:, 0]))
    found["everything"] = (
        np.array([tops[top, 0], np.delete(tops[:, 1], top).mean()]) / honest.mean()
    )
    return pl.DataFrame(
        [
            {
                "choice": words,
                "by_test": name != "validation",
                "printed": float(found[name][0]),
                "true": float(found[name][1]),
            }
            for name, words in CHOICES.items()
        ]
    )


def _values(each: Halves, way: Way) -> np.ndarray:
    """Error on the half that chose, and on the other: the mean over both directions."""
    both = [way(each, each.test[[side, 1 - side]]) for side in (0, 1)]
    return np.mean(both, axis=0)


def _shares(each: Halves, way: Way) -> np.ndarray:
    honest = _at(each.test, each.rules).mean(axis=1)
    both = [way(each, each.test[[side, 1 - side]]) / honest[[side, 1 - side]] for side in (0, 1)]
    return np.mean(both, axis=0)


def _at(test: np.ndarray, strips: np.ndarray) -> np.ndarray:
    """Errors [2, R] of each run at its strip."""
    return test[:, np.arange(len(strips)), strips]


def _tens(values: np.ndarray) -> np.ndarray:
    """The runs [R] in groups of ten."""
    return values[: len(values) // 10 * 10].reshape(-1, 10)


def _chosen(errors: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Of every ten runs the one with the least ``by``: its errors [2], the mean over the groups."""
    picked = np.argmin(_tens(by), axis=1) + 10 * np.arange(len(_tens(by)))
    return np.asarray(errors[:, picked].mean(axis=1))


def _best_by_validation(each: Halves, test: np.ndarray) -> np.ndarray:
    return _chosen(_at(test, each.rules), each.validation[np.arange(len(each.rules)), each.rules])


def _best_by_test(each: Halves, test: np.ndarray) -> np.ndarray:
    errors = _at(test, each.rules)
    return _chosen(errors, errors[0])


def _best_criterion(each: Halves, test: np.ndarray) -> np.ndarray:
    means = np.array([_at(test, strips).mean(axis=1) for strips in each.criteria])
    return np.asarray(means[np.argmin(means[:, 0])])


def _least(each: Halves, test: np.ndarray) -> np.ndarray:
    return np.asarray(_at(test, np.argmin(test[0], axis=1)).mean(axis=1))


def _better_half(each: Halves, test: np.ndarray) -> np.ndarray:
    errors = _at(test, each.rules)
    return np.asarray(errors[:, np.argsort(errors[0])[: len(each.rules) // 2]].mean(axis=1))


def _best_of_all(each: Halves, test: np.ndarray) -> np.ndarray:
    errors = _at(test, np.argmin(test[0], axis=1))
    return _chosen(errors, errors[0])
