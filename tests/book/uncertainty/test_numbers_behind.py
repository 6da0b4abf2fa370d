"""Charts of the challenge's tasks: the numbers that are drawn and said, by hand."""

import polars as pl

from benchbook.charts import specification


def rows(chart):
    """The longest table of a chart."""
    results = []

    def search(node):
        if isinstance(node, dict):
            values = node.get("values")
            if isinstance(values, list) and values and isinstance(values[0], dict):
                results.append(values)
            for child in node.values():
                search(child)
        elif isinstance(node, list):
            for child in node:
                search(child)

    search(specification(chart))
    return max(results, key=len)


def test_the_gain_of_a_committee_is_over_the_mean_of_its_members(chapter):
    losses = pl.DataFrame(
        {
            "task": ["a"] * 4 + ["b"] * 2,
            "size": [1, 1, 2, 3, 1, 2],
            "first": [0, 1, 0, 0, 0, 0],
            "value": [2.0, 3.0, 2.25, 1.5, 8.0, 7.0],
        }
    )
    chart = chapter("uncertainty/results").growing_committee(losses)
    assert [row["gain"] for row in rows(chart)] == [0.5, -0.5, 0.25, 1.0, 0.0, 1.0]
    assert "a: members alone from 2 to 3, all together 1.5; b: members alone" in chart.description


def test_what_is_beyond_the_edge_stands_there_and_keeps_its_number(chapter):
    shares = pl.DataFrame(
        {
            "task": ["a"] * 3,
            "method": ["x", "y", "z"],
            "averaged": ["", "bags", ""],
            "share": [5.5, 0.25, -4.0],
        }
    )
    chart = chapter("uncertainty/results").knowable(shares)
    assert [(row["label"], row["drawn"], row["share"]) for row in rows(chart)] == [
        ("x", 1.12, 5.5),
        ("y (bags)", 0.25, 0.25),
        ("z", -0.6, -4.0),
    ]
    assert "a: x 550%, y (bags) 25%, z -400%" in chart.description


def test_entries_beyond_the_scale_have_an_arrow(chapter):
    entries = pl.DataFrame(
        {
            "task": ["a"] * 4,
            "method": list("wxyz"),
            "author": list("WXYZ"),
            "ranked": [1.0, 2.0, 3.0, 4.0],
            "share": [1.25, 1.3125, -0.25, -7.6],
            "kind": ["k"] * 4,
        }
    )
    results = {
        row["method"]: (row["at"], row["beyond"])
        for row in rows(chapter("uncertainty/tasks").known_shares(entries))
    }
    description = chapter("uncertainty/tasks").known_shares(entries).description
    assert "of 4 for a the best below 1 is at -0.25, and 2 above 1" in description
    assert results == {
        "w": (1.25, ""),
        "x": (1.3, "1.3 →"),
        "y": (-0.25, ""),
        "z": (-0.3, "← -8"),
    }


def test_inputs_are_counted_in_bins_of_their_difference(chapter):
    signals = pl.DataFrame({"whose": ["p"] * 4 + ["q"] * 2, "z": [-1.2, -0.1, 0.3, 0.4, 0.9, 0.6]})
    result = rows(chapter("uncertainty/task_classes").single_inputs(signals, 0.5))
    counts = {(row["whose"], row["z"]): row["inputs"] for row in result}
    assert {at: counts["p", at] for at in (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0)} == {
        -1.5: 1,
        -1.0: 0,
        -0.5: 1,
        0.0: 2,
        0.5: 0,
        1.0: 0,
    }
    assert counts["q", 0.5] == 2
    assert sum(counts[key] for key in counts if key[0] == "p") == 4


def test_cases_above_one_half_are_counted(chapter):
    counts = pl.DataFrame(
        {
            "low": [0.0, 0.5, 0.75] * 2,
            "high": [0.5, 0.75, 1.0] * 2,
            "target": ["-1"] * 3 + ["+1"] * 3,
            "cases": [9, 3, 1, 2, 4, 8],
        }
    )
    description = chapter("uncertainty/task_classes").chances_by_class(counts).description
    assert "of 13 cases of class -1 4 have a probability above one half" in description
    assert "of 14 cases of class +1 12 have a probability above one half" in description


def test_mean_and_standard_deviation_of_pixels_are_those_of_the_law(chapter):
    """A mean of 102 and a variance of (3 . 4 + 1 . 36) / 4 = 12; chances need not sum to 1."""
    laws = pl.DataFrame(
        {
            "case": [7, 7],
            "pixel": [100, 108],
            "chance": [0.375, 0.125],
            "target": [104.0, 104.0],
        }
    )
    description = chapter("uncertainty/task_gaze").pixel_laws(laws, {7: "fine"}).description
    assert "fine: 102 plus or minus 3.46, target 104" in description
