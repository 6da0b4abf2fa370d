"""The battery of results that there are already, in small: every scenario is drawn and answered, others beside it."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "battery-results.parquet"
SOME = ("cases-01-100", "margin-01-100", "clusters-8-lognormal", "samples-100x5", "seeds-1-and-5",
        "whole-r2-60", "datasets-30-families", "these-5x60", "series-60-1-0.7", "segments-unequal")  # fmt: skip


@pytest.fixture
def battery(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from benchmarks.battery import results, results_rivals

    yield results, results_rivals
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", SOME)
def test_a_scenario_is_answered_by_us_and_by_others(battery, name):
    results, _ = battery
    frame = results.measure(name, 2)
    assert frame.schema == pl.Schema(results.SCHEMA)
    assert frame["procedure"][0] == "benchbook"
    quantities = ["margin"] if "margin" in name else ["size", "power"]
    assert frame["quantity"].unique(maintain_order=True).to_list() == quantities
    assert frame.filter(pl.col("procedure") != "benchbook").height >= len(quantities)
    assert frame.equals(results.measure(name, 2))


def test_what_is_published_has_scenarios_of_the_battery_and_the_sizes_that_the_page_states(battery):
    results, _ = battery
    frame = pl.read_parquet(PUBLISHED)
    assert set(frame["scenario"]) <= set(results.SCENARIOS)
    assert frame.select("scenario", "quantity", "procedure").is_duplicated().sum() == 0
    sizes = frame.filter(procedure="benchbook", quantity="size", shape="clusters")
    assert (sizes["says"] <= 0.05 + 3 * (0.05 * 0.95 / sizes["sets"]).sqrt()).all()


def test_others_are_the_tests_that_they_are_named_for(battery):
    _, rivals = battery
    rng = np.random.default_rng(1)
    said = {"t": 0, "mcnemar": 0}
    for _ in range(30):
        gaps = rng.normal(0.4, 1.0, size=20)
        found = rivals.of_datasets(gaps)
        assert found["t over datasets"] == (stats.ttest_1samp(gaps, 0.0).pvalue <= 0.05)
        assert found["Wilcoxon over datasets"] == (stats.wilcoxon(gaps).pvalue <= 0.05)
        a, b = (rng.random((2, 60)) < [[0.2], [0.4]]).astype(float)
        more, less = int((b > a).sum()), int((b < a).sum())
        exact = stats.binomtest(more, more + less).pvalue <= 0.05
        assert rivals.of_right_or_wrong(a, b, 0.1, rng)["McNemar, exact"] == exact
        said["t"] += found["t over datasets"]
        said["mcnemar"] += exact
    assert 0 < said["t"] < 30
    assert 0 < said["mcnemar"] < 30
