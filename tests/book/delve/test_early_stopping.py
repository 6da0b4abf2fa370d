"""Where networks were stopped: the charts, the records, and watching, which changes nothing."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import methods, tasks
from benchbook.methods.networks.early_stopping import BatchDescent, train_ensemble
from benchbook.methods.networks.relevance import train_dynamic, train_members
from benchbook.seeds import generator

LAST = 20_000
CHOSEN = pl.DataFrame(
    {
        "method": ["a"] * 8 + ["b"] * 4,
        "dataset": ["kin"] * 6 + ["bank"] * 2 + ["kin"] * 4,
        "size": [64, 64, 64, 64, 128, 128, 64, 64, 64, 64, 64, 64],
        "iteration": [1, 10, 11, LAST, LAST, LAST - 500, 0, 100, 5, 5, 5, 1000],
    }
)
CURVES = pl.DataFrame(
    {
        "network": [1, 1, 1, 2, 2, 2],
        "iteration": [1, 5, 10] * 2,
        "validation": [1.0, 0.4, 0.6, 1.1, 0.9, 0.7],
        "test": [1.0, 0.5, 0.55, 1.0, 0.8, 0.75],
    }
)
BEST = CURVES.filter(
    ((pl.col("network") == 1) & (pl.col("iteration") == 5))
    | ((pl.col("network") == 2) & (pl.col("iteration") == 10))
)


def test_drawn(page):
    page.selected_iterations(CHOSEN, LAST)
    page.selected_iterations(CHOSEN, LAST, methods=["b"])
    page.validation_curves(CURVES, BEST, 0.5)


SHORT = replace(BatchDescent(), saves=(1, 5, 20, 60, 150))


def record(
    method="mlp-bgd-1",
    task="kin-8nm-sim/dist/std.64",
    instance=0,
    status="ok",
    cost="",
    chosen=None,
):
    return {
        "method": method,
        "task": task,
        "instance": instance,
        "status": status,
        "cost": json.dumps({"selected_iterations": chosen}) if chosen is not None else cost,
    }


@pytest.fixture(scope="module")
def instance():
    return tasks.instance("kin-8nm-sim/dist/std.64", 0)


def test_selections_name_every_network_and_leave_out_what_tells_nothing(page):
    records = pl.DataFrame(
        [
            record(chosen=[1, 20_000]),
            record(instance=1, chosen=[0]),
            record(status="failed", chosen=[5]),
            record("lin-1", cost=""),
            record("mlp-mc-3", cost='{"draws": 3}'),
            record("mlp-bgd-3", "bank-32nm-sim/rej/std.1024", 3, chosen=[7]),
        ]
    )
    result = page.selections(records)
    assert result.select(
        "method", "family", "dataset", "size", "instance", "network", "iteration"
    ).rows() == [
        ("mlp-bgd-1", "kin", "kin-8nm-sim", 64, 0, 1, 1),
        ("mlp-bgd-1", "kin", "kin-8nm-sim", 64, 0, 2, 20_000),
        ("mlp-bgd-1", "kin", "kin-8nm-sim", 64, 1, 1, 0),
        ("mlp-bgd-3", "bank", "bank-32nm-sim", 1024, 3, 1, 7),
    ]
    assert page.selections(records.clear()).columns == result.columns


def test_watching_chooses_what_the_method_chooses(page, instance):
    ensemble = train_ensemble(
        instance.train_inputs, instance.train_targets, SHORT, generator(1, "watch")
    )
    seen = page.watch(instance, generator(1, "watch"), SHORT)
    assert seen.chosen["iteration"].to_list() == [net.iteration for net in ensemble]
    unit = instance.encoding.target.scale**2 / tasks.standard(instance.task, "S")
    np.testing.assert_allclose(
        seen.chosen["validation"], [net.error * unit for net in ensemble], rtol=1e-9
    )


def test_watching_relevance_chooses_what_that_method_chooses(page, instance):
    members = train_members(
        instance.train_inputs, instance.train_targets, SHORT, generator(1, "two"), train_dynamic
    )
    seen = page.watch(instance, generator(1, "two"), SHORT, relevance=True)
    assert seen.chosen["iteration"].to_list() == [member.network.iteration for member in members]
    plain = page.watch(instance, generator(1, "two"), SHORT)
    assert not np.allclose(plain.curves["test"], seen.curves["test"])


def test_the_ensemble_has_the_loss_of_the_method(page, instance):
    answer, _ = methods.answer(methods.get("mlp-bgd-1"), instance, generator(1, "whole"))
    loss = tasks.Scorer(instance.task, 0).losses(instance.decode(answer), ["S"])["S"].mean()
    seen = page.watch(instance, generator(1, "whole"))
    assert seen.ensemble == pytest.approx(loss / tasks.standard(instance.task, "S"), rel=1e-6)
    assert seen.ensemble <= seen.chosen["test"].mean()


def test_every_iteration_saved_is_there_and_the_choice_is_the_least(page, instance):
    seen = page.watch(instance, generator(1, "least"), SHORT)
    assert seen.curves.group_by("network").len()["len"].to_list() == [len(SHORT.saves)] * 4
    least = (
        seen.curves.group_by("network")
        .agg(pl.col("validation").min())
        .sort("network")["validation"]
    )
    assert seen.chosen["validation"].to_list() == least.to_list()


def test_networks_are_counted_from_one(page, instance):
    result = page.watch(instance, generator(1, "count"), SHORT)
    assert sorted(set(result.curves["network"])) == list(range(1, SHORT.networks + 1))
