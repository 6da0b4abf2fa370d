"""What is written of a report: its TOML, the template that says what to fill in, the sentences for a paper."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook_book.form import known
from benchbook_book.form.cases import KINDS, PUBLISHED
from benchbook_book.form.check import CheckedReport, rule_of, tables_in
from benchbook_book.form.rules import RULES
from benchbook_book.form.schema import (
    BoostedTrees,
    Network,
    Other,
    Report,
    Statistics,
    Table,
    value_at,
)
from benchbook_book.form.words import canonical, options_of

_HEAD = """\
# A report on one method and one split, by the rules of PROBEN1.
# Fill in what is empty, remove the sign # from lines that apply, and check it:
#   benchbook checklist check {name}
# Where no word of a vocabulary fits: key = {{ other = "an exact description" }}
"""
_WIDTH = 118
_BEGUN = (
    "results.test_error",
    "results.best_run",
    "results.best_run.test_error",
    "model.max_depth",
)
"""Optional keys and tables that a template begins with."""


def toml(values: Mapping[str, Any]) -> str:
    """A report's tables as TOML; reading it gives the same values again."""
    return "\n".join(_toml(values, "")).strip() + "\n"


def _toml(values: Mapping[str, Any], key: str) -> Iterator[str]:
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lists = {name: value for name, value in values.items() if _is_tables(value)}
    for name, value in values.items():
        if name not in tables and name not in lists:
            yield f"{_key(name)} = {_value(value)}"
    for name, table in tables.items():
        at = f"{key}.{_key(name)}".lstrip(".")
        if not table or any(not isinstance(item, Mapping) for item in table.values()):
            yield from ("", f"[{at}]")
        yield from _toml(table, at)
    for name, entries in lists.items():
        at = f"{key}.{_key(name)}".lstrip(".")
        for entry in entries:
            yield from ("", f"[[{at}]]", *_toml(entry, at))


def _is_tables(value: object) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    )


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return (
            f"{{ {', '.join(f'{_key(name)} = {_value(item)}' for name, item in value.items())} }}"
        )
    return repr(value)


def write(values: Mapping[str, Any], path: str | Path) -> None:
    """Write a report's tables into a TOML file, whole or not at all."""
    with atomic(path) as scratch:
        scratch.write_text(toml(values), encoding="utf8")


def template(
    partition: str = "",
    name: str = "my-report.toml",
    model: str = "network",
    optimiser: str = "Rprop",
    known_values: Mapping[str, Any] | None = None,
) -> str:
    """A commented form to fill in. As it stands it is refused: every empty value is a fault.

    Args:
        partition: a known one, such as ``cancer1``, of which what is known is filled in.
        name: of the file, for the comment at its top.
        model: network, boosted trees or other. optimiser: its name, or other; for networks.
        known_values: by dotted key, as ``from_result`` gives them, to stand where the form would be empty.

    Raises:
        BenchbookError: a partition, a model or an optimiser that is not known.
    """
    filled = dict(known_values or {}) | (_known(partition) if partition else {})
    chosen = {}
    for key, word in (("model", model), ("optimiser", optimiser)):
        chosen[key], named = _kind_of(key, word)
        filled |= named
    skipped = ("initialisation", "optimiser") if chosen["model"].__name__ != "Network" else ()
    begun = {
        *(key.rpartition(".")[0] for key in filled),
        *_BEGUN,
        *(key for key in ("initialisation", "optimiser", "stopping") if key not in skipped),
    }
    if known_values and chosen["model"].__name__ == "OtherModel":
        begun -= {"stopping", "results.best_run", "results.best_run.test_error"}
        if not any(key.startswith("results.test_error") for key in filled):
            begun -= {"results.test_error"}
    elif filled.get("problem.kind") != "approximation":
        begun |= {"results.test_wrong", "error.classes_by"}
    lines = [_HEAD.format(name=name).rstrip()]
    for table, field in Report.model_fields.items():
        if table in skipped:
            continue
        kind = chosen.get(table) or tables_in(field.annotation)[0]
        lines += _table_lines(kind, table, filled, begun, field.is_required() or table in begun)
    return "\n".join(lines) + "\n"


def _kind_of(key: str, word: str) -> tuple[type[Table], dict[str, str]]:
    """The table of the form for a kind of model or optimiser, and the key that says which kind it is."""
    options: dict[str, tuple[type[Table], str]] = {}
    for table in tables_in(Report.model_fields[key].annotation):
        name = next((item for item in ("kind", "name") if item in table.model_fields), "")
        words = options_of(table.model_fields[name].annotation) if name else ("other",)
        options |= dict.fromkeys(words, (table, name))
    chosen = canonical(word, options)
    if chosen not in options:
        raise BenchbookError(f"no {key} {word!r} in the form; it has {', '.join(options)}")
    table, name = options[chosen]
    return table, {f"{key}.{name}": chosen} if name else {}


def _table_lines(
    kind: type[Table], key: str, filled: Mapping[str, Any], begun: set[str], active: bool
) -> Iterator[str]:
    """The lines of one table: its sections of PROBEN1, its keys, and the tables in it."""
    sections = sorted(
        {RULES[rule_of(field)].section for field in kind.model_fields.values()},
        key=lambda text: tuple(map(int, text.split("."))),
    )
    mark = "" if active else "# "
    heading = f"[[{key}]]" if key == "comparison" else f"[{key}]"
    yield from (
        "",
        f"# PROBEN1, section{'s' if len(sections) > 1 else ''} {', '.join(sections)}",
        mark + heading,
    )
    inner = []
    for name, field in sorted(
        kind.model_fields.items(), key=lambda item: item[0] not in ("kind", "name")
    ):
        at, below = f"{key}.{name}", tables_in(field.annotation)
        if below and not options_of(field.annotation):
            inner.append((below[0], at))
            continue
        yield from textwrap.wrap(
            field.description or "", _WIDTH, initial_indent="#   ", subsequent_indent="#   "
        )
        extra = field.json_schema_extra
        example = extra["example"] if isinstance(extra, dict) and extra["example"] else "..."
        if at in filled:
            yield f"{name} = {_value(filled[at])}"
        elif active and (
            field.is_required() or at in begun or (name == "sd" and key.startswith("results"))
        ):
            yield f'{name} = ""'
        else:
            yield f"# {name} = {example}"
    for table, at in inner:
        yield from _table_lines(table, at, filled, begun, active and at in begun)


def _known(partition: str) -> dict[str, Any]:
    entry = known.partition(partition)
    if entry is None:
        raise BenchbookError(
            f"no partition {partition!r} is known here; nearest is {known.nearest(partition)!r}. "
            "For other data leave the name out"
        )
    own = {"problem.address": "", "problem.version": "", "split.cases": sum(entry.counts)}
    published = {
        "split.kind": "published",
        "encoding.inputs": PUBLISHED,
        "encoding.outputs": PUBLISHED,
        "encoding.fitted_on": "published",
    }
    thanks = {"problem.acknowledgement": entry.acknowledgement} if entry.acknowledgement else {}
    parts = ("split.training", "split.validation", "split.test")
    return {
        "problem.name": entry.problem,
        "problem.collection": entry.collection,
        "problem.kind": "classification" if entry.classification else "approximation",
        "split.name": entry.name,
        **dict(zip(parts, entry.counts, strict=True)),
        "split.test_used_for": ["results"],
        "model.inputs": entry.inputs,
        "model.outputs": entry.outputs,
        "results.split": entry.name,
        **thanks,
        **(published if entry.published else own),
    }


_FITTED = [kind for kind in KINDS if "without" not in kind]
_NOT_CONSTANTS = ("name", "source", "updates", "alterations", "variant", "parameters", "other")


def sentence(checked: CheckedReport) -> str:
    """Two to five sentences: the task and model, the training, the results, what was excluded or chosen, and thanks."""
    report = checked.report
    parts = (_task, _trained, _results, _chosen)
    return " ".join(filter(None, (part(report) for part in parts)))


def _words(value: object) -> str:
    """A value of the form in a sentence."""
    if isinstance(value, Other):
        return value.other
    if isinstance(value, Table):
        return f"({', '.join(_constants(value))})"
    if isinstance(value, list):
        return f"in [{', '.join(f'{item:g}' for item in value)}]"
    return str(value) if isinstance(value, str | bool) else f"{value:g}"


def _constants(table: Table) -> list[str]:
    """The numbers of a table that were given."""
    named = {name: value for name, value in table.__dict__.items() if name not in _NOT_CONSTANTS}
    named |= getattr(table, "parameters", {})
    return [
        f"{name.replace('_', ' ')} {_words(value)}"
        for name, value in named.items()
        if value is not None
    ]


def _task(report: Report) -> str:
    split, collection = report.split, _words(report.problem.collection)
    sized = {part: getattr(split, part, 0) for part in ("training", "validation", "test")}
    counts = [f"{size} {part}" for part, size in sized.items() if size]
    cases = " and ".join(filter(None, (", ".join(counts[:-1]), counts[-1])))
    what = "origins" if split.kind == "by time" else "folds"
    folds = f", {split.folds} {what}" if split.folds else ""
    on = f"On {split.name} of {collection} ({cases} cases{folds})"
    return f"{on.replace(' of simulated (', ', simulated (')}, {_model(report)}."


_OF_TREES = ("learning_rate", "max_depth", "max_leaves", "row_share", "column_share", "l2")


def _model(report: Report) -> str:
    model, loss = report.model, _words(getattr(report.error, "loss", "data"))
    if isinstance(model, BoostedTrees):
        named = [(name.replace("_", " "), getattr(model, name)) for name in _OF_TREES]
        constants = ", ".join(f"{name} {value:g}" for name, value in named if value is not None)
        return f"at most {model.trees} boosted trees ({model.software}; {constants}) were fitted to the {loss}"
    if not isinstance(model, Network):
        trained = value_at(report, "study.kind") in _FITTED
        fitted = f"was fitted to the {loss}" if trained else "was evaluated as it is"
        return f"{model.other} ({', '.join(_constants(model))}) {fitted}"
    layers = "-".join(map(str, [model.inputs, *model.hidden, model.outputs]))
    hidden = f" {_words(model.hidden_activation)} hidden units and" if model.hidden else ""
    between = "all layers, shortcuts included"
    between = between if model.connections == "all shortcuts" else _words(model.connections)
    links = f", with connections between {between}" if model.hidden else ""
    weights = f" ({model.weights} weights with biases)" if model.weights else ""
    return (
        f"networks {layers} of{hidden} {_words(model.output_activation)} outputs{links}{weights} were "
        f"trained on the {loss} with {_optimiser(report)}"
    )


def _optimiser(report: Report) -> str:
    chosen, start = report.optimiser, report.initialisation
    if chosen is None or start is None:
        return "an optimiser"
    constants = [*filter(None, [getattr(chosen, "variant", None)]), *_constants(chosen)]
    spread = f" {_words(start.range or start.sd)}" if start.range or start.sd else ""
    name = getattr(chosen, "name", None) or getattr(chosen, "other", "")
    return f"{name} ({', '.join(constants)}) from {_words(start.distribution)} weights{spread}"


_CRITERIA = {
    "generalisation_loss": "GL above {:g} %",
    "quotient": "PQ above {:g}",
    "successive_rises": "{:g} successive rises",
    "patience": "{:g} measurements without a new best",
    "target": "an error of {:g}",
}


def _trained(report: Report) -> str:
    given = report.stopping
    if given is None:
        return ""
    stated = {key: getattr(given, key) for key in _CRITERIA}
    words = [_CRITERIA[key].format(value) for key, value in stated.items() if value is not None]
    words += [given.criterion.other] if given.criterion else []
    how = [f"{' or '.join(words)} on the {given.watches}"] if words else []
    how += [f"training progress below {given.progress:g} per thousand"] if given.progress else []
    every = given.unit[:-1] if given.every == 1 else f"{given.every} {given.unit}"
    ended = f"by {' or '.join(how)}, measured every {every}, at the latest " if how else ""
    state = (
        "the last"
        if given.state == "last"
        else f"the one {given.state.replace(' on ', ' on the ')}"
    )
    state = f"the average of the last {given.averaged}" if given.averaged else state
    longest = f"after {given.longest} {given.unit}"
    return f"Training ended {ended}{longest}, and the model taken is {state}."


def _results(report: Report) -> str:
    results, runs, error = report.results, report.runs, report.error
    by = f" ({_words(error.classes_by)})" if error.classes_by else ""
    named = (
        (results.test_error, f"{_words(error.reported)} ", ""),
        (results.test_wrong, "", f" % classified wrongly{by}"),
        (results.test_rejected, "", " % rejected"),
    )
    phrases = [f"{before}{_mean_and_sd(one)}{after}" for one, before, after in named if one]
    excluded = f"; {runs.excluded} of {runs.made} runs were excluded ({runs.reason})"
    what = " and ".join(phrases) + (excluded if runs.excluded else "")
    if results.n == 1:
        return f"On the test cases a single run has {what}."
    head = f"On the test cases, mean and standard deviation of {results.n} {results.over} are: "
    best = results.best_run
    if best is None:
        return f"{head}{what}."
    of_best = ((best.test_error, "a test error of {:.4g}"), (best.test_wrong, "{:.4g} % wrong"))
    has = " and ".join(words.format(value) for value, words in of_best if value is not None)
    return f"{head}{what}. The run best on the {best.chosen_on} has {has}."


def _mean_and_sd(given: Statistics) -> str:
    sd = given.sd
    digits = 2 if not sd or sd >= 0.1 else min(6, 1 - math.floor(math.log10(sd)))
    return f"{given.mean:.{digits}f}" + ("" if sd is None else f" ({sd:.{digits}f})")


def _chosen(report: Report) -> str:
    tuning, thanks = report.tuning, report.problem.acknowledgement
    chosen = (
        f"Chosen among {tuning.settings_tried} settings by the {' and the '.join(tuning.chosen_on)}: "
        f"{', '.join(tuning.parameters)}."
    )
    named = f"The data were originally obtained from: {(thanks or '').rstrip('.')}."
    return " ".join([*([chosen] if tuning.parameters else []), *([named] if thanks else [])])
