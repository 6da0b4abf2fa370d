"""Predictions that were made before: in memory, or in a folder, under a digest of all that they follow from.

The digest covers the method with its parameters, the text of its code and of functions and classes of the user's that
it refers to, the data, the rows of the split, the seed, what was asked of the prediction, and the versions of Python
and of the libraries. What cannot be pickled has no digest and is fitted each time.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import Any

import joblib
import numpy as np

from benchbook import __version__
from benchbook.comparison.answering import FitTask
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.predicted import Prediction
from benchbook.errors import Fault, FaultyInput
from benchbook.files import atomic
from benchbook.predictive.files import KINDS

try:
    import cloudpickle  # type: ignore[import-untyped]
except ImportError:  # before its version 1.6 joblib had it among its own modules
    from joblib.externals import cloudpickle

_MOST_BYTES = 256 << 20
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib")
_RULES = "benchbook comparison 1"


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
    """Predictions as files of arrays in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> Prediction | None:
        file = self._folder / f"{key}.npz"
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return _restored({name: arrays[name] for name in arrays.files})
        except (OSError, ValueError, KeyError, EOFError):
            return None  # not there, or damaged: fitted anew

    def put(self, key: str, prediction: Prediction) -> None:
        arrays = _arrays(prediction)
        facts = {name: getattr(prediction, name) for name in _FACTS}
        kind = None if prediction.distribution is None else prediction.distribution.kind
        arrays["facts"] = np.array(json.dumps(facts | {"distribution": kind}))
        with atomic(self._folder / f"{key}.npz") as scratch, scratch.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)


PredictionStore = _Memory | _Folder


def store(cache: Any) -> PredictionStore | None:
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


def _restored(arrays: dict[str, Any]) -> Prediction:
    facts = json.loads(str(arrays["facts"]))
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


def pickle_by_value(module: Any) -> None:
    """Send functions of a module to other processes whole, since these cannot import it."""
    cloudpickle.register_pickle_by_value(module)


class _Digesting(cloudpickle.Pickler):
    """Pickles by value what belongs to the user, and notes the modules that the rest is in."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.modules: set[str] = set()

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, type | FunctionType):
            self.modules.add(obj.__module__ or "")
        return super().reducer_override(obj)


def digest_of(thing: Any) -> str | None:
    """A digest of a method with its parameters and its code; None when it cannot be pickled."""
    file = io.BytesIO()
    pickler = _Digesting(file)
    try:
        pickler.dump(thing)
    except Exception:  # locks, open files, generators: whatever the user's objects hold
        return None
    total = hashlib.sha256(file.getvalue())
    for name in sorted(pickler.modules):
        total.update(_source(name))
    return total.hexdigest()


def _source(name: str) -> bytes:
    """The text of a module that is no installed package, whose version says enough."""
    path = getattr(sys.modules.get(name), "__file__", None)
    if not path or "site-packages" in path or path.startswith(sys.base_prefix):
        return name.encode()
    try:
        return Path(path).read_bytes()
    except OSError:
        return name.encode()


@lru_cache(maxsize=1)
def versions() -> str:
    """Python, its platform and the libraries that predictions follow from."""
    results = [f"{name} {metadata.version(name)}" for name in _LIBRARIES]
    return "; ".join([_RULES, __version__, platform.python_version(), platform.machine(), *results])


def data_digest(data: ComparisonData) -> str | None:
    """A digest of all that fits can see of the data; None when it holds objects that cannot be pickled."""
    parts = data.X, data.labels, data.groups, data.time, data.weights, data.kind, data.positive
    try:
        return str(joblib.hash(parts))
    except Exception:  # whatever the objects of a column raise
        return None


def key(contender: str, data: str, task: FitTask, scorers: Iterable[str | None]) -> str:
    """The digest under which the prediction of a task is kept."""
    header = [
        versions(),
        contender,
        data,
        list(task.seed),
        sorted(task.needs),
        task.predictive,
        [list(level) for level in task.levels],
        list(scorers),
    ]
    total = hashlib.sha256(json.dumps(header).encode())
    for rows in (task.train, task.test):
        total.update(np.ascontiguousarray(rows, dtype="<i8").tobytes() + b"|")
    return total.hexdigest()
