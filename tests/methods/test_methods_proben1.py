"""PROBEN1's networks and today's learners on partitions."""

import dataclasses
import json
import threading
from collections import Counter

import numpy as np
import pytest

from benchbook import methods, studies, tasks
from benchbook.datasets.printed import pivots
from benchbook.datasets.proben1 import OutputCode
from benchbook.methods import proben1
from benchbook.methods.answers import MethodFailed
from benchbook.methods.proben1 import least_squares as proben1_exact
from benchbook.methods.proben1.networks import (
    OTHER_PIVOT,
    SEARCHED,
    SEARCHED_RUNS,
    pivot_notation,
    searched_notation,
)
from benchbook.seeds import generator

WINE = "sklearn-wine1/partition/a"
MODERN = (
    "proben1-least-squares",
    "proben1-forest",
    "proben1-boosting",
    "proben1-logistic",
    "proben1-sklearn-mlp",
)


def asked(name, task=WINE, number=0):
    return methods.answer(
        methods.get(name), tasks.instance(task, number), generator(1, name, task, number)
    )


def test_the_search_trains_every_architecture():
    found = Counter(searched_notation(run) for run in range(SEARCHED_RUNS))
    assert found == {
        hidden + letter: 2 if letter == "l" else 1 for hidden in SEARCHED for letter in "ls"
    }
    assert [asked("proben1-search", number=run)[1]["topology"] for run in (0, 19, 31)] == [
        "2l",
        "4+2l",
        "4+2s",
    ]


def test_pivots_are_those_of_the_table_whatever_the_order():
    for dataset, topology in pivots().items():
        assert pivot_notation(dataset) == pivot_notation(f"{dataset}c") == topology
    assert pivot_notation("sklearn-digits3f") == "16+8l"
    assert pivot_notation("mine") == OTHER_PIVOT


def test_a_method_does_what_training_by_hand_does():
    prediction, cost = asked("proben1-noshort")
    whole = tasks.partition(WINE)
    run = proben1.train(
        whole,
        proben1.Topology.parse("4l", 13, 3, shortcuts=False),
        proben1.PIVOT_RUNS,
        generator(1, "proben1-noshort", WINE, 0),
    )
    assert np.array_equal(
        prediction.value, proben1.plain.outputs(run.topology, run.weights, whole.test.inputs)
    )
    said = run.describe()
    different = {"cpu_seconds", "partition", "test_error", "test_wrong"}
    assert {key: value for key, value in cost.items() if key != "cpu_seconds"} == {
        key: value for key, value in said.items() if key not in different
    }


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("proben1-linear", proben1.RESULT_RUNS),
        ("proben1-pivot-text", proben1.RESULT_RUNS),
        ("proben1-search", proben1.SEARCH_RUNS),
        ("proben1-search-tables", proben1.SEARCH_TABLES_RUNS),
    ],
)
def test_every_experiment_has_its_recipe_and_network(name, recipe):
    _, cost = asked(name)
    notation = {
        "proben1-linear": "0l",
        "proben1-pivot-text": "4l",
        "proben1-search": "2l",
        "proben1-search-tables": "2l",
    }[name]
    topology = proben1.Topology.parse(notation, 13, 3)
    run = proben1.train(tasks.partition(WINE), topology, recipe, generator(1, name, WINE, 0))
    assert (cost["validation_error"], cost["total_epochs"]) == (
        run.validation_error,
        run.total_epochs,
    )


def test_the_record_names_a_class_that_nobody_trains_on():
    whole = tasks.instance(WINE, 0)
    kept = whole.train_targets[:, 2] == 0
    small = dataclasses.replace(
        whole,
        train_inputs=whole.train_inputs[kept],
        train_targets=whole.train_targets[kept],
        digest="",
    )
    linear = methods.get("proben1-linear")
    assert methods.answer(linear, small, generator(1, "absent"))[1]["absent_classes"] == [2]
    assert "absent_classes" not in methods.answer(linear, whole, generator(1, "absent"))[1]


def test_what_is_prepared_once_changes_nothing():
    """Alone, after other architectures on other cases, and in another thread, a run is the same."""
    first = asked("proben1-pivot")[0]
    for name, task in (
        ("proben1-linear", WINE),
        ("proben1-pivot", "sklearn-iris1/partition/b"),
        ("proben1-pivot", "sklearn-wine1/partition/c"),
    ):
        asked(name, task)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(asked("proben1-pivot")[0])) for _ in range(2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [first, first]
    assert asked("proben1-pivot")[0] == first


def test_approximations_say_nothing_of_classes():
    _, cost = asked("proben1-linear", "sklearn-diabetes1/partition/a")
    assert "validation_wrong" not in cost
    assert json.loads(json.dumps(cost, allow_nan=False)) == cost


def test_a_run_that_is_no_number_fails_with_its_reason():
    instance = tasks.instance(WINE, 0)
    broken = dataclasses.replace(instance, train_targets=1e200 * instance.train_targets, digest="")
    with pytest.raises(MethodFailed, match="the training error is inf"):
        methods.answer(methods.get("proben1-linear"), broken, generator(1))


def test_other_tasks_have_no_validation_cases():
    result = studies.run_one(studies.RunKey("proben1-linear", "kin-8nm-sim/dist/std.64", 0), 1, "s")
    assert result.record["status"] == "failed"
    assert "predicts outputs targets only" in result.record["error"]


@pytest.mark.parametrize("name", MODERN)
@pytest.mark.parametrize("task", [WINE, "sklearn-diabetes1/partition/a"])
def test_learners_beat_the_best_constant(name, task):
    instance, targets = tasks.instance(task, 0), tasks.partition(task).test.targets
    prediction, cost = asked(name, task)
    constant = np.mean((instance.train_targets.mean(axis=0) - targets) ** 2)
    assert np.mean((prediction.value - targets) ** 2) < 0.8 * constant
    assert cost["cpu_seconds"] >= 0.0
    if instance.classes and name != "proben1-least-squares":
        assert np.allclose(prediction.value.sum(axis=1), 1.0)


def test_least_squares_is_exact():
    instance = tasks.instance("sklearn-diabetes1/partition/a", 0)
    weights = proben1_exact.least_squares.predict(instance, generator(1))[0].value
    design = np.column_stack([np.ones(len(instance.train_inputs)), instance.train_inputs])
    normal = np.linalg.solve(design.T @ design, design.T @ instance.train_targets)
    queries = np.column_stack([np.ones(len(instance.test_inputs)), instance.test_inputs])
    assert np.allclose(weights, queries @ normal, atol=1e-9)
    cost = asked("proben1-least-squares", "sklearn-diabetes1/partition/a")[1]
    network = asked("proben1-linear", "sklearn-diabetes1/partition/a")[1]
    assert cost["rank"] == 11
    assert cost["training_error"] < network["training_error"]


@pytest.mark.parametrize("name", [name for name in MODERN if name != "proben1-least-squares"])
def test_a_class_without_cases_gets_no_probability(name):
    """Three classes, of which training and validation cases have two."""
    instance = tasks.instance("sklearn-iris1/partition/a", 0)
    seen, held = instance.train_targets[:, 2] == 0, instance.validation_targets[:, 2] == 0
    two = dataclasses.replace(
        instance,
        train_inputs=instance.train_inputs[seen],
        train_targets=instance.train_targets[seen],
        validation_inputs=instance.validation_inputs[held],
        validation_targets=instance.validation_targets[held],
    )
    value = methods.answer(methods.get(name), two, generator(1))[0].value
    assert value.shape == (37, 3)
    assert value[:, 2].max() < 0.2


def test_published_least_squares_is_the_printed_linear_network(real_data):
    real_data("proben1-cancer1")
    scorer = tasks.Scorer("proben1-cancer1/partition/a", 0)
    prediction, _ = asked("proben1-least-squares", "proben1-cancer1/partition/a")
    assert scorer.summary(scorer.losses(prediction))["test_error"] == pytest.approx(3.52, abs=0.005)


@pytest.mark.parametrize(
    ("name", "outputs"), [("proben1-pivot-fewer", 1), ("proben1-pivot-narrow", 2)]
)
def test_classes_taught_otherwise_are_answered_as_1_of_m(name, outputs):
    task = "sklearn-cancer1/partition/a"
    prediction, cost = asked(name, task)
    whole, code = (
        tasks.partition(task),
        OutputCode(outputs == 1, *methods.get(name).settings.taught),
    )
    assert cost["topology"] == "4+2l"
    assert "validation_wrong" not in cost
    assert prediction.value.shape == whole.test.targets.shape
    taught = dataclasses.replace(
        whole,
        classification=False,
        **{
            part: proben1.Portion(
                getattr(whole, part).inputs, code.encode(getattr(whole, part).targets)
            )
            for part in ("training", "validation", "test")
        },
    )
    run = proben1.train(
        taught,
        proben1.Topology.parse("4+2l", taught.inputs, outputs),
        dataclasses.replace(proben1.PIVOT_RUNS, output_range=code.high - code.low),
        generator(1, name, task, 0),
    )
    plain = proben1.plain.outputs(run.topology, run.weights, whole.test.inputs)
    np.testing.assert_allclose(prediction.value, code.decode(plain), atol=1e-12)
    assert proben1.wrong_percentage(prediction.value, whole.test.targets) < 10
    if outputs == 1:
        np.testing.assert_allclose(prediction.value.sum(axis=1), 1)


def test_no_output_is_left_out_of_an_approximation():
    with pytest.raises(MethodFailed, match="has no classes"):
        asked("proben1-pivot-fewer", "sklearn-diabetes1/partition/a")
    assert asked("proben1-pivot-narrow", "sklearn-diabetes1/partition/a")[0].value.shape[1] == 1
