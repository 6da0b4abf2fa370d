"""PROBEN1's problems: the ``.dt`` writer, the rules of representation, the files rebuilt, and one's own tables.

from benchbook.datasets import proben1

proben1.compare("cancer").exact          # made from the originals again, value by value
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
from benchbook.datasets.proben1.originals import PROBLEMS, Original, original
from benchbook.datasets.proben1.rebuild import File, RebuiltProblem, columns, compare, rebuilt
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
    "PROBLEMS",
    "Both",
    "Codes",
    "Encoded",
    "EncodedAttribute",
    "Encoder",
    "File",
    "Filled",
    "Flagged",
    "Linear",
    "Logarithm",
    "Original",
    "RebuiltProblem",
    "Representation",
    "Spec",
    "WordTable",
    "Written",
    "as_numbers",
    "coding",
    "columns",
    "compare",
    "counts_of",
    "destinations",
    "dt_text",
    "encode_table",
    "guess",
    "one_of",
    "orders_of",
    "original",
    "parse_shares",
    "read_spec",
    "read_table",
    "rebuilt",
    "scale",
    "separator_of",
    "standard_counts",
    "without_indicators",
    "write_dt",
]
