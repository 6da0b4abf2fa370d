"""Charts of the challenge's five tasks: what they hold, what they say, and that the browser has no remarks."""

import numpy as np
import polars as pl
import pytest
import vl_convert

from benchbook import charts
from benchbook.challenge.recreated import recreated
from benchbook.errors import FaultyInput

ENTRIES = pl.DataFrame(
    {
        "task": ["gaze"] * 3 + ["stereopsis"] * 2,
        "method": list("abcde"),
        "author": list("ABCDE"),
        "ranked": [5.2, -3.9, 6.0, -2.0, 209.4],
        "share": [0.9, 5.7, 0.4, 0.95, -28.0],
        "kind": ["late", "with spikes", "in time", "in time", "in time"],
    }
)
POINTS = pl.DataFrame(
    {
        "case": [1, 2, 3],
        "depth": [947.0, 959.1, 970.6],
        "plane": [1, 2, 3],
        "rest": [-0.1, 0.2, -0.05],
        "across": [-50.0, 10.0, 80.0],
        "seen": [947.2, 958.8, 970.9],
    }
)
LAWS = pl.DataFrame(
    {
        "case": [7] * 3 + [9] * 3,
        "pixel": [100, 101, 102] * 2,
        "chance": [0.25, 0.5, 0.25, 0.3, 0.4, 0.3],
        "target": [101.0] * 3 + [500.0] * 3,
    }
)
READ = pl.DataFrame(
    {
        "case": [1, 2, 3],
        "target": [100.0, 200.0, 300.0],
        "expected": [110.0, 190.0, 500.0],
        "sd": [30.0, 30.0, 140.0],
        "likely": ["fine", "fine", "lost"],
    }
)
CLUMPS = pl.DataFrame(
    {
        "panel": ["one"] * 3 + ["two"] * 3,
        "x": np.arange(6.0),
        "y": np.arange(6.0),
        "cluster": ["cluster 1", "cluster 2", "others"] * 2,
    }
)
INSIDE = pl.DataFrame(
    {
        "cluster": ["cluster 1"] * 3 + ["cluster 2"] * 3,
        "along": [-1.0, 0.0, 1.0] * 2,
        "target": [0.0, 1.0, 0.5, 0.01, 0.0, 0.02],
        "expected": [0.2, 0.6, 0.4, 0.0, 0.0, 0.0],
    }
)
SIGNALS = pl.DataFrame(
    {"whose": ["inputs"] * 3 + ["shuffled classes"] * 3, "z": [-4.2, 0.1, 3.0, 0.2, -0.6, 0.9]}
)
COUNTS = pl.DataFrame(
    {
        "low": [0.0, 0.5] * 2,
        "high": [0.5, 1.0] * 2,
        "target": ["-1", "-1", "+1", "+1"],
        "cases": [9, 1, 2, 8],
    }
)
GROUPS = pl.DataFrame(
    {
        "group": [1, 2],
        "cases": [50, 50],
        "chance": [0.04, 0.3],
        "positives": [2, 14],
        "share": [0.04, 0.28],
    }
)
DEPTHS = [947.0, 959.0, 971.0]
DRAWN = {
    "tasks/known_shares": ((ENTRIES,), "of 3 for gaze the best below 1 is at 0.9, and 1 above 1"),
    "task_stereopsis/rig_from_above": ((POINTS, DEPTHS, 300, 100), "3 pointers on them"),
    "task_stereopsis/depth_planes": (
        (POINTS, DEPTHS),
        "no two rays meet more than 0.3 mm from the pointer",
    ),
    "task_gaze/pixel_laws": (
        (LAWS, {7: "plain", 9: "odd"}),
        "plain: 101 plus or minus 0.707, target 101",
    ),
    "task_gaze/expected_and_target": (
        (READ, ("fine", "lost")),
        "fine: 2 cases, on average 10 pixels off",
    ),
    "task_outaouais/clumps": (
        (CLUMPS,),
        "one and two, for 3 cases; the cases of 2 frequent clusters",
    ),
    "task_outaouais/inside_cluster": ((INSIDE,), "cluster 1 0.3 and cluster 2 0.01"),
    "task_classes/single_inputs": ((SIGNALS,), "largest distance 4.2"),
    "task_classes/chances_by_class": (
        (COUNTS,),
        "of 10 cases of class +1 8 have a probability above one half",
    ),
    "task_classes/share_by_chance": (
        (GROUPS, 0.16),
        "4.0% in the first, 28.0% in the last, where the law gives 30.0%",
    ),
}


@pytest.fixture
def draw(chapter):
    """The chart of that name, drawn; of other arguments when there are any."""

    def drawn(name, *arguments):
        page, function = name.split("/")
        return getattr(chapter(f"uncertainty/{page}"), function)(*(arguments or DRAWN[name][0]))

    return drawn


@pytest.mark.parametrize("name", DRAWN)
def test_charts_say_what_is_in_them_without_remarks(name, draw):
    spec = charts.specification(draw(name))
    assert DRAWN[name][1] in spec["description"]
    if spec.get("width") == "container":
        spec["width"] = 400
    compiled = vl_convert.vegalite_to_vega(spec, vl_version="6.4", show_warnings=True)
    assert compiled["marks"]


def test_entries_beyond_the_scale_stand_at_its_edge(draw):
    values = charts.specification(draw("tasks/known_shares"))["layer"][2]["data"]["values"]
    far = {line["method"]: (line["at"], line["beyond"]) for line in values if line["beyond"]}
    assert far == {"b": (1.3, "5.7 →"), "e": (-0.3, "← -28")}


def test_the_menu_begins_with_the_cluster_of_least_noise(draw):
    (menu,) = charts.specification(draw("task_outaouais/inside_cluster"))["params"]
    assert menu["value"] == "cluster 2"
    assert menu["bind"]["options"] == ["cluster 1", "cluster 2"]


def test_the_slider_goes_through_the_planes(draw):
    twice = pl.concat([POINTS, POINTS.with_columns(rest=pl.col("rest") + 0.1 * pl.col("plane"))])
    spec = charts.specification(draw("task_stereopsis/inside_planes", twice))
    assert {param["name"]: param["bind"]["max"] for param in spec["params"]} == {"plane": 3}
    assert "within a plane the standard deviation is 0.0707 to 0.212 mm" in spec["description"]


def test_tables_without_their_columns_are_refused(draw):
    for name, arguments in (
        ("tasks/known_shares", (ENTRIES.drop("share"),)),
        ("task_stereopsis/depth_planes", (POINTS.drop("seen"), [1.0])),
        ("task_classes/single_inputs", (SIGNALS.drop("z"),)),
    ):
        with pytest.raises(FaultyInput, match="is needed"):
            draw(name, *arguments)


def test_a_plane_is_the_nearest_and_cases_stand_beside_theirs(chapter):
    page = chapter("uncertainty/task_stereopsis")
    depths = page.plane_depths()
    assert page.nearest_plane(depths + 0.4).tolist() == list(range(10))
    points = page.planes()
    assert (points["rest"].abs() < 1).all()
    assert points["depth"].to_list() == pytest.approx(
        (points["rest"] + depths[points["plane"] - 1]).to_list()
    )


def test_the_laws_of_cases_sum_to_one_and_name_their_fate(chapter):
    page = chapter("uncertainty/task_gaze")
    cases, named = page.read_off(), page.examples()
    sums = (
        page.laws(list(named))
        .group_by("case", maintain_order=True)
        .agg(pl.col("chance").sum() * 4)["chance"]
    )
    np.testing.assert_allclose(sums, 1, atol=0.02)
    lost, fine = cases.filter(likely="markers lost"), cases.filter(likely="nothing lost")
    assert lost["sd"].mean() > 2 * fine["sd"].mean()


@pytest.mark.parametrize(("name", "low", "high"), [("catalysis", 4, 6), ("gatineau", 0.95, 1.2)])
def test_single_inputs_against_shuffled_classes(name, low, high, chapter):
    result = chapter("uncertainty/task_classes").signals(name)
    deviations = dict(result.group_by("whose").agg(pl.col("z").std()).rows())
    assert low < deviations["inputs"] < high
    assert deviations["shuffled classes"] == pytest.approx(1, abs=0.1)
    if name == "gatineau":
        assert deviations["inputs that matter"] > 2


def test_a_recreation_knows_the_print():
    gaze = recreated("gaze")
    assert gaze.printed_baseline == 6.91
    assert gaze.mean_loss(gaze.law) == pytest.approx(5.003, abs=1e-3)
    assert gaze.printed().filter(~pl.col("exploit"))["method"][0] == "LOOHKRR"


def test_examples_are_what_they_are_called(chapter):
    page = chapter("uncertainty/task_gaze")
    chance = page.gaze.fates(recreated("gaze").inputs)
    numbers = {words: number for number, words in page.examples().items()}
    cases = page.read_off()
    assert chance[numbers["pupils that point elsewhere"] - 1, 1] == chance[:, 1].max()
    lost = cases.filter(likely=page.FATES[2])["case"]
    assert numbers["markers far from all others"] == lost.min()
    fine = cases.filter(likely=page.FATES[0])
    sd = fine.filter(case=numbers["an ordinary case"])["sd"].item()
    assert (fine["sd"] < sd).mean() == pytest.approx(0.5, abs=0.01)


def test_an_input_that_never_changes_is_no_different_between_classes(chapter):
    inputs = np.array([[1.0, 3.0], [2.0, 3.0], [4.0, 3.0], [5.0, 3.0]])
    result = chapter("uncertainty/task_classes")._differences(inputs, np.array([0, 0, 1, 1]))
    assert result[1] == 0.0
    assert result[0] == pytest.approx(3.0 / inputs[:, 0].std(ddof=1))
