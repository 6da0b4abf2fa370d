"""Charts are compared with their records: what is written of them, and when two texts agree."""

import altair as alt
import drawn
import pytest

from benchbook import charts


def test_a_chart_is_written_mark_by_mark_with_its_numbers():
    rows = [{"a": 1.0, "b": "x", "c": None}, {"a": 4.0, "b": "y", "c": 2}]
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(size=3)
        .encode(x=alt.X("a:Q", title="A", axis=alt.Axis(format="%", tickCount=5)))
        .transform_filter("datum.a > 0")
        .properties(width=100, description="Two points.")
    )
    assert drawn.lines(charts.specification(chart)) == [
        "point x={axis:{format:%} field:a title:A type:quantitative}",
        "transform {filter:datum.a > 0}",
        "table of 2",
        "  a: 1 4 3 null 0",
        "  b: x y #2934c6a9",
        "  c: 2 2 2 null 1",
        "description Two points.",
    ]


@pytest.mark.parametrize(
    ("other", "agrees"),
    [
        ("x=1.0019 at a1, 5%", True),
        ("x=1.003 at a1, 5%", False),
        ("x=1 at a2, 5%", False),
        ("x=1 at a1, 5", False),
        ("y=1 at a1, 5%", False),
        ("x=-1 at a1, 5%", False),
    ],
)
def test_texts_agree_letter_by_letter_and_numbers_nearly(other, agrees):
    assert drawn.same("x=1 at a1, 5%", other) == agrees


def test_records_are_of_tests_that_there_are(repository):
    for path in drawn.RECORDS.glob("*.txt"):
        tests = (repository / "tests" / f"{path.stem.replace('+', '/')}.py").read_text("utf8")
        for text in path.read_text("utf8").strip().split("\n\n"):
            assert f"def {text.partition(' ')[0].partition('[')[0]}(" in tests
