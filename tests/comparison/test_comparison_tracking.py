"""What goes into MLflow: tried with a stand-in of its functions, and with MLflow itself where it is installed."""

import importlib.util
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

import benchbook
from benchbook.errors import BenchbookError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = X[:, 0] + RNG.normal(size=60)
METHODS = {"ridge": Ridge(), "nearest (5)": KNeighborsRegressor(5), "bad": KNeighborsRegressor(50)}
NAME = re.compile(r"[\w\-. /]+")


class StandIn:
    """The functions of MLflow that are called, with its rules on names, nesting and numbers."""

    def __init__(self):
        self.runs, self.open = [], []

    def active_run(self):
        return self.open[-1] if self.open else None

    @contextmanager
    def start_run(self, run_name=None, nested=False):
        assert nested or not self.open
        parent = self.open[-1].name if self.open else None
        info = SimpleNamespace(run_id=f"id-{len(self.runs)}")
        run = SimpleNamespace(
            name=run_name, parent=parent, info=info, metrics={}, params={}, tags={}, files={}
        )
        self.runs.append(run)
        self.open.append(run)
        yield run
        self.open.pop()

    def log_params(self, params):
        assert all(NAME.fullmatch(name) and len(str(text)) <= 500 for name, text in params.items())
        self.open[-1].params |= params

    def log_metrics(self, metrics):
        assert all(NAME.fullmatch(name) and np.isfinite(value) for name, value in metrics.items())
        self.open[-1].metrics |= metrics

    def set_tags(self, tags):
        assert all(NAME.fullmatch(name) and isinstance(text, str) for name, text in tags.items())
        self.open[-1].tags |= tags

    def log_artifact(self, path):
        self.open[-1].files[Path(path).name] = Path(path).read_text()


@pytest.fixture(scope="module")
def made():
    losses = {"absolute": "absolute", "r2, outside": "r2"}
    return benchbook.compare(METHODS, X, Y, losses=losses, design=5, effort="quick", cache=False)


def test_every_method_is_a_run_with_its_numbers(made, monkeypatch):
    mlflow = StandIn()
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    with mlflow.start_run("mine"):
        assert made.log_to_mlflow() == "id-1"
    mine, parent, *each = mlflow.runs
    assert (parent.parent, {run.parent for run in each}) == ("mine", {parent.name})
    assert mine.metrics == mine.params == {}
    assert parent.params["losses"] == "absolute, r2, outside"
    assert parent.tags["benchbook.headline"] == made.headline
    assert set(parent.files) == {"comparison.html", "table.csv"}
    runs = {run.name: run for run in each}
    assert set(runs) == {"constant guess", "ridge", "nearest (5)", "bad"}
    assert runs["bad"].tags["benchbook.error"].startswith("ValueError")
    assert runs["bad"].metrics == {}
    rows = {row["method"]: row for row in made.rows("absolute")}
    for name in ("ridge", "nearest (5)", "constant guess"):
        run, row = runs[name], rows[name]
        assert run.metrics["absolute"] == row["mean"]
        assert run.metrics["r2_ outside"] == -made.mean("r2, outside", name)
        assert run.metrics.get("absolute worse_by") == row["difference"]
        assert run.metrics.get("absolute worse_by_high") == row["diff_high"]
        assert run.tags["benchbook.verdict"] == row["verdict"]


def test_without_mlflow_it_says_so(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(BenchbookError, match="pip install mlflow"):
        made.log_to_mlflow()


@pytest.mark.skipif(importlib.util.find_spec("mlflow") is None, reason="MLflow is not installed")
def test_mlflow_takes_it(made, tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file:{tmp_path / 'runs'}")
    run = mlflow.get_run(made.log_to_mlflow())
    children = mlflow.MlflowClient().search_runs(
        [run.info.experiment_id], f"tags.mlflow.parentRunId = '{run.info.run_id}'"
    )
    assert {one.info.run_name for one in children} == {"constant guess", *METHODS}
