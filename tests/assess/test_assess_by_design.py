"""From losses to verdicts by design: hand computation, invariance, roles, and what has no number."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from refusals import refused
from scipy import stats

from benchbook.assess import case_losses, corrected_resampled_t, split_losses
from benchbook.assess.by_design import by_design
from benchbook.assess.decisions import verdict
from benchbook.assess.designs import KINDS, Design, folds_design
from benchbook.assess.overlapping import entries, loss_sums
from benchbook.errors import FaultyInput, UnknownName

K, R, N = 5, 2, 40


def losses_of(values, k=K, repeats=R, loss="absolute", role="held_out", seed=3, **columns):
    """The frame of losses [R, N] (or [N], the same in every repeat) by method, over repeated random folds."""
    rng = np.random.default_rng(seed)
    folds = [rng.permutation(N) % k for _ in range(repeats)]
    frames = []
    for name, given in values.items():
        table = np.broadcast_to(given, (repeats, N))
        for repeat in range(repeats):
            frames.append(
                pl.DataFrame(
                    {
                        "method": name,
                        "split": repeat * k + folds[repeat],
                        "row": np.arange(N),
                        "role": role,
                        "loss": loss,
                        "value": table[repeat].astype(float),
                        **columns,
                    }
                )
            )
    return pl.concat(frames)


@pytest.fixture
def values():
    rng = np.random.default_rng(11)
    base = rng.gamma(2.0, size=N)
    return {
        name: base + shift + 0.3 * rng.random((R, N))
        for name, shift in (("line", 0.0), ("tree", 0.2), ("constant guess", 1.0))
    }


def test_means_and_the_corrected_t_are_those_of_a_hand_computation(values):
    frame = losses_of(values)
    result = by_design(frame, folds_design(N, K, R), rope=0.05)
    means = frame.group_by("method", "split").agg(pl.col("value").mean()).sort("method", "split")
    by_split = {name[0]: part["value"].to_numpy() for name, part in means.group_by("method")}
    gaps = by_split["tree"] - by_split["line"]
    row = result.pair("absolute", "tree", "line")
    rows = {name: values[name].mean(axis=0) for name in values}
    casewise = stats.sem(rows["tree"] - rows["line"])
    corrected = corrected_resampled_t(gaps, 1 / (K - 1)).standard_error
    assert row["difference"] == pytest.approx(gaps.mean())
    assert row["se_difference"] == pytest.approx(max(casewise, corrected))
    assert row["se_ratio"] == pytest.approx(corrected / casewise)
    half = stats.t.ppf(0.975, K - 1) * row["se_difference"]
    assert (row["low"], row["high"]) == pytest.approx((gaps.mean() - half, gaps.mean() + half))
    assert row["p"] == pytest.approx(2 * stats.t.sf(gaps.mean() / row["se_difference"], K - 1))
    above = stats.t.sf((0.05 - gaps.mean()) / row["se_difference"], K - 1)
    assert row["prob_worse"] == pytest.approx(above)
    assert row["prob_worse"] + row["prob_same"] + row["prob_better"] == pytest.approx(1.0)


def test_the_standard_error_is_never_below_the_case_wise_one():
    rng = np.random.default_rng(2)
    base = rng.random(N) + 1.0
    folds = np.random.default_rng(3).permutation(N) % K
    level = base - np.bincount(folds, base)[folds] / np.bincount(folds)[folds]
    result = by_design(losses_of({"a": level + 2.0, "b": 0 * level}, repeats=1), folds_design(N, K))
    row = result.pair("absolute", "a", "b")
    assert row["se_ratio"] < 1e-6
    assert row["se_difference"] == pytest.approx(stats.sem(level))


def test_order_scale_and_a_constant_shift_change_nothing_else(values):
    design = folds_design(N, K, R)
    frame = losses_of(values)
    result = by_design(frame, design, rope=0.1)
    shuffled = by_design(frame.sample(fraction=1.0, shuffle=True, seed=1), design, rope=0.1)
    assert shuffled.table.equals(result.table)
    weighted = by_design(losses_of(values, weight=3.0), design, rope=0.1)
    assert weighted.table.equals(result.table)
    moved = by_design(frame.with_columns(pl.col("value") * 10 + 7), design, rope=1.0)
    for name in ("p", "p_holm", "prob_worse", "df", "se_ratio", "top_share"):
        assert moved.table[name].to_list() == pytest.approx(result.table[name].to_list())
    assert moved.table["se"].to_list() == pytest.approx((result.table["se"] * 10).to_list())
    turned = result.pair("absolute", "line", "tree")
    assert turned["difference"] == -result.pair("absolute", "tree", "line")["difference"]
    assert turned["low"] == -result.pair("absolute", "tree", "line")["high"]


def test_weights_of_whole_numbers_are_copies_of_cases():
    rng = np.random.default_rng(5)
    loss, weight = rng.random(30), rng.integers(1, 4, 30)
    design = Design("holdout", 1, train_size=60)
    rows = np.arange(30)
    single = pl.DataFrame(
        {"method": "a", "split": 0, "row": rows, "role": "held_out", "loss": "z", "value": loss}
    )
    weighted = by_design(single.with_columns(weight=weight.astype(float)), design).table
    copies = np.repeat(rows, weight)
    many = single[copies].with_columns(row=np.arange(len(copies)))
    grouped = by_design(many, design, groups=copies).table
    assert weighted["mean"][0] == pytest.approx(np.average(loss, weights=weight))
    assert weighted["se"][0] == pytest.approx(grouped["se"][0])


def test_groups_cluster_the_cases_and_bound_the_degrees_of_freedom():
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(4), 10)
    gap = rng.normal(size=4)[groups] + 0.01 * rng.normal(size=N)
    frame = pl.concat(
        pl.DataFrame(
            {"method": name, "split": groups, "row": np.arange(N), "role": "held_out",
             "loss": "absolute", "value": 3.0 + sign * gap}
        )
        for name, sign in (("a", 1), ("b", -1))
    )  # fmt: skip
    result = by_design(frame, folds_design(N, 4, groups=4), groups=groups).pair(
        "absolute", "a", "b"
    )
    means = 2 * np.array([gap[groups == g].mean() for g in range(4)])
    assert result["df"] == 3
    assert result["se_difference"] >= stats.sem(means)
    refused(FaultyInput, "the group of each case", by_design, frame, folds_design(N, 4, groups=4))


def test_frames_without_roles_or_with_several_are_refused(values):
    frame, design = losses_of(values), folds_design(N, K, R)
    refused(FaultyInput, "role: found no such column", by_design, frame.drop("role"), design)
    mixed = pl.concat([frame, losses_of(values, role="training")])
    with pytest.raises(FaultyInput, match="'held_out', 'training'; losses of held-out cases only"):
        by_design(mixed, design)
    with pytest.raises(FaultyInput, match="role: found 'training'"):
        by_design(losses_of(values, role="training"), design)


def test_all_faults_of_a_frame_are_reported_at_once(values):
    values["tree"] = np.where(values["tree"] == values["tree"].max(), np.nan, values["tree"])
    values["line"] = np.where(values["line"] == values["line"].max(), -np.inf, values["line"])
    frame = losses_of(values).filter(
        ~((pl.col("method") == "constant guess") & (pl.col("row") == 4))
    )
    with pytest.raises(FaultyInput) as caught:
        by_design(frame, folds_design(N, K, R))
    assert sorted(fault.where for fault in caught.value.faults) == [
        f"loss absolute, method {name}" for name in ("line", "line", "tree", "tree")
    ]
    with pytest.raises(UnknownName, match="tres"):
        by_design(
            losses_of({"tree": values["constant guess"]}), folds_design(N, K, R), reference="tres"
        )


def test_infinite_losses_have_no_interval_and_name_their_rows(values):
    values["tree"] = np.where(np.arange(N) == 7, np.inf, values["tree"])
    labels = [f"row-{i}" for i in range(N)]
    result = by_design(losses_of(values), folds_design(N, K, R), labels=labels)
    row = result.table.filter(method="tree").to_dicts()[0]
    assert row["low"] is None
    assert row["mean_note"] == "no interval: infinite in rows row-7"
    assert row["verdict"] == "no test"
    assert result.table["method"].to_list()[-1] == "tree"
    assert result.pair("absolute", "constant guess", "line")["p"] is not None


def test_zero_losses_and_alike_methods_have_the_rule_of_three_and_no_test():
    rng = np.random.default_rng(1)
    wrong = (rng.random(N) < 0.4).astype(float)
    values = {"a": np.zeros(N), "b": np.zeros(N), "constant guess": wrong}
    result = by_design(losses_of(values, loss="zero_one"), folds_design(N, K, R))
    first = result.table.filter(method="a").to_dicts()[0]
    assert (first["mean"], first["se"], first["low"]) == (0.0, None, None)
    assert first["bound"] == pytest.approx(3 / N, rel=0.05)
    row = result.pair("zero_one", "a", "b")
    assert (row["p"], row["low"], row["prob_same"]) == (None, None, None)
    assert "rule of three" in row["p_missing_reason"]
    codes = {note.code for note in result.notes}
    assert {"zero_losses", "no_disagreement"} <= codes


def test_differences_at_rounding_level_count_as_none(values):
    noise = 1e-13 * np.random.default_rng(0).normal(size=(R, N))
    both = {"a": values["line"], "b": values["line"] * (1 + noise)}
    row = by_design(losses_of(both), folds_design(N, K, R)).pair("absolute", "a", "b")
    assert row["p"] is None
    assert "same loss in every case" in row["p_missing_reason"]


def test_few_cases_with_most_of_the_variance_make_an_interval_approximate():
    rng = np.random.default_rng(4)
    heavy = np.where(np.arange(N) == 17, 80.0, rng.random(N))
    frame = losses_of({"a": heavy, "b": rng.random(N)}, loss="squared")
    result = by_design(frame, folds_design(N, K, R))
    assert result.table.filter(method="a")["mean_note"][0].startswith("approximate")
    note = next(note for note in result.notes if note.code == "approximate")
    assert note.text.endswith("a loss that is bounded depends less on them.")


def test_training_sets_that_differ_too_much_leave_the_interval_and_no_p():
    rng = np.random.default_rng(6)
    folds = np.random.default_rng(3).permutation(N) % K
    jump = np.array([0.0, 0, 0, 0, 40])[folds]
    values = {"a": 1 + jump + 0.01 * rng.random(N), "b": 1 + 0.01 * rng.random(N)}
    result = by_design(losses_of(values, repeats=1), folds_design(N, K, effort="quick"))
    row = result.pair("absolute", "a", "b")
    assert row["se_ratio"] > 3.0
    assert row["low"] < row["difference"] < row["high"]
    assert (row["p"], row["prob_worse"]) == (None, None)
    assert "effort='cautious'" in row["p_missing_reason"]
    assert [note.code for note in result.notes] == ["cautious"]
    cautious = by_design(
        losses_of(values, repeats=1),
        folds_design(N, K, effort="cautious"),
        second=second_fits(values, folds, jump=30.0),
    )
    row = cautious.pair("absolute", "a", "b")
    assert row["method_test"] == "jackknife"
    assert row["p"] is not None
    assert [note.code for note in cautious.notes] == ["models_only"]


def second_fits(values, folds, jump=0.0):
    rows = [
        (
            name,
            0,
            left,
            tested,
            "absolute",
            float(value[folds == tested].mean()) + jump * (name == "a") * (left == 0),
        )
        for name, value in values.items()
        for left in range(K)
        for tested in range(K)
        if left != tested
    ]
    columns = ["method", "repeat", "left", "tested", "loss", "value"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def test_the_jackknife_of_fits_that_never_change_is_that_of_the_fold_means(values):
    single = {name: value[0] for name, value in values.items()}
    folds = np.random.default_rng(3).permutation(N) % K
    design = folds_design(N, K, effort="cautious")
    result = by_design(losses_of(single, repeats=1), design, second=second_fits(single, folds))
    gaps = single["tree"] - single["line"]
    means = np.array([gaps[folds == fold].mean() for fold in range(K)])
    row = result.pair("absolute", "tree", "line")
    assert row["se_difference"] == pytest.approx(max(stats.sem(means), stats.sem(gaps)))
    assert row["df"] == K - 1
    refused(FaultyInput, "cautious", by_design, losses_of(single, repeats=1), design)


def test_random_splits_have_at_most_nine_degrees_of_freedom_and_the_floor():
    rng = np.random.default_rng(31)
    tested = np.stack([rng.permutation(N)[:4] for _ in range(20)])
    gaps = rng.normal(0.2, size=N)
    frame = pl.concat(
        pl.DataFrame({"method": name, "split": np.repeat(np.arange(20), 4), "row": tested.ravel(),
                      "role": "held_out", "loss": "absolute", "value": 5 + sign * gaps[tested].ravel()})
        for name, sign in (("a", 1), ("b", 0))
    )  # fmt: skip
    row = by_design(frame, Design("splits", 20, 1, 36, 1 / 9)).pair("absolute", "a", "b")
    means = gaps[tested].mean(axis=1)
    corrected = corrected_resampled_t(means, 1 / 9).standard_error
    assert row["df"] == 9
    assert row["difference"] == pytest.approx(means.mean())
    assert row["se_difference"] == pytest.approx(corrected * max(1.0, 1 / row["se_ratio"]))


def test_partitions_are_compared_by_their_means():
    means = {"a": [4.0, 5.0, 4.5], "b": [5.0, 6.5, 5.0]}
    frame = pl.concat(
        pl.DataFrame({"method": name, "split": [0, 1, 2], "loss": "E", "value": mean})
        for name, mean in means.items()
    )
    row = by_design(None, Design("partitions", 3, 1, 350, 0.5), fold_losses=frame).pair(
        "E", "b", "a"
    )
    test = corrected_resampled_t(np.subtract(means["b"], means["a"]), 0.5)
    assert (row["p"], row["se_difference"]) == pytest.approx((test.p, test.standard_error))


def test_a_rare_class_has_a_note_that_the_cautious_effort_has_not(values):
    classes = (np.arange(N) % 20 == 0).astype(int)
    single = {name: value[0] for name, value in values.items()}
    frame = losses_of(single, repeats=1, loss="log")
    result = by_design(frame, folds_design(N, K, effort="quick"), targets=classes)
    assert "rare_class" in {note.code for note in result.notes}
    assert result.pair("log", "tree", "line")["note"].startswith("for these fitted models only")
    folds = np.random.default_rng(3).permutation(N) % K
    second = second_fits(single, folds).with_columns(loss=pl.lit("log"))
    design = folds_design(N, K, effort="cautious")
    cautious = by_design(frame, design, second=second, targets=classes)
    assert "rare_class" not in {note.code for note in cautious.notes}


def test_a_holdout_is_about_the_fitted_models_by_a_paired_t():
    rng = np.random.default_rng(7)
    first, other = rng.random(30), rng.random(30)
    frame = pl.concat(
        pl.DataFrame({"method": name, "split": 0, "row": 3 * np.arange(30), "role": "held_out",
                      "loss": "absolute", "value": value})
        for name, value in (("a", first), ("b", other))
    )  # fmt: skip
    design = Design("holdout", 1, train_size=100)
    row = by_design(frame, design).pair("absolute", "a", "b")
    assert row["p"] == pytest.approx(stats.ttest_rel(first, other).pvalue)
    assert design.answers == "these fitted models only"


def test_scorers_are_compared_by_fold_without_a_floor():
    rng = np.random.default_rng(12)
    values = {"a": rng.random(K * R), "b": rng.random(K * R) + 0.2}
    folds = pl.concat(
        pl.DataFrame({"method": name, "split": np.arange(K * R), "loss": "1 - r2", "value": value})
        for name, value in values.items()
    )
    result = by_design(None, folds_design(N, K, R), fold_losses=folds)
    row = result.pair("1 - r2", "b", "a")
    expected = corrected_resampled_t(values["b"] - values["a"], 1 / (K - 1)).standard_error
    assert row["se_difference"] == pytest.approx(expected)
    assert row["df"] == K - 1
    assert [note.code for note in result.notes] == ["by_fold"]
    undefined = folds.with_columns(
        value=pl.when(pl.col("split") == 2).then(None).otherwise("value")
    )
    gap = by_design(None, folds_design(N, K, R), fold_losses=undefined)
    assert [note.code for note in gap.notes] == ["folds_without", "by_fold"]
    holdout = folds.filter(split=0)
    nothing = by_design(None, Design("holdout", 1), fold_losses=holdout).pair("1 - r2", "b", "a")
    assert "one test set" in nothing["p_missing_reason"]


def test_auc_has_delongs_error_within_folds():
    rng = np.random.default_rng(13)
    targets = np.tile(np.repeat([1, 0], [8, 12]), (K, 1))
    scores = {
        name: [(target, target * gain + rng.normal(size=20)) for target in targets]
        for name, gain in (("a", 1.5), ("b", 0.5))
    }
    area = {
        name: [np.mean(s[t == 1][:, None] > s[t == 0][None]) for t, s in folds]
        for name, folds in scores.items()
    }
    frame = pl.concat(
        pl.DataFrame(
            {"method": name, "split": np.arange(K), "loss": "auc", "value": 1 - np.array(item)}
        )
        for name, item in area.items()
    )
    result = by_design(None, folds_design(100, K), fold_losses=frame, scores=scores)
    row = result.table.filter(method="a").to_dicts()[0]
    assert row["mean"] == pytest.approx(1 - np.mean(area["a"]))
    upper = [np.mean(s[t == 1][:, None] > s[t == 0][None], axis=1) for t, s in scores["a"]]
    lower = [np.mean(s[t == 1][:, None] > s[t == 0][None], axis=0) for t, s in scores["a"]]
    error = np.hypot(stats.sem(np.concatenate(upper)), stats.sem(np.concatenate(lower)))
    assert row["se"] == pytest.approx(error)
    assert 0 < row["low"] < row["mean"] < row["high"] < 1
    assert row["df"] == 39
    assert result.pair("auc", "b", "a")["method_test"] == "DeLong"
    assert not result.notes
    weighted = frame.with_columns(pl.col("value") * 1.01)
    other = by_design(None, folds_design(100, K), fold_losses=weighted, scores=scores)
    assert other.pair("auc", "b", "a")["method_test"] == "corrected t"


def test_designs_say_what_is_valid_and_refuse_the_rest():
    for kind in KINDS:
        runs = "own" if kind in ("crossed", "seeds", "published") else ""
        within = folds_design(100, 4) if kind == "these" else None
        design = Design(kind, 4, test_to_train=0.3, groups=9, runs=runs, within=within)
        assert design.overlap.endswith(".")
        design.require(design.statistic)
        with pytest.raises(FaultyInput, match=r"(?s)equal methods in a third .* Valid: "):
            design.require("paired t over folds")
    with pytest.raises(FaultyInput, match="takes training sets for independent"):
        folds_design(100, 10).require("analysis of variance")
    with pytest.raises(FaultyInput) as caught:
        Design("fold", 1, repeats=2, effort="hasty")
    assert len(caught.value.faults) == 3
    with pytest.raises(FaultyInput, match="'own' or 'shared'"):
        Design("crossed", 3)
    with pytest.raises(FaultyInput, match="the design of each"):
        Design("these", 3)


@pytest.mark.parametrize(
    ("worse", "same", "holm", "claim", "expected"),
    [
        (0.01, 0.95, 0.01, "as good", "as good"),
        (0.01, 0.95, 0.9, "", "open"),
        (0.96, 0.03, 0.04, "", "worse"),
        (0.96, 0.03, 0.06, "", "open"),
        (0.5, 0.3, 0.5, "", "open"),
        (0.01, 0.03, 0.04, "not worse", "better"),
        (0.01, 0.03, 0.06, "not worse", "not worse"),
        (0.01, 0.03, 0.06, "", "open"),
        (None, None, None, "", "no test"),
    ],
)
def test_verdicts_follow_their_rules(worse, same, holm, claim, expected):
    better = None if worse is None else 1 - worse - same
    row = {"prob_worse": worse, "prob_same": same, "prob_better": better, "p_holm": holm}
    assert verdict(row, True, claim) == expected


def test_a_reference_that_is_not_the_best_can_be_worse(values):
    result = by_design(losses_of(values), folds_design(N, K, R), reference="constant guess")
    words = dict(result.table.select("method", "verdict").rows())
    assert words == {"line": "better", "tree": "better", "constant guess": "reference"}


def test_disjoint_training_sets_are_analysed_as_delve_does(values):
    rng = np.random.default_rng(21)
    table = {"a": rng.random((4, 10)), "b": rng.random((4, 10)) + 0.3}
    for kind, rows in (("disjoint", np.arange(40)), ("common", np.tile(np.arange(10), 4))):
        frame = pl.concat(
            pl.DataFrame({"method": name, "split": np.repeat(np.arange(4), 10), "row": rows,
                          "role": "held_out", "loss": "absolute", "value": item.ravel()})
            for name, item in table.items()
        )  # fmt: skip
        row = by_design(frame, Design(kind, 4, train_size=16)).pair("absolute", "b", "a")
        if kind == "disjoint":
            test = stats.ttest_rel(table["b"].mean(axis=1), table["a"].mean(axis=1))
            assert row["p"] == pytest.approx(test.pvalue)
            assert (row["low"] > 0) == (row["p"] < 0.05)
        else:
            assert row["method_test"] == "quasi-F"
            assert 0 < row["p"] < 0.1


@pytest.mark.parametrize(("sets", "cases"), [(4, 9), (9, 4), (6, 6)])
def test_degrees_of_freedom_where_no_training_sets_overlap(sets, cases):
    """Of a mean, of training sets; with a common test set of the fewer of sets and cases."""
    rng = np.random.default_rng(22)
    for kind, rows in (
        ("disjoint", np.arange(sets * cases)),
        ("common", np.tile(np.arange(cases), sets)),
    ):
        frame = pl.concat(
            pl.DataFrame({"method": name, "split": np.repeat(np.arange(sets), cases), "row": rows,
                          "role": "held_out", "loss": "absolute", "value": rng.random(sets * cases) + shift})
            for name, shift in (("a", 0.0), ("b", 0.3))
        )  # fmt: skip
        result = by_design(frame, Design(kind, sets, train_size=16))
        line = result.table.filter(method="a").row(0, named=True)
        df = sets - 1 if kind == "disjoint" else min(sets, cases) - 1
        half = (line["high"] - line["low"]) / 2
        assert half == pytest.approx(stats.t.ppf(0.975, df) * line["se"])
        pair = result.pair("absolute", "b", "a")
        if kind == "disjoint":
            assert pair["df"] == sets - 1
        else:
            _, compared = result.analysis
            line = compared.filter(method="b", other="a").row(0, named=True)
            assert pair["df"] == line["df_2"] != line["df_1"]


@pytest.mark.parametrize("repeats", [1, 2, 3, 20])
def test_a_jackknife_with_repeats_has_their_degrees_of_freedom(repeats):
    rng = np.random.default_rng(23)
    values = {name: rng.random((repeats, N)) for name in ("a", "b")}
    second = pl.DataFrame(
        [
            (name, repeat, left, tested, "absolute", rng.random())
            for name in values
            for repeat in range(repeats)
            for left in range(K)
            for tested in range(K)
            if left != tested
        ],
        schema=["method", "repeat", "left", "tested", "loss", "value"],
        orient="row",
    )
    design = folds_design(N, K, repeats, effort="cautious")
    result = by_design(losses_of(values, repeats=repeats), design, second=second)
    df = result.pair("absolute", "a", "b")["df"]
    assert df == pytest.approx(min(N - 1, repeats * (K - 1)))


@pytest.mark.parametrize("units", [12, 29, 30, 49, 50])
@pytest.mark.parametrize("grouped", [True, False], ids=["groups", "cases"])
def test_few_groups_are_called_groups_and_few_cases_cases(units, grouped):
    each = 6 if grouped else 1
    cases = units * each
    rng = np.random.default_rng(units)
    groups = np.repeat(np.arange(units), each)
    loss = rng.random(cases) + 1
    single = pl.DataFrame(
        {
            "method": "a",
            "split": 0,
            "row": np.arange(cases),
            "role": "held_out",
            "loss": "z",
            "value": loss,
        }
    )
    result = by_design(
        single, Design("holdout", 1, train_size=60), groups=groups if grouped else None
    )
    word, few = ("groups", 30) if grouped else ("cases", 50)
    expected = f"approximate: {units} {word}" if units < few else ""
    assert (result.table["mean_note"][0] or "") == expected
    zero = by_design(
        single.with_columns(value=pl.lit(0.0)),
        Design("holdout", 1, train_size=60),
        groups=groups if grouped else None,
    )
    assert f"no loss in any of {units} {word};" in zero.notes[0].text


@pytest.mark.parametrize("grouped", [True, False], ids=["groups", "cases"])
def test_few_units_that_differ_are_called_what_they_are(grouped):
    rng = np.random.default_rng(24)
    groups = np.repeat(np.arange(60), 2)
    wrong = rng.permutation(60)[:8][:, None] * 2 + [0, 1] if grouped else rng.permutation(120)[:8]
    single = np.zeros(120)
    single[wrong.ravel()] = 1.0
    frame = pl.concat(
        pl.DataFrame({"method": name, "split": 0, "row": np.arange(120), "role": "held_out",
                      "loss": "zero_one", "value": value})
        for name, value in (("a", single), ("b", np.zeros(120)))
    )  # fmt: skip
    design = Design("holdout", 1, train_size=60)
    result = by_design(frame, design, groups=groups if grouped else None)
    note = next(note.text for note in result.notes if note.code == "few_differences")
    assert note.startswith(f"Fewer than 20 of {'60 groups' if grouped else '120 cases'} differ")
    word = "groups" if grouped else "cases"
    pair = result.pair("zero_one", "a", "b")
    assert pair["note"] == f"approximate: fewer than 20 {word} differ"


def test_scores_of_one_method_and_gaps_of_rounding_have_no_test():
    scores = pl.DataFrame(
        {"method": "a", "split": np.arange(K), "loss": "score", "value": np.arange(K) / 10}
    )
    result = by_design(None, folds_design(100, K), fold_losses=scores)
    assert result.table["mean"].item() == pytest.approx(0.2)
    same = scores.with_columns(method=pl.lit("b"), value=pl.col("value") + 1e-17)
    pair = by_design(None, folds_design(100, K), fold_losses=pl.concat([scores, same]))
    assert pair.pair("score", "a", "b")["p"] is None
    more = same.with_columns(value=pl.col("value") + pl.Series([0.0, 1e-17, 0.1, 0.2, 0.3]))
    some = by_design(None, folds_design(100, K), fold_losses=pl.concat([scores, more]))
    assert abs(some.pair("score", "a", "b")["difference"]) == pytest.approx(0.12)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_rare_errors_have_wilsons_interval_where_it_is_wider(level):
    wilson = stats.binomtest(3, N).proportion_ci(level, "wilson")
    spread, where = SimpleNamespace(mean=3 / N), SimpleNamespace(units=N)
    within = case_losses._with_wilson(0.074, 0.076, spread, where, level)
    assert within == pytest.approx((wilson.low, wilson.high))
    assert case_losses._with_wilson(-0.5, 1.5, spread, where, level) == (0.0, 1.0)


def test_the_scale_of_rounding_is_the_mean_loss_of_the_baseline():
    values = {"a": np.array([1.0, -3.0]), "base": np.array([4.0, -4.0])}
    assert case_losses._scale(values, "base") == 4.0
    assert case_losses._scale(values, "other") == 0.0


@pytest.mark.parametrize(("groups", "df"), [(None, 4), (50, 4), (3, 2)])
def test_the_degrees_of_freedom_are_at_most_splits_and_groups_less_one(groups, df):
    assert Design("splits", 5, 1, 40, 0.25, groups=groups).df == df


@pytest.mark.parametrize(("df", "tested"), [(0.9, False), (1.0, True), (1.5, True)])
def test_areas_are_tested_from_one_degree_of_freedom_on(monkeypatch, df, tested):
    monkeypatch.setattr(split_losses, "area_error", lambda parts: (0.1, 0.05, df))
    pair = split_losses._areas("a", "b", {"a": [], "b": []}, None)
    assert (pair.shown, pair.reason == "") == (tested, tested)


def test_gaps_of_rounding_are_none_where_only_a_loss_of_the_whole_test_set_is_known():
    context = SimpleNamespace(design=Design("splits", 4, 1, 40, 0.25))
    gaps = np.array([0.0, 1e-14, 0.5, -1e-13])
    assert split_losses._pair("a", "b", gaps, context).spread.mean == 0.125


@pytest.mark.parametrize("sizes", [[5] * 8, [1, 2, 3, 4, 5, 6, 9, 10]])
def test_folds_of_groups_have_the_error_and_the_degrees_of_freedom_of_their_groups(sizes, values):
    group = np.repeat(np.arange(8), sizes)
    design = folds_design(N, K, R, groups=8)
    row = by_design(losses_of(values), design, groups=group).pair("absolute", "tree", "line")
    gaps = np.mean(values["tree"] - values["line"], axis=0)
    share = np.array(sizes) / N
    parts = np.bincount(group, gaps - gaps.mean()) / N / np.sqrt(1.0 - share)
    assert row["se_difference"] == pytest.approx(np.sqrt((1 + K / (K - 1)) * (parts @ parts)))
    equal = len(set(sizes)) == 1
    assert row["df"] == pytest.approx(7.0) if equal else 3.0 < row["df"] < 7.0


@pytest.mark.parametrize(
    ("sizes", "reason"), [([20, 20], "two clusters"), ([30, 4, 3, 3], "has 75 % of the weight")]
)
def test_too_few_groups_have_no_test(sizes, reason, values):
    group = np.repeat(np.arange(len(sizes)), sizes)
    design = folds_design(N, 2, R, groups=len(sizes))
    result = by_design(losses_of(values, k=2), design, groups=group)
    assert reason in result.pair("absolute", "tree", "line")["p_missing_reason"]
    assert result.table["low"].is_null().all()


@pytest.mark.parametrize(
    ("law", "cases", "least", "most"),
    [("normal", 1000, 0, 0), ("normal", 400, 0, 3), ("lognormal", 400, 15, 20)],
)
def test_approximate_is_said_of_heavy_tails_and_not_of_squared_normal_errors(
    law, cases, least, most
):
    where = entries(np.arange(cases) % 10, np.arange(cases))
    calls = 0
    for number in range(20):
        rng = np.random.default_rng([1, number])
        error = rng.normal(size=cases) if law == "normal" else rng.lognormal(0.0, 1.0, cases)
        context = case_losses.CaseLosses(folds_design(cases, 10))
        mean = case_losses.mean_loss("a", loss_sums(error**2, where), where, 0.0, context)
        calls += mean.note.startswith("approximate")
    assert least <= calls <= most


def test_approximate_names_how_many_cases_or_groups_it_speaks_of():
    heavy = np.where(np.arange(N) // 5 == 3, 80.0, np.random.default_rng(4).random(N))
    frame = losses_of({"a": heavy, "b": np.random.default_rng(5).random(N)}, loss="squared")
    design = folds_design(N, K, R, groups=8)
    result = by_design(frame, design, groups=np.arange(N) // 5)
    assert "1 of 8 groups makes up to 87 % of" in next(
        note.text for note in result.notes if note.code == "approximate"
    )


@pytest.mark.parametrize(
    ("counts", "rare"),
    [([60] * 10, False), ([12] * 12, False), ([100, 9], True), ([60] * 9 + [8], True), ([450, 30], True),
     ([4000, 220], False)],
)  # fmt: skip
def test_a_class_is_rare_beside_its_equal_share_and_by_its_count(counts, rare):
    targets = np.repeat(np.arange(len(counts)), counts)
    context = case_losses.CaseLosses(folds_design(len(targets), 10), targets=targets)
    assert (context.rarest < 1.0) == rare
