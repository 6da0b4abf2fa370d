"""The API for programs: JSON, a token in the header, and a description of itself in OpenAPI."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from benchbook.version import __version__
from benchbook_book.course.server import intake, phases, views
from benchbook_book.course.server.models import Challenge
from benchbook_book.course.server.pages import numbered
from benchbook_book.course.server.site import Call


def challenges(call: Call) -> Response:
    """All challenges."""
    every = call.session.scalars(select(Challenge).order_by(Challenge.id.desc()))
    return JSONResponse([views.challenge_view(item) for item in every])


def challenge(call: Call) -> Response:
    """One challenge, with the tasks that may be entered now and how many submissions are left."""
    return JSONResponse(
        {
            **views.challenge_view(call.challenge),
            "tasks": views.tasks_view(call.challenge),
            "left": intake.left(call.session, call.participant, call.challenge),
        }
    )


def cases(call: Call) -> Response:
    """The table of the challenge, the hidden targets empty."""
    return Response(views.cases_csv(call.challenge), media_type="text/csv")


def send(call: Call) -> Response:
    """Take a submission; what is sent is the zip itself."""
    item = call.challenge
    if not call.site.uploads.count(str(call.participant.id)):
        raise intake.Refused("too many submissions in a minute; wait a little", 429)
    made = intake.receive(
        call.session, call.participant, item, call.request.state.body, call.site.rules
    )
    return JSONResponse(
        views.submission_view(call.session, made, phases.phase(item), full=False), 202
    )


def sent(call: Call) -> Response:
    """My submissions to a challenge."""
    return JSONResponse(views.submissions_view(call.session, call.participant, call.challenge))


def submission(call: Call) -> Response:
    """One submission of mine, with its faults or losses."""
    row = numbered(call)
    item = call.session.get_one(Challenge, row.challenge_id)
    return JSONResponse(views.submission_view(call.session, row, phases.phase(item)))


def board(call: Call) -> Response:
    """The leaderboard of the validation or the test cases."""
    view = views.board_view(
        call.session, call.challenge, call.path("part"), call.request.query_params.get("by", "")
    )
    if view is None:
        raise HTTPException(404, "there is no such board, or its losses are not told yet")
    return JSONResponse(view)


def schema(_call: Call) -> Response:
    """What this API is, in OpenAPI."""
    return JSONResponse(description())


def description() -> dict[str, Any]:
    """The API in OpenAPI 3.1."""
    slug = {"name": "slug", "in": "path", "required": True, "schema": {"type": "string"}}
    number = {
        "name": "number",
        "in": "path",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    }
    part = {
        "name": "part",
        "in": "path",
        "required": True,
        "schema": {"enum": ["validation", "test"]},
    }
    by = {"name": "by", "in": "query", "required": False, "schema": {"type": "string"}}
    text = {"text/csv": {"schema": {"type": "string"}}}
    zipped = {
        "required": True,
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "A challenge of benchbook", "version": __version__},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["status", "error"],
                    "properties": {"status": {"type": "integer"}, "error": {"type": "string"}},
                }
            },
        },
        "security": [{"token": []}],
        "paths": {
            "/api/challenges": {"get": _operation(challenges, "array")},
            "/api/challenges/{slug}": {"get": _operation(challenge, "object", slug)},
            "/api/challenges/{slug}/cases.csv": {"get": _operation(cases, text, slug)},
            "/api/challenges/{slug}/submissions": {
                "get": _operation(sent, "array", slug),
                "post": {**_operation(send, "object", slug, status="202"), "requestBody": zipped},
            },
            "/api/challenges/{slug}/board/{part}": {
                "get": _operation(board, "object", slug, part, by)
            },
            "/api/submissions/{number}": {"get": _operation(submission, "object", number)},
        },
    }


def _operation(
    handler: Any, content: object, *parameters: dict[str, Any], status: str = "200"
) -> dict[str, Any]:
    shape = (
        content
        if isinstance(content, dict)
        else {"application/json": {"schema": {"type": content}}}
    )
    fault = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    faults = ("400", "401", "403", "404", "409", "413", "429", "507")
    return {
        "operationId": handler.__name__,
        "summary": handler.__doc__,
        "parameters": list(parameters),
        "responses": {
            status: {"description": "as asked", "content": shape},
            **{
                code: {"description": "refused, with the reason", "content": fault}
                for code in faults
            },
        },
    }
