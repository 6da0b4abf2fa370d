"""Any estimator with ``fit`` and ``predict`` as a method."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.base import as_variant, refuse_faulty
from benchbook.methods.class_probabilities import class_probabilities
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.stated import guess, stated
from benchbook.predictive import Categorical, Gaussian, Outputs, Point

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import PartitionInstance, TaskInstance

Make = Callable[[], Any]
Variance = Literal["own", "cv", "none"]

FOLDS = 3
_LARGEST_SEED = 2**31
_LARGEST_INPUT = 3e38


@dataclass(frozen=True, eq=False)
class EstimatorMethod:
    """A method made by ``from_estimator`` or ``from_maker``; ``makers`` has one for each kind of target."""

    name: str
    description: str
    makers: dict[str, Make] = field(repr=False)
    variance: Variance = "cv"
    source: str = "scikit-learn's estimator; variance and smoothing ours"
    calls: tuple[str, ...] = ("benchbook.methods.estimators:_fitted",)
    origin: EstimatorMethod | None = None
    extra: str = ""
    encoding: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(self.makers)

    @property
    def settings(self) -> dict[str, Any]:
        """The estimator's parameters, but for those that the method sets itself (random_state, n_jobs)."""
        given = [_parameters(maker()) for _, maker in sorted(self.makers.items(), reverse=True)]
        return {
            name: value
            for parameters in reversed(given)
            for name, value in parameters.items()
            if name.rpartition("__")[2] not in ("random_state", "n_jobs")
        }

    def varied(self, changes: Mapping[str, Any], name: str | None = None) -> EstimatorMethod:
        """The same method with some of the estimator's parameters changed; see ``methods.variant``."""
        settings.refuse_unknown(self.name, self.settings, changes)
        makers: dict[str, Make] = {
            kind: partial(_changed, maker, dict(changes)) for kind, maker in self.makers.items()
        }
        return as_variant(replace(self, makers=makers), self.origin or self, name)

    def predict(self, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
        make = self.makers[instance.kind]
        with one_thread():
            if instance.kind == "class":
                return _predict_class(make, instance, rng)
            if instance.kind == "outputs":
                return _predict_outputs(self.name, make, instance, rng)  # type: ignore[arg-type]
            return self._predict_real(make, instance, rng)

    def _predict_real(
        self, make: Make, instance: TaskInstance, rng: np.random.Generator
    ) -> Predictive:
        inputs, targets, queries = (
            instance.train_inputs,
            instance.train_targets,
            _held(instance.test_inputs),
        )
        fitted = _fitted(make, inputs, targets, rng)
        if self.variance == "own" and (own := stated(fitted, queries, targets, rng)) is not None:
            return own
        mean = guess(fitted, queries)
        if self.variance == "none":
            return Point(mean)
        variance = stated_variance(_error_out_of_fold(make, inputs, targets, rng), targets)
        return Gaussian(mean, np.full(len(mean), variance))


def from_estimator(
    name: str, est: object, description: str = "", *, variance: Variance = "own"
) -> EstimatorMethod:
    """A method from a scikit-learn regressor, classifier, or pipeline that ends with one.

    The estimator is cloned for each call; every ``random_state`` that it or a part of it has is set from the seed of
    the run, every ``n_jobs`` is set to 1, and the libraries are held to one thread: the study is what runs in parallel.

    A regressor that states its doubt is taken at its word (``benchbook.methods.stated``): ``predict_dist`` or
    ``pred_dist`` of distributions, ``predict(..., return_std=True)``, ``sample``, or a ``predict`` that returns mean
    and variance, draws, or a distribution. Any other gives Gaussian(mean, variance): the mean is its prediction, and
    the variance, the same for all cases, its mean squared error out of fold on the training cases (3 folds at random,
    as many as there are cases when fewer). So does every regressor with ``variance="cv"``; with ``variance="none"`` it
    gives a Point, which has no log loss.

    A classifier gives Categorical. With N training cases, C classes and p what ``predict_proba`` says (1 for the class
    predicted when it has no ``predict_proba``; 0 for a class absent from the training cases),

        p'_c = (N p_c + 1) / (N + C),

    a rule of ours: Laplace's, which makes no class impossible on the word of finitely many cases. On PROBEN1's
    partitions, where validation cases join the training cases, the outputs are p itself.

    Example:
        >>> from sklearn.linear_model import Ridge
        >>> from benchbook import methods
        >>> ridge = methods.from_estimator("ridge", Ridge(), "Ridge regression, penalty 1.")
        >>> ridge.name
        'ridge'

    Args:
        name: the method's name.
        est: an estimator object, not fitted; it is not changed.
        description: one sentence; the estimator's own text when left out.
        variance: "own", "cv" or "none".

    Raises:
        BenchbookError: not an estimator object, or neither a regressor nor a classifier.
    """
    import sklearn.base

    if isinstance(est, type) or not hasattr(est, "fit") or not hasattr(est, "get_params"):
        raise BenchbookError(
            f"method {name}: {est!r} is not a scikit-learn estimator object, such as Ridge(alpha=1.0);"
            " what is made anew for every run goes into methods.from_maker"
        )
    kind = target_of(est)
    if kind is None:
        raise BenchbookError(
            f"method {name}: {type(est).__name__} is neither a regressor nor a classifier; let its "
            "class have RegressorMixin or ClassifierMixin among its bases"
        )
    make: Make = partial(sklearn.base.clone, sklearn.base.clone(est))
    return _method(name, description or " ".join(repr(est).split()), make, kind, variance)


def target_of(est: object) -> Literal["real", "class"] | None:
    """What an estimator predicts; None when it does not say so.

    scikit-learn does not know a regressor whose class has the mixin behind BaseEstimator, nor NGBoost's, which has none
    and is known by its ``pred_dist``; a pipeline or a search with such a one is what that is.
    """
    import sklearn.base
    import sklearn.utils

    try:
        estimator_type = sklearn.utils.get_tags(est).estimator_type
    except AttributeError:  # an object with fit and predict that is none of scikit-learn's
        estimator_type = None
    if estimator_type == "classifier" or isinstance(est, sklearn.base.ClassifierMixin):
        return "class"
    if estimator_type == "regressor" or isinstance(est, sklearn.base.RegressorMixin):
        return "real"
    if callable(getattr(est, "pred_dist", None)) or callable(getattr(est, "predict_dist", None)):
        return "real"
    inner = est.steps[-1][1] if hasattr(est, "steps") else getattr(est, "estimator", None)
    return None if inner is None else target_of(inner)


def from_maker(
    name: str,
    make: Make,
    description: str = "",
    *,
    kind: Literal["real", "class"] = "real",
    variance: Variance = "own",
    source: str = "ours",
) -> EstimatorMethod:
    """A method from a function that makes an object to be fitted, such as a torch module with a ``fit`` of its own.

    For every fit the object is made anew, after torch, where it is loaded, was seeded from the seed of the run.
    ``fit(inputs, targets)`` is given arrays [N, d] and [N], and the generator of the run as ``rng`` when it has such a
    parameter. Predictions come from ``predict(inputs)``; a torch module without it is put into ``eval`` mode and called
    with a float tensor. What it may return, and the other arguments, are as in :func:`from_estimator`: a number a case,
    mean and variance, [J, M] draws.

    Args:
        name: the method's name.
        make: a function without arguments, or a class that needs none; in a file, so that workers find it.
        description: one sentence; the name of ``make`` when left out.
        kind: "real", or "class" for an object with ``predict_proba`` (see ``methods.class_probabilities``).
        variance: "own", "cv" or "none".
        source: where the method comes from.

    Raises:
        BenchbookError: it cannot be called.
    """
    if not callable(make):
        raise BenchbookError(
            f"method {name}: {make!r} cannot be called; give a function that makes the object"
        )
    if kind not in ("real", "class"):
        raise BenchbookError(f"method {name}: kind is {kind!r}; it is 'real' or 'class'")
    predicted = description or f"what {getattr(make, '__name__', type(make).__name__)} makes"
    return replace(_method(name, predicted, make, kind, variance), source=source)


def _method(
    name: str, description: str, make: Make, kind: Literal["real", "class"], variance: Variance
) -> EstimatorMethod:
    if variance not in ("own", "cv", "none"):
        raise BenchbookError(
            f"method {name}: variance is {variance!r}; it is 'own', 'cv' or 'none'"
        )
    makers = {"real": make} if kind == "real" else {"class": make, "outputs": make}
    made = EstimatorMethod(name, description, makers, variance)
    refuse_faulty(made)
    return made


def _parameters(estimator: object) -> dict[str, Any]:
    return dict(estimator.get_params()) if hasattr(estimator, "get_params") else {}


def _changed(make: Make, changes: dict[str, Any]) -> Any:
    """The estimator with those of the parameters that it has; forests of classes and of numbers have not all alike."""
    estimator = make()
    known = _parameters(estimator)
    return estimator.set_params(**{name: value for name, value in changes.items() if name in known})


def _fitted(make: Make, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> Any:
    """A new one, seeded, on one core, and fitted; the arrays are copies, for estimators that write into them."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.manual_seed(int(copy.deepcopy(rng).integers(_LARGEST_SEED)))
    fresh = make()
    own: dict[str, Any] = {}
    for key in sorted(_parameters(fresh)):
        if key.rpartition("__")[2] == "random_state":
            own[key] = int(rng.integers(_LARGEST_SEED))
        elif key.rpartition("__")[2] == "n_jobs":
            own[key] = 1
    if own:
        fresh.set_params(**own)
    if not callable(getattr(fresh, "fit", None)):
        raise BenchbookError(
            f"{type(fresh).__name__} has no fit(inputs, targets); write one that trains it"
        )
    wanted = {"rng": rng} if "rng" in inspect.signature(fresh.fit).parameters else {}
    fitted = fresh.fit(_held(inputs), targets.copy(), **wanted)
    return fresh if fitted is None else fitted


def _held(inputs: np.ndarray) -> np.ndarray:
    """A copy within the range of single precision, which is what some estimators, such as forests, compute in."""
    return np.clip(inputs, -_LARGEST_INPUT, _LARGEST_INPUT)


def _error_out_of_fold(
    make: Make, inputs: np.ndarray, targets: np.ndarray, rng: np.random.Generator
) -> float:
    """Mean squared error of the training cases, each predicted by a fit without its fold; 0 for a single case."""
    cases = len(targets)
    if cases < 2:
        return 0.0
    total = 0.0
    for fold in np.array_split(rng.permutation(cases), min(FOLDS, cases)):
        retained = np.setdiff1d(np.arange(cases), fold)
        fitted = _fitted(make, inputs[retained], targets[retained], rng)
        total += float(np.sum((guess(fitted, _held(inputs[fold])) - targets[fold]) ** 2))
    return total / cases


def _predict_class(make: Make, instance: TaskInstance, rng: np.random.Generator) -> Predictive:
    targets, classes = instance.train_targets, len(instance.classes)
    predicted = _probabilities(
        make, instance.train_inputs, targets, classes, instance.test_inputs, rng
    )
    weight = len(targets)
    return Categorical((weight * predicted + 1.0) / (weight + classes))


def _predict_outputs(
    name: str, make: Make, instance: PartitionInstance, rng: np.random.Generator
) -> Predictive:
    if not instance.classes:
        raise BenchbookError(
            f"{name} predicts classes, and the outputs of {instance.task} are numbers; use a method "
            "for outputs, or a partition of a classification problem"
        )
    inputs = np.vstack([instance.train_inputs, instance.validation_inputs])
    labels = np.vstack([instance.train_targets, instance.validation_targets]).argmax(axis=1)
    return Outputs(
        _probabilities(make, inputs, labels, len(instance.classes), instance.test_inputs, rng)
    )


def _probabilities(
    make: Make,
    inputs: np.ndarray,
    labels: np.ndarray,
    classes: int,
    queries: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """The probabilities that a classifier states, [J, C]; 1 for its class when it states none."""
    predicted = np.zeros((len(queries), classes))
    present = np.unique(labels)
    if len(present) == 1:
        predicted[:, present[0]] = 1.0
        return predicted
    fitted = _fitted(make, inputs, labels, rng)
    return class_probabilities(fitted, _held(queries), present, classes)
