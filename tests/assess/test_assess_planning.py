"""From archived comparisons to plans: variance components, power, and what a design can see."""

import json

import numpy as np
import polars as pl
import pytest

from benchbook import assess
from benchbook.assess import planning
from benchbook.errors import FaultyInput
from benchbook.show import neal
from benchbook.studies import RECORD_SCHEMA

LEVELS = {"mlp-bgd-1": 1.0, "mlp-bgd-2": 0.7, "mlp-mc-3": 0.69, "mlp-mc-4": 0.72, "lin-1": 2.0}


def losses(prototask, levels, sizes=neal.SIZES, instances=8, cases=4, spread=0.05, seed=0):
    rng = np.random.default_rng([seed, len(prototask)])
    frames = []
    for size in sizes:
        luck = 0.1 * rng.normal(size=(instances, 1))
        for name, level in levels.items():
            value = level * (1 + luck + spread * rng.normal(size=(instances, cases)))
            frames.append(pl.DataFrame({
                "method": name, "task": f"{prototask}/std.{size}", "instance": np.repeat(np.arange(instances), cases),
                "case": np.arange(instances * cases), "loss": "S", "value": value.ravel(),
                "digest": np.repeat([f"{size}#{number}" for number in range(instances)], cases)}))
    return pl.concat(frames)


def records(prototasks, methods, **told):
    rows = [{**dict.fromkeys(RECORD_SCHEMA, ""), "method": method, "task": f"{name}/std.{size}", "instance": 0,
             "status": "ok", "seconds": size / 64, "cost": json.dumps(told), "cpu": "a processor", "seed": 1}
            for name in prototasks for method in methods for size in neal.SIZES]
    return pl.DataFrame(rows, schema=RECORD_SCHEMA)


@pytest.fixture(scope="module")
def study():
    names = [*neal.PROTOTASKS, *neal.PUBLISHED.values()]
    frame = pl.concat([losses(name, LEVELS, seed=place) for place, name in enumerate(names)])
    told = {"gradient_passes": 60_000, "selected_iterations": [1, 500]}
    return neal.Study(*assess.assessment(frame, "hierarchical"), assess.instance_means(frame, "hierarchical"),
                      records(neal.PROTOTASKS, LEVELS, **told), ())


# -- plans ------------------------------------------------------------------------------------------------------------

TASK = "kin-8nm-sim/dist/std.128"


def test_components_are_those_of_the_comparison(study):
    one = planning.components(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    line = study.compared.filter(task=TASK, method="mlp-mc-3", other="mlp-mc-4").row(0, named=True)
    assert (one.sd_instances, one.sd_residual, one.base) == (
        line["sd_instances"], line["sd_residual"], line["other_mean"])
    assert one.low <= one.sd_instances <= one.high
    assert (one.instances, one.cases) == (8, 4)
    assert one.power(one.detectable(), 8, 4) == pytest.approx(0.8)
    assert one.power(0.0, 8, 4) == pytest.approx(0.05)
    assert one.detectable(32) < one.detectable() < one.detectable(8, 2)


def test_the_interval_covers_the_truth_nine_times_of_ten():
    rng = np.random.default_rng(5)
    squares = assess.simulate_losses(rng, 8, 64, 0.5, 0.0, 1.0, replications=2000).mean(axis=2).var(axis=1, ddof=1)
    ends = np.array([planning._interval(square, 1.0 / 64, 7) for square in squares])
    inside = (ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)
    assert inside.mean() == pytest.approx(0.9, abs=0.025)


def test_no_components_where_there_is_no_comparison(study):
    with pytest.raises(FaultyInput, match="no such line"):
        planning.components(study.compared, "mlp-mc-3", "mlp-mc-1", TASK)
    twins = pl.concat([losses("kin-8nm-sim/dist", {name: 1.0}, sizes=(128,)) for name in ("a", "b")])
    with pytest.raises(FaultyInput, match="do not vary"):
        planning.components(assess.comparisons(twins), "a", "b", TASK)
    assert planning.visible(assess.comparisons(twins), "a", "b").is_empty()
    assert planning.surface([], [0.1], [8], [64]).is_empty()


def test_a_surface_is_the_power_of_every_design(study):
    one = planning.components(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    table = planning.surface([one], [0.01, 0.1], [2, 8], [64, 512])
    assert table.height == 8
    for line in table.iter_rows(named=True):
        assert line["power"] == pytest.approx(one.power(line["share"], line["instances"], line["cases"]))
        assert line["most"] * (128 + line["cases"]) <= planning.POOL < (line["most"] + 1) * (128 + line["cases"])


def test_the_pool_is_used_as_well_as_can_be(study):
    one = planning.components(study.compared, "mlp-mc-3", "mlp-mc-4", TASK)
    best = planning.pool(one, 0.02)
    assert best["instances"] * (128 + best["cases"]) <= planning.POOL < best["instances"] * (129 + best["cases"])
    rivals = {count: one.power(0.02, count, planning.POOL // count - 128) for count in range(2, 64)}
    assert best["power"] == pytest.approx(max(rivals.values()))
    assert best["eight"] == pytest.approx(rivals[8])
    good = [count for count, power in rivals.items() if power >= 0.95 * best["power"]]
    assert (best["least"], best["most"]) == (good[0], good[-1])


def test_what_the_design_could_see(study):
    table = planning.visible(study.compared.filter(pl.col("task").str.contains("-sim/")), "mlp-bgd-2", "mlp-bgd-1")
    assert table.height == 30
    assert table["found"].to_list() == pytest.approx([-0.3] * 30, abs=0.08)
    assert (table["visible"] > 0).all()
