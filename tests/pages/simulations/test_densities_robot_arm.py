"""The robot arm: its law, its hulls, the truth of a fitted model, and what the chapter shows of the stored results."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook.charts.expected_utilities import utilities_chart
from benchbook.charts.weight_plots import effective_chart, mass_chart, mass_curves
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.methods.networks.residuals.runs import ResidualSettings
from benchbook_book.pages.simulations import arm_results as shown
from benchbook_book.pages.simulations import longer, robot_arm


def no_warnings(chart):
    import vl_convert

    vl_convert.vegalite_to_vega(chart.to_dict(), vl_version="6.4", show_warnings=True)
    return chart.to_dict()["description"]


def test_the_arm_stretched_out_and_folded_back():
    result = robot_arm.arm(np.array([[0.0, 0.0], [np.pi / 2, 0.0], [0.0, np.pi]]))
    np.testing.assert_allclose(result, [[3.3, 0.0], [0.0, 3.3], [0.7, 0.0]], atol=1e-12)


def test_angles_lie_in_both_boxes():
    result = robot_arm.angles(2000, np.random.default_rng(1))
    size = np.abs(result[:, 0])
    assert 0.453 <= size.min() < 0.46
    assert 1.92 < size.max() <= 1.932
    assert 0.534 <= result[:, 1].min() < 0.55
    assert 3.13 < result[:, 1].max() <= 3.142
    assert 0.45 < (result[:, 0] < 0).mean() < 0.55


def test_fresh_sets_are_the_law_and_its_noise_and_others_have_no_name():
    inputs, targets = robot_arm.data_set("fresh-1")
    noise = targets - robot_arm.arm(inputs)
    assert inputs.shape == targets.shape == (200, 2)
    assert noise.std() == pytest.approx(0.05, rel=0.15)
    with pytest.raises(BenchbookError, match="there are mackay-1"):
        robot_arm.data_set("fresh-3")


def test_inside_is_by_the_hull_of_the_same_sign():
    corners = np.array([[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]])
    inputs = np.vstack([corners, corners * [-1.0, 1.0] + [0.0, 1.0]])
    new = np.array([[1.5, 1.5], [-1.5, 1.5], [-1.5, 2.5], [0.5, 1.5]])
    np.testing.assert_array_equal(robot_arm.inside(new, inputs), [True, False, True, False])


def test_the_true_error_of_one_that_is_off_by_a_tenth():
    def density(new, targets):
        return -((targets - robot_arm.arm(new)) ** 2).sum(axis=1)

    stub = SimpleNamespace(
        draws=lambda new: robot_arm.arm(new)[None] + [0.1, 0.0], log_density=density
    )
    inputs, targets = robot_arm.data_set("fresh-1")
    result = robot_arm.truth(stub, inputs, targets)
    assert result["true_error"] == pytest.approx(0.05**2 + 0.1**2 / 2)
    assert result["true_error_inside"] == pytest.approx(result["true_error"])
    assert 0.7 < result["inside"] < 0.95
    assert result["true_density"] == pytest.approx(-2 * 0.05**2, rel=0.05)
    assert result["realised"] == pytest.approx(
        np.sqrt(np.mean((targets - robot_arm.arm(inputs)) ** 2))
    )


def test_going_on_makes_only_what_is_missing(tmp_path, monkeypatch):
    made = []

    def assessed(name, model):
        made.append((name, model))
        return pl.DataFrame({"set": [name], "model": [model]}), {"set": name, "model": model}

    monkeypatch.setattr(robot_arm, "assessed", assessed)
    robot_arm.continued(tmp_path, ["fresh-1"], ["mlp"])
    cases, facts = robot_arm.continued(tmp_path, ["fresh-1", "fresh-2"], ["mlp"])
    assert made == [("fresh-1", "mlp"), ("fresh-2", "mlp")]
    assert cases["set"].to_list() == facts["set"].to_list() == ["fresh-1", "fresh-2"]


def test_the_stored_results_are_those_of_the_sets():
    cases, facts = shown.stored()
    assert facts.height == len(shown.sets()) * 2
    assert cases.height == 200 * facts.height
    inputs = robot_arm.data_set("fresh-1")[0]
    np.testing.assert_allclose(
        shown.cases("fresh-1", "gp").select("x1", "x2").to_numpy(), inputs, rtol=1e-6
    )
    own = np.array(shown.cases("fresh-1", "gp")["errors"].to_list())
    index = shown.cases("fresh-1", "gp")["fold"].to_numpy()
    np.testing.assert_allclose(
        own[np.arange(200), index], shown.cases("fresh-1", "gp")["error_cv"].to_numpy()
    )


def test_rows_agree_with_the_columns_they_come_from():
    rows = shown.errors(["IS-LOO"], ["fresh-1"])
    expected = np.sqrt(shown.cases("fresh-1", "mlp")["error_loo"].mean())
    assert rows.filter(model="network")["estimate"][0] == pytest.approx(expected)
    assert rows.filter(row="noise alone")["truth"].to_list() == [0.05]
    table = pl.DataFrame(
        {
            "row": ["a", "a"],
            "model": ["m", "m"],
            "low": [0.0, 2.0],
            "high": [1.0, 3.0],
            "truth": [0.5, 0.5],
        }
    )
    assert shown.held(table).rows() == [("a", "m", 1, 2)]


def test_charts_say_what_they_show():
    table = pl.DataFrame(
        {
            "panel": ["p", "p"],
            "row": ["a", "b"],
            "model": ["m", "m"],
            "estimate": [1.0, 2.0],
            "low": [0.5, None],
            "high": [1.5, None],
            "truth": [1.25, None],
        }
    )
    reported = no_warnings(utilities_chart(table, "error", "errors", reference=1.0, fmt=".2f"))
    assert "a, m: 1.00 (0.50 to 1.50), truth 1.25" in reported
    assert "b, m: 2.00" in reported
    curves = mass_curves([2.0, 1.0], [[0.1, 1.0], [0.7, 1.0]], [1, 100], "m")
    assert "the largest weight of the worst case has 70%" in no_warnings(mass_chart(curves))
    assert "least 2.0" in no_warnings(effective_chart({"m": [50.0, 2.0, 90.0]}, 100))
    with pytest.raises(FaultyInput, match="truth"):
        utilities_chart(table.drop("truth"), "error", "errors")


def test_spreads_of_the_components_are_those_of_the_table():
    spreads, table = shown.component_spreads("fresh-1"), shown.component_rows("fresh-1")
    columns = {
        "network": "network",
        "Gaussian process": "gaussian_process",
        "network less process": "difference",
    }
    for panel, column in columns.items():
        sd = dict(table.select("component", column).iter_rows())
        width = {
            row["row"]: row["high"] - row["low"] for row in spreads.filter(panel=panel).to_dicts()
        }
        for source in ("all together", "future data", "Monte Carlo", "training sets"):
            assert width[source] == pytest.approx(2 * 1.645 * sd[source], rel=0.1)
        last = spreads.filter(panel=panel, row="bias correction").row(0, named=True)
        assert last["estimate"] == pytest.approx(sd["bias correction itself"])
        assert last["low"] < last["estimate"] < last["high"]


def test_longer_chains_begin_with_those_of_the_example():
    table = shown.longer()
    for row in table.filter(times=1).to_dicts():
        met = shown.chains(row["set"], "mlp")
        assert (row["rhat"], row["size"], row["rhat_sigma"]) == (
            met.rhat["prediction"],
            met.size["prediction"],
            met.rhat["sigma"],
        )
        assert row["error"] ** 2 == pytest.approx(
            shown.fact(row["set"], "mlp", "true_error"), rel=1e-6
        )
    assert table["times"].max() > 1


def test_so_many_times_the_passes_are_spent_whatever_the_work():
    usual = ResidualSettings(hidden=10, passes=400_000)
    long = longer.settings(usual, 100)
    assert long.budget(1030, 8) == 100 * usual.budget(1030, 8) == 10_000_000
    assert (long.draws, longer.settings(usual, 3).draws) == (1000, 300)
    assert longer.settings(usual, 1) == usual


def test_what_was_fitted_is_not_fitted_again(tmp_path, monkeypatch):
    requested = []

    def fitted(model, inputs, targets, rng, settings):
        requested.append((settings.passes, settings.hidden))
        return SimpleNamespace(posterior=SimpleNamespace(diagnostics={"chains": 4}))

    monkeypatch.setattr(robot_arm, "fitted", fitted)
    monkeypatch.setattr(robot_arm, "truth", lambda whole, inputs, targets: {"true_error": 0.25})
    for times in ([2], [2, 30]):
        result = robot_arm.longer(tmp_path, ["fresh-1"], times)
    assert result.rows() == [
        ("fresh-1", 2, 0.25, "{'chains': 4}"),
        ("fresh-1", 30, 0.25, "{'chains': 4}"),
    ]
    assert requested == [(800_000, 8), (12_000_000, 8)]
