"""Tables of draws, a line for each draw: which columns are cases, which are chains, and which are neither.

R's posterior package, CmdStan and ArviZ write such tables with columns that are no cases: .chain, .draw, lp__, an
index.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import polars as pl

from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_groups import chosen
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.numerals import number
from benchbook.words import listed

_CHAIN = ("chain", ".chain", "chain__")
_DRAW = ("draw", ".draw", "draw__", "iteration", ".iteration", "iter__", "sample")
_INDEX = ("", "index", "rownames", "row", "Unnamed: 0", "column_0")
_NO_NAMES = ("nan", "inf", "-inf", "+inf")
_LOG_LIKELIHOOD = re.compile(r"(?i)log_?lik.*|ll")
_ELEMENT = re.compile(
    r"(?P<variable>.*?[^\d.,:\[\]])(?:\[(?P<bracket>[\d,.: ]+)\]|\.(?P<dot>\d+(?:[.:]\d+)*))"
)
_CASE = re.compile(r"(?i)case\b.*|\d+")


def read_table(file: Path, variables: Sequence[str]) -> LogLikelihood:
    """The log likelihoods of a table of draws, .csv or .parquet.

    A column is a case if it is an element of a variable log_lik (log_lik[1], log_lik.1), a pair of variable and case as
    ArviZ's frames have them, a number, or called case; or if it is asked for by ``variables``. All others are left out,
    and named in the notes. Lines that begin with # are passed over, as CmdStan writes them.

    Args:
        file: of the table.
        variables: names of variables of which the elements are cases, or of columns; * and ? stand for any letters.

    Raises:
        FaultyInput: no such columns, columns that are not numbers, or chains of different lengths.
    """
    frame, notes = _frame(file)
    chain = next((name for name in _CHAIN if name in frame.columns), "")
    others = [name for name in frame.columns if name != chain and not _bookkeeping(frame, name)]
    columns = _columns(str(file), others, variables)
    _refuse_words(file, frame, list(columns.values()))
    retained = {*columns.values(), chain}
    left = [name or "a column without a name" for name in frame.columns if name not in retained]
    if left:
        notes.append(
            f"left out, as no log likelihoods of cases: {listed(left[:_NAMED])}{_more(left)}"
        )
    name = file.stem if variables == () else ", ".join(variables)
    values = _stacked(file, frame.select([*columns.values(), *([chain] if chain else [])]), chain)
    return LogLikelihood(values, tuple(columns), name, notes=tuple(notes))


_NAMED = 8


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""


def _frame(file: Path) -> tuple[pl.DataFrame, list[str]]:
    """The table, and what is to be said of it."""
    if file.suffix.lower() == ".parquet":
        return pl.read_parquet(file), []
    _check_heading(file)
    frame = pl.read_csv(file, comment_prefix="#", infer_schema_length=None)
    warmup = _warmup(file)
    if not warmup:
        return frame, []
    return frame.slice(warmup), [f"the first {warmup} draws are left out: CmdStan's warm-up"]


def _warmup(file: Path) -> int:
    """How many draws of the warm-up CmdStan has saved, by the comments above the draws."""
    settings = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith("#"):
                break
            key, equal, value = line[1:].partition("=")
            if equal:
                settings[key.strip()] = value.replace("(Default)", "").strip()
    if settings.get("save_warmup") not in ("1", "true"):
        return 0
    count, thin = settings.get("num_warmup", "0"), settings.get("thin", "1")
    return (
        math.ceil(int(count) / max(int(thin), 1)) if count.isdecimal() and thin.isdecimal() else 0
    )


def _bookkeeping(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column counts draws or belongs to the sampler, and so is no case, whatever it is called."""
    if name in _DRAW or name.endswith("__"):
        return True
    return name in _INDEX and _counts(frame[name])


def _counts(values: pl.Series) -> bool:
    """Whether the values are 0, 1, 2, ... or 1, 2, 3, ..., perhaps from 0 or 1 on again."""
    numbers = values.cast(pl.Float64, strict=False).to_numpy()
    if np.isnan(numbers).any():
        return not values.dtype.is_numeric()
    steps = np.diff(numbers)
    return bool(numbers[0] in (0.0, 1.0) and np.isin(numbers[1:][steps != 1.0], (0.0, 1.0)).all())


def _columns(where: str, names: Sequence[str], variables: Sequence[str]) -> dict[str, str]:
    """The columns of the cases, by the names of the cases."""
    elements = {name: _element(name) for name in names}
    if variables:
        taken = {
            name: element
            for name, element in elements.items()
            if any(
                fnmatchcase(name, variable) or fnmatchcase(element[0], variable)
                for variable in variables
            )
        }
        if not taken:
            rule = f"there are {shortened(', '.join(dict.fromkeys(each[0] for each in elements.values())))}"
            raise FaultyInput(
                f"log likelihoods in {where}", [Fault("variable", ", ".join(variables), rule)]
            )
        return _named(taken)
    known = {name: each for name, each in elements.items() if _LOG_LIKELIHOOD.fullmatch(each[0])}
    if not known:
        known = {name: each for name, each in elements.items() if name.startswith("(") and each[1]}
    if known:
        item = chosen(where, list(dict.fromkeys(each[0] for each in known.values())), ())
        return _named({name: each for name, each in known.items() if each[0] in item})
    plain = [name for name in names if _CASE.fullmatch(name)]
    if plain:
        return {name: name for name in plain}
    raise FaultyInput(
        f"log likelihoods in {where}",
        [
            Fault(
                "columns",
                shortened(", ".join(names)) or "none for a case",
                "a column for each case, named log_lik[1], log_lik[2] and so on; if the columns are cases under other "
                "names, say which: --variable 'y' for y[1], y[2], ..., --variable '*' for all of them",
            )
        ],
    )


def _element(column: str) -> tuple[str, str]:
    """The variable and the element that a column is of, such as log_lik and 3; else the column and nothing."""
    match = _ELEMENT.fullmatch(column)
    if match:
        index = match["bracket"] or match["dot"].replace(":", ".").replace(".", ",")
        return match["variable"], ", ".join(part.strip() for part in index.split(","))
    if column.startswith("("):
        try:
            parts = ast.literal_eval(column)
        except (SyntaxError, ValueError):
            return column, ""
        if isinstance(parts, tuple) and len(parts) > 1:
            return str(parts[0]), str(parts[-1]) if len(parts) == 3 else ", ".join(
                map(str, parts[1:])
            )
    return column, ""


def _named(columns: dict[str, tuple[str, str]]) -> dict[str, str]:
    """Columns by the names of their cases: the element, with its variable where there are several."""
    several = len({variable for variable, _ in columns.values()}) > 1
    names = {
        name: (f"{variable} {element}" if several else element) if element else name
        for name, (variable, element) in columns.items()
    }
    if len(set(names.values())) < len(names):
        return {name: name for name in columns}
    return {case: name for name, case in names.items()}


def _refuse_words(file: Path, frame: pl.DataFrame, columns: Sequence[str]) -> None:
    wrong = [name for name in columns if not frame[name].dtype.is_numeric()]
    if wrong:
        raise FaultyInput(
            f"log likelihoods in {file}",
            [
                Fault(f"column {name}", str(frame[name].dtype), "numbers: a column for each case")
                for name in wrong
            ],
        )


def _stacked(file: Path, frame: pl.DataFrame, chain: str) -> np.ndarray:
    """[chains, draws, N]."""
    if not chain:
        return frame.to_numpy()[None]
    parts = [part.drop(chain).to_numpy() for part in frame.partition_by(chain, maintain_order=True)]
    lengths = sorted({len(part) for part in parts})
    if len(lengths) > 1:
        text = f"{lengths[0]} to {lengths[-1]} draws"
        raise FaultyInput(
            f"log likelihoods in {file}", [Fault(chain, text, "as many draws in every chain")]
        )
    return np.stack(parts)


def _check_heading(file: Path) -> None:
    """Refuse a table whose first line is a draw, which would be lost, or that gives two columns one name.

    Cases may be numbered: then the numbers are whole, from 0 on, and different.
    """
    heading = pl.read_csv(
        file,
        has_header=False,
        n_rows=1,
        infer_schema=False,
        truncate_ragged_lines=True,
        comment_prefix="#",
    )
    names = [(name or "").strip() for name in heading.row(0)]
    numbers = [
        name
        for name in names
        if name.lower() in _NO_NAMES or not (name.isdecimal() or math.isnan(number(name)))
    ]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if numbers or twice:
        raise FaultyInput(
            f"log likelihoods in {file}",
            [
                Fault(
                    "line 1",
                    shortened(", ".join(numbers or map(repr, twice))),
                    "the names of the columns, each once, "
                    "a column for each case: put a line of names above the first draw",
                )
            ],
        )
