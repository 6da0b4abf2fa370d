"""Data of the user's as datasets with tasks: proposed, shown, kept outside the checkout, and taken away again.

``propose(read_table(path), TableRequest(target="rent"))`` makes a proposal, and ``keep(proposal, kept())`` keeps it.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.datasets.user.guess import Wishes
    from benchbook.datasets.user.places import BESIDE, folders, kept
    from benchbook.datasets.user.tables import read_table
    from benchbook.datasets.user.texts import Table
    from benchbook.tasks.user.declaring import declare
    from benchbook.tasks.user.proposal import Proposal, plain_name, propose
    from benchbook.tasks.user.request import TableRequest
    from benchbook.tasks.user.writing import check, keep, remove

__all__ = [
    "BESIDE",
    "Proposal",
    "Table",
    "TableRequest",
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

import_on_demand(__name__, __file__)
