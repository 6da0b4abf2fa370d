"""Runs on the real problems against the report's tables: what agrees, and which choices the tables rule out."""

import dataclasses

import pytest

from benchbook import datasets
from benchbook.assess.proben1 import standard_errors_apart, summarise
from benchbook.datasets.printed import table
from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    RESULT_RUNS,
    Partition,
    Rprop,
    Topology,
    train_many,
)
from benchbook.seeds import generator

QUANTITIES = ("training_error", "validation_error", "test_error", "total_epochs", "relevant_epochs")

# Tables 3 and 4 (linear networks, means and standard deviations of 10 runs), in the order of QUANTITIES.
LINEAR = {
    "cancer1": ((4.25, 0.00), (2.91, 0.01), (3.52, 0.04), (129, 13), (104, 31)),
    "diabetes1": ((15.39, 0.01), (16.30, 0.04), (17.22, 0.06), (209, 50), (203, 47)),
    "glass1": ((8.83, 0.01), (9.70, 0.04), (9.98, 0.10), (129, 13), (23, 5)),
    "flare1": ((0.37, 0.00), (0.34, 0.01), (0.52, 0.01), (41, 5), (12, 4)),
}
# Tables 7 and 8 (pivot architectures, of 60 runs).
PIVOT = {
    "glass1": ("16+8l", (7.68, 0.79), (9.48, 0.24), (9.75, 0.41), (67, 44), (45, 39)),
    "horse1": ("16+8l", (9.91, 1.06), (16.52, 0.67), (13.95, 0.60), (28, 5), (20, 4)),
    "heart1": ("32+0l", (9.25, 1.07), (13.22, 1.32), (14.33, 1.26), (65, 16), (43, 12)),
}


def partition_of(problem):
    data = datasets.load(f"proben1-{problem}")
    values, outputs = data.cases.to_numpy(), len(data.card.targets)
    return Partition.cut(
        problem,
        values[:, :-outputs],
        values[:, -outputs:],
        data.card.partition,
        classification=not problem.startswith(("building", "flare", "hearta")),
    )


def apart(problem, notation, recipe, printed, printed_runs, runs=10):
    """Standard errors between our means and the printed ones, by quantity."""
    partition = partition_of(problem)
    topology = Topology.parse(notation, partition.inputs, partition.outputs)
    found = summarise(
        train_many(partition, topology, recipe, [generator(1, problem, run) for run in range(runs)])
    )
    ours = {line["quantity"]: line for line in found.iter_rows(named=True)}
    return {
        quantity: standard_errors_apart(
            ours[quantity]["mean"],
            ours[quantity]["sd"],
            runs,
            mean,
            sd,
            printed_runs,
            1.0 if quantity.endswith("epochs") else 0.01,
        )
        for quantity, (mean, sd) in zip(QUANTITIES, printed, strict=True)
    }


@pytest.mark.parametrize("problem", LINEAR)
def test_linear_networks_are_the_printed_ones(real_data, problem):
    real_data(f"proben1-{problem}")
    found = apart(problem, "0l", RESULT_RUNS, LINEAR[problem], 10)
    assert all(abs(value) < 3.0 for value in found.values()), found


@pytest.mark.parametrize("problem", PIVOT)
def test_pivot_networks_are_the_printed_ones(real_data, problem):
    real_data(f"proben1-{problem}")
    notation, *printed = PIVOT[problem]
    found = apart(problem, notation, PIVOT_RUNS, printed, 60, runs=20)
    assert all(abs(value) < 3.0 for value in found.values()), found


@pytest.mark.parametrize("variant", ["irprop+", "irprop-"])
def test_the_printed_epochs_rule_the_improved_variants_out(real_data, variant):
    real_data("proben1-diabetes1")
    recipe = dataclasses.replace(RESULT_RUNS, rprop=Rprop(variant))
    assert apart("diabetes1", "0l", recipe, LINEAR["diabetes1"], 10)["total_epochs"] < -3.0


@pytest.mark.slow  # seven minutes
@pytest.mark.timeout(3600)
def test_of_two_variants_the_one_of_this_book_agrees_more_often_with_tables_3_and_4(real_data):
    """Forty runs of linear networks on each of the 42: what the chapter on Rprop says of them."""
    lines = [
        line
        for number in (3, 4)
        for line in table(number).iter_rows(named=True)
        if line["total_epochs_sd"] is not None
    ]
    assert len(lines) == 42
    for line in lines:
        real_data(f"proben1-{line['dataset']}")
    close = {variant: dict.fromkeys(QUANTITIES[:4], 0) for variant in ("rprop-", "rprop+")}
    for variant, agreeing in close.items():
        recipe = dataclasses.replace(RESULT_RUNS, rprop=Rprop(variant))
        for line in lines:
            printed = [
                (line[f"{quantity}_mean"], line[f"{quantity}_sd"]) for quantity in QUANTITIES
            ]
            found = apart(line["dataset"], "0l", recipe, printed, 10, runs=40)
            for quantity in agreeing:
                agreeing[quantity] += abs(found[quantity]) <= 2.0
    assert all(
        close["rprop-"][quantity] > close["rprop+"][quantity] for quantity in QUANTITIES[:4]
    ), close


def test_the_tables_of_the_pivot_networks_rule_the_constants_of_the_linear_ones_out(real_data):
    real_data("proben1-horse1")
    notation, *printed = PIVOT["horse1"]
    found = apart("horse1", notation, RESULT_RUNS, printed, 60)
    assert found["relevant_epochs"] < -5.0
    assert found["test_error"] < -5.0
