"""PROBEN1's rules as a form: a report on one method and one split that a program can check.

from benchbook import checklist

checklist.check("my-report.toml").warnings
passed = checklist.from_runs(runs, "proben1-pivot", "cancer1")
print(checklist.sentence(passed), checklist.toml(passed.values))
"""

from benchbook.checklist.check import CheckedReport, check, findings, read_text, toml_line_numbers
from benchbook.checklist.records import from_runs
from benchbook.checklist.rules import RULES, FaultyReport, Finding, Rule
from benchbook.checklist.schema import Report
from benchbook.checklist.sentence import sentence
from benchbook.checklist.writing import template, toml, write

__all__ = [
    "RULES",
    "CheckedReport",
    "FaultyReport",
    "Finding",
    "Report",
    "Rule",
    "check",
    "findings",
    "from_runs",
    "read_text",
    "sentence",
    "template",
    "toml",
    "toml_line_numbers",
    "write",
]
