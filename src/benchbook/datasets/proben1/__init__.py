"""PROBEN1's format: the ``.dt`` writer, the rules of representation, and one's own tables.

from benchbook.datasets import proben1

proben1.write_dt("mine1.dt", inputs, targets, proben1.standard_counts(len(inputs)))
"""

from benchbook.datasets.proben1.encode import (
    Written,
    counts_of,
    destinations,
    encode_table,
    orders_of,
    parse_shares,
)
from benchbook.datasets.proben1.encoders import (
    Both,
    Codes,
    Encoder,
    Filled,
    Flagged,
    Linear,
    Logarithm,
    one_of,
    scale,
)
from benchbook.datasets.proben1.guess import guess
from benchbook.datasets.proben1.outputs import OutputCode
from benchbook.datasets.proben1.representation import (
    Encoded,
    EncodedAttribute,
    Representation,
    as_numbers,
    coding,
    without_indicators,
)
from benchbook.datasets.proben1.spec import Spec, read_spec
from benchbook.datasets.proben1.tables import WordTable, read_table, separator_of
from benchbook.datasets.proben1.writer import dt_text, standard_counts, write_dt

__all__ = [
    "Both",
    "Codes",
    "Encoded",
    "EncodedAttribute",
    "Encoder",
    "Filled",
    "Flagged",
    "Linear",
    "Logarithm",
    "OutputCode",
    "Representation",
    "Spec",
    "WordTable",
    "Written",
    "as_numbers",
    "coding",
    "counts_of",
    "destinations",
    "dt_text",
    "encode_table",
    "guess",
    "one_of",
    "orders_of",
    "parse_shares",
    "read_spec",
    "read_table",
    "scale",
    "separator_of",
    "standard_counts",
    "without_indicators",
    "write_dt",
]
