"""What is asked for in an exercise: each name with its form and its meaning, and assertions of the form alone.

A solution says it in comments that stand for themselves, one for each name that its assertions speak of::

    # noisy: whole number; pairs of tasks that differ in noise alone

Where a line is full it goes on below, indented by two more blanks.

The forms: ``number``, ``whole number``, ``text``, ``function``, ``list``, ``list of 3``, ``list of 3 numbers``, ``list
of numbers``, ``list of 3 dicts with keys 'a', 'b'``, ``dict``, ``dict with keys 'a', 2``, ``array``, ``array of shape
(3, 4)``, ``table with columns a, b``, ``object with mean, sd``. A list may as well be a tuple, an array or a column.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from benchbook.errors import BenchbookError

IMPORT = "from numbers import Integral, Real"
_LINE = re.compile(r"^# (\w+): ([^\n]+(?:\n#   [^\n]+)*)\n?", re.MULTILINE)
_NEXT = "\n#   "
_COLUMN = 79
_FORM = re.compile(
    r"(?P<plain>number|whole number|text|function)"
    r"|list(?: of (?P<length>\d+))?(?: ?(?:of )?(?P<numbers>numbers))?"
    r"(?: ?(?:of )?dicts with keys (?P<row>.+))?"
    r"|dict(?: with keys (?P<keys>.+))?"
    r"|array(?: of shape (?P<shape>\(.+\)))?"
    r"|table(?: with columns (?P<columns>.+))?"
    r"|object with (?P<attributes>.+)"
)
_PLAIN = {
    "number": "isinstance({0}, Real)",
    "whole number": "isinstance({0}, Integral)",
    "text": "isinstance({0}, str)",
    "function": "callable({0})",
}


@dataclass(frozen=True)
class Asked:
    """A name that an answer has to make, its form, and what it means."""

    name: str
    form: str
    meaning: str

    @property
    def line(self) -> str:
        """What a student reads of it, and where it is long several lines."""
        words = f"# {self.name}: {self.form}; {self.meaning}"
        return _NEXT.join(textwrap.wrap(words, _COLUMN - 4, break_on_hyphens=False))

    @property
    def check(self) -> str:
        """An assertion of the form alone; it says nothing of the value.

        Raises:
            BenchbookError: the form is none of those above.
        """
        condition = " and ".join(_conditions(self))
        return f'assert {condition}, "{self.name} is to be: {self.form}"'


def asked_for(source: str) -> list[Asked]:
    """The names that a cell of a solution says it makes."""
    parts = (_parts(match) for match in _LINE.finditer(source))
    return [part for part in parts if part is not None]


def without_lines(source: str) -> str:
    """The cell without these comments."""
    return _LINE.sub(lambda match: match[0] if _parts(match) is None else "", source)


def _parts(match: re.Match[str]) -> Asked | None:
    """What a comment asks for; None for another comment."""
    form, mark, meaning = match[2].replace(_NEXT, " ").partition("; ")
    return Asked(match[1], form, meaning) if mark else None


def _conditions(asked: Asked) -> list[str]:
    name, result = asked.name, _FORM.fullmatch(asked.form)
    if result is None:
        raise BenchbookError(
            f"{asked.name} has the form {asked.form!r}, which is none of those known"
        )
    if result["plain"]:
        return [_PLAIN[result["plain"]].format(name)]
    kind = asked.form.partition(" ")[0]
    if kind == "list":
        return _of_list(name, result)
    if kind == "array":
        return [
            f"getattr({name}, 'shape', ()) {'== ' + result['shape'] if result['shape'] else '!= ()'}"
        ]
    if kind == "dict":
        return [f"isinstance({name}, dict)", *_having(name, result["keys"])]
    words = re.split(r", ", result["columns"] or result["attributes"] or "")
    if kind == "table":
        wanted = f"{_set(words)} <= set({name}.columns)" if result["columns"] else ""
        return [f"hasattr({name}, 'columns')", *filter(None, [wanted])]
    return [f"hasattr({name}, {word!r})" for word in words]


def _of_list(name: str, found: re.Match[str]) -> list[str]:
    conditions = [f"hasattr({name}, '__len__')"]
    if found["length"]:
        conditions.append(f"len({name}) == {found['length']}")
    if found["numbers"]:
        conditions.append(f"all(isinstance(each, Real) for each in {name})")
    if found["row"]:
        conditions.append(f"all({_keys(found['row'])} <= set(each) for each in {name})")
    return conditions


def _having(name: str, keys: str | None) -> list[str]:
    return [f"{_keys(keys)} <= set({name})"] if keys else []


def _keys(text: str) -> str:
    return _set(ast.literal_eval(f"({text},)"))


def _set(words: Iterable[object]) -> str:
    """A set as it is written, in the order of the words."""
    return f"{{{', '.join(map(repr, words))}}}"
