"""Tables of draws, a line for each draw: which columns are cases, which are chains, and which are neither.

R's posterior package, CmdStan and ArviZ write such tables with columns that are no cases: .chain, .draw, lp__, an
index.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from benchbook.assess.densities import sampler
from benchbook.assess.densities.chains import Traces
from benchbook.assess.densities.posterior import LogLikelihood
from benchbook.assess.densities.posterior_groups import GROUP, LOG_LIKELIHOOD, chosen
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.numerals import number
from benchbook.words import some

_CHAIN = ("chain", ".chain", "chain__")
_DRAW = ("draw", ".draw", "draw__", "iteration", ".iteration", "iter__", "sample")
_INDEX = ("", "index", "rownames", "row", "Unnamed: 0", "column_0")
_NO_NAMES = ("nan", "inf", "-inf", "+inf")
_ELEMENT = re.compile(
    r"(?P<variable>.*?[^\d.,:\[\]])(?:\[(?P<bracket>[\d,.: ]+)\]|\.(?P<dot>\d+(?:[.:]\d+)*))"
)
_NOT_FINITE = dict.fromkeys(("nan", "-nan", "na", ""), math.nan)
_NOT_FINITE |= {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
_CASE = re.compile(r"(?i)case\b.*|\d+")


def read_table(file: Path, variables: Sequence[str]) -> LogLikelihood:
    """The log likelihoods of a table of draws, .csv or .parquet.

    A column is a case if it is an element of a variable log_lik (log_lik[1], log_lik.1), a pair of variable and case as
    ArviZ's frames have them, a number, or called case; or if it is asked for by ``variables``. Columns that count draws
    are left out, those of the sampler are its statistics, and all others of numbers are parameters, whose chains are
    checked; the notes name them. Lines that begin with # are passed over, as CmdStan writes them.

    Args:
        file: of the table.
        variables: names of variables of which the elements are cases, or of columns; * and ? stand for any letters.

    Raises:
        FaultyInput: no such columns, columns that are not numbers, or chains of different lengths.
    """
    frame, settings, notes = _frame(file)
    return from_frame(frame, str(file), file.stem, variables, settings, notes)


def from_frame(
    frame: pl.DataFrame,
    where: str,
    name: str,
    variables: Sequence[str] = (),
    settings: Mapping[str, str] = MappingProxyType({}),
    notes: Sequence[str] = (),
) -> LogLikelihood:
    """The log likelihoods of a frame of draws; as for ``read_table``.

    Args:
        frame: a line for each draw.
        where: what it is, in messages.
        name: of the result, unless variables are asked for.
        variables: as for ``read_table``.
        settings: CmdStan's.
        notes: what is to be said of the table.
    """
    notes = list(notes)
    chain = next((name for name in _CHAIN if name in frame.columns), "")
    own = {name: _sampler_name(name) for name in frame.columns}
    others = [
        name
        for name in frame.columns
        if name != chain and not own[name] and not _counter(frame, name)
    ]
    columns = _columns(where, others, variables)
    _refuse_words(where, frame, list(columns.values()))
    parameters = [
        name
        for name in others
        if name not in columns.values()
        and (frame[name].dtype.is_numeric() or frame[name].dtype == pl.Boolean)
    ]
    if parameters:
        notes.append(f"parameters, whose chains are checked: {some(parameters)}")
    retained = {*columns.values(), *parameters, chain, *(name for name in own if own[name])}
    left = [name or "a column without a name" for name in frame.columns if name not in retained]
    if left:
        notes.append(f"left out, as neither log likelihoods of cases nor parameters: {some(left)}")
    statistics = {own[name]: name for name in own if own[name] in sampler.NAMES.values()}
    stacked = partial(_stacked, where, frame, chain)
    return LogLikelihood(
        stacked(list(columns.values())),
        tuple(columns),
        name if not variables else ", ".join(variables),
        parameters=(Traces("", stacked(parameters), tuple(parameters)),) if parameters else None,
        notes=tuple(notes),
        statistics=_at_limit(
            {name: stacked([column])[..., 0] for name, column in statistics.items()}, settings
        ),
    )


def _sampler_name(column: str) -> str:
    """What a column of the sampler's is called by ``sampler``, or it itself; nothing for any other column.

    The log density of all parameters, lp__, is one of the traces that are checked.
    """
    parts = _tuple(column)
    if parts and parts[0] == "sample_stats":
        return sampler.NAMES.get(str(parts[-1]), str(parts[-1]))
    if column.endswith("__") and column not in (*_CHAIN, *_DRAW, "lp__"):
        return sampler.NAMES.get(column, column)
    return ""


def _at_limit(
    statistics: dict[str, np.ndarray], settings: Mapping[str, str]
) -> dict[str, np.ndarray]:
    """With which transitions reached the largest depth of a tree, as CmdStan was told it."""
    limit = settings.get("max_depth", "")
    if sampler.DEPTH in statistics and limit.isdecimal():
        return statistics | {sampler.CUT_OFF: statistics[sampler.DEPTH] >= int(limit)}
    return statistics


def _frame(file: Path) -> tuple[pl.DataFrame, dict[str, str], list[str]]:
    """The table, CmdStan's settings, and what is to be said of the table."""
    if file.suffix.lower() == ".parquet":
        return pl.read_parquet(file), {}, []
    _check_heading(file)
    frame = _with_numbers(pl.read_csv(file, comment_prefix="#", infer_schema_length=None))
    settings = _settings(file)
    warmup = _warmup(settings)
    if not warmup:
        return frame, settings, []
    note = f"the first {warmup} draws are left out: CmdStan's warm-up"
    return frame.slice(warmup), settings, [note]


def _with_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of text that are numbers but for how nan, inf and NA are written, as numbers."""
    columns = []
    for name in frame.columns:
        if frame[name].dtype != pl.String or frame[name].is_empty():
            continue
        text = frame[name].str.strip_chars().str.to_lowercase()
        numbers = text.replace_strict(_NOT_FINITE, default=None, return_dtype=pl.Float64)
        numbers = numbers.fill_null(text.cast(pl.Float64, strict=False))
        if numbers.null_count() == text.is_null().sum():
            columns.append(numbers.alias(name))
    return frame.with_columns(columns)


def _settings(file: Path) -> dict[str, str]:
    """What the comments above the draws say CmdStan was told."""
    settings = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith("#"):
                break
            key, equal, value = line[1:].partition("=")
            if equal:
                settings[key.strip()] = value.replace("(Default)", "").strip()
    return settings


def _warmup(settings: dict[str, str]) -> int:
    """How many draws of the warm-up CmdStan has saved."""
    if settings.get("save_warmup") not in ("1", "true"):
        return 0
    count, thin = settings.get("num_warmup", "0"), settings.get("thin", "1")
    return (
        math.ceil(int(count) / max(int(thin), 1)) if count.isdecimal() and thin.isdecimal() else 0
    )


def _counter(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column counts draws, and so is neither case nor parameter, whatever it is called."""
    return name in _DRAW or (name in _INDEX and _counts(frame[name]))


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
    known = {name: each for name, each in elements.items() if LOG_LIKELIHOOD.fullmatch(each[0])}
    if not known:
        known = {name: each for name, each in elements.items() if name.startswith("(") and each[1]}
        of_group = {name: each for name, each in known.items() if _tuple(name)[0] == GROUP}
        known = of_group or known
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
    parts = _tuple(column)
    if len(parts) < 2:
        return column, ""
    if parts[0] == GROUP:  # ('log_likelihood', 'y[0]', 'a') of a frame of all groups
        return _element(str(parts[1]))[0], ", ".join(map(str, parts[2:]))
    return str(parts[0]), str(parts[-1]) if len(parts) == 3 else ", ".join(map(str, parts[1:]))


def _tuple(column: str) -> tuple[Any, ...]:
    """The parts of a column of ArviZ's frames, such as ('y', 0, 'a'); none of others."""
    if not column.startswith("("):
        return ()
    try:
        parts = ast.literal_eval(column)
    except (SyntaxError, ValueError):
        return ()
    return parts if isinstance(parts, tuple) else ()


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


def _refuse_words(where: str, frame: pl.DataFrame, columns: Sequence[str]) -> None:
    wrong = [name for name in columns if not frame[name].dtype.is_numeric()]
    if wrong:
        raise FaultyInput(
            f"log likelihoods in {where}",
            [
                Fault(f"column {name}", str(frame[name].dtype), "numbers: a column for each case")
                for name in wrong
            ],
        )


def _stacked(where: str, frame: pl.DataFrame, chain: str, columns: Sequence[str]) -> np.ndarray:
    """[chains, draws, columns]."""
    if not chain:
        return frame.select(columns).to_numpy()[None]
    parts = [
        part.select(columns).to_numpy() for part in frame.partition_by(chain, maintain_order=True)
    ]
    lengths = sorted({len(part) for part in parts})
    if len(lengths) > 1:
        text = f"{lengths[0]} to {lengths[-1]} draws"
        raise FaultyInput(
            f"log likelihoods in {where}", [Fault(chain, text, "as many draws in every chain")]
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
