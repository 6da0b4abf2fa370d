"""Libraries that are loaded when they are first used."""

import subprocess
import sys

import pytest

from benchbook.later import _Later, pl, scipy


def test_nothing_is_loaded_before_it_is_used():
    code = (
        "import sys; from benchbook.later import kernels, pl, scipy, sklearn;"
        "print([name for name in ('polars', 'scipy', 'sklearn', 'numba') if name in sys.modules]);"
        "print(scipy.special.ndtr(0.0), pl.Series([1, 2]).sum(), kernels.nearest.__name__)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert said.split("\n")[:2] == ["[]", "0.5 3 benchbook.kernels.nearest"]


def test_it_is_the_library_itself():
    import polars

    assert pl.DataFrame is polars.DataFrame
    assert scipy.stats is sys.modules["scipy.stats"]
    assert scipy.stats.norm is sys.modules["scipy.stats"].norm


def test_what_is_not_there_is_said_as_of_any_module():
    with pytest.raises(AttributeError, match="module 'polars' has no attribute 'Dataframe'"):
        pl.Dataframe  # noqa: B018
    assert not hasattr(scipy, "wavelets")
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        _Later("nowhere").thing  # noqa: B018


def test_a_module_that_fails_to_import_another_says_which(tmp_path, monkeypatch):
    (tmp_path / "leaky").mkdir()
    (tmp_path / "leaky" / "__init__.py").write_text("")
    (tmp_path / "leaky" / "below.py").write_text("import not_installed_anywhere")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_installed_anywhere"):
        _Later("leaky").below  # noqa: B018
