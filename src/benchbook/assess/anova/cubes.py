"""From blocks of losses to an array [method, instance, case] for each task and loss, refusing what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.assess.anova.blocks import Blocks, RunLines, read_blocks
from benchbook.assess.anova.squares import Array, Scheme, check_scheme
from benchbook.assess.checked_losses import refuse_designs, refuse_training_cases
from benchbook.errors import Fault, FaultyInput

Schemes = str | Mapping[str, str] | None


@dataclass(frozen=True)
class Cube:
    """Losses of M methods on the same I instances and J cases of one task.

    Attributes:
        task, loss, scheme: what was asked, the loss's code, the test scheme.
        methods, instances: their names and numbers, in the order of the first two axes.
        left_out: the instances of the task that are not used, because a method has no losses there.
        case_ids: [I, J].
        losses: [M, I, J].
    """

    task: str
    loss: str
    scheme: Scheme
    methods: tuple[str, ...]
    instances: tuple[int, ...]
    left_out: tuple[int, ...]
    case_ids: NDArray[np.int64]
    losses: Array


@dataclass
class _Group:
    """The blocks of one task and loss, by method and instance."""

    task: str
    loss: str
    table: dict[str, dict[int, RunLines]]
    expected: int | None

    def __post_init__(self) -> None:
        known = {number for blocks in self.table.values() for number in blocks}
        self.all = sorted(known | set(range(self.expected or 0)))
        self.used = [
            number for number in self.all if all(number in blocks for blocks in self.table.values())
        ]

    @property
    def left_out(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.all) - set(self.used)))


def cubes(
    frame: pl.DataFrame,
    schemes: Schemes = None,
    *,
    on_common_instances: bool = False,
    instances: Mapping[str, int] | None = None,
) -> Iterator[Cube]:
    """One cube for every task and loss of a long frame, made one at a time after all of the frame was checked.

    Args:
        frame: losses as an archive gives them, columns method, task, instance, case, loss, value, digest.
        schemes: the test scheme, for all tasks or by task name; None takes it from the case ids: the same ones in every
            instance mean "common", different ones "hierarchical".
        on_common_instances: use the instances that every method has, instead of refusing when some are missing.
        instances: how many instances each task has, to notice those that every method lacks.

    Raises:
        FaultyInput: methods were not run on the same instances, digests or cases; all offenders are named.
    """
    refuse_training_cases(frame, "expected losses")
    refuse_designs(
        frame,
        "expected losses",
        ("disjoint", "common", "holdout", "partitions"),
        "use assess.by_design",
    )
    data = read_blocks(frame)
    groups = _grouped(data, instances or {})
    if not on_common_instances:
        _refuse_missing(groups)
    _refuse_empty(groups)
    orders = _same_cases(data, groups)
    _refuse_runs(groups)
    kinds = _schemes(data, groups, schemes, orders)
    for group, kind in zip(groups, kinds, strict=True):
        yield _cube(data, group, kind, orders)


def _grouped(data: Blocks, instances: Mapping[str, int]) -> list[_Group]:
    tables: dict[tuple[str, str], dict[str, dict[int, RunLines]]] = {}
    for block in data.blocks:
        tables.setdefault(block[:2], {}).setdefault(block.method, {})[block.instance] = block
    return [
        _Group(task, loss, table, instances.get(task)) for (task, loss), table in tables.items()
    ]


def _refuse_missing(groups: list[_Group]) -> None:
    faults = []
    for group in groups:
        for method, blocks in group.table.items():
            missing = [number for number in group.all if number not in blocks]
            if missing:
                numbers = ", ".join(map(str, missing))
                plural = "s" if len(missing) > 1 else ""
                faults.append(
                    Fault(
                        f"{group.task}, method {method}, loss {group.loss}",
                        f"nothing for instance{plural} {numbers}",
                        "every method needs every instance",
                    )
                )
    if faults:
        raise FaultyInput(
            "runs that are missing or failed",
            faults,
            "Run them again, or ask for the instances that all methods have: --common-instances, in "
            "Python on_common_instances=True.",
        )


def _refuse_empty(groups: list[_Group]) -> None:
    faults = [
        Fault(
            f"{group.task}, loss {group.loss}",
            "no instance that every method has",
            f"methods {', '.join(group.table)} need at least one in common",
        )
        for group in groups
        if not group.used
    ]
    if faults:
        raise FaultyInput(
            "runs that are missing or failed", faults, "Leave the method with the gaps out."
        )


def _refuse_runs(groups: list[_Group]) -> None:
    """Instances with one digest are runs on the same training cases: no sample of training sets, as these are."""
    faults = []
    for group in groups:
        blocks = next(iter(group.table.values()))
        digests = [blocks[number].digest for number in group.used if blocks[number].digest]
        if len(set(digests)) < len(digests):
            faults.append(
                Fault(
                    f"{group.task}, loss {group.loss}",
                    f"{len(digests)} instances, {len(set(digests))} different digest(s)",
                    "every instance has training cases of its own",
                )
            )
    if faults:
        raise FaultyInput(
            "runs on the same cases",
            faults,
            "They differ in their seed alone and say nothing of other training sets; assess them as "
            "PROBEN1 does, with the statistics of many runs.",
        )


Orders = dict[int, NDArray[np.intp]]


def _same_cases(data: Blocks, groups: list[_Group]) -> Orders:
    """Check digests and case ids against the first method's; give the order that lines up a block that differs."""
    orders: Orders = {}
    faults: list[Fault] = []
    for group in groups:
        for number in group.used:
            reference, *others = (blocks[number] for blocks in group.table.values())
            cases = data.case[reference.start : reference.stop]
            twice = len(cases) - len(np.unique(cases))
            if twice:
                faults.append(
                    Fault(reference.name, f"{twice} cases more than once", "a case is tested once")
                )
                continue
            faults += filter(
                None, (_differs(data, reference, cases, other, orders) for other in others)
            )
    if faults:
        raise FaultyInput(
            "comparison of different cases",
            faults,
            "Only losses on the same cases of the same task instance can be compared: run again.",
        )
    return orders


def _differs(
    data: Blocks, reference: RunLines, cases: NDArray[np.int64], block: RunLines, orders: Orders
) -> Fault | None:
    if block.digest != reference.digest:
        return Fault(
            block.name,
            f"digest {block.digest}",
            f"method {reference.method} has digest {reference.digest}",
        )
    ours = data.case[block.start : block.stop]
    if np.array_equal(ours, cases):
        return None
    order = np.argsort(ours, kind="stable")
    if np.array_equal(ours[order], np.sort(cases)):
        orders[block.start] = order[np.argsort(np.argsort(cases, kind="stable"), kind="stable")]
        return None
    odd = np.setxor1d(ours, cases)
    text = f"first: case {odd[0]}" if odd.size else "cases more than once"
    return Fault(
        block.name,
        f"{len(ours)} cases, {odd.size} of them not shared ({text})",
        f"method {reference.method} has {len(cases)} cases, and they must be the same",
    )


def _schemes(data: Blocks, groups: list[_Group], schemes: Schemes, orders: Orders) -> list[Scheme]:
    faults: list[Fault] = []
    kinds: list[Scheme] = []
    for group in groups:
        named = schemes.get(group.task) if isinstance(schemes, Mapping) else schemes
        blocks = [next(iter(group.table.values()))[number] for number in group.used]
        seen, problem = _seen_scheme(
            [np.sort(data.case[block.start : block.stop]) for block in blocks]
        )
        kind = check_scheme(named) if named else seen or "hierarchical"
        if problem:
            faults.append(Fault(f"{group.task}, loss {group.loss}", problem[0], problem[1]))
        elif len(blocks) > 1 and kind != seen:
            shared = "the same cases" if seen == "common" else "different cases"
            faults.append(
                Fault(
                    f"{group.task}, loss {group.loss}",
                    f"{shared} in every instance",
                    f"that is not the {kind} scheme",
                )
            )
        kinds.append(kind)
        if kind == "common" and not problem:
            _line_up(data, group, blocks, orders)
    if faults:
        raise FaultyInput("test cases that fit no scheme", faults)
    return kinds


def _seen_scheme(cases: list[NDArray[np.int64]]) -> tuple[Scheme | None, tuple[str, str] | None]:
    sizes = sorted({len(block) for block in cases})
    if len(sizes) > 1:
        return None, (
            f"{sizes[0]} to {sizes[-1]} test cases an instance",
            "every instance needs as many as the others",
        )
    if all(np.array_equal(block, cases[0]) for block in cases):
        return "common", None
    everything = np.sort(np.concatenate(cases))
    shared = int((everything[1:] == everything[:-1]).sum())
    if shared:
        return None, (
            f"instances that share {shared} of their test cases",
            "they share all of them, or none",
        )
    return "hierarchical", None


def _line_up(data: Blocks, group: _Group, blocks: list[RunLines], orders: Orders) -> None:
    """Bring every instance of a common test set into the case order of the first one."""
    first = data.case[blocks[0].start : blocks[0].stop]
    rank = np.argsort(np.argsort(first, kind="stable"), kind="stable")
    for number, reference in zip(group.used[1:], blocks[1:], strict=True):
        cases = data.case[reference.start : reference.stop]
        if np.array_equal(cases, first):
            continue
        order = np.argsort(cases, kind="stable")[rank]
        for by_instance in group.table.values():
            start = by_instance[number].start
            orders[start] = orders[start][order] if start in orders else order


def _cube(data: Blocks, group: _Group, kind: Scheme, orders: Orders) -> Cube:
    blocks = [
        [by_instance[number] for number in group.used] for by_instance in group.table.values()
    ]
    cases = blocks[0][0].stop - blocks[0][0].start
    losses = np.empty((len(blocks), len(group.used), cases))
    case_ids = np.empty(losses.shape[1:], dtype=np.int64)
    for i, block in enumerate(blocks[0]):
        ids = data.case[block.start : block.stop]
        case_ids[i] = ids[orders[block.start]] if block.start in orders else ids
    for m, row in enumerate(blocks):
        for i, block in enumerate(row):
            values = data.value[block.start : block.stop]
            losses[m, i] = values[orders[block.start]] if block.start in orders else values
    return Cube(
        group.task,
        group.loss,
        kind,
        tuple(group.table),
        tuple(group.used),
        group.left_out,
        case_ids,
        losses,
    )
