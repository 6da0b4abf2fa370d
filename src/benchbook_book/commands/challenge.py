"""``benchbook challenge``: what a challenge asks, submissions checked and scored, and the leaderboard."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument, json_option, seed_range, show, table
from benchbook.errors import BenchbookError, Fault, FaultyInput, UnknownName
from benchbook.files import atomic, ensure_writable
from benchbook.words import listed
from benchbook_book.commands import challenge_participants  # noqa: F401  # adds commands to ``server``
from benchbook_book.commands.challenge_server import serve, server, submit
from benchbook_book.commands.grades import points_options, write_grades
from benchbook_book.course.challenge import boards, book_organiser, from_files
from benchbook_book.course.challenge import check as check_submission
from benchbook_book.course.challenge import score as score_entries
from benchbook_book.course.challenge.board import BEFORE
from benchbook_book.course.challenge.board_page import RULE, page, with_error
from benchbook_book.course.challenge.client import pack
from benchbook_book.course.challenge.example import make
from benchbook_book.course.challenge.export import export as write_cases
from benchbook_book.course.challenge.findings import as_csv
from benchbook_book.course.challenge.gradebook import gradebook as make_gradebook
from benchbook_book.course.challenge.gradebook import only_test_board, read_points
from benchbook_book.course.challenge.scoring import RANKING, baseline, cases
from benchbook_book.course.challenge.scoring import table as as_table
from benchbook_book.course.challenge.targets import read_table
from benchbook_book.course.challenge.writing import enter as run_method

if TYPE_CHECKING:
    from benchbook_book.course.challenge import Board, Organiser, Scored, Submission

_targets = click.option(
    "--targets",
    multiple=True,
    metavar="FILE",
    type=PathArgument(dir_okay=False),
    help="A file of hidden targets of your own data; may be repeated. Its tasks join the book's.",
)
_most = click.option(
    "--most",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many faults of each file to print; the total is always told.",
)
_enforce = click.option(
    "--enforce",
    is_flag=True,
    help="Refuse entries with spikes below the targets' resolution, and declared exploits.",
)


@click.group()
def challenge() -> None:
    """Enter a challenge with hidden targets, or hold one: check, score and rank submissions."""


for _command in (serve, submit, server):
    challenge.add_command(_command)


@challenge.command(name="tasks")
@_targets
@json_option
def tasks_(targets: tuple[str, ...], as_json: bool) -> None:
    """List what can be entered: every task with its kind, the cases it asks for, and the loss that ranks."""
    organiser = _organiser(targets)
    rows = [
        {
            "task": name,
            "kind": organiser.kind(name),
            "cases": organiser[name].cases,
            "ranked by": RANKING[organiser.kind(name)],
        }
        for name in organiser
    ]
    show(as_json, rows, lambda: table(rows))


@challenge.command()
@click.argument("folder", type=PathArgument(file_okay=False))
def example(folder: str) -> None:
    """Write a small made-up challenge into FOLDER to try things on: targets, submissions, and a broken one."""
    make(folder)
    click.echo(
        f"wrote {folder}; try: benchbook challenge board {folder}/sent --targets {folder}/targets.csv"
    )


@challenge.command()
@click.argument("name")
@click.option(
    "--out", required=True, type=PathArgument(file_okay=False), help="The folder for the entrants."
)
@click.option(
    "--released", is_flag=True, help="The validation targets are out: give them to the entrants."
)
@click.option(
    "--key",
    type=PathArgument(dir_okay=False),
    help="Where to keep all targets. Default: beside the folder, FOLDER-targets.csv.",
)
@click.option(
    "--targets",
    metavar="FILE",
    type=PathArgument(dir_okay=False),
    help="A file of hidden targets of your own data, with inputs behind them; NAME is what it calls itself.",
)
def export(name: str, out: str, released: bool, key: str | None, targets: str | None) -> None:
    """Write the cases of a challenge for its entrants, without the hidden targets, which go to a file beside.

    NAME is a prototask, for example concrete/challenge. One without phases is dealt out here: half of its cases are for
    training, a quarter for validation, a quarter for the test.
    """
    name, table = name.rstrip("/"), None
    if targets is not None:
        table = read_table(targets)
        if table.name != name:
            raise BenchbookError(f"{targets} calls itself {table.name}, not {name}")
        key = targets if key is None else key
    for index in write_cases(name, out, released=released, key=key, table=table):
        click.echo(index)


@challenge.command()
@click.argument("method")
@click.option(
    "--tasks",
    "-t",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Tasks with phases, for example 'concrete/challenge/*'. May be repeated. Default: all of --targets.",
)
@_targets
@click.option(
    "--out",
    required=True,
    type=PathArgument(),
    help="The folder of the submission; a name that ends with .zip makes a zip, as a server's page takes it.",
)
@click.option("--team", default="benchbook", show_default=True, help="Who sends it.")
@click.option(
    "--seed", type=seed_range, default=1, show_default=True, help="The seed of the method."
)
@click.option(
    "--form",
    type=click.Choice(["txt", "csv", "parquet"]),
    default="txt",
    show_default=True,
    help="The form of the prediction files.",
)
@click.option("--exploit", is_flag=True, help="Say in the manifest that the entry games a loss.")
def enter(
    method: str,
    patterns: tuple[str, ...],
    targets: tuple[str, ...],
    out: str,
    team: str,
    seed: int,
    form: Any,
    exploit: bool,
) -> None:
    """Run METHOD, a registered one or path/to/mine.py:name, on tasks, and write a submission.

    For a challenge on data of its own, give the cases.csv that its organiser gave you with --targets.
    """
    organiser = _organiser(targets)
    names = _matching(patterns, organiser) if patterns else [*from_files(targets)]
    packed = Path(out).suffix == ".zip"
    ensure_writable(Path(out).parent if packed else out)
    with tempfile.TemporaryDirectory() as scratch:
        manifest = run_method(
            method,
            names,
            organiser,
            scratch if packed else out,
            team=team,
            seed=seed,
            form=form,
            exploit=exploit,
        )
        if packed:
            with atomic(out) as whole:
                whole.write_bytes(pack(Path(scratch)))
    click.echo(out if packed else manifest)


@challenge.command()
@click.argument("path", type=PathArgument())
@_targets
@_most
@json_option
def check(path: str, targets: tuple[str, ...], most: int, as_json: bool) -> None:
    """Check the submission at PATH, a folder or a zip: every fault of every file at once.

    Nothing in it is executed or unpacked. Exit code 1 when it is faulty.
    """
    _, report = check_submission(path, _organiser(targets))
    show(as_json, report.as_data(), lambda: click.echo("\n".join(report.lines(most))))
    if not report.good:
        raise click.exceptions.Exit(1)


@challenge.command()
@click.argument("path", type=PathArgument())
@_targets
@click.option(
    "--out",
    type=PathArgument(dir_okay=False),
    help="Also write the loss of every case, to a file ending with .csv or .parquet.",
)
@_enforce
@json_option
def score(
    path: str, targets: tuple[str, ...], out: str | None, enforce: bool, as_json: bool
) -> None:
    """Score the submission at PATH: all losses of its tasks beside the baseline's, and the information gained.

    Exit code 1 when it is faulty, or is refused under --enforce.
    """
    if out is not None and Path(out).suffix not in (".csv", ".parquet"):
        raise BenchbookError(f"--out writes .csv or .parquet; found {out}")
    if out is not None:
        ensure_writable(Path(out).parent)
    organiser = _organiser(targets)
    submission = _passed(path, organiser)
    if submission is None:
        raise click.exceptions.Exit(1)
    scored = score_entries(submission, organiser)
    show(
        as_json,
        {
            "name": submission.name,
            "team": submission.team,
            "losses": as_table(scored).to_dicts(),
            "remarks": [
                {
                    "task": item.task,
                    "kind": remark.kind,
                    "text": remark.text,
                    "refuses": remark.refuses,
                }
                for item in scored
                for remark in item.remarks
            ],
        },
        lambda: _print_scores(scored),
    )
    if out is not None:
        with atomic(out) as scratch:
            frame = cases(scored)
            if out.endswith(".csv"):
                scratch.write_text(as_csv(frame), encoding="utf-8")
            else:
                frame.write_parquet(scratch)
    if enforce and any(item.refused for item in scored):
        click.echo(
            "refused: the remarks above break the rules of this challenge (--enforce)", err=True
        )
        raise click.exceptions.Exit(1)


@challenge.command()
@click.argument("paths", nargs=-1, required=True, type=PathArgument())
@_targets
@click.option(
    "--out", type=PathArgument(dir_okay=False), help="Also write the leaderboard as one HTML page."
)
@click.option(
    "--loss", metavar="CODE", help="The loss that ranks. Default: NLPD, and NLP10 for classes."
)
@click.option("--title", default="Leaderboard", show_default=True, help="The title of the page.")
@_enforce
@json_option
def board(
    paths: tuple[str, ...],
    targets: tuple[str, ...],
    out: str | None,
    loss: str | None,
    title: str,
    enforce: bool,
    as_json: bool,
) -> None:
    """Rank the submissions at PATHS: folders, zips, or folders that hold submissions.

    Faulty ones are named and left out; then the exit code is 1. Those of one name and team stand beside one another,
    each with its path.
    """
    organiser = _organiser(targets)
    if out is not None:
        ensure_writable(Path(out).parent)
    reports = {path: _passed(path, organiser, brief=True) for path in _submissions(paths)}
    standing = _told_apart({path: item for path, item in reports.items() if item is not None})
    ranked = boards(
        [entry for submission in standing for entry in score_entries(submission, organiser)],
        enforce,
        loss,
    )
    show(as_json, [each.as_data() for each in ranked], lambda: _print_boards(ranked))
    if out is not None:
        with atomic(out) as scratch:
            scratch.write_text(page(ranked, title), encoding="utf-8")
    if len(standing) < len(reports):
        raise click.exceptions.Exit(1)


@challenge.command()
@click.argument("paths", nargs=-1, required=True, type=PathArgument())
@_targets
@points_options
@_enforce
def gradebook(
    paths: tuple[str, ...],
    targets: tuple[str, ...],
    out: str,
    points: str,
    form: str,
    enforce: bool,
) -> None:
    """Write a gradebook of the submissions at PATHS for the test cases of one challenge: a line for each team.

    Each team has one entry for a task; the paths of several are named. Faulty ones are named and left out; then the
    exit code is 1.
    """
    terms, organiser = read_points(points), _organiser(targets)
    reports = {path: _passed(path, organiser, brief=True) for path in _submissions(paths)}
    standing = _one_each({path: item for path, item in reports.items() if item is not None})
    ranked = boards(
        [entry for submission in standing for entry in score_entries(submission, organiser)],
        enforce,
    )
    board = only_test_board(ranked)
    teams = sorted({submission.team for submission in standing})
    write_grades(
        make_gradebook(board, dict(zip(teams, teams, strict=True)), terms), out, form, board.name
    )
    if len(standing) < len(reports):
        raise click.exceptions.Exit(1)


def _told_apart(submissions: Mapping[str, Submission]) -> list[Submission]:
    """The submissions; those of one name and team that share a task have their paths behind their names, and that is
    said."""
    told = dict(submissions)
    for (path, item), (other, second) in combinations(submissions.items(), 2):
        tasks = {entry.task for entry in item.entries} & {entry.task for entry in second.entries}
        if (item.name, item.team) == (second.name, second.team) and tasks:
            team = f" of team {item.team}" if item.team else ""
            text = f"two entries {item.name}{team}: {path} and {other}; both stand on the board, with their paths"
            click.echo(text, err=True)
            told[path] = replace(item, name=f"{item.name} ({path})")
            told[other] = replace(second, name=f"{second.name} ({other})")
    return list(told.values())


def _one_each(submissions: Mapping[str, Submission]) -> list[Submission]:
    """The submissions.

    Raises:
        FaultyInput: a team has several for one task; their paths.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for path, item in submissions.items():
        for entry in item.entries:
            found.setdefault((item.team, entry.task), []).append(path)
    faults = [
        Fault(task, f"{len(several)} entries of team {team}: {listed(several)}", _LEAVE_OUT)
        for (team, task), several in found.items()
        if len(several) > 1
    ]
    if faults:
        raise FaultyInput("gradebook", faults)
    return list(submissions.values())


_LEAVE_OUT = "must be one; leave the others out of PATHS"


def _organiser(targets: Sequence[str]) -> Organiser:
    return book_organiser() | from_files(targets)


def _matching(patterns: Sequence[str], organiser: Organiser) -> list[str]:
    """The tasks that patterns stand for; a name without the phase stands for its three tasks."""
    names = []
    for pattern in patterns:
        chosen = [
            name
            for name in organiser
            if any(fnmatchcase(text, pattern) for text in (name, name.rpartition("/")[0]))
        ]
        if not chosen:
            raise UnknownName("task", pattern, organiser)
        names += chosen
    return list(dict.fromkeys(names))


def _submissions(paths: Sequence[str]) -> list[str]:
    """The submissions at paths; a folder without a manifest stands for the folders and zips in it."""
    files = []
    for path in paths:
        folder = Path(path)
        inner = (
            sorted(folder.iterdir())
            if folder.is_dir() and not (folder / "manifest.toml").exists()
            else []
        )
        below = [str(each) for each in inner if each.is_dir() or each.suffix.lower() == ".zip"]
        files += below or [path]
    return files


def _passed(path: str, organiser: Organiser, brief: bool = False) -> Submission | None:
    """The submission at a path; None, after its faults were printed, when it has some."""
    submission, report = check_submission(path, organiser)
    if submission is None:
        click.echo("\n".join(report.lines(3 if brief else 20)), err=True)
    return submission


def _print_scores(scored: Sequence[Scored]) -> None:
    for item in scored:
        base = baseline(item.key)
        click.echo(f"\n{item.task}, {len(item.key.targets)} cases")
        table(
            [
                {
                    "loss": code,
                    "entry": with_error(value, item.error(code)),
                    "baseline": with_error(base.values[code], base.error(code)),
                    "unit": item.units[code],
                }
                for code, value in item.values.items()
            ]
        )
        click.echo(_gain(item))
        for code in item.values:
            if code.startswith("NLPD@"):
                click.echo(
                    f"{code} is NLPD with the mean density of the target's whole cell of width "
                    f"{code.removeprefix('NLPD@')}, in which densities finer than the targets gain nothing."
                )
        for remark in item.remarks:
            click.echo(f"remark: {remark.text}")
    click.echo("\nSmaller losses are better. ± is one standard error over the cases.")


def _gain(one: Scored) -> str:
    """What an entry gains over the baseline, in a line; an infinite loss gains nothing that a number could say."""
    if not math.isfinite(one.gain[0]):
        return f"no gain over the baseline: {one.ranking} is infinite, as a target was given probability 0"
    share = "" if one.share is None else f", {one.share:.1%} of the baseline's loss"
    return f"gain over the baseline: {with_error(*one.gain)} {one.units[one.ranking]}{share}"


def _print_boards(ranked: Sequence[Board]) -> None:
    for each in ranked:
        click.echo(f"\n{each.title}, ranked by {each.ranking}")
        table(
            [
                {"rank": line.rank, "entry": line.label, "team": line.scored.team}
                | {
                    code: with_error(line.scored.values[code], None)
                    + (f" ({line.ranges[code]})" if line.ranges.get(code) else "")
                    for code in each.codes
                }
                | {
                    "gain": "" if line.baseline else with_error(*line.scored.gain),
                    "marks": ", ".join(line.marks),
                }
                for line in each.lines
            ]
        )
    click.echo(f"\n{BEFORE} marks entries made before the validation targets were out.\n{RULE}")
