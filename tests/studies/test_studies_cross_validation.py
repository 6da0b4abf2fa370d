"""Expected utilities by folds: a correction that is large is told, in words and for programs."""

import json
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import datasets, tasks
from benchbook.assess import densities
from benchbook.assess.convergence import ConvergenceRule, worst
from benchbook.assess.densities import QUESTIONS
from benchbook.cli import app
from benchbook.errors import FaultyInput
from benchbook.studies import cross_validation
from benchbook.studies.cross_validation import Expected

TASK = "concrete/cv-215a/random-10"


def memory(rng, share, spread=1.0):
    """Absolute errors of a method that repeats a share of the training cases without error, on ten folds of 200."""
    fold = np.arange(200) % 10
    errors, known = 1.0 + spread * rng.random(200), rng.random(200) < share
    full = np.where(known, 0.0, errors)
    by_fold = np.where(known & (fold != np.arange(10)[:, None]), 0.0, errors)
    return densities.bias_corrected_distribution(
        by_fold, full, fold, densities.MEAN, replicates=500
    )


def expected(chains=None, **methods):
    return Expected(QUESTIONS["mae"], "a task", 200, methods, chains or {})


def test_no_probability_is_given_where_chains_have_not_met():
    rng = np.random.default_rng(1)
    three = {
        name: memory(rng, 0.0, spread)
        for name, spread in (("plain", 1.0), ("sampled", 1.5), ("stuck", 2.0))
    }
    good, bad = worst([{"rhat_a": 1.0, "ess_a": 900.0}]), worst([{"rhat_a": 1.3, "ess_a": 9.0}])
    result = expected({"sampled": good, "stuck": bad}, **three)
    table = result.pairs()
    assert table["stuck"].to_list() == [None, None, None]
    assert table.row(2)[1:] == (None, None, None)
    assert table["sampled"][0] + table["plain"][1] == pytest.approx(1.0)
    assert result.verdict("plain", "stuck") is None
    loose = ConvergenceRule(1.3, 9.0)
    assert (
        result.verdict("plain", "stuck", rule=loose)
        == result.probability_better("plain", "stuck")
        > 0.99
    )
    assert result.pairs_in_words()["stuck"].to_list() == ["no verdict", "no verdict", ""]
    [pair] = result.verdicts().to_dicts()
    assert (pair["method"], pair["than"], pair["probability"]) == (
        "plain",
        "sampled",
        table["sampled"][0],
    )
    assert table["sampled"][0] > 0.9
    assert result.pairs_in_words()["sampled"][0] == f"{table['sampled'][0]:.2f}"
    assert (
        "No verdict on stuck: the chains have not met (stuck: R-hat 1.3 (a), effective size 9 (a))"
        in result.warnings[0]
    )
    assert expected({"sampled": good}, **three).warnings == []


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_the_chains_are_those_of_the_runs():
    result = cross_validation.expected(TASK, "rmse", ["lin-1", "vl-gp-n"])
    assert list(result.chains) == ["vl-gp-n"]
    assert set(result.chains["vl-gp-n"].rhat) == {"covariance", "residual", "value"}


def test_a_correction_is_large_beyond_half_the_width_of_the_uncorrected_interval():
    rng = np.random.default_rng(1)
    memorises, forgets, scatters = memory(rng, 1.0), memory(rng, 0.0), memory(rng, 1.0, spread=1e3)
    assert memorises.correction.estimate == pytest.approx(-0.1 * memorises.cross_validated.estimate)
    low, high = scatters.cross_validated.interval()
    assert abs(scatters.correction.estimate) > 0.5 * (high - low)
    little = memory(rng, 0.02, spread=1e3)
    assert little.correction.estimate < 0
    result = expected(memorises=memorises, forgets=forgets, scatters=scatters, little=little)
    assert result.largely_corrected == ["memorises", "scatters"]


@pytest.mark.parametrize("threshold", [0.01, 100.0])
def test_the_warning_names_whom_it_concerns_and_what_to_do(monkeypatch, threshold):
    monkeypatch.setattr(cross_validation, "LARGEST_CORRECTION", threshold)
    rng = np.random.default_rng(1)
    result = expected(memorises=memory(rng, 1.0), forgets=memory(rng, 0.0))
    if threshold > 1.0:
        assert (result.largely_corrected, result.warnings) == ([], [])
    else:
        assert result.largely_corrected == ["memorises"]
        assert "large for memorises: " in result.warnings[0]
        assert "compare the uncorrected estimates" in result.warnings[-1]


def test_methods_are_compared_by_the_folds_and_a_turned_order_is_told():
    """Of two methods that err alike on cases not seen, the one with a memory seems better once both are corrected."""
    rng = np.random.default_rng(1)
    plain = memory(rng, 0.0)
    result = expected(memorises=memory(np.random.default_rng(1), 1.0, spread=1.1), plain=plain)
    assert list(result.table()["method"]) == ["plain", "memorises"]
    assert result.probability_better("plain", "memorises") == result.pairs()["memorises"][1] > 0.99
    assert (
        result.probability_better("plain", "memorises", corrected=True)
        == result.pairs(True)["memorises"][1]
        < 0.01
    )
    [turned] = result.turned
    assert (turned.better, turned.other) == ("plain", "memorises")
    assert (turned.plain, turned.corrected) == (
        result.pairs()["memorises"][1],
        result.pairs(True)["plain"][0],
    )
    assert (
        "plain is better than memorises with probability 1, corrected memorises is the better one"
        in result.warnings[1]
    )
    alike = expected(one=plain, other=memory(rng, 0.0, spread=1.1))
    assert (alike.turned, alike.warnings) == ([], [])


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_the_command_warns_of_large_corrections(monkeypatch):
    requested = ["assess", "cv", TASK, "--methods", "lin-1", "--ask", "rmse"]
    monkeypatch.setattr(cross_validation, "LARGEST_CORRECTION", 0.0)
    sentence = cross_validation.expected(TASK, "rmse", ["lin-1"]).warnings[0]
    assert sentence.startswith("The correction is large for lin-1")
    assert sentence in " ".join(CliRunner().invoke(app, requested).output.split())
    reply = json.loads(CliRunner().invoke(app, [*requested, "--json"]).output)
    assert (reply["largely_corrected"], reply["warnings"][0]) == (["lin-1"], sentence)
    monkeypatch.setattr(cross_validation, "LARGEST_CORRECTION", 100.0)
    reply = json.loads(CliRunner().invoke(app, [*requested, "--json"]).output)
    assert (reply["largely_corrected"], reply["warnings"]) == ([], [])
    assert "correction is large" not in CliRunner().invoke(app, requested).output


@pytest.mark.skipif(not datasets.at_hand("concrete"), reason="concrete is not at hand")
def test_concretes_residual_models_are_not_chosen_by_corrected_utilities():
    """Corrected, the Normal model would be the better one for sure; the chapter shows that sign to be wrong."""
    requested = ["assess", "cv", TASK, "--methods", "vl-gp-n,vl-gp-in"]
    reply = json.loads(CliRunner().invoke(app, [*requested, "--json"]).output)
    assert [line["method"] for line in reply["expected"]] == ["vl-gp-in", "vl-gp-n"]
    assert (
        reply["probability_better"][0]["vl-gp-in"]
        is reply["probability_better_corrected"][0]["vl-gp-in"]
        is None
    )
    assert set(reply["no_verdict"]) == {"vl-gp-in", "vl-gp-n"}
    result = cross_validation.expected(TASK, "nlpd", ["vl-gp-n", "vl-gp-in"])
    assert result.probability_better("vl-gp-n", "vl-gp-in") < 0.5
    assert result.probability_better("vl-gp-n", "vl-gp-in", corrected=True) > 0.99
    assert [(item["better"], item["other"]) for item in reply["turned"]] == [
        ("vl-gp-in", "vl-gp-n")
    ]
    output = CliRunner().invoke(app, requested).output
    assert "The correction turns an order" in output
    assert "No verdict on" in output
    assert "probability" not in output


def test_methods_without_all_runs_are_left_out_unless_they_are_asked_for():
    name = "forest-scene-sim/cv-18/random-8"
    task = tasks.get(name)
    runs = [("whole", number) for number in range(task.instances)]
    runs += [("half", number) for number in range(task.instances) if number not in (2, 8)]
    frame = pl.DataFrame(
        [(*run, int(case), 0.5) for run in runs for case in task.places],
        schema=["method", "instance", "case", "value"],
        orient="row",
    )
    source = SimpleNamespace(losses=lambda **asked: frame)
    found = cross_validation.fold_losses(name, source=source)
    assert list(found) == ["whole"]
    assert found["whole"].left_out.tolist() == [0.5] * task.places.size
    with pytest.raises(FaultyInput, match=r"half.*no run of instance 2, 8"):
        cross_validation.fold_losses(name, ["half", "whole"], source=source)
