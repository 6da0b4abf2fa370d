"""The tables of the form about the model and its training."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from benchbook.checklist.tables import (
    Count,
    Exact,
    Flag,
    NotNegative,
    Number,
    Other,
    Parameter,
    Positive,
    Share,
    Span,
    Table,
    Text,
    ask,
)
from benchbook.checklist.words import Activation, Cases, Connections, Distribution, State

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
    connections: Connections | Other = ask(
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

    distribution: Distribution | Other = ask(
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
    state: State = ask(
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
