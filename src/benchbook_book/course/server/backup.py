"""Backups while the server runs, and restoring them into an empty database of either kind; and all of a challenge as
files for others: submissions, losses and boards, and nothing from which a target follows.

A backup is a zip: challenges, participants with the hashes of their tokens, and submissions as they were sent. The
hidden targets are not in it, and neither are losses, from which they would follow; so a backup may lie anywhere. To
restore it takes the tables of targets, which the organiser has, and whatever was scored is scored again.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
from sqlalchemy import func, inspect, select, text
from sqlalchemy.orm import Session

from benchbook.errors import BenchbookError, Fault, FaultyInput
from benchbook.files import atomic, zipped
from benchbook_book.course.challenge.board_page import page
from benchbook_book.course.challenge.findings import as_csv
from benchbook_book.course.server import standings, views
from benchbook_book.course.server.holding import plain_table
from benchbook_book.course.server.models import (
    QUEUED,
    RUNNING,
    SCORED,
    Challenge,
    LogLine,
    Member,
    Participant,
    Score,
    Submission,
)
from benchbook_book.course.server.phases import readable
from benchbook_book.course.server.store import Store

_SENT = {
    "number": pl.Int64,
    "team": pl.String,
    "name": pl.String,
    "received": pl.String,
    "phase": pl.String,
    "status": pl.String,
    "bytes": pl.Int64,
    "sha256": pl.String,
    "faults": pl.Int64,
    "method": pl.String,
}
_LOSSES = {
    "number": pl.Int64,
    "team": pl.String,
    "name": pl.String,
    "phase": pl.String,
    "task": pl.String,
    "loss": pl.String,
    "value": pl.Float64,
    "standard_error": pl.Float64,
    "unit": pl.String,
}


def export(session: Session, challenge: Challenge) -> dict[str, bytes]:
    """The files of an export by name: submissions and losses as CSV and Parquet, and the boards as one page.

    Texts are as they were sent in Parquet; in CSV none is a formula.
    """
    files = {}
    for name, frame in (
        ("submissions", _sent(session, challenge)),
        ("losses", _losses(session, challenge)),
    ):
        files[f"{name}.csv"] = as_csv(frame).encode()
        packed = io.BytesIO()
        frame.write_parquet(packed)
        files[f"{name}.parquet"] = packed.getvalue()
    files["board.html"] = page(standings.ranked(session, challenge), challenge.title).encode()
    return files


def export_zip(session: Session, challenge: Challenge) -> bytes:
    """The same as one zip."""
    files = export(session, challenge)
    return zipped({f"{challenge.slug}/{name}": content for name, content in files.items()})


def export_folder(session: Session, challenge: Challenge, folder: Path) -> list[Path]:
    """The same in a folder; the paths."""
    written = []
    for name, content in export(session, challenge).items():
        with atomic(folder / name) as scratch:
            scratch.write_bytes(content)
        written.append(folder / name)
    return written


def _sent(session: Session, challenge: Challenge) -> pl.DataFrame:
    rows = session.execute(
        select(Submission, Participant.name)
        .join(Participant, Submission.participant_id == Participant.id)
        .where(Submission.challenge_id == challenge.id)
        .order_by(Submission.id)
    )
    return pl.DataFrame(
        [
            {
                "number": row.id,
                "team": team,
                "name": row.name,
                "received": readable(row.received),
                "phase": row.phase,
                "status": row.status,
                "bytes": row.size,
                "sha256": row.digest,
                "faults": (row.faults or {}).get("faults", 0),
                "method": row.method,
            }
            for row, team in rows
        ],
        schema=_SENT,
    )


def _losses(session: Session, challenge: Challenge) -> pl.DataFrame:
    rows = session.execute(
        select(Score, Submission, Participant.name)
        .join(Submission, Score.submission_id == Submission.id)
        .join(Participant, Submission.participant_id == Participant.id)
        .where(Submission.challenge_id == challenge.id, Submission.status == SCORED)
        .order_by(Submission.id, Score.task)
    )
    return pl.DataFrame(
        [
            {
                "number": row.id,
                "team": team,
                "name": row.name,
                "phase": row.phase,
                "task": score.task,
                "loss": code,
                "value": float(value),
                "standard_error": views.number(score.losses["errors"].get(code)),
                "unit": score.losses["units"][code],
            }
            for score, row, team in rows
            for code, value in score.losses["values"].items()
        ],
        schema=_LOSSES,
    )


FORMAT = "benchbook.backup/1"
_PARTS: dict[str, Any] = {
    "challenges": Challenge,
    "participants": Participant,
    "members": Member,
    "submissions": Submission,
    "log": LogLine,
}
_LEFT_OUT = {"targets", "payload", "claim"}


def backup(store: Store, path: str | Path) -> int:
    """Write a backup of one moment; how many submissions are in it.

    Raises:
        BenchbookError: it cannot be written.
    """
    count = 0
    with (
        store.reading() as session,
        atomic(path, mode=0o600) as scratch,
        zipfile.ZipFile(scratch, "w") as archive,
    ):
        texts: dict[str, Any] = {"format": FORMAT}
        for part, model in _PARTS.items():
            texts[part] = [
                _row(scalar) for scalar in session.scalars(select(model).order_by(model.id))
            ]
        for row, targets in zip(
            texts["challenges"],
            session.scalars(select(Challenge.targets).order_by(Challenge.id)),
            strict=True,
        ):
            row["targets_sha256"] = _digest(targets)
        for row in texts["submissions"]:
            payload = session.scalar(select(Submission.payload).where(Submission.id == row["id"]))
            if payload is not None:
                archive.writestr(f"sent/{row['id']}.zip", payload)
                count += 1
        archive.writestr("server.json", json.dumps(texts, indent=1))
    return count


def restore(store: Store, path: str | Path, tables: Iterable[str | Path]) -> int:
    """Fill an empty database from a backup; how many submissions wait to be scored again.

    Args:
        store: with nothing in it. path: the backup. tables: the files of targets, in any order.

    Raises:
        FaultyInput: challenges whose table is not among those given. BenchbookError: the database is not empty, or the
            file is no backup.
    """
    texts = {_digest(targets): targets for targets in map(_read, tables)}
    try:
        with zipfile.ZipFile(path) as archive, store.writing() as session:
            reply = json.loads(archive.read("server.json"))
            if reply.get("format") != FORMAT:
                raise BenchbookError(
                    f"{path} is no backup of this version: found {str(reply.get('format'))[:80]!r}"
                )
            if any(
                session.scalar(select(func.count()).select_from(model)) for model in _PARTS.values()
            ):
                raise BenchbookError("the database is not empty; name a new one with --database")
            missing = [
                Fault(
                    row["slug"],
                    "no table",
                    "needs the file of targets it was opened with; give it with --targets",
                )
                for row in reply["challenges"]
                if row["targets_sha256"] not in texts
            ]
            if missing:
                raise FaultyInput(f"restoring {path}", missing)
            return _fill(session, reply, texts, archive)
    except (
        OSError,
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
    ) as error:
        raise BenchbookError(f"{path} is no backup that can be read: {error}") from error


def _fill(
    session: Session, said: dict[str, Any], texts: dict[str, str], archive: zipfile.ZipFile
) -> int:
    waiting, retained = 0, set(archive.namelist())
    for row in said["challenges"]:
        session.add(Challenge(targets=texts[row.pop("targets_sha256")], **row))
    session.add_all(Participant(**row) for row in said["participants"])
    session.flush()
    session.add_all(Member(**row) for row in said.get("members", ()))
    for row in said["submissions"]:
        if (name := f"sent/{row['id']}.zip") in retained:
            row["payload"] = archive.read(name)
            if row["status"] in (SCORED, RUNNING, QUEUED):
                row["status"], row["faults"] = QUEUED, {}
                waiting += 1
        session.add(Submission(**row))
        session.flush()
    session.add_all(LogLine(**row) for row in said.get("log", ()))
    session.flush()
    if session.get_bind().dialect.name == "postgresql":
        for model in _PARTS.values():
            name = model.__tablename__
            session.execute(
                text(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "
                    f"GREATEST((SELECT MAX(id) FROM {name}), 1))"
                )
            )
    return waiting


def _row(one: object) -> dict[str, Any]:
    return {
        column.key: getattr(one, column.key)
        for column in inspect(type(one)).columns
        if column.key not in _LEFT_OUT
    }


def _read(path: str | Path) -> str:
    try:
        return plain_table(Path(path).read_bytes())
    except OSError as error:
        raise BenchbookError(f"the targets in {path} cannot be read: {error.strerror}") from error


def _digest(targets: str) -> str:
    return hashlib.sha256(targets.encode()).hexdigest()
