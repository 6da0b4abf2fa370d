"""Means over tasks: their test holds its size, and tiers say what is told apart."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess
from benchbook.errors import FaultyInput
from benchbook.seeds import generator


def frame(losses, task, loss="S"):
    """Losses [M, I, J] of methods a, b, ... as an archive's rows, with test cases of their own for each instance."""
    rows = [
        {
            "task": task,
            "loss": loss,
            "method": "abcdef"[m],
            "instance": i,
            "case": i * len(row) + j,
            "value": float(value),
            "digest": f"{task}{i}",
        }
        for m, method in enumerate(losses)
        for i, row in enumerate(method)
        for j, value in enumerate(row)
    ]
    return pl.DataFrame(rows, schema_overrides={"value": pl.Float64})


def assessed(arrays):
    whole = pl.concat([frame(array, f"set-{t}/p/std.64") for t, array in enumerate(arrays)])
    return assess.assessment(whole, "hierarchical", lambda task, loss: 1.0 + int(task[4]))


def test_the_test_of_a_mean_over_tasks_holds_its_size():
    """24 tasks with 4 to 8 training sets whose spreads differ tenfold: 20,000 draws of two equal methods."""
    rng, draws, counts = generator(1, "size over tasks"), 20_000, np.array([4, 8, 8] * 8)
    sd = np.exp(np.linspace(0.0, np.log(10.0), 24))
    differences, errors = np.empty((draws, 24)), np.empty((draws, 24))
    for t, (count, scale) in enumerate(zip(counts, sd, strict=True)):
        values = scale * rng.normal(size=(draws, count))
        differences[:, t], errors[:, t] = values.mean(axis=1), assess.standard_error(values)
    *_, p = assess.mean_over_tasks(differences, errors, counts - 1)
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / draws))
    *_, wrong = assess.mean_over_tasks(
        differences, errors / np.sqrt(2), counts - 1
    )  # a planted fault is seen
    assert np.mean(wrong <= 0.05) > 0.1


def test_methods_without_a_place_stand_last_and_change_no_other_place():
    rng = generator(5, "without a place")
    arrays = [
        np.array([0.0, 0.5, 1.0, 1.5])[:, None, None] + 0.01 * rng.normal(size=(4, 6, 20))
        for _ in range(3)
    ]
    expected, pairs = assessed(arrays)
    names = assess.tiers(expected, pairs)["method"].to_list()
    result = assess.tiers(expected, pairs, without_place=names[:1])
    assert result["method"].to_list() == [*names[1:], names[0]]
    assert result["tier"].to_list() == [1, 2, 3, None]
    left = pl.col("method") != names[0]
    alone = assess.tiers(expected.filter(left), pairs.filter(left, pl.col("other") != names[0]))
    assert result.head(3)["ties"].to_list() == alone["ties"].to_list()
    assert result["mean"][-1] == assess.tiers(expected, pairs)["mean"][0]


def test_one_task_is_the_paired_t_test_and_equal_tasks_pool_their_degrees_of_freedom():
    values = generator(2, "one task").normal(0.4, 1.0, 7)
    error = assess.standard_error(values)
    mean, combined, df, p = assess.mean_over_tasks([values.mean()], [error], [6])
    assert np.array([mean, combined, df]) == pytest.approx(np.array([values.mean(), error, 6.0]))
    assert p == pytest.approx(assess.paired_t(values)[1])
    assert np.array(assess.mean_over_tasks([1.0, 3.0], [0.5, 0.5], [6, 6])[1:3]) == pytest.approx(
        np.array([0.5 / np.sqrt(2), 12.0])
    )
    assert np.isnan(assess.mean_over_tasks([1.0, 1.0], [0.0, 0.0], [3, 3])[3])


def test_tiers_begin_where_the_best_of_a_tier_is_told_apart():
    rng = generator(3, "tiers")
    noise = rng.normal(size=(3, 1, 6, 40))
    shifts = np.array([0.0, 0.001, 0.3, 0.301])[:, None, None]
    arrays = 2.0 + 0.1 * noise + shifts + 0.01 * rng.normal(size=(3, 4, 6, 40))
    result = assess.tiers(*assessed(arrays))
    assert dict(result.select("method", "tier").iter_rows()) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert result["tasks"].to_list() == [3] * 4
    scaled = np.mean([arrays[t] / (1.0 + t) for t in range(3)], axis=0).mean(axis=(1, 2))
    assert dict(result.select("method", "mean").iter_rows()) == pytest.approx(
        dict(zip("abcd", scaled, strict=True))
    )
    by_hand = np.mean([(arrays[t, 2] - arrays[t, 0]).mean() / (1.0 + t) for t in range(3)])
    best = result["against"][0]
    assert result.filter(method="c")["difference"][0] == pytest.approx(
        by_hand + scaled[0] - scaled["ab".index(best)]
    )
    first, other = (set(result.filter(method=name)["ties"][0]) for name in "ac")
    assert not first & other


def test_a_method_that_lacks_a_task_is_refused_by_name():
    arrays = generator(4, "gaps").uniform(size=(2, 3, 4, 5))
    expected, pairs = assessed(arrays)
    gap = (pl.col("method") == "b") & (pl.col("task") == "set-1/p/std.64")
    with pytest.raises(FaultyInput, match=r"method b.*set-1/p/std\.64"):
        assess.tiers(expected.filter(~gap), pairs)
