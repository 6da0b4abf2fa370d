"""A form filled from a saved comparison, from runs and from a plan: what is known is there, what is not is asked."""

import tomllib

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import benchbook
from benchbook.cli import app
from benchbook_book import form as checklist

TREES = {"class": DecisionTreeClassifier(max_depth=2), "number": DecisionTreeRegressor(max_depth=2)}
LINES = {"class": LogisticRegression(), "number": LinearRegression()}
WHOLE = {"design": 5}
# what is compared, and the kind of study and of split that the form then has
DESIGNS = {
    "folds of numbers": ("number", WHOLE, "cross-validation", "k folds"),
    "folds of classes": ("class", WHOLE, "cross-validation", "k folds"),
    "repeated folds": ("number", {"design": "5x2"}, "cross-validation", "k folds"),
    "groups": ("number", {"groups": np.arange(60) % 12, **WHOLE}, "cross-validation", "by groups"),
    "time": ("number", {"time": np.arange(60.0)}, "backtest", "by time"),
    "one test set": ("number", {"design": "holdout-0.25"}, "fit and test", "random"),
}


def compared(kind, **how):
    rng = np.random.default_rng(1)
    X = pl.DataFrame(rng.normal(size=(60, 2)), schema=["a", "b"])
    number = X["a"].to_numpy() + rng.normal(size=60)
    y = np.where(number > 0.0, "yes", "no") if kind == "class" else number
    methods = {"line": LINES[kind], "tree": TREES[kind]}
    losses = ["zero_one"] if kind == "class" else ["squared"]
    return benchbook.compare(
        methods, X, y, losses=losses, unit="" if kind == "class" else "m", seed=1, **how
    )


@pytest.mark.parametrize(("kind", "how", "study", "split"), DESIGNS.values(), ids=DESIGNS)
def test_a_saved_comparison_fills_what_it_knows_and_only_the_rest_is_asked(
    kind, how, study, split, tmp_path
):
    result = compared(kind, **how)
    result.save(tmp_path / "mine")
    path = tmp_path / "r.toml"
    words = ["checklist", "fill", str(tmp_path / "mine"), str(path), "--method", "line"]
    printed = CliRunner().invoke(app, words)
    assert printed.exit_code == 0, printed.output
    text = path.read_text(encoding="utf8")
    given = tomllib.loads(text)
    assert (given["study"]["kind"], given["split"]["kind"]) == (study, split)
    assert given["results"]["n"] == result.plan.design.k * result.plan.design.repeats
    values = result.fold_losses.filter(method="line")["value"].to_numpy()
    scale, name = (100.0, "test_wrong") if kind == "class" else (1.0, "test_error")
    assert given["results"][name]["mean"] == pytest.approx(scale * values.mean(), rel=1e-5)
    empty = {number for number, line in enumerate(text.splitlines(), 1) if line.endswith(' = ""')}
    findings = checklist.findings(given, checklist.toml_line_numbers(text))
    wrong = [one for one in findings if not one.warning and one.line not in empty]
    assert [(one.key, one.write) for one in wrong if one.key != "split.groups"] == []
    assert CliRunner().invoke(app, words).exit_code == 2


def test_runs_on_a_partition_and_runs_of_a_task_fill_a_form():
    network = checklist.from_result("cancer1", "proben1-pivot")
    assert network["model.kind"] == "network"
    assert network["split.name"] == "cancer1"
    robot = checklist.from_result("kin-8nm-sim/dist/std.64", "lin-1", "base-1")
    assert (robot["study.kind"], robot["split.training"], robot["results.n"]) == (
        "simulation",
        64,
        8,
    )
    assert robot["comparison.claim"] == "smaller"


def test_what_is_no_result_is_told_with_the_way_out(tmp_path):
    def said(*words):
        result = CliRunner().invoke(app, ["checklist", "fill", *words, str(tmp_path / "r.toml")])
        assert result.exit_code == 2
        assert list(tmp_path.iterdir()) == []
        return result.stderr

    assert "unknown task 'nosuch'" in said("nosuch")
    assert "one of proben1-" in said("cancer1")
    assert "a report is on one task" in said("kin-8nm-sim/dist/std.*")
