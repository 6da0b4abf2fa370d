"""Whole posteriors: what they predict and leave out, by direct removal and by scipy; bad input; the methods."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from benchbook import methods
from benchbook.assess.densities import loo
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods.gaussian_processes.residuals.covariance import Marginal
from benchbook.methods.gaussian_processes.residuals.sampling import sample_gp
from benchbook.methods.gaussian_processes.residuals.settings import GPSettings
from benchbook.predictive import StudentTMixture
from benchbook.seeds import generator

SHORT = GPSettings(draws=20, warm=30, thin=1, search=30)


def wave(n, rng, noise=0.3):
    inputs = rng.uniform(-2, 2, size=(n, 2))
    return inputs, 30 + 10 * np.sin(2 * inputs[:, 0]) + 10 * noise * rng.normal(size=n)


@pytest.fixture(scope="module")
def data():
    return wave(30, generator(1, "vl gp wave"))


@pytest.fixture(scope="module")
def posteriors(data):
    inputs, targets = data
    results = {
        kind: sample_gp(inputs, targets, kind, SHORT, generator(2, kind))
        for kind in ("n", "t", "in", "it")
    }
    groups = replace(SHORT, spread=(1,))
    results["it, groups"] = sample_gp(
        np.maximum(inputs, 0), targets, "it", groups, generator(2, "groups")
    )
    results["logistic"] = sample_gp(
        inputs, targets > 30, "logistic", SHORT, generator(2, "logistic")
    )
    results["two"] = sample_gp(
        inputs, np.column_stack([targets, inputs[:, 1]]), "n", SHORT, generator(2, "two")
    )
    return results


REAL = ["n", "t", "in", "it", "it, groups"]


@pytest.mark.parametrize("name", REAL)
def test_leave_one_out_terms_are_those_of_direct_removal(posteriors, name):
    """Equations 37 to 39 of a draw against the joint Normal of the targets without the case."""
    posterior, case, draw = posteriors[name], 7, 3
    draws = posterior.components.__self__
    marginal, state, scaling = draws.chain.marginal, draws.states[draw], draws.scaling
    marginal.scales[:] = state.scales
    whole, others = marginal.covariance(state.t), np.arange(30) != case
    gain = whole[case, others] @ np.linalg.inv(whole[np.ix_(others, others)])
    mean = scaling.target_centre[0] + scaling.target_unit * (gain @ marginal.targets[others, 0])
    variance = scaling.target_unit**2 * (whole[case, case] - gain @ whole[others, case])
    terms, target = (
        posterior.leave_one_out[0],
        scaling.target_centre[0] + scaling.target_unit * marginal.targets[case],
    )
    assert terms.mean[draw, case] == pytest.approx(mean, rel=1e-7)
    assert terms.variance[draw, case] == pytest.approx(variance, rel=1e-6)
    density = stats.norm.logpdf(target[0], mean, np.sqrt(variance))
    assert terms.log_density[draw, case] == pytest.approx(density, rel=1e-6)


def test_weights_are_made_of_the_terms_unless_a_case_has_a_scale_of_its_own(posteriors):
    for kind in ("n", "in"):
        np.testing.assert_allclose(
            posteriors[kind].log_likelihood,
            posteriors[kind].leave_one_out[0].log_density,
            rtol=1e-6,
        )
    own, given = posteriors["t"].log_likelihood, posteriors["t"].leave_one_out[0].log_density
    assert 0.01 < np.abs(own - given).mean() < 1.0


@pytest.mark.parametrize("name", [*REAL, "logistic"])
def test_prediction_is_the_mean_of_the_densities_of_the_draws(posteriors, data, name):
    """Components stand for a density that is neither Normal nor t: close to it, and equal where it is."""
    inputs, targets = data[0][:8] + 0.1, data[1][:8]
    targets = (targets > 30).astype(float) if name == "logistic" else targets
    posterior = posteriors[name]
    item = posterior.log_density(inputs, targets)
    two = posterior.predict(inputs).log_density(
        targets.astype(int) if name == "logistic" else targets
    )
    np.testing.assert_allclose(two, item, atol=1e-8 if name in ("n", "logistic") else 0.12)
    assert posterior.log_density_draws(inputs, targets).shape == (20, 8)
    each = posterior.log_density_draws(inputs, targets)
    np.testing.assert_allclose(np.logaddexp.reduce(each, axis=0) - np.log(20), item, rtol=1e-10)


def test_kinds_of_predictions(posteriors, data):
    query = data[0][:3]
    assert isinstance(posteriors["it"].predict(query), StudentTMixture)
    assert posteriors["in"].predict(query).weight.shape == (3, 40)
    assert posteriors["n"].predict(query).weight.shape == (3, 20)
    assert posteriors["logistic"].predict(query).probability.shape == (3, 2)
    assert posteriors["two"].predict(query, 1).weight.shape == (3, 20)


def test_a_density_integrates_to_one(posteriors, data):
    grid = np.linspace(-200, 260, 801)
    for name in REAL:
        density = np.exp(posteriors[name].log_density(np.tile(data[0][:1], (801, 1)), grid))
        assert np.trapezoid(density, grid) == pytest.approx(1.0, abs=0.01)


def test_two_outputs_share_parameters_or_not(data, posteriors):
    inputs, targets = data
    both = np.column_stack([targets, inputs[:, 1]])
    shared = posteriors["two"]
    assert len(shared.leave_one_out) == 2
    np.testing.assert_allclose(
        shared.log_likelihood, sum(term.log_density for term in shared.leave_one_out), rtol=1e-6
    )
    own = sample_gp(inputs, both, "n", replace(SHORT, shared=False), generator(2, "own"))
    for posterior in (shared, own):
        density = posterior.log_density_draws(inputs, both)
        np.testing.assert_allclose(
            posterior.components(inputs).log_density(both), density, rtol=1e-9
        )
        assert np.corrcoef(posterior.predict(inputs, 0).mean(), targets)[0, 1] > 0.9
    with pytest.raises(FaultyInput, match="shared=False"):
        sample_gp(inputs, both, "t", SHORT, generator(2))


def test_tails_and_spreads_that_are_there_are_found():
    rng = generator(5, "vl gp tails")
    inputs, smooth = wave(80, rng, 0.0)
    tailed = smooth + np.where(rng.random(80) < 0.1, 15.0, 0.5) * rng.normal(size=80)
    settings = GPSettings(draws=40, warm=40, thin=1)
    plain, tails = (
        sample_gp(inputs, tailed, kind, settings, generator(6, kind)) for kind in ("n", "t")
    )
    assert loo(tails.log_likelihood).total > loo(plain.log_likelihood).total + 20
    uneven = smooth + np.where(inputs[:, 1] > 0, 4.0, 0.4) * rng.normal(size=80)
    spread = sample_gp(inputs, uneven, "in", settings, generator(6, "in"))
    narrow, wide = np.sqrt(spread.predict(np.array([[0.0, -1.0], [0.0, 1.0]])).variance())
    assert wide > 3 * narrow


def test_classes_and_their_left_out_chances():
    rng = generator(7, "vl gp classes")
    inputs = rng.normal(size=(120, 2))
    labels = rng.random(120) < expit(3 * inputs[:, 0] - 1)
    settings = GPSettings(draws=40, warm=40, thin=1)
    posterior = sample_gp(inputs, labels, "logistic", settings, generator(8))
    chance = posterior.predict(np.array([[-1.5, 0.0], [0.3, 0.0], [1.5, 0.0]])).probability[:, 1]
    np.testing.assert_allclose(chance, expit(3 * np.array([-1.5, 0.3, 1.5]) - 1), atol=0.15)
    without = np.arange(120) != 5
    direct = sample_gp(inputs[without], labels[without], "logistic", settings, generator(9))
    expected = direct.log_density(inputs[[5]], labels[[5]].astype(float))[0]
    assert loo(posterior.log_likelihood).log_density[5] == pytest.approx(expected, abs=0.1)


def test_importance_sampling_of_the_reports_size_has_a_term_for_every_case(posteriors):
    rng = generator(1, "vl gp 215")
    targets = rng.normal(size=(215, 1))
    marginal = Marginal(
        rng.normal(size=(215, 8)), targets, posteriors["n"].components.__self__.chain.marginal.prior
    )
    from benchbook.assess.densities import gp_leave_one_out_draws

    covariances = [
        marginal.covariance(np.log([*rng.uniform(0.05, 0.1, 9), 1.0, 0.3])) for _ in range(100)
    ]
    log_density = loo(gp_leave_one_out_draws(covariances, targets[:, 0]).log_density).log_density
    assert log_density.shape == (215,)
    assert np.isfinite(log_density).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "cauchy"}, "must be one of n, t"),
        ({"targets": np.zeros(4)}, "must be \\[N, d\\]"),
        ({"targets": np.full(30, np.nan)}, "must be finite"),
        ({"kind": "logistic"}, "0 and 1"),
        ({"kind": "in", "settings": GPSettings(spread=(5,))}, "column"),
        ({"settings": GPSettings(most=29)}, "29 is the most"),
    ],
)
def test_what_cannot_be_sampled_is_refused(data, change, said):
    given = {
        "inputs": data[0],
        "targets": data[1],
        "kind": "n",
        "settings": SHORT,
        "rng": generator(1),
    } | change
    with pytest.raises(BenchbookError, match=said):
        sample_gp(**given)


@pytest.mark.parametrize("kind", ["t", "in", "logistic"])
@pytest.mark.parametrize(
    "spoiled", ["two cases", "constant target", "constant inputs", "huge", "outlier"]
)
def test_bad_data_give_numbers(data, kind, spoiled):
    inputs, targets = (array.copy() for array in data)
    match spoiled:
        case "two cases":
            inputs, targets = inputs[:2], targets[:2]
        case "constant target":
            targets[:] = 3.0
        case "constant inputs":
            inputs[:] = 1.0
        case "huge":
            inputs, targets = 1e9 * inputs, 1e9 * targets
        case "outlier":
            inputs[0], targets[1] = 1e6, 1e9
    targets = (targets > np.median(targets)) if kind == "logistic" else targets
    posterior = sample_gp(inputs, targets, kind, replace(SHORT, draws=5, warm=10), generator(3))
    assert np.isfinite(posterior.log_likelihood).all()
    assert np.isfinite(
        posterior.log_density(inputs[:2], np.asarray(targets[:2], dtype=float))
    ).all()
    assert np.isfinite(list(posterior.diagnostics.values())).all()


def test_methods_answer_with_diagnostics(make_instance, data):
    inputs, targets = data
    prediction, diagnostics = methods.answer(
        methods.get("vl-gp-n"), make_instance(inputs, targets, inputs[:4]), generator(1)
    )
    assert np.abs(prediction.mean() - targets[:4]).max() < 10
    figures = {
        f"{what}_{of}"
        for what in ("rhat", "ess", "ks")
        for of in ("covariance", "residual", "value")
    }
    assert {"acceptance", "sweeps", "evaluations", *figures} == set(diagnostics)
