"""Small multiples of a task array: every mean and floor is in it, panels stand in order, methods stay apart."""

import polars as pl
import pytest

from benchbook import assess

EIGHT = [f"kin-{inputs}{linear}{noise}" for inputs in (8, 32) for linear in "fn" for noise in "mh"]


def expected_of(toy, names=EIGHT, methods=3, sizes=(64, 128, 1024)):
    frame = pl.concat(
        [
            toy.losses(methods, sizes=sizes, family=f"{name}-sim/dist/std", seed=k)
            for k, name in enumerate(reversed(names))
        ]
    )
    return assess.expected_losses(frame, standard=lambda task, code: 2.0)


@pytest.fixture
def task_array(chapter):
    return chapter("delve/task_array_chart").task_array


def test_drawn(toy, task_array):
    task_array(expected_of(toy), floors={"kin-8nm-sim": 0.043})
    task_array(expected_of(toy, EIGHT[:3]), floors=dict.fromkeys(EIGHT, 0.1))
    expected = expected_of(toy, EIGHT[:1], methods=12)
    more = [expected.filter(method="lin-1").with_columns(method=pl.lit(name)) for name in "abcd"]
    task_array(pl.concat([expected, *more]), highlight=["a", "lin-1"])
    lin = pl.when(pl.col("method") == "lin-1")
    far = lin.then(7.5).otherwise("standardised_mean").alias("standardised_mean")
    task_array(expected_of(toy, EIGHT[:2]).with_columns(far))
    names = ("mean", "standardised_mean")
    none = [lin.then(None).otherwise(name).alias(name) for name in names]
    task_array(expected_of(toy, EIGHT[:1]).with_columns(none))
