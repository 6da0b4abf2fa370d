"""The rules that a report is held against, each with the place where it stands.

They are PROBEN1's (1994, chapter 2) in our words; the few that are ours say so.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Law:
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
    ours: bool = False

    @property
    def source(self) -> str:
        """Where the rule comes from: ``PROBEN1, section 2.3``."""
        return f"{'ours, after ' if self.ours else ''}PROBEN1, section {self.section}"


_LAWS = (
    Law(
        "problem",
        "2.2",
        "Others must get the very same data: the name in a collection, or an address and a version",
    ),
    Law(
        "partition",
        "2.3",
        "It is said which cases train, validate and test; how many is not enough",
    ),
    Law(
        "test set",
        "2.3",
        "No knowledge of the test cases enters before the result; otherwise the benchmark is "
        "invalid",
    ),
    Law(
        "validation set",
        "2.3",
        "Validation cases judge the network while it trains; cases that it is trained on are "
        "training cases",
    ),
    Law(
        "same partition",
        "2.3",
        "Results belong to one partition and are reported, and compared, for each by itself",
    ),
    Law(
        "encoding",
        "2.4",
        "How attributes become inputs and outputs is said exactly, each change to a published "
        "encoding too",
    ),
    Law(
        "fitted encoding",
        "2.3",
        "A scale or a filled-in value that was learned from the test cases tells of them",
        ours=True,
    ),
    Law(
        "algorithm",
        "2.5",
        "The algorithm is cited or described exactly, and a variant has a name of its own",
    ),
    Law("parameters", "2.5", "Every free parameter has its value, or the rule by which it adapts"),
    Law(
        "tuning",
        "2.5",
        "It is said how parameters were found, and none was chosen by how well it does on the test "
        "cases",
    ),
    Law(
        "sensitivity",
        "2.5",
        "Of a parameter that the user chooses it is said how much hangs on the choice",
    ),
    Law(
        "reproduction",
        "2.5",
        "Constants found by matching published results know what these knew of the test cases: "
        "fit to reproduce, not to win",
        ours=True,
    ),
    Law(
        "error function",
        "2.6",
        "The error function is named with its normalisation: factors, sum or mean, range of "
        "the outputs",
    ),
    Law(
        "class errors",
        "2.6",
        "For classes the per cent classified wrongly is given, not the per cent classified "
        "rightly, unless that is far below 50, and if space permits the error function too; "
        "unless the largest output takes all, it is said how an output becomes a class",
    ),
    Law(
        "network",
        "2.7",
        "Units of every layer, which layers feed which, and what is not standard are said",
    ),
    Law(
        "several runs",
        "2.8",
        "Several runs are made and described: 10 or 30 times a power of ten, or else 20 or 60",
    ),
    Law(
        "statistics",
        "2.8",
        "The mean and the standard deviation of the test error over the runs are given",
    ),
    Law(
        "best run",
        "2.8",
        "A best run is picked by training or validation error, never by its test error",
    ),
    Law(
        "excluded runs",
        "2.8",
        "Whoever leaves runs out leaves out exactly half, the worst by training or validation "
        "error",
    ),
    Law(
        "outliers",
        "2.8",
        "At most 10 % of the runs are removed as outliers, by a stated rule, so that a test's "
        "assumption holds",
    ),
    Law(
        "significance",
        "2.8",
        "A claimed difference has a test whose assumptions the values, or their logarithms, meet",
    ),
    Law("equal runs", "2.8", "Two means are compared from equal numbers of runs", ours=True),
    Law(
        "several tests",
        "2.8",
        "The more tests are made, the more differences are found that are not there",
        ours=True,
    ),
    Law("arithmetic", "2.8", "Numbers that no set of runs can have are no result", ours=True),
    Law(
        "times",
        "2.9",
        "Training time is given in connection traversals, or in CPU seconds of a named machine",
    ),
    Law(
        "activation",
        "2.10",
        "Activation functions are given as formulas, except for the two standard ones: standard "
        "sigmoid, 1 / (1 + exp(-x)), and tanh",
    ),
    Law(
        "initialisation",
        "2.10",
        "The law from which the first weights are drawn is given; a range alone means evenly "
        "from it",
    ),
    Law(
        "stopping",
        "2.10",
        "When training ends, and begins anew, is given so exactly that a program could do it",
    ),
    Law("quick check", "2.11", "A report is held against the whole list before it is sent"),
)

LAWS = {law.name: law for law in _LAWS}
