"""Rules about comparing a report's mean with another one; what a test claims is computed again."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchbook_book.form import known
from benchbook_book.form.bounds import (
    Interval,
    Summary,
    last_digit,
    p_value,
    smallest_p,
    t_statistic,
    unit,
)
from benchbook_book.form.cases import At, Case, drafts_of
from benchbook_book.form.result_rules import step_of
from benchbook_book.form.rules import Draft, fault, faults_of, remark
from benchbook_book.form.schema import Comparison, NotGiven, Report, value_at
from benchbook_book.form.words import plain_text

_UNPAIRED = ("Welch t test", "Student t test", "Cochran-Cox t test", "Mann-Whitney test")
_PAIRED = (
    "paired t test",
    "corrected resampled t test",
    "Wilcoxon signed-rank test",
    "5x2cv paired t test",
    "5x2cv F test",
    "Diebold-Mariano test",
    "McNemar test",
)


_NOBODY = re.compile(
    r"(?:the |a |our |other |previous |earlier )*"
    r"(?:baselines?|state of the art|works?|methods?|results?|literature|others|competitors?)",
    re.I,
)


_NO_DIFFERENCE = "no significant difference"
_SD_NEEDED = ("paired t test", "corrected resampled t test")


_UNTUNED = re.compile(
    r"\b(?:untuned|(?:not|never)\s+tuned|without\s+(?:any\s+)?tuning|defaults?|out\s+of\s+the\s+box|off\s+the\s+shelf)\b",
    re.I,
)
_ELSEWHERE = re.compile(
    r"\b(?:another|other|different|their(?:\s+own)?|its\s+own|separate)\s+(?:\w+\s+)?(?:splits?|partitions?|permutations?|folds?|"
    r"cases|test\s+(?:set|cases)|cross[\s-]?validation|seeds?\s+of\s+the\s+split)\b",
    re.I,
)
_COPIED = re.compile(
    r"\b(?:copied|quoted|printed|taken\s+from|reported\s+(?:in|by)|published|paper|et\s+al|table\s+\d|(?:19|20)\d\d)\b",
    re.I,
)


def _used(at: At) -> list[int]:
    """How many values each side has, those removed as outliers among them."""
    return [sum(pair) for pair in zip(at("n"), at("outliers_removed"), strict=True)]


def _most_removed(side: int, at: At) -> str:
    return f"at most {_used(at)[side] // 10} of {_used(at)[side]} values of one sample"


def _too_many_removed(side: int, at: At) -> bool:
    return bool(10 * at("outliers_removed")[side] > _used(at)[side])


def _crossed(at: At) -> bool:
    return at("study.kind") in ("cross-validation", "backtest")


def _elsewhere(at: At) -> bool:
    """Whether the other result is said to be of other cases."""
    text, own = at("against"), known.partition(at("split.name"))
    named = map(known.partition, re.findall(r"\b[a-z][a-z-]*\d[a-f]?\b", text))
    return bool(
        any(item and (own is None or item.name != own.name) for item in named)
        or _ELSEWHERE.search(text)
        or (not _crossed(at) and re.search(r"cross[\s-]?validat", text, re.I))
    )


def _tuned_better(at: At) -> bool:
    return at("tuning.settings_tried") > 1 and at("claim") != _NO_DIFFERENCE


def _folds(at: At) -> bool:
    return at("split.folds") is not None and at("results.over") != "runs"


def _p(at: At) -> float | None:
    """The p-value that is stated, or its bound."""
    return at("p_below") if at("p") is None else at("p")


def _against_means(at: At) -> bool:
    first, second = at("means")
    return {"smaller": first >= second, "larger": first <= second}.get(at("claim"), False)


def _percent(at: At) -> float | None:
    """The p-value in per cent where a difference is claimed at a level."""
    p = None if None in (_p(at), at("level")) else _p(at)
    return None if p is None or at("claim") == _NO_DIFFERENCE else 100.0 * p


def _by_chance(at: At) -> bool:
    """Whether so many tests at this level find such a difference by chance."""
    tests, percent = at("tests_made"), _percent(at)
    return bool(tests > 1 and percent and percent <= at("level") < percent * tests)


_CLAIMED = "nothing, and a difference is claimed"
_CHANCE = partial(
    Case,
    "p",
    "several tests",
    lambda at: (
        f"with {at('tests_made')} tests at this level about {at('tests_made') * at('level') / 100:.2g} find a "
        f"difference where there is none; say so, or ask for p <= {at('level') / 100 / at('tests_made'):.2g}"
    ),
)
CASES = (
    Case(
        "tuned",
        "fair comparison",
        "'as this report', after as many settings were tried for the other; or no claim",
        lambda at: at("tuned") == "not" and at("claim") != "no significant difference",
    ),
    Case(
        "test",
        "design",
        "a test for numbers, or quantity = 'test_wrong': McNemar's is for cases right or wrong",
        lambda at: at("test") == "McNemar test" and not at("quantity").endswith("wrong"),
    ),
    Case(
        "test",
        "design",
        "another test: this one is for 5 replications of 2 folds",
        lambda at: at("test") in _PAIRED[3:5] and at("n") != [10, 10],
    ),
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
        lambda at: at("test") in _PAIRED[:-1] and at("n")[0] != at("n")[1],
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
    Case(
        "split",
        "same partition",
        lambda at: (
            f"a result on {at('split.name')}; one split says nothing of another, not even of the same problem"
        ),
        lambda at: len({plain_text(at(key)).casefold() for key in ("split", "split.name")}) > 1,
    ),
    Case(
        "n",
        "equal runs",
        lambda at: (
            f"{_used(at)[0]} on both sides, if more can be made: equal numbers compare most easily"
        ),
        lambda at: len(set(_used(at))) > 1 and at("test") != "McNemar test",
        remark,
    ),
    Case(
        "n",
        "arithmetic",
        lambda at: f"{at('results.n')} of this report, less the outliers removed",
        lambda at: _used(at)[0] != at("results.n") and at("test") != "McNemar test",
    ),
    *(
        Case(
            "outliers_removed",
            "outliers",
            partial(_most_removed, side),
            partial(_too_many_removed, side),
        )
        for side in (0, 1)
    ),
    Case(
        "against",
        "same partition",
        lambda at: f"a result on the cases of {at('split.name')}: others have other errors",
        _elsewhere,
    ),
    Case(
        "against",
        "fair comparison",
        "runs of one's own in the same folds, or in split.file the published lists of the folds",
        lambda at: (
            _crossed(at)
            and not _elsewhere(at)
            and _COPIED.search(at("against"))
            and not re.search(r"\bours?\b|\bown\b", at("against"), re.I)
            and not at("split.file")
        ),
    ),
    Case(
        "against",
        "fair comparison",
        "the same, tuned as this report's method was",
        lambda at: _tuned_better(at) and _UNTUNED.search(at("against")),
    ),
    Case(
        "tuned",
        "fair comparison",
        "what tuning the other got",
        lambda at: _tuned_better(at) and at("tuned") is None and not _UNTUNED.search(at("against")),
        remark,
    ),
    Case(
        "pairs",
        "design",
        lambda at: f"what the sides share: {at('test')} is for pairs; or an unpaired test",
        lambda at: at("test") in _PAIRED and at("pairs") == "none",
    ),
    *(
        Case(
            "test",
            "design",
            lambda at: f"a paired test: both sides have the {at('pairs')}",
            partial(lambda shared, at: at("test") in _UNPAIRED and at("pairs") in shared, shared),
            make,
        )
        for make, shared in ((remark, ["same seeds"]), (fault, ["same folds", "same cases"]))
    ),
    Case(
        "test",
        "design",
        "the corrected resampled t test: folds share training cases, and others find too much",
        lambda at: (
            _folds(at)
            and isinstance(at("test"), str)
            and at("test") not in (_PAIRED[1], *_PAIRED[3:])
        ),
        remark,
    ),
    Case(
        "pairs",
        "design",
        "same folds; other folds are another split",
        lambda at: _folds(at) and at("pairs") == "none",
    ),
    *(
        Case(
            name,
            "design",
            lambda at: f"its value: {at('test')} is computed from it",
            partial(lambda name, tests, at: at("test") in tests and at(name) is None, name, tests),
            found="nothing",
        )
        for name, tests in (("sd_difference", _SD_NEEDED), ("discordant", ["McNemar test"]))
    ),
    Case(
        "discordant",
        "arithmetic",
        "no more than there are cases",
        lambda at: sum(at("discordant") or []) > (at("split.cases") or at("split.test")),
    ),
    Case(
        "values",
        "significance",
        "log, unless the errors were examined and are about normal: errors of many runs are skewed",
        lambda at: (
            at("values") == "raw"
            and at("test") in _UNPAIRED[:3]
            and at("quantity").endswith("error")
            and not _folds(at)
        ),
        remark,
    ),
    Case(
        "claim",
        "arithmetic",
        lambda at: "what the means show: {:g} here, {:g} there".format(*at("means")),
        _against_means,
    ),
    Case(
        "p_below",
        "arithmetic",
        lambda at: f"at least p = {at('p'):g}",
        lambda at: None not in (at("p"), at("p_below")) and at("p") > at("p_below"),
    ),
    Case(
        "claim",
        "significance",
        lambda at: f"smaller or larger: p = {_p(at):g} is below the level of {at('level'):g} %",
        lambda at: (
            at("claim") == _NO_DIFFERENCE
            and None not in (_p(at), at("level"))
            and 100.0 * (_p(at) or 0.0) < at("level")
            and (at("correction"), at("tests_made")) == ("none", 1)
        ),
    ),
    Case(
        "p",
        "significance",
        "the test and its p-value",
        lambda at: at("claim") == _NO_DIFFERENCE and _p(at) is None,
        remark,
    ),
    *(
        Case(
            name,
            "significance",
            write,
            partial(
                lambda name, at: (
                    at("claim") != _NO_DIFFERENCE and (_p(at) if name == "p" else at(name)) is None
                ),
                name,
            ),
            found=_CLAIMED,
        )
        for name, write in (
            ("test", "the test of significance"),
            ("level", "its level in per cent"),
            ("p", "the p-value, or p_below"),
        )
    ),
    Case(
        "claim",
        "significance",
        lambda at: (
            f"'no significant difference': p = {_p(at):g} is above the level of {at('level'):g} %"
        ),
        lambda at: (_percent(at) or 0.0) > (at("level") or 100.0),
    ),
    _CHANCE(lambda at: _by_chance(at) and at("correction") == "Bonferroni"),
    _CHANCE(lambda at: _by_chance(at) and at("correction") == "none", remark),
)
"""What is wrong, or unusual, in any comparison."""


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
    shown = f"as in results.{given.quantity}"
    if given.values == "log":
        highest = math.exp(
            min(mean + slack + (sd + unit(sd)) * (n - 1) / math.sqrt(max(n, 1)), 700.0)
        )
        ends = [math.log(end) for end in (own.minimum, own.maximum) if end]
        away = ((own.sd or 0.0) + unit(own.sd or 0.0)) * math.sqrt(out / max(n, 1))
        below = math.exp(min(mean - slack, 700.0)) <= own.mean + unit(own.mean) + away
        likely = math.sqrt(math.log1p((own.sd / own.mean) ** 2)) if own.sd and own.mean else None
        yield from faults_of(
            (
                len(ends) == 2 and not ends[0] - slack <= mean <= ends[1] + slack,
                f"{key}.means",
                f"from log {own.minimum or 0:g} to log {own.maximum or 0:g}, the ends of the results",
                "arithmetic",
            ),
            (
                n > 1 and not (below and (out or own.mean - unit(own.mean) <= highest)),
                f"{key}.means",
                f"the mean of the logarithms of values with mean {own.mean:g}",
                "arithmetic",
            ),
        )
        if likely and not likely / 4 < sd < 4 * likely:
            write = f"about {likely:.2g}, which log-normal values of this mean and deviation have"
            yield remark(f"{key}.sds", write, "arithmetic")
    elif own.sd is not None and n > 0:
        away = (own.sd + unit(own.sd)) * math.sqrt(out / n) + slack + unit(own.mean)
        rounding, most = unit(sd) + unit(own.sd), own.sd * math.sqrt((n + out) / n)
        apart = sd > most + rounding or (not out and sd + rounding < own.sd)
        yield from faults_of(
            (abs(mean - own.mean) > away, f"{key}.means", f"{own.mean:g}, {shown}", "arithmetic"),
            (apart, f"{key}.sds", f"{own.sd:g}, {shown}", "arithmetic"),
        )


def possible(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The other side has a mean and a deviation that runs can have."""
    if given.values == "raw" and min(given.n) > 0:
        most = 100.0 if given.quantity.endswith("wrong") else math.inf
        for index, (n, mean, sd) in enumerate(zip(given.n, given.means, given.sds, strict=True)):
            summary = Summary(key, n, mean, sd, most=most)
            whole = step_of(report, given.quantity)
            for draft in (
                *summary.drafts(),
                *(summary.multiples(*whole) if whole and index else ()),
            ):
                name = draft.key.rpartition(".")[2] + "s"
                yield fault(f"{key}.{name}", f"value {index + 1}: {draft.write}", "arithmetic")


def recomputed(report: Report, given: Comparison, key: str) -> Iterator[Draft]:
    """The statistic and the p-value follow from n, means and deviations."""
    if given.test not in (None, "McNemar test") and min(given.n) < 2:
        yield fault(
            f"{key}.n", "two values or more of each side: of one nothing can be tested", "design"
        )
        return
    training, validation = (getattr(report.split, name, 0) for name in ("training", "validation"))
    test = report.split.test
    t = t_statistic(given, (test / max(training + validation, 1), test / max(training, 1)))
    p, low = p_value(given, t), smallest_p(given)
    if p is None:
        yield from _beside_welch(given, key)
        p = Interval(low or 0.0, 1.0)
    stated, exact, bound = given.statistic, given.p, given.p_below
    amiss = stated is not None and t is not None and not t.contains(abs(stated), unit(stated))
    yield from (
        fault(f"{key}.{name}", f"{value}: so it follows from means, deviations and n", "arithmetic")
        for name, value, wrong in (
            ("statistic", t, amiss),
            ("p", p, exact is not None and not p.contains(exact, last_digit(exact))),
            ("p_below", p, bound is not None and p.low > bound),
        )
        if wrong
    )


def _beside_welch(given: Comparison, key: str) -> Iterator[Draft]:
    """A p-value that cannot be computed again, far below that of Welch's test of the same numbers."""
    claimed_p = given.p if given.p is not None else given.p_below
    welch = given.model_copy(update={"test": "Welch t test"})
    p = p_value(welch, t_statistic(welch)) if given.test and given.pairs == "none" else None
    if p is not None and claimed_p is not None and claimed_p < p.low / 10:
        write = f"the values too: Welch's test of these means and deviations has p {p}"
        yield remark(f"{key}.p", write, "significance")


def _value(report: Report, given: Comparison, key: str) -> Any:
    """The value of a key of the comparison, or of a dotted key of the report."""
    return value_at(given if key in Comparison.model_fields else report, key)


def comparisons(report: Report) -> Iterator[Draft]:
    """Every comparison, by every rule; one that lacks a value silences only the rules that need it."""
    for number, given in enumerate(report.comparison):
        key = f"comparison[{number}]"
        yield from drafts_of(CASES, partial(_value, report, given), f"{key}.")
        for rule in (same_values, possible, recomputed):
            with contextlib.suppress(NotGiven):
                yield from rule(report, given, key)


RULES = (comparisons,)
