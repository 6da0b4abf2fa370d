"""A task of the challenge on a page: its table of entries, what is asked, which promises were kept, what is missing."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook.assess.multiplicity import rank_ranges, share_a_letter
from benchbook.show import origins
from benchbook.show.html import Html, paragraph, stack
from benchbook.show.numbers import number
from benchbook.show.tables import table
from benchbook.words import first_place, listed
from benchbook_book.course.challenge.archived import NO_PLACE, POINT, Results, with_entries
from benchbook_book.course.challenge.recreated import recreated

_PLANS = (
    "challenge",
    "challenge-networks",
    "challenge-kernels",
    "challenge-processes",
    "challenge-few",
    "challenge-bayes",
    "challenge-before",
    "challenge-real",
    "challenge-real-few",
)
_LAW = "the true distribution"
_SHORT = {"NLP10": "NLP"}
_SHOWN = ("ranked", "standard_error", "near", "point", "other", "extra", "chains")
_MARKS = {
    "entry": "",
    "before": "",
    "exploit": " (exploit)",
    "baseline": " (baseline)",
    NO_PLACE: " (no place)",
}


def board(one: Results) -> Html:
    """The table of a task: the law's own losses first where they are known, the baseline among the entries.

    Beside a sampled entry stand its passes and R-hat; those whose chains have not converged come last, without a place.
    """
    if not one.has_entries:
        return missing([one.name])
    near = places(one)
    rows = [
        {"place": near.get(row["entry"], ("", ""))[0]}
        | {"entry": f"{row['entry']}{_MARKS[row['kind']]}"}
        | {key: row[key] for key in _SHOWN if key in row}
        | {"near": near.get(row["entry"], ("", ""))[1]}
        for row in one.entries.iter_rows(named=True)
    ]
    if one.law:
        rows = [{"place": "", "entry": _LAW, "near": ""} | one.law, *rows]
    ranking, real = one.codes[0], one.kind == "real"
    cases = len(next(iter(one.losses.values()))[ranking])
    headings = {
        "ranked": f"{_SHORT.get(ranking, ranking)} ({'nats' if real else 'base 10'})",
        "point": POINT[one.kind],
        "other": "CRPS" if real else "Brier",
        "extra": "held by 90 % intervals" if real else "LIFT",
        "near": "not significantly different",
    }
    caption = f"{one.task.prototask.dataset}: {cases} test cases, by {headings['ranked']}"
    return table(
        pl.DataFrame(rows).select("place", "entry", *_SHOWN),
        caption,
        headings=headings,
        se={"ranked": "standard_error"},
        label="entry",
        remarks={"entry": "chains"},
        formats={"point": _four, "other": _four, "extra": _percent if real else _four},
    )


def best_in_words(one: Results) -> str:
    """The best entry in words, with those that do not differ significantly, beside the printed winner and baseline."""
    if not one.has_entries:
        return ""
    best, tied = one.honest.row(0, named=True), one.tied
    words = [
        f"Best without a trick is {best['entry']} with {number(best['ranked'], 4)}, "
        f"{number(best['gain'], 3)} below the baseline"
    ]
    words.append(
        f"{len(tied)} others do not differ significantly from it"
        if len(tied) > 1
        else f"{tied[0]} does not differ significantly from it"
        if tied
        else "all others differ significantly from it"
    )
    if one.made:
        printed = recreated(one.name).printed()
        first = printed.filter(~pl.col("exploit")).row(0, named=True)
        words.append(
            f"the print has {number(first['ranked'], 4)} ({first['method']}) and a baseline of "
            f"{number(recreated(one.name).printed_baseline, 4)}, on the original's cases"
        )
    return "; ".join(words) + "."


def title(one: Results) -> str:
    """The result as a heading."""
    dataset = one.task.prototask.dataset
    if not one.has_entries:
        return f"{dataset}: no entries"
    best = one.honest["entry"][0]
    return first_place(dataset, best, len(one.tied), one.honest.height, "honest entries")


def about(one: Results) -> Html:
    """A box when the data is not available, and what is shown then; empty when it is."""
    if one.at_hand:
        return Html("", "")
    shown = (
        "The entries below are archived; their losses are rounded, those of the baseline too."
        if one.has_entries
        else "There are no archived entries to show."
    )
    return stack(origins.missing(one.task.prototask.dataset), paragraph(shown))


def definition(one: Results) -> Html:
    """What is asked: target, inputs and the cases of the three parts."""
    prototask = one.task.prototask
    row = {
        "target": one.task.describe()["target"],
        "kind": one.kind,
        "inputs": len(prototask.inputs),
    }
    parts = {f"{part} cases": count for part, count in prototask.phases.items()}
    return table(pl.DataFrame([row | parts]), f"What {one.task.name} asks", label="target")


def calibration(one: Results) -> Html:
    """Of numbers how many targets the central intervals hold, and how wide they are; of classes the LIFT."""
    if not one.has_entries:
        return paragraph("")
    real = one.kind == "real"
    wanted = ("coverage_50", "coverage_90", "width_50", "width_90") if real else ("LIFT",)
    rows = [
        {"entry": entry} | {key: one.facts[entry].get(key) for key in wanted}
        for entry in one.entries["entry"]
        if entry in one.facts
    ]
    caption = (
        "Shares of targets in central intervals, and their mean widths"
        if real
        else "LIFT of the order"
    )
    percent = {key: _percent for key in wanted if key.startswith("coverage")}
    return table(pl.DataFrame(rows), caption, label="entry", formats=percent)


def missing(names: Sequence[str]) -> Html:
    """Which tasks have no archived entries, and how to make them; nothing when all have."""
    lacking = [name for name in names if name not in with_entries(names)]
    if not lacking:
        return paragraph("")
    commands = listed([f"`benchbook run --no-compare --plan {plan}`" for plan in _PLANS])
    return paragraph(f"No runs are archived for {listed(lacking)}; {commands} make them.")


def places(one: Results) -> dict[str, tuple[str, str]]:
    """Of each entry its place, and the places from which it does not differ significantly: ("5", "4 to 9").

    The baseline has no place of its own; those whose chains have not converged have neither.
    """
    placed = one.placed.to_dicts()
    ranked = [row for row in placed if row["kind"] != "baseline"]
    place = {row["entry"]: index for index, row in enumerate(ranked, start=1)}
    every = set(place.values())
    return {
        row["entry"]: (
            str(place.get(row["entry"], "")),
            rank_ranges(
                {
                    place[other["entry"]]
                    for other in ranked
                    if share_a_letter(row["groups"], other["groups"])
                },
                every,
            ),
        )
        for row in placed
    }


def _four(value: float | None) -> str:
    return "–" if value is None else number(value, 4)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
