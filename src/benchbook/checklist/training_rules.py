"""Rules about the model, its training, and what was tuned on what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchbook.checklist.learners import (
    BoostedTrees,
    Network,
    OtherModel,
    OtherOptimiser,
    Rprop,
    Schedule,
    Stopping,
)
from benchbook.checklist.presence_rules import DIGIT, Case, drafts_of, lacks
from benchbook.checklist.rules import Draft, fault, remark
from benchbook.checklist.schema import Report
from benchbook.methods.proben1 import Topology

_SCHEDULES = {
    "cosine": ("final",),
    "linear": ("final",),
    "step": ("factor", "every"),
    "exponential": ("factor",),
}
_CRITERIA = (
    "generalisation_loss",
    "quotient",
    "successive_rises",
    "patience",
    "progress",
    "target",
)


def network(report: Report) -> Iterator[Draft]:
    """A network has as many weights as its layers make."""
    model = report.model
    if not isinstance(model, Network):
        return
    if model.weights is None or model.connections not in ("adjacent layers", "all shortcuts"):
        return
    shape = Topology(
        model.inputs, tuple(model.hidden), model.outputs, model.connections == "all shortcuts"
    )
    count = shape.connections - (0 if model.biases else sum(model.hidden) + model.outputs)
    if count != model.weights:
        yield fault(
            "model.weights",
            f"{count}{', biases included' if model.biases else ''}: so many do these layers make "
            f"with {model.connections}",
            "network",
        )


def trees(report: Report) -> Iterator[Draft]:
    """Training is not longer than the number of trees."""
    model = report.model
    if isinstance(model, BoostedTrees):
        stopping = report.stopping
        if stopping and stopping.longest > model.trees and stopping.unit == "rounds":
            yield fault(
                "stopping.longest", f"at most {model.trees}, the number of trees", "stopping"
            )


def optimiser(report: Report) -> Iterator[Draft]:
    """Rprop's first step is from the smallest to the largest; a schedule has its numbers; minibatches fit."""
    chosen = report.optimiser
    if isinstance(chosen, Rprop):
        first = chosen.delta_init if isinstance(chosen.delta_init, list) else [chosen.delta_init]
        if not chosen.delta_min <= first[0] <= first[-1] <= chosen.delta_max:
            yield fault(
                "optimiser.delta_init",
                f"from the smallest step, {chosen.delta_min:g}, to the largest, {chosen.delta_max:g}",
                "parameters",
            )
    if chosen is None:
        return
    if not isinstance(chosen.updates, str) and chosen.updates > report.split.training:
        yield fault("optimiser.updates", f"at most {report.split.training} cases", "algorithm")
    schedule = getattr(chosen, "schedule", None)
    if isinstance(schedule, Schedule):
        for key in _SCHEDULES[schedule.kind]:
            if getattr(schedule, key) is None:
                yield fault(
                    f"optimiser.schedule.{key}",
                    f"its value: {schedule.kind} needs it",
                    "parameters",
                )


def tuning(report: Report) -> Iterator[Draft]:
    """What was chosen by trying has a criterion."""
    chosen, on = report.tuning.parameters, report.tuning.chosen_on
    if chosen and "nothing" in on:
        yield fault("tuning.chosen_on", f"by what {', '.join(chosen)} was chosen", "tuning")
    if not chosen and on != ["nothing"]:
        yield fault(
            "tuning.parameters",
            f'what was chosen on {" and ".join(on)}; or chosen_on = ["nothing"]',
            "tuning",
        )


def _softmax(at: Callable[[str], Any]) -> bool:
    return isinstance(at("model"), Network) and at("model.output_activation") == "softmax"


CASES = (
    Case(
        "model.output_activation",
        "activation",
        "identity: softmax is for classes",
        lambda at: _softmax(at) and at("problem.kind") == "approximation",
    ),
    Case(
        "model.outputs",
        "network",
        "two or more with softmax, which makes one always 1",
        lambda at: _softmax(at) and at("model.outputs") == 1,
    ),
    Case(
        "error.loss",
        "error function",
        "a loss for numbers: this one is for classes",
        lambda at: (
            at("problem.kind") == "approximation"
            and at("error.loss") in ("cross entropy", "hinge loss")
        ),
    ),
    Case(
        "model.software",
        "algorithm",
        "the program with its version number",
        lambda at: isinstance(at("model"), BoostedTrees) and lacks("model.software", DIGIT)(at),
    ),
    Case(
        "model.parameters",
        "parameters",
        "every parameter with its value",
        lambda at: isinstance(at("model"), OtherModel) and not at("model.parameters"),
    ),
    Case(
        "optimiser.source",
        "algorithm",
        "a reference with its year, or a program with its version",
        lacks("optimiser.source", DIGIT),
        remark,
    ),
    Case(
        "optimiser.parameters",
        "parameters",
        "every parameter with its value",
        lambda at: isinstance(at("optimiser"), OtherOptimiser) and not at("optimiser.parameters"),
    ),
    Case(
        "tuning.settings_tried",
        "tuning",
        "how many settings were compared, two at least",
        lambda at: at("tuning.parameters") and at("tuning.settings_tried") < 2,
    ),
    Case(
        "tuning.settings_tried",
        "tuning",
        "0, or in tuning.parameters what was chosen",
        lambda at: not at("tuning.parameters") and at("tuning.settings_tried") > 0,
    ),
    Case(
        "tuning.parameters",
        "best run",
        "no seed: it is no parameter, and the run that a choice selects is results.best_run",
        lambda at: any("seed" in name.casefold() for name in at("tuning.parameters")),
        remark,
    ),
    Case(
        "tuning.chosen_on",
        "reproduction",
        "nothing else if it is true, and do not call the result better than those it was matched to",
        lambda at: "published results" in at("tuning.chosen_on"),
        remark,
    ),
)
"""What is wrong, or unusual, whatever the numbers are."""


def plain_cases(report: Report) -> Iterator[Draft]:
    """Outputs, loss and problem belong together; programs have versions, and what was tuned a number of tries."""
    yield from drafts_of(CASES, report)


def stopping_numbers(report: Report) -> Iterator[Draft]:
    """Training ends by a criterion with numbers, measured at stated times."""
    stopping = report.stopping
    if stopping is None:
        return
    stated = [key for key in _CRITERIA if getattr(stopping, key) is not None]
    watched = stopping.watches != "nothing"
    if watched and not stated and stopping.criterion is None:
        yield fault(
            "stopping",
            f"the criterion with its number: {', '.join(_CRITERIA)}; or watches = 'nothing'",
            "stopping",
            f"watches = {stopping.watches!r}, and no criterion",
        )
    for key in [item for item in stated if item != "progress"] if not watched else ():
        yield fault(
            f"stopping.{key}", "nothing, or in stopping.watches the cases it looks at", "stopping"
        )
    yield from _state_numbers(stopping)


def _state_numbers(stopping: Stopping) -> Iterator[Draft]:
    if stopping.every is not None and stopping.every > stopping.longest:
        yield fault(
            "stopping.every", f"at most {stopping.longest}, the longest training", "stopping"
        )
    if (
        stopping.patience
        and stopping.every
        and stopping.patience * stopping.every > stopping.longest
    ):
        write = f"at most {stopping.longest // stopping.every}: with more it never ends a training"
        yield fault("stopping.patience", write, "stopping")
    if stopping.averaged is not None and stopping.averaged > stopping.longest:
        yield fault("stopping.averaged", f"at most {stopping.longest}", "stopping")


RULES = (network, trees, optimiser, tuning, plain_cases, stopping_numbers)
