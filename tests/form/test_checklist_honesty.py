"""Dishonest reports, a line or two from the good one, are refused at that line; honest ones of every kind pass."""

import copy
import itertools
import tomllib
from pathlib import Path

import numpy as np
import pytest

from benchbook.seeds import generator
from benchbook_book import form as checklist
from benchbook_book.form.bounds import Summary

FOLDER = Path(__file__).parent
GOOD = tomllib.loads(
    (FOLDER.parents[1] / "book/proben1/good-report.toml").read_text(encoding="utf8")
)
KINDS = tomllib.loads((FOLDER / "kinds.toml").read_text(encoding="utf8"))
SENTENCES = tomllib.loads((FOLDER / "sentences.toml").read_text(encoding="utf8"))
YEARS = {
    "split.kind.other": "patients of 1998 to 2005 at hospitals A to C train and validate, 2006 to 2007 are "
    "the test cases",
    "split.groups": "hospital; hospital D is the test part",
    "split.cases": 699,
}
TEST_THRESHOLD = "the threshold with the lowest error on the test set"


def put(given, changes, drop=()):
    """A report with other values at dotted keys; ``comparison.x`` is of its first comparison."""
    given = copy.deepcopy(given)
    for key, value in [*changes.items(), *((name, None) for name in drop)]:
        *path, last = key.split(".")
        table = given
        for name in path:
            if not isinstance(table.get(name, {}), dict | list):
                table[name] = {}
            table = table.setdefault(name, {})
            table = table[0] if isinstance(table, list) else table
        if value is None:
            del table[last]
        else:
            table[last] = value
    return given


def faults(given):
    return {one.key: one for one in checklist.findings(given) if not one.warning}


ZERO = dict.fromkeys(("mean", "sd", "minimum", "maximum"), 0.0)
LOG = {"comparison.outliers_removed": [0, 0], "comparison.n": [60, 60]}
# name: what is changed in the good report, and the key that is refused
CHEATS = {
    "a threshold by test error": (
        {"error.classes_by": {"other": TEST_THRESHOLD}},
        "error.classes_by.other",
    ),
    "a measure by test error": (
        {"error.reported": {"other": TEST_THRESHOLD}},
        "error.reported.other",
    ),
    "outliers by test error": (
        {"comparison.outlier_rule": TEST_THRESHOLD},
        "comparison[0].outlier_rule",
    ),
    "the best seed of a split": (
        {"split.program": "numpy, of seeds 1 to 100 the one with least test error"},
        "split.program",
    ),
    "a source with a test": ({"optimiser.source": TEST_THRESHOLD + ", 1993"}, "optimiser.source"),
    "the test part by its number": (
        {"tuning.parameters": ["hidden units (by the 174 held-back patients)"]},
        "tuning.parameters",
    ),
    "z-scores of all": (
        {"encoding.inputs": "z-scores with mean and sd of the 699 patients"},
        "encoding.inputs",
    ),
    "SMOTE before the split": (
        {"encoding.inputs": "nine grades, SMOTE before the split"},
        "encoding.inputs",
    ),
    "features of all cases": (
        {"encoding.inputs": "5 features chosen on all cases, in tenths"},
        "encoding.inputs",
    ),
    "stopping by what is reported": (
        {
            "stopping.criterion": {
                "other": "the fourth quarter of the file, which results are reported on, gets worse"
            }
        },
        "stopping.criterion.other",
    ),
    "zero error, and some wrong": ({"results.test_error": ZERO}, "results.test_wrong.mean"),
    "less error than its wrong cases cost": (
        {"results.test_error": {"mean": 0.36, "sd": 0.05}, "results.best_run.test_error": 0.35},
        "results.test_wrong.mean",
    ),
    "a mean logarithm above the logarithm of the mean": (
        LOG | {"comparison.means": [0.64, 1.26]},
        "comparison[0].means",
    ),
    "the same with outliers": ({"comparison.means": [0.75, 1.26]}, "comparison[0].means"),
    "a deviation that whole cases do not allow": (
        {"results.test_wrong": {"mean": 1.63, "sd": 0.15}},
        "results.test_wrong.sd",
    ),
    "no deviation of a mean between two cases": (
        {"results.test_wrong": {"mean": 1.63, "sd": 0.0}},
        "results.test_wrong.sd",
    ),
    "published parts that are not all": ({"split.cases": 799}, "split.cases"),
    "outputs of another range": ({"error.output_range": [-1.0, 1.0]}, "error.output_range"),
    "McNemar for squared errors": (
        {
            "comparison.test": "McNemar test",
            "comparison.pairs": "same cases",
            "comparison.discordant": [9, 30],
        },
        "comparison[0].test",
    ),
    "the best run for a mean": (
        {"results.test_error": {"mean": 1.29, "sd": 0.0}},
        "results.test_error.sd",
    ),
    "the other was not tuned": ({"comparison.tuned": "not"}, "comparison[0].tuned"),
    "the other by default": (
        {"comparison.against": "SVM of scikit-learn 1.5 with its defaults, 60 runs of ours"},
        "comparison[0].against",
    ),
    "the other on another partition": (
        {"comparison.against": "linear networks on cancer2, 60 runs"},
        "comparison[0].against",
    ),
    "the other by cross-validation": (
        {"comparison.against": "SVM, ten-fold cross-validation of Smith 2019"},
        "comparison[0].against",
    ),
    "no unit": ({"error.reported": "mean squared error"}, "error.unit"),
    "no training, but stopped": ({"study.kind": "evaluation without training"}, "stopping"),
    "external, but drawn": (
        {"study.kind": "external validation", "split.kind": "random"},
        "split.kind",
    ),
    "a simulation of published data": ({"study.kind": "simulation"}, "problem.collection"),
}


@pytest.mark.parametrize(("changes", "key"), CHEATS.values(), ids=CHEATS)
def test_a_cheat_is_refused_where_it_stands(changes, key):
    assert faults(GOOD) == {}
    assert key in faults(put(GOOD, changes))


COPIED = {"comparison.against": "a random forest, its own folds, Smith et al. 2019, table 3"}


def test_numbers_of_other_folds_are_refused(made):
    assert "comparison[0].against" in faults(put(made.tables("sound-network.toml"), COPIED))


MSE = {
    "error.reported": "mean squared error",
    "error.unit": "1, outputs from 0 to 1",
    "results.test_error": {"mean": 0.0372, "sd": 0.0072, "minimum": 0.0258, "maximum": 0.0684},
    "results.best_run.test_error": 0.0342,
    "comparison": None,
}
# name: the sound report, and what is changed in it
HONEST = {
    **{name: (given, {}) for name, given in KINDS.items()},
    "a split in words": (GOOD, YEARS),
    "groups that name the test part": (
        KINDS["external"],
        {"split.groups": "hospital; the test cases are those of hospital D"},
    ),
    "later years": (KINDS["external"], {"split.kind": "by time", "split.groups": None}),
    "origins in words": (
        KINDS["backtest"],
        {
            "split.kind": {
                "other": "a rolling origin: every month the last 30 days are the test cases"
            }
        },
    ),
    "an inferred backtest": (KINDS["backtest"], {"study": None}),
    "folds of hospitals": (
        KINDS["five_by_two"],
        {
            "split.kind": "by groups",
            "split.groups": "hospital, one of two left out as the test part",
            "comparison": None,
        },
    ),
    "repeated random splits": (
        KINDS["five_by_two"],
        {
            "study.kind": "cross-validation",
            "split.kind": "random",
            "split.folds": None,
            "split.repeats": 10,
            "comparison": None,
        },
    ),
    "a simulation in words": (
        KINDS["simulation"],
        {
            "problem.collection": {"other": "x uniform on 0 to 1, y = sin 6x plus noise"},
            "problem.distribution": None,
            "split.kind": {"other": "drawn anew for each run"},
        },
    ),
    "prompts tuned on other data": (
        KINDS["zero_shot"],
        {"tuning": {"parameters": ["prompt"], "chosen_on": ["other data"], "settings_tried": 4}},
    ),
    "the better one tuned alike": (
        GOOD,
        {"comparison.tuned": "as this report", "comparison.against": "SVM, 60 runs of our own"},
    ),
    "a unit": (GOOD, MSE),
}


@pytest.mark.parametrize(("given", "changes"), HONEST.values(), ids=HONEST)
def test_an_honest_report_of_every_kind_passes(given, changes):
    drop = [key for key, value in changes.items() if value is None and key.split(".")[0] in given]
    given = put(given, {key: value for key, value in changes.items() if value is not None}, drop)
    assert faults(given) == {}
    assert checklist.sentence(checklist.check(given))


@pytest.mark.parametrize("base", ["", "split_"])
def test_free_texts_are_read_alike_in_every_field(base):
    given = put(GOOD, YEARS if base else {})
    for name, wrong in (("dishonest", True), ("honest", False)):
        wrongly = []
        for key, text in SENTENCES[f"{base}{name}"]:
            value = [text] if key == "tuning.parameters" else text
            where = key.replace("comparison.", "comparison[0].")
            found = faults(put(given, {key: value})).get(where)
            read = found is not None and found.broken.name == "test set"
            wrongly += [(key, text)] if read != wrong else []
        assert wrongly == []


OTHER_WORDS = {
    "test cases": "test set|held-out patients|evaluation data|174 patients|unseen cases|cases that are reported on",
    "chosen": "chosen|selected|tuned|picked|optimised",
}


def test_siblings_in_other_places_and_words_are_caught_and_those_of_validation_cases_are_not():
    places = (
        "error.classes_by.other",
        "tuning.parameters",
        "stopping.restarts.other",
        "optimiser.source",
    )
    words = (text.split("|") for text in OTHER_WORDS.values())
    for number, (cases, verb) in enumerate(itertools.product(*words)):
        key = places[number % len(places)]
        for part, wrong in ((cases, True), ("validation cases", False)):
            text = f"a value of 1993, {verb} by the least error on the {part}"
            found = faults(put(GOOD, {key: [text] if key == "tuning.parameters" else text}))
            assert (key in found) == wrong, (key, text)


def test_whole_numbers_have_the_deviations_of_whole_numbers():
    """Statistics of any runs of any numbers of cases pass; a deviation below the least one of their mean never does."""
    rng = generator(1, "whole cases")
    for _ in range(400):
        n, cases = int(rng.integers(2, 40)), int(rng.integers(5, 400))
        counts = rng.binomial(cases, rng.uniform(0.0, 0.2), n)
        mean, sd = 100.0 * counts.mean() / cases, 100.0 * counts.std(ddof=1) / cases
        step, digits = 100.0 / cases, int(rng.integers(2, 6))
        true = Summary("x", n, round(mean, digits), round(sd, digits))
        assert not list(true.multiples(step, "cases"))
        rest = counts.sum() % n
        least = step * np.sqrt(rest * (n - rest) / n / (n - 1))
        if least > 0.01 and 5 * 10.0**-digits < step / n / 3:
            low = Summary("x", n, round(mean, digits), round(0.7 * least, digits))
            assert [draft.key for draft in low.multiples(step, "cases")] == ["x.sd"]
