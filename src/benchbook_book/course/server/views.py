"""What pages and API show, as plain values. Nothing of a hidden target is in them, nor the loss of a single case."""

from __future__ import annotations

import io
import math
import tempfile
import threading
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from benchbook.files import zipped
from benchbook_book.course.challenge.board_page import with_error
from benchbook_book.course.challenge.export import write_entrants
from benchbook_book.course.server import intake, phases, standings
from benchbook_book.course.server.holding import as_table
from benchbook_book.course.server.models import (
    SCORED,
    Challenge,
    LogLine,
    Participant,
    Score,
    Standing,
    Submission,
)
from benchbook_book.course.server.phases import readable


def challenge_view(challenge: Challenge) -> dict[str, Any]:
    """A challenge: its texts, phase, dates and limits."""
    now = phases.phase(challenge)
    return {
        "name": challenge.slug,
        "title": challenge.title,
        "about": challenge.about,
        "message": challenge.message,
        "phase": now,
        "opens": readable(challenge.opens),
        "switches": readable(challenge.switches),
        "closes": readable(challenge.closes),
        "per_day": challenge.per_day,
        "in_test": challenge.in_test,
        "enforce": challenge.enforce,
    }


def tasks_view(challenge: Challenge) -> list[dict[str, Any]]:
    """The tasks that may be entered now, with the cases they ask for."""
    offers = phases.offered(as_table(challenge.targets).organiser(), phases.phase(challenge))
    return [
        {"task": task, "kind": offers.kind(task), "cases": offers[task].cases} for task in offers
    ]


def data_zip(challenge: Challenge) -> bytes:
    """What entrants get now, as a zip; the validation targets are in it once they are out.

    Raises:
        Refused: the challenge is not open.
    """
    now = phases.phase(challenge)
    if now == phases.BEFORE:
        raise intake.Refused(
            f"{challenge.title} is not open yet; it opens {readable(challenge.opens)}", 409
        )
    with (
        _PACKING
    ):  # so that a class that asks at once waits for one zip, and does not make it thirty times
        return _packed(challenge.slug, challenge.targets, now != phases.VALIDATION)


def cases_csv(challenge: Challenge) -> bytes:
    """The table of the challenge with hidden targets left empty; errors as for ``data_zip``."""
    with zipfile.ZipFile(io.BytesIO(data_zip(challenge))) as packed:
        return packed.read(f"{challenge.slug}/cases.csv")


_PACKING = threading.Lock()
_SMALL = "case,phase,target,x\na,training,1,1\nb,training,2,2\nc,validation,1,1\nd,test,1,1\n"


def warm() -> None:
    """Load what the first participant would wait for."""
    with _PACKING:
        _packed("small", _SMALL, False)


@lru_cache(maxsize=16)
def _packed(slug: str, targets: str, released: bool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        write_entrants(as_table(targets), Path(folder), released=released)
        paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return zipped(
            {f"{slug}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
        )


def submission_view(
    session: Session, one: Submission, now: str, full: bool = True
) -> dict[str, Any]:
    """A submission, its faults, and those of its losses that are told in this phase.

    Args:
        one: the submission. now: the phase. full: with its faults and losses.
    """
    view: dict[str, Any] = {
        "number": one.id,
        "status": one.status,
        "phase": one.phase,
        "name": one.name,
        "received": readable(one.received),
        "bytes": one.size,
        "note": one.note,
        "chosen": one.counts,
    }
    if not full:
        return view
    faults = one.faults or {}
    view |= {
        "faults": faults.get("faults", 0),
        "counts": faults.get("counts", {}),
        "shown": faults.get("shown", []),
        "remarks": faults.get("remarks", []),
        "tasks": [],
    }
    if one.status == SCORED:
        for score in session.scalars(
            select(Score).where(Score.submission_id == one.id).order_by(Score.task)
        ):
            shown = phases.losses_shown(now, score.task)
            view["tasks"].append(_task(score) if shown else {"task": score.task, "told": False})
    return view


def submissions_view(
    session: Session, participant: Participant, challenge: Challenge, full: bool = False
) -> list[dict[str, Any]]:
    """The submissions of a participant to a challenge, the newest first."""
    now = phases.phase(challenge)
    rows = session.scalars(
        select(Submission)
        .where(Submission.participant_id == participant.id, Submission.challenge_id == challenge.id)
        .options(undefer(Submission.faults))
        .order_by(Submission.id.desc())
        .limit(200)
    )
    return [submission_view(session, row, now, full) for row in rows]


def board_view(
    session: Session, challenge: Challenge, part: str, by: str = ""
) -> dict[str, Any] | None:
    """A board with its lines by a loss, the history of its leader, and the late entries; None when it is not told.

    Args:
        part: validation or test. by: the code of the loss; that which ranks when left out or not known.
    """
    now = phases.phase(challenge)
    if not phases.losses_shown(now, f"/{part}") or part not in ("validation", "test"):
        return None
    standing = session.get(Standing, (challenge.id, part))
    board: dict[str, Any] = {"lines": [], "units": {}, "ranking_loss": "", "kind": "real"}
    if standing is not None:
        board = standing.board
    codes = standings.codes(board)
    by = by if by in codes else board["ranking_loss"]
    retained = standings.late(session, challenge) if part == "test" else []
    return {
        "challenge": challenge.slug,
        "portion": part,
        "by": by,
        "ranking_loss": board["ranking_loss"],
        "codes": codes,
        "units": board["units"],
        "cases": board.get("cases", 0),
        "lines": [_line(line) for line in (standings.sorted_lines(board, by) if codes else [])],
        "leaders": [
            {**leader, "when": readable(leader["when"]), "loss": shown(leader["loss"])}
            for leader in standings.leaders(session, challenge, part)
        ],
        "late": [
            {
                **{key: item[key] for key in ("team", "name", "task")},
                "received": readable(item["received"]),
                "losses": {
                    code: shown(value, item["errors"].get(code))
                    for code, value in item["losses"].items()
                },
            }
            for item in retained
        ],
        "log": log_view(session, challenge),
    }


def log_view(session: Session, challenge: Challenge) -> list[dict[str, str]]:
    """What the organiser did to participants and entries, the newest first."""
    rows = session.scalars(
        select(LogLine)
        .where(LogLine.challenge_id == challenge.id)
        .order_by(LogLine.id.desc())
        .limit(200)
    )
    return [{"when": readable(line.at), "text": line.text} for line in rows]


def entries_view(session: Session, challenge: Challenge) -> list[dict[str, Any]]:
    """The submissions to a challenge as its organiser sees them, the newest first."""
    rows = session.execute(
        select(Submission, Participant.name)
        .join(Participant, Submission.participant_id == Participant.id)
        .where(Submission.challenge_id == challenge.id)
        .order_by(Submission.id.desc())
        .limit(500)
    )
    now = phases.phase(challenge)
    return [{"team": team, **submission_view(session, row, now, False)} for row, team in rows]


def methods_view(session: Session, challenge: Challenge) -> list[dict[str, Any]]:
    """What the senders say of their methods, for the last entry of each name."""
    rows = session.execute(
        select(Participant.name, Submission.name, Submission.method, Submission.exploit)
        .join(Participant, Submission.participant_id == Participant.id)
        .where(Submission.challenge_id == challenge.id, Submission.status == SCORED)
        .order_by(Submission.id)
    )
    last = {
        (team, name): {"team": team, "name": name, "method": method, "exploit": exploit}
        for team, name, method, exploit in rows
    }
    return [last[key] for key in sorted(last)]


def shown(value: float | str, error: float | str | None = None) -> str:
    """A loss as the board has it, from a number or its text."""
    return with_error(float(value), None if error is None else float(error))


def _task(score: Score) -> dict[str, Any]:
    losses = score.losses
    gain, error = (float(number) for number in losses["gain"])
    return {
        "task": score.task,
        "told": True,
        "ranking": score.ranking,
        "units": losses["units"],
        "losses": {
            code: shown(value, losses["errors"].get(code))
            for code, value in losses["values"].items()
        },
        "gain": shown(gain, error) if math.isfinite(gain) else shown(gain),
        "remarks": [remark[1] for remark in losses["remarks"]],
    }


def _line(line: dict[str, Any]) -> dict[str, Any]:
    marks = [
        word
        for word, holds in (("exploit", line["exploit"]), ("refused", line["refused"]))
        if holds
    ]
    gain = "" if line["baseline"] else shown(line["gain"], line["gain_standard_error"])
    return {
        "rank": line["rank"],
        "name": line["name"],
        "team": line["team"],
        "before": line["before"],
        "baseline": line["baseline"],
        "refused": bool(line["refused"]),
        "marks": marks,
        "gain": gain,
        "losses": {
            code: shown(value, line["standard_errors"].get(code))
            for code, value in line["losses"].items()
        },
        "ranges": line.get("ranges", {}),
        "remarks": [] if line["baseline"] else line["remarks"],
    }


def number(text: str | None) -> float | None:
    """A number that was kept as a text."""
    return None if text is None else float(text)
