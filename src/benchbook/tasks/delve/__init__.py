"""DELVE's own files: tasks written for programs in any language, their guesses and losses read back."""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
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
    from benchbook.tasks.delve.priors import Prior, read_priors

__all__ = [
    "Prior",
    "Scale",
    "export",
    "guess_losses",
    "import_losses",
    "read_guess",
    "read_guesses",
    "read_priors",
    "write_guesses",
    "write_instance",
    "write_losses",
]

import_on_demand(__name__, __file__)
