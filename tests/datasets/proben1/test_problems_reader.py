"""Malformed .dt files: each kind has a message with file and line; what is tolerable is read."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from printed import held

from benchbook.datasets.readers.proben1 import read_dt, read_dt_file
from benchbook.errors import BenchbookError, FaultyInput

HEADER = (
    "bool_in=0\nreal_in=2\nbool_out=1\nreal_out=0\n"
    "training_examples=2\nvalidation_examples=1\ntest_examples=1\n"
)
EXAMPLES = "0.1 0.2 1\n0.3 .4 0\n-1 1e-2 1\n0.5 0.6 0\n"


def told(data):
    with pytest.raises(FaultyInput) as caught:
        read_dt(data if isinstance(data, bytes) else data.encode(), "small.dt")
    return "\n".join(str(fault) for fault in caught.value.faults)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            HEADER + EXAMPLES.replace("0.2", "nan"),
            "small.dt, line 8, value 2: found 'nan'; every value is a number",
        ),
        (HEADER + EXAMPLES.replace("0.3", "NaN"), "small.dt, line 9, value 1: found 'NaN'"),
        (HEADER + EXAMPLES.replace("0.2", "inf"), "line 8, value 2: found 'inf'"),
        (HEADER + EXAMPLES.replace("0.2", "1e999"), "line 8, value 2: found '1e999'"),
        (HEADER + EXAMPLES.replace("0.2", "0x1"), "line 8, value 2: found '0x1'"),
        (HEADER + EXAMPLES.replace("0.3", "three"), "line 9, value 1: found 'three'"),
        (
            HEADER.replace("test_examples=1", "test_examples=-1") + EXAMPLES,
            "line 7: found 'test_examples=-1'; the value",
        ),
        (
            HEADER.replace("test_examples=1", "test_examples=1.0") + EXAMPLES,
            "line 7: found 'test_examples=1.0'",
        ),
        (
            HEADER.replace("test_examples=1", "test_examples=²") + EXAMPLES,
            "line 7: found 'test_examples=²'",
        ),
        (
            HEADER.replace("real_in=2", "real_in=0") + EXAMPLES,
            "small.dt: found no inputs; bool_in and real_in add up",
        ),
        (HEADER.replace("bool_out=1", "bool_out=0") + EXAMPLES, "small.dt: found no outputs"),
        (
            HEADER.replace("bool_out=1", "bool_out=9") + EXAMPLES,
            "line 8: found 3 values; the header says 11",
        ),
        (
            HEADER.replace("bool_out=1", "bool_out 1") + EXAMPLES,
            "line 3: found 'bool_out 1'; the header keys are",
        ),
        (
            HEADER.replace("=2\nv", "=0\nv").replace("es=1", "es=0"),
            "small.dt: found no examples; the header says 0",
        ),
        (EXAMPLES + HEADER, "line 5: found 'bool_in=0'; the header comes before the first example"),
        (HEADER + EXAMPLES + EXAMPLES, "small.dt: found 8 examples; the header says 4"),
        ("", "small.dt: found no header line bool_in="),
        ("\n\n", "small.dt: found no header line test_examples="),
    ],
)
def test_each_malformed_file_is_refused_with_its_place(text, words):
    assert words in told(text)
    held(Path(__file__).with_name("said.txt"), f"a file: {words}", f"{told(text)}\n")


def test_a_file_in_another_encoding_is_refused():
    assert "a zero byte" in told((HEADER + EXAMPLES).encode("utf-16"))


@pytest.mark.parametrize(
    "text",
    [
        (HEADER + EXAMPLES).replace("\n", "\r\n"),
        (HEADER + EXAMPLES).replace("\n", "\r"),
        "\ufeff" + HEADER + EXAMPLES,
        HEADER.replace("\n", "\n\n") + "\n" + EXAMPLES.replace("\n", "\n \n") + "\n\n",
        (HEADER + EXAMPLES).rstrip(),
        (HEADER + EXAMPLES).replace("=", " = ").replace(" 0.2", "\t 0.2"),
    ],
)
def test_line_endings_blank_lines_and_a_byte_order_mark_are_tolerated(text):
    inputs, targets = read_dt(text.encode(), "small.dt").values()
    np.testing.assert_array_equal(inputs, [[0.1, 0.2], [0.3, 0.4], [-1, 0.01], [0.5, 0.6]])
    np.testing.assert_array_equal(targets, [[1], [0], [1], [0]])


def test_a_packed_file_is_found_and_read(tmp_path):
    (tmp_path / "small.dt.gz").write_bytes(gzip.compress((HEADER + EXAMPLES).encode()))
    assert len(read_dt_file(tmp_path / "small.dt").words.cases) == 4


def test_a_packed_file_that_was_cut_short_is_refused(tmp_path):
    (tmp_path / "small.dt.gz").write_bytes(gzip.compress((HEADER + EXAMPLES).encode())[:-9])
    with pytest.raises(FaultyInput, match=r"small\.dt\.gz cannot be unpacked"):
        read_dt_file(tmp_path / "small.dt")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BenchbookError, match=r"there is no file .*absent\.dt"):
        read_dt_file(tmp_path / "absent.dt")
