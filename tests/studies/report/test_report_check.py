"""The form accepts what follows the rules, and refuses what does not, key by key and all at once."""

import copy
import pickle
import tomllib
from pathlib import Path

import pytest

from benchbook.errors import BenchbookError, FaultyInput
from benchbook.studies import report

CHANGES = tomllib.loads((Path(__file__).parent / "changes.toml").read_text(encoding="utf8"))
NEEDED = [key.name for key in report.KEYS.values() if key.needed]


def faults(given):
    return [finding for finding in report.findings(given) if not finding.warning]


def warnings(given):
    return [finding for finding in report.findings(given) if finding.warning]


def test_the_good_report_passes_without_a_warning(made):
    passed = report.check(made.folder / "good.toml")
    assert passed.warnings == ()
    assert passed["network.hidden"] == [4, 2]
    assert passed["algorithm.parameters"]["increase"] == 1.2
    assert passed.get("results.correlation") is None
    assert "results.correlation" not in passed
    assert report.check(made.tables()).values == passed.values


@pytest.mark.parametrize("change", CHANGES["bad"], ids=lambda change: change["name"])
def test_one_change_makes_a_bad_report(made, change):
    given = made.changed(change.get("set"), change.get("drop", ()))
    with pytest.raises(FaultyInput) as refused:
        report.check(given)
    found = refused.value.findings
    assert sorted(finding.key for finding in found) == sorted(change["faults"])
    first = next(finding for finding in found if finding.key == change["faults"][0])
    assert first.law.section == change["section"]
    assert f"PROBEN1, section {change['section']}" in str(refused.value)
    assert all(finding.found and finding.write for finding in found)


@pytest.mark.parametrize("change", CHANGES["doubtful"], ids=lambda change: change["name"])
def test_what_is_doubtful_passes_with_a_warning(made, change):
    passed = report.check(made.changed(change.get("set"), change.get("drop", ())))
    assert [finding.key for finding in passed.warnings] == change["warnings"]
    assert passed.warnings[0].law.section == change["section"]


@pytest.mark.parametrize("change", CHANGES["good"], ids=lambda change: change["name"])
def test_what_the_report_allows_passes_without_a_warning(made, change):
    assert report.check(made.changed(change.get("set"), change.get("drop", ()))).warnings == ()


def test_every_law_is_broken_by_some_change(made):
    broken = {
        finding.law.name
        for kind in ("bad", "doubtful")
        for change in CHANGES[kind]
        for finding in report.findings(made.changed(change.get("set"), change.get("drop", ())))
    }
    broken |= {finding.law.name for finding in report.findings(made.tables("many-faults.toml"))}
    assert set(report.LAWS) - broken == set()


def test_many_faults_are_reported_together_with_their_lines(made):
    path = made.folder / "many-faults.toml"
    with pytest.raises(report.FaultyReport) as refused:
        report.check(path)
    found = {finding.key: finding for finding in refused.value.findings}
    assert set(found) >= {
        "partition.name",
        "partition.test_used_for",
        "encoding.outputs",
        "encoding.fitted_on",
        "netwrok.inputs",
        "network",
        "initialisation.law",
        "algorithm.parameters.weight_decay",
        "algorithm.parameters.most_growth",
        "tuning.chosen_on",
        "stopping.criterion",
        "stopping.measured_on",
        "stopping.state",
        "stopping.strip",
        "error.output_range",
        "runs.excluded_as",
        "results.runs",
        "results.test_error.sd",
    }
    assert [finding.key for finding in refused.value.warnings] == [
        "tuning.sensitivity",
        "error.classes_by",
        "runs.total",
        "results.test_wrong.mean",
        "results.traversals",
    ]
    lines = path.read_text(encoding="utf8").splitlines()
    assert lines[found["stopping.measured_on"].line - 1] == 'measured_on = "test cases"'
    assert lines[found["partition.name"].line - 1] == "[partition]"
    assert "network.inputs" in found["netwrok.inputs"].write


def test_the_message_names_place_finding_remedy_and_rule(made):
    with pytest.raises(FaultyInput) as refused:
        report.check(made.folder / "many-faults.toml")
    said = str(refused.value)
    assert "many-faults.toml: 20 faults" in said
    assert 'stopping.measured_on (line 42): found "test cases"' in said
    assert "[PROBEN1, section 2.3: No knowledge of the test cases enters" in said
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.findings, again.warnings) == (refused.value.findings, refused.value.warnings)


@pytest.mark.parametrize("name", NEEDED)
def test_a_needed_key_that_is_missing_is_asked_for(made, name):
    found = faults(made.changed(drop=[name]))
    assert any(finding.key == name and finding.found.startswith("nothing") for finding in found)


@pytest.mark.parametrize("name", list(report.KEYS))
@pytest.mark.parametrize("value", ["", [None], float("nan")], ids=repr)
def test_no_key_takes_what_says_nothing(made, name, value):
    assert name in {finding.key for finding in faults(made.changed({name: value}))}


@pytest.mark.parametrize("value", ["as usual", "Default.", "tbd", "  ", "see text"])
def test_a_text_that_leaves_it_open_is_no_answer(made, value):
    assert [finding.key for finding in faults(made.changed({"stopping.restarting": value}))] == [
        "stopping.restarting"
    ]


def test_the_order_of_tables_and_keys_does_not_matter(made):
    given = made.tables("many-faults.toml")
    turned = {name: dict(reversed(table.items())) for name, table in reversed(given.items())}
    assert report.findings(turned) == report.findings(given)


def test_checking_changes_nothing(made):
    given = made.tables("many-faults.toml")
    before = copy.deepcopy(given)
    report.findings(given)
    assert given == before


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("stopping.criterium", "stopping.criterion"),
        ("network.activation_hidden", "network.hidden_activation"),
        ("runs.sed", "runs.seeds"),
        ("results.sd", "sd"),
        ("errors.percent", "error.percent"),
        ("stopping.measured", "stopping.measured_on"),
    ],
)
def test_an_unknown_key_is_told_the_nearest_known_one(made, key, meant):
    [found] = faults(made.changed({key: 1}))
    assert (found.key, found.found) == (key, "a key that means nothing here")
    assert meant in found.write


def test_half_of_the_runs_may_be_left_out_and_a_tenth_as_outliers(made):
    half = {
        "runs.excluded": 30,
        "runs.excluded_as": "half",
        "runs.excluded_by": "validation error",
        "runs.exclusion_rule": "the 30 worst",
        "results.runs": 30,
        "comparison.runs": 30,
        "results.test_wrong.mean": 1.475,
    }
    assert report.findings(made.changed(half)) == ()
    tenth = half | {
        "runs.excluded": 6,
        "runs.excluded_as": "outliers",
        "runs.excluded_by": "log test error",
        "runs.exclusion_rule": "beyond 3 sd",
        "results.runs": 54,
        "comparison.runs": 54,
        "results.test_wrong.mean": 1.469,
    }
    assert report.findings(made.changed(tenth)) == ()


@pytest.mark.parametrize("total", [10, 20, 30, 60, 100, 300, 600, 2000])
def test_recommended_numbers_of_runs_raise_no_doubt(made, total):
    put = {
        "runs.total": total,
        "results.runs": total,
        "comparison.runs": total,
        "results.test_wrong.mean": round(2.5578 * total) / total / 1.74,
    }
    ends = [
        f"results.{name}.{end}"
        for name in ("test_error", "test_wrong")
        for end in ("minimum", "maximum")
    ]
    assert report.findings(made.changed(put, ends)) == ()


def test_one_run_has_no_standard_deviation(made):
    one = {"runs.total": 1, "results.runs": 1}
    drop = ["comparison", "results.test_error", "results.test_wrong", "results.total_epochs"]
    given = made.changed(
        one | {"results.test_error.mean": 1.6, "results.test_wrong.mean": 1.149}, ()
    )
    given = {name: table for name, table in given.items() if name not in drop}
    given["results"] = {
        "partition": "cancer1",
        "runs": 1,
        "test_error": {"mean": 1.6},
        "test_wrong": {"mean": 1.149},
        "total_epochs": {"mean": 150},
    }
    assert faults(given) == []
    assert [finding.key for finding in warnings(given)] == ["runs.total"]


def test_data_of_ones_own_pass_with_address_version_and_rule(made):
    own = {
        "problem.source": "our clinic",
        "problem.address": "https://example.org/cells.csv",
        "problem.version": "2 May 1994",
        "partition.name": "cells",
        "partition.rule": "in the order of the file: first 400, next 200, last 99",
        "partition.training": 400,
        "partition.validation": 200,
        "partition.test": 99,
        "results.partition": "cells",
        "comparison.partition": "cells",
        "results.test_wrong.mean": 1.465,
        "results.test_wrong.minimum": 1.01,
        "results.test_wrong.maximum": 3.03,
        "encoding.inputs": "tenths of the grade",
        "encoding.outputs": "1 of 2",
        "encoding.fitted_on": "training cases",
    }
    assert report.findings(made.changed(own)) == ()


def test_training_without_validation_cases_is_a_partition_of_the_same_file(made):
    without = {
        "partition.training": 525,
        "partition.validation": 0,
        "partition.validation_used_for": ["nothing"],
        "tuning.chosen_on": ["other data"],
        "stopping.measured_on": "nothing",
        "stopping.state": "last epoch",
        "stopping.criterion": "200 epochs",
    }
    assert report.findings(made.changed(without)) == ()


@pytest.mark.parametrize("name", ["cancer1", "cancer1a", "cancer1c", "cancer2f"])
def test_orders_of_a_file_are_partitions_with_the_same_counts(made, name):
    same = {"partition.name": name, "results.partition": name, "comparison.partition": name}
    assert report.findings(made.changed(same)) == ()


def test_a_rounded_per_cent_may_stand_for_a_whole_number_of_cases(made):
    for cases in range(0, 12):
        for digits in (1, 2, 4):
            exact = 100.0 * cases / 174
            given = made.changed(
                {"results.test_wrong.maximum": round(exact, digits)},
                ["results.test_wrong.minimum", "results.test_wrong.sd"],
            )
            arithmetic = [one for one in faults(given) if one.key == "results.test_wrong.maximum"]
            assert arithmetic == [], (cases, digits)


def test_what_is_no_report_is_told_so(made, tmp_path):
    with pytest.raises(BenchbookError, match="benchbook report new"):
        report.check(tmp_path / "nosuch.toml")
    (tmp_path / "broken.toml").write_text("[problem\nname = cancer", encoding="utf8")
    with pytest.raises(BenchbookError, match=r"cannot be read as TOML.*line 1"):
        report.check(tmp_path / "broken.toml")
    with pytest.raises(BenchbookError, match="cannot be read"):
        report.check(tmp_path)
    assert [finding.key for finding in faults(made.changed({"comparison": {"with": "x"}}))] == [
        "comparison"
    ]
