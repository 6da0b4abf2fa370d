"""PROBEN1's rules as a form: a report on one method and one partition that a machine can refuse.

from benchbook.studies import report

report.check("my-report.toml").warnings
passed = report.from_runs(runs, "proben1-pivot", "cancer1")
print(report.sentence(passed), report.toml(passed.values))
"""

from benchbook.studies.report.check import Report, check, findings, read
from benchbook.studies.report.findings import FaultyReport, Finding
from benchbook.studies.report.laws import LAWS, Law
from benchbook.studies.report.places import lines_of
from benchbook.studies.report.records import from_runs
from benchbook.studies.report.schema import KEYS, Row
from benchbook.studies.report.sentence import sentence
from benchbook.studies.report.write import template, toml, write

__all__ = [
    "KEYS",
    "LAWS",
    "FaultyReport",
    "Finding",
    "Law",
    "Report",
    "Row",
    "check",
    "findings",
    "from_runs",
    "lines_of",
    "read",
    "sentence",
    "template",
    "toml",
    "write",
]
