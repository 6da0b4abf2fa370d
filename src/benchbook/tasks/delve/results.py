"""Guesses and losses of a method of ours, written as DELVE keeps them: ``cguess.<loss>.<i>``, ``closs.<loss>.<i>``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchbook.predictive import Gaussian, Predictive
from benchbook.tasks.delve.guesses import rescaled
from benchbook.tasks.delve.text import write_numbers
from benchbook.tasks.task_instance import TaskInstance


def write_guesses(folder: Path, instance: TaskInstance, prediction: Predictive) -> list[str]:
    """Write the guess that suits each loss, on the encoded scale of the instance.

    Real targets: the mean for S, the median for A, mean and variance for L when the distribution is Gaussian; the files
    have no room for another distribution. Classes: the index of the most probable one for Z, probabilities for Q and L.

    Args:
        folder: where to write. instance: whose encoding is used.
        prediction: for its J test cases, on the scale of the data.

    Returns:
        The letters of the losses for which there is a file.
    """
    blocks: dict[str, list[NDArray]]
    if instance.kind == "class":
        shares = prediction.parameters["probability"]
        blocks = {"Z": [np.argmax(shares, axis=1)], "Q": [shares], "L": [shares]}
    else:
        target = instance.encoding.target
        coded = prediction.affine(-target.centre / target.scale, 1 / target.scale)
        blocks = {"S": [coded.mean()], "A": [coded.median()]}
        if isinstance(coded, Gaussian):
            blocks["L"] = [coded.mean(), coded.variance()]
    for letter, columns in blocks.items():
        write_numbers(folder / f"cguess.{letter}.{instance.number}", *columns)
    return list(blocks)


def write_losses(
    folder: Path, instance: TaskInstance, losses: Mapping[str, NDArray[np.float64]]
) -> list[str]:
    """Write case losses, [J] by letter and on the scale of the data, as those of encoded targets.

    Returns:
        The letters of the losses for which there is a file.
    """
    letters = sorted(set(losses) & set("ASLZQ"))
    unit = instance.encoding.target.scale
    for letter in letters:
        values = losses[letter]
        coded = values if instance.kind == "class" else rescaled(letter, values, 1 / unit)
        write_numbers(folder / f"closs.{letter}.{instance.number}", coded)
    return letters
