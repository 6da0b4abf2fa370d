"""What was learned: all verdicts at once, the comparisons behind them, and each statement with its verdicts."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.show.html import Html
from benchbook.show.tables import table
from benchbook.words import counted, listed, p_value, training_cases
from benchbook_book.pages.show.neal import short
from benchbook_book.pages.show.neal_verdicts import counts, words
from benchbook_book.pages.show.statements import STATEMENTS
from benchbook_book.pages.verdicts import (
    LEVEL,
    NOT,
    REPRODUCED,
    UNDECIDED,
    UNTESTED,
    WITHIN_CHANCE,
    Claim,
    Counted,
    Outcome,
)

DATA = ("re-created data", "DELVE's own")
_VERDICTS = {
    REPRODUCED: (COLOURS[0], "circle"),
    WITHIN_CHANCE: (COLOURS[2], "diamond"),
    UNDECIDED: (COLOURS[5], "square"),
    NOT: (COLOURS[1], "cross"),
    UNTESTED: ("transparent", "stroke"),
}
_ROW, _TOP = 50, 44
_END = 4.0
_LOOKS = {
    "for": (COLOURS[0], -1.0, "triangle-up"),
    "open": (COLOURS[5], 0.0, "circle"),
    "against": (COLOURS[1], 1.0, "triangle-down"),
}


def overview(found: Mapping[str, Sequence[Outcome]], own: Mapping[str, Sequence[Outcome]]) -> Any:
    """A line for each statement, a mark for its verdict on the re-created data and on DELVE's own.

    Emended statements stand in brackets: they hang on our reading of what is lost and are in no tally.
    """
    lines = [
        {"statement": _label(group, one), "data": data, "verdict": verdict}
        for group, several in found.items()
        for one, other in zip(several, own[group], strict=True)
        for data, verdict in zip(DATA, (one.verdict, other.of_tested()), strict=True)
    ]
    names = [name for name in _VERDICTS if name != UNTESTED]
    colours, shapes = ([_VERDICTS[name][place] for name in names] for place in (0, 1))
    order = list(dict.fromkeys(line["statement"] for line in lines))
    y = alt.Y("statement:N", sort=order, axis=None, scale=alt.Scale(domain=order))
    words = (
        alt.Chart(parts.data([{"statement": statement} for statement in order]))
        .mark_text(align="left", fontSize=10, yOffset=-8)
        .encode(x=alt.value(0), y=y, text="statement:N")
    )
    points = (
        alt.Chart(parts.data([line for line in lines if line["verdict"] != UNTESTED]))
        .mark_point(size=70, filled=True, opacity=1, yOffset=7)
        .encode(
            x=alt.X(
                "data:N",
                sort=list(DATA),
                title=None,
                axis=alt.Axis(orient="top", labelAngle=0, grid=False),
            ),
            y=y,
            tooltip=["statement:N", "data:N", "verdict:N"],
            **parts.looks(
                "verdict",
                names,
                colours=colours,
                shapes=shapes,
                legend=alt.Legend(title=None, columns=2, labelLimit=220),
            ),
        )
    )
    return parts.finish(
        alt.layer(words, points),
        _overview_said(lines),
        "verdicts on all statements",
        height=33 * len(order),
    )


def _label(group: str, one: Outcome) -> str:
    said = f"{group}: {one.statement.label}"
    return f"({said})" if one.statement.emended else said


def _overview_said(lines: Sequence[Mapping[str, str]]) -> str:
    said = {
        data: [f"{line['statement']}: {line['verdict']}" for line in lines if line["data"] == data]
        for data in DATA
    }
    return " ".join(f"Verdicts on {data}: {'; '.join(several)}." for data, several in said.items())


def marks(
    found: Mapping[str, Sequence[Outcome]],
) -> tuple[pl.DataFrame, list[tuple[str, str, str]]]:
    """What ``evidence`` draws: the comparisons of the first part of each statement, and the statements."""
    frames, order = [], []
    for group, several in found.items():
        for one in several:
            if not one.statement.parts[0].counted:
                key = one.statement.key
                frames.append(one.evidence[0].with_columns(statement=pl.lit(key)))
                mark = " (emended)" if one.statement.emended else ""
                order.append((key, f"{group}: {one.statement.label}{mark}", one.verdict))
    return pl.concat(frames), order


def evidence(comparisons: pl.DataFrame, order: Sequence[tuple[str, str, str]]) -> Any:
    """Every comparison at its ratio of expected losses, over the ratio that the statement allows.

    Left of the line at one lies what is as stated. Marks pointing up are significantly so, marks pointing down
    significantly not so, dots are open. Ratios beyond a factor of four stand at the end.

    Args:
        comparisons: statement (its name), method, other, task, factor, ratio, p, mark ("for", "against" or "open").
        order: name, label and verdict of the statements to draw, from the top; those without comparisons are left out.
    """
    columns = ("statement", "method", "other", "task", "factor", "ratio", "p", "mark")
    rows = [line for line in order if line[0] in set(comparisons["statement"])]
    place = {key: _TOP + _ROW * number for number, (key, _, _) in enumerate(rows)}
    height = _TOP + _ROW * len(rows)
    shown = (
        comparisons.filter(pl.col("statement").is_in(list(place)))
        .select(columns)
        .with_columns(
            _x=(pl.col("ratio") / pl.col("factor")).clip(1.0 / _END, _END),
            _y=pl.col("statement").replace_strict(place, return_dtype=pl.Float64)
            + pl.col("mark").replace_strict(
                {name: 6.0 * look[1] for name, look in _LOOKS.items()}, return_dtype=pl.Float64
            ),
            _says=pl.col("p").map_elements(p_value, pl.String, skip_nulls=False),
        )
    )
    scale = alt.Scale(domain=[0, height], reverse=True, nice=False)
    return parts.finish(
        alt.layer(
            *_lines(rows, place, scale),
            *_points(
                shown,
                alt.X(
                    "_x:Q",
                    title="ratio of losses, over what is allowed",
                    scale=alt.Scale(type="log", domain=[1.0 / _END, _END], padding=8),
                    axis=alt.Axis(
                        values=[0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0],
                        format="~g",
                        orient="top",
                        grid=False,
                    ),
                ),
                scale,
            ),
        ),
        _evidence_said(rows, shown),
        "evidence for statements",
        height=height,
    )


def _lines(
    rows: Sequence[tuple[str, str, str]], place: dict[str, int], scale: alt.Scale
) -> list[alt.Chart]:
    """The line at one, of every strip but not of what stands above it: its label and verdict, in lines for which a
    phone has room."""
    labels = [
        {
            "_text": "\n".join(textwrap.wrap(f"{label} → {verdict}", 54, break_on_hyphens=False)),
            "_label": place[key] - _ROW + 14,
            "_rule": place[key] + 11,
            "_from": place[key] - 11,
            "_one": 1.0,
        }
        for key, label, verdict in rows
    ]
    base = alt.Chart(parts.data(labels))
    return [
        base.mark_rule(color=INK, opacity=0.7).encode(
            x="_one:Q", y=alt.Y("_from:Q", scale=scale, axis=None), y2="_rule:Q"
        ),
        base.mark_rule(color=INK, opacity=0.1).encode(y=alt.Y("_rule:Q", scale=scale, axis=None)),
        base.mark_text(align="left", baseline="top", fontSize=10.5, lineBreak="\n").encode(
            x=alt.value(2), y=alt.Y("_label:Q", scale=scale, axis=None), text="_text:N"
        ),
    ]


def _points(shown: pl.DataFrame, x: alt.X, scale: alt.Scale) -> list[alt.Chart]:
    names = list(_LOOKS)
    hues, forms = ([str(_LOOKS[name][part]) for name in names] for part in (0, 2))
    return [
        alt.Chart(parts.data(parts.rows(shown)))
        .mark_point(size=34, filled=True, opacity=1)
        .encode(
            x=x,
            y=alt.Y("_y:Q", scale=scale, axis=None),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("other:N", title="against"),
                alt.Tooltip("task:N"),
                alt.Tooltip("ratio:Q", format=".3f"),
                alt.Tooltip("factor:Q", title="below"),
                alt.Tooltip("_says:N", title="test"),
            ],
            **parts.looks(
                "mark",
                names,
                colours=hues,
                shapes=forms,
                legend=alt.Legend(title=None, symbolType="circle", orient="bottom"),
            ),
        )
    ]


def _evidence_said(rows: Sequence[tuple[str, str, str]], shown: pl.DataFrame) -> str:
    said = []
    for key, label, verdict in rows:
        marks = shown.filter(statement=key)["mark"].to_list()
        counts = ", ".join(f"{marks.count(name)} {name}" for name in _LOOKS if marks.count(name))
        said.append(f"{label}: {verdict}, {counts}")
    return (
        f"{counted(len(rows), 'statement')} and the comparisons behind each, by the ratio of expected losses over "
        f"what the statement allows; left of one is as stated. {'. '.join(said)}."
    )


_NAMES: Mapping[str, str] = {
    "study": "the study",
    "methods": "the methods",
    "early-stopping": "early stopping",
    "convergence": "convergence",
    "bank": "bank",
}


def evidence_table(
    several: Sequence[Outcome], own: Sequence[Outcome], whole: Sequence[Outcome], caption: str
) -> Html:
    """Statement, verdict and evidence, both on DELVE's own data, why, and the chapter that looks into it.

    Args:
        several, own: on the re-created datasets that count, and on DELVE's own.
        whole: with the re-created dataset that is set apart; said where other comparisons are counted then.
        caption: of the table.
    """
    rows = [
        {
            "statement": words(one.statement),
            "verdict": _with_all(one, six),
            "own": _judged(other.of_tested(), other),
            "why": why(one),
            "looked into": _NAMES.get(one.statement.chapter, one.statement.chapter),
            "_address": f"{one.statement.chapter}.html",
        }
        for one, other, six in zip(several, own, whole, strict=True)
    ]
    return table(
        pl.DataFrame(rows),
        caption,
        links={"looked into": "_address"},
        headings={
            "statement": "the paper, in our words",
            "verdict": "on re-created data",
            "own": "on DELVE's own data",
            "why": "how it comes",
        },
    )


def _judged(verdict: str, outcome: Outcome) -> str:
    return verdict if verdict == UNTESTED else f"{verdict}: {counted_evidence(outcome)}"


def _with_all(one: Outcome, six: Outcome) -> str:
    said = _judged(one.verdict, one)
    same = one.counts() == six.counts()
    return said if same else f"{said} (with bank-32nm-sim {_judged(six.verdict, six)})"


def counted_evidence(outcome: Outcome) -> str:
    """What was counted, part by part."""
    return counts(
        outcome.statement,
        [
            dict(zip(("for", "against", "open"), outcome.counts(place), strict=True))
            for place in range(len(outcome.evidence))
        ],
    )


def why(outcome: Outcome) -> str:
    """How the verdict comes about, from the evidence; and what in our re-run may be at fault when it is not theirs."""
    said = _reason(outcome)
    doubts = outcome.statement.doubts
    if outcome.verdict in (NOT, UNDECIDED) and doubts:
        said = f"{said} To be kept in mind: {doubts}."
    return said


def _reason(outcome: Outcome) -> str:
    if outcome.verdict == UNTESTED:
        return "The archive has no runs for it."
    place = outcome.verdicts.index(outcome.verdict)
    part, frame = outcome.statement.parts[place], outcome.evidence[place]
    if part.counted:
        what = next(source.what for source in part.sources if isinstance(source, Counted))
        return f"Counted are {what}."
    if outcome.verdict == WITHIN_CHANCE:
        good, bad, rest = outcome.counts(place)
        return (
            f"Against it are {bad} of {good + bad + rest}; were the methods equal, chance would give "
            f"{LEVEL / 2 * (good + bad + rest):.1f}."
        )
    if outcome.verdict == REPRODUCED:
        return f"Median ratio of expected losses {_median(outcome.evidence[0], 'ratio')}."
    against = frame.filter(mark="against").sort(pl.col("ratio") / pl.col("factor"), descending=True)
    if part.below is not None:
        return f"More than {100 * part.below:.0f} % of the comparisons are significantly for it."
    if outcome.verdict == NOT and against.height:
        shown = [
            f"{line['method']} and {line['other']} on {short(line['task'])} with {training_cases(line['task'])} "
            f"cases (ratio {line['ratio']:.2f})"
            for line in against.head(2).iter_rows(named=True)
        ]
        return f"Furthest from it: {listed(shown)}."
    if outcome.verdict == NOT:
        return f"Too few of the comparisons even lean that way; median ratio {_median(frame, 'ratio')}."
    left = frame.filter(mark="open")
    if left.is_empty():
        return f"Seen, but not in the {100 * part.least:.0f} % asked for."
    return (
        f"Asked for: {100 * part.least:.0f} %. The open comparisons could have shown departures of "
        f"{_median(left, 'detectable', 100.0)} % of the loss (median); found were "
        f"{_median(left.select(off=(pl.col('ratio') - pl.col('factor')).abs()), 'off', 100.0)} %."
    )


def _median(frame: pl.DataFrame, column: str, times: float = 1.0) -> str:
    value = frame[column].median()
    if value is None:
        return "undefined"
    return f"{times * float(str(value)):.1f}" if times != 1.0 else f"{float(str(value)):.2f}"


def rules() -> Html:
    """How each statement was made comparisons: methods, tasks, the ratio asked for, how often it must be seen."""
    rows = [
        {
            "statement": one.label,
            "comparisons": "; ".join(_described(source) for source in part.sources),
            "least": "fewer" if part.below is not None else f"{100 * part.least:.0f} %",
            "most": f"{100 * (part.below if part.below is not None else part.most):.0f} %",
        }
        for several in STATEMENTS.values()
        for one in several
        for part in one.parts
    ]
    return table(
        pl.DataFrame(rows),
        "Every statement as comparisons, and the shares that decide",
        limit=12,
        headings={"least": "for, at least", "most": "against, at most"},
    )


def _described(source: Claim | Counted) -> str:
    if isinstance(source, Counted):
        return source.what
    below = "" if source.factor == 1.0 else f"{source.factor:g} × "
    places = listed([short(name) for name in source.prototasks])
    return (
        f"{_joined(source.better)} < {below}{_joined(source.worse)} on {places}, "
        f"{', '.join(map(str, source.sizes))} cases"
    )


def _joined(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
