"""nMSE on few cases."""

from benchbook.predictive import Mixture


def test_low_guesses_of_skewed_targets_win_on_few_cases_alone(page, rng):
    skewed = Mixture([0.8, 0.2], [[0.0, 4.0]], [0.25, 4.0])
    table = page.nmse_of_guesses(skewed, [-0.3], [8, 128], 500, rng)
    few, many = table.rows(named=True)
    assert few["extra"] < -3 * few["error"]
    assert many["extra"] > 3 * many["error"]
