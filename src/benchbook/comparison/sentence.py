"""A comparison in words: the sentence that can stand in a paper, and the lines around the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.scale import Scale, share
from benchbook.show.numbers import number
from benchbook.words import counted, listed, p_value

if TYPE_CHECKING:
    from benchbook.comparison.result import Comparison

FEWEST_ROUNDS = 5
"""Rounds of fits (every method on one split) without which no verdict is given."""
_NO_WINNER = "**No winner is named.**"


def headline(comparison: Comparison) -> str:
    """The sentence: which method is best, by how much, how sure that is, and on what; names between ``**``."""
    sentences = [_verdict(comparison), *_failed(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def for_paper(comparison: Comparison) -> str:
    """The headline with data, design and test; empty where an alarm forbids it."""
    if comparison.severe or comparison.rounds < FEWEST_ROUNDS:
        return ""
    test = comparison.rows()[0]["method_test"] or "no test"
    on_what = f"({len(comparison.data.y):,} cases; {comparison.plan.words}; {test}.)"
    return f"{headline(comparison)} {on_what}".replace("**", "")


def _verdict(comparison: Comparison) -> str:
    rows = comparison.rows()
    if comparison.severe:
        return f"{_NO_WINNER} {_zero_losses(comparison)}".strip()
    if comparison.rounds < min(FEWEST_ROUNDS, len(comparison.plan.splits)):
        text = f"{comparison.rounds} of {len(comparison.plan.splits)}"
        return f"{_NO_WINNER} Only {text} rounds of fits were completed; a verdict needs {FEWEST_ROUNDS}."
    if len(rows) < 2:
        return f"{_alone(comparison)}."
    if rows[0]["method"] == CONSTANT:
        return _constant_first(comparison)
    others = [row for row in rows[1:] if row["method"] != CONSTANT]
    if not others:
        guess = comparison.scales[rows[1]["loss"]].write(rows[1]["mean"])
        return f"{_alone(comparison)}; a constant guess has {guess}."
    second = others[0]
    return f"{_pair(comparison, rows[0], second)}{_rest(others[1:])}"


def _pair(comparison: Comparison, best: dict[str, Any], second: dict[str, Any]) -> str:
    """The best and the second, in the words that their verdict allows."""
    scale, info = comparison.scales[best["loss"]], comparison.loss_info[best["loss"]]
    count = sum(row["method"] != CONSTANT for row in comparison.rows())
    among = "of both" if count == 2 else f"of {count} methods"
    first, other = f"**{best['method']}**", f"**{second['method']}**"
    gap, interval = (
        scale.with_unit(second["difference"]),
        scale.interval(second["diff_low"], second["diff_high"]),
    )
    limits, rope = f"95 % interval {interval}", _rope(comparison, scale)
    smallest = f"{first} has the smallest {info.title} {among}, {scale.with_unit(best['mean'])}"
    if second["diff_low"] is None or second["verdict"] == "no test":
        why = second["p_missing_reason"] or "no valid test exists"
        return f"{smallest}; {other} has {scale.write(second['mean'])}. The difference was not tested: {why}."
    if second["verdict"] == "as good":
        return (
            f"{first} and {other} do equally well, {scale.write(best['mean'])} and {scale.with_unit(second['mean'])}: "
            f"they differ by {gap} ({limits}), and the probability that the difference is less than {rope} is "
            f"{share(second['prob_same'])}."
        )
    if second["verdict"] == "worse":
        return (
            f"{smallest}; {other} is worse by {gap} ({limits}), and the probability that this is more than {rope} is "
            f"{share(second['prob_worse'])}."
        )
    if second["p_holm"] is not None and second["p_holm"] <= 0.05:
        start = f"{smallest}; {other} is worse, but perhaps by less than matters"
    else:
        start = f"{smallest}, but {other} is not significantly different"
        if (
            second["p"] is not None and second["p"] <= 0.05
        ):  # else the interval seems to say otherwise
            start += f" after Holm's correction ({p_value(second['p_holm'])})"
    matters = scale.with_unit(comparison.rope[comparison.codes[0]])
    matters += f" ({comparison.rope_words})" if comparison.rope_words else ""
    return (
        f"{start}: they differ by {gap} ({limits}), and {matters} would matter. The probability that "
        f"{second['method']} is worse by at least that is {share(second['prob_worse'])}, that they are "
        f"equal for practical purposes {share(second['prob_same'])}, that it is better by at least that "
        f"{share(second['prob_better'])}."
    )


def _rest(rows: Sequence[dict[str, Any]]) -> str:
    """The methods after the second, by their verdicts."""
    words = {
        "as good": "as good as the best",
        "worse": "worse",
        "likely worse": "likely worse",
        "open": "undecided",
        "no test": "not tested",
    }
    parts = [
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} {text}"
        for verdict, text in words.items()
        if (names := [row["method"] for row in rows if row["verdict"] == verdict])
    ]
    return f" Of the others, {listed(parts)}." if parts else ""


def _rope(comparison: Comparison, scale: Scale) -> str:
    """The smallest difference that matters, with where it comes from when it is our default."""
    size = scale.with_unit(comparison.rope[comparison.codes[0]])
    return (
        f"{size} ({comparison.rope_words})" if comparison.rope_words else f"the {size} that matters"
    )


def _alone(comparison: Comparison) -> str:
    """The loss of the first method with its interval."""
    row = comparison.rows()[0]
    scale, info = comparison.scales[row["loss"]], comparison.loss_info[row["loss"]]
    around = (
        "" if row["low"] is None else f" (95 % interval {scale.interval(row['low'], row['high'])})"
    )
    return f"**{row['method']}** has {_with_article(info.title)} of {scale.with_unit(row['mean'])}{around}"


def _constant_first(comparison: Comparison) -> str:
    rows = comparison.rows()
    scale, info = comparison.scales[rows[0]["loss"]], comparison.loss_info[rows[0]["loss"]]
    nearest = next((row for row in rows[1:] if row["mean"] is not None), None)
    if nearest is None:
        return f"**No method is better than a constant guess**, which has {scale.with_unit(rows[0]['mean'])}."
    return (
        f"**No method is better than a constant guess**, which has {_with_article(info.title)} of "
        f"{scale.with_unit(rows[0]['mean'])}; the nearest, {nearest['method']}, has {scale.write(nearest['mean'])}."
    )


def _with_article(title: str) -> str:
    return f"{'an' if title[0].lower() in 'aeiou' else 'a'} {title}"


def _zero_losses(comparison: Comparison) -> str:
    """Methods without an error, and the error rate that this leaves possible: the rule of three."""
    rows = [
        row for row in comparison.verdicts.table.iter_rows(named=True) if row["loss"] == "zero_one"
    ]
    names = [row["method"] for row in rows if not row["mean"] and row["method"] != CONSTANT]
    if not names:
        return ""
    cases = len(comparison.data.y)
    return (
        f"{listed(names)} made no error in {cases:,} cases; that leaves any error rate below "
        f"{number(300.0 / cases, 2)} % possible."
    )


def _failed(comparison: Comparison) -> list[str]:
    total = counted(comparison.rounds or len(comparison.plan.splits), "split")
    return [
        f"**{name}** is not compared: it failed on {len(faults)} of {total} ({faults[0][1]})."
        for name, faults in comparison.errors.items()
    ]


def footnotes(comparison: Comparison) -> dict[str, str]:
    """What stands below the table, by its title."""
    notes = {
        "Depends on": depends_on(comparison),
        "By other losses": other_losses(comparison),
        "Not covered": not_covered(comparison),
        "Note": " ".join(comparison.notes),
    }
    return {name: text for name, text in notes.items() if text}


def about(comparison: Comparison) -> str:
    """Data and design in one line."""
    data = comparison.data
    parts = [data.target + (f" in {data.unit}" if data.unit else "")]
    if data.kind == "class" and data.positive is None:
        parts[0] += f" ({len(data.classes)} classes)"
    elif data.positive is not None:
        parts[0] += (
            f" ({share(float((data.y == data.positive).mean()))} {data.classes[data.positive]})"
        )
    parts += [f"{len(data.y):,} cases", comparison.plan.words]
    return " · ".join(parts)


def depends_on(comparison: Comparison) -> str:
    """The training-set size, and which of the two questions is answered."""
    size = round(comparison.plan.design.train_size)
    return (
        f"training on {size:,} cases; with fewer the order may be another: `.learning_curve()`. The answer is about "
        f"{comparison.plan.design.answers}."
    )


def other_losses(comparison: Comparison) -> str:
    """What the other losses say, in a few words each."""
    if comparison.severe:
        return ""
    order = [row["method"] for row in comparison.rows() if row["method"] != CONSTANT]
    texts = []
    for code in comparison.codes[1:]:
        rows = [row for row in comparison.rows(code) if row["method"] != CONSTANT]
        title = comparison.loss_info[code].title
        if not rows:
            continue
        if [row["method"] for row in rows] == order:
            texts.append(f"{title}: same order")
            continue
        if rows[0]["method"] == order[0]:
            texts.append(f"{title}: {order[0]} first too, the others in another order")
            continue
        mine = next(row for row in rows if row["method"] == order[0])
        scale = comparison.scales[code]
        sure = mine["p_holm"] is not None and mine["p_holm"] <= 0.05
        texts.append(
            f"{title}: {rows[0]['method']} first, ahead of {order[0]} by {scale.with_unit(mine['difference'])} "
            f"({'significant' if sure else 'not significantly different'})"
        )
    return " · ".join(texts)


def not_covered(comparison: Comparison) -> str:
    """What these numbers say nothing about."""
    tuned = comparison.tuned
    tuning = "" if tuned else "; what tuning would change (nothing was tuned)"
    where = "cases that arise otherwise than these did: other places, other times"
    if comparison.plan.design.kind == "time":
        where = "changes after the last of these cases"
    return f"{where}{tuning}"


def how_to_read(comparison: Comparison) -> str:
    """What the columns are, which test was made, and what was run."""
    row = next((row for row in comparison.rows() if row["df"] is not None), None)
    design = comparison.plan.design
    pairs = len(comparison.rows()) * (len(comparison.rows()) - 1) // 2
    test = (
        f"{row['method_test']}, {row['df']:.0f} degrees of freedom"
        if row
        else "no valid test exists here"
    )
    interval = "" if row is None else f" {_INTERVALS.get(design.kind, '')}"
    return (
        f"Each interval is for the difference to the best method on the same cases ({test}).{interval} "
        f"{design.overlap} "
        "“Probability that it matters” is that of being worse by more than the region of practical equivalence "
        f"(ROPE, {_rope(comparison, comparison.scales[comparison.codes[0]])}): the same t distribution, read as a "
        "probability (a Bayesian correlated t test with a flat prior). “As good” needs a probability of 95 % of "
        f"a difference within the ROPE; “worse” 95 % beyond it and p ≤ 0.05 by Holm's correction over {pairs} pairs. "
        f"The best method was picked from these same data. {comparison.provenance}"
    )


_INTERVALS = {
    "folds": "It allows for training sets that overlap.",
    "splits": "It allows for training sets that overlap.",
    "groups": "It allows for training sets that overlap, and takes each group as one observation.",
    "time": "Blocks of time are few and depend on each other: the interval is rough.",
    "holdout": "It is about these fitted models, not about the methods.",
}
