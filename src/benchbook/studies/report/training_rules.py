"""Rules about the network, its training, and what was tuned on what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchbook.methods.proben1 import Topology
from benchbook.studies.report.form import Form, shown
from benchbook.studies.report.kinds import Number, numbers, out_of_range, stated

_POSITIVE, _SHARE = Number(above=0.0), Number(0.0, below=1.0)
# Of these algorithms it is known which parameters they have, and which values; of others at least one is asked for.
PARAMETERS = {
    "rprop": {
        "increase": ("the factor of a step whose slope keeps its sign", Number(above=1.0)),
        "decrease": ("the factor when it changes", Number(above=0.0, below=1.0)),
        "first_step": ("the first step, or the range that it is drawn from", _POSITIVE),
        "most_step": ("the largest step", _POSITIVE),
        "least_step": ("the smallest step", Number(0.0)),
    },
    "backpropagation": {
        "learning_rate": ("the step in the direction of the gradient", _POSITIVE),
        "momentum": ("the share of the last step that is added; 0 for none", _SHARE),
    },
    "quickprop": {
        "learning_rate": ("the step where no parabola is fitted", _POSITIVE),
        "weight_decay": ("what is taken off the weights; 0 for none", Number(0.0)),
        "most_growth": ("the largest growth of a step", _POSITIVE),
    },
    "adam": {
        "learning_rate": ("the step", _POSITIVE),
        "beta_1": ("decay of the mean", _SHARE),
        "beta_2": ("decay of the squares", _SHARE),
        "epsilon": ("what is added below the fraction line", Number(0.0)),
    },
}
_STEPS = ("least_step", "first_step", "most_step")
_MANY_SIGMOIDS = re.compile(
    r"(the |a |standard |usual |normal )*(sigmoid|sigmoidal|squashing|s-shaped)( function| unit)?s?",
    re.I,
)
_RANDOM = (
    "random",
    "small random",
    "small random value",
    "random value",
    "small random weight",
    "random weight",
)
_STANDARD_SIGMOID = re.compile(r"(the )?standard sigmoid( function)?", re.I)
_NUMBER = re.compile(r"\d")


def network(form: Form) -> None:
    """Weights are as many as the layers make; hidden units have a function."""
    inputs, hidden, outputs = (
        form.get(f"network.{key}") for key in ("inputs", "hidden", "outputs")
    )
    shortcuts, given = form.get("network.shortcuts"), form.get("network.connections")
    if hidden:
        form.need(
            "network.hidden_activation",
            "there are hidden layers",
            "a formula, such as 'x / (1 + |x|)'",
            "activation",
        )
    if None in (inputs, hidden, outputs, given) or shortcuts not in ("all", "none"):
        return
    count = Topology(inputs, tuple(hidden), outputs, shortcuts == "all").connections
    if count != given:
        form.refuse(
            "network.connections",
            str(given),
            f"{count}, biases included: so many do these layers make with "
            f"{shortcuts} of the shortcuts",
            "network",
        )


def activations(form: Form) -> None:
    """A sigmoid is one of many; its formula says which, or the name of the standard one."""
    for key in ("network.hidden_activation", "network.output_activation"):
        value = form.get(key)
        if value is None or _STANDARD_SIGMOID.fullmatch(value.strip()):
            continue
        if _MANY_SIGMOIDS.fullmatch(value.strip()):
            form.refuse(
                key,
                shown(value),
                "which: 'standard sigmoid' for 1 / (1 + exp(-x)), 'tanh', 'x / (1 + |x|)' "
                "or another formula",
                "activation",
            )


def initialisation(form: Form) -> None:
    """The law of the first weights has its range or its spread; a range without a law means evenly from it."""
    law = (form.get("initialisation.law") or "").lower()
    if law.startswith("uniform"):
        if not _NUMBER.search(law):
            form.need(
                "initialisation.range",
                "the weights are uniform",
                "the two ends, such as [-0.01, 0.01]; or in "
                "the law how they follow from the network",
                "initialisation",
            )
    elif law.startswith(("normal", "gauss")):
        form.need(
            "initialisation.sd",
            "the weights are normal",
            "their standard deviation",
            "initialisation",
        )
    elif law.rstrip("s") in _RANDOM and form.get("initialisation.range") is None:
        form.refuse(
            "initialisation.law",
            shown(form.get("initialisation.law")),
            "the distribution, or initialisation.range alone, which is taken as even",
            "initialisation",
        )


def parameters(form: Form) -> None:
    """Every parameter of a known algorithm has a value, and one that it can have."""
    name, given = form.get("algorithm.name"), form.get("algorithm.parameters")
    if given is None:
        return
    wanted = PARAMETERS.get(re.sub(r"[^a-z]", "", (name or "").lower()), {})
    for parameter in dict.fromkeys([*wanted, *given]):
        key, value = f"algorithm.parameters.{parameter}", given.get(parameter)
        says, kind = wanted.get(
            parameter,
            ("its value: a number, a list of numbers, or the rule by which it adapts", Number()),
        )
        if parameter not in given:
            form.refuse(key, "nothing", says, "parameters")
        elif not stated(value):
            form.refuse(key, shown(value), says, "parameters")
        elif write := out_of_range(value, kind):
            form.refuse(key, shown(value), f"{write}: {says}", "parameters")
    if not wanted and not given:
        form.refuse(
            "algorithm.parameters", "an empty table", "every parameter with its value", "parameters"
        )
    if "first_step" in wanted:
        _steps(form, given)


def _steps(form: Form, given: Mapping[str, Any]) -> None:
    """The first step is from the smallest to the largest."""
    steps = [numbers(given.get(name)) for name in _STEPS]
    if all(steps) and not max(steps[0]) <= min(steps[1]) <= max(steps[1]) <= min(steps[2]):
        form.refuse(
            "algorithm.parameters.first_step",
            shown(given["first_step"]),
            f"from the smallest step, {shown(given['least_step'])}, to the largest, "
            f"{shown(given['most_step'])}",
            "parameters",
        )


def tuning(form: Form) -> None:
    """What was chosen by trying was not chosen on the test cases, and the number of tries is given."""
    chosen, on, tried = (
        form.get(f"tuning.{key}") for key in ("parameters", "chosen_on", "settings_tried")
    )
    if "test cases" in (on or ()):
        form.refuse(
            "tuning.chosen_on",
            shown(on),
            "validation cases, on which to choose again; what the test cases chose is no result",
            "tuning",
        )
    if chosen is None or on is None:
        return
    if chosen and "nothing" in on:
        form.refuse(
            "tuning.chosen_on", shown(on), f"by what {', '.join(chosen)} was chosen", "tuning"
        )
    if not chosen and "nothing" not in on:
        form.refuse(
            "tuning.parameters",
            "[]",
            f'what was chosen on {" and ".join(on)}; or chosen_on = ["nothing"]',
            "tuning",
        )
    if tried is not None and (tried == 0) == bool(chosen):
        form.refuse(
            "tuning.settings_tried",
            str(tried),
            "how many settings were compared"
            if chosen
            else "0, as nothing was chosen; or in tuning.parameters what was",
            "tuning",
        )
    if "published results" in on:
        form.doubt(
            "tuning.chosen_on",
            shown(on),
            "nothing else if it is true, and do not call the result better than "
            "those it was matched to",
            "reproduction",
        )
    if chosen and form.get("tuning.sensitivity") is None:
        form.doubt(
            "tuning.sensitivity",
            "nothing",
            f"how much the results change with {', '.join(chosen)}",
            "sensitivity",
        )


def stopping(form: Form) -> None:
    """Training ends by a rule with numbers, which looks at cases that it may look at, and the state taken is said."""
    criterion, on, state = (
        form.get(f"stopping.{key}") for key in ("criterion", "measured_on", "state")
    )
    if on == "test cases" or (criterion and re.search(r"\btest", criterion, re.I)):
        form.refuse(
            "stopping.measured_on",
            shown(on),
            '"validation cases"; a network that the test cases stopped has been trained on them',
            "test set",
        )
    if state == "least test error":
        form.refuse(
            "stopping.state",
            '"least test error"',
            '"least validation error": the least test error of a run '
            "says how it would be with knowledge that nobody has",
            "test set",
        )
    if criterion is not None and on != "nothing" and not _NUMBER.search(criterion):
        form.refuse(
            "stopping.criterion",
            shown(criterion),
            "the criterion with its numbers, such as 'GL_5 or P < 0.1'",
            "stopping",
        )
    if on not in (None, "nothing"):
        form.need(
            "stopping.strip",
            f"the error is measured on {on}",
            "how many epochs lie between measurements",
            "stopping",
        )
    watched = on == "validation cases" or state == "least validation error"
    if watched and form.get("partition.validation") == 0:
        key = "measured_on" if on == "validation cases" else "state"
        form.refuse(
            f"stopping.{key}",
            shown(form.get(f"stopping.{key}")),
            "something else: there are no validation cases",
            "stopping",
        )


RULES = (network, activations, initialisation, parameters, tuning, stopping)
