"""The database: opened, brought to the newest form, and read and written in transactions."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.orm import Session

from benchbook.errors import BenchbookError

DEFAULT = "challenge.sqlite"
_WAIT = 30  # seconds for a lock


class Store:
    """A database of the server.

    Args:
        where: the path of an SQLite file, or the URL of a database such as ``postgresql://user@host/name``.
    """

    def __init__(self, where: str) -> None:
        self.url = _url(where)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        options: dict[str, Any] = (
            {"pool_pre_ping": True}
            if not self.sqlite
            else {
                "connect_args": {
                    "timeout": _WAIT,
                    "check_same_thread": False,
                    "isolation_level": None,
                }
            }
        )
        self.engine: Engine = create_engine(self.url, pool_size=10, max_overflow=30, **options)
        self._writer = self.engine.execution_options(writing=True)
        self._snapshot = self.engine.execution_options(
            **({} if self.sqlite else {"isolation_level": "REPEATABLE READ"})
        )
        # SQLite lets whoever asks next at the right moment write, and some never; here they take turns.
        self._turn = threading.Lock() if self.sqlite else contextlib.nullcontext()
        if self.sqlite:
            event.listen(self.engine, "connect", _prepare)
            event.listen(self.engine, "begin", _begin)

    @property
    def address(self) -> str:
        """The URL with its password, for a process of ours."""
        return self.url.render_as_string(hide_password=False)

    def upgrade(self) -> None:
        """Make the tables, or bring those of an older version to this one's form.

        Raises:
            BenchbookError: there is no such database, or it cannot be written.
        """
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        try:
            if self.sqlite and self.url.database:
                private(self.url.database)
            with self._writer.connect() as connection:
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
        except DBAPIError as error:
            raise self._unusable(error) from error

    def require(self) -> None:
        """See that the database of a server is there.

        Raises:
            BenchbookError: it is not, or it cannot be opened.
        """
        path = Path(str(self.url.database))
        present = not self.sqlite or (path.is_file() and path.stat().st_size > 0)
        try:
            present = present and inspect(self.engine).has_table("alembic_version")
        except DBAPIError as error:
            raise self._unusable(error) from error
        if not present:
            raise BenchbookError(
                f"there is no challenge server's database {self.url.database}. Go to the folder where "
                "`benchbook challenge serve` made it, or name it with --database."
            )

    def _unusable(self, error: DBAPIError) -> BenchbookError:
        return BenchbookError(
            f"the database {self.url.render_as_string()} cannot be opened: {str(error.orig).strip()}. Check "
            "its address, and whether it can be written."
        )

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one state of all tables, and writes nothing."""
        with Session(self._snapshot, expire_on_commit=False) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """A session whose changes are kept together when it ends, and none of them when it fails."""
        with self._turn, Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def is_full(error: Exception) -> bool:
    """Whether something could not be written since the disk, or the quota on it, is used up."""
    number = getattr(error, "errno", None)
    text = str(getattr(error, "orig", "")).lower()
    return number in (errno.ENOSPC, errno.EDQUOT) or any(
        words in text for words in ("disk is full", "no space left", "disk i/o error")
    )


def private(path: str | Path) -> None:
    """Make a file that only its owner may read, unless it is there."""
    with contextlib.suppress(FileExistsError):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileNotFoundError as error:
            raise BenchbookError(
                f"there is no folder {Path(path).parent} for the database; make it"
            ) from error
        except PermissionError as error:
            raise BenchbookError(
                f"no permission to write {path}; give another place with --database"
            ) from error


def _url(where: str) -> URL:
    if "://" not in where:
        return make_url("sqlite://").set(database=str(Path(where).absolute()))
    try:
        url = make_url(where)
    except ArgumentError as error:
        raise BenchbookError(
            "that is no URL of a database; write postgresql://user:password@host/name"
        ) from error
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise BenchbookError(
            f"{url.get_backend_name()} is no database the server knows; give an SQLite file or "
            "postgresql://user:password@host/name"
        )
    return (
        url.set(drivername="postgresql+psycopg") if url.get_backend_name() == "postgresql" else url
    )


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A transaction that begins by reading cannot wait for the lock later, so that who will write says so first.
    connection.exec_driver_sql(
        "BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN"
    )
