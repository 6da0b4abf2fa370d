"""Chains run live and diagnostics read from records: what they hold, and what is left out."""

import json

import numpy as np
import polars as pl
import pytest

from benchbook import tasks
from benchbook.assess.densities.chains import split_rhat
from benchbook_book.pages.show import convergence


@pytest.fixture(scope="module")
def instance():
    return tasks.instance("kin-8nm-sim/dist/std.64", 0)


@pytest.fixture(scope="module")
def runs(instance):
    return convergence.chains(instance, 2, 1, passes=1500)


def test_chains_differ_by_their_random_numbers_and_can_be_run_again(instance, runs):
    again = convergence.chains(instance, 2, 1, passes=1500)
    assert [made.weights.tobytes() for made in again] == [made.weights.tobytes() for made in runs]
    assert runs[0].weights.tobytes() != runs[1].weights.tobytes()
    assert runs[0].sigma.shape[1] == 8 + 3
    assert convergence.chains(instance, 1, 1, passes=300, relevance=False)[0].sigma.shape[1] == 4


def test_traces_go_from_the_first_note_to_the_last(runs):
    table = convergence.traces(runs, ["a", "b"])
    assert table["chain"].unique(maintain_order=True).to_list() == ["a", "b"]
    first = table.filter(chain="a")
    assert first["passes"][0] == runs[0].passes[0]
    assert first["passes"][-1] == runs[0].passes[-1]
    assert first["value"][-1] == runs[0].noise[-1]
    assert table.height <= 2 * 150


def test_agreement_has_a_line_for_each_chain_and_one_for_all(runs):
    reported = convergence.agreement(runs, ["a", "b"])
    assert reported["chain"].to_list() == ["a", "b", "all together"]
    length = min(len(made.noise) - made.kept for made in runs)
    assert reported["rhat"][0] == split_rhat(np.log(runs[0].noise[-length:]))
    assert reported["rhat"][2] == split_rhat(np.log([made.noise[-length:] for made in runs]))
    assert reported["noise"][1] == pytest.approx(np.median(runs[1].noise[-length:]), rel=0.02)


def record(method, instance, **cost):
    return {
        "method": method,
        "task": "kin-8nm-sim/dist/std.64",
        "instance": instance,
        "status": "ok",
        "cost": json.dumps(cost),
    }


WHOLE = {
    "gradient_passes": 60_000,
    "noise_sd": 0.3,
    "rhat_noise": 1.0,
    "rhat_sigma": 1.2,
    "rhat_prediction": 1.05,
    "ess_noise": 100.0,
    "ess_prediction": 50.0,
}
RECORDS = pl.DataFrame(
    [
        record("mlp-mc-3", 0, **WHOLE),
        record("mlp-mc-3", 1, **{**WHOLE, "rhat_prediction": 1.4}),
        record(
            "mlp-nuts-1",
            0,
            **{
                **WHOLE,
                "noise_sd": 0.33,
                "gradient_passes": 1_800_000,
                "ess_noise": 300.0,
                "noise_sd_error": 0.01,
            },
        ),
        record("mlp-nuts-1", 1, **{**WHOLE, "rhat_noise": 0.0}),
        record("lin-1", 0, noise_sd=0.2),
        {**record("mlp-mc-3", 2, **WHOLE), "status": "failed"},
    ]
)
MEANS = pl.DataFrame(
    {
        "method": ["mlp-mc-3", "mlp-mc-3", "mlp-nuts-1", "mlp-nuts-1", "lin-1"],
        "task": ["kin-8nm-sim/dist/std.64"] * 5,
        "instance": [0, 1, 0, 1, 0],
        "mean": [0.01, 0.02, 0.011, 0.019, 0.03],
    }
)


def test_diagnostics_stand_beside_losses_and_what_has_none_is_left_out():
    table = convergence.diagnosed(RECORDS, MEANS)
    assert table["method"].to_list() == ["mlp-mc-3", "mlp-mc-3", "mlp-nuts-1", "mlp-nuts-1"]
    unit = tasks.standard("kin-8nm-sim/dist/std.64", "S")
    assert table["loss"].to_list() == pytest.approx(
        [0.01 / unit, 0.02 / unit, 0.011 / unit, 0.019 / unit]
    )
    assert set(table["size"]) == {64}
    assert set(table["dataset"]) == {"kin-8nm-sim"}
    assert convergence.diagnosed(RECORDS, MEANS.clear()).is_empty()


def test_two_samplers_are_compared_where_both_ran_and_converged_means_both():
    both = convergence.two_samplers(convergence.diagnosed(RECORDS, MEANS))
    assert both["instance"].to_list() == [0, 1]
    assert both["noise_1"].to_list() == [0.33, 0.3]
    assert both["noise_2"].to_list() == [0.3, 0.3]
    assert both["rhat_2"].to_list() == [1.05, 1.4]
    assert both["rhat_1"].to_list() == [1.05, None]
    assert both["converged"].to_list() == [True, False]
    assert (both["passes_1"] / both["passes_2"])[0] == 30
    assert both["z"][0] == pytest.approx(0.03 / (0.01 * 2))
    assert both["z"][1] is None
    none = convergence.two_samplers(convergence.diagnosed(RECORDS, MEANS).filter(method="mlp-mc-3"))
    assert none.is_empty()


def test_longer_runs_beside_their_namesakes():
    compared = pl.DataFrame(
        {
            "method": ["ab"],
            "other": ["a"],
            "task": ["kin-8nm-sim/dist/std.64"],
            "mean": [1.0],
            "other_mean": [2.0],
            "difference": [-1.0],
            "statistic": [-2.7],
            "df_1": [7],
            "p": [0.03],
        }
    )
    table = convergence.longer(compared, {"ab": "a", "cb": "c"})
    assert table.to_dicts() == [
        {"method": "a", "dataset": "kin-8nm-sim", "size": 64, "more": -0.5, "p": 0.03}
    ]


def test_an_archive_without_such_runs_gives_an_empty_table(repository):
    table = convergence.archived(
        ("kin-8nm-sim/dist",), ("mlp-nuts-0",), repository / "data" / "archive"
    )
    assert table.is_empty()
    assert "gradient_passes" in table.columns


@pytest.mark.parametrize(("rhat", "converged"), [(1.1, True), (1.11, False), (0.0, False)])
def test_both_samplers_reach_the_limit_itself(rhat, converged):
    runs = convergence.diagnosed(RECORDS, MEANS).filter(instance=0)
    both = convergence.two_samplers(
        runs.with_columns(rhat_noise=pl.lit(rhat), rhat_prediction=pl.lit(1.0))
    )
    assert both["converged"].to_list() == [converged]
