"""Texts that are held word for word, in a file beside the tests: for each a line with ``$`` and a key, then the text.

With ``BENCHBOOK_PRINT=1`` in the environment, and ``-n0``, the file is written anew; then its difference is to be read.
"""

import os
import re
import sys
import zlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.errors import BenchbookError

LONGEST = 400
"""Characters of a line that are held."""


@cache
def read(file: Path) -> dict[str, str]:
    """The texts by their keys."""
    parts = re.split(r"^\$ ", file.read_text(encoding="utf8"), flags=re.M)[1:]
    return dict(part.split("\n", 1) for part in parts)


def lasting(text: str) -> str:
    """The text without times, folders for the moment, and names that other tests may have registered."""
    text = re.sub(r"/\S*/benchbook-\w{8}", "SCRATCH", text)
    text = re.sub(r"benchbook_user_\w{12}", "MODULE", text)
    text = re.sub(r"; [\d.]+ s;", "; T s;", text)
    text = re.sub(r"(Nearest: |There are )[^\n]*?(?= See them all)", r"\1...", text)
    text = "\n".join(line[:LONGEST] for line in text.split("\n"))
    return "".join(letter if letter.isprintable() or letter == "\n" else "?" for letter in text)


def held(file: Path, key: str, text: str) -> None:
    """Assert that a text is what the file has by that key; other Pythons and systems have some words of their own."""
    if sys.version_info[:2] != (3, 11) or sys.platform != "linux":
        return
    if os.environ.get("BENCHBOOK_PRINT"):
        texts = read(file) | {key: lasting(text)}
        whole = "".join(f"$ {name}\n{part}" for name, part in texts.items())
        file.write_text(whole, encoding="utf8")
        read.cache_clear()
    assert lasting(text) == read(file)[key]


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
