"""What the committees of networks share: training with held-out cases, and their combination into one distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchbook import kernels
from benchbook.methods.settings import setting

if TYPE_CHECKING:
    from benchbook.kernels.density_networks import Head
    from benchbook.kernels.feedforward import BlockedCases


@dataclass(frozen=True)
class CommitteeDesign:
    """The constants of a committee, all ours.

    The step size is that for up to ten inputs; for d > 10 it is smaller by sqrt(10 / d). The penalty of a weight w of a
    unit fed by s others is decay s w^2 / 2 for all cases together, as if it were normal with variance 1 / (decay s)
    beforehand.
    """

    members: int = setting(10, "networks, each with its own share of the cases held out", least=2)
    hidden: tuple[int, ...] = setting(
        (40, 20),
        "units of each hidden layer; the outputs are fed by all of them and by the inputs",
        least=1,
    )
    components: int = setting(
        1, "Gaussians of the mixture that a network gives; 0 for a network of classes", least=0
    )
    floor: float = setting(1e-6, "the least variance, the targets' being 1", above=0)
    batch: int = setting(128, "the most cases of a step", least=32)
    rate: float = setting(0.01, "Adam's first step size", above=0)
    cuts: int = setting(
        3, "how often it is divided by three, when nothing has been gained for long", least=0
    )
    patience: int = setting(1000, "the fewest steps without a gain before that", least=1)
    epochs: tuple[int, int] = setting(
        (4, 50), "but not fewer and not more epochs than these", least=1
    )
    gain: float = setting(
        1e-3, "by how much the mean loss held out must fall to count, in nats", least=0
    )
    decay: float = setting(0.02, "of the weights", least=0)
    budget: float = setting(
        8e9, "products of a case and a weight after which the passes of a network end", above=0
    )


@dataclass(frozen=True)
class TrainedNetwork:
    """A trained network: its weights [P] and plan, the columns of the inputs that it sees, the mean loss of the cases
    held out, and its passes."""

    weights: np.ndarray
    layers: np.ndarray
    columns: np.ndarray
    held_loss: float
    passes: int

    def outputs(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs [N, O] for inputs [N, d]."""
        count, width, line = int(self.layers[-1, 0]), len(inputs), int(self.layers[-1, 3])
        cases = kernels.feedforward.in_blocks(
            inputs[:, self.columns], np.zeros((width, count)), self.layers
        )
        for units in cases.units:
            kernels.feedforward.forward(self.weights, self.layers, False, units)
        lines = cases.units[:, line : line + count]
        return np.ascontiguousarray(lines.transpose(0, 2, 1)).reshape(-1, count)[:width]


@dataclass(frozen=True)
class Committee:
    """Networks, and for each the places of the cases that it was not trained on."""

    networks: list[TrainedNetwork]
    held: list[np.ndarray]

    @property
    def held_loss(self) -> float:
        """The mean over the networks of the mean loss of the cases each held out."""
        return float(np.mean([network.held_loss for network in self.networks]))

    @property
    def passes(self) -> int:
        return sum(network.passes for network in self.networks)


def train_committee(
    inputs: np.ndarray,
    targets: np.ndarray,
    outputs: int,
    design: CommitteeDesign,
    rng: np.random.Generator,
    seen: int | None = None,
) -> Committee:
    """One network for each of the disjoint portions of the cases, trained on the others and stopped by that portion.

    Args:
        inputs: [N, d], N at least 2.
        targets: [N, 1], or [N, C] of 0 and 1 for classes.
        outputs: outputs of a network.
        seen: how many inputs each network sees, those most correlated with a target over its own cases; all when left
            out.
    """
    portions = np.array_split(rng.permutation(len(inputs)), min(design.members, len(inputs)))
    networks = []
    for portion in portions:
        order = rng.permutation(np.setdiff1d(np.arange(len(inputs)), portion))
        columns = (
            np.arange(inputs.shape[1])
            if seen is None
            else most_correlated(inputs[order], targets[order], seen)
        )
        networks.append(_train(inputs, targets, (order, portion), columns, outputs, design, rng))
    return Committee(networks, portions)


def most_correlated(inputs: np.ndarray, targets: np.ndarray, count: int) -> np.ndarray:
    """The columns of inputs [N, d] whose correlation with a column of targets [N, O] is the greatest, in order."""
    away, wanted = inputs - inputs.mean(axis=0), targets - targets.mean(axis=0)
    spread = np.sqrt(np.outer(np.sum(away**2, axis=0), np.sum(wanted**2, axis=0)))
    correlations = np.max(np.abs(away.T @ wanted) / np.where(spread > 0, spread, np.inf), axis=1)
    return np.sort(np.argsort(-correlations, kind="stable")[:count])


def _train(
    inputs: np.ndarray,
    targets: np.ndarray,
    places: tuple[np.ndarray, np.ndarray],
    columns: np.ndarray,
    outputs: int,
    design: CommitteeDesign,
    rng: np.random.Generator,
) -> TrainedNetwork:
    """A network of some columns, trained on the cases of the first places and stopped by those of the second."""
    layers = kernels.feedforward.plan((len(columns), *design.hidden, outputs), True)
    size = int(np.clip(len(places[0]) // 10, 32, design.batch)) // 16 * 16
    training, validation = (
        kernels.feedforward.in_blocks(inputs[np.ix_(of, columns)], targets[of], layers, size=width)
        for of, width in zip(places, (size, None), strict=True)
    )
    run = _Run(layers, training, validation, design)
    weights = first_weights(layers, targets[places[0]], design, rng)
    if design.components == 1:
        error = run.descend(weights, kernels.density_networks.Head(1, 0.0, False), rng)
        bias = int(layers[-1, 4] + layers[-1, 2])
        weights[bias] = math.log(max(2.0 * (error - 0.5 * math.log(2.0 * math.pi)), design.floor))
    error = run.descend(
        weights, kernels.density_networks.Head(design.components, design.floor, True), rng
    )
    return TrainedNetwork(weights, layers, columns, error, run.passes)


def first_weights(
    layers: np.ndarray, targets: np.ndarray, design: CommitteeDesign, rng: np.random.Generator
) -> np.ndarray:
    """Weights [P] to begin with: hidden units normal with variance 1 / (what feeds them), outputs constant.

    The constants are: for Gaussians equal shares, means at quantiles of the targets, their variance; for classes the
    logarithms of the frequencies.
    """
    weights = np.zeros(kernels.feedforward.weight_count(layers))
    for width, _, sources, _, first, _ in layers[:-1]:
        weights[first : first + width * sources] = rng.normal(size=width * sources) / math.sqrt(
            sources
        )
    outputs, sources, first, k = int(layers[-1, 0]), layers[-1, 2], layers[-1, 4], design.components
    if k == 0:
        constants = np.log((targets.sum(axis=0) + 1.0) / (len(targets) + outputs))
    elif k == 1:
        constants = np.array([targets.mean(), 0.0])
    else:
        means = np.quantile(targets, (np.arange(k) + 0.5) / k)
        constants = np.concatenate(
            [np.zeros(k), means, np.full(k, math.log(max(targets.var(), design.floor)))]
        )
    weights[first + sources * np.arange(outputs)] = constants
    return weights


@dataclass
class _Run:
    """One network's cases and room, and the passes so far."""

    layers: np.ndarray
    training: BlockedCases
    held: BlockedCases
    design: CommitteeDesign
    passes: int = 0

    def descend(self, weights: np.ndarray, head: Head, rng: np.random.Generator) -> float:
        """Train from weights [P], which become those with the least loss for the cases held out; that loss."""
        design, blocks, count = self.design, len(self.training.units), len(weights)
        most = max(1, int(design.budget / (self.training.total * count)))
        fewest, longest = design.epochs
        patience = max(fewest, min(math.ceil(design.patience / blocks), longest, most // 6))
        rate = design.rate * math.sqrt(min(1.0, 10.0 / max(1, int(self.layers[0, 2]) - 1)))
        state = kernels.density_networks.AdamState(
            np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(1, dtype=np.int64)
        )
        rule = kernels.density_networks.StoppingRule(rate, design.cuts, patience, design.gain, most)
        rooms = [
            kernels.feedforward.scratch(self.layers, cases.units.shape[2])
            for cases in (self.training, self.held)
        ]
        least, passes = kernels.density_networks.descend(  # type: ignore[call-arg]  # the two rooms are unpacked
            weights,
            self.layers,
            head,
            self.training,
            self.held,
            self._decay(count),
            rule,
            state,
            *rooms,
            rng,
        )
        self.passes += int(passes)
        return float(least)

    def _decay(self, count: int) -> np.ndarray:
        """The penalty of each weight for one case; biases have none."""
        decay = np.zeros(count)
        for width, _, sources, _, first, _ in self.layers:
            decay[first : first + width * sources] = (
                self.design.decay * sources / self.training.total
            )
            decay[first + sources * np.arange(width)] = 0.0
        return decay
