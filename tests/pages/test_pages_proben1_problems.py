"""The pages of the problems, with their data and without."""

import re

import numpy as np
import polars as pl
import pytest

from benchbook import datasets
from benchbook.datasets import proben1
from benchbook.pages import proben1_problems as problems
from benchbook.pages import proben1_representation as chapter


@pytest.fixture
def nothing_at_hand(monkeypatch):
    """Only what scikit-learn brings along can be read."""
    monkeypatch.setattr(datasets, "at_hand", lambda name: name.startswith("sklearn-"))


def test_the_overview_has_a_line_and_a_page_for_each_problem(repository):
    frame = problems.overview()
    assert frame["problem"].to_list() == list(proben1.PROBLEMS)
    for page in frame["page"]:
        assert (repository / "book" / "proben1" / page.replace(".html", ".md")).is_file()


def test_every_difference_from_the_printed_tables_is_explained():
    differing = {problem for number in (1, 2)
                 for problem in problems.recounted(number).filter(~pl.col("agrees"))["problem"]}
    said = [text.split(": ", 1) for text in problems.differences(1, 2)]
    assert {name for names, _ in said for name in re.findall(r"`(\w+)`", names)} == differing
    assert all(len(reason) > 20 for _, reason in said)
    assert "9/6/0, counted 15/6/0" in problems.recount(1).text


def test_the_tables_agree_where_they_should():
    agrees = dict(problems.recounted(1).select("problem", "agrees").iter_rows())
    assert agrees["cancer"]
    assert not agrees["thyroid"]
    frame = problems.recounted(2)
    assert frame["cases printed"].to_list() == frame["cases counted"].to_list()


@pytest.mark.parametrize("problem", proben1.PROBLEMS)
def test_a_page_says_how_every_attribute_is_coded_without_any_data(problem, nothing_at_hand):
    page = problems.Problem(problem)
    shown = page.attributes()
    rules = proben1.original(problem).representation
    codes = {problems.coding(part.encoder) for part in (*rules.inputs, *rules.outputs)}
    assert all(code and "object" not in code for code in codes)
    assert rules.inputs[0].attribute in shown.text
    assert "not at hand" in page.facts().text
    assert f"benchbook datasets fetch proben1-{problem}1 proben1-{problem}2" in page.facts().text
    assert not page.first_numbers()
    assert "benchbook proben1 rebuild" in page.rebuilt().text
    assert "not at hand" in page.shares().text


def test_without_data_the_stand_ins_are_shown(nothing_at_hand):
    assert problems.shown_problems()["wine (stand-in)"] == "sklearn-wine"
    frame = problems.unexplained()
    assert frame.height == 15
    assert frame["unexplained"].is_between(0, 2).all()
    assert problems.recounted(1)["entropy computed"].null_count() == 11


def test_a_page_with_its_data(real_data):
    page = problems.Problem("glass")
    for name in (*page.files, "uci-glass"):
        real_data(name)
    assert "test cases with a twin" in page.facts().text
    assert "9.98" in page.first_numbers().text
    assert "every value of all three files" in page.rebuilt().text
    assert "glass1" in page.shares().description


@pytest.mark.parametrize(("encoder", "words"), [
    (proben1.Linear(1, 5, -1, 1), "linear, 1 to 5 onto [-1, 1]"), (proben1.Logarithm(11.5), "log(1 + x) / 11.5"),
    (proben1.Flagged(proben1.one_of("abc")), "1 of 3; an indicator when missing"),
    (proben1.Filled(proben1.Linear(0, 10), (0.35,)), "linear, 0 to 10 onto [0, 1]; 0.35 when missing"),
    (proben1.scale(("lo", "hi")), "lo as 0, hi as 1"),
])
def test_codes_in_words(encoder, words):
    assert problems.coding(encoder) == words


def test_the_made_up_world_is_reproducible_and_silence_means_something():
    one, again = chapter.made_up(400), chapter.made_up(400)
    assert one.columns == again.columns
    silent = np.array([value is None for value in one.columns["income"]])
    repays = np.array([value == "yes" for value in one.columns["repays"]])
    assert silent[~repays].mean() > 2 * silent[repays].mean()
    plain = chapter.made_up(4000, meaning=False)
    silent = np.array([value is None for value in plain.columns["income"]])
    repays = np.array([value == "yes" for value in plain.columns["repays"]])
    assert abs(silent[~repays].mean() - silent[repays].mean()) < 0.06


def test_cells_hold_the_codes_of_the_cases():
    one = chapter.made_up(50)
    frame = chapter.cells(one, [0, 1])
    assert frame.height == 2 * 9
    coded = one.representation.encode(one.columns, "made up").inputs
    np.testing.assert_array_equal(frame["value"].to_numpy().reshape(2, 9), coded[:2])


def test_the_experiment_codes_the_same_cases_and_counts_from_the_first_coding():
    one = chapter.made_up(120)
    errors = chapter.experiment([one], runs=1)
    assert dict(errors.select("coding", "inputs").unique().iter_rows()) == dict(
        zip(chapter.CODINGS, (9, 4, 8, 3), strict=True))
    costs = chapter.costs(errors)
    assert set(costs["coding"]) == set(chapter.CODINGS[1:])
    line = costs.row(0, named=True)
    base = errors.filter(coding=chapter.CODINGS[0], network=line["network"], permutation=line["permutation"])
    assert line["cost"] == pytest.approx(line["test_error"] / base["test_error"][0] - 1)


def test_problems_are_taken_only_when_originals_and_files_are_at_hand(nothing_at_hand):
    assert [one.name for one in chapter.worlds(("card", "horse"))] == [chapter.MADE_UP]
    assert not chapter.at_hand("nothing")
