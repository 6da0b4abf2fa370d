"""The form: every table and key, what may stand there, which rule asks for it, and what its comment says."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Strict

from benchbook.checklist import words
from benchbook.checklist.learners import Initialisation, Model, Optimiser, Stopping
from benchbook.checklist.tables import (
    Count,
    Exact,
    Flag,
    NotNegative,
    Number,
    Other,
    Positive,
    Share,
    Span,
    Table,
    Text,
    Whole,
    ask,
)

PerCent = Annotated[Number, Field(ge=0, le=100)]
Correlation = Annotated[Number, Field(ge=-1, le=1)]
Level = Annotated[Number, Field(gt=0, lt=100)]
Probability = Annotated[Number, Field(gt=0, le=1)]
TwoNumbers = Annotated[list[Number], Field(min_length=2, max_length=2)]
TwoCounts = Annotated[list[Whole], Field(min_length=2, max_length=2)]


class Problem(Table):
    name: Text = ask("the name of the problem, such as cancer", "problem")
    collection: words.Collection | Other = ask(
        "PROBEN1, benchbook (its stand-ins), UCI, OpenML, or own data", "problem"
    )
    kind: words.Kind = ask("classification or approximation", "problem")
    address: Text | None = ask(
        "where others get the file; needed outside PROBEN1", "problem", None, '"https://..."'
    )
    version: Text | None = ask(
        "which version: a date or a digest; needed outside PROBEN1", "problem", None, '"sha256 ..."'
    )
    acknowledgement: Text | None = ask(
        "who collected the data, where its donors ask to be named", "acknowledgement", None, '"..."'
    )


class Split(Table):
    kind: words.SplitKind | Other = ask(
        "published, in file order, random, k folds, by time, by groups", "partition"
    )
    name: Text = ask("such as cancer1, cancer1c for another order of it, or your own", "partition")
    cases: Count | None = ask("all cases; needed unless published", "partition", None, "699")
    training: Count = ask("number of training cases; with folds, of one fold", "partition")
    validation: Whole = ask("number of validation cases; 0 for none", "partition")
    test: Count = ask("number of test cases; with folds, of one fold", "partition")
    folds: Annotated[int, Strict(), Field(ge=2)] | None = ask(
        "for k folds", "partition", None, "10"
    )
    repeats: Count = ask("how often the folds are drawn anew", "partition", 1, "1")
    stratified: Flag = ask("whether classes are spread evenly", "partition", False, "true")
    seed: Whole | None = ask("for random assignment", "partition", None, "1")
    program: Text | None = ask(
        "what draws from the seed", "partition", None, '"numpy 2.1, default_rng(seed).permutation"'
    )
    file: Text | None = ask("or where the lists of cases are", "partition", None, '"https://..."')
    groups: Text | None = ask("what stays together, for by groups", "partition", None, '"patient"')
    trained_on: words.TrainedOn = ask(
        "training cases, or training and validation cases", "validation set"
    )
    validation_used_for: list[words.ValidationUse] = ask(
        'all uses: "nothing", "stopping", "choosing the state", "choosing among runs", "tuning"',
        "validation set",
    )
    test_used_for: Annotated[list[words.TestUse], Field(min_length=1)] = ask(
        '["results"], and nothing else', "test set"
    )


class Encoding(Table):
    inputs: Exact = ask("as published, or exactly how attributes become inputs", "encoding")
    outputs: Exact = ask("as published, or exactly how targets become outputs", "encoding")
    fitted_on: words.FittedOn = ask(
        "where scales and filled-in values come from: published, training cases, nothing",
        "fitted encoding",
    )
    inputs_chosen_on: words.Cases = ask(
        "cases by which inputs were selected", "fitted encoding", "nothing", '"training cases"'
    )


class Tuning(Table):
    parameters: list[Text] = ask("what was chosen by trying; [] for nothing", "tuning")
    chosen_on: Annotated[list[words.Cases], Field(min_length=1)] = ask(
        "by what it was chosen, a list: nothing, validation cases, training cases, other data, "
        "published results",
        "tuning",
    )
    settings_tried: Whole = ask("how many settings were tried; 0 for none", "tuning")
    sensitivity: Text | None = ask(
        "how much depends on what was chosen", "sensitivity", None, '"little: ..."'
    )


class Error(Table):
    loss: words.Loss | Other = ask(
        "what training minimises, such as squared error", "error function"
    )
    reported: words.Measure | Other = ask(
        "what test_error is, such as mean squared error, or per cent wrong", "error function"
    )
    half: Flag = ask("true for a factor 1/2 in the numbers", "error function", False, "true")
    averaged_over: list[Literal["cases", "outputs"]] = ask(
        "cases, outputs, both; [] for a sum", "error function"
    )
    output_range: Span | None = ask(
        "least and largest output; needed for percentages", "error function", None, "[0.0, 1.0]"
    )
    classes_by: words.ClassesBy | Other | None = ask(
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
    excluded_as: words.Excluded | Other | None = ask(
        "worst half", "excluded runs", None, '"worst half"'
    )
    judged_on: words.Cases | None = ask(
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
    chosen_on: words.Cases = ask("validation cases or training cases", "best run")
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
    claim: words.Claim = ask(
        "this report's mean against the other: smaller, larger, no significant difference",
        "significance",
    )
    values: Literal["raw", "log"] = ask("tested as they are, or as logarithms", "significance")
    n: TwoCounts = ask("values tested, of this report and of the other", "equal runs")
    means: TwoNumbers = ask("means of the values tested: this report's, the other's", "statistics")
    sds: Annotated[list[NotNegative], Field(min_length=2, max_length=2)] = ask(
        "their standard deviations", "statistics"
    )
    test: words.Test | Other | None = ask(
        "the test, exactly", "significance", None, '"Welch t test"'
    )
    sides: Literal[1, 2] = ask("of the test", "significance", 2, "1")
    pairs: words.Pairs = ask(
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
    level: Level | None = ask("of the test, in per cent", "significance", None, "10")
    p: Probability | None = ask("the p-value", "significance", None, "0.03")
    p_below: Probability | None = ask("or a bound on it", "significance", None, "0.001")
    statistic: Number | None = ask("t, for t tests", "significance", None, "-2.2")
    outliers_removed: TwoCounts = ask(
        "values removed before the test, of each side", "outliers", [0, 0], "[2, 0]"
    )
    outlier_rule: Exact | None = ask("by which rule", "outliers", None, '"beyond 3 sd of the mean"')
    tests_made: Count = ask("tests that the study makes in all", "several tests", 1, "1")
    correction: words.Correction = ask("for several tests", "several tests", "none", '"Holm"')


class Time(Table):
    machine: Text = ask("for CPU seconds: processor with its model number", "times")
    software: Text = ask("language and libraries, with versions", "times")


class Report(Table):
    """A report on one method and one split."""

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
