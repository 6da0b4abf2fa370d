"""Every constant of the methods in one table, read from the code: its value, whose it is, and what it follows."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from benchbook import methods
from benchbook.methods.mcmc.steps import Leaps
from benchbook.methods.networks.bayesian.constants import Constant
from benchbook.methods.registry import get

PAPER, OURS, UNSAID = "the paper", "ours", "not labelled"
LIBRARY, AUTHORS = "the library's default", "the authors'"
ELSEWHERE = (
    *(f"proben1.{name}" for name in ("recipe", "stopping", "topology", "training")),
    "settings",
)
"""Modules whose constants are printed in another work, and told on its pages, or that have none."""

_EXAMPLE = "the early-stopping example in the documentation of Neal's software (FBM), 1998"
GROUPS = {
    "BatchDescent": "mlp-bgd-1, -2, -2b, -3: batch gradient descent",
    "StaticFactors": "mlp-bgd-3: static factors",
    "ConjugateEnsemble": "mlp-ese-1: conjugate gradient",
    "networks.bayesian.constants": "mlp-mc-1 to -4 and -2b, -3b, -4b: Bayesian neural networks",
    "networks.bayesian.predict": "mlp-mc-2w, -2wb: the learned warp of the target",
    "NutsSettings": "mlp-nuts-1: NUTS",
    "HyperPrior": "gp-map-1, gp-mc-1: prior of the hyperparameters",
    "Search": "gp-map-1, gp-mc-1: search for the maximum",
    "Sampling": "gp-mc-1: sampler",
}
"""The headings of what is known here, by class or by module below ``methods``, in the order of the page.

Anything else that is found comes after them.
"""
_HOMES = ("networks", "gaussian_processes")  # where the classes among them live

KNOWN = {
    ("BatchDescent", "hidden"): (
        OURS,
        f"{_EXAMPLE}; the paper has one number for all sizes, its digits are lost",
    ),
    ("BatchDescent", "step"): (
        OURS,
        f"{_EXAMPLE}; the paper's digits are lost. His was adequate for all his tests, so it was hardly 0.4, which is "
        "stable for few of our networks",
    ),
    ("BatchDescent", "halvings"): (
        OURS,
        "that the step is reduced where instability is observed is the paper's rule, and a factor of two is its "
        "example (section 2.2); when and how often is not in it",
    ),
    ("BatchDescent", "start"): (
        OURS,
        "what FBM's program for gradient descent does: uniform within this of zero",
    ),
    ("BatchDescent", "networks"): (PAPER, "four equal portions of the cases, each held out once"),
    ("BatchDescent", "saves"): (
        OURS,
        f"{_EXAMPLE}, with iteration 1 added, as the paper says it was sometimes chosen; "
        "the spacing about equal in the logarithm is the paper's",
    ),
    ("StaticFactors", "power"): (
        OURS,
        "even, so that signs do not matter; 4 gives mlp-bgd-2's factors of a linear "
        "network at weight zero; the exponent is lost",
    ),
    ("StaticFactors", "least"): (OURS, "a negative power of ten in the paper, its exponent lost"),
    ("NutsSettings", "chains"): (OURS, "enough to compare one with another"),
    ("NutsSettings", "warmup"): (
        OURS,
        "states that tune steps and masses, and are thrown away",
    ),
    ("NutsSettings", "kept"): (OURS, "states kept of each chain"),
    ("NutsSettings", "acceptance"): (OURS, "what the tuning aims at"),
    ("NutsSettings", "depth"): (
        OURS,
        "a trajectory has at most 2 to this power steps; NumPyro's default",
    ),
    ("NutsSettings", "start_sd"): (OURS, "as the other chains: FBM's example"),
    ("HyperPrior", "relevance"): (
        OURS,
        "median of 1 / length scale², divided by the number of inputs",
    ),
    ("HyperPrior", "relevance_sd"): (
        OURS,
        "standard deviation of its logarithm: a factor of five is usual",
    ),
    ("HyperPrior", "signal"): (OURS, "median variance of the smooth part, the target's being 1"),
    ("HyperPrior", "signal_sd"): (OURS, "standard deviation of its logarithm"),
    ("HyperPrior", "slope"): (
        OURS,
        "median variance of a slope of the linear part, times the number of inputs",
    ),
    ("HyperPrior", "slope_sd"): (OURS, "standard deviation of its logarithm"),
    ("HyperPrior", "noise"): (OURS, "median variance of the noise, the target's being 1"),
    ("HyperPrior", "noise_sd"): (OURS, "standard deviation of its logarithm"),
    ("today.swag", "momentum"): (AUTHORS, "share of the last step that is taken again"),
    ("today.swag", "rank"): (AUTHORS, "deviations from the mean that are kept, the last ones"),
    ("Search", "wiggly"): (
        OURS,
        "how many standard deviations the second start has its relevances above the mean",
    ),
}
_LINE = re.compile(r"^\s*(\w+(?:, \w+)*): (.+)$")


def table() -> pl.DataFrame:
    """All constants that the code of the methods keeps, a line each.

    They are the fields of the frozen dataclasses below ``benchbook.methods`` that have a value each, and the tables of
    ``Constant``. What is said of a field is said in ``KNOWN``, or else by its setting or the docstring of its class.
    Modules that need an extra which is not installed are left out.

    Returns:
        group (its heading), name, value (as text), origin ("the paper", "ours", "the library's default", "the
        authors'", or "not labelled" for a class that is not in ``GROUPS`` and does not say whose they are), follows
        (what it follows or means).
    """
    lines = [line for module in _modules() for line in (*_tables(module), *_fields(module))]
    order = {heading: place for place, heading in enumerate(GROUPS.values())}
    lines.sort(key=lambda line: order.get(line["group"], len(order)))
    return pl.DataFrame(
        lines, schema=dict.fromkeys(("group", "name", "value", "origin", "follows"), pl.String)
    )


GUARDS = (
    (
        "benchbook.methods.shared.variance_floor",
        "_LEAST_SHARE",
        OURS,
        "no method states a variance below this share of the training targets'",
    ),
    (
        "benchbook.methods.networks.relevance",
        "FACTOR_FLOOR",
        "FBM's source",
        "stands for the largest gradient when there is none, mlp-bgd-2",
    ),
    (
        "benchbook.kernels.trajectories",
        "LOST",
        OURS,
        "a trajectory whose energy rises by this much has diverged",
    ),
    (
        "benchbook.methods.mcmc.steps",
        "PATIENCE",
        OURS,
        "rejections in a row, in the discarded part of a run, after which its step sizes are halved",
    ),
    (
        "benchbook.kernels.conjugate",
        "_SUFFICIENT",
        OURS,
        "sufficient decrease of a line search, mlp-ese-1",
    ),
    ("benchbook.kernels.conjugate", "_FLAT", OURS, "flatness that ends a line search, mlp-ese-1"),
    (
        "benchbook.methods.gaussian_processes.model",
        "BIAS",
        OURS,
        "variance of a Gaussian process's constant, the target's being 1",
    ),
    (
        "benchbook.methods.gaussian_processes.model",
        "NOISE_FLOOR",
        OURS,
        "added to its noise variance",
    ),
)
"""Numbers that a computation leans on: module, name, whose, what for."""


def guards() -> pl.DataFrame:
    """The numbers of ``GUARDS`` as the code has them now; one that the code no longer has is left out.

    Returns:
        where (the module), value (as text), origin, follows.
    """
    lines = []
    for module, name, origin, follows in GUARDS:
        value = getattr(importlib.import_module(module), name, None)
        if value is not None:
            lines.append(
                {
                    "where": module.removeprefix("benchbook."),
                    "value": f"{value:g}",
                    "origin": origin,
                    "follows": follows,
                }
            )
    return pl.DataFrame(
        lines, schema=dict.fromkeys(("where", "value", "origin", "follows"), pl.String)
    )


def settings(names: Sequence[str]) -> pl.DataFrame:
    """What methods made from scikit-learn estimators set otherwise than scikit-learn does: method, name, value."""
    lines = []
    for name in names:
        maker: Any = get(name)
        estimator = maker.makers["real"]()
        usual = type(estimator)().get_params()
        lines += [
            {"method": name, "name": key, "value": shown(value)}
            for key, value in estimator.get_params().items()
            if value != usual[key]
        ]
    return pl.DataFrame(lines, schema=dict.fromkeys(("method", "name", "value"), pl.String))


def shown(value: object) -> str:
    """A constant as a reader wants it: a long list by its length and ends, a fraction with three digits."""
    if isinstance(value, tuple):
        ends = f"{len(value)} from {shown(value[0])} to {shown(value[-1])}"
        return ends if len(value) > 6 else ", ".join(shown(item) for item in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:,.3g}"
        if abs(value) < 1000
        else f"{value:,.0f}"
    )


def _modules() -> Iterator[Any]:
    """The modules below ``benchbook.methods``, as far as what they need is installed."""
    for found in pkgutil.walk_packages(methods.__path__, f"{methods.__name__}."):
        if found.name.removeprefix(f"{methods.__name__}.") in ELSEWHERE:
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:
            continue


def _tables(module: Any) -> Iterator[dict[str, str]]:
    for value in vars(module).values():
        if isinstance(value, tuple) and value and all(isinstance(item, Constant) for item in value):
            place = module.__name__.removeprefix(f"{methods.__name__}.")
            for item in value:
                yield _row(
                    GROUPS.get(place, place), item.name, item.value, item.origin, item.follows
                )


def _fields(module: Any) -> Iterator[dict[str, str]]:
    for name, kind in inspect.getmembers(module, dataclasses.is_dataclass):
        fields = (
            dataclasses.fields(kind)
            if isinstance(kind, type) and kind.__module__ == module.__name__
            else ()
        )
        if not fields or any(field.default is dataclasses.MISSING for field in fields):
            continue
        text, place = (
            inspect.getdoc(kind) or "",
            module.__name__.removeprefix(f"{methods.__name__}."),
        )
        said, known = _said(text), name in GROUPS and place.split(".")[0] in _HOMES
        key = name if known else place
        heading = GROUPS.get(key, f"{place}: {name}")
        for field, value in _valued(fields):
            meaning = (
                field.metadata["limits"].meaning
                if "limits" in field.metadata
                else said.get(field.name, "")
            )
            usual = (OURS if key in GROUPS else _whose(text, meaning), meaning.rstrip("."))
            origin, follows = KNOWN.get((key, field.name), usual)
            yield _row(heading, field.name, value, origin, follows)


def _whose(text: str, meaning: str) -> str:
    """Whose a constant is, by what the docstring of its class and its own words say."""
    if meaning.endswith("; ours"):
        return OURS
    signs = {"ours": OURS, "defaults of the library": LIBRARY, "those of the authors'": AUTHORS}
    return next((whose for sign, whose in signs.items() if sign in text), UNSAID)


def _valued(fields: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Fields with their values; those of trajectories one by one, no other dataclass, which has lines of its own."""
    for field in fields:
        if isinstance(field.default, Leaps):
            yield from (
                (inner, getattr(field.default, inner.name)) for inner in dataclasses.fields(Leaps)
            )
        elif (
            not dataclasses.is_dataclass(field.default)
            or hasattr(field.default, "parse")
            or field.name == "rule"
        ):
            yield field, field.default


def _row(group: str, name: str, value: object, origin: str, follows: str) -> dict[str, str]:
    return {
        "group": group,
        "name": name,
        "value": shown(value),
        "origin": origin,
        "follows": follows,
    }


def _said(text: str) -> dict[str, str]:
    """What a docstring says of each name in lines such as "name: what it is"; further lines are indented more."""
    said: dict[str, str] = {}
    current: list[str] = []
    depth = 0
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if match := _LINE.match(line):
            current, depth = match[1].split(", "), indent
            said.update(dict.fromkeys(current, match[2]))
        elif line.strip() and indent > depth and current:
            said.update({name: f"{said[name]} {line.strip()}" for name in current})
        else:
            current = []
    return said
