"""Keywords of other libraries and misspelt ones, answered with the one that is meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from benchbook.errors import Fault, FaultyInput

_OF_OTHERS = {
    "methods": "estimator estimators model models algorithm algorithms learner learners classifier classifiers "
    "regressor regressors clf pipeline pipelines method reports",
    "X": "data df frame dataframe features inputs dataset table training_frame train_data",
    "y": "label labels targets outcome outcomes response y_true",
    "target": "target_column target_name target_col label_column response_column outcome_name dependent form formula",
    "drop": "ignore exclude drop_columns ignore_features ignored_columns",
    "groups": "group subject subjects cluster clusters block blocks group_column fold_groups id_column",
    "time": "date dates timestamp timestamps order time_column date_column datetime",
    "weights": "weight sample_weight sample_weights case_weights obs_weights wts",
    "lags": "lag n_lags lag_list autoregressive ar order_of_lags",
    "design": "cv splitter split splits fold folds n_splits n_folds kfold k fold_strategy resampling resample "
    "resamples tr_control train_control control ctrl validation number",
    "effort": "preset presets quality",
    "sizes": "train_size train_sizes n_train subsample max_samples",
    "losses": "loss scoring scorer scorers score scores score_func metric metrics measure measures criterion objective "
    "eval_metric summary_function loss_function error",
    "rope": "margin tolerance equivalence min_difference minimum_difference",
    "unit": "units",
    "kind": "task task_type problem problem_type prediction_type ml_task mode type",
    "positive": "pos_label positive_class pos_class event_level target_class",
    "predictive": "distribution probabilistic",
    "smooth": "smoothing",
    "reference": "baseline base",
    "seed": "random_state random_seed seeds rng rs session_id",
    "n_jobs": "jobs n_cores cores n_workers workers threads n_threads nthread num_workers processes parallel "
    "allow_parallel pre_dispatch",
    "budget": "time_limit max_time max_runtime max_runtime_secs total_time timeout",
    "limit": "fit_timeout max_fit_time",
    "cache": "memory caching memoize",
    "on_error": "error_score errors error_action",
    "ignore_warnings": "warnings suppress_warnings filterwarnings",
    "progress": "verbose verbosity progress_bar show_progress verbose_iter silent",
}
"""By keyword of ``compare``, what scikit-learn, skore, caret and others call it."""
_OF_RESULTS = {
    "groups": "cluster",
    "weights": "weight",
    "design": "folds",
    "target": "y",
    "losses": "metric",
}
"""What some of these are called in ``compare_results``."""
_IN_PIPELINE = "a step of a pipeline among the methods: make_pipeline(StandardScaler(), model)"
_IN_SEARCH = "a search among the methods: GridSearchCV(model, grid)"
_IN_ESTIMATOR = "a setting of the estimator itself"
_WHOLE = "X and y whole, and design=[(rows to train on, rows to test on)]"
_IN_RESULT = "no keyword: the result has .predictions, .losses, .fold_losses and .table"
_ADVICE = {
    "n_repeats repeats": "design='10x3' for ten folds three times",
    "test_size p holdout validation_size test_share": "design='holdout-0.2' for a fifth that is tested",
    "shuffle": "no keyword: folds are random; time= or a splitter as design= keeps an order",
    "stratify stratified": "no keyword: folds have their share of every class",
    "param_grid param_distributions param_name param_range tune_grid tune_length hyperparameters refit n_iter "
    "candidates search tuner": _IN_SEARCH,
    "preprocess preprocessing pre_proc_options transformers transformer scaler imputer impute normalize "
    "encoder recipe feature_selection sampling na_action": _IN_PIPELINE,
    "X_train y_train X_test y_test X_val y_val test_data validation_data index index_out test_index "
    "train_index": _WHOLE,
    "fit_params params fit_kwargs model_params metric_kwargs class_weight class_weights": _IN_ESTIMATOR,
    "return_train_score return_estimator return_indices return_times return_data return_resamp return_models "
    "save_predictions return_predictions keep_predictions output": _IN_RESULT,
    "greater_is_better maximize maximise direction": "no keyword: losses are smaller when better, and the sign of a "
    "scorer of scikit-learn is turned",
    "response_method needs_proba needs_threshold class_probs predict_proba": "no keyword: a loss gets the labels, "
    "scores or probabilities that it needs",
    "alpha level confidence confidence_level ci": "no keyword: intervals are of 95 %; .table has the standard errors",
    "test statistic correction adjust p_adjust": "no keyword: the test is the one that is valid for the design",
    "bootstrap n_bootstrap n_resamples n_permutations": "no keyword: .utilities() bootstraps the cases",
    "name names model_names": "methods as a dict of names",
    "tasks": "no keyword: compare_results(tasks=...) compares the runs of declared tasks",
}
"""What has no keyword here, and where it is said instead."""

Call = TypeVar("Call", bound=Callable[..., Any])


def _bare(word: str) -> str:
    return word.replace("_", "").replace(".", "").lower()


def ours_for(word: str, known: Iterable[str]) -> str | None:
    """The keyword among ``known`` that a word of another library means, or the nearest one; None when there is none."""
    spelt = {
        _bare(other): ours for ours, words in _OF_OTHERS.items() for other in words.split()
    } | {_bare(name): name for name in _OF_OTHERS}
    ours = spelt.get(_bare(word), "")
    for meant in (ours, _OF_RESULTS.get(ours)):
        if meant in (known := set(known)):
            return meant
    spelt |= {_bare(name): name for name in known}
    near = difflib.get_close_matches(_bare(word), spelt, n=1, cutoff=0.75)
    return spelt[near[0]] if near and spelt[near[0]] in known else None


def advice_for(word: str) -> str:
    """Where a word of another library is said that has no keyword here; empty when nothing is known of it."""
    found = (rule for words, rule in _ADVICE.items() if _bare(word) in _bare(words).split())
    return next(found, "")


def _answered(
    given: Mapping[str, Any], known: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Fault]]:
    """The keywords as ours, and a fault for each that is not."""
    ours, faults = {name: value for name, value in given.items() if name in known}, []
    for name in given.keys() - known.keys():
        rule, meant = advice_for(name), ours_for(name, known)
        if not rule and meant:
            rule = f"say {meant}="
            ours.setdefault(meant, given[name])
        rule = rule or f"the keywords are {', '.join(known)}"
        faults.append(Fault(name, "an unknown keyword", rule))
    return ours, sorted(faults, key=lambda fault: list(given).index(fault.where))


def answers_keywords(
    check: Callable[..., Any],
    name: str = "compare",
    usage: str = "compare(methods, X, y)",
) -> Callable[[Call], Call]:
    """Let a call answer keywords that it does not have by those that are meant, together with all that is wrong else.

    Args:
        check: of the same arguments as the call; raises FaultyInput for what is wrong with them.
        name, usage: of the call.
    """

    def decorate(call: Call) -> Call:
        signature = inspect.signature(call)

        @functools.wraps(call)
        def answering(*args: Any, **given: Any) -> Any:
            ours, faults = _answered(given, signature.parameters)
            try:
                bound = signature.bind(*args, **ours).arguments
            except TypeError as error:
                rule = f"{usage}, and all else by keyword"
                faults.append(Fault("arguments", str(error), rule))
            else:
                if not faults:
                    return call(*args, **given)
                try:
                    check(**bound)
                except FaultyInput as error:
                    faults += error.faults
            raise FaultyInput(name, faults, "Nothing was fitted.")

        return cast("Call", answering)

    return decorate
