"""Data of the user's as datasets with tasks: proposed, shown, kept outside the checkout, and taken away again.

``propose(read_table(path), Wanted(target="rent"))`` makes a proposal, and ``keep(proposal, kept())`` keeps it.
"""

from benchbook.datasets.user.guess import Wishes
from benchbook.datasets.user.places import BESIDE, folders, kept
from benchbook.datasets.user.tables import read_table
from benchbook.datasets.user.texts import Table
from benchbook.tasks.user.declaring import declare
from benchbook.tasks.user.proposal import Proposal, Wanted, plain_name, propose
from benchbook.tasks.user.writing import check, keep, remove

__all__ = [
    "BESIDE",
    "Proposal",
    "Table",
    "Wanted",
    "Wishes",
    "check",
    "declare",
    "folders",
    "keep",
    "kept",
    "plain_name",
    "propose",
    "read_table",
    "remove",
]
