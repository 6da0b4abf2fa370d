"""A task instance: one training set and its test inputs, encoded, without the test targets."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchbook.errors import BenchbookError, Fault, FaultyInput, shortened
from benchbook.predictive import Categorical, Outputs, Predictive
from benchbook.tasks.cases import Cases
from benchbook.tasks.encoding import Encoding
from benchbook.tasks.encodings import fit
from benchbook.tasks.splitting import Indices, Split

_SHOWN = 80  # characters of a list of names
_RULES = "benchbook task digest 1"
_NEEDED = {
    "real": "a real target needs a real-valued distribution",
    "class": "a class target needs class probabilities (Categorical)",
    "outputs": "several outputs need a number for each (Outputs)",
}


class Shown:
    """Something with a name and facts, shown as lines in a session and as a table in a notebook."""

    @property
    def name(self) -> str:
        """What it is called."""
        raise NotImplementedError

    def _facts(self) -> list[tuple[str, str]]:
        """What a reader wants to know of it first."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n  ".join(
            [
                f"{type(self).__name__} {self.name}",
                *(f"{key}: {value}" for key, value in self._facts()),
            ]
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{escape(value)}</td></tr>"
            for key, value in self._facts()
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"


@dataclass(frozen=True, eq=False, repr=False)
class TaskInstance(Shown):
    """What a method is given: N training cases with targets, and the inputs of J test cases, as d numbers each.

    Args:
        task: the task's name, for example ``kin-8nm/dist/std.128``.
        number: which instance of the task, from 0.
        kind: ``real``, ``class`` or ``outputs`` (``tasks.PartitionInstance``).
        classes: the class names in the order of their indices; () for a real target.
        train_inputs: [N, d].
        train_targets: [N], encoded numbers for a real target, class indices 0 ... C-1 (integers) for a class.
        test_inputs: [J, d].
        case_ids: [J], positions of the test cases in the dataset.
        input_groups: (attribute, slice of the d columns) for every attribute that is coded at all.
        encoding: how it was coded; fitted on the training cases alone.
        digest: sha256 that changes when the data, the cases, the task's encoding, the split or the loss scale changes;
            the same for a method with an encoding of its own (``tasks.recoding``).
    """

    task: str
    number: int
    kind: str
    classes: tuple[str, ...]
    train_inputs: NDArray[np.float64]
    train_targets: NDArray[Any]
    test_inputs: NDArray[np.float64]
    case_ids: NDArray[np.int64]
    input_groups: tuple[tuple[str, slice], ...]
    encoding: Encoding
    digest: str

    def __post_init__(self) -> None:
        for name in self.arrays():
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name))))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        TaskInstance.__post_init__(self)

    @classmethod
    def arrays(cls) -> tuple[str, ...]:
        """The names of its arrays, none of which can be written to."""
        return "train_inputs", "train_targets", "test_inputs", "case_ids"

    @property
    def name(self) -> str:
        """``task#number``."""
        return f"{self.task}#{self.number}"

    def _facts(self) -> list[tuple[str, str]]:
        inputs = shortened(", ".join(name for name, _ in self.input_groups), _SHOWN)
        target = (
            f"{len(self.classes)} classes: {', '.join(self.classes)}" if self.classes else self.kind
        )
        return [
            ("training cases", str(len(self.train_targets))),
            ("test cases", str(len(self.test_inputs))),
            ("inputs", f"{self.train_inputs.shape[1]} columns of {inputs}"),
            ("target", shortened(target, _SHOWN)),
        ]

    def decode(self, prediction: Predictive) -> Predictive:
        r"""Bring a prediction for the J test cases from the encoded scale to the scale of the data.

        For a real target the encoding is :math:`z = (y - c)/s`, so :math:`Y = c + s Z`: means and quantiles are mapped
        affinely, variances by :math:`s^2`, and densities get the Jacobian :math:`p_Y(y) = p_Z((y - c)/s)/s`. An integer
        target is decoded as a distribution over the reals (for single values see ``decode_integer``). Class
        probabilities and outputs need no decoding and are returned as they are.

        Raises:
            FaultyInput: not J cases, a kind of distribution that does not suit the target, or not C classes.
        """
        faults = self._unsuited(prediction)
        if faults:
            raise FaultyInput(f"prediction for {self.name}", faults)
        if self.kind != "real":
            return prediction
        return prediction.affine(self.encoding.target.centre, self.encoding.target.scale)

    def _unsuited(self, prediction: Predictive) -> list[Fault]:
        faults = []
        if len(prediction) != len(self.case_ids):
            rule = f"one prediction for each of the {len(self.case_ids)} test cases"
            faults.append(Fault("cases", str(len(prediction)), rule))
        if prediction.targets != self.kind:
            faults.append(Fault("kind", prediction.kind, _NEEDED[self.kind]))
        elif isinstance(prediction, Outputs) and prediction.outputs != self.train_targets.shape[1]:
            faults.append(
                Fault(
                    "outputs",
                    str(prediction.outputs),
                    f"{self.train_targets.shape[1]}, as the targets",
                )
            )
        elif isinstance(prediction, Categorical) and prediction.classes != len(self.classes):
            faults.append(
                Fault(
                    "classes",
                    str(prediction.classes),
                    f"{len(self.classes)}: {', '.join(self.classes)}",
                )
            )
        return faults


def decode_integer(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Integers from decoded real guesses, as DELVE did: add 0.5 and cut off the fraction, towards zero.

    For negative numbers this is not rounding: -1.7 becomes -1. Losses here are computed from the real values; use this
    where whole numbers must be shown. Source: DELVE 1.1, ``delveAttr.c``.
    """
    return np.trunc(np.asarray(values, dtype=np.float64) + 0.5)


def build(cases: Cases, task: str, split: Split, number: int) -> TaskInstance:
    """Encode instance ``number`` of a split.

    Raises:
        BenchbookError: the task has no such instance; the message gives the valid range.
    """
    check_number(task, split.instances, number)
    train, test = split.train[number], split.test[number]
    prototask = cases.prototask
    inputs = tuple(
        fit(cases.codings[name], cases.columns[name][train]) for name in prototask.inputs
    )
    raw_targets = cases.columns[prototask.target][train]
    target = fit(cases.codings[prototask.target], raw_targets)
    targets = raw_targets if prototask.kind == "class" else target.encode(raw_targets)[:, 0]
    encoding = Encoding(inputs, target)
    return TaskInstance(
        task,
        number,
        prototask.kind,
        cases.classes,
        encoding.encode({name: cases.columns[name][train] for name in prototask.inputs}),
        targets,
        encoding.encode({name: cases.columns[name][test] for name in prototask.inputs}),
        test,
        encoding.groups(),
        encoding,
        digest(cases, train, test),
    )


def digest(cases: Cases, train: Indices, test: Indices) -> str:
    """sha256 of all that fixes what an instance asks, the same in every process and on every platform.

    It covers the content of the dataset, the cases of the training and test sets, target and inputs, the encodings
    asked for, the splitting scheme, and the scale on which losses are counted.
    """
    prototask = cases.prototask
    scheme = prototask.order if prototask.order in ("retain", "random") else "file"
    header = {
        "rules": _RULES,
        "dataset": cases.digest,
        "kind": prototask.kind,
        "target": prototask.target,
        "inputs": list(prototask.inputs),
        "encoding": {name: str(coding) for name, coding in cases.codings.items()},
        "values": {name: list(coding.values) for name, coding in cases.codings.items()},
        "selection": prototask.test_set_selection,
        "order": scheme,
        "cases": prototask.cases,
        "train": len(train),
        "test": len(test),
        "loss scale": "original",
    }
    summary = hashlib.sha256(json.dumps(header, sort_keys=True, ensure_ascii=True).encode())
    summary.update(train.astype("<i8").tobytes())
    summary.update(test.astype("<i8").tobytes())
    return summary.hexdigest()


def check_number(task: str, count: int, number: int) -> None:
    """Complain about an instance number that the task does not have."""
    if not 0 <= number < count:
        raise BenchbookError(
            f"{task} has no instance {number}: it has {count}, numbered 0 to {count - 1}."
        )


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array over memory that cannot be made writeable again; one that is such already is returned as it is.

    A flag alone can be set back by whoever reaches the array that owns the memory; here bytes own it.
    """
    if not array.size:  # nothing to write to
        return array
    owner: Any = array
    while isinstance(owner, np.ndarray) and not owner.flags.writeable:
        owner = owner.base
    if isinstance(owner, bytes) and array.flags.c_contiguous:
        return array
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)
