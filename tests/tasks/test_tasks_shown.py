"""What a session and a notebook show of a task."""

import pytest

from benchbook import tasks


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("kin-8nm-sim/dist/std.64", "instances: at most 8"),
        ("concrete/challenge/test", "stage: test"),
        ("concrete/cv/random-10", "folds: random-10"),
        ("uci-yacht/splits/holdout-20", "splits: 20 random partitions"),
        ("proben1-building1/partition/a", "training cases: 2104"),
    ],
)
def test_a_task_is_a_few_lines_of_facts(name: str, fact: str) -> None:
    task = tasks.get(name)
    lines = repr(task).splitlines()
    assert lines[0].endswith(name)
    assert fact in [line.strip() for line in lines]
    assert len(lines) < 9
    assert max(map(len, lines)) < 140
    key, value = fact.split(": ")
    assert f"<tr><th>{key}</th><td>{value}</td></tr>" in task._repr_html_()
