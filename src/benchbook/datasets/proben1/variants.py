"""The same attributes represented otherwise, to see what a representation is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchbook.datasets.proben1.encoders import Codes, Encoder, Filled, Flagged, Value, scale
from benchbook.datasets.proben1.representation import Columns, EncodedAttribute, Representation


def as_numbers(representation: Representation) -> Representation:
    """Nominal attributes of more than two values as one number, their words counted through in the order they have.

    Only 1-of-m codes become numbers; indicators of missing values stay. Outputs stay as they are.
    """
    inputs = tuple(
        EncodedAttribute(part.attribute, _number(part.encoder)) for part in representation.inputs
    )
    return Representation(inputs, representation.outputs)


def _number(encoder: Encoder) -> Encoder:
    if isinstance(encoder, Flagged):
        return Flagged(_number(encoder.inner), alarm=encoder.alarm)
    if isinstance(encoder, Filled):
        inner = _number(encoder.inner)
        return Filled(
            inner, encoder.code if inner.width == encoder.inner.width else (0.0,) * inner.width
        )
    if isinstance(encoder, Codes) and len(encoder.table) > 2 and _one_of(encoder):
        return scale(list(encoder.table))
    return encoder


def _one_of(encoder: Codes) -> bool:
    codes = np.array(list(encoder.table.values()))
    return codes.shape[0] == codes.shape[1] and bool((codes == np.eye(len(codes))).all())


def without_indicators(representation: Representation, columns: Columns) -> Representation:
    """No inputs for missing values: what is missing gets the mean code of what is known.

    The means are taken over all cases of ``columns``, as PROBEN1 takes its scales over all cases.
    """
    return Representation(
        tuple(
            EncodedAttribute(part.attribute, _filled(part.encoder, columns[part.attribute]))
            for part in representation.inputs
        ),
        representation.outputs,
    )


def _filled(encoder: Encoder, values: Sequence[Value]) -> Encoder:
    if not isinstance(encoder, Flagged):
        return encoder
    known = [value for value in values if value is not None]
    means = encoder.inner.encode(known).mean(axis=0) if known else np.zeros(encoder.inner.width)
    return Filled(encoder.inner, tuple(means.tolist()))
