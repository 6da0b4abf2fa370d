"""Data of the user's own: from a file to tasks, by commands and from Python."""

import json
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from benchbook import datasets, tasks
from benchbook.cli import app
from benchbook.cli.data import _tests
from benchbook.seeds import generator


def table(cases: int = 400) -> pl.DataFrame:
    rng = generator(1, "rent")
    area = rng.normal(60.0, 20.0, cases).round(1)
    return pl.DataFrame(
        {
            "flat": range(1, cases + 1),
            "area": area,
            "rooms": rng.integers(1, 6, cases),
            "city": rng.choice(["Bonn", "Köln", "Aachen"], cases),
            "balcony": rng.choice([0, 1], cases),
            "state": rng.choice(["poor", "fair", "good"], cases),
            "one": [1.5] * cases,
            "owner": [f"person {number}" for number in rng.integers(0, 60, cases)],
            "day": [
                f"2025-{number % 12 + 1:02d}-{number % 28 + 1:02d}"
                for number in rng.permutation(cases)
            ],
            "rent": (300 + 9 * area + rng.normal(0.0, 50.0, cases)).round(2),
        }
    ).with_columns(area=pl.when(pl.col("flat") == 7).then(None).otherwise("area"))


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def test_a_csv_becomes_a_dataset_with_tasks_that_methods_run_on(home):
    table().write_csv("rent.csv")
    output = run(
        "datasets", "add", "rent.csv", "--target", "rent", "--ordinal", "state=poor,fair,good"
    )
    assert "flat: it counts the cases" in output
    assert "one: it is 1.5 in every case" in output
    assert "day holds dates or times" in output
    card = datasets.card("rent")
    natures = {one.name: one.nature for one in card.attributes}
    assert natures == {
        "area": "real",
        "rooms": "integer",
        "city": "nominal",
        "balcony": "binary",
        "state": "ordinal",
        "owner": "nominal",
        "day": "real",
        "rent": "real",
    }
    assert card["state"].range == ("poor", "fair", "good")
    assert card.missing == {"area": 1}
    assert card.folder == home / "datasets" / "rent"
    assert "rent" not in datasets.published()
    assert run("tasks", "list", "rent").count("rent/rent/std.") == 3
    run("run", "--method", "lin-1", "--tasks", "rent/rent/std.16", "--workers", "1")
    assert "lin-1" in run("compare", "--tasks", "rent/rent/std.16")
    assert "good    rent" in run("datasets", "check")
    assert "yes" in run("datasets", "list", "rent")
    run("datasets", "remove", "rent")
    assert "unknown task" in run("tasks", "list", "rent", code=2)
    assert Path("rent.csv").is_file()


def test_ranges_are_shown_to_six_digits_and_the_card_keeps_them_all(home):
    values = generator(1, "long").normal(0.0, 0.05, 200)
    pl.DataFrame({"age": values, "cost": np.arange(200.0) * 0.5 + values}).write_csv("long.csv")
    output = run("datasets", "add", "long.csv", "--target", "cost")
    low, high = (
        float(limit) for limit in re.search(r"^age .*\[(.+),(.+?)\]", output, re.MULTILINE).groups()
    )
    assert "characters)" not in output
    assert (low, high) == pytest.approx((values.min(), values.max()), rel=5e-6)
    assert (low, high) != (values.min(), values.max())
    kept = datasets.card("long")["age"].range
    assert (kept.low, kept.high) == (values.min(), values.max())


def test_nothing_is_written_by_a_dry_run_nor_over_a_dataset_that_is_there(home):
    table().write_csv("rent.csv")
    assert "Nothing was written" in run(
        "datasets", "add", "rent.csv", "--target", "rent", "--dry-run"
    )
    assert not home.exists()
    shown = json.loads(run("datasets", "add", "rent.csv", "--target", "rent", "--json"))
    assert shown["kind"] == "real"
    before = (home / "datasets" / "rent" / "card.toml").read_bytes()
    assert "--replace" in run("datasets", "add", "rent.csv", "--target", "city", code=2)
    assert (home / "datasets" / "rent" / "card.toml").read_bytes() == before
    run("datasets", "add", "rent.csv", "--target", "city", "--replace")
    assert tasks.prototask("rent/city").kind == "class"
    assert sorted(path.name for path in (home / "datasets").iterdir()) == ["rent"]
    assert sorted(path.name for path in (home / "datasets" / "rent").iterdir()) == [
        "card.toml",
        "cases.parquet",
        "prototasks.toml",
    ]


def test_data_kept_beside_the_table_is_found_in_its_folder_and_below(home, monkeypatch):
    table().write_csv("rent.csv")
    run("datasets", "add", "rent.csv", "--target", "rent", "--here")
    assert (Path("benchbook-data") / "rent" / "card.toml").is_file()
    assert not home.exists()
    Path("below").mkdir()
    monkeypatch.chdir("below")
    tasks.user.writing.forget()
    assert "rent" in datasets.available()
    monkeypatch.chdir(home.parent)
    tasks.user.writing.forget()
    assert "rent" not in datasets.available()


def test_a_current_folder_that_is_gone_and_a_home_that_is_a_file_harm_nothing(home, monkeypatch):
    home.write_text("a file")
    gone = Path("gone").absolute()
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    tasks.user.writing.forget()
    assert "kin-8nm-sim" in datasets.available()
    monkeypatch.chdir(home.parent / "work")
    table().write_csv("rent.csv")
    assert "cannot write" in run("datasets", "add", "rent.csv", "--target", "rent", code=2)
    assert home.read_text() == "a file"


def test_no_group_is_in_two_training_sets_or_in_training_and_tests(home):
    frame = table()
    frame.write_csv("rent.csv")
    output = run(
        "datasets", "add", "rent.csv", "--target", "rent", "--group", "owner", "--drop", "flat"
    )
    assert "No group is in two training sets" in output
    file = home / "datasets" / "rent" / "prototasks.toml"
    before = file.read_text()
    assert "larger than its data" in run(
        "tasks", "new", "rent", "big", "--size", "215", "--tests", "185", code=2
    )
    assert "would share groups" in run(
        "tasks", "new", "rent", "own", "--selection", "hierarchical", code=2
    )
    assert file.read_text() == before
    made = run("tasks", "new", "rent", "other", "--size", "12", "--tests", "101")
    assert "from area, rooms, city, balcony, state, day" in made
    owner = datasets.load("rent").cases["owner"].to_numpy()
    assert len(np.unique(owner)) == frame["owner"].n_unique()
    for name in (*tasks.available("rent/rent"), "rent/other/std.12"):
        task = tasks.get(name)
        split = task.split()
        assert 4 <= task.instances == split.instances
        assert all(len(train) == task.size for train in split.train)
        parts = [set(owner[part].tolist()) for part in (*split.train, split.test[0])]
        assert sum(map(len, parts)) == len(set().union(*parts))
    assert "owner" not in tasks.prototask("rent/rent").inputs
    label = tasks.get("rent/cv/grouped-10").labels()
    assert all(len(set(label[owner == one])) == 1 for one in np.unique(owner))


def test_groups_that_are_too_large_are_refused_with_the_column_and_what_to_do(home):
    frame = table().with_columns(owner=pl.Series(np.minimum(np.arange(400) // 2, 19)))
    frame.write_csv("rent.csv")
    said = run("datasets", "add", "rent.csv", "--target", "rent", "--group", "owner", code=2)
    assert "rent.csv cannot be added" in said
    assert "column 'owner', " in said
    assert "groups small enough" in said or "name a column with more and smaller groups" in said
    assert not home.exists()


def test_tests_are_on_the_newest_cases(home):
    table().write_csv("rent.csv")
    run("datasets", "add", "rent.csv", "--target", "rent", "--time", "day")
    day = datasets.load("rent").cases["day"].to_numpy()
    for name in tasks.available("rent/rent"):
        split = tasks.get(name).split()
        assert all(
            day[train].max() <= day[test].min()
            for train, test in zip(split.train, split.test, strict=True)
        )
    assert "day" not in tasks.prototask("rent/rent").inputs


def test_hints_name_copies_and_what_tells_the_target(home):
    frame = table().with_columns(yearly=pl.col("rent") * 12).drop("flat")
    pl.concat([frame, frame.head(5)]).write_csv("rent.csv")
    output = run("datasets", "add", "rent.csv", "--target", "rent")
    assert "5 of the 405 cases are there already" in output
    assert "yearly says the target: it is the target on another scale" in output
    assert "area says the target" not in output
    town = {"Bonn": "B", "Köln": "K", "Aachen": "A"}
    frame.with_columns(code=pl.col("city").replace_strict(town)).write_csv("rent.csv")
    assert "code says the target: each of its values goes with one class" in run(
        "datasets", "add", "rent.csv", "--target", "city", "--replace"
    )


@pytest.mark.parametrize("ending", ["parquet", "arff", "tsv"])
def test_other_files_hold_the_same_cases(home, ending):
    frame = table().select("area", "city", "rent").drop_nulls()
    if ending == "parquet":
        frame.write_parquet("rent.parquet")
    elif ending == "tsv":
        frame.write_csv("rent.tsv", separator="\t")
    else:
        rows = "\n".join(",".join(map(str, row)) for row in frame.rows())
        Path("rent.arff").write_text(
            "@relation rent\n@attribute area numeric\n@attribute city {Köln,Bonn,Aachen}\n"
            f"@attribute rent real\n@data\n{rows}\n",
            encoding="utf8",
        )
    run("datasets", "add", f"rent.{ending}", "--target", "rent")
    assert datasets.load("rent").cases.equals(frame)
    if ending == "arff":
        assert datasets.card("rent")["city"].range == ("Köln", "Bonn", "Aachen")


def test_a_dt_file_runs_as_a_partition(home):
    rng = generator(1, "dt")
    rows = [
        (*rng.uniform(size=3).round(4), *np.eye(2, dtype=int)[rng.integers(2)]) for _ in range(60)
    ]
    head = (
        "bool_in=0\nreal_in=3\nbool_out=2\nreal_out=0\ntraining_examples=30\n"
        "validation_examples=15\ntest_examples=15\n"
    )
    Path("mine.dt").write_text(head + "\n".join(" ".join(map(str, row)) for row in rows) + "\n")
    output = run("datasets", "add", "mine.dt")
    assert "30 training, 15 validation and 15 test cases" in output
    output = run(
        "run",
        "--method",
        "proben1-logistic",
        "--tasks",
        "mine/partition/a",
        "--instances",
        "1",
        "--workers",
        "1",
    )
    assert "proben1-logistic" in output
    assert tasks.partition("mine/partition/a").classification


def test_a_folder_of_delves_is_read_as_its_specification_says(home, repository):
    folder = Path("flats")
    folder.mkdir()
    Path(folder / "Dataset.spec").write_text(
        "Title: Flats\norigin: natural\nusage: development\norder: uninformative\nattributes:\n"
        "  1 area real [0,Inf)\n  2 city binary Bonn Aachen\n  3 rent real [0,Inf)\n"
    )
    rng = generator(1, "delve")
    (folder / "Dataset.data").write_text(
        "".join(
            f"{rng.uniform():.4f} {rng.choice(['Bonn', 'Aachen'])} {rng.uniform():.4f}\n"
            for _ in range(60)
        )
    )
    run("datasets", "add", "flats", "--target", "rent")
    assert datasets.card("flats")["city"].range == ("Bonn", "Aachen")
    assert len(datasets.load("flats")) == 60


def test_the_commands_of_the_guide_do_what_it_says(home, repository, monkeypatch):
    guide = Path("guide")
    shutil.copytree(
        repository / "book" / "guide", guide, ignore=shutil.ignore_patterns("__pycache__")
    )
    monkeypatch.chdir(guide)
    guide = Path()
    typed = re.findall(
        r'^command\("benchbook (.*)"\)$',
        (guide / "your-own-data.md").read_text(encoding="utf8"),
        re.M,
    )
    assert typed[0].startswith("compare rent.csv --target rent")
    printed = [run(*shlex.split(line)) for line in typed]
    said = {" ".join(line.split()[:2]): text for line, text in zip(typed, printed, strict=True)}
    assert "flat: it counts the cases" in said["datasets add"]
    assert (home / "datasets" / "rent" / "card.toml").is_file()
    assert "has the smallest absolute error of both" in said["compare rent.csv"]
    assert "rent/plain/std.16" in said["tasks new"]
    assert "sentence for a paper" in Path("rent.html").read_text(encoding="utf8")


def test_a_prototask_of_ones_own_is_declared_and_run(home):
    table().write_csv("rent.csv")
    run(
        "datasets",
        "add",
        "rent.csv",
        "--target",
        "rent",
        "--ordinal",
        "state=poor,fair,good",
        "--yes",
    )
    output = run(
        "tasks",
        "new",
        "rent",
        "small",
        "--target",
        "city",
        "--drop",
        "owner",
        "--size",
        "20",
        "--tests",
        "100",
        "--instances",
        "4",
    )
    assert "rent/small: city (class) from area, rooms, balcony, state, day" in output
    task = tasks.get("rent/small/std.20")
    assert (task.instances, len(task.instance(0).case_ids)) == (4, 100)
    run("run", "--method", "base-1", "--tasks", "rent/small", "--workers", "1")
    assert "good    rent" in run("datasets", "check")


def test_all_faults_of_a_prototask_at_once_and_nothing_written(home):
    table().write_csv("rent.csv")
    run("datasets", "add", "rent.csv", "--target", "rent", "--yes")
    file = home / "datasets" / "rent" / "prototasks.toml"
    before = file.read_text()
    said = run(
        "tasks",
        "new",
        "rent",
        "rent",
        "--target",
        "hire",
        "--input",
        "moon*",
        "--size",
        "0",
        "--tests",
        "-3",
        code=2,
    )
    for part in (
        "target: found 'hire'",
        "inputs: found 'moon*'",
        "has such a prototask already",
        "training-set-sizes",
        "test-set-size",
        "nothing was written",
    ):
        assert part in said
    assert "cases" in run("tasks", "new", "rent", "big", "--size", "3000", code=2)
    assert "city" in run(
        "tasks", "new", "rent", "words", "--target", "city", "--kind", "real", code=2
    )
    assert file.read_text() == before
    assert "comes with the book" in run("tasks", "new", "kin-8nm-sim", "mine", code=2)


def add_frame(frame, name, *options):
    frame.write_csv(name) if name.endswith(".csv") else frame.write_parquet(name)
    return run("datasets", "add", name, "--target", "y", "--dry-run", *options)


def numbers(cases=80):
    rng = np.random.default_rng(3)
    return {"x": rng.normal(size=cases), "y": np.sort(rng.normal(size=cases))}


@pytest.mark.parametrize(
    "form",
    [
        "%Y-%m-%d %H:%M:%S%.3f",
        "%Y-%m-%dT%H:%M:%S+02:00",
        "%d-%b-%y",
        "%d.%m.%Y %H:%M",
        "%m/%d/%Y %I:%M:%S %p",
    ],
)
def test_dates_of_common_forms_are_days_and_may_order_the_cases(home, form):
    moments = pl.datetime_range(
        pl.datetime(2024, 1, 1), pl.datetime(2024, 3, 20), "1d", eager=True
    ).dt.to_string(form)
    frame = pl.DataFrame({**numbers(), "when": moments})
    output = add_frame(frame, "t.csv")
    assert "days since 1970-01-01" in output
    assert "unless you say --time when" in output
    assert "The newest cases are the test cases" in add_frame(frame, "t.csv", "--time", "when")


def test_dates_that_are_not_read_are_said_to_be_none(home):
    words = [f"{1 + i % 28}. März {2000 + i}" for i in range(80)]
    output = add_frame(pl.DataFrame({**numbers(), "when": words}), "t.csv")
    assert "note: when looks like dates or times in a form that is not read" in output


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "__index_level_0__", "index"])
def test_the_index_of_a_frame_is_no_input_even_with_gaps(home, name):
    index = np.delete(np.arange(90), np.arange(5, 15))
    output = add_frame(pl.DataFrame({name: index, **numbers()}), "t.csv")
    assert "it is the index of the table's rows" in output
    kept = name or "column1"
    output = add_frame(
        pl.DataFrame({name: index, **numbers()}), "t.csv", "--nature", f"{kept}=integer"
    )
    assert "the index of the table's rows" not in output
    assert (
        f"note: {kept.replace(' ', '_')} is different in every case and rises or falls with the target"
        in output
    )


def test_what_pandas_notes_of_a_parquet_file_is_read(home):
    noted = {
        "index_columns": ["nr"],
        "columns": [
            {"field_name": "c", "pandas_type": "categorical", "metadata": {"ordered": True}},
            {"field_name": "x", "pandas_type": "float64", "metadata": None},
        ],
    }
    frame = pl.DataFrame(
        {"nr": np.arange(80) * 3, "c": ["lo", "hi"] * 40, **numbers()},
        schema_overrides={"c": pl.Categorical},
    )
    frame.write_parquet("t.parquet", metadata={"pandas": json.dumps(noted)})
    output = run("datasets", "add", "t.parquet", "--target", "y", "--dry-run")
    assert "nr: it is the index of the table's rows" in output
    assert "c is an ordered category" in output
    assert "--ordinal c=A,B,C with hi, lo, least first" in output
    frame.write_parquet("t.parquet", metadata={"pandas": "[1]"})
    assert "ordered" not in run("datasets", "add", "t.parquet", "--target", "y", "--dry-run")


def test_a_word_of_its_own_in_every_case_is_no_input(home):
    output = add_frame(pl.DataFrame({"who": [f"n{i}" for i in range(80)], **numbers()}), "t.csv")
    assert "who: it is another word in every case" in output


@pytest.mark.parametrize(("each", "moments"), [(1, 200), (7, 29), (25, 8), (67, 3)])
def test_cases_of_one_moment_are_for_tests_or_for_training(home, each, moments):
    rng = np.random.default_rng(5)
    days = rng.permutation(np.repeat(np.arange(moments) + 100, each))
    pl.DataFrame(
        {"day": days, "x": rng.normal(size=len(days)), "y": rng.normal(size=len(days))}
    ).write_csv("t.csv")
    run("datasets", "add", "t.csv", "--target", "y", "--time", "day", "--yes")
    day = datasets.load("t").cases["day"].to_numpy()
    for name in tasks.available("t"):
        task = tasks.get(name)
        split = task.split()
        if isinstance(task, tasks.FoldsTask):
            for fold in task.folds():
                both = np.intersect1d(day[task.places[fold.test]], day[task.places[fold.train]])
                assert not both.size
            continue
        for train, test in zip(split.train, split.test, strict=True):
            assert day[train].max() < day[test].min()
        if each <= 7:
            seen = np.concatenate([np.unique(day[train]) for train in split.train])
            assert len(np.unique(seen)) == len(seen)


def several(cases=80):
    rng = np.random.default_rng(6)
    frame = pl.DataFrame(
        {name: rng.normal(size=cases) for name in ("a", "b", "c", "d", "y1", "y2")}
    )
    frame.write_csv("multi.csv")


def test_other_targets_are_remarked_before_they_become_inputs(home):
    several()
    output = run("datasets", "add", "multi.csv", "--target", "y1", "--dry-run")
    assert "note: y2 is named as a target is, and an input here" in output
    assert "--drop y2; or --target y1 --target y2" in output


def test_several_targets_have_a_task_each_without_the_others(home):
    several()
    output = run("datasets", "add", "multi.csv", "--target", "y1", "--target", "y2", "--yes")
    assert "next: benchbook" in output
    for target in ("y1", "y2"):
        prototask = tasks.prototask(f"multi-{target}/{target}")
        assert prototask.inputs == ("a", "b", "c", "d")
    said = json.loads(
        run(
            "datasets",
            "add",
            "multi.csv",
            "--target",
            "y1",
            "--target",
            "y2",
            "--dry-run",
            "--json",
        )
    )
    assert [one["name"] for one in said["datasets"]] == ["multi-y1", "multi-y2"]
    assert "no dataset" not in run("datasets", "list")


def test_a_target_that_is_not_there_among_several_adds_none(home):
    several()
    output = run("datasets", "add", "multi.csv", "--target", "y1", "--target", "y9", code=2)
    assert "--target" in output
    assert "'y9'" in output
    assert not (home / "datasets").exists() or not any((home / "datasets").iterdir())


@pytest.mark.parametrize(("kind", "words"), [("real", "a number"), ("class", "a class")])
def test_the_tests_of_a_proposal_are_told_in_words(kind, words):
    dealt = {
        "training-set-sizes": [8, 16],
        "test-set-size": 9,
        "test-set-selection": "common",
        "note": "by size",
    }
    proposal = SimpleNamespace(partition=None, prototasks=[dealt], kind=kind, target=["price"])
    assert _tests(proposal) == [
        f"target: price, {words}",
        "tests: 9 cases; all are tested on the same cases",
        "training sets: of 8, 16 cases, none in two of a size",
        "by size",
    ]
    proposal.partition = (5, 3, 2)
    assert _tests(proposal) == [
        "partition: 5 training, 3 validation and 2 test cases, as the file has them"
    ]
