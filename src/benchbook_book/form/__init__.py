"""PROBEN1's rules as a form: a report on one method and one split that a program can check.

from benchbook_book import form as checklist

checklist.check("my-report.toml").warnings
passed = checklist.from_runs(runs, "proben1-pivot", "cancer1")
print(checklist.sentence(passed), checklist.toml(passed.values))
"""

from benchbook_book.form.check import (
    CheckedReport,
    check,
    findings,
    read_text,
    toml_line_numbers,
)
from benchbook_book.form.records import from_comparison, from_result, from_runs, tables
from benchbook_book.form.rules import RULES, FaultyReport, Finding, Rule
from benchbook_book.form.schema import Report
from benchbook_book.form.writing import sentence, template, toml, write

__all__ = [
    "RULES",
    "CheckedReport",
    "FaultyReport",
    "Finding",
    "Report",
    "Rule",
    "check",
    "findings",
    "from_comparison",
    "from_result",
    "from_runs",
    "read_text",
    "sentence",
    "tables",
    "template",
    "toml",
    "toml_line_numbers",
    "write",
]
