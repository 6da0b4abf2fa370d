"""Pairs of models: what can be said of them when little does not matter."""

import numpy as np
import polars as pl
import pytest

from benchbook.assess.densities import compare_models


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(1)
    errors = rng.chisquare(1, size=80)
    worse = errors + 0.3 + 0.1 * rng.normal(size=80)
    return compare_models(
        {"a": errors, "b": worse, "c": errors}, "smaller is better", replicates=400
    )


def test_the_three_verdicts_are_all_there_is(pairs, page):
    shares = page.equivalence(pairs, [0.0, 0.25, 1.0])
    assert shares.group_by("pair", "width").agg(pl.col("probability").sum())[
        "probability"
    ].to_list() == pytest.approx([1.0] * 9)
    at = {
        (row["pair"], row["width"], row["verdict"]): row["probability"]
        for row in shares.iter_rows(named=True)
    }
    assert at["a / b", 0.0, "first better"] == at["a / b", 0.25, "first better"] == 1.0
    assert at["a / b", 1.0, "no matter"] == 1.0
    assert at["a / c", 0.0, "no matter"] == 1.0
    assert at["b / c", 0.0, "second better"] == 1.0


def test_larger_models_follow_bends(page, chapter):
    utility = chapter("predictive-densities/expected_utility")
    x = np.linspace(-1.0, 1.0, 60)[:, None]
    result = page.predictions(utility.Material(x, x[:, 0] ** 3, "height", "m", "nowhere"))
    errors = {name: np.mean((item.mean() - x[:, 0] ** 3) ** 2) for name, item in result.items()}
    assert list(errors) == list(page.MODELS)
    assert errors["and cubes"] < 0.2 * errors["squares, products"]


def test_drawn(pairs, page):
    page.pairwise_matrix(pairs.table())
    page.practical_equivalence(page.equivalence(pairs, [0.0, 0.5]), "m", 0.0)
