"""DELVE's own cases beside the simulated ones: with DELVE's data both sides are there, without it the simulated one."""

import pytest

from benchbook import datasets
from benchbook.datasets import families
from benchbook_book.pages.show import generators


@pytest.fixture
def nothing_at_hand(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.endswith("-sim"))


def test_without_data_the_simulated_side_is_shown(nothing_at_hand):
    assert generators.at_hand(generators.FUNCTIONS) == ()
    assert set(generators.clouds(["kin-8nm"], 50)["panel"]) == {"kin-8nm, our simulation"}


def test_with_data_both_sides_are_there(real_data):
    real_data("kin-8nm")
    panels = generators.clouds(["kin-8nm"], 50)["panel"]
    assert list(dict.fromkeys(panels)) == ["kin-8nm, of DELVE", "kin-8nm, our simulation"]


def test_the_first_cases_are_drawn(nothing_at_hand):
    inputs, targets = generators.values("kin-8nm-sim")
    drawn = generators.clouds(["kin-8nm"], 50)
    assert drawn["recorded"].to_list() == targets[:50].tolist()
    clean = families.find("kin-8nm-sim").clean("kin-8nm-sim", inputs[:50])
    assert drawn["clean"].to_list() == clean.tolist()
