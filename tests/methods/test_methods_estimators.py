"""Any scikit-learn estimator as a method: seeds, clones, spread, probabilities."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.seeds import generator


def ask(method, instance, seed=1):
    return methods.answer(method, instance, generator(seed))[0]


def test_a_regressor_predicts_as_it_does_alone(smooth):
    prediction = ask(methods.from_estimator("ols", LinearRegression()), smooth)
    alone = (
        LinearRegression()
        .fit(smooth.train_inputs, smooth.train_targets)
        .predict(smooth.test_inputs)
    )
    np.testing.assert_allclose(prediction.mean(), alone, rtol=1e-12)
    np.testing.assert_allclose(
        prediction.mean(), ask(methods.get("lin-1"), smooth).mean(), rtol=1e-10
    )


def test_the_variance_is_the_out_of_fold_error_by_hand(make_instance):
    """Three cases are three folds; the mean of the others is off by 1 - 3.5, 2 - 3, 5 - 1.5."""
    instance = make_instance([[0.0], [1.0], [2.0]], [1.0, 2.0, 5.0], [[0.0]])
    prediction = ask(methods.from_estimator("mean", DummyRegressor()), instance)
    assert prediction.mean()[0] == pytest.approx(8 / 3)
    assert prediction.variance()[0] == pytest.approx((6.25 + 1.0 + 12.25) / 3)


def test_without_a_variance_it_is_a_point(smooth):
    assert ask(methods.from_estimator("ridge", Ridge(), variance="none"), smooth).kind == "point"


@pytest.mark.parametrize("cases", [1, 2, 3])
def test_few_cases(make_instance, cases):
    instance = make_instance(np.arange(cases)[:, None], np.arange(cases), [[0.5]])
    assert ask(methods.from_estimator("ridge", Ridge()), instance).variance()[0] > 0


def test_the_seed_reaches_an_estimator_inside_a_pipeline(smooth):
    estimator = make_pipeline(StandardScaler(), RandomForestRegressor(n_estimators=5, n_jobs=2))
    method = methods.from_estimator("piped", estimator)
    assert ask(method, smooth, 1) == ask(method, smooth, 1)
    assert ask(method, smooth, 1) != ask(method, smooth, 2)


def test_one_core_and_a_fresh_clone_for_each_call(smooth):
    seen = []

    class Curious(RegressorMixin, BaseEstimator):
        def __init__(self, n_jobs=4):
            self.n_jobs = n_jobs

        def fit(self, inputs, targets):
            seen.append((id(self), self.n_jobs))
            inputs[:] = 0
            targets[:] = 0
            return self

        def predict(self, inputs):
            return np.zeros(len(inputs))

    mine = Curious()
    ask(methods.from_estimator("curious", mine), smooth)
    assert {jobs for _, jobs in seen} == {1}
    assert id(mine) not in {own for own, _ in seen}
    assert mine.n_jobs == 4
    assert np.ptp(smooth.train_inputs) > 0


def test_class_probabilities_by_hand(three_classes):
    estimator = LogisticRegression()
    prediction = ask(methods.from_estimator("logit", estimator), three_classes)
    alone = LogisticRegression().fit(three_classes.train_inputs, three_classes.train_targets)
    expected = (60 * alone.predict_proba(three_classes.test_inputs) + 1) / 63
    np.testing.assert_allclose(prediction.parameters["probability"], expected, rtol=1e-6)


def test_a_class_that_is_absent_from_the_training_cases_keeps_its_column(make_instance):
    instance = make_instance(
        [[0.0], [0.1], [5.0], [5.1]], [0, 0, 2, 2], [[0.0], [5.0]], ("a", "b", "c")
    )
    probability = ask(methods.from_estimator("logit", LogisticRegression()), instance).parameters[
        "probability"
    ]
    np.testing.assert_allclose(probability[:, 1], 1 / 7, rtol=1e-12)
    assert probability[0].argmax() == 0
    assert probability[1].argmax() == 2


def test_one_class_alone_needs_no_fit(make_instance):
    instance = make_instance([[0.0], [0.1], [5.0]], [1, 1, 1], [[0.0]], ("a", "b"))
    prediction = ask(methods.from_estimator("logit", LogisticRegression()), instance)
    np.testing.assert_allclose(prediction.parameters["probability"], [[1 / 5, 4 / 5]], rtol=1e-15)


def test_a_classifier_without_probabilities(three_classes):
    prediction = ask(methods.from_estimator("ridge", RidgeClassifier()), three_classes)
    assert set(np.round(prediction.parameters["probability"].ravel(), 12)) == {
        round(61 / 63, 12),
        round(1 / 63, 12),
    }


def test_kinds_follow_the_estimator(three_classes):
    assert methods.from_estimator("a", Ridge()).kinds == {"real"}
    assert methods.from_estimator("a", RandomForestClassifier()).kinds == {"class", "outputs"}
    with pytest.raises(methods.MethodFailed, match="predicts real targets only"):
        ask(methods.from_estimator("a", Ridge()), three_classes)


@pytest.mark.parametrize(
    ("estimator", "said"),
    [
        (Ridge, "is not a scikit-learn estimator object"),
        (3, "is not a scikit-learn estimator object"),
        (KMeans(), "KMeans is neither a regressor nor a classifier"),
    ],
)
def test_what_is_no_estimator_is_refused(estimator, said):
    with pytest.raises(BenchbookError, match=said):
        methods.from_estimator("mine", estimator)


def test_a_method_from_an_estimator_travels_to_another_process(smooth):
    for method in (methods.from_estimator("ridge", Ridge()), methods.get("boosting-1")):
        assert ask(pickle.loads(pickle.dumps(method)), smooth) == ask(method, smooth)


@pytest.mark.parametrize("name", ["forest-1", "boosting-1"])
def test_trees_beat_the_line_on_a_step_and_the_frequencies_on_classes(
    make_instance, three_classes, name
):
    rng = generator(5)
    inputs = rng.uniform(size=(300, 2))
    targets = np.floor(4 * inputs[:, 0]) % 2 + 0.05 * rng.normal(size=300)
    instance = make_instance(inputs[:200], targets[:200], inputs[200:])
    trees, line = (ask(methods.get(other), instance) for other in (name, "lin-1"))
    errors = [np.mean((guess.mean() - targets[200:]) ** 2) for guess in (trees, line)]
    assert errors[0] < 0.3 * errors[1]
    assert ask(methods.get(name), three_classes).parameters["probability"].max() > 0.8
