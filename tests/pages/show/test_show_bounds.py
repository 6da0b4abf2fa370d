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


@pytest.mark.parametrize(
    ("whose", "names"),
    [
        ("library", "catboost-1 catboost-stopped-1 ngboost-1 ngboost-stopped-1"),
        (
            "model",
            "lin-1 mlp-mc-2 mlp-nuts-1 gp-mc-1 vl-gp-n deep-ensemble-stopped-1 laplace-ensemble-1 mdn-1 "
            "gated-experts-1",
        ),
        (
            "ours",
            "boosting-1 boosting-tuned-1 catboost-bagged-1 lightgbm-bagged-1 forest-quantiles-1 swag-1 mlp-bgd-1",
        ),
    ],
)
def test_variances_are_the_librarys_the_models_or_ours(whose, names):
    assert {name: variance_by(name) for name in names.split()} == dict.fromkeys(
        names.split(), whose
    )


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
