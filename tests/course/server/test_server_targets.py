"""No address of the server gives a hidden target away: whoever asks, in every phase, and in whatever form.

Not even an organiser is shown one: who opens a challenge has its table, and the database has it.
"""

import base64
import contextlib
import gzip
import io
import json
import logging
import sqlite3
import zipfile
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sqlalchemy import func, select
from starlette.responses import Response
from starlette.routing import Route

from benchbook.cli import app
from benchbook_book.course.server import holding
from benchbook_book.course.server.models import Submission
from benchbook_book.course.server.phases import BEFORE, CLOSED, TEST, VALIDATION

DATABASES = ["sqlite"]

DATES = {
    BEFORE: ("2040-01-01", "", ""),
    VALIDATION: ("2020-01-01", "", ""),
    TEST: ("2020-01-01", "2020-01-02", ""),
    CLOSED: ("2020-01-01", "2020-01-02", "2020-01-03"),
}
RELEASED = (TEST, CLOSED)
"""The phases in which the validation targets are out."""
SENT = {
    BEFORE: [],
    VALIDATION: [("Ada", "validation"), ("Ben", "validation"), ("Ada", "test-before")],
    TEST: [("Ada", "test"), ("Ben", "test")],
    CLOSED: [("Cleo", "test"), ("Cleo", "test-before")],
}
QUERIES = ("?part=test&by=CRPS", "?part=validation&by=nMSE")
PARTS = {"slug": ["flats"], "part": ["validation", "test"]}
"""What stands for a part of an address. A route with another part says here what may."""


@pytest.fixture
def played(held):
    """A challenge with a late entrant, Cleo, and somebody who has no name yet."""
    held.rules = replace(held.rules, uploads=10_000, waiting=10_000, logins=10_000)
    held.app = held.application(held.rules)
    with held.store.writing() as session:
        (_, late), (_, nameless) = holding.invite(session, ["Cleo"], 1)
    held.tokens |= {"Cleo": late, "nameless": nameless, "organiser": held.boss}
    return held


def go_on(held, phase):
    """Go on to a phase, in which good and faulty entries are sent and scored."""
    held.dates(**dates(phase))
    for index, (who, task) in enumerate(SENT[phase]):
        sender = held.program(who)
        sender.released = phase in RELEASED
        for sent in (
            held.zipped(task, name=f"{phase}-{index}", shift=index),
            f"PK {phase} {index}".encode(),
        ):
            assert sender.post("/api/challenges/flats/submissions", content=sent).status_code == 202
    held.settle()


def dates(phase):
    return dict(zip(("opens", "switches", "closes"), DATES[phase], strict=True)) | {
        "per_day": "0",
        "in_test": "0",
    }


def visits(held):
    """Everybody who may ask, by cookie and by token; a call of one begins a visit."""
    results = {"nobody": held.browser}
    for name in ("Ada", "Cleo", "nameless", "organiser"):
        results[f"{name}, cookie"] = lambda name=name: held.browser().sign_in(held.tokens[name])
        results[f"{name}, token"] = lambda name=name: held.program(name)
    return results


def addresses(held, method):
    """The routes of the application, and every address of each."""
    with held.store.reading() as session:
        numbers = session.scalars(
            select(func.max(Submission.id)).group_by(Submission.participant_id, Submission.status)
        ).all()
    parts = PARTS | {"number": [*numbers, 0]}
    for route in held.app.routes:
        assert isinstance(route, Route), "nobody walks what is no route: say here how"
        if method in route.methods:
            for values in product(*(parts[name] for name in route.param_convertors)):
                path = route.path_format
                yield route, path.format(**dict(zip(route.param_convertors, values, strict=True)))


def bodies(held, phase, packed, key, number):
    """What is sent: forms with every field that a page has, with a submission and with a table, and a file alone."""
    fields = dates(phase) | {
        "key": key,
        "token": held.boss,
        "name": f"new-{number}",
        "names": f"Guest {number}",
        "count": "1",
        "title": "Flats",
        "about": "",
        "message": "",
    }
    table = held.table.encode()
    return [
        {"data": fields, "files": {"zip": ("mine.zip", packed)}},
        {"data": fields, "files": {"table": ("table.csv", table)}},
        {
            "data": fields | {"renew": "yes", "opens": "soon"},
            "files": {"table": ("table.csv", table[:-9])},
        },
        {"content": packed},
    ]


def walk(held, phase):
    """Ask for everything as everybody; ``Browser`` searches each answer. The routes that gave somebody something."""
    good, packed = set(), held.zipped("test" if phase in RELEASED else "validation")
    for name, visit in visits(held).items():
        with visit() as visitor:
            visitor.released = phase in RELEASED
            for (route, address), query in product(addresses(held, "GET"), QUERIES):
                if visitor.get(address + query, follow_redirects=False).status_code < 300:
                    good.add(("GET", route.path))
        for number, (route, address) in enumerate(addresses(held, "POST")):
            with visit() as visitor:  # a new one each time, for one of the addresses signs out
                visitor.released = phase in RELEASED
                key = visitor.key if "cookie" in name else ""
                for body in bodies(held, phase, packed, key, f"{phase}-{len(name)}-{number}"):
                    if visitor.post(address, **body).status_code < 300:
                        good.add(("POST", route.path))
    return good


def test_no_answer_of_any_address_holds_a_hidden_target_in_any_phase(played, caplog):
    caplog.set_level(logging.DEBUG)
    good = set()
    for phase in DATES:
        go_on(played, phase)
        good |= walk(played, phase)
    every = {
        (method, route.path) for route in played.app.routes for method in route.methods - {"HEAD"}
    }
    assert good == every, (
        "somebody is to be given something by each route: else nothing was searched"
    )
    assert not played.given_away(caplog.text.encode(), played.hidden["test"])


def test_no_export_and_no_backup_holds_a_target_in_any_phase(played, database, tmp_path):
    every, seen = played.hidden["validation"] + played.hidden["test"], []
    for phase in DATES:
        go_on(played, phase)
        for words in (
            ["export", "flats", "--out", str(tmp_path / phase / "results")],
            ["backup", str(tmp_path / phase / "class.zip")],
            ["dates", "flats"],
            ["message", "flats", "Hi"],
        ):
            result = CliRunner().invoke(
                app, ["challenge", "server", *words, "--database", database]
            )
            assert result.exit_code == 0, result.output
            assert not played.given_away(result.output.encode(), every), words
        for path in (tmp_path / phase).rglob("*.*"):
            assert not played.given_away(path.read_bytes(), every), path
            seen.append(path.name)
    assert sorted(set(seen)) == [
        "board.html",
        "class.zip",
        "losses.csv",
        "losses.parquet",
        "submissions.csv",
        "submissions.parquet",
    ]
    played.store.close()
    # The search finds what is there: the database has the table of the organiser.
    assert len(played.given_away(Path(database).read_bytes(), every)) == len(every)


def in_sqlite(values):
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE kept (x REAL)")
        database.executemany("INSERT INTO kept VALUES (?)", [(value,) for value in values])
        database.commit()
        return database.serialize()


def in_zip(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/b.bin", content)
    return packed.getvalue()


def in_parquet(values):
    packed = io.BytesIO()
    pl.DataFrame({"x": [[value] for value in values]}).write_parquet(packed)
    return packed.getvalue()


LEAKS = {
    "one in a text": lambda values: f"the target is {values[3]!r}".encode(),
    "rounded": lambda values: f"<td>{values[0]:.3f}</td>".encode(),
    "two, rounded to five digits": lambda values: (
        f"{values[0] / 1000:.4f}e3 {values[1]:.1f} {values[2]:.2f}".encode()
    ),
    "with an exponent": lambda values: f"{values[0]:.6e}".encode(),
    "a decimal comma": lambda values: f"{values[0]:.5f}".replace(".", ",").encode(),
    "JSON in gzip": lambda values: gzip.compress(json.dumps({"y": values}).encode()),
    "floats in a zip": lambda values: in_zip(np.array(values).tobytes()),
    "floats of four bytes": lambda values: np.array(values, dtype="<f4").tobytes(),
    "floats of eight bytes, the large end first": lambda values: np.array(
        values, dtype=">f8"
    ).tobytes(),
    "Parquet in a zip": lambda values: in_zip(in_parquet(values)),
    "SQLite in gzip": lambda values: gzip.compress(in_sqlite(values)),
    "base64 in a page": lambda values: (
        b'{"bdata": "' + base64.b64encode(np.array(values).tobytes()) + b'"}'
    ),
    "hexadecimals": lambda values: np.array(values).tobytes().hex().encode(),
}


@pytest.mark.parametrize("form", LEAKS)
def test_an_address_that_gives_targets_away_is_found_however_it_writes_them(played, form):
    content = LEAKS[form]([float(value) for value in played.hidden["test"]])

    async def leak(_request):
        return Response(content)

    played.app.routes.insert(0, Route("/c/{slug}/new", leak))
    with pytest.raises(
        AssertionError, match=r"GET http://testserver/c/flats/new\S* gives away \d+ targets"
    ):
        walk(played, VALIDATION)


def test_a_target_in_a_header_is_found(played):
    async def leak(_request):
        return Response(b"", headers={"x-target": played.hidden["test"][0]})

    played.app.routes.insert(0, Route("/new", leak))
    with pytest.raises(AssertionError, match="gives away 1 targets"):
        walk(played, VALIDATION)
