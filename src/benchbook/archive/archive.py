"""An archive: a folder with the records and the case losses of runs, in a loose and in a compact layer, read as one."""

from __future__ import annotations

import copy
import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchbook.archive import compact_files as compact
from benchbook.archive import index, store
from benchbook.archive import verify as verification
from benchbook.archive.compact_files import PACKED_SCHEMA
from benchbook.archive.frames import HELD_OUT, KEY, Block, Names, in_order, long_frame
from benchbook.archive.lock import locked
from benchbook.archive.records import RECORD_SCHEMA, RunResult
from benchbook.files import ensure_writable
from benchbook.predictive import Predictive


@dataclass(frozen=True)
class Choice:
    """Which runs are meant. Each field is a shell pattern, several of them, or None for all.

    ``tasks`` are matched by the name of the task, of its prototask or of its dataset.
    """

    prototask: Names = None
    tasks: Names = None
    methods: Names = None

    def takes(self, method: str, task: str) -> bool:
        """Whether the runs of that method on that task are meant."""
        return self._methods.fit(method) and self._takes_task(task)

    def may_take(self, prototask: str, method: str) -> bool:
        """Whether some runs of that method on that prototask may be meant."""
        return (
            self._prototask.fit(prototask)
            and self._methods.fit(method)
            and self._tasks.may_fit_below(prototask)
        )

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The runs of a frame that are meant."""
        methods = [name for name in frame["method"].unique() if self._methods.fit(name)]
        tasks = [name for name in frame["task"].unique() if self._takes_task(name)]
        return frame.filter(pl.col("method").is_in(methods) & pl.col("task").is_in(tasks))

    def _takes_task(self, task: str) -> bool:
        prototask, dataset = _above(task)
        return self._prototask.fit(prototask) and self._tasks.fit(task, prototask, dataset)

    @cached_property
    def _prototask(self) -> _Patterns:
        return _Patterns(self.prototask)

    @cached_property
    def _tasks(self) -> _Patterns:
        return _Patterns(self.tasks)

    @cached_property
    def _methods(self) -> _Patterns:
        return _Patterns(self.methods)


class _Patterns:
    """Shell patterns, made ready once for many names. A name that is written as it is fits whatever letters it has."""

    def __init__(self, patterns: Names) -> None:
        several = (patterns,) if isinstance(patterns, str) else tuple(patterns or ())
        self.all = patterns is None
        self.names = frozenset(several)
        self.shapes = [
            re.compile(translate(pattern)).match for pattern in several if _lead(pattern) != pattern
        ]

    def fit(self, *names: str) -> bool:
        """Whether some pattern fits some of the names."""
        return (
            self.all
            or not self.names.isdisjoint(names)
            or any(shape(name) for shape in self.shapes for name in names)
        )

    def may_fit_below(self, prototask: str) -> bool:
        """Whether some pattern may fit a task of a prototask, judged by what it begins with; False is certain."""
        begun = prototask + "/"
        return self.fit(prototask, _above(begun)[1]) or any(
            _lead(pattern).startswith(begun)
            or (begun.startswith(_lead(pattern)) and _lead(pattern) != pattern)
            for pattern in self.names
        )


def _lead(pattern: str) -> str:
    """What the names begin with that a pattern fits."""
    return re.split(r"[*?\[]", pattern, maxsplit=1)[0]


def _above(task: str) -> tuple[str, str]:
    """The prototask and the dataset of a task."""
    return task.rsplit("/", 1)[0], task.split("/", 1)[0]


class Archive:
    """A folder of runs. Nothing is read or made before it is needed, and a folder that is not there holds no runs.

    Two layers, read as one: ``runs/`` has an exact file for each run and is what a study writes to; beside it, one
    compact file per prototask and method with losses rounded as ``archive.quantization`` says, the test cases once per
    prototask, and ``manifest.json`` with the digest of every compact file. A run in ``runs/`` goes before its compact
    counterpart.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Archive({str(self.path)!r})"

    # -- reading ------------------------------------------------------------------------------------------------------

    def records(
        self, *, prototask: Names = None, tasks: Names = None, methods: Names = None
    ) -> pl.DataFrame:
        """The records of the runs, one row each (``RECORD_SCHEMA``), with this folder in the column ``archive``."""
        frame, _ = self.read(Choice(prototask, tasks, methods), records_only=True)
        return frame.with_columns(archive=pl.lit(str(self.path)))

    def sound_records(self, choice: Choice) -> tuple[pl.DataFrame, list[Path]]:
        """The records of the runs meant, in no order, after damaged files of single runs were set aside, and what these
        are now called."""
        aside: list[Path] = []
        loose = store.read_runs(self._loose(choice), list(RECORD_SCHEMA), aside)
        return self._with_packed(loose, choice), aside

    def losses(
        self,
        *,
        prototask: Names = None,
        tasks: Names = None,
        methods: Names = None,
        code: Names = None,
        role: Names = HELD_OUT,
    ) -> pl.DataFrame:
        """The case losses of the runs that went well, one row a case, run and loss.

        Args:
            prototask: pattern of the prototask, for example "kin-8nm-sim/dist"; None for all, as everywhere here.
            tasks: one or more patterns of the task, for example "kin-8nm-sim/dist/std.*".
            methods: one or more patterns of the method.
            code: one or more codes of losses.
            role: of the cases: "held_out" (the default), and of folds "training" and "full" (trained on all cases);
                None for all of them, which no statistic takes.

        Returns:
            A frame with columns method, task, instance, case (position in the dataset), loss, value, digest, role and
            design. Of all runs (no prototask, tasks or methods), texts are of type Enum: a fourth of the memory.

        Raises:
            MissingData: the roles of some cases are known only with published data that is not available.
            FaultyInput: ``role`` is none of the three.
        """
        _, blocks = self.read(Choice(prototask, tasks, methods), code)
        return long_frame(blocks, role, enums=prototask is tasks is methods is None)

    def read(
        self, choice: Choice, codes: Names = None, *, records_only: bool = False
    ) -> tuple[pl.DataFrame, list[Block]]:
        """The records of the runs meant, and their losses of these codes, a block for each run and code.

        A loss that a run does not have is computed where its prediction was kept (``archive.store``).
        """
        loose = store.read_runs(self._loose(choice), list(RECORD_SCHEMA) if records_only else None)
        if records_only:
            return in_order(self._with_packed(loose, choice)), []
        records = [loose.select(list(RECORD_SCHEMA))]
        blocks = [*store.run_blocks(loose, codes), *store.computed_blocks(self.path, loose, codes)]
        files = self._compact(choice).items()
        for prototask, group in groupby(files, key=lambda file: file[0][0]):
            packed = pl.concat([compact.read_packed(self.path, path) for _, path in group])
            packed = choice.of(packed).join(loose, on=KEY, how="anti")
            records.append(packed.select(list(RECORD_SCHEMA)))
            blocks += compact.packed_blocks(
                packed, compact.need_cases(self.path, prototask, packed), codes
            )
        return in_order(pl.concat(records)), blocks

    def prediction(self, record: Mapping[str, Any]) -> Predictive | None:
        """The prediction of the run with this record, on the original scale; None when it was not kept."""
        return store.read_prediction(self.path, record)

    def pairs(self, choice: Choice | None = None) -> list[tuple[str, str]]:
        """The pairs of prototask and method there are runs of."""
        choice = choice or Choice()
        loose = {
            (key.task.rsplit("/", 1)[0], key.method)
            for path in self._loose(choice)
            for key in [store.key_of(self.path, path)]
        }
        return sorted(loose | set(self._compact(choice)))

    def files_meant(self, choice: Choice) -> list[Path]:
        """The compact files that hold runs that are meant: these are the same when each of them is."""
        return list(self._compact(choice).values())

    def packed_runs(self, prototask: str, method: str) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The runs of a method on a prototask in compact form, and the sets of test cases they refer to."""
        loose = store.read_runs(self._loose(Choice(prototask, None, method)))
        frame, cases = compact.pack_runs(loose)
        path = compact.packed_path(self.path, prototask, method)
        if path.exists():
            text = compact.read_packed(self.path, path).join(frame, on=KEY, how="anti")
            needed = compact.need_cases(self.path, prototask, text)
            frame = pl.concat([text.select(list(PACKED_SCHEMA)), frame])
            cases = pl.concat([cases, compact.cases_frame(needed)]).unique("key")
        return in_order(frame), cases

    def manifest(self) -> dict[str, Any]:
        """What ``manifest.json`` says: the format, and for every compact file its digests, rows and bytes.

        Raises:
            BenchbookError: it cannot be read, or a newer benchbook wrote it.
        """
        return copy.deepcopy(dict(compact.read_manifest(self.path)))

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, result: RunResult, keep_prediction: bool = False) -> Path:
        """Keep one run, exactly, in place of what was kept of the same method, task and instance; and what it
        predicted, if that is to be kept."""
        return store.write_run(self.path, result, keep_prediction)

    def publish(
        self,
        source: Archive | str | Path,
        *,
        prototask: Names = None,
        tasks: Names = None,
        methods: Names = None,
    ) -> dict[str, Any]:
        """Gather runs of another archive into the compact files of this one, in place of its own of the same key.

        Returns:
            The new manifest.

        Raises:
            BenchbookError: another process is writing here, or nothing can be written here.
        """
        source = source if isinstance(source, Archive) else Archive(source)
        choice = Choice(prototask, tasks, methods)
        ensure_writable(self.path)
        with locked(self.path, "publishing runs"):
            return self._gather(source, choice)

    def verify(
        self,
        run: verification.Run,
        sample: int | None = 10,
        rng: np.random.Generator | None = None,
        progress: bool = True,
    ) -> pl.DataFrame:
        """Check the digests of the files and run a sample of the archived runs again; see ``archive.verify``.

        Args:
            run: what runs them, ``studies.run_one``.
        """
        return verification.verify(self, run, sample, rng, progress)

    def _gather(self, source: Archive, choice: Choice) -> dict[str, Any]:
        """Write the compact files: the index away first, test cases before runs, and the manifest last, so that a
        reader never misses anything."""
        manifest, written = self.manifest(), {}
        known, pairs = index.read(self.path), source.pairs(choice)
        index.remove(self.path)
        for prototask, method in pairs:
            frame, cases = source.packed_runs(prototask, method)
            frame = self._merged(prototask, method, choice.of(frame))
            paths = [
                compact.add_cases(self.path, prototask, cases),
                compact.write_packed(self.path, prototask, method, frame),
            ]
            written[prototask, method] = frame.select(list(RECORD_SCHEMA))
            for path in paths:
                manifest["files"][path.relative_to(self.path).as_posix()] = compact.file_entry(path)
        records = self._records_beside(written, known)
        manifest[index.ENTRY] = index.write(
            self.path, pl.concat([records, *written.values()]), manifest["files"]
        )
        return compact.write_manifest(self.path, manifest)

    def _records_beside(
        self, written: Collection[tuple[str, str]], known: pl.DataFrame | None
    ) -> pl.DataFrame:
        """The records in the compact files of other pairs of prototask and method than those just written."""
        if known is None:
            return self._records_of(
                path
                for pair, path in compact.packed_files(self.path).items()
                if pair not in written
            )
        return known.filter(
            [
                (task.rsplit("/", 1)[0], method) not in written
                for task, method in known.select("task", "method").iter_rows()
            ]
        )

    def _merged(self, prototask: str, method: str, frame: pl.DataFrame) -> pl.DataFrame:
        path = compact.packed_path(self.path, prototask, method)
        if not path.exists():
            return frame
        return in_order(
            pl.concat([compact.read_packed(self.path, path).join(frame, on=KEY, how="anti"), frame])
        )

    def _loose(self, choice: Choice) -> list[Path]:
        keys = ((path, store.key_of(self.path, path)) for path in store.run_files(self.path))
        return sorted(path for path, key in keys if choice.takes(key.method, key.task))

    def _compact(self, choice: Choice) -> dict[tuple[str, str], Path]:
        """The compact files that hold runs that are meant, by prototask; without an index, those that may hold some."""
        known = index.read(self.path)
        self._say(choice)
        if known is None:
            files = compact.packed_files(self.path)
            return {pair: files[pair] for pair in sorted(files) if choice.may_take(*pair)}
        runs = choice.of(known.select("task", "method").unique()).iter_rows()
        pairs = sorted({(task.rsplit("/", 1)[0], method) for task, method in runs})
        return {pair: compact.packed_path(self.path, *pair) for pair in pairs}

    def _with_packed(self, loose: pl.DataFrame, choice: Choice) -> pl.DataFrame:
        """The records of loose runs, and of the compact ones that these do not stand for."""
        packed = index.read(self.path)
        self._say(choice)
        if packed is None:
            packed = self._records_of(self._compact(choice).values())
        return pl.concat([loose, choice.of(packed).join(loose, on=KEY, how="anti")])

    def _say(self, choice: Choice) -> None:
        """Which runs were asked for, for who wants to know when the answer changes: see ``files_meant``."""
        sys.audit(
            "benchbook.archive",
            json.dumps([str(self.path), choice.prototask, choice.tasks, choice.methods]),
        )

    def _records_of(self, files: Iterable[Path]) -> pl.DataFrame:
        """The records in compact files."""
        frames = [compact.read_packed(self.path, path, list(RECORD_SCHEMA)) for path in files]
        return pl.concat([pl.DataFrame(schema=RECORD_SCHEMA), *frames])
