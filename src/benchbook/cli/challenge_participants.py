"""``benchbook challenge server list``, ``participants``, ``rename``, ``remove``, ``shut-out`` and ``withdraw``."""

from __future__ import annotations

import click

from benchbook.cli.challenge_server import database_option, open_store, server
from benchbook.cli.output import json_option, show, table


@server.command(name="list")
@database_option
@json_option
def list_challenges(database: str, as_json: bool) -> None:
    """List the challenges, with their phases."""
    store = open_store(database)
    from sqlalchemy import select

    from benchbook.server import views
    from benchbook.server.models import Challenge

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
    from benchbook.server import moderation

    with store.reading() as session:
        rows = moderation.people(session)
    show(as_json, rows, lambda: table(rows))


@server.command()
@click.argument("who")
@click.argument("name")
@database_option
def rename(who: str, name: str, database: str) -> None:
    """Give the participant WHO, a name or a number such as '#7', another NAME on all boards."""
    store = open_store(database)
    from benchbook.server import moderation

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
    from benchbook.server import moderation

    with store.writing() as session:
        lines = [moderation.withdraw(session, item) for item in number]
    click.echo("\n".join(lines))


def _do(action: str, who: tuple[str, ...], database: str) -> None:
    store = open_store(database)
    from benchbook.server import moderation

    with store.writing() as session:
        every = [moderation.find(session, item) for item in dict.fromkeys(who)]
        lines = [moderation.ACTIONS[action](session, item) for item in every]
    click.echo("\n".join(lines))
