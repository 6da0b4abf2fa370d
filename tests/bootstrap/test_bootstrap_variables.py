"""The variables that everything in the checkout runs with, and the folder of compiled kernels."""

import os

import pytest

from checkout import places


def test_one_thread_a_process_and_the_same_hashes_every_time():
    inside = places.variables({"OMP_NUM_THREADS": "64"})
    assert {inside[name] for name in places._ONE_THREAD} == {"1"}
    assert "OPENBLAS_NUM_THREADS" in places._ONE_THREAD
    assert inside["PYTHONHASHSEED"] == "0"


def test_the_programs_of_the_environment_come_first_on_the_search_path():
    assert places.variables({"PATH": "/some/bin"})["PATH"] == f"{places.BIN}{os.pathsep}/some/bin"
    assert places.variables({})["PATH"].startswith(str(places.BIN))


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "JUPYTER_PATH"])
def test_settings_of_other_pythons_do_not_leak_in(name):
    outside = {name: "/elsewhere", "HTTPS_PROXY": "kept"}
    assert name not in places.variables(outside)
    assert places.variables(outside)["HTTPS_PROXY"] == "kept"


def test_nothing_is_written_to_the_home_folder():
    inside = places.variables({"HOME": "/home/reader"})
    for name in (
        "IPYTHONDIR",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "NUMBA_CACHE_DIR",
    ):
        assert inside[name].startswith(str(places.BUILD)), name


def test_folders_of_data_are_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = os.pathsep.join(["here and there", "", str(tmp_path / "b")])
    assert places.variables({"BENCHBOOK_DATA": given})["BENCHBOOK_DATA"].split(os.pathsep) == [
        str(tmp_path / "here and there"),
        str(tmp_path / "b"),
    ]
    assert "BENCHBOOK_DATA" not in places.variables({})


@pytest.fixture
def source(tmp_path):
    """A small package with a kernel, a module that compiles on its own account, and prose."""
    (tmp_path / "kernels").mkdir()
    texts = {
        "kernels/sums.py": "def add(a, b): ...",
        "loop.py": "import numba",
        "charts.py": "WIDTH = 1",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "anew"), [("kernels/sums.py", True), ("loop.py", True), ("charts.py", False)]
)
def test_compiled_code_is_made_anew_when_any_code_that_is_compiled_has_changed(source, file, anew):
    before = places.compiled_source_digest(source)
    (source / file).write_text((source / file).read_text(encoding="utf8") + "\n", encoding="utf8")
    assert (places.compiled_source_digest(source) != before) is anew


def test_only_the_latest_compiled_kernels_are_kept(tmp_path):
    for age in range(5):
        folder = tmp_path / f"numba-{age:012x}"
        folder.mkdir()
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "numba-dev").mkdir()
    places.prune_kernel_caches(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(f"numba-{age:012x}" for age in range(3)),
        "numba-dev",
    ]


def test_a_folder_of_wheels_is_found_from_wherever_the_command_is_given(tmp_path, monkeypatch):
    spaced = tmp_path / "räder und mehr"
    for folder in (tmp_path / "wheels", spaced):
        folder.mkdir()
    monkeypatch.chdir(tmp_path)

    def links(given):
        return places.variables({"PIP_FIND_LINKS": given})["PIP_FIND_LINKS"]

    assert links("wheels") == (tmp_path / "wheels").as_uri()
    assert links(str(spaced)) == links("räder und mehr") == spaced.as_uri()
    assert " " not in links("räder und mehr")
    # What is not here is left to pip: an address, or a folder of the checkout.
    assert links("https://example.org/w elsewhere wheels") == (
        f"https://example.org/w elsewhere {(tmp_path / 'wheels').as_uri()}"
    )
    assert "PIP_FIND_LINKS" not in places.variables({})
