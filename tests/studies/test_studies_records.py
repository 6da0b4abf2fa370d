"""Records: where a run comes from, and which text of a method it was."""

import json
import re
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import benchbook
from benchbook import methods, parquet
from benchbook.archive import index, merged, records, store, verify
from benchbook.archive.frames import natural
from benchbook.archive.merged import archive_path, publishing_path, runs_path
from benchbook.errors import BenchbookError
from benchbook.studies import RECORD_SCHEMA, Archive, provenance


def test_provenance_names_versions_commit_and_processor():
    known = provenance()
    assert known["benchbook"] == benchbook.__version__
    assert re.fullmatch(r"unknown|[0-9a-f]{40,64}(\+changes:[a-z,]+)?", known["commit"])
    assert {"numpy", "polars"} <= set(json.loads(known["libraries"]))
    assert known["cpu"]
    assert known.keys() < RECORD_SCHEMA.keys()


@pytest.mark.parametrize(
    ("found", "instructions"),
    [
        (["X86_V3", "X86_V4", "AVX512_ICL"], "AVX-512"),
        (["AVX2", "AVX512F"], "AVX-512"),
        (["X86_V4"], "AVX-512"),
        (["X86_V3"], "AVX2"),
        (["SSE41", "AVX2"], "AVX2"),
        (["ASIMDHP"], ""),
    ],
)
def test_a_record_tells_which_vector_instructions_numpy_uses(found, instructions, monkeypatch):
    monkeypatch.setattr(np, "show_config", lambda mode: {"SIMD Extensions": {"found": found}})
    monkeypatch.setattr(records, "processor_model", lambda: "an abacus")
    assert records.vector_instructions() == instructions
    named = records._processor().split(", ")
    assert [part for part in named if not part.startswith("OpenBLAS")] == ["an abacus"] + (
        [instructions] if instructions else []
    )
    assert bool(verify.narrower()) == (instructions == "AVX-512")


@pytest.mark.parametrize(
    ("text", "model"),
    [("vendor\t: x\nmodel name\t: A: 1\nmodel name\t: B\n", "A: 1"), ("", "chip"), (None, "chip")],
)
def test_a_processor_is_called_as_the_first_says_or_as_the_system_does(monkeypatch, text, model):
    def read(path, **how):
        if text is None:
            raise OSError
        return text

    monkeypatch.setattr(records.Path, "read_text", read)
    monkeypatch.setattr(records.platform, "processor", lambda: "chip")
    assert records.processor_model() == model


@pytest.fixture
def committed(tmp_path, monkeypatch):
    """A checkout with one commit."""

    def git(*words):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@e", *words],
            check=True,
        )

    for name in (
        "src/benchbook/new.py",
        "data/registry.toml",
        "data/prototasks.toml",
        "data/other.toml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one = 1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    monkeypatch.setattr(records, "checkout", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ([], ""),
        (["data/other.toml", "README.md"], ""),
        (["src/benchbook/new.py"], "+changes:package"),
        (["src/benchbook/methods/more.py"], "+changes:package"),
        (["data/registry.toml"], "+changes:registry"),
        (["data/prototasks.toml"], "+changes:prototasks"),
        (
            ["data/prototasks.toml", "src/benchbook/\u00fc b.py", "data/registry.toml"],
            "+changes:package,registry,prototasks",
        ),
    ],
)
def test_the_commit_is_that_of_the_checkout_and_says_what_differs_from_it(
    committed, changed, parts
):
    for name in changed:
        (committed / name).parent.mkdir(exist_ok=True)
        (committed / name).write_text("one = 2\n")
    assert re.fullmatch("[0-9a-f]{40}" + re.escape(parts), records._commit())


def test_a_file_that_was_removed_or_renamed_differs_from_the_commit(committed):
    (committed / "data" / "registry.toml").unlink()
    (committed / "src" / "benchbook" / "new.py").rename(
        committed / "src" / "benchbook" / "newer.py"
    )
    assert records._commit().endswith("+changes:package,registry")


@pytest.mark.parametrize("root", [None, Path("/nowhere")])
def test_without_a_checkout_or_git_the_commit_is_unknown(root, monkeypatch):
    monkeypatch.setattr(records, "checkout", lambda: root)
    assert records._commit() == "unknown"


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone cannot be changed here")
def test_time_is_utc(monkeypatch):
    monkeypatch.setenv("TZ", "XXX-09:00")
    time.tzset()
    try:
        then = datetime.strptime(records.now(), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        assert abs((datetime.now(UTC) - then).total_seconds()) < 60
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_registered_method_is_known_by_version_and_file_and_a_users_by_its_file(mine):
    assert methods.identity("lin-1").startswith(f"benchbook {benchbook.__version__} linear.py ")
    assert methods.identity("lin-1") != methods.identity("base-1")
    spec = f"{mine}:noisy"
    before = methods.identity(spec)
    assert before.startswith("mine.py ")
    mine.write_text(mine.read_text() + "\n# another text\n")
    assert methods.identity(spec) != before


def test_every_registered_method_has_an_identity_that_names_its_own_file():
    for name in methods.available():
        assert re.fullmatch(r"benchbook \S+ \w+\.py [0-9a-f]{16}", methods.identity(name))


def test_a_method_whose_source_cannot_be_had_equals_no_other(monkeypatch):
    space: dict = {"__name__": "typed_into_a_notebook"}
    exec(
        "from benchbook.methods import method\n"
        "@method(name='typed')\ndef typed(instance, rng):\n    return None\n",
        space,
    )
    varied = methods.variant(space["typed"], encoding="copy", name="typed-raw")
    known = {"typed": space["typed"], "typed-raw": varied}
    monkeypatch.setattr("benchbook.methods.registry._by_hand", known)
    assert [methods.identity(name) for name in known] == ["", ""]


def test_a_program_is_known_by_its_command_line():
    specs = [
        f"command{given}: ./{name} {{train}}" for name in "ab" for given in ("", "[encoding=copy]")
    ]
    known = [methods.identity(spec) for spec in specs]
    assert all(text.startswith("command ") for text in known)
    assert len(set(known)) == 4


def test_runs_are_kept_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHBOOK_RUNS", str(tmp_path))
    assert runs_path() == tmp_path
    monkeypatch.delenv("BENCHBOOK_RUNS")
    monkeypatch.setenv("BENCHBOOK_HOME", str(tmp_path / "home"))
    assert runs_path() == tmp_path / "home" / "runs"
    monkeypatch.delenv("BENCHBOOK_ARCHIVE", raising=False)
    assert archive_path().parts[-2:] == ("data", "archive")
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path / "other"))
    assert archive_path() == tmp_path / "other"


def test_runs_are_published_into_a_checkout_or_where_the_user_says(monkeypatch, tmp_path):
    monkeypatch.delenv("BENCHBOOK_ARCHIVE", raising=False)
    assert publishing_path() == archive_path()
    monkeypatch.setattr(merged, "checkout", lambda: None)
    with pytest.raises(BenchbookError, match="not published into the installed package"):
        publishing_path()
    monkeypatch.setenv("BENCHBOOK_ARCHIVE", str(tmp_path))
    assert publishing_path() == tmp_path


def test_numbers_in_names_are_sorted_as_numbers():
    assert sorted(["std.1024", "std.64", "std.x", "alp.128"], key=natural) == [
        "alp.128",
        "std.64",
        "std.1024",
        "std.x",
    ]


def test_a_record_has_the_settings_of_its_run_and_the_identity_of_a_variant_hangs_on_them():
    wide = methods.variant("mlp-bgd-1", hidden=30, name="wide")
    assert json.loads(methods.settings_text(wide))["hidden"] == 30
    assert methods.settings_text(methods.get("lin-1")) == ""
    spec = "mlp-bgd-1[hidden={},name=wide]"
    first, second = (methods.identity(spec.format(count)) for count in (30, 31))
    assert first != second
    assert first.startswith(methods.identity("mlp-bgd-1"))


def test_runs_of_a_version_without_settings_are_still_read(tmp_path, made):
    path = store.write_run(tmp_path, made())
    whole = store.read_run(path)
    parquet.write(whole.drop("settings"), path)
    older = store.read_run(path)
    assert older.columns == whole.columns
    assert older["settings"].to_list() == [""]
    assert store.read_run(path, ["method", "settings"]).rows() == [("invented", "")]
    assert Archive(tmp_path).records()["settings"].to_list() == [""]


def test_the_archive_of_the_book_is_read_by_its_index():
    """One of an older version has no settings, and is relied on all the same."""
    result = index.read(archive_path())
    assert result is not None
    assert result.schema == RECORD_SCHEMA
