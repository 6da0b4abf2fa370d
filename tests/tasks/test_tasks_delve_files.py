"""DELVE's files: written, and read back to the last bit; and what is said when they are wrong."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

from benchbook import datasets, tasks
from benchbook.datasets.readers import columns, read_cases
from benchbook.datasets.readers.spec import read_dataset_spec, read_prototask_spec
from benchbook.errors import BenchbookError, FaultyInput, Undefined, UnknownName
from benchbook.predictive import Categorical, Gaussian, Point
from benchbook.tasks import delve
from benchbook.tasks.delve.exchange import read_numbers, write_numbers
from benchbook.tasks.encoding import word

REAL, CLASS = "people/height/std.7", "people/verdict/std.7"


def numbers(path: Path) -> np.ndarray:
    return np.array(
        [[float(text) for text in line.split()] for line in path.read_text().splitlines()]
    )


@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("numbers") / "file"
    back, faults = read_numbers(write_numbers(path, np.array(values)), len(values))
    assert faults == []
    np.testing.assert_array_equal(back[:, 0], values)


def test_export_holds_every_instance_exactly(world, tmp_path):
    folders = delve.export("people/height", tmp_path)
    root = tmp_path / "delve-benchbook"
    assert folders == [root / "data/people/height/std.7", root / "data/people/height/std.9"]
    assert (root / "methods").is_dir()
    for folder, name in zip(folders, (REAL, "people/height/std.9"), strict=True):
        for instance in tasks.instances(name):
            train = numbers(folder / f"train.{instance.number}")
            np.testing.assert_array_equal(train[:, :-1], instance.train_inputs)
            np.testing.assert_array_equal(train[:, -1], instance.train_targets)
            np.testing.assert_array_equal(
                numbers(folder / f"test.{instance.number}"), instance.test_inputs
            )
            target = instance.encoding.target
            raw = tasks.Scorer(name, instance.number).targets
            np.testing.assert_array_equal(
                numbers(folder / f"targets.{instance.number}")[:, 0],
                (raw - target.centre) / target.scale,
            )
    assert sorted(path.name for path in folders[1].iterdir()) == [
        "Coding-used",
        "Test-set-stats",
        "normalize.0",
        "normalize.1",
        "targets.0",
        "targets.1",
        "test.0",
        "test.1",
        "train.0",
        "train.1",
    ]


def test_export_of_classes_writes_indices(world, tmp_path):
    folder = delve.export("people/verdict", tmp_path / "delve-mine")[0]
    assert folder == tmp_path / "delve-mine/data/people/verdict/std.7"
    instance = tasks.instance(CLASS, 0)
    assert (folder / "targets.0").read_text().split() == [
        str(code) for code in tasks.Scorer(CLASS, 0).targets
    ]
    np.testing.assert_array_equal(numbers(folder / "train.0")[:, -1], instance.train_targets)
    assert "verdict 0-up\n" in (folder / "Coding-used").read_text()


def test_normalize_in_delves_words(world, tmp_path):
    folder = delve.export("line/double", tmp_path, sizes=[3], instances=[2])[0]
    # x = 17, 18, 19 and y = 34, 36, 38.
    assert (folder / "normalize.2").read_text().splitlines() == [
        "normalization options mean x 18.0",
        "normalization options stdDev x 1.0",
        "normalization options median x 18.0",
        "normalization options absDev x 1.0",
        "normalization options mean y 36.0",
        "normalization options stdDev y 2.0",
        "normalization options median y 36.0",
        "normalization options absDev y 2.0",
    ]
    assert sorted(path.name for path in folder.glob("t*")) == ["targets.2", "test.2", "train.2"]


def test_statistics_of_the_test_set(world, tmp_path):
    folder = delve.export("line/double", tmp_path, sizes=[3])[0]
    lines = dict(line.split() for line in (folder / "Test-set-stats").read_text().splitlines())
    assert lines["Z"] == lines["Q"] == "undefined"
    assert float(lines["S"]) == tasks.standard("line/double/std.3", "S")
    assert float(lines["A"]) == tasks.standard("line/double/std.3", "A")
    # DELVE writes what is added to a mean L: the negative of the loss of the best constant guess.
    assert float(lines["L"]) == -tasks.standard("line/double/std.3", "L")


def test_specifications(world, tmp_path):
    delve.export("line/shared", tmp_path / "delve", instances=[0])
    data = tmp_path / "delve/data/line"
    assert "  1 x real (-Inf,Inf)" in (data / "Dataset.spec").read_text().splitlines()
    assert (data / "Dataset.data").read_text().splitlines()[:2] == ["0 0", "1 2"]
    spec = (data / "shared/Prototask.spec").read_text().splitlines()
    assert "test-set-selection: common" in spec
    assert "order: Random-order" in spec
    order = [int(text) for text in (data / "shared/Random-order").read_text().split()]
    assert order == tasks.get("line/shared/std.5").cases.order.tolist()
    assert numbers(data / "shared/Prototask.data")[:, 0].tolist() == [
        float(position) for position in order
    ]
    assert (data / "shared/std.prior").read_text() == "x 0 nm-abs\ny 0 nm-abs\n"


def test_our_own_readers_read_the_export_back(world, tmp_path):
    delve.export("people/verdict", tmp_path / "delve", instances=[0])
    folder, data = tmp_path / "delve/data/people", datasets.load("people")
    spec = read_dataset_spec((folder / "Dataset.spec").read_bytes(), "Dataset.spec")
    assert [
        (attribute.name, attribute.nature, attribute.range) for attribute in spec.attributes
    ] == [(attribute.name, attribute.nature, attribute.range) for attribute in data.card.attributes]
    assert (spec.title, spec.origin, spec.usage) == (data.card.title, "artificial", "development")
    frame = columns(
        read_cases((folder / "Dataset.data").read_bytes(), "Dataset.data"), spec.attributes
    )
    assert frame.equals(data.cases)
    shape = read_prototask_spec(
        (folder / "verdict/Prototask.spec").read_bytes(), "Prototask.spec", spec.attributes
    )
    assert (shape.cases, shape.inputs, shape.targets) == ("no missing", (1, 2, 3, 4, 5, 6), (8,))
    assert (shape.test_set_size, shape.training_set_sizes, shape.test_set_selection) == (
        12,
        (7,),
        "common",
    )
    names = [spec.attributes[number - 1].name for number in (*shape.inputs, *shape.targets)]
    selected = columns(
        read_cases((folder / "verdict/Prototask.data").read_bytes(), "Prototask.data"),
        [data.card[name] for name in names],
    )
    assert selected.equals(data.cases.drop_nulls(names).select(names))


def test_missing_values_are_question_marks(world, tmp_path):
    delve.export("people/height", tmp_path / "delve", sizes=[9], instances=[0])
    line = (tmp_path / "delve/data/people/Dataset.data").read_text().splitlines()[3].split()
    assert line[:6] == ["?"] * 6
    assert len(line) == 8


def test_export_of_what_is_not_there(world, tmp_path):
    refused(UnknownName, "Nearest: people/height", delve.export, "people/hight", tmp_path)
    with pytest.raises(BenchbookError, match="has no training-set size 8"):
        delve.export("people/height", tmp_path, sizes=[8])
    with pytest.raises(BenchbookError, match=r"std\.7 has no instance 4"):
        delve.export("people/height", tmp_path / "new", instances=[4])
    assert not (tmp_path / "new").exists()


def test_export_of_instances_that_only_some_tasks_have(world, tmp_path):
    folders = delve.export("people/height", tmp_path / "delve", instances=[1, 3])
    written = [sorted(path.name for path in folder.glob("train.*")) for folder in folders]
    assert written == [["train.1", "train.3"], ["train.1"]]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", "plain"),
        ("two words", "{two words}"),
        ("", "{}"),
        ("a$b", "{a$b}"),
        ("<=50K", "<=50K"),
    ],
)
def test_tcl_words(text, written):
    assert word(text) == written


def test_one_instance_for_a_program(world, tmp_path):
    instance = tasks.instance(REAL, 2)
    train, test = delve.write_instance(instance, tmp_path)
    assert (train.name, test.name) == ("train.2", "test.2")
    np.testing.assert_array_equal(
        numbers(train), np.column_stack([instance.train_inputs, instance.train_targets])
    )
    np.testing.assert_array_equal(numbers(test), instance.test_inputs)


def test_guesses_by_number_of_columns(world, tmp_path):
    real, verdict = tasks.instance(REAL, 0), tasks.instance(CLASS, 0)
    path = tmp_path / "guess"
    path.write_text("1\n2.5\n# a comment\n\n-3e-1\n")
    assert delve.read_guess(path, real) == Point([1.0, 2.5, -0.3])
    path.write_text("1 4\n2 9\n3 1\n")
    assert delve.read_guess(path, real) == Gaussian([1.0, 2.0, 3.0], [4.0, 9.0, 1.0])
    path.write_text("0.25 0.25 0.5 0\n" * 12)
    assert delve.read_guess(path, verdict) == Categorical([[0.25, 0.25, 0.5, 0.0]] * 12)
    path.write_text("2\n" * 12)
    assert delve.read_guess(path, verdict) == Categorical(np.eye(4)[[2] * 12])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (REAL, "1\n2\n", ["2 lines; one for each of the 3 test cases"]),
        (REAL, "1\nx\nnan\n", ["line 2: found 'x'; a finite number", "line 3: found 'nan'"]),
        (
            REAL,
            "1\n?\n1 2\n",
            ["line 2: found '?'", "line 3: found 2 numbers; 1, as in the first line"],
        ),
        (REAL, "1 2 3\n" * 3, ["found 3 columns; 1 (a guess) or 2 (mean and variance)"]),
        (
            REAL,
            "1 2\n1 0\n1 -1\n",
            ["case 1: found variance 0.0; above 0", "case 2: found variance -1.0"],
        ),
        (REAL, "", ["0 lines; one for each of the 3"]),
        (
            CLASS,
            "4\n" + "0.5\n" + "0\n" * 10,
            ["case 0: found 4.0; a class index from 0 to 3", "case 1: found 0.5"],
        ),
        (
            CLASS,
            "0.5 0.5\n" * 12,
            ["found 2 columns; 1 (a class index) or 4 (class probabilities)"],
        ),
        (
            CLASS,
            "0.5 0.5 0.5 0\n" + "1 0 -0.5 0.5\n" + "0 1 0 0\n" * 10,
            ["case 0", "case 1: found 1 0 -0.5 0.5"],
        ),
    ],
)
def test_every_fault_of_a_guess_file(world, tmp_path, name, text, said):
    path = tmp_path / "guess"
    path.write_text(text)
    with pytest.raises(FaultyInput) as caught:
        delve.read_guess(path, tasks.instance(name, 0))
    assert all(part in str(caught.value) for part in said), str(caught.value)
    assert len(caught.value.faults) == len(said)


def test_guess_file_that_is_not_there(world, tmp_path):
    with pytest.raises(BenchbookError, match="there is no guess file"):
        delve.read_guess(tmp_path / "guess", tasks.instance(REAL, 0))


@pytest.fixture
def guessed(world, tmp_path):
    """A folder with the encoded targets plus 1 as guesses for S, and mean and variance for L."""
    delve.export("people/height", tmp_path / "delve", sizes=[7])
    source = tmp_path / "delve/data" / REAL
    folder = tmp_path / "delve/methods/mine" / REAL
    folder.mkdir(parents=True)
    for number in range(4):
        targets = numbers(source / f"targets.{number}")[:, 0]
        write_numbers(folder / f"cguess.S.{number}", targets + 1)
        write_numbers(folder / f"cguess.L.{number}", targets + 1, np.full(3, 0.25))
    return folder


def test_export_and_import_make_the_losses_of_our_own_scorer(guessed):
    result = delve.read_guesses(guessed, REAL)
    assert {letter: sorted(each) for letter, each in result.items()} == {
        "L": [0, 1, 2, 3],
        "S": [0, 1, 2, 3],
    }
    frame = delve.guess_losses(guessed, REAL)
    assert frame.columns == ["instance", "case", "loss", "value"]
    for number in range(4):
        scorer, instance = tasks.Scorer(REAL, number), tasks.instance(REAL, number)
        scale = instance.encoding.target.scale
        np.testing.assert_allclose(result["S"][number].value, scorer.targets + scale, rtol=1e-12)
        mine = frame.filter(pl.col("instance") == number)
        assert mine.filter(pl.col("loss") == "S")["case"].to_list() == instance.case_ids.tolist()
        np.testing.assert_allclose(mine.filter(pl.col("loss") == "S")["value"], scale**2, rtol=1e-9)
        expected = 0.5 * np.log(2 * np.pi * 0.25 * scale**2) + 0.5 / 0.25
        np.testing.assert_allclose(mine.filter(pl.col("loss") == "L")["value"], expected, rtol=1e-9)


def test_method_directory_and_its_leaf_are_the_same(guessed):
    top = guessed.parents[2]
    assert delve.guess_losses(top, REAL).equals(delve.guess_losses(guessed, REAL))


def test_compressed_guesses(guessed):
    before = delve.guess_losses(guessed, REAL)
    for path in list(guessed.iterdir()):
        (guessed / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert delve.guess_losses(guessed, REAL).equals(before)
    (guessed / "cguess.S.0.gz").write_bytes(b"not gzip")
    refused(BenchbookError, r"cguess\.S\.0\.gz cannot be read", delve.read_guesses, guessed, REAL)


def test_all_faults_of_all_files_at_once(guessed):
    (guessed / "cguess.S.1").unlink()
    (guessed / "cguess.S.2").write_text("1\noops\n1\n")
    (guessed / "cguess.L.3").write_text("1 1\n")
    with pytest.raises(FaultyInput) as caught:
        delve.read_guesses(guessed, REAL)
    text = str(caught.value)
    assert len(caught.value.faults) == 3
    assert "cguess.S.1: found no such file" in text
    assert "cguess.S.2, line 2: found 'oops'" in text
    assert "cguess.L.3: found 1 lines" in text


def test_chosen_letters_and_instances(guessed):
    (guessed / "cguess.S.1").unlink()
    result = delve.read_guesses(guessed, REAL, letters=["S"], instances=[0, 3])
    assert list(result) == ["S"]
    assert list(result["S"]) == [0, 3]
    refused(BenchbookError, "has no instance 9", delve.read_guesses, guessed, REAL, instances=[9])
    refused(UnknownName, "unknown loss 'X'", delve.read_guesses, guessed, REAL, letters=["X"])


def test_point_guesses_have_no_log_loss(guessed):
    for number in range(4):
        (guessed / f"cguess.L.{number}").write_text("0\n0\n0\n")
    with pytest.raises(Undefined, match=r"cguess\.L\.0 .* write mean and variance"):
        delve.guess_losses(guessed, REAL)


def test_folder_without_guesses(world, tmp_path):
    with pytest.raises(
        BenchbookError, match=r"no files cguess\.<loss>\.<instance>, for example cguess\.S\.0"
    ):
        delve.read_guesses(tmp_path, REAL)


def test_losses_of_an_old_directory(world, tmp_path):
    for number in range(4):
        (tmp_path / f"closs.S.{number}").write_text(f"{number}.5\n0.25\n1e-3\n")
    frame = delve.import_losses(tmp_path, REAL, scale="original")
    assert frame.filter(pl.col("instance") == 2)["value"].to_list() == [2.5, 0.25, 1e-3]
    assert (
        frame.filter(pl.col("instance") == 2)["case"].to_list()
        == tasks.instance(REAL, 2).case_ids.tolist()
    )
    (tmp_path / "closs.S.1").write_text("1 2\n1 2\n1 2\n")
    (tmp_path / "closs.S.3").write_text("1\n")
    with pytest.raises(FaultyInput) as caught:
        delve.import_losses(tmp_path, REAL, scale="original")
    assert [fault.found for fault in caught.value.faults] == ["2 columns", "1 lines"]


def test_losses_of_encoded_targets_are_brought_to_the_scale_of_the_data(guessed):
    """What is written as losses of encoded targets comes back as the losses of the guesses on the original scale."""
    expected = delve.guess_losses(guessed, REAL)
    for number in range(4):
        own = expected.filter(instance=number).partition_by("loss", as_dict=True)
        values = {code: part["value"].to_numpy() for (code,), part in own.items()}
        delve.write_losses(guessed, tasks.instance(REAL, number), values)
        np.testing.assert_allclose(numbers(guessed / f"closs.S.{number}"), 1)
    coded = delve.import_losses(guessed, REAL, scale="coded")
    assert coded.drop("value").equals(expected.drop("value"))
    np.testing.assert_allclose(coded["value"], expected["value"], rtol=1e-9)
    (guessed / "closs.S.0").rename(guessed / "closs.NLPD.0")
    with pytest.raises(BenchbookError, match="A, S and L"):
        delve.import_losses(guessed, REAL, ["NLPD"], [0], scale="coded")


@pytest.mark.parametrize("name", [REAL, CLASS])
@pytest.mark.parametrize("encoding", ["", "copy"])
def test_guesses_of_a_method_go_out_and_come_back(world, tmp_path, name, encoding):
    instance = tasks.instance(name, 0, encoding)
    if name == REAL:
        made = instance.decode(Gaussian(np.arange(3.0), np.array([0.1, 1.0, 2.0])))
    else:
        made = Categorical(
            np.random.default_rng(1).dirichlet(
                np.ones(len(instance.classes)), len(instance.case_ids)
            )
        )
    letters = delve.write_guesses(tmp_path, instance, made)
    frame = delve.guess_losses(tmp_path, name, instances=[0], encoding=encoding)
    expected = tasks.Scorer(name, 0).losses(made, letters)
    assert len(expected) == 3
    for letter, values in expected.items():
        np.testing.assert_allclose(frame.filter(loss=letter)["value"], values, rtol=1e-9)


def test_raw_values_go_out_when_they_are_asked_for(world, tmp_path):
    folder = delve.export("people/height", tmp_path / "delve", [7], [1], "copy")[0]
    instance = tasks.instance(REAL, 1)
    encoding, raw = instance.encoding.target, numbers(folder / "train.1")[:, -1]
    np.testing.assert_allclose(encoding.encode(raw)[:, 0], instance.train_targets)
    np.testing.assert_array_equal(
        numbers(folder / "targets.1")[:, 0], tasks.Scorer(REAL, 1).targets
    )


def test_class_guesses_of_a_binary_target_may_be_signs(world, tmp_path):
    shape = replace(
        tasks.prototask("people/verdict"), target="sex", inputs=("colour",), encodings={}
    )
    instance = tasks.Task(shape, 7).instance(0)
    path = tmp_path / "guess"
    path.write_text("-1\n1\n0\n" + "1\n" * 9)
    assert delve.read_guess(path, instance).most_probable().tolist() == [0, 1, 0] + [1] * 9
