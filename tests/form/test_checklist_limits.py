"""The limits of the rules: what just passes and what is just refused, and statistics computed again as by SciPy."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from benchbook.methods.proben1 import PIVOT_RUNS
from benchbook.seeds import generator
from benchbook_book import form as checklist
from benchbook_book.form import bounds, known, records
from benchbook_book.form.bounds import Summary, unit

ENDS = ("minimum", "median", "maximum")
NO_TUNING = {"parameters": [], "chosen_on": ["nothing"], "settings_tried": 0}
BOOTSTRAP = {
    "comparison.values": "raw",
    "comparison.n": [60, 60],
    "comparison.outliers_removed": [0, 0],
    "comparison.means": [1.6, 1.61],
    "comparison.sds": [0.41, 0.4],
    "comparison.test": "bootstrap test",
    "comparison.p_below": 0.001,
}
MCNEMAR = {
    "comparison": [
        {
            "against": "LightGBM on the same cases",
            "split": "adult, 60/20/20",
            "quantity": "test_wrong",
            "claim": "no significant difference",
            "values": "raw",
            "n": [5, 5],
            "means": [12.685, 12.9],
            "sds": [0.041, 0.05],
            "test": "McNemar test",
            "pairs": "same cases",
        }
    ]
}


def runs(made, n=None, **more):
    return {"runs.made": made, "results.n": n or made, "runs.seeds": f"1 to {made}", **more}


# base, changes that pass, those that do not, the key, and whether it is a fault
LIMITS = {
    "outliers of a tenth": (
        "1994",
        {"comparison.outliers_removed": [6, 0], "comparison.n": [54, 60]},
        {"comparison.outliers_removed": [7, 0], "comparison.n": [53, 60]},
        "comparison[0].outliers_removed",
        True,
    ),
    "outliers of the other sample": (
        "1994",
        {"comparison.outliers_removed": [0, 6], "comparison.n": [60, 54]},
        {"comparison.outliers_removed": [0, 7], "comparison.n": [60, 53]},
        "comparison[0].outliers_removed",
        True,
    ),
    "ten runs": ("1994", runs(10), runs(9), "runs.made", False),
    "numbers of runs that others have": ("1994", runs(600), runs(40), "runs.made", False),
    "as many seeds as runs": (
        "1994",
        {"runs.seeds": "0 to 59"},
        {"runs.seeds": "0..60"},
        "runs.seeds",
        True,
    ),
    "seeds of runs and of folds": (
        "network",
        {"runs.seeds": [3]},
        {"runs.seeds": [3, 4]},
        "runs.seeds",
        True,
    ),
    "a single seed of one run": (
        "1994",
        runs(1) | {"runs.seeds": "seed 7"},
        runs(2) | {"runs.seeds": "7"},
        "runs.seeds",
        True,
    ),
    "exactly half is excluded": (
        "1994",
        {"runs.excluded": 30},
        {"runs.excluded": 31},
        "runs.excluded",
        True,
    ),
    "measured at the end at the latest": (
        "1994",
        {"stopping.every": 3000},
        {"stopping.every": 3001},
        "stopping.every",
        True,
    ),
    "patience to the end": (
        "1994",
        {"stopping.patience": 600},
        {"stopping.patience": 601},
        "stopping.patience",
        True,
    ),
    "an average of all epochs": (
        "1994",
        {"stopping.state": "average of the last", "stopping.averaged": 3000},
        {"stopping.state": "average of the last", "stopping.averaged": 3001},
        "stopping.averaged",
        True,
    ),
    "as many rounds as trees": (
        "trees",
        {"stopping.longest": 2000},
        {"stopping.longest": 2001},
        "stopping.longest",
        True,
    ),
    "epochs are no trees": (
        "trees",
        {"stopping.longest": 2001, "stopping.unit": "epochs"},
        {"stopping.longest": 2001},
        "stopping.longest",
        True,
    ),
    "a first step at the ends": (
        "1994",
        {"optimiser.delta_min": 0.02, "optimiser.delta_init": 0.02, "optimiser.delta_max": 0.02},
        {"optimiser.delta_min": 0.02, "optimiser.delta_init": 0.021, "optimiser.delta_max": 0.02},
        "optimiser.delta_init",
        True,
    ),
    "a batch of all training cases": (
        "network",
        {"optimiser.updates": 283},
        {"optimiser.updates": 284},
        "optimiser.updates",
        True,
    ),
    "two settings are a choice": (
        "1994",
        {"tuning.settings_tried": 2},
        {"tuning.settings_tried": 1},
        "tuning.settings_tried",
        True,
    ),
    "no choice, and none tried": (
        "1994",
        {"tuning": NO_TUNING},
        {"tuning": NO_TUNING | {"settings_tried": 1}},
        "tuning.settings_tried",
        True,
    ),
    "what was tuned has a criterion": (
        "1994",
        {"tuning": NO_TUNING},
        {"tuning": NO_TUNING | {"chosen_on": ["validation cases"]}},
        "tuning.parameters",
        True,
    ),
    "a level of ten per cent": (
        "1994",
        {"comparison.level": 10},
        {"comparison.level": 10.5},
        "comparison[0].level",
        False,
    ),
    "p at the level": (
        "1994",
        {"comparison.level": 5, "comparison.p_below": 0.05},
        {"comparison.level": 5, "comparison.p_below": 0.051},
        "comparison[0].claim",
        True,
    ),
    "p below its bound": (
        "1994",
        {"comparison.p": 0.00001, "comparison.p_below": 0.00001},
        {"comparison.p": 0.00002, "comparison.p_below": 0.00001},
        "comparison[0].p_below",
        True,
    ),
    "no difference at the level": (
        "network",
        {"comparison.p": 0.05},
        {"comparison.p": 0.049},
        "comparison[0].claim",
        True,
    ),
    "no difference after a correction": (
        "network",
        {"comparison.p": 0.049, "comparison.correction": "Holm"},
        {"comparison.p": 0.049},
        "comparison[0].claim",
        True,
    ),
    "two tests at half the level": (
        "1994",
        {"comparison.tests_made": 1000, "comparison.correction": "Bonferroni"},
        {"comparison.tests_made": 1001, "comparison.correction": "Bonferroni"},
        "comparison[0].p",
        True,
    ),
    "equal means are not smaller": (
        "1994",
        {"comparison.means": [0.432, 0.433]},
        {"comparison.means": [0.432, 0.432]},
        "comparison[0].claim",
        True,
    ),
    "as many discordant as there are cases": (
        "trees",
        {"comparison": [MCNEMAR["comparison"][0] | {"discordant": [24421, 24421]}]},
        {"comparison": [MCNEMAR["comparison"][0] | {"discordant": [24421, 24422]}]},
        "comparison[0].discordant",
        True,
    ),
    "wrong and rejected are all": (
        "1994",
        {"results.test_rejected": {"mean": 98.5, "sd": 0.1}, "results.test_wrong": {"mean": 1.5}},
        {"results.test_rejected": {"mean": 98.7, "sd": 0.1}, "results.test_wrong": {"mean": 1.5}},
        "results.test_rejected.mean",
        True,
    ),
    "a percentage of the whole range": (
        "1994",
        {"results.test_error": {"mean": 100.0, "sd": 41.0}},
        {"results.test_error": {"mean": 100.5, "sd": 41.0}},
        "results.test_error.mean",
        False,
    ),
    "a mean per cent wrong of at most a hundred": (
        "network",
        {"comparison.means": [6.84, 100.0]},
        {"comparison.means": [6.84, 100.2]},
        "comparison[0].means",
        True,
    ),
    "a best run at the minimum": (
        "1994",
        {"results.best_run.test_error": 1.05},
        {"results.best_run.test_error": 1.04},
        "results.best_run.test_error",
        True,
    ),
    "a best run at the maximum": (
        "1994",
        {"results.best_run.test_error": 3.11},
        {"results.best_run.test_error": 3.12},
        "results.best_run.test_error",
        True,
    ),
    "cases but one, in folds": (
        "network",
        {"split.cases": 352},
        {"split.cases": 353},
        "split.cases",
        True,
    ),
    "no case is missing": ("trees", {}, {"split.cases": 48841}, "split.cases", True),
    "a fold of a tenth": ("network", {"split.test": 36}, {"split.test": 37}, "split.test", True),
    "a result of each run and fold": (
        "network",
        {"runs.made": 20, "results.n": 20, "results.over": "runs and folds"},
        {"runs.made": 20, "results.n": 10, "results.over": "runs and folds"},
        "results.n",
        True,
    ),
    "a result of each fold of each repeat": (
        "network",
        {"split.repeats": 3, "runs.made": 30, "results.n": 30, "runs.seeds": [3]},
        {"split.repeats": 3, "runs.made": 30, "results.n": 10, "runs.seeds": [3]},
        "results.n",
        True,
    ),
    "runs of all repeats": (
        "network",
        {"split.repeats": 2, "runs.made": 20, "results.n": 20, "runs.seeds": [3]},
        {"split.repeats": 2, "runs.made": 10, "results.n": 20, "runs.seeds": "by name"},
        "runs.made",
        True,
    ),
    "seeds of all repeats": (
        "network",
        {"split.repeats": 2, "runs.made": 20, "results.n": 20, "runs.seeds": [3]},
        {"split.repeats": 2, "runs.made": 20, "results.n": 20, "runs.seeds": [3, 4]},
        "runs.seeds",
        True,
    ),
    "cases wrong in all runs": (
        "trees",
        {"results.test_wrong.cases_wrong": 6196},
        {"results.test_wrong.cases_wrong": 1239},
        "results.test_wrong.mean",
        True,
    ),
    "a fold of one case more is none": (
        "network",
        {"split.cases": 350, "split.test": 35},
        {"split.cases": 350, "split.test": 36},
        "split.test",
        True,
    ),
    "sensitivity without a choice": (
        "1994",
        {"tuning": NO_TUNING},
        {"tuning": NO_TUNING | {"parameters": ["seed"]}},
        "tuning.parameters",
        False,
    ),
    "the state is from training": (
        "1994",
        {
            "results.total_epochs": {"mean": 150, "sd": 40},
            "results.relevant_epochs": {"mean": 150, "sd": 40},
        },
        {
            "results.total_epochs": {"mean": 150, "sd": 40},
            "results.relevant_epochs": {"mean": 151, "sd": 40},
        },
        "results.relevant_epochs.mean",
        True,
    ),
    "one run has no deviation": (
        "1994",
        runs(1) | {"results.test_error": {"mean": 1.6}},
        runs(1) | {"results.test_error": {"mean": 1.6, "sd": 0.1}},
        "results.test_error.sd",
        True,
    ),
    "other errors of validation cases": (
        "1994",
        {"results.validation_error": {"mean": 1.6, "sd": 0.42}},
        {"results.validation_error": {"mean": 1.6, "sd": 0.41}},
        "results.validation_error",
        False,
    ),
    "a bootstrap of pairs may find more than Welch's test": (
        "1994",
        BOOTSTRAP | {"comparison.pairs": "same seeds"},
        BOOTSTRAP,
        "comparison[0].p",
        False,
    ),
    "softmax of two": (
        "network",
        {"model.outputs": 2},
        {"model.outputs": 1},
        "model.outputs",
        True,
    ),
    "a sum is not averaged": (
        "1994",
        {"error.reported": "sum of squared errors", "error.averaged_over": []},
        {"error.reported": "sum of squared errors", "error.averaged_over": ["cases"]},
        "error.averaged_over",
        True,
    ),
    "a cosine has its end": (
        "network",
        {"optimiser.schedule": {"kind": "exponential", "factor": 0.9}},
        {"optimiser.schedule": {"kind": "step", "factor": 0.9}},
        "optimiser.schedule.every",
        True,
    ),
}


@pytest.mark.parametrize(("base", "sound", "beyond", "key", "fault"), LIMITS.values(), ids=LIMITS)
def test_a_limit_is_in_and_what_is_beyond_is_not(made, base, sound, beyond, key, fault):
    def found(changes):
        findings = checklist.findings(made.changed(changes, base=base))
        return [finding.warning for finding in findings if finding.key == key]

    assert found(sound) == []
    assert found(beyond) == [not fault]


A, B = (generator(1, name).normal(size=9) for name in "ab")


def comparison(test, first=A, second=B[:7], **more):
    given = {"sides": 2, "pairs": "none", "discordant": None, "sd_difference": None, **more}
    means, sds = (
        [each(part) for part in (first, second)]
        for each in (np.mean, lambda part: np.std(part, ddof=1))
    )
    return SimpleNamespace(test=test, n=[len(first), len(second)], means=means, sds=sds, **given)


PAIRED = {"second": B, "sd_difference": np.std(A - B, ddof=1), "pairs": "same folds"}
SHARE = 1 / 9
T = abs(np.mean(A - B)) / (np.std(A - B, ddof=1) * math.sqrt(1 / 9 + SHARE))


@pytest.mark.parametrize(
    ("given", "t", "p"),
    [
        (comparison("Student t test"), *stats.ttest_ind(A, B[:7])),
        (comparison("Welch t test"), *stats.ttest_ind(A, B[:7], equal_var=False)),
        (comparison("paired t test", **PAIRED), *stats.ttest_rel(A, B)),
        (comparison("corrected resampled t test", **PAIRED), T, 2 * stats.t.sf(T, 8)),
        (
            comparison("Student t test", sides=1),
            stats.ttest_ind(A, B[:7])[0],
            stats.ttest_ind(A, B[:7])[1] / 2,
        ),
    ],
    ids=["Student", "Welch", "paired", "corrected", "one-sided"],
)
def test_t_and_p_are_those_of_scipy(given, t, p):
    found = bounds.t_statistic(given, (SHARE, SHARE))
    assert (found.low, found.high) == pytest.approx((abs(t), abs(t)), rel=1e-9)
    result = bounds.p_value(given, found)
    slack = (
        0.02 if "Welch" in given.test else 1e-9
    )  # the degrees of freedom are some that programs use
    assert result.low == pytest.approx(p, rel=slack)
    assert result.high == pytest.approx(p, rel=slack)
    assert result.low <= p * (1 + 1e-9)
    assert p <= result.high * (1 + 1e-9)


def test_cochran_and_cox_have_the_degrees_of_either_sample():
    given = comparison("Cochran-Cox t test")
    found = bounds.t_statistic(given)
    assert found.low == pytest.approx(abs(stats.ttest_ind(A, B[:7], equal_var=False)[0]))
    result = bounds.p_value(given, found)
    wanted = [2 * stats.t.sf(found.low, df) for df in (8, 6)]
    assert (result.low, result.high) == pytest.approx(tuple(wanted))


@pytest.mark.parametrize("counts", [(3, 9), (10, 10), (40, 71)])
def test_mcnemar_is_exact_or_chi_squared(counts):
    given = comparison("McNemar test", discordant=list(counts))
    result = bounds.p_value(given, None)
    total, away = sum(counts), abs(counts[0] - counts[1])
    ways = [
        stats.binomtest(min(counts), total).pvalue,
        stats.chi2.sf(away**2 / total, 1),
        stats.chi2.sf(max(0, away - 1) ** 2 / total, 1),
    ]
    assert (result.low, result.high) == pytest.approx((min(ways), max(ways)))
    assert bounds.p_value(comparison("McNemar test", discordant=[0, 3]), None).high < 0.3
    assert bounds.p_value(comparison("McNemar test", discordant=[0, 0]), None) is None


def test_the_least_p_of_a_rank_test_is_that_of_perfect_order():
    low, high = np.arange(4.0), np.arange(4.0, 9.0)
    assert bounds.smallest_p(comparison("Wilcoxon signed-rank test", high, high)) == pytest.approx(
        stats.wilcoxon(high + 1, method="exact").pvalue
    )
    wanted = stats.mannwhitneyu(low, high, method="exact").pvalue
    for name in ("Mann-Whitney test", "permutation test"):
        assert bounds.smallest_p(comparison(name, low, high)) == pytest.approx(wanted)
    paired = comparison("permutation test", low, low, pairs="same folds", sides=1)
    assert bounds.smallest_p(paired) == 0.5**4
    assert bounds.smallest_p(comparison("Welch t test")) is None


@pytest.mark.parametrize(
    ("p", "slack"), [(0.2, 0.05 + 0.0), (0.05, 0.005), (0.012, 0.0006), (0.0098, 0.00049)]
)
def test_rounding_moves_a_p_value_by_its_last_digit_or_a_twentieth(p, slack):
    assert bounds.last_digit(p) == pytest.approx(slack, rel=1e-6)


def test_rounded_deviations_and_means_leave_an_interval_of_t():
    given = SimpleNamespace(test="Welch t test", n=[4, 16], means=[1.5, 2.0], sds=[0.4, 0.8])
    found = bounds.t_statistic(given)
    root = [math.sqrt(((0.4 + s) ** 2) / 4 + ((0.8 + s) ** 2) / 16) for s in (-0.05, 0.05)]
    assert (found.low, found.high) == pytest.approx((0.4 / root[1], 0.6 / root[0]), rel=1e-6)
    assert str(bounds.Interval(0.01234, 0.01229)) == "0.012"
    assert str(bounds.Interval(0.012, 0.025)) == "from 0.012 to 0.025"
    given.n = [1, 16]
    assert bounds.t_statistic(given) is None
    paired = vars(given) | {"test": "corrected resampled t test", "n": [4, 4], "sd_difference": 0.4}
    found = bounds.t_statistic(SimpleNamespace(**paired), (0.75, 2.0))
    assert (found.low, found.high) == pytest.approx((0.4 / (0.45 * 1.5), 0.6 / 0.35), rel=1e-6)


@pytest.mark.parametrize(
    ("value", "half"), [(1.5, 0.05), (2.0, 0.05), (0.25, 0.005), (1200.0, 50.0), (999.0, 0.05)]
)
def test_the_last_digit_that_is_written_is_rounded(value, half):
    assert unit(value) == pytest.approx(half)


def keys(**given):
    return [draft.key for draft in Summary("x", **given).drafts()]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        # of five values from 0 to 100 with mean 50 the deviation is at most sqrt(5/4) 50 = 55.9
        ({"n": 5, "mean": 50.0, "sd": 56.2, "minimum": 0.0, "maximum": 100.0}, ["x.sd"]),
        ({"n": 5, "mean": 50.0, "sd": 55.9, "minimum": 0.0, "maximum": 100.0}, []),
        # and at least sqrt(2/4) 50 = 35.4, all others being the mean
        ({"n": 5, "mean": 50.0, "sd": 35.2, "minimum": 0.0, "maximum": 100.0}, ["x.sd"]),
        ({"n": 5, "mean": 50.0, "sd": 35.3, "minimum": 0.0, "maximum": 100.0}, []),
        # a minimum of 0 below a mean of 40 takes 40 from the three others, who have 40/3 more each
        ({"n": 4, "mean": 40.0, "sd": 26.6, "minimum": 0.0}, []),
        ({"n": 4, "mean": 40.0, "sd": 26.4, "minimum": 0.0}, ["x.sd"]),
        # without a maximum one of four values from 2 on with mean 4 has 8 more than 2 at most
        ({"n": 4, "mean": 4.0, "sd": 4.0, "minimum": 2.0}, []),
        ({"n": 4, "mean": 4.0, "sd": 4.5, "minimum": 2.0}, ["x.sd"]),
        # without a minimum one of four values up to 6 with mean 5 is 4 below at most
        ({"n": 4, "mean": 5.0, "sd": 2.0, "maximum": 6.0}, []),
        ({"n": 4, "mean": 5.0, "sd": 2.5, "maximum": 6.0}, ["x.sd"]),
        ({"n": 3, "mean": 100.0, "sd": 1.0, "most": 100.0}, ["x.sd"]),
        ({"n": 3, "mean": 101.0, "sd": 0.1, "most": 100.0}, ["x.mean"]),
        ({"n": 3, "mean": 1.0, "sd": 0.5, "minimum": 1.5}, ["x.mean"]),
        ({"n": 3, "mean": 1.0, "minimum": 1.1}, []),
        ({"n": 3, "mean": 2.0, "sd": 0.5, "maximum": 1.5}, ["x.mean"]),
        (
            {"n": 3, "mean": 1.0, "sd": 0.5, "minimum": 0.5, "median": 2.0, "maximum": 1.5},
            ["x.mean"],
        ),
        ({"n": 1, "mean": 1.0, "sd": 5.0}, []),
    ],
)
def test_what_deviation_n_values_can_have(given, refused):
    assert keys(**given) == refused


def test_means_and_ends_are_multiples_of_what_is_counted():
    summary = Summary("x", 4, 12.5, minimum=10.0, maximum=16.0)
    assert [draft.key for draft in summary.multiples(5.0, "five")] == ["x.maximum"]
    assert [draft.key for draft in Summary("x", 4, 12.3).multiples(5.0, "five")] == ["x.mean"]


def test_what_is_known_of_a_partition():
    assert known.nearest("cancer") == "cancer1"
    assert known.nearest("qqqqqq") == "cancer1"
    assert known.nearest("soybeen2") == "soybean2"
    entry = known.partition("cancer2c")
    assert (entry.name, entry.problem, entry.order) == ("cancer2c", "cancer", "c")
    assert (entry.counts, entry.inputs, entry.outputs) == ((350, 175, 174), 9, 2)
    assert known.partition("sklearn-wine2").problem == "wine"
    assert known.published(known.STAND_IN, "cancer1") is None
    assert known.partition("nobody1") is None


@pytest.mark.parametrize(
    ("name", "on", "tried"),
    [
        ("cancer1", ["validation cases", "published results"], 31),
        ("cancer1c", ["training cases", "published results"], 31),
        ("cancer1b", ["test cases", "published results"], 31),
        ("sklearn-wine1", ["published results"], 7),
    ],
)
def test_settings_tried_are_those_of_the_search_and_of_the_constants(name, on, tried):
    made = records._tuning(PIVOT_RUNS, "proben1-pivot", known.partition(name))
    assert (made["chosen_on"], made["settings_tried"]) == (on, tried)
