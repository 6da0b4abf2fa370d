"""Posteriors under the names that Stan, CmdStan, ArviZ, PyMC and NumPyro give: matched, joined, checked, or named."""

import numpy as np
import pytest
import xarray
from click.testing import CliRunner
from scipy import stats

from benchbook.assess import densities
from benchbook.cli import app
from benchbook.errors import FaultyInput

CASES, CHAINS, DRAWS = 9, 4, 250
AXES = ("chain", "draw")


def parts(rng, shift=0.0):
    """Log likelihoods, predictions, targets and the mean of a Gaussian sample; the last two chains shifted."""
    y = np.linspace(-1.0, 1.0, CASES)
    mean = rng.normal(0.0, 1.0 / 3.0, (CHAINS, DRAWS))
    mean[2:] += shift
    log_lik = stats.norm.logpdf(y, mean[..., None])
    return log_lik, mean[..., None] + rng.normal(size=log_lik.shape), y, mean


# What each program calls log likelihoods, data and draws of new data, and their axes where no names are given.
PROGRAMS = {
    "PyMC": ("y", "y", "y", "y_dim_0", "y_dim_0"),
    "PyMC with labels": ("y", "y", "y", "obs_id", "obs_id"),
    "NumPyro": ("obs", "obs", "obs", "obs_dim_0", "obs_dim_0"),
    "Stan by ArviZ": ("log_lik", "y", "y_rep", "log_lik_dim_0", "y_dim_0"),
    "Stan, renamed": ("y", "y", "y_hat", "y_dim_0", "y_dim_0"),
    "Stan, another target": ("log_lik", "earn", "earn_rep", "log_lik_dim_0", "earn_dim_0"),
    "Stan, short": ("ll", "count", "count_ppc", "ll_dim_0", "count_dim_0"),
    "brms": ("log_lik", "Y", "yrep", "log_lik_dim_0", "Y_dim_0"),
}


def grouped(kind, log_lik, drawn, y, mean, **more):
    name, target, replicate, axis, other = PROGRAMS[kind]
    groups = {
        "posterior": {"mu": (AXES, mean)},
        "log_likelihood": {name: ((*AXES, axis), log_lik)},
        "posterior_predictive": {replicate: ((*AXES, f"{replicate}_dim_0"), drawn)},
        "observed_data": {target: ((other,), y)},
    }
    groups |= more
    return xarray.DataTree.from_dict(
        {group: xarray.Dataset(content) for group, content in groups.items()}
    )


@pytest.mark.parametrize("kind", PROGRAMS)
def test_targets_and_predictions_are_found_under_default_names(kind, rng):
    log_lik, drawn, y, mean = parts(rng)
    read = densities.from_inference_data(grouped(kind, log_lik, drawn, y, mean))
    np.testing.assert_array_equal(read.targets, y)
    np.testing.assert_array_equal(read.predictions, drawn)
    assert read.remarks == ()
    turned = densities.from_inference_data(grouped(kind, log_lik, drawn, -y, mean))
    with pytest.raises(FaultyInput, match="target"):
        densities.compare_posteriors({"one": read, "other": turned})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            {"y": (("k",), np.zeros(4))},
            r"observed_data: y \(4\) not used: log_lik has 9, or other labels",
        ),
        (
            {"a": (("k",), np.zeros(9)), "b": (("m",), np.ones(9))},
            "observed_data: a and b not used: which one goes with log_lik cannot be told",
        ),
        ({"y": ((), 1.0)}, "y \\(one number\\) not used"),
    ],
)
def test_what_is_not_used_is_named_with_the_reason(rng, content, text):
    log_lik, drawn, y, mean = parts(rng)
    tree = grouped("Stan by ArviZ", log_lik, drawn[:, 1:], y, mean, observed_data=content)
    read = densities.from_inference_data(tree)
    assert read.targets is None
    assert any(__import__("re").search(text, note) for note in read.remarks), read.remarks
    assert any("y_rep (4 x 249 x 9) not used" in note for note in read.remarks)
    compared = densities.compare_posteriors({"one": read, "other": read})
    assert "could not be compared" in compared.notes[0]


def test_cases_go_by_their_labels_in_every_group(rng):
    log_lik, drawn, y, mean = parts(rng)
    names, order = np.array(list("abcdefghi")), rng.permutation(CASES)
    tree = grouped("PyMC with labels", log_lik, drawn, y[order], mean)
    groups = {name: node.to_dataset() for name, node in tree.children.items()}
    groups["log_likelihood"] = groups["log_likelihood"].assign_coords(obs_id=names)
    groups["observed_data"] = groups["observed_data"].assign_coords(obs_id=names[order])
    read = densities.from_inference_data(xarray.DataTree.from_dict(groups))
    np.testing.assert_array_equal(read.targets, y)
    groups["observed_data"] = groups["observed_data"].assign_coords(obs_id=list("jklmnopqr"))
    other = densities.from_inference_data(xarray.DataTree.from_dict(groups))
    assert other.targets is None
    assert "other labels" in other.remarks[0]


def test_log_likelihoods_in_the_posterior_of_a_stan_program_are_read(rng):
    log_lik, drawn, y, mean = parts(rng)
    tree = xarray.DataTree.from_dict(
        {
            "posterior": xarray.Dataset(
                {
                    "mu": (AXES, mean),
                    "log_lik": ((*AXES, "log_lik_dim_0"), log_lik),
                    "y_rep": ((*AXES, "y_rep_dim_0"), drawn),
                }
            ),
            "observed_data": xarray.Dataset({"y": (("y_dim_0",), y)}),
        }
    )
    read = densities.from_inference_data(tree)
    np.testing.assert_array_equal(read.values, log_lik)
    np.testing.assert_array_equal(read.predictions, drawn)
    assert [trace.name for trace in read.parameters] == ["mu", "y_rep"]


# CmdStan's files: one a chain.


def cmdstan(folder, rng, *, shift=0.0, spoil=None, diverging=0, depth=3, energy=None, limit=10):
    log_lik, _, _, mean = parts(rng, shift)
    level = rng.normal(size=(CHAINS, DRAWS))
    if spoil is not None:
        level[spoil] = np.nan
    paths = []
    for chain in range(CHAINS):
        noise = rng.normal(size=DRAWS)
        table = np.column_stack(
            [
                -(noise**2),
                rng.uniform(0.8, 1.0, DRAWS),
                np.where(np.arange(DRAWS) < diverging, 1, 0),
                np.full(DRAWS, depth),
                noise if energy is None else np.full(DRAWS, energy).cumsum(),
                mean[chain],
                level[chain],
                log_lik[chain],
            ]
        )
        names = ["lp__", "accept_stat__", "divergent__", "treedepth__", "energy__", "mu", "level.1"]
        names += [f"log_lik.{case + 1}" for case in range(CASES)]
        paths.append(folder / f"model_{chain + 1}.csv")
        with paths[-1].open("w") as file:
            file.write(f"# model = m\n#     max_depth = {limit}\n{','.join(names)}\n")
            np.savetxt(file, table, delimiter=",", fmt="%.17g")
    return paths


def command(*words):
    run = CliRunner().invoke(app, ["assess", *map(str, words)])
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run


@pytest.mark.parametrize(
    ("more", "code", "text"),
    [
        ({}, 0, "Importance sampling can be trusted in all 9 cases"),
        ({"shift": 3.0}, 1, "No verdict: the chains have not met (R-hat"),
        ({"spoil": (1, 5)}, 1, "R-hat inf (level.1, not finite in 1 draw)"),
        ({"spoil": (2, ...)}, 1, "R-hat inf (level.1, not finite in 250 draws)"),
        ({"spoil": ...}, 0, "not a number in any draw, and not checked: level.1"),
        ({"diverging": 3}, 0, "12 of 1,000 transitions diverged"),
        ({"depth": 8, "limit": 8}, 0, "1,000 of 1,000 transitions reached the largest tree depth"),
        ({"energy": 0.1}, 0, "E-BFMI is below 0.3"),
        ({"energy": np.nan}, 0, "E-BFMI is below 0.3 (nan in chain 1, nan in chain 2"),
    ],
)
def test_chains_in_files_of_their_own_are_joined_and_checked(tmp_path, rng, more, code, text):
    run = command("loo", *cmdstan(tmp_path, rng, **more))
    assert text in run.output
    assert run.exit_code == code
    if not more:
        assert "note: parameters, whose chains are checked: lp__, mu and level.1" in run.output
        assert "diverged" not in run.output
        assert "E-BFMI" not in run.output


@pytest.mark.parametrize("ending", ["csv", "nc"])
def test_the_same_chains_are_judged_alike_in_one_file_and_in_several(tmp_path, rng, ending):
    shortfalls = []
    log_lik, drawn, y, mean = parts(rng)
    hidden = rng.normal(size=mean.shape) + np.array([[0.0], [0.0], [2.0], [2.0]])
    for number in range(CHAINS + 1):
        chains = slice(None) if number == CHAINS else slice(number, number + 1)
        cut = [values[chains] for values in (log_lik, drawn, hidden)]
        path = tmp_path / f"part-{number}.{ending}"
        if ending == "nc":
            grouped("PyMC", cut[0], cut[1], y, cut[2]).to_netcdf(path)
        else:
            table = [
                np.repeat(np.arange(len(cut[0])), DRAWS),
                cut[2].ravel(),
                cut[0].reshape(-1, CASES),
            ]
            heading = ",".join([".chain", "mu", *(f"log_lik[{k}]" for k in range(CASES))])
            np.savetxt(path, np.column_stack(table), delimiter=",", header=heading, comments="")
    paths = [tmp_path / f"part-{number}.{ending}" for number in range(CHAINS + 1)]
    for some in (paths[:-1], paths[-1:]):
        joined = densities.chains_together([densities.read_log_likelihood(path) for path in some])
        shortfalls.append(densities.loo(joined).shortfall)
    assert shortfalls[0] == shortfalls[1]
    assert "mu" in shortfalls[0]


def test_files_that_do_not_go_together_are_refused_with_all_their_faults(tmp_path, rng):
    first = cmdstan(tmp_path, rng)
    copy = tmp_path / "copy.csv"
    copy.write_text(first[1].read_text())
    other = tmp_path / "other.csv"
    other.write_text(first[2].read_text().replace(",mu,", ",nu,"))
    refused = command("loo", *first, copy, other)
    assert refused.exit_code == 2
    assert "copy, number 5: found the draws of number 2" in refused.output
    assert "other, number 6: found the draws of number 3" in refused.output
    assert (
        "other parameters: mu and nu" in refused.output
        or "other parameters: nu and mu" in refused.output
    )


STATISTICS = [
    ("PyMC", {"diverging": True, "energy": 1.0, "tree_depth": 3, "reached_max_treedepth": False}),
    ("nutpie", {"diverging": True, "maxdepth_reached": True, "depth": 5}),
    ("NumPyro", {"diverging": True, "energy": 1.0, "num_steps": 7}),
]


@pytest.mark.parametrize(("program", "statistics"), STATISTICS)
def test_what_the_sampler_says_of_itself_is_said(program, statistics, rng):
    log_lik, drawn, y, mean = parts(rng)
    content = {name: (AXES, np.full((CHAINS, DRAWS), value)) for name, value in statistics.items()}
    tree = grouped("PyMC", log_lik, drawn, y, mean, sample_stats=content)
    said = " ".join(densities.from_inference_data(tree).remarks)
    assert "1,000 of 1,000 transitions diverged" in said
    assert ("cut off" in said) == (program == "nutpie")
    assert ("E-BFMI" in said) == ("energy" in statistics)
