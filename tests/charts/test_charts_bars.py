"""Error bars are as long as the words beside them say: the numbers that are drawn, by hand."""

import polars as pl
import pytest

from benchbook import assess, charts
from benchbook.charts import curves, differences, reproduced, tiers
from benchbook.charts.worlds import coverage_chart


def rows(chart):
    """All lines of data of a chart that have a bar, as (middle, lower end, upper end)."""
    results = []

    def search(node):
        if isinstance(node, dict):
            for line in node.get("values", []) if isinstance(node.get("values"), list) else []:
                if isinstance(line, dict):
                    results.append(line)
            for child in node.values():
                search(child)
        elif isinstance(node, list):
            for child in node:
                search(child)

    search(charts.specification(chart))
    return [
        {
            **line,
            "low": line.get("_low", line.get("low")),
            "high": line.get("_high", line.get("high")),
        }
        for line in results
        if ("_low" in line or "low" in line)
    ]


TIERS = pl.DataFrame(
    {
        "method": ["a", "b"],
        "training_cases": [64, 64],
        "seconds": [1.0, 10.0],
        "mean": [0.5, 0.25],
        "standard_error": [0.125, 0.0625],
        "tier": [2, 1],
    }
)


@pytest.mark.parametrize("draw", [tiers.tier_curves, tiers.cost_of_loss])
def test_tiers_have_two_standard_errors(draw):
    ends = {line["method"]: (line["low"], line["high"]) for line in rows(draw(TIERS))}
    assert ends == {"a": (0.25, 0.75), "b": (0.125, 0.375)}


def test_coverages_of_worlds_have_two_standard_errors():
    table = pl.DataFrame(
        {
            "world": ["a", "a"],
            "procedure": ["p", "q"],
            "interval": ["i", "i"],
            "coverage": [0.75, 0.875],
            "standard_error": [0.0625, 0.03125],
        }
    )
    ends = {
        line["procedure"]: (line["low"], line["high"]) for line in rows(coverage_chart(table, 0.9))
    }
    assert ends == {"p": (0.625, 0.875), "q": (0.8125, 0.9375)}


def test_printed_means_have_two_standard_errors_and_a_ring_beyond_two():
    table = pl.DataFrame(
        {
            "kind": ["k"] * 3,
            "choice": ["c"] * 3,
            "dataset": ["x", "y", "z"],
            "printed": [2.0, 4.0, 1.0],
            "ours": [2.25, 4.0, 1.0625],
            "standard_error": [0.0625, 0.125, 0.0625],
            "apart": [-2.1, 2.0, -2.0],
        }
    )
    lines = {line["dataset"]: line for line in rows(reproduced.ours_against_theirs(table))}
    assert {name: (line["low"], line["high"]) for name, line in lines.items()} == {
        "x": (0.125 - 0.0625, 0.125 + 0.0625),
        "y": (-0.0625, 0.0625),
        "z": (0.0625 - 0.125, 0.0625 + 0.125),
    }
    assert {name: line["far"] for name, line in lines.items()} == {
        "x": True,
        "y": False,
        "z": False,
    }


@pytest.mark.parametrize("standardised", [True, False])
def test_losses_against_training_cases_have_one_standard_error(toy, standardised):
    expected = assess.expected_losses(toy.losses(3), standard=lambda task, code: 2.0)
    prefix = "standardised_" if standardised else ""
    result = rows(curves.learning_curve(expected, standardised=standardised))
    assert len({(line["method"], line["size"]) for line in result}) == expected.height
    for line in result:
        own = expected.filter(method=line["method"], task=f"toy/t/std.{line['size']}")
        mean, error = (own[f"{prefix}{name}"].item() for name in ("mean", "standard_error"))
        assert line["high"] - line["value"] == pytest.approx(error, rel=1e-5)
        assert line["value"] - line["low"] == pytest.approx(error, rel=1e-5)
        assert line["value"] == pytest.approx(mean, rel=1e-5)


def test_panels_of_an_array_have_one_standard_error(toy, chapter):
    task_array = chapter("delve/task_array_chart")
    names = [f"kin-8{linear}{noise}-sim/dist/std" for linear in "fn" for noise in "mh"]
    frame = pl.concat([toy.losses(2, family=name, seed=k) for k, name in enumerate(names)])
    expected = assess.expected_losses(frame, standard=lambda task, code: 4.0)
    results = [line for line in rows(task_array.task_array(expected)) if line["kind"] == "loss"]
    assert len(results) == expected.height
    for line in results:
        assert line["high"] - line["value"] == pytest.approx(line["standard_error"], rel=1e-5)
        assert line["value"] - line["low"] == pytest.approx(line["standard_error"], rel=1e-5)


def test_a_difference_has_its_own_standard_error_and_not_that_of_a_mean(toy):
    means, tests = (
        make(toy.losses(2))
        for make in (assess.instance_means, lambda frame: assess.assessment(frame)[1])
    )
    first, second = tests.select("method", "other").row(0)
    chart = differences.paired_differences(means, tests, first, second)
    results = {line["task"]: line for line in rows(chart) if line["kind"] == "mean"}
    assert len(results) == 2
    for line in results.values():
        own = tests.filter(task=line["task"], method=first, other=second)
        assert line["difference"] == pytest.approx(own["difference"].item(), rel=1e-5)
        assert line["high"] - line["difference"] == pytest.approx(
            own["standard_error"].item(), rel=1e-5
        )
        assert line["difference"] - line["low"] == pytest.approx(
            own["standard_error"].item(), rel=1e-5
        )
        single = assess.expected_losses(toy.losses(2)).filter(task=line["task"], method=first)
        assert own["standard_error"].item() != pytest.approx(
            single["standard_error"].item(), rel=1e-2
        )
