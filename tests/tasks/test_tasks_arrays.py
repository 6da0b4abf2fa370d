"""The task arrays: eight datasets, forty tasks and 288 task instances each, as on DELVE's page."""

import re

import pytest

from benchbook import datasets, tasks
from benchbook.errors import FaultyInput

FAMILIES = {"kin": "dist", "pumadyn": "accel", "bank": "rej"}
each = pytest.mark.parametrize("family", FAMILIES)


def test_the_arrays_are_those_of_the_three_families():
    assert list(tasks.arrays()) == list(FAMILIES)


@each
def test_an_array_has_40_tasks_and_288_instances(family):
    names = tasks.arrays()[family]
    assert len(names) == len(set(names)) == 40
    assert sum(tasks.get(name).instances for name in names) == 288


@each
def test_an_array_crosses_inputs_linearity_noise_and_size(family):
    pattern = rf"{family}-(8|32)([fn])([mh])-sim/{FAMILIES[family]}/std\.(64|128|256|512|1024)"
    names_found = {re.fullmatch(pattern, name).groups() for name in tasks.arrays()[family]}
    assert len(names_found) == 2 * 2 * 2 * 5


@each
def test_only_the_largest_training_sets_have_four_instances(family):
    for name in tasks.arrays()[family]:
        assert tasks.get(name).instances == (4 if name.endswith("1024") else 8)


@each
def test_a_task_has_the_inputs_and_cases_that_its_name_says(family):
    for name in tasks.arrays()[family]:
        dataset, _, size = name.split("/")
        card = datasets.card(dataset)
        assert card.shape.cases == 8192
        assert card.shape.attributes - 1 == int(re.search(r"\d+", dataset)[0])
        assert int(size.split(".")[1]) in (64, 128, 256, 512, 1024)


def test_instances_of_an_array_are_made_of_its_data():
    task = tasks.get("pumadyn-32fh-sim/accel/std.64")
    instance = task.instance(7)
    assert instance.train_inputs.shape == (64, 32)
    assert instance.test_inputs.shape == (512, 32)
    assert set(instance.case_ids).isdisjoint(task.instance(6).case_ids)


def test_a_name_says_its_place():
    result = tasks.place("pumadyn-32nm-sim/accel/std.512")
    assert (result.family, result.inputs) == ("pumadyn", 32)
    assert (result.linearity, result.noise) == ("highly non-linear", "moderate")
    assert tasks.place("kin-8fh") == tasks.ArrayPlace(8, False, True, "kin")
    with pytest.raises(FaultyInput, match="as kin-8nm"):
        tasks.place("boston/price/std.64")


@each
def test_tasks_stand_in_the_order_of_their_places(family):
    names = tasks.arrays()[family]
    assert list(names) == sorted(names, key=lambda name: (tasks.place(name), tasks.get(name).size))
