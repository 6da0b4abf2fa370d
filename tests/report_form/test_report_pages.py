"""Forms and choices on pages: what is shown is what was found, and gains are what they are said to be."""

import re
import tomllib

import numpy as np
import polars as pl
import pytest

from benchbook.methods.proben1 import RESULT_RUNS, train_many
from benchbook.methods.proben1.topology import Topology
from benchbook.seeds import generator
from benchbook.show import proben1_form as form
from benchbook.show import proben1_rules as rules
from benchbook.studies import report
from benchbook.tasks.partitions import partition


def test_a_passed_form_is_shown_with_its_sentence_and_its_text(made):
    passed = report.check(made.tables())
    shown = form.shown(passed)
    assert report.sentence(passed) in shown.text
    assert report.toml(passed.values) in shown.text
    assert "x / (1 + |x|)" in shown.html
    assert "P &lt; 0.1" in shown.html
    assert "no warnings" in shown.html
    assert "bb-warning" not in shown.html


def test_warnings_stand_beside_the_sentence(made):
    shown = form.shown(report.check(made.changed({"error.half": True})))
    assert "1 to be read with a warning" in shown.text
    assert '<li class="bb-warning"><strong>Warning: error.half.</strong> The error without' in shown.html


def test_findings_are_listed_with_what_they_are(made):
    given = made.changed({"error.half": True, "stopping.state": "least test error"})
    shown = form.listed(report.findings(given))
    assert '<li class="bb-fault"><strong>Refused: stopping.state.</strong>' in shown.html
    assert shown.html.count("<li") == 2
    assert not form.listed(())


def test_a_review_shows_every_line_and_every_finding_below_its_line(made):
    text = (made.folder / "many-faults.toml").read_text(encoding="utf8")
    review = form.reviewed(text)
    found = report.findings(tomllib.loads(text), report.lines_of(text))
    items = re.findall(r"<li data-line=\"\d*\" class=\"(.*?)\"><code>(.*?)</code>(.*?)</li>", review.html)
    assert len(items) == len(text.rstrip().splitlines()) + 1, "one more for what has no line"
    assert sum(rest.count("<p ") for _, _, rest in items) == len(found)
    for finding in found:
        kind, _, notes = items[(finding.line or len(items)) - 1]
        assert kind == ("bb-fault" if "bb-fault" in notes else "bb-warning")
        assert f"{finding.key}.</strong>" in notes
    assert "Refused: network.</strong> Missing. Write a table [network]" in items[-1][2]
    assert review.text.count("    ^ ") == len(found)


def test_a_brief_review_leaves_out_what_nothing_is_said_about(made):
    text = (made.folder / "many-faults.toml").read_text(encoding="utf8")
    whole, brief = form.reviewed(text), form.reviewed(text, brief=True)
    numbers = [int(number) for number in re.findall(r"data-line=\"(\d+)\"", brief.html)]
    lines = text.splitlines()
    assert brief.html.count("<p ") == whole.html.count("<p ")
    assert numbers == sorted(set(numbers))
    assert [lines[number - 1] for number in numbers][:3] == ["[partition]", lines[13], "[encoding]"]
    assert brief.text.count("    ^ ") == whole.text.count("    ^ ")


def test_a_good_report_has_nothing_below_its_lines(made):
    review = form.reviewed((made.folder / "good.toml").read_text(encoding="utf8"))
    assert "<p" not in review.html
    assert "0 faults and 0 warnings" in review.html


def test_the_reports_beside_the_chapters_are_what_the_chapters_say():
    assert report.check(tomllib.loads(form.example("good-report.toml"))).warnings == ()
    for name, least in (("bad-report.toml", 20), ("report-to-mend.toml", 5)):
        faults = [one for one in report.findings(tomllib.loads(form.example(name))) if not one.warning]
        assert len(faults) >= least


def test_every_rule_is_in_the_table_and_ours_are_marked():
    text = form.rules().text
    for law in report.LAWS.values():
        assert law.name in text
    assert text.count(", ours") == sum(law.ours for law in report.LAWS.values())


@pytest.fixture(scope="module")
def flowers():
    """Ten runs on a small stand-in, with both halves of its test cases."""
    return rules.halves("sklearn-iris1", "2l", RESULT_RUNS, 10, seed=1)


def test_halves_are_of_the_same_networks(flowers):
    part = partition("sklearn-iris1")
    own = train_many(part, Topology.parse("2l", part.inputs, part.outputs), RESULT_RUNS,
                     [generator(1, part.name, "2l", run) for run in range(10)])
    sizes = np.array([len(part.test.inputs[half::2]) for half in (0, 1)])
    for run, one in enumerate(own):
        strips = min(len(one.traces.validation), flowers.validation.shape[1])
        whole = sizes @ flowers.test[:, run] / sizes.sum()
        assert flowers.validation[run, :strips] == pytest.approx(one.traces.validation[:strips])
        assert whole[:strips] == pytest.approx(one.traces.test[:strips])
        if one.relevant_epochs <= rules.EPOCHS:
            assert 5 * (flowers.rules[run] + 1) == one.relevant_epochs


def test_what_the_test_cases_choose_prints_no_more_than_the_rules(flowers):
    gains = rules.gains([flowers] * 3)
    assert gains["choice"].to_list() == list(rules.CHOICES.values())
    by_test = gains.filter(pl.col("by_test") & (pl.col("choice") != rules.CHOICES["criterion"]))
    assert (by_test["printed"] <= 1.0 + 1e-12).all()


def test_gains_of_invented_runs_are_those_worked_out_by_hand():
    runs, strips = 10, 4
    validation = np.tile([4.0, 3.0, 2.0, 5.0], (runs, 1)) + np.arange(runs)[:, None]
    first = np.full((runs, strips), 8.0)
    first[:, 0] = 2.0
    second = np.full((runs, strips), 4.0)
    second[:, 0] = 6.0
    first[3, 2], second[3, 2] = 4.0, 8.0
    each = rules.Halves(validation, np.array([first, second]), np.full(runs, 2), np.full((5, runs), 2))
    found = dict(zip(rules.CHOICES, rules.gains([each] * 3).iter_rows(named=True), strict=True))
    honest = np.array([7.6, 4.4])
    state = np.mean([[2.0, 6.0] / honest, [4.0 / 4.4, (9 * 8.0 + 8.0) / 10 / 7.6]], axis=0)
    assert found["state"]["printed"] == pytest.approx(state[0])
    assert found["state"]["true"] == pytest.approx(state[1])
    assert found["best"]["printed"] == pytest.approx(np.mean([4.0 / 7.6, 4.0 / 4.4]))
    assert found["best"]["true"] == pytest.approx(np.mean([8.0 / 4.4, 8.0 / 7.6]))
    assert found["validation"]["printed"] == found["validation"]["true"] == pytest.approx(np.mean([8 / 7.6, 4 / 4.4]))
    assert found["criterion"]["printed"] == found["criterion"]["true"] == pytest.approx(1.0)
    assert found["permutation"]["printed"] == found["permutation"]["true"] == pytest.approx(1.0)


def test_where_nothing_varies_nothing_is_gained():
    flat = rules.Halves(np.ones((10, 3)), np.full((2, 10, 3), 2.0), np.zeros(10, int), np.zeros((5, 10), int))
    gains = rules.gains([flat] * 3)
    assert gains.select((pl.col("printed") - 1).abs().max(), (pl.col("true") - 1).abs().max()).row(0) == (0.0, 0.0)


def test_permutations_are_the_published_ones_or_the_stand_ins(monkeypatch):
    monkeypatch.setattr("benchbook.datasets.at_hand", lambda name: name != "proben1-cancer2")
    assert rules.permutations("cancer") == ("sklearn-cancer1", "sklearn-cancer2", "sklearn-cancer3")
    monkeypatch.setattr("benchbook.datasets.at_hand", lambda name: True)
    assert rules.permutations("cancer") == ("cancer1", "cancer2", "cancer3")


def test_records_are_lines_for_a_form():
    trained = rules.trained(["sklearn-iris2"], "2l", RESULT_RUNS, 10, seed=1)
    frame = rules.records(trained, "proben1-pivot-text")
    passed = report.from_runs(frame, "proben1-pivot-text", "sklearn-iris2")
    assert passed["problem.source"] == "benchbook"
    assert passed["tuning.chosen_on"] == ["nothing"]
    assert passed["results.test_error.mean"] == pytest.approx(
        np.mean([run.test_error for run in trained["sklearn-iris2"]]), rel=1e-5)
