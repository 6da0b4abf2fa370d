"""Refits in the place of weights: exact values, whose they are, plans, and what is refused."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from posterior_worlds import data, exact, files, fitted, posterior
from scipy import stats

from benchbook.assess import densities
from benchbook.cli import app, refit_plans
from benchbook.errors import FaultyInput
from benchbook.predictive import StudentT

CASES = 20
NAMES = tuple(f"case {k}" for k in range(CASES))


def refitted(rng, inputs, y, out, draws=4000, held_out=False):
    """The posterior without some cases: their log likelihoods alone, or those of all with a coordinate."""
    keep = np.setdiff1d(np.arange(len(y)), out)
    mean, cover, shape, rate = fitted(inputs[keep], y[keep])
    scale = np.sqrt(rate / rng.gamma(shape, size=(4, draws // 4)))[..., None]
    noise = rng.normal(size=(4, draws // 4, len(mean))) @ np.linalg.cholesky(cover).T
    centre = (mean + scale * noise) @ inputs.T
    whole = densities.LogLikelihood(
        stats.norm.logpdf(y, centre, scale),
        NAMES,
        "y",
        y,
        centre + scale * rng.normal(size=centre.shape),
        coordinates=(("held_out", np.isin(np.arange(len(y)), out).astype(int)),),
    )
    if held_out:
        return whole
    return replace(
        whole,
        values=whole.values[..., out],
        cases=tuple(NAMES[k] for k in out),
        targets=y[out],
        predictions=whole.predictions[..., out],
        coordinates=(),
    )


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(5)
    inputs, y = data(rng, CASES, 4, outlier=6.0)
    y[5] -= 6.0
    whole = posterior(rng, inputs, y, 2000)
    bad = [places.tolist() for places in densities.to_refit(densities.loo(whole))]
    assert [0] in bad
    assert len(bad) > 1
    return inputs, y, whole, bad


@pytest.mark.parametrize("held_out", [False, True])
def test_refits_are_exact_leave_one_out(rng, world, held_out):
    inputs, y, whole, bad = world
    refits = [refitted(rng, inputs, y, out, held_out=held_out) for out in bad]
    before, truth = densities.assess_posterior(whole), exact(inputs, y)
    found = densities.assess_posterior(whole, refits=refits)
    assert not before.trusted
    assert found.trusted
    cases = [case for [case] in bad]
    np.testing.assert_allclose(found.left_out.log_density[cases], truth[cases], atol=0.25)
    others = np.setdiff1d(np.arange(CASES), cases)
    np.testing.assert_array_equal(
        found.left_out.log_density[others], before.left_out.log_density[others]
    )
    errors = [np.abs(each.left_out.log_density - truth)[cases] for each in (found, before)]
    assert errors[0].sum() < errors[1].sum()
    assert found.span() is None
    assert found.verdict().startswith(f"{len(bad)} case")
    assert "by refits, and not by weights" in found.notes[-1]
    mine = densities.assess_posterior(whole, "rmse", refits=refits).utilities[0]
    theirs = np.mean(refitted(rng, inputs, y, [0]).predictions)
    assert np.sqrt(mine) == pytest.approx(abs(theirs - y[0]), abs=0.2)


def test_a_model_can_refit_by_itself(world):
    inputs, y, whole, bad = world

    def refit(out):
        keep = np.setdiff1d(np.arange(CASES), out)
        mean, cover, shape, rate = fitted(inputs[keep], y[keep])
        x = inputs[out]
        scale = np.sqrt(rate / shape * (1.0 + np.einsum("ij,jk,ik->i", x, cover, x)))
        return StudentT(x @ mean, scale, np.full(len(out), 2.0 * shape))

    found = densities.assess_posterior(whole, refit=refit)
    cases = [case for [case] in bad]
    np.testing.assert_allclose(found.left_out.log_density[cases], exact(inputs, y)[cases])
    assert found.trusted
    assert densities.assess_posterior(whole, "mae", refit=refit).trusted


def test_a_group_is_exact_as_a_whole(rng, world):
    inputs, y, whole, _ = world
    groups = np.arange(CASES) // 4
    before = densities.leave_group_out(whole, groups)
    bad = densities.to_refit(before)
    assert bad
    refits = [refitted(rng, inputs, y, out, draws=40_000) for out in bad]
    found = densities.assess_posterior(whole, refits=refits, groups=groups).left_out
    for out in bad:
        keep = np.setdiff1d(np.arange(CASES), out)
        mean, cover, shape, rate = fitted(inputs[keep], y[keep])
        x = inputs[out]
        joint = stats.multivariate_t(
            x @ mean, rate / shape * (np.eye(len(out)) + x @ cover @ x.T), df=2.0 * shape
        )
        unit = groups[out[0]]
        if found.reliable[unit]:
            assert found.joint_log_density[unit] == pytest.approx(joint.logpdf(y[out]), abs=0.4)
    assert found.reliable.sum() > before.reliable.sum()


def test_a_refit_with_too_few_draws_for_its_density_is_not_trusted(rng):
    inputs, y = data(rng, CASES, 4, outlier=30.0)
    whole = posterior(rng, inputs, y, 2000)
    found = densities.assess_posterior(whole, refits=[refitted(rng, inputs, y, [0], 400)])
    assert not found.left_out.reliable[0]
    worst, best = found.ends
    assert worst[0] < found.utilities[0] < best[0]
    if found.left_out.reliable[1:].all():
        assert "too few draws" in found.verdict()


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda one, all_: [replace(one, cases=("zebra",))], "zebra"),
        (lambda one, all_: [replace(all_, coordinates=())], "it cannot be told which"),
        (lambda one, all_: [one, one], "case 0 again"),
        (lambda one, all_: [one.values], "no ids of cases"),
        (lambda one, all_: [replace(one, cases=("0",))], "may be no ids|not in the posterior"),
        (lambda one, all_: [replace(one, targets=one.targets + 1.0)], "target"),
    ],
)
def test_refits_that_do_not_go_with_the_posterior_are_refused(rng, world, spoil, text):
    inputs, y, whole, _ = world
    one, all_ = (refitted(rng, inputs, y, [0], 400, held_out=held) for held in (False, True))
    with pytest.raises(FaultyInput, match=text):
        densities.assess_posterior(whole, refits=spoil(one, all_))
    if text == "zebra":
        both = [replace(one, cases=("zebra",)), replace(all_, coordinates=())]
        with pytest.raises(FaultyInput) as caught:
            densities.assess_posterior(whole, refits=both)
        assert len(caught.value.faults) == 2
        with pytest.raises(FaultyInput, match="left out whole"):
            densities.assess_posterior(whole, refits=[one], groups=np.arange(CASES) // 4)


def command(*words):
    run = CliRunner().invoke(app, ["assess", *map(str, words)])
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run


def test_the_command_plans_refits_and_takes_them(rng, world, tmp_path):
    inputs, y, whole, bad = world
    [path] = files(tmp_path, {"p": whole})
    plan = tmp_path / "plan"
    run = command("loo", path, "--write-plan", plan)
    assert run.exit_code == 1
    rows = list(csv.reader((plan / "plan.csv").read_text().splitlines()))
    assert rows[1:] == [[f"without-{k}.nc", NAMES[out[0]]] for k, out in enumerate(bad, 1)]
    for number, out in enumerate(
        bad[:-1], 1
    ):  # of all cases, and the plan says which were left out
        refit = replace(refitted(rng, inputs, y, out, held_out=True), coordinates=())
        densities.write_log_likelihood(plan / f"without-{number}.nc", refit)
    run = command("loo", path, "--refits", plan)
    assert run.exit_code == 1
    assert f"not there yet of the plan: without-{len(bad)}.nc" in run.stderr
    last = refitted(rng, inputs, y, bad[-1])
    np.save(plan / f"without-{len(bad)}.npy", last.values)
    with (plan / "plan.csv").open("a", newline="") as file:
        csv.writer(file).writerow([f"without-{len(bad)}.npy", NAMES[bad[-1][0]]])
    run = command("loo", path, "--refits", plan)
    assert run.exit_code == 0
    assert f"by refits, and not by weights: {len(bad)} case" in run.output
    again = command("loo", path, "--refits", plan, "--write-plan", tmp_path / "none")
    assert "nothing to refit" in again.output
    assert not (tmp_path / "none").exists()
    other = files(tmp_path, {"q": replace(whole, values=whole.values - 40.0)})[0]
    run = command("compare", path, other, "--refits", f"p={plan}", "--refits", f"q={plan}")
    assert run.exit_code == 0
    for wrong in ("nobody=plan", "p"):
        assert command("compare", path, other, "--refits", wrong).exit_code == 2
    (plan / "plan.csv").write_text("a,b\n")
    assert command("loo", path, "--refits", plan).exit_code == 2


@pytest.mark.parametrize("numbers", [False, True])
def test_ids_that_may_be_none_are_not_taken_for_ids(rng, world, tmp_path, numbers):
    """A plan tells which cases a bare array has, in its order; without one, numbers from 0 are refused."""
    inputs, y, whole, _ = world
    names = tuple(str(k) for k in range(CASES)) if numbers else NAMES
    item, out = replace(whole, cases=names), [5, 0]
    part = replace(refitted(rng, inputs, y, out), cases=("0", "1"), coordinates=())
    with pytest.raises(FaultyInput, match="may be no ids" if numbers else "not in the posterior"):
        densities.assess_posterior(item, refits=[part])
    np.save(tmp_path / "one.npy", part.values)
    (tmp_path / "plan.csv").write_text(
        "file,case\n" + "".join(f"one.npy,{names[k]}\n" for k in out)
    )
    refits, absent = refit_plans.read_refits(
        tmp_path, lambda path: densities.read_log_likelihood(path)
    )
    assert absent == []
    found = densities.assess_posterior(item, refits=refits).left_out
    for place, case in enumerate(out):
        exact_mean = np.log(np.exp(part.values[..., place]).mean())
        assert found.log_density[case] == pytest.approx(exact_mean)
