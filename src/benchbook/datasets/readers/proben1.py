"""PROBEN1's ``.dt`` files: seven header lines, then one example a line, inputs before outputs."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchbook.datasets.readers.table import Words
from benchbook.datasets.readers.text import content, lines, packed_variant
from benchbook.errors import Fault, FaultyInput

_NUMBER = re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$", re.ASCII)
HEADER = (
    "bool_in",
    "real_in",
    "bool_out",
    "real_out",
    "training_examples",
    "validation_examples",
    "test_examples",
)


@dataclass(frozen=True)
class DtFile:
    """A ``.dt`` file: its examples as words, its numbers of inputs and outputs, and its partition."""

    words: Words
    inputs: int
    outputs: int
    partition: tuple[int, int, int]

    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Inputs [N, I] and targets [N, O] as numbers."""
        table = np.array(self.words.cases, dtype=float)
        return table[:, : self.inputs], table[:, self.inputs :]


def read_dt_file(path: str | Path) -> DtFile:
    """Read a ``.dt`` file from its path; one packed as .gz or .zip is unpacked, and found when only that is there.

    Raises:
        FaultyInput: as ``read_dt``, or the packed file is damaged.
        BenchbookError: there is no such file, or it cannot be read.
    """
    location = packed_variant(Path(path))
    return read_dt(content(location), str(location))


def read_dt(data: bytes, where: str) -> DtFile:
    """Read the content of a ``.dt`` file. Empty lines, any line ending and a byte order mark are tolerated.

    Raises:
        FaultyInput: header lines that are missing, repeated or no whole numbers; examples that are fewer, more, shorter
            or longer than the header says, or hold words that are no numbers; all of them together.
    """
    header: dict[str, int] = {}
    faults: list[Fault] = []
    cases: list[tuple[str, ...]] = []
    numbers: list[int] = []
    for number, line in lines(data, where):
        text = line.strip().removeprefix("\ufeff")  # a byte order mark, which some editors leave
        if not text:
            continue
        if _of_header(text, started=bool(cases or header)):
            _header_line(text, f"{where}, line {number}", header, faults, bool(cases))
        else:
            cases.append(tuple(text.split()))
            numbers.append(number)
    absent = [key for key in HEADER if key not in header]
    faults += [Fault(where, f"no header line {key}=", "a .dt file has all seven") for key in absent]
    words = Words(where, cases, numbers)
    if not absent:
        faults += _disagreements(words, header)
        faults += [
            Fault(where, f"no {what}", f"{first} and {second} add up to at least one")
            for what, first, second in (("inputs", *HEADER[:2]), ("outputs", *HEADER[2:4]))
            if not header[first] + header[second]
        ]
    faults += _not_numbers(words)
    if faults:
        raise FaultyInput(f"{where} cannot be read", faults)
    return DtFile(
        words,
        header["bool_in"] + header["real_in"],
        header["bool_out"] + header["real_out"],
        (header["training_examples"], header["validation_examples"], header["test_examples"]),
    )


def _of_header(text: str, started: bool) -> bool:
    """Whether a line is meant for the header; words such as nan after its first line are meant for an example."""
    first = text.split()[0]
    return "=" in text or first in HEADER or (first[0].isalpha() and not started)


def _header_line(
    text: str, place: str, header: dict[str, int], faults: list[Fault], late: bool
) -> None:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or key not in HEADER:
        faults.append(Fault(place, repr(text), f"the header keys are {', '.join(HEADER)}"))
    elif late:
        faults.append(Fault(place, repr(text), "the header comes before the first example"))
    elif key in header:
        faults.append(Fault(place, f"{key} again", "each header key comes once"))
    elif not (value.isascii() and value.isdigit()):
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
        faults.append(
            Fault(
                words.where,
                f"{len(words.cases)} examples",
                f"the header says {examples} (training + validation + test)",
            )
        )
    return faults + [
        Fault(
            words.place(case), f"{len(line)} values", f"the header says {width} (inputs + outputs)"
        )
        for case, line in enumerate(words.cases)
        if len(line) != width
    ]


def _not_numbers(words: Words) -> list[Fault]:
    # A file has many words and few different ones; each is looked at once.
    strange = {
        word
        for word in {word for line in words.cases for word in line}
        if _NUMBER.match(word) is None or math.isinf(float(word))
    }
    if not strange:
        return []
    return [
        Fault(f"{words.place(case)}, value {column}", repr(word), "every value is a number")
        for case, line in enumerate(words.cases)
        for column, word in enumerate(line, start=1)
        if word in strange
    ]
