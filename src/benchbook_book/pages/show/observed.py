"""What is seen in the records of runs, as observations for or against a statement: a line each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from benchbook.methods.networks.early_stopping import BatchDescent
from benchbook_book.pages.show.neal import LONGER, PROTOTASKS, SAMPLED

_BGD = ("mlp-bgd-1", "mlp-bgd-2")
_PUMA, _BANK = ("pumadyn-32nm-sim/accel",), ("bank-8nm-sim/rej",)
_LAST = BatchDescent().saves[-1]


def cost(records: pl.DataFrame, key: str) -> list[tuple[str, str, int, Any]]:
    """(method, task, instance, value) of every run whose record has this entry of ``cost``."""
    rows = []
    for method, task, instance, text in records.select(
        "method", "task", "instance", "cost"
    ).iter_rows():
        reply = json.loads(text or "{}")
        if key in reply:
            rows.append((method, task, instance, reply[key]))
    return rows


def _observations(rows: Sequence[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema={"method": pl.String, "task": pl.String, "mark": pl.String}, orient="row"
    )


def _of_study(
    records: pl.DataFrame, methods: Sequence[str], prototasks: Sequence[str] = PROTOTASKS
) -> pl.DataFrame:
    prototask = pl.col("task").str.replace(r"/[^/]+$", "")
    return records.filter(pl.col("method").is_in(methods) & prototask.is_in(prototasks))


def early_chosen(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each network of mlp-bgd-1 and -2: was the chosen iteration among the first twentieth?"""
    return _observations(
        [
            (method, task, "for" if chosen <= _LAST // 20 else "against")
            for method, task, _, several in cost(_of_study(records, _BGD), "selected_iterations")
            for chosen in several
        ]
    )


def first_chosen(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each run of mlp-bgd-1 and -2: did one of its networks stop after a single iteration?"""
    return _observations(
        [
            (method, task, "for" if min(several) == 1 else "against")
            for method, task, _, several in cost(_of_study(records, _BGD), "selected_iterations")
        ]
    )


def last_not_chosen(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each network of mlp-bgd-1 and -2: was it chosen before the last iteration?"""
    return _observations(
        [
            (method, task, "for" if chosen < _LAST else "against")
            for method, task, _, several in cost(_of_study(records, _BGD), "selected_iterations")
            for chosen in several
        ]
    )


def last_chosen_more(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each task instance where it makes a difference: has mlp-bgd-3 more networks with the last iteration
    than mlp-bgd-1 and -2 each, or fewer?
    """
    lasts: dict[tuple[str, int], dict[str, int]] = {}
    for method, task, instance, several in cost(
        _of_study(records, (*_BGD, "mlp-bgd-3")), "selected_iterations"
    ):
        lasts.setdefault((task, instance), {})[method] = sum(chosen >= _LAST for chosen in several)
    rows = []
    for (task, _), counts in lasts.items():
        if len(counts) == 3:
            static, others = counts["mlp-bgd-3"], [counts[name] for name in _BGD]
            if static > max(others) or static < min(others):
                rows.append(("mlp-bgd-3", task, "for" if static > max(others) else "against"))
    return _observations(rows)


def not_converged(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each run of mlp-mc-2 to -4 on pumadyn-32nm: is split R-hat of some hyperparameter above 1.1?"""
    return _observations(
        [
            (method, task, "for" if value == 0.0 or value > 1.1 else "against")
            for method, task, _, value in cost(_of_study(records, SAMPLED[1:], _PUMA), "rhat_sigma")
        ]
    )


def noise_lower(records: pl.DataFrame) -> pl.DataFrame:
    """A line for each longer run on bank-8nm with 256 cases or more: is its noise below that of the shorter run?"""
    noise = {
        (method, task, instance): value
        for method, task, instance, value in cost(
            _of_study(records, (*SAMPLED[1:], *LONGER), _BANK), "noise_sd"
        )
    }
    rows = []
    for (method, task, instance), value in noise.items():
        short = noise.get((method.removesuffix("b"), task, instance))
        if method in LONGER and short is not None and not task.endswith((".64", ".128")):
            rows.append((method, task, "for" if value < short else "against"))
    return _observations(rows)
