"""Losses of stated probabilities: scaled curves, and predictions of both classes."""

import pytest


def test_a_coins_forecast_costs_one_on_average_and_infinity_is_cut(page):
    table = page.stated_losses(
        {"NLP": page.judge("NLP"), "Brier": page.judge("BRIER")}, [0.0, 0.5, 1.0]
    )
    half = table.filter(stated=0.5)
    assert half["plus"].to_list() == pytest.approx([1.0, 1.0])
    assert half["minus"].to_list() == pytest.approx([1.0, 1.0])
    nlp = table.filter(loss="NLP")
    assert nlp["plus"].to_list() == [60.0, 1.0, 0.0]
    assert nlp["minus"].to_list() == [0.0, 1.0, 60.0]


def test_a_chance_of_class_one_is_a_prediction_of_both(page):
    assert page.two_classes([0.3, 1.0]).probability.tolist() == [[0.7, 0.3], [0.0, 1.0]]
