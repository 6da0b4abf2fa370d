"""Charts of the challenge's five tasks: what they hold, what they say, and that the browser has no remarks."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook_book.course.challenge.recreated import recreated

ENTRIES = pl.DataFrame(
    {
        "task": ["gaze"] * 4 + ["stereopsis"] * 3,
        "method": list("abcdefg"),
        "author": list("ABCDEFG"),
        "ranked": [5.2, -3.9, 6.0, 5.0, -2.0, 209.4, 1.0],
        "share": [0.9, 5.7, 1.25, 1.3125, 0.95, -28.0, -0.25],
        "kind": ["late", "with spikes", "in time", "late", "in time", "in time", "in time"],
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
    "tasks/known_shares": (ENTRIES,),
    "task_stereopsis/rig_from_above": (POINTS, DEPTHS, 300, 100),
    "task_stereopsis/depth_planes": (POINTS, DEPTHS),
    "task_stereopsis/inside_planes": (
        pl.concat([POINTS, POINTS.with_columns(rest=pl.col("rest") + 0.1 * pl.col("plane"))]),
    ),
    "task_gaze/pixel_laws": (LAWS, {7: "plain", 9: "odd"}),
    "task_gaze/expected_and_target": (READ, ("fine", "lost")),
    "task_outaouais/clumps": (CLUMPS,),
    "task_outaouais/inside_cluster": (INSIDE,),
    "task_classes/single_inputs": (SIGNALS,),
    "task_classes/chances_by_class": (COUNTS,),
    "task_classes/share_by_chance": (GROUPS, 0.16),
}


@pytest.mark.parametrize("name", DRAWN)
def test_drawn(name, chapter):
    page, function = name.split("/")
    getattr(chapter(f"uncertainty/{page}"), function)(*DRAWN[name])


def test_a_plane_is_the_nearest_and_cases_stand_beside_theirs(chapter):
    page = chapter("uncertainty/task_stereopsis")
    depths = page.plane_depths()
    assert page.nearest_plane(depths + 0.4).tolist() == list(range(10))
    points = page.planes()
    assert (points["rest"].abs() < 1).all()
    assert points["depth"].to_list() == pytest.approx(
        (points["rest"] + depths[points["plane"] - 1]).to_list()
    )


@pytest.fixture
def outaouais(chapter, monkeypatch):
    """The page on Outaouais where 300 cases stand for all, and what is known of them."""
    page = chapter("uncertainty/task_outaouais")
    name = "outaouais-sim"
    rng = np.random.default_rng(5)
    inputs = page.outaouais.draw(name, 300, rng)
    one = SimpleNamespace(
        dataset=name, inputs=inputs, targets=page.outaouais.noisy(name, inputs, rng)
    )
    monkeypatch.setattr(page, "recreated", lambda _: one)
    return page, one, page.outaouais.nearest(inputs)


def test_cases_stand_by_their_first_two_principal_components_and_cluster(outaouais):
    page, one, cluster = outaouais
    result = page.clusters(shown=2, cases=250)
    assert result["target"].to_list() == one.targets[:250].tolist()
    names = {0: "cluster 1", 1: "cluster 2"}
    assert result["cluster"].to_list() == [names.get(k, "others") for k in cluster[:250].tolist()]
    scaled = (one.inputs[:250] - one.inputs.mean(axis=0)) / one.inputs.std(axis=0)
    largest = np.sqrt(np.linalg.eigvalsh(scaled.T @ scaled)[-2:])
    turned = result.select("second", "first").to_numpy()
    np.testing.assert_allclose(np.linalg.norm(turned, axis=0), largest, rtol=1e-9)
    assert turned[:, 0] @ turned[:, 1] == pytest.approx(0.0, abs=1e-6)


def test_a_cluster_is_shown_along_what_says_most_of_its_targets(outaouais):
    page, one, cluster = outaouais
    result = page.inside(shown=2)
    assert result["cluster"].unique(maintain_order=True).to_list() == ["cluster 1", "cluster 2"]
    part = result.filter(cluster="cluster 2")
    here = np.flatnonzero(cluster == 1)
    expected = page.outaouais.clean(one.dataset, one.inputs[here])
    assert part["target"].to_list() == one.targets[here].tolist()
    assert part["expected"].to_list() == expected.tolist()
    z = page.outaouais.coordinates(one.inputs[here], cluster[here])
    shares = [abs(np.corrcoef(column, expected)[0, 1]) for column in z.T]
    assert part["along"].to_list() == z[:, np.argmax(shares)].tolist()


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
