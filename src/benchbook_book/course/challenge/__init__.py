"""Submissions to a challenge: checked, scored and ranked by pure functions over paths and tables.

Nothing here keeps state or writes outside the path it is given, so that a server can stand on it. The command line's
``benchbook challenge`` is one user of it.
"""

from benchbook_book.course.challenge.asked import Asked, Key, Offer, Organiser, book_organiser
from benchbook_book.course.challenge.board import (
    Board,
    boards,
    differ_significantly,
    false_alarms,
)
from benchbook_book.course.challenge.checking import Entry, Submission, check, read
from benchbook_book.course.challenge.findings import SubmissionLimits, SubmissionReport
from benchbook_book.course.challenge.scoring import Scored, baseline, score
from benchbook_book.course.challenge.targets import from_files
from benchbook_book.course.challenge.writing import write

__all__ = [
    "Asked",
    "Board",
    "Entry",
    "Key",
    "Offer",
    "Organiser",
    "Scored",
    "Submission",
    "SubmissionLimits",
    "SubmissionReport",
    "baseline",
    "boards",
    "book_organiser",
    "check",
    "differ_significantly",
    "false_alarms",
    "from_files",
    "read",
    "score",
    "write",
]
