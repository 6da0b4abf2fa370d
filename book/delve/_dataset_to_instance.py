"""Who trains and who tests in which task instance, and the encoding that every instance fits to its training cases."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.tasks import Fitted, Task, TaskInstance, fit
from benchbook.words import listed, number

_STEP = 21
_CODES = (-1, 0, 1)
_SHARES = {"test": 0.5, "train": 1.0}
_HEADING = " "
_SHOWN = "datum.training_cases == training_cases"
_TRAIN, _TEST = COLOURS[3], COLOURS[0]
_ROLES = {"train": _TRAIN, "test": _TEST}


def blocks(tasks: Sequence[Task]) -> pl.DataFrame:
    """One line a block of cases: training_cases, instance, role (train or test), first, end, cases.

    ``first`` to ``end`` (not included) are places in the prototask's order; the cases of a block are neighbours in it.
    """
    lines = []
    for task in tasks:
        split, place = task.split(), _places(task.cases.order)
        for instance, both in enumerate(zip(split.train, split.test, strict=True)):
            for role, cases in zip(("train", "test"), both, strict=True):
                lines.append(
                    {
                        "training_cases": task.size,
                        "instance": instance,
                        "role": role,
                        "first": int(place[cases].min()),
                        "end": int(place[cases].max()) + 1,
                        "cases": len(cases),
                    }
                )
    return pl.DataFrame(lines)


def rulers(tasks: Sequence[Task]) -> pl.DataFrame:
    r"""One line an instance, a numeric attribute and a code c of -1, 0 and 1: the value that gets this code.

    With centre m and scale a fitted by the instance, and M and A fitted in the same way to all cases of the prototask,

    .. math:: \text{raw} = m + c\,a, \qquad \text{place} = (\text{raw} - M) / A .

    Columns: training_cases, instance, attribute, code, raw (in the unit of the attribute), place (no unit).
    """
    frames = []
    for task in tasks:
        whole = {fitted.coding.attribute: fitted for fitted in _fitted_to_all(task)}
        frames += [
            _ruler(task.size, task.instance(number), whole)
            for number in range(task.split().instances)
        ]
    return pl.concat(frames)


def assignment(
    blocks: pl.DataFrame, rulers: pl.DataFrame, training_cases: int | None = None, *, name: str = ""
) -> Any:
    """A matrix of instances and cases, above the rulers that the instances lay along the attributes.

    Pointing at an instance, tapping it or moving the slider below shows its rulers; the buttons choose the task.

    Args:
        blocks: as the function ``blocks`` returns them, for one task or several of one prototask.
        rulers: as the function ``rulers`` returns them, for the same tasks.
        training_cases: the task shown first; the smallest by default.
        name: of the prototask, for the alternative text and for files saved from the page.

    Raises:
        FaultyInput: no task of that training-set size.
    """
    sizes = blocks["training_cases"].unique().sort().to_list()
    first = sizes[0] if training_cases is None else training_cases
    last = int(blocks["instance"].max())  # type: ignore[arg-type]
    lanes = [
        *(f"instance {i}" for i in range(last + 1)),
        _HEADING,
        *rulers["attribute"].unique(maintain_order=True),
    ]
    y = alt.Y(
        "_lane:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=lanes, paddingInner=0.18),
        axis=alt.Axis(domain=False, ticks=False, labelPadding=6, labelLimit=90),
    )
    slider: Any = {"instance": alt.binding_range(min=0, max=last, step=1, name="instance ")}
    chosen = alt.selection_point(
        name="chosen",
        fields=["instance"],
        value=[{"instance": 0}],
        bind=slider,
        on="pointerover",
        clear=False,
        toggle=False,
    )
    chart = (
        alt.layer(_matrix(blocks, y, chosen), _lanes(rulers, y, chosen))
        .resolve_scale(x="independent")
        .add_params(parts.buttons("training_cases", sizes, "training cases", first))
        .properties(width="container", height=_STEP * len(lanes))
    )
    return parts.finish(chart, _words(blocks, rulers, first, name), f"{name} assignment")


def _matrix(blocks: pl.DataFrame, y: alt.Y, chosen: alt.Parameter) -> Any:
    """The cases of every instance in the prototask's order: full bars train, half bars test."""
    end = int(blocks["end"].max())  # type: ignore[arg-type]
    data = parts.data(
        parts.rows(blocks.with_columns(pl.format("instance {}", "instance").alias("_lane")))
    )
    shown = alt.Chart(data).transform_filter(_SHOWN)
    x = alt.X(
        "first:Q",
        title="place of the case in the order",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(orient="top", grid=False, tickCount=5),
    )
    colour = alt.Color(
        "role:N",
        title=None,
        scale=alt.Scale(domain=list(_ROLES), range=list(_ROLES.values())),
        legend=alt.Legend(symbolType="square", labelExpr="'cases that ' + datum.label"),
    )
    tooltip = [
        alt.Tooltip("instance:Q"),
        alt.Tooltip("role:N"),
        alt.Tooltip("cases:Q", format=","),
        alt.Tooltip("first:Q", title="from place", format=","),
        alt.Tooltip("end:Q", title="up to", format=","),
    ]
    lane = (
        shown.transform_filter("datum.role == 'train'")
        .mark_rect(color=INK)
        .encode(
            x=alt.value(0),
            x2=alt.value("width"),
            y=y,
            opacity=alt.when(chosen).then(alt.value(0.2)).otherwise(alt.value(0.06)),
        )
        .add_params(chosen)
    )
    bright = alt.when(chosen).then(alt.value(1)).otherwise(alt.value(0.55))
    test, train = (
        shown.transform_filter(f"datum.role == '{role}'")
        .mark_bar(height={"band": share})
        .encode(x=x, x2="end:Q", y=y, color=colour, tooltip=tooltip, opacity=bright)
        for role, share in _SHARES.items()
    )
    return alt.layer(lane, test, train)


def _lanes(rulers: pl.DataFrame, y: alt.Y, chosen: alt.Parameter) -> Any:
    """The values that are coded -1, 0 and 1: of all instances as ticks, of the chosen one as a ruler."""
    data = parts.data(parts.rows(rulers.with_columns(pl.col("attribute").alias("_lane"))))
    shown = alt.Chart(data).transform_filter(_SHOWN)
    low, high = rulers.select(
        pl.col("place").min().alias("low"), pl.col("place").max().alias("high")
    ).row(0)
    x = alt.X(
        "place:Q",
        title="value, on a scale fitted to all cases",
        scale=alt.Scale(domain=[low, high], padding=14),
        axis=alt.Axis(grid=False, tickCount=5),
    )
    tooltip = [
        alt.Tooltip("attribute:N"),
        alt.Tooltip("instance:Q"),
        alt.Tooltip("code:Q", title="coded as"),
        alt.Tooltip("raw:Q", title="this value", format=".3f"),
    ]
    heading = parts.data(
        [
            {"_lane": _HEADING, "place": code, "_text": text}
            for code, text in zip(_CODES, ("coded −1", "coded 0", "coded 1"), strict=True)
        ]
    )
    words = alt.Chart(heading).mark_text(fontWeight=600).encode(x=x, y=y, text="_text:N")
    ticks = shown.mark_tick(thickness=2, opacity=0.35, bandSize=12).encode(
        x=x, y=y, tooltip=tooltip
    )
    one = shown.transform_filter(chosen)
    span = one.mark_line(color=_TRAIN).encode(x=x, y=y, detail="attribute:N")
    ends = one.mark_point(color=_TRAIN, opacity=1, size=70).encode(
        x=x,
        y=y,
        tooltip=tooltip,
        shape=alt.when("datum.code == 0").then(alt.value("diamond")).otherwise(alt.value("square")),
    )
    return alt.layer(words, ticks, span, ends)


def _words(blocks: pl.DataFrame, rulers: pl.DataFrame, training_cases: int, name: str) -> str:
    shown = blocks.filter(pl.col("training_cases") == training_cases)
    train, test = (shown.filter(pl.col("role") == role).sort("first") for role in _ROLES)
    overlap = (train["first"].shift(-1) < train["end"]).any()
    common = test["first"].n_unique() < test.height
    tested = "all are tested on the same" if common else "each is tested on its own"
    apart = "some cases train in two instances" if overlap else "no case trains in two instances"
    moves = [f"{number(move)} with {size}" for size, move in _movement(rulers).items()]
    return (
        f"Two panels about {name or 'a prototask'}. The upper one has a line for each of {train.height} task instances "
        f"with {training_cases} training cases: {tested} {test['cases'][0]} cases and trained on {train['cases'][0]} "
        f"others, and {apart}. The lower panel shows for each attribute which values an instance "
        "codes as -1, 0 and 1. From instance to instance the value coded 0 moves by up to "
        f"{listed(moves)} training cases, in average absolute deviations of all cases."
    )


def _movement(rulers: pl.DataFrame) -> dict[int, float]:
    """Training-set size -> the largest distance between the zeros of two instances along one attribute."""
    zeros = rulers.filter(pl.col("code") == 0).group_by("training_cases", "attribute")
    spans = zeros.agg((pl.col("place").max() - pl.col("place").min()).alias("span"))
    return dict(
        spans.group_by("training_cases")
        .agg(pl.col("span").max())
        .sort("training_cases")
        .iter_rows()
    )


def _places(order: np.ndarray) -> np.ndarray:
    """Place in the order of every case of the dataset; -1 for a case that takes no part."""
    place = np.full(int(order.max()) + 1, -1)
    place[order] = np.arange(len(order))
    return place


def _fitted_to_all(task: Task) -> list[Fitted]:
    cases, names = task.cases, (*task.prototask.inputs, task.prototask.target)
    return [fit(cases.codings[name], cases.columns[name][cases.order]) for name in names]


def _ruler(size: int, instance: TaskInstance, whole: dict[str, Fitted]) -> pl.DataFrame:
    lines = []
    for row in instance.encoding.rows():
        for code in _CODES if row["centre"] is not None else ():
            every, raw = whole[row["attribute"]], row["centre"] + code * row["scale"]
            lines.append(
                {
                    "training_cases": size,
                    "instance": instance.number,
                    "attribute": row["attribute"],
                    "code": code,
                    "raw": raw,
                    "place": (raw - every.centre) / every.scale,
                }
            )
    return pl.DataFrame(
        lines,
        schema={
            "training_cases": pl.Int64,
            "instance": pl.Int64,
            "attribute": pl.String,
            "code": pl.Int64,
            "raw": pl.Float64,
            "place": pl.Float64,
        },
    )
