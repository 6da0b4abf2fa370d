"""A digest of all that a method's answers follow from: its values, the code that is loaded, what that refers to.

Code of the user's is followed as it is loaded, not by the text on disk: code objects of functions, their defaults,
closures and globals; classes with their bases and attributes; whole modules that are imported. Of installed packages
the version counts, and what somebody has replaced in them. What cannot be followed has no digest: locks and open
files, code that reads files or variables of the environment or changes globals, and packages that do not say their
version and may have been replaced since they were loaded.
"""

from __future__ import annotations

import copyreg
import dis
import hashlib
import importlib.util
import os
import re
import site
import struct
import sys
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import is_, itemgetter
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

_OWN = "benchbook"
_UNSEEN = re.compile(
    r"open|exec|eval|compile|__import__|import_module|globals|input|environb?|getenv|_getframe"
    r"|(read|scan|load)(_\w+)?"
)
"""Names in code that say that its answer follows from more than values and code."""
_NOT_CODE = {
    "__dict__",
    "__weakref__",
    "__doc__",
    "__annotations__",
    "_abc_impl",
    "__abstractmethods__",
}
_ATOMS = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
_C_CODE = (
    BuiltinFunctionType,
    MethodWrapperType,
    WrapperDescriptorType,
    MethodDescriptorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    type(dict.__dict__["fromkeys"]),
)
_ALWAYS = ("numpy", "scipy", "sklearn", "joblib")
"""Packages that every fit goes through."""


class NotFollowed(Exception):
    """Something whose part in an answer cannot be known."""


def digests_of(things: Iterable[Any]) -> tuple[list[str | None], set[str]]:
    """Digests of methods, or of scorers, with their parameters and their code; None for what cannot be followed.

    Returns:
        The digests, and the names of the user's modules whose code was met.
    """
    digests: list[str | None] = []
    packages, modules = set(_ALWAYS), set[str]()
    for thing in things:
        walk = _Walk()
        digests.append(walk.digest(thing))
        packages |= walk.packages
        modules |= walk.modules
    walk = _Walk()
    replaced = walk.digest([*_replaced(packages)])
    if replaced is None:
        return [None for _ in digests], modules
    return [digest and digest + replaced for digest in digests], modules | walk.modules


def environment() -> str:
    """The packages that are installed, each with its version, as their folders are called."""
    names = set[str]()
    for folder in {os.path.abspath(name) for name in sys.path}:
        try:
            names |= {
                name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))
            }
        except OSError:
            continue
    return " ".join(sorted(names))


environment_at_start = cache(environment)


def package_of(name: str) -> str | None:
    """The installed package that a module belongs to, "" for Python itself; None for a module of the user's."""
    top = name.partition(".")[0]
    if top in (_OWN, "__main__"):
        return top if top == _OWN else None
    module = sys.modules.get(name) or sys.modules.get(top)
    if module is None:
        return "" if top in sys.stdlib_module_names else None
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if path is None:
        return "" if top in sys.stdlib_module_names else None
    if is_installed(path):
        return top
    return "" if path.startswith(_python()) else None


def is_installed(path: str) -> bool:
    """Whether a file is one of an installed package."""
    return "site-packages" in path or "dist-packages" in path or path.startswith(_site())


@cache
def _site() -> tuple[str, ...]:
    return (*site.getsitepackages(), *filter(None, [site.getusersitepackages()]))


@cache
def _python() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return paths["stdlib"], paths["platstdlib"]


@cache
def own_text() -> str:
    """A digest of the text of this package, which a checkout may change under one version."""
    total = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()


class _Walk:
    """Goes through a thing and all that it refers to, each object once."""

    def __init__(self) -> None:
        self.total = hashlib.sha256()
        self.modules: set[str] = set()
        self.packages: set[str] = set()
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []  # an id is that of one object while it lives
        self._owners: dict[str, str | None] = {}

    def digest(self, thing: object) -> str | None:
        """A digest of one thing; None when it cannot be followed."""
        try:
            self.visit(thing)
        except (NotFollowed, RecursionError):
            return None
        return self.total.hexdigest()

    # -- values -------------------------------------------------------------------------------------------------------

    def visit(self, thing: object) -> None:
        """Add a thing to the digest."""
        kind = type(thing)
        if kind in _ATOMS:
            self._add(kind.__name__, repr(thing) if kind is not float else struct.pack("<d", thing))
        elif kind in (
            tuple,
            frozenset,
            CodeType,
        ):  # shared or not depends on where the code was loaded from
            self._by_kind(kind)(thing)
        elif id(thing) in self._seen:
            self._add("again", str(self._seen[id(thing)]))
        else:
            self._seen[id(thing)] = len(self._seen)
            self._alive.append(thing)
            self._by_kind(kind)(thing)

    def _by_kind(self, kind: type) -> Callable[[Any], None]:
        for kinds, visit in self._kinds().items():
            if issubclass(kind, kinds) and (kind in kinds or kinds in _WITH_SUBCLASSES):
                return visit
        return self._object

    def _kinds(self) -> Mapping[tuple[type, ...], Callable[[Any], None]]:
        return {
            (tuple, list): self._sequence,
            (set, frozenset): self._set,
            (dict, MappingProxyType): self._mapping,
            (CodeType,): self._code,
            (FunctionType,): self._function,
            (MethodType,): lambda method: self._all(method.__func__, method.__self__),
            (property,): lambda item: self._all(item.fget, item.fset, item.fdel),
            (classmethod, staticmethod): lambda item: self.visit(item.__func__),
            (CellType,): self._cell,
            _CLASSES: self._class,
            _MODULES: self._module,
            _C_CODE: self._c_code,
            _ARRAYS: self._array,
        }

    def _add(self, kind: str, content: str | bytes = b"") -> None:
        data = content.encode("utf8", "surrogatepass") if isinstance(content, str) else content
        self.total.update(f"{kind} {len(data)} ".encode() + data)

    def _all(self, *things: object) -> None:
        self._add("several", str(len(things)))
        for thing in things:
            self.visit(thing)

    def _sequence(self, things: Iterable[Any]) -> None:
        self._all(type(things).__name__, *things)

    def _set(self, things: Iterable[Any]) -> None:
        digests = []
        for thing in things:
            inner = _Walk()
            inner.visit(thing)
            digests.append(inner.total.hexdigest())
            self.modules |= inner.modules
            self.packages |= inner.packages
        self._all("set", *sorted(digests))

    def _mapping(self, items: Mapping[Any, Any]) -> None:
        self._add("mapping", str(len(items)))
        for key, value in list(items.items()):
            self._all(key, value)

    def _array(self, array: np.ndarray[Any, Any]) -> None:
        self._all(type(array), repr(array.dtype.descr), array.shape)
        if array.dtype.hasobject:
            self._all(*array.ravel().tolist())
        else:
            self._add("array", np.ascontiguousarray(array).tobytes())

    def _cell(self, cell: CellType) -> None:
        try:
            self.visit(cell.cell_contents)
        except ValueError:  # it is not bound yet
            self._add("empty")

    def _object(self, thing: object) -> None:
        """Anything else is what pickle would make it of; of an object of the user's, its attributes too."""
        reduce = copyreg.dispatch_table.get(type(thing))
        try:
            parts = reduce(thing) if reduce else thing.__reduce_ex__(4)
        except (
            Exception
        ) as error:  # locks, open files, generators: whatever the user's objects hold
            raise NotFollowed(type(thing).__name__) from error
        self._alive.append(parts)
        inner = getattr(thing, "__wrapped__", None) or getattr(thing, "py_func", None)
        if inner is not None:
            self._all(type(thing), inner)
        elif isinstance(parts, str):
            self._all(type(thing), parts)
            self._named(getattr(thing, "__module__", None) or type(thing).__module__)
        else:
            self._all(*(list(part) if isinstance(part, Iterator) else part for part in parts))
        if self._owner(type(thing).__module__) is None and hasattr(thing, "__dict__"):
            self.visit(vars(thing))

    # -- code ---------------------------------------------------------------------------------------------------------

    def _owner(self, module: str) -> str | None:
        if module not in self._owners:
            self._owners[module] = package_of(module)
        owner = self._owners[module]
        if owner and owner not in self.packages:
            self.packages.add(owner)
            self._add("package", f"{owner} {_version(owner)}")
        return owner

    def _named(self, module: str) -> None:
        """Something that is known by its name alone: of a package, not of the user's compiled code."""
        if self._owner(module) is None:
            raise NotFollowed(module)

    def _code(self, code: CodeType) -> None:
        self._all(
            "code", code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars,
            code.co_cellvars, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
            code.co_flags, getattr(code, "co_exceptiontable", b""),
        )  # fmt: skip

    def _function(self, function: FunctionType) -> None:
        module = _home(function)
        self._all(
            function.__defaults__, function.__kwdefaults__, function.__closure__, function.__dict__
        )
        if self._owner(module) is not None:
            return self._add("function", f"{module} {function.__qualname__}")
        self.modules.add(module)
        self.visit(function.__code__)
        names = set[str]()
        for code in _codes(function.__code__):
            names |= set(code.co_names)
            self._instructions(code, function.__globals__)
        for name in sorted(names):
            if name in function.__globals__:
                self._all(name, function.__globals__[name])
            elif _UNSEEN.fullmatch(name):
                raise NotFollowed(name)
        return None

    def _instructions(self, code: CodeType, variables: Mapping[str, Any]) -> None:
        """Modules that a function imports while it runs; globals that it changes cannot be followed."""
        before: list[Any] = []
        for item in dis.get_instructions(code):
            if item.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise NotFollowed(f"global {item.argval}")
            if item.opname == "IMPORT_NAME":
                level, names = before[-2:]
                self._import("." * level + item.argval, names or (), variables)
            before.append(item.argval)

    def _import(self, name: str, items: Iterable[str], variables: Mapping[str, Any]) -> None:
        name = importlib.util.resolve_name(name, variables.get("__package__"))
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            self._imported(".".join(parts[:end]))
        if package_of(name) is None:
            for item in items:
                if not hasattr(sys.modules[name], item):
                    self._imported(f"{name}.{item}")

    def _imported(self, name: str) -> None:
        if name in sys.modules:
            self.visit(sys.modules[name])
        elif package_of(name) is None:
            try:
                path = getattr(importlib.util.find_spec(name), "origin", None) or ""
            except (ImportError, ValueError, AttributeError):
                path = ""
            if not is_installed(path):
                raise NotFollowed(name)
            self._add("package", name)

    def _class(self, thing: type) -> None:
        self._add("class", f"{thing.__module__} {thing.__qualname__}")
        if self._owner(thing.__module__) is not None:
            return
        self.modules.add(thing.__module__)
        self._all(type(thing), *thing.__bases__)
        for name, value in list(vars(thing).items()):
            if name not in _NOT_CODE:
                self._all(name, value)

    def _module(self, module: ModuleType) -> None:
        name = module.__name__
        self._add("module", name)
        if self._owner(name) is not None:
            return
        if name == "__main__" or not str(getattr(module, "__file__", "") or "x.py").endswith(".py"):
            raise NotFollowed(name)
        self.modules.add(name)
        for key in sorted(vars(module)):
            if not (key.startswith("__") and key.endswith("__")):
                self._all(key, vars(module)[key])

    def _c_code(self, thing: Any) -> None:
        self._add("compiled", f"{thing.__qualname__}")
        home = getattr(thing, "__self__", None)
        if isinstance(thing, GetSetDescriptorType | MemberDescriptorType):
            return  # of slots and of attributes, whose values are those of an object
        if home is None or isinstance(home, ModuleType):
            self._named(
                getattr(thing, "__module__", None) or getattr(thing, "__objclass__", int).__module__
            )
            if _UNSEEN.fullmatch(thing.__name__):
                raise NotFollowed(thing.__name__)
        else:
            self.visit(home)


_METHODS = frozenset({classmethod, staticmethod, property})
_CLASSES, _MODULES, _ARRAYS = (type,), (ModuleType,), (np.ndarray,)
_WITH_SUBCLASSES = (_CLASSES, _MODULES, _ARRAYS)


def _home(function: FunctionType) -> str:
    return str(function.__globals__.get("__name__", ""))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield from _codes(item)


def _version(package: str) -> str:
    """The version of a package as it is loaded.

    Raises:
        NotFollowed: it does not say, and packages were installed since this process began.
    """
    if package == _OWN:
        return own_text()
    version = vars(sys.modules[package]).get("__version__") if package in sys.modules else None
    if version is None and environment() != environment_at_start():
        raise NotFollowed(package)
    return str(version)


def _replaced(packages: Collection[str]) -> list[tuple[str, FunctionType]]:
    """Functions in modules of packages, and in the classes of these, whose code is the user's."""
    found = []
    users: dict[str, bool] = {}
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in packages and isinstance(module, ModuleType):
            for home, functions in _foreign(name, module).items():
                if home not in users:
                    users[home] = home in sys.modules and package_of(home) is None
                if users[home]:
                    found += [(f"{name}.{place}", function) for place, function in functions]
    return sorted(found, key=itemgetter(0))


@dataclass(frozen=True)
class _Scan:
    """What was in a module and its classes, the very objects, and the functions of other modules among it."""

    module: ModuleType
    values: list[Any]
    classes: list[tuple[type, list[Any]]]
    foreign: dict[str, list[tuple[str, FunctionType]]]

    def holds(self, module: ModuleType) -> bool:
        """Whether nothing was replaced since."""
        return (
            module is self.module
            and _unchanged(vars(module), self.values)
            and all(_unchanged(vars(thing), values) for thing, values in self.classes)
        )


def _unchanged(mapping: Mapping[str, Any], values: list[Any]) -> bool:
    now = list(mapping.values())
    return len(now) == len(values) and all(map(is_, now, values))


_scans: dict[str, _Scan] = {}


def _foreign(name: str, module: ModuleType) -> dict[str, list[tuple[str, FunctionType]]]:
    """The functions of other modules in a module of that name, or in a class of it, by module; looked for again only
    where something was replaced."""
    scan = _scans.get(name)
    if scan is None or not scan.holds(module):
        values = list(vars(module).values())
        classes = [item for item in values if isinstance(item, type) and item.__module__ == name]
        parts = [(item, list(vars(item).values())) for item in classes]
        foreign: dict[str, list[tuple[str, FunctionType]]] = {}
        for place, member in _found_members(name, module):
            function = getattr(member, "__func__", getattr(member, "fget", member))
            if type(function) is FunctionType:
                foreign.setdefault(_home(function), []).append((place, function))
        scan = _scans[name] = _Scan(module, values, parts, foreign)
    return scan.foreign


def _found_members(name: str, module: ModuleType) -> Iterator[tuple[str, Any]]:
    own = vars(module)
    for key, value in list(own.items()):
        kind = type(value)
        if kind is FunctionType:
            if value.__globals__ is not own:
                yield key, value
        elif isinstance(value, type) and value.__module__ == name:
            for inner, member in list(vars(value).items()):
                if type(member) in _METHODS or (
                    type(member) is FunctionType and member.__globals__ is not own
                ):
                    yield f"{key}.{inner}", member
