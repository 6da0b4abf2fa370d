"""What a lesson plan takes from the chapters: their sections, how long these take, and what is to be predicted."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

_CELL = re.compile(r"^(`{3,})\{code-cell\}(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_SOLUTION = re.compile(
    r"^(`{3,})\{solution-start\}.*?^`{3,}\{solution-end\}\n`{3,}[ ]*$|^(`{3,})\{solution\}.*?^\2[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_PREDICT = re.compile(r"\*\*Predict before")
_UNSEEN = re.compile(
    r"^:tags: .*\bremove-(?:cell|output)\b|^tags: .*\bremove-(?:cell|output)\b", re.MULTILINE
)
_SHOWN = "\0"
_WEEK = re.compile(r"^## Week (\d+):", re.MULTILINE)
_CHAPTERS = re.compile(r"^```\{lesson-minutes\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"^\| (?:\{ref\}`([\w-]+)`|([^|]+?)) \| (\d+) \|", re.MULTILINE)
_EXERCISE = re.compile(r"^`{3,}\{exercise\}[ ]*([^\n]*)\n:label: (\S+)$", re.MULTILINE)
_WORDS_A_MINUTE = 130
_MINUTES_A_PREDICTION = 2
_OUT_OF_CLASS = ("Exercises",)


def weeks(text: str) -> dict[int, str]:
    """The plan of each week, from the page that has them all."""
    parts = _WEEK.split(text)
    return {int(number): plan for number, plan in zip(parts[1::2], parts[2::2], strict=True)}


def chapters(week: str) -> list[str]:
    """The chapters of a week's plan, such as ``delve/planning``, in its order."""
    return [name for names in _CHAPTERS.findall(week) for name in names.split()]


def marks(week: str, texts: Mapping[str, str]) -> dict[str, int]:
    """What a week's marking sheet asks and the marks for it: exercises as ``planning: Easy: how many instances``.

    Args:
        week: the week's plan in MyST Markdown.
        texts: those of its chapters, by name.
    """
    titles = {
        label: f"{name.rpartition('/')[2]}: {title or label}"
        for name, text in texts.items()
        for title, label in _EXERCISE.findall(text)
    }
    sheet = week.partition("### Marking sheet")[2].partition("\n### ")[0]
    return {
        titles[label] if label else words: int(most) for label, words, most in _MARKS.findall(sheet)
    }


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
        return math.ceil(
            self.words / _WORDS_A_MINUTE
            + self.shown
            + _MINUTES_A_PREDICTION * len(self.predictions)
        )


def sections(text: str) -> list[Section]:
    """The sections of a chapter that are for the class, in order, without its exercises.

    Args:
        text: the chapter in MyST Markdown.
    """
    prose = _CELL.sub(
        lambda cell: "" if _UNSEEN.search(cell[2]) else _SHOWN, _SOLUTION.sub("", text)
    )
    parts = _HEADING.split(prose)
    return [
        _section(title.strip(), body)
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
        if title.strip() not in _OUT_OF_CLASS
    ]


def _section(title: str, body: str) -> Section:
    words = body.replace(_SHOWN, "")
    return Section(title, len(words.split()), body.count(_SHOWN), tuple(_predictions(words)))


def _predictions(prose: str) -> list[str]:
    """The paragraphs that ask for a prediction, on one line each."""
    return [
        " ".join(paragraph.split())
        for paragraph in re.split(r"\n\s*\n", prose)
        if _PREDICT.search(paragraph)
    ]
