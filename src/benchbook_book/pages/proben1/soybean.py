"""Soybean's representation: every sign has a code of its own, as the README of the problem lists them."""

from __future__ import annotations

from benchbook.datasets.proben1.encoders import Codes, Encoder, Filled, Flagged, one_of
from benchbook.datasets.proben1.representation import EncodedAttribute, Representation


def _codes(text: str) -> Encoder:
    """Codes of the values 0, 1, ... between bars; the last one after ``?`` is the code of a missing value."""
    known, _, missing = text.partition("?")
    table = Codes(
        {str(index): tuple(map(float, code.split())) for index, code in enumerate(known.split("|"))}
    )
    return Filled(table, tuple(map(float, missing.split()))) if missing else table


def _indicators(places: int) -> Encoder:
    """1-of-m, and an input more that is 1 for a missing value."""
    return Flagged(one_of([str(index) for index in range(places)]))


def representation() -> Representation:
    """The 35 signs as 82 inputs, and the disease as one of 19 outputs, rare diseases first."""
    present = "0 0 | 1 0 ? 0 1"
    degree = "0 0 | 0.5 0 | 1 0 ? 0 1"
    spots = "0 0 | 1 0 | 0.5 0 ? 0 1"
    rest = "0 0 0 0 | 1 0 0 0 | 0 1 0 0 | 0 0 1 0 ? 0 0 0 1"
    sixths = " | ".join(f"{index / 6}" for index in range(7))
    inputs: dict[str, Encoder] = {
        "date": _codes(f"{sixths} ? 0"),
        "plant-stand": _codes("0 | 1 ? 0"),
        "precip": _codes("-1 0 | 0 0 | 1 0 ? 0 1"),
        "temp": _codes(degree),
        "hail": _codes("1 0 | 0 0 ? 0 1"),
        "crop-hist": _codes(f"0 0 | {1 / 3} 0 | {2 / 3} 0 | 1 0 ? 0 1"),
        "area-damaged": _codes("0 0 | 0 1 | 1 0 | 1 1 ? 0 0"),
        "severity": _codes("-1 0 | 0 0 | 1 0 ? 0 1"),
        "seed-tmt": _codes("0 0 | 1 0 | 0 1 ? 1 1"),
        "germination": _codes("1 0 | 0.5 0 | 0 0 ? 0 1"),
        "plant-growth": _codes("0 | 1 ? 0"),
        "leaves": _codes("0 | 1"),
        "leafspots-halo": _codes("0 0 | 0 1 | 1 0 ? 1 1"),
        "leafspots-marg": _codes(spots),
        "leafspot-size": _codes(spots),
        "leaf-shread": _codes(present),
        "leaf-malf": _codes(present),
        "leaf-mild": _codes("0 0 0 | 1 0 0 | 0 1 0 ? 0 0 1"),
        "stem": _codes("0 | 1 ? 0.5"),
        "lodging": _codes(present),
        "stem-cankers": _codes(rest),
        "canker-lesion": _codes(rest),
        "fruiting-bodies": _codes(present),
        "external-decay": _indicators(3),
        "mycelium": _codes(present),
        "int-discolor": _indicators(3),
        "sclerotia": _codes(present),
        "fruit-pods": _codes("1 0 0 0 | 0 1 0 0 | 0 0 1 0 | 0 0 0 0 ? 0 0 0 1"),
        "fruit-spots": _indicators(5),
        "seed": _codes(present),
        "mold-growth": _codes(present),
        "seed-discolor": _codes(present),
        "seed-size": _codes(present),
        "shriveling": _codes(present),
        "roots": Filled(_indicators(3), (1.0, 0.0, 0.0, 0.0)),
    }
    diseases = (
        "herbicide-injury",
        "cyst-nematode",
        "diaporthe-pod-&-stem-blight",
        "2-4-d-injury",
        "bacterial-blight",
        "bacterial-pustule",
        "charcoal-rot",
        "diaporthe-stem-canker",
        "downy-mildew",
        "phyllosticta-leaf-spot",
        "powdery-mildew",
        "purple-seed-stain",
        "rhizoctonia-root-rot",
        "anthracnose",
        "brown-stem-rot",
        "phytophthora-rot",
        "alternarialeaf-spot",
        "frog-eye-leaf-spot",
        "brown-spot",
    )
    return Representation(
        tuple(EncodedAttribute(name, encoder) for name, encoder in inputs.items()),
        (EncodedAttribute("disease", one_of(diseases)),),
    )
