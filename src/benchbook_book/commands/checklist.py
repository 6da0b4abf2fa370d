"""``benchbook checklist``: PROBEN1's rules, checked on a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument, json_option, show
from benchbook.errors import BenchbookError
from benchbook.files import atomic
from benchbook_book import form

if TYPE_CHECKING:
    from benchbook_book.form import Finding

_MOST = 100
"""How many faults, and how many remarks, are printed."""


@click.group()
def checklist() -> None:
    """Check a report on an experiment by PROBEN1's benchmarking rules."""


@checklist.command()
@click.argument("path", type=PathArgument(dir_okay=False))
@click.option("--sentence", is_flag=True, help="Print the sentences to put into a paper, too.")
@json_option
def check(path: str, sentence: bool, as_json: bool) -> None:
    """Check the report in PATH, a TOML file: every fault and remark at once, with the rule behind each.

    Exit code 1 when it is faulty, 0 when it is good; remarks alone do not make it faulty.
    """
    faults: tuple[Finding, ...] = ()
    text = ""
    try:
        passed = form.check(path)
        remarks = passed.warnings
        text = form.sentence(passed)
    except form.FaultyReport as error:
        faults, remarks = error.findings, error.warnings
    data = {
        "report": path,
        "good": not faults,
        "faults": [finding.describe() for finding in faults],
        "warnings": [finding.describe() for finding in remarks],
        "sentence": text,
    }
    show(as_json, data, lambda: _print(path, faults, remarks, text if sentence else ""))
    if faults:
        raise click.exceptions.Exit(1)


def _print(path: str, faults: Sequence[Finding], remarks: Sequence[Finding], text: str) -> None:
    for kind, findings in (("fault", faults), ("remark", remarks)):
        for finding in findings[:_MOST]:
            where = f"{path}:{finding.line}" if finding.line else path
            click.echo(
                f"{where}: {kind}: {finding.key}\n  found     {finding.found}\n  expected  {finding.write}\n"
                f"  rule      {finding.broken.words} ({finding.broken.source})\n"
            )
        if len(findings) > _MOST:
            click.echo(f"... and {len(findings) - _MOST} {kind}s more\n")
    counts = ", ".join(
        f"{len(findings)} {noun}{'' if len(findings) == 1 else 's'}"
        for noun, findings in (("fault", faults), ("remark", remarks))
    )
    click.echo(f"{path} is {'faulty' if faults else 'good'}: {counts}")
    if text:
        click.echo(f"\n{text}")


@checklist.command()
@click.argument("path", type=PathArgument(dir_okay=False), default="my-report.toml")
@click.option(
    "--problem",
    metavar="PARTITION",
    default="",
    help="A partition, such as cancer1 or sklearn-wine2: what is known of it is filled in.",
)
@click.option("--model", default="network", show_default=True, help="Or boosted trees, or other.")
@click.option(
    "--optimiser", default="Rprop", show_default=True, help="Of a network: SGD, Adam, AdamW, ..."
)
@click.option("--force", is_flag=True, help="Write over an existing file.")
def new(path: str, problem: str, model: str, optimiser: str, force: bool) -> None:
    """Write a form to fill in to PATH (default: my-report.toml; - for the terminal). Until then it is refused."""
    _write(path, force, problem, model=model, optimiser=optimiser)


@checklist.command()
@click.argument("result")
@click.argument("path", type=PathArgument(dir_okay=False), default="my-report.toml")
@click.option("--method", default="", help="The method the report is on. Default: the best.")
@click.option("--against", default="", help="The method it is compared with. Default: the next.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
def fill(result: str, path: str, method: str, against: str, force: bool) -> None:
    """Write a form to PATH with what RESULT knows: a saved comparison, a task or partition with runs, or a plan.

    RESULT is the folder of `Comparison.save`, such as mine; a task such as kin-8nm-sim/dist/std.64 or a partition such
    as cancer1, whose runs are looked up; or the file of a plan with one task. What it does not know is asked.
    """
    values = form.from_result(result, method, against)
    optimiser = values.get("optimiser.name", "Rprop")
    _write(
        path,
        force,
        "",
        model=values.get("model.kind", "other"),
        optimiser=optimiser,
        known_values=values,
    )


def _write(path: str, force: bool, problem: str, **chosen: Any) -> None:
    name = Path(path).name if path != "-" else "my-report.toml"
    text = form.template(problem, name, **chosen)
    if path == "-":
        click.echo(text, nl=False)
        return
    if Path(path).exists() and not force:
        raise BenchbookError(
            f"{path} exists already; give another name, or --force to write over it"
        )
    with atomic(path) as scratch:
        scratch.write_text(text, encoding="utf8")
    click.echo(f"wrote {path}; fill it in, then: benchbook checklist check {path}")
