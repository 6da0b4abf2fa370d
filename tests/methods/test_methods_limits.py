"""Limits of what a method may say, be called and be set to, from both sides of each."""

import warnings

import numpy as np
import pytest
from refusals import refused
from sklearn.linear_model import Ridge

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods import estimators, programs, registry, settings, stated, support_vectors
from benchbook.methods.loading import load
from benchbook.predictive import Gaussian, Point
from benchbook.seeds import generator


def ask(function, instance):
    made = methods.method(name="mine", description="for a test", kinds={"real"})(function)
    return methods.answer(made, instance, generator(1))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("a" * 100, True),
        ("a" * 101, False),
        ([1.0] * 100, True),
        ([1.0] * 101, False),
        ([1.0, "b"], False),
    ],
)
def test_a_diagnostic_of_a_hundred_letters_or_numbers_is_kept(smooth, value, kept):
    if kept:
        assert ask(lambda i, r: (Point(np.zeros(10)), {"note": value}), smooth)[1] == {
            "note": value
        }
    else:
        refused(
            methods.MethodFailed,
            "'note'",
            ask,
            lambda i, r: (Point(np.zeros(10)), {"note": value}),
            smooth,
        )


def test_a_prediction_too_many_is_refused_as_one_too_few_is(smooth):
    refused(
        methods.MethodFailed,
        "predicted 11 cases, there are 10",
        ask,
        lambda i, r: Point(np.zeros(11)),
        smooth,
    )


def test_a_warning_that_comes_twice_counts_once(smooth):
    def warn(instance, rng):
        warnings.warn_explicit("one", UserWarning, "a.py", 1)
        warnings.warn_explicit("one", UserWarning, "a.py", 2)
        return Point(np.zeros(10))

    assert ask(warn, smooth)[1] == {"warnings": 1}


def test_a_dict_is_a_method_of_quantiles_when_all_its_keys_are_levels(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from sklearn.linear_model import QuantileRegressor as Q\n"
        "good = {0.25: Q(quantile=0.25), 0.75: Q(quantile=0.75)}\n"
        "bad = {0.25: Q(quantile=0.25), 'b': Q()}\n"
    )
    assert load(f"{path}:good").name == "good"
    refused(BenchbookError, "is not a method but dict", load, f"{path}:bad")


@pytest.mark.parametrize(
    ("spec", "outside"),
    [
        ("mine.py", True),
        ("package.mine:name", True),
        ("package.mine:name[a=1]", True),
        ("lin-1", False),
        ("lin-1[encoding=copy]", False),
        ("command: ./mine {train} {test} {guess}", False),
    ],
)
def test_what_comes_from_outside(spec, outside):
    assert registry.from_outside(spec) == outside


def test_a_variant_of_a_variant_stems_from_the_first():
    first = methods.get("knn-cv-1")
    again = methods.variant(methods.variant(first, encoding="copy"), encoding="a=bin-sym")
    assert again.origin is first


def test_a_program_is_told_its_options_and_nothing_of_where_data_is(monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATA", "/here")
    monkeypatch.setenv("OTHER_DATA", "/there")
    told = programs._environment()
    assert "BENCHBOOK_DATA" not in told
    assert told["OTHER_DATA"] == "/there"
    made = programs.from_spec("command[name=mine-2]: ./mine {train} {test} {guess}")
    assert made.name == "mine-2"


@pytest.mark.parametrize(
    ("limits", "allowed", "refused"),
    [
        ({"least": 1}, [1, 1e300], [0.999, float("nan")]),
        ({"above": 1}, [1.001], [1]),
        ({"most": 1}, [1, -1e300], [1.001]),
        ({"below": 1}, [0.999], [1]),
        ({"above": 0, "most": 2}, [1, 2], [0, 3]),
    ],
)
def test_a_bound_of_a_setting_belongs_to_it_or_not(limits, allowed, refused):
    bounds = settings.SettingLimits("", **limits)
    assert list(map(bounds.allow, allowed)) == [True] * len(allowed)
    assert list(map(bounds.allow, refused)) == [False] * len(refused)


@pytest.mark.parametrize(
    "value", [(3,), (3, 4), (), True, False, None, 1.5, 2, "words", 2**63 - 1], ids=str
)
def test_a_setting_is_read_as_it_is_written(value):
    assert settings.split(f"mine-1[a={settings.text(value)}]") == ("mine-1", {"a": value})
    assert settings.split("mine-1[a=none, b=true]") == ("mine-1", {"a": None, "b": True})


def test_the_largest_whole_number_of_a_setting_is_what_compiled_code_holds():
    assert methods.variant("mlp-bgd-1", hidden=2**63 - 1).settings.hidden == 2**63 - 1
    refused(BenchbookError, "hidden", methods.variant, "mlp-bgd-1", hidden=2**63)


class Said:
    """An estimator that says a deviation with each prediction, or draws of it."""

    def __init__(self, said):
        self.said = said

    def predict(self, inputs, return_std=False):
        return (np.zeros(len(inputs)), self.said) if return_std else self.said


def test_deviations_of_which_one_is_zero_are_said_all_the_same():
    inputs, targets = np.zeros((3, 1)), np.array([0.0, 1.0, 2.0])
    said = stated.stated(Said(np.array([0.0, 1.0, 2.0])), inputs, targets, generator(1))
    assert said.kind == "gaussian"
    np.testing.assert_allclose(said.variance()[1:], [1.0, 4.0])


def test_draws_for_as_many_cases_as_draws_stay_as_they_are():
    value = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(stated._drawn(value, 3, "mine").value, value)
    np.testing.assert_array_equal(stated._drawn(value[:2], 3, "mine").value, value[:2].T)
    refused(BenchbookError, r"shape \(3, 3\) for 2 cases", stated._drawn, value, 2, "mine")


def test_what_the_method_sets_itself_is_no_setting_and_the_folds_are_three(make_instance):
    made = methods.from_estimator("ridge", Ridge())
    assert "alpha" in made.settings
    assert not {"random_state", "n_jobs"} & made.settings.keys()
    draw = np.random.default_rng(1)
    instance = make_instance(draw.normal(size=(12, 1)), draw.normal(size=12), [[0.0]])
    fits = []

    class Counted(Ridge):
        def fit(self, *given):
            fits.append(len(given[0]))
            return super().fit(*given)

    methods.answer(methods.from_estimator("counted", Counted()), instance, generator(1))
    assert sorted(fits) == [8] * estimators.FOLDS + [12]
    assert estimators.FOLDS == 3


@pytest.mark.parametrize(
    "said",
    [
        Gaussian(np.array([1.0, 2.0, 3.0]), np.ones(3)),
        (np.array([[1.0], [2.0], [3.0]]), np.ones(3)),
        np.array([1.0, 2.0, 3.0]),
        np.array([[0.0, 2.0], [2.0, 2.0], [1.0, 5.0]]),
    ],
    ids=["distribution", "mean and variance", "numbers", "draws"],
)
def test_one_number_a_case_of_whatever_is_predicted(said):
    assert stated.guess(Said(said), np.zeros((3, 1))).tolist() == [1.0, 2.0, 3.0]


def test_the_grid_of_the_support_vector_machine_is_as_published_in_the_book():
    chosen = methods.get("svm-platt-1").settings
    assert chosen.penalties == (0.1, 1.0, 10.0)
    assert chosen.widths == (0.25, 1.0, 4.0)
    assert (chosen.folds, chosen.most_for_grid, chosen.most_for_machine) == (3, 1500, 6000)
    assert chosen.least_for_sigmoid == 1000


def test_the_loss_of_the_chosen_grid_is_that_of_the_classes_themselves(rng):
    inputs = rng.normal(size=(40, 1))
    targets = (inputs[:, 0] > 0).astype(int)
    chosen = support_vectors._choose(inputs, targets, 2, 1.0, support_vectors.Machines())
    assert chosen.loss < 0.4 < np.log(2)
