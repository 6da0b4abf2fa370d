"""The phases of a challenge, as of its source: what may be sent, what is given out, and what is told, and when.

* before: nothing but title, text and dates;
* validation: the validation targets are hidden, entries for ``validation`` and ``test-before`` are taken, and the
  losses on the validation cases are told at once;
* test: the validation targets are out, and a few entries for ``test`` are taken;
* closed: the losses on the test cases are told; entries that come now are scored too, marked late and not ranked.

Losses on the test cases are told when the challenge is closed and not before, so that nobody can grope for the targets.
"""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook_book.course.challenge import Organiser
from benchbook_book.course.server.models import Challenge

BEFORE, VALIDATION, TEST, CLOSED = "before", "validation", "test", "closed"
LATE = "late"
TAKEN = {
    VALIDATION: ("validation", "test-before"),
    TEST: ("test",),
    CLOSED: ("test", "test-before"),
}
"""The last parts of the names of the tasks that may be entered, by phase."""
_FORMS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


def phase(challenge: Challenge, now: float | None = None) -> str:
    """The phase that a challenge is in."""
    now = time.time() if now is None else now
    reached = [
        name
        for name, date in (
            (VALIDATION, challenge.opens),
            (TEST, challenge.switches),
            (CLOSED, challenge.closes),
        )
        if date is not None and date <= now
    ]
    return reached[-1] if reached else BEFORE


def offered(organiser: Organiser, now: str) -> Organiser:
    """The tasks of an organiser that may be entered in a phase."""
    return Organiser(
        {
            task: organiser[task]
            for task in organiser
            if task.rpartition("/")[2] in TAKEN.get(now, ())
        }
    )


def losses_shown(now: str, task: str) -> bool:
    """Whether the losses on a task are told in a phase."""
    return now == CLOSED or (now != BEFORE and task.endswith("/validation"))


def when(text: str, what: str) -> float | None:
    """A date as it is typed, in UTC, as seconds since 1970; None for an empty text.

    ``now`` is now, and ``+2h``, ``+30m`` or ``+7d`` so much later.

    Raises:
        BenchbookError: it is none.
    """
    text = text.strip()
    if not text:
        return None
    if text == "now":
        return time.time()
    scale = {"m": 60, "h": 3600, "d": 86_400}.get(text[-1:])
    if (
        text.startswith("+")
        and scale
        and text[1:-1].isascii()
        and text[1:-1].isdigit()
        and len(text) < 8
    ):
        return time.time() + scale * int(text[1:-1])
    for form in _FORMS:
        try:
            moment = datetime.strptime(text.removesuffix("Z"), form).replace(tzinfo=UTC)
        except ValueError:
            continue
        if moment.year >= 2000:
            return moment.timestamp()
    raise FaultyInput(
        "dates",
        [
            Fault(
                what,
                repr(text[:60]),
                "must be a date in UTC such as 2030-05-17 12:00, or now, "
                "or +7d for a week from now",
            )
        ],
    )


def readable(moment: float | None) -> str:
    """A moment in words: ``2030-05-17 12:00 UTC``."""
    if moment is None or not math.isfinite(moment):
        return "not set"
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")


def check_dates(opens: float | None, switches: float | None, closes: float | None) -> None:
    """Refuse dates that are not in their order.

    Raises:
        BenchbookError: a phase would end before it begins.
    """
    given = [date for date in (opens, switches, closes) if date is not None]
    if given != sorted(given):
        raise BenchbookError(
            f"the phases must follow each other; found opens {readable(opens)}, switches "
            f"{readable(switches)}, closes {readable(closes)}"
        )
