"""What the records of runs, a saved comparison or a study know of their report: nothing in it is typed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchbook import comparison as compared
from benchbook import datasets, methods, studies, tasks
from benchbook.comparison.candidates import CONSTANT
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
from benchbook.version import __version__
from benchbook_book.form import known
from benchbook_book.form.cases import PUBLISHED
from benchbook_book.form.check import CheckedReport, check
from benchbook_book.form.schema import QUANTITIES

if TYPE_CHECKING:
    import polars as pl

    from benchbook.comparison import Comparison

SIGMOID = "softsign"
_SOURCE = (
    "Riedmiller and Braun, A direct adaptive method for faster backpropagation learning: the RPROP algorithm, "
    "1993"
)
_NEEDED = ("dataset", "method", "run", "topology", "validation_error", "test_error")
_SOFTWARE = f"benchbook {__version__}, numba kernels, one thread"
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
    """The report on the runs of one method on one partition, checked: ``values_from_runs`` with what is ``stated``.

    Raises:
        FaultyReport: something has to be stated, or the runs break a rule, as those of a pivot network do where its
            hidden layers were chosen on what are test cases here (orders b, d, e and f).
    """
    values = values_from_runs(frame, method, dataset, recipe=recipe, shortcuts=shortcuts)
    for key, value in (stated or {}).items():
        table, _, name = key.rpartition(".")
        values[table] = {**values.get(table, {}), name: value}
    return check(values)


def values_from_runs(
    frame: pl.DataFrame,
    method: str,
    dataset: str,
    *,
    recipe: Recipe | None = None,
    shortcuts: bool | None = None,
) -> dict[str, Any]:
    """The tables of the report on the runs of one method on one partition.

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
    numbers = runs["run"].sort().to_list()
    contiguous = numbers == [*range(numbers[0], numbers[0] + len(numbers))]
    which = f"{numbers[0]} to {numbers[-1]}" if contiguous else ", ".join(map(str, numbers))
    timed = "cpu" in runs.columns
    machines = sorted({str(cpu) for cpu in runs["cpu"] if cpu}) if timed else []
    machine = ", ".join(machines) or "a processor of unknown make"
    return {
        "problem": _problem(path),
        "split": _split(path, method),
        # Of a user's own file nobody else knows from which cases its scales are.
        "encoding": {"inputs": PUBLISHED, "outputs": PUBLISHED, "fitted_on": "published"}
        if path.published
        else {
            "inputs": f"the {path.inputs} columns of the file at problem.address, unchanged",
            "outputs": f"its last {path.outputs} columns, unchanged",
        },
        "model": {
            "kind": "network",
            "inputs": topology.inputs,
            "hidden": list(topology.hidden),
            "outputs": topology.outputs,
            "connections": "all shortcuts" if topology.shortcuts else "adjacent layers",
            **({"hidden_activation": SIGMOID} if topology.hidden else {}),
            "output_activation": SIGMOID if topology.sigmoid_outputs else "identity",
            "weights": topology.connections,
        },
        **_training(recipe),
        "tuning": _tuning(recipe, method, path),
        "error": {
            "loss": "squared error",
            "reported": "squared error percentage",
            "averaged_over": ["cases", "outputs"],
            "output_range": [0.0, recipe.output_range],
            **({"classes_by": "winner takes all"} if path.classification else {}),
        },
        "runs": {
            "made": runs.height,
            "seeds": f"derived from the study's seed and the names of task, method and run: {which}",
            "excluded": 0,
        },
        "results": _results(runs, path),
        **({"time": {"machine": machine, "software": _SOFTWARE}} if timed else {}),
    }


def _problem(place: known.Known) -> dict[str, Any]:
    kind = "classification" if place.classification else "approximation"
    problem = {"name": place.problem, "collection": place.collection, "kind": kind}
    if place.acknowledgement:
        problem["acknowledgement"] = place.acknowledgement
    if not place.published and datasets.at_hand(place.dataset):
        problem["version"] = f"sha256 of the values {datasets.load(place.dataset).digest}"
    return problem


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


_CRITERIA: dict[type, tuple[str, str]] = {
    GeneralisationLoss: ("generalisation_loss", "alpha"),
    ProgressQuotient: ("quotient", "alpha"),
    Progress: ("progress", "bound"),
    Up: ("successive_rises", "strips"),
}


def _criteria(rule: object) -> dict[str, Any]:
    """The criteria by their keys, where any one of them ends the training; a description of any other rule."""
    criteria = rule.criteria if isinstance(rule, AnyOf) else (rule,)
    if any(type(item) not in _CRITERIA for item in criteria):
        return {"criterion": {"other": str(rule)}}
    named = [(*_CRITERIA[type(item)], item) for item in criteria]
    return {key: getattr(item, name) for key, name, item in named}


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


def _results(runs: pl.DataFrame, place: known.Known) -> dict[str, Any]:
    results: dict[str, Any] = {"split": place.name, "n": runs.height}
    for quantity in QUANTITIES:
        wanted = quantity if quantity != "cpu_seconds" or "cpu" in runs.columns else ""
        values = runs[wanted].to_numpy().astype(float) if wanted in runs.columns else np.array([])
        if np.isfinite(values).sum() == runs.height and (
            place.classification or not quantity.endswith("_wrong")
        ):
            results[quantity] = summary(values)
    validation, test = (runs[name].to_numpy() for name in ("validation_error", "test_error"))
    if len(test) > 2 and np.ptp(validation) and np.ptp(test):
        results["correlation"] = short(np.corrcoef(validation, test)[0, 1])
    if runs.height > 1:  # of equal ones the first
        best = runs.sort("validation_error", "run").row(0, named=True)
        names = ["test_error", *(["test_wrong"] if place.classification else [])]
        known_ones = {name: short(best[name]) for name in names if best.get(name) is not None}
        results["best_run"] = {"chosen_on": _VALIDATION, **known_ones}
    return results


def short(value: float) -> float:
    """The value to six digits."""
    return float(f"{value:.6g}")


def summary(values: np.ndarray) -> dict[str, float]:
    """Mean, deviation, least, median and greatest of values, to six digits."""
    named = {
        "mean": values.mean(),
        **({"sd": values.std(ddof=1)} if len(values) > 1 else {}),
        "minimum": values.min(),
        "median": np.median(values),
        "maximum": values.max(),
    }
    return {name: short(value) for name, value in named.items()}


_DESIGNS = {
    "folds": ("cross-validation", "k folds"),
    "groups": ("cross-validation", "by groups"),
    "splits": ("cross-validation", "random"),
    "time": ("backtest", "by time"),
    "holdout": ("fit and test", "random"),
    "disjoint": (
        "cross-validation",
        {"other": "disjoint training sets, each with test cases of its own"},
    ),
    "common": ("cross-validation", {"other": "disjoint training sets, and one test set"}),
}
_MEASURES = {
    "squared error": ("mean squared error", 2),
    "absolute error": ("mean absolute error", 1),
}
_WRONG, _LOG = ("0-1 loss", "zero_one"), ("log loss", "cross entropy")


def from_result(result: str | Path, method: str = "", against: str = "") -> dict[str, Any]:
    """Values of a report by key.

    Args:
        result: the folder of a saved comparison, a task, a partition such as ``cancer1``, or the file of a plan.
        method: which method the report is on; the best when left out. against: the one it is compared with; the next.

    Raises:
        BenchbookError: there is no such result, or the method is not in it.
    """
    path, partition = Path(result), known.partition(str(result))
    if path.is_dir():
        return from_comparison(compared.Comparison.load(path), method, against)
    plan = studies.Plan.read(path) if path.suffix == ".toml" else None
    place = f"{partition.dataset}/partition/{partition.order}" if partition else str(result)
    asked = plan.tasks if plan else [place]
    names = [name for item in asked for name in tasks.available(item)]
    if not names:
        write = "the folder of a saved comparison, the file of a plan, or a task (`benchbook tasks list`)"
        raise BenchbookError(f"{result} is no result; give {write}")
    if len(names) > 1:
        raise BenchbookError(f"a report is on one task: give one of {', '.join(names)}")
    if "/partition/" in names[0]:
        runs = studies.partition_runs([method] if method else None, names)
        found = runs["method"].unique(maintain_order=True).to_list()
        if len(found) != 1:
            raise BenchbookError(
                f"a report is on one method: say --method, one of {', '.join(found) or 'none'}"
            )
        return _flat(values_from_runs(runs, found[0], runs["dataset"][0]))
    made = from_comparison(compared.compare_results(tasks=names), method, against)
    card = datasets.card(tasks.get(names[0]).prototask.dataset)
    drawn = {
        "problem.distribution": "",
        "split.seed": "",
        "split.program": f"benchbook {__version__}, {card.name}",
        "study.kind": "simulation",
        "problem.collection": "simulated",
        "split.kind": "simulated",
    }
    test = tasks.get(names[0]).instance(0).test_inputs
    named = {"problem.name": card.name, "split.name": names[0], "results.split": names[0]}
    named |= {"comparison.split": names[0]} if "comparison.split" in made else {}
    return made | named | {"split.test": len(test)} | (drawn if card.family else {})


def from_comparison(result: Comparison, method: str = "", against: str = "") -> dict[str, Any]:
    """What a comparison knows: the split, the measure, the runs, the results, and the test."""
    ranked = [row["method"] for row in result.rows() if row["method"] != CONSTANT]
    method = method or ranked[0]
    against = against or next((name for name in ranked if name != method), CONSTANT)
    for name in (method, against):
        if name not in result.fits.methods:
            raise BenchbookError(
                f"no method {name!r} was compared; there are {', '.join(result.fits.methods)}"
            )
    design, first = result.plan.design, result.codes[0]
    study, kind = _DESIGNS.get(design.kind, ("", ""))
    n, split = design.k * design.repeats, result.plan.words.partition(",")[0]
    made: dict[str, Any] = {
        "study.kind": study,
        "problem.name": "",
        "problem.collection": "",
        "problem.kind": "classification" if result.data.kind == "class" else "approximation",
        "split.kind": kind,
        "split.name": split,
        "split.trained_on": "training cases",
        "split.validation": 0,
        "split.validation_used_for": ["nothing"],
        "split.test_used_for": ["results"],
        "results.split": split,
        "runs.made": n,
        "runs.excluded": 0,
        "results.n": n,
    }
    sizes = [(len(one.train), len(one.test)) for one in result.plan.splits] or [
        (round(design.train_size), 0)
    ]
    made |= {"split.training": sizes[-1][0]} | (
        {"split.test": sizes[-1][1]} if sizes[-1][1] else {}
    )
    made |= {"split.cases": len(result.data.y)} if len(result.data.y) else {}
    if design.kind in ("folds", "groups", "time"):
        made |= {"split.folds": design.k, "split.repeats": design.repeats}
    elif n > 1:
        made |= {"split.repeats": n}
    if (seed := result.settings.get("seed")) is not None:
        program = f"benchbook {__version__}, compare(seed={seed})"
        made |= {"split.seed": seed, "split.program": program, "runs.seeds": [seed]}
    made |= {"results.over": "folds"} if n > 1 else {}
    made |= {"split.stratified": True} if design.stratified else {}
    return made | _losses(result, first, method) | _other(result, first, method, against, split)


def _values(result: Comparison, code: str, method: str) -> np.ndarray:
    rows = result.fold_losses.filter(method=method, loss=code).sort("split")
    return rows["value"].to_numpy().astype(float)


def _losses(result: Comparison, first: str, method: str) -> dict[str, Any]:
    """The measure, and statistics of the error and of the per cent wrong."""
    made: dict[str, Any] = {"error.averaged_over": ["cases"]}
    for code, loss in result.fits.orientation.items():
        values = _values(result, code, method)
        if loss.title in _WRONG or code in _WRONG:
            made |= {
                f"results.test_wrong.{name}": value
                for name, value in summary(100.0 * values).items()
            }
        elif code == first or "error.reported" not in made:
            title, power = _MEASURES.get(loss.title, ({"other": loss.title}, 0))
            made["error.reported"] = "cross entropy" if loss.title in _LOG else title
            made |= {f"results.test_error.{name}": value for name, value in summary(values).items()}
            if power:
                unit = result.data.unit
                made["error.unit"] = f"{unit} squared" if unit and power == 2 else unit
    return {"error.reported": "per cent wrong"} | made


def _other(result: Comparison, first: str, method: str, against: str, split: str) -> dict[str, Any]:
    """The comparison with another method, by the corrected t test where this is the test of the design."""
    wrong = first in _WRONG
    pair = [_values(result, first, name) * (100.0 if wrong else 1.0) for name in (method, against)]
    row = result.pairs.filter(loss=first, method=method, other=against)
    row = row if len(row) else result.pairs.filter(loss=first, method=against, other=method)
    if not len(row) or row["p"][0] is None or len(pair[0]) != len(pair[1]) or len(pair[0]) < 2:
        return {}
    p = row["p"][0]
    less = "smaller" if pair[0].mean() < pair[1].mean() else "larger"
    test = row["method_test"][0]
    one = test == "corrected t" and (result.plan.design.kind, result.plan.design.repeats) == (
        "folds",
        1,
    )
    made = {
        "against": f"{against}, in the same folds, fitted by us",
        "split": split,
        "quantity": "test_wrong" if wrong else "test_error",
        "claim": less if p < 0.05 else "no significant difference",
        "values": "raw",
        "n": [len(values) for values in pair],
        "means": [summary(values)["mean"] for values in pair],
        "sds": [summary(values)["sd"] for values in pair],
        "test": "corrected resampled t test"
        if one
        else {"other": f"{test} of benchbook {__version__}"},
        "pairs": "same folds",
        "sd_difference": summary(pair[0] - pair[1])["sd"],
        "level": 5,
        "p": max(float(f"{p:.3g}"), 1e-12),
    }
    return {f"comparison.{name}": value for name, value in made.items()}


def tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted key as the tables that ``check`` takes."""
    made: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        table = made
        for name in path:
            inner = table.setdefault(name, [{}] if name == "comparison" else {})
            table = inner[0] if name == "comparison" else inner
        table[last] = value
    return made


def _flat(values: object, key: str = "") -> dict[str, Any]:
    """Tables as values by dotted key."""
    if not isinstance(values, Mapping) or "other" in values:
        return {key: values}
    inner = [_flat(value, f"{key}.{name}".lstrip(".")) for name, value in values.items()]
    return {name: value for one in inner for name, value in one.items()}
