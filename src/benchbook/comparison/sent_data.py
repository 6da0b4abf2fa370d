"""Data on their way to other processes: written once, and read once in each of them."""

from __future__ import annotations

import io
import pickle
import uuid
from typing import Any

import numpy as np

from benchbook.comparison.cache import Pickler
from benchbook.comparison.data import ComparisonData

_received: dict[str, ComparisonData] = {}  # the last one of this process


class SentData:
    """Data that become ``ComparisonData`` in another process.

    Arrays are handed on as arrays, which joblib puts into files that all processes share; all else, such as columns of
    polars or texts, becomes an array of bytes. joblib's backend for Dask sends a large argument once to a worker.
    """

    def __init__(self, data: ComparisonData) -> None:
        self.data = data
        self._name = uuid.uuid4().hex
        self._parts: list[np.ndarray[Any, Any]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._parts:
            file = io.BytesIO()
            writer = _Writer(file, protocol=pickle.HIGHEST_PROTOCOL)
            writer.dump(self.data)
            text = np.frombuffer(file.getbuffer(), dtype=np.uint8)
            self._parts = [text, *writer.arrays]
        return _read, (self._name, *self._parts)

    def __sizeof__(self) -> int:
        return int(self.data.y.nbytes) * (1 + len(self.data.columns))


def data_of(sent: SentData | ComparisonData) -> ComparisonData:
    """The data, which a backend without other processes hands on as they were sent."""
    return sent.data if isinstance(sent, SentData) else sent


class _Writer(Pickler):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.arrays: list[np.ndarray[Any, Any]] = []

    def persistent_id(self, thing: Any) -> int | None:
        if type(thing) not in (np.ndarray, np.memmap) or thing.dtype.hasobject:
            return None
        self.arrays.append(thing)
        return len(self.arrays) - 1


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, arrays: tuple[np.ndarray[Any, Any], ...]) -> None:
        super().__init__(file)
        self._arrays = arrays

    def persistent_load(self, number: int) -> np.ndarray[Any, Any]:
        return self._arrays[number]


def _read(name: str, text: np.ndarray[Any, Any], *arrays: np.ndarray[Any, Any]) -> ComparisonData:
    data = _received.get(name)
    if data is None:
        data = _Reader(io.BytesIO(text.tobytes()), arrays).load()
        _received.clear()
        _received[name] = data
    return data
