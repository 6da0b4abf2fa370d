"""The one call: methods and data in, a ``Comparison`` out."""

from __future__ import annotations

import inspect
import platform
import time as clock
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from typing import Any, TypeVar

import sklearn

from benchbook.comparison import alarms as alarm
from benchbook.comparison.candidates import Contender, contenders, form_faults, kind_of
from benchbook.comparison.data import ComparisonData, ask
from benchbook.comparison.fits import run, setting_faults
from benchbook.comparison.losses import Measure, measures, name_faults
from benchbook.comparison.of_tasks import compare_tasks
from benchbook.comparison.result import Comparison
from benchbook.comparison.splits import SplitPlan, lay_out, plan_faults
from benchbook.comparison.verdict import DEFAULT_ROPE, rope_faults, rope_sizes, verdicts_of
from benchbook.errors import Fault, FaultyInput
from benchbook.words import counted

_OF_DATA = ("target", "drop", "groups", "time", "weights", "positive", "unit")
_SETTINGS = ("budget", "limit", "cache", "on_error", "n_jobs")
_OF_FITS = ("predictive", "seed", "n_jobs", "budget", "limit", "cache", "on_error", "progress")
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class CheckedRequest:
    """What is fitted, on what, in which splits, and judged by which losses."""

    data: ComparisonData
    plan: SplitPlan
    contenders: tuple[Contender, ...]
    measures: tuple[Measure, ...]


def compare(
    methods: Any,
    X: Any = None,
    y: Any = None,
    *,
    target: Any = None,
    drop: Sequence[Any] = (),
    groups: Any = None,
    time: Any = None,
    weights: Any = None,
    design: Any = "auto",
    effort: str = "default",
    sizes: Any = None,
    losses: Any = None,
    rope: Any = DEFAULT_ROPE,
    unit: str = "",
    kind: str | None = None,
    positive: Any = None,
    predictive: str = "stated",
    smooth: bool = True,
    reference: str | None = None,
    seed: int = 1,
    n_jobs: int | None = None,
    budget: float | None = None,
    limit: float | None = None,
    cache: Any = True,
    on_error: str = "continue",
    ignore_warnings: Sequence[str] = (),
    progress: bool | None = None,
    tasks: Any = None,
) -> Any:
    """Which of several methods predicts best on these data, and how sure is that?

    Every method is fitted on the same training sets and tested on the same held-out cases; a constant guess joins. The
    differences get the interval and the test that are valid for the design (training sets of folds overlap).

        benchbook.compare({"ridge": Ridge(), "forest": RandomForestRegressor()}, flats, target="rent", unit="EUR")

    Args:
        methods: a dict of names to estimators, pipelines or searches of scikit-learn, names of benchbook's methods
            ("gp-map-1") or Methods, or functions ``(X_train, y_train, X_test)``, with a generator ``rng`` as a fourth
            argument if they like. A list of these is named after what they are.
        X: inputs [N, d]: pandas, polars, numpy or scipy.sparse; estimators get rows of the same type.
        y: [N] numbers or classes. target: instead of y, the name of a column of X.
        drop: columns that are no inputs. groups, time, weights: each the name of a column, which is then no input, or
            an array [N]: cases of one group stay together; later cases are never trained on; weights weigh losses.
        design: "auto" (blocks of time where time is given, else ten folds: of whole groups, stratified by class), a
            number of folds, "10x3", "holdout-0.2", "disjoint" (DELVE's disjoint training sets), a splitter of
            scikit-learn, or pairs of rows.
        effort: "default", folds three times; "quick", once; "cautious", once, with the fits of a jackknife.
        sizes: cases to train on, when fewer than a fold has.
        losses: names, scorers of scikit-learn, functions ``(y, prediction)``, or several; the first one ranks. Numbers:
            absolute, squared, crps, log, pinball-0.9, interval-80; classes: log, zero_one, brier, auc,
            average_precision, balanced. When left out, absolute and squared, or log, zero_one and auc.
        rope: the smallest difference that matters (region of practical equivalence): a number in the unit of the first
            loss, a share of the constant guess's loss such as "1%" (our default), or a dict by loss.
        unit: of the target. kind: "number" or "class". positive: the positive one of two classes.
        predictive: "stated", "out of fold" or "none": where the distribution of a number comes from that a loss such
            as crps asks for. smooth: whether log takes smoothed class probabilities.
        reference: the method that the others are compared with; the best when left out.
        seed: of splits and fits; a ``random_state`` that is set stays. n_jobs: processes, as joblib's.
        budget: seconds after which no fit begins; limit: seconds a fit may take. Ctrl-C keeps whole rounds.
        cache: True, in memory; False; or a folder. on_error: "continue" or "raise".
        ignore_warnings: codes of warnings that are not to be shown, "BB01" to "BB10".
        progress: whether to show a bar; None: on a terminal.
        tasks: instead of X and y, names of declared tasks; the losses of their runs are compared, none is made.

    Returns:
        A ``Comparison``: ``.sentence``, ``.table``, ``.pairs``, ``.losses``, ``.plot()``, ``.learning_curve()``,
        ``.calibration()``, ``.report("page.html")``, ``.save("folder")``. For ``tasks`` a ``TaskComparison``.

    Raises:
        FaultyInput: what is wrong with the call, all of it, before anything is fitted.
        BenchbookError: nothing was finished in time.
    """
    if tasks is not None:
        return compare_tasks(methods, tasks, losses, X=X, y=y, reference=reference)
    options = {
        name: value
        for name, value in locals().items()
        if name not in ("X", "y", "methods", "tasks")
    }
    return _compared(prepare(methods, X, y, **options), methods, options)


_DEFAULTS = {name: item.default for name, item in inspect.signature(compare).parameters.items()}


def again(comparison: Comparison, methods: Any) -> Comparison:
    """The same comparison with other methods, on the same splits of the same data."""
    options, data = dict(comparison.settings), comparison.data
    plan = lay_out(data, options["design"], options["effort"], options["sizes"], options["seed"])
    requested = measures(
        options["losses"], data, predictive=options["predictive"], smooth=options["smooth"]
    )
    parts = contenders(methods, data)
    return _compared(CheckedRequest(data, plan, parts, requested), methods, options)


def _compared(made: CheckedRequest, methods: Any, options: dict[str, Any]) -> Comparison:
    began, data, plan = clock.perf_counter(), made.data, made.plan
    settings = {name: options[name] for name in _OF_FITS}
    fits = run(data, plan, made.contenders, made.measures, **settings)
    alarms = [*alarm.of_data(data, plan), *alarm.of_fits(data, fits, options["sizes"])]
    matches = alarm.without(alarms, options["ignore_warnings"])
    count = len(fits.methods) * (len(fits.plan.splits) + len(fits.plan.delete_one))
    options["provenance"] = (
        f"scikit-learn {sklearn.__version__}, benchbook {metadata.version('benchbook')}, Python "
        f"{platform.python_version()}, seed {options['seed']}, {counted(count, 'fit')}, "
        f"{clock.perf_counter() - began:.0f} s."
    )
    sizes, where = rope_sizes(options["rope"], fits)
    verdicts = verdicts_of(data, fits, sizes, options["reference"])
    result = Comparison(
        data, fits.plan, fits, verdicts, matches, sizes, where, methods, dict(options)
    )
    return replace(result, again=partial(again, result))


def prepare(methods: Any, X: Any, y: Any = None, **options: Any) -> CheckedRequest:
    """Data, splits, methods and losses of a call.

    Args: those of ``compare``, with its defaults.

    Raises:
        FaultyInput: everything that is wrong, together; what can only be seen in the data is left out while these have
            faults of their own.
    """
    asked = _DEFAULTS | options
    faults = setting_faults(**{name: asked[name] for name in _SETTINGS})
    kind = asked["kind"] or _tried(faults, lambda: kind_of(methods))
    data = _tried(faults, lambda: ask(X, y, kind=kind, **{name: asked[name] for name in _OF_DATA}))
    split = {name: asked[name] for name in ("effort", "sizes", "seed")}
    request = None
    if data is None:
        faults += [*form_faults(methods), *plan_faults(**split), *name_faults(asked["losses"])]
    else:
        of_losses = {name: asked[name] for name in ("predictive", "smooth")}
        plan = _tried(faults, lambda: lay_out(data, asked["design"], **split))
        chosen = _tried(faults, lambda: contenders(methods, data))
        judged = _tried(faults, lambda: measures(asked["losses"], data, **of_losses))
        if plan is not None and chosen is not None and judged is not None and not faults:
            request = CheckedRequest(data, plan, chosen, judged)
    faults = [*dict.fromkeys(faults), *rope_faults(asked["rope"])]
    _tried(faults, lambda: alarm.check_codes(asked["ignore_warnings"]))
    if request is not None:
        names = [contender.name for contender in request.contenders]
        if asked["reference"] not in (None, *names):
            rule = f"one of {', '.join(names)}"
            faults.append(Fault("reference", repr(asked["reference"]), rule))
        if not faults:
            return request
    raise FaultyInput("compare", faults, "Nothing was fitted.")


def _tried(faults: list[Fault], make: Callable[[], Made]) -> Made | None:
    """What a function makes; or None, its faults added to those that there are."""
    try:
        return make()
    except FaultyInput as error:
        faults.extend(error.faults)
        return None
