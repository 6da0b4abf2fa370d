"""What a first specification asks of marks of missing values, and of numbers that may be something else."""

import pytest

from benchbook.datasets import proben1
from benchbook.datasets.readers.text import MISSING, PERHAPS_MISSING


def guessed(values, name="x", separator=";"):
    """The guess of a table with a column of these values, numbers repeated to twenty rows, and one to predict."""
    rows = [f"{value};{'ab'[place % 2]}" for place, value in enumerate(values)]
    data = "\n".join([f"{name};y", *rows]).encode()
    return proben1.guess(proben1.read_table(data, "t.csv", separator))


NUMBERS = [f"{number / 7:.3f}" for number in range(40)]


@pytest.mark.parametrize("mark", [*MISSING, *PERHAPS_MISSING, "N/a", "Unknown", "MISSING"])
def test_a_mark_among_numbers_leaves_them_numbers(mark):
    text = guessed([mark, *NUMBERS])
    assert 'kind = "real"' in text
    assert 'missing = "mean"  # 1 of 41' in text
    assert ("# proposed:" in text) == (mark not in MISSING)
    data = f"x;y\n{mark};a\n1.5;b\n2.5;a".encode()
    spec = proben1.read_spec(text.encode(), "s.toml")
    assert proben1.read_table(data, "t.csv", ";", spec.missing).columns["x"] == [None, "1.5", "2.5"]


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ([*NUMBERS, "-999", "-999"], "-999 in 2 of 42, far from all others"),
        ([*NUMBERS, "99999", "99999"], "99999 in 2 of 42, far from all others"),
        ([*NUMBERS, "-1", "-1"], "-1 in 2 of 42, far from all others"),
        (["3,5", "4,25", "1.234,5", "2,0", "7"] * 4, "numbers with a decimal comma?"),
        ([f"{10.0 ** (number / 5):.4g}" for number in range(-10, 30)], 'kind = "logarithm", or'),
        (["red", "blue", "unknown"] * 7, '"unknown" in 7 of 21: a value, or a missing one?'),
    ],
)
def test_what_may_be_something_else_is_asked(values, asked):
    assert asked in guessed(values)


@pytest.mark.parametrize(
    "values",
    [
        NUMBERS,
        ["-9", *NUMBERS],
        ["99", "99", *(str(n) for n in range(60, 99))],
        ["red", "blue"] * 9,
    ],
)
def test_plain_columns_are_not_asked_about(values):
    text = guessed(values).split("[[input]]")[1].split("[[output]]")[0]
    assert "?" not in text


def test_counts_to_predict_are_asked_about():
    rows = "\n".join(f"{number / 3:.2f},{number % 7}" for number in range(40))
    read = proben1.read_table(f"x,y\n{rows}".encode(), "t.csv")
    assert "whole numbers as classes: if they are counts" in proben1.guess(read)
