"""The report form of a comparison: what a paper has to say of it, filled from its runs and held against the rules.

The rules are those of PROBEN1 that apply to any method (``checklist.rules``). What was tried before is known to the
reader alone, and is a warning.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from benchbook import datasets, losses, methods, tasks
from benchbook.checklist import Finding
from benchbook.errors import BenchbookError
from benchbook.show.assessment.allowed import LEVEL
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.prototask import Assessed
from benchbook.studies.remarks import IMPLAUSIBLE

_FEW_SETS = 5
_SCHEMES = {
    "hierarchical": "each training set has test cases of its own",
    "common": "all are tested on the same cases",
}
_TESTS = {
    "hierarchical": "paired t test over training sets",
    "common": "F test of DELVE's common scheme",
}


@dataclass(frozen=True)
class ReportForm:
    """A filled form: ``values`` by table and key, and what the rules find in it."""

    values: Mapping[str, Mapping[str, Any]]
    faults: tuple[Finding, ...]
    warnings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule refuses it."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """One line: passed or refused, and by how many faults and warnings."""
        counts = [
            f"{len(findings)} {noun}{'' if len(findings) == 1 else 's'}"
            for noun, findings in (("fault", self.faults), ("warning", self.warnings))
        ]
        return f"{'passed' if self.passed else 'refused'}: {', '.join(counts)}"

    def toml(self) -> str:
        """The form as TOML."""
        return "\n".join(
            line
            for name, table in self.values.items()
            for line in (
                f"[{name}]",
                *(
                    f"{key} = {json.dumps(value, ensure_ascii=False)}"
                    for key, value in table.items()
                ),
                "",
            )
        )


def report_form(asked: ComparisonRequest, page: Assessed, ranking: pl.DataFrame) -> ReportForm:
    """Fill the form and hold it against the rules.

    Args:
        asked: what was asked. page: the losses and records of its runs. ranking: what ``ranked`` returns.
    """
    findings = [
        *_data(asked),
        *_dealt_out(asked.path),
        *_runs(asked, page),
        *_results(asked, page, ranking),
    ]
    return ReportForm(
        _values(asked, page, ranking),
        tuple(one for one in findings if not one.warning),
        tuple(one for one in findings if one.warning),
    )


def _values(
    asked: ComparisonRequest, page: Assessed, ranking: pl.DataFrame
) -> dict[str, dict[str, Any]]:
    prototask, loss = tasks.prototask(asked.path), losses.get(asked.code)
    card = datasets.card(prototask.dataset)
    sizes = [tasks.get(name) for name in tasks.available(asked.path)]
    records = page.records
    last = ranking.filter(pl.col("size") == ranking["size"].max())
    return {
        "problem": {
            "name": prototask.dataset,
            "source": card.source,
            "cases": card.shape.cases if card.shape else 0,
            "sha256": [file.sha256 for file in card.files],
            "target": prototask.target,
            "kind": prototask.kind,
            "inputs": list(prototask.inputs),
        },
        "partition": {
            "order": prototask.order,
            "scheme": _SCHEMES[prototask.test_set_selection],
            "training_cases": [one.size for one in sizes],
            "training_sets": [one.instances for one in sizes],
            "test_cases_of_each": [one.describe()["test_cases_per_instance"] for one in sizes],
            "test_used_for": ["results"],
            "encoding_fitted_on": "training cases",
        },
        "methods": {
            "compared": list(asked.names),
            "yours": list(asked.mine),
            "source_of_yours": [
                getattr(methods.declared(spec), "source", "")
                for spec in asked.plan.methods
                if methods.declared(spec).name in asked.mine
            ],
        },
        "error": {
            "loss": loss.code,
            "name": loss.name,
            "unit": loss.unit,
            "averaged_over": ["cases", "training sets"],
        },
        "runs": {
            "total": records.height,
            "failed": records.filter(pl.col("status") != "ok").height,
            "seed": asked.plan.seed,
            "one_run_for_each": "method and training set",
            "machine": sorted(set(records["cpu"])),
            "commit": sorted(set(records["commit"])),
        },
        "test": {
            "name": _TESTS[prototask.test_set_selection],
            "level": LEVEL,
            "correction": "Holm, over all pairs",
            "tests_made": last.height * (last.height - 1) // 2,
        },
        **{
            f"results.{json.dumps(row['method'])}": {
                "training_cases": row["size"],
                "mean": _short(row["mean"]),
                "standard_error": _short(row["standard_error"]),
                "tie_group": row["ties"],
            }
            for row in last.to_dicts()
        },
    }


def _short(value: float | None) -> float | str:
    return "undefined" if value is None else float(f"{value:.6g}")


def _data(asked: ComparisonRequest) -> Iterator[Finding]:
    name = tasks.prototask(asked.path).dataset
    card = datasets.card(name)
    if not any("://" in text for text in (card.source, *(file.address for file in card.files))):
        remedy = "give in your paper the address where others get the table, and its version"
        yield Finding.at("problem.source", None, repr(card.source), remedy, "problem", warning=True)
    if asked.mine:
        remedy = "say how many settings were tried, and on which cases: if on test cases, its losses are too good"
        yield Finding.at(
            "methods.yours",
            None,
            f"nothing of how {', '.join(asked.mine)} came about",
            remedy,
            "tuning",
            warning=True,
        )


def _dealt_out(path: str) -> Iterator[Finding]:
    """Cases and groups that are where they should not be, looked up in the splits themselves."""
    groups = _groups(path)
    for name in tasks.available(path):
        split = tasks.get(name).split()
        trained = [set(one.tolist()) for one in split.train]
        if any(trained[place] & set(one.tolist()) for place, one in enumerate(split.test)):
            yield Finding.at(
                "partition.test",
                None,
                f"test cases of {name} that are training cases",
                "cases that are one or the other",
                "test set",
            )
        if any(one & other for one, other in combinations(trained, 2)):
            yield Finding.at(
                "partition.training",
                None,
                f"training sets of {name} with common cases",
                "training sets that have no case in common",
                "partition",
            )
        if groups is None:
            continue
        held = [set(groups[one].tolist()) for one in split.train]
        if any(held[place] & set(groups[one].tolist()) for place, one in enumerate(split.test)):
            yield Finding.at(
                "partition.test",
                None,
                f"groups of {name} with test and training cases",
                "groups that are one or the other",
                "test set",
            )
        if any(one & other for one, other in combinations(held, 2)):
            remedy = "say that they are less different than they look, or add the table anew with --replace"
            yield Finding.at(
                "partition.training",
                None,
                f"training sets of {name} that share a group",
                remedy,
                "partition",
                warning=True,
            )


def _groups(path: str) -> np.ndarray | None:
    """The group of every case of the dataset; None when it has none."""
    dataset = tasks.prototask(path).dataset
    for other in tasks.prototasks():
        if other.startswith(f"{dataset}/") and (group := tasks.prototask(other).group):
            return (
                datasets.load(dataset)
                .cases.select(pl.struct(group).rank("dense"))
                .to_series()
                .to_numpy()
            )
    return None


def _runs(asked: ComparisonRequest, page: Assessed) -> Iterator[Finding]:
    failed = page.records.filter(pl.col("status") != "ok")
    for (name,), runs in failed.group_by("method", maintain_order=True):
        yield Finding.at(
            "runs.failed",
            None,
            f"{runs.height} runs of {name} that failed",
            "results with every run: mend it and run again with --retry-failed"
            if name in asked.mine
            else "say why it is not compared where it failed",
            "excluded runs",
            warning=name not in asked.mine,
        )
    texts = (
        page.records.filter(status="ok")
        .group_by("method", maintain_order=True)
        .agg(pl.col("identity").n_unique())
    )
    for name in texts.filter(pl.col("identity") > 1)["method"]:
        yield Finding.at(
            f"methods.{name}",
            None,
            "runs of different texts of it",
            "runs of one text: run it anew with another store (BENCHBOOK_RUNS)",
            "algorithm",
        )
    if "" in set(page.records["cpu"]):
        yield Finding.at(
            "runs.machine",
            None,
            "a processor of unknown make",
            "say what machine it was",
            "times",
            warning=True,
        )


def _results(asked: ComparisonRequest, page: Assessed, ranking: pl.DataFrame) -> Iterator[Finding]:
    values = page.values.filter(pl.col("loss") == asked.code)
    counts = values.group_by("task", "method").agg(pl.col("instance").n_unique())
    for task, sets in (
        counts.group_by("task", maintain_order=True).agg(pl.col("instance").unique()).iter_rows()
    ):
        if len(sets) > 1:
            yield Finding.at(
                "runs.total",
                None,
                f"methods with {sorted(sets)} training sets on {task}",
                "as many for each",
                "equal runs",
            )
    if not values["value"].is_finite().all():
        yield Finding.at(
            "results",
            None,
            "losses that are no finite numbers",
            "another loss, or a prediction that has one",
            "arithmetic",
        )
    size = int(ranking["size"].max())  # type: ignore[arg-type]
    sets = tasks.get(ranking.filter(pl.col("size") == size)["task"][0]).instances
    if sets < 2:
        yield Finding.at(
            "partition.training_sets",
            None,
            "one training set",
            "two at least: of one nobody knows how much is luck",
            "several runs",
        )
    elif sets < _FEW_SETS:
        yield Finding.at(
            "partition.training_sets",
            None,
            f"{sets} training sets of {size} cases",
            "say that the doubt is itself in doubt, or report a smaller size",
            "several runs",
            warning=True,
        )
    for row in _too_good(page):
        yield Finding.at(
            f"results.{row['method']}",
            None,
            f"{row['standardised_mean']:.1g} of the variance of the test targets",
            "say whether the data have no noise, or an input gives the target away",
            "test set",
            warning=True,
        )


def _too_good(page: Assessed) -> list[dict[str, Any]]:
    """The lines of squared errors that are implausibly small; none where the loss is not shown."""
    try:
        return page.expected.filter(
            pl.col("loss") == "S", pl.col("standardised_mean") < IMPLAUSIBLE
        ).to_dicts()
    except BenchbookError:
        return []
