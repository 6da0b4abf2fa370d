"""Leaderboards from the scores that are kept, made again in a worker whenever new ones have come.

A participant has one line for a task: the best entry on the validation cases, and on the test cases the better of the
two that it chose before the losses were told, or else the last: to choose the best of all would be to fit the test.
Late entries stand below, without a rank.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.orm import Session

from benchbook_book.course.challenge import Board, Organiser, Scored, boards
from benchbook_book.course.challenge.asked import portion
from benchbook_book.course.challenge.board_page import picture
from benchbook_book.course.challenge.gradebook import LateEntry, Term, gradebook
from benchbook_book.course.challenge.scoring import CODES, Remark
from benchbook_book.course.server import phases
from benchbook_book.course.server.holding import organiser, people
from benchbook_book.course.server.models import (
    SCORED,
    Challenge,
    Participant,
    Score,
    Stale,
    Standing,
    Submission,
)
from benchbook_book.course.server.store import Store


def as_score(scored: Scored) -> Score:
    """What is kept of the losses on one task; numbers are texts, because a loss may be infinite."""
    cases = io.BytesIO()
    np.savez_compressed(cases, **dict(scored.per_case))  # type: ignore[arg-type]  # its stub takes no dict
    losses = {
        "values": {code: repr(float(value)) for code, value in scored.values.items()},
        "units": dict(scored.units),
        "errors": {code: _text(scored.error(code)) for code in scored.values},
        "gain": [repr(float(number)) for number in scored.gain],
        "share": _text(scored.share),
        "remarks": [list(remark) for remark in scored.remarks],
    }
    return Score(task=scored.task, ranking=scored.ranking, losses=losses, cases=cases.getvalue())


def as_scored(score: Score, submission: Submission, team: str, offers: Organiser) -> Scored:
    """The losses on one task as they were computed."""
    with np.load(io.BytesIO(score.cases), allow_pickle=False) as retained:
        per_case = {code: retained[code] for code in retained.files}
    losses = score.losses
    return Scored(
        submission.name,
        team,
        submission.method,
        submission.exploit,
        score.task,
        offers.key(score.task),
        per_case,
        {code: float(value) for code, value in losses["values"].items()},
        losses["units"],
        (float(losses["gain"][0]), float(losses["gain"][1])),
        None if losses["share"] is None else float(losses["share"]),
        tuple(Remark(*remark) for remark in losses["remarks"]),
    )


def _scores(session: Session, challenge: Challenge, came: ColumnElement[bool]) -> Iterable[Any]:
    """The scores of a challenge with their submissions and teams, in the order in which they came."""
    return session.execute(
        select(Score, Submission, Participant.name)
        .join(Submission, Score.submission_id == Submission.id)
        .join(Participant, Submission.participant_id == Participant.id)
        .where(Submission.challenge_id == challenge.id, Submission.status == SCORED, came)
        .order_by(Submission.received, Submission.id)
    )


def ranked(session: Session, challenge: Challenge) -> tuple[Board, ...]:
    """The boards of a challenge, from the entries that came in time."""
    offers = organiser(challenge)
    chosen: dict[tuple[int, str], Any] = {}
    for row in _scores(session, challenge, Submission.phase != phases.LATE):
        score, submission, _ = row
        key = (submission.participant_id, score.task)
        if key not in chosen or _goes_before(row, chosen[key]):
            chosen[key] = row
    return boards(
        [
            as_scored(score, submission, name or "", offers)
            for score, submission, name in chosen.values()
        ],
        challenge.enforce,
    )


def _goes_before(row: Any, other: Any) -> bool:
    """Whether an entry stands on the board in place of an earlier one of the same participant."""
    (score, submission, _), (other_score, earlier, _) = row, other
    better = _loss(score) < _loss(other_score)
    if portion(score.task) == "validation":
        return better
    if submission.counts != earlier.counts:
        return bool(submission.counts)
    return better if submission.counts else True


def grades(session: Session, challenge: Challenge, terms: Sequence[Term]) -> pl.DataFrame:
    """The gradebook of a challenge, as ``challenge.gradebook`` makes it, from the entries for the test cases."""
    board = next((one for one in ranked(session, challenge) if one.portion == "test"), None)
    tardy = [
        LateEntry(
            entry["team"] or "",
            entry["name"],
            entry["task"],
            {code: float(value) for code, value in entry["losses"].items()},
            {code: None if text is None else float(text) for code, text in entry["errors"].items()},
        )
        for entry in late(session, challenge)
    ]
    return gradebook(board, people(session), terms, tardy)


def late(session: Session, challenge: Challenge) -> list[dict[str, Any]]:
    """The entries that came after the end: team, name, task, when, and the losses with their standard errors."""
    return [
        {
            "team": name,
            "name": row.name,
            "task": score.task,
            "received": row.received,
            "losses": score.losses["values"],
            "errors": score.losses["errors"],
        }
        for score, row, name in _scores(session, challenge, Submission.phase == phases.LATE)
    ]


def leaders(session: Session, challenge: Challenge, part: str) -> list[dict[str, Any]]:
    """Who led when: every entry in time that was better than all before it by the loss that ranks."""
    best, entries = math.inf, []
    for score, submission, name in _scores(session, challenge, Submission.phase != phases.LATE):
        refused = challenge.enforce and any(remark[2] for remark in score.losses["remarks"])
        if portion(score.task) == part and not refused and _loss(score) < best:
            best = _loss(score)
            entries.append(
                {
                    "when": submission.received,
                    "team": name,
                    "name": submission.name,
                    "loss": best,
                    "code": score.ranking,
                }
            )
    return entries


def refresh(store: Store, number: int) -> None:
    """Make the boards of a challenge again; what comes meanwhile makes them stale once more."""
    with store.reading() as session:
        since = session.scalar(select(Stale.since).where(Stale.challenge_id == number))
        challenge = session.get_one(Challenge, number)
        made = ranked(session, challenge)
    rows = [
        Standing(
            challenge_id=number,
            portion=board.portion,
            board=plain(board.as_data()),
            picture=picture(board),
            made=time.time(),
        )
        for board in made
    ]
    with store.writing() as session:
        session.execute(delete(Stale).where(Stale.challenge_id == number, Stale.since == since))
        session.execute(delete(Standing).where(Standing.challenge_id == number))
        session.add_all(rows)


def sorted_lines(board: dict[str, Any], code: str) -> list[dict[str, Any]]:
    """The lines of a board by another of its losses, with the ranks that it gives."""
    lines = [line for line in board["lines"] if not line["refused"] and code in line["losses"]]
    lines.sort(key=lambda line: float(line["losses"][code]))
    held_out = [float(line["losses"][code]) for line in lines if not line["baseline"]]
    return [
        {
            **line,
            "rank": None if line["baseline"] else held_out.index(float(line["losses"][code])) + 1,
        }
        for line in lines
    ] + [line for line in board["lines"] if line["refused"]]


def codes(board: dict[str, Any]) -> list[str]:
    """The losses of a board, the one that ranks first."""
    known = {code for line in board["lines"] for code in line["losses"]}
    return [
        code
        for code in dict.fromkeys((board["ranking_loss"], *CODES[board["kind"]], *sorted(known)))
        if code in known
    ]


def plain(data: object) -> Any:
    """Plain values for JSON, in which a number that is not finite is a text."""
    if isinstance(data, dict):
        return {str(key): plain(value) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [plain(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return repr(data)
    return data


def _loss(score: Score) -> float:
    return float(score.losses["values"][score.ranking])


def _text(value: float | None) -> str | None:
    return None if value is None else repr(float(value))
