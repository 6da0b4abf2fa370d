"""All of a challenge as files for others: submissions, losses and boards, and nothing from which a target follows."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import polars as pl
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchbook.challenge.board_page import page
from benchbook.challenge.findings import as_csv
from benchbook.files import atomic
from benchbook.server import standings, views
from benchbook.server.models import SCORED, Challenge, Participant, Score, Submission
from benchbook.server.phases import readable

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
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in export(session, challenge).items():
            archive.writestr(f"{challenge.slug}/{name}", content)
    return packed.getvalue()


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
