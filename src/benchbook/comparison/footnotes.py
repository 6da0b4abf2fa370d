"""The lines around the table of a comparison: what it is about, what it depends on, and how to read it."""

from __future__ import annotations

import polars as pl

from benchbook import methods
from benchbook.assess.decisions import LEVEL
from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.outcome import Outcome
from benchbook.comparison.scale import share
from benchbook.comparison.sentence import rope_in_words
from benchbook.words import counted, listed, p_value


def footnotes(comparison: Outcome) -> dict[str, str]:
    """What stands below the table, by its title."""
    notes = {
        "Taken as": "; ".join(comparison.read.notes) if comparison.read else "",
        "Another seed": another_seed(comparison),
        "By segment": by_segment(comparison),
        "Depends on": depends_on(comparison),
        "By other losses": other_losses(comparison),
        "Not covered": not_covered(comparison),
        "Lags": comparison.settings.get("lag_words", ""),
        "Note": " ".join(
            [
                *_of_losses(comparison),
                *comparison.notes,
                *_of_means(comparison),
                *_smoothed(comparison),
            ]
        ),
    }
    return {name: text for name, text in notes.items() if text}


_MOST = 3


def another_seed(comparison: Outcome) -> str:
    """How often another shuffling of the folds would find the same."""
    found = comparison.stability
    if found is None:
        return ""
    best = next(row["method"] for row in comparison.rows() if not is_baseline(row["method"]))
    text = f"another shuffling of the folds would put {best} first in about {_of_100(found.first)}"
    if found.significant == found.significant:
        text += f", and find the same differences significant in about {_of_100(found.significant)}"
    return f"{text}."


def _of_100(chance: float) -> str:
    return f"{min(99, round(100.0 * chance))} of 100"


def by_segment(comparison: Outcome) -> str:
    """The difference of the next methods in each segment, and whether the segments differ in it."""
    code = comparison.codes[0]
    tests = {row["method"]: row for row in comparison.segment_tests.filter(loss=code).to_dicts()}
    order = [row["method"] for row in comparison.rows() if row["method"] in tests]
    texts = []
    for method in [name for name in order if not is_baseline(name)][:_MOST]:
        rows = comparison.segments.filter(loss=code, method=method).to_dicts()
        scale, test = comparison.scales[code], tests[method]
        word = "lower" if scale.higher else "worse"
        known = [
            f"{row['segment']} {scale.write(row['difference'])} ({scale.interval(row['low'], row['high'])})"
            for row in rows
            if row["low"] is not None
        ]
        untested = [
            f"{row['segment']} ({row['p_missing_reason']})" for row in rows if row["low"] is None
        ]
        parts = [f"{method} {word} than {test['other']} by {', '.join(known)}"] if known else []
        if test["p_holm"] is not None:
            differ = (
                "the segments differ"
                if test["p_holm"] <= LEVEL
                else "the segments do not differ significantly"
            )
            parts.append(f"{differ} in it (Welch's F, {p_value(test['p_holm'])})")
        parts += [f"no test in {listed(untested)}"] if untested else []
        texts.append("; ".join(parts))
    return ". ".join(texts)


def _of_losses(comparison: Outcome) -> list[str]:
    return [info.words for info in comparison.loss_info.values() if info.words]


def _smoothed(comparison: Outcome) -> list[str]:
    """That log loss is of smoothed probabilities, and by how much they are."""
    data = comparison.data
    if comparison.read is not None or data is None or data.kind != "class":
        return []
    if "log" not in comparison.loss_info or not comparison.settings.get("smooth"):
        return []
    names = [name for name in comparison.fits.methods if not is_baseline(name)]
    if set(names) <= set(methods.available()):
        return []
    classes, cases = len(data.classes), comparison.plan.design.train_size
    return [
        f"Log loss takes a probability p as (N p + 1) / (N + {classes}), N the training cases: none is below "
        f"{1.0 / (cases + classes):.2g}. Those of benchbook's own methods, and with smooth=False all, are taken as "
        "they are."
    ]


def _of_means(comparison: Outcome) -> list[str]:
    """What published means without a p-value allow to say."""
    if comparison.plan.design.kind != "published":
        return []
    rows = comparison.pairs.filter(pl.col("note") != "").head(_MOST).to_dicts()
    return [f"{row['method']} and {row['other']}: {row['note']}." for row in rows]


def about(comparison: Outcome) -> str:
    """Data and design in one line."""
    if comparison.read is not None:
        return f"read as: {comparison.read.words}"
    data, parts = comparison.data, [comparison.plan.words]
    if comparison.cases is not None:
        parts.insert(0, f"{comparison.cases:,} cases")
    if data is not None and data.target:
        target = data.target + (f" in {data.unit}" if data.unit else "")
        if data.kind == "class" and data.positive is None:
            target += f" ({len(data.classes)} classes)"
        elif data.positive is not None:
            positive = share(float((data.y == data.positive).mean()))
            target += f" ({positive} {data.classes[data.positive]})"
        parts.insert(0, target)
    if ranking := comparison.settings.get("ranking"):
        parts.append(ranking)
    return " · ".join(parts)


def depends_on(comparison: Outcome) -> str:
    """The training-set size where it is known, and which of the two questions is answered."""
    if comparison.read is not None:
        return f"the answer is about {comparison.read.about}."
    design = comparison.plan.design
    size = round(design.train_size)
    training = (
        f"training on {size:,} cases; with fewer the order may be another: `.learning_curve()`. "
    )
    return f"{training if size else ''}The answer is about {design.answers}."


def other_losses(comparison: Outcome) -> str:
    """What the other losses say, in a few words each."""
    if comparison.withheld:
        return ""
    texts = [
        f"{comparison.loss_info[code].title}: {_order_by(comparison, code)}"
        for code in comparison.codes[1:]
        if comparison.rows(code)
    ]
    return " · ".join(texts)


def _order_by(comparison: Outcome, code: str) -> str:
    """The order of all methods by another loss, the constant guess among them, beside that by the first one."""
    means = {row["method"]: row["mean"] for row in comparison.rows(code) if row["mean"] is not None}
    order = [row["method"] for row in comparison.rows() if row["mean"] is not None]
    missing = [name for name in order if name not in means]
    without = f" (without {listed(missing)})" if missing else ""
    order = [name for name in order if name in means]
    by_other = sorted(order, key=means.__getitem__)  # methods with equal means keep their order
    if not order:
        return "no finite value"
    if len({means[name] for name in order}) == 1 < len(order):
        return f"the same for all{without}"
    if by_other == order:
        return f"same order{without}"
    first, best = by_other[0], order[0]
    if first == best:
        return f"{first} first too, the others in another order{without}"
    pair = comparison.pair(best, first, code)
    gap = comparison.scales[code].with_unit(pair["difference"])
    significant = (
        "significant" if (pair["p_holm"] or 0.0) <= LEVEL else "not significantly different"
    )
    if pair["p"] is None:
        significant = "not tested"
    return f"{first} first, ahead of {best} by {gap} ({significant}){without}"


def not_covered(comparison: Outcome) -> str:
    """What these numbers say nothing about."""
    untuned = comparison.tuned is False
    tuning = "; what tuning would change (nothing was tuned)" if untuned else ""
    where = "cases that arise otherwise than these did: other places, other times"
    if comparison.plan.design.kind == "time":
        where = "changes after the last of these cases"
    return f"{where}{tuning}"


def how_to_read(comparison: Outcome) -> str:
    """What the columns are, which test was made, and what was run."""
    design = comparison.plan.design
    tested = [row for row in comparison.rows() if row["p"] is not None]
    tests = listed(list(dict.fromkeys(row["method_test"] for row in tested)))
    known = [row["df"] for row in tested if row["df"] is not None]  # a z test has none
    df = " to ".join(dict.fromkeys(f"{limit(known):.0f}" for limit in (min, max) if known))
    test = (
        f"{tests}{f', {df} degrees of freedom' if df else ''}"
        if tested
        else "no valid test exists here"
    )
    first = comparison.rows()[0]["method"] if comparison.rows() else None
    picked = comparison.reference in (None, first)
    other = "the best method" if picked else f"the reference, {comparison.reference},"
    every = comparison.pairs.filter(loss=comparison.codes[0])["p"].drop_nulls()
    pairs = len(every if comparison.settings.get("reference") is None else tested)
    return (
        f"Each interval is for the difference to {other} on the same cases ({test})"
        f"{', for itself alone: p-values are corrected for all pairs, intervals are not' if pairs > 1 else ''}. "
        f"{_INTERVALS.get(design.kind, '') if tested else ''} {design.overlap} "
        "“Probability that it matters” is that of a difference beyond the region of practical equivalence "
        f"(ROPE, {rope_in_words(comparison)}), on the side on which it was found: the same t distribution, read as a "
        "probability (a Bayesian correlated t test with a flat prior). “As good” needs a probability of 95 % of "
        "a difference within the ROPE; “worse” 95 % beyond it and p ≤ 0.05 by Holm's correction over "
        f"{counted(pairs, 'pair')}. {'The best method was picked from these same data. ' if picked else ''}"
        f"{comparison.provenance}"
    ).replace("  ", " ")


_INTERVALS = {
    "folds": "It allows for training sets that overlap.",
    "splits": "It allows for training sets that overlap.",
    "groups": "It allows for training sets that overlap, and takes each group as one observation.",
    "time": "Blocks of time are few and depend on each other: the interval is rough.",
    "holdout": "It is about these fitted models, not about the methods.",
}
