"""The step of the archived early-stopping networks is stable: the estimation error hardly rises after it was found."""

import json

import polars as pl
import pytest

from benchbook import studies

METHODS = ("mlp-bgd-1", "mlp-bgd-2", "mlp-bgd-2b", "mlp-bgd-3")
SHARE = 0.01
"""The share of passes in which the estimation error may rise."""


def unstable(costs):
    """The diagnostics, of so many JSON texts, of runs that bounced, diverged, or have no record of their steps."""
    found = []
    for text in costs:
        cost = json.loads(text)
        passes = zip(cost.get("rises", [1]), cost.get("iterations", [1]), strict=False)
        if (
            "steps" not in cost
            or cost["diverged"]
            or any(rises > SHARE * iterations for rises, iterations in passes)
        ):
            found.append(cost)
    return found


@pytest.fixture(scope="module")
def records():
    return (
        studies.Archive(studies.archive_path()).records(methods=list(METHODS)).filter(status="ok")
    )


def test_no_archived_run_bounces_or_diverges(records):
    assert set(records["method"]) == set(METHODS)
    assert unstable(records["cost"]) == []


def test_networks_of_32_inputs_had_to_halve_their_step_and_do_not_overflow(records):
    names = ("kin-32fm-sim/", "kin-32fh-sim/")
    runs = records.filter(pl.any_horizontal(pl.col("task").str.starts_with(name) for name in names))
    assert runs.height == 2 * 4 * 36
    assert max(step for text in runs["cost"] for step in json.loads(text)["steps"]) < 0.4
    losses = studies.Archive(studies.archive_path()).losses(
        prototask="kin-32fm-sim/dist", methods=["mlp-bgd-1"]
    )
    assert losses["value"].is_finite().all()


def test_the_first_network_alone_is_the_first_of_the_four(records):
    runs = ["task", "instance", "seed"]
    alone, four = (
        records.filter(method=name).select(*runs, "cost") for name in ("mlp-bgd-2b", "mlp-bgd-2")
    )
    both = alone.join(four, on=runs, suffix="_four")
    assert both.height == alone.height > 900
    for text, of_four in both.select("cost", "cost_four").iter_rows():
        network, networks = json.loads(text), json.loads(of_four)
        for fact in ("steps", "selected_iterations", "validation_errors"):
            assert network[fact] == networks[fact][:1]


@pytest.mark.parametrize(
    ("change", "bad"),
    [
        ({}, False),
        ({"rises": [0, 10]}, False),
        ({"rises": [0, 11]}, True),
        ({"diverged": 1}, True),
        ({"steps": None}, True),
    ],
)
def test_what_bounces_is_found(change, bad):
    cost = {"steps": [0.4, 0.1], "rises": [0, 0], "iterations": [1000, 1000], "diverged": 0}
    cost |= change
    text = json.dumps({name: value for name, value in cost.items() if value is not None})
    assert bool(unstable([text])) == bad
