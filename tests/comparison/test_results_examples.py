"""Ten results that people have, from the file or dict to the sentence; and what a comparison of them can do."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy
from printed import held
from sklearn.datasets import load_diabetes, make_moons
from sklearn.linear_model import Lasso, Ridge
from sklearn.metrics import mean_poisson_deviance
from sklearn.model_selection import GridSearchCV, KFold, RepeatedStratifiedKFold, cross_validate
from sklearn.svm import SVC

from benchbook import Comparison, compare, compare_results, datasets
from benchbook.assess.delete_groups import groups_to_leave_out
from benchbook.datasets import printed as proben1
from benchbook.errors import BenchbookError, FaultyInput, MissingData

TEXTS = Path(__file__).parent / "results_examples.txt"


def documents(folder):
    rng, shared = np.random.default_rng(7), np.random.default_rng(8).normal(size=250)
    for model, shift in (("llama-8b", 0.2), ("qwen-7b", 0.55), ("phi-4", 0.6)):
        right = rng.normal(size=250) * 0.8 + shift + shared > 0
        row = {"filter": "strict-match", "metrics": ["exact_match"], "doc": {"question": "q"}}
        lines = [
            row | {"doc_id": i, "doc_hash": f"h{i}", "exact_match": float(x)}
            for i, x in enumerate(right)
        ]
        (folder / model).mkdir()
        file = folder / model / "samples_gsm8k_2026-01-02T10-00-00.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
    return folder


def thirty():
    a = np.ones(30)
    a[[3, 7, 12]] = 0
    b = a.copy()
    b[[1, 5, 8, 9, 20, 21]] = 0
    return pl.DataFrame({"item": range(30), "a": a, "b": b})


def clusters():
    rng, sizes = np.random.default_rng(3), [3, 4, 4, 5, 6, 8, 8, 10, 12, 20, 35, 60]
    document = np.repeat(range(12), sizes)
    new = np.clip(0.6 + 0.2 * rng.normal(size=175), 0, 1)
    gap = 0.04 + 0.08 * rng.normal(size=12)[document] + 0.1 * rng.normal(size=175)
    return pl.DataFrame(
        {"item": range(175), "document": document, "new": new, "old": np.clip(new - gap, 0, 1)}
    )


def epochs():
    rng, hard = np.random.default_rng(4), np.random.default_rng(5).normal(size=198)
    rows = [
        (
            model,
            str(item),
            epoch,
            "CI"[int(rng.random() > scipy.special.expit(1.5 * hard[item] + skill))],
        )
        for model, skill in (("gpt-x", 0.9), ("gem-y", 0.6))
        for epoch in range(1, 5)
        for item in range(198)
    ]
    return pl.DataFrame(rows, schema=["model", "id", "epoch", "score_choice"], orient="row")


def trainings():
    rng = np.random.default_rng(6)
    item = rng.normal(size=400) * 0.4
    rows = [
        (model, seed, k, abs(level + luck + 0.15 * item[k] + 0.1 * rng.normal()))
        for model, level in (("resnet", 0.30), ("vit", 0.27))
        for seed in range(3)
        for luck in [0.012 * rng.normal()]
        for k in range(400)
    ]
    return pl.DataFrame(rows, schema=["model", "seed", "item", "loss"], orient="row")


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(10, shuffle=True, random_state=0)
    return {
        name: cross_validate(
            model, X, y, cv=folds, scoring="neg_mean_absolute_error", return_indices=True
        )
        for name, model in {"ridge": Ridge(0.1), "lasso": Lasso(0.5)}.items()
    }


def printed_tables():
    tables = {3: "linear", 4: "linear", 8: "shortcuts", 9: "shortcuts", 10: "none", 11: "none"}
    return pl.concat(
        [
            proben1.table(n).select("dataset", method=pl.lit(m), error="test_error_mean")
            for n, m in tables.items()
        ]
    )


def months():
    rng, error = np.random.default_rng(9), np.zeros(120)
    for t in range(1, 120):
        error[t] = 0.6 * error[t - 1] + rng.normal()
    ets = np.abs(error) + 0.3 * rng.random(120)
    return pl.DataFrame(
        {"month": range(120), "ets": ets, "arima": ets + 0.1 + 0.3 * rng.normal(size=120)}
    )


BOARD = pl.DataFrame(
    {
        "model": ["A", "B", "C"],
        "accuracy": [0.712, 0.689, 0.640],
        "stderr": [0.0125, 0.0128, 0.0132],
    }
)
EXAMPLES = {
    "items": lambda path: compare_results(documents(path)),
    "thirty items": lambda path: compare_results(thirty(), metric="accuracy"),
    "documents of unequal size": lambda path: compare_results(
        clusters(), metric="rouge", reference="old"
    ),
    "four answers to an item": lambda path: compare_results(epochs()),
    "three trainings": lambda path: compare_results(trainings()),
    "ten folds": lambda path: compare_results(diabetes(), metric="neg_mean_absolute_error"),
    "printed datasets": lambda path: compare_results(
        printed_tables(), missing="drop", scale="ratio", cluster="name"
    ),
    "published means": lambda path: compare_results(BOARD),
    "separate runs": lambda path: compare_results(BOARD, independent=True),
    "months": lambda path: compare_results(months(), metric="mae"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_from_the_results_to_the_sentence(name, tmp_path):
    result = EXAMPLES[name](tmp_path)
    text = f"{result!r}"
    assert text.startswith(f"read as: {result.read.words}"[:80])
    assert ("fit" in text.split("method", 1)[1].split("\n")[0]) is False
    assert "Depends on: training" not in text
    assert "tuned" not in text
    held(TEXTS, name, f"{result.sentence}\n{text}\n")
    saved = result.save(tmp_path / "saved")
    assert repr(Comparison.load(saved)) == text
    assert result.read.words.split(";")[0].split(",")[0] in result._repr_html_()
    assert result.to_latex().startswith(r"\begin{table}")


def test_the_example_of_scikit_learn_has_the_p_value_of_its_page():
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=folds).fit(X, y)
    with pytest.raises(FaultyInput, match="folds: found 100 splits"):
        compare_results(search.cv_results_, metric="roc_auc")
    result = compare_results(search.cv_results_, metric="roc_auc", folds=10)
    pair = result.pair("kernel=linear", "kernel=rbf")
    t = pair["difference"] / pair["se_difference"]
    assert t == pytest.approx(0.750, abs=5e-4)
    assert scipy.stats.t.sf(t, 99) == pytest.approx(
        0.227, abs=5e-4
    )  # theirs has 99 degrees of freedom
    assert pair["df"] == 9
    assert (
        result.headline.startswith("kernel=rbf has the highest roc auc of 4 methods, 0.940")
        or "0.940" in result.headline
    )


def test_items_have_the_paired_t_interval():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 50))
    result = compare_results({"a": a, "b": b}, each="item", metric="mae")
    pair = result.pair("a", "b")
    expected = scipy.stats.ttest_rel(a, b).confidence_interval()
    assert (pair["low"], pair["high"]) == pytest.approx(tuple(expected))


def test_forty_two_rows_are_fourteen_problems():
    as_many = {"missing": "drop", "scale": "ratio"}
    rows = compare_results(printed_tables(), cluster="dataset", **as_many)
    problems = compare_results(printed_tables(), cluster="name", **as_many)
    assert rows.read.words.startswith("42 datasets, 3 methods")
    assert problems.read.words.startswith("42 datasets in 14 clusters, 3 methods")
    one, other = (result.pair("shortcuts", "none") for result in (rows, problems))
    assert (one["low"], one["high"]) == pytest.approx((-0.012, 0.084), abs=6e-4)
    assert (other["low"], other["high"]) == pytest.approx((-0.024, 0.096), abs=6e-4)
    assert problems.table["p_holm"].min() > 0.05


def test_more_results_join_those_that_are_there():
    rng = np.random.default_rng(0)
    three = {name: rng.random(40) for name in "abc"}
    two = compare_results({"a": three["a"], "b": three["b"]}, each="item", metric="mae")
    whole = compare_results(three, each="item", metric="mae")
    assert repr(two.more({"c": three["c"]})) == repr(whole)
    with pytest.raises(FaultyInput, match="names that are not in the comparison yet"):
        two.more({"a": three["c"]})
    frame = pl.DataFrame({"id": range(40), **{name: three[name] for name in "ab"}})
    assert repr(
        compare_results(frame, metric="mae").more(frame.select("id", c=pl.Series(three["c"])))
    ) == repr(whole)
    y = rng.random(40)
    first = compare_results({"a": three["a"], "b": three["b"]}, y)
    assert repr(first.more({"c": three["c"]})) == repr(compare_results(three, y))


def test_what_results_cannot_answer_is_said():
    rng = np.random.default_rng(0)
    result = compare_results({"a": rng.random(40), "b": rng.random(40)}, each="item", metric="mae")
    with pytest.raises(BenchbookError, match="no training sets to make smaller"):
        result.learning_curve()
    with pytest.raises(BenchbookError, match="no segments"):
        result.plot_segments()
    assert result.utilities()["expected"].min() == pytest.approx(result.table["mean"].min())


def test_predictions_are_judged_as_compare_judges_them():
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    a, b = y + rng.normal(size=(2, 60))
    result = compare_results({"a": a, "b": b}, y, losses=["squared", "absolute"])
    assert result.mean("squared", "a") == pytest.approx(((a - y) ** 2).mean())
    assert result.rope["squared"] == pytest.approx(0.01 * y.var())
    frame = pl.DataFrame({"id": range(60), "price": y, "a": a, "b": b})
    assert repr(compare_results(frame, "price", losses=["squared", "absolute"])) == repr(result)
    long = pl.concat(
        [frame.select("id", "price", model=pl.lit(name), prediction=name) for name in "ab"]
    )
    shuffled = pl.concat([long[:60], long[60:].sample(fraction=1.0, shuffle=True, seed=0)])
    assert repr(compare_results(shuffled, "price", losses=["squared", "absolute"])) == repr(result)
    folds = compare_results({"a": a, "b": b}, y, fold=np.arange(60) % 6)
    assert folds.pair("a", "b")["method_test"] == "corrected t"


def test_classes_are_predicted_as_labels_or_probabilities():
    rng = np.random.default_rng(0)
    truth = np.array(["no", "yes"])[rng.integers(0, 2, 60)]
    p = np.clip(0.5 + 0.3 * (truth == "yes") + 0.2 * rng.normal(size=60) - 0.15, 0.02, 0.98)
    q = np.clip(p + 0.1 * rng.normal(size=60), 0.02, 0.98)
    result = compare_results({"p": p, "q": np.column_stack([1 - q, q])}, truth)
    chosen = np.where(truth == "yes", p, 1 - p)
    assert result.mean("log", "p") == pytest.approx(-np.log(chosen).mean())
    labels = {name: np.where(value > 0.5, "yes", "no") for name, value in (("p", p), ("q", q))}
    assert compare_results(labels, truth).mean("zero_one", "p") == pytest.approx(
        ((p > 0.5) != (truth == "yes")).mean()
    )


@pytest.mark.parametrize("by", ["region", ["region", "kind"]])
def test_the_difference_in_each_segment_is_that_of_its_items(by):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({
        "id": range(120), "region": ["north", "south", "west"] * 40, "kind": ["x"] * 60 + ["y"] * 60,
        "a": rng.random(120), "b": rng.random(120),
    })  # fmt: skip
    result = compare_results(frame, metric="mae", by=by)
    names = [by] if isinstance(by, str) else by
    assert result.segments.height == frame.select(names).n_unique()
    for row in result.segments.iter_rows(named=True):
        keys = dict(zip(names, row["segment"].split(", "), strict=True))
        part = frame.filter(**keys)
        alone = compare_results(part.select("id", "a", "b"), metric="mae").pair(
            row["method"], row["other"]
        )
        assert (row["low"], row["high"]) == pytest.approx((alone["low"], alone["high"]))
    assert "By segment: " in repr(result)
    assert f"Welch's F, p = {result.segment_tests['p_holm'][0]:.2g}"[:14] in repr(result)
    assert result.plot_segments().table.height == result.segments.height
    with pytest.raises(FaultyInput, match="one of"):
        result.plot_segments("c")


def test_small_segments_are_not_tested():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "id": range(60),
            "region": ["n"] * 25 + ["s"] * 25 + ["w"] * 10,
            "a": rng.random(60),
            "b": rng.random(60),
        }
    )
    result = compare_results(frame, metric="mae", by="region")
    assert result.segments.filter(segment="w")["p"].to_list() == [None]
    assert "no test in w (10 cases" in repr(result).replace("\n  ", " ")


def test_a_loss_of_the_whole_set_has_the_error_of_the_jackknife():
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    a, b = y + rng.normal(scale=[[0.5], [0.7]], size=(2, 60))
    result = compare_results({"a": a, "b": b}, y, losses="r2")

    def lead(rows):
        errors = [((x[rows] - y[rows]) ** 2).sum() for x in (b, a)]
        return (errors[0] - errors[1]) / ((y[rows] - y[rows].mean()) ** 2).sum()

    group = groups_to_leave_out(60)
    values = np.array([lead(group != left) for left in range(30)])
    error = np.sqrt(29 / 30 * ((values - values.mean()) ** 2).sum())
    pair = result.pair("b", "a")
    assert pair["difference"] == pytest.approx(lead(np.full(60, True)))
    assert (pair["se_difference"], pair["df"]) == pytest.approx((error, 29))
    assert compare_results({"a": a, "b": b}, y, losses="neg_max_error").pair("a", "b")["p"] is None


def test_runs_of_a_task_are_compared_by_its_design():
    name = "concrete/cv/random-10"
    if not datasets.at_hand("concrete"):
        with pytest.raises(MissingData):
            compare_results(tasks=name, method="boosting-1", losses="S")
        return
    result = compare_results(tasks=name, method=["boosting-1", "forest-1"], losses="S")
    assert result.mean(name, "boosting-1") == pytest.approx(17.26, abs=0.005)
    assert result.table["verdict"].to_list() == [
        "best",
        "no test",
    ]  # rows of one mix stand together


def test_runs_of_several_tasks_are_compared_task_by_task(tmp_path):
    names = [f"kin-8nm-sim/dist/std.{size}" for size in (64, 128)]
    result = compare_results(tasks=names, method=["lin-1", "knn-cv-1"])
    assert result.codes == names
    assert result.read.words == "runs of 2 methods on 2 tasks"
    for name, part in zip(names, result.parts, strict=True):
        alone = compare_results(tasks=name, method=["lin-1", "knn-cv-1"])
        for text in repr(alone).split("\n\n")[1:3]:  # the sentence and the table
            assert text in repr(result)
        assert part.headline == alone.headline
        assert part.read.words == alone.read.words.removeprefix("runs of 2 methods on ")
        assert repr(result.rows(name)) == repr(alone.rows(name))
        pair = alone.pair("lin-1", "knn-cv-1")
        means = alone.fold_losses.pivot("method", index="split", values="value")
        assert pair["difference"] == pytest.approx((means["lin-1"] - means["knn-cv-1"]).mean())
    saved = result.save(tmp_path / "saved")
    assert repr(Comparison.load(saved)) == repr(result)
    assert result.to_latex().count(r"\begin{table}") == result.to_markdown().count("method ") == 2
    page = result.report(tmp_path / "page.html").read_text(encoding="utf8")
    assert [f"Differences on {name}" in page for name in names] == [True, True]
    with pytest.raises(BenchbookError, match="no predictions"):
        result.calibration()
    curve = result.learning_curve().table
    assert sorted(set(curve["size"])) == [64, 128]
    assert curve.filter(size=64, method="lin-1")["mean"][0] == result.mean(names[0], "lin-1")
    parts = result.table["from_training_sets"] ** 2 + result.table["from_test_cases"] ** 2
    assert parts.to_list() == pytest.approx((result.table["se"] ** 2).to_list())


def test_ranks_stand_beside_and_a_data_set_is_one_block():
    names = ["kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128", "kin-8fm-sim/dist/std.64"]
    result = compare_results(tasks=names, method=["lin-1", "knn-cv-1"], reference="lin-1")
    ranks = result.ranks()
    over = dict(ranks.select("over", "blocks").unique().rows())
    assert over == {
        **dict.fromkeys(names, 8),
        f"{names[2]}, {names[1]}; squared error": 2,
    }
    assert set(ranks["against"]) == {"lin-1"}
    wide = result.fold_losses.filter(loss=names[0]).pivot("method", index="split", values="value")
    expected = scipy.stats.wilcoxon(wide["lin-1"], wide["knn-cv-1"]).pvalue
    row = ranks.filter(over=names[0], method="knn-cv-1").row(0, named=True)
    assert row["wilcoxon"] == pytest.approx(expected)
    with pytest.raises(BenchbookError, match="two test sets"):
        compare_results({"a": np.zeros(20), "b": np.ones(20)}, each="item", metric="loss").ranks()


def test_tasks_refuse_results_and_objects():
    with pytest.raises(FaultyInput, match="nothing beside tasks") as error:
        compare_results({"a": [1.0]}, tasks="kin-8nm-sim/dist/std.64", cluster="x", missing="worst")
    assert [fault.where for fault in error.value.faults] == ["cluster", "results", "missing"]
    with pytest.raises(BenchbookError, match="no runs of none-1 on these tasks; there are runs of"):
        compare_results(tasks="kin-8nm-sim/dist/std.64", method=["lin-1", "none-1"])
    with pytest.raises(FaultyInput) as error:
        compare_results(tasks="kin-8nm-sim/dist/std.64", method=[Ridge()], losses=["S"])
    assert len(error.value.faults) == 2
    with pytest.raises(FaultyInput, match=r"compare_results\(tasks=...\)"):
        compare({"ridge": Ridge()}, tasks="kin-8nm-sim/dist/std.64")


@pytest.mark.parametrize("seed", range(6))
def test_counts_rank_by_what_their_means_predict_and_have_their_deviance(seed):
    """Of rare counts the median guess, 0, has the smallest absolute error: squared error ranks, as in ``compare``."""
    rng = np.random.default_rng(seed)
    mean = rng.gamma(0.3, 0.4 if seed % 2 else 8.0, size=800) + 0.02
    y = rng.poisson(mean)
    guesses = {"a": mean, "b": np.full(800, mean.mean()), "c": mean * np.exp(rng.normal(size=800))}
    result = compare_results(guesses, y)
    error = {name: np.abs(guess - y).mean() for name, guess in guesses.items()}
    swapped = bool(min(error.values()) >= np.abs(y - np.median(y)).mean())
    assert swapped == (seed % 2 == 1)
    assert result.codes == (["squared", "absolute"] if swapped else ["absolute", "squared"])
    assert ("ranked by squared error" in " ".join(result.read.notes)) is swapped
    assert "losses='poisson' has their deviance" in repr(result).replace("\n", " ")
    assert (
        compare_results(guesses, y, rope=0.1).codes[0] == "absolute"
    )  # in the unit of what was stated
    deviance = compare_results(guesses, y, losses="poisson")
    for name, guess in guesses.items():
        assert deviance.mean("poisson", name) == pytest.approx(mean_poisson_deviance(y, guess))
    never = compare_results({"a": mean, "zero": np.zeros(800)}, y, losses="poisson")
    assert never.mean("poisson", "zero") is None


def test_a_long_table_of_predictions_is_the_wide_one_and_more_keeps_segments():
    rng = np.random.default_rng(4)
    y, noise = rng.normal(size=80), rng.normal(size=(3, 80))
    columns = {"y": y, "a": y + noise[0], "b": y + noise[1], "region": ["x", "z"] * 40}
    frame = pl.DataFrame(columns).with_row_index("case")
    wide = compare_results(frame, "y", by="region", method=["a", "b"])
    long = frame.unpivot(
        ["a", "b"], index=["case", "y", "region"], variable_name="model", value_name="pred"
    ).sample(fraction=1.0, shuffle=True, seed=1)
    assert compare_results(long, "y", by="region").headline == wide.headline
    more = wide.more({"c": y + noise[2]})
    assert set(more.segments["segment"]) == {"x", "z"}
    assert set(more.table["method"]) == {"a", "b", "c"}
    with pytest.raises(FaultyInput, match="one prediction of each of 2 methods for each case"):
        compare_results(long.head(159), "y")
