"""One run: what it does, what it reports, and how it fails."""

import dataclasses
import pickle

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.methods.proben1 import (
    RESULT_RUNS,
    SEARCH_RUNS,
    VARIANTS,
    GeneralisationLoss,
    Partition,
    Portion,
    Recipe,
    Rprop,
    RunFailed,
    Strip,
    Topology,
    Up,
    first_met,
    generalisation_loss,
    plain,
    squared_error_percentage,
    train,
    train_many,
    wrong_percentage,
)
from benchbook.seeds import generator

SHORT = Recipe(Rprop(first=(0.05, 0.2), start=0.5), GeneralisationLoss(2.0), most_epochs=100)


def plain_run(partition, topology, recipe, rng):
    """The whole training with the plain twins: errors as percentages, and the best state by validation error."""
    weights, steps = recipe.rprop.begin(topology.connections, rng)
    memory, see, training, held, states = plain.Memory(steps), recipe.rule.watch(), [], [], []

    def percentage(portion):
        return squared_error_percentage(
            plain.outputs(topology, weights, portion.inputs), portion.targets
        )

    for epoch in range(1, recipe.most_epochs + 1):
        training.append(percentage(partition.training))
        error, slopes = plain.gradient(topology, weights, *partition.training)
        weights = plain.step(weights, slopes, error, memory, recipe.rprop)
        if epoch % recipe.strip == 0:
            held.append(percentage(partition.validation))
            states.append(weights.copy())
            if see(Strip(epoch, np.array(training[-recipe.strip :]), held[-1])):
                break
    return np.array(training), np.array(held), states[int(np.argmin(held))]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "topology", [Topology(2, (), 2), Topology(2, (3, 2), 2, True, True)], ids=str
)
def test_a_run_is_the_plain_training(small_partition, topology, variant):
    recipe = dataclasses.replace(SHORT, rprop=dataclasses.replace(SHORT.rprop, variant=variant))
    run = train(small_partition, topology, recipe, generator(1, variant))
    training, held, weights = plain_run(small_partition, topology, recipe, generator(1, variant))
    np.testing.assert_allclose(run.traces.training, training, rtol=1e-7)
    np.testing.assert_allclose(run.traces.validation, held, rtol=1e-7)
    np.testing.assert_allclose(run.weights, weights, rtol=1e-6, atol=1e-8)


def test_what_a_run_reports_is_true_of_its_weights_and_traces(small_partition):
    topology = Topology(2, (4,), 2)
    run = train(small_partition, topology, SHORT, generator(1, "report"))
    traces, (inputs, targets) = run.traces, small_partition.test
    found = plain.outputs(topology, run.weights, inputs)
    assert run.test_error == pytest.approx(100.0 * np.mean((found - targets) ** 2), rel=1e-10)
    assert run.test_wrong == pytest.approx(
        100.0 * np.mean((found[:, 0] > found[:, 1]) != (targets[:, 0] > 0.5))
    )
    assert (
        run.validation_error
        == traces.validation.min()
        == traces.validation[run.relevant_epochs // 5 - 1]
    )
    assert run.test_error == traces.test[run.relevant_epochs // 5 - 1]
    assert run.training_error == traces.training.min()
    assert run.overfit == generalisation_loss(traces.validation[-1], traces.validation.min())
    assert (
        run.total_epochs
        == len(traces.training)
        == traces.epochs[-1]
        == first_met(SHORT.rule, traces)
    )
    assert run.stopped_by == "GL_2"
    assert run.relevant_epochs < run.total_epochs
    assert run.describe()["topology"] == "4l"


def test_connection_traversals_by_hand(small_partition):
    """w = 6: 60 training cases forward and back and one update an epoch, 30 validation cases a strip."""
    run = train(
        small_partition,
        Topology(2, (), 2),
        dataclasses.replace(SHORT, rule=Up(99)),
        generator(1, "count"),
    )
    assert run.topology.connections == 6
    assert run.traversals == 6 * (100 * (60 + 60 + 1) + 20 * 30)
    assert run.stopped_by == "most epochs"
    assert run.cpu_seconds >= 0.0


def test_runs_depend_on_their_generator_alone(small_partition):
    topology = Topology(2, (3,), 2)
    together = train_many(
        small_partition, topology, SHORT, [generator(1, "run", number) for number in range(3)]
    )
    alone = [
        train(small_partition, topology, SHORT, generator(1, "run", number)) for number in range(3)
    ]
    for one, other in zip(together, alone, strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()
        assert one.traces.test.tobytes() == other.traces.test.tobytes()
    assert len({run.test_error for run in together}) == 3


def test_the_test_cases_change_nothing_but_the_test_error(small_partition):
    other = dataclasses.replace(
        small_partition, test=Portion(*(values[::-1][:7] for values in small_partition.test))
    )
    runs = [
        train(one, Topology(2, (3,), 2), SHORT, generator(1, "test"))
        for one in (small_partition, other)
    ]
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].test_error != runs[1].test_error


def test_a_linear_network_finds_the_least_squares_error(small_partition):
    inputs, targets = small_partition.training
    design = np.column_stack([np.ones(len(inputs)), inputs])
    fitted = design @ np.linalg.lstsq(design, targets, rcond=None)[0]
    run = train(
        small_partition,
        Topology(2, (), 2),
        dataclasses.replace(RESULT_RUNS, rule=Up(999), most_epochs=300),
        generator(1, "least"),
    )
    assert run.training_error == pytest.approx(squared_error_percentage(fitted, targets), rel=1e-9)


def test_both_error_measures_by_hand():
    outputs, targets = np.array([[0.5, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    assert squared_error_percentage(outputs, targets) == 100.0 * (0.25 + 0.0 + 1.0 + 0.0) / 4
    assert squared_error_percentage(outputs, targets, 0.8) == pytest.approx(25.0)
    assert (
        wrong_percentage(outputs, targets) == 50.0
    )  # the second case is a tie: the first output wins


def test_the_output_range_scales_all_errors(small_partition):
    recipes = [dataclasses.replace(SHORT, output_range=r) for r in (1.0, 0.5)]
    runs = [
        train(small_partition, Topology(2, (), 2), recipe, generator(1, "range"))
        for recipe in recipes
    ]
    assert runs[1].test_error == pytest.approx(0.5 * runs[0].test_error)
    np.testing.assert_allclose(runs[1].traces.training, 0.5 * runs[0].traces.training)


def test_approximation_has_no_share_of_wrong_cases(small_partition):
    partition = dataclasses.replace(small_partition, classification=False)
    run = train(partition, Topology(2, (), 2), SHORT, generator(1, "numbers"))
    assert np.isnan(run.test_wrong)


def test_an_error_that_overflows_ends_the_run_and_says_where(small_partition):
    inputs, targets = small_partition.training
    huge = dataclasses.replace(small_partition, training=Portion(inputs, 1e200 * targets))
    with pytest.raises(
        RunFailed,
        match="partition small, network 3l: the training error is inf in the strip that ends "
        "with epoch 5",
    ) as caught:
        train(huge, Topology(2, (3,), 2), SHORT, generator(1, "huge"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.partition, again.epoch, again.quantity) == ("small", 5, "training")


def test_a_validation_error_that_overflows_is_told_apart(small_partition):
    inputs, targets = small_partition.validation
    huge = dataclasses.replace(small_partition, validation=Portion(inputs, 1e200 * targets))
    with pytest.raises(RunFailed, match="the validation error is inf"):
        train(huge, Topology(2, (3,), 2), SHORT, generator(1, "huge"))


def test_a_class_without_training_cases_is_named_and_trained(small_partition):
    parts = zip(small_partition.training, small_partition.test, strict=True)
    inputs, targets = (np.concatenate(both) for both in parts)
    wider = np.column_stack([targets, np.zeros(len(targets))])
    wider[-1] = (0.0, 0.0, 1.0)
    partition = Partition.cut("absent", inputs, wider, (60, 15, 15), classification=True)
    assert partition.absent_classes == (2,)
    assert small_partition.absent_classes == ()
    assert np.isfinite(
        train(partition, Topology(2, (3,), 3), SHORT, generator(1, "absent")).test_wrong
    )


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda x, t: Partition.cut("p", x, t, (5, 3, 3), True),
            ("partition p", "10 inputs", "add up to 11"),
        ),
        (lambda x, t: Partition.cut("p", x, t, (6, 4, 0), True), ("test inputs", "at least one")),
        (
            lambda x, t: Partition.cut("p", np.where(x > 9, np.nan, x), t, (5, 3, 2), True),
            ("test inputs, case 2, column 1", "nan", "finite"),
        ),
        (
            lambda x, t: Partition(
                "p", Portion(x, t), Portion(x[:, :1], t), Portion(x, t[:3]), True
            ),
            ("validation inputs", "1 columns", "10 inputs and 3 targets"),
        ),
    ],
)
def test_partitions_that_are_none_are_refused(make, words):
    with pytest.raises(FaultyInput) as caught:
        make(np.arange(10.0)[:, None] + np.array([[0.5, 0.0]]), np.eye(2)[np.arange(10) % 2])
    assert all(word in str(caught.value) for word in words)


def test_a_network_of_other_sizes_is_refused(small_partition):
    with pytest.raises(FaultyInput, match=r"3 inputs and 2 outputs; partition small has 2 and 2"):
        train(small_partition, Topology(3, (), 2), SHORT, generator(1, "sizes"))


def test_the_search_recipe_trains_too(small_partition):
    recipe = dataclasses.replace(SEARCH_RUNS, most_epochs=500)
    run = train(small_partition, Topology(2, (2,), 2), recipe, generator(1, "search"))
    assert run.total_epochs % 5 == 0
    assert run.stopped_by in ("P < 0.1", "GL_5 and UP_8 and PQ_3", "most epochs")
