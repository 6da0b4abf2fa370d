"""What the chapter on concrete shows: stored utilities by weights and by folds, and archived runs on folds."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook import datasets, studies, tasks
from benchbook.assess import densities
from benchbook.assess.densities import Distribution, Summary
from benchbook.pages import cross_validation, left_out
from benchbook.pages.cross_validation import QUESTIONS
from benchbook.pages.densities_coverage import simulated
from benchbook.pages.observed import cost
from benchbook.seeds import generator

Array = NDArray[np.float64]
PART, OTHER = "concrete/cv-215a/random-10", "concrete/cv-215b/random-10"
WHOLE = ("concrete/cv/random-10", "concrete/cv/grouped-10")
NAMES = {"mlp": "network", "gp": "Gaussian process"}
NETWORKS = {"vl-mlp-n": "Normal", "vl-mlp-t": "t", "vl-mlp-in": "input-dependent Normal",
            "vl-mlp-it": "input-dependent t"}
RESIDUALS = {name.replace("mlp", "gp"): words for name, words in NETWORKS.items()}
QUICK = {"lin-1": "linear", "knn-cv-1": "nearest cases", "forest-1": "forest", "boosting-1": "boosting"}
_Q90 = densities.Quantile(0.9)
_REPLICATES = 4000


@functools.cache
def stored() -> pl.DataFrame:
    """The columns of ``concrete.continued``."""
    return pl.read_parquet(simulated("concrete"))


def cases(part: str, model: str, scheme: str = "random-10") -> pl.DataFrame:
    """The cases of one part, model and scheme of folds."""
    return stored().filter(part=part, model=model, scheme=scheme)


def own(table: pl.DataFrame) -> Array:
    """[n], the mean predicted for each case by the model that has not seen its fold."""
    means = np.array(table["means"].to_list(), dtype=float)
    return means[np.arange(len(means)), table["fold"].to_numpy()]


def by_procedure(model: str, summary: Summary, power: int, scale: float = 1.0) -> dict[str, Distribution]:
    """Distributions of a summary of |error|^power / scale on the 215 casts, "training", "IS-LOO" and "10-fold"."""
    table = cases("cv-215a", model)
    predicted = {"training": table["mean_training"].to_numpy(), "IS-LOO": table["mean_loo"].to_numpy(),
                 "10-fold": own(table)}
    return {name: densities.bayesian_bootstrap(np.abs((mean - table["target"].to_numpy()) / scale) ** power, summary,
                                               replicates=_REPLICATES) for name, mean in predicted.items()}


def weights_or_folds() -> pl.DataFrame:
    """Figure 8's form: normalised root mean square error and 90 % quantile (MPa), in the columns of a
    ``charts.expected_utilities.utilities_chart`` with ``question`` besides."""
    lines = []
    sd = float(cases("cv-215a", "gp")["target"].to_numpy().std())
    for question, summary, power, scale in (("nrmse", densities.ROOT_MEAN, 2, sd), ("q90", _Q90, 1, 1.0)):
        for model, words in NAMES.items():
            lines += [_row(found, question=question, panel="215 casts", row=name, model=words)
                      for name, found in by_procedure(model, summary, power, scale).items()]
    return pl.DataFrame(lines, infer_schema_length=None, schema_overrides={"truth": pl.Float64})


def _row(found: Distribution, **names: str) -> dict[str, Any]:
    low, high = found.interval()
    return {**names, "estimate": found.estimate, "low": low, "high": high, "truth": None}


@functools.cache
def expected(question: str, task: str, methods: Sequence[str] = tuple(RESIDUALS)) -> cross_validation.Expected:
    """The residual models on the folds of a task, by one of ``cross_validation.QUESTIONS``."""
    return cross_validation.expected(task, question, list(methods), replicates=_REPLICATES)


def residual_models(question: str) -> pl.DataFrame:
    """Figure 10's form, uncorrected, for both parts of 215 casts: a line for each residual model, with ``correction``
    and ``correction_sd``, its standard error due to the training sets, besides."""
    lines, asked = [], QUESTIONS[question]
    for task, panel in ((PART, "215 casts"), (OTHER, "215 others")):
        for method, losses in cross_validation.fold_losses(task, list(RESIDUALS), asked.code).items():
            point = densities.bias_corrected(asked.utility(losses.by_fold), asked.utility(losses.full), losses.fold,
                                             asked.summary)
            lines.append(_row(expected(question, task).distributions[method].cross_validated, panel=panel,
                              row=RESIDUALS[method], model="10-fold")
                         | {"correction": point.correction, "correction_sd": point.training_set_sd})
    return pl.DataFrame(lines, schema_overrides={"truth": pl.Float64})


def pairs(question: str, task: str = PART, corrected: bool = False) -> pl.DataFrame:
    """Tables 1 to 3's form: the probability that the model of the line is better than that of the column."""
    found = expected(question, task).pairs(corrected).rename({"method": "model"} | RESIDUALS)
    return found.with_columns(pl.col("model").replace(RESIDUALS))


def all_casts() -> pl.DataFrame:
    """The four residual models on all 1,030 casts, by networks and by Gaussian processes, ten folds, not corrected.

    Returns:
        ``model`` ("network" or "Gaussian process"), ``residuals``, ``rmse`` and ``q90`` (MPa), ``likelihood`` (per
        MPa), ``better``: the probability that the likelihood is better than with Normal residuals, null for those, and
        ``rhat``: the largest of the eleven chains' split R-hat of predictions watched.
    """
    lines = []
    for model, named, watched in zip(NAMES.values(), (NETWORKS, RESIDUALS), ("rhat_prediction", "rhat_value"),
                                     strict=True):
        records = studies.overlay().records(tasks=WHOLE[0], methods=list(named))
        rhat = {name: max(value for method, _, _, value in cost(records, watched) if method == name) for name in named}
        found = {question: expected(question, WHOLE[0], tuple(named)) for question in ("rmse", "q90", "likelihood")}
        first = next(iter(named))
        lines += [{"model": model, "residuals": words,
                   **{question: each.distributions[name].cross_validated.estimate for question, each in found.items()},
                   "better": None if name == first else found["likelihood"].probability_better(name, first),
                   "rhat": rhat[name]}
                  for name, words in named.items()]
    return pl.DataFrame(lines, schema_overrides={"better": pl.Float64})


def additives() -> Mapping[str, NDArray[np.bool_]]:
    """Which of the 215 casts have which additive, or none."""
    task = tasks.get(PART)
    assert isinstance(task, tasks.FoldsTask)
    table = datasets.load("concrete").cases[task.places]
    found = {name.replace("-", " "): table[name].to_numpy() > 0.0 for name in ("superplasticizer", "slag", "fly-ash")}
    none = ~np.any(list(found.values()), axis=0)
    return {"no additives": none, **found, "all": np.ones(len(none), dtype=bool)}


def by_additive(method: str = "vl-gp-it") -> pl.DataFrame:
    """Figure 11's form: the expected 90 % quantile of the absolute error (MPa) if all future casts had an additive."""
    losses = cross_validation.fold_losses(PART, [method], "A")[method].left_out
    return pl.DataFrame(
        [_row(densities.bayesian_bootstrap(losses[chosen], _Q90, replicates=_REPLICATES), panel="215 casts",
              row=f"{name} ({chosen.sum()})", model=RESIDUALS[method]) for name, chosen in additives().items()],
        schema_overrides={"truth": pl.Float64})


def casts_or_mixtures(methods: Sequence[str] = tuple(QUICK)) -> pl.DataFrame:
    """The 90 % quantile (MPa) on all 1,030 casts by folds of casts and by folds of mixtures, uncorrected."""
    lines = [_row(densities.bayesian_bootstrap(np.abs(own(table) - table["target"].to_numpy()), _Q90,
                                               replicates=_REPLICATES), panel="1,030 casts", row="network", model=words)
             for scheme, words in (("random-10", "folds of casts"), ("grouped-10", "folds of mixtures"))
             for table in [cases("cv", "mlp", scheme)]]
    if datasets.at_hand("concrete"):
        for task, words in zip(WHOLE, ("folds of casts", "folds of mixtures"), strict=True):
            lines += [_row(densities.bayesian_bootstrap(each.left_out, _Q90, replicates=_REPLICATES),
                           panel="1,030 casts", row=QUICK[method], model=words)
                      for method, each in cross_validation.fold_losses(task, list(methods), "A").items()]
    return pl.DataFrame(lines, schema_overrides={"truth": pl.Float64})


def weighed_again(passes: int = 20_000) -> tuple[float, float]:
    """The 90 % quantile (MPa) by IS-LOO of a network fitted now to the 215 casts, and its least effective number."""
    from benchbook.methods.vl.mlp_runs import Settings
    from benchbook.methods.vl.mlp_sample import sample_mlp

    data = left_out.data("concrete/cv-215a")
    one = left_out.Fitted(lambda x, y, rng: sample_mlp(x, y, "n", Settings(hidden=10, passes=passes), rng),
                          data.inputs, data.targets, False, generator(1, "concrete", "again"))
    found = left_out.by_weights(one, data)
    return _Q90.of(np.abs(found["mean_loo"] - data.targets)), float(found["effective"].min())
