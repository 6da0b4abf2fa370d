"""The helper of the chapter that a file of tests is about."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def page(
    request: pytest.FixtureRequest, chapter: Callable[[str], ModuleType], repository: Path
) -> ModuleType:
    """The helper that the file is named after: ``book/delve/_study.py`` for ``delve/test_study.py``.

    What draws may stand in it too, and is tested in ``test_study_charts.py``.
    """
    folder, name = request.path.parent.name, request.path.stem.removeprefix("test_")
    if not (repository / "book" / folder / f"_{name}.py").is_file():
        name = name.removesuffix("_charts")
    return chapter(f"{folder}/{name}")


def _extension(name: str) -> Callable[..., ModuleType]:
    """A fixture: the module of that name below ``book/_ext``."""

    @pytest.fixture(name=name)
    def load(repository: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        monkeypatch.syspath_prepend(repository / "book" / "_ext")
        return importlib.import_module(name)

    return load


(
    access,
    agreeing,
    api,
    archived,
    icons,
    listings,
    maps,
    moved,
    program,
    run_titles,
    search_terms,
    unrendered,
) = map(
    _extension,
    (
        "access",
        "agreeing",
        "api",
        "archived",
        "icons",
        "listings",
        "maps",
        "moved",
        "program",
        "run_titles",
        "search_terms",
        "unrendered",
    ),
)
