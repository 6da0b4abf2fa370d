"""The design of every archived task, and its losses through ``assess.by_design``."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook import assess, datasets, studies, tasks
from benchbook.assess.designs import Design, folds_design
from benchbook.errors import FaultyInput
from benchbook.studies import task_verdicts
from benchbook.studies.task_verdicts import design_of, groups_of

PATHS = sorted({tasks.get(name).prototask.path for name in tasks.available()})


@pytest.mark.parametrize("path", PATHS)
def test_the_design_of_every_task_agrees_with_its_instances(path):
    for name in (item for item in tasks.available() if item.startswith(path + "/")):
        task = tasks.get(name)
        design = design_of(task)
        design.require(design.statistic)
        expected = {"folds": ("folds", "groups", "time")}.get(task.design, (task.design,))
        assert design.kind in expected
        if design.kind in ("folds", "groups", "time"):
            assert design.k == task.instances - 1
            assert design.test_to_train == pytest.approx(1 / (design.k - 1))
        if design.kind in ("splits", "disjoint", "common"):
            assert design.k == task.instances


def test_the_number_of_groups_bounds_the_degrees_of_freedom():
    name = "forest-scene-sim/cv/grouped-8"
    task, design = tasks.get(name), design_of(tasks.get(name))
    groups = groups_of(task)[task.places]
    assert design.kind == "groups"
    assert design.groups == len(np.unique(groups))
    assert design.df == min(7, design.groups - 1)
    assert groups_of(tasks.get("forest-scene-sim/cv/random-8")) is None


def test_archived_folds_give_the_loss_of_held_out_cases():
    name = "concrete/cv/random-10"
    if not datasets.at_hand("concrete"):
        pytest.skip("the roles of these cases are known only with the data")
    frame = studies.gather(name, ["boosting-1", "forest-1", "lin-1"])
    result = assess.by_design(frame, design_of(tasks.get(name)))
    means = dict(result.table.select("method", "mean").rows())
    assert means["boosting-1"] == pytest.approx(17.26, abs=0.005)
    assert result.table["method"][0] == "boosting-1"
    assert result.pair("S", "forest-1", "boosting-1")["df"] == 9
    with pytest.raises(FaultyInput, match="'full', 'held_out', 'training'"):
        assess.by_design(studies.gather(name, "lin-1", role=None), design_of(tasks.get(name)))


def test_archived_disjoint_sets_give_delves_numbers():
    name = "kin-8nm-sim/dist/std.64"
    frame = studies.gather(name, ["lin-1", "knn-cv-1"])
    result = assess.by_design(frame, design_of(tasks.get(name)))
    expected = assess.comparisons(frame).filter(method="knn-cv-1", other="lin-1").to_dicts()[0]
    row = result.pair("S", "knn-cv-1", "lin-1")
    assert (row["difference"], row["p"]) == (expected["difference"], expected["p"])
    with pytest.raises(FaultyInput, match="the design that was given: folds"):
        assess.by_design(frame, assess.folds_design(1000, 10))
    both = pl.concat([frame, studies.gather("kin-8nm-sim/dist/std.128", "lin-1")])
    with pytest.raises(FaultyInput, match="one task at a time"):
        assess.by_design(both, design_of(tasks.get(name)))


def test_the_numbers_of_a_design_are_those_of_the_cards(monkeypatch):
    """500 of 1000 cases are used, in five folds; a partition has 60 training cases and 30 test cases."""
    card = SimpleNamespace(shape=SimpleNamespace(cases=1000), partition=(60, 20, 30))
    monkeypatch.setattr(task_verdicts.datasets, "card", lambda name: card)

    def task(kind, **fields):
        made = object.__new__(kind)
        made.__dict__.update({"prototask": SimpleNamespace(dataset="d", part=(100, 600)), **fields})
        return made

    folds = [
        task(tasks.FoldsTask, scheme=name) for name in ("blocks-5-2", "stratified-5", "random-5")
    ]
    blocks, stratified, random = map(task_verdicts.design_of, folds)
    assert (blocks.kind, blocks.k, blocks.train_size, blocks.overlap) == (
        "time",
        5,
        400.0,
        task_verdicts._BLOCKS,
    )
    assert blocks.test_to_train == 0.25
    assert stratified == folds_design(500, 5, stratified=True) != random == folds_design(500, 5)
    partition = task_verdicts.design_of(task(tasks.PartitionTask))
    assert partition == Design("partitions", 3, 1, 60, 0.5)
