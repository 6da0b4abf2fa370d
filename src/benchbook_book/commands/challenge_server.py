"""``benchbook challenge serve``, ``submit`` and ``server``: a challenge held on a server, and entered there."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchbook.cli.output import PathArgument, json_option, show, table
from benchbook.errors import BenchbookError
from benchbook.ports import ensure_free

if TYPE_CHECKING:
    from benchbook_book.course.server.models import Challenge
    from benchbook_book.course.server.store import Store

database_option = click.option(
    "--database",
    envvar="BENCHBOOK_DATABASE",
    default="challenge.sqlite",
    show_default=True,
    metavar="WHERE",
    help="A file for SQLite, or postgresql://user:password@host/name; also BENCHBOOK_DATABASE.",
)
_NEEDED = ("alembic", "jinja2", "python_multipart", "sqlalchemy", "starlette", "uvicorn")


def _dates(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the dates and limits of a challenge."""
    for option in (
        click.option("--in-test", help="Submissions in the test phase; 0 for any number."),
        click.option(
            "--per-day", help="Submissions a day in the validation phase; 0 for any number."
        ),
        click.option("--closes", help="When it closes."),
        click.option(
            "--switches",
            help="When the validation targets are given out, and the test phase begins.",
        ),
        click.option("--opens", help="When it opens: UTC as 2030-05-17T12:00, or now, or +7d."),
    ):
        command = option(command)
    return command


@click.command()
@database_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at; 0.0.0.0 for all.",
)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="The port there."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that score.",
)
@click.option(
    "--seconds",
    type=click.IntRange(1, 86_400),
    default=120,
    show_default=True,
    help="What scoring one submission may take.",
)
@click.option(
    "--memory", type=click.IntRange(512), default=3072, show_default=True, help="The same in MiB."
)
@click.option(
    "--disk",
    type=click.IntRange(1),
    default=4096,
    show_default=True,
    help="MiB that all submissions together may take.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine talks TLS with browsers and passes requests on.",
)
def serve(
    database: str,
    host: str,
    port: int,
    workers: int,
    seconds: int,
    memory: int,
    disk: int,
    behind_proxy: bool,
) -> None:
    """Serve challenges: participants register, send predictions, and see losses and a leaderboard.

    The first start makes the database, and an organiser, whose token it shows.
    """
    ensure_free(host, port)
    store = open_store(database, create=True)
    import uvicorn

    from benchbook_book.course.server import holding
    from benchbook_book.course.server.app import application
    from benchbook_book.course.server.connections import PatientProtocol
    from benchbook_book.course.server.rules import MIB, Rules

    with store.writing() as session:
        token = holding.first_organiser(session)
    where = f"http://{host}:{port}/"
    if token:
        click.echo(f"Organiser's token: {token}")
    whom = f"to the proxy at {where}" if behind_proxy else f"at {where}login"
    click.echo(f"Challenges are served {whom}. Stop with Ctrl+C; nothing is lost.")
    click.echo("Another token for the organiser: `benchbook challenge server organiser`.")
    rules = Rules(
        workers=workers, seconds=seconds, memory=memory * MIB, disk=disk * MIB, secure=behind_proxy
    )
    uvicorn.run(
        application(store, rules),
        host=host,
        port=port,
        log_level="warning",
        server_header=False,
        proxy_headers=behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        timeout_keep_alive=10,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=65_536,
        http=PatientProtocol,
    )


@click.command()
@click.argument("url")
@click.argument("path", type=PathArgument())
@click.option(
    "--token-file",
    type=PathArgument(dir_okay=False),
    help="A file with your token. Default: BENCHBOOK_TOKEN.",
)
@click.option(
    "--wait",
    type=click.IntRange(0, 86_400),
    default=300,
    show_default=True,
    help="Seconds to wait until it is scored.",
)
@json_option
def submit(url: str, path: str, token_file: str | None, wait: int, as_json: bool) -> None:
    """Send the submission at PATH, a folder or a zip, to the challenge at URL, for example https://host/c/fuel.

    It is checked here first, and is not sent when it has a fault, or when the phase of the challenge does not take it.
    Exit code 1 when the server could not score it.
    """
    from benchbook_book.course.challenge import client

    state = client.submit(
        client.Server(url, client.token(token_file)),
        path,
        lambda line: click.echo(line, err=as_json),
        wait,
    )
    show(as_json, state, lambda: _print_state(state))
    if state["status"] in ("faulty", "failed"):
        raise click.exceptions.Exit(1)


@click.group()
def server() -> None:
    """Hold challenges on a server: open them, set dates, invite, export, back up. It may run meanwhile."""


@server.command(name="open")
@click.argument("name")
@click.option(
    "--targets",
    required=True,
    type=PathArgument(dir_okay=False, exists=True),
    metavar="FILE",
    help="The table: case, phase, target, and inputs; `challenge export` writes one of any prototask.",
)
@click.option("--title", help="What stands above its page. Default: the name.")
@click.option("--about", help="What stands below.")
@_dates
@database_option
def open_(name: str, targets: str, database: str, **said: str | None) -> None:
    """Open the challenge NAME, which is a part of its address: small letters, digits and hyphens."""
    store = open_store(database, create=True)
    from benchbook_book.course.server import holding

    try:
        content = Path(targets).read_bytes()
    except OSError as error:
        raise BenchbookError(
            f"the targets in {targets} cannot be read: {error.strerror}"
        ) from error
    with store.writing() as session:
        item = holding.open_challenge(session, name, content, _given(said))
    _print_challenge(item)


@server.command()
@click.argument("name")
@_dates
@click.option("--enforce/--no-enforce", default=None, help="Whether what games a loss is refused.")
@database_option
def dates(name: str, database: str, enforce: bool | None, **said: str | None) -> None:
    """Set dates and limits of the challenge NAME; what is not said stays, and an empty date is none."""
    store = open_store(database)
    from benchbook_book.course.server import holding

    with store.writing() as session:
        item = holding.named(session, name)
        holding.changed(
            session, item, _given(said) | ({} if enforce is None else {"enforce": enforce})
        )
    _print_challenge(item)


@server.command()
@click.argument("name")
@click.argument("text")
@database_option
def message(name: str, text: str, database: str) -> None:
    """Put TEXT, the message of the day, on the page of the challenge NAME; an empty one takes it away."""
    store = open_store(database)
    from benchbook_book.course.server import holding

    with store.writing() as session:
        holding.changed(session, holding.named(session, name), {"message": text})


@server.command()
@click.argument("names", nargs=-1)
@click.option(
    "--count",
    type=click.IntRange(0, 1000),
    default=0,
    help="Also so many who will choose their names.",
)
@click.option("--organiser", is_flag=True, help="They may organise, too.")
@click.option(
    "--renew",
    is_flag=True,
    help="NAMES have lost their tokens: new ones, and the old ones are shut out.",
)
@database_option
@json_option
def invite(
    names: tuple[str, ...], count: int, organiser: bool, renew: bool, database: str, as_json: bool
) -> None:
    """Make a token for each of NAMES. Tokens are shown this once; the server keeps their hashes only."""
    if renew and (count or organiser or not names):
        raise BenchbookError(
            "--renew takes the names of those who have lost their tokens, and nothing else"
        )
    if not names and not count:
        raise BenchbookError("say who is invited: names, or --count 30")
    store = open_store(database)
    from benchbook_book.course.server import holding

    with store.writing() as session:
        made = (
            holding.renew(session, names)
            if renew
            else holding.invite(session, names, count, organiser)
        )
    rows = [{"name": name, "token": token} for name, token in made]
    show(as_json, rows, lambda: table(rows))


@server.command()
@database_option
def organiser(database: str) -> None:
    """Show a token of the organiser. It is a new one, as only hashes are kept: the old one is shut out."""
    store = open_store(database)
    from benchbook_book.course.server import holding

    with store.writing() as session:
        name, token = holding.renew_organiser(session)
    click.echo(f"Token of {name}: {token}")


@server.command()
@click.argument("name")
@click.option("--out", required=True, type=PathArgument(file_okay=False), help="The folder.")
@database_option
def export(name: str, out: str, database: str) -> None:
    """Write submissions, losses and boards of the challenge NAME: CSV, Parquet, and a page; no target is in them."""
    store = open_store(database)
    from benchbook_book.course.server import holding
    from benchbook_book.course.server.backup import export_folder

    with store.reading() as session:
        for path in export_folder(session, holding.named(session, name), Path(out)):
            click.echo(path)


@server.command()
@click.argument("path", type=PathArgument(dir_okay=False))
@database_option
def backup(path: str, database: str) -> None:
    """Write a backup to PATH, a zip, while the server runs.

    Hidden targets and losses are not in it: keep the files of targets, which `restore` needs.
    """
    if Path(path).exists():
        raise BenchbookError(f"{path} exists already; name another file, or move it away")
    store = open_store(database)
    from benchbook_book.course.server.backup import backup as write

    click.echo(f"{path}: {write(store, path)} submissions")


@server.command()
@click.argument("path", type=PathArgument(dir_okay=False, exists=True))
@click.option(
    "--targets",
    multiple=True,
    type=PathArgument(dir_okay=False),
    metavar="FILE",
    help="The file of targets of a challenge in the backup. May be repeated.",
)
@database_option
def restore(path: str, targets: tuple[str, ...], database: str) -> None:
    """Fill an empty database from the backup at PATH; tokens stay good, and all is scored again when it is served."""
    store = open_store(database, create=True)
    from benchbook_book.course.server.backup import restore as read

    click.echo(
        f"{read(store, path, targets)} submissions wait to be scored; start `benchbook challenge serve`"
    )


def open_store(database: str, create: bool = False) -> Store:
    """The database, brought to the newest form; a new one is made when ``create`` says so, and else refused."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise BenchbookError(
            f"the server needs {', '.join(missing)}; install them where benchbook is "
            "installed: pip install 'benchbook[server]'"
        )
    from benchbook_book.course.server.store import Store

    store = Store(database)
    click.get_current_context().call_on_close(store.close)
    if not create:
        store.require()
    store.upgrade()
    return store


def _given(options: dict[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in options.items() if value is not None}


def _print_challenge(one: Challenge) -> None:
    from benchbook_book.course.server.views import challenge_view

    view = challenge_view(one)
    click.echo(
        f"/c/{view['name']}, {view['phase']}: opens {view['opens']}, test phase {view['switches']}, closes "
        f"{view['closes']}; {view['per_day'] or 'any number of'} submissions a day, {view['in_test'] or 'any'} "
        "in the test phase"
    )


def _print_state(state: dict[str, Any]) -> None:
    click.echo(f"{state['status']}{': ' + state['note'] if state['note'] else ''}")
    for fault in state.get("shown", []):
        click.echo(f"fault: {fault['where']}: found {fault['found']}; {fault['rule']}")
    for task in state.get("tasks", []):
        if not task["told"]:
            click.echo(
                f"\n{task['task']}: scored; the losses are told when the challenge is closed"
            )
            continue
        click.echo(f"\n{task['task']}")
        table(
            [
                {"loss": code, "value": value, "unit": task["units"][code]}
                for code, value in task["losses"].items()
            ]
        )
        click.echo(f"gain over the baseline: {task['gain']} {task['units'][task['ranking']]}")
