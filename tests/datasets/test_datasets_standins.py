"""Stand-ins for PROBEN1's problems, from what scikit-learn brings along."""

import numpy as np
import pytest
from sklearn import datasets as bundled

from benchbook import datasets

NAMES = [name for name in datasets.available() if name.startswith("sklearn-")]


def test_there_are_five_problems_in_three_permutations():
    assert {name.removeprefix("sklearn-") for name in NAMES} == {
        f"{problem}{number}"
        for problem in ("cancer", "wine", "digits", "iris", "diabetes")
        for number in (1, 2, 3)
    }
    assert all(datasets.at_hand(name) for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_encoded_by_the_rules(name):
    data = datasets.load(name)
    outputs = len(data.card.targets)
    values = data.cases.to_numpy()
    inputs, targets = values[:, :-outputs], values[:, -outputs:]
    changing = np.ptp(inputs, axis=0) > 0
    assert changing.sum() >= inputs.shape[1] - 3
    assert np.all(inputs[:, changing].min(axis=0) == 0)
    assert np.all(inputs[:, changing].max(axis=0) == 1)
    assert np.all(inputs[:, ~changing] == 0)
    if outputs > 1:
        assert np.all(np.sort(targets, axis=1) == np.eye(outputs)[-1])
    else:
        assert (targets.min(), targets.max()) == (0, 1)
    cases = len(values)
    training, validation, test = data.card.partition
    assert (training, validation) == (-(-cases // 2), -(-(cases - training) // 2))
    assert test <= validation


def test_permutations_hold_the_same_cases_in_another_order():
    first, second = (datasets.load(f"sklearn-wine{number}").cases for number in (1, 2))
    assert not first.equals(second)
    assert first.sort(first.columns).equals(second.sort(second.columns))


def test_rescaling_is_linear_and_the_classes_stay_with_their_cases():
    data = datasets.load("sklearn-diabetes1").cases
    raw = bundled.load_diabetes(scaled=False)
    assert np.corrcoef(data["bmi"], data["progression"])[0, 1] == pytest.approx(
        np.corrcoef(raw.data[:, 2], raw.target)[0, 1], abs=1e-5
    )
    iris, result = datasets.load("sklearn-iris1").cases, bundled.load_iris()
    assert iris.filter(iris["setosa"] == 1)["petal-length"].mean() == pytest.approx(
        (result.data[result.target == 0, 2].mean() - 1.0) / 5.9, abs=1e-5
    )
