"""What the command line prints: tables for people, JSON for programs, errors without tracebacks."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from benchbook.errors import BenchbookError, shortened
from benchbook.show import grids, numbers
from benchbook.stopping import Stopped, stoppable

if TYPE_CHECKING:
    from benchbook.studies import Outlook

time_limit_option = click.option(
    "--time-limit",
    type=click.FloatRange(min=0.0, min_open=True),
    metavar="SECONDS",
    help="End a run that takes longer; it has failed.",
)
memory_limit_option = click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Memory that a run may take, such as 512M or 2G; one that takes more has "
    "failed. Not on Windows.",
)
dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Say what would be run, what is there already, and about how long it takes.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for a program to read."
)


LARGEST_SEED = 2**63 - 1
seed_range = click.IntRange(0, LARGEST_SEED)
"""What a seed may be."""

_LONGEST = 10_000
"""Characters of the longest message that is printed."""
_WHOLE = (9999.5, 999_999.5)
"""Numbers of five or six digits are written as whole numbers: 18990, and not 1.899e+04."""
_NO_PLACE = {
    errno.ENAMETOOLONG: "a name that is too long",
    errno.ELOOP: "a link that leads in a circle",
}


class PathArgument(click.Path):
    """The path of a file or folder; one that no file system takes is refused before anything is done with it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = os.fsdecode(value)
        if not path:
            self.fail("an empty path; name a file or a folder, . for this one", param, ctx)
        try:
            os.lstat(path)
        except ValueError:
            self.fail(
                f"{shortened(repr(path))} has a zero byte in it, which no path has", param, ctx
            )
        except OSError as error:
            if error.errno in _NO_PLACE:
                self.fail(
                    f"{shortened(repr(path))} is {_NO_PLACE[error.errno]}; give another path",
                    param,
                    ctx,
                )
        return super().convert(value, param, ctx)


def loss_code(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> str | None:
    """The code of a loss as it is registered, however its letters were written; one's own is ``mine.py:my_loss``."""
    if value is None:
        return None
    from benchbook.losses.own import named

    return named(value).code


def loss_codes(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """The codes of several losses, as ``loss_code`` finds them."""
    return tuple(
        code for value in values if (code := loss_code(context, parameter, value)) is not None
    )


class PrintedError(click.ClickException):
    """An error that is printed as one message, with the exit code of its kind."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click declares it for the class


class FriendlyGroup(click.Group):
    """A group whose commands end with a message and an exit code instead of a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            # A name may have bytes that are no text, and a terminal may lack a sign: either is shown as its code.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        with stoppable():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BenchbookError as error:
            if ctx.find_root().params.get("traceback"):
                raise
            raise PrintedError(shortened(str(error), _LONGEST), error.exit_code) from error
        except KeyboardInterrupt as stop:
            number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
            how = (
                "interrupted"
                if number == signal.SIGINT
                else f"stopped by {signal.Signals(number).name}"
            )
            raise PrintedError(how, 128 + number) from None


def sentence(text: str, before: str = "") -> str:
    """Text broken to the width of the terminal, with ``before`` at the beginning of each line."""
    width = shutil.get_terminal_size((100, 24)).columns
    return click.wrap_text(text, width, initial_indent=before, subsequent_indent=before)


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str] | None = None) -> None:
    """Print rows of a common form; ``columns`` maps a key to its heading and leaves the others out."""
    if not rows:
        click.echo("nothing to show")
        return
    click.echo(grid(rows, columns or {key: key for key in rows[0]}))


def grid(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], form: str = "table") -> str:
    """Rows as a table of text.

    Args:
        rows: of a common form. columns: headings by key. form: table, latex (booktabs) or markdown.
    """
    numeric = {key for key in columns if any(isinstance(row.get(key), int | float) for row in rows)}
    body = [[_cell(row.get(key)) for key in columns] for row in rows]
    sides = "".join("r" if key in numeric else "l" for key in columns)
    return grids.grid(body, list(columns.values()), sides, form)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.0f}" if _WHOLE[0] <= abs(value) < _WHOLE[1] else f"{value:.4g}"
    return str(value)


def with_error(value: float | None, error: float | None) -> str:
    """A number and its standard error as pages have it, in signs that every terminal has: 0.0418 ± 0.0023."""
    return numbers.in_ascii(numbers.with_error(value, error))


def tell_outlook(found: Outlook) -> None:
    """Print what would be run, what is there, and about how long it takes."""
    rows = found.table.to_dicts()
    click.echo("")
    table(
        rows,
        {
            "task": "task",
            "method": "method",
            "to_run": "to run",
            "there": "there already",
            "failed_before": "failed before",
            "seconds_each": "seconds each",
        },
    )
    item = found.summary
    processes = "1 process" if found.workers == 1 else f"{found.workers} processes"
    if found.seconds is None:
        takes = "how long it takes is not known"
    else:
        takes = f"about {duration(found.seconds / found.workers)} with {processes}"
        if found.unknown:
            takes += f"; of {found.unknown} it is not known how long they take"
    click.echo(
        f"\n{item.left} to run, {len(item.kept)} there already, {len(item.kept_failed)} failed before"
        + (f"; {takes}" if item.left else "")
        + ("\n--retry-failed runs again what failed before." if item.kept_failed else "")
        + "\nNothing was run: leave --dry-run out for that."
    )
    for line in item.reasons:
        click.echo(line)
    for method, task in item.not_applicable:
        click.echo(f"  not applicable: {method} does not predict the target of {task}")
    for task, reason in item.missing.items():
        click.echo(f"  data not available: {task}: {reason}")


def duration(seconds: float) -> str:
    """A time in words: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.2g} h"


def record(fields: Mapping[str, Any]) -> None:
    """Print the fields of one thing, a line each, long texts on their own line."""
    width = max(len(name) for name in fields) + 2
    for name, value in fields.items():
        click.echo(f"{name + ':':<{width}}{_cell(value)}")


def show(as_json: bool, data: object, human: Callable[[], None]) -> None:
    """Print ``data`` as JSON, or call ``human`` to print it for a person."""
    if as_json:
        click.echo(json.dumps(_plain(data), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        human()


def _plain(value: object) -> object:
    """JSON has no infinities and no NaN: they become null, and everything unknown becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    return value.item() if hasattr(value, "item") else str(value)


def named(text: str, option: str) -> list[str]:
    """The names with commas between them, each once; none when the option was left out.

    Raises:
        BenchbookError: there are commas, and no names.
    """
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if text and not names:
        raise BenchbookError(
            f"{option} has no name in {text!r}; leave it out, or write names with commas between them"
        )
    return names


def column_values(
    _context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    """Options of the form COLUMN=VALUE; a column may have the sign in its name, a value may not."""
    pairs = {}
    for text in given:
        column, sign, value = text.rpartition("=")
        if not sign or not column or not value:
            raise click.BadParameter(
                f"{text!r}; write COLUMN=VALUE, with quotes around it when there are blanks in it",
                param=parameter,
            )
        pairs[column] = value
    return pairs


def one_sign_each(decimal: str, thousands: str) -> tuple[str, str]:
    """What stands before fractions and between thousands, checked."""
    for option, sign in (("decimal", decimal), ("thousands", thousands)):
        if len(sign) > 1:
            raise BenchbookError(f"--{option} is one sign, not {sign!r}")
    if decimal in ("", thousands):
        raise BenchbookError(f"--decimal is one sign, and not that of --thousands: {decimal!r}")
    return decimal, thousands


def whole_numbers(
    _context: click.Context, parameter: click.Parameter, given: str | None
) -> tuple[int, ...]:
    """An option of whole numbers with commas between them."""
    words = [] if given is None else given.replace(" ", "").split(",")
    if not all(word.isdecimal() and word.isascii() for word in words):
        raise click.BadParameter(
            f"{given!r}; write whole numbers with commas between them, such as 1,2,12",
            param=parameter,
        )
    return tuple(map(int, words))
