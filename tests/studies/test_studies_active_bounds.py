"""Which bounds were active in a run, by its diagnostics, and how often in many."""

import json

import polars as pl
import pytest

from benchbook.studies import active_bounds

CHAINS = active_bounds.CHAINS


def record(method, task="kin-8nm-sim/dist/std.64", instance=0, status="ok", **cost):
    return {
        "method": method,
        "task": task,
        "instance": instance,
        "status": status,
        "cost": json.dumps(cost),
        "settings": "",
    }


@pytest.mark.parametrize(
    ("method", "cost", "bound", "expected"),
    [
        ("mlp-mc-3", {"rhat_prediction": 1.1}, CHAINS, 0),
        ("mlp-mc-3", {"rhat_prediction": 1.11}, CHAINS, 1),
        ("mlp-mc-3", {"rhat_prediction": 0.0}, CHAINS, 1),  # undefined: it never moved
        ("gp-mc-1", {"rhat_prediction": 1.0, "acceptance": 0.0}, CHAINS, 1),  # as it once was
        ("bayes-logistic-1", {"rhat": 1.2}, CHAINS, 1),
        ("vl-gp-n", {"rhat_covariance": 1.5, "rhat_value": 1.05}, CHAINS, 0),
        ("vl-gp-n", {"rhat_covariance": 1.0, "rhat_value": 1.2}, CHAINS, 1),
        ("mlp-mc-3", {"acceptance": 0.4}, "acceptance outside .5 to .99", 1),
        ("mlp-mc-3", {"acceptance": 0.9}, "acceptance outside .5 to .99", 0),
        ("mlp-mc-3", {"acceptance": 1.0}, "acceptance outside .5 to .99", 1),
        ("swag-slow-1", {"noise_variance": 10.0}, "noise at the end of its grid", 1),
        ("swag-1", {"noise_variance": 1.0}, "noise at the end of its grid", 1),
        ("mc-dropout-1", {"dropped": 0.1}, "share of units left out at the end of its grid", 1),
        ("mc-dropout-1", {"dropped": 0.05}, "share of units left out at the end of its grid", 0),
        (
            "mc-dropout-chosen-1",
            {"dropped": 0.0},
            "share of units left out at the end of its grid",
            0,
        ),  # nothing is below it
        ("mc-dropout-chosen-1", {"rate": 0.3}, "step size at the end of its grid", 1),
        ("loohkrr-1", {"spread_penalty": 2.001}, "least penalty of the log variance taken", 1),
        ("loohkrr-1", {"spread_penalty": 2.07}, "least penalty of the log variance taken", 0),
        ("deep-ensemble-stopped-1", {"epochs": 400}, "all epochs used", 1),
        ("deep-ensemble-stopped-1", {"epochs": 399}, "all epochs used", 0),
        ("catboost-stopped-1", {"rounds": 2000}, "all rounds used", 1),
        ("laplace-last-1", {"stopped": 400}, "all epochs used", 1),
        ("gp-mc-1", {"fallback_to_one_state": 1}, "fallback used", 1),
        ("gp-mc-1", {"draws": 50}, "fallback used", 0),
    ],
)
def test_a_bound_is_active_where_its_diagnostic_says_so(method, cost, bound, expected):
    assert active_bounds.of_run(method, cost)[bound] == expected


def test_a_grid_is_that_of_the_run_and_not_of_the_method_as_it_is_now():
    bound, cost = "step size at the end of its grid", {"rate": 0.03}
    assert active_bounds.of_run("mc-dropout-chosen-1", cost)[bound] == 0
    old = {"rates": [0.001, 0.03]}
    assert active_bounds.of_run("mc-dropout-chosen-1", cost, old)[bound] == 1
    kept = record("mc-dropout-chosen-1", **cost) | {"settings": json.dumps(old)}
    assert active_bounds.remarks(pl.DataFrame([kept])) == {
        "mc-dropout-chosen-1": f"{bound} in 1 of 1 run"
    }


def test_the_saves_of_an_ensemble_count_by_network():
    result = active_bounds.of_run(
        "mlp-bgd-1", {"selected_iterations": [1, 20_000, 20_000, 50], "iterations": [20_000] * 4}
    )
    assert (result["first save chosen"], result["last save chosen"]) == (0.25, 0.5)


def test_one_step_size_is_no_grid():
    assert "step size at the end of its grid" not in active_bounds.of_run(
        "mc-dropout-1", {"rate": 0.001}
    )


def test_bounds_are_counted_by_method_and_family_and_failed_runs_are_not():
    records = pl.DataFrame(
        [
            record("mlp-mc-3", rhat_prediction=1.5),
            record("mlp-mc-3", "kin-32fh-sim/dist/std.64", rhat_prediction=1.0),
            record("mlp-mc-3", "uci-yacht/splits/std", rhat_prediction=1.0),
            record("mlp-mc-3", "gaze-again-sim/gaze/test", rhat_prediction=1.0),
            record("mlp-mc-3", status="failed", rhat_prediction=9.0),
            record("lin-1"),
        ]
    )
    result = active_bounds.active(records).filter(bound=CHAINS)
    assert result.select("method", "family", "runs", "active", "share").rows() == [
        ("mlp-mc-3", "gaze", 1, 0.0, 0.0),
        ("mlp-mc-3", "kin", 2, 1.0, 0.5),
        ("mlp-mc-3", "uci", 1, 0.0, 0.0),
    ]


def test_remarks_are_for_bounds_over_a_fifth():
    runs = [record("gp-mc-1", instance=i, rhat_prediction=1.5 if i < 2 else 1.0) for i in range(8)]
    few = [record("mlp-mc-3", instance=i, rhat_prediction=1.0 + (i < 1)) for i in range(5)]
    records = pl.DataFrame(runs + few)
    text = f"{CHAINS} in 2 of 8 runs"
    assert active_bounds.remarks(records) == {"gp-mc-1": text}
    assert active_bounds.unconverged(records) == {"gp-mc-1": text}


def test_a_setting_of_a_group_is_found_by_its_own_name_too():
    for settings, used in (({"epochs": 7}, 1.0), ({"network.epochs": 8, "epochs": 7}, 0.0)):
        assert (
            active_bounds.of_run("of nobody", {"stopped": 7}, settings)["all epochs used"] == used
        )
    assert "all epochs used" not in active_bounds.of_run("of nobody", {"stopped": 7}, {})
