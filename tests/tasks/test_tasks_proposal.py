"""What is proposed for a user's table: the order of groups, the test pool, and what is said of leaks and few cases."""

import numpy as np
import polars as pl
import pytest

from benchbook import datasets, tasks
from benchbook.datasets import Attribute, Interval
from benchbook.datasets.user.guess import Wishes
from benchbook.seeds import generator
from benchbook.tasks.user import Table, TableRequest, declaring, keep, kept, proposal, propose
from benchbook.tasks.user.design import design
from benchbook.tasks.user.hints import hints, of_roles


def people(cases_each: int = 4, count: int = 40) -> pl.DataFrame:
    rng = generator(2, "people")
    return pl.DataFrame(
        {
            "person": [f"p{number:02d}" for number in range(count) for _ in range(cases_each)],
            "x": rng.normal(size=count * cases_each),
            "y": rng.normal(size=count * cases_each),
        }
    )


def proposed(frame: pl.DataFrame, name: str = "people", **wanted):
    return propose(Table(name, frame), TableRequest("y", name, **wanted))


def test_groups_are_dealt_out_at_random_and_not_by_their_names():
    orders = {
        name: list(dict.fromkeys(proposed(people(), name, group="person").frame["person"]))
        for name in ("people", "others")
    }
    assert len(set(map(tuple, orders.values()))) == 2, "the order depends on the dataset"
    for order in orders.values():
        assert sorted(order) == list(range(40))
        ranks = np.corrcoef(order, np.arange(40))[0, 1]
        assert abs(ranks) < 0.6
        assert order[:20] != sorted(order[:20])


def test_cases_of_a_group_are_in_random_order_too():
    frame = people(8, 20).with_columns(x=pl.int_range(160).cast(pl.Float64) ** 1.5)
    for _, item in proposed(frame, group="person").frame.group_by("person"):
        assert not item["x"].is_sorted()
        assert not item["x"].is_sorted(descending=True)


@pytest.mark.parametrize(
    ("lengths", "pool"),
    [
        ([2] * 60, 60),  # half of the cases end with a group
        ([3] * 41, 63),  # 61 of 123 end within one, which is taken whole
        ([50, *[2] * 50], 76),
        ([2] * 5000, 4096),  # the largest pool
        ([3] * 4000, 4098),
    ],
)
def test_the_test_pool_is_half_of_the_cases_in_whole_groups(lengths, pool):
    assert design(sum(lengths), np.array(lengths)).pool == pool
    assert sum(lengths) // 2 <= pool or pool >= 4096


def test_only_independent_cases_have_test_cases_of_their_own():
    """From 100 test cases an instance on; groups and times would put one group or hour into tests and training."""
    made = {
        "many": design(1600),
        "few": design(1598),
        "groups": design(1600, np.full(400, 4)),
        "time": design(1600, in_time=True),
    }
    assert {name: (item.selection, item.order) for name, item in made.items()} == {
        "many": ("hierarchical", "random"),
        "few": ("common", "random"),
        "groups": ("common", "retain"),
        "time": ("common", "retain"),
    }


def told(x, y) -> str:
    frame = pl.DataFrame({"x": x, "y": y})
    result = proposed(frame)
    return " ".join(result.hints)


@pytest.mark.parametrize(
    ("noise", "leaks"), [(0.0, True), (1e-7, True), (2e-4, False), (1e-3, False), (0.1, False)]
)
def test_an_input_is_the_target_in_other_units_only_when_nothing_but_rounding_is_between(
    noise, leaks
):
    """A correlation of 1 - 1e-9 and more; at a relative noise of 2e-4 it is 1 - 2e-8."""
    rng = generator(3, "leak")
    y = rng.normal(size=300)
    x = 12.0 - 3.0 * y + 3.0 * noise * rng.normal(size=300)
    assert 1.0 - abs(np.corrcoef(x, y)[0, 1]) < 0.1
    assert ("x says the target" in told(x, y)) == leaks


def test_an_input_leaks_a_class_only_when_each_of_its_words_goes_with_one():
    words = ["a", "b", "c"] * 30
    for code, leaks in (
        (["u", "v", "w"] * 30, True),
        (["u", "v", "w"] * 29 + ["u", "v", "v"], False),
        (["u", "v", "v"] * 30, False),
    ):
        output = told(code, words)
        assert ("x says the target" in output) == leaks


@pytest.mark.parametrize(("count", "rare"), [(7, True), (8, False), (9, False)])
def test_a_class_is_rare_below_eight_cases(count, rare):
    rng = generator(4, "rare")
    words = ["common"] * 80 + ["seldom"] * count
    frame = pl.DataFrame({"x": rng.normal(size=len(words)), "y": words})
    made = proposed(frame)
    (target,) = [attribute for attribute in made.attributes if attribute.name == "y"]
    inputs = [attribute for attribute in made.attributes if attribute.name == "x"]
    text = " ".join(hints(made.frame, inputs, target))
    assert ("'seldom'" in text) == rare
    assert not rare or f"'seldom' ({count})" in text


def test_a_frame_that_has_changed_gives_its_new_values_though_name_and_shape_are_the_same(home):
    """Whatever was remembered of the old frame: targets, inputs, words, or the order of the cases."""
    rng = generator(5, "changed frame")
    first = pl.DataFrame({"x": rng.normal(size=80), "y": rng.normal(size=80)})
    seen = []
    for frame in (
        first,
        first.with_columns(pl.col("y") * 2),
        first.with_columns(pl.col("x") + 1),
        first.reverse(),
    ):
        keep(propose(Table("changing", frame), TableRequest("y", "changing")), kept(), replace=True)
        task = tasks.get(tasks.available("changing")[0])
        instance = tasks.get(task.name).instance(0)
        seen.append((instance.digest, *instance.train_inputs[:, 0], *instance.train_targets))
        for column in "xy":
            values = datasets.load("changing").cases[column]
            assert values.to_list() == frame[column].to_list()
    assert len(set(seen)) == len({digest for digest, *_ in seen}) == 4


def test_what_never_changes_does_not_give_the_target_away():
    frame = pl.DataFrame({"x": [2.0] * 30, "y": [2.0] * 30})
    x, y = (Attribute(k, name, "real", Interval(0.0, 9.0)) for k, name in enumerate("xy", 1))
    assert not [hint for hint in hints(frame, [x], y) if "says the target" in hint]


def test_a_column_with_few_values_may_be_a_group_and_the_time_is_none():
    columns = {
        "person": pl.Series([f"p{k}" for k in range(20) for _ in range(5)]),
        "x": pl.Series(np.arange(100.0) ** 1.5),
        "when": pl.Series([f"2024-01-{k % 28 + 1:02d}" for k in range(100)]),
    }
    output = of_roles(columns, group="", time="when")
    assert [item.partition(" ")[0] for item in output] == ["person"]
    assert of_roles(columns, group="person", time="when") == []
    assert [line.partition(" ")[0] for line in of_roles(columns, group="", time="")] == [
        "when",
        "person",
    ]


def test_the_rows_of_a_proposal_name_the_part_of_every_attribute():
    parts = {row["attribute"]: row["part"] for row in proposed(people(), group="person").rows()}
    assert parts["x"] == "input"
    assert parts["y"] == "target"


def test_the_target_and_no_other_column_may_not_be_an_input():
    faults = declaring._column_faults({"x": "real", "y": "real"}, "y", ["x", "y"], [])
    assert [(fault.where, fault.found) for fault in faults] == [("inputs", "'y'")]


KINDS = "one of real, class"


@pytest.mark.parametrize(
    ("wanted", "faults"),
    [
        ({}, []),
        ({"target": ""}, [("--target", "nothing", "the column to predict: price, size, colour")]),
        ({"target": "pric"}, [("--target", "'pric'", "a column: price")]),
        (
            {"drop": ("sizes", "clr")},
            [("--drop", "'sizes'", "a column: size, price"), ("--drop", "'clr'", "a column: colour")],
        ),
        ({"group": "zzz"}, [("--group", "'zzz'", "a column: price, size, colour")]),
        ({"time": "olour"}, [("--time", "'olour'", "a column: colour")]),
        ({"wishes": Wishes(natures={"siz": "real"})}, [("--nature", "'siz'", "a column: size")]),
        ({"wishes": Wishes(orders={"siz": ("a",)})}, [("--ordinal", "'siz'", "a column: size")]),
        ({"drop": ("price",)}, [("--target", "'price'", "a column that has no other part")]),
        ({"group": "price"}, [("--target", "'price'", "a column that has no other part")]),
        ({"time": "price"}, [("--target", "'price'", "a column that has no other part")]),
        (
            {"group": "size", "time": "colour"},
            [("--group and --time", "both", "one of them: cases are dealt out by groups or by time")],
        ),
        ({"kind": "class"}, []),
        ({"kind": "number"}, [("--kind", "'number'", KINDS)]),
    ],
)  # fmt: skip
def test_names_that_cannot_be_meant_are_told_with_the_columns_they_are_near(wanted, faults):
    frame = pl.DataFrame({name: [1.0] for name in ("price", "size", "colour")})
    found = proposal._name_faults(Table("t", frame), TableRequest(**{"target": "price"} | wanted))
    assert [(fault.where, fault.found, fault.rule) for fault in found] == faults


def test_names_of_columns_become_different_names_of_attributes():
    names = ["a b", "a*b", "a  b", "a_b_2", " a\tb ", "", "*", "x\x00", "x"]
    titles = ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "a_b_4", "x", "_", "x_2", "x_3"]
    assert list(proposal._titles(names).values()) == titles
