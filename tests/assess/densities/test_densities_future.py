"""Leave-future-out: against exact predictions of an autoregression, fits where weights fail, and what is refused."""

import numpy as np
import pytest
from click.testing import CliRunner
from posterior_worlds import fitted
from scipy import stats

from benchbook.assess import densities
from benchbook.cli import app
from benchbook.errors import FaultyInput

STEPS, FIRST = 40, 20


def series(rng, jump=0.0):
    """An AR(1) with a level: inputs [T, 2] and the next values [T]; ``jump`` moves the level at step 30."""
    y = np.zeros(STEPS + 1)
    for step in range(1, STEPS + 1):
        y[step] = 0.6 * y[step - 1] + rng.normal() + jump * (step == 30)
    return np.column_stack([np.ones(STEPS), y[:-1]]), y[1:]


def posterior_of_first(rng, inputs, y, given, draws=4000):
    """[4, draws / 4, T], log likelihoods of all steps under the posterior of the first."""
    mean, cover, shape, rate = fitted(inputs[:given], y[:given])
    scale = np.sqrt(rate / rng.gamma(shape, size=(4, draws // 4)))[..., None]
    noise = rng.normal(size=(4, draws // 4, 2)) @ np.linalg.cholesky(cover).T
    return stats.norm.logpdf(y, (mean + scale * noise) @ inputs.T, scale)


def exact(inputs, y, ahead=1):
    """[T - first - ahead + 1], log densities of the next steps together, given those before."""
    result = []
    for given in range(FIRST, STEPS - ahead + 1):
        mean, cover, shape, rate = fitted(inputs[:given], y[:given])
        x = inputs[given : given + ahead]
        spread = rate / shape * (np.eye(ahead) + x @ cover @ x.T)
        joint = stats.multivariate_t(x @ mean, spread, df=2.0 * shape)
        result.append(float(joint.logpdf(y[given : given + ahead])))
    return np.array(result)


@pytest.mark.parametrize(("ahead", "jump"), [(1, 0.0), (3, 0.0), (1, 4.0)])
def test_predictions_are_those_of_exact_fits(rng, ahead, jump):
    inputs, y = series(rng, jump)
    asked = []

    def fit(given):
        asked.append(given)
        return posterior_of_first(rng, inputs, y, given)

    found = densities.leave_future_out(fit, FIRST, ahead=ahead)
    np.testing.assert_allclose(found.log_density, exact(inputs, y, ahead), atol=0.5)
    assert found.total == pytest.approx(exact(inputs, y, ahead).sum(), abs=1.0)
    assert asked == list(found.refits)
    assert asked[0] == FIRST
    assert len(asked) < STEPS - FIRST - ahead + 1
    assert (found.k_hat <= found.threshold).all()
    assert found.needed == 0
    assert found.frame()["given"].to_list() == list(range(FIRST, STEPS - ahead + 1))
    every = densities.leave_future_out(fit, FIRST, ahead=ahead, threshold=-1.0)
    assert every.refits == tuple(range(FIRST, STEPS - ahead + 1))
    np.testing.assert_allclose(every.log_density, exact(inputs, y, ahead), atol=0.15)


def test_the_command_says_which_fit_comes_next(rng, tmp_path):
    inputs, y = series(np.random.default_rng(1), jump=8.0)

    def write(given):
        np.save(tmp_path / f"first-{given}.npy", posterior_of_first(rng, inputs, y, given))
        return sorted(map(str, tmp_path.glob("*.npy")))

    paths = write(FIRST)
    for _ in range(20):
        run = CliRunner().invoke(app, ["assess", "lfo", *paths])
        if run.exit_code == 0:
            break
        assert run.exit_code == 1
        following = int(run.output.split("Fit the model to the first ")[1].split()[0])
        paths = write(following)
    assert run.exit_code == 0, run.output
    assert 1 < len(paths) < 12
    assert "mean of 20 predictions" in run.output
    (tmp_path / "mean.npy").write_bytes((tmp_path / "first-20.npy").read_bytes())
    run = CliRunner().invoke(app, ["assess", "lfo", str(tmp_path / "mean.npy")])
    assert run.exit_code == 2
    assert "must end with how many" in run.output


def test_what_cannot_be_predicted_is_refused(rng):
    inputs, y = series(rng)
    item = posterior_of_first(rng, inputs, y, FIRST, 400)
    for posteriors, first, text in (
        ({30: item}, FIRST, "first 20 cases"),
        ({FIRST: item}, 0, "first"),
        ({40: item}, 40, "at least"),
    ):
        with pytest.raises(FaultyInput, match=text):
            densities.leave_future_out(posteriors, first)
