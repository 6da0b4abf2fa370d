"""A task in DELVE's own directory layout, for programs in any language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, losses
from benchbook.datasets import Dataset
from benchbook.datasets.readers.spec import (
    DatasetSpec,
    PrototaskSpec,
    format_dataset_spec,
    format_prototask_spec,
)
from benchbook.errors import Undefined
from benchbook.files import atomic
from benchbook.progress import bar
from benchbook.tasks.cases import Cases
from benchbook.tasks.declaration import Prototask
from benchbook.tasks.delve.exchange import write_instance, write_numbers, write_text
from benchbook.tasks.encoding import coding_line, coding_used, normalization, word
from benchbook.tasks.recoding import recoded
from benchbook.tasks.registry import prototask
from benchbook.tasks.scorer import Scorer, all_test_targets
from benchbook.tasks.task import Task
from benchbook.tasks.task_instance import TaskInstance, check_number


def write_dataset(folder: Path, data: Dataset) -> None:
    """Write ``Dataset.spec`` and ``Dataset.data``: one case a line, blank-separated, ``?`` for a missing value."""
    card = data.card
    spec = DatasetSpec(card.title, card.origin, card.usage, "uninformative", card.attributes)
    write_text(folder / "Dataset.spec", format_dataset_spec(spec))
    _write_cases(folder / "Dataset.data", data.cases)


def write_prototask(folder: Path, data: Dataset, cases: Cases) -> None:
    """Write ``Prototask.spec``, ``Prototask.data`` (inputs, then the target, in the prototask's order), ``std.prior``,
    and ``Random-order`` (positions in Dataset.data from 0, one a line) unless the order is retained.

    DELVE knows one greatest number of instances for all sizes; where there are several the largest is written.
    """
    prototask, card = cases.prototask, data.card
    limits = prototask.maximum_instances
    spec = PrototaskSpec(
        cases=prototask.cases,
        origin=card.origin,
        order="retain" if prototask.order == "retain" else "Random-order",
        inputs=tuple(card[name].index for name in prototask.inputs),
        targets=(card[prototask.target].index,),
        maximum_instances=max(limits.values()) if isinstance(limits, Mapping) else limits,
        test_set_size=prototask.test_set_size,
        training_set_sizes=prototask.training_set_sizes,
        test_set_selection=prototask.test_set_selection,
    )
    write_text(folder / "Prototask.spec", format_prototask_spec(spec))
    names = [*prototask.inputs, prototask.target]
    _write_cases(folder / "Prototask.data", data.cases[cases.order].select(names))
    write_text(folder / "std.prior", "".join(_prior(cases, name) for name in names))
    if spec.order != "retain":
        write_text(folder / "Random-order", "".join(f"{position}\n" for position in cases.order))


def _prior(cases: Cases, name: str) -> str:
    """One line of the prior file: attribute, level (always 0 here), encoding, options."""
    coding = cases.codings[name]
    return f"{word(name)} 0{coding_line(coding).removeprefix(word(name))}\n"


def _write_cases(path: Path, frame: pl.DataFrame) -> None:
    """Whole numbers are written as such; other numbers with the fewest digits that read back exactly."""
    whole = [
        name
        for name in frame.columns
        if frame[name].dtype == pl.Float64 and _are_integers(frame[name])
    ]
    with atomic(path) as scratch:
        frame.with_columns(pl.col(whole).cast(pl.Int64)).write_csv(
            scratch, separator=" ", include_header=False, null_value="?", quote_style="never"
        )


def _are_integers(values: pl.Series) -> bool:
    known = values.drop_nulls().to_numpy()
    return bool(np.all((known == np.floor(known)) & (np.abs(known) < 2**53)))


def write_descriptions(folder: Path, prototask: Prototask, cases: Cases) -> None:
    """Write the files of a prototask and its dataset below ``folder``, which stands for DELVE's ``data``."""
    data = datasets.load(prototask.dataset)
    write_dataset(folder / prototask.dataset, data)
    write_prototask(folder / prototask.path, data, cases)


_LETTERS = ("A", "S", "L", "Z", "Q")
_LETTERS_OF = {"real": ("A", "S", "L"), "class": ("L", "Z", "Q")}


def export(
    path: str,
    folder: str | Path,
    sizes: Iterable[int] | None = None,
    instances: Sequence[int] | None = None,
    encoding: str = "",
) -> list[Path]:
    """Write tasks of a prototask as DELVE keeps them.

    The root is ``folder`` when its name starts with "delve", as DELVE demands, else ``folder/delve-benchbook``; it gets
    ``data/`` and ``methods/``. In ``data/<dataset>``: Dataset.spec, Dataset.data. In ``<prototask>`` below it:
    Prototask.spec, Prototask.data, std.prior, and Random-order unless the order is retained. In each task's folder,
    for every instance i: train.i (inputs, then the target), test.i (inputs), targets.i, normalize.i; and Coding-used
    and Test-set-stats. Numbers have the fewest digits that read back exactly. Class targets are indices from 0.

    Args:
        path: the prototask, for example ``kin-8nm-sim/dist``.
        folder: where to write.
        sizes: training-set sizes; by default all of the prototask.
        instances: instances to write, where a task has them; by default all.
        encoding: in place of the tasks' own, "copy" for raw values (``tasks.encoding_text``).

    Returns:
        The folder of each task.

    Raises:
        UnknownName: no such prototask.
        FaultyInput: the encoding does not suit the attributes.
        BenchbookError: no such size or instance, or a folder that cannot be written to.
    """
    chosen = prototask(path)
    tasks = [Task(chosen, size) for size in (chosen.training_set_sizes if sizes is None else sizes)]
    counts = [task.split().instances for task in tasks]
    for number in instances or ():
        check_number(tasks[counts.index(max(counts))].name, max(counts), number)
    root = Path(folder)
    root = root if root.name.startswith("delve") else root / "delve-benchbook"
    write_descriptions(root / "data", chosen, tasks[0].cases)
    (root / "methods").mkdir(exist_ok=True)
    written = [
        [number for number in (range(count) if instances is None else instances) if number < count]
        for count in counts
    ]
    return [
        _write_task(root / "data" / task.name, task, numbers, encoding)
        for task, numbers in zip(tasks, written, strict=True)
        if numbers
    ]


def _write_task(folder: Path, task: Task, numbers: Sequence[int], encoding: str) -> Path:
    for number in bar(numbers, label=f"writing {task.name}", unit="instance"):
        instance = recoded(task, number, encoding)
        write_instance(instance, folder)
        write_numbers(folder / f"targets.{number}", _encoded_targets(instance))
        write_text(folder / f"normalize.{number}", normalization(instance.encoding))
    write_text(folder / "Coding-used", coding_used(instance.encoding))
    write_text(folder / "Test-set-stats", _test_set_stats(task))
    return folder


def _encoded_targets(instance: TaskInstance) -> NDArray:
    targets = Scorer(instance.task, instance.number).targets
    if instance.kind == "class":
        return targets
    return instance.encoding.target.encode(targets)[:, 0]


def _test_set_stats(task: Task) -> str:
    """The standardising constants, a letter a line; ``undefined`` for a loss that does not apply, or has no constant.

    That of L is written as DELVE adds it to a mean loss: the negative of what ``standard`` subtracts.
    """
    targets = all_test_targets(task.name)
    lines = []
    for letter in _LETTERS:
        try:
            value = (
                losses.get(letter).standard(targets)
                if letter in _LETTERS_OF[task.prototask.kind]
                else None
            )
        except Undefined:
            value = None
        lines.append(
            f"{letter} {'undefined' if value is None else repr(-value if letter == 'L' else value)}\n"
        )
    return "".join(lines)
