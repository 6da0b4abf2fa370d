"""Registry files as tests read them."""

from benchbook.datasets.registry import read_cards
from benchbook.errors import FaultyInput


def read_registry(path):
    """The cards of a registry file by name; all its faults together, where it has any."""
    cards, faulty = read_cards(path)
    if faulty:
        faults = [fault for faults in faulty.values() for fault in faults]
        raise FaultyInput(f"the registry {path}", faults)
    return cards
