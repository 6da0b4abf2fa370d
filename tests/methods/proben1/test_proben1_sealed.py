"""A partition without test targets: the same training, and no test error."""

import dataclasses
import math

import numpy as np
import pytest

from benchbook.errors import FaultyInput
from benchbook.methods.proben1 import PIVOT_RUNS, Portion, Topology, train
from benchbook.seeds import generator


@pytest.fixture
def sealed(small_partition):
    test = small_partition.test
    return dataclasses.replace(small_partition, test=Portion(test.inputs, test.targets[:, :0]))


def test_what_is_not_seen_changes_nothing(small_partition, sealed):
    topology = Topology.parse("4+2l", 2, 2)
    seen, unseen = (
        train(partition, topology, PIVOT_RUNS, generator(1, "sealed"))
        for partition in (small_partition, sealed)
    )
    assert sealed.sealed
    assert not small_partition.sealed
    assert np.array_equal(seen.weights, unseen.weights)
    assert np.array_equal(seen.traces.validation, unseen.traces.validation)
    assert (seen.total_epochs, seen.stopped_by, seen.traversals) == (
        unseen.total_epochs,
        unseen.stopped_by,
        unseen.traversals,
    )


def test_there_is_no_test_error(sealed):
    run = train(sealed, Topology.parse("4+2l", 2, 2), PIVOT_RUNS, generator(1, "sealed"))
    assert math.isnan(run.test_error)
    assert math.isnan(run.test_wrong)
    assert np.isnan(run.traces.test).all()
    assert len(run.traces.test) == len(run.traces.validation)
    assert math.isfinite(run.validation_wrong)


def test_only_test_targets_can_be_left_out(small_partition):
    validation = small_partition.validation
    with pytest.raises(FaultyInput, match="validation targets"):
        dataclasses.replace(
            small_partition, validation=Portion(validation.inputs, validation.targets[:, :0])
        )
