"""Nets of competing units: each has a region of the inputs, the nearest to its centre, and a plane there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchbook import kernels
from benchbook.methods.settings import setting


@dataclass(frozen=True)
class Nets:
    """The constants of can2-1, all ours."""

    bags: int = setting(20, "nets, each trained on N cases drawn with replacement", least=1)
    pilots: int = setting(
        2, "so many of them choose the number of units when cases are many", least=1
    )
    many: int = setting(5000, "cases, above which pilots choose", least=1)
    penalties: tuple[float, ...] = setting(
        (1e-4, 1e-2, 1e-1, 1.0, 10.0, 100.0), "ridge penalties of the planes, tried", above=0
    )
    fewest: int = setting(4, "the fewest cases for each unit, on average", least=1)
    presented: int = setting(
        30_000, "the most cases that a net's units compete for in each sweep", least=1
    )
    sweeps: int = setting(3, "sweeps of the competition", least=1)
    rates: tuple[float, float] = setting(
        (0.5, 0.01),
        "share of the way to a case that its winner moves, first and last",
        above=0,
        most=1,
    )
    moved: float = setting(
        0.1, "share of the units that are moved after a sweep, the last apart", least=0, most=1
    )
    far: float = setting(
        8.0,
        "a case whose error out of bag is greater than so many of the standard deviations usual "
        "where it is counts as misread",
        above=0,
    )
    misread: float = setting(
        0.1, "when more than this share of all would be misread, none is", least=0, most=1
    )
    imagined: float = setting(
        4.0, "cases of average error that each region has beside its own for its variance", above=0
    )
    astray: float = setting(
        1.0,
        "imaginary misread cases, off by the targets' standard deviation, whose squares all "
        "variances share",
        least=0,
    )
    beyond: float = setting(0.1, "guesses end so many ranges of the targets outside of it", least=0)
    room: int = setting(20_000_000, "the most numbers in the normal equations of a net", least=1)


@dataclass(frozen=True)
class Net:
    """The units of one bag: centres [d, K], planes [K, d + 1]; how often each case was drawn and its unit, [N]."""

    centres: np.ndarray
    slopes: np.ndarray
    times: np.ndarray
    owner: np.ndarray

    @property
    def units(self) -> int:
        return self.centres.shape[1]

    def values(
        self, inputs: np.ndarray, owner: np.ndarray, limits: tuple[float, float]
    ) -> np.ndarray:
        """The planes' guesses [N] for inputs [N, d] of the regions ``owner`` [N]."""
        out = np.empty(len(inputs))
        kernels.competition.planes(inputs, owner, self.centres, self.slopes, out)
        return np.clip(out, *limits)


@dataclass(frozen=True)
class MisreadCases:
    """The training cases, inputs [N, d] and targets [N], of mean 0 and standard deviation 1; which of them are not
    misread, [N] booleans; and where guesses end."""

    inputs: np.ndarray
    targets: np.ndarray
    good: np.ndarray
    limits: tuple[float, float]


def trained(
    world: MisreadCases,
    units: int,
    penalties: tuple[float, ...],
    settings: Nets,
    rng: np.random.Generator,
) -> list[Net]:
    """Nets of one bag and one tessellation, one for each penalty.

    1. Draw N of the N cases with replacement; the centres begin at some of them.
    2. The units compete for the cases (``kernels.competition.compete``); then fit the planes, and put the tenth of the
       units with the least sum of squared errors on cases of the regions with the greatest. Repeat; the last time
       move none.
    """
    cases = len(world.targets)
    times = np.bincount(rng.integers(cases, size=cases), minlength=cases).astype(float)
    drawn = np.repeat(np.arange(cases), times.astype(np.intp))
    centres = np.ascontiguousarray(world.inputs[rng.permutation(drawn)[:units]].T)
    first, last = settings.rates
    for sweep in range(settings.sweeps if units > 1 else 0):
        order = rng.permutation(drawn)[: settings.presented]
        kernels.competition.compete(world.inputs, centres, order, first / (1 + sweep), last)
        if sweep < settings.sweeps - 1:
            _move(world, times, centres, settings, rng)
    owner = assigned(world.inputs, centres)
    return [
        Net(centres, slopes, times, owner)
        for slopes in fitted(world, times * world.good, owner, centres, penalties)
    ]


def _move(
    world: MisreadCases,
    times: np.ndarray,
    centres: np.ndarray,
    settings: Nets,
    rng: np.random.Generator,
) -> None:
    """Put the units with the least squared error in their regions beside those with the greatest."""
    units = centres.shape[1]
    owner, counted = assigned(world.inputs, centres), times * world.good
    slopes = fitted(
        world, counted, owner, centres, (settings.penalties[len(settings.penalties) // 2],)
    )[0]
    guesses = Net(centres, slopes, times, owner).values(world.inputs, owner, world.limits)
    ranked = np.argsort(
        np.bincount(owner, counted * (guesses - world.targets) ** 2, units), kind="stable"
    )
    for low, high in zip(ranked, ranked[::-1][: int(settings.moved * units)], strict=False):
        members = np.flatnonzero((owner == high) & (counted > 0))
        if len(members):
            centres[:, low] = world.inputs[rng.choice(members)]


def assigned(inputs: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The unit [N] of each case of inputs [N, d], for centres [d, K]."""
    owner = np.empty(len(inputs), dtype=np.int64)
    kernels.competition.assign(inputs, centres, owner)
    return owner


def fitted(
    world: MisreadCases,
    times: np.ndarray,
    owner: np.ndarray,
    centres: np.ndarray,
    penalties: tuple[float, ...],
) -> list[np.ndarray]:
    """The planes [K, d + 1] of all regions for each penalty, a + b'(x - centre).

    Each is drawn towards the plane of all cases, a0 + b0'x, which is a ridge regression too:
    w = argmin sum (t - a0 - b0'x - w'(1, x - centre))^2 + penalty (|w|^2 - 0.99 w_0^2), and w is added to the plane of
    all.

    Args:
        times: [N], how often each case counts.
        owner: [N], the unit of each case.
        centres: [d, K].
    """
    d, units = centres.shape
    products, sums = np.zeros((units, d + 1, d + 1)), np.zeros((units, d + 1))
    kernels.competition.gather(world.inputs, world.targets, times, owner, centres, products, sums)
    design = np.hstack([np.ones((len(world.inputs), 1)), world.inputs])
    whole, moments = (design * times[:, None]).T @ design, design.T @ (times * world.targets)
    ridge = np.diag(np.append(0.01, np.ones(d)))
    networks = []
    for penalty in penalties:
        common = np.linalg.solve(whole + penalty * ridge, moments)
        start = np.tile(common, (units, 1))
        start[:, 0] += common[1:] @ centres
        rest = sums - np.einsum("kij,kj->ki", products, start)
        networks.append(
            start + np.linalg.solve(products + penalty * ridge, rest[:, :, None])[:, :, 0]
        )
    return networks
