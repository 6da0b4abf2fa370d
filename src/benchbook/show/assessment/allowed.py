"""What the data allow: how many training sets have no case in common, and what difference they can show."""

from __future__ import annotations

from dataclasses import dataclass

from benchbook import losses, tasks
from benchbook.assess.planning import detectable
from benchbook.show.assessment.asked import ComparisonRequest, gathered
from benchbook.show.assessment.standard import PILOT

POWER, LEVEL = 0.8, 0.05


@dataclass(frozen=True)
class Allowed:
    """One task: training cases, disjoint training sets, test cases of each, and the difference they can show.

    ``difference`` is the true difference of expected losses that the test at level 0.05 finds with a chance of 0.8
    when the losses differ from case to case and set to set as those of the two methods of a pilot do; None when there
    is none.
    ``share`` is the same as a share of the best constant guess's loss, None for losses that are not divided by it.
    """

    size: int
    sets: int
    cases: int
    difference: float | None
    share: float | None


def allowed(asked: ComparisonRequest) -> tuple[Allowed, ...]:
    """What each task of a prototask allows, from the runs of the pilot as far as they are there."""
    pilot = PILOT[tasks.prototask(asked.path).kind]
    page = gathered(asked, pilot) if set(pilot) <= set(asked.names) else None
    rows = (
        {}
        if page is None or page.empty
        else {
            row["task"]: row
            for row in page.compared.to_dicts()
            if row["loss"] == asked.code and row["method"] == pilot[0]
        }
    )
    found = []
    for name in tasks.available(asked.path):
        task = tasks.get(name)
        cases = task.describe()["test_cases_per_instance"]
        pair = rows.get(name)
        least = None if pair is None else detectable(pair, task.instances, cases, POWER, LEVEL)
        divided = losses.get(asked.code).standard_rule == "divide" and least is not None
        found.append(
            Allowed(
                task.size,
                task.instances,
                cases,
                least,
                least / tasks.standard(name, asked.code) if divided and least is not None else None,
            )
        )
    return tuple(found)
