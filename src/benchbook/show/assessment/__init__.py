"""One method of a reader's beside a standard set, on one prototask: what is asked, what the data allow, and a page."""

from benchbook.show.assessment.allowed import Allowed, allowed
from benchbook.show.assessment.asked import ComparisonRequest, ask, gathered
from benchbook.show.assessment.form import ReportForm, report_form
from benchbook.show.assessment.page import save
from benchbook.show.assessment.ranked import ranked, sentence
from benchbook.show.assessment.standard import STANDARD

__all__ = [
    "STANDARD",
    "Allowed",
    "ComparisonRequest",
    "ReportForm",
    "allowed",
    "ask",
    "gathered",
    "ranked",
    "report_form",
    "save",
    "sentence",
]
