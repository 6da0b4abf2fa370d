"""The table of benchmarks: read from the file that ``benchmarks/run.py --json`` writes, never measured on a page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from benchbook.datasets import registry_path
from benchbook.errors import BenchbookError
from benchbook.show.html import Html, facts, paragraph, stack
from benchbook.show.numbers import number
from benchbook.show.tables import table
from benchbook.words import listed

COMMAND = "make bench ARGS='--memory --only assess* gaussian* mlp* rprop* sampler* --json data/benchmarks.json'"
SERVER_COMMAND = "python3 src/bootstrap.py run python benchmarks/server/load.py --json data/benchmarks-server.json"
LOSSES_COMMAND = "make bench ARGS='--memory --only psis* gp_* bayesian* losses* --json data/benchmarks-losses.json'"
_SCHEMA = {
    "benchmark": pl.String,
    "contender": pl.String,
    "seconds": pl.Float64,
    "spread": pl.Float64,
    "ratio": pl.Float64,
    "megabytes": pl.Float64,
    "extra": pl.Float64,
    "note": pl.String,
}
_VERDICTS = ("met", "missed", "not measured")
_GOALS = {
    "benchmark": pl.String,
    "what": pl.String,
    "contender": pl.String,
    "wanted": pl.Float64,
    "reached": pl.Float64,
    "met": pl.Boolean,
}


@dataclass(frozen=True)
class Benchmarks:
    """What was measured, where and when, and what became of the goals; the keys are those of the file."""

    made: dict[str, Any]

    @cached_property
    def lines(self) -> pl.DataFrame:
        """A line for each contender: benchmark, contender, seconds, spread, ratio, megabytes, extra, note."""
        return pl.DataFrame(self.made["lines"], schema=_SCHEMA)

    @cached_property
    def goals(self) -> pl.DataFrame:
        """A line for each goal: benchmark, what, contender, wanted, reached, met (empty when not measured)."""
        return pl.DataFrame(self.made["goals"], schema=_GOALS)

    def tables(self) -> Html:
        """A table for each benchmark: a line for each contender, ours first, and its goal beside its ratio."""
        return stack(
            *(
                self._table(str(name), lines)
                for (name,), lines in self.lines.group_by("benchmark", maintain_order=True)
            )
        )

    def _table(self, name: str, lines: pl.DataFrame) -> Html:
        goals = self.goals.filter(pl.col("benchmark") == name)
        # A peer that is not installed is named by its package, BlackJAX by blackjax.
        ratios = goals.filter(pl.col("what") == "ratio").select(
            pl.col("contender").str.to_lowercase().alias("_key"), goal="wanted", verdict=_verdict()
        )
        joined = lines.with_columns(_key=pl.col("contender").str.to_lowercase()).join(
            ratios, on="_key", how="left", maintain_order="left"
        )
        text = pl.concat_str(
            pl.col("verdict").fill_null(""),
            pl.when(pl.col("verdict").is_not_null() & (pl.col("note") != ""))
            .then(pl.lit(": "))
            .otherwise(pl.lit("")),
            "note",
        )
        retained = joined.select(
            "contender",
            "seconds",
            "spread",
            "ratio",
            "goal",
            text.alias("says"),
            "megabytes",
            "extra",
        )
        dropped = [
            column
            for column in ("goal", "megabytes", "extra", "says")
            if not retained[column].drop_nulls().cast(pl.String).str.len_bytes().sum()
        ]
        formats = {
            "seconds": duration,
            "spread": _percent,
            "ratio": _ratio,
            "goal": _least,
            "megabytes": _rounded,
            "extra": _rounded,
        }
        headings = {
            "seconds": "a call",
            "ratio": "time over ours",
            "megabytes": "peak MB",
            "extra": "extra MB",
            "says": "",
        }
        title = str(self.made["titles"].get(name, name))
        shown = table(
            retained.drop(dropped),
            f"{title[:1].upper()}{title[1:]}",
            label="contender",
            formats={key: value for key, value in formats.items() if key not in dropped},
            headings={key: value for key, value in headings.items() if key not in dropped},
        )
        own = goals.filter(pl.col("what") != "ratio").with_columns(verdict=_verdict())
        return stack(shown, *(paragraph(_goal(goal)) for goal in own.iter_rows(named=True)))

    def origin(self, command: str = COMMAND) -> Html:
        """Where and when it was measured, and the command that does it again."""
        made = self.made
        return facts(
            {
                "measured": made["made"],
                "processor": made["cpu"] or made["machine"],
                "system": made["system"],
                "package": f"benchbook {made['benchbook']}, commit {made['commit'][:12]}",
                "libraries": ", ".join(
                    [
                        f"Python {made['python']}",
                        *(f"{name} {version}" for name, version in made["libraries"].items()),
                    ]
                ),
                "rounds": str(made["rounds"]),
                "measure it again": f"`{command}`",
            }
        )

    def verdict(self) -> str:
        """How many goals there are and what became of them, in a few words."""
        counts = dict(self.goals.group_by(_verdict().alias("verdict")).len().iter_rows())
        lines = [f"{counts[name]} {name}" for name in _VERDICTS if name in counts]
        return f"{self.goals.height} goals: {listed(lines)}" if lines else "no goals"


@dataclass(frozen=True)
class ServerLoad:
    """How the challenge server bore a class; ``benchmarks/server/load.py`` writes the file."""

    made: dict[str, Any]

    @property
    def figures(self) -> dict[str, Any]:
        """The figures by their names; times are in seconds."""
        return dict(self.made["figures"])

    def table(self) -> Html:
        """The time within which 95 % of each kind of page came."""
        rows = [
            {"page": path, "seconds": value} for path, value in self.figures["95 % by page"].items()
        ]
        return table(
            rows,
            "Time within which 95 % of the answers came",
            label="page",
            formats={"seconds": duration},
            headings={"seconds": "95 %"},
        )

    def origin(self) -> Html:
        """Where and when it was measured, what else ran there, and the command that does it again."""
        made, figures = self.made, self.figures
        return facts(
            {
                "measured": made["made"],
                "processor": f"{made['cpu'] or made['machine']}, {figures['processors']} cores",
                "system": made["system"],
                "load average": f"{figures['load before']:g} before, {figures['load at the end']:g} at the end",
                "package": f"benchbook {made['benchbook']}, commit {made['commit'][:12]}",
                "libraries": f"Python {made['python']}",
                "measure it again": f"`{SERVER_COMMAND}`",
            }
        )


def read_server() -> ServerLoad:
    """The load of the challenge server, from ``data/benchmarks-server.json``.

    Raises:
        BenchbookError: there is no such file, or it is not one that the script wrote.
    """
    path = registry_path().parent / "benchmarks-server.json"
    try:
        load = ServerLoad(json.loads(path.read_text(encoding="utf8")))
        _ = load.table(), load.origin()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BenchbookError(
            f"cannot read the load from {path}: {error!r}. Measure it with: {SERVER_COMMAND}"
        ) from error
    return load


def read_losses() -> Benchmarks:
    """The benchmarks of losses and predictive densities, from ``data/benchmarks-losses.json``.

    Raises:
        BenchbookError: as for ``read``.
    """
    return read(registry_path().parent / "benchmarks-losses.json")


def read(path: str | Path | None = None) -> Benchmarks:
    """The benchmarks measured last, by default from ``data/benchmarks.json`` of the checkout.

    Raises:
        BenchbookError: there is no such file, or it is not one that this version of the runner wrote.
    """
    path = registry_path().parent / "benchmarks.json" if path is None else Path(path)
    try:
        made = json.loads(path.read_text(encoding="utf8"))
        benchmarks = Benchmarks(
            {
                **dict.fromkeys(("cpu", "machine", "system", "commit", "benchbook", "python"), ""),
                "rounds": 0,
                "libraries": {},
                **made,
            }
        )
        _ = benchmarks.made["made"], benchmarks.made["titles"], benchmarks.lines, benchmarks.goals
    except (OSError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise BenchbookError(
            f"cannot read benchmarks from {path}: {error!r}. Measure them with: {COMMAND}"
        ) from error
    return benchmarks


def duration(value: float | None) -> str:
    """Seconds in the unit that suits them, three digits."""
    if value is None:
        return "–"
    unit, size = next(
        ((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)) if value >= size),
        ("ns", 1e-9),
    )
    return f"{number(value / size)} {unit}"


def _verdict() -> pl.Expr:
    met, missed, unmeasured = map(pl.lit, _VERDICTS)
    return (
        pl.when(pl.col("met").is_null())
        .then(unmeasured)
        .when(pl.col("met"))
        .then(met)
        .otherwise(missed)
    )


def _goal(goal: dict[str, Any]) -> str:
    reached = "" if goal["reached"] is None else f"{number(goal['reached'])}, "
    if goal["what"] == "memory":
        return (
            f"Goal for memory beyond the data's: {goal['contender']} at least {goal['wanted']:g} times ours. "
            f"Reached: {reached}{goal['verdict']}."
        )
    what = {"seconds": "seconds a call", "megabytes": "megabytes at the peak"}.get(
        goal["what"], goal["what"]
    )
    return f"Goal for ours: at most {goal['wanted']:g} {what}. Reached: {reached}{goal['verdict']}."


def _percent(value: float | None) -> str:
    return "–" if value is None else f"±{100 * value:.1f} %"


def _ratio(value: float | None) -> str:
    return number(value)


def _least(value: float | None) -> str:
    return "" if value is None else f"≥ {value:g}"


def _rounded(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
