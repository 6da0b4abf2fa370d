"""Parameters of a run page: other values in its cell, values from words, and what papermill may put there."""

import ast
from types import SimpleNamespace

import pytest

from benchbook.errors import FaultyInput
from benchbook_book.pages.show import page_parameters

CELL = """# the é of a comment
methods = [
    "lin-1",
    "base-1",
]  # two
count, seed = 3, 1
instances = 5; share = 0.5  # ours
"""


def test_other_values_stand_where_the_old_ones_did():
    cell = page_parameters.with_values(CELL, {"share": 0.25, "methods": ["a"], "instances": 7})
    assert cell == (
        '# the é of a comment\nmethods = ["a"]  # two\ncount, seed = 3, 1\n'
        "instances = 7; share = 0.25  # ours\n"
    )
    with pytest.raises(FaultyInput) as refused:
        page_parameters.with_values(CELL, {"share": 1, "no": 2, "such": 3})
    assert [fault.where for fault in refused.value.faults] == ["parameter 'no'", "parameter 'such'"]


def test_words_become_values_of_the_type_of_the_cell():
    words = [("methods", "a"), ("instances", "7"), ("methods", "b"), ("share", "0.25")]
    assert page_parameters.from_words(words, CELL) == {
        "methods": ["a", "b"],
        "instances": 7,
        "share": 0.25,
    }


def test_all_words_that_do_not_fit_are_named():
    words = [("no", "1"), ("instances", "x"), ("instances", "1"), ("instances", "2")]
    with pytest.raises(FaultyInput) as refused:
        page_parameters.from_words(words, CELL)
    faults = [(fault.where, fault.found) for fault in refused.value.faults]
    assert faults == [
        ("parameter 'no'", "'1'"),
        ("parameter 'instances'", "'x'"),
        ("parameter 'instances'", "it twice"),
    ]
    assert "  share = 0.5" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("share", "0.25", ""),
        ("methods", "['a']", ""),
        ("share", "[0.25]", "write one value, not a list"),
        ("methods", "'a'", "write a list, such as -y 'methods: [a]'"),
        ("other", "1", "the page has no parameter of this name"),
    ],
)
def test_papermill_may_give_lists_for_lists_and_values_for_values(name, value, rule):
    own = page_parameters._assignments(CELL)
    assert page_parameters._rule_broken(name, ast.parse(value).body[0].value, own) == rule


@pytest.mark.parametrize(
    ("cells", "injected"),
    [
        (None, False),
        ([CELL, "print(1)"], False),
        (["", CELL, "# Parameters\nmethods = ['a']", "print(1)"], True),
        (["", CELL, "# Parameters\nshare = 1", "# Parameters\nshare = 2"], True),
    ],
)
def test_a_page_knows_whether_papermill_has_given_it_parameters(monkeypatch, cells, injected):
    shell = None if cells is None else SimpleNamespace(user_ns={"In": cells})
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    assert page_parameters.parameters() is injected


def test_parameters_that_do_not_fit_the_page_are_refused_together(monkeypatch):
    cells = [CELL, "# Parameters\nshare = [1]\nother = 2"]
    monkeypatch.setattr("IPython.get_ipython", lambda: SimpleNamespace(user_ns={"In": cells}))
    with pytest.raises(FaultyInput) as refused:
        page_parameters.parameters()
    assert [fault.found for fault in refused.value.faults] == ["[1]", "2"]
