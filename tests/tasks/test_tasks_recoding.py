"""An encoding of a method's own: other numbers for the same cases and targets, under the same digest."""

import numpy as np
import pytest
from refusals import refused

from benchbook import datasets, methods, tasks
from benchbook.errors import BenchbookError, FaultyInput
from benchbook.seeds import generator
from benchbook.tasks.encodings import Fitted

REAL, CLASS = "people/height/std.7", "people/verdict/std.7"


def columns(instance) -> dict[str, Fitted]:
    return {item.coding.attribute: item for item in instance.encoding.inputs}


@pytest.mark.parametrize("name", [REAL, CLASS])
def test_raw_values_keep_the_digest_the_cases_and_the_coding_of_words(world, name):
    own, raw = tasks.instance(name, 1), tasks.instance(name, 1, "copy")
    assert (raw.digest, raw.case_ids.tolist()) == (own.digest, own.case_ids.tolist())
    for attribute, fitted in columns(raw).items():
        words = fitted.coding.nature in ("binary", "nominal", "ordinal")
        theirs = columns(own)[attribute].coding.method
        assert fitted.coding.method == (theirs if words else "copy")
    if name == CLASS:
        np.testing.assert_array_equal(raw.train_targets, own.train_targets)
    else:
        encoding = own.encoding.target
        np.testing.assert_allclose(encoding.encode(raw.train_targets)[:, 0], own.train_targets)


def test_one_attribute_is_encoded_otherwise(world):
    changed = columns(tasks.instance(REAL, 0, "colour=1-of-n passive=red;siz*=0-up"))
    own = columns(tasks.instance(REAL, 0))
    assert str(changed["colour"].coding) == "1-of-n passive=red"
    assert changed["size"].coding.method == "0-up"
    other = {name for name in own if str(own[name].coding) != str(changed[name].coding)}
    assert other == {"colour", "size"}


def test_all_that_is_wrong_with_an_encoding_is_said(world):
    with pytest.raises(FaultyInput) as caught:
        tasks.instance(REAL, 0, "colour=nm-abs;weigth=copy;height=ignore")
    assert len(caught.value.faults) == 3
    with pytest.raises(BenchbookError, match="no attribute=encoding"):
        methods.from_command("a {train} {test} {guess}", encoding="nm-sqr")


def test_a_partition_holds_encoded_values_only():
    words = r"^sklearn-cancer1/partition/a cannot be encoded as copy: PROBEN1's files hold encoded"
    refused(BenchbookError, words, tasks.instance, "sklearn-cancer1/partition/a", 0, "copy")


def test_a_least_squares_line_does_not_depend_on_affine_encodings():
    """lin-1 with raw values predicts what it predicts with encoded ones, on the scale of the data."""
    task = "kin-8nm-sim/dist/std.64"
    if not datasets.at_hand("kin-8nm-sim"):
        pytest.skip("no data")
    raw = methods.get("lin-1[encoding=copy]")
    assert (raw.name, raw.description) == ("lin-1[encoding=copy]", "lin-1 with encoding=copy")
    answers = []
    for method in (methods.get("lin-1"), raw):
        instance = tasks.instance(task, 0, method.encoding)
        answers.append(instance.decode(methods.answer(method, instance, generator(1))[0]).mean())
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6)


def test_a_method_of_ones_own_file_declares_its_encoding(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from benchbook.methods import method\n"
        "@method(encoding={'age': 'nm-sqr'})\n"
        "def mine(instance, rng):\n    'one sentence'\n"
    )
    assert methods.declared(str(path)).encoding == "age=nm-sqr"
    assert methods.declared(f"{path}:mine[encoding=copy]").encoding == "copy"
