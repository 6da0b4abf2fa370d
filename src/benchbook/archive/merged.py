"""The user's own runs and those that come with the book: where they are, and both read as one."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from benchbook.archive.archive import Archive, Choice
from benchbook.archive.frames import HELD_OUT, KEY, Block, Names, in_order, long_frame
from benchbook.archive.records import checkout
from benchbook.datasets.user import places
from benchbook.errors import BenchbookError


def archive_path() -> Path:
    """The archive that comes with the book.

    ``$BENCHBOOK_ARCHIVE``, else ``data/archive`` of the source checkout, else of the installed package.
    """
    given = os.environ.get("BENCHBOOK_ARCHIVE")
    if given:
        return Path(given).expanduser()
    return (checkout() or Path(__file__).resolve().parents[1]) / "data" / "archive"


def publishing_path() -> Path:
    """The archive that runs are published in when none is named: that of the book, in a checkout.

    Raises:
        BenchbookError: it is a part of the installed package, with which it would be lost.
    """
    if checkout() is None and not os.environ.get("BENCHBOOK_ARCHIVE"):
        raise BenchbookError(
            "runs are not published into the installed package, with which they would be lost. Name "
            "a folder of your own with --archive, or work in a checkout."
        )
    return archive_path()


def runs_path() -> Path:
    """Where the user's own runs are kept.

    ``$BENCHBOOK_RUNS``, else ``runs`` in the user's home of benchbook (``datasets.user.places.home``), beside the
    user's datasets and whatever folder one works in. The book's pages keep theirs in ``_build`` of the checkout.
    """
    given = os.environ.get("BENCHBOOK_RUNS")
    if given:
        return Path(given).expanduser()
    return places.home() / "runs"


class Overlay:
    """Several archives read as one: of the same method, task and instance the run of the earlier archive counts."""

    def __init__(self, *archives: Archive | str | Path) -> None:
        self.archives = tuple(
            archive if isinstance(archive, Archive) else Archive(archive) for archive in archives
        )

    def records(
        self, *, prototask: Names = None, tasks: Names = None, methods: Names = None
    ) -> pl.DataFrame:
        """The records of the runs that count; the column ``archive`` says where each is from."""
        return in_order(pl.concat(self._apart(prototask, tasks, methods)[0]))

    def losses(
        self,
        *,
        prototask: Names = None,
        tasks: Names = None,
        methods: Names = None,
        code: Names = None,
        role: Names = HELD_OUT,
    ) -> pl.DataFrame:
        """The case losses of the runs that count, by the arguments and in the columns of ``Archive.losses``."""
        seen: set[tuple[str, str, int]] = set()
        counted: list[Block] = []
        for archive in self.archives:
            records, blocks = archive.read(Choice(prototask, tasks, methods), code)
            counted += [block for block in blocks if block.key not in seen]
            seen.update(records.select(KEY).iter_rows())
        return long_frame(counted, role)

    def hidden(
        self, *, prototask: Names = None, tasks: Names = None, methods: Names = None
    ) -> pl.DataFrame:
        """The records of runs that do not count, because an earlier archive has the same method, task and instance."""
        return in_order(pl.concat(self._apart(prototask, tasks, methods)[1]))

    def notes(
        self, *, prototask: Names = None, tasks: Names = None, methods: Names = None
    ) -> list[str]:
        """What a reader should know of the runs that do not count: a sentence for each method and archive."""
        hidden = self.hidden(prototask=prototask, tasks=tasks, methods=methods)
        groups = hidden.group_by("method", "archive", maintain_order=True).agg(
            runs=pl.len(), tasks=pl.col("task").n_unique()
        )
        return [
            f"{row['method']}: your own runs are shown instead of {row['runs']} in {row['archive']} "
            f"({row['tasks']} tasks)"
            for row in groups.iter_rows(named=True)
        ]

    def _apart(self, *choice: Names) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
        """The records of the runs that count, archive by archive, and of those that an earlier one hides."""
        prototask, tasks, methods = choice
        counted: list[pl.DataFrame] = []
        hidden: list[pl.DataFrame] = []
        for archive in self.archives:
            frame = archive.records(prototask=prototask, tasks=tasks, methods=methods)
            seen = pl.concat(
                [frame.clear().select(KEY), *(earlier.select(KEY) for earlier in counted)]
            )
            counted.append(frame.join(seen, on=KEY, how="anti", maintain_order="left"))
            hidden.append(frame.join(seen, on=KEY, how="semi", maintain_order="left"))
        return counted, hidden


def overlay(
    runs: Archive | str | Path | None = None, archive: Archive | str | Path | None = None
) -> Overlay:
    """The user's own runs before those of the committed archive."""
    return Overlay(
        runs_path() if runs is None else runs, archive_path() if archive is None else archive
    )


def gather(
    tasks: Names,
    methods: Names = None,
    code: Names = "S",
    role: Names = HELD_OUT,
    source: Overlay | None = None,
) -> pl.DataFrame:
    """The case losses of a prototask or of tasks, from the user's own runs and the committed archive.

    Args:
        tasks: one or more patterns of the task, of its prototask or of its dataset.
        methods: one or more patterns of the method; None for all.
        code: one or more codes of losses; None for all.
        role: of the cases: "held_out" (the default), and of folds "training" and "full" (trained on all cases); None
            for all of them, which no statistic takes.
        source: where runs are looked for: by default the user's own and the committed archive.

    Returns:
        A frame with columns method, task, instance, case, loss, value, digest and role, as ``assess`` takes it.

    Raises:
        MissingData: the roles of some cases are known only with published data that is not available.
        FaultyInput: ``role`` is none of the three.
    """
    return (source or overlay()).losses(tasks=tasks, methods=methods, code=code, role=role)
