"""Every key of the form: what may stand there, which rule asks for it, and what its comment says."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.studies.report.kinds import (
    Choices,
    Flag,
    Free,
    Kind,
    Number,
    OneOf,
    Parameters,
    Span,
    Texts,
    Whole,
    Wholes,
)
from benchbook.studies.report.quantities import QUANTITIES, Quantity

STOPPED_ON = ("validation cases", "training cases", "nothing")
STATES = ("least validation error", "least training error", "last epoch")
CHOSEN_ON = ("nothing", "training cases", "validation cases", "other data", "published results")
CASES_ARE_FOR = ("nothing", "stopping", "choosing the state", "choosing among runs", "tuning")
MEASURES = (
    "squared error percentage",
    "mean squared error",
    "root mean squared error",
    "sum of squared errors",
    "cross entropy",
    "mean absolute error",
)


@dataclass(frozen=True)
class Row:
    """One key of the form.

    Args:
        name: dotted, such as ``partition.training``.
        kind: what may stand there.
        law: the rule that asks for it, by name.
        says: what to write, the comment in the template.
        needed: whether every report must have it; others are needed in some cases only.
        example: what a comment shows for a key that is not always needed.
    """

    name: str
    kind: Kind
    law: str
    says: str
    needed: bool = True
    example: str = ""


def _statistics(name: str, quantity: Quantity, needed: bool) -> list[Row]:
    place, law, value = f"results.{name}", quantity.law, Number(0.0, quantity.most)
    return [
        Row(f"{place}.mean", value, law, f"{quantity.says}: mean over the runs", needed, "0.0"),
        Row(
            f"{place}.sd",
            Number(0.0),
            law,
            "standard deviation, divisor n - 1" if needed else "",
            needed,
            "0.0",
        ),
        *(
            Row(f"{place}.{statistic}", value, law, "", False, "0.0")
            for statistic in ("minimum", "median", "maximum")
        ),
    ]


_KEYS = (
    Row("problem.name", Free(), "problem", "the name of the problem, such as cancer"),
    Row(
        "problem.source",
        Free(),
        "problem",
        "the collection it is from: PROBEN1, benchbook, or who published it",
    ),
    Row(
        "problem.kind",
        OneOf(("classification", "approximation")),
        "problem",
        "classification or approximation",
    ),
    Row(
        "problem.address",
        Free(),
        "problem",
        "where others get the file; needed outside PROBEN1",
        False,
        '"https://"',
    ),
    Row(
        "problem.version",
        Free(),
        "problem",
        "which version: a date or a digest; needed outside PROBEN1",
        False,
        '"sha256 ..."',
    ),
    Row(
        "partition.name",
        Free(),
        "partition",
        "such as cancer1, or cancer1c for another order of the same file",
    ),
    Row("partition.training", Whole(1), "partition", "number of training cases"),
    Row("partition.validation", Whole(0), "partition", "number of validation cases; 0 for none"),
    Row("partition.test", Whole(1), "partition", "number of test cases"),
    Row(
        "partition.rule",
        Free(),
        "partition",
        "exactly which cases go where; needed outside PROBEN1",
        False,
        '"in the order of the file, first training, then validation, then test"',
    ),
    Row(
        "partition.trained_on",
        OneOf(("training cases", "training and validation cases")),
        "validation set",
        "training cases, or training and validation cases",
    ),
    Row(
        "partition.validation_used_for",
        Choices(CASES_ARE_FOR, ("training",)),
        "validation set",
        'all that they were used for: "nothing", "stopping", "choosing the state", "choosing among runs", "tuning"',
    ),
    Row(
        "partition.test_used_for",
        Choices(("results",), (*CASES_ARE_FOR, "training")),
        "test set",
        '["results"], and nothing else',
    ),
    Row("encoding.inputs", Free(), "encoding", "as published, or what was changed"),
    Row("encoding.outputs", Free(), "encoding", "as published, or what was changed"),
    Row(
        "encoding.fitted_on",
        OneOf(("published", "training cases", "training and validation cases"), ("all cases",)),
        "encoding",
        "where scales and filled-in values come from: published, or training cases",
    ),
    Row("network.inputs", Whole(1), "network", "input units"),
    Row(
        "network.hidden",
        Wholes(),
        "network",
        "units of each hidden layer, such as [16, 8]; [] for a linear network",
    ),
    Row("network.outputs", Whole(1), "network", "output units"),
    Row(
        "network.shortcuts",
        Free(),
        "network",
        "all: every layer feeds all later ones; none: only the next; or which ones",
    ),
    Row(
        "network.hidden_activation",
        Free(),
        "activation",
        "a formula, standard sigmoid or tanh; needed with hidden layers",
        False,
        '"x / (1 + |x|)"',
    ),
    Row(
        "network.output_activation",
        Free(),
        "activation",
        "a formula, standard sigmoid, tanh or identity",
    ),
    Row(
        "network.connections",
        Whole(1),
        "network",
        "number of weights, biases included",
        False,
        "100",
    ),
    Row(
        "initialisation.law",
        Free(),
        "initialisation",
        "uniform, normal, or what else; with a range, random will do",
    ),
    Row(
        "initialisation.range",
        Span(),
        "initialisation",
        "needed for uniform",
        False,
        "[-0.01, 0.01]",
    ),
    Row(
        "initialisation.sd", Number(above=0.0), "initialisation", "needed for normal", False, "0.1"
    ),
    Row("algorithm.name", Free(), "algorithm", "such as Rprop"),
    Row("algorithm.source", Free(), "algorithm", "where it is described exactly"),
    Row(
        "algorithm.variant", Free(), "algorithm", "what differs from the source", False, '"rprop-"'
    ),
    Row(
        "algorithm.updates",
        Free(),
        "algorithm",
        "when weights change: epoch, case, or batches of how many cases",
    ),
    Row(
        "algorithm.parameters",
        Parameters(),
        "parameters",
        "every parameter, adapted ones with their rule",
    ),
    Row("tuning.parameters", Texts(), "tuning", "what was chosen by trying; [] for nothing"),
    Row(
        "tuning.chosen_on",
        Choices(CHOSEN_ON, ("test cases",)),
        "tuning",
        f"by what it was chosen, a list: {', '.join(CHOSEN_ON)}",
    ),
    Row("tuning.settings_tried", Whole(0), "tuning", "how many settings were tried; 0 for none"),
    Row(
        "tuning.sensitivity",
        Free(),
        "sensitivity",
        "how much hangs on what was chosen",
        False,
        '"little: ..."',
    ),
    Row("stopping.criterion", Free(), "stopping", "with its numbers, such as GL_5 or P < 0.1"),
    Row(
        "stopping.measured_on",
        OneOf(STOPPED_ON, ("test cases",)),
        "stopping",
        "validation cases, training cases, or nothing",
    ),
    Row(
        "stopping.strip",
        Whole(1),
        "stopping",
        "epochs from one measurement to the next",
        False,
        "5",
    ),
    Row("stopping.most_epochs", Whole(1), "stopping", "the longest training"),
    Row(
        "stopping.state",
        OneOf(STATES, ("least test error",)),
        "stopping",
        "which network is the result: least validation error, least training error, last epoch",
    ),
    Row(
        "stopping.restarting",
        Free(),
        "stopping",
        "never, or the criterion by which a run begins anew",
    ),
    Row(
        "error.function",
        Free(),
        "error function",
        "what training makes small, such as squared error",
    ),
    Row("error.reported", OneOf(MEASURES), "error function", f"one of {', '.join(MEASURES)}"),
    Row(
        "error.half",
        Flag(),
        "error function",
        "true when there is a factor 1/2 in the numbers reported",
    ),
    Row(
        "error.averaged_over",
        Choices(("cases", "outputs"), empty=True),
        "error function",
        "cases, outputs, both; [] when it is a sum",
    ),
    Row("error.percent", Flag(), "error function", "true when it is multiplied by 100"),
    Row(
        "error.output_range",
        Span(),
        "error function",
        "least and largest output of the encoding, as the numbers "
        "assume it; needed for percentages",
        False,
        "[0.0, 1.0]",
    ),
    Row(
        "error.classes_by",
        Free(),
        "class errors",
        "how outputs become a class; for classification",
        False,
        '"winner takes all"',
    ),
    Row("runs.total", Whole(1), "several runs", "runs made"),
    Row("runs.excluded", Whole(0), "excluded runs", "runs left out of the results"),
    Row(
        "runs.excluded_as",
        OneOf(("half", "outliers", "failed")),
        "excluded runs",
        "needed when some are left out",
        False,
        '"outliers"',
    ),
    Row(
        "runs.excluded_by",
        Free(),
        "excluded runs",
        "the quantity that decided, such as validation error",
        False,
        '"log test error"',
    ),
    Row(
        "runs.exclusion_rule",
        Free(),
        "excluded runs",
        "the rule and its reason",
        False,
        '"further than 3 standard deviations, so that a t test holds"',
    ),
    Row(
        "runs.seeds",
        Free(),
        "several runs",
        "how the runs' random numbers can be had again",
        False,
        '"1 to 60"',
    ),
    Row("results.partition", Free(), "same partition", "the partition that they belong to"),
    Row("results.runs", Whole(1), "statistics", "runs that they summarise"),
    *(
        key
        for name, one in QUANTITIES.items()
        for key in _statistics(name, one, name == "test_error")
    ),
    Row(
        "results.correlation",
        Number(-1.0, 1.0),
        "statistics",
        "of least validation error and test error over the runs",
        False,
        "0.0",
    ),
    Row(
        "results.best_run.chosen_by",
        Free(),
        "best run",
        "by what it was picked: validation or training error",
        False,
        '"validation error"',
    ),
    Row(
        "results.best_run.test_error",
        Number(0.0),
        "best run",
        "its error on the test cases",
        False,
        "0.0",
    ),
    Row(
        "results.best_run.test_wrong",
        Number(0.0, 100.0),
        "best run",
        "its per cent classified wrongly",
        False,
        "0.0",
    ),
    Row(
        "time.machine",
        Free(),
        "times",
        "needed for CPU seconds: processor and software",
        False,
        '"..."',
    ),
)

_COMPARISON = (
    Row("with", Free(), "significance", "what it is compared with, and where that is from"),
    Row("partition", Free(), "same partition", "the partition of the other results"),
    Row(
        "quantity",
        OneOf(tuple(QUANTITIES)),
        "statistics",
        "which quantity of [results] is compared",
    ),
    Row("runs", Whole(1), "equal runs", "runs of the other results"),
    Row("mean", Number(0.0), "statistics", "mean of the other results"),
    Row("sd", Number(0.0), "statistics", "standard deviation of the other results"),
    Row(
        "claim",
        OneOf(("smaller", "larger", "no difference shown")),
        "significance",
        "this report's mean against the other one: smaller, larger, no difference shown",
    ),
    Row(
        "test",
        Free(),
        "significance",
        "the test of significance, exactly",
        False,
        '"t test, unequal variances, two-sided"',
    ),
    Row(
        "values",
        OneOf(("raw", "log")),
        "significance",
        "tested as they are or as logarithms",
        False,
        '"log"',
    ),
    Row(
        "level",
        Number(above=0.0, below=100.0),
        "significance",
        "level of the test in per cent",
        False,
        "10",
    ),
    Row("p", Number(most=1.0, above=0.0), "significance", "p value", False, "0.5"),
    Row(
        "outliers_removed",
        Whole(0),
        "outliers",
        "values left out of the test, of both sides",
        False,
        "0",
    ),
    Row("tests_made", Whole(1), "several tests", "how many such tests the study makes", False, "1"),
)

KEYS = {key.name: key for key in _KEYS}
COMPARISON = {key.name: key for key in _COMPARISON}
PARAMETERS = "algorithm.parameters"
TABLES = tuple(dict.fromkeys(name.rsplit(".", 1)[0] for name in KEYS))
