"""DELVE's own cases beside the simulated ones: with DELVE's data both sides are there, without it the simulated one."""

import pytest

from benchbook import datasets
from benchbook.show import generators


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
