"""Any scikit-learn estimator as a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.base import as_variant, refuse_faulty
from benchbook.methods.spread import stated_variance
from benchbook.methods.threads import one_thread

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

FOLDS = 3
_LARGEST_SEED = 2**31
_LARGEST_INPUT = 3e38


@dataclass(frozen=True, eq=False)
class EstimatorMethod:
    """A method made from scikit-learn estimators by ``from_estimator``; ``makers`` has one for each kind of target."""

    name: str
    description: str
    makers: dict[str, Callable[[], Any]] = field(repr=False)
    variance: Literal["cv", "none"] = "cv"
    source: str = "scikit-learn's estimator; variance and smoothing ours"
    calls: tuple[str, ...] = ("benchbook.methods.estimators:_fitted",)
    origin: EstimatorMethod | None = None

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(self.makers)

    @property
    def settings(self) -> dict[str, Any]:
        """The estimator's parameters, but for those that the method sets itself (random_state, n_jobs)."""
        given = [maker().get_params() for _, maker in sorted(self.makers.items(), reverse=True)]
        return {name: value for parameters in reversed(given) for name, value in parameters.items()
                if name.rpartition("__")[2] not in ("random_state", "n_jobs")}

    def varied(self, changes: Mapping[str, Any], name: str | None = None) -> EstimatorMethod:
        """The same method with some of the estimator's parameters changed; see ``methods.variant``."""
        settings.refuse_unknown(self.name, self.settings, changes)
        makers: dict[str, Callable[[], Any]] = {
            kind: partial(_changed, maker, dict(changes)) for kind, maker in self.makers.items()}
        return as_variant(replace(self, makers=makers), self.origin or self, name)

    def predict(self, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
        estimator = self.makers[instance.kind]()
        with one_thread():
            if instance.kind == "class":
                return _predict_class(estimator, instance, rng)
            return self._predict_real(estimator, instance, rng)

    def _predict_real(self, estimator: Any, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
        from benchbook.predictive import Gaussian, Point

        inputs, targets = instance.train_inputs, instance.train_targets
        value = _fitted(estimator, inputs, targets, rng).predict(_held(instance.test_inputs))
        mean = np.asarray(value, dtype=np.float64).reshape(len(value), -1)[:, 0]
        if self.variance == "none":
            return Point(mean)
        variance = stated_variance(_error_out_of_fold(estimator, inputs, targets, rng), targets)
        return Gaussian(mean, np.full(len(mean), variance))


def from_estimator(
    name: str, est: Any, description: str = "", *, variance: Literal["cv", "none"] = "cv"
) -> EstimatorMethod:
    """A method from a scikit-learn regressor, classifier, or pipeline that ends with one.

    The estimator is cloned for each call; every ``random_state`` that it or a part of it has is set from the seed of
    the run, every ``n_jobs`` is set to 1, and the libraries are held to one thread: the study is what runs in parallel.

    A regressor gives Gaussian(mean, variance): the mean is its prediction, and the variance, the same for all cases,
    its mean squared error out of fold on the training cases (3 folds at random, as many as there are cases when fewer).
    With ``variance="none"`` it gives a Point, which has no log loss.

    A classifier gives Categorical. With N training cases, C classes and p what ``predict_proba`` says (1 for the class
    predicted when it has no ``predict_proba``; 0 for a class absent from the training cases),

        p'_c = (N p_c + 1) / (N + C),

    a rule of ours: Laplace's, which makes no class impossible on the word of finitely many cases.

    Args:
        name: the method's name.
        est: an estimator object, not fitted; it is not changed.
        description: one sentence; the estimator's own text when left out.
        variance: "cv" or "none".

    Raises:
        BenchbookError: not an estimator object, or neither a regressor nor a classifier.
    """
    from sklearn.base import clone, is_classifier, is_regressor

    if isinstance(est, type) or not hasattr(est, "fit") or not hasattr(est, "get_params"):
        raise BenchbookError(f"method {name}: {est!r} is not a scikit-learn estimator object, such as Ridge(alpha=1.0)")
    if not (is_classifier(est) or is_regressor(est)):
        raise BenchbookError(f"method {name}: {type(est).__name__} is neither a regressor nor a classifier")
    if variance not in ("cv", "none"):
        raise BenchbookError(f"method {name}: variance is {variance!r}; it is 'cv' or 'none'")
    said = description or " ".join(repr(est).split())
    kind = "class" if is_classifier(est) else "real"
    template = clone(est)
    made = EstimatorMethod(name, said, {kind: partial(clone, template)}, variance)
    refuse_faulty(made)
    return made


def _changed(maker: Callable[[], Any], changes: dict[str, Any]) -> Any:
    """The estimator with those of the parameters that it has; forests of classes and of numbers have not all alike."""
    estimator = maker()
    known = estimator.get_params()
    return estimator.set_params(**{name: value for name, value in changes.items() if name in known})


def _fitted(estimator: Any, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Any:
    """A clone, seeded, on one core, and fitted; the arrays are copies, for estimators that write into them."""
    from sklearn.base import clone

    fresh = clone(estimator)
    own: dict[str, Any] = {}
    for key in sorted(fresh.get_params(deep=True)):
        if key.rpartition("__")[2] == "random_state":
            own[key] = int(rng.integers(_LARGEST_SEED))
        elif key.rpartition("__")[2] == "n_jobs":
            own[key] = 1
    return fresh.set_params(**own).fit(_held(inputs), targets.copy())


def _held(inputs: np.ndarray) -> np.ndarray:
    """A copy within the range of single precision, which is what some estimators, such as forests, compute in."""
    return np.clip(inputs, -_LARGEST_INPUT, _LARGEST_INPUT)


def _error_out_of_fold(estimator: Any, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> float:
    """Mean squared error of the training cases, each predicted by a fit without its fold; 0 for a single case."""
    cases = len(targets)
    if cases < 2:
        return 0.0
    total = 0.0
    for fold in np.array_split(rng.permutation(cases), min(FOLDS, cases)):
        kept = np.setdiff1d(np.arange(cases), fold)
        guess = _fitted(estimator, inputs[kept], targets[kept], rng).predict(_held(inputs[fold]))
        total += float(np.sum((np.ravel(guess) - targets[fold]) ** 2))
    return total / cases


def _predict_class(estimator: Any, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
    from benchbook.predictive import Categorical

    targets, classes = instance.train_targets, len(instance.classes)
    cases = len(instance.test_inputs)
    said = np.zeros((cases, classes))
    present = np.unique(targets)
    if len(present) == 1:
        said[:, present[0]] = 1.0
    else:
        fitted = _fitted(estimator, instance.train_inputs, targets, rng)
        if hasattr(fitted, "predict_proba"):
            said[:, fitted.classes_] = fitted.predict_proba(_held(instance.test_inputs))
        else:
            said[np.arange(cases), fitted.predict(_held(instance.test_inputs))] = 1.0
    weight = len(targets)
    return Categorical((weight * said + 1.0) / (weight + classes))
