"""The rules that a report is checked against, each with the section that states it, and what breaks them.

They are PROBEN1's (Prechelt 1994, chapter 2) in our words; the few that are ours say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchbook.errors import Fault, FaultyInput


@dataclass(frozen=True)
class Rule:
    """One rule.

    Args:
        name: what the book calls it.
        section: of PROBEN1, such as ``2.3``; for a rule of ours, the section it follows from.
        words: the rule, a sentence.
        ours: whether PROBEN1 does not have it.
    """

    name: str
    section: str
    words: str
    ours: bool

    @property
    def source(self) -> str:
        """Where the rule comes from: ``PROBEN1, section 2.3``."""
        return f"{'ours, after ' if self.ours else ''}PROBEN1, section {self.section}"


_PROBEN1 = {
    ("problem", "2.2"): "Others must get the very same data: the name in a collection, or an "
    "address and a version",
    (
        "acknowledgement",
        "3.1",
    ): "Who collected the data is named where the data's donors ask for it",
    ("partition", "2.3"): "A report states which cases train, validate and test; how many is not "
    "enough",
    ("test set", "2.3"): "Nothing about the test cases is known before the result; otherwise the "
    "benchmark is invalid",
    ("validation set", "2.3"): "Validation cases judge the model while it trains; cases that it is "
    "trained on are training cases",
    (
        "same partition",
        "2.3",
    ): "Results belong to one partition; they are reported and compared for "
    "each partition separately",
    (
        "encoding",
        "2.4",
    ): "The encoding of inputs and outputs is stated exactly, with every change to "
    "a published encoding",
    ("algorithm", "2.5"): "The algorithm is cited or described exactly, with every alteration",
    ("parameters", "2.5"): "Every free parameter has its value, or the rule by which it adapts",
    (
        "tuning",
        "2.5",
    ): "How parameters were chosen is stated, and none was chosen by results on the test cases",
    ("sensitivity", "2.5"): "How much depends on a parameter that the user chooses is stated",
    (
        "error function",
        "2.6",
    ): "The error function is named with its normalisation: factors, sum or "
    "mean, range of the outputs",
    (
        "class errors",
        "2.6",
    ): "For classes the per cent classified wrongly is given, not the per cent "
    "classified correctly, and how an output becomes a class unless the largest output decides",
    (
        "network",
        "2.7",
    ): "Units of every layer, which layers feed which, and what is not standard are "
    "stated; 'fully connected' has two meanings",
    (
        "several runs",
        "2.8",
    ): "Several runs are made and described: 10 or 30 times a power of ten, or else 20 or 60",
    ("statistics", "2.8"): "The mean and the standard deviation (divisor n - 1) of the test error "
    "over the runs are given",
    ("best run", "2.8"): "The best run is reported too, selected by training or validation error, "
    "never by its test error",
    (
        "excluded runs",
        "2.8",
    ): "Whoever excludes runs excludes exactly half, the worst by training or validation error",
    (
        "outliers",
        "2.8",
    ): "At most 10 % of the values of any one sample are removed as outliers, from "
    "the samples of a test only, so that its assumption holds",
    (
        "significance",
        "2.8",
    ): "A claimed difference has a test whose assumptions the values, or their logarithms, meet",
    (
        "times",
        "2.9",
    ): "Training time is given in connection traversals, or in CPU seconds of a named "
    "machine and software",
    ("activation", "2.10"): "Activation functions are given exactly; 'sigmoid' and 'nonlinear' are "
    "many functions",
    ("initialisation", "2.10"): "The distribution of the initial weights is given with its numbers",
    (
        "stopping",
        "2.10",
    ): "When training ends, and begins again, is given so exactly that a program could do it",
    ("quick check", "2.11"): "A report is checked against the whole list before it is sent",
}
_OURS = {
    (
        "fitted encoding",
        "2.3",
    ): "A scale or a filled-in value that was computed from the test cases "
    "carries information about them",
    (
        "reproduction",
        "2.5",
    ): "Constants found by matching published results know what these knew of "
    "the test cases: fit to reproduce, not to win",
    (
        "other words",
        "2.11",
    ): "What is described in words only, no program can check; a reader has to",
    ("seeds", "2.8"): "The seeds of the runs are given, so that others can repeat them",
    ("equal runs", "2.8"): "Two means are compared from equal numbers of runs",
    (
        "kind of study",
        "2.11",
    ): "What a kind of study does not have is not asked, and what contradicts it is no answer",
    (
        "fair comparison",
        "2.8",
    ): "Both sides of a comparison have the same cases and as much tuning",
    (
        "design",
        "2.8",
    ): "The test fits the design: paired values have a paired test, and folds share training cases",
    ("several tests", "2.8"): "The more tests are made, the more differences are found by chance",
    ("arithmetic", "2.8"): "Numbers that no set of runs can have are no result",
}
RULES = {
    name: Rule(name, section, words, ours=rules is _OURS)
    for rules in (_PROBEN1, _OURS)
    for (name, section), words in rules.items()
}


class Draft(NamedTuple):
    """What a rule found: the key, what to write there, the rule's name; ``found`` where the value does not show it."""

    key: str
    write: str
    rule: str
    found: str = ""
    warning: bool = False


def fault(key: str, write: str, rule: str, found: str = "") -> Draft:
    """A fault: the report does not pass."""
    return Draft(key, write, rule, found)


def faults_of(*rows: tuple[Any, str, str, str]) -> Iterator[Draft]:
    """A fault for each row whose condition holds: the condition, the key, what to write, the rule."""
    return (fault(*words) for wrong, *words in rows if wrong)


def remark(key: str, write: str, rule: str, found: str = "") -> Draft:
    """A remark: a reader should know."""
    return Draft(key, write, rule, found, warning=True)


@dataclass(frozen=True)
class Finding(Fault):
    """A fault of a report, or with ``warning`` only a remark.

    ``key`` is the dotted name, ``line`` the line of the file when there is one, ``found`` what stands there, ``write``
    what to write instead, ``broken`` the rule that asks for it. ``where`` and ``rule`` put these into the words of
    every other fault.
    """

    key: str
    line: int | None
    write: str
    broken: Rule
    warning: bool = False

    @classmethod
    def at(
        cls, key: str, line: int | None, found: str, write: str, rule: str, warning: bool = False
    ) -> Finding:
        """A finding under the rule of that name."""
        broken, where = RULES[rule], f"{key} (line {line})" if line else key
        words = f"{write}. [{broken.source}: {broken.words}]"
        return cls(where, found, words, key, line, write, broken, warning)

    def describe(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return {
            "key": self.key,
            "line": self.line,
            "found": self.found,
            "write": self.write,
            "rule": self.broken.name,
            "source": self.broken.source,
            "words": self.broken.words,
        }


class FaultyReport(FaultyInput):
    """A report with faults; ``warnings`` holds the remarks on it."""

    def __init__(self, what: str, faults: Sequence[Finding], warnings: Sequence[Finding]) -> None:
        self.findings, self.warnings = tuple(faults), tuple(warnings)
        super().__init__(what, faults)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.findings, self.warnings)
