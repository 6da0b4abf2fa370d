"""Fixtures shared by all tests."""

import importlib
import os
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchbook.seeds import generator

PASSES = 600
SAVES = (1, 5, 20, 60, 150)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator that depends on the name of the test alone."""
    return generator(1, request.node.name)


@pytest.fixture(params=[1, pytest.param(10, marks=pytest.mark.slow)], ids="effort{}".format)
def effort(request: pytest.FixtureRequest) -> int:
    """How many times as large a simulation is as its planted faults need in order to be found."""
    return int(request.param)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def real_data() -> Callable[[str], None]:
    """Skip the test unless the published data set of that name is at hand."""

    def need(name: str) -> None:
        from benchbook import datasets

        if not datasets.at_hand(name):
            now = os.environ.get("BENCHBOOK_DATA")
            pytest.skip(f"the data of {name} is not at hand; set BENCHBOOK_DATA (now {now!r})")

    return need


@pytest.fixture
def make_instance() -> Callable[..., Any]:
    """A task instance on copies of the given arrays, encoded as they are; class targets when classes are named."""
    from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance

    def make(inputs: Any, targets: Any, queries: Any, classes: tuple[str, ...] = ()) -> Any:
        inputs, queries = np.array(inputs, dtype=float), np.array(queries, dtype=float)
        columns = tuple(Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1]))
        target = Coding("t", "nominal", "0-up", {}, classes) if classes else Coding("t", "real", "copy", {}, ())
        encoding = Encoding(columns, Fitted(target, ("t",)))
        return TaskInstance(
            task="made/up/std.0", number=3, kind="class" if classes else "real", classes=classes, train_inputs=inputs,
            train_targets=np.array(targets, dtype=np.int64 if classes else float), test_inputs=queries,
            case_ids=np.arange(len(queries)), input_groups=encoding.groups(), encoding=encoding, digest="",
        )

    return make


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter chains, descents and searches, fewer networks, fewer trees."""
    _networks(monkeypatch)
    _samplers(monkeypatch)
    _trees(monkeypatch)


def _networks(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchbook.methods import committees, mixture_density, networks, networks_ese, networks_relevance

    for module in (networks, networks_relevance):
        monkeypatch.setattr(module, "BatchDescent", partial(networks.BatchDescent, saves=SAVES))
    monkeypatch.setattr(networks_ese, "ConjugateEnsemble", partial(networks_ese.ConjugateEnsemble, most=4))
    for module, name in ((committees, "REGRESSION"), (committees, "CLASSES"), (mixture_density, "DESIGN")):
        monkeypatch.setattr(module, name, replace(getattr(module, name), members=3, patience=50))


def _samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchbook.methods import bayes
    from benchbook.methods.gp import sampler, search
    from benchbook.methods.kernel_ridge import heteroscedastic
    from benchbook.methods.logistic import chains
    from benchbook.methods.vl import gp_sampling, mlp_runs

    def shortened(run):
        return lambda model, schedule, *rest: run(model, replace(schedule, passes=min(schedule.passes, PASSES)), *rest)

    for module in pkgutil.iter_modules(bayes.__path__, "benchbook.methods.bayes."):
        if module.name.endswith("predict"):
            predict = importlib.import_module(module.name)
            monkeypatch.setattr(predict, "run", shortened(predict.run))
    monkeypatch.setattr(sampler, "Sampling", partial(sampler.Sampling, evaluations=30, kept=10))
    monkeypatch.setattr(search, "Search", partial(search.Search, starts=2, steps=20))
    monkeypatch.setattr(chains, "Sampling", partial(chains.Sampling, chains=4, discarded=10, kept=10))
    monkeypatch.setattr(heteroscedastic, "Search", partial(heteroscedastic.Search, evaluations=10))
    monkeypatch.setattr(gp_sampling, "GPSettings", partial(gp_sampling.GPSettings, draws=5, warm=5, thin=1, search=20))
    monkeypatch.setattr(mlp_runs.Settings, "budget", lambda *_: PASSES)


def _trees(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchbook.methods import estimators, proben1_modern, quantile_trees, random_subspaces

    fitted = estimators._fitted

    def small(estimator, *rest):
        few = {name: 5 for name in ("n_estimators", "max_iter") if name in estimator.get_params()}
        return fitted(estimator.set_params(**few), *rest)

    monkeypatch.setattr(estimators, "_fitted", small)
    for module in (proben1_modern, quantile_trees, random_subspaces):
        monkeypatch.setattr(module, "TREES", 5)
    monkeypatch.setattr(proben1_modern, "EPOCHS", 20)
    monkeypatch.setattr(quantile_trees, "ROUNDS", 5)
