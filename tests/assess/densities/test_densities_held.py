"""What every function of the room gives for small input, to five digits, or says of wrong input: ``held.txt``."""

from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import pytest
from printed import held

from benchbook.assess import densities as d
from benchbook.errors import BenchbookError
from benchbook.predictive import Gaussian
from benchbook.seeds import generator

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


def line_of(cases, rng):
    inputs = np.column_stack([np.ones(cases), rng.normal(size=cases)])
    return inputs, inputs @ [0.5, 1.0] + rng.normal(size=cases)


def folds():
    parts = [
        d.LogLikelihood(LIKELIHOOD[..., at::2] - 0.1 * at, tuple("abcdefghij"[at::2]), "y")
        for at in range(2)
    ]
    return d.assess_folds(parts, **SHORT)


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
    "chains together": lambda: [d.chains_together([POSTERIOR, POSTERIOR]).values.shape],
    "chains of others": lambda: d.chains_together([POSTERIOR, OTHER]),
    "folds": folds,
    "folds of one": lambda: d.assess_folds([POSTERIOR]),
}  # fmt: skip


def shown(value):
    """A value as text; of long arrays the size, the sum and the first ones."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = [f"{item.name}={shown(getattr(value, item.name))}" for item in fields(value)]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {shown(item)}" for name, item in value.items()) + "}"
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f" or value.size <= 12:
            return shown(value.tolist())
        return f"array{value.shape} of sum {shown(float(value.sum()))}: {shown(value.ravel()[:6].tolist())}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float):
        return "0" if abs(value) < 1e-12 else f"{value:.5g}"
    return type(value).__name__ if callable(value) else str(value)


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_given_is_held(name):
    try:
        text = shown(GIVEN[name]())
    except BenchbookError as error:
        text = f"{type(error).__name__}: {error}"
    text = "\n".join(text[at : at + 300] for at in range(0, len(text), 300))
    held(Path(__file__).with_name("held.txt"), name, f"{text}\n")
