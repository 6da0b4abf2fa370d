"""DELVE's own files: tasks written for programs in any language, their guesses and losses read back."""

from benchbook.tasks.delve.exchange import read_guess, write_instance
from benchbook.tasks.delve.guesses import (
    Scale,
    guess_losses,
    import_losses,
    read_guesses,
    write_guesses,
    write_losses,
)
from benchbook.tasks.delve.layout import export

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
