"""A proposal written into a folder, whole or not at all; datasets taken away; and what is wrong with those that are
there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from benchbook.datasets import registry as cards
from benchbook.datasets.loading import load
from benchbook.datasets.types import Attribute
from benchbook.datasets.user import places, stored
from benchbook.errors import BenchbookError, UnknownName
from benchbook.files import atomic_folder, put_back
from benchbook.tasks import folds_task, partition_task, partitions, registry, scorer, task
from benchbook.tasks.cases import cases_of
from benchbook.tasks.user.proposal import Proposal
from benchbook.toml_files import sealed


def keep(proposal: Proposal, shelf: Path, *, replace: bool = False) -> Path:
    """Write a dataset's card, prototasks and cases into a folder of its name.

    Args:
        proposal: what is written. shelf: the folder that holds it, such as ``places.kept()``.
        replace: write over a dataset of that name.

    Returns:
        The folder.

    Raises:
        BenchbookError: the name is taken, or nothing can be written there.
    """
    folder = shelf / proposal.name
    put_back(folder)
    if proposal.name in cards.published():
        raise BenchbookError(
            f"{proposal.name} is a dataset that comes with the book; give yours another --name"
        )
    if folder.exists() and not replace:
        raise BenchbookError(
            f"there is a dataset {proposal.name} in {folder}; give another --name, or --replace"
        )
    with atomic_folder(folder) as scratch:
        proposal.frame.write_parquet(scratch / places.CASES)
        (scratch / places.CARD).write_bytes(sealed(_card(proposal, scratch / places.CASES)))
        (scratch / places.PROTOTASKS).write_bytes(sealed(_prototasks(proposal)))
    forget()
    return folder


def remove(name: str) -> Path:
    """Take a dataset of the user's away, with its card and cases; its runs stay in the store.

    Raises:
        UnknownName: there is none of that name.
        BenchbookError: it cannot be taken away.
    """
    folders = places.folders()
    if name not in folders:
        if name in cards.published():
            raise BenchbookError(f"{name} comes with the book and cannot be taken away")
        raise UnknownName("dataset", name, folders)
    try:
        shutil.rmtree(folders[name])
    except OSError as error:
        raise BenchbookError(
            f"cannot take {folders[name]} away: {error.strerror or error}"
        ) from error
    forget()
    return folders[name]


def check(names: Iterable[str] = ()) -> dict[str, str]:
    """What is wrong with datasets of the user's, by name; an empty text when nothing is.

    The card is read, the cases are held against their checksum and the card, and every prototask is prepared.

    Raises:
        UnknownName: there is none of such a name.
    """
    folders = places.folders()
    problems = {}
    for name in names or folders:
        if name not in folders:
            raise UnknownName("dataset", name, folders)
        try:
            load(name)
            declared = registry.declared()
            for path, fault in declared.faulty.items():
                if re.split("[/:]", path)[0] == name:  # of the whole file where it cannot be read
                    raise fault
            for path in declared.tables:
                if path.rpartition("/")[0] == name:
                    cases_of(registry.prototask(path))
            problems[name] = ""
        except BenchbookError as error:
            problems[name] = str(error)
    return problems


def forget() -> None:
    """Look at the cards and prototasks anew from now on."""
    cards.cards.cache_clear()
    registry.forget()
    for retained in (
        cases_of,
        task._split,
        folds_task._folds,
        partitions.loaded,
        partitions.cut,
        partition_task._seen,
        scorer.standard,
    ):
        retained.cache_clear()


def _card(proposal: Proposal, cases: Path) -> str:
    """The card as TOML, in the form of the registry."""
    missing = {
        attribute.name: count
        for attribute in proposal.attributes
        if (count := proposal.frame[attribute.name].null_count())
    }
    file = stored.source_file(cases, proposal.source)
    fields: dict[str, Any] = {
        "title": proposal.title,
        "origin": "natural",
        "usage": "development",
        "usage_from": "the user",
        "family": proposal.name,
        "description": f"Data of your own, added on {date.today():%Y-%m-%d}.",
        "source": proposal.source,
        "citation": "Not stated.",
        "licence": "Not stated.",
        "reader": "stored",
        "shape": [proposal.frame.height, len(proposal.attributes)],
        "targets": list(proposal.target),
        "files": [[file.path, file.sha256, file.bytes, file.address]],
        **({"partition": list(proposal.partition)} if proposal.partition else {}),
        "notes": [
            *proposal.notes,
            *(f"{name} was left out: {why}" for name, why in proposal.left_out.items()),
            *proposal.hints,
        ],
    }
    lines = [
        f"# Data of your own; `benchbook datasets check {proposal.name}` holds it against this card.",
        f"[datasets.{_text(proposal.name)}]",
        *(f"{key} = {_text(value)}" for key, value in fields.items()),
        "attributes = [",
        *(f"  {_text(_line(attribute))}," for attribute in proposal.attributes),
        "]",
    ]
    if missing:
        lines.append(
            f"missing = {{ {', '.join(f'{_text(name)} = {count}' for name, count in missing.items())} }}"
        )
    return "\n".join(lines) + "\n"


def _line(one: Attribute) -> list[Any]:
    allowed = list(one.range) if isinstance(one.range, tuple) else str(one.range)
    return [one.name, one.nature, allowed, one.comment, one.unit]


def _prototasks(proposal: Proposal) -> str:
    return "\n".join(as_toml(proposal.name, table) for table in proposal.prototasks)


def as_toml(dataset: str, table: Mapping[str, Any]) -> str:
    """The declaration of a prototask of a dataset, as it stands in a file."""
    return "\n".join(
        [
            "[[prototask]]",
            f"dataset = {_text(dataset)}",
            *(f"{key} = {_text(value)}" for key, value in table.items()),
            "",
        ]
    )


def _text(value: object) -> str:
    """Texts, numbers and lists of these as TOML, whose texts are JSON's but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
