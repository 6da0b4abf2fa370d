"""Stand-ins for PROBEN1's problems: real data that scikit-learn brings along, encoded by PROBEN1's rules.

They keep the pages and tests of PROBEN1 alive where its files are not available. The choice of the problems and the
three permutations of each are ours, and their numbers have no counterpart in the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchbook.datasets.entries import STANDIN, names_of
from benchbook.datasets.proben1_cards import of_problems
from benchbook.datasets.types import Card
from benchbook.errors import BenchbookError, Fault
from benchbook.rules import TEXT
from benchbook.seeds import generator

DECIMALS = 6


def expand(section: Mapping[str, Any], faulty: dict[str, list[Fault]]) -> dict[str, dict[str, Any]]:
    """Registry entries ``sklearn-cancer1`` to ``sklearn-diabetes3`` from the section ``[standins]``.

    The section has what all cards share; ``problems`` holds one table per problem with ``loader`` (of
    ``sklearn.datasets``), ``partition``, ``inputs`` and ``outputs``. ``faulty`` gets the faults of the datasets that
    are left out.
    """
    return of_problems(
        "standins", "sklearn", section, faulty, {"order": TEXT}, (STANDIN, {}), _entry
    )


def _entry(
    problem: str, number: int, table: Mapping[str, Any], section: Mapping[str, Any]
) -> dict[str, Any]:
    attributes = [*table["inputs"], *table["outputs"]]
    return {
        "title": f"{table['title']}, permutation {number}",
        "description": table["description"],
        "source": table["source"],
        "citation": table["citation"],
        "family": problem,
        "shape": [sum(table["partition"]), len(names_of(attributes))],
        "attributes": attributes,
        "targets": names_of(table["outputs"]),
        "partition": table["partition"],
        "row_order": section["order"],
        "layout": {"loader": table["loader"], "permutation": number},
    }


def cases(card: Card) -> pl.DataFrame:
    """The cases of a stand-in: inputs [N, I] and outputs [N, O] side by side, a column for each.

    Every input x becomes (x - min x) / (max x - min x) over all N cases, 0 when it never changes, to six decimals; so
    does a real target. A class becomes 1 of m. The cases are permuted by a generator named after problem and
    permutation.

    Raises:
        BenchbookError: scikit-learn's data is not of the shape the card says.
    """
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{card.layout['loader']}")(**_options(card))
    classes = getattr(bunch, "target_names", ())
    outputs = (
        np.eye(len(classes))[bunch.target] if len(classes) else _rescaled(bunch.target[:, None])
    )
    values = np.hstack([_rescaled(bunch.data), outputs])
    if values.shape != (card.shape.cases, card.shape.attributes):
        raise BenchbookError(
            f"scikit-learn's {card.layout['loader']} has {values.shape[0]} cases of "
            f"{values.shape[1]} values; {card.name} needs {card.shape.cases} of "
            f"{card.shape.attributes}. Install the release of scikit-learn in requirements.txt"
        )
    order = generator(0, "stand-in", card.family, card.layout["permutation"]).permutation(
        len(values)
    )
    return pl.DataFrame(
        values[order], schema=[attribute.name for attribute in card.attributes], orient="row"
    )


def _options(card: Card) -> dict[str, bool]:
    """Diabetes comes standardised unless one asks for the values that were measured."""
    return {"scaled": False} if card.layout["loader"] == "diabetes" else {}


def _rescaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    return np.round((values - low) / np.where(span > 0.0, span, 1.0), DECIMALS)
