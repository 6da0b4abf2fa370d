"""Statistics of results that were brought along: by hand, by other ways to the same number, and by simulated sizes.

Each size is beside that of the test without the correction, which fails the same bound.
"""

import numpy as np
import polars as pl
import pytest
from scipy import optimize, special, stats

from benchbook.assess.delete_groups import groups_to_leave_out, left_out_of
from benchbook.assess.designs import Design
from benchbook.assess.overlapping import entries, loss_sums
from benchbook.assess.published import needed_correlation
from benchbook.assess.seeds import SeedLosses, error_with_seeds, of_pair
from benchbook.assess.segments import welch_f
from benchbook.assess.series import series_error
from benchbook.assess.split_losses import spread_over_seeds
from benchbook.assess.spread import spread_of, tango_probability, with_half_a_case
from benchbook.errors import FaultyInput


def differences(larger, smaller, cases):
    """The spread by the paired t, and with half a case, of so many differences of 1, of -1, and of 0."""
    values = np.r_[np.ones(larger), -np.ones(smaller), np.zeros(cases - larger - smaller)]
    where = entries(np.zeros(cases), np.arange(cases))
    sums = loss_sums(values, where)
    usual = spread_of(sums, where, Design("holdout", 1))
    return usual, with_half_a_case(usual, sums)


def test_half_a_case_more_each_way_by_hand():
    """7 and 2 of 30: (7.5 - 2.5)/31, and its error from 10/31."""
    usual, half = differences(7, 2, 30)
    middle, error = 5 / 31, np.sqrt((10 / 31 - (5 / 31) ** 2) / 31)
    assert (half.mean, half.error) == pytest.approx((5 / 30, error))
    assert half.p == pytest.approx(2 * stats.t.sf(middle / error, 29))
    width = stats.t.ppf(0.975, 29) * error
    assert half.interval(0.95) == pytest.approx((middle - width, middle + width))
    assert (-half).interval(0.95) == pytest.approx((-middle - width, width - middle))
    assert (-half).probabilities(0.1) == pytest.approx(half.probabilities(0.1)[::-1])
    assert usual.p < half.p


@pytest.mark.parametrize("cases", [100, 300])
def test_intervals_of_0_1_losses_cover_by_enumeration(cases):
    """Six expected cases that differ, nine of ten one way: 93 % with half a case, 90 % without."""
    covers, size, true = {"half": 0.0, "usual": 0.0}, 0.0, 0.8 * 6 / cases
    for differ in range(20):
        weight = stats.binom.pmf(differ, cases, 6 / cases)
        for larger in range(differ + 1):
            usual, half = differences(larger, differ - larger, cases)
            for name, spread in (("half", half), ("usual", usual)):
                low, high = spread.interval(0.95)
                part = weight * stats.binom.pmf(larger, differ, 0.9)
                covers[name] += part * (low <= true <= high)
            size += weight * stats.binom.pmf(larger, differ, 0.5) * (half.p <= 0.05)
    assert covers["half"] > 0.925
    assert covers["usual"] < 0.91
    assert size <= 0.05


@pytest.mark.parametrize(("larger", "smaller"), [(0, 0), (5, 0), (0, 5), (9, 4), (4, 9)])
@pytest.mark.parametrize("margin", [0.02, 0.1])
def test_tangos_score_has_the_largest_likelihood_at_the_margin(larger, smaller, margin):
    cases = 60

    def minus(q):
        cells = np.array([q + margin, q, 1 - 2 * q - margin])
        return -(special.xlogy([larger, smaller, cases - larger - smaller], cells).sum())

    best = optimize.minimize_scalar(
        minus, bounds=(1e-12, (1 - margin) / 2 - 1e-12), method="bounded", options={"xatol": 1e-12}
    )
    error = np.sqrt(cases * (2 * best.x + margin * (1 - margin)))
    z = (larger - smaller - cases * margin) / error
    assert tango_probability(larger, smaller, cases, margin) == pytest.approx(
        stats.norm.cdf(z), abs=1e-5
    )


@pytest.mark.parametrize(("cases", "rope"), [(100, 0.05), (200, 0.05), (500, 0.02)])
def test_a_method_that_is_worse_by_the_rope_is_rarely_called_not_worse(cases, rope):
    """True difference = rope, the other way in 1 of 1000: at most 5.5 %; by the t of the losses above 7 %."""
    chances = np.array([rope + 0.001, 0.001])
    errors = {"score": 0.0, "t": 0.0}
    for larger in range(60):
        for smaller in range(5):
            rest = cases - larger - smaller
            weight = stats.multinomial.pmf(
                [larger, smaller, rest], cases, [*chances, 1 - chances.sum()]
            )
            usual, half = differences(larger, smaller, cases)
            errors["score"] += weight * (half.probabilities(rope)[0] <= 0.05)
            above = usual.probabilities(rope)[0]
            errors["t"] += weight * (not usual.error > 0.0 or above <= 0.05)
    assert errors["score"] <= 0.055
    assert errors["t"] > 0.07


def by_hand(cases, fits):
    """The standard error over seeds and cases with loops; all fits have seeds enough."""
    n = len(cases)
    items = cases.var(ddof=1) / n
    seeds = rest = free = 0.0
    for losses in fits:
        s = len(losses)
        rows, columns = losses.mean(axis=1), losses.mean(axis=0)
        squares = sum(
            (losses[i, j] - rows[i] - columns[j] + losses.mean()) ** 2
            for i in range(s)
            for j in range(n)
        )
        residual = squares / ((s - 1) * (n - 1)) / (n * s)
        variance = rows.var(ddof=1) / s
        seeds, rest = seeds + variance, rest + residual
        free += variance**2 / (s - 1) + residual**2 / ((s - 1) * (n - 1))
    total = max(items + seeds - rest, items, seeds)
    return np.sqrt(total), max(1.0, total**2 / (items**2 / (n - 1) + free))


def crossed(one, other, runs="own"):
    n = one.shape[1]
    gaps = one.mean(axis=0) - other.mean(axis=0)
    share = np.full(n, 1 / n)
    fits = of_pair(
        SeedLosses(one, share), SeedLosses(other, share), Design("crossed", 3, runs=runs)
    )
    return error_with_seeds(gaps.std(ddof=1) / np.sqrt(n), n - 1, fits)


def test_seeds_by_cases_by_hand():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(3, 20)), rng.normal(size=(4, 20)) + rng.normal(size=(4, 1))
    gaps = one.mean(axis=0) - other.mean(axis=0)
    assert crossed(one, other) == pytest.approx(by_hand(gaps, [one, other]))
    assert crossed(one, other[:3], "shared") == pytest.approx(
        by_hand(one.mean(axis=0) - other[:3].mean(axis=0), [one - other[:3]])
    )
    assert crossed(one[:2], other[:2], "shared") == crossed(one[:2], other[:2])
    usual = (one[0] - other[0]).std(ddof=1) / np.sqrt(20)
    assert crossed(one[:1], other[:1]) == pytest.approx((usual, 19))


@pytest.mark.parametrize(
    ("seeds", "runs", "spread"),
    [((3, 3), "own", 0.06), ((1, 5), "own", 0.06), ((5, 3), "own", 0.0)],
)
def test_the_size_of_the_test_over_seeds_and_cases(seeds, runs, spread):
    rng = np.random.default_rng(2)
    found = {"both": 0, "cases": 0}
    for _ in range(200):
        case = 0.15 * rng.normal(size=(2, 200))
        one, other = (
            each + spread * rng.normal(size=(s, 1)) + 0.3 * rng.normal(size=(s, 200))
            for each, s in zip(case, seeds, strict=True)
        )
        gap = abs(one.mean() - other.mean())
        error, df = crossed(one, other, runs)
        found["both"] += gap > special.stdtrit(df, 0.975) * error
        cases = (one.mean(axis=0) - other.mean(axis=0)).std(ddof=1) / np.sqrt(200)
        found["cases"] += gap > 1.972 * cases
    assert found["both"] <= 0.1 * 200
    assert found["cases"] > (0.3 * 200 if spread else 0)


def test_one_number_a_seed_is_compared_as_welch_does_and_pairs_what_is_shared():
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=4), 2 * rng.normal(size=6)
    own, shared = (Design("seeds", 6, runs=runs) for runs in ("own", "shared"))
    welch = stats.ttest_ind(one, other, equal_var=False)
    spread = spread_over_seeds(one, other, own)
    assert (spread.p, spread.df) == pytest.approx((welch.pvalue, welch.df))
    paired = stats.ttest_rel(one, other[:4])
    assert spread_over_seeds(one, other[:4], shared).p == pytest.approx(paired.pvalue)
    two = stats.ttest_ind(one[:2], other[:2], equal_var=False)
    assert spread_over_seeds(one[:2], other[:2], shared).p == pytest.approx(two.pvalue)
    assert np.isnan(spread_over_seeds(one[:1], other, own).error)


def autoregression(rng, count, correlation, lag=1):
    values = rng.normal(size=count + 100)
    for time in range(lag, len(values)):
        values[time] += correlation * values[time - lag]
    return values[100:]


def test_the_error_of_a_series_is_that_of_its_slow_cosines():
    values = np.random.default_rng(4).normal(size=60)
    time, waves = np.arange(1, 61), int(0.4 * 60 ** (2 / 3))
    squares = [
        (np.sqrt(2 / 60) * (np.cos(np.pi * j * (time - 0.5) / 60) @ values)) ** 2
        for j in range(1, waves + 1)
    ]
    error, df, warning = series_error(values)
    assert (error, df, warning) == (pytest.approx(np.sqrt(np.mean(squares) / 60)), waves, "")
    assert np.isnan(series_error(values[:44])[0])
    assert np.isfinite(series_error(values[:45])[0])


def test_the_size_of_the_test_of_a_series():
    rng = np.random.default_rng(5)
    ours = usual = 0
    for _ in range(300):
        values = autoregression(rng, 100, 0.7)
        error, df, _ = series_error(values)
        mean = abs(values.mean())
        ours += mean > special.stdtrit(df, 0.975) * error
        usual += mean > 1.98 * values.std(ddof=1) / 10
    assert ours <= 0.1 * 300
    assert usual > 0.3 * 300


@pytest.mark.parametrize(
    ("correlation", "lag", "least", "most"),
    [(0.0, 1, 0.0, 0.02), (0.5, 1, 0.0, 0.03), (0.93, 1, 0.9, 1.0), (0.6, 7, 0.9, 1.0)],
)
def test_a_series_that_persists_is_said_and_has_fewer_cosines(correlation, lag, least, most):
    rng = np.random.default_rng(6)
    found = [series_error(autoregression(rng, 180, correlation, lag)) for _ in range(100)]
    said = [warning for *_, warning in found if "apart in time" in warning]
    assert least <= len(said) / 100 <= most
    assert all(df == 4 for _, df, warning in found if "apart in time" in warning)
    assert all(f"{lag} apart" in warning for warning in said[:1])


def test_a_drift_is_said_and_no_drift_is_not():
    rng = np.random.default_rng(7)
    drifts = [
        "drifts" in series_error(rng.normal(size=180) + slope * np.linspace(-1, 1, 180))[2]
        for slope in (0.0, 1.0)
        for _ in range(100)
    ]
    assert sum(drifts[:100]) <= 4
    assert sum(drifts[100:]) >= 95


@pytest.mark.parametrize("sizes", [(25, 40), (300, 20)])
def test_two_segments_are_compared_as_welchs_t_does(sizes):
    rng = np.random.default_rng(8)
    parts = [rng.normal(size=size) * scale for size, scale in zip(sizes, (1.0, 3.0), strict=True)]
    test = welch_f(
        [part.mean() for part in parts],
        [stats.sem(part) for part in parts],
        [len(part) - 1 for part in parts],
    )
    t = stats.ttest_ind(*parts, equal_var=False)
    assert (test.statistic, test.df_2, test.p) == pytest.approx((t.statistic**2, t.df, t.pvalue))


def test_three_segments_by_hand():
    """Means 0, 1, 3 with squared errors 1, 1/2, 1/4: weights 1, 2, 4 of 7, mean 2, Σ w d² = 4 + 2 + 4 = 10."""
    test = welch_f([0.0, 1.0, 3.0], np.sqrt([1.0, 0.5, 0.25]), [10.0, 20.0, 30.0])
    excess = (6 / 7) ** 2 / 10 + (5 / 7) ** 2 / 20 + (3 / 7) ** 2 / 30
    f, df_2 = 5 / (1 + 2 / 8 * excess), 8 / (3 * excess)
    assert test == pytest.approx((f, 2, df_2, stats.f.sf(f, 2, df_2)))


def test_the_size_of_the_test_that_segments_are_alike():
    rng = np.random.default_rng(9)
    ours = usual = 0
    sizes = np.array([20, 30, 300])
    for _ in range(500):
        parts = [s * rng.normal(size=n) for n, s in zip(sizes, (3.0, 1.0, 0.3), strict=True)]
        mean, square = np.array([(part.mean(), part.var(ddof=1)) for part in parts]).T
        ours += welch_f(mean, np.sqrt(square / sizes), sizes - 1).p <= 0.05
        between = sizes @ (mean - sizes @ mean / 350) ** 2 / 2
        within = (sizes - 1) @ square / 347
        usual += special.fdtrc(2, 347, between / within) <= 0.05
    assert ours <= 0.08 * 500
    assert usual > 0.15 * 500


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (0.0001, "by more than 0.99"),
        (0.023, "only if losses of cases correlate by 0.5"),
        (0.0352, "do not correlate negatively"),
        (0.06, "significant however"),
    ],
)
def test_the_words_on_published_means_are_true(gap, words):
    first, second = 0.0125, 0.0128
    text = needed_correlation(gap, first, second)
    assert words in text
    z = stats.norm.ppf(0.975)

    def significant(rho):
        return abs(gap) > z * np.sqrt(first**2 + second**2 - 2 * rho * first * second)

    if " by " in text:
        needed = float(text.split(" by ")[1].split(" or ")[0].split()[-1])
        assert not significant(needed - 0.011)
        assert significant(needed + 1e-9) or "more than" in text
    else:
        assert significant(0.001)
        assert significant(-0.999) == ("however" in text)


def left_out(values, group):
    rows = [
        ("a", "f", left, int((group == left).sum()), values[group != left].mean())
        for left in range(group.max() + 1)
    ]
    names = ["method", "loss", "left", "cases", "value"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_the_jackknife_of_a_mean_is_the_error_of_its_clusters():
    values = np.random.default_rng(10).normal(size=70)
    equal = np.arange(70) % 35
    error, df = left_out_of("f", ["a"], left_out(values, equal)).error("a")
    assert df == pytest.approx(34)
    assert error == pytest.approx(stats.sem(np.bincount(equal, values) / 2))
    group = np.repeat(np.arange(8), [20, 15, 10, 8, 7, 5, 3, 2])
    where = entries(np.zeros(70), np.arange(70), None, group)
    error, df = left_out_of("f", ["a"], left_out(values, group)).error("a")
    assert error == pytest.approx(where.clusters.error(loss_sums(values, where).centred(where)))
    assert df == pytest.approx(where.clusters.df)


def test_groups_are_of_equal_size_with_their_share_of_classes_or_whole_clusters():
    classes = np.repeat([0, 1], [240, 60])
    group = groups_to_leave_out(300, classes)
    assert np.bincount(group).tolist() == [10] * 30
    assert np.bincount(group[classes == 1]).tolist() == [2] * 30
    assert groups_to_leave_out(25).max() == 24
    assert (group == groups_to_leave_out(300, classes)).all()
    clusters = np.repeat(np.arange(50), np.r_[np.full(10, 20), np.full(40, 5)])
    whole = groups_to_leave_out(400, classes=None, clusters=clusters)
    assert all(len(set(whole[clusters == each])) == 1 for each in range(50))
    assert np.ptp(np.bincount(whole)) <= 15
    assert whole.max() == 29


def test_losses_without_groups_are_refused_where_some_are_missing():
    frame = left_out(np.random.default_rng(11).normal(size=60), np.arange(60) % 30)
    other = frame.with_columns(method=pl.lit("b")).filter(pl.col("left") < 29)
    with pytest.raises(FaultyInput, match=r"method b: found 29 values; .* each of 30 groups"):
        left_out_of("f", ["a", "b"], pl.concat([frame, other]))
    assert left_out_of("g", ["a"], frame) is None
    few = left_out_of("f", ["a"], left_out(np.arange(19.0), np.arange(19)))
    assert few.refusal.startswith("19 cases")
