"""The form: every table and key, what may stand there, which rule asks for it, and what its comment says.

A table is made of typed keys, each with a comment and a rule; refused values are left unset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from benchbook.errors import plain
from benchbook_book.form.words import Activation, Cases, inexact, plain_text, says_nothing


def _refused(wrong: Callable[[Any], bool], words: str) -> AfterValidator:
    """Refuses a value that is wrong, with what to write instead."""

    def checked(value: object) -> Any:
        if wrong(value):
            raise ValueError(words)
        return value

    return AfterValidator(checked)


Text = Annotated[
    str,
    Strict(),
    _refused(lambda text: not plain(text), "a text without control characters"),
    _refused(says_nothing, "what it was, in words or as a formula"),
    AfterValidator(plain_text),
]
Exact = Annotated[Text, _refused(inexact, "numbers and names that leave nothing open")]
"""A description from which another could do the same."""
Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=1)]
Whole = Annotated[int, Strict(), Field(ge=0)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False, ge=-1e100, le=1e100)]
"""No larger, so that its square is a number too."""
NotNegative = Annotated[Number, Field(ge=0)]
Positive = Annotated[Number, Field(gt=0)]
Share = Annotated[Number, Field(ge=0, lt=1)]
Span = Annotated[
    list[Number],
    Field(min_length=2, max_length=2),
    _refused(
        lambda ends: not ends[0] < ends[1],
        "two numbers, the smaller one first, such as [-0.5, 0.5]",
    ),
]
Parameter = Flag | Number | Exact | Annotated[list[Number], Field(min_length=1)]


class NotGiven(AttributeError):
    """A value that a report lacks or that was refused: a rule that needs it has nothing to say."""


class Table(BaseModel):
    """A table of the form. A key that is missing or refused raises ``NotGiven`` when it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in type(self).model_fields:
                raise NotGiven(name)
            return super().__getattr__(name)


def value_at(table: Table, key: str) -> Any:
    """The value of a dotted key; None below a table that is not given.

    Raises:
        NotGiven: it is missing or was refused.
    """
    value: object = table
    for name in key.split("."):
        value = None if value is None else getattr(value, name)
    return value


class Other(Table):
    """What no vocabulary has, described: always a remark, as no program can check it."""

    other: Exact


def ask(says: str, rule: str, default: object = ..., example: str = "") -> Any:
    """A key of the form.

    Args:
        says: what to write there, the comment in the template.
        rule: the rule that asks for it, by name.
        default: without one, every report must have the key.
        example: what the template's comment shows for a key that is not always needed.
    """
    return Field(default, description=says, json_schema_extra={"rule": rule, "example": example})


AboveOne = Annotated[Number, Field(gt=1)]
Factor = Annotated[Number, Field(gt=0, lt=1)]
ShareOfAll = Annotated[Number, Field(gt=0, le=1)]


class Network(Table):
    """A layered feed-forward network."""

    kind: Literal["network"] = ask('network, boosted trees, or other = "..."', "network")
    inputs: Count = ask("input units", "network")
    hidden: list[Count] = ask(
        "units of each hidden layer, such as [16, 8]; [] for a linear network", "network"
    )
    outputs: Count = ask("output units", "network")
    connections: Literal["adjacent layers", "all shortcuts"] | Other = ask(
        "adjacent layers, or all shortcuts: every layer feeds all later ones", "network"
    )
    hidden_activation: Activation | Other | None = ask(
        "needed with hidden layers: logistic, tanh, softsign (x / (1 + |x|)), ReLU, GELU, ...",
        "activation",
        None,
        '"ReLU"',
    )
    output_activation: Activation | Other = ask("identity, logistic, softmax, ...", "activation")
    weights: Count | None = ask("number of connections, biases included", "network", None, "74")
    biases: Flag = ask("false when units have no bias", "network", True, "false")
    normalisation: Literal["none", "batch", "layer"] | Other = ask(
        "batch or layer normalisation", "network", "none", '"batch"'
    )
    dropout: Share = ask("share of the units that are left out at random", "network", 0.0, "0.5")


class BoostedTrees(Table):
    """Gradient boosting of decision trees."""

    kind: Literal["boosted trees"] = ask("boosted trees", "parameters")
    software: Text = ask("program and version, such as xgboost 2.1.1", "algorithm")
    trees: Count = ask("the largest number of trees", "parameters")
    learning_rate: ShareOfAll = ask("the factor of each tree", "parameters")
    max_depth: Count | None = ask("depth of a tree", "parameters", None, "6")
    max_leaves: Count | None = ask("or its number of leaves", "parameters", None, "31")
    row_share: ShareOfAll = ask("share of the cases drawn for each tree", "parameters")
    column_share: ShareOfAll = ask("share of the attributes drawn for each tree", "parameters")
    l2: NotNegative = ask("L2 penalty of the leaves", "parameters")
    parameters: dict[str, Parameter] = ask("all others that were changed", "parameters", {}, "{}")


class OtherModel(Table):
    """Any other learner, described."""

    other: Exact = ask("the learner, with software and version", "algorithm")
    parameters: dict[str, Parameter] = ask("every parameter with its value", "parameters")


Model = Network | BoostedTrees | OtherModel


class Initialisation(Table):
    """The distribution of the initial weights."""

    distribution: (
        Literal[
            "uniform",
            "normal",
            "He normal",
            "He uniform",
            "Glorot normal",
            "Glorot uniform",
            "LeCun normal",
            "fan-in uniform",
            "orthogonal",
        ]
        | Other
    ) = ask(
        "uniform, normal, He normal, Glorot uniform, fan-in uniform (within 1 / sqrt(fan-in)), ...",
        "initialisation",
    )
    range: Span | None = ask("needed for uniform", "initialisation", None, "[-0.1, 0.1]")
    sd: Positive | None = ask("needed for normal", "initialisation", None, "0.1")
    biases: Literal["as the weights", "zero"] | Other = ask(
        "or zero", "initialisation", "as the weights", '"zero"'
    )


class Schedule(Table):
    """How the learning rate changes."""

    kind: Literal["cosine", "linear", "step", "exponential"] = ask("the schedule", "parameters")
    final: NotNegative | None = ask("last learning rate, for cosine and linear", "parameters", None)
    factor: Factor | None = ask("for step and exponential", "parameters", None)
    every: Count | None = ask("epochs, for step", "parameters", None)
    warmup_epochs: NotNegative = ask("epochs of rise at the start", "parameters", 0.0)


class _Optimiser(Table):
    source: Text = ask("where it is described exactly", "algorithm")
    updates: Literal["epoch", "case"] | Count = ask(
        "weights change after each epoch, case, or minibatch of so many cases", "algorithm"
    )
    alterations: Exact | None = ask("what differs from the source", "algorithm", None, '"..."')


class _ByGradient(_Optimiser):
    learning_rate: Positive = ask("the learning rate", "parameters")
    weight_decay: NotNegative = ask("0 for none", "parameters")
    schedule: Literal["constant"] | Schedule | Other = ask(
        "of the learning rate", "parameters", "constant", '{ kind = "cosine", final = 0.0 }'
    )
    clip_norm: Positive | None = ask("largest norm of the gradient", "parameters", None, "1.0")


class Rprop(_Optimiser):
    """Resilient propagation."""

    name: Literal["Rprop"] = ask("the optimiser", "algorithm")
    variant: Literal["rprop+", "rprop-", "irprop+", "irprop-"] | None = ask(
        "what happens when a slope changes sign", "algorithm", None, '"rprop-"'
    )
    eta_plus: AboveOne = ask("factor of a step whose slope keeps its sign", "parameters")
    eta_minus: Factor = ask("factor when it changes", "parameters")
    delta_init: Positive | Span = ask("the first step, or the range it is drawn from", "parameters")
    delta_max: Positive = ask("the largest step", "parameters")
    delta_min: NotNegative = ask("the smallest step", "parameters")


class SGD(_ByGradient):
    """Gradient descent."""

    name: Literal["SGD"] = ask("the optimiser", "algorithm")
    momentum: Share = ask("0 for none", "parameters")
    nesterov: Flag = ask("Nesterov's momentum", "parameters", False, "true")


class Adam(_ByGradient):
    """Adam, with the L2 penalty in the gradient, and AdamW, with decay of its own."""

    name: Literal["Adam", "AdamW"] = ask("the optimiser", "algorithm")
    beta_1: Share = ask("decay of the mean", "parameters")
    beta_2: Share = ask("decay of the squares", "parameters")
    epsilon: Positive = ask("added below the fraction line", "parameters")


class RMSprop(_ByGradient):
    """RMSprop."""

    name: Literal["RMSprop"] = ask("the optimiser", "algorithm")
    decay: Share = ask("decay of the squares", "parameters")
    momentum: Share = ask("0 for none", "parameters")
    epsilon: Positive = ask("added below the fraction line", "parameters")


class Quickprop(_Optimiser):
    """Quickprop."""

    name: Literal["Quickprop"] = ask("the optimiser", "algorithm")
    learning_rate: Positive = ask("the step where no parabola is fitted", "parameters")
    max_growth: Positive = ask("the largest growth of a step", "parameters")
    weight_decay: NotNegative = ask("0 for none", "parameters")


class OtherOptimiser(_Optimiser):
    """Any other optimiser, described."""

    other: Exact = ask("the optimiser", "algorithm")
    parameters: dict[str, Parameter] = ask("every parameter with its value", "parameters")


Optimiser = Rprop | SGD | Adam | RMSprop | Quickprop | OtherOptimiser


class Stopping(Table):
    """When training ends, and which state is the result. Training ends as soon as one criterion is met."""

    longest: Count = ask("the longest training", "stopping")
    unit: Literal["epochs", "steps", "rounds"] = ask(
        "of longest and every", "stopping", "epochs", '"rounds"'
    )
    watches: Cases = ask(
        "whose error the criteria look at: validation cases, training cases, nothing", "stopping"
    )
    every: Count | None = ask("epochs from one measurement to the next", "stopping", None, "5")
    generalisation_loss: Positive | None = ask(
        "GL_alpha: alpha in per cent", "stopping", None, "5.0"
    )
    quotient: Positive | None = ask("PQ_alpha: alpha", "stopping", None, "0.5")
    successive_rises: Count | None = ask("UP_s: s rises one after the other", "stopping", None, "8")
    patience: Count | None = ask("measurements without a new best", "stopping", None, "10")
    min_gain: NotNegative = ask(
        "what counts as a new best, with patience", "stopping", 0.0, "0.001"
    )
    progress: Positive | None = ask(
        "training progress P below, per thousand", "stopping", None, "0.1"
    )
    target: NotNegative | None = ask("error at which training ends", "stopping", None, "0.01")
    criterion: Other | None = ask("any other", "stopping", None, '{ other = "..." }')
    state: Literal[
        "best on validation cases",
        "best on training cases",
        "best on test cases",
        "last",
        "average of the last",
    ] = ask(
        "which model is the result: best on validation cases, best on training cases, last, average of the last",
        "stopping",
    )
    judged_by: Literal["error", "per cent wrong"] = ask(
        "the measure by which it is best", "stopping", "error", '"per cent wrong"'
    )
    averaged: Count | None = ask("how many last epochs are averaged", "stopping", None, "10")
    restarts: Literal["never"] | Other = ask(
        "never, or the criterion for beginning again", "stopping"
    )


PerCent = Annotated[Number, Field(ge=0, le=100)]
Correlation = Annotated[Number, Field(ge=-1, le=1)]
Level = Annotated[Number, Field(gt=0, lt=100)]
TwoNumbers = Annotated[list[Number], Field(min_length=2, max_length=2)]
TwoCounts = Annotated[list[Whole], Field(min_length=2, max_length=2)]


class Problem(Table):
    name: Text = ask("the name of the problem, such as cancer", "problem")
    collection: (
        Literal["PROBEN1", "benchbook", "UCI", "OpenML", "own data", "simulated"] | Other
    ) = ask("PROBEN1, benchbook (its stand-ins), UCI, OpenML, or own data", "problem")
    kind: Literal["classification", "approximation"] = ask(
        "classification or approximation", "problem"
    )
    address: Text | None = ask(
        "where others get the file; needed outside PROBEN1", "problem", None, '"https://..."'
    )
    version: Text | None = ask(
        "which version: a date or a digest; needed outside PROBEN1", "problem", None, '"sha256 ..."'
    )
    distribution: Exact | None = ask(
        "of a simulation: inputs, targets and noise as formulas",
        "problem",
        None,
        '"y = sin 6x + 0.1 N(0, 1)"',
    )
    acknowledgement: Text | None = ask(
        "who collected the data, where its donors ask to be named", "acknowledgement", None, '"..."'
    )


class Study(Table):
    """The kind of study, by which some keys are not asked."""

    kind: Literal[
        "fit and test",
        "cross-validation",
        "backtest",
        "external validation",
        "evaluation without training",
        "simulation",
    ] = ask(
        "fit and test, cross-validation, backtest, external validation, evaluation without training, simulation",
        "kind of study",
    )


class Split(Table):
    kind: (
        Literal[
            "published", "in file order", "random", "k folds", "by time", "by groups", "simulated"
        ]
        | Other
    ) = ask("published, in file order, random, k folds, by time, by groups, simulated", "partition")
    name: Text = ask("such as cancer1, cancer1c for another order of it, or your own", "partition")
    cases: Count | None = ask("all cases; needed unless published", "partition", None, "699")
    training: Whole = ask("number of training cases; with folds, of one (the last)", "partition")
    validation: Whole = ask("number of validation cases; 0 for none", "partition")
    test: Count = ask("number of test cases; with folds, of one fold", "partition")
    folds: Annotated[int, Strict(), Field(ge=2)] | None = ask(
        "for k folds, or the number of origins of a backtest", "partition", None, "10"
    )
    repeats: Count = ask("how often the folds are drawn anew", "partition", 1, "1")
    stratified: Flag = ask("whether classes are spread evenly", "partition", False, "true")
    seed: Whole | None = ask("for random assignment", "partition", None, "1")
    program: Text | None = ask(
        "what draws from the seed", "partition", None, '"numpy 2.1, default_rng(seed).permutation"'
    )
    file: Text | None = ask("or where the lists of cases are", "partition", None, '"https://..."')
    groups: Text | None = ask("what stays together, for by groups", "partition", None, '"patient"')
    trained_on: Literal[
        "training cases",
        "training and validation cases",
        "training cases, then validation cases too",
    ] = ask("training cases, or training and validation cases", "validation set")
    validation_used_for: list[
        Literal[
            "nothing", "stopping", "choosing the state", "choosing among runs", "tuning", "training"
        ]
    ] = ask(
        'all uses: "nothing", "stopping", "choosing the state", "choosing among runs", "tuning"',
        "validation set",
    )
    test_used_for: Annotated[
        list[
            Literal[
                "results",
                "stopping",
                "choosing the state",
                "choosing among runs",
                "tuning",
                "training",
            ]
        ],
        Field(min_length=1),
    ] = ask('["results"], and nothing else', "test set")


class Encoding(Table):
    inputs: Exact = ask("as published, or exactly how attributes become inputs", "encoding")
    outputs: Exact = ask("as published, or exactly how targets become outputs", "encoding")
    fitted_on: Literal[
        "published",
        "training cases",
        "training and validation cases",
        "nothing",
        "test cases",
        "all cases",
    ] = ask(
        "where scales and filled-in values come from: published, training cases, nothing",
        "fitted encoding",
    )
    inputs_chosen_on: Cases = ask(
        "cases by which inputs were selected", "fitted encoding", "nothing", '"training cases"'
    )


class Tuning(Table):
    parameters: list[Text] = ask("what was chosen by trying; [] for nothing", "tuning")
    chosen_on: Annotated[list[Cases], Field(min_length=1)] = ask(
        "by what it was chosen, a list: nothing, validation cases, training cases, other data, "
        "published results",
        "tuning",
    )
    settings_tried: Whole = ask("how many settings were tried; 0 for none", "tuning")
    sensitivity: Text | None = ask(
        "how much depends on what was chosen", "sensitivity", None, '"little: ..."'
    )


class Error(Table):
    loss: (
        Literal[
            "squared error",
            "cross entropy",
            "absolute error",
            "hinge loss",
            "Huber loss",
            "Poisson loss",
        ]
        | Other
    ) = ask("what training minimises, such as squared error", "error function")
    reported: (
        Literal[
            "squared error percentage",
            "mean squared error",
            "root mean squared error",
            "sum of squared errors",
            "cross entropy",
            "mean absolute error",
            "per cent wrong",
        ]
        | Other
    ) = ask("what test_error is, such as mean squared error, or per cent wrong", "error function")
    unit: Text | None = ask(
        "of numbers that are no per cents, such as MSE: squared dollars, 1 for outputs from 0 to 1",
        "error function",
        None,
        '"dollars squared"',
    )
    half: Flag = ask("true for a factor 1/2 in the numbers", "error function", False, "true")
    averaged_over: list[Literal["cases", "outputs"]] = ask(
        "cases, outputs, both; [] for a sum", "error function"
    )
    output_range: Span | None = ask(
        "least and largest output; needed for percentages", "error function", None, "[0.0, 1.0]"
    )
    classes_by: (
        Literal["winner takes all", "threshold", "thresholds with rejection"] | Other | None
    ) = ask(
        "winner takes all, threshold, or thresholds with rejection",
        "class errors",
        None,
        '"winner takes all"',
    )
    threshold: Share | None = ask("for threshold", "class errors", None, "0.5")
    rejected_between: Span | None = ask(
        "outputs that are neither 0 nor 1, with rejection", "class errors", None, "[0.3, 0.7]"
    )


class Runs(Table):
    made: Count = ask("all runs made, failed ones and all folds included", "several runs")
    seeds: list[Whole] | Text | None = ask("of the runs", "seeds", None, "[1, 2, 3]")
    excluded: Whole = ask("runs left out of the results; 0, or exactly half", "excluded runs")
    excluded_as: Literal["worst half", "not converged", "failed", "outliers"] | Other | None = ask(
        "worst half", "excluded runs", None, '"worst half"'
    )
    judged_on: Cases | None = ask(
        "cases whose error decided", "excluded runs", None, '"validation cases"'
    )
    reason: Exact | None = ask("the rule, and why", "excluded runs", None, '"..."')


class Statistics(Table):
    mean: NotNegative = ask("mean over the runs", "statistics")
    sd: NotNegative | None = ask("standard deviation, divisor n - 1", "statistics", None, "0.0")
    minimum: NotNegative | None = ask("", "statistics", None, "0.0")
    median: NotNegative | None = ask("", "statistics", None, "0.0")
    maximum: NotNegative | None = ask("", "statistics", None, "0.0")
    cases_wrong: Whole | None = ask(
        "for per cents: the cases, of all n together", "statistics", None, "0"
    )


class BestRun(Table):
    chosen_on: Cases = ask("validation cases or training cases", "best run")
    test_error: NotNegative | None = ask("its error on the test cases", "best run", None, "0.0")
    test_wrong: PerCent | None = ask("its per cent wrong", "best run", None, "0.0")


class Results(Table):
    split: Text = ask("the name of the split that they belong to", "same partition")
    over: Literal["runs", "folds", "runs and folds"] = ask(
        "what the statistics are over", "statistics", "runs", '"folds"'
    )
    n: Count = ask("how many values they summarise", "statistics")
    test_error: Statistics | None = ask("the error on the test cases", "statistics", None)
    test_wrong: Statistics | None = ask("test cases wrong, per cent", "class errors", None)
    test_rejected: Statistics | None = ask("test cases rejected, per cent", "class errors", None)
    training_error: Statistics | None = ask("the training error", "statistics", None)
    validation_error: Statistics | None = ask("the validation error", "statistics", None)
    validation_wrong: Statistics | None = ask(
        "validation cases wrong, per cent", "class errors", None
    )
    overfit: Statistics | None = ask("generalisation loss at the end, %", "statistics", None)
    total_epochs: Statistics | None = ask("epochs trained", "times", None)
    relevant_epochs: Statistics | None = ask("epochs until the state taken", "times", None)
    traversals: Statistics | None = ask("connection traversals in all", "times", None)
    cpu_seconds: Statistics | None = ask("CPU seconds in all", "times", None)
    correlation: Correlation | None = ask(
        "of validation error and test error over the runs", "statistics", None, "0.0"
    )
    best_run: BestRun | None = ask("the run best by validation or training error", "best run", None)


QUANTITIES = tuple(
    name for name, field in Results.model_fields.items() if field.annotation == Statistics | None
)


class Comparison(Table):
    against: Text = ask("what it is compared with, and where that is from", "significance")
    split: Text = ask("the split of the other results", "same partition")
    quantity: Literal[
        "test_error",
        "test_wrong",
        "training_error",
        "validation_error",
        "validation_wrong",
        "total_epochs",
        "traversals",
        "cpu_seconds",
    ] = ask("which quantity of [results]", "statistics")
    claim: Literal["smaller", "larger", "no significant difference"] = ask(
        "this report's mean against the other: smaller, larger, no significant difference",
        "significance",
    )
    values: Literal["raw", "log"] = ask("tested as they are, or as logarithms", "significance")
    n: TwoCounts = ask("values tested, of this report and of the other", "equal runs")
    means: TwoNumbers = ask("means of the values tested: this report's, the other's", "statistics")
    sds: Annotated[list[NotNegative], Field(min_length=2, max_length=2)] = ask(
        "their standard deviations", "statistics"
    )
    test: (
        Literal[
            "Welch t test",
            "Student t test",
            "Cochran-Cox t test",
            "paired t test",
            "corrected resampled t test",
            "Wilcoxon signed-rank test",
            "Mann-Whitney test",
            "McNemar test",
            "permutation test",
            "bootstrap test",
            "5x2cv paired t test",
            "5x2cv F test",
            "Diebold-Mariano test",
        ]
        | Other
        | None
    ) = ask("the test, exactly", "significance", None, '"Welch t test"')
    sides: Literal[1, 2] = ask("of the test", "significance", 2, "1")
    pairs: Literal["none", "same seeds", "same folds", "same cases"] = ask(
        "what both sides share: none, same seeds, same folds, same cases",
        "design",
        "none",
        '"same folds"',
    )
    sd_difference: Positive | None = ask(
        "standard deviation of the paired differences", "design", None, "0.1"
    )
    discordant: TwoCounts | None = ask(
        "cases that only one gets wrong, for McNemar's test", "design", None, "[12, 5]"
    )
    tuned: Literal["as this report", "by its authors", "nothing to tune", "not"] | Other | None = (
        ask(
            "what tuning the other got: as this report, by its authors, nothing to tune, not",
            "fair comparison",
            None,
            '"as this report"',
        )
    )
    level: Level | None = ask("of the test, in per cent", "significance", None, "10")
    p: ShareOfAll | None = ask("the p-value", "significance", None, "0.03")
    p_below: ShareOfAll | None = ask("or a bound on it", "significance", None, "0.001")
    statistic: Number | None = ask("t, for t tests", "significance", None, "-2.2")
    outliers_removed: TwoCounts = ask(
        "values removed before the test, of each side", "outliers", [0, 0], "[2, 0]"
    )
    outlier_rule: Exact | None = ask("by which rule", "outliers", None, '"beyond 3 sd of the mean"')
    tests_made: Count = ask("tests that the study makes in all", "several tests", 1, "1")
    correction: Literal["none", "Bonferroni", "Holm", "Benjamini-Hochberg"] = ask(
        "for several tests", "several tests", "none", '"Holm"'
    )


class Time(Table):
    machine: Text = ask("for CPU seconds: processor with its model number", "times")
    software: Text = ask("language and libraries, with versions", "times")


class Report(Table):
    """A report on one method and one split."""

    study: Study | None = ask("the kind of study; by default fit and test", "kind of study", None)
    problem: Problem = ask("the data", "problem")
    split: Split = ask("which cases train, validate and test", "partition")
    encoding: Encoding = ask("inputs and outputs", "encoding")
    model: Model = ask("the learner", "network")
    initialisation: Initialisation | None = ask("needed for networks", "initialisation", None)
    optimiser: Optimiser | None = ask("needed for networks", "algorithm", None)
    tuning: Tuning = ask("how parameters were chosen", "tuning")
    stopping: Stopping | None = ask("needed for what is trained step by step", "stopping", None)
    error: Error = ask("the error function", "error function")
    runs: Runs = ask("the runs", "several runs")
    results: Results = ask("the results", "statistics")
    time: Time | None = ask("needed for CPU seconds", "times", None)
    comparison: list[Comparison] = ask("comparisons with other results", "significance", [])
