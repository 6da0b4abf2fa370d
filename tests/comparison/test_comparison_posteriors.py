"""Posteriors in hand through the one result: sentences, tables, alarms; without files."""

import types

import numpy as np
import pytest
import xarray
from scipy import stats

from benchbook.assess import densities
from benchbook.comparison import posteriors
from benchbook.errors import BenchbookError, FaultyInput

CASES = 40


def tree(rng, *, offset=0.0, shift=0.0, spread=1.0, outlier=0.0, order=None):
    """A Gaussian mean as ArviZ has it under Stan's default names; ``offset`` spoils the model, ``shift`` the chains."""
    y = np.random.default_rng(5).permutation(np.linspace(-1.5, 1.5, CASES))
    y[0] += outlier
    mean = rng.normal(y.mean() + offset, spread / np.sqrt(CASES), (4, 500))
    mean[2:] += shift
    order = np.arange(CASES) if order is None else order
    log_lik = stats.norm.logpdf(y[order], mean[..., None], spread)
    names = np.array([f"case {k}" for k in range(CASES)])[order]
    drawn = mean[..., None] + spread * rng.normal(size=log_lik.shape)
    axes = ("chain", "draw")
    return xarray.DataTree.from_dict(
        {
            "posterior": xarray.Dataset({"mu": (axes, mean)}),
            "log_likelihood": xarray.Dataset(
                {"log_lik": ((*axes, "case"), log_lik)}, coords={"case": names}
            ),
            "posterior_predictive": xarray.Dataset({"y_rep": ((*axes, "y_rep_dim_0"), drawn)}),
            "observed_data": xarray.Dataset({"y": (("y_dim_0",), y[order])}),
        }
    )


def test_two_posteriors_are_compared_as_other_results_are(rng):
    found = posteriors.compare(
        {"good": tree(rng), "apart": tree(rng, offset=1.0, order=rng.permutation(CASES))}
    )
    assert found.best == "good"
    assert "good" in found.sentence
    assert "apart is worse by" in found.sentence
    alone = [posteriors.loo(tree(rng, offset=offset)) for offset in (0.0, 1.0)]
    means = dict(found.table.select("method", "mean").iter_rows())
    for name, item in zip(("good", "apart"), alone, strict=True):
        assert means[name] == pytest.approx(-item.expected.estimate, abs=0.02)
    assert alone[0].sentence.startswith("Mean log predictive density (nats): -")
    assert alone[0].sentence.endswith("of 2000.")
    assert found.alarms == ()


@pytest.mark.parametrize("ask", ["rmse", "mae", "nlpd", "likelihood"])
def test_every_mean_can_be_asked_for(rng, ask):
    models = {"good": tree(rng), "apart": tree(rng, offset=1.0)}
    found = posteriors.compare(models, ask, groups=np.arange(CASES) // 4)
    assert found.best == "good"
    with pytest.raises(BenchbookError, match="no mean of the cases"):
        posteriors.compare(models, "q90")


@pytest.mark.parametrize(
    ("more", "text"),
    [({"shift": 1.0}, "have not met"), ({"outlier": 20.0, "offset": 0.3}, "could turn which")],
)
def test_what_withholds_the_verdict_takes_the_sentence_away(rng, more, text):
    models = {"one": tree(rng, outlier=more.get("outlier", 0.0)), "other": tree(rng, **more)}
    found = posteriors.compare(models)
    alarms = [alarm for alarm in found.alarms if alarm.severe]
    assert alarms
    assert all(alarm.code == "BB11" for alarm in alarms)
    assert text in alarms[0].text
    assert found.best is None


def test_results_of_cmdstanpy_and_arrays_need_no_file(rng):
    data = tree(rng)
    log_lik = data["log_likelihood"]["log_lik"].values
    columns = ["lp__", "divergent__", "mu", *(f"log_lik[{k + 1}]" for k in range(CASES))]
    table = np.concatenate(
        [
            rng.normal(size=(4, 500, 1)),
            np.zeros((4, 500, 1)),
            data["posterior"]["mu"].values[..., None],
            log_lik,
        ],
        axis=2,
    )

    def draws(concat_chains):
        assert not concat_chains
        return np.moveaxis(table, 0, 1)

    fit = types.SimpleNamespace(column_names=tuple(columns), draws=draws)
    item = posteriors.loo(fit)
    np.testing.assert_array_equal(item.posterior.values, log_lik)
    assert item.posterior.cases[0] == "1"
    assert item.trusted
    assert posteriors.loo(log_lik).expected.estimate == pytest.approx(
        item.expected.estimate, abs=1e-3
    )
    found = posteriors.compare({"stan": fit, "array": log_lik - 0.5})
    assert found.best == "stan"
    assert "targets could not be compared" in found.alarms[0].text
    with pytest.raises(FaultyInput):
        posteriors.compare({"stan": fit, "short": log_lik[..., 1:]})


def test_a_model_without_parameters_can_be_compared(rng):
    y = np.linspace(-1.5, 1.5, CASES)
    fixed = np.broadcast_to(stats.norm.logpdf(y, 5.0), (4, 500, CASES))
    found = posteriors.compare({"fitted": tree(rng), "null": fixed})
    assert found.best == "fitted"
    assert not any(alarm.severe for alarm in found.alarms)
    assert "not applicable" in " ".join(alarm.text for alarm in found.alarms)
    stuck = tree(rng)
    stuck["posterior"]["mu"].values[:] = 1.0
    stuck["log_likelihood"]["log_lik"].values[:] = fixed
    assert posteriors.loo(fixed).trusted
    assert "undefined" in posteriors.loo(stuck).shortfall, (
        "chains with a parameter that never moved"
    )


def test_one_posterior_draws_and_writes_a_page(rng, tmp_path):
    found = posteriors.loo(tree(rng), "crps")
    assert found.plot().table["case"].to_list()[0] == "case 0"
    assert "simultaneous_low" in found.plot_pit().table.columns
    page = found.report(tmp_path / "page.html").read_text()
    assert found.sentence[:40] in page
    assert page.count("<svg") == 2
    assert found.sentence in found._repr_html_()
    with pytest.raises(BenchbookError, match="LOO-PIT needs"):
        posteriors.loo(rng.normal(-1.0, 0.1, (4, 200, 5))).plot_pit()


def test_a_method_of_the_book_refits_by_itself(rng):
    """lin-1 without the outlier, in the place of weights that fail: Student's t of least squares, a flat prior."""
    x, y = rng.normal(size=(CASES, 1)), rng.normal(size=CASES)
    y[3] += 9.0
    design = np.column_stack([np.ones(CASES), x])
    cover = np.linalg.inv(design.T @ design)
    best = cover @ design.T @ y
    square, freedom = np.sum((y - design @ best) ** 2), CASES - 2
    scale = np.sqrt(square / rng.chisquare(freedom, (4, 500)))[..., None]
    centre = (
        best + scale * (rng.normal(size=(4, 500, 2)) @ np.linalg.cholesky(cover).T)
    ) @ design.T
    names = tuple(map(str, range(CASES)))
    item = densities.LogLikelihood(stats.norm.logpdf(y, centre, scale), names, "y", y)
    assert not posteriors.loo(item).trusted
    found = posteriors.loo(item, refit=posteriors.refitting("lin-1", x, y))
    assert found.trusted
    keep = np.arange(CASES) != 3
    cover = np.linalg.inv(design[keep].T @ design[keep])
    best = cover @ design[keep].T @ y[keep]
    freedom = CASES - 3
    square = np.sum((y[keep] - design[keep] @ best) ** 2) / freedom
    spread = np.sqrt(square * (1.0 + design[3] @ cover @ design[3]))
    exact = stats.t.logpdf(y[3], freedom, design[3] @ best, spread)
    assert found.left_out.log_density[3] == pytest.approx(exact, abs=1e-6)
