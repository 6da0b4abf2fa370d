"""Four works asked one question: each answers by its own rules."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import ExtraTreesRegressor

from benchbook import assess, methods
from benchbook.charts.verdicts import difference_chart
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.pages import synthesis_answers as ask
from benchbook.pages.synthesis_losses import SIMULATED

GUIDE = Path(__file__).resolve().parents[2] / "book" / "guide"
PAIR = (methods.get("lin-1"), methods.get("base-1"))


@pytest.fixture(scope="module")
def verdicts():
    return [ask.delve(SIMULATED, PAIR), ask.challenge(SIMULATED, PAIR), ask.folds(SIMULATED, PAIR)]


def test_delve_compares_eight_disjoint_training_sets(verdicts):
    order = SIMULATED.cases.order
    losses = [np.stack([SIMULATED.losses(each, train, order[256:])[0] for train in np.split(order[:256], 8)])
              for each in PAIR]
    found = assess.compare(*losses, "common")
    assert verdicts[0].difference == pytest.approx(found.difference)
    assert verdicts[0].low < found.difference < verdicts[0].high
    assert "quasi-F" in verdicts[0].sure


def test_the_challenge_pairs_its_test_cases(verdicts):
    first, second = ask.challenge_losses(SIMULATED, PAIR, ("S",))["S"]
    interval = stats.ttest_rel(first, second).confidence_interval(ask.LEVEL)
    np.testing.assert_allclose([verdicts[1].low, verdicts[1].high], interval)
    assert verdicts[1].training_cases == 630


def test_every_loss_is_asked_on_the_same_cases():
    found = ask.by_losses(SIMULATED, PAIR, ("S", "CRPS"))
    assert found["loss"].to_list() == ["S", "CRPS"]
    assert (found["difference"] < 0).all()


def test_a_line_beats_the_mean_in_all_of_them(verdicts):
    assert all(each.high < 0 for each in verdicts)
    assert verdicts[2].sure.startswith("probability 1.00")
    described = difference_chart(ask.table(verdicts, PAIR), "lin-1", "base-1", "m²").to_dict()["description"]
    assert "Vehtari, 1030 training cases" in described
    with pytest.raises(FaultyInput, match="sure"):
        difference_chart(ask.table(verdicts, PAIR).drop("sure"), "lin-1", "base-1", "m²")


def test_proben1_runs_differ_by_their_random_numbers(monkeypatch):
    monkeypatch.setattr(ask, "RUNS", 6)
    few = methods.from_estimator("few-trees", ExtraTreesRegressor(2, min_samples_leaf=50))
    small = ask.proben1(SIMULATED, (methods.get(f"{GUIDE / 'mine.py'}:my_method"), few))
    assert small.low < small.difference < small.high
    assert small.training_cases == len(SIMULATED.cases.order) // 2


def test_too_few_cases_are_refused():
    with pytest.raises(BenchbookError, match="smaller"):
        ask.delve(SIMULATED, PAIR, train=5000)
