"""How often a bound of ours was active in archived runs: the end of a grid, all rounds used, chains that had not mixed.

A place or a verdict that hangs on such a bound is one on the bound. What a run left in its diagnostics says whether it
was active; a run whose diagnostics say nothing of a bound is not counted for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchbook import methods
from benchbook.words import counted

FIFTH = 0.2
"""Share of the runs of a method from which on its bound is to be told beside its place."""
LARGEST_RHAT = 1.1
"""R-hat of the predictions, or of the worst scalar where that is all that was kept, up to which chains have mixed."""
ACCEPTANCE = (0.5, 0.99)
CHAINS = "chains not converged"

_LIMITS = {"epochs": "epochs", "rounds": "rounds", "stopped": "network.epochs"}
"""Diagnostics that say what was chosen up to a most, and the setting that is the most."""
_GRIDS = {
    "dropped": ("dropped", "share of units left out"),
    "rate": ("rates", "step size"),
    "noise_variance": ("noises", "noise"),
    "penalty": ("penalties", "penalty"),
}
_FLOORS = {"spread_penalty": ("search.least", "least penalty of the log variance")}
_FALLBACKS = ("fallback_to_mean", "fallback_to_marginal", "fallback_to_one_state")
_NEAR = 1e-3  # of a number that is recorded to four digits
_FAMILIES = ("kin", "pumadyn", "bank", "uci", "proben1")


def active(records: pl.DataFrame, by: Sequence[str] = ("method", "family")) -> pl.DataFrame:
    """How often each bound was active.

    Args:
        records: of runs, as ``Archive.records`` gives them; those that failed are left out.
        by: what a line is for, besides the bound: columns of the records, or ``family``.

    Returns:
        The columns of ``by``, bound, runs (whose diagnostics speak of it), active (of these, those where it was; a
        part of an ensemble counts as such a part of a run), share. Sorted by them; bounds that never were are in it.
    """
    rows = [
        (*(record[name] for name in by), bound, share)
        for record in _with_family(records.filter(status="ok")).iter_rows(named=True)
        for bound, share in _of_record(record).items()
    ]
    schema = [*((name, pl.String) for name in by), ("bound", pl.String), ("share", pl.Float64)]
    return (
        pl.DataFrame(rows, schema=schema, orient="row")
        .group_by(*by, "bound")
        .agg(runs=pl.len(), active=pl.col("share").sum(), share=pl.col("share").mean())
        .sort(*by, "bound")
    )


def _of_record(record: Mapping[str, Any]) -> dict[str, float]:
    cost, settings = (json.loads(record[name] or "{}") for name in ("cost", "settings"))
    return of_run(record["method"], cost, settings)


def remarks(records: pl.DataFrame, over: float = FIFTH) -> dict[str, str]:
    """What to say beside each method of a board: its bounds that were active in more than a share of its runs."""
    table = active(records, by=("method",)).filter(pl.col("share") > over)
    return {
        method: "; ".join(
            f"{row['bound']} in {_number(row['active'])} of {counted(row['runs'], 'run')}"
            for row in part.iter_rows(named=True)
        )
        for (method,), part in table.group_by("method", maintain_order=True)
    }


def unconverged(records: pl.DataFrame, over: float = FIFTH) -> dict[str, str]:
    """The methods to which a board gives no place, and why: their chains had not mixed in more than a share of runs."""
    table = active(records, by=("method",)).filter(pl.col("share") > over, bound=CHAINS)
    return {
        row["method"]: f"{CHAINS} in {_number(row['active'])} of {counted(row['runs'], 'run')}"
        for row in table.iter_rows(named=True)
    }


def prediction_rhat(cost: Mapping[str, Any]) -> float | None:
    """R-hat of what the chains of a run predict, or of the worst scalar where that is all that was kept; 0 for one that
    is undefined, None for a run that has no chains."""
    named = (cost.get(name) for name in ("rhat_prediction", "rhat_value", "rhat"))
    return next((float(value) for value in named if isinstance(value, int | float)), None)


def of_run(
    method: str, cost: Mapping[str, Any], settings: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """Which bounds were active in one run, by its diagnostics: 1 or 0, or the share of the parts of an ensemble.

    Args:
        method: its name. cost: its diagnostics.
        settings: those it was run with, as its record has them; what they lack is taken from the method as it is now.
    """
    given = _Settings(method, settings or {})
    return {
        bound: float(value)
        for rule in (_saves, _limits, _grids, _floors, _sampling, _fallbacks)
        for bound, value in rule(given, cost)
    }


@dataclass(frozen=True)
class _Settings:
    """The settings of a run."""

    method: str
    recorded: Mapping[str, Any]

    def of(self, name: str) -> Any:
        """The value of a setting, with ``a.b`` for one of a group; None where there is none."""
        for recorded in (name, name.rpartition(".")[2]):
            if recorded in self.recorded:
                return self.recorded[recorded]
        try:
            value: object = getattr(methods.get(self.method), "settings", None)
        except Exception:  # a method that this version, or this machine, does not have
            return None
        for part in name.split("."):
            value = getattr(value, part, None)
        return value


def _saves(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Networks saved on the way: of those that ran to the end, how many are from the first or the last save."""
    chosen, made = cost.get("selected_iterations"), cost.get("iterations")
    if chosen and made:
        last = max(made)
        yield "last save chosen", _mean(own == last for own in chosen)
        yield "first save chosen", _mean(own == 1 for own in chosen)


def _limits(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, setting in _LIMITS.items():
        most = settings.of(setting) if isinstance(cost.get(name), int) else None
        if most is not None:
            yield f"all {setting.rpartition('.')[2]} used", cost[name] >= most


def _grids(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, (setting, words) in _GRIDS.items():
        grid = settings.of(setting) if isinstance(cost.get(name), int | float) else None
        if isinstance(grid, tuple | list) and len(grid) > 1:
            yield f"{words} at the end of its grid", _at_end(cost[name], grid)


def _floors(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, (setting, words) in _FLOORS.items():
        least = settings.of(setting) if isinstance(cost.get(name), int | float) else None
        if least is not None:
            yield f"{words} taken", cost[name] <= least * (1 + _NEAR)


def _sampling(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    rhat, kept = prediction_rhat(cost), cost.get("acceptance")
    if rhat is not None:
        # 0 stands for an R-hat that is undefined. A chain that never moved once had 1.
        yield CHAINS, not 0 < rhat <= LARGEST_RHAT or kept == 0
    if isinstance(kept, int | float):
        yield "acceptance outside .5 to .99", not ACCEPTANCE[0] <= kept <= ACCEPTANCE[1]


def _fallbacks(settings: _Settings, cost: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if cost:
        yield "fallback used", any(cost.get(name) for name in _FALLBACKS)


def _at_end(value: float, grid: Sequence[float]) -> bool:
    """At an end that is ours: 0 of a share is none, nothing being below it."""
    ends = [end for end in (min(grid), max(grid)) if end > 0]
    return any(abs(value - end) <= _NEAR * end for end in ends)


def _with_family(records: pl.DataFrame) -> pl.DataFrame:
    """The dataset family of each run: of the arrays and of the collections their common name."""
    dataset = pl.col("task").str.split("/").list.first()
    first = dataset.str.split("-").list.first()
    plain = dataset.str.replace("-again-sim$|-sim$", "")
    return records.with_columns(family=pl.when(first.is_in(_FAMILIES)).then(first).otherwise(plain))


def _mean(flags: Iterator[bool]) -> float:
    values = [*flags]
    return sum(values) / len(values)


def _number(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
