"""What other spreads and distributions cost, nMSE on few cases, and changes of unit."""

import numpy as np
import pytest

from benchbook.predictive import Gaussian, Mixture


def test_spread_costs_are_zero_at_the_truth_and_one_at_twice_it(page):
    table = page.spread_costs({"NLPD": "NLPD", "CRPS": "CRPS"}, [0.5, 1.0, 2.0], [1.0])
    many = table.filter(target=page.ALL)
    assert many.filter(sd=1.0)["extra"].to_list() == [0.0, 0.0]
    assert many.filter(sd=2.0)["extra"].to_list() == pytest.approx([1.0, 1.0])
    assert (many.filter(sd=0.5)["extra"] > 0).all()
    unit = 0.5 * (np.log(4) + 0.25 - 1)
    item = table.filter(target=page.ONE, loss="NLPD", sd=2.0)["extra"][0]
    assert item == pytest.approx(0.5 * (np.log(4) + 0.25 - 1) / unit, abs=1e-3)


def test_another_distribution_costs_its_divergence_and_a_loss_of_means_does_not_see_it(page, rng):
    truth, other = Gaussian([0.0], [1.0]), Gaussian([0.0], [4.0])
    row = page.extra_costs(truth, {"wide": other}, ["NLPD", "S"], 20_000, rng).row(0, named=True)
    assert abs(row["NLPD"] - 0.5 * (np.log(4) + 0.25 - 1)) < 4 * row["error_NLPD"]
    assert (row["S"], row["error_S"]) == (0.0, 0.0)


def test_low_guesses_of_skewed_targets_win_on_few_cases_alone(page, rng):
    skewed = Mixture([0.8, 0.2], [[0.0, 4.0]], [0.25, 4.0])
    table = page.nmse_of_guesses(skewed, [-0.3], [8, 128], 500, rng)
    few, many = table.rows(named=True)
    assert few["extra"] < -3 * few["error"]
    assert many["extra"] > 3 * many["error"]


def test_a_new_unit_and_a_new_origin(page, rng):
    y = rng.normal(size=30)
    table = page.unit_changes(Gaussian(y + 0.1, np.ones(30)), y, ["nMSE", "NLPD", "CRPS"], 10.0)
    rows = {row["loss"]: row for row in table.iter_rows(named=True)}
    assert rows["nMSE"]["after"] == pytest.approx(rows["nMSE"]["before"])
    assert rows["NLPD"]["after"] - rows["NLPD"]["before"] == pytest.approx(np.log(10))
    assert rows["CRPS"]["after"] == pytest.approx(10 * rows["CRPS"]["before"])
    assert table["moved"].to_list() == pytest.approx(table["before"].to_list())
