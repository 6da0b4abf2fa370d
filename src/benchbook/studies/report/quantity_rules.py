"""Rules about the statistics of each quantity: numbers that no set of runs can have are refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from benchbook.studies.report.form import Form, shown
from benchbook.studies.report.quantities import EPOCHS, QUANTITIES, STATISTICS

_LARGE = 1000


@dataclass(frozen=True)
class QuantitySummary:
    """The statistics of one quantity, as far as they are given, over ``runs`` runs none of which exceeds ``most``."""

    place: str
    mean: float
    sd: float | None
    runs: int | None
    most: float
    minimum: float | None = None
    median: float | None = None
    maximum: float | None = None

    @property
    def marks(self) -> list[float]:
        """Minimum, median and maximum, as far as they are given."""
        return [value for value in (self.minimum, self.median, self.maximum) if value is not None]

    @property
    def rounding(self) -> float:
        """What rounding may have moved the distance of the mean from one of the marks by: both are rounded."""
        return 2 * max(unit(value) for value in (self.mean, *self.marks))

    def ends(self, runs: int) -> tuple[float, float]:
        """The least and the greatest value that one of the runs can have, given the others' and the mean."""
        low = 0.0 if self.minimum is None else self.minimum
        high = (
            min(self.most, low + runs * (self.mean + self.rounding - low))
            if self.maximum is None
            else self.maximum
        )
        if self.minimum is None:
            low = max(low, high - runs * (high - self.mean + self.rounding))
        return low, high


def described(form: Form) -> None:
    """A quantity that is given has a mean, and over several runs a standard deviation, which agree with each other."""
    runs, longest = form.get("results.runs"), form.get("stopping.most_epochs")
    for quantity, known in QUANTITIES.items():
        place = f"results.{quantity}"
        mean, sd, *marks = (form.get(f"{place}.{name}") for name in STATISTICS)
        if any(value is not None for value in (sd, *marks)):
            form.need(
                f"{place}.mean",
                f"other statistics of {quantity} are given",
                "the mean over the runs",
                "statistics",
            )
        if mean is None:
            continue
        if (runs or 2) > 1:
            form.need(
                f"{place}.sd",
                "there are several runs",
                "the standard deviation over the runs, divisor n - 1",
                "statistics",
            )
        most = (
            min(known.most, longest) if quantity in EPOCHS and longest is not None else known.most
        )
        summary = QuantitySummary(place, mean, sd, runs, most, *marks)
        _ordered(form, summary)
        _varied(form, summary)
        _possible_value(form, quantity, summary)


def _ordered(form: Form, given: QuantitySummary) -> None:
    """Minimum, median and maximum are in their order, the mean between them, and nothing is larger than it can be."""
    inside = (given.minimum is None or given.minimum <= given.mean + given.rounding) and (
        given.maximum is None or given.mean <= given.maximum + given.rounding
    )
    if given.marks != sorted(given.marks) or not inside:
        form.refuse(
            f"{given.place}.mean",
            str(given.mean),
            "minimum, median and maximum in their order, and the mean between minimum and maximum",
            "arithmetic",
        )
    for name in ("mean", "minimum", "median", "maximum"):
        value = getattr(given, name)
        if value is not None and value > given.most + unit(value):
            form.refuse(
                f"{given.place}.{name}",
                str(value),
                f"at most {given.most:g}, which no run exceeds",
                "arithmetic",
            )


def _varied(form: Form, given: QuantitySummary) -> None:
    """The variance of n values from a to b with mean m is at most (b - m)(m - a), with divisor n.

    It is at least what it would be if all but the minimum and the maximum were equal.
    """
    if (
        given.sd is None
        or given.runs is None
        or given.runs < 2
        or form.refused(f"{given.place}.mean")
    ):
        return
    low, high = given.ends(given.runs)
    above, below = high - given.mean + given.rounding, given.mean - low + given.rounding
    most = math.sqrt(max(0.0, above * below * given.runs / (given.runs - 1)))
    if given.sd > most + unit(given.sd):
        form.refuse(
            f"{given.place}.sd",
            str(given.sd),
            f"at most {most:.3g}: {given.runs} values between "
            f"{low:.6g} and {high:.6g} with this mean cannot vary more",
            "arithmetic",
        )
    least = _least_sd(given, given.runs)
    if given.sd < least - unit(given.sd):
        form.refuse(
            f"{given.place}.sd",
            str(given.sd),
            f"at least {least:.3g}: {given.runs} values with this mean, "
            "minimum and maximum cannot vary less",
            "arithmetic",
        )


def _least_sd(given: QuantitySummary, runs: int) -> float:
    """The least standard deviation, divisor n - 1, of n values with this mean, minimum and maximum."""
    ends = [value - given.mean for value in (given.minimum, given.maximum) if value is not None][
        :runs
    ]
    ends = [math.copysign(max(0.0, abs(away) - given.rounding), away) for away in ends]
    rest = sum(ends) ** 2 / (runs - len(ends)) if runs > len(ends) else 0.0
    return math.sqrt((sum(away**2 for away in ends) + rest) / (runs - 1))


def _possible_value(form: Form, quantity: str, given: QuantitySummary) -> None:
    """The value of one run is a whole number of cases or epochs, and a mean of n runs one n-th of such a number."""
    step, what = _step(form, quantity)
    if not step:
        return
    for name, value in (("minimum", given.minimum), ("maximum", given.maximum)):
        if value is not None:
            _multiple(form, f"{given.place}.{name}", value, step, what)
    if given.runs is not None:
        _multiple(
            form,
            f"{given.place}.mean",
            given.mean,
            step / given.runs,
            f"{what}, a mean of {given.runs} runs",
        )


def _step(form: Form, quantity: str) -> tuple[float, str]:
    """What the value of one run is a multiple of, 0 for nothing, and how to say so."""
    if quantity.endswith("_wrong"):
        cases = form.get(f"partition.{quantity.removesuffix('_wrong')}")
        return (100.0 / cases, f"a whole number of {cases} cases") if cases else (0.0, "")
    strip = form.get("stopping.strip")
    if (
        quantity == "relevant_epochs"
        and strip is not None
        and form.get("stopping.state") == "least validation error"
    ):
        return float(
            strip
        ), f"a whole number of strips of {strip} epochs, after which the error is measured"
    return (1.0, "a whole number") if QUANTITIES[quantity].whole else (0.0, "")


def _multiple(form: Form, key: str, value: float, step: float, what: str) -> None:
    nearest = step * round(value / step)
    if abs(nearest - value) > unit(value) + 1e-12 * value and not form.refused(key):
        form.refuse(key, str(value), f"{what}; nearest is {nearest:.6g}", "arithmetic")


def unit(value: float) -> float:
    """Half a unit of the last digit that is written; zeros at the end of a large number may stand for rounding."""
    digits = Decimal(repr(float(value))).normalize()
    exponent = int(digits.as_tuple().exponent)
    place = exponent if abs(value) >= _LARGE else min(exponent, -1)
    return 0.5 * 10.0**place * (1.0 + 1e-9)


def epochs(form: Form) -> None:
    """The state that is taken is not later than the end of training, and errors are measured before that."""
    strip, longest = form.get("stopping.strip"), form.get("stopping.most_epochs")
    if None not in (strip, longest) and strip > longest:
        form.refuse(
            "stopping.strip", str(strip), f"at most {longest}, the longest training", "stopping"
        )
    for name in ("mean", "minimum", "median", "maximum"):
        taken, trained = (
            form.get(f"results.{quantity}.{name}")
            for quantity in ("relevant_epochs", "total_epochs")
        )
        if None not in (taken, trained) and taken > trained + unit(taken) + unit(trained):
            form.refuse(
                f"results.relevant_epochs.{name}",
                str(taken),
                f"at most {trained}, the {name} of all epochs: the state was taken from among them",
                "arithmetic",
            )


def compared(form: Form) -> None:
    """The other side of a comparison has a mean and a standard deviation that runs can have."""
    for number, other in enumerate(form.comparisons):
        quantity, mean, sd, runs = (other.get(key) for key in ("quantity", "mean", "sd", "runs"))
        if quantity is not None and mean is not None:
            summary = QuantitySummary(
                f"comparison[{number}]", mean, sd, runs, QUANTITIES[quantity].most
            )
            _ordered(form, summary)
            _varied(form, summary)


def best_run(form: Form) -> None:
    """A best run is picked before its test error is looked at, and is one of the runs."""
    by = form.get("results.best_run.chosen_by")
    given = [
        key
        for key in ("test_error", "test_wrong")
        if form.get(f"results.best_run.{key}") is not None
    ]
    if given and by is None:
        form.need(
            "results.best_run.chosen_by", "a best run is given", "by what it was picked", "best run"
        )
    if by is not None and "test" in by.lower():
        form.refuse(
            "results.best_run.chosen_by",
            shown(by),
            "'validation error', and then the test error that this run happens to have",
            "best run",
        )
    for key in given if form.get("runs.excluded") == 0 else ():
        value: float = form.get(f"results.best_run.{key}")
        low: float | None = form.get(f"results.{key}.minimum")
        high: float | None = form.get(f"results.{key}.maximum")
        if (low is not None and value < low - unit(low)) or (
            high is not None and value > high + unit(high)
        ):
            form.refuse(
                f"results.best_run.{key}",
                str(value),
                "a value from the minimum to the maximum of all runs",
                "arithmetic",
            )
    cases, wrong = form.get("partition.test"), form.get("results.best_run.test_wrong")
    if None not in (cases, wrong):
        _multiple(
            form,
            "results.best_run.test_wrong",
            wrong,
            100.0 / cases,
            f"a whole number of {cases} cases",
        )


RULES = (described, epochs, compared, best_run)
