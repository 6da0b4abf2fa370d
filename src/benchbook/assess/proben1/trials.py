"""How often the tests of two samples of runs raise a false alarm, and how often they find what is there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
from numpy.typing import NDArray

from benchbook.assess.anova.squares import Array
from benchbook.assess.proben1.lognormal import LEVEL, MOST, trim
from benchbook.assess.proben1.two_samples import cochran_cox_critical, resampled_means
from benchbook.errors import Fault, FaultyInput
from benchbook.progress import bar

_CHUNK = 500
_BOOTSTRAP = 299
REPORT, KEPT, WELCH, RANKS, BOOTSTRAP = TESTS = (
    "report: logs, outliers out",
    "logs, outliers in",
    "Welch, errors",
    "Mann-Whitney",
    "bootstrap of means",
)

_Moments = tuple[Array, Array, Array]


@dataclass(frozen=True)
class ErrorLaw:
    """Test errors of one method: exp(N(shift, spread^2)), and a share of runs that diverged, whose errors are larger by
    the factor exp(N(far, (far/3)^2))."""

    spread: float
    shift: float = 0.0
    divergent: float = 0.0
    far: float = 1.5

    def draw(self, rng: np.random.Generator, samples: int, runs: int) -> Array:
        """Logs of errors [samples, runs]."""
        logs = self.shift + self.spread * rng.standard_normal((samples, runs))
        if self.divergent:
            away = self.far * (1.0 + rng.standard_normal(logs.shape) / 3.0)
            logs += np.where(rng.random(logs.shape) < self.divergent, away, 0.0)
        return logs


# The spread of logs is that of many of the report's problems, whose standard deviations are a tenth of their means.
WORLDS = {
    "log-normal": (ErrorLaw(0.1), ErrorLaw(0.1)),
    "divergent runs": (ErrorLaw(0.1, divergent=0.05), ErrorLaw(0.1, divergent=0.05)),
    "unequal spread, equal geometric means": (ErrorLaw(0.05), ErrorLaw(0.3)),
    "unequal spread, equal means": (ErrorLaw(0.05, shift=(0.3**2 - 0.05**2) / 2), ErrorLaw(0.3)),
}


def rejections(
    rng: np.random.Generator,
    worlds: Sequence[str] = tuple(WORLDS),
    runs: Iterable[int] = (10, 60),
    *,
    replications: int = 2000,
    level: float = 0.1,
    advantage: float = 0.0,
    tests: Sequence[str] = TESTS,
    laws: tuple[ErrorLaw, ErrorLaw] | None = None,
    draws: int = _BOOTSTRAP,
) -> pl.DataFrame:
    """The share of replications in which each test finds a difference between two methods.

    Args:
        rng: draws the errors.
        worlds: of ``WORLDS``, whose two methods differ in nothing that the world's name says to be equal.
        runs: runs of each method.
        replications: pairs of samples.
        level: nominal; an alarm is a p below it.
        advantage: the logs of the first method's errors are smaller by it; with 0 rates are false alarms, otherwise
            power.
        tests: which, of ``TESTS``.
        laws: two laws of one's own, instead of ``worlds``.
        draws: of the bootstrap; with few its quantiles lie too near to the middle.

    Returns:
        A line for each world, number of runs and test: world, runs, test, rate, standard_error (of the rate),
        replications; and for the report's procedure, null for the others, unreliable (share of pairs in which it
        calls a sample not log-normal), reliable_rate (of the other pairs) and removed (outliers it takes from a
        sample, on average).
    """
    _check(worlds, tests, replications, laws)
    pairs = {"own": laws} if laws else {name: WORLDS[name] for name in worlds}
    lines = []
    for (world, pair), count in ((item, count) for item in pairs.items() for count in runs):
        chunks = []
        for start in bar(range(0, replications, _CHUNK), label=world, unit="chunk"):
            size = min(_CHUNK, replications - start)
            first, second = (law.draw(rng, size, count) for law in pair)
            chunks.append(_decide(first - advantage, second, level, tests, rng, draws))
        for test in tests:
            rejected = np.concatenate([chunk[test] for chunk in chunks])
            line = {
                "world": world,
                "runs": count,
                "test": test,
                "rate": rejected[:, 0].mean(),
                "standard_error": math.sqrt(rejected[:, 0].var() / len(rejected)),
                "replications": len(rejected),
            }
            lines.append(line | _reliability(rejected if test == REPORT else None))
    return pl.DataFrame(lines, schema_overrides=dict.fromkeys(_reliability(None), pl.Float64))


def _reliability(rejected: NDArray[Any] | None) -> dict[str, float | None]:
    if rejected is None:
        return dict.fromkeys(("unreliable", "reliable_rate", "removed"))
    sound = rejected[rejected[:, 1] == 0.0]
    return {
        "unreliable": rejected[:, 1].mean(),
        "reliable_rate": sound[:, 0].mean() if len(sound) else None,
        "removed": rejected[:, 2].mean(),
    }


def _check(
    worlds: Sequence[str],
    tests: Sequence[str],
    replications: int,
    laws: tuple[ErrorLaw, ErrorLaw] | None,
) -> None:
    faults = [
        Fault("worlds", repr(world), f"it is one of {', '.join(WORLDS)}")
        for world in worlds
        if not laws and world not in WORLDS
    ]
    faults += [
        Fault("tests", repr(test), f"it is one of {', '.join(TESTS)}")
        for test in tests
        if test not in TESTS
    ]
    if replications < 1:
        faults.append(
            Fault("replications", str(replications), "at least one pair of samples is drawn")
        )
    if faults:
        raise FaultyInput("simulation of tests of two samples", faults)


def _decide(
    first: Array,
    second: Array,
    level: float,
    tests: Sequence[str],
    rng: np.random.Generator,
    draws: int,
) -> dict[str, NDArray[Any]]:
    """For each test [B, 1], whether it rejects; for the report's [B, 3], also whether unreliable, and removals."""
    decisions: dict[str, NDArray[Any]] = {}
    if REPORT in tests:
        decisions[REPORT] = _report(first, second, level)
    if KEPT in tests:
        decisions[KEPT] = _cochran_cox(_moments(first), _moments(second), level)[:, None]
    if WELCH in tests:
        p = scipy.stats.ttest_ind(np.exp(first), np.exp(second), axis=1, equal_var=False).pvalue
        decisions[WELCH] = p[:, None] < level
    if RANKS in tests:
        p = scipy.stats.mannwhitneyu(first, second, axis=1, method="asymptotic").pvalue
        decisions[RANKS] = p[:, None] < level
    if BOOTSTRAP in tests:
        drawn = [resampled_means(np.exp(logs), draws, rng) for logs in (first, second)]
        low, high = np.quantile(drawn[0] - drawn[1], (level / 2.0, 1.0 - level / 2.0), axis=1)
        decisions[BOOTSTRAP] = ((low > 0.0) | (high < 0.0))[:, None]
    return decisions


def _report(first: Array, second: Array, level: float) -> Array:
    trimmed = [trim(logs, LEVEL, MOST) for logs in (first, second)]
    moments, removed, normal = [], [], []
    for sample in trimmed:
        index = np.arange(sample.ordered.shape[1])
        retained = (index >= sample.low[:, None]) & (index < sample.high[:, None])
        moments.append(_moments(sample.ordered, retained))
        removed.append(len(index) - retained.sum(axis=1))
        normal.append(sample.p >= LEVEL)
    unreliable = ~(normal[0] & normal[1])
    return np.column_stack(
        [_cochran_cox(moments[0], moments[1], level), unreliable, (removed[0] + removed[1]) / 2.0]
    )


def _moments(values: Array, kept: NDArray[np.bool_] | None = None) -> _Moments:
    """Means, variances (n - 1) and numbers of the values kept, each [B]."""
    where: NDArray[np.bool_] = np.ones(values.shape, dtype=bool) if kept is None else kept
    return (
        values.mean(axis=1, where=where),
        values.var(axis=1, ddof=1, where=where),
        where.sum(axis=1),
    )


def _cochran_cox(first: _Moments, second: _Moments, level: float) -> NDArray[np.bool_]:
    weights = first[1] / first[2], second[1] / second[2]
    statistic = np.abs(first[0] - second[0]) / np.sqrt(weights[0] + weights[1])
    return statistic > cochran_cox_critical(level, weights, (first[2], second[2]))
