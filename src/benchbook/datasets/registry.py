"""The registry: a card for every dataset, read from ``data/registry.toml``."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchbook.datasets import proben1_cards, standins
from benchbook.datasets.entries import CARD, CARD_TOO, names_of
from benchbook.datasets.ranges import Range, parse_range
from benchbook.datasets.roots import registry_path
from benchbook.datasets.types import Attribute, Card, Shape, SourceFile
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.rules import faults_of
from benchbook.toml_files import read_toml

_logger = logging.getLogger(__name__)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_DEEPEST = 50
"""Groups that are like groups, one after the other."""


def available() -> tuple[str, ...]:
    """The names of all datasets that have a card without a fault, sorted.

    Example:
        >>> from benchbook import datasets
        >>> "kin-8nm-sim" in datasets.available()
        True
    """
    return tuple(sorted(cards()[0]))


def published() -> tuple[str, ...]:
    """The names of the datasets that come with the book, and are not the user's own, sorted."""
    return tuple(sorted(name for name, card in cards()[0].items() if card.folder is None))


def partitioned() -> tuple[str, ...]:
    """The names of the datasets whose cards divide the cases into parts, sorted."""
    return tuple(sorted(name for name, card in cards()[0].items() if card.partition))


def card(name: str) -> Card:
    """The card of a dataset.

    Example:
        >>> from benchbook import datasets
        >>> card = datasets.card("kin-8nm-sim")
        >>> card.origin, card.shape.cases
        ('simulated', 8192)

    Raises:
        UnknownName: no dataset of that name has a card; the message gives the nearest names.
        FaultyInput: its card is faulty.
    """
    known, faulty = cards()
    if name in faulty:
        raise faulty[name]
    if name not in known:
        raise UnknownName("dataset", name, available())
    return known[name]


@lru_cache(maxsize=1)
def cards() -> tuple[dict[str, Card], dict[str, FaultyInput]]:
    """All cards by name, and what is wrong with those that are left out, which is said once.

    For who looks at every one: a page that asks for one card with ``card`` is not made from the others.
    """
    known, errors = of_registry()
    theirs, refused = _user_cards({*known, *errors})
    return known | theirs, errors | refused


@lru_cache(maxsize=1)
def of_registry() -> tuple[dict[str, Card], dict[str, FaultyInput]]:
    """The cards that come with the book by name, and what is wrong with those that are left out."""
    path = registry_path()
    known, faulty = read_cards(path)
    errors = {
        name: FaultyInput(
            f"the card of dataset {name} in {path}" if name else f"the registry {path}", faults
        )
        for name, faults in faulty.items()
    }
    for name, error in errors.items():
        left_out = (
            "\nThe dataset and its tasks are left out until its card is mended." if name else ""
        )
        _logger.warning("warning: %s%s", error, left_out)
    return known, errors


def _user_cards(taken: Collection[str]) -> tuple[dict[str, Card], dict[str, FaultyInput]]:
    """The cards of the user's own data, and the errors of those that are left out, each of which is said once."""
    folders = places.folders()
    by_name = {name: _user_card(name, folder, taken) for name, folder in folders.items()}
    known = {name: item for name, item in by_name.items() if isinstance(item, Card)}
    errors = {name: item for name, item in by_name.items() if isinstance(item, FaultyInput)}
    for name, error in errors.items():
        _logger.warning(
            "warning: %s\nYour dataset and its tasks are left out. Mend the file, or take the dataset away "
            "with `benchbook datasets remove %s`.",
            error,
            name,
        )
    return known, {name: error for name, error in errors.items() if name not in taken}


def _user_card(name: str, folder: Path, taken: Collection[str]) -> Card | FaultyInput:
    """The card that a folder of the user's holds, or what is wrong with it; it speaks of one dataset only."""
    path = folder / places.CARD
    what = f"the card of your dataset {name} in {path}"
    if name in taken:
        return FaultyInput(
            what, [Fault("name", repr(name), "a dataset that comes with the book has that name")]
        )
    try:
        made, faulty = read_cards(path)
    except BenchbookError as error:
        return FaultyInput(what, [Fault("file", str(error), "a card in TOML")])
    faults = [fault for item in faulty.values() for fault in item]
    faults += [
        Fault("file", f"[datasets.{other}]", f"the card of {name} and no other")
        for other in made
        if other != name
    ]
    if not faults and name not in made:
        faults.append(Fault("file", "no card", f"a table [datasets.{name}]"))
    return FaultyInput(what, faults) if faults else replace(made[name], folder=folder)


def read_cards(path: Path) -> tuple[dict[str, Card], dict[str, list[Fault]]]:
    """The cards of a registry file by name, and the faults of those that are faulty; "" stands for the file.

    Raises:
        BenchbookError: the file is not there or is not TOML.
    """
    content, faulty = read_toml(path, "registry"), dict[str, list[Fault]]()
    sections = {
        key: _table(content, key, faulty) for key in ("datasets", "groups", "proben1", "standins")
    }
    if strange := [
        Fault("the file", f"[{key}]", f"only {', '.join(sections)}")
        for key in content
        if key not in sections
    ]:
        faulty.setdefault("", []).extend(strange)
    entries = _inherited(sections["datasets"], sections["groups"], faulty)
    entries.update(proben1_cards.expand(sections["proben1"], faulty))
    entries.update(standins.expand(sections["standins"], faulty))
    cards = {}
    for name, entry in entries.items():
        faults: list[Fault] = []
        made = _card(name, entry, faults)
        if made is None:
            faulty[name] = faults
        else:
            cards[name] = made
    return cards, faulty


def _table(content: Mapping[str, Any], key: str, faulty: dict[str, list[Fault]]) -> dict[str, Any]:
    """A section of the registry; empty, and a fault of the file, when it is no table."""
    value = content.get(key, {})
    inner = value.get("problems", {}) if isinstance(value, dict) else {}
    if isinstance(value, dict) and isinstance(inner, dict):
        return value
    faulty.setdefault("", []).append(
        Fault(f"[{key}]", repr(value), "a table, and so is the table of problems in it")
    )
    return {}


def _inherited(
    entries: Mapping[str, Any], groups: Mapping[str, Any], faulty: dict[str, list[Fault]]
) -> dict[str, dict[str, Any]]:
    """The entries with what they take from those they are like."""
    known, finished = {**entries, **groups}, dict[str, dict[str, Any]]()
    made = {}
    for name, entry in entries.items():
        try:
            made[name] = _inherit(entry, known, finished, name)
        except FaultyInput as error:
            faulty[name] = list(error.faults)
    return made


def _inherit(
    entry: Any,
    known: Mapping[str, Any],
    done: dict[str, dict[str, Any]],
    name: str,
    above: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The entry with the keys of the groups or datasets it is ``like``; its own keys win, notes are joined.

    Args:
        entry: as it stands in the file.
        known: all entries by name. done: those that are finished; more are added.
        name: of the dataset. above: what it is like, and what that is like, as far as this entry.
    """
    where = ", like ".join([f"dataset {name}", *above])
    likes = {key: CARD_TOO[key] for key in ("like", "notes")}
    given = (
        {key: entry[key] for key in likes if key in entry} if isinstance(entry, Mapping) else entry
    )
    if faults := faults_of(given, where, {}, likes):
        raise FaultyInput(where, faults)
    like = entry.get("like", [])
    result: dict[str, Any] = {}
    notes: list[str] = []
    for other in [like] if isinstance(like, str) else like:
        if other not in known or other in above or len(above) > _DEEPEST:
            raise FaultyInput(
                where,
                [
                    Fault(
                        where,
                        f"like {other!r}",
                        f"there is no [groups.{other}] or "
                        f"[datasets.{other}] to be like, other than itself and {_DEEPEST} others",
                    )
                ],
            )
        if other not in done:
            done[other] = _inherit(known[other], known, done, name, (*above, other))
        result.update(done[other])
        notes += done[other]["notes"]
    result.update(entry)
    return result | {"notes": list(dict.fromkeys([*notes, *entry.get("notes", [])]))}


def _card(name: str, entry: Mapping[str, Any], faults: list[Fault]) -> Card | None:
    where = f"dataset {name}"
    faults += faults_of(entry, where, CARD, CARD_TOO)
    if not _NAME.fullmatch(name):
        faults.append(
            Fault(
                where,
                f"the name {name!r}",
                "letters, digits and . - + _, the first a letter or digit",
            )
        )
    if faults:
        return None
    attributes, shape = _attributes(where, entry["attributes"], faults), Shape(*entry["shape"])
    if faults:
        return None
    faults += _disagreements(where, entry, [attribute.name for attribute in attributes], shape)
    if faults:
        return None
    return Card(
        name=name,
        title=entry["title"],
        origin=entry["origin"],
        usage=entry["usage"],
        usage_from=entry.get("usage_from", "benchbook"),
        family=entry["family"],
        description=entry["description"].strip(),
        source=entry.get("source", ""),
        citation=entry["citation"],
        licence=entry["licence"],
        files=tuple(_source_file(*line) for line in entry.get("files", [])),
        shape=shape,
        attributes=attributes,
        targets=tuple(entry["targets"]),
        reader=entry["reader"],
        layout=entry.get("layout", {}),
        notes=tuple(entry.get("notes", [])),
        row_order=entry.get("row_order", ""),
        acknowledgement=entry.get("acknowledgement", ""),
        missing=entry.get("missing", {}),
        partition=tuple(entry.get("partition", [])),
    )


def _disagreements(
    where: str, entry: Mapping[str, Any], names: list[str], shape: Shape
) -> list[Fault]:
    """What two keys say differently, each of which would do by itself."""
    faults = [
        Fault(where, f"attribute {name!r} {count} times", "names are different")
        for name, count in Counter(names).items()
        if count > 1
    ]
    faults += [
        Fault(where, f"target {target!r}", "targets are attributes")
        for target in entry["targets"]
        if target not in names
    ]
    faults += [
        Fault(f"{where}, missing", repr(name), "an attribute")
        for name in entry.get("missing", {})
        if name not in names
    ]
    if shape.attributes != len(names):
        faults.append(
            Fault(where, f"{len(names)} attributes", f"its shape says {shape.attributes}")
        )
    if "partition" in entry and sum(entry["partition"]) != shape.cases:
        faults.append(
            Fault(
                where,
                f"a partition of {sum(entry['partition'])} cases",
                f"its shape says {shape.cases}",
            )
        )
    return faults


def _source_file(path: str, digest: str, size: int, address: str) -> SourceFile:
    """A file from its line ``[path, sha256, bytes, address]``."""
    return SourceFile(path, address, digest, size)


def _attributes(where: str, lines: list[list[Any]], faults: list[Fault]) -> tuple[Attribute, ...]:
    """Attributes from lines ``[name, nature, range, comment, unit]``; ``name*8`` stands for ``name1`` to ``name8``."""
    attributes: list[Attribute] = []
    for line in lines:
        _, nature, text, *rest = line
        comment, unit = (*rest, "", "")[:2]
        try:
            allowed = _range(text)
            for number, name in enumerate(names_of([line]), start=1):
                attributes.append(
                    Attribute(
                        len(attributes) + 1,
                        name,
                        nature,
                        allowed,
                        comment.replace("#", str(number)),
                        unit,
                    )
                )
        except ValueError as error:
            faults.append(Fault(f"{where}, attribute {line[0]}", repr(text), str(error)))
        except FaultyInput as error:
            faults += [
                Fault(f"{where}, attribute {fault.where}", fault.found, fault.rule)
                for fault in error.faults
            ]
    return tuple(attributes)


def _range(text: str | list[str]) -> Range:
    return tuple(text) if isinstance(text, list) else parse_range(text)
