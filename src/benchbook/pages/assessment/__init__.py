"""One method of a reader's beside a standard set, on one prototask: what is asked, what the data allow, and a page."""

from benchbook.pages.assessment.allowed import Allowed, allowed
from benchbook.pages.assessment.asked import Asked, ask, gathered
from benchbook.pages.assessment.page import save
from benchbook.pages.assessment.ranked import ranked, sentence
from benchbook.pages.assessment.standard import STANDARD

__all__ = ["STANDARD", "Allowed", "Asked", "allowed", "ask", "gathered", "ranked", "save", "sentence"]
