"""Hierarchical priors of weight groups, in the notation of Neal's software: ``[x]width[:group[:source]]``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from benchbook.errors import Fault, FaultyInput

_FORM = re.compile(r"(x?)([^:]+)(?::([^:]*))?(?::([^:]*))?")


@dataclass(frozen=True)
class Prior:
    """The prior of a group of weights, Gaussian with mean 0 and precision t.

    A precision has a Gamma distribution about a mean w with shape a/2: density proportional to
    t^(a/2 - 1) exp(-t a / (2 w)); the larger a, the closer to w, and infinity fixes it there. The group has a
    precision about 1 / width^2 with a = ``group``; each source unit has one about the group's with a = ``source``.
    ``scaled`` ("x") raises the mean precision with the number of sources, so that their sum stays of order one.

    Source: documentation of the Software for Flexible Bayesian Modeling (R. M. Neal), priors.
    """

    width: float
    group: float = math.inf
    source: float = math.inf
    scaled: bool = False

    def __post_init__(self) -> None:
        predicted = (
            ("width", self.width, math.isfinite(self.width)),
            ("group", self.group, True),
            ("source", self.source, True),
        )
        faults = [
            Fault(
                name,
                repr(value),
                "must be a positive number" + ("" if name == "width" else " or infinity"),
            )
            for name, value, also in predicted
            if not (value > 0 and also)
        ]
        if faults:
            raise FaultyInput("prior", faults)

    @classmethod
    def parse(cls, text: str) -> Prior:
        """Read "x0.2:0.5:1": scaled, width 0.2, group 0.5, source 1; an empty or missing number is infinity.

        Raises:
            FaultyInput: the text is not of this form, or a number is not positive.
        """
        match = _FORM.fullmatch(text.strip())
        try:
            if match is None:
                raise ValueError
            scaled, width, group, source = match.groups()
            return cls(float(width), float(group or "inf"), float(source or "inf"), bool(scaled))
        except ValueError:
            fault = Fault(
                "text",
                repr(text),
                "write [x]width[:group[:source]], for example 0.05:0.5 or x0.2:0.5:1",
            )
            raise FaultyInput("prior", [fault]) from None

    def __str__(self) -> str:
        numbers = [self.width, self.group, self.source]
        while math.isinf(numbers[-1]):
            numbers.pop()
        return ("x" if self.scaled else "") + ":".join(
            "" if math.isinf(n) else f"{n:g}" for n in numbers
        )

    def mean_precision(self, sources: int) -> float:
        """The mean w of the group's precision, for weights from N source units.

        1 / width^2, or with "x", a = ``source``:  N / width^2 when a is infinite, N a / ((a - 2) width^2) when a > 2,
        N ln N / width^2 when a = 2 (N / width^2 for N < 3), N^(2/a) / width^2 when a < 2.
        """
        n, a = float(sources), self.source
        if not self.scaled:
            factor = 1.0
        elif math.isinf(a):
            factor = n
        elif a > 2:
            factor = n * a / (a - 2)
        elif a == 2:
            factor = n * math.log(n) if n >= 3 else n
        else:
            factor = n ** (2 / a)
        return factor / self.width**2
