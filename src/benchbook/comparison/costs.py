r"""The cost of decisions between classes, from a matrix of what each mistake costs.

Decided is the class of least expected cost by the probabilities that a method states (Elkan 2001, equation 1),

    d(x) = argmin_d Σ_c p(c | x) cost[c][d],

so nothing is tuned, and probabilities that are not calibrated cost what they cost. A method without probabilities pays
for its labels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchbook.comparison.data import ComparisonData
from benchbook.comparison.measure import LossInfo, Measure, Values, kind_word, loss_fault
from benchbook.comparison.predicted import Prediction
from benchbook.words import listed


def is_matrix(thing: object) -> bool:
    """Whether this was meant for a matrix of costs: rows of numbers, or a table."""
    return isinstance(thing, list | tuple | dict) or hasattr(thing, "__array__")


def by_cost(name: str, thing: object, data: ComparisonData) -> Measure:
    """The loss of a matrix of costs [C, C], true class by decided class, in the order of ``data.classes``.

    Raises:
        FaultyInput: numbers in place of classes; a matrix without a row and a column for each class, with costs that
            are no numbers, negative or infinite, with a cost for what is right, or with none for any mistake.
    """
    where = f"{name}: a matrix of costs"
    if data.kind != "class":
        raise loss_fault(
            where, f"a loss of {kind_word(data)}; what mistakes cost is known of classes"
        )
    costs = _checked(where, thing, [str(one) for one in data.classes])

    def compute(prediction: Prediction, y: NDArray[np.int64], _weights: object) -> Values:
        return costs[y, decided(prediction, costs)]

    title = name.replace("_", " ")
    return Measure(
        LossInfo(name, title, words=f"{title}: {_in_words(costs, data)}"),
        frozenset({"probability"}),
        compute,
    )


def decided(prediction: Prediction, costs: Values) -> NDArray[np.int64]:
    """[J] codes of the classes of least expected cost; of a method without probabilities its labels."""
    probability = prediction.probability
    assert probability is not None
    expected = -probability if prediction.hard else probability @ costs
    return np.asarray(expected.argmin(axis=1), dtype=np.int64)


def _checked(where: str, thing: object, classes: list[str]) -> Values:
    count, order = len(classes), listed(classes)
    rule = (
        f"{count} rows (the true class) of {count} costs (of deciding for each class), both in the order {order}; "
        "0 where the decision is right"
    )
    if isinstance(thing, dict) or hasattr(thing, "columns"):
        raise loss_fault(f"{where} with names", f"{rule}; lists of numbers, without names")
    try:
        costs = np.array(thing, dtype=np.float64)
    except (TypeError, ValueError):
        raise loss_fault(f"{where} that are no numbers, or rows of unequal lengths", rule) from None
    if costs.shape != (count, count):
        raise loss_fault(f"{where} of shape {costs.shape}", rule)
    faults = {
        "infinite or missing costs": ~np.isfinite(costs),
        "negative costs": costs < 0,
        "a cost for what is right": np.diag(np.diag(costs) != 0),
    }
    found = [words for words, at in faults.items() if at.any()]
    found += [] if costs.any() else ["no cost"]
    if found:
        raise loss_fault(f"{where} with {listed(found)}", rule)
    return costs


_MOST_IN_WORDS = 2


def _in_words(costs: Values, data: ComparisonData) -> str:
    """What the mistakes cost; of many classes in which order they stand."""
    names = [str(one) for one in data.classes]
    how = "decided by least expected cost"
    if len(names) > _MOST_IN_WORDS:
        return f"{how}; rows true, columns decided, in the order {listed(names)}."
    mistakes = [
        f"{costs[at, 1 - at]:g} for {names[at]} taken for {names[1 - at]}" for at in range(2)
    ]
    return f"{listed(mistakes)}, {how}."
