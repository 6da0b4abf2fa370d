"""The conformance suite: what every method must withstand before its losses mean anything."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from benchbook.errors import BenchbookError, FaultyInput, Undefined
from benchbook.methods.answers import answer
from benchbook.methods.base import Method, refuse_faulty
from benchbook.methods.described import describe
from benchbook.methods.programs import CommandMethod
from benchbook.predictive import Categorical, Outputs
from benchbook.seeds import generator
from benchbook.statistics import standard_error
from benchbook.tasks import Coding, Encoding, Fitted, PartitionInstance, TaskInstance
from benchbook.user_code import untouched

if TYPE_CHECKING:
    from benchbook.predictive import Predictive

_TOLERANCE = 1e-6
_TRAIN, _TEST, _HELD, _INPUTS, _CLASSES = 30, 8, 15, 3, ("a", "b", "c")
_SEEDS_USED, _LEVEL = 32, 1e-3
_ALONE = "fit nothing (means, scales, neighbours) on test_inputs"
_SEEDS = f"compared over {_SEEDS_USED} seeds"
_READ_ONLY = (
    "the arrays of an instance cannot be written to; work on a copy, instance.train_inputs.copy()"
)


@dataclass(frozen=True)
class CheckResult:
    """One check: what was checked, whether the method passed, and what was found or what to do."""

    name: str
    passed: bool
    message: str


class _Failed(Exception):
    """A check that the method did not pass; the text says what to do."""


def check(method: Method, seed: int = 1) -> list[CheckResult]:
    """Put a method through all checks, on small instances made for the purpose, for each kind of target it declares.

    A program cannot declare its targets; it is put to those for which it has a valid answer, and a note says which.
    Two more checks are notes, which always pass: whether another seed gives another answer, and how far the answers
    move when the training cases are put in another order. A method that draws random numbers for each test case,
    such as a sampler of predictions, cannot answer a case to the bit alike when others are beside it; it is asked under
    many seeds, and must not differ but by chance.

    Args:
        method: any method.
        seed: fixes the instances and the random numbers the method is given.
    """
    try:
        refuse_faulty(method)
        if not str(method.description).strip():
            raise _Failed("there is no description; say in one sentence what the method does")
    except (FaultyInput, _Failed) as error:
        return [CheckResult("declaration", False, str(error))]
    results = [
        CheckResult("declaration", True, f"{method.name}: {method.description}"),
        documented(method),
    ]
    benches = {kind: _Bench(method, kind, seed) for kind in sorted(method.kinds)}
    if isinstance(method, CommandMethod):
        benches = _answered_kinds(benches)
        results.append(CheckResult("targets", True, f"note: it answers for {_kinds(benches)}"))
    for kind, bench in benches.items():
        results += [
            _carry_out(f"{kind} target: {name}", run, bench) for name, run in _CHECKS.items()
        ]
    return results


def _answered_kinds(benches: dict[str, _Bench]) -> dict[str, _Bench]:
    """The kinds of target for which a program has a valid answer; all of them when it has none."""
    answered = {}
    for kind, bench in benches.items():
        with suppress(BenchbookError):
            bench.ask("ordinary")
            answered[kind] = bench
    return answered or benches


def _kinds(benches: dict[str, _Bench]) -> str:
    return " and ".join(f"{kind} targets" for kind in benches)


def documented(method: Method) -> CheckResult:
    """Whether a reader of its losses can find out what the method is."""
    shown, missing = describe(method), []
    if not shown.text:
        missing.append("a docstring that says step by step what it does")
    if not shown.source:
        missing.append('where it comes from, source="author, work, section" or "ours"')
    if missing:
        return CheckResult("documentation", False, f"give it {' and '.join(missing)}")
    return CheckResult("documentation", True, f"source: {shown.source}")


def _carry_out(name: str, run: Callable[[_Bench], str], bench: _Bench) -> CheckResult:
    try:
        return CheckResult(name, True, run(bench))
    except _Failed as error:
        return CheckResult(name, False, str(error))
    except BenchbookError as error:
        advice = (
            f"\n{_READ_ONLY}"
            if any(word in str(error) for word in ("read-only", "WRITEABLE"))
            else ""
        )
        return CheckResult(name, False, f"{error}{advice}")


class _Bench:
    """A method with instances to try it on."""

    def __init__(self, method: Method, kind: str, seed: int) -> None:
        self.method, self.kind, self.seed = method, kind, seed
        rng = generator(seed, "conformance", kind)
        self.inputs = rng.normal(size=(_TRAIN, _INPUTS))
        self.queries = rng.normal(size=(_TEST, _INPUTS))
        slopes = np.array([1.0, -0.7, 0.4])
        signal = self.inputs @ slopes + 0.3 * rng.normal(size=_TRAIN)
        self.targets: np.ndarray = signal
        most = getattr(method, "most_classes", 0) if kind == "class" else 0
        self.classes = _CLASSES[: most or None]
        if kind != "real":
            bounds = np.quantile(signal, [0.3, 0.7][: len(self.classes) - 1])
            self.targets = np.digitize(signal, bounds).astype(np.int64)
        if kind == "outputs":
            self.held = rng.normal(size=(_HELD, _INPUTS))
            self.held_targets = np.eye(3)[np.digitize(self.held @ slopes, bounds)]
            self.targets = np.eye(3)[self.targets]
        self.least, self.most = int(np.argmin(signal)), int(np.argmax(signal))

    def instance(self, name: str, number: int = 0, **changes: np.ndarray) -> TaskInstance:
        """The ordinary instance, with ``inputs``, ``targets`` or ``queries`` put in place of its own."""
        inputs, targets, queries = (
            changes.get(key, getattr(self, key)) for key in ("inputs", "targets", "queries")
        )
        columns = [
            Fitted(Coding(f"x{i + 1}", "real", "copy", {}, ()), (f"x{i + 1}",))
            for i in range(inputs.shape[1])
        ]
        classes = self.classes if self.kind != "real" else ()
        nominal = Coding("t", "nominal", "0-up", {}, classes)
        target = nominal if self.kind == "class" else Coding("t", "real", "copy", {}, ())
        encoding = Encoding(tuple(columns), Fitted(target, ("t",)))
        given: dict[str, Any] = {
            "task": f"conformance/{name.replace(' ', '-')}/std.{len(targets)}",
            "number": number,
            "kind": self.kind,
            "classes": classes,
            "train_inputs": inputs.copy(),
            "train_targets": targets.copy(),
            "test_inputs": queries.copy(),
            "case_ids": np.arange(len(queries)),
            "input_groups": encoding.groups(),
            "encoding": encoding,
            "digest": "",
        }
        if self.kind != "outputs":
            return TaskInstance(**given)
        held_out = self.held[:, : inputs.shape[1]].copy()
        return PartitionInstance(
            **given, validation_inputs=held_out, validation_targets=self.held_targets.copy()
        )

    def rng(self, step: int = 0) -> np.random.Generator:
        return generator(self.seed + step, "conformance answers", self.kind)

    @cached_property
    def ordinary(self) -> Predictive:
        """The answer to the ordinary instance, asked for once: most checks compare with it."""
        return self.ask("ordinary")

    def ask(self, name: str, number: int = 0, **changes: np.ndarray) -> Predictive:
        return answer(self.method, self.instance(name, number, **changes), self.rng())[0]

    @cached_property
    def seeded(self) -> bool:
        """Whether another seed gives another answer."""
        return (
            _difference(
                self.ordinary, answer(self.method, self.instance("ordinary"), self.rng(step=1))[0]
            )
            > 0
        )

    def systematic(self, cases: np.ndarray, queries: np.ndarray, places: np.ndarray) -> str | None:
        """How far, over many seeds, the answers move with the test cases beside them; None when it may be chance.

        Every seed is used twice, for the ordinary test cases and for ``queries``. Where a method draws as many numbers
        in the same order for both, their effect drops out of the difference, and the least use of the other cases
        remains; where it does not, the differences are noise about zero. Each figure of each case (``_figures``) has a
        paired t test, Bonferroni's level ``_LEVEL`` for all.

        Args:
            cases: the test cases looked at, by their number. queries: other test inputs, [K, d].
            places: where those cases are in ``queries``.
        """
        rows, first = [], None
        for step in range(2, 2 + _SEEDS_USED):
            usual = answer(self.method, self.instance("ordinary"), self.rng(step))[0].take(cases)
            other = answer(
                self.method, self.instance("other test cases", queries=queries), self.rng(step)
            )[0]
            before, after = _figures(usual), _figures(other.take(places))
            if before.shape != after.shape:
                return "distributions of another kind"
            first = before if first is None else first
            rows.append((after - before).ravel())
        moved = np.array(rows)
        moved[np.abs(moved) <= _TOLERANCE * np.abs(np.asarray(first)).ravel()] = 0.0
        mean, error = moved.mean(axis=0), standard_error(moved.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(mean == 0, 0.0, np.abs(mean) / error)
        critical = float(-scipy.special.stdtrit(len(moved) - 1, _LEVEL / (2 * len(mean))))
        worst = int(np.argmax(statistic))
        return f"{abs(mean[worst]):.2g} on average" if statistic[worst] > critical else None

    def answers(self, name: str, **changes: np.ndarray) -> str:
        """Ask and be content with any valid answer."""
        return f"answered with {self.ask(name, 0, **changes)!r}"


def _difference(first: Predictive, second: Predictive) -> float:
    """The largest difference between parameters of two predictions, relative to the largest number of each."""
    if first.kind != second.kind:
        return float("inf")
    worst = 0.0
    for name, left in first.parameters.items():
        right = second.parameters[name]
        if left.shape != right.shape:
            return float("inf")
        if not np.array_equal(left, right):
            scale = max(float(np.max(np.abs(left))), float(np.max(np.abs(right))))
            worst = max(worst, float(np.max(np.abs(left - right))) / scale)
    return worst


def _figures(prediction: Predictive) -> np.ndarray:
    """What a prediction says of each case, as numbers: [J, C] probabilities or outputs, else location and spread."""
    if isinstance(prediction, Categorical):
        return prediction.probability
    if isinstance(prediction, Outputs):
        return prediction.value
    middle = prediction.median()
    try:
        return np.column_stack(
            [middle, prediction.mean(), np.log(np.sqrt(prediction.variance()) + 1e-9)]
        )
    except Undefined:
        return np.column_stack([middle, prediction.quantile([0.25, 0.75])])


def _ordinary(bench: _Bench) -> str:
    return f"answered with {bench.ordinary!r}"


def _same_seed(bench: _Bench) -> str:
    moved = _difference(bench.ordinary, bench.ask("ordinary"))
    if moved > 0:
        raise _Failed(
            f"two calls with the same seed differ by {moved:.2g}; take all randomness from rng, not from "
            "numpy.random or the clock, and keep nothing from one call to the next"
        )
    return "two calls with the same seed agree to the bit"


def _nothing_kept(bench: _Bench) -> str:
    """The same second instance of a task whose first was asked before (by ``_ordinary``), and of one that was not."""
    changes = {"inputs": bench.inputs[::2] * 0.5, "targets": bench.targets[::2]}
    after, alone, again = (
        bench.ask(task, 1, **changes) for task in ("ordinary", "another task", "another task")
    )
    if (moved := _difference(alone, after)) > 0 and _difference(
        alone, again
    ) == 0:  # else ``_same_seed`` says it
        raise _Failed(
            f"an answer differs by {moved:.2g} when another instance of the same task was asked before; keep "
            "nothing from one call to the next, since training sets are to have no case in common"
        )
    return "what was asked before does not matter"


def _another_seed(bench: _Bench) -> str:
    other = answer(bench.method, bench.instance("ordinary"), bench.rng(step=1))[0]
    moved = _difference(bench.ordinary, other)
    return (
        f"note: another seed changes the answer by {moved:.2g}"
        if moved
        else "note: the seed does not matter"
    )


def _alone(bench: _Bench) -> str:
    index = np.array([1, 4])
    moved = _difference(
        bench.ordinary.take(index), bench.ask("few test cases", queries=bench.queries[index])
    )
    if moved <= _TOLERANCE:
        return "test cases are answered the same with and without the others"
    if not bench.seeded:
        raise _Failed(
            f"answers change by {moved:.2g} when the other test cases are not there; {_ALONE}"
        )
    others = 3.0 - 2.0 * bench.queries
    others[index] = bench.queries[index]
    for words, queries, places in (
        ("are other ones", others, index),
        ("are not there", bench.queries[index], np.arange(len(index))),
    ):
        if (result := bench.systematic(index, queries, places)) is not None:
            raise _Failed(
                f"answers change by {result} when the other test cases {words}, and not by chance; {_ALONE}"
            )
    return f"test cases are answered with random numbers of their own, and alike with and without the others; {_SEEDS}"


def _test_order(bench: _Bench) -> str:
    index = np.arange(_TEST)[::-1]
    other = bench.ask("reversed test cases", queries=bench.queries[index])
    moved = _difference(bench.ordinary.take(index), other)
    if moved <= _TOLERANCE:
        return "the order of the test cases does not matter"
    order = "treat each by itself, and return the answers in the order of test_inputs"
    if not bench.seeded:
        raise _Failed(
            f"answers change by {moved:.2g} when the test cases are in another order; {order}"
        )
    if (result := bench.systematic(np.arange(_TEST), bench.queries[index], index)) is not None:
        raise _Failed(
            f"answers change by {result} when the test cases are in another order, and not by chance; {order}"
        )
    return f"the order of the test cases decides who gets which random numbers, and nothing else; {_SEEDS}"


def _train_order(bench: _Bench) -> str:
    index = generator(bench.seed, "conformance order").permutation(_TRAIN)
    other = bench.ask(
        "reordered training cases", inputs=bench.inputs[index], targets=bench.targets[index]
    )
    moved = _difference(bench.ordinary, other)
    return f"note: another order of the training cases changes the answer by {moved:.2g}"


def _constant_input(bench: _Bench) -> str:
    inputs = bench.inputs.copy()
    inputs[:, 1] = 2.0
    return bench.answers("constant input", inputs=inputs)


def _constant_target(bench: _Bench) -> str:
    return bench.answers("constant target", targets=np.full_like(bench.targets, bench.targets[0]))


def _two_cases(bench: _Bench) -> str:
    ends = np.array([bench.least, bench.most])
    return bench.answers(
        "two training cases", inputs=bench.inputs[ends], targets=bench.targets[ends]
    )


def _one_input(bench: _Bench) -> str:
    return bench.answers("one input", inputs=bench.inputs[:, :1], queries=bench.queries[:, :1])


def _one_test_case(bench: _Bench) -> str:
    return bench.answers("one test case", queries=bench.queries[:1])


def _huge(bench: _Bench) -> str:
    return bench.answers("huge inputs", inputs=1e6 * bench.inputs, queries=1e6 * bench.queries)


def _tiny(bench: _Bench) -> str:
    return bench.answers("tiny inputs", inputs=1e-6 * bench.inputs, queries=1e-6 * bench.queries)


def _duplicates(bench: _Bench) -> str:
    """A case ten times over, once with another target, and among the test cases too."""
    index = np.r_[np.zeros(10, dtype=int), np.arange(_TRAIN)]
    targets = bench.targets[index]
    same = np.array_equal(targets[0], bench.targets[bench.most])
    targets[0] = bench.targets[bench.least if same else bench.most]
    queries = np.vstack([bench.inputs[:1], bench.queries])
    return bench.answers(
        "duplicated case", inputs=bench.inputs[index], targets=targets, queries=queries
    )


def _outlier(bench: _Bench) -> str:
    inputs, queries = bench.inputs.copy(), bench.queries.copy()
    inputs[0] = 1e4
    queries[:2] = [[1e4], [-1e4]]
    changes = {"inputs": inputs, "queries": queries}
    if bench.kind == "real":
        changes["targets"] = np.where(np.arange(_TRAIN) == 1, 1e4, bench.targets)
    return bench.answers("outlier", **changes)


def _unchanged(bench: _Bench) -> str:
    instance = bench.instance("instance unchanged")
    names = ["train_inputs", "train_targets", "test_inputs", "case_ids"]
    if bench.kind == "outputs":
        names += ["validation_inputs", "validation_targets"]
    before = {name: getattr(instance, name).copy() for name in names}
    answer(bench.method, instance, bench.rng())
    changed = [name for name in names if not np.array_equal(before[name], getattr(instance, name))]
    if changed:
        raise _Failed(f"the method wrote into {', '.join(changed)}; {_READ_ONLY}")
    return "the instance is as it was"


def _leaves_alone(bench: _Bench) -> str:
    with untouched(f"the method {bench.method.name}"):
        answer(bench.method, bench.instance("package as it was"), bench.rng())
    return "benchbook and NumPy are as they were"


_CHECKS: dict[str, Callable[[_Bench], str]] = {
    "package as it was": _leaves_alone,
    "answers": _ordinary,
    "same seed, same answer": _same_seed,
    "nothing kept": _nothing_kept,
    "another seed": _another_seed,
    "no look at other test cases": _alone,
    "order of test cases": _test_order,
    "order of training cases": _train_order,
    "instance unchanged": _unchanged,
    "constant input column": _constant_input,
    "constant target": _constant_target,
    "two training cases": _two_cases,
    "one input": _one_input,
    "one test case": _one_test_case,
    "huge inputs": _huge,
    "tiny inputs": _tiny,
    "duplicated case": _duplicates,
    "outlier": _outlier,
}
