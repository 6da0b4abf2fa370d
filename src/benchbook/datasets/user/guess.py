"""What the columns of a user's table are: numbers, words or dates, and with which range."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from benchbook.datasets.ranges import IntegerRange, Interval
from benchbook.datasets.readers.text import MISSING
from benchbook.datasets.types import NATURES, Attribute
from benchbook.datasets.user.dates import Dates, days_of, find_dates
from benchbook.datasets.user.roles import is_named_as_time
from benchbook.datasets.user.texts import Table
from benchbook.errors import Fault, shortened

MOST_VALUES = 100
"""More different words than that are taken for names or free text."""
_THOUSANDS = r"^[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$"
_DECIMAL_COMMA = r"^[-+]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]+$"
_MOSTLY = 0.5
_SEVERAL = 10
"""Numbers with a sign or a unit are refused when there are more different ones; fewer may be names of classes."""
_SIGNS = {"\u2212": "-", "\uff0d": "-", "\uff0b": "+", "\uff0e": ".", "\uff0c": ","}
_BLANKS = {
    " ": "a blank",
    "'": "an apostrophe",
    "\u2019": "an apostrophe",
    "\u00a0": "a blank",
    "\u202f": "a blank",
}
_DECORATED = (
    r"^([$\u20ac\u00a3\u00a5]?)\s*[-+]?[0-9][0-9.,]*\s*([%\u20ac$\u00a3\u00a5\u00b0]?[A-Za-z/]*)$"
)
_FEW = 20
"""Different values of a column of whole numbers up to which an odd word among them makes it one of names."""
_EXACT = 2.0**53
"""Beyond it a float does not keep whole numbers apart."""
_LARGEST = 1e150
"""Squares of larger numbers are no finite numbers."""


@dataclass(frozen=True)
class Wishes:
    """What the user says of the columns, by name, instead of letting it be guessed.

    Attributes:
        natures: nature of a column.
        orders: values of an ordinal column, least first.
        missing: words that stand for a missing value besides the usual ones.
        decimal, thousands: what stands before the fraction of a number, and between its thousands.
    """

    natures: Mapping[str, str] = field(default_factory=dict)
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str = ""
    texts: bool = False
    """Whether texts that are whole numbers are names, as in a frame whose maker made them texts, and no numbers."""


@dataclass(frozen=True)
class Guess:
    """A column as it will be kept, or why it is left out or refused.

    ``values`` is Float64 or String with null for a missing value; ``attribute`` is None when the column is left out,
    for the reason in ``why``; ``date`` says that its numbers are days since 1970, ``note`` how it was read where that
    should be known.
    """

    name: str
    values: pl.Series
    attribute: Attribute | None
    why: str = ""
    date: bool = False
    faults: tuple[Fault, ...] = ()
    note: str = ""


def guess(table: Table, name: str, index: int, title: str, wishes: Wishes) -> Guess:
    """What one column is.

    Args:
        table: whose column it is. name: of the column in the table.
        index: of the attribute, from 1. title: its name as an attribute.
        wishes: what the user says.
    """
    column = table.frame[name]
    wanted = "ordinal" if name in wishes.orders else wishes.natures.get(name, "")
    if wanted and wanted not in NATURES:
        return _refused(
            name,
            column,
            [Fault(f"column {name!r}", f"nature {wanted!r}", f"one of {', '.join(NATURES)}")],
        )
    words = _as_words(column, wishes)
    known = table.known.get(name)
    if known is not None and not wanted:
        return _as_declared(name, column if words is None else words, known, index, title, table)
    if words is None:
        return _of_other_type(name, column, index, title, wanted, table)
    if words.null_count() == len(words):
        return Guess(name, words, None, "it has no value")
    if wanted in ("nominal", "ordinal", "binary"):
        return _of_words(name, words, index, title, wanted, wishes.orders.get(name, ()), table)
    numbers = _numbers(words, wishes)
    strange = words.is_not_null() & numbers.is_null()
    if not strange.any():
        codes, note = ("", "") if wanted else _are_codes(words, numbers, wishes)
        if codes:
            made = _of_words(name, words, index, title, "", (), table)
        else:
            made = _of_numbers(name, numbers, index, title, wanted, table)
        return replace(made, note=f"{name} {note}" if note else "")
    if faults := _number_faults(name, words, strange, table, wished=bool(wanted)):
        if wanted or not _odd_word_names(words, numbers, strange):
            return _refused(name, words, faults)
        odd = repr(shortened(str(words.filter(strange)[0]), 40))
        note = f"{name} has {odd} among numbers: taken for words; --missing {odd} takes it for a missing value"
        return replace(_of_words(name, words, index, title, "", (), table), note=note)
    if dates := find_dates(words):
        faults = _date_faults(name, words, dates, table)
        return (
            _refused(name, words, faults) if faults else _of_dates(name, dates.days, index, title)
        )
    if faults := _decorated_faults(name, words, table):
        return _refused(name, words, faults)
    return _of_words(name, words, index, title, "", (), table)


def _as_words(column: pl.Series, wishes: Wishes) -> pl.Series | None:
    """A column of words without blanks around them, null where one stands for a missing value; None for numbers."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return None
    words = _in_ascii(column.cast(pl.String).str.strip_chars())
    return words.set(words.is_in([*MISSING, *wishes.missing]).fill_null(value=False), None)


def _in_ascii(words: pl.Series) -> pl.Series:
    """Words that are numbers in the digits of other scripts, or with a typographic minus, in plain digits."""
    pattern = (
        r"^[-+\u2212\uff0d\uff0b]?[\d.,\uff0e\uff0c]*\d[\d.,\uff0e\uff0c]*(?:[eE][-+\u2212]?\d+)?$"
    )
    foreign = words.str.contains(r"[^\x00-\x7f]") & words.str.contains(pattern)
    if not foreign.any():
        return words
    plain = words.filter(foreign).map_elements(
        lambda word: "".join(
            _SIGNS.get(item) or str(unicodedata.digit(item, item)) for item in word
        ),
        return_dtype=pl.String,
    )
    return words.scatter(foreign.arg_true(), plain)


def _numbers(words: pl.Series, wishes: Wishes) -> pl.Series:
    """Words as numbers; null where a sign stands where no decimal sign and no separator of thousands can be."""
    if wishes.thousands:
        mark, point = re.escape(wishes.thousands), re.escape(wishes.decimal)
        grouped = words.str.contains(rf"^[-+]?[0-9]{{1,3}}({mark}[0-9]{{3}})+({point}[0-9]*)?$")
        words = words.set(words.str.contains(wishes.thousands, literal=True) & ~grouped, None)
        words = words.str.replace_all(wishes.thousands, "", literal=True)
    if wishes.decimal != ".":
        words = words.set(words.str.contains(".", literal=True), None)
        words = words.str.replace(wishes.decimal, ".", literal=True)
    return words.cast(pl.Float64, strict=False)


def _are_codes(words: pl.Series, numbers: pl.Series, wishes: Wishes) -> tuple[str, str]:
    """Whether words of digits are codes and no numbers, and what should be said of them.

    They are where two differ in leading zeros alone, where they are too large for a float to keep apart (and not named
    as moments), or where the maker of a frame says so by its type.
    """
    known = words.drop_nulls()
    if not known.str.contains(r"^[-+]?[0-9]+$").all():
        return "", ""
    if wishes.texts:
        return "texts", ""
    zeros = known.str.contains(r"^[-+]?0[0-9]")
    if zeros.any() and known.n_unique() > numbers.drop_nulls().n_unique():
        return "zeros", "has values that differ in leading zeros alone: taken for codes"
    if (numbers.abs() > _EXACT).any() and not is_named_as_time(words.name):
        return "size", "has whole numbers beyond 2^53, as ids are: taken for codes"
    if zeros.any():
        word = known.filter(zeros)[0]
        number = word.lstrip("+-").lstrip("0") or "0"
        note = f"is read as numbers, without leading zeros: {word} is {number}"
        return "", f"{note}; --nature '{words.name}=nominal' keeps them apart as codes"
    return "", ""


def _odd_word_names(words: pl.Series, numbers: pl.Series, strange: pl.Series) -> bool:
    """Whether whole numbers with some words among them are names: few different values, or codes such as 136A."""
    odd, plain = words.filter(strange), numbers.drop_nulls()
    if plain.is_empty() or not (plain == plain.round()).all() or odd.str.contains(r"[.,]").any():
        return False
    return bool(odd.str.contains(r"^[0-9]+[A-Za-z]$").all()) or words.n_unique() <= _FEW


def _number_faults(
    name: str, words: pl.Series, strange: pl.Series, table: Table, wished: bool
) -> list[Fault]:
    """The faults of words among numbers; none when the column is one of words."""
    odd = words.filter(strange)
    case = int(strange.arg_true()[0])
    where, first = f"column {name!r}, {table.place(case)}", repr(shortened(str(odd[0]), 60))
    for pattern, advice in (
        (
            _THOUSANDS,
            "--thousands , when it has a separator of thousands, --decimal , when that is "
            "a "
            "decimal comma",
        ),
        (_DECIMAL_COMMA, "--decimal , (and --thousands . where thousands have a dot)"),
    ):
        if odd.str.contains(pattern).all():
            return [Fault(where, first, f"a number such as 1234.5; say {advice}")]
    if (
        plain := odd.cast(pl.Float64, strict=False)
    ).is_not_null().all() and plain.is_finite().all():
        return [Fault(where, first, "a number written as --decimal and --thousands say")]
    known = len(words) - words.null_count()
    if not wished and len(odd) >= _MOSTLY * known:
        return []
    rest = f" (and {len(odd) - 1} more such cases)" if len(odd) > 1 else ""
    return [
        Fault(
            where,
            f"{first}{rest}",
            f"a number, as in the other cases; mend it, or say --missing {odd[0]!r} "
            f"when it "
            f"stands for a missing value, or --nature '{name}=nominal' when these are words",
        )
    ]


def _date_faults(name: str, words: pl.Series, dates: Dates, table: Table) -> list[Fault]:
    """The first value that is no date in a column of dates, or that may be two dates; none when all is well."""
    if dates.strange.any():
        case, rule = int(dates.strange.arg_true()[0]), "a date in the form of the others"
    elif dates.ambiguous:
        case = int(words.is_not_null().arg_true()[0])
        rule = (
            "a date such as 2026-11-22, since which is the day and which the month cannot be told"
        )
    else:
        return []
    return [
        Fault(
            f"column {name!r}, {table.place(case)}",
            repr(shortened(str(words[case]), 60)),
            f"{rule}; mend it, leave it empty when it is missing, or say --nature '{name}=nominal' or --drop "
            f"'{name}'",
        )
    ]


def _of_dates(name: str, days: pl.Series, index: int, title: str) -> Guess:
    made = _attribute(index, title, "real", days, "days since 1970-01-01")
    return Guess(name, days, made, date=True)


def _decorated_faults(name: str, words: pl.Series, table: Table) -> list[Fault]:
    """A column of numbers with a blank between thousands, a currency, a per cent sign or one and the same unit."""
    known = words.drop_nulls()
    if known.n_unique() <= _SEVERAL:
        return []
    case = int(words.is_not_null().arg_true()[0])
    for mark, text in _BLANKS.items():
        marked = words.str.contains(mark, literal=True).fill_null(value=False)
        pattern = rf"^[-+]?[0-9]{{1,3}}({mark}[0-9]{{3}})*([.,][0-9]+)?$"
        if marked.any() and known.str.contains(pattern).all():
            case = int(marked.arg_true()[0])
            return [
                Fault(
                    f"column {name!r}, {table.place(case)}",
                    repr(words[case]),
                    f"a number such as 1234.5; say "
                    f'--thousands "{mark}" when {text} stands between thousands',
                )
            ]
    parts = known.str.extract_groups(_DECORATED)
    if parts.struct.unnest().null_count().sum_horizontal()[0] or parts.n_unique() != 1:
        return []
    return [
        Fault(
            f"column {name!r}, {table.place(case)}",
            repr(shortened(str(words[case]), 60)),
            "a number alone; "
            f"take the sign or unit away, which may stand in the name of the column, or say --nature "
            f"'{name}=nominal' when these are words",
        )
    ]


def _of_other_type(
    name: str, column: pl.Series, index: int, title: str, wanted: str, table: Table
) -> Guess:
    """A column that the file already has as truths, numbers or dates."""
    if column.dtype == pl.Boolean:
        return _of_words(name, column.cast(pl.String), index, title, wanted, (), table)
    if column.dtype in (pl.Date, pl.Datetime):
        return _of_dates(name, days_of(column), index, title)
    if not (column.dtype.is_numeric()):
        return _refused(
            name,
            column,
            [
                Fault(
                    f"column {name!r}",
                    f"values of type {column.dtype}",
                    "numbers, words, truths or dates",
                )
            ],
        )
    numbers = column.cast(pl.Float64).fill_nan(None)
    if numbers.null_count() == len(numbers):
        return Guess(name, numbers, None, "it has no value")
    if wanted in ("nominal", "ordinal", "binary"):
        return _of_words(name, _as_text(numbers), index, title, wanted, (), table)
    return _of_numbers(name, numbers, index, title, wanted, table)


def _of_numbers(
    name: str, numbers: pl.Series, index: int, title: str, wanted: str, table: Table
) -> Guess:
    numbers = numbers.fill_nan(None)
    whole = _whole(numbers)
    rules = {
        "a finite number; leave the value empty when it is missing": numbers.is_infinite(),
        f"a number below {_LARGEST:g}, whose square is finite; take another unit, or leave it empty": numbers.abs()
        > _LARGEST,
        "a whole number": (numbers != numbers.round()) & (wanted == "integer"),
    }
    for rule, wrong in rules.items():
        if wrong.any():
            case = int(wrong.arg_true()[0])
            where = f"column {name!r}, {table.place(case)}"
            return _refused(name, numbers, [Fault(where, repr(numbers[case]), rule)])
    if not wanted and whole and numbers.drop_nulls().n_unique() == 2:
        return _of_words(name, _as_text(numbers), index, title, "binary", (), table)
    nature = wanted or ("integer" if whole else "real")
    return Guess(name, numbers, _attribute(index, title, nature, numbers))


def _as_text(numbers: pl.Series) -> pl.Series:
    """Numbers as words, 1 and not 1.0."""
    return (numbers.cast(pl.Int64) if _whole(numbers) else numbers).cast(pl.String)


def _whole(numbers: pl.Series) -> bool:
    return bool(((numbers == numbers.round()) & (numbers.abs() < 1e15)).all())


def _attribute(
    index: int, title: str, nature: str, numbers: pl.Series, comment: str = ""
) -> Attribute:
    low, high = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
    allowed = IntegerRange(low, high) if nature == "integer" else Interval(low, high)
    return Attribute(index, title, nature, allowed, comment)


def _of_words(
    name: str,
    words: pl.Series,
    index: int,
    title: str,
    wanted: str,
    order: tuple[str, ...],
    table: Table,
) -> Guess:
    values = order or _in_order(words.drop_nulls().unique().to_list())
    strange = words.is_not_null() & ~words.is_in(list(values))
    if strange.any():
        case = int(strange.arg_true()[0])
        return _refused(
            name,
            words,
            [
                Fault(
                    f"column {name!r}, {table.place(case)}",
                    repr(words[case]),
                    f"one of {', '.join(order)}, as --ordinal says",
                )
            ],
        )
    if len(values) < 2:
        return Guess(name, words, None, f"it is {values[0]!r} in every case")
    if not wanted and len(values) > MOST_VALUES:
        return Guess(
            name,
            words,
            None,
            f"it has {len(values)} different words, such as "
            f"{shortened(str(words.drop_nulls()[0]), 40)!r}, as names and free text have",
        )
    if not wanted and 2 < len(values) == len(words) >= _FEW:
        return Guess(name, words, None, "it is another word in every case, as names are")
    if wanted == "binary" and len(values) != 2:
        return _refused(
            name,
            words,
            [Fault(f"column {name!r}", f"{len(values)} values", "two, for a binary attribute")],
        )
    nature = wanted or ("binary" if len(values) == 2 else "nominal")
    return Guess(name, words, Attribute(index, title, nature, tuple(values)))


def _in_order(values: list[str]) -> tuple[str, ...]:
    """Numbers by their size, words by the alphabet."""
    with contextlib.suppress(ValueError):
        return tuple(sorted(values, key=float))
    return tuple(sorted(values))


def _as_declared(
    name: str, column: pl.Series, known: Attribute, index: int, title: str, table: Table
) -> Guess:
    """A column of which the file itself says what it is."""
    made = Attribute(index, title, known.nature, known.range, known.comment, known.unit)
    if known.numeric:
        return Guess(name, column.cast(pl.Float64), made)
    strange = column.is_not_null() & ~column.is_in(list(known.range)).fill_null(value=True)  # type: ignore[arg-type]
    faults = [
        Fault(
            f"column {name!r}, {table.place(int(case))}",
            repr(column[int(case)]),
            "a value that the header names",
        )
        for case in strange.arg_true()
    ]
    return _refused(name, column, faults) if faults else Guess(name, column, made)


def _refused(name: str, column: pl.Series, faults: list[Fault]) -> Guess:
    return Guess(name, column, None, faults=tuple(faults))
