"""What boards say of active bounds and of variances."""

import sys

import polars as pl
import pytest

from benchbook_book.pages.show.bounds import sentence, variance_by, with_bounds

room = sys.modules["benchbook_book.pages.show.bounds"]  # a function has its name in the package


def test_a_board_has_the_remark_of_each_method_that_has_one():
    board = with_bounds(pl.DataFrame({"method": ["lin-1", "gp-mc-1"]}), {"gp-mc-1": "some bound"})
    assert board["bounds"].to_list() == [None, "some bound"]
    assert with_bounds(board.drop("bounds"), {})["bounds"].to_list() == [None, None]


def test_the_sentence_names_methods_and_their_bounds_or_says_that_there_are_none():
    assert "`gp-mc-1`: one, two." in sentence({"gp-mc-1": "one; two"})
    assert sentence({}).startswith("No bound")


def test_variances_are_the_librarys_the_models_or_ours():
    results = {
        name: variance_by(name)
        for name in ("catboost-stopped-1", "gp-mc-1", "boosting-1", "forest-quantiles-1", "swag-1")
    }
    assert results == {
        "catboost-stopped-1": "library",
        "gp-mc-1": "model",
        "boosting-1": "ours",
        "forest-quantiles-1": "ours",
        "swag-1": "ours",
    }


@pytest.mark.parametrize("method", [*room._LIBRARY, *room._MODEL])
def test_whose_variance_it_is_follows_from_the_family(method):
    families = (
        "catboost ngboost | lin mlp-mc mlp-nuts gp vl deep-ensemble laplace mdn gated-experts"
    )
    library, _, model = families.partition(" | ")
    names = {f"{name}-": "library" for name in library.split()}
    names |= {f"{name}-": "model" for name in model.split()}
    assert set(names) == {*room._LIBRARY, *room._MODEL}
    assert variance_by(f"{method}1") == names[method]


def test_bounds_are_of_the_runs_of_both_archives(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(room.studies, "archive_path", lambda: tmp_path / "archive")
    monkeypatch.setattr(room.studies, "Overlay", lambda *paths: made.append(paths) or Records())
    assert room.archived(["t"], ("m",)) == {"tasks": ["t"], "methods": ["m"]}
    assert room.archived(["t"]) == {"tasks": ["t"], "methods": None}
    assert made == [(tmp_path / "archive", tmp_path / "today")] * 2


class Records:
    def records(self, **asked):
        return asked
