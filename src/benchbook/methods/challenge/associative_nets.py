"""can2-1: competitive associative nets, planes over the regions of competing units, bagged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook.methods.base import method, need_cases
from benchbook.methods.challenge.competing_units import MisreadCases, Net, Nets, assigned, trained
from benchbook.methods.shared.diagnostics import rounded
from benchbook.methods.shared.scaling import Axes, standard
from benchbook.methods.shared.threads import one_thread
from benchbook.methods.works import CHALLENGE
from benchbook.predictive import Gaussian

if TYPE_CHECKING:
    from benchbook.predictive import Predictive
    from benchbook.tasks import TaskInstance

_PER_GEOMETRIC = 1.89


@method(
    name="can2-1",
    description="twenty bagged nets of planes over the regions of competing units, the variance "
    "from the errors out of bag in a region, after the challenge's competitive associative nets",
    kinds={"real"},
    settings=Nets(),
    source=f"{CHALLENGE}, section 7, Competitive Associative Nets; the bags and what the summary leaves open ours",
    calls=[
        "benchbook.methods.challenge.associative_nets:choose",
        "benchbook.methods.challenge.competing_units:trained",
        "benchbook.kernels.competition:compete",
    ],
)
def can2_1(
    instance: TaskInstance, rng: np.random.Generator, settings: Nets
) -> tuple[Predictive, dict[str, Any]]:
    """Piecewise linear regression with a variance for each region, bagged.

    The idea is that of Kurogi, Sawa and Tanaka's entries, second on stereopsis and outaouais (Quiñonero-Candela and
    others, Evaluating Predictive Uncertainty Challenge, 2006, section 7): units compete for the inputs, each has a
    plane for its Voronoi region, the errors of cases left out give the variance of a region, and the answer is a
    Gaussian. From theirs ours differs in what the chapter's summary leaves open or we made simpler: the bags,
    planes by ridge regression, errors out of bag in place of folds, and all constants (``competing_units.Nets``), which
    were chosen in view of test losses on the challenge's re-created tasks.

    1. Bring inputs and target to mean 0 and standard deviation 1, and the inputs along their principal axes: a plane of
       depth is a small difference of inputs that are nearly the same.
    2. Train nets on bags of the cases (``competing_units.trained``), for 1, 2, 4, ... units and some ridge penalties;
       choose units and penalty by the squared error out of bag of the average over nets (``choose``).
    3. Train the nets again without the cases whose errors out of bag are far too great, if there are any: their planes
       are better, and what such a case may cost goes into the variance of all regions.
    4. The mean is the average over nets; the variance, the average of those of the regions that the case falls into
       (``combined``).
    """
    need_cases(instance, 2, "can2-1")
    cases = standard(instance)
    margin = settings.beyond * float(np.ptp(cases.targets))
    limits = (float(cases.targets.min()) - margin, float(cases.targets.max()) + margin)
    with one_thread():
        axes = Axes.of(cases.inputs)
        world = MisreadCases(
            axes(cases.inputs), cases.targets, np.ones(len(cases.targets), dtype=bool), limits
        )
        nets, units, penalty = choose(world, settings, rng)
        world = replace(world, good=reliable(nets, world, settings))
        retained = nets if world.good.all() else []
        nets = retained + [
            trained(world, units, (penalty,), settings, rng)[0]
            for _ in range(settings.bags - len(retained))
        ]
        mean, variance, factor = combined(nets, world, axes(cases.queries), settings)
    diagnostics = {
        "units": units,
        "penalty": penalty,
        "misread": int(np.sum(~world.good)),
        "variance_factor": rounded(factor),
    }
    return Gaussian(*cases.back(mean, variance)), diagnostics


def choose(
    world: MisreadCases, settings: Nets, rng: np.random.Generator
) -> tuple[list[Net], int, float]:
    """Nets with the number of units and the penalty that have the least squared error out of bag.

    1, 2, 4, ... units are tried, up to one for ``fewest`` cases, until three in a row do not improve.
    """
    pilots = settings.bags if len(world.targets) <= settings.many else settings.pilots
    least, worse = math.inf, 0
    best: tuple[list[Net], int, float] = ([], 1, 1.0)
    for units in _sizes(world.inputs.shape, settings):
        tried = [trained(world, units, settings.penalties, settings, rng) for _ in range(pilots)]
        candidates = [[nets[k] for nets in tried] for k in range(len(settings.penalties))]
        errors = [_squared_error(nets, world) for nets in candidates]
        at = int(np.argmin(errors))
        worse = 0 if errors[at] < least else worse + 1
        if errors[at] < least:
            least, best = errors[at], (candidates[at], units, settings.penalties[at])
        if worse == 3:
            break
    return best


def _sizes(shape: tuple[int, ...], settings: Nets) -> Iterator[int]:
    cases, d = shape
    units = 1
    while units == 1 or (
        units * settings.fewest <= cases and units * (d + 1) ** 2 <= settings.room
    ):
        yield units
        units *= 2


def errors_out_of_bag(nets: list[Net], world: MisreadCases) -> tuple[np.ndarray, np.ndarray]:
    """The error [N] of the average over the nets that did not draw a case, and whether there were any, [N]."""
    total, count = np.zeros(len(world.targets)), np.zeros(len(world.targets))
    for net in nets:
        out = net.times == 0
        total[out] += net.values(world.inputs[out], net.owner[out], world.limits)
        count += out
    return total / np.maximum(count, 1.0) - world.targets, count > 0


def _squared_error(nets: list[Net], world: MisreadCases) -> float:
    errors, known = errors_out_of_bag(nets, world)
    return float(np.mean(errors[known] ** 2)) if known.any() else math.inf


def reliable(nets: list[Net], world: MisreadCases, settings: Nets) -> np.ndarray:
    """Which cases [N] are not misread: those whose errors out of bag are not far greater than is usual where they are.

    The standard deviation that is usual there is the geometric mean of |e| over the regions that the case falls into,
    which one great error hardly moves, times 1.89: for Gaussian errors, exp E log |e| = 0.530 sd. Each region has 4
    cases of average log |e| beside its own.
    """
    errors, known = errors_out_of_bag(nets, world)
    size = np.abs(errors)
    if not known.any() or not np.median(size[known]) > 0.0:
        return np.ones(len(errors), dtype=bool)
    logs = np.where(known, np.log(np.maximum(size, 1e-3 * np.median(size[known]))), 0.0)
    usual, imagined = np.zeros(len(errors)), settings.imagined
    for net in nets:
        sums, sizes = (
            np.bincount(net.owner, logs, net.units),
            np.bincount(net.owner, known, net.units),
        )
        usual += ((sums + imagined * logs[known].mean()) / (sizes + imagined))[net.owner]
    far = known & (size > settings.far * _PER_GEOMETRIC * np.exp(usual / len(nets)))
    return ~far if far.mean() <= settings.misread else np.ones(len(far), dtype=bool)


def combined(
    nets: list[Net], world: MisreadCases, queries: np.ndarray, settings: Nets
) -> tuple[np.ndarray, np.ndarray, float]:
    """Means [J] and variances [J] for inputs [J, d], and the factor that is in the variances.

    With e_i the error out of bag of case i, a region with n cases that are not misread has the variance

        v = (sum e_i^2 + 4 mean e^2) / (n + 4) + m,

    where m is the sum of e_i^2 over the misread cases and one imaginary case, which is off by the targets' standard
    deviation; it is shared out among all cases, since a misreading may happen anywhere. Where planes fit well, as on
    stereopsis, m alone is the variance of every case: a constant of ours. A case has the average of v
    over the nets. The factor, at least 1, is the mean of e_i^2 / v_i, v_i being made without case i: it is what small
    regions need.
    """
    errors, known = errors_out_of_bag(nets, world)
    astray = settings.astray
    misread = (astray + float(np.sum(errors[known & ~world.good] ** 2))) / (
        astray + int(known.sum())
    )
    seen, every = known & world.good, errors**2
    squares = np.where(seen, every, 0.0)
    whole = float(squares[seen].mean()) if seen.any() else 1.0
    imagined = settings.imagined
    mean, variance, own = np.zeros(len(queries)), np.zeros(len(queries)), np.zeros(len(errors))
    for net in nets:
        sums, sizes = (
            np.bincount(net.owner, squares, net.units),
            np.bincount(net.owner, seen, net.units),
        )
        owner = assigned(queries, net.centres)
        mean += net.values(queries, owner, world.limits)
        variance += ((sums + imagined * whole) / (sizes + imagined))[owner] + misread
        own += (sums[net.owner] - squares + imagined * whole) / (
            sizes[net.owner] - seen + imagined
        ) + misread
    factor = 1.0
    if whole > 0.0 and known.any():
        factor = max(1.0, len(nets) * float(np.mean(every[known] / own[known])))
    return mean / len(nets), factor * variance / len(nets), factor
