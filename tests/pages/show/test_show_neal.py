"""The study from an archive: what is compared with what, what is left out and said, and its figures."""

import numpy as np
import polars as pl
import pytest

from benchbook import assess, methods, studies, tasks
from benchbook_book.pages.show import neal

TASK = "kin-8nm-sim/dist/std.64"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    plan = studies.Plan(
        "toy",
        seed=1,
        methods=["lin-1", "base-1", "knn-cv-1"],
        tasks=["kin-8nm-sim/dist/std.64", "kin-8nm-sim/dist/std.128"],
        instances=3,
    )
    studies.run(plan, folder, workers=1, progress=False)
    return folder


@pytest.fixture(scope="module")
def study(archive):
    return neal.study(archive=archive)


def frame(**have):
    """A loss of 1 for each method's instances of one task."""
    lines = [
        (method, TASK, instance, 0, "S", 1.0, "x", "held_out", "disjoint")
        for method, several in have.items()
        for instance in several
    ]
    return pl.DataFrame(lines, schema=studies.LONG_SCHEMA, orient="row")


def test_the_study_is_the_libraries_assessment(archive, study):
    losses = studies.Archive(archive).losses(code="S")
    expected, compared = assess.assessment(losses, "hierarchical", tasks.standard)
    keys = ["task", "method"]
    both = study.expected.join(expected, on=keys, suffix="_assess")
    assert both.height == expected.height == 6
    np.testing.assert_allclose(both["standardised_mean"], both["standardised_mean_assess"])
    assert study.compared.sort("task", "method", "other")["p"].to_list() == pytest.approx(
        compared.sort("task", "method", "other")["p"].to_list()
    )
    assert study.notes == ()
    assert study.prototasks == ("kin-8nm-sim/dist",)


def test_methods_stand_in_the_order_wanted(study):
    assert study.methods("kin-8nm-sim/dist") == ("lin-1", "base-1", "knn-cv-1")
    assert study.methods("kin-8nm-sim/dist", ("knn-cv-1", "mlp-mc-1", "lin-1")) == (
        "knn-cv-1",
        "lin-1",
    )
    assert study.methods("bank-8nm-sim/rej") == ()


def test_a_figure_shows_what_there_is(study):
    chart = study.figure(
        "kin-8nm-sim/dist", ("lin-1", "mlp-mc-1", "base-1"), ("base-1", "lin-1")
    ).to_dict()
    assert "base-1 minus lin-1 on every instance" in chart["description"]
    other = study.figure("kin-8nm-sim/dist", ("lin-1", "base-1"), ("lin-1", "mlp-mc-1")).to_dict()
    assert "lin-1 minus base-1" in other["description"]
    assert "1 method" in study.figure("kin-8nm-sim/dist", ("lin-1",)).to_dict()["description"]
    assert "no losses to show" in study.figure("bank-8nm-sim/rej", neal.FIGURES["bank"]).text


def test_what_the_archive_lacks_is_told(study, monkeypatch):
    words = study.missing()
    assert words.startswith("The archive has no losses of mlp-ese-1, mlp-bgd-1, ")
    _, *some = words.split("; ")
    rest = "kin-32nm-sim, pumadyn-8nm-sim, pumadyn-32nm-sim, bank-8nm-sim and bank-32nm-sim"
    assert some == [f"lin-1 on {rest}", f"base-1 on {rest}", f"knn-cv-1 on {rest}."]
    monkeypatch.setattr(
        neal, "PLANNED", {"lin-1": ("kin-8nm-sim/dist",), "base-1": neal.FAMILIES["kin"]}
    )
    assert study.missing() == "The archive has no losses of base-1 on kin-32nm-sim."
    monkeypatch.setattr(neal, "PLANNED", {"lin-1": ("kin-8nm-sim/dist",)})
    assert study.missing() == ""


def test_an_archive_with_nothing_in_it_is_no_error(tmp_path):
    empty = neal.study(archive=tmp_path)
    assert empty.expected.is_empty()
    assert empty.prototasks == empty.notes == ()


@pytest.mark.parametrize(
    ("have", "kept", "said"),
    [
        ({"a": range(8), "b": range(8)}, {"a": 8, "b": 8}, []),
        (
            {"a": range(8), "b": range(8), "c": range(7)},
            {"a": 7, "b": 7, "c": 7},
            ["7 instances only; 7"],
        ),
        ({"a": range(8), "b": range(8), "c": range(2)}, {"a": 8, "b": 8}, ["c: left out"]),
        (
            {"a": range(8), "b": range(2), "c": range(2)},
            {"a": 2, "b": 2, "c": 2},
            ["2 instances only; 2, 3"],
        ),
        ({"a": range(8)}, {"a": 8}, []),
        (  # as many comparisons either way: the more instances
            {"a": range(4), "b": range(2), "c": range(2)},
            {"a": 2, "b": 2, "c": 2},
            ["2 instances only; 2 and 3 of some methods are not used."],
        ),
        (
            {"a": range(3), "b": range(2), "c": range(2)},
            {"a": 2, "b": 2, "c": 2},
            ["2 instances only; 2"],
        ),
        (
            {"a": range(3), "b": range(3), "c": (0, 1), "d": (0, 1)},
            {name: 2 for name in "abcd"},
            ["2 instances only; 2"],
        ),
        (  # three pairs with one instance more than one, and one pair with four: the many
            {"a": range(5), "b": range(5), "c": (0, 1), "d": ()},
            {"a": 5, "b": 5},
            ["c: left out"],
        ),
        (
            {"a": (0, 1), "b": (1, 2), "c": (1, 2), "d": (0, 1)},
            {"b": 2, "c": 2},
            ["a and d: left out", "2 instances only; 0 of some methods is not used."],
        ),
    ],
)
def test_the_instances_that_serve_most_comparisons_are_used(have, kept, said):
    used, notes = neal.most_compared(frame(**have))
    assert {name: used.filter(method=name).height for name in used["method"].unique()} == kept
    assert [words in note for words, note in zip(said, notes, strict=True)] == [True] * len(said)


def test_the_papers_methods_and_tasks_are_there():
    assert (
        {name for names in neal.FIGURES.values() for name in names}
        <= set(neal.METHODS)
        <= set(methods.available())
    )
    names = [task for prototask in neal.PROTOTASKS for task in tasks.available(prototask)]
    assert len(names) == 30
    assert sum(tasks.get(name).instances for name in names) == 216
    assert set(neal.PLANNED) == set(neal.METHODS)
    assert neal.short(TASK) == "kin-8nm-sim"
