"""Predictions that were made before: in memory, or in a folder, under a digest of all that they follow from.

The digest covers the method with its parameters and its code (see ``digests``), the data, the rows of the split, the
seed, what was asked of the prediction, scikit-learn's settings, Python, and the packages that are installed. What has
no digest is fitted each time, and so is what read something from outside while it was fitted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn

from benchbook import parquet
from benchbook.comparison.answering import FitTask
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.digests import environment, own_text
from benchbook.comparison.outside_reads import unheard
from benchbook.comparison.predicted import Prediction
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.predictive.files import KINDS

try:
    import cloudpickle  # type: ignore[import-untyped]
except ImportError:  # before its version 1.6 joblib had it among its own modules
    from joblib.externals import cloudpickle

Pickler: Any = cloudpickle.Pickler
_MOST_BYTES = 256 << 20
_RULES = "benchbook comparison 2"


class _Memory:
    """Predictions of this process, up to 256 MiB; those that were not asked for longest go first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[Prediction, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> Prediction | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: str, prediction: Prediction) -> None:
        size = sum(array.nbytes for array in _arrays(prediction).values()) + 1000
        with self._lock:
            if key in self._held or size > _MOST_BYTES:
                return
            self._held[key] = prediction, size
            self._bytes += size
            while self._bytes > _MOST_BYTES:
                self._bytes -= self._held.popitem(last=False)[1][1]


_memory = _Memory()


class _Folder:
    """Predictions as files in a folder. What is damaged is fitted anew, and a full disk stops no comparison; both are
    said once."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._said = folder, set[str]()

    def get(self, key: str) -> Prediction | None:
        path = self._folder / f"{key}.parquet"
        try:
            with unheard():
                return _restored(*parquet.read_arrays(path, remedy="", most=_MOST_BYTES))
        except FileNotFoundError:
            pass
        except (OSError, BenchbookError, ValueError, KeyError, TypeError):
            self._warn(f"the cache {self._folder} has damaged files; their fits are made again")
        return None

    def put(self, key: str, prediction: Prediction) -> None:
        facts = {name: getattr(prediction, name) for name in _FACTS}
        kind = None if prediction.distribution is None else prediction.distribution.kind
        path = self._folder / f"{key}.parquet"
        try:
            with unheard():
                parquet.write_arrays(_arrays(prediction), facts | {"distribution": kind}, path)
        except (BenchbookError, OSError) as error:
            self._warn(f"the cache takes nothing more: {error}")

    def _warn(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            warnings.warn(text, stacklevel=2)


PredictionStore = _Memory | _Folder


def store(cache: object) -> PredictionStore | None:
    """The store that ``cache`` asks for: memory for True, none for False, a folder for its path.

    Raises:
        FaultyInput: anything else, or a folder that cannot be made.
    """
    if cache is True:
        return _memory
    if cache is False or cache is None:
        return None
    rule = "True (in memory), False, or the path of a folder"
    if not isinstance(cache, str | Path):
        raise FaultyInput("the comparison", [Fault("cache", repr(cache), rule)])
    folder = Path(cache).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        text = f"{cache}, which cannot be made: {error.strerror or error}"
        raise FaultyInput("the comparison", [Fault("cache", text, rule)]) from error
    return _Folder(folder)


_ARRAYS = ("point", "label", "probability", "score")
_FACTS = ("trained", "hard", "stated", "scored", "fit_seconds", "predict_seconds", "warnings")


def _arrays(prediction: Prediction) -> dict[str, Any]:
    made = {name: getattr(prediction, name) for name in _ARRAYS}
    made |= {f"guess:{code}": value for code, value in prediction.guesses.items()}
    if prediction.distribution is not None:
        made |= {
            f"distribution:{name}": value
            for name, value in prediction.distribution.parameters.items()
        }
    return {name: value for name, value in made.items() if value is not None}


def _restored(arrays: dict[str, Any], facts: dict[str, Any]) -> Prediction:
    kind = facts.pop("distribution")
    made = Prediction(**facts, **{name: arrays[name] for name in _ARRAYS if name in arrays})
    made.guesses = {
        name.removeprefix("guess:"): value
        for name, value in arrays.items()
        if name.startswith("guess:")
    }
    if kind is not None:
        parameters = {
            name.removeprefix("distribution:"): value
            for name, value in arrays.items()
            if name.startswith("distribution:")
        }
        made.distribution = KINDS[kind](**parameters)
    return made


def pickle_by_value(module: object) -> None:
    """Send functions of a module to other processes whole, since these cannot import it."""
    cloudpickle.register_pickle_by_value(module)


@contextlib.contextmanager
def by_value(names: Iterable[str], things: object) -> Iterator[None]:
    """Send what is in the user's modules of these names to other processes as it is loaded here, within a ``with``
    block: they would import the text on disk, or have an older one. Where that is not possible, they do import it.

    Args:
        names: of modules. things: what is to be sent.
    """
    before = set(cloudpickle.list_registry_pickle_by_value())
    modules = [sys.modules[name] for name in names if name in sys.modules and name not in before]
    for module in modules:
        pickle_by_value(module)
    try:
        try:
            cloudpickle.dumps(things)
        except Exception:  # a lock, say, which the text makes anew
            _unregister(modules)
            modules = []
        yield
    finally:
        _unregister(modules)


def _unregister(modules: Iterable[Any]) -> None:
    for module in modules:
        cloudpickle.unregister_pickle_by_value(module)


def versions() -> str:
    """Python, its platform, and what is installed beside it."""
    return "; ".join([_RULES, own_text(), sys.version, platform.machine(), environment()])


def data_digest(data: ComparisonData) -> str | None:
    """A digest of all that fits can see of the data; None when it holds objects that cannot be pickled."""
    parts = data.X, data.labels, data.groups, data.time, data.weights, data.kind, data.positive
    try:
        return str(joblib.hash(parts))
    except Exception:  # whatever the objects of a column raise
        return None


def key(versions: str, method: str, data: str, task: FitTask) -> str:
    """The digest under which the prediction of a task is kept.

    Args:
        versions: of libraries. method: digest of the method and of scorers. data: digest of the data.
    """
    header = [
        versions,
        method,
        data,
        list(task.seed),
        sorted(task.needs),
        task.predictive,
        [list(level) for level in task.levels],
        [code for code, _ in task.scorers],
        repr(sklearn.get_config()),
    ]
    total = hashlib.sha256(json.dumps(header).encode())
    for rows in (task.train, task.test):
        total.update(np.ascontiguousarray(rows, dtype="<i8").tobytes() + b"|")
    return total.hexdigest()
