"""Classification with rejection: the curve against plain numpy, and the decision functions of PROBEN1."""

import numpy as np
import pytest

from benchbook.assess import accepted, rejection_curve
from benchbook.errors import FaultyInput


def test_the_curve_is_the_mean_loss_of_the_cases_at_or_above_each_threshold():
    rng = np.random.default_rng(3)
    trust = rng.integers(0, 12, 60) / 12  # with ties
    losses = rng.normal(size=60) ** 2
    curve = rejection_curve(losses, trust)
    assert curve["threshold"].to_list() == sorted(set(trust.tolist()))
    for line in curve.iter_rows(named=True):
        kept = losses[trust >= line["threshold"]]
        assert line["accepted"] == len(kept)
        assert line["rejected"] == pytest.approx(1 - len(kept) / 60)
        assert line["loss"] == pytest.approx(kept.mean())
        assert line["standard_error"] == pytest.approx(kept.std(ddof=1) / len(kept) ** 0.5)


def test_the_order_of_the_cases_and_the_scale_of_the_credibility_do_not_matter():
    rng = np.random.default_rng(4)
    trust, losses, turn = rng.random(30), rng.integers(0, 2, 30), rng.permutation(30)
    first = rejection_curve(losses, trust)
    assert first.drop("threshold").equals(
        rejection_curve(losses[turn], np.exp(trust[turn])).drop("threshold")
    )
    assert first["loss"][0] == losses.mean()
    assert first["rejected"][0] == 0
    assert first.row(-1, named=True)["standard_error"] is None, "a single case"


def test_credible_cases_that_are_right_make_a_curve_that_falls_to_nothing():
    curve = rejection_curve([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])
    assert curve["loss"].to_list() == [0.5, 1 / 3, 0, 0]
    assert rejection_curve([1, 0], [0.5, 0.5]).height == 1, "equal ones are rejected together"


def test_proben1s_two_rules():
    outputs = np.array([[0.6, 0.4], [0.8, 0.2], [0.6, 0.55], [0.4, 0.4], [0.5, 0.5], [0.9, 0.31]])
    assert accepted(outputs).tolist() == [True, True, False, False, False, True]
    assert accepted(outputs, 0.3, 0.7).tolist() == [False, True, False, False, False, False]
    assert accepted(np.eye(3)).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([], []), "of the same cases"),
        (([1, 0], [1]), "of the same cases"),
        (([1, np.nan], [1, 2]), "losses, case 2: found nan"),
        (([1, 0], [np.nan, 2]), "credibility, case 1: found nan"),
    ],
)
def test_cases_without_numbers_are_refused(given, words):
    with pytest.raises(FaultyInput, match=words):
        rejection_curve(*given)


def test_both_faults_of_a_rule_are_told_at_once():
    with pytest.raises(FaultyInput, match=r"(?s)at least two outputs.*the smaller one first"):
        accepted(np.ones((3, 1)), 0.7, 0.3)
