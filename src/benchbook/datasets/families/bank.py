"""The bank family: the share of customers whom three banks turn away because all their open queues are full.

A re-creation: DELVE's simulator is lost, and the rules of ours (``kernels.queueing``) are our own. Found in DELVE's
data are the distributions of the inputs; the number of customers, because a published share is a fraction of whole
numbers: in bank-8fm and -8nm about 415 customers for one unit of population, 800 of them from area 1; and what the
noisy sets hide: there area 2 counts half on average, and area 1 varies. The constants of the towns were fitted so
that our expected share is near DELVE's target on DELVE's own inputs; it correlates 0.97 with bank-8fm and 0.95 with
bank-8nm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchbook import kernels
from benchbook.datasets.families.base import Array, Family, noise_share, tuned
from benchbook.errors import BenchbookError
from benchbook.seeds import generator

Whole = NDArray[np.int64]

HEAD = 415.0
"""Customers of a day for one unit of population; the unit of time is that in which one of them arrives."""

DAYS = 10
"""How many days ``clean`` averages."""

SERVICE = 0.72
"""Tasks that a till of efficiency 1 finishes in a unit of time."""

OPENING, PATIENCE = 0.6, 0.08
"""Rates at which a till that was called opens, and at which a waiting customer looks for a shorter queue."""


@dataclass(frozen=True, eq=False)
class Town:
    """What is fixed in a town of the 8-input members.

    ``areas`` [3, 5] has the centre, spread and correlation of each area, ``banks`` [3, 2] the places of the banks; the
    centre of area 1 and the place of bank 2 are inputs. ``service`` [3] is the rate of a till of each bank, ``opening``
    and ``patience`` are rates as of the towns with 32 inputs.
    """

    areas: Array
    banks: Array
    service: Array
    opening: float = OPENING
    patience: float = PATIENCE


TILLS, CALL = np.array([3, 2, 2]), np.array([2, 2, 4])
"""The 8-input towns: the number of tills, and the queue that calls for another till, of each bank."""

WIDE = Town(
    np.array(
        [[0.0, 0.0, 0.45, 0.45, 0.0], [0.22, -0.70, 0.70, 0.70, 0.0], [0.33, 0.24, 0.18, 0.18, 0.0]]
    ),
    np.array([[0.45, 0.05], [0.0, 0.0], [-0.33, -0.12]]),
    np.array([0.58, 3.9, 1.69]),
)
"""The town of bank-8n, fitted to DELVE's bank-8nm."""

SMALL = Town(
    np.array(
        [
            [0.0, 0.0, 0.445, 0.445, 0.0],
            [0.21, -0.635, 0.71, 0.71, 0.0],
            [0.4, 0.3, 0.177, 0.177, 0.0],
        ]
    ),
    np.array([[0.457, 0.096], [0.0, 0.0], [-0.333, -0.045]]),
    np.array([0.62, 2.1, 1.53]),
    0.7,
    0.077,
)
"""The town of bank-8f, fitted to DELVE's bank-8fm from WIDE: the same banks, nearly, that serve at other rates."""


@dataclass(frozen=True)
class BankLaw:
    """The constants of one member.

    Areas and banks lie within ``reach`` of zero, and a population is exponential with mean ``people``. ``attendance``
    has for every area the lowest and the highest share of its people who come on a day; the day's share is uniform
    between them. With 8 inputs area 1 has ``residents`` and an exponential number of ``visitors`` (its mean). The
    unit of distance in the choice of a bank is ``softness`` times the temperature. With 8 inputs what is no input is
    that of the ``town``. With 32 inputs ``reach`` also
    scales the spread and the correlation of the areas and how much banks differ in efficiency, and ``varying`` is the
    share of the mean population that differs from case to case.
    """

    inputs: int
    reach: float
    people: float
    attendance: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
    residents: float = 0.0
    visitors: float = 0.0
    softness: float = 1.76
    varying: float = 1.0
    town: Town = WIDE


@dataclass(frozen=True)
class Day:
    """A day at the banks of every case, the arguments of ``kernels.queueing.turned_away``."""

    arrivals: Array
    customers: Whole
    service: Array
    call: Whole
    longest: Whole
    tills: Whole
    opening: float
    patience: float
    seeds: NDArray[np.uint64]


def _around(middle: float, width: float) -> tuple[float, float]:
    return middle * (1 - width), middle * (1 + width)


ALL, SOME = (1.0, 1.0), (0.0, 1.0)

LAWS = {
    "bank-8fm-sim": BankLaw(
        8, 0.5, 3.1, (ALL, _around(1, 0.2), _around(1, 0.2)), 1.93, 0.0, 1.85, town=SMALL
    ),
    "bank-8fh-sim": BankLaw(8, 0.5, 3.1, (ALL, SOME, _around(1, 0.2)), 1.68, 1.8, 1.85, town=SMALL),
    "bank-8nm-sim": BankLaw(8, 1.0, 1.1, (ALL, _around(1, 0.15), _around(1, 0.15)), 1.93),
    "bank-8nh-sim": BankLaw(8, 1.0, 1.1, (ALL, SOME, _around(1, 0.15)), 1.68, 1.48),
    "bank-32fm-sim": BankLaw(32, 0.5, 7.0, (_around(0.5, 0.1),) * 3, softness=3.5, varying=0.4),
    "bank-32fh-sim": BankLaw(32, 0.5, 7.0, (_around(0.5, 0.44),) * 3, softness=3.5, varying=0.4),
    "bank-32nm-sim": BankLaw(32, 1.0, 3.1, (_around(0.33, 0.15),) * 3, softness=0.2),
    "bank-32nh-sim": BankLaw(32, 1.0, 3.1, (SOME,) * 3, softness=3.5),
}


def law(name: str) -> BankLaw:
    """The constants of a member of the family.

    Raises:
        BenchbookError: the family has no such member.
    """
    if name not in LAWS:
        raise BenchbookError(f"the bank family has no member {name!r}; it has {', '.join(LAWS)}")
    return LAWS[name]


def draw(name: str, cases: int, rng: np.random.Generator) -> Array:
    """Inputs [n, 8] or [n, 32], in the order of the cards.

    Populations and spreads are exponential, places uniform, temperatures the logistic function of a normal variable
    (mean 0.5 with 8 inputs, 0 with 32; standard deviation 1); the longest queue is one of 5 to 8, or 5 to 9, and the
    queue that calls for a till one of 2 to that less 1.
    """
    return drawn(law(name), cases, rng)


def drawn(member: BankLaw, cases: int, rng: np.random.Generator) -> Array:
    """What ``draw`` returns, for constants that are no member's."""
    few = member.inputs == 8
    temperature = 1 / (1 + np.exp(-rng.normal(0.5 if few else 0.0, 1.0, cases)))
    longest = rng.integers(5, 9 if few else 10, cases)
    places = rng.uniform(-member.reach, member.reach, (cases, 4 if few else 12))
    people = member.people * (
        1 - member.varying + member.varying * rng.standard_exponential((cases, 2 if few else 3))
    )
    if few:
        return np.column_stack([places, people, temperature, longest])
    spread = rng.exponential(member.reach, (cases, 6))
    rho = rng.uniform(-0.5, 0.5, (cases, 3)) * member.reach
    call = rng.integers(2, longest[:, None], (cases, 3))
    efficiency = 1.25 + rng.uniform(-0.75, 0.75, (cases, 3)) * member.reach
    areas = [
        np.column_stack(
            [places[:, 2 * a : 2 * a + 2], spread[:, 2 * a : 2 * a + 2], rho[:, a], people[:, a]]
        )
        for a in range(3)
    ]
    banks = [
        np.column_stack([places[:, 6 + 2 * b : 8 + 2 * b], call[:, b], efficiency[:, b]])
        for b in range(3)
    ]
    return np.column_stack([*areas, temperature, *banks, longest])


def clean(name: str, inputs: Array) -> Array:
    """The expected share [n], estimated by the mean of ``DAYS`` days that are always the same ones.

    What it keeps of the noise is 1/``DAYS`` of the variance of a day.
    """
    rng = generator(FAMILY.seed, "expected share", name)
    return np.mean([recorded(law(name), inputs, rng) for _ in range(DAYS)], axis=0)


def noisy(name: str, inputs: Array, rng: np.random.Generator) -> Array:
    """The share [n] of the customers of one simulated day who are turned away.

    Raises:
        BenchbookError: no such member, or inputs of another shape.
    """
    return recorded(law(name), inputs, rng)


def recorded(member: BankLaw, inputs: Array, rng: np.random.Generator) -> Array:
    """What ``noisy`` returns, for constants that are no member's."""
    day = begin(member, inputs, rng)
    counts = np.zeros(len(day.longest), np.int64)
    kernels.queueing.turned_away(
        day.arrivals,
        day.customers,
        day.service,
        day.call,
        day.longest,
        day.tills,
        day.opening,
        day.patience,
        day.seeds,
        counts,
    )
    return counts / np.maximum(day.customers.sum(axis=1), 1)


def begin(member: BankLaw, inputs: Array, rng: np.random.Generator) -> Day:
    """Decide who comes on a day and where they go: attendance, then Poisson numbers of customers at every bank.

    Raises:
        BenchbookError: inputs of another shape.
    """
    inputs = np.asarray(inputs, dtype=np.float64)
    if inputs.ndim != 2 or inputs.shape[1] != member.inputs:
        raise BenchbookError(
            f"the inputs have shape {inputs.shape}; this member of bank needs [n, {member.inputs}]"
        )
    cases = len(inputs)
    areas, banks, people, temperature = _town(member, inputs)
    low, high = np.array(member.attendance).T
    people = people * rng.uniform(low, high, (cases, 3))
    people[:, 0] += member.visitors * rng.standard_exponential(cases)
    nodes, weights = _quadrature()
    share = kernels.queueing.choices(areas, banks, member.softness * temperature, nodes, weights)
    arrivals = np.einsum("na,nab->nb", people, share)
    few, town = member.inputs == 8, member.town
    return Day(
        arrivals=arrivals,
        customers=rng.poisson(HEAD * arrivals),
        service=np.tile(town.service, (cases, 1))
        if few
        else SERVICE * inputs.take((22, 26, 30), axis=1),
        call=np.tile(CALL, (cases, 1))
        if few
        else inputs.take((21, 25, 29), axis=1).astype(np.int64),
        longest=inputs[:, -1].astype(np.int64),
        tills=TILLS if few else np.full(3, 3),
        opening=town.opening if few else OPENING,
        patience=town.patience if few else PATIENCE,
        seeds=rng.integers(0, 2**64, cases, dtype=np.uint64),
    )


def attendance_for_share(
    name: str, share: float, cases: int, make_rng: Callable[[], np.random.Generator]
) -> float:
    """The half-width, relative to its middle, of the days' attendance at which E Var(y|x) is the given share of Var(y).

    By bisection to 0.002; areas whose attendance is fixed keep it. Every step draws from a fresh ``make_rng()``.

    Args:
        name: the member whose law is taken, attendance aside.
        share: the wanted share, between 0 and 1.
        cases: how many cases to measure on.
        make_rng: returns the same new generator each time it is called.
    """
    middles = [sum(bounds) / 2 for bounds in law(name).attendance]
    fixed = [bounds[0] == bounds[1] for bounds in law(name).attendance]

    def share_at(width: float) -> float:
        item, two, three = (
            _around(m, 0.0 if f else width) for m, f in zip(middles, fixed, strict=True)
        )
        return _share(replace(law(name), attendance=(item, two, three)), cases, make_rng())

    return tuned(share_at, share, 0.0, 1.0, within=0.002)


def _share(member: BankLaw, cases: int, rng: np.random.Generator) -> float:
    inputs = drawn(member, cases, rng)
    return noise_share(recorded(member, inputs, rng), recorded(member, inputs, rng))


def _town(member: BankLaw, inputs: Array) -> tuple[Array, Array, Array, Array]:
    """Areas [n, 3, 5], places of banks [n, 3, 2], populations [n, 3] and temperature [n] of every case."""
    cases = len(inputs)
    if member.inputs == 8:
        areas, banks = (
            np.tile(member.town.areas, (cases, 1, 1)),
            np.tile(member.town.banks, (cases, 1, 1)),
        )
        areas[:, 0, :2] = inputs[:, :2]
        banks[:, 1] = inputs[:, 2:4]
        return (
            areas,
            banks,
            np.column_stack([np.full(cases, member.residents), inputs[:, 4:6]]),
            inputs[:, 6],
        )
    groups = inputs[:, :18].reshape(cases, 3, 6)
    banks = inputs[:, 19:31].reshape(cases, 3, 4)[:, :, :2]
    return (
        np.ascontiguousarray(groups[:, :, :5]),
        np.ascontiguousarray(banks),
        groups[:, :, 5].copy(),
        inputs[:, 18],
    )


def _quadrature() -> tuple[Array, Array]:
    """Gauss and Hermite's five nodes and weights for a standard normal variable."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    return nodes, weights / weights.sum()


FAMILY = Family("bank", tuple(LAWS), seed=1996, draw=draw, clean=clean, noisy=noisy, laws=LAWS)
