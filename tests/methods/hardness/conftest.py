"""Methods on a small budget, and training sets that are hard to live with."""

from collections.abc import Callable

import numpy as np
import pytest

from benchbook import methods
from benchbook.methods.base import Method
from benchbook.seeds import generator
from benchbook.tasks import Coding, Encoding, Fitted, TaskInstance

Change = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray] | None]


@pytest.fixture(autouse=True)
def every_test_on_a_small_budget(small_budget: None) -> None:
    """Shorter chains and descents, fewer networks, fewer trees."""


def real_methods() -> list[str]:
    """All that predict numbers, but for those that need an optional library, which compile anew for each shape.

    mlp-mc-2b, -2wb, -3b and -4b, vl-gp-nb and -tb have more passes or sweeps than those without the b, and nothing else
    that is not theirs: on a small budget they are the same.
    """
    longer = {
        name
        for name in methods.available()
        if name.startswith(("mlp-mc-", "vl-gp-")) and name.endswith("b")
    }
    return [
        name
        for name in methods.available()
        if "real" in methods.get(name).kinds and not methods.get(name).extra and name not in longer
    ]


def instance(
    inputs: np.ndarray, targets: np.ndarray, queries: np.ndarray, name: str = "hard"
) -> TaskInstance:
    """A task instance on arrays as they are, without any encoding."""
    columns = tuple(
        Fitted(Coding(f"x{i}", "real", "copy", {}, ()), (f"x{i}",)) for i in range(inputs.shape[1])
    )
    encoding = Encoding(columns, Fitted(Coding("t", "real", "copy", {}, ()), ("t",)))
    return TaskInstance(
        task=f"{name.replace(' ', '-')}/t/std.{len(targets)}",
        number=0,
        kind="real",
        classes=(),
        train_inputs=inputs,
        train_targets=targets,
        test_inputs=queries,
        case_ids=np.arange(len(queries)),
        input_groups=encoding.groups(),
        encoding=encoding,
        digest="",
    )


def cases(n: int = 20, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = generator(5, "hardness", str(n), str(d))
    inputs = rng.normal(size=(n, d))
    return inputs, np.tanh(1.5 * inputs[:, 0]) - 0.5 * inputs[:, -1] + 0.1 * rng.normal(size=n)


def changed(change: Change = lambda x, t: None, n: int = 20, d: int = 3) -> TaskInstance:
    """The ordinary cases after ``change`` has been at them, asked about three of them and two places between.

    ``change`` writes into inputs [n, d] and targets [n], or returns others.
    """
    inputs, targets = cases(n, d)
    inputs, targets = change(inputs, targets) or (inputs, targets)
    queries = np.vstack([inputs[:3], inputs[:2] + 0.3 * (inputs[-2:] - inputs[:2])])
    return instance(inputs, targets, queries)


def put(array: np.ndarray, where: object, value: object) -> None:
    array[where] = value


def both_outliers(inputs: np.ndarray, targets: np.ndarray) -> None:
    inputs[0], targets[0] = 1e6, 1e6


def far_out(distance: float) -> TaskInstance:
    inputs, targets = cases()
    return instance(
        inputs, targets, np.vstack([inputs[:2], distance * inputs[2:4], -distance * inputs[2:4]])
    )


HARDSHIPS: dict[str, Callable[[], TaskInstance]] = {
    "two cases": lambda: changed(n=2),
    "three cases": lambda: changed(n=3),
    "four cases": lambda: changed(n=4),
    "five cases": lambda: changed(n=5),
    "two equal cases": lambda: changed(lambda x, t: (x[[0, 0]], t[[0, 0]])),
    "two cases at odds": lambda: changed(lambda x, t: (x[[0, 0]], t[[0, 1]])),
    "all cases equal": lambda: changed(lambda x, t: (x[np.zeros(20, int)], t[np.zeros(20, int)])),
    "equal cases at odds": lambda: changed(lambda x, t: put(x, slice(None), x[0])),
    "all zero": lambda: changed(lambda x, t: (0 * x, 0 * t)),
    "one constant input": lambda: changed(lambda x, t: put(x, np.s_[:, 1], 3.0)),
    "constant inputs": lambda: changed(lambda x, t: put(x, slice(None), -7.0)),
    "constant target": lambda: changed(lambda x, t: put(t, slice(None), 5.0)),
    "a target all but constant": lambda: changed(
        lambda x, t: put(t, slice(None), 1.0 + 1e-15 * np.sign(t))
    ),
    "inputs of 1e6": lambda: changed(lambda x, t: (1e6 * x, t)),
    "inputs of 1e-6": lambda: changed(lambda x, t: (1e-6 * x, t)),
    "inputs about 1e6": lambda: changed(lambda x, t: (1e6 + x, t)),
    "inputs of all scales": lambda: changed(lambda x, t: (x * np.array([1e6, 1.0, 1e-6]), t)),
    "targets of 1e6": lambda: changed(lambda x, t: (x, 1e6 * t)),
    "targets of 1e-6": lambda: changed(lambda x, t: (x, 1e-6 * t)),
    "targets about 1e6": lambda: changed(lambda x, t: (x, 1e6 + t)),
    "an input outlier": lambda: changed(lambda x, t: put(x, (0, 1), 1e6)),
    "a whole outlier": lambda: changed(lambda x, t: put(x, 0, 1e6)),
    "a target outlier": lambda: changed(lambda x, t: put(t, 4, -1e6)),
    "both outliers": lambda: changed(both_outliers),
    "duplicates": lambda: changed(lambda x, t: (np.vstack([x, x]), np.append(t, t))),
    "duplicates at odds": lambda: changed(lambda x, t: (np.vstack([x, x]), np.append(t, -t))),
    "collinear inputs": lambda: changed(lambda x, t: put(x, np.s_[:, 1], 2 * x[:, 0])),
    "one input": lambda: changed(d=1),
    "200 inputs": lambda: changed(d=200),
    "200 inputs, 2 cases": lambda: changed(n=2, d=200),
    "a line without noise": lambda: changed(
        lambda x, t: put(t, slice(None), 2 * x[:, 0] - x[:, 1])
    ),
    "a target of two values": lambda: changed(lambda x, t: put(t, slice(None), np.sign(t))),
    "a question far out": lambda: far_out(1e6),
    "a question farther out": lambda: far_out(1e150),
}


@pytest.fixture(params=real_methods())
def each_method(request: pytest.FixtureRequest) -> Method:
    return methods.get(request.param)


@pytest.fixture(params=HARDSHIPS)
def hardship(request: pytest.FixtureRequest) -> TaskInstance:
    return HARDSHIPS[request.param]()


@pytest.fixture
def ordinary() -> TaskInstance:
    """20 training cases of three inputs with nothing wrong, and five questions."""
    return changed()


@pytest.fixture
def hard() -> Callable[[str], TaskInstance]:
    """The instance of a hardship by its name."""
    return lambda name: HARDSHIPS[name]()
