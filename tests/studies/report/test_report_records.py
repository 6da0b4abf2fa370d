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
from benchbook.studies import report

MADE = [
    ("cancer1", "proben1-linear", "0l", RESULT_RUNS),
    ("glass3", "proben1-pivot", "16+8l", PIVOT_RUNS),
    ("glass3", "proben1-pivot-text", "16+8l", RESULT_RUNS),
    ("flare2", "proben1-noshort", "32+0s", PIVOT_RUNS),
    ("heartac1", "proben1-search", "2+2s", SEARCH_RUNS),
    ("soybean2", "proben1-linear", "0l", RESULT_RUNS),
]


@pytest.mark.parametrize(("dataset", "method", "topology", "recipe"), MADE)
def test_records_make_a_form_that_passes_and_agrees_with_the_recipe(
    made, dataset, method, topology, recipe
):
    passed = report.from_runs(
        made.records(dataset, method, topology), method, dataset, recipe=recipe
    )
    assert report.check(tomllib.loads(report.toml(passed.values))).values == passed.values
    constants = passed["algorithm.parameters"]
    assert (constants["increase"], constants["decrease"]) == (recipe.rprop.up, recipe.rprop.down)
    assert tuple(constants["first_step"]) == recipe.rprop.first
    assert passed["initialisation.range"] == [-recipe.rprop.start, recipe.rprop.start]
    assert passed["stopping.criterion"] == str(recipe.rule)
    shape = Topology.parse(
        topology, passed["network.inputs"], passed["network.outputs"], "noshort" not in method
    )
    assert passed["network.connections"] == shape.connections
    assert passed["network.shortcuts"] == ("none" if method == "proben1-noshort" else "all")
    assert ("results.test_wrong.mean" in passed) == (passed["problem.kind"] == "classification")


def test_statistics_are_those_of_the_records(made):
    frame = made.records("cancer1", "proben1-linear", "0l", runs=30)
    passed = report.from_runs(frame, "proben1-linear", "cancer1")
    errors = frame["test_error"].to_numpy()
    assert passed["runs.total"] == passed["results.runs"] == 30
    assert passed["results.test_error.mean"] == pytest.approx(errors.mean(), rel=1e-5)
    assert passed["results.test_error.sd"] == pytest.approx(errors.std(ddof=1), rel=1e-5)
    assert passed["results.test_error.median"] == pytest.approx(np.median(errors), rel=1e-5)
    assert passed["results.correlation"] == pytest.approx(1.0)
    shuffled = report.from_runs(
        frame.sample(fraction=1.0, shuffle=True, seed=1), "proben1-linear", "cancer1"
    )
    assert shuffled.values == passed.values


def test_other_runs_in_the_frame_do_not_count(made):
    own = made.records("card1", "proben1-linear", "0l", runs=10)
    others = [
        made.records("card2", "proben1-linear", "0l", runs=10),
        made.records("card1", "proben1-noshort", "32+0l", runs=10),
    ]
    crowd = report.from_runs(pl.concat([own, *others]), "proben1-linear", "card1")
    assert crowd.values == report.from_runs(own, "proben1-linear", "card1").values


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
    passed = report.from_runs(made.records(dataset, method, topology), method, dataset)
    assert passed["tuning.chosen_on"] == on
    assert ("tuning" in passed["partition.validation_used_for"]) == ("validation cases" in on)
    assert [one.key for one in passed.warnings] == (
        ["tuning.chosen_on"] if "published results" in on else []
    )
    assert ("Chosen among" in report.sentence(passed)) == (on != ["nothing"])


@pytest.mark.parametrize(
    ("dataset", "on"), [("cancer1", "validation cases"), ("cancer1c", "training cases")]
)
def test_hidden_layers_of_another_order_were_chosen_on_other_cases(made, dataset, on):
    passed = report.from_runs(
        made.records(dataset, "proben1-pivot-text", "4+2l"), "proben1-pivot-text", dataset
    )
    assert passed["tuning.chosen_on"] == [on]
    assert passed["partition.test"] == 174


@pytest.mark.parametrize("order", "bdef")
def test_a_pivot_network_is_refused_where_its_search_has_seen_the_test_cases(made, order):
    name = f"cancer1{order}"
    with pytest.raises(report.FaultyReport) as refused:
        report.from_runs(made.records(name, "proben1-pivot", "4+2l"), "proben1-pivot", name)
    assert [one.key for one in refused.value.findings] == ["tuning.chosen_on"]
    linear = report.from_runs(made.records(name, "proben1-linear", "0l"), "proben1-linear", name)
    assert linear["tuning.chosen_on"] == ["nothing"]


@pytest.mark.parametrize(
    "name",
    ["proben1-linear", "proben1-pivot", "proben1-pivot-text", "proben1-noshort", "proben1-search"],
)
def test_recipes_are_those_that_the_methods_train_with(made, name):
    settings = methods.get(name).settings
    topology = "0l" if name == "proben1-linear" else "4+2l"
    passed = report.from_runs(made.records("cancer1", name, topology), name, "cancer1")
    assert passed["stopping.criterion"] == str(settings.recipe.rule)
    assert passed["initialisation.range"][1] == settings.recipe.rprop.start
    assert passed["algorithm.parameters"]["increase"] == settings.recipe.rprop.up
    assert passed["network.shortcuts"] == ("all" if settings.shortcuts else "none")


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
    passed = report.from_runs(frame, "mine", "glass1", recipe=recipe)
    assert passed["algorithm.variant"] == "irprop-"
    assert passed["network.shortcuts"] == "none"
    assert passed["time.machine"].startswith("a processor")
    assert passed["results.test_wrong.maximum"] == pytest.approx(
        max(run.test_wrong for run in runs), rel=1e-5
    )
    with pytest.raises(FaultyInput, match=r"partition\.test"):
        report.check({**passed.values, "partition": {**passed.values["partition"], "test": 54}})


def test_the_sentence_says_what_another_would_need(made):
    said = report.sentence(report.check(made.tables()))
    for piece in (
        "cancer1 of PROBEN1",
        "350 training, 175 validation and 174 test cases",
        "9-4-2-2",
        "x / (1 + |x|)",
        "100 weights",
        "Rprop (rprop-; increase 1.2",
        "uniform weights in [-0.01, 0.01]",
        "GL_5 or P < 0.1",
        "every 5 epochs",
        "3000 epochs",
        "least validation error",
        "60 runs",
        "1.60 (0.41)",
        "1.47 (0.60) %",
        "Chosen among 12 settings by the validation cases: hidden layers.",
    ):
        assert piece in said, piece
    assert len(said.split(". ")) <= 5


def test_the_sentence_of_other_reports(made):
    left_out = {
        "runs.excluded": 6,
        "runs.excluded_as": "outliers",
        "runs.excluded_by": "log test error",
        "runs.exclusion_rule": "beyond 3 sd",
        "results.runs": 54,
        "comparison.runs": 54,
        "results.test_error.sd": 0.004,
        "tuning.parameters": [],
        "tuning.chosen_on": ["nothing"],
        "tuning.settings_tried": 0,
        "network.hidden": [],
        "network.connections": 20,
    }
    ends = ["results.test_error.minimum", "results.test_error.median", "results.test_error.maximum"]
    said = report.sentence(report.check(made.changed(left_out, ends)))
    assert "networks 9-2 of identity outputs (20 weights with biases)" in said
    assert "1.6000 (0.0040)" in said
    assert "6 of 60 runs were left out (beyond 3 sd)" in said
    assert "Chosen" not in said


def test_what_makes_no_form_is_told_so(made):
    frame = made.records("cancer1", "proben1-linear", "0l", runs=10)
    with pytest.raises(FaultyInput, match="a column 'test_error' is needed"):
        report.from_runs(frame.drop("test_error"), "proben1-linear", "cancer1")
    with pytest.raises(BenchbookError, match="no runs of proben1-linear on cancer2"):
        report.from_runs(frame, "proben1-linear", "cancer2")
    with pytest.raises(BenchbookError, match="nearest is 'cancer1'"):
        report.from_runs(frame, "proben1-linear", "cancr1")
    two = pl.concat([frame, made.records("cancer1", "proben1-linear", "2+0l", runs=1)])
    with pytest.raises(FaultyInput, match="0l, 2\\+0l"):
        report.from_runs(two, "proben1-linear", "cancer1")
    with pytest.raises(BenchbookError, match="no recipe"):
        report.from_runs(
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
    passed = report.from_runs(frame, "proben1-pivot-text", part.name)
    assert passed["problem.source"] == "benchbook"
    assert passed["tuning.chosen_on"] == ["nothing"]
    assert passed["results.test_error.mean"] == pytest.approx(
        np.mean([run.test_error for run in runs]), rel=1e-5
    )
