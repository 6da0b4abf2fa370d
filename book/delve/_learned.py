"""The overview of all verdicts, for the chapter *What was learned*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from benchbook.charts import parts
from benchbook.charts.theme import COLOURS
from benchbook.pages.verdicts import NOT, REPRODUCED, UNDECIDED, UNTESTED, WITHIN_CHANCE, Outcome

DATA = ("re-created data", "DELVE's own")
_LOOKS = {REPRODUCED: (COLOURS[0], "circle"), WITHIN_CHANCE: (COLOURS[2], "diamond"),
          UNDECIDED: (COLOURS[5], "square"), NOT: (COLOURS[1], "cross"), UNTESTED: ("transparent", "stroke")}


def overview(found: Mapping[str, Sequence[Outcome]], own: Mapping[str, Sequence[Outcome]]) -> Any:
    """A line for each statement, a mark for its verdict on the re-created data and on DELVE's own.

    Emended statements stand in brackets: they hang on our reading of what is lost and are in no tally.
    """
    lines = [{"statement": _label(group, one), "data": data, "verdict": verdict}
             for group, several in found.items() for one, other in zip(several, own[group], strict=True)
             for data, verdict in zip(DATA, (one.verdict, other.of_tested()), strict=True)]
    names = [name for name in _LOOKS if name != UNTESTED]
    colours, shapes = ([_LOOKS[name][place] for name in names] for place in (0, 1))
    legend = alt.Legend(title=None, columns=2, labelLimit=220)
    chart = alt.Chart(parts.data([line for line in lines if line["verdict"] != UNTESTED])).mark_point(
        size=70, filled=True, opacity=1).encode(
        x=alt.X("data:N", sort=list(DATA), title=None, axis=alt.Axis(orient="top", labelAngle=0, grid=False)),
        y=alt.Y("statement:N", sort=list(dict.fromkeys(line["statement"] for line in lines)), title=None,
                axis=alt.Axis(labelLimit=380, grid=True),
                scale=alt.Scale(domain=list(dict.fromkeys(line["statement"] for line in lines)))),
        color=alt.Color("verdict:N", legend=legend, scale=alt.Scale(domain=names, range=colours)),
        shape=alt.Shape("verdict:N", legend=legend, scale=alt.Scale(domain=names, range=shapes)),
        tooltip=["statement:N", "data:N", "verdict:N"]).properties(
        width=210, height=alt.Step(19), autosize=alt.AutoSizeParams(type="pad", contains="padding"))
    return parts.finish(chart, _words(lines), "verdicts on all statements")


def _label(group: str, one: Outcome) -> str:
    said = f"{group}: {one.statement.label}"
    return f"({said})" if one.statement.emended else said


def _words(lines: Sequence[Mapping[str, str]]) -> str:
    said = {data: [f"{line['statement']}: {line['verdict']}" for line in lines if line["data"] == data]
            for data in DATA}
    return " ".join(f"Verdicts on {data}: {'; '.join(several)}." for data, several in said.items())
