"""ROC curves and residuals from predictions, and the table in Markdown."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import benchbook
from benchbook.charts.kit.output import picture, specification
from benchbook.comparison import Comparison
from benchbook.errors import BenchbookError
from benchbook.seeds import generator

N = 90
RNG = generator(1, "plots of predictions")
X = RNG.normal(size=(N, 2))
Y = X[:, 0] + RNG.normal(size=N)
WORDS = np.where(Y > 0.2, "yes", "no")


def compared(methods, y, **settings):
    return benchbook.compare(methods, X, y, **({"effort": "quick", "design": 3} | settings))


@pytest.mark.parametrize("positive", ["yes", "no"])
@pytest.mark.parametrize("weights", [None, np.arange(N) % 4], ids=["alike", "weighted"])
def test_the_area_below_a_roc_curve_is_that_of_the_table(positive, weights, tmp_path):
    methods = {"bayes": GaussianNB(), "line": LogisticRegression(), "hard": LinearSVC()}
    made = compared(methods, WORDS, positive=positive, weights=weights, losses="auc")
    drawn = made.roc()
    assert drawn.table["method"].unique(maintain_order=True).to_list() == ["bayes", "line"]
    for name in ("bayes", "line"):
        curve = drawn.table.filter(drawn.table["method"] == name)
        area = np.trapezoid(curve["true_positive_rate"], curve["false_positive_rate"])
        assert area == pytest.approx(1 - made.mean("auc", name), abs=0.02)
        assert np.all(np.diff(curve["true_positive_rate"]) >= 0)
    assert "<svg" in picture(specification(drawn.chart))
    again = Comparison.load(made.save(tmp_path / "kept")).roc()
    assert again.table.equals(drawn.table)


def test_residuals_are_targets_less_predictions(tmp_path):
    made = compared(
        {"a": Ridge(), "b": Ridge(100)}, Y, unit="EUR", losses="absolute", effort="default"
    )
    drawn = made.residuals()
    assert drawn.table.height == 2 * N
    value = drawn.table["predicted"] + drawn.table["residual"]
    assert value.to_list() == pytest.approx(Y[drawn.table["row"].to_numpy()].tolist())
    distance = drawn.table.filter(drawn.table["method"] == "a")["residual"].abs().mean()
    first = made.losses.filter((made.losses["method"] == "a") & (made.losses["repeat"] == 0))
    assert distance == pytest.approx(first["value"].mean())
    assert "target minus predicted, EUR" in str(drawn.chart.to_dict())
    assert "<svg" in picture(specification(drawn.chart))
    assert Comparison.load(made.save(tmp_path / "kept")).residuals().table.equals(drawn.table)


def test_what_cannot_be_drawn_is_said():
    numbers, classes = compared({"a": Ridge()}, Y), compared({"a": LinearSVC()}, WORDS)
    for call, words in (
        (numbers.roc, "two classes"),
        (classes.roc, "no method states probabilities"),
        (classes.residuals, "numbers"),
    ):
        with pytest.raises(BenchbookError, match=words):
            call()


def test_markdown_has_the_rows_of_the_table_and_the_sentence():
    made = compared({"a|b": Ridge(), "plain": Ridge(100)}, Y, losses="squared")
    text = made.to_markdown()
    head, rule, *rest = text.splitlines()
    assert set(rule) <= set("|:-")
    rows = [line for line in rest if line.startswith("|")]
    names = [row["method"].replace("|", r"\|") for row in made.rows()]
    assert [row.split(" | ")[0].split("  ")[0].strip("| ") for row in rows] == names
    assert {line.replace(r"\|", "").count("|") for line in (head, rule, *rows)} == {7}
    assert rest[-1] == (made.sentence or "No verdict: see the warnings of the comparison.")


def test_the_page_has_the_figures_of_its_kind_of_target(tmp_path):
    for y, has, lacks in ((Y, "Residuals", "ROC curves"), (WORDS, "ROC curves", "Residuals")):
        model = Ridge() if y is Y else GaussianNB()
        page = compared({"a": model}, y).report(tmp_path / "page.html").read_text()
        assert f"<h2>{has}</h2>" in page
        assert f"<h2>{lacks}</h2>" not in page
