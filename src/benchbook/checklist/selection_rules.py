"""Rules about what every choice of a report has looked at, in the words of the form and in words of its own."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from benchbook.checklist.learners import OtherModel, OtherOptimiser
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import Report
from benchbook.checklist.tables import NotGiven, Other, Table, value_at
from benchbook.checklist.words import looks_at_test

MAY_LOOK_AT = {
    "stopping.watches": ("validation cases", "training cases", "nothing"),
    "stopping.state": (
        "best on validation cases",
        "best on training cases",
        "last",
        "average of the last",
    ),
    "tuning.chosen_on": (
        "validation cases",
        "training cases",
        "other data",
        "published results",
        "nothing",
    ),
    "results.best_run.chosen_on": ("validation cases", "training cases"),
    "runs.judged_on": ("validation cases", "training cases"),
    "encoding.fitted_on": (
        "training cases",
        "training and validation cases",
        "published",
        "nothing",
    ),
    "encoding.inputs_chosen_on": ("training cases", "validation cases", "other data", "nothing"),
}
"""What each choice may have looked at; test cases and all cases are in none of these lists."""
_WHY = {
    "stopping.watches": (
        "test set",
        "a model that the test cases stopped has been trained on them",
    ),
    "stopping.state": ("test set", "the least test error of a run needs knowledge that nobody has"),
    "tuning.chosen_on": ("tuning", "what the test cases chose is no result"),
    "results.best_run.chosen_on": ("best run", "it has the test error that it happens to have"),
    "runs.judged_on": ("excluded runs", "without the runs that test worst, any method tests well"),
    "encoding.fitted_on": (
        "fitted encoding",
        "scales and filled-in values come from training cases",
    ),
    "encoding.inputs_chosen_on": ("fitted encoding", "inputs are selected on training cases"),
}
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


def choices(report: Report) -> Iterator[Draft]:
    """No choice has looked at test cases, or at validation cases where there are none."""
    for key, allowed in MAY_LOOK_AT.items():
        rule, why = _WHY[key]
        with contextlib.suppress(NotGiven):
            value = value_at(report, key)
            given = value if isinstance(value, list) else [value] if value else []
            if any(item not in allowed for item in given):
                yield fault(key, f"{' or '.join(map(repr, allowed))}: {why}", rule)
            elif report.split.validation == 0 and any("validation" in item for item in given):
                yield fault(key, "something else: there are no validation cases", rule)


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


RULES = (choices, in_words, test_cases_in_words)
