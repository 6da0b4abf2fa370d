"""Texts that are held word for word, in a file beside the tests: for each a line with ``$`` and a key, then the text.

With ``BENCHBOOK_PRINT=1`` in the environment, and ``-n0``, the file is written anew; then its difference is to be read.
"""

import os
import re
import sys
from functools import cache
from pathlib import Path

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
