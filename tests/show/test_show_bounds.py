"""What boards say of active bounds and of variances."""

import polars as pl

from benchbook.show.bounds import sentence, variance_by, with_bounds


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
