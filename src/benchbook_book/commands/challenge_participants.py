"""``benchbook challenge server list``, ``participants``, ``team``, ``rename``, ``remove``, ``shut-out``, ``withdraw``
and ``gradebook``."""

from __future__ import annotations

import click

from benchbook.cli.output import json_option, show, table
from benchbook_book.commands.challenge_server import database_option, open_store, server
from benchbook_book.commands.grades import points_options, write_grades
from benchbook_book.course.challenge.gradebook import read_points


@server.command(name="list")
@database_option
@json_option
def list_challenges(database: str, as_json: bool) -> None:
    """List the challenges, with their phases."""
    store = open_store(database)
    from sqlalchemy import select

    from benchbook_book.course.server import views
    from benchbook_book.course.server.models import Challenge

    with store.reading() as session:
        every = session.scalars(select(Challenge).order_by(Challenge.id))
        rows = [views.challenge_view(item) for item in every]
    columns = ("name", "title", "phase", "opens", "switches", "closes")
    show(as_json, rows, lambda: table(rows, {name: name for name in columns}))


@server.command()
@database_option
@json_option
def participants(database: str, as_json: bool) -> None:
    """List the participants, with their numbers."""
    store = open_store(database)
    from benchbook_book.course.server import moderation

    with store.reading() as session:
        rows = moderation.people(session)
    show(as_json, rows, lambda: table(rows))


@server.command()
@click.argument("name")
@click.argument("member", nargs=-1, required=True)
@database_option
@json_option
def team(name: str, member: tuple[str, ...], database: str, as_json: bool) -> None:
    """Make one participant NAME of several people, and a token for each MEMBER. Tokens are shown this once.

    They share the name on the boards, the limits and the entries; the gradebook has a line for each of them.
    """
    store = open_store(database)
    from benchbook_book.course.server import holding

    with store.writing() as session:
        made = holding.invite_team(session, name, member)
    rows = [{"team": name, "name": each, "token": token} for each, token in made]
    show(as_json, rows, lambda: table(rows))


@server.command()
@click.argument("name")
@points_options
@database_option
def gradebook(name: str, out: str, points: str, form: str, database: str) -> None:
    """Write the gradebook of the challenge NAME: a line for each participant and each member of a team."""
    terms = read_points(points)
    store = open_store(database)
    from benchbook_book.course.server import holding, standings

    with store.reading() as session:
        item = holding.named(session, name)
        write_grades(standings.grades(session, item, terms), out, form, item.title)


@server.command()
@click.argument("who")
@click.argument("name")
@database_option
def rename(who: str, name: str, database: str) -> None:
    """Give the participant WHO, a name or a number such as '#7', another NAME on all boards."""
    store = open_store(database)
    from benchbook_book.course.server import moderation

    with store.writing() as session:
        text = moderation.rename(session, moderation.find(session, who), name)
    click.echo(text)


@server.command()
@click.argument("who", nargs=-1, required=True)
@database_option
@click.confirmation_option(
    prompt="Remove them, with all that they sent?", help="Do not ask whether this is meant."
)
def remove(who: tuple[str, ...], database: str) -> None:
    """Remove the participants WHO, with all their submissions. Boards are made again, and say so in their log."""
    _do("remove", who, database)


@server.command(name="shut-out")
@click.argument("who", nargs=-1, required=True)
@database_option
def shut_out(who: tuple[str, ...], database: str) -> None:
    """Shut the tokens of the participants WHO out. Their entries stay; `invite --renew` lets them in again."""
    _do("shut", who, database)


@server.command()
@click.argument("number", nargs=-1, required=True, type=click.IntRange(1))
@database_option
def withdraw(number: tuple[int, ...], database: str) -> None:
    """Take the submissions NUMBER off the boards, whose log says so."""
    store = open_store(database)
    from benchbook_book.course.server import moderation

    with store.writing() as session:
        lines = [moderation.withdraw(session, item) for item in number]
    click.echo("\n".join(lines))


def _do(action: str, who: tuple[str, ...], database: str) -> None:
    store = open_store(database)
    from benchbook_book.course.server import moderation

    with store.writing() as session:
        every = [moderation.find(session, item) for item in dict.fromkeys(who)]
        lines = [moderation.ACTIONS[action](session, item) for item in every]
    click.echo("\n".join(lines))
