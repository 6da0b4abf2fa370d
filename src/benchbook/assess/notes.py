"""Notes that a comparison gives with its numbers."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """What a reader has to know of one loss.

    Attributes:
        code: approximate, few_differences, rare_class, models_only, cautious, dependent_rows, few_positives, infinite,
            zero_losses, no_disagreement, rough, by_fold, folds_without.
        loss: its name. text: one or two sentences.
    """

    code: str
    loss: str
    text: str
