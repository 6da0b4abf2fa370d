"""``benchbook compare TABLE --target COLUMN``: the one call on a file or a dataset, from a shell."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import click

from benchbook import datasets
from benchbook.cli.output import show, table
from benchbook.comparison import Comparison, compare, files, stored
from benchbook.comparison.cache import pickle_by_value
from benchbook.comparison.candidates import is_baseline
from benchbook.comparison.drawing import Drawing
from benchbook.comparison.role_columns import guessed_kind
from benchbook.comparison.tables import values_of
from benchbook.datasets.user.guess import Wishes
from benchbook.errors import BenchbookError
from benchbook.methods.loading import load_object
from benchbook.show import standalone

STANDARD = {
    "number": ("lin-1", "knn-cv-1", "forest-1", "boosting-1"),
    "class": ("bayes-logistic-1", "knn-cv-1", "forest-1", "boosting-1"),
}
"""What is compared when no method is named: a line, neighbours, and two kinds of trees, each fast at any size."""
SLOWER = {"number": ("gp-map-1", "mlp-ese-1"), "class": ("svm-platt-1", "mlp-committee-class-1")}
"""Joined to them on small tables, where each takes seconds."""
_MOST_CASES, _MOST_VALUES = 500, 50_000
_LARGE_TABLE, _MANY_CASES, _MANY_COLUMNS = 40_000, 10_000, 1_000
"""Values (cases times columns) above which methods that nobody named are fitted to the folds once, cases above which
neighbours and columns above which boosted trees are not among them: the answer comes within two minutes, by the same
fits on every machine."""
_SHARE_OF_LARGE = 0.125


@dataclass(frozen=True)
class TableOptions:
    """How a file is read, and which columns play another part than that of an input."""

    targets: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    groups: str = ""
    time: str = ""
    random: bool = False
    separator: str = ""
    header: bool = True
    lags: tuple[int, ...] = ()
    wishes: Wishes = field(default_factory=Wishes)


def compare_table(
    subject: str,
    methods: Sequence[str],
    options: TableOptions,
    *,
    out: str | None,
    curve: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Compare methods on a table, print the outcome, and write its page.

    Raises:
        BenchbookError: the table is none, or something else of the call is wrong.
        Exit: with code 1, when a method failed.
    """
    failed = False
    for target in options.targets or ("",):
        source = _source(subject, target, options, settings.get("kind") or "")
        path = Path(out or f"{Path(subject).name.partition('.')[0].replace('/', '-')}.html")
        if len(options.targets) > 1:
            path = path.with_name(f"{path.stem}-{target}{path.suffix}")
        standalone.refuse_others(path)
        large = not methods and (len(options.targets) > 1 or is_large(*source.frame.shape))
        if large:
            source = replace(source, notes=(*source.notes, *_notes_of_large(source, settings)))
        made = _compared(source, methods, dict(settings) | {"lags": options.lags or None}, large)
        curves = _curve(made, large) if curve and _has_curve(made) else None
        stored.report(made, path, curves)
        show(
            as_json,
            _as_data(made, source, curves, path),
            partial(_print, made, source, curves, path),
        )
        failed = failed or bool(made.errors)
    if failed:
        raise click.exceptions.Exit(1)


def _source(
    subject: str, target: str, options: TableOptions, kind: str
) -> files.FrameForComparison:
    path = Path(subject)
    if path.exists():
        if not target:
            raise BenchbookError("say which column is predicted: --target COLUMN")
        others = tuple(item for item in options.targets if item != target)
        return files.of_file(
            path,
            target,
            drop=(*options.drop, *others),
            groups=options.groups,
            time=options.time,
            random=options.random,
            separator=options.separator,
            header=options.header,
            kind=kind,
            wishes=options.wishes,
            lags=bool(options.lags),
        )
    if subject.partition("/")[0] in datasets.available():
        return files.of_dataset(subject, target, options.drop)
    raise BenchbookError(
        f"{subject!r} is neither a file nor a dataset; `benchbook datasets list` shows the datasets"
    )


def is_large(cases: int, columns: int) -> bool:
    """Whether three times ten folds of the standard methods take minutes on such a table."""
    return cases * columns > _LARGE_TABLE


def _notes_of_large(source: files.FrameForComparison, settings: dict[str, Any]) -> list[str]:
    """What is not done on a large table, because nobody asked for it."""
    notes = []
    if settings["effort"] is None and not source.time:
        notes.append(
            "each fold is tested once, for an answer within two minutes; --effort default does so three times"
        )
    if len(source.frame) > _MANY_CASES:
        notes.append("knn-cv-1 is left out, which takes long on a large table; -m names methods")
    if source.frame.width > _MANY_COLUMNS:
        notes.append("boosting-1 is left out, which takes long with many columns; -m names methods")
    return notes


def _compared(
    source: files.FrameForComparison, methods: Sequence[str], settings: dict[str, Any], large: bool
) -> Comparison:
    of_series = "number" if settings["lags"] else None
    kind: Any = settings.pop("kind", None) or source.kind or of_series
    if not methods:
        kind = kind or _kind(source)
        methods = standard_methods(kind, *source.frame.shape)
    if settings["effort"] is None:
        settings["effort"] = "quick" if large else "default"
    result: Comparison = compare(
        {name: _method(name) for name in methods},
        source.frame,
        target=source.target,
        groups=source.groups or None,
        time=source.time or None,
        kind=kind,
        **settings,
    )
    return result


def standard_methods(kind: str, cases: int, columns: int) -> tuple[str, ...]:
    """The methods for a table of this size when none is named; what takes minutes on it is left out."""
    small = cases <= _MOST_CASES and cases * columns <= _MOST_VALUES
    chosen = (*STANDARD[kind], *(SLOWER[kind] if small else ()))
    left_out = {"knn-cv-1"} if cases > _MANY_CASES else set()
    left_out |= {"boosting-1"} if columns > _MANY_COLUMNS else set()
    return tuple(name for name in chosen if name not in left_out)


def _method(name: str) -> str | FunctionType:
    """A method by name, or from a file; of a file also a plain function ``(X_train, y_train, X_test)``."""
    if not (name.endswith(".py") or ":" in name):
        return name
    thing, _ = load_object(name)
    if not isinstance(thing, FunctionType):
        return name
    pickle_by_value(sys.modules[thing.__module__])  # other processes lack the file
    return thing


def _kind(source: files.FrameForComparison) -> str:
    """What the target is taken for when nobody says, by the rule of the call."""
    return guessed_kind(values_of(source.frame[source.target]))


def _curve(made: Comparison, large: bool) -> Drawing:
    """The learning curve; where it takes long, at one size besides that of the comparison."""
    if not large:
        return made.learning_curve()
    most = min(len(split.train) for split in made.plan.splits)
    return made.learning_curve([max(2, round(_SHARE_OF_LARGE * most))])


def _has_curve(made: Comparison) -> bool:
    return made.plan.design.kind in ("folds", "groups") and not made.severe


def _print(
    made: Comparison, source: files.FrameForComparison, curves: Drawing | None, path: Path
) -> None:
    for note in source.notes:
        click.echo(f"note: {note}")
    click.echo(f"{made!r}\n")
    if curves is not None:
        click.echo(f"Mean {made.loss_info[made.codes[0]].title} by number of training cases\n")
        wide = curves.table.pivot("size", index="method", values="mean")
        sizes = [name for name in wide.columns if name != "method"]
        rows = [row for row in wide.to_dicts() if not is_baseline(row["method"])]
        table(rows, {"method": "method", **{size: size for size in sizes}})
    if made.sentence:
        click.echo(f"\nFor a paper: {made.sentence}")
    click.echo(f"\npage: {path}")


def _as_data(
    made: Comparison, source: files.FrameForComparison, curves: Drawing | None, path: Path
) -> dict[str, Any]:
    return {
        "target": source.target,
        "notes": list(source.notes),
        "headline": made.headline,
        "sentence": made.sentence,
        "warnings": made.warnings,
        "table": made.table.to_dicts(),
        "pairs": made.pairs.to_dicts(),
        "errors": {name: several[0][1] for name, several in made.errors.items()},
        "learning_curve": curves.table.to_dicts() if curves is not None else [],
        "page": str(path),
    }
