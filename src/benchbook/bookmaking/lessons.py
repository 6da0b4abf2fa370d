"""What a lesson plan takes from the chapters: their sections, how long these take, and what is to be predicted."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_CELL = re.compile(r"^(`{3,})\{code-cell\}(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_SOLUTION = re.compile(
    r"^(`{3,})\{solution-start\}.*?^`{3,}\{solution-end\}\n`{3,}[ ]*$|^(`{3,})\{solution\}.*?^\2[ ]*$",
    re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PREDICT = re.compile(r"\*\*Predict before")
_UNSEEN = re.compile(r"^:tags: .*\bremove-(?:cell|output)\b|^tags: .*\bremove-(?:cell|output)\b", re.MULTILINE)
_SHOWN = "\0"
_WORDS_A_MINUTE = 130
_MINUTES_A_PREDICTION = 2
_OUT_OF_CLASS = ("Exercises",)


@dataclass(frozen=True)
class Section:
    """A section of a chapter: its title, the words of its prose, the cells whose results are seen, the predictions."""

    title: str
    words: int
    shown: int
    predictions: tuple[str, ...]

    @property
    def minutes(self) -> int:
        """Minutes in class, by rule: 130 words or one result a minute, and two minutes for each prediction."""
        return math.ceil(self.words / _WORDS_A_MINUTE + self.shown + _MINUTES_A_PREDICTION * len(self.predictions))


def sections(text: str) -> list[Section]:
    """The sections of a chapter that are for the class, in order, without its exercises.

    Args:
        text: the chapter in MyST Markdown.
    """
    prose = _CELL.sub(lambda cell: "" if _UNSEEN.search(cell[2]) else _SHOWN, _SOLUTION.sub("", text))
    parts = _HEADING.split(prose)
    return [_section(title.strip(), body) for title, body in zip(parts[1::2], parts[2::2], strict=True)
            if title.strip() not in _OUT_OF_CLASS]


def _section(title: str, body: str) -> Section:
    words = body.replace(_SHOWN, "")
    return Section(title, len(words.split()), body.count(_SHOWN), tuple(_predictions(words)))


def _predictions(prose: str) -> list[str]:
    """The paragraphs that ask for a prediction, on one line each."""
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", prose) if _PREDICT.search(paragraph)]
