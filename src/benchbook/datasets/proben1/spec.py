"""How one's own table is to be represented: a TOML file, read with every fault named, or guessed as a start."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.datasets.proben1.encoders import (
    Codes,
    Encoder,
    Filled,
    Flagged,
    Linear,
    Logarithm,
    Value,
    as_number,
    one_of,
    scale,
    word,
)
from benchbook.datasets.proben1.representation import Columns, EncodedAttribute, Representation
from benchbook.datasets.readers.text import MISSING
from benchbook.errors import Fault, FaultyInput
from benchbook.toml_files import parse_toml

KINDS = ("real", "logarithm", "binary", "nominal", "ordinal", "thermometer", "bits", "ignore")
FITTED_RANGE, FITTED_NUMBER, FITTED_WORD = "training cases", "mean", "commonest"
"""In place of a range, and of a value for missing ones: computed from the training cases of each file."""
_RANGED = ("real", "logarithm")
_TOP = ("separator", "heading", "missing", "input", "output")


@dataclass(frozen=True)
class Spec:
    """What a specification says: how the table is written, and the entry of each attribute that is not ignored."""

    separator: str
    heading: bool
    missing: tuple[str, ...]
    inputs: tuple[Mapping[str, Any], ...]
    outputs: tuple[Mapping[str, Any], ...]

    @property
    def is_fitted(self) -> bool:
        """Whether a range or a value for missing ones is computed from training cases."""
        return any(_is_fitted(entry) for entry in (*self.inputs, *self.outputs))

    def representation(self, training: Columns | None = None) -> Representation:
        """The encoders.

        Args:
            training: attribute -> its values among the training cases, needed when the specification ``is_fitted``.
        """
        sides = (
            tuple(
                EncodedAttribute(
                    entry["attribute"], encoder(entry, (training or {}).get(entry["attribute"], ()))
                )
                for entry in side
            )
            for side in (self.inputs, self.outputs)
        )
        return Representation(*sides)


def read_spec(data: bytes, where: str) -> Spec:
    """Read a specification.

    Top keys: ``separator`` (by default found in the heading), ``heading`` (true or false), ``missing`` (words), and
    tables ``[[input]]`` and ``[[output]]`` with

    * ``attribute``: the name of the column;
    * ``kind``: real, logarithm (log(1 + x), for ranges over powers of ten), binary, nominal (1-of-m), ordinal
      (equidistant), thermometer (m - 1 inputs, the first k - 1 of them 1 for the k-th value), bits (a binary code of as
      few inputs as it takes, -1 and 1, as gene has it) or ignore;
    * ``range``: two numbers, between which all values lie, or "training cases", for real and logarithm, or ``values``:
      words in order, for the others;
    * ``missing``, of inputs only: "none" when it must not happen (the default), "indicator" for an input more, a value
      to put there, or "mean" or "commonest" of the training cases.

    Raises:
        NotToml: the file is not TOML.
        FaultyInput: unknown keys or kinds, ranges and values that are impossible, attributes that come twice, no
            inputs or no outputs; all of them together.
    """
    content = parse_toml(data, where, "`benchbook proben1 spec TABLE` writes one to begin with.")
    faults = [
        Fault(where, f"key {key!r}", f"the keys are {', '.join(_TOP)}")
        for key in content
        if key not in _TOP
    ]
    parts = {
        side: _side(side, content.get(side, []), where, faults) for side in ("input", "output")
    }
    faults += _top_faults(content, where)
    if not faults:
        faults += [
            Fault(where, f"no {side} that is not ignored", "there is at least one")
            for side, made in parts.items()
            if not made
        ]
    if faults:
        raise FaultyInput(f"{where} is no proper specification", faults)
    return Spec(
        content.get("separator", ""),
        content.get("heading", True),
        tuple(content.get("missing", MISSING)),
        tuple(parts["input"]),
        tuple(parts["output"]),
    )


def _top_faults(content: Mapping[str, Any], where: str) -> list[Fault]:
    faults = []
    if not isinstance(content.get("separator", ""), str) or len(content.get("separator", "")) > 1:
        faults.append(Fault(f"{where}, separator", repr(content["separator"]), "one letter"))
    if not isinstance(content.get("heading", True), bool):
        faults.append(Fault(f"{where}, heading", repr(content["heading"]), "true or false"))
    words = content.get("missing", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        faults.append(Fault(f"{where}, missing", repr(words), "a list of words"))
    seen: set[str] = set()
    for side in ("input", "output"):
        for entry in content.get(side, []) if isinstance(content.get(side, []), list) else []:
            name = entry.get("attribute") if isinstance(entry, dict) else None
            if isinstance(name, str) and name in seen:
                faults.append(
                    Fault(
                        f"{where}, {side} {name}",
                        "the attribute again",
                        "each attribute comes once",
                    )
                )
            seen |= {name} if isinstance(name, str) else set()
    return faults


def _side(side: str, entries: object, where: str, faults: list[Fault]) -> list[Mapping[str, Any]]:
    if not isinstance(entries, list):
        faults.append(Fault(where, f"[{side}]", f"write [[{side}]], a table for each attribute"))
        return []
    parts = []
    for index, entry in enumerate(entries, start=1):
        label = (
            f"{where}, {side} {entry.get('attribute', index) if isinstance(entry, dict) else index}"
        )
        before = len(faults)
        faults += _entry_faults(entry, label)
        if side == "output" and isinstance(entry, dict) and "missing" in entry:
            rule = "an output is never missing (PROBEN1, section 2.4): rows without it are left out"
            faults.append(Fault(label, f"missing = {entry['missing']!r}", rule))
        if len(faults) > before or entry["kind"] == "ignore":
            continue
        try:
            encoder(entry)
            parts.append(entry)
        except FaultyInput as error:
            faults += [Fault(label, fault.found, fault.rule) for fault in error.faults]
    return parts


def _entry_faults(entry: object, label: str) -> list[Fault]:
    if not isinstance(entry, dict):
        return [Fault(label, repr(entry), "a table with attribute and kind")]
    faults = [
        Fault(label, f"no key {key!r}", "every attribute has it")
        for key in ("attribute", "kind")
        if not isinstance(entry.get(key), str)
    ]
    if faults:
        return faults
    if entry["kind"] not in KINDS:
        return [Fault(label, f"kind {entry['kind']!r}", f"one of {', '.join(KINDS)}")]
    if entry["kind"] == "ignore":
        return []
    needed = "range" if entry["kind"] in _RANGED else "values"
    known = ("attribute", "kind", "missing", needed)
    faults += [
        Fault(label, f"key {key!r}", f"{entry['kind']} has {', '.join(known)}")
        for key in entry
        if key not in known
    ]
    if needed not in entry:
        faults.append(Fault(label, f"no key {needed!r}", f"{entry['kind']} needs it"))
    elif needed == "range" and entry["range"] != FITTED_RANGE and not _two_numbers(entry["range"]):
        faults.append(
            Fault(label, f"range {entry['range']!r}", f"two numbers, or {FITTED_RANGE!r}")
        )
    elif needed == "values":
        faults += _word_faults(entry, label)
    return faults


def _two_numbers(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(
            isinstance(number, int | float) and not isinstance(number, bool) for number in value
        )
    )


def _word_faults(entry: Mapping[str, Any], label: str) -> list[Fault]:
    words = entry["values"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return [Fault(label, f"values {words!r}", "a list of words, in quotes")]
    if len(set(words)) != len(words):
        return [Fault(label, "a value twice", "each value comes once")]
    least, most = 2, 2 if entry["kind"] == "binary" else len(words)
    return (
        []
        if least <= len(words) <= most
        else [
            Fault(
                label,
                f"{len(words)} values",
                "exactly two" if entry["kind"] == "binary" else "at least two",
            )
        ]
    )


def _is_fitted(entry: Mapping[str, Any]) -> bool:
    fill = FITTED_NUMBER if entry["kind"] in _RANGED else FITTED_WORD
    filled = entry.get("missing") == fill and fill not in entry.get("values", ())
    return filled or entry.get("range") == FITTED_RANGE


def encoder(entry: Mapping[str, Any], training: Iterable[Value] = ()) -> Encoder:
    """The encoder that one ``[[input]]`` or ``[[output]]`` describes.

    Args:
        entry: its keys.
        training: the values among the training cases, for what is fitted to them.

    Raises:
        FaultyInput: limits that are no range, or a fixed value that the encoder refuses.
    """
    fitted = _is_fitted(entry)
    entry = _resolved(entry, [value for value in training if value is not None])
    made: Encoder
    if entry["kind"] == "real":
        low, high = map(float, entry["range"])
        made = Linear(low, high, strict=not fitted)
    elif entry["kind"] == "logarithm":
        low, high = map(float, entry["range"])
        made = Logarithm(math.log1p(max(high, low + 1))) if fitted else _logarithm(low, high)
    elif entry["kind"] == "nominal":
        made = one_of(entry["values"])
    elif entry["kind"] == "thermometer":
        made = _thermometer(entry["values"])
    elif entry["kind"] == "bits":
        made = _bits(entry["values"])
    else:
        made = scale(entry["values"])
    missing = entry.get("missing", "none")
    if missing == "none":
        return made
    if missing == "indicator":
        return Flagged(made)
    wrong = isinstance(missing, bool) or not isinstance(missing, str | int | float)
    if rule := "a word or a number" if wrong else made.rule(missing):
        raise FaultyInput(
            "missing", [Fault("missing", repr(missing), f"{rule}; or none, or indicator")]
        )
    return Filled(made, tuple(made.encode([missing])[0].tolist()))


def _resolved(entry: Mapping[str, Any], known: list[Value]) -> Mapping[str, Any]:
    """The entry with numbers and words where it names what is computed from the known values of training cases."""
    if not _is_fitted(entry):
        return entry
    made = dict(entry)
    numbers = [item for value in known if (item := as_number(value)) is not None] or [0.0, 1.0]
    if made.get("range") == FITTED_RANGE:
        low, high = min(numbers), max(numbers)
        made["range"] = [low, high if high > low else low + 1.0]
    if made.get("missing") == FITTED_NUMBER and made["kind"] in _RANGED:
        made["missing"] = sum(numbers) / len(numbers)
    elif made.get("missing") == FITTED_WORD:
        words = Counter(text for value in known if (text := word(value)) in made["values"])
        made["missing"] = words.most_common(1)[0][0] if words else made["values"][0]
    return made


def _thermometer(words: list[str]) -> Codes:
    return Codes(
        {
            text: tuple(float(index > step) for step in range(len(words) - 1))
            for index, text in enumerate(words)
        }
    )


def _logarithm(low: float, high: float) -> Logarithm:
    if not 0.0 <= low < high:
        raise FaultyInput(
            "range",
            [Fault("range", f"{low:g} to {high:g}", "a logarithm needs 0 or more, in order")],
        )
    return Logarithm(math.log1p(high), low, high)


def _bits(words: list[str]) -> Codes:
    digits = max(1, (len(words) - 1).bit_length())
    return Codes(
        {
            word: tuple(2.0 * (index >> digit & 1) - 1.0 for digit in reversed(range(digits)))
            for index, word in enumerate(words)
        }
    )
