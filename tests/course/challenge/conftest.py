"""A small challenge of one's own, and submissions to it with one thing changed."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from printed import held

from benchbook.seeds import generator
from benchbook_book.course import challenge
from benchbook_book.course.challenge import Organiser, Submission, SubmissionReport

CASES = {"real": [f"car-{i}" for i in range(8)], "class": [str(100 + i) for i in range(8)]}


@pytest.fixture(scope="session")
def organiser(tmp_path_factory: pytest.TempPathFactory) -> Organiser:
    """Two challenges with 20 training, 4 validation and 8 test cases: fuel (whole numbers) and ill (two classes)."""
    folder, rng = tmp_path_factory.mktemp("hidden"), generator(1, "challenge organiser")
    for name, kind, target in (
        ("fuel", "real", lambda: int(rng.integers(0, 20))),
        ("ill", "class", lambda: "+1" if rng.random() < 0.4 else "-1"),
    ):
        lines = (
            ["# resolution = 1", "case,phase,target"] if kind == "real" else ["case,phase,target"]
        )
        lines += [f"t{i},training,{target()}" for i in range(20)] + [
            f"v{i},validation,{target()}" for i in range(4)
        ]
        lines += [f"{case},test,{target()}" for case in CASES[kind]]
        (folder / f"{name}.csv").write_text("\n".join(lines))
    return challenge.from_files([folder / "fuel.csv", folder / "ill.csv"])


def manifest(*predictions: dict[str, Any], **changed: Any) -> str:
    """A manifest of those predictions; what is given as None is left out."""
    head = {
        "format": "benchbook.submission/1",
        "name": "mine",
        "team": "we",
        "method": "guessing",
    } | changed
    lines = [f"{key} = {json.dumps(value)}" for key, value in head.items() if value is not None]
    for table in predictions:
        lines += [
            "[[prediction]]",
            *(f"{key} = {json.dumps(value)}" for key, value in table.items()),
        ]
    return "\n".join(lines) + "\n"


class Sent:
    """Submissions in a folder, checked."""

    def __init__(self, folder: Path, organiser: Organiser, test: str) -> None:
        self.folder, self.organiser = folder, organiser
        self.keys = (f"{test}, {number}" for number in itertools.count(1))

    def put(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    manifest = staticmethod(manifest)

    def cases(self, kind: str = "real") -> list[str]:
        return CASES[kind]

    def check(
        self, path: Path | None = None, **limits: int
    ) -> tuple[Submission | None, SubmissionReport]:
        return challenge.check(
            path or self.folder, self.organiser, challenge.SubmissionLimits(**limits)
        )

    def said(self, path: Path | None = None, **limits: int) -> str:
        """All that is wrong, as text, which ``said.txt`` has; the submission is None just when something is."""
        submission, report = self.check(path, **limits)
        assert (submission is None) == bool(report.total) == (not report.good)
        text = "\n".join(report.lines(1000))
        shown = "\n".join([*report.lines(30), ""]).replace(str(self.folder.parent), "HERE")
        shown = re.sub(
            r"a zip file of \d+ \w+; must be at most \d+",
            "a zip file of N; must be at most N",
            shown,
        )  # by zlib
        held(Path(__file__).with_name("said.txt"), next(self.keys), shown)
        return text


@pytest.fixture
def sent(tmp_path: Path, organiser: Organiser, request: pytest.FixtureRequest) -> Sent:
    indices = getattr(getattr(request.node, "callspec", None), "indices", {})
    test = f"{request.node.originalname} {' '.join(map(str, indices.values()))}".strip()
    return Sent(tmp_path / "sent", organiser, test)


@pytest.fixture
def one_file(sent: Sent) -> Callable[..., str]:
    """What is said of a submission of one prediction file."""

    def say(prediction: dict[str, Any], content: str | bytes | list[str]) -> str:
        sent.put("manifest.toml", manifest(prediction))
        sent.put(prediction["file"], "\n".join(content) if isinstance(content, list) else content)
        return sent.said()

    return say
