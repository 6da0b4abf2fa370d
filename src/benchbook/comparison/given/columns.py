"""From a table as somebody has it to one with a line for each score: methods, scores, and the rest."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from benchbook.comparison.given.direction import SPREADS, direction, tokens
from benchbook.comparison.given.roles import answer_of, columns_text, plain_name, roles_of
from benchbook.comparison.given.source import Source, Wishes
from benchbook.errors import Fault, FaultyInput, shortened
from benchbook.words import listed

_TIMINGS = """
fit_time score_time time_train_s time_infer_s metric_error_val duration total_time working_time elapsed runtime
training_duration predict_duration mean_fit_time std_fit_time mean_score_time std_score_time time_train time_infer
tie_resolved_time cost_time wall_time
"""
"""Columns of exports that are never scores."""
_SCORES = ("score", "metric_error", "result", "value", "estimate", "metric_value", "mean")
_CLASSES = ("label", "class", "class_name", "category")
_PREDICTED = ("prediction", "pred", "y_pred", "yhat", "y_hat", "predicted")
_UNIT = 1e-9


def normalised(source: Source, wishes: Wishes) -> tuple[pl.DataFrame, str, bool, list[str]]:
    """The scores as a table of method, value and roles.

    Returns:
        the table, what the values are called, whether higher is better, and notes on what was left out.

    Raises:
        FaultyInput: columns that are not there, that may be several things, or that hold no numbers; all of them.
    """
    frame, faults = source.frame.drop(wishes.drop, strict=False), list[Fault]()
    if not frame.height:
        raise FaultyInput("results", [Fault("rows", "none", "a score of each method at least")])
    named = {**source.roles, **wishes.roles}
    faults += _absent(frame, named, wishes)
    if faults:
        raise FaultyInput("results", faults)
    roles = roles_of(frame, named, (*wishes.by, *wishes.methods), faults)
    notes = list(source.notes)
    frame = _without_imputed(frame, roles, notes)
    used = [*roles.values(), *wishes.by]
    if "method" in roles:
        title, score = _score_column(frame, roles, used, source.metric, wishes, faults)
        if score is not None:
            spare = [name for name in frame.columns if name not in (*used, score)]
            frame = (
                frame.filter(metric_is(roles, title))
                if _long_metric(frame, roles, title)
                else frame
            )
            _not_used(spare, notes)
    else:
        frame, title, score = _long(frame, roles, used, source.metric, wishes, faults, notes)
    faults += _of_classes(source.frame, roles, wishes)
    higher = wishes.higher_is_better if wishes.higher_is_better is not None else source.higher
    if score is not None and higher is None:
        higher = _direction(frame, title, score, roles, faults)
    data = None if score is None else _selected(frame, roles, score, wishes, faults)
    if faults or data is None:
        raise FaultyInput("results", faults, "Nothing was compared.")
    return data, title, bool(higher), notes


def _absent(frame: pl.DataFrame, named: dict[str, str], wishes: Wishes) -> list[Fault]:
    columns = [
        *named.items(),
        *(("by", name) for name in wishes.by),
        *(("method", name) for name in wishes.methods),
    ]
    return [
        Fault(role, repr(name), f"a column: {columns_text(frame)}")
        for role, name in columns
        if name not in frame.columns
    ]


def metric_is(roles: dict[str, str], title: str) -> pl.Expr:
    return pl.col(roles["metric"]).cast(pl.String) == title


def _long_metric(frame: pl.DataFrame, roles: dict[str, str], title: str) -> bool:
    return "metric" in roles and title in frame[roles["metric"]].cast(pl.String).unique()


def _without_imputed(frame: pl.DataFrame, roles: dict[str, str], notes: list[str]) -> pl.DataFrame:
    """The rows of methods without results that somebody imputed, as TabArena does for failed runs."""
    column = next((name for name in frame.columns if plain_name(name) == "imputed"), None)
    if column is None or "method" not in roles:
        return frame
    true = pl.col(column).cast(pl.String).str.to_lowercase().is_in(["true", "1", "yes"])
    bad = frame.filter(true)[roles["method"]].unique(maintain_order=True).to_list()
    if not bad:
        return frame
    names = listed([str(name) for name in bad[:3]]) + (" and others" if len(bad) > 3 else "")
    notes.append(
        f"left out: {len(bad)} {'method' if len(bad) == 1 else 'methods'} with imputed results ({names})"
    )
    return frame.filter(~pl.col(roles["method"]).is_in(bad))


def _not_used(spare: Sequence[str], notes: list[str]) -> None:
    if spare:
        notes.append(f"columns not used: {shortened(', '.join(spare), 120)}")


def _is_number(values: pl.Series) -> bool:
    return values.dtype.is_numeric() or values.dtype == pl.Boolean


def _score_column(
    frame: pl.DataFrame,
    roles: dict[str, str],
    used: Sequence[str],
    metric: str,
    wishes: Wishes,
    faults: list[Fault],
) -> tuple[str, str | None]:
    """What the values of a long table are called, and their column."""
    asked = metric or wishes.metric
    free = [
        name
        for name in frame.columns
        if name not in used
        and _is_number(frame[name])
        and plain_name(name) not in (*_TIMINGS.split(), *_CLASSES)
        and not answer_of(name)
        and not set(SPREADS.split()) & set(tokens(name)[-1:])
    ]
    if asked in frame.columns and asked not in used:
        return str(asked), str(asked)
    target = next((name for name in frame.columns if name == roles.get("target")), None)
    predicted = [name for name in free if plain_name(name) in _PREDICTED]
    if target is not None and predicted:
        rule = f"y={target!r}: these are predictions, not scores"
        faults.append(Fault(predicted[0], f"predictions beside {target}", rule))
        return "", None
    generic = [name for word in _SCORES for name in free if plain_name(name) == word]
    texts = [name for name in frame.columns if name not in used and not _is_number(frame[name])]
    telling = [
        name for name in (*free, *texts) if direction(name) is not None and name not in generic
    ]
    graded = [name for name in texts if name.startswith("score_")]
    candidates = telling or generic[:1] or free or graded
    if plain_name(next(iter(generic), "")) == "metric_error":
        candidates = generic[:1]
    if len(candidates) != 1:
        faults.append(_no_score(frame, candidates, asked))
        return "", None
    score = candidates[0]
    if "metric" in roles:
        return _of_metric(frame, roles, score, asked, faults)
    return str(asked or score), score


def _no_score(frame: pl.DataFrame, candidates: Sequence[str], asked: str | None) -> Fault:
    if asked:
        return Fault("metric", repr(asked), f"a column of numbers: {columns_text(frame)}")
    if not candidates:
        text = "a column of numbers, without ± and the like; " + columns_text(frame)
        return Fault("metric", "no column of scores", text)
    names = shortened(", ".join(candidates), 120)
    rule = "metric= one of them; or, where they are datasets, a line for each (unpivot) with the column dataset"
    return Fault("metric", f"{len(candidates)} columns that may be the score: {names}", rule)


def _of_metric(
    frame: pl.DataFrame, roles: dict[str, str], score: str, asked: str | None, faults: list[Fault]
) -> tuple[str, str | None]:
    """The title where a column names the metric of each row."""
    names = frame[roles["metric"]].cast(pl.String).unique(maintain_order=True).to_list()
    if asked in names or len(names) == 1:
        return str(
            asked if asked in names else names[0] if plain_name(score) != "metric_error" else score
        ), score
    data = roles.get("dataset")
    if (
        data is not None
        and frame.select(data, roles["metric"]).n_unique() == frame[data].n_unique()
    ):
        return str(asked or score), score
    text = f"{len(names)} metrics: {shortened(', '.join(map(str, names)), 120)}"
    faults.append(Fault("metric", text, "metric= one of them"))
    return "", None


def _long(
    frame: pl.DataFrame,
    roles: dict[str, str],
    used: Sequence[str],
    metric: str,
    wishes: Wishes,
    faults: list[Fault],
    notes: list[str],
) -> tuple[pl.DataFrame, str, str | None]:
    """A wide table, a column a method, as a long one."""
    spare = [name for name in frame.columns if name not in used]
    names = list(wishes.methods) or [
        name
        for name in spare
        if _is_number(frame[name])
        and plain_name(name) not in (*_TIMINGS.split(), *_CLASSES)
        and not answer_of(name)
        and not name.endswith(("__MIN", "__MAX"))
        and not plain_name(name).endswith("_id")
    ]
    numbers = [name for name in names if _is_number(frame[name])]
    if len(numbers) < max(wishes.fewest, 1) or len(numbers) < len(names):
        text = f"{len(numbers)} of numbers without another role"
        rule = f"a column method=, or two columns of numbers or more, one a method; there are {columns_text(frame)}"
        faults.append(Fault("method", text, rule))
    elif not wishes.methods:
        faults += _of_one_kind(frame, numbers)
    if (target := roles.get("target")) is not None:
        rule = (
            f"y={target!r} where the other columns are predictions, drop={target!r} where they are scores; "
            "method=[...] where it is a method"
        )
        faults.append(Fault(target, "a column that may be the target", rule))
    if "metric" in roles and frame[roles["metric"]].n_unique() > 1 and "dataset" not in roles:
        faults.append(Fault("metric", "several metrics in one column", "the rows of one of them"))
    places = {"dataset", "item", "fold", "seed", "time", "repeat"} & set(roles)
    index = frame.with_row_index("row number") if not places and wishes.each else frame
    if not places and wishes.each:
        roles[wishes.each] = "row number"
    elif not places:
        rule = "what a row is, each='item', 'fold', 'dataset', 'seed' or 'time': the tests differ"
        faults.append(Fault("each", "nothing", rule))
    _not_used([name for name in spare if name not in names], notes)
    if faults:
        return frame, "", None
    keep = [name for name in index.columns if name in (*roles.values(), *wishes.by)]
    long = index.select(*keep, *(pl.col(name).cast(pl.Float64) for name in numbers)).unpivot(
        numbers, index=keep, variable_name="method name", value_name="value read"
    )
    roles["method"] = "method name"
    return long, str(metric or wishes.metric or "score"), "value read"


def _of_one_kind(frame: pl.DataFrame, names: Sequence[str]) -> list[Fault]:
    """A fault where columns of numbers are not all scores of one kind, so that some may be no methods."""
    ranges, words = {}, {}
    for name in names:
        values = frame[name].cast(pl.Float64).drop_nans().drop_nulls()
        if not len(values):
            continue
        low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
        whole = bool((values == values.floor()).all()) and not 0.0 <= low <= high <= 1.0
        ranges[name] = low, high, whole
        words[name] = f"{name} ({'whole numbers ' if whole else ''}{low:.4g} to {high:.4g})"
    if all(0.0 <= low <= high <= 1.0 for low, high, _ in ranges.values()):
        return []
    if len({item[2] for item in ranges.values()}) < 2:
        lows, highs = [item[0] for item in ranges.values()], [item[1] for item in ranges.values()]
        widths = [high - low for high, low in zip(highs, lows, strict=True)]
        apart = bool(widths) and max(widths) > 20 * max(
            min(widths), 0.02 * max(map(abs, highs)), _UNIT
        )
        if not apart and (not lows or max(lows) <= min(highs) + max(widths)):
            return []
    text = f"{len(names)} columns of numbers that are not of one kind: {', '.join(words.values())}"
    return [Fault("method", shortened(text, 190), "method=[...] names those that are methods")]


def _of_classes(frame: pl.DataFrame, roles: dict[str, str], wishes: Wishes) -> list[Fault]:
    """A score for each class is no sample of items."""
    taken = (*wishes.roles.values(), *wishes.by, *wishes.drop)
    columns = [name for name in frame.columns if plain_name(name) in _CLASSES and name not in taken]
    places = [
        roles[role] for role in ("method", "dataset", "fold", "seed", "item") if role in roles
    ]
    if any(name == roles.get("item") for name in frame.columns):
        return []
    keys = [name for name in places if name in frame.columns]
    rule = "scores of the items: the classes of one test set are no sample of anything"
    return [
        Fault(name, f"a score for each of {frame[name].n_unique()} classes", rule)
        for name in columns
        if frame.select(*keys, name).n_unique() == frame.height
    ]


def _direction(
    frame: pl.DataFrame, title: str, score: str, roles: dict[str, str], faults: list[Fault]
) -> bool | None:
    if plain_name(score) == "metric_error":
        return False
    names = [title]
    if plain_name(title) in _SCORES and "metric" in roles:
        names = [str(name) for name in frame[roles["metric"]].unique(maintain_order=True).to_list()]
    signs = {direction(name) for name in names}
    higher = signs.pop() if len(signs) == 1 else None
    values = frame[score]
    if higher is None and not values.dtype.is_numeric() and values.dtype != pl.Boolean:
        return True  # letters of an evaluation, C for correct
    if (
        higher is None
        and plain_name(title) == "score"
        and set(values.unique().to_list()) <= {0, 1, None}
    ):
        return True
    if higher is None:
        rule = "higher_is_better=True or False; the name does not tell"
        faults.append(Fault("direction", repr(listed(names) if len(names) < 4 else title), rule))
    return higher


_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""What inspect_ai makes of the grades correct, partial, incorrect and no answer."""


def _selected(
    frame: pl.DataFrame, roles: dict[str, str], score: str, wishes: Wishes, faults: list[Fault]
) -> pl.DataFrame | None:
    """The columns of the roles, and the values as numbers."""
    values = frame[score]
    scores = values.cast(pl.Float64) if _is_number(values) else _read(values, score, faults)
    keep = {role: frame[name] for role, name in roles.items() if role != "target"}
    names = keep["method"]
    if names.null_count():
        faults.append(
            Fault("method", f"{names.null_count()} rows without one", "a method for every row")
        )
    for role in ("weight", "se", "n"):
        if role in keep:
            numbers = keep[role].cast(pl.Float64, strict=False)
            above = numbers.fill_null(-1.0).fill_nan(-1.0)
            if not bool((above >= 0.0).all() if role == "weight" else (above > 0.0).all()):
                rule = "weights of at least 0" if role == "weight" else "numbers above 0"
                faults.append(
                    Fault(role, f"values such as {keep[role][int(above.arg_min() or 0)]!r}", rule)
                )
            keep[role] = numbers
    columns = {**keep, "method": names.cast(pl.String)}
    if wishes.by:
        texts = [pl.col(name).cast(pl.String).fill_null("missing") for name in wishes.by]
        columns["segment"] = frame.select(pl.concat_str(texts, separator=", "))[:, 0]
    if scores is None:
        return None
    return pl.DataFrame(
        {role: values.alias(role) for role, values in columns.items()} | {"value": scores}
    )


def _read(values: pl.Series, score: str, faults: list[Fault]) -> pl.Series | None:
    texts = values.cast(pl.String).str.strip_chars()
    known = texts.drop_nulls().unique()
    if len(known) and set(known.to_list()) <= set(_LETTERS):
        return texts.replace_strict(_LETTERS, default=None, return_dtype=pl.Float64)
    if set(known.str.to_lowercase().to_list()) <= {"true", "false"}:
        return (texts.str.to_lowercase() == "true").cast(pl.Float64)
    numbers = texts.cast(pl.Float64, strict=False)
    wrong = texts.filter(numbers.is_null() & texts.is_not_null() & (texts != ""))
    if len(wrong):
        rule = "numbers, or C, I, P, N; of '95.1 ± 0.2' the first as the score and the second in a column se"
        faults.append(Fault(score, f"{len(wrong)} texts, such as {wrong[0]!r}", rule))
        return None
    return numbers
