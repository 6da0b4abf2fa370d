"""The locks hold everything that is asked for, agree with each other, and name no place of one machine."""

import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import benchbook
from checkout import environment, places

ROOT = places.ROOT
LOCKS = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-lab.txt",
    "requirements-server.txt",
    "requirements-slides.txt",
)
_COMPILED = (
    "numpy==",
    "numba==",
    "llvmlite==",
    "scipy==",
    "polars-runtime-32==",
    "mypy==",
    "playwright==",
    "pyzmq==",
    "sqlalchemy==",
    "psycopg-binary==",
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))


def entries(name: str) -> list[str]:
    """The lines of a file of requirements, those that go on put together, without comments and options."""
    lines = (ROOT / name).read_text(encoding="utf8").replace("\\\n", " ").splitlines()
    return [
        line
        for line in (line.split("#")[0].strip() for line in lines)
        if line and not line.startswith("-")
    ]


def requirements(name: str) -> list[Requirement]:
    return [Requirement(line.split(" --hash")[0]) for line in entries(name)]


def pins(name: str) -> dict[str, set[str]]:
    results: dict[str, set[str]] = {}
    for item in requirements(name):
        (only,) = item.specifier
        assert only.operator == "==", f"{name}: {item} is not pinned"
        results.setdefault(canonicalize_name(item.name), set()).add(only.version)
    return results


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_has_the_digests_of_its_files(name):
    results = {
        line.split()[0]: re.findall(r" --hash=sha256:[0-9a-f]{64}(?= |$)", line)
        for line in entries(name)
    }
    assert len(results) > 12
    assert [line for line, digests in results.items() if not digests] == []
    assert [
        line for line in entries(name) if line.count("--hash") != len(results[line.split()[0]])
    ] == []
    # What is compiled has files for several systems; the lock is not that of one machine.
    compiled = [len(digests) for line, digests in results.items() if line.startswith(_COMPILED)]
    assert compiled or name == "requirements-slides.txt"  # which holds nothing that is compiled
    assert min(compiled, default=6) > 5


@pytest.mark.parametrize("name", LOCKS)
def test_all_releases_of_a_python_take_the_same_files(name):
    """So that wheels that were downloaded with Python 3.11.9 serve a machine with 3.11.2."""
    told_apart = [
        str(item) for item in requirements(name) if re.search(r"3\.\d+\.[1-9]", str(item.marker))
    ]
    assert told_apart == []


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_was_made_as_the_guide_says(name):
    command = re.search(
        r"^#    (uv pip compile .*)$", (ROOT / name).read_text(encoding="utf8"), re.MULTILINE
    )
    assert command.group(1) in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8").splitlines()


LOCK, DEV_LOCK, LAB_LOCK, SERVER_LOCK, SLIDES_LOCK = map(pins, LOCKS)


def unmet(wanted: list[Requirement], lock: dict[str, set[str]]) -> list[str]:
    return [
        str(item)
        for item in wanted
        if not any(
            item.specifier.contains(version)
            for version in lock.get(canonicalize_name(item.name), ())
        )
    ]


@pytest.mark.parametrize(
    ("asked", "lock"),
    [
        ("requirements.in", LOCK),
        ("requirements-dev.in", DEV_LOCK),
        ("requirements-lab.in", LAB_LOCK),
        ("requirements-server.in", SERVER_LOCK),
        ("requirements-slides.in", SLIDES_LOCK),
    ],
)
def test_the_lock_holds_what_is_asked_for(asked, lock):
    assert requirements(asked)
    assert unmet(requirements(asked), lock) == []
    impossible = ["pytest<1", "numpy<1", "no-such-package"]
    assert unmet([Requirement(item) for item in impossible], lock) == impossible


@pytest.mark.parametrize(
    ("first", "added"),
    [
        (LOCK, DEV_LOCK),
        (LOCK, LAB_LOCK),
        (DEV_LOCK, LAB_LOCK),
        (LOCK, SERVER_LOCK),
        (DEV_LOCK, SERVER_LOCK),
        (LOCK, SLIDES_LOCK),
        (DEV_LOCK, SLIDES_LOCK),
    ],
)
def test_the_locks_agree(first, added):
    both = set(first) & set(added)
    assert len(both) > 3
    assert {name: added[name] for name in both if not added[name] <= first[name]} == {}


@pytest.mark.parametrize("name", LOCKS)
def test_the_shares_of_a_lock_are_all_of_it(name, tmp_path):
    dealt = environment.shares(ROOT / name, tmp_path)
    assert len(dealt) == (3 if len(entries(name)) > 20 else 1)
    assert sorted(line for share in dealt for line in entries(share)) == sorted(entries(name))
    assert max(len(entries(share)) for share in dealt) <= len(entries(name)) / len(dealt) + 1


def test_what_is_installed_has_all_that_it_needs():
    """Each package is installed without what it depends on, which must be in the locks."""
    process = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


def test_the_package_asks_for_nothing_that_the_locks_lack():
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    requested = [*project["dependencies"], *extras["book"], *PROJECT["build-system"]["requires"]]
    assert unmet([Requirement(item) for item in requested], LOCK) == []
    tools = [Requirement(item) for item in [*extras["dev"], *extras["cluster"]]]
    assert unmet([item for item in tools if item.name != "benchbook"], DEV_LOCK) == []
    assert unmet([Requirement(item) for item in extras["server"]], SERVER_LOCK) == []


@pytest.mark.parametrize("name", [*LOCKS, *(name.replace(".txt", ".in") for name in LOCKS)])
def test_no_file_of_requirements_names_an_index_or_a_path(name):
    text = (ROOT / name).read_text(encoding="utf8")
    assert (
        re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host|(^|\s)/|@ ", text) is None
    )


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [benchbook.__version__]
