"""The one call: methods and data in, a ``Comparison`` out."""

from __future__ import annotations

import inspect
import platform
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import sklearn

from benchbook.assess.remarks import DEPENDENT_ROWS
from benchbook.comparison import alarms as alarm
from benchbook.comparison.candidates import Contender, contenders, form_faults, kind_of
from benchbook.comparison.data import ComparisonData, ask
from benchbook.comparison.fits import Fits, run, setting_faults
from benchbook.comparison.losses import Measure, measures, name_faults
from benchbook.comparison.result import Comparison
from benchbook.comparison.splits import SplitPlan, lay_out, plan_faults
from benchbook.comparison.verdict import (
    DEFAULT_ROPE,
    by_what_models_predict,
    rope_faults,
    rope_sizes,
    verdicts_of,
    with_suspects,
)
from benchbook.errors import Fault, FaultyInput
from benchbook.keywords import answers_keywords
from benchbook.progress import bar
from benchbook.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike

    from benchbook.comparison.arguments import (
        Column,
        Columns,
        Design,
        Losses,
        Models,
        Rope,
        Table,
    )

_OF_DATA = ("target", "drop", "groups", "time", "weights", "positive", "unit", "by", "lags")
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


def _check(
    methods: Models, X: Table | None = None, y: ArrayLike | None = None, **options: Any
) -> None:
    prepare(methods, X, y, **options)


@answers_keywords(_check)
def compare(
    methods: Models,
    X: Table | None = None,
    y: ArrayLike | None = None,
    *,
    target: str | None = None,
    drop: Sequence[str | int] = (),
    groups: Column | None = None,
    time: Column | None = None,
    weights: Column | None = None,
    by: Columns | None = None,
    lags: int | Sequence[int] | None = None,
    design: Design = "auto",
    effort: Literal["default", "quick", "cautious"] = "default",
    sizes: int | Sequence[int] | None = None,
    losses: Losses | None = None,
    rope: Rope = DEFAULT_ROPE,
    unit: str = "",
    kind: Literal["number", "class"] | None = None,
    positive: object = None,
    predictive: Literal["stated", "out of fold", "none"] = "stated",
    smooth: bool = True,
    reference: str | None = None,
    seed: int = 1,
    n_jobs: int | None = None,
    budget: float | None = None,
    limit: float | None = None,
    cache: bool | str | Path = True,
    on_error: Literal["continue", "raise"] = "continue",
    ignore_warnings: Sequence[str] = (),
    progress: bool | None = None,
) -> Comparison:
    """Which of several methods predicts best on these data, and how sure is that?

    Every method is fitted on the same training sets and tested on the same held-out cases; a constant guess joins. The
    differences get the interval and the test that are valid for the design (training sets of folds overlap).

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> from sklearn.linear_model import LinearRegression
        >>> from sklearn.neighbors import KNeighborsRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> models = {"linear": LinearRegression(), "neighbours": KNeighborsRegressor()}
        >>> found = benchbook.compare(models, X, y, rope=2, progress=False)
        >>> found.best
        'linear'
        >>> found.table.filter(loss="absolute")["method"].to_list()
        ['linear', 'neighbours', 'constant guess']

    Args:
        methods: a dict of names to estimators, pipelines or searches of scikit-learn, names of benchbook's methods
            ("gp-map-1") or Methods, or functions ``(X_train, y_train, X_test)``, with a generator ``rng`` as a fourth
            argument if they like. A list of these is named after what they are.
        X: inputs [N, d]: pandas, polars, numpy or scipy.sparse; estimators get rows of the same type.
        y: [N] numbers or classes.
        target: instead of y, the name of a column of X.
        drop: columns that are no inputs.
        groups: the name of a column, which is then no input, or an array [N]: cases of one group stay together.
        time: a column or an array [N], as above: later cases are never trained on.
        weights: a column or an array [N], as above, of weights of losses.
        by: a column, or several, which stay inputs, or an array [N]: ``.segments`` has the difference in each segment.
        lags: [1, 2, 12]: values of a target of numbers so many rows before in the order of ``time`` become inputs, and
            a naive and a seasonal naive forecast join. Lags of a test row are observed values: forecasts are as many
            rows ahead as the smallest lag. ``groups`` are series then, each of which also trains; X may be left out.
        design: "auto" (blocks of time where time is given, else ten folds: of whole groups, stratified by class), a
            number of folds, "10x3", "holdout-0.2", "disjoint" (DELVE's disjoint training sets), a splitter of
            scikit-learn, or pairs of rows.
        effort: "default", folds three times; "quick", once; "cautious", once, with the fits of a jackknife.
        sizes: cases to train on, when fewer than a fold has.
        losses: names, scorers of scikit-learn, functions ``(y, prediction)``, or several; the first one ranks. Numbers:
            absolute, squared, crps, log, pinball-0.9, interval-80; classes: log, zero_one, brier, auc,
            average_precision, balanced; in a dict also what mistakes between classes cost,
            ``{"cost": [[0, 1], [5, 0]]}``: a row for each true class, a column for each decided one, in sorted order.
            When left out, log, zero_one and auc, or absolute and squared; squared ranks where a constant guess has the
            smallest absolute error and not the smallest squared one.
        rope: the smallest difference that matters (region of practical equivalence): a number in the unit of the first
            loss, a share of the constant guess's loss such as "1%" (our default), or a dict by loss.
        unit: of the target.
        kind: "number" or "class", of the target.
        positive: the positive one of two classes.
        predictive: "stated", "out of fold" or "none": where the distribution of a number comes from that a loss such
            as crps asks for.
        smooth: whether log takes smoothed class probabilities.
        reference: the method that the others are compared with; the best when left out.
        seed: of splits and fits; a ``random_state`` that is set stays.
        n_jobs: processes, as joblib's.
        budget: seconds after which no fit begins or goes on. Ctrl-C keeps whole rounds, too.
        limit: seconds a fit may take.
        cache: predictions that were made before: True, in memory; False; or a folder.
        on_error: "continue" without the method that failed, or "raise".
        ignore_warnings: codes of warnings that are not to be shown, "BB01" to "BB13".
        progress: whether to show a bar; None: on a terminal.

    Returns:
        A ``Comparison``: ``.sentence``, ``.table``, ``.pairs``, ``.losses``, ``.plot()``, ``.learning_curve()``,
        ``.calibration()``, ``.report("page.html")``, ``.save("folder")``.

    Raises:
        FaultyInput: what is wrong with the call, all of it, before anything is fitted.
        BenchbookError: nothing was finished in time.
    """
    options = {name: value for name, value in locals().items() if name not in ("X", "y", "methods")}
    return _compared(prepare(methods, X, y, **options), methods, options)


_DEFAULTS = {name: item.default for name, item in inspect.signature(compare).parameters.items()}


def again(comparison: Comparison, methods: Models) -> Comparison:
    """The same comparison with other methods, on the same splits of the same data."""
    options, data = dict(comparison.settings), comparison.data
    plan = lay_out(data, options["design"], options["effort"], options["sizes"], options["seed"])
    requested = measures(
        options["losses"], data, predictive=options["predictive"], smooth=options["smooth"]
    )
    parts = contenders(methods, data)
    return _compared(CheckedRequest(data, plan, parts, requested), methods, options)


def _compared(made: CheckedRequest, methods: Models, options: dict[str, Any]) -> Comparison:
    began, data, plan = clock.perf_counter(), made.data, made.plan
    settings = {name: options[name] for name in _OF_FITS}
    fits = run(data, plan, made.contenders, made.measures, **settings)
    options["ranking"] = ""
    options["lag_words"] = data.lags.words if data.lags else ""
    if options["losses"] is None and isinstance(options["rope"], str | Mapping):
        fits, options["ranking"] = by_what_models_predict(fits)
    steps = bar(
        total=2,
        label="stopped: warnings and tests of what was fitted (Ctrl-C: without them)"
        if fits.stopped
        else "warnings and tests",
        unit="step",
        shown=options["progress"],
        delay=0 if fits.stopped else 2,
    )
    alarms: list[alarm.Alarm] = []
    undone: list[str] = []
    with steps:
        try:
            alarms += alarm.of_data(data, plan)
            alarms += alarm.of_fits(data, fits, options["sizes"])
        except KeyboardInterrupt:
            undone.append("leaks, groups and other warnings were not all looked for")
        steps.update()
        sizes, where = rope_sizes(options["rope"], fits)
        try:
            verdicts = verdicts_of(data, fits, sizes, options["reference"])
        except KeyboardInterrupt:
            undone.append("tests are of the means of test sets, without those of cases")
            verdicts = verdicts_of(data, fits, sizes, options["reference"], quick=True)
        if any(note.code == DEPENDENT_ROWS for note in verdicts.notes):
            verdicts = with_suspects(verdicts, alarm.suspects(data, alarms))
        steps.update()
    matches = alarm.without([*alarm.of_stop(undone), *alarms], options["ignore_warnings"])
    count = len(fits.methods) * (len(fits.plan.splits) + len(fits.plan.delete_one))
    options["provenance"] = (
        f"scikit-learn {sklearn.__version__}, benchbook {metadata.version('benchbook')}, Python "
        f"{platform.python_version()}, seed {options['seed']}, {counted(count, 'fit')}, {_cached(fits, count)}"
        f"{clock.perf_counter() - began:.0f} s."
    )
    result = Comparison(
        data, fits.plan, fits, verdicts, matches, sizes, where, methods, dict(options)
    )
    return replace(result, again=partial(again, result))


def _cached(fits: Fits, count: int) -> str:
    """What of a comparison was made before, and what is made each time although there is a cache."""
    parts = [f"from the cache: {fits.from_cache} of {counted(count, 'fit')}"] * bool(
        fits.from_cache
    )
    parts += [f"not to be cached: {', '.join(fits.uncached)}"] * bool(fits.uncached)
    return "".join(f"{part}, " for part in parts)


def prepare(
    methods: Models, X: Table | None, y: ArrayLike | None = None, **options: Any
) -> CheckedRequest:
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
