"""The files of 1994 rebuilt from the originals."""

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets import proben1
from benchbook.errors import BenchbookError
from benchbook_book.pages import proben1 as originals
from benchbook_book.pages.proben1 import rebuild


@pytest.mark.parametrize(
    "problem", [name for name in originals.PROBLEMS if name not in ("mushroom", "gene")]
)
def test_every_value_of_the_three_files_is_rebuilt(real_data, problem):
    for name in (
        *originals.original(problem).sources,
        *(f"proben1-{problem}{number}" for number in (1, 2, 3)),
    ):
        real_data(name)
    result = originals.compare(problem)
    assert result.exact
    assert result.columns["equal"].min() == 100.0
    for file in result.files:
        assert sorted(file.order.tolist()) == list(range(result.cases))
    selected = [file.name for file in result.files if file.original_order]
    assert selected == ([f"proben1-{problem}1"] if problem in ("building", "thyroid") else [])


@pytest.mark.parametrize("problem", ["mushroom", "gene"])
def test_large_problems_are_rebuilt_in_their_first_file(real_data, problem):
    for name in (*originals.original(problem).sources, f"proben1-{problem}1"):
        real_data(name)
    made = originals.rebuilt(problem)
    ours = np.hstack([made.inputs, made.targets])
    theirs = datasets.load(f"proben1-{problem}1").cases.to_numpy()
    ordered = [table[np.lexsort(table.T)] for table in (ours, theirs)]
    np.testing.assert_array_equal(*ordered)


def test_a_rule_that_is_wrong_shows(real_data, monkeypatch):
    real_data("uci-glass")
    real_data("proben1-glass1")
    rules = originals.original("glass")
    parts = [
        proben1.EncodedAttribute("Si", proben1.Linear(69.81, 75.41))
        if part.attribute == "Si"
        else part
        for part in rules.representation.inputs
    ]
    wrong = originals.Original(
        "glass", rules.sources, proben1.Representation(tuple(parts), rules.representation.outputs)
    )
    monkeypatch.setattr(rebuild, "original", lambda problem: wrong)
    result = originals.compare("glass")
    assert not result.exact
    shares = dict(result.columns.iter_rows())
    assert min(shares, key=shares.get) == "Si"
    assert result.files[0].equal < 10


@pytest.mark.parametrize("problem", originals.PROBLEMS)
def test_the_rules_make_as_many_inputs_and_outputs_as_the_card_has(problem):
    rules, card = originals.original(problem).representation, datasets.card(f"proben1-{problem}1")
    widths = [sum(part.encoder.width for part in side) for side in (rules.inputs, rules.outputs)]
    assert widths == [card.shape.attributes - len(card.targets), len(card.targets)]


def test_an_unknown_problem_is_refused_with_all_names():
    with pytest.raises(BenchbookError, match=r"no problem 'tumour'; it has building, cancer"):
        originals.compare("tumour")


def test_a_problem_can_be_rebuilt_only_when_originals_and_files_are_at_hand(monkeypatch):
    wanted = rebuild.needed("horse")
    assert {f"proben1-horse{number}" for number in (1, 2, 3)} < set(wanted)
    monkeypatch.setattr("benchbook.datasets.loading.at_hand", lambda name: name in wanted)
    assert rebuild.at_hand("horse")
    assert not rebuild.at_hand("card")
    monkeypatch.setattr("benchbook.datasets.loading.at_hand", lambda name: name in wanted[:-1])
    assert not rebuild.at_hand("horse")
