"""Estimators that know their doubt: every way in which libraries say it, against the numbers they say."""

import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LogisticRegression, QuantileRegressor, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchbook import methods, tasks
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.predictive import Categorical, Gaussian, Quantiles
from benchbook.seeds import generator


def ask(method, instance, seed=1):
    return methods.answer(method, instance, generator(seed))[0]


def test_a_gaussian_process_keeps_its_variances(smooth):
    kernel = RBF() + WhiteKernel()
    predicted = ask(
        methods.from_estimator("gp", GaussianProcessRegressor(kernel, random_state=0)), smooth
    )
    alone = GaussianProcessRegressor(kernel).fit(smooth.train_inputs, smooth.train_targets)
    mean, deviation = alone.predict(smooth.test_inputs, return_std=True)
    np.testing.assert_allclose(predicted.mean(), mean, rtol=1e-6)
    np.testing.assert_allclose(predicted.variance(), deviation**2, rtol=1e-6)
    assert np.ptp(predicted.variance()) > 0


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda est: make_pipeline(StandardScaler(), est),
        lambda est: GridSearchCV(est, {"alpha_1": [1e-6]}, cv=3),
    ],
)
def test_a_pipeline_or_a_search_is_asked_through_its_estimator(smooth, wrapped):
    predicted = ask(methods.from_estimator("wrapped", wrapped(BayesianRidge())), smooth)
    _, deviation = (
        BayesianRidge()
        .fit(smooth.train_inputs, smooth.train_targets)
        .predict(smooth.test_inputs, return_std=True)
    )
    np.testing.assert_allclose(predicted.variance(), deviation**2, rtol=1e-2)


def test_the_error_out_of_fold_is_there_for_who_wants_it(smooth):
    predicted = ask(methods.from_estimator("cv", BayesianRidge(), variance="cv"), smooth)
    assert np.ptp(predicted.variance()) == 0


class Fit:
    """What the estimators below have in common: they know the mean of the targets."""

    def fit(self, inputs, targets):
        self.mean = float(np.mean(targets))


class SaysPair(Fit):
    def predict(self, inputs):
        return np.full(len(inputs), self.mean), np.arange(1.0, len(inputs) + 1)


class SaysNormal(Fit):
    def pred_dist(self, inputs):
        return stats.norm(np.full(len(inputs), self.mean), np.sqrt(np.arange(1.0, len(inputs) + 1)))


class SaysPredictive(Fit):
    def predict_dist(self, inputs):
        return Gaussian(np.full(len(inputs), self.mean), np.arange(1.0, len(inputs) + 1))


@pytest.mark.parametrize("made", [SaysPair, SaysNormal, SaysPredictive])
def test_mean_and_variance_however_they_are_said(smooth, made):
    predicted = ask(methods.from_maker("pair", made), smooth)
    assert predicted.kind == "gaussian"
    np.testing.assert_allclose(predicted.mean(), np.mean(smooth.train_targets))
    np.testing.assert_allclose(predicted.variance(), np.arange(1.0, 11.0))


class LikeNGBoost(BaseEstimator, SaysNormal):
    """Without a mixin, as NGBRegressor; ``predict`` is there for a search."""

    def fit(self, inputs, targets):
        super().fit(inputs, targets)
        return self

    def predict(self, inputs):
        return np.full(len(inputs), self.mean)


class MixedIn(BaseEstimator, RegressorMixin):
    """With the mixin on the wrong side, and draws."""

    def fit(self, inputs, targets):
        self.mean = float(np.mean(targets))
        return self

    def predict(self, inputs):
        return np.full(len(inputs), self.mean)

    def sample(self, inputs, n, random_state=None):
        return np.random.default_rng(random_state).normal(self.mean, 1.0, size=(len(inputs), n))


@pytest.mark.parametrize(
    ("est", "kind"),
    [
        (LikeNGBoost(), "gaussian"),
        (make_pipeline(StandardScaler(), LikeNGBoost()), "gaussian"),
        (MixedIn(), "draws"),
    ],
)
def test_a_regressor_that_scikit_learn_does_not_know_for_one_is_taken(smooth, est, kind):
    method = methods.from_estimator("unmarked", est)
    assert method.kinds == {"real"}
    assert ask(method, smooth).kind == kind


class SaysSkewed(Fit):
    def predict_dist(self, inputs):
        return stats.gamma(np.full(len(inputs), 2.0))


def test_a_distribution_that_is_not_normal_comes_as_quantiles(smooth):
    predicted = ask(methods.from_maker("gamma", SaysSkewed), smooth)
    assert predicted.kind == "quantiles"
    np.testing.assert_allclose(
        predicted.quantile([0.1, 0.5, 0.9])[3], stats.gamma(2.0).ppf([0.1, 0.5, 0.9]), rtol=1e-6
    )


class SamplesByMethod(Fit):
    def predict(self, inputs):
        return np.zeros(len(inputs))

    def sample(self, inputs, n, seed=None):
        return np.random.default_rng(seed).normal(self.mean, 2.0, size=(n, len(inputs)))


class SamplesByPredict(Fit):
    def fit(self, inputs, targets, rng):
        super().fit(inputs, targets)
        self.rng = rng

    def predict(self, inputs):
        return self.rng.normal(self.mean, 2.0, size=(len(inputs), 200))


@pytest.mark.parametrize("made", [SamplesByMethod, SamplesByPredict])
def test_draws_follow_the_seed_of_the_run_and_pass_the_suite(smooth, made):
    method = methods.from_maker("draws", made, "Normal draws.")
    predicted = ask(method, smooth)
    assert predicted.kind == "draws"
    assert predicted.value.shape == (10, 200)
    assert predicted.value.std() == pytest.approx(2.0, rel=0.1)
    assert predicted == ask(method, smooth)
    assert predicted != ask(method, smooth, 2)
    assert [item.message for item in methods.check(method) if not item.passed] == []


class Tensor:
    """As little of a tensor as is needed: numbers that must be detached before they can be read."""

    def __init__(self, values):
        self.values = values

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


class Module(Fit):
    """A module that is called, in eval mode, with a tensor; its weights are drawn when it is made."""

    def __init__(self):
        self.weight, self.training = sys.modules["torch"].drawn(), True

    def eval(self):
        self.training = False

    def __call__(self, inputs):
        assert not self.training
        cases = len(inputs.values)
        return Tensor(np.full(cases, self.weight)), Tensor(np.full(cases, 4.0))


def test_a_module_is_seeded_before_it_is_made_and_gives_mean_and_variance(smooth, monkeypatch):
    fake = types.ModuleType("torch")
    fake.float32 = None
    fake.as_tensor = lambda values, dtype: Tensor(values)
    fake.manual_seed = lambda seed: setattr(fake, "state", np.random.default_rng(seed))
    fake.drawn = lambda: fake.state.normal()
    monkeypatch.setitem(sys.modules, "torch", fake)
    method = methods.from_maker("net", Module)
    predicted = ask(method, smooth)
    assert set(predicted.variance()) == {4.0}
    assert predicted == ask(method, smooth)
    assert predicted != ask(method, smooth, 2)


class SaysTooMuch(Fit):
    def predict(self, inputs):
        return np.zeros((3, len(inputs), 2))


class NoFit:
    def predict(self, inputs):
        return np.zeros(len(inputs))


class NegativeVariance(Fit):
    def predict(self, inputs):
        return np.zeros(len(inputs)), np.full(len(inputs), -1.0)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            SaysTooMuch,
            r"numbers of shape \(3, 10, 2\) for 10 cases; return a number a case, \(mean, variance\)",
        ),
        (NoFit, r"NoFit has no fit\(inputs, targets\)"),
        (NegativeVariance, r"variance: found -1.0; must be greater than 0"),
    ],
)
def test_what_cannot_be_read_is_refused(smooth, made, said):
    with pytest.raises(BenchbookError, match=said):
        ask(methods.from_maker("bad", made), smooth)


def bands(**changes):
    return {
        level: QuantileRegressor(quantile=level, alpha=0.0, **changes) for level in (0.9, 0.1, 0.5)
    }


def test_fitted_quantiles_are_those_of_the_estimators_alone(smooth):
    predicted = ask(methods.from_quantiles("bands", bands()), smooth)
    assert predicted.level.tolist() == [0.1, 0.5, 0.9]
    for k, level in enumerate(predicted.level):
        alone = (
            bands()[level]
            .fit(smooth.train_inputs, smooth.train_targets)
            .predict(smooth.test_inputs)
        )
        np.testing.assert_allclose(predicted.value[:, k], alone, atol=1e-8)


def test_quantiles_that_cross_are_sorted_and_counted(smooth):
    crossing = {
        0.2: QuantileRegressor(quantile=0.8, alpha=0.0),
        0.8: QuantileRegressor(quantile=0.2, alpha=0.0),
    }
    message, diagnostics = methods.answer(
        methods.from_quantiles("crossed", crossing), smooth, generator(1)
    )
    assert (np.diff(message.value, axis=1) > 0).all()
    alone = [
        crossing[level].fit(smooth.train_inputs, smooth.train_targets).predict(smooth.test_inputs)
        for level in (0.2, 0.8)
    ]
    assert diagnostics["crossed_cases"] == np.count_nonzero(alone[1] < alone[0]) > 5


def test_quantile_methods_pass_the_suite():
    boosted = {
        level: GradientBoostingRegressor(loss="quantile", alpha=level, n_estimators=5)
        for level in (0.1, 0.5, 0.9)
    }
    assert [
        item
        for item in methods.check(methods.from_quantiles("boosted", boosted))
        if not item.passed
    ] == []


def test_all_faults_of_a_list_of_quantiles_at_once():
    with pytest.raises(FaultyInput) as result:
        methods.from_quantiles("bad", {0.0: Ridge(), 0.5: Ridge, 0.9: 3})
    assert [fault.where for fault in result.value.faults] == ["level 0.0", "level 0.5", "level 0.9"]
    with pytest.raises(FaultyInput, match="at least two"):
        methods.from_quantiles("one", {0.5: Ridge()})


def test_many_crossing_quantiles_are_one_fault():
    with pytest.raises(FaultyInput) as result:
        Quantiles([0.1, 0.5, 0.9], np.tile([3.0, 2.0, 1.0], (139, 1)))
    (fault,) = result.value.faults
    assert fault.where == "value of 139 of 139 cases"
    assert "first in case 0 at level 1" in fault.found


IN_A_FILE = """
from sklearn.linear_model import LogisticRegression, QuantileRegressor

logit = LogisticRegression(max_iter=200)
bands = {level: QuantileRegressor(quantile=level, alpha=0.0) for level in (0.1, 0.5, 0.9)}
"""


def test_a_file_may_hold_the_estimators_themselves(tmp_path, smooth):
    file = tmp_path / "mine.py"
    file.write_text(IN_A_FILE)
    assert ask(methods.get(f"{file}:bands"), smooth).kind == "quantiles"


def test_a_classifier_says_its_probabilities_on_a_partition():
    instance = tasks.instance("sklearn-wine1/partition/a", 0)
    predicted = ask(methods.from_estimator("logit", LogisticRegression(max_iter=2000)), instance)
    inputs = np.vstack([instance.train_inputs, instance.validation_inputs])
    labels = np.vstack([instance.train_targets, instance.validation_targets]).argmax(axis=1)
    alone = (
        LogisticRegression(max_iter=2000).fit(inputs, labels).predict_proba(instance.test_inputs)
    )
    np.testing.assert_allclose(predicted.value, alone, rtol=1e-6)


def test_class_probabilities_of_a_function_are_outputs_on_a_partition():
    @methods.method(name="even", kinds={"outputs"})
    def even(instance, rng):
        """Says that all classes are alike."""
        return Categorical(np.full((len(instance.test_inputs), 3), 1 / 3))

    predicted = ask(even, tasks.instance("sklearn-wine1/partition/a", 0))
    assert predicted.kind == "outputs"
    assert set(predicted.value.ravel()) == {1 / 3}


def test_a_classifier_on_outputs_that_are_numbers_is_told_so():
    with pytest.raises(
        BenchbookError, match=r"predicts classes, and the outputs of .* are numbers"
    ):
        ask(
            methods.from_estimator("logit", LogisticRegression()),
            tasks.instance("sklearn-diabetes1/partition/a", 0),
        )


def test_what_does_not_apply_ends_with_an_error(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(IN_A_FILE))
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchbook",
            "run",
            "-m",
            f"{file}:logit",
            "-t",
            "kin-8nm-sim/dist/std.64",
            "--out",
            str(tmp_path / "runs"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert (
        "there is nothing to run: logit does not predict the real target of kin-8nm-sim/dist/std.64"
        in process.stderr
    )
