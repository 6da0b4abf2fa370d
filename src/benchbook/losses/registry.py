"""The losses that are known, found among the modules of this package when first asked for."""

from __future__ import annotations

import importlib
import pkgutil
import re
import threading
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.losses.base import STANDARD_RULES, Loss
from benchbook.losses.quantile_losses import by_percent
from benchbook.predictive.checks import FloatArray
from benchbook.user_code import objects_of

_WORDS = {
    "applies_to": ("real", "class", "both", "outputs"),
    "proper": ("no", "proper", "strictly"),
    "standard_rule": STANDARD_RULES,
    "orientation": ("smaller is better",),
    "is_set": (True, False),
}


class Registry:
    """Losses by code: every instance of Loss that a module of a package holds, and those registered by hand.

    Args:
        package: the package whose modules are searched, once, when a loss is first asked for.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._known: dict[str, Loss] = {}
        self._unlisted: set[str] = set()
        self._searched = self._searching = False
        self._lock = threading.RLock()

    def get(self, code: str) -> Loss:
        """The loss with a code, whether its letters are written large or small.

        Codes of a family are made when they are asked for: ``PB10``, the pinball loss at any level in per cent;
        ``IS80``, the loss of the central interval of any coverage; ``MI80`` and ``WI80``, its misses and its width.

        Example:
            >>> from benchbook import losses, predictive
            >>> crps = losses.get("CRPS")
            >>> forecast = predictive.Gaussian(mean=[20.0, 22.0], variance=[4.0, 1.0])
            >>> crps(forecast, [21.0, 25.0]).round(2)
            array([0.66, 2.44])
            >>> losses.get("PB90").name
            'pinball loss'

        Raises:
            UnknownName: there is none; the message gives the nearest codes.
        """
        self._search()
        if code in self._known:
            return self._known[code]
        alike = [known for known in self._known if known.casefold() == str(code).casefold()]
        if not alike and (made := by_percent(str(code))) is not None:
            return self._known.get(made.code) or self.register(made, listed=False)
        if len(alike) != 1:
            raise UnknownName("loss", str(code), self._known)
        return self._known[alike[0]]

    def available(self) -> tuple[str, ...]:
        """The codes of the losses of the package and of those registered by hand, in alphabetical order.

        Losses that were made on request, such as PB10 or one of a user's file, are found by :meth:`get`, and not
        listed: what is available does not hang on what was asked before.

        Example:
            >>> from benchbook import losses
            >>> {"S", "CRPS", "NLPD"} <= set(losses.available())
            True
        """
        self._search()
        return tuple(sorted(self._known.keys() - self._unlisted))

    def functions(self) -> dict[str, Loss]:
        """The losses that ``available`` names, by their names as functions: codes in small letters, and full names.

        A name that several losses share is left out, and so is what is no name in Python.
        """
        each = [self._known[code] for code in self.available()]
        names = [_identifier(loss.name) for loss in each]
        losses = {
            name: loss for name, loss in zip(names, each, strict=True) if names.count(name) == 1
        }
        losses |= {_identifier(loss.code): loss for loss in each}
        return {name: losses[name] for name in sorted(losses) if name.isidentifier()}

    def register(self, loss: Loss, *, listed: bool = True) -> Loss:
        """Make a loss known; registering the same object again does nothing.

        Args:
            loss: an instance of a class derived from :class:`~benchbook.losses.Loss`.
            listed: whether :meth:`available` names it.

        Returns:
            The loss.

        Raises:
            FaultyInput: a loss that does not describe itself as :class:`~benchbook.losses.Loss` says; all faults
            together. BenchbookError: another loss has the code.
        """
        self._search()
        self._add(loss)
        if not listed:
            self._unlisted.add(loss.code)
        return loss

    def _add(self, loss: Loss) -> Loss:
        faults = _faults(loss)
        if faults:
            raise FaultyInput(
                f"loss {type(loss).__name__}",
                faults,
                "See benchbook.losses.Loss for what a loss says.",
            )
        other = self._known.setdefault(loss.code, loss)
        if other is not loss:
            raise BenchbookError(
                f"the loss code {loss.code!r} of {type(loss).__name__} is taken by {type(other).__name__} "
                f"({other.name}); choose another code"
            )
        return loss

    def _search(self) -> None:
        if self._searched:
            return
        with self._lock:  # another thread must not see half of the losses
            if self._searched or self._searching:
                return
            self._searching = True
            try:
                package = importlib.import_module(self._package)
                for module in pkgutil.iter_modules(package.__path__, f"{self._package}."):
                    for loss in objects_of(_imported(module.name), Loss).values():
                        self._add(loss)
                self._searched = True
            finally:
                self._searching = False


def _identifier(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise BenchbookError(
            f"the loss file {name} cannot be imported ({reason}); mend it or take it away"
        ) from error


def _faults(loss: object) -> list[Fault]:
    if not isinstance(loss, Loss):
        return [
            Fault("type", type(loss).__name__, "must be an instance of a class derived from Loss")
        ]
    faults = []
    for name in ("code", "name", "description", "unit", "source"):
        value = getattr(loss, name, None)
        if not (isinstance(value, str) and value.strip()):
            faults.append(Fault(name, repr(value), "must be a text that is not empty"))
    for name, allowed in _WORDS.items():
        value = getattr(loss, name, None)
        if value not in allowed:
            faults.append(
                Fault(name, repr(value), f"must be one of {', '.join(map(repr, allowed))}")
            )
    if getattr(loss, "standard_rule", None) in ("divide", "subtract"):
        hooks = {"real": "_standard_real", "class": "_standard_class"}
        for kind, hook in hooks.items():
            if getattr(loss, "applies_to", None) in (kind, "both") and getattr(
                type(loss), hook
            ) is getattr(Loss, hook):
                rule = f"must be defined, for the standard scale with {kind} targets; or set standard_rule to 'none'"
                faults.append(Fault(hook, "nothing", rule))
    return faults


_registry = Registry("benchbook.losses")
get = _registry.get
available = _registry.available
functions = _registry.functions
register = _registry.register


def standardise(code: str, means: ArrayLike, targets: ArrayLike) -> FloatArray:
    """Losses or mean losses of the loss with a code, on the standard scale of the targets given; see ``Loss.standard``.

    Example:
        >>> from benchbook import losses
        >>> float(losses.standardise("S", 0.5, [1.0, 2.0, 3.0, 4.0]))  # a share of the variance
        0.3

    Raises:
        UnknownName: no loss has the code.
        Undefined: there is no standard scale.
    """
    loss = get(code)
    return loss.standardise(np.asarray(means, dtype=np.float64), loss.standard(targets))
