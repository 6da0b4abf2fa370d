"""DELVE's folders: a dataset and its prototasks as DELVE keeps them on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchbook.datasets.readers.spec import (
    DatasetSpec,
    PrototaskSpec,
    read_dataset_spec,
    read_prototask_spec,
)
from benchbook.datasets.readers.table import columns, commonality, read_cases
from benchbook.datasets.readers.text import content, packed_variant
from benchbook.datasets.types import Card, Dataset, Shape

if TYPE_CHECKING:
    import polars as pl


def read_delve(folder: str | Path, name: str = "") -> Dataset:
    """A dataset from a folder with ``Dataset.spec`` and ``Dataset.data``, plain or packed with gzip or zip.

    Where cases have a commonality index (``@``), an attribute more says which belong together; the card's layout names
    it under ``group``.

    Args:
        folder: the folder, in DELVE's layout ``data/<dataset>``.
        name: what to call the dataset; the folder's name when left out.

    Raises:
        FaultyInput: the specification has faults, or the cases are not what it says; all faults of the file together.
        BenchbookError: one of the files is not there.
    """
    folder = Path(folder)
    spec = _dataset_spec(folder)
    path = packed_variant(folder / "Dataset.data")
    words = read_cases(content(path), str(path))
    frame, attributes, layout = columns(words, spec.attributes), spec.attributes, {}
    if together := commonality(words, frame.columns):
        attribute, values = together
        frame = frame.with_columns(values)
        attributes, layout = (*attributes, attribute), {"group": attribute.name}
    counts = {column.name: column.null_count() for column in frame if column.null_count()}
    name = name or folder.resolve().name
    card = Card(
        name=name,
        title=spec.title or name,
        origin=spec.origin,
        usage=spec.usage,
        usage_from="Dataset.spec",
        family=name,
        description=f"Read from {folder}.",
        source=str(folder),
        citation="Not stated by the folder.",
        licence="Not stated by the folder.",
        files=(),
        shape=Shape(frame.height, frame.width),
        attributes=attributes,
        targets=(),
        reader="delve",
        layout=layout,
        row_order=f"Dataset.spec says: {spec.order}.",
        missing=counts,
    )
    return Dataset(name, card, frame)


def read_prototask(folder: str | Path) -> tuple[PrototaskSpec, pl.DataFrame]:
    """A prototask from a folder below its dataset's: what ``Prototask.spec`` says, and the cases of ``Prototask.data``.

    The columns are the inputs and then the targets, in the order of the specification, and then ``commonality`` where
    cases have such an index. Targets must be known; inputs must be too when the specification says ``no missing``.

    Raises:
        FaultyInput: a specification has faults, or the cases are not what it says.
        BenchbookError: one of the files is not there.
    """
    folder = Path(folder)
    attributes = _dataset_spec(folder.resolve().parent).attributes
    path = packed_variant(folder / "Prototask.spec")
    spec = read_prototask_spec(content(path), str(path), attributes)
    chosen = [attributes[number - 1] for number in (*spec.inputs, *spec.targets)]
    known = spec.targets if spec.cases != "no missing" else (*spec.inputs, *spec.targets)
    path = packed_variant(folder / "Prototask.data")
    words = read_cases(content(path), str(path))
    frame = columns(words, chosen, [attributes[number - 1].name for number in known])
    together = commonality(words, frame.columns)
    return spec, frame.with_columns(together[1]) if together else frame


def _dataset_spec(folder: Path) -> DatasetSpec:
    path = packed_variant(folder / "Dataset.spec")
    return read_dataset_spec(content(path), str(path))
