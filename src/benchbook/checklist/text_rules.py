"""Rules about what is said in words only: always a remark, and a fault where it speaks of choosing by test cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from benchbook.checklist.findings import Draft, fault, remark
from benchbook.checklist.learners import OtherModel, OtherOptimiser
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import Other, Table
from benchbook.checklist.words import looks_at_test

_DESCRIPTIONS = (
    "split",
    "encoding",
    "model",
    "initialisation",
    "optimiser",
    "tuning",
    "stopping",
    "runs",
)
_FREE = ("split.name", "split.file", "split.program", "optimiser.source", "model.software")

_SELECTS = re.compile(
    r"\b(?:chos\w+|select\w+|pick\w+|taken|tuned|kept|best|lowest|highest)\b", re.I
)


def _texts(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Table):
        for name, inner in value.__dict__.items():
            yield from _texts(inner, f"{key}.{name}")
    elif isinstance(value, list | dict):
        inside = value if isinstance(value, list) else [*value, *value.values()]
        for inner in inside:
            yield from _texts(inner, key)


def _described(value: Any, key: str) -> Iterator[str]:
    """The keys of all descriptions in words."""
    if isinstance(value, Other | OtherModel | OtherOptimiser):
        if not looks_at_test(value.__dict__.get("other", "test set")):
            yield f"{key}.other"
    elif isinstance(value, Table):
        for name, inner in value.__dict__.items():
            yield from _described(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _described(inner, f"{key}[{number}]")


def in_words(report: Report) -> Iterator[Draft]:
    """What no vocabulary has is a remark."""
    for key in _described(report, ""):
        yield remark(key, "a word of the form's vocabulary, if one fits", "other words")


_DENIED = re.compile(r"\b(?:no|not|never|without|nor)\b[^.;]*\b(?:test|hold|held|unseen)", re.I)
_COMPUTED_FROM = re.compile(
    r"\b(?:of|from|over|including|using|both)\b[^.;,]*\b(?:test|hold|held)", re.I
)


def test_cases_in_words(report: Report) -> Iterator[Draft]:
    """No description of how something was chosen, fitted or ended speaks of the test cases."""
    for name in _DESCRIPTIONS:
        for key, text in _texts(getattr(report, name, None), name):
            if (
                key in _FREE
                or not looks_at_test(text)
                or text in ("test cases", "best on test cases")
            ):
                continue
            harmless = bool(_DENIED.search(text))
            if key == "tuning.sensitivity":
                harmless = harmless or not _SELECTS.search(text)
            elif name == "encoding":
                harmless = harmless or not _COMPUTED_FROM.search(text)
            make = remark if harmless else fault
            yield make(key, "how it was done without the test cases", "test set")
    for number, given in enumerate(report.comparison):
        text = given.__dict__.get("against", "")
        if looks_at_test(text) and _SELECTS.search(text):
            yield remark(
                f"comparison[{number}].against", "a result that no test cases selected", "test set"
            )


RULES = (in_words, test_cases_in_words)
