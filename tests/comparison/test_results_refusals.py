"""Wrong results: each is refused in words, with all that is wrong; and what is not known is asked, never guessed."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from printed import held

from benchbook import compare_results
from benchbook.errors import FaultyInput

TEXTS = Path(__file__).parent / "results_refusals.txt"
N = 40
RNG = np.random.default_rng(0)
A, B, ROWS = RNG.random(N), RNG.random(N), np.arange(N)
WORDS = np.array(["cat", "dog"] * 20)


def long(**columns):
    """Two models on forty items."""
    base = {"model": ["a"] * N + ["b"] * N, "item": [*ROWS, *ROWS], "acc": [*A, *B]}
    return pl.DataFrame(base | columns)


def rows(columns, *values):
    return pl.DataFrame(list(values), schema=columns.split(), orient="row")


def grid(columns, *counts, methods="ab"):
    """All combinations of a method and numbers, with a score."""
    frame = pl.DataFrame({columns.split()[0]: list(methods)})
    for name, count in zip(columns.split()[1:-1], counts, strict=True):
        frame = frame.join(pl.DataFrame({name: range(count)}), how="cross")
    return frame.with_columns(
        pl.Series(np.random.default_rng(1).random(frame.height)).round(6).alias(columns.split()[-1])
    )


SEARCH = {
    "params": [{"C": 1}, {"C": 2}],
    **{f"split{k}_test_score": A[2 * k % 30 :][:2] for k in range(100)},
}
INDICES = {"train": [np.arange(1, 10)] * 3, "test": [np.arange(1)] * 3}
HALF = np.where(ROWS < 30, 0, ROWS)
RETRIED = pl.DataFrame(
    [("a", i, k, float(k == i % 4)) for i in range(40) for k in range(i % 4 + 1)]
    + [("b", i, 0, float(i % 3 == 0)) for i in range(40)],
    schema=["model", "item", "attempt", "correct"],
    orient="row",
)

WRONG = {
    # the twenty-five of the design
    "bare arrays": lambda: compare_results({"a": A, "b": B}),
    "arrays of other lengths": lambda: compare_results({"a": A, "b": B[:-1]}, each="item"),
    "one method": lambda: compare_results(long().filter(model="a")),
    "predictions with what is of scores": lambda: compare_results(
        {"a": A, "b": B}, A, metric="mae", dataset="d", folds=3, missing="drop", seeds="own"
    ),
    "one segment": lambda: compare_results({"a": A, "b": B}, A, by=np.repeat("x", N)),
    "one segment of scores": lambda: compare_results(long(region=["x"] * 2 * N), by="region"),
    "a deviance of negative targets": lambda: compare_results(
        {"a": A, "b": B}, A - 0.5, losses="poisson"
    ),
    "no direction": lambda: compare_results(long().rename({"acc": "value"})),
    "items missing for one": lambda: compare_results(long()[:-3]),
    "empty scores": lambda: compare_results(
        long().with_columns(acc=pl.when(pl.col("item") == 3).then(None).otherwise("acc"))
    ),
    "the same item twice": lambda: compare_results(pl.concat([long(), long()[:2]])),
    "an item in two clusters": lambda: compare_results(long(doc=[*(ROWS // 5), *(ROWS // 4)])),
    "no such column": lambda: compare_results(long(), cluster="paragraph", by="region"),
    "two columns of scores": lambda: compare_results(long(f1=[*A, *B])),
    "nothing pairs": lambda: compare_results(long().drop("item")),
    "wide, and no word on its rows": lambda: compare_results(
        pl.DataFrame({"a": A, "b": B}), metric="acc"
    ),
    "one column of numbers": lambda: compare_results(pl.DataFrame({"item": ROWS, "a": A})),
    "a hundred splits": lambda: compare_results(SEARCH),
    "two scorers": lambda: compare_results(
        {m: {"test_acc": A[:10], "test_f1": B[:10]} for m in "ab"}
    ),
    "predictions of other lengths": lambda: compare_results({"a": A[:-2], "b": B}, A[:-1]),
    "a prediction that is NaN": lambda: compare_results(
        {"a": np.where(ROWS == 3, np.nan, A), "b": B}, A
    ),
    "an unknown class": lambda: compare_results(
        {"a": np.where(ROWS < 20, "cat", "cow"), "b": WORDS}, WORDS
    ),
    "probabilities that add up to 1.2": lambda: compare_results(
        {"a": np.full((N, 2), 0.6), "b": np.full((N, 2), 0.5)}, ROWS % 2
    ),
    "a text file": lambda: compare_results("results.txt"),
    "losses of 0 by several metrics": lambda: compare_results(
        rows(
            "dataset method metric metric_error",
            *[(k, m, ("rmse", "auc")[k % 2], float(k)) for k in range(6) for m in "ab"],
        )
    ),
    # the ask list
    "how the ten folds were made": lambda: compare_results(
        {m: {"test_score": A[:10] + k} for k, m in enumerate("ab")}
    ),
    "seeds of what": lambda: compare_results(grid("model seed acc", 5)),
    "variants of datasets": lambda: compare_results(
        rows(
            "dataset a b", *[(f"{p}{k}", 0.5, 0.6) for p in ("cancer", "heart") for k in (1, 2, 3)]
        ),
        metric="acc",
    ),
    "ratios or differences": lambda: compare_results(
        rows(
            "dataset a b",
            *[(k, k + 1.0, k + 2.0) for k in "012345"]
            if 0
            else [(f"x{'abcdef'[k]}y", k + 1.0, k + 2.0) for k in range(6)],
        ),
        metric="rmse",
    ),
    "tasks of several sizes": lambda: compare_results(
        rows(
            "model task doc_id acc",
            *[
                (m, t, i, float((i * 7) % 3 == 0))
                for m in "ab"
                for t, n in (("x", 20), ("y", 30))
                for i in range(n)
            ],
        )
    ),
    "predictions or scores": lambda: compare_results(
        pl.DataFrame({"id": ROWS, "target": A, "ridge": A, "forest": B}), metric="rmse"
    ),
    "epochs of training": lambda: compare_results(grid("model seed epoch val_acc", 3, 5)),
    "a panel": lambda: compare_results(
        grid("model series date mae", 5, 60).rename({"series": "id"})
    ),
    "samples until one succeeded": lambda: compare_results(RETRIED),
    "raters": lambda: compare_results(
        grid("system item rater rating", 30, 4), higher_is_better=True
    ),
    # names of two meanings, and what is no sample
    "training, validation and test": lambda: compare_results(
        rows("model split accuracy", *[(m, s, 0.5) for m in "ab" for s in ("train", "val", "test")])
    ),
    "trials of a search": lambda: compare_results(grid("model trial accuracy", 50)),
    "rounds of boosting": lambda: compare_results(grid("model iteration logloss", 10)),
    "steps of a log": lambda: compare_results(
        pl.DataFrame(
            {"Step": range(50), "a - val_acc": [*A, *B[:10]], "b - val_acc": [*B, *A[:10]]}
        )
    ),
    "runs of TREC": lambda: compare_results(grid("run topic ndcg", 50)),
    "a score for each class": lambda: compare_results(
        rows("model label f1", *[(m, c, 0.5) for m in "ab" for c in "xyz"])
    ),
    "a wide score for each class": lambda: compare_results(
        pl.DataFrame({"class": list("abcdefghijkl"), "x": A[:12], "y": B[:12]}),
        metric="f1",
        each="item",
    ),
    "users, each in one arm": lambda: compare_results(
        rows("id arm converted", *[(k, "AB"[k % 2], float(k % 3 == 0)) for k in range(40)]),
        method="arm",
        higher_is_better=True,
    ),
    "a column of lengths": lambda: compare_results(
        pl.DataFrame({"id": ROWS, "length": ROWS + 10, "gpt": A, "llama": B}), metric="accuracy"
    ),
    "datasets as columns": lambda: compare_results(
        rows("method cifar svhn", ("a", 95.1, 90.0), ("b", 95.6, 91.0))
    ),
    "means with plus and minus": lambda: compare_results(
        rows("method accuracy", ("a", "95.1 ± 0.2"), ("b", "94.0 ± 0.1"))
    ),
    "standard deviations": lambda: compare_results(
        rows("method accuracy std", ("a", 0.95, 0.02), ("b", 0.9, 0.03))
    ),
    "four items": lambda: compare_results({"a": A[:4], "b": B[:4]}, each="item", metric="accuracy"),
    "confusion matrices": lambda: compare_results(
        {"a": np.eye(2), "b": np.eye(2)}, each="item", higher_is_better=True
    ),
    "days that are texts": lambda: compare_results(
        pl.DataFrame(
            {"day": [f"day {k}" for k in range(60)], "a": [*A, *B[:20]], "b": [*B, *A[:20]]}
        ),
        metric="mae",
    ),
    "series of unequal length": lambda: compare_results(
        rows(
            "model id date mae",
            *[
                (m, d, t, t * 0.1)
                for m in "ab"
                for d, n in (("x", 60), ("y", 50))
                for t in range(n)
            ],
        ),
        each="time",
    ),
    "other rows of the same split": lambda: compare_results(
        {
            "a": {"test_score": A[:3], "indices": INDICES},
            "b": {"test_score": A[:3], "indices": INDICES | {"test": [np.arange(2)] * 3}},
        }
    ),
    "folds that do not divide": lambda: compare_results(
        {m: {"test_score": A[:10]} for m in "ab"}, folds=3
    ),
    "two ways to say how cases were split": lambda: compare_results(
        {m: {"test_score": A[:10]} for m in "ab"}, folds=10, test_to_train=0.1
    ),
    "words that are none": lambda: compare_results(
        long(), missing="ignore", seeds="both", rope=-1, folds=1, test_to_train=0.0, average="mean"
    ),
    "no such reference": lambda: compare_results(
        {"a": A, "b": B}, each="item", metric="acc", reference="c"
    ),
    "an empty table": lambda: compare_results(long().clear()),
    "an empty dict": lambda: compare_results({}),
    "a number": lambda: compare_results(3),
    "a lazy frame": lambda: compare_results(long().lazy()),
    "columns of two levels": lambda: compare_results(
        pd.DataFrame(np.eye(3), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]))
    ),
    "infinite scores one way": lambda: compare_results(long(acc=[float("inf")] * 2 * N)),
    "no metric of that name": lambda: compare_results(long(f1=[*A, *B]), metric="bleu"),
    "rows without a method": lambda: compare_results(
        long(model=[None] * 3 + ["a"] * (N - 3) + ["b"] * N)
    ),
    "items without a name": lambda: compare_results(long(item=[None, *ROWS[1:], *ROWS])),
    "one dataset each, these": lambda: compare_results(
        rows("dataset a b", *[(f"x{'abcdef'[k]}y", 0.5, 0.6) for k in range(6)]),
        metric="acc",
        datasets="these",
    ),
    "predictions in a number": lambda: compare_results({"a": 3, "b": A}, A),
    "predictions with no such reference": lambda: compare_results(
        {"a": A, "b": B}, A, reference="c"
    ),
    "predictions in mixed columns": lambda: compare_results(
        pl.DataFrame({"y": A, "a": A, "b": B, "note": WORDS}), "y"
    ),
    "no target of that name": lambda: compare_results(pl.DataFrame({"a": A, "b": B}), "price"),
    "an unknown loss of predictions": lambda: compare_results(
        {"a": A, "b": B}, A, losses="acuracy"
    ),
    "weights that are texts": lambda: compare_results(long(weight=["x"] * 2 * N)),
    "standard errors that are texts": lambda: compare_results(
        rows("model accuracy se", ("a", 0.7, "x"), ("b", 0.6, "y"))
    ),
    "a share as the rope of scores": lambda: compare_results(long(), rope="1%"),
    "a position that is none": lambda: compare_results({"a": A, "b": B}, each="patient"),
    "shared seeds of one method": lambda: compare_results(
        rows("model seed acc", *[(m, s + 5 * (m == "b"), 0.5) for m in "ab" for s in range(5)]),
        seeds="shared",
    ),
    "datasets of several numbers of folds": lambda: compare_results(
        rows(
            "dataset fold model acc",
            *[
                (d, f, m, 0.5)
                for d in ("xx", "yy")
                for f in range(9 - 4 * (d == "yy"))
                for m in "ab"
            ],
        ),
        datasets="these",
        folds=9,
    ),
    "no score at all": lambda: compare_results(
        long(acc=[None] * 2 * N), metric="acc", missing="worst"
    ),
    "folds of other predictions": lambda: compare_results({"a": A, "b": B}, A, fold=ROWS[:3]),
    "density of points": lambda: compare_results({"a": A, "b": B}, A, losses="log"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_results_are_refused_in_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FaultyInput) as error:
        WRONG[name]()
    held(TEXTS, name, f"{error.value}\n")
    assert not list(tmp_path.iterdir())


FILES = {
    "no lines of objects": ("a.jsonl", "[1]\n[2]\n"),
    "no JSON": ("a.json", "{"),
    "one column": ("a.csv", "x\n1\n2\n"),
    "no results of lm-eval": ("a.json", json.dumps({"results": {"arc": {"alias": "arc"}}})),
    "no Parquet": ("a.parquet", "x"),
    "an unknown ending": ("a.xlsx", "x"),
}


@pytest.mark.parametrize("name", FILES)
def test_wrong_files_are_refused_in_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, text = FILES[name]
    Path(file).write_text(text)
    with pytest.raises(FaultyInput) as error:
        compare_results([file, "nowhere.csv"])
    held(TEXTS, name, f"{error.value}\n")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(FaultyInput, match="no results in the folder"):
        compare_results(tmp_path)
