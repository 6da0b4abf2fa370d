"""DELVE's prior files: several of a prototask, with relevance levels and encodings, and what is wrong in them."""

import pytest

from benchbook.errors import FaultyInput
from benchbook.tasks import delve

SPECS = {
    "Dataset.spec": "origin: natural\nusage: assessment\norder: uninformative\nattributes:\n"
    " 1 age real [0,20]\n 2 sex binary m f\n 3 class nominal red {dark blue}\n 4 height real [0,3]\n",
    "tall/Prototask.spec": "cases: all\norigin: natural\ninputs: 1 2 3\ntargets: 4\norder: retain\n"
    "maximum-number-of-instances: 4\ntest-set-size: 100\ntraining-set-sizes: 16\ntest-set-selection: common\n",
}


@pytest.fixture
def tall(tmp_path):
    (tmp_path / "tall").mkdir()
    for name, text in SPECS.items():
        (tmp_path / name).write_text(text.replace("{dark blue}", "blue"))
    return tmp_path / "tall"


def test_all_priors_of_a_prototask_are_read(tall):
    assert delve.read_priors(tall) == {}
    (tall / "std.prior").write_text("age 0 nm-abs\nsex 2 0/1 passive={m}  # known\nheight 0 copy\n")
    (tall / "late.prior").write_text("# by number\n1 13 nm-sqr center=2\n\n3 0\n")
    priors = delve.read_priors(tall)
    assert {
        name: [(line.attribute, line.level, str(line.coding)) for line in several]
        for name, several in priors.items()
    } == {
        "late": [("age", 13, "nm-sqr center=2"), ("class", 0, "1-of-n")],
        "std": [("age", 0, "nm-abs"), ("sex", 2, "0/1 passive=m"), ("height", 0, "copy")],
    }


def test_all_that_is_wrong_in_priors_is_told_at_once(tall):
    (tall / "std.prior").write_text("age -1\nweight 0\nage\nsex 1 blue\n")
    (tall / "other.prior").write_text("4 1.5 copy\n2 0 passive=x\n2 0\n")
    with pytest.raises(FaultyInput) as caught:
        delve.read_priors(tall)
    said = [str(fault) for fault in caught.value.faults]
    for place, word in (
        ("other.prior, line 1", "'1.5'"),
        ("other.prior, line 2", "encoding of 'sex'"),
        ("other.prior, line 3", "sex again"),
        ("std.prior, line 1", "'-1'"),
        ("std.prior, line 2", "'weight'"),
        ("std.prior, line 3", "no relevance level"),
        ("std.prior, line 4", "'blue'"),
    ):
        assert any(place in fault and word in fault for fault in said), (place, said)


def test_what_we_write_is_read_back(tmp_path):
    folder = delve.export("kin-8nm-sim/dist", tmp_path, [64], [0])[0].parent
    (prior,) = delve.read_priors(folder).values()
    assert [line.level for line in prior] == [0] * 9
    assert {str(line.coding) for line in prior} == {"nm-abs"}
