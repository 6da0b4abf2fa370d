"""The cases of a user's dataset, as they were kept beside its card."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl

from benchbook.datasets.types import Card, SourceFile
from benchbook.errors import Fault, FaultyInput, MissingData


def source_file(path: Path, address: str) -> SourceFile:
    """The line of a card about a file of cases beside it."""
    return SourceFile(path.name, address, sha256(path), path.stat().st_size)


def sha256(path: Path) -> str:
    """The checksum of a file, read in parts."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cases(card: Card, folder: Path) -> pl.DataFrame:
    """The cases of a user's dataset.

    Raises:
        MissingData: the file is gone.
        FaultyInput: it is not the one that was written, or its columns are not what the card says.
    """
    again = (
        f"Add the table again: benchbook datasets add TABLE --name {card.name} --replace; or take the dataset "
        f"away "
        f"with `benchbook datasets remove {card.name}`."
    )
    (file,) = card.files
    path = folder / file.path
    if not path.is_file():
        raise MissingData(
            f"the cases of your dataset {card.name} are gone: there is no {path}. {again}"
        )
    if (digest := sha256(path)) != file.sha256:
        raise FaultyInput(
            f"the cases of your dataset {card.name}",
            [Fault(str(path), f"sha256 {digest}", f"the card says {file.sha256}")],
            again,
        )
    frame = pl.read_parquet(path)
    faults = _faults(card, frame)
    if faults:
        raise FaultyInput(
            f"the cases of your dataset {card.name} in {path}",
            faults,
            f"What an attribute is says the option --nature. {again}",
        )
    return frame


def _faults(card: Card, frame: pl.DataFrame) -> list[Fault]:
    names = [attribute.name for attribute in card.attributes]
    if frame.columns != names or frame.height != card.shape.cases:
        return [
            Fault(
                "columns and cases",
                f"{frame.height} cases of {', '.join(frame.columns)}",
                f"the card says {card.shape.cases} of {', '.join(names)}",
            )
        ]
    return [
        Fault(
            f"attribute {attribute.name!r}",
            f"a column of {frame[attribute.name].dtype}",
            f"the card says {attribute.nature}",
        )
        for attribute in card.attributes
        if frame[attribute.name].dtype != (pl.Float64 if attribute.numeric else pl.String)
    ]
