"""Frames of pandas become frames of polars without pyarrow: every type that people have, or a fault in words."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from benchbook import tasks
from benchbook.datasets.user.pandas_frames import from_pandas, is_pandas
from benchbook.errors import FaultyInput


def column(values, **options):
    return from_pandas(pd.DataFrame({"x": pd.Series(values, **options)})).frame["x"]


@pytest.mark.parametrize(
    ("values", "dtype", "wanted"),
    [
        (["a", None, "b"], "str", ["a", None, "b"]),
        (["a", None, "b"], "object", ["a", None, "b"]),
        ([1, 2, 3], "int8", [1, 2, 3]),
        ([1, None, 3], "Int64", [1.0, None, 3.0]),
        ([1.5, np.nan], "float32", [1.5, None]),
        ([1.5, np.nan], "Float64", [1.5, None]),
        ([True, False], "bool", [True, False]),
        ([True, None], "boolean", [True, None]),
        ([True, None], "object", [True, None]),
        (["lo", "hi", None], "category", ["lo", "hi", None]),
        ([decimal.Decimal("1.5"), None], "object", ["1.5", None]),
        ([dt.date(2024, 1, 2)], "object", ["2024-01-02"]),
    ],
)
def test_values_stay_and_what_is_missing_is_null(values, dtype, wanted):
    assert column(values, dtype=dtype).to_list() == wanted


def test_moments_are_in_utc():
    moment = dt.datetime(2024, 3, 1, 9)
    aware = pd.Series(pd.to_datetime(["2024-03-01T10:00:00+01:00"]).tz_convert("Europe/Zurich"))
    assert column(aware).to_list() == [moment]
    assert column([pd.Timestamp(moment), pd.NaT]).to_list() == [moment, None]
    assert column(pd.Series(pd.period_range("2024-03", periods=1, freq="M"))).to_list() == [
        dt.datetime(2024, 3, 1)
    ]


def test_ordered_categories_keep_their_order():
    kept = pd.Categorical(["mid", "lo"], categories=["lo", "mid", "hi"], ordered=True)
    made = from_pandas(pd.DataFrame({"c": kept, "d": kept.as_unordered()}))
    assert made.orders == {"c": ("lo", "mid", "hi")}
    assert made.frame["c"].to_list() == ["mid", "lo"]


def test_names_become_texts():
    frame = pd.DataFrame(np.zeros((2, 3)), columns=[0, "y", ("a", 1)])
    assert from_pandas(frame).frame.columns == ["0", "y", "a_1"]


def test_all_faults_of_a_frame_are_told_at_once():
    frame = pd.DataFrame([[1j, [1], b"x", 1, 2]], columns=["c", "l", "b", "1", 1])
    with pytest.raises(FaultyInput) as caught:
        from_pandas(frame)
    assert [fault.where for fault in caught.value.faults] == [
        "column '1'",
        "column 'c'",
        "column 'l', case 1",
        "column 'b', case 1",
    ]


def test_an_index_that_holds_something_is_remarked():
    frame = pd.DataFrame({"x": [1.0]}, index=pd.to_datetime(["2024-01-01"]))
    assert "holds dates: reset_index()" in from_pandas(frame).notes[0]
    assert from_pandas(frame.rename_axis("when")).notes[0].startswith("the index when of the frame")
    assert from_pandas(pd.DataFrame({"x": [1.0]}, index=[7])).notes == ()


def test_other_things_are_no_frames_of_pandas():
    assert is_pandas(pd.DataFrame())
    assert not is_pandas(pd.Series([1]))
    assert not is_pandas(pl.DataFrame())


def test_a_frame_with_numbers_as_names_and_an_ordered_category_has_tasks():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 2)))
    frame[2] = pd.Categorical(["b", "a"] * 30, categories=["b", "a"], ordered=True)
    (first, *_) = tasks.from_frame(frame, target=1, name="numbered", drop=[])
    assert first.prototask.inputs == ("0", "2")
    card = tasks.get(first.name).describe()
    assert "ordinal" in str(card)


def test_what_a_mask_hides_is_missing():
    rng = np.random.default_rng(3)
    inputs = np.ma.masked_less(rng.normal(size=(80, 2)), -1.0)
    targets = np.ma.masked_array(np.arange(80) % 3, np.arange(80) < 10)
    task = tasks.from_arrays(inputs, targets, "hidden", classes=["a", "b", "c"])[0]
    values = task.cases.columns["x1"]
    assert len(values) == 70
    assert np.isnan(values).sum() == np.ma.getmaskarray(inputs)[10:, 0].sum()
    numbers = np.ma.masked_greater(rng.normal(size=80), 1.0)
    task = tasks.from_arrays(inputs.filled(0.0), numbers, "hiddeny")[0]
    assert task.cases.columns["y"].max() <= 1.0
