"""Results of a comparison from means and differences by hand: no method is fitted."""

from types import SimpleNamespace

import numpy as np
import polars as pl

from benchbook.assess import decisions
from benchbook.assess.by_design import Verdicts
from benchbook.assess.decisions import MethodMean, PairTest
from benchbook.assess.designs import Design
from benchbook.assess.spread import Spread
from benchbook.comparison.measure import LossInfo
from benchbook.comparison.result import Comparison

NAN = float("nan")
INFO = LossInfo("absolute", "absolute error", "EUR")
FOLDS = Design("folds", 10, train_size=1079.6, test_to_train=1 / 9)


def mean_of(name, mean, error=0.05, df=9.0, test="corrected t"):
    """A mean with the 95 % interval of its standard error."""
    spread = Spread(mean, error, df, test)
    low, high = spread.interval(0.95) if np.isfinite(mean) else (NAN, NAN)
    return MethodMean(name, spread, low, high)


def pair_of(means, name, other, error=0.1, df=9.0, reason="", shown=True, test="corrected t"):
    """The difference of two of the means."""
    gap = means[name] - means[other]
    return PairTest(name, other, Spread(gap, error, df, test), reason, shown)


FOLD_LOSSES = {"method": pl.String, "split": pl.Int32, "loss": pl.String, "value": pl.Float64}


def _fold_losses(tables, infos, design):
    """One loss a repeat: the mean, and what shuffling does."""
    rng = np.random.default_rng(0)
    for info, (means, _) in zip(infos, tables, strict=True):
        for one in means:
            for repeat in range(design.repeats):
                value = one.spread.mean + 0.05 * rng.normal()
                yield (
                    one.method,
                    repeat * design.k,
                    info.code,
                    value if np.isfinite(value) else None,
                )


def result(
    tables,
    *,
    infos=(INFO,),
    rope=0.02,
    rope_words="",
    reference=None,
    rounds=10,
    wanted=None,
    alarms=(),
    errors=None,
    design=FOLDS,
    cases=1200,
    times=True,
    methods=None,
    settings=None,
):
    """A comparison.

    Args:
        tables: for each loss of ``infos`` a list of ``MethodMean`` and one of ``PairTest``.
        rope: of every loss. errors: by method, what its one failed fit said. cases: None for scores without cases.
    """
    parts = [
        decisions.decide(info.code, means, pairs, rope, 0.95, reference)
        for info, (means, pairs) in zip(infos, tables, strict=True)
    ]
    verdicts = Verdicts(
        pl.DataFrame([row for part in parts for row in part.table], schema=decisions.TABLE),
        pl.DataFrame([row for part in parts for row in part.pairs], schema=decisions.PAIRS),
        [],
        design=design,
    )
    names = list(dict.fromkeys(mean.method for means, _ in tables for mean in means))
    fits = SimpleNamespace(
        orientation={info.code: info for info in infos},
        complete=rounds,
        wanted=rounds if wanted is None else wanted,
        errors={name: [(0, text, "")] for name, text in (errors or {}).items()},
        times=pl.DataFrame(
            {"method": names if times else [], "fit_seconds": [1.0] * len(names) if times else []},
            schema={"method": pl.String, "fit_seconds": pl.Float64},
        ),
    )
    fits.fold_losses = pl.DataFrame(
        _fold_losses(tables, infos, design), orient="row", schema=FOLD_LOSSES
    )
    data = SimpleNamespace(
        y=np.repeat([0, 1], [cases // 4, cases - cases // 4]) if cases else None,
        weighed=cases,
        target="rent",
        unit="EUR",
        kind="number",
        positive=None,
        classes=(),
    )
    plan = SimpleNamespace(splits=(None,) * rounds, words="ten folds", design=design)
    return Comparison(
        data if cases else None,
        plan,
        fits,
        verdicts,
        tuple(alarms),
        {info.code: rope for info in infos},
        rope_words,
        methods,
        settings or {},
    )
