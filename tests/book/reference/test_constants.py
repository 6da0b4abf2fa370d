"""The page of constants has all of them, with the values of the code and words for each."""

import dataclasses
import importlib.util

import polars as pl
import pytest

from benchbook.methods import settings
from benchbook.methods.gaussian_processes.methods import Sampling
from benchbook.methods.gaussian_processes.model import HyperPrior
from benchbook.methods.gaussian_processes.search import Search
from benchbook.methods.networks.bayesian import constants as bayes
from benchbook.methods.networks.early_stopping import BatchDescent
from benchbook.methods.networks.ese import ConjugateEnsemble
from benchbook.methods.networks.relevance import StaticFactors
from benchbook.methods.today.swag import SWAG


@pytest.fixture(scope="module")
def table(page):
    return page.table()


@pytest.mark.parametrize(
    "kind", [BatchDescent, StaticFactors, ConjugateEnsemble, HyperPrior, Sampling]
)
def test_every_field_stands_there_with_its_value(page, table, kind):
    part = table.filter(group=page.GROUPS[kind.__name__])
    listed = settings.listed(kind())
    assert part["name"].to_list() == [setting.name for setting in listed]
    assert part["value"].to_list() == [page.shown(setting.value) for setting in listed]


def test_the_table_of_the_bayesian_networks_is_taken_over(page, table):
    part = table.filter(group=page.GROUPS["networks.bayesian.constants"])
    assert part.select("name", "origin", "follows").rows() == [
        (item.name, item.origin, item.follows) for item in bayes.TABLE
    ]


def test_the_known_groups_come_first_and_say_of_each_constant_what_it_is(page, table):
    result = list(dict.fromkeys(table["group"]))
    known = [heading for heading in page.GROUPS.values() if heading in result]
    assert len(known) >= 7
    assert result[: len(known)] == known
    part = table.filter(pl.col("group").is_in(known))
    assert part.filter(pl.col("follows") == "").is_empty()
    assert set(part["origin"]) == {page.PAPER, page.OURS}


def test_no_group_leaves_all_its_meanings_empty(table):
    reported = table.group_by("group").agg((pl.col("follows") != "").any())
    assert reported.filter(~pl.col("follows"))["group"].to_list() == []


def test_what_needs_an_extra_is_shown_when_it_is_there(page, table):
    present = (
        importlib.util.find_spec("jax") is not None
        and importlib.util.find_spec("numpyro") is not None
    )
    assert (page.GROUPS["NutsSettings"] in table["group"].to_list()) == present


def test_what_is_said_is_said_of_fields_that_exist(page):
    fields = {
        (kind.__name__, field.name)
        for kind in (BatchDescent, StaticFactors, ConjugateEnsemble, HyperPrior, Search)
        for field in dataclasses.fields(kind)
    }
    fields |= {("today.swag", field.name) for field in dataclasses.fields(SWAG)}
    assert {key for key in page.KNOWN if key[0] != "NutsSettings"} <= fields


def test_learners_of_today_say_whose_their_constants_are(table):
    whose = {
        (group, name): origin
        for group, name, origin in table.select("group", "name", "origin").rows()
        if group.startswith("today.")
    }
    assert "not labelled" not in whose.values()
    assert whose["today.xgboost: XGBoost", "rate"] == "the library's default"
    assert whose["today.deep_ensemble: DeepEnsemble", "hidden"] == "the authors'"
    assert whose["today.deep_ensemble: DeepEnsemble", "rate"] == "ours"
    assert [whose["today.swag: SWAG", name] for name in ("momentum", "draws")] == [
        "the authors'",
        "ours",
    ]


def test_all_guards_are_found(page):
    guards = page.guards()
    assert guards.height == len(page.GUARDS)
    assert guards["value"][0] == "1e-06"


def test_settings_are_those_that_differ_from_the_library(page):
    result = page.settings(["forest-1"])
    assert dict(result.select("name", "value").iter_rows())["min_samples_leaf"] == "3"
    assert "bootstrap" not in result["name"].to_list()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (15, "15"),
        (60_000, "60,000"),
        (0.4, "0.4"),
        (1 / 3, "0.333"),
        (300_000.0, "300,000"),
        ("x0.2:0.5:1", "x0.2:0.5:1"),
        (True, "True"),
        ((1, 2, 3), "1, 2, 3"),
        (tuple(range(1, 78)), "77 from 1 to 77"),
        (1e-3, "0.001"),
    ],
)
def test_values_are_written_for_readers(page, value, text):
    assert page.shown(value) == text


def test_docstrings_are_read_by_line_and_name(page):
    output = page._said(
        "Head.\n\nhidden: units.\nleast, most: bounds of\n    the number.\n\nNot a name: of course."
    )
    assert output["hidden"] == "units."
    assert output["least"] == output["most"] == "bounds of the number."
    assert "name" not in output
