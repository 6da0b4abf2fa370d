"""Submissions to a challenge: checked, scored and ranked by pure functions over paths and tables.

Nothing here keeps state or writes outside the path it is given, so that a server can stand on it. The command line's
``benchbook challenge`` is one user of it.
"""

from benchbook.challenge.asked import Asked, Key, Offer, Organiser, book_organiser
from benchbook.challenge.board import Board, boards, differ_significantly, false_alarms, letters
from benchbook.challenge.checking import Entry, Submission, check, read
from benchbook.challenge.findings import SubmissionLimits, SubmissionReport
from benchbook.challenge.scoring import Scored, baseline, score
from benchbook.challenge.targets import from_files
from benchbook.challenge.writing import write

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
    "letters",
    "read",
    "score",
    "write",
]
