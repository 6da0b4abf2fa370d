"""Which inputs are looked at for leaks, and rows that are the same: as column by column, in any table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeRegressor

from benchbook.comparison import alarms, data
from benchbook.comparison.screening import promising, share_between_neighbours
from benchbook.comparison.splits import lay_out

RNG = np.random.default_rng(5)


def table(name, inputs):
    columns = [f"c{number}" for number in range(inputs.shape[1])]
    made = {
        "array": lambda: inputs,
        "pandas": lambda: pd.DataFrame(inputs, columns=columns),
        "polars": lambda: pl.DataFrame(inputs, schema=columns),
        "sparse": lambda: scipy.sparse.csr_array(np.nan_to_num(inputs)),
        "mixed": lambda: pd.DataFrame(inputs, columns=columns).assign(
            word="a", whole=np.arange(len(inputs)) % 7
        ),
    }
    return made[name]()


LEAKS = {
    "itself": lambda y: y,
    "falling": lambda y: np.exp(-y),
    "there and back": lambda y: np.where(np.arange(len(y)) % 2, y, -y) ** 3,
    "rounded": lambda y: np.round(y, 1),
    "missing where large": lambda y: np.where(y > 0, y, np.nan),
    "one of a few values": lambda y: np.digitize(y, np.quantile(y, np.linspace(0.02, 0.98, 30))),
}


@pytest.mark.parametrize("kind", ["number", "class"])
@pytest.mark.parametrize("frame", ["array", "pandas", "polars", "mixed", "sparse"])
def test_a_leak_among_very_many_columns_is_found(kind, frame):
    y = RNG.normal(size=200)
    if kind == "class":
        y = (y > 0.3).astype(int)
    inputs = RNG.normal(size=(200, 400))
    inputs[:, 123] = y
    if frame == "sparse":
        inputs *= RNG.random(inputs.shape) < 0.1
        inputs[:, 123] = y
    made = data.ask(table(frame, inputs), y, kind=kind)
    seen = alarms.of_data(made, lay_out(made, 5, "quick"))
    found = [alarm for alarm in seen if alarm.code == "BB03"]
    assert [alarm.columns for alarm in found] == [(made.columns[123],)]
    chosen = list(promising(made, np.arange(200), made.y))
    assert (len(chosen), chosen[0]) == (60, made.columns[123])


@pytest.mark.parametrize("leak", LEAKS)
def test_a_column_of_which_a_tree_leaves_little_is_close(leak):
    for rows in (60, 200, 2000):
        y = RNG.normal(size=rows)
        column = LEAKS[leak](y)[:, None].astype(float)
        filled = np.nan_to_num(column, nan=-9.0)
        predicted = cross_val_predict(DecisionTreeRegressor(max_leaf_nodes=64), filled, y, cv=3)
        left = ((predicted - y) ** 2).mean() / y.var()
        share = share_between_neighbours(column, y, classes=False)[0]
        assert share < 0.5 or left > 0.1
    noise = RNG.normal(size=(2000, 50))
    assert (share_between_neighbours(noise, RNG.normal(size=2000), False) > 0.8).all()
    assert (share_between_neighbours(noise, RNG.integers(3, size=2000), True) > 0.8).all()


@pytest.mark.parametrize("frame", ["array", "pandas", "polars", "mixed", "sparse"])
def test_numbers_of_a_block_are_those_of_its_columns(frame):
    inputs = RNG.normal(size=(30, 5)).round(1)
    inputs[3, 2] = np.nan
    made = data.ask(table(frame, inputs), RNG.normal(size=30))
    rows, places = np.array([3, 20, 4]), np.array([2, 0, 4])
    names = [made.columns[place] for place in places]
    one_by_one = [data.as_numbers(data.input_values(made, name), rows) for name in names]
    np.testing.assert_array_equal(data.numbers_of(made, rows, places), np.column_stack(one_by_one))
    assert set(promising(made, np.arange(30), made.y)) == set(made.columns)


@pytest.mark.parametrize("frame", ["array", "pandas", "polars", "mixed"])
def test_rows_have_one_number_when_they_are_the_same(frame, monkeypatch):
    monkeypatch.setattr(data, "_MOST_VALUES", 100)
    inputs = RNG.integers(0, 3, size=(500, 4)).astype(float)
    inputs[inputs == 2] = np.nan
    inputs[::3] *= -1.0
    y = RNG.integers(0, 3, size=500).astype(float)
    made = data.ask(table(frame, inputs), y, kind="number")
    hashes = data.row_hashes(made)
    rows = {}
    columns = [data.as_numbers(data.input_values(made, name)) for name in made.columns]
    for row, number in zip(np.column_stack([*columns, y]) + 0.0, hashes.tolist(), strict=True):
        rows.setdefault(tuple(np.nan_to_num(row, nan=9.5)), set()).add(number)
    assert all(len(each) == 1 for each in rows.values())
    assert len(np.unique(hashes)) == len(rows) > 100
