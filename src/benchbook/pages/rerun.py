"""A run made while reading, beside the archived run of the same method, task instance and seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from benchbook.pages.html import Html, paragraph
from benchbook.pages.numbers import number, with_doubt
from benchbook.studies import Archive, archive_path, runs_path

_STEP = 1.0 / 128.0


def beside_archive(method: str, task: str, instance: int = 0, runs: str | Path | None = None,
                   archive: str | Path | None = None) -> Html:
    """Whether a run of one's own gave the archived squared errors, in two sentences.

    The archive rounds the roots of squared errors to steps of at most 1/128 of their upper quartile; agreement within
    half a step is called the same.

    Args:
        method, task, instance: which run; it must be in ``runs``.
        runs: the store of the reader's runs; by default the current one.
        archive: by default the one that comes with the book.
    """
    ours = _losses(Archive(runs or runs_path()), method, task, instance)
    kept = _losses(Archive(archive or archive_path()), method, task, instance)
    what = f"`{method}` on `{task}#{instance}`"
    mean = f"The mean squared error of {what} over {ours.height} test cases is {number(_mean(ours))} now"
    if kept.is_empty():
        return paragraph(f"{mean}. The archive has no run to set beside it.")
    both = ours.join(kept, on="case", suffix="_kept")
    if both.height < max(ours.height, kept.height) or ours["digest"][0] != kept["digest"][0]:
        return paragraph(f"{mean}. The archived run had other cases (another digest), and so there is nothing to set "
                         "beside it.")
    roots = [np.sqrt(both[name].to_numpy()) for name in ("value", "value_kept")]
    apart = float(np.abs(roots[0] - roots[1]).max())
    step = _STEP * float(np.quantile(roots[1], 0.75))
    kept_mean = f"{mean}, and {number(_mean(kept))} in the archive."
    if apart <= 0.505 * step:
        return paragraph(f"{kept_mean} Case by case the two are the same, to the last digit that the archive keeps.")
    if _identity(runs or runs_path(), method, task, instance) != _identity(archive or archive_path(), method, task,
                                                                           instance):
        return paragraph(f"{kept_mean} The text of the method has changed since the archived run.")
    gap = both["value"] - both["value_kept"]
    shift = with_doubt(float(str(gap.mean())), float(str(gap.std())) / both.height**0.5)
    return paragraph(f"{kept_mean} Case by case they differ, by {shift} on average: another processor or library "
                     "rounds differently, and a chain of many thousand steps remembers it. Both are fair runs of one "
                     "method.")


def _losses(archive: Archive, method: str, task: str, instance: int) -> pl.DataFrame:
    return archive.losses(tasks=task, methods=method, code="S").filter(instance=instance)


def _identity(folder: str | Path, method: str, task: str, instance: int) -> str:
    """Which text of the method was run."""
    found = Archive(folder).records(tasks=task, methods=method).filter(instance=instance)
    return "" if found.is_empty() else str(found["identity"][0])


def _mean(losses: pl.DataFrame) -> float | None:
    return None if losses.is_empty() else float(str(losses["value"].mean()))
