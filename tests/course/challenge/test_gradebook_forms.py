"""The gradebook as other programs read it: header, encoding, quotes, and names and numbers as they were given.

The columns were read in the sources of these programs; none of them has been run on our files. nbgrader's are those
that its ``CsvExportPlugin`` writes. Canvas's ``GradebookImporter`` takes the header that its exporter writes, with SIS
columns, skips the line ``Points Possible``, and finds a student without an ID by ``SIS Login ID``, then by name.
Moodle lets one choose the encoding, which column is the user and which the grade.
"""

import csv
import io

import polars as pl
import pytest

from benchbook_book.commands.grades import write_grades
from benchbook_book.course.challenge.gradebook import FORMS

NAMES = ["007", "Müller, Änne", 'Ada "Al" Byron', "Łukasz Żak", "李 明", "0012e3", "1,5"]
FRAME = pl.DataFrame(
    {
        "participant": NAMES,
        "entry": ["a", None, "b", "c", "d", "e", "f"],
        "points": [5.0, 0.0, -1.5, 3.0, 2.0, 1.0, 0.25],
        "points at most": [9.0] * 7,
    }
)
HEADERS = {
    "short": "name,points",
    "canvas": "Student,ID,SIS User ID,SIS Login ID,Section,Tiefe: Höhe",
    "nbgrader": "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
    "late_submission_penalty,score,max_score",
}
PLACES = {
    "short": ("name", "points"),
    "canvas": ("SIS Login ID", "Tiefe: Höhe"),
    "nbgrader": ("student_id", "raw_score"),
}


@pytest.mark.parametrize("form", HEADERS)
def test_another_program_reads_names_and_points_as_they_are(form, tmp_path):
    path = tmp_path / "grades.csv"
    write_grades(FRAME, str(path), form, "Tiefe: Höhe")
    text = path.read_bytes().decode("utf-8")
    assert not text.startswith("\ufeff"), "the first column would have another name"
    assert "\r" not in text
    assert text.splitlines()[0] == HEADERS[form]
    lines = list(csv.DictReader(io.StringIO(text)))
    if form == "canvas":
        first = lines.pop(0)
        assert first["Student"].strip() == "Points Possible"
        assert float(first["Tiefe: Höhe"]) == 9
        assert [line["Student"] for line in lines] == NAMES
        assert not any(line[key] for line in lines for key in ("ID", "SIS User ID", "Section"))
    name, points = PLACES[form]
    assert [line[name] for line in lines] == NAMES, "zeros in front stay, commas are quoted"
    assert [float(line[points]) for line in lines] == FRAME["points"].to_list()
    if form == "nbgrader":
        assert min(float(line["score"]) for line in lines) == 0, "no score is below 0"
        assert {float(line["max_score"]) for line in lines} == {9}


def test_a_class_of_nobody_has_its_header(tmp_path):
    for form, header in HEADERS.items():
        path = tmp_path / f"{form}.csv"
        write_grades(FRAME.clear(), str(path), form, "Tiefe: Höhe")
        assert path.read_text(encoding="utf-8").splitlines()[0] == header


def test_every_form_is_tried():
    assert set(HEADERS) == set(FORMS) - {"full"}
