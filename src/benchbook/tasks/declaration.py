"""A prototask: which attribute is to be predicted, from which, and how the cases are dealt out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchbook.errors import Fault, FaultyInput

SELECTIONS = ("hierarchical", "common")
CASES = ("all", "no missing")
KINDS = ("real", "class")
PHASES = ("training", "validation", "test")
"""The parts of a challenge's cases, in the order in which they are dealt out."""


@dataclass(frozen=True)
class Prototask:
    """A dataset with a target, inputs, and DELVE's rules for test and training cases.

    Args:
        dataset: name of the dataset, for example ``kin-8nm``.
        name: name within the dataset, for example ``dist``.
        target: the attribute to predict.
        inputs: the attributes to predict it from, in the order a method sees them.
        kind: ``real`` for a numeric target, ``class`` for one with a finite set of values.
        test_set_size: number of cases in the test pool, taken from the front of the order.
        test_set_selection: ``hierarchical`` (each instance has its own block of the pool) or ``common``.
        training_set_sizes: the sizes for which there is a task.
        maximum_instances: no more instances than this, for every size or size by size.
        order: ``retain`` (as in the dataset), ``random`` (our own permutation, see ``tasks.splitting``) or the path
            of a file with one position a line, counted from 0.
        cases: ``all``, or ``no missing`` to drop cases with a missing value in the target or an input.
        encodings: attribute -> encoding, where the default of its nature is not wanted, for example
            ``{"sex": "1-of-n passive=female"}``.
        ours: the fields (as written in prototasks.toml) whose values are this project's and not DELVE's.
        note: what a reader should know about those choices.
        phases: for a challenge, the number of training, validation and test cases, taken from the front of the order;
            empty otherwise. See ``tasks.challenge_task``.
        folds: for cross-validation, the schemes by which the data set is taken apart; () otherwise. See
            ``tasks.folds_task``.
        group: the attributes in which the cases of a group agree, for folds of whole groups, or for training sets of
            which no two share a group.
        splits: how many overlapping random partitions; 0 otherwise. See ``tasks.splits_task``.
        part: for cross-validation of a part of the data set, its first place in the order and the one after its last.

    Raises:
        FaultyInput: with every field that breaks a rule.
    """

    dataset: str
    name: str
    target: str
    inputs: tuple[str, ...]
    kind: str
    test_set_size: int
    test_set_selection: str
    training_set_sizes: tuple[int, ...]
    maximum_instances: int | Mapping[int, int]
    order: str = "retain"
    cases: str = "all"
    encodings: Mapping[str, str] = field(default_factory=dict, hash=False)
    ours: tuple[str, ...] = ()
    note: str = ""
    phases: Mapping[str, int] = field(default_factory=dict, hash=False)
    folds: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    part: tuple[int, ...] = ()
    splits: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(self.inputs))
        object.__setattr__(self, "training_set_sizes", tuple(self.training_set_sizes))
        object.__setattr__(self, "encodings", dict(self.encodings))
        object.__setattr__(self, "phases", dict(self.phases))
        object.__setattr__(self, "folds", tuple(self.folds))
        object.__setattr__(self, "group", tuple(self.group))
        object.__setattr__(self, "part", tuple(self.part))
        if isinstance(self.maximum_instances, Mapping):
            limits = {int(size): int(count) for size, count in self.maximum_instances.items()}
            object.__setattr__(self, "maximum_instances", limits)
        faults = self._faults()
        if faults:
            raise FaultyInput(f"prototask {self.path}", faults)

    def __hash__(self) -> int:
        return hash((self.dataset, self.name, self.target, self.inputs, self.training_set_sizes))

    @property
    def path(self) -> str:
        """``dataset/name``, as DELVE writes it."""
        return f"{self.dataset}/{self.name}"

    @property
    def disjoint(self) -> bool:
        """Whether its tasks have training sets that share no case, as DELVE's have."""
        return not (self.phases or self.folds or self.splits)

    def limit(self, size: int) -> int:
        """The greatest number of instances allowed for training sets of that size."""
        if isinstance(self.maximum_instances, Mapping):
            return self.maximum_instances[size]
        return self.maximum_instances

    def provenance(self, key: str) -> str:
        """``ours`` when the choice of that field is this project's, else ``DELVE``."""
        return "ours" if key in self.ours else "DELVE"

    def _faults(self) -> list[Fault]:
        checks = [
            ("kind", self.kind, self.kind in KINDS, f"one of {', '.join(KINDS)}"),
            (
                "test-set-selection",
                self.test_set_selection,
                self.test_set_selection in (*SELECTIONS, "folds", "splits"),
                f"one of {', '.join(SELECTIONS)}",
            ),
            ("cases", self.cases, self.cases in CASES, f"one of {', '.join(CASES)}"),
            ("test-set-size", self.test_set_size, self.test_set_size >= 1, "at least 1"),
            (
                "training-set-sizes",
                self.training_set_sizes,
                min(self.training_set_sizes, default=0) >= 1,
                "one or more sizes, each at least 1",
            ),
            ("order", self.order, bool(self.order), "retain, random or the path of a file"),
            ("inputs", self.inputs, len(set(self.inputs)) == len(self.inputs), "each input once"),
            (
                "target",
                self.target,
                self.target not in self.inputs,
                "the target is not among the inputs",
            ),
            (
                "encodings",
                sorted(set(self.encodings) - {*self.inputs, self.target}),
                set(self.encodings) <= {*self.inputs, self.target},
                "only inputs and the target are encoded",
            ),
            (
                "phases",
                self.phases,
                not self.phases
                or (set(self.phases) == set(PHASES) and min(self.phases.values()) >= 1),
                f"{', '.join(PHASES)}, each at least 1",
            ),
            (
                "group",
                self.group,
                bool(self.group) or not any(name.startswith("grouped") for name in self.folds),
                "the attributes in which the cases of a group agree, for grouped folds",
            ),
            (
                "part",
                self.part,
                not self.part or (len(self.part) == 2 and 0 <= self.part[0] < self.part[1]),
                "the first place and the one after the last",
            ),
        ]
        faults = [
            Fault(where, repr(value), rule) for where, value, right, rule in checks if not right
        ]
        return faults + self._limit_faults()

    def _limit_faults(self) -> list[Fault]:
        limits = self.maximum_instances
        if not isinstance(limits, Mapping):
            return [] if limits >= 1 else [Fault("maximum-instances", repr(limits), "at least 1")]
        faults = [
            Fault(f"maximum-instances[{size}]", repr(count), "at least 1")
            for size, count in limits.items()
            if count < 1
        ]
        absent = [size for size in self.training_set_sizes if size not in limits]
        if absent:
            faults.append(
                Fault(
                    "maximum-instances",
                    f"no entry for {absent}",
                    "one number, or one for every size",
                )
            )
        return faults
