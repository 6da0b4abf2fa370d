"""Tasks: from a dataset to what a method is asked.

A prototask says what is predicted from what, and how cases are dealt out; a task adds the training-set size; a task
instance is one training set with its test inputs, encoded. Test targets stay with the scorer.
"""

from typing import TYPE_CHECKING

from benchbook.rooms import import_on_demand

if TYPE_CHECKING:
    from benchbook.tasks import delve, user
    from benchbook.tasks.arrays import ArrayPlace, arrays, place
    from benchbook.tasks.cases import Cases, cases_of, prepare
    from benchbook.tasks.challenge_task import ChallengeTask
    from benchbook.tasks.declaration import Prototask
    from benchbook.tasks.encoding import Encoding
    from benchbook.tasks.encodings import (
        LEGAL,
        Coding,
        Fitted,
        Statistics,
        coding,
        default_encoding,
        fit,
    )
    from benchbook.tasks.folds_task import FoldsTask
    from benchbook.tasks.partition import Partition, Portion
    from benchbook.tasks.partition_task import PartitionInstance, PartitionTask
    from benchbook.tasks.partitions import ORDERS, partition, partition_names
    from benchbook.tasks.recoding import encoding_text
    from benchbook.tasks.registry import (
        available,
        get,
        instance,
        instances,
        prototask,
        prototasks,
        prototasks_path,
    )
    from benchbook.tasks.roles import assignment
    from benchbook.tasks.scorer import (
        Scorer,
        all_test_targets,
        default_losses,
        loss_codes,
        ranking_loss,
        standard,
    )
    from benchbook.tasks.splits_task import SplitsTask
    from benchbook.tasks.splitting import Split, instance_count, ordered, split
    from benchbook.tasks.task import Task
    from benchbook.tasks.task_instance import TaskInstance, decode_integer

__all__ = [
    "LEGAL",
    "ORDERS",
    "ArrayPlace",
    "Cases",
    "ChallengeTask",
    "Coding",
    "Encoding",
    "Fitted",
    "FoldsTask",
    "Partition",
    "PartitionInstance",
    "PartitionTask",
    "Portion",
    "Prototask",
    "Scorer",
    "Split",
    "SplitsTask",
    "Statistics",
    "Task",
    "TaskInstance",
    "all_test_targets",
    "arrays",
    "assignment",
    "available",
    "cases_of",
    "coding",
    "decode_integer",
    "default_encoding",
    "default_losses",
    "delve",
    "encoding_text",
    "fit",
    "get",
    "instance",
    "instance_count",
    "instances",
    "loss_codes",
    "ordered",
    "partition",
    "partition_names",
    "place",
    "prepare",
    "prototask",
    "prototasks",
    "prototasks_path",
    "ranking_loss",
    "split",
    "standard",
    "user",
]

import_on_demand(__name__, __file__)
