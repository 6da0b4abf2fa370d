"""One dataset, one question, how each of the four works would answer it, and the charts of their answers."""

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from benchbook import datasets, methods, seeds, studies, tasks
from benchbook.assess import densities
from benchbook.charts.kit import parts
from benchbook.charts.kit.theme import INK
from benchbook.folds import random_folds
from benchbook.losses import get as loss
from benchbook.predictive.checks import FloatArray
from benchbook.statistics import standard_error
from benchbook.tasks.cases import Cases, prepare
from benchbook.tasks.splitting import Indices, Split
from benchbook.tasks.task_instance import build
from benchbook.words import listed, number


def difference_chart(table: pl.DataFrame, first: str, second: str, unit: str) -> Any:
    """A line for each work: the difference of losses with its interval, and zero.

    Args:
        table: ``work``, ``training_cases``, ``difference``, ``low``, ``high``, ``sure``.
        first, second: the methods; the difference is the first's loss less the second's.
        unit: of the loss.
    """
    columns = ("work", "training_cases", "difference", "low", "high", "sure")
    shown = table.select(columns).with_columns(
        row=pl.format("{}, {} training cases", "work", "training_cases")
    )
    rows, works = shown["row"].to_list(), shown["work"].to_list()
    ends = [*shown["low"], *shown["high"], 0.0]
    looks = parts.looks("work", works, legend=None)
    base = alt.Chart(parts.data(parts.rows(shown))).encode(
        y=alt.Y("row:N", title=None, sort=rows, axis=alt.Axis(labelLimit=200, grid=False)),
        tooltip=[
            alt.Tooltip("work:N"),
            *(alt.Tooltip(f"{name}:Q", format=".3g") for name in ("difference", "low", "high")),
            alt.Tooltip("sure:N"),
        ],
    )
    said = "; ".join(
        f"{line['row']}: {number(line['difference'])} ({number(line['low'])} to {number(line['high'])}), "
        f"{line['sure']}"
        for line in shown.iter_rows(named=True)
    )
    words = f"Loss of {first} less that of {second} ({unit}), with 90 % intervals. {said}."
    return parts.finish(
        alt.layer(
            alt.Chart(parts.data([{"zero": 0}]))
            .mark_rule(color=INK, strokeDash=[4, 3])
            .encode(x="zero:Q"),
            base.mark_rule(strokeWidth=3).encode(
                x=alt.X(
                    "low:Q",
                    title=f"difference of losses ({unit})",
                    scale=alt.Scale(domain=[min(ends), max(ends)], nice=True),
                ),
                x2="high:Q",
                color=looks["color"],
            ),
            base.mark_point(filled=True, size=90, opacity=1).encode(x="difference:Q", **looks),
        ),
        words,
        "verdicts",
        height=34 * len(works),
    )


DATASET, SIZE, FRESH_TEST = "kin-8nm-sim", 256, 2048
WORKS = ("DELVE", "PROBEN1", "PASCAL", "Vehtari")


def four_answers(
    names: Sequence[str], seed: int = 1, fresh: int = 8, runs: int = 10, folds: int = 10
) -> pl.DataFrame:
    """Standardised expected squared error of methods at 256 training cases, as each of the four works estimates it.

    DELVE has eight disjoint training sets, so its estimate is of the method; the other three have the first of these
    alone. DELVE: mean over instances, one standard error. PROBEN1: the training set cut 50-25-25, mean of ``runs``
    runs that differ in their random numbers, one standard deviation. The challenge: train on all 256, a hidden test
    set of 512, one standard error over its cases, as a board gives it. Vehtari and Lampinen: ``folds``-fold
    cross-validation, not corrected for its bias, and the Bayesian bootstrap's central 68 %. "truth" is the mean over
    ``fresh`` training sets drawn anew, each tested on 2048 new cases, with one standard error.

    Args:
        names: registered methods that predict real targets.
        seed: of the runs that are made here; those of DELVE come from the archive when they are there.
        fresh, runs, folds: how much to compute.

    Returns:
        A line for each work (and "truth") and method: work, method, estimate, low, high, interval (in words); losses
        are divided by the variance of the test targets.
    """
    cases = tasks.get(f"{DATASET}/dist/std.{SIZE}").cases
    standard = tasks.standard(f"{DATASET}/dist/std.{SIZE}", "S")
    rows = []
    for name in names:
        answers = {
            **dict(_answers(cases, name, seed, runs, folds)),
            "truth": _truth(name, seed, fresh),
        }
        rows += [
            (work, name, *(value / standard for value in numbers), words)
            for work, (*numbers, words) in answers.items()
        ]
    return pl.DataFrame(
        rows, schema=["work", "method", "estimate", "low", "high", "interval"], orient="row"
    )


def _answers(
    cases: Cases, name: str, seed: int, runs: int, folds: int
) -> Iterator[tuple[str, tuple]]:
    split = tasks.get(f"{DATASET}/dist/std.{SIZE}").split()
    train, test = split.train[0], split.test[0]
    by_instance = _archived(name)
    if len(by_instance) < split.instances:
        pairs = zip(split.train, split.test, strict=True)
        by_instance = np.array([_losses(cases, *pair, name, seed).mean() for pair in pairs])
    yield (
        WORKS[0],
        _around(
            by_instance.mean(), standard_error(by_instance), "one standard error over training sets"
        ),
    )
    half, rest = train[: SIZE // 2], train[3 * SIZE // 4 :]
    by_run = np.array([_losses(cases, half, rest, name, seed, run).mean() for run in range(runs)])
    yield WORKS[1], _around(by_run.mean(), by_run.std(ddof=1), "one standard deviation over runs")
    hidden = _losses(cases, train, test, name, seed)
    yield (
        WORKS[2],
        _around(hidden.mean(), standard_error(hidden), "one standard error over test cases"),
    )
    utility, left_out = (
        np.empty(SIZE),
        random_folds(SIZE, folds, seeds.generator(seed, "four answers", "folds")),
    )
    for fold in left_out:
        utility[fold.test] = _losses(cases, train[fold.train], train[fold.test], name, seed)
    expected = densities.bayesian_bootstrap(utility, replicates=4000, seed=seed, name=name)
    yield (
        WORKS[3],
        (expected.estimate, *expected.interval(0.68), "central 68 % of the Bayesian bootstrap"),
    )


def _archived(name: str) -> FloatArray:
    """Mean loss on each instance, [I], as far as the archive has them."""
    losses = studies.gather(f"{DATASET}/dist/std.{SIZE}", name, "S")
    return (
        losses.group_by("instance").agg(pl.col("value").mean()).sort("instance")["value"].to_numpy()
    )


def _truth(name: str, seed: int, fresh: int) -> tuple[float, float, float, str]:
    means = []
    for k in range(fresh):
        rng = seeds.generator(seed, "four answers", "fresh", k)
        data = datasets.simulate(DATASET, SIZE + FRESH_TEST, rng)
        cases = prepare(tasks.prototask(f"{DATASET}/dist"), data)
        means.append(
            _losses(cases, np.arange(SIZE), np.arange(SIZE, SIZE + FRESH_TEST), name, seed).mean()
        )
    return _around(
        np.mean(means),
        standard_error(means),
        f"one standard error over {fresh} fresh training sets",
    )


def _losses(
    cases: Cases, train: Indices, test: Indices, name: str, seed: int, run: int = 0
) -> FloatArray:
    """Squared errors of a method trained and tested on the cases named."""
    instance = build(cases, f"{DATASET}/dist/std.{len(train)}", Split((train,), (test,)), 0)
    prediction, _ = methods.answer(
        methods.get(name), instance, seeds.generator(seed, name, instance.digest, run)
    )
    return loss("S").per_case(instance.decode(prediction), cases.columns["dist"][test])


def _around(mean: float, spread: float | FloatArray, words: str) -> tuple[float, float, float, str]:
    return float(mean), float(mean - spread), float(mean + spread), words


def draw(answers: pl.DataFrame, truth: str = "truth") -> alt.FacetChart:
    """A panel for each method: the estimate of each work with its interval, and the truth as a band.

    Args:
        answers: a line for each work and method: work, method, estimate, low, high, interval (what the bar means). The
            lines whose work is ``truth`` are drawn as a band across their panel.
    """
    works = [work for work in dict.fromkeys(answers["work"]) if work != truth]
    methods = parts.names(answers, "method")
    x = alt.X("low:Q", title="standardised squared error", scale=alt.Scale(zero=False, nice=True))
    y = alt.Y("work:N", title=None, sort=works, axis=alt.Axis(labelLimit=170, grid=False))
    tips = [
        alt.Tooltip("work:N"),
        alt.Tooltip("method:N"),
        alt.Tooltip("interval:N", title="the bar"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("estimate", "low", "high")),
    ]
    every = alt.Chart(parts.data(parts.rows(answers)))
    band = every.transform_filter(alt.datum.work == truth)
    marks = every.transform_filter(alt.datum.work != truth)
    looks = parts.looks("work", works, legend=None)
    panel = alt.layer(
        band.mark_rect(color=INK, opacity=0.16).encode(x=x, x2="high:Q", tooltip=tips),
        band.mark_rule(color=INK, opacity=0.7).encode(x="estimate:Q", tooltip=tips),
        marks.mark_rule(strokeWidth=3).encode(
            x=x, x2="high:Q", y=y, color=looks["color"], tooltip=tips
        ),
        marks.mark_point(size=90, filled=True, opacity=1).encode(
            x="estimate:Q", y=y, tooltip=tips, **looks
        ),
    ).properties(width=420, height=26 * len(works))
    chart = panel.facet(
        alt.Facet(
            "method:N",
            title=None,
            sort=methods,
            header=alt.Header(labelOrient="top", labelAnchor="start"),
        ),
        columns=1,
    )
    return parts.finish(
        chart.resolve_scale(x="shared"),
        _words(answers, works, methods, truth),
        "four answers",
        layout={"count": 1, "least": 150, "most": 460, "gap": 0, "margin": 90},
    )


def _words(answers: pl.DataFrame, works: list[str], methods: list[str], truth: str) -> str:
    said = []
    for method in methods:
        rows = {row["work"]: row for row in answers.filter(method=method).iter_rows(named=True)}
        each = [
            f"{work} {number(rows[work]['estimate'])} ({number(rows[work]['low'])} to {number(rows[work]['high'])})"
            for work in works
            if work in rows
        ]
        said.append(
            f"{method}: {listed(each)}; the truth is {number(rows[truth]['estimate'])}"
            if truth in rows
            else f"{method}: {listed(each)}"
        )
    return (
        f"Expected squared error of {listed(methods)}, as {listed(works)} estimate it, with intervals. "
        + ". ".join(said)
        + "."
    )
