"""The pages of the challenge's five tasks: their tables, and the traits they show."""

import numpy as np
import polars as pl
import pytest

from benchbook.pages import challenge_tasks, challenge_traits
from benchbook.pages.challenge_tasks import recreated


def test_tables_lay_ours_beside_the_print():
    gaze = recreated("gaze")
    assert gaze.printed_baseline == 6.91
    text = gaze.losses().text
    assert "6.910" in text
    assert "5.003" in text
    assert "best entry without spikes: LOOHKRR" in text
    sizes = gaze.sizes().text.splitlines()
    assert sizes[3].split()[-4:] == sizes[4].split()[-4:] == ["12", "150", "300", "427"]


def test_shares_of_what_can_be_known():
    found = challenge_tasks.overview(["stereopsis", "gaze"])
    assert found["law"].to_list() == pytest.approx([-2.476, 5.003], abs=1e-3)
    assert (found["share"] < 1).all()
    entries = challenge_tasks.entries(found)
    assert list(dict.fromkeys(entries["task"])) == ["stereopsis", "gaze"]
    assert entries.filter(pl.col("share") > 1)["kind"].to_list() == ["with spikes"] * 2
    top = entries.filter(author="Snelson & Murray").row(0, named=True)
    assert top["share"] == pytest.approx((4.94 + 2.077) / (4.94 - found["law"][0]))


def test_one_wrong_plane_spoils_whoever_trusts_it():
    """The printed story of 209.4: without the cases on a wrong plane the entry would have won."""
    one, found = recreated("stereopsis"), challenge_traits.snapped()
    loss = -found.prediction.log_density(one.targets)
    assert len(found.wrong) == 1
    assert loss.mean() > 100
    assert one.mean_loss(found.prediction, "nMSE") == pytest.approx(2.49e-4, rel=0.1)  # as printed
    rest = np.delete(loss, found.wrong).mean()
    assert one.mean_loss(one.law) - 0.1 < rest < -2.077
    planes = challenge_traits.planes()
    assert (planes["rest"].abs() < 1).all()
    assert set(found.wrong + 1) <= set(planes.filter(pl.col("chance") < 0.5)["case"])


def test_gaze_knows_when_markers_are_lost():
    cases = challenge_traits.read_off()
    lost = cases.filter(likely="markers lost")
    assert lost["farthest"].min() > cases.filter(likely="nothing lost")["farthest"].max()
    assert lost["sd"].mean() > 2 * cases.filter(likely="nothing lost")["sd"].mean()
    examples = challenge_traits.examples()
    laws = challenge_traits.laws(list(examples))
    sums = laws.group_by("case", maintain_order=True).agg(pl.col("chance").sum() * 4)["chance"]
    np.testing.assert_allclose(sums, 1, atol=0.02)


def test_outaouais_is_in_its_clusters():
    shares = challenge_traits.shares_of_variance()
    assert shares["least squares"] > 2 * shares["mean of the cluster"] > 20 * shares["noise"]
    cases = challenge_traits.clusters()
    spread = cases.group_by("cluster").agg(pl.col("first").std())
    inside = spread.filter(pl.col("cluster") != "others")["first"].mean()
    assert inside < 0.3 * spread.filter(cluster="others")["first"].item()


@pytest.mark.parametrize(("name", "low", "high"), [("catalysis", 4, 6), ("gatineau", 0.95, 1.2)])
def test_single_inputs(name, low, high):
    found = challenge_traits.signals(name)
    spread = dict(found.group_by("whose").agg(pl.col("z").std()).rows())
    assert low < spread["inputs"] < high
    assert spread["shuffled classes"] == pytest.approx(1, abs=0.1)
    if name == "gatineau":
        assert spread["inputs that matter"] > 2
        groups = challenge_traits.by_chance(name)
        assert groups["positives"].sum() == recreated(name).targets.sum()
        assert groups["share"].max() < 0.5
    else:
        counts = challenge_traits.chances(name)
        assert counts["cases"].sum() == 700
