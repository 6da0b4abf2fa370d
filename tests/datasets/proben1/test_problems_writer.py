"""The .dt writer: exact round trips, the originals' number format, and refusals that leave nothing behind."""

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets import lookup
from benchbook.datasets.proben1 import dt_text, standard_counts, write_dt
from benchbook.datasets.readers.proben1 import read_dt, read_dt_file
from benchbook.errors import FaultyInput


def test_what_is_written_exactly_is_read_again_to_the_last_bit(rng, tmp_path):
    inputs, targets = (
        rng.normal(size=(9, 4)) * 10.0 ** rng.integers(-30, 30, (9, 4)),
        rng.random((9, 2)),
    )
    file = read_dt_file(write_dt(tmp_path / "exact1.dt", inputs, targets, (4, 3, 2), exact=True))
    np.testing.assert_array_equal(file.values()[0], inputs)
    np.testing.assert_array_equal(file.values()[1], targets)
    assert file.partition == (4, 3, 2)


def test_numbers_have_six_digits_as_in_the_originals():
    body = dt_text([[1 / 3, 1.0, -0.0, 1e-7]], [[2 / 3]], (1, 0, 0)).splitlines()[-1]
    assert body == "0.333333 1 0 1e-07 0.666667"


@pytest.mark.parametrize("inputs", [False, True])
@pytest.mark.parametrize("outputs", [False, True])
def test_the_header_declares_booleans(inputs, outputs):
    text = dt_text([[0, 1]], [[1]], (1, 0, 0), boolean_inputs=inputs, boolean_outputs=outputs)
    assert text.startswith(
        f"bool_in={2 * inputs}\nreal_in={2 - 2 * inputs}\nbool_out={int(outputs)}\n"
        f"real_out={1 - outputs}\ntraining_examples=1\n"
    )


@pytest.mark.parametrize("name", ["cancer1", "diabetes2", "glass3", "flare1", "heartc2"])
def test_a_published_file_is_written_again_byte_for_byte(real_data, name):
    real_data(f"proben1-{name}")
    data, _ = lookup.obtain(datasets.card(f"proben1-{name}").files[0])
    file = read_dt(data, name)
    inputs, targets = file.values()
    boolean = datasets.card(f"proben1-{name}").family != "flare"
    assert dt_text(inputs, targets, file.partition, boolean_outputs=boolean).encode() == data


@pytest.mark.parametrize(
    ("inputs", "targets", "counts", "booleans", "words"),
    [
        ([[0.5]], [[1]], (1, 0, 0), True, "example 1, input 1: found 0.5; a boolean is 0 or 1"),
        (
            [[np.nan]],
            [[1]],
            (1, 0, 0),
            False,
            "example 1, input 1: found nan; every value is a finite number",
        ),
        ([[1]], [[np.inf]], (1, 0, 0), False, "example 1, output 1: found inf"),
        ([[1], [2]], [[1]], (2, 0, 0), False, "examples: found 2 inputs and 1 outputs"),
        ([[1], [2]], [[1], [2]], (1, 0, 0), False, "counts: found 1 + 0 + 0"),
        ([[1], [2]], [[1], [2]], (3, -1, 0), False, "counts: found 3 + -1 + 0"),
        ([1, 2], [[1], [2]], (2, 0, 0), False, "inputs: found shape (2,)"),
        (np.empty((0, 1)), np.empty((0, 1)), (0, 0, 0), False, "add up to the 0 examples"),
    ],
)
def test_examples_that_make_no_file_are_refused(tmp_path, inputs, targets, counts, booleans, words):
    with pytest.raises(FaultyInput) as caught:
        write_dt(tmp_path / "bad.dt", inputs, targets, counts, boolean_inputs=booleans)
    assert words in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_standard_counts_are_those_of_all_published_files():
    sizes = {
        card.partition
        for name in datasets.available()
        if (card := datasets.card(name)).partition and name.startswith("proben1-")
    }
    assert len(sizes) > 10
    assert {standard_counts(sum(counts)) for counts in sizes} == sizes


def test_three_cases_make_no_partition():
    with pytest.raises(FaultyInput, match="at least 4"):
        standard_counts(3)
