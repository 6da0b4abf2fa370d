"""What classifiers say, in the forms that libraries use: read as probabilities, or refused in words."""

import numpy as np
import pytest
import scipy.sparse

from benchbook.errors import BenchbookError
from benchbook.methods.class_probabilities import class_probabilities

QUERIES = np.zeros((3, 2))
TWO = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
THREE = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2]])


class Fitted:
    """A fitted classifier that says what it is told to say."""

    def __init__(self, said, classes=None):
        self.said = said
        if classes is not None:
            self.classes_ = classes

    def predict_proba(self, queries):
        return self.said


class Sure:
    """A classifier without probabilities."""

    def __init__(self, said):
        self.said = said

    def predict(self, queries):
        return self.said


def read(fitted, present=(0, 1), classes=2):
    return class_probabilities(fitted, QUERIES, np.array(present), classes)


@pytest.mark.parametrize(
    "names",
    [
        [0, 1],
        [0.0, 1.0],
        ["0", "1"],
        np.array([0, 1], dtype=object),
        np.array([False, True]),
        np.array([b"0", b"1"]),
        None,
    ],
)
def test_classes_may_be_numbers_of_any_type_or_words_for_them(names):
    assert np.array_equal(read(Fitted(TWO, names)), TWO)


def test_columns_follow_the_order_of_classes():
    assert np.array_equal(read(Fitted(TWO, [1, 0])), TWO[:, ::-1])
    made = read(Fitted(TWO, [3, 1]), present=(1, 3), classes=4)
    assert np.array_equal(made[:, [3, 1]], TWO)
    assert (made[:, [0, 2]] == 0).all()


def test_without_names_columns_are_the_classes_in_order():
    assert np.array_equal(read(Fitted(THREE), (0, 1, 2), 3), THREE)
    assert np.array_equal(read(Fitted(TWO), (0, 2), 3)[:, [0, 2]], TWO)
    assert np.array_equal(read(Fitted(THREE), (0, 2), 3), THREE)


@pytest.mark.parametrize("said", [TWO[:, 1], TWO[:, 1:], TWO[:, 1].astype(np.float32)])
def test_one_number_of_two_classes_is_the_probability_of_the_second(said):
    assert read(Fitted(said, [0, 1])) == pytest.approx(TWO, abs=1e-7)
    assert read(Fitted(said)) == pytest.approx(TWO, abs=1e-7)


def test_other_containers_are_read():
    assert np.array_equal(read(Fitted(scipy.sparse.csr_matrix(TWO), [0, 1])), TWO)
    assert np.array_equal(read(Fitted(TWO.tolist(), [0, 1])), TWO)


def test_rounding_of_single_precision_and_of_six_digits_is_taken_away():
    third = np.full((3, 3), 0.333333)
    made = read(Fitted(third), (0, 1, 2), 3)
    assert made.sum(axis=1) == pytest.approx(1, abs=1e-15)
    single = THREE.astype(np.float32)
    made = read(Fitted(single * np.float32(1.0000002)), (0, 1, 2), 3)
    assert np.abs(made.sum(axis=1) - 1).max() < 1e-9
    made = read(Fitted([[1.0000001, -1e-7], [0.0, 1.0], [0.5, 0.5]]))
    assert made.min() == 0.0
    assert made[0, 0] == pytest.approx(1.0, abs=1e-15)


def test_what_sums_to_one_is_not_touched():
    exact = TWO + np.array([[2e-17, 0.0]])
    assert np.array_equal(read(Fitted(exact)), exact)


def test_predicted_classes_are_certain_whatever_their_type():
    for predicted in ([1, 0, 1], [1.0, 0.0, 1.0], ["1", "0", "1"], [[1], [0], [1]]):
        assert np.array_equal(read(Sure(predicted)), [[0, 1], [1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("fitted", "words"),
    [
        (Fitted(np.full(3, 0.4)), "one number a case for 3 classes"),
        (Fitted(np.full((3, 1), 0.4), [0, 1, 2]), "a column for each class"),
        (Fitted(TWO), "returned 2 columns for 3 classes, and there is no classes_"),
        (Fitted(TWO, [0, 1, 2]), "returned 2 columns, and classes_ has 3: 0, 1, 2"),
        (Fitted(THREE, [0, 1, 1]), "each column belongs to a class of its own"),
        (
            Fitted(THREE, ["low", "mid", "high"]),
            "classes_ has low, mid, high; fit is given the classes 0 to 2",
        ),
        (Fitted(THREE, [1, 2, 3]), "classes_ has 1, 2, 3"),
        (Fitted(THREE, [0.0, 0.5, 1.0]), "classes_ has 0.0, 0.5, 1.0"),
        (Fitted(THREE[:2]), "shape (2, 3) for 3 cases"),
        (Fitted(THREE * 2), "whose sum is 2 in case 0 (and 2 more)"),
        (Fitted(np.log(THREE)), "take the exponential of logarithms"),
        (Fitted(THREE - 0.4), "no probability is negative"),
        (Fitted(THREE * np.nan), "whose sum is nan"),
        (Fitted(np.ma.masked_greater(THREE, 0.7)), "whose sum is nan in case 1"),
        (Fitted([TWO, TWO, TWO]), "a list of 3 arrays, as for several targets"),
        (Fitted([["a", "b", "c"]] * 3), "what are no numbers"),
        (Fitted(None), "shape () for 3 cases"),
        (Sure([0, 1]), "2 classes for 3 cases"),
        (Sure([0, 1, 7]), "predict has 0, 1, 7"),
        (Sure([0, 1, np.nan]), "expected back"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(fitted, words):
    with pytest.raises(BenchbookError) as caught:
        read(fitted, (0, 1, 2), 3)
    assert words in str(caught.value)
