"""Fixtures shared by all tests."""

import importlib.util
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import numpy as np
import pytest

from benchbook.seeds import generator
from benchbook_book.making import one_compiler

# A shell that starts the tests in the background makes them deaf to Ctrl-C, which some tests are about.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What the user of this machine has added as data of their own is no part of the tests.
os.environ["BENCHBOOK_HOME"] = str(Path(tempfile.gettempdir()) / f"benchbook-tests-{os.getpid()}")
# Where a time of the day is that of the machine and not UTC, it is seen on machines that are at UTC too.
os.environ["TZ"] = "XXX+03:30"
if hasattr(time, "tzset"):
    time.tzset()
# Test processes run at once and need the same kernels.
one_compiler.install()
# How long an example takes says how busy the machine is, and nothing of what is tested.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")

pytest_plugins = ["tiers", "forked", "drawn"]
PASSES = 600
SAVES = (1, 5, 20, 60, 150)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator that depends on the name of the test alone."""
    return generator(1, request.node.name)


@pytest.fixture(params=[1, pytest.param(10, marks=pytest.mark.slow)], ids="effort{}".format)
def effort(request: pytest.FixtureRequest) -> int:
    """How many times its usual size a simulation of what is exact has."""
    return int(request.param)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def chapter(repository: Path) -> Callable[[str], ModuleType]:
    """Load the helper of a chapter, ``chapter("delve/study")`` for ``book/delve/_study.py``."""

    @cache
    def load(name: str) -> ModuleType:
        part, _, stem = name.rpartition("/")
        path = repository / "book" / part / f"_{stem}.py"
        spec = importlib.util.spec_from_file_location(f"book_{part}_{stem}".replace("-", "_"), path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(path.parent)
            spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def toy_losses() -> Callable[..., Any]:
    """A maker of case losses of methods whose expected losses are known: ``toy_losses(prototask, levels)``."""
    import polars as pl

    def make(
        prototask: str,
        levels: dict[str, float],
        sizes: tuple[int, ...] = (64, 128, 256, 512, 1024),
        instances: int = 8,
        cases: int = 4,
        spread: float = 0.05,
        seed: int = 0,
    ) -> pl.DataFrame:
        rng = np.random.default_rng([seed, len(prototask)])
        frames = []
        for size in sizes:
            luck = 0.1 * rng.normal(size=(instances, 1))
            for name, level in levels.items():
                value = level * (1 + luck + spread * rng.normal(size=(instances, cases)))
                frames.append(
                    pl.DataFrame(
                        {
                            "method": name,
                            "task": f"{prototask}/std.{size}",
                            "loss": "S",
                            "value": value.ravel(),
                            "instance": np.repeat(np.arange(instances), cases),
                            "case": np.arange(instances * cases),
                            "digest": np.repeat(
                                [f"{size}#{number}" for number in range(instances)], cases
                            ),
                        }
                    )
                )
        return pl.concat(frames)

    return make


@pytest.fixture(scope="session")
def toy_study(toy_losses: Callable[..., Any]) -> Any:
    """A study of five methods, two of them alike, on all tasks of Neal's, with records of its runs."""
    import json

    import polars as pl

    from benchbook import assess
    from benchbook.studies import RECORD_SCHEMA
    from benchbook_book.pages.show import neal

    levels = {"mlp-bgd-1": 1.0, "mlp-bgd-2": 0.7, "mlp-mc-3": 0.69, "mlp-mc-4": 0.72, "lin-1": 2.0}
    names = [*neal.PROTOTASKS, *neal.PUBLISHED.values()]
    frame = pl.concat(
        [toy_losses(name, levels, neal.SIZES, seed=index) for index, name in enumerate(names)]
    )
    reported = json.dumps({"gradient_passes": 60_000, "selected_iterations": [1, 500]})
    rows = [
        {
            **dict.fromkeys(RECORD_SCHEMA, ""),
            "method": method,
            "task": f"{name}/std.{size}",
            "instance": 0,
            "status": "ok",
            "seconds": size / 64,
            "cost": reported,
            "cpu": "a processor",
            "seed": 1,
        }
        for name in neal.PROTOTASKS
        for method in levels
        for size in neal.SIZES
    ]
    return neal.Study(
        *assess.assessment(frame, "hierarchical"),
        assess.instance_means(frame, "hierarchical"),
        pl.DataFrame(rows, schema=RECORD_SCHEMA),
        (),
    )


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home for the user's own datasets, and an empty current folder."""
    from benchbook.tasks.user.writing import forget

    folder = tmp_path / "home"
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("BENCHBOOK_HOME", str(folder))
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path / "runs"))
    forget()
    yield folder
    monkeypatch.undo()
    forget()


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
        columns = tuple(
            Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",))
            for i in range(inputs.shape[1])
        )
        target = (
            Coding("t", "nominal", "0-up", {}, classes)
            if classes
            else Coding("t", "real", "copy", {}, ())
        )
        encoding = Encoding(columns, Fitted(target, ("t",)))
        return TaskInstance(
            task="made/up/std.0",
            number=3,
            kind="class" if classes else "real",
            classes=classes,
            train_inputs=inputs,
            train_targets=np.array(targets, dtype=np.int64 if classes else float),
            test_inputs=queries,
            case_ids=np.arange(len(queries)),
            input_groups=encoding.groups(),
            encoding=encoding,
            digest="",
        )

    return make


_SMALL: dict[str, dict[str, Any]] = {
    "BatchDescent": {"saves": SAVES},
    "StaticDescent": {"saves": SAVES},
    "ConjugateEnsemble": {"most": 4},
    "CommitteeDesign": {"members": 3, "patience": 50},
    "NetworkChain": {"passes": PASSES},
    "ResidualSettings": {"passes": PASSES, "draws": 20},
    "Mode": {"starts": 2, "steps": 20},
    "Process": {"starts": 2, "steps": 20, "evaluations": 30, "kept": 10},
    "Sparsity": {"starts": 2, "search.steps": 20},
    "Logistic": {"chains": 4, "discarded": 10, "kept": 10},
    "Leaving": {"evaluations": 10},
    "GPSettings": {"draws": 5, "warm": 5, "thin": 1, "search": 20},
    "Trees": {"trees": 5, "trial_trees": 5},
    "Forest": {"trees": 5},
    "Boosting": {"rounds": 5},
    "Adam": {"epochs": 20},
    "ClassifierForest": {"trees": 5},
    "ClassifierBoosting": {"rounds": 5},
    "MCDropout": {"epochs": 20, "draws": 10},
    "dict": {"n_estimators": 5, "max_iter": 5},
}
"""What makes a method quick, by the kind of its settings: fewer networks, trees, draws and passes."""


@pytest.fixture(scope="session")
def quick() -> dict[str, Any]:
    """The methods of the book on a small budget, under their own names; made once, for hundreds of tests."""
    from benchbook import methods
    from benchbook.methods import registry

    known = registry._discovered()
    settings = {name: method.settings for name, method in known.items()}
    assert _SMALL.keys() <= {type(has).__name__ for has in settings.values()}, (
        "settings that no method has make none quick: a class has been renamed"
    )
    few = {
        name: {
            key: value
            for key, value in _SMALL.get(type(has).__name__, {}).items()
            if not isinstance(has, dict) or key in has
        }
        for name, has in settings.items()
    }
    return {
        name: methods.variant(method, name=name, **few[name]) if few[name] else method
        for name, method in known.items()
    }


@pytest.fixture
def small_budget(quick: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every registered method is, under its own name, a variant with fewer networks, trees, draws and passes."""
    from benchbook.methods import registry

    monkeypatch.setattr(registry, "_by_hand", registry._by_hand | quick)
