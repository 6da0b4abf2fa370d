"""Charts of tiers draw every method, say it in words, and refuse tables that lack what they need."""

import polars as pl
import pytest

from benchbook.charts.kit.output import specification
from benchbook.charts.tiers import cost_of_loss, tier_curves
from benchbook.errors import FaultyInput

FOUND = pl.DataFrame(
    [
        {
            "method": f"m-{m}",
            "training_cases": n,
            "mean": 0.1 * m + 8.0 / n,
            "standard_error": 0.01,
            "tier": m + 1,
            "seconds": 10.0 ** (m - 3),
        }
        for m in range(8)
        for n in (64, 256)
    ]
)


def test_curves_have_colours_for_the_best_and_grey_lines_for_the_rest():
    spec = specification(tier_curves(FOUND, most=3))
    assert "m-0 0.125 at 64, 0.031 at 256" in spec["description"]
    assert [
        layer["encoding"]["color"]["scale"]["domain"]
        for layer in spec["layer"]
        if "scale" in layer["encoding"].get("color", {})
    ] == [["m-0", "m-1", "m-2"]] * 3
    assert len(spec["layer"]) == 5


def test_a_method_that_is_asked_for_has_a_colour_though_it_is_not_among_the_best():
    spec = specification(tier_curves(FOUND, most=3, shown=["m-6"]))
    assert spec["layer"][-1]["encoding"]["color"]["scale"]["domain"] == ["m-0", "m-1", "m-6"]


def test_the_best_are_those_of_the_most_training_cases():
    crossing = pl.DataFrame(
        {
            "method": ["a", "b", "c"] * 2,
            "training_cases": [64] * 3 + [256] * 3,
            "mean": [0.1, 0.2, 0.3, 0.3, 0.1, 0.2],
            "standard_error": 0.01,
        }
    )
    spec = specification(tier_curves(crossing, most=2))
    assert spec["layer"][-1]["encoding"]["color"]["scale"]["domain"] == ["b", "c"]
    drawn = {row["method"]: row for row in spec["layer"][-1]["data"]["values"]}
    assert set(drawn) == {"b", "c"}


def test_costs_name_every_method_with_its_tier():
    spec = specification(cost_of_loss(FOUND.filter(training_cases=64)))
    assert "m-2: tier 3, 0.325 in 0.1 s" in spec["description"]
    with pytest.raises(FaultyInput, match="seconds"):
        cost_of_loss(FOUND.drop("seconds"))


def test_labels_of_costs_do_not_cover_each_other_and_stay_by_their_points():
    alike = FOUND.filter(training_cases=64).with_columns(
        mean=pl.Series([0.2, 0.2, 0.201, 0.6, 0.6, 0.6, 0.9, 0.4])
    )
    spec = specification(cost_of_loss(alike))
    rows = pl.DataFrame(spec["data"]["values"])
    assert rows["_label"].sort().to_list() == [f"m-{m} ({m + 1})" for m in range(8)]
    line = 15 / 340 * (0.9 - 0.2 + 4 * 0.01)
    for (left,), part in rows.group_by("_left"):
        assert part["_at"].sort().diff().min() > 0.999 * line, left
        assert (part["_at"] - part["mean"]).abs().max() < 1.001 * line
    assert rows.filter(method="m-6")["_at"].item() == pytest.approx(0.9)  # nothing is near it
