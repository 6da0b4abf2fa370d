"""DELVE's ``Dataset.spec`` and ``Prototask.spec``: read with every fault named, and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchbook.datasets.ranges import format_range, parse_range
from benchbook.datasets.readers.text import lines
from benchbook.datasets.types import ORIGINS, USAGES, Attribute
from benchbook.errors import Fault, FaultyInput

DATASET_KEYS = ("origin", "usage", "order", "attributes")
PROTOTASK_KEYS = (
    "cases",
    "origin",
    "inputs",
    "order",
    "targets",
    "maximum-number-of-instances",
    "test-set-size",
    "training-set-sizes",
    "test-set-selection",
)
SELECTIONS = ("hierarchical", "common")


@dataclass(frozen=True)
class DatasetSpec:
    """What a ``Dataset.spec`` says. ``order`` is DELVE's word on the order of the cases."""

    title: str
    origin: str
    usage: str
    order: str
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class PrototaskSpec:
    """What a ``Prototask.spec`` says. ``inputs`` and ``targets`` are attribute numbers from 1.

    ``cases`` is ``all``, ``no missing`` or the name of a file; ``order`` is ``retain`` or the name of a file.
    """

    cases: str
    origin: str
    order: str
    inputs: tuple[int, ...]
    targets: tuple[int, ...]
    maximum_instances: int
    test_set_size: int
    training_set_sizes: tuple[int, ...]
    test_set_selection: str


def read_dataset_spec(data: bytes, where: str) -> DatasetSpec:
    """Read a ``Dataset.spec``.

    Raises:
        FaultyInput: unknown, missing or repeated keys, attribute numbers that are missing or repeated, natures and
            ranges that do not exist or do not suit each other; all of them together.
    """
    faults: list[Fault] = []
    attributes: list[Attribute] = []
    values: dict[str, str] = {}
    listing = False
    seen: dict[int, int] = {}
    for number, line in lines(data, where):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        location = f"{where}, line {number}"
        if listing and not _is_key(text):
            attribute = _attribute(text, location, seen, faults)
            attributes += [attribute] if attribute else []
            continue
        key = _key(text, location, (*DATASET_KEYS, "title"), values, faults)
        listing = key == "attributes"
    _absent(where, DATASET_KEYS, values, faults)
    _choice(where, "origin", values, ORIGINS, faults)
    _choice(where, "usage", values, USAGES, faults)
    if "attributes" in values:
        faults += _listing_faults(where, seen, attributes)
    if faults:
        raise FaultyInput(f"{where} is not a proper Dataset.spec", faults)
    attributes.sort(key=lambda attribute: attribute.index)
    return DatasetSpec(
        values.get("title", ""),
        values["origin"].lower(),
        values["usage"].lower(),
        values["order"],
        tuple(attributes),
    )


def read_prototask_spec(data: bytes, where: str, attributes: Sequence[Attribute]) -> PrototaskSpec:
    """Read a ``Prototask.spec`` of a dataset with the given attributes.

    Inputs and targets are attribute numbers; names are understood too.

    Raises:
        FaultyInput: unknown, missing or repeated keys, attributes that do not exist, are named twice or are both input
            and target, sizes that are no whole numbers above zero; all of them together.
    """
    faults: list[Fault] = []
    values: dict[str, str] = {}
    for number, line in lines(data, where):
        text = line.partition("#")[0].strip()
        if text:
            _key(text, f"{where}, line {number}", PROTOTASK_KEYS, values, faults)
    _absent(where, PROTOTASK_KEYS, values, faults)
    _choice(where, "origin", values, ORIGINS, faults)
    _choice(where, "test-set-selection", values, SELECTIONS, faults)
    inputs = _numbers(where, "inputs", values, attributes, faults)
    targets = _numbers(where, "targets", values, attributes, faults)
    faults += [
        Fault(
            f"{where}, targets",
            f"attribute {number}, which is an input too",
            "a target is no input",
        )
        for number in targets
        if number in inputs
    ]
    instances = _sizes(where, "maximum-number-of-instances", values, faults, single=True)
    test = _sizes(where, "test-set-size", values, faults, single=True)
    training = _sizes(where, "training-set-sizes", values, faults, single=False)
    if faults:
        raise FaultyInput(f"{where} is not a proper Prototask.spec", faults)
    return PrototaskSpec(
        values["cases"],
        values["origin"].lower(),
        values["order"],
        inputs,
        targets,
        instances[0],
        test[0],
        training,
        values["test-set-selection"].lower(),
    )


def format_dataset_spec(spec: DatasetSpec) -> str:
    """The text of a ``Dataset.spec``; ``read_dataset_spec`` reads it back.

    Raises:
        FaultyInput: a name or value has a blank or a hash sign in it, which the format cannot hold.
    """
    faults = [
        Fault(f"attribute {attribute.index}", repr(word), "no blanks and no # in names and values")
        for attribute in spec.attributes
        for word in (
            attribute.name,
            *(attribute.range if isinstance(attribute.range, tuple) else ()),
        )
        if "#" in word or not word or word.split() != [word]
    ]
    if faults:
        raise FaultyInput("a Dataset.spec cannot hold this dataset", faults)
    head = [f"title: {spec.title}"] if spec.title else []
    head += [
        f"origin: {spec.origin}",
        f"usage: {spec.usage}",
        f"order: {spec.order}",
        "attributes:",
    ]
    return "\n".join([*head, *(_attribute_line(attribute) for attribute in spec.attributes)]) + "\n"


def format_prototask_spec(spec: PrototaskSpec) -> str:
    """The text of a ``Prototask.spec``; ``read_prototask_spec`` reads it back."""
    values: dict[str, object] = {
        "cases": spec.cases,
        "origin": spec.origin,
        "inputs": _joined(spec.inputs),
        "order": spec.order,
        "targets": _joined(spec.targets),
        "maximum-number-of-instances": spec.maximum_instances,
        "test-set-size": spec.test_set_size,
        "training-set-sizes": _joined(spec.training_set_sizes),
        "test-set-selection": spec.test_set_selection,
    }
    return "".join(f"{key}: {value}\n" for key, value in values.items())


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(str(number) for number in numbers)


def _attribute_line(attribute: Attribute) -> str:
    line = (
        f"  {attribute.index} {attribute.name} {attribute.nature} {format_range(attribute.range)}"
    )
    comment = " ".join(
        f"{attribute.comment} {f'({attribute.unit})' if attribute.unit else ''}".split()
    )
    return f"{line} # {comment}" if comment else line


def _is_key(text: str) -> bool:
    """Whether a line among the attributes starts another key, as DELVE decides it: letters and blanks, then a colon."""
    head, colon, _ = text.partition(":")
    return bool(colon) and all(letter.isalpha() or letter in " _" for letter in head)


def _key(
    text: str, place: str, known: Sequence[str], values: dict[str, str], faults: list[Fault]
) -> str:
    text = text.partition("#")[0].strip()
    key, colon, value = text.partition(":")
    key = key.strip().lower()
    if not colon:
        faults.append(Fault(place, repr(text), "a line is key: value"))
    elif key not in known:
        faults.append(Fault(place, f"unknown key {key!r}", f"the keys are {', '.join(known)}"))
    elif key in values:
        faults.append(Fault(place, f"key {key!r} again", "each key comes once"))
    else:
        values[key] = value.strip()
    return key


def _absent(where: str, keys: Iterable[str], values: dict[str, str], faults: list[Fault]) -> None:
    faults += [
        Fault(where, f"no key {key!r}", "it is required") for key in keys if key not in values
    ]
    faults += [
        Fault(where, f"nothing after {key!r}", "it needs a value")
        for key in keys
        if key != "attributes" and values.get(key) == ""
    ]


def _choice(
    where: str, key: str, values: dict[str, str], known: Sequence[str], faults: list[Fault]
) -> None:
    if values.get(key) and values[key].lower() not in known:
        faults.append(Fault(f"{where}, {key}", repr(values[key]), f"one of {', '.join(known)}"))


def _attribute(
    text: str, place: str, seen: dict[int, int], faults: list[Fault]
) -> Attribute | None:
    """One attribute line, or None when it has a fault; ``seen`` counts the attribute numbers."""
    body, _, comment = text.partition("#")
    words = body.split(None, 3)
    if words[0].isdigit():
        seen[int(words[0])] = seen.get(int(words[0]), 0) + 1
    if len(words) < 4 or not words[0].isdigit():
        faults.append(
            Fault(place, repr(text), "an attribute line is: number name nature range # comment")
        )
        return None
    index, name, nature, range_text = int(words[0]), words[1], words[2].lower(), words[3]
    try:
        return Attribute(index, name, nature, parse_range(range_text), comment.strip())
    except ValueError as error:
        faults.append(Fault(f"{place}, {name}", repr(range_text), str(error)))
    except FaultyInput as error:
        faults += [
            Fault(f"{place}, {fault.where}", fault.found, fault.rule) for fault in error.faults
        ]
    return None


def _listing_faults(where: str, seen: dict[int, int], attributes: list[Attribute]) -> list[Fault]:
    if not seen:
        return [Fault(f"{where}, attributes", "none", "a dataset has at least one attribute")]
    names = [attribute.name for attribute in attributes]
    return [
        *(
            Fault(f"{where}, attributes", f"number {index} {count} times", "each number comes once")
            for index, count in seen.items()
            if count > 1
        ),
        *(
            Fault(
                f"{where}, attributes",
                f"no attribute {index}",
                "the numbers run from 1 without a gap",
            )
            for index in range(1, max(seen) + 1)
            if index not in seen
        ),
        *(
            Fault(
                f"{where}, attributes",
                f"name {name!r} {names.count(name)} times",
                "each name comes once",
            )
            for name in dict.fromkeys(names)
            if names.count(name) > 1
        ),
    ]


def _numbers(
    where: str,
    key: str,
    values: dict[str, str],
    attributes: Sequence[Attribute],
    faults: list[Fault],
) -> tuple[int, ...]:
    """The attribute numbers of a key, from numbers or names."""
    names = {attribute.name: attribute.index for attribute in attributes}
    known = set(names.values())
    numbers = []
    for word in values.get(key, "").split():
        number = int(word) if word.isdigit() else names.get(word, 0)
        if number not in known:
            faults.append(
                Fault(
                    f"{where}, {key}",
                    repr(word),
                    f"the dataset has attributes 1 to {len(attributes)}",
                )
            )
        elif number in numbers:
            faults.append(Fault(f"{where}, {key}", f"attribute {word} again", "each comes once"))
        else:
            numbers.append(number)
    return tuple(numbers)


def _sizes(
    where: str, key: str, values: dict[str, str], faults: list[Fault], single: bool
) -> tuple[int, ...]:
    words = values.get(key, "").split()
    if not all(word.isdigit() and int(word) > 0 for word in words) or (single and len(words) > 1):
        wanted = "one whole number" if single else "whole numbers"
        faults.append(Fault(f"{where}, {key}", repr(values[key]), f"{wanted} above zero"))
        return ()
    if len(set(words)) < len(words):
        faults.append(Fault(f"{where}, {key}", repr(values[key]), "each size comes once"))
    return tuple(int(word) for word in words)
