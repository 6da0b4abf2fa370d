"""Losses of submissions are those of the formulas; the baseline, the gain and the remarks are what they should be."""

import numpy as np
import polars as pl
import pytest

from benchbook.errors import FaultyInput
from benchbook.losses.gaming import spikes
from benchbook.predictive import Categorical, Gaussian, StudentTMixture
from benchbook_book.course import challenge
from benchbook_book.course.challenge import Entry, Offer, Organiser, Submission
from benchbook_book.course.challenge.asked import resolution
from benchbook_book.course.challenge.scoring import cases, remarks, table


@pytest.fixture
def scored(organiser):
    """One prediction scored on one task."""

    def run(task, pred, exploit=False, name="mine"):
        submission = Submission(name, "we", "guessing", exploit, (Entry(task, pred),))
        return challenge.score(submission, organiser)[0]

    return run


def test_real_losses_are_those_of_the_formulas(scored, organiser):
    key = organiser.key("fuel/test")
    t, mean, variance = key.targets, np.linspace(4, 12, 8), np.linspace(9, 20, 8)
    item = scored("fuel/test", Gaussian(mean, variance))
    nlpd = 0.5 * (np.log(2 * np.pi * variance) + (t - mean) ** 2 / variance)
    assert np.allclose(item.per_case["NLPD"], nlpd)
    assert np.isclose(item.values["nMSE"], ((t - mean) ** 2).mean() / t.var(ddof=1))
    centre, spread = key.training.mean(), key.training.var(ddof=1)
    base = 0.5 * (np.log(2 * np.pi * spread) + (t - centre) ** 2 / spread)
    assert np.isclose(item.gain[0], (base - nlpd).mean())
    assert np.isclose(item.gain[1], (base - nlpd).std(ddof=1) / np.sqrt(8))
    assert item.share is None
    assert set(item.values) == {"NLPD", "nMSE", "CRPS", "A", "IS90", "NLPD@1"}
    lines = table((item,)).filter(loss="NLPD").to_dicts()
    assert lines == [
        {
            "name": "mine",
            "team": "we",
            "task": "fuel/test",
            "loss": "NLPD",
            "value": pytest.approx(nlpd.mean()),
            "standard_error": pytest.approx(nlpd.std(ddof=1) / np.sqrt(8)),
            "baseline": pytest.approx(base.mean()),
            "gain": item.gain[0],
            "gain_standard_error": item.gain[1],
            "unit": "nats, density per target unit",
        }
    ]
    others = table((item,)).filter(pl.col("loss") != "NLPD")
    assert others["gain"].null_count() == others["gain_standard_error"].null_count() == 5
    each = cases((item,)).filter(loss="NLPD")
    assert each.drop("value").rows() == [
        ("mine", "we", "fuel/test", f"car-{i}", "NLPD") for i in range(8)
    ]
    assert np.allclose(each["value"], nlpd)


def test_class_losses_are_those_of_the_formulas(scored, organiser):
    key = organiser.key("ill/test")
    t, p = key.targets, np.linspace(0.1, 0.9, 8)
    item = scored("ill/test", Categorical(np.column_stack([1 - p, p])))
    assert np.allclose(item.per_case["NLP10"], -np.log10(np.where(t == 1, p, 1 - p)))
    assert np.isclose(item.values["01L"], ((p >= 0.5) != (t == 1)).mean())
    share = key.training.mean()
    base = -np.log10(np.where(t == 1, share, 1 - share)).mean()
    assert np.isclose(item.share, 1 - item.values["NLP10"] / base)
    assert "LIFT" in item.values
    assert "LIFT" not in item.per_case
    assert item.error("LIFT") is None


def test_before_and_after_the_validation_targets_the_baseline_knows_other_cases(organiser):
    before, after = organiser.key("fuel/test-before"), organiser.key("fuel/test")
    assert before.asked.cases == after.asked.cases
    assert (len(before.training), len(after.training)) == (20, 24)
    assert challenge.baseline(before).values["NLPD"] != challenge.baseline(after).values["NLPD"]


def test_spikes_are_remarked_and_refused_and_honest_predictions_are_not(scored, organiser):
    key = organiser.key("fuel/test")
    values = np.arange(20.0)
    honest = Gaussian(np.full(8, 10.0), np.full(8, 30.0))
    chance = np.full((8, 20), 1 / 20)
    game = scored("fuel/test", spikes(values, chance, 1e-6), name="game")
    assert game.values["NLPD"] < scored("fuel/test", honest).values["NLPD"] - 5
    assert [remark.kind for remark in game.refused] == ["spikes"]
    assert "targets are 1 apart" in game.remarks[0].text
    assert abs(game.values["NLPD@1"] - np.log(20)) < 0.1
    plain = scored("fuel/test", honest)
    assert not plain.refused
    assert [remark.kind for remark in plain.remarks] == ["constant"]
    assert [remark.kind for remark in scored("fuel/test", honest, exploit=True).refused] == [
        "exploit"
    ]
    assert key.resolution == 1


@pytest.mark.parametrize("narrower", [0.05, 1e-6])
def test_who_is_too_sure_is_not_refused(scored, narrower):
    """A standard deviation far too small loses by every density, and takes no advantage of rounded targets."""
    item = scored("fuel/test", Gaussian(9.8 + np.arange(8) / 40, np.full(8, 30.0 * narrower**2)))
    assert not item.refused
    assert not item.remarks


def test_mixtures_of_t_are_looked_at_too(scored):
    at, weight = np.tile(np.arange(20.0), (8, 1)), np.full(20, 1 / 20)
    needles = scored("fuel/test", StudentTMixture(weight, at, np.full(20, 1e-6), np.full(20, 4.0)))
    assert [remark.kind for remark in needles.refused] == ["spikes"]


def test_a_probability_of_zero_for_what_happened_is_remarked(scored, organiser):
    t = organiser.key("ill/test").targets
    p = np.where(np.arange(8) == 3, 1.0 - t, 0.5)
    item = scored("ill/test", Categorical(np.column_stack([1 - p, p])))
    assert item.values["NLP10"] == np.inf
    assert "infinite in 1 of 8 cases" in item.remarks[0].text
    assert not item.refused


def test_a_single_case_has_no_constant_prediction_and_equal_targets_no_share_of_a_variance():
    asked = challenge.Asked("a/test", "real", ("1",))
    key = challenge.Key(asked, np.array([1.0]), np.array([1.0, 2.0]))
    assert remarks(Gaussian([1.0], [2.0]), key, {}, False) == ()
    (remark,) = remarks(Gaussian([1.0], [2.0]), key, {"NLPD": np.array([np.nan, np.inf])}, False)
    assert remark.text.startswith("NLPD is infinite in 1 of 1 cases")
    offers = Organiser({"a/test": Offer("real", 1, lambda: key)})
    sent = Submission("a", "t", "m", False, (Entry("a/test", Gaussian([1.0], [2.0])),))
    (item,) = challenge.score(sent, offers)
    assert set(item.values) == {"NLPD", "CRPS", "A", "IS90"}
    assert cases(()).is_empty()


def test_extreme_predictions_are_scored_without_a_warning_and_never_as_no_number(scored):
    for pred in (
        Gaussian(np.full(8, 1e100), np.full(8, 1e-200)),
        Gaussian(np.full(8, -1e100), np.full(8, 1e100)),
    ):
        item = scored("fuel/test", pred)
        assert not any(np.isnan(value) for value in item.values.values())


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([3, 5, 9, 11], 2.0),
        ([0.1, 0.4, 0.2], 0.1),
        ([12.75, 13.0, 13.5], 0.25),
        ([1.0, 2.0], None),
        (np.sqrt(np.arange(9.0)), None),
        ([1.5, 1.5, 1.5], None),
        ([0.0, 0.0001, 7.0], None),
        (9e8 + np.array([0.0, 0.001, 0.003, 0.011]), 0.001),  # of which 4e-5 is rounded away
    ],
)
def test_the_resolution_is_the_greatest_common_step(values, step):
    assert resolution(np.array(values)) == (step if step is None else pytest.approx(step))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case,phase,target\n", "must have training cases, and validation or test cases"),
        ("a,b\n", "header: found 'a,b'; must be case,phase,target"),
        (
            "case,phase,target\n1,train,2\n",
            "line 1, phase: found 'train'; must be one of training, validation, test",
        ),
        (
            "case,phase,target\n1,training,2\n1,test,3\n",
            "line 2, case: found '1'; must be the id of one case; line 1",
        ),
        (
            "case,phase,target\n1,training,x\n2,test,3\n",
            "line 1, target: found 'x'; must be a finite number",
        ),
        (
            "# kind = class\ncase,phase,target\n1,training,0\n2,test,1\n",
            "line 1, target: found '0'; must be -1 or +1",
        ),
        (
            "# kind = ordinal\ncase,phase,target\n1,training,0\n2,test,1\n",
            "kind: found 'ordinal'; must be real or class",
        ),
        ("# resolution = 0\ncase,phase,target\n1,training,0\n2,test,1\n", "resolution: found '0'"),
        (
            "# color = red\ncase,phase,target\n1,training,0\n2,test,1\n",
            "must be one of task, kind, resolution",
        ),
        ("case,phase,target\n1,training\n2,test,1\n", "line 1: found 2 values"),
        (
            "# task =\ncase,phase,target\n1,training,1\n2,test,1\n",
            "line # key = value: found '# task ='; must be one of task, kind, resolution",
        ),
        (
            "# resolution = inf\ncase,phase,target\n1,training,1\n2,test,1\n",
            "resolution: found 'inf'; must be a finite number above 0",
        ),
        (
            'case,phase,target\n"a,b",training,1\n2,test,1\n',
            "line 1, case: found 'a,b'; must be an id without blanks and commas",
        ),
        (
            "case,phase,target\na b,training,1\n2,test,1\n",
            "line 1, case: found 'a b'; must be an id without blanks",
        ),
    ],
)
def test_a_bad_file_of_targets_is_told(tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(FaultyInput, match=r"targets in .*x\.csv") as caught:
        challenge.from_files([tmp_path / "x.csv"])
    assert said in str(caught.value)
