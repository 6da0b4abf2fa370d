"""What a comparison found: one sentence, one table, and all that they follow from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbook.assess.by_design import Verdicts
from benchbook.comparison import drawing, further, shown, stored
from benchbook.comparison import sentence as words
from benchbook.comparison.alarms import Alarm
from benchbook.comparison.candidates import CONSTANT
from benchbook.comparison.data import ComparisonData
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.fits import Fits
from benchbook.comparison.losses import LossInfo
from benchbook.comparison.scale import Scale, scale_of
from benchbook.comparison.splits import SplitPlan
from benchbook.errors import BenchbookError

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of ``benchbook.compare``. In a notebook it shows itself; ``print`` shows the same as text.

    Attributes:
        data: the cases. plan: how they were split. fits: predictions and losses.
        verdicts: means, differences, intervals and verdicts, from ``assess.by_design``.
        alarms: what to know before the numbers are believed.
        rope: the smallest difference that matters, by loss, in its unit. rope_words: where it comes from, when it is
            the default.
        settings: the other arguments of the call, for ``more``. methods: those that were asked for.
        again: makes the same comparison with other methods; None when the data are not there any more.
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
    again: Callable[[Any], Comparison] | None = None

    # -- in a few words -----------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return shown.shown(self).text

    def _repr_html_(self) -> str:
        return shown.shown(self).html

    @property
    def sentence(self) -> str:
        """The outcome for a paper, with data, design and test; empty where an alarm forbids one."""
        return words.for_paper(self)

    @property
    def headline(self) -> str:
        """The outcome in one or two sentences."""
        return words.headline(self).replace("**", "")

    @property
    def best(self) -> str | None:
        """The method with the smallest mean loss; None while an alarm stands or where the constant guess is first."""
        rows = self.rows()
        return (
            None
            if self.severe or not rows or rows[0]["method"] == CONSTANT
            else str(rows[0]["method"])
        )

    # -- tables -------------------------------------------------------------------------------------------------------

    @property
    def table(self) -> pl.DataFrame:
        """A row for each loss and method; the columns of ``assess.by_design``'s table."""
        return self.verdicts.table

    @property
    def pairs(self) -> pl.DataFrame:
        """A row for each loss and pair of methods."""
        return self.verdicts.pairs

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

    def to_pandas(self) -> Any:
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

    # -- pictures, further questions, files ---------------------------------------------------------------------------

    def plot(self) -> Drawing:
        """The differences to the best method with their intervals."""
        return drawing.differences(self)

    def plot_pairs(self, method: str, other: str, loss: str | None = None) -> Drawing:
        """The difference of two methods on every test set, a dot a fold."""
        return drawing.pairs(self, method, other, loss or self.codes[0])

    def calibration(self) -> Drawing:
        """Whether stated probabilities come true: by class probabilities, or by coverage of intervals."""
        return drawing.calibration(self)

    def learning_curve(self, sizes: Any = None) -> Drawing:
        """The mean loss of every method by the number of training cases; fits when it is called.

        Args:
            sizes: training-set sizes; three smaller ones than that of the comparison when left out.
        """
        return further.learning_curve(self, sizes)

    def utilities(self, loss: str | None = None) -> pl.DataFrame:
        """Expected utility of each method by the Bayesian bootstrap over cases, and who is better.

        This sees the variability due to test cases alone (of whole groups where there are groups), and answers for
        these fitted models.

        Source: Vehtari and Lampinen (2001), section 3.
        """
        return further.utilities(self, loss or self.codes[0])

    def more(self, methods: Any) -> Comparison:
        """The comparison with further methods; what was fitted is not fitted again while it is cached."""
        return further.more(self, methods)

    def to_latex(self) -> str:
        """The table for a paper (booktabs), with the sentence as its caption."""
        return shown.latex(self)

    def report(self, path: str | Path) -> Path:
        """Write the comparison as a page that opens in a browser, with its figures; nothing is left half-written."""
        return stored.report(self, path)

    def save(self, path: str | Path) -> Path:
        """Keep the comparison in a folder: frames as Parquet, the rest as JSON. ``Comparison.load`` reads it."""
        return stored.save(self, path)

    @staticmethod
    def load(path: str | Path) -> Comparison:
        """A comparison that was saved; it shows and draws, and cannot fit anything any more."""
        return stored.load(path, Comparison)

    # -- what the words and the table are made of ---------------------------------------------------------------------

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

    def mean(self, code: str, method: str) -> float | None:
        """The mean loss of a method."""
        return next((row["mean"] for row in self.rows(code) if row["method"] == method), None)

    @property
    def severe(self) -> bool:
        """Whether an alarm stands that takes the sentence away."""
        return any(alarm.severe for alarm in self.alarms)

    @property
    def too_good(self) -> set[str]:
        """Methods whose losses are too small to be true."""
        return {name for alarm in self.alarms if alarm.severe for name in alarm.methods}

    @property
    def rounds(self) -> int:
        """Splits on which every method was fitted."""
        return self.fits.complete

    @property
    def tuned(self) -> bool:
        """Whether some method searches its settings."""
        things = (
            self.methods.values() if isinstance(self.methods, Mapping) else (self.methods or ())
        )
        searches = any(type(item).__name__.endswith("CV") for item in things)
        return searches or bool(self.settings.get("tuned", False))

    @property
    def notes(self) -> list[str]:
        """What the statistics say of the first loss."""
        first = self.codes[0]
        return list(dict.fromkeys(note.text for note in self.verdicts.notes if note.loss == first))

    @property
    def provenance(self) -> str:
        """What was run: seed, fits, seconds, versions."""
        return str(self.settings.get("provenance", ""))
