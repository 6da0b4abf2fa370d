"""A pretended checkout, so that no test touches the real one."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from checkout import environment, places
from checkout.trouble import Trouble


@dataclass
class Pretended:
    """A checkout in a path with spaces whose set-up commands are recorded instead of run."""

    root: Path
    monkeypatch: pytest.MonkeyPatch
    calls: list[str] = field(default_factory=list)
    fail_on: str = ""

    def work_in(self, root: Path) -> None:
        """Let the set-up take ``root`` for the checkout."""
        constants = {
            environment: ("LOCK", "DEV_LOCK", "LAB_LOCK", "SLIDES_LOCK", "STAMP"),
            places: ("VENV", "BUILD", "BIN", "PYTHON"),
        }
        for module, names in constants.items():
            for name in names:
                self.monkeypatch.setattr(
                    module, name, root / getattr(module, name).relative_to(places.ROOT)
                )
        self.monkeypatch.setattr(places, "ROOT", root)
        self.root = root

    @property
    def packages(self) -> Path:
        windows = sys.platform == "win32"
        return (
            self.root
            / ".venv"
            / ("Lib/site-packages" if windows else "lib/python3.11/site-packages")
        )

    def call(self, command: list[str], found: object = None) -> None:
        """Stand in for ``environment._call``: do to the folders what the command would do."""
        text = " ".join(command)
        last = Path(command[-1]).name
        self.calls.append(
            "venv" if " venv " in text else "editable" if "--editable" in text else last
        )
        if self.fail_on and self.fail_on in text:
            raise Trouble("pretended failure")
        if " venv " in text:
            self.packages.mkdir(parents=True, exist_ok=True)
            places.BIN.mkdir(exist_ok=True)
            places.PYTHON.unlink(missing_ok=True)
            places.PYTHON.symlink_to(os.path.realpath(sys.executable))
        else:
            (self.packages / f"{Path(command[-1]).stem}-1.0.dist-info").mkdir(exist_ok=True)

    def make(self, *added: str) -> list[str]:
        """Run the set-up and return what it called."""
        self.calls.clear()
        environment.make(*added)
        return list(self.calls)


@pytest.fixture
def pretended(tmp_path, monkeypatch) -> Pretended:
    """A fresh checkout that nothing was set up in yet."""
    root = tmp_path / "a clone with spaces"
    (root / "src" / "benchbook").mkdir(parents=True)
    for name in (
        "pyproject.toml",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-lab.txt",
        "requirements-slides.txt",
        "src/benchbook/version.py",
    ):
        (root / name).write_text(f"# {name}\n", encoding="utf8")
    made = Pretended(root, monkeypatch)
    made.work_in(root)
    monkeypatch.setattr(environment, "check_machine", lambda folder: None)
    monkeypatch.setattr(environment, "_call", made.call)
    return made
