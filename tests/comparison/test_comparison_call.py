"""The one call: verdicts of the acceptance examples, alarms, and what the result shows, saves and draws."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from printed import held
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import benchbook
from benchbook.errors import BenchbookError, FaultyInput

DIABETES = load_diabetes(return_X_y=True)
_ANY_ORDER = np.random.default_rng(0).permutation(569)
# in their own order errors of its rows cluster, and nothing is tested
CANCER = tuple(each[_ANY_ORDER] for each in load_breast_cancer(return_X_y=True))


def quick(methods, *data, **asked):
    return benchbook.compare(methods, *data, **({"effort": "quick"} | asked))


def row(comparison, method, loss=None):
    return next(one for one in comparison.rows(loss) if one["method"] == method)


def codes(comparison):
    return {one.code for one in comparison.alarms}


@pytest.fixture(scope="module")
def cancer():
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    methods = {"logistic": logistic, "knn": KNeighborsClassifier(3)}
    return quick(methods, *CANCER, rope=0.02)


@pytest.fixture(scope="module")
def leak():
    rng = np.random.default_rng(0)
    churned = rng.random(600) < 0.14
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=600),
            "reason": np.where(churned, rng.choice(["price", "moved"], 600), None),
            "churn": np.where(churned, "yes", "no"),
        }
    )

    def by_reason(train, target, test):
        return np.where(test["reason"].isna(), "no", "yes")

    def fails(train, target, test):
        raise ValueError("Input contains NaN")

    return quick(
        {"rule": by_reason, "net": fails}, frame, target="churn", losses=["zero_one", "brier"]
    )


# -- verdicts ---------------------------------------------------------------------------------------------------------


def test_2_no_difference_that_matters():
    made = quick({"ols": LinearRegression(), "ridge": Ridge(0.01)}, *DIABETES, rope=1)
    second = made.rows()[1]
    assert second["verdict"] == "as good"
    assert second["prob_same"] == pytest.approx(0.9994, abs=0.0005)
    assert "do equally well" in made.sentence


def test_3_not_enough_to_say():
    forest = RandomForestRegressor(50, random_state=0)
    made = quick({"ridge": Ridge(), "forest": forest}, *DIABETES, losses="squared", rope=59)
    second = row(made, "forest")
    assert second["verdict"] == "open"
    assert second["prob_worse"] == pytest.approx(0.58, abs=0.01)
    assert second["prob_same"] == pytest.approx(0.18, abs=0.01)
    assert "not significantly different" in made.headline
    assert ", and 59 would matter." in made.headline


def test_4_a_clear_winner(cancer):
    second = row(cancer, "knn")
    assert second["verdict"] == "worse"
    assert second["prob_worse"] > 0.95 >= 0.95
    assert second["p_holm"] < 0.05
    assert cancer.best == "logistic"
    assert "knn is worse by" in cancer.sentence


def test_6_groups_are_seen_and_a_constant_guess_may_be_best():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(60), 10)
    X = rng.normal(size=(60, 5))[person] + 0.05 * rng.normal(size=(600, 5))
    y = rng.normal(size=60)[person] + 0.1 * rng.normal(size=600)
    methods = {"knn": KNeighborsRegressor(3), "ridge": Ridge()}
    random = quick(methods, X, y, losses="squared")
    grouped = quick(methods, X, y, groups=person, losses="squared")
    assert random.rows()[0]["method"] == "knn"
    assert "BB05" in codes(random)  # neighbours of the same person are as good as copies
    assert grouped.rows()[0]["method"] == "constant guess"
    assert grouped.best is None
    assert "BB07" in codes(grouped)
    assert "No method is shown to be better than a constant guess" in grouped.headline
    assert row(grouped, "knn")["df"] == pytest.approx(59)


def test_7_a_leak_takes_the_sentence_away():
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    X = np.c_[rng.normal(size=(2000, 4)), np.where(y, 5.0, -1.0)]
    methods = {"tree": DecisionTreeClassifier(random_state=0), "logistic": LogisticRegression()}
    made = quick(methods, X, y, losses="zero_one")
    assert "BB03" in codes(made)
    assert made.sentence == ""
    assert made.best is None
    assert row(made, "tree")["bound"] == pytest.approx(0.0015, abs=1e-5)
    assert "below 0.15 % possible" in made.headline
    assert "0 ±" not in repr(made)


def test_8_few_cases_of_a_class_are_said():
    X, y = make_classification(
        6000, 10, n_informative=4, weights=[0.993], flip_y=0.002, class_sep=0.7, random_state=1
    )
    made = quick({"logistic": make_pipeline(StandardScaler(), LogisticRegression())}, X, y)
    assert made.codes == ["log", "auc", "zero_one"]
    (text,) = [one.text for one in made.alarms if one.code == "BB04"]
    assert text.startswith("47 of 6,000 cases are 1, 4 or 5 in a test fold")


def test_9_a_method_that_fails_is_not_compared(leak):
    assert set(leak.errors) == {"net"}
    assert "net" not in set(leak.table["method"])
    assert "**" not in leak.headline
    assert (
        "net is not compared: it failed on 10 of 10 splits (ValueError: Input contains NaN)"
        in leak.headline
    )


# -- alarms -----------------------------------------------------------------------------------------------------------


def regression(n=200, seed=3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    return X, (X["a"] + rng.normal(size=n)).to_numpy()


def test_a_missing_value_that_gives_the_class_away(leak):
    text = next(one.text for one in leak.alarms if one.columns == ("reason",))
    assert "`reason` alone separates the classes: it is empty for every case of class 'no'" in text
    assert leak.severe


@pytest.mark.parametrize(
    "leaking",
    [lambda y: y, lambda y: np.exp(y / 3.0), lambda y: -7.0 * y + 1.0],
    ids=["equal", "monotone", "linear"],
)
def test_copies_of_the_target_are_found(leaking):
    X, y = regression(600)
    made = quick({"ridge": Ridge()}, X.assign(copy=leaking(y)), y)
    assert any(one.code == "BB03" and one.columns == ("copy",) for one in made.alarms)


def test_a_table_sorted_by_its_target_with_row_numbers():
    X, y = regression()
    order = np.argsort(y)
    X = X.iloc[order].assign(number=np.arange(len(y)) * 2).sample(frac=1, random_state=0)
    made = quick({"ridge": Ridge()}, X, y[order][X["number"].to_numpy() // 2])
    assert any(one.columns == ("number",) and one.severe for one in made.alarms)


def test_dates_groups_and_copies_are_warned_of():
    X, y = regression(400)
    X = X.assign(day=pd.date_range("2024-01-01", periods=400), patient=np.repeat(np.arange(100), 4))
    for table in (pl.DataFrame({name: X[name].to_numpy() for name in X}), X):
        made = quick({"mean": lambda a, b, c: np.full(len(c), b.mean())}, table, y)
        assert {"BB01", "BB02"} <= codes(made)
    assert "time='day'" in "".join(made.warnings)
    given = quick({"ridge": Ridge()}, X, y, groups="patient", time="day")
    assert not {"BB01", "BB02"} & codes(given)
    doubled = pd.concat([X[["a", "b"]], X[["a", "b"]]])
    assert "BB05" in codes(quick({"ridge": Ridge()}, doubled, np.r_[y, y]))
    assert "BB05" not in codes(quick({"ridge": Ridge()}, X[["a", "b"]], y))


def test_honest_tables_raise_no_alarm(cancer):
    assert not cancer.severe
    assert not any(one.severe for one in quick({"ridge": Ridge()}, *DIABETES).alarms)


def test_sizes_repeats_and_infinite_losses_are_said():
    X, y = regression()

    def certain(train, target, test):
        return np.tile([1.0, 0.0], (len(test), 1))

    classes = np.where(y > 0, "yes", "no")
    made = quick({"certain": certain}, X, classes, losses="log", smooth=False)
    assert "BB10" in codes(made)
    assert "certain has no finite log loss" in made.headline
    many = benchbook.compare({"ridge": Ridge()}, X, y, design="5x6")
    assert "BB06" in codes(many)
    assert "BB06" not in codes(
        benchbook.compare({"ridge": Ridge()}, X, y, design="5x6", ignore_warnings=["BB06"])
    )


# -- the call ---------------------------------------------------------------------------------------------------------


def test_all_faults_of_a_call_at_once():
    with pytest.raises(FaultyInput) as caught:
        benchbook.compare(
            {"a": 3},
            DIABETES[0],
            DIABETES[1],
            rope="much",
            losses="lgo",
            ignore_warnings="BB99",
            budget=-1,
        )
    assert {fault.where for fault in caught.value.faults} >= {
        "rope",
        "losses",
        "ignore_warnings",
        "budget",
    }


def test_an_unknown_reference_is_refused_and_a_known_one_is_used():
    methods = {"ols": LinearRegression(), "tree": DecisionTreeRegressor(random_state=0)}
    with pytest.raises(FaultyInput, match="one of constant guess, ols, tree"):
        quick(methods, *DIABETES, reference="forest")
    made = quick(methods, *DIABETES, reference="tree")
    assert row(made, "tree")["difference"] is None
    assert row(made, "ols")["difference"] < 0


def test_the_default_rope_is_a_share_of_the_constant_guess():
    made = quick({"ridge": Ridge()}, *DIABETES)
    for code in ("absolute", "squared"):
        assert made.rope[code] == pytest.approx(
            0.01 * row(made, "constant guess", code)["mean"], rel=1e-6
        )
    assert made.rope_words == "1 % of the constant guess's loss"
    stated = quick({"ridge": Ridge()}, *DIABETES, rope={"absolute": 2, "squared": "5%"})
    assert stated.rope["absolute"] == 2
    assert stated.rope["squared"] == pytest.approx(5 * made.rope["squared"])


# -- what is shown, drawn and saved -----------------------------------------------------------------------------------


def test_html_is_small_and_has_no_script(cancer, leak):
    for one in (cancer, leak):
        html = one._repr_html_()
        assert len(html.encode()) < 30_000
        assert "<script" not in html
        assert html.count("<table") == html.count("</table>") == 1


def test_names_are_escaped_everywhere():
    made = quick({"<b>&a</b>": Ridge()}, *DIABETES)
    assert "<b>&a</b>" not in made._repr_html_()
    assert r"\&a" in made.to_latex()


def test_the_strip_draws_the_interval_of_the_table(cancer):
    second = row(cancer, "knn")
    from benchbook.comparison.scale import Axis

    axis = Axis.of(cancer)
    strip = axis.strip(second)
    assert f'cx="{axis.at(second["difference"]):.1f}"' in strip
    assert f"M{axis.at(second['diff_low']):.1f} 11H{axis.at(second['diff_high']):.1f}" in strip


def test_saved_and_loaded_it_shows_the_same(cancer, tmp_path):
    folder = cancer.save(tmp_path / "cancer")
    again = benchbook.Comparison.load(folder)
    assert repr(again) == repr(cancer)
    assert again._repr_html_() == cancer._repr_html_()
    assert again.losses.equals(cancer.losses)
    assert again.plot().table.equals(cancer.plot().table)
    with pytest.raises(BenchbookError, match="does not hold"):
        again.learning_curve()
    cancer.save(folder)
    (tmp_path / "other").mkdir()
    with pytest.raises(BenchbookError, match="no saved comparison"):
        cancer.save(tmp_path / "other")
    with pytest.raises(BenchbookError, match="no saved comparison"):
        benchbook.Comparison.load(tmp_path / "other")


def test_the_page_stands_alone_and_spares_other_files(cancer, tmp_path):
    page = cancer.report(tmp_path / "page.html")
    text = page.read_text(encoding="utf8")
    assert "<script" not in text
    assert text.count("<figure") == 4
    cancer.report(page)
    other = tmp_path / "mine.html"
    other.write_text("mine")
    with pytest.raises(BenchbookError, match="no page of benchbook"):
        cancer.report(other)


def test_charts_draw_the_numbers_of_the_table(cancer):
    drawn = cancer.plot()
    assert drawn.table["difference"].to_list()[0] == row(cancer, "knn")["difference"]
    values = [one for lines in drawn.chart.to_dict()["datasets"].values() for one in lines]
    (dot,) = [one for one in values if one.get("method") == "knn"]
    assert dot["difference"] == pytest.approx(row(cancer, "knn")["difference"], rel=1e-6)
    dots = cancer.plot_pairs("knn", "logistic")
    assert dots.table["difference"].mean() == pytest.approx(row(cancer, "knn")["difference"])
    curve = cancer.calibration().table
    assert set(curve["method"]) == {"logistic", "knn"}
    assert curve.filter(method="knn")["cases"].sum() == 569


def plain(value):
    """A specification with four digits of each number, without what is the same in all charts."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in ("$schema", "config")}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


@pytest.mark.parametrize(
    "name", ["plot", "pairs", "calibration", "curve", "text", "paper", "alarms"]
)
def test_what_is_shown_is_held(name, cancer, leak):
    """Charts as they are specified, and texts without the seconds of a fit."""
    if name in ("text", "paper", "alarms"):
        shown = {"text": repr(cancer), "paper": cancer.to_latex(), "alarms": repr(leak)}[name]
        text = re.sub(r"  +(?:fit|-+|–|[\d.]+ s)$", "", shown, flags=re.M)
    else:
        drawn = {
            "plot": cancer.plot,
            "pairs": lambda: cancer.plot_pairs("knn", "logistic"),
            "calibration": cancer.calibration,
            "curve": lambda: cancer.learning_curve([60]),
        }[name]()
        names = {name: f"data-{at}" for at, name in enumerate(drawn.chart.to_dict()["datasets"])}
        text = json.dumps(plain(drawn.chart.to_dict()), indent=1)
        for old, new in names.items():
            text = text.replace(old, new)
    held(Path(__file__).with_name("shown.txt"), name, f"{text}\n")


def test_coverage_of_intervals_is_drawn_for_numbers():
    made = quick({"ridge": Ridge()}, *DIABETES, losses=["absolute", "crps"])
    table = made.calibration().table
    observed = table.filter(pl.col("stated").is_close(0.5))["observed"][0]
    assert 0.4 < observed < 0.6
    with pytest.raises(BenchbookError, match="no predictive distributions"):
        quick({"ridge": Ridge()}, *DIABETES).calibration()


def test_a_learning_curve_has_the_full_size_of_the_table(cancer):
    table = cancer.learning_curve([60]).table
    assert table["size"].unique().sort().to_list() == [60, 512]
    full = table.filter(size=512, method="knn")["mean"][0]
    assert full == pytest.approx(row(cancer, "knn")["mean"])
    with pytest.raises(FaultyInput, match="whole number from 2 to 512"):
        cancer.learning_curve([9999])


def test_utilities_weigh_cases_and_whole_groups(cancer):
    table = cancer.utilities()
    assert table["method"][0] == "logistic"
    assert table["expected"][0] == pytest.approx(row(cancer, "logistic")["mean"], rel=0.01)
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(30), 10)
    y = rng.normal(size=30)[person] + 0.1 * rng.normal(size=300)
    X = rng.normal(size=(300, 2))
    wide, narrow = (
        quick({"ridge": Ridge()}, X, y, losses="squared", **groups).utilities().row(0, named=True)
        for groups in ({"groups": person}, {})
    )
    assert wide["high"] - wide["low"] > 1.8 * (narrow["high"] - narrow["low"])


def test_further_methods_join_and_known_ones_are_refused(cancer):
    more = cancer.more({"tree": DecisionTreeClassifier(random_state=0)})
    assert row(more, "knn")["mean"] == row(cancer, "knn")["mean"]
    assert "tree" in set(more.table["method"])
    with pytest.raises(FaultyInput, match="not in the comparison yet"):
        cancer.more({"knn": KNeighborsClassifier(3)})


def test_it_becomes_a_frame_of_pandas(cancer):
    frame = cancer.to_pandas()
    assert list(frame["method"]) == cancer.table["method"].to_list()
