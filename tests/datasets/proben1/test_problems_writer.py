"""The .dt writer: exact round trips, the originals' number format, and refusals that leave nothing behind."""

import numpy as np
import pytest

from benchbook import datasets
from benchbook.datasets import lookup
from benchbook.datasets.proben1 import dt_text, standard_counts, write_dt
from benchbook.datasets.readers.proben1 import read_dt, read_dt_file


def test_what_is_written_exactly_is_read_again_to_the_last_bit(rng, tmp_path):
    inputs, targets = (
        rng.normal(size=(9, 4)) * 10.0 ** rng.integers(-30, 30, (9, 4)),
        rng.random((9, 2)),
    )
    file = read_dt_file(write_dt(tmp_path / "exact1.dt", inputs, targets, (4, 3, 2), exact=True))
    np.testing.assert_array_equal(file.values()[0], inputs)
    np.testing.assert_array_equal(file.values()[1], targets)
    assert file.partition == (4, 3, 2)


@pytest.mark.parametrize("name", ["cancer1", "diabetes2", "glass3", "flare1", "heartc2"])
def test_a_published_file_is_written_again_byte_for_byte(real_data, name):
    real_data(f"proben1-{name}")
    data, _ = lookup.obtain(datasets.card(f"proben1-{name}").files[0])
    file = read_dt(data, name)
    inputs, targets = file.values()
    boolean = datasets.card(f"proben1-{name}").family != "flare"
    assert dt_text(inputs, targets, file.partition, boolean_outputs=boolean).encode() == data


def test_the_standard_counts_are_those_of_all_published_files():
    sizes = {
        card.partition
        for name in datasets.available()
        if (card := datasets.card(name)).partition and name.startswith("proben1-")
    }
    assert len(sizes) > 10
    assert {standard_counts(sum(counts)) for counts in sizes} == sizes
