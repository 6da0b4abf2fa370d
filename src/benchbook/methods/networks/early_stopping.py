"""Networks trained by gradient: the four-way early-stopping ensemble of batch gradient descent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import kernels
from benchbook.errors import Fault, FaultyInput
from benchbook.methods.base import method, need_cases
from benchbook.methods.settings import setting
from benchbook.methods.shared.diagnostics import listed
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.shared.variance_floor import stated_variance
from benchbook.methods.works import NEAL
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance


@dataclass(frozen=True)
class BatchDescent:
    """The constants of mlp-bgd-1.

    The numbers of Neal's own runs are lost: every digit is missing from the text that survives. The form of the
    algorithm is his; these values are ours, after the early-stopping example in the documentation of his software of
    1998 (15 hidden units, step size 0.4, 20,000 iterations), with iteration 1 added to the networks saved because his
    text says that it was sometimes the one chosen.

    He says of the step that it should be reduced as necessary where instability is observed. The intent of that rule is
    his. What makes a program of it is ours: what instability is (``train``), that the step is halved, and how often.
    """

    hidden: int = setting(15, "hidden units", least=1)
    step: float = setting(0.4, "step size, divided by the number of cases and one", above=0)
    halvings: int = setting(
        10,
        "how often at most training begins again with half the step because the estimation error "
        "rose; with 0 the step is kept, whatever the error does",
        least=0,
    )
    start: float = setting(0.01, "starting weights are uniform within this of zero", least=0)
    networks: int = setting(4, "networks, each with its portion of the cases held out", least=2)
    saves: tuple[int, ...] = setting(
        (1, *range(5, 101, 5), *range(150, 1001, 50), *range(1500, 20_001, 500)),
        "iterations at which the network is saved, increasing; training ends with the last",
        least=1,
    )

    def __post_init__(self) -> None:
        if list(self.saves) != sorted(set(self.saves)):
            raise FaultyInput(
                "settings", [Fault("saves", repr(self.saves), "must increase from one to the next")]
            )


@dataclass(frozen=True)
class Trained:
    """One network of the ensemble.

    Attributes:
        weights: those chosen [P].
        iteration: the iteration that they are from; 0 when the mean of the targets stands in for them.
        error: their validation error, a mean square.
        step: the step of the descent that they are from, the last one.
        iterations: how many iterations that descent had.
        rises: how many of those raised the estimation error; 0 unless the step had been halved as often as allowed.
        abandoned: the iterations of all descents given up before it, their step being too large.
        diverged: whether the last descent ended because its error was no longer finite.
    """

    weights: np.ndarray
    iteration: int
    error: float
    step: float
    iterations: int
    rises: int
    abandoned: int
    diverged: bool


@method(
    name="mlp-bgd-1",
    description="ensemble of four tanh networks, batch gradient descent with early stopping",
    kinds={"real"},
    settings=BatchDescent(),
    source=f"{NEAL}, Ensembles of networks trained with early stopping",
    calls=[
        "benchbook.methods.networks.early_stopping:train_ensemble",
        "benchbook.methods.networks.early_stopping:train",
        "benchbook.kernels.mlp:descend",
    ],
)
def mlp_bgd_1(
    instance: TaskInstance, rng: np.random.Generator, settings: BatchDescent
) -> tuple[Predictive, dict[str, Any]]:
    """Neal's basic early-stopping method (Assessing Relevance Determination Methods Using DELVE, 1998).

    1. Divide the training cases at random into four equal portions (as many as there are cases when fewer than four).
    2. For each portion train a network with one hidden layer of tanh units on the other three. The weights start
       uniform in +-0.01; an iteration is w <- w - eps / (n + 1) sum_c dE_c/dw over those n cases, where
       E_c = (f_c - t_c)^2 / 2.
    3. When the error over those n cases rises, eps is too large: begin this network again from the same weights with
       half of it.
    4. Save the network at roughly logarithmically spaced iterations; choose the one with the least mean squared error
       on the portion left out.
    5. Predict the mean of the four outputs.

    The third rule is our reading of Neal's "if instability is observed, it should be reduced as necessary": what a rise
    is (``train``), half of the step, for each network by itself, and again from the start, so that a network's whole
    descent has one step.

    Neal's predictions are points. The variance is ours: the mean over the networks of the validation error at the
    iteration chosen, the same for all cases. The mean error of the members is never below the error of their average,
    which makes up for having chosen the least.

    A network whose error is no longer finite, even with the smallest step allowed, is stopped and its best saved state
    counts; when none was finite, the mean of its targets stands in (iteration 0), which the record counts under
    "fallback_to_mean". The diagnostics (``diagnostics``) say which steps were used and which iterations chosen, how
    many networks diverged, and the cost in passes over all N cases, of the descents given up too.
    """
    need_cases(instance, 2, "mlp-bgd-1")
    inputs, targets = instance.train_inputs, instance.train_targets
    ensemble = train_ensemble(inputs, targets, settings, rng)
    with one_thread():
        members = np.array(
            [outputs(net.weights, instance.test_inputs, settings.hidden) for net in ensemble]
        )
    variance = stated_variance(float(np.mean([net.error for net in ensemble])), targets)
    return Gaussian(members.mean(axis=0), np.full(members.shape[1], variance)), diagnostics(
        ensemble, 1.0 - 1.0 / len(ensemble)
    )


def diagnostics(ensemble: Sequence[Trained], share: float) -> dict[str, Any]:
    """The diagnostics of an ensemble whose networks were each trained on this share of the training cases.

    For each network the iteration chosen, how many there were, the validation error, the step, the iterations that
    raised the estimation error, and those of the descents given up; how many networks diverged; the cost of all
    descents in passes over all training cases; and, if there are any, how many networks fell back to the mean of their
    targets, no error of theirs being finite.
    """
    iterations = sum(net.iterations + net.abandoned for net in ensemble)
    diagnostics: dict[str, Any] = {
        "selected_iterations": [net.iteration for net in ensemble],
        "iterations": [net.iterations for net in ensemble],
        "validation_errors": listed(net.error for net in ensemble),
        "steps": [net.step for net in ensemble],
        "rises": [net.rises for net in ensemble],
        "abandoned_iterations": [net.abandoned for net in ensemble],
        "diverged": sum(net.diverged for net in ensemble),
        "gradient_passes": round(iterations * share),
    }
    fallen = sum(net.iteration == 0 for net in ensemble)
    return diagnostics | ({"fallback_to_mean": fallen} if fallen else {})


def train_ensemble(
    inputs: np.ndarray, targets: np.ndarray, settings: BatchDescent, rng: np.random.Generator
) -> list[Trained]:
    """The networks that are trained on ``divided`` cases: inputs [N, d], N at least 2, and targets [N]."""
    return [train(*cases, settings) for cases in divided(inputs, targets, settings, rng)]


def divided(
    inputs: np.ndarray, targets: np.ndarray, settings: BatchDescent, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """For each random portion of the cases the starting weights [P] of a network, inputs and targets of all other
    cases, which it is trained on, and those of the portion, which validates it."""
    for portion in np.array_split(
        rng.permutation(len(targets)), min(settings.networks, len(targets))
    ):
        retained = np.setdiff1d(np.arange(len(targets)), portion)
        start = rng.uniform(
            -settings.start, settings.start, settings.hidden * (inputs.shape[1] + 2) + 1
        )
        yield start, inputs[retained], targets[retained], inputs[portion], targets[portion]


def train(
    start: np.ndarray,
    inputs: np.ndarray,
    targets: np.ndarray,
    held: np.ndarray,
    held_targets: np.ndarray,
    settings: BatchDescent,
    trace: np.ndarray | None = None,
) -> Trained:
    """Batch gradient descent from ``start`` [P] on inputs [n, d]; the network saved with the least held-out error.

    The error of the n cases has risen when it exceeds that before the last step by more than one part in 10^9, or is
    not finite (``kernels.mlp.descend``). Then the descent is given up and begun again from ``start`` with half the
    step, ``settings.halvings`` times at most. The last step allowed is kept whatever the error does.

    With ``trace`` [S, d] the weights of each input take steps by its factor (``kernels.relevance``), and it is filled
    with the factors at the S iterations saved.
    """
    saves = np.array(settings.saves, dtype=np.int64)
    saved, errors = np.zeros((len(saves), len(start))), np.empty(len(saves))
    trace = np.empty((len(saves), 0)) if trace is None else trace
    cases, turned, wanted, held_turned, held_wanted = copies(
        inputs, inputs.T, targets, held.T, held_targets
    )
    step, abandoned = settings.step, 0
    for left in range(settings.halvings, -1, -1):
        iterations, rises = kernels.mlp.descend(
            start.copy(),
            cases,
            turned,
            wanted,
            held_turned,
            held_wanted,
            settings.hidden,
            False,
            step / (len(targets) + 1),
            saves,
            saved,
            errors,
            trace,
            left > 0,
        )
        if left == 0 or iterations == saves[-1]:
            break
        step, abandoned = step / 2, abandoned + int(iterations)
    facts = step, int(iterations), int(rises), abandoned, bool(iterations < saves[-1])
    best = int(np.argmin(errors))
    if np.isfinite(errors[best]):
        return Trained(saved[best], int(saves[best]), float(errors[best]), *facts)
    constant = np.zeros(len(start))
    constant[-1] = targets.mean()
    return Trained(constant, 0, float(np.mean((constant[-1] - held_targets) ** 2)), *facts)


def copies(*arrays: np.ndarray) -> list[np.ndarray]:
    """Arrays that can be written to, in C order: of other kinds the kernels would be compiled once more for each."""
    return [np.array(array, order="C") for array in arrays]


def split_weights(weights: np.ndarray, width: int, hidden: int) -> tuple[np.ndarray, ...]:
    """The groups of a weight vector [P]: input-hidden [h, d], hidden biases [h], hidden-output [h], output bias [1],
    and direct input-output weights, [d] or empty."""
    bias = hidden * width
    out = bias + hidden
    last = out + hidden
    return (
        weights[:bias].reshape(hidden, width),
        weights[bias:out],
        weights[out:last],
        weights[last : last + 1],
        weights[last + 1 :],
    )


def outputs(weights: np.ndarray, inputs: np.ndarray, hidden: int) -> np.ndarray:
    """Outputs [N] of a network with weights [P] for inputs [N, d]; the plain twin of ``kernels.mlp.outputs``.

    f = b + sum_j v_j tanh(a_j + sum_i u_ji x_i)  (+ sum_i s_i x_i)
    """
    into, bias, out, last, direct = split_weights(weights, inputs.shape[1], hidden)
    linear = inputs @ direct if len(direct) else 0.0
    return np.tanh(inputs @ into.T + bias) @ out + last + linear


def gradient(
    weights: np.ndarray, inputs: np.ndarray, targets: np.ndarray, hidden: int
) -> tuple[float, np.ndarray]:
    """E = 1/2 sum_c (f_c - t_c)^2 and dE/dw [P]; the plain twin of ``kernels.mlp.gradient``."""
    into, bias, out, _, direct = split_weights(weights, inputs.shape[1], hidden)
    units = np.tanh(inputs @ into.T + bias)
    residuals = outputs(weights, inputs, hidden) - targets
    deltas = residuals[:, None] * (1.0 - units**2) * out
    groups = [(deltas.T @ inputs).ravel(), deltas.sum(axis=0), residuals @ units, [residuals.sum()]]
    if len(direct):
        groups.append(residuals @ inputs)
    return 0.5 * float(residuals @ residuals), np.concatenate(groups)
