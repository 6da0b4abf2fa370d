"""What the API says of itself is what it does."""

import re

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from benchbook_book.course.server.interface import description

DATABASES = ["sqlite"]


def operations():
    return [
        (method, path, operation)
        for path, item in description()["paths"].items()
        for method, operation in item.items()
    ]


def test_every_address_is_described_and_every_description_has_its_address(held):
    routes = {
        (method.lower(), re.sub(r":\w+", "", route.path))
        for route in held.app.routes
        for method in route.methods
        if method != "HEAD" and route.path.startswith("/api/")
    }
    assert routes - {("get", "/api/openapi.json")} == {
        (method, path) for method, path, _ in operations()
    }
    assert held.browser().get("/api/openapi.json").json() == description()


STRANGE = (
    "flats",
    "FLATS",
    "",
    " ",
    "a" * 300,
    "..",
    "%00",
    "é",
    "0",
    "-1",
    "validation",
    "test",
    "null",
    "flats%0a",
    "99999999999999999999999",
)


@pytest.mark.parametrize(
    ("method", "path", "operation"), operations(), ids=lambda one: one if one is str(one) else ""
)
def test_whatever_is_asked_the_answer_is_one_that_is_described(held, method, path, operation):
    program = held.program()
    described = {int(code): answer["content"] for code, answer in operation["responses"].items()}
    names = re.findall(r"\{(\w+)\}", path)
    for first in STRANGE if names else ("",):
        for second in STRANGE[::3] if len(names) > 1 else ("",):
            index = path
            for name, value in zip(names, (first, second), strict=False):
                index = index.replace(f"{{{name}}}", value)
            answer = program.request(
                method.upper(), index, **({"content": b"PK strange"} if method == "post" else {})
            )
            kind = answer.headers.get("content-type", "").partition(";")[0]
            if answer.status_code == 405:  # an empty part makes the address of another operation
                continue
            assert answer.status_code in described, index
            assert kind in described[answer.status_code] or answer.status_code == 200, index
            if kind == "application/json" and answer.status_code >= 400:
                assert set(answer.json()) == {"status", "error"}
    program.headers["authorization"] = "Bearer wrong"
    assert program.request(method.upper(), re.sub(r"\{\w+\}", "1", path)).status_code == 401


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/api/challenges/flats/submissions", {"GET", "HEAD", "POST"}),
        ("/api/challenges", {"GET", "HEAD"}),
    ],
)
def test_a_method_that_is_not_taken_is_answered_with_those_that_are(held, path, methods):
    answer = held.program().request("OPTIONS", path)
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == methods


@pytest.mark.parametrize(("method", "path"), [(method, path) for method, path, _ in operations()])
def test_schemathesis_finds_no_answer_that_is_not_described(held, method, path):
    """Schemathesis makes up requests from the description and compares the answers with it."""
    schemathesis.serializer.alias("application/zip", "application/octet-stream")
    operation = schemathesis.openapi.from_asgi("/api/openapi.json", held.app)[path][method.upper()]
    checks = schemathesis.checks
    checks.load_all_checks()
    chosen = checks.CHECKS.get_by_names(
        [
            "not_a_server_error",
            "status_code_conformance",
            "content_type_conformance",
            "response_schema_conformance",
        ]
    )

    @settings(
        max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=operation.as_strategy())
    def answered(case):
        case.call_and_validate(
            headers={"authorization": f"Bearer {held.tokens['Ada']}"}, checks=chosen
        )

    answered()
