"""Which column of a table of results is what: by names that have one meaning; those that have two are asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import polars as pl

from benchbook.errors import Fault, shortened

SYNONYMS: dict[str, str] = {
    "method": "method method_name method_id model model_name model_id system system_name framework learner learner_id "
    "classifier algorithm estimator wflow_id flow_name approach agent",
    "item": "item item_id doc_id sample_id instance_id instance question_id example_id example query_id qid row_id "
    "row_index row case case_id idx index id",
    "dataset": "dataset dataset_name dataset_id data_set data_name task task_name task_id benchmark problem game "
    "environment env",
    "fold": "fold cv_fold fold_id",
    "repeat": "repeat rep",
    "seed": "seed random_state random_seed train_trial_index",
    "sample": "attempt draw rollout completion",
    "cluster": "cluster cluster_id document document_id doc doc_name passage passage_id patient patient_id chat "
    "article",
    "time": "date timestamp datetime ds month quarter year week day hour time forecast_date origin cutoff period",
    "weight": "weight weights sample_weight",
    "se": "se stderr std_err std_error standard_error sem",
    "n": "n n_items n_samples count effective",
    "metric": "metric metric_name measure",
    "target": "y target label y_true truth true actual gold ground_truth",
}
"""Names of one meaning, by role; the first that a table has is taken."""

DOUBLE: dict[str, str] = {
    "epoch": "sample='{0}' where each is another answer to the item; epochs of training are no results of their own: "
    "keep the last one of each method",
    "trial": "seed='{0}', sample='{0}' or fold='{0}'; trials of a search are no repetitions: keep the chosen one",
    "iteration": "fold='{0}' where each is a split, seed='{0}' where it is a training; of rounds of one training keep "
    "the last",
    "run": "method='{0}', or seed='{0}' where each run is another training",
    "sample": "item='{0}', or sample='{0}' where each is another answer to an item",
    "split": "fold='{0}' where each is another split of the cases",
    "group": "cluster='{0}' where the items of one belong together, method='{0}' where these are compared, or "
    "by='{0}' for a difference in each",
    "user": "cluster='{0}' where the items of one belong together, item='{0}' where each is one item",
    "subject": "cluster='{0}' where the items of one person belong together, dataset='{0}' where these are tasks",
    "rater": "sample='{0}' for an answer about these raters, or seed='{0}', seeds='shared' for one about such raters",
}
_ALIKE = {
    "iter": "iteration",
    "step": "iteration",
    "round": "iteration",
    "boosting_round": "iteration",
    "generation": "iteration",
    "resample": "split",
    "partition": "split",
    "replicate": "run",
    "replication": "run",
    "run_id": "run",
    "user_id": "user",
    "subject_id": "subject",
    "group_id": "group",
    "arm": "group",
    "variant": "group",
    **dict.fromkeys(("reader", "annotator", "judge", "assessor", "evaluator", "worker"), "rater"),
}
_PARTS = {"train", "training", "val", "valid", "validation", "dev", "test", "holdout"}
_SHOWN = 8


def plain_name(name: object) -> str:
    """A column's name in lower case, with ``_`` for everything but letters and digits."""
    return re.sub(r"[^a-z0-9]+", "_", str(name).lower()).strip("_")


def roles_of(
    frame: pl.DataFrame, named: Mapping[str, str], ignored: Sequence[str], faults: list[Fault]
) -> dict[str, str]:
    """The column of each role.

    Args:
        frame: the table. named: by role, the columns that the user named, which are there.
        ignored: columns that play another part, such as segments.
        faults: gets a line for each column that may be two things, with how to say which.
    """
    roles = dict(named)
    free = [
        name
        for name in frame.columns
        if name not in (*named.values(), *ignored) and frame[name].null_count() < frame.height
    ]
    by_name: dict[str, list[str]] = {}
    for name in free:
        by_name.setdefault(plain_name(name), []).append(name)
    for role, words in SYNONYMS.items():
        hits = [name for word in words.split() for name in by_name.get(word, ())]
        hits = [name for name in hits if name not in roles.values()]
        hits = [name for name in hits if not (role == "time" and _is_duration(frame[name]))]
        if role in roles or not hits:
            continue
        varying = [name for name in hits if frame[name].n_unique() > 1] or hits[:1]
        different = [varying[0], *(x for x in varying[1:] if not _alike(frame, varying[0], x))]
        if len(different) > 1 and role in ("method", "item", "dataset", "seed", "fold", "time"):
            text = shortened(", ".join(different), 100)
            faults.append(
                Fault(
                    role, f"{len(different)} columns that may be it: {text}", f"{role}= one of them"
                )
            )
        roles[role] = varying[0]
    _resampling_ids(frame, by_name, named, roles)
    faults += _asked(frame, by_name, roles)
    return roles


def _is_duration(values: pl.Series) -> bool:
    """Whether a column called ``time`` holds seconds, not moments."""
    return values.dtype.is_float() and bool((values != values.floor()).any())


def _alike(frame: pl.DataFrame, one: str, other: str) -> bool:
    """Whether two columns tell the same rows apart."""
    both = frame.select(one, other).n_unique()
    return both == frame[one].n_unique() == frame[other].n_unique()


def _resampling_ids(
    frame: pl.DataFrame,
    by_name: Mapping[str, Sequence[str]],
    named: Mapping[str, str],
    roles: dict[str, str],
) -> None:
    """tidymodels calls folds ``id``, or the repeats ``id`` and the folds ``id2``: Fold01, Repeat1."""
    for name in (*by_name.get("id", ()), *by_name.get("id2", ())):
        values = frame[name]
        if values.dtype != pl.String or name in named.values():
            continue
        for role, word in (("fold", "fold|resample|bootstrap"), ("repeat", "repeat")):
            if values.str.to_lowercase().str.contains(rf"^({word})\s*_?\d+$").all():
                roles.update({role: name})
                if roles.get("item") == name:
                    del roles["item"]


def answer_of(name: str) -> str:
    """How to say what a column of that name is, where the name has two meanings."""
    word = plain_name(name)
    return DOUBLE.get(word) or DOUBLE.get(_ALIKE.get(word, ""), "")


def _asked(
    frame: pl.DataFrame, by_name: Mapping[str, Sequence[str]], roles: Mapping[str, str]
) -> list[Fault]:
    faults = []
    for word, names in by_name.items():
        for name in names:
            answer = answer_of(name)
            if word.endswith("_id") and frame[name].n_unique() == frame.height:
                continue
            if not answer or name in roles.values() or (count := frame[name].n_unique()) < 2:
                continue
            parts = {str(value).lower() for value in frame[name].unique().to_list()[:4]}
            if parts <= _PARTS:
                rule = (
                    f"the rows of the test set alone: filter by {name}; the others are no results"
                )
            else:
                rule = f"{answer.format(name)}; drop={name!r} if it does not matter"
            values = ", ".join(map(str, frame[name].unique(maintain_order=True).to_list()[:3]))
            faults.append(
                Fault(
                    name, f"{count} values ({shortened(values, 60)}), a name of two meanings", rule
                )
            )
    return faults


def columns_text(frame: pl.DataFrame) -> str:
    """The first columns of a table, for messages."""
    more = f" and {frame.width - _SHOWN} more" if frame.width > _SHOWN else ""
    return shortened(", ".join(frame.columns[:_SHOWN]) + more, 200)
