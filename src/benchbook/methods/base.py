"""What a method is: a named procedure from the training cases and the test inputs to a predictive distribution."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods import settings as _settings
from benchbook.tasks.recoding import encoding_text

if TYPE_CHECKING:
    from benchbook.methods.described import Description
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

KINDS = frozenset({"real", "class", "outputs"})
_NAME = re.compile(
    r"(?!.*\.py$)[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(\[[A-Za-z0-9._+=,:;*()-]{1,120}\])?"
)

Returned: TypeAlias = "Predictive | tuple[Predictive, dict[str, Any]]"
Procedure: TypeAlias = "Callable[[TaskInstance, np.random.Generator], Returned]"


@runtime_checkable
class Method(Protocol):
    """A fully specified procedure; two settings of one algorithm are two methods.

    ``predict`` sees the encoded training cases and test inputs and answers on the encoded scale. It returns a
    predictive distribution, or that and a dict of diagnostics (numbers, short lists of numbers, or short texts). All
    its randomness comes from ``rng``, and it changes nothing in the instance.

    A method may have an attribute ``encoding``, a text of ``tasks.encoding_text``: "copy" gives it raw values. One that
    has none sees the encoding of the task. Its losses are on the scale of the data either way.

    ``kinds`` says which targets it predicts: "real" (train_targets are numbers [N]), "class" (indices [N]; it answers
    with Categorical) or "outputs" (PROBEN1's partitions: numbers [N, O], validation cases beside the training cases in
    ``validation_inputs`` and ``validation_targets``; it answers with ``Outputs``).
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def kinds(self) -> frozenset[str]: ...

    def predict(self, instance: TaskInstance, rng: np.random.Generator) -> Returned: ...


@dataclass(frozen=True)
class FunctionMethod:
    """A method made from a function of a task instance, a random generator and, where it has them, its settings.

    ``settings`` is a frozen dataclass (``methods.settings``) or None. ``most_classes`` is the largest number of classes
    it predicts, 0 when there is no limit. ``source`` says where the method comes from, work and section; ``calls`` the
    way down from it to the kernels, as "module:function". A variant's ``origin`` is the method it was made from.
    ``encoding`` is the encoding that it asks for (``tasks.encoding_text``), "" for that of the task. ``part_of`` is the
    method of which this one is a part, and whose random numbers it takes; "" for a method that stands alone.
    """

    name: str
    description: str
    kinds: frozenset[str]
    function: Callable[..., Returned] = field(repr=False)
    most_classes: int = field(default=0, repr=False)
    settings: object = field(default=None, repr=False)
    source: str = field(default="", repr=False)
    calls: tuple[str, ...] = field(default=(), repr=False)
    extra: str = field(default="", repr=False)
    origin: FunctionMethod | None = field(default=None, repr=False)
    encoding: str = field(default="", repr=False)
    part_of: str = field(default="", repr=False)

    @property
    def procedure(self) -> Callable[..., Returned]:
        """The function by itself, without keywords that are given to it."""
        return self.function.func if isinstance(self.function, partial) else self.function

    def predict(self, instance: TaskInstance, rng: np.random.Generator) -> Returned:
        return self.function(instance, rng, *(() if self.settings is None else (self.settings,)))

    __call__ = predict

    def varied(self, changes: Mapping[str, Any], name: str | None = None) -> FunctionMethod:
        """The same method with some of its settings changed; see ``methods.variant``."""
        other = self
        if changes:
            other = replace(self, settings=_settings.changed(self.name, self.settings, changes))
        return as_variant(other, self.origin or self, name)


Variant = TypeVar("Variant", bound=Any)


def as_variant(made: Variant, origin: Variant, name: str | None) -> Variant:
    """A method with other settings than the one it was made from, named and described by what is other in it.

    Where nothing is, and no name is given, it is the one that it was made from.

    Raises:
        FaultyInput: a name that cannot be used.
    """
    before, after = constants(origin), constants(made)
    if name is None and after == before:
        return origin
    variant = replace(
        made,
        name=_settings.variant_name(origin.name, before, after) if name is None else name,
        description=f"{origin.name} {_settings.difference(before, after)}",
        origin=origin,
    )
    if whole := getattr(origin, "part_of", ""):
        variant = replace(variant, part_of=_settings.variant_name(whole, before, after))
    refuse_faulty(variant)
    return variant


def stream_of(chosen: Method | Description) -> str:
    """The name by which a method draws its random numbers: its own, or that of the method of which it is a part."""
    return getattr(chosen, "part_of", "") or chosen.name


def constants(chosen: object) -> dict[str, Any]:
    """The settings of a method, and its encoding if it declares one, by name, as JSON has them."""
    encoding = getattr(chosen, "encoding", "")
    given = _settings.plain(getattr(chosen, "settings", None))
    return given | ({"encoding": encoding} if encoding else {})


def settings_text(chosen: Method | Description) -> str:
    """The settings of a method, and the encoding that it declares, as JSON; empty when it has none."""
    given = constants(chosen)
    return json.dumps(given, sort_keys=True, default=str) if given else ""


def method(
    *,
    name: str | None = None,
    description: str = "",
    kinds: Collection[str] = ("real",),
    most_classes: int = 0,
    settings: object = None,
    source: str = "",
    calls: Sequence[str] = (),
    extra: str = "",
    encoding: str | Mapping[str, str] = "",
    part_of: str = "",
) -> Callable[[Callable[..., Returned]], FunctionMethod]:
    """Decorate a function ``(instance, rng) -> Predictive`` to make it a method.

    One function makes several methods as ``functools.partial``, with what tells them apart as keywords.

    Example:
        >>> from benchbook import methods, predictive
        >>> @methods.method(description="The mean of the training targets.")
        ... def training_mean(instance, rng):
        ...     y, cases = instance.train_targets, len(instance.test_inputs)
        ...     return predictive.Gaussian(np.full(cases, y.mean()), np.full(cases, y.var()))
        ...
        >>> training_mean.name
        'training-mean'

    Args:
        name: how the method is listed and archived; the function's name with hyphens when left out.
        description: one sentence; the first line of the docstring when left out.
        kinds: the targets it can predict: one or more of "real", "class" and "outputs".
        most_classes: the largest number of classes it predicts; 0 when there is no limit. The conformance suite tries
            it on no more; on more it must refuse.
        settings: its constants, a frozen dataclass; the function is then called with them as its third argument, and
            ``methods.variant`` makes methods that differ in them.
        source: where the method comes from: author, work, section.
        extra: the optional extra of the package that it needs; "" for none.
        encoding: the encoding that it asks for: "copy" for raw values, or one of DELVE's by attribute, {"age":
            "nm-sqr"}; that of the task when left out.
        calls: what it calls on the way down to its kernels, each as "module:function".
        part_of: the method of which this one is a part, such as one network of its ensemble: it is given the random
            numbers that the other one is given, so that it is that very part.

    Raises:
        FaultyInput: a name or a kind that cannot be used.
        BenchbookError: an encoding that cannot be read.
    """

    def decorate(function: Callable[..., Returned]) -> FunctionMethod:
        made = FunctionMethod(
            function.__name__.replace("_", "-") if name is None else name,
            description or (function.__doc__ or "").strip().split("\n")[0],
            frozenset([kinds] if isinstance(kinds, str) else kinds),
            function,
            most_classes,
            settings,
            source,
            tuple(calls),
            extra,
            encoding=encoding_text(encoding),
            part_of=part_of,
        )
        refuse_faulty(made)
        return made

    return decorate


def refuse_faulty(candidate: Method | Description) -> None:
    """Raise FaultyInput when a method's name, description or kinds cannot be used."""
    faults = []
    predicted: object = candidate.description
    if not isinstance(predicted, str):
        faults.append(Fault("description", repr(predicted), "one sentence, a text"))
    if not isinstance(candidate.name, str) or not _NAME.fullmatch(candidate.name):
        faults.append(
            Fault(
                "name",
                repr(candidate.name),
                "use up to 64 letters, digits and . - + _, the first a letter or digit, and no .py at the "
                "end; give a variant with many changes a name, variant(..., name=...)",
            )
        )
    kinds = candidate.kinds
    if (
        not isinstance(kinds, frozenset | set | tuple | list)
        or not kinds
        or not all(isinstance(kind, str) and kind in KINDS for kind in kinds)
    ):
        faults.append(
            Fault(
                "kinds",
                repr(kinds),
                'say which targets it predicts: some of "real", "class", "outputs"',
            )
        )
    if faults:
        raise FaultyInput("method", faults)


def need_cases(instance: TaskInstance, least: int, name: str) -> None:
    """Raise BenchbookError when a task instance has fewer training cases than a method can do with."""
    if len(instance.train_targets) < least:
        raise BenchbookError(
            f"{name} needs at least {least} training cases, there is {len(instance.train_targets)}"
        )


def is_exploit(name: str) -> bool:
    """Whether a method says by its name, ``exploit-...``, that it takes advantage of a loss rather than of the inputs.

    Such methods are run to show what a loss rewards; reports and leaderboards mark them.
    """
    return name.startswith("exploit-")


def need_two_classes(instance: TaskInstance, name: str) -> None:
    """Raise BenchbookError when the target of a task instance has other than two classes."""
    if len(instance.classes) != 2:
        classes = ", ".join(instance.classes[:10])
        raise BenchbookError(
            f"{name} tells two classes apart; the target has {len(instance.classes)}: {classes}"
        )
