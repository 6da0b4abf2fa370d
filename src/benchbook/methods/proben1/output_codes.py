"""PROBEN1's pivot networks with other representations of the classes: without the last output, and in a sub-range.

The report (1994, section 2.4) allows both when they are stated. The answers are decoded, so that the losses are those
of 1-of-m outputs from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchbook.datasets.proben1.outputs import OutputCode
from benchbook.errors import BenchbookError
from benchbook.methods.base import FunctionMethod, Returned, method
from benchbook.methods.proben1 import PIVOT_RUNS, Portion, Topology, plain, train
from benchbook.methods.proben1.networks import PIVOT, Network, _cost, partition_of
from benchbook.methods.settings import setting
from benchbook.methods.works import PROBEN1
from benchbook.predictive import Outputs

if TYPE_CHECKING:
    import numpy as np

    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class CodedNetwork(Network):
    """The settings of a method that trains one network on classes represented otherwise."""

    drop_last: bool = setting(
        False, "whether the last output is left out, which makes one output of two"
    )
    taught: tuple[float, float] = setting((0.0, 1.0), "what the outputs 0 and 1 are taught as")

    def __post_init__(self) -> None:
        super().__post_init__()
        OutputCode(self.drop_last, *self.taught)


def train_coded(
    instance: TaskInstance, rng: np.random.Generator, settings: CodedNetwork
) -> Returned:
    """A network trained by Rprop on recoded targets of a partition, its answers decoded."""
    given = partition_of(instance)
    if settings.drop_last and not given.classes:
        raise BenchbookError(
            f"{given.task} has no classes, so that no output follows from the others; "
            "take drop_last=false"
        )
    code, whole = OutputCode(settings.drop_last, *settings.taught), given.partition
    training, validation = (
        Portion(part.inputs, code.encode(part.targets))
        for part in (whole.training, whole.validation)
    )
    # One output has no largest one, so that classes are counted after decoding, by the scorer.
    coded = replace(whole, training=training, validation=validation, classification=False)
    topology = Topology.parse(
        settings.notation(given), coded.inputs, coded.outputs, settings.shortcuts
    )
    recipe = replace(settings.recipe, output_range=code.high - code.low)
    run = train(coded, topology, recipe, rng)
    predicted = _cost(run.describe())
    if whole.absent_classes:
        predicted["absent_classes"] = list(whole.absent_classes)
    return Outputs(code.decode(plain.outputs(topology, run.weights, given.test_inputs))), predicted


def _coded(name: str, description: str, settings: CodedNetwork) -> FunctionMethod:
    """A method of that procedure."""
    return method(
        name=name,
        description=description,
        kinds={"outputs"},
        settings=settings,
        source=f"{PROBEN1}, section 2.4",
        calls=[
            "benchbook.methods.proben1.training:train",
            "benchbook.kernels.rprop:strip",
            "benchbook.kernels.rprop:epochs",
        ],
    )(train_coded)


fewer = _coded(
    "proben1-pivot-fewer",
    "proben1-pivot taught without the last output: one output for two classes",
    CodedNetwork(PIVOT, recipe=PIVOT_RUNS, drop_last=True),
)
narrow = _coded(
    "proben1-pivot-narrow",
    "proben1-pivot taught outputs of 0.1 and 0.9 in place of 0 and 1",
    CodedNetwork(PIVOT, recipe=PIVOT_RUNS, taught=(0.1, 0.9)),
)
