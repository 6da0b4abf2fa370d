"""The page of today's methods from invented runs: who is in, the seconds, the order of sizes, and the boards."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from benchbook.errors import BenchbookError
from benchbook.show import today
from benchbook.show.numbers import with_error

TASKS = ("toy/t/std.64", "toy/t/std.128")


def runs(*names, instances=3):
    """Losses and records of methods, each worse than the one before; runs take 1, 2 and 9 seconds."""
    rng = np.random.default_rng(1)
    losses, records = [], []
    for level, name in enumerate(names):
        for task in TASKS:
            for instance in range(instances):
                records.append((name, task, instance, "ok", [1.0, 2.0, 9.0][instance]))
                losses += [
                    (
                        name,
                        task,
                        instance,
                        20 * instance + case,
                        "S",
                        1.0 + level + rng.normal(),
                        f"{task}{instance}",
                    )
                    for case in range(20)
                ]
    return (
        pl.DataFrame(
            losses,
            schema=["method", "task", "instance", "case", "loss", "value", "digest"],
            orient="row",
        ),
        pl.DataFrame(
            records, schema=["method", "task", "instance", "status", "seconds"], orient="row"
        ),
    )


@pytest.fixture
def store(monkeypatch):
    """What the archives hold, to be set by a test."""
    held = SimpleNamespace(frames=runs("a", "b"))

    def kept():
        return SimpleNamespace(
            losses=lambda **asked: held.frames[0], records=lambda **asked: held.frames[1]
        )

    tasks = SimpleNamespace(
        get=lambda name: SimpleNamespace(instances=3), standard=lambda task, code: 2.0
    )
    monkeypatch.setattr(today, "kept_runs", kept)
    monkeypatch.setattr(today, "tasks", tasks)
    monkeypatch.setattr(today.active_bounds, "unconverged", lambda records: ())
    return held


ASKED = today.Today(None, ("a", "b", "c"), (), {64: TASKS[:1], 128: TASKS[1:]}, "S")


def test_methods_with_every_run_are_compared_at_each_size_and_others_counted(store):
    losses, records = runs("a", "b", "c")
    lost = pl.col("method").eq("c") & pl.col("instance").eq(2)
    failed = records.with_columns(status=pl.when(lost).then(pl.lit("failed")).otherwise("status"))
    store.frames = losses.filter(~lost), failed
    found, left_out = today.tiers_found(ASKED)
    assert left_out == {"c": 2}
    assert found.select("method", "training_cases", "seconds").rows() == [
        ("a", 64, 2.0),
        ("b", 64, 2.0),
        ("a", 128, 2.0),
        ("b", 128, 2.0),
    ]
    assert today.missing_runs(left_out) == [
        "left out, since runs of it are missing or failed: c (2 failed)"
    ]


def test_a_method_that_states_no_distribution_is_not_said_to_have_failed(store):
    losses, records = runs("a", "b", "c")
    store.frames = losses.filter(pl.col("method") != "c"), records
    _, left_out = today.tiers_found(ASKED)
    assert left_out == {"c": None}
    assert today.missing_runs(left_out) == [
        "left out, since it states no distribution and so has no such loss: c"
    ]
    store.frames = (
        losses.filter(pl.col("method") != "c"),
        records.filter(pl.col("method").ne("c") | pl.col("instance").ne(2)),
    )
    assert today.tiers_found(ASKED)[1] == {"c": 0}


def test_one_method_alone_is_no_comparison(store):
    store.frames = runs("a")
    with pytest.raises(BenchbookError, match="fewer than two methods have loss S"):
        today.tiers_found(ASKED)


def test_the_boards_have_means_with_their_errors_by_size(store, monkeypatch):
    found, _ = today.tiers_found(ASKED)
    monkeypatch.setattr(
        today, "provenance", lambda values, seed, command: today.Html(command, f"{seed} {command}")
    )
    pieces = today._contents(ASKED, found, {"c": 2})
    boards = [
        piece
        for piece in pieces
        if "training cases" in getattr(piece, "text", "")
        and "not different from ranks" in piece.text
    ]
    assert [board.text.splitlines()[0] for board in boards] == [
        "64 training cases",
        "128 training cases",
    ]
    for size, board in zip((64, 128), boards, strict=True):
        for row in found.filter(training_cases=size).iter_rows(named=True):
            assert with_error(row["mean"], row["standard_error"]) in board.text
    assert pieces[-1].text == "1 benchbook today --size 64 --size 128 --loss S"
    plan = SimpleNamespace(seed=5, methods=("a", "mine.py:b"))
    typed = today._contents(replace(ASKED, plan=plan), found, {})[-1].text
    assert typed == (
        "5 benchbook today --method a --method mine.py:b --size 64 --size 128 --loss S"
    )
    assert "over 1 data sets" in pieces[0].text
    assert "<h2>What it costs, with 128 training cases</h2>" in pieces


def test_sizes_stand_in_their_order_and_ones_own_methods_first():
    asked = today.ask(sizes=[1024, 64])
    assert list(asked.tasks) == [64, 1024]
    assert asked.plan is None
    mine = today.ask(["lin-1"], [64], seed=5)
    assert mine.names[0] == "lin-1"
    assert mine.names.count("lin-1") == 1
    assert (mine.plan.seed, list(mine.plan.tasks), mine.mine) == (5, mine.all_tasks, ("lin-1",))
    assert today._title(mine) == "lin-1 among today's methods"
    assert today._title(asked) == "Today's methods in tiers"


@pytest.mark.parametrize("code", ["Z", "Q", "NLP", "LIFT", "IS90", "CRPS", "nMSE"])
def test_a_loss_without_a_standard_scale_of_numbers_is_refused(code):
    with pytest.raises(BenchbookError, match=f"loss {code} has no standard scale"):
        today.ask(code=code)
