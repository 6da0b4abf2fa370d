"""Nothing stale: whatever is edited, the cache gives what is fitted anew, or nothing; code that is loaded counts."""

# ruff: noqa: E501 - tables of short modules
import functools
import importlib
import os
import sqlite3
import sys
import textwrap
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import benchbook
from benchbook.comparison import cache, digests, outside_reads
from benchbook.comparison.call import prepare
from benchbook.comparison.fits import run
from benchbook.seeds import generator

ROWS = np.arange(40)
X = generator(1, "stale").normal(size=(40, 2))
Y = X[:, 0] + 10.0
BODY = "class Mine(RegressorMixin, BaseEstimator):\n"
HEAD = "import os\nimport numpy as np\nfrom functools import partial\nfrom sklearn.base import BaseEstimator, RegressorMixin\n"
FIT = "    def fit(self, X, y):\n        return self\n"


def fitted(method, cache, n_jobs=1):
    request = prepare({"m": method}, X, Y, design=2, effort="quick", losses="absolute")
    return run(
        request.data, request.plan, request.contenders, request.measures, cache=cache, n_jobs=n_jobs
    )


def value(fits):
    assert not fits.errors, fits.errors
    return fits.losses.filter(method="m")["value"].to_list()


class Bench:
    """A folder of modules that are edited, and a method whose answer is one number that they make."""

    def __init__(self, folder, cache):
        self.folder, self.cache, self.names = folder, cache, []

    def write(self, **modules):
        for name, text in modules.items():
            path = self.folder / f"{name}.py"
            path.write_text(textwrap.dedent(text))
            os.utime(
                path, ns=(0, len(self.names) * 10**9)
            )  # so that no compiled code is taken for it
            self.names.append(name)
        importlib.invalidate_caches()

    def load(self, *names):
        for name in names:
            module = sys.modules.get(name)
            importlib.reload(module) if module else importlib.import_module(name)
        return sys.modules[names[-1]]

    def check(self, method, differs=True):
        """Hold the cache against a fit without it, twice; whether it was kept."""
        fresh = value(fitted(method, False))
        assert value(fitted(method, self.cache)) == fresh, "stale"
        again = fitted(method, self.cache)
        assert value(again) == fresh, "stale"
        if differs:
            assert fresh != getattr(self, "last", None), "the edit changes nothing"
        self.last = fresh
        return bool(again.from_cache) and not again.uncached


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Bench(tmp_path, tmp_path / "kept")
    yield made
    for name in made.names:
        sys.modules.pop(name, None)


def answers(number):
    """The text of a method that answers a number, as an expression."""
    return f"    def predict(self, X):\n        return np.full(len(X), float({number}))\n"


SOURCES = {
    "helper, from import": ("from stale_h import number\n", "", "number()", "def number():\n    return {}\n"),
    "helper, module": ("import stale_h\n", "", "stale_h.number()", "def number():\n    return {}\n"),
    "helper of a helper": ("import stale_h\n", "", "stale_h.number()", "from stale_g import number\n"),
    "import while it runs": ("", "", "__import_here__", "def number():\n    return {}\n"),
    "constant": ("import stale_h\n", "", "stale_h.N", "N = {}\n"),
    "array": ("import stale_h\n", "", "stale_h.N[1]", "import numpy as np\nN = np.array([0, {}])\n"),
    "base class": ("from stale_h import Base\n", "Base, ", "self.number()", "class Base:\n    def number(self):\n        return {}\n"),
    "attribute of a base class": ("from stale_h import Base\n", "Base, ", "self.n", "class Base:\n    n = {}\n"),
    "property": ("from stale_h import Base\n", "Base, ", "self.n", "class Base:\n    @property\n    def n(self):\n        return {}\n"),
    "static method": ("from stale_h import Base\n", "Base, ", "self.n()", "class Base:\n    @staticmethod\n    def n():\n        return {}\n"),
    "metaclass": ("from stale_h import M\n", "metaclass=M, ", "type(self).n", "from abc import ABCMeta\nclass M(ABCMeta):\n    n = {}\n"),
    "default argument": ("from stale_h import number\n", "", "number()", "def number(n={}):\n    return n\n"),
    "keyword default": ("from stale_h import number\n", "", "number()", "def number(*, n={}):\n    return n\n"),
    "closure": ("from stale_h import number\n", "", "number()", "def outer(n):\n    return lambda: n\nnumber = outer({})\n"),
    "partial": ("from stale_h import number\n", "", "number()", "from functools import partial\nnumber = partial(float, {})\n"),
    "decorated": ("from stale_h import number\n", "", "number()", "from functools import lru_cache\n@lru_cache\ndef number():\n    return {}\n"),
    "wrapped": ("from stale_h import number\n", "", "number()", "from functools import wraps\ndef add(f):\n    @wraps(f)\n    def g():\n        return f() + {}\n    return g\n@add\ndef number():\n    return 1\n"),
    "callable object": ("from stale_h import number\n", "", "number()", "class N:\n    def __init__(self, n):\n        self.n = n\n    def __call__(self):\n        return self.n\nnumber = N({})\n"),
    "dataclass": ("from stale_h import D\n", "", "D().n", "from dataclasses import dataclass\n@dataclass\nclass D:\n    n: float = {}\n"),
    "enum": ("from stale_h import E\n", "", "E.N.value", "from enum import Enum\nclass E(Enum):\n    N = {}\n"),
    "named tuple": ("from stale_h import N\n", "", "N.n", "from typing import NamedTuple\nclass T(NamedTuple):\n    n: float\nN = T({})\n"),
    "comprehension": ("from stale_h import number\n", "", "number()", "def number():\n    return sum([{} for _ in range(2)])\n"),
    "registry": ("from stale_h import TABLE\n", "", "TABLE['n']()", "TABLE = {{}}\ndef add(f):\n    TABLE['n'] = f\n    return f\n@add\ndef number():\n    return {}\n"),
    "slots": ("from stale_h import S\n", "", "S.n", "class C:\n    __slots__ = ('n',)\nS = C()\nS.n = {}\n"),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOURCES)
def test_an_edited_module_is_met_once_it_is_loaded_again(bench, kind):
    imports, bases, number, text = SOURCES[kind]
    if number == "__import_here__":
        predict = "    def predict(self, X):\n        from stale_h import number\n        return np.full(len(X), float(number()))\n"
    else:
        predict = answers(number)
    head = BODY.replace("(RegressorMixin, BaseEstimator)", "({}RegressorMixin, BaseEstimator)")
    if bases.startswith("metaclass"):
        head = head.format("").replace("BaseEstimator)", f"BaseEstimator, {bases.rstrip(', ')})")
    else:
        head = head.format(bases)
    nested = kind == "helper of a helper"
    edited = "stale_g" if nested else "stale_h"
    names = ["stale_g", "stale_h", "stale_m"] if nested else ["stale_h", "stale_m"]
    source = "def number():\n    return {}\n" if nested else text
    bench.write(**{edited: source.format(3)})
    if nested:
        bench.write(stale_h=text)
    bench.write(stale_m=HEAD + imports + head + FIT + predict)
    kept = bench.check(bench.load(*names).Mine())
    assert kept, "it can be followed, and is kept"
    first = bench.last
    bench.write(**{edited: source.format(5)})
    mine = (
        bench.load("stale_m").Mine()
        if kind != "import while it runs"
        else sys.modules["stale_m"].Mine()
    )
    bench.check(mine, differs=False)
    assert bench.last == first, "what is loaded counts, not the text on disk"
    assert bench.check(bench.load(*names).Mine())
    bench.write(**{edited: source.format(3)})
    assert bench.check(bench.load(*names).Mine())
    assert bench.last == first


def closing(n):
    return lambda a, b, c: np.full(len(c), float(n))


def by_default(n):
    def answer(a, b, c, *, level=n):
        return np.full(len(c), float(level))

    return answer


class Called:
    def __init__(self, n):
        self.n = n

    def __call__(self, a, b, c):
        return np.full(len(c), float(self.n))


def of_class(n):
    class Local(Called):
        step = n

        def __call__(self, a, b, c):
            return super().__call__(a, b, c) + self.step

    return Local(1)


def on_main(n):
    """As in a notebook: a function of ``__main__`` with a global and a helper beside it."""
    variables = vars(sys.modules["__main__"])
    text = f"N = {n}\ndef helper(c):\n    return [float(N)] * len(c)\ndef answer(a, b, c):\n    return helper(c)\n"
    exec(compile(text, "<cell>", "exec"), variables)
    return variables["answer"]


def shifted(target, n):
    return target + n


class Patched(BaseEstimator, RegressorMixin):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


def patched(n):
    Patched.predict = lambda self, X: np.full(len(X), float(n))
    return Patched()


def patched_object(n):
    item = Called(n)
    item.extra = lambda: n
    return lambda a, b, c: np.full(len(c), float(item.extra()))


VALUES = {
    "closure": closing,
    "default": by_default,
    "callable object": Called,
    "class": of_class,
    "partial": lambda n: functools.partial(lambda n, a, b, c: np.full(len(c), float(n)), n),
    "bound method": lambda n: Called(n).__call__,
    "notebook": on_main,
    "patched class": patched,
    "patched object": patched_object,
    "parameter": lambda n: DummyRegressor(strategy="constant", constant=n),
    "function as parameter": lambda n: make_pipeline(
        StandardScaler(), FunctionTransformer(lambda X: X * n), DummyRegressor(strategy="quantile", quantile=n / 9)
    ),
    "nested pipeline": lambda n: TransformedTargetRegressor(
        make_pipeline(make_pipeline(StandardScaler()), Ridge(alpha=10.0**n))
    ),
    "partial as parameter": lambda n: TransformedTargetRegressor(
        DummyRegressor(), func=functools.partial(shifted, n=0), inverse_func=functools.partial(shifted, n=n)
    ),
    "a set": lambda n: (lambda these: lambda a, b, c: np.full(len(c), float(sum(these))))({n, "x"} - {"x"}),
    "a mapping": lambda n: (lambda these: lambda a, b, c: np.full(len(c), float(these["n"])))({"n": n}),
    "a namespace": lambda n: (lambda these: lambda a, b, c: np.full(len(c), float(these.n)))(SimpleNamespace(n=n)),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_another_value_is_another_method(bench, kind):
    for n in (3, 5, 3):
        assert bench.check(VALUES[kind](n)), "it can be followed, and is kept"


STEP = 1.0


def by_global(a, b, c):
    return np.full(len(c), STEP)


def test_a_global_that_is_set_at_run_time_counts(bench, monkeypatch):
    for n in (2.0, 3.0):
        monkeypatch.setattr(sys.modules[__name__], "STEP", n)
        assert bench.check(by_global)


def through_numpy(a, b, c):
    return np.full(len(c), float(np.median([1.0, 2.0, 9.0])))


@pytest.mark.parametrize("n", [7.0])
def test_what_is_replaced_in_a_package_counts(bench, monkeypatch, n):
    assert bench.check(through_numpy)
    monkeypatch.setattr(np, "median", lambda values: n)
    bench.check(through_numpy)
    assert bench.check(Ridge())
    monkeypatch.setattr(
        "sklearn.linear_model._base.LinearModel.predict", lambda self, X: np.full(len(X), n)
    )
    bench.check(Ridge())


def changing(a, b, c):
    global STEP
    STEP += 1
    return np.full(len(c), 0.0)


def imported_by_name(a, b, c):
    return np.full(len(c), float(importlib.import_module("math").pi))


def evaluated(a, b, c):
    return np.full(len(c), float(eval("STEP")))


def looked_up(a, b, c):
    return np.full(len(c), float(globals()["STEP"]))


@pytest.mark.parametrize("method", [changing, imported_by_name, evaluated, looked_up])
def test_code_that_cannot_be_followed_is_not_kept(bench, method):
    assert not bench.check(method, differs=False)
    assert fitted(method, bench.cache).uncached == ("m",)


READERS = {
    "open": lambda path: open(path).read(),  # noqa: SIM115 - as people write it
    "path": lambda path: path.read_text(),
    "loadtxt": lambda path: np.loadtxt(path),
    "low": lambda path: os.read(os.open(path, os.O_RDONLY), 9),
    "environment": lambda path: os.environ.get("STALE_NUMBER", "1"),
}


@pytest.mark.parametrize("how", READERS)
def test_what_reads_a_file_or_the_environment_is_fitted_each_time(
    bench, tmp_path, monkeypatch, how
):
    path, read = tmp_path / "number.txt", READERS[how]

    def answer(a, b, c):
        return np.full(len(c), float(read(path)))

    for text in ("1", "2"):
        path.write_text(text)
        monkeypatch.setenv("STALE_NUMBER", text)
        assert not bench.check(answer)


def test_a_file_that_a_package_reads_is_seen_while_it_is_read(tmp_path, monkeypatch):
    """The names in the code say nothing: it is the opening of the file that is heard."""
    monkeypatch.setattr(digests, "_UNSEEN", digests.re.compile("nothing"))
    path = tmp_path / "number.txt"
    method = lambda a, b, c: np.full(len(c), float(np.loadtxt(path)))  # noqa: E731
    for text in ("1", "2"):
        path.write_text(text)
        fits = fitted(method, tmp_path / "kept")
        assert value(fits) == value(fitted(method, False))
        assert (fits.uncached, fits.from_cache) == (("m",), 0 if text == "1" else 2), (
            "the constant guess was kept"
        )


def test_writing_and_code_and_settings_of_the_system_are_no_reading(tmp_path):
    with outside_reads.outside_reads() as read:
        (tmp_path / "a").write_text("x")
        importlib.import_module("colorsys")
        open("/dev/null").close()
        assert read == []
        (tmp_path / "a").read_text()
        sqlite3.connect(":memory:").close()
    (tmp_path / "a").read_text()
    assert read == [str(tmp_path / "a"), "sqlite3.connect"]


def test_what_the_cache_itself_reads_is_no_reading_of_a_fit(tmp_path):
    """Fits in other threads were under way, and were not kept, when the cache opened its own files."""
    fitted(lambda a, b, c: np.full(len(c), 1.0), tmp_path)
    [path, *_] = tmp_path.iterdir()
    with outside_reads.outside_reads() as read:
        assert cache.store(tmp_path).get(path.stem) is not None
        assert read == []
        path.read_bytes()
    assert read == [str(path)]


def package(folder, version, number):
    place = folder / "site-packages"
    (place / "stale_p").mkdir(parents=True, exist_ok=True)
    text = f"def number():\n    return {number}\n" + (
        f"__version__ = '{version}'\n" if version else ""
    )
    (place / "stale_p" / "__init__.py").write_text(text)
    for old in place.glob("stale_p-*"):
        old.rmdir()
    (place / f"stale_p-{version or number}.dist-info").mkdir()
    return place


@pytest.mark.parametrize("versions", [("1.0", "1.1"), ("", "")], ids=["says it", "does not"])
def test_a_package_counts_by_the_version_that_is_loaded(bench, tmp_path, monkeypatch, versions):
    monkeypatch.syspath_prepend(package(tmp_path, versions[0], 3))
    digests.environment_at_start.cache_clear()
    digests.environment_at_start()
    bench.write(stale_m=HEAD + "import stale_p\n" + BODY + FIT + answers("stale_p.number()"))
    assert bench.check(bench.load("stale_p", "stale_m").Mine())
    package(tmp_path, versions[1], 5)
    os.utime(tmp_path / "site-packages" / "stale_p" / "__init__.py", ns=(0, 0))
    importlib.invalidate_caches()
    bench.check(sys.modules["stale_m"].Mine(), differs=False)
    bench.check(bench.load("stale_p", "stale_m").Mine())
    sys.modules.pop("stale_p")
    digests.environment_at_start.cache_clear()


def test_what_is_installed_is_a_part_of_the_key(tmp_path, monkeypatch):
    before = digests.environment()
    monkeypatch.syspath_prepend(package(tmp_path, "1.0", 3))
    assert "stale_p-1.0.dist-info" in digests.environment() != before


def test_other_processes_run_what_is_loaded_here(bench):
    for n in (3, 5):
        bench.write(stale_h=f"def number():\n    return {n}\n")
        bench.write(stale_m=HEAD + "import stale_h\n" + BODY + FIT + answers("stale_h.number()"))
        mine = bench.load("stale_h", "stale_m").Mine()
        bench.write(stale_h="def number():\n    return 0\n")
        assert value(fitted(mine, bench.cache, n_jobs=2)) == value(fitted(mine, False))


def test_the_result_says_what_came_from_the_cache(tmp_path):
    def reads(a, b, c):
        return np.full(len(c), float(len(os.environ)))

    asked = {"design": 3, "effort": "quick", "cache": tmp_path}
    assert "from the cache" not in benchbook.compare({"ridge": Ridge()}, X, Y, **asked).provenance
    again = benchbook.compare({"ridge": Ridge(), "reads": reads}, X, Y, **asked)
    assert "9 fits, from the cache: 6 of 9 fits, not to be cached: reads, " in again.provenance


def test_a_module_is_followed_through_cycles_and_a_compiled_one_is_not(bench):
    bench.write(
        stale_h="import stale_h as me\nLIST = []\nLIST.append(LIST)\ndef number():\n    return me.LIST and 4\n"
    )
    bench.write(stale_m=HEAD + "import stale_h\n" + BODY + FIT + answers("stale_h.number()"))
    assert bench.check(bench.load("stale_h", "stale_m").Mine())
    compiled = ModuleType("stale_c")
    compiled.__file__ = "stale_c.so"
    assert digests.digests_of([compiled, 1])[0][0] is None
