"""A filled form from the records of runs and from the objects that made them: nothing in it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import __version__, datasets, methods
from benchbook.checklist import known
from benchbook.checklist.check import CheckedReport, check
from benchbook.checklist.data_rules import PUBLISHED
from benchbook.checklist.schema import QUANTITIES
from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.methods.proben1 import PIVOT_RUNS, Recipe, Topology
from benchbook.methods.proben1.networks import SEARCHED
from benchbook.methods.proben1.stopping import (
    AnyOf,
    GeneralisationLoss,
    Progress,
    ProgressQuotient,
    Up,
)
from benchbook.tasks import partitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

SIGMOID = "softsign"
_SOURCE = (
    "Riedmiller and Braun, A direct adaptive method for faster backpropagation learning: the RPROP algorithm, "
    "1993"
)
_NEEDED = ("dataset", "method", "run", "topology", "validation_error", "test_error")
_DIGITS = 6
_VALIDATION = "validation cases"
# What was tried before PIVOT_RUNS was settled stands in methods.proben1.recipe; the report describes its search, 12
# topologies with 3 runs each, that the validation error chose the hidden layers of Table 7.
_MATCHED: dict[str, Any] = {
    "parameters": ["first step", "initial weights", "alpha of GL"],
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
    stated: Mapping[str, Any] | None = None,
) -> CheckedReport:
    """The report on the runs of one method on one partition, checked.

    Args:
        frame: a line for each run: dataset (such as ``cancer1``), method, run, topology, the errors and costs that
            ``methods.proben1.Run.describe`` gives, and where they are known ``shortcuts`` and ``cpu``, the processor.
            Other datasets and methods may be in it.
        method, dataset: which lines.
        recipe: how the networks were trained; by default that of the registered method.
        shortcuts: whether the networks have all shortcuts, where the frame does not say so.
        stated: values by key that only the user knows, such as ``problem.address`` and ``encoding.fitted_on``, which
            the report on data of one's own asks for.

    Raises:
        FaultyInput: columns that are missing, or several topologies under one name.
        BenchbookError: there are no such runs, the partition is not known, or the method is no network of PROBEN1's.
        FaultyReport: something has to be stated, or the runs break a rule, as those of a pivot network do where its
            hidden layers were chosen on what are test cases here (orders b, d, e and f).
    """
    if faults := [
        Fault("columns", ", ".join(frame.columns), f"a column {name!r} is needed")
        for name in _NEEDED
        if name not in frame.columns
    ]:
        raise FaultyInput("runs", faults)
    runs, path = frame.filter(dataset=dataset, method=method), known.partition(dataset)
    if path is None:
        raise BenchbookError(
            f"no partition {dataset!r} is known here; nearest is {known.nearest(dataset)!r}"
        )
    if runs.is_empty():
        raise BenchbookError(
            f"there are no runs of {method} on {dataset}; make some with `benchbook run`"
        )
    recipe = recipe or _recipe(method)
    topology = _topology(runs, path, shortcuts, method)
    values = {
        "problem": _problem(path),
        "split": _split(path, method),
        "encoding": _encoding(path),
        "model": _network(topology),
        **_training(recipe),
        "tuning": _tuning(recipe, method, path),
        "error": _error(recipe, path),
        "runs": _runs(runs),
        "results": _results(runs, path),
        **_time(runs),
    }
    for key, value in (stated or {}).items():
        table, _, name = key.rpartition(".")
        values[table] = {**values.get(table, {}), name: value}
    return check(values)


def _problem(place: known.Known) -> dict[str, Any]:
    kind = "classification" if place.classification else "approximation"
    problem = {"name": place.problem, "collection": place.collection, "kind": kind}
    if place.acknowledgement:
        problem["acknowledgement"] = place.acknowledgement
    if not place.published and datasets.at_hand(place.dataset):
        problem["version"] = f"sha256 of the values {datasets.load(place.dataset).digest}"
    return problem


def _encoding(place: known.Known) -> dict[str, Any]:
    """As published; of a user's own file nobody else knows from which cases its scales are."""
    if place.published:
        return {"inputs": PUBLISHED, "outputs": PUBLISHED, "fitted_on": "published"}
    return {
        "inputs": f"the {place.inputs} columns of the file at problem.address, unchanged",
        "outputs": f"its last {place.outputs} columns, unchanged",
    }


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


def _split(place: known.Known, method: str) -> dict[str, Any]:
    training, validation, test = place.counts
    tuned = ["tuning"] if _searched_on(method, place) == _VALIDATION else []
    return {
        "kind": "published" if place.published else "in file order",
        "name": place.name,
        **({} if place.published else {"cases": sum(place.counts)}),
        "training": training,
        "validation": validation,
        "test": test,
        "trained_on": "training cases",
        "validation_used_for": ["stopping", "choosing the state", "choosing among runs", *tuned],
        "test_used_for": ["results"],
    }


def _network(topology: Topology) -> dict[str, Any]:
    return {
        "kind": "network",
        "inputs": topology.inputs,
        "hidden": list(topology.hidden),
        "outputs": topology.outputs,
        "connections": "all shortcuts" if topology.shortcuts else "adjacent layers",
        **({"hidden_activation": SIGMOID} if topology.hidden else {}),
        "output_activation": SIGMOID if topology.sigmoid_outputs else "identity",
        "weights": topology.connections,
    }


def _training(recipe: Recipe) -> dict[str, Any]:
    rprop = recipe.rprop
    return {
        "initialisation": {"distribution": "uniform", "range": [-rprop.start, rprop.start]},
        "optimiser": {
            "name": "Rprop",
            "source": _SOURCE,
            "variant": rprop.variant,
            "updates": "epoch",
            "eta_plus": rprop.up,
            "eta_minus": rprop.down,
            "delta_init": list(rprop.first) if rprop.first[0] < rprop.first[1] else rprop.first[0],
            "delta_min": rprop.least,
            "delta_max": rprop.most,
        },
        "stopping": {
            "longest": recipe.most_epochs,
            "watches": _VALIDATION,
            "every": recipe.strip,
            **_criteria(recipe.rule),
            "state": "best on validation cases",
            "restarts": "never",
        },
    }


def _criteria(rule: Any) -> dict[str, Any]:
    """The criteria by their keys, where any one of them ends the training; a description of any other rule."""
    stated: dict[str, Any] = {}
    for item in rule.criteria if isinstance(rule, AnyOf) else (rule,):
        if isinstance(item, GeneralisationLoss):
            stated["generalisation_loss"] = item.alpha
        elif isinstance(item, ProgressQuotient):
            stated["quotient"] = item.alpha
        elif isinstance(item, Progress):
            stated["progress"] = item.bound
        elif isinstance(item, Up):
            stated["successive_rises"] = item.strips
        else:
            return {"criterion": {"other": str(rule)}}
    return stated


def _searched_on(method: str, place: known.Known) -> str:
    """Which cases of this partition chose the hidden layers of Table 7; none chose those of the stand-ins.

    The search was done on the partitions of order a. In order c its validation cases are training cases, and the test
    cases are the same; in the others the test cases are some that the search trained or chose by.
    """
    if (
        not method.startswith(("proben1-pivot", "proben1-noshort"))
        or place.collection != known.PROBEN1
    ):
        return ""
    first, here = (partitions.places(place.counts, order) for order in ("a", place.order))
    if not np.array_equal(first["test"], here["test"]):
        return "test cases"
    return (
        _VALIDATION if np.array_equal(first["validation"], here["validation"]) else "training cases"
    )


def _tuning(recipe: Recipe, method: str, place: known.Known) -> dict[str, Any]:
    on = _searched_on(method, place)
    sources = {on: _SEARCHED} if on else {}
    sources |= {"published results": _MATCHED} if recipe == PIVOT_RUNS else {}
    if not sources:
        return {"parameters": [], "chosen_on": ["nothing"], "settings_tried": 0}
    return {
        "parameters": [name for source in sources.values() for name in source["parameters"]],
        "chosen_on": list(sources),
        "settings_tried": sum(source["tried"] for source in sources.values()),
        "sensitivity": "; ".join(source["sensitivity"] for source in sources.values()),
    }


def _error(recipe: Recipe, place: known.Known) -> dict[str, Any]:
    return {
        "loss": "squared error",
        "reported": "squared error percentage",
        "averaged_over": ["cases", "outputs"],
        "output_range": [0.0, recipe.output_range],
        **({"classes_by": "winner takes all"} if place.classification else {}),
    }


def _runs(runs: pl.DataFrame) -> dict[str, Any]:
    numbers = runs["run"].sort().to_list()
    contiguous = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    which = f"{numbers[0]} to {numbers[-1]}" if contiguous else ", ".join(map(str, numbers))
    return {
        "made": runs.height,
        "seeds": f"derived from the study's seed and the names of task, method and run: {which}",
        "excluded": 0,
    }


def _results(runs: pl.DataFrame, place: known.Known) -> dict[str, Any]:
    results: dict[str, Any] = {"split": place.name, "n": runs.height}
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
    if runs.height > 1:
        results["best_run"] = _best_run(runs, place)
    return results


def _best_run(runs: pl.DataFrame, place: known.Known) -> dict[str, Any]:
    """The run with the least validation error; of equal ones the first."""
    best = runs.sort("validation_error", "run").row(0, named=True)
    wrong = best.get("test_wrong") if place.classification else None
    return {
        "chosen_on": _VALIDATION,
        "test_error": _short(best["test_error"]),
        **({"test_wrong": _short(wrong)} if wrong is not None else {}),
    }


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
    machines = sorted({str(cpu) for cpu in runs["cpu"] if cpu}) or ["a processor of unknown make"]
    software = f"benchbook {__version__}, numba kernels, one thread"
    return {"time": {"machine": ", ".join(machines), "software": software}}
