"""Partitions as tasks: what a run sees, what it does not, and what its digest says."""

import pickle

import numpy as np
import pytest
from refusals import refused

from benchbook import assess, datasets, tasks
from benchbook.archive import frames
from benchbook.errors import BenchbookError, FaultyInput, MissingData, UnknownName
from benchbook.methods import proben1
from benchbook.predictive import Categorical, Outputs, Point
from benchbook.seeds import generator

NAME = "sklearn-wine1/partition/a"


def test_names_and_patterns():
    assert len(tasks.available("proben1-*/partition/a")) == 45
    assert tasks.available("sklearn-wine1") == tuple(
        f"sklearn-wine1/partition/{order}" for order in "abcdef"
    )
    assert tasks.available("sklearn-*[13]/partition") == tuple(
        f"sklearn-{problem}{number}/partition/{order}"
        for problem in ("cancer", "diabetes", "digits", "iris", "wine")
        for number in (1, 3)
        for order in "abcdef"
    )
    with pytest.raises(UnknownName):
        tasks.get("sklearn-wine1/partition/g")
    task = tasks.get(NAME)
    assert (task.name, task.size, task.instances, task.prototask.path, task.prototask.kind) == (
        NAME,
        89,
        60,
        "sklearn-wine1/partition",
        "outputs",
    )
    refused(BenchbookError, "no order 'g'", tasks.PartitionTask, task.prototask, 89, order="g")


def test_a_run_sees_everything_but_the_test_targets():
    instance, whole = tasks.instance(NAME, 7), tasks.partition(NAME)
    assert (instance.name, instance.kind, len(instance.classes)) == (f"{NAME}#7", "outputs", 3)
    assert np.array_equal(instance.train_inputs, whole.training.inputs)
    assert np.array_equal(instance.train_targets, whole.training.targets)
    assert np.array_equal(instance.validation_inputs, whole.validation.inputs)
    assert np.array_equal(instance.validation_targets, whole.validation.targets)
    assert np.array_equal(instance.test_inputs, whole.test.inputs)
    assert instance.partition.sealed
    assert instance.partition.name == "sklearn-wine1"
    assert instance.partition.classification
    held_out = [value for value in vars(instance).values() if isinstance(value, np.ndarray)]
    assert not any(
        value.shape == whole.test.targets.shape and np.array_equal(value, whole.test.targets)
        for value in held_out
    )


def test_cases_are_positions_in_the_file():
    instance = tasks.instance("sklearn-wine1/partition/d", 0)
    file = datasets.load("sklearn-wine1").cases.to_numpy()
    assert np.array_equal(file[instance.case_ids, :13], instance.test_inputs)
    assert instance.case_ids[0] == 45


def test_all_runs_ask_the_same_and_other_orders_something_else():
    digests = {tasks.instance(NAME, number).digest for number in (0, 1, 59)}
    assert len(digests) == 1
    others = {
        tasks.instance(name, 0).digest for name in tasks.available("sklearn-wine[12]/partition")
    }
    assert len(others) == 12
    assert digests < others


def test_the_arrays_are_locked_and_an_instance_can_be_sent():
    instance = tasks.instance(NAME, 0)
    with pytest.raises(ValueError, match="read-only"):
        instance.validation_targets[0] = 0.0
    again = pickle.loads(pickle.dumps(instance))
    assert np.array_equal(again.validation_inputs, instance.validation_inputs)
    assert (again.name, again.digest) == (instance.name, instance.digest)


@pytest.mark.parametrize("number", [-1, 60])
def test_there_are_sixty_runs(number):
    refused(BenchbookError, "numbered 0 to 59", tasks.instance, NAME, number)
    refused(BenchbookError, "numbered 0 to 59", tasks.Scorer, NAME, number)


def test_losses_are_those_of_the_network_that_was_trained():
    whole = tasks.partition(NAME)
    run = proben1.train(
        whole, proben1.Topology.parse("4l", 13, 3), proben1.PIVOT_RUNS, generator(1, "scored")
    )
    value = proben1.plain.outputs(run.topology, run.weights, whole.test.inputs)
    scorer = tasks.Scorer(NAME, 3)
    result = scorer.losses(tasks.instance(NAME, 3).decode(Outputs(value)))
    assert list(result) == ["E", "W"]
    assert scorer.summary(result) == pytest.approx(
        {"test_error": run.test_error, "test_wrong": run.test_wrong}
    )
    assert len(result["E"]) == 44


def test_approximations_have_no_wrong_class():
    scorer = tasks.Scorer("sklearn-diabetes1/partition/a", 0)
    result = scorer.losses(Outputs(np.zeros((110, 1))))
    assert list(result) == ["E"]
    assert list(scorer.summary(result)) == ["test_error"]
    assert (
        tasks.Scorer("sklearn-diabetes1/partition/a", 0).losses(Outputs(np.zeros((110, 1))), ["W"])
        == {}
    )


@pytest.mark.parametrize(
    ("prediction", "said"),
    [
        (Point(np.zeros(44)), "need a number for each"),
        (Outputs(np.zeros((44, 2))), "found 2; 3, as the targets"),
        (Outputs(np.zeros((43, 3))), "each of the 44 test cases"),
        (Categorical(np.full((44, 3), 1 / 3)), "need a number for each"),
    ],
)
def test_other_predictions_are_refused(prediction, said):
    refused(FaultyInput, said, tasks.instance(NAME, 0).decode, prediction)


def test_losses_for_other_targets_are_refused():
    with pytest.raises(BenchbookError, match="has a outputs target; use E, W"):
        tasks.Scorer(NAME, 0).losses(Outputs(np.zeros((44, 3))), ["S"])


def test_the_description_says_what_is_what():
    facts = tasks.get("sklearn-diabetes2/partition/f").describe()
    assert (facts["problem"], facts["partition"]) == ("approximation", "sklearn-diabetes2f")
    assert facts["order_in_the_file"] == "test, training, validation"
    assert (facts["training_cases"], facts["validation_cases"], facts["test_cases"]) == (
        221,
        111,
        110,
    )
    with pytest.raises(BenchbookError, match=r"tasks\.partition"):
        _ = tasks.get(NAME).cases


def test_roles_are_those_of_the_order():
    frame = tasks.assignment("sklearn-wine1/partition/e")
    assert frame["role"].to_list() == ["test"] * 44 + ["validation"] * 45 + ["train"] * 89
    assert tasks.all_test_targets(NAME).shape == (44, 3)


def test_without_data_it_can_be_listed_but_not_made(monkeypatch):
    monkeypatch.setattr(datasets, "at_hand", lambda name: False)
    assert "digest" not in tasks.get("proben1-card3/partition/b").describe()
    with pytest.raises(MissingData):
        tasks.instance("proben1-card3/partition/b", 0)


def test_statistics_of_training_sets_refuse_runs_of_one():
    """One digest for several instances: DELVE's analysis would take 60 seeds for 60 training sets."""
    targets = tasks.partition(NAME).test.targets
    blocks = [
        frames.Block(
            method,
            NAME,
            number,
            tasks.instance(NAME, number).digest,
            "E",
            np.arange(44),
            generator(number, method).random(44),
        )
        for method in ("one", "other")
        for number in range(3)
    ]
    assert len(targets) == 44
    with pytest.raises(
        FaultyInput, match=r"(?s)runs on the same cases.*3 instances, 1 different digest"
    ):
        assess.expected_losses(frames.long_frame(blocks))
    assert len(assess.expected_losses(frames.long_frame(blocks[::3]))) == 2
