"""What the target of a table is taken for, and at which sizes a large table has its learning curve."""

from types import SimpleNamespace

import polars as pl
import pytest

from benchbook.cli import compare_data


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 1, 1, 0], "class"),
        ([0.0, 2.0, 2.0], "class"),
        ([0, 1, 2], "class"),
        ([0.5, 1.0, 1.0], "number"),
        (["a", "b", "c", "d"], "class"),
    ],
)
def test_a_target_of_words_or_two_whole_numbers_is_one_of_classes(values, kind):
    source = SimpleNamespace(frame=pl.DataFrame({"y": values}), target="y")
    assert compare_data._kind(source) == kind


def test_a_large_table_has_its_curve_at_a_share_of_the_smallest_training_set():
    sizes = []
    splits = [SimpleNamespace(train=range(count)) for count in (1200, 1000)]
    made = SimpleNamespace(plan=SimpleNamespace(splits=splits), learning_curve=sizes.append)
    compare_data._curve(made, large=True)
    assert sizes == [[round(compare_data._SHARE_OF_LARGE * 1000)]]
