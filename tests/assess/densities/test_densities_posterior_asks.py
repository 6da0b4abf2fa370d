"""What can be asked of a posterior besides densities, against plain loops; weights, flags and checks against ArviZ."""

from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from posterior_worlds import files, mean_of
from scipy import stats

from benchbook.assess import densities
from benchbook.assess.densities.chains import Traces
from benchbook.assess.densities.posterior_checks import complexity
from benchbook.cli import app
from benchbook.errors import BenchbookError, FaultyInput, Undefined

CASES = 60


def three():
    """Three models of the same 60 cases: log likelihoods and predictions of each, [4, 500, 60], and the targets."""
    rng = np.random.default_rng(7)
    y = rng.normal(size=CASES) + 0.5 * rng.standard_t(3, size=CASES)

    def model(loc, scale, shift):
        mean = rng.normal(y.mean() + shift, 1 / np.sqrt(CASES), (4, 500, 1))
        drawn = mean + loc + scale * rng.normal(size=(4, 500, CASES))
        return stats.norm.logpdf(y, mean + loc, scale), drawn

    made = {"a": model(0, 1.2, 0), "b": model(0, 0.9, 0.1), "c": model(0.6, 1.3, 0)}
    names = tuple(map(str, range(CASES)))
    return {
        name: densities.LogLikelihood(log_lik, names, "y", y, drawn)
        for name, (log_lik, drawn) in made.items()
    }


@pytest.fixture(scope="module")
def models():
    return three()


def test_weights_of_models_are_those_of_arviz(models):
    """Values of a run of arviz-stats 0.8.0: compare with stacking, and bb-pseudo-bma, which draws other weights."""
    found = densities.compare_posteriors(models)
    table = {row["model"]: row for row in found.table().to_dicts()}
    assert table["b"]["elpd_diff"] == pytest.approx(1.697785, abs=1e-3)
    assert table["c"]["elpd_diff"] == pytest.approx(7.827669, abs=1e-3)
    assert table["b"]["flags"] == "n < 100, |elpd_diff| < 4"
    assert table["c"]["flags"] == "n < 100"
    weights = found.weights
    assert weights["stacking"].to_list() == pytest.approx([0.638533, 0.361467, 0.0], abs=1e-3)
    assert weights["pseudo_bma"].to_list() == pytest.approx([0.6498, 0.3433, 0.0069], abs=0.04)
    assert (weights["stacking_error"] > 0.0).all()
    density = np.stack([m.left_out.log_density for m in found.models.values()], axis=1)
    best = weights["stacking"].to_numpy()
    score = np.log(np.exp(density) @ best).sum()
    for other in np.random.default_rng(1).dirichlet([1, 1, 1], 200):
        assert np.log(np.exp(density) @ other).sum() <= score + 1e-6


def test_standard_errors_of_stacking_are_the_spread_over_data_sets(rng):
    drawn, errors = [], []
    for _ in range(30):
        y = rng.normal(size=80) * np.where(rng.random(80) < 0.5, 0.5, 2.0)
        density = np.stack([stats.norm.logpdf(y, 0, scale) for scale in (0.6, 1.8)], axis=1)
        result = densities.stacking(density)
        drawn.append(result.weights[0])
        errors.append(result.errors[0])
    assert np.mean(errors) == pytest.approx(np.std(drawn, ddof=1), rel=0.35)


def test_loo_pit_is_that_of_arviz(models):
    """Values of arviz-stats 0.8.0, whose draws are smoothed with another r_eff."""
    found = densities.assess_posterior(models["a"])
    theirs = [0.67064336, 0.42510437, 0.63701737, 0.22259668, 0.38531494, 0.43893507]
    assert found.pit[:6] == pytest.approx(theirs, abs=1e-5)
    assert "no sign" in densities.pit_verdict(found.pit)[1]


@pytest.mark.parametrize(
    ("shift", "spread", "words"),
    [
        (0, 0.4, "too narrow"),
        (0, 2.5, "too wide"),
        (1, 1, "too high"),
        (-1, 1, "too low"),
        (0, 1, "no sign"),
    ],
)
def test_what_pit_values_say(rng, shift, spread, words):
    values = stats.norm.cdf(rng.normal(size=400), shift, spread)
    assert words in densities.pit_verdict(values)[1]


def test_pit_of_counts_is_randomised(rng):
    y = rng.poisson(2.0, size=200)
    rate = rng.gamma(1 + y.sum(), 1 / (y.size + 0.1), (4, 250, 1))
    drawn = rng.poisson(np.broadcast_to(rate, (4, 250, 200)))
    names = tuple(map(str, range(200)))
    item = densities.LogLikelihood(stats.poisson.logpmf(y, rate), names, "y", y, drawn)
    values = densities.assess_posterior(item).pit
    assert stats.kstest(values, "uniform").pvalue > 0.01
    weights = densities.loo_weights(item.values)[0]
    flat = drawn.reshape(-1, 200)
    below = (weights * (flat < y)).sum(axis=0)
    up_to = (weights * (flat <= y)).sum(axis=0)
    assert np.all((values >= below - 0.01) & (values <= up_to + 0.01))
    assert len(np.unique(values)) == 200


def weighted(item):
    """Weights [M, N], draws [M, N] and targets, for plain loops."""
    r_eff = densities.relative_efficiency(item.values)
    weights = densities.loo_weights(item.values, r_eff=r_eff)[0]
    return weights, item.predictions.reshape(-1, item.predictions.shape[2]), item.targets


def plain(ask, w, x, y):
    """The expected utility by its definition."""
    if ask == "r2":
        error = np.square((w * x).sum(axis=0) - y)
        return 1.0 - error.sum() / np.square(y - y.mean()).sum()
    losses = []
    for case in range(len(y)):
        order = np.argsort(x[:, case])
        draws, mass = x[order, case], np.cumsum(w[order, case])
        if ask == "crps":
            step = np.diff(draws)
            losses.append(np.sum(step * np.square(mass[:-1] - (y[case] <= draws[:-1]))))
            losses[-1] += max(draws[0] - y[case], 0.0) + max(y[case] - draws[-1], 0.0)
            continue
        low, high = (draws[np.searchsorted(mass, level)] for level in (0.05, 0.95))
        missed = max(low - y[case], 0.0) + max(y[case] - high, 0.0)
        losses.append(high - low + 20.0 * missed)
    return np.mean(losses)


@pytest.mark.parametrize("ask", ["r2", "crps", "interval-90"])
def test_losses_of_numbers_are_those_of_weighted_draws(models, ask):
    for item in models.values():
        found = densities.assess_posterior(item, ask)
        assert found.expected.estimate == pytest.approx(plain(ask, *weighted(item)), abs=0.02)
        low, high = found.expected.interval()
        assert low < found.expected.estimate < high


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(2)
    x = rng.normal(size=40)
    y = (rng.random(40) < 1 / (1 + np.exp(-2 * x - 1))).astype(int)
    chance = 1 / (
        1 + np.exp(-rng.normal(2, 0.4, (4, 250, 1)) * x - rng.normal(1, 0.3, (4, 250, 1)))
    )
    drawn = (rng.random(chance.shape) < chance).astype(int)
    names = tuple(map(str, range(40)))
    log_lik = np.log(np.where(y == 1, chance, 1 - chance))
    return densities.LogLikelihood(log_lik, names, "y", y, drawn)


@pytest.mark.parametrize("named", [False, True])
def test_losses_of_classes_are_those_of_their_shares(classes, named):
    w, x, y = weighted(classes)
    item = classes
    if named:
        from dataclasses import replace

        labels = np.array(["no", "yes"])
        item = replace(item, targets=labels[y], predictions=labels[item.predictions])
    share = (w * x).sum(axis=0)
    hit = (share > 0.5) == (y == 1)
    wanted = {
        "brier": np.square(share - y).mean(),
        "error-rate": 1 - hit.mean(),
        "balanced-accuracy": 0.5 * (hit[y == 1].mean() + hit[y == 0].mean()),
        "Q": 2 * np.square(share - y).mean(),
        "Z": 1 - hit.mean(),
    }
    for ask, value in wanted.items():
        found = densities.assess_posterior(item, ask)
        assert found.expected.estimate == pytest.approx(value, abs=1e-9), ask


def test_a_loss_of_ones_own_cases_weighted_and_parts(models, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from benchbook.losses.own import loss\n\n\n@loss(unit='euro')\ndef missed(prediction, targets):\n"
        "    'Euro.'\n    return 3.0 * abs(prediction.median() - targets)\n"
    )
    item = models["a"]
    found = densities.assess_posterior(item, f"{file}:missed")
    absolute = densities.assess_posterior(item, "A")
    np.testing.assert_allclose(found.utilities, 3.0 * absolute.utilities)
    assert densities.assess_posterior(item, found.question.loss).question == found.question
    weights = np.arange(CASES) % 3
    heavy = densities.assess_posterior(item, "mae", case_weights=weights)
    alone = densities.assess_posterior(item, "mae")
    assert heavy.expected.estimate == pytest.approx(np.average(alone.utilities, weights=weights))
    pair = densities.compare_posteriors({"a": item, "b": models["b"]}, "mae", case_weights=weights)
    behind = densities.assess_posterior(models["b"], "mae").utilities
    apart = np.average(alone.utilities - behind, weights=weights)
    assert pair.difference("a", "b").difference.estimate == pytest.approx(apart)
    for ask in ("mae", "r2", ""):
        whole = densities.assess_posterior(item, ask)
        parts = whole.by(np.arange(CASES) % 2)
        assert parts["cases"].to_list() == [30, 30]
        if ask != "r2":
            assert parts["expected"].mean() == pytest.approx(whole.expected.estimate)
        assert (parts["low"] < parts["expected"]).all()
    [path] = files(tmp_path, {"p": item})
    (tmp_path / "w.txt").write_text("\n".join(map(str, weights)))
    words = ["loo", path, "--ask", "mae", "--case-weights", str(tmp_path / "w.txt"), "--by"]
    run = CliRunner().invoke(app, ["assess", *words, str(tmp_path / "w.txt")])
    assert f"{heavy.expected.estimate:.4g}" in run.output
    assert "w.txt" in run.output.splitlines()[-5]


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        ("rsme", "no question"),
        ("LIFT", "no loss of single cases"),
        ("interval-0", "interval-90"),
        ("Q", "classes are needed"),
        ("error-rate", "classes are needed"),
    ],
)
def test_what_cannot_be_asked_is_refused(models, ask, text):
    with pytest.raises((BenchbookError, Undefined), match=text):
        densities.assess_posterior(models["a"], ask)


def test_targets_that_do_not_differ_have_no_share(rng):
    item = mean_of(rng, np.zeros(6), 400)
    with pytest.raises(FaultyInput, match="must differ"):
        densities.assess_posterior(item, "r2")


def test_the_comparison_is_drawn_case_by_case(models, tmp_path):
    paths = files(tmp_path, models)
    run = CliRunner().invoke(app, ["assess", "compare", *paths, "--out", str(tmp_path / "out")])
    assert run.exit_code == 0, run.output
    assert "stacking" in run.output
    assert "n < 100 (b, c)" in run.output
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"compare.csv", "difference-1.csv", "difference-2.svg", "difference-1.html"} <= names


@pytest.mark.parametrize(
    ("value", "count", "bad", "words"),
    [
        (4.0, 5, False, ""),
        (8.0, 5, False, "above the number of parameters"),
        (150.0, 200, False, "above the number of cases"),
        (1.0, 5, True, "likely to be misspecified"),
        (4.0, 5, True, ""),
        (20.0, 40, True, "so flexible"),
        (8.0, 5, True, "badly misspecified"),
        (150.0, 0, False, "predicts weakly"),
        (4.0, 0, True, ""),
    ],
)
def test_effective_parameters_are_read_beside_the_numbers_of_parameters_and_cases(
    value, count, bad, words
):
    """By the glossary of the R package loo; the log density of all parameters is none of them."""
    shown = [Traces("theta", np.zeros((2, 4, count))), Traces("lp__", np.zeros((2, 4)))]
    posterior = SimpleNamespace(parameters=tuple(shown if count else shown[1:]))
    reliable = np.arange(100) >= bad
    left_out = SimpleNamespace(effective_parameters=value, k_hat=np.zeros(100), reliable=reliable)
    said = complexity(posterior, left_out)
    assert (words in said) if words else said == ""
