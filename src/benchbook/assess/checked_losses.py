"""Frames of losses, checked before statistics see them: held-out cases only, the same ones for every method."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import polars as pl

from benchbook.assess.designs import Design
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.folds import group_labels
from benchbook.words import listed

HELD_OUT = "held_out"


def refuse_training_cases(frame: pl.DataFrame, what: str) -> None:
    """Refuse losses of cases that a method was trained on; a frame without the column ``role`` passes.

    Args:
        frame: case losses, with a column ``role`` as ``studies.gather`` gives it.
        what: the statistic, for the message.

    Raises:
        FaultyInput: some rows are not of held-out cases, with the task and how many.
    """
    if "role" not in frame.columns:
        return
    wrong = frame.filter(pl.col("role").is_null() | (pl.col("role") != HELD_OUT))
    if wrong.is_empty():
        return
    by = ["task", "role"] if "task" in frame.columns else ["role"]
    faults = [
        Fault(
            f"task {row['task']}" if "task" in row else "losses",
            f"{row['len']} losses of cases with role {row['role']!r}",
            "losses of held-out cases alone; filter the frame by role == 'held_out'",
        )
        for row in wrong.group_by(by).len().sort(by).to_dicts()
    ]
    raise FaultyInput(what, faults)


def refuse_designs(frame: pl.DataFrame, what: str, valid: Collection[str], instead: str) -> None:
    """Refuse losses of a design for which a statistic is not valid; a frame without the column ``design`` passes.

    Args:
        frame: case losses, with a column ``design`` as ``studies.gather`` gives it; null where it is not known.
        what: the statistic. valid: the designs that it is valid for. instead: what to call.

    Raises:
        FaultyInput: some tasks have another design.
    """
    if "design" not in frame.columns:
        return
    wrong = frame.filter(~pl.col("design").is_in(list(valid))).select("task", "design").unique()
    if wrong.height:
        rule = f"a design of {', '.join(valid)}; training sets of the others overlap: {instead}"
        faults = [Fault(f"task {task}", design, rule) for task, design in wrong.sort("task").rows()]
        raise FaultyInput(what, faults)


KEYS = ("split", "row")
_ARCHIVED = {"instance": "split", "case": "row"}
"""Names of the archive for columns."""
_NEEDED = ("loss", "method", "split", "row", "role", "value")


def refuse_other_roles(frame: pl.DataFrame, what: str = "losses") -> None:
    """Refuse losses of cases that were not held out, and those that do not say.

    Raises:
        FaultyInput: there is no column ``role``, or it has anything but "held_out".
    """
    rule = f"losses of held-out cases only: filter(role={HELD_OUT!r})"
    if "role" not in frame.columns:
        columns = ", ".join(frame.columns)
        raise FaultyInput(
            what,
            [
                Fault(
                    "role",
                    f"no such column among {columns}",
                    "each loss needs the role of its case",
                )
            ],
            "Cases that a method was trained on look easier than they are. Add the column role, "
            f"{HELD_OUT!r} for cases that the fit did not see.",
        )
    roles = sorted(str(role) for role in frame["role"].unique().to_list())
    if roles and roles != [HELD_OUT]:
        raise FaultyInput(what, [Fault("role", ", ".join(map(repr, roles)), rule)])


def checked(losses: pl.DataFrame, design: Design, groups: object = None) -> pl.DataFrame:
    """The losses of held-out cases, sorted by loss (in the order of the input), method, split and row.

    A case of weight 0 is as good as absent, and left out.

    Raises:
        FaultyInput: a column is missing, another role, NaN or minus infinity, two losses for one case, methods with
            other cases, groups that are missing or of another length; all of them.
    """
    losses = _held_out(losses, design)
    columns = [name for name in (*_NEEDED, "weight") if name in losses.columns and name != "role"]
    data = losses.select(columns).with_columns(pl.col("value").cast(pl.Float64))
    faults = _wrong_groups(data, design, groups)
    if "weight" in data.columns:
        faults += _wrong_weights(data)
        data = data.filter(pl.col("weight").is_null() | (pl.col("weight") != 0))
    faults = _wrong_values(data) + faults
    parts = []
    for part in by_name(data, "loss").values():
        ordered = _in_order(part)
        faults += _wrong_cases(_by_seed(ordered) if design.runs == "own" else ordered)
        parts.append(ordered)
    if faults:
        raise FaultyInput("losses", faults)
    return parts[0] if len(parts) == 1 else pl.concat(parts)


def by_name(frame: pl.DataFrame, column: str) -> dict[str, pl.DataFrame]:
    """The rows of each name of a column, in the order of the frame; without a copy where they stand together."""
    names = frame[column].rle()
    values, lengths = names.struct.field("value"), names.struct.field("len")
    if values.n_unique() < len(values):
        return {
            str(name): part
            for (name,), part in frame.partition_by(
                column, maintain_order=True, as_dict=True
            ).items()
        }
    ends = lengths.cum_sum()
    return {
        str(name): frame.slice(end - length, length)
        for name, length, end in zip(values, lengths, ends, strict=True)
    }


def _in_order(part: pl.DataFrame) -> pl.DataFrame:
    """Sorted by method, split and row; methods with the keys of the first in the same order take its order."""
    frames = by_name(part, "method")
    keys = next(iter(frames.values())).select(KEYS)
    order = np.lexsort((keys["row"].to_numpy(), keys["split"].to_numpy()))
    sorted_already = bool((order[1:] > order[:-1]).all())
    parts = []
    for name in sorted(frames):
        frame = frames.pop(name)
        if not frame.select(KEYS).equals(keys):
            frame = frame.sort(KEYS)
        elif not sorted_already:
            frame = frame[order]
        parts.append(frame)
    return pl.concat(parts, rechunk=False)


def checked_instances(losses: pl.DataFrame, design: Design, groups: object = None) -> pl.DataFrame:
    """The losses of held-out cases of disjoint training sets, in the archive's columns and the order of the input.

    That all methods have the same instances and cases is left to the analysis of variance, which names the gaps.

    Raises:
        FaultyInput: a column is missing, another role, NaN or minus infinity, groups that are missing; all of them.
    """
    losses = _held_out(losses, design).with_columns(pl.col("value").cast(pl.Float64))
    faults = _wrong_values(losses) + _wrong_groups(losses, design, groups)
    if faults:
        raise FaultyInput("losses", faults)
    columns = ("task", "method", "loss", *KEYS, "value", "digest")
    known = [name for name in columns if name in losses.columns]
    return losses.select(known).rename({new: old for old, new in _ARCHIVED.items()})


def _held_out(losses: pl.DataFrame, design: Design) -> pl.DataFrame:
    """The frame with our names for its columns; refused without one of them, with other roles or another design."""
    names = {old: new for old, new in _ARCHIVED.items() if new not in losses.columns}
    losses = losses.rename(names, strict=False)
    missing = [name for name in _NEEDED if name not in losses.columns and name != "role"]
    if missing:
        faults = [Fault("columns", f"no {name}", f"{', '.join(_NEEDED)}") for name in missing]
        raise FaultyInput("losses", faults)
    refuse_other_roles(losses)
    _refuse_other_designs(losses, design)
    if losses.is_empty():
        raise FaultyInput("losses", [Fault("rows", "none", "at least two methods or cases")])
    return losses


def checked_folds(
    frame: pl.DataFrame, design: Design, cases: pl.DataFrame | None = None
) -> pl.DataFrame:
    """The losses of whole test sets that ``cases`` does not have, sorted like them.

    Raises:
        FaultyInput: a column is missing, another role, minus infinity, methods without the same splits; all of them.
    """
    needed = ("loss", "method", "split", "value")
    faults = [
        Fault("columns", f"no {name}", ", ".join(needed))
        for name in needed
        if name not in frame.columns
    ]
    if faults:
        raise FaultyInput("losses by fold", faults)
    if "role" in frame.columns:
        refuse_other_roles(frame, "losses by fold")
    known = [] if cases is None else cases["loss"].unique().to_list()
    data = frame.select(needed).filter(~pl.col("loss").is_in(known))
    data = data.with_columns(pl.col("value").cast(pl.Float64).fill_nan(None))
    parts = []
    for part in data.partition_by("loss", maintain_order=True):
        ordered = part.sort("method", "split")
        splits = [item["split"].to_list() for item in ordered.partition_by("method")]
        others = design.runs != "own" and any(split != splits[0] for split in splits)
        if others or any(len(set(split)) < len(split) for split in splits):
            where = f"loss {part['loss'][0]}"
            faults.append(Fault(where, "other splits", "each split once, the same for all methods"))
        faults += _wrong_values(ordered.drop_nulls("value"))
        parts.append(ordered)
    if faults:
        raise FaultyInput("losses by fold", faults)
    return pl.concat(parts) if parts else data


def split_by_dataset(
    losses: pl.DataFrame | None, fold_losses: pl.DataFrame | None, design: Design
) -> dict[str, tuple[Design, pl.DataFrame | None, pl.DataFrame | None]]:
    """By dataset its design, its losses of cases, and those of whole test sets.

    Raises:
        FaultyInput: no column ``dataset``, a dataset without a design, or without some of the methods; all of them.
    """
    frames = [frame for frame in (losses, fold_losses) if frame is not None]
    missing = [frame for frame in frames if "dataset" not in frame.columns]
    if missing:
        found = f"no such column among {', '.join(missing[0].columns)}"
        raise FaultyInput("losses", [Fault("dataset", found, "the dataset of each loss")])
    keys = pl.concat([frame.select("dataset", "loss", "method").unique() for frame in frames])
    keys = keys.with_columns(pl.col("dataset").cast(pl.String))
    every = set(keys.select("loss", "method").rows())
    parts, faults = {}, []
    for name in dict.fromkeys(str(name) for frame in frames for name in frame["dataset"]):
        own = design.within.get(name) if isinstance(design.within, Mapping) else design.within
        lacking = every - set(keys.filter(dataset=name).select("loss", "method").rows())
        if own is None:
            faults.append(Fault(f"dataset {name}", "no design", "within= has one for each dataset"))
        if lacking:
            text = listed([f"{method} by {loss}" for loss, method in sorted(lacking)[:3]])
            faults.append(Fault(f"dataset {name}", f"nothing of {text}", "all methods and losses"))
        part = [
            None
            if frame is None
            else frame.filter(pl.col("dataset").cast(pl.String) == name).drop("dataset")
            for frame in (losses, fold_losses)
        ]
        parts[name] = (own, *part)
    if faults:
        raise FaultyInput("losses", faults)
    return parts  # type: ignore[return-value]


def _refuse_other_designs(frame: pl.DataFrame, design: Design) -> None:
    """Refuse losses of several tasks, and those that say that they have another design."""
    faults = []
    if "task" in frame.columns and frame["task"].n_unique() > 1:
        names = ", ".join(map(str, sorted(frame["task"].unique().to_list())[:5]))
        faults.append(Fault("task", names, "the losses of one task at a time"))
    if "design" in frame.columns:
        known = {"folds": ("folds", "groups", "time")}
        others = frame["design"].drop_nulls().unique().to_list()
        faults += [
            Fault("design", repr(name), f"the losses of the design that was given: {design.kind}")
            for name in others
            if design.kind not in known.get(name, (name,))
        ]
    if faults:
        raise FaultyInput("losses", faults)


def _wrong_values(data: pl.DataFrame) -> list[Fault]:
    """NaN, null and minus infinity, by loss and method."""
    value = pl.col("value")
    wrong = value.is_null() | value.is_nan() | (value == -np.inf)
    counts = data.filter(wrong).group_by("loss", "method", maintain_order=True).len()
    rule = "each loss is a number; plus infinity is the one that may be infinite"
    return [
        Fault(f"loss {loss}, method {method}", f"{count} of NaN or minus infinity", rule)
        for loss, method, count in counts.rows()
    ]


def _wrong_weights(data: pl.DataFrame) -> list[Fault]:
    weight = pl.col("weight").cast(pl.Float64)
    wrong = data.filter(weight.is_null() | ~weight.is_finite() | (weight < 0.0)).height
    if wrong:
        return [Fault("weight", f"{wrong} that are negative or no numbers", "weights from 0")]
    empty = data.group_by("split").agg(weight.sum()).filter(pl.col("weight") == 0.0)
    return [
        Fault(f"split {split}", "weights that are all 0", "a test set needs some weight")
        for split in empty["split"].to_list()
    ]


def _wrong_groups(data: pl.DataFrame, design: Design, groups: object) -> list[Fault]:
    if groups is None:
        rule = f"the group of each case: its design keeps {design.groups} groups together"
        return [] if design.groups is None else [Fault("groups", "nothing", rule)]
    given, most = np.asarray(groups), int(data["row"].cast(pl.Int64).to_numpy().max())
    if given.ndim != 1 or len(given) <= most:
        return [Fault("groups", f"shape {given.shape}", f"one for each case, the last is {most}")]
    try:
        group_labels(given, len(given))
    except BenchbookError as error:
        return list(getattr(error, "faults", ())) or [Fault("groups", "labels", str(error))]
    return []


def _by_seed(part: pl.DataFrame) -> pl.DataFrame:
    """Every seed as a method of its own: of seeds of their own methods share the cases alone."""
    name = pl.format("{}, seed {}", "method", "split").alias("method")
    return part.with_columns(name, split=pl.lit(0))


def averaged_samples(losses: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """The losses with the mean over samples of the same case and fit in their place, and whether counts differ."""
    if "sample" not in losses.columns:
        return losses, False
    keys = [name for name in losses.columns if name not in ("sample", "value")]
    means = losses.group_by(keys, maintain_order=True).agg(pl.col("value").mean(), samples=pl.len())
    return means.drop("samples"), means["samples"].n_unique() > 1


def _wrong_cases(part: pl.DataFrame) -> list[Fault]:
    """Cases that occur twice, and methods with other cases than the first."""
    loss, faults, first = part["loss"][0], [], None
    for name, item in by_name(part, "method").items():
        keys = item.select(KEYS).to_numpy()
        where = f"loss {loss}, method {name}"
        if len(keys) > 1 and (keys[1:] == keys[:-1]).all(axis=1).any():
            faults.append(Fault(where, "a case twice in one split", "one loss for a case"))
        elif first is None:
            first = keys
        elif keys.shape != first.shape or (keys != first).any():
            text = f"{len(keys)} losses on other cases than those of {part['method'][0]}"
            faults.append(Fault(where, text, "all methods on the same cases of the same splits"))
    return faults
