"""What statistics of n values can be: order, deviations, multiples and rounding; and p-values, computed again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import scipy

from benchbook_book.form.rules import Draft, fault, faults_of
from benchbook_book.form.schema import Comparison

_LARGE, _MOST_SUMS = 1000, 5000


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
        order = (
            "minimum, median and maximum in their order, and the mean between minimum and maximum"
        )
        most = f"at most {self.most:g}, which no run exceeds"
        given = [(name, getattr(self, name)) for name in ("mean", "minimum", "median", "maximum")]
        above = [name for name, one in given if one is not None and one > self.most + unit(one)]
        return faults_of(
            (
                self._marks != sorted(self._marks) or not inside,
                f"{self.key}.mean",
                order,
                "arithmetic",
            ),
            *((True, f"{self.key}.{name}", most, "arithmetic") for name in above),
        )

    def _spread(self, sd: float) -> Iterator[Draft]:
        """(n - 1) sd^2 is at most n (b - m)(m - a), and at least what it is when all but the ends are equal."""
        low, high = self._ends()
        above, below = high - self.mean + self._rounding, self.mean - low + self._rounding
        greatest = math.sqrt(max(0.0, above * below * self.n / (self.n - 1)))
        least, key, values = self._least_sd(), f"{self.key}.sd", f"{self.n} values"
        most = (
            f"at most {greatest:.3g}: {values} between {low:.6g} and {high:.6g} with this mean "
            "cannot vary more"
        )
        fewest = (
            f"at least {least:.3g}: {values} with this mean, minimum and maximum cannot vary less"
        )
        return faults_of(
            (sd > greatest + unit(sd), key, most, "arithmetic"),
            (sd < least - unit(sd), key, fewest, "arithmetic"),
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
        parts += [
            ("median", self.median, step / (2 - self.n % 2)),
            ("mean", self.mean, step / self.n),
        ]
        faults = [
            draft
            for name, value, size in parts
            if value is not None
            for draft in multiple(
                f"{self.key}.{name}",
                value,
                size,
                f"{what}, a mean of {self.n}" if name == "mean" else what,
            )
        ]
        yield from faults
        if not faults and self.sd is not None and self.n > 1:
            yield from self._whole_spread(self.sd, step, what)

    def _whole_spread(self, sd: float, step: float, what: str) -> Iterator[Draft]:
        """The sum T of n whole numbers is whole, and so is that of their squares, which is odd when T is.

        Source: the tests GRIM (Brown and Heathers, 2017) and GRIMMER (Anaya, 2016).
        """
        n, slack = self.n, unit(self.mean)
        sums = range(
            math.ceil((self.mean - slack) * n / step - 1e-6),
            math.floor((self.mean + slack) * n / step + 1e-6) + 1,
        )
        low, high = ((max(0.0, sd + sign * unit(sd)) / step) ** 2 * (n - 1) for sign in (-1, 1))
        least = math.inf
        for total in sums if sums.stop - sums.start < _MOST_SUMS else ():
            each, rest = divmod(total, n)
            fewest = n * each**2 + rest * (2 * each + 1)
            least = min(least, fewest - total**2 / n)
            squares = max(fewest, math.ceil(low + total**2 / n - 1e-6))
            if squares + (squares - total) % 2 <= high + total**2 / n + 1e-6:
                return
        if least < math.inf:
            low = step * math.sqrt(least / (n - 1))
            write = f"{low:.3g} or more, as {n} values with this mean can have: {what} each"
            yield fault(f"{self.key}.sd", write, "arithmetic")


def multiple(key: str, value: float, step: float, what: str) -> Iterator[Draft]:
    """A fault where a value is no multiple of a step, rounding aside."""
    nearest = step * round(value / step)
    if abs(nearest - value) > unit(value) + 1e-12 * value:
        yield fault(key, f"{what}; nearest is {nearest:.6g}", "arithmetic")


@dataclass(frozen=True)
class Interval:
    """All values that the rounded numbers of a report allow."""

    low: float
    high: float

    def contains(self, value: float, tolerance: float) -> bool:
        """Whether a value is in it, or as near as its own rounding."""
        return self.low - tolerance <= value <= self.high + tolerance

    def __str__(self) -> str:
        if f"{self.low:.2g}" == f"{self.high:.2g}":
            return f"{self.low:.2g}"
        return f"from {self.low:.2g} to {self.high:.2g}"


def last_digit(p: float) -> float:
    """What rounding and interpolation in tables may have moved a p-value by."""
    return max(unit(p) if p >= 0.01 else 0.0, 0.05 * p)


def t_statistic(
    given: Comparison, test_shares: tuple[float, float] = (0.0, 0.0)
) -> Interval | None:
    """The absolute value of t; None for tests without one, and where deviations are zero.

    Args:
        given: the comparison.
        test_shares: test cases per training case, validation cases counted among these or not, which the corrected
            resampled t test adds to 1 / n (Nadeau and Bengio, 2003).
    """
    (a, b), difference = given.n, abs(given.means[0] - given.means[1])
    slack = sum(map(unit, given.means))
    if given.test in ("paired t test", "corrected resampled t test"):
        if given.sd_difference is None or a < 2:
            return None
        corrected = given.test == "corrected resampled t test"
        errors = [
            (given.sd_difference + sign * unit(given.sd_difference))
            * math.sqrt(1.0 / a + (share if corrected else 0.0))
            for sign, share in zip((-1, 1), test_shares, strict=True)
        ]
    elif given.test in ("Welch t test", "Student t test", "Cochran-Cox t test") and min(a, b) > 1:
        errors = [_standard_error(given, sign) for sign in (-1, 1)]
    else:
        return None
    if errors[1] <= 0.0:
        return None
    high = (difference + slack) / errors[0] if errors[0] > 0.0 else math.inf
    return Interval(max(0.0, difference - slack) / errors[1], high)


def _standard_error(given: Comparison, sign: int) -> float:
    """The standard error of the difference with both deviations at one end of their rounding."""
    (a, b) = given.n
    item, two = (max(0.0, sd + sign * unit(sd)) for sd in given.sds)
    if given.test == "Student t test":
        pooled = ((a - 1) * item**2 + (b - 1) * two**2) / (a + b - 2)
        return math.sqrt(pooled * (1 / a + 1 / b))
    return math.sqrt(item**2 / a + two**2 / b)


_BY_STATISTIC = {
    "5x2cv paired t test": lambda t: 2.0 * scipy.special.stdtr(5, -t),
    "5x2cv F test": lambda f: scipy.special.fdtrc(10, 5, max(f, 0.0)),
}
"""Tests whose statistic is not of mean and deviation (Dietterich, 1998; Alpaydin, 1999)."""


def p_value(given: Comparison, t: Interval | None) -> Interval | None:
    """The p-value of a t test or of McNemar's test; None for others."""
    if given.test in _BY_STATISTIC and given.statistic is not None:
        size, slack = abs(given.statistic), unit(given.statistic)
        low, high = (float(_BY_STATISTIC[given.test](size + sign * slack)) for sign in (1, -1))
        return Interval(low, high)
    if given.test == "McNemar test" and given.discordant is not None and any(given.discordant):
        return _mcnemar(*given.discordant)
    if t is None:
        return None
    least, most = _degrees(given)
    ends = [
        given.sides * float(scipy.special.stdtr(df, -size))
        for df, size in ((most, t.high), (least, t.low))
    ]
    return Interval(min(ends[0], 1.0), min(ends[1], 1.0))


_DEGREES: dict[Any, Callable[[int, int], tuple[int, int]]] = {
    "paired t test": lambda a, b: (a - 1, a - 1),
    "corrected resampled t test": lambda a, b: (a - 1, a - 1),
    "Student t test": lambda a, b: (a + b - 2, a + b - 2),
    "Cochran-Cox t test": lambda a, b: (min(a, b) - 1, max(a, b) - 1),
}


def _degrees(given: Comparison) -> tuple[float, float]:
    """The least and the greatest degrees of freedom that the test may use."""
    a, b = given.n
    item, two = (sd**2 / n for sd, n in zip(given.sds, given.n, strict=True))
    if given.test in _DEGREES:
        return _DEGREES[given.test](a, b)
    if not item + two:
        return min(a, b) - 1, a + b - 2
    df = (item + two) ** 2 / (item**2 / (a - 1) + two**2 / (b - 1))
    return 0.97 * df, 1.03 * df


def _mcnemar(first: int, second: int) -> Interval:
    """From the exact binomial test, and chi squared with and without continuity correction."""
    total, least = first + second, min(first, second)
    exact = min(1.0, 2.0 * float(scipy.special.bdtr(least, total, 0.5)))
    squares = [max(0.0, abs(first - second) - less) ** 2 / total for less in (0.0, 1.0)]
    approximate = [float(scipy.special.chdtrc(1, value)) for value in squares]
    return Interval(min(exact, *approximate), max(exact, *approximate))


def smallest_p(given: Comparison) -> float | None:
    """The least p-value that a rank test of so few values can have; None for other tests."""
    a, b = given.n
    if given.test == "Wilcoxon signed-rank test":
        return min(1.0, given.sides * 0.5**a)
    if given.test in ("Mann-Whitney test", "permutation test") and given.pairs == "none":
        return min(1.0, given.sides / math.comb(a + b, a)) if a + b < 1000 else 0.0
    return min(1.0, given.sides * 0.5**a) if given.test == "permutation test" else None
