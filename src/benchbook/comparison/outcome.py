"""What a comparison found, as numbers: all that its words, tables and pictures are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from benchbook.assess.by_design import Verdicts
from benchbook.assess.designs import Design
from benchbook.assess.stability import Stability, stability
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.candidates import CONSTANT, is_baseline
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.fits import Fits
from benchbook.comparison.given.source import ReadBack
from benchbook.comparison.losses import LossInfo
from benchbook.comparison.scale import Scale, scale_of
from benchbook.comparison.splits import SplitPlan
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    import pandas

FEWEST_ROUNDS = 5
"""Rounds of fits (every method on one split) without which no verdict is given."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The numbers of a ``Comparison``.

    Attributes:
        data: the cases. plan: how they were split. fits: predictions and losses.
        verdicts: means, differences, intervals and verdicts, from ``assess.by_design``.
        alarms: what to know before the numbers are believed.
        rope: the smallest difference that matters, by loss, in its unit. rope_words: where it comes from, when it is
            the default.
        settings: the other arguments of the call, for ``more``. methods: those that were asked for.
        again: makes the same comparison with other methods; None when the data are not there any more.
        read: of results that came from elsewhere how they were read; None where methods were fitted.
    """

    data: ComparisonData
    plan: SplitPlan
    fits: Fits
    verdicts: Verdicts
    alarms: tuple[Alarm, ...]
    rope: Mapping[str, float]
    rope_words: str = ""
    methods: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    again: Callable[[Any], Any] | None = None
    read: ReadBack | None = None

    @property
    def best(self) -> str | None:
        """The method with the smallest mean loss; None where no verdict is given, or the baseline is first."""
        rows = self.rows()
        named = rows and not self.withheld and rows[0]["mean"] is not None
        return rows[0]["method"] if named and not is_baseline(rows[0]["method"]) else None

    @property
    def baseline(self) -> str:
        """What methods have to be better than: the constant guess, of a series the best of it and naive forecasts."""
        rows = (row["method"] for row in self.rows() if row["mean"] is not None)
        return next(filter(is_baseline, rows), CONSTANT)

    @property
    def table(self) -> pl.DataFrame:
        """A row for each loss and method; the columns of ``assess.by_design``'s table."""
        return self.verdicts.table

    @property
    def pairs(self) -> pl.DataFrame:
        """A row for each loss and pair of methods."""
        return self.verdicts.pairs

    @property
    def segments(self) -> pl.DataFrame:
        """A row for each loss, method and segment of ``by``: the difference to the reference, else the best."""
        return self.verdicts.segments

    @property
    def segment_tests(self) -> pl.DataFrame:
        """A row for each loss and method: Welch's F test that its differences in all segments are one."""
        return self.verdicts.segment_tests

    @property
    def losses(self) -> pl.DataFrame:
        """The loss of every held-out case: method, split, repeat, fold, row, role, loss, value, weight."""
        return self.fits.losses

    @property
    def fold_losses(self) -> pl.DataFrame:
        """The loss of every method on every test set: method, split, repeat, fold, loss, value, cases."""
        return self.fits.fold_losses

    @property
    def predictions(self) -> pl.DataFrame:
        """What was predicted for every held-out case."""
        return self.fits.predictions

    def to_pandas(self) -> pandas.DataFrame:
        """``table`` as a frame of pandas.

        Raises:
            BenchbookError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise BenchbookError(
                "pandas is not installed: pip install pandas, or use .table (polars)"
            ) from None
        return pandas.DataFrame(self.table.to_dict(as_series=False))

    @property
    def warnings(self) -> list[str]:
        """Alarms and warnings as texts, with their codes."""
        return [f"{alarm.code}: {alarm.text.replace('`', '')}" for alarm in self.alarms]

    @property
    def errors(self) -> Mapping[str, Any]:
        """For each method that failed: (split, what happened, traceback) of every fit that failed."""
        return self.fits.errors

    # -- what the words and the table are made of ---------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[Self]:
        """Of runs on several tasks the comparison on each; else this one alone."""
        within = self.plan.design.within
        if self.read is None or not isinstance(within, Mapping) or set(within) != set(self.codes):
            return [self]
        return [self._on(task, design) for task, design in within.items()]

    def _on(self, task: str, design: Design) -> Self:
        """The comparison on one of several tasks."""
        assert self.read is not None
        info = replace(
            self.loss_info[task], title=self.loss_info[task].title.removesuffix(f" on {task}")
        )
        fits = copy.copy(self.fits)
        own = self.fits.fold_losses.filter(loss=task)
        vars(fits).update(orientation={task: info}, fold_losses=own)
        sets = design.in_words(own["split"].n_unique())
        read = ReadBack(f"{task}, {sets}; {info.title}, lower is better", (), design.answers)
        reference = self.settings.get("reference")
        known = reference in set(own["method"])
        return replace(
            self,
            plan=replace(self.plan, design=design),
            fits=fits,
            read=read,
            settings=dict(self.settings) | {"reference": reference if known else None},
        )

    @property
    def codes(self) -> list[str]:
        """The losses, the one that ranks first."""
        return list(self.loss_info)

    @property
    def loss_info(self) -> Mapping[str, LossInfo]:
        """What each loss is called."""
        return self.fits.orientation

    @cached_property
    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        rows: dict[str, list[dict[str, Any]]] = {}
        for row in self.table.iter_rows(named=True):
            rows.setdefault(row["loss"], []).append(row)
        return rows

    def rows(self, code: str | None = None) -> list[dict[str, Any]]:
        """The rows of the table of one loss, the best method first."""
        return self._rows.get(code or self.codes[0], [])

    @cached_property
    def scales(self) -> dict[str, Scale]:
        """By loss, how its values are written."""
        return {code: scale_of(info, self.rows(code)) for code, info in self.loss_info.items()}

    def pair(self, method: str, other: str, code: str | None = None) -> dict[str, Any]:
        """The row of ``pairs`` of two methods, as ``method`` minus ``other``, with the verdict on ``method``."""
        return self.verdicts.pair(code or self.codes[0], method, other)

    @cached_property
    def stability(self) -> Stability | None:
        """How often another shuffling of the folds would have the same method first and the same differences
        significant, by the first loss; None where no verdict is given, and where the folds were made once.
        """
        design, code = self.plan.design, self.codes[0]
        if self.withheld or design.kind not in ("folds", "groups") or design.repeats < 2:
            return None
        means = {row["method"]: row["mean"] for row in self.rows() if row["mean"] is not None}
        names = list(means)
        repeat = pl.col("split") // design.k
        folds = self.fold_losses.filter(loss=code)
        if folds.is_empty() or not names or folds.select(repeat.max()).item() != design.repeats - 1:
            return None
        if self.read is not None:  # whose splits may stand in any order
            rows = self.losses.filter(loss=code).group_by(repeat).agg(pl.col("row").n_unique())
            if rows["row"].min() != self.cases:
                return None
        by_repeat = (
            folds.with_columns(repeat=repeat)
            .pivot("method", index="repeat", values="value", aggregate_function="mean")
            .select(names)
            .to_numpy()
        )
        against = self.settings.get("reference")
        tested = [
            row
            for row in self.pairs.filter(loss=code).to_dicts()
            if row["p"] is not None and against in (None, row["method"], row["other"])
        ]
        return stability(
            by_repeat + (np.array(list(means.values())) - by_repeat.mean(axis=0)),
            np.array(
                [index for index, name in enumerate(names) if not is_baseline(name)], dtype=int
            ),
            np.array(
                [[names.index(row[part]) for part in ("method", "other")] for row in tested]
            ).reshape(-1, 2),
            np.array([row["se_difference"] for row in tested]),
            np.array([row["df"] for row in tested]),
        )

    @property
    def reference(self) -> str | None:
        """The method that the table's differences are to: the best, unless another was asked for."""
        words = ("best", "reference")
        return next((row["method"] for row in self.rows() if row["verdict"] in words), None)

    @property
    def cases(self) -> int | None:
        """How many cases there are, of a weight that is not 0; None where there are none, as of scores of whole data
        sets."""
        return None if self.data is None else self.data.weighed

    def mean(self, code: str, method: str) -> float | None:
        """The mean loss of a method."""
        return next((row["mean"] for row in self.rows(code) if row["method"] == method), None)

    @property
    def severe(self) -> bool:
        """Whether an alarm stands that takes the sentence away."""
        return any(alarm.severe for alarm in self.alarms)

    @property
    def withheld(self) -> str:
        """Why no verdict is given, an alarm or too few rounds of fits; empty where one is."""
        if self.severe:
            return "An alarm stands."
        if self.rounds >= min(FEWEST_ROUNDS, self.fits.wanted):
            return ""
        text = f"{self.rounds} of {self.fits.wanted} rounds of fits were completed"
        return f"Only {text}; a verdict needs {min(FEWEST_ROUNDS, self.fits.wanted)}."

    @property
    def too_good(self) -> set[str]:
        """Methods whose losses are too small to be true."""
        return {name for alarm in self.alarms if alarm.severe for name in alarm.methods}

    @property
    def rounds(self) -> int:
        """Splits on which every method was fitted."""
        return self.fits.complete

    @property
    def tuned(self) -> bool | None:
        """Whether some method searches its settings; None where the models are not known."""
        if self.methods is None or self.read is not None:
            return self.settings.get("tuned")
        things = self.methods.values() if isinstance(self.methods, Mapping) else self.methods
        return any(type(item).__name__.endswith("CV") for item in things)

    @property
    def notes(self) -> list[str]:
        """What the statistics say of the first loss."""
        first = self.codes[0]
        return list(dict.fromkeys(note.text for note in self.verdicts.notes if note.loss == first))

    @property
    def provenance(self) -> str:
        """What was run: seed, fits, seconds, versions."""
        return str(self.settings.get("provenance", ""))
