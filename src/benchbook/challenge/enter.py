"""A method of the book, or one's own, entered for a challenge: run on its tasks, and written as a submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchbook import methods
from benchbook.challenge.asked import Organiser
from benchbook.challenge.writing import Form, as_name, check_entrant, write
from benchbook.errors import BenchbookError
from benchbook.methods.asking import answered
from benchbook.methods.base import is_exploit
from benchbook.studies.limits import Limits
from benchbook.studies.workers import answered_apart


def enter(
    method: str,
    names: Sequence[str],
    organiser: Organiser,
    folder: str | Path,
    *,
    team: str = "benchbook",
    seed: int = 1,
    form: Form = "txt",
    exploit: bool = False,
) -> Path:
    """Run a method on tasks with phases and write its submission.

    The random numbers are those of ``benchbook run`` with the same seed, so that the losses are too, up to the digits
    that ``writing.as_written`` keeps.

    Args:
        method: what ``methods.get`` takes: a registered name, or path/to/mine.py:name, which runs in processes of its
            own.
        names: the tasks. organiser: who offers them. folder: where the submission is written.
        team, exploit: what the manifest says; a method that says itself that it is an exploit is entered as one.
        seed: of the random numbers. form: of the prediction files.

    Returns:
        The path of the manifest.

    Raises:
        FaultyInput: a team or a name that no manifest takes, or inputs that cannot be used.
        BenchbookError: an unknown task or method, a method that fails, or that does not predict such targets.
    """
    chosen, predictions = methods.declared(method), []
    text = " ".join(chosen.description.split())[:2000] or chosen.name
    name = as_name(chosen.name)
    check_entrant(name, team, text)
    for task in names:
        requested, instance = organiser.asked(task), organiser.instance(task)
        work = (method, seed, instance)
        answer = answered_apart(work, Limits()) if methods.from_outside(method) else answered(*work)
        predictions.append((requested, instance.decode(answer.prediction(chosen.name))))
    if not predictions:
        raise BenchbookError(
            "say with --tasks which tasks to enter; `benchbook challenge tasks` shows them"
        )
    flagged = exploit or is_exploit(chosen.name)
    return write(folder, name, team, text, predictions, form, flagged)
