"""Which functions of the package and of chapters each test calls, and what CPU time it takes."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import pytest


class Tracer:
    """A plugin that writes ``{test: [CPU seconds, [[file, function], ...]]}`` of the tests that pass, as JSON.

    Functions are seen in this process only, and not those that numba has compiled.
    """

    def __init__(self, root: Path, out: Path) -> None:
        self.root, self.out = root, out
        self.codes: dict[int, CodeType] = {}
        self.tests: dict[str, tuple[float, list[tuple[str, str]]]] = {}
        self.passed = False

    def _called(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        if id(code) not in self.codes:  # to hash the code itself takes long
            self.codes[id(code)] = code

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.codes, self.passed = {}, False
        began = time.process_time()
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if self.passed:
                self.tests[item.nodeid] = (time.process_time() - began, self._functions())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed |= report.when == "call" and report.passed

    def pytest_sessionfinish(self) -> None:
        self.out.write_text(json.dumps(self.tests), encoding="utf8")

    def _functions(self) -> list[tuple[str, str]]:
        ours = (f"{self.root}/src/", f"{self.root}/book/")
        return sorted(
            {
                (code.co_filename[len(str(self.root)) + 1 :], function(code.co_qualname))
                for code in self.codes.values()
                if code.co_filename.startswith(ours)
            }
        )


def function(qualified: str) -> str:
    """The function or method around a code, ``Class.method`` for ``Class.method.<locals>.<lambda>``."""
    return qualified.replace("<locals>.", "").partition(".<")[0].partition("<")[0]
