"""The sentences to put into a paper: all that a passed form says, short enough to be read."""

from __future__ import annotations

import math
from typing import Any

from benchbook.studies.report.check import Report


def sentence(report: Report) -> str:
    """Two to four sentences: the task and network, the training, the results, and what was left out or chosen."""
    return " ".join(
        filter(None, [_task(report), _trained(report), _results(report), _chosen(report)])
    )


def _task(report: Report) -> str:
    counts = [
        f"{report[f'partition.{part}']} {part}"
        for part in ("training", "validation", "test")
        if report[f"partition.{part}"]
    ]
    layers = [
        str(report["network.inputs"]),
        *map(str, report["network.hidden"]),
        str(report["network.outputs"]),
    ]
    shortcuts = {"all": ", with all shortcuts", "none": ", feeding only the next layer"}.get(
        report["network.shortcuts"], f", connections: {report['network.shortcuts']}"
    )
    hidden = (
        f" {report['network.hidden_activation']} hidden units and"
        if report["network.hidden"]
        else ""
    )
    weights = (
        f" ({report['network.connections']} weights with biases)"
        if "network.connections" in report
        else ""
    )
    return (
        f"On {report['partition.name']} of {report['problem.source']} ({', '.join(counts[:-1])} and {counts[-1]} "
        f"cases), networks {'-'.join(layers)} of{hidden} {report['network.output_activation']} outputs"
        f"{shortcuts if report['network.hidden'] else ''}{weights} were trained on the "
        f"{report['error.function']} with {_algorithm(report)}."
    )


def _algorithm(report: Report) -> str:
    variant = f"{report['algorithm.variant']}; " if "algorithm.variant" in report else ""
    constants = ", ".join(
        f"{name.replace('_', ' ')} {_value(value)}"
        for name, value in report["algorithm.parameters"].items()
    )
    spread = next(
        (
            f" {_value(report[key])}"
            for key in ("initialisation.range", "initialisation.sd")
            if key in report
        ),
        "",
    )
    return f"{report['algorithm.name']} ({variant}{constants}) from {report['initialisation.law']} weights{spread}"


def _trained(report: Report) -> str:
    strips = (
        f", measured every {report['stopping.strip']} epochs" if "stopping.strip" in report else ""
    )
    looked = (
        ""
        if report["stopping.measured_on"] == "nothing"
        else f" on the {report['stopping.measured_on']}{strips}"
    )
    return (
        f"Training ended by {report['stopping.criterion']}{looked}, at the latest after "
        f"{report['stopping.most_epochs']} epochs, and the network taken is that of the "
        f"{report['stopping.state']}."
    )


def _results(report: Report) -> str:
    phrases = [f"{report['error.reported']} {_mean_and_sd(report, 'test_error')}"]
    if "results.test_wrong.mean" in report:
        phrases.append(
            f"{_mean_and_sd(report, 'test_wrong')} % classified wrongly ({report['error.classes_by']})"
        )
    out = report["runs.excluded"]
    left = (
        f"; {out} of {report['runs.total']} runs were left out ({report['runs.exclusion_rule']})"
        if out
        else ""
    )
    runs = report["results.runs"]
    if runs == 1:
        return f"On the test cases a single run has {' and '.join(phrases)}{left}."
    return f"On the test cases, mean and standard deviation of {runs} runs are: {' and '.join(phrases)}{left}."


def _mean_and_sd(report: Report, quantity: str) -> str:
    mean, sd = report[f"results.{quantity}.mean"], report.get(f"results.{quantity}.sd")
    digits = 2 if not sd or sd >= 0.1 else min(6, 1 - math.floor(math.log10(sd)))
    spread = "" if sd is None else f" ({sd:.{digits}f})"
    return f"{mean:.{digits}f}{spread}"


def _chosen(report: Report) -> str:
    names, on = report["tuning.parameters"], report["tuning.chosen_on"]
    if not names:
        return ""
    return (
        f"Chosen among {report['tuning.settings_tried']} settings by the {' and the '.join(on)}: "
        f"{', '.join(names)}."
    )


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"in [{', '.join(f'{one:g}' for one in value)}]"
    return (
        f"{value:g}"
        if isinstance(value, int | float) and not isinstance(value, bool)
        else str(value)
    )
