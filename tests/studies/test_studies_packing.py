"""The compact form of case losses: what it changes, what it does not, and what it costs."""

import io

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook import assess
from benchbook.archive import quantization as packing
from benchbook.archive.compact_files import pack_runs
from benchbook.archive.quantization import (
    pack_run,
    planes_to_whole,
    rounding,
    unpack_run,
    whole_to_planes,
)
from benchbook.archive.store import RUNS_SCHEMA

SQUARED = frozenset({"S"})
numbers = st.floats(-1e12, 1e12, allow_nan=False).filter(
    lambda value: value == 0 or abs(value) > 1e-12
)


def test_the_step_is_the_power_of_two_below_a_share_of_the_upper_quartile(rng):
    """A 32nd of the losses' upper quartile, from their median where they may be negative; half of it for a root."""
    values = np.append(rng.gamma(2.0, size=399), 0.0)
    squares, sizes, densities = values**2, values, rng.normal(size=400)
    packed = {
        item.code: item for item in pack_run({"S": squares, "A": sizes, "L": densities}, SQUARED)
    }
    away = np.abs(densities - np.median(densities))
    for code, most in (
        ("S", np.quantile(values, 0.75) / 64),
        ("A", np.quantile(sizes, 0.75) / 32),
        ("L", np.quantile(away, 0.75) / 32),
    ):
        step = packed[code].step
        assert np.log2(step) == np.rint(np.log2(step))
        assert most / 2 < step <= most, code
        kept = np.array([0.0, 9.0])
        allowed = step * np.sqrt(kept) + step**2 / 4 if code == "S" else [step / 2] * 2
        assert rounding(packed[code], kept) == pytest.approx(allowed)


def test_losses_that_are_mostly_alike_are_counted_in_a_share_of_their_mean():
    values = np.array([0.0] * 9 + [640.0])
    (packed,) = pack_run({"A": values}, SQUARED)
    assert packed.step == 2.0
    assert unpack_run([packed])["A"].tolist() == values.tolist()


@given(st.lists(st.integers(-(2**31), 2**31), max_size=40))
def test_whole_numbers_come_back_from_their_bytes(whole):
    values = np.array(whole, dtype=np.int64)
    assert np.array_equal(planes_to_whole(*whole_to_planes(values)), values)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=60))
def test_no_loss_is_further_off_than_is_said(pairs):
    error, other = np.array(pairs).T
    losses = {"A": np.abs(error), "S": error**2, "L": other}
    packed = pack_run(losses, SQUARED)
    back = unpack_run(packed)
    assert set(back) == set(losses)
    for item in packed:
        exact = losses[item.code]
        slack = 1e-9 * np.abs(exact) + 1e-12 * np.abs(exact).max()
        assert np.all(np.abs(back[item.code] - exact) <= rounding(item, back[item.code]) + slack)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, np.inf, 1.0],
        [-np.inf, 0.0, 1.0],
        [1e300, 1e-300, 0.0],
        [5e-324, 5e-324, 0.0],
        [1e-3, 1e9, 2e-3, 3e-3, 1e-3],
    ],
)
def test_what_has_no_step_is_kept_exactly(values):
    back = unpack_run(pack_run({"L": np.array(values)}, SQUARED))["L"]
    assert np.array_equal(back, values)


@pytest.mark.parametrize(
    "values", [[], [3.25], [0.0, 0.0, 0.0], [7.1, 7.1], [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]]
)
def test_constant_and_zero_one_losses_lose_nothing(values):
    for code in ("Z", "S"):
        packed = pack_run({code: np.array(values)}, SQUARED)
        back = unpack_run(packed)[code]
        assert np.all(np.abs(back - values) <= rounding(packed[0], back))
    assert np.array_equal(unpack_run(pack_run({"Z": np.array(values)}, SQUARED))["Z"], values)


def test_equal_losses_stay_equal_and_a_second_packing_changes_nothing(rng):
    squared = rng.standard_normal(300) ** 2
    first, two = (pack_run({"S": squared, "A": np.sqrt(squared)}, SQUARED) for _ in range(2))
    assert first == two
    back = unpack_run(first)
    again = unpack_run(pack_run(back, SQUARED))
    assert np.allclose(again["S"], back["S"], rtol=1e-12, atol=0)


def test_the_absolute_error_costs_nothing_beside_the_squared_one(rng):
    error = rng.standard_normal(500)
    absolute = next(
        item for item in pack_run({"A": np.abs(error), "S": error**2}, SQUARED) if item.code == "A"
    )
    assert absolute.of == "root of S"
    assert np.abs(planes_to_whole(absolute.low, absolute.high)).max() <= 1


def test_a_value_costs_about_one_byte(made):
    results = [made(instance=number, cases=512) for number in range(36)]
    rows = [
        result.record
        | {
            "cases": result.case_ids.tolist(),
            "codes": list(result.losses),
            "losses": [values.tolist() for values in result.losses.values()],
        }
        for result in results
    ]
    frame, _ = pack_runs(pl.DataFrame(rows, schema=RUNS_SCHEMA))
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=19, statistics=False)
    assert len(buffer.getvalue()) / (36 * 512 * 3) < 1.0


def _compared(one, two, transform):
    x, y = (np.stack([transform(run)["S"] for run in runs]) for runs in (one, two))
    return assess.compare(x, y, "hierarchical")


def _through(losses):
    return unpack_run(pack_run(losses, SQUARED))


def test_an_assessment_does_not_see_the_rounding(made):
    first, two = (
        [made(method, instance=number, cases=512).losses for number in range(8)]
        for method in ("a", "b")
    )
    exact, packed = _compared(first, two, dict), _compared(first, two, _through)
    assert packed.mean_x == pytest.approx(exact.mean_x, rel=6e-4)
    assert abs(packed.difference - exact.difference) < 0.03 * exact.standard_error
    assert packed.p == pytest.approx(exact.p, abs=0.01)


def test_a_rounding_that_is_too_coarse_would_be_seen(made, monkeypatch):
    monkeypatch.setattr(packing, "FRACTION", 1)
    losses = [made(instance=number, cases=512).losses for number in range(8)]
    exact, packed = (
        np.mean([transform(run)["S"] for run in losses]) for transform in (dict, _through)
    )
    assert packed != pytest.approx(exact, rel=6e-4)
