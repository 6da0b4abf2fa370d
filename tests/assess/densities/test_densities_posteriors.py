"""Posteriors of other programs: what is a case, what netCDF attributes say, chains that have not met, one call."""

import json
import types

import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from scipy import stats

from benchbook.assess import densities
from benchbook.assess.densities import draw_tables, posterior_losses
from benchbook.cli import app
from benchbook.errors import BenchbookError, FaultyInput

CHAINS, DRAWS, CASES = 4, 500, 12
SIGMA = 1.0


def tree(rng, *, shift=0.0, order=None, precision=np.float64, cases=None, y=None, groups=None):
    """A Gaussian mean with known variance: exact posterior draws, predictions and targets, as ArviZ has them.

    ``shift`` moves the last two of the four chains.
    """
    y = np.linspace(-1.5, 1.5, CASES) if y is None else y
    order = np.arange(CASES) if order is None else order
    theta = rng.normal(y.mean(), SIGMA / np.sqrt(CASES), (CHAINS, DRAWS))
    theta[2:] += shift
    target = y[order]
    coords = {} if cases is None else {"obs": np.array(cases)[order]}
    if groups is not None:
        coords["site"] = ("obs", np.array(groups)[order])
    draws, wide = ("chain", "draw"), ("chain", "draw", "obs")
    values = stats.norm.logpdf(target, theta[..., None], SIGMA)
    drawn = theta[..., None] + SIGMA * rng.normal(size=values.shape)
    return xarray.DataTree.from_dict(
        {
            "posterior": xarray.Dataset({"theta": (draws, theta)}),
            "log_likelihood": xarray.Dataset(
                {"y": (wide, values.astype(precision))}, coords=coords
            ),
            "posterior_predictive": xarray.Dataset({"y": (wide, drawn)}, coords=coords),
            "observed_data": xarray.Dataset(
                {"y": (("obs",), target.astype(precision))}, coords=coords
            ),
        }
    )


def inference_data(data):
    """The same as an ``InferenceData`` of ArviZ 0.x has it: groups as attributes, each a dataset."""
    return types.SimpleNamespace(
        **{name: node.to_dataset() for name, node in data.children.items()}
    )


def command(*words):
    run = CliRunner().invoke(app, ["assess", *map(str, words)])
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run


# What is a case.

LOG_LIK = np.random.default_rng(0).normal(-1, 0.1, (1000, 3))


def written(path, heading, columns, comment=()):
    lines = [",".join(heading), *(",".join(map(str, row)) for row in columns)]
    for index, text in comment:
        lines.insert(index, text)
    path.write_text("\n".join(lines) + "\n")
    return densities.read_log_likelihood(path)


CHAIN = np.repeat([1, 2], 500)
COUNT, WITHIN = np.arange(1, 1001), np.tile(np.arange(1, 501), 2)
TABLES = {
    "draws_df": (
        ["", "log_lik[1]", "log_lik[2]", "log_lik[3]", ".chain", ".iteration", ".draw"],
        [COUNT, *LOG_LIK.T, CHAIN, WITHIN, COUNT],
        2,
    ),
    "CmdStan": (
        ["lp__", "divergent__", "mu", "log_lik.1", "log_lik.2", "log_lik.3"],
        [np.full(1000, -3.2), np.zeros(1000), COUNT / 7, *LOG_LIK.T],
        1,
    ),
    "a frame with its index": (
        [
            "Unnamed: 0",
            "chain",
            "draw",
            "\"('y', 0, 'a')\"",
            "\"('y', 1, 'b')\"",
            "\"('y', 2, 'c')\"",
        ],
        [COUNT - 1, CHAIN - 1, WITHIN - 1, *LOG_LIK.T],
        2,
    ),
    "numbers": (["0", "1", "2"], LOG_LIK.T, 1),
}


@pytest.mark.parametrize("kind", TABLES)
def test_only_log_likelihoods_are_cases(kind, tmp_path):
    heading, columns, chains = TABLES[kind]
    result = written(tmp_path / "p.csv", heading, np.array(columns, dtype=object).T)
    assert result.values.shape == (chains, 1000 // chains, 3)
    np.testing.assert_allclose(result.values.reshape(1000, 3), LOG_LIK)
    others = set(heading) - {"chain", ".chain"}
    for name in others - {"", "0", "1", "2", "divergent__"}:
        assert ("log_lik" in name or name.startswith('"')) != any(
            name in note for note in result.notes
        )


def test_cmdstans_comments_and_warm_up_are_passed_over(tmp_path):
    comment = ((1, "# Adaptation terminated"), (600, "# in between"), (1003, "# Elapsed Time: 1"))
    plain = written(tmp_path / "p.csv", ["log_lik.1"], LOG_LIK[:, :1], comment)
    assert plain.values.shape == (1, 1000, 1)
    top = ((0, "# num_warmup = 300"), (0, "# thin = 2"), (0, "# save_warmup = true"))
    selected = written(tmp_path / "q.csv", ["log_lik.1"], LOG_LIK[:, :1], top)
    np.testing.assert_array_equal(selected.values[0], LOG_LIK[150:, :1])
    assert "150 draws are left out" in selected.notes[0]


def test_chains_may_come_in_files_of_their_own(tmp_path, rng):
    values = tree(rng)["log_likelihood"]["y"].values
    paths = []
    for number, chain in enumerate(values):
        paths.append(tmp_path / f"chain_{number}.csv")
        written(paths[-1], [f"log_lik.{k + 1}" for k in range(CASES)], chain)
    reply = json.loads(command("loo", *paths, "--json").output)
    assert reply["total_log_density_nats"] == pytest.approx(densities.loo(values).total, abs=1e-3)
    mean = reply["total_log_density_nats"] / CASES
    assert reply["mean_log_density_nats"] == pytest.approx(mean, rel=1e-9)
    error = densities.loo(values).standard_error
    assert reply["standard_error_nats"] == pytest.approx(error, abs=1e-3)
    moved = written(paths[0], [f"log_lik.{k + 1}" for k in range(CASES)], values[0] - 1.0)
    assert command("loo", *paths).exit_code == 1, "the first chain is apart"
    short = densities.LogLikelihood(moved.values[:, 1:], moved.cases, "short")
    with pytest.raises(FaultyInput, match="found 499 draws of 12 cases"):
        densities.chains_together([moved, short])


def test_columns_are_cases_if_they_are_said_to_be(tmp_path):
    (tmp_path / "p.csv").write_text("theta[1],theta[2],mu\n" + "-1,-2,3\n" * 5)
    with pytest.raises(FaultyInput, match=r"found theta\[1\], theta\[2\], mu"):
        densities.read_log_likelihood(tmp_path / "p.csv")
    output = densities.read_log_likelihood(tmp_path / "p.csv", "theta")
    assert (output.cases, output.values.shape) == (("1", "2"), (1, 5, 2))
    assert densities.read_log_likelihood(tmp_path / "p.csv", "*").values.shape == (1, 5, 3)


# What netCDF says.


def test_attributes_are_read(tmp_path, rng):
    plain = tree(rng)
    values = plain["log_likelihood"]["y"].values
    plain.to_netcdf(tmp_path / "plain.nc")
    packed = {"dtype": "int16", "scale_factor": 0.001, "add_offset": -3.0, "_FillValue": -32767}
    plain.to_netcdf(tmp_path / "packed.nc", encoding={"/log_likelihood": {"y": packed}})
    read = densities.read_log_likelihood(tmp_path / "packed.nc")
    np.testing.assert_allclose(read.values, values, atol=6e-4)
    plain["log_likelihood"]["y"][1, 3, 2] = np.nan
    plain.to_netcdf(
        tmp_path / "fill.nc", encoding={"/log_likelihood": {"y": {"_FillValue": -9999.0}}}
    )
    refused = command("loo", tmp_path / "fill.nc")
    assert refused.exit_code == 2
    assert "draw 503, case 2: found nan, a missing value" in refused.output


def test_days_are_days_in_whatever_unit(tmp_path, rng):
    march, april = (
        np.datetime64(f"2024-0{month}-01") + np.arange(CASES).astype("m8[D]") for month in (3, 4)
    )
    for name, days, unit in (
        ("march", march, "days since 2000-01-01"),
        ("hours", march, "hours since 2024-02-01"),
        ("april", april, "days since 2000-02-01"),
    ):
        tree(rng, cases=days).to_netcdf(
            tmp_path / f"{name}.nc", encoding={"/log_likelihood": {"obs": {"units": unit}}}
        )
    assert densities.read_log_likelihood(tmp_path / "march.nc").cases[0] == "2024-03-01"
    assert command("compare", tmp_path / "march.nc", tmp_path / "hours.nc").exit_code == 0
    refused = command("compare", tmp_path / "march.nc", tmp_path / "april.nc")
    assert refused.exit_code == 2
    assert "case id 2024-04-01" in refused.output


def test_cases_of_several_variables_are_taken_together(tmp_path, rng):
    data = tree(rng)
    group = data["log_likelihood"].to_dataset()
    z = (("chain", "draw", "more"), group["y"].values[..., :3] - 1.0)
    data["log_likelihood"] = xarray.DataTree(group.assign(z=z))
    data.to_netcdf(tmp_path / "two.nc")
    assert command("loo", tmp_path / "two.nc").exit_code == 2
    words = ("loo", tmp_path / "two.nc", "--variable", "y", "--variable", "z", "--json")
    both = json.loads(command(*words).output)
    alone = [densities.loo(data, variable=name).total for name in ("y", "z")]
    assert both["cases"] == CASES + 3
    assert both["total_log_density_nats"] == pytest.approx(sum(alone))
    assert both["by_case"][-1]["case"].startswith("z ")


def test_without_the_extra_the_reader_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "p.nc").write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "h5netcdf", None)
    with pytest.raises(BenchbookError, match=r"pip install 'benchbook\[posterior\]'"):
        densities.read_log_likelihood(tmp_path / "p.nc")


# Chains that have not met.


def test_chains_that_have_not_met_get_no_verdict(tmp_path, rng):
    good, apart = tree(rng), tree(rng, shift=2.0)
    for name, data in {"good": good, "apart": apart}.items():
        data.to_netcdf(tmp_path / f"{name}.nc")
    assert command("loo", tmp_path / "good.nc").exit_code == 0
    result = command("loo", tmp_path / "apart.nc")
    assert result.exit_code == 1
    assert "No verdict: the chains have not met (R-hat" in result.output
    assert "can be trusted" not in result.output
    compared = command("compare", tmp_path / "good.nc", tmp_path / "apart.nc", "--json")
    assert compared.exit_code == 1
    data = json.loads(compared.output)
    assert data["models"][1]["probability_behind"] is None
    assert data["probability_better"][0]["apart"] is None
    assert list(data["no_verdict"]) == ["apart"]
    first, other = densities.loo(good), densities.loo(apart)
    assert (first.trusted, other.trusted) == (True, False)
    pairs = densities.compare_models({"one": first, "other": other}, "larger is better")
    assert np.isnan(pairs.probability).all()


def test_chains_apart_in_a_parameter_that_no_case_sees_are_found(rng):
    data = tree(rng)
    group = data["posterior"].to_dataset()
    level = rng.normal(size=(CHAINS, DRAWS, 2)) + np.array([[0], [0], [0], [9]])[..., None] * [0, 1]
    data["posterior"] = xarray.DataTree(group.assign(level=(("chain", "draw", "k"), level)))
    result = densities.loo(data)
    assert "level[1]" in result.shortfall
    assert densities.loo(inference_data(data)).shortfall == result.shortfall


def test_rhat_and_effective_size_are_those_of_independent_draws(rng):
    result = densities.loo(tree(rng))
    assert result.chains.largest_rhat < 1.01
    assert min(result.chains.size.values()) > 1000
    assert densities.loo(rng.normal(size=(100, 3))).chains is None
    still = np.full((2, 50, 3), -1.0)
    assert "undefined" in densities.chains_of(still).shortfall()
    still[:, :, 1] = rng.normal(size=(2, 50))  # of a constant beside it there is nothing to say
    assert densities.chains_of(still, "abc".__getitem__).rhat.keys() == {"log likelihood of case b"}


def test_effective_draws_are_those_by_weights_times_the_relative_efficiency(rng):
    slow = np.repeat(tree(rng)["log_likelihood"]["y"].values[:, ::5], 5, axis=1)
    posterior = densities.from_inference_data({"y": slow})
    result, independent = densities.loo(posterior), densities.loo(slow)
    r_eff = densities.relative_efficiency(slow)
    assert np.all(r_eff < 0.4)
    by_weights = densities.loo(slow, r_eff).effective / r_eff
    np.testing.assert_allclose(result.effective, by_weights * r_eff)
    assert np.all(result.effective < 0.5 * independent.effective)


# Expected utilities in one call.


def exact_errors(y):
    """y - E[y | the others], of the Gaussian mean with a flat prior."""
    return y - (y.sum() - y) / (len(y) - 1)


@pytest.mark.parametrize("form", ["DataTree", "InferenceData", "file"])
@pytest.mark.parametrize(
    ("ask", "summary"),
    [
        ("rmse", lambda e: np.sqrt(np.mean(e**2))),
        ("mae", lambda e: np.mean(np.abs(e))),
        ("q90", lambda e: np.quantile(np.abs(e), 0.9, method="inverted_cdf")),
    ],
)
def test_errors_in_the_units_of_the_targets(form, ask, summary, tmp_path, rng):
    data = tree(rng)
    expected = summary(exact_errors(data["observed_data"]["y"].values))
    if form == "file":
        data.to_netcdf(tmp_path / "p.nc")
        reply = json.loads(command("loo", tmp_path / "p.nc", "--ask", ask, "--json").output)
        estimate, (low, high) = reply["expected"], reply["interval_90"]
    else:
        given = inference_data(data) if form == "InferenceData" else data
        result = densities.assess_posterior(given, ask)
        estimate, (low, high) = result.expected.estimate, result.expected.interval()
    assert estimate == pytest.approx(expected, rel=0.06)
    assert low < estimate <= high


def test_classes_are_those_most_probable_without_the_case(rng):
    classes = np.array([0, 1, 2])
    share = rng.dirichlet([6.0, 3.0, 1.0], size=(2, 400))
    y = np.array([0, 0, 1, 2])
    drawn = np.stack([[rng.choice(classes, p=p) for p in chain] for chain in share])
    posterior = densities.LogLikelihood(
        np.log(share[..., y]), tuple("abcd"), "y", y, np.repeat(drawn[..., None], 4, axis=2)
    )
    result = densities.assess_posterior(posterior, "error-rate")
    assert result.utilities.tolist() == [0, 0, 1, 1]
    probability = densities.assess_posterior(posterior, "likelihood").expected.estimate
    assert probability == pytest.approx(np.exp(result.left_out.log_density).mean())


def test_groups_are_left_out_together_and_weighted_together(tmp_path, rng):
    sites = np.repeat(list("abcd"), 3)
    data = tree(rng, groups=sites)
    by_name = densities.assess_posterior(data, groups="site")
    by_hand = densities.leave_group_out(data["log_likelihood"]["y"].values, sites)
    np.testing.assert_allclose(by_name.utilities, by_hand.log_density, atol=0.02)
    assert by_name.weighting == "weights per group, 4"
    y = data["observed_data"]["y"].values
    held_out = np.array([y[sites != site].mean() for site in sites])
    rmse = densities.assess_posterior(data, "rmse", groups="site").expected.estimate
    assert rmse == pytest.approx(np.sqrt(np.mean((y - held_out) ** 2)), rel=0.1)
    data.to_netcdf(tmp_path / "p.nc")
    (tmp_path / "sites.csv").write_text(
        "case,site\n" + "".join(f"{k},{s}\n" for k, s in enumerate(sites))
    )
    for groups in ("site", tmp_path / "sites.csv"):
        reply = json.loads(command("loo", tmp_path / "p.nc", "--groups", groups, "--json").output)
        assert reply["expected"] == pytest.approx(by_name.expected.estimate)
        assert [line["group"] for line in reply["by_group"]] == list("abcd")


def test_models_are_compared_by_any_question_and_joined_by_ids(tmp_path, rng):
    names, order = [f"case {k}" for k in range(CASES)], rng.permutation(CASES)
    item = tree(rng, cases=names)
    two = tree(rng, cases=names, order=order, precision=np.float32)
    result = densities.compare_posteriors({"one": item, "two": two}, "rmse")
    assert result.trusted
    assert abs(result.difference("one", "two").difference.estimate) < 0.05
    factor = result.pseudo_bayes_factor("one", "two")
    assert factor.root.estimate == pytest.approx(1.0, abs=0.02)
    assert factor.log_value == pytest.approx(
        densities.loo(item).total - densities.loo(two).total, rel=1e-6, abs=1e-6
    )
    bare = tree(rng, y=np.linspace(-1.5, 1.5, CASES))  # no ids: by place, with the same targets
    assert densities.compare_posteriors({"one": item, "bare": bare}).trusted
    wrong = tree(rng, order=order)
    with pytest.raises(FaultyInput, match="targets in another order"):
        densities.compare_posteriors({"one": item, "wrong": wrong})
    paths = []
    for name, data in {"one": item, "two": two, "bare": bare}.items():
        paths.append(tmp_path / f"{name}.nc")
        data.to_netcdf(paths[-1])
    output = command("compare", *paths).output
    assert "probability that the model of the line is better" in output
    assert "elpd_diff" in output


def test_the_two_plots_of_weights_come_from_one_call(rng):
    result = densities.assess_posterior(tree(rng))
    mass, ranks = result.weight_mass
    assert mass.shape == (CASES, len(ranks))
    np.testing.assert_allclose(mass[:, -1], 1.0)
    weights, _ = densities.loo_weights(result.posterior.values, r_eff=result.left_out.r_eff)
    np.testing.assert_allclose(mass[:, 0], weights.max(axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("variables", "cases"),
    [
        (["a"], {"1": "a[1]", "2": "a[2]"}),
        (["a?1?"], {"1": "a[1]"}),
        (["a*"], {"a 1": "a[1]", "a 2": "a[2]", "ab": "ab"}),
        (["b", "a?2?"], {"a 2": "a[2]", "b": "b"}),
    ],
)
def test_a_pattern_is_of_variables_or_of_columns(variables, cases):
    assert draw_tables._columns("x", ["a[1]", "a[2]", "ab", "b"], variables) == cases


@pytest.mark.parametrize(
    ("ask", "drawn", "targets", "faults"),
    [
        ("error-rate", [[["a"]]], ["b"], []),
        ("rmse", [[["a"]]], ["b"], ["group posterior_predictive", "group observed_data"]),
        ("rmse", [[[1.0]]], [np.inf], ["group observed_data"]),
        ("mae", [[[np.nan]]], [1.0], ["group posterior_predictive"]),
        ("mae", [[[1.0]]], [1.0], []),
        ("error-rate", None, None, ["group posterior_predictive", "group observed_data"]),
    ],
)
def test_errors_need_numbers_and_classes_do_not(ask, drawn, targets, faults):
    arrays = {"predictions": drawn, "targets": targets}
    arrays = {name: None if value is None else np.array(value) for name, value in arrays.items()}
    posterior, question = types.SimpleNamespace(name="p", **arrays), densities.question(ask)
    if faults:
        with pytest.raises(FaultyInput, match=f"^{question.words} of p: ") as caught:
            posterior_losses.predictions_of(question, posterior)
        assert [fault.where for fault in caught.value.faults] == faults
    else:
        values, known = posterior_losses.predictions_of(question, posterior)
        assert (values.tolist(), known.tolist()) == (drawn[0], targets)
