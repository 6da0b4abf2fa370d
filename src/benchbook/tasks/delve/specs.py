"""DELVE's descriptions of a dataset and a prototask, with their cases: ``.spec``, ``.data``, ``.prior``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl

from benchbook import datasets
from benchbook.datasets import Dataset
from benchbook.datasets.readers.spec import (
    DatasetSpec,
    PrototaskSpec,
    format_dataset_spec,
    format_prototask_spec,
)
from benchbook.files import atomic
from benchbook.tasks.cases import Cases
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.delve.text import write_text
from benchbook.tasks.encoding import coding_line, word


def write_dataset(folder: Path, data: Dataset) -> None:
    """Write ``Dataset.spec`` and ``Dataset.data``: one case a line, blank-separated, ``?`` for a missing value."""
    card = data.card
    spec = DatasetSpec(card.title, card.origin, card.usage, "uninformative", card.attributes)
    write_text(folder / "Dataset.spec", format_dataset_spec(spec))
    _write_cases(folder / "Dataset.data", data.cases)


def write_prototask(folder: Path, data: Dataset, cases: Cases) -> None:
    """Write ``Prototask.spec``, ``Prototask.data`` (inputs, then the target, in the prototask's order), ``std.prior``,
    and ``Random-order`` (positions in Dataset.data from 0, one a line) unless the order is retained.

    DELVE knows one greatest number of instances for all sizes; where there are several the largest is written.
    """
    prototask, card = cases.prototask, data.card
    limits = prototask.maximum_instances
    spec = PrototaskSpec(
        cases=prototask.cases,
        origin=card.origin,
        order="retain" if prototask.order == "retain" else "Random-order",
        inputs=tuple(card[name].index for name in prototask.inputs),
        targets=(card[prototask.target].index,),
        maximum_instances=max(limits.values()) if isinstance(limits, Mapping) else limits,
        test_set_size=prototask.test_set_size,
        training_set_sizes=prototask.training_set_sizes,
        test_set_selection=prototask.test_set_selection,
    )
    write_text(folder / "Prototask.spec", format_prototask_spec(spec))
    names = [*prototask.inputs, prototask.target]
    _write_cases(folder / "Prototask.data", data.cases[cases.order].select(names))
    write_text(folder / "std.prior", "".join(_prior(cases, name) for name in names))
    if spec.order != "retain":
        write_text(folder / "Random-order", "".join(f"{position}\n" for position in cases.order))


def _prior(cases: Cases, name: str) -> str:
    """One line of the prior file: attribute, level (always 0 here), encoding, options."""
    coding = cases.codings[name]
    return f"{word(name)} 0{coding_line(coding).removeprefix(word(name))}\n"


def _write_cases(path: Path, frame: pl.DataFrame) -> None:
    """Whole numbers are written as such; other numbers with the fewest digits that read back exactly."""
    whole = [
        name
        for name in frame.columns
        if frame[name].dtype == pl.Float64 and _are_integers(frame[name])
    ]
    with atomic(path) as scratch:
        frame.with_columns(pl.col(whole).cast(pl.Int64)).write_csv(
            scratch, separator=" ", include_header=False, null_value="?", quote_style="never"
        )


def _are_integers(values: pl.Series) -> bool:
    known = values.drop_nulls().to_numpy()
    return bool(np.all((known == np.floor(known)) & (np.abs(known) < 2**53)))


def write_descriptions(folder: Path, prototask: Prototask, cases: Cases) -> None:
    """Write the files of a prototask and its dataset below ``folder``, which stands for DELVE's ``data``."""
    data = datasets.load(prototask.dataset)
    write_dataset(folder / prototask.dataset, data)
    write_prototask(folder / prototask.path, data, cases)
