"""A challenge server on either database, browsers that talk to it, and a check that no answer holds a hidden target."""

import base64
import contextlib
import gzip
import io
import os
import pwd
import re
import secrets
import shutil
import sqlite3
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

pytest.importorskip("starlette")
pytest.importorskip("sqlalchemy")

from sqlalchemy import create_engine, text
from starlette.applications import Starlette
from starlette.testclient import TestClient

from benchbook.predictive import Gaussian
from benchbook.seeds import generator
from benchbook_book.course.challenge import write
from benchbook_book.course.challenge.client import pack
from benchbook_book.course.server import holding, worker
from benchbook_book.course.server.app import application
from benchbook_book.course.server.holding import as_table
from benchbook_book.course.server.rules import Rules
from benchbook_book.course.server.store import Store

SIZES = {"training": 24, "validation": 8, "test": 12}


def challenge_table() -> str:
    """Rents by area; every target has seven decimals, so that it is found wherever it is written."""
    rng = generator(1, "challenge server")
    lines, number = ["# task = flats/rent", "# kind = real", "case,phase,target,area"], 0
    for phase, count in SIZES.items():
        for _ in range(count):
            area = rng.uniform(20, 120)
            lines.append(f"f{number},{phase},{300 + 9 * area + rng.normal(0, 40):.7f},{area:.2f}")
            number += 1
    return "\n".join(lines) + "\n"


TABLE = challenge_table()
HIDDEN = {phase: re.findall(rf"^f\d+,{phase},([\d.]+),", TABLE, re.MULTILINE) for phase in SIZES}


def zipped(
    folder: Path, task: str, spread: float = 40.0, name: str = "mine", shift: float = 0.0
) -> bytes:
    """A submission: a straight line through the origin of the areas, with an offset."""
    table = as_table(TABLE)
    phase = "validation" if task == "validation" else "test"
    area = np.array([float(value) for value in table.inputs["area"]])[table.phases == phase]
    requested = table.organiser().asked(f"flats/rent/{task}")
    path = folder / secrets.token_hex(4)
    write(
        path,
        name,
        "we",
        f"9 times the area, and {shift:g} more.",
        [(requested, Gaussian(300 + 9 * area + shift, np.full(len(area), spread**2)))],
    )
    return pack(path)


def _as_postgres(*command: str, folder: Path | None = None) -> str:
    """Run a command and give its output; PostgreSQL refuses to be run by root."""
    who: dict[str, Any] = (
        {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    )
    return subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder or "/", **who
    ).stdout


@pytest.fixture(scope="session")
def cluster(tmp_path_factory) -> Iterator[str]:
    """A private PostgreSQL, reached by a socket; skipped where there is none."""
    result = shutil.which("initdb") or next(
        map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None
    )
    if result is None:
        pytest.skip("there is no PostgreSQL here")
    if os.getuid() == 0:
        try:
            pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    try:
        folder = Path(_as_postgres("mktemp", "-d", "-t", "pgXXXXXX").strip())
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the user of PostgreSQL has no folder for its data: {error.stderr.strip()}")
    binaries = Path(result).parent

    def run(program: str, *arguments: str) -> None:
        _as_postgres(str(binaries / program), *arguments, folder=folder)

    try:
        run(
            "initdb",
            "-D",
            f"{folder}/data",
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--no-sync",
        )
        run(
            "pg_ctl",
            "-D",
            f"{folder}/data",
            "-w",
            "-l",
            f"{folder}/log",
            "-o",
            f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60 -c shared_buffers=16MB",
            "start",
        )
        url = f"postgresql://postgres@/%s?host={folder}"
        _sql(url % "postgres", "CREATE DATABASE ready")
        store = Store(url % "ready")
        store.upgrade()
        store.close()
        yield url
        run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sql(url: str, statement: str) -> None:
    engine = create_engine(
        url.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


@pytest.fixture(scope="session")
def ready(tmp_path_factory) -> Path:
    """An SQLite database in the newest form."""
    path = tmp_path_factory.mktemp("ready") / "ready.sqlite"
    store = Store(str(path))
    store.upgrade()
    store.close()
    return path


def pytest_generate_tests(metafunc) -> None:
    """What holds on any database is tried on both kinds, or in a module that says DATABASES on these."""
    if "database" in metafunc.fixturenames:
        both = ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)]
        kinds = getattr(metafunc.module, "DATABASES", both)
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture
def database(request, tmp_path) -> Iterator[str]:
    """Where an empty database is."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("ready"), tmp_path / "challenge.sqlite")
        yield str(tmp_path / "challenge.sqlite")
        return
    url, name = request.getfixturevalue("cluster"), f"t{secrets.token_hex(6)}"
    _sql(url % "postgres", f"CREATE DATABASE {name} TEMPLATE ready")
    yield url % name
    _sql(url % "postgres", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(database) -> Iterator[Store]:
    made = Store(database)
    yield made
    made.close()


_NUMBER = re.compile(r"(?<![\d.])\d+[.](\d+)(?:[eE]([+-]?\d{1,2})(?!\d))?")
_PACKED = re.compile(rb"[A-Za-z0-9+/_-]{16,}")


def given_away(content: bytes, targets: list[str]) -> set[float]:
    """The targets that bytes hold, in whatever of these forms.

    Decimals, with a point or a comma and an exponent or none, of six digits and more, and of five when there are two of
    them; floats of eight bytes, and of four when there are two of them; and the same in zip, gzip, Parquet, SQLite,
    base64 and hexadecimals.
    """
    values = [float(target) for target in targets]
    result, short = set(), set()
    for part in _unpacked(content, 4):
        output = part.decode("utf-8", "replace")
        for number in _NUMBER.finditer(
            f"{output} {re.sub(r'(?<=[0-9]),(?=[0-9]{5})', '.', output)}"
        ):
            last, read = 0.5001 * 10.0 ** (int(number[2] or 0) - len(number[1])), float(number[0])
            same = {value for value in values if abs(read - value) <= last}
            result |= {value for value in same if value > 2e5 * last}
            short |= {value for value in same if value > 2e4 * last}
        result |= {
            value
            for value in values
            if struct.pack("<d", value) in part or struct.pack(">d", value) in part
        }
        short |= {
            value
            for value in values
            if struct.pack("<f", value) in part or struct.pack(">f", value) in part
        }
    return result | short if len(short) > 1 else result


def _unpacked(content: bytes, depth: int) -> Iterator[bytes]:
    """The bytes, and all that is packed in them."""
    yield content
    if not depth:
        return
    inner = []
    with contextlib.suppress(
        OSError, ValueError, EOFError, zlib.error, sqlite3.Error, pl.exceptions.PolarsError
    ):
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                inner = [
                    archive.comment,
                    *map(archive.read, archive.namelist()),
                    str(archive.infolist()).encode(),
                ]
        elif content.startswith(b"\x1f\x8b"):
            inner = [gzip.decompress(content)]
        elif content.startswith(b"PAR1"):
            inner = [pl.read_parquet(io.BytesIO(content)).write_ndjson().encode()]
        elif content.startswith(b"SQLite format 3"):
            with contextlib.closing(sqlite3.connect(":memory:")) as database:
                database.deserialize(content[:18] + b"\1\1" + content[20:])  # not a log beside it
                inner = ["\n".join(database.iterdump()).encode()]
        else:
            for run in _PACKED.findall(content):
                inner.append(
                    base64.b64decode(
                        run.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(run) % 4)
                    )
                )
                if len(run) % 2 == 0 and re.fullmatch(rb"[0-9a-fA-F]+", run):
                    inner.append(bytes.fromhex(run.decode()))
    for item in inner:
        yield from _unpacked(item, depth - 1)


class Browser(TestClient):
    """A browser, or a program with a token, that looks for hidden targets in whatever it gets."""

    released = False

    def request(self, *arguments, **options):
        answer = super().request(*arguments, **options)
        hidden = HIDDEN["test"] + ([] if self.released else HIDDEN["validation"])
        result = given_away(answer.content, hidden) | given_away(
            str(answer.headers).encode(), hidden
        )
        assert not result, f"{answer.request.method} {answer.url} gives away {len(result)} targets"
        return answer

    def sign_in(self, token: str, name: str | None = None):
        answer = self.post("/login", data={"token": token})
        assert answer.status_code == 200, answer.text
        if name is not None:
            answer = self.fill("/name", name=name)
            assert answer.status_code == 200, answer.text
        return self

    @property
    def key(self) -> str:
        return re.search(r'name="key" value="([0-9a-f]{64})"', self.get("/").text)[1]

    def fill(self, path: str, files=None, **fields):
        return self.post(path, data={"key": self.key, **fields}, files=files)

    def submit(self, payload: bytes, slug: str = "flats"):
        return self.fill(
            f"/c/{slug}/submit", files={"zip": ("mine.zip", payload, "application/zip")}
        )


class Held:
    """A server with a challenge, an organiser and participants."""

    hidden, table, given_away = HIDDEN, TABLE, staticmethod(given_away)

    def __init__(self, store: Store, rules: Rules, folder: Path) -> None:
        self.store, self.rules, self.folder = store, rules, folder
        self.app = self.application(rules)
        with store.writing() as session:
            self.tokens = dict(holding.invite(session, ["Ada", "Ben"]))
            self.boss = holding.first_organiser(session)
            holding.open_challenge(
                session, "flats", TABLE.encode(), {"opens": "now", "title": "Flats & rents"}
            )

    def application(self, rules: Rules) -> Starlette:
        return application(self.store, rules, scoring=False)

    def browser(self, name: str | None = None, address: str = "10.0.0.1") -> Browser:
        made = Browser(self.app, base_url="http://testserver", client=(address, 1234))
        if name is not None:
            made.sign_in(self.boss if name == "organiser" else self.tokens[name])
        return made

    def program(self, name: str = "Ada") -> Browser:
        made = Browser(self.app, base_url="http://testserver")
        made.headers["authorization"] = f"Bearer {self.tokens[name]}"
        return made

    def zipped(self, task: str, **said) -> bytes:
        return zipped(self.folder, task, **said)

    def dates(self, **said) -> None:
        with self.store.writing() as session:
            holding.changed(session, holding.named(session, "flats"), said)

    def settle(self) -> int:
        """Score what waits, and make the boards."""
        count = 0
        while worker.one_job(self.store, self.rules):
            count += 1
        while worker.one_board(self.store):
            pass
        return count


@pytest.fixture
def rules() -> Rules:
    return Rules(upload=1 << 20, requests=100_000)


@pytest.fixture
def held(store, rules, tmp_path) -> Held:
    return Held(store, rules, tmp_path)
