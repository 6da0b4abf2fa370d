"""Losses of stated probabilities: scaled curves, paired extra costs, forecasters judged."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def classes(chapter):
    return chapter("uncertainty/losses_classes")


def test_a_coins_forecast_costs_one_on_average_and_infinity_is_cut(classes):
    table = classes.stated_losses(
        {"NLP": classes.judge("NLP"), "Brier": classes.judge("BRIER")}, [0.0, 0.5, 1.0]
    )
    half = table.filter(stated=0.5)
    assert half["plus"].to_list() == pytest.approx([1.0, 1.0])
    assert half["minus"].to_list() == pytest.approx([1.0, 1.0])
    nlp = table.filter(loss="NLP")
    assert nlp["plus"].to_list() == [60.0, 1.0, 0.0]
    assert nlp["minus"].to_list() == [0.0, 1.0, 60.0]


def test_extra_costs_are_the_divergence_within_their_doubt(classes, rng):
    table = classes.extra_costs(
        {"NLP": classes.judge("NLP"), "abs": classes.absolute_error}, 0.3, [0.1, 0.3], 40_000, rng
    )
    first, truth = table.rows(named=True)
    exact = 0.3 * np.log(0.3 / 0.1) + 0.7 * np.log(0.7 / 0.9)
    assert abs(first["NLP"] - exact) < 4 * first["error_NLP"]
    assert first["abs"] < -10 * first["error_abs"]
    assert (truth["NLP"], truth["error_NLP"]) == (0.0, 0.0)


def test_an_infinite_mean_has_no_standard_error(classes):
    table = classes.judged(
        {"sure": [1.0, 0.0], "coin": [0.5, 0.5]}, [1, 1], {"NLP": classes.judge("NLP")}
    )
    assert np.isinf(table["NLP"][0])
    assert np.isnan(table["error_NLP"][0])
    assert table["NLP"][1] == pytest.approx(np.log(2))
    assert table["error_NLP"][1] == 0.0
