"""What cases that are not trusted can be: their ends against exact leave-one-out, and verdicts that they could turn."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from posterior_worlds import data, exact, files, fitted, mean_of, posterior

from benchbook.assess import densities
from benchbook.assess.densities.posterior_comparison import agree
from benchbook.cli import app


@pytest.mark.parametrize("ask", ["", "likelihood", "nlpd", "mae"])
def test_the_exact_value_lies_between_the_ends(rng, ask):
    untrusted = 0
    for _ in range(12):
        inputs, y = data(rng, outlier=float(rng.choice([0.0, 8.0])))
        found = densities.assess_posterior(posterior(rng, inputs, y), ask, replicates=10)
        truth = exact(inputs, y)
        if ask == "mae":
            left = [fitted(np.delete(inputs, i, 0), np.delete(y, i))[0] for i in range(len(y))]
            truth = -np.abs(y - np.einsum("ij,ij->i", inputs, np.array(left)))
        else:
            truth = {"": truth, "likelihood": np.exp(truth), "nlpd": truth}[ask]
        worst, best = found.ends
        sign = 1.0 if found.question.orientation == "larger is better" else -1.0
        bad = ~found.left_out.reliable
        untrusted += int(bad.sum())
        slack = 0.3 if ask == "mae" else 0.1 * np.abs(truth[bad])
        assert np.all(sign * worst[bad] <= truth[bad] + slack)
        assert np.all(truth[bad] <= sign * best[bad] + slack)
        np.testing.assert_array_equal(worst[~bad], found.utilities[~bad])
        np.testing.assert_array_equal(best[~bad], found.utilities[~bad])
        low, high = found.span() or (found.expected.estimate,) * 2
        assert low <= found.expected.estimate <= high
    assert untrusted > 20


def test_probabilities_agree_where_they_say_the_same():
    assert [agree(pair) for pair in ((0.96, 1.0), (0.0, 0.04), (0.3, 0.9))] == [True] * 3
    assert [agree(pair) for pair in ((0.9, 0.96), (0.04, 0.5), (0.0, 1.0))] == [False] * 3


@pytest.mark.parametrize(("behind", "code"), [(0.0, 1), (60.0, 0)])
def test_an_outlier_that_could_turn_the_verdict_withholds_it(rng, tmp_path, behind, code):
    """The other model lies behind by so much in every case but the outlier's."""
    inputs, y = data(rng, 30, 2, outlier=14.0)
    good = posterior(rng, inputs, y)
    other = replace(good, values=good.values - behind * (np.arange(30) > 0))
    result = densities.compare_posteriors({"good": good, "other": other})
    least, largest = result.span("good", "other")
    assert result.span("other", "good") == pytest.approx((1.0 - largest, 1.0 - least))
    assert result.trusted == (code == 0)
    assert np.isnan(result.pairs.probability[0, 1]) == (code == 1)
    run = CliRunner().invoke(
        app, ["assess", "compare", *files(tmp_path, {"good": good, "other": other})]
    )
    assert run.exit_code == code
    assert ("no verdict" in run.output) == (code == 1)
    assert f"({least:.4g} to {largest:.4g})" in run.output


def test_labels_of_groups_go_with_ids(rng, tmp_path):
    inputs, y = data(rng, 40, 2)
    first, order = posterior(rng, inputs, y, 2000), rng.permutation(40)
    turned = replace(
        first,
        values=first.values[..., order],
        cases=tuple(np.array(first.cases)[order]),
        targets=first.targets[order],
        predictions=first.predictions[..., order],
    )
    labels = np.array([f"g{k}" for k in np.arange(40) // 4])
    result = densities.compare_posteriors({"one": first, "two": turned}, groups=labels)
    line = result.table().to_dicts()[1]
    assert abs(line["elpd_diff"]) < 1e-6
    assert abs(line["elpd_diff_of_cases"]) < 1e-6
    paths = files(tmp_path, {"one": first, "two": turned})
    (tmp_path / "ids.csv").write_text(
        "id,group\n" + "".join(f"case {k},{labels[k]}\n" for k in rng.permutation(40))
    )
    (tmp_path / "order.csv").write_text("group\n" + "\n".join(labels) + "\n")
    for name, silent in (("ids.csv", True), ("order.csv", False)):
        run = CliRunner().invoke(
            app, ["assess", "compare", *paths, "--groups", str(tmp_path / name), "--json"]
        )
        data_ = json.loads(run.stdout)
        assert abs(data_["models"][1]["elpd_diff"]) < 1e-6
        assert ("in the order of the cases, from case 0 to case 39" not in run.stderr) == silent
        alone = CliRunner().invoke(
            app, ["assess", "loo", paths[1], "--groups", str(tmp_path / "ids.csv"), "--json"]
        )
        assert {line["cases"] for line in json.loads(alone.stdout)["by_group"]} == {4}


def test_groups_have_a_joint_density_and_a_sum_of_single_ones(rng, tmp_path):
    inputs, y = data(rng, 24, 2)
    item = posterior(rng, inputs, y, 2000)
    labels = np.arange(24) // 3
    other = replace(item, values=item.values - 0.01 * np.arange(24))
    pair = {"one": item, "two": other}
    line = densities.compare_posteriors(pair, groups=labels).table().to_dicts()[1]
    left = [densities.leave_group_out(each, labels) for each in pair.values()]
    joint, single = (
        abs(getattr(left[0], name).sum() - getattr(left[1], name).sum())
        for name in ("joint_log_density", "log_density")
    )
    assert line["elpd_diff"] == pytest.approx(joint)
    assert line["elpd_diff_of_cases"] == pytest.approx(single)
    columns = list(line)
    assert columns.index("elpd_diff") < columns.index("elpd_diff_of_cases")
    [path] = files(tmp_path, {"one": item})
    (tmp_path / "groups.txt").write_text("\n".join(map(str, labels)))
    run = CliRunner().invoke(app, ["assess", "loo", path, "--groups", str(tmp_path / "groups.txt")])
    joint_line = f"joint  {left[0].joint_log_density.sum():.4g} nats"
    assert joint_line in run.output
    assert run.output.index("joint") < run.output.index("of single cases")


@pytest.mark.parametrize(
    "ask", ["", "likelihood", "rmse", "mae", "q90", "r2", "crps", "interval-80"]
)
@pytest.mark.parametrize("groups", [None, np.arange(12) // 3])
def test_the_monte_carlo_error_is_the_spread_of_estimates_by_other_draws(rng, ask, groups):
    y = rng.normal(size=12) + 1.0
    found = [
        densities.assess_posterior(mean_of(rng, y, 200), ask, groups=groups, replicates=10)
        for _ in range(60)
    ]
    spread = np.std([item.expected.estimate for item in found], ddof=1)
    errors = [item.monte_carlo_error for item in found]
    assert np.mean(errors) == pytest.approx(spread, rel=0.35)


def test_the_monte_carlo_error_is_shown_where_it_matters(rng, tmp_path):
    y = rng.normal(size=12)
    for draws, said in ((40, True), (4000, False)):
        item = mean_of(rng, y, draws)
        [path] = files(tmp_path, {f"draws-{draws}": item})
        run = CliRunner().invoke(app, ["assess", "loo", path, "--ask", "rmse"])
        assert ("Monte Carlo standard error" in run.output) == said


@pytest.mark.parametrize("ask", ["error-rate", "balanced-accuracy", "brier"])
def test_so_it_is_for_classes(rng, ask):
    """Cases near the middle change sides with the draws, and those far off do not."""
    x, found = np.linspace(-1.0, 1.0, 30), []
    y = (x > 0.1).astype(int)
    for _ in range(60):
        slope, level = rng.normal(3.0, 0.5, (4, 100, 1)), rng.normal(0.0, 0.5, (4, 100, 1))
        chance = 1.0 / (1.0 + np.exp(-slope * x - level))
        drawn = (rng.random(chance.shape) < chance).astype(int)
        log_lik = np.log(np.where(y == 1, chance, 1.0 - chance))
        item = densities.LogLikelihood(log_lik, tuple(map(str, range(30))), "y", y, drawn)
        found.append(densities.assess_posterior(item, ask, replicates=10))
    spread = np.std([item.expected.estimate for item in found], ddof=1)
    assert np.mean([item.monte_carlo_error for item in found]) == pytest.approx(spread, rel=0.4)
