"""The archived simulation of coverage, and a short run beside it."""

import pytest

from benchbook.errors import BenchbookError
from benchbook.pages.densities_coverage import again, archived, right_choices, simulated


def test_the_archived_simulation_is_whole():
    found = archived()
    assert set(found["datasets"]) == {2000}
    assert found["world"].n_unique() == 5
    assert found["coverage"].is_between(0, 1).all()


def test_a_short_run_agrees_with_it():
    both = again("plain", 8, seed=1).filter(model="large", utility="log density", interval="bootstrap")
    assert both.height == 8
    assert both["z"].abs().max() < 6
    assert both.filter(procedure="training")["bias_archived"][0] > 0.15


def test_choices_are_shares():
    assert right_choices()["right"].is_between(0, 1).all()


def test_what_does_not_come_with_the_project_is_missed():
    with pytest.raises(BenchbookError, match="README"):
        simulated("nothing")
