"""What statistics of n values can be: order, the least and greatest standard deviation, multiples, and rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from benchbook.checklist.findings import Draft, fault

_LARGE = 1000


def unit(value: float) -> float:
    """Half a unit of the last digit that is written; zeros at the end of a large number may stand for rounding."""
    exponent = int(Decimal(repr(float(value))).normalize().as_tuple().exponent)
    last = exponent if abs(value) >= _LARGE else min(exponent, -1)
    return 0.5 * 10.0**last * (1.0 + 1e-9)


@dataclass(frozen=True)
class Summary:
    """Statistics of n values from 0 to ``most``, as far as they are given; ``key`` is where the report has them."""

    key: str
    n: int
    mean: float
    sd: float | None = None
    minimum: float | None = None
    median: float | None = None
    maximum: float | None = None
    most: float = math.inf

    @property
    def _marks(self) -> list[float]:
        return [value for value in (self.minimum, self.median, self.maximum) if value is not None]

    @property
    def _rounding(self) -> float:
        """What rounding may have moved the distance of the mean from a mark by: both are rounded."""
        return 2 * max(unit(value) for value in (self.mean, *self._marks))

    def drafts(self) -> Iterator[Draft]:
        """What no n values can have."""
        ordered = list(self._order())
        yield from ordered
        if not ordered and self.sd is not None and self.n > 1:
            yield from self._spread(self.sd)

    def _order(self) -> Iterator[Draft]:
        low = self.mean + self._rounding if self.minimum is None else self.minimum
        high = self.mean - self._rounding if self.maximum is None else self.maximum
        inside = low <= self.mean + self._rounding and self.mean <= high + self._rounding
        if self._marks != sorted(self._marks) or not inside:
            write = "minimum, median and maximum in their order, and the mean between minimum and maximum"
            yield fault(f"{self.key}.mean", write, "arithmetic")
        for name in ("mean", "minimum", "median", "maximum"):
            value = getattr(self, name)
            if value is not None and value > self.most + unit(value):
                yield fault(
                    f"{self.key}.{name}",
                    f"at most {self.most:g}, which no run exceeds",
                    "arithmetic",
                )

    def _spread(self, sd: float) -> Iterator[Draft]:
        """(n - 1) sd^2 is at most n (b - m)(m - a), and at least what it is when all but the ends are equal."""
        low, high = self._ends()
        above, below = high - self.mean + self._rounding, self.mean - low + self._rounding
        greatest = math.sqrt(max(0.0, above * below * self.n / (self.n - 1)))
        if sd > greatest + unit(sd):
            yield fault(
                f"{self.key}.sd",
                f"at most {greatest:.3g}: {self.n} values between {low:.6g} and {high:.6g} with this mean "
                "cannot vary more",
                "arithmetic",
            )
        least = self._least_sd()
        if sd < least - unit(sd):
            yield fault(
                f"{self.key}.sd",
                f"at least {least:.3g}: {self.n} values with this mean, minimum and maximum cannot vary less",
                "arithmetic",
            )

    def _ends(self) -> tuple[float, float]:
        """The least and the greatest value that one of the runs can have, given the others' and the mean."""
        low = 0.0 if self.minimum is None else self.minimum
        reach = low + self.n * (self.mean + self._rounding - low)
        high = min(self.most, reach) if self.maximum is None else self.maximum
        if self.minimum is None:
            low = max(low, high - self.n * (high - self.mean + self._rounding))
        return low, high

    def _least_sd(self) -> float:
        ends = [value - self.mean for value in (self.minimum, self.maximum) if value is not None][
            : self.n
        ]
        ends = [math.copysign(max(0.0, abs(away) - self._rounding), away) for away in ends]
        rest = sum(ends) ** 2 / (self.n - len(ends)) if self.n > len(ends) else 0.0
        return math.sqrt((sum(away**2 for away in ends) + rest) / (self.n - 1))

    def multiples(self, step: float, what: str) -> Iterator[Draft]:
        """One value is a multiple of ``step``, and a mean of n values of one n-th of it."""
        parts = [("minimum", self.minimum, step), ("maximum", self.maximum, step)]
        for name, value, size in [*parts, ("mean", self.mean, step / self.n)]:
            if value is not None:
                words = f"{what}, a mean of {self.n}" if name == "mean" else what
                yield from multiple(f"{self.key}.{name}", value, size, words)


def multiple(key: str, value: float, step: float, what: str) -> Iterator[Draft]:
    """A fault where a value is no multiple of a step, rounding aside."""
    nearest = step * round(value / step)
    if abs(nearest - value) > unit(value) + 1e-12 * value:
        yield fault(key, f"{what}; nearest is {nearest:.6g}", "arithmetic")
