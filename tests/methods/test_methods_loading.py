"""A user's own method is found in a file or a module, and what is wrong with it is said."""

import pytest
from refusals import refused

from benchbook import methods
from benchbook.errors import BenchbookError
from benchbook.methods.loading import load

MINE = """
from benchbook import methods
from benchbook.predictive import Point
from helper_of_mine import value

@methods.method(name="mine-1", description="a constant", kinds={"real"})
def my_method(instance, rng):
    return Point([value] * len(instance.test_inputs))

def plain(instance, rng):
    return None

class Late:
    name, description, kinds = "late-1", "a class", frozenset({"real"})
    def predict(self, instance, rng):
        return None

number = 3
"""


@pytest.fixture
def mine(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "helper_of_mine.py").write_text("value = 1.5\n")
    path = folder / "mine.py"
    path.write_text(MINE)
    return path


def test_a_method_in_a_file(mine, smooth, rng):
    method = methods.get(f"{mine}:my_method")
    assert method.name == "mine-1"
    prediction, _ = methods.answer(method, smooth, rng)
    assert prediction.mean().tolist() == [1.5] * 10


def test_the_file_alone_when_it_holds_one_method(mine):
    assert methods.get(str(mine)).name == "mine-1"
    mine.write_text(MINE + "\nother = methods.method(name='other-1')(plain)\n")
    refused(BenchbookError, r"say which method.*my_method, other", methods.get, str(mine))


def test_a_file_is_read_again_only_when_it_changed(mine):
    first = methods.get(f"{mine}:my_method")
    assert methods.get(f"{mine}:my_method") is first
    mine.write_text(MINE.replace("mine-1", "mine-22"))
    assert methods.get(f"{mine}:my_method").name == "mine-22"


def test_a_method_in_a_module_of_the_path(mine, monkeypatch):
    monkeypatch.syspath_prepend(str(mine.parent))
    (mine.parent / "mine_as_module.py").write_text(MINE)
    assert methods.get("mine_as_module:my_method").name == "mine-1"


def test_an_object_with_the_members_of_a_method_and_an_estimator_will_do(mine):
    mine.write_text(
        MINE + "\nlate = Late()\nfrom sklearn.linear_model import Ridge\nmy_ridge = Ridge()\n"
    )
    assert methods.get(f"{mine}:late").name == "late-1"
    assert methods.get(f"{mine}:my_ridge").name == "my-ridge"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my_methd", r"no name 'my_methd' in .*mine.py; nearest names in it: my_method"),
        ("plain", r"plain function; put `@methods.method\(name='plain'"),
        ("Late", r"is a class; make an object of it, `mine = Late\(\)`"),
        ("number", r"is not a method but int"),
    ],
)
def test_what_is_not_a_method_is_refused(mine, name, said):
    refused(BenchbookError, said, load, f"{mine}:{name}")


def test_no_such_file_and_no_such_module(tmp_path):
    refused(BenchbookError, r"no such file: .*nowhere.py", load, f"{tmp_path}/nowhere.py:x")
    with pytest.raises(BenchbookError, match=r"no module 'no_such_package.deep' on the path"):
        load("no_such_package.deep:x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import no_such_library\n",
            r"ModuleNotFoundError: No module named 'no_such_library' \(line 1\)",
        ),
        ("x = 1\nx / 0\n", r"ZeroDivisionError: division by zero \(line 2\)"),
        ("x = (\n", r"SyntaxError: .*\(line 1\)"),
        ("raise SystemExit('bye')\n", r"SystemExit: bye \(line 1\)"),
    ],
)
def test_an_error_on_import_says_its_last_line_and_where(tmp_path, text, said):
    path = tmp_path / "broken.py"
    path.write_text(text)
    refused(BenchbookError, "cannot import .*broken.py: " + said, load, f"{path}:x")


def test_an_error_inside_a_module_is_not_taken_for_its_absence(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "needs_more.py").write_text("import no_such_library\n")
    refused(BenchbookError, "cannot import needs_more: ModuleNotFoundError", load, "needs_more:x")


def test_a_file_with_no_method(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("")
    refused(BenchbookError, "it defines no method", load, str(path))
    refused(BenchbookError, "it defines no method", load, f"{path}:x")
