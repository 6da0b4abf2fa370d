"""DELVE's prior files: of each attribute how relevant it is thought to be, and how it is encoded."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from benchbook import datasets
from benchbook.datasets.readers.text import content, lines, packed_variant
from benchbook.datasets.types import Attribute
from benchbook.errors import Fault, FaultyInput
from benchbook.tasks.encodings import Coding, coding

_WORD = re.compile(r"(?:[^\s{}]*\{[^{}]*\}|[^\s{}]+)")


@dataclass(frozen=True)
class Prior:
    """A line of a prior file.

    Attributes:
        attribute: its name.
        level: the relevance level, a whole number from 0; 0 says nothing. What others mean is the method's to say.
        coding: the encoding, the default one of the attribute's nature where the line names none.
    """

    attribute: str
    level: int
    coding: Coding


def read_priors(folder: str | Path) -> dict[str, tuple[Prior, ...]]:
    """The prior files ``<name>.prior`` of a prototask's folder in DELVE's layout, by name, each in its order.

    Raises:
        FaultyInput: attributes that the prototask does not have or that come twice, levels that are no whole numbers,
            encodings that do not exist or do not suit; of all files together. Or a specification has faults.
        BenchbookError: the folder has no Prototask.spec, or there is no Dataset.spec above it.
    """
    folder = Path(folder)
    above = packed_variant(folder.resolve().parent / "Dataset.spec")
    attributes = datasets.read_dataset_spec(content(above), str(above)).attributes
    own = packed_variant(folder / "Prototask.spec")
    spec = datasets.read_prototask_spec(content(own), str(own), attributes)
    chosen = [attributes[number - 1] for number in (*spec.inputs, *spec.targets)]
    faults: list[Fault] = []
    found = {
        path.stem: _read(path, chosen, faults)
        for path in sorted(folder.glob("*.prior"))
        if path.is_file()
    }
    if faults:
        raise FaultyInput(f"the priors of {folder} cannot be read", faults)
    return found


def _read(path: Path, attributes: list[Attribute], faults: list[Fault]) -> tuple[Prior, ...]:
    known = {attribute.name: attribute for attribute in attributes}
    known |= {str(attribute.index): attribute for attribute in attributes}
    priors: list[Prior] = []
    for number, line in lines(content(path), str(path)):
        where = f"{path}, line {number}"
        words = [_plain(word) for word in _WORD.findall(line.partition("#")[0])]
        if not words:
            continue
        attribute = known.get(words[0])
        if attribute is None:
            names = ", ".join(one.name for one in attributes)
            faults.append(Fault(where, repr(words[0]), f"an attribute of the prototask: {names}"))
            continue
        if attribute.name in (one.attribute for one in priors):
            faults.append(Fault(where, f"{attribute.name} again", "each attribute comes once"))
        if len(words) < 2 or not words[1].isdecimal():
            found = repr(words[1]) if len(words) > 1 else "no relevance level"
            faults.append(Fault(where, found, "a line is: attribute level encoding key=value ..."))
            continue
        read, wrong = coding(attribute, " ".join(f"'{word}'" for word in words[2:]))
        faults += [Fault(f"{where}, {fault.where}", fault.found, fault.rule) for fault in wrong]
        priors.append(Prior(attribute.name, int(words[1]), read))
    return tuple(priors)


def _plain(word: str) -> str:
    """A word without the braces that Tcl puts around what has blanks."""
    return word.replace("{", "").replace("}", "")
