# ruff: noqa: NPY002
"""The backends of joblib: the same losses and warnings as one after another, and this process left as it was."""

import pickle
import random
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
from joblib.parallel import ThreadingBackend
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_info

import benchbook
from benchbook.comparison import sent_data
from benchbook.comparison.data import ask
from benchbook.errors import BenchbookError

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 3)).round(3)
Y = (X[:, 0] + RNG.normal(size=40)).round(3)
FRAMES = {
    "array": X,
    "polars": pl.DataFrame(X, schema=list("abc")),
    "pandas": pd.DataFrame(X, columns=list("abc")).assign(d=["p", "q"] * 20),
    "sparse": scipy.sparse.csr_array(X),
}


class Cluster(ThreadingBackend):
    """Stands in for workers of several threads, to which everything is sent."""

    supports_sharedmem = False

    def submit(self, func, callback=None):
        sent = pickle.loads(cloudpickle.dumps(func))
        return super().submit(sent, callback)


class Waiting(Cluster):
    """One that returns nothing before all is done, as those of processes that are forked, and ray's."""

    supports_return_generator = False


class InProcess(ThreadingBackend):
    """One that sends nothing, and does not say that it shares memory."""

    supports_sharedmem = False


for backend in (Cluster, Waiting, InProcess):
    joblib.register_parallel_backend(backend.__name__, backend)


def loud(train, target, test):
    """Draws from what all threads share, warns, and sets what all threads share."""
    first = np.random.normal()
    time.sleep(1e-3)
    warnings.warn("loud", stacklevel=1)
    np.seterr(all="ignore")
    return np.full(len(test), first + np.random.normal() + random.random())


def calm(train, target, test):
    time.sleep(1e-3)
    return np.full(len(test), np.random.normal())


def nested(train, target, test):
    inner = benchbook.compare(
        {"c": calm}, train, target, design=3, effort="quick", n_jobs=2, cache=False
    )
    return np.full(len(test), inner.table["mean"][0])


def compared(n_jobs, x=X, methods=None):
    methods = methods or {"loud": loud, "calm": calm}
    asked = {"design": 4, "effort": "quick", "cache": False, "progress": False}
    result = benchbook.compare(methods, x, Y, n_jobs=n_jobs, **asked)
    return result.fold_losses, result.fits.warnings


def shared_state():
    threads = [(item["filepath"], item["num_threads"]) for item in threadpool_info()]
    numbers = np.random.get_state()
    of_warnings = list(warnings.filters), warnings.showwarning
    words = numbers[1].tobytes(), random.getstate(), np.geterr()
    return [numbers[2], *words, threads, *of_warnings, sys.stdout, sys.stderr]


def assert_same(found, expected):
    assert found[0].equals(expected[0])
    assert found[1] == expected[1] == {"loud": {"UserWarning: loud": 4}}


@pytest.mark.parametrize("name", ["Cluster", "Waiting", "InProcess", "threading", "loky"])
def test_every_backend_gives_the_same_and_leaves_no_trace(name):
    alone, before = compared(1), shared_state()
    with joblib.parallel_config(name, n_jobs=3), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = compared(None)
    assert shared_state() == before
    assert_same(found, alone)
    assert any("one after another" in str(item.message) for item in said) == (name == "threading")


def test_comparisons_in_several_threads_at_once_do_not_disturb_each_other():
    alone, before = compared(1), shared_state()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(compared, [1] * 6))
    assert shared_state() == before
    for each in found:
        assert_same(each, alone)


def test_a_comparison_within_a_fit_of_a_cluster_comes_to_an_end():
    alone = compared(1, methods={"nested": nested})
    with joblib.parallel_config("Cluster", n_jobs=2):
        assert compared(None, methods={"nested": nested})[0].equals(alone[0])


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_what_a_fit_raises_leaves_no_trace(error):
    def raising(train, target, test):
        loud(train, target, test)
        raise error

    before = shared_state()
    try:
        assert compared(1, methods={"raising": raising})[1]
    except KeyboardInterrupt:
        assert error is KeyboardInterrupt
    assert shared_state() == before


def test_processes_that_would_be_forked_are_refused(monkeypatch):
    monkeypatch.setattr(joblib.parallel, "DEFAULT_MP_CONTEXT", get_context("fork"))
    with (
        joblib.parallel_config("multiprocessing"),
        pytest.raises(BenchbookError, match="polars has threads, and the copies may hang; take"),
    ):
        compared(2)


def test_a_backend_that_is_not_ready_says_so(monkeypatch):
    def effective(self, n_jobs):
        raise TimeoutError("no worker after 10 seconds")

    monkeypatch.setattr(Cluster, "effective_n_jobs", effective)
    with (
        joblib.parallel_config("Cluster"),
        pytest.raises(BenchbookError, match="Cluster is not ready: TimeoutError: no worker after"),
    ):
        compared(2)


@pytest.mark.parametrize("frame", FRAMES)
def test_data_are_read_once_from_what_was_sent(frame):
    data = ask(FRAMES[frame], Y)
    sent = sent_data.SentData(data)
    first, again = (pickle.loads(cloudpickle.dumps(sent)) for _ in range(2))
    assert first is again is not data
    rows = np.array([3, 1])
    expected, found = data.inputs(rows), first.inputs(rows)
    assert type(found) is type(expected)
    dense = [
        each.toarray() if frame == "sparse" else np.asarray(each) for each in (found, expected)
    ]
    assert np.array_equal(*dense)
    assert sys.getsizeof(sent) > 1000  # what joblib's backend for Dask takes for large


def test_ridge_in_a_cluster_is_ridge():
    ridge = {"ridge": Ridge()}
    with joblib.parallel_config("Cluster", n_jobs=2):
        found = compared(None, FRAMES["polars"], ridge)
    assert found[0].equals(compared(1, FRAMES["polars"], ridge)[0])
