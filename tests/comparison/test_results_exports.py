"""Results as tools write them are read as what they are: files of the tools themselves, or of their documented form.

lm-eval 0.4.13 and inspect_ai 0.3.285 (with models that answer by chance), and mlflow 3.17 wrote the files of theirs;
those of HELM, the AutoML benchmark and TabArena have the columns that these document.
"""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, make_moons
from sklearn.linear_model import Lasso, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier

from benchbook.comparison.given.call import given_of
from benchbook.errors import FaultyInput

HERE = Path(__file__).parent / "exports"


def value(given, method, **keys):
    return given.data.filter(method=method, **keys)["value"].item()


def test_samples_of_lm_eval_are_items_paired_by_document():
    with pytest.raises(FaultyInput, match="acc, acc_norm; metric= one of them"):
        given_of(HERE / "lm-eval")
    given = given_of(HERE / "lm-eval", metric="acc")
    assert given.words == "16 items, 2 methods; acc, higher is better"
    for model in ("org__small", "org__large"):
        (file,) = (HERE / "lm-eval" / model).glob("*.jsonl")
        logged = {
            row["doc_id"]: row["acc"] for row in map(json.loads, file.read_text().splitlines())
        }
        assert {number: value(given, model, item=number) for number in logged} == logged
    by_topic = given_of(HERE / "lm-eval", metric="acc", by="doc.topic")
    assert by_topic.words.startswith("16 items, 2 methods, 2 segments")


def test_other_documents_under_the_same_id_are_refused(tmp_path):
    for model in ("small", "large"):
        (file,) = (HERE / "lm-eval" / f"org__{model}").glob("*.jsonl")
        text = (
            file.read_text().replace('"doc_hash": "6', '"doc_hash": "0')
            if model == "small"
            else file.read_text()
        )
        (tmp_path / model).mkdir()
        (tmp_path / model / file.name).write_text(text)
    with pytest.raises(
        FaultyInput, match="doc_hash: found 1 other documents under the same doc_id"
    ):
        given_of(tmp_path, metric="acc")


def test_two_filters_of_lm_eval_are_one_row_too_many(tmp_path):
    (file,) = (HERE / "lm-eval" / "org__small").glob("*.jsonl")
    for model in "ab":
        (tmp_path / model).mkdir()
        text = file.read_text()
        (tmp_path / model / file.name).write_text(
            text + text.replace('"filter": "none"', '"filter": "strict"')
        )
    with pytest.raises(FaultyInput, match="lm-eval's filters"):
        given_of(tmp_path, metric="acc")


def test_means_of_lm_eval_are_published_ones():
    files = [HERE / "lm-eval" / "org__small.json", HERE / "lm-eval" / "org__large.json"]
    given = given_of(files, metric="sums/acc")
    assert given.shape == "published"
    assert dict(given.data.select("method", "value").rows()) == {
        "org/small": 11 / 24,
        "org/large": 0.5,
    }
    assert given.data["se"].to_list()[0] == pytest.approx(np.sqrt(11 / 24 * 13 / 24 / 23))


def test_samples_of_inspect_are_answers_to_items():
    samples = pl.read_csv(HERE / "inspect_samples.csv")
    given = given_of([HERE / "inspect_samples.csv", HERE / "inspect_evals.csv"])
    assert given.words == "12 items, 2 methods, 3 samples each; score_match, higher is better"
    evals = dict(pl.read_csv(HERE / "inspect_evals.csv").select("eval_id", "model").iter_rows())
    for row in samples.iter_rows(named=True):
        score = {"C": 1.0, "I": 0.0}[row["score_match"]]
        assert value(given, evals[row["eval_id"]], item=row["id"], sample=row["epoch"]) == score
    alone = given_of(samples)
    assert "each evaluation is taken for a method" in alone.notes[0]
    assert alone.data["value"].sum() == given.data["value"].sum()
    merged = samples.join(pl.read_csv(HERE / "inspect_evals.csv"), on="eval_id")
    assert set(given_of(merged).methods) == {"mockllm/small", "mockllm/large"}


def test_instances_of_helm_are_items_with_trials():
    with pytest.raises(FaultyInput, match="exact_match, num_output_tokens"):
        given_of(HERE / "helm")
    given = given_of(HERE / "helm", metric="exact_match")
    assert given.words == "20 items, 2 methods, 2 seeds each; exact_match, higher is better"


def test_runs_of_mlflow_have_their_model_and_seed():
    with pytest.raises(FaultyInput) as error:
        given_of(HERE / "mlflow_runs.csv")
    assert "accuracy, loss" in str(error.value) or "loss, accuracy" in str(error.value)
    given = given_of(HERE / "mlflow_runs.csv", metric="accuracy", seeds="own")
    assert given.words == "2 methods, 4 seeds each; accuracy, higher is better"
    table = pl.read_csv(HERE / "mlflow_runs.csv")
    expected = table.filter(pl.col("params.model") == "ridge")["metrics.accuracy"].sum()
    assert given.data.filter(method="ridge")["value"].sum() == pytest.approx(expected)


def test_settings_that_differ_name_the_runs_of_mlflow():
    table = (
        pl.read_csv(HERE / "mlflow_runs.csv")
        .drop("params.model")
        .with_columns(pl.Series("params.lr", [0.1] * 4 + [0.5] * 4))
    )
    given = given_of(table, metric="loss", seeds="own")
    assert set(given.methods) == {"lr=0.1", "lr=0.5"}


def test_results_of_the_automl_benchmark_are_datasets_and_failed_runs_are_missing():
    with pytest.raises(FaultyInput, match=r"method flaml: found 1 \(kc1/2\) of 18 folds missing"):
        given_of(HERE / "amlb_results.csv")
    given = given_of(HERE / "amlb_results.csv", missing="drop")
    assert given.words == "6 datasets, 3 folds, 2 methods; auc, higher is better"
    assert "left out: 1 of 18 folds, which are missing for flaml 1 (kc1/2)" in given.notes
    worst = given_of(HERE / "amlb_results.csv", missing="worst")
    assert value(worst, "flaml", dataset="kc1", fold=2) == worst.data["value"].min()


def test_results_of_tabarena_are_errors_and_imputed_methods_are_left_out():
    given = given_of(HERE / "tabarena_results_per_split.csv")
    assert given.words == "6 datasets, 3 folds, 2 methods; metric_error, lower is better"
    assert "left out: 1 method with imputed results (TABPFNV2_GPU (tuned))" in given.notes
    assert given.wishes.scale == "ratio"


X, Y = load_diabetes(return_X_y=True)
X, Y = X[:120], Y[:120]
SCHEMES = {
    "folds": (KFold(6), ("folds", 6, 1, 1 / 5)),
    "repeated": (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), ("folds", 3, 2, 1 / 2)),
    "random": (ShuffleSplit(5, test_size=0.25, random_state=0), ("splits", 5, 1, 1 / 3)),
    "time": (TimeSeriesSplit(3), ("time", 3, 1, None)),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_indices_of_cross_validate_tell_how_cases_were_split(name):
    splitter, (kind, k, repeats, ratio) = SCHEMES[name]
    results = {
        label: cross_validate(
            model, X, Y, cv=splitter, scoring="neg_mean_absolute_error", return_indices=True
        )
        for label, model in {"ridge": Ridge(0.1), "lasso": Lasso(0.1)}.items()
    }
    given = given_of(results, metric="neg_mean_absolute_error")
    assert (given.scheme.kind, given.scheme.k, given.scheme.repeats) == (kind, k, repeats)
    assert ratio is None or given.scheme.test_to_train == pytest.approx(ratio)
    assert (given.title, given.higher) == ("mean_absolute_error", False)
    assert value(given, "lasso", fold=1) == -results["lasso"]["test_score"][1]


def test_one_case_left_out_is_an_item():
    results = {
        label: cross_validate(
            model,
            X[:15],
            Y[:15],
            cv=LeaveOneOut(),
            scoring="neg_mean_absolute_error",
            return_indices=True,
        )
        for label, model in {"ridge": Ridge(0.1), "lasso": Lasso(0.1)}.items()
    }
    assert given_of(results, metric="neg_mean_absolute_error").shape == "items"


def test_settings_of_a_search_are_methods():
    points, labels = make_moons(80, noise=0.3, random_state=0)
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 5]},
        scoring=["accuracy", "roc_auc"],
        refit=False,
        cv=4,
    )
    search.fit(points, labels)
    with pytest.raises(FaultyInput, match="accuracy, roc_auc; metric= one of them"):
        given_of(search.cv_results_)
    table = {name: values for name, values in search.cv_results_.items() if "param_" not in name}
    frame = pl.DataFrame(table | {"params": [str(setting) for setting in table["params"]]})
    for results in (search.cv_results_, search, frame):
        given = given_of(results, metric="roc_auc", folds=4)
        assert given.words == "4 folds, 2 methods; roc_auc, higher is better"
        expected = [table[f"split{k}_test_roc_auc"][0] for k in range(4)]
        assert given.data["value"].to_list()[:4] == expected


def test_a_frame_of_autorank_and_runs_of_rliable():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"adaboost": rng.random(8), "bagging": rng.random(8)})
    assert (
        given_of(frame, metric="accuracy", each="dataset").words
        == "8 datasets, 2 methods; accuracy, higher is better"
    )
    runs = {"DQN": rng.random((5, 26)), "PPO": rng.random((3, 26))}
    given = given_of(runs, metric="reward", each=("seed", "dataset"))
    assert given.words == "26 datasets, 2 methods, 3 to 5 seeds each; reward, higher is better"
    assert "the mean over seeds of each dataset" in given.notes
    assert value(given, "PPO", seed=2, dataset=7) == runs["PPO"][2, 7]
