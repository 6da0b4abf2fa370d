"""The page about generators: with DELVE's data both sides are there, without it the simulated one."""

import numpy as np
import polars as pl
import pytest

from benchbook import datasets
from benchbook.pages import generators


@pytest.fixture
def nothing_at_hand(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.endswith("-sim"))


def test_without_data_the_simulated_side_is_shown(nothing_at_hand):
    found = generators.agreement(["kin-8nm"])
    assert found["dataset"].to_list() == ["kin-8nm-sim"]
    assert found["explained"][0] == pytest.approx(1 - generators.FITTED["kin-8nm"], abs=0.003)
    assert set(generators.clouds(["kin-8nm"], 50)["panel"]) == {"kin-8nm, our simulation"}
    assert generators.share_quantiles(["bank-8nm"]).is_empty()


def test_with_data_both_sides_agree(real_data):
    real_data("kin-8nm")
    found = generators.agreement(["kin-8nm"])
    assert found["whose"].to_list() == ["DELVE's", "ours"]
    np.testing.assert_allclose(found["explained"][0], found["explained"][1], atol=0.003)
    panels = generators.clouds(["kin-8nm"], 50)["panel"]
    assert list(dict.fromkeys(panels)) == ["kin-8nm, of DELVE", "kin-8nm, our simulation"]


def test_shares_are_compared_quantile_by_quantile(real_data):
    real_data("bank-8nm")
    pairs = generators.share_quantiles(["bank-8nm"])
    assert pairs["level"].to_list()[-1] == 1.0
    assert pairs["up"].is_sorted()
    assert (pairs["up"] - pairs["across"]).abs().mean() < 0.02
    table = generators.moments(["bank-8nm"])
    assert table["largest"][0] == pytest.approx(pairs["up"].max())


def test_customers_of_the_simulation_are_whole():
    from benchbook.charts.whole_numbers import nearly_whole

    counts = generators.customers(415, 800).filter(pl.col("panel") == "bank-8fm-sim")["count"].to_numpy()
    assert nearly_whole(counts) > 0.8


def test_a_search_keeps_its_steps():
    steps = generators.search("square", lambda x: x * x, 0.25, 2.0, 1e-3)
    assert steps["constant"][0] == 1.0
    assert steps["constant"][-1] == pytest.approx(0.5, abs=2e-3)
    assert steps["found"].to_list() == pytest.approx([x * x for x in steps["constant"]])
    assert set(steps["wanted"]) == {0.25}
