"""The chart of who trains and who tests: its two tables, its words, its limits."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from benchbook import charts, datasets, tasks
from benchbook.charts.kit.output import picture
from benchbook.charts.kit.theme import COLOURS
from benchbook.errors import FaultyInput

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


def test_words_tell_a_common_test_set(page, tables):
    words = page.assignment(
        page.blocks(changed(test_set_selection="common")), tables[1].filter(code=0)
    ).description
    assert "all are tested on the same 4096 cases" in words


def test_words_tell_training_sets_that_overlap(page, tables):
    wider = tables[0].with_columns(end=pl.col("end") + 1)
    assert (
        "some cases train in two instances"
        in page.assignment(wider, tables[1].filter(code=0)).description
    )


def test_it_draws_every_instance(page, tables):
    spec = charts.specification(page.assignment(*tables, 128, name="kin-8nm-sim/dist"))
    svg = picture(spec)
    assert all(f">instance {number}<" in svg for number in range(8))
    assert all(f">{name}<" in svg for name in ("theta1", "theta8", "dist", "coded 0"))
    assert svg.count(f'fill="{COLOURS[0]}"') == 8 + 1  # one more in the legend
    assert spec["width"] == "container"
    assert 100 < charts.data_csv(spec).count("\n") < 5000


def test_one_task_is_enough(page, tables):
    assert (
        "8 task instances with 64"
        in page.assignment(page.blocks(TASKS[:1]), page.rulers(TASKS[:1])).description
    )


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda blocks, rulers: (blocks, rulers, 100), "64, 128, 256, 512, 1024"),
        (lambda blocks, rulers: (blocks.drop("role"), rulers), "'role'"),
        (lambda blocks, rulers: (blocks, rulers.head(0)), "something to draw"),
    ],
)
def test_faulty_tables_are_refused(page, tables, spoil, says):
    with pytest.raises(FaultyInput, match=says):
        page.assignment(*spoil(*tables))


def test_every_attribute_has_a_value_for_each_of_three_codes(tables):
    for _, part in tables[1].group_by("training_cases", "instance", "attribute"):
        assert sorted(part["code"]) == [-1, 0, 1]
