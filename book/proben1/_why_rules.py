"""One method on several permutations, and what becomes of its error when a choice is left open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import COLOURS, INK
from benchbook.methods.proben1 import (
    GeneralisationLoss,
    ProgressQuotient,
    Recipe,
    Topology,
    Traces,
    TrainingRun,
    Up,
    first_met,
    result_rule,
    train_many,
)
from benchbook.seeds import generator
from benchbook.tasks.partition import Partition, Portion
from benchbook.tasks.partitions import partition
from benchbook.words import counted, number

# Trained so long, the report's rule has stopped every run; the stopping rules are looked at afterwards.
EPOCHS = 3000
CRITERIA = (
    GeneralisationLoss(1.0),
    GeneralisationLoss(2.0),
    GeneralisationLoss(5.0),
    Up(3),
    ProgressQuotient(1.0),
)
CHOICES = {
    "validation": "best of ten runs by validation error",
    "criterion": "best of five stopping criteria by test error",
    "state": "state of least test error in every run",
    "half": "better half of the runs by test error",
    "best": "best of ten runs by test error",
    "permutation": "best of three permutations",
    "everything": "best permutation, run and state together",
}


def _train(
    part: Partition, topology: str, recipe: Recipe, runs: int, seed: int
) -> list[TrainingRun]:
    network = Topology.parse(topology, part.inputs, part.outputs)
    return train_many(
        part, network, recipe, [generator(seed, part.name, topology, run) for run in range(runs)]
    )


@dataclass(frozen=True, eq=False)
class Halves:
    """Runs of one method on one partition, with the errors on two halves of the test cases apart.

    Attributes:
        validation: [R, S] after each strip of each run.
        test: [2, R, S] on either half.
        rules: [R] the strip of the state that the report's rule takes.
        criteria: [C, R] the same for each of ``CRITERIA``.
    """

    validation: np.ndarray
    test: np.ndarray
    rules: np.ndarray
    criteria: np.ndarray


def halves(name: str, topology: str, recipe: Recipe, runs: int, seed: int) -> Halves:
    """Train on one partition and look at every second test case, and at the others.

    Test cases have no part in training, so that the same seeds make the same networks whatever the test cases are.
    """
    part, long = partition(name), replace(recipe, rule=GeneralisationLoss(1e9), most_epochs=EPOCHS)
    sides = [
        _train(
            replace(part, test=Portion(part.test.inputs[half::2], part.test.targets[half::2])),
            topology,
            long,
            runs,
            seed,
        )
        for half in (0, 1)
    ]
    traces = [run.traces for run in sides[0]]
    rules = np.array([_taken(result_rule(), trace) for trace in traces])
    criteria = np.array([[_taken(one, trace) for trace in traces] for one in CRITERIA])
    test = np.array([[run.traces.test for run in side] for side in sides])
    return Halves(np.array([trace.validation for trace in traces]), test, rules, criteria)


Way = Callable[[Halves, np.ndarray], np.ndarray]


def _taken(criterion: object, trace: Traces) -> int:
    """The strip of least validation error before a criterion stops the run."""
    epoch = first_met(criterion, trace)  # type: ignore[arg-type]  # the unions of criteria are criteria
    end = len(trace.validation) if epoch is None else epoch // trace.strip
    return int(np.argmin(trace.validation[:end]))


def gains(runs: Sequence[Halves]) -> pl.DataFrame:
    """What each choice makes of the mean test error, as a share of what the rules give on the same cases.

    A choice is made by one half of the test cases. ``printed`` is its error on that half, ``true`` its error on the
    other, both means over the two directions and the partitions. Where a partition was chosen, ``true`` is of the other
    partitions, on which others may try it. ``by_test`` says whether the test cases chose.

    Returns:
        choice, by_test, printed, true; in the order of ``CHOICES``.
    """
    ways: dict[str, Way] = {
        "validation": lambda each, test: _chosen(
            _at(test, each.rules), _at(each.validation[None], each.rules)[0]
        ),
        "criterion": lambda each, test: min(
            (_at(test, strips).mean(axis=1) for strips in each.criteria), key=lambda both: both[0]
        ),
        "state": lambda each, test: _at(test, np.argmin(test[0], axis=1)).mean(axis=1),
        "half": _better_half,
        "best": lambda each, test: _chosen(_at(test, each.rules), _at(test, each.rules)[0]),
    }
    found = {
        name: np.mean([_shares(each, way) for each in runs], axis=0) for name, way in ways.items()
    }
    honest = np.array([_at(each.test, each.rules).mean() for each in runs])
    best = int(np.argmin(honest))
    found["permutation"] = np.array([honest[best], np.delete(honest, best).mean()]) / honest.mean()
    tops = np.array([_values(each, _best_of_all) for each in runs])
    top = int(np.argmin(tops[:, 0]))
    found["everything"] = (
        np.array([tops[top, 0], np.delete(tops[:, 1], top).mean()]) / honest.mean()
    )
    return pl.DataFrame(
        [
            {
                "choice": words,
                "by_test": name != "validation",
                "printed": float(found[name][0]),
                "true": float(found[name][1]),
            }
            for name, words in CHOICES.items()
        ]
    )


def _values(each: Halves, way: Way) -> np.ndarray:
    """Error on the half that chose, and on the other: the mean over both directions."""
    both = [way(each, each.test[[side, 1 - side]]) for side in (0, 1)]
    return np.mean(both, axis=0)


def _shares(each: Halves, way: Way) -> np.ndarray:
    honest = _at(each.test, each.rules).mean(axis=1)
    both = [way(each, each.test[[side, 1 - side]]) / honest[[side, 1 - side]] for side in (0, 1)]
    return np.mean(both, axis=0)


def _at(test: np.ndarray, strips: np.ndarray) -> np.ndarray:
    """Errors [2, R] of each run at its strip."""
    return test[:, np.arange(len(strips)), strips]


def _tens(values: np.ndarray) -> np.ndarray:
    """The runs [R] in groups of ten."""
    return values[: len(values) // 10 * 10].reshape(-1, 10)


def _chosen(errors: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Of every ten runs the one with the least ``by``: its errors [2], the mean over the groups."""
    picked = np.argmin(_tens(by), axis=1) + 10 * np.arange(len(_tens(by)))
    return np.asarray(errors[:, picked].mean(axis=1))


def _better_half(each: Halves, test: np.ndarray) -> np.ndarray:
    errors = _at(test, each.rules)
    return np.asarray(errors[:, np.argsort(errors[0])[: len(each.rules) // 2]].mean(axis=1))


def _best_of_all(each: Halves, test: np.ndarray) -> np.ndarray:
    errors = _at(test, np.argmin(test[0], axis=1))
    return _chosen(errors, errors[0])


CASES = {"validation_error": "validation cases", "test_error": "test cases"}
_KINDS = {"printed": "printed: on the cases that chose", "true": "true: on cases that did not"}


def stories(runs: pl.DataFrame) -> Any:
    """A column for each partition: a tick for each run on the validation and on the test cases, and their means.

    Args:
        runs: dataset, run, validation_error, test_error, a line for each run; errors in per cent.
    """
    names = parts.names(runs, "dataset")
    long = runs.unpivot(
        list(CASES), index=["dataset", "run"], variable_name="_error", value_name="error"
    )
    table = long.with_columns(cases=pl.col("_error").replace_strict(CASES))
    means = table.group_by("dataset", "cases", maintain_order=True).agg(
        runs=pl.len(), mean=pl.col("error").mean(), sd=pl.col("error").std()
    )
    kinds = list(CASES.values())
    x = alt.X(
        "dataset:N",
        title=None,
        sort=names,
        axis=alt.Axis(labelAngle=0, labelFontWeight=600, ticks=False),
    )
    side = alt.XOffset("cases:N", sort=kinds)
    colour = alt.Color(
        "cases:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
        legend=alt.Legend(symbolType="stroke"),
    )
    drawn = parts.data([*parts.rows(table.drop("_error")), *parts.rows(means)])
    ticks = (
        alt.Chart()
        .transform_filter("isValid(datum.error)")
        .mark_tick(orient="horizontal", thickness=1.5, opacity=0.5, size=26)
        .encode(
            x=x,
            xOffset=side,
            y=alt.Y("error:Q", title="squared error percentage", scale=alt.Scale(zero=True)),
            color=colour,
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("run:Q"),
                alt.Tooltip("cases:N"),
                alt.Tooltip("error:Q", format=".2f"),
            ],
        )
    )
    marks = (
        alt.Chart()
        .transform_filter("isValid(datum.mean)")
        .mark_point(filled=True, size=110, stroke=INK, strokeWidth=1)
        .encode(
            x=x,
            xOffset=side,
            y=alt.Y("mean:Q"),
            color=colour,
            shape=alt.Shape(
                "cases:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=["circle", "square"]),
                legend=alt.Legend(symbolType="stroke"),
            ),
            tooltip=[
                alt.Tooltip("dataset:N"),
                alt.Tooltip("cases:N"),
                alt.Tooltip("runs:Q"),
                alt.Tooltip("mean:Q", format=".2f"),
                alt.Tooltip("sd:Q", format=".2f", title="standard deviation"),
            ],
        )
    )
    return parts.finish(
        alt.layer(ticks, marks, data=drawn),
        _story_words(means, names),
        "one method on permutations",
        height=320,
    )


def _story_words(means: pl.DataFrame, names: list[str]) -> str:
    said = []
    for name in names:
        here = {line["cases"]: line for line in means.filter(dataset=name).iter_rows(named=True)}
        texts = [
            f"{number(line['mean'])} (standard deviation {number(line['sd'])}) on the {cases}"
            for cases, line in here.items()
        ]
        said.append(f"{name}: {' and '.join(texts)}")
    runs = max(int(count) for count in means["runs"].to_numpy())
    return (
        f"Errors of one method on {counted(len(names), 'permutation')} of the same cases, {runs} runs each. "
        f"Means: {'; '.join(said)}."
    )


def unstated(gains: pl.DataFrame) -> Any:
    """A line for each choice: the error printed, and the error on cases that had no say, both relative to the rules.

    Args:
        gains: choice, printed, true; errors as shares of the one by the rules, 1 being no difference.
    """
    order, kinds = list(gains["choice"]), list(_KINDS.values())
    lines = parts.data(parts.rows(gains.select("choice", *_KINDS)))
    both = gains.unpivot(
        list(_KINDS), index="choice", variable_name="_kind", value_name="share"
    ).with_columns(kind=pl.col("_kind").replace_strict(_KINDS))
    top = max(1.2, 1.08 * float(str(both["share"].max())))
    scale = alt.Scale(domain=[0, top], nice=False)
    y = alt.Y("choice:N", title=None, sort=order, axis=None)
    spans = (
        alt.Chart(lines)
        .mark_rule(opacity=0.5, strokeWidth=2)
        .encode(x=alt.X("printed:Q", scale=scale), x2="true:Q", y=y)
    )
    size = alt.condition(f"datum.kind == '{kinds[0]}'", alt.value(190), alt.value(80))
    dots = (
        alt.Chart(parts.data(parts.rows(both.drop("_kind"))))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=alt.X(
                "share:Q",
                title="error, as a share of what the rules give",
                scale=scale,
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=y,
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=list(COLOURS[:2])),
                legend=alt.Legend(columns=1, labelLimit=300, symbolType="circle"),
            ),
            shape=alt.Shape(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=["circle", "square"]),
                legend=alt.Legend(columns=1, labelLimit=300),
            ),
            size=size,
            tooltip=[
                alt.Tooltip("choice:N"),
                alt.Tooltip("kind:N", title="error"),
                alt.Tooltip("share:Q", format=".0%"),
            ],
        )
    )
    names = (
        alt.Chart(lines)
        .mark_text(align="left", baseline="bottom", dy=-9, fontSize=12)
        .encode(x=alt.value(2), y=y, text="choice:N")
    )
    honest = (
        alt.Chart().mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.datum(1.0, scale=scale))
    )
    return parts.finish(
        alt.layer(honest, spans, dots, names),
        _gain_words(gains),
        "unstated choices",
        height=46 * len(order),
    )


def _gain_words(gains: pl.DataFrame) -> str:
    said = [
        f"{line['choice']}: {line['printed']:.0%} printed, {line['true']:.0%} true"
        for line in gains.iter_rows(named=True)
    ]
    return (
        "Test errors after different choices, as shares of the error that the rules give, on the cases that made "
        f"the choice and on cases that did not. {'; '.join(said)}."
    )
