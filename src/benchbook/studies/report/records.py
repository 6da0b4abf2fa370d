"""A filled form from the records of runs and from the objects that made them: nothing in it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import methods
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods.proben1 import PIVOT_RUNS, Recipe, Topology
from benchbook.methods.proben1.networks import SEARCHED
from benchbook.studies.report import known
from benchbook.studies.report.check import Report, check
from benchbook.studies.report.data_rules import PUBLISHED
from benchbook.studies.report.quantities import QUANTITIES
from benchbook.tasks import partitions

if TYPE_CHECKING:
    import polars as pl

SIGMOID = "x / (1 + |x|)"
_SOURCE = (
    "Riedmiller and Braun, A direct adaptive method for faster backpropagation learning: the RPROP algorithm, "
    "1993"
)
_NEEDED = ("dataset", "method", "run", "topology", "validation_error", "test_error")
_DIGITS = 6
_HELD = "validation cases"
# What was tried before PIVOT_RUNS was settled is told by methods.proben1.recipe; the report tells of its search, 12
# topologies with 3 runs each, that the validation error chose the hidden layers of Table 7.
_MATCHED: dict[str, Any] = {
    "parameters": ["first step", "first weights", "alpha of GL"],
    "tried": 7,
    "sensitivity": "first steps half or twice as large, weights from +-0.01 or +-0.2, and 1.1 for the increase "
    "agree clearly worse with the printed tables",
}
_SEARCHED: dict[str, Any] = {
    "parameters": ["hidden layers", "kind of output units"],
    "tried": 2 * len(SEARCHED),
    "sensitivity": "many topologies come within 5 % of the least validation error (PROBEN1, Tables 5 and 6)",
}


def from_runs(
    frame: pl.DataFrame,
    method: str,
    dataset: str,
    *,
    recipe: Recipe | None = None,
    shortcuts: bool | None = None,
) -> Report:
    """The report on the runs of one method on one partition, checked.

    Args:
        frame: a line for each run: dataset (such as ``cancer1``), method, run, topology, the errors and costs that
            ``methods.proben1.Run.describe`` gives, and where they are known ``shortcuts`` and ``cpu``, the processor.
            Other datasets and methods may be in it.
        method, dataset: which lines.
        recipe: how the networks were trained; by default that of the registered method.
        shortcuts: whether the networks have all shortcuts, where the frame does not say so.

    Raises:
        FaultyInput: columns that are missing, or several topologies under one name.
        BenchbookError: there are no such runs, the partition is not known, or the method is no network of PROBEN1's.
        FaultyReport: the runs break a rule, as those of a pivot network do where its hidden layers were chosen on what
            are test cases here (orders b, d, e and f).
    """
    if faults := [
        Fault("columns", ", ".join(frame.columns), f"a column {name!r} is needed")
        for name in _NEEDED
        if name not in frame.columns
    ]:
        raise FaultyInput("runs", faults)
    runs, place = frame.filter(dataset=dataset, method=method), known.partition(dataset)
    if place is None:
        raise BenchbookError(
            f"no partition {dataset!r} is known here; nearest is {known.nearest(dataset)!r}"
        )
    if runs.is_empty():
        raise BenchbookError(
            f"there are no runs of {method} on {dataset}; make some with `benchbook run`"
        )
    recipe = recipe or _recipe(method)
    topology = _topology(runs, place, shortcuts, method)
    return check(
        {
            "problem": {
                "name": place.problem,
                "source": place.source,
                "kind": "classification" if place.classification else "approximation",
            },
            "partition": _partition(place, method),
            "encoding": {"inputs": PUBLISHED, "outputs": PUBLISHED, "fitted_on": "published"},
            "network": _network(topology),
            **_training(recipe),
            "tuning": _tuning(recipe, method, place),
            "error": _error(recipe, place),
            "runs": _runs(runs),
            "results": _results(runs, place),
            **_time(runs),
        }
    )


def _recipe(method: str) -> Recipe:
    """The recipe among the settings of a method, or its own attribute."""
    try:
        chosen = None if methods.from_outside(method) else methods.get(method)
    except BenchbookError:
        chosen = None
    recipe = getattr(chosen, "recipe", None) or getattr(
        getattr(chosen, "settings", None), "recipe", None
    )
    if not isinstance(recipe, Recipe):
        raise BenchbookError(
            f"method {method} has no recipe of a network's training, and this form is about networks; "
            "for a network of your own give recipe="
        )
    return recipe


def _topology(
    runs: pl.DataFrame, place: known.Known, shortcuts: bool | None, method: str
) -> Topology:
    topologies = runs["topology"].unique().to_list()
    if len(topologies) > 1:
        raise FaultyInput(
            "runs",
            [
                Fault(
                    "topology",
                    ", ".join(sorted(topologies)),
                    "one report is on one topology: give the runs of one of them",
                )
            ],
        )
    if "shortcuts" in runs.columns:
        shortcuts = bool(runs["shortcuts"].all())
    elif shortcuts is None:
        shortcuts = "noshort" not in method
    return Topology.parse(topologies[0], place.inputs, place.outputs, shortcuts)


def _partition(place: known.Known, method: str) -> dict[str, Any]:
    training, validation, test = place.counts
    uses = [
        "stopping",
        "choosing the state",
        *(["tuning"] if _searched_on(method, place) == _HELD else []),
    ]
    return {
        "name": place.name,
        "training": training,
        "validation": validation,
        "test": test,
        "trained_on": "training cases",
        "validation_used_for": uses,
        "test_used_for": ["results"],
    }


def _network(topology: Topology) -> dict[str, Any]:
    return {
        "inputs": topology.inputs,
        "hidden": list(topology.hidden),
        "outputs": topology.outputs,
        "shortcuts": "all" if topology.shortcuts else "none",
        **({"hidden_activation": SIGMOID} if topology.hidden else {}),
        "output_activation": SIGMOID if topology.sigmoid_outputs else "identity",
        "connections": topology.connections,
    }


def _training(recipe: Recipe) -> dict[str, Any]:
    rprop = recipe.rprop
    constants = {
        "increase": rprop.up,
        "decrease": rprop.down,
        "first_step": list(rprop.first),
        "least_step": rprop.least,
        "most_step": rprop.most,
    }
    return {
        "initialisation": {"law": "uniform", "range": [-rprop.start, rprop.start]},
        "algorithm": {
            "name": "Rprop",
            "source": _SOURCE,
            "variant": rprop.variant,
            "updates": "epoch",
            "parameters": constants,
        },
        "stopping": {
            "criterion": str(recipe.rule),
            "measured_on": "validation cases",
            "strip": recipe.strip,
            "most_epochs": recipe.most_epochs,
            "state": "least validation error",
            "restarting": "never",
        },
    }


def _searched_on(method: str, place: known.Known) -> str:
    """Which cases of this partition chose the hidden layers of Table 7; none chose those of the stand-ins.

    The search was done on the partitions of order a. In order c its validation cases are training cases, and the test
    cases are the same; in the others the test cases are some that the search trained or chose by.
    """
    if not method.startswith(("proben1-pivot", "proben1-noshort")) or place.source != "PROBEN1":
        return ""
    first, here = (partitions.places(place.counts, order) for order in ("a", place.order))
    if not np.array_equal(first["test"], here["test"]):
        return "test cases"
    return _HELD if np.array_equal(first["validation"], here["validation"]) else "training cases"


def _tuning(recipe: Recipe, method: str, place: known.Known) -> dict[str, Any]:
    on = _searched_on(method, place)
    sources = {on: _SEARCHED} if on else {}
    sources |= {"published results": _MATCHED} if recipe == PIVOT_RUNS else {}
    if not sources:
        return {"parameters": [], "chosen_on": ["nothing"], "settings_tried": 0}
    return {
        "parameters": [name for one in sources.values() for name in one["parameters"]],
        "chosen_on": list(sources),
        "settings_tried": sum(one["tried"] for one in sources.values()),
        "sensitivity": "; ".join(one["sensitivity"] for one in sources.values()),
    }


def _error(recipe: Recipe, place: known.Known) -> dict[str, Any]:
    return {
        "function": "squared error",
        "reported": "squared error percentage",
        "half": False,
        "averaged_over": ["cases", "outputs"],
        "percent": True,
        "output_range": [0.0, recipe.output_range],
        **({"classes_by": "winner takes all"} if place.classification else {}),
    }


def _runs(runs: pl.DataFrame) -> dict[str, Any]:
    first, last = (int(number) for number in runs["run"].sort().to_numpy()[[0, -1]])
    return {
        "total": runs.height,
        "excluded": 0,
        "seeds": f"derived from the study's seed and the names of task, method and run, {first} to {last}",
    }


def _results(runs: pl.DataFrame, place: known.Known) -> dict[str, Any]:
    results: dict[str, Any] = {"partition": place.name, "runs": runs.height}
    for quantity in QUANTITIES:
        if quantity not in runs.columns or (
            quantity == "cpu_seconds" and "cpu" not in runs.columns
        ):
            continue
        values = runs[quantity].drop_nulls().to_numpy().astype(float)
        values = values[np.isfinite(values)]
        if len(values) == runs.height and (place.classification or not quantity.endswith("_wrong")):
            results[quantity] = _statistics(values)
    validation, test = (runs[name].to_numpy() for name in ("validation_error", "test_error"))
    if len(test) > 2 and np.ptp(validation) and np.ptp(test):
        results["correlation"] = _short(np.corrcoef(validation, test)[0, 1])
    return results


def _statistics(values: np.ndarray) -> dict[str, float]:
    named = {
        "mean": values.mean(),
        **({"sd": values.std(ddof=1)} if len(values) > 1 else {}),
        "minimum": values.min(),
        "median": np.median(values),
        "maximum": values.max(),
    }
    return {name: _short(value) for name, value in named.items()}


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _time(runs: pl.DataFrame) -> dict[str, Any]:
    if "cpu" not in runs.columns:
        return {}
    machines = ", ".join(
        sorted({str(cpu) for cpu in runs["cpu"] if cpu}) or ["a processor of unknown make"]
    )
    return {"time": {"machine": f"{machines}; numba kernels, one thread"}}
