"""Every number of a good report, made wrong in four ways: refused, but where the number could be true."""

import copy
import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchbook.seeds import generator
from benchbook_book import form as checklist

HERE = Path(__file__).parent
FILES = {
    **{name: HERE / f"sound-{name}.toml" for name in ("1994", "network", "trees")},
    "book": HERE.parents[1] / "book" / "proben1" / "good-report.toml",
}
Place = tuple[str | int, ...]


def negative(number: float) -> float:
    return -number if number else -1


def hundredfold(number: float) -> float:
    return number * 100 if number else 100


def hundredth(number: float) -> float:
    return number // 100 if isinstance(number, int) else number / 100


def without_its_first_digit(number: float) -> float:
    """97 becomes 7, and 1.2 becomes 0.2."""
    return type(number)(
        math.copysign(abs(number) % 10.0 ** math.floor(math.log10(abs(number) or 1)), number)
    )


SLIPS = (negative, hundredfold, hundredth, without_its_first_digit)

# Numbers of which any other value of their kind could be true, and what one slip leaves of others; all else is refused.
FREE = re.compile(
    r"(initialisation\.range|error\.(output_range|threshold)|split\.(seed|repeats)|runs\.seeds)|"
    r"optimiser\.(eta|delta|learning_rate|beta|epsilon|weight_decay|schedule|updates)|model\.(dropout|learning_rate|"
    r"max_depth|l2|parameters|row_share|column_share|trees)|tuning\.settings_tried|"
    r"stopping\.(longest|every|patience|generalisation_loss|progress)|comparison\.0\.(n\.1|level|outliers_removed|p_below)|"
    r"results\.best_run\.test_error|results\.(cpu_seconds|total_epochs|relevant_epochs)|"
    r"results\.test_error\.(mean|sd|minimum|median)|comparison\.0\.(means|sds|sd_difference|statistic)|results\.test_wrong\.sd"
)


def numbers(node: Any, place: Place = ()) -> Iterator[tuple[Place, float]]:
    if isinstance(node, dict | list):
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from numbers(value, (*place, key))
    elif isinstance(node, int | float) and not isinstance(node, bool):
        yield place, node


def put(given: dict[str, Any], place: Place, value: float) -> dict[str, Any]:
    changed: Any = copy.deepcopy(given)
    table = changed
    for key in place[:-1]:
        table = table[key]
    table[place[-1]] = value
    return changed


def slips(file: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The place and the kind of every slip that changes a number of a good report, and the report with it."""
    given = tomllib.loads(FILES[file].read_text(encoding="utf8"))
    for index, number in numbers(given):
        for slip in SLIPS:
            if (wrong := slip(number)) != number:
                yield ".".join(map(str, index)), slip.__name__, put(given, index, wrong)


def refused(given: dict[str, Any]) -> set[str]:
    return {finding.key for finding in checklist.findings(given) if not finding.warning}


@pytest.mark.parametrize("file", FILES)
def test_every_slip_that_cannot_be_true_is_refused(file: str) -> None:
    passed = {slip for slip, _, given in slips(file) if not refused(given)}
    assert {index for index in passed if not FREE.match(index)} == set()


@pytest.mark.parametrize("file", FILES)
def test_no_number_may_have_another_sign_but_the_least_output(file: str) -> None:
    passed = {
        slip for slip, kind, given in slips(file) if kind == "negative" and not refused(given)
    }
    assert {index for index in passed if not index.startswith("model.parameters.")} <= {
        "error.output_range.0",
        "comparison.0.statistic",
        "runs.seeds.0",
    }


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"results.test_error.mean": -1.83}, "results.test_error.mean"),
        ({"results.relevant_epochs.mean": 9700}, "results.relevant_epochs.mean"),
        (
            {
                "results.relevant_epochs.mean": 152.5,
                "results.total_epochs.mean": 150,
                "results.total_epochs.sd": 40,
            },
            "results.relevant_epochs.mean",
        ),
        ({"results.relevant_epochs.maximum": 103}, "results.relevant_epochs.maximum"),
        ({"optimiser.eta_plus": 0.2}, "optimiser.eta_plus"),
        ({"optimiser.eta_minus": 1.0}, "optimiser.eta_minus"),
        ({"optimiser.delta_init": [0.1, 51.0]}, "optimiser.delta_init"),
        ({"optimiser.delta_min": 0.2}, "optimiser.delta_init"),
        ({"results.test_wrong.mean": 100.5}, "results.test_wrong.mean"),
        ({"results.test_wrong.sd": 4.4}, "results.test_wrong.sd"),
        ({"results.test_wrong.sd": 0.1}, "results.test_wrong.sd"),
        ({"results.test_error.sd": 15.0}, "results.test_error.sd"),
        ({"initialisation.range": [0.1, 0.1]}, "initialisation.range"),
        ({"stopping.every": 1001}, "stopping.every"),
        ({"results.best_run.test_wrong": 3.45}, "results.best_run.test_wrong"),
        ({"results.best_run.test_wrong": 1.3}, "results.best_run.test_wrong"),
    ],
)
def test_what_no_runs_can_have(changes: dict[str, Any], key: str) -> None:
    given = tomllib.loads(FILES["book"].read_text(encoding="utf8"))
    for name, value in changes.items():
        *path, last = name.split(".")
        table = given
        for part in path:
            table = table.setdefault(part, {})
        table[last] = value
    assert key in refused(given)


def test_a_squared_error_of_more_than_the_whole_range_is_doubted() -> None:
    given = tomllib.loads(FILES["book"].read_text(encoding="utf8"))
    given["results"]["test_error"] = {"mean": 183.0, "sd": 31.0}
    given.pop("comparison", None)
    assert [finding.key for finding in checklist.findings(given)] == ["results.test_error.mean"]


def test_statistics_of_any_runs_pass() -> None:
    """Five to sixty runs drawn at random, in epochs, per cents and errors: their own statistics are never refused."""
    rng = generator(1, "statistics of any runs")
    for _ in range(300):
        runs, cases = int(rng.integers(5, 60)), 174
        given = tomllib.loads(FILES["book"].read_text(encoding="utf8"))
        given["runs"] = {"made": runs, "seeds": "derived from 1", "excluded": 0}
        given.pop("comparison", None)
        strips = rng.integers(1, int(rng.integers(2, 198)), runs)
        wrong = 100.0 * rng.binomial(cases, rng.random(), runs) / cases
        values = {
            "test_error": rng.gamma(float(rng.choice([0.2, 2.0, 50.0])), 1.0, runs) + wrong / 4.0,
            "test_wrong": wrong,
            "relevant_epochs": 5.0 * strips,
            "total_epochs": 5.0 * (strips + rng.integers(0, 3, runs)),
        }
        digits = int(rng.integers(1, 7))
        given["results"] = {"split": "cancer1", "n": runs} | {
            name: summary(value, digits) for name, value in values.items()
        }
        assert not refused(given), checklist.findings(given)


def summary(values: np.ndarray, digits: int) -> dict[str, float]:
    exact = {
        "mean": values.mean(),
        "sd": values.std(ddof=1),
        "minimum": values.min(),
        "median": np.median(values),
        "maximum": values.max(),
    }
    return {name: round(float(value), digits) for name, value in exact.items()}
