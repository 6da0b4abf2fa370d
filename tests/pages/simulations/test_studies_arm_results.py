"""What a page says of the robot arm, from results made up for the purpose: each number by hand."""

import numpy as np
import polars as pl
import pytest

from benchbook_book.pages.simulations import arm_results

N, FOLDS = 12, 3


@pytest.fixture
def made_up(monkeypatch):
    """Results of one data set, the errors of the network four times those of the process."""
    rng = np.random.default_rng(4)
    error, fold = rng.gamma(2.0, 0.1, N), np.arange(N) % FOLDS
    tables, facts = [], []
    for model, times in (("mlp", 4.0), ("gp", 1.0)):
        tables.append(
            pl.DataFrame(
                {
                    "set": "made up",
                    "model": model,
                    "case": np.arange(N)[::-1],
                    "fold": fold,
                    "error_training": times * error,
                    "error_loo": 2 * times * error,
                    "errors": [[3 * times * value] * FOLDS for value in error],
                    "density_loo": np.log(times) + error,
                    "density_cv": 2 * np.log(times) + error,
                }
            )
        )
        facts.append(
            {
                "set": "made up",
                "model": model,
                "true_error": 0.64 * times,
                "true_error_inside": 0.16 * times,
                "true_density": np.log(times) / 2,
            }
        )
    stored = pl.concat(tables), pl.DataFrame(facts)
    arm_results.root_errors.cache_clear()
    monkeypatch.setattr(arm_results, "stored", lambda: stored)
    yield error
    arm_results.root_errors.cache_clear()


def test_errors_are_roots_of_means(made_up):
    root = np.sqrt(made_up.mean())
    for model, times in (("mlp", 2.0), ("gp", 1.0)):
        found = arm_results.root_errors("made up", model)
        assert found["training"].estimate == pytest.approx(times * root)
        assert found["IS-LOO"].estimate == pytest.approx(times * root * 2**0.5)
        assert found["10-fold"].estimate == pytest.approx(times * root * 3**0.5)


def test_true_errors_stand_beside_in_the_full_range_and_inside_the_hulls(made_up):
    rows = arm_results.hull_errors("made up")
    assert rows["truth"].to_list() == pytest.approx([1.6, 0.8, 0.8, 0.4])
    assert rows["row"].to_list() == ["future in the full range", "future inside the hulls"] * 2
    assert rows["model"].to_list() == ["network"] * 2 + ["Gaussian process"] * 2


def test_the_network_less_the_process(made_up):
    rows = arm_results.differences(["made up"])
    assert rows["truth"].to_list() == pytest.approx([0.8] * 3)
    assert rows["estimate"][0] == pytest.approx(np.sqrt(2 * made_up.mean()))
    assert (rows["low"] < rows["estimate"]).all()


def test_the_ratio_of_likelihoods_is_the_root_of_the_factor(made_up):
    rows = arm_results.factor_roots(["made up"])
    assert rows["truth"].to_list() == pytest.approx([2.0, 2.0])
    assert rows["estimate"].to_list() == pytest.approx([4.0, 16.0])


def test_the_sentence_says_whose_error_is_met():
    table = pl.DataFrame(
        {
            "row": ["10-fold, corrected"] * 2 + ["IS-LOO"],
            "model": ["network", "Gaussian process", "network"],
            "low": [0.1, 0.2, 0.0],
            "high": [0.3, 0.4, 1.0],
            "truth": [0.3, 0.41, 2.0],
        }
    )
    assert arm_results.in_words(table) == (
        "The 90 % interval of corrected 10-fold cross-validation holds the true error of the network (0.100 to 0.300, "
        "true 0.300) and misses the true error of the Gaussian process (0.200 to 0.400, true 0.410)."
    )
    assert arm_results.held(table)["held"].to_list() == [1, 0, 0]


def test_the_heading_counts_what_the_corrected_intervals_hold():
    rows = pl.DataFrame(
        {
            "row": ["10-fold, corrected", "10-fold, corrected", "10-fold"],
            "low": [1.0, 3.0, 1.0],
            "high": [2.0, 4.0, 2.0],
            "truth": [1.5, 5.0, 1.5],
        }
    )
    assert arm_results.title("fresh-1", rows) == (
        "Robot arm fresh-1: corrected intervals hold 1 of 2 true errors"
    )


def test_weights_and_chains_are_told(monkeypatch):
    table = pl.DataFrame({"case": [0, 1], "effective": [17.2, 80.0]})
    short = {"mlp": "R-hat 1.5", "gp": ""}
    monkeypatch.setattr(arm_results, "cases", lambda name, model: table)

    class Chains:
        def __init__(self, model):
            self.shortfall = lambda: short[model]

    monkeypatch.setattr(arm_results, "chains", lambda name, model: Chains(model))
    assert arm_results.effective("x").columns == ["case", "network", "Gaussian process"]
    assert arm_results.trust_in_words("x") == (
        "Weights of the worst case: as good as 17 (network) and 17 (Gaussian process) of 100 draws. No verdict "
        "between the two: chains have not converged, those of network (R-hat 1.5); the intervals are about these "
        "draws only."
    )
    short["mlp"] = ""
    assert "have converged" in arm_results.trust_in_words("x")
