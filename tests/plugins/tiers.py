"""Three kinds of tests: the default ones, ``full`` and ``slow``; and a limit to what a default one may cost.

``tests/full.txt`` names the functions and tests that are ``full``, one a line. With `` 1/7`` after the name every
seventh test of a function stays a default one, in the order of collection, from the first on; with ``1/1`` all do.
Where files, folders or names of tests are asked for (``make test ARGS=tests/losses``), they run whole, but ``slow``.
``BENCHBOOK_FULL=1/2`` leaves out the ``full`` tests of every second file.

CPU time is that of the test and of the processes it has waited for, without its wide fixtures and without what numba
compiles. A default test over the limit fails unless the list names its function; all of them together fail when they
cost too much for their number. ``make test-full ARGS=--junitxml=FILE`` writes the CPU time of every test.
"""

import gc
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

try:
    import resource
except ImportError:  # Windows: what a test's processes cost is not counted
    resource = None  # type: ignore[assignment]

DEFAULT = "not crawl and not slow and not full"
NAMED = "not crawl and not slow"
COLLECTED = pytest.StashKey[list[str]]()
LIST = Path(__file__).parents[1] / "full.txt"
DEAR = 0.1
"""CPU seconds from which a test belongs into the list."""
LIMIT = 10.0
"""CPU seconds at which a default test fails: far above ``DEAR``, for a busy machine counts four times as much."""
FIRST = 15.0
"""The same for a test that is the first to load some library."""
MEAN = 0.04
"""CPU seconds for each of the default tests: three minutes on two busy cores for 9,000 of them."""
ENOUGH = 1000
"""Tests from which the mean says something."""


def read(text: str) -> dict[str, int]:
    """The entries of a list: of each node the N of ``1/N``, and 0 where all its tests are ``full``.

    Raises:
        ValueError: a line is none of a list, or names what another one does.
    """
    entries: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = re.fullmatch(r"(\S+?[.]py::[^\s[]+)(?:(\[.+\])| 1/([1-9]\d*))?", line)
        if parts is None or line in entries:
            raise ValueError(
                f"line {number} of full.txt is no function, function and 1/N, or test, or stands twice: {line!r}"
            )
        entries[parts[1] + (parts[2] or "")] = int(parts[3] or 0)
    return entries


def are_full(nodes: list[str], entries: dict[str, int]) -> list[bool]:
    """Which of the tests, in the order of collection, the list makes ``full``."""
    counts: dict[str, int] = defaultdict(int)
    answer = []
    for node in nodes:
        function = node.partition("[")[0]
        number, counts[function] = counts[function], counts[function] + 1
        share = entries.get(function)
        whole = share is not None and not (share and number % share == 0)
        answer.append(whole or (node != function and node in entries))
    return answer


def others(nodes: list[str], full: list[bool], share: str) -> list[bool]:
    """Which of the tests are ``full`` and not of the share K/N of their files: a run of CI takes one, the next another.

    The tests of a file stay together, as in a run of all: some use what those before them have made.
    """
    number, _, count = share.partition("/")
    files = [node.partition("::")[0] for node in nodes]
    ordered = dict.fromkeys(file for file, is_full in zip(files, full, strict=True) if is_full)
    place = {file: at for at, file in enumerate(ordered, 1)}
    return [
        is_full and place[file] % int(count) != int(number) % int(count)
        for file, is_full in zip(files, full, strict=True)
    ]


def pytest_collection() -> None:
    """Search for no garbage while tests are collected: there is none, and it takes a sixth of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Have what was collected left out of every later search for garbage, which takes a tenth of the time else."""
    gc.collect()
    gc.freeze()
    gc.enable()


def asks_for_names(config: pytest.Config) -> bool:
    """Whether files, folders or names of tests were asked for."""
    return bool(config.args_source is pytest.Config.ArgsSource.ARGS or config.option.keyword)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "full: a test that the list tests/full.txt names (make test-full)"
    )
    if config.option.markexpr == DEFAULT and asks_for_names(config):
        config.option.markexpr = NAMED
    limited = config.option.markexpr == DEFAULT
    config.pluginmanager.register(Costs(limited), "costs of tests")


@pytest.hookimpl(tryfirst=True)  # before those are taken out that the marks asked for exclude
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = [item.nodeid for item in items]
    entries = read(LIST.read_text(encoding="utf8"))
    full = are_full(config.stash[COLLECTED], entries)
    for item, is_full in zip(items, full, strict=True):
        if is_full:
            item.add_marker(pytest.mark.full)
    left = others(config.stash[COLLECTED], full, os.environ.get("BENCHBOOK_FULL", "1/1"))
    config.hook.pytest_deselected(
        items=[item for item, out in zip(items, left, strict=True) if out]
    )
    items[:] = [item for item, out in zip(items, left, strict=True) if not out]


class Costs:
    """Counts the CPU time of tests, and fails a default one that costs too much."""

    def __init__(self, limited: bool) -> None:
        self.limited, self.listed = limited, read(LIST.read_text(encoding="utf8"))
        self.apart, self.began = 0.0, (0.0, 0)
        self.total, self.tests = 0.0, 0

    def pytest_sessionstart(self) -> None:
        _watch_compiler(self)

    def spent(self) -> float:
        """CPU seconds until now, without what is not counted."""
        return _cpu() - self.apart

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[Any]") -> Iterator[None]:
        before = self.spent()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":  # later tests use it too
                self.apart += self.spent() - before

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self.began = self.spent(), len(sys.modules)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        answer = yield
        cost = self.spent() - self.began[0]
        item.user_properties.append(("cpu", round(cost, 3)))
        limit = LIMIT if len(sys.modules) == self.began[1] else FIRST
        if self.limited and cost > limit and item.nodeid.partition("[")[0] not in self.listed:
            pytest.fail(
                f"this test takes {cost:.1f} s of CPU time, and a default one at most {limit:g}: make it cheaper, or "
                "name it in tests/full.txt (CONTRIBUTING.md says how)",
                pytrace=False,
            )
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.tests += 1
            self.total += dict(report.user_properties).get("cpu", 0.0)

    @property
    def too_dear(self) -> bool:
        """Whether there are many tests, and they cost more than as many are allowed to."""
        return self.limited and self.tests >= ENOUGH and self.total > MEAN * self.tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.too_dear and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.tests and self.limited:
            terminalreporter.write_line(
                f"{self.tests} tests took {self.total:.0f} s of CPU time, {1000 * self.total / self.tests:.0f} ms "
                f"each; at most {1000 * MEAN:.0f} are allowed{' (CONTRIBUTING.md says how)' if self.too_dear else ''}",
                red=self.too_dear,
            )


def _watch_compiler(costs: Costs) -> None:
    """Have the CPU time in which numba compiles taken apart."""
    from numba.core import event

    class Listener(event.Listener):
        depth, before = 0, 0.0

        def on_start(self, event: object) -> None:
            self.before = self.before if self.depth else costs.spent()
            self.depth += 1

        def on_end(self, event: object) -> None:
            self.depth -= 1
            if not self.depth:
                costs.apart += costs.spent() - self.before

    event.register("numba:compile", Listener())


def _cpu() -> float:
    if resource is None:
        return time.process_time()
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)
