"""Checks of form: what passes them, what does not, and that they hold no answer."""

from collections import namedtuple

import numpy as np
import polars as pl
import pytest

from benchbook_book.making.questions import IMPORT, AnswerName, answer_names, without_lines

Found = namedtuple("Found", "mean sd")
ROW = {"cases": 8, "loss": 0.5}
FORMS = [
    ("number", [1, 0.5, np.float64(2), np.int64(3)], ["1", [1.0], None]),
    ("whole number", [1, np.int64(3)], [0.5, np.float64(2), "1"]),
    ("text", ["a"], [1]),
    ("function", [len, lambda: 1], [1]),
    ("list", [[1], (1,), np.ones(2)], [1]),
    ("list of 2", [[1, "a"], (1, 2), np.ones(2)], [[1], np.ones(3), 2]),
    ("list of 2 numbers", [[1, 2.5], np.ones(2), pl.Series([1, 2])], [[1], ["a", "b"]]),
    ("list of numbers", [[1], [1, 2]], [["a"]]),
    ("list of 1 dicts with keys 'cases', 'loss'", [[ROW], [ROW | {"more": 1}]], [[{}], [ROW] * 2]),
    ("list of dicts with keys 'loss'", [[ROW], []], [[{}]]),
    ("dict", [{}, ROW], [[]]),
    ("dict with keys 'cases', 'loss'", [ROW], [{}, {"cases": 1}]),
    ("dict with keys 8, 80", [{8: 1, 80: 2}], [{"8": 1}]),
    ("array", [np.ones(2), pl.Series([1.0])], [[1.0], 1.0]),
    ("array of shape (2, 3)", [np.ones((2, 3))], [np.ones((3, 2)), [[1] * 3] * 2]),
    ("array of shape (2,)", [np.ones(2)], [np.ones(3)]),
    ("table", [pl.DataFrame(ROW)], [ROW]),
    ("table with columns cases, loss", [pl.DataFrame(ROW)], [pl.DataFrame({"loss": [1]}), ROW]),
    ("object with mean, sd", [Found(1, 2)], [1, ROW]),
]


@pytest.mark.parametrize(("form", "right", "wrong"), FORMS, ids=[form for form, *_ in FORMS])
def test_a_check_takes_the_form_and_no_other(form, right, wrong):
    check = AnswerName("it", form, "a meaning").check
    for value in right:
        exec(f"{IMPORT}\n{check}", {"it": value})
    for value in [*wrong, ...]:
        with pytest.raises(AssertionError, match=r"^it is to be: "):
            exec(f"{IMPORT}\n{check}", {"it": value})


def test_comments_that_say_what_is_asked_are_found_and_taken_out():
    source = "# a: number; half:\n#   of it\nx = 1  # b: number; not this\n# a remark: not; this"
    assert answer_names(source) == [AnswerName("a", "number", "half: of it")]
    assert without_lines(source) == "x = 1  # b: number; not this\n# a remark: not; this"
