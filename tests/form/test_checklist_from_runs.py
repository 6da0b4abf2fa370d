"""Forms made from records of runs: they pass, they agree with the recipe, and their sentence says the same."""

import tomllib

import numpy as np
import polars as pl
import pytest

from benchbook import methods, tasks
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods.proben1 import (
    PIVOT_RUNS,
    RESULT_RUNS,
    SEARCH_RUNS,
    Partition,
    Recipe,
    Rprop,
    Topology,
    result_rule,
    train_many,
)
from benchbook.seeds import generator
from benchbook_book import form as checklist

MADE = [
    ("cancer1", "proben1-linear", "0l", RESULT_RUNS),
    ("glass3", "proben1-pivot", "16+8l", PIVOT_RUNS),
    ("glass3", "proben1-pivot-text", "16+8l", RESULT_RUNS),
    ("flare2", "proben1-noshort", "32+0s", PIVOT_RUNS),
    ("heartac1", "proben1-search", "2+2s", SEARCH_RUNS),
    ("soybean2", "proben1-linear", "0l", RESULT_RUNS),
]


def _criteria(stopping):
    """The stopping rule as ``methods.proben1`` writes it."""
    if stopping.criterion:
        return stopping.criterion.other
    return f"GL_{stopping.generalisation_loss:g} or P < {stopping.progress:g}"


@pytest.mark.parametrize(("dataset", "method", "topology", "recipe"), MADE)
def test_records_make_a_form_that_passes_and_agrees_with_the_recipe(
    made, dataset, method, topology, recipe
):
    passed = checklist.from_runs(
        made.records(dataset, method, topology), method, dataset, recipe=recipe
    )
    assert checklist.check(tomllib.loads(checklist.toml(passed.values))).values == passed.values
    constants = passed["optimiser"]
    assert (constants.eta_plus, constants.eta_minus) == (recipe.rprop.up, recipe.rprop.down)
    assert tuple(constants.delta_init) == recipe.rprop.first
    assert passed["initialisation.range"] == [-recipe.rprop.start, recipe.rprop.start]
    assert _criteria(passed["stopping"]) == str(recipe.rule)
    shape = Topology.parse(
        topology, passed["model.inputs"], passed["model.outputs"], "noshort" not in method
    )
    assert passed["model.weights"] == shape.connections
    assert passed["model.connections"] == (
        "adjacent layers" if method == "proben1-noshort" else "all shortcuts"
    )
    assert (passed["results.test_wrong"] is not None) == (
        passed["problem.kind"] == "classification"
    )


def test_statistics_are_those_of_the_records(made):
    frame = made.records("cancer1", "proben1-linear", "0l", runs=30)
    passed = checklist.from_runs(frame, "proben1-linear", "cancer1")
    errors = frame["test_error"].to_numpy()
    assert passed["runs.made"] == passed["results.n"] == 30
    assert passed["results.test_error.mean"] == pytest.approx(errors.mean(), rel=1e-5)
    assert passed["results.test_error.sd"] == pytest.approx(errors.std(ddof=1), rel=1e-5)
    assert passed["results.test_error.median"] == pytest.approx(np.median(errors), rel=1e-5)
    assert passed["results.correlation"] == pytest.approx(1.0)
    shuffled = checklist.from_runs(
        frame.sample(fraction=1.0, shuffle=True, seed=1), "proben1-linear", "cancer1"
    )
    assert shuffled.values == passed.values


def test_the_best_run_is_the_one_with_the_least_validation_error(made):
    frame = made.records("cancer1", "proben1-linear", "0l", runs=30).with_columns(
        validation_error=pl.when(pl.col("run") == 17)
        .then(1.0)
        .otherwise(pl.col("validation_error"))
    )
    passed = checklist.from_runs(frame, "proben1-linear", "cancer1")
    assert passed["results.best_run.chosen_on"] == "validation cases"
    assert passed["results.best_run.test_error"] == pytest.approx(4.34)
    assert "The run best on the validation cases has a test error of 4.34" in checklist.sentence(
        passed
    )


def test_a_users_own_table_is_described_as_the_users_own(made, own_partition):
    frame = made.records("risk1", "mine", "2l", runs=10)
    with pytest.raises(checklist.FaultyReport) as refused:
        checklist.from_runs(frame, "mine", "risk1", recipe=RESULT_RUNS)
    assert [finding.key for finding in refused.value.findings] == [
        "problem.address",
        "encoding.fitted_on",
    ]
    stated = {
        "problem.address": "https://example.org/risk1.dt",
        "encoding.fitted_on": "training cases",
    }
    passed = checklist.from_runs(frame, "mine", "risk1", recipe=RESULT_RUNS, stated=stated)
    assert passed["problem.collection"] == "own data"
    assert passed["problem.version"].startswith("sha256 of the values ")
    assert passed["split.kind"] == "in file order"
    assert "risk1 of own data" in checklist.sentence(passed)
    with pytest.raises(checklist.FaultyReport, match=r"encoding\.fitted_on"):
        checklist.from_runs(
            frame,
            "mine",
            "risk1",
            recipe=RESULT_RUNS,
            stated=stated | {"encoding.fitted_on": "all cases"},
        )
    form = checklist.template("risk1")
    assert 'collection = "own data"' in form
    assert "as published" not in form.split("[encoding]")[1].split("[model]")[0].replace(
        "#   as", ""
    )


@pytest.mark.parametrize(
    ("name", "who"), [("heart1", "Janosi"), ("heartac2", "Detrano"), ("cancer3", "Wolberg")]
)
def test_who_collected_the_data_is_in_form_template_and_sentence(made, name, who):
    passed = checklist.from_runs(made.records(name, "proben1-linear", "0l"), "proben1-linear", name)
    assert who in passed["problem.acknowledgement"]
    assert who in checklist.sentence(passed)
    assert who in checklist.template(name)
    assert ("Janosi" in checklist.template(name)) == (name == "heart1")
    without = {
        **passed.values,
        "problem": {**passed.values["problem"], "acknowledgement": "the donors"},
    }
    results = {finding.key: finding.warning for finding in checklist.findings(without)}
    assert results == {"problem.acknowledgement": name == "cancer3"}


def test_other_runs_in_the_frame_do_not_count(made):
    own = made.records("card1", "proben1-linear", "0l", runs=10)
    others = [
        made.records("card2", "proben1-linear", "0l", runs=10),
        made.records("card1", "proben1-noshort", "32+0l", runs=10),
    ]
    crowd = checklist.from_runs(pl.concat([own, *others]), "proben1-linear", "card1")
    assert crowd.values == checklist.from_runs(own, "proben1-linear", "card1").values


@pytest.mark.parametrize(
    ("method", "dataset", "on"),
    [
        ("proben1-linear", "card1", ["nothing"]),
        ("proben1-pivot", "card1", ["validation cases", "published results"]),
        ("proben1-pivot-text", "card1", ["validation cases"]),
        ("proben1-search", "card1", ["nothing"]),
    ],
)
def test_a_form_says_what_was_chosen_by_what(made, method, dataset, on):
    topology = {"proben1-linear": "0l", "proben1-search": "8+4l"}.get(method, "32+0l")
    passed = checklist.from_runs(made.records(dataset, method, topology), method, dataset)
    assert passed["tuning.chosen_on"] == on
    assert ("tuning" in passed["split.validation_used_for"]) == ("validation cases" in on)
    expected = ["tuning.chosen_on"] if "published results" in on else []
    expected += ["stopping.criterion.other"] if method == "proben1-search" else []
    assert [warning.key for warning in passed.warnings] == expected
    assert ("Chosen among" in checklist.sentence(passed)) == (on != ["nothing"])


@pytest.mark.parametrize(
    ("dataset", "on"), [("cancer1", "validation cases"), ("cancer1c", "training cases")]
)
def test_hidden_layers_of_another_order_were_chosen_on_other_cases(made, dataset, on):
    passed = checklist.from_runs(
        made.records(dataset, "proben1-pivot-text", "4+2l"), "proben1-pivot-text", dataset
    )
    assert passed["tuning.chosen_on"] == [on]
    assert passed["split.test"] == 174


@pytest.mark.parametrize("order", "bdef")
def test_a_pivot_network_is_refused_where_its_search_has_seen_the_test_cases(made, order):
    name = f"cancer1{order}"
    with pytest.raises(checklist.FaultyReport) as refused:
        checklist.from_runs(made.records(name, "proben1-pivot", "4+2l"), "proben1-pivot", name)
    assert [finding.key for finding in refused.value.findings] == ["tuning.chosen_on"]
    linear = checklist.from_runs(made.records(name, "proben1-linear", "0l"), "proben1-linear", name)
    assert linear["tuning.chosen_on"] == ["nothing"]


@pytest.mark.parametrize(
    "name",
    ["proben1-linear", "proben1-pivot", "proben1-pivot-text", "proben1-noshort", "proben1-search"],
)
def test_recipes_are_those_that_the_methods_train_with(made, name):
    settings = methods.get(name).settings
    topology = "0l" if name == "proben1-linear" else "4+2l"
    passed = checklist.from_runs(made.records("cancer1", name, topology), name, "cancer1")
    assert _criteria(passed["stopping"]) == str(settings.recipe.rule)
    assert passed["initialisation.range"][1] == settings.recipe.rprop.start
    assert passed["optimiser.eta_plus"] == settings.recipe.rprop.up
    assert passed["model.connections"] == (
        "all shortcuts" if settings.shortcuts else "adjacent layers"
    )


def test_real_runs_of_a_recipe_of_ones_own(made):
    rng = generator(1, "report form")
    inputs = rng.uniform(size=(214, 9))
    targets = np.eye(6)[rng.integers(0, 6, 214)]
    partition = Partition.cut("glass1", inputs, targets, (107, 54, 53), classification=True)
    recipe = Recipe(Rprop(variant="irprop-"), result_rule(1.0), most_epochs=50)
    runs = train_many(
        partition, Topology(9, (2,), 6, shortcuts=False), recipe, [generator(k) for k in range(10)]
    )
    frame = pl.DataFrame(
        [
            {
                "dataset": "glass1",
                "method": "mine",
                "run": k,
                "cpu": "a processor",
                **run.describe(),
            }
            for k, run in enumerate(runs)
        ]
    )
    passed = checklist.from_runs(frame, "mine", "glass1", recipe=recipe)
    assert passed["optimiser.variant"] == "irprop-"
    assert passed["model.connections"] == "adjacent layers"
    assert passed["time.machine"].startswith("a processor")
    assert passed["results.test_wrong.maximum"] == pytest.approx(
        max(run.test_wrong for run in runs), rel=1e-5
    )
    with pytest.raises(FaultyInput, match=r"split\.test"):
        checklist.check({**passed.values, "split": {**passed.values["split"], "test": 54}})


def test_the_sentence_says_what_another_would_need(made):
    text = checklist.sentence(checklist.check(made.tables()))
    for piece in (
        "cancer1 of PROBEN1",
        "350 training, 175 validation and 174 test cases",
        "9-4-2-2",
        "softsign",
        "100 weights",
        "Rprop (rprop-, eta plus 1.2",
        "uniform weights in [-0.01, 0.01]",
        "GL above 5 % on the validation cases",
        "every 5 epochs",
        "3000 epochs",
        "best on the validation cases",
        "60 runs",
        "1.60 (0.41)",
        "1.47 (0.60) %",
        "Chosen among 12 settings by the validation cases: hidden layers.",
        "The run best on the validation cases has a test error of 1.45 and 1.149 % wrong.",
        "William H. Wolberg",
    ):
        assert piece in text, piece


def test_the_sentences_of_other_reports(made):
    network = checklist.sentence(checklist.check(made.tables("sound-network.toml")))
    assert (
        "ionosphere, 10 stratified folds of UCI (283 training, 33 validation and 35 test cases, 10 folds)"
        in network
    )
    assert "AdamW (learning rate 0.001, weight decay 0.01, schedule (kind cosine" in network
    assert "10 folds are: cross entropy 0.21 (0.10)" in network
    trees = checklist.sentence(checklist.check(made.tables("sound-trees.toml")))
    assert "at most 2000 boosted trees (xgboost 2.1.1" in trees
    assert (
        "50 measurements without a new best on the validation cases, measured every round" in trees
    )
    half = {
        "runs.excluded": 30,
        "runs.excluded_as": "worst half",
        "runs.judged_on": "training cases",
        "runs.reason": "the 30 of greatest training error",
        "results.n": 30,
        "results.test_error.sd": 0.004,
        "results.best_run.test_error": 1.599,
        "results.test_wrong.mean": 1.475,
        "tuning": {"parameters": [], "chosen_on": ["nothing"], "settings_tried": 0},
        "split.validation_used_for": ["stopping", "choosing the state", "choosing among runs"],
        "model.hidden": [],
        "model.weights": 20,
    }
    ends = [f"results.test_error.{end}" for end in ("minimum", "median", "maximum")]
    text = checklist.sentence(checklist.check(made.changed(half, [*ends, "comparison"])))
    assert "networks 9-2 of identity outputs (20 weights with biases)" in text
    assert "1.6000 (0.0040)" in text
    assert "30 of 60 runs were excluded (the 30 of greatest training error)" in text
    assert "Chosen" not in text


def test_what_makes_no_form_ends_with_the_reason(made):
    frame = made.records("cancer1", "proben1-linear", "0l", runs=10)
    with pytest.raises(FaultyInput, match="a column 'test_error' is needed"):
        checklist.from_runs(frame.drop("test_error"), "proben1-linear", "cancer1")
    with pytest.raises(BenchbookError, match="no runs of proben1-linear on cancer2"):
        checklist.from_runs(frame, "proben1-linear", "cancer2")
    with pytest.raises(BenchbookError, match="nearest is 'cancer1'"):
        checklist.from_runs(frame, "proben1-linear", "cancr1")
    two = pl.concat([frame, made.records("cancer1", "proben1-linear", "2+0l", runs=1)])
    with pytest.raises(FaultyInput, match="0l, 2\\+0l"):
        checklist.from_runs(two, "proben1-linear", "cancer1")
    with pytest.raises(BenchbookError, match="no recipe"):
        checklist.from_runs(
            made.records("cancer1", "proben1-forest", "0l"), "proben1-forest", "cancer1"
        )


def test_runs_of_today_become_lines_for_a_form():
    part = tasks.partition("sklearn-iris2")
    runs = train_many(
        part,
        Topology.parse("2l", part.inputs, part.outputs),
        RESULT_RUNS,
        [np.random.default_rng(run) for run in range(10)],
    )
    frame = pl.DataFrame(
        [
            {"dataset": part.name, "method": "proben1-pivot-text", "run": number, **run.describe()}
            for number, run in enumerate(runs)
        ],
        infer_schema_length=None,
    )
    passed = checklist.from_runs(frame, "proben1-pivot-text", part.name)
    assert passed["problem.collection"] == "benchbook"
    assert passed["tuning.chosen_on"] == ["nothing"]
    assert passed["results.test_error.mean"] == pytest.approx(
        np.mean([run.test_error for run in runs]), rel=1e-5
    )
