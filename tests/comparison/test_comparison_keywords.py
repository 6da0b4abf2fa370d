"""A keyword of another library, or a misspelt one, is answered with ours before anything is fitted."""

import inspect
import itertools

import numpy as np
import pytest
import sklearn.model_selection
from click.testing import CliRunner
from sklearn.linear_model import Ridge

import benchbook
from benchbook import keywords
from benchbook.cli import app
from benchbook.errors import FaultyInput

X = np.random.default_rng(1).normal(size=(30, 2))
Y = X[:, 0]
OURS = [name for name in inspect.signature(benchbook.compare).parameters if name != "tasks"]
SKLEARN = """
cross_validate cross_val_score cross_val_predict learning_curve validation_curve permutation_test_score train_test_split
GridSearchCV RandomizedSearchCV KFold RepeatedKFold StratifiedKFold ShuffleSplit
"""
SKORE = """
estimator splitter pos_label n_jobs reports X_train y_train X_test y_test test_size train_size random_state shuffle
stratify response_method greater_is_better metric_kwargs
"""
CARET = """
form method metric maximize trControl tuneGrid tuneLength preProcess weights number repeats p search verboseIter seeds
returnData returnResamp savePredictions classProbs summaryFunction preProcOptions sampling index indexOut allowParallel
na.action
"""
GUESSED = """
models data df label labels loss score metrics group subject sample_weight folds n_splits jobs timeout verbose baseline
confidence alpha cv scoring estimators outcome response date
"""
OTHERS = f"{SKORE} {CARET} {GUESSED}".split()


class Unfittable(Ridge):
    def fit(self, X, y):
        raise AssertionError("fitted")


def refused(*given, **asked):
    with pytest.raises(FaultyInput) as caught:
        benchbook.compare(*given, **asked)
    assert "Nothing was fitted" in str(caught.value)
    return {fault.where: fault.rule for fault in caught.value.faults}


def of_sklearn():
    for name in SKLEARN.split():
        parameters = inspect.signature(getattr(sklearn.model_selection, name)).parameters
        yield from (
            one for one in parameters if one not in ("arrays", "exploit_incremental_learning")
        )


@pytest.mark.parametrize("word", sorted({*of_sklearn(), *OTHERS} - set(OURS)))
def test_a_keyword_of_others_is_answered_with_ours_or_with_the_place_where_it_is_said(word):
    rule = refused([Unfittable()], X, Y, **{word: None})[word]
    assert not rule.startswith("the keywords are"), rule
    if rule.startswith("say "):
        assert rule.removeprefix("say ").removesuffix("=") in OURS


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        ({"scoring": "r2"}, "losses"),
        ({"metric": "absolute"}, "losses"),
        ({"loss": "squared"}, "losses"),
        ({"cv": 5}, "design"),
        ({"random_state": 0}, "seed"),
    ],
    ids=str,
)
def test_the_commonest_ones(asked, ours):
    assert refused([Unfittable()], X, Y, **asked) == {next(iter(asked)): f"say {ours}="}


@pytest.mark.parametrize("name", [name for name in OURS if len(name) > 3])
def test_a_misspelt_keyword_is_answered_with_the_nearest(name):
    """A letter left out, doubled or swapped with the next, capitals, and a plural or a singular."""
    wrong = {name[:at] + name[at + 1 :] for at in range(1, len(name))}
    wrong |= {name[:at] + name[at] + name[at:] for at in range(len(name))}
    wrong |= {
        name[:at] + name[at + 1] + name[at] + name[at + 2 :] for at in range(1, len(name) - 1)
    }
    wrong |= {name.upper(), name.title(), name + "s"}
    answers = {word: keywords.ours_for(word, OURS) for word in wrong - set(OURS)}
    off = {word: ours for word, ours in answers.items() if ours != name}
    assert len(off) <= len(answers) / 10, off


def test_every_word_means_one_thing():
    words = [
        word for text in (*keywords._OF_OTHERS.values(), *keywords._ADVICE) for word in text.split()
    ]
    bare = [keywords._bare(word) for word in words]
    assert sorted(bare) == sorted(set(bare))
    assert set(keywords._OF_OTHERS) <= set(OURS)
    assert not set(bare) & {keywords._bare(name) for name in OURS}


def test_all_that_is_wrong_is_said_at_once_with_values_under_other_names():
    faults = refused([Unfittable()], X, Y, scoring="f1", cv="ten", zzz=0)
    assert faults["scoring"] == "say losses="
    assert faults["zzz"].startswith("the keywords are methods, X, y, ")
    assert {"losses", "design"} <= set(faults)
    assert refused(estimators=[Unfittable()], data=X, targets=Y) == {
        "estimators": "say methods=",
        "data": "say X=",
        "targets": "say y=",
    }


@pytest.mark.parametrize(
    "given",
    [((Ridge(),), {}), (([Ridge()], X, Y, 5), {}), ((), {"X": X, "y": Y})],
    ids=["one", "four", "none"],
)
def test_arguments_without_names_are_three(given):
    faults = refused(*given[0], **given[1])
    assert set(faults) <= {"arguments", "X", "y"}
    assert ("arguments" in faults) == (len(given[0]) != 1)


def test_a_call_without_a_fault_is_made_as_it_stands():
    made = benchbook.compare({"a": Ridge()}, X, y=Y, effort="quick", design=2, losses="squared")
    assert made.best in ("a", None)
    assert "losses" in inspect.signature(benchbook.compare).parameters
    assert list(itertools.islice(inspect.signature(benchbook.compare).parameters, 3)) == [
        "methods",
        "X",
        "y",
    ]


@pytest.mark.parametrize(
    ("option", "meant"),
    [
        ("--scoring", "--loss"),
        ("--metric", "--loss"),
        ("--cv", "--design"),
        ("--random-state", "--seed"),
        ("--n-jobs", "--workers"),
        ("--models", "--method"),
        ("--baseline", "--against"),
        ("--labels", "--target"),
        ("--taget", "--target"),
        ("--zzzz", ""),
    ],
)
def test_the_command_answers_options_of_other_programs_too(option, meant):
    outcome = CliRunner().invoke(app, ["compare", "table.csv", option, "5"])
    assert outcome.exit_code == 2
    assert outcome.output.rstrip().endswith(f"Did you mean '{meant}'?") == bool(meant)
