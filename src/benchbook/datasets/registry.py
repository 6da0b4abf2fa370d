"""The registry: a card for every dataset, read from ``data/registry.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchbook.datasets import proben1_cards, standins
from benchbook.datasets.ranges import Range, parse_range
from benchbook.datasets.roots import registry_path
from benchbook.datasets.types import ORIGINS, USAGES, Attribute, Card, Shape, SourceFile
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.toml_files import read_toml

_REQUIRED = ("title", "origin", "usage", "family", "description", "citation", "licence", "shape", "attributes",
             "targets", "reader")
_OPTIONAL = ("like", "usage_from", "source", "files", "layout", "notes", "row_order", "missing", "partition")


def available() -> tuple[str, ...]:
    """The names of all datasets that have a card, sorted."""
    return tuple(sorted(_cards()))


def card(name: str) -> Card:
    """The card of a dataset.

    Raises:
        UnknownName: no dataset of that name has a card; the message gives the nearest names.
    """
    cards = _cards()
    if name not in cards:
        raise UnknownName("dataset", name, cards)
    return cards[name]


@lru_cache(maxsize=1)
def _cards() -> dict[str, Card]:
    return read_registry(registry_path())


def read_registry(path: Path) -> dict[str, Card]:
    """Read a registry file into cards by name.

    Raises:
        BenchbookError: the file is not TOML.
        FaultyInput: entries with missing or unknown keys or impossible values, all of them together.
    """
    content = read_toml(path, "registry")
    datasets = content.get("datasets", {})
    known = datasets | content.get("groups", {})
    entries = {name: _inherit(entry, known, f"{path}, [datasets.{name}]") for name, entry in datasets.items()}
    entries.update(proben1_cards.expand(content.get("proben1", {})))
    entries.update(standins.expand(content.get("standins", {})))
    faults: list[Fault] = []
    cards = {name: made for name, entry in entries.items() if (made := _card(name, entry, faults)) is not None}
    if faults:
        raise FaultyInput(f"the registry {path}", faults)
    return cards


def _inherit(entry: Mapping[str, Any], known: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The entry with the keys of the groups or datasets it is ``like``; its own keys win, notes are joined."""
    like = entry.get("like", [])
    result: dict[str, Any] = {}
    notes: list[str] = []
    for other in [like] if isinstance(like, str) else like:
        if other not in known:
            raise BenchbookError(f"{where}: there is no [groups.{other}] or [datasets.{other}] to be like")
        taken = _inherit(known[other], {name: value for name, value in known.items() if name != other}, where)
        result.update(taken)
        notes += taken["notes"]
    result.update(entry)
    result["notes"] = notes + list(entry.get("notes", []))
    return result


def _card(name: str, entry: Mapping[str, Any], faults: list[Fault]) -> Card | None:
    before = len(faults)
    where = f"dataset {name}"
    faults += [Fault(where, f"no key {key!r}", "every card has it") for key in _REQUIRED if key not in entry]
    faults += [Fault(where, f"key {key!r}", f"a card has only {', '.join(_REQUIRED + _OPTIONAL)}")
               for key in entry if key not in _REQUIRED + _OPTIONAL]
    if len(faults) > before:
        return None
    if entry["origin"] not in ORIGINS:
        faults.append(Fault(where, f"origin {entry['origin']!r}", f"one of {', '.join(ORIGINS)}"))
    if entry["usage"] not in USAGES:
        faults.append(Fault(where, f"usage {entry['usage']!r}", f"one of {', '.join(USAGES)}"))
    attributes = _attributes(where, entry["attributes"], faults)
    names = [attribute.name for attribute in attributes]
    faults += [Fault(where, f"target {target!r}", "targets are attributes") for target in entry["targets"]
               if target not in names]
    shape = Shape(*entry["shape"])
    if shape.attributes != len(attributes) and len(faults) == before:
        faults.append(Fault(where, f"{len(attributes)} attributes", f"its shape says {shape.attributes}"))
    if len(faults) > before:
        return None
    return Card(
        name=name, title=entry["title"], origin=entry["origin"], usage=entry["usage"],
        usage_from=entry.get("usage_from", "benchbook"), family=entry["family"],
        description=entry["description"].strip(), source=entry.get("source", ""), citation=entry["citation"],
        licence=entry["licence"], files=tuple(_source_file(*line) for line in entry.get("files", [])),
        shape=shape, attributes=attributes, targets=tuple(entry["targets"]), reader=entry["reader"],
        layout=entry.get("layout", {}), notes=tuple(entry.get("notes", [])), row_order=entry.get("row_order", ""),
        missing=entry.get("missing", {}), partition=tuple(entry.get("partition", [])),
    )


def _source_file(path: str, digest: str, size: int, address: str) -> SourceFile:
    """A file from its line ``[path, sha256, bytes, address]``."""
    return SourceFile(path, address, digest, size)


def _attributes(where: str, lines: list[list[Any]], faults: list[Fault]) -> tuple[Attribute, ...]:
    """Attributes from lines ``[name, nature, range, comment, unit]``; ``name*8`` stands for ``name1`` to ``name8``."""
    attributes: list[Attribute] = []
    for line in lines:
        name, nature, text, *rest = line
        comment, unit = (*rest, "", "")[:2]
        stem, _, count = name.partition("*")
        for number in range(1, int(count or 1) + 1):
            try:
                attributes.append(Attribute(len(attributes) + 1, f"{stem}{number}" if count else stem, nature,
                                            _range(text), comment.replace("#", str(number)), unit))
            except ValueError as error:
                faults.append(Fault(f"{where}, attribute {name}", repr(text), str(error)))
            except FaultyInput as error:
                faults += [Fault(f"{where}, attribute {fault.where}", fault.found, fault.rule)
                           for fault in error.faults]
    return tuple(attributes)


def _range(text: str | list[str]) -> Range:
    return tuple(text) if isinstance(text, list) else parse_range(text)
