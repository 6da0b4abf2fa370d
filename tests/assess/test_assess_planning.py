"""From archived comparisons to plans: variance components, power, and what a design can see."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess
from benchbook.assess import planning
from benchbook.errors import FaultyInput

TASK = "kin-8nm-sim/dist/std.128"


def test_components_are_those_of_the_comparison(toy_study):
    item = planning.components(toy_study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    line = toy_study.compared.filter(task=TASK, method="mlp-mc-3", other="mlp-mc-4").row(
        0, named=True
    )
    assert (item.sd_instances, item.sd_residual, item.base) == (
        line["sd_instances"],
        line["sd_residual"],
        line["other_mean"],
    )
    assert item.low <= item.sd_instances <= item.high
    assert (item.instances, item.cases) == (8, 4)
    assert item.power(0.0, 8, 4) == pytest.approx(0.05)
    least = planning.detectable(line, 8, 4)
    assert item.power(least / item.base, 8, 4) == pytest.approx(0.8)
    assert planning.detectable(line, 32, 4) < least < planning.detectable(line, 8, 2)


def test_the_interval_covers_the_truth_nine_times_of_ten():
    rng = np.random.default_rng(5)
    squares = (
        assess.simulate_losses(rng, 8, 64, 0.5, 0.0, 1.0, replications=2000)
        .mean(axis=2)
        .var(axis=1, ddof=1)
    )
    ends = np.array([planning._interval(square, 1.0 / 64, 7) for square in squares])
    inside = (ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)
    assert inside.mean() == pytest.approx(0.9, abs=0.025)


def test_shared_test_cases_are_a_part_that_more_training_sets_do_not_lessen():
    line = {"sd_instances": 0.3, "sd_cases": 2.0, "sd_residual": 1.0}
    few, many = (planning.detectable(line, count, 16) for count in (8, 80_000))
    assert few == pytest.approx(
        assess.detectable_difference((0.09 + 8 * 4.0 / 16) ** 0.5, 1.0, 8, 16)
    )
    assert many == pytest.approx(
        (1.959964 + 0.841621) * (4.0 / 16) ** 0.5, rel=1e-3
    )  # z points: 2.5 % and 20 %
    assert planning.detectable(line, 1, 16) is None
    assert (
        planning.detectable({"sd_instances": None, "sd_cases": None, "sd_residual": 0.0}, 8, 16)
        is None
    )


def test_no_components_where_there_is_no_comparison(toy_study, toy_losses):
    with pytest.raises(FaultyInput, match="no such line"):
        planning.components(toy_study.compared, "mlp-mc-3", "mlp-mc-1", TASK)
    twins = pl.concat(
        [toy_losses("kin-8nm-sim/dist", {name: 1.0}, sizes=(128,)) for name in ("a", "b")]
    )
    with pytest.raises(FaultyInput, match="do not vary"):
        planning.components(assess.comparisons(twins), "a", "b", TASK)
    assert planning.visible(assess.comparisons(twins), "a", "b").is_empty()
    assert planning.surface([], [0.1], [8], [64]).is_empty()


def test_a_surface_is_the_power_of_every_design(toy_study):
    item = planning.components(toy_study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    table = planning.surface([item], [0.01, 0.1], [2, 8], [64, 512])
    assert table.height == 8
    for line in table.iter_rows(named=True):
        assert line["power"] == pytest.approx(
            item.power(line["share"], line["instances"], line["cases"])
        )
        assert (
            line["most"] * (128 + line["cases"])
            <= planning.POOL
            < (line["most"] + 1) * (128 + line["cases"])
        )


def test_the_pool_is_used_as_well_as_can_be(toy_study):
    item = planning.components(toy_study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    best = planning.pool(item, 0.02)
    assert (
        best["instances"] * (128 + best["cases"])
        <= planning.POOL
        < best["instances"] * (129 + best["cases"])
    )
    rivals = {
        count: item.power(0.02, count, planning.POOL // count - 128) for count in range(2, 64)
    }
    assert best["power"] == pytest.approx(max(rivals.values()))
    assert best["eight"] == pytest.approx(rivals[8])
    good = [count for count, power in rivals.items() if power >= 0.95 * best["power"]]
    assert (best["least"], best["most"]) == (good[0], good[-1])


def test_what_the_design_could_see(toy_study):
    table = planning.visible(
        toy_study.compared.filter(pl.col("task").str.contains("-sim/")), "mlp-bgd-2", "mlp-bgd-1"
    )
    assert table.height == 30
    assert table["found"].to_list() == pytest.approx([-0.3] * 30, abs=0.08)
    assert (table["visible"] > 0).all()
