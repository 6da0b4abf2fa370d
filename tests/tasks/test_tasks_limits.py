"""Where rules of tasks begin and end: sizes by what is declared, times, patterns and designs."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook.tasks import folds_task, registry
from benchbook.tasks.user import declaring
from benchbook.tasks.user.design import design
from benchbook.tasks.user.hints import _tells


@pytest.mark.parametrize("kind", ["folds", "splits"])
def test_folds_and_splits_have_one_size_and_one_instance(kind):
    made = registry._sizes({kind: "grouped"})
    assert made[kind] == "grouped"
    assert made["test_set_selection"] == kind
    assert made["training_set_sizes"] == (1,)
    assert made["test_set_size"] == made["maximum_instances"] == 1


@pytest.mark.parametrize(("validation", "sizes"), [(3, (10, 13)), (None, (10, 10))])
def test_the_last_task_of_a_challenge_trains_on_both_parts(validation, sizes):
    phases = {"training": 10, "validation": validation, "test": 4}
    made = registry._sizes(
        {"phases": {name: count for name, count in phases.items() if count is not None}}
    )
    assert (made["training_set_sizes"], made["test_set_size"]) == (sizes, 4)
    assert (made["test_set_selection"], made["maximum_instances"]) == ("common", 1)


@pytest.mark.parametrize(
    ("values", "ordered"),
    [
        ([1, 2, 2, 5], True),
        ([5, 2, 2, 1], True),
        ([3, 3, 3], True),
        ([2, 3, 1], False),
        ([3, 2, 3], False),
        ([1, 2, None], False),
        (["1", "2", "3"], False),
    ],
)
def test_a_group_in_order_is_a_time(monkeypatch, values, ordered):
    data = SimpleNamespace(cases=pl.DataFrame({"day": values}))
    monkeypatch.setattr(folds_task.datasets, "load", lambda name: data)
    places = np.arange(len(values))
    made = SimpleNamespace(group=("day",), dataset="d")
    assert (folds_task._times(made, places) is not None) == ordered
    made.group = ("day", "day")
    assert folds_task._times(made, places) is None


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["a1"], {"a1"}),
        (["a*"], {"a1", "a12", "a."}),
        (["a?"], {"a1", "a."}),
        (["a."], {"a."}),
        (["b[1]", "a1"], {"b[1]", "a1"}),
        (["c"], set()),
    ],
)
def test_names_and_patterns_of_attributes(patterns, chosen):
    known = dict.fromkeys(["a1", "a12", "a.", "b[1]"], "")
    assert declaring._chosen(known, patterns) == chosen


@pytest.mark.parametrize(
    ("cases", "pool", "sizes", "selection"),
    [
        (50, 25, (6,), "common"),
        (64, 32, (8,), "common"),
        (100, 50, (8,), "common"),
        (128, 64, (8, 16), "common"),
        (1599, 799, (32, 64, 128), "common"),
        (1600, 800, (32, 64, 128), "hierarchical"),
        (8192, 4096, (128, 256, 512, 1024), "hierarchical"),
        (100_000, 4096, (128, 256, 512, 1024), "hierarchical"),
    ],
)
def test_half_the_cases_test_and_four_sizes_train_at_least_four_times(
    cases, pool, sizes, selection
):
    made = design(cases)
    assert (made.pool, made.selection, made.instances, made.order) == (pool, selection, 8, "random")
    assert made.sizes[-len(sizes) :] == sizes
    assert not made.whole_groups
    assert made.table()["maximum-instances"] == 8


@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        ([1.0, 1.0, 2.0, 2.0], ["a", "a", "b", "b"], ""),
        (["u", "u", "v", "v"], [1.0, 1.0, 2.0, 2.0], ""),
        (["u", "u", "v", "v"], ["a", "a", "b", "b"], "each of its values goes with one class"),
        (["u", "u", "v", "w"], ["a", "a", "b", "b"], ""),
        (["u", "u", "v", "v"], ["a", "b", "b", "b"], ""),
        (["u", "u", "u"], ["a", "a", "a"], ""),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 4.0], "it is equal to it"),
        ([1.0, 2.0, 4.0], [5.0, 3.0, -1.0], "it is the target on another scale"),
        ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], ""),
        ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], ""),
    ],
)
def test_what_gives_a_target_away(x, y, said):
    frame = pl.DataFrame({"x": x, "y": y})
    one, target = (
        SimpleNamespace(name=name, numeric=frame[name].dtype.is_numeric()) for name in "xy"
    )
    assert _tells(frame, one, target) == said
