"""Which chapters have exercises, and how hard each is; a page that shows the list depends on nothing else of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchbook_book.making.inputs import checkout

_EXERCISE = re.compile(r"^(`{3,})\{exercise\}([^\n]*)\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)


def chapters() -> list[Path]:
    """The chapters that have exercises, in the order of their paths."""
    return [path for path in sorted((checkout() / "book").rglob("*.md")) if has_exercises(path)]


def has_exercises(path: Path) -> bool:
    """Whether there is such a chapter, and it has any."""
    return (
        "runs" not in path.parts
        and path.is_file()
        and bool(_EXERCISE.search(path.read_text(encoding="utf-8")))
    )


def listed() -> list[dict[str, str]]:
    """A line for each exercise: ``chapter``, ``level`` (easy, medium, hard) and ``title`` or first words."""
    return [
        {"chapter": name_of(path), **line}
        for path in chapters()
        for line in _exercises(path.read_text(encoding="utf-8"))
    ]


def name_of(path: Path) -> str:
    """Such as ``delve/planning``."""
    return path.relative_to(checkout() / "book").with_suffix("").as_posix()


def _exercises(text: str) -> Iterator[dict[str, str]]:
    for match in _EXERCISE.finditer(text):
        body = " ".join(line for line in match[3].splitlines() if not line.startswith(":")).strip()
        message = match[2].strip() or body.replace("**", "")
        level, _, rest = message.partition(":" if match[2].strip() else ".")
        yield {"level": level.strip().lower(), "title": " ".join(rest.split())[:70]}
