"""Losses of one's own: a decorated function in a file, stored under a name that changes with its text.

    from benchbook.losses.own import loss

    @loss(unit="euro")
    def missed(prediction, targets):
        "What it costs to be wrong."
        return 3.0 * abs(prediction.median() - targets)

``benchbook run --loss mine.py:missed`` compares by it. Its values are kept as those of ``missed@`` and a digest of the
file, so that they are never taken for those of another loss, or of an earlier text of this one: these are computed anew
from kept predictions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput, Undefined, UnknownName
from benchbook.losses import registry
from benchbook.losses.base import DistributionLoss, Loss
from benchbook.losses.quantile_losses import by_percent
from benchbook.predictive import Categorical, Gaussian, Predictive
from benchbook.predictive.checks import FloatArray, IntArray, as_floats
from benchbook.user_code import named_in, objects_of

Function = Callable[[Predictive, Any], Any]

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,29}")


class OwnLoss(DistributionLoss):
    """A loss made of a function by :func:`loss`."""

    def __init__(self, function: Function, **said: str | bool) -> None:
        self.function = function
        for key, value in said.items():
            object.__setattr__(self, key, value)

    @property
    def file(self) -> Path:
        """The file that the function was defined in; no file there is when it was typed into a notebook."""
        return Path(self.function.__code__.co_filename)

    def of_case(self, pred: Predictive, y: FloatArray | IntArray) -> FloatArray:
        """What the function says of every case, shape [J].

        Raises:
            BenchbookError: the function raised, or returned other than a number for each case.
        """
        try:
            returned = self.function(pred, _read_only(y))
        except Undefined:
            raise
        except Exception as error:
            advice = "; change a copy, such as targets.copy()" if "read-only" in str(error) else ""
            raise BenchbookError(
                f"loss {self.code} raised {type(error).__name__}: {error}{advice}"
            ) from error
        values = as_floats(returned)
        if isinstance(values, str) or values.shape != (len(pred),) or np.isnan(values).any():
            actual = (
                values
                if isinstance(values, str)
                else "NaN"
                if values.shape == (len(pred),)
                else f"shape {values.shape}"
            )
            raise BenchbookError(
                f"loss {self.code} returned {actual} for {len(pred)} cases; return one number a case, "
                f"shape ({len(pred)},), smaller when better"
            )
        return values


def loss(
    *,
    code: str = "",
    name: str = "",
    description: str = "",
    applies_to: str = "real",
    unit: str = "its own unit",
    proper: str = "no",
    source: str = "ours",
    of_point: bool = False,
) -> Callable[[Function], OwnLoss]:
    """Decorate a function ``(prediction, targets) -> numbers`` to make it a loss; smaller is better.

    Args:
        code: short name; the function's when left out. It may not be that of a loss of the package.
        name: in words; the code when left out.
        description: one sentence; the first line of the docstring when left out.
        applies_to: "real", "class" or "both". The function is given a predictive distribution on the original scale of
            the target (class probabilities for classes), and targets [J], numbers or class indices.
        unit: of its values. proper: "no", "proper" or "strictly". source: where it comes from.
        of_point: of numbers, whether the mean is all that the function asks for. Then ``benchbook.compare`` makes no
            distribution for it, which takes three more fits of an estimator that states none.

    Raises:
        FaultyInput: a code that cannot be used, other words than these; all faults together.
    """

    def decorate(function: Function) -> OwnLoss:
        short = code or function.__name__
        texts = {
            "code": f"{short}@{_digest(function)}",
            "name": name or short,
            "applies_to": applies_to,
            "unit": unit,
            "proper": proper,
            "source": source,
            "description": description or (function.__doc__ or "").strip().split("\n")[0] or short,
        }
        taken = {known.casefold() for known in registry.available()}
        faults = []
        if not _CODE.fullmatch(short):
            faults.append(
                Fault("code", repr(short), "up to 30 letters, digits and . - _, the first a letter")
            )
        elif short.casefold() in taken or by_percent(short):
            faults.append(
                Fault("code", repr(short), "a loss of benchbook has that code; choose another")
            )
        faults += [
            Fault(key, repr(result), f"one of {', '.join(words)}")
            for key, result, words in (
                ("applies_to", applies_to, ("real", "class", "both")),
                ("proper", proper, ("no", "proper", "strictly")),
            )
            if result not in words
        ]
        if faults:
            raise FaultyInput(f"loss {short}", faults)
        return OwnLoss(function, **texts, of_point=of_point)

    return decorate


def named(text: str) -> Loss:
    """The loss that a code or a place stands for, made known in this process.

    Args:
        text: a registered code; ``PB10`` or ``IS80``, the pinball loss at any level and the loss of the central
            interval of any coverage, in per cent, ``MI80`` and ``WI80``, its misses and its width alone; or
            ``path/to/mine.py:my_loss`` or ``package.module:my_loss``.

    Raises:
        UnknownName: no loss has the code.
        BenchbookError: no such file, module or name in it, not a loss, or one that fails on the cases it is tried on.
    """
    return _of_user(text) if ":" in text else registry.get(text)


def _kept(made: Loss) -> Loss:
    """The loss of the same code that this process made before, else this one, which is kept for the next time."""
    try:
        return registry.get(made.code)
    except UnknownName:
        return registry.register(made, listed=False)


def _of_user(spec: str) -> Loss:
    module, name = named_in(spec)
    thing = getattr(module, name, None)
    if not isinstance(thing, OwnLoss):
        names = sorted(objects_of(module, OwnLoss))
        text = f"losses in it: {', '.join(names)}" if names else "there is no loss in it"
        raise BenchbookError(
            f"{spec.rpartition(':')[0]} has no loss {name!r}; {text}. A loss is a function below "
            "`@loss(...)`, from benchbook.losses.own"
        )
    _try(thing)
    return _kept(thing)


def _try(made: OwnLoss) -> None:
    """Compute the loss of a few made cases before any run, and see whether each case's hangs on itself alone."""
    real = Gaussian([0.0, 1.0, -2.0, 0.5], [1.0, 0.5, 2.0, 1.0]), np.array([0.3, 1.0, -2.5, 4.0])
    classes = Categorical([[0.7, 0.3], [0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]), np.array([0, 1, 1, 1])
    for kind, (prediction, targets) in {"real": real, "class": classes}.items():
        if not made.suits(kind):
            continue
        whole = made.per_case(prediction, targets)
        part = made.per_case(prediction.take([2, 0]), targets[[2, 0]])
        if not np.allclose(whole[[2, 0]], part, rtol=1e-9, atol=1e-12):
            raise BenchbookError(
                f"loss {made.code}: the loss of a case changes with the cases beside it; a loss of "
                "single cases uses nothing of the others, such as a mean over targets"
            )


def _read_only(targets: FloatArray | IntArray) -> NDArray[Any]:
    """A copy over memory that a loss cannot make writeable again."""
    frozen: NDArray[Any] = np.frombuffer(targets.tobytes(), dtype=targets.dtype)
    return frozen.reshape(targets.shape)


def _digest(function: Function) -> str:
    """Eight digits that change with the file of the function, or, where it has none, with its instructions."""
    code = function.__code__
    file = Path(code.co_filename)
    content = (
        file.read_bytes()
        if file.is_file()
        else code.co_code + repr((code.co_consts, code.co_names)).encode()
    )
    return hashlib.sha256(content).hexdigest()[:8]
