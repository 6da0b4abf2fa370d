"""The locks hold everything that is asked for, agree with each other, and name no place of one machine."""

import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from checkout import places

ROOT = places.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))


def requirements(name: str) -> list[Requirement]:
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text(encoding="utf8").splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


def pins(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for item in requirements(name):
        (only,) = item.specifier
        assert only.operator == "==", f"{name}: {item} is not pinned"
        found.setdefault(canonicalize_name(item.name), set()).add(only.version)
    return found


LOCK, DEV_LOCK = pins("requirements.txt"), pins("requirements-dev.txt")


def unmet(wanted: list[Requirement], lock: dict[str, set[str]]) -> list[str]:
    return [str(item) for item in wanted
            if not any(item.specifier.contains(version) for version in lock.get(canonicalize_name(item.name), ()))]


@pytest.mark.parametrize(("asked", "lock"), [("requirements.in", LOCK), ("requirements-dev.in", DEV_LOCK)])
def test_the_lock_holds_what_is_asked_for(asked, lock):
    assert requirements(asked)
    assert unmet(requirements(asked), lock) == []
    impossible = ["pytest<1", "numpy<1", "no-such-package"]
    assert unmet([Requirement(item) for item in impossible], lock) == impossible


def test_the_two_locks_agree():
    both = set(LOCK) & set(DEV_LOCK)
    assert len(both) > 5
    assert {name: DEV_LOCK[name] for name in both if not DEV_LOCK[name] <= LOCK[name]} == {}


def test_the_package_asks_for_nothing_that_the_locks_lack():
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["book"], *PROJECT["build-system"]["requires"]]
    assert unmet([Requirement(item) for item in asked], LOCK) == []
    tools = [Requirement(item) for item in [*extras["dev"], *extras["cluster"]]]
    assert unmet([item for item in tools if item.name != "benchbook"], DEV_LOCK) == []


@pytest.mark.parametrize("name", ["requirements.in", "requirements.txt", "requirements-dev.in", "requirements-dev.txt"])
def test_no_file_of_requirements_names_an_index_or_a_path(name):
    text = (ROOT / name).read_text(encoding="utf8")
    assert re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host|(^|\s)/|@ ", text) is None


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(tmp_path, monkeypatch):
    from hatchling.build import build_editable, build_wheel

    monkeypatch.chdir(ROOT)
    names = zipfile.ZipFile(tmp_path / build_wheel(str(tmp_path))).namelist()
    assert {"benchbook/py.typed", "benchbook/data/registry.toml", "benchbook/data/prototasks.toml"} <= set(names)
    assert {Path(name).parts[0] for name in names} == {"benchbook", f"benchbook-{version()}.dist-info"}
    in_place = zipfile.ZipFile(tmp_path / build_editable(str(tmp_path))).namelist()
    assert [name for name in in_place if ".dist-info/" not in name] == ["_benchbook.pth"]


def version() -> str:
    import benchbook

    return benchbook.__version__


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [version()]
