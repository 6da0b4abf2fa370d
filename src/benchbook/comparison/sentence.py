"""A comparison in words: the sentence that can stand in a paper. Each is made of the very pair that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchbook.assess.decisions import LEVEL, opposite
from benchbook.comparison.candidates import CONSTANT, is_baseline
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.scale import share
from benchbook.show.numbers import number
from benchbook.words import counted, listed, p_value

Row = Mapping[str, Any]
_NO_WINNER = "**No winner is named.**"
_VERDICTS = {
    "better": "better",
    "as good": "as good",
    "not worse": "not worse",
    "worse": "worse",
    "open": "undecided",
    "no test": "not tested",
}
_HELP = {
    r"\bNaN\b|\bmissing values?\b": "SimpleImputer() in a pipeline fills in what is missing, and histogram boosting "
    "takes it as it is.",
    r"string to float|of strings|dtype=?.?(numeric|object)": "OneHotEncoder() in a pipeline makes numbers of words.",
}
"""What helps against errors that are common, by what they say."""


def headline(comparison: Outcome) -> str:
    """The sentence: which method is best, by how much, how sure that is, and on what; names between ``**``."""
    sentences = [_outcome(comparison), _to_reference(comparison), *_failed(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def for_paper(comparison: Outcome) -> str:
    """The headline with data, design and test; empty where an alarm forbids it."""
    if comparison.severe:
        return ""
    pair = _spoken_of(comparison)
    test = "no test" if pair is None or pair["p"] is None else pair["method_test"]
    cases = [] if comparison.cases is None else [f"{comparison.cases:,} cases"]
    what = [*cases, comparison.plan.words] if comparison.read is None else [comparison.read.words]
    return f"{headline(comparison)} ({'; '.join([*what, test])}.)".replace("**", "")


def _outcome(comparison: Outcome) -> str:
    methods = _methods(comparison)
    if comparison.severe:
        return f"{_NO_WINNER} {_zero_losses(comparison)}".strip()
    if comparison.withheld:
        return f"{_NO_WINNER} {comparison.withheld}"
    if not methods:
        return "**Nothing could be compared.**"
    if methods[0]["mean"] is None:
        names = listed([row["method"] for row in methods])
        have = "has" if len(methods) == 1 else "have"
        return f"{_NO_WINNER} {names} {have} no finite {_title(comparison)}."
    to_constant = _to_constant(comparison)
    if text := _none_better(comparison, to_constant):
        return text
    best, *others = methods
    if not others:
        return _alone(comparison, best, to_constant.get(best["method"]))
    others = [
        row | {"verdict": comparison.pair(row["method"], best["method"])["verdict"]}
        for row in others
    ]
    return (
        f"{_first_two(comparison, best, others[0])}{_rest(others[1:])}"
        f"{_best_to_constant(comparison, to_constant.get(best['method']))}"
    )


def _methods(comparison: Outcome) -> list[dict[str, Any]]:
    """The rows of the first loss without the constant guess and naive forecasts, the best first."""
    return [row for row in comparison.rows() if not is_baseline(row["method"])]


def _to_constant(comparison: Outcome) -> dict[str, Row]:
    """By method, how it compares with the constant guess, or the best naive forecast, where one joined."""
    baseline = comparison.baseline
    if comparison.mean(comparison.codes[0], baseline) is None:
        return {}
    return {row["method"]: comparison.pair(row["method"], baseline) for row in _methods(comparison)}


def _guess(name: str) -> str:
    return "a constant guess" if name == CONSTANT else f"the {name}"


def _spoken_of(comparison: Outcome) -> Row | None:
    """The pair that the sentence speaks of first."""
    methods, to_constant = _methods(comparison), _to_constant(comparison)
    if comparison.withheld or not methods or methods[0]["mean"] is None:
        return None
    if len(methods) == 1 or _none_better(comparison, to_constant):
        return to_constant.get(methods[0]["method"])
    return comparison.pair(methods[1]["method"], methods[0]["method"])


# -- the best and the second ------------------------------------------------------------------------------------------


def _first_two(comparison: Outcome, best: Row, second: Row) -> str:
    """The best and the second, in the words that their verdict allows."""
    pair = comparison.pair(second["method"], best["method"])
    scale = comparison.scales[best["loss"]]
    first, other = f"**{best['method']}**", f"**{second['method']}**"
    start, tie = _start(comparison, best, pair), pair["difference"] == 0
    gap, probable = _gap(comparison, pair), f"is {share(pair['prob_worse'])}"
    if pair["p"] is None:
        mean = "no finite one" if second["mean"] is None else scale.means.write(second["mean"])
        start += "" if tie else f"; {other} has {mean}"
        return f"{start}. {_untested(pair)}"
    if pair["verdict"] == "as good":
        return (
            f"{first} and {other} do equally well, {scale.means.write(best['mean'])} and "
            f"{scale.means.with_unit(second['mean'])}: they differ by {gap}, and the probability that the difference "
            f"is less than {rope_in_words(comparison)} is {share(pair['prob_same'])}."
        )
    if pair["verdict"] == "worse":
        more = (
            f"this is more than {rope_in_words(comparison)}" if _rope(comparison) else "it is worse"
        )
        return f"{start}; {other} is {_worse(comparison)} by {gap}, and the probability that {more} {probable}."
    if pair["difference"] > 0 and pair["p_holm"] <= LEVEL:
        start += f"; {other} is {_worse(comparison)}, but perhaps by less than matters"
    else:
        start += f", {'and' if tie else f'but {other}'} {'they are' if tie else 'is'} not significantly different"
        start += (
            f" after Holm's correction ({p_value(pair['p_holm'])})" if uncorrected(pair) else ""
        )
    return f"{start}: they differ by {gap}{_would_matter(comparison, pair)}"


def _start(comparison: Outcome, best: Row, pair: Row) -> str:
    """The best of a pair and its mean; both where they are equal."""
    title, count = _title(comparison), len(_methods(comparison))
    mean = comparison.scales[best["loss"]].means.with_unit(best["mean"])
    first = "highest" if comparison.loss_info[comparison.codes[0]].higher else "smallest"
    if pair["difference"] == 0:
        of_all = f", the {first} of {count} methods" if count > 2 else ""
        return f"**{pair['other']}** and **{pair['method']}** have the same {title}, {mean}{of_all}"
    among = "of both" if count == 2 else f"of {count} methods"
    return f"**{pair['other']}** has the {first} {title} {among}, {mean}"


def _gap(comparison: Outcome, pair: Row) -> str:
    """The difference of a pair with its interval."""
    scale = comparison.scales[pair["loss"]]
    size = scale.with_unit(pair["difference"])
    if pair["low"] is None:
        return size
    alone = ", uncorrected" if uncorrected(pair) else ""
    level = f"{100.0 * comparison.verdicts.level:g}"
    return f"{size} ({level} % interval {scale.interval(pair['low'], pair['high'])}{alone})"


def uncorrected(pair: Row) -> bool:
    """Whether an interval, which is of one pair, leaves out 0 where Holm's correction over all pairs finds nothing."""
    return pair["p"] is not None and pair["p"] <= LEVEL < pair["p_holm"]


def _would_matter(comparison: Outcome, pair: Row) -> str:
    """The smallest difference that matters; of a method picked as the best, open probabilities would say too much."""
    if not _rope(comparison):
        return "."
    rope = comparison.scales[pair["loss"]].with_unit(_rope(comparison))
    rope += f" ({comparison.rope_words})" if comparison.rope_words else ""
    return f", and {rope} would matter."


def _untested(pair: Row) -> str:
    return f"The difference was not tested: {pair['p_missing_reason'] or 'no valid test exists'}."


def _rest(rows: Sequence[Row]) -> str:
    """The methods after the second, by their verdicts against the best."""
    parts = [part.replace("as good", "as good as the best") for part in _by_verdict(rows)]
    return f" Of the others, {listed(parts)}." if parts else ""


def _by_verdict(rows: Sequence[Row]) -> list[str]:
    """For each verdict the methods that have it: "a and b are worse"."""
    return [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {text}"
        for verdict, text in _VERDICTS.items()
        if (names := [row["method"] for row in rows if row["verdict"] == verdict])
    ]


def _to_reference(comparison: Outcome) -> str:
    """The verdicts against a reference that was asked for and is not the best."""
    reference = comparison.reference
    if comparison.withheld or reference in (None, comparison.rows()[0]["method"]):
        return ""
    others = [row for row in _methods(comparison) if row["method"] != reference]
    parts = _by_verdict(others)
    name = _guess(reference) if is_baseline(reference) else f"**{reference}**"
    return f"Compared with the reference, {name}: {listed(parts)}." if parts else ""


# -- the constant guess -----------------------------------------------------------------------------------------------


def _is_better(pair: Row) -> bool:
    return pair["p_holm"] is not None and pair["p_holm"] <= LEVEL and pair["difference"] < 0


def _none_better(comparison: Outcome, to_constant: Mapping[str, Row]) -> str:
    """That no method is shown to be better than the constant guess; empty where one is, or where the guess is not first
    and tests are missing."""
    pairs = list(to_constant.values())
    first = is_baseline(comparison.rows()[0]["method"])
    if not pairs or any(map(_is_better, pairs)):
        return ""
    if not first and any(pair["p"] is None for pair in pairs):
        return ""
    best, scale = pairs[0], comparison.scales[comparison.codes[0]].means
    guess = scale.with_unit(comparison.mean(best["loss"], comparison.baseline))
    mean = scale.write(comparison.mean(best["loss"], best["method"]))
    has = f"the best, {best['method']}, has"
    subject, claim = "No method is", "shown to be better"
    if all(_is_better(opposite(dict(pair))) for pair in pairs):
        subject, claim = "Every method is", "worse"
    if len(pairs) == 1:
        subject = f"{best['method']} is{'' if claim == 'worse' else ' not'}"
        has = "it has"
    text = (
        f"**{subject} {claim} than {_guess(comparison.baseline)}**, which has {_article(_title(comparison))} of "
        f"{guess}; {has} {mean}"
    )
    return (
        f"{text}. {_untested(best)}"
        if best["p"] is None
        else f"{text}: {_found(comparison, best)}."
    )


def _found(comparison: Outcome, pair: Row) -> str:
    """On which side of the other one a method was found, by how much, and whether that is significant."""
    turned = pair["difference"] < 0
    gap = _gap(comparison, opposite(dict(pair)) if turned else pair)
    holm = f" after Holm's correction ({p_value(pair['p_holm'])})" if uncorrected(pair) else ""
    significant = "significant" if pair["p_holm"] <= LEVEL else "not significant"
    return f"{'better' if turned else 'worse'} by {gap}, which is {significant}{holm}"


def _best_to_constant(comparison: Outcome, pair: Row | None) -> str:
    """That the best is not shown to be better than the constant guess, when another method is or tests are missing."""
    if pair is None or _is_better(pair):
        return ""
    name = _guess(comparison.baseline)
    mean = comparison.mean(pair["loss"], comparison.baseline)
    guess = comparison.scales[pair["loss"]].means.with_unit(mean)
    if pair["p"] is None:
        return f" {name[0].upper()}{name[1:]} has {guess}; whether {pair['method']} is better was not tested."
    gap = _gap(comparison, opposite(dict(pair)))
    return f" {pair['method']} is not shown to be better than {name}, which has {guess}: worse by {gap}."


def _alone(comparison: Outcome, row: Row, to_constant: Row | None) -> str:
    """The loss of the only method with its interval, and how the constant guess compares."""
    scale = comparison.scales[row["loss"]]
    around = f" (95 % interval {scale.means.interval(row['low'], row['high'])})"
    text = (
        f"**{row['method']}** has {_article(_title(comparison))} of {scale.means.with_unit(row['mean'])}"
        f"{'' if row['low'] is None else around}"
    )
    if to_constant is None:
        return f"{text}."
    if to_constant["p"] is None:
        guess = scale.means.write(comparison.mean(row["loss"], comparison.baseline))
        return f"{text}; {_guess(comparison.baseline)} has {guess}. {_untested(to_constant)}"
    gap = _gap(comparison, opposite(dict(to_constant)))
    return f"{text}; {_guess(comparison.baseline)} is {_worse(comparison)} by {gap}."


# -- words ------------------------------------------------------------------------------------------------------------


def _title(comparison: Outcome) -> str:
    return comparison.loss_info[comparison.codes[0]].title


def _worse(comparison: Outcome) -> str:
    return "lower" if comparison.loss_info[comparison.codes[0]].higher else "worse"


def _article(title: str) -> str:
    return f"{'an' if title[0].lower() in 'aeiou' else 'a'} {title}"


def _rope(comparison: Outcome) -> float:
    return comparison.rope[comparison.codes[0]]


def rope_in_words(comparison: Outcome) -> str:
    """The smallest difference that matters, with where it comes from when it is our default."""
    size = comparison.scales[comparison.codes[0]].with_unit(_rope(comparison))
    return (
        f"{size} ({comparison.rope_words})" if comparison.rope_words else f"the {size} that matters"
    )


def _zero_losses(comparison: Outcome) -> str:
    """Methods without an error, and the error rate that this leaves possible: the rule of three."""
    names = [
        row["method"]
        for row in comparison.rows("zero_one")
        if row["mean"] == 0.0 and not is_baseline(row["method"])
    ]
    if not names or not comparison.cases:
        return ""
    return (
        f"{listed(names)} made no error in {comparison.cases:,} cases; that leaves any error rate below "
        f"{number(300.0 / comparison.cases, 2)} % possible."
    )


def _failed(comparison: Outcome) -> list[str]:
    """Methods that failed, why, and what helps."""
    total = counted(comparison.rounds or len(comparison.plan.splits), "split")
    said = [
        f"**{name}** is not compared: it failed on {len(faults)} of {total} ({faults[0][1]})."
        for name, faults in comparison.errors.items()
    ]
    errors = "\n".join(faults[0][1] for faults in comparison.errors.values())
    return said + [text for words, text in _HELP.items() if re.search(words, errors)]
