"""Texts that are held word for word, in a file beside the tests: for each a line with ``$`` and a key, then the text.

A sentence that many lines of such a file have is held once, in ``sentences.txt`` beside this module, with ``{}`` for
its values: numbers, what is quoted, names of files, and where a fault is and what was found. A line
``~code value ~ value`` stands for one with the values put in; so a change of wording changes one line.

With ``BENCHBOOK_PRINT=1`` in the environment, and ``-n0``, the file is written anew; then its difference is to be read.
"""

import difflib
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchbook.errors import BenchbookError

LONGEST = 400
"""Characters of a line that are held."""
OF_PYTHON = "SyntaxError|IndentationError|TabError|RecursionError|ImportError|ModuleNotFoundError"
"""Errors whose words are Python's own, and other ones in other versions."""
REST = r"(?= \(line|\ \([^()\s]+\.py, |$)"
SENTENCES = Path(__file__).with_name("sentences.txt")
CODED = re.compile(r"^~([0-9a-f]{6}) ?(.*)$", re.M)
_FAULT = re.compile(r"(\s*(?:fault: )?)(.*?): found ('[^']*'|.*?); (.*)")
_VALUE = re.compile(
    r"'[^']*'|(?<![\w.])-?\d[\d.,]*(?:e[+-]?\d+)?|\S+\.(?:csv|txt|toml|py|dt|npz|nc|md)\b"
)
_WORD, _WORDS, _LINES = re.compile(r"[A-Za-z]{2,}"), 3, 2
"""A sentence to be held once has at least so many words, and stands in so many lines of a file."""


@cache
def read(file: Path) -> dict[str, str]:
    """The texts by their keys, in words."""
    whole = CODED.sub(in_words, file.read_text(encoding="utf8"))
    return dict(part.split("\n", 1) for part in re.split(r"^\$ ", whole, flags=re.M)[1:])


@cache
def sentences() -> dict[str, str]:
    """The sentences by their codes."""
    return dict(row.split(" ", 1) for row in SENTENCES.read_text(encoding="utf8").splitlines())


def in_words(line: re.Match[str]) -> str:
    """The line for which a code and its values stand."""
    words, values = sentences()[line[1]].split("{}"), line[2].split(" ~ ") if line[2] else []
    return "".join(word + value for word, value in zip(words, [*values, ""], strict=True))


def sentence(line: str) -> tuple[str, list[str]]:
    """A line with ``{}`` for its values, and the values."""
    found = _FAULT.fullmatch(line)
    start, values = (f"{found[1]}{{}}: found {{}}; ", [*found.groups()[1:3]]) if found else ("", [])
    rest = found[4] if found else line
    return start + _VALUE.sub("{}", rest), values + _VALUE.findall(rest)


def coded(texts: dict[str, str]) -> str:
    """A file of texts. A sentence that many of its lines have joins those that are held once."""
    lines = "".join(f"$ {name}\n{part}" for name, part in texts.items()).split("\n")
    codes = {words: code for code, words in sentences().items()}
    short = {line: row for line in {*lines} if line[:2] != "$ " and (row := _coded(line, codes))}
    often = Counter(sentence(line)[0] for line in lines if line in short)
    new = {words: _code(words, codes) for words in often if often[words] >= _LINES}
    if new.keys() - codes.keys():
        rows = sorted(f"{code} {words}\n" for words, code in (codes | new).items())
        SENTENCES.write_text("".join(rows), encoding="utf8")
        sentences.cache_clear()
    known = codes | new
    return "\n".join(
        short[line] if line in short and sentence(line)[0] in known else line for line in lines
    )


def _code(words: str, codes: Mapping[str, str]) -> str:
    """The code of a sentence; of a new one, by its words."""
    return codes.get(words, f"{zlib.crc32(words.encode()) & 0xFFFFFF:06x}")


def _coded(line: str, codes: Mapping[str, str]) -> str | None:
    """The code of a line and its values; None of what is no sentence, or where values could not be told apart."""
    words, values = sentence(line)
    row = f"~{_code(words, codes)} {' ~ '.join(values)}".rstrip()
    if len(_WORD.findall(words)) < _WORDS or words.count("{}") != len(values):
        return None
    return row if row[8:].split(" ~ ") == (values or [""]) else None


def lasting(text: str) -> str:
    """The text without times, folders for the moment, and names that other tests may have registered."""
    text = re.sub(r"/\S*/benchbook-\w{8}", "SCRATCH", text)
    text = re.sub(r"benchbook_user_\w{12}", "MODULE", text)
    text = re.sub(r"; [\d.]+ s;", "; T s;", text)
    text = re.sub(rf"\b({OF_PYTHON}): .*?{REST}", r"\1: WORDS OF PYTHON", text, flags=re.M)
    text = re.sub(r"(Nearest: |There are )[^\n]*?(?= See them all)", r"\1...", text)
    text = re.sub(r"Nearest: [\w-]+(, [\w-]+)*\.", "Nearest: ...", text)
    text = "\n".join(line[:LONGEST] for line in text.split("\n"))
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def held(file: Path, key: str, text: str) -> None:
    """Assert that a text is what the file has by that key; other Pythons and systems have some words of their own."""
    if sys.version_info[:2] != (3, 11) or sys.platform != "linux":
        return
    if os.environ.get("BENCHBOOK_PRINT"):
        texts = read(file) | {key: lasting(text)}
        file.write_text(coded(texts), encoding="utf8")
        read.cache_clear()
    if (printed := lasting(text)) != (known := read(file).get(key)):
        pytest.fail(difference(file, key, known, printed), pytrace=False)


def difference(file: Path, key: str, known: str | None, printed: str) -> str:
    """What differs from the held text, and the command that writes it anew."""
    before = (known or "").splitlines()
    lines = difflib.unified_diff(before, printed.splitlines(), "held", "now", lineterm="", n=1)
    head = f"{file} has no text {key!r}" if known is None else f"{file} has another text {key!r}"
    test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0] or "tests"
    command = f'BENCHBOOK_PRINT=1 make test ARGS="{test} -n0"'
    return "\n".join(
        [f"{head}:", *lines, f"If the change is meant, edit {SENTENCES.name} or run {command}"]
    )


def outcome(call: Callable[[], Any]) -> str:
    """What a call gives, by ``shown``, or says of wrong input; in lines of 300 characters."""
    try:
        text = shown(call())
    except BenchbookError as error:
        text = f"{type(error).__name__}: {error}"
    return "".join(f"{text[at : at + 300]}\n" for at in range(0, len(text), 300))


def shown(value: Any) -> str:
    """A value as text, numbers to five digits; of long arrays the size, the sum and the first ones."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = [f"{item.name}={shown(getattr(value, item.name))}" for item in fields(value)]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, pl.DataFrame):
        return shown({name: value[name].to_numpy() for name in value.columns})
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {shown(item)}" for name, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f" and value.size > 40:
            return f"{value.size} values #{zlib.crc32(repr(value.tolist()).encode()):x}: {shown(value.ravel()[:6])}"
        if value.dtype.kind != "f" or value.size <= 12:
            return shown(value.tolist())
        return f"array{value.shape} of sum {shown(float(value.sum()))}: {shown(value.ravel()[:6].tolist())}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(shown, value)))}}}"
    if isinstance(value, float):
        return "0" if abs(value) < 1e-12 else f"{value:.5g}"
    return type(value).__name__ if callable(value) else str(value)
