"""``benchbook proben1 rebuild``: PROBEN1's files made again from the originals."""

from __future__ import annotations

from typing import Any

import click

from benchbook.cli.output import json_option, show, table
from benchbook_book.pages.proben1 import compare


@click.command()
@click.argument("problem")
@json_option
def rebuild(problem: str, as_json: bool) -> None:
    """Make the files of PROBLEM, such as cancer, from the originals and compare them with those of 1994."""
    rebuilt = compare(problem)
    rows: list[dict[str, Any]] = [
        {
            "file": file.name,
            "examples": file.examples,
            "rebuilt": file.equal,
            "order": "original" if file.original_order else "permuted",
            "cannot be told apart": file.ambiguous,
        }
        for file in rebuilt.files
    ]
    differing = rebuilt.columns.filter(rebuilt.columns["equal"] < 100).to_dicts()
    data = {
        "problem": problem,
        "exact": rebuilt.exact,
        "cases": rebuilt.cases,
        "files": rows,
        "columns_that_differ": differing,
        "deviations_from_the_readme": list(rebuilt.deviations),
    }

    def human() -> None:
        table(rows)
        text = "every value is rebuilt" if rebuilt.exact else f"{len(differing)} columns differ"
        click.echo(f"\n{problem}: {text}, from {rebuilt.cases} cases of the originals")
        if differing:
            table(differing, {"column": "column", "equal": "equal values (%)"})
        for words in rebuilt.deviations:
            click.echo(f"- {words}")

    show(as_json, data, human)
