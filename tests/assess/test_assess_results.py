"""Results that were brought along, by ``assess.by_design``: each shape by hand, refusals, verdicts, invariance."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess import Design, by_design
from benchbook.assess.decisions import MethodMean, PairTest, decide, holm_of
from benchbook.assess.seeds import SeedLosses, error_with_seeds
from benchbook.assess.series import series_error
from benchbook.assess.spread import Spread
from benchbook.errors import FaultyInput, UnknownName

HOLDOUT = Design("holdout", 1)


def losses(values, split=0, start=0, **columns):
    """The frame of losses [n] by method."""
    return pl.concat(
        pl.DataFrame(
            {"method": name, "split": split, "row": start + np.arange(len(value)), "value": value}
            | {"role": "held_out", "loss": "l"}
            | columns
        )
        for name, value in values.items()
    )


@dataclass
class Shape:
    """What ``by_design`` is given for one shape of results."""

    design: Design
    losses: pl.DataFrame | None
    options: dict = field(default_factory=dict)


def shape_of(name, seed=1, scale=1.0):
    """Losses of three methods for each kind of design of results."""
    rng = np.random.default_rng(seed)
    level = {"a": 1.0, "b": 1.2, "c": 1.5}

    def draw(count):
        base = rng.gamma(2.0, size=count)
        return {m: scale * (base + up + 0.5 * rng.normal(size=count)) for m, up in level.items()}

    by_split = pl.DataFrame(
        {
            "method": np.repeat(["a", "b", "c"], 6),
            "split": np.tile(np.arange(6), 3),
            "loss": "l",
            "value": scale * (np.repeat([1.0, 1.2, 1.5], 6) + 0.1 * rng.normal(size=18)),
        }
    )
    crossed = pl.concat(losses(draw(40), split=split) for split in range(3))
    several = pl.concat(losses(draw(30), start=30 * t, dataset=f"d{t}") for t in range(4))
    return {
        "cases": Shape(HOLDOUT, losses(draw(60))),
        "clusters": Shape(
            Design("holdout", 1, groups=12),
            losses(draw(60)),
            {"groups": np.repeat(np.arange(12), np.r_[10, 9, 8, 7, 6, 5, 4, 3, 3, 2, 2, 1])},
        ),
        "weights": Shape(HOLDOUT, losses(draw(60), weight=rng.gamma(2.0, size=60))),
        "own seeds": Shape(Design("crossed", 3, runs="own"), crossed),
        "shared seeds": Shape(Design("crossed", 3, runs="shared"), crossed),
        "seeds alone": Shape(Design("seeds", 6, runs="own"), None, {"fold_losses": by_split}),
        "datasets": Shape(Design("datasets", 12), losses(draw(12))),
        "families": Shape(
            Design("datasets", 20, groups=8), losses(draw(20)), {"groups": np.arange(20) % 8}
        ),
        "these": Shape(Design("these", 4, within=HOLDOUT), several),
        "series": Shape(Design("series", 60), losses(draw(60))),
        "published": Shape(
            Design("published", 1, runs="own"),
            pl.DataFrame(
                {
                    "method": ["a", "b", "c"],
                    "loss": "l",
                    "value": [scale, 1.2 * scale, 1.5 * scale],
                    "se": [0.1 * scale, 0.12 * scale, 0.11 * scale],
                }
            ),
        ),
    }[name]


SHAPES = (
    "cases",
    "clusters",
    "weights",
    "own seeds",
    "shared seeds",
    "seeds alone",
    "datasets",
    "families",
    "these",
    "series",
    "published",
)


def found(name, rope=0.05, reference=None, **shape):
    each = shape_of(name, **shape)
    return by_design(each.losses, each.design, rope=rope, reference=reference, **each.options)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_has_means_pairs_and_a_test_of_its_own(name):
    result = found(name)
    assert result.table["method"].to_list()[0] == "a"
    assert result.pairs.height == 3
    assert result.pairs["p"].null_count() == 0
    assert (result.pairs["low"] < result.pairs["difference"]).all()
    assert set(result.table["verdict"][1:]) <= {"worse", "open", "as good"}
    test = result.pairs["method_test"].unique().to_list()
    assert test == [
        {"clusters": "clustered t", "families": "clustered t"}.get(name, result.design.statistic)
    ]
    assert all(note.text.endswith(".") for note in result.notes)


@pytest.mark.parametrize("name", SHAPES)
def test_results_are_in_the_unit_of_the_loss_and_in_any_order(name):
    one, ten = found(name, rope=0.05), found(name, rope=0.5, scale=10.0)
    numbers = ("difference", "se_difference", "low", "high")
    assert np.allclose(one.pairs.select(numbers) * 10, ten.pairs.select(numbers))
    assert np.allclose(one.pairs["p"], ten.pairs["p"])
    each = shape_of(name)
    options = dict(each.options)
    frame = each.losses
    if frame is None:
        options["fold_losses"] = options["fold_losses"].sample(fraction=1.0, shuffle=True, seed=2)
    elif name != "published":
        frame = frame.sample(fraction=1.0, shuffle=True, seed=2)
    shuffled = by_design(frame, each.design, rope=0.05, **options)
    assert np.allclose(shuffled.pairs["p"], one.pairs["p"])
    assert shuffled.table["verdict"].to_list() == one.table["verdict"].to_list()


def test_cases_of_numbers_are_compared_by_the_paired_t():
    frame = shape_of("cases").losses
    values = {m: frame.filter(method=m)["value"].to_numpy() for m in "ab"}
    t = stats.ttest_rel(values["b"], values["a"])
    row = found("cases").pair("l", "b", "a")
    assert (row["p"], row["df"]) == pytest.approx((t.pvalue, 59))


def test_0_1_losses_have_half_a_case_more_each_way():
    a, b = np.r_[np.ones(9), np.zeros(51)], np.r_[np.zeros(7), np.ones(12), np.zeros(41)]
    shuffle = np.random.default_rng(3).permutation(60)
    row = by_design(losses({"a": a[shuffle], "b": b[shuffle]}), HOLDOUT).pair("l", "b", "a")
    middle = (10.5 - 7.5) / 61
    assert row["method_test"] == "paired t over cases (+½)"
    assert (row["low"] + row["high"]) / 2 == pytest.approx(middle)
    assert row["difference"] == pytest.approx(3 / 60)
    assert row["se_difference"] == pytest.approx(np.sqrt((18 / 61 - middle**2) / 61))
    twice = losses({"a": a[shuffle], "b": b[shuffle]}, weight=np.r_[np.ones(30), np.full(30, 2.0)])
    assert by_design(twice, HOLDOUT).pair("l", "b", "a")["method_test"] == "paired t over cases"


@pytest.mark.parametrize(("sizes", "why"), [((30, 30), "two clusters"), ((31, 15, 14), "one of 3")])
def test_clusters_that_are_too_few_have_no_test(sizes, why):
    group = np.repeat(np.arange(len(sizes)), sizes)
    design = Design("holdout", 1, groups=len(sizes))
    frame = shape_of("cases").losses
    result = by_design(frame, design, groups=group)
    row = result.pair("l", "b", "a")
    assert (row["p"], row["low"], row["p_missing_reason"][: len(why)]) == (None, None, why)
    assert result.table["verdict"].to_list()[1:] == ["no test", "no test"]
    assert result.table["low"].null_count() == 3


@pytest.mark.parametrize(
    ("kind", "count", "why"),
    [
        ("holdout", 9, "9 cases: no test below 10"),
        ("datasets", 4, "4 datasets are no sample of datasets"),
        ("series", 44, "44 times: no valid standard error"),
    ],
)
def test_too_few_have_no_test_and_one_more_has(kind, count, why):
    for number in (count, count + 1):
        rng = np.random.default_rng(4)
        frame = losses({"a": rng.random(number), "b": rng.random(number) + 0.1})
        row = by_design(frame, Design(kind, 1)).pair("l", "b", "a")
        assert (row["p"] is None) == (number == count)
        assert row["p_missing_reason"].startswith(why if number == count else "")


def test_datasets_are_approximate_below_thirty_and_not_from_there_on():
    for count in (29, 30):
        rng = np.random.default_rng(5)
        frame = losses({"a": rng.random(count), "b": rng.random(count)})
        row = by_design(frame, Design("datasets", count)).pair("l", "b", "a")
        assert row["note"].startswith(f"approximate: {count} datasets" if count < 30 else "")
        assert bool(row["note"]) == (count < 30)


def test_samples_of_a_case_are_averaged_first_and_unequal_counts_are_said():
    rng = np.random.default_rng(6)
    table = {m: rng.random((4, 50)) for m in "ab"}
    frame = pl.concat(losses({m: v[k] for m, v in table.items()}, sample=k) for k in range(4))
    mean = by_design(losses({m: v.mean(axis=0) for m, v in table.items()}), HOLDOUT)
    every = by_design(frame, HOLDOUT)
    assert np.allclose(every.pairs["p"], mean.pairs["p"])
    assert "unequal_samples" not in {note.code for note in every.notes}
    some = by_design(frame.filter((pl.col("sample") < 3) | (pl.col("row") > 4)), HOLDOUT)
    assert "unequal_samples" in {note.code for note in some.notes}


def test_series_and_seeds_have_the_error_of_their_own_statistic():
    frame = shape_of("series").losses
    values = {m: frame.filter(method=m)["value"].to_numpy() for m in "ab"}
    row = found("series").pair("l", "b", "a")
    error, df, _ = series_error(values["b"] - values["a"])
    assert (row["se_difference"], row["df"]) == pytest.approx((error, df))
    rng = np.random.default_rng(10)
    drift = losses({"a": np.zeros(180), "b": rng.normal(size=180) + np.linspace(-1, 1, 180)})
    row = by_design(drift, Design("series", 180)).pair("l", "b", "a")
    assert row["note"] == "approximate: the mean drifts"
    seeds = shape_of("own seeds").losses
    one, other = (
        SeedLosses(seeds.filter(method=m)["value"].to_numpy().reshape(3, 40), np.full(40, 1 / 40))
        for m in "ba"
    )
    usual = stats.sem((one.losses - other.losses).mean(axis=0))
    for name, fits in (
        ("own seeds", (one, other)),
        ("shared seeds", (SeedLosses(one.losses - other.losses, one.share),)),
    ):
        row = found(name).pair("l", "b", "a")
        expected = error_with_seeds(usual, 39, fits)
        assert (row["se_difference"], row["df"]) == pytest.approx(expected)


def test_one_seed_borrows_and_is_said_and_one_each_is_about_the_fits():
    frame = shape_of("own seeds").losses
    design = Design("crossed", 3, runs="own")
    some = by_design(frame.filter((pl.col("method") != "b") | (pl.col("split") == 1)), design)
    note = next(note.text for note in some.notes if note.code == "borrowed_seeds")
    assert note.startswith("b has one seed:")
    assert some.pair("l", "b", "a")["df"] < 39
    single = by_design(frame.filter(split=0), design)
    alone = by_design(frame.filter(split=0), HOLDOUT)
    assert np.allclose(single.pairs["p"], alone.pairs["p"])
    assert "models_only" in {note.code for note in single.notes}
    gap = frame.filter((pl.col("split") != 2) | (pl.col("row") != 7) | (pl.col("method") != "c"))
    refused(FaultyInput, "method c, seed 2: found 39 losses on other cases", by_design, gap, design)


def test_these_datasets_are_the_mean_of_each_by_its_own_design():
    frame = shape_of("these").losses
    parts = [by_design(part, HOLDOUT).pair("l", "b", "a") for part in frame.partition_by("dataset")]
    row = found("these").pair("l", "b", "a")
    squares = np.array([part["se_difference"] ** 2 for part in parts])
    assert row["difference"] == pytest.approx(np.mean([part["difference"] for part in parts]))
    assert row["se_difference"] == pytest.approx(np.sqrt(squares.sum()) / 4)
    assert row["df"] == pytest.approx(squares.sum() ** 2 / (squares**2 / 29).sum())
    few = frame.filter((pl.col("dataset") != "d2") | (pl.col("row") < 65))
    row = by_design(few, Design("these", 4, within=HOLDOUT)).pair("l", "b", "a")
    assert (row["p"], row["p_missing_reason"]) == (None, "5 cases: no test below 10 (d2)")


def test_these_datasets_by_folds_each_by_its_own_design_and_faults_all_at_once():
    rng = np.random.default_rng(7)
    frame = pl.DataFrame(
        {
            "dataset": np.repeat(["x", "y"], 20),
            "method": np.tile(np.repeat(["a", "b"], 10), 2),
            "split": np.tile(np.arange(10), 4),
            "loss": "l",
            "value": rng.random(40),
        }
    )
    within = {
        "x": Design("folds", 10, test_to_train=1 / 9),
        "y": Design("splits", 10, test_to_train=0.25),
    }
    parts = {
        name: by_design(None, within[name], fold_losses=frame.filter(dataset=name)) for name in "xy"
    }
    row = by_design(None, Design("these", 2, within=within), fold_losses=frame).pair("l", "a", "b")
    errors = [part.pair("l", "a", "b")["se_difference"] for part in parts.values()]
    assert row["se_difference"] == pytest.approx(np.hypot(*errors) / 2)
    lacking = frame.filter((pl.col("dataset") != "y") | (pl.col("method") != "b"))
    with pytest.raises(FaultyInput, match=r"(?s)x: found no design.*y: found nothing of b by l"):
        by_design(None, Design("these", 2, within={"y": within["y"]}), fold_losses=lacking)
    refused(FaultyInput, "dataset: found no such column", by_design, shape_of("cases").losses,
            Design("these", 2, within=HOLDOUT))  # fmt: skip


def test_datasets_on_which_methods_are_alike_do_not_spoil_the_others():
    frame = shape_of("these").losses
    same = frame.with_columns(value=pl.when(pl.col("dataset") == "d0").then(1.0).otherwise("value"))
    result = by_design(same, Design("these", 4, within=HOLDOUT))
    assert result.pairs["p"].null_count() == 0


def test_published_means_of_the_same_cases_have_no_p_but_words():
    frame = shape_of("published").losses
    result = by_design(frame, Design("published", 1, runs="shared"), rope=0.1)
    row = result.pair("l", "b", "a")
    assert (row["p"], row["low"], row["verdict"]) == (None, None, "no test")
    assert row["se_difference"] == pytest.approx(np.hypot(0.1, 0.12))
    assert row["note"].startswith("significant only if losses of cases correlate by")
    assert row["p_missing_reason"] == (
        f"the pairing of cases is lost; {row['note']} (unpaired standard error 0.156)"
    )
    assert [note.code for note in result.notes] == ["pairing_lost"]
    z = found("published").pair("l", "b", "a")
    assert z["p"] == pytest.approx(2 * stats.norm.sf(0.2 / np.hypot(0.1, 0.12)))
    with pytest.raises(FaultyInput) as caught:
        by_design(
            pl.concat([frame, frame[:1]]).with_columns(se=pl.Series([0.1, 0.0, None, 0.1])),
            Design("published", 1, runs="own"),
        )
    assert len(caught.value.faults) == 4


def test_segments_have_the_difference_in_each_and_one_test():
    frame = shape_of("cases").losses
    names = np.array(["north", "south", "few"])[
        np.r_[np.zeros(25), np.ones(25), np.full(10, 2)].astype(int)
    ]
    result = by_design(frame, HOLDOUT, segments=names)
    assert result.segments["method"].unique(maintain_order=True).to_list() == ["b", "c"]
    assert result.segments["other"].unique().to_list() == ["a"]
    assert result.segments["segment"][:3].to_list() == ["north", "south", "few"]
    values = {m: frame.filter(method=m)["value"].to_numpy() for m in "abc"}
    for row in result.segments.to_dicts():
        mine = names == row["segment"]
        t = stats.ttest_rel(values[row["method"]][mine], values["a"][mine])
        assert row["cases"] == mine.sum()
        if row["segment"] == "few":
            assert row["p"] is None
            assert row["p_missing_reason"] == "10 cases: no test of a segment below 20"
        else:
            assert row["p"] == pytest.approx(t.pvalue)
    assert result.segments["p_holm"].to_list() == pytest.approx(
        holm_of(result.segments["p"].to_list())
    )
    gaps = values["b"] - values["a"]
    welch = stats.ttest_ind(gaps[names == "north"], gaps[names == "south"], equal_var=False)
    test = result.segment_tests.row(0, named=True)
    assert (test["p"], test["segments"]) == (pytest.approx(welch.pvalue), 2)
    refused(FaultyInput, "found 59 labels", by_design, frame, HOLDOUT, segments=names[:59])
    refused(FaultyInput, "found 1 empty", by_design, frame, HOLDOUT, segments=[None, *names[1:]])
    assert found("cases").segments.is_empty()
    for name in ("these", "published", "seeds alone"):
        each = shape_of(name)
        options = each.options | {"segments": ["x"] * 120}
        refused(
            FaultyInput, "without losses of cases", by_design, each.losses, each.design, **options
        )


def test_segments_of_folds_and_against_a_reference():
    frame = shape_of("cases").losses.with_columns(split=pl.col("row") % 5)
    design = Design("folds", 5, test_to_train=0.25)
    names = np.repeat(["x", "y"], 30)
    result = by_design(frame, design, segments=names, reference="b")
    assert result.segments["other"].unique().to_list() == ["b"]
    part = by_design(frame.filter(pl.col("row") < 30), design).pair("l", "c", "b")
    row = result.segments.filter(method="c", segment="x").row(0, named=True)
    assert (row["difference"], row["p"]) == pytest.approx((part["difference"], part["p"]))
    assert result.segment_tests["p"].null_count() == 0


def decided(gaps, errors, reference, rope):
    """What is decided of methods with these differences from "r"."""
    names = [f"m{number}" for number in range(len(gaps))]
    means = [MethodMean("r", Spread(1.0, 0.1, 99.0, "t"))]
    means += [
        MethodMean(n, Spread(1.0 + g, 0.1, 99.0, "t")) for n, g in zip(names, gaps, strict=True)
    ]
    level = dict(zip(["r", *names], [0.0, *gaps], strict=True))
    pairs = [
        PairTest(one, other, Spread(level[one] - level[other], error, 99.0, "t"))
        for (one, other), error in zip(
            [(n, "r") for n in names]
            + [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]],
            [*errors, *[0.05] * (len(names) * (len(names) - 1) // 2)],
            strict=True,
        )
    ]
    return decide("l", means, pairs, rope, 0.95, reference)


@pytest.mark.parametrize("seed", range(40))
def test_with_a_reference_its_pairs_are_the_family_and_what_is_as_good_is_not_worse(seed):
    rng = np.random.default_rng(seed)
    gaps, errors = 0.2 * rng.normal(size=4), rng.uniform(0.01, 0.1, size=4)
    rope = float(rng.choice([0.0, 0.1, 0.3]))
    given = {row["method"]: row for row in decided(gaps, errors, "r", rope).table}
    names = [f"m{number}" for number in range(4)]
    assert [given[n]["p_holm"] for n in names] == pytest.approx(
        holm_of([given[n]["p"] for n in names])
    )
    worse = holm_of([given[n]["prob_worse"] for n in names])
    same = holm_of([1 - given[n]["prob_same"] for n in names])
    for name, beyond, outside in zip(names, worse, same, strict=True):
        word = given[name]["verdict"]
        assert (word == "as good") == (outside <= 0.05)
        assert outside > 0.05 or beyond <= 0.05
        if word == "not worse":
            assert beyond <= 0.05
            assert rope > 0.0
        elif beyond <= 0.05 and rope > 0.0:
            assert word in ("as good", "better")
    without = {row["method"]: row["verdict"] for row in decided(gaps, errors, None, rope).table}
    assert "not worse" not in without.values()


def test_nine_methods_at_the_margin_are_rarely_called_not_worse():
    """Any of nine, each worse by just the rope, with errors that share the reference: 5 %, and 14 % one by one."""
    rng = np.random.default_rng(8)
    wrong = alone = 0
    for _ in range(150):
        noise = rng.normal(size=10)
        gaps = 0.3 + 0.1 * (noise[1:] - noise[0]) / np.sqrt(2)
        rows = decided(gaps, [0.1] * 9, "r", 0.3).table
        wrong += any(row["verdict"] in ("not worse", "as good", "better") for row in rows)
        alone += any(row["prob_worse"] is not None and row["prob_worse"] <= 0.05 for row in rows)
    assert wrong <= 0.1 * 150
    assert alone > 0.15 * 150


def test_the_verdict_of_a_pair_is_that_of_the_table():
    for name in SHAPES:
        result = found(name, reference="b")
        for row in result.table.to_dicts():
            if row["method"] != "b":
                assert result.pair("l", row["method"], "b")["verdict"] == row["verdict"]
    refused(UnknownName, "x", by_design, shape_of("cases").losses, HOLDOUT, reference="x")


def test_a_loss_of_one_test_set_has_the_error_of_its_jackknife():
    rng = np.random.default_rng(9)
    y = rng.normal(size=60)
    predictions = {m: y + s * rng.normal(size=60) for m, s in (("a", 0.5), ("b", 0.8))}
    group = np.arange(60) % 30

    def loss(p, rows):
        return ((y - p)[rows] ** 2).sum() / ((y[rows] - y[rows].mean()) ** 2).sum()

    rows = [(m, "r", k, 2, loss(p, group != k)) for m, p in predictions.items() for k in range(30)]
    names = ["method", "loss", "left", "cases", "value"]
    left = pl.DataFrame(rows, schema=names, orient="row")
    whole = pl.DataFrame(
        [(m, 0, "r", loss(p, group >= 0)) for m, p in predictions.items()],
        schema=["method", "split", "loss", "value"],
        orient="row",
    )
    row = by_design(None, HOLDOUT, fold_losses=whole, left_out=left).pair("r", "b", "a")
    gaps = np.array([rows[30 + k][4] - rows[k][4] for k in range(30)])
    error = np.sqrt(29 / 30 * ((gaps - gaps.mean()) ** 2).sum())
    assert (row["se_difference"], row["df"]) == pytest.approx((error, 29))
    assert row["method_test"] == "delete-group jackknife"
    none = by_design(None, HOLDOUT, fold_losses=whole).pair("r", "b", "a")
    assert none["p_missing_reason"].startswith("a loss of the whole test set")
