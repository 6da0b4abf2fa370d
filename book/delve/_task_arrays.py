"""What the chapter on task arrays shows: bands, learning curves, tables of losses, who is best and how sure."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from _task_array_chart import task_array as _chart

from benchbook import assess, datasets, studies, tasks
from benchbook.datasets.families.bands import Bands
from benchbook.show.downloads import downloads
from benchbook.show.html import Html, fold, paragraph, stack
from benchbook.show.numbers import p_value
from benchbook.show.tables import table
from benchbook.words import listed, training_cases
from benchbook_book.pages.show.neal import METHODS, most_compared

LEVEL = 0.05
"""Two methods are called different when p is at most this."""

HALVES: Mapping[str, pl.Expr] = {
    "8 inputs": ~pl.col("task").str.contains("-32"),
    "32 inputs": pl.col("task").str.contains("-32"),
    "fairly linear": pl.col("task").str.contains(r"-\d+f"),
    "non-linear": pl.col("task").str.contains(r"-\d+n"),
    "moderate noise": pl.col("task").str.contains(r"-\d+.m"),
    "high noise": pl.col("task").str.contains(r"-\d+.h"),
    "64 cases": pl.col("task").str.ends_with(".64"),
    "1024 cases": pl.col("task").str.ends_with(".1024"),
}
"""Parts of an array that differ in one thing, as filters on the name of the task."""

FACTORS: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    "inputs": (("8", "-8"), ("32", "-32")),
    "linearity": (("fairly linear", "f"), ("highly non-linear", "n")),
    "noise": (("moderate", "m-"), ("high", "h-")),
    "training cases": (("64", ".64"), ("1024", ".1024")),
}
"""What an array varies: for each thing its two levels, in words and as they stand in the name of a task."""

_NAME = re.compile(r"([a-z]+)(-\d+)([fn])([mh]-)(.*?)(\.\d+)")
_NOTHING = Html(
    '<p class="bb-note">The archive has no losses to show here.</p>',
    "The archive has no losses to show here.",
)


@dataclass(frozen=True)
class TaskArray:
    """The archived losses of one array by squared error, assessed task by task.

    Attributes:
        family: ``kin``, ``pumadyn`` or ``bank``.
        expected: as ``assess.expected_losses`` gives it.
        compared: as ``assess.comparisons`` gives it.
        notes: what was left out, a sentence each.
        digests: task, instance and digest of the task instances behind it, for ``show.provenance``.
    """

    family: str
    expected: pl.DataFrame
    compared: pl.DataFrame
    notes: tuple[str, ...]
    digests: pl.DataFrame

    @property
    def datasets(self) -> tuple[str, ...]:
        """The eight datasets of the array, whether or not they have losses."""
        return tuple(dict.fromkeys(task.partition("/")[0] for task in tasks.arrays()[self.family]))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that have losses, in the order of the array."""
        names = set(self.expected["task"])
        return tuple(task for task in tasks.arrays()[self.family] if task in names)

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods that have losses, those of the study first and in its order."""
        names = set(self.expected["method"])
        return (*(name for name in METHODS if name in names), *sorted(names - set(METHODS)))

    @cached_property
    def bands(self) -> dict[str, Bands]:
        """Noise and linearity of each dataset, simulated when first asked for."""
        return {name: datasets.bands(name) for name in self.datasets}

    @cached_property
    def best(self) -> pl.DataFrame:
        """The method with the lowest mean on every task, and how sure that is.

        Columns: dataset, training_cases, best, loss, standard_error, next, behind (the next one's loss over the best
        one's), p (of the two), equals (the methods that are not significantly worse, at ``LEVEL``), methods.
        """
        return pl.DataFrame([self._best(task) for task in self.tasks], infer_schema_length=None)

    def _best(self, task: str) -> dict[str, Any]:
        ordered = _at(self.expected, task).drop_nulls("mean").sort("mean")
        first = ordered.row(0, named=True)
        own = "" if first["standardised_mean"] is None else "standardised_"
        line = {
            "dataset": task.partition("/")[0],
            "training_cases": training_cases(task),
            "best": first["method"],
            "loss": first[f"{own}mean"],
            "standard_error": first[f"{own}standard_error"],
            "next": None,
            "behind": None,
            "p": None,
            "equals": [],
            "methods": ordered.height,
        }
        if ordered.height < 2:
            return line
        tests = _at(self.compared, task).filter(method=first["method"])
        second = ordered.row(1, named=True)
        equal = set(tests.filter(pl.col("p").fill_null(1.0) > LEVEL)["other"])
        return {
            **line,
            "next": second["method"],
            "behind": second["mean"] / first["mean"],
            "p": tests.filter(other=second["method"])["p"].item(),
            "equals": [name for name in ordered["method"] if name in equal],
        }

    @cached_property
    def ratios(self) -> pl.DataFrame:
        """Each method's loss on each task over that of the best method there.

        Columns: task, method, ratio (1 or more), error (of its logarithm; see ``_of_log_ratio``).
        """
        mean = pl.col("mean")
        known = self.expected.drop_nulls("mean").select(
            "task",
            "method",
            "mean",
            "standard_error",
            other=pl.col("method").sort_by("mean").first().over("task"),
        )
        best = known.filter(pl.col("method") == pl.col("other")).select(
            "task", other_mean="mean", other_error="standard_error"
        )
        gaps = self.compared.select("task", "method", "other", gap="standard_error")
        joined = known.join(best, on="task").join(
            gaps, on=["task", "method", "other"], how="left", maintain_order="left"
        )
        error = pl.when(pl.col("method") == pl.col("other")).then(0.0).otherwise(_of_log_ratio())
        return joined.select("task", "method", ratio=mean / pl.col("other_mean"), error=error)

    @cached_property
    def profile(self) -> pl.DataFrame:
        """Per method the geometric mean of its ratio to the best method, over the array and over halves of it.

        Only methods that have losses on every task that has any, so that all are averaged over the same tasks.
        """
        return self._profiled(lambda part: pl.col("ratio").filter(part).log().mean().exp())

    @cached_property
    def profile_errors(self) -> pl.DataFrame:
        r"""The standard errors of ``profile``, in its form: g sqrt(Σ e²)/n, e of the logarithms of n ratios of mean g.

        Tasks share no training sets, so that their errors are taken as independent.
        """
        return self._profiled(
            lambda part: (
                pl.col("ratio").filter(part).log().mean().exp()
                * pl.col("error").filter(part).pow(2).sum().sqrt()
                / pl.col("ratio").filter(part).len()
            )
        )

    def _profiled(self, figure: Callable[[pl.Expr], pl.Expr]) -> pl.DataFrame:
        whole = (
            self.ratios.group_by("method")
            .agg(pl.len())
            .filter(pl.col("len") == len(self.tasks))["method"]
        )
        parts = {"all tasks": pl.lit(True), **HALVES}
        by = pl.col("ratio").log().mean().exp().alias("_order")
        return (
            self.ratios.filter(pl.col("method").is_in(whole.to_list()))
            .group_by("method")
            .agg(by, **{name: figure(part) for name, part in parts.items()})
            .sort("_order", "method")
            .drop("_order")
        )

    def effects(self, first: str, second: str) -> pl.DataFrame:
        """What one thing does to the ratio of two methods' losses, all else equal.

        For each of ``FACTORS`` the tasks of one level are paired with those of the other that differ in nothing else;
        the ratio of the expected loss of ``first`` to that of ``second`` is averaged geometrically over each side.
        What a pair shows depends on the other things too, their interaction: ``least`` and ``most`` say how far.

        Returns:
            factor, low and high (the levels in words), ratio_low, ratio_high, change (high over low), error (its
            standard error, from those of the losses), least and most (the change in single pairs), and pairs.
        """
        wide = self.expected.filter(pl.col("method").is_in([first, second])).pivot(
            on="method", index="task", values="mean"
        )
        if not {first, second} <= set(wide.columns):
            return pl.DataFrame(schema={"factor": pl.String, "pairs": pl.Int64})
        ratio = {
            line["task"]: math.log(line[first] / line[second])
            for line in wide.drop_nulls().iter_rows(named=True)
        }
        return pl.DataFrame(
            [
                line
                for factor in FACTORS
                if (line := _effect(factor, ratio, self._errors(first, second)))
            ]
        )

    def _errors(self, first: str, second: str) -> dict[str, float]:
        """By task, the standard error of the logarithm of the ratio of two methods' expected losses."""
        item, two = (
            self.expected.filter(method=name).select("task", "mean", "standard_error")
            for name in (first, second)
        )
        both = item.join(
            two.rename({"mean": "other_mean", "standard_error": "other_error"}), on="task"
        )
        gaps = self.compared.filter(method=first, other=second).select("task", gap="standard_error")
        return dict(
            both.join(gaps, on="task", how="left").select("task", _of_log_ratio()).iter_rows()
        )

    def about(self) -> Html:
        """What is not in the archive, and what was left out; nothing when all is there."""
        stored = {task.partition("/")[0] for task in self.tasks}
        lacking = [name for name in self.datasets if name not in stored]
        text = (
            f"The archive has no losses on {listed([f'`{name}`' for name in lacking])} yet."
            if lacking
            else ""
        )
        return stack(
            paragraph(text),
            fold("Instances and methods that were left out", *map(paragraph, self.notes)),
        )

    def bands_table(self) -> Html:
        """Stated and measured noise and linearity of the eight datasets, with a remark where a promise is broken."""
        lines = []
        for name, band in self.bands.items():
            path = tasks.place(name)
            lines.append(
                {
                    "dataset": f"`{name}`",
                    "inputs": path.inputs,
                    "noise": band.noise,
                    "measured": f"{100 * band.noise_share:.1f} %",
                    "linearity": band.linearity,
                    "left": f"{100 * band.linear_residual:.1f} %{'' if band.linearity_within else ' (*)'}",
                }
            )
        outside = [
            f"(*) `{name}`: {band.remark}"
            for name, band in self.bands.items()
            if not band.linearity_within
        ]
        headings = {"measured": "share of noise", "left": "straight line leaves"}
        return stack(
            table(lines, "Stated and measured, by simulation", headings=headings),
            *map(paragraph, outside),
        )

    def curves(self, methods: Sequence[str] = (), floors: Mapping[str, float] | None = None) -> Any:
        """Learning curves of some methods on all datasets; see ``_task_array_chart``.

        Args:
            methods: which; by default the ``leaders``, at most six. Pass ``array.methods`` to have all.
            floors: share of noise by dataset; by default that of ``bands``.
        """
        if self.expected.is_empty():
            return _NOTHING
        shares = (
            {name: band.noise_share for name, band in self.bands.items()}
            if floors is None
            else floors
        )
        return _chart(
            self.expected,
            methods=tuple(methods) or self.leaders(),
            highlight=self.leaders(),
            floors=shares,
        )

    def leaders(self, count: int = 5) -> tuple[str, ...]:
        """The methods that are best on the largest number of tasks, and the straight line, in the order of the page."""
        often = (
            self.best.group_by("best")
            .len()
            .sort(pl.col("len"), pl.col("best"), descending=[True, False])["best"]
        )
        chosen = {*often.head(count), *({"lin-1"} & set(self.methods))}
        return tuple(name for name in self.methods if name in chosen)

    def best_table(self) -> Html:
        """The best method of every task in a grid, and behind a fold the forty lines behind it."""
        if self.expected.is_empty():
            return _NOTHING
        cells = self.best.select(
            "dataset",
            "training_cases",
            cell=pl.struct("best", n=pl.col("equals").list.len()).map_elements(
                lambda line: f"{line['best']} + {line['n']}" if line["n"] else line["best"],
                return_dtype=pl.String,
            ),
        )
        grid = cells.pivot(on="training_cases", index="dataset", values="cell").with_columns(
            pl.format("`{}`", "dataset").alias("dataset")
        )
        known = f"The method with the lowest mean; + n: so many others are not significantly worse (p > {LEVEL:g})"
        lines = self.best.with_columns(
            pl.format("`{}`", "dataset").alias("dataset"), pl.col("equals").list.len()
        )
        whole = table(
            lines,
            "All tasks: standardised squared error of the best method, and the next one",
            se={"loss": "standard_error"},
            formats={
                "p": p_value,
                "behind": lambda times: (
                    "–" if times is None or math.isnan(times) else f"{times:.2f}"
                ),
            },
            headings={
                "next": "next best",
                "behind": "next over best",
                "equals": "not significantly worse",
                "training_cases": "training cases",
            },
        )
        return stack(table(grid, known), fold("Losses and p values of all tasks", whole))

    def losses_file(self) -> Html:
        """All expected losses as a file: a line for each dataset, number of training cases and method."""
        if self.expected.is_empty():
            return _NOTHING
        lines = self.expected.select(
            dataset=pl.col("task").str.extract("^([^/]+)"),
            training_cases=pl.col("task").map_elements(training_cases, return_dtype=pl.Int64),
            method="method",
            loss="standardised_mean",
            standard_error="standardised_standard_error",
        ).sort("dataset", "training_cases", "loss")
        return downloads({f"{self.family}-expected-losses": ("all expected losses", lines)})

    def profile_table(self) -> Html:
        """``profile`` as a table."""
        if self.profile.is_empty():
            return _NOTHING
        parts = [name for name in self.profile.columns if name != "method"]
        retained = self.profile.select(
            "method", *(name for name in parts if self.profile[name].is_not_null().all())
        )
        short = {
            name: name.removesuffix(" tasks")
            .removesuffix(" noise")
            .removesuffix(" cases")
            .removeprefix("fairly ")
            for name in retained.columns[1:]
        }
        over = f"{len(self.tasks)} {self.family} tasks"
        caption = f"Losses over those of the best method of each task, geometric means, {over}"
        errors = self.profile_errors.select(retained.columns)
        cells = pl.DataFrame(
            [
                {
                    name: value if name == "method" else f"{value:.3f} ± {error:.3f}"
                    for (name, value), error in zip(line.items(), errors, strict=True)
                }
                for line, errors in zip(
                    retained.iter_rows(named=True), errors.iter_rows(), strict=True
                )
            ]
        )
        return table(cells, f"{caption}, ± a standard error", headings=short)


def task_array(
    family: str, archive: str | Path | None = None, *, standardised: bool = True
) -> TaskArray:
    """Assess all archived losses of a task array.

    On each task the methods are compared on the instances that most of them have.

    Args:
        family: ``kin``, ``pumadyn`` or ``bank``.
        archive: its folder; by default the one that comes with the book.
        standardised: also standardise, for which all datasets are simulated; ratios and comparisons need it not.
    """
    archived_runs = studies.Archive(archive or studies.archive_path())
    parts, digests, notes = [], [], []
    for prototask in dict.fromkeys(task.rpartition("/")[0] for task in tasks.arrays()[family]):
        losses, text = most_compared(archived_runs.losses(prototask=prototask, code="S"))
        parts.append(
            assess.assessment(losses, "hierarchical", tasks.standard if standardised else None)
        )
        digests.append(losses.select("task", "instance", "digest").unique(maintain_order=True))
        notes += text
    expected, compared = (pl.concat(tables) for tables in zip(*parts, strict=True))
    return TaskArray(family, expected, compared, tuple(notes), pl.concat(digests))


def _of_log_ratio() -> pl.Expr:
    r"""The standard error of log(ȳ_A/ȳ_B) for paired methods, to first order.

    With e_A and e_B the standard errors of the two and e that of ȳ_A - ȳ_B, their covariance is
    C = (e_A² + e_B² - e²)/2, and the variance e_A²/ȳ_A² + e_B²/ȳ_B² - 2C/(ȳ_A ȳ_B).
    """
    first, second, e_first, e_second, gap = (
        pl.col(name) for name in ("mean", "other_mean", "standard_error", "other_error", "gap")
    )
    covariance = (e_first**2 + e_second**2 - gap**2) / 2.0
    variance = (
        (e_first / first) ** 2 + (e_second / second) ** 2 - 2.0 * covariance / (first * second)
    )
    return variance.clip(0.0).sqrt().alias("error")


def _effect(factor: str, ratio: Mapping[str, float], errors: Mapping[str, float]) -> dict[str, Any]:
    """One line of ``TaskArray.effects``; nothing when no task has its partner."""
    (low, low_name), (high, high_name) = FACTORS[factor]
    index = {"inputs": 1, "linearity": 2, "noise": 3, "training cases": 5}[factor]
    pairs: list[tuple[float, float]] = []
    all_errors: list[float] = []
    for task in ratio:
        if not (parts := _NAME.fullmatch(task)) or parts[index + 1] != low_name:
            continue
        partner = "".join(
            high_name if k == index else part for k, part in enumerate(parts.groups())
        )
        if partner in ratio:
            pairs.append((ratio[task], ratio[partner]))
            all_errors += [errors[task], errors[partner]]
    if not pairs:
        return {}
    changes = [math.exp(above - below) for below, above in pairs]
    below, above = (math.exp(sum(side) / len(pairs)) for side in zip(*pairs, strict=True))
    return {
        "factor": factor,
        "low": low,
        "high": high,
        "ratio_low": below,
        "ratio_high": above,
        "change": above / below,
        "error": above / below * math.hypot(*all_errors) / len(pairs),
        "least": min(changes),
        "most": max(changes),
        "pairs": len(pairs),
    }


def _at(frame: pl.DataFrame, task: str) -> pl.DataFrame:
    return frame.filter(task=task)
