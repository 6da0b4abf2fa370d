"""Settings: the constants of a method as a frozen dataclass, listed, varied and recorded by name.

A method's settings may hold other frozen dataclasses, whose fields count as its own: ``hidden`` of a network is asked
for by that name wherever it is kept. Where two of them share a name, it is asked for with its place, ``rprop.up``.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
import numbers
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened

_LONGEST = 2**63 - 1  # whole numbers that compiled code can hold


@dataclass(frozen=True)
class SettingLimits:
    """What a setting means and what values it can have; bounds that are None do not bound."""

    meaning: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    choices: tuple[Any, ...] = ()

    def allow(self, value: float) -> bool:
        """Whether a number is within the bounds. NaN is not; infinity is, where there is no upper bound."""
        return not math.isnan(value) and (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        bounds = (
            (self.least, "at least"),
            (self.above, "above"),
            (self.most, "at most"),
            (self.below, "below"),
        )
        return ", ".join(f"{words} {bound:g}" for bound, words in bounds if bound is not None)


def setting(default: object = dataclasses.MISSING, meaning: str = "", **limits: Any) -> Any:
    """A field of a settings dataclass, with what it means and its ``SettingLimits``."""
    return dataclasses.field(default=default, metadata={"limits": SettingLimits(meaning, **limits)})


@dataclass(frozen=True)
class Setting:
    """One setting: the name it is asked for by, its value, what values it can have, in words, and what it means."""

    name: str
    value: object
    allowed: str
    meaning: str


def listed(settings: object) -> list[Setting]:
    """All settings of a dataclass, those of the dataclasses in it among them, or of an estimator's parameters; none
    for None."""
    return [
        Setting(leaf.name, leaf.value, leaf.allowed, leaf.limits.meaning)
        for leaf in _leaves(settings)
    ]


def plain(settings: object) -> dict[str, Any]:
    """The settings, or what ``listed`` made of them, as names and values that JSON has: numbers, texts, lists, and
    nothing for None."""
    result = settings if isinstance(settings, tuple) else listed(settings)
    return {item.name: _as_plain(item.value) for item in result}


def changed(owner: str, settings: object, changes: Mapping[str, Any]) -> Any:
    """The settings of the method ``owner`` with some of them changed.

    Raises:
        FaultyInput: an unknown setting, or a value that it cannot have; with all faults and the list of the settings.
    """
    leaves = {leaf.name: leaf for leaf in _leaves(settings)}
    faults, accepted = [], {}
    for name, value in changes.items():
        if name not in leaves:
            faults.append(Fault(name, repr(value), "there is no such setting"))
            continue
        try:
            accepted[leaves[name].place] = _taken(value, leaves[name].kind, leaves[name].limits)
        except ValueError as error:
            faults.append(Fault(name, repr(value), f"must be {error}"))
    if not faults:
        try:
            return _replaced(settings, accepted)
        except FaultyInput as error:
            faults = list(error.faults)
    raise FaultyInput(f"settings of {owner}", faults, _advice(owner, list(leaves.values())))


def split(spec: str) -> tuple[str, dict[str, Any]]:
    """A method and the changes asked of it: "mlp-bgd-1[hidden=30]" is "mlp-bgd-1" and {"hidden": 30}.

    Values are written as in Python; what is no Python value is a text. Without brackets at the end there is no change.

    Raises:
        BenchbookError: what is in the brackets is not name=value, name=value.
    """
    base, bracket, body = spec.partition("[")
    if not bracket or not spec.endswith("]"):
        return spec, {}
    changes: dict[str, Any] = {}
    for part in _parts(body[:-1]):
        name, sign, given = (piece.strip() for piece in part.partition("="))
        if not sign or not name or not given or name in changes:
            problem = (
                f"{name} stands there twice"
                if name in changes
                else f"{part.strip()!r} is no name=value"
            )
            raise BenchbookError(
                f"method {spec}: {problem}; write for example mlp-bgd-1[hidden=30, step=0.2]"
            )
        changes[name] = _value(given)
    if not changes:
        raise BenchbookError(
            f"method {spec}: no setting stands in the brackets; write for example "
            "mlp-bgd-1[hidden=30]"
        )
    return base.strip(), changes


def variant_name(base: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The name of a variant by what is other in it, which ``split`` reads: "mlp-bgd-1[hidden=30]"."""
    other = ",".join(_other(before, after))
    return f"{base}[{other}]" if other else base


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What is other in a variant, in words: "with hidden=30"."""
    return f"with {', '.join(_other(before, after)) or 'no setting changed'}"


def _other(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [f"{name}={text(value)}" for name, value in after.items() if value != before.get(name)]


def text(value: object) -> str:
    """A setting's value as text, which ``split`` reads, without spaces."""
    if isinstance(value, list | tuple):
        return f"({','.join(map(text, value))}{',' if len(value) == 1 else ''})"
    return value if isinstance(value, str) else str(_as_plain(value))


@dataclass(frozen=True)
class _Leaf:
    """A setting where it stands: the fields that lead to it, its type and its limits."""

    name: str
    place: tuple[str, ...]
    value: object
    kind: object
    limits: SettingLimits

    @property
    def allowed(self) -> str:
        words, limits = _words(self.kind), str(self.limits)
        if self.kind is object:
            return "as scikit-learn has it"
        return limits if self.limits.choices else f"{words}, {limits}" if limits else words


def _leaves(settings: object) -> list[_Leaf]:
    if isinstance(settings, Mapping):
        return [
            _Leaf(name, (name,), value, object, SettingLimits("a parameter of the estimator"))
            for name, value in sorted(settings.items())
        ]
    leaves = list(_below(settings, ())) if settings is not None else []
    last = [index[-1] for index, *_ in leaves]
    return [
        _Leaf(
            index[-1] if last.count(index[-1]) == 1 else ".".join(index), index, value, kind, limits
        )
        for index, value, kind, limits in leaves
    ]


def refuse_unknown(owner: str, settings: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Raise FaultyInput for changes of what is no parameter of an estimator, or numbers that are not finite."""
    faults = [
        Fault(name, repr(value), "there is no such setting")
        for name, value in changes.items()
        if name not in settings
    ]
    faults += [
        Fault(name, repr(value), "must be finite")
        for name, value in changes.items()
        if isinstance(value, float) and not math.isfinite(value)
    ]
    if faults:
        raise FaultyInput(f"settings of {owner}", faults, _advice(owner, _leaves(settings)))


def _below(
    settings: Any, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any, Any, SettingLimits]]:
    owner: object = type(settings)
    for field in dataclasses.fields(settings):
        value, index, kind = (
            getattr(settings, field.name),
            (*above, field.name),
            _kinds(owner)[field.name],
        )
        if (
            type(value) in _options(kind)
            and dataclasses.is_dataclass(value)
            and not hasattr(value, "parse")
        ):
            yield from _below(value, index)
        else:
            yield index, value, kind, field.metadata.get("limits", SettingLimits())


@functools.cache
def _kinds(kind: object) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _options(kind: object) -> tuple[Any, ...]:
    """The types that a field can have: those of a union, or the one that there is."""
    either = isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union
    return typing.get_args(kind) if either else (kind,)


def _words(kind: Any) -> str:
    """A type in words."""
    options = _options(kind)
    if len(options) > 1:
        return " or ".join("None" if option is type(None) else _words(option) for option in options)
    if typing.get_origin(kind) is tuple:
        count = "" if _open(kind) else f"{len(typing.get_args(kind))} values, "
        return f"a list, ({count}each {_words(typing.get_args(kind)[0])})"
    known = {int: "a whole number", float: "a number", bool: "True or False", str: "a text"}
    return known.get(kind) or (
        f"a {kind.__name__.lower()} as text"
        if hasattr(kind, "parse")
        else f"a {kind.__name__}, made in Python"
    )


def _open(kind: object) -> bool:
    """Whether a tuple can have any number of items."""
    return Ellipsis in typing.get_args(kind)


def _taken(value: Any, kind: Any, limits: SettingLimits) -> Any:
    """The value as the field has it; ValueError, with what it must be, when it cannot."""
    options = _options(kind)
    if len(options) > 1:
        if value is None and type(None) in options:
            return None
        return _taken(value, next(option for option in options if option is not type(None)), limits)
    if typing.get_origin(kind) is tuple:
        items = typing.get_args(kind)
        if (
            not isinstance(value, list | tuple)
            or not value
            or not (_open(kind) or len(value) == len(items))
        ):
            raise ValueError(_words(kind) + ", not empty")
        return tuple(_taken(item, items[0], limits) for item in value)
    if limits.choices and value not in limits.choices:
        raise ValueError(str(limits))
    if kind in (int, float):
        return _number(value, kind, limits)
    if hasattr(kind, "parse") and isinstance(value, str | numbers.Real):
        return _parsed(str(value), kind)
    if not isinstance(value, kind):
        raise ValueError(_words(kind))
    return value


def _number(value: Any, kind: Any, limits: SettingLimits) -> Any:
    wanted = numbers.Integral if kind is int else numbers.Real
    fits = isinstance(value, wanted) and not isinstance(value, bool)
    fits = fits and abs(value) <= (_LONGEST if kind is int else sys.float_info.max)
    if not fits or not limits.allow(float(value)):
        words = str(limits)
        raise ValueError(_words(kind) + (f", {words}" if words else ""))
    return kind(value)


def _parsed(text: str, kind: Any) -> Any:
    try:
        return kind.parse(text)
    except FaultyInput as error:
        rules = "; ".join(f"{fault.where} {fault.rule}" for fault in error.faults)
        raise ValueError(f"{_words(kind)}: {rules}") from None


def _replaced(settings: Any, accepted: Mapping[tuple[str, ...], Any]) -> Any:
    """A copy with the values at those places; the dataclasses say themselves what does not go together."""
    here = {key[0]: value for key, value in accepted.items() if len(key) == 1}
    for name in {index[0] for index in accepted if len(index) > 1}:
        inner = {key[1:]: value for key, value in accepted.items() if key[0] == name}
        here[name] = _replaced(getattr(settings, name), inner)
    return dataclasses.replace(settings, **here)


def _advice(owner: str, leaves: list[_Leaf]) -> str:
    if not leaves:
        return f"{owner} has no settings."
    lines = [
        f"  {leaf.name} = {shortened(text(leaf.value), 60)} ({leaf.allowed})" for leaf in leaves
    ]
    return "\n".join([f"The settings of {owner}, as they are, and what they can be:", *lines])


def _parts(body: str) -> list[str]:
    """The text between commas that stand in no bracket."""
    parts, depth = [""], 0
    for sign in body:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part.strip()]


def _value(text: str) -> Any:
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text, text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _as_plain(value: object) -> Any:
    if isinstance(value, tuple):
        return [_as_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
