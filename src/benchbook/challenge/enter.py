"""A method of the book, or one's own, entered for a challenge: run on its tasks, and written as a submission."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchbook import methods, seeds, tasks
from benchbook.challenge.asked import Organiser
from benchbook.challenge.writing import Form, write
from benchbook.errors import BenchbookError
from benchbook.methods.base import is_exploit


def enter(method: str, names: Sequence[str], organiser: Organiser, folder: str | Path, *, team: str = "benchbook",
          seed: int = 1, form: Form = "txt", exploit: bool = False) -> Path:
    """Run a method on tasks with phases and write its submission.

    The random numbers are those of ``benchbook run`` with the same seed, so that the losses are too, up to the digits
    that ``writing.as_written`` keeps.

    Args:
        method: what ``methods.get`` takes: a registered name, or path/to/mine.py:name.
        names: the tasks. organiser: who offers them. folder: where the submission is written.
        team, exploit: what the manifest says; a method that says itself that it is an exploit is entered as one.
        seed: of the random numbers. form: of the prediction files.

    Returns:
        The path of the manifest.

    Raises:
        BenchbookError: an unknown task or method, a method that fails, or that does not predict such targets.
    """
    from threadpoolctl import threadpool_limits

    chosen, predictions = methods.get(method), []
    for name in names:
        asked, instance = organiser.asked(name), tasks.instance(name, 0)
        rng = seeds.generator(seed, chosen.name, name, 0)
        with threadpool_limits(limits=1):
            answered, _ = methods.answer(chosen, instance, rng)
        predictions.append((asked, instance.decode(answered)))
    if not predictions:
        raise BenchbookError("say which tasks to enter; `benchbook challenge tasks` shows them")
    said = " ".join(chosen.description.split())[:2000] or chosen.name
    flagged = exploit or is_exploit(chosen.name)
    return write(folder, chosen.name, team, said, predictions, form, flagged)
