"""Rules about comparing a report's mean with another one; what a test claims is computed again."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator

from benchbook.checklist.bounds import (
    Interval,
    Summary,
    last_digit,
    p_value,
    smallest_p,
    t_statistic,
    unit,
)
from benchbook.checklist.presence_rules import Case, drafts_of
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import Comparison, Report
from benchbook.checklist.tables import NotGiven
from benchbook.checklist.words import plain_text

_UNPAIRED = ("Welch t test", "Student t test", "Cochran-Cox t test", "Mann-Whitney test")
_PAIRED = (
    "paired t test",
    "corrected resampled t test",
    "Wilcoxon signed-rank test",
    "McNemar test",
)


def same_split(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """Both results belong to one split, and are means of as many values."""
    if plain_text(given.split).casefold() != plain_text(report.split.name).casefold():
        yield fault(
            f"{key}.split",
            f"a result on {report.split.name}; one split says nothing of another, not even of the same problem",
            "same partition",
        )
    used, other = (count + out for count, out in zip(given.n, given.outliers_removed, strict=True))
    if used != other and given.test != "McNemar test":
        write = f"{used} on both sides, if more can be made: equal numbers compare most easily"
        yield remark(f"{key}.n", write, "equal runs")
    if used != report.results.n and given.test != "McNemar test":
        yield fault(
            f"{key}.n",
            f"{report.results.n} of this report, less the outliers removed",
            "arithmetic",
        )


_NOBODY = re.compile(
    r"(?:the |a |our |other |previous |earlier )*"
    r"(?:baselines?|state of the art|works?|methods?|results?|literature|others|competitors?)",
    re.I,
)


def outliers(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """At most a tenth of either sample is removed."""
    for out, count in zip(given.outliers_removed, given.n, strict=True):
        if 10 * out > out + count:
            yield fault(
                f"{key}.outliers_removed",
                f"at most {(out + count) // 10} of {out + count} values of one sample",
                "outliers",
            )


CASES = (
    Case(
        "against",
        "significance",
        "which method, and where its results are from",
        lambda at: _NOBODY.fullmatch(at("against")),
    ),
    Case(
        "outlier_rule",
        "outliers",
        "the rule, so that the test's assumption holds",
        lambda at: any(at("outliers_removed")) and at("outlier_rule") is None,
    ),
    Case(
        "n",
        "design",
        "equal numbers: pairs have both sides",
        lambda at: at("test") in _PAIRED[:3] and at("n")[0] != at("n")[1],
    ),
    Case(
        "level",
        "significance",
        "10 or less: at this level chance alone finds many differences",
        lambda at: at("level") is not None and at("level") > 10,
        remark,
    ),
    Case(
        "sides",
        "significance",
        "2, unless the direction was fixed before the runs",
        lambda at: at("sides") == 1,
        remark,
    ),
)
"""What is wrong, or unusual, in any comparison."""


def plain_cases(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """Both sides are named, and the test is one that others would make."""
    yield from drafts_of(CASES, given, f"{key}.")


def same_values(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The values tested are those of the results, but for their outliers."""
    own = getattr(report.results, given.quantity)
    if own is None:
        yield fault(
            f"results.{given.quantity}",
            "its statistics: a comparison uses them",
            "statistics",
            "nothing",
        )
        return
    n, out = given.n[0], given.outliers_removed[0]
    mean, sd, slack = given.means[0], given.sds[0], unit(given.means[0])
    if given.values == "log":
        highest = math.exp(
            min(mean + slack + (sd + unit(sd)) * (n - 1) / math.sqrt(max(n, 1)), 700.0)
        )
        ends = [math.log(end) for end in (own.minimum, own.maximum) if end]
        if own.minimum and own.maximum and not ends[0] - slack <= mean <= ends[1] + slack:
            write = f"from log {own.minimum:g} to log {own.maximum:g}, the ends of the results"
            yield fault(f"{key}.means", write, "arithmetic")
        below = math.exp(min(mean - slack, 700.0)) <= own.mean + unit(own.mean)
        if n > 1 and not out and not (below and own.mean - unit(own.mean) <= highest):
            yield fault(
                f"{key}.means",
                f"the mean of the logarithms of values with mean {own.mean:g}",
                "arithmetic",
            )
        likely = math.sqrt(math.log1p((own.sd / own.mean) ** 2)) if own.sd and own.mean else None
        if likely and not likely / 4 < sd < 4 * likely:
            write = f"about {likely:.2g}, which log-normal values of this mean and deviation have"
            yield remark(f"{key}.sds", write, "arithmetic")
    elif own.sd is not None and n > 0:
        away = (own.sd + unit(own.sd)) * math.sqrt(out / n) + slack + unit(own.mean)
        if abs(mean - own.mean) > away:
            yield fault(
                f"{key}.means", f"{own.mean:g}, as in results.{given.quantity}", "arithmetic"
            )
        rounding = unit(sd) + unit(own.sd)
        if sd > own.sd * math.sqrt((n + out) / n) + rounding or (
            not out and sd + rounding < own.sd
        ):
            yield fault(f"{key}.sds", f"{own.sd:g}, as in results.{given.quantity}", "arithmetic")


def possible(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The other side has a mean and a deviation that runs can have."""
    if given.values == "raw" and min(given.n) > 0:
        most = 100.0 if given.quantity.endswith("wrong") else math.inf
        for index, (n, mean, sd) in enumerate(zip(given.n, given.means, given.sds, strict=True)):
            for draft in Summary(key, n, mean, sd, most=most).drafts():
                name = draft.key.rpartition(".")[2] + "s"
                yield fault(f"{key}.{name}", f"value {index + 1}: {draft.write}", "arithmetic")


def design(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The test suits what both sides share."""
    test, paired = given.test, given.pairs != "none"
    if test in _PAIRED and not paired:
        yield fault(
            f"{key}.pairs",
            f"what the sides share: {test} is for pairs; or an unpaired test",
            "design",
        )
    if test in _UNPAIRED and paired:
        make = remark if given.pairs == "same seeds" else fault
        yield make(f"{key}.test", f"a paired test: both sides have the {given.pairs}", "design")
    if test == "McNemar test" and report.problem.kind != "classification":
        yield fault(
            f"{key}.test", "a test for numbers: McNemar's is for cases right or wrong", "design"
        )
    folds = report.split.folds is not None and report.results.over != "runs"
    if folds and test not in (None, "corrected resampled t test", "McNemar test"):
        yield remark(
            f"{key}.test",
            "the corrected resampled t test: folds share training cases, and others find too much",
            "design",
        )
    if folds and not paired:
        yield fault(f"{key}.pairs", "same folds; other folds are another split", "design")
    needed = {
        "paired t test": "sd_difference",
        "corrected resampled t test": "sd_difference",
        "McNemar test": "discordant",
    }
    name = needed.get(test, "") if isinstance(test, str) else ""
    if name and getattr(given, name) is None:
        yield fault(f"{key}.{name}", f"its value: {test} is computed from it", "design", "nothing")
    if given.discordant is not None and sum(given.discordant) > (
        report.split.cases or report.split.test
    ):
        yield fault(f"{key}.discordant", "no more than there are cases", "arithmetic")
    if (
        given.values == "raw"
        and test in (*_UNPAIRED[:3],)
        and given.quantity.endswith("error")
        and not folds
    ):
        yield remark(
            f"{key}.values",
            "log, unless the errors were examined and are about normal: errors of many runs are skewed",
            "significance",
        )


def claimed(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """A claim has a test and agrees with the means, the p-value and the level."""
    first, second = given.means
    if (given.claim == "smaller" and first >= second) or (
        given.claim == "larger" and first <= second
    ):
        yield fault(
            f"{key}.claim", f"what the means show: {first:g} here, {second:g} there", "arithmetic"
        )
    p = given.p if given.p is not None else given.p_below
    if given.p is not None and given.p_below is not None and given.p > given.p_below:
        yield fault(f"{key}.p_below", f"at least p = {given.p:g}", "arithmetic")
    if given.claim == "no significant difference":
        if (
            p is not None
            and given.level is not None
            and 100.0 * p < given.level
            and given.correction == "none"
            and given.tests_made == 1
        ):
            yield fault(
                f"{key}.claim",
                f"smaller or larger: p = {p:g} is below the level of {given.level:g} %",
                "significance",
            )
        if p is None:
            yield remark(f"{key}.p", "the test and its p-value", "significance")
        return
    for name, write in (("test", "the test of significance"), ("level", "its level in per cent")):
        if getattr(given, name) is None:
            yield fault(
                f"{key}.{name}", write, "significance", "nothing, and a difference is claimed"
            )
    if p is None:
        yield fault(
            f"{key}.p",
            "the p-value, or p_below",
            "significance",
            "nothing, and a difference is claimed",
        )
    elif given.level is not None:
        yield from _significant(given, key, p, given.level)


def _significant(given: Comparison, key: str, p: float, level: float) -> Iterator[Draft]:
    tests = given.tests_made
    if 100.0 * p > level:
        yield fault(
            f"{key}.claim",
            f"'no significant difference': p = {p:g} is above the level of {level:g} %",
            "significance",
        )
    elif tests > 1 and 100.0 * p * tests > level and given.correction in ("none", "Bonferroni"):
        make = fault if given.correction == "Bonferroni" else remark
        yield make(
            f"{key}.p",
            f"with {tests} tests at this level about {tests * level / 100:.2g} find a difference where there is none; "
            f"say so, or ask for p <= {level / 100 / tests:.2g}",
            "several tests",
        )


def recomputed(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The statistic and the p-value follow from n, means and deviations."""
    if given.test not in (None, "McNemar test") and min(given.n) < 2:
        yield fault(
            f"{key}.n", "two values or more of each side: of one nothing can be tested", "design"
        )
        return
    follows = "so it follows from means, deviations and n"
    split = report.split
    t = t_statistic(
        given, (split.test / (split.training + split.validation), split.test / split.training)
    )
    stated = given.statistic
    if stated is not None and t is not None and not t.contains(abs(stated), unit(stated)):
        yield fault(f"{key}.statistic", f"{t}: {follows}", "arithmetic")
    p = p_value(given, t)
    if p is None:
        low = smallest_p(given)
        p = None if low is None else Interval(low, 1.0)
        yield from _beside_welch(given, key)
    if p is None:
        return
    if given.p is not None and not p.contains(given.p, last_digit(given.p)):
        yield fault(f"{key}.p", f"{p}: {follows}", "arithmetic")
    if given.p_below is not None and p.low > given.p_below:
        yield fault(f"{key}.p_below", f"{p}: {follows}", "arithmetic")


def _beside_welch(given: Comparison, key: str) -> Iterator[Draft]:
    """A p-value that cannot be computed again, far below that of Welch's test of the same numbers."""
    claimed_p = given.p if given.p is not None else given.p_below
    if given.test is None or given.pairs != "none" or claimed_p is None:
        return
    welch = given.model_copy(update={"test": "Welch t test"})
    p = p_value(welch, t_statistic(welch))
    if p is not None and claimed_p < p.low / 10:
        yield remark(
            f"{key}.p",
            f"the values too: Welch's test of these means and deviations has p {p}",
            "significance",
        )


_EACH = (same_split, plain_cases, outliers, same_values, possible, design, claimed, recomputed)


def comparisons(report: Report) -> Iterator[Draft]:
    """Every comparison, by every rule; one that lacks a value silences only the rules that need it."""
    for number, given in enumerate(report.comparison):
        for rule in _EACH:
            with contextlib.suppress(NotGiven):
                yield from rule(report, given, f"comparison[{number}]")


RULES = (comparisons,)
