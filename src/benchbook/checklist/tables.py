"""What a table of the form is made of: typed keys, each with a comment and a rule; refused values are left unset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from benchbook.checklist.words import inexact, plain_text, says_nothing
from benchbook.errors import plain


def _says_something(text: str) -> str:
    if not plain(text):
        raise ValueError("a text without control characters")
    if says_nothing(text):
        raise ValueError("what it was, in words or as a formula")
    return plain_text(text)


def _exact(text: str) -> str:
    if inexact(text):
        raise ValueError("numbers and names that leave nothing open")
    return text


def _increasing(ends: list[float]) -> list[float]:
    if not ends[0] < ends[1]:
        raise ValueError("two numbers, the smaller one first, such as [-0.5, 0.5]")
    return ends


Text = Annotated[str, Strict(), AfterValidator(_says_something)]
Exact = Annotated[Text, AfterValidator(_exact)]
"""A description from which another could do the same."""
Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=1)]
Whole = Annotated[int, Strict(), Field(ge=0)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-1e100, le=1e100)]
"""No larger, so that its square is a number too."""
NotNegative = Annotated[Number, Field(ge=0)]
Positive = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Span = Annotated[list[Number], Field(min_length=2, max_length=2), AfterValidator(_increasing)]
Parameter = Flag | Number | Exact | Annotated[list[Number], Field(min_length=1)]


class NotGiven(AttributeError):
    """A value that a report lacks or that was refused: a rule that needs it has nothing to say."""


class Table(BaseModel):
    """A table of the form. A key that is missing or refused raises ``NotGiven`` when it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields:
                raise NotGiven(name)
            return super().__getattr__(name)


def value_at(table: Table, key: str) -> Any:
    """The value of a dotted key; None below a table that is not given.

    Raises:
        NotGiven: it is missing or was refused.
    """
    value: Any = table
    for name in key.split("."):
        value = None if value is None else getattr(value, name)
    return value


class Other(Table):
    """What no vocabulary has, described: always a remark, as no program can check it."""

    other: Exact


def ask(says: str, rule: str, default: Any = ..., example: str = "") -> Any:
    """A key of the form.

    Args:
        says: what to write there, the comment in the template.
        rule: the rule that asks for it, by name.
        default: without one, every report must have the key.
        example: what the template's comment shows for a key that is not always needed.
    """
    return Field(default, description=says, json_schema_extra={"rule": rule, "example": example})
