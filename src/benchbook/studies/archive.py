"""An archive: a folder with the records and the case losses of runs, in a loose and in a compact layer, read as one."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Collection, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import polars as pl

from benchbook.files import ensure_writable
from benchbook.studies import index, predictions, store
from benchbook.studies import manifest as manifests
from benchbook.studies import packed as compact
from benchbook.studies import verify as verification
from benchbook.studies.frames import KEY, Block, Choice, Names, in_order, long_frame
from benchbook.studies.lock import locked
from benchbook.studies.packed import PACKED_SCHEMA
from benchbook.studies.records import RECORD_SCHEMA
from benchbook.studies.runs import RunKey, RunResult


class Archive:
    """A folder of runs. Nothing is read or made before it is needed, and a folder that is not there holds no runs.

    Two layers, read as one: ``runs/`` has an exact file for each run and is what a study writes to; beside it, one
    compact file per prototask and method with losses rounded as ``studies.packing`` says, the test cases once per
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
        """The records of the runs meant, after damaged files of single runs were set aside, and what these are now
        called."""
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
    ) -> pl.DataFrame:
        """The case losses of the runs that went well, one row a case, run and loss.

        Args:
            prototask: pattern of the prototask, for example "kin-8nm-sim/dist"; None for all, as everywhere here.
            tasks: one or more patterns of the task, for example "kin-8nm-sim/dist/std.*".
            methods: one or more patterns of the method.
            code: one or more codes of losses.

        Returns:
            A frame with columns method, task, instance, case (position in the dataset), loss, value and digest.
        """
        _, blocks = self.read(Choice(prototask, tasks, methods), code)
        return long_frame(blocks)

    def read(
        self, choice: Choice, codes: Names = None, *, records_only: bool = False
    ) -> tuple[pl.DataFrame, list[Block]]:
        """The records of the runs meant, and their losses of these codes, a block for each run and code.

        A loss that a run does not have is computed where its prediction was kept (``studies.predictions``).
        """
        loose = store.read_runs(self._loose(choice), list(RECORD_SCHEMA) if records_only else None)
        if records_only:
            return self._with_packed(loose, choice), []
        records = [loose.select(list(RECORD_SCHEMA))]
        blocks = [*store.run_blocks(loose, codes), *self._computed(loose, codes)]
        files = self._compact(choice).items()
        for prototask, group in groupby(files, key=lambda file: file[0][0]):
            packed = pl.concat([compact.read_packed(self.path, path) for _, path in group])
            packed = choice.of(packed).join(loose, on=KEY, how="anti")
            records.append(packed.select(list(RECORD_SCHEMA)))
            blocks += compact.packed_blocks(
                packed, compact.need_cases(self.path, prototask, packed), codes
            )
        return in_order(pl.concat(records)), blocks

    def _computed(self, loose: pl.DataFrame, codes: Names) -> list[Block]:
        """The losses of these codes that loose runs do not have, as far as their predictions were kept."""
        wanted = [codes] if isinstance(codes, str) else list(codes or ())
        if not wanted or not (self.path / store.PREDICTIONS).is_dir():
            return []
        return [
            Block(
                row["method"],
                row["task"],
                row["instance"],
                row["digest"],
                code,
                np.asarray(row["cases"], dtype=np.int64),
                values,
            )
            for row in loose.drop("losses").iter_rows(named=True)
            if not set(wanted) <= set(row["asked"].split())
            for code, values in predictions.computed(self.path, row, wanted).items()
        ]

    def pairs(self, choice: Choice | None = None) -> list[tuple[str, str]]:
        """The pairs of prototask and method there are runs of."""
        choice = choice or Choice()
        loose = {
            (key.task.rsplit("/", 1)[0], key.method)
            for key in map(self._key_of, self._loose(choice))
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
        return copy.deepcopy(dict(manifests.read(self.path)))

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, result: RunResult) -> Path:
        """Keep one run, exactly, in place of what was kept of the same method, task and instance."""
        return store.write_run(self.path, result)

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

    def consolidate(self) -> dict[str, Any]:
        """Move the runs in ``runs/`` into the compact files, rounded, and return the new manifest.

        A run that is written while this goes on stays in ``runs/``.
        """
        ensure_writable(self.path)
        with locked(self.path, "consolidating"):
            taken = {
                path: state
                for path in store.run_files(self.path)
                if (state := store.file_state(path))
            }
            manifest = self._gather(self, Choice())
            for path, state in taken.items():
                store.remove_unchanged(path, state)
        return manifest

    def verify(
        self, sample: int | None = 10, rng: np.random.Generator | None = None, progress: bool = True
    ) -> pl.DataFrame:
        """Check the digests of the files and run a sample of the archived runs again; see ``studies.verify``."""
        return verification.verify(self, sample, rng, progress)

    def _gather(self, source: Archive, choice: Choice) -> dict[str, Any]:
        """Write the compact files: the index away first, test cases before runs, and the manifest last, so that a
        reader never misses anything."""
        manifest, written = self.manifest(), {}
        known, pairs = index.read(self.path), source.pairs(choice)
        index.remove(self.path)
        for prototask, method in pairs:
            frame, cases = source.packed_runs(prototask, method)
            frame = choice.of(frame)
            if source.path.resolve() != self.path.resolve():
                frame = self._merged(prototask, method, frame)
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
        return manifests.write(self.path, manifest)

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
        keys = ((path, self._key_of(path)) for path in store.run_files(self.path))
        return sorted(path for path, key in keys if choice.takes(key.method, key.task))

    def _compact(self, choice: Choice) -> dict[tuple[str, str], Path]:
        """The compact files that hold runs that are meant, by prototask; without an index, those that may hold some."""
        known = index.what(self.path)
        self._say(choice)
        if known is None:
            files = compact.packed_files(self.path)
            return {pair: files[pair] for pair in sorted(files) if choice.may_take(*pair)}
        runs = choice.of(known).iter_rows()
        pairs = sorted({(task.rsplit("/", 1)[0], method) for task, method in runs})
        return {pair: compact.packed_path(self.path, *pair) for pair in pairs}

    def _with_packed(self, loose: pl.DataFrame, choice: Choice) -> pl.DataFrame:
        """The records of loose runs, and of the compact ones that these do not stand for."""
        return in_order(
            pl.concat([loose, self._packed_records(choice).join(loose, on=KEY, how="anti")])
        )

    def _packed_records(self, choice: Choice) -> pl.DataFrame:
        known = index.read(self.path)
        self._say(choice)
        if known is None:
            known = self._records_of(self._compact(choice).values())
        return choice.of(known)

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

    def _key_of(self, path: Path) -> RunKey:
        """The key of the run in a file of the run store, read off its name."""
        *prototask, method, last = map(unquote, path.relative_to(self.path / store.FOLDER).parts)
        size, instance, _ = last.rsplit(".", 2)
        return RunKey(method, "/".join([*prototask, size]), int(instance))
