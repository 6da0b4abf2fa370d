"""The page of a comparison: one HTML file that needs nothing else, no script and no network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from benchbook import assess, losses, tasks
from benchbook.charts.kit import light
from benchbook.charts.kit.output import picture, specification
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.show import loss_tables
from benchbook.show.assessment.allowed import LEVEL, POWER, Allowed
from benchbook.show.assessment.asked import ComparisonRequest
from benchbook.show.assessment.calibration import calibration
from benchbook.show.assessment.form import ReportForm, report_form
from benchbook.show.assessment.ranked import ranked, sentence
from benchbook.show.assessment.worth import held_and_varied, worth_table
from benchbook.show.html import Html, escape, fold, paragraph, stack
from benchbook.show.numbers import p_value
from benchbook.show.origins import provenance, which_data
from benchbook.show.prototask import Assessed, definition, encoding
from benchbook.show.tables import table

_MARK = '<meta name="generator" content="benchbook assess">'
_STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #1c1c1c; background: #fff; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.2rem; }
code { font-size: .92em; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .92rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
caption { position: sticky; left: 0; max-width: min(44rem, 100vw - 2rem); }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #ccc; text-align: left; }
.num { text-align: right; font-variant-numeric: tabular-nums; }
td, tbody th { white-space: nowrap; }
thead th { vertical-align: bottom; }
figure { margin: 1rem 0; overflow-x: auto; }
blockquote { border-left: 3px solid #888; margin: 1rem 0; padding-left: 1rem; }
details { margin: .8rem 0; }
summary { cursor: pointer; }
dt { font-weight: 600; }
dd { margin: 0 0 .4rem 1rem; }
dd p { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; background: #f3f3f3; padding: .6rem; }
.bb-table { overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #17191c; }
  a { color: #8ab4f8; }
  th, td { border-color: #45494f; }
  pre { background: #24272b; }
}
"""


def save(asked: ComparisonRequest, page: Assessed, data: Sequence[Allowed], path: Path) -> Path:
    """Write the page.

    Args:
        asked: what was asked. page: the losses of its runs. data: what the data allow. path: of the page, .html.

    Raises:
        BenchbookError: there is a file that is no such page, or nothing can be written there.
    """
    refuse_others(path)
    text = _document(asked, page, data)
    with atomic(path) as scratch:
        scratch.write_text(text, encoding="utf8")
    return path


def refuse_others(path: Path) -> None:
    """Refuse to write over a file that is no page of this kind.

    Raises:
        BenchbookError: it is none, or its name does not end in .html.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise BenchbookError(f"the page {path} must end in .html")
    if path.is_dir() or (path.is_file() and _MARK.encode() not in path.read_bytes()[:2000]):
        raise BenchbookError(
            f"{path} is there already and is no page of `benchbook assess`; give another --out"
        )


def _document(asked: ComparisonRequest, page: Assessed, data: Sequence[Allowed]) -> str:
    title = f"{asked.path}: {' and '.join(asked.mine) or 'methods'} beside {len(asked.names) - len(asked.mine)} others"
    if not asked.mine:
        title = f"{asked.path}: {len(asked.names)} methods"
    return document(title, _parts(asked, page, data))


def document(title: str, contents: Sequence[Html | str]) -> str:
    """A whole HTML file that needs nothing else: a heading, and pieces of pages one after the other."""
    body = "\n".join(part if isinstance(part, str) else part.html for part in contents)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{_MARK}\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body><h1>{escape(title)}</h1>\n{body}\n"
        "</body></html>\n"
    )


def _parts(asked: ComparisonRequest, page: Assessed, data: Sequence[Allowed]) -> list[Html | str]:
    best = ranked(page, asked.code, asked.mine[0] if asked.mine else "")
    dataset = asked.path.partition("/")[0]
    loss = losses.get(asked.code)
    return [
        which_data(dataset),
        stack(*(paragraph(note) for note in page.notes)),
        "<h2>The sentence for a paper</h2>",
        *_for_a_paper(report_form(asked, page, best), sentence(asked, best)),
        "<h2>What was asked</h2>",
        definition(page.path),
        "<h2>What was held, and what varied</h2>",
        held_and_varied(asked),
        "<h2>What the data allow</h2>",
        allowed_table(asked, data),
        f"<h2>Learning curves, loss {escape(loss.code)}</h2>",
        figure(page.curves(asked.code)),
        "<h2>Who is better</h2>",
        *_tables(best, asked.code),
        figure(page.figure(asked.code)),
        figure(page.differences(asked.code)),
        page.pairs(asked.code),
        _ranks(page, asked.code),
        "<h2>What it is worth</h2>",
        worth_table(page, _reference(asked, best)),
        "<h2>Losses side by side</h2>",
        *(page.losses(code) for code in asked.codes),
        "<h2>Is the doubt as stated?</h2>",
        _calibration(asked, page),
        "<h2>What it took</h2>",
        loss_tables.effort_table(page.records),
        encoding(page.path),
        provenance(
            page.values, seed=asked.plan.seed, data=[dataset], command=_command(asked, dataset)
        ),
    ]


def _for_a_paper(form: ReportForm, says: str) -> list[Html | str]:
    """The sentence when the form has passed, what the rules find, and the form behind a fold."""
    said = (
        f"<blockquote>{escape(says)}</blockquote>"
        if form.passed
        else (
            "<p><strong>There is no sentence, since the report form is refused.</strong> Mend this first:</p>"
        )
    )
    values = sum(len(one) for one in form.values.values())
    behind = fold(
        f"The report form, {form.verdict}; {values} values",
        Html(f"<pre>{escape(form.toml())}</pre>", form.toml()),
    )
    findings = "".join(
        f"<li><strong>{'Warning' if one.warning else 'Refused'}: {escape(one.key)}.</strong> Found "
        f"{escape(one.found)}: {escape(one.write)}. {escape(one.broken.words)} "
        f"({escape(one.broken.source)}).</li>"
        for one in (*form.faults, *form.warnings)
    )
    return [said, f"<ul>{findings}</ul>" if findings else "", behind]


def _reference(asked: ComparisonRequest, best: pl.DataFrame) -> str:
    """The method that differences are to: the reader's where it is on the largest task, else the best."""
    last = best.filter(pl.col("size") == best["size"].max())["method"].to_list()
    return next((name for name in asked.mine if name in last), last[0])


def _command(asked: ComparisonRequest, dataset: str) -> str:
    mine = [spec for spec in asked.plan.methods if spec in asked.mine or ".py" in spec]
    others = [spec for spec in asked.plan.methods if spec not in mine]
    return " ".join(
        [
            "benchbook assess",
            asked.path,
            *(f"--method {spec}" for spec in mine),
            *(f"--against {name}" for name in others),
            f"--seed {asked.plan.seed}",
            f"--loss {asked.code}",
        ]
    )


def figure(chart: Any) -> Html:
    """A chart as a picture with its alternative text; pieces of a page stay what they are."""
    if isinstance(chart, Html):
        return chart
    spec = specification(chart)
    words = str(spec.get("description", "Chart"))
    drawn = light.picture(picture(spec)).replace(
        "<svg ", '<svg style="max-width:100%;height:auto" ', 1
    )
    return Html(f'<figure role="img" aria-label="{escape(words)}">{drawn}</figure>', words)


def allowed_table(asked: ComparisonRequest, data: Sequence[Allowed]) -> Html:
    """Training sets, test cases and the difference that they can show, by training-set size."""
    frame = pl.DataFrame(
        [
            {
                "training_cases": one.size,
                "disjoint_training_sets": one.sets,
                "test_cases_of_each": one.cases,
                "detectable_difference": one.difference,
                "share": one.share,
            }
            for one in data
        ],
        schema_overrides={"detectable_difference": pl.Float64, "share": pl.Float64},
    )
    shown = [column for column in frame.columns if frame[column].null_count() < frame.height]
    words = {"share": "as a share of the best constant guess's loss"}
    seen = table(
        frame.select(shown),
        f"What can be seen by loss {asked.code}",
        headings={name: text for name, text in words.items() if name in shown},
    )
    if "detectable_difference" not in shown:
        return seen
    return stack(
        seen,
        paragraph(
            f"The detectable difference is found with a chance of {POWER:g} by the test at level {LEVEL:g}."
        ),
        paragraph("That is where losses vary as those of two fast methods did in a pilot."),
    )


def _tables(best: pl.DataFrame, code: str) -> list[Html]:
    tables = []
    for (size,), part in best.group_by("size", maintain_order=True):
        against = part["against"][0]
        shown = part.select(
            "method",
            "ties",
            "mean",
            "standard_error",
            "standardised_mean",
            "p",
            "holm",
            "benjamini_hochberg",
        )
        tables.append(
            table(
                shown,
                f"{size} training cases, loss {code}",
                doubt={"mean": "standard_error"},
                label="method",
                headings={
                    "mean": "expected loss",
                    "standardised_mean": "standardised",
                    "ties": "tie group",
                    "p": f"p against {against}",
                    "holm": "Holm",
                    "benjamini_hochberg": "Benjamini-Hochberg",
                },
                formats={name: _p for name in ("p", "holm", "benjamini_hochberg")},
            )
        )
    tables.append(
        paragraph(
            "Methods that share a letter are not told apart at 0.05 (Holm, all pairs of the task)."
        )
    )
    tables.append(paragraph("Holm's p keeps the chance of even one false find at the level."))
    tables.append(
        paragraph("Benjamini and Hochberg's keeps the share of false ones among the finds.")
    )
    return tables


def _ranks(page: Assessed, code: str) -> Html:
    """Rank tests over the training sets of the largest task, behind a fold, with what they assume."""
    largest, scheme = next(reversed(page.sizes)), tasks.prototask(page.path).test_set_selection
    values = page.values.filter(pl.col("loss") == code, pl.col("task") == largest)
    if values["instance"].n_unique() < 2 or values["method"].n_unique() < 2:
        return Html("", "")
    ranks = assess.rank_table(assess.instance_means(values, scheme).rename({"instance": "block"}))
    kind = "training sets" if scheme == "hierarchical" else "training sets, common tests"
    against = ranks["against"][0]
    shown = table(
        ranks.select("method", "mean_rank", "nemenyi", "wilcoxon", "holm"),
        f"{largest}, loss {code}: ranks over {ranks['blocks'][0]} training sets, Friedman's p "
        f"{_p(ranks['friedman'][0])}",
        label="method",
        headings={
            "mean_rank": "mean rank",
            "nemenyi": f"Nemenyi's p against {against}",
            "wilcoxon": "Wilcoxon's p",
            "holm": "Wilcoxon's, by Holm",
        },
        formats={name: _p for name in ("nemenyi", "wilcoxon", "holm")},
    )
    return fold(
        "Rank tests, and what they assume",
        stack(
            shown,
            paragraph(assess.ASSUMES[kind]),
            paragraph("Ranks answer another question than expected losses."),
            paragraph(
                "What is mostly a little better and at times far worse has the better rank and larger loss."
            ),
        ),
    )


def _p(value: float | None) -> str:
    return "–" if value is None else p_value(value)


def _calibration(asked: ComparisonRequest, page: Assessed) -> Html:
    rendered = calibration(page)
    if rendered.is_empty():
        return paragraph(
            "None of the methods says anything of its doubt, or no predictions were kept."
        )
    real = tasks.prototask(asked.path).kind == "real"
    words = (
        "Share of the test cases in intervals of 50 % and 90 %"
        if real
        else (
            "Mean probability of the class held most probable, and share of cases in which it is the class"
        )
    )
    headings = {
        "within_50%": "in the 50 % interval",
        "within_90%": "in the 90 % interval",
        "stated": "stated",
        "right": "observed",
    }
    shown = [name for name in headings if name in rendered.columns]
    seen = table(
        rendered,
        f"{words}, over all training sets of {next(reversed(page.sizes))}",
        label="method",
        digits=2,
        headings={key: headings[key] for key in shown},
        doubt={key: f"{key}_error" for key in shown},
    )
    left = [name for name in page.methods if name not in set(rendered["method"])]
    return stack(
        seen,
        *(
            [paragraph(f"{', '.join(left)}: no intervals, or predictions that were not kept.")]
            if left
            else []
        ),
    )
