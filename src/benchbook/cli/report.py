"""``benchbook report``: PROBEN1's rules, held against a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument, json_option, show
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook.studies import report as reports

if TYPE_CHECKING:
    from benchbook.studies.report import Finding

_MOST = 100
"""How many faults, and how many warnings, are printed."""


@click.group()
def report() -> None:
    """Hold a report on an experiment against PROBEN1's benchmarking rules."""


@report.command()
@click.argument("path", type=PathArgument(dir_okay=False))
@click.option("--sentence", is_flag=True, help="Print the sentences to put into a paper, too.")
@json_option
def check(path: str, sentence: bool, as_json: bool) -> None:
    """Check the report in PATH, a TOML file: every fault and doubt at once, with the rule behind each.

    Exit code 1 when it is faulty, 0 when it is good; warnings alone do not make it faulty.
    """
    faults: tuple[Finding, ...] = ()
    says = ""
    try:
        passed = reports.check(path)
        warnings = passed.warnings
        says = reports.sentence(passed)
    except reports.FaultyReport as error:
        faults, warnings = error.findings, error.warnings
    data = {
        "report": path,
        "good": not faults,
        "faults": _as_data(faults),
        "warnings": _as_data(warnings),
        "sentence": says,
    }
    show(as_json, data, lambda: _print(path, faults, warnings, says if sentence else ""))
    if faults:
        raise click.exceptions.Exit(1)


def _as_data(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [finding.describe() for finding in findings]


def _print(path: str, faults: Sequence[Finding], warnings: Sequence[Finding], says: str) -> None:
    for kind, findings in (("fault", faults), ("warning", warnings)):
        for finding in findings[:_MOST]:
            place = f"{path}:{finding.line}" if finding.line else path
            click.echo(
                f"{place}: {kind}: {finding.key}\n  found  {finding.found}\n  write  {finding.write}\n"
                f"  rule   {finding.law.words} ({finding.law.source})\n"
            )
        if len(findings) > _MOST:
            click.echo(f"... and {len(findings) - _MOST} {kind}s more\n")
    counts = ", ".join(
        f"{len(findings)} {noun}{'' if len(findings) == 1 else 's'}"
        for noun, findings in (("fault", faults), ("warning", warnings))
    )
    click.echo(f"{path} is {'faulty' if faults else 'good'}: {counts}")
    if says:
        click.echo(f"\n{says}")


@report.command()
@click.argument("path", type=PathArgument(dir_okay=False), default="my-report.toml")
@click.option(
    "--problem",
    metavar="PARTITION",
    default="",
    help="A partition, such as cancer1 or sklearn-wine2: what is known of it is filled in.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def new(path: str, problem: str, force: bool) -> None:
    """Write a form to fill in to PATH (default: my-report.toml; - for the terminal). Until then it is refused."""
    text = reports.template(problem, Path(path).name if path != "-" else "my-report.toml")
    if path == "-":
        click.echo(text, nl=False)
        return
    if Path(path).exists() and not force:
        raise BenchbookError(
            f"{path} is there already; give another name, or --force to write over it"
        )
    with atomic(path) as scratch:
        scratch.write_text(text, encoding="utf8")
    click.echo(f"wrote {path}; fill it in, then: benchbook report check {path}")
