"""The archived entries to the challenge's tasks: tables in the form of the chapter's, and what they are drawn from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, losses, studies, tasks
from benchbook.challenge.asked import own
from benchbook.challenge.groups import letters, told_apart
from benchbook.challenge.scoring import baseline
from benchbook.methods.base import is_exploit
from benchbook.pages import origins
from benchbook.pages.challenge_tasks import NAMES, recreated
from benchbook.pages.html import Html, paragraph, stack
from benchbook.pages.numbers import number
from benchbook.pages.tables import table

CODES = {"real": ("NLPD", "CRPS"), "class": ("NLP10", "BRIER", "01L")}
"""The losses of single cases that are kept of an entry, the ranking one first."""

POINT = {"real": "nMSE", "class": "01L"}
"""The loss that does not look at the doubt, as in the chapter's tables."""

REAL = ("boston", "concrete", "abalone", "kin-8nm", "uci-cancer", "uci-card", "uci-diabetes", "adult")
"""The published data under the same protocol."""

BASELINE = "base-1"
LAW = "the law itself"

AVERAGED = {
    **dict.fromkeys(("bayes-logistic-1", "bayes-logistic-ard-1", "vl-mlp-logistic", "vl-gp-logistic", "gp-mc-1",
                     *(f"vl-{what}-{model}" for what in ("mlp", "gp") for model in ("n", "t", "in", "it"))),
                    "posterior"), "mlp-committee-class-1": "networks",
    "mlp-committee-1": "networks", "mdn-1": "networks", "mlp-bgd-1": "networks", "can2-1": "bags",
    "bagged-trees-1": "bags", "forest-1": "bags", "forest-quantiles-1": "bags", "subspace-trees-1": "subspaces",
}
"""What a method averages over, of those that average whole predictors."""

_PLANS = ("challenge", "challenge-networks", "challenge-kernels", "challenge-processes", "challenge-few",
          "challenge-bayes", "challenge-before", "challenge-real", "challenge-real-few")
_SHORT = {"NLP10": "NLP"}


@dataclass(frozen=True)
class Results:
    """The entries of one task, with the validation targets and without.

    Attributes:
        name: one of ``challenge_tasks.NAMES``, that with ``-again`` for its fresh cases, or a published dataset of
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
        frame = studies.overlay().losses(prototask=self.task.prototask.path, tasks=self._names,
                                         code=list(self.codes)).sort("case")
        found = {f"{_mark(task)}{method}": {code: part.filter(loss=code)["value"].to_numpy() for code in self.codes}
                 for (method, task), part in frame.group_by("method", "task", maintain_order=True)}
        return found | {BASELINE: self._baseline()} if BASELINE in found and self.at_hand else found

    def _baseline(self) -> dict[str, NDArray[np.float64]]:
        key = own().key(self.task.name)
        order = np.argsort(np.array(key.asked.cases, dtype=np.int64))
        return {code: baseline(key).per_case[code][order] for code in self.codes}

    @cached_property
    def facts(self) -> dict[str, dict[str, Any]]:
        """By entry what its record keeps of the whole set; see ``tasks.challenge_summary``."""
        records = studies.overlay().records(prototask=self.task.prototask.path, tasks=self._names).filter(status="ok")
        return {f"{_mark(row['task'])}{row['method']}": json.loads(row["cost"]) | {"seconds": row["seconds"]}
                for row in records.iter_rows(named=True)}

    @cached_property
    def entries(self) -> pl.DataFrame:
        """An entry a line, best first; empty, with all columns, when nothing is archived.

        Columns: task, entry, method, kind (entry, before, exploit or baseline), averaged (over what, or ""), ranked and
        its standard_error, groups (letters: entries that share one cannot be told apart by the ranking loss), point
        (nMSE or 01L), other (CRPS or BRIER), extra (coverage of 90 % intervals, or LIFT), gain (the baseline's ranking
        loss less this).
        """
        rows = [self._line(entry, found) for entry, found in self.losses.items()]
        frame = pl.DataFrame(rows, schema=_SCHEMA).sort("ranked", "entry", maintain_order=True)
        if frame.is_empty():
            return frame
        letter = letters(told_apart(np.array([self.losses[entry][self.codes[0]] for entry in frame["entry"]])))
        base = frame.filter(method=BASELINE, kind="baseline")["ranked"]
        return frame.with_columns(groups=pl.Series(letter),
                                  gain=(base[0] if len(base) else float("nan")) - pl.col("ranked"))

    def _line(self, entry: str, found: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
        method, facts, first = entry.removeprefix("< "), self.facts.get(entry, {}), found[self.codes[0]]
        kind = ("exploit" if is_exploit(method) else "baseline" if method == BASELINE
                else "before" if entry != method else "entry")
        point = facts.get("nMSE") if self.kind == "real" else float(found["01L"].mean())
        return {"task": self.name, "entry": entry, "method": method, "kind": kind,
                "averaged": AVERAGED.get(method, ""), "ranked": float(first.mean()),
                "standard_error": float(first.std(ddof=1) / np.sqrt(first.size)), "groups": "", "point": point,
                "other": float(found[self.codes[1]].mean()),
                "extra": facts.get("coverage_90" if self.kind == "real" else "LIFT"), "gain": 0.0}

    @property
    def there(self) -> bool:
        """Whether there are entries to rank, the baseline among them."""
        return self.entries.height > 1 and not self.entries.filter(kind="baseline").is_empty()

    @cached_property
    def law(self) -> dict[str, Any] | None:
        """What the law of a re-creation loses on the same cases: ranked and its standard_error, point, other and extra;
        None on real data."""
        if not self.made:
            return None
        one, codes = recreated(self.name), self.codes
        each = losses.get(codes[0]).per_case(one.law, one.targets)
        found = {"ranked": float(each.mean()), "standard_error": float(each.std(ddof=1) / np.sqrt(each.size)),
                 "point": one.mean_loss(one.law, POINT[self.kind]), "other": one.mean_loss(one.law, codes[1])}
        if self.kind == "class":
            return found | {"extra": one.mean_loss(one.law, "LIFT")}
        low, high = one.law.interval(0.9)
        return found | {"extra": float(np.mean((low <= one.targets) & (one.targets <= high)))}

    def board(self) -> Html:
        """The table of the task: the law's own losses first where they are known, the baseline among the entries."""
        if not self.there:
            return missing([self.name])
        rows = [{"entry": f"{row['entry']}{_MARKS[row['kind']]}"} | {key: row[key] for key in _SHOWN}
                | {"groups": short(row["groups"])} for row in self.entries.iter_rows(named=True)]
        if self.law:
            rows = [{"entry": LAW, "groups": ""} | self.law, *rows]
        ranking, real = self.codes[0], self.kind == "real"
        cases = len(next(iter(self.losses.values()))[ranking])
        headings = {"ranked": f"{_SHORT.get(ranking, ranking)} ({'nats' if real else 'base 10'})",
                    "point": POINT[self.kind], "other": "CRPS" if real else "Brier",
                    "extra": "held by 90 % intervals" if real else "LIFT", "groups": "not told apart"}
        caption = f"{self.task.prototask.dataset}: {cases} test cases, by {headings['ranked']}"
        return table(pl.DataFrame(rows).select("entry", "ranked", "standard_error", "groups", "point", "other",
                                               "extra"), caption,
                     headings=headings, doubt={"ranked": "standard_error"}, label="entry",
                     formats={"point": _four, "other": _four, "extra": _percent if real else _four})

    @property
    def honest(self) -> pl.DataFrame:
        """The entries without exploits and baseline, with the validation targets or without, best first."""
        return self.entries.filter(pl.col("kind").is_in(["entry", "before"]))

    @property
    def tied(self) -> list[str]:
        """The honest entries that cannot be told from the best of them."""
        best, *others = self.honest.iter_rows(named=True)
        return [row["entry"] for row in others if set(row["groups"]) & set(best["groups"])]

    def said(self) -> Html:
        """The best entry in words, with those that cannot be told from it, beside the printed winner and baseline."""
        if not self.there:
            return paragraph("")
        best, base = self.honest.row(0, named=True), self.entries.filter(kind="baseline").row(0, named=True)
        tied = [f"`{entry}`" for entry in self.tied]
        words = [f"Best without a trick is `{best['entry']}` with {number(best['ranked'], 4)}, "
                 f"{number(best['gain'], 3)} below the baseline"]
        words.append(f"{len(tied)} others cannot be told from it" if len(tied) > 1 else
                     f"{tied[0]} cannot be told from it" if tied else "all others can be told from it")
        if self.made:
            printed = recreated(self.name).printed()
            first = printed.filter(~pl.col("exploit")).row(0, named=True)
            words.append(f"the print has {number(first['ranked'], 4)} ({first['method']}) and a baseline of "
                         f"{number(recreated(self.name).printed_baseline, 4)}, on the original's cases")
        assert base["ranked"] > best["ranked"]
        return paragraph("; ".join(words) + ".")

    def about(self) -> Html:
        """A box when the data is not at hand, and what is shown then; empty when it is."""
        if self.at_hand:
            return Html("", "")
        shown = ("The entries below are archived; their losses are rounded, those of the baseline too." if self.there
                 else "There are no archived entries to show.")
        return stack(origins.missing(self.task.prototask.dataset), paragraph(shown))

    def definition(self) -> Html:
        """What is asked: target, inputs and the cases of the three parts."""
        said = self.task.describe()
        phases = self.task.prototask.phases
        row = {"target": said["target"], "kind": self.kind, "inputs": len(self.task.prototask.inputs)}
        parts = {f"{part} cases": count for part, count in phases.items()}
        return table(pl.DataFrame([row | parts]), f"What {self.task.name} asks", label="target")

    def calibration(self) -> Html:
        """Of numbers how many targets the central intervals hold, and how wide they are; of classes the LIFT."""
        if not self.there:
            return paragraph("")
        real = self.kind == "real"
        wanted = ("coverage_50", "coverage_90", "width_50", "width_90") if real else ("LIFT",)
        rows = [{"entry": entry} | {key: self.facts[entry].get(key) for key in wanted}
                for entry in self.entries["entry"] if entry in self.facts]
        said = "Shares of targets in central intervals, and their mean widths" if real else "LIFT of the order"
        percent = {key: _percent for key in wanted if key.startswith("coverage")}
        return table(pl.DataFrame(rows), said, label="entry", formats=percent)


_SCHEMA = {"task": pl.String, "entry": pl.String, "method": pl.String, "kind": pl.String, "averaged": pl.String,
           "ranked": pl.Float64, "standard_error": pl.Float64, "groups": pl.String, "point": pl.Float64,
           "other": pl.Float64, "extra": pl.Float64, "gain": pl.Float64}
_SHOWN = ("ranked", "standard_error", "groups", "point", "other", "extra")
_MARKS = {"entry": "", "before": "", "exploit": " (exploit)", "baseline": " (baseline)"}


def short(groups: str) -> str:
    """Letters of groups with runs of four and more drawn together: "abcdeg" is "a–e g"."""
    names = re.findall(r"[a-z]\d*", groups)
    runs: list[list[str]] = []
    for name in names:
        joined = runs and len(name) == 1 == len(runs[-1][-1]) and ord(name) == ord(runs[-1][-1]) + 1
        runs[-1].append(name) if joined else runs.append([name])
    if not any(len(run) > 3 for run in runs):
        return groups
    return " ".join(f"{run[0]}–{run[-1]}" if len(run) > 3 else "".join(run) for run in runs)


def _mark(task: str) -> str:
    return "< " if task.endswith("-before") else ""


def _four(value: float | None) -> str:
    return "–" if value is None else number(value, 4)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


@lru_cache(maxsize=32)
def results(name: str) -> Results:
    """The results of a task, read once."""
    return Results(name)


def there(names: Sequence[str]) -> list[str]:
    """Those of the tasks that have entries to rank, in their order."""
    return [name for name in names if results(name).there]


def missing(names: Sequence[str]) -> Html:
    """Which tasks have no archived entries, and how to make them; nothing when all have."""
    lacking = [name for name in names if name not in there(names)]
    if not lacking:
        return paragraph("")
    return paragraph(f"No runs are archived for {', '.join(lacking)}. The runs are made by "
                     "`benchbook run --no-compare --plan PLAN`, for the plans "
                     f"{', '.join(f'`{plan}`' for plan in _PLANS)}; the page then shows them.")


def all_entries(names: Sequence[str]) -> pl.DataFrame:
    """The entries of several tasks, one below the other."""
    return pl.concat([results(name).entries for name in names]) if names else pl.DataFrame(schema=_SCHEMA)


def shares(names: Sequence[str] = NAMES) -> pl.DataFrame:
    """Entries on a scale of what can be known: the columns of ``Results.entries``, and share and point_share, of the
    ranking loss and of nMSE or 01L: 0 at the baseline and 1 at the law's own loss."""
    lines = []
    for name in names:
        one = results(name)
        base = one.entries.filter(kind="baseline").row(0, named=True)
        assert one.law is not None
        lines.append(one.entries.with_columns(
            share=pl.col("gain") / (base["ranked"] - one.law["ranked"]),
            point_share=(base["point"] - pl.col("point")) / (base["point"] - one.law["point"])))
    return pl.concat(lines) if lines else pl.DataFrame(
        schema=_SCHEMA | {"share": pl.Float64, "point_share": pl.Float64})


def entered(prototask: str, methods: Sequence[str], seed: int) -> Results:
    """The results of a challenge's prototask, after these methods were run on it that have no entry yet.

    Runs are kept in the user's own store (``studies.runs_path``), made with the challenge study's losses. Without the
    data there are only the entries that were made before.

    Args:
        prototask: for example ``gaze-sim/gaze`` or ``concrete/challenge``. methods: names, or files of one's own.
        seed: of runs that are made now.
    """
    name = prototask.partition("/")[0].removesuffix("-sim")
    found = Results(name if name in NAMES else prototask.partition("/")[0])
    asked = [method for method in methods if method not in found.losses]
    if asked and found.at_hand:
        codes = tuple(code for codes in CODES.values() for code in codes)
        plan = studies.Plan("challenge page", seed, asked, [found.task.name], losses=codes)
        studies.run(plan, studies.runs_path(), workers=1, progress=False)
    return Results(found.name)
