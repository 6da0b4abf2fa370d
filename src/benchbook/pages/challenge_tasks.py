"""The challenge's five tasks, re-created, for their pages: sizes and losses beside the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, losses, tasks
from benchbook.datasets import families, printed_challenge
from benchbook.losses import baselines
from benchbook.pages.html import Html
from benchbook.pages.numbers import number
from benchbook.pages.tables import table
from benchbook.predictive import Predictive

NAMES = ("stereopsis", "gaze", "outaouais", "catalysis", "gatineau")
"""In the order of the chapter's pages."""

_OTHER = {"real": "nMSE", "class": "01L"}


@dataclass(frozen=True)
class Recreated:
    """One of the five: its test cases, the baseline's prediction and the law's own.

    Attributes:
        name: ``stereopsis``, ``gaze``, ``outaouais``, ``catalysis`` or ``gatineau``.
    """

    name: str

    @property
    def dataset(self) -> str:
        """The name of the re-created dataset."""
        return f"{self.name}-sim"

    @cached_property
    def task(self) -> tasks.Task:
        """The task of the test phase: trained on training and validation cases, asked for the test cases."""
        return tasks.get(tasks.available(f"{self.dataset}/*/test")[0])

    @property
    def kind(self) -> str:
        """``real`` or ``class``."""
        return self.task.prototask.kind

    @property
    def code(self) -> str:
        """The loss that ranks."""
        return tasks.ranking_loss(self.task.name)

    @cached_property
    def targets(self) -> NDArray[Any]:
        """Of the test cases [J]: numbers, or 1 for +1 and 0 for -1."""
        return self.task.test_targets(0)

    @cached_property
    def seen(self) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Inputs [N, d] as recorded and targets [N] of the training and validation cases."""
        return self._inputs(self.task.split().train[0]), self._targets(self.task.split().train[0])

    @cached_property
    def inputs(self) -> NDArray[np.float64]:
        """Inputs [J, d] of the test cases as recorded."""
        return self._inputs(self.task.split().test[0])

    @cached_property
    def law(self) -> Predictive:
        """The law of the test targets given their inputs: the prediction that none can beat on average."""
        known = families.find(self.dataset).truth
        assert known is not None
        return known(self.dataset, self.inputs)

    @cached_property
    def baseline(self) -> Predictive:
        """The challenge's baseline from training and validation targets."""
        count = len(self.targets)
        if self.kind == "class":
            return baselines.class_frequencies(self.seen[1], count)
        return baselines.empirical_gaussian(self.seen[1], count)

    def mean_loss(self, prediction: Predictive, code: str = "") -> float:
        """The mean of a loss over the test cases; by default of the one that ranks, for nMSE the loss of the set."""
        loss = losses.get(code or self.code)
        if loss.is_set:
            return float(loss.per_set(prediction, self.targets))
        return float(loss.per_case(prediction, self.targets).mean())

    def printed(self) -> pl.DataFrame:
        """The entries that the chapter prints, see ``datasets.printed_challenge``."""
        return printed_challenge.results().filter(dataset=self.name)

    @property
    def printed_baseline(self) -> float:
        """The printed loss of the baseline."""
        return float(self.printed().filter(method="baseline")["ranked"][0])

    def sizes(self) -> Html:
        """Table 1's line, and ours."""
        line = printed_challenge.sizes().filter(dataset=self.name).to_dicts()[0]
        phases, prototask = self.task.prototask.phases, self.task.prototask
        ours = {"inputs": len(prototask.inputs), **phases}
        shown = [{"": "printed (Table 1)", **{key: line[key] for key in ours}}, {"": f"`{self.dataset}`", **ours}]
        return table(pl.DataFrame(shown), "Inputs and cases of each part", label="")

    def losses(self) -> Html:
        """The losses of the baseline, of the best printed entry without a trick, and of the law, beside the print."""
        entries = self.printed().filter(pl.col("method") != "baseline", ~pl.col("exploit"))
        best, base = entries.row(0, named=True), self.printed().filter(method="baseline").row(0, named=True)
        other = _OTHER[self.kind]
        rows = [_line("baseline", base, self, self.baseline),
                _line(f"best entry{' without spikes' if self.name == 'gaze' else ''}: {best['method']}", best),
                _line("the law's own loss", None, self, self.law)]
        ranked = losses.get(self.code)
        named = {"printed": f"{_SHORT[self.code]}, printed", "ours": f"{_SHORT[self.code]}, ours",
                 "printed_other": f"{other}, printed", "ours_other": f"{other}, ours"}
        return table(pl.DataFrame(rows), f"{ranked.name.capitalize()}, in {ranked.unit.split(',')[0]}, and {other}",
                     headings=named, label="prediction", formats=dict.fromkeys(named, _or_dash))

    def _inputs(self, cases: NDArray[np.int64]) -> NDArray[np.float64]:
        frame = loaded(self.dataset).cases[cases].select(self.task.prototask.inputs)
        return frame.to_numpy().astype(np.float64)

    def _targets(self, cases: NDArray[np.int64]) -> NDArray[Any]:
        return self.task.cases.columns[self.task.prototask.target][cases]


_SHORT = {"NLPD": "NLPD", "NLP10": "NLP, base 10"}


def _line(what: str, entry: dict[str, Any] | None, ours: Recreated | None = None,
          prediction: Predictive | None = None) -> dict[str, Any]:
    line = {"prediction": what, "printed": entry["ranked"] if entry else None, "ours": None,
            "printed_other": entry["other"] if entry else None, "ours_other": None}
    if ours and prediction is not None:
        line |= {"ours": ours.mean_loss(prediction), "ours_other": ours.mean_loss(prediction, _OTHER[ours.kind])}
    return line


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value, 4)


@lru_cache(maxsize=2)
def loaded(name: str) -> datasets.Dataset:
    """The dataset; the last two are kept."""
    return datasets.load(name)


@lru_cache(maxsize=5)
def recreated(name: str) -> Recreated:
    """The re-creation of that name, made once."""
    return Recreated(name)


def overview(names: Sequence[str] = NAMES) -> pl.DataFrame:
    """A line for each task: task, target (real or class), inputs, training, validation, test; the losses that rank:
    baseline_printed, baseline, best_printed (without spikes), law; share, what part of what can be known the best entry
    would have found if the printed losses belonged to our law."""
    lines = []
    for name in names:
        one = recreated(name)
        honest = one.printed().filter(~pl.col("exploit"))["ranked"][0]
        law = one.mean_loss(one.law)
        lines.append({
            "task": name, "target": one.kind, "inputs": len(one.task.prototask.inputs), **one.task.prototask.phases,
            "baseline_printed": one.printed_baseline, "baseline": one.mean_loss(one.baseline), "best_printed": honest,
            "law": law, "share": (one.printed_baseline - honest) / (one.printed_baseline - law)})
    return pl.DataFrame(lines)


def entries(laws: pl.DataFrame) -> pl.DataFrame:
    """Every printed entry on a scale of what can be known: task, when, method, author, ranked, share, kind.

    ``share`` is 0 at the printed baseline and 1 at our law's own loss; ``kind`` is ``before``, ``in time``, ``late`` or
    ``with spikes``.

    Args:
        laws: columns task and law, as of ``overview``.
    """
    order = pl.col("task").replace_strict({name: k for k, name in enumerate(laws["task"])}, return_dtype=pl.Int64)
    found = printed_challenge.results().filter(pl.col("method") != "baseline").rename({"dataset": "task"}).filter(
        pl.col("task").is_in(laws["task"].implode())).sort(order, maintain_order=True)
    base = printed_challenge.results().filter(method="baseline").select(task="dataset", base="ranked")
    joined = found.join(base, on="task").join(laws.select("task", "law"), on="task", maintain_order="left")
    share = (pl.col("base") - pl.col("ranked")) / (pl.col("base") - pl.col("law"))
    kind = pl.when("exploit").then(pl.lit("with spikes")).when(pl.col("when") == "").then(pl.lit("in time")).otherwise(
        pl.col("when"))
    return joined.select("task", "when", "method", "author", "ranked", share=share, kind=kind)
