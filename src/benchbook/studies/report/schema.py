"""Every key of the form: what may stand there, which rule asks for it, and what its comment says."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook.studies.report.kinds import (
    Choice,
    Choices,
    Flag,
    Kind,
    Number,
    Parameters,
    Span,
    Text,
    Texts,
    Whole,
    Wholes,
)
from benchbook.studies.report.quantities import QUANTITIES, Quantity

STOPPED_ON = ("validation cases", "training cases", "nothing")
STATES = ("least validation error", "least training error", "last epoch")
CHOSEN_ON = ("nothing", "training cases", "validation cases", "other data", "published results")
CASES_ARE_FOR = ("nothing", "stopping", "choosing the state", "choosing among runs", "tuning")
MEASURES = ("squared error percentage", "mean squared error", "root mean squared error", "sum of squared errors",
            "cross entropy", "mean absolute error")


@dataclass(frozen=True)
class Key:
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


def _statistics(name: str, quantity: Quantity, needed: bool) -> list[Key]:
    place, law, value = f"results.{name}", quantity.law, Number(0.0, quantity.most)
    return [Key(f"{place}.mean", value, law, f"{quantity.says}: mean over the runs", needed, "0.0"),
            Key(f"{place}.sd", Number(0.0), law, "standard deviation, divisor n - 1" if needed else "", needed, "0.0"),
            *(Key(f"{place}.{statistic}", value, law, "", False, "0.0")
              for statistic in ("minimum", "median", "maximum"))]


_KEYS = (
    Key("problem.name", Text(), "problem", "the name of the problem, such as cancer"),
    Key("problem.source", Text(), "problem", "the collection it is from: PROBEN1, benchbook, or who published it"),
    Key("problem.kind", Choice(("classification", "approximation")), "problem", "classification or approximation"),
    Key("problem.address", Text(), "problem", "where others get the file; needed outside PROBEN1", False, '"https://"'),
    Key("problem.version", Text(), "problem", "which version: a date or a digest; needed outside PROBEN1", False,
        '"sha256 ..."'),
    Key("partition.name", Text(), "partition", "such as cancer1, or cancer1c for another order of the same file"),
    Key("partition.training", Whole(1), "partition", "number of training cases"),
    Key("partition.validation", Whole(0), "partition", "number of validation cases; 0 for none"),
    Key("partition.test", Whole(1), "partition", "number of test cases"),
    Key("partition.rule", Text(), "partition", "exactly which cases go where; needed outside PROBEN1", False,
        '"in the order of the file, first training, then validation, then test"'),
    Key("partition.trained_on", Choice(("training cases", "training and validation cases")), "validation set",
        "training cases, or training and validation cases"),
    Key("partition.validation_used_for", Choices(CASES_ARE_FOR, ("training",)), "validation set",
        'all that they were used for: "nothing", "stopping", "choosing the state", "choosing among runs", "tuning"'),
    Key("partition.test_used_for", Choices(("results",), (*CASES_ARE_FOR, "training")), "test set",
        '["results"], and nothing else'),
    Key("encoding.inputs", Text(), "encoding", "as published, or what was changed"),
    Key("encoding.outputs", Text(), "encoding", "as published, or what was changed"),
    Key("encoding.fitted_on", Choice(("published", "training cases", "training and validation cases"), ("all cases",)),
        "encoding", "where scales and filled-in values come from: published, or training cases"),
    Key("network.inputs", Whole(1), "network", "input units"),
    Key("network.hidden", Wholes(), "network", "units of each hidden layer, such as [16, 8]; [] for a linear network"),
    Key("network.outputs", Whole(1), "network", "output units"),
    Key("network.shortcuts", Text(), "network",
        "all: every layer feeds all later ones; none: only the next; or which ones"),
    Key("network.hidden_activation", Text(), "activation",
        "a formula, standard sigmoid or tanh; needed with hidden layers", False, '"x / (1 + |x|)"'),
    Key("network.output_activation", Text(), "activation", "a formula, standard sigmoid, tanh or identity"),
    Key("network.connections", Whole(1), "network", "number of weights, biases included", False, "100"),
    Key("initialisation.law", Text(), "initialisation", "uniform, normal, or what else; with a range, random will do"),
    Key("initialisation.range", Span(), "initialisation", "needed for uniform", False, "[-0.01, 0.01]"),
    Key("initialisation.sd", Number(above=0.0), "initialisation", "needed for normal", False, "0.1"),
    Key("algorithm.name", Text(), "algorithm", "such as Rprop"),
    Key("algorithm.source", Text(), "algorithm", "where it is described exactly"),
    Key("algorithm.variant", Text(), "algorithm", "what differs from the source", False, '"rprop-"'),
    Key("algorithm.updates", Text(), "algorithm", "when weights change: epoch, case, or batches of how many cases"),
    Key("algorithm.parameters", Parameters(), "parameters", "every parameter, adapted ones with their rule"),
    Key("tuning.parameters", Texts(), "tuning", "what was chosen by trying; [] for nothing"),
    Key("tuning.chosen_on", Choices(CHOSEN_ON, ("test cases",)), "tuning",
        f"by what it was chosen, a list: {', '.join(CHOSEN_ON)}"),
    Key("tuning.settings_tried", Whole(0), "tuning", "how many settings were tried; 0 for none"),
    Key("tuning.sensitivity", Text(), "sensitivity", "how much hangs on what was chosen", False, '"little: ..."'),
    Key("stopping.criterion", Text(), "stopping", "with its numbers, such as GL_5 or P < 0.1"),
    Key("stopping.measured_on", Choice(STOPPED_ON, ("test cases",)), "stopping",
        "validation cases, training cases, or nothing"),
    Key("stopping.strip", Whole(1), "stopping", "epochs from one measurement to the next", False, "5"),
    Key("stopping.most_epochs", Whole(1), "stopping", "the longest training"),
    Key("stopping.state", Choice(STATES, ("least test error",)), "stopping",
        "which network is the result: least validation error, least training error, last epoch"),
    Key("stopping.restarting", Text(), "stopping", "never, or the criterion by which a run begins anew"),
    Key("error.function", Text(), "error function", "what training makes small, such as squared error"),
    Key("error.reported", Choice(MEASURES), "error function", f"one of {', '.join(MEASURES)}"),
    Key("error.half", Flag(), "error function", "true when there is a factor 1/2 in the numbers reported"),
    Key("error.averaged_over", Choices(("cases", "outputs"), empty=True), "error function",
        'cases, outputs, both; [] when it is a sum'),
    Key("error.percent", Flag(), "error function", "true when it is multiplied by 100"),
    Key("error.output_range", Span(), "error function", "least and largest output of the encoding, as the numbers "
        "assume it; needed for percentages", False, "[0.0, 1.0]"),
    Key("error.classes_by", Text(), "class errors", "how outputs become a class; for classification", False,
        '"winner takes all"'),
    Key("runs.total", Whole(1), "several runs", "runs made"),
    Key("runs.excluded", Whole(0), "excluded runs", "runs left out of the results"),
    Key("runs.excluded_as", Choice(("half", "outliers", "failed")), "excluded runs", "needed when some are left out",
        False, '"outliers"'),
    Key("runs.excluded_by", Text(), "excluded runs", "the quantity that decided, such as validation error", False,
        '"log test error"'),
    Key("runs.exclusion_rule", Text(), "excluded runs", "the rule and its reason", False,
        '"further than 3 standard deviations, so that a t test holds"'),
    Key("runs.seeds", Text(), "several runs", "how the runs' random numbers can be had again", False, '"1 to 60"'),
    Key("results.partition", Text(), "same partition", "the partition that they belong to"),
    Key("results.runs", Whole(1), "statistics", "runs that they summarise"),
    *(key for name, one in QUANTITIES.items() for key in _statistics(name, one, name == "test_error")),
    Key("results.correlation", Number(-1.0, 1.0), "statistics",
        "of least validation error and test error over the runs", False, "0.0"),
    Key("results.best_run.chosen_by", Text(), "best run", "by what it was picked: validation or training error", False,
        '"validation error"'),
    Key("results.best_run.test_error", Number(0.0), "best run", "its error on the test cases", False, "0.0"),
    Key("results.best_run.test_wrong", Number(0.0, 100.0), "best run", "its per cent classified wrongly", False, "0.0"),
    Key("time.machine", Text(), "times", "needed for CPU seconds: processor and software", False, '"..."'),
)

_COMPARISON = (
    Key("with", Text(), "significance", "what it is compared with, and where that is from"),
    Key("partition", Text(), "same partition", "the partition of the other results"),
    Key("quantity", Choice(tuple(QUANTITIES)), "statistics", "which quantity of [results] is compared"),
    Key("runs", Whole(1), "equal runs", "runs of the other results"),
    Key("mean", Number(0.0), "statistics", "mean of the other results"),
    Key("sd", Number(0.0), "statistics", "standard deviation of the other results"),
    Key("claim", Choice(("smaller", "larger", "no difference shown")), "significance",
        "this report's mean against the other one: smaller, larger, no difference shown"),
    Key("test", Text(), "significance", "the test of significance, exactly", False,
        '"t test, unequal variances, two-sided"'),
    Key("values", Choice(("raw", "log")), "significance", "tested as they are or as logarithms", False, '"log"'),
    Key("level", Number(above=0.0, below=100.0), "significance", "level of the test in per cent", False, "10"),
    Key("p", Number(most=1.0, above=0.0), "significance", "p value", False, "0.5"),
    Key("outliers_removed", Whole(0), "outliers", "values left out of the test, of both sides", False, "0"),
    Key("tests_made", Whole(1), "several tests", "how many such tests the study makes", False, "1"),
)

KEYS = {key.name: key for key in _KEYS}
COMPARISON = {key.name: key for key in _COMPARISON}
PARAMETERS = "algorithm.parameters"
TABLES = tuple(dict.fromkeys(name.rsplit(".", 1)[0] for name in KEYS))
