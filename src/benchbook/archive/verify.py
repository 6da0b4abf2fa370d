"""Verifying an archive: are the files what the manifest says, and do the runs come out the same when done again?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import apart, datasets, methods, seeds, tasks
from benchbook.archive import compact_files as compact
from benchbook.archive import index, records, store
from benchbook.archive.frames import KEY
from benchbook.archive.quantization import PACKED_FIELDS, from_row, rounding, unpack_run
from benchbook.archive.records import RunKey, RunResult
from benchbook.errors import BenchbookError
from benchbook.methods import settings
from benchbook.methods.extras import LACKING
from benchbook.progress import bar

if TYPE_CHECKING:
    from benchbook.archive.archive import Archive

TOLERANCE = 1e-6
"""Relative to the size of a loss and to the mean size of the losses of the run, beside the rounding of the archive."""

REPORT_SCHEMA: dict[str, pl.DataType] = {
    "kind": pl.String(),
    "name": pl.String(),
    "verdict": pl.String(),
    "ok": pl.Boolean(),
    "detail": pl.String(),
}
"""Columns of a report: a file or a run, the verdict in words, whether it is good (null when it could not be told)."""

Line = dict[str, Any]
Run = Callable[[RunKey, int, str, Sequence[str]], RunResult]
"""What runs a method on a task instance, with a seed, for a study, with these losses: ``studies.run_one``."""
Verdict = tuple[str, bool | None, str]
"""The verdict on a run in words, whether it is good (None when it cannot be told here), and the detail."""


@dataclass(frozen=True)
class Stored:
    """An archived run as it is read: its record, cases [J], losses [J] by code, and how far each may be rounded."""

    record: dict[str, Any]
    case_ids: NDArray[np.int64]
    losses: dict[str, NDArray[np.float64]]
    rounded: dict[str, NDArray[np.float64]]

    @property
    def key(self) -> RunKey:
        return RunKey(self.record["method"], self.record["task"], self.record["instance"])


def verify(
    archive: Archive,
    run: Run,
    sample: int | None = 10,
    rng: np.random.Generator | None = None,
    progress: bool = True,
) -> pl.DataFrame:
    """Check every compact file against the manifest, and run a sample of the runs that went well again.

    A run is "the same" when every case loss agrees within the rounding of the archive and one millionth. A run that was
    made on another processor or with other libraries may differ, because a sampled chain or a long training magnifies
    the last bit. Where this processor has AVX-512, a run that differs is run again without it; if it then agrees, it is
    "the same", and the detail says so. Otherwise, a run made elsewhere that differs is "different, made elsewhere",
    which is neither right nor wrong, with both means of the losses.
    A run is "of another task" when the digest of its task instance is not today's; such runs are not to be compared
    with new ones.

    Args:
        archive: the archive.
        run: what runs them again.
        sample: how many runs are done again, drawn without replacement; None for all.
        rng: what draws them; the same ones every time when left out.
        progress: show a bar on a terminal.

    Returns:
        A frame with columns kind, name, verdict, ok (null when it cannot be told here) and detail.
    """
    lines = list(_file_lines(archive))
    keys, unreadable = _keys(archive)
    lines += unreadable
    rng = rng or seeds.generator(0, "verify")
    count = len(keys) if sample is None else min(sample, len(keys))
    chosen = (
        [keys[index] for index in sorted(rng.choice(len(keys), size=count, replace=False))]
        if count
        else []
    )
    for key in bar(chosen, label="verify", unit="run") if progress else chosen:
        try:
            verdict, fine, detail = _judged_here(stored_run(archive, key), run)
        except BenchbookError as error:
            verdict, fine, detail = "cannot be read", False, str(error)
        lines.append(_line("run", str(key), verdict, fine, detail))
    return pl.DataFrame(lines, schema=REPORT_SCHEMA)


def stored_run(archive: Archive, key: RunKey) -> Stored:
    """One archived run, from the layer that counts.

    Raises:
        BenchbookError: there is no such run, or its file is damaged.
    """
    try:
        row = store.read_run(store.run_path(archive.path, key)).row(0, named=True)
    except FileNotFoundError:
        return _stored_compactly(archive, key)
    losses = {
        code: np.asarray(values) for code, values in zip(row["codes"], row["losses"], strict=True)
    }
    exact = {code: np.zeros(len(values)) for code, values in losses.items()}
    return Stored(row, np.asarray(row["cases"], dtype=np.int64), losses, exact)


def _stored_compactly(archive: Archive, key: RunKey) -> Stored:
    prototask = key.task.rsplit("/", 1)[0]
    path = compact.packed_path(archive.path, prototask, key.method)
    if not path.exists():
        raise BenchbookError(f"{archive.path} has no run of {key}")
    frame = compact.read_packed(archive.path, path).filter(task=key.task, instance=key.instance)
    if not len(frame):
        raise BenchbookError(f"{archive.path} has no run of {key}")
    return _unpacked(frame.row(0, named=True), compact.need_cases(archive.path, prototask, frame))


def _unpacked(row: Line, cases: Mapping[str, NDArray[np.int64]]) -> Stored:
    packed = from_row([row[name] for name in PACKED_FIELDS])
    losses = unpack_run(packed)
    rounded = {item.code: rounding(item, losses[item.code]) for item in packed}
    return Stored(row, cases.get(row["cases"], np.zeros(0, dtype=np.int64)), losses, rounded)


def stored_runs(archive: Archive, prototask: str, method: str) -> dict[RunKey, Stored]:
    """All runs of one method on one prototask, each from the layer that counts; every file is read once.

    Raises:
        BenchbookError: a file is damaged.
    """
    runs: dict[RunKey, Stored] = {}
    path = compact.packed_path(archive.path, prototask, method)
    if path.exists():
        frame = compact.read_packed(archive.path, path)
        cases = compact.need_cases(archive.path, prototask, frame)
        for row in frame.iter_rows(named=True):
            item = _unpacked(row, cases)
            runs[item.key] = item
    for task, number in (
        archive.records(prototask=prototask, methods=method).select("task", "instance").iter_rows()
    ):
        key = RunKey(method, task, number)
        if key not in runs or store.run_path(archive.path, key).exists():
            runs[key] = stored_run(archive, key)
    return runs


def _keys(archive: Archive) -> tuple[list[RunKey], list[Line]]:
    """The runs that went well, and a line for every prototask and method whose files are damaged."""
    keys, lines = [], []
    for prototask, method in archive.pairs():
        try:
            good = archive.records(prototask=prototask, methods=method).filter(status="ok")
        except BenchbookError as error:
            lines.append(
                _line("run", f"{method} on {prototask}", "cannot be read", False, str(error))
            )
            continue
        keys += [RunKey(*row) for row in good.select(KEY).iter_rows()]
    return keys, lines


def _line(kind: str, name: str, verdict: str, ok: bool | None, detail: str = "") -> Line:
    return {"kind": kind, "name": name, "verdict": verdict, "ok": ok, "detail": detail}


# -- files ------------------------------------------------------------------------------------------------------------


def _file_lines(archive: Archive) -> Iterator[Line]:
    listed = archive.manifest()["files"]
    for name, entry in listed.items():
        path = archive.path / name
        if not path.exists():
            yield _line(
                "file",
                name,
                "missing",
                False,
                "the manifest lists it; take the archive from its source again",
            )
        elif hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
            yield _line("file", name, "altered", False, _difference(path, entry))
        else:
            yield _line("file", name, "intact", True)
    for path in compact.packed_files(archive.path).values():
        name = path.relative_to(archive.path).as_posix()
        if name not in listed:
            yield _line(
                "file", name, "not listed", False, "the manifest does not know it; publish it again"
            )
    if index.ENTRY in archive.manifest():
        good = index.read(archive.path) is not None
        yield _line(
            "file",
            index.FILE,
            "intact" if good else "not used",
            good,
            ""
            if good
            else "it is not of the files that are there; publish any runs to make it again",
        )


def _difference(path: Path, entry: Line) -> str:
    try:
        same = compact.file_entry(path)["content"] == entry["content"]
    except BenchbookError as error:
        return str(error)
    return "only its compression differs" if same else "its content is not what was published"


# -- runs -------------------------------------------------------------------------------------------------------------


def _judged(stored: Stored, run: Run) -> Verdict:
    """The verdict on one archived run, whether it is good, and the detail."""
    key = stored.key
    if key.task not in tasks.available():
        return "of an unknown task", False, f"there is no task {key.task} any more"
    if unknown := _unknown(key.method):
        return "method unknown", None, unknown
    dataset = tasks.get(key.task).prototask.dataset
    if not datasets.at_hand(dataset):
        return "data not at hand", None, f"see `benchbook datasets show {dataset}`"
    if tasks.instance(key.task, key.instance).digest != stored.record["digest"]:
        return (
            "of another task",
            False,
            "the definition or the data of the task has changed since; run it again",
        )
    codes = tuple(stored.record["asked"].split())
    return _compared(stored, run(key, stored.record["seed"], stored.record["study"], codes))


def _judged_here(stored: Stored, run: Run) -> Verdict:
    """As ``_judged``; a run that differs is run again as on a processor without AVX-512, if this one has it."""
    verdict, fine, detail = _judged(stored, run)
    if not verdict.startswith("different"):
        return verdict, fine, detail
    what = f"running {stored.key} again"
    for how, environment in narrower().items():
        again = apart.returned(what, _judged, stored, run, environment=environment)
        if again[1]:
            return again[0], True, "; ".join(filter(None, [how, again[2]]))
    return verdict, fine, detail


def narrower() -> dict[str, dict[str, str]]:
    """Variables of the environment that keep libraries from AVX-512, by what they do; empty where there is none.

    Two kinds of machines made the archive: without AVX-512, and with it but with OpenBLAS's kernels for AVX2, which
    it calls Haswell.
    """
    if records.vector_instructions() != "AVX-512":
        return {}
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    blas = {"OPENBLAS_CORETYPE": "Haswell"}
    wide = " ".join(name for name in found if "512" in name or name == "X86_V4")
    numba = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
    return {
        "with OpenBLAS's kernels for AVX2": blas,
        "without AVX-512": blas | numba | {"NPY_DISABLE_CPU_FEATURES": wide},
    }


def _unknown(name: str) -> str:
    """Why a method, or a variant of one, is not registered here; empty when it is. Nobody's own file is looked into."""
    try:
        if settings.split(name)[0] in methods.available():
            methods.get(name)
            return ""
    except BenchbookError as error:
        return str(error)
    return f"{name} is not registered here, so it cannot be run again"


def _compared(stored: Stored, again: RunResult) -> Verdict:
    edited = (
        ""
        if methods.identity(stored.key.method) == stored.record["identity"]
        else "; the method's file has changed since"
    )
    if again.record["status"] != "ok":
        if LACKING in again.record["error"]:
            return "library not at hand", None, again.record["error"]
        return "fails now", False, again.record["error"] + edited
    if not np.array_equal(again.case_ids, stored.case_ids):
        return "different", False, "the test cases are not the same" + edited
    if set(again.losses) != set(stored.losses):
        return (
            "different",
            False,
            f"losses {sorted(again.losses)}, archived {sorted(stored.losses)}{edited}",
        )
    for code, new in again.losses.items():
        off = off_by(stored.losses[code], new, stored.rounded[code])
        if off.any():
            elsewhere = _elsewhere(stored.record, again.record)
            if elsewhere:
                return (
                    "different, made elsewhere",
                    None,
                    (
                        f"{elsewhere}; mean of loss {code}: archived {stored.losses[code].mean():.6g}, now "
                        f"{new.mean():.6g}{edited}"
                    ),
                )
            worst = int(np.argmax(np.where(off, np.abs(new - stored.losses[code]), -1.0)))
            return (
                "different",
                False,
                (
                    f"loss {code} of {off.sum()} of {len(off)} cases; case {stored.case_ids[worst]}: archived "
                    f"{stored.losses[code][worst]:.6g}, now {new[worst]:.6g}{edited}"
                ),
            )
    return "the same", True, edited.removeprefix("; ")


def _elsewhere(stored: Line, again: Line) -> str:
    """What the archived run was made with, where that is not what there is here; empty when all is the same."""
    # Older records tell the model alone; all kinds of one model have been tried where there is AVX-512.
    tried = {again["cpu"]} | ({records.processor_model()} if narrower() else set())
    if stored["cpu"] not in tried:
        return f"made on {stored['cpu']}, here is {again['cpu']}"
    then, now = json.loads(stored["libraries"]), json.loads(again["libraries"])
    other = [f"{name} {version}" for name, version in then.items() if now.get(name) != version]
    return f"made with {', '.join(other)}" if other else ""


def off_by(
    archived: NDArray[np.float64], new: NDArray[np.float64], rounded: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """[J] whether each archived loss is further from the new one than rounding allows, and ``TOLERANCE``."""
    finite = np.abs(new[np.isfinite(new)])
    allowed = rounded + TOLERANCE * (np.abs(new) + (finite.mean() if len(finite) else 0.0))
    with np.errstate(invalid="ignore"):
        return ~((archived == new) | (np.abs(archived - new) <= allowed))
