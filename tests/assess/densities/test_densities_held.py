"""What every function of the room gives for small input, to five digits, or says of wrong input: ``held.txt``."""

import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from printed import held, outcome

from benchbook.assess import densities as d
from benchbook.predictive import Gaussian
from benchbook.seeds import generator
from benchbook_book.pages.simulations import coverage
from benchbook_book.pages.simulations.worlds import WORLDS, error_parts, left_out_errors, world

RNG = np.random.default_rng(7)
U, V = RNG.normal(-1.0, 0.5, 24), RNG.normal(-1.1, 0.6, 24)
FOLD, WHO = np.arange(24) % 4, np.arange(24) // 3
BY_FOLD = U + RNG.normal(-0.1, 0.1, (4, 24))
BY_FOLD[FOLD, np.arange(24)] -= 0.3
TARGETS = np.append(RNG.normal(size=9), 4.0)
DRAWS = RNG.normal(TARGETS.mean(), 0.3, (4, 400))
LIKELIHOOD = -0.5 * (TARGETS - DRAWS[..., None]) ** 2 - 0.9
WIDE = -0.5 * ((TARGETS - DRAWS[..., None]) / 1.5) ** 2 - 1.3
PREDICTED = DRAWS[..., None] + RNG.normal(size=LIKELIHOOD.shape)
INPUTS = np.column_stack([np.ones(12), RNG.normal(size=12)])
LINE = INPUTS @ [0.5, 1.0] + 0.3 * RNG.normal(size=12)
PRIOR = d.LinearModel(np.zeros(2), np.eye(2), 2.0, 1.0)
SMALL = d.LinearModel(np.zeros(1), np.eye(1), 2.0, 1.0)
POSTERIOR = d.LogLikelihood(LIKELIHOOD, tuple("abcdefghij"), "y", TARGETS, PREDICTED)
OTHER = d.LogLikelihood(WIDE, tuple("abcdefghij"), "z", TARGETS, PREDICTED + 0.2)
COVARIANCE = np.exp(-0.5 * (INPUTS[:, 1:] - INPUTS[:, 1]) ** 2) + 0.2 * np.eye(12)
POWERS = d.power_ladder(4)
TEMPERED = [-0.5 * (1.0 + RNG.normal(size=(2, 150)) ** 2) * (2.0 - power) for power in POWERS]
SHORT = {"replicates": 300}
ONE = Gaussian(np.zeros(1), np.ones(1))
APART = replace(OTHER, values=WIDE + np.array([0.0, 0.0, 3.0, 3.0])[:, None, None])
TURN = np.array([3, 1, 4, 0, 5, 9, 2, 6, 8, 7])
SHUFFLED = d.LogLikelihood(
    WIDE[..., TURN],
    tuple("abcdefghij"[at] for at in TURN),
    "z",
    TARGETS[TURN],
    PREDICTED[..., TURN],
)
TRIALS = pl.DataFrame(
    {
        "world": "plain", "model": ["large"] * 3 + ["difference"] * 3, "utility": "u", "procedure": "p",
        "interval": "bootstrap", "estimate": [1.0, 2.5, 3.0, 0.1, -0.2, 0.3], "low": [0.0, 2.0, 3.5, -1.0, -1.0, 0.0],
        "high": [1.5, 3.0, 4.0, 1.0, -0.1, 1.0], "truth": [1.5, 2.0, 3.0, 0.2, 0.1, 0.0],
    }
)  # fmt: skip


def line_of(cases, rng):
    inputs = np.column_stack([np.ones(cases), rng.normal(size=cases)])
    return inputs, inputs @ [0.5, 1.0] + rng.normal(size=cases)


def folds(apart=0.0, **more):
    values = LIKELIHOOD + apart * np.arange(4)[:, None, None]
    parts = [
        d.LogLikelihood(values[..., at::2] - 0.1 * at, tuple("abcdefghij"[at::2]), "y")
        for at in range(2)
    ]
    return d.assess_folds(parts, **SHORT, **more)


def compared(**more):
    return d.compare_models({"a": U, "b": V, "c": U - 0.2}, "larger is better", **SHORT, **more)


GIVEN = {
    "bootstrap": lambda: d.bayesian_bootstrap(U, **SHORT),
    "bootstrap of a root": lambda: d.bayesian_bootstrap(U**2, d.ROOT_MEAN, **SHORT),
    "bootstrap of a quantile": lambda: d.bayesian_bootstrap(U, d.Quantile(0.9), **SHORT),
    "bootstrap of a geometric mean": lambda: d.bayesian_bootstrap(U, d.GEOMETRIC_MEAN, **SHORT),
    "bootstrap of a function": lambda: d.bayesian_bootstrap(
        U, d.FunctionOf("twice", lambda u, w: 2.0 * float(u @ w)), **SHORT
    ),
    "bootstrap of groups": lambda: d.bayesian_bootstrap(U, groups=WHO, **SHORT),
    "bootstrap of weighted cases": lambda: d.bayesian_bootstrap(U, case_weights=1.0 + WHO, **SHORT),
    "bootstrap of sources": lambda: d.bayesian_bootstrap(U, sources=FOLD, **SHORT),
    "bootstrap of two sources by a quantile": lambda: d.bayesian_bootstrap(
        np.stack([U, V, U - 1.0]), d.Quantile(0.9), sources=FOLD % 2, **SHORT
    ),
    "bootstrap of infinite": lambda: d.bayesian_bootstrap([1.0, np.inf]),
    "bootstrap of one": lambda: d.bayesian_bootstrap([1.0]),
    "bootstrap of other groups": lambda: d.bayesian_bootstrap(U, groups=WHO[1:]),
    "bootstrap of one group": lambda: d.bayesian_bootstrap(U, groups=0 * WHO),
    "bootstrap of negative weights": lambda: d.bayesian_bootstrap(U, case_weights=-1.0 - WHO),
    "bootstrap without replicates": lambda: d.bayesian_bootstrap(U, replicates=0),
    "bootstrap of a quantile of 1": lambda: d.Quantile(1.0),
    "a corrected mean": lambda: d.bias_corrected(BY_FOLD, U, FOLD),
    "a corrected root": lambda: d.bias_corrected(BY_FOLD**2, U**2, FOLD, d.ROOT_MEAN),
    "a corrected mean of folds alike": lambda: d.bias_corrected(BY_FOLD, U, FOLD, by_size=False),
    "a corrected mean of other shape": lambda: d.bias_corrected(BY_FOLD[:3], U, FOLD),
    "a corrected distribution": lambda: d.bias_corrected_distribution(BY_FOLD, U, FOLD, **SHORT),
    "a corrected distribution of groups": lambda: d.bias_corrected_distribution(
        BY_FOLD, U, FOLD, groups=WHO, **SHORT
    ),
    "components": lambda: d.components(BY_FOLD, U, FOLD, **SHORT),
    "chains": lambda: d.chains_of(LIKELIHOOD),
    "chains apart": lambda: d.chains_of(LIKELIHOOD + np.arange(4)[:, None, None], "case {}".format),
    "models": compared,
    "models of groups": lambda: compared(groups=WHO),
    "models joined": lambda: compared(case_ids={name: range(24) for name in "abc"}),
    "models of other cases": lambda: compared(case_ids={"a": range(24), "b": range(1, 25), "c": range(24)}),
    "models of other targets": lambda: compared(targets={"a": U, "b": U + 1.0, "c": U}),
    "models table": lambda: compared().table().to_dicts(),
    "models difference": lambda: compared().difference("a", "c"),
    "models of one": lambda: d.compare_models({"a": U}, "larger is better"),
    "cumulative weights": lambda: d.cumulative_weights([[0.5, 0.1], [0.3, 0.8], [0.2, 0.1]]),
    "effective number": lambda: d.effective_number([[0.5, 0.1], [0.3, 0.8], [0.2, 0.1]]),
    "dependent weights": lambda: d.dependent_weights(9, 3, 4, generator(1)),
    "exact folds": lambda: d.exact_cross_validation(PRIOR, INPUTS, LINE, d.random_folds(12, 3, generator(1))),
    "few groups": lambda: [d.few_groups_factor(count) for count in (2, 3, 8, 50)],
    "gaussian": lambda: d.gaussian(U),
    "gaussian by folds": lambda: d.gaussian_by_folds(U, FOLD),
    "a process": lambda: d.gp_leave_one_out(COVARIANCE, LINE),
    "processes": lambda: d.gp_leave_one_out_draws([COVARIANCE, 2.0 * COVARIANCE], LINE),
    "a process elsewhere": lambda: d.gp_predict(COVARIANCE, LINE, COVARIANCE[:, :2], np.ones(2)),
    "thresholds": lambda: [d.k_threshold(draws) for draws in (10, 100, 2000, 100_000)],
    "tails": lambda: [d.tail_length(draws, eff) for draws in (20, 100, 1000) for eff in (0.5, 1.0)],
    "groups left out": lambda: d.leave_group_out(LIKELIHOOD, np.arange(10) // 2),
    "groups left out raw": lambda: d.leave_group_out(LIKELIHOOD, np.arange(10) // 2, 0.5, smooth=False),
    "left out": lambda: d.loo(LIKELIHOOD),
    "left out of fewer": lambda: d.loo(LIKELIHOOD, 0.5, cases=tuple("abcdefghij")),
    "left out frame": lambda: d.loo(LIKELIHOOD, cases=tuple("abcdefghij")).frame().to_dicts(),
    "weights": lambda: [part[..., :5] for part in d.loo_weights(LIKELIHOOD, [0, 9])],
    "raw weights": lambda: [part[..., :5] for part in d.loo_weights(LIKELIHOOD, [9], smooth=False)],
    "weights of none": lambda: d.loo_weights(LIKELIHOOD, [10]),
    "efficiency": lambda: d.relative_efficiency(LIKELIHOOD),
    "factors": lambda: [
        d.log_fractional_likelihood(PRIOR, INPUTS, LINE, 0.25),
        d.log_partial_likelihood(PRIOR, INPUTS, LINE, [0, 3, 5]),
        d.log_posterior_likelihood(PRIOR, INPUTS, LINE),
        d.log_prior_likelihood(PRIOR, INPUTS, LINE),
        d.log_intrinsic_factor(PRIOR, SMALL, [INPUTS, INPUTS[:, :1]], LINE, 2),
        d.log_intrinsic_factor(PRIOR, SMALL, [INPUTS, INPUTS[:, :1]], LINE, 2, "geometric"),
    ],
    "a fraction of 1.5": lambda: d.log_fractional_likelihood(PRIOR, INPUTS, LINE, 1.5),
    "densities": lambda: [
        d.log_partial_densities(PRIOR, INPUTS, LINE, [0, 3]),
        d.log_posterior_densities(PRIOR, INPUTS, LINE),
        d.log_prior_densities(PRIOR, INPUTS, LINE),
        d.log_pseudo_likelihood(PRIOR, INPUTS, LINE),
    ],
    "powers": lambda: d.log_marginal_by_powers(POWERS, TEMPERED),
    "powers that fall": lambda: d.log_marginal_by_powers(POWERS[::-1], TEMPERED),
    "too few powers": lambda: d.log_marginal_by_powers(POWERS[:2], TEMPERED),
    "ladders": lambda: [d.power_ladder(3), d.power_ladder(2, 0.1, 0.9, 1.0)],
    "no ladder": lambda: d.power_ladder(0),
    "a mixture": lambda: d.mixture([[0.0, 1.0], [1.0, 2.0]], [[1.0, 1.0], [2.0, 1.0]], [[0.3, 0.5], [0.7, 0.5]]).mean(),
    "a pseudo-Bayes factor": lambda: d.pseudo_bayes_factor(U, V, **SHORT),
    "resampled": lambda: d.resample([[0.1], [0.2], [0.7]], 9, generator(1)),
    "resampled by weights of 2": lambda: d.resample([[1.0], [1.0]], 9, generator(1)),
    "reweighted": lambda: d.reweighted(LIKELIHOOD[0, :, :2], draws=4),
    "reweighted by blocks": lambda: d.reweighted(LIKELIHOOD[0, :, :2], draws=4, block=20),
    "subtracted": lambda: d.subtract(
        d.bayesian_bootstrap(U, **SHORT), d.bayesian_bootstrap(V, **SHORT), "smaller is better", "u", "v"
    ),
    "training sets": lambda: d.over_training_sets(
        line_of,
        lambda inputs, targets: lambda new: Gaussian(new[:, 1], np.full(len(new), targets.var())),
        lambda prediction, targets: prediction.log_density(targets),
        3, 4, generator(1),
    ),
    "questions": lambda: d.QUESTIONS,
    "utilities": lambda: {name: (each.orientation, each.unit) for name, each in d.UTILITIES.items()},
    "values of utilities": lambda: {
        name: each.function(Gaussian(np.array([0.0, 1.0]), np.array([1.0, 4.0])), np.array([0.5, -3.0]))
        for name, each in d.UTILITIES.items() if name not in ("classification error", "log probability")
    },
    "no question": lambda: d.question("rmsee"),
    "no utility": lambda: d.utility("densty"),
    "a normalised root": lambda: d.normalised_root_mean(TARGETS),
    "a posterior": lambda: d.assess_posterior(POSTERIOR, **SHORT),
    "a posterior's errors": lambda: [
        (ask, d.assess_posterior(POSTERIOR, ask, **SHORT).expected.estimate) for ask in ("rmse", "mae", "q90")
    ],
    "a posterior of groups": lambda: d.assess_posterior(POSTERIOR, groups=np.arange(10) // 2, **SHORT),
    "a posterior's verdict": lambda: d.assess_posterior(POSTERIOR, **SHORT).verdict(),
    "posteriors": lambda: d.compare_posteriors({"y": POSTERIOR, "z": OTHER}, **SHORT).table(0.1).to_dicts(),
    "posteriors' likelihoods": lambda: d.compare_posteriors(
        {"y": POSTERIOR, "z": OTHER}, "likelihood", **SHORT
    ).table().to_dicts(),
    "chains together": lambda: [
        d.chains_together([POSTERIOR, replace(POSTERIOR, values=LIKELIHOOD[:, ::-1])]).values.shape
    ],
    "chains of others": lambda: d.chains_together([POSTERIOR, OTHER]),
    "folds": folds,
    "folds of one": lambda: d.assess_folds([POSTERIOR]),
    "a few means": lambda: [d.Mean("exp", 2.0).of(V), d.ROOT_MEAN.of(U**2, WHO), d.Quantile(0.5).of([2.0, 1.0])],
    "a mean of a hole": lambda: d.MEAN.of([1.0, np.nan]),
    "a mean of infinite": lambda: d.MEAN.of([1.0, np.inf]),
    "a mean of none": lambda: d.MEAN.of([]),
    "a mean of a table": lambda: d.MEAN.of([[1.0]]),
    "a mean of words": lambda: d.MEAN.of(["a"]),
    "a mean by another transform": lambda: d.Mean("log", 0.0),
    "a mean by an infinite scale": lambda: d.Mean("root", np.inf),
    "a mean by negative weights": lambda: d.MEAN.of([1.0, 2.0], [1.0, -1.0]),
    "a mean by no weights": lambda: d.MEAN.of([1.0, 2.0], [0.0, 0.0]),
    "a mean by too few weights": lambda: d.MEAN.of([1.0, 2.0], [1.0]),
    "quantile of 0": lambda: d.Quantile(0.0),
    "a root of targets alike": lambda: d.normalised_root_mean([2.0, 2.0]),
    "gaussian of one": lambda: d.gaussian([1.0]),
    "gaussian of one fold": lambda: d.gaussian_by_folds([1.0, 2.0], [0, 0]),
    "gaussian intervals": lambda: [d.gaussian(U).interval(), d.gaussian(U).interval(0.5)],
    "gaussian chances": lambda: [d.gaussian(U).probability_above(at) for at in (-2.0, -1.0, 0.0)],
    "gaussian chances without spread": lambda: [d.gaussian([1.0, 1.0]).probability_above(at) for at in (0.5, 1, 2)],
    "a coverage of 1": lambda: d.gaussian(U).interval(1.0),
    "a coverage of 0": lambda: d.bayesian_bootstrap(U, **SHORT).interval(0.0),
    "a shortest coverage of 0": lambda: d.bayesian_bootstrap(U, **SHORT).shortest_interval(0.0),
    "intervals": lambda: [
        part for each in (d.bayesian_bootstrap(U**2, **SHORT),)
        for part in (each.mean, each.sd, each.quantile(0.2), each.interval(), each.interval(0.5),
                     each.shortest_interval(), each.shortest_interval(0.5), each.probability_above(),
                     each.probability_above(1.2), each.probability_above(each.replicates[0]))
    ],
    "one replicate": lambda: d.bayesian_bootstrap(U, replicates=1),
    "two replicates": lambda: d.bayesian_bootstrap([2.5], replicates=2),
    "too few weights of cases": lambda: d.bayesian_bootstrap(U, case_weights=[1.0]),
    "blocks longer than the series": lambda: d.dependent_weights(5, 6, 2, generator(1)),
    "blocks of the series": lambda: d.dependent_weights(5, 5, 2, generator(1)),
    "blocks of 0": lambda: d.dependent_weights(5, 0, 2, generator(1)),
    "no rows of weights": lambda: d.dependent_weights(5, 1, 0, generator(1)),
    "reweighted by other weights": lambda: d.reweighted(np.ones((3, 2)), np.ones((2, 3))),
    "reweighted by weights": lambda: d.reweighted(DRAWS[:, :2], WIDE[0, :4, :2] ** 2, draws=3, seed=2, name="n"),
    "components' table": lambda: d.components(BY_FOLD, U, FOLD, seed=2, name="n", **SHORT).table().to_dicts(),
    "corrections of draws": lambda: d.bias_corrected_distribution(
        np.stack([BY_FOLD, BY_FOLD + 0.1], axis=1), [U, U - 0.1, V], FOLD, d.Quantile(0.9), by_size=False, seed=2,
        name="n", case_weights=1.0 + WHO, **SHORT,
    ),
    "a correction's parts": lambda: [
        part for each in (d.bias_corrected(BY_FOLD, U, FOLD),) for part in (each.correction, each.training_set_sd)
    ],
    "a correction of uneven folds": lambda: d.bias_corrected(BY_FOLD[:2], U, FOLD == 0, d.Quantile(0.7)),
    "a correction of one fold": lambda: d.bias_corrected(BY_FOLD[:1], U, 0 * FOLD),
    "a correction of other cases": lambda: d.bias_corrected(BY_FOLD, U[1:], FOLD),
    "a correction of a hole": lambda: d.bias_corrected(np.where(BY_FOLD > -0.3, np.nan, BY_FOLD), U, FOLD),
    "models of fewer cases": lambda: d.compare_models({"a": U, "b": U[1:]}, "larger is better"),
    "models without ids": lambda: compared(case_ids={"a": range(24), "b": range(24)}),
    "models without targets": lambda: compared(targets={"a": U}),
    "models of three targets": lambda: compared(targets={"a": U, "b": V[:3], "c": U}),
    "models of targets in words": lambda: compared(
        targets={"a": ["x"] * 24, "b": ["x"] * 23 + ["y"], "c": ["x"] * 24}
    ),
    "models of ids twice": lambda: compared(
        case_ids={"a": [f"n{at}" for at in range(24)], "b": ["n0"] * 24, "c": range(24)}
    ),
    "models of an orientation": lambda: d.compare_models({"a": U, "b": V}, "up"),
    "models of other groups": lambda: d.compare_models(
        {name: d.leave_group_out(LIKELIHOOD, np.arange(10) // size) for name, size in (("a", 2), ("b", 3))},
        "larger is better",
    ),
    "models of groups and of cases": lambda: d.compare_models(
        {"a": d.leave_group_out(LIKELIHOOD, np.arange(10) // 2), "b": d.loo(WIDE)}, "larger is better"
    ),
    "models of the same groups": lambda: d.compare_models(
        {name: d.leave_group_out(values, np.arange(10) // 2) for name, values in (("a", LIKELIHOOD), ("b", WIDE))},
        "larger is better", **SHORT,
    ),
    "differences of other weights": lambda: d.subtract(
        d.bayesian_bootstrap(U, seed=2, **SHORT), d.bayesian_bootstrap(V, **SHORT), "larger is better"
    ),
    "chances of a difference": lambda: [
        part for better in ("larger is better", "smaller is better")
        for each in (d.compare_models({"a": U, "b": V}, better, **SHORT).difference("a", "b"),)
        for part in (each.probability_better, each.probability_negligible(0.0), each.probability_negligible(0.1))
    ],
    "a negative width": lambda: compared().difference("a", "c").probability_negligible(-1e-9),
    "a factor of other cases": lambda: d.pseudo_bayes_factor(U, V[1:]),
    "a factor of groups": lambda: d.pseudo_bayes_factor(U, V, groups=WHO, seed=2, **SHORT),
    "an empty part": lambda: d.log_partial_likelihood(PRIOR, INPUTS, LINE, []),
    "a part of others": lambda: d.log_partial_densities(PRIOR, INPUTS, LINE, [-1, 0, 11, 12]),
    "fractions of 0": lambda: d.log_fractional_likelihood(PRIOR, INPUTS, LINE, 0.0),
    "fractions of 1": lambda: d.log_fractional_likelihood(PRIOR, INPUTS, LINE, 1.0),
    "all for training": lambda: d.log_intrinsic_factor(PRIOR, SMALL, [INPUTS, INPUTS[:, :1]], LINE, 12),
    "an improper line": lambda: d.LinearModel(np.zeros(2), np.zeros((2, 2)), 0.0, np.inf),
    "a line of another precision": lambda: d.LinearModel(np.zeros(2), np.eye(3), 1.0, 1.0),
    "a line of an uneven precision": lambda: d.LinearModel(np.zeros(2), [[1.0, 0.5], [0.0, 1.0]], 1.0, 1.0),
    "a line of fewer inputs": lambda: PRIOR.given(INPUTS[:, :1], LINE),
    "a line of holes": lambda: PRIOR.given(INPUTS, LINE * np.nan),
    "lines": lambda: [
        PRIOR.given(INPUTS, LINE, 0.5),
        [(each.location, each.scale, each.df) for each in (
            PRIOR.predictive(INPUTS[:3]), PRIOR.given(INPUTS, LINE).left_out(INPUTS, LINE))],
        PRIOR.log_marginal(INPUTS, LINE, 0.5), PRIOR.draws(3, generator(1)),
        d.log_likelihoods(PRIOR.draws(3, generator(1)), INPUTS[:2], LINE[:2]),
    ],
    "a process of no covariance": lambda: d.gp_leave_one_out(-COVARIANCE, LINE),
    "a process of a part": lambda: d.gp_leave_one_out(COVARIANCE[:3, :3], LINE),
    "a process elsewhere of others": lambda: d.gp_predict(COVARIANCE, LINE, np.zeros((3, 1)), 1.0),
    "no processes": lambda: d.gp_leave_one_out_draws([], LINE),
    "a table of powers": lambda: d.log_marginal_by_powers(POWERS, TEMPERED).frame().to_dicts(),
    "a sum of powers": lambda: [
        part for each in (d.log_marginal_by_powers(POWERS, TEMPERED),)
        for part in (each.log_marginal, each.standard_error)
    ],
    "powers of 3 draws": lambda: d.log_marginal_by_powers([0.0, 1.0], [np.zeros(3), np.zeros((2, 4))]),
    "powers of 4 draws": lambda: d.log_marginal_by_powers(
        [0.5, 1.0], [np.arange(4.0), 2.0 + np.arange(8.0).reshape(2, 4)]
    ),
    "powers of words": lambda: d.log_marginal_by_powers([0.0, 1.0], [["a"] * 4, np.zeros(4)]),
    "powers of cubes": lambda: d.log_marginal_by_powers([0.0, 1.0], [np.zeros((1, 1, 4)), np.zeros(4)]),
    "powers of holes": lambda: d.log_marginal_by_powers([0.0, 1.0], [np.zeros(4), [0.0, np.inf, np.inf, 1.0]]),
    "powers below 0": lambda: d.log_marginal_by_powers([-0.5, -0.5, 1.0], [np.zeros(4)] * 3),
    "likelihoods that fall": lambda: d.log_marginal_by_powers(POWERS, TEMPERED[::-1]),
    "ladders that stand": lambda: d.power_ladder(3, 1.0, 1.0),
    "ladders by no exponent": lambda: d.power_ladder(3, exponent=0.0),
    "ladders from below": lambda: d.power_ladder(3, -0.1),
    "left out of files": lambda: d.loo(np.asfortranarray(LIKELIHOOD[0])),
    "left out of whole numbers": lambda: d.loo(-np.arange(24).reshape(8, 3)),
    "left out of 11 draws": lambda: d.loo(-np.ones((11, 1))).verdict(),
    "left out of 10 draws": lambda: d.loo(-np.ones((10, 1))).verdict(),
    "left out of 20 draws": lambda: d.loo(LIKELIHOOD[0, :20]).verdict(),
    "left out of 21 draws": lambda: d.loo(LIKELIHOOD[0, :21, -1:]).verdict(),
    "left out of chains apart": lambda: d.loo(LIKELIHOOD + np.arange(4)[:, None, None]).verdict(),
    "verdicts": lambda: [
        d.loo(LIKELIHOOD).verdict(), d.loo(LIKELIHOOD[..., :1]).verdict(),
        d.loo(LIKELIHOOD[0] * 8.0).verdict(),
        d.leave_group_out(LIKELIHOOD * 8.0, np.arange(10) // 2).verdict(),
        d.leave_group_out(LIKELIHOOD, ["a"] * 5 + ["b"] * 5).verdict(),
    ],
    "sums": lambda: [
        part for each in (d.loo(LIKELIHOOD), d.loo(LIKELIHOOD[..., :1]))
        for part in (each.total, each.standard_error, each.effective_parameters, each.trusted, each.shortfall)
    ],
    "groups' table": lambda: d.leave_group_out(LIKELIHOOD * 4.0, np.arange(10) // 2, 0.5).frame().to_dicts(),
    "groups of others": lambda: d.leave_group_out(LIKELIHOOD, [1, 2, 3]),
    "groups of a hole": lambda: d.leave_group_out(LIKELIHOOD, [np.nan, *range(9)]),
    "groups of none": lambda: d.leave_group_out(LIKELIHOOD, [None, *"abcdefghi"]),
    "groups by a name": lambda: d.leave_group_out(POSTERIOR, "site"),
    "left out of a hole": lambda: d.loo(np.append(LIKELIHOOD[0, :, 0], np.nan)[:, None]),
    "left out of a hole behind 64 cases": lambda: d.loo(np.where(np.arange(70) == 67, np.nan, np.zeros((4, 70)))),
    "left out of infinite": lambda: d.loo([[0.0, 0.0], [-np.inf, 0.0]]),
    "left out of a line": lambda: d.loo([1.0, 2.0]),
    "left out of no draws": lambda: d.loo(np.zeros((0, 5))),
    "left out of ragged lists": lambda: d.loo([[1.0, 2.0], [1.0]]),
    "left out of words": lambda: d.loo([["a"]]),
    "left out by no efficiency": lambda: d.loo(LIKELIHOOD, 0.0),
    "left out by other efficiencies": lambda: d.loo(LIKELIHOOD, [1.0, 1.0]),
    "left out by efficiencies": lambda: d.loo(LIKELIHOOD, np.linspace(0.2, 1.1, 10)),
    "left out of fewer ids": lambda: d.loo(LIKELIHOOD, cases="abc"),
    "left out of one target": lambda: d.loo(LIKELIHOOD, targets=3.0),
    "left out of fewer targets": lambda: d.loo(LIKELIHOOD, targets=TARGETS[1:]),
    "weights of half a case": lambda: d.loo_weights(LIKELIHOOD, [0.5]),
    "weights of the case before": lambda: d.loo_weights(LIKELIHOOD, [-1]),
    "expectations": lambda: [
        d.expectation([1.0, 2.0, 4.0], [[1.0, 0.0], [2.0, 1.0], [1.0, 3.0]]),
        d.expectation([[1.0, 5.0], [2.0, 6.0]], [[1.0, 3.0], [1.0, 1.0]]),
        d.predictive_expectation([[1.0, 2.0], [3.0, 5.0]]),
    ],
    "expectations of others": lambda: d.expectation(np.zeros(3), np.ones((2, 2))),
    "mixtures of others": lambda: d.mixture(np.zeros((3, 2)), np.ones((3, 2)), np.ones((4, 2))),
    "shares below 0": lambda: d.effective_number([[1.0, 2.0, 0.0], [1.0, -1.0, 0.0]]),
    "shares of a hole": lambda: d.effective_number([[1.0, np.inf]]),
    "efficiency of still chains": lambda: d.relative_efficiency(np.zeros((2, 9, 2))),
    "efficiency of 3 and 4 draws": lambda: [
        d.relative_efficiency(np.arange(2.0 * draws).reshape(2, draws, 1) ** 2) for draws in (3, 4)
    ],
    "a utility upwards": lambda: d.Utility("money", "up", "EUR", len),
    "a utility of two": lambda: d.Utility("u", "larger is better", "", lambda p, t: [1.0, 2.0]).per_case(ONE, [0]),
    "a utility of a hole": lambda: d.Utility("u", "larger is better", "", lambda p, t: [np.nan]).per_case(ONE, [0]),
    "signs of utilities": lambda: [each.sign for each in d.UTILITIES.values()],
    "utilities of losses": lambda: {name: each.utility(np.array([0.5, 2.0])) for name, each in d.QUESTIONS.items()},
    "no training cases": lambda: d.over_training_sets(line_of, len, len, 0, 4, generator(1)),
    "no future cases": lambda: d.over_training_sets(line_of, len, len, 3, 0, generator(1)),
    "a posterior of no shape": lambda: d.from_inference_data({"y": np.zeros(3)}),
    "a posterior of two": lambda: d.from_inference_data({"y": LIKELIHOOD, "z": WIDE}),
    "a posterior of another": lambda: d.from_inference_data({"y": LIKELIHOOD, "z": WIDE}, ["y", "x"]),
    "a posterior of none": lambda: d.from_inference_data({"log_likelihood": {}}),
    "a posterior of both": lambda: d.from_inference_data({"y": LIKELIHOOD, "z": WIDE}, ("z", "y", "z")),
    "a posterior of other draws": lambda: d.from_inference_data({"y": LIKELIHOOD, "z": WIDE[:, 1:]}, ("z", "y")),
    "a posterior of likelihoods": lambda: d.from_inference_data({"y": np.exp(LIKELIHOOD)}),
    "a posterior of likelihoods from 0": lambda: d.from_inference_data({"y": np.eye(2)}),
    "a posterior of ones": lambda: d.from_inference_data({"y": np.zeros((2, 2))}).name,
    "a posterior of large logarithms": lambda: d.from_inference_data({"y": np.exp(LIKELIHOOD)}, logarithms=True).name,
    "a posterior of groups alone": lambda: d.from_inference_data(types.SimpleNamespace(children={"posterior": 1})),
    "a posterior without groups": lambda: d.from_inference_data(object()),
    "a file of one": lambda: d.read_log_likelihood("p.npy", "y"),
    "a file of another ending": lambda: d.read_log_likelihood("p.dat"),
    "chains of fewer draws": lambda: d.chains_together([POSTERIOR, replace(POSTERIOR, values=LIKELIHOOD[:, 1:])]),
    "chains of some predictions": lambda: d.chains_together(
        [POSTERIOR, replace(POSTERIOR, values=LIKELIHOOD[:, ::-1], predictions=None)]
    ),
    "weights' mass": lambda: d.assess_posterior(POSTERIOR).weight_mass,
    "posteriors by other questions": lambda: d.compare_assessed(
        {"y": d.assess_posterior(POSTERIOR), "z": d.assess_posterior(OTHER, "mae")}
    ),
    "posteriors apart": lambda: [
        part for each in (d.compare_posteriors({"y": POSTERIOR, "z": APART}, **SHORT),)
        for part in (each.table(0.1).to_dicts(), each.trusted, each.ranked, each.pairs.table().to_dicts())
    ],
    "posteriors of groups": lambda: d.compare_posteriors(
        {"y": POSTERIOR, "z": OTHER}, "mae", groups=np.arange(10) // 2, seed=2, **SHORT
    ).pseudo_bayes_factor("y", "z"),
    "posteriors joined": lambda: d.compare_posteriors(
        {"y": POSTERIOR, "z": SHUFFLED}, "mae", **SHORT
    ).table(0.1, 0.5).to_dicts(),
    "folds' words": lambda: [folds().verdict(), folds().weighting, folds(groups=WHO[:10]).weighting],
    "folds apart": lambda: [folds(apart=3.0).verdict(), folds(apart=3.0).trusted, folds(apart=3.0).shortfall],
    "folds compared": lambda: d.compare_folds({"a": folds(), "b": folds(seed=1)}, seed=2, **SHORT),
    "simulations of no data": lambda: coverage.coverage(WORLDS[0], 0, models=()),
    "a simulation": lambda: coverage.coverage(WORLDS[0], 1, seed=2, first=3, models=("small", "difference")),
    "simulations of a model": lambda: coverage.coverage(WORLDS[0], 1, models=("small", "other")),
    "another world": lambda: world("flat"),
    "worlds": lambda: [
        part for each in WORLDS for part in (each, each.weights, each.labels, each.draw(generator(1)), each.future)
    ],
    "errors in a world": lambda: left_out_errors(WORLDS[0], 3, seed=2).to_dicts(),
    "parts of errors": lambda: error_parts(left_out_errors(WORLDS[0], 4)),
    "a summary of coverage": lambda: coverage.summarise(TRIALS).to_dicts(),
}  # fmt: skip


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_given_is_held(name):
    held(Path(__file__).with_name("held.txt"), name, outcome(GIVEN[name]))
