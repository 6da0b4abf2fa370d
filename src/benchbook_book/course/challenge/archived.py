"""The archived entries to the challenge's tasks: their losses, letters, and the true distribution's losses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, losses, studies, tasks
from benchbook.assess.multiplicity import letters, share_a_letter
from benchbook.methods.base import is_exploit
from benchbook.statistics import standard_error
from benchbook.studies import active_bounds
from benchbook_book.course.challenge.asked import book_organiser
from benchbook_book.course.challenge.board import differ_significantly
from benchbook_book.course.challenge.recreated import NAMES, recreated
from benchbook_book.course.challenge.scoring import baseline

CODES = {"real": ("NLPD", "CRPS"), "class": ("NLP10", "BRIER", "01L")}
"""The losses of single cases that are kept of an entry, the ranking one first."""

POINT = {"real": "nMSE", "class": "01L"}
"""The loss that does not look at the uncertainty, as in the chapter's tables."""

REAL = (
    "boston",
    "concrete",
    "abalone",
    "kin-8nm",
    "uci-cancer",
    "uci-card",
    "uci-diabetes",
    "adult",
)
"""The published data under the same protocol."""

BASELINE = "base-1"
"""The method that knows no input."""

NO_PLACE = "not converged"
"""The kind of an entry whose chains have not converged."""

AVERAGED = {
    **dict.fromkeys(
        (
            "bayes-logistic-1",
            "bayes-logistic-ard-1",
            "vl-mlp-logistic",
            "vl-gp-logistic",
            "gp-mc-1",
            *(f"vl-{what}-{model}" for what in ("mlp", "gp") for model in ("n", "t", "in", "it")),
        ),
        "posterior",
    ),
    "mlp-committee-class-1": "networks",
    "mlp-committee-1": "networks",
    "mdn-1": "networks",
    "mlp-bgd-1": "networks",
    "can2-1": "bags",
    "bagged-trees-1": "bags",
    "forest-1": "bags",
    "forest-quantiles-1": "bags",
    "subspace-trees-1": "subspaces",
}
"""What a method averages over, of those that average whole predictors."""


@dataclass(frozen=True)
class Results:
    """The entries of one task, with the validation targets and without.

    Attributes:
        name: one of ``recreated.NAMES``, that with ``-again`` for its fresh cases, or a published dataset of
            ``REAL``.
    """

    name: str

    @property
    def made(self) -> bool:
        """Whether it is a re-creation, whose law is known."""
        return self.name.removesuffix("-again") in NAMES

    @cached_property
    def task(self) -> tasks.Task:
        """The task of the test phase."""
        return recreated(self.name).task if self.made else tasks.get(f"{self.name}/challenge/test")

    @property
    def at_hand(self) -> bool:
        """Whether the data is on this machine."""
        return datasets.at_hand(self.task.prototask.dataset)

    @property
    def _names(self) -> list[str]:
        return [self.task.name, f"{self.task.name}-before"]

    @property
    def kind(self) -> str:
        """``real`` or ``class``."""
        return self.task.prototask.kind

    @property
    def codes(self) -> tuple[str, ...]:
        """The losses of single cases, the ranking one first."""
        return CODES[self.kind]

    @cached_property
    def losses(self) -> dict[str, dict[str, NDArray[np.float64]]]:
        """By entry and code the losses of the test cases [J], in the order of the cases; "<" is before a method's name
        when it had no validation targets.

        Those of the baseline are computed anew where the data is at hand: of a class they have two values, and the
        archive's rounding does not average out as it does for all others.
        """
        frame = (
            studies.overlay()
            .losses(prototask=self.task.prototask.path, tasks=self._names, code=list(self.codes))
            .sort("case")
        )
        by_entry = {
            f"{_mark(task)}{method}": {
                code: part.filter(loss=code)["value"].to_numpy() for code in self.codes
            }
            for (method, task), part in frame.group_by("method", "task", maintain_order=True)
        }
        return (
            by_entry | {BASELINE: self._baseline()}
            if BASELINE in by_entry and self.at_hand
            else by_entry
        )

    def _baseline(self) -> dict[str, NDArray[np.float64]]:
        key = book_organiser().key(self.task.name)
        order = np.argsort(np.array(key.asked.cases, dtype=np.int64))
        return {code: baseline(key).per_case[code][order] for code in self.codes}

    @cached_property
    def facts(self) -> dict[str, dict[str, Any]]:
        """By entry what its record keeps of the whole set; see ``tasks.challenge_summary``."""
        records = (
            studies.overlay()
            .records(prototask=self.task.prototask.path, tasks=self._names)
            .filter(status="ok")
        )
        return {
            f"{_mark(row['task'])}{row['method']}": json.loads(row["cost"])
            | {"seconds": row["seconds"]}
            for row in records.iter_rows(named=True)
        }

    @cached_property
    def entries(self) -> pl.DataFrame:
        """An entry a line, best first; empty, with all columns, when nothing is archived.

        Last stand those without a place and without letters: sampled, with chains that have not converged.

        Columns: task, entry, method, kind (entry, before, exploit, baseline or ``NO_PLACE``), averaged (over what, or
        ""), ranked and its standard_error, groups (letters: entries that share one do not differ significantly by the
        ranking loss), point (nMSE or 01L), other (CRPS or BRIER), extra (coverage of 90 % intervals, or LIFT), chains
        (of a sampled entry, its passes and the R-hat of its predictions), gain (the baseline's ranking loss less this).
        """
        rows = [self._line(entry, of_entry) for entry, of_entry in self.losses.items()]
        frame = pl.DataFrame(rows, schema=_SCHEMA).sort(
            pl.col("kind") == NO_PLACE, "ranked", "entry", maintain_order=True
        )
        if frame.is_empty():
            return frame
        placed = frame.filter(pl.col("kind") != NO_PLACE)["entry"]
        letter = letters(
            differ_significantly(np.array([self.losses[entry][self.codes[0]] for entry in placed]))
        )
        base = frame.filter(method=BASELINE, kind="baseline")["ranked"]
        return frame.with_columns(
            groups=pl.Series([*letter, *[""] * (frame.height - len(letter))]),
            gain=(base[0] if len(base) else float("nan")) - pl.col("ranked"),
        )

    def _line(self, entry: str, of_entry: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
        method, facts, first = (
            entry.removeprefix("< "),
            self.facts.get(entry, {}),
            of_entry[self.codes[0]],
        )
        kind = (
            NO_PLACE
            if active_bounds.of_run(method, facts).get(active_bounds.CHAINS)
            else "exploit"
            if is_exploit(method)
            else "baseline"
            if method == BASELINE
            else "before"
            if entry != method
            else "entry"
        )
        point = facts.get("nMSE") if self.kind == "real" else float(of_entry["01L"].mean())
        return {
            "task": self.name,
            "entry": entry,
            "method": method,
            "kind": kind,
            "averaged": AVERAGED.get(method, ""),
            "ranked": float(first.mean()),
            "standard_error": float(standard_error(first)),
            "groups": "",
            "point": point,
            "other": float(of_entry[self.codes[1]].mean()),
            "extra": facts.get("coverage_90" if self.kind == "real" else "LIFT"),
            "chains": _chains(facts),
            "gain": 0.0,
        }

    @property
    def has_entries(self) -> bool:
        """Whether there are entries to rank, the baseline among them."""
        return self.entries.height > 1 and not self.entries.filter(kind="baseline").is_empty()

    @cached_property
    def law(self) -> dict[str, Any] | None:
        """What the law of a re-creation loses on the same cases: ranked and its standard_error, point, other and extra;
        None on real data."""
        if not self.made:
            return None
        item, codes = recreated(self.name), self.codes
        each = losses.get(codes[0]).per_case(item.law, item.targets)
        row = {
            "ranked": float(each.mean()),
            "standard_error": float(standard_error(each)),
            "point": item.mean_loss(item.law, POINT[self.kind]),
            "other": item.mean_loss(item.law, codes[1]),
        }
        if self.kind == "class":
            return row | {"extra": item.mean_loss(item.law, "LIFT")}
        low, high = item.law.interval(0.9)
        return row | {"extra": float(np.mean((low <= item.targets) & (item.targets <= high)))}

    @property
    def placed(self) -> pl.DataFrame:
        """The entries that have a place, best first: all but those whose chains have not converged."""
        return self.entries.filter(pl.col("kind") != NO_PLACE)

    @property
    def honest(self) -> pl.DataFrame:
        """The entries without exploits and baseline, with the validation targets or without, best first."""
        return self.entries.filter(pl.col("kind").is_in(["entry", "before"]))

    @property
    def tied(self) -> list[str]:
        """The honest entries that do not differ significantly from the best of them."""
        best, *others = self.honest.iter_rows(named=True)
        return [row["entry"] for row in others if share_a_letter(row["groups"], best["groups"])]

    def better_than_baseline(self, code: str) -> list[str]:
        """The honest entries with the validation targets that are significantly better than the baseline by a loss.

        The rule is the leaderboard's (``challenge.board``), with Holm's correction over all pairs of these entries.

        Args:
            code: one of ``codes``.
        """
        names = self.entries.filter(pl.col("kind").is_in(["entry", "baseline"]))["entry"].to_list()
        each, base = np.array([self.losses[name][code] for name in names]), names.index(BASELINE)
        better = differ_significantly(each)[base] & (each.mean(axis=1) < each[base].mean())
        return [name for name, holds in zip(names, better, strict=True) if holds]


_SCHEMA = {
    "task": pl.String,
    "entry": pl.String,
    "method": pl.String,
    "kind": pl.String,
    "averaged": pl.String,
    "ranked": pl.Float64,
    "standard_error": pl.Float64,
    "groups": pl.String,
    "point": pl.Float64,
    "other": pl.Float64,
    "extra": pl.Float64,
    "chains": pl.String,
    "gain": pl.Float64,
}


def _chains(facts: Mapping[str, Any]) -> str | None:
    rhat = active_bounds.prediction_rhat(facts)
    if rhat is None:
        return None
    spent = {"passes": "gradient_passes", "sweeps": "sweeps", "gradients": "gradients"}
    cost = [f"{facts[key]:,} {word}" for word, key in spent.items() if key in facts]
    return ", ".join([*cost, f"R-hat {rhat:.3g}" if rhat else "R-hat undefined"])


def _mark(task: str) -> str:
    return "< " if task.endswith("-before") else ""


@lru_cache(maxsize=32)
def results(name: str) -> Results:
    """The results of a task, read once."""
    return Results(name)


def with_entries(names: Sequence[str]) -> list[str]:
    """Those of the tasks that have entries to rank, in their order."""
    return [name for name in names if results(name).has_entries]


def all_entries(names: Sequence[str]) -> pl.DataFrame:
    """The entries of several tasks, one below the other."""
    return (
        pl.concat([results(name).entries for name in names])
        if names
        else pl.DataFrame(schema=_SCHEMA)
    )


def best_entries(names: Sequence[str]) -> pl.DataFrame:
    """The best honest entry of each task: task, loss, baseline, best, ranked, tied (the honest entries that do not
    differ significantly from it, see ``Results.tied``) and ties (their number)."""
    rows = []
    for name in names:
        item = results(name)
        best, base = (
            item.honest.row(0, named=True),
            item.entries.filter(kind="baseline").row(0, named=True),
        )
        rows.append(
            {
                "task": name,
                "loss": item.codes[0],
                "baseline": base["ranked"],
                "best": best["entry"],
                "ranked": best["ranked"],
                "tied": ", ".join(item.tied) or "none",
                "ties": len(item.tied),
            }
        )
    return pl.DataFrame(rows)


def shares(names: Sequence[str] = NAMES) -> pl.DataFrame:
    """Entries on a scale of what can be known: the columns of ``Results.entries``, and share and point_share, of the
    ranking loss and of nMSE or 01L: 0 at the baseline and 1 at the law's own loss."""
    lines = []
    for name in names:
        item = results(name)
        base = item.entries.filter(kind="baseline").row(0, named=True)
        assert item.law is not None
        lines.append(
            item.entries.with_columns(
                share=pl.col("gain") / (base["ranked"] - item.law["ranked"]),
                point_share=(base["point"] - pl.col("point")) / (base["point"] - item.law["point"]),
            )
        )
    return (
        pl.concat(lines)
        if lines
        else pl.DataFrame(schema=_SCHEMA | {"share": pl.Float64, "point_share": pl.Float64})
    )


def entered(prototask: str, methods: Sequence[str], seed: int) -> Results:
    """The results of a challenge's prototask, after these methods were run on it that have no entry yet.

    Runs are kept in the user's own store (``studies.runs_path``), made with the challenge study's losses. Without the
    data there are only the entries that were made before.

    Args:
        prototask: for example ``gaze-sim/gaze`` or ``concrete/challenge``. methods: names, or files of one's own.
        seed: of runs that are made now.

    Raises:
        UnknownName: there is no such prototask.
    """
    tasks.prototask(prototask)
    name = prototask.partition("/")[0].removesuffix("-sim")
    result = Results(name if name in NAMES else prototask.partition("/")[0])
    requested = [method for method in methods if method not in result.losses]
    if requested and result.at_hand:
        codes = tuple(code for codes in CODES.values() for code in codes)
        plan = studies.Plan("challenge page", seed, requested, [result.task.name], losses=codes)
        studies.run(plan, studies.runs_path(), workers=1, progress=False)
    return Results(result.name)
