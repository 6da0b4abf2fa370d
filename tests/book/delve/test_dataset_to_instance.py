"""The chart of who trains and who tests: its two tables, its words, its limits."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks

TASKS = [tasks.get(name) for name in tasks.available("kin-8nm-sim/dist")]


def changed(**fields):
    """The tasks of kin-8nm-sim/dist with another rule."""
    return [tasks.Task(replace(task.prototask, **fields), task.size) for task in TASKS]


@pytest.fixture(scope="module")
def tables(page):
    return page.blocks(TASKS), page.rulers(TASKS)


def test_blocks_by_hand(page, tables):
    """DELVE's rule for std.128#3: a pool of 4096, page.blocks of 512, then training sets of 128."""
    block = tables[0].filter(training_cases=128, instance=3)
    assert block.sort("role").select("role", "first", "end", "cases").rows() == [
        ("test", 1536, 2048, 512),
        ("train", 4480, 4608, 128),
    ]
    assert tables[0].height == 2 * (8 + 8 + 8 + 8 + 4)


@pytest.mark.parametrize("fields", [{}, {"order": "random"}])
def test_blocks_against_the_split_case_by_case(page, fields):
    for task in changed(**fields):
        for block in page.blocks([task]).iter_rows(named=True):
            cases = getattr(task.split(), block["role"])[block["instance"]]
            np.testing.assert_array_equal(task.cases.order[block["first"] : block["end"]], cases)


def test_a_common_test_set_is_one_block_for_all(page):
    table = page.blocks(changed(test_set_selection="common")).filter(role="test")
    assert set(table.select("first", "end", "cases").rows()) == {(0, 4096, 4096)}


def test_rulers_by_slicing(tables):
    cases = datasets.load("kin-8nm-sim").cases
    for name in ("theta5", "dist"):
        every, train = cases[name].to_numpy(), cases[name].to_numpy()[4480:4608]
        median, spread = np.median(train), np.abs(train - np.median(train)).sum() / 127
        whole = np.median(every), np.abs(every - np.median(every)).sum() / 8191
        ruler = tables[1].filter(training_cases=128, instance=3, attribute=name).sort("code")
        raw = median + np.array([-1, 0, 1]) * spread
        np.testing.assert_allclose(ruler["raw"], raw, rtol=1e-12)
        np.testing.assert_allclose(ruler["place"], (raw - whole[0]) / whole[1], rtol=1e-10)


def test_rulers_encode_to_their_codes(tables):
    """What the table says is coded c is coded c by the instance itself."""
    instance = TASKS[1].instance(2)
    fitted = {
        item.coding.attribute: item
        for item in (*instance.encoding.inputs, instance.encoding.target)
    }
    for line in tables[1].filter(training_cases=128, instance=2).iter_rows(named=True):
        coded = fitted[line["attribute"]].encode(np.array([line["raw"]]))[0, 0]
        assert coded == pytest.approx(line["code"], abs=1e-12)


def test_larger_training_sets_agree_better(tables):
    spread = (
        tables[1]
        .filter(code=0, attribute="theta1")
        .group_by("training_cases")
        .agg(pl.col("place").std())
        .sort("training_cases")["place"]
    )
    assert spread[0] > 2 * spread[-1]


def test_only_numbers_have_rulers(page, real_data):
    real_data("abalone")
    table = page.rulers([tasks.get("abalone/age/std.64")])
    assert "sex" not in set(table["attribute"])
    assert table["attribute"].n_unique() == 8


def test_drawn(page, tables):
    blocks, rulers = tables
    page.assignment(blocks, rulers, 128, name="kin-8nm-sim/dist")
    page.assignment(page.blocks(changed(test_set_selection="common")), rulers.filter(code=0))
    page.assignment(blocks.with_columns(end=pl.col("end") + 1), rulers.filter(code=0))
