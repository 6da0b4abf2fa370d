"""The form accepts what follows the rules, and refuses what does not, key by key and all at once."""

import copy
import pickle
import tomllib
from pathlib import Path

import pytest
from printed import held

from benchbook.errors import BenchbookError, FaultyInput
from benchbook_book import form as checklist
from benchbook_book.form.check import tables_in
from benchbook_book.form.reader import speaks_of_test
from benchbook_book.form.words import canonical

VARIATIONS = tomllib.loads((Path(__file__).parent / "variations.toml").read_text(encoding="utf8"))
BASES = ("1994", "network", "trees")


def keys_of(kind=checklist.Report, before=""):
    """Every key of the form by its dotted name; of models and optimisers those of the first kind."""
    for name, field in kind.model_fields.items():
        inner = tables_in(field.annotation)
        yield f"{before}{name}", field
        if inner and name not in ("comparison", "schedule"):
            yield from keys_of(inner[0], f"{before}{name}.")


KEYS = dict(keys_of())
NEEDED = [
    name
    for name, field in KEYS.items()
    if field.is_required()
    and "." in name
    and name.split(".")[0] not in ("time", "study")
    and not (name.startswith("results.") and name.count(".") > 1)
]


def faults(given):
    return [finding for finding in checklist.findings(given) if not finding.warning]


def remarks(given):
    return {finding.key for finding in checklist.findings(given) if finding.warning}


@pytest.mark.parametrize(
    ("base", "expected"), [("1994", []), ("network", []), ("trees", ["runs.made"])]
)
def test_sound_reports_of_three_kinds_pass_with_true_remarks_only(made, base, expected):
    passed = checklist.check(made.folder / f"sound-{base}.toml")
    assert [finding.key for finding in passed.warnings] == expected
    assert checklist.check(made.tables(f"sound-{base}.toml")).values == passed.values


def test_values_are_read_as_the_form_spells_them(made):
    passed = checklist.check(made.tables())
    assert passed["model.hidden"] == [4, 2]
    assert passed["model.hidden_activation"] == "softsign"
    assert passed["optimiser.eta_plus"] == 1.2
    assert passed["results.correlation"] is None


def test_there_are_enough_dishonest_reports():
    assert len(VARIATIONS["variation"]) >= 100


@pytest.mark.parametrize("change", VARIATIONS["variation"], ids=lambda change: change["name"])
def test_a_dishonest_or_incomplete_report_is_caught(made, change):
    base = change.get("base", "1994")
    given = made.changed(change.get("set"), change.get("drop", ()), base)
    result = checklist.findings(given)
    assert {item.key for item in result if not item.warning} == set(change.get("faults", ()))
    usual = remarks(made.tables(f"sound-{base}.toml"))
    assert {item.key for item in result if item.warning} - usual == set(
        change.get("remarks", ())
    ) - usual
    first = [*change.get("faults", ()), *change.get("remarks", ())][0]
    assert change["section"] in {item.broken.section for item in result if item.key == first}
    assert all(item.found and item.write for item in result)
    if change.get("faults"):
        with pytest.raises(FaultyInput, match=f"PROBEN1, section {change['section']}"):
            checklist.check(given)


@pytest.mark.parametrize(
    "number", sorted({change["together"] for change in VARIATIONS["variation"]})
)
def test_what_is_said_of_many_faults_together_is_held(made, number):
    changes = [change for change in VARIATIONS["variation"] if change["together"] == number]
    put = {key: value for change in changes for key, value in change.get("set", {}).items()}
    drop = [key for change in changes for key in change.get("drop", ())]
    found = checklist.findings(made.changed(put, drop, changes[0].get("base", "1994")))
    said = "".join(f"{'remark: ' * item.warning}{item}\n" for item in found)
    held(Path(__file__).with_name("findings.txt"), str(number), said)


@pytest.mark.parametrize("change", VARIATIONS["sound"], ids=lambda change: change["name"])
def test_other_sound_reports_pass(made, change):
    base = change.get("base", "1994")
    given = made.changed(change.get("set"), change.get("drop", ()), base)
    passed = checklist.check(given)
    allowed = remarks(made.tables(f"sound-{base}.toml")) | set(change.get("remarks", ()))
    assert {finding.key for finding in passed.warnings} == allowed


def test_every_rule_is_broken_by_some_report(made):
    broken = {
        finding.broken.name
        for change in VARIATIONS["variation"]
        for finding in checklist.findings(
            made.changed(change.get("set"), change.get("drop", ()), change.get("base", "1994"))
        )
    }
    assert set(checklist.RULES) - broken == set()


@pytest.mark.parametrize(
    "text",
    [
        "test error",
        "Test Set",
        "TEST_CASES",
        "lowest test-set loss",
        "highest test accuracy",
        "held-out set",
        "hold out data",
        "the best holdout score",
        "Test\u200b cases",
        "ＴＥＳＴ cases",
        "evaluation set",
    ],
)
def test_test_cases_are_understood_however_they_are_called(text):
    assert canonical(text, ["test cases", "validation cases"]) == "test cases"
    assert speaks_of_test(text)


@pytest.mark.parametrize(
    "text",
    [
        "no improvement for 10 successive tests",
        "GL_5 tested every strip",
        "a Wilcoxon signed-rank test",
        "greatest training error",
        "average of the last 10 epochs",
        "validation accuracy",
    ],
)
def test_other_words_are_not_taken_for_test_cases(text):
    assert canonical(text, ["test cases"]) != "test cases"
    assert not speaks_of_test(text)


def test_many_faults_are_reported_together_with_their_lines(made):
    path = made.folder / "many-faults.toml"
    with pytest.raises(checklist.FaultyReport) as refused:
        checklist.check(path)
    results = {finding.key: finding for finding in refused.value.findings}
    assert set(results) == {
        "split.name",
        "split.test_used_for",
        "encoding.outputs",
        "encoding.fitted_on",
        "modle",
        "model",
        "initialisation.distribution",
        "optimiser.weight_decay",
        "optimiser.max_growth",
        "tuning.chosen_on",
        "stopping.watches",
        "stopping.state",
        "stopping",
        "stopping.every",
        "error.output_range",
        "runs.excluded",
        "runs.excluded_as",
        "runs.judged_on",
        "runs.reason",
        "results.n",
        "results.test_error.sd",
    }
    assert [finding.key for finding in refused.value.warnings] == [
        "tuning.sensitivity",
        "error.classes_by",
        "runs.made",
        "runs.seeds",
        "results.test_wrong",
        "results.traversals",
        "results.best_run",
    ]
    lines = path.read_text(encoding="utf8").splitlines()
    assert lines[results["stopping.watches"].line - 1] == 'watches = "test cases"'
    assert lines[results["split.name"].line - 1] == "[split]"
    assert "'model'" in results["modle"].write
    message = str(refused.value)
    assert f"many-faults.toml: {len(results)} faults" in message
    assert 'found "test cases"' in message
    assert "[PROBEN1, section 2.3: Nothing about the test cases is known" in message
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.findings, again.warnings) == (refused.value.findings, refused.value.warnings)


@pytest.mark.parametrize("name", NEEDED)
def test_a_needed_key_that_is_missing_is_asked_for(made, name):
    base = "1994" if name.split(".")[0] in made.tables() else "trees"
    result = faults(made.changed(drop=[name], base=base))
    assert any(
        finding.key.startswith((name, name.rpartition(".")[0]))
        and (finding.found == "nothing" or "kind" in name)
        for finding in result
    )


@pytest.mark.parametrize("name", [name for name in KEYS if "." in name])
@pytest.mark.parametrize("value", ["", [None], float("nan")], ids=repr)
def test_no_key_takes_what_says_nothing(made, name, value):
    names_found = {finding.key for finding in faults(made.changed({name: value}))}
    assert name in names_found or any(key.startswith(f"{name}.") for key in names_found)


@pytest.mark.parametrize(
    "value", ["as usual", "Default.", "tbd", "  ", "see text", "about 3", "until convergence"]
)
def test_a_description_that_leaves_it_open_is_no_answer(made, value):
    result = faults(made.changed({"stopping.restarts": {"other": value}}))
    assert [finding.key for finding in result] == ["stopping.restarts"]


@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 0, 10**18], ids=repr)
@pytest.mark.parametrize("base", BASES)
def test_no_number_is_too_large_or_small_to_be_checked(made, value, base):
    for key in ("test_error.mean", "test_error.sd", "test_wrong.mean", "test_wrong.sd"):
        result = checklist.findings(made.changed({f"results.{key}": value}, base=base))
        assert all(finding.write for finding in result)
    for entry in made.tables(f"sound-{base}.toml").get("comparison", ()):
        for key in ("means", "sds"):
            given = made.tables(f"sound-{base}.toml") | {
                "comparison": [entry | {key: [value, value]}]
            }
            assert checklist.findings(given)


def test_the_order_of_tables_and_keys_does_not_matter_and_checking_changes_nothing(made):
    given = made.tables("many-faults.toml")
    before = copy.deepcopy(given)
    turned = {name: dict(reversed(table.items())) for name, table in reversed(given.items())}
    assert checklist.findings(turned) == checklist.findings(given)
    assert given == before


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("stopping.watch", "watches"),
        ("runs.sed", "seeds"),
        ("errors.half", "error"),
        ("algorithm.name", "optimiser"),
        ("partition.name", "split"),
        ("network.inputs", "model"),
    ],
)
def test_an_unknown_key_is_answered_with_the_nearest_known_one(made, key, meant):
    result = faults(made.changed({key: 1}))
    assert result[-1].found == "a key that means nothing here"
    assert repr(meant) in result[-1].write


@pytest.mark.parametrize("made_runs", [10, 20, 30, 60, 100, 300, 600, 2000])
def test_recommended_numbers_of_runs_have_no_remark(made, made_runs):
    given = made.tables()
    given["runs"] = {"made": made_runs, "seeds": f"1 to {made_runs}", "excluded": 0}
    given["results"] |= {"n": made_runs, "test_wrong": {"mean": 100 / 174, "sd": 0.3}}
    del (
        given["comparison"],
        given["results"]["test_error"]["minimum"],
        given["results"]["test_error"]["maximum"],
    )
    assert checklist.findings(given) == ()


def test_data_of_ones_own_pass_with_address_version_and_split(made):
    own = {
        "problem.collection": "own data",
        "problem.address": "https://example.org/cells.csv",
        "problem.version": "2 May 1994",
        "split.kind": "in file order",
        "split.cases": 699,
        "split.name": "cells",
        "results.split": "cells",
        "comparison.split": "cells",
        "encoding.inputs": "tenths of the grade",
        "encoding.outputs": "1 of 2",
        "encoding.fitted_on": "training cases",
    }
    assert checklist.findings(made.changed(own)) == ()


@pytest.mark.parametrize("name", ["cancer1", "cancer1a", "cancer1c", "cancer2f"])
def test_orders_of_a_file_are_partitions_with_the_same_counts(made, name):
    same = {"split.name": name, "results.split": name, "comparison.split": name}
    assert checklist.findings(made.changed(same)) == ()


def test_what_is_no_report_ends_with_advice(made, tmp_path):
    with pytest.raises(BenchbookError, match="benchbook checklist new"):
        checklist.check(tmp_path / "nosuch.toml")
    (tmp_path / "broken.toml").write_text("[problem\nname = cancer", encoding="utf8")
    with pytest.raises(BenchbookError, match=r"cannot be read as TOML.*line 1"):
        checklist.check(tmp_path / "broken.toml")
    with pytest.raises(BenchbookError, match="cannot be read"):
        checklist.check(tmp_path)
    assert [finding.key for finding in faults(made.changed({"comparison": {"against": "x"}}))] == [
        "comparison"
    ]
