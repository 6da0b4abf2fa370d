"""What a comparison found, shown: one sentence, one table, pictures, files, and further questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchbook.comparison import drawing, further, prediction_plots, ranks, shown, stored, tracking
from benchbook.comparison import sentence as words
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.outcome import Outcome

if TYPE_CHECKING:
    import polars as pl

    from benchbook.comparison.arguments import Models


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Outcome):
    """The result of ``benchbook.compare`` and ``compare_results``. In a notebook it shows itself, printed as text.

    Its attributes are those of ``Outcome``.

    Example:
        >>> import tempfile
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.linear_model import LinearRegression, Ridge
        >>> X, y = load_diabetes(return_X_y=True)
        >>> models = {"linear": LinearRegression(), "ridge": Ridge(1.0)}
        >>> found = benchbook.compare(models, X, y, effort="quick", progress=False)
        >>> found.codes
        ['absolute', 'squared']
        >>> found.pairs.columns[:5]
        ['loss', 'method', 'other', 'difference', 'se_difference']
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     again = benchbook.Comparison.load(found.save(f"{folder}/kept"))
        ...
        >>> again.headline == found.headline
        True
        >>> more = found.more({"strong ridge": Ridge(10.0)})
        >>> len(more.fits.methods) - len(found.fits.methods)
        1
    """

    # -- in a few words -----------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return shown.shown(self).text

    def _repr_html_(self) -> str:
        return shown.shown(self).html

    @property
    def sentence(self) -> str:
        """The outcome for a paper, with data, design and test; empty where an alarm forbids one. Of runs on several
        tasks, one for each."""
        return "\n".join(words.for_paper(part) for part in self.parts)

    @property
    def headline(self) -> str:
        """The outcome in one or two sentences; of runs on several tasks, a line for each."""
        if len(self.parts) == 1:
            return words.headline(self).replace("**", "")
        return "\n".join(f"{part.codes[0]}: {part.headline}" for part in self.parts)

    # -- pictures, further questions, files ---------------------------------------------------------------------------

    def plot(self) -> Drawing:
        """The differences to the best method with their intervals."""
        return drawing.differences(self)

    def plot_segments(self, method: str | None = None) -> Drawing:
        """The difference of a method in each segment of ``by`` (a forest plot); of the first when left out."""
        return drawing.segments(self, method)

    def plot_pairs(self, method: str, other: str, loss: str | None = None) -> Drawing:
        """The difference of two methods on every test set, a dot a fold."""
        return drawing.pairs(self, method, other, loss or self.codes[0])

    def calibration(self) -> Drawing:
        """Whether stated probabilities come true: by class probabilities, or by coverage of intervals."""
        return drawing.calibration(self)

    def roc(self) -> Drawing:
        """True against false positive rates of two classes, the mean over test sets; from ``predictions``."""
        return prediction_plots.roc(self)

    def residuals(self) -> Drawing:
        """Target minus prediction by prediction, a dot a held-out case and method; from ``predictions``."""
        return prediction_plots.residuals(self)

    def learning_curve(self, sizes: Sequence[float] | None = None) -> Drawing:
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

    def ranks(self) -> pl.DataFrame:
        """Rank tests (Friedman, Nemenyi, Wilcoxon) over test sets or datasets, with what they assume; see
        ``comparison.ranks.rank_tests``. They answer another question than the verdicts."""
        return ranks.rank_tests(self)

    def more(self, methods: Models) -> Comparison:
        """The comparison with further methods; what was fitted is not fitted again while it is cached."""
        return further.more(self, methods)

    def to_latex(self) -> str:
        """The table for a paper (booktabs), with the sentence as its caption."""
        return shown.latex(self)

    def to_markdown(self) -> str:
        """The table for an issue, a README or a notebook, with the sentence below it."""
        return shown.markdown(self)

    def log_to_mlflow(self) -> str:
        """Log the comparison to MLflow, which has to be installed: a run with the page, the table and what was asked,
        below the active one if there is one. Below it is a run for each method: its mean by every loss (of metrics such
        as r2 the metric), its difference with interval and corrected p-value, and its verdict as a tag.

        Returns:
            The id of the run.

        Raises:
            BenchbookError: mlflow is not installed.
        """
        return tracking.log_to_mlflow(self)

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
