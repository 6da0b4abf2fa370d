"""The sentences to put into a paper: what a passed form states, short enough to be read."""

from __future__ import annotations

import math
from typing import Any

from benchbook.checklist.check import CheckedReport
from benchbook.checklist.learners import BoostedTrees, Network, Stopping
from benchbook.checklist.schema import Report, Statistics
from benchbook.checklist.tables import Other, Table

_NOT_CONSTANTS = ("name", "source", "updates", "alterations", "variant", "parameters", "other")


def sentence(checked: CheckedReport) -> str:
    """Two to five sentences: the task and model, the training, the results, what was excluded or chosen, and thanks."""
    report = checked.report
    parts = (_task, _trained, _results, _chosen, _acknowledged)
    return " ".join(filter(None, (part(report) for part in parts)))


def _text(value: Any) -> str:
    """A value of the form in a sentence."""
    if isinstance(value, Other):
        return value.other
    if isinstance(value, Table):
        return f"({', '.join(_constants(value))})"
    if isinstance(value, list):
        return f"in [{', '.join(f'{item:g}' for item in value)}]"
    return str(value) if isinstance(value, str | bool) else f"{value:g}"


def _constants(table: Table) -> list[str]:
    """The numbers of a table that were given."""
    named = {name: value for name, value in table.__dict__.items() if name not in _NOT_CONSTANTS}
    named |= getattr(table, "parameters", {})
    return [
        f"{name.replace('_', ' ')} {_text(value)}"
        for name, value in named.items()
        if value is not None
    ]


def _task(report: Report) -> str:
    split = report.split
    counts = [
        f"{getattr(split, part)} {part}"
        for part in ("training", "validation", "test")
        if getattr(split, part)
    ]
    folds = f", {split.folds} folds" if split.folds else ""
    return (
        f"On {split.name} of {_text(report.problem.collection)} ({', '.join(counts[:-1])} and "
        f"{counts[-1]} cases{folds}), {_model(report)}."
    )


def _model(report: Report) -> str:
    model, loss = report.model, _text(report.error.loss)
    if isinstance(model, BoostedTrees):
        names = ("learning_rate", "max_depth", "max_leaves", "row_share", "column_share", "l2")
        constants = [
            f"{name.replace('_', ' ')} {getattr(model, name):g}"
            for name in names
            if getattr(model, name) is not None
        ]
        return (
            f"at most {model.trees} boosted trees ({model.software}; {', '.join(constants)}) were fitted to "
            f"the {loss}"
        )
    if not isinstance(model, Network):
        return f"{model.other} ({', '.join(_constants(model))}) was fitted to the {loss}"
    layers = "-".join(map(str, [model.inputs, *model.hidden, model.outputs]))
    hidden = f" {_text(model.hidden_activation)} hidden units and" if model.hidden else ""
    links = f", with connections between {_text(model.connections)}" if model.hidden else ""
    links = links.replace("between all shortcuts", "between all layers, shortcuts included")
    weights = f" ({model.weights} weights with biases)" if model.weights else ""
    return (
        f"networks {layers} of{hidden} {_text(model.output_activation)} outputs{links}{weights} were "
        f"trained on the {loss} with {_optimiser(report)}"
    )


def _optimiser(report: Report) -> str:
    chosen, start = report.optimiser, report.initialisation
    if chosen is None or start is None:
        return "an optimiser"
    variant = getattr(chosen, "variant", None)
    constants = [*([variant] if variant else []), *_constants(chosen)]
    spread = start.range or start.sd
    name = getattr(chosen, "name", None) or getattr(chosen, "other", "")
    return f"{name} ({', '.join(constants)}) from {_text(start.distribution)} weights" + (
        f" {_text(spread)}" if spread else ""
    )


_CRITERIA = {
    "generalisation_loss": "GL above {:g} %",
    "quotient": "PQ above {:g}",
    "successive_rises": "{:g} successive rises",
    "patience": "{:g} measurements without a new best",
    "target": "an error of {:g}",
}


def _trained(report: Report) -> str:
    stopping = report.stopping
    if stopping is None:
        return ""
    stated = {key: getattr(stopping, key) for key in _CRITERIA}
    words = [_CRITERIA[key].format(value) for key, value in stated.items() if value is not None]
    words += [stopping.criterion.other] if stopping.criterion else []
    longest = f"after {stopping.longest} {stopping.unit}"
    how = [f"{' or '.join(words)} on the {stopping.watches}"] if words else []
    how += (
        [f"training progress below {stopping.progress:g} per thousand"] if stopping.progress else []
    )
    if not how:
        return f"Training ended {longest}, and the model taken is {_state(stopping)}."
    every = (
        f"every {stopping.every} {stopping.unit}"
        if stopping.every != 1
        else f"every {stopping.unit[:-1]}"
    )
    return (
        f"Training ended by {' or '.join(how)}, measured {every}, at the latest {longest}, and the model taken is "
        f"{_state(stopping)}."
    )


def _state(stopping: Stopping) -> str:
    if stopping.averaged:
        return f"the average of the last {stopping.averaged}"
    return (
        "the last"
        if stopping.state == "last"
        else f"the one {stopping.state.replace(' on ', ' on the ')}"
    )


def _results(report: Report) -> str:
    results, runs = report.results, report.runs
    phrases = []
    if results.test_error is not None:
        phrases.append(f"{_text(report.error.reported)} {_mean_and_sd(results.test_error)}")
    if results.test_wrong is not None:
        by = f" ({_text(report.error.classes_by)})" if report.error.classes_by else ""
        phrases.append(f"{_mean_and_sd(results.test_wrong)} % classified wrongly{by}")
    if results.test_rejected is not None:
        phrases.append(f"{_mean_and_sd(results.test_rejected)} % rejected")
    excluded = (
        f"; {runs.excluded} of {runs.made} runs were excluded ({runs.reason})"
        if runs.excluded
        else ""
    )
    what = " and ".join(phrases)
    if results.n == 1:
        return f"On the test cases a single run has {what}{excluded}."
    return (
        f"On the test cases, mean and standard deviation of {results.n} {results.over} are: "
        f"{what}{excluded}.{_best(report)}"
    )


def _best(report: Report) -> str:
    best = report.results.best_run
    if best is None:
        return ""
    phrases = [f"a test error of {best.test_error:.4g}"] if best.test_error is not None else []
    phrases += [f"{best.test_wrong:.4g} % wrong"] if best.test_wrong is not None else []
    return f" The run best on the {best.chosen_on} has {' and '.join(phrases)}."


def _mean_and_sd(given: Statistics) -> str:
    sd = given.sd
    digits = 2 if not sd or sd >= 0.1 else min(6, 1 - math.floor(math.log10(sd)))
    return f"{given.mean:.{digits}f}" + ("" if sd is None else f" ({sd:.{digits}f})")


def _chosen(report: Report) -> str:
    tuning = report.tuning
    if not tuning.parameters:
        return ""
    return (
        f"Chosen among {tuning.settings_tried} settings by the {' and the '.join(tuning.chosen_on)}: "
        f"{', '.join(tuning.parameters)}."
    )


def _acknowledged(report: Report) -> str:
    given = report.problem.acknowledgement
    return f"The data were originally obtained from: {given.rstrip('.')}." if given else ""
