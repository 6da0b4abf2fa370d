"""DELVE's own files: tasks written for programs in any language, their guesses and losses read back."""

from benchbook.tasks.delve.exchange import read_guess, write_instance
from benchbook.tasks.delve.guesses import Scale, guess_losses, import_losses, read_guesses
from benchbook.tasks.delve.layout import export
from benchbook.tasks.delve.results import write_guesses, write_losses

__all__ = [
    "Scale",
    "export",
    "guess_losses",
    "import_losses",
    "read_guess",
    "read_guesses",
    "write_guesses",
    "write_instance",
    "write_losses",
]
