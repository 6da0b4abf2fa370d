"""Migrations, backups and restoring, on both databases."""

import contextlib
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click.testing import CliRunner
from sqlalchemy import func, select

from benchbook.cli import app
from benchbook.errors import BenchbookError
from benchbook.files import zipped
from benchbook_book.course.server.backup import backup, restore
from benchbook_book.course.server.models import (
    QUEUED,
    SCORED,
    Base,
    Participant,
    Score,
    Submission,
)
from benchbook_book.course.server.store import Store


def test_migrations_make_the_tables_that_the_models_say(store):
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_to_upgrade_twice_changes_nothing(store, held):
    store.upgrade()
    assert held.browser("Ada").get("/c/flats").status_code == 200


def test_all_who_write_at_once_get_their_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "benchbook_book.course.server.store._WAIT", 0
    )  # who finds the file locked is refused at once
    shared = Store(str(tmp_path / "a.sqlite"))
    shared.upgrade()

    def write(number):
        with shared.writing() as session:
            session.add(Participant(name=f"p{number}", token_hash=str(number), created=0.0))
            time.sleep(0.02)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(24)))
    with shared.reading() as session:
        assert session.scalar(select(func.count(Participant.id))) == 24
    shared.close()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (
            "mysql://a/b",
            "mysql is no database the server knows; give an SQLite file or postgresql://",
        ),
        ("://", "that is no URL of a database; write postgresql://user:password@host/name"),
        ("postgresql://x:y@localhost:1/none", "the database postgresql"),
        (
            "/no/such/folder/a.sqlite",
            "there is no folder /no/such/folder for the database; make it",
        ),
    ],
)
def test_a_database_that_cannot_be_used_is_told_and_no_password(where, said):
    with pytest.raises(BenchbookError, match=said) as caught:
        Store(where).upgrade()
    assert ":y@" not in str(caught.value)


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / "rent.csv").write_text("case,phase\n" * 100)
    for use in (Store.upgrade, Store.require):
        with pytest.raises(BenchbookError, match="cannot be opened: file is not a database"):
            use(Store(str(tmp_path / "rent.csv")))


@pytest.mark.parametrize(
    "words",
    [
        "invite Ada",
        "organiser",
        "dates flats --closes now",
        "message flats hello",
        "export flats --out results",
        "backup class.zip",
    ],
)
@pytest.mark.parametrize("content", [None, b""])
def test_a_command_in_the_wrong_folder_makes_no_database(tmp_path, monkeypatch, words, content):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("challenge.sqlite").write_bytes(content)
    result = CliRunner().invoke(app, ["challenge", "server", *words.split()])
    assert result.exit_code == 2
    assert "there is no challenge server's database" in result.output
    assert "--database" in result.output
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content] * (content is not None)


def test_the_organisers_token_is_shown_again(held, monkeypatch):
    monkeypatch.setenv("BENCHBOOK_DATABASE", held.store.address.removeprefix("sqlite:///"))
    result = CliRunner().invoke(app, ["challenge", "server", "organiser"])
    name, _, token = result.output.removeprefix("Token of ").strip().partition(": ")
    assert (result.exit_code, name) == (0, "organiser")
    assert held.browser().sign_in(token).get("/organise").status_code == 200
    assert held.browser().post("/login", data={"token": held.boss}).status_code == 403


def test_a_backup_is_restored_into_an_empty_database_and_scored_again(held, ready, tmp_path):
    ada, ben = held.browser("Ada"), held.browser("Ben")
    ada.submit(held.zipped("validation"))
    ben.submit(held.zipped("validation", shift=50))
    held.settle()
    ben.submit(b"PK broken")
    before = held.program().get("/api/challenges/flats/board/validation").json()
    path = tmp_path / "backup.zip"
    assert backup(held.store, path) == 3
    assert path.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist()).decode("latin-1")
    assert not [
        value for value in held.hidden["validation"] + held.hidden["test"] if value in everything
    ]
    assert not [token for token in held.tokens.values() if token in everything]
    (tmp_path / "targets.csv").write_text(held.table.replace("\n", "\r\n"))
    with pytest.raises(BenchbookError, match="the database is not empty"):
        restore(held.store, path, [tmp_path / "targets.csv"])
    (tmp_path / "new.sqlite").write_bytes(ready.read_bytes())
    fresh = Store(str(tmp_path / "new.sqlite"))
    with pytest.raises(BenchbookError, match="needs the file of targets it was opened with"):
        restore(fresh, path, [])
    assert restore(fresh, path, [tmp_path / "targets.csv"]) == 3
    held.store, old = fresh, held.store
    held.app = held.application(held.rules)
    assert held.settle() == 3
    after = held.program().get("/api/challenges/flats/board/validation").json()
    assert after["lines"] == before["lines"]
    held.browser("Ada").submit(held.zipped("validation", spread=44))
    fresh.close()
    held.store = old


def test_a_backup_goes_back_into_the_same_kind_of_database(held, request, tmp_path):
    held.browser("Ada").submit(held.zipped("validation"))
    backup(held.store, tmp_path / "b.zip")
    (tmp_path / "t.csv").write_text(held.table)
    with held.store.writing() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(table.delete())
    assert restore(held.store, tmp_path / "b.zip", [tmp_path / "t.csv"]) == 1
    held.browser("Ada").submit(held.zipped("validation", spread=44))
    with held.store.reading() as session:
        assert (
            session.scalar(
                select(func.count()).select_from(Submission).where(Submission.status == QUEUED)
            )
            == 2
        )
        assert session.scalar(select(func.count()).select_from(Participant)) == 3


def test_a_backup_while_entries_are_sent_and_scored_has_all_that_were_acknowledged(
    held, ready, tmp_path
):
    held.dates(per_day="0")
    held.app = held.application(replace(held.rules, uploads=1000, waiting=1000))
    payloads = [held.zipped("validation", shift=shift, name=f"e{shift}") for shift in range(16)]
    acknowledged, taken = [], []

    def send():
        program = held.program()
        for payload in payloads:
            acknowledged.append(
                program.post("/api/challenges/flats/submissions", content=payload).json()["number"]
            )

    def score(sending):
        while not sending.done():
            held.settle()

    with ThreadPoolExecutor(2) as pool:
        sending = pool.submit(send)
        scoring = pool.submit(score, sending)
        while not taken or not sending.done():
            taken.append(list(acknowledged))
            backup(held.store, tmp_path / f"{len(taken)}.zip")
        sending.result()
        scoring.result()
    assert len(acknowledged) == len(set(acknowledged)) == len(payloads)
    (tmp_path / "t.csv").write_text(held.table)
    mine = held.store
    for number in {1, (len(taken) + 1) // 2, len(taken)}:
        (tmp_path / f"{number}.sqlite").write_bytes(ready.read_bytes())
        with contextlib.closing(Store(str(tmp_path / f"{number}.sqlite"))) as held.store:
            restore(held.store, tmp_path / f"{number}.zip", [tmp_path / "t.csv"])
            held.settle()
            with held.store.reading() as session:
                selected = dict(session.execute(select(Submission.id, Submission.status)).all())
                scored = session.scalars(select(Score.submission_id)).all()
        assert selected.keys() >= set(taken[number - 1])
        assert set(selected.values()) <= {SCORED}
        assert sorted(scored) == sorted(selected)
    held.store = mine


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zip",
        b"PK\x05\x06" + bytes(18),
        "[]",
        "{",
        '{"format": "benchbook.backup/1", "challenges": 5}',
        '{"format": "benchbook.backup/1"}',
    ],
)
def test_what_is_no_backup_is_told(ready, tmp_path, content):
    (tmp_path / "x.zip").write_bytes(
        zipped({"server.json": content.encode()}) if isinstance(content, str) else content
    )
    (tmp_path / "new.sqlite").write_bytes(ready.read_bytes())
    with (
        contextlib.closing(Store(str(tmp_path / "new.sqlite"))) as fresh,
        pytest.raises(BenchbookError, match="no backup that can be read"),
    ):
        restore(fresh, tmp_path / "x.zip", [])


def test_a_backup_of_another_version_and_targets_that_are_not_there_are_told(ready, tmp_path):
    (tmp_path / "x.zip").write_bytes(zipped({"server.json": b'{"format": "x/2"}'}))
    (tmp_path / "new.sqlite").write_bytes(ready.read_bytes())
    with contextlib.closing(Store(str(tmp_path / "new.sqlite"))) as fresh:
        for tables, said in (
            ([], "x.zip is no backup of this version: found 'x/2'"),
            (["n"], "the targets in n cannot be"),
        ):
            with pytest.raises(BenchbookError, match=said):
                restore(fresh, tmp_path / "x.zip", tables)
