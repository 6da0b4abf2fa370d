"""What ``compare`` and ``compare_results`` take, as types for editors and type checkers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import polars as pl
from numpy.typing import ArrayLike

from benchbook.methods import Method


class Estimator(Protocol):
    """An estimator, a pipeline or a search of scikit-learn, or what has their two methods."""

    def fit(self, X: object, y: object, /) -> Any:
        """Learn from inputs [n, d] and targets [n]."""

    def predict(self, X: object, /) -> Any:
        """Predictions [n] for inputs [n, d]."""


class Splitter(Protocol):
    """A splitter of scikit-learn."""

    def split(
        self, X: object, y: object = None, groups: object = None
    ) -> Iterable[tuple[Any, Any]]:
        """Pairs of training and test rows."""


class SparseMatrix(Protocol):
    """A matrix of ``scipy.sparse``."""

    def tocsr(self) -> Any:
        """The same by rows."""


Model = Estimator | Method | str | Callable[..., Any]
Models = Mapping[str, Model] | Sequence[Model]
Table = ArrayLike | pl.DataFrame | SparseMatrix
Column = str | ArrayLike
Columns = str | Sequence[str] | ArrayLike
Design = str | int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
Loss = str | Callable[..., Any]
Losses = Loss | Sequence[Loss] | Mapping[str, Any]
Rope = float | str | Mapping[str, float | str]
Results = ArrayLike | pl.DataFrame | str | Path | Sequence[str | Path] | Mapping[str, Any]
