"""PROBEN1's form on a page: a passed one with its sentence, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from benchbook.errors import BenchbookError
from benchbook.show.html import Html, escape, fold, paragraph, stack
from benchbook_book import form as checklist
from benchbook_book.form import CheckedReport, Finding


def from_runs(runs: pl.DataFrame, method: str, partition: str) -> Html:
    """The form of a method on a partition, made from its runs; where there is none, the reason, folded.

    Args:
        runs: the columns of ``studies.partition_runs``.
        method, partition: their names, such as ``proben1-pivot`` and ``cancer1``.
    """
    try:
        passed = checklist.from_runs(runs, method, partition)
    except BenchbookError as error:
        return fold(f"{method} on {partition}: no form", paragraph(str(error).splitlines()[0]))
    return stack(paragraph(f"`{method}` on `{partition}`:"), shown(passed))


def shown(passed: CheckedReport) -> Html:
    """A passed report for the page whose runs it is about: the sentences for a paper, the remarks, and the form.

    Args:
        passed: what ``checklist.from_runs`` or ``check`` returns.
    """
    says, text = checklist.sentence(passed), checklist.toml(passed.values)
    quote = Html(f'<blockquote class="bb-sentence"><p>{escape(says)}</p></blockquote>', says)
    values = sum(1 for line in text.splitlines() if " = " in line)
    remarks = f", {len(passed.warnings)} with a remark" if passed.warnings else ", no remarks"
    form = Html(
        f'<div class="highlight-toml notranslate"><div class="highlight"><pre>{escape(text)}</pre></div></div>',
        text,
    )
    return stack(
        quote,
        listed(passed.warnings),
        fold(f"The form behind it: {values} values, no faults{remarks}", form),
    )


def listed(findings: Iterable[Finding]) -> Html:
    """Findings as a list: faults and remarks, each with what to write and the rule; nothing for none."""
    items = [
        (
            finding,
            f"{'Remark' if finding.warning else 'Refused'}: {finding.key}.",
            f"{finding.write[0].upper()}{finding.write[1:]}. {finding.broken.words} ({finding.broken.source}).",
        )
        for finding in findings
    ]
    if not items:
        return Html("", "")
    shown = "".join(
        f'<li class="{"bb-warning" if item.warning else "bb-fault"}"><strong>{escape(begin)}</strong> '
        f"{escape(words)}</li>"
        for item, begin, words in items
    )
    return Html(
        f'<ul class="bb-findings">{shown}</ul>',
        "\n".join(f"{begin} {words}" for _, begin, words in items),
    )
