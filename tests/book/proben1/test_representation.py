"""The made-up world of the chapter on representations, its experiment, and the charts."""

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def nothing_at_hand(monkeypatch):
    """Only what scikit-learn brings along can be read."""
    monkeypatch.setattr(
        "benchbook.datasets.loading.at_hand", lambda name: name.startswith("sklearn-")
    )


def test_the_made_up_world_is_reproducible_and_silence_means_something(page):
    first, again = page.made_up(400), page.made_up(400)
    assert first.columns == again.columns
    silent = np.array([value is None for value in first.columns["income"]])
    repays = np.array([value == "yes" for value in first.columns["repays"]])
    assert silent[~repays].mean() > 2 * silent[repays].mean()
    plain = page.made_up(4000, meaning=False)
    silent = np.array([value is None for value in plain.columns["income"]])
    repays = np.array([value == "yes" for value in plain.columns["repays"]])
    assert abs(silent[~repays].mean() - silent[repays].mean()) < 0.06


def test_who_repays_in_the_made_up_world_follows_from_age_and_income(page):
    """Half do at 45 years and the middle income, by the logistic curve with the slopes of the docstring's law."""
    world = page.made_up(20_000, meaning=False)
    age = np.array(world.columns["age"])
    repays = np.array([value == "yes" for value in world.columns["repays"]])
    reported = np.array([value is not None for value in world.columns["income"]])
    income = np.array([value or 1.0 for value in world.columns["income"]], dtype=float)
    chance = 1 / (1 + np.exp(-(0.04 * (age - 45) + 1.2 * (np.log(income) - 3.3))))
    for part in (age < 30, (age > 40) & (age < 50), age > 60, income > 40):
        part = part & reported
        error = np.sqrt((chance * (1 - chance))[part].mean() / part.sum())
        assert repays[part].mean() == pytest.approx(chance[part].mean(), abs=4 * error + 0.002)


def test_cells_hold_the_codes_of_the_cases(page):
    item = page.made_up(50)
    frame = page.cells(item, [0, 1])
    assert frame.height == 2 * 9
    coded = item.representation.encode(item.columns, "made up").inputs
    np.testing.assert_array_equal(frame["value"].to_numpy().reshape(2, 9), coded[:2])


def test_the_experiment_codes_the_same_cases_and_counts_from_the_first_coding(page):
    item = page.made_up(120)
    errors = page.experiment([item], runs=1)
    assert dict(errors.select("coding", "inputs").unique().iter_rows()) == dict(
        zip(page.CODINGS, (9, 4, 8, 3), strict=True)
    )
    costs = page.costs(errors)
    assert set(costs["coding"]) == set(page.CODINGS[1:])
    line = costs.row(0, named=True)
    base = errors.filter(
        coding=page.CODINGS[0], network=line["network"], permutation=line["permutation"]
    )
    assert line["cost"] == pytest.approx(line["test_error"] / base["test_error"][0] - 1)


def test_problems_are_taken_only_when_originals_and_files_are_at_hand(page, nothing_at_hand):
    assert [world.name for world in page.worlds(("card", "horse"))] == [page.MADE_UP]


def test_permutations_are_counted_from_one_and_ages_are_of_one_decimal(page):
    item = page.made_up(60)
    ages = np.array(item.columns["age"])
    assert np.array_equal(ages, ages.round(1))
    assert not np.array_equal(ages, ages.round(0))
    result = page.experiment([item], runs=1, codings=[next(iter(page.CODINGS))])
    assert sorted(set(result["permutation"])) == list(range(1, len(item.orders) + 1))


CELLS = pl.DataFrame(
    {
        "case": ["one"] * 4 + ["two"] * 4,
        "attribute": ["size", "colour", "colour", "colour"] * 2,
        "raw": ["3", "red", "red", "red", "-2", "?", "?", "?"],
        "column": [0, 0, 1, 2] * 2,
        "value": [0.25, 1.0, 0.0, 0.0, -0.5, 0.0, 0.0, 1.0],
        "kind": ["continuous", "binary", "binary", "missing"] * 2,
    }
)
COSTS = pl.DataFrame(
    {
        "data": ["d"] * 4,
        "coding": ["c"] * 4,
        "network": ["linear", "linear", "deep", "deep"],
        "permutation": [1, 2, 1, 2],
        "cost": [0.1, 0.3, -0.2, 0.0],
    }
)


CURVES = pl.DataFrame(
    {
        "data": ["d", "d", "e", "e"],
        "rejected": [0.0, 0.5, 0.0, 0.25],
        "loss": [0.3, 0.1, 0.2, 0.0],
        "standard_error": [0.05, 0.2, 0.1, 0.0],
    }
)
RULES = pl.DataFrame(
    {"data": ["d", "e"], "rule": ["one", "two"], "rejected": [0.1, 0.2], "loss": [0.2, 0.1]}
)


def test_outputs_taught_otherwise_are_decoded_and_have_errors_alike(page):
    item = page.made_up(200)
    found = {name: page.answered(item, name, "linear outputs") for name in page.OUTPUTS}
    for outputs, targets in found.values():
        assert outputs.shape == targets.shape == (50, 2)
        np.testing.assert_array_equal(targets, found["1-of-m"][1])
    np.testing.assert_allclose(found["without the last"][0].sum(axis=1), 1)
    frame = page.taught([item], runs=1)
    assert frame.height == 3 * 2 * 3
    line = frame.row(0, named=True)
    outputs, targets = found["1-of-m"]
    assert line["test_error"] == pytest.approx(100 * ((outputs - targets) ** 2).mean())
    assert line["wrong"] == pytest.approx(100 * page.wrong(outputs, targets).mean())
    assert 0 < frame["wrong"].max() < 50


def test_the_largest_and_the_second_output(page):
    outputs = np.array([[0.2, 0.9, 0.5], [0.4, 0.1, 0.3]])
    assert page.second(outputs).tolist() == [0.5, 0.3]
    assert page.wrong(outputs, np.eye(3)[[1, 2]]).tolist() == [False, True]


def test_drawn(page):
    page.encoded_line(CELLS)
    page.rejection_chart(CURVES, RULES)
    page.coding_costs(COSTS)
