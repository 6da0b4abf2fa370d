"""PROBEN1's ``.dt`` files: seven header lines, then one example a line, inputs before outputs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchbook.datasets.readers.table import Words
from benchbook.datasets.readers.text import lines
from benchbook.errors import Fault, FaultyInput

_NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
HEADER = ("bool_in", "real_in", "bool_out", "real_out", "training_examples", "validation_examples", "test_examples")


@dataclass(frozen=True)
class DtFile:
    """A ``.dt`` file: its examples as words, its numbers of inputs and outputs, and its partition."""

    words: Words
    inputs: int
    outputs: int
    partition: tuple[int, int, int]


def read_dt(data: bytes, where: str) -> DtFile:
    """Read a ``.dt`` file.

    Raises:
        FaultyInput: header lines that are missing, repeated or no whole numbers; examples that are fewer, more, shorter
            or longer than the header says, or hold words that are no numbers; all of them together.
    """
    header: dict[str, int] = {}
    faults: list[Fault] = []
    cases: list[tuple[str, ...]] = []
    numbers: list[int] = []
    for number, line in lines(data, where):
        text = line.strip()
        if not text:
            continue
        if "=" in text or text[0].isalpha():
            _header_line(text, f"{where}, line {number}", header, faults, bool(cases))
        else:
            cases.append(tuple(text.split()))
            numbers.append(number)
    absent = [key for key in HEADER if key not in header]
    faults += [Fault(where, f"no header line {key}=", "a .dt file has all seven") for key in absent]
    words = Words(where, cases, numbers)
    if not absent:
        faults += _disagreements(words, header)
    faults += _not_numbers(words)
    if faults:
        raise FaultyInput(f"{where} cannot be read", faults)
    return DtFile(words, header["bool_in"] + header["real_in"], header["bool_out"] + header["real_out"],
                  (header["training_examples"], header["validation_examples"], header["test_examples"]))


def _header_line(text: str, place: str, header: dict[str, int], faults: list[Fault], late: bool) -> None:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or key not in HEADER:
        faults.append(Fault(place, repr(text), f"the header keys are {', '.join(HEADER)}"))
    elif late:
        faults.append(Fault(place, repr(text), "the header comes before the first example"))
    elif key in header:
        faults.append(Fault(place, f"{key} again", "each header key comes once"))
    elif not value.isdigit():
        faults.append(Fault(place, repr(text), "the value is a whole number, zero or more"))
        header[key] = 0
    else:
        header[key] = int(value)


def _disagreements(words: Words, header: dict[str, int]) -> list[Fault]:
    """Faults of examples that are not as many or as long as the header says."""
    examples = sum(header[key] for key in HEADER[4:])
    width = sum(header[key] for key in HEADER[:4])
    faults = []
    if not words.cases:
        faults.append(Fault(words.where, "no examples", f"the header says {examples}"))
    elif examples != len(words.cases):
        faults.append(Fault(words.where, f"{len(words.cases)} examples", f"the header says {examples} "
                            "(training + validation + test)"))
    return faults + [Fault(words.place(case), f"{len(line)} values", f"the header says {width} (inputs + outputs)")
                     for case, line in enumerate(words.cases) if len(line) != width]


def _not_numbers(words: Words) -> list[Fault]:
    faults = []
    for case, line in enumerate(words.cases):
        for column, word in enumerate(line, start=1):
            if not _NUMBER.match(word):
                faults.append(Fault(f"{words.place(case)}, value {column}", repr(word), "every value is a number"))
    return faults
